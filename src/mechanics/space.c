/* space.c - axes of groups, and what plane and space do not share: the orientation of a child, and
 * the acceleration inward.
 *
 * In the plane all axes turn about the same one: angles add, and unknowns stand in ground axes. */
#include "mechanics/inside.h"

/* ---- the plane */

enum { ABOUT = 2 };

static void set_angle(mechanics *m, rigid *g, ct_expr angle, ct_expr spin)
{
    g->angle = angle;
    g->spin = ct_mx_unit(m, ABOUT, spin);
    g->spin_square = ct_mx_mul(m, spin, spin);
    g->sine = ct_expr_call1(m->pool, CT_OP_SIN, angle);
    g->cosine = ct_expr_call1(m->pool, CT_OP_COS, angle);
}

/* {theta}_c = -[D_b]{theta}_b [McPhee-2, eq. 86] */
static void orient_in_plane(mechanics *m, const step *s, ct_expr turn, ct_expr rate)
{
    const rigid *p = &m->group[s->parent];
    ct_expr spin = p->spin.x[ABOUT];
    if (s->forward)
        set_angle(m, &m->group[s->child], ct_mx_add(m, p->angle, turn), ct_mx_add(m, spin, rate));
    else
        set_angle(m, &m->group[s->child], ct_mx_sub(m, p->angle, turn), ct_mx_sub(m, spin, rate));
}

/* omega^2 w.v */
static ct_expr inward_in_plane(mechanics *m, const rigid *g, vec w, vec v)
{
    return ct_mx_mul(m, g->spin_square, ct_mx_dot(m, w, v));
}

static const space plane = {2, ABOUT, orient_in_plane, inward_in_plane};

void ct_mech_set_space(mechanics *m)
{
    m->space = &plane;
}

void ct_mech_set_axes(mechanics *m)
{
    m->axes = CT_NEW_ARRAY(m->arena, uint32_t, m->group_count + 1);
    for (uint32_t i = 0; i < m->group_count; i++)
        set_angle(m, &m->group[i], m->zero, m->zero);
}

/* ---- axes */

static vec by_point(mechanics *m, vec a, ct_expr c, ct_expr s)
{
    vec v = ct_mx_zero(m);
    v.x[0] = ct_mx_sub(m, ct_mx_mul(m, c, a.x[0]), ct_mx_mul(m, s, a.x[1]));
    v.x[1] = ct_mx_add(m, ct_mx_mul(m, s, a.x[0]), ct_mx_mul(m, c, a.x[1]));
    return v;
}

vec ct_mx_rotated(mechanics *m, vec a, ct_expr angle)
{
    if (ct_mx_is_zero(m, angle))
        return a;
    return by_point(m, a, ct_expr_call1(m->pool, CT_OP_COS, angle),
                    ct_expr_call1(m->pool, CT_OP_SIN, angle));
}

vec ct_mx_in(mechanics *m, vec v, uint32_t from, uint32_t to)
{
    if (from == to)
        return v;
    return by_point(m, v, m->group[from].cosine, m->group[from].sine);
}

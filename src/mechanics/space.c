/* space.c - axes of groups, and what plane and space do not share: the orientation of a child, and
 * the acceleration inward.
 *
 * In the plane all axes turn about the same one: angles add, and unknowns stand in ground axes. In
 * space a group has the axes of the joint that leads to it, and its unknowns stand in them: inertia
 * is constant there, and the joint's axis mostly a unit vector. The ground then accelerates against
 * gravity, because its direction differs from body to body.
 */
#include "mechanics/inside.h"

static const uint8_t after[3] = {1, 2, 0}, before[3] = {2, 0, 1};

/* ---- fixed axes */

vec ct_mx_rotated(mechanics *m, vec v, attitude a)
{
    vec sum = ct_mx_zero(m);
    if (!ct_mx_is_zero(m, a.angle)) {
        ct_expr c = ct_expr_call1(m->pool, CT_OP_COS, a.angle);
        ct_expr s = ct_expr_call1(m->pool, CT_OP_SIN, a.angle);
        return ct_mx_about(m, v, 2, c, s);
    }
    if (!a.axes)
        return v;
    for (int i = 0; i < 3; i++)
        sum = ct_mx_vadd(m, sum, ct_mx_scale(m, v.x[i], a.axes[i]));
    return sum;
}

static vec turned_back(mechanics *m, vec v, const vec *axes)
{
    vec out = v;
    for (int i = 0; i < 3 && axes; i++)
        out.x[i] = ct_mx_dot(m, axes[i], v);
    return out;
}

attitude ct_mx_joined(mechanics *m, attitude a, attitude b)
{
    attitude out = {ct_mx_add(m, a.angle, b.angle), b.axes ? b.axes : a.axes};
    if (!a.axes || !b.axes)
        return out;
    vec *axes = CT_NEW_ARRAY(m->arena, vec, 3);
    for (int i = 0; i < 3; i++)
        axes[i] = ct_mx_rotated(m, b.axes[i], a);
    out.axes = axes;
    return out;
}

attitude ct_mx_inverse(mechanics *m, attitude a)
{
    attitude out = {ct_mx_neg(m, a.angle), NULL};
    if (!a.axes)
        return out;
    vec *axes = CT_NEW_ARRAY(m->arena, vec, 3);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axes[i].x[k] = a.axes[k].x[i];
    out.axes = axes;
    return out;
}

vec ct_mx_about(mechanics *m, vec a, uint32_t axis, ct_expr c, ct_expr s)
{
    uint32_t i = after[axis], k = before[axis];
    vec v = a;
    v.x[i] = ct_mx_sub(m, ct_mx_mul(m, c, a.x[i]), ct_mx_mul(m, s, a.x[k]));
    v.x[k] = ct_mx_add(m, ct_mx_mul(m, s, a.x[i]), ct_mx_mul(m, c, a.x[k]));
    return v;
}

/* ---- the plane */

enum { ABOUT = 2 };

static void set_angle(mechanics *m, rigid *g, ct_expr angle, ct_expr spin)
{
    g->angle = angle;
    g->about = ABOUT;
    g->spin = ct_mx_unit(m, ABOUT, spin);
    g->square[0] = ct_mx_mul(m, spin, spin);
    for (int i = 1; i < 6; i++)
        g->square[i] = m->zero;
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
    return ct_mx_mul(m, g->square[0], ct_mx_dot(m, w, v));
}

/* ---- space */

/* The coordinate axis that a unit vector lies along, 3: none; *sign: 1 or -1. */
static uint8_t axis_of(mechanics *m, vec v, int *sign)
{
    for (uint8_t k = 0; k < 3; k++) {
        ct_expr e = v.x[k];
        if (!ct_mx_is_zero(m, v.x[after[k]]) || !ct_mx_is_zero(m, v.x[before[k]]))
            continue;
        *sign = e == m->one ? 1 : -1;
        return e == m->one || e == ct_expr_int(m->pool, -1) ? k : 3;
    }
    return 3;
}

uint8_t ct_mech_pin_axis(mechanics *m, const tie *t)
{
    int sign;
    return axis_of(m, t->pin, &sign);
}

/* Axes turned about a skew one: c e_i + s (p x e_i) + (1 - c) p_i p */
static const vec *skewed(mechanics *m, vec pin, ct_expr c, ct_expr s)
{
    vec *axes = CT_NEW_ARRAY(m->arena, vec, 3);
    ct_expr rest = ct_mx_sub(m, m->one, c);
    for (uint32_t i = 0; i < 3; i++) {
        vec across = ct_mx_opposite(m, ct_mx_turned(m, i, pin)); /* p x e_i */
        axes[i] = ct_mx_vadd(m, ct_mx_unit(m, i, c), ct_mx_scale(m, s, across));
        axes[i] = ct_mx_vadd(m, axes[i], ct_mx_scale(m, ct_mx_mul(m, rest, pin.x[i]), pin));
    }
    return axes;
}

static const uint8_t pair[3][2] = {{0, 1}, {0, 2}, {1, 2}}; /* of square[3 ..] */

static void set_spin(mechanics *m, rigid *g, vec spin)
{
    ct_expr own[3];
    g->spin = spin;
    for (int i = 0; i < 3; i++)
        own[i] = ct_mx_mul(m, spin.x[i], spin.x[i]);
    for (int i = 0; i < 3; i++) {
        g->square[i] = ct_mx_add(m, own[after[i]], own[before[i]]);
        g->square[3 + i] = ct_mx_neg(m, ct_mx_mul(m, spin.x[pair[i][0]], spin.x[pair[i][1]]));
    }
}

/* Columns of the rotation that a quaternion of any length tells: 1 + 2 (q0 [q] + [q][q])/(Q.Q) */
static const vec *ball_axes(mechanics *m, const tie *t, bool forward)
{
    vec *axes = CT_NEW_ARRAY(m->arena, vec, 3);
    ct_expr q[4], square = m->zero;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = ct_expr_symbol(m->pool, m->coordinate.at[t->angle_q + i].q);
        square = ct_mx_add(m, square, ct_mx_mul(m, q[i], q[i]));
    }
    ct_expr two = ct_mx_div(m, ct_expr_int(m->pool, 2), square);
    for (uint32_t i = 0; i < 3; i++) {
        vec own = {{q[1], q[2], q[3]}}, half = ct_mx_scale(m, two, own);
        ct_expr turn = ct_mx_mul(m, forward ? q[0] : ct_mx_neg(m, q[0]), two);
        vec across = ct_mx_opposite(m, ct_mx_turned(m, i, own)); /* q x e_i */
        axes[i] = ct_mx_vadd(m, ct_mx_scale(m, turn, across), ct_mx_scale(m, own.x[i], half));
        ct_expr rest = ct_mx_mul(m, own.x[after[i]], half.x[after[i]]);
        rest = ct_mx_add(m, rest, ct_mx_mul(m, own.x[before[i]], half.x[before[i]]));
        axes[i].x[i] = ct_mx_sub(m, m->one, rest);
    }
    return axes;
}

static void orient_ball(mechanics *m, const step *s)
{
    const tie *t = &m->tie.at[s->tie];
    rigid *g = &m->group[s->child];
    uint32_t parent = s->parent, child = s->child;
    g->outer = parent;
    g->base = s->forward ? t->tail_turn : t->head_turn;
    g->skew = ball_axes(m, t, s->forward);
    vec own = ct_mech_spin(m, t), spin = ct_mx_in(m, m->group[parent].spin, parent, child);
    set_spin(m, g,
             s->forward ? ct_mx_vadd(m, spin, own)
                        : ct_mx_vsub(m, spin, ct_mx_in(m, own, parent, child)));
}

/* A section on its body, or the body on its section. */
static void orient_section(mechanics *m, const step *s)
{
    const tie *t = &m->tie.at[s->tie];
    rigid *g = &m->group[s->child];
    g->outer = s->parent;
    g->base =
        s->forward ? t->tail_turn : ct_mx_joined(m, t->head_turn, ct_mx_inverse(m, t->tail_turn));
    g->about = ABOUT;
    g->angle = m->zero;
    g->sine = m->zero;
    g->cosine = m->one;
    vec own = ct_mech_section_spin(m, t);
    vec spin = ct_mx_in(m, m->group[s->parent].spin, s->parent, s->child);
    set_spin(m, g,
             s->forward ? ct_mx_vadd(m, spin, ct_mx_in(m, own, s->parent, s->child))
                        : ct_mx_vsub(m, spin, own));
}

/* At zero the child has the axes of the joint's frame on the parent; its own frame there has those
 * of the group (ct_mech_align). */
static void orient_in_space(mechanics *m, const step *s, ct_expr turn, ct_expr rate)
{
    const tie *t = &m->tie.at[s->tie];
    rigid *g = &m->group[s->child];
    int sign = 1;
    uint8_t axis = axis_of(m, t->pin, &sign);
    ct_expr angle = s->forward ? turn : ct_mx_neg(m, turn);
    if (t->ball || t->elastic) {
        (t->ball ? orient_ball : orient_section)(m, s);
        return;
    }
    g->outer = s->parent;
    g->base = s->forward ? t->tail_turn : t->head_turn;
    g->about = axis < 3 ? axis : ABOUT;
    g->angle = sign > 0 ? angle : ct_mx_neg(m, angle);
    g->sine = ct_expr_call1(m->pool, CT_OP_SIN, g->angle);
    g->cosine = ct_expr_call1(m->pool, CT_OP_COS, g->angle);
    if (axis == 3)
        g->skew = skewed(m, t->pin, g->cosine, g->sine);
    vec own = ct_mx_scale(m, s->forward ? rate : ct_mx_neg(m, rate), t->pin);
    set_spin(m, g, ct_mx_vadd(m, ct_mx_in(m, m->group[s->parent].spin, s->parent, s->child), own));
}

static ct_expr inward_in_space(mechanics *m, const rigid *g, vec w, vec v)
{
    ct_expr sum = m->zero;
    for (int i = 0; i < 3; i++) {
        if (ct_mx_is_zero(m, w.x[i]))
            continue;
        ct_expr own = ct_mx_mul(m, g->square[i], v.x[i]);
        for (int k = 0; k < 3; k++)
            if (pair[k][0] == i || pair[k][1] == i) {
                ct_expr other = v.x[pair[k][pair[k][0] == i]];
                own = ct_mx_add(m, own, ct_mx_mul(m, g->square[3 + k], other));
            }
        sum = ct_mx_add(m, sum, ct_mx_mul(m, w.x[i], own));
    }
    return sum;
}

/* ---- both */

static const space plane = {2, ABOUT, false, orient_in_plane, inward_in_plane},
                   whole = {3, 0, true, orient_in_space, inward_in_space};

void ct_mech_set_space(mechanics *m)
{
    m->space = m->mech->spatial ? &whole : &plane;
}

void ct_mech_set_axes(mechanics *m)
{
    m->axes = CT_NEW_ARRAY(m->arena, uint32_t, m->group_count + 1);
    for (uint32_t i = 0; i < m->group_count; i++) {
        m->axes[i] = m->mech->spatial ? i : 0;
        set_angle(m, &m->group[i], m->zero, m->zero);
    }
}

/* ---- from axes to axes */

static vec outward(mechanics *m, const rigid *g, vec v)
{
    v = g->skew ? ct_mx_rotated(m, v, (attitude){m->zero, g->skew})
                : ct_mx_about(m, v, g->about, g->cosine, g->sine);
    return g->base.axes ? ct_mx_rotated(m, v, g->base) : v;
}

static vec inboard(mechanics *m, const rigid *g, vec v)
{
    v = turned_back(m, v, g->base.axes);
    return g->skew ? turned_back(m, v, g->skew)
                   : ct_mx_about(m, v, g->about, g->cosine, ct_mx_neg(m, g->sine));
}

/* Axes of all groups in those of the ground; particles have the same. */
static void make_world(mechanics *m)
{
    m->world = CT_NEW_ARRAY(m->arena, vec, (size_t)3 * m->group_count);
    for (uint32_t i = 0; i < 3 * m->group_count; i++)
        m->world[i] = ct_mx_unit(m, i % 3, m->one);
    for (uint32_t i = 0; i < m->r.count; i++) {
        uint32_t child = m->r.at[i].child, outer = m->group[child].outer;
        for (uint32_t k = 0; k < 3; k++) {
            vec v = outward(m, &m->group[child], ct_mx_unit(m, k, m->one));
            const vec *axes = outer ? m->world + (size_t)3 * outer : NULL;
            m->world[(size_t)3 * child + k] = ct_mx_rotated(m, v, (attitude){m->zero, axes});
        }
    }
}

vec ct_mx_in(mechanics *m, vec v, uint32_t from, uint32_t to)
{
    if (from == to || ct_mx_is_none(m, &v))
        return v;
    if (from && m->group[from].outer == to)
        return outward(m, &m->group[from], v);
    if (to && m->group[to].outer == from)
        return inboard(m, &m->group[to], v);
    if (!m->world)
        make_world(m);
    if (from)
        v = ct_mx_rotated(m, v, (attitude){m->zero, m->world + (size_t)3 * from});
    return to ? turned_back(m, v, m->world + (size_t)3 * to) : v;
}

/* ---- angles that are re-chosen */

static bool refuse_chart(mechanics *m, const ct_joint *j)
{
    const char *text = ct_name_text(m->ctx, j->name);
    ct_report *r =
        ct_error(m->ctx, "E615", j->place,
                 "the angles of `%s` cannot be re-chosen: they are no coordinates", text);
    ct_note(r, "it is no branch of both trees");
    ct_help(r, "leave out `rechoose`, or ask for the branch: tree %s", text);
    ct_witness(r, text);
    return false;
}

static bool check_joint(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const tie *first = j->chart ? &m->tie.at[m->tie_of_joint[joint]] : NULL;
    const tie *last = first ? first + m->tie_count[joint] - 1 : NULL;
    return !first || (first->in_t && last->in_t && last->in_r) || refuse_chart(m, j);
}

bool ct_mech_check_space(mechanics *m)
{
    bool good = true;
    for (uint32_t i = 0; m->mech->spatial && i < m->mech->joint_count && good; i++)
        good = check_joint(m, i);
    return good;
}

/* ---- axes of the joints that lead to groups */

static attitude against(mechanics *m, const attitude *by, attitude own)
{
    return by->axes ? ct_mx_joined(m, *by, own) : own;
}

/* By group: how its axes turn into those of the joint. */
static attitude *find_joint_axes(mechanics *m)
{
    attitude *by = CT_NEW_ARRAY(m->arena, attitude, m->group_count);
    for (uint32_t i = 0; i < m->group_count; i++)
        by[i] = (attitude){m->zero, NULL};
    for (uint32_t i = 0; i < m->r.count; i++) {
        const step *s = &m->r.at[i];
        const tie *t = &m->tie.at[s->tie];
        if (s->forward || !t->elastic) /* a body that bends has axes of its own */
            by[s->child] = ct_mx_inverse(m, s->forward ? t->head_turn : t->tail_turn);
    }
    return by;
}

void ct_mech_align(mechanics *m)
{
    if (!m->mech->spatial)
        return;
    const attitude *by = find_joint_axes(m);
    for (uint32_t i = 0; i < m->mech->body_count; i++) {
        member *b = &m->member[i];
        const attitude *own = &by[b->group];
        b->origin = ct_mx_rotated(m, b->origin, *own);
        b->com = ct_mx_rotated(m, b->com, *own);
        b->turn = against(m, own, b->turn);
    }
    for (uint32_t i = 0; i < m->mech->frame_count; i++) {
        site *f = &m->site[i];
        f->at = ct_mx_rotated(m, f->at, by[f->group]);
        f->turn = against(m, &by[f->group], f->turn);
    }
    for (uint32_t i = 0; i < m->tie.count; i++) {
        tie *t = &m->tie.at[i];
        t->from = ct_mx_rotated(m, t->from, by[t->tail]);
        t->to = ct_mx_rotated(m, t->to, by[t->head]);
        for (int k = 0; k < 3; k++)
            t->axis[k] = ct_mx_rotated(m, t->axis[k], by[t->tail]);
        if (t->is_body)
            continue;
        t->tail_turn = against(m, &by[t->tail], t->tail_turn); /* where no frame tells it */
        t->head_turn = against(m, &by[t->head], t->head_turn);
    }
    for (uint32_t i = 0; i < m->r.count; i++) { /* exactly */
        const step *s = &m->r.at[i];
        const tie *t = &m->tie.at[s->tie];
        uint32_t frame = s->forward ? t->head_frame : t->tail_frame;
        attitude none = {m->zero, NULL};
        if (frame != CT_NOTHING && (s->forward || !t->elastic))
            m->site[frame].turn = t->chart.axes && !s->forward ? ct_mx_inverse(m, t->chart) : none;
    }
    for (uint32_t i = 0; i < m->tie.count; i++) {
        tie *t = &m->tie.at[i];
        if (t->tail_frame != CT_NOTHING)
            t->tail_turn = m->site[t->tail_frame].turn;
        if (t->tail_frame != CT_NOTHING && t->chart.axes)
            t->tail_turn = against(m, &t->tail_turn, t->chart);
        if (t->head_frame != CT_NOTHING)
            t->head_turn = m->site[t->head_frame].turn;
    }
    for (uint32_t i = 0; i < m->r.count; i++) { /* exactly, too */
        tie *t = &m->tie.at[m->r.at[i].tie];
        if (t->chart.axes && !m->r.at[i].forward)
            t->tail_turn = (attitude){m->zero, NULL};
    }
}

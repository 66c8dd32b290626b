/* assemble.c - the system at acceleration level:
 *
 *     [M  J^T] [x]   [f]      x: acceleration a of a reference point of each group, alpha, s''
 *     [J   0 ] [y] = [g]      y: multipliers; the force of a tie on its head is -y
 *
 * Cutsets, circuits and terminal equations at once [McPhee-2, eqs. 75 to 87]; the transpose of J
 * brings the terms r x F of arms and slides, eq. 76, by itself.
 *
 * A group about its reference point, h = m (way to the mass centre), I about that point:
 *
 *     m a + alpha k x h = m g + omega^2 h + forces,    (k x h).a + I alpha = h x g + moments
 */
#include "mechanics/inside.h"

void ct_assembly_init(assembly *x, mechanics *m, ct_arena *arena)
{
    uint32_t n = m->group_count;
    *x = (assembly){.m = m};
    ct_sp_init(&x->s, m, arena);
    x->reference = CT_NEW_ARRAY(arena, vec2, n);
    x->contact = CT_NEW_ARRAY(arena, uint32_t, n);
    x->a = CT_NEW_ARRAY(arena, uint32_t, n);
    x->alpha = CT_NEW_ARRAY(arena, uint32_t, n);
    x->alpha_known = CT_NEW_ARRAY(arena, ct_expr, n);
    x->slide = ct_arena_alloc(arena, (m->tie.count + 1) * sizeof *x->slide);
    for (uint32_t i = 0; i < n; i++) {
        x->a[i] = x->alpha[i] = x->contact[i] = CT_NOTHING;
        x->alpha_known[i] = m->zero;
        x->reference[i] = ct_mx_zero(m);
    }
    for (uint32_t i = 0; i < m->tie.count; i++)
        x->slide[i][0] = x->slide[i][1] = CT_NOTHING;
}

vec2 ct_assembly_arm(assembly *x, uint32_t group, vec2 local)
{
    return ct_mx_world(x->m, group, ct_mx_vsub(x->m, local, x->reference[group]));
}

void ct_assembly_add_alpha(assembly *x, uint32_t row, uint32_t group, ct_expr factor)
{
    mechanics *m = x->m;
    if (x->alpha[group] != CT_NOTHING)
        ct_sp_put(&x->s, row, x->alpha[group], factor);
    ct_sp_rhs(&x->s, row, ct_mx_neg(m, ct_mx_mul(m, factor, x->alpha_known[group])));
}

/* ---- bodies */

static void put_body(assembly *x, uint32_t group)
{
    mechanics *m = x->m;
    mass_of own = ct_mech_mass(m, group, x->reference[group]);
    vec2 h = ct_mx_world(m, group, own.moment), k = ct_mx_turned(m, h);
    vec2 g = {{m->mech->gravity.c[0], m->mech->gravity.c[1]}};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t row = x->a[group] + i;
        ct_sp_put(&x->s, row, row, own.mass);
        ct_assembly_add_alpha(x, row, group, k.x[i]);
        ct_sp_rhs(&x->s, row, ct_mx_mul(m, own.mass, g.x[i]));
        ct_sp_rhs(&x->s, row, ct_mx_mul(m, m->group[group].spin_square, h.x[i]));
    }
    uint32_t alpha = x->alpha[group];
    if (alpha == CT_NOTHING)
        return;
    ct_sp_put(&x->s, alpha, alpha, own.inertia);
    ct_sp_rhs(&x->s, alpha, ct_mx_neg(m, ct_mx_mul(m, own.inertia, x->alpha_known[group])));
    ct_sp_rhs(&x->s, alpha, ct_mx_cross(m, h, g));
}

void ct_assembly_bodies(assembly *x)
{
    for (uint32_t i = 1; i < x->m->group_count; i++)
        put_body(x, i);
}

void ct_assembly_unit_bodies(assembly *x, ct_expr square)
{
    for (uint32_t i = 1; i < x->m->group_count; i++) {
        uint32_t a = x->a[i], alpha = x->alpha[i];
        ct_sp_put(&x->s, a, a, x->m->one);
        ct_sp_put(&x->s, a + 1, a + 1, x->m->one);
        if (alpha != CT_NOTHING)
            ct_sp_put(&x->s, alpha, alpha, square);
    }
}

/* ---- loads */

static void put_force(assembly *x, uint32_t group, vec2 arm, vec2 force)
{
    if (group == 0)
        return;
    for (uint32_t i = 0; i < 2; i++)
        ct_sp_rhs(&x->s, x->a[group] + i, force.x[i]);
    if (x->alpha[group] != CT_NOTHING)
        ct_sp_rhs(&x->s, x->alpha[group], ct_mx_cross(x->m, arm, force));
}

static void put_torque(assembly *x, uint32_t group, ct_expr torque)
{
    if (x->alpha[group] != CT_NOTHING)
        ct_sp_rhs(&x->s, x->alpha[group], torque);
}

static void put_force_pair(assembly *x, uint32_t tail, uint32_t head, vec2 force)
{
    mechanics *m = x->m;
    const site *t = &m->site[tail], *h = &m->site[head];
    put_force(x, h->group, ct_assembly_arm(x, h->group, h->at), force);
    put_force(x, t->group, ct_assembly_arm(x, t->group, t->at),
              (vec2){{ct_mx_neg(m, force.x[0]), ct_mx_neg(m, force.x[1])}});
}

vec2 ct_mech_line_force(mechanics *m, uint32_t line)
{
    const ct_line *l = &m->mech->line[line];
    const site *t = &m->site[l->tail], *h = &m->site[l->head];
    vec2 d =
        ct_mx_vsub(m, ct_mech_position(m, h->group, h->at), ct_mech_position(m, t->group, t->at));
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, ct_mx_dot(m, d, d));
    return ct_mx_scale(m, ct_mx_div(m, m->along[line], length), d);
}

/* The way from the tail's point to where the head's is. */
static vec2 tie_way(assembly *x, uint32_t tie_index)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[tie_index];
    vec2 way = ct_mx_zero(m);
    for (uint32_t i = 0; i < t->free.slides; i++)
        way = ct_mx_vadd(m, way, ct_mx_scale(m, ct_mech_slide(m, t, i, 0), ct_mech_axis(m, t, i)));
    return way;
}

/* World, from the reference of the tail to the head's point. */
vec2 ct_assembly_tail_arm(assembly *x, uint32_t tie_index)
{
    const tie *t = &x->m->tie.at[tie_index];
    if (x->contact[t->tail] == tie_index)
        return ct_mx_zero(x->m);
    return ct_mx_vadd(x->m, ct_assembly_arm(x, t->tail, t->from), tie_way(x, tie_index));
}

static void put_port(assembly *x, uint32_t joint)
{
    mechanics *m = x->m;
    uint32_t index = m->tie_of_joint[joint];
    if (index == CT_NOTHING)
        return;
    const tie *t = &m->tie.at[index];
    const ct_expr *port = m->port + (size_t)3 * joint;
    put_torque(x, t->head, port[0]);
    put_torque(x, t->tail, ct_mx_neg(m, port[0]));
    for (uint32_t i = 0; i < t->free.slides; i++) {
        if (ct_mx_is_zero(m, port[1 + i]))
            continue;
        if (x->slide[index][i] != CT_NOTHING) {
            ct_sp_rhs(&x->s, x->slide[index][i], port[1 + i]);
            continue;
        }
        vec2 force = ct_mx_scale(m, port[1 + i], ct_mech_axis(m, t, i));
        put_force(x, t->head, ct_assembly_arm(x, t->head, t->to), force);
        put_force(x, t->tail, ct_assembly_tail_arm(x, index),
                  (vec2){{ct_mx_neg(m, force.x[0]), ct_mx_neg(m, force.x[1])}});
    }
}

void ct_assembly_loads(assembly *x)
{
    mechanics *m = x->m;
    for (uint32_t i = 0; i < m->mech->load_count; i++) {
        const ct_vector_load *l = &m->mech->load[i];
        const ct_expr *value = m->load + (size_t)3 * i;
        if (l->torque) {
            put_torque(x, m->site[l->head].group, value[2]);
            put_torque(x, m->site[l->tail].group, ct_mx_neg(m, value[2]));
        } else {
            put_force_pair(x, l->tail, l->head, (vec2){{value[0], value[1]}});
        }
    }
    for (uint32_t i = 0; i < m->mech->line_count; i++)
        put_force_pair(x, m->mech->line[i].tail, m->mech->line[i].head, ct_mech_line_force(m, i));
    for (uint32_t i = 0; i < m->mech->joint_count; i++)
        put_port(x, i);
}

/* ---- ties */

/* Adds w.(acceleration of the point at `arm` of the group) to a row. */
static void put_point(assembly *x, uint32_t row, uint32_t group, vec2 arm, vec2 w)
{
    mechanics *m = x->m;
    if (group == 0)
        return;
    for (uint32_t i = 0; i < 2; i++)
        ct_sp_put(&x->s, row, x->a[group] + i, w.x[i]);
    ct_assembly_add_alpha(x, row, group, ct_mx_dot(m, w, ct_mx_turned(m, arm)));
    ct_sp_rhs(&x->s, row, ct_mx_mul(m, m->group[group].spin_square, ct_mx_dot(m, w, arm)));
}

static vec2 unit(const mechanics *m, uint32_t i, ct_expr value)
{
    vec2 v = ct_mx_zero(m);
    v.x[i] = value;
    return v;
}

/* a_head - a_(point of the tail there) - sum u s'' = sum 2 s' omega k x u */
uint32_t ct_assembly_branch(assembly *x, uint32_t tie_index)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[tie_index];
    ct_expr minus_one = ct_expr_int(m->pool, -1);
    vec2 to = ct_assembly_arm(x, t->head, t->to), from = ct_assembly_tail_arm(x, tie_index);
    uint32_t first = ct_sp_unknown(&x->s, false);
    ct_sp_unknown(&x->s, false);
    for (uint32_t k = 0; k < 2; k++) {
        put_point(x, first + k, t->head, to, unit(m, k, m->one));
        put_point(x, first + k, t->tail, from, unit(m, k, minus_one));
    }
    for (uint32_t i = 0; i < t->free.slides; i++) {
        vec2 u = ct_mech_axis(m, t, i), n = ct_mx_turned(m, u);
        ct_expr rate = ct_mx_mul(m, ct_mech_slide(m, t, i, 1), m->group[t->tail].spin);
        for (uint32_t k = 0; k < 2; k++) {
            if (x->slide[tie_index][i] != CT_NOTHING)
                ct_sp_put(&x->s, first + k, x->slide[tie_index][i], ct_mx_neg(m, u.x[k]));
            else
                ct_sp_rhs(&x->s, first + k, ct_mx_mul(m, t->slide.of[2], u.x[k]));
            ct_sp_rhs(&x->s, first + k,
                      ct_mx_mul(m, ct_expr_int(m->pool, 2), ct_mx_mul(m, rate, n.x[k])));
        }
    }
    return first;
}

/* Adds w.(a_head - a_tail), both at the tie's points. */
static void put_difference(assembly *x, uint32_t row, const tie *t, vec2 w)
{
    mechanics *m = x->m;
    put_point(x, row, t->head, ct_assembly_arm(x, t->head, t->to), w);
    put_point(x, row, t->tail, ct_assembly_arm(x, t->tail, t->from),
              (vec2){{ct_mx_neg(m, w.x[0]), ct_mx_neg(m, w.x[1])}});
}

/* w.(a_head - a_tail) + c (alpha_head - alpha_tail) + back alpha_tail = bias */
static void put_form(assembly *x, uint32_t row, const tie *t, const row_form *f)
{
    mechanics *m = x->m;
    vec2 w = ct_mech_row_force(m, f);
    if (!ct_mx_is_zero(m, w.x[0]) || !ct_mx_is_zero(m, w.x[1]))
        put_difference(x, row, t, w);
    if (!ct_mx_is_zero(m, f->c)) {
        ct_assembly_add_alpha(x, row, t->head, f->c);
        ct_assembly_add_alpha(x, row, t->tail, ct_mx_neg(m, f->c));
    }
    if (t->tail && !ct_mx_is_zero(m, f->back))
        ct_assembly_add_alpha(x, row, t->tail, f->back);
    ct_sp_rhs(&x->s, row, f->bias[0]);
    ct_sp_rhs(&x->s, row, f->bias[1]);
}

/* Adds factor times the second derivative of a freedom. */
static void put_freedom(assembly *x, uint32_t row, uint32_t tie_index, bool turn, ct_expr factor)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[tie_index];
    if (turn) {
        ct_assembly_add_alpha(x, row, t->head, factor);
        ct_assembly_add_alpha(x, row, t->tail, ct_mx_neg(m, factor));
    } else if (x->slide[tie_index][0] != CT_NOTHING) {
        ct_sp_put(&x->s, row, x->slide[tie_index][0], factor);
    } else if (t->slide.is) {
        ct_sp_rhs(&x->s, row, ct_mx_neg(m, ct_mx_mul(m, factor, t->slide.of[2])));
    } else {
        row_form f = ct_mech_slide_form(m, t, factor);
        put_form(x, row, t, &f);
    }
}

/* own'' - sum f_i q_i'' = gamma */
static void put_couple(assembly *x, uint32_t row, uint32_t tie_index, uint8_t kind)
{
    mechanics *m = x->m;
    const couple *c = ct_couple_of(&m->tie.at[tie_index], kind);
    put_freedom(x, row, tie_index, kind == CT_ROW_COUPLE_TURN, m->one);
    for (uint32_t i = 0; i < c->count; i++)
        put_freedom(x, row, c->by[i].tie, c->by[i].turn, ct_mx_neg(m, c->by[i].slope));
    ct_sp_rhs(&x->s, row, c->of[2]);
}

uint32_t ct_assembly_row(assembly *x, uint32_t tie_index, uint8_t kind)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[tie_index];
    uint32_t row = ct_sp_unknown(&x->s, true);
    if (ct_row_couples(kind)) {
        put_couple(x, row, tie_index, kind);
        return row;
    }
    row_form f = ct_mech_row(m, t, (ct_tie_row)kind, true);
    put_form(x, row, t, &f);
    if (f.given)
        ct_sp_rhs(&x->s, row, f.given->of[2]);
    return row;
}

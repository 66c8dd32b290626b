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
 *     m a + alpha x h = m g - omega x (omega x h) + forces,    h x a + I alpha = h x g + moments
 *
 * in the axes of the group's unknowns (m->axes).
 */
#include "mechanics/inside.h"

void ct_assembly_init(assembly *x, mechanics *m, ct_arena *arena)
{
    uint32_t n = m->group_count;
    *x = (assembly){.m = m};
    ct_sp_init(&x->s, m, arena);
    x->reference = CT_NEW_ARRAY(arena, vec, n);
    x->contact = CT_NEW_ARRAY(arena, uint32_t, n);
    x->a = CT_NEW_ARRAY(arena, uint32_t, n);
    x->alpha = CT_NEW_ARRAY(arena, uint32_t, n);
    x->alpha_known = CT_NEW_ARRAY(arena, vec, n);
    x->seat = CT_NEW_ARRAY(arena, uint32_t, n);
    x->seat_row = CT_NEW_ARRAY(arena, uint32_t, n);
    x->mode = CT_NEW_ARRAY(arena, uint32_t, m->mech->body_count);
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        x->mode[i] = ct_sp_unknowns(&x->s, ct_mech_kind(m, i)->modes(m, i));
    x->slide = ct_arena_alloc(arena, (m->tie.count + 1) * sizeof *x->slide);
    for (uint32_t i = 0; i < n; i++) {
        x->a[i] = x->alpha[i] = x->contact[i] = x->seat[i] = CT_NOTHING;
        x->alpha_known[i] = x->reference[i] = ct_mx_zero(m);
    }
    x->turn = CT_NEW_ARRAY(arena, uint32_t, m->tie.count + 1);
    for (uint32_t i = 0; i < m->tie.count; i++)
        x->slide[i][0] = x->slide[i][1] = x->slide[i][2] = x->turn[i] = CT_NOTHING;
}

/* ---- points */

point_form ct_assembly_rigid_point(assembly *x, uint32_t group, vec local)
{
    mechanics *m = x->m;
    vec arm = ct_mx_in(m, ct_mx_vsub(m, local, x->reference[group]), group, m->axes[group]);
    return (point_form){.group = group, .arm = arm, .bias = ct_mx_zero(m)};
}

point_form ct_assembly_point(assembly *x, uint32_t frame)
{
    point_form p;
    uint32_t body = x->m->site[frame].body;
    const body_kind *kind = ct_mech_kind(x->m, body);
    kind->point(x, frame, &p);
    p.modes = kind->modes(x->m, body);
    p.mode = x->mode[body];
    return p;
}

point_form ct_assembly_head_point(assembly *x, uint32_t tie_index)
{
    const tie *t = &x->m->tie.at[tie_index];
    return t->head_frame == CT_NOTHING ? ct_assembly_rigid_point(x, t->head, t->to)
                                       : ct_assembly_point(x, t->head_frame);
}

static point_form own_tail_point(assembly *x, const tie *t)
{
    return t->tail_frame == CT_NOTHING ? ct_assembly_rigid_point(x, t->tail, t->from)
                                       : ct_assembly_point(x, t->tail_frame);
}

/* The way from the tail's point to where the head's is. */
static vec tie_way(assembly *x, const tie *t)
{
    mechanics *m = x->m;
    vec way = ct_mx_zero(m);
    if (m->mech->spatial && !t->in_fast && (t->free.slides || t->free.rolls))
        return ct_mx_in(m, ct_mech_distance(m, t), 0, m->axes[t->tail]);
    for (uint32_t i = 0; i < t->free.slides; i++) {
        vec axis = ct_mech_axis(m, t, i, m->axes[t->tail]);
        way = ct_mx_vadd(m, way, ct_mx_scale(m, ct_mech_slide(m, t, i, 0), axis));
    }
    return way;
}

point_form ct_assembly_tail_point(assembly *x, uint32_t tie_index)
{
    const tie *t = &x->m->tie.at[tie_index];
    if (x->contact[t->tail] == tie_index)
        return ct_assembly_rigid_point(x, t->tail, x->reference[t->tail]);
    point_form p = own_tail_point(x, t);
    p.arm = ct_mx_vadd(x->m, p.arm, tie_way(x, t));
    return p;
}

/* Adds factor.alpha to a row. */
void ct_assembly_add_alpha(assembly *x, uint32_t row, uint32_t group, vec factor)
{
    mechanics *m = x->m;
    for (uint32_t j = m->space->turn; j < 3 && x->alpha[group] != CT_NOTHING; j++)
        ct_sp_put(&x->s, row, x->alpha[group] + j - m->space->turn, factor.x[j]);
    ct_sp_rhs(&x->s, row, ct_mx_neg(m, ct_mx_dot(m, factor, x->alpha_known[group])));
}

/* (alpha x arm) as factors of alpha: row i of them. */
typedef struct lever {
    vec row[3];
} lever;

static lever lever_of(mechanics *m, vec arm)
{
    lever l = {{ct_mx_zero(m), ct_mx_zero(m), ct_mx_zero(m)}};
    for (uint32_t j = m->space->turn; j < 3; j++) {
        vec column = ct_mx_turned(m, j, arm);
        for (uint32_t i = 0; i < m->space->slides; i++)
            l.row[i].x[j] = column.x[i];
    }
    return l;
}

static void put_torque(assembly *x, uint32_t group, vec torque)
{
    mechanics *m = x->m;
    for (uint32_t j = m->space->turn; j < 3 && x->alpha[group] != CT_NOTHING; j++)
        ct_sp_rhs(&x->s, x->alpha[group] + j - m->space->turn, torque.x[j]);
}

/* ---- bodies */

static void put_tensor(assembly *x, uint32_t alpha, const ct_expr *tensor)
{
    static const uint8_t at[][3] = {{2, 2, 2}, {0, 0, 0}, {1, 1, 1},
                                    {0, 1, 3}, {0, 2, 4}, {1, 2, 5}};
    uint32_t turn = x->m->space->turn;
    for (uint32_t i = 0; i < (turn ? 1 : 6); i++)
        ct_sp_put(&x->s, alpha + at[i][0] - turn, alpha + at[i][1] - turn, tensor[at[i][2]]);
}

/* Weights act on the mass centre, unless the ground accelerates instead. */
static void put_body(assembly *x, uint32_t group)
{
    mechanics *m = x->m;
    mass_of own = ct_mech_mass(m, group, x->reference[group]);
    vec h = ct_mx_in(m, own.moment, group, m->axes[group]), g = ct_mx_zero(m);
    if (!m->space->lifts)
        g = ct_mx_place(&m->mech->gravity);
    lever turning = lever_of(m, h);
    for (uint32_t i = 0; i < m->space->slides; i++) {
        uint32_t row = x->a[group] + i;
        ct_sp_put(&x->s, row, row, own.mass);
        ct_assembly_add_alpha(x, row, group, turning.row[i]);
        ct_sp_rhs(&x->s, row, ct_mx_mul(m, own.mass, g.x[i]));
        ct_sp_rhs(&x->s, row, m->space->inward(m, &m->group[group], ct_mx_unit(m, i, m->one), h));
    }
    uint32_t alpha = x->alpha[group];
    if (alpha == CT_NOTHING)
        return;
    put_tensor(x, alpha, own.inertia);
    vec known = ct_mech_tensor(m, own.inertia, x->alpha_known[group]);
    put_torque(x, group, ct_mx_opposite(m, known));
    put_torque(x, group, ct_mx_cross(m, h, g));
    vec gyration = ct_mech_gyration(m, own.inertia, m->group[group].spin);
    put_torque(x, group, ct_mx_opposite(m, gyration));
}

void ct_assembly_bodies(assembly *x)
{
    for (uint32_t i = 1; i < x->m->group_count; i++)
        put_body(x, i);
    for (uint32_t i = 0; i < x->m->group_count; i++)
        ct_assembly_shapes(x, i);
}

void ct_assembly_unit_bodies(assembly *x, ct_expr square)
{
    for (uint32_t i = 1; i < x->m->group_count; i++) {
        uint32_t a = x->a[i], alpha = x->alpha[i];
        for (uint32_t k = 0; k < x->m->space->slides; k++)
            ct_sp_put(&x->s, a + k, a + k, x->m->one);
        for (uint32_t k = 0; alpha != CT_NOTHING && k < 3 - x->m->space->turn; k++)
            ct_sp_put(&x->s, alpha + k, alpha + k, square);
    }
    for (uint32_t i = 1; i < x->m->mech->body_count; i++)
        for (uint32_t k = 0; k < ct_mech_kind(x->m, i)->modes(x->m, i); k++)
            ct_sp_put(&x->s, x->mode[i] + k, x->mode[i] + k, x->m->one);
}

/* ---- loads */

void ct_assembly_put_force(assembly *x, const point_form *p, vec force, vec torque)
{
    mechanics *m = x->m;
    if (p->group == 0)
        return;
    for (uint32_t i = 0; i < m->space->slides; i++)
        ct_sp_rhs(&x->s, x->a[p->group] + i, force.x[i]);
    if (x->alpha[p->group] != CT_NOTHING)
        put_torque(x, p->group, ct_mx_vadd(m, torque, ct_mx_cross(m, p->arm, force)));
    for (uint32_t k = 0; k < p->modes; k++) {
        ct_sp_rhs(&x->s, p->mode + k, ct_mx_dot(m, p->shape[k], force));
        ct_sp_rhs(&x->s, p->mode + k, ct_mx_dot(m, p->turn[k], torque));
    }
}

/* In ground axes: on the head, and opposite on the tail. */
static void put_pair(assembly *x, uint32_t tail, uint32_t head, vec force, vec torque)
{
    mechanics *m = x->m;
    point_form h = ct_assembly_point(x, head), t = ct_assembly_point(x, tail);
    uint32_t axes = m->axes[h.group];
    ct_assembly_put_force(x, &h, ct_mx_in(m, force, 0, axes), ct_mx_in(m, torque, 0, axes));
    force = ct_mx_opposite(m, force), torque = ct_mx_opposite(m, torque);
    axes = m->axes[t.group];
    ct_assembly_put_force(x, &t, ct_mx_in(m, force, 0, axes), ct_mx_in(m, torque, 0, axes));
}

vec ct_mech_line_force(mechanics *m, uint32_t line)
{
    const ct_line *l = &m->mech->line[line];
    const site *t = &m->site[l->tail], *h = &m->site[l->head];
    vec d =
        ct_mx_vsub(m, ct_mech_position(m, h->group, h->at), ct_mech_position(m, t->group, t->at));
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, ct_mx_dot(m, d, d));
    return ct_mx_scale(m, ct_mx_div(m, m->along[line], length), d);
}

static void put_port(assembly *x, uint32_t index)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[index];
    if (t->is_body)
        return;
    const ct_expr *port = m->port + (size_t)CT_FREEDOMS * t->object;
    if (t->free.turns == 1) {
        ct_expr torque = port[t->turn_at];
        put_torque(x, t->head, ct_mx_scale(m, torque, ct_mech_pin(m, t, true)));
        put_torque(x, t->tail, ct_mx_scale(m, ct_mx_neg(m, torque), ct_mech_pin(m, t, false)));
    }
    if (ct_has_angles_across(t)) {
        vec torque = ct_mech_torque_across(m, t);
        put_torque(x, t->head, ct_mx_in(m, torque, 0, m->axes[t->head]));
        put_torque(x, t->tail, ct_mx_in(m, ct_mx_opposite(m, torque), 0, m->axes[t->tail]));
    }
    for (uint32_t i = 0; i < t->free.slides; i++) {
        ct_expr size = port[t->slide_at + i];
        if (ct_mx_is_zero(m, size))
            continue;
        if (x->slide[index][i] != CT_NOTHING) {
            ct_sp_rhs(&x->s, x->slide[index][i], size);
            continue;
        }
        uint32_t axes = m->axes[t->tail];
        vec force = ct_mx_scale(m, size, ct_mech_axis(m, t, i, axes)), none = ct_mx_zero(m);
        point_form head = ct_assembly_head_point(x, index), tail = ct_assembly_tail_point(x, index);
        ct_assembly_put_force(x, &head, ct_mx_in(m, force, axes, m->axes[t->head]), none);
        ct_assembly_put_force(x, &tail, ct_mx_opposite(m, force), none);
    }
}

void ct_assembly_loads(assembly *x)
{
    mechanics *m = x->m;
    vec none = ct_mx_zero(m);
    for (uint32_t i = 0; i < m->mech->load_count; i++) {
        const ct_vector_load *l = &m->mech->load[i];
        put_pair(x, l->tail, l->head, l->torque ? none : m->load[i], l->torque ? m->load[i] : none);
    }
    for (uint32_t i = 0; i < m->mech->line_count; i++)
        put_pair(x, m->mech->line[i].tail, m->mech->line[i].head, ct_mech_line_force(m, i), none);
    for (uint32_t i = 0; i < m->tie.count; i++)
        put_port(x, i);
}

/* ---- ties */

static void put_point_shapes(assembly *x, uint32_t row, const point_form *p, vec w)
{
    mechanics *m = x->m;
    ct_sp_rhs(&x->s, row, ct_mx_neg(m, ct_mx_dot(m, w, p->bias)));
    for (uint32_t k = 0; k < p->modes; k++)
        ct_sp_put(&x->s, row, p->mode + k, ct_mx_dot(m, w, p->shape[k]));
}

void ct_assembly_put_point(assembly *x, uint32_t row, const point_form *p, vec w)
{
    mechanics *m = x->m;
    if (p->modes)
        put_point_shapes(x, row, p, w);
    if (p->group == 0 && m->space->lifts)
        ct_sp_rhs(&x->s, row, ct_mx_dot(m, w, ct_mx_place(&m->mech->gravity)));
    if (p->group == 0)
        return;
    vec turning = ct_mx_zero(m);
    for (uint32_t i = 0; i < m->space->slides; i++)
        ct_sp_put(&x->s, row, x->a[p->group] + i, w.x[i]);
    for (uint32_t j = m->space->turn; j < 3; j++)
        turning.x[j] = ct_mx_dot(m, w, ct_mx_turned(m, j, p->arm));
    ct_assembly_add_alpha(x, row, p->group, turning);
    ct_sp_rhs(&x->s, row, m->space->inward(m, &m->group[p->group], w, p->arm));
}

/* Rows are in the axes of the child. */
static void put_slide(assembly *x, uint32_t first, const step *s, uint32_t i)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[s->tie];
    uint32_t tail = m->axes[t->tail], axes = m->axes[s->child];
    vec u = ct_mech_axis(m, t, i, tail), along = ct_mx_in(m, u, tail, axes);
    vec rate = ct_mx_scale(m, ct_mech_slide(m, t, i, 1), m->group[t->tail].spin);
    vec across = ct_mx_in(m, ct_mx_spun(m, rate, u), tail, axes);
    for (uint32_t k = 0; k < m->space->slides; k++) {
        if (x->slide[s->tie][i] != CT_NOTHING)
            ct_sp_put(&x->s, first + k, x->slide[s->tie][i], ct_mx_neg(m, along.x[k]));
        else
            ct_sp_rhs(&x->s, first + k, ct_mx_mul(m, t->slide.of[2], along.x[k]));
        ct_sp_rhs(&x->s, first + k, ct_mx_mul(m, ct_expr_int(m->pool, 2), across.x[k]));
    }
}

/* The parent's point, with its acceleration as unknowns of its own: arm and rotation are then two
 * small substitutions instead of one large. */
static void put_seat(assembly *x, const step *s, const point_form *p)
{
    mechanics *m = x->m;
    uint32_t row = x->seat_row[s->child] = ct_sp_unknowns(&x->s, m->space->slides);
    for (uint32_t k = 0; k < m->space->slides; k++) {
        ct_sp_put(&x->s, row + k, x->seat[s->child] + k, ct_expr_int(m->pool, -1));
        ct_assembly_put_point(x, row + k, p, ct_mx_unit(m, k, m->one));
    }
}

/* One end of a branch in a row; w in the axes of the child. */
static void put_end(assembly *x, uint32_t row, const step *s, const point_form *p, vec w)
{
    mechanics *m = x->m;
    w = ct_mx_in(m, w, m->axes[s->child], m->axes[p->group]);
    if (p->group == s->child || x->seat[s->child] == CT_NOTHING) {
        ct_assembly_put_point(x, row, p, w);
        return;
    }
    for (uint32_t k = 0; k < m->space->slides; k++)
        ct_sp_put(&x->s, row, x->seat[s->child] + k, w.x[k]);
}

/* a_head - a_(point of the tail there) - sum u s'' = sum 2 s' omega x u */
uint32_t ct_assembly_branch(assembly *x, const step *s)
{
    mechanics *m = x->m;
    uint32_t first = ct_sp_unknowns(&x->s, m->space->slides);
    ct_expr minus_one = ct_expr_int(m->pool, -1);
    point_form head = ct_assembly_head_point(x, s->tie), tail = ct_assembly_tail_point(x, s->tie);
    if (x->seat[s->child] != CT_NOTHING)
        put_seat(x, s, s->forward ? &tail : &head);
    for (uint32_t k = 0; k < m->space->slides; k++) {
        put_end(x, first + k, s, &head, ct_mx_unit(m, k, m->one));
        put_end(x, first + k, s, &tail, ct_mx_unit(m, k, minus_one));
    }
    for (uint32_t i = 0; i < m->tie.at[s->tie].free.slides; i++)
        put_slide(x, first, s, i);
    return first;
}

/* The spin of a ball in the axes of the child. */
static void put_ball(assembly *x, const step *s, const uint32_t row[3])
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[s->tie];
    for (uint32_t k = 0; k < 3 && x->turn[s->tie] != CT_NOTHING; k++) {
        vec own = ct_mx_rotated(m, ct_mx_unit(m, k, ct_expr_int(m->pool, -1)), t->head_turn);
        vec column = ct_mx_in(m, own, t->head, s->child);
        for (uint32_t j = 0; j < 3; j++)
            if (row[j] != CT_NOTHING)
                ct_sp_put(&x->s, row[j], x->turn[s->tie] + k, column.x[j]);
    }
}

/* A section turns against its body as the shape says. */
static void put_elastic_turns(assembly *x, const step *s, const uint32_t row[3])
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[s->tie];
    point_form p = ct_assembly_point(x, t->tail_frame);
    uint32_t tail = m->axes[t->tail], axes = m->axes[s->child];
    vec bias = ct_mx_in(m, p.turn_bias, tail, axes);
    for (uint32_t j = m->space->turn; j < 3; j++)
        if (row[j] != CT_NOTHING)
            ct_sp_rhs(&x->s, row[j], bias.x[j]);
    for (uint32_t k = 0; k < p.modes; k++) {
        vec turn = ct_mx_in(m, p.turn[k], tail, axes);
        for (uint32_t j = m->space->turn; j < 3; j++)
            if (row[j] != CT_NOTHING)
                ct_sp_put(&x->s, row[j], p.mode + k, ct_mx_neg(m, turn.x[j]));
    }
}

/* alpha_head - alpha_tail - p beta'' = omega x p beta', p: its pin; in the axes of the child */
void ct_assembly_turns(assembly *x, const step *s, uint32_t free, uint32_t row[3])
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[s->tie];
    uint32_t axes = m->axes[s->child], head = m->axes[t->head], tail = m->axes[t->tail];
    bool pinned = t->free.turns && !t->ball;
    vec pin = pinned ? ct_mech_pin(m, t, s->forward) : ct_mx_zero(m);
    vec rate = t->ball ? ct_mx_in(m, ct_mech_spin(m, t), head, axes)
                       : ct_mx_scale(m, ct_mech_turn(m, t, 1), pin);
    vec bias = ct_mx_spun(m, m->group[s->child].spin, rate);
    ct_expr minus_one = ct_expr_int(m->pool, -1);
    bool none = free == CT_ALL_FREE || !t->free.spins;
    for (uint32_t j = m->space->turn; j < 3; j++) {
        row[j] = j == free || none ? CT_NOTHING : ct_sp_unknown(&x->s, false);
        if (row[j] == CT_NOTHING)
            continue;
        vec plus = ct_mx_unit(m, j, m->one), minus = ct_mx_unit(m, j, minus_one);
        ct_assembly_add_alpha(x, row[j], t->head, ct_mx_in(m, plus, axes, head));
        ct_assembly_add_alpha(x, row[j], t->tail, ct_mx_in(m, minus, axes, tail));
        if (pinned && x->turn[s->tie] != CT_NOTHING)
            ct_sp_put(&x->s, row[j], x->turn[s->tie], ct_mx_neg(m, pin.x[j]));
        else if (t->angle.is)
            ct_sp_rhs(&x->s, row[j], ct_mx_mul(m, t->angle.of[2], pin.x[j]));
        ct_sp_rhs(&x->s, row[j], bias.x[j]);
    }
    if (t->ball)
        put_ball(x, s, row);
    if (t->elastic)
        put_elastic_turns(x, s, row);
}

/* Adds w.(a_head - a_tail), both at the tie's points. */
static void put_difference(assembly *x, uint32_t row, const tie *t, vec w)
{
    mechanics *m = x->m;
    point_form head = ct_assembly_head_point(x, (uint32_t)(t - m->tie.at));
    point_form tail = own_tail_point(x, t);
    ct_assembly_put_point(x, row, &head, ct_mx_in(m, w, 0, m->axes[t->head]));
    ct_assembly_put_point(x, row, &tail, ct_mx_in(m, ct_mx_opposite(m, w), 0, m->axes[t->tail]));
}

/* factor: in ground axes */
static void add_turning(assembly *x, uint32_t row, uint32_t group, vec factor)
{
    ct_assembly_add_alpha(x, row, group, ct_mx_in(x->m, factor, 0, x->m->axes[group]));
}

/* What the tail turns beyond its body. */
static void put_section_turn(assembly *x, uint32_t row, const tie *t, vec c)
{
    mechanics *m = x->m;
    point_form p = own_tail_point(x, t);
    c = ct_mx_in(m, c, 0, m->axes[t->tail]);
    for (uint32_t k = 0; k < p.modes; k++)
        ct_sp_put(&x->s, row, p.mode + k, ct_mx_neg(m, ct_mx_dot(m, c, p.turn[k])));
    ct_sp_rhs(&x->s, row, ct_mx_dot(m, c, p.turn_bias));
}

/* w.(a_head - a_tail) + c.(alpha_head - alpha_tail) + back.alpha_tail = bias */
static void put_form(assembly *x, uint32_t row, const tie *t, const row_form *f)
{
    mechanics *m = x->m;
    vec w = ct_mech_row_force(m, f);
    if (!ct_mx_is_none(m, &w))
        put_difference(x, row, t, w);
    if (!ct_mx_is_none(m, &f->c)) {
        add_turning(x, row, t->head, f->c);
        add_turning(x, row, t->tail, ct_mx_opposite(m, f->c));
    }
    if (t->tail && !ct_mx_is_none(m, &f->back))
        add_turning(x, row, t->tail, f->back);
    if (t->elastic)
        put_section_turn(x, row, t, f->c);
    ct_sp_rhs(&x->s, row, f->bias[0]);
    ct_sp_rhs(&x->s, row, f->bias[1]);
}

void ct_assembly_put_freedom(assembly *x, uint32_t row, uint32_t tie_index, bool turn,
                             uint32_t slide, ct_expr factor)
{
    mechanics *m = x->m;
    const tie *t = &m->tie.at[tie_index];
    if (turn) {
        ct_expr opposite = ct_mx_neg(m, factor);
        ct_assembly_add_alpha(x, row, t->head, ct_mx_scale(m, factor, ct_mech_pin(m, t, true)));
        ct_assembly_add_alpha(x, row, t->tail, ct_mx_scale(m, opposite, ct_mech_pin(m, t, false)));
    } else if (x->slide[tie_index][slide] != CT_NOTHING) {
        ct_sp_put(&x->s, row, x->slide[tie_index][slide], factor);
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
    ct_assembly_put_freedom(x, row, tie_index, kind == CT_ROW_COUPLE_TURN, 0, m->one);
    for (uint32_t i = 0; i < c->count; i++)
        ct_assembly_put_freedom(x, row, c->by[i].tie, c->by[i].turn, c->by[i].slide,
                                ct_mx_neg(m, c->by[i].slope));
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

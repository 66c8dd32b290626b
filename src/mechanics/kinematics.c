/* kinematics.c - coordinates of the trees' branches, and the walk along the trees that gives
 * angles, positions and velocities of all groups.
 *
 * Arms start at the point where the walk enters a group (its inboard point), not at the mass
 * centre: lengths that add up, l5 + l6, then appear as one. Sines and cosines are those of absolute
 * angles.
 */
#include <string.h>

#include "mechanics/inside.h"

/* ---- time derivatives of drivers */

bool ct_mech_is_input(const mechanics *m, ct_name name)
{
    uint32_t order;
    ct_name base = ct_base_symbol(m->def->symbols, name, &order);
    for (uint32_t i = 0; i < m->def->input_count; i++)
        if (m->def->input[i] == base)
            return true;
    return false;
}

static void report_driver(const mechanics *m, ct_place place, ct_name culprit)
{
    ct_report *r = ct_error(m->ctx, "E265", place, "a driver cannot be differentiated in time");
    if (culprit)
        ct_note(r, "it reads %s, a variable of the mechanism", ct_name_text(m->ctx, culprit));
    ct_help(
        r, "drive the joint by a smooth function of time, parameters, inputs, and of `beta` or `s` "
           "of other joints; a motor or a torque on the joint may depend on variables");
}

ct_expr ct_mech_rate(mechanics *m, ct_expr e, ct_place place)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    ct_expr rate = m->zero;
    for (uint32_t i = 0; i < count && rate; i++) {
        bool time = ct_is_time(m->def->symbols, symbol[i]);
        ct_name own_rate = ct_map_get(&m->rate, symbol[i]);
        if (ct_map_get(&m->motion, symbol[i]) && !own_rate) {
            report_driver(m, place, symbol[i]);
            return m->zero;
        }
        if (!time && !own_rate && !ct_mech_is_input(m, symbol[i]))
            continue;
        ct_expr slope = ct_expr_diff(m->pool, e, symbol[i]), inner = m->one;
        if (own_rate)
            inner = ct_expr_symbol(m->pool, own_rate);
        else if (!time)
            inner = ct_expr_symbol(m->pool, ct_rate_symbol(m->def->symbols, symbol[i]));
        rate = slope ? ct_mx_add(m, rate, ct_mx_mul(m, slope, inner)) : 0;
    }
    if (rate)
        return rate;
    report_driver(m, place, 0);
    return m->zero;
}

/* ---- coordinates */

static uint32_t add_coordinate(mechanics *m, const tie *t, ct_member q, ct_member u, bool angle,
                               uint32_t axis)
{
    const given *g = angle ? &t->angle : &t->slide;
    ct_coordinate c = {.angle = angle, .of_body = t->is_body, .object = t->object, .axis = axis};
    c.q = ct_mech_name(m, t, q);
    if (g->is) {
        c.speed = g->of[1];
    } else if (u.text) {
        c.u = ct_mech_name(m, t, u);
        c.speed = ct_expr_symbol(m->pool, c.u);
    }
    CT_PUSH(m->arena, m->coordinate, c);
    return m->coordinate.count - 1;
}

/* Freedoms of a joint, not of one tie of its chain. */
static ct_freedoms freedoms_of(const mechanics *m, const tie *t)
{
    return t->is_body ? t->free : m->tree->graph->bodies->joint[t->object];
}

static void name_slides(mechanics *m, tie *t)
{
    bool off_origin = t->is_body && ct_is_off_origin(m->mech, t->object);
    uint32_t row = ct_slide_row(t->is_body, freedoms_of(m, t).slides, off_origin);
    for (uint32_t i = 0; i < t->free.slides; i++) {
        uint32_t axis = t->slide_at - CT_SLIDE + i;
        const ct_member *word = ct_slide_words[row][axis];
        t->slide_q[i] = add_coordinate(m, t, word[0], word[1], false, axis);
    }
}

static void name_turn(mechanics *m, tie *t)
{
    const ct_member *word = ct_turns_words[t->turn_at];
    if (!t->is_body && m->mech->joint[t->object].chart)
        word = ct_chart_words[t->turn_at];
    if (freedoms_of(m, t).turns > 1)
        t->angle_q = add_coordinate(m, t, word[0], word[1], true, t->turn_at);
    else
        t->angle_q = add_coordinate(m, t, ct_turn_word(t->is_body), (ct_member){"w", 0}, true, 0);
}

/* Q' = (1/2) Q o (0, omega) + (1 - Q.Q) Q: its length has no meaning, and goes to one. */
static void set_ball_speeds(mechanics *m, const tie *t)
{
    static const uint8_t by[4][3][2] = {
        {{1, 1}, {2, 2}, {3, 3}},
        {{0, 1}, {2, 3}, {3, 2}},
        {{0, 2}, {3, 1}, {1, 3}},
        {{0, 3}, {1, 2}, {2, 1}}}; /* q_i w_j; signs: the first row all minus, else the last */
    ct_expr half = ct_expr_ratio(m->pool, 1, 2), q[4], w[4] = {0}, rest = m->one;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = ct_expr_symbol(m->pool, m->coordinate.at[t->angle_q + i].q);
        w[i] = i ? ct_expr_symbol(m->pool, m->coordinate.at[t->angle_q + i].u) : 0;
        rest = ct_mx_sub(m, rest, ct_mx_mul(m, q[i], q[i]));
    }
    for (uint32_t i = 0; i < 4; i++) {
        ct_expr sum = m->zero;
        for (int k = 0; k < 3; k++) {
            ct_expr term = ct_mx_mul(m, q[by[i][k][0]], w[by[i][k][1]]);
            sum = i == 0 || k == 2 ? ct_mx_sub(m, sum, term) : ct_mx_add(m, sum, term);
        }
        m->coordinate.at[t->angle_q + i].speed =
            ct_mx_add(m, ct_mx_mul(m, half, sum), ct_mx_mul(m, rest, q[i]));
    }
}

static void name_ball(mechanics *m, tie *t)
{
    for (uint32_t i = 0; i < 4; i++) {
        ct_member spin = i ? ct_spin_words[t->is_body][i - 1] : (ct_member){NULL, 0};
        uint32_t at = add_coordinate(m, t, ct_ball_words[i], spin, true, i);
        m->coordinate.at[at].quaternion = true;
        if (i == 0)
            t->angle_q = at;
    }
    set_ball_speeds(m, t);
}

/* Coordinates of bodies that bend come with the bodies, not with branches. */
static void name_shapes(mechanics *m)
{
    m->shape_q = CT_NEW_ARRAY(m->arena, uint32_t, m->mech->body_count);
    ct_map_init(&m->shape_index, m->arena);
    for (uint32_t i = 0; i < m->mech->body_count; i++) {
        const ct_flex *f = m->mech->body[i].flex;
        m->shape_q[i] = f ? m->coordinate.count : CT_NOTHING;
        for (uint32_t k = 0; f && k < f->count; k++) {
            ct_coordinate c = {.q = f->q[k],
                               .u = f->u[k],
                               .speed = ct_expr_symbol(m->pool, f->u[k]),
                               .angle = f->angle[k],
                               .of_shape = true,
                               .of_body = true,
                               .object = i,
                               .axis = k};
            CT_PUSH(m->arena, m->coordinate, c);
            ct_map_put(&m->shape_index, c.q, ++m->shape_count);
        }
    }
}

void ct_mech_name_coordinates(mechanics *m)
{
    for (uint32_t i = 0; i < m->tie.count; i++) {
        tie *t = &m->tie.at[i];
        t->slide_q[0] = t->slide_q[1] = t->slide_q[2] = t->angle_q = CT_NOTHING;
        if (t->in_t && !t->slide.of[0])
            name_slides(m, t);
        if (t->in_r && t->ball)
            name_ball(m, t);
        else if (t->in_r && t->free.turns && !t->angle.of[0])
            name_turn(m, t);
    }
    name_shapes(m);
    ct_mech_name_windings(m);
}

static ct_expr coordinate_value(mechanics *m, uint32_t q, int order)
{
    const ct_coordinate *c = &m->coordinate.at[q];
    return order ? c->speed : ct_expr_symbol(m->pool, c->q);
}

/* beta and w of a branch. */
static ct_expr branch_angle(mechanics *m, const tie *t, int order)
{
    if (t->angle_q != CT_NOTHING && !t->ball)
        return coordinate_value(m, t->angle_q, order);
    return t->angle.is ? t->angle.of[order] : m->zero;
}

static ct_expr branch_slide(mechanics *m, const tie *t, uint32_t i, int order)
{
    if (t->slide_q[i] != CT_NOTHING)
        return coordinate_value(m, t->slide_q[i], order);
    return t->slide.of[order];
}

/* ---- the walk */

ct_expr ct_mech_elastic_rate(mechanics *m, const tie *t)
{
    return ct_mech_shape_rate(m, t->tail, ct_mx_unit(m, 2, t->offset)).x[2];
}

static void walk_angles(mechanics *m)
{
    for (uint32_t i = 0; i < m->r.count; i++) {
        const tie *t = &m->tie.at[m->r.at[i].tie];
        ct_expr turn = ct_mx_add(m, t->offset, branch_angle(m, t, 0)), w = branch_angle(m, t, 1);
        if (t->elastic)
            w = ct_mech_elastic_rate(m, t);
        m->space->orient(m, &m->r.at[i], turn, w);
    }
}

vec ct_mech_spin(mechanics *m, const tie *t)
{
    vec spin = ct_mx_zero(m);
    for (uint32_t i = 0; i < 3; i++)
        spin.x[i] = ct_expr_symbol(m->pool, m->coordinate.at[t->angle_q + 1 + i].u);
    return ct_mx_rotated(m, spin, t->head_turn);
}

vec ct_mech_spin_of(mechanics *m, uint32_t group)
{
    return ct_mx_in(m, m->group[group].spin, m->axes[group], 0);
}

vec ct_mech_tail_spin(mechanics *m, const tie *t)
{
    vec spin = ct_mech_spin_of(m, t->tail);
    if (!t->elastic)
        return spin;
    vec own = m->space->turn ? ct_mx_unit(m, 2, ct_mech_elastic_rate(m, t))
                             : ct_mx_in(m, ct_mech_section_spin(m, t), t->tail, 0);
    return ct_mx_vadd(m, spin, own);
}

/* From the tail's point to the head's, along a branch. */
static vec branch_way(mechanics *m, const tie *t)
{
    vec way = ct_mx_zero(m);
    for (uint32_t i = 0; i < t->free.slides; i++)
        way =
            ct_mx_vadd(m, way, ct_mx_scale(m, branch_slide(m, t, i, 0), ct_mech_axis(m, t, i, 0)));
    return way;
}

static vec branch_way_rate(mechanics *m, const tie *t)
{
    vec rate = ct_mx_zero(m), way = branch_way(m, t);
    for (uint32_t i = 0; i < t->free.slides; i++)
        rate =
            ct_mx_vadd(m, rate, ct_mx_scale(m, branch_slide(m, t, i, 1), ct_mech_axis(m, t, i, 0)));
    return ct_mx_vadd(m, rate, ct_mx_spun(m, ct_mech_spin_of(m, t->tail), way));
}

/* {r}_c = -[B_b]{r}_b [McPhee-2, eq. 81]; arms turn with their bodies, eqs. 70 to 72, and a slide
 * is r = s u, eq. 73. */
void ct_mech_walk(mechanics *m)
{
    walk_angles(m);
    m->group[0].position = m->group[0].velocity = m->group[0].inboard = ct_mx_zero(m);
    for (uint32_t i = 0; i < m->t.count; i++) {
        step s = m->t.at[i];
        const tie *t = &m->tie.at[s.tie];
        rigid *g = &m->group[s.child];
        vec start = ct_mech_position(m, s.parent, s.forward ? t->from : t->to);
        vec way = branch_way(m, t);
        g->inboard = s.forward ? t->to : t->from;
        g->position = s.forward ? ct_mx_vadd(m, start, way) : ct_mx_vsub(m, start, way);
    }
}

static void walk_velocities(mechanics *m)
{
    m->has_velocities = true;
    for (uint32_t i = 0; i < m->t.count; i++) {
        step s = m->t.at[i];
        const tie *t = &m->tie.at[s.tie];
        vec start = ct_mech_velocity(m, s.parent, s.forward ? t->from : t->to);
        vec rate = branch_way_rate(m, t);
        m->group[s.child].velocity =
            s.forward ? ct_mx_vadd(m, start, rate) : ct_mx_vsub(m, start, rate);
    }
}

/* ---- what is asked for */

static vec arm(mechanics *m, uint32_t group, vec local, uint32_t axes)
{
    return ct_mx_in(m, ct_mx_vsub(m, local, m->group[group].inboard), group, axes);
}

vec ct_mech_position(mechanics *m, uint32_t group, vec local)
{
    return ct_mx_vadd(m, m->group[group].position, arm(m, group, local, 0));
}

vec ct_mech_velocity(mechanics *m, uint32_t group, vec local)
{
    if (!m->has_velocities)
        walk_velocities(m);
    uint32_t axes = m->axes[group];
    vec turning = ct_mx_spun(m, m->group[group].spin, arm(m, group, local, axes));
    if (m->group[group].bends) {
        vec moving = ct_mech_shape_rate(m, group, ct_mx_vsub(m, local, m->group[group].inboard));
        turning = ct_mx_vadd(m, turning, ct_mx_in(m, moving, group, axes));
    }
    return ct_mx_vadd(m, m->group[group].velocity, ct_mx_in(m, turning, axes, 0));
}

vec ct_mech_axis(mechanics *m, const tie *t, uint32_t i, uint32_t axes)
{
    return ct_mx_in(m, t->axis[i], t->tail, axes);
}

vec ct_mech_pin(mechanics *m, const tie *t, bool head)
{
    if (m->space->turn)
        return t->pin;
    uint32_t group = head ? t->head : t->tail;
    vec own = ct_mx_rotated(m, t->pin, head ? t->head_turn : t->tail_turn);
    return ct_mx_in(m, own, group, m->axes[group]);
}

vec ct_mech_distance(mechanics *m, const tie *t)
{
    if (t->in_t)
        return branch_way(m, t);
    return ct_mx_apart(m, ct_mech_position(m, t->head, t->to),
                       ct_mech_position(m, t->tail, t->from));
}

vec ct_mech_distance_rate(mechanics *m, const tie *t)
{
    if (t->in_t)
        return branch_way_rate(m, t);
    return ct_mx_vsub(m, ct_mech_velocity(m, t->head, t->to),
                      ct_mech_velocity(m, t->tail, t->from));
}

/* s = u.d, s' = u.d' + (omega x u).d */
ct_expr ct_mech_slide_across(mechanics *m, const tie *t, uint32_t i, int order)
{
    vec u = ct_mech_axis(m, t, i, 0), d = ct_mech_distance(m, t);
    if (order == 0)
        return ct_mx_dot(m, u, d);
    ct_expr turning = ct_mx_dot(m, ct_mech_spin_of(m, t->tail), ct_mx_cross(m, u, d));
    return ct_mx_add(m, ct_mx_dot(m, u, ct_mech_distance_rate(m, t)), turning);
}

ct_expr ct_mech_slide(mechanics *m, const tie *t, uint32_t i, int order)
{
    if (t->in_t)
        return branch_slide(m, t, i, order);
    if (t->slide.is && t->slide.of[order])
        return t->slide.of[order];
    return ct_mech_slide_across(m, t, i, order);
}

/* Of one turn in space: the angle between directions across the pin, from -pi to pi. */
static ct_expr turn_in_space(mechanics *m, const tie *t, int order)
{
    vec pin = ct_mx_in(m, ct_mech_pin(m, t, false), m->axes[t->tail], 0);
    if (order)
        return ct_mx_dot(m, pin,
                         ct_mx_vsub(m, ct_mech_spin_of(m, t->head), ct_mech_spin_of(m, t->tail)));
    vec across[2];
    ct_mx_across(m, t->pin, across);
    vec b = ct_mx_in(m, ct_mx_rotated(m, across[0], t->head_turn), t->head, 0);
    ct_expr part[2];
    for (int i = 0; i < 2; i++) {
        vec a = ct_mx_in(m, ct_mx_rotated(m, across[i], t->tail_turn), t->tail, 0);
        part[i] = ct_mx_dot(m, a, b);
    }
    return ct_mech_unwound(m, t->winding_q[0], part[1], part[0]);
}

ct_expr ct_mech_turn_across(mechanics *m, const tie *t, int order)
{
    const rigid *tail = &m->group[t->tail], *head = &m->group[t->head];
    if (m->mech->spatial)
        return turn_in_space(m, t, order);
    if (order && t->elastic)
        return ct_mx_sub(m, ct_mx_vsub(m, head->spin, tail->spin).x[2], ct_mech_elastic_rate(m, t));
    if (order)
        return ct_mx_vsub(m, head->spin, tail->spin).x[2];
    return ct_mx_sub(m, ct_mx_sub(m, head->angle, tail->angle), t->offset);
}

ct_expr ct_mech_turn(mechanics *m, const tie *t, int order)
{
    if (t->in_r)
        return branch_angle(m, t, order);
    if (t->angle.is && t->angle.of[order])
        return t->angle.of[order];
    return ct_mech_turn_across(m, t, order);
}

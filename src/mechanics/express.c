/* express.c - variables of a mechanism as expressions of coordinates, speeds and time. */
#include "mechanics/inside.h"

static ct_expr kinetic(mechanics *m)
{
    ct_expr sum = m->zero;
    for (uint32_t b = 1; b < m->mech->body_count; b++)
        sum = ct_mx_add(m, sum, ct_mech_kind(m, b)->energy(m, b, true));
    return ct_mx_mul(m, ct_expr_ratio(m->pool, 1, 2), sum);
}

static ct_expr potential(mechanics *m)
{
    ct_expr sum = m->zero;
    for (uint32_t b = 1; b < m->mech->body_count; b++)
        sum = ct_mx_add(m, sum, ct_mech_kind(m, b)->energy(m, b, false));
    return sum;
}

static ct_expr line_length(mechanics *m, const ct_line *l)
{
    const site *t = &m->site[l->tail], *h = &m->site[l->head];
    vec d =
        ct_mx_vsub(m, ct_mech_position(m, h->group, h->at), ct_mech_position(m, t->group, t->at));
    return ct_expr_call1(m->pool, CT_OP_SQRT, ct_mx_dot(m, d, d));
}

/* The angle about z: a sum along joints that turn about it, else that of the x axis. */
static ct_expr about_z(mechanics *m, uint32_t frame)
{
    const site *s = &m->site[frame];
    ct_expr sum = m->zero;
    uint32_t g = s->group;
    vec x = ct_mx_rotated(m, ct_mx_unit(m, 0, m->one), s->turn);
    for (; g && m->group[g].about == 2 && !m->group[g].skew; g = m->group[g].outer) {
        const vec *base = m->group[g].base.axes;
        if (base && base[2].x[2] != m->one)
            break;
        sum = ct_mx_add(m, sum, m->group[g].angle);
        if (base)
            sum =
                ct_mx_add(m, sum, ct_expr_call2(m->pool, CT_OP_ATAN2, base[0].x[1], base[0].x[0]));
    }
    bool flat = !s->turn.axes || s->turn.axes[2].x[2] == m->one;
    if (g == 0 && flat)
        return ct_mx_add(m, sum, ct_expr_call2(m->pool, CT_OP_ATAN2, x.x[1], x.x[0]));
    x = ct_mx_in(m, x, s->group, 0);
    return ct_mech_unwound(m, m->winding[frame], x.x[1], x.x[0]);
}

/* Turns of a frame in space. */
static ct_expr of_axes(mechanics *m, const ct_motion *motion)
{
    const site *s = &m->site[motion->object];
    uint32_t axes = m->axes[s->group], i = motion->axis;
    vec own = i < 3 ? ct_mx_rotated(m, ct_mx_unit(m, i, m->one), s->turn) : ct_mx_zero(m);
    switch ((int)motion->kind) {
    case CT_MOTION_ANGLE:
        return about_z(m, motion->object);
    case CT_MOTION_SPIN:
        return ct_mx_in(m, m->group[s->group].spin, axes, 0).x[i];
    case CT_MOTION_SPIN_RATE:
        return ct_mx_in(m, ct_fast_alpha(m, s->group), axes, 0).x[i];
    case CT_MOTION_SPIN_OWN:
        return ct_mx_dot(m, own, m->group[s->group].spin);
    default:
        own = ct_mx_rotated(m, ct_mx_unit(m, i % 3, m->one), s->turn);
        return ct_mx_in(m, own, axes, 0).x[i / 3];
    }
}

static ct_expr of_frame(mechanics *m, const ct_motion *motion)
{
    const site *s = &m->site[motion->object];
    const rigid *g = &m->group[s->group];
    uint32_t i = motion->axis;
    if (m->mech->spatial && motion->kind >= CT_MOTION_ANGLE)
        return of_axes(m, motion);
    switch (motion->kind) {
    case CT_MOTION_POSITION:
        return ct_mech_position(m, s->group, s->at).x[i];
    case CT_MOTION_VELOCITY:
        return ct_mech_velocity(m, s->group, s->at).x[i];
    case CT_MOTION_ACCELERATION:
        return ct_fast_acceleration(m, s->group, s->at).x[i];
    case CT_MOTION_ANGLE:
        return ct_mx_add(m, g->angle, s->turn.angle);
    case CT_MOTION_SPIN:
        return g->spin.x[2];
    default:
        return ct_fast_alpha(m, s->group).x[2];
    }
}

ct_expr ct_mech_turn_rate(mechanics *m, const tie *t)
{
    uint32_t index = (uint32_t)(t - m->tie.at), axes = m->axes[t->head];
    if (m->space->turn)
        return ct_mx_vsub(m, ct_fast_alpha(m, t->head), ct_fast_alpha(m, t->tail)).x[2];
    if (!t->ball && m->fast->x.turn[index] != CT_NOTHING)
        return m->fast->value[m->fast->x.turn[index]];
    if (t->angle.is)
        return t->angle.of[2];
    vec tail = ct_mx_in(m, ct_fast_alpha(m, t->tail), m->axes[t->tail], axes);
    vec apart = ct_mx_vsub(m, ct_fast_alpha(m, t->head), tail);
    return ct_mx_dot(m, ct_mech_pin(m, t, true), apart);
}

/* Of head against tail, axes of the head: omega' = alpha_h - alpha_t - omega_h x omega */
vec ct_mech_spin_rate(mechanics *m, const tie *t)
{
    uint32_t head = m->axes[t->head];
    vec tail = ct_mx_in(m, ct_fast_alpha(m, t->tail), m->axes[t->tail], head);
    vec apart = ct_mx_vsub(m, ct_fast_alpha(m, t->head), tail);
    apart = ct_mx_vsub(m, apart, ct_mx_spun(m, m->group[t->head].spin, ct_mech_spin(m, t)));
    return ct_mx_rotated(m, apart, ct_mx_inverse(m, t->head_turn));
}

/* Head against tail of a joint with several turns: omega in the axes of the head, R. */
static ct_expr between(mechanics *m, const ct_motion *motion)
{
    const ct_joint *j = &m->mech->joint[motion->object];
    const site *tail = &m->site[j->tail], *head = &m->site[j->head];
    vec unit = ct_mx_unit(m, motion->axis % 3, m->one);
    vec own = ct_mx_in(m, ct_mx_rotated(m, unit, head->turn), head->group, 0);
    if (motion->kind == CT_MOTION_JOINT_SPIN)
        return ct_mx_dot(
            m, own,
            ct_mx_vsub(m, ct_mech_spin_of(m, head->group), ct_mech_spin_of(m, tail->group)));
    unit = ct_mx_unit(m, motion->axis / 3, m->one);
    return ct_mx_dot(m, own, ct_mx_in(m, ct_mx_rotated(m, unit, tail->turn), tail->group, 0));
}

static bool is_turn(ct_motion_kind kind)
{
    return kind >= CT_MOTION_TURN && kind <= CT_MOTION_TURN_RATE;
}

/* Rates of angles that are re-chosen depend on those of the chart and their speeds. */
static ct_expr chart_acceleration(mechanics *m, uint32_t joint, uint32_t i)
{
    const ct_joint *j = &m->mech->joint[joint];
    ct_expr rate = ct_chart_angle(m->pool, j, i, 1), sum = m->zero;
    for (uint32_t k = 0; k < 3; k++) {
        const tie *t = &m->tie.at[ct_mech_tie_of(m, joint, CT_TURN + k)];
        ct_expr by_p = ct_expr_diff(m->pool, rate, j->chart->p[k]),
                by_dp = ct_expr_diff(m->pool, rate, j->chart->dp[k]),
                dp = ct_expr_symbol(m->pool, j->chart->dp[k]);
        sum = ct_mx_add(m, sum, ct_mx_mul(m, by_p, dp));
        sum = ct_mx_add(m, sum, ct_mx_mul(m, by_dp, ct_mech_turn_rate(m, t)));
    }
    return sum;
}

/* A weld within a group holds everything at zero. */
static ct_expr of_joint(mechanics *m, const ct_motion *motion)
{
    uint32_t i = motion->axis;
    if (motion->kind == CT_MOTION_JOINT_SPIN || motion->kind == CT_MOTION_JOINT_AXES)
        return between(m, motion);
    uint32_t index =
        ct_mech_tie_of(m, motion->object, i + (is_turn(motion->kind) ? CT_TURN : CT_SLIDE));
    if (index == CT_NOTHING)
        return m->zero;
    const tie *t = &m->tie.at[index];
    i -= is_turn(motion->kind) ? 0 : t->slide_at - CT_SLIDE;
    switch (motion->kind) {
    case CT_MOTION_TURN:
    case CT_MOTION_TURN_SPEED:
        if (m->mech->joint[motion->object].chart)
            return ct_chart_angle(m->pool, &m->mech->joint[motion->object], i,
                                  motion->kind == CT_MOTION_TURN_SPEED);
        if (ct_has_angles_across(t))
            return ct_mech_angle_across(m, t, i, motion->kind == CT_MOTION_TURN_SPEED);
        return t->free.turns ? ct_mech_turn(m, t, motion->kind == CT_MOTION_TURN_SPEED) : m->zero;
    case CT_MOTION_TURN_RATE:
        return m->mech->joint[motion->object].chart ? chart_acceleration(m, motion->object, i)
                                                    : ct_mech_turn_rate(m, t);
    case CT_MOTION_SLIDE:
    case CT_MOTION_SLIDE_SPEED:
        return i < t->free.slides ? ct_mech_slide(m, t, i, motion->kind == CT_MOTION_SLIDE_SPEED)
                                  : m->zero;
    default:
        return i < t->free.slides ? ct_fast_slide_rate(m, t, i) : m->zero;
    }
}

ct_expr ct_mech_express(mechanics *m, const ct_motion *motion, bool accelerations)
{
    static const bool late[CT_MOTION_KINDS] = {
        [CT_MOTION_ACCELERATION] = true, [CT_MOTION_SPIN_RATE] = true,
        [CT_MOTION_TURN_RATE] = true,    [CT_MOTION_SLIDE_RATE] = true,
        [CT_MOTION_REACTION] = true,     [CT_MOTION_REACTION_TORQUE] = true,
        [CT_MOTION_DRIVE] = true,
    };
    if (late[motion->kind] && !accelerations)
        return 0;
    switch (motion->kind) {
    case CT_MOTION_REACTION:
        return ct_reaction_force(m, motion->object).x[motion->axis];
    case CT_MOTION_REACTION_TORQUE:
        return ct_reaction_torque(m, motion->object).x[motion->axis];
    case CT_MOTION_DRIVE:
        return ct_reaction_drive(m, motion->object, motion->axis);
    case CT_MOTION_LENGTH:
        return line_length(m, &m->mech->line[motion->object]);
    case CT_MOTION_KINETIC:
        return kinetic(m);
    case CT_MOTION_POTENTIAL:
        return potential(m);
    case CT_MOTION_BEND:
        return ct_expr_symbol(m->pool, m->mech->body[motion->object].flex->q[motion->axis]);
    case CT_MOTION_CHART:
        return ct_expr_symbol(m->pool, m->mech->joint[motion->object].chart->p[motion->axis]);
    case CT_MOTION_CHART_SPEED:
        return ct_expr_symbol(m->pool, m->mech->joint[motion->object].chart->dp[motion->axis]);
    case CT_MOTION_BEND_SPEED:
        return ct_expr_symbol(m->pool, m->mech->body[motion->object].flex->u[motion->axis]);
    default:
        return motion->kind < CT_MOTION_TURN ? of_frame(m, motion) : of_joint(m, motion);
    }
}

ct_expr ct_mechanics_express(const ct_mechanics *m, const ct_motion *motion)
{
    return ct_mech_express(m->inside, motion, true);
}

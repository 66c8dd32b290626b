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

/* Turns of a frame in space. */
static ct_expr of_axes(mechanics *m, const ct_motion *motion)
{
    const site *s = &m->site[motion->object];
    uint32_t axes = m->axes[s->group], i = motion->axis;
    vec own = i < 3 ? ct_mx_rotated(m, ct_mx_unit(m, i, m->one), s->turn) : ct_mx_zero(m);
    switch ((int)motion->kind) {
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
    if (m->fast->x.turn[index] != CT_NOTHING)
        return m->fast->value[m->fast->x.turn[index]];
    if (t->angle.is)
        return t->angle.of[2];
    vec tail = ct_mx_in(m, ct_fast_alpha(m, t->tail), m->axes[t->tail], axes);
    vec apart = ct_mx_vsub(m, ct_fast_alpha(m, t->head), tail);
    return ct_mx_dot(m, ct_mech_pin(m, t, true), apart);
}

/* A weld within a group holds everything at zero. */
static ct_expr of_joint(mechanics *m, const ct_motion *motion)
{
    uint32_t index = m->tie_of_joint[motion->object], i = motion->axis;
    if (index == CT_NOTHING)
        return m->zero;
    const tie *t = &m->tie.at[index];
    switch (motion->kind) {
    case CT_MOTION_TURN:
    case CT_MOTION_TURN_SPEED:
        return t->free.turns ? ct_mech_turn(m, t, motion->kind == CT_MOTION_TURN_SPEED) : m->zero;
    case CT_MOTION_TURN_RATE:
        return ct_mech_turn_rate(m, t);
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
    default:
        return motion->kind < CT_MOTION_TURN ? of_frame(m, motion) : of_joint(m, motion);
    }
}

ct_expr ct_mechanics_express(const ct_mechanics *m, const ct_motion *motion)
{
    return ct_mech_express(m->inside, motion, true);
}

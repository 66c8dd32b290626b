/* ties.c - what joints and bodies say about rigid groups: points, axes, drivers. */
#include "mechanics/inside.h"

/* Where a driver jumps its speed does so in no time: the slack takes up what is missing. */
static void put_slack(mechanics *m, uint32_t joint, given *g)
{
    uint32_t own = m->slack.count;
    ct_name name = ct_slack_symbol(m->def->symbols, own);
    CT_PUSH(m->arena, m->slack, ((ct_driver_slack){name, joint, g->of[0], g->of[1]}));
    ct_expr rate = ct_expr_symbol(m->pool, ct_rate_symbol(m->def->symbols, name));
    g->of[1] = ct_mx_add(m, g->of[1], ct_expr_symbol(m->pool, name));
    g->of[2] = ct_mx_add(m, g->of[2], rate);
}

static given prescribed(mechanics *m, uint32_t joint, ct_expr value, ct_expr rate)
{
    ct_place place = m->mech->joint[joint].place;
    given g = {.couple = ct_mech_coupled(m, joint, value)};
    g.is = (value || rate) && !g.couple;
    if (!g.is && !g.couple)
        return g;
    g.of[0] = value;
    g.of[1] = value ? ct_mech_rate(m, value, place) : rate;
    g.of[2] = ct_mech_rate(m, g.of[1], place);
    if (g.is && m->def->slack)
        put_slack(m, joint, &g);
    for (int i = 0; g.couple && i < 3; i++) {
        g.couple->raw[i] = g.of[i];
        g.of[i] = 0;
    }
    return g;
}

static vec unit_axis(mechanics *m, const ct_joint *j)
{
    vec axis = ct_mx_place(&j->axis);
    ct_expr square = ct_mx_dot(m, axis, axis);
    if (ct_mx_is_zero(m, square))
        return ct_mx_unit(m, 0, m->one);
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, square);
    for (uint32_t i = 0; i < m->space->slides; i++)
        axis.x[i] = ct_mx_div(m, axis.x[i], length);
    return axis;
}

static void add_joint(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const site *tail = &m->site[j->tail], *head = &m->site[j->head];
    tie t = {.object = joint,
             .tail = tail->group,
             .head = head->group,
             .from = tail->at,
             .to = head->at,
             .free = m->tree->graph->bodies->joint[joint],
             .length = j->length,
             .pin = m->space->turn ? ct_mx_unit(m, 2, m->one) : unit_axis(m, j),
             .offset = m->zero};
    t.axis[0] = ct_mx_rotated(m, unit_axis(m, j), tail->turn);
    t.axis[1] = ct_mx_turned(m, 2, t.axis[0]);
    if (t.free.spins)
        t.offset = ct_mx_sub(m, tail->turn.angle, head->turn.angle);
    if (t.free.slides == 1)
        t.slide = prescribed(m, joint, j->drive_slide, j->drive_velocity);
    if (t.free.spins && t.free.turns)
        t.angle = prescribed(m, joint, j->drive_angle, j->drive_speed);
    m->tie_of_joint[joint] = m->tie.count;
    CT_PUSH(m->arena, m->tie, t);
}

static void add_body(mechanics *m, uint32_t index)
{
    uint32_t lead = m->group[index].lead;
    tie t = {.is_body = true,
             .object = lead,
             .tail = 0,
             .head = index,
             .from = ct_mx_zero(m),
             .to = m->member[lead].com,
             .free = {.slides = 2, .turns = true, .spins = !m->group[index].point},
             .pin = ct_mx_unit(m, 2, m->one),
             .offset = m->zero};
    t.axis[0] = ct_mx_unit(m, 0, m->one);
    t.axis[1] = ct_mx_unit(m, 1, m->one);
    CT_PUSH(m->arena, m->tie, t);
}

void ct_mech_make_ties(mechanics *m)
{
    m->tie_of_joint = CT_NEW_ARRAY(m->arena, uint32_t, m->mech->joint_count + 1);
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        m->tie_of_joint[i] = CT_NOTHING;
        if (!ct_joint_is_rigid(m->tree->graph->bodies, i))
            add_joint(m, i);
    }
    m->body_tie = m->tie.count - 1; /* of group i: body_tie + i */
    for (uint32_t i = 1; i < m->group_count; i++)
        add_body(m, i);
}

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

given ct_mech_given(mechanics *m, uint32_t joint, uint32_t freedom)
{
    const ct_joint *j = &m->mech->joint[joint];
    return prescribed(m, joint, j->drive[freedom], j->rate[freedom]);
}

vec ct_mech_direction(mechanics *m, const ct_vec3 *v)
{
    vec axis = ct_mx_place(v);
    ct_expr square = ct_mx_dot(m, axis, axis);
    if (ct_mx_is_zero(m, square))
        return ct_mx_unit(m, 0, m->one);
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, square);
    for (uint32_t i = 0; i < m->space->slides; i++)
        axis.x[i] = ct_mx_div(m, axis.x[i], length);
    return axis;
}

uint32_t ct_mech_tie_of(const mechanics *m, uint32_t joint, uint32_t freedom)
{
    uint32_t first = m->tie_of_joint[joint];
    if (first == CT_NOTHING || m->tie_count[joint] == 1)
        return first;
    for (uint32_t i = first; i < first + m->tie_count[joint]; i++) {
        const tie *t = &m->tie.at[i];
        if (freedom < CT_SLIDE ? t->free.turns && t->turn_at == freedom
                               : t->free.slides && t->slide_at == freedom)
            return i;
    }
    return CT_NOTHING;
}

/* Slides of a chord in space; without any: across its axis, for what it ties. */
static void set_axes(mechanics *m, const ct_joint *j, tie *t)
{
    vec axis = ct_mech_direction(m, &j->axis), across[2];
    t->along = axis;
    t->axis[0] = ct_mx_rotated(m, axis, t->tail_turn);
    t->axis[1] = ct_mx_turned(m, 2, t->axis[0]);
    if (!m->mech->spatial)
        return;
    for (uint32_t i = 0; i < 3 && t->free.slides == 3; i++)
        t->axis[i] = ct_mx_rotated(m, ct_mx_unit(m, i, m->one), t->tail_turn);
    if (t->free.slides == 2)
        ct_mx_across(m, axis, across);
    for (uint32_t i = 0; i < 2 && t->free.slides == 2; i++)
        t->axis[i] = ct_mx_rotated(m, across[i], t->tail_turn);
}

static void add_joint(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const site *tail = &m->site[j->tail], *head = &m->site[j->head];
    tie t = {.object = joint,
             .elastic = j->elastic,
             .tail = tail->group,
             .head = head->group,
             .tail_frame = j->tail,
             .head_frame = j->head,
             .tail_turn = tail->turn,
             .head_turn = head->turn,
             .from = tail->at,
             .to = head->at,
             .free = m->tree->graph->bodies->joint[joint],
             .turn_at = CT_TURN,
             .slide_at = CT_SLIDE,
             .length = j->length,
             .pin = ct_mx_unit(m, 2, m->one),
             .offset = m->zero};
    set_axes(m, j, &t);
    if (m->mech->spatial && t.free.turns)
        t.pin = ct_mech_direction(m, &j->pin[0]);
    if (t.free.spins && !m->mech->spatial)
        t.offset = ct_mx_sub(m, tail->turn.angle, head->turn.angle);
    if (t.free.slides == 1)
        t.slide = ct_mech_given(m, joint, CT_SLIDE);
    if (t.free.spins && t.free.turns == 1)
        t.angle = ct_mech_given(m, joint, CT_TURN);
    m->tie_of_joint[joint] = m->tie.count;
    m->tie_count[joint] = 1;
    CT_PUSH(m->arena, m->tie, t);
}

static void add_body(mechanics *m, uint32_t index)
{
    uint32_t lead = m->group[index].lead;
    tie t = {.is_body = true,
             .object = lead,
             .tail = 0,
             .head = index,
             .tail_frame = CT_NOTHING,
             .head_frame = CT_NOTHING,
             .tail_turn = {m->zero, NULL},
             .head_turn = {m->zero, NULL},
             .from = ct_mx_zero(m),
             .to = m->member[lead].com,
             .free = {.slides = 2, .turns = 1, .spins = !m->group[index].point},
             .turn_at = CT_TURN,
             .slide_at = CT_SLIDE,
             .pin = ct_mx_unit(m, 2, m->one),
             .offset = m->zero};
    t.axis[0] = ct_mx_unit(m, 0, m->one);
    t.axis[1] = ct_mx_unit(m, 1, m->one);
    m->body_tie[index] = m->tie.count;
    CT_PUSH(m->arena, m->tie, t);
}

/* In which trees it is a branch: bits of the two graphs. */
static unsigned branches_of(const mechanics *m, const uint32_t *const edge[2], uint32_t object)
{
    const bool *branch = m->tree->is_branch;
    uint32_t turn = edge[CT_ROTATIONAL][object], place = edge[CT_TRANSLATIONAL][object];
    unsigned in_t = place != CT_NOTHING && branch[place];
    return in_t << CT_TRANSLATIONAL | (unsigned)(turn != CT_NOTHING && branch[turn])
                                          << CT_ROTATIONAL;
}

enum { IN_T = 1 << CT_TRANSLATIONAL, IN_R = 1 << CT_ROTATIONAL };

/* Freedoms that drivers, or accelerations that are read, ask for one by one: by joint. */
typedef struct asked {
    bool turn, slide;
} asked;

static asked *list_asked(const mechanics *m, ct_arena *arena)
{
    asked *own = CT_NEW_ARRAY(arena, asked, m->mech->joint_count + 1);
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        const ct_joint *j = &m->mech->joint[i];
        for (int k = 0; k < CT_FREEDOMS; k++)
            *(k < CT_SLIDE ? &own[i].turn : &own[i].slide) |= j->drive[k] || j->rate[k];
    }
    for (uint32_t i = 0; i < m->mech->motion_count; i++)
        if (m->mech->motion[i].kind == CT_MOTION_TURN_RATE)
            own[m->mech->motion[i].object].turn = true;
    return own;
}

/* In space branches of both trees are chains. So is what has several freedoms in one tree, or
 * several of which one is asked for by itself: one link of it closes the loop (trees.c). */
static bool is_chain(const mechanics *m, uint32_t joint, unsigned in, asked own)
{
    const ct_freedoms *f = &m->tree->graph->bodies->joint[joint];
    bool sequence = f->turns == 2 || m->mech->joint[joint].angles; /* no ball */
    bool turns = f->spins && f->turns > 1 && sequence, slides = f->slides > 1;
    if (in == (IN_T | IN_R) || (in == IN_T && (!f->spins || slides)) || (in == IN_R && turns))
        return true;
    return (turns && !(in & IN_R) && own.turn) || (slides && !(in & IN_T) && own.slide);
}

static void add_joint_in_space(mechanics *m, uint32_t joint, asked own)
{
    const ct_bodies *b = m->tree->graph->bodies;
    const ct_freedoms *f = &b->joint[joint];
    unsigned in = branches_of(m, b->joint_edge, joint);
    if (is_chain(m, joint, in, own)) {
        ct_mech_chain_joint(m, joint);
        return;
    }
    add_joint(m, joint);
    m->tie.at[m->tie.count - 1].ball = in == IN_R && f->turns == 3 && !m->mech->joint[joint].angles;
}

void ct_mech_make_ties(mechanics *m)
{
    const ct_bodies *b = m->tree->graph->bodies;
    uint32_t groups = m->group_count;
    m->tie_of_joint = CT_NEW_ARRAY(m->arena, uint32_t, m->mech->joint_count + 1);
    m->tie_count = CT_NEW_ARRAY(m->arena, uint32_t, m->mech->joint_count + 1);
    m->body_tie = CT_NEW_ARRAY(m->arena, uint32_t, groups + 1);
    const asked *own = m->mech->spatial ? list_asked(m, m->arena) : NULL;
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        m->tie_of_joint[i] = CT_NOTHING;
        if (ct_joint_is_rigid(b, i) && !m->mech->joint[i].elastic)
            continue;
        if (m->mech->spatial)
            add_joint_in_space(m, i, own[i]);
        else
            add_joint(m, i);
    }
    unsigned *in = CT_NEW_ARRAY(m->arena, unsigned, groups + 1); /* by group */
    for (uint32_t i = 1; m->mech->spatial && i < m->mech->body_count; i++)
        in[m->member[i].group] |= branches_of(m, b->body_edge, i);
    for (uint32_t i = 1; i < groups; i++)
        if (in[i])
            ct_mech_chain_body(m, i, in[i] & IN_T, in[i] & IN_R);
        else
            add_body(m, i);
}

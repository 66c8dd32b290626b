/* graphs.c - what joints and bodies say about groups (ties), and the two graphs as they are shown.
 *
 * All arms and ground vectors belong to the translational tree [McPhee-2, section 4.4], so trees
 * are chosen on the graphs with the points of a body drawn together.
 */
#include "mechanics/inside.h"

/* slides, turns, rod */
static const tie_type tie_types[CT_JOINT_KINDS] = {
    [CT_JOINT_REVOLUTE] = {0, 1, false}, [CT_JOINT_PRISMATIC] = {1, 0, false},
    [CT_JOINT_SLOT] = {1, 1, false},     [CT_JOINT_WELD] = {0, 1, false}, /* of a particle */
    [CT_JOINT_DISTANCE] = {0, 0, true},  [CT_JOINT_FREE] = {2, 1, false},
};

/* ---- ties */

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
    for (int i = 0; g.couple && i < 3; i++) {
        g.couple->raw[i] = g.of[i];
        g.of[i] = 0;
    }
    return g;
}

static vec2 unit_axis(mechanics *m, const ct_joint *j)
{
    vec2 axis = {{j->axis.c[0], j->axis.c[1]}};
    ct_expr square = ct_mx_dot(m, axis, axis);
    if (ct_mx_is_zero(m, square))
        return (vec2){{m->one, m->zero}};
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, square);
    return (vec2){{ct_mx_div(m, axis.x[0], length), ct_mx_div(m, axis.x[1], length)}};
}

static void add_joint(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const site *tail = &m->site[j->tail], *head = &m->site[j->head];
    const tie_type *type = &tie_types[j->kind];
    tie t = {.object = joint,
             .tail = tail->group,
             .head = head->group,
             .from = tail->at,
             .to = head->at,
             .slides = type->slides,
             .rod = type->rod,
             .length = j->length,
             .offset = m->zero};
    t.spins = !type->rod && j->kind != CT_JOINT_WELD && !m->group[t.tail].point &&
              !m->group[t.head].point;
    t.turns = type->turns;
    t.axis[0] = ct_mx_rotated(m, unit_axis(m, j), tail->turn);
    t.axis[1] = ct_mx_turned(m, t.axis[0]);
    if (t.spins)
        t.offset = ct_mx_sub(m, tail->turn, head->turn);
    if (t.slides == 1)
        t.slide = prescribed(m, joint, j->drive_slide, j->drive_velocity);
    if (t.spins && t.turns)
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
             .slides = 2,
             .turns = true,
             .offset = m->zero,
             .spins = !m->group[index].point};
    t.axis[0] = (vec2){{m->one, m->zero}};
    t.axis[1] = (vec2){{m->zero, m->one}};
    CT_PUSH(m->arena, m->tie, t);
}

static void check_ends(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const char *name = ct_name_text(m->ctx, j->name);
    if (m->site[j->tail].group != m->site[j->head].group)
        return;
    if (j->kind == CT_JOINT_WELD) {
        ct_report *r = ct_warning(m->ctx, "W601", j->place, "weld %s closes a loop of welds", name);
        ct_note(r, "its two ends are already held by other welds; how they share the load is "
                   "undetermined, and the least reactions are taken");
        ct_witness(r, name);
        return;
    }
    ct_report *r =
        ct_error(m->ctx, "E601", j->place, "%s joins two frames of one rigid body", name);
    ct_note(r, "%s and %s cannot move against each other",
            ct_name_text(m->ctx, m->mech->frame[j->tail].name),
            ct_name_text(m->ctx, m->mech->frame[j->head].name));
    ct_help(r, "join frames of two bodies, or remove the joint");
    ct_witness(r, name);
}

void ct_mech_make_ties(mechanics *m)
{
    m->tie_of_joint = CT_NEW_ARRAY(m->arena, uint32_t, m->mech->joint_count + 1);
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        m->tie_of_joint[i] = CT_NOTHING;
        if (m->weld_used[i])
            continue;
        check_ends(m, i);
        if (m->site[m->mech->joint[i].tail].group != m->site[m->mech->joint[i].head].group)
            add_joint(m, i);
    }
    m->body_tie = m->tie.count - 1; /* of group i: body_tie + i */
    for (uint32_t i = 1; i < m->group_count; i++)
        add_body(m, i);
}

/* ---- for display */

typedef struct shown {
    mechanics *m;
    uint32_t *node_of_frame; /* plus 1 */
    uint32_t *node_of_group;
    CT_VEC(ct_name) node;
    CT_VEC(ct_mech_edge) edge;
} shown;

static bool is_centre(mechanics *m, uint32_t frame)
{
    const site *s = &m->site[frame];
    return ct_mx_same(s->at, s->group ? m->member[m->group[s->group].lead].com : ct_mx_zero(m));
}

/* The node of a frame's point; its arm comes with it. */
static uint32_t node_of(shown *g, uint32_t frame)
{
    mechanics *m = g->m;
    uint32_t centre = g->node_of_group[m->site[frame].group];
    if (is_centre(m, frame))
        return centre;
    if (!g->node_of_frame[frame]) {
        CT_PUSH(m->arena, g->node, m->mech->frame[frame].name);
        g->node_of_frame[frame] = g->node.count;
        ct_mech_edge_kind kind = m->site[frame].group ? CT_MECH_ARM : CT_MECH_GROUND_VECTOR;
        CT_PUSH(m->arena, g->edge,
                (ct_mech_edge){m->mech->frame[frame].name, kind, frame, centre, g->node.count - 1,
                               true});
    }
    return g->node_of_frame[frame] - 1;
}

static void add_edge(shown *g, bool points, ct_mech_edge edge, uint32_t tail, uint32_t head)
{
    edge.tail = points ? node_of(g, tail) : g->node_of_group[g->m->site[tail].group];
    edge.head = points ? node_of(g, head) : g->node_of_group[g->m->site[head].group];
    CT_PUSH(g->m->arena, g->edge, edge);
}

static void show_bodies(shown *g, bool translational)
{
    mechanics *m = g->m;
    for (uint32_t i = 0; i < m->group_count; i++) {
        const ct_body *body = &m->mech->body[m->group[i].lead];
        if (!translational && m->group[i].point) /* it has no angle */
            continue;
        g->node_of_group[i] = g->node.count;
        CT_PUSH(m->arena, g->node, body->name);
        if (!i)
            continue;
        const tie *t = &m->tie.at[m->body_tie + i];
        CT_PUSH(m->arena, g->edge,
                (ct_mech_edge){body->name, CT_MECH_BODY, m->group[i].lead, 0, g->node_of_group[i],
                               translational ? t->in_t : t->in_r});
    }
}

static void show_joints(shown *g, bool translational)
{
    mechanics *m = g->m;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        if (t->is_body || (!translational && !t->spins))
            continue;
        const ct_joint *j = &m->mech->joint[t->object];
        ct_mech_edge edge = {.name = j->name,
                             .kind = CT_MECH_JOINT,
                             .object = t->object,
                             .branch = translational ? t->in_t : t->in_r};
        add_edge(g, translational, edge, j->tail, j->head);
    }
}

static void show_loads(shown *g, bool translational)
{
    const ct_mechanism *mech = g->m->mech;
    for (uint32_t i = 0; i < mech->load_count; i++)
        if (mech->load[i].torque != translational)
            add_edge(g, translational,
                     (ct_mech_edge){.name = mech->load[i].name, .kind = CT_MECH_LOAD, .object = i},
                     mech->load[i].tail, mech->load[i].head);
    for (uint32_t i = 0; translational && i < mech->line_count; i++)
        add_edge(g, true,
                 (ct_mech_edge){.name = mech->line[i].name, .kind = CT_MECH_LINE, .object = i},
                 mech->line[i].tail, mech->line[i].head);
}

static ct_mech_graph show(mechanics *m, bool translational)
{
    shown g = {m,
               CT_NEW_ARRAY(m->arena, uint32_t, m->mech->frame_count + 1),
               CT_NEW_ARRAY(m->arena, uint32_t, m->group_count),
               {0},
               {0}};
    show_bodies(&g, translational);
    show_joints(&g, translational);
    show_loads(&g, translational);
    return (ct_mech_graph){g.node.at, g.edge.at, g.node.count, g.edge.count};
}

void ct_mech_show_graphs(mechanics *m, ct_mechanics *out)
{
    out->translational = show(m, true);
    out->rotational = show(m, false);
}

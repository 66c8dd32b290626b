/* bodies.c - the translational and the rotational graph of bodies and joints.
 *
 * A weld holds the point and the axes of its two frames together. A particle has no axes: it joins
 * one group; further welds of it hold its point only, as a revolute joint does.
 */
#include "graph/bodies.h"

#include "graph/assembly.h"
#include "graph/forest.h"
#include "base/sets.h"

const ct_member ct_row_words[CT_ROW_KINDS] = {
    [CT_ROW_X] = {"F", 1},
    [CT_ROW_Y] = {"F", 2},
    [CT_ROW_NORMAL] = {"Fn", 0},
    [CT_ROW_ROD] = {"F", 0},
    [CT_ROW_TURN] = {"T", 0},
    [CT_ROW_DRIVE_SLIDE] = {"drive", 0},
    [CT_ROW_DRIVE_TURN] = {"drive", 0},
    [CT_ROW_COUPLE_SLIDE] = {"drive", 0},
    [CT_ROW_COUPLE_TURN] = {"drive", 0},
    [CT_ROW_Z] = {"F", 3},
    [CT_ROW_NORMAL_1] = {"Fn", 1},
    [CT_ROW_NORMAL_2] = {"Fn", 2},
    [CT_ROW_LEVEL] = {"Fn", 0},
    [CT_ROW_AIM_1] = {"Tn", 1},
    [CT_ROW_AIM_2] = {"Tn", 2},
    [CT_ROW_AIM_3] = {"Tn", 3},
    [CT_ROW_EVEN] = {"Tn", 0},
    [CT_ROW_TOUCH] = {"Fn", 0},
    [CT_ROW_ROLL_1] = {"Ft", 1},
    [CT_ROW_ROLL_2] = {"Ft", 2},
};

const ct_member ct_slide_words[4][3][2] = {
    {{{"s", 0}, {"v", 0}}},
    {{{"s", 1}, {"v", 1}}, {{"s", 2}, {"v", 2}}, {{"s", 3}, {"v", 3}}},
    {{{"x", 0}, {"v", 1}}, {{"y", 0}, {"v", 2}}, {{"z", 0}, {"v", 3}}},
    {{{"com.x", 0}, {"com.v", 1}}, {{"com.y", 0}, {"com.v", 2}}, {{"com.z", 0}, {"com.v", 3}}}};
const ct_member ct_turns_words[3][2] = {
    {{"q", 1}, {"w", 1}}, {{"q", 2}, {"w", 2}}, {{"q", 3}, {"w", 3}}};
const ct_member ct_chart_words[3][2] = {
    {{"p", 1}, {"dp", 1}}, {{"p", 2}, {"dp", 2}}, {{"p", 3}, {"dp", 3}}};
const ct_member ct_ball_words[4] = {{"Q", 1}, {"Q", 2}, {"Q", 3}, {"Q", 4}};
const ct_member ct_spin_words[2][3] = {{{"omega", 1}, {"omega", 2}, {"omega", 3}},
                                       {{"omega_body", 1}, {"omega_body", 2}, {"omega_body", 3}}};

uint32_t ct_slide_row(bool body, uint32_t slides, bool off_origin)
{
    return body ? 2 + (uint32_t)off_origin : slides > 1;
}

ct_member ct_turn_word(bool body)
{
    return (ct_member){body ? "theta" : "beta", 0};
}

/* In space: what is not free is tied, one row each. */
static uint32_t spatial_rows(const ct_freedoms *f, bool chord_t, bool chord_r, uint8_t *row)
{
    static const uint8_t place[4][3] = {
        {CT_ROW_X, CT_ROW_Y, CT_ROW_Z}, {CT_ROW_NORMAL_1, CT_ROW_NORMAL_2}, {CT_ROW_LEVEL}};
    static const uint8_t turn[4][3] = {
        {CT_ROW_AIM_1, CT_ROW_AIM_2, CT_ROW_AIM_3}, {CT_ROW_AIM_1, CT_ROW_AIM_2}, {CT_ROW_AIM_3}};
    uint32_t count = 0;
    for (uint32_t i = 0; chord_t && !f->rod && !f->rolls && i + f->slides < 3; i++)
        row[count++] = place[f->slides][i];
    if (chord_t && f->slide_given)
        row[count++] = CT_ROW_DRIVE_SLIDE;
    for (uint32_t i = 0; f->rolls && i < 3; i++)
        row[count++] = (uint8_t)(CT_ROW_TOUCH + i);
    for (uint32_t i = 0; chord_r && f->spins && i + f->turns < 3; i++)
        row[count++] = turn[f->turns][i];
    if (f->rod)
        row[count++] = CT_ROW_ROD;
    if (f->even)
        row[count++] = CT_ROW_EVEN;
    return count;
}

static uint32_t planar_rows(const ct_freedoms *f, bool chord_t, bool chord_r, uint8_t *row)
{
    uint32_t count = 0;
    if (f->rod)
        row[count++] = CT_ROW_ROD;
    else if (chord_t && f->slides == 0) {
        row[count++] = CT_ROW_X;
        row[count++] = CT_ROW_Y;
    } else if (chord_t && f->slides == 1) {
        row[count++] = CT_ROW_NORMAL;
        if (f->slide_given)
            row[count++] = CT_ROW_DRIVE_SLIDE;
    }
    if (chord_r && f->spins && !f->turns)
        row[count++] = CT_ROW_TURN;
    return count;
}

uint32_t ct_tie_rows(const ct_freedoms *f, bool chord_t, bool chord_r, uint8_t row[CT_MOST_ROWS])
{
    uint32_t count = (f->spatial ? spatial_rows : planar_rows)(f, chord_t, chord_r, row);
    if (chord_r && f->turn_given)
        row[count++] = CT_ROW_DRIVE_TURN;
    if (f->slide_follows)
        row[count++] = CT_ROW_COUPLE_SLIDE;
    if (f->turn_follows)
        row[count++] = CT_ROW_COUPLE_TURN;
    return count;
}

/* Equal expressions are one node of the pool. */
static bool same_point(const ct_vec3 *a, const ct_vec3 *b)
{
    return a->c[0] == b->c[0] && a->c[1] == b->c[1] && a->c[2] == b->c[2];
}

/* ---- rigid groups ---------------------------------------------------------------------------- */

typedef struct grouping {
    const ct_mechanism *mech;
    uint32_t *set; /* union-find over bodies */
    bool *solid;   /* by set: has a body with axes */
    bool *fixed;   /* by joint */
} grouping;

static uint32_t body_of(const ct_mechanism *mech, uint32_t frame)
{
    return mech->frame[frame].body;
}

static void join(grouping *g, uint32_t joint, uint32_t a, uint32_t b)
{
    bool solid = g->solid[ct_sets_find(g->set, a)] || g->solid[ct_sets_find(g->set, b)];
    g->fixed[joint] = ct_sets_join(g->set, a, b);
    g->solid[ct_sets_find(g->set, a)] = solid;
}

/* Welds between bodies first; a particle then joins what it is welded to first. */
static void join_welds(grouping *g)
{
    for (int particles = 0; particles < 2; particles++)
        for (uint32_t i = 0; i < g->mech->joint_count; i++) {
            const ct_joint *j = &g->mech->joint[i];
            uint32_t a = body_of(g->mech, j->tail), b = body_of(g->mech, j->head);
            bool loose = g->mech->body[a].particle || g->mech->body[b].particle;
            if (j->kind != CT_JOINT_WELD || j->elastic || loose != (particles == 1))
                continue;
            bool both = g->solid[ct_sets_find(g->set, a)] && g->solid[ct_sets_find(g->set, b)];
            if (!loose || !both)
                join(g, i, a, b);
        }
}

/* The ground leads its group; else the first body with axes, else the first. */
static void choose_leads(const grouping *g, const uint32_t *group, uint32_t *lead)
{
    uint32_t count = g->mech->body_count;
    for (uint32_t i = 0; i < count; i++)
        lead[i] = CT_NONE;
    lead[group[CT_GROUND_BODY]] = CT_GROUND_BODY;
    for (int any = 0; any < 2; any++)
        for (uint32_t i = 0; i < count; i++)
            if (lead[group[i]] == CT_NONE && (any || !g->mech->body[i].particle))
                lead[group[i]] = i;
    for (uint32_t i = count; i-- > 0;)
        lead[i] = lead[group[i]];
}

static void find_groups(ct_arena *arena, ct_bodies *b)
{
    const ct_mechanism *mech = b->mechanism;
    uint32_t count = mech->body_count;
    uint32_t *group = CT_NEW_ARRAY(arena, uint32_t, count), *lead;
    bool *point = CT_NEW_ARRAY(arena, bool, count);
    lead = CT_NEW_ARRAY(arena, uint32_t, count);
    grouping g = {mech, ct_sets_new(arena, count), CT_NEW_ARRAY(arena, bool, count),
                  CT_NEW_ARRAY(arena, bool, mech->joint_count + 1)};
    for (uint32_t i = 0; i < count; i++)
        g.solid[i] = !mech->body[i].particle;
    join_welds(&g);
    for (uint32_t i = 0; i < count; i++) {
        group[i] = ct_sets_find(g.set, i);
        point[i] = !g.solid[group[i]];
    }
    choose_leads(&g, group, lead);
    b->group = group, b->lead = lead, b->point = point, b->fixed = g.fixed;
}

/* ---- what joints leave free ------------------------------------------------------------------ */

/* Does the driver of a joint read the angle or slide of another one? */
static bool follows(const ct_model *m, uint32_t own, ct_expr value)
{
    const ct_name *symbol;
    uint32_t count = value ? ct_expr_symbols(m->pool, value, &symbol) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const ct_motion *x = ct_freedom_read(m->mechanism, own, symbol[i]);
        if (x)
            return true;
    }
    return false;
}

static ct_freedoms freedoms_of(const ct_model *m, const ct_bodies *b, uint32_t joint)
{
    const ct_joint *j = &m->mechanism->joint[joint];
    const ct_joint_type *type = &ct_joint_types[j->kind];
    bool spatial = m->mechanism->spatial, weld = j->kind == CT_JOINT_WELD && !j->elastic;
    ct_freedoms f = {.slides = (uint8_t)ct_joint_slides(j->kind, spatial),
                     .rod = type->keys & CT_KEYS_LENGTH,
                     .rolls = ct_joint_rolls(j->kind),
                     .spatial = spatial,
                     .turns = weld ? 1 /* of a particle */
                                   : (uint8_t)ct_joint_turns(j->kind, spatial)};
    f.spins = !f.rod && !f.rolls && !weld && !b->point[body_of(m->mechanism, j->tail)] &&
              !b->point[body_of(m->mechanism, j->head)];
    bool turns = f.spins && f.turns == 1, slides = f.slides == 1;
    f.slide_follows = slides && follows(m, joint, j->drive[CT_SLIDE]);
    f.slide_given = slides && !f.slide_follows && (j->drive[CT_SLIDE] || j->rate[CT_SLIDE]);
    f.turn_follows = turns && follows(m, joint, j->drive[CT_TURN]);
    f.turn_given = turns && !f.turn_follows && (j->drive[CT_TURN] || j->rate[CT_TURN]);
    f.even = f.spins && j->kind == CT_JOINT_VELOCITY;
    for (int i = 0; i < CT_FREEDOMS; i++) {
        bool several = spatial && (i < CT_SLIDE ? f.turns : f.slides) > 1;
        f.led |= several && (j->drive[i] || j->rate[i]);
        f.named |= f.led || (several && j->load[i]);
    }
    return f;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

typedef struct drawing {
    ct_assembly *a;
    ct_bodies *b;
    const ct_mechanism *mech;
    uint32_t domain;
    bool turning;           /* the rotational graph */
    uint32_t *node_of_body; /* its mass centre; CT_NONE: it has no node here */
    uint32_t *node_of_frame;
    uint32_t *body_edge, *joint_edge;
} drawing;

static uint32_t add_node(drawing *d, ct_name name, ct_place place)
{
    ct_graph_node node = {.name = name, .domain = d->domain, .named = true, .place = place};
    CT_PUSH(d->a->g->arena, d->a->node, node);
    return d->a->node.count - 1;
}

static uint32_t add_edge(drawing *d, ct_edge_kind kind, ct_name name, uint32_t owner,
                         ct_place place, uint32_t tail, uint32_t head)
{
    ct_graph_edge edge = {.name = name,
                          .tail = tail,
                          .head = head,
                          .owner = owner,
                          .place = place,
                          .kind = (uint8_t)kind};
    CT_PUSH(d->a->g->arena, d->a->edge, edge);
    return d->a->edge.count - 1;
}

/* The point of a body's own frame has no name but the body's, which its mass centre has. */
/* A section of a flexible body has the name of its frame, which may lie beside it. */
static ct_name frame_name(const drawing *d, uint32_t frame)
{
    const ct_frame *f = &d->mech->frame[frame];
    const ct_body *body = &d->mech->body[f->body];
    bool origin = frame == body->frame;
    if (!origin && f->name != body->name)
        return f->name;
    ct_context *ctx = d->a->m->ctx;
    return ct_intern_text(
        ctx, ct_printf(ctx, "%s.%s", ct_name_text(ctx, body->name), origin ? "origin" : "point"));
}

static bool is_centre(const drawing *d, uint32_t frame)
{
    const ct_frame *f = &d->mech->frame[frame];
    return same_point(&f->at, &d->mech->body[f->body].com);
}

bool ct_is_off_origin(const ct_mechanism *mech, uint32_t body)
{
    const ct_body *b = &mech->body[body];
    return !same_point(&mech->frame[b->frame].at, &b->com);
}

/* The node of a frame's point; its arm comes with it. */
static uint32_t node_of(drawing *d, uint32_t frame)
{
    const ct_frame *f = &d->mech->frame[frame];
    uint32_t centre = d->node_of_body[f->body];
    if (d->turning)
        return centre == CT_NONE ? d->node_of_body[d->b->lead[f->body]] : centre;
    if (is_centre(d, frame))
        return centre;
    if (d->node_of_frame[frame] == CT_NONE) {
        ct_name name = frame_name(d, frame);
        uint32_t node = d->node_of_frame[frame] = add_node(d, name, f->place);
        add_edge(d, f->body ? CT_EDGE_ARM : CT_EDGE_GROUND_VECTOR, name, frame, f->place, centre,
                 node);
    }
    return d->node_of_frame[frame];
}

static void draw_bodies(drawing *d)
{
    for (uint32_t i = 0; i < d->mech->body_count; i++) {
        const ct_body *body = &d->mech->body[i];
        d->node_of_body[i] = d->body_edge[i] = CT_NONE;
        if (d->turning && body->particle)
            continue;
        uint32_t node = d->node_of_body[i] = add_node(d, body->name, body->place);
        uint32_t datum = d->node_of_body[CT_GROUND_BODY];
        d->a->node.at[node].datum = i == CT_GROUND_BODY;
        if (i != CT_GROUND_BODY && !body->section)
            d->body_edge[i] = add_edge(d, CT_EDGE_BODY, body->name, i, body->place, datum, node);
    }
    d->a->domain.at[d->domain].datum = d->node_of_body[CT_GROUND_BODY];
}

/* A weld says something about angles where both of its bodies have one. */
static bool has_angle(const drawing *d, uint32_t joint)
{
    const ct_joint *j = &d->mech->joint[joint];
    if (j->kind != CT_JOINT_WELD)
        return d->b->joint[joint].spins;
    return !d->mech->body[body_of(d->mech, j->tail)].particle &&
           !d->mech->body[body_of(d->mech, j->head)].particle;
}

static void draw_joints(drawing *d)
{
    for (uint32_t i = 0; i < d->mech->joint_count; i++) {
        const ct_joint *j = &d->mech->joint[i];
        d->joint_edge[i] = CT_NONE;
        if (d->turning && !has_angle(d, i))
            continue;
        uint32_t tail =
            j->elastic ? d->node_of_body[body_of(d->mech, j->tail)] : node_of(d, j->tail);
        uint32_t head = node_of(d, j->head);
        d->joint_edge[i] = add_edge(d, CT_EDGE_JOINT, j->name, i, j->place, tail, head);
    }
}

static void draw_loads(drawing *d)
{
    for (uint32_t i = 0; i < d->mech->load_count; i++) {
        const ct_vector_load *l = &d->mech->load[i];
        if (l->torque != d->turning)
            continue;
        uint32_t tail = node_of(d, l->tail), head = node_of(d, l->head);
        if (tail != CT_NONE && head != CT_NONE && tail != head)
            add_edge(d, CT_EDGE_LOAD, l->name, i, l->place, tail, head);
    }
    for (uint32_t i = 0; !d->turning && i < d->mech->line_count; i++) {
        const ct_line *l = &d->mech->line[i];
        uint32_t tail = node_of(d, l->tail), head = node_of(d, l->head);
        add_edge(d, CT_EDGE_LINE, l->name, i, l->place, tail, head);
    }
}

static void draw(ct_assembly *a, ct_bodies *b, bool turning)
{
    ct_arena *arena = a->g->arena;
    const ct_mechanism *mech = b->mechanism;
    const char *name = turning ? "rotational (bodies)" : "translational (bodies)";
    ct_graph_domain domain = {
        .name = ct_intern_text(a->m->ctx, name), .datum = CT_NONE, .across_head_minus_tail = true};
    CT_PUSH(arena, a->domain, domain);
    drawing d = {.a = a,
                 .b = b,
                 .mech = mech,
                 .domain = a->domain.count - 1,
                 .turning = turning,
                 .node_of_body = CT_NEW_ARRAY(arena, uint32_t, mech->body_count),
                 .node_of_frame = CT_NEW_ARRAY(arena, uint32_t, mech->frame_count + 1),
                 .body_edge = CT_NEW_ARRAY(arena, uint32_t, mech->body_count),
                 .joint_edge = CT_NEW_ARRAY(arena, uint32_t, mech->joint_count + 1)};
    for (uint32_t i = 0; i < mech->frame_count; i++)
        d.node_of_frame[i] = CT_NONE;
    draw_bodies(&d);
    draw_joints(&d);
    draw_loads(&d);
    b->body_edge[turning] = d.body_edge, b->joint_edge[turning] = d.joint_edge;
}

void ct_assembly_add_bodies(ct_assembly *a)
{
    ct_arena *arena = a->g->arena;
    ct_bodies *b = CT_NEW(arena, ct_bodies);
    b->mechanism = a->m->mechanism;
    find_groups(arena, b);
    ct_freedoms *joint = CT_NEW_ARRAY(arena, ct_freedoms, b->mechanism->joint_count + 1);
    for (uint32_t i = 0; i < b->mechanism->joint_count; i++)
        joint[i] = freedoms_of(a->m, b, i);
    b->joint = joint;
    draw(a, b, false);
    draw(a, b, true);
    a->g->bodies = b;
}

/* ---- what no tree can mend ------------------------------------------------------------------- */

static void report_rigid(const ct_graph *g, const ct_joint *j)
{
    const ct_mechanism *mech = g->bodies->mechanism;
    const char *name = ct_name_text(g->ctx, j->name);
    ct_report *r =
        ct_error(g->ctx, "E601", j->place, "%s joins two frames of one rigid body", name);
    ct_note(r, "%s and %s cannot move against each other",
            ct_name_text(g->ctx, mech->frame[j->tail].name),
            ct_name_text(g->ctx, mech->frame[j->head].name));
    ct_help(r, "join frames of two bodies, or remove the joint");
    ct_witness(r, name);
}

static void warn_welds(const ct_graph *g, const ct_joint *j)
{
    const char *name = ct_name_text(g->ctx, j->name);
    ct_report *r = ct_warning(g->ctx, "W601", j->place, "weld %s closes a loop of welds", name);
    ct_note(r, "its two ends are already held by other welds; how they share the load is "
               "undetermined, and the least reactions are taken");
    ct_witness(r, name);
}

bool ct_joint_is_rigid(const ct_bodies *b, uint32_t joint)
{
    const ct_joint *j = &b->mechanism->joint[joint];
    return b->group[body_of(b->mechanism, j->tail)] == b->group[body_of(b->mechanism, j->head)];
}

bool ct_check_bodies(const ct_graph *g)
{
    const ct_bodies *b = g->bodies;
    bool good = true;
    for (uint32_t i = 0; b && i < b->mechanism->joint_count; i++) {
        const ct_joint *j = &b->mechanism->joint[i];
        if (b->fixed[i] || j->elastic || !ct_joint_is_rigid(b, i))
            continue;
        if (j->kind == CT_JOINT_WELD) {
            warn_welds(g, j);
        } else {
            report_rigid(g, j);
            good = false;
        }
    }
    return good;
}

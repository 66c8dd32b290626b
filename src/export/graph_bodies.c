/* graph_bodies.c - the two graphs of a mechanism beside the scalar ones, so that all writers of
 * graphs show them: "translational (bodies)" with points and arms, "rotational (bodies)"
 * [McPhee-2, section 4]. */
#include <string.h>

#include "export/graph_bodies.h"
#include "graph/forest.h"

typedef struct joiner {
    ct_context *ctx;
    ct_arena *arena;
    const ct_mechanics *mech;
    ct_graph_node *node;
    ct_graph_edge *edge;
    bool *in;
    const char **reason;
    uint32_t node_count, edge_count;
    ct_map coordinate, multiplier, wish; /* key of an edge -> index plus 1; more by the chains */
    uint32_t *next_coordinate, *next_multiplier;
} joiner;

static uint64_t key_of(bool body, uint32_t object, bool angle)
{
    return ct_pair(1 + 2 * (uint32_t)body + (uint32_t)angle, object);
}

static uint64_t edge_key(const ct_mech_edge *e, bool angle)
{
    return key_of(e->kind == CT_MECH_BODY, e->object, angle);
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* Chains start with the first: indices are put in from the last on. */
static void link_index(ct_map *map, uint32_t *next, uint64_t key, uint32_t index)
{
    next[index] = ct_map_get(map, key);
    ct_map_put(map, key, index + 1);
}

static void index_mechanics(joiner *j)
{
    const ct_mechanics *mech = j->mech;
    const ct_mechanism *m = mech->mechanism;
    ct_map_init(&j->coordinate, j->arena);
    ct_map_init(&j->multiplier, j->arena);
    ct_map_init(&j->wish, j->arena);
    j->next_coordinate = CT_NEW_ARRAY(j->arena, uint32_t, mech->coordinate_count + 1);
    j->next_multiplier = CT_NEW_ARRAY(j->arena, uint32_t, mech->constraint_count + 1);
    for (uint32_t i = mech->coordinate_count; i-- > 0;) {
        const ct_coordinate *c = &mech->coordinate[i];
        link_index(&j->coordinate, j->next_coordinate, key_of(c->of_body, c->object, c->angle), i);
    }
    for (uint32_t i = mech->constraint_count; i-- > 0;) {
        const ct_constraint *c = &mech->constraint[i];
        bool angle = ends_with(ct_name_text(j->ctx, c->multiplier), ".T");
        link_index(&j->multiplier, j->next_multiplier, key_of(false, c->joint, angle), i);
    }
    for (uint32_t i = 0; i < m->wish_count; i++)
        for (int angle = 0; angle < 2; angle++)
            if (angle ? m->wish[i].rotational : m->wish[i].translational)
                ct_map_put(&j->wish,
                           key_of(m->wish[i].kind == CT_BRANCH_BODY, m->wish[i].object, angle), 1);
}

/* ---- words */

static const char *kind_of(const joiner *j, const ct_mech_edge *e)
{
    const ct_mechanism *m = j->mech->mechanism;
    switch (e->kind) {
    case CT_MECH_BODY:
        return m->body[e->object].particle ? "particle" : "body";
    case CT_MECH_ARM:
        return "arm";
    case CT_MECH_GROUND_VECTOR:
        return "ground vector";
    case CT_MECH_JOINT:
        return ct_joint_types[m->joint[e->object].kind].word;
    case CT_MECH_LOAD:
        return m->load[e->object].torque ? "torque" : "force";
    case CT_MECH_LINE:
        return "line";
    }
    return "";
}

static void put_listed(ct_text *text, const char *name, uint32_t *count)
{
    ct_putf(text, "%s%s", (*count)++ ? ", " : "", name);
}

/* Names of the coordinates that a branch brings. */
static uint32_t put_coordinates(const joiner *j, const ct_mech_edge *e, bool angle, ct_text *out)
{
    uint32_t count = 0;
    uint32_t i = ct_map_get(&j->coordinate, edge_key(e, angle));
    for (; i; i = j->next_coordinate[i - 1])
        put_listed(out, ct_name_text(j->ctx, j->mech->coordinate[i - 1].q), &count);
    return count;
}

/* Multipliers of a chord's projected circuit equations. */
static uint32_t put_multipliers(const joiner *j, const ct_mech_edge *e, bool angle, ct_text *out)
{
    uint32_t count = 0;
    uint32_t i = ct_map_get(&j->multiplier, edge_key(e, angle));
    for (; i; i = j->next_multiplier[i - 1])
        put_listed(out, ct_name_text(j->ctx, j->mech->constraint[i - 1].multiplier), &count);
    return count;
}

static const char *branch_reason(const joiner *j, const ct_mech_edge *e, bool angle)
{
    ct_text names = ct_text_new(j->arena);
    bool asked = ct_map_get(&j->wish, edge_key(e, angle)) != 0;
    if (put_coordinates(j, e, angle, &names))
        return ct_printf(j->ctx, "%scoordinate %s", asked ? "asked for: " : "",
                         ct_text_string(&names));
    return asked ? "asked for: no coordinate" : "no coordinate";
}

static const char *chord_reason(const joiner *j, const ct_mech_edge *e, bool angle)
{
    ct_text names = ct_text_new(j->arena);
    if (e->kind == CT_MECH_BODY)
        return angle ? "its angle follows from the branches"
                     : "its place follows from the branches";
    if (put_multipliers(j, e, angle, &names))
        return ct_printf(j->ctx, "closes a circuit: multiplier %s", ct_text_string(&names));
    bool turns = ct_joint_types[j->mech->mechanism->joint[e->object].kind].turns;
    return angle && turns ? "free to turn" : "closes a circuit that others tie already";
}

static const char *reason_of(const joiner *j, const ct_mech_edge *e, bool angle)
{
    switch (e->kind) {
    case CT_MECH_ARM:
        return "fixed in its body";
    case CT_MECH_GROUND_VECTOR:
        return "fixed in the ground";
    case CT_MECH_LOAD:
        return angle ? "a given torque" : "a given force";
    case CT_MECH_LINE:
        return "a force along it, given by its element";
    case CT_MECH_BODY:
    case CT_MECH_JOINT:
        break;
    }
    return e->branch ? branch_reason(j, e, angle) : chord_reason(j, e, angle);
}

/* ---- nodes and edges */

/* A particle has no place in the rotational graph: nodes that no edge touches are left out. */
static uint32_t *add_nodes(joiner *j, const ct_mech_graph *from, uint32_t domain)
{
    uint32_t *place = CT_NEW_ARRAY(j->arena, uint32_t, from->node_count + 1);
    for (uint32_t i = 0; i < from->edge_count; i++)
        place[from->edge[i].tail] = place[from->edge[i].head] = 1;
    for (uint32_t i = 0; i < from->node_count; i++) {
        if (!place[i] && (i || !from->edge_count))
            continue;
        place[i] = j->node_count;
        j->node[j->node_count++] = (ct_graph_node){
            .name = from->node[i], .domain = domain, .datum = i == 0, .named = true};
    }
    return place;
}

static void add_graph(joiner *j, const ct_mech_graph *from, uint32_t domain, bool angle)
{
    const uint32_t *place = add_nodes(j, from, domain);
    for (uint32_t i = 0; i < from->edge_count; i++) {
        const ct_mech_edge *e = &from->edge[i];
        j->in[j->edge_count] = e->branch;
        j->reason[j->edge_count] = reason_of(j, e, angle);
        j->edge[j->edge_count++] = (ct_graph_edge){.name = e->name,
                                                   .tail = place[e->tail],
                                                   .head = place[e->head],
                                                   .kind = kind_of(j, e),
                                                   .class = CT_DISSIPATOR,
                                                   .component = UINT32_MAX};
    }
}

static ct_graph_domain domain_of(const joiner *j, const ct_mech_graph *from, const char *name,
                                 uint32_t first)
{
    return (ct_graph_domain){ct_intern_text(j->ctx, name), from->edge_count ? first : UINT32_MAX,
                             true};
}

static const ct_graph_domain *domains(const joiner *j, const ct_graph *g, uint32_t rotational)
{
    ct_graph_domain *domain = CT_NEW_ARRAY(j->arena, ct_graph_domain, g->domain_count + 2);
    for (uint32_t i = 0; i < g->domain_count; i++)
        domain[i] = g->domain[i];
    domain[g->domain_count] =
        domain_of(j, &j->mech->translational, "translational (bodies)", g->node_count);
    domain[g->domain_count + 1] =
        domain_of(j, &j->mech->rotational, "rotational (bodies)", rotational);
    return domain;
}

static const ct_tree *tree_of(const joiner *j, const ct_graph *g)
{
    ct_tree *tree = CT_NEW(j->arena, ct_tree);
    ct_forest f = ct_forest_root(j->arena, g, j->in);
    uint32_t *branch = CT_NEW_ARRAY(j->arena, uint32_t, g->edge_count + 1);
    uint32_t *chord = CT_NEW_ARRAY(j->arena, uint32_t, g->edge_count + 1);
    uint32_t *row = CT_NEW_ARRAY(j->arena, uint32_t, g->edge_count + 1);
    *tree = (ct_tree){.graph = g,
                      .branch = branch,
                      .chord = chord,
                      .is_branch = j->in,
                      .row = row,
                      .reason = j->reason,
                      .parent = f.parent,
                      .depth = f.depth};
    for (uint32_t e = 0; e < g->edge_count; e++) {
        row[e] = j->in[e] ? tree->branch_count : tree->chord_count;
        if (j->in[e])
            branch[tree->branch_count++] = e;
        else
            chord[tree->chord_count++] = e;
    }
    return tree;
}

const ct_tree *ct_graph_with_bodies(const ct_graph *graph, const ct_tree *tree,
                                    const ct_mechanics *mechanics, ct_arena *arena)
{
    const ct_mech_graph *t = &mechanics->translational, *r = &mechanics->rotational;
    uint32_t nodes = graph->node_count + t->node_count + r->node_count;
    uint32_t edges = graph->edge_count + t->edge_count + r->edge_count;
    joiner j = {.ctx = graph->ctx,
                .arena = arena,
                .mech = mechanics,
                .node = CT_NEW_ARRAY(arena, ct_graph_node, nodes + 1),
                .edge = CT_NEW_ARRAY(arena, ct_graph_edge, edges + 1),
                .in = CT_NEW_ARRAY(arena, bool, edges + 1),
                .reason = CT_NEW_ARRAY(arena, const char *, edges + 1),
                .node_count = graph->node_count,
                .edge_count = graph->edge_count};
    for (uint32_t i = 0; i < graph->node_count; i++)
        j.node[i] = graph->node[i];
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        j.edge[i] = graph->edge[i];
        j.in[i] = tree->is_branch[i];
        j.reason[i] = tree->reason[i];
    }
    index_mechanics(&j);
    add_graph(&j, t, graph->domain_count, false);
    uint32_t rotational = j.node_count; /* its first node */
    add_graph(&j, r, graph->domain_count + 1, true);
    ct_graph *joined = CT_NEW(arena, ct_graph);
    *joined = *graph;
    joined->arena = arena;
    joined->domain = domains(&j, graph, rotational);
    joined->node = j.node, joined->edge = j.edge;
    joined->domain_count += 2;
    joined->node_count = j.node_count, joined->edge_count = edges;
    return tree_of(&j, joined);
}

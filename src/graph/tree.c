/* tree.c - the normal tree.
 *
 * Branches and chords [McPhee-2, section 2.3]. With one weight per class a tree of least weight has
 * as many accumulators as possible (their across variables are states) and, after dissipators, as
 * few delays as possible (their through variables are states as long as they are chords) [Diaz, eq.
 * 14]. Kruskal's algorithm finds it class by class, in order of statement within a class. Wishes go
 * first; edges of couplings are settled between drivers and accumulators, because in the tree they
 * act as across drivers.
 */
#include <assert.h>

#include "base/vec.h"
#include "graph/bodies.h"
#include "graph/choice.h"
#include "graph/drivers.h"
#include "base/sets.h"

const char *ct_tree_class_text(ct_tree_class c)
{
    switch (c) {
    case CT_ACROSS_DRIVER:
        return "across driver";
    case CT_ACCUMULATOR:
        return "accumulator";
    case CT_DISSIPATOR:
        return "dissipator";
    case CT_DELAY:
        return "delay";
    case CT_THROUGH_DRIVER:
        return "through driver";
    }
    return "unknown class";
}

const char *ct_edge_class_text(const ct_graph *graph, uint32_t edge)
{
    const ct_graph_edge *e = &graph->edge[edge];
    if (e->kind != CT_EDGE_COMPONENT)
        return ct_body_edge_text(graph, edge);
    return e->coupling ? "coupled" : ct_tree_class_text((ct_tree_class)e->class);
}

/* ---- wishes ---------------------------------------------------------------------------------- */

static void report_scalar_circuit(const ct_choice *c, const ct_tree_wish *wish,
                                  const ct_forest_walk *walk)
{
    const ct_graph *graph = c->graph;
    ct_name *name = CT_NEW_ARRAY(c->scratch, ct_name, walk->count);
    for (uint32_t i = 0; i < walk->count; i++)
        name[i] = graph->edge[walk->step[i].edge].name;
    ct_text names = ct_text_new(c->scratch);
    ct_put_names(&names, graph->ctx, name, walk->count, CT_MOST_NAMES);
    ct_report *r = ct_error(graph->ctx, "E315", wish->place,
                            "the branches asked for form a circuit: %s", ct_text_string(&names));
    ct_note(r, "a tree has exactly one way between any two nodes");
    ct_help(r, "leave out one of them; what is missing is chosen by the program");
    for (uint32_t i = 0; i < walk->count && i < CT_MOST_WITNESSES; i++)
        ct_witness(r, ct_edge_text(graph, walk->step[i].edge));
}

static void report_wish_circuit(const ct_choice *c, const ct_tree_wish *wish)
{
    const ct_graph *graph = c->graph;
    ct_forest f = ct_forest_root(c->scratch, graph, c->in);
    ct_forest_walk walk =
        ct_forest_circuit(c->scratch, graph, f.parent, f.depth, wish->edge, CT_NONE - 1);
    if (graph->edge[wish->edge].kind == CT_EDGE_COMPONENT)
        report_scalar_circuit(c, wish, &walk);
    else
        ct_report_body_circuit(c, wish, &walk);
}

static bool take_wishes(ct_choice *c, const ct_tree_def *def)
{
    for (uint32_t i = 0; i < def->wish_count; i++) {
        uint32_t e = def->wish[i].edge;
        const ct_graph_edge *edge = &c->graph->edge[e];
        if (edge->kind != CT_EDGE_COMPONENT && !ct_settle_body_wish(c, &def->wish[i], &e))
            return false;
        edge = &c->graph->edge[e];
        if (!c->wanted[e] && !c->in[e] && !ct_sets_join(c->sets, edge->tail, edge->head)) {
            report_wish_circuit(c, &def->wish[i]);
            return false;
        }
        c->in[e] = c->wanted[e] = true;
    }
    return true;
}

/* ---- a tree that the user gives in full ------------------------------------------------------ */

static void report_unreached(const ct_choice *c, const ct_tree_def *def, const uint32_t *node,
                             uint32_t count)
{
    const ct_graph *graph = c->graph;
    ct_name name[CT_MOST_NAMES + 1];
    for (uint32_t i = 0; i < count && i <= CT_MOST_NAMES; i++)
        name[i] = graph->node[node[i]].name;
    ct_text names = ct_text_new(c->scratch);
    ct_put_names(&names, graph->ctx, name, count, CT_MOST_NAMES);
    ct_place place = def->wish_count ? def->wish[def->wish_count - 1].place : (ct_place){0};
    ct_report *r =
        ct_error(graph->ctx, "E316", place, "the branches asked for do not reach node%s %s",
                 count == 1 ? "" : "s", ct_text_string(&names));
    ct_note(r, "a tree contains all nodes of the graph");
    ct_help(r, "add a branch that ends there");
    for (uint32_t i = 0; i < count && i < CT_MOST_WITNESSES; i++)
        ct_witness(r, ct_node_text(graph, node[i]));
}

/* Per node: the node from which its part hangs, as in ct_forest_root(). */
static uint32_t *roots_of_parts(const ct_choice *c)
{
    const ct_graph *graph = c->graph;
    uint32_t *sets = ct_sets_new(c->scratch, graph->node_count);
    uint32_t *root = CT_NEW_ARRAY(c->scratch, uint32_t, graph->node_count);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        ct_sets_join(sets, graph->edge[e].tail, graph->edge[e].head);
    for (uint32_t v = 0; v < graph->node_count; v++)
        root[v] = ct_sets_find(sets, v);
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (graph->node[v].datum)
            root[sets[v]] = v;
    for (uint32_t v = 0; v < graph->node_count; v++)
        root[v] = root[ct_sets_find(sets, v)];
    return root;
}

static bool spans(const ct_choice *c, const ct_tree_def *def)
{
    CT_VEC(uint32_t) unreached = {0};
    const uint32_t *root = roots_of_parts(c);
    for (uint32_t v = 0; v < c->graph->node_count; v++)
        if (ct_sets_find(c->sets, v) != ct_sets_find(c->sets, root[v]))
            CT_PUSH(c->scratch, unreached, v);
    if (unreached.count)
        report_unreached(c, def, unreached.at, unreached.count);
    return unreached.count == 0;
}

/* ---- the program's choice -------------------------------------------------------------------- */

static void take_class(ct_choice *c, ct_tree_class class)
{
    const ct_graph_edge *edge = c->graph->edge;
    for (uint32_t e = 0; e < c->graph->scalar_edge_count; e++)
        if (edge[e].class == class && !edge[e].coupling && !c->in[e])
            c->in[e] = ct_sets_join(c->sets, edge[e].tail, edge[e].head);
}

static void complete(ct_choice *c, ct_coordinates wish)
{
    take_class(c, CT_ACROSS_DRIVER);
    if (c->graph->coupling_count)
        ct_choose_coupled(c);
    for (int class = CT_ACCUMULATOR; class <= CT_THROUGH_DRIVER; class ++)
        take_class(c, (ct_tree_class) class);
    if (c->graph->bodies)
        ct_complete_bodies(c, wish);
}

/* Per body: whose branch its rigid group has. */
static const uint32_t *leads_of(const ct_choice *c)
{
    const ct_bodies *b = c->graph->bodies;
    uint32_t count = b ? b->mechanism->body_count : 0;
    uint32_t *lead = b ? CT_NEW_ARRAY(c->graph->arena, uint32_t, count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        lead[i] = c->lead[b->group[i]];
    return lead;
}

static const ct_tree *finish(const ct_choice *c)
{
    const ct_graph *graph = c->graph;
    ct_tree *tree = CT_NEW(graph->arena, ct_tree);
    ct_forest f = ct_forest_root(graph->arena, graph, c->in);
    uint32_t count = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        count += c->in[e];
    uint32_t *branch = CT_NEW_ARRAY(graph->arena, uint32_t, count);
    uint32_t *chord = CT_NEW_ARRAY(graph->arena, uint32_t, graph->edge_count - count);
    uint32_t *row = CT_NEW_ARRAY(graph->arena, uint32_t, graph->edge_count);
    *tree =
        (ct_tree){.graph = graph, .branch = branch, .chord = chord, .is_branch = c->in, .row = row};
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        uint32_t *next = c->in[e] ? &tree->branch_count : &tree->chord_count;
        (c->in[e] ? branch : chord)[*next] = e;
        row[e] = (*next)++;
        if (e + 1 == graph->scalar_edge_count) {
            tree->scalar_branch_count = tree->branch_count;
            tree->scalar_chord_count = tree->chord_count;
        }
    }
    tree->parent = f.parent;
    tree->depth = f.depth;
    tree->wanted = c->wanted;
    tree->lead = leads_of(c);
    tree->reason = ct_tree_reasons(tree);
    ct_warn_couplings(tree);
    return tree;
}

const ct_tree *ct_tree_select(const ct_graph *graph, const ct_tree_def *def)
{
    assert(graph->scalar_node_count <= graph->node_count);
    assert(graph->scalar_edge_count <= graph->edge_count);
    static const ct_tree_def plain = {.complete = true};
    def = def ? def : &plain;
    bool circuits = ct_check_circuits(graph), cutsets = ct_check_cutsets(graph);
    if (!circuits || !cutsets)
        return NULL;
    ct_choice c = {.graph = graph, .scratch = ct_arena_new(graph->ctx)};
    c.sets = ct_sets_new(c.scratch, graph->node_count);
    c.in = CT_NEW_ARRAY(graph->arena, bool, graph->edge_count);
    c.wanted = CT_NEW_ARRAY(graph->arena, bool, graph->edge_count);
    if (graph->bodies)
        ct_take_fixed(&c);
    bool good = take_wishes(&c, def);
    if (good && def->complete)
        complete(&c, def->coordinates);
    else if (good)
        good = spans(&c, def);
    const ct_tree *tree = good ? finish(&c) : NULL;
    ct_arena_free(c.scratch);
    return tree;
}

/* drivers.c - finds circuits and cutsets of drivers, and reports them in the words of the domain.
 */
#include "graph/drivers.h"

#include "base/vec.h"
#include "base/sets.h"

typedef CT_VEC(uint32_t) index_list;
typedef CT_VEC(ct_name) name_list;

const ct_domain_words *ct_words(const ct_graph *graph, uint32_t domain)
{
    static const ct_domain_words words[] = {
        {"electrical", "voltage source", "voltage sources", "current source", "current sources",
         "a resistor"},
        {"hydraulic", "pressure source", "pressure sources", "flow source", "flow sources",
         "a fluid resistor"},
        {"thermal", "temperature source", "temperature sources", "heat source", "heat sources",
         "a thermal resistor"},
        {"translational", "motion source", "motion sources", "force source", "force sources",
         "a spring or damper"},
        {"rotational", "motion source", "motion sources", "torque source", "torque sources",
         "a torsion spring or damper"},
        {NULL, "across driver", "across drivers", "through driver", "through drivers",
         "a dissipator"},
    };
    const char *name = ct_name_text(graph->ctx, graph->domain[domain].name);
    const ct_domain_words *w = words;
    while (w->domain && strcmp(w->domain, name) != 0)
        w++;
    return w;
}

static bool is_driver(const ct_graph_edge *e, ct_tree_class class)
{
    return e->class == class && !e->coupling && !e->controlled;
}

/* "V1(+), V2(-)" */
static void put_signed(ct_text *text, const ct_graph *graph, const ct_forest_walk *walk)
{
    uint32_t shown = walk->count <= CT_MOST_NAMES + 1 ? walk->count : CT_MOST_NAMES;
    for (uint32_t i = 0; i < shown; i++)
        ct_putf(text, "%s%s(%c)", i ? ", " : "", ct_edge_text(graph, walk->step[i].edge),
                walk->step[i].along ? '+' : '-');
    if (shown < walk->count)
        ct_putf(text, " and %u more", walk->count - shown);
}

static const char *names_of(ct_arena *scratch, const ct_graph *graph, const ct_forest_walk *walk)
{
    ct_text text = ct_text_new(scratch);
    ct_name *name = CT_NEW_ARRAY(scratch, ct_name, walk->count);
    for (uint32_t i = 0; i < walk->count; i++)
        name[i] = graph->edge[walk->step[i].edge].name;
    ct_put_names(&text, graph->ctx, name, walk->count, CT_MOST_NAMES);
    return ct_text_string(&text);
}

/* "voltage sources V1 and V2" */
static const char *driver_names(ct_arena *scratch, const ct_graph *graph,
                                const ct_forest_walk *walk, const char *one, const char *many)
{
    return ct_printf(graph->ctx, "%s %s", walk->count == 1 ? one : many,
                     names_of(scratch, graph, walk));
}

static void put_witnesses(ct_report *r, const ct_graph *graph, const ct_forest_walk *walk)
{
    for (uint32_t i = 0; i < walk->count && i < CT_MOST_WITNESSES; i++)
        ct_witness(r, ct_edge_text(graph, walk->step[i].edge));
}

/* ---- circuits of across drivers -------------------------------------------------------------- */

static void report_circuit(ct_arena *scratch, const ct_graph *graph, const ct_forest *forest,
                           uint32_t edge)
{
    ct_forest_walk walk =
        ct_forest_circuit(scratch, graph, forest->parent, forest->depth, edge, CT_NONE - 1);
    const ct_domain_words *words = ct_words(graph, graph->node[graph->edge[edge].tail].domain);
    ct_text circuit = ct_text_new(scratch);
    put_signed(&circuit, graph, &walk);
    ct_report *r =
        ct_error(graph->ctx, "E310", graph->edge[edge].place, "%s form a circuit",
                 driver_names(scratch, graph, &walk, words->across_driver, words->across_drivers));
    ct_note(r, "circuit: %s; across drivers must all be branches, and a tree has no circuit",
            ct_text_string(&circuit));
    ct_help(r, "remove one source or put %s in series with it", words->gives_way);
    put_witnesses(r, graph, &walk);
}

/* In order of statement, so that the edge which closes a circuit is the last one of it. */
static index_list list_closing(ct_arena *scratch, const ct_graph *graph, bool *chosen)
{
    uint32_t *sets = ct_sets_new(scratch, graph->node_count);
    index_list closing = {0};
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const ct_graph_edge *edge = &graph->edge[e];
        if (!is_driver(edge, CT_ACROSS_DRIVER) || edge->tail == edge->head)
            continue;
        chosen[e] = ct_sets_join(sets, edge->tail, edge->head);
        if (!chosen[e])
            CT_PUSH(scratch, closing, e);
    }
    return closing;
}

bool ct_check_circuits(const ct_graph *graph)
{
    ct_arena *scratch = ct_arena_new(graph->ctx);
    bool *chosen = CT_NEW_ARRAY(scratch, bool, graph->edge_count);
    index_list closing = list_closing(scratch, graph, chosen);
    if (closing.count) {
        ct_forest forest = ct_forest_root(scratch, graph, chosen);
        for (uint32_t i = 0; i < closing.count && i < CT_MOST_REPORTS; i++)
            report_circuit(scratch, graph, &forest, closing.at[i]);
    }
    ct_arena_free(scratch);
    return closing.count == 0;
}

/* ---- cutsets of through drivers -------------------------------------------------------------- */

/* The graph in which everything but through drivers is shrunk to points. A tree of it gives one
 * cutset per branch, and both sides of it hang together: these are true cutsets. */
typedef struct shrunk {
    const ct_graph *graph;
    ct_arena *scratch;
    uint32_t *sets;  /* over the nodes of graph */
    ct_graph points; /* its nodes are numbered as in graph; only the smallest of a set is used */
    const uint32_t *origin; /* per edge of points: edge of graph */
    ct_forest forest;
    uint32_t *enter, *size; /* per point: stretch of the preorder below it */
} shrunk;

static void shrink_nodes(shrunk *s)
{
    const ct_graph *graph = s->graph;
    s->sets = ct_sets_new(s->scratch, graph->node_count);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (!is_driver(&graph->edge[e], CT_THROUGH_DRIVER))
            ct_sets_join(s->sets, graph->edge[e].tail, graph->edge[e].head);
}

static void shrink_edges(shrunk *s)
{
    const ct_graph *graph = s->graph;
    CT_VEC(ct_graph_edge) edges = {0};
    index_list origin = {0};
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        ct_graph_edge edge = graph->edge[e];
        edge.tail = ct_sets_find(s->sets, edge.tail);
        edge.head = ct_sets_find(s->sets, edge.head);
        if (edge.tail == edge.head)
            continue;
        CT_PUSH(s->scratch, edges, edge);
        CT_PUSH(s->scratch, origin, e);
    }
    s->points = (ct_graph){.ctx = graph->ctx, .node_count = graph->node_count, .edge = edges.at};
    s->points.edge_count = edges.count;
    s->origin = origin.at;
}

/* Preorder stretches, from an order in which parents come before children. */
static void number_points(shrunk *s)
{
    uint32_t count = s->points.node_count;
    uint32_t *used = CT_NEW_ARRAY(s->scratch, uint32_t, count);
    s->enter = CT_NEW_ARRAY(s->scratch, uint32_t, count);
    s->size = CT_NEW_ARRAY(s->scratch, uint32_t, count);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t v = s->forest.order[i], e = s->forest.parent[v];
        s->size[v]++;
        if (e != CT_NONE)
            s->size[ct_other_end(&s->points, e, v)] += s->size[v];
    }
    uint32_t next_root = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = s->forest.order[i], e = s->forest.parent[v];
        uint32_t up = e == CT_NONE ? CT_NONE : ct_other_end(&s->points, e, v);
        uint32_t *room = up == CT_NONE ? &next_root : &used[up];
        s->enter[v] = up == CT_NONE ? *room : s->enter[up] + 1 + *room;
        *room += s->size[v];
    }
}

static bool below(const shrunk *s, uint32_t top, uint32_t point)
{
    return s->enter[point] - s->enter[top] < s->size[top];
}

static ct_forest_walk cutset_at(const shrunk *s, uint32_t top)
{
    CT_VEC(ct_forest_step) steps = {0};
    for (uint32_t e = 0; e < s->points.edge_count; e++) {
        bool from = below(s, top, s->points.edge[e].tail),
             to = below(s, top, s->points.edge[e].head);
        if (from != to)
            CT_PUSH(s->scratch, steps, (ct_forest_step){s->origin[e], from});
    }
    return (ct_forest_walk){steps.at, steps.count};
}

static const char *nodes_below(shrunk *s, uint32_t top)
{
    name_list names = {0};
    for (uint32_t v = 0; v < s->graph->node_count; v++)
        if (below(s, top, ct_sets_find(s->sets, v)))
            CT_PUSH(s->scratch, names, s->graph->node[v].name);
    ct_text text = ct_text_new(s->scratch);
    ct_putf(&text, "node%s ", names.count == 1 ? "" : "s");
    ct_put_names(&text, s->graph->ctx, names.at, names.count, CT_MOST_NAMES);
    return ct_text_string(&text);
}

static void report_cutset(shrunk *s, uint32_t top)
{
    const ct_graph *graph = s->graph;
    const ct_domain_words *words = ct_words(graph, graph->node[top].domain);
    ct_forest_walk walk = cutset_at(s, top);
    const char *nodes = nodes_below(s, top);
    ct_text cutset = ct_text_new(s->scratch);
    put_signed(&cutset, graph, &walk);
    ct_report *r = ct_error(
        graph->ctx, "E311", graph->edge[walk.step[walk.count - 1].edge].place, "%s form%s a cutset",
        driver_names(s->scratch, graph, &walk, words->through_driver, words->through_drivers),
        walk.count == 1 ? "s" : "");
    ct_note(r,
            "cutset: %s; only through drivers join %s to the rest, and a tree needs a branch there",
            ct_text_string(&cutset), nodes);
    ct_help(r, "remove one source or put %s in parallel with it", words->gives_way);
    put_witnesses(r, graph, &walk);
}

/* Points that are no set's smallest member have no edges: they are roots without branches. A point
 * is a datum when one of its members is. */
static void root_points(shrunk *s)
{
    const ct_graph *graph = s->graph;
    ct_graph_node *node = CT_NEW_ARRAY(s->scratch, ct_graph_node, graph->node_count);
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (graph->node[v].datum)
            node[ct_sets_find(s->sets, v)].datum = true;
    s->points.node = node;
    s->forest = ct_forest_root(s->scratch, &s->points, NULL);
}

static bool find_cutsets(shrunk *s)
{
    shrink_nodes(s);
    shrink_edges(s);
    if (!s->points.edge_count)
        return false;
    root_points(s);
    number_points(s);
    return true;
}

bool ct_check_cutsets(const ct_graph *graph)
{
    shrunk s = {.graph = graph, .scratch = ct_arena_new(graph->ctx)};
    bool any = find_cutsets(&s);
    uint32_t reports = 0;
    for (uint32_t i = 0; any && i < graph->node_count && reports < CT_MOST_REPORTS; i++)
        if (s.forest.parent[s.forest.order[i]] != CT_NONE) {
            report_cutset(&s, s.forest.order[i]);
            reports++;
        }
    ct_arena_free(s.scratch);
    return !any;
}

/* ---- one of them ---------------------------------------------------------------------------- */

/* Takes the walk if it is the first one, or the first one through the component: true. */
static bool take_walk(const ct_graph *graph, ct_forest_walk walk, uint32_t component,
                      ct_conflict *out)
{
    bool through = false;
    for (uint32_t i = 0; i < walk.count; i++)
        through |= graph->edge[walk.step[i].edge].owner == component;
    if (through || !out->walk.count)
        out->walk = walk;
    return through;
}

static void find_circuit(const ct_graph *graph, uint32_t component, ct_arena *arena,
                         ct_conflict *out)
{
    bool *chosen = CT_NEW_ARRAY(arena, bool, graph->edge_count + 1), found = false;
    index_list closing = list_closing(arena, graph, chosen);
    if (!closing.count)
        return;
    ct_forest f = ct_forest_root(arena, graph, chosen);
    for (uint32_t i = 0; i < closing.count && !found; i++)
        found = take_walk(
            graph, ct_forest_circuit(arena, graph, f.parent, f.depth, closing.at[i], CT_NONE - 1),
            component, out);
    out->circuit = true;
}

static void find_cutset(const ct_graph *graph, uint32_t component, ct_arena *arena,
                        ct_conflict *out)
{
    shrunk s = {.graph = graph, .scratch = arena};
    bool found = !find_cutsets(&s);
    for (uint32_t i = 0; i < graph->node_count && !found; i++) {
        uint32_t top = s.forest.order[i];
        bool first = !out->walk.count;
        if (s.forest.parent[top] == CT_NONE)
            continue;
        found = take_walk(graph, cutset_at(&s, top), component, out);
        if (found || first)
            out->nodes = nodes_below(&s, top);
    }
}

ct_conflict ct_find_conflict(const ct_graph *graph, uint32_t component, ct_arena *arena)
{
    ct_conflict out = {0};
    find_circuit(graph, component, arena, &out);
    if (!out.walk.count)
        find_cutset(graph, component, arena, &out);
    if (!out.walk.count)
        return out;
    ct_text edges = ct_text_new(arena);
    put_signed(&edges, graph, &out.walk);
    out.edges = ct_text_string(&edges);
    out.names = names_of(arena, graph, &out.walk);
    const ct_graph_edge *one = &graph->edge[out.walk.step[0].edge];
    out.words = ct_words(graph, graph->node[one->tail].domain);
    return out;
}

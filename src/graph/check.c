/* check.c - what no choice of tree can mend. */
#include <string.h>

#include "base/suggest.h"
#include "base/vec.h"
#include "graph/bodies.h"
#include "graph/drivers.h"
#include "graph/forest.h"
#include "base/sets.h"

enum { MOST_CANDIDATES = 1000 };

static bool check_ends(const ct_graph *graph)
{
    uint32_t found = 0;
    for (uint32_t e = 0; e < graph->scalar_edge_count; e++) {
        const ct_graph_edge *edge = &graph->edge[e];
        if (edge->tail != edge->head || edge->joined || found++ >= CT_MOST_REPORTS)
            continue;
        const char *name = ct_edge_text(graph, e);
        ct_report *r = ct_error(graph->ctx, "E312", edge->place, "%s goes from node %s to itself",
                                name, ct_node_text(graph, edge->tail));
        ct_note(r, "its across variable is always zero");
        ct_help(r, "connect one terminal of %s to another node, or remove it", name);
        ct_witness(r, name);
    }
    return found == 0;
}

/* ---- parts without datum --------------------------------------------------------------------- */

/* Members of the sets over nodes, set by set: those of set s are at[start[s]] .. at[start[s+1]-1].
 */
typedef struct members {
    uint32_t *start, *at;
} members;

static members gather(ct_arena *scratch, uint32_t sets, const uint32_t *set_of, uint32_t count)
{
    members m = {CT_NEW_ARRAY(scratch, uint32_t, sets + 2), CT_NEW_ARRAY(scratch, uint32_t, count)};
    for (uint32_t i = 0; i < count; i++)
        m.start[set_of[i] + 2]++;
    for (uint32_t s = 2; s < sets + 2; s++)
        m.start[s] += m.start[s - 1];
    for (uint32_t i = 0; i < count; i++)
        m.at[m.start[set_of[i] + 1]++] = i;
    return m;
}

typedef struct parts {
    const ct_graph *graph;
    ct_arena *scratch;
    uint32_t *node_part, *edge_part; /* a part is known by its smallest node */
    members nodes, edges;
    bool *has_datum;
    bool *grounded; /* per domain: some edge touches the datum */
} parts;

static void find_parts(parts *p)
{
    const ct_graph *g = p->graph;
    uint32_t *sets = ct_sets_new(p->scratch, g->node_count);
    p->node_part = CT_NEW_ARRAY(p->scratch, uint32_t, g->node_count);
    p->edge_part = CT_NEW_ARRAY(p->scratch, uint32_t, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
    for (uint32_t v = 0; v < g->node_count; v++)
        p->node_part[v] = ct_sets_find(sets, v);
    for (uint32_t e = 0; e < g->edge_count; e++)
        p->edge_part[e] = p->node_part[g->edge[e].tail];
    p->nodes = gather(p->scratch, g->node_count, p->node_part, g->node_count);
    p->edges = gather(p->scratch, g->node_count, p->edge_part, g->edge_count);
}

static void find_data(parts *p)
{
    const ct_graph *g = p->graph;
    p->has_datum = CT_NEW_ARRAY(p->scratch, bool, g->node_count);
    p->grounded = CT_NEW_ARRAY(p->scratch, bool, g->domain_count);
    for (uint32_t v = 0; v < g->node_count; v++)
        if (g->node[v].datum)
            p->has_datum[p->node_part[v]] = true;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const ct_graph_node *tail = &g->node[g->edge[e].tail];
        if (tail->datum || g->node[g->edge[e].head].datum)
            p->grounded[tail->domain] = true;
    }
}

static const char *part_nodes(const parts *p, uint32_t part)
{
    uint32_t first = p->nodes.start[part], count = p->nodes.start[part + 1] - first;
    ct_name name[CT_MOST_NAMES + 1];
    for (uint32_t i = 0; i < count && i <= CT_MOST_NAMES; i++)
        name[i] = p->graph->node[p->nodes.at[first + i]].name;
    ct_text text = ct_text_new(p->scratch);
    ct_putf(&text, "node%s ", count == 1 ? "" : "s");
    ct_put_names(&text, p->graph->ctx, name, count, CT_MOST_NAMES);
    return ct_text_string(&text);
}

static void put_part_witnesses(ct_report *r, const parts *p, uint32_t part)
{
    uint32_t first = p->edges.start[part], last = p->edges.start[part + 1];
    for (uint32_t i = first; i < last && i - first < CT_MOST_WITNESSES; i++)
        ct_witness(r, ct_edge_text(p->graph, p->edges.at[i]));
}

/* A node of the part that was meant as ground; NULL: none has such a name. */
static const char *meant_as_ground(const parts *p, uint32_t part)
{
    const ct_graph *g = p->graph;
    for (uint32_t i = p->edges.start[part]; i < p->edges.start[part + 1]; i++) {
        const ct_graph_edge *e = &g->edge[p->edges.at[i]];
        if (ct_means_ground(ct_node_text(g, e->tail)))
            return ct_node_text(g, e->tail);
        if (ct_means_ground(ct_node_text(g, e->head)))
            return ct_node_text(g, e->head);
    }
    return NULL;
}

static void help_ground(ct_report *r, const char *meant, const char *other)
{
    if (meant)
        ct_help(r,
                "the reference node is called `ground`: write `ground` for `%s`, or add the line "
                "`ground %s`",
                meant, meant);
    else
        ct_help(r, "%s", other);
}

static void report_island(const parts *p, uint32_t part)
{
    const ct_graph *g = p->graph;
    uint32_t edge = p->edges.at[p->edges.start[part]];
    const ct_graph_domain *domain = &g->domain[g->node[part].domain];
    const char *ground = ct_node_text(g, domain->datum);
    ct_report *r = ct_error(g->ctx, "E313", g->edge[edge].place, "island: nothing joins %s to %s",
                            part_nodes(p, part), ground);
    ct_note(r, "only differences between these nodes are determined, not their values against %s",
            ground);
    help_ground(r, meant_as_ground(p, part),
                ct_printf(g->ctx, "connect one of these nodes to %s", ground));
    put_part_witnesses(r, p, part);
}

static void report_no_datum(const parts *p, uint32_t part)
{
    const ct_graph *g = p->graph;
    uint32_t edge = p->edges.at[p->edges.start[part]];
    const char *domain = ct_name_text(g->ctx, g->domain[g->node[part].domain].name);
    ct_report *r = ct_error(g->ctx, "E314", g->edge[edge].place,
                            "no %s element is connected to ground", domain);
    ct_note(r, "across variables of %s need a reference", part_nodes(p, part));
    help_ground(r, meant_as_ground(p, part),
                "use `ground` as one terminal, or name a node with `ground NAME`");
    put_part_witnesses(r, p, part);
}

/* A node without any edge is no island: nothing depends on it. */
static bool check_parts(parts *p)
{
    const ct_graph *g = p->graph;
    bool *told = CT_NEW_ARRAY(p->scratch, bool, g->domain_count);
    uint32_t found = 0;
    for (uint32_t v = 0; v < g->node_count; v++) {
        uint32_t domain = g->node[v].domain;
        if (p->node_part[v] != v || p->has_datum[v] || p->edges.start[v] == p->edges.start[v + 1])
            continue;
        found++;
        if (p->grounded[domain] && found <= CT_MOST_REPORTS)
            report_island(p, v);
        else if (!p->grounded[domain] && !told[domain])
            report_no_datum(p, v);
        told[domain] = true;
    }
    return found == 0;
}

/* ---- dangling nodes -------------------------------------------------------------------------- */

/* n1 and n2 are not each other's misspelling: a ladder ends somewhere. */
static bool differ_in_digits_only(const char *a, const char *b)
{
    for (;;) {
        while (*a >= '0' && *a <= '9')
            a++;
        while (*b >= '0' && *b <= '9')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

/* A node of the domain with such a name, at which at least `least` edges meet; NULL: none. */
static const char *similar_node(const ct_graph *g, uint32_t node, uint32_t neighbour,
                                const uint32_t *degree, uint32_t least)
{
    const char *name = ct_node_text(g, node);
    ct_suggestion suggestion = ct_suggest(name);
    uint32_t tried = 0;
    for (uint32_t v = 0; v < g->node_count && tried < MOST_CANDIDATES; v++) {
        const char *candidate = ct_node_text(g, v);
        if (g->node[v].domain != g->node[node].domain)
            continue;
        tried++;
        if (v != node && v != neighbour && degree[v] >= least &&
            !differ_in_digits_only(name, candidate))
            ct_suggest_try(&suggestion, candidate);
    }
    return suggestion.best;
}

static void warn_dangling(const ct_graph *g, uint32_t node, uint32_t edge, const char *similar)
{
    const char *name = ct_node_text(g, node), *element = ct_edge_text(g, edge);
    ct_report *r = ct_warning(g->ctx, "W320", g->edge[edge].place,
                              "only %s is connected to node %s", element, name);
    ct_note(r, "nothing can flow through %s", element);
    if (ct_means_ground(name))
        help_ground(r, name, "");
    else if (similar)
        ct_help(r, "did you mean %s? If not, `node %s : %s` tells that the end is meant to be open",
                similar, name, ct_name_text(g->ctx, g->domain[g->node[node].domain].name));
    ct_witness(r, name);
}

static void warn_unused(const ct_graph *g, uint32_t node)
{
    const char *name = ct_node_text(g, node);
    ct_report *r =
        ct_warning(g->ctx, "W320", g->node[node].place, "nothing is connected to node %s", name);
    ct_witness(r, name);
}

/* Warns about the lone end of an edge. To the datum it may be meant so (a free mass, a source that
 * waits for its load), unless other edges meet at a node of almost the same name. */
static bool check_lone(const ct_graph *g, uint32_t node, uint32_t edge, const uint32_t *degree)
{
    enum { SHORTEST = 3 }; /* a and b are not each other's misspelling */
    uint32_t other = ct_other_end(g, edge, node);
    bool grounded = g->node[other].datum;
    if (grounded && strlen(ct_node_text(g, node)) < SHORTEST)
        return false;
    const char *similar = similar_node(g, node, other, degree, grounded ? 2 : 0);
    if (grounded && !similar)
        return false;
    warn_dangling(g, node, edge, similar);
    return true;
}

/* Nodes of a part without datum are left out: it was reported as a whole. */
static void check_dangling(const parts *p)
{
    const ct_graph *g = p->graph;
    uint32_t *degree = CT_NEW_ARRAY(p->scratch, uint32_t, g->node_count);
    uint32_t *edge = CT_NEW_ARRAY(p->scratch, uint32_t, g->node_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const uint32_t end[2] = {g->edge[e].tail, g->edge[e].head};
        for (int i = 0; i < 2; i++) {
            degree[end[i]]++;
            edge[end[i]] = e;
        }
    }
    uint32_t found = 0;
    for (uint32_t v = 0; v < g->node_count && found < CT_MOST_REPORTS; v++) {
        bool alone = degree[v] == 1 && !g->node[v].named && p->has_datum[p->node_part[v]];
        if (g->node[v].datum || degree[v] > 1)
            continue;
        if (degree[v] == 0)
            warn_unused(g, v);
        found += degree[v] == 0 || (alone && check_lone(g, v, edge[v], degree));
    }
}

bool ct_graph_check(const ct_graph *graph)
{
    parts p = {.graph = graph, .scratch = ct_arena_new(graph->ctx)};
    bool ends = check_ends(graph), rigid = ct_check_bodies(graph);
    find_parts(&p);
    find_data(&p);
    bool joined = check_parts(&p);
    check_dangling(&p);
    ct_arena_free(p.scratch);
    bool circuits = ct_check_circuits(graph), cutsets = joined && ct_check_cutsets(graph);
    return ends && rigid && joined && circuits && cutsets;
}

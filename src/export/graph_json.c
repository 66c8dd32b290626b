/* graph_json.c - a graph as JSON; keys: see graph_write.h. */
#include "base/json.h"
#include "export/graph_write.h"
#include "graph/view.h"

enum { MOST_DENSE_EDGES = 200, MOST_ENTRIES = 5000000, MOST_NODES_COUNTED = 200 };

static const char *node_name(const ct_graph *graph, uint32_t node)
{
    return node == UINT32_MAX ? NULL : ct_name_text(graph->ctx, graph->node[node].name);
}

static const char *edge_name(const ct_graph *graph, uint32_t edge)
{
    return ct_name_text(graph->ctx, graph->edge[edge].name);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void put_nodes(ct_json *j, const ct_view *v)
{
    ct_json_open(j, "nodes", '[');
    for (uint32_t i = 0; i < v->node_count; i++)
        ct_json_text(j, NULL, node_name(v->graph, v->node[i]));
    ct_json_close(j, ']');
}

static void put_edge(ct_json *j, const ct_view *v, uint32_t e)
{
    const ct_graph *g = v->graph;
    const ct_graph_edge *edge = &g->edge[e];
    uint32_t coupling = edge->coupling;
    ct_json_open(j, NULL, '{');
    ct_json_text(j, "name", edge_name(g, e));
    ct_json_text(j, "tail", node_name(g, edge->tail));
    ct_json_text(j, "head", node_name(g, edge->head));
    ct_json_text(j, "class", ct_edge_class_text(g, e));
    ct_json_text(j, "coupling",
                 coupling ? ct_name_text(g->ctx, g->coupling[coupling - 1].name) : NULL);
    if (v->tree) {
        ct_json_bool(j, "branch", v->tree->is_branch[e]);
        ct_json_text(j, "reason", v->tree->reason[e]);
    }
    ct_json_close(j, '}');
}

static void put_edges(ct_json *j, const ct_view *v)
{
    ct_json_open(j, "edges", '[');
    for (uint32_t i = 0; i < v->edge_count; i++) {
        ct_json_line(j, 4);
        put_edge(j, v, v->edge[i]);
    }
    ct_json_close(j, ']');
}

static void put_columns(ct_json *j, const ct_view *v)
{
    ct_json_open(j, "columns", '[');
    for (uint32_t i = 0; i < v->edge_count; i++)
        ct_json_text(j, NULL, edge_name(v->graph, v->column[i]));
    ct_json_close(j, ']');
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void put_dense(ct_json *j, const char *key, const ct_signs *s)
{
    ct_json_open(j, key, '[');
    for (uint32_t r = 0; r < s->rows; r++) {
        size_t at = s->start[r];
        ct_json_line(j, 4);
        ct_json_open(j, NULL, '[');
        for (uint32_t c = 0; c < s->columns; c++) {
            bool here = at < s->start[r + 1] && s->column[at] == c;
            ct_json_int(j, NULL, here ? s->sign[at] : 0);
            at += here;
        }
        ct_json_close(j, ']');
    }
    ct_json_close(j, ']');
}

static void open_sparse(ct_json *j, const char *key, uint32_t rows, uint32_t columns)
{
    ct_json_open(j, key, '{');
    ct_json_int(j, "rows", rows);
    ct_json_int(j, "cols", columns);
}

static void put_sparse(ct_json *j, const char *key, const ct_signs *s)
{
    open_sparse(j, key, s->rows, s->columns);
    ct_json_open(j, "entries", '[');
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t i = s->start[r]; i < s->start[r + 1]; i++) {
            ct_json_open(j, NULL, '[');
            ct_json_int(j, NULL, r);
            ct_json_int(j, NULL, s->column[i]);
            ct_json_int(j, NULL, s->sign[i]);
            ct_json_close(j, ']');
        }
    ct_json_close(j, ']');
    ct_json_close(j, '}');
}

static void put_signs(ct_json *j, const char *key, const ct_signs *s)
{
    ct_json_line(j, 3);
    if (s->columns <= MOST_DENSE_EDGES)
        put_dense(j, key, s);
    else
        put_sparse(j, key, s);
}

static void put_too_large(ct_json *j, const char *key, uint32_t rows, uint32_t columns,
                          uint64_t entries)
{
    ct_json_line(j, 3);
    open_sparse(j, key, rows, columns);
    ct_json_text(j, "entries", NULL);
    ct_json_int(j, "count", (int64_t)entries);
    ct_json_close(j, '}');
}

static void put_tree_matrices(ct_json *j, ct_arena *scratch, const ct_view *v,
                              const ct_topology *topology, uint64_t entries)
{
    uint32_t branches = v->branch_count, chords = v->edge_count - branches;
    ct_json_line(j, 3);
    put_columns(j, v);
    if (!topology) {
        put_too_large(j, "cutset", branches, v->edge_count, entries + branches);
        put_too_large(j, "circuit", chords, v->edge_count, entries + chords);
        return;
    }
    ct_signs cutsets = ct_view_cutsets(scratch, v, topology);
    ct_signs circuits = ct_view_circuits(scratch, v, topology);
    put_signs(j, "cutset", &cutsets);
    put_signs(j, "circuit", &circuits);
}

/* ---- domains --------------------------------------------------------------------------------- */

static void put_domain(ct_json *j, ct_arena *scratch, const ct_view *v, const ct_topology *topology,
                       uint64_t entries)
{
    const ct_graph *g = v->graph;
    ct_signs incidence = ct_view_incidence(scratch, v);
    ct_json_line(j, 2);
    ct_json_open(j, NULL, '{');
    ct_json_text(j, "domain", ct_name_text(g->ctx, g->domain[v->domain].name));
    ct_json_text(j, "datum", node_name(g, v->datum));
    ct_json_int(j, "parts", v->parts);
    ct_json_raw(j, "spanning_trees", ct_spanning_trees(g, v->domain, MOST_NODES_COUNTED));
    ct_json_line(j, 3);
    put_nodes(j, v);
    ct_json_line(j, 3);
    put_edges(j, v);
    put_signs(j, "incidence", &incidence);
    if (v->tree)
        put_tree_matrices(j, scratch, v, topology, entries);
    ct_json_close(j, '}');
}

void ct_graph_put_json(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    ct_arena *scratch = ct_arena_new(graph->ctx);
    uint64_t entries = 0;
    const ct_topology *topology =
        tree ? ct_topology_new(tree, tree->chord_count, MOST_ENTRIES, &entries) : NULL;
    ct_json j = ct_json_new(out, " ");
    ct_json_open(&j, NULL, '{');
    ct_json_open(&j, "graphs", '[');
    for (uint32_t d = 0; d < graph->domain_count; d++) {
        ct_view view = ct_view_domain(scratch, graph, tree, d);
        if (view.node_count)
            put_domain(&j, scratch, &view, topology, entries);
    }
    ct_json_close(&j, ']');
    ct_json_end(&j, graph->ctx);
    ct_arena_free(scratch);
}

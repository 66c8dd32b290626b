/* graph_json.c - a graph as JSON; keys: see graph_write.h. */
#include "export/graph_write.h"
#include "graph/view.h"

enum { MOST_DENSE_EDGES = 200, MOST_ENTRIES = 5000000, MOST_NODES_COUNTED = 200 };

static void put_name(ct_text *out, const ct_graph *graph, ct_name name)
{
    ct_put_json(out, ct_name_text(graph->ctx, name));
}

static void put_node(ct_text *out, const ct_graph *graph, uint32_t node)
{
    if (node == UINT32_MAX)
        ct_put(out, "null");
    else
        put_name(out, graph, graph->node[node].name);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void put_nodes(ct_text *out, const ct_view *v)
{
    ct_put(out, "[");
    for (uint32_t i = 0; i < v->node_count; i++) {
        ct_put(out, i ? ", " : "");
        put_node(out, v->graph, v->node[i]);
    }
    ct_put(out, "]");
}

static void put_edge(ct_text *out, const ct_view *v, uint32_t e)
{
    const ct_graph *g = v->graph;
    const ct_graph_edge *edge = &g->edge[e];
    ct_put(out, "{\"name\": ");
    put_name(out, g, edge->name);
    ct_put(out, ", \"tail\": ");
    put_node(out, g, edge->tail);
    ct_put(out, ", \"head\": ");
    put_node(out, g, edge->head);
    ct_put(out, ", \"class\": ");
    ct_put_json(out, ct_edge_class_text(v->graph, e));
    ct_put(out, ", \"coupling\": ");
    if (edge->coupling)
        put_name(out, g, g->coupling[edge->coupling - 1].name);
    else
        ct_put(out, "null");
    if (v->tree) {
        ct_putf(out, ", \"branch\": %s, \"reason\": ", v->tree->is_branch[e] ? "true" : "false");
        ct_put_json(out, v->tree->reason[e]);
    }
    ct_put(out, "}");
}

static void put_edges(ct_text *out, const ct_view *v)
{
    ct_put(out, "[");
    for (uint32_t i = 0; i < v->edge_count; i++) {
        ct_put(out, i ? ",\n    " : "\n    ");
        put_edge(out, v, v->edge[i]);
    }
    ct_put(out, "]");
}

static void put_columns(ct_text *out, const ct_view *v)
{
    ct_put(out, "[");
    for (uint32_t i = 0; i < v->edge_count; i++) {
        ct_put(out, i ? ", " : "");
        put_name(out, v->graph, v->graph->edge[v->column[i]].name);
    }
    ct_put(out, "]");
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void put_dense(ct_text *out, const ct_signs *s)
{
    ct_put(out, "[");
    for (uint32_t r = 0; r < s->rows; r++) {
        size_t at = s->start[r];
        ct_put(out, r ? ",\n    [" : "\n    [");
        for (uint32_t c = 0; c < s->columns; c++) {
            bool here = at < s->start[r + 1] && s->column[at] == c;
            ct_putf(out, "%s%d", c ? ", " : "", here ? s->sign[at] : 0);
            at += here;
        }
        ct_put(out, "]");
    }
    ct_put(out, "]");
}

static void put_sparse(ct_text *out, const ct_signs *s)
{
    ct_putf(out, "{\"rows\": %u, \"cols\": %u, \"entries\": [", s->rows, s->columns);
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t i = s->start[r]; i < s->start[r + 1]; i++)
            ct_putf(out, "%s[%u, %u, %d]", i ? ", " : "", r, s->column[i], s->sign[i]);
    ct_put(out, "]}");
}

static void put_signs(ct_text *out, const ct_signs *s)
{
    if (s->columns <= MOST_DENSE_EDGES)
        put_dense(out, s);
    else
        put_sparse(out, s);
}

static void put_too_large(ct_text *out, uint32_t rows, uint32_t columns, uint64_t entries)
{
    ct_putf(out, "{\"rows\": %u, \"cols\": %u, \"entries\": null, \"count\": %llu}", rows, columns,
            (unsigned long long)entries);
}

static void put_tree_matrices(ct_text *out, ct_arena *scratch, const ct_view *v,
                              const ct_topology *topology, uint64_t entries)
{
    uint32_t branches = v->branch_count, chords = v->edge_count - branches;
    ct_put(out, ",\n   \"columns\": ");
    put_columns(out, v);
    ct_put(out, ",\n   \"cutset\": ");
    if (!topology) {
        put_too_large(out, branches, v->edge_count, entries + branches);
        ct_put(out, ",\n   \"circuit\": ");
        put_too_large(out, chords, v->edge_count, entries + chords);
        return;
    }
    ct_signs cutsets = ct_view_cutsets(scratch, v, topology);
    ct_signs circuits = ct_view_circuits(scratch, v, topology);
    put_signs(out, &cutsets);
    ct_put(out, ",\n   \"circuit\": ");
    put_signs(out, &circuits);
}

/* ---- domains --------------------------------------------------------------------------------- */

static void put_domain(ct_text *out, ct_arena *scratch, const ct_view *v,
                       const ct_topology *topology, uint64_t entries)
{
    const ct_graph *g = v->graph;
    const char *trees = ct_spanning_trees(g, v->domain, MOST_NODES_COUNTED);
    ct_signs incidence = ct_view_incidence(scratch, v);
    ct_put(out, "  {\"domain\": ");
    put_name(out, g, g->domain[v->domain].name);
    ct_put(out, ", \"datum\": ");
    put_node(out, g, v->datum);
    ct_putf(out, ", \"parts\": %u, \"spanning_trees\": %s,\n   \"nodes\": ", v->parts,
            trees ? trees : "null");
    put_nodes(out, v);
    ct_put(out, ",\n   \"edges\": ");
    put_edges(out, v);
    ct_put(out, ",\n   \"incidence\": ");
    put_signs(out, &incidence);
    if (v->tree)
        put_tree_matrices(out, scratch, v, topology, entries);
    ct_put(out, "}");
}

void ct_graph_put_json(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    ct_arena *scratch = ct_arena_new(graph->ctx);
    uint64_t entries = 0;
    const ct_topology *topology =
        tree ? ct_topology_new(tree, tree->chord_count, MOST_ENTRIES, &entries) : NULL;
    bool first = true;
    ct_put(out, "{\"graphs\": [");
    for (uint32_t d = 0; d < graph->domain_count; d++) {
        ct_view view = ct_view_domain(scratch, graph, tree, d);
        if (!view.node_count)
            continue;
        ct_put(out, first ? "\n" : ",\n");
        first = false;
        put_domain(out, scratch, &view, topology, entries);
    }
    ct_put(out, "]}\n");
    ct_arena_free(scratch);
}

/* graph_dot.c - Graphviz: one cluster per domain, branches bold, chords thin. */
#include "export/graph_write.h"

#include <string.h>

/* A quoted text; only quotes and backslashes mean something inside. */
static void put_quoted(ct_text *out, const char *text)
{
    ct_put_char(out, '"');
    for (; *text; text++) {
        if (strchr("\"\\", *text))
            ct_put_char(out, '\\');
        ct_put_char(out, *text);
    }
    ct_put_char(out, '"');
}

static bool has_nodes(const ct_graph *graph, uint32_t domain)
{
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (graph->node[v].domain == domain)
            return true;
    return false;
}

static void put_cluster(ct_text *out, const ct_graph *graph, uint32_t domain)
{
    ct_putf(out, "    subgraph cluster_%u {\n        label = ", domain);
    put_quoted(out, ct_name_text(graph->ctx, graph->domain[domain].name));
    ct_put(out, ";\n");
    for (uint32_t v = 0; v < graph->node_count; v++) {
        if (graph->node[v].domain != domain)
            continue;
        ct_putf(out, "        n%u [label = ", v);
        put_quoted(out, ct_name_text(graph->ctx, graph->node[v].name));
        ct_putf(out, "%s];\n", graph->node[v].datum ? ", shape = box" : "");
    }
    ct_put(out, "    }\n");
}

static void put_edge(ct_text *out, const ct_graph *graph, const ct_tree *tree, uint32_t e)
{
    ct_putf(out, "    n%u -> n%u [label = ", graph->edge[e].tail, graph->edge[e].head);
    put_quoted(out, ct_name_text(graph->ctx, graph->edge[e].name));
    if (tree) {
        ct_putf(out, ", penwidth = %s, tooltip = ", tree->is_branch[e] ? "3" : "0.8");
        put_quoted(out, tree->reason[e]);
    }
    ct_put(out, "];\n");
}

void ct_graph_put_dot(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    ct_put(out, "digraph cotree {\n    node [shape = circle];\n");
    for (uint32_t d = 0; d < graph->domain_count; d++)
        if (has_nodes(graph, d))
            put_cluster(out, graph, d);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        put_edge(out, graph, tree, e);
    ct_put(out, "}\n");
}

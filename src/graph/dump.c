/* dump.c - graphs and their tree as text, for golden tests and curious users. */
#include "graph/build.h"

static const char *text_of(const ct_graph *g, ct_name name)
{
    return ct_name_text(g->ctx, name);
}

static void put_nodes(const ct_graph *g, ct_text *out)
{
    for (uint32_t i = 0; i < g->domain_count; i++)
        ct_putf(out, "domain %s%s\n", text_of(g, g->domain[i].name),
                g->domain[i].across_head_minus_tail ? ", across = head - tail" : "");
    for (uint32_t i = 0; i < g->node_count; i++) {
        const ct_graph_node *n = &g->node[i];
        ct_putf(out, "node %s : %s%s\n", text_of(g, n->name), text_of(g, g->domain[n->domain].name),
                n->datum ? " (datum)" : "");
    }
}

static void put_edge(const ct_graph *g, const ct_tree *tree, uint32_t i, ct_text *out)
{
    const ct_graph_edge *e = &g->edge[i];
    ct_putf(out, "edge %s : %s -> %s, %s", text_of(g, e->name), text_of(g, g->node[e->tail].name),
            text_of(g, g->node[e->head].name), ct_edge_class_text(g, i));
    if (e->controlled)
        ct_put(out, ", controlled");
    if (tree)
        ct_putf(out, ", %s: %s", tree->is_branch[i] ? "branch" : "chord", tree->reason[i]);
    ct_put(out, "\n");
}

static void put_couplings(const ct_graph *g, ct_text *out)
{
    for (uint32_t i = 0; i < g->coupling_count; i++) {
        const ct_coupling *c = &g->coupling[i];
        ct_putf(out, "coupling %s, %s of", text_of(g, c->name),
                c->kind == CT_EXACTLY_ONE ? "exactly one" : "all or none");
        for (uint32_t k = 0; k < c->count; k++)
            ct_putf(out, " %s", text_of(g, g->edge[g->coupled[c->first + k]].name));
        ct_put(out, "\n");
    }
}

void ct_graph_dump(const ct_graph *g, const ct_tree *tree, ct_text *out)
{
    put_nodes(g, out);
    for (uint32_t i = 0; i < g->edge_count; i++)
        put_edge(g, tree, i, out);
    put_couplings(g, out);
}

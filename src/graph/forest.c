/* forest.c - adjacency, rooted forests, the circuit of an edge, lists of names. */
#include "graph/forest.h"

const char *ct_edge_text(const ct_graph *graph, uint32_t edge)
{
    return ct_name_text(graph->ctx, graph->edge[edge].name);
}

const char *ct_node_text(const ct_graph *graph, uint32_t node)
{
    return ct_name_text(graph->ctx, graph->node[node].name);
}

static bool counts(const ct_graph *graph, const bool *chosen, uint32_t e)
{
    return (!chosen || chosen[e]) && graph->edge[e].tail != graph->edge[e].head;
}

ct_adjacency ct_adjacent(ct_arena *arena, const ct_graph *graph, const bool *chosen)
{
    uint32_t nodes = graph->node_count, *start = CT_NEW_ARRAY(arena, uint32_t, nodes + 2);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (counts(graph, chosen, e)) {
            start[graph->edge[e].tail + 2]++;
            start[graph->edge[e].head + 2]++;
        }
    for (uint32_t v = 2; v < nodes + 2; v++)
        start[v] += start[v - 1];
    uint32_t *edge = CT_NEW_ARRAY(arena, uint32_t, start[nodes + 1]);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (counts(graph, chosen, e)) {
            edge[start[graph->edge[e].tail + 1]++] = e;
            edge[start[graph->edge[e].head + 1]++] = e;
        }
    return (ct_adjacency){start, edge};
}

/* Grows the forest from one root; `count` nodes are in the order already. */
static uint32_t grow(ct_forest *f, const ct_graph *graph, ct_adjacency at, uint32_t root,
                     uint32_t count)
{
    uint32_t next = count;
    f->depth[root] = 0;
    f->order[count++] = root;
    for (; next < count; next++) {
        uint32_t v = f->order[next];
        for (uint32_t i = at.start[v]; i < at.start[v + 1]; i++) {
            uint32_t u = ct_other_end(graph, at.edge[i], v);
            if (f->depth[u] != CT_NONE)
                continue;
            f->depth[u] = f->depth[v] + 1;
            f->parent[u] = at.edge[i];
            f->order[count++] = u;
        }
    }
    return count;
}

ct_forest ct_forest_root(ct_arena *arena, const ct_graph *graph, const bool *chosen)
{
    uint32_t nodes = graph->node_count, count = 0;
    ct_forest f = {CT_NEW_ARRAY(arena, uint32_t, nodes), CT_NEW_ARRAY(arena, uint32_t, nodes),
                   CT_NEW_ARRAY(arena, uint32_t, nodes)};
    ct_adjacency at = ct_adjacent(arena, graph, chosen);
    for (uint32_t v = 0; v < nodes; v++)
        f.parent[v] = f.depth[v] = CT_NONE;
    for (uint32_t v = 0; v < nodes; v++)
        if (graph->node[v].datum && f.depth[v] == CT_NONE)
            count = grow(&f, graph, at, v, count);
    for (uint32_t v = 0; v < nodes; v++)
        if (f.depth[v] == CT_NONE)
            count = grow(&f, graph, at, v, count);
    return f;
}

/* Number of forest edges between u and v; CT_NONE: more than `most`, or not joined at all. */
static uint32_t distance(const ct_graph *graph, const uint32_t *parent, const uint32_t *depth,
                         uint32_t u, uint32_t v, uint32_t most)
{
    uint32_t length = 0;
    while (u != v) {
        uint32_t *deeper = depth[u] >= depth[v] ? &u : &v;
        if (length++ == most || parent[*deeper] == CT_NONE)
            return CT_NONE;
        *deeper = ct_other_end(graph, parent[*deeper], *deeper);
    }
    return length;
}

ct_forest_walk ct_forest_circuit(ct_arena *arena, const ct_graph *graph, const uint32_t *parent,
                                 const uint32_t *depth, uint32_t edge, uint32_t most)
{
    uint32_t u = graph->edge[edge].tail, v = graph->edge[edge].head;
    uint32_t length = distance(graph, parent, depth, u, v, most);
    if (length == CT_NONE)
        return (ct_forest_walk){NULL, 0};
    ct_forest_walk walk = {CT_NEW_ARRAY(arena, ct_forest_step, (size_t)length + 1), length + 1};
    uint32_t front = 0, back = length;
    walk.step[back] = (ct_forest_step){edge, false};
    while (u != v) {
        bool from_tail = depth[u] >= depth[v];
        uint32_t w = from_tail ? u : v, e = parent[w];
        bool leaves = graph->edge[e].tail == w;
        walk.step[from_tail ? front++ : --back] = (ct_forest_step){e, leaves == from_tail};
        *(from_tail ? &u : &v) = ct_other_end(graph, e, w);
    }
    return walk;
}

void ct_put_names(ct_text *text, const ct_context *ctx, const ct_name *name, size_t count,
                  size_t most)
{
    size_t shown = count <= most + 1 ? count : most; /* "and 1 more" would be silly */
    for (size_t i = 0; i < shown; i++) {
        if (i)
            ct_put(text, i + 1 == count ? " and " : ", ");
        ct_put(text, ct_name_text(ctx, name[i]));
    }
    if (shown < count)
        ct_putf(text, " and %zu more", count - shown);
}

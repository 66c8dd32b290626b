/* topology.c - fundamental cutsets from fundamental circuits.
 *
 * A chord closes one circuit with the tree: go along the chord, then home through the tree from its
 * head to its tail. A branch met on the way counts +1 in [B_b] if walked from tail to head, else
 * -1. The cutset matrix follows from orthogonality, with no elimination at all:
 *
 *     [B_b] = -[A_c]^T                                      [McPhee-2, eq. 13]
 *
 * so that through variables of branches follow from those of chords, and across variables of chords
 * from those of branches:
 *
 *     tau_b = -[A_c] tau_c     alpha_c = [A_c]^T alpha_b    [McPhee-2, eqs. 20, 21]
 *
 * The walks may be long (a ladder of n meshes with its tree along one rail needs n^2/2 steps), so
 * their lengths are added up first, in O(log n) per chord, from the depth of the node where both
 * ways meet.
 */
#include "graph/forest.h"

/* Heavy paths: each node's path goes on to the child with most nodes below it; a way to the root
 * changes path at most log2(n) times. */
typedef struct paths {
    const ct_tree *tree;
    uint32_t *top; /* per node: the node of its path nearest to the root */
} paths;

static uint32_t node_above(const ct_tree *tree, uint32_t v)
{
    return ct_other_end(tree->graph, tree->parent[v], v);
}

/* Nodes by rising depth. */
static uint32_t *nodes_by_depth(ct_arena *scratch, const ct_tree *tree)
{
    uint32_t count = tree->graph->node_count;
    uint32_t *start = CT_NEW_ARRAY(scratch, uint32_t, (size_t)count + 2);
    uint32_t *order = CT_NEW_ARRAY(scratch, uint32_t, count);
    for (uint32_t v = 0; v < count; v++)
        start[tree->depth[v] + 1]++;
    for (uint32_t d = 1; d <= count; d++)
        start[d] += start[d - 1];
    for (uint32_t v = 0; v < count; v++)
        order[start[tree->depth[v]]++] = v;
    return order;
}

static paths find_paths(ct_arena *scratch, const ct_tree *tree)
{
    uint32_t count = tree->graph->node_count, *order = nodes_by_depth(scratch, tree);
    uint32_t *size = CT_NEW_ARRAY(scratch, uint32_t, count);
    uint32_t *heavy = CT_NEW_ARRAY(scratch, uint32_t, count); /* child + 1 */
    paths p = {tree, CT_NEW_ARRAY(scratch, uint32_t, count)};
    for (uint32_t i = count; i-- > 0;) {
        uint32_t v = order[i], up = tree->parent[v] == CT_NONE ? CT_NONE : node_above(tree, v);
        size[v]++;
        if (up == CT_NONE)
            continue;
        size[up] += size[v];
        if (!heavy[up] || size[v] > size[heavy[up] - 1])
            heavy[up] = v + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = order[i], up = tree->parent[v] == CT_NONE ? CT_NONE : node_above(tree, v);
        p.top[v] = up != CT_NONE && heavy[up] == v + 1 ? p.top[up] : v;
    }
    return p;
}

static uint32_t meeting_depth(const paths *p, uint32_t u, uint32_t v)
{
    const uint32_t *depth = p->tree->depth, *top = p->top;
    while (top[u] != top[v]) {
        uint32_t *lower = depth[top[u]] >= depth[top[v]] ? &u : &v;
        *lower = node_above(p->tree, top[*lower]);
    }
    return depth[u] < depth[v] ? depth[u] : depth[v];
}

static uint64_t count_entries(ct_arena *scratch, const ct_tree *tree, uint32_t chords)
{
    paths p = find_paths(scratch, tree);
    uint64_t total = 0;
    for (uint32_t k = 0; k < chords; k++) {
        const ct_graph_edge *e = &tree->graph->edge[tree->chord[k]];
        uint64_t ends = (uint64_t)tree->depth[e->tail] + tree->depth[e->head];
        total += ends - 2 * (uint64_t)meeting_depth(&p, e->tail, e->head);
    }
    return total;
}

/* Writes column k of [A_c] and returns the place after it. */
static uint64_t walk_chord(const ct_tree *tree, uint32_t k, uint64_t at, uint32_t *row,
                           int8_t *sign)
{
    const ct_graph_edge *edge = tree->graph->edge;
    uint32_t from = edge[tree->chord[k]].head, to = edge[tree->chord[k]].tail;
    while (from != to) {
        bool climb_from = tree->depth[from] >= tree->depth[to];
        uint32_t v = climb_from ? from : to, branch = tree->parent[v];
        bool along = (edge[branch].tail == v) == climb_from;
        row[at] = tree->row[branch];
        sign[at++] = along ? -1 : +1;
        *(climb_from ? &from : &to) = node_above(tree, v);
    }
    return at;
}

const ct_topology *ct_topology_new(const ct_tree *tree, uint32_t chords, uint64_t max_entries,
                                   uint64_t *entries)
{
    ct_arena *arena = tree->graph->arena, *scratch = ct_arena_new(tree->graph->ctx);
    *entries = count_entries(scratch, tree, chords);
    ct_arena_free(scratch);
    if (*entries > max_entries)
        return NULL;
    ct_topology *topology = CT_NEW(arena, ct_topology);
    uint64_t *start = CT_NEW_ARRAY(arena, uint64_t, (size_t)chords + 1);
    uint32_t *row = CT_NEW_ARRAY(arena, uint32_t, *entries);
    int8_t *sign = CT_NEW_ARRAY(arena, int8_t, *entries);
    for (uint32_t k = 0; k < chords; k++)
        start[k + 1] = walk_chord(tree, k, start[k], row, sign);
    *topology = (ct_topology){tree, start, row, sign};
    return topology;
}

/* forest.h - walking in a graph: adjacency, rooted forests, circuits and lists of names. */
#ifndef CT_GRAPH_FOREST_H
#define CT_GRAPH_FOREST_H

#include "base/text.h"
#include "graph/graph.h"

#define CT_NONE UINT32_MAX /* no edge, no node */

enum { CT_MOST_NAMES = 8, CT_MOST_WITNESSES = 100, CT_MOST_REPORTS = 50 };

/* The edges at node v are edge[start[v]] .. edge[start[v + 1] - 1]. */
typedef struct ct_adjacency {
    const uint32_t *start, *edge;
} ct_adjacency;

/* chosen: NULL for all edges, else one flag per edge. An edge from a node to itself is left out. */
ct_adjacency ct_adjacent(ct_arena *arena, const ct_graph *graph, const bool *chosen);

typedef struct ct_forest {
    uint32_t *parent, *depth; /* per node, as in ct_tree */
    uint32_t *order;          /* all nodes, parents before children */
} ct_forest;

/* Breadth first over the chosen edges. Roots are the data; a part without datum hangs from its
 * first node. Extra edges among the chosen ones are passed over. */
ct_forest ct_forest_root(ct_arena *arena, const ct_graph *graph, const bool *chosen);

static inline uint32_t ct_other_end(const ct_graph *graph, uint32_t edge, uint32_t node)
{
    const ct_graph_edge *e = &graph->edge[edge];
    return e->tail == node ? e->head : e->tail;
}

typedef struct ct_forest_step {
    uint32_t edge;
    bool along; /* walked from tail to head */
} ct_forest_step;

typedef struct ct_forest_walk {
    ct_forest_step *step;
    uint32_t count;
} ct_forest_walk;

/* The circuit that `edge` closes with the forest: from its tail through the forest to its head,
 * then back along the edge itself, which is the last step. Count 0: longer than `most` steps. */
ct_forest_walk ct_forest_circuit(ct_arena *arena, const ct_graph *graph, const uint32_t *parent,
                                 const uint32_t *depth, uint32_t edge, uint32_t most);

/* "V1, V2 and V3"; only the first `most` are named, then "and 5 more": name[] beyond most + 1 is
 * not read. */
void ct_put_names(ct_text *text, const ct_context *ctx, const ct_name *name, size_t count,
                  size_t most);

const char *ct_edge_text(const ct_graph *graph, uint32_t edge);
const char *ct_node_text(const ct_graph *graph, uint32_t node);

#endif

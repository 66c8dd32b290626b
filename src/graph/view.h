/* view.h - one domain of a graph, arranged for people: what the writers print.
 *
 * Rows of [I] are the nodes in order of first mention with the datum last; columns of [I] are the
 * edges in order of statement. Columns of [A_f] and [B_f] are the branches, then the chords.
 */
#ifndef CT_GRAPH_VIEW_H
#define CT_GRAPH_VIEW_H

#include "graph/graph.h"

typedef struct ct_view {
    const ct_graph *graph;
    const ct_tree *tree; /* may be NULL */
    uint32_t domain;
    const uint32_t *node, *edge; /* of this domain */
    const uint32_t *column;      /* branches, then chords */
    const uint32_t *row_of;      /* per node of the graph: its place in node */
    const uint32_t *column_of;   /* per edge of the graph: its place in column */
    uint32_t node_count, edge_count, branch_count, parts;
    uint32_t datum; /* node, UINT32_MAX: none */
} ct_view;

ct_view ct_view_domain(ct_arena *arena, const ct_graph *graph, const ct_tree *tree,
                       uint32_t domain);

/* A sparse matrix of -1 and +1, row by row: row i has entries start[i] .. start[i+1]-1. */
typedef struct ct_signs {
    uint32_t rows, columns;
    const size_t *start;
    const uint32_t *column;
    const int8_t *sign;
} ct_signs;

ct_signs ct_view_incidence(ct_arena *arena, const ct_view *view);                      /* [I] */
ct_signs ct_view_cutsets(ct_arena *arena, const ct_view *view, const ct_topology *t);  /* [A_f] */
ct_signs ct_view_circuits(ct_arena *arena, const ct_view *view, const ct_topology *t); /* [B_f] */

#endif

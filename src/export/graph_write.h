/* graph_write.h - graphs and trees for people and for programs. The tree may be NULL: then nothing
 * is said about branches, cutsets and circuits.
 *
 * JSON: {"graphs": [one object per domain that has nodes]} with
 *   "domain", "datum" (name or null), "parts" (number), "nodes" (names, the datum last),
 *   "edges" [{"name", "tail", "head", "class", "coupling" (name or null), "branch", "reason"}],
 *   "spanning_trees" (number of any size; null: too many nodes to count),
 *   "incidence" (rows as "nodes", columns as "edges"),
 *   "columns" (names: branches, then chords), "cutset" and "circuit" (columns as "columns").
 * A matrix is an array of rows. Above 200 edges it is {"rows", "cols", "entries": [[row, column,
 * sign], ..]} instead, numbered from 0; entries is null when there would be more than five million,
 * and then "count" tells how many.
 */
#ifndef CT_EXPORT_GRAPH_WRITE_H
#define CT_EXPORT_GRAPH_WRITE_H

#include "base/text.h"
#include "graph/graph.h"

/* all: matrices of large graphs, too. */
void ct_graph_put_text(const ct_graph *graph, const ct_tree *tree, bool all, ct_text *out);
void ct_graph_put_json(const ct_graph *graph, const ct_tree *tree, ct_text *out);
void ct_graph_put_dot(const ct_graph *graph, const ct_tree *tree, ct_text *out); /* Graphviz */
void ct_graph_put_svg(const ct_graph *graph, const ct_tree *tree, ct_text *out);

#endif

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

/* The writers. */
#define GRAPH_FORMAT(word, endings, writer, help)                                                  \
    void writer(const ct_graph *graph, const ct_tree *tree, ct_text *out);
#include "export/formats.def"

/* False: no such format; NULL: text. */
bool ct_graph_put(const ct_graph *graph, const ct_tree *tree, const char *format, ct_text *out);

#endif

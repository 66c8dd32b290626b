/* graph_bodies.h - the graphs of bodies and joints as ordinary graphs. */
#ifndef CT_EXPORT_GRAPH_BODIES_H
#define CT_EXPORT_GRAPH_BODIES_H

#include "graph/graph.h"
#include "mechanics/mechanics.h"

/* The scalar graph and tree with two more domains; the graph is that of the tree. */
const ct_tree *ct_graph_with_bodies(const ct_graph *graph, const ct_tree *tree,
                                    const ct_mechanics *mechanics, ct_arena *arena);

#endif

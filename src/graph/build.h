/* build.h - the linear graphs of a model. */
#ifndef CT_GRAPH_BUILD_H
#define CT_GRAPH_BUILD_H

#include "graph/graph.h"
#include "model/model.h"

const ct_graph *ct_graph_build(const ct_model *model);

/* What the model asks for: its `tree` statements, those about bodies and joints too when wanted,
 * and its coordinates. */
void ct_graph_wishes(const ct_graph *graph, const ct_model *model, bool bodies, ct_tree_def *def);

/* Wishes from names such as `R2`, `M1.e`, `crank`; false after reporting one that is no edge
 * (E229). */
bool ct_graph_named_wishes(const ct_graph *graph, const char *const *name, uint32_t count,
                           ct_tree_def *def);

#endif

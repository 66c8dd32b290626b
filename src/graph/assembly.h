/* assembly.h - a graph in the making; private to build.c and bodies.c. */
#ifndef CT_GRAPH_ASSEMBLY_H
#define CT_GRAPH_ASSEMBLY_H

#include "base/vec.h"
#include "graph/graph.h"
#include "model/model.h"

typedef struct ct_assembly {
    const ct_model *m;
    ct_graph *g;
    uint32_t *domain_of; /* model's domain -> graph's */
    uint32_t *node_of;   /* model's node -> graph's */
    CT_VEC(ct_graph_domain) domain;
    CT_VEC(ct_graph_node) node;
    CT_VEC(ct_graph_edge) edge;
    CT_VEC(ct_coupling) coupling;
    CT_VEC(uint32_t) coupled;
} ct_assembly;

/* Both graphs of the model's mechanism, behind all others. */
void ct_assembly_add_bodies(ct_assembly *a);

#endif

/* classify.h - tree classes of a component's edges, from its terminal equations. */
#ifndef CT_GRAPH_CLASSIFY_H
#define CT_GRAPH_CLASSIFY_H

#include "model/model.h"

/* Tied edges: their equations do not say which is which (transformer, gyrator, nullor). */
typedef enum ct_edge_tie { CT_TIE_NONE, CT_TIE_ONE, CT_TIE_ALL } ct_edge_tie;

typedef struct ct_edge_classes {
    const uint8_t *class;      /* per edge: a ct_tree_class */
    const uint8_t *tied;       /* per edge: is it part of the tie? */
    const uint8_t *controlled; /* per edge: its equation reads other edges or own unknowns */
    ct_edge_tie tie;           /* exactly one of the tied edges is a branch, or all or none */
} ct_edge_classes;

typedef struct ct_classifier ct_classifier;
ct_classifier *ct_classifier_new(const ct_model *model, ct_arena *arena);

/* Structural zeros of the component's parameters are put in: a motor without inductance is no
 * delay. */
const ct_edge_classes *ct_classify(ct_classifier *c, uint32_t component);

#endif

/* choice.h - a tree in the making; private to the selection of trees. */
#ifndef CT_GRAPH_CHOICE_H
#define CT_GRAPH_CHOICE_H

#include "graph/forest.h"

typedef struct ct_choice {
    const ct_graph *graph;
    ct_arena *scratch;
    uint32_t *sets; /* nodes joined by the branches so far */
    bool *in;       /* per edge: a branch */
    bool *wanted;   /* per edge: a wish of the user */
} ct_choice;

/* Decides which edges of couplings become branches, such that the tree can still be completed with
 * the best classes (coupling.c). */
void ct_choose_coupled(ct_choice *choice);

/* Why each edge is where it is (reason.c). */
const char *const *ct_tree_reasons(const ct_tree *tree, const bool *wanted);

/* W321 for each coupling that has not the branches it needs (reason.c). */
void ct_warn_couplings(const ct_tree *tree, const bool *wanted);

#endif

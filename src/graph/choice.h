/* choice.h - a tree in the making; private to the selection of trees. */
#ifndef CT_GRAPH_CHOICE_H
#define CT_GRAPH_CHOICE_H

#include "graph/forest.h"

typedef struct ct_choice {
    const ct_graph *graph;
    ct_arena *scratch;
    uint32_t *sets;    /* nodes joined by the branches so far */
    bool *in;          /* per edge: a branch */
    bool *wanted;      /* per edge: a wish of the user */
    uint32_t *lead;    /* per rigid group of bodies: whose branch it has */
    bool *chosen_lead; /* and it was asked for */
} ct_choice;

/* Bodies and joints (body_tree.c): what is always a branch, a wish (false after reporting one that
 * cannot be), the rest by ranks. */
void ct_take_fixed(ct_choice *choice);
bool ct_settle_body_wish(ct_choice *choice, const ct_tree_wish *wish, uint32_t *edge);
void ct_report_body_circuit(const ct_choice *choice, const ct_tree_wish *wish,
                            const ct_forest_walk *walk); /* E602 */
void ct_complete_bodies(ct_choice *choice, ct_coordinates wish);

/* Decides which edges of couplings become branches, such that the tree can still be completed with
 * the best classes (coupling.c). */
void ct_choose_coupled(ct_choice *choice);

/* Why each edge is where it is (reason.c). */
const char *const *ct_tree_reasons(const ct_tree *tree);

/* W321 for each coupling that has not the branches it needs (reason.c). */
void ct_warn_couplings(const ct_tree *tree);

#endif

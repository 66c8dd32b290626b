/* drivers.h - what drivers alone make impossible, and how people of each domain say it. */
#ifndef CT_GRAPH_DRIVERS_H
#define CT_GRAPH_DRIVERS_H

#include "graph/forest.h"

typedef struct ct_domain_words {
    const char *domain;
    const char *across_driver, *across_drivers, *through_driver, *through_drivers;
    const char *gives_way; /* an element that takes any across and any through variable */
} ct_domain_words;

const ct_domain_words *ct_words(const ct_graph *graph, uint32_t domain);

/* Report circuits of across drivers (E310), cutsets of through drivers (E311). True: none.
 * Edges of couplings are no drivers here. */
bool ct_check_circuits(const ct_graph *graph);
bool ct_check_cutsets(const ct_graph *graph);

/* A circuit or cutset of drivers alone; walk.count 0: there is none. */
typedef struct ct_conflict {
    bool circuit;
    ct_forest_walk walk;
    const char *names, *edges; /* "V1 and V2"; "V1(+), V2(-)" */
    const char *nodes;         /* that a cutset cuts off */
    const ct_domain_words *words;
} ct_conflict;

/* The first one that an edge of the component is in, else the first. */
ct_conflict ct_find_conflict(const ct_graph *graph, uint32_t component, ct_arena *arena);

#endif

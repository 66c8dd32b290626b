/* drivers.h - what drivers alone make impossible, and how people of each domain say it. */
#ifndef CT_GRAPH_DRIVERS_H
#define CT_GRAPH_DRIVERS_H

#include "graph/graph.h"

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

#endif

/* exchange.h - the best spanning forest of a small graph in which some edges exclude each other.
 *
 * This is weighted matroid intersection: the forests of a graph on one side, "at most one element
 * of a slot" on the other. See exchange.c.
 */
#ifndef CT_GRAPH_EXCHANGE_H
#define CT_GRAPH_EXCHANGE_H

#include "base/arena.h"
#include "graph/graph.h"

/* What an element costs, the most important count first; the last one is the length of a search
 * path. */
enum { CT_COST_PARTS = 6 };
typedef struct ct_cost {
    int32_t at[CT_COST_PARTS];
} ct_cost;

int ct_cost_compare(const ct_cost *a, const ct_cost *b);
ct_cost ct_cost_add(ct_cost a, ct_cost b);

/* In the order in which a tree takes them. */
typedef enum ct_element_kind {
    CT_WELCOME, /* edge of a coupling that should have a branch: one violation less */
    CT_STORES,
    CT_DISSIPATES,
    CT_DELAYS,
    CT_UNWELCOME, /* edge of a coupling that should have no more branches: one violation more */
    CT_FORBIDDEN, /* through driver */
    CT_KIND_COUNT
} ct_element_kind;

typedef struct ct_exchange_edge {
    uint32_t tail, head; /* 0 .. node_count - 1 */
    uint32_t block; /* elements on a common circuit have one block; blocks share no nodes here */
    ct_element_kind kind;
    uint32_t slot; /* CT_NONE: excludes nothing */
    uint32_t edge; /* of the caller */
    bool in;       /* result: part of the forest */
} ct_exchange_edge;

typedef struct ct_exchange ct_exchange;

/* Elements come block by block, blocks numbered from 0. */
ct_exchange *ct_exchange_new(ct_arena *arena, ct_exchange_edge *element, uint32_t count,
                             uint32_t node_count, uint32_t slot_count);

/* Sets `in` of all elements; the kinds may differ from call to call. Elements without slot must be
 * able to span alone whatever all elements span. Exact as long as *work (steps left) lasts;
 * elements with a slot that come later only replace what they can replace directly. */
ct_cost ct_exchange_solve(ct_exchange *exchange, uint64_t *work);

#endif

/* formulation.h - private to src/formulate: the system while it is made. */
#ifndef CT_FORMULATE_FORMULATION_H
#define CT_FORMULATE_FORMULATION_H

#include "base/vec.h"
#include "formulate/system.h"

typedef CT_VEC(ct_term) term_list;

/* What an event sends through an edge (pushes.c). */
typedef struct ct_edge_push {
    uint32_t component, edge;
    bool across; /* its across variable is set; else its through variable */
    ct_name symbol;
} ct_edge_push;

struct ct_formulation {
    ct_system *system;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_arena *arena;
    ct_pool *pool;
    ct_expr zero, one, minus_one;
    CT_VEC(ct_unknown_row) unknown;
    CT_VEC(ct_row) row;
    CT_VEC(ct_term) term;
    ct_index by_name;
    uint32_t *potential;                        /* per node */
    uint32_t *across, *through, *position;      /* per edge; 0: not an unknown */
    uint32_t *position_parent, *position_depth; /* per node: forest of position edges */
    uint32_t *first_edge;                       /* per component */
    const ct_topology *topology;                /* NULL until needed */
    const uint64_t *cut_start; /* rows of [A_c]: entries of branch r are cut_start[r].. */
    const uint32_t *cut_chord;
    const int8_t *cut_sign;
    uint32_t states; /* rank of the next wanted state */
    ct_map integrals;
    bool keeps;         /* some component stores by a factor that may jump, */
    ct_map kept;        /* and what stays there -> unknown */
    uint32_t component; /* whose equation is expressed, and which; UINT32_MAX: none */
    uint16_t equation;
    ct_map expressed; /* what outputs, starts and events read -> in terms of unknowns */
    ct_map signals;   /* value -> name of the signal */
    bool signals_known;
    const struct ct_mechanics *mechanics; /* NULL: no bodies */
    ct_map held; /* multipliers of speed constraints that these hold -> 1 */
    CT_VEC(ct_definition_row) definition;
    CT_VEC(ct_edge_push) push; /* for runs */
    bool failed, published;    /* published: no further unknowns */
};

typedef struct ct_formulation formulation;

/* ---- impulses of events (pushes.c) */
struct ct_mechanics_push;
void ct_list_pushes(formulation *f);
bool ct_is_pushed(const formulation *f, uint32_t component);
ct_expr ct_with_pushes(formulation *f, uint32_t component, ct_expr e); /* its terminal equation */
const struct ct_mechanics_push *ct_list_speed_pushes(formulation *f, uint32_t *count);

/* ---- unknowns (unknowns.c) */
uint32_t ct_new_unknown(formulation *f, ct_unknown_kind kind, ct_name name, uint32_t owner);
uint32_t ct_rate_of(formulation *f, uint32_t unknown); /* makes it on demand */
ct_expr ct_unknown_symbol(formulation *f, uint32_t unknown);
uint32_t ct_across_unknown(formulation *f, uint32_t edge);
uint32_t ct_through_unknown(formulation *f, uint32_t edge);
uint32_t ct_potential_unknown(formulation *f, uint32_t node); /* 0 for a datum */
ct_name ct_edge_symbol(formulation *f, uint32_t edge, uint32_t row);
/* The edge that a symbol is a variable of, and which; UINT32_MAX: none. Likewise for nodes. */
uint32_t ct_edge_of(const formulation *f, ct_name symbol, const ct_variable_row **variable);
uint32_t ct_node_of(const formulation *f, ct_name symbol, const ct_variable_row **variable);

/* ---- variables of edges as sums of unknowns (edges.c); each is multiplied by factor */
void ct_put_across(formulation *f, uint32_t edge, ct_expr factor, term_list *out);
void ct_put_through(formulation *f, uint32_t edge, ct_expr factor, term_list *out);
void ct_put_by_branches(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out);
void ct_put_by_chords(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out);
/* The same for what is differentiated: branches and chords, and storage on the other side, which
 * in runs has an unknown of its own: where constraints jump they are apart. */
bool ct_stores_apart(const formulation *f, uint32_t edge, bool across);
void ct_put_primary_across(formulation *f, uint32_t edge, ct_expr factor, bool rate,
                           term_list *out);
void ct_put_primary_through(formulation *f, uint32_t edge, ct_expr factor, bool rate,
                            term_list *out);
void ct_put_position(formulation *f, uint32_t edge, ct_expr factor, term_list *out);
void ct_put_node_position(formulation *f, uint32_t node, ct_expr factor, term_list *out);
/* Variable of an edge by its order: across -1, 0, +1; through 0, +1. False: no such order. */
bool ct_put_variable(formulation *f, uint32_t edge, bool across, int order, ct_expr factor,
                     term_list *out);
ct_expr ct_terms_expr(formulation *f, const term_list *terms); /* as an expression */

/* ---- positions (positions.c) */
void ct_plan_positions(formulation *f);

/* ---- rows (topology_rows.c, terminal.c) */
/* Takes the list: it is empty afterwards. */
void ct_add_row(formulation *f, term_list *terms, ct_expr rest, bool nonlinear,
                ct_origin_kind origin, uint32_t index);
void ct_add_topological_rows(formulation *f);
void ct_add_terminal_rows(formulation *f);
void ct_add_state_rows(formulation *f);
/* e = 0 over unknowns: those with a constant factor become terms. */
void ct_add_expression_row(formulation *f, ct_expr e, ct_origin_kind origin, uint32_t index);

/* ---- time derivatives (rates.c) */
/* Symbols of the model replaced by unknowns; der() and integral() worked out. */
ct_expr ct_express(formulation *f, ct_expr e, ct_place place);
void ct_express_all(formulation *f, ct_expr *e, uint32_t count, ct_place place); /* in place */

/* ---- bodies and joints (motion.c) */
void ct_add_motion_unknowns(formulation *f);
void ct_add_motion_rows(formulation *f);
bool ct_is_held(const formulation *f, ct_name lambda);   /* its component has no row */
ct_expr ct_motion_value(formulation *f, ct_name symbol); /* 0: it is no variable of a mechanism */

#endif

/* reduced.h - a system brought to the smallest form that exact elimination gives:
 *
 *     x' = f(x, w, u, u', t)      states
 *     0  = g(x, w, u, u', t)      what is left to numerical solution (often nothing)
 *
 * and every other unknown as an expression of these. Dependent storage (capacitor loops, inductor
 * cutsets, geared inertias) is found by elimination, and its constraint differentiated
 * symbolically.
 */
#ifndef CT_REDUCE_REDUCED_H
#define CT_REDUCE_REDUCED_H

#include "formulate/system.h"

/* A row as it stood at some point of the elimination: sum of terms + rest = 0. */
typedef struct ct_shown {
    const ct_term *term;
    uint32_t term_count;
    ct_expr rest;
    uint32_t source; /* row of the system it grew from; UINT32_MAX: a constraint differentiated in
                        time */
} ct_shown;

/* One step of the elimination, for the derivation: the row was solved for the unknown. */
typedef struct ct_step {
    uint32_t unknown;
    ct_shown row;
} ct_step;

/* A constraint between states, c(x, t) = slack. The slack is the symbol of an input that is zero at
 * all times but in a jump: there it goes from what the values just before miss to zero, and rates
 * that hold its derivative take an impulse. */
typedef struct ct_slack {
    ct_name symbol;
    ct_expr constraint; /* c, over unknowns of the system, inputs, t and the slacks before it */
    ct_expr risen;      /* c when all but drivers is zero, where it is linear; else 0 */
    uint32_t dependent; /* the unknown that it determines; 0: rows do, numerically */
    const ct_speed_driver *driver; /* or: of a joint's speed; else NULL */
} ct_slack;

typedef struct ct_reduced {
    const ct_system *system;
    ct_arena *arena;
    const uint32_t *state;  /* unknowns */
    const ct_expr *rate;    /* f, over symbols of states, algebraic unknowns, inputs, params, t */
    const ct_expr *balance; /* one for each rate: they vanish together, but no state divides these;
                               NULL: the rates themselves */
    uint32_t state_count;
    const uint32_t *algebraic; /* unknowns w */
    const ct_expr *residual;   /* g */
    uint32_t algebraic_count;
    const ct_expr *value; /* per unknown, over the same symbols; 0: undetermined and of no effect
                             (or not asked for yet, after ct_reduce_only) */
    const ct_expr *pivot; /* divisors that must not be zero; depend on parameters only */
    uint32_t pivot_count;
    const ct_expr *constraint; /* between initial values: must vanish (dependent states) */
    const uint32_t *dependent; /* the state it determines */
    uint32_t constraint_count;
    const ct_slack *slack;
    uint32_t slack_count;
    const ct_invariant *invariant; /* of the system, then what networks prescribe */
    uint32_t invariant_count;
    const ct_step *step; /* in order of elimination */
    uint32_t step_count;
    /* The governing equations as a person would write them: all plain unknowns eliminated that can
     * be, rates not solved for. First those that hold rates, then the algebraic ones. */
    const ct_shown *equation;
    uint32_t equation_count;
    bool closed;          /* published: readers express by views */
    struct engine *maker; /* private: for values that are asked for later; NULL: forgotten */
} ct_reduced;

/* NULL after reporting (E510 .. E513). The system is used up: its terms may be gone. Where a
 * constraint was differentiated the rate of time itself is the symbol der(t). */
ct_reduced *ct_reduce(ct_system *system);
/* The same for a run: without steps and equations, values only of what somebody reads. */
ct_reduced *ct_reduce_only(ct_system *system);

/* For the eye, after ct_reduce: rates of time are 1, and slacks are left out (plain.c). */
ct_reduced *ct_reduced_plain(ct_reduced *reduced);

/* The same for one reader, open: values that are found for what it expresses are kept in its arena,
 * and what was published stays as it was. */
const ct_reduced *ct_reduced_view(const ct_reduced *reduced, ct_arena *arena);

/* An expression over the system's unknowns (see ct_system_express) in terms of states, w, inputs; 0
 * after reporting. */
ct_expr ct_reduced_express(const ct_reduced *reduced, ct_expr e, ct_place place);

/* The value of an unknown, or of a definition, in these terms; 0: it is none, or has none. Until
 * ct_reduced_forget. */
ct_expr ct_reduced_value(const ct_reduced *reduced, ct_name symbol);

/* The equations before anything was eliminated, but with the derivatives of constraints and without
 * rows that say nothing: as many as there are unknowns that are no states. Accelerations are put
 * in. NULL: they are gone (after ct_reduce_only). */
const ct_expr *ct_reduced_whole(const ct_reduced *reduced, ct_arena *arena, uint32_t *count);
/* Per unknown: its value over states, algebraic unknowns, inputs; 0: none. */
const ct_expr *ct_reduced_values(const ct_reduced *reduced, ct_arena *arena);

/* An expression over symbols of the model in terms of all unknowns; 0 after reporting. */
ct_expr ct_reduced_open(const ct_reduced *reduced, ct_expr e, ct_place place);

/* After ct_reduce_only, when all is expressed, by who made it: gives back what only that needs,
 * also of the system. States, rates and residuals stay. */
void ct_reduced_forget(ct_reduced *reduced);

#endif

/* project.h - back to the invariants of a problem by the least change of x, or of the dependent x
 * alone. */
#ifndef CT_SOLVE_PROJECT_H
#define CT_SOLVE_PROJECT_H

#include "solve/problem.h"

typedef struct ct_projector ct_projector;

/* NULL: the problem has none. All memory from the arena, but for what free gives back. */
ct_projector *ct_projector_new(ct_arena *arena, const ct_problem *problem, bool independent);
void ct_projector_free(ct_projector *projector);

/* Newton with least change until c(t, x) no longer becomes smaller; w stays. CT_SOLVED: |c| is at
 * the level of rounding, or as small as it gets and below 1e-6; x is not touched otherwise. */
ct_solve_status ct_project(ct_projector *projector, double t, double *z);
/* How far from a singular position, where constraints depend on each other: 1 far, 0 there. */
double ct_projector_margin(const ct_projector *projector);
/* Of independent x, after a point was brought back to z: chooses anew which x stay when the
 * present choice has become poor there; true: it did, and not for the first time. Near a singular
 * position no choice is good, and all x may change. The margin is that of all x then. */
bool ct_projector_choose(ct_projector *projector, double t, const double *z);
/* A choice holds. */
bool ct_projector_holds(const ct_projector *projector);
/* The invariant that depends most on those before it; UINT32_MAX: not known. */
uint32_t ct_projector_weakest(const ct_projector *projector);

#endif

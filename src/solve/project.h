/* project.h - back to the invariants of a problem by the least change of x. */
#ifndef CT_SOLVE_PROJECT_H
#define CT_SOLVE_PROJECT_H

#include "solve/problem.h"

typedef struct ct_projector ct_projector;

/* NULL: the problem has none. All memory from the arena, but for what free gives back. */
ct_projector *ct_projector_new(ct_arena *arena, const ct_problem *problem);
void ct_projector_free(ct_projector *projector);

/* Newton with least change until c(t, x) no longer becomes smaller; w stays. CT_SOLVED: |c| is at
 * the level of rounding, or as small as it gets and below 1e-6; x is not touched otherwise. */
ct_solve_status ct_project(ct_projector *projector, double t, double *z);
double ct_projector_left(const ct_projector *projector); /* largest |c| after it, in its units */
/* How far from a singular position, where constraints depend on each other: 1 far, 0 there. */
double ct_projector_margin(const ct_projector *projector);
/* The invariant that depends most on those before it; UINT32_MAX: not known. */
uint32_t ct_projector_weakest(const ct_projector *projector);

#endif

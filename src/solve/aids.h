/* aids.h - solutions of equations with exponentials, when Newton's method fails from the guess. */
#ifndef CT_SOLVE_AIDS_H
#define CT_SOLVE_AIDS_H

#include "solve/newton.h"

typedef enum ct_aid { CT_AID_LIMITING, CT_AID_SOFTNESS, CT_AID_SOURCES, CT_AID_COUNT } ct_aid;

/* From z to a solution for z[first ..]; false: not found, or the problem has nothing to be lifted;
 * z is then as it was. What is found is exact up to 1e-10: to be finished by Newton's method. */
bool ct_find_with_aids(ct_arena *arena, const ct_problem *problem, uint32_t first, ct_aid aid,
                       double t, double *z, ct_run_stats *stats);

#endif

/* stiffness.h - does a fast part that has died out hold the steps of an explicit method?
 * (stiffness.c) */
#ifndef CT_SOLVE_STIFFNESS_H
#define CT_SOLVE_STIFFNESS_H

#include "solve/run.h"

typedef struct ct_stiffness {
    uint32_t stiff_count, calm_count; /* steps */
} ct_stiffness;

/* Two points and their slopes; of a step its begin and its end. */
typedef struct ct_slope_pair {
    const double *z[2], *f[2];
} ct_slope_pair;

/* lambda, by two points at the same time that are near each other. */
double ct_fastest_rate(uint32_t n, const double *weight, const ct_slope_pair *near);
/* Is a step with this h lambda held by a fast part? limit: of h lambda, for stability. */
bool ct_step_is_stiff(uint32_t n, const double *weight, const ct_slope_pair *ends, double fast,
                      double limit);
/* After each step: sets s->stiff when many were stiff and many are to come. */
void ct_stiffness_watch(ct_stiffness *stiffness, ct_stepper *s, bool stiff_step, double h);

#endif

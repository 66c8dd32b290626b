/* gauge.h - errors of what rows show beyond z (gauge.c). */
#ifndef CT_SOLVE_GAUGE_H
#define CT_SOLVE_GAUGE_H

#include "solve/run.h"

/* The tightest tolerances: rounding bounds the relative one, the absolute one only must not vanish.
 */
#define CT_FINEST_RTOL 1e-13
#define CT_FINEST_ATOL 1e-30

typedef struct ct_gauge {
    void *user;
    void (*show)(void *user, double t, const double *z, double *value);
    uint32_t count, size; /* of what is shown, and of z */
    double rtol;          /* as asked for */
    double *here, *there; /* what is shown at a point, and near it */
    double *off, *noise;  /* errors; what rounding makes */
    double *most;         /* the largest so far */
    double *near;         /* a point beside another */
} ct_gauge;

/* In how many tolerances of what is shown an error of one tolerance of z may count at most. Rates
 * need some 1/(h w) for motions of frequency w; a difference of large numbers, such as an energy
 * that is zero, would take any number. Errors of z are meant as they were before stiff parts damped
 * them. */
static const double ct_gauge_most = 50;

/* What is known of it already: user, show, count, size, rtol. Takes memory for the rest. */
void ct_gauge_open(ct_gauge *gauge, ct_arena *arena);
/* Between -1 and 1, another for each i and pattern: signs of rounding errors. */
double ct_gauge_pattern(uint32_t i, uint32_t pattern);
ct_gauge ct_gauge_of(ct_integration *run);
/* The largest error of what is shown, in tolerances, when z at t has this error; 0: none counts. */
double ct_gauge_error(ct_gauge *gauge, double t, const double *z, const double *error);
/* The point of the last call belongs to the solution. */
void ct_gauge_note(ct_gauge *gauge);

/* For methods that cannot be told what to measure: the share of the tolerances for the next step,
 * when the last one showed this error, its stiff part left out; at least so much. */
double ct_gauge_share(double shown, double share, double least);
#define CT_LEAST_SHARE 0.02

#endif

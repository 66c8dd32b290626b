/* gauge.h - errors of what rows show beyond z (gauge.c). */
#ifndef CT_SOLVE_GAUGE_H
#define CT_SOLVE_GAUGE_H

#include "solve/run.h"

typedef struct ct_gauge {
    uint32_t count;
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

ct_gauge ct_gauge_new(ct_integration *run);
/* The largest error of what is shown, in tolerances, when z at t has this error; 0: none counts. */
double ct_gauge_error(ct_gauge *gauge, ct_integration *run, double t, const double *z,
                      const double *error);
/* The point of the last call belongs to the solution. */
void ct_gauge_note(ct_gauge *gauge);

#endif

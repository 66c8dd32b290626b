/* mend.h - rows of methods with a memory: their stiff part (mend.c). */
#ifndef CT_SOLVE_MEND_H
#define CT_SOLVE_MEND_H

#include "solve/run.h"

typedef struct ct_mender {
    double *most_rate; /* of each x, so far */
    double *gap, *from;
} ct_mender;

/* What the method knows at t: the slope of its polynomial, and a matrix A of its last step with
 * A dz = factor (f - c dx, g) for small changes dz of z. */
typedef struct ct_mend_def {
    double t;
    const double *slope;
    ct_linear *linear;
    double c, factor;
} ct_mend_def;

ct_mender ct_mender_new(ct_integration *run);
/* z: the point of the polynomial, becomes that of the solution. */
void ct_mend(ct_mender *mender, ct_integration *run, const ct_mend_def *def, double *z);

#endif

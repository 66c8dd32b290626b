/* sincos.h - sine and cosine, the same bits everywhere: on the tape, in machine code, in lanes, in
 * exported C, for one argument or many at once.
 *
 * The error is below 0.8 units of the last place for |x| <= 1e5; beyond it is that of libm. */
#ifndef CT_BASE_SINCOS_H
#define CT_BASE_SINCOS_H

#include <stddef.h>

#include "base/wide.h"

double ct_sin(double x);
double ct_cos(double x);
void ct_sincos(double x, double *sine, double *cosine);

/* The results must not overlap the arguments. */
void ct_sincos_many(const double *x, double *sine, double *cosine, size_t count);

ct_wide_fn ct_wide_sin(void);
ct_wide_fn ct_wide_cos(void);
/* The sine is the result; the cosine goes to memory, the address of which is a further argument. */
ct_wide_fn ct_wide_sincos(void);

#endif

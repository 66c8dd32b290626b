/* ldl_number.h - inside the folder: arithmetic of the two kinds of numbers that L holds.
 *
 * ldl_columns.def and ldl_front.def are read once for each kind, with NUMBER and the names below.
 */
#ifndef CT_SOLVE_LDL_NUMBER_H
#define CT_SOLVE_LDL_NUMBER_H

#include <math.h>

#include "solve/ldl.h"

/* A pivot below this part of the largest entry of its column counts as zero. */
static const double ct_least_pivot = 1e-13;

static inline double ct_real_mul(double a, double b)
{
    return a * b;
}
static inline double ct_real_sub(double a, double b)
{
    return a - b;
}
static inline double ct_real_add(double a, double b)
{
    return a + b;
}
static inline double ct_real_inverse(double a)
{
    return 1 / a;
}
static inline double ct_real_size(double a)
{
    return fabs(a);
}

static inline ct_complex ct_complex_mul(ct_complex a, ct_complex b)
{
    return (ct_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline ct_complex ct_complex_sub(ct_complex a, ct_complex b)
{
    return (ct_complex){a.re - b.re, a.im - b.im};
}
static inline ct_complex ct_complex_add(ct_complex a, ct_complex b)
{
    return (ct_complex){a.re + b.re, a.im + b.im};
}
static inline ct_complex ct_complex_inverse(ct_complex a)
{
    double s = 1 / (a.re * a.re + a.im * a.im);
    return (ct_complex){a.re * s, -a.im * s};
}
static inline double ct_complex_size(ct_complex a)
{
    return fabs(a.re) + fabs(a.im);
}

/* s e + a */
static inline double ct_real_entry(double s, double e, double a)
{
    return s * e + a;
}
static inline ct_complex ct_complex_entry(ct_complex s, double e, double a)
{
    return (ct_complex){s.re * e + a, s.im * e};
}

#endif

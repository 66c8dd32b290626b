/* nvector_kernel.c - the loops over numbers of these vectors. */
#include "solve/nvector_kernel.h"

#include <math.h>

#include "solve/nvector.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

static void scale_apart(uint32_t n, double c, const double *restrict x, double *restrict z)
{
    for (uint32_t i = 0; i < n; i++)
        z[i] = c * x[i];
}

static void scale_in_place(uint32_t n, double c, double *z)
{
    for (uint32_t i = 0; i < n; i++)
        z[i] *= c;
}

void ct_kernel_scale(uint32_t n, double c, const double *x, double *z)
{
    if (x == z)
        scale_in_place(n, c, z);
    else
        scale_apart(n, c, x, z);
}

static void axpy(uint32_t n, double a, const double *restrict x, double *restrict y)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void plus(uint32_t n, const double *restrict x, double *restrict y)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] += x[i];
}

static void combine(uint32_t n, double a, const double *restrict x, double b, double *restrict y)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = a * x[i] + b * y[i];
}

void ct_kernel_add(uint32_t n, double a, const double *x, double b, double *y)
{
    if (x == y)
        scale_in_place(n, a + b, y);
    else if (a == 1 && b == 1)
        plus(n, x, y);
    else if (b == 1)
        axpy(n, a, x, y);
    else
        combine(n, a, x, b, y);
}

void ct_kernel_sum(uint32_t n, double a, const double *restrict x, double b,
                   const double *restrict y, double *restrict z)
{
    for (uint32_t i = 0; i < n; i++)
        z[i] = a * x[i] + b * y[i];
}

/* Four partial sums: the additions of one sum would wait for each other. */
double ct_kernel_dot(uint32_t n, const double *x, const double *y)
{
    double s[4] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            s[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        s[0] += x[i] * y[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

double ct_kernel_squares(uint32_t n, const double *x, const double *w)
{
    double s[4] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++) {
            double term = x[i + k] * w[i + k];
            s[k] += term * term;
        }
    for (; i < n; i++)
        s[0] += (x[i] * w[i]) * (x[i] * w[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* NaN counts as infinite: comparisons alone would pass over it. */
double ct_kernel_most(uint32_t n, const double *x, const double *w)
{
    double most[4] = {0, 0, 0, 0}, bad = 0;
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++) {
            double term = fabs(x[i + k] * w[i + k]);
            most[k] = term > most[k] ? term : most[k];
            bad += term - term;
        }
    for (; i < n; i++) {
        double term = fabs(x[i] * w[i]);
        most[0] = term > most[0] ? term : most[0];
        bad += term - term;
    }
    return bad == 0 ? fmax(fmax(most[0], most[1]), fmax(most[2], most[3])) : INFINITY;
}

double ct_weighted_rms(uint32_t n, const double *x, const double *weight)
{
    return n ? sqrt(ct_kernel_squares(n, x, weight) / n) : 0;
}

bool ct_all_finite(uint32_t n, const double *x)
{
    double s[4] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            s[k] += x[i + k] * 0;
    for (; i < n; i++)
        s[0] += x[i] * 0;
    return s[0] + s[1] + s[2] + s[3] == 0;
}

/* test_lti.h - linear systems for the tests of src/study/lti*.c. */
#ifndef TEST_LTI_H
#define TEST_LTI_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "study/lti.h"

static const double pi = 3.14159265358979323846;

/* A number within a relative and absolute tolerance. */
static inline void near(double got, double want, double tolerance, const char *what)
{
    if (!(fabs(got - want) <= tolerance * (1 + fabs(want))))
        fail_msg("%s: %.17g instead of %.17g", what, got, want);
}

/* Spectra as sets: each wanted root has a partner of its own within the tolerance, relative to the
 * root. Defective roots are off by the square root of the rounding. */
static inline void same_roots(const ct_mode *got, uint32_t count, const double complex *want,
                              uint32_t wanted, double tolerance, const char *what)
{
    bool used[256] = {false};
    assert_true(count < 256);
    if (count != wanted)
        fail_msg("%s: %u roots instead of %u", what, count, wanted);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t best = 0;
        double least = INFINITY;
        for (uint32_t k = 0; k < count; k++) {
            double away = cabs(got[k].re + got[k].im * I - want[i]);
            if (!used[k] && away < least) {
                least = away;
                best = k;
            }
        }
        if (!(least <= tolerance * fmax(cabs(want[i]), 1e-300)))
            fail_msg("%s: no root %.17g%+.17gi, nearest is %.3g away", what, creal(want[i]),
                     cimag(want[i]), least);
        used[best] = true;
    }
}

/* Numbers that look random and are the same everywhere. */
typedef struct dice {
    uint64_t state;
} dice;

static inline double throw_dice(dice *d) /* -1 .. 1 */
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(d->state >> 11) / 4503599627370496.0 - 1;
}

static inline double *random_matrix(ct_arena *arena, dice *d, size_t rows, size_t cols)
{
    double *a = CT_NEW_ARRAY(arena, double, rows *cols);
    for (size_t i = 0; i < rows * cols; i++)
        a[i] = throw_dice(d);
    return a;
}

static inline double *product(ct_arena *arena, const double *a, const double *b, size_t rows,
                              size_t inner, size_t cols)
{
    double *out = CT_NEW_ARRAY(arena, double, rows *cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < inner; k++)
            for (size_t c = 0; c < cols; c++)
                out[i * cols + c] += a[i * inner + k] * b[k * cols + c];
    return out;
}

/* Orthogonal: a product of Householder's reflections. */
static inline double *rotation(ct_arena *arena, dice *d, size_t n)
{
    double *q = CT_NEW_ARRAY(arena, double, n *n);
    for (size_t i = 0; i < n; i++)
        q[i * n + i] = 1;
    for (int times = 0; times < 3; times++) {
        double *v = random_matrix(arena, d, n, 1), size = 0;
        double *h = CT_NEW_ARRAY(arena, double, n *n);
        for (size_t i = 0; i < n; i++)
            size += v[i] * v[i];
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                h[i * n + k] = (i == k) - 2 * v[i] * v[k] / size;
        q = product(arena, q, h, n, n, n);
    }
    return q;
}

static inline double *transposed(ct_arena *arena, const double *a, size_t rows, size_t cols)
{
    double *out = CT_NEW_ARRAY(arena, double, rows *cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < cols; k++)
            out[k * rows + i] = a[i * cols + k];
    return out;
}

#endif

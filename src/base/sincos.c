/* sincos.c - sine and cosine by reduction to |r| <= pi/4 and one polynomial each.
 *
 * x = n*pi/2 + r. n has 17 bits at most and pi/2 stands in three parts of 35 bits and a rest, so
 * that the products n*part are exact; r is kept as two numbers. Every operation is one rounded
 * operation of IEEE arithmetic (never compile this with contraction), in the same order for 1, 2
 * and 4 arguments, so that the bits do not depend on the way.
 *
 * This file stands alone: exported code holds its text, with CT_SINCOS defined as `static`. */
#ifndef CT_SINCOS
#include "base/cpu.h"
#include "base/sincos.h"
#define CT_SINCOS
#endif

#include <math.h>
#include <stdint.h>
#include <string.h>

#define CT_CIRCLE_LIMIT 1e5 /* n*part would not be exact far beyond it */
#define CT_CIRCLE_ROUND                                                                            \
    0x1.8p52 /* adding it rounds to whole numbers; they show in the last bits                      \
              */

#define CT_TWO_BY_PI 0x1.45f306dc9c883p-1
#define CT_HALF_PI_1 0x1.921fb5444p+0
#define CT_HALF_PI_2 0x1.68c234c4cp-39
#define CT_HALF_PI_3 0x1.98a2e037p-77
#define CT_HALF_PI_4 0x1.cd129024e088ap-115

/* sin(r) = r + S1 r^3 + .., cos(r) = 1 - r^2/2 + C1 r^4 + ..: the best ones for |r| <= pi/4 (1 +
 * 5e-5) whose first coefficient is the double next to -1/6, 1/24; errors 2^-57, 2^-62. */
#define CT_SIN_1 -0x1.5555555555555p-3
#define CT_SIN_2 0x1.11111111106f4p-7
#define CT_SIN_3 -0x1.a01a019d8fdbcp-13
#define CT_SIN_4 0x1.71de3694e0676p-19
#define CT_SIN_5 -0x1.ae5f2b92e701fp-26
#define CT_SIN_6 0x1.5dc68afd207d3p-33
#define CT_COS_1 0x1.5555555555555p-5
#define CT_COS_2 -0x1.6c16c16c16314p-10
#define CT_COS_3 0x1.a01a019e39976p-16
#define CT_COS_4 -0x1.27e4f90aeda18p-22
#define CT_COS_5 0x1.1eea8c9e1daeep-29
#define CT_COS_6 -0x1.8ffbf1dd3258dp-37

/* The text of the function of x for `real`: a double or a vector of doubles; `bits` are as many
 * words.
 *
 * y0 - w1 is y1 with the error e1, y1 - w2 likewise y2 with e2: errors are exact when w is the
 * smaller one [Dekker], and else there are none, because few digits are left. r = y2 - rest, where
 * the rest is so small that its first power is enough. In odd quadrants the two change places; bit
 * 1 of n, and of n + 1, is the sign. */
#define CT_CIRCLE_TEXT(real, bits)                                                                 \
    real shifted, sine, cosine;                                                                    \
    shifted = x * CT_TWO_BY_PI + CT_CIRCLE_ROUND;                                                  \
    const real n = shifted - CT_CIRCLE_ROUND;                                                      \
    const real y0 = x - n * CT_HALF_PI_1, w1 = n * CT_HALF_PI_2, w2 = n * CT_HALF_PI_3;            \
    const real y1 = y0 - w1, y2 = y1 - w2;                                                         \
    const real e1 = (y0 - y1) - w1, e2 = (y1 - y2) - w2;                                           \
    const real rest = n * CT_HALF_PI_4 - (e1 + e2);                                                \
    const real z = y2 * y2, zz = z * z, cube = z * y2, half = 0.5 * z, most = 1 - half;            \
    const real p = (CT_SIN_2 + z * CT_SIN_3) + zz * ((CT_SIN_4 + z * CT_SIN_5) + zz * CT_SIN_6);   \
    const real q = (CT_COS_1 + z * CT_COS_2) +                                                     \
                   zz * ((CT_COS_3 + z * CT_COS_4) + zz * (CT_COS_5 + z * CT_COS_6));              \
    sine = y2 - (rest * most - cube * (CT_SIN_1 + z * p));                                         \
    cosine = most + (((1 - most) - half) + (zz * q + y2 * rest));                                  \
    bits k, a, b;                                                                                  \
    memcpy(&k, &shifted, sizeof k);                                                                \
    memcpy(&a, &sine, sizeof a);                                                                   \
    memcpy(&b, &cosine, sizeof b);                                                                 \
    const bits change = (a ^ b) & (0 - (k & 1)), top = (bits){0} + ((uint64_t)1 << 63);            \
    a = (a ^ change) ^ ((k << 62) & top);                                                          \
    b = (b ^ change) ^ (((k + 1) << 62) & top);                                                    \
    memcpy(to_sine, &a, sizeof a);                                                                 \
    memcpy(to_cosine, &b, sizeof b)

static int ct_circle_small(double x)
{
    return fabs(x) <= CT_CIRCLE_LIMIT; /* no for what is not a number */
}

static inline void ct_circle_1(const double *from, double *to_sine, double *to_cosine)
{
    const double x = *from;
    CT_CIRCLE_TEXT(double, uint64_t);
}

CT_SINCOS double ct_sin(double x)
{
    double sine, cosine;
    if (!ct_circle_small(x))
        return sin(x);
    ct_circle_1(&x, &sine, &cosine);
    return sine;
}

CT_SINCOS double ct_cos(double x)
{
    double sine, cosine;
    if (!ct_circle_small(x))
        return cos(x);
    ct_circle_1(&x, &sine, &cosine);
    return cosine;
}

CT_SINCOS void ct_sincos(double x, double *sine, double *cosine)
{
    if (ct_circle_small(x)) {
        ct_circle_1(&x, sine, cosine);
        return;
    }
    *sine = sin(x);
    *cosine = cos(x);
}

/* ---- many at once
 *
 * Each way does groups of four until one of them holds a large argument, and says how many it did.
 * Arguments are loaded one by one: they were stored so a moment ago, and a wide load would wait. */

#if defined __x86_64__ && defined __GNUC__

typedef double ct_real2 __attribute__((vector_size(16)));
typedef uint64_t ct_bits2 __attribute__((vector_size(16)));
typedef double ct_real4 __attribute__((vector_size(32)));
typedef uint64_t ct_bits4 __attribute__((vector_size(32)));

static inline int ct_circle_2(const double *from, double *to_sine, double *to_cosine)
{
    const ct_real2 x = {from[0], from[1]};
    const ct_bits2 small = (ct_bits2)((x <= CT_CIRCLE_LIMIT) & (x >= -CT_CIRCLE_LIMIT));
    CT_CIRCLE_TEXT(ct_real2, ct_bits2);
    return __builtin_ia32_movmskpd((ct_real2)small) == 3;
}

static size_t ct_circles_2(const double *x, double *sine, double *cosine, size_t count)
{
    size_t i = 0;
    while (i + 4 <= count && ct_circle_2(x + i, sine + i, cosine + i) &&
           ct_circle_2(x + i + 2, sine + i + 2, cosine + i + 2))
        i += 4;
    return i;
}

__attribute__((target("avx2"))) static inline int ct_circle_4(const double *from, double *to_sine,
                                                              double *to_cosine)
{
    const ct_real4 x = {from[0], from[1], from[2], from[3]};
    const ct_bits4 small = (ct_bits4)((x <= CT_CIRCLE_LIMIT) & (x >= -CT_CIRCLE_LIMIT));
    CT_CIRCLE_TEXT(ct_real4, ct_bits4);
    return __builtin_ia32_movmskpd256((ct_real4)small) == 15;
}

__attribute__((target("avx2"))) static size_t ct_circles_4(const double *x, double *sine,
                                                           double *cosine, size_t count)
{
    size_t i = 0;
    while (i + 4 <= count && ct_circle_4(x + i, sine + i, cosine + i))
        i += 4;
    return i;
}

#ifndef CT_HAS_AVX2 /* base/cpu.h; alone, this file asks the processor */
#define CT_HAS_AVX2 __builtin_cpu_supports("avx2")
#endif

static size_t ct_circles(const double *x, double *sine, double *cosine, size_t count)
{
    return CT_HAS_AVX2 ? ct_circles_4(x, sine, cosine, count)
                       : ct_circles_2(x, sine, cosine, count);
}

#else

static size_t ct_circles(const double *x, double *sine, double *cosine, size_t count)
{
    (void)x, (void)sine, (void)cosine, (void)count;
    return 0;
}

#endif

/* Two or three: as quick as four. */
static int ct_circles_last(const double *x, double *sine, double *cosine, size_t count)
{
    double v[4] = {x[0], x[1], count > 2 ? x[2] : 0, 0}, s[4], c[4];
    if (ct_circles(v, s, c, 4) < 4)
        return 0;
    sine[0] = s[0], cosine[0] = c[0];
    sine[1] = s[1], cosine[1] = c[1];
    if (count > 2)
        sine[2] = s[2], cosine[2] = c[2];
    return 1;
}

CT_SINCOS void ct_sincos_many(const double *x, double *sine, double *cosine, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        i += ct_circles(x + i, sine + i, cosine + i, count - i);
        end = i + 4 < count ? i + 4 : count;
        if (end - i > 1 && end - i < 4 && ct_circles_last(x + i, sine + i, cosine + i, end - i))
            return;
        for (size_t k = i; k < end; k++)
            ct_sincos(x[k], &sine[k], &cosine[k]);
    }
}

/* ---- four at once, in registers */

#ifdef CT_BASE_SINCOS_H
#if defined __x86_64__ && defined __GNUC__

__attribute__((target("avx2"))) static ct_real4 ct_sincos_wide(ct_real4 x, double *cosine)
{
    double from[4], to[4];
    ct_real4 sine;
    memcpy(from, &x, sizeof from);
    if (!ct_circle_4(from, to, cosine))
        for (int i = 0; i < 4; i++)
            ct_sincos(from[i], &to[i], &cosine[i]);
    memcpy(&sine, to, sizeof sine);
    return sine;
}

__attribute__((target("avx2"))) static ct_real4 ct_sin_wide(ct_real4 x)
{
    double cosine[4];
    return ct_sincos_wide(x, cosine);
}

__attribute__((target("avx2"))) static ct_real4 ct_cos_wide(ct_real4 x)
{
    double to[4];
    ct_real4 cosine;
    ct_sincos_wide(x, to);
    memcpy(&cosine, to, sizeof cosine);
    return cosine;
}

ct_wide_fn ct_wide_sin(void)
{
    return (ct_wide_fn)ct_sin_wide;
}

ct_wide_fn ct_wide_cos(void)
{
    return (ct_wide_fn)ct_cos_wide;
}

ct_wide_fn ct_wide_sincos(void)
{
    return (ct_wide_fn)ct_sincos_wide;
}

#else

ct_wide_fn ct_wide_sin(void)
{
    return NULL;
}

ct_wide_fn ct_wide_cos(void)
{
    return NULL;
}

ct_wide_fn ct_wide_sincos(void)
{
    return NULL;
}

#endif
#endif

/* esdirk_kernel.c - see esdirk_kernel.h. Compiled twice: for vectors of 2 doubles, and of 4 (AVX2),
 * taken when the processor knows them. */
#include "solve/esdirk_kernel.h"

#include <math.h>

#include "base/cpu.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#ifdef __GNUC__
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

enum { LANES = 4 };

/* ---- loops over one range */

typedef struct sum_case {
    double *to;
    uint32_t count;
    const double *by;
    const double *const *x;
} sum_case;

#define X(i) const double b##i = s->by[i], *x##i = s->x[i];
#define LOOP(v)                                                                                    \
    for (uint32_t k = begin; k < end; k++)                                                         \
    to[k] = (v)

INLINED void sum_range(uint32_t begin, uint32_t end, const sum_case *s)
{
    double *restrict to = s->to;
    X(0)
    if (s->count == 1) {
        LOOP(b0 * x0[k]);
        return;
    }
    X(1)
    if (s->count == 2) {
        LOOP(b0 * x0[k] + b1 * x1[k]);
        return;
    }
    X(2)
    if (s->count == 3) {
        LOOP(b0 * x0[k] + b1 * x1[k] + b2 * x2[k]);
        return;
    }
    X(3)
    if (s->count == 4) {
        LOOP(b0 * x0[k] + b1 * x1[k] + b2 * x2[k] + b3 * x3[k]);
        return;
    }
    X(4)
    if (s->count == 5) {
        LOOP(b0 * x0[k] + b1 * x1[k] + b2 * x2[k] + b3 * x3[k] + b4 * x4[k]);
        return;
    }
    X(5)
    if (s->count == 6) {
        LOOP(b0 * x0[k] + b1 * x1[k] + b2 * x2[k] + b3 * x3[k] + b4 * x4[k] + b5 * x5[k]);
        return;
    }
    X(6)
    LOOP(b0 * x0[k] + b1 * x1[k] + b2 * x2[k] + b3 * x3[k] + b4 * x4[k] + b5 * x5[k] + b6 * x6[k]);
}

INLINED double share_of(double step, uint32_t i, const ct_esdirk_scale *s)
{
    double size = fabs(s->z[i]), most = s->most[i];
    return fabs(step) / (s->atol + s->rtol * (most > size ? most : size));
}

/* most[1] becomes NaN where a size is not finite. */
INLINED void size_range(uint32_t begin, uint32_t end, const double *step,
                        const ct_esdirk_scale *scale, const bool *counts, double most[LANES])
{
    const ct_esdirk_scale s = *scale;
    for (uint32_t i = begin; i < end; i++) {
        double size = counts[i] ? share_of(step[i], i, &s) : 0;
        most[0] = size > most[0] ? size : most[0];
        most[1] += 0 * size;
    }
}

#ifdef __GNUC__
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_bits __attribute__((vector_size(32)));

#define SIZE(x)         ((quad)((quad_bits)(x)&INT64_MAX))
#define CHOSEN(m, x, y) ((quad)(((quad_bits)(x) & (m)) | ((quad_bits)(y) & ~(m))))
#define LARGER(x, y)    CHOSEN((x) > (y), x, y)

/* Vectors as they are: compilers leave the loop below scalar. */
INLINED uint32_t advance_quads(uint32_t begin, uint32_t end, double *z, const double *step,
                               const ct_esdirk_scale *s, double most[LANES], double *trouble)
{
    quad so_far = {0}, bad = {0};
    for (; begin + LANES <= end; begin += LANES) {
        quad by = *(const quad *)(step + begin), here = *(const quad *)(z + begin);
        quad known = *(const quad *)(s->most + begin), size = SIZE(here);
        quad share = SIZE(by) / (s->atol + s->rtol * LARGER(known, size));
        so_far = LARGER(share, so_far);
        here -= by;
        bad += 0 * here;
        *(quad *)(z + begin) = here;
    }
    for (int l = 0; l < LANES; l++) {
        most[l] = so_far[l] > most[l] ? so_far[l] : most[l];
        *trouble += bad[l];
    }
    return begin;
}
#else
INLINED uint32_t advance_quads(uint32_t begin, uint32_t end, double *z, const double *step,
                               const ct_esdirk_scale *s, double most[LANES], double *trouble)
{
    (void)end, (void)z, (void)step, (void)s, (void)most, (void)trouble;
    return begin;
}
#endif

/* trouble becomes NaN where z is not finite. */
INLINED void advance_range(uint32_t begin, uint32_t end, double *z, const double *step,
                           const ct_esdirk_scale *scale, double most[LANES], double *trouble)
{
    const ct_esdirk_scale s = *scale;
    for (uint32_t i = advance_quads(begin, end, z, step, &s, most, trouble); i < end; i++) {
        double size = share_of(step[i], i, &s);
        most[0] = size > most[0] ? size : most[0];
        z[i] -= step[i];
        *trouble += 0 * z[i];
    }
}

static double largest(const double most[LANES])
{
    double a = most[0] > most[1] ? most[0] : most[1], b = most[2] > most[3] ? most[2] : most[3];
    return a > b ? a : b;
}

/* ---- over all ranges, for both kinds of registers */

#define ALL_RANGES for (const ct_index_range *r = in.at; r < in.at + in.count; r++)

#define KERNELS(kind, attribute)                                                                   \
    attribute static void sum_##kind(ct_index_ranges in, const sum_case *s)                        \
    {                                                                                              \
        ALL_RANGES                                                                                 \
        sum_range(r->begin, r->end, s);                                                            \
    }                                                                                              \
    attribute static double size_##kind(ct_index_ranges in, const double *step,                    \
                                        const ct_esdirk_scale *scale, const bool *counts)          \
    {                                                                                              \
        double most[LANES] = {0};                                                                  \
        ALL_RANGES                                                                                 \
        size_range(r->begin, r->end, step, scale, counts, most);                                   \
        return isnan(most[1]) ? INFINITY : most[0];                                                \
    }                                                                                              \
    attribute static double advance_##kind(ct_index_ranges in, double *z, const double *step,      \
                                           const ct_esdirk_scale *scale)                           \
    {                                                                                              \
        double most[LANES] = {0}, trouble = 0;                                                     \
        ALL_RANGES                                                                                 \
        advance_range(r->begin, r->end, z, step, scale, most, &trouble);                           \
        return trouble == 0 ? largest(most) : INFINITY;                                            \
    }

KERNELS(narrow, )

#if defined __x86_64__ && defined __GNUC__
KERNELS(wide, __attribute__((target("avx2"))))
#define CHOICE(name) (CT_HAS_AVX2 ? name##_wide : name##_narrow)
#else
#define CHOICE(name) name##_narrow
#endif

void ct_esdirk_sum(ct_index_ranges in, double *to, uint32_t count, const double *by,
                   const double *const *x)
{
    const sum_case s = {to, count, by, x};
    CHOICE(sum)(in, &s);
}

double ct_esdirk_size(ct_index_ranges in, const double *step, const ct_esdirk_scale *scale,
                      const bool *counts)
{
    return CHOICE(size)(in, step, scale, counts);
}

double ct_esdirk_advance(ct_index_ranges in, double *z, const double *step,
                         const ct_esdirk_scale *scale)
{
    return CHOICE(advance)(in, z, step, scale);
}

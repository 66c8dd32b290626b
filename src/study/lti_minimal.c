/* lti_minimal.c - what inputs reach and outputs show. */
#include <math.h>
#include <string.h>

#include "study/lti_make.h"

/* A basis of the smallest subspace that holds the columns of R and that A does not leave: each
 * vector is one of  R u, A v  less what the vectors before it give, by elimination. Vector k alone
 * is not zero at its pivot among those from k on. The coefficients found on the way are A and R in
 * the new basis. */
typedef struct reached {
    uint32_t n, m, count;
    const double *A, *R;
    double *basis;        /* vector k: basis[k*n ..] */
    uint32_t *pivot;      /* per vector */
    double *part;         /* of each candidate (R's columns, then A v): n coefficients */
    double *value, *size; /* the candidate, and sizes of its terms */
} reached;

static void begin_column(reached *r, uint32_t j)
{
    for (size_t i = 0; i < r->n; i++) {
        r->value[i] = r->R[i * r->m + j];
        r->size[i] = fabs(r->value[i]);
    }
}

static void begin_image(reached *r, uint32_t k)
{
    const double *v = r->basis + (size_t)k * r->n;
    for (size_t i = 0; i < r->n; i++) {
        double sum = 0, size = 0;
        for (size_t c = 0; c < r->n; c++) {
            double term = r->A[i * r->n + c] * v[c];
            sum += term;
            size = fmax(size, fabs(term));
        }
        r->size[i] = size;
        r->value[i] = ct_lti_flushed(sum, size);
    }
}

/* Less what the basis gives; the coefficients go to part. */
static void reduce(reached *r, double *part)
{
    for (uint32_t k = 0; k < r->count; k++) {
        const double *v = r->basis + (size_t)k * r->n;
        double factor = r->value[r->pivot[k]] / v[r->pivot[k]];
        if (factor == 0)
            continue;
        for (size_t i = 0; i < r->n; i++) {
            double term = factor * v[i];
            r->value[i] -= term;
            r->size[i] = fmax(r->size[i], fabs(term));
            r->value[i] = ct_lti_flushed(r->value[i], r->size[i]);
        }
        r->value[r->pivot[k]] = 0;
        part[k] = factor;
    }
}

/* The rest is a new vector unless it is zero. */
static void accept(reached *r, double *part)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < r->n; i++)
        if (fabs(r->value[i]) > fabs(r->value[best]))
            best = i;
    double size = fabs(r->value[best]);
    if (!(size > 0))
        return;
    size = ldexp(1, ilogb(size)); /* a power of two: no rounding */
    double *v = r->basis + (size_t)r->count * r->n;
    for (size_t i = 0; i < r->n; i++)
        v[i] = r->value[i] / size;
    r->pivot[r->count] = best;
    part[r->count++] = size;
}

static reached reach(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R)
{
    reached r = {.n = n, .m = m, .A = A, .R = R};
    size_t square = (size_t)n * n;
    r.basis = CT_NEW_ARRAY(arena, double, square);
    r.pivot = CT_NEW_ARRAY(arena, uint32_t, n);
    r.part = CT_NEW_ARRAY(arena, double, square + (size_t)m * n);
    r.value = CT_NEW_ARRAY(arena, double, n);
    r.size = CT_NEW_ARRAY(arena, double, n);
    for (uint32_t k = 0; n && k < m + r.count; k++) {
        double *part = r.part + (size_t)k * n;
        if (k < m)
            begin_column(&r, k);
        else
            begin_image(&r, k - m);
        reduce(&r, part);
        if (r.count < n)
            accept(&r, part);
    }
    return r;
}

uint32_t ct_lti_reach(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R)
{
    return reach(arena, n, m, A, R).count;
}

/* The controllable part in the basis that was found. */
static ct_lti_normal controllable(ct_arena *arena, const ct_lti_normal *f)
{
    reached r = reach(arena, f->n, f->m, f->A, f->R);
    size_t n = f->n, k = r.count;
    ct_lti_normal out = *f;
    out.n = r.count;
    out.A = CT_NEW_ARRAY(arena, double, k *k);
    out.R = CT_NEW_ARRAY(arena, double, k * f->m);
    out.C = CT_NEW_ARRAY(arena, double, k * f->p);
    for (size_t i = 0; i < k; i++) {
        for (size_t c = 0; c < k; c++)
            out.A[i * k + c] = r.part[(f->m + c) * n + i];
        for (size_t c = 0; c < f->m; c++)
            out.R[i * f->m + c] = r.part[c * n + i];
        for (size_t o = 0; o < f->p; o++) {
            double sum = 0, size = 0;
            for (size_t c = 0; c < n; c++) {
                double term = f->C[o * n + c] * r.basis[i * n + c];
                sum += term;
                size = fmax(size, fabs(term));
            }
            out.C[o * k + i] = ct_lti_flushed(sum, size);
        }
    }
    return out;
}

/* Inputs and outputs exchanged. */
static ct_lti_normal dual(ct_arena *arena, const ct_lti_normal *f)
{
    ct_lti_normal out = {.n = f->n, .m = f->p, .p = f->m, .degree = f->degree};
    size_t block = (size_t)f->p * f->m;
    out.A = ct_matrix_transposed(arena, f->n, f->n, f->A);
    out.R = ct_matrix_transposed(arena, f->p, f->n, f->C);
    out.C = ct_matrix_transposed(arena, f->n, f->m, f->R);
    out.P = CT_NEW_ARRAY(arena, double, (f->degree + (size_t)1) * block);
    for (size_t k = 0; k <= f->degree && block; k++)
        memcpy(out.P + k * block, ct_matrix_transposed(arena, f->p, f->m, f->P + k * block),
               block * sizeof(double));
    return out;
}

ct_lti_normal ct_lti_minimal(ct_arena *arena, const ct_lti_normal *all)
{
    ct_lti_normal f = controllable(arena, all);
    f = dual(arena, &f);
    f = controllable(arena, &f);
    return dual(arena, &f);
}

ct_lti_normal ct_lti_channel(ct_arena *arena, const ct_lti_normal *all, uint32_t i, uint32_t j)
{
    ct_lti_normal f = {.n = all->n, .m = 1, .p = 1, .degree = all->degree, .A = all->A};
    f.R = CT_NEW_ARRAY(arena, double, f.n);
    f.C = all->C + (size_t)i * all->n;
    f.P = CT_NEW_ARRAY(arena, double, f.degree + (size_t)1);
    for (size_t k = 0; k < f.n; k++)
        f.R[k] = all->R[k * all->m + j];
    for (size_t k = 0; k <= f.degree; k++)
        f.P[k] = all->P[(k * all->p + i) * all->m + j];
    while (f.degree > 0 && f.P[f.degree] == 0)
        f.degree--;
    return f;
}

ct_lti_rank ct_lti_ranks(ct_arena *arena, const ct_lti *lti)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(scratch, lti);
    ct_lti_normal turned = dual(scratch, &f);
    ct_lti_rank rank = {.states = f.n};
    rank.controllable = ct_lti_reach(scratch, f.n, f.m, f.A, f.R);
    rank.observable = ct_lti_reach(scratch, f.n, turned.m, turned.A, turned.R);
    rank.minimal = ct_lti_minimal(scratch, &f).n;
    ct_arena_free(scratch);
    return rank;
}

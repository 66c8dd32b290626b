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
    bool careful; /* errors of the vectors count, not only those of the last step */
    const double *A, *R;
    double *basis, *basis_size; /* vector k: basis[k*n ..]; sizes of what it was made of */
    uint32_t *pivot;            /* per vector */
    double *part;               /* of each candidate (R's columns, then A v): n coefficients */
    double *value, *size;       /* the candidate, and sizes of its terms */
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
    const double *v = r->basis + (size_t)k * r->n, *of = r->basis_size + (size_t)k * r->n;
    for (size_t i = 0; i < r->n; i++) {
        double sum = 0, size = 0;
        for (size_t c = 0; c < r->n; c++) {
            sum += r->A[i * r->n + c] * v[c];
            size = fmax(size, fabs(r->A[i * r->n + c]) * of[c]);
        }
        r->size[i] = size;
        r->value[i] = ct_lti_flushed(sum, size);
    }
}

/* Less what the basis gives; the coefficients go to part. Sizes stand for errors: that of a term is
 * the factor's error times the vector, or the factor times the vector's error. */
static void reduce(reached *r, double *part)
{
    for (uint32_t k = 0; k < r->count; k++) {
        const double *v = r->basis + (size_t)k * r->n, *of = r->basis_size + (size_t)k * r->n;
        double factor = r->value[r->pivot[k]] / v[r->pivot[k]];
        double error = r->careful ? r->size[r->pivot[k]] / fabs(v[r->pivot[k]]) : 0;
        if (factor == 0)
            continue;
        for (size_t i = 0; i < r->n; i++) {
            r->value[i] -= factor * v[i];
            r->size[i] = fmax(r->size[i], fmax(fabs(factor) * of[i], error * fabs(v[i])));
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
    size_t at = (size_t)r->count * r->n;
    for (size_t i = 0; i < r->n; i++) {
        r->basis[at + i] = r->value[i] / size;
        r->basis_size[at + i] = (r->careful ? r->size[i] : fabs(r->value[i])) / size;
    }
    r->pivot[r->count] = best;
    part[r->count++] = size;
}

/* No more than `most` vectors. */
static reached find_basis(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R,
                          bool careful, uint32_t most)
{
    reached r = {.n = n, .m = m, .careful = careful, .A = A, .R = R};
    size_t square = (size_t)n * n;
    r.basis = CT_NEW_ARRAY(arena, double, square);
    r.basis_size = CT_NEW_ARRAY(arena, double, square);
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
        if (r.count < most)
            accept(&r, part);
    }
    return r;
}

/* A and R in the basis. */
static void project(ct_arena *arena, const reached *r, double **A, double **R)
{
    size_t n = r->n, m = r->m, k = r->count;
    *A = CT_NEW_ARRAY(arena, double, k *k);
    *R = CT_NEW_ARRAY(arena, double, k *m);
    for (size_t i = 0; i < k; i++) {
        for (size_t c = 0; c < k; c++)
            (*A)[i * k + c] = r->part[(m + c) * n + i];
        for (size_t c = 0; c < m; c++)
            (*R)[i * m + c] = r->part[c * n + i];
    }
}

/* Whether the part answers at s as all states do, each state compared with its own size. */
static bool answers_alike(ct_arena *arena, const reached *r, const double *A, const double *R,
                          double complex s)
{
    const double alike = 1e-6;
    size_t n = r->n, m = r->m, k = r->count;
    double complex *all = CT_NEW_ARRAY(arena, double complex, n *m);
    double complex *part = CT_NEW_ARRAY(arena, double complex, k *m);
    ct_lti_resolve(arena, r->n, r->m, r->A, r->R, s, all);
    ct_lti_resolve(arena, r->count, r->m, A, R, s, part);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double complex sum = 0;
            double size = cabs(all[i * m + j]);
            for (size_t c = 0; c < k; c++) {
                sum += r->basis[c * n + i] * part[c * m + j];
                size = fmax(size, cabs(r->basis[c * n + i] * part[c * m + j]));
            }
            if (!(cabs(sum - all[i * m + j]) <= alike * size))
                return false;
        }
    return true;
}

/* At points over the range of the modes: a mode that was left out by mistake is missed there. */
static bool is_right(ct_arena *arena, const reached *r)
{
    enum { POINTS = 12 };
    double *A, *R, lo = INFINITY, hi = 0;
    if (r->count == r->n)
        return true;
    project(arena, r, &A, &R);
    const ct_mode *mode = ct_matrix_modes(arena, r->n, r->A);
    for (uint32_t i = 0; i < r->n; i++)
        if (mode[i].frequency > 0) {
            lo = fmin(lo, mode[i].frequency);
            hi = fmax(hi, mode[i].frequency);
        }
    if (hi == 0)
        lo = hi = 1;
    for (int i = 0; i < POINTS; i++)
        if (!answers_alike(arena, r, A, R, lo * pow(hi / lo, i / (POINTS - 1.0)) * cexp(I)))
            return false;
    return true;
}

/* Careful errors find dependence in mixed coordinates, but grow to too much where states are many
 * or modes far apart. Where they decide otherwise than plain ones, eigenvectors decide between
 * them. What then is left out is tried. */
static reached reach(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R)
{
    uint32_t driven;
    reached plain = find_basis(arena, n, m, A, R, false, n);
    reached r = find_basis(arena, n, m, A, R, true, n);
    if (r.count < plain.count && ct_lti_driven_modes(arena, n, m, A, R, &driven)) {
        if (driven >= plain.count)
            r = plain;
        else if (driven > r.count)
            r = find_basis(arena, n, m, A, R, false, driven);
    }
    if (!is_right(arena, &r))
        r = plain;
    if (!is_right(arena, &r))
        r.count = n;
    return r;
}

uint32_t ct_lti_reach(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R)
{
    return reach(arena, n, m, A, R).count;
}

/* The controllable part in the basis that was found; all of it as it is, when nothing is left out.
 */
static ct_lti_normal controllable(ct_arena *arena, const ct_lti_normal *f)
{
    reached r = reach(arena, f->n, f->m, f->A, f->R);
    size_t n = f->n, k = r.count;
    ct_lti_normal out = *f;
    if (k == n)
        return out;
    out.n = r.count;
    project(arena, &r, &out.A, &out.R);
    out.C = CT_NEW_ARRAY(arena, double, k * f->p);
    for (size_t i = 0; i < k; i++)
        for (size_t o = 0; o < f->p; o++) {
            double sum = 0, size = 0;
            for (size_t c = 0; c < n; c++) {
                sum += f->C[o * n + c] * r.basis[i * n + c];
                size = fmax(size, fabs(f->C[o * n + c]) * r.basis_size[i * n + c]);
            }
            out.C[o * k + i] = ct_lti_flushed(sum, size);
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

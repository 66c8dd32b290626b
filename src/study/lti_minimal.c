/* lti_minimal.c - what inputs reach and outputs show. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "study/lti_make.h"

/* A basis of the smallest subspace that holds the columns of R and that A does not leave: each
 * vector is one of  R u, A v  less what the vectors before it give, by elimination. Vector k alone
 * is not zero at its pivot among those from k on. */
typedef struct reached {
    uint32_t n, m, count;
    bool careful; /* errors of the vectors count, not only those of the last step */
    const double *A, *R;
    double *basis, *basis_size; /* vector k: basis[k*n ..]; sizes of what it was made of */
    uint32_t *pivot;            /* per vector */
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

/* Less what the basis gives. Sizes stand for errors: that of a term is
 * the factor's error times the vector, or the factor times the vector's error. */
static void reduce(reached *r)
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
    }
}

/* The rest is a new vector unless it is zero. */
static void accept(reached *r)
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
    r->pivot[r->count++] = best;
}

/* The largest entry of the vectors from k on. */
static void find_pivot(const reached *r, uint32_t k, uint32_t *row, uint32_t *col)
{
    double best = -1;
    for (uint32_t i = k; i < r->count; i++)
        for (uint32_t c = 0; c < r->n; c++)
            if (fabs(r->basis[(size_t)i * r->n + c]) > best) {
                best = fabs(r->basis[(size_t)i * r->n + c]);
                *row = i;
                *col = c;
            }
}

static void swap_vectors(reached *r, uint32_t a, uint32_t b)
{
    for (size_t c = 0; a != b && c < r->n; c++) {
        double v = r->basis[a * r->n + c], s = r->basis_size[a * r->n + c];
        r->basis[a * r->n + c] = r->basis[b * r->n + c];
        r->basis_size[a * r->n + c] = r->basis_size[b * r->n + c];
        r->basis[b * r->n + c] = v;
        r->basis_size[b * r->n + c] = s;
    }
}

/* Vector i without the entry at vector k's pivot, which is 1. */
static void clear_pivot(reached *r, uint32_t i, uint32_t k)
{
    double *v = r->basis + (size_t)i * r->n, *s = r->basis_size + (size_t)i * r->n;
    const double *w = r->basis + (size_t)k * r->n, *of = r->basis_size + (size_t)k * r->n;
    double factor = v[r->pivot[k]];
    for (size_t c = 0; factor != 0 && c < r->n; c++) {
        v[c] -= factor * w[c];
        s[c] = fmax(s[c], fabs(factor) * of[c]);
        v[c] = ct_lti_flushed(v[c], s[c]);
    }
    v[r->pivot[k]] = 0;
}

/* The same subspace by vectors that are 1 at their own pivot and 0 at those of others: the states
 * at pivots stand for all, the others are sums of them. A subspace that leaves out some states and
 * nothing else is then free of arithmetic; vectors as they were found are nearly parallel. */
static void settle(reached *r)
{
    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t row = k, col = 0;
        find_pivot(r, k, &row, &col);
        swap_vectors(r, k, row);
        r->pivot[k] = col;
        double *v = r->basis + (size_t)k * r->n, *s = r->basis_size + (size_t)k * r->n;
        double pivot = v[col];
        for (uint32_t c = 0; c < r->n; c++) {
            v[c] /= pivot;
            s[c] /= fabs(pivot);
        }
        for (uint32_t i = 0; i < r->count; i++)
            if (i != k)
                clear_pivot(r, i, k);
    }
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
    r.value = CT_NEW_ARRAY(arena, double, n);
    r.size = CT_NEW_ARRAY(arena, double, n);
    for (uint32_t k = 0; n && k < m + r.count; k++) {
        if (k < m)
            begin_column(&r, k);
        else
            begin_image(&r, k - m);
        reduce(&r);
        if (r.count < most)
            accept(&r);
    }
    if (r.count < n)
        settle(&r);
    return r;
}

/* A row over all states becomes one over those at pivots. */
static void restrict_row(const reached *r, const double *row, double *out)
{
    for (size_t k = 0; k < r->count; k++) {
        const double *v = r->basis + k * r->n, *of = r->basis_size + k * r->n;
        double sum = 0, size = 0;
        for (size_t c = 0; c < r->n; c++) {
            sum += row[c] * v[c];
            size = fmax(size, fabs(row[c]) * of[c]);
        }
        out[k] = ct_lti_flushed(sum, size);
    }
}

static void project(ct_arena *arena, const reached *r, double **A, double **R)
{
    size_t n = r->n, m = r->m, k = r->count;
    *A = CT_NEW_ARRAY(arena, double, k *k);
    *R = CT_NEW_ARRAY(arena, double, k *m);
    for (size_t i = 0; i < k; i++) {
        restrict_row(r, r->A + r->pivot[i] * n, *A + i * k);
        for (size_t c = 0; c < m; c++)
            (*R)[i * m + c] = r->R[r->pivot[i] * m + c];
    }
}

/* What rounding may have done to X = (s - A)^-1 R: what one more step of refinement would change. A
 * state that nothing reaches is zero, but elimination mixes it with others. */
static double complex *noise_of(ct_arena *arena, const reached *r, double complex s,
                                const double complex *X)
{
    size_t n = r->n, m = r->m;
    double *re = CT_NEW_ARRAY(arena, double, n *m), *im = CT_NEW_ARRAY(arena, double, n *m);
    double complex *dx = CT_NEW_ARRAY(arena, double complex, n *m);
    double complex *dy = CT_NEW_ARRAY(arena, double complex, n *m);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double complex left = r->R[i * m + j] - s * X[i * m + j];
            for (size_t c = 0; c < n; c++)
                left += r->A[i * n + c] * X[c * m + j];
            re[i * m + j] = creal(left);
            im[i * m + j] = cimag(left);
        }
    ct_lti_resolve(arena, r->n, r->m, r->A, re, s, dx);
    ct_lti_resolve(arena, r->n, r->m, r->A, im, s, dy);
    for (size_t i = 0; i < n * m; i++)
        dx[i] += I * dy[i];
    return dx;
}

/* Of each column of X: what rounding leaves of a zero. */
static double *roundings_of(ct_arena *arena, size_t n, size_t m, const double complex *X)
{
    double *least = CT_NEW_ARRAY(arena, double, m + 1);
    for (size_t at = 0; at < n * m; at++)
        least[at % m] = fmax(least[at % m], 4 * DBL_EPSILON * cabs(X[at]));
    return least;
}

/* Whether the part answers at s as all states do, each state compared with its own size. */
static bool answers_alike(ct_arena *arena, const reached *r, const double *A, const double *R,
                          double complex s)
{
    const double alike = 1e-6, enough = 100;
    size_t n = r->n, m = r->m, k = r->count;
    double complex *all = CT_NEW_ARRAY(arena, double complex, n *m), *noise = NULL;
    double complex *part = CT_NEW_ARRAY(arena, double complex, k *m);
    ct_lti_resolve(arena, r->n, r->m, r->A, r->R, s, all);
    ct_lti_resolve(arena, r->count, r->m, A, R, s, part);
    const double *least = roundings_of(arena, n, m, all);
    for (size_t at = 0; at < n * m; at++) {
        double complex sum = 0;
        double size = cabs(all[at]);
        for (size_t c = 0; c < k; c++) {
            double complex term = r->basis[c * n + at / m] * part[c * m + at % m];
            sum += term;
            size = fmax(size, cabs(term));
        }
        if (cabs(sum - all[at]) <= fmax(alike * size, least[at % m]))
            continue;
        noise = noise ? noise : noise_of(arena, r, s, all);
        if (!(cabs(sum - all[at]) <= enough * cabs(noise[at])))
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
    for (size_t o = 0; o < f->p; o++)
        restrict_row(&r, f->C + o * n, out.C + o * k);
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

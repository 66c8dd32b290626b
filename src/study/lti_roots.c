/* lti_roots.c - poles and zeros with their meaning. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/lti_make.h"

/* ---- modes --------------------------------------------------------------------------------- */

/* A real part within the rounding errors of the matrix is none where the root is far from it. */
static ct_mode make_mode(double re, double im, double rounding)
{
    const double hardly_damped = 1e-9;
    double size = hypot(re, im);
    if (im != 0 && fabs(re) <= fmin(rounding, hardly_damped * size)) {
        re = 0;
        size = fabs(im);
    }
    ct_mode mode = {re, im, size, -re / size, re == 0 ? INFINITY : -1 / re};
    if (size == 0)
        mode.damping = NAN;
    else
        mode.damping += 0.0; /* no minus zero */
    return mode;
}

ct_mode ct_mode_sampled(ct_mode mode, double period)
{
    double size = hypot(mode.re, mode.im), growth = log(size) / period;
    double turn = atan2(mode.im, mode.re) / period;
    mode.frequency = size > 0 ? hypot(growth, turn) : INFINITY;
    mode.damping = size > 0 && mode.frequency > 0 ? -growth / mode.frequency + 0.0 : NAN;
    mode.time = size > 0 ? -1 / growth : 0;
    return mode;
}

ct_mode ct_mode_in_s(const ct_mode *mode, double period)
{
    ct_mode s = *mode;
    if (!(period > 0))
        return s;
    double complex at = clog(1 + period * (mode->re + mode->im * I)) / period;
    s.re = mode->frequency == 0 ? 0 : creal(at);
    s.im = mode->frequency == 0 ? 0 : cimag(at);
    s.time = s.re == 0 ? INFINITY : -1 / s.re;
    return s;
}

int ct_mode_grows(const ct_mode *mode, double period)
{
    const double on_it = 1e-13; /* of the circle's radius */
    double out = 2 * mode->re + period * (mode->re * mode->re + mode->im * mode->im);
    if (period > 0 && fabs(out) * period <= 2 * on_it)
        out = 0;
    return (out > 0) - (out < 0);
}

static int compare_modes(const void *left, const void *right)
{
    const ct_mode *a = left, *b = right;
    double p = fabs(a->im), q = fabs(b->im);
    if (a->re != b->re)
        return a->re > b->re ? -1 : 1;
    if (p != q)
        return p < q ? -1 : 1;
    return a->im == b->im ? 0 : a->im > b->im ? -1 : 1;
}

/* ---- eigenvalues --------------------------------------------------------------------------- */

typedef struct spectrum {
    ct_arena *arena;
    lapack_int n;
    double *a, *re, *im; /* a: destroyed */
    double *left;        /* eigenvectors y' A = s y', column by column; NULL: not wanted */
    double norm;
} spectrum;

/* The transpose, which row-major means to LAPACK, has the same eigenvalues. */
static lapack_int call_geevx(spectrum *s, double *work, lapack_int size)
{
    lapack_int lo, hi, unused = 0;
    double none = 0, *scale = CT_NEW_ARRAY(s->arena, double, (size_t)s->n);
    return LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'N', s->left ? 'V' : 'N', 'N', s->n, s->a,
                               s->n, s->re, s->im, &none, 1, s->left ? s->left : &none,
                               s->left ? s->n : 1, &lo, &hi, scale, &s->norm, &none, &none, work,
                               size, &unused);
}

static spectrum eigenvalues(ct_arena *arena, uint32_t n, const double *A, bool vectors)
{
    spectrum s = {.arena = arena, .n = (lapack_int)n};
    if (vectors)
        s.left = CT_NEW_ARRAY(arena, double, (size_t)n *n);
    s.a = CT_NEW_ARRAY(arena, double, (size_t)n *n);
    s.re = CT_NEW_ARRAY(arena, double, n);
    s.im = CT_NEW_ARRAY(arena, double, n);
    if (n == 0)
        return s;
    double wanted = 0;
    memcpy(s.a, A, (size_t)n * n * sizeof(double));
    lapack_int info = call_geevx(&s, &wanted, -1);
    double *work = CT_NEW_ARRAY(arena, double, (size_t)wanted);
    if (info == 0)
        info = call_geevx(&s, work, (lapack_int)wanted);
    if (info != 0)
        ct_throw(ct_arena_context(arena), CT_ERR_CONVERGENCE);
    return s;
}

static double *unit_matrix(ct_arena *arena, uint32_t n)
{
    double *one = CT_NEW_ARRAY(arena, double, (size_t)n *n);
    for (size_t i = 0; i < n; i++)
        one[i * n + i] = 1;
    return one;
}

/* A matrix with the eigenvalues of A that are not zero, and its inverse; NULL: none was found. */
static uint32_t without_zeros(ct_arena *arena, uint32_t n, const double *A, const double **rest,
                              double **inverse)
{
    uint32_t k = ct_lti_deflate(arena, n, A, rest);
    if (ct_pencil_finite(arena, k, k, *rest, unit_matrix(arena, k), inverse, NULL) != k)
        *inverse = NULL;
    return k;
}

static int compare_sizes(const void *left, const void *right)
{
    const ct_mode *a = left, *b = right;
    if (a->frequency != b->frequency)
        return a->frequency > b->frequency ? -1 : 1;
    return compare_modes(left, right);
}

static ct_mode *modes_of(const spectrum *s, bool inverse)
{
    ct_mode *mode = CT_NEW_ARRAY(s->arena, ct_mode, (size_t)s->n);
    for (lapack_int i = 0; i < s->n; i++) {
        double size = inverse ? hypot(s->re[i], s->im[i]) : 1;
        double re = s->re[i] / size / size, im = (inverse ? -1 : 1) * s->im[i] / size / size;
        double rounding = 8 * DBL_EPSILON * s->n * s->norm;
        mode[i] = make_mode(re, im, inverse ? rounding / size / size : rounding);
    }
    qsort(mode, (size_t)s->n, sizeof *mode, compare_sizes);
    return mode;
}

/* Where fast and slow modes are far apart, the errors of the fast ones reach the slow ones. Those
 * come from the inverse, where they are the large ones. Of a mode s the bounds of the errors are
 * like |A| and |A^-1| |s|^2; the first is seldom reached, so the second must be much smaller. */
static void improve_slow(ct_mode *mode, const spectrum *s, const spectrum *inverse)
{
    const double much = 1e-3;
    uint32_t n = (uint32_t)s->n, fast = 0;
    if (n == 0 || inverse->n != s->n)
        return;
    double limit = much * sqrt(s->norm / inverse->norm);
    const ct_mode *other = modes_of(inverse, true);
    while (fast < n && mode[fast].frequency >= limit)
        fast++;
    bool agree = (fast == 0 || other[fast - 1].frequency >= limit) &&
                 (fast == n || other[fast].frequency < limit);
    for (uint32_t i = fast; agree && i < n; i++)
        mode[i] = other[i];
}

const ct_mode *ct_matrix_modes(ct_arena *arena, uint32_t n, const double *A)
{
    const double *rest;
    double *inverse;
    uint32_t k = without_zeros(arena, n, A, &rest, &inverse);
    ct_mode *mode = CT_NEW_ARRAY(arena, ct_mode, n);
    spectrum s = eigenvalues(arena, k, rest, false),
             slow = eigenvalues(arena, inverse ? k : 0, inverse, false);
    const ct_mode *found = modes_of(&s, false);
    for (uint32_t i = 0; i < n; i++)
        mode[i] = i < k ? found[i] : make_mode(0, 0, 0);
    improve_slow(mode, &s, &slow);
    qsort(mode, n, sizeof *mode, compare_modes);
    return mode;
}

/* ---- modes and inputs ---------------------------------------------------------------------- */

static bool are_distinct(const spectrum *s)
{
    const double apart = 1e-6, rounding = 1e-12;
    for (lapack_int i = 0; i < s->n; i++)
        for (lapack_int k = 0; k < i; k++) {
            double size = hypot(s->re[i], s->im[i]) + hypot(s->re[k], s->im[k]);
            double gap = hypot(s->re[i] - s->re[k], s->im[i] - s->im[k]);
            if (gap <= apart * size + rounding * s->norm)
                return false;
        }
    return true;
}

/* |y' b| against |y| |b|, the largest of all inputs. Of a pair, column i is the real and i + 1 the
 * imaginary part of y. */
static double coupling(const spectrum *s, lapack_int i, bool pair, uint32_t m, const double *R)
{
    size_t n = (size_t)s->n;
    const double *re = s->left + (size_t)i * n, *im = re + n;
    double most = 0;
    for (size_t j = 0; j < m; j++) {
        double x = 0, y = 0, vector = 0, input = 0;
        for (size_t k = 0; k < n; k++) {
            double b = R[k * m + j], second = pair ? im[k] : 0;
            x += re[k] * b;
            y += second * b;
            vector = fmax(vector, hypot(re[k], second));
            input = fmax(input, fabs(b));
        }
        if (input > 0)
            most = fmax(most, hypot(x, y) / vector / input);
    }
    return most;
}

bool ct_lti_driven_modes(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R,
                         uint32_t *driven)
{
    const double least = 1e-9;
    spectrum s = eigenvalues(arena, n, A, true);
    *driven = 0;
    if (!are_distinct(&s))
        return false;
    for (lapack_int i = 0; i < s.n; i++) {
        bool pair = s.im[i] > 0 && i + 1 < s.n;
        bool drives = coupling(&s, i, pair, m, R) > least;
        *driven += drives ? 1 + pair : 0;
        i += pair;
    }
    return true;
}

/* ---- poles and zeros ----------------------------------------------------------------------- */

static const ct_mode *copy_modes(ct_arena *arena, const ct_mode *mode, uint32_t count)
{
    ct_mode *copy = CT_NEW_ARRAY(arena, ct_mode, count);
    if (count)
        memcpy(copy, mode, count * sizeof *copy);
    return copy;
}

const ct_mode *ct_lti_poles(ct_arena *arena, const ct_lti *lti, uint32_t *count)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(scratch, lti);
    const ct_mode *mode = copy_modes(arena, ct_matrix_modes(scratch, f.n, f.A), f.n);
    *count = f.n;
    ct_arena_free(scratch);
    return mode;
}

/* Rosenbrock's pencil with w_0 = u, w_1 = u', .. as unknowns for the polynomial part:
 *
 *     s z = A z + R w_0,   s w_k = w_(k+1),   0 = C z + P_0 w_0 + P_1 w_1 + .. */
static void fill_rosenbrock(const ct_lti_normal *f, uint32_t cols, double *W, double *A)
{
    uint32_t inputs = f->degree * f->m;
    for (size_t i = 0; i < f->n; i++) {
        W[i * cols + i] = 1;
        memcpy(A + i * cols, f->A + i * f->n, f->n * sizeof(double));
        memcpy(A + i * cols + f->n, f->R + i * f->m, f->m * sizeof(double));
    }
    for (size_t i = f->n; i < (size_t)f->n + inputs; i++) {
        W[i * cols + i] = 1;
        A[i * cols + i + f->m] = 1;
    }
    for (size_t i = 0; i < f->p; i++) {
        double *row = A + ((size_t)f->n + inputs + i) * cols;
        if (f->n)
            memcpy(row, f->C + i * f->n, f->n * sizeof(double));
        for (size_t k = 0; k <= f->degree; k++)
            memcpy(row + f->n + k * f->m, f->P + (k * f->p + i) * f->m, f->m * sizeof(double));
    }
}

static const ct_mode *zeros_of_part(ct_arena *arena, const ct_lti_normal *part, uint32_t *count)
{
    uint32_t inner = part->n + part->degree * part->m;
    uint32_t rows = inner + part->p, cols = inner + part->m;
    double *W = CT_NEW_ARRAY(arena, double, (size_t)rows *cols);
    double *A = CT_NEW_ARRAY(arena, double, (size_t)rows *cols), *matrix;
    fill_rosenbrock(part, cols, W, A);
    *count = ct_pencil_finite(arena, rows, cols, W, A, &matrix, NULL);
    return ct_matrix_modes(arena, *count, matrix);
}

/* Rows and columns of a block into a larger matrix; `from` NULL: none, or the unit matrix. */
typedef struct span {
    uint32_t first, count, step; /* of the rows or columns of the block that are wanted */
} span;

static void copy_block(const double *from, span rows, span cols, double sign, double *to,
                       size_t width)
{
    for (size_t i = 0; from && i < rows.count; i++)
        for (size_t k = 0; k < cols.count; k++)
            to[i * width + k] = sign * from[(rows.first + i) * cols.step + cols.first + k];
}

/* The pencil of the system as it was given:  s [W -E; 0 -F] - [A B; C D] */
static const ct_mode *zeros_of_system(ct_arena *arena, const ct_lti *l, uint32_t i, uint32_t j,
                                      uint32_t *count)
{
    span state = {0, l->n, l->n}, in = {0, l->m, l->m}, out = {0, l->p, l->p};
    if (i != CT_LTI_ALL) {
        in = (span){j, 1, l->m};
        out = (span){i, 1, l->p};
    }
    uint32_t n = l->n, rows = n + out.count, cols = n + in.count;
    double *W = CT_NEW_ARRAY(arena, double, (size_t)rows *cols), *matrix;
    double *A = CT_NEW_ARRAY(arena, double, (size_t)rows *cols);
    double *below_w = W + (size_t)n * cols, *below_a = A + (size_t)n * cols;
    for (size_t k = 0; !l->W && k < n; k++)
        W[k * cols + k] = 1;
    copy_block(l->W, state, state, 1, W, cols);
    copy_block(l->E, state, in, -1, W + n, cols);
    copy_block(l->F, out, in, -1, below_w + n, cols);
    copy_block(l->A, state, state, 1, A, cols);
    copy_block(l->B, state, in, 1, A + n, cols);
    copy_block(l->C, out, state, 1, below_a, cols);
    copy_block(l->D, out, in, 1, below_a + n, cols);
    *count = ct_pencil_finite(arena, rows, cols, W, A, &matrix, NULL);
    return ct_matrix_modes(arena, *count, matrix);
}

/* A system that is minimal as it is has had no arithmetic done to it; else its pencil has the modes
 * that are not reached or not seen, too. */
const ct_mode *ct_lti_zeros_of(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j,
                               const ct_lti_normal *part, uint32_t states, uint32_t *count)
{
    if (part->n == states)
        return zeros_of_system(arena, lti, i, j, count);
    return zeros_of_part(arena, part, count);
}

const ct_mode *ct_lti_zeros(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j,
                            uint32_t *count)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(scratch, lti);
    uint32_t states = f.n;
    if (i != CT_LTI_ALL)
        f = ct_lti_channel(scratch, &f, i, j);
    f = ct_lti_minimal(scratch, &f);
    const ct_mode *mode = ct_lti_zeros_of(scratch, lti, i, j, &f, states, count);
    mode = copy_modes(arena, mode, *count);
    ct_arena_free(scratch);
    return mode;
}

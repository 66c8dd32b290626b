/* lti_time.c - matrix exponential; responses to steps and impulses. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "study/lti_make.h"

/* ---- exponential ---------------------------------------------------------------------------
 *
 * With X = A t / 2^k of norm below 5.4, exp X is the Pade quotient of degree 13 to full precision
 * [Higham, SIAM J. Matrix Anal. Appl. 26 (2005), 1179]: with U odd and V even in X,
 *
 *     exp X - 1 = (V - U)^-1 2 U
 *
 * The 1 is left out also in squaring, y <- y (2 + y): what slow modes do in one of very many small
 * steps would otherwise drown beside it. */

static const double largest_norm = 5.371920351148152;
static const double pade[] = {64764752532480000,
                              32382376266240000,
                              7771770303897600,
                              1187353796428800,
                              129060195264000,
                              10559470521600,
                              670442572800,
                              33522128640,
                              1323241920,
                              40840800,
                              960960,
                              16380,
                              182,
                              1};

static void multiply(size_t n, const double *a, const double *b, double *out)
{
    memset(out, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (a[i * n + k] != 0)
                for (size_t c = 0; c < n; c++)
                    out[i * n + c] += a[i * n + k] * b[k * n + c];
}

static double norm_of(size_t n, const double *a)
{
    double largest = 0;
    for (size_t c = 0; c < n; c++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += fabs(a[i * n + c]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* out = p0 1 + p2 X^2 + p4 X^4 + p6 X^6, of the powers of X in `even`. */
static void combine(size_t n, double *const even[4], double p0, double p2, double p4, double p6,
                    double *out)
{
    for (size_t i = 0; i < n * n; i++)
        out[i] = (i % (n + 1) == 0 ? p0 : 0) + p2 * even[1][i] + p4 * even[2][i] + p6 * even[3][i];
}

/* left = V - U, right = 2 U */
static void make_quotient(ct_arena *arena, size_t n, const double *x, double *left, double *right)
{
    double *even[4], *t = CT_NEW_ARRAY(arena, double, n *n);
    for (int i = 0; i < 4; i++)
        even[i] = CT_NEW_ARRAY(arena, double, n *n);
    multiply(n, x, x, even[1]);
    multiply(n, even[1], even[1], even[2]);
    multiply(n, even[1], even[2], even[3]);
    combine(n, even, 0, pade[9], pade[11], pade[13], t);
    multiply(n, even[3], t, left);
    combine(n, even, pade[1], pade[3], pade[5], pade[7], t);
    for (size_t i = 0; i < n * n; i++)
        t[i] += left[i];
    multiply(n, x, t, right);
    combine(n, even, 0, pade[8], pade[10], pade[12], t);
    multiply(n, even[3], t, left);
    combine(n, even, pade[0], pade[2], pade[4], pade[6], t);
    for (size_t i = 0; i < n * n; i++) {
        left[i] += t[i] - right[i];
        right[i] *= 2;
    }
}

/* right <- left^-1 right; row-major, so LAPACK solves with the transposes. */
static void solve(ct_arena *arena, size_t n, double *left, double *right)
{
    lapack_int size = (lapack_int)n, *pivot = CT_NEW_ARRAY(arena, lapack_int, n);
    double *turned = ct_matrix_transposed(arena, (uint32_t)n, (uint32_t)n, left);
    double *sides = ct_matrix_transposed(arena, (uint32_t)n, (uint32_t)n, right);
    if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, size, size, turned, size, pivot, sides, size) != 0)
        ct_throw(ct_arena_context(arena), CT_ERR_CONVERGENCE);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < n; c++)
            right[i * n + c] = sides[c * n + i];
}

static void square(size_t n, int times, double *y, double *t)
{
    while (times-- > 0) {
        multiply(n, y, y, t);
        for (size_t i = 0; i < n * n; i++)
            y[i] = 2 * y[i] + t[i];
    }
}

void ct_matrix_exponential(ct_arena *arena, uint32_t n, const double *A, double t, bool less_one,
                           double *out)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    size_t count = (size_t)n * n;
    double *x = CT_NEW_ARRAY(scratch, double, count), *left = CT_NEW_ARRAY(scratch, double, count);
    double norm = norm_of(n, A) * fabs(t);
    int squarings = norm > largest_norm ? (int)ceil(log2(norm / largest_norm)) : 0;
    if (!isfinite(norm))
        ct_throw(ct_arena_context(arena), CT_ERR_USAGE);
    for (size_t i = 0; i < count; i++)
        x[i] = ldexp(A[i] * t, -squarings);
    if (n) {
        make_quotient(scratch, n, x, left, out);
        solve(scratch, n, left, out);
        square(n, squarings, out, left);
    }
    for (size_t i = 0; i < n && !less_one; i++)
        out[i * n + i] += 1;
    ct_arena_free(scratch);
}

/* ---- responses ----------------------------------------------------------------------------- */

/* [z; 1]' = [A R; 0 0] [z; 1] for a step; z' = A z from z = R for an impulse. */
typedef struct response {
    ct_arena *arena;
    ct_lti_normal f;
    uint32_t size; /* of the matrix */
    double *matrix, *over, *state, *next;
    double step; /* over which `over` goes; 0: none yet */
} response;

static response response_new(ct_arena *arena, const ct_lti *lti, uint32_t j, bool step)
{
    response r = {.arena = arena, .f = ct_lti_normal_new(arena, lti)};
    size_t n = r.f.n, size = n + step;
    r.size = (uint32_t)size;
    r.matrix = CT_NEW_ARRAY(arena, double, size *size);
    r.over = CT_NEW_ARRAY(arena, double, size *size);
    r.state = CT_NEW_ARRAY(arena, double, size);
    r.next = CT_NEW_ARRAY(arena, double, size);
    for (size_t i = 0; i < n; i++) {
        memcpy(r.matrix + i * size, r.f.A + i * n, n * sizeof(double));
        *(step ? &r.matrix[i * size + n] : &r.state[i]) = r.f.R[i * r.f.m + j];
    }
    if (step)
        r.state[n] = 1;
    return r;
}

static void advance(response *r, double from, double to)
{
    double step = to - from;
    if (step == 0)
        return;
    if (!(fabs(step - r->step) <= 8 * DBL_EPSILON * fabs(to))) {
        ct_matrix_exponential(r->arena, r->size, r->matrix, step, true, r->over);
        r->step = step;
    }
    for (size_t i = 0; i < r->size; i++) {
        r->next[i] = r->state[i];
        for (size_t k = 0; k < r->size; k++)
            r->next[i] += r->over[i * r->size + k] * r->state[k];
    }
    memcpy(r->state, r->next, r->size * sizeof(double));
}

static void put_outputs(const response *r, uint32_t j, bool step, double *value)
{
    for (size_t i = 0; i < r->f.p; i++) {
        value[i] = step ? r->f.P[i * r->f.m + j] : 0;
        for (size_t k = 0; k < r->f.n; k++)
            value[i] += r->f.C[i * r->f.n + k] * r->state[k];
    }
}

static void respond(ct_arena *arena, const ct_lti *lti, uint32_t j, bool step, const double *times,
                    uint32_t count, double *value)
{
    if (lti->period > 0) {
        ct_lti_respond_ticks(arena, lti, j, step, times, count, value);
        return;
    }
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    response r = response_new(scratch, lti, j, step);
    double *first = CT_NEW_ARRAY(scratch, double, r.size), before = 0;
    memcpy(first, r.state, r.size * sizeof(double));
    for (uint32_t k = 0; k < count; k++) {
        if (times[k] < before) {
            memcpy(r.state, first, r.size * sizeof(double));
            before = 0;
        }
        advance(&r, before, times[k]);
        put_outputs(&r, j, step, value + (size_t)k * r.f.p);
        before = times[k];
    }
    ct_arena_free(scratch);
}

void ct_lti_step(ct_arena *arena, const ct_lti *lti, uint32_t j, const double *times,
                 uint32_t count, double *value)
{
    respond(arena, lti, j, true, times, count, value);
}

void ct_lti_impulse(ct_arena *arena, const ct_lti *lti, uint32_t j, const double *times,
                    uint32_t count, double *value)
{
    respond(arena, lti, j, false, times, count, value);
}

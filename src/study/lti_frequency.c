/* lti_frequency.c - frequency response in Hessenberg form; ranges worth showing. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "study/lti_make.h"

/* ---- one point ----------------------------------------------------------------------------- */

static void swap_numbers(double complex *a, double complex *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double complex t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* Elimination with row pivots in a = [s - A, R]. */
static void triangulate(double complex *a, size_t n, size_t width)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            best = cabs(a[i * width + k]) > cabs(a[best * width + k]) ? i : best;
        if (best != k)
            swap_numbers(a + k * width, a + best * width, width);
        for (size_t i = k + 1; i < n; i++) {
            double complex factor = a[i * width + k] / a[k * width + k];
            for (size_t c = k + 1; factor != 0 && c < width; c++)
                a[i * width + c] -= factor * a[k * width + c];
        }
    }
}

void ct_lti_resolve(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R,
                    double complex s, double complex *X)
{
    size_t width = (size_t)n + m;
    double complex *a = CT_NEW_ARRAY(arena, double complex, n *width);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < n; c++)
            a[i * width + c] = (i == c ? s : 0) - A[i * n + c];
        for (size_t c = 0; c < m; c++)
            a[i * width + n + c] = R[i * m + c];
    }
    triangulate(a, n, width);
    for (size_t k = n; k-- > 0;)
        for (size_t j = 0; j < m; j++) {
            double complex sum = a[k * width + n + j];
            for (size_t c = k + 1; c < n; c++)
                sum -= a[k * width + c] * X[c * m + j];
            X[k * m + j] = sum / a[k * width + k];
        }
}

/* ---- many points --------------------------------------------------------------------------- */

/* H = Q' A Q, r = Q' R, c = C Q: column-major all, as LAPACK wants them. */
typedef struct hessenberg {
    lapack_int n, m, p;
    double *h, *r, *c;
    double complex *row;   /* n x n: of i omega - H in elimination, by rows */
    double complex *right; /* n x m, by rows */
} hessenberg;

static void reduce_to_hessenberg(ct_arena *arena, hessenberg *k)
{
    const int layout = LAPACK_COL_MAJOR;
    size_t width = 64 * ((size_t)k->n + (size_t)k->m + (size_t)k->p);
    double *tau = CT_NEW_ARRAY(arena, double, (size_t)k->n);
    double *work = CT_NEW_ARRAY(arena, double, width);
    lapack_int n = k->n, size = (lapack_int)width;
    LAPACKE_dgehrd_work(layout, n, 1, n, k->h, n, tau, work, size);
    if (k->m)
        LAPACKE_dormhr_work(layout, 'L', 'T', n, k->m, 1, n, k->h, n, tau, k->r, n, work, size);
    if (k->p)
        LAPACKE_dormhr_work(layout, 'R', 'N', k->p, n, 1, n, k->h, n, tau, k->c, k->p, work, size);
}

static hessenberg hessenberg_new(ct_arena *arena, const ct_lti_normal *f)
{
    hessenberg k = {.n = (lapack_int)f->n, .m = (lapack_int)f->m, .p = (lapack_int)f->p};
    k.h = ct_matrix_transposed(arena, f->n, f->n, f->A);
    k.r = ct_matrix_transposed(arena, f->n, f->m, f->R);
    k.c = ct_matrix_transposed(arena, f->p, f->n, f->C);
    k.row = CT_NEW_ARRAY(arena, double complex, (size_t)f->n * f->n);
    k.right = CT_NEW_ARRAY(arena, double complex, (size_t)f->n * f->m);
    if (k.n)
        reduce_to_hessenberg(arena, &k);
    return k;
}

static void fill(hessenberg *k, double omega)
{
    size_t n = (size_t)k->n, m = (size_t)k->m;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = i ? i - 1 : 0; c < n; c++)
            k->row[i * n + c] = -k->h[c * n + i] + (i == c ? omega : 0) * I;
        for (size_t j = 0; j < m; j++)
            k->right[i * m + j] = k->r[j * n + i];
    }
}

/* One entry below the diagonal in each column: one row operation each. False: singular. */
static bool eliminate(hessenberg *k)
{
    size_t n = (size_t)k->n, m = (size_t)k->m;
    for (size_t i = 0; i < n; i++) {
        double complex *a = k->row + i * n, *b = a + n;
        double complex *u = k->right + i * m, *v = u + m;
        if (i + 1 < n && cabs(b[i]) > cabs(a[i])) {
            swap_numbers(a + i, b + i, n - i);
            swap_numbers(u, v, m);
        }
        if (a[i] == 0)
            return false;
        if (i + 1 == n || b[i] == 0)
            continue;
        double complex factor = b[i] / a[i];
        for (size_t c = i + 1; c < n; c++)
            b[c] -= factor * a[c];
        for (size_t j = 0; j < m; j++)
            v[j] -= factor * u[j];
    }
    return true;
}

static void back_substitute(hessenberg *k)
{
    size_t n = (size_t)k->n, m = (size_t)k->m;
    for (size_t i = n; i-- > 0;)
        for (size_t j = 0; j < m; j++) {
            double complex sum = k->right[i * m + j];
            for (size_t c = i + 1; c < n; c++)
                sum -= k->row[i * n + c] * k->right[c * m + j];
            k->right[i * m + j] = sum / k->row[i * n + i];
        }
}

static double complex output(const hessenberg *k, const ct_lti_normal *f, size_t i, size_t j,
                             double omega)
{
    double complex sum = 0, direct = 0;
    for (size_t c = 0; c < f->n; c++)
        sum += k->c[c * f->p + i] * k->right[c * f->m + j];
    for (size_t d = f->degree + (size_t)1; d-- > 0;)
        direct = direct * (omega * I) + f->P[(d * f->p + i) * f->m + j];
    return sum + direct;
}

void ct_lti_frequency(ct_arena *arena, const ct_lti *lti, const double *omega, uint32_t count,
                      double complex *value)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(scratch, lti);
    hessenberg k = hessenberg_new(scratch, &f);
    for (uint32_t at = 0; at < count; at++) {
        fill(&k, omega[at]);
        bool solved = eliminate(&k);
        if (solved)
            back_substitute(&k);
        for (size_t i = 0; i < f.p; i++)
            for (size_t j = 0; j < f.m; j++)
                *value++ = solved ? output(&k, &f, i, j, omega[at]) : INFINITY;
    }
    ct_arena_free(scratch);
}

/* ---- ranges -------------------------------------------------------------------------------- */

static void widen(const ct_mode *mode, uint32_t count, double *lo, double *hi)
{
    for (uint32_t i = 0; i < count; i++)
        if (mode[i].frequency > 0) {
            *lo = fmin(*lo, mode[i].frequency);
            *hi = fmax(*hi, mode[i].frequency);
        }
}

void ct_lti_range(ct_arena *arena, const ct_lti *lti, double *from, double *to)
{
    const double around = 1e-9; /* log10(1000) may be a little more than 3 */
    double lo = INFINITY, hi = 0;
    for (uint32_t i = 0; i < lti->p; i++)
        for (uint32_t j = 0; j < lti->m; j++) {
            ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
            ct_transfer t = ct_lti_transfer(scratch, lti, i, j);
            widen(t.zero, t.zero_count, &lo, &hi);
            widen(t.pole, t.pole_count, &lo, &hi);
            ct_arena_free(scratch);
        }
    if (!(lo <= hi))
        lo = hi = 1;
    *from = pow(10, fmax(floor(log10(lo) + around) - 1, -300));
    *to = pow(10, fmin(ceil(log10(hi) - around) + 1, 300));
}

/* Some time constants of the slowest mode that is not much slower than all others: modes whose
 * time constants follow each other by more than a factor of 1000 do not fit on one axis. */
double ct_lti_horizon(ct_arena *arena, const ct_lti *lti)
{
    const double settled = 6, periods = 6, spread = 1e3;
    uint32_t count;
    const ct_mode *mode = ct_lti_poles(arena, lti, &count);
    double longest = 0, shortest = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double turn = mode[i].im != 0 ? periods * 2 * acos(-1) / fabs(mode[i].im) : 0;
        double time = mode[i].re != 0 ? settled * fabs(mode[i].time) : turn;
        if (mode[i].re != 0 && turn > 0)
            time = fmin(time, 5 * turn);
        if (time > 0) {
            longest = fmax(longest, time);
            shortest = fmin(shortest, time);
        }
    }
    return longest == 0 ? 10 : fmin(longest, spread * shortest);
}

const double *ct_lti_spaced(ct_arena *arena, double from, double to, uint32_t count)
{
    double *value = CT_NEW_ARRAY(arena, double, count);
    double a = log10(from), b = log10(to);
    for (uint32_t i = 0; i < count; i++)
        value[i] = i + 1 == count ? to : i == 0 ? from : pow(10, a + (b - a) * i / (count - 1.0));
    return value;
}

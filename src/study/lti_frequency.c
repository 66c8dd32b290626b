/* lti_frequency.c - values of G(s) by sparse elimination, with bounds for their errors; ranges
 * worth showing. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "study/lti_make.h"
#include "study/lti_sweep.h"

/* ---- one point, dense ---------------------------------------------------------------------- */

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

/* ---- many points, sparse ------------------------------------------------------------------- */

static void give_back(void *user)
{
    ct_lti_sweep *sweep = user;
    if (sweep->numeric)
        klu_z_free_numeric(&sweep->numeric, &sweep->common);
    if (sweep->symbolic)
        klu_free_symbolic(&sweep->symbolic, &sweep->common);
}

static double entry_w(const ct_lti *l, size_t i, size_t k)
{
    return l->W ? l->W[i * l->n + k] : i == k;
}

/* Per entry: which cell, plus 1; NULL: there are none. */
static const uint32_t *cell_numbers(const ct_lti_sweep *sweep, ct_arena *arena)
{
    const ct_lti_cells *cells = &sweep->cells;
    size_t n = sweep->lti.n;
    uint32_t *number = cells->count ? CT_NEW_ARRAY(arena, uint32_t, n * n) : NULL;
    for (uint32_t k = 0; k < cells->count; k++)
        number[cells->row[k] * n + cells->col[k]] = k + 1;
    return number;
}

static void gather(ct_lti_sweep *sweep, ct_arena *arena)
{
    const ct_lti *l = &sweep->lti;
    const uint32_t *cell = cell_numbers(sweep, arena);
    size_t n = l->n, count = sweep->cells.count, at = 0;
    for (size_t k = 0; k < n * n; k++)
        count += l->A[k] != 0 || entry_w(l, k / n, k % n) != 0;
    sweep->place = CT_NEW_ARRAY(arena, uint32_t, sweep->cells.count + 1);
    sweep->given = CT_NEW_ARRAY(arena, double complex, sweep->cells.count + 1);
    sweep->start = CT_NEW_ARRAY(arena, int, n + 1);
    sweep->row = CT_NEW_ARRAY(arena, int, count);
    sweep->a = CT_NEW_ARRAY(arena, double, count);
    sweep->w = CT_NEW_ARRAY(arena, double, count);
    sweep->value = CT_NEW_ARRAY(arena, double complex, count);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++) {
            double w = entry_w(l, i, k);
            uint32_t own = cell ? cell[i * n + k] : 0;
            if (l->A[i * n + k] == 0 && w == 0 && !own)
                continue;
            if (own)
                sweep->place[own - 1] = (uint32_t)at;
            sweep->row[at] = (int)i;
            sweep->a[at] = l->A[i * n + k];
            sweep->w[at++] = w;
        }
        sweep->start[k + 1] = (int)at;
    }
}

void ct_lti_room_for_rows(ct_lti_sweep *sweep, ct_arena *arena, size_t count)
{
    sweep->c_start = CT_NEW_ARRAY(arena, uint32_t, (size_t)sweep->lti.p + 2);
    sweep->c_col = CT_NEW_ARRAY(arena, uint32_t, count + 1);
    sweep->c = CT_NEW_ARRAY(arena, double, count + 1);
}

static void gather_rows(ct_lti_sweep *sweep, ct_arena *arena)
{
    const ct_lti *l = &sweep->lti;
    size_t cells = (size_t)l->p * l->n, count = 0;
    for (size_t k = 0; k < cells; k++)
        count += l->C[k] != 0;
    ct_lti_room_for_rows(sweep, arena, count);
    count = 0;
    for (uint32_t i = 0; i < l->p; i++) {
        for (uint32_t k = 0; k < l->n; k++)
            if (l->C[(size_t)i * l->n + k] != 0) {
                sweep->c_col[count] = k;
                sweep->c[count++] = l->C[(size_t)i * l->n + k];
            }
        sweep->c_start[i + 1] = (uint32_t)count;
    }
}

ct_lti_sweep *ct_lti_sweep_open(ct_arena *arena, const ct_lti *lti, const ct_lti_cells *cells)
{
    ct_lti_sweep *sweep = CT_NEW(arena, ct_lti_sweep);
    ct_arena_guest *guest = ct_arena_add_guest(arena);
    sweep->lti = *lti;
    if (cells)
        sweep->cells = *cells;
    sweep->x = CT_NEW_ARRAY(arena, double complex, lti->n);
    sweep->b = CT_NEW_ARRAY(arena, double complex, lti->n);
    sweep->y = CT_NEW_ARRAY(arena, double complex, lti->n);
    sweep->rest = CT_NEW_ARRAY(arena, double complex, lti->n);
    klu_defaults(&sweep->common);
    sweep->common.tol = 1; /* the largest entry is the pivot */
    *guest = (ct_arena_guest){guest->next, give_back, sweep};
    return sweep;
}

ct_lti_sweep *ct_lti_sweep_new(ct_arena *arena, const ct_lti *lti, const ct_lti_cells *cells)
{
    ct_lti_sweep *sweep = ct_lti_sweep_open(arena, lti, cells);
    gather(sweep, arena);
    gather_rows(sweep, arena);
    return sweep;
}

double ct_lti_sweep_lag(const ct_lti_sweep *sweep)
{
    return sweep->cells.count ? sweep->cells.lag : 0;
}

static void fill_values(ct_lti_sweep *sweep, double complex s)
{
    const ct_lti_cells *cells = &sweep->cells;
    for (int k = 0; k < sweep->start[sweep->lti.n]; k++)
        sweep->value[k] = s * sweep->w[k] - sweep->a[k];
    if (cells->count)
        cells->fill(cells->user, s, sweep->given);
    for (uint32_t k = 0; k < cells->count; k++)
        sweep->value[sweep->place[k]] = sweep->given[k];
}

/* False: singular. */
static bool factor(ct_lti_sweep *sweep, double complex s)
{
    int n = (int)sweep->lti.n;
    if (sweep->factored && s == sweep->s)
        return sweep->numeric || n == 0;
    sweep->s = s;
    sweep->factored = true;
    sweep->solved = false;
    if (n == 0)
        return true;
    fill_values(sweep, s);
    if (!sweep->symbolic)
        sweep->symbolic = klu_analyze(n, sweep->start, sweep->row, &sweep->common);
    if (sweep->numeric)
        klu_z_free_numeric(&sweep->numeric, &sweep->common);
    if (!sweep->symbolic)
        return false;
    sweep->numeric = klu_z_factor(sweep->start, sweep->row, (double *)sweep->value, sweep->symbolic,
                                  &sweep->common);
    if (sweep->numeric && sweep->common.status != KLU_OK)
        klu_z_free_numeric(&sweep->numeric, &sweep->common);
    return sweep->numeric;
}

/* rest = b - M x */
static void find_rest(ct_lti_sweep *sweep)
{
    size_t n = sweep->lti.n;
    memcpy(sweep->rest, sweep->b, n * sizeof *sweep->rest);
    for (size_t c = 0; c < n; c++)
        for (int k = sweep->start[c]; k < sweep->start[c + 1]; k++)
            sweep->rest[sweep->row[k]] -= sweep->value[k] * sweep->x[c];
}

static void solve(ct_lti_sweep *sweep, double complex *side)
{
    klu_z_solve(sweep->symbolic, sweep->numeric, (int)sweep->lti.n, 1, (double *)side,
                &sweep->common);
}

/* Two steps of refinement: then x is exact for entries that differ by their own rounding only. */
static void solve_column(ct_lti_sweep *sweep, uint32_t j)
{
    enum { STEPS = 2 };
    const ct_lti *l = &sweep->lti;
    size_t n = l->n;
    if (n == 0 || (sweep->solved && sweep->column == j))
        return;
    for (size_t i = 0; i < n; i++)
        sweep->x[i] = sweep->b[i] = l->B[i * l->m + j] + (l->E ? sweep->s * l->E[i * l->m + j] : 0);
    solve(sweep, sweep->x);
    for (int step = 0; step < STEPS; step++) {
        find_rest(sweep);
        solve(sweep, sweep->rest);
        for (size_t i = 0; i < n; i++)
            sweep->x[i] += sweep->rest[i];
    }
    sweep->solved = true;
    sweep->column = j;
}

/* ---- roots: inverse iteration. Near a root r with M x = 0 there the solution of M u = M' x is x
 * divided by s - r, so that any vector turns into x, and tells how far the root is. */

/* side = (M(s + d) - M(s - d))/(2 d) x */
static void slope_times(ct_lti_sweep *sweep, double complex s, const double complex *x,
                        double complex *side)
{
    const double part = 1e-6;
    double complex d = part * s;
    memset(side, 0, sweep->lti.n * sizeof *side);
    for (int sign = 1; sign >= -1; sign -= 2) {
        fill_values(sweep, s + sign * d);
        for (size_t c = 0; c < sweep->lti.n; c++)
            for (int k = sweep->start[c]; k < sweep->start[c + 1]; k++)
                side[sweep->row[k]] += sign * sweep->value[k] / (2 * d) * x[c];
    }
    sweep->factored = false;
}

/* One iteration at s; how far the root is, NaN: it cannot be told. */
static double complex distance(ct_lti_sweep *sweep, double complex s)
{
    double complex along = 0;
    double length = 0, square = 0;
    slope_times(sweep, s, sweep->x, sweep->b);
    if (!factor(sweep, s))
        return 0; /* it is the root */
    solve(sweep, sweep->b);
    for (size_t i = 0; i < sweep->lti.n; i++) {
        along += conj(sweep->x[i]) * sweep->b[i];
        length += pow(cabs(sweep->x[i]), 2);
        square += pow(cabs(sweep->b[i]), 2);
    }
    for (size_t i = 0; i < sweep->lti.n; i++)
        sweep->x[i] = sweep->b[i] / sqrt(square);
    return square > 0 && isfinite(square) ? length / along : NAN;
}

bool ct_lti_sweep_root(ct_lti_sweep *sweep, double complex *s)
{
    enum { TURNS = 12, MOST = 60 };
    const double near = 0.02, rounding = 1e-14, good = 1e-9, lost = 1e6;
    double complex at = *s;
    double last = INFINITY;
    if (at == 0 || sweep->lti.n == 0)
        return false;
    for (size_t i = 0; i < sweep->lti.n; i++)
        sweep->x[i] = 1 + 0.1 * (double)(i % 7);
    for (int i = 0; i < MOST; i++) {
        double complex far = distance(sweep, at);
        double size = cabs(far) / cabs(*s);
        if (i >= TURNS)
            at -= far;
        if (!(size < lost) || cabs(at - *s) > near * cabs(*s))
            return false;
        if (i > TURNS && (size < rounding || (size < good && size >= last))) {
            *s = at;
            return true;
        }
        last = i > TURNS ? size : INFINITY;
    }
    return false;
}

/* |y'| (|M| |x| + |b|) + |c| |x|, times the rounding of a sum of a few terms. */
static double error_of(ct_lti_sweep *sweep, uint32_t row)
{
    const double rounding = 4 * DBL_EPSILON;
    size_t n = sweep->lti.n;
    double sum = 0;
    memset(sweep->y, 0, n * sizeof *sweep->y);
    for (uint32_t at = sweep->c_start[row]; at < sweep->c_start[row + 1]; at++) {
        sweep->y[sweep->c_col[at]] = sweep->c[at];
        sum += fabs(sweep->c[at]) * cabs(sweep->x[sweep->c_col[at]]);
    }
    klu_z_tsolve(sweep->symbolic, sweep->numeric, (int)n, 1, (double *)sweep->y, 0, &sweep->common);
    for (size_t i = 0; i < n; i++)
        sum += cabs(sweep->y[i]) * cabs(sweep->b[i]);
    for (size_t k = 0; k < n; k++)
        for (int at = sweep->start[k]; at < sweep->start[k + 1]; at++)
            sum += cabs(sweep->y[sweep->row[at]]) * cabs(sweep->value[at]) * cabs(sweep->x[k]);
    return rounding * sum;
}

double complex ct_lti_sweep_at(ct_lti_sweep *sweep, uint32_t i, uint32_t j, double complex s,
                               double *error)
{
    const ct_lti *l = &sweep->lti;
    size_t at = (size_t)i * l->m + j;
    double complex direct = (l->D ? l->D[at] : 0) + (l->F ? s * l->F[at] : 0), sum = direct;
    bool regular = factor(sweep, s);
    if (error)
        *error = regular ? DBL_EPSILON * cabs(direct) : INFINITY;
    if (!regular)
        return INFINITY;
    solve_column(sweep, j);
    for (uint32_t k = sweep->c_start[i]; k < sweep->c_start[i + 1]; k++)
        sum += sweep->c[k] * sweep->x[sweep->c_col[k]];
    if (error && l->n)
        *error += error_of(sweep, i);
    return sum;
}

void ct_lti_frequency(ct_arena *arena, const ct_lti *lti, const double *omega, uint32_t count,
                      double complex *value)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal_new(scratch, lti); /* throws where there is no solution */
    ct_lti_sweep *sweep = ct_lti_sweep_new(scratch, lti, NULL);
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t j = 0; j < lti->m; j++)
            for (uint32_t i = 0; i < lti->p; i++)
                value[((size_t)at * lti->p + i) * lti->m + j] =
                    ct_lti_sweep_at(sweep, i, j, ct_lti_edge(lti->period, omega[at]), NULL);
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
    bool right = true;
    for (uint32_t k = 0; right && k < lti->p * lti->m; k++) {
        ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
        ct_transfer t = ct_lti_transfer(scratch, lti, k / lti->m, k % lti->m);
        right = t.right; /* else these are the poles of all */
        widen(t.zero, t.zero_count, &lo, &hi);
        widen(t.pole, t.pole_count, &lo, &hi);
        ct_arena_free(scratch);
    }
    if (!(lo <= hi))
        lo = hi = 1;
    *from = pow(10, fmax(floor(log10(lo) + around) - 1, -300));
    *to = pow(10, fmin(ceil(log10(hi) - around) + 1, 300));
    if (lti->period > 0) {
        *to = acos(-1) / lti->period;
        *from = fmin(*from, *to / 1000);
    }
}

/* Some time constants of the slowest mode that is not much slower than all others: modes whose
 * time constants follow each other by more than a factor of 1000 do not fit on one axis. */
double ct_lti_horizon(ct_arena *arena, const ct_lti *lti)
{
    const double settled = 6, periods = 6, spread = 1e3, few = 10;
    uint32_t count;
    const ct_mode *mode = ct_lti_poles(arena, lti, &count);
    double longest = 0, shortest = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        ct_mode own = ct_mode_in_s(&mode[i], lti->period);
        double turn = own.im != 0 ? periods * 2 * acos(-1) / fabs(own.im) : 0;
        double time = own.re != 0 ? settled * fabs(own.time) : turn;
        if (own.re != 0 && turn > 0)
            time = fmin(time, 5 * turn);
        if (time > 0) {
            longest = fmax(longest, time);
            shortest = fmin(shortest, time);
        }
    }
    if (lti->period > 0)
        return fmax((few + count) * lti->period, fmin(longest, spread * shortest));
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

/* step_exact.c - linear systems with constant coefficients: steps by matrix exponentials.
 *
 * What drives the system is a linear system of its own (problem.h, ct_affine), so that y = (x, s)
 * has y' = M y, and y(t + h) = exp(M h) y(t) whatever h, stiff or not; w follows from x and s.
 * Steps go from row to row, or over the stretch where rows are listed. Where conditions are watched
 * they are short enough for what lies within to look like a cubic.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/exponential.h"
#include "solve/run.h"

enum { MOST_WATCHED = 16, MOST_HALVINGS = 60, MOST_REFUSALS = 4 };
static const double cubic = 1e-3;      /* of the largest value: how far from a cubic */
static const double most_loss = 0.1;   /* of the tolerance: by squaring */
static const double one_series = 1e-6; /* of norm times length: no squaring */
static const double most_work = 1e9;   /* multiplications */

typedef struct exact {
    uint32_t most, size; /* of y */
    ct_exponentials *exponentials;
    double *matrix;                                    /* M */
    double *follow;                                    /* w = follow y, by rows */
    double *square;                                    /* scratch: dg/dw */
    double *first, *last, *middle, *cursor, *slope[2]; /* y */
    double *largest;                                   /* of each y so far */
    double *z;
    double cursor_time, grid; /* grid: between rows */
    uint32_t refusals;
} exact;

/* ---- w from y: dg/dw w = -(dg/dx x + force s) */

static void swap_rows(double *a, uint32_t n, uint32_t i, uint32_t k)
{
    for (uint32_t j = 0; j < n; j++) {
        double hand = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = hand;
    }
}

static double largest_in(const double *row, uint32_t n)
{
    double most = 0;
    for (uint32_t j = 0; j < n; j++)
        most = fmax(most, fabs(row[j]));
    return most;
}

/* a x = b for all columns of b; false: singular. */
static bool eliminate(double *a, uint32_t m, double *b, uint32_t columns)
{
    for (uint32_t i = 0; i < m; i++) {
        double most = largest_in(a + i * m, m);
        for (uint32_t j = 0; j < m; j++)
            a[i * m + j] /= most;
        for (uint32_t j = 0; j < columns; j++)
            b[i * columns + j] /= most;
    }
    for (uint32_t p = 0; p < m; p++) {
        uint32_t best = p;
        for (uint32_t i = p + 1; i < m; i++)
            best = fabs(a[i * m + p]) > fabs(a[best * m + p]) ? i : best;
        if (!(fabs(a[best * m + p]) > 0))
            return false;
        swap_rows(a, m, p, best);
        swap_rows(b, columns, p, best);
        for (uint32_t i = 0; i < m; i++) {
            double factor = i == p ? 0 : a[i * m + p] / a[p * m + p];
            for (uint32_t j = p; j < m; j++)
                a[i * m + j] -= factor * a[p * m + j];
            for (uint32_t j = 0; j < columns; j++)
                b[i * columns + j] -= factor * b[p * columns + j];
        }
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < columns; j++)
            b[i * columns + j] /= a[i * m + i];
    return true;
}

static bool solve_for_w(const ct_integration *run, exact *e, const ct_affine *a)
{
    uint32_t n = run->n, m = run->m, all = e->size;
    for (uint32_t i = 0; i < m; i++) {
        const double *row = a->slope + (size_t)(n + i) * run->size;
        memcpy(e->square + (size_t)i * m, row + n, m * sizeof *row);
        for (uint32_t j = 0; j < n; j++)
            e->follow[i * all + j] = -row[j];
        for (uint32_t j = 0; j < a->forces; j++)
            e->follow[i * all + n + j] = -a->force[(size_t)(n + i) * a->forces + j];
    }
    return eliminate(e->square, m, e->follow, all);
}

/* x' = df/dx x + df/dw w + force s, s' = drift s */
static void set_matrix(const ct_integration *run, exact *e, const ct_affine *a)
{
    uint32_t n = run->n, all = e->size;
    memset(e->matrix, 0, (size_t)all * all * sizeof *e->matrix);
    for (uint32_t i = 0; i < n; i++) {
        double *row = e->matrix + (size_t)i * all;
        const double *from = a->slope + (size_t)i * run->size;
        memcpy(row, from, n * sizeof *row);
        for (uint32_t j = 0; j < a->forces; j++)
            row[n + j] = a->force[(size_t)i * a->forces + j];
        for (uint32_t k = 0; k < run->m; k++)
            for (uint32_t j = 0; from[n + k] != 0 && j < all; j++)
                row[j] += from[n + k] * e->follow[(size_t)k * all + j];
    }
    for (uint32_t i = 0; i < a->forces; i++)
        memcpy(e->matrix + (size_t)(n + i) * all + n, a->drift + (size_t)i * a->forces,
               a->forces * sizeof *e->matrix);
}

static bool is_finite(const double *v, uint32_t n)
{
    bool finite = true;
    for (uint32_t i = 0; i < n; i++)
        finite &= isfinite(v[i]) != 0;
    return finite;
}

/* z of y */
static void spread(const ct_integration *run, const exact *e, const double *y, double *z)
{
    memcpy(z, y, run->n * sizeof *z);
    for (uint32_t i = 0; i < run->m; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < e->size; j++)
            sum += e->follow[(size_t)i * e->size + j] * y[j];
        z[run->n + i] = sum;
    }
}

/* ---- from one time to another */

/* Two lengths that rounding of times tells apart are the same. */
static double resolution(const ct_stepper *s)
{
    return 4 * DBL_EPSILON * fmax(fabs(s->run->origin + s->before), fabs(s->run->def->stop));
}

/* Not farther at once than rows lie apart: so much is lost by squaring, and no more. Where
 * conditions are located only rows lie equally far apart: a point must not depend on which of two
 * nearly equal lengths was asked for before. */
static void advance(ct_stepper *s, double h, double *y)
{
    exact *e = s->self;
    double same = resolution(s), alike = s->run->problem->root_count ? 0 : same;
    while (h > 0) {
        double part = h > e->grid - same ? e->grid : h;
        ct_exponentials_apply(e->exponentials, part, alike, y, e->slope[0]);
        memcpy(y, e->slope[0], e->size * sizeof *y);
        h -= part;
        if (h <= same)
            break;
    }
}

/* Just before the end of a step by the way back from there: squaring has other roundings for each
 * length, and a row beside an event would differ from the event's own by more than what moved. */
static bool is_near_end(const ct_stepper *s, double t)
{
    const exact *e = s->self;
    return ct_exponentials_norm(e->exponentials) * (s->t - t) <= one_series;
}

/* From row to row by the same length; where conditions are located by the one way there is to t,
 * so that rounding is the same whenever it is asked for. */
static void at(ct_stepper *s, double t, double *z)
{
    exact *e = s->self;
    if (t == s->t) {
        memcpy(z, e->z, s->run->size * sizeof *z);
        return;
    }
    if (is_near_end(s, t)) {
        ct_exponentials_apply(e->exponentials, t - s->t, 0, e->last, e->slope[0]);
        spread(s->run, e, e->slope[0], z);
        return;
    }
    if (t < e->cursor_time || s->run->problem->root_count) {
        memcpy(e->cursor, e->first, e->size * sizeof *z);
        e->cursor_time = s->before;
    }
    advance(s, t - e->cursor_time, e->cursor);
    e->cursor_time = t;
    spread(s->run, e, e->cursor, z);
}

static void slope_of(const exact *e, const double *y, double *out)
{
    for (uint32_t i = 0; i < e->size; i++) {
        out[i] = 0;
        for (uint32_t j = 0; j < e->size; j++)
            out[i] += e->matrix[(size_t)i * e->size + j] * y[j];
    }
}

/* How far the middle of a step is from the cubic through both ends, in what is allowed. What begins
 * at zero with its fourth power is no cubic in any step: below the tolerance it does not count. */
static double bend(const ct_stepper *s, double h)
{
    const exact *e = s->self;
    double worst = 0;
    for (uint32_t i = 0; i < e->size; i++) {
        double least = i < s->run->n ? s->run->atol[i] : 0;
        double c = (e->first[i] + e->last[i]) / 2 + h / 8 * (e->slope[0][i] - e->slope[1][i]);
        double size = fmax(e->largest[i], fmax(fabs(e->middle[i]), fabs(e->last[i])));
        worst = fmax(worst, size > 0 ? fabs(e->middle[i] - c) / (cubic * size + least) : 0);
    }
    return worst;
}

/* Half a step further on, from a point. */
static void half_step(ct_stepper *s, double h, const double *from, double *to)
{
    exact *e = s->self;
    memcpy(to, from, e->size * sizeof *to);
    advance(s, h / 2, to);
}

/* A step that looks like a cubic, by halves. */
static void watched_step(ct_stepper *s, double most)
{
    exact *e = s->self;
    double h = s->h > 0 ? s->h : e->grid;
    while (h < most / 2 && h < e->grid)
        h *= 2;
    for (int tries = 0;; tries++) {
        double now = fmin(h, most);
        half_step(s, now, e->first, e->middle);
        half_step(s, now, e->middle, e->last);
        slope_of(e, e->first, e->slope[0]);
        slope_of(e, e->last, e->slope[1]);
        double off = bend(s, now);
        s->h = off < 1.0 / 16 ? 2 * h : h;
        s->t = now >= most ? s->before + most : s->before + now;
        if (off <= 1 || tries == MOST_HALVINGS)
            break;
        h = now / 2;
    }
    for (uint32_t i = 0; i < e->size; i++)
        e->largest[i] = fmax(e->largest[i], fabs(e->last[i]));
}

/* The next row; behind it what lies within a rounding of here. */
static double next_row(const ct_stepper *s, double stop)
{
    const ct_run_def *def = s->run->def;
    const exact *e = s->self;
    if (def->times)
        return stop;
    double origin = s->run->origin;
    double row = floor((origin - def->start + s->before + resolution(s)) / e->grid) + 1;
    double at = row < def->points ? ct_row_time(def, (uint32_t)row) - origin : stop;
    return at < stop - ct_row_hair(def, origin + stop) ? at : stop;
}

static ct_solve_status step(ct_stepper *s, double stop)
{
    exact *e = s->self;
    bool watched = s->run->problem->root_count || s->run->def->stepped;
    memcpy(e->first, e->last, e->size * sizeof *e->last);
    memcpy(e->cursor, e->last, e->size * sizeof *e->last);
    e->cursor_time = s->before = s->t;
    double end = watched ? stop : next_row(s, stop);
    if (watched)
        watched_step(s, stop - s->before);
    else
        advance(s, end - s->before, e->last);
    if (!watched || s->t > stop)
        s->t = end;
    spread(s->run, e, e->last, e->z);
    return is_finite(e->last, e->size) ? CT_SOLVED : CT_NOT_FINITE;
}

/* ---- start */

/* Squaring loses as many digits as the norm has. */
static bool keeps_digits(const ct_stepper *s)
{
    const exact *e = s->self;
    double loss = DBL_EPSILON * ct_exponentials_norm(e->exponentials) * e->grid;
    return loss <= most_loss * s->run->def->rtol;
}

/* Forces are given a hair behind a break: what they move by until then counts where t is large. */
static void put_forces(const ct_integration *run, double t, const ct_affine *a, double *s)
{
    double late = run->inside_first - run->origin - t;
    for (uint32_t i = 0; i < a->forces; i++) {
        s[i] = a->s[i];
        for (uint32_t j = 0; late > 0 && j < a->forces; j++)
            s[i] -= late * a->drift[(size_t)i * a->forces + j] * a->s[j];
    }
}

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    exact *e = s->self;
    const ct_integration *run = s->run;
    ct_affine a;
    s->before = s->t = t;
    s->h = 0;
    if (e->refusals >= MOST_REFUSALS)
        return CT_NO_CONVERGENCE;
    e->refusals++;
    if (!run->problem->affine(run->problem->user, run->inside_first, run->origin + stop, &a))
        return CT_NO_CONVERGENCE;
    e->size = run->n + a.forces;
    if (!is_finite(a.slope, run->size * run->size) || !is_finite(a.force, run->size * a.forces) ||
        !solve_for_w(run, e, &a))
        return CT_NO_CONVERGENCE;
    set_matrix(run, e, &a);
    if (!is_finite(e->matrix, e->size * e->size))
        return CT_NO_CONVERGENCE;
    ct_exponentials_use(e->exponentials, e->matrix, e->size);
    if (!keeps_digits(s))
        return CT_NO_CONVERGENCE;
    e->refusals = 0;
    memcpy(e->last, z, run->n * sizeof *z);
    put_forces(run, t, &a, e->last + run->n);
    memcpy(e->z, z, run->size * sizeof *z);
    for (uint32_t i = 0; i < e->size; i++)
        e->largest[i] = fmax(i < run->n ? e->largest[i] : 0, fabs(e->last[i]));
    return CT_SOLVED;
}

static uint32_t culprit(ct_stepper *s)
{
    (void)s;
    return UINT32_MAX;
}

/* Rows at odd times cost an exponential each, others one in all. */
static bool is_worth_it(const ct_integration *run)
{
    double n = run->n + 4.0, each = 20 * n * n * n;
    return each * (run->def->times ? run->def->time_count + 1 : 1) < most_work &&
           (!run->problem->root_count || run->n <= MOST_WATCHED);
}

ct_stepper *ct_stepper_exact(ct_integration *run)
{
    ct_arena *arena = run->arena;
    const ct_run_def *def = run->def;
    if (!run->problem->affine || run->problem->phase_count || !is_worth_it(run))
        return NULL;
    exact *e = CT_NEW(arena, exact);
    ct_stepper *s = CT_NEW(arena, ct_stepper);
    *e = (exact){.most = run->n + CT_MOST_FORCES};
    double **need[] = {&e->first,    &e->last,     &e->middle, &e->cursor,
                       &e->slope[0], &e->slope[1], &e->largest};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(arena, double, e->most);
    e->matrix = CT_NEW_ARRAY(arena, double, (size_t)e->most * e->most);
    e->follow = CT_NEW_ARRAY(arena, double, (size_t)run->m * e->most);
    e->square = CT_NEW_ARRAY(arena, double, (size_t)run->m * run->m);
    e->z = CT_NEW_ARRAY(arena, double, run->size);
    e->exponentials = ct_exponentials_new(arena, e->most);
    e->grid = run->span / (def->times ? 100 : def->points);
    *s = (ct_stepper){.name = "matrix exponentials",
                      .run = run,
                      .self = e,
                      .start = start,
                      .step = step,
                      .at = at,
                      .culprit = culprit,
                      .z = e->z,
                      .share = 1};
    return s;
}

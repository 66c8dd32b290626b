/* measure.c - .meas: numbers that are worked out from rows, and runs with rows that are fine
 * enough.
 *
 * Rows of .dc and .ac are taken as they are, with straight lines between them, as SPICE does. A run
 * in time is done twice: once as asked for, which tells where its steps lie, then with rows at
 * SHARE points of each step. A step is smooth inside; at its end something may jump, so that its
 * last point lies just before the end. Curves within a step are cubics through four points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/measure.h"
#include "api/status.h"

enum { SHARE = 16, MOST_POINTS = 4000000 };
static const double just_before = 1e-6; /* the end of a step, as part of it */

/* ---- curves ------------------------------------------------------------------------------------
 */

/* block: so many intervals belong to one step; 0: straight lines only. */
typedef struct curves {
    const ct_syntax *syntax;
    const double *x;
    const double complex *column; /* row by row */
    uint64_t count;
    uint32_t width, block;
    const double *known; /* measures so far */
} curves;

static double y_at(const curves *c, ct_node formula, uint64_t row)
{
    return creal(ct_formula_value(c->syntax, formula, c->column + row * c->width, c->known));
}

/* Which four points a cubic of the interval i, i + 1 goes through; false: a straight line. */
static bool cubic_points(const curves *c, uint64_t i, uint64_t *first)
{
    if (!c->block)
        return false;
    uint64_t whole = c->block + 1, begin = i / whole * whole;
    if (i - begin >= c->block || begin + c->block >= c->count)
        return false; /* the gap between two steps */
    uint64_t low = i > begin ? i - 1 : begin;
    *first = low + 3 <= begin + c->block ? low : begin + c->block - 3;
    return true;
}

/* The value and the slope of the curve at x, inside of the interval i, i + 1. */
static double inside(const curves *c, ct_node f, uint64_t i, double x, double *slope)
{
    uint64_t first = i;
    uint32_t n = cubic_points(c, i, &first) ? 4 : 2;
    double sum = 0, rate = 0;
    for (uint32_t k = 0; k < n; k++) {
        double weight = 1, turn = 0;
        for (uint32_t m = 0; m < n; m++) {
            if (m == k)
                continue;
            double gap = c->x[first + k] - c->x[first + m], part = (x - c->x[first + m]) / gap;
            turn = turn * part + weight / gap;
            weight *= part;
        }
        double y = y_at(c, f, first + k);
        sum += weight * y;
        rate += turn * y;
    }
    *slope = rate;
    return sum;
}

/* The interval that holds x. */
static uint64_t find(const curves *c, double x)
{
    uint64_t low = 0, high = c->count - 1;
    bool rising = c->x[high] >= c->x[0];
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if ((c->x[middle] <= x) == rising)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double value_at(const curves *c, ct_node f, double x, double *slope)
{
    const double rounding = 1e-9; /* of an end that was computed */
    double rate;
    if (c->count < 2)
        return y_at(c, f, 0);
    double least = fmin(c->x[0], c->x[c->count - 1]), most = fmax(c->x[0], c->x[c->count - 1]);
    const double beyond = rounding * (most - least);
    if (!(x >= least - beyond && x <= most + beyond))
        return NAN;
    double y = inside(c, f, find(c, x), x, &rate);
    if (slope)
        *slope = rate;
    return y;
}

/* ---- crossings ---------------------------------------------------------------------------------
 */

static double above(const curves *c, const ct_crossing *k, uint64_t row)
{
    return y_at(c, k->curve, row) - y_at(c, k->other, row);
}

static double above_at(const curves *c, const ct_crossing *k, uint64_t i, double x)
{
    double slope;
    return inside(c, k->curve, i, x, &slope) - inside(c, k->other, i, x, &slope);
}

/* Bisection and the secant in turns: the curve need not be straight. */
static double crossing_within(const curves *c, const ct_crossing *k, uint64_t i)
{
    enum { MOST_HALVINGS = 60 };
    const double settled = 1e-14;
    double a = c->x[i], b = c->x[i + 1], ya = above(c, k, i), yb = above(c, k, i + 1);
    for (int n = 0; n < MOST_HALVINGS && fabs(b - a) > settled * fabs(b); n++) {
        double x = n % 2 ? a + (b - a) / 2 : a - ya * (b - a) / (yb - ya);
        double y = above_at(c, k, i, x);
        if (y == 0)
            return x;
        if ((y < 0) == (ya < 0)) {
            a = x;
            ya = y;
        } else {
            b = x;
            yb = y;
        }
    }
    return ya == yb ? a : a - ya * (b - a) / (yb - ya);
}

/* A row on the value itself counts where the curve arrives. */
static bool crosses(double before, double after, int direction)
{
    bool rise = before < 0 && after >= 0, fall = before > 0 && after <= 0;
    return (rise && direction >= 0) || (fall && direction <= 0);
}

static double place_of(const curves *c, const ct_crossing *k, double from, double to)
{
    int seen = 0;
    double last = NAN;
    if (!isnan(k->at))
        return k->at;
    double begin = isnan(k->td) ? from : k->td;
    for (uint64_t i = 0; i + 1 < c->count; i++) {
        if (!crosses(above(c, k, i), above(c, k, i + 1), k->direction))
            continue;
        double x = crossing_within(c, k, i);
        if (x < begin || x > to)
            continue;
        last = x;
        if (++seen == k->number)
            return x;
    }
    return k->number ? NAN : last;
}

/* ---- over a range ------------------------------------------------------------------------------
 */

typedef struct range {
    double from, to;
} range;

static range range_of(const curves *c, const ct_meas *m)
{
    double least = fmin(c->x[0], c->x[c->count - 1]), most = fmax(c->x[0], c->x[c->count - 1]);
    return (range){isnan(m->from) ? least : fmax(m->from, least),
                   isnan(m->to) ? most : fmin(m->to, most)};
}

/* The turn of a parabola through three rows; NaN: it lies outside. */
static double turn_of(const curves *c, ct_node f, uint64_t i)
{
    const double *x = c->x + i - 1;
    double y0 = y_at(c, f, i - 1), y1 = y_at(c, f, i), y2 = y_at(c, f, i + 1);
    double a = (y1 - y0) / (x[1] - x[0]), b = (y2 - y1) / (x[2] - x[1]);
    double bend = (b - a) / (x[2] - x[0]);
    double at = 0.5 * (x[0] + x[1]) - a / (2 * bend);
    return at > x[0] && at < x[2] ? at : NAN;
}

typedef struct extreme {
    double y, x;
} extreme;

static void meet(extreme *e, double sign, double y, double x)
{
    if (isnan(e->y) || sign * y > sign * e->y)
        *e = (extreme){y, x};
}

static extreme extreme_of(const curves *c, const ct_meas *m, double sign)
{
    range g = range_of(c, m);
    extreme e = {NAN, NAN};
    double slope;
    for (uint64_t i = 0; i < c->count; i++)
        if (c->x[i] >= g.from && c->x[i] <= g.to)
            meet(&e, sign, y_at(c, m->curve, i), c->x[i]);
    meet(&e, sign, value_at(c, m->curve, g.from, NULL), g.from);
    meet(&e, sign, value_at(c, m->curve, g.to, NULL), g.to);
    uint64_t i = c->count > 2 ? find(c, e.x) : 0, first;
    for (uint64_t k = i ? i : 1; c->block && k <= i + 1 && k + 1 < c->count; k++) {
        if (!cubic_points(c, k - 1, &first) || !cubic_points(c, k, &first))
            continue;
        double x = turn_of(c, m->curve, k);
        if (x >= g.from && x <= g.to)
            meet(&e, sign, inside(c, m->curve, find(c, x), x, &slope), x);
    }
    return e;
}

/* The integral of y or y^2 over one interval: three points by Gauss. */
static double piece(const curves *c, ct_node f, uint64_t i, double a, double b, bool square)
{
    static const double node[] = {-0.774596669241483377, 0, 0.774596669241483377};
    static const double weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double sum = 0, slope;
    for (int k = 0; k < 3; k++) {
        double y = inside(c, f, i, 0.5 * (a + b) + 0.5 * (b - a) * node[k], &slope);
        sum += weight[k] * (square ? y * y : y);
    }
    return sum * (b - a);
}

static double integral_of(const curves *c, const ct_meas *m, bool square, range *g)
{
    double sum = 0;
    *g = range_of(c, m);
    for (uint64_t i = 0; i + 1 < c->count; i++) {
        double a = fmin(c->x[i], c->x[i + 1]), b = fmax(c->x[i], c->x[i + 1]);
        a = fmax(a, g->from);
        b = fmin(b, g->to);
        if (b > a)
            sum += piece(c, m->curve, i, a, b, square);
    }
    return sum;
}

/* ---- measures ----------------------------------------------------------------------------------
 */

static double measure_range(const curves *c, const ct_meas *m)
{
    range g;
    double sum;
    switch (m->kind) {
    case CT_MEAS_MAX:
        return extreme_of(c, m, 1).y;
    case CT_MEAS_MIN:
        return extreme_of(c, m, -1).y;
    case CT_MEAS_MAX_AT:
        return extreme_of(c, m, 1).x;
    case CT_MEAS_MIN_AT:
        return extreme_of(c, m, -1).x;
    case CT_MEAS_PP:
        return extreme_of(c, m, 1).y - extreme_of(c, m, -1).y;
    case CT_MEAS_INTEG:
        return integral_of(c, m, false, &g);
    case CT_MEAS_AVG:
        sum = integral_of(c, m, false, &g);
        return sum / (g.to - g.from);
    default:
        sum = integral_of(c, m, true, &g);
        return sqrt(sum / (g.to - g.from));
    }
}

static double measure_one(const curves *c, const ct_meas *m)
{
    double slope = NAN, at;
    if (m->kind == CT_MEAS_PARAM)
        return creal(ct_formula_value(c->syntax, m->curve, NULL, c->known));
    if (!c->count)
        return NAN;
    range g = range_of(c, m);
    switch (m->kind) {
    case CT_MEAS_DISTANCE:
        return place_of(c, &m->targ, g.from, g.to) - place_of(c, &m->trig, g.from, g.to);
    case CT_MEAS_WHEN:
        return place_of(c, &m->targ, g.from, g.to);
    case CT_MEAS_FIND:
    case CT_MEAS_SLOPE:
        at = m->targ.curve || !isnan(m->targ.at) ? place_of(c, &m->targ, g.from, g.to) : c->x[0];
        at = isnan(at) ? at : value_at(c, m->curve, at, &slope);
        return m->kind == CT_MEAS_FIND ? at : isnan(at) ? at : slope;
    default:
        return measure_range(c, m);
    }
}

static const ct_result *measure_all(ct_context *ctx, curves *c)
{
    const ct_netlist *n = c->syntax->netlist;
    ct_result *result = CT_NEW(ctx->base, ct_result);
    double *value = CT_NEW_ARRAY(ctx->base, double, n->measure_count + 1);
    const char **name = CT_NEW_ARRAY(ctx->base, const char *, n->measure_count + 1);
    const char **unit = CT_NEW_ARRAY(ctx->base, const char *, n->measure_count + 1);
    c->known = value;
    for (uint32_t i = 0; i < n->measure_count; i++) {
        name[i] = n->measure[i].name;
        unit[i] = "1";
        value[i] = measure_one(c, &n->measure[i]);
        if (isfinite(value[i]))
            continue;
        ct_report *w =
            ct_warning(ctx, "W805", n->measure[i].place, "the measure `%s` has no value", name[i]);
        ct_note(w, "the curve does not cross that value so often, or not in that range");
    }
    result->effort = (ct_effort){.method = "measures", .start_method = "none", .path = "symbolic"};
    result->outputs = (ct_rows){name, unit, n->measure_count, 1, value};
    return result;
}

const ct_result *ct_measure_rows(ct_context *ctx, const ct_syntax *syntax, const ct_rows *rows,
                                 uint32_t first, uint32_t block)
{
    if (!syntax->netlist->measure_count)
        return NULL;
    ct_arena *arena = ct_arena_new(ctx);
    uint32_t width = rows->cols - first;
    double *x = CT_NEW_ARRAY(arena, double, rows->count + 1);
    double complex *column = CT_NEW_ARRAY(arena, double complex, (size_t)rows->count *width + 1);
    for (uint64_t i = 0; i < rows->count; i++) {
        x[i] = first ? rows->value[i * rows->cols] : 0;
        for (uint32_t k = 0; k < width; k++)
            column[i * width + k] = rows->value[i * rows->cols + first + k];
    }
    curves c = {syntax, x, column, rows->count, width, block, NULL};
    const ct_result *out = measure_all(ctx, &c);
    ct_arena_free(arena);
    return out;
}

const ct_result *ct_measure_phasors(ct_context *ctx, const ct_syntax *syntax, const double *x,
                                    const double complex *column, uint64_t count, uint32_t width)
{
    curves c = {syntax, x, column, count, width, 0, NULL};
    return syntax->netlist->measure_count ? measure_all(ctx, &c) : NULL;
}

/* ---- columns that only measures read
 * ------------------------------------------------------------------ */

void ct_hide_columns(ct_context *ctx, ct_rows *rows, uint32_t cols)
{
    if (cols >= rows->cols)
        return;
    double *value = CT_NEW_ARRAY(ctx->base, double, (size_t)rows->count *cols + 1);
    for (uint64_t i = 0; i < rows->count; i++)
        memcpy(value + i * cols, rows->value + i * rows->cols, cols * sizeof *value);
    rows->value = value;
    rows->cols = cols;
}

/* ---- runs in time ------------------------------------------------------------------------------
 */

typedef struct steps {
    double *at;
    size_t count, room;
    bool failed;
} steps;

static void take_step(void *user, double t)
{
    steps *s = user;
    if (s->count == s->room) {
        size_t room = 2 * s->room + 1024;
        double *more = realloc(s->at, room * sizeof *more);
        s->failed |= !more;
        if (!more)
            return;
        s->at = more;
        s->room = room;
    }
    s->at[s->count++] = t;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Places that the cards name are ends of steps as well, and a few more where there are none. */
static void add_places(steps *s, const ct_netlist *n, double start, double stop)
{
    enum { LEAST = 200 };
    for (uint32_t i = 0; i < n->measure_count; i++) {
        const ct_meas *m = &n->measure[i];
        const double place[] = {m->from, m->to, m->trig.td, m->targ.td, m->trig.at, m->targ.at};
        for (size_t k = 0; k < sizeof place / sizeof *place; k++)
            if (place[k] > start && place[k] < stop)
                take_step(s, place[k]);
    }
    for (int i = 0; i <= LEAST; i++)
        take_step(s, start + (stop - start) * i / LEAST);
}

/* Ascending, none twice or too near to the next to be told apart. */
static void order(steps *s, double start, double stop)
{
    size_t kept = 0;
    const double same = 1e-12;
    double least = same * (stop - start);
    qsort(s->at, s->count, sizeof *s->at, by_value);
    for (size_t i = 0; i < s->count; i++) {
        bool inner = s->at[i] >= start && s->at[i] <= stop;
        if (inner && (!kept || s->at[i] - s->at[kept - 1] > least))
            s->at[kept++] = s->at[i];
    }
    if (kept)
        s->at[kept - 1] = stop;
    s->count = kept;
}

/* SHARE intervals from the beginning of each step to just before its end. */
static double *fine_times(const steps *s, uint32_t *share, uint32_t *count)
{
    size_t whole = s->count - 1;
    *share = SHARE;
    while (*share > 4 && whole * (*share + 1) > MOST_POINTS)
        *share /= 2;
    double *times = malloc((whole * (*share + 1) + 1) * sizeof *times);
    *count = 0;
    for (size_t i = 0; i < whole && times; i++) {
        double from = s->at[i], size = (s->at[i + 1] - from) * (1 - just_before);
        for (uint32_t k = 0; k <= *share; k++)
            times[(*count)++] = from + size * k / *share;
    }
    return times;
}

typedef struct measured_job {
    ct_context *ctx;
    const ct_syntax *syntax;
    const ct_result *fine;
    const ct_result *measures;
    const ct_result *shown;
    uint32_t share;
} measured_job;

static void work_out(void *user)
{
    measured_job *job = user;
    job->measures = job->fine
                        ? ct_measure_rows(job->ctx, job->syntax, &job->fine->outputs, 1, job->share)
                        : NULL;
    ct_result *shown = CT_NEW(job->ctx->base, ct_result);
    *shown = *job->shown;
    shown->measures = job->measures;
    ct_hide_columns(job->ctx, &shown->outputs, 1 + job->syntax->netlist->shown);
    job->shown = shown;
}

static ct_status run_fine(ct_context *ctx, ct_simulator *simulator, const ct_simulation_def *def,
                          steps *s, double start, double stop, measured_job *job)
{
    ct_simulation_def fine = *def;
    add_places(s, job->syntax->netlist, start, stop);
    order(s, start, stop);
    uint32_t count = 0;
    double *times = s->count > 1 && !s->failed ? fine_times(s, &job->share, &count) : NULL;
    fine.times = times;
    fine.time_count = count;
    fine.stepped = NULL;
    ct_status status = times ? ct_run(ctx, simulator, &fine, &job->fine) : CT_ERR_MEMORY;
    free(times);
    return status;
}

ct_status ct_run_measured(ct_context *ctx, ct_simulator *simulator, const ct_syntax *netlist,
                          const ct_simulation_def *def, const ct_result **result)
{
    ct_simulation_def first = def ? *def : ct_default_simulation_def();
    steps s = {0};
    measured_job job = {.ctx = ctx, .syntax = netlist};
    first.stepped = take_step;
    first.step_user = &s;
    ct_status status = ct_run(ctx, simulator, &first, result);
    if (*result && (*result)->outputs.count && status == CT_OK && !(*result)->interrupted) {
        const ct_rows *rows = &(*result)->outputs;
        double stop = rows->value[(rows->count - 1) * rows->cols];
        status = run_fine(ctx, simulator, &first, &s, rows->value[0], stop, &job);
    }
    free(s.at);
    if (status == CT_ERR_MEMORY || status == CT_ERR_LIMIT)
        *result = NULL;
    if (!*result)
        return status;
    job.shown = *result;
    ct_status told = ct_call(ctx, work_out, &job);
    *result = told == CT_OK ? job.shown : NULL;
    return status == CT_OK ? told : status;
}

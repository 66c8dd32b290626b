/* esdirk.c - runs of large nonlinear systems; esdirk.h says which. */
#include "solve/esdirk.h"

#include <math.h>
#include <string.h>

#include "solve/esdirk_table.h"
#include "solve/gauge.h"
#include "solve/span.h"

enum { STAGES = CT_ESDIRK_STAGES, LAST = STAGES - 1, MOST_ITERATIONS = 12 };

static const double row_share = 0.3;  /* of their errors that counts */
static const double bend_share = 0.2; /* the same between stages, where laws bend */
static const double safety = 0.9, least_factor = 0.1, most_factor = 5;
static const double again_factor = 0.5;  /* at most, when the smaller step is refused, too */
static const double newton_share = 0.03; /* of a tolerance, that iterations may leave */
/* Relative steps, up to which curvature is believed to be that of the stages before: junctions
 * begin to conduct over some hundredths of a volt. */
static const double farthest_trusted = 5e-3;
static const double first_part = 1e-4;  /* of the first step: rates are found over it */
static const double first_share = 1e-3; /* of a tolerance, left there */
static const double most_share = 0.01, share_by_tol = 10; /* of the largest of a kind */
static const double first_curvature = 1e-2, least_error = 1e-8;

typedef struct esdirk {
    const ct_stored_system *s;
    const ct_run_def *def;
    ct_run_stats *stats;
    ct_arena *arena;
    uint32_t n, m;
    double rtol, atol;
    ct_span span;
    double *z[STAGES], *rate[STAGES]; /* stages; rates of charges */
    double *before, *middle;          /* z of the last step: its start, and at ct_esdirk_node[3] */
    double before_h;                  /* its size; 0: there is none in this stretch */
    double *q, *next_q, *base, *residual, *step, *between;
    double *most; /* the largest z so far */
    double *most_of_kind;
    double *watched[STAGES], *row_z, *shown_here, *shown_there, *shown_most;
    ct_esdirk_dense dense;
    double curvature; /* of Newton's iteration, in tolerances */
    double factored;  /* alpha of the matrix that is factored; NAN: none */
    double shrink;    /* of steps with an old matrix: one by the one before */
    bool bends;       /* tangents did not hold over the last first step */
    bool bent;        /* nor in some stage of this step */
} esdirk;

/* ---- rows */

static bool write_row(esdirk *r, double t, double h)
{
    const ct_stored_system *s = r->s;
    double x = (t - r->span.t) / h, by[STAGES];
    ct_esdirk_factors(&r->dense, x, by);
    for (uint32_t w = 0; w < s->watch_count; w++) {
        double sum = 0;
        for (int i = 0; i < STAGES; i++)
            sum += by[i] * r->z[i][s->watch[w]];
        r->row_z[w] = x <= 0 ? r->z[0][s->watch[w]] : x >= 1 ? r->z[LAST][s->watch[w]] : sum;
    }
    r->span.next_row++;
    return s->row(s->user, t, ct_span_inside(&r->span, t), r->row_z);
}

static bool write_rows(esdirk *r, double h)
{
    for (double t; ct_span_row(&r->span, &t);)
        if (!write_row(r, t, h))
            return false;
    return true;
}

/* ---- Newton's method */

/* Without a call, unlike fmax(); of two numbers. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double weight(const esdirk *r, uint32_t i, const double *z)
{
    return r->atol + r->rtol * larger(r->most[i], fabs(z[i]));
}

static bool factor(esdirk *r, double alpha)
{
    bool done = ct_linear_factor(r->s->linear) == CT_SOLVED;
    r->factored = done ? alpha : NAN;
    r->stats->jac_evals++;
    r->stats->factorizations += done;
    return done;
}

/* One iteration, with a new matrix or the last one: the size of its step in tolerances, INFINITY:
 * none could be made. */
static double iterate(esdirk *r, double alpha, double *z, bool fresh, bool matrix, uint32_t *beside)
{
    const ct_stored_system *s = r->s;
    *beside = s->evaluate(s->user, z, alpha, r->base, fresh, matrix, r->residual);
    r->stats->rhs_evals++;
    r->stats->newton_iters++;
    if (matrix && !factor(r, alpha))
        return INFINITY;
    ct_linear_solve(s->linear, r->residual);
    double most = 0, trouble = 0; /* NaN: not finite */
    for (uint32_t i = 0; i < r->n; i++) {
        most = larger(most, fabs(r->residual[i]) / weight(r, i, z));
        z[i] -= r->residual[i];
        trouble += 0 * z[i];
    }
    return trouble == 0 ? most : INFINITY;
}

typedef struct iteration {
    int count;
    bool matrix;         /* with a matrix of its own */
    double size, before; /* of steps, in tolerances */
    uint32_t beside;
    bool holds; /* tangents do */
} iteration;

/* What is known of how iterations go on. */
static void learn(esdirk *r, const iteration *k)
{
    if (k->count == 0)
        r->bends = !k->holds;
    else if (k->beside == 0 && !k->matrix && k->before > 0)
        r->shrink = fmax(0.3 * r->shrink, k->size / k->before);
    else if (k->beside == 0 && k->matrix && k->before > 1 && k->size > 0 && k->size < k->before)
        r->curvature = fmax(0.7 * r->curvature, k->size / (k->before * k->before));
}

static bool is_solved(const esdirk *r, const iteration *k, double goal)
{
    double left = k->matrix ? 3 * r->curvature * k->size * k->size : r->shrink * k->size;
    bool near = k->size * r->rtol <= farthest_trusted;
    bool rounding = k->count > 1 && k->size <= 10 * newton_share && k->size > 0.3 * k->before;
    if (k->beside)
        return false;
    if (k->holds && (k->matrix || left <= goal))
        return true;
    return k->size <= goal || (k->matrix && near && left <= goal) || rounding;
}

/* base and alpha are set; z: a guess, becomes the solution. goal: what may be left, in tolerances.
 */
static bool solve(esdirk *r, double alpha, double goal, double *z)
{
    const double slow = 0.2;
    iteration k = {.matrix = r->bends || r->factored != alpha, .before = INFINITY};
    for (; k.count < MOST_ITERATIONS; k.count++) {
        k.size = iterate(r, alpha, z, k.count == 0, k.matrix, &k.beside);
        if (!isfinite(k.size))
            break;
        k.holds = k.beside == 0 && r->s->holds(r->s->user, z);
        learn(r, &k);
        if (is_solved(r, &k, goal))
            return true;
        if (k.count > 3 && k.size > 2 * k.before && k.beside == 0)
            break;
        k.matrix = !k.holds || (!k.matrix && k.count > 0 && r->shrink > slow);
        k.before = k.size;
    }
    r->s->linear->fresh = true;
    r->factored = NAN;
    return false;
}

/* ---- guesses: polynomials through what is known */

typedef struct known_point {
    double at; /* in steps */
    const double *z;
} known_point;

static void extrapolate(uint32_t n, const known_point *p, int count, double at, double *out)
{
    double by[STAGES];
    for (int i = 0; i < count; i++) {
        by[i] = 1;
        for (int j = 0; j < count; j++)
            by[i] *= j == i ? 1 : (at - p[j].at) / (p[i].at - p[j].at);
    }
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += by[i] * p[i].z[k];
        out[k] = sum;
    }
}

static void guess(esdirk *r, int stage, double h)
{
    known_point p[STAGES];
    int count = 0;
    double back = r->before_h / h;
    p[count++] = (known_point){0, r->z[0]};
    for (int i = 1; i < stage; i++)
        p[count++] = (known_point){ct_esdirk_node[i], r->z[i]};
    if (r->before_h > 0 && count < 3)
        p[count++] = (known_point){-back * (1 - ct_esdirk_node[3]), r->middle};
    if (r->before_h > 0 && count < 3)
        p[count++] = (known_point){-back, r->before};
    extrapolate(r->n, p, count, ct_esdirk_node[stage], r->z[stage]);
}

/* ---- a step */

static bool do_stage(esdirk *r, int stage, double h)
{
    const ct_stored_system *s = r->s;
    double alpha = 1 / (ct_esdirk_gamma * h);
    guess(r, stage, h);
    for (uint32_t k = 0; k < r->m; k++) {
        double sum = 0;
        for (int j = 0; j < stage; j++)
            sum += ct_esdirk_table[stage][j] * r->rate[j][k];
        r->base[k] = r->q[k] + h * sum;
    }
    s->inputs(s->user, ct_span_inside(&r->span, r->span.t + ct_esdirk_node[stage] * h));
    if (!solve(r, alpha, newton_share, r->z[stage]))
        return false;
    double *q = stage == LAST ? r->next_q : r->rate[stage];
    s->charges(s->user, r->z[stage], q);
    for (uint32_t k = 0; k < r->m; k++)
        r->rate[stage][k] = alpha * (q[k] - r->base[k]);
    return true;
}

/* Of watched z in row_z with the errors in step. */
static double shown_error(esdirk *r, double at)
{
    const ct_stored_system *s = r->s;
    double most = 0;
    s->shown(s->user, at, r->row_z, r->shown_here);
    for (uint32_t w = 0; w < s->watch_count; w++)
        r->row_z[w] -= r->step[s->watch[w]];
    s->shown(s->user, at, r->row_z, r->shown_there);
    for (uint32_t i = 0; i < s->shown_count; i++) {
        double here = r->shown_here[i], off = fabs(r->shown_there[i] - here);
        if (!isfinite(off))
            continue;
        most = fmax(most, off / (r->atol + r->rtol * fmax(r->shown_most[i], fabs(here))));
    }
    return most;
}

/* What the embedded method would store otherwise, as z shows it. */
static double estimate(esdirk *r, double h)
{
    const ct_stored_system *s = r->s;
    double alpha = 1 / (ct_esdirk_gamma * h), most = 0, *e = r->base;
    if (!s->plain_charges) { /* what R makes of another base */
        s->evaluate(s->user, r->z[LAST], alpha, r->base, true, false, r->step);
        r->stats->rhs_evals++;
    }
    for (uint32_t k = 0; k < r->m; k++) {
        double sum = 0;
        for (int j = 0; j < STAGES; j++)
            sum += (ct_esdirk_table[LAST][j] - ct_esdirk_embedded[j]) * r->rate[j][k];
        e[k] = s->plain_charges ? alpha * h * sum : e[k] - h * sum;
    }
    if (s->plain_charges) {
        memcpy(r->step, e, r->n * sizeof *e);
    } else {
        s->evaluate(s->user, r->z[LAST], alpha, e, true, false, r->residual);
        for (uint32_t i = 0; i < r->n; i++)
            r->step[i] = r->residual[i] - r->step[i];
    }
    ct_linear_solve(s->linear, r->step);
    for (uint32_t i = 0; i < r->n; i++)
        if (s->stored[i])
            most = larger(most, fabs(r->step[i]) / weight(r, i, r->z[LAST]));
    for (uint32_t w = 0; w < s->watch_count; w++)
        r->row_z[w] = r->z[LAST][s->watch[w]];
    if (s->shown_count)
        most = fmax(most, shown_error(r, ct_span_inside(&r->span, r->span.to)));
    return most;
}

/* How far a row at x in the step is from what holds there, in tolerances: the step of Newton's
 * method from it. kept: the same for what is stored, which a part of the step would store
 * otherwise.
 */
static double row_error(esdirk *r, double x, double h, double *kept)
{
    const ct_stored_system *s = r->s;
    double alpha = 1 / (ct_esdirk_gamma * h), most = 0;
    double by[STAGES], of_q[STAGES], of_rate[STAGES];
    uint32_t beside;
    ct_esdirk_factors(&r->dense, x, by);
    ct_esdirk_between(x, false, of_q);
    ct_esdirk_between(x, true, of_rate);
    for (uint32_t i = 0; i < r->n; i++) {
        r->step[i] = 0;
        for (int k = 0; k < STAGES; k++)
            r->step[i] += by[k] * r->z[k][i];
    }
    for (uint32_t w = 0; w < s->watch_count; w++)
        r->row_z[w] = r->step[s->watch[w]];
    for (uint32_t k = 0; k < r->m; k++) {
        double q = 0, rate = 0;
        for (int j = 0; j < STAGES; j++) {
            q += of_q[j] * r->rate[j][k];
            rate += of_rate[j] * r->rate[j][k];
        }
        r->base[k] = r->q[k] + h * q - rate / alpha;
    }
    s->inputs(s->user, ct_span_inside(&r->span, r->span.t + x * h));
    memcpy(r->between, r->step, r->n * sizeof *r->step);
    if (!isfinite(iterate(r, alpha, r->step, true, r->bends, &beside)))
        return *kept = INFINITY;
    for (uint32_t i = 0; i < r->n; i++)
        if (s->stored[i])
            *kept = larger(*kept, fabs(r->step[i] - r->between[i]) / weight(r, i, r->z[LAST]));
    for (uint32_t w = 0; w < s->watch_count; w++) {
        double off = fabs(r->row_z[w] - r->step[s->watch[w]]);
        most = fmax(most, off / weight(r, s->watch[w], r->z[LAST]));
        r->step[s->watch[w]] = r->step[s->watch[w]] - r->row_z[w];
    }
    return fmax(most,
                s->shown_count ? shown_error(r, ct_span_inside(&r->span, r->span.t + x * h)) : 0);
}

/* At the row, or where rows are farthest from stages. There the first step tells of a layer behind
 * a break, too, which the embedded method may miss; and one in which laws bend, of what begins or
 * ends to conduct between two stages: not the first, whose z at the start is extrapolated. */
static double inner_error(esdirk *r, double h)
{
    uint32_t count = ct_span_rows_inside(&r->span, 2);
    double x = count == 1 ? (ct_row_time(r->def, r->span.next_row) - r->span.t) / h : 0, most = 0;
    double kept = 0;
    if (count == 1 && x > 0)
        most = row_error(r, x, h, &kept);
    for (int k = 0; k < 2; k++)
        if (count == 2 || (r->before_h == 0 ? k == 0 : r->bent))
            most = fmax(most, row_error(r, ct_esdirk_inner[k], h, &kept));
    return fmax(row_share * most, r->bent && r->before_h > 0 ? bend_share * kept : 0);
}

static bool try_step(esdirk *r, double h, double *error)
{
    r->bent = false;
    for (int stage = 1; stage < STAGES; stage++) {
        if (!do_stage(r, stage, h))
            return false;
        r->bent |= r->bends;
    }
    *error = estimate(r, h);
    if (*error < 1)
        *error = fmax(*error, inner_error(r, h));
    return isfinite(*error);
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* The largest z so far, and at least a part of those of the same kind. */
static void lift(esdirk *r)
{
    const ct_stored_system *s = r->s;
    double *of = r->most_of_kind, share = fmin(most_share, share_by_tol * r->rtol);
    s->lift(s->user, of);
    for (uint32_t i = 0; i < r->n; i++) {
        double size = fabs(r->z[0][i]);
        r->most[i] = larger(r->most[i], size);
        of[s->kind[i]] = larger(of[s->kind[i]], size);
    }
    of[0] = 0;
    for (uint32_t i = 0; i < r->n; i++)
        r->most[i] = larger(r->most[i], share * of[s->kind[i]]);
}

static void accept(esdirk *r, double h)
{
    memcpy(r->before, r->z[0], r->n * sizeof *r->before);
    memcpy(r->middle, r->z[3], r->n * sizeof *r->middle);
    r->before_h = h;
    r->span.t = r->span.to;
    swap(&r->z[0], &r->z[LAST]);
    swap(&r->rate[0], &r->rate[LAST]);
    r->s->inputs(r->s->user, ct_span_inside(&r->span, r->span.t));
    r->s->refer(r->s->user, r->z[0]);
    memset(r->q, 0, r->m * sizeof *r->q);
    lift(r);
    for (uint32_t i = 0; i < r->s->shown_count; i++)
        if (isfinite(r->shown_here[i]))
            r->shown_most[i] = fmax(r->shown_most[i], fabs(r->shown_here[i]));
    r->stats->steps++;
    r->stats->last_time = r->span.t;
}

/* ---- stretches */

/* z and rates of charges just after t, by implicit Euler over next to nothing: once, then what
 * follows at once has settled, and twice more, from which rates at t are extrapolated. */
static ct_solve_status settle(esdirk *r, double h)
{
    const ct_stored_system *s = r->s;
    double *z = r->z[1], *q = r->next_q;
    memcpy(z, r->z[0], r->n * sizeof *z);
    memcpy(r->base, r->q, r->m * sizeof *r->q);
    for (int k = 0; k < 3; k++) {
        s->inputs(s->user, ct_span_inside(&r->span, r->span.t + (k + 1) * h));
        if (!solve(r, 1 / h, first_share, z))
            return CT_NO_CONVERGENCE;
        s->charges(s->user, z, q);
        for (uint32_t i = 0; i < r->n; i++)
            r->z[0][i] = k == 0 ? 2 * z[i] : k == 1 ? r->z[0][i] - z[i] : r->z[0][i];
        for (uint32_t i = 0; i < r->m; i++) {
            double rate = (q[i] - r->base[i]) / h;
            r->rate[0][i] = k == 1 ? 3 * rate : k == 2 ? r->rate[0][i] - 2 * rate : 0;
        }
        memcpy(r->base, q, r->m * sizeof *q);
    }
    return CT_SOLVED;
}

static ct_solve_status begin_stretch(esdirk *r, bool restart, double *h)
{
    const ct_stored_system *s = r->s;
    double before = r->span.last;
    if (restart)
        memcpy(r->z[LAST], r->z[0], r->n * sizeof **r->z);
    ct_span_begin(&r->span, s->next_break, s->user);
    r->before_h = 0;
    r->curvature = first_curvature;
    r->shrink = 1;
    *h = fmin(*h > 0 ? *h : INFINITY, (r->span.end - r->span.t) / (restart ? 20 : 1000));
    ct_solve_status status = settle(r, fmax(first_part * *h, 2 * ct_hair(r->span.t, r->span.end)));
    if (status != CT_SOLVED)
        return status;
    r->stats->restarts += restart;
    bool kept = !restart || s->keeps(s->user, before, r->z[LAST], r->span.first, r->z[0]);
    return kept ? CT_SOLVED : CT_CHANGED;
}

static ct_solve_status do_stretch(esdirk *r, double *h)
{
    bool refused = false; /* the step before: growth would lead there again */
    while (r->span.t < r->span.end) {
        double size = ct_span_fit(&r->span, *h), error = INFINITY;
        bool done = try_step(r, size, &error);
        double grow = done ? safety * pow(fmax(error, least_error), -0.25) : 0.2;
        if (r->s->interrupted(r->s->user))
            return CT_STOPPED;
        if (!done || error >= 1) {
            *h = size * fmin(fmax(grow, least_factor), refused ? again_factor : 0.9);
            if (!ct_span_holds(&r->span, *h))
                return done ? CT_STEP_TOO_SMALL : CT_NO_CONVERGENCE;
            refused = true;
            continue;
        }
        if (r->stats->steps >= r->def->most_steps)
            return CT_TOO_MANY_STEPS;
        if (!write_rows(r, size))
            return CT_STOPPED;
        accept(r, size);
        grow = fmin(fmax(grow, least_factor), refused ? 1 : most_factor);
        *h = fmax(size * grow, size < *h ? *h : 0);
        refused = false;
        ct_span_tell(&r->span);
    }
    return CT_SOLVED;
}

static ct_solve_status integrate(esdirk *r, bool settled, const double *start)
{
    double h = 0;
    ct_solve_status status = CT_SOLVED;
    for (bool again = false; status == CT_SOLVED && r->span.t < r->def->stop; again = true) {
        status = begin_stretch(r, again, &h);
        if (!again && settled)
            memcpy(r->z[0], start, r->n * sizeof *start);
        if (status == CT_SOLVED)
            status = do_stretch(r, &h);
    }
    return status;
}

/* ---- memory */

static void take_memory(esdirk *r)
{
    const ct_stored_system *s = r->s;
    double **of_z[] = {&r->before, &r->middle, &r->residual, &r->step, &r->between, &r->most};
    double **of_q[] = {&r->q, &r->next_q, &r->base};
    double **of_shown[] = {&r->shown_here, &r->shown_there, &r->shown_most};
    for (size_t i = 0; i < sizeof of_z / sizeof *of_z; i++)
        *of_z[i] = CT_NEW_ARRAY(r->arena, double, r->n + 1);
    for (size_t i = 0; i < sizeof of_q / sizeof *of_q; i++)
        *of_q[i] = CT_NEW_ARRAY(r->arena, double, r->m + 1);
    for (size_t i = 0; i < sizeof of_shown / sizeof *of_shown; i++)
        *of_shown[i] = CT_NEW_ARRAY(r->arena, double, s->shown_count + 1);
    for (int i = 0; i < STAGES; i++) {
        r->z[i] = CT_NEW_ARRAY(r->arena, double, r->n + 1);
        r->rate[i] = CT_NEW_ARRAY(r->arena, double, r->m + 1);
    }
    r->most_of_kind = CT_NEW_ARRAY(r->arena, double, s->kind_count + 1);
    r->row_z = CT_NEW_ARRAY(r->arena, double, s->watch_count + 1);
}

typedef struct esdirk_job {
    esdirk *r;
    bool settled;
    double *z;
    const double *q;
    ct_solve_status status;
} esdirk_job;

static void run_all(void *user)
{
    esdirk_job *j = user;
    esdirk *r = j->r;
    take_memory(r);
    ct_esdirk_open(&r->dense);
    memcpy(r->z[0], j->z, r->n * sizeof *j->z);
    r->s->linear->trusted = 20;
    r->s->inputs(r->s->user, r->span.t);
    r->s->charges(r->s->user, j->z, r->next_q);
    for (uint32_t k = 0; k < r->m; k++)
        r->q[k] = j->q[k] - r->next_q[k];
    r->s->refer(r->s->user, j->z);
    lift(r);
    j->status = integrate(r, j->settled, j->z);
    memcpy(j->z, r->z[0], r->n * sizeof *j->z);
}

ct_solve_status ct_esdirk(ct_context *ctx, const ct_stored_system *system, const ct_run_def *def,
                          bool settled, double *z, const double *q, ct_run_stats *stats)
{
    esdirk r = {.s = system,
                .def = def,
                .stats = stats,
                .n = system->n,
                .m = system->charge_count,
                .factored = NAN};
    esdirk_job job = {&r, settled, z, q, CT_SOLVED};
    *stats = (ct_run_stats){.last_time = def->start, .culprit = UINT32_MAX};
    stats->method = "ESDIRK of order 4";
    r.rtol = fmax(def->rtol, CT_FINEST_RTOL);
    r.atol = fmax(def->atol, CT_FINEST_ATOL);
    r.span = ct_span_new(def);
    r.arena = ct_arena_new(ctx);
    ct_status failure = ct_protect(ctx, run_all, &job);
    ct_arena_free(r.arena);
    if (failure != CT_OK)
        ct_throw(ctx, failure);
    return job.status;
}

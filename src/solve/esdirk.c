/* esdirk.c - runs of large nonlinear systems; esdirk.h says which. */
#include <string.h>

#include "solve/esdirk_run.h"
#include "solve/gauge.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

static const double row_share = 0.4;     /* of their errors that counts */
static const double first_row_share = 1; /* the same in the first step behind a break */
static const double bend_share = 0.2;    /* the same between stages, where laws bend */
static const double safety = 0.9, least_factor = 0.1, most_factor = 5;
static const double newton_share = 0.03; /* of a tolerance, that iterations may leave */
static const double again_factor = 0.5;  /* at most, when the smaller step is refused, too */
static const double hopeless_factor = 0.4;
static const double first_part = 1e-4;  /* of the first step: rates are found over it */
static const double first_share = 1e-3; /* of a tolerance, left there */
static const double turn_of_stages = 2; /* sines may turn so far: stages stand between */
static const double most_share = 0.01, share_by_tol = 10; /* of the largest of a kind */
static const double first_curvature = 1e-2, least_error = 1e-8;

/* Of guesses of stages, in tolerances: steps with worse ones have been refused in most networks.
 * Those of the first stage tell nothing. Where the step that is done instead turns out so good that
 * the one before it would have passed, guesses may be worse by `indulgence`. */
static const double indulgence = 2;
enum { MOST_GIVEN_UP = 3 };
static const double farthest_guess[STAGES] = {INFINITY, INFINITY, 100, 100, 120, 50};

/* Of what is solved for. */
static void copy(const esdirk *r, double *to, const double *from)
{
    CT_EACH (i, r->s->part->solved)
        to[i] = from[i];
}

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

/* ---- guesses: polynomials through what is known */

typedef struct known_point {
    double at; /* in steps */
    const double *z;
} known_point;

static void weigh(const known_point *p, int count, double at, double *by)
{
    for (int i = 0; i < count; i++) {
        by[i] = 1;
        for (int j = 0; j < count; j++)
            by[i] *= j == i ? 1 : (at - p[j].at) / (p[i].at - p[j].at);
    }
}

static void guess(esdirk *r, int stage, double h)
{
    known_point p[STAGES];
    int count = 0;
    double back = r->before_h / h, own[STAGES];
    const double *by = own;
    for (int i = 0; i < stage; i++)
        p[count++] = (known_point){ct_esdirk_node[i], r->z[i]};
    if (r->before_h > 0 && count < 3)
        p[count++] = (known_point){-back * (1 - ct_esdirk_node[3]), r->middle};
    if (r->before_h > 0 && count < 3)
        p[count++] = (known_point){-back, r->before};
    if (stage >= CT_ESDIRK_GUESSED)
        by = r->dense.guess[stage - CT_ESDIRK_GUESSED];
    else
        weigh(p, count, ct_esdirk_node[stage], own);
    const double *z[STAGES];
    for (int i = 0; i < count; i++)
        z[i] = p[i].z;
    ct_esdirk_sum(r->s->part->solved, r->z[stage], (uint32_t)count, by, z);
}

/* ---- a step */

/* to = from, if that is given, and rates of charges, each by a factor. */
static void sum_rates(const esdirk *r, double *to, const double *from, const double *factor,
                      int count, double h)
{
    double by[STAGES + 1];
    const double *x[STAGES + 1];
    uint32_t terms = 0;
    if (from) {
        by[terms] = 1;
        x[terms++] = from;
    }
    for (int j = 0; j < count; j++)
        if (factor[j] != 0) {
            by[terms] = h * factor[j];
            x[terms++] = r->rate[j];
        }
    ct_esdirk_sum(r->s->part->charges, to, terms, by, x);
}

static bool do_stage(esdirk *r, int stage, double h)
{
    const ct_stored_system *s = r->s;
    double alpha = 1 / (ct_esdirk_gamma * h);
    guess(r, stage, h);
    sum_rates(r, r->base, r->q, ct_esdirk_table[stage], stage, h);
    s->inputs(s->user, ct_span_inside(&r->span, r->span.t + ct_esdirk_node[stage] * h));
    r->last = stage == LAST;
    r->farthest = r->given_up < MOST_GIVEN_UP ? r->leave * farthest_guess[stage] : INFINITY;
    if (!ct_esdirk_solve(r, alpha, newton_share, r->z[stage]))
        return false;
    double *q = stage == LAST ? r->next_q : r->rate[stage];
    s->charges(s->user, q);
    CT_EACH (k, s->part->charges)
        r->rate[stage][k] = alpha * (q[k] - r->base[k]);
    CT_EACH (i, s->part->border) { /* what flows there, though it rests */
        r->rate[stage][i] -= r->residual[i];
        r->next_q[i] = -r->residual[i] / alpha;
    }
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
    double alpha = 1 / (ct_esdirk_gamma * h), off[STAGES];
    for (int j = 0; j < STAGES; j++)
        off[j] = ct_esdirk_table[LAST][j] - ct_esdirk_embedded[j];
    sum_rates(r, r->off, NULL, off, STAGES, alpha * h);
    s->respond(s->user, alpha, r->base, r->off, r->step);
    ct_linear_solve(s->linear, r->step);
    double most =
        ct_esdirk_size(s->part->solved, r->step,
                       &(ct_esdirk_scale){r->rtol, r->atol, r->most, r->z[LAST]}, s->stored);
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
    ct_esdirk_between(&r->dense, x, of_q, of_rate);
    const double *z[STAGES];
    for (int k = 0; k < STAGES; k++)
        z[k] = r->z[k];
    ct_esdirk_sum(s->part->solved, r->step, STAGES, by, z);
    for (uint32_t w = 0; w < s->watch_count; w++) {
        uint32_t i = s->watch[w];
        r->step[i] = s->part->level[i] == CT_SOLVED_FOR ? r->step[i] : r->z[0][i];
        r->row_z[w] = r->step[i];
    }
    for (int j = 0; j < STAGES; j++) /* q - q' / alpha */
        of_q[j] -= ct_esdirk_gamma * of_rate[j];
    sum_rates(r, r->base, r->q, of_q, STAGES, h);
    s->inputs(s->user, ct_span_inside(&r->span, r->span.t + x * h));
    s->move(s->user, r->step);
    if (!isfinite(ct_esdirk_iterate(r, alpha, r->step, true, r->bends, &beside)))
        return *kept = INFINITY;
    *kept = larger(*kept, ct_esdirk_size(s->part->solved, r->residual,
                                         &(ct_esdirk_scale){r->rtol, r->atol, r->most, r->z[LAST]},
                                         s->stored));
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
 * ends to conduct between two stages, the first two as well: a diode that conducts near a peak. */
static double inner_error(esdirk *r, double h)
{
    uint32_t count = ct_span_rows_inside(&r->span, 2);
    double x = count == 1 ? (ct_row_time(r->def, r->span.next_row) - r->span.t) / h : 0, most = 0;
    double kept = 0;
    if (count == 1 && x > 0)
        most = row_error(r, x, h, &kept);
    for (int k = 0; k < 2; k++)
        if (r->before_h == 0 ? k == 0 || count == 2 : count == 2 || r->bent)
            most = fmax(most, row_error(r, ct_esdirk_inner[k], h, &kept));
    return fmax((r->before_h > 0 ? row_share : first_row_share) * most,
                r->bent && r->before_h > 0 ? bend_share * kept : 0);
}

static bool try_step(esdirk *r, double h, double *error)
{
    r->bent = r->hopeless = false;
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
    CT_EACH (i, s->part->solved) {
        double size = fabs(r->z[0][i]);
        r->most[i] = larger(r->most[i], size);
        of[s->kind[i]] = larger(of[s->kind[i]], size);
    }
    of[0] = 0;
    CT_EACH (i, s->part->solved)
        r->most[i] = larger(r->most[i], share * of[s->kind[i]]);
}

static void accept(esdirk *r, double h)
{
    copy(r, r->before, r->z[0]);
    copy(r, r->middle, r->z[3]);
    r->before_h = h;
    r->span.t = r->span.to;
    swap(&r->z[0], &r->z[LAST]);
    swap(&r->rate[0], &r->rate[LAST]);
    r->s->inputs(r->s->user, ct_span_inside(&r->span, r->span.t));
    r->s->move(r->s->user, r->z[0]);
    r->s->refer(r->s->user);
    CT_EACH (k, r->s->part->charges)
        r->q[k] = 0;
    CT_EACH (i, r->s->part->border)
        r->q[i] = r->next_q[i];
    lift(r);
    for (uint32_t i = 0; i < r->s->shown_count; i++)
        if (isfinite(r->shown_here[i]))
            r->shown_most[i] = fmax(r->shown_most[i], fabs(r->shown_here[i]));
    r->stats->steps++;
    r->stats->last_time = r->span.t;
    ct_esdirk_rest(r);
}

/* ---- stretches */

/* z and rates of charges just after t, by implicit Euler over next to nothing: once, then what
 * follows at once has settled, and twice more, from which rates at t are extrapolated. bend: how
 * far z is from a line there, in tolerances. */
static ct_solve_status settle(esdirk *r, double h, double *bend)
{
    const ct_stored_system *s = r->s;
    double *z = r->z[1], *q = r->next_q, *from_line = r->step;
    memcpy(z, r->z[0], r->n * sizeof *z);
    memcpy(r->base, r->q, r->m * sizeof *r->q);
    r->farthest = INFINITY;
    for (int k = 0; k < 3; k++) {
        s->inputs(s->user, ct_span_inside(&r->span, r->span.t + (k + 1) * h));
        if (!ct_esdirk_solve(r, 1 / h, first_share, z))
            return CT_NO_CONVERGENCE;
        s->charges(s->user, q);
        for (uint32_t i = 0; i < r->n; i++)
            r->z[0][i] = k == 0 ? 2 * z[i] : k == 1 ? r->z[0][i] - z[i] : r->z[0][i];
        for (uint32_t i = 0; i < r->n; i++)
            from_line[i] = k == 0 ? z[i] : from_line[i] + (k == 1 ? -2 : 1) * z[i];
        for (uint32_t i = 0; i < r->m; i++) {
            double rate = (q[i] - r->base[i]) / h;
            r->rate[0][i] = k == 1 ? 3 * rate : k == 2 ? r->rate[0][i] - 2 * rate : 0;
        }
        memcpy(r->base, q, r->m * sizeof *q);
    }
    *bend = 0;
    for (uint32_t i = 0; i < r->n; i++)
        *bend = larger(*bend, fabs(from_line[i]) / weight(r, i, z));
    return CT_SOLVED;
}

/* Layers that are thinner than what was taken for next to nothing: less of it then. Where all has
 * settled there are none but those of rounding. */
static ct_solve_status settle_within(esdirk *r, double h)
{
    const double thinner = 1e-2, most_bend = 1;
    double least = 2 * ct_hair(r->span.t, r->span.end), bend = INFINITY;
    ct_solve_status status = CT_SOLVED;
    h = fmax(h, least);
    for (int k = 0; k < 3 && status == CT_SOLVED && bend > most_bend; k++) {
        status = settle(r, h, &bend);
        if (h <= least || r->settled)
            break;
        h = fmax(thinner * h, least);
    }
    return status;
}

static ct_solve_status begin_stretch(esdirk *r, bool restart, double *h)
{
    const ct_stored_system *s = r->s;
    double before = r->span.last;
    ct_esdirk_wake_all(r);
    if (restart)
        memcpy(r->z[LAST], r->z[0], r->n * sizeof **r->z);
    ct_span_begin(&r->span, s->next_break, s->user);
    r->before_h = 0;
    r->curvature = first_curvature;
    r->shrink = 1;
    *h = fmin(*h > 0 ? *h : INFINITY, (r->span.end - r->span.t) / (restart ? 20 : 1000));
    ct_solve_status status = settle_within(r, first_part * *h);
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
        double grow = done ? safety * pow(fmax(error, least_error), -0.25)
                           : (r->hopeless ? hopeless_factor : 0.2);
        if (done && error > 4 && r->bent) /* where laws bend, the order is lower */
            grow = safety * pow(error, -0.4);
        if (r->s->interrupted(r->s->user))
            return CT_STOPPED;
        if (!done || error >= 1) {
            *h = size * fmin(fmax(grow, least_factor), refused ? again_factor : 0.9);
            if (!ct_span_holds(&r->span, *h))
                return done ? CT_STEP_TOO_SMALL : CT_NO_CONVERGENCE;
            refused = true;
            r->leave = done ? fmax(1, r->leave / indulgence) : r->leave;
            r->given_up += r->hopeless;
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
        if (r->given_up && error < pow(hopeless_factor, 4))
            r->leave *= indulgence;
        r->given_up = 0;
        ct_span_tell(&r->span);
    }
    return CT_SOLVED;
}

static ct_solve_status integrate(esdirk *r, bool settled, const double *start)
{
    double h = 0;
    ct_solve_status status = CT_SOLVED;
    for (bool again = false; status == CT_SOLVED && r->span.t < r->def->stop; again = true) {
        r->settled = settled && !again;
        status = begin_stretch(r, again, &h);
        if (r->settled)
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
    double **of_z[] = {&r->before, &r->middle, &r->residual, &r->step, &r->most};
    double **of_q[] = {&r->q, &r->next_q, &r->base, &r->off};
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
    r->s->move(r->s->user, j->z);
    r->s->charges(r->s->user, r->next_q);
    for (uint32_t k = 0; k < r->m; k++)
        r->q[k] = j->q[k] - r->next_q[k];
    r->s->refer(r->s->user);
    lift(r);
    j->status = integrate(r, j->settled, j->z);
    memcpy(j->z, r->z[0], r->n * sizeof *j->z);
}

ct_solve_status ct_esdirk(ct_context *ctx, const ct_stored_system *system, const ct_run_def *def,
                          bool settled, double *z, const double *q, ct_run_stats *stats)
{
    ct_run_def own = *def;
    esdirk r = {.s = system,
                .def = &own,
                .stats = stats,
                .n = system->n,
                .m = system->charge_count,
                .factored = NAN,
                .leave = 1};
    esdirk_job job = {&r, settled, z, q, CT_SOLVED};
    *stats = (ct_run_stats){.last_time = def->start, .culprit = UINT32_MAX};
    stats->method = "ESDIRK of order 4";
    r.rtol = fmax(def->rtol, CT_FINEST_RTOL);
    r.atol = fmax(def->atol, CT_FINEST_ATOL);
    own.swing_step *= turn_of_stages;
    r.span = ct_span_new(&own);
    r.arena = ct_arena_new(ctx);
    ct_status failure = ct_protect(ctx, run_all, &job);
    ct_arena_free(r.arena);
    if (failure != CT_OK)
        ct_throw(ctx, failure);
    return job.status;
}

/* steady.c - operating points: f = 0 and g = 0.
 *
 * Damped Newton first. A singular Jacobian: the least change of z in units of its typical sizes,
 * which leaves free directions alone. Otherwise a homotopy (homotopy.c), and at last
 * pseudo-transient continuation: implicit Euler with steps that grow while the solution rests,
 *
 *     (J - diag(1/delta, 0)) d = -(f, g)
 */
#include "solve/aids.h"

#include <math.h>
#include <string.h>

#include "solve/least.h"
#include "solve/nvector.h"

enum { MOST_STEPS = 3000, STEPS_BETWEEN_TRIES = 12 };
static const double weakest_pivot = 1e-14; /* a smaller pivot ratio counts as singular */
static const double residual_goal = 1e-12; /* of rows scaled by their terms */
static const double largest_growth = 1e4;  /* from the guess to the solution */
static const double largest_change = 0.5;  /* of x in one step, in units of its size */

typedef struct steady {
    ct_context *ctx;
    const ct_problem *problem;
    ct_run_stats *stats;
    ct_arena *arena;
    ct_newton *newton;
    ct_least *least;
    double t, *z; /* z: the caller's */
    double *guess, *point, *work, *before, *after;
    uint32_t size, culprit;
    ct_solve_status status;
} steady;

static void prepare(void *user)
{
    steady *s = user;
    const ct_problem *p = s->problem;
    s->arena = ct_arena_new(s->ctx);
    s->newton = ct_newton_new(s->arena, p, 0, s->size);
    s->least = ct_least_new(s->arena, s->size, s->size, p->start, p->row);
    s->guess = CT_NEW_ARRAY(s->arena, double, s->size);
    s->point = CT_NEW_ARRAY(s->arena, double, s->size);
    s->work = CT_NEW_ARRAY(s->arena, double, s->size);
    s->before = CT_NEW_ARRAY(s->arena, double, p->root_count);
    s->after = CT_NEW_ARRAY(s->arena, double, p->root_count);
    s->newton->weakest_pivot = weakest_pivot;
}

/* ---- least change --------------------------------------------------------------------------- */

static void residual_values(void *user, const double *y, double *r)
{
    steady *s = user;
    s->stats->rhs_evals++;
    s->problem->evaluate(s->problem->user, s->t, y, r);
}

static void residual_jacobian(void *user, const double *y, double *value)
{
    steady *s = user;
    s->stats->jac_evals++;
    s->problem->jacobian(s->problem->user, s->t, y, value);
}

/* Unknowns by their typical size, equations by the sum of their terms. An unknown that runs away
 * must not make its equations look satisfied: its size counts up to a limit. */
static void set_scales(void *user, ct_least *l, const double *y)
{
    steady *s = user;
    memset(l->row_scale, 0, l->rows * sizeof *l->row_scale);
    for (uint32_t j = 0; j < l->cols; j++) {
        double typical = ct_typical(s->problem, j);
        double size = fmin(fabs(y[j]), largest_growth * (fabs(s->z[j]) + typical));
        l->column_scale[j] = typical;
        for (uint32_t k = l->start[j]; k < l->start[j + 1]; k++)
            l->row_scale[l->row[k]] += fabs(l->value[k]) * (size + typical);
    }
    for (uint32_t i = 0; i < l->rows; i++)
        l->row_scale[i] = l->row_scale[i] > 0 ? 1 / l->row_scale[i] : 1;
}

static ct_solve_status least_change(steady *s, double *z)
{
    ct_residual residual = {s,
                            s->size,
                            s->size,
                            residual_values,
                            s->problem->start,
                            s->problem->row,
                            residual_jacobian};
    ct_least_goal goal = {residual_goal, set_scales, s};
    double norm;
    return ct_least_iterate(s->least, &residual, &goal, z, &norm);
}

/* Newton from z, and the least change when Newton meets a singular Jacobian. */
static ct_solve_status attempt(steady *s, double *z)
{
    memcpy(s->point, z, s->size * sizeof *z);
    ct_solve_status status = ct_newton_solve(s->newton, s->t, z);
    if (status != CT_SOLVED && s->culprit == UINT32_MAX)
        s->culprit = s->newton->culprit;
    if (status != CT_SINGULAR)
        return status;
    memcpy(z, s->point, s->size * sizeof *z);
    return least_change(s, z);
}

/* ---- pseudo-transient continuation ---------------------------------------------------------- */

/* A first delta: no x changes by more than a hundredth of its size. */
static double first_delta(const steady *s, const double *z)
{
    double rate = 0;
    for (uint32_t i = 0; i < s->problem->n; i++)
        rate = fmax(rate, fabs(s->newton->fg[i]) / (fabs(z[i]) + ct_typical(s->problem, i)));
    return rate > 0 ? 0.01 / rate : 1;
}

/* One step from z to newton->trial; its largest relative change of x, or INFINITY. */
static double pseudo_step(steady *s, const double *z, double delta)
{
    ct_newton *w = s->newton;
    double most = 0;
    ct_pattern_gather(&w->pattern, s->size, s->problem->start, w->jacobian, w->linear->value);
    for (uint32_t i = 0; i < s->problem->n; i++)
        w->linear->value[w->pattern.diagonal[i]] -= 1 / delta;
    if (ct_linear_factor(w->linear) != CT_SOLVED)
        return INFINITY;
    for (uint32_t i = 0; i < s->size; i++)
        w->step[i] = -w->fg[i];
    ct_linear_solve(w->linear, w->step);
    for (uint32_t i = 0; i < s->size; i++) {
        w->trial[i] = z[i] + w->step[i];
        if (i < s->problem->n)
            most = fmax(most, fabs(w->step[i]) / (fabs(z[i]) + ct_typical(s->problem, i)));
    }
    return ct_all_finite(s->size, w->trial) ? most : INFINITY;
}

/* Shortens delta until the step is modest and leads to finite values. */
static bool advance(steady *s, double *z, double *delta)
{
    ct_newton *w = s->newton;
    ct_newton_jacobian(w, s->t, z);
    for (int i = 0; i < 60; i++) {
        double change = pseudo_step(s, z, *delta);
        if (change <= largest_change) {
            memcpy(s->point, w->trial, s->size * sizeof *z);
            if (ct_newton_evaluate(w, s->t, s->point)) {
                memcpy(z, s->point, s->size * sizeof *z);
                *delta *= change < 0.05 ? 5 : change < 0.2 ? 2 : 1.2;
                return true;
            }
            if (!ct_newton_evaluate(w, s->t, z)) /* fg of z again */
                return false;
        }
        *delta /= 4;
    }
    return false;
}

static ct_solve_status continuation(steady *s, double *z)
{
    ct_solve_status status = CT_NO_CONVERGENCE;
    if (!ct_newton_evaluate(s->newton, s->t, z))
        return CT_NOT_FINITE;
    double delta = first_delta(s, z);
    for (int i = 1; i <= MOST_STEPS && advance(s, z, &delta); i++) {
        s->stats->steps++;
        if (i % STEPS_BETWEEN_TRIES)
            continue;
        memcpy(s->guess, z, s->size * sizeof *z);
        status = attempt(s, s->guess);
        if (status == CT_SOLVED) {
            memcpy(z, s->guess, s->size * sizeof *z);
            return CT_SOLVED;
        }
        if (!ct_newton_evaluate(s->newton, s->t, z) || !(delta < 1e100))
            break;
    }
    return status;
}

/* From z, then from zero, where a network without sources rests. */
static ct_solve_status along_path(steady *s, const double *z)
{
    ct_solve_status status = CT_NO_CONVERGENCE;
    s->stats->method = CT_METHOD_HOMOTOPY;
    for (int from_zero = 0; from_zero < 2 && status != CT_SOLVED; from_zero++) {
        if (from_zero)
            memset(s->work, 0, s->size * sizeof *s->work);
        else
            memcpy(s->work, z, s->size * sizeof *z);
        status = ct_newton_homotopy(s->newton, s->t, s->work);
    }
    return status;
}

/* From z by an aid, then by Newton's method to the end. */
static bool with_aid(steady *s, ct_aid aid, const double *z)
{
    static const char *const method[] = {CT_METHOD_LIMITING, CT_METHOD_GMIN, CT_METHOD_SOURCES};
    memcpy(s->work, z, s->size * sizeof *z);
    if (!ct_find_with_aids(s->arena, s->problem, 0, aid, s->t, s->work, s->stats))
        return false;
    s->newton->weakest_pivot = 0; /* small conductances count */
    bool found = ct_newton_solve(s->newton, s->t, s->work) == CT_SOLVED;
    s->newton->weakest_pivot = weakest_pivot;
    if (found)
        s->stats->method = method[aid];
    return found;
}

static ct_solve_status find(void *user, double t, double *z)
{
    steady *s = user;
    (void)t;
    for (int aid = 0; aid < CT_AID_COUNT; aid++)
        if (with_aid(s, (ct_aid)aid, z)) {
            memcpy(z, s->work, s->size * sizeof *z);
            return CT_SOLVED;
        }
    memcpy(s->work, z, s->size * sizeof *z);
    s->stats->method = CT_METHOD_NEWTON;
    ct_solve_status first = attempt(s, s->work), status = first;
    if (status != CT_SOLVED)
        status = along_path(s, z);
    if (status != CT_SOLVED && s->problem->n) {
        s->stats->method = CT_METHOD_TRANSIENT;
        memcpy(s->work, z, s->size * sizeof *z);
        status = continuation(s, s->work);
    }
    if (status != CT_SOLVED && first == CT_SINGULAR)
        status = CT_SINGULAR;
    if (status == CT_SOLVED)
        memcpy(z, s->work, s->size * sizeof *z);
    return status;
}

static void solve(void *user)
{
    steady *s = user;
    ct_settle settle = {s->problem, s->before, s->after, find, s};
    s->status = ct_settle_sides(&settle, s->t, s->z);
    if (s->status == CT_SOLVED)
        s->stats->uncertain = ct_newton_uncertain(s->newton, s->t, s->z, &s->stats->most_uncertain);
}

static void judge(void *user)
{
    steady *s = user;
    memcpy(s->work, s->z, s->size * sizeof *s->z);
    s->stats->uncertain = ct_newton_uncertain(s->newton, s->t, s->work, &s->stats->most_uncertain);
}

/* False: memory is gone. */
static bool do_task(steady *s, void (*task)(void *user))
{
    bool ready = ct_protect(s->ctx, prepare, s) == CT_OK;
    ct_status thrown = ready ? ct_protect(s->ctx, task, s) : CT_OK;
    if (ready) {
        ct_newton_count(s->newton, s->stats);
        ct_newton_free(s->newton);
        ct_least_free(s->least);
    }
    ct_arena_free(s->arena);
    if (thrown != CT_OK)
        ct_throw(s->ctx, thrown);
    return ready;
}

static steady open(ct_context *ctx, const ct_problem *problem, double t, double *z,
                   ct_run_stats *stats)
{
    *stats = (ct_run_stats){.method = "none", .last_time = t, .culprit = UINT32_MAX};
    return (steady){.ctx = ctx,
                    .problem = problem,
                    .stats = stats,
                    .t = t,
                    .z = z,
                    .size = problem->n + problem->m,
                    .culprit = UINT32_MAX};
}

ct_solve_status ct_steady(ct_context *ctx, const ct_problem *problem, double t, double *z,
                          ct_run_stats *stats)
{
    steady s = open(ctx, problem, t, z, stats);
    if (!do_task(&s, solve))
        return CT_NO_MEMORY_LEFT;
    if (s.status != CT_SOLVED)
        stats->culprit = s.culprit;
    return s.status;
}

double ct_steady_uncertain(ct_context *ctx, const ct_problem *problem, double t, double *z)
{
    ct_run_stats stats;
    steady s = open(ctx, problem, t, z, &stats);
    if (!do_task(&s, judge))
        ct_throw(ctx, CT_ERR_MEMORY);
    return stats.uncertain;
}

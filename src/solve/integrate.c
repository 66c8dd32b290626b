/* integrate.c - the driver: stretches between discontinuities, each integrated step by step.
 *
 * m = 0: explicit Runge-Kutta until stiffness shows; then, and when m > 0: Rosenbrock's method when
 * the system is small, else BDF (CVODES, IDAS); or as asked for. n = 0: Newton at each row.
 */
#include "solve/driver.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/gauge.h"
#include "solve/nvector.h"
#include "solve/project.h"

enum { MOST_STUCK_STEPS = 4000, SHRINKING_STEP = 100, HELD_STEPS = 1000 };
/* Of unknowns that are rates: states tell the error. Where states are stiff, rounding errors of
 * theirs alone make rates larger than any tolerance; rows solve for them anew. */
static const double no_tolerance = 1e100;
static const double most_drift = 10;            /* from the invariants, in tolerances */
static const double settled_apart = 1e-9;       /* of the run */
static const double work_between_reports = 2e7; /* in entries of vectors and Jacobians */

ct_run_def ct_default_run_def(void)
{
    return (ct_run_def){
        .stop = 1, .rtol = 1e-6, .atol = 1e-9, .points = 500, .most_steps = 100000000};
}

const char *ct_solve_status_text(ct_solve_status status)
{
    switch (status) {
    case CT_SOLVED:
        return "solved";
    case CT_STOPPED:
        return "stopped on request";
    case CT_NO_CONVERGENCE:
        return "Newton's iteration does not converge";
    case CT_STEP_TOO_SMALL:
        return "the step size became too small";
    case CT_TOO_MANY_STEPS:
        return "too many steps";
    case CT_TOO_STIFF:
        return "it is stiff, and the method that was asked for would take too many steps";
    case CT_NOT_FINITE:
        return "a value is not finite";
    case CT_SINGULAR:
        return "the equations are singular";
    case CT_NO_MEMORY_LEFT:
        return "out of memory";
    case CT_ENDED:
        return "ended by a condition";
    case CT_EVENT_STORM:
        return "events follow each other too fast";
    case CT_LOST:
        return "a condition turns too often to be followed";
    case CT_EVENT_LOOP:
        return "events follow each other without end";
    case CT_CHANGED:
        return "the equations have changed";
    case CT_REPORTED:
        return "it was told why";
    }
    return "unknown status";
}

void ct_add_effort(ct_run_stats *all, const ct_run_stats *part)
{
    ct_run_stats sum = *part;
    sum.steps += all->steps;
    sum.rhs_evals += all->rhs_evals;
    sum.jac_evals += all->jac_evals;
    sum.newton_iters += all->newton_iters;
    sum.factorizations += all->factorizations;
    sum.restarts += all->restarts;
    sum.roots_found += all->roots_found;
    sum.rechosen += all->rechosen;
    sum.foreseen = fmax(sum.foreseen, all->foreseen);
    sum.lost_swing = fmax(sum.lost_swing, all->lost_swing);
    sum.turned += all->turned;
    sum.by_tolerance |= all->by_tolerance;
    *all = sum;
}

typedef struct job {
    ct_context *ctx;
    const ct_problem *problem;
    const ct_run_def *def;
    double *z;
    ct_run_stats *stats;
    ct_arena *arena;
    ct_driver *driver;
    ct_solve_status status;
} job;

static ct_run_def sound_def(const ct_run_def *given)
{
    ct_run_def def = *given;
    if (!(def.rtol >= CT_FINEST_RTOL))
        def.rtol = def.rtol > 0 ? CT_FINEST_RTOL : ct_default_run_def().rtol;
    if (!(def.atol >= 0))
        def.atol = ct_default_run_def().atol;
    if (def.points == 0)
        def.points = ct_default_run_def().points;
    if (def.most_steps == 0)
        def.most_steps = ct_default_run_def().most_steps;
    return def;
}

/* A matrix is factored in every step: worth it while that is cheap. Methods with a memory drift
 * less from invariants. */
static bool suits_rosenbrock(const ct_integration *run)
{
    return run->size <= CT_SMALL_SYSTEM && !run->projector;
}

static bool prefers_rosenbrock(const ct_driver *d)
{
    return d->def.method == CT_METHOD_ROSENBROCK ||
           (d->def.method == CT_METHOD_AUTO && suits_rosenbrock(&d->run));
}

/* Of what is stiff, or has algebraic equations. */
ct_stepper *ct_stepper_auto(ct_integration *run)
{
    return suits_rosenbrock(run) ? ct_stepper_rosenbrock(run) : ct_stepper_bdf(run);
}

void ct_use_method(ct_driver *d, ct_stepper *s)
{
    ct_integration *run = &d->run;
    d->current = s;
    const bool *is_rate = run->problem->is_rate;
    run->rtol = fmax(s->share * d->def.rtol, CT_FINEST_RTOL);
    for (uint32_t i = 0; i < run->size; i++)
        run->atol[i] = is_rate && is_rate[i] ? no_tolerance
                                             : fmax(s->share * d->def.atol, CT_FINEST_ATOL) *
                                                   ct_typical(run->problem, i);
}

static void make_implicit(void *user)
{
    ct_driver *d = user;
    ct_integration *run = &d->run;
    ct_need_pattern(run->problem);
    run->jacobian = CT_NEW_ARRAY(run->arena, double, run->problem->start[run->size]);
    d->implicit_method = ct_method_stepper(d->def.method, run);
    ct_use_method(d, d->implicit_method);
}

static void choose_methods(void *user)
{
    ct_driver *d = user;
    ct_method method = d->def.method;
    if (method == CT_METHOD_AUTO && d->run.m == 0)
        method = CT_METHOD_RK;
    if (ct_method_is(method, CT_METHOD_ONE_STEP))
        ct_use_method(d, d->explicit_method = ct_method_stepper(method, &d->run));
    else
        make_implicit(d);
}

ct_solve_status ct_start_here(ct_driver *d)
{
    return d->current->start(d->current, d->since, d->z, ct_stretch_end(d));
}

/* Linear stretches are computed, the others integrated. */
ct_solve_status ct_start_method(ct_driver *d)
{
    if (d->exact_method) {
        ct_use_method(d, d->exact_method);
        if (ct_start_here(d) == CT_SOLVED)
            return CT_SOLVED;
        ct_stepper *usual = d->implicit_method ? d->implicit_method : d->explicit_method;
        if (usual)
            ct_use_method(d, usual);
        else if (ct_protect(d->run.ctx, choose_methods, d) != CT_OK)
            return CT_NO_MEMORY_LEFT;
        d->run.stats->method = d->current->name;
    }
    ct_solve_status status = ct_outset_begin(d);
    return status == CT_SOLVED ? ct_start_here(d) : status;
}

/* All memory of the run that is ours; nothing is taken later, but for the implicit method of a run
 * that turns out stiff. */
static void prepare(void *user)
{
    job *j = user;
    ct_arena *arena = j->arena = ct_arena_new(j->ctx);
    const ct_problem *p = j->problem;
    uint32_t size = p->n + p->m;
    ct_driver *d = CT_NEW(arena, ct_driver);
    d->def = sound_def(j->def);
    d->z = j->z;
    d->t = d->broke = d->last_event = d->last_kink = d->def.start;
    d->flight = INFINITY;
    d->stretch = 0;
    if (d->def.after_event)
        d->broke = -INFINITY;
    d->settled_at = NAN;
    d->turned = d->def.turned;
    d->run = (ct_integration){.ctx = j->ctx,
                              .arena = arena,
                              .problem = p,
                              .def = &d->def,
                              .stats = j->stats,
                              .n = p->n,
                              .m = p->m,
                              .size = size,
                              .span = d->def.stop - d->def.start,
                              .origin = d->def.start,
                              .bad = UINT32_MAX};
    d->run.atol = CT_NEW_ARRAY(arena, double, size);
    d->run.algebraic = ct_newton_new(arena, p, p->n, p->m);
    d->run.projector = ct_projector_new(arena, p, ct_method_is(d->def.method, CT_METHOD_PICKS));
    double **need[] = {&d->root_before, &d->root_after, &d->root_probe};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(arena, double, p->root_count);
    d->root_sample = CT_NEW_ARRAY(arena, double, (size_t)p->root_count *(CT_EVENT_PARTS + 1));
    d->angle = CT_NEW_ARRAY(arena, double, (size_t)p->angle_count *(CT_EVENT_PARTS + 1));
    d->sample_point = CT_NEW_ARRAY(arena, double, (size_t)size *(CT_EVENT_PARTS + 1));
    d->run.bent = CT_NEW_ARRAY(arena, double, 2 * (size_t)p->bent_count + 1);
    d->passed = CT_NEW_ARRAY(arena, bool, p->root_count);
    for (uint32_t i = 0; i < p->root_count; i++)
        d->hard_roots += !(p->soft && p->soft[i]);
    d->fg = CT_NEW_ARRAY(arena, double, size);
    d->point = CT_NEW_ARRAY(arena, double, size);
    d->exact_method = d->def.method == CT_METHOD_AUTO && p->n ? ct_stepper_exact(&d->run) : NULL;
    if (d->exact_method)
        ct_use_method(d, d->exact_method);
    else if (p->n)
        choose_methods(d);
    j->driver = d;
}

static void report_progress(ct_driver *d)
{
    const ct_problem *p = d->run.problem;
    d->work += 100 + d->run.size + (p->start ? p->start[d->run.size] : 0);
    if (d->work < work_between_reports || !d->def.progress)
        return;
    d->work = 0;
    d->def.progress(d->def.row_user, d->t);
}

static void note_sizes(const ct_driver *d)
{
    for (uint32_t i = 0; d->def.most && i < d->run.size; i++)
        d->def.most[i] = fmax(d->def.most[i], fabs(d->z[i]));
}

static void take_point(ct_driver *d)
{
    const double *from = d->current->z;
    d->since = d->current->t;
    d->t = ct_time_of(d, d->since);
    for (uint32_t i = 0; i < d->run.size; i++)
        d->z[i] = from[i];
    note_sizes(d);
    d->run.stats->by_tolerance |= d->current != d->exact_method;
}

/* Goes on with the implicit method, from the last good point of the explicit one. */
static ct_solve_status turn_implicit(ct_driver *d)
{
    take_point(d);
    if (ct_protect(d->run.ctx, make_implicit, d) != CT_OK)
        return CT_NO_MEMORY_LEFT;
    d->run.stats->method = prefers_rosenbrock(d) ? "Dormand-Prince 5(4), then Rosenbrock 5(4)"
                                                 : "Dormand-Prince 5(4), then BDF (CVODES)";
    d->run.stats->restarts++;
    d->explicit_method->free(d->explicit_method);
    d->explicit_method = NULL;
    return ct_start_here(d);
}

static bool can_turn_implicit(const ct_driver *d)
{
    return d->explicit_method && d->current == d->explicit_method &&
           d->def.method == CT_METHOD_AUTO;
}

/* What one implicit method cannot pass, the other often can; once in a run. */
static bool can_exchange(const ct_driver *d)
{
    return d->current == d->implicit_method && d->def.method == CT_METHOD_AUTO &&
           d->run.size <= CT_SMALL_SYSTEM;
}

static ct_solve_status exchange(ct_driver *d)
{
    bool rosenbrock = prefers_rosenbrock(d);
    take_point(d);
    d->implicit_method->free(d->implicit_method);
    d->implicit_method = NULL;
    d->def.method = rosenbrock ? CT_METHOD_BDF : CT_METHOD_ROSENBROCK;
    if (ct_protect(d->run.ctx, make_implicit, d) != CT_OK)
        return CT_NO_MEMORY_LEFT;
    d->run.stats->method = rosenbrock ? "Rosenbrock 5(4), then BDF" : "BDF, then Rosenbrock 5(4)";
    d->run.stats->restarts++;
    return ct_start_here(d);
}

static ct_solve_status fail(ct_driver *d, ct_solve_status status)
{
    ct_run_stats *stats = d->run.stats;
    if (stats->culprit == UINT32_MAX && status == CT_NOT_FINITE)
        stats->culprit = d->run.bad;
    if (stats->culprit == UINT32_MAX)
        stats->culprit = d->current->culprit(d->current);
    return status;
}

/* A method may go on for ever with steps that no longer move t. After a jump they grow until they
 * do: what shrinks goes nowhere. */
static bool is_stuck(ct_driver *d)
{
    const ct_stepper *s = d->current;
    bool moved = s->t - s->before > 4 * DBL_EPSILON * fabs(s->t), shrinks = s->h < d->stuck_step;
    d->stuck_steps = moved ? 0 : d->stuck_steps + (shrinks ? SHRINKING_STEP : 1);
    d->stuck_step = s->h;
    return d->stuck_steps > MOST_STUCK_STEPS;
}

/* Methods with a memory go on undisturbed until they have drifted by a part of the tolerance. */
static ct_solve_status mend_drift(ct_driver *d)
{
    ct_integration *run = &d->run;
    double drift = 0;
    bool mends = d->current == d->explicit_method || ct_passage_runs(d) || ct_outset_runs(d);
    if (!run->projector || mends || d->t >= d->end)
        return CT_SOLVED;
    for (uint32_t i = 0; i < run->size; i++)
        d->point[i] = d->z[i];
    if (ct_project(run->projector, ct_run_inside(run, d->since), d->point) != CT_SOLVED)
        return CT_SINGULAR;
    for (uint32_t i = 0; i < run->n; i++)
        drift =
            fmax(drift, fabs(d->point[i] - d->z[i]) / (run->atol[i] + run->rtol * fabs(d->z[i])));
    if (drift < most_drift)
        return CT_SOLVED;
    for (uint32_t i = 0; i < run->size; i++)
        d->z[i] = d->point[i];
    run->stats->restarts++;
    return ct_start_here(d);
}

/* Where nothing happens steps become long, and would pass over two changes of a condition at once:
 * so they grow with the time since the last one. Other methods begin with short ones by themselves.
 */
static double farthest(const ct_driver *d)
{
    double end = ct_stretch_end(d), first = d->current == d->exact_method ? d->first : end;
    double far = d->since > 0 ? (1 + CT_EVENT_PARTS) * d->since : first;
    return d->run.problem->root_count ? fmin(far, end) : end;
}

/* A step may end just beyond a kink that only w, within its tolerance, has not reached: no step
 * leads on from there. With w by its equations the kink is behind; once at a place. */
static bool can_settle(const ct_driver *d)
{
    double since = ct_time_of(d, d->current->t) - d->settled_at;
    return d->run.m && d->run.problem->root_count && !(since <= settled_apart * d->run.span);
}

static ct_solve_status settle_again(ct_driver *d)
{
    take_point(d);
    d->settled_at = d->t;
    return ct_stretch_begin(d);
}

static void point_at(void *of, double t, double *z)
{
    ct_driver *d = of;
    ct_stepper *s = d->current;
    s->at(s, ct_of_step(d, t), d->point);
    const double *point = ct_mended(d, t, d->point);
    memcpy(z, point, d->run.size * sizeof *z);
}

static void tell_passed(ct_driver *d, double to)
{
    const ct_problem *p = d->run.problem;
    if (p->passed)
        p->passed(p->user, ct_time_of(d, d->current->before), ct_time_of(d, to), point_at, d);
}

/* An explicit method that was asked for is used; but not where stiffness holds its steps so short
 * that it would not come to the end. How fast it gets on is measured. */
static ct_solve_status look_at_pace(ct_driver *d)
{
    uint64_t steps = d->run.stats->steps, made = steps - d->held_steps;
    if (!d->current->stiff || !ct_method_is(d->def.method, CT_METHOD_EXPLICIT))
        return CT_SOLVED;
    if (d->held_steps && made < HELD_STEPS)
        return CT_SOLVED;
    double to_come =
        d->held_steps ? (d->def.stop - d->t) / (d->t - d->held_since) * (double)made : 0;
    d->run.stats->foreseen = fmax(d->run.stats->foreseen, to_come);
    d->held_steps = steps;
    d->held_since = d->t;
    return to_come > (double)d->def.most_steps ? CT_TOO_STIFF : CT_SOLVED;
}

static ct_solve_status one_step(ct_driver *d)
{
    ct_stepper *s = d->current;
    if (d->run.stats->steps++ >= d->def.most_steps)
        return CT_TOO_MANY_STEPS;
    ct_solve_status status = s->step(s, farthest(d));
    if (status == CT_STEP_TOO_SMALL && can_settle(d))
        return settle_again(d);
    if (status != CT_SOLVED && (ct_trial_runs(d) || ct_outset_runs(d))) {
        take_point(d);
        return ct_trial_runs(d) ? ct_trial_end(d) : ct_outset_end(d);
    }
    if (status != CT_SOLVED && can_turn_implicit(d) && !d->run.projector)
        return turn_implicit(d);
    if (status != CT_SOLVED)
        return can_exchange(d) ? exchange(d) : fail(d, status);
    if (is_stuck(d))
        return fail(d, CT_STEP_TOO_SMALL);
    if (s != d->exact_method) {
        ct_run_note_swings(&d->run, s->t - s->before);
        ct_run_measure_phases(s, d->point);
    }
    double when;
    if (ct_event_find(d, &when)) {
        if (isnan(when))
            return CT_LOST;
        if (ct_outset_doubts(d))
            return ct_outset_again(d);
        tell_passed(d, when);
        status = ct_rows_before(d, when);
        if (status == CT_SOLVED)
            status = ct_stretch_event(d, when);
        return status == CT_SOLVED ? ct_rows_here(d) : status;
    }
    tell_passed(d, s->t);
    status = ct_rows_within(d, s->t);
    if (status != CT_SOLVED)
        return status;
    take_point(d);
    status = mend_drift(d);
    if (status == CT_SOLVED)
        status = ct_outset_look(d);
    if (status == CT_SOLVED)
        status = ct_passage_look(d);
    if (status == CT_SOLVED)
        status = look_at_pace(d);
    if (status != CT_SOLVED)
        return status;
    if (d->t >= d->end && d->break_at_end)
        status = ct_stretch_next(d);
    else if (s->stiff && d->t < d->end && can_turn_implicit(d))
        status = turn_implicit(d);
    else
        status = ct_trial_look(d);
    return status == CT_SOLVED ? ct_rows_here(d) : status;
}

/* Without states there are no steps: inputs are smooth from break to break. */
static void tell_breaks(const ct_driver *d)
{
    const ct_problem *p = d->run.problem;
    double t = d->def.start;
    while (d->def.stepped && p->next_break && (t = p->next_break(p->user, t)) < d->def.stop)
        d->def.stepped(d->def.row_user, t);
}

static void drive(void *user)
{
    job *j = user;
    ct_driver *d = j->driver;
    while (d->next_row < ct_row_count(&d->def) && ct_row_time(&d->def, d->next_row) < d->t)
        d->next_row++;
    if (d->run.n == 0) {
        tell_breaks(d);
        j->status = ct_algebraic_rows(d);
        return;
    }
    d->run.stats->method = d->current->name;
    j->status = ct_stretch_begin(d);
    if (j->status == CT_NOT_FINITE)
        fail(d, j->status);
    note_sizes(d);
    if (j->status == CT_SOLVED)
        j->status = ct_rows_here(d);
    while (j->status == CT_SOLVED && d->t < d->def.stop && !d->ended) {
        j->status = one_step(d);
        report_progress(d);
        if (d->def.stepped)
            d->def.stepped(d->def.row_user, d->t);
    }
    if (j->status == CT_SOLVED && d->ended)
        j->status = ct_row_last(d);
}

static void close_all(job *j)
{
    ct_driver *d = j->driver;
    ct_stepper *all[] = {d->explicit_method, d->implicit_method, d->trial.other, d->passage.method,
                         d->outset.method};
    j->stats->last_time = d->t;
    j->stats->turned = d->turned - d->def.turned;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && all[i]->free)
            all[i]->free(all[i]);
    ct_newton_count(d->run.algebraic, j->stats);
    ct_newton_free(d->run.algebraic);
    ct_projector_free(d->run.projector);
    ct_arena_free(j->arena);
}

ct_solve_status ct_integrate(ct_context *ctx, const ct_problem *problem, const ct_run_def *def,
                             double *z, ct_run_stats *stats)
{
    assert(problem->evaluate && (z || !(problem->n + problem->m)));
    assert(!problem->root_count || problem->roots);
    assert((problem->start && problem->row) || problem->pattern || !problem->jacobian);
    job j = {.ctx = ctx, .problem = problem, .def = def, .z = z, .stats = stats};
    *stats = (ct_run_stats){.method = "none", .last_time = def->start, .culprit = UINT32_MAX};
    if (ct_protect(ctx, prepare, &j) != CT_OK) {
        ct_arena_free(j.arena);
        return CT_NO_MEMORY_LEFT;
    }
    ct_status thrown = ct_protect(ctx, drive, &j);
    close_all(&j);
    if (thrown != CT_OK)
        ct_throw(ctx, thrown); /* by the caller's row function */
    return j.status;
}

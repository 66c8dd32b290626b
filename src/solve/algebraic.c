/* algebraic.c - problems with algebraic unknowns only: ct_solve_algebraic() and tables of w(t). */
#include "solve/aids.h"
#include "solve/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct algebraic_job {
    ct_context *ctx;
    const ct_problem *problem;
    ct_arena *arena;
    ct_newton *newton;
    double t, *z, *guess, *before, *after;
    bool patient;
    ct_run_stats *stats;
    ct_solve_status status;
} algebraic_job;

static void prepare(void *user)
{
    algebraic_job *job = user;
    job->arena = ct_arena_new(job->ctx);
    job->newton = ct_newton_new(job->arena, job->problem, job->problem->n, job->problem->m);
    job->guess = CT_NEW_ARRAY(job->arena, double, job->problem->n + job->problem->m);
    job->before = CT_NEW_ARRAY(job->arena, double, job->problem->root_count);
    job->after = CT_NEW_ARRAY(job->arena, double, job->problem->root_count);
}

/* From the guess by an aid, then by Newton's method to the end. */
static bool with_aid(algebraic_job *job, ct_aid aid, double t, double *z)
{
    static const char *const method[] = {CT_METHOD_LIMITING, CT_METHOD_GMIN, CT_METHOD_SOURCES};
    const ct_problem *p = job->problem;
    memcpy(z, job->guess, (p->n + p->m) * sizeof *z);
    if (!ct_find_with_aids(job->arena, p, p->n, aid, t, z, job->stats) ||
        ct_newton_solve(job->newton, t, z) != CT_SOLVED)
        return false;
    job->stats->method = method[aid];
    return true;
}

static ct_solve_status solve_w(void *user, double t, double *z)
{
    algebraic_job *job = user;
    const ct_problem *p = job->problem;
    memcpy(job->guess, z, (p->n + p->m) * sizeof *z);
    for (int aid = 0; aid < CT_AID_COUNT && job->patient; aid++)
        if (with_aid(job, (ct_aid)aid, t, z))
            return CT_SOLVED;
    memcpy(z, job->guess, (p->n + p->m) * sizeof *z);
    ct_solve_status status = ct_newton_solve(job->newton, t, z);
    uint32_t culprit = job->newton->culprit;
    for (int from_zero = 0; from_zero < 2 && status != CT_SOLVED && job->patient; from_zero++) {
        memcpy(z, job->guess, (p->n + p->m) * sizeof *z);
        if (from_zero)
            memset(z + p->n, 0, p->m * sizeof *z);
        if (ct_newton_homotopy(job->newton, t, z) != CT_SOLVED)
            continue;
        job->stats->method = CT_METHOD_HOMOTOPY;
        return CT_SOLVED;
    }
    job->newton->culprit = culprit;
    return status;
}

static void solve(void *user)
{
    algebraic_job *job = user;
    ct_settle settle = {job->problem, job->before, job->after, solve_w, job};
    job->status = ct_settle_sides(&settle, job->t, job->z);
}

ct_solve_status ct_solve_algebraic(ct_context *ctx, const ct_problem *problem, double t, double *z,
                                   bool patient, ct_run_stats *stats)
{
    algebraic_job job = {.ctx = ctx, .problem = problem, .t = t, .z = z};
    job.patient = patient;
    job.stats = stats;
    *stats = (ct_run_stats){.method = CT_METHOD_NEWTON, .last_time = t, .culprit = UINT32_MAX};
    if (ct_protect(ctx, prepare, &job) != CT_OK) {
        ct_arena_free(job.arena);
        return CT_NO_MEMORY_LEFT;
    }
    ct_status thrown = ct_protect(ctx, solve, &job);
    ct_newton_count(job.newton, stats);
    if (job.status != CT_SOLVED)
        stats->culprit = job.newton->culprit;
    ct_newton_free(job.newton);
    ct_arena_free(job.arena);
    if (thrown != CT_OK)
        ct_throw(ctx, thrown);
    return job.status;
}

/* Goes from d->t to t; in shorter and shorter steps when Newton fails from afar. */
static ct_solve_status advance(ct_driver *d, double t)
{
    const double least_stride = 1e-9; /* of the rest of the way */
    double stride = t - d->t;
    ct_solve_status status;
    do {
        double next = d->t + stride < t ? d->t + stride : t;
        memcpy(d->point, d->z, d->run.size * sizeof *d->z);
        d->broke = next;
        d->run.inside_first = next + 8 * DBL_EPSILON * fabs(next);
        d->run.inside_last = INFINITY;
        status = ct_consistent(d);
        if (status == CT_SOLVED) {
            d->t = next;
            stride *= 2;
            continue;
        }
        memcpy(d->z, d->point, d->run.size * sizeof *d->z);
        stride /= 4;
        if (!(stride > least_stride * fabs(t - d->t)) || d->t + stride <= d->t)
            return status;
    } while (d->t < t);
    return CT_SOLVED;
}

/* The same, with the events on the way. */
static ct_solve_status reach(ct_driver *d, double t)
{
    ct_solve_status status = CT_SOLVED;
    if (!d->run.problem->act)
        return advance(d, t);
    do {
        status = advance(d, fmin(t, ct_next_break(d, d->t)));
        if (status == CT_SOLVED)
            status = ct_act_at(d);
    } while (status == CT_SOLVED && d->t < t && !d->ended);
    return status;
}

ct_solve_status ct_algebraic_rows(ct_driver *d)
{
    ct_solve_status status = CT_SOLVED;
    uint32_t count = ct_row_count(&d->def);
    d->run.stats->method = CT_METHOD_NEWTON;
    if (d->run.problem->act)
        status = reach(d, d->t);
    while (status == CT_SOLVED && d->next_row < count && !d->ended) {
        double t = ct_row_time(&d->def, d->next_row);
        if (t > d->def.stop)
            break;
        status = reach(d, t);
        if (status == CT_SOLVED)
            status = ct_rows_here(d);
    }
    if (status == CT_SOLVED && d->ended)
        return ct_row_last(d);
    return status == CT_SOLVED && d->t < d->def.stop ? reach(d, d->def.stop) : status;
}

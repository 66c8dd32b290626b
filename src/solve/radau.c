/* radau.c - runs of Radau IIA for linear systems; radau.h says which. */
#include "solve/radau_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_LANDINGS = 8 };               /* rows at which steps end */
static const size_t most_bytes = 8000000; /* of factors for several step sizes */
static const double safety = 0.9, least_factor = 0.05;

/* ---- rows: the collocation polynomial over t and the stages */

static uint32_t row_count(const ct_radau_run *r)
{
    return r->def->times ? r->def->time_count : r->def->points + 1;
}

static double row_time(const ct_radau_run *r, uint32_t row)
{
    const ct_run_def *d = r->def;
    if (d->times)
        return d->times[row];
    return row == d->points ? d->stop : d->start + row * ((d->stop - d->start) / d->points);
}

/* u by its polynomial, too: then all equations hold in the row, however stiff. Where a stretch
 * begins, fast parts may not have settled yet: its first rows follow from the stages alone. */
static bool write_row(ct_radau_run *r, double t, double h)
{
    const ct_linear_dae *d = r->dae;
    double value[CT_RADAU_STAGES + 1], x = (t - r->t) / h;
    int count = CT_RADAU_STAGES + 1;
    int first = r->begun || t == r->t ? 0 : 1;
    ct_radau_lagrange(first, x, value);
    ct_radau_blend((const double *const *)r->watched, count, value, 1, d->watch_count, r->row_z);
    ct_radau_blend((const double *const *)r->u, count, value, 1, d->u_count, r->row_u);
    ct_radau_lagrange(r->begun ? 0 : 1, x, value);
    ct_radau_blend((const double *const *)r->watched_rate, count, value, 1, d->watch_count,
                   r->row_dz);
    ct_radau_blend((const double *const *)r->u_rate, count, value, 1, d->u_count, r->row_du);
    r->next_row++;
    return d->row(d->user, t, r->fresh && t == r->t, r->row_z, r->row_dz, r->row_u, r->row_du);
}

/* Rows in the step; one at a break belongs to the stretch behind it. */
static ct_solve_status write_rows(ct_radau_run *r, double h)
{
    double to = r->to;
    bool open_end = r->break_at_end && to >= r->end && r->end < r->def->stop;
    while (r->next_row < row_count(r)) {
        double t = row_time(r, r->next_row);
        if (open_end ? t >= to : t > to)
            break;
        if (!write_row(r, t, h))
            return CT_STOPPED;
    }
    memcpy(r->watched_rate[0], r->watched_rate[CT_RADAU_STAGES],
           r->dae->watch_count * sizeof **r->watched_rate);
    memcpy(r->u_rate[0], r->u_rate[CT_RADAU_STAGES], r->dae->u_count * sizeof **r->u_rate);
    r->begun = true;
    return CT_SOLVED;
}

/* ---- stretches */

static double hair(double from, double to)
{
    return 8 * DBL_EPSILON * fmax(fabs(from), fabs(to));
}

/* Stretches too short to hold a step are passed over. */
static void set_bounds(ct_radau_run *r)
{
    const ct_linear_dae *d = r->dae;
    for (;;) {
        double at = d->next_break ? d->next_break(d->user, r->t) : INFINITY;
        r->break_at_end = at <= r->def->stop;
        r->end = r->break_at_end ? at : r->def->stop;
        double width = hair(r->t, r->end);
        r->first = r->t + width;
        r->last = r->end - width;
        if (r->end - r->t > 16 * width || r->t >= r->def->stop)
            return;
        r->t = r->end;
    }
}

static bool jumps(const ct_radau_run *r)
{
    const double rounding = 1e-9, of_tolerance = 1e-3;
    for (uint32_t j = 0; j < r->dae->u_count; j++) {
        double a = r->before[j], b = r->after[j], by = fabs(a - b);
        if (!(by <= rounding * (fabs(a) + fabs(b))) && by > of_tolerance * r->atol)
            return true;
    }
    return false;
}

/* u of the stretch that begins at t, and z as it is then. */
static bool begin_stretch(ct_radau_run *r, bool restart)
{
    const ct_linear_dae *d = r->dae;
    ct_radau_inputs(r, r->last, r->before); /* of the stretch that ends */
    set_bounds(r);
    ct_radau_inputs(r, r->t, r->after);
    r->fresh = !restart;
    r->begun = false;
    if (restart) {
        r->stats->restarts++;
        if (d->restart_always || jumps(r)) {
            if (!d->restart(d->user, r->before, r->after, r->z))
                return false;
            r->fresh = true;
        }
    }
    memcpy(r->u[0], r->after, d->u_count * sizeof *r->after);
    ct_radau_carry(r);
    return true;
}

/* Where the step should end at the latest: few rows are ends, but not so near that no step fits. */
static double aim(const ct_radau_run *r)
{
    for (uint32_t i = r->next_row; r->lands && i < row_count(r) && row_time(r, i) < r->end; i++)
        if (row_time(r, i) - r->t > 16 * hair(r->t, r->end))
            return row_time(r, i);
    return r->end;
}

/* The step that ends there, or brings it near in equal steps. */
static double fitted(ct_radau_run *r, double h)
{
    const double nearly = 1 - 1e-9;
    double left = aim(r) - r->t;
    if (r->def->largest_step > 0)
        h = fmin(h, r->def->largest_step);
    if (h >= left * nearly) {
        r->to = aim(r);
        return left;
    }
    h = h > left / 2 ? left / 2 : h;
    r->to = r->t + h;
    return h;
}

/* Sizes differ by powers of two, so that factors last. */
static double next_size(double h, double error)
{
    const double least_error = 1e-12;
    double grow = safety * pow(fmax(error, least_error), -1.0 / (CT_RADAU_STAGES + 1));
    if (error >= 1) {
        double down = 0.5;
        while (down > fmax(grow, least_factor))
            down /= 2;
        return h * down;
    }
    if (grow >= 8)
        return 8 * h;
    return grow >= 4 ? 4 * h : grow >= 2 ? 2 * h : h;
}

static void accept(ct_radau_run *r)
{
    double *swap = r->z;
    r->t = r->to;
    r->z = r->next;
    r->next = swap;
    memcpy(r->u[0], r->u[CT_RADAU_STAGES], r->dae->u_count * sizeof **r->u);
    ct_radau_carry(r);
    r->fresh = false;
    ct_gauge_note(&r->gauge);
    r->stats->steps++;
    r->stats->last_time = r->t;
}

/* Looked at now and then: a look is good for all steps until the next one. They grow where fast
 * parts die out, so that a long run need not be one of many steps. */
static bool keeps_digits(ct_radau_run *r, double h)
{
    ct_radau_size *s;
    if (r->stats->steps < r->next_check || ct_radau_factors(r, h, &s) != CT_SOLVED)
        return true;
    double until = (double)(7 * r->next_check + 7);
    r->next_check = 8 * r->next_check + 7;
    return !ct_radau_loses_digits(r, s, fmin(until, (r->def->stop - r->t) / h));
}

/* From r->t to r->end. h: size to try first; becomes the last good one that was not cut short. */
static ct_solve_status do_stretch(ct_radau_run *r, double *h)
{
    bool rough = true;
    double error;
    while (r->t < r->end) {
        double size = fitted(r, *h);
        ct_solve_status status = ct_radau_try(r, size, rough, &error);
        if (status != CT_SOLVED)
            return status;
        if (error >= 1) {
            *h = next_size(size, error);
            rough = true;
            if (!(*h > 16 * DBL_EPSILON * fmax(fabs(r->t), fabs(r->end))))
                return CT_STEP_TOO_SMALL;
            continue;
        }
        if (r->stats->steps >= r->def->most_steps)
            return CT_TOO_MANY_STEPS;
        status = keeps_digits(r, size) ? write_rows(r, size) : CT_NO_CONVERGENCE;
        if (status != CT_SOLVED)
            return status;
        accept(r);
        rough = false;
        if (size >= *h)
            *h = next_size(size, error);
        if (r->def->progress)
            r->def->progress(r->def->row_user, r->t);
        if (r->def->stepped)
            r->def->stepped(r->def->row_user, r->t);
    }
    return CT_SOLVED;
}

/* ---- memory and start */

static void take_memory(ct_radau_run *r)
{
    const ct_linear_dae *d = r->dae;
    double **whole[] = {&r->next,  &r->q,       &r->r,    &r->error, &r->work,
                        &r->stiff, &r->storage, &r->slow, &r->z};
    double **inputs[] = {&r->row_u, &r->row_du, &r->before, &r->after, &r->most_u};
    double **watch[] = {&r->row_z, &r->row_dz};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = CT_NEW_ARRAY(r->arena, double, r->n + 1);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        *inputs[i] = CT_NEW_ARRAY(r->arena, double, d->u_count + 1);
    for (size_t i = 0; i < sizeof watch / sizeof *watch; i++)
        *watch[i] = CT_NEW_ARRAY(r->arena, double, d->watch_count + 1);
    for (int i = 0; i <= CT_RADAU_STAGES; i++) {
        r->u[i] = CT_NEW_ARRAY(r->arena, double, d->u_count + 1);
        r->watched[i] = CT_NEW_ARRAY(r->arena, double, d->watch_count + 1);
        r->u_rate[i] = CT_NEW_ARRAY(r->arena, double, d->u_count + 1);
        r->watched_rate[i] = CT_NEW_ARRAY(r->arena, double, d->watch_count + 1);
    }
    for (int k = 0; k < CT_RADAU_PAIRS; k++)
        r->y[k] = CT_NEW_ARRAY(r->arena, double, ((size_t)r->n + 1) * (k ? 2 : 1));
    r->differential = CT_NEW_ARRAY(r->arena, bool, r->n + 1);
    for (uint32_t j = 0; j < r->n; j++)
        for (int k = d->pencil->start[j]; k < d->pencil->start[j + 1]; k++) {
            r->differential[j] |= d->pencil->e[k] != 0;
            if (d->pencil->row[k] == (int)j)
                r->storage[j] = d->pencil->e[k];
        }
}

static void take_factors(ct_radau_run *r)
{
    size_t bytes = ct_factor_bytes(r->dae->pencil, false) +
                   (size_t)(CT_RADAU_PAIRS - 1) * ct_factor_bytes(r->dae->pencil, true);
    r->size_count = 1;
    while (r->size_count < CT_RADAU_SIZES && (size_t)(r->size_count + 1) * bytes <= most_bytes)
        r->size_count++;
    for (int i = 0; i < r->size_count; i++)
        for (int k = 0; k < CT_RADAU_PAIRS; k++)
            r->size[i].factor[k] = ct_factor_new(r->dae->pencil, k > 0);
}

/* Estimates have a lower order than the method, and so has what is interpolated. Where steps end at
 * all rows, tolerances are moved so that errors come out about as asked for there. */
static void set_tolerances(ct_radau_run *r)
{
    const double s = CT_RADAU_STAGES, asked = fmax(r->def->rtol, CT_FINEST_RTOL);
    r->lands = row_count(r) <= MOST_LANDINGS;
    r->rtol = r->lands ? 0.1 * pow(asked, (s + 1) / (2 * s)) : asked;
    r->atol = fmax(r->def->atol, CT_FINEST_ATOL) * r->rtol / asked;
}

static void prepare(void *user)
{
    ct_radau_run *r = user;
    r->stats->method = "Radau IIA of order 9";
    set_tolerances(r);
    take_memory(r);
    ct_radau_take_gauge(r);
    take_factors(r);
}

static ct_solve_status integrate(ct_radau_run *r)
{
    double h = 0;
    ct_solve_status status = CT_SOLVED;
    for (bool again = false; status == CT_SOLVED && r->t < r->def->stop; again = true) {
        if (!begin_stretch(r, again))
            return CT_SINGULAR;
        if (h == 0 || h > r->end - r->t)
            h = r->end - r->t;
        if (again || r->t == r->def->start)
            h = fmin(h, (r->end - r->t) / 16);
        status = do_stretch(r, &h);
    }
    return status;
}

typedef struct radau_job {
    ct_radau_run *r;
    ct_solve_status status;
} radau_job;

static void integrate_all(void *user)
{
    radau_job *j = user;
    j->status = integrate(j->r);
}

ct_solve_status ct_radau(ct_context *ctx, const ct_linear_dae *dae, const ct_run_def *def,
                         double *z, ct_run_stats *stats)
{
    ct_radau_run r = {.dae = dae, .def = def, .stats = stats, .n = dae->pencil->n};
    radau_job job = {&r, CT_SOLVED};
    *stats = (ct_run_stats){.last_time = def->start, .culprit = UINT32_MAX};
    r.arena = ct_arena_new(ctx);
    r.t = r.last = r.first = def->start;
    ct_status failure = ct_protect(ctx, prepare, &r);
    if (failure == CT_OK) {
        memcpy(r.z, z, r.n * sizeof *z);
        failure = ct_protect(ctx, integrate_all, &job);
        memcpy(z, r.z, r.n * sizeof *z);
    }
    for (int i = 0; i < r.size_count; i++)
        for (int k = 0; k < CT_RADAU_PAIRS; k++)
            ct_factor_free(r.size[i].factor[k]);
    ct_arena_free(r.arena);
    if (failure != CT_OK)
        ct_throw(ctx, failure);
    return job.status;
}

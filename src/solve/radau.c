/* radau.c - runs of Radau IIA for linear systems; radau.h says which. */
#include "solve/radau_step.h"

#include <math.h>
#include <string.h>

static const size_t most_bytes = 8000000; /* of factors for several step sizes */
static const double safety = 0.9, least_factor = 0.05;

/* ---- rows: the collocation polynomial over t and the stages */

/* u by its polynomial, too: then all equations hold in the row, however stiff. Where a stretch
 * begins, fast parts may not have settled yet: its first rows follow from the stages alone. */
static bool write_row(ct_radau_run *r, double t, double h)
{
    const ct_linear_dae *d = r->dae;
    double value[CT_RADAU_STAGES + 1], x = (t - r->span.t) / h;
    int count = CT_RADAU_STAGES + 1;
    int first = r->begun || t == r->span.t ? 0 : 1;
    ct_radau_lagrange(first, x, value);
    ct_radau_blend((const double *const *)r->watched, count, value, 1, d->watch_count, r->row_z);
    ct_radau_blend((const double *const *)r->u, count, value, 1, d->u_count, r->row_u);
    ct_radau_lagrange(r->begun ? 0 : 1, x, value);
    ct_radau_blend((const double *const *)r->watched_rate, count, value, 1, d->watch_count,
                   r->row_dz);
    ct_radau_blend((const double *const *)r->u_rate, count, value, 1, d->u_count, r->row_du);
    r->span.next_row++;
    return d->row(d->user, t, r->fresh && t == r->span.t, r->row_z, r->row_dz, r->row_u, r->row_du);
}

static ct_solve_status write_rows(ct_radau_run *r, double h)
{
    for (double t; ct_span_row(&r->span, &t);)
        if (!write_row(r, t, h))
            return CT_STOPPED;
    memcpy(r->watched_rate[0], r->watched_rate[CT_RADAU_STAGES],
           r->dae->watch_count * sizeof **r->watched_rate);
    memcpy(r->u_rate[0], r->u_rate[CT_RADAU_STAGES], r->dae->u_count * sizeof **r->u_rate);
    r->begun = true;
    return CT_SOLVED;
}

/* ---- stretches */

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
    ct_radau_inputs(r, r->span.last, r->before); /* of the stretch that ends */
    ct_span_begin(&r->span, d->next_break, d->user);
    ct_radau_inputs(r, r->span.t, r->after);
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
    r->span.t = r->span.to;
    r->z = r->next;
    r->next = swap;
    memcpy(r->u[0], r->u[CT_RADAU_STAGES], r->dae->u_count * sizeof **r->u);
    ct_radau_carry(r);
    r->fresh = false;
    ct_gauge_note(&r->gauge);
    r->stats->steps++;
    r->stats->last_time = r->span.t;
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
    return !ct_radau_loses_digits(r, s, fmin(until, (r->def->stop - r->span.t) / h));
}

/* To the end of the stretch. h: size to try first; becomes the last good one that was not cut
 * short. */
static ct_solve_status do_stretch(ct_radau_run *r, double *h)
{
    bool rough = true;
    double error;
    while (r->span.t < r->span.end) {
        double size = ct_span_fit(&r->span, *h);
        ct_solve_status status = ct_radau_try(r, size, rough, &error);
        if (status != CT_SOLVED)
            return status;
        if (error >= 1) {
            *h = next_size(size, error);
            rough = true;
            if (!ct_span_holds(&r->span, *h))
                return CT_STEP_TOO_SMALL;
            continue;
        }
        if (r->stats->steps >= r->def->most_steps)
            return CT_TOO_MANY_STEPS;
        bool sure = keeps_digits(r, size) && !ct_radau_rounds_rates(r, size);
        status = sure ? write_rows(r, size) : CT_NO_CONVERGENCE;
        if (status != CT_SOLVED)
            return status;
        accept(r);
        rough = false;
        if (size >= *h)
            *h = next_size(size, error);
        ct_span_tell(&r->span);
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
    r->rtol = r->span.lands ? 0.1 * pow(asked, (s + 1) / (2 * s)) : asked;
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
    for (bool again = false; status == CT_SOLVED && r->span.t < r->def->stop; again = true) {
        if (!begin_stretch(r, again))
            return CT_SINGULAR;
        if (h == 0 || h > r->span.end - r->span.t)
            h = r->span.end - r->span.t;
        if (again || r->span.t == r->def->start)
            h = fmin(h, (r->span.end - r->span.t) / 16);
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
    r.span = ct_span_new(def);
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

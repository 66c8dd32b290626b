/* radau_step.c - one step of Radau IIA: stages, the estimate of their error, polynomials. */
#include "solve/radau_step.h"

#include <math.h>
#include <string.h>

static const double first_step_care = 32; /* its rows are interpolated by one degree less */
/* Of the tolerance, for polynomials of u: their slopes at the ends of steps, and between, are less
 * accurate. */
static const double end_share = 0.3, row_share = 0.03;

/* ---- products with sparse columns */

static void times_u(const ct_radau_run *r, const double *m, double by, const double *u, double *y)
{
    const ct_linear_dae *d = r->dae;
    for (uint32_t j = 0; j < d->u_count; j++)
        for (int k = d->u_start[j]; u[j] != 0 && k < d->u_start[j + 1]; k++)
            y[d->u_row[k]] += by * m[k] * u[j];
}

/* The same into every second entry: real or imaginary parts. */
static void times_u_apart(const ct_radau_run *r, const double *m, double by, const double *u,
                          double *y)
{
    const ct_linear_dae *d = r->dae;
    for (uint32_t j = 0; j < d->u_count; j++)
        for (int k = d->u_start[j]; u[j] != 0 && k < d->u_start[j + 1]; k++)
            y[2 * d->u_row[k]] += by * m[k] * u[j];
}

void ct_radau_inputs(const ct_radau_run *r, double t, double *u)
{
    r->stats->rhs_evals++;
    r->dae->inputs(r->dae->user, ct_span_inside(&r->span, t), u);
}

void ct_radau_carry(ct_radau_run *r)
{
    const ct_pencil *p = r->dae->pencil;
    memset(r->q, 0, r->n * sizeof *r->q);
    ct_pencil_times(p, p->e, 1, r->z, r->q);
    times_u(r, r->dae->u_e, 1, r->u[0], r->q);
    memset(r->r, 0, r->n * sizeof *r->r);
    ct_pencil_times(p, p->a, -1, r->z, r->r);
    times_u(r, r->dae->u_a, -1, r->u[0], r->r);
}

/* ---- factors */

static ct_solve_status make_factors(ct_radau_run *r, ct_radau_size *s, double h)
{
    s->h = h;
    for (int k = 0; k < CT_RADAU_PAIRS; k++) {
        ct_complex at = {ct_radau_9.lambda[k].re / h, ct_radau_9.lambda[k].im / h};
        ct_solve_status status = ct_factor_make(s->factor[k], at);
        if (status != CT_SOLVED) {
            s->h = 0;
            return status;
        }
        r->stats->factorizations++;
    }
    return CT_SOLVED;
}

ct_solve_status ct_radau_factors(ct_radau_run *r, double h, ct_radau_size **out)
{
    const double same = 1e-14;
    ct_radau_size *oldest = &r->size[0];
    for (int i = 0; i < r->size_count; i++) {
        ct_radau_size *s = &r->size[i];
        if (fabs(s->h - h) <= same * h) {
            s->used = ++r->clock;
            *out = s;
            return CT_SOLVED;
        }
        if (s->used < oldest->used)
            oldest = s;
    }
    oldest->used = ++r->clock;
    *out = oldest;
    return make_factors(r, oldest, h);
}

/* ---- one step */

/* (lambda/h E + A) y = lambda/h (q - Ex v) - Ax v, with v the transformed u. */
static void solve_stage(ct_radau_run *r, const ct_radau_size *s, int k)
{
    const ct_radau_table *m = &ct_radau_9;
    const ct_linear_dae *d = r->dae;
    double re = m->lambda[k].re / s->h, im = m->lambda[k].im / s->h;
    double *y = r->y[k];
    double *vr = r->row_u, *vi = r->row_du;
    for (uint32_t j = 0; j < d->u_count; j++) {
        vr[j] = vi[j] = 0;
        for (int i = 0; i < CT_RADAU_STAGES; i++) {
            vr[j] += m->inverse[k][i].re * r->u[i + 1][j];
            vi[j] += m->inverse[k][i].im * r->u[i + 1][j];
        }
    }
    if (k == 0) {
        for (uint32_t i = 0; i < r->n; i++)
            y[i] = re * r->q[i];
        times_u(r, d->u_e, -re, vr, y);
        times_u(r, d->u_a, -1, vr, y);
    } else {
        for (uint32_t i = 0; i < r->n; i++) {
            y[2 * i] = re * r->q[i];
            y[2 * i + 1] = im * r->q[i];
        }
        times_u_apart(r, d->u_e, -re, vr, y);
        times_u_apart(r, d->u_e, im, vi, y);
        times_u_apart(r, d->u_a, -1, vr, y);
        times_u_apart(r, d->u_e, -re, vi, y + 1);
        times_u_apart(r, d->u_e, -im, vr, y + 1);
        times_u_apart(r, d->u_a, -1, vi, y + 1);
    }
    ct_factor_solve(s->factor[k], y);
}

/* sum over stages of weight[i] z_i, as factors of the transformed stages. */
static void combine(const ct_radau_run *r, const double *weight, double *out)
{
    const ct_radau_table *m = &ct_radau_9;
    for (int k = 0; k < CT_RADAU_PAIRS; k++) {
        double re = 0, im = 0;
        const double *y = r->y[k];
        for (int i = 0; i < CT_RADAU_STAGES; i++) {
            re += weight[i] * m->t[i][k].re;
            im += weight[i] * m->t[i][k].im;
        }
        if (k == 0)
            for (uint32_t i = 0; i < r->n; i++)
                out[i] = re * y[i];
        else
            for (uint32_t i = 0; i < r->n; i++)
                out[i] += 2 * (re * y[2 * i] - im * y[2 * i + 1]);
    }
}

/* Watched entries at all stages. */
static void watch_stages(const ct_radau_run *r)
{
    const ct_linear_dae *d = r->dae;
    for (uint32_t w = 0; w < d->watch_count; w++) {
        uint32_t at = d->watch[w];
        r->watched[0][w] = r->z[at];
        for (int i = 0; i < CT_RADAU_STAGES; i++) {
            double sum = ct_radau_9.t[i][0].re * r->y[0][at];
            for (int k = 1; k < CT_RADAU_PAIRS; k++)
                sum += 2 * (ct_radau_9.t[i][k].re * r->y[k][2 * at] -
                            ct_radau_9.t[i][k].im * r->y[k][2 * at + 1]);
            r->watched[i + 1][w] = sum;
        }
    }
}

static double weighted_norm(const ct_radau_run *r, const double *error)
{
    double sum = 0;
    uint32_t active = 1;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!r->differential[i])
            continue;
        double most = fmax(fabs(r->z[i]), fabs(r->next[i])), e = error[i];
        e /= r->atol + r->rtol * most;
        sum += e * e;
        active += most > r->atol; /* what rests counts for nothing, on either side */
    }
    return sqrt(sum / active);
}

/* (lambda0/h E + A) error = q' + lambda0/h sum of e_i (q_i - q). */
static double estimate(ct_radau_run *r, const ct_radau_size *s)
{
    const ct_radau_table *m = &ct_radau_9;
    double by = m->lambda[0].re / s->h, all = 0;
    combine(r, m->error, r->work);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        all += m->error[i];
    for (uint32_t i = 0; i < r->n; i++)
        r->error[i] = r->r[i] - by * all * r->q[i];
    ct_pencil_times(r->dae->pencil, r->dae->pencil->e, by, r->work, r->error);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        times_u(r, r->dae->u_e, by * m->error[i], r->u[i + 1], r->error);
    ct_factor_solve(s->factor[0], r->error);
    return weighted_norm(r, r->error);
}

/* The estimate once more, at z + error: rough starts make the first one far too large. */
static double estimate_again(ct_radau_run *r, const ct_radau_size *s)
{
    double *at = r->work;
    const ct_radau_table *m = &ct_radau_9;
    double by = m->lambda[0].re / s->h, all = 0;
    for (uint32_t i = 0; i < r->n; i++)
        at[i] = r->z[i] + r->error[i];
    memset(r->error, 0, r->n * sizeof *r->error);
    ct_pencil_times(r->dae->pencil, r->dae->pencil->a, -1, at, r->error);
    times_u(r, r->dae->u_a, -1, r->u[0], r->error);
    combine(r, m->error, at);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        all += m->error[i];
    for (uint32_t i = 0; i < r->n; i++)
        r->error[i] -= by * all * r->q[i];
    ct_pencil_times(r->dae->pencil, r->dae->pencil->e, by, at, r->error);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        times_u(r, r->dae->u_e, by * m->error[i], r->u[i + 1], r->error);
    ct_factor_solve(s->factor[0], r->error);
    return weighted_norm(r, r->error);
}

static double node(int i)
{
    return i ? ct_radau_9.c[i - 1] : 0;
}

/* Lagrange's polynomials over nodes first .. CT_RADAU_STAGES at x. */
void ct_radau_lagrange(int first, double x, double *value)
{
    for (int i = 0; i <= CT_RADAU_STAGES; i++) {
        value[i] = i >= first;
        for (int j = first; i >= first && j <= CT_RADAU_STAGES; j++)
            value[i] *= j == i ? 1 : (x - node(j)) / (node(i) - node(j));
    }
}

/* How well the polynomials of rows follow u, in tolerances of its largest values. Parts that follow
 * u at once have no error at the ends of a step, however large it is. */
static double input_error(ct_radau_run *r, double h)
{
    const double between[] = {0.43, r->begun ? 0.72 : 0.02}; /* far from the nodes */
    double value[CT_RADAU_STAGES + 1], most = 0;
    double share = fmax(r->def->rtol, CT_FINEST_RTOL) * (r->span.lands ? end_share : row_share);
    for (int k = 0; k < 2; k++) {
        ct_radau_inputs(r, r->span.t + between[k] * h, r->row_u);
        ct_radau_lagrange(r->begun ? 0 : 1, between[k], value);
        for (uint32_t j = 0; j < r->dae->u_count; j++) {
            double sum = -r->row_u[j];
            for (int i = 0; i <= CT_RADAU_STAGES; i++)
                sum += value[i] * r->u[i][j];
            r->most_u[j] = fmax(r->most_u[j], fabs(r->row_u[j]));
            most = fmax(most, fabs(sum) / (share * r->most_u[j] + r->atol));
        }
    }
    return most;
}

/* Slopes at node k of those over all nodes. */
static void lagrange_slope(int k, double *slope)
{
    for (int i = 0; i <= CT_RADAU_STAGES; i++) {
        slope[i] = 0;
        for (int j = 0; j <= CT_RADAU_STAGES; j++) {
            double part = j == i ? 0 : 1 / (node(i) - node(j));
            for (int l = 0; l <= CT_RADAU_STAGES; l++)
                part *= l == i || l == j ? 1 : (node(k) - node(l)) / (node(i) - node(l));
            slope[i] += part;
        }
    }
}

void ct_radau_blend(const double *const *from, int count, const double *by, double scale,
                    uint32_t entries, double *out)
{
    for (uint32_t j = 0; j < entries; j++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += by[i] * from[i][j];
        out[j] = scale * sum;
    }
}

/* Rates at all nodes; those at the beginning are those at the end of the last step. */
static void find_rates(ct_radau_run *r, double h)
{
    const ct_linear_dae *d = r->dae;
    double slope[CT_RADAU_STAGES + 1];
    for (int i = 1; i <= CT_RADAU_STAGES; i++) {
        lagrange_slope(i, slope);
        ct_radau_blend((const double *const *)r->watched, CT_RADAU_STAGES + 1, slope, 1 / h,
                       d->watch_count, r->watched_rate[i]);
        ct_radau_blend((const double *const *)r->u, CT_RADAU_STAGES + 1, slope, 1 / h, d->u_count,
                       r->u_rate[i]);
    }
}

/* The second estimate of the rough forgets what is stiff: nothing that is shown may trust it. */
static double error_size(ct_radau_run *r, const ct_radau_size *s, bool rough)
{
    double error = estimate(r, s), shown = 0;
    if (r->gauge.count && (error < 1 || rough)) {
        shown = ct_radau_shown(r, s);
    }
    if (error >= 1 && rough)
        error = estimate_again(r, s);
    return fmax(error, shown);
}

ct_solve_status ct_radau_try(ct_radau_run *r, double h, bool rough, double *error)
{
    double last[CT_RADAU_STAGES] = {0};
    ct_radau_size *s;
    ct_solve_status status = ct_radau_factors(r, h, &s);
    if (status != CT_SOLVED)
        return status;
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        ct_radau_inputs(r, r->span.t + ct_radau_9.c[i] * h, r->u[i + 1]);
    for (int k = 0; k < CT_RADAU_PAIRS; k++)
        solve_stage(r, s, k);
    last[CT_RADAU_STAGES - 1] = 1;
    combine(r, last, r->next);
    watch_stages(r);
    find_rates(r, h);
    *error = error_size(r, s, rough);
    if (!r->span.lands && !r->begun)
        *error *= first_step_care;
    *error = fmax(*error, input_error(r, h));
    r->stats->newton_iters += (uint64_t)CT_RADAU_PAIRS;
    return isfinite(*error) ? CT_SOLVED : CT_NOT_FINITE;
}

/* radau_shown.c - errors of Radau IIA in what rows show beyond z, and what rounding hides.
 *
 * Stiff parts follow the slow ones. What is shown of them are their rates (gauge.c), whose errors
 * the estimate tells before it is damped.
 */
#include "solve/radau_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the estimate: |w'(1) / (lambda0 sum of e_i c_i^6)|, w being the product of all x - c_i and x.
 */
static const double stiff_share = 5.2;
static const double rounding = 64 * DBL_EPSILON;
static const double most_lost = 4;  /* tolerances of what is stored, in all steps */
static const double lost_share = 4; /* of one rounding of the matrix, in what is shown */

static void show(void *user, double t, const double *z, double *value)
{
    const ct_radau_run *r = user;
    const ct_linear_dae *d = r->dae;
    d->shown(d->user, ct_span_inside(&r->span, t), z, z + d->watch_count, r->u[CT_RADAU_STAGES],
             r->u_rate[CT_RADAU_STAGES], value);
}

/* Errors of the watched z and of their rates, E e' = -A e: the diagonal of E will do. Afterwards
 * r->work is A e. */
static double shown_error(ct_radau_run *r, const double *error, double by)
{
    const ct_linear_dae *d = r->dae;
    memset(r->work, 0, r->n * sizeof *r->work);
    ct_pencil_times(d->pencil, d->pencil->a, 1, error, r->work);
    for (uint32_t w = 0; w < d->watch_count; w++) {
        uint32_t i = d->watch[w];
        r->shown_off[w] = by * error[i];
        r->shown_off[d->watch_count + w] =
            r->storage[i] != 0 ? -by * r->work[i] / r->storage[i] : 0;
    }
    return ct_gauge_error(&r->gauge, r->span.to, r->shown_at, r->shown_off);
}

/* The largest error of what is stored in tolerances before the matrix damped it. r->work is A e. */
static double undamped(const ct_radau_run *r, const ct_radau_size *s)
{
    double most = 0, rtol = r->gauge.rtol, atol = r->atol * rtol / r->rtol;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->storage[i] == 0)
            continue;
        double e = r->error[i] + s->h / ct_radau_9.lambda[0].re * r->work[i] / r->storage[i];
        most = fmax(most, fabs(e) / (atol + rtol * fmax(fabs(r->z[i]), fabs(r->next[i]))));
    }
    return most;
}

/* Is that but rounding of what is stored? However small the step, it would stay. */
static bool is_rounding(const ct_radau_run *r, const double *error)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->differential[i] && fabs(error[i]) > rounding * fmax(fabs(r->z[i]), fabs(r->next[i])))
            return false;
    return true;
}

/* What follows at once has rates of the step's polynomial, whose error at its end is larger than
 * the estimate; (lambda0/h E + A) stiff = A error. Where steps end at rows, slow parts have the
 * accuracy of the method there. */
static double apart(ct_radau_run *r, const ct_radau_size *s)
{
    memcpy(r->stiff, r->work, r->n * sizeof *r->stiff);
    ct_factor_solve(s->factor[0], r->stiff);
    for (uint32_t i = 0; i < r->n; i++)
        r->slow[i] = r->error[i] - r->stiff[i];
    double slow = shown_error(r, r->slow, r->gauge.rtol / r->rtol);
    return is_rounding(r, r->stiff) ? slow : fmax(slow, shown_error(r, r->stiff, stiff_share));
}

static void set_shown_point(ct_radau_run *r)
{
    uint32_t count = r->dae->watch_count;
    memcpy(r->shown_at, r->watched[CT_RADAU_STAGES], count * sizeof *r->shown_at);
    memcpy(r->shown_at + count, r->watched_rate[CT_RADAU_STAGES], count * sizeof *r->shown_at);
}

double ct_radau_shown(ct_radau_run *r, const ct_radau_size *s)
{
    set_shown_point(r);
    double shown = shown_error(r, r->error, 1);
    if (stiff_share * shown <= 1)
        return shown;
    double most = ct_gauge_most * undamped(r, s);
    return most > 1 ? fmin(most, apart(r, s)) : most;
}

/* ---- rounding of the matrix
 *
 * An entry of A is the sum of all that meet at a node: what is much smaller than the largest of
 * them is rounded away. Equations that keep the differences apart do better then. */

static void round_equations(const ct_radau_run *r, const ct_radau_size *s, double *error)
{
    const ct_pencil *p = r->dae->pencil;
    memset(error, 0, r->n * sizeof *error);
    for (uint32_t j = 0; j < r->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            error[p->row[k]] += fabs(p->a[k] * r->next[j]);
    for (uint32_t i = 0; i < r->n; i++)
        error[i] *= DBL_EPSILON * ct_gauge_pattern(i, 0);
    ct_factor_solve(s->factor[0], error);
}

/* Steps add up what they lose of what is stored; rows show what the last one lost. */
bool ct_radau_loses_digits(ct_radau_run *r, const ct_radau_size *s, double steps)
{
    double most = 0, rtol = r->gauge.rtol, atol = r->atol * rtol / r->rtol;
    round_equations(r, s, r->stiff);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->differential[i])
            most = fmax(most, fabs(r->stiff[i]) / (atol + rtol * fabs(r->next[i])));
    r->lost += most * steps;
    return r->lost > most_lost || (r->gauge.count && shown_error(r, r->stiff, lost_share) > 1);
}

/* Rates are differences of stages: in a step to a row that is next to its begin they are rounding.
 */
bool ct_radau_rounds_rates(ct_radau_run *r, double h)
{
    const double short_step = 1e-6, slopes = 10; /* of the run; of the polynomial, by 1/h */
    const ct_linear_dae *d = r->dae;
    if (!r->gauge.count || h > short_step * (r->def->stop - r->def->start))
        return false;
    set_shown_point(r);
    for (uint32_t w = 0; w < d->watch_count; w++) {
        double noise = slopes * rounding * r->shown_at[w] / h;
        r->shown_off[w] = 0;
        r->shown_off[d->watch_count + w] = noise * ct_gauge_pattern(w, 0);
    }
    return ct_gauge_error(&r->gauge, r->span.to, r->shown_at, r->shown_off) > 1;
}

void ct_radau_take_gauge(ct_radau_run *r)
{
    const ct_linear_dae *d = r->dae;
    r->gauge = (ct_gauge){.user = r,
                          .show = show,
                          .count = d->shown_count,
                          .size = 2 * d->watch_count,
                          .rtol = fmax(r->def->rtol, CT_FINEST_RTOL)};
    ct_gauge_open(&r->gauge, r->arena);
    r->shown_at = CT_NEW_ARRAY(r->arena, double, 2 * d->watch_count + 1);
    r->shown_off = CT_NEW_ARRAY(r->arena, double, 2 * d->watch_count + 1);
}

/* run.c - values and Jacobians for the methods, with counts and checks. */
#include "solve/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/nvector.h"
#include "solve/project.h"

/* Also of terms that the Jacobian does not show, and of several evaluations. */
static const double rounding = 512 * DBL_EPSILON;
static const double passed_over = 3; /* of a sine: no step that follows it turns so far */

double ct_run_clipped(const ct_integration *run, double time)
{
    if (time < run->inside_first)
        return run->inside_first;
    return time > run->inside_last ? run->inside_last : time;
}

double ct_run_inside(const ct_integration *run, double t)
{
    return ct_run_clipped(run, run->origin + t);
}

static bool is_finite(ct_integration *run, const double *fg)
{
    run->bad = UINT32_MAX;
    if (ct_all_finite(run->size, fg))
        return true;
    for (uint32_t i = 0; i < run->size && run->bad == UINT32_MAX; i++)
        if (!isfinite(fg[i]))
            run->bad = i;
    return false;
}

bool ct_run_evaluate(ct_integration *run, double t, const double *z, double *fg)
{
    run->stats->rhs_evals++;
    run->problem->evaluate(run->problem->user, ct_run_inside(run, t), z, fg);
    return is_finite(run, fg);
}

void ct_run_look_at_phases(ct_integration *run, const double *rate)
{
    const ct_problem *p = run->problem;
    double turn = 0;
    run->turning = 0;
    for (uint32_t i = 0; i < p->phase_count; i++) {
        turn += p->phase[i].factor * rate[p->phase[i].x];
        if (p->phase[i].more)
            continue;
        run->turning = fmax(run->turning, fabs(turn));
        turn = 0;
    }
}

void ct_run_measure_phases(ct_stepper *s, double *point)
{
    ct_integration *run = s->run;
    const ct_problem *p = run->problem;
    double part = (s->t - s->before) / 4, *from = run->bent, *to = from + p->bent_count;
    run->bent_rate = 0;
    if (!p->bent_count)
        return;
    (s->rough ? s->rough : s->at)(s, s->t - part, point);
    p->bent(p->user, ct_run_inside(run, s->t - part), point, from);
    p->bent(p->user, ct_run_inside(run, s->t), s->z, to);
    for (uint32_t i = 0; i < p->bent_count; i++)
        if (isfinite(to[i] - from[i]))
            run->bent_rate = fmax(run->bent_rate, fabs(to[i] - from[i]) / part);
}

static double turning(const ct_integration *run)
{
    return fmax(run->turning, run->bent_rate);
}

static bool is_followed(const ct_integration *run)
{
    return turning(run) * run->span <= CT_TURN_OF_STEP * CT_MOST_FOLLOWED;
}

void ct_run_note_swings(ct_integration *run, double h)
{
    double rate = fmax(run->def->lost_swing, is_followed(run) ? 0 : turning(run));
    if (h * rate > passed_over)
        run->stats->lost_swing = fmax(run->stats->lost_swing, rate);
}

static double longest_turn(const ct_integration *run)
{
    return turning(run) > 0 && is_followed(run) ? CT_TURN_OF_STEP / turning(run) : 0;
}

double ct_run_longest(const ct_integration *run)
{
    return ct_shorter_step(longest_turn(run),
                           ct_shorter_step(run->def->largest_step, run->def->swing_step));
}

double ct_run_reach(const ct_integration *run, double t, double stop)
{
    double rate = run->angle_rate; /* at a pole it is anything */
    bool follows = rate > 0 && rate * run->span <= CT_TURN_OF_STEP * CT_MOST_FOLLOWED;
    double each = follows ? CT_TURN_OF_STEP / rate : 0;
    double turn = ct_shorter_step(longest_turn(run), each), left = stop - t;
    if (!(turn > 0) || turn >= left)
        return stop;
    return t + (2 * turn > left ? left / 2 : turn); /* no tiny last step */
}

/* Derivatives by t overflow sooner than values do, as those of 1/cosh(t): then by differences. */
static bool differ_in_time(ct_integration *run, double t, const double *z, const double *fg,
                           double *drift)
{
    static const double hair = 1e-8; /* of the span */
    double middle = (run->inside_first + run->inside_last) / 2;
    double h = hair * run->span * (ct_run_inside(run, t) < middle ? 1 : -1);
    double apart =
        ct_run_inside(run, t + h) - ct_run_inside(run, t); /* late in a run times round */
    if (!ct_run_evaluate(run, t + h, z, drift))
        return false;
    for (uint32_t i = 0; i < run->size; i++)
        drift[i] = apart != 0 ? (drift[i] - fg[i]) / apart : 0;
    return true;
}

bool ct_run_linearise(ct_integration *run, double t, const double *z, double *fg, double *value,
                      double *drift)
{
    run->stats->rhs_evals++;
    run->stats->jac_evals++;
    run->problem->linearise(run->problem->user, ct_run_inside(run, t), z, fg, value, drift);
    ct_run_look_at_phases(run, fg);
    return is_finite(run, fg) && (is_finite(run, drift) || differ_in_time(run, t, z, fg, drift));
}

void ct_run_jacobian(ct_integration *run, double t, const double *z, double *value)
{
    run->stats->jac_evals++;
    run->problem->jacobian(run->problem->user, ct_run_inside(run, t), z, value);
}

void ct_run_noise(const ct_integration *run, const double *z, double *fg)
{
    const ct_problem *p = run->problem;
    memset(fg, 0, run->size * sizeof *fg);
    for (uint32_t j = 0; j < run->size; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            fg[p->row[k]] += fabs(run->jacobian[k] * z[j]) * rounding;
}

bool ct_run_bend(ct_stepper *s, double t, double *point, double *part, double *bend)
{
    static const double weight[] = {1, -2, 1}, hair = 1e-4;
    double h = s->t - s->before, reach = fmin(hair * h, fmin(t - s->before, s->t - t));
    uint32_t size = s->run->size;
    memset(bend, 0, size * sizeof *bend);
    for (int k = 0; k < 3 && reach > 0; k++) {
        double at = t + (k - 1) * reach;
        s->rough(s, at, point);
        if (!ct_run_evaluate(s->run, at, point, part))
            return false;
        for (uint32_t i = 0; i < size; i++)
            bend[i] += weight[k] * part[i] * h / (8 * reach);
    }
    return true;
}

bool ct_run_begin(ct_stepper *s, double t, const double *z, double *own, double *rate)
{
    memcpy(own, z, s->run->n * sizeof *z);
    s->t = s->before = t;
    s->z = own;
    if (!ct_run_evaluate(s->run, t, own, rate))
        return false;
    if (s->run->projector)
        ct_projector_choose(s->run->projector, ct_run_inside(s->run, t), own);
    return true;
}

double *ct_lay_out(double **const need[], size_t count, double *block, size_t length)
{
    for (size_t i = 0; i < count; i++, block += length)
        *need[i] = block;
    return block;
}

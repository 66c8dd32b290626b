/* step_rosenbrock.c - stiff systems of moderate size: Rosenbrock's method Rodas5P of order 5(4).
 *
 * z' = F for x, 0 = F for w, in one system  M z' = F(t, z),  M = diag(1, ..., 1, 0, ..., 0):
 *
 *     (M/(h gamma) - J) k_i = F(t + c_i h, z + sum a_ij k_j) + M sum C_ij k_j / h + h d_i dF/dt
 *
 * Eight stages with one matrix, no iteration, L-stable and stiffly accurate: the last increment is
 * the error.
 *
 * The error counts in what rows show, too (gauge.c). Between the ends of a step the stiff part of
 * the interpolant is poor. Where the residual there tells so, a point is computed by a step
 * that ends there, which is as accurate as the step itself. [G. Steinebach, BIT Numerical
 * Mathematics 63 (2023) 27; Hairer and Wanner, Solving Ordinary Differential Equations II, section
 * IV.7]
 */
#include "solve/gauge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/nvector.h"
#include "solve/rodas5p.h"

enum { VECTORS = 9 + STAGES + DENSE };
static const double safety = 0.9, least_factor = 0.2, most_factor = 6;
static const double slow_share = 4;    /* of slow errors in what is shown */
static const double time_shift = 1e-4; /* of a step: for dF/dt by differences */

typedef struct rosenbrock {
    ct_pattern pattern;
    ct_linear *linear;
    double *z, *next, *before; /* points: here, tried, of the last step's begin */
    double *slope, *drift;     /* F here, dF/dt */
    double *sum, *probe, *slow;
    ct_gauge gauge;
    double *k[STAGES], *dense[DENSE];
    bool fresh; /* slope, drift and Jacobian belong to this point */
    enum trust {
        UNKNOWN,
        GOOD,
        POOR,
        WILD
    } inside; /* is the last step's interpolant? WILD: nor is a step */
    double memory;
    double shortest;        /* of the last steps, longer with the time that has passed since then */
    double *inner, reached; /* a point inside of the last step, and its time: see creep() */
    uint32_t culprit;
} rosenbrock;

/* target = base + sum of w[j] k[j]. */
static void combine(const rosenbrock *r, uint32_t size, const double *base, const double *w,
                    uint32_t count, double *restrict target)
{
    memcpy(target, base, size * sizeof *target);
    for (uint32_t j = 0; j < count; j++) {
        const double *restrict k = r->k[j];
        double weight = w[j];
        for (uint32_t i = 0; i < size; i++)
            target[i] += weight * k[i];
    }
}

/* ---- the point of a step: F, dF/dt, J */

static bool find_drift(ct_stepper *s, rosenbrock *r, double h)
{
    ct_integration *run = s->run;
    double early = s->t - time_shift * h, late = s->t + time_shift * h;
    double apart = ct_run_inside(run, late) - ct_run_inside(run, early);
    if (!ct_run_evaluate(run, early, r->z, r->drift) || !ct_run_evaluate(run, late, r->z, r->probe))
        return false;
    for (uint32_t i = 0; i < run->size; i++)
        r->drift[i] = apart > 0 ? (r->probe[i] - r->drift[i]) / apart : 0;
    return true;
}

static bool look(ct_stepper *s, rosenbrock *r, double h)
{
    ct_integration *run = s->run;
    if (r->fresh)
        return true;
    if (run->problem->linearise) {
        if (!ct_run_linearise(run, s->t, r->z, r->slope, run->jacobian, r->drift))
            return false;
    } else {
        if (!ct_run_evaluate(run, s->t, r->z, r->slope) || !find_drift(s, r, h))
            return false;
        ct_run_look_at_phases(run, r->slope);
        ct_run_jacobian(run, s->t, r->z, run->jacobian);
    }
    r->fresh = true;
    return true;
}

static bool factor(ct_stepper *s, rosenbrock *r, double h)
{
    const ct_integration *run = s->run;
    double *value = r->linear->value;
    ct_pattern_gather(&r->pattern, run->size, run->problem->start, run->jacobian, value);
    for (uint32_t k = 0; k < r->pattern.count; k++)
        value[k] = -value[k];
    for (uint32_t i = 0; i < run->n; i++)
        value[r->pattern.diagonal[i]] += gamma_inverse / h;
    return ct_linear_factor(r->linear) == CT_SOLVED;
}

/* ---- stages */

static void solve_stage(ct_stepper *s, rosenbrock *r, uint32_t stage, const double *slope, double h)
{
    uint32_t n = s->run->n, size = s->run->size;
    double *k = r->k[stage], shift = stage < FREE_STAGES ? h * d[stage] : 0;
    memset(r->sum, 0, n * sizeof *r->sum);
    for (uint32_t j = 0; j < stage; j++)
        for (uint32_t i = 0; i < n; i++)
            r->sum[i] += coupling[stage][j] * r->k[j][i];
    for (uint32_t i = 0; i < n; i++)
        k[i] = slope[i] + r->sum[i] / h + shift * r->drift[i];
    for (uint32_t i = n; i < size; i++)
        k[i] = slope[i] + shift * r->drift[i];
    ct_linear_solve(r->linear, k);
}

/* From z at t to r->next at t + h. */
static bool stages(ct_stepper *s, rosenbrock *r, double t, const double *z, double h)
{
    uint32_t size = s->run->size;
    solve_stage(s, r, 0, r->slope, h);
    for (uint32_t stage = 1; stage < STAGES; stage++) {
        double part = stage < FREE_STAGES ? c[stage] : 1;
        if (stage < FREE_STAGES)
            combine(r, size, z, a[stage], stage, r->next);
        else
            for (uint32_t i = 0; i < size; i++)
                r->next[i] += r->k[stage - 1][i];
        if (!ct_run_evaluate(s->run, t + part * h, r->next, r->probe))
            return false;
        solve_stage(s, r, stage, r->probe, h);
    }
    for (uint32_t i = 0; i < size; i++)
        r->next[i] += r->k[STAGES - 1][i];
    return true;
}

/* ---- errors */

static double tolerance(const ct_integration *run, const rosenbrock *r, uint32_t i)
{
    return run->rtol * fmax(fabs(r->z[i]), fabs(r->next[i])) + run->atol[i];
}

/* J error, in r->sum. */
static void multiply(const ct_integration *run, rosenbrock *r, const double *error)
{
    const ct_problem *p = run->problem;
    memset(r->sum, 0, run->size * sizeof *r->sum);
    for (uint32_t j = 0; j < run->size; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            r->sum[p->row[k]] += run->jacobian[k] * error[j];
}

/* The largest error of a state in tolerances before the matrix damped it: error - h gamma J error.
 */
static double undamped(const ct_integration *run, rosenbrock *r, double h, const double *error)
{
    double most = 0;
    multiply(run, r, error);
    for (uint32_t i = 0; i < run->n; i++)
        most = fmax(most, fabs(error[i] - h / gamma_inverse * r->sum[i]) / tolerance(run, r, i));
    return most;
}

/* Of what is shown, when r->next has this error. What is left of it when the matrix damps it once
 * more is slow: such errors of many steps add up. */
static double shown_error(ct_stepper *s, rosenbrock *r, double t, double h, const double *error)
{
    uint32_t n = s->run->n, size = s->run->size;
    double shown = ct_gauge_error(&r->gauge, t, r->next, error);
    if (slow_share * shown <= 1 || error != r->k[STAGES - 1])
        return shown;
    memset(r->slow, 0, size * sizeof *r->slow);
    for (uint32_t i = 0; i < n; i++)
        r->slow[i] = gamma_inverse / h * error[i];
    ct_linear_solve(r->linear, r->slow);
    return fmax(shown, slow_share * ct_gauge_error(&r->gauge, t, r->next, r->slow));
}

/* The largest error at r->next in tolerances: of unknowns, and of what is shown of them. */
static double compare(ct_stepper *s, rosenbrock *r, double t, double h, const double *error)
{
    ct_integration *run = s->run;
    double most = 0;
    for (uint32_t i = 0; i < run->size; i++) {
        double part = fabs(error[i]) / tolerance(run, r, i);
        if (!(part <= most)) {
            most = part;
            r->culprit = i;
        }
        if (isnan(part))
            return INFINITY;
    }
    double shown = most > 1 ? 0 : shown_error(s, r, t, h, error);
    if (shown > 1)
        shown = fmin(shown, ct_gauge_most * undamped(run, r, h, error));
    return fmax(most, shown);
}

/* Nothing can be known better than rounding of the equations allows. Where unknowns depend on tiny
 * differences (a voltage on a current that is nearly the saturation current) that is a lot. */
static double error_size(ct_stepper *s, rosenbrock *r, double t, double h, const double *error)
{
    uint32_t n = s->run->n, size = s->run->size;
    double most = compare(s, r, t, h, error);
    if (most <= 1 || !isfinite(most) || size == n)
        return most;
    ct_run_noise(s->run, r->z, r->probe);
    ct_linear_solve(r->linear, r->probe);
    memcpy(r->probe, error, n * sizeof *r->probe); /* states are known as well as z is */
    for (uint32_t i = n; i < size; i++)
        r->probe[i] = copysign(fmax(fabs(error[i]) - fabs(r->probe[i]), 0), error[i]);
    return compare(s, r, t, h, r->probe);
}

/* INFINITY: the step cannot be made. */
static double try_step(ct_stepper *s, rosenbrock *r, double h)
{
    if (!factor(s, r, h) || !stages(s, r, s->t, r->z, h))
        return INFINITY;
    return error_size(s, r, s->t + h, h, r->k[STAGES - 1]);
}

/* ---- the interpolant */

typedef struct span {
    double begin, h;
    const double *from, *to;
} span;

static void set_interpolant(const ct_stepper *s, rosenbrock *r)
{
    uint32_t size = s->run->size;
    memset(r->probe, 0, size * sizeof *r->probe);
    for (uint32_t j = 0; j < DENSE; j++)
        combine(r, size, r->probe, dense[j], STAGES, r->dense[j]);
}

/* As a change since the beginning: next to it rounding turns nothing back. */
static void interpolate(const ct_stepper *s, const rosenbrock *r, const span *p, double theta,
                        double *z)
{
    double rest = 1 - theta;
    for (uint32_t i = 0; i < s->run->size; i++)
        z[i] =
            p->from[i] +
            theta * (p->to[i] - p->from[i] +
                     rest * (r->dense[0][i] + theta * (r->dense[1][i] + theta * r->dense[2][i])));
}

/* The error e of the interpolant at a part of the step, from (M/(h gamma) - J) e = M z' - F; z is
 * the point there. */
static bool find_defect(ct_stepper *s, rosenbrock *r, const span *p, double theta, double *z,
                        double *error)
{
    const ct_integration *run = s->run;
    const double part[DENSE] = {1 - 2 * theta, theta * (2 - 3 * theta),
                                theta * theta * (3 - 4 * theta)};
    interpolate(s, r, p, theta, z);
    if (!ct_run_evaluate(s->run, p->begin + theta * p->h, z, error))
        return false;
    for (uint32_t i = 0; i < run->size; i++)
        error[i] = -error[i];
    for (uint32_t i = 0; i < run->n; i++)
        error[i] += (p->to[i] - p->from[i] + part[0] * r->dense[0][i] + part[1] * r->dense[1][i] +
                     part[2] * r->dense[2][i]) /
                    p->h;
    ct_linear_solve(r->linear, error);
    return true;
}

/* A long step behind short ones may leap over what they were short for, a diode that conducts near
 * each peak: no stage sees it. Its interpolant is looked at where no stage was. */
static bool leaps(ct_stepper *s, rosenbrock *r, double h)
{
    static const double place[] = {0.06, 0.12, 0.18, 0.24, 0.3,  0.36, 0.47,
                                   0.53, 0.58, 0.7,  0.76, 0.82, 0.88, 0.94};
    const double long_step = 8, leap = 20; /* shortest steps, tolerances */
    span tried = {s->t, h, r->z, r->next};
    if (h <= long_step * r->shortest)
        return false;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        if (!find_defect(s, r, &tried, place[i], r->sum, r->probe))
            return true;
        for (uint32_t k = 0; k < s->run->n; k++)
            if (!(fabs(r->probe[k]) <= leap * tolerance(s->run, r, k)))
                return true;
    }
    return false;
}

/* F, dF/dt and J at r->next, for the matrix of the end of a step. */
static bool look_ahead(ct_stepper *s, rosenbrock *r, double h)
{
    ct_integration *run = s->run;
    if (run->problem->linearise)
        return ct_run_linearise(run, s->t + h, r->next, r->sum, run->jacobian, r->probe);
    ct_run_jacobian(run, s->t + h, r->next, run->jacobian);
    return true;
}

/* A state goes far: not where its rate at the begin leads to, or not as far as that damped it; or
 * its rate at the end is another than the step followed, and the matrix alone hides that. */
static bool goes_far(const ct_stepper *s, const rosenbrock *r, uint32_t i, double h)
{
    const double far = 1e3, damped = 1e2, lost = 1e3, hidden = 0.1; /* tolerances, moves */
    const double *error = r->k[STAGES - 1];
    double moved = fabs(r->next[i] - r->z[i]);
    return moved > far * tolerance(s->run, r, i) &&
           (h * fabs(r->slope[i]) > damped * moved || moved > lost * fabs(r->k[0][i]) ||
            fabs(error[i] - h / gamma_inverse * r->sum[i]) > hidden * moved);
}

/* A step through what decays far faster than it is long: the matrix of its begin damps all errors,
 * however far from that the end is (a junction that takes up a jump). They are looked at with the
 * matrix of the end. */
static bool rushes(ct_stepper *s, rosenbrock *r, double h)
{
    const double rush = 20, part = 0.005; /* tolerances, of the move */
    span tried = {s->t, h, r->z, r->next};
    bool far = false, good;
    multiply(s->run, r, r->k[STAGES - 1]);
    for (uint32_t i = 0; i < s->run->n && !far; i++)
        far = goes_far(s, r, i, h);
    if (!far)
        return false;
    good = look_ahead(s, r, h) && factor(s, r, h) && find_defect(s, r, &tried, 1, r->sum, r->probe);
    for (uint32_t i = 0; i < s->run->n && good; i++)
        good =
            fabs(r->probe[i]) <= rush * tolerance(s->run, r, i) + part * fabs(r->next[i] - r->z[i]);
    r->fresh = false;
    return !(good && look(s, r, h) && factor(s, r, h));
}

static void accept(ct_stepper *s, rosenbrock *r, double t)
{
    const double fade = 0.02; /* of the time that passes */
    double *old = r->before;
    r->shortest = fmin(t - s->t, r->shortest + fade * (t - s->t));
    r->before = r->z;
    r->z = r->next;
    r->next = old;
    r->fresh = false;
    r->inside = UNKNOWN;
    s->before = s->t;
    s->t = t;
    s->z = r->z;
    ct_gauge_note(&r->gauge);
}

static double next_factor(const rosenbrock *r, double error)
{
    const double least = 1e-8, size = fmax(error, least);
    double factor = safety * pow(size, -0.2) * pow(r->memory / size, 0.06);
    return fmin(most_factor, fmax(least_factor, factor));
}

static ct_solve_status failure(const ct_stepper *s, const rosenbrock *r)
{
    if (s->run->bad != UINT32_MAX)
        return CT_NOT_FINITE;
    return r->linear->status == CT_SINGULAR ? CT_SINGULAR : CT_STEP_TOO_SMALL;
}

static ct_solve_status step(ct_stepper *s, double stop)
{
    const double least_step = 1e-14, least_memory = 1e-3;
    rosenbrock *r = s->self;
    double limit = ct_run_longest(s->run);
    for (bool again = false;; again = true) {
        double left = stop - s->t, h = limit > 0 ? fmin(s->h, limit) : s->h;
        bool last = h * 1.000001 >= left;
        if (last)
            h = left;
        else if (2 * h > left)
            h = left / 2; /* no tiny last step */
        if (!(s->t + h > s->t) || h < least_step * s->t)
            return failure(s, r);
        if (!look(s, r, h))
            return CT_NOT_FINITE;
        double error = try_step(s, r, h);
        if (error <= 1)
            set_interpolant(s, r);
        if (error <= 1 && (leaps(s, r, h) || rushes(s, r, h))) {
            s->h = least_factor * h;
            continue;
        }
        if (error <= 1) {
            double factor = next_factor(r, error);
            s->h = h < s->h && factor * h < s->h ? s->h : h * (again ? fmin(1, factor) : factor);
            r->memory = fmax(error, least_memory);
            accept(s, r, last ? stop : s->t + h);
            return CT_SOLVED;
        }
        s->h = isfinite(error) ? h * fmax(least_factor, safety * pow(error, -0.2)) : h * 0.1;
    }
}

/* ---- between the ends of the last step; its matrix and Jacobian are still there */

static enum trust judge_at(ct_stepper *s, rosenbrock *r, double theta)
{
    double h = s->t - s->before, *error = r->k[0];
    span whole = {s->before, h, r->before, r->z};
    if (!find_defect(s, r, &whole, theta, r->next, error))
        return POOR;
    return error_size(s, r, s->before + theta * h, h, error) <= 1 ? GOOD : POOR;
}

/* The error of rates changes its sign twice within the step. */
static enum trust judge(ct_stepper *s, rosenbrock *r)
{
    static const double place[] = {0.5, 0.9, 0.3, 0.7};
    int count = r->gauge.count ? (int)(sizeof place / sizeof *place) : 1;
    enum trust found = GOOD;
    for (int i = 0; i < count && found == GOOD; i++)
        found = judge_at(s, r, place[i]);
    return found;
}

static double kink(ct_stepper *s, double t)
{
    rosenbrock *r = s->self;
    double most = 0, *error = r->k[0];
    if (!ct_run_bend(s, t, r->next, r->probe, error))
        return 0;
    ct_linear_solve(r->linear, error);
    for (uint32_t i = 0; i < s->run->size; i++)
        most = fmax(most, fabs(error[i]) / tolerance(s->run, r, i));
    return most;
}

/* Where one step from the beginning to t is no better than the interpolant: several, as long as
 * they may be, on from the row before. */
static bool creep(ct_stepper *s, rosenbrock *r, double t)
{
    const double least = 1e-9; /* of the step */
    double end = s->t, *here = r->z, h = t - r->reached, whole = end - s->before;
    r->z = r->inner;
    s->t = r->reached;
    while (s->t < t && h > least * whole) {
        r->fresh = false;
        h = fmin(h, t - s->t);
        double error = look(s, r, h) ? try_step(s, r, h) : INFINITY;
        if (error <= 1) {
            memcpy(r->z, r->next, s->run->size * sizeof *r->z);
            s->t = h < t - s->t ? s->t + h : t;
        }
        h *= isfinite(error) ? fmin(most_factor, fmax(least_factor, safety * pow(error, -0.2)))
                             : 0.1;
    }
    r->reached = s->t;
    r->z = here;
    s->t = end;
    r->fresh = false;
    return r->reached >= t;
}

static bool land(ct_stepper *s, double t, double *z)
{
    rosenbrock *r = s->self;
    double h = t - s->before;
    if (!(h > 0 && t < s->t))
        return false;
    if (r->inside != WILD && factor(s, r, h) && stages(s, r, s->before, r->before, h) &&
        error_size(s, r, t, h, r->k[STAGES - 1]) <= 1) {
        memcpy(z, r->next, s->run->size * sizeof *z);
        return true;
    }
    if (r->inside != WILD || t < r->reached) {
        r->inside = WILD;
        r->reached = s->before;
        memcpy(r->inner, r->before, s->run->size * sizeof *r->inner);
    }
    if (!creep(s, r, t))
        return false;
    memcpy(z, r->inner, s->run->size * sizeof *z);
    return true;
}

static void rough(ct_stepper *s, double t, double *z)
{
    const rosenbrock *r = s->self;
    span whole = {s->before, s->t - s->before, r->before, r->z};
    interpolate(s, r, &whole, whole.h > 0 ? (t - s->before) / whole.h : 1, z);
}

static void at(ct_stepper *s, double t, double *z)
{
    rosenbrock *r = s->self;
    if (r->inside == UNKNOWN)
        r->inside = s->t > s->before ? judge(s, r) : GOOD;
    if (r->inside == GOOD || !land(s, t, z))
        rough(s, t, z);
}

/* ---- begin and end */

/* A first step in which the slope changes x by half the tolerance, within bounds: the error control
 * soon finds the right one. */
static double first_step(const ct_stepper *s, rosenbrock *r, double stop)
{
    const ct_integration *run = s->run;
    double sum = 0, most = -1;
    for (uint32_t i = 0; i < run->n; i++) {
        double part = r->slope[i] / (run->rtol * fabs(r->z[i]) + run->atol[i]);
        sum += part * part;
        if (part * part > most) {
            most = part * part;
            r->culprit = i;
        }
    }
    double rate = sqrt(sum / run->n), whole = stop - s->t;
    const double of_run = 1e-10;
    return fmin(0.01 * whole, rate * whole > 0.5 ? fmax(0.5 / rate, of_run * whole) : whole);
}

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    rosenbrock *r = s->self;
    memcpy(r->z, z, s->run->size * sizeof *z);
    s->t = s->before = t;
    s->z = r->z;
    r->memory = 1;
    r->shortest = INFINITY;
    r->fresh = false;
    if (!ct_run_evaluate(s->run, t, r->z, r->slope))
        return CT_NOT_FINITE;
    s->h = first_step(s, r, stop);
    return CT_SOLVED;
}

static uint32_t culprit(ct_stepper *s)
{
    const rosenbrock *r = s->self;
    return r->linear->status == CT_SINGULAR ? r->linear->singular_at : r->culprit;
}

static void release(ct_stepper *s)
{
    rosenbrock *r = s->self;
    s->run->stats->factorizations += r->linear->factor_count;
    s->run->stats->newton_iters += r->linear->solve_count;
    ct_linear_free(r->linear);
}

ct_stepper *ct_stepper_rosenbrock(ct_integration *run)
{
    const ct_problem *p = run->problem;
    ct_stepper *s = CT_NEW(run->arena, ct_stepper);
    rosenbrock *r = CT_NEW(run->arena, rosenbrock);
    double **need[] = {&r->z,   &r->next,  &r->before, &r->slope, &r->drift,
                       &r->sum, &r->probe, &r->slow,   &r->inner};
    double *vector =
        ct_lay_out(need, sizeof need / sizeof *need,
                   CT_NEW_ARRAY(run->arena, double, VECTORS *(size_t)run->size), run->size);
    for (size_t i = 0; i < STAGES; i++, vector += run->size)
        r->k[i] = vector;
    for (size_t i = 0; i < DENSE; i++, vector += run->size)
        r->dense[i] = vector;
    r->pattern = ct_pattern_part(run->arena, run->size, p->start, p->row, 0, run->size, run->n);
    r->linear = ct_linear_new(run->arena, &r->pattern);
    r->gauge = ct_gauge_of(run);
    r->culprit = UINT32_MAX;
    *s = (ct_stepper){.name = "Rosenbrock 5(4)",
                      .run = run,
                      .share = 0.45,
                      .self = r,
                      .start = start,
                      .step = step,
                      .at = at,
                      .rough = rough,
                      .land = land,
                      .kink = kink,
                      .culprit = culprit,
                      .free = release,
                      .z = r->z};
    return s;
}

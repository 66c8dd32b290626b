/* newton.c - Newton's method with affine-covariant damping.
 *
 *     J(z) d = -F(z),   z <- z + lambda d
 *
 * A damping factor is accepted when the simplified correction d' = -J(z)^-1 F(z + lambda d) shows
 * that the error became smaller: |d'| <= (1 - lambda/4) |d|. Measuring corrections and not
 * residuals makes the method blind to the units of the equations.
 */
#include "solve/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/nvector.h"

enum { MOST_ITERATIONS = 200, MOST_STALLED = 6 };
static const double relative_goal = 1e-12, absolute_goal = 1e-15; /* of a correction */
static const double noise_level = 1e-8; /* corrections below it may stop shrinking */
static const double most_noise = 1e-4;  /* a solution that is not known better is none */
static const double most_ulps = 64;     /* rounding errors of a row, in eps sum |J_ij z_j| */
static const double near = 1e-3;        /* from here on the old Jacobian tells the distance */
static const double most_change = 0.01; /* of an entry of the Jacobian: it still tells */
static const double least_damping = 1e-12;

double ct_typical(const ct_problem *problem, uint32_t i)
{
    double typical = problem->typical ? fabs(problem->typical[i]) : 1;
    return typical > 0 && isfinite(typical) ? typical : 1;
}

ct_newton *ct_newton_new(ct_arena *arena, const ct_problem *problem, uint32_t first, uint32_t count)
{
    ct_newton *w = CT_NEW(arena, ct_newton);
    uint32_t size = problem->n + problem->m;
    uint32_t diagonal = first < problem->n ? problem->n - first : 0;
    if (count)
        ct_need_pattern(problem);
    w->problem = problem;
    w->size = size;
    w->first = first;
    w->count = count;
    w->culprit = UINT32_MAX;
    w->pattern = ct_pattern_part(arena, count ? size : 0, problem->start, problem->row, first,
                                 count, count ? diagonal : 0);
    w->linear = ct_linear_new(arena, &w->pattern);
    if (!count)
        return w; /* nothing to solve: a large model of states alone needs no memory for it */
    w->jacobian = CT_NEW_ARRAY(arena, double, size ? problem->start[size] : 0);
    w->again = CT_NEW_ARRAY(arena, double, size ? problem->start[size] : 0);
    w->fg = CT_NEW_ARRAY(arena, double, size);
    w->trial = CT_NEW_ARRAY(arena, double, size);
    w->beyond = CT_NEW_ARRAY(arena, double, size);
    w->step = CT_NEW_ARRAY(arena, double, count);
    w->next = CT_NEW_ARRAY(arena, double, count);
    w->scale = CT_NEW_ARRAY(arena, double, count);
    w->origin = CT_NEW_ARRAY(arena, double, count);
    w->along = CT_NEW_ARRAY(arena, double, size);
    w->critical = CT_NEW_ARRAY(arena, double, problem->limited);
    w->part = 1;
    w->most_iterations = MOST_ITERATIONS;
    return w;
}

void ct_newton_free(ct_newton *newton)
{
    if (newton)
        ct_linear_free(newton->linear);
}

void ct_newton_count(const ct_newton *newton, ct_run_stats *stats)
{
    stats->rhs_evals += newton->evaluations;
    stats->jac_evals += newton->jacobians;
    stats->newton_iters += newton->iterations;
    stats->factorizations += newton->linear->factor_count;
}

bool ct_newton_evaluate(ct_newton *newton, double t, const double *z)
{
    newton->evaluations++;
    newton->problem->evaluate(newton->problem->user, t, z, newton->fg);
    for (uint32_t i = 0; newton->part < 1 && i < newton->count; i++)
        newton->fg[newton->first + i] -= (1 - newton->part) * newton->origin[i];
    if (ct_all_finite(newton->count, newton->fg + newton->first))
        return true;
    for (uint32_t i = newton->first; i < newton->first + newton->count; i++)
        if (!isfinite(newton->fg[i])) {
            newton->culprit = i;
            break;
        }
    return false;
}

void ct_newton_jacobian(ct_newton *newton, double t, const double *z)
{
    const ct_problem *p = newton->problem;
    newton->jacobians++;
    p->jacobian(p->user, t, z, newton->jacobian);
    ct_pattern_gather(&newton->pattern, newton->size, p->start, newton->jacobian,
                      newton->linear->value);
}

static ct_solve_status factor(ct_newton *w, double t, const double *z)
{
    ct_newton_jacobian(w, t, z);
    ct_solve_status status = ct_linear_factor(w->linear);
    if (status == CT_SOLVED && w->linear->pivot_ratio < w->weakest_pivot)
        status = CT_SINGULAR;
    if (status != CT_SOLVED && w->linear->singular_at != UINT32_MAX)
        w->culprit = w->first + w->linear->singular_at;
    return status;
}

/* d = -J^-1 F with the factors at hand. */
static void correction(ct_newton *w, double *d)
{
    for (uint32_t i = 0; i < w->count; i++)
        d[i] = -w->fg[w->first + i];
    ct_linear_solve(w->linear, d);
}

static void set_scale(ct_newton *w, const double *z)
{
    for (uint32_t i = 0; i < w->count; i++)
        w->scale[i] = fabs(z[w->first + i]) + ct_typical(w->problem, w->first + i);
}

static double size_of(ct_newton *w, const double *d)
{
    double most = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        double size = fabs(d[i]) / w->scale[i];
        if (!(size <= most)) {
            most = size;
            w->culprit = w->first + i;
        }
    }
    return most;
}

static bool negligible(const ct_newton *w, const double *z, const double *d)
{
    for (uint32_t i = 0; i < w->count; i++) {
        double goal = relative_goal * fabs(z[w->first + i]) +
                      absolute_goal * ct_typical(w->problem, w->first + i);
        if (!(fabs(d[i]) <= goal))
            return false;
    }
    return true;
}

static void move(const ct_newton *w, const double *z, double factor, const double *d, double *to)
{
    memcpy(to, z, w->size * sizeof *to);
    for (uint32_t i = 0; i < w->count; i++)
        to[w->first + i] = z[w->first + i] + factor * d[i];
}

/* The damping factor that the nonlinearity seen at `damping` asks for. */
static double damping_estimate(ct_newton *w, double damping, double size)
{
    double bend = 0;
    for (uint32_t i = 0; i < w->count; i++)
        bend = fmax(bend, fabs(w->next[i] - (1 - damping) * w->step[i]) / w->scale[i]);
    return bend > 0 ? 0.5 * size * damping * damping / bend : 1;
}

/* A full step that shrinks the correction only by a constant factor is one of many of its kind: far
 * out on an exponential each gains one unit of its argument. Doubles it while that pays. */
static void reach_further(ct_newton *w, double t, const double *z, double size, double next_size)
{
    if (next_size < 0.2 * size)
        return;
    for (double factor = 2; factor <= 4096; factor *= 2) {
        move(w, z, factor, w->step, w->beyond);
        if (!ct_newton_evaluate(w, t, w->beyond))
            break;
        correction(w, w->next);
        double far_size = size_of(w, w->next);
        if (!(far_size < 0.5 * next_size))
            break;
        next_size = far_size;
        memcpy(w->trial, w->beyond, w->size * sizeof *w->trial);
    }
    ct_newton_evaluate(w, t, w->trial);
    correction(w, w->next);
}

/* Moves z by the largest damped step that is accepted; 0: none is. */
static double damped_step(ct_newton *w, double t, double *z, double size, double damping,
                          double *next_damping)
{
    while (damping >= least_damping) {
        move(w, z, damping, w->step, w->trial);
        if (!ct_newton_evaluate(w, t, w->trial)) {
            damping /= 4;
            continue;
        }
        correction(w, w->next);
        double next_size = size_of(w, w->next), estimate = damping_estimate(w, damping, size);
        if (next_size <= (1 - damping / 4) * size) {
            if (damping == 1)
                reach_further(w, t, z, size, next_size);
            memcpy(z, w->trial, w->size * sizeof *z);
            *next_damping = fmin(1, fmax(2 * damping, estimate));
            return damping;
        }
        damping =
            isfinite(next_size) ? fmin(damping / 2, fmax(estimate, damping / 100)) : damping / 4;
    }
    return 0;
}

/* Rounding errors of the equations, eps sum |J_ij z_j|, in w->beyond. An unknown near zero is known
 * up to its absolute goal. */
static void estimate_noise(ct_newton *w, const double *z)
{
    const ct_problem *p = w->problem;
    memset(w->beyond, 0, w->size * sizeof *w->beyond);
    for (uint32_t j = 0; j < w->size; j++) {
        double ulp = DBL_EPSILON * fabs(z[j]) + absolute_goal / most_ulps * ct_typical(p, j);
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            w->beyond[p->row[k]] += fabs(w->jacobian[k]) * ulp;
    }
}

/* What rounding makes of a correction: J^-1 r, with r as large as the rounding errors of the
 * equations, eps sum |J_ij z_j|, and some signs. Small differences of large currents end here. */
static double rounding_size(ct_newton *w, const double *z)
{
    double most = 0;
    estimate_noise(w, z);
    for (uint32_t signs = 1; signs <= 3; signs++) {
        for (uint32_t i = 0; i < w->count; i++)
            w->next[i] = w->beyond[w->first + i] * ((i * signs / 2) % 2 ? -1 : 1);
        ct_linear_solve(w->linear, w->next);
        most = fmax(most, size_of(w, w->next));
    }
    return most;
}

/* Is each equation met up to its own rounding errors? What rounding_size left in w->beyond. */
static bool rows_are_noise(ct_newton *w, double t, const double *z)
{
    if (!ct_newton_evaluate(w, t, z))
        return false;
    for (uint32_t i = w->first; i < w->first + w->count; i++)
        if (!(fabs(w->fg[i]) <= most_ulps * w->beyond[i]))
            return false;
    return true;
}

/* Is a correction but noise? Where the Jacobian is nearly singular, noise of one row explains
 * corrections that come from another: so each row must be met, too. A minimum of |g| that is no
 * root is not accepted. */
static bool is_noise(ct_newton *w, double t, const double *z, double size)
{
    uint32_t culprit = w->culprit;
    double noise = size <= most_noise ? rounding_size(w, z) : 0;
    w->culprit = culprit;
    return size <= 8 * noise && rows_are_noise(w, t, z);
}

/* No damped step makes the correction smaller. */
static bool within_noise(ct_newton *w, double t, const double *z, double size)
{
    return size <= noise_level || is_noise(w, t, z, size);
}

/* How much the Jacobian at z differs from the one that was factored, entry by entry: 0 not at all,
 * 1 in all its digits. */
static double change_of_slope(ct_newton *w, double t, const double *z)
{
    const ct_problem *p = w->problem;
    double most = 0;
    p->jacobian(p->user, t, z, w->again);
    w->jacobians++;
    for (uint32_t k = 0; k < p->start[w->size]; k++) {
        double a = w->jacobian[k], b = w->again[k];
        if (a != b)
            most = fmax(most, fabs(a - b) / fmax(fabs(a), fabs(b)));
    }
    return most;
}

/* Then the equations are linear, and a correction that vanishes after a full step says all. */
static bool is_linear(ct_newton *w, double t, const double *z)
{
    return change_of_slope(w, t, z) == 0;
}

/* A correction by the old Jacobian means nothing far down an exponential, where the slope is
 * another within a hair. */
static bool slope_is_kept(ct_newton *w, double t, const double *z)
{
    return change_of_slope(w, t, z) <= most_change;
}

/* Beyond a kink the slope is another: where it is flat, no correction by the old one shrinks
 * enough. There the whole step is taken when it leaves no equation worse. */
static bool step_over_kink(ct_newton *w, double t, double *z, double size)
{
    const double beside = 1e-9; /* of the step */
    bool better = false;
    move(w, z, fmax(beside, most_ulps * DBL_EPSILON / size), w->step, w->trial);
    if (change_of_slope(w, t, w->trial) <= most_change || !ct_newton_evaluate(w, t, z))
        return false; /* a kink is right here, or it is none */
    memcpy(w->next, w->fg + w->first, w->count * sizeof *w->next);
    estimate_noise(w, z);
    move(w, z, 1, w->step, w->trial);
    if (!ct_newton_evaluate(w, t, w->trial))
        return false;
    for (uint32_t i = 0; i < w->count; i++) {
        double before = fabs(w->next[i]), after = fabs(w->fg[w->first + i]);
        if (!(after <= before + most_ulps * w->beyond[w->first + i]))
            return false;
        better |= after < 0.99 * before - most_ulps * w->beyond[w->first + i];
    }
    if (better)
        memcpy(z, w->trial, w->size * sizeof *z);
    return better;
}

/* The rest of a linear system with the factors at hand: corrections until they vanish, or are as
 * small as rounding lets them be. */
static bool refine(ct_newton *w, double t, double *z)
{
    double before = INFINITY;
    for (int i = 0; i < 4; i++) {
        double size = size_of(w, w->next);
        bool last = negligible(w, z, w->next);
        if (!last && !(size < 0.5 * before))
            return size <= noise_level;
        move(w, z, 1, w->next, z);
        if (last)
            return true;
        if (!ct_newton_evaluate(w, t, z))
            return false;
        correction(w, w->next);
        before = size;
    }
    return false;
}

/* Corrections vanish at z. In an ill-conditioned system they may do so far from a solution: then
 * the equations are not met, and each iteration still makes them smaller. */
static bool accept(ct_newton *w, double t, const double *z)
{
    double most = 1, left = 0; /* of the row that misses most, by its noise */
    if (!ct_newton_evaluate(w, t, z))
        return false;
    estimate_noise(w, z);
    for (uint32_t i = w->first; i < w->first + w->count; i++) {
        double excess = w->beyond[i] > 0 ? fabs(w->fg[i]) / (most_ulps * w->beyond[i]) : 0;
        left = excess > most ? fabs(w->fg[i]) : left;
        most = fmax(most, excess);
    }
    bool good = !(left < 0.7 * w->left) || left == 0;
    w->left = left;
    return good;
}

static ct_solve_status iterate(ct_newton *w, double t, double *z, double *damping, bool *done)
{
    const double of_the_last = 1e-6;
    ct_solve_status status = factor(w, t, z);
    if (status != CT_SOLVED)
        return status;
    w->iterations++;
    correction(w, w->step);
    if (!ct_all_finite(w->count, w->step))
        return CT_SINGULAR;
    set_scale(w, z);
    double size = size_of(w, w->step);
    w->correction = size;
    *done = true;
    if (negligible(w, z, w->step)) {
        move(w, z, 1, w->step, z);
        *done = accept(w, t, z);
        return CT_SOLVED;
    }
    double used = damped_step(w, t, z, size, *damping, damping);
    if (used == 0 && size <= near && step_over_kink(w, t, z, size)) {
        *done = false;
        *damping = 1;
        return CT_SOLVED;
    }
    if (used == 0)
        return within_noise(w, t, z, size) ? CT_SOLVED : CT_NO_CONVERGENCE;
    if (used == 1 && size <= near && negligible(w, z, w->next) && slope_is_kept(w, t, z)) {
        move(w, z, 1, w->next, z);
        *done = accept(w, t, z);
        return CT_SOLVED;
    }
    if (used == 1 && size_of(w, w->next) <= of_the_last * size && is_linear(w, t, z) &&
        refine(w, t, z))
        return CT_SOLVED;
    *done = false;
    return CT_SOLVED;
}

ct_solve_status ct_newton_solve(ct_newton *newton, double t, double *z)
{
    double damping = 1;
    newton->culprit = UINT32_MAX;
    if (newton->count == 0)
        return CT_SOLVED;
    if (newton->problem->limited)
        return ct_newton_limited(newton, t, z);
    if (!ct_newton_evaluate(newton, t, z))
        return CT_NOT_FINITE;
    double least = INFINITY;
    newton->left = INFINITY;
    for (int i = 0, stalled = 0; i < newton->most_iterations; i++) {
        bool done = false;
        ct_solve_status status = iterate(newton, t, z, &damping, &done);
        if (status != CT_SOLVED || done)
            return status;
        stalled += newton->correction <= most_noise && newton->correction > 0.5 * least;
        least = fmin(least, newton->correction);
        if (stalled >= MOST_STALLED && is_noise(newton, t, z, newton->correction))
            return CT_SOLVED;
    }
    return CT_NO_CONVERGENCE;
}

double ct_newton_uncertain(ct_newton *newton, double t, const double *z, uint32_t *which)
{
    uint32_t culprit = newton->culprit;
    *which = UINT32_MAX;
    if (!newton->count)
        return 0;
    if (factor(newton, t, z) != CT_SOLVED)
        return INFINITY;
    set_scale(newton, z);
    double size = rounding_size(newton, z), left = INFINITY;
    uint32_t most = newton->culprit;
    if (ct_newton_evaluate(newton, t, z)) {
        correction(newton, newton->next);
        left = size_of(newton, newton->next);
    }
    *which = left > size ? newton->culprit : most;
    size = fmax(left, size);
    newton->culprit = culprit;
    return isnan(size) ? INFINITY : size;
}

/* g(t, x(t), w(t)) = 0 all along, hence g_w w' = -(g_x f + g_t). */
void ct_newton_rate(ct_newton *newton, double t, double later, const double *z, const double *fg,
                    double *dw)
{
    const ct_problem *p = newton->problem;
    memset(dw, 0, newton->count * sizeof *dw);
    if (newton->count == 0 || factor(newton, t, z) != CT_SOLVED)
        return;
    if (later > t && ct_newton_evaluate(newton, later, z))
        for (uint32_t i = 0; i < newton->count; i++)
            dw[i] = -(newton->fg[p->n + i] - fg[p->n + i]) / (later - t);
    for (uint32_t j = 0; j < p->n; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] >= p->n)
                dw[p->row[k] - p->n] -= newton->jacobian[k] * fg[j];
    ct_linear_solve(newton->linear, dw);
    if (!ct_all_finite(newton->count, dw))
        memset(dw, 0, newton->count * sizeof *dw);
}

/* limit.c - Newton's method with limited steps, for lifted problems.
 *
 * A lifted problem has the arguments u of exponentials as unknowns of their own, at its end. A full
 * step is taken, but far up an exponential u moves as if its value and not its argument had been
 * the unknown: exp(u) grows by the factor 1 + d, u by log(1 + d). This is the limiting of junction
 * voltages in SPICE, for any exponential.
 */
#include <math.h>
#include <string.h>

#include "solve/newton.h"
#include "solve/nvector.h"

static const double goal = 1e-12, noise = 1e-2;       /* corrections below it may stop shrinking */
static const double free_argument = 4, free_step = 1; /* below both nothing is limited */

static double limited_step(double u, double step)
{
    double to = u + step;
    if (to <= free_argument || step <= free_step)
        return step;
    return (u > 0 ? u + log1p(step) : log1p(to)) - u;
}

/* Moves z by the step; the largest part of it, by the size of its unknown. INFINITY: limited. */
static double move(ct_newton *w, double *z)
{
    uint32_t plain = w->count - w->problem->limited;
    double most = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        double *at = &z[w->first + i];
        double step = i < plain ? w->step[i] : limited_step(*at, w->step[i]);
        double unit = fabs(*at) + (i < plain ? ct_typical(w->problem, w->first + i) : 1);
        most = fmax(most, step == w->step[i] ? fabs(step) / unit : INFINITY);
        *at += step;
    }
    return most;
}

ct_solve_status ct_newton_limited(ct_newton *w, double t, double *z)
{
    double before = INFINITY;
    for (int i = 0; i < w->most_iterations; i++) {
        if (!ct_newton_evaluate(w, t, z))
            return CT_NOT_FINITE;
        ct_newton_jacobian(w, t, z);
        ct_solve_status status = ct_linear_factor(w->linear);
        if (status != CT_SOLVED)
            return status;
        w->iterations++;
        for (uint32_t k = 0; k < w->count; k++)
            w->step[k] = -w->fg[w->first + k];
        ct_linear_solve(w->linear, w->step);
        if (!ct_all_finite(w->count, w->step))
            return CT_SINGULAR;
        double size = move(w, z);
        if (size <= goal || (size <= noise && size > 0.5 * before))
            return CT_SOLVED;
        before = size;
    }
    return CT_NO_CONVERGENCE;
}

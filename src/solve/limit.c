/* limit.c - Newton's method with limited steps, for lifted problems.
 *
 * A lifted problem has the arguments u of exponentials as unknowns of their own, at its end. A full
 * step is taken, but far up an exponential u moves as if its value and not its argument had been
 * the unknown: exp(u) grows by the factor 1 + d, u by log(1 + d). This is the limiting of junction
 * voltages in SPICE, for any exponential. Far up begins where the exponential counts more than the
 * rest of its equation; below that, u moves freely. Less is better than more: Newton's method comes
 * up to a solution in one such step. Down to it, it would go by one unit of u at a time: two such
 * steps in a row tell that, and the third is taken by the value of the exponential as well.
 */
#include <math.h>
#include <string.h>

#include "solve/newton.h"
#include "solve/nvector.h"

static const double goal = 1e-12, noise = 1e-2; /* corrections below it may stop shrinking */
static const double free_step = 1;              /* a shorter one up is not limited */
static const double least_critical = 4, most_critical = 60, margin = 4;
static const double slack = 20;     /* of an unknown beyond its argument that was limited */
static const double deepest = -1e6; /* arguments below have lost the digits that matter */

static bool is_unit_down(double step)
{
    return fabs(step + 1) < 0.1;
}

static double limited_step(double u, double step, double before, double critical)
{
    bool down = is_unit_down(step) && is_unit_down(before) && u > critical;
    bool up = step > free_step && u + step > critical;
    if (down || up)
        return fmax(u + log1p(fmax(step, -1)), critical) - u;
    return step;
}

/* Steps of arguments as their rows say, u(z) - u + (du/dz) dz, for steps of the rest. Where a chain
 * amplifies by 1e60 those of the linear equations are but rounding errors. */
static void renew_arguments(const ct_newton *w, const double *step, double *argument)
{
    const ct_problem *p = w->problem;
    uint32_t plain = w->size - p->limited;
    memcpy(argument, w->fg + plain, p->limited * sizeof *argument);
    for (uint32_t j = w->first; j < w->size; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] >= plain && p->row[k] != j)
                argument[p->row[k] - plain] += w->jacobian[k] * step[j - w->first];
}

/* An unknown that alone moves an argument goes as far as that does: an output between junctions
 * does not run away by what its stage amplifies. */
static double part_of(const ct_newton *w, const double *taken, uint32_t column)
{
    const ct_problem *p = w->problem;
    uint32_t plain = w->size - p->limited;
    double part = 1;
    for (uint32_t k = p->start[column]; k < p->start[column + 1]; k++) {
        if (p->row[k] < plain)
            continue;
        uint32_t i = p->row[k] - w->first;
        double own = w->jacobian[k] * w->step[column - w->first];
        if (taken[i] < w->step[i] && own > 0.5 * w->step[i] && own < 2 * w->step[i])
            part = fmin(part, (taken[i] + slack) / w->step[i]);
    }
    return part;
}

/* What is taken of each step. Arguments that would fall far follow the unknowns that were held
 * back. */
static void limit_steps(ct_newton *w, const double *z, double *taken)
{
    uint32_t plain = w->count - w->problem->limited;
    const double *u = z + w->first + plain;
    double *step = w->step + plain, *follow = w->trial;
    renew_arguments(w, w->step, step);
    for (uint32_t i = 0; i < w->problem->limited; i++)
        taken[plain + i] = limited_step(u[i], step[i], w->next[plain + i], w->critical[i]);
    for (uint32_t i = 0; i < plain; i++)
        taken[i] = w->step[i] * part_of(w, taken, w->first + i);
    renew_arguments(w, taken, follow);
    for (uint32_t i = 0; i < w->problem->limited; i++)
        if (u[i] + step[i] < deepest)
            taken[plain + i] = fmax(step[i], fmin(follow[i], 0));
    memcpy(w->next, w->step, w->count * sizeof *w->next);
}

/* Moves z by the step; the largest part of it, by the size of its unknown. INFINITY: limited. */
static double move(ct_newton *w, double *z)
{
    uint32_t plain = w->count - w->problem->limited;
    double most = 0, *taken = w->scale;
    limit_steps(w, z, taken);
    for (uint32_t i = 0; i < w->count; i++) {
        double *at = &z[w->first + i];
        double unit = fabs(*at) + (i < plain ? ct_typical(w->problem, w->first + i) : 1);
        most = fmax(most, taken[i] == w->step[i] ? fabs(taken[i]) / unit : INFINITY);
        *at += taken[i];
    }
    return most;
}

/* ---- where exponentials begin to matter */

static double entry(const ct_newton *w, uint32_t row, uint32_t column)
{
    const ct_problem *p = w->problem;
    uint32_t low = p->start[column], high = p->start[column + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->start[column + 1] && p->row[low] == row ? fabs(w->jacobian[low]) : 0;
}

/* By the unknown z_j, of which u depends with slope a: rows that hold z_j themselves and exp(u)
 * with a factor c. From c a exp(u) = J_ij on the exponential counts more than the rest. */
static double critical_by(const ct_newton *w, uint32_t column, double a, uint32_t u)
{
    const ct_problem *p = w->problem;
    double most = 0;
    for (uint32_t k = p->start[u]; k < p->start[u + 1]; k++) {
        double c = fabs(w->jacobian[k]) * a, own = c > 0 ? entry(w, p->row[k], column) : 0;
        if (p->row[k] < w->size - p->limited && p->row[k] >= w->first && own > c)
            most = fmax(most, log(own / c));
    }
    return most;
}

void ct_newton_lower_critical(ct_newton *w, double by)
{
    for (uint32_t k = 0; k < w->problem->limited; k++)
        w->critical[k] = fmax(least_critical, w->critical[k] - by);
}

void ct_newton_find_critical(ct_newton *w, double t, double *z)
{
    const ct_problem *p = w->problem;
    uint32_t plain = w->size - p->limited;
    memset(z + plain, 0, p->limited * sizeof *z);
    p->jacobian(p->user, t, z, w->jacobian);
    w->jacobians++;
    for (uint32_t k = 0; k < p->limited; k++)
        w->critical[k] = least_critical;
    for (uint32_t j = 0; j < plain; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++) {
            if (p->row[k] < plain)
                continue;
            double *critical = &w->critical[p->row[k] - plain];
            double by = critical_by(w, j, fabs(w->jacobian[k]), p->row[k]) - margin;
            *critical = fmin(fmax(*critical, by), most_critical);
        }
}

ct_solve_status ct_newton_limited(ct_newton *w, double t, double *z)
{
    double before = INFINITY;
    memset(w->next, 0, w->count * sizeof *w->next);
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

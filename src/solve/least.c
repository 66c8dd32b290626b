/* least.c - r(y) = 0 with the least change of y: Gauss-Newton, Levenberg-Marquardt when it fails.
 */
#include "solve/least.h"

#include <math.h>
#include <string.h>

#include "solve/nvector.h"
#include "solve/nvector_kernel.h"

enum { MOST_ITERATIONS = 300, STILL_ITERATIONS = 5, POLISH_ITERATIONS = 3 };
static const double first_mu = 1e-6, largest_mu = 1e8;
static const double standstill = 1e-6; /* relative decrease of the norm that counts as none */

static double scaled_norm(const ct_least *l, const double *r)
{
    return sqrt(ct_kernel_squares(l->rows, r, l->row_scale));
}

/* Jacobian at y, scales, and r scaled; gives the norm of r under the new scales. */
static double linearize(ct_least *l, const ct_residual *residual, const ct_least_goal *goal,
                        const double *y)
{
    residual->jacobian(residual->user, y, l->value);
    if (goal->scale)
        goal->scale(goal->user, l, y);
    for (uint32_t j = 0; j < l->cols; j++)
        for (uint32_t k = l->start[j]; k < l->start[j + 1]; k++)
            l->value[k] *= l->row_scale[l->row[k]] * l->column_scale[j];
    for (uint32_t i = 0; i < l->rows; i++)
        l->r[i] *= l->row_scale[i];
    ct_least_decompose(l);
    return sqrt(ct_kernel_dot(l->rows, l->r, l->r));
}

/* The norm of r at y + step, in the present scales; INFINITY when it is not finite. */
static double try_step(ct_least *l, const ct_residual *residual, const double *y)
{
    for (uint32_t j = 0; j < l->cols; j++)
        l->y[j] = y[j] + l->step[j];
    if (!ct_all_finite(l->cols, l->y))
        return INFINITY;
    residual->evaluate(residual->user, l->y, l->trial_r);
    if (!ct_all_finite(l->rows, l->trial_r))
        return INFINITY;
    return scaled_norm(l, l->trial_r);
}

/* Raises mu until the norm becomes smaller; INFINITY: it cannot. */
static double improve(ct_least *l, const ct_residual *residual, double *y, double norm, double *mu)
{
    while (*mu <= largest_mu) {
        if (ct_least_step(l, *mu) != CT_SOLVED)
            return INFINITY;
        double next = try_step(l, residual, y);
        if (next < norm) {
            memcpy(y, l->y, l->cols * sizeof *y);
            memcpy(l->r, l->trial_r, l->rows * sizeof *l->r);
            *mu = *mu > first_mu ? *mu / 10 : 0;
            return next;
        }
        *mu = *mu > 0 ? *mu * 10 : first_mu;
    }
    return INFINITY;
}

ct_solve_status ct_least_iterate(ct_least *least, const ct_residual *residual,
                                 const ct_least_goal *goal, double *y, double *norm)
{
    double mu = 0;
    int still = 0, polish = 0;
    residual->evaluate(residual->user, y, least->r);
    *norm = scaled_norm(least, least->r);
    if (!ct_all_finite(least->rows, least->r))
        return CT_NOT_FINITE;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        *norm = linearize(least, residual, goal, y);
        if (!ct_all_finite(least->count, least->value))
            return CT_NOT_FINITE;
        if (*norm == 0 || (*norm <= goal->goal && polish++ == POLISH_ITERATIONS))
            return CT_SOLVED;
        double next = improve(least, residual, y, *norm, &mu);
        if (next == INFINITY || least->cols == 0)
            return *norm <= goal->goal ? CT_SOLVED : CT_SINGULAR;
        still = next > (1 - standstill) * *norm ? still + 1 : 0;
        *norm = next;
        if (still == STILL_ITERATIONS)
            return next <= goal->goal ? CT_SOLVED : CT_SINGULAR;
    }
    return CT_NO_CONVERGENCE;
}

typedef struct least_job {
    ct_context *ctx;
    const ct_residual *residual;
    double tolerance, *y, *norm;
    ct_arena *arena;
    ct_least *least;
    ct_solve_status status;
} least_job;

static void prepare(void *user)
{
    least_job *j = user;
    const ct_residual *r = j->residual;
    j->arena = ct_arena_new(j->ctx);
    j->least = ct_least_new(j->arena, r->rows, r->cols, r->start, r->row);
}

static void iterate(void *user)
{
    const double usual = 1e-12;
    least_job *j = user;
    ct_least_goal goal = {.goal = j->tolerance > 0 ? j->tolerance : usual};
    j->status = ct_least_iterate(j->least, j->residual, &goal, j->y, j->norm);
}

ct_solve_status ct_least_change(ct_context *ctx, const ct_residual *residual, double tolerance,
                                double *y, double *norm)
{
    least_job j = {.ctx = ctx, .residual = residual, .tolerance = tolerance, .y = y, .norm = norm};
    *norm = 0;
    if (residual->rows == 0)
        return CT_SOLVED;
    if (ct_protect(ctx, prepare, &j) != CT_OK) {
        ct_arena_free(j.arena);
        return CT_NO_MEMORY_LEFT;
    }
    ct_status thrown = ct_protect(ctx, iterate, &j);
    ct_least_free(j.least);
    ct_arena_free(j.arena);
    if (thrown != CT_OK)
        ct_throw(ctx, thrown);
    return j.status;
}

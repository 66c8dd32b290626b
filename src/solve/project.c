/* project.c - x + d with J d = -c and the least |d|: d = -J^T (J J^T)^-1 c.
 *
 * Few rows: Cholesky of J J^T, rows that depend on others (a singular position) left alone. Many:
 * the sparse augmented matrix of ct_least.
 */
#include "solve/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/least.h"
#include "solve/nvector.h"

enum { DENSE_ROWS = 48, MOST_ITERATIONS = 12 };
static const double rounding = 16 * DBL_EPSILON; /* of the largest x: c is not smaller than that */
static const double dependent = 1e-13;           /* part of a diagonal that is left: none */
static const double enough = 1e-6;               /* |c| that may be left where it cannot vanish */

struct ct_projector {
    const ct_problem *problem;
    uint32_t rows, cols, count;
    double *c, *slope, *x, *step, *normal, *y;
    ct_least *least; /* NULL: dense */
    double left;
};

ct_projector *ct_projector_new(ct_arena *arena, const ct_problem *problem)
{
    if (!problem->invariant_count)
        return NULL;
    ct_projector *p = CT_NEW(arena, ct_projector);
    uint32_t rows = problem->invariant_count, cols = problem->n;
    *p = (ct_projector){.problem = problem, .rows = rows, .cols = cols};
    p->count = problem->invariant_start[cols];
    p->c = CT_NEW_ARRAY(arena, double, rows);
    p->y = CT_NEW_ARRAY(arena, double, rows);
    p->x = CT_NEW_ARRAY(arena, double, cols + problem->m);
    p->step = CT_NEW_ARRAY(arena, double, cols);
    p->slope = CT_NEW_ARRAY(arena, double, p->count);
    if (rows <= DENSE_ROWS)
        p->normal = CT_NEW_ARRAY(arena, double, (size_t)rows *rows);
    else
        p->least =
            ct_least_new(arena, rows, cols, problem->invariant_start, problem->invariant_row);
    return p;
}

void ct_projector_free(ct_projector *p)
{
    if (p)
        ct_least_free(p->least);
}

double ct_projector_left(const ct_projector *p)
{
    return p->left;
}

/* ---- one step, few rows */

static void form_normal(ct_projector *p)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    uint32_t n = p->rows;
    memset(p->normal, 0, (size_t)n * n * sizeof *p->normal);
    for (uint32_t j = 0; j < p->cols; j++)
        for (uint32_t a = start[j]; a < start[j + 1]; a++)
            for (uint32_t b = start[j]; b <= a; b++)
                p->normal[row[a] * n + row[b]] += p->slope[a] * p->slope[b];
}

/* L L^T in the lower triangle; a row that depends on those before it gets a zero diagonal. */
static void factor_normal(ct_projector *p)
{
    uint32_t n = p->rows;
    double *l = p->normal;
    for (uint32_t i = 0; i < n; i++) {
        double whole = l[i * n + i], sum = whole;
        for (uint32_t j = 0; j < i; j++) {
            double part = l[i * n + j];
            for (uint32_t k = 0; k < j; k++)
                part -= l[i * n + k] * l[j * n + k];
            part = l[j * n + j] > 0 ? part / l[j * n + j] : 0;
            l[i * n + j] = part;
            sum -= part * part;
        }
        l[i * n + i] = sum > dependent * whole ? sqrt(sum) : 0;
    }
}

static void solve_normal(ct_projector *p)
{
    uint32_t n = p->rows;
    const double *l = p->normal;
    for (uint32_t i = 0; i < n; i++) {
        double sum = p->c[i];
        for (uint32_t k = 0; k < i; k++)
            sum -= l[i * n + k] * p->y[k];
        p->y[i] = l[i * n + i] > 0 ? sum / l[i * n + i] : 0;
    }
    for (uint32_t i = n; i-- > 0;) {
        double sum = p->y[i];
        for (uint32_t k = i + 1; k < n; k++)
            sum -= l[k * n + i] * p->y[k];
        p->y[i] = l[i * n + i] > 0 ? sum / l[i * n + i] : 0;
    }
}

static void dense_step(ct_projector *p)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    form_normal(p);
    factor_normal(p);
    solve_normal(p);
    for (uint32_t j = 0; j < p->cols; j++) {
        double sum = 0;
        for (uint32_t a = start[j]; a < start[j + 1]; a++)
            sum += p->slope[a] * p->y[row[a]];
        p->step[j] = -sum;
    }
}

/* ---- many rows */

static ct_solve_status sparse_step(ct_projector *p)
{
    memcpy(p->least->value, p->slope, p->count * sizeof *p->slope);
    memcpy(p->least->r, p->c, p->rows * sizeof *p->c);
    ct_least_decompose(p->least);
    return ct_least_step(p->least, 0);
}

/* ---- iteration */

static double largest(uint32_t n, const double *x)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* x := x + step, with c there; false: it would be worse, and nothing is changed. */
static bool try_step(ct_projector *p, double t, const double *step)
{
    for (uint32_t j = 0; j < p->cols; j++)
        p->x[j] += step[j];
    p->problem->invariants(p->problem->user, t, p->x, p->c);
    double left = largest(p->rows, p->c);
    if (ct_all_finite(p->rows, p->c) && left < p->left) {
        p->left = left;
        return true;
    }
    for (uint32_t j = 0; j < p->cols; j++)
        p->x[j] -= step[j];
    return false;
}

ct_solve_status ct_project(ct_projector *p, double t, double *z)
{
    const ct_problem *problem = p->problem;
    memcpy(p->x, z, (p->cols + problem->m) * sizeof *z);
    problem->invariants(problem->user, t, p->x, p->c);
    p->left = largest(p->rows, p->c);
    if (!ct_all_finite(p->rows, p->c))
        return CT_NOT_FINITE;
    double goal = rounding * fmax(1e-3, largest(p->cols, z));
    for (int i = 0; i < MOST_ITERATIONS && p->left > goal; i++) {
        problem->invariant_slope(problem->user, t, p->x, p->slope);
        if (!ct_all_finite(p->count, p->slope))
            break;
        if (p->least && sparse_step(p) != CT_SOLVED)
            break;
        if (!p->least)
            dense_step(p);
        if (!try_step(p, t, p->least ? p->least->step : p->step))
            break;
    }
    if (p->left > enough)
        return CT_NO_CONVERGENCE;
    memcpy(z, p->x, p->cols * sizeof *z);
    return CT_SOLVED;
}

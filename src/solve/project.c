/* project.c - x + d with J d = -c and the least |d|: d = -J^T (J J^T)^-1 c. In independent
 * coordinates the columns of these are left out of J, and d is the Newton step of the others.
 *
 * Speeds, and the invariants that are velocities, are measured in units of the largest speed.
 * Otherwise, where it is large, the velocity of a closed loop would be mended by moving its parts.
 * Positions and speeds are met together because velocities tell the branches apart that meet in a
 * singular position.
 *
 * Cholesky of J J^T inside its envelope: rows that follow each other in a chain of loops make it
 * narrow. Rows that depend on others (a singular position) are left alone, and how nearly they do
 * is known from the diagonal. Where the envelope is too wide: the sparse augmented matrix of
 * ct_least.
 */
#include "solve/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/least.h"
#include "solve/nvector.h"
#include "solve/partition.h"

enum { MOST_ITERATIONS = 12, WIDEST = 1 << 20, MOST_DENSE = 1 << 22 };
static const double rounding = 16 * DBL_EPSILON; /* of the largest x: c is not smaller than that */
static const double dependent = 1e-10;           /* part of a diagonal that is left: none */
static const double least_size = 1e-3;           /* of x that rounding is measured by */
static const double enough = 1e-6;               /* |c| that may be left where it cannot vanish */
/* A choice of independent x: margin below which none is good; share of its margin that it may
 * lose. */
static const double least_choice = 0.02, worn = 0.3;

struct ct_projector {
    const ct_problem *problem;
    uint32_t rows, cols, count;
    double *c, *slope, *x, *step, *y;
    double **normal; /* row i of J J^T, then of its factor: columns first[i] .. i */
    uint32_t *first;
    ct_least *least; /* NULL: the envelope serves */
    double left, margin;
    uint32_t weakest;        /* row that the margin is of */
    double best;             /* condition met so far, of the sparse matrix */
    double unit;             /* of speeds */
    ct_partition *partition; /* NULL: all x may change */
    const bool *held;        /* by x: it is independent and stays; NULL: none */
    double chosen;           /* margin of the choice, when it was made */
};

/* Column of the first entry in each row of J J^T; gives the number of entries up to the diagonal.
 */
static uint64_t find_envelope(ct_projector *p)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    uint64_t entries = 0;
    for (uint32_t i = 0; i < p->rows; i++)
        p->first[i] = i;
    for (uint32_t j = 0; j < p->cols; j++)
        for (uint32_t a = start[j]; a < start[j + 1]; a++)
            if (row[start[j]] < p->first[row[a]])
                p->first[row[a]] = row[start[j]];
    for (uint32_t i = 0; i < p->rows; i++)
        entries += i - p->first[i] + 1;
    return entries;
}

ct_projector *ct_projector_new(ct_arena *arena, const ct_problem *problem, bool independent)
{
    if (!problem->invariant_count)
        return NULL;
    ct_projector *p = CT_NEW(arena, ct_projector);
    uint32_t rows = problem->invariant_count, cols = problem->n;
    *p = (ct_projector){.problem = problem,
                        .rows = rows,
                        .cols = cols,
                        .margin = 1,
                        .unit = 1,
                        .weakest = UINT32_MAX};
    p->count = problem->invariant_start[cols];
    p->c = CT_NEW_ARRAY(arena, double, rows);
    p->y = CT_NEW_ARRAY(arena, double, rows);
    p->x = CT_NEW_ARRAY(arena, double, cols + problem->m);
    p->step = CT_NEW_ARRAY(arena, double, cols);
    p->slope = CT_NEW_ARRAY(arena, double, p->count);
    p->first = CT_NEW_ARRAY(arena, uint32_t, rows);
    uint64_t entries = find_envelope(p);
    if (independent && entries <= WIDEST && (uint64_t)rows * cols <= MOST_DENSE)
        p->partition = ct_partition_new(arena, problem);
    if (entries > WIDEST) {
        p->least =
            ct_least_new(arena, rows, cols, problem->invariant_start, problem->invariant_row);
        return p;
    }
    double *room = CT_NEW_ARRAY(arena, double, entries);
    p->normal = CT_NEW_ARRAY(arena, double *, rows);
    for (uint32_t i = 0; i < rows; i++) { /* normal[i][k] is the entry of column k */
        p->normal[i] = room - p->first[i];
        room += i - p->first[i] + 1;
    }
    return p;
}

void ct_projector_free(ct_projector *p)
{
    if (p)
        ct_least_free(p->least);
}

double ct_projector_margin(const ct_projector *p)
{
    return p->margin;
}

uint32_t ct_projector_weakest(const ct_projector *p)
{
    return p->weakest;
}

static double largest(uint32_t n, const double *x)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- units */

static double unit_of(const ct_projector *p, uint32_t column)
{
    return p->problem->speed_state && p->problem->speed_state[column] ? p->unit : 1;
}

static void choose_unit(ct_projector *p)
{
    p->unit = 1;
    for (uint32_t j = 0; p->problem->speed_state && j < p->cols; j++)
        if (p->problem->speed_state[j] &&
            p->problem->invariant_start[j] < p->problem->invariant_start[j + 1])
            p->unit = fmax(p->unit, fabs(p->x[j]));
}

static bool measure(ct_projector *p, double t)
{
    p->problem->invariants(p->problem->user, t, p->x, p->c);
    for (uint32_t i = 0; p->unit != 1 && i < p->rows; i++)
        if (p->problem->speed_invariant[i])
            p->c[i] /= p->unit;
    return ct_all_finite(p->rows, p->c);
}

static bool take_slope(ct_projector *p, double t)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    p->problem->invariant_slope(p->problem->user, t, p->x, p->slope);
    for (uint32_t j = 0; p->unit != 1 && j < p->cols; j++)
        for (uint32_t a = start[j]; a < start[j + 1]; a++)
            p->slope[a] *= unit_of(p, j) / (p->problem->speed_invariant[row[a]] ? p->unit : 1);
    return ct_all_finite(p->count, p->slope);
}

static bool is_held(const ct_projector *p, uint32_t column)
{
    return p->held && p->held[column];
}

/* ---- one step, inside the envelope */

static void form_normal(ct_projector *p)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t k = p->first[i]; k <= i; k++)
            p->normal[i][k] = 0;
    for (uint32_t j = 0; j < p->cols; j++)
        for (uint32_t a = start[j]; a < start[j + 1] && !is_held(p, j); a++)
            for (uint32_t b = start[j]; b <= a; b++)
                p->normal[row[a]][row[b]] += p->slope[a] * p->slope[b];
}

/* L L^T in the lower triangle; a row that depends on those before it gets a zero diagonal. */
static void factor_normal(ct_projector *p)
{
    p->margin = 1;
    p->weakest = UINT32_MAX;
    for (uint32_t i = 0; i < p->rows; i++) {
        double *l = p->normal[i], whole = l[i], sum = whole;
        for (uint32_t j = p->first[i]; j < i; j++) {
            const double *m = p->normal[j];
            double part = l[j];
            uint32_t k = p->first[i] > p->first[j] ? p->first[i] : p->first[j];
            for (; k < j; k++)
                part -= l[k] * m[k];
            l[j] = m[j] > 0 ? part / m[j] : 0;
            sum -= l[j] * l[j];
        }
        l[i] = sum > dependent * whole ? sqrt(sum) : 0;
        double margin = whole > 0 ? sqrt(fmax(sum, 0) / whole) : 1;
        if (margin < p->margin) {
            p->margin = margin;
            p->weakest = i;
        }
    }
}

static void solve_normal(ct_projector *p)
{
    for (uint32_t i = 0; i < p->rows; i++) {
        const double *l = p->normal[i];
        double sum = p->c[i];
        for (uint32_t k = p->first[i]; k < i; k++)
            sum -= l[k] * p->y[k];
        p->y[i] = l[i] > 0 ? sum / l[i] : 0;
    }
    for (uint32_t i = p->rows; i-- > 0;) {
        const double *l = p->normal[i];
        p->y[i] = l[i] > 0 ? p->y[i] / l[i] : 0;
        for (uint32_t k = p->first[i]; k < i; k++)
            p->y[k] -= l[k] * p->y[i];
    }
}

static void envelope_step(ct_projector *p)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    form_normal(p);
    factor_normal(p);
    solve_normal(p);
    for (uint32_t j = 0; j < p->cols; j++) {
        double sum = 0;
        for (uint32_t a = start[j]; a < start[j + 1] && !is_held(p, j); a++)
            sum += p->slope[a] * p->y[row[a]];
        p->step[j] = -sum;
    }
}

/* ---- one step, by the sparse matrix */

static ct_solve_status sparse_step(ct_projector *p)
{
    const uint32_t *start = p->problem->invariant_start;
    for (uint32_t j = 0; j < p->cols; j++)
        for (uint32_t a = start[j]; a < start[j + 1]; a++)
            p->least->value[a] = is_held(p, j) ? 0 : p->slope[a];
    memcpy(p->least->r, p->c, p->rows * sizeof *p->c);
    ct_least_decompose(p->least);
    ct_solve_status status = ct_least_step(p->least, 0);
    double condition = p->least->linear->common.rcond;
    p->best = fmax(p->best, condition);
    p->margin = p->best > 0 ? condition / p->best : 1;
    return status;
}

/* ---- iteration */

/* x := x + step, with c there; false: it would be worse, and nothing is changed. */
static bool try_step(ct_projector *p, double t, const double *step)
{
    for (uint32_t j = 0; j < p->cols; j++)
        p->x[j] += step[j] * unit_of(p, j);
    bool finite = measure(p, t);
    double left = largest(p->rows, p->c);
    if (finite && left < p->left) {
        p->left = left;
        return true;
    }
    for (uint32_t j = 0; j < p->cols; j++)
        p->x[j] -= step[j] * unit_of(p, j);
    return false;
}

ct_solve_status ct_project(ct_projector *p, double t, double *z)
{
    const ct_problem *problem = p->problem;
    memcpy(p->x, z, (p->cols + problem->m) * sizeof *z);
    choose_unit(p);
    if (!measure(p, t))
        return CT_NOT_FINITE;
    p->left = largest(p->rows, p->c);
    double most = least_size;
    for (uint32_t j = 0; j < p->cols; j++)
        most = fmax(most, fabs(z[j]) / unit_of(p, j));
    double goal = rounding * most;
    for (int i = 0; i < MOST_ITERATIONS && (i == 0 || p->left > goal); i++) {
        if (!take_slope(p, t))
            break;
        if (p->least && sparse_step(p) != CT_SOLVED)
            break;
        if (!p->least)
            envelope_step(p);
        if (p->left <= goal || !try_step(p, t, p->least ? p->least->step : p->step))
            break;
    }
    if (p->left > enough)
        return CT_NO_CONVERGENCE;
    memcpy(z, p->x, p->cols * sizeof *z);
    return CT_SOLVED;
}

/* ---- independent x */

bool ct_projector_holds(const ct_projector *p)
{
    return p && p->held;
}

bool ct_projector_choose(ct_projector *p, double t, const double *z)
{
    if (!p->partition)
        return false;
    bool first = p->chosen == 0, poor = !p->held || p->margin < worn * p->chosen;
    memcpy(p->x, z, (p->cols + p->problem->m) * sizeof *z);
    choose_unit(p);
    const bool *held = p->held;
    p->held = NULL;
    if (!take_slope(p, t))
        return false;
    form_normal(p);
    factor_normal(p);
    double margin = p->margin;
    if (margin < least_choice)
        return false;
    p->held = held;
    if (!poor)
        return false;
    p->held = ct_partition_choose(p->partition, p->slope);
    form_normal(p);
    factor_normal(p);
    p->chosen = p->margin;
    p->margin = margin;
    return !first;
}

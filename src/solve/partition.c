/* partition.c - which unknowns of invariants are independent: Gaussian elimination of the slope
 * with complete pivoting. The columns of the pivots become dependent, and these pivots are as
 * large as they can be, so that the dependent ones follow from the others without loss.
 *
 * Invariants that are velocities take their pivots from speeds, the others from the rest: the
 * slope of the first by the speeds is that of the others by the positions.
 */
#include "solve/partition.h"

#include <math.h>
#include <string.h>

static const double none = 1e-10; /* of the largest entry: the row depends on others */

struct ct_partition {
    const ct_problem *problem;
    uint32_t rows, cols;
    double *a;        /* rows times cols */
    double *most;     /* largest entry of each row in a column that may be taken */
    uint32_t *at;     /* its column */
    bool *used;       /* by row */
    bool *held;       /* by column: independent */
    uint32_t *column; /* where the row of the pivot is not zero */
};

ct_partition *ct_partition_new(ct_arena *arena, const ct_problem *problem)
{
    ct_partition *p = CT_NEW(arena, ct_partition);
    uint32_t rows = problem->invariant_count, cols = problem->n;
    *p = (ct_partition){.problem = problem, .rows = rows, .cols = cols};
    p->a = CT_NEW_ARRAY(arena, double, (size_t)rows *cols);
    p->most = CT_NEW_ARRAY(arena, double, rows);
    p->at = CT_NEW_ARRAY(arena, uint32_t, rows);
    p->used = CT_NEW_ARRAY(arena, bool, rows);
    p->held = CT_NEW_ARRAY(arena, bool, cols);
    p->column = CT_NEW_ARRAY(arena, uint32_t, cols);
    return p;
}

static bool may_take(const ct_partition *p, uint32_t row, uint32_t col)
{
    const ct_problem *q = p->problem;
    return p->held[col] && (!q->speed_state || q->speed_state[col] == q->speed_invariant[row]);
}

static void find_most(ct_partition *p, uint32_t row)
{
    const double *a = p->a + (size_t)row * p->cols;
    p->most[row] = 0;
    for (uint32_t j = 0; j < p->cols; j++)
        if (fabs(a[j]) > p->most[row] && may_take(p, row, j)) {
            p->most[row] = fabs(a[j]);
            p->at[row] = j;
        }
}

static void eliminate(ct_partition *p, uint32_t row)
{
    const double *pivot = p->a + (size_t)row * p->cols;
    uint32_t col = p->at[row], count = 0;
    p->held[col] = false;
    p->used[row] = true;
    for (uint32_t j = 0; j < p->cols; j++)
        if (pivot[j] != 0)
            p->column[count++] = j;
    for (uint32_t i = 0; i < p->rows; i++) {
        double *a = p->a + (size_t)i * p->cols;
        if (p->used[i] || a[col] == 0)
            continue;
        double factor = a[col] / pivot[col];
        for (uint32_t k = 0; k < count; k++)
            a[p->column[k]] -= factor * pivot[p->column[k]];
        a[col] = 0;
        find_most(p, i);
    }
}

const bool *ct_partition_choose(ct_partition *p, const double *slope)
{
    const uint32_t *start = p->problem->invariant_start, *row = p->problem->invariant_row;
    double first = 0;
    memset(p->a, 0, (size_t)p->rows * p->cols * sizeof *p->a);
    memset(p->used, 0, p->rows * sizeof *p->used);
    for (uint32_t j = 0; j < p->cols; j++) {
        p->held[j] = true;
        for (uint32_t k = start[j]; k < start[j + 1]; k++)
            p->a[(size_t)row[k] * p->cols + j] = slope[k];
    }
    for (uint32_t i = 0; i < p->rows; i++)
        find_most(p, i);
    for (uint32_t count = 0; count < p->rows; count++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->rows; i++)
            if (!p->used[i] && (best == UINT32_MAX || p->most[i] > p->most[best]))
                best = i;
        first = fmax(first, p->most[best]);
        if (!(p->most[best] > none * first))
            break;
        eliminate(p, best);
    }
    return p->held;
}

/* hessian.c - second derivatives: the Jacobian of the gradient. Both are accumulated in reverse
 * over the shared DAG (jacobian.c), so that what the gradient is made of is derived once however
 * many entries use it. */
#include "compile/program.h"
#include "expr/pool.h"

/* The entries of the gradient, and the column of each. */
static uint32_t list_gradient(const ct_jacobian *gradient, ct_expr *e, uint32_t *column)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < gradient->cols; k++)
        for (uint32_t a = gradient->start[k]; a < gradient->start[k + 1]; a++) {
            e[count] = gradient->entry[a];
            column[count++] = k;
        }
    return count;
}

/* The lower triangle. Row i of the second Jacobian is that of column[i]. */
static const ct_jacobian *take_lower(ct_arena *arena, const ct_jacobian *second,
                                     const uint32_t *column, uint32_t cols)
{
    ct_jacobian *h = CT_NEW(arena, ct_jacobian);
    uint32_t *start = CT_NEW_ARRAY(arena, uint32_t, cols + 1), count = 0;
    uint32_t *row = CT_NEW_ARRAY(arena, uint32_t, second->count);
    ct_expr *entry = CT_NEW_ARRAY(arena, ct_expr, second->count);
    for (uint32_t k = 0; k < cols; k++) {
        for (uint32_t a = second->start[k]; a < second->start[k + 1]; a++) {
            if (column[second->row[a]] < k)
                continue;
            row[count] = column[second->row[a]];
            entry[count++] = second->entry[a];
        }
        start[k + 1] = count;
    }
    *h = (ct_jacobian){cols, cols, count, start, row, entry};
    return h;
}

const ct_jacobian *ct_hessian_new(ct_arena *arena, ct_pool *pool, ct_expr f, const ct_name *x,
                                  uint32_t cols, ct_expr *culprit)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    const ct_jacobian *gradient = ct_jacobian_new(scratch, pool, &f, 1, x, cols, culprit),
                      *h = NULL;
    if (gradient) {
        ct_expr *e = CT_NEW_ARRAY(scratch, ct_expr, gradient->count + 1);
        uint32_t *column = CT_NEW_ARRAY(scratch, uint32_t, gradient->count + 1);
        uint32_t count = list_gradient(gradient, e, column);
        const ct_jacobian *second = ct_jacobian_new(scratch, pool, e, count, x, cols, culprit);
        h = second ? take_lower(arena, second, column, cols) : NULL;
    }
    ct_arena_free(scratch);
    return h;
}

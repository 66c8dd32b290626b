/* range.h - interval arithmetic: between what bounds an expression lies while its symbols do.
 *
 * Bounds are rounded outward, so that a range without zero proves that there is no zero.
 */
#ifndef CT_EXPR_RANGE_H
#define CT_EXPR_RANGE_H

#include "expr/expr.h"

typedef struct ct_bounds {
    double low, high;
} ct_bounds;

/* An expression made ready. */
typedef struct ct_range_plan {
    uint32_t count; /* nodes, operands before users; the last is the expression */
    const struct ct_range_node *node;
    const ct_name *symbol;
    uint32_t symbol_count;
    ct_bounds *memo; /* per node */
    double *number;  /* room for the operands of one */
} ct_range_plan;

ct_range_plan *ct_range_plan_new(ct_arena *arena, ct_pool *pool, ct_expr e);

/* symbol: of each, in the order of the plan. *jumps: it may jump inside. */
ct_bounds ct_range_of(const ct_range_plan *plan, const ct_bounds *symbol, bool *jumps);
/* Its value where each symbol has the lower bound, as programs round it. */
double ct_range_point(const ct_range_plan *plan, const ct_bounds *symbol);

#endif

/* fold.c - exact values of operators and cheap rules for them; each is named in ops.def.
 *
 * A fold returns 0 when it has nothing to say. Values are exact: sin(1) stays sin(1). */
#include "expr/pool.h"

/* A number may be asked for its value. */
static const ct_number *number(const ct_pool *pool, ct_expr e)
{
    return ct_expr_is_number(pool, e) ? ct_number_at(pool, e) : NULL;
}

static ct_expr truth(bool value)
{
    return value ? CT_ONE : CT_ZERO;
}

/* True when both are numbers; then *order compares them. */
static bool order_known(const ct_pool *pool, ct_expr a, ct_expr b, int *order)
{
    const ct_number *x = number(pool, a), *y = number(pool, b);
    *order = 0;
    if (a == b)
        return true;
    if (x && y)
        *order = ct_number_compare(x, y);
    return x && y;
}

ct_expr ct_fold_zero(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)pool, (void)count;
    return x[0] == CT_ZERO ? CT_ZERO : 0;
}

ct_expr ct_fold_one(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)pool, (void)count;
    return x[0] == CT_ZERO ? CT_ONE : 0;
}

/* f(0) = 0, and f undoes the other for every real number. */
static ct_expr fold_inverse(ct_pool *pool, ct_expr x, ct_op other)
{
    if (x == CT_ZERO)
        return CT_ZERO;
    bool undoes = ct_expr_kind_of(pool, x) == CT_EXPR_CALL && ct_expr_op(pool, x) == other;
    return undoes ? ct_expr_operand(pool, x, 0) : 0;
}

ct_expr ct_fold_sinh(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return fold_inverse(pool, x[0], CT_OP_ASINH);
}

ct_expr ct_fold_asinh(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return fold_inverse(pool, x[0], CT_OP_SINH);
}

ct_expr ct_fold_root(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)pool, (void)count;
    return x[0] == CT_ONE ? CT_ZERO : 0;
}

ct_expr ct_fold_log(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    if (ct_is_call(pool, x[0], CT_OP_EXP))
        return ct_expr_operand(pool, x[0], 0);
    return x[0] == CT_ONE ? CT_ZERO : 0;
}

ct_expr ct_fold_atan2(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    const ct_number *right = number(pool, x[1]);
    return x[0] == CT_ZERO && right && ct_number_sign(right) > 0 ? CT_ZERO : 0;
}

ct_expr ct_fold_sqrt(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return ct_expr_pow(pool, x[0], CT_HALF);
}

/* Exact exponents do not come here: they make products. */
ct_expr ct_fold_pow(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)pool, (void)count;
    return x[0] == CT_ONE ? CT_ONE : 0;
}

ct_expr ct_fold_abs(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count; /* a number comes here without its sign */
    bool known = ct_expr_is_number(pool, x[0]) || ct_is_call(pool, x[0], CT_OP_ABS);
    return known ? x[0] : 0;
}

ct_expr ct_fold_sign(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    const ct_number *a = number(pool, x[0]);
    return a ? ct_expr_int(pool, ct_number_sign(a)) : 0;
}

ct_expr ct_fold_step(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    const ct_number *a = number(pool, x[0]);
    return a ? truth(ct_number_sign(a) >= 0) : 0;
}

ct_expr ct_fold_floor(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    const ct_number *a = number(pool, x[0]);
    if (!a)
        return 0;
    ct_number low = ct_number_floor(pool->arena, a);
    return ct_intern_number(pool, &low);
}

/* a - b floor(a/b), which has the sign of b. */
ct_expr ct_fold_mod(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    const ct_number *a = number(pool, x[0]), *b = number(pool, x[1]);
    if (!a || !b || ct_number_sign(b) == 0 || a->form == CT_REAL || b->form == CT_REAL)
        return 0;
    ct_expr quotient = ct_expr_call1(pool, CT_OP_FLOOR, ct_expr_div(pool, x[0], x[1]));
    return ct_expr_sub(pool, x[0], ct_expr_mul(pool, x[1], quotient));
}

ct_expr ct_fold_min(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    int order;
    return order_known(pool, x[0], x[1], &order) ? x[order > 0] : 0;
}

ct_expr ct_fold_max(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    int order;
    return order_known(pool, x[0], x[1], &order) ? x[order < 0] : 0;
}

ct_expr ct_fold_clamp(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    int low, high;
    if (!order_known(pool, x[0], x[1], &low) || !order_known(pool, x[0], x[2], &high))
        return 0;
    return low < 0 ? x[1] : high > 0 ? x[2] : x[0];
}

ct_expr ct_fold_pulse(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    ct_expr phase = ct_fold_mod(pool, x, 2);
    return phase ? ct_fold_less(pool, (ct_expr[]){phase, x[2]}, 2) : 0;
}

#define FOLD_RELATION(name, relation)                                                              \
    ct_expr ct_fold_##name(ct_pool *pool, const ct_expr *x, uint32_t count)                        \
    {                                                                                              \
        (void)count;                                                                               \
        int order;                                                                                 \
        return order_known(pool, x[0], x[1], &order) ? truth(order relation 0) : 0;                \
    }
FOLD_RELATION(less, <)
FOLD_RELATION(less_equal, <=)
FOLD_RELATION(greater, >)
FOLD_RELATION(greater_equal, >=)
FOLD_RELATION(equal, ==)
FOLD_RELATION(unequal, !=)

static bool is_truth(const ct_pool *pool, ct_expr e)
{
    if (e == CT_ZERO || e == CT_ONE)
        return true;
    return ct_is(pool, e, CT_EXPR_CALL) && ct_op_at(ct_expr_op(pool, e))->traits & CT_TRUTH;
}

/* `decides` settles the result whatever the other operand is. Numbers come first (SWAP). */
static ct_expr fold_logic(const ct_pool *pool, const ct_expr *x, bool decides)
{
    const ct_number *a = number(pool, x[0]), *b = number(pool, x[1]);
    if (a && (x[0] != CT_ZERO) == decides)
        return truth(decides);
    if (a && b)
        return truth(x[1] != CT_ZERO);
    if ((a || x[0] == x[1]) && is_truth(pool, x[1]))
        return x[1];
    return 0;
}

ct_expr ct_fold_and(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return fold_logic(pool, x, false);
}

ct_expr ct_fold_or(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return fold_logic(pool, x, true);
}

ct_expr ct_fold_not(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    if (ct_expr_is_number(pool, x[0]))
        return truth(x[0] == CT_ZERO);
    if (!ct_is_call(pool, x[0], CT_OP_NOT))
        return 0;
    ct_expr inner = ct_expr_operand(pool, x[0], 0);
    return is_truth(pool, inner) ? inner : 0;
}

ct_expr ct_fold_if(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    if (x[1] == x[2])
        return x[1];
    if (x[1] == CT_ONE && x[2] == CT_ZERO && is_truth(pool, x[0]))
        return x[0];
    return ct_expr_is_number(pool, x[0]) ? x[x[0] == CT_ZERO ? 2 : 1] : 0;
}

ct_expr ct_fold_still(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return ct_expr_is_number(pool, x[0]) ? CT_ZERO : 0;
}

ct_expr ct_fold_same(ct_pool *pool, const ct_expr *x, uint32_t count)
{
    (void)count;
    return ct_expr_is_number(pool, x[0]) ? x[0] : 0;
}

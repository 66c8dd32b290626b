/* tame.c - jumps that do not show: x*step(x), sign(x)*abs(x)^p, `if x < a then .. else ..` whose
 * two sides meet.
 *
 * Such an expression is continuous, so that nothing has to be located; and keeping the side of its
 * condition during a step would do harm: many an `if` guards a function against overflow.
 */
#include "simulate/machine.h"

static bool is_call(const ct_pool *pool, ct_expr e, ct_op op)
{
    return ct_expr_kind_of(pool, e) == CT_EXPR_CALL && ct_expr_op(pool, e) == op;
}

/* Is x the same as a up to a factor that is a number? */
static bool is_multiple(ct_pool *pool, ct_expr x, ct_expr a)
{
    ct_expr ratio = ct_expr_div(pool, x, a);
    return ratio && ct_expr_is_number(pool, ratio);
}

/* Does the factor x^p vanish with a? */
static bool vanishes_with(ct_pool *pool, ct_expr x, ct_expr p, ct_expr a)
{
    bool rises = ct_expr_is_number(pool, p) && ct_expr_to_double(pool, p) > 0;
    if (is_call(pool, x, CT_OP_POW))
        x = ct_expr_operand(pool, x, 0);
    if (is_call(pool, x, CT_OP_ABS))
        x = ct_expr_operand(pool, x, 0);
    return rises && is_multiple(pool, x, a);
}

static bool product_is_tame(ct_pool *pool, ct_expr product, ct_expr jump)
{
    ct_expr a = ct_expr_operand(pool, jump, 0);
    for (uint32_t i = 0; i < ct_expr_arity(pool, product); i++) {
        ct_expr x = ct_expr_operand(pool, product, i);
        if (x != jump && vanishes_with(pool, x, ct_expr_coefficient(pool, product, i), a))
            return true;
    }
    return false;
}

/* Where the difference vanishes one of its symbols has a value; with it the two sides must be
 * equal. */
static bool sides_meet(ct_pool *pool, ct_expr choice, ct_expr comparison)
{
    ct_expr difference = ct_expr_sub(pool, ct_expr_operand(pool, comparison, 0),
                                     ct_expr_operand(pool, comparison, 1));
    ct_expr side[] = {ct_expr_operand(pool, choice, 1), ct_expr_operand(pool, choice, 2)};
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(pool, difference, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        ct_expr factor, rest;
        ct_name name = symbol[i];
        if (!ct_expr_linear(pool, difference, &name, 1, &factor, &rest))
            continue;
        ct_expr value = ct_expr_div(pool, ct_expr_neg(pool, rest), factor), there[2];
        if (!value)
            continue;
        ct_expr_substitute_all(pool, side, there, 2, &name, &value, 1);
        return there[0] && there[0] == there[1];
    }
    return false;
}

static bool is_comparison(ct_op op)
{
    return op == CT_OP_LESS || op == CT_OP_LESS_EQUAL || op == CT_OP_GREATER ||
           op == CT_OP_GREATER_EQUAL;
}

bool ct_jump_is_tamed(ct_pool *pool, ct_expr user, ct_expr jump)
{
    ct_op op = ct_expr_op(pool, jump);
    if (ct_expr_kind_of(pool, user) == CT_EXPR_PRODUCT)
        return (op == CT_OP_SIGN || op == CT_OP_STEP) && product_is_tame(pool, user, jump);
    return is_call(pool, user, CT_OP_IF) && is_comparison(op) &&
           ct_expr_operand(pool, user, 0) == jump && ct_expr_operand(pool, user, 1) != jump &&
           ct_expr_operand(pool, user, 2) != jump && sides_meet(pool, user, jump);
}

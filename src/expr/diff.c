/* diff.c - derivatives and differentials, forward over the DAG: each node's is made once.
 *
 * The memo holds the derivative; 0 stands for "has none", which spoils what uses it. */
#include "expr/pool.h"

static ct_expr derivative(const ct_walk *walk, ct_expr x)
{
    return walk->memo[x].e;
}

static ct_expr *take_list(ct_pool *pool, ct_expr *few, uint32_t count)
{
    return count <= 8 ? few : CT_NEW_ARRAY(pool->arena, ct_expr, count);
}

static ct_expr diff_sum(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    uint32_t arity = ct_expr_arity(pool, e), count = 0;
    ct_expr few[8], *term = take_list(pool, few, arity);
    for (uint32_t i = 0; i < arity; i++) {
        ct_expr dx = derivative(walk, ct_expr_operand(pool, e, i));
        if (dx != CT_ZERO)
            term[count++] = ct_expr_mul(pool, ct_expr_coefficient(pool, e, i), dx);
    }
    return ct_expr_sum(pool, term, count);
}

static ct_expr power_of(ct_pool *pool, ct_expr e, uint32_t i)
{
    return ct_expr_pow(pool, ct_expr_operand(pool, e, i), ct_expr_coefficient(pool, e, i));
}

/* c p x^(p-1) x' for the factor x^p with number i, times the other factors: `before` and `after`.
 */
static ct_expr product_term(ct_pool *pool, const ct_walk *walk, ct_expr e, uint32_t i,
                            ct_expr before, ct_expr after)
{
    ct_expr x = ct_expr_operand(pool, e, i), p = ct_expr_coefficient(pool, e, i);
    ct_expr factor[6] = {ct_expr_constant(pool, e), p, derivative(walk, x), before, after};
    factor[5] = ct_expr_pow(pool, x, ct_num_add(pool, p, CT_MINUS_ONE));
    return ct_expr_product(pool, factor, 6);
}

/* Products of the factors after each one make the work linear in their number. */
static ct_expr diff_product(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    uint32_t arity = ct_expr_arity(pool, e), count = 0;
    ct_expr few[8], more[8], before = CT_ONE;
    ct_expr *term = take_list(pool, few, arity), *after = take_list(pool, more, arity);
    after[arity - 1] = CT_ONE;
    for (uint32_t i = arity - 1; i > 0; i--)
        after[i - 1] = ct_expr_mul(pool, after[i], power_of(pool, e, i));
    for (uint32_t i = 0; i < arity; i++) {
        if (derivative(walk, ct_expr_operand(pool, e, i)) != CT_ZERO)
            term[count++] = product_term(pool, walk, e, i, before, after[i]);
        before = ct_expr_mul(pool, before, power_of(pool, e, i));
    }
    return ct_expr_sum(pool, term, count);
}

/* Of many operands only the first may vary: a table with varying points has no row in ops.def. */
static ct_expr diff_call(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    const ct_op_row *row = ct_op_at(ct_expr_op(pool, e));
    uint32_t arity = ct_expr_arity(pool, e), varying = 0;
    ct_expr dx[3] = {0};
    for (uint32_t i = 0; i < arity; i++) {
        ct_expr d = derivative(walk, ct_expr_operand(pool, e, i));
        if (!d || (i > 0 && row->arity < 0 && d != CT_ZERO))
            return 0;
        varying += d != CT_ZERO;
        if (i < 3)
            dx[i] = d;
    }
    if (!varying)
        return CT_ZERO;
    if (row->differential)
        return ct_read_differential(pool, row->differential, e, dx);
    /* der(x) is a variable beside x */
    bool free_of_it =
        ct_is_call(pool, e, CT_OP_DER) && ct_is(pool, ct_expr_operand(pool, e, 0), CT_EXPR_SYMBOL);
    return free_of_it ? CT_ZERO : 0;
}

static ct_expr diff_node(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    switch (ct_expr_kind_of(pool, e)) {
    case CT_EXPR_NUMBER:
        return CT_ZERO;
    case CT_EXPR_SYMBOL:
        return derivative(walk, e);
    case CT_EXPR_SUM:
        return diff_sum(pool, walk, e);
    case CT_EXPR_PRODUCT:
        return diff_product(pool, walk, e);
    case CT_EXPR_CALL:
        return diff_call(pool, walk, e);
    }
    return 0;
}

static void seed(ct_pool *pool, ct_walk *walk, ct_name symbol, ct_expr differential)
{
    ct_expr e = symbol < pool->symbol.room ? pool->symbol.at[symbol] : 0;
    if (e && ct_walk_met(walk, e))
        walk->memo[e].e = differential;
}

static void clear_symbols(ct_pool *pool, ct_walk *walk)
{
    for (uint32_t i = 0; i < walk->order.count; i++)
        if (ct_is(pool, walk->order.at[i], CT_EXPR_SYMBOL))
            walk->memo[walk->order.at[i]].e = CT_ZERO;
}

void ct_expr_diff_all(ct_pool *pool, const ct_expr *e, ct_expr *out, uint32_t count, ct_name symbol)
{
    ct_walk *walk = ct_walk_begin(pool, e, count);
    clear_symbols(pool, walk);
    seed(pool, walk, symbol, CT_ONE);
    for (uint32_t i = 0; i < walk->order.count; i++)
        walk->memo[walk->order.at[i]].e = diff_node(pool, walk, walk->order.at[i]);
    for (uint32_t i = 0; i < count; i++)
        out[i] = e[i] ? derivative(walk, e[i]) : 0;
    ct_walk_end(pool, walk);
}

ct_expr ct_expr_diff(ct_pool *pool, ct_expr e, ct_name symbol)
{
    ct_expr result;
    ct_expr_diff_all(pool, &e, &result, 1, symbol);
    return result;
}

/* What each node gives is held: taken apart in the sums and products that use it, shared parts
 * would be written out again and again. */
ct_expr ct_expr_differentials(ct_pool *pool, const ct_expr *e, ct_expr *out, uint32_t count,
                              const ct_name *symbol, const ct_expr *differential, uint32_t symbols)
{
    ct_walk *walk = ct_walk_begin(pool, e, count);
    ct_expr culprit = 0;
    clear_symbols(pool, walk);
    for (uint32_t i = 0; i < symbols; i++)
        seed(pool, walk, symbol[i], differential[i]);
    for (uint32_t i = 0; i < walk->order.count && !culprit; i++) {
        ct_expr of = walk->order.at[i], d = diff_node(pool, walk, of);
        walk->memo[of].e = d ? ct_expr_hold(pool, d) : 0;
        culprit = d ? 0 : of;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = culprit ? 0 : e[i] ? derivative(walk, e[i]) : CT_ZERO;
    ct_walk_end(pool, walk);
    return culprit;
}

/* ops.c - the operator table and calls. */
#include <math.h>
#include <string.h>

#include "expr/pool.h"

static const ct_op_row rows[CT_OP_COUNT] = {
#define OP(name, arity, word, latex, value, strength, traits, fold, differential, rule, matlab,    \
           python)                                                                                 \
    {arity, word, latex, strength, traits, fold, differential, rule, matlab, python},
#include "expr/ops.def"
#undef OP
};

const ct_op_row *ct_op_at(ct_op op)
{
    return &rows[op];
}

const char *ct_op_word(ct_op op)
{
    return rows[op].word;
}

int ct_op_arity(ct_op op)
{
    return rows[op].arity;
}

bool ct_op_find(const char *word, ct_op *op)
{
    for (int i = 0; i < CT_OP_COUNT; i++)
        if (rows[i].strength == CT_BIND_FUNCTION && strcmp(rows[i].word, word) == 0) {
            *op = (ct_op)i;
            return true;
        }
    return false;
}

const char *ct_op_differential(ct_op op)
{
    return rows[op].differential;
}

const char *ct_op_matlab(ct_op op)
{
    return rows[op].matlab;
}

const char *ct_op_python(ct_op op)
{
    return rows[op].python;
}

bool ct_function_of(ct_op op, ct_function *f)
{
    const ct_op_row *row = &rows[op];
    uint32_t arity = row->arity < 0 ? 0 : (uint32_t)row->arity;
    bool chain = (row->traits & CT_CHAIN) != 0;
    *f = (ct_function){row->word, op, arity, chain ? CT_MOST_CHAINED : arity, row->rule};
    return row->rule != CT_RULE_NONE;
}

bool ct_function_find(const char *word, ct_function *f)
{
    ct_op op;
    return ct_op_find(word, &op) && ct_function_of(op, f);
}

/* Written with a minus in front. */
static bool is_negative(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    if (node->kind == CT_EXPR_NUMBER)
        return ct_num_sign(pool, e) < 0;
    return node->kind == CT_EXPR_PRODUCT && ct_num_sign(pool, pool->word.at[node->first]) < 0;
}

/* The value where an operand is a double and all are numbers; 0: not so, or not finite. */
static ct_expr fold_inexact(ct_pool *pool, ct_op op, const ct_expr *x, uint32_t count)
{
    bool inexact = false;
    double v[3];
    for (uint32_t i = 0; i < count; i++) {
        if (i == 3 || !ct_expr_is_number(pool, x[i]))
            return 0;
        inexact |= !ct_expr_is_exact(pool, x[i]);
        v[i] = ct_expr_to_double(pool, x[i]);
    }
    double value = inexact ? ct_op_value(op, v, count) : NAN;
    return isfinite(value) ? ct_expr_real(pool, value) : 0;
}

static ct_expr make_or_fold(ct_pool *pool, ct_op op, const ct_expr *x, uint32_t count)
{
    ct_expr folded = rows[op].fold ? rows[op].fold(pool, x, count) : 0;
    if (!folded)
        folded = fold_inexact(pool, op, x, count);
    return folded ? folded : ct_make_call(pool, op, x, count);
}

static ct_expr call_with_parity(ct_pool *pool, ct_op op, ct_expr x)
{
    if (!is_negative(pool, x))
        return make_or_fold(pool, op, &x, 1);
    x = ct_expr_neg(pool, x);
    ct_expr call = make_or_fold(pool, op, &x, 1);
    return rows[op].traits & CT_ODD ? ct_expr_neg(pool, call) : call;
}

static ct_expr call_chain(ct_pool *pool, ct_op op, const ct_expr *x, uint32_t count)
{
    ct_expr all = x[0];
    for (uint32_t i = 1; i < count; i++)
        all = ct_expr_call2(pool, op, all, x[i]);
    return all;
}

ct_expr ct_expr_call(ct_pool *pool, ct_op op, const ct_expr *operands, uint32_t count)
{
    const ct_op_row *row = &rows[op];
    for (uint32_t i = 0; i < count; i++)
        if (!operands[i])
            return 0;
    if (row->traits & CT_CHAIN && count > 0 && count != 2)
        return call_chain(pool, op, operands, count);
    if (row->arity >= 0 && count != (uint32_t)row->arity)
        return 0;
    if (op == CT_OP_POW && ct_expr_is_exact(pool, operands[1]))
        return ct_expr_pow(pool, operands[0], operands[1]);
    if (row->traits & (CT_ODD | CT_EVEN))
        return call_with_parity(pool, op, operands[0]);
    if (row->traits & CT_SWAP && ct_expr_compare(pool, operands[0], operands[1]) > 0)
        return make_or_fold(pool, op, (ct_expr[]){operands[1], operands[0]}, 2);
    return make_or_fold(pool, op, operands, count);
}

ct_expr ct_expr_call1(ct_pool *pool, ct_op op, ct_expr a)
{
    return ct_expr_call(pool, op, &a, 1);
}

ct_expr ct_expr_call2(ct_pool *pool, ct_op op, ct_expr a, ct_expr b)
{
    return ct_expr_call(pool, op, (ct_expr[]){a, b}, 2);
}

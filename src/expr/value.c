/* value.c - numeric values of operators and expressions. */
#include <math.h>

#include "base/explog.h"
#include "base/sincos.h"
#include "expr/pool.h"

#define CT_PI 3.14159265358979323846

double ct_op_value(ct_op op, const double *v, uint32_t n)
{
    double a = n > 0 ? v[0] : 0, b = n > 1 ? v[1] : 0, c = n > 2 ? v[2] : 0;
    switch (op) {
#define OP(name, arity, word, latex, value, ...)                                                   \
    case CT_OP_##name:                                                                             \
        return value;
#include "expr/ops.def"
#undef OP
    case CT_OP_COUNT:
        break;
    }
    return NAN;
}

static double power(double x, const ct_number *p)
{
    if (p->form == CT_SMALL && p->den == 1 && p->num >= -4 && p->num <= 4) {
        double result = 1;
        for (int64_t i = p->num < 0 ? -p->num : p->num; i > 0; i--)
            result *= x;
        return p->num < 0 ? 1 / result : result;
    }
    if (p->form == CT_SMALL && p->num == 1 && p->den == 2)
        return sqrt(x);
    return pow(x, ct_number_double(p));
}

static double sum_value(const ct_pool *pool, const ct_walk *walk, const ct_expr_node *node)
{
    const uint32_t *word = pool->word.at + node->first;
    double sum = word[0] == CT_ZERO ? 0 : ct_expr_to_double(pool, word[0]);
    for (uint32_t i = 1; i < 1 + 2 * node->count; i += 2) {
        double x = walk->memo[word[i]].real;
        sum += word[i + 1] == CT_ONE ? x : x * ct_expr_to_double(pool, word[i + 1]);
    }
    return sum;
}

static double product_value(const ct_pool *pool, const ct_walk *walk, const ct_expr_node *node)
{
    const uint32_t *word = pool->word.at + node->first;
    double product = ct_expr_to_double(pool, word[0]);
    for (uint32_t i = 1; i < 1 + 2 * node->count; i += 2) {
        double x = walk->memo[word[i]].real;
        if (word[i + 1] == CT_MINUS_ONE)
            product /= x;
        else
            product *= word[i + 1] == CT_ONE ? x : power(x, ct_number_at(pool, word[i + 1]));
    }
    return product;
}

static double call_value(ct_pool *pool, ct_walk *walk, const ct_expr_node *node)
{
    CT_RESERVE(pool->arena, walk->operand, node->count);
    for (uint32_t i = 0; i < node->count; i++)
        walk->operand.at[i] = walk->memo[pool->word.at[node->first + i]].real;
    return ct_op_value((ct_op)node->op, walk->operand.at, node->count);
}

double ct_expr_value(ct_pool *pool, ct_expr e, double (*lookup)(const void *user, ct_name symbol),
                     const void *user)
{
    double value = NAN;
    if (e && ct_is(pool, e, CT_EXPR_NUMBER))
        return ct_expr_to_double(pool, e);
    if (e && ct_is(pool, e, CT_EXPR_SYMBOL))
        return lookup ? lookup(user, ct_node_at(pool, e)->first) : NAN;
    if (e)
        ct_expr_values(pool, &e, 1, lookup, user, &value);
    return value;
}

void ct_expr_values(ct_pool *pool, const ct_expr *e, uint32_t count,
                    double (*lookup)(const void *user, ct_name symbol), const void *user,
                    double *out)
{
    ct_walk *walk = ct_walk_begin(pool, e, count);
    for (uint32_t i = 0; i < walk->order.count; i++) {
        ct_expr x = walk->order.at[i];
        const ct_expr_node *node = ct_node_at(pool, x);
        double value = NAN;
        if (node->kind == CT_EXPR_NUMBER)
            value = ct_expr_to_double(pool, x);
        else if (node->kind == CT_EXPR_SYMBOL)
            value = lookup ? lookup(user, node->first) : NAN;
        else if (node->kind == CT_EXPR_SUM)
            value = sum_value(pool, walk, node);
        else if (node->kind == CT_EXPR_PRODUCT)
            value = product_value(pool, walk, node);
        else
            value = call_value(pool, walk, node);
        walk->memo[x].real = value;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = walk->memo[e[i]].real;
    ct_walk_end(pool, walk);
}

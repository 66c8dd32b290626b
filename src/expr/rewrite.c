/* rewrite.c - substitution and linear forms. */
#include <string.h>

#include "expr/pool.h"

/* ---- substitution */

static ct_expr now(const ct_walk *walk, ct_expr x)
{
    return walk->memo[x].e;
}

static bool is_changed(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        ct_expr x = ct_expr_operand(pool, e, i);
        if (now(walk, x) != x)
            return true;
    }
    return false;
}

/* With its coefficient or exponent. */
static ct_expr weighted(ct_pool *pool, ct_expr e, uint32_t i, ct_expr x)
{
    if (ct_is(pool, e, CT_EXPR_SUM))
        return ct_expr_mul(pool, ct_expr_coefficient(pool, e, i), x);
    if (ct_is(pool, e, CT_EXPR_PRODUCT))
        return ct_expr_pow(pool, x, ct_expr_coefficient(pool, e, i));
    return x;
}

static ct_expr like(ct_pool *pool, ct_expr old, ct_expr new)
{
    return ct_node_at(pool, old)->held ? ct_expr_hold(pool, new) : new;
}

ct_expr ct_expr_rebuild(ct_pool *pool, ct_expr e, const ct_expr *operand)
{
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    uint32_t arity = ct_expr_arity(pool, e), count = 0;
    ct_expr few[8], *x = arity < 8 ? few : CT_NEW_ARRAY(pool->arena, ct_expr, arity + 1);
    if (arity == 0)
        return e;
    if (kind != CT_EXPR_CALL)
        x[count++] = ct_expr_constant(pool, e);
    for (uint32_t i = 0; i < arity; i++)
        x[count++] = weighted(pool, e, i, operand[i]);
    if (kind == CT_EXPR_SUM)
        return like(pool, e, ct_expr_sum(pool, x, count));
    if (kind == CT_EXPR_PRODUCT)
        return like(pool, e, ct_expr_product(pool, x, count));
    return ct_expr_call(pool, ct_expr_op(pool, e), x, count);
}

static ct_expr rebuild(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    uint32_t arity = ct_expr_arity(pool, e);
    ct_expr few[8], *x = arity <= 8 ? few : CT_NEW_ARRAY(pool->arena, ct_expr, arity);
    for (uint32_t i = 0; i < arity; i++)
        x[i] = now(walk, ct_expr_operand(pool, e, i));
    return ct_expr_rebuild(pool, e, x);
}

void ct_expr_substitute_all(ct_pool *pool, const ct_expr *in, ct_expr *out, uint32_t expr_count,
                            const ct_name *symbol, const ct_expr *value, uint32_t count)
{
    ct_walk *walk = ct_walk_begin(pool, in, expr_count);
    for (uint32_t i = 0; i < walk->order.count; i++)
        if (ct_is(pool, walk->order.at[i], CT_EXPR_SYMBOL))
            walk->memo[walk->order.at[i]].e = walk->order.at[i];
    for (uint32_t i = 0; i < count; i++) {
        ct_expr x = symbol[i] < pool->symbol.room ? pool->symbol.at[symbol[i]] : 0;
        if (x && ct_walk_met(walk, x))
            walk->memo[x].e = value[i];
    }
    for (uint32_t i = 0; i < walk->order.count; i++) {
        ct_expr e = walk->order.at[i];
        if (!ct_is(pool, e, CT_EXPR_SYMBOL))
            walk->memo[e].e = is_changed(pool, walk, e) ? rebuild(pool, walk, e) : e;
    }
    for (uint32_t i = 0; i < expr_count; i++)
        out[i] = in[i] ? now(walk, in[i]) : 0;
    ct_walk_end(pool, walk);
}

ct_expr ct_expr_substitute(ct_pool *pool, ct_expr e, const ct_name *symbol, const ct_expr *value,
                           uint32_t count)
{
    ct_expr out;
    if (!e || ct_is(pool, e, CT_EXPR_NUMBER))
        return e;
    if (ct_is(pool, e, CT_EXPR_SYMBOL)) {
        for (uint32_t i = count; i > 0; i--) /* the last of equals counts */
            if (symbol[i - 1] == ct_node_at(pool, e)->first)
                return value[i - 1];
        return e;
    }
    ct_expr_substitute_all(pool, &e, &out, 1, symbol, value, count);
    return out;
}

/* ---- roots */

/* c of c*asinh(x), with x as it is now; 0: something else. */
static ct_expr factor_of_asinh(ct_pool *pool, const ct_walk *walk, ct_expr e, ct_expr *x)
{
    bool product = ct_is(pool, e, CT_EXPR_PRODUCT) && ct_expr_arity(pool, e) == 1;
    ct_expr inner = product ? ct_expr_operand(pool, e, 0) : 0;
    if (!inner || ct_expr_coefficient(pool, e, 0) != CT_ONE ||
        !ct_is_call(pool, inner, CT_OP_ASINH))
        return 0;
    *x = now(walk, ct_expr_operand(pool, inner, 0));
    return ct_expr_constant(pool, e);
}

static ct_expr root_of(ct_pool *pool, ct_expr e)
{
    return ct_expr_pow(pool, e, CT_HALF);
}

/* sinh(2 asinh x) = 2 x sqrt(1 + x^2), sinh(asinh(x)/2) = x/sqrt(2 + 2 sqrt(1 + x^2)), and so for
 * cosh; 0: neither twice nor half. */
static ct_expr root_form(ct_pool *pool, const ct_walk *walk, ct_expr e)
{
    bool odd = ct_is_call(pool, e, CT_OP_SINH);
    ct_expr x, c = 0;
    if (odd || ct_is_call(pool, e, CT_OP_COSH))
        c = factor_of_asinh(pool, walk, ct_expr_operand(pool, e, 0), &x);
    if (c != CT_TWO && c != CT_HALF)
        return 0;
    ct_expr square = ct_expr_mul(pool, x, x), whole = ct_expr_add(pool, CT_ONE, square);
    if (c == CT_TWO)
        return odd ? ct_expr_mul(pool, CT_TWO, ct_expr_mul(pool, x, root_of(pool, whole)))
                   : ct_expr_add(pool, CT_ONE, ct_expr_mul(pool, CT_TWO, square));
    ct_expr sum = ct_expr_add(pool, CT_ONE, root_of(pool, whole));
    return odd ? ct_expr_div(pool, x, root_of(pool, ct_expr_mul(pool, CT_TWO, sum)))
               : root_of(pool, ct_expr_mul(pool, CT_HALF, sum));
}

ct_expr ct_expr_as_roots(ct_pool *pool, ct_expr e)
{
    if (!e || ct_expr_arity(pool, e) == 0)
        return e;
    ct_walk *walk = ct_walk_begin(pool, &e, 1);
    for (uint32_t i = 0; i < walk->order.count; i++) {
        ct_expr at = walk->order.at[i], root = root_form(pool, walk, at);
        bool changed = !root && ct_expr_arity(pool, at) && is_changed(pool, walk, at);
        ct_expr made = changed ? rebuild(pool, walk, at) : root;
        walk->memo[at].e = made ? made : at;
    }
    ct_expr out = now(walk, e);
    ct_walk_end(pool, walk);
    return out;
}

/* ---- copies */

static const uint64_t *copy_limbs(ct_pool *to, const uint64_t *limb, int32_t count)
{
    uint32_t size = (uint32_t)(count < 0 ? -count : count);
    uint64_t *copy = CT_NEW_ARRAY(to->arena, uint64_t, size + 1);
    memcpy(copy, limb, size * sizeof *copy);
    return copy;
}

/* A large number has limbs of its own: the other pool may be freed. */
static ct_expr copy_number(ct_pool *to, const ct_pool *from, ct_expr e)
{
    ct_number number = *ct_number_at(from, e);
    if (number.form == CT_BIG && to != from) {
        number.num_at = copy_limbs(to, number.num_at, number.num_limbs);
        number.den_at = copy_limbs(to, number.den_at, number.den_limbs);
    }
    return ct_intern_number(to, &number);
}

ct_expr ct_expr_rebuild_in(ct_pool *to, ct_pool *from, ct_expr e, const ct_expr *operand)
{
    ct_expr_kind kind = ct_expr_kind_of(from, e);
    uint32_t arity = ct_expr_arity(from, e), count = 0;
    if (kind == CT_EXPR_NUMBER)
        return copy_number(to, from, e);
    if (kind == CT_EXPR_SYMBOL)
        return ct_expr_symbol(to, ct_expr_name(from, e));
    if (kind == CT_EXPR_CALL)
        return ct_expr_call(to, ct_expr_op(from, e), operand, arity);
    ct_expr few[9], *x = arity <= 8 ? few : CT_NEW_ARRAY(to->arena, ct_expr, arity + 1);
    x[count++] = copy_number(to, from, ct_expr_constant(from, e));
    for (uint32_t i = 0; i < arity; i++) {
        ct_expr c = copy_number(to, from, ct_expr_coefficient(from, e, i));
        x[count++] =
            kind == CT_EXPR_SUM ? ct_expr_mul(to, c, operand[i]) : ct_expr_pow(to, operand[i], c);
    }
    return kind == CT_EXPR_SUM ? ct_expr_sum(to, x, count) : ct_expr_product(to, x, count);
}

static ct_expr copy_node(ct_pool *to, ct_pool *from, const ct_walk *walk, ct_expr e)
{
    uint32_t arity = ct_expr_arity(from, e);
    ct_expr few[8], *x = arity <= 8 ? few : CT_NEW_ARRAY(to->arena, ct_expr, arity);
    for (uint32_t i = 0; i < arity; i++)
        x[i] = walk->memo[ct_expr_operand(from, e, i)].e;
    return ct_expr_rebuild_in(to, from, e, x);
}

void ct_expr_copy_all(ct_pool *to, ct_pool *from, const ct_expr *in, ct_expr *out, uint32_t count)
{
    ct_walk *walk = ct_walk_begin(from, in, count);
    for (uint32_t i = 0; i < walk->order.count; i++) {
        ct_expr e = walk->order.at[i];
        walk->memo[e].e = copy_node(to, from, walk, e);
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = in[i] ? walk->memo[in[i]].e : 0;
    ct_walk_end(from, walk);
}

/* ---- linear forms
 *
 * From the root down, each node that contains one of the symbols gets its factor: the sum, over the
 * ways from the root, of what it is multiplied by. That is the reverse mode of differentiation; a
 * way that leads through anything but sums and products with free cofactors is not linear. Users
 * come before operands in the reversed order, so that each node is met once, with its factor
 * complete. */

typedef struct linear {
    ct_pool *pool;
    ct_walk *walk; /* memo.way.bound: contains a symbol; memo.way.head: list of ways, 0 ends it */
    CT_VEC(struct way {
        ct_expr factor;
        uint32_t next;
    })
    way;
    CT_VEC(ct_expr) rest;
    CT_VEC(ct_expr) parts; /* scratch */
} linear;

static void mark_bound(linear *l, const ct_name *symbol, uint32_t count)
{
    ct_pool *pool = l->pool;
    for (uint32_t i = 0; i < l->walk->order.count; i++)
        l->walk->memo[l->walk->order.at[i]].way = (struct ct_memo_way){0, 0};
    for (uint32_t i = 0; i < count; i++) {
        ct_expr x = symbol[i] < pool->symbol.room ? pool->symbol.at[symbol[i]] : 0;
        if (x && ct_walk_met(l->walk, x))
            l->walk->memo[x].way.bound = 1;
    }
    for (uint32_t i = 0; i < l->walk->order.count; i++) {
        ct_expr e = l->walk->order.at[i];
        for (uint32_t k = 0; k < ct_expr_arity(pool, e); k++)
            l->walk->memo[e].way.bound |= l->walk->memo[ct_expr_operand(pool, e, k)].way.bound;
    }
}

static bool is_bound(const linear *l, ct_expr e)
{
    return l->walk->memo[e].way.bound;
}

static void add_way(linear *l, ct_expr e, ct_expr factor)
{
    struct ct_memo_way *way = &l->walk->memo[e].way;
    CT_PUSH(l->pool->arena, l->way, (struct way){factor, way->head});
    way->head = l->way.count; /* one more than its place */
}

/* The factor of a node: all its ways together. */
static ct_expr factor_of(linear *l, ct_expr e)
{
    l->parts.count = 0;
    for (uint32_t i = l->walk->memo[e].way.head; i; i = l->way.at[i - 1].next)
        CT_PUSH(l->pool->arena, l->parts, l->way.at[i - 1].factor);
    return ct_expr_sum(l->pool, l->parts.at, l->parts.count);
}

static void spread_sum(linear *l, ct_expr e, ct_expr factor)
{
    ct_pool *pool = l->pool;
    l->parts.count = 0;
    CT_PUSH(pool->arena, l->parts, ct_expr_constant(pool, e));
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        ct_expr x = ct_expr_operand(pool, e, i), c = ct_expr_coefficient(pool, e, i);
        if (is_bound(l, x))
            add_way(l, x, ct_expr_mul(pool, factor, c));
        else
            CT_PUSH(pool->arena, l->parts, ct_expr_mul(pool, c, x));
    }
    ct_expr free_part = ct_expr_sum(pool, l->parts.at, l->parts.count);
    CT_PUSH(pool->arena, l->rest, ct_expr_mul(pool, factor, free_part));
}

/* One factor, to the power 1, may contain symbols. */
static bool spread_product(linear *l, ct_expr e, ct_expr factor)
{
    ct_pool *pool = l->pool;
    ct_expr inner = 0;
    l->parts.count = 0;
    CT_PUSH(pool->arena, l->parts, factor);
    CT_PUSH(pool->arena, l->parts, ct_expr_constant(pool, e));
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        ct_expr x = ct_expr_operand(pool, e, i), p = ct_expr_coefficient(pool, e, i);
        if (!is_bound(l, x))
            CT_PUSH(pool->arena, l->parts, ct_expr_pow(pool, x, p));
        else if (inner || p != CT_ONE)
            return false;
        else
            inner = x;
    }
    add_way(l, inner, ct_expr_product(pool, l->parts.at, l->parts.count));
    return true;
}

static bool spread(linear *l, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(l->pool, e);
    if (kind == CT_EXPR_SYMBOL)
        return true;
    if (kind == CT_EXPR_CALL)
        return false;
    ct_expr factor = factor_of(l, e);
    if (factor == CT_ZERO)
        return true;
    if (kind == CT_EXPR_PRODUCT)
        return spread_product(l, e, factor);
    spread_sum(l, e, factor);
    return true;
}

bool ct_expr_linear(ct_pool *pool, ct_expr e, const ct_name *symbol, uint32_t count,
                    ct_expr *coefficient, ct_expr *rest)
{
    linear l = {.pool = pool, .walk = ct_walk_begin(pool, &e, 1)};
    mark_bound(&l, symbol, count);
    bool good = e != 0;
    if (good && is_bound(&l, e))
        add_way(&l, e, CT_ONE);
    else if (good)
        CT_PUSH(pool->arena, l.rest, e);
    for (uint32_t i = l.walk->order.count; good && i-- > 0;)
        if (is_bound(&l, l.walk->order.at[i]))
            good = spread(&l, l.walk->order.at[i]);
    for (uint32_t i = 0; good && i < count; i++) {
        ct_expr x = symbol[i] < pool->symbol.room ? pool->symbol.at[symbol[i]] : 0;
        coefficient[i] = x && ct_walk_met(l.walk, x) ? factor_of(&l, x) : CT_ZERO;
    }
    if (good)
        *rest = ct_expr_sum(pool, l.rest.at, l.rest.count);
    ct_walk_end(pool, l.walk);
    return good;
}

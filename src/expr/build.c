/* build.c - sums, products and powers in canonical form.
 *
 * A sum is a list of terms (x, c), a product a list of factors (x, p), sorted by x, with a
 * constant.
 *
 *   flattening     a sum never holds a sum, a product never a product under a whole exponent,
 * unless it is long: see LONG_SUM collecting     equal x are added up; c = 0 and p = 0 drop out
 *   sign           the first coefficient of a sum is positive: b - a is -1 * (a - b), so that a
 *                  difference and its opposite share the node wherever they stand
 *   number * sum   alone is distributed, 2*(a + b) = 2*a + 2*b; inside a longer product the sum
 * stays powers         (x*y)^n = x^n*y^n and (x^p)^n = x^(p*n) for whole n; otherwise only where
 * x^p has no negative x: sqrt(x^2) is not x. A root of a product or number is a factor whose x is
 * that product or number: sqrt(2*x), 2^(1/3); it has an exponent in (0, 1) if x is a number.
 *
 * Constructors nest: each uses the part of pool->pair above what it found there. */
#include <math.h>
#include <string.h>

#include "expr/pool.h"

/* Adding to a sum copies it, so that a loop e = e + x would need memory in the square of its
 * length, as would the chain rule on a deep expression. From these lengths on a sum or product is
 * an operand like any other; but a long sum is still taken apart when what it is added to is not
 * much shorter. */
enum { LONG_SUM = 128, LONG_PRODUCT = 32, MUCH_SHORTER = 4, MOST_STRIPS = 16 };

/* ---- numbers as nodes */

ct_expr ct_num_add(ct_pool *pool, ct_expr a, ct_expr b)
{
    if (a == CT_ZERO)
        return b;
    if (b == CT_ZERO)
        return a;
    ct_number sum = ct_number_add(pool->arena, ct_number_at(pool, a), ct_number_at(pool, b));
    return ct_intern_number(pool, &sum);
}

ct_expr ct_num_mul(ct_pool *pool, ct_expr a, ct_expr b)
{
    if (a == CT_ONE)
        return b;
    if (b == CT_ONE)
        return a;
    if (a == CT_MINUS_ONE || b == CT_MINUS_ONE)
        return ct_num_neg(pool, a == CT_MINUS_ONE ? b : a);
    ct_number product = ct_number_mul(pool->arena, ct_number_at(pool, a), ct_number_at(pool, b));
    return ct_intern_number(pool, &product);
}

ct_expr ct_num_neg(ct_pool *pool, ct_expr a)
{
    if (a == CT_ONE || a == CT_MINUS_ONE)
        return a == CT_ONE ? CT_MINUS_ONE : CT_ONE;
    ct_number opposite = ct_number_neg(ct_number_at(pool, a));
    return ct_intern_number(pool, &opposite);
}

int ct_num_sign(const ct_pool *pool, ct_expr a)
{
    return ct_number_sign(ct_number_at(pool, a));
}

static bool is_whole(const ct_pool *pool, ct_expr number)
{
    return number == CT_ONE || ct_number_is_integer(ct_number_at(pool, number));
}

/* ---- lists of pairs */

static void push_pair(ct_pool *pool, ct_expr x, ct_expr c)
{
    CT_PUSH(pool->arena, pool->pair, (ct_collected){x, c});
}

static void insertion_sort(const ct_pool *pool, ct_collected *at, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        ct_collected moved = at[i];
        uint32_t k = i;
        for (; k > 0 && ct_expr_compare(pool, at[k - 1].x, moved.x) > 0; k--)
            at[k] = at[k - 1];
        at[k] = moved;
    }
}

static uint32_t run_end(const ct_pool *pool, const ct_collected *at, uint32_t i, uint32_t count)
{
    for (i++; i < count && ct_expr_compare(pool, at[i - 1].x, at[i].x) <= 0; i++)
        continue;
    return i;
}

/* Merges neighbouring runs of `from` into `to`; returns how many runs `to` has. */
static uint32_t merge_runs(const ct_pool *pool, const ct_collected *from, ct_collected *to,
                           uint32_t count)
{
    uint32_t runs = 0;
    for (uint32_t i = 0, out = 0; i < count; runs++) {
        uint32_t middle = run_end(pool, from, i, count), k = middle;
        uint32_t end = middle < count ? run_end(pool, from, middle, count) : middle;
        while (i < middle || k < end) {
            bool left =
                k == end || (i < middle && ct_expr_compare(pool, from[i].x, from[k].x) <= 0);
            to[out++] = left ? from[i++] : from[k++];
        }
        i = end;
    }
    return runs;
}

/* Natural merge sort: what is already sorted, as the terms of a sum are, costs one pass. */
void ct_sort_pairs(ct_pool *pool, uint32_t from)
{
    uint32_t count = pool->pair.count - from;
    if (count < 2)
        return;
    ct_collected *at = pool->pair.at + from;
    if (count <= 8) {
        insertion_sort(pool, at, count);
        return;
    }
    if (run_end(pool, at, 0, count) == count)
        return;
    CT_RESERVE(pool->arena, pool->sorted, count);
    for (uint32_t runs = 2; runs > 1;) {
        runs = merge_runs(pool, at, pool->sorted.at, count);
        memcpy(at, pool->sorted.at, count * sizeof *at);
    }
}

/* Sorts, adds up the c of equal x, and drops those that vanish. */
static void collect(ct_pool *pool, uint32_t from)
{
    if (pool->pair.count == from + 1 && pool->pair.at[from].c != CT_ZERO)
        return;
    ct_sort_pairs(pool, from);
    uint32_t out = from;
    for (uint32_t i = from; i < pool->pair.count;) {
        ct_collected p = pool->pair.at[i++];
        for (; i < pool->pair.count && pool->pair.at[i].x == p.x; i++)
            p.c = ct_num_add(pool, p.c, pool->pair.at[i].c);
        if (p.c != CT_ZERO)
            pool->pair.at[out++] = p;
    }
    pool->pair.count = out;
}

/* The node of the constant and the pairs above `from`, which are taken off. */
static ct_expr intern_pairs(ct_pool *pool, ct_expr_kind kind, ct_expr constant, uint32_t from)
{
    uint32_t pairs = pool->pair.count - from, words = 1 + 2 * pairs;
    uint32_t *word = ct_word_room(pool, words);
    word[0] = constant;
    const ct_collected *pair = pool->pair.at + from;
    for (uint32_t i = 0; i < pairs; i++) {
        word[1 + 2 * i] = pair[i].x;
        word[2 + 2 * i] = pair[i].c;
    }
    pool->pair.count = from;
    uint64_t fingerprint = ct_fingerprint_node(pool, kind, 0, word, words);
    return ct_intern_node(pool, kind, 0, word, words, fingerprint);
}

/* ---- sums */

static ct_expr finish_product(ct_pool *pool, ct_expr constant, uint32_t from);

/* A held product stays whole; only a sign in front comes off. */
static bool stays_whole(const ct_pool *pool, ct_expr product)
{
    const ct_expr_node *node = ct_node_at(pool, product);
    const uint32_t *word = pool->word.at + node->first;
    return node->held && !(node->count == 1 && word[2] == CT_ONE && word[0] == CT_MINUS_ONE);
}

/* A number times something, which a sum takes apart even so: the factor is a coefficient there. */
static bool is_multiple(const ct_pool *pool, ct_expr product)
{
    const ct_expr_node *node = ct_node_at(pool, product);
    return node->count == 1 && pool->word.at[node->first + 2] == CT_ONE;
}

/* Makes the factors of a product, or x itself, the pairs above. */
static ct_expr push_factors(ct_pool *pool, ct_expr x)
{
    ct_expr_node node = *ct_node_at(pool, x);
    if (node.kind != CT_EXPR_PRODUCT || stays_whole(pool, x)) {
        push_pair(pool, x, CT_ONE);
        return CT_ONE;
    }
    for (uint32_t i = 0; i < node.count; i++) {
        const uint32_t *word = pool->word.at + node.first + 1 + 2 * i;
        push_pair(pool, word[0], word[1]);
    }
    return pool->word.at[node.first];
}

static ct_expr scaled(ct_pool *pool, ct_expr x, ct_expr c)
{
    if (c == CT_ONE)
        return x;
    uint32_t from = pool->pair.count;
    ct_expr constant = push_factors(pool, x);
    return finish_product(pool, ct_num_mul(pool, constant, c), from);
}

/* A product without its constant. What comes back can be an older node of the same value. */
static ct_expr strip(ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    if (node->count == 1 && pool->word.at[node->first + 2] == CT_ONE)
        return pool->word.at[node->first + 1];
    uint32_t from = pool->pair.count;
    push_factors(pool, e);
    return intern_pairs(pool, CT_EXPR_PRODUCT, CT_ONE, from);
}

/* Terms that e brings into a sum. */
static uint32_t term_count(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    if (node->kind == CT_EXPR_PRODUCT && node->count == 1)
        node = ct_node_at(pool, pool->word.at[node->first + 1]);
    return node->kind == CT_EXPR_SUM && !node->held ? node->count : 1;
}

static bool is_taken_apart(const ct_expr_node *sum, uint64_t all_terms)
{
    return !sum->held &&
           (sum->count < LONG_SUM || MUCH_SHORTER * (all_terms - sum->count) >= sum->count);
}

static void add_sum(ct_pool *pool, ct_expr *constant, ct_expr_node sum, ct_expr c)
{
    *constant = ct_num_add(pool, *constant, ct_num_mul(pool, c, pool->word.at[sum.first]));
    for (uint32_t i = 0; i < sum.count; i++) {
        ct_expr x = pool->word.at[sum.first + 1 + 2 * i];
        push_pair(pool, x, ct_num_mul(pool, c, pool->word.at[sum.first + 2 + 2 * i]));
    }
}

static bool has_constant(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    return node->kind == CT_EXPR_PRODUCT && pool->word.at[node->first] != CT_ONE &&
           (!node->held || is_multiple(pool, e));
}

/* c*e as *c times a node without a constant. Older nodes of one value may lead round in a circle, A
 * = -B and B = -A: then the oldest of them stands for all. */
static ct_expr without_constant(ct_pool *pool, ct_expr e, ct_expr *c)
{
    ct_expr oldest = e, its = *c;
    for (int round = 0; has_constant(pool, e); round++) {
        if (round == MOST_STRIPS) {
            *c = its;
            return oldest;
        }
        *c = ct_num_mul(pool, *c, pool->word.at[ct_node_at(pool, e)->first]);
        e = strip(pool, e);
        if (e < oldest)
            oldest = e, its = *c;
    }
    return e;
}

/* Adds c*e to the terms that are being collected, all_terms of them in all. */
static void add_term(ct_pool *pool, ct_expr *constant, ct_expr e, ct_expr c, uint64_t all_terms)
{
    e = without_constant(pool, e, &c);
    const ct_expr_node *node = ct_node_at(pool, e);
    if (node->kind == CT_EXPR_NUMBER)
        *constant = ct_num_add(pool, *constant, ct_num_mul(pool, c, e));
    else if (node->kind == CT_EXPR_SUM && is_taken_apart(node, all_terms))
        add_sum(pool, constant, *node, c);
    else
        push_pair(pool, e, c);
}

static void negate_pairs(ct_pool *pool, uint32_t from)
{
    for (uint32_t i = from; i < pool->pair.count; i++)
        pool->pair.at[i].c = ct_num_neg(pool, pool->pair.at[i].c);
}

static ct_expr finish_sum(ct_pool *pool, ct_expr constant, uint32_t from)
{
    collect(pool, from);
    uint32_t count = pool->pair.count - from;
    if (count == 0)
        return constant;
    ct_collected first = pool->pair.at[from];
    if (count == 1 && constant == CT_ZERO) {
        pool->pair.count = from;
        return scaled(pool, first.x, first.c);
    }
    if (ct_num_sign(pool, first.c) > 0)
        return intern_pairs(pool, CT_EXPR_SUM, constant, from);
    negate_pairs(pool, from);
    constant = ct_num_neg(pool, constant);
    return ct_expr_neg(pool, intern_pairs(pool, CT_EXPR_SUM, constant, from));
}

ct_expr ct_expr_sum(ct_pool *pool, const ct_expr *terms, uint32_t count)
{
    uint32_t from = pool->pair.count;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!terms[i])
            return 0;
        all += term_count(pool, terms[i]);
    }
    ct_expr constant = CT_ZERO;
    for (uint32_t i = 0; i < count; i++)
        add_term(pool, &constant, terms[i], CT_ONE, all);
    return finish_sum(pool, constant, from);
}

ct_expr ct_expr_combine(ct_pool *pool, const ct_expr *c, const ct_expr *x, uint32_t count)
{
    uint32_t from = pool->pair.count;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!c[i] || !x[i])
            return 0;
        all += term_count(pool, x[i]);
    }
    ct_expr constant = CT_ZERO;
    for (uint32_t i = 0; i < count; i++) {
        bool number = ct_is(pool, c[i], CT_EXPR_NUMBER);
        ct_expr e = number ? x[i] : ct_expr_mul(pool, c[i], x[i]);
        add_term(pool, &constant, e, number ? c[i] : CT_ONE, all);
    }
    return finish_sum(pool, constant, from);
}

ct_expr ct_expr_add(ct_pool *pool, ct_expr a, ct_expr b)
{
    return ct_expr_sum(pool, (ct_expr[]){a, b}, 2);
}

ct_expr ct_expr_sub(ct_pool *pool, ct_expr a, ct_expr b)
{
    if (!a || !b)
        return 0;
    uint32_t from = pool->pair.count;
    ct_expr constant = CT_ZERO;
    uint64_t all = (uint64_t)term_count(pool, a) + term_count(pool, b);
    add_term(pool, &constant, a, CT_ONE, all);
    add_term(pool, &constant, b, CT_MINUS_ONE, all);
    return finish_sum(pool, constant, from);
}

/* The sign of a sum stays outside; see the top. */
ct_expr ct_expr_neg(ct_pool *pool, ct_expr a)
{
    if (!a)
        return 0;
    return ct_expr_is_number(pool, a) ? ct_num_neg(pool, a) : scaled(pool, a, CT_MINUS_ONE);
}

/* ---- products */

/* x^p stays a call when the power is too large to be a number, or p is not exact. */
static ct_expr opaque_power(ct_pool *pool, ct_expr x, ct_expr p)
{
    return ct_make_call(pool, CT_OP_POW, (ct_expr[]){x, p}, 2);
}

/* Multiplies *constant by number^p, p whole; false: 0 to a negative power. */
static bool put_number_power(ct_pool *pool, ct_expr *constant, ct_expr number, ct_expr p)
{
    int64_t n;
    ct_number power;
    if (number == CT_ZERO && ct_num_sign(pool, p) < 0)
        return false;
    if (ct_number_to_int(ct_number_at(pool, p), &n) &&
        ct_number_pow(pool->arena, ct_number_at(pool, number), n, &power))
        *constant = ct_num_mul(pool, *constant, ct_intern_number(pool, &power));
    else
        push_pair(pool, opaque_power(pool, number, p), CT_ONE);
    return true;
}

/* number^p, p a fraction: exact where it can be, else a factor with an exponent in (0, 1). */
static bool put_number_root(ct_pool *pool, ct_expr *constant, ct_expr number, ct_expr p)
{
    ct_number q = *ct_number_at(pool, p), root;
    if (number == CT_ZERO) {
        *constant = CT_ZERO;
        return ct_number_sign(&q) > 0;
    }
    ct_number x = *ct_number_at(pool, number);
    double inexact = x.form == CT_REAL ? pow(x.real, ct_number_double(&q)) : NAN;
    if (isfinite(inexact)) {
        *constant = ct_num_mul(pool, *constant, ct_expr_real(pool, inexact));
        return true;
    }
    if (q.form == CT_SMALL && ct_number_root(pool->arena, &x, q.den, &root)) {
        ct_expr whole = ct_expr_int(pool, q.num);
        return put_number_power(pool, constant, ct_intern_number(pool, &root), whole);
    }
    ct_number whole = ct_number_floor(pool->arena, &q), back = ct_number_neg(&whole);
    if (ct_number_sign(&whole) &&
        !put_number_power(pool, constant, number, ct_intern_number(pool, &whole)))
        return false;
    ct_number rest = ct_number_add(pool->arena, &q, &back);
    push_pair(pool, number, ct_intern_number(pool, &rest));
    return true;
}

static bool is_long_product(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    return node->kind == CT_EXPR_PRODUCT && node->count >= LONG_PRODUCT;
}

/* (c x^a y^b ...)^p for whole p, and (x^a)^p for a fraction a, where x is not negative anyway. */
static bool put_product_power(ct_pool *pool, ct_expr *constant, ct_expr e, ct_expr p)
{
    ct_expr_node node = *ct_node_at(pool, e);
    ct_expr c = pool->word.at[node.first];
    if (stays_whole(pool, e)) {
        push_pair(pool, e, p);
        return true;
    }
    bool root_of_root =
        node.count == 1 && c == CT_ONE && !is_whole(pool, pool->word.at[node.first + 2]);
    if (!is_whole(pool, p) && !root_of_root) {
        push_pair(pool, e, p);
        return true;
    }
    if (c != CT_ONE && !put_number_power(pool, constant, c, p))
        return false;
    if (is_long_product(pool, e)) {
        push_pair(pool, c == CT_ONE ? e : strip(pool, e), p);
        return true;
    }
    for (uint32_t i = 0; i < node.count; i++) {
        ct_expr x = pool->word.at[node.first + 1 + 2 * i];
        push_pair(pool, x, ct_num_mul(pool, pool->word.at[node.first + 2 + 2 * i], p));
    }
    return true;
}

/* Multiplies what is being collected by e^p; false: division by zero. */
static bool add_factor(ct_pool *pool, ct_expr *constant, ct_expr e, ct_expr p)
{
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    if (p == CT_ZERO)
        return true;
    if (kind == CT_EXPR_NUMBER && p == CT_ONE)
        *constant = ct_num_mul(pool, *constant, e);
    else if (kind == CT_EXPR_NUMBER && is_whole(pool, p))
        return put_number_power(pool, constant, e, p);
    else if (kind == CT_EXPR_NUMBER)
        return put_number_root(pool, constant, e, p);
    else if (kind == CT_EXPR_PRODUCT)
        return put_product_power(pool, constant, e, p);
    else
        push_pair(pool, e, p);
    return true;
}

/* After collecting, a root of a number or product can have become a whole power of it. */
static bool is_settled(const ct_pool *pool, ct_collected p)
{
    ct_expr_kind kind = ct_expr_kind_of(pool, p.x);
    if (kind == CT_EXPR_PRODUCT)
        return !is_whole(pool, p.c) || is_long_product(pool, p.x) || stays_whole(pool, p.x);
    const ct_number *c = ct_number_at(pool, p.c);
    return kind != CT_EXPR_NUMBER ||
           (ct_number_sign(c) > 0 && ct_number_compare(c, ct_number_at(pool, CT_ONE)) < 0);
}

static bool settle(ct_pool *pool, ct_expr *constant, uint32_t from)
{
    for (bool again = true; again;) {
        again = false;
        collect(pool, from);
        uint32_t count = pool->pair.count;
        for (uint32_t i = from; i < count; i++) {
            ct_collected p = pool->pair.at[i];
            if (is_settled(pool, p))
                continue;
            pool->pair.at[i].c = CT_ZERO; /* dropped by the next round */
            again = true;
            if (!add_factor(pool, constant, p.x, p.c))
                return false;
        }
    }
    return true;
}

static ct_expr finish_product(ct_pool *pool, ct_expr constant, uint32_t from)
{
    if (!settle(pool, &constant, from)) {
        pool->pair.count = from;
        return 0;
    }
    uint32_t count = pool->pair.count - from;
    if (constant == CT_ZERO || count == 0) {
        pool->pair.count = from;
        return constant;
    }
    ct_collected only = pool->pair.at[from];
    bool alone = count == 1 && only.c == CT_ONE;
    bool spread = alone && constant != CT_MINUS_ONE && ct_is(pool, only.x, CT_EXPR_SUM) &&
                  !ct_node_at(pool, only.x)->held;
    if (!(alone && constant == CT_ONE) && !spread)
        return intern_pairs(pool, CT_EXPR_PRODUCT, constant, from);
    pool->pair.count = from;
    if (constant == CT_ONE)
        return only.x;
    ct_expr start = CT_ZERO;
    add_sum(pool, &start, *ct_node_at(pool, only.x), constant);
    return finish_sum(pool, start, from);
}

ct_expr ct_expr_product(ct_pool *pool, const ct_expr *factors, uint32_t count)
{
    uint32_t from = pool->pair.count;
    ct_expr constant = CT_ONE;
    for (uint32_t i = 0; i < count; i++)
        if (!factors[i] || !add_factor(pool, &constant, factors[i], CT_ONE)) {
            pool->pair.count = from;
            return 0;
        }
    return finish_product(pool, constant, from);
}

ct_expr ct_expr_mul(ct_pool *pool, ct_expr a, ct_expr b)
{
    return ct_expr_product(pool, (ct_expr[]){a, b}, 2);
}

ct_expr ct_expr_div(ct_pool *pool, ct_expr a, ct_expr b)
{
    uint32_t from = pool->pair.count;
    ct_expr constant = CT_ONE;
    if (!a || !b || b == CT_ZERO)
        return 0;
    if (add_factor(pool, &constant, a, CT_ONE) && add_factor(pool, &constant, b, CT_MINUS_ONE))
        return finish_product(pool, constant, from);
    pool->pair.count = from;
    return 0;
}

ct_expr ct_expr_pow(ct_pool *pool, ct_expr a, ct_expr b)
{
    if (!a || !b)
        return 0;
    if (!ct_expr_is_exact(pool, b))
        return ct_expr_call(pool, CT_OP_POW, (ct_expr[]){a, b}, 2);
    uint32_t from = pool->pair.count;
    ct_expr constant = CT_ONE;
    if (add_factor(pool, &constant, a, b))
        return finish_product(pool, constant, from);
    pool->pair.count = from;
    return 0;
}

ct_expr ct_make_call(ct_pool *pool, ct_op op, const ct_expr *operands, uint32_t count)
{
    uint64_t fingerprint = ct_fingerprint_node(pool, CT_EXPR_CALL, op, operands, count);
    return ct_intern_node(pool, CT_EXPR_CALL, op, operands, count, fingerprint);
}

/* carry.c - copies from pool to pool. */
#include <string.h>

#include "expr/pool.h"
#include "simplify/task.h"

static const uint64_t *copy_limbs(ct_arena *arena, const uint64_t *limb, int32_t count)
{
    size_t limbs = (size_t)(count < 0 ? -count : count);
    uint64_t *copy = CT_NEW_ARRAY(arena, uint64_t, limbs);
    memcpy(copy, limb, limbs * sizeof *copy);
    return copy;
}

ct_expr ct_carry_number(ct_pool *from, ct_expr number, ct_pool *to)
{
    ct_number n = *ct_number_at(from, number);
    if (n.form == CT_BIG) {
        n.num_at = copy_limbs(to->arena, n.num_at, n.num_limbs);
        n.den_at = copy_limbs(to->arena, n.den_at, n.den_limbs);
    }
    return ct_intern_number(to, &n);
}

typedef struct carrier {
    ct_pool *from, *to;
    ct_map *known;
    CT_VEC(ct_expr) part;
    CT_VEC(ct_expr) todo; /* a stack */
} carrier;

static ct_expr weighted(carrier *c, ct_expr e, uint32_t i, ct_expr x)
{
    ct_expr_kind kind = ct_expr_kind_of(c->from, e);
    if (kind == CT_EXPR_CALL)
        return x;
    ct_expr weight = ct_carry_number(c->from, ct_expr_coefficient(c->from, e, i), c->to);
    return kind == CT_EXPR_SUM ? ct_expr_mul(c->to, weight, x) : ct_expr_pow(c->to, x, weight);
}

static ct_expr composed(carrier *c, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(c->from, e);
    c->part.count = 0;
    for (uint32_t i = 0; i < ct_expr_arity(c->from, e); i++) {
        ct_expr x = ct_map_get(c->known, ct_expr_operand(c->from, e, i));
        CT_PUSH(c->known->arena, c->part, weighted(c, e, i, x));
    }
    if (kind == CT_EXPR_CALL)
        return ct_expr_call(c->to, ct_expr_op(c->from, e), c->part.at, c->part.count);
    ct_expr constant = ct_carry_number(c->from, ct_expr_constant(c->from, e), c->to);
    CT_PUSH(c->known->arena, c->part, constant);
    return kind == CT_EXPR_SUM ? ct_expr_sum(c->to, c->part.at, c->part.count)
                               : ct_expr_product(c->to, c->part.at, c->part.count);
}

static ct_expr copy_of(carrier *c, ct_expr e)
{
    if (ct_expr_is_number(c->from, e))
        return ct_carry_number(c->from, e, c->to);
    if (ct_expr_kind_of(c->from, e) == CT_EXPR_SYMBOL)
        return ct_expr_symbol(c->to, ct_expr_name(c->from, e));
    return composed(c, e);
}

static bool is_ready(carrier *c, ct_expr e)
{
    bool ready = true;
    if (ct_expr_kind_of(c->from, e) <= CT_EXPR_SYMBOL)
        return true;
    for (uint32_t i = ct_expr_arity(c->from, e); i-- > 0;) {
        ct_expr x = ct_expr_operand(c->from, e, i);
        if (ct_map_get(c->known, x))
            continue;
        CT_PUSH(c->known->arena, c->todo, x);
        ready = false;
    }
    return ready;
}

/* What is below a known expression is not looked at. */
ct_expr ct_carry(ct_pool *from, ct_expr e, ct_pool *to, ct_map *known)
{
    carrier c = {.from = from, .to = to, .known = known};
    CT_PUSH(known->arena, c.todo, e);
    while (c.todo.count) {
        ct_expr x = c.todo.at[c.todo.count - 1];
        if (ct_map_get(known, x)) {
            c.todo.count--;
            continue;
        }
        if (!is_ready(&c, x))
            continue;
        ct_expr copy = copy_of(&c, x);
        if (!copy)
            return 0;
        ct_map_put(known, x, copy);
        c.todo.count--;
    }
    return ct_map_get(known, e);
}

/* ---- length */

/* A division inside of a divisor costs as much as NESTED characters: fractions below a fraction bar
 * are hard to read. */
enum { LONGEST = 1 << 30, PRINTED = 1 << 14, NESTED = 6 };

typedef struct size {
    uint32_t length;    /* about */
    uint32_t divisions; /* bars in it */
    uint32_t nested;    /* of these inside of a divisor */
} size;

typedef struct measure {
    ct_pool *pool;
    ct_arena *arena;
    ct_map at; /* expression -> index in size, plus 1 */
    CT_VEC(size) size;
} measure;

static uint32_t sum_up(uint32_t a, uint32_t b)
{
    return a + b < LONGEST ? a + b : LONGEST;
}

static void measure_node(void *user, ct_expr e)
{
    measure *m = user;
    size s = {.length = 2};
    bool divided = false;
    ct_expr_kind kind = ct_expr_kind_of(m->pool, e);
    if (kind == CT_EXPR_SYMBOL)
        s.length = ct_name_length(m->pool->ctx, ct_expr_name(m->pool, e));
    for (uint32_t i = 0; kind > CT_EXPR_SYMBOL && i < ct_expr_arity(m->pool, e); i++) {
        ct_expr operand = ct_expr_operand(m->pool, e, i);
        const size *x = &m->size.at[ct_map_get(&m->at, operand) - 1];
        bool below =
            kind == CT_EXPR_PRODUCT && ct_num_sign(m->pool, ct_expr_coefficient(m->pool, e, i)) < 0;
        divided |= below;
        s.length = sum_up(s.length, x->length + 3);
        s.divisions = sum_up(s.divisions, x->divisions);
        s.nested = sum_up(s.nested, below ? x->divisions : x->nested);
    }
    s.divisions += divided;
    CT_PUSH(m->arena, m->size, s);
    ct_map_put(&m->at, e, m->size.count);
}

static size measured(ct_pool *pool, ct_expr e, ct_arena *arena)
{
    measure m = {.pool = pool, .arena = arena};
    ct_map_init(&m.at, arena);
    ct_expr_walk(pool, &e, 1, measure_node, &m);
    return m.size.at[m.size.count - 1];
}

static size_t exact_length(ct_pool *pool, ct_expr e, ct_arena *arena, size about)
{
    if (about.length > PRINTED)
        return about.length;
    ct_text text = ct_text_new(arena);
    ct_expr_put(pool, &text, e);
    return text.length;
}

size_t ct_shown_length(ct_pool *pool, ct_expr e, ct_arena *arena)
{
    return exact_length(pool, e, arena, measured(pool, e, arena));
}

size_t ct_simplify_cost(ct_pool *pool, ct_expr e, ct_arena *arena)
{
    size s = measured(pool, e, arena);
    return exact_length(pool, e, arena, s) + NESTED * (size_t)s.nested;
}

/* ---- shape */

enum { DIVIDED = 1, BY_SUM = 2, BROKEN = 4 }; /* holds: a division, one by a sum, no ratio */

typedef struct shape {
    ct_pool *pool;
    ct_map at; /* expression -> its flags; none: 0 */
} shape;

static uint32_t factor_shape(shape *s, ct_expr product, uint32_t i)
{
    ct_expr x = ct_expr_operand(s->pool, product, i), p = ct_expr_coefficient(s->pool, product, i);
    uint32_t flags = ct_map_get(&s->at, x);
    if (!ct_number_is_integer(ct_number_at(s->pool, p)))
        return 0; /* a root: what stands under it is another matter */
    if (ct_num_sign(s->pool, p) > 0)
        return flags;
    bool sum = ct_expr_kind_of(s->pool, x) == CT_EXPR_SUM;
    return flags | DIVIDED | (sum ? BY_SUM : 0) | (flags & DIVIDED ? BROKEN : 0);
}

static void note_shape(void *user, ct_expr e)
{
    shape *s = user;
    ct_expr_kind kind = ct_expr_kind_of(s->pool, e);
    uint32_t flags = 0, count = kind > CT_EXPR_SYMBOL ? ct_expr_arity(s->pool, e) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kind == CT_EXPR_SUM)
            flags |= ct_map_get(&s->at, ct_expr_operand(s->pool, e, i));
        else if (kind == CT_EXPR_PRODUCT)
            flags |= factor_shape(s, e, i);
    }
    if (kind == CT_EXPR_SUM && flags & BY_SUM)
        flags |= BROKEN;
    if (flags)
        ct_map_put(&s->at, e, flags);
}

bool ct_is_ratio(ct_pool *pool, ct_expr e, ct_arena *arena)
{
    shape s = {.pool = pool};
    ct_map_init(&s.at, arena);
    ct_expr_walk(pool, &e, 1, note_shape, &s);
    return !(ct_map_get(&s.at, e) & BROKEN);
}

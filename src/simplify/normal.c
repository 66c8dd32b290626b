/* normal.c - an expression as a fraction of polynomials, from its operands up. */
#include <stdlib.h>

#include "expr/pool.h"
#include "simplify/task.h"

/* ---- what is a generator */

static ct_expr shown_of(ct_task *t, ct_expr e)
{
    uint32_t at = ct_map_get(&t->s->done, e);
    return at ? t->s->result.at[at - 1].shown : ct_simplify_carry(t->s, e);
}

/* The call with its operands simplified. */
static ct_expr call_shown(ct_task *t, ct_expr e)
{
    uint32_t count = ct_expr_arity(t->s->from, e);
    ct_expr *x = CT_NEW_ARRAY(t->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++)
        x[i] = shown_of(t, ct_expr_operand(t->s->from, e, i));
    return ct_expr_call(t->s->to, ct_expr_op(t->s->from, e), x, count);
}

static ct_expr root_shown(ct_task *t, ct_expr e)
{
    ct_expr x = shown_of(t, ct_expr_operand(t->s->from, e, 0));
    return ct_expr_pow(
        t->s->to, x, ct_carry_number(t->s->from, ct_expr_coefficient(t->s->from, e, 0), t->s->to));
}

static void add_atom(ct_task *t, ct_expr e)
{
    if (ct_map_get(&t->atom_of, e))
        return;
    CT_PUSH(t->arena, t->atom, (ct_atom){.e = e});
    ct_map_put(&t->atom_of, e, t->atom.count);
}

/* sin(x) and cos(x) come together, also when one of them is not there yet. */
static void add_call(ct_task *t, ct_expr e)
{
    ct_op op = ct_expr_op(t->s->from, e);
    add_atom(t, e);
    if (op != CT_OP_SIN && op != CT_OP_COS)
        return;
    ct_op wanted = op == CT_OP_SIN ? CT_OP_COS : CT_OP_SIN;
    ct_expr x = ct_expr_operand(t->s->from, e, 0);
    ct_expr partner = ct_expr_call1(t->s->from, wanted, x);
    if (partner && ct_is_call(t->s->from, partner, wanted))
        add_atom(t, partner);
}

/* x^(k/n) = x^whole * (x^(1/n))^rest */
typedef struct root {
    int64_t whole, rest, n;
} root;

static bool split_power(const ct_number *p, root *out)
{
    if (p->form != CT_SMALL || p->den > CT_MOST_POWER)
        return false;
    out->n = p->den;
    out->whole = p->num / p->den;
    out->rest = p->num % p->den;
    if (out->rest < 0) {
        out->whole--;
        out->rest += p->den;
    }
    return true;
}

static ct_expr root_of(ct_task *t, ct_expr x, int64_t n)
{
    return ct_expr_pow(t->s->from, x, ct_expr_ratio(t->s->from, 1, n));
}

static void add_roots(ct_task *t, ct_expr product)
{
    for (uint32_t i = 0; i < ct_expr_arity(t->s->from, product); i++) {
        root r;
        ct_expr p = ct_expr_coefficient(t->s->from, product, i);
        if (split_power(ct_number_at(t->s->from, p), &r) && r.rest)
            add_atom(t, root_of(t, ct_expr_operand(t->s->from, product, i), r.n));
    }
}

/* ---- the nodes between the root and the generators */

static void add_node(ct_task *t, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(t->s->from, e);
    CT_PUSH(t->arena, t->node, (ct_task_node){.e = e});
    ct_map_put(&t->node_of, e, t->node.count);
    if (kind == CT_EXPR_SYMBOL || (kind == CT_EXPR_NUMBER && !ct_expr_is_exact(t->s->from, e)))
        add_atom(t, e);
    else if (kind == CT_EXPR_CALL)
        add_call(t, e);
    else if (kind == CT_EXPR_PRODUCT)
        add_roots(t, e);
    for (uint32_t i = 0; kind == CT_EXPR_SUM && i < ct_expr_arity(t->s->from, e); i++)
        if (!ct_expr_is_exact(t->s->from, ct_expr_coefficient(t->s->from, e, i)))
            add_atom(t, ct_expr_coefficient(t->s->from, e, i));
    if ((kind == CT_EXPR_SUM || kind == CT_EXPR_PRODUCT) &&
        !ct_expr_is_exact(t->s->from, ct_expr_constant(t->s->from, e)))
        add_atom(t, ct_expr_constant(t->s->from, e));
}

typedef struct visit {
    ct_expr e;
    uint32_t next; /* operand */
} visit;

static void list_nodes(ct_task *t, ct_expr e)
{
    ct_pool *pool = t->s->from;
    CT_VEC(visit) stack = {0};
    CT_PUSH(t->arena, stack, (visit){e, 0});
    while (stack.count) {
        visit *v = &stack.at[stack.count - 1];
        ct_expr_kind kind = ct_expr_kind_of(pool, v->e);
        bool inner = kind == CT_EXPR_SUM || kind == CT_EXPR_PRODUCT;
        if (inner && v->next < ct_expr_arity(pool, v->e)) {
            ct_expr x = ct_expr_operand(pool, v->e, v->next++);
            if (!ct_map_get(&t->node_of, x))
                CT_PUSH(t->arena, stack, (visit){x, 0});
            continue;
        }
        ct_expr done = v->e;
        stack.count--;
        if (!ct_map_get(&t->node_of, done))
            add_node(t, done);
    }
}

/* ---- variables in the deterministic order */

static void sort_atoms(ct_task *t)
{
    ct_pool *pool = t->s->from;
    uint32_t first = pool->pair.count;
    for (uint32_t i = 0; i < t->atom.count; i++)
        CT_PUSH(pool->arena, pool->pair, (ct_collected){t->atom.at[i].e, 0});
    ct_sort_pairs(pool, first);
    for (uint32_t i = 0; i < t->atom.count; i++) {
        t->atom.at[i].e = pool->pair.at[first + i].x;
        ct_map_put(&t->atom_of, t->atom.at[i].e, i + 1);
    }
    pool->pair.count = first;
}

static bool is_root(ct_pool *pool, ct_expr e)
{
    return ct_is(pool, e, CT_EXPR_PRODUCT) && ct_expr_arity(pool, e) == 1 &&
           ct_expr_constant(pool, e) == CT_ONE;
}

static void show_atom(ct_task *t, ct_atom *a)
{
    ct_pool *pool = t->s->from;
    ct_expr_kind kind = ct_expr_kind_of(pool, a->e);
    a->shown = kind == CT_EXPR_CALL  ? call_shown(t, a->e)
               : is_root(pool, a->e) ? root_shown(t, a->e)
                                     : ct_simplify_carry(t->s, a->e);
    if (!a->shown)
        a->shown = ct_simplify_carry(t->s, a->e);
    a->length = ct_shown_length(t->s->to, a->shown, t->arena);
}

static slong variable_of(const ct_task *t, ct_expr e)
{
    return (slong)ct_map_get(&t->atom_of, e) - 1;
}

static void add_circle(ct_task *t, uint32_t i)
{
    ct_pool *pool = t->s->from;
    ct_expr x = ct_expr_operand(pool, t->atom.at[i].e, 0);
    slong other = variable_of(t, ct_expr_call1(pool, CT_OP_COS, x));
    if (other < 0)
        return;
    fmpz_mpoly_struct *value = ct_ring_poly(&t->ring);
    fmpz_mpoly_gen(value, other, t->ring.ctx);
    fmpz_mpoly_pow_ui(value, value, 2, t->ring.ctx);
    fmpz_mpoly_neg(value, value, t->ring.ctx);
    fmpz_mpoly_add_ui(value, value, 1, t->ring.ctx);
    ct_relation r = {.variable = (slong)i, .other = other, .power = 2, .value = value};
    CT_PUSH(t->arena, t->ring.relation, r);
}

static void prepare(ct_task *t)
{
    ct_ring_open(&t->ring, (slong)(t->atom.count + t->spare));
    for (uint32_t i = 0; i < t->atom.count; i++)
        if (ct_is_call(t->s->from, t->atom.at[i].e, CT_OP_SIN))
            add_circle(t, i);
}

/* ---- values */

static ct_fraction *atom_value(ct_task *t, ct_expr e)
{
    ct_fraction *f = ct_ring_fraction(&t->ring);
    ct_fraction_set_variable(&t->ring, f, variable_of(t, e));
    return f;
}

static ct_fraction *number_value(ct_task *t, ct_expr number)
{
    if (variable_of(t, number) >= 0)
        return atom_value(t, number);
    ct_fraction *f = ct_ring_fraction(&t->ring);
    ct_fraction_set_number(&t->ring, f, ct_number_at(t->s->from, number));
    return f;
}

static ct_fraction *value_of(ct_task *t, ct_expr e)
{
    return t->node.at[ct_map_get(&t->node_of, e) - 1].value;
}

typedef struct addend {
    ct_fraction *value;
    uint32_t place;
} addend;

/* Those with short divisors first: -b*c/d is what elimination adds to a, step by step, and after
 * each step the divisor of the step before cancels. In another order nothing does until the end. */
static int compare_addends(const void *a, const void *b)
{
    const addend *x = a, *y = b;
    slong left = x->value->den->length, right = y->value->den->length;
    if (left != right)
        return left < right ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static ct_fraction *scaled(ct_task *t, ct_fraction *x, ct_expr coefficient)
{
    if (coefficient == CT_ONE)
        return x;
    ct_fraction *product = number_value(t, coefficient);
    ct_fraction_mul(&t->ring, product, x);
    return product;
}

static ct_fraction *sum_value(ct_task *t, ct_expr e)
{
    ct_pool *pool = t->s->from;
    uint32_t count = ct_expr_arity(pool, e);
    addend *list = CT_NEW_ARRAY(t->arena, addend, count + 1);
    for (uint32_t i = 0; !t->ring.over && i < count; i++) {
        ct_fraction *x = value_of(t, ct_expr_operand(pool, e, i));
        list[i] = (addend){scaled(t, x, ct_expr_coefficient(pool, e, i)), i};
    }
    ct_fraction *sum = number_value(t, ct_expr_constant(pool, e));
    if (!t->ring.over)
        qsort(list, count, sizeof *list, compare_addends);
    for (uint32_t i = 0; !t->ring.over && i < count; i++)
        ct_fraction_add(&t->ring, sum, list[i].value);
    return sum;
}

/* r^n = x lets powers of r vanish; known once x is. */
static void add_root_relation(ct_task *t, slong variable, const ct_fraction *x, int64_t n)
{
    for (uint32_t i = 0; i < t->ring.relation.count; i++)
        if (t->ring.relation.at[i].variable == variable)
            return;
    if (!fmpz_mpoly_is_one(x->den, t->ring.ctx))
        return;
    fmpz_mpoly_struct *value = ct_ring_poly(&t->ring);
    fmpz_mpoly_set(value, x->num, t->ring.ctx);
    ct_relation r = {.variable = variable, .other = -1, .power = (ulong)n, .value = value};
    CT_PUSH(t->arena, t->ring.relation, r);
}

static void multiply_root(ct_task *t, ct_fraction *product, ct_expr x, root r)
{
    ct_fraction *power = ct_ring_fraction(&t->ring);
    ct_expr atom = root_of(t, x, r.n);
    add_root_relation(t, variable_of(t, atom), value_of(t, x), r.n);
    if (ct_fraction_pow(&t->ring, power, atom_value(t, atom), r.rest))
        ct_fraction_mul(&t->ring, product, power);
}

static void multiply_power(ct_task *t, ct_fraction *product, ct_expr x, ct_expr p)
{
    root r;
    if (p == CT_ONE) {
        ct_fraction_mul(&t->ring, product, value_of(t, x));
        return;
    }
    if (!split_power(ct_number_at(t->s->from, p), &r)) {
        t->ring.over = true;
        return;
    }
    if (r.whole) {
        ct_fraction *power = ct_ring_fraction(&t->ring);
        if (ct_fraction_pow(&t->ring, power, value_of(t, x), r.whole))
            ct_fraction_mul(&t->ring, product, power);
    }
    if (r.rest && !t->ring.over)
        multiply_root(t, product, x, r);
}

static ct_fraction *product_value(ct_task *t, ct_expr e)
{
    ct_pool *pool = t->s->from;
    ct_fraction *product = number_value(t, ct_expr_constant(pool, e));
    for (uint32_t i = 0; !t->ring.over && i < ct_expr_arity(pool, e); i++)
        multiply_power(t, product, ct_expr_operand(pool, e, i), ct_expr_coefficient(pool, e, i));
    return product;
}

/* Too large: from here on it is a generator. */
static ct_fraction *cut(ct_task *t, ct_expr e)
{
    if (!t->spare)
        return NULL;
    t->spare--;
    t->ring.over = false;
    t->complete = false;
    ct_atom a = {.e = e, .shown = ct_simplify_carry(t->s, e)};
    a.length = ct_shown_length(t->s->to, a.shown, t->arena);
    CT_PUSH(t->arena, t->atom, a);
    ct_map_put(&t->atom_of, e, t->atom.count);
    return atom_value(t, e);
}

static ct_fraction *node_value(ct_task *t, ct_expr e)
{
    switch (ct_expr_kind_of(t->s->from, e)) {
    case CT_EXPR_NUMBER:
        return number_value(t, e);
    case CT_EXPR_SYMBOL:
    case CT_EXPR_CALL:
        return atom_value(t, e);
    case CT_EXPR_SUM:
        return sum_value(t, e);
    case CT_EXPR_PRODUCT:
        return product_value(t, e);
    }
    return NULL;
}

static ct_fraction *evaluate(ct_task *t, ct_expr e, uint32_t spare)
{
    t->spare = spare;
    prepare(t);
    for (uint32_t i = 0; i < t->node.count; i++) {
        ct_task_node *n = &t->node.at[i];
        n->value = node_value(t, n->e);
        if (t->ring.over && !(n->value = cut(t, n->e)))
            return NULL;
    }
    ct_fraction *f = value_of(t, e);
    if (t->ring.uncancelled) {
        t->ring.uncancelled = false;
        ct_fraction_settle(&t->ring, f);
        t->complete &= !t->ring.uncancelled;
    }
    return ct_ring_fits(&t->ring, f->num) && ct_ring_fits(&t->ring, f->den) ? f : NULL;
}

/* Spare variables make all monomials longer, and are rarely needed. */
ct_fraction *ct_normal_form(ct_task *t, ct_expr e)
{
    ct_map_init(&t->node_of, t->arena);
    ct_map_init(&t->atom_of, t->arena);
    list_nodes(t, e);
    sort_atoms(t);
    if (t->atom.count > CT_MOST_VARIABLES)
        return NULL;
    for (uint32_t i = 0; i < t->atom.count; i++)
        show_atom(t, &t->atom.at[i]);
    ct_fraction *f = evaluate(t, e, 0);
    if (f)
        return f;
    ct_ring_close(&t->ring);
    return evaluate(t, e, CT_SPARE);
}

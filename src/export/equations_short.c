/* equations_short.c - full simplification of what is shown.
 *
 * The list is made first; then each side is written anew in a pool of its own. A side that is
 * linear in unknowns and inputs keeps that structure,
 *
 *     a*x/d + b*u/d   or   (a*x + b*u)/d
 *
 * unless term by term, or as one expression, it is a good deal shorter. A pool keeps one form of a
 * value only: what is only tried is made in pools aside. */
#include <stdint.h>
#include <string.h>

#include "export/equations_make.h"

enum { WORTH = 8 }; /* one character in eight */

typedef struct shortener {
    maker *m;
    ct_pool *from;
    ct_simplifier *s;
    ct_pool *aside; /* where forms are tried */
    ct_simplifier *to_aside, *back;
    bool complete; /* of the present equation */
} shortener;

static ct_expr shortened(shortener *h, ct_expr e)
{
    bool complete = true;
    ct_expr out = ct_simplify_full(h->s, e, &complete);
    h->complete &= complete;
    return out;
}

static size_t cost_of(const shortener *h, ct_pool *pool, ct_expr e)
{
    return ct_simplify_cost(pool, e, h->m->arena);
}

static size_t side_cost(const shortener *h, const side_list *list)
{
    size_t cost = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const ct_side_term *t = &list->at[i];
        bool one = t->core && ct_expr_is_one(h->m->pool, t->factor);
        cost += (one ? 0 : cost_of(h, h->m->pool, t->factor) + 1) + (i ? 2 : 0);
        cost += t->core ? cost_of(h, h->m->pool, t->core) : 0;
    }
    return cost;
}

typedef struct counting {
    ct_pool *pool;
    size_t parts;
} counting;

static void count_parts(void *user, ct_expr e)
{
    counting *c = user;
    c->parts += ct_expr_arity(c->pool, e) + 1;
}

size_t ct_parts_in(ct_pool *pool, ct_expr e)
{
    counting c = {pool, 0};
    ct_expr_walk(pool, &e, 1, count_parts, &c);
    return c.parts;
}

/* Written out it is far longer than with names for what it shares: no form without them is short.
 */
static bool shares_much(const shortener *h, ct_expr e)
{
    size_t cost = cost_of(h, h->from, e);
    return cost > CT_LONG_FORM && cost > CT_MOST_SHARED * ct_parts_in(h->from, e);
}

/* ---- ways to write a side */

/* A core that is no longer a sum or a symbol goes to the factor. */
static ct_side_term shortened_term(shortener *h, const ct_side_term *t)
{
    ct_side_term out = {shortened(h, t->factor), 0};
    if (!t->core)
        return out;
    out.core = shortened(h, t->core);
    ct_expr_kind kind = ct_expr_kind_of(h->m->pool, out.core);
    if (kind == CT_EXPR_SYMBOL || kind == CT_EXPR_SUM || ct_is_turned(h->m->pool, out.core))
        return out;
    return (ct_side_term){ct_expr_mul(h->m->pool, out.factor, out.core), 0};
}

static side_list term_by_term(shortener *h, const ct_side *side)
{
    side_list out = {0};
    for (uint32_t i = 0; i < side->count; i++) {
        ct_side_term t = shortened_term(h, &side->term[i]);
        if (ct_expr_is_zero(h->m->pool, t.factor))
            continue;
        if (t.core)
            CT_PUSH(h->m->arena, out, t);
        else
            ct_side_split(h->m, &out, t.factor);
    }
    return out;
}

static ct_expr sum_of_side(shortener *h, const ct_side *side)
{
    ct_expr *term = CT_NEW_ARRAY(h->m->arena, ct_expr, side->count + 1);
    for (uint32_t i = 0; i < side->count; i++) {
        const ct_side_term *t = &side->term[i];
        term[i] = t->core ? ct_expr_mul(h->from, t->factor, t->core) : t->factor;
    }
    return ct_expr_sum(h->from, term, side->count);
}

static uint32_t variables_in(shortener *h, ct_expr e, ct_name *variable)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(h->from, e, &symbol), found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t q = ct_map_get(h->m->model->quantity_by_name, symbol[i]);
        if (ct_unknown_of(h->m, symbol[i]) || (q && h->m->model->quantity[q - 1].kind == CT_INPUT))
            variable[found++] = symbol[i];
    }
    return found;
}

/* Coefficient times variable, in the order of the variables; empty: not linear. */
static side_list as_linear(shortener *h, ct_expr e)
{
    side_list out = {0};
    maker *m = h->m;
    const ct_name *symbol;
    uint32_t all = ct_expr_symbols(h->from, e, &symbol);
    ct_name *variable = CT_NEW_ARRAY(m->arena, ct_name, all + 1);
    ct_expr *factor = CT_NEW_ARRAY(m->arena, ct_expr, all + 1), rest;
    uint32_t count = variables_in(h, e, variable);
    if (!count || !ct_expr_linear(h->from, e, variable, count, factor, &rest))
        return out;
    for (uint32_t i = 0; i < count; i++) {
        ct_side_term t = {shortened(h, factor[i]), ct_expr_symbol(m->pool, variable[i])};
        if (!ct_expr_is_zero(m->pool, t.factor))
            CT_PUSH(m->arena, out, t);
    }
    rest = shortened(h, rest);
    if (!ct_expr_is_zero(m->pool, rest))
        ct_side_split(m, &out, rest);
    return out;
}

/* What all of them are multiplied by. */
static ct_expr common_factor(shortener *h, const side_list *list, ct_expr divisor)
{
    ct_pool *pool = h->m->pool;
    ct_expr *part = CT_NEW_ARRAY(h->m->arena, ct_expr, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++)
        part[i] = ct_expr_pow(pool, ct_expr_mul(pool, list->at[i].factor, divisor),
                              ct_expr_int(pool, -1));
    return ct_common_denominator(h->m, part, list->count);
}

/* factor*(a*x + b*u)/divisor in a pool that `carry` leads to. */
static ct_expr below_bar(shortener *h, const side_list *list, ct_expr divisor, ct_pool *pool,
                         ct_simplifier *carry)
{
    ct_expr f = common_factor(h, list, divisor);
    f = carry ? ct_simplify_carry(carry, f) : f;
    ct_expr *term = CT_NEW_ARRAY(h->m->arena, ct_expr, list->count + 1);
    ct_expr d = carry ? ct_simplify_carry(carry, divisor) : divisor;
    for (uint32_t i = 0; i < list->count; i++) {
        ct_side_term t = list->at[i];
        if (carry) {
            t.factor = ct_simplify_carry(carry, t.factor);
            t.core = ct_simplify_carry(carry, t.core);
        }
        term[i] = ct_expr_div(pool, ct_expr_mul(pool, t.factor, d), f);
        if (t.core)
            term[i] = ct_expr_mul(pool, term[i], t.core);
    }
    ct_expr sum = ct_expr_sum(pool, term, list->count);
    return ct_expr_product(pool, (ct_expr[]){f, sum, ct_expr_div(pool, ct_expr_int(pool, 1), d)},
                           3);
}

static ct_expr divisor_of(shortener *h, const side_list *list)
{
    ct_expr *part = CT_NEW_ARRAY(h->m->arena, ct_expr, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++)
        part[i] = list->at[i].factor;
    return ct_common_denominator(h->m, part, list->count);
}

/* The cost of the linear form below a common bar; none: SIZE_MAX. */
static size_t bar_cost(shortener *h, const side_list *list, ct_expr divisor)
{
    ct_pool *to = h->m->pool;
    if (list->count < 2 ||
        (ct_expr_is_one(to, divisor) && ct_expr_is_one(to, common_factor(h, list, divisor))))
        return SIZE_MAX;
    ct_pool *pool = ct_pool_new(h->m->model->ctx);
    ct_simplifier *carry = ct_simplifier_new(h->m->arena, to, pool, ct_default_simplify_budget());
    ct_expr e = below_bar(h, list, divisor, pool, carry);
    size_t cost = cost_of(h, pool, e);
    ct_pool_free(pool);
    return cost;
}

/* ---- the choice */

typedef struct choice {
    side_list list;
    size_t cost; /* SIZE_MAX: there is none */
    bool complete;
} choice;

static choice structured(shortener *h, ct_expr e)
{
    choice c = {.list = as_linear(h, e), .cost = SIZE_MAX};
    if (!c.list.count)
        return c;
    ct_expr divisor = divisor_of(h, &c.list);
    size_t plain = side_cost(h, &c.list), bar = bar_cost(h, &c.list, divisor);
    c.cost = bar <= plain ? bar : plain;
    if (bar > plain)
        return c;
    ct_expr one = below_bar(h, &c.list, divisor, h->m->pool, NULL);
    memset(&c.list, 0, sizeof c.list);
    ct_side_split(h->m, &c.list, one);
    return c;
}

/* Term by term or as one expression, in the pool aside. */
static choice free_form(shortener *h, const ct_side *side, ct_expr e)
{
    choice terms = {.list = term_by_term(h, side)}, whole = {0};
    terms.cost = side_cost(h, &terms.list);
    ct_expr one = shortened(h, e);
    whole.cost = cost_of(h, h->m->pool, one);
    if (whole.cost >= terms.cost)
        return terms;
    ct_side_split(h->m, &whole.list, one);
    return whole;
}

static void go_aside(shortener *h)
{
    ct_pool *pool = h->m->pool;
    ct_simplifier *s = h->s;
    h->m->pool = h->aside;
    h->s = h->to_aside;
    h->aside = pool;
    h->to_aside = s;
}

static void carry_back(shortener *h, const side_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        ct_side_term *t = &list->at[i];
        t->factor = ct_simplify_carry(h->back, t->factor);
        t->core = ct_simplify_carry(h->back, t->core);
    }
}

static void carry_side(shortener *h, const ct_side *side)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_side_term *t = &side->term[i];
        t->factor = ct_simplify_carry(h->s, t->factor);
        t->core = ct_simplify_carry(h->s, t->core);
    }
}

static ct_side shorten_side(shortener *h, const ct_side *side)
{
    ct_expr e = sum_of_side(h, side);
    if (shares_much(h, e)) {
        carry_side(h, side);
        h->complete = false;
        return ct_side_lead(h->m, *side);
    }
    bool before = h->complete;
    h->complete = true;
    choice a = structured(h, e);
    a.complete = h->complete;
    h->complete = true;
    go_aside(h);
    choice b = free_form(h, side, e);
    go_aside(h);
    if (a.cost != SIZE_MAX && WORTH * b.cost >= (WORTH - 1) * a.cost) {
        b = a;
        h->complete = a.complete;
    } else {
        carry_back(h, &b.list);
    }
    h->complete &= before;
    return ct_side_lead(h->m, (ct_side){b.list.at, b.list.count});
}

/* ---- equations */

static bool is_solved(const maker *m, const ct_equation *e)
{
    return e->left.count == 1 &&
           (!e->left.term[0].core
                ? ct_expr_kind_of(m->pool, e->left.term[0].factor) != CT_EXPR_PRODUCT
                : ct_expr_is_one(m->pool, e->left.term[0].factor));
}

/* What all terms are divided by is dropped once more: now it can be seen. */
static void clear_divisor(shortener *h, ct_equation *e)
{
    maker *m = h->m;
    ct_side *side[] = {&e->left, &e->right};
    ct_expr *part = CT_NEW_ARRAY(m->arena, ct_expr, e->left.count + e->right.count + 1);
    uint32_t count = 0;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < side[k]->count; i++)
            part[count++] = side[k]->term[i].factor;
    ct_expr common = ct_common_denominator(m, part, count);
    if (ct_expr_is_one(m->pool, common))
        return;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < side[k]->count; i++)
            side[k]->term[i].factor = ct_expr_mul(m->pool, side[k]->term[i].factor, common);
}

static void shorten_equation(shortener *h, ct_equation *e)
{
    maker *m = h->m;
    h->complete = true;
    side_list left = term_by_term(h, &e->left);
    e->left = (ct_side){left.at, left.count};
    e->right = shorten_side(h, &e->right);
    if (!is_solved(m, e))
        clear_divisor(h, e);
    if (h->complete)
        return;
    m->list->unfinished++;
    e->note = ct_printf(m->model->ctx, "%s%snot simplified in full", e->note ? e->note : "",
                        e->note ? "; " : "");
}

/* The derivation stays as it was made, but comes last: in a pool the oldest form of a value wins.
 */
static void shorten_groups(shortener *h, bool trace, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const ct_equation_group *g = &h->m->group.at[i];
        if ((g->kind == CT_GROUP_TRACE) != trace)
            continue;
        for (uint32_t k = 0; k < g->count; k++) {
            if (!trace && h->m->def.simplify == CT_SIMPLIFY_FULL) {
                shorten_equation(h, &g->equation[k]);
                continue;
            }
            carry_side(h, &g->equation[k].left);
            carry_side(h, &g->equation[k].right);
        }
    }
}

/* What was made last, from `first` on, comes before the rest. */
static void put_first(maker *m, uint32_t first)
{
    uint32_t count = m->group.count;
    ct_equation_group *sorted = CT_NEW_ARRAY(m->arena, ct_equation_group, count + 1);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = m->group.at[(first + i) % count];
    m->group.at = sorted;
    m->group.room = count;
}

void ct_shorten(maker *m)
{
    shortener h = {.m = m, .from = m->pool};
    ct_simplify_budget budget = ct_default_simplify_budget();
    m->pool = m->list->pool = m->list->own_pool = ct_pool_new(m->model->ctx);
    h.s = m->list->simplifier = ct_simplifier_new(m->arena, h.from, m->pool, budget);
    h.aside = ct_pool_new(m->model->ctx);
    h.to_aside = ct_simplifier_new(m->arena, h.from, h.aside, budget);
    h.back = ct_simplifier_new(m->arena, h.aside, m->pool, budget);
    uint32_t count = m->group.count;
    if (ct_shows_motion(m))
        ct_show_motion(m);
    shorten_groups(&h, false, count);
    shorten_groups(&h, true, count);
    put_first(m, count);
    ct_pool_free(h.aside);
}

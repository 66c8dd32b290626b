/* equations_short.c - full simplification of what is shown.
 *
 * The list is made first; then each side is written anew in a pool of its own: term by term, as a
 * linear form in unknowns and inputs, or as one expression, whichever is shortest. */
#include <string.h>

#include "export/equations_make.h"

typedef struct shortener {
    maker *m;
    ct_pool *from;
    ct_simplifier *s;
    bool complete; /* of the present equation */
} shortener;

static ct_expr shortened(shortener *h, ct_expr e)
{
    bool complete = true;
    ct_expr out = ct_simplify_full(h->s, e, &complete);
    h->complete &= complete;
    return out;
}

static size_t side_length(const shortener *h, const side_list *list)
{
    ct_text text = ct_text_new(h->m->arena);
    ct_side side = {list->at, list->count};
    ct_side_put(h->m->list, &side, false, &text);
    return text.length;
}

/* ---- three ways to write a side */

static side_list term_by_term(shortener *h, const ct_side *side)
{
    side_list out = {0};
    for (uint32_t i = 0; i < side->count; i++) {
        ct_expr factor = shortened(h, side->term[i].factor);
        if (ct_expr_is_zero(h->m->pool, factor))
            continue;
        if (side->term[i].core)
            CT_PUSH(h->m->arena, out,
                    (ct_side_term){factor, ct_simplify_carry(h->s, side->term[i].core)});
        else
            ct_side_split(h->m, &out, factor);
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

static side_list as_whole(shortener *h, ct_expr e)
{
    side_list out = {0};
    ct_expr whole = shortened(h, e);
    if (!ct_expr_is_zero(h->m->pool, whole))
        ct_side_split(h->m, &out, whole);
    return out;
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

static void keep_shorter(shortener *h, side_list *best, side_list other)
{
    if (other.count && side_length(h, &other) < side_length(h, best))
        *best = other;
}

static ct_side shorten_side(shortener *h, const ct_side *side)
{
    side_list best = term_by_term(h, side);
    ct_expr e = sum_of_side(h, side);
    if (!ct_expr_is_number(h->from, e) && ct_expr_kind_of(h->from, e) != CT_EXPR_SYMBOL) {
        keep_shorter(h, &best, as_linear(h, e));
        keep_shorter(h, &best, as_whole(h, e));
    }
    return ct_side_lead(h->m, (ct_side){best.at, best.count});
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

static void carry_side(shortener *h, ct_side *side)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_side_term *t = &side->term[i];
        t->factor = ct_simplify_carry(h->s, t->factor);
        t->core = ct_simplify_carry(h->s, t->core);
    }
}

/* The derivation stays as it was made. */
void ct_shorten(maker *m)
{
    shortener h = {.m = m, .from = m->pool};
    m->pool = m->list->pool = m->list->own_pool = ct_pool_new(m->model->ctx);
    h.s = ct_simplifier_new(m->arena, h.from, m->pool, ct_default_simplify_budget());
    m->list->simplifier = h.s;
    for (uint32_t i = 0; i < m->group.count; i++)
        for (uint32_t k = 0; k < m->group.at[i].count; k++) {
            ct_equation *e = &m->group.at[i].equation[k];
            if (m->group.at[i].kind != CT_GROUP_TRACE) {
                shorten_equation(&h, e);
                continue;
            }
            carry_side(&h, &e->left);
            carry_side(&h, &e->right);
        }
}

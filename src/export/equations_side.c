/* equations_side.c - left and right sides: what a person would write by hand. */
#include <stdlib.h>
#include <string.h>

#include "export/equations_make.h"

ct_expr ct_unknown_expr(const maker *m, uint32_t unknown)
{
    return ct_expr_symbol(m->pool, m->system->unknown[unknown].name);
}

/* Expressing variables may have made unknowns after the system was finished: not of interest here.
 */
uint32_t ct_unknown_of(const maker *m, ct_name name)
{
    uint32_t u = ct_index_get(m->system->unknown_by_name, name);
    return u < m->system->unknown_count ? u : 0;
}

bool ct_has_unknown(const maker *m, ct_expr e)
{
    const ct_name *symbol;
    if (ct_expr_is_number(m->pool, e))
        return false;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++)
        if (ct_unknown_of(m, symbol[i]))
            return true;
    return false;
}

ct_expr ct_row_sum(const maker *m, const ct_term *term, uint32_t count, ct_expr rest)
{
    ct_expr *part = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++)
        part[i] = ct_expr_mul(m->pool, term[i].factor, ct_unknown_expr(m, term[i].unknown));
    part[count] = rest;
    return ct_expr_sum(m->pool, part, count + 1);
}

static bool is_negative(const maker *m, ct_expr e)
{
    if (ct_expr_is_number(m->pool, e))
        return ct_expr_to_double(m->pool, e) < 0;
    return ct_expr_kind_of(m->pool, e) == CT_EXPR_PRODUCT &&
           ct_expr_to_double(m->pool, ct_expr_constant(m->pool, e)) < 0;
}

static double power_in(const maker *m, ct_expr e, ct_expr x)
{
    for (uint32_t i = 0;
         ct_expr_kind_of(m->pool, e) == CT_EXPR_PRODUCT && i < ct_expr_arity(m->pool, e); i++)
        if (ct_expr_operand(m->pool, e, i) == x)
            return ct_expr_to_double(m->pool, ct_expr_coefficient(m->pool, e, i));
    return 0;
}

/* Dividing term by term pays when the divisor cancels in all terms but one: (a*R - v - b*R)/R. */
static bool divides_most(const maker *m, const ct_expr *part, uint32_t count, ct_expr divisor)
{
    uint32_t hit = 0;
    if (ct_expr_kind_of(m->pool, divisor) != CT_EXPR_SYMBOL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        hit += part[i] == divisor || power_in(m, part[i], divisor) > 0;
    return hit > 0 && hit + 1 >= count;
}

ct_expr ct_row_solved(const maker *m, const ct_shown *row, uint32_t unknown)
{
    ct_expr *part = CT_NEW_ARRAY(m->arena, ct_expr, row->term_count + 1), factor = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < row->term_count; i++) {
        const ct_term *t = &row->term[i];
        if (t->unknown == unknown)
            factor = t->factor;
        else
            part[count++] = ct_expr_mul(m->pool, t->factor, ct_unknown_expr(m, t->unknown));
    }
    if (!factor)
        return 0;
    if (!ct_expr_is_zero(m->pool, row->rest))
        part[count++] = row->rest;
    bool turned = is_negative(m, factor);
    ct_expr divisor = turned ? ct_expr_neg(m->pool, factor) : factor;
    bool one_by_one = divides_most(m, part, count, divisor);
    for (uint32_t i = 0; one_by_one && i < count; i++)
        part[i] = ct_expr_div(m->pool, part[i], divisor);
    ct_expr sum = ct_expr_sum(m->pool, part, count);
    if (!one_by_one)
        sum = ct_expr_div(m->pool, sum, divisor);
    return turned ? sum : ct_expr_neg(m->pool, sum);
}

/* ---- pieces of a sum */

typedef CT_VEC(ct_expr) piece_list;

/* -1 * (a - b), which stands for b - a. */
bool ct_is_turned(ct_pool *pool, ct_expr e)
{
    int64_t c;
    return ct_expr_kind_of(pool, e) == CT_EXPR_PRODUCT && ct_expr_arity(pool, e) == 1 &&
           ct_expr_kind_of(pool, ct_expr_operand(pool, e, 0)) == CT_EXPR_SUM &&
           ct_expr_is_one(pool, ct_expr_coefficient(pool, e, 0)) &&
           ct_expr_to_int(pool, ct_expr_constant(pool, e), &c) && c == -1;
}

static void put_pieces(const maker *m, piece_list *out, ct_expr e)
{
    bool turned = ct_is_turned(m->pool, e);
    ct_expr sum = turned ? ct_expr_operand(m->pool, e, 0) : e;
    if (ct_expr_is_zero(m->pool, e))
        return;
    if (ct_expr_kind_of(m->pool, sum) != CT_EXPR_SUM) {
        CT_PUSH(m->arena, *out, e);
        return;
    }
    uint32_t count = ct_expr_arity(m->pool, sum);
    for (uint32_t i = 0; i <= count; i++) {
        ct_expr piece = i == count ? ct_expr_constant(m->pool, sum)
                                   : ct_expr_mul(m->pool, ct_expr_coefficient(m->pool, sum, i),
                                                 ct_expr_operand(m->pool, sum, i));
        if (!ct_expr_is_zero(m->pool, piece))
            CT_PUSH(m->arena, *out, turned ? ct_expr_neg(m->pool, piece) : piece);
    }
}

static bool has_negative_term(const maker *m, ct_expr sum)
{
    for (uint32_t i = 0; i < ct_expr_arity(m->pool, sum); i++)
        if (ct_expr_to_double(m->pool, ct_expr_coefficient(m->pool, sum, i)) < 0)
            return true;
    return ct_expr_to_double(m->pool, ct_expr_constant(m->pool, sum)) < 0;
}

/* An unknown or an input: what a person writes behind its factor. */
static bool is_variable(const maker *m, ct_expr e)
{
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return false;
    ct_name name = ct_expr_name(m->pool, e);
    uint32_t q = ct_map_get(m->model->quantity_by_name, name);
    return q ? m->model->quantity[q - 1].kind == CT_INPUT : !ct_is_time(m->model->symbols, name);
}

/* The factor that stands last: the only variable, or a sum that takes the minus, since -(v - u)/R
 * reads better as (u - v)/R. */
static ct_expr core_of(const maker *m, ct_expr e)
{
    ct_expr variable = 0, sum = 0;
    uint32_t variables = 0;
    for (uint32_t i = 0; i < ct_expr_arity(m->pool, e); i++) {
        ct_expr x = ct_expr_operand(m->pool, e, i);
        bool plain = ct_expr_is_one(m->pool, ct_expr_coefficient(m->pool, e, i));
        variables += is_variable(m, x);
        if (plain && is_variable(m, x))
            variable = x;
        else if (plain && ct_expr_kind_of(m->pool, x) == CT_EXPR_SUM && has_negative_term(m, x))
            sum = x;
    }
    if (variables == 1 && variable)
        return variable;
    return sum && is_negative(m, e) ? ct_expr_neg(m->pool, sum) : 0;
}

static ct_side_term term_of(const maker *m, ct_expr e)
{
    ct_expr core = ct_expr_kind_of(m->pool, e) == CT_EXPR_PRODUCT ? core_of(m, e) : 0;
    return core ? (ct_side_term){ct_expr_div(m->pool, e, core), core} : (ct_side_term){e, 0};
}

void ct_side_split(maker *m, side_list *out, ct_expr e)
{
    piece_list pieces = {0};
    put_pieces(m, &pieces, e);
    for (uint32_t i = 0; i < pieces.count; i++)
        CT_PUSH(m->arena, *out, term_of(m, pieces.at[i]));
}

/* A term without minus begins, if there is one. */
ct_side ct_side_lead(const maker *m, ct_side side)
{
    uint32_t first = 0;
    while (first < side.count && is_negative(m, side.term[first].factor))
        first++;
    if (first < side.count) {
        ct_side_term lead = side.term[first];
        for (; first > 0; first--)
            side.term[first] = side.term[first - 1];
        side.term[0] = lead;
    }
    return side;
}

static ct_side finished(const maker *m, const side_list *list)
{
    return ct_side_lead(m, (ct_side){list->at, list->count});
}

ct_side ct_side_of(maker *m, ct_expr e)
{
    side_list list = {0};
    ct_side_split(m, &list, e);
    return finished(m, &list);
}

/* ---- order of terms: rates, other states, positions, what is left; M x'' + D x' + K x [eq. 59] */

typedef struct ranked {
    ct_term term;
    uint64_t rank;
} ranked;

static uint64_t rank_of(const maker *m, uint32_t u, uint32_t own_rate)
{
    const ct_unknown_row *row = &m->system->unknown[u];
    bool rate = row->kind == CT_UNKNOWN_RATE && !row->rate;
    uint32_t base = rate ? row->owner : u, place = m->state_rank[base];
    uint64_t group = rate ? 0 : row->kind == CT_UNKNOWN_POSITION ? 2 : place ? 1 : 3;
    return u == own_rate ? 0 : (group + 1) << 33 | (place ? place : (uint64_t)1 << 32 | u);
}

static int by_rank(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static ct_term *ranked_terms(const maker *m, const ct_shown *row, uint32_t own_rate)
{
    ranked *list = CT_NEW_ARRAY(m->arena, ranked, row->term_count + 1);
    ct_term *out = CT_NEW_ARRAY(m->arena, ct_term, row->term_count + 1);
    for (uint32_t i = 0; i < row->term_count; i++)
        list[i] = (ranked){row->term[i], rank_of(m, row->term[i].unknown, own_rate)};
    qsort(list, row->term_count, sizeof *list, by_rank);
    for (uint32_t i = 0; i < row->term_count; i++)
        out[i] = list[i].term;
    return out;
}

/* ---- what all terms are divided by */

ct_expr ct_common_denominator(const maker *m, const ct_expr *part, uint32_t count)
{
    ct_expr common = m->one;
    if (!count || ct_expr_kind_of(m->pool, part[0]) != CT_EXPR_PRODUCT)
        return common;
    for (uint32_t i = 0; i < ct_expr_arity(m->pool, part[0]); i++) {
        ct_expr x = ct_expr_operand(m->pool, part[0], i);
        double least = -power_in(m, part[0], x);
        for (uint32_t k = 1; k < count && least > 0; k++) {
            double own = -power_in(m, part[k], x);
            least = own < least ? own : least;
        }
        if (least >= 1)
            common = ct_expr_mul(m->pool, common,
                                 ct_expr_pow(m->pool, x, ct_expr_int(m->pool, (int64_t)least)));
    }
    return common;
}

/* The factor that the whole equation is multiplied by: its first term becomes positive. */
static ct_expr scale_of(maker *m, const ct_term *term, uint32_t count, const piece_list *pieces)
{
    ct_expr *part = CT_NEW_ARRAY(m->arena, ct_expr, count + pieces->count + 1), scale = m->one;
    for (uint32_t i = 0; i < count; i++)
        part[i] = term[i].factor;
    for (uint32_t i = 0; i < pieces->count; i++)
        part[count + i] = pieces->at[i];
    if (m->def.simplify != CT_SIMPLIFY_NONE)
        scale = ct_common_denominator(m, part, count + pieces->count);
    ct_expr lead = count ? part[0] : m->one;
    for (uint32_t i = 0; !count && i < pieces->count; i++) {
        if (!ct_has_unknown(m, pieces->at[i]))
            continue;
        lead = pieces->at[i];
        break;
    }
    return is_negative(m, lead) ? ct_expr_neg(m->pool, scale) : scale;
}

ct_equation ct_equation_balanced(maker *m, const ct_shown *row, uint32_t own_rate)
{
    const ct_term *term = ranked_terms(m, row, own_rate);
    piece_list pieces = {0};
    side_list left = {0}, right = {0};
    put_pieces(m, &pieces, row->rest);
    ct_expr scale = scale_of(m, term, row->term_count, &pieces), known = m->zero;
    for (uint32_t i = 0; i < row->term_count; i++) {
        ct_expr factor = ct_expr_mul(m->pool, term[i].factor, scale);
        CT_PUSH(m->arena, left, (ct_side_term){factor, ct_unknown_expr(m, term[i].unknown)});
    }
    for (uint32_t i = 0; i < pieces.count; i++) {
        ct_expr piece = ct_expr_mul(m->pool, pieces.at[i], scale);
        if (ct_has_unknown(m, piece))
            ct_side_split(m, &left, piece);
        else
            known = ct_expr_sub(m->pool, known, piece);
    }
    ct_side_split(m, &right, known);
    return (ct_equation){.left = {left.at, left.count}, .right = finished(m, &right)};
}

static void put_by_sign(maker *m, ct_side_term t, side_list *left, side_list *right)
{
    if (is_negative(m, t.factor))
        CT_PUSH(m->arena, *right, (ct_side_term){ct_expr_neg(m->pool, t.factor), t.core});
    else
        CT_PUSH(m->arena, *left, t);
}

ct_equation ct_equation_by_sign(maker *m, const ct_term *term, uint32_t count, ct_expr rest)
{
    side_list left = {0}, right = {0}, pieces = {0};
    for (uint32_t i = 0; i < count; i++)
        put_by_sign(m, (ct_side_term){term[i].factor, ct_unknown_expr(m, term[i].unknown)}, &left,
                    &right);
    ct_side_split(m, &pieces, rest);
    for (uint32_t i = 0; i < pieces.count; i++)
        put_by_sign(m, pieces.at[i], &left, &right);
    ct_side a = {left.at, left.count}, b = {right.at, right.count};
    return left.count ? (ct_equation){.left = a, .right = b} : (ct_equation){.left = b, .right = a};
}

ct_equation ct_equation_zero(maker *m, const ct_row *row)
{
    side_list left = {0};
    for (uint32_t i = 0; i < row->count; i++) {
        const ct_term *t = &m->system->term[row->first + i];
        CT_PUSH(m->arena, left, (ct_side_term){t->factor, ct_unknown_expr(m, t->unknown)});
    }
    ct_side_split(m, &left, row->rest);
    return (ct_equation){.left = finished(m, &left)};
}

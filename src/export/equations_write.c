/* equations_write.c - one equation as text or as LaTeX.
 *
 * The expression printers order factors by name; here the factor stands before the variable, as
 * people write it: (1/R2 + 1/R3)*C4.v.
 */
#include <string.h>

#include "export/equations_make.h"

typedef struct writer {
    const ct_equation_list *list;
    ct_pool *pool;
    bool latex;
    ct_text *out;
} writer;

/* ---- symbols for LaTeX: `der(x)` and `integral(x)` are names; only as calls do they get their
 * dots and signs */

static ct_expr integral_of(const writer *w, uint32_t unknown)
{
    const ct_system *s = w->list->reduced->system;
    ct_expr named = ct_symbol_of(s->model->symbols, s->unknown[unknown].name).owner, out;
    bool signal = ct_expr_kind_of(s->model->pool, named) == CT_EXPR_SYMBOL; /* by its own name */
    ct_expr inside = signal ? named : ct_expr_operand(s->model->pool, named, 0);
    if (ct_expr_kind_of(s->model->pool, inside) == CT_EXPR_SYMBOL) {
        ct_expr_copy_all(w->pool, s->model->pool, &named, &out, 1);
        return out;
    }
    for (uint32_t i = 0; i < s->row_count; i++) {
        if (s->row[i].origin != CT_FROM_INTEGRAL || s->row[i].origin_index != unknown)
            continue;
        ct_expr rest = s->row[i].rest;
        if (w->list->simplifier)
            rest = ct_simplify_carry(w->list->simplifier, rest);
        return ct_expr_call1(w->pool, CT_OP_INTEGRAL, ct_expr_neg(w->pool, rest));
    }
    return 0;
}

static ct_expr call_of_name(const writer *w, ct_name name)
{
    const ct_system *s = w->list->reduced->system;
    uint32_t depth;
    ct_name inner = ct_base_symbol(s->model->symbols, name, &depth);
    uint32_t u = ct_index_get(s->unknown_by_name, inner);
    bool integral = u && u < s->unknown_count &&
                    ct_symbol_of(s->model->symbols, inner).kind == CT_SYMBOL_INTEGRAL;
    if (!depth && !integral)
        return 0;
    ct_expr e = integral ? integral_of(w, u) : ct_expr_symbol(w->pool, inner);
    for (; e && depth > 0; depth--)
        e = ct_expr_call1(w->pool, CT_OP_DER, e);
    return e;
}

static ct_expr with_calls(const writer *w, ct_expr e)
{
    ct_arena *arena = w->list->arena;
    const ct_name *symbol;
    CT_VEC(ct_name) from = {0};
    CT_VEC(ct_expr) to = {0};
    if (ct_expr_is_number(w->pool, e))
        return e;
    uint32_t count = ct_expr_symbols(w->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        ct_expr call = call_of_name(w, symbol[i]);
        if (!call)
            continue;
        CT_PUSH(arena, from, symbol[i]);
        CT_PUSH(arena, to, call);
    }
    return from.count ? ct_expr_substitute(w->pool, e, from.at, to.at, from.count) : e;
}

/* ---- expressions */

static void put_plain(const writer *w, ct_expr e)
{
    e = ct_expr_as_roots(w->pool, e);
    if (w->latex)
        ct_expr_put_latex(w->pool, w->out, with_calls(w, e));
    else
        (w->list->def.format == CT_EQUATIONS_JSON ? ct_expr_put : ct_expr_put_read)(w->pool, w->out,
                                                                                    e);
}

static bool is_infix(ct_op op)
{
    return op == CT_OP_IF || (op >= CT_OP_LESS && op <= CT_OP_NOT);
}

/* a < b: needs brackets even beside an equals sign. */
static bool is_relation(const writer *w, ct_expr e)
{
    return ct_expr_kind_of(w->pool, e) == CT_EXPR_CALL && ct_expr_op(w->pool, e) != CT_OP_IF &&
           is_infix(ct_expr_op(w->pool, e));
}

/* Needs brackets inside of a product. */
static bool is_loose(const writer *w, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(w->pool, e);
    if (kind == CT_EXPR_PRODUCT)
        return ct_expr_to_double(w->pool, ct_expr_constant(w->pool, e)) < 0;
    if (kind == CT_EXPR_CALL)
        return is_infix(ct_expr_op(w->pool, e)) || ct_expr_op(w->pool, e) == CT_OP_INTEGRAL;
    return kind == CT_EXPR_SUM;
}

static void put_bracketed(const writer *w, ct_expr e, bool brackets)
{
    if (brackets)
        ct_put(w->out, w->latex ? "\\left(" : "(");
    put_plain(w, e);
    if (brackets)
        ct_put(w->out, w->latex ? "\\right)" : ")");
}

static void put_factor(const writer *w, ct_expr e)
{
    put_bracketed(w, e, is_loose(w, e));
}

/* The factor as numerator / denominator; a number stays in the numerator. */
static void split_fraction(const writer *w, ct_expr e, ct_expr *above, ct_expr *below)
{
    *above = e;
    *below = ct_expr_int(w->pool, 1);
    if (ct_expr_kind_of(w->pool, e) != CT_EXPR_PRODUCT)
        return;
    for (uint32_t i = 0; i < ct_expr_arity(w->pool, e); i++) {
        ct_expr power = ct_expr_coefficient(w->pool, e, i);
        if (ct_expr_to_double(w->pool, power) >= 0)
            continue;
        ct_expr part =
            ct_expr_pow(w->pool, ct_expr_operand(w->pool, e, i), ct_expr_neg(w->pool, power));
        *below = ct_expr_mul(w->pool, *below, part);
    }
    *above = ct_expr_mul(w->pool, e, *below);
}

/* Needs no brackets behind a slash: R, f(x), (a + b)^2. */
static bool is_single(const writer *w, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(w->pool, e);
    if (kind == CT_EXPR_PRODUCT)
        return ct_expr_arity(w->pool, e) == 1 &&
               ct_expr_is_one(w->pool, ct_expr_constant(w->pool, e));
    return kind == CT_EXPR_SYMBOL || (kind == CT_EXPR_CALL && !is_loose(w, e));
}

static void put_fraction_text(const writer *w, ct_expr above, ct_expr core, ct_expr below)
{
    bool one = ct_expr_is_one(w->pool, above);
    if (!one) {
        put_factor(w, above);
        ct_put(w->out, "*");
    }
    put_factor(w, core);
    if (ct_expr_is_one(w->pool, below))
        return;
    ct_put(w->out, "/");
    put_bracketed(w, below, !is_single(w, below));
}

static void put_fraction_latex(const writer *w, ct_expr above, ct_expr core, ct_expr below)
{
    bool bar = !ct_expr_is_one(w->pool, below), one = ct_expr_is_one(w->pool, above);
    ct_put(w->out, bar ? "\\frac{" : "");
    if (!one) {
        put_factor(w, above);
        ct_put(w->out, " \\, ");
    }
    put_bracketed(w, core, is_loose(w, core) && !(one && bar));
    if (!bar)
        return;
    ct_put(w->out, "}{");
    put_plain(w, below);
    ct_put(w->out, "}");
}

/* The factor is not negative here; alone: no sign before it that brackets would have to keep off.
 */
static void put_term(const writer *w, ct_expr factor, ct_expr core, bool alone)
{
    ct_expr above, below;
    if (!core || ct_expr_is_one(w->pool, factor)) {
        ct_expr e = core ? core : factor;
        split_fraction(w, e, &above, &below);
        if (w->latex && !ct_expr_is_one(w->pool, below)) {
            put_fraction_latex(w, ct_expr_int(w->pool, 1), above, below);
            return;
        }
        put_bracketed(w, e, is_relation(w, e) || (!alone && is_loose(w, e)));
        return;
    }
    split_fraction(w, factor, &above, &below);
    if (w->latex)
        put_fraction_latex(w, above, core, below);
    else
        put_fraction_text(w, above, core, below);
}

static bool is_negative(const writer *w, ct_expr e)
{
    if (ct_expr_is_number(w->pool, e))
        return ct_expr_to_double(w->pool, e) < 0;
    return ct_expr_kind_of(w->pool, e) == CT_EXPR_PRODUCT &&
           ct_expr_to_double(w->pool, ct_expr_constant(w->pool, e)) < 0;
}

static void put_side(const writer *w, const ct_side *side)
{
    if (!side->count)
        ct_put(w->out, "0");
    for (uint32_t i = 0; i < side->count; i++) {
        ct_expr factor = side->term[i].factor;
        bool minus = is_negative(w, factor);
        ct_put(w->out, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        put_term(w, minus ? ct_expr_neg(w->pool, factor) : factor, side->term[i].core,
                 side->count == 1 && !minus);
    }
}

void ct_side_put(const ct_equation_list *list, const ct_side *side, bool latex, ct_text *out)
{
    writer w = {list, list->pool, latex, out};
    put_side(&w, side);
}

void ct_equation_put(const ct_equation_list *list, const ct_equation *e, bool latex, ct_text *out)
{
    ct_side_put(list, &e->left, latex, out);
    ct_put(out, " = ");
    ct_side_put(list, &e->right, latex, out);
}

/* rates.c - expressions of the model in terms of unknowns, with der(...) and integral(...) worked
 * out.
 *
 * Every node of an expression is expressed twice: plainly, in the unknowns of the form; and in
 * primary unknowns (branch across, chord through), which alone have time derivatives. der(e) is
 * then the sum of the partial derivatives of the primary form times the rates of its unknowns and
 * inputs.
 */
#include <string.h>

#include "formulate/formulation.h"

typedef struct pair {
    ct_expr plain, primary;
} pair;

typedef CT_VEC(ct_expr) expr_list;

typedef struct expressing {
    formulation *f;
    ct_place place;
    expr_list order; /* the nodes, operands first */
    ct_map index;    /* node -> index into `of` plus 1 */
    pair *of;
    bool rates; /* der() stands in it: primary forms are needed */
} expressing;

static pair *pair_of(expressing *x, ct_expr e)
{
    return &x->of[ct_map_get(&x->index, e) - 1];
}

/* ---- symbols */

/* The variable by which an edge stores. In a run it is the one that is differentiated, not what it
 * is equal to: where constraints jump they are apart. */
static bool stores(const formulation *f, uint32_t edge, const ct_variable_row *v)
{
    ct_tree_class class = f->graph->edge[edge].class;
    return f->system->run && v->order == 0 && class == (v->across ? CT_ACCUMULATOR : CT_DELAY);
}

static pair edge_pair(formulation *f, uint32_t edge, const ct_variable_row *v, bool rates)
{
    term_list plain = {0}, primary = {0};
    ct_put_variable(f, edge, v->across, v->order, f->one, &plain);
    if (!rates)
        primary = plain;
    else if (v->order == 0 && v->across)
        ct_put_primary_across(f, edge, f->one, false, &primary);
    else if (v->order == 0)
        ct_put_primary_through(f, edge, f->one, false, &primary);
    else
        primary = plain;
    ct_expr by_primary = ct_terms_expr(f, &primary);
    return (pair){rates && stores(f, edge, v) ? by_primary : ct_terms_expr(f, &plain), by_primary};
}

/* A node against its datum: the sum of branches on its way home. */
static ct_expr node_by_branches(formulation *f, uint32_t node, int order)
{
    const ct_graph *g = f->graph;
    term_list terms = {0};
    while (!g->node[node].datum) {
        uint32_t edge = f->tree->parent[node];
        bool mechanical = g->domain[g->node[node].domain].across_head_minus_tail;
        bool at_head = g->edge[edge].head == node;
        ct_expr factor = at_head == mechanical ? f->one : f->minus_one;
        ct_put_primary_across(f, edge, factor, order == 1, &terms);
        node = at_head ? g->edge[edge].tail : g->edge[edge].head;
    }
    return ct_terms_expr(f, &terms);
}

static pair node_pair(formulation *f, uint32_t node, const ct_variable_row *v, bool rates)
{
    term_list terms = {0};
    if (v->order == -1) {
        ct_put_node_position(f, node, f->one, &terms);
        ct_expr e = ct_terms_expr(f, &terms);
        return (pair){e, e};
    }
    bool plain_only = v->order == 0 && f->system->form == CT_FORM_NODAL && !rates;
    ct_expr primary = plain_only ? 0 : node_by_branches(f, node, v->order);
    if (v->order == 1 || f->system->form != CT_FORM_NODAL)
        return (pair){primary, primary};
    uint32_t u = ct_potential_unknown(f, node);
    return (pair){u ? ct_unknown_symbol(f, u) : f->zero, primary};
}

/* An unknown that stands for itself: of a component, an integral, a coordinate. */
static bool is_own(const formulation *f, ct_name name)
{
    uint32_t unknown = ct_index_get(&f->by_name, name);
    return unknown && f->unknown.at[unknown].kind == CT_UNKNOWN_OWN;
}

static pair symbol_pair(expressing *x, ct_expr symbol)
{
    formulation *f = x->f;
    ct_name name = ct_expr_name(f->pool, symbol);
    const ct_variable_row *variable;
    pair same = {symbol, symbol};
    if (ct_map_get(f->model->quantity_by_name, name) || is_own(f, name))
        return same;
    ct_expr motion = ct_motion_value(f, name);
    if (motion && motion != symbol) {
        ct_expr value = ct_express(f, motion, x->place);
        return (pair){value, value};
    }
    uint32_t edge = ct_edge_of(f, name, &variable);
    if (edge != UINT32_MAX)
        return edge_pair(f, edge, variable, x->rates);
    uint32_t node = ct_node_of(f, name, &variable);
    return node != UINT32_MAX ? node_pair(f, node, variable, x->rates) : same;
}

/* ---- derivatives */

static ct_expr report_rate(expressing *x, ct_expr e)
{
    ct_context *ctx = x->f->model->ctx;
    ct_text text = ct_text_new(ctx->base);
    bool whole = ct_expr_put_within(x->f->pool, &text, e, 80);
    ct_report *r = ct_error(ctx, "E503", x->place, "%s%s cannot be differentiated in time",
                            ct_text_string(&text), whole ? "" : " ...");
    ct_note(r, "an operator in it has no derivative: a table without slope, a remainder, a delay");
    ct_help(r, "write der(...) of a state or another variable, or the law without der(...); a "
               "curve has a slope with `method = cubic`");
    x->f->failed = true;
    return x->f->zero;
}

/* Rate of one symbol; 0: it is constant. */
static ct_expr symbol_rate(expressing *x, ct_name name)
{
    formulation *f = x->f;
    if (ct_is_time(f->model->symbols, name))
        return f->one;
    uint32_t unknown = ct_index_get(&f->by_name, name);
    if (unknown)
        return ct_unknown_symbol(f, ct_rate_of(f, unknown));
    return ct_model_moves(f->model, name)
               ? ct_expr_symbol(f->pool, ct_rate_symbol(f->model->symbols, name))
               : 0;
}

static ct_expr total_rate(expressing *x, ct_expr e)
{
    formulation *f = x->f;
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(f->pool, e, &symbol);
    ct_name *copy = CT_NEW_ARRAY(f->arena, ct_name, count + 1);
    memcpy(copy, symbol, count * sizeof *copy);
    ct_expr sum = f->zero;
    for (uint32_t i = 0; i < count; i++) {
        ct_expr rate = symbol_rate(x, copy[i]);
        if (!rate)
            continue;
        ct_expr part = ct_expr_diff(f->pool, e, copy[i]);
        if (!part)
            return report_rate(x, e);
        sum = ct_expr_add(f->pool, sum, ct_expr_mul(f->pool, part, rate));
    }
    return sum;
}

/* ---- what is stored by a factor that jumps: of der(C v) C v stays there, and not v */

static ct_name kept_name(const formulation *f)
{
    ct_context *ctx = f->model->ctx;
    const char *owner = ct_name_text(ctx, f->model->component[f->component].name);
    ct_name name = ct_intern_joined(ctx, owner, ".", "stored");
    for (uint32_t i = 2; ct_index_get(&f->by_name, name); i++)
        name = ct_intern_text(ctx, ct_printf(ctx, "%s.stored%u", owner, i));
    return name;
}

/* The unknowns in it; one: the last of them. */
static uint32_t count_unknowns(const formulation *f, ct_expr e, ct_name *one)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(f->pool, e, &symbol), found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (ct_index_get(&f->by_name, symbol[i])) {
            *one = symbol[i];
            found++;
        }
    return found;
}

/* q = C v, as v = q/C where that can be: C may be no constant to divide by later. */
static void add_kept_row(formulation *f, ct_expr kept, ct_expr plain)
{
    ct_name one = 0, none;
    ct_expr factor, rest, left = kept, right = plain;
    if (count_unknowns(f, plain, &one) == 1 &&
        ct_expr_linear(f->pool, plain, &one, 1, &factor, &rest) &&
        !count_unknowns(f, factor, &none)) {
        right = ct_expr_symbol(f->pool, one);
        left = ct_expr_div(f->pool, ct_expr_sub(f->pool, kept, rest), factor);
    }
    ct_add_expression_row(f, ct_expr_sub(f->pool, left, right), CT_FROM_TERMINAL, f->component);
}

/* An unknown of its own, in equations of components; 0: it needs none. */
static uint32_t kept_unknown(expressing *x, ct_expr e)
{
    formulation *f = x->f;
    uint32_t unknown = ct_map_get(&f->kept, e);
    if (unknown || f->component == UINT32_MAX || ct_expr_kind_of(f->pool, e) == CT_EXPR_SYMBOL)
        return unknown;
    ct_expr plain = pair_of(x, e)->plain;
    ct_name one;
    if (!ct_jumps_from_outside(f->model, f->component, e) || !count_unknowns(f, plain, &one))
        return 0;
    unknown = ct_new_unknown(f, CT_UNKNOWN_OWN, kept_name(f), f->component);
    ct_map_put(&f->kept, e, unknown);
    ct_symbol_note(
        f->model->symbols, f->unknown.at[unknown].name,
        (ct_symbol){.kind = CT_SYMBOL_STORED, .owner = f->component, .part = f->equation});
    ct_rate_of(f, unknown);
    f->unknown.at[unknown].wanted = CT_WANTED_FIRST;
    add_kept_row(f, ct_unknown_symbol(f, unknown), plain);
    return unknown;
}

static ct_expr rate_of(expressing *x, ct_expr e)
{
    uint32_t kept = kept_unknown(x, e);
    return kept ? ct_unknown_symbol(x->f, ct_rate_of(x->f, kept))
                : total_rate(x, pair_of(x, e)->primary);
}

/* The signal that has this value; 0: none. */
static ct_name signal_of(formulation *f, ct_expr value)
{
    const ct_model *m = f->model;
    if (!f->signals_known)
        ct_map_init(&f->signals, f->arena);
    for (uint32_t i = f->signals_known ? 0 : m->quantity_count; i-- > 0;)
        if (m->quantity[i].kind == CT_SIGNAL && m->quantity[i].value)
            ct_map_put(&f->signals, m->quantity[i].value, m->quantity[i].name);
    f->signals_known = true;
    return (ct_name)ct_map_get(&f->signals, value);
}

/* The signal that it is, or integral(e) with a signal e by its name. */
static ct_expr named_integral(formulation *f, ct_expr node)
{
    ct_name whole = signal_of(f, node);
    if (whole)
        return ct_expr_symbol(f->pool, whole);
    ct_name signal = signal_of(f, ct_expr_operand(f->pool, node, 0));
    return signal ? ct_expr_call1(f->pool, CT_OP_INTEGRAL, ct_expr_symbol(f->pool, signal)) : node;
}

/* integral(e): an unknown of its own, with e as its rate. */
static ct_expr integral(expressing *x, ct_expr node, ct_expr integrand)
{
    formulation *f = x->f;
    uint32_t unknown = ct_map_get(&f->integrals, node);
    if (!unknown) {
        ct_text text = ct_text_new(f->arena);
        ct_expr named = named_integral(f, node);
        ct_expr_put(f->pool, &text, named);
        unknown = ct_new_unknown(f, CT_UNKNOWN_OWN, ct_intern(f->model->ctx, text.at, text.length),
                                 UINT32_MAX);
        if (!unknown)
            return f->zero;
        ct_map_put(&f->integrals, node, unknown);
        ct_symbol_note(f->model->symbols, f->unknown.at[unknown].name,
                       (ct_symbol){.kind = CT_SYMBOL_INTEGRAL, .owner = named});
        term_list terms = {0};
        CT_PUSH(f->arena, terms, (ct_term){ct_rate_of(f, unknown), f->one});
        ct_add_row(f, &terms, ct_expr_neg(f->pool, integrand), true, CT_FROM_INTEGRAL, unknown);
    }
    return ct_unknown_symbol(f, unknown);
}

/* ---- composites */

static ct_expr rebuild(expressing *x, ct_expr e, bool primary)
{
    formulation *f = x->f;
    uint32_t n = ct_expr_arity(f->pool, e);
    ct_expr few[8], *part = n <= 8 ? few : CT_NEW_ARRAY(f->arena, ct_expr, n);
    bool same = true;
    for (uint32_t i = 0; i < n; i++) {
        ct_expr operand = ct_expr_operand(f->pool, e, i);
        const pair *p = pair_of(x, operand);
        part[i] = primary ? p->primary : p->plain;
        same &= part[i] == operand;
    }
    if (same) /* most of a mechanism's accelerations */
        return e;
    ct_expr whole = ct_expr_rebuild(f->pool, e, part);
    return whole ? whole : f->zero;
}

static pair express_node(expressing *x, ct_expr e)
{
    formulation *f = x->f;
    ct_expr_kind kind = ct_expr_kind_of(f->pool, e);
    if (kind == CT_EXPR_SYMBOL)
        return symbol_pair(x, e);
    if (kind == CT_EXPR_NUMBER)
        return (pair){e, e};
    ct_op op = kind == CT_EXPR_CALL ? ct_expr_op(f->pool, e) : CT_OP_COUNT;
    if (op == CT_OP_DER) {
        ct_expr rate = rate_of(x, ct_expr_operand(f->pool, e, 0));
        return (pair){rate, rate};
    }
    if (op == CT_OP_INTEGRAL) {
        ct_expr s = integral(x, e, pair_of(x, ct_expr_operand(f->pool, e, 0))->plain);
        return (pair){s, s};
    }
    ct_expr plain = rebuild(x, e, false);
    return (pair){plain, x->rates ? rebuild(x, e, true) : plain};
}

static void note_node(void *user, ct_expr e)
{
    expressing *x = user;
    CT_PUSH(x->f->arena, x->order, e);
    ct_map_put(&x->index, e, x->order.count);
    if (ct_expr_kind_of(x->f->pool, e) == CT_EXPR_CALL)
        x->rates |= ct_expr_op(x->f->pool, e) == CT_OP_DER;
}

void ct_express_all(formulation *f, ct_expr *e, uint32_t count, ct_place place)
{
    expressing x = {.f = f, .place = place};
    ct_map_init(&x.index, f->arena);
    ct_expr_walk(f->pool, e, count, note_node, &x);
    x.of = CT_NEW_ARRAY(f->arena, pair, x.order.count);
    for (uint32_t i = 0; i < x.order.count; i++)
        x.of[i] = express_node(&x, x.order.at[i]);
    for (uint32_t i = 0; i < count; i++)
        e[i] = pair_of(&x, e[i])->plain;
    ct_arena_release(f->arena, x.of, x.order.count * sizeof *x.of);
    CT_DROP(f->arena, x.order);
    ct_map_drop(&x.index);
}

ct_expr ct_express(formulation *f, ct_expr e, ct_place place)
{
    if (!ct_expr_is_number(f->pool, e))
        ct_express_all(f, &e, 1, place);
    return e;
}

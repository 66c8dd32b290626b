/* energy.c - terminal equations from a stored energy: the gradient of one function, so that the
 * element cannot make power.
 *
 * Let a and t be the across and through variable of an edge, A and T their integrals (a position
 * is an integral of across). With the energy H(A, T), the co-energy L(A, T, a, t) and the function
 * of losses D(a, t), each edge has one of
 *     t = dH/dA - dL/dA + d/dt dL/da + dD/da        when A or a occurs
 *     a = dH/dT - dL/dT + d/dt dL/dt + dD/dt        when T or t occurs
 * Then the power into the element is the rate of H (of its Legendre transform where L is given),
 * plus what D takes. An own unknown is a closed port: 0 = dH/dz + d/dt dL/dz + dD/dz. */
#include "model/energy.h"

#include "model/element.h"
#include "model/key_slope.h"

static const char *text_of(builder *b, ct_name name)
{
    return ct_name_text(b->ctx, name);
}

/* ---- reading */

static const char *const unit_of[CT_ENERGY_KINDS] = {"J", "J", "W"};

static ct_dim_term dim_of(builder *b, ct_energy_kind kind)
{
    const char *problem, *hint;
    uint32_t unit = ct_find_unit(b, ct_intern_text(b->ctx, unit_of[kind]), &problem, &hint);
    return ct_term_known(b->unit.at[unit - 1].dim);
}

static void read_energy_once(builder *b, const where *w, ct_node n)
{
    element_scope *es = w->element;
    ct_energy_kind kind = (ct_energy_kind)ct_at(w->s, n)->op;
    cell c = ct_lower_scalar(b, w, ct_at(w->s, n)->first);
    ct_place place = ct_place_of(w->s, n);
    if (!c.expr ||
        !ct_demand_place(b, c, dim_of(b, kind), place, kind == CT_LOSS ? "a loss" : "an energy")) {
        ct_element_fail(es);
        return;
    }
    if (!es->energy_place.source)
        es->energy_place = place;
    es->energy[kind] = es->energy[kind] ? ct_expr_add(b->pool, es->energy[kind], c.expr) : c.expr;
}

/* On vector nodes the energies of the entries add up. */
static void read_energy(builder *b, const where *w, ct_node n)
{
    element_scope *es = w->element;
    for (es->entry = es->spread > 0; es->entry <= es->spread; es->entry++)
        read_energy_once(b, w, n);
    es->entry = 0;
}

const pass ct_energy_pass = {read_energy, KIND_BIT(ENERGY), false};

/* ---- the variables of an edge */

/* Symbols of an edge; 0: it has none such. */
typedef struct edge_symbols {
    ct_name across, through, across_integral, through_integral, rate;
} edge_symbols;

static ct_name symbol_of(builder *b, const element_scope *es, uint32_t edge, const char *variable)
{
    return ct_join_path(b, es->edge.at[edge].name, ct_intern_text(b->ctx, variable));
}

static edge_symbols symbols_of(builder *b, const element_scope *es, uint32_t edge)
{
    const ct_domain_row *d = ct_domain_row_at(es->edge.at[edge].domain);
    edge_symbols s = {.across = symbol_of(b, es, edge, d->variable[0].name),
                      .through = symbol_of(b, es, edge, d->variable[1].name)};
    for (int k = 2; k < CT_DOMAIN_VARIABLES && d->variable[k].name; k++)
        *(d->variable[k].order < 0 ? &s.across_integral : &s.rate) =
            symbol_of(b, es, edge, d->variable[k].name);
    for (int k = 0; k < CT_STORED_ROWS && d->stored[k].name; k++)
        *(d->stored[k].across ? &s.across_integral : &s.through_integral) =
            symbol_of(b, es, edge, d->stored[k].name);
    return s;
}

static bool has(builder *b, const element_scope *es, int kind, ct_name symbol)
{
    ct_expr e = es->energy[kind];
    if (!symbol || !e)
        return false;
    return kind == CT_LOSS ? ct_expr_has(b->pool, e, symbol) : ct_moves_by(b, es, e, symbol);
}

static bool has_any(builder *b, const element_scope *es, ct_name symbol)
{
    for (int k = 0; k < CT_ENERGY_KINDS; k++)
        if (has(b, es, k, symbol))
            return true;
    return false;
}

/* ---- equations */

typedef struct derivation {
    builder *b;
    element_scope *es;
    CT_VEC(ct_name) variable; /* on which the energies depend */
    CT_VEC(ct_expr) gradient;
} derivation;

static ct_expr gradient(derivation *d, int kind, ct_name symbol)
{
    ct_pool *pool = d->b->pool;
    if (!has(d->b, d->es, kind, symbol))
        return ct_expr_int(pool, 0);
    ct_expr e = d->es->energy[kind]; /* keys in losses are as they are */
    ct_expr g =
        kind == CT_LOSS ? ct_expr_diff(pool, e, symbol) : ct_slope_by(d->b, d->es, e, symbol);
    CT_PUSH(d->b->scratch, d->variable, symbol);
    if (g)
        CT_PUSH(d->b->scratch, d->gradient, g);
    return g ? g : ct_expr_int(pool, 0);
}

/* dH/dZ - dL/dZ + d/dt dL/dz + dD/dz */
static ct_expr answer(derivation *d, ct_name integral, ct_name plain)
{
    ct_pool *pool = d->b->pool;
    ct_expr term[4];
    term[0] = gradient(d, CT_ENERGY, integral);
    term[1] = ct_expr_neg(pool, gradient(d, CT_COENERGY, integral));
    term[2] = ct_expr_call1(pool, CT_OP_DER, gradient(d, CT_COENERGY, plain));
    term[3] = gradient(d, CT_LOSS, plain);
    return ct_expr_sum(pool, term, 4);
}

static void add(derivation *d, ct_expr left, ct_expr right, ct_place place)
{
    ct_law e = {.kind = CT_LAW_EQUATION, .a = left, .b = right, .place = place};
    CT_PUSH(d->b->arena, d->es->law, e);
}

static void fail(derivation *d, ct_report *r, const char *witness)
{
    ct_witness(r, witness);
    ct_element_fail(d->es);
}

/* One edge, seen from one side. */
static bool refuse_both(derivation *d, uint32_t edge)
{
    builder *b = d->b;
    const char *name = text_of(b, d->es->edge.at[edge].name);
    const ct_domain_row *row = ct_domain_row_at(d->es->edge.at[edge].domain);
    ct_report *r = ct_error(b->ctx, "E416", d->es->energy_place,
                            "the energy has both sides of edge `%s`", name);
    ct_note(r, "of an edge it may depend on `%s` and its integral, or on `%s` and its integral",
            row->variable[0].name, row->variable[1].name);
    fail(d, r, name);
    return false;
}

/* `energy` is a function of what is stored; rates and time derivatives have no place in it. */
static bool check_edge(derivation *d, uint32_t edge, const edge_symbols *s)
{
    builder *b = d->b;
    const char *name = text_of(b, d->es->edge.at[edge].name);
    const ct_domain_row *row = ct_domain_row_at(d->es->edge.at[edge].domain);
    if (!row->stored[0].name && (has_any(b, d->es, s->across) || has_any(b, d->es, s->through))) {
        ct_report *r = ct_error(b->ctx, "E416", d->es->energy_place,
                                "the energy depends on the %s edge `%s`", row->name, name);
        ct_note(r, "across times through is no power there: heat is no gradient of an energy");
        fail(d, r, name);
        return false;
    }
    if (has(b, d->es, CT_ENERGY, s->across) || has(b, d->es, CT_ENERGY, s->through)) {
        ct_report *r = ct_error(
            b->ctx, "E416", d->es->energy_place, "the energy depends on `%s`, which is not stored",
            text_of(b, has(b, d->es, CT_ENERGY, s->across) ? s->across : s->through));
        ct_help(r, "`coenergy` is a function of such variables; `energy` of charges, fluxes, "
                   "positions and momenta");
        fail(d, r, name);
        return false;
    }
    if (!has_any(b, d->es, s->rate))
        return true;
    ct_report *r = ct_error(b->ctx, "E416", d->es->energy_place,
                            "the energy depends on the acceleration `%s`", text_of(b, s->rate));
    fail(d, r, name);
    return false;
}

static void derive_edge(derivation *d, uint32_t edge)
{
    builder *b = d->b;
    edge_symbols s = symbols_of(b, d->es, edge);
    if (!check_edge(d, edge, &s))
        return;
    bool left = has_any(b, d->es, s.across) || has(b, d->es, CT_ENERGY, s.across_integral) ||
                has(b, d->es, CT_COENERGY, s.across_integral);
    bool right = has_any(b, d->es, s.through) || has(b, d->es, CT_ENERGY, s.through_integral) ||
                 has(b, d->es, CT_COENERGY, s.through_integral);
    if (left && right && !refuse_both(d, edge))
        return;
    if (left)
        add(d, ct_expr_symbol(b->pool, s.through), answer(d, s.across_integral, s.across),
            d->es->energy_place);
    if (right)
        add(d, ct_expr_symbol(b->pool, s.across), answer(d, s.through_integral, s.through),
            d->es->energy_place);
}

static void derive_own(derivation *d, const ct_element_named *v)
{
    ct_pool *pool = d->b->pool;
    if (!has_any(d->b, d->es, v->name))
        return;
    ct_expr term[3];
    term[0] = gradient(d, CT_ENERGY, v->name);
    term[1] = ct_expr_call1(pool, CT_OP_DER, gradient(d, CT_COENERGY, v->name));
    term[2] = gradient(d, CT_LOSS, v->name);
    add(d, ct_expr_int(pool, 0), ct_expr_sum(pool, term, 3), d->es->energy_place);
}

/* der(e.charge) = e.i */
static void derive_stored(derivation *d, const stored *s)
{
    builder *b = d->b;
    const ct_domain_row *row = ct_domain_row_at(d->es->edge.at[s->edge].domain);
    const char *rate = row->variable[row->stored[s->row].across ? 0 : 1].name;
    add(d, ct_expr_call1(b->pool, CT_OP_DER, ct_expr_symbol(b->pool, s->name)),
        ct_expr_symbol(b->pool, symbol_of(b, d->es, s->edge, rate)), s->place);
    ct_element_named n = ct_single_named(s->name, ct_expr_symbol(b->pool, s->name), s->place);
    n.dim = s->dim;
    CT_PUSH(b->arena, d->es->var, n);
}

/* ---- what cannot be differentiated */

typedef struct rate_search {
    ct_pool *pool;
    bool found;
} rate_search;

static void look_for_rate(void *user, ct_expr e)
{
    rate_search *s = user;
    ct_expr_kind kind = ct_expr_kind_of(s->pool, e);
    if (kind != CT_EXPR_CALL)
        return;
    ct_op op = ct_expr_op(s->pool, e);
    s->found |= op == CT_OP_DER || op == CT_OP_INTEGRAL || op == CT_OP_PRE;
}

/* An energy is a function of the present values. */
static bool check_present(builder *b, element_scope *es)
{
    for (int k = 0; k < CT_ENERGY_KINDS; k++) {
        rate_search s = {.pool = b->pool};
        if (es->energy[k])
            ct_expr_walk(b->pool, &es->energy[k], 1, look_for_rate, &s);
        if (!s.found)
            continue;
        ct_report *r = ct_error(
            b->ctx, "E416", es->energy_place,
            "an energy is a function of present values, not of rates or integrals in time");
        ct_help(r, "write `e.charge`, `e.flux`, `m.x`, `m.theta`, `e.volume` for what is stored");
        ct_witness(r, text_of(b, es->out->name));
        ct_element_fail(es);
        return false;
    }
    return true;
}

static void check_smooth(derivation *d)
{
    builder *b = d->b;
    const char *why = ct_find_kink(b->pool, d->gradient.at, d->gradient.count, d->variable.at,
                                   d->variable.count, b->scratch);
    if (!why)
        return;
    ct_report *r =
        ct_error(b->ctx, "E417", d->es->energy_place,
                 "the energy cannot be differentiated everywhere: `%s` jumps in its slope", why);
    ct_note(r, "forces and voltages are its gradient; they would jump, and the sum of powers with "
               "them");
    ct_help(r, "write a function with a continuous slope: a power, a root, `table` with "
               "`method = cubic`");
    fail(d, r, text_of(b, d->es->out->name));
}

void ct_derive_from_energy(builder *b, element_scope *es)
{
    derivation d = {.b = b, .es = es};
    uint32_t own = es->var.count;
    bool any = es->energy[CT_ENERGY] || es->energy[CT_COENERGY] || es->energy[CT_LOSS];
    if (es->out->broken)
        return;
    for (uint32_t i = 0; i < es->stored.count; i++)
        derive_stored(&d, &es->stored.at[i]);
    if (!any || !check_present(b, es))
        return;
    for (int k = 0; k < CT_ENERGY_KINDS; k++) { /* first: a message names what is written there */
        if (es->energy[k])
            CT_PUSH(b->scratch, d.gradient, es->energy[k]);
        if (es->energy[k] && k != CT_LOSS)
            ct_note_slots(b, es, es->energy[k]);
    }
    for (uint32_t i = 0; i < es->edge.count && !es->out->broken; i++)
        derive_edge(&d, i);
    for (uint32_t i = 0; i < own && !es->out->broken; i++)
        derive_own(&d, &es->var.at[i]);
    if (!es->out->broken)
        check_smooth(&d);
}

/* ---- what the energies miss */

static bool is_told(builder *b, const element_scope *es, const edge_symbols *s)
{
    for (uint32_t i = 0; i < es->law.count; i++) {
        ct_expr side[2] = {es->law.at[i].a, es->law.at[i].b};
        for (int k = 0; k < 2; k++)
            if (side[k] && (ct_expr_has(b->pool, side[k], s->through) ||
                            ct_expr_has(b->pool, side[k], s->across)))
                return true;
    }
    return false;
}

static void report_missed(builder *b, element_scope *es, uint32_t edge)
{
    const ct_domain_row *d = ct_domain_row_at(es->edge.at[edge].domain);
    const char *name = text_of(b, es->edge.at[edge].name);
    ct_text list = ct_text_new(b->ctx->base);
    for (int k = 0; k < CT_DOMAIN_VARIABLES && d->variable[k].name; k++)
        if (d->variable[k].order <= 0)
            ct_putf(&list, "%s%s.%s", list.length ? ", " : "", name, d->variable[k].name);
    for (int k = 0; k < CT_STORED_ROWS && d->stored[k].name; k++)
        ct_putf(&list, ", %s.%s", name, d->stored[k].name);
    ct_report *r = ct_error(b->ctx, "E415", es->energy_place, "the energy of `%s` misses edge `%s`",
                            text_of(b, es->out->name), name);
    ct_note(r, "nothing tells its terminal equation: the energy depends on none of %s",
            ct_text_string(&list));
    ct_help(r, "let the energy depend on one of them, or write an equation for this edge");
    ct_witness(r, name);
}

bool ct_report_missed(builder *b, element_scope *es)
{
    if (!es->energy_place.source)
        return false;
    for (uint32_t i = 0; i < es->edge.count; i++) {
        edge_symbols s = symbols_of(b, es, i);
        if (is_told(b, es, &s))
            continue;
        report_missed(b, es, i);
        return true;
    }
    return false;
}

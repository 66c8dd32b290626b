/* constraints.c - rows that bind states to each other or to inputs.
 *
 * Such a row makes one state dependent: x_d = G x + H u. Its derivative in time gives the rate of
 * x_d from those of the others and of the inputs.
 */
#include <math.h>
#include <string.h>

#include "reduce/engine.h"

static bool is_constraint(const row *r)
{
    return r->live && !r->rates && !r->plains && !r->hidden;
}

/* Does another term's factor hold the unknown, so that the row is not linear in it after all? */
static bool stands_in_factor(engine *g, const row *r, uint32_t unknown)
{
    ct_name name = g->s->unknown[unknown].name;
    for (uint32_t i = 0; i < r->term_count; i++)
        if (ct_factor_risk(g, r->term[i].factor) == 2 &&
            ct_expr_has(g->pool, r->term[i].factor, name))
            return true;
    return false;
}

/* How little a state should be given up by this term: couplings before storage, then the safest
 * factor; one that vanishes last. */
static int reluctance(engine *g, const ct_term *t, double largest)
{
    const double rounding = 1e-13; /* left of terms that cancel: sin(pi), a mode at a node */
    int risk = ct_factor_risk(g, t->factor);
    bool vanishes = fabs(ct_factor_value(g, t->factor)) <= rounding * largest;
    bool storage = g->s->unknown[t->unknown].wanted < CT_WANTED_LAST;
    return (vanishes ? 8 : 0) + (storage ? 4 : 0) + risk;
}

static double largest_factor(engine *g, const row *r)
{
    double largest = 0;
    for (uint32_t i = 0; i < r->term_count; i++)
        if (ct_factor_risk(g, r->term[i].factor) <= 1)
            largest = fmax(largest, fabs(ct_factor_value(g, r->term[i].factor)));
    return largest;
}

/* The state to give up; among equals the one that is wanted least. */
static uint32_t choose_dependent(engine *g, const row *r)
{
    uint32_t best = 0;
    int least = 16;
    double largest = largest_factor(g, r);
    for (uint32_t i = 0; i < r->term_count; i++) {
        uint32_t u = r->term[i].unknown;
        if (ct_factor_risk(g, r->term[i].factor) > 1 || ct_row_holds(r, u) ||
            g->col[u].kind != COLUMN_STATE || g->col[u].fate != FATE_OPEN ||
            stands_in_factor(g, r, u))
            continue;
        int own = reluctance(g, &r->term[i], largest);
        bool later = best && g->s->unknown[u].wanted > g->s->unknown[best].wanted;
        if (own < least || (own == least && later)) {
            best = u;
            least = own;
        }
    }
    return best;
}

/* ---- the derivative of a row in time */

/* Of a slack or of one of its rates? */
static bool is_slack(const engine *g, ct_name name)
{
    uint32_t order;
    ct_name base = ct_base_symbol(g->s->model->symbols, name, &order);
    return ct_symbol_of(g->s->model->symbols, base).kind == CT_SYMBOL_SLACK;
}

ct_expr ct_input_rate(engine *g, ct_name name)
{
    const ct_model *m = g->s->model;
    bool time = ct_is_time(m->symbols, name);
    if (time && !g->timed)
        return g->one;
    g->marked |= time; /* it has a name: at rest even time stands still */
    bool moves = time || ct_model_moves(m, name) || is_slack(g, name);
    return moves ? ct_expr_symbol(g->pool, ct_rate_symbol(m->symbols, name)) : 0;
}

/* Does it hold unknowns of the system? */
static bool holds_unknowns(engine *g, const ct_name *symbol, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ct_index_get(g->s->unknown_by_name, symbol[i]))
            return true;
    return false;
}

/* c when unknowns are zero: what drivers alone make of a linear row. */
static ct_expr risen(engine *g, ct_expr rest)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(g->pool, rest, &symbol), order;
    if (!g->timed || holds_unknowns(g, symbol, count))
        return g->zero;
    g->from.count = g->to.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        ct_name base = ct_base_symbol(g->s->model->symbols, symbol[i], &order);
        if (!order && !is_slack(g, base))
            continue;
        uint32_t owner = ct_symbol_of(g->s->model->symbols, base).owner;
        CT_PUSH(g->arena, g->from, symbol[i]);
        bool listed = !order && owner < g->slack.count; /* the row's own is not yet */
        CT_PUSH(g->arena, g->to, listed ? g->slack.at[owner].risen : g->zero);
    }
    ct_expr e = rest;
    if (g->from.count)
        e = ct_expr_substitute(g->pool, rest, g->from.at, g->to.at, g->from.count);
    return e ? e : g->zero;
}

void ct_put_slack(engine *g, uint32_t index, uint32_t dependent)
{
    const ct_model *m = g->s->model;
    row *r = &g->row.at[index];
    if (!g->slackened || r->slack)
        return;
    g->marked = true;
    r->slack = ct_slack_symbol(m->symbols, g->slack.count);
    ct_slack slack = {.symbol = r->slack,
                      .constraint = ct_row_expr(g, r),
                      .risen = risen(g, r->rest),
                      .dependent = dependent};
    CT_PUSH(g->arena, g->slack, slack);
    r = &g->row.at[index];
    r->rest = ct_expr_sub(g->pool, r->rest, ct_expr_symbol(g->pool, r->slack));
}

static void note_mark(void *user, ct_expr e)
{
    engine *g = user;
    const ct_symbols *symbols = g->s->model->symbols;
    if (ct_expr_kind_of(g->pool, e) != CT_EXPR_SYMBOL)
        return;
    uint32_t order;
    ct_name name = ct_expr_name(g->pool, e), base = ct_base_symbol(symbols, name, &order);
    bool time = order && ct_is_time(symbols, base);
    if (!time && !is_slack(g, base))
        return;
    CT_PUSH(g->arena, g->from, name);
    CT_PUSH(g->arena, g->to, time && order == 1 ? g->one : g->zero);
}

void ct_drop_marks(engine *g, ct_expr *e, uint32_t count)
{
    g->from.count = g->to.count = 0;
    ct_expr_walk(g->pool, e, count, note_mark, g);
    if (g->from.count)
        ct_expr_substitute_all(g->pool, e, e, count, g->from.at, g->to.at, g->from.count);
}

ct_expr ct_without_slack(engine *g, ct_expr e)
{
    ct_expr plain = e;
    ct_drop_marks(g, &plain, 1);
    return plain ? plain : e;
}

typedef CT_VEC(ct_term) term_list;

/* Adds the rate of an expression: rates of unknowns as terms, the rest is returned; 0: it has none.
 */
static ct_expr add_rate(engine *g, ct_expr e, term_list *terms)
{
    const ct_name *found;
    uint32_t count = ct_expr_symbols(g->pool, e, &found);
    ct_name *symbol = CT_NEW_ARRAY(g->arena, ct_name, count + 1);
    memcpy(symbol, found, count * sizeof *symbol);
    ct_expr rest = g->zero;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        ct_expr rate = u ? 0 : ct_input_rate(g, symbol[i]);
        if (ct_map_get(&g->is_defined, symbol[i]))
            return 0; /* an acceleration: no constant */
        if (!u && !rate)
            continue;
        ct_expr part = ct_expr_diff(g->pool, e, symbol[i]);
        if (!part)
            return 0;
        if (u)
            CT_PUSH(g->arena, *terms, (ct_term){g->s->unknown[u].rate, part});
        else
            rest = ct_expr_add(g->pool, rest, ct_expr_mul(g->pool, part, rate));
    }
    return rest;
}

static bool differentiate(engine *g, const row *r, term_list *terms, ct_expr *rest)
{
    ct_expr sum = add_rate(g, r->rest, terms);
    for (uint32_t i = 0; sum && i < r->term_count; i++) {
        const ct_term *t = &r->term[i];
        if (ct_factor_risk(g, t->factor) < 2) {
            CT_PUSH(g->arena, *terms, (ct_term){g->s->unknown[t->unknown].rate, t->factor});
            continue;
        }
        ct_expr whole = ct_expr_mul(g->pool, t->factor, ct_engine_symbol(g, t->unknown));
        ct_expr part = add_rate(g, whole, terms);
        sum = part ? ct_expr_add(g->pool, sum, part) : 0;
    }
    *rest = sum;
    return sum != 0;
}

static void settle(engine *g, uint32_t index)
{
    row r = g->row.at[index];
    if (!r.term_count && !r.nonlinear.count) {
        g->row.at[index].live = false;
        if (!ct_expr_is_zero(g->pool, ct_without_slack(g, r.rest)))
            ct_report_contradiction(g, &r);
        return;
    }
    uint32_t u = choose_dependent(g, &r);
    if (u)
        ct_put_slack(g, index, u);
    r = g->row.at[index];
    term_list terms = {0};
    ct_expr rest;
    if (!u || !differentiate(g, &r, &terms, &rest)) {
        g->row.at[index].hidden = true;
        return;
    }
    CT_PUSH(g->arena, g->constraint, ct_row_expr(g, &r));
    CT_PUSH(g->arena, g->dependent, u);
    ct_eliminate(g, u, index);
    g->col[u].fate = FATE_DEPENDENT;
    uint32_t rate = g->s->unknown[u].rate;
    uint32_t fresh = ct_add_derived_row(g, terms.at, terms.count, rest, &r);
    ct_catch_up(g, fresh);
    /* A rate that is differentiated itself is bound by this row like a state. */
    if (!g->s->unknown[rate].rate && ct_find_term(&g->row.at[fresh], rate) != NONE)
        ct_eliminate(g, rate, fresh);
}

bool ct_settle_constraints(engine *g)
{
    bool changed = false;
    for (uint32_t i = 0; i < g->row.count && !g->failed; i++) {
        if (!is_constraint(&g->row.at[i]))
            continue;
        settle(g, i);
        changed = true;
    }
    return changed;
}

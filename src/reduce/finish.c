/* finish.c - back-substitution: every unknown in terms of states, algebraic unknowns and inputs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "reduce/engine.h"

typedef CT_VEC(uint32_t) index_list;

/* What is replaced in an expression that holds this unknown: its symbol by its value, if it has
 * one.
 */
static void put_value(engine *g, uint32_t u)
{
    if (!g->value[u] || g->value[u] == ct_engine_symbol(g, u))
        return;
    CT_PUSH(g->arena, g->from, g->s->unknown[u].name);
    CT_PUSH(g->arena, g->to, g->value[u]);
}

/* Symbols of eliminated unknowns replaced by their values. */
static ct_expr finished(engine *g, ct_expr e)
{
    const ct_name *symbol;
    if (ct_expr_is_number(g->pool, e))
        return e;
    uint32_t count = ct_expr_symbols(g->pool, e, &symbol);
    g->from.count = g->to.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        if (u)
            put_value(g, u);
    }
    return g->from.count ? ct_expr_substitute(g->pool, e, g->from.at, g->to.at, g->from.count) : e;
}

static ct_expr finished_row(engine *g, const row *r, uint32_t unknown)
{
    ct_expr factor = g->one;
    g->part.count = g->scale.count = 0;
    for (uint32_t i = 0; i < r->term_count; i++) {
        const ct_term *t = &r->term[i];
        ct_expr f = ct_factor_risk(g, t->factor) < 2 ? t->factor : finished(g, t->factor);
        ct_expr value = g->value[t->unknown];
        if (t->unknown == unknown) {
            factor = f;
            continue;
        }
        CT_PUSH(g->arena, g->scale, f);
        CT_PUSH(g->arena, g->part, value ? value : ct_engine_symbol(g, t->unknown));
    }
    CT_PUSH(g->arena, g->scale, g->one);
    CT_PUSH(g->arena, g->part, r->nonlinear.count ? finished(g, r->rest) : r->rest);
    ct_expr sum = ct_expr_combine(g->pool, g->scale.at, g->part.at, g->part.count);
    if (!unknown)
        return sum;
    if (ct_expr_is_number(g->pool, factor))
        return ct_expr_div(g->pool, sum, ct_expr_neg(g->pool, factor));
    return ct_expr_div(g->pool, ct_expr_neg(g->pool, sum), factor);
}

/* ---- values on demand: what a value needs is found first */

static void want(engine *g, uint32_t u)
{
    if (!g->value[u] && g->pivot_row[u] != NONE)
        CT_PUSH(g->arena, g->wanted, u);
}

static void want_symbols(engine *g, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_is_number(g->pool, e) ? 0 : ct_expr_symbols(g->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        if (u)
            want(g, u);
    }
}

static bool cancels(engine *g, ct_expr e, uint32_t unknown)
{
    ct_expr slope = ct_expr_diff(g->pool, e, g->s->unknown[unknown].name);
    return slope && ct_expr_is_zero(g->pool, slope);
}

/* A rest may hold unknowns that were eliminated before its row became a pivot. Where they cancel,
 * to ask for their values could lead back here. */
static void want_row(engine *g, const row *r, uint32_t unknown)
{
    for (uint32_t i = 0; i < r->term_count; i++) {
        if (r->term[i].unknown != unknown)
            want(g, r->term[i].unknown);
        if (ct_factor_risk(g, r->term[i].factor) == 2)
            want_symbols(g, r->term[i].factor);
    }
    for (uint32_t i = 0; i < r->nonlinear.count; i++) {
        uint32_t u = r->nonlinear.at[i];
        if (!g->value[u] && (!unknown || g->turn[u] > g->turn[unknown] || !cancels(g, r->rest, u)))
            want(g, u);
    }
}

/* Of those that were pushed last, one that waits for u itself: nothing in its law cancels, and no
 * substitution ends. */
static bool leads_back(const engine *g, uint32_t before)
{
    for (uint32_t i = before; i < g->wanted.count; i++)
        if (g->waits[g->wanted.at[i]])
            return true;
    return false;
}

/* A row holds only what was open when it became a pivot, so this ends. */
static void find_wanted(engine *g)
{
    while (g->wanted.count) {
        uint32_t before = g->wanted.count, u = g->wanted.at[before - 1];
        const row *r = &g->row.at[g->pivot_row[u]];
        if (!g->value[u])
            want_row(g, r, u);
        g->waits[u] = g->wanted.count > before;
        if (leads_back(g, before)) {
            ct_report_circle(g, u);
            g->wanted.count = before;
            g->waits[u] = false;
            g->value[u] = ct_engine_symbol(g, u);
        }
        if (g->wanted.count > before)
            continue;
        if (!g->value[u] && !(g->value[u] = finished_row(g, r, u))) {
            ct_report_no_value(g, u);
            g->value[u] = ct_engine_symbol(g, u); /* or it would be wanted again */
        }
        g->wanted.count--;
    }
}

static ct_expr value_of(engine *g, uint32_t u)
{
    want(g, u);
    find_wanted(g);
    return g->value[u];
}

ct_expr ct_finished_residual(engine *g, const row *r)
{
    want_row(g, r, 0);
    find_wanted(g);
    return finished_row(g, r, 0);
}

/* Symbols that are unknowns are wanted, and listed. */
static void want_symbol(void *user, ct_expr e)
{
    engine *g = user;
    if (ct_expr_kind_of(g->pool, e) != CT_EXPR_SYMBOL)
        return;
    uint32_t u = ct_index_get(g->s->unknown_by_name, ct_expr_name(g->pool, e));
    if (!u)
        return;
    want(g, u);
    CT_PUSH(g->arena, g->met, u);
}

void ct_finish_all(engine *g, ct_expr *e, uint32_t count)
{
    g->met.count = 0;
    ct_expr_walk(g->pool, e, count, want_symbol, g);
    find_wanted(g);
    g->from.count = g->to.count = 0;
    for (uint32_t i = 0; i < g->met.count; i++)
        put_value(g, g->met.at[i]);
    if (g->from.count)
        ct_expr_substitute_all(g->pool, e, e, count, g->from.at, g->to.at, g->from.count);
}

static void collect_left(engine *g, index_list *states, index_list *algebraic)
{
    for (uint32_t u = 1; u < g->s->unknown_count; u++) {
        column_fate fate = g->col[u].fate;
        if (fate == FATE_PIVOT || fate == FATE_DEPENDENT)
            continue;
        g->value[u] = ct_engine_symbol(g, u);
        if (g->col[u].kind == COLUMN_STATE && fate != FATE_BOUND)
            CT_PUSH(g->scratch, *states, u);
        else
            CT_PUSH(g->scratch, *algebraic, u);
    }
}

/* The unknown that a row should stand beside: the potential of its node. A matrix of a network then
 * has a full diagonal and a symmetric pattern, which sparse solvers like. */
static uint32_t partner(engine *g, const row *r)
{
    if (r->source == NONE || g->s->row[r->source].origin != CT_FROM_VERTEX)
        return NONE;
    return g->s->row[r->source].origin_index;
}

static void collect_residuals(engine *g, const ct_reduced *reduced, ct_expr *residual)
{
    uint32_t *at = CT_NEW_ARRAY(g->scratch, uint32_t, g->s->graph->scalar_node_count + 1), free = 0;
    for (uint32_t i = 0; i < reduced->algebraic_count; i++) {
        const ct_unknown_row *u = &g->s->unknown[reduced->algebraic[i]];
        if (u->kind == CT_UNKNOWN_POTENTIAL)
            at[u->owner] = i + 1;
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < g->row.count; i++) {
            const row *r = &g->row.at[i];
            uint32_t node = r->live ? partner(g, r) : NONE;
            bool placed = node != NONE && at[node];
            if (!r->live || placed != (round == 0))
                continue;
            while (round == 1 && residual[free])
                free++;
            residual[round == 0 ? at[node] - 1 : free] = ct_finished_residual(g, r);
        }
    }
}

static void find_factors(engine *g, const row *r)
{
    for (uint32_t i = 0; i < r->term_count; i++)
        if (ct_factor_risk(g, r->term[i].factor) == 2)
            want_symbols(g, r->term[i].factor);
    find_wanted(g);
}

static void substitute_some(engine *g, bool dependent)
{
    for (uint32_t i = g->order.count; i-- > 0;) {
        const pivot *p = &g->order.at[i];
        if ((g->col[p->column].fate == FATE_DEPENDENT) != dependent)
            continue;
        if (dependent)
            find_factors(g, &g->row.at[p->row]);
        g->value[p->column] = finished_row(g, &g->row.at[p->row], p->column);
    }
}

/* Dependent states first: they may stand in the factors of any row, those of others among them. */
static void substitute_back(engine *g)
{
    substitute_some(g, true);
    substitute_some(g, false);
}

static const ct_step *list_steps(engine *g)
{
    ct_step *step = CT_NEW_ARRAY(g->arena, ct_step, g->order.count + 1);
    for (uint32_t i = 0; i < g->order.count; i++) {
        const row *r = &g->row.at[g->order.at[i].row];
        step[i] = (ct_step){g->order.at[i].column, {r->term, r->term_count, r->rest, r->source}};
    }
    return step;
}

/* ---- order of states: as the edges stand in the model, positions before speeds, own unknowns last
 */

typedef struct rank {
    uint32_t unknown, group, owner;
} rank;

static rank rank_of(const ct_system *s, uint32_t u)
{
    uint32_t base = u, depth = 0;
    while (s->unknown[base].kind == CT_UNKNOWN_RATE) {
        base = s->unknown[base].owner;
        depth++;
    }
    bool own = s->unknown[base].kind == CT_UNKNOWN_OWN;
    bool position = s->unknown[base].kind == CT_UNKNOWN_POSITION;
    return (rank){u, (own ? 8 : position ? 0 : 4) + depth, s->unknown[base].owner};
}

static int by_rank(const void *x, const void *y)
{
    const rank *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return a->unknown < b->unknown ? -1 : 1;
}

static void sort_states(engine *g, index_list *states)
{
    rank *ranks = CT_NEW_ARRAY(g->scratch, rank, states->count + 1);
    for (uint32_t i = 0; i < states->count; i++)
        ranks[i] = rank_of(g->s, states->at[i]);
    qsort(ranks, states->count, sizeof *ranks, by_rank);
    for (uint32_t i = 0; i < states->count; i++)
        states->at[i] = ranks[i].unknown;
}

/* Of coordinates of a mechanism alone, and some? */
static bool is_place(const engine *g, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = e ? ct_expr_symbols(g->pool, e, &symbol) : 0, found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        if (u && !g->s->unknown[u].coordinate)
            return false;
        found += u != 0;
    }
    return found > 0;
}

/* What a mode holds closed: bonds of speeds alone would let it drift. */
static uint32_t put_places(engine *g, ct_invariant *list)
{
    const ct_model *m = g->s->model;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->closed_count && g->invariant.count; i++) {
        ct_expr e = ct_system_express(g->s, m->closed[i].gap, (ct_place){0});
        if (e)
            ct_finish_all(g, &e, 1);
        if (!is_place(g, e))
            continue;
        const ct_component *c = &m->component[m->closed[i].component];
        list[count++] = (ct_invariant){.expr = e, .joint = c->name, .place = c->place};
    }
    return count;
}

static void list_invariants(engine *g, ct_reduced *r)
{
    const ct_system *s = g->s;
    uint32_t count = s->invariant_count + g->invariant.count;
    ct_invariant *list = CT_NEW_ARRAY(r->arena, ct_invariant, count + s->model->closed_count + 1);
    for (uint32_t i = 0; i < s->invariant_count; i++)
        list[i] = s->invariant[i];
    for (uint32_t i = 0; i < g->invariant.count; i++)
        list[s->invariant_count + i] = g->invariant.at[i];
    r->invariant = list;
    r->invariant_count = count + put_places(g, list + count);
}

/* The result has an arena of its own, so that the engine can be forgotten. */
static ct_reduced *new_reduced(engine *g)
{
    ct_arena *arena = ct_arena_new(g->s->model->ctx);
    ct_reduced *r = CT_NEW(arena, ct_reduced);
    *r = (ct_reduced){.system = g->s,
                      .arena = arena,
                      .value = g->value,
                      .pivot = g->divisor.at,
                      .pivot_count = g->divisor.count,
                      .constraint = g->constraint.at,
                      .dependent = g->dependent.at,
                      .constraint_count = g->constraint.count,
                      .slack = g->slack.at,
                      .slack_count = g->slack.count,
                      .equation = g->equation,
                      .equation_count = g->equation_count,
                      .maker = g};
    if (g->derivation) {
        r->step = list_steps(g);
        r->step_count = g->order.count;
    }
    return r;
}

static ct_expr *list_rates(engine *g, const ct_reduced *r)
{
    ct_expr *rate = CT_NEW_ARRAY(r->arena, ct_expr, r->state_count + 1);
    for (uint32_t i = 0; i < r->state_count; i++)
        rate[i] = value_of(g, g->s->unknown[r->state[i]].rate);
    return rate;
}

static const uint32_t *copy_list(ct_arena *arena, const index_list *list)
{
    uint32_t *copy = CT_NEW_ARRAY(arena, uint32_t, list->count + 1);
    if (list->count)
        memcpy(copy, list->at, list->count * sizeof *copy);
    return copy;
}

/* An expression that divides by zero is none. */
static bool have_values(engine *g, const uint32_t *unknown, const ct_expr *e, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!e[i]) {
            ct_report_no_value(g, unknown[i]);
            return false;
        }
    return true;
}

ct_reduced *ct_finish(engine *g)
{
    index_list states = {0}, algebraic = {0};
    g->value = CT_NEW_ARRAY(g->arena, ct_expr, g->s->unknown_count);
    collect_left(g, &states, &algebraic);
    sort_states(g, &states);
    uint32_t live = 0;
    for (uint32_t i = 0; i < g->row.count; i++)
        live += g->row.at[i].live;
    if (live != algebraic.count) {
        ct_report_singular(g);
        return NULL;
    }
    ct_reduced *r = new_reduced(g);
    r->state = copy_list(r->arena, &states);
    r->algebraic = copy_list(r->arena, &algebraic);
    r->state_count = states.count;
    r->algebraic_count = algebraic.count;
    if (g->derivation)
        substitute_back(g);
    ct_arena_free(g->scratch); /* before expressions take memory */
    g->scratch = ct_arena_new(g->s->model->ctx);
    g->col = NULL;
    g->edge_at = NULL;
    ct_expr *residual = CT_NEW_ARRAY(r->arena, ct_expr, r->algebraic_count + 1);
    collect_residuals(g, r, residual);
    ct_expr *rate = list_rates(g, r);
    if (!ct_unfold(g))
        return NULL;
    ct_put_definitions(g, rate, r->state_count);
    ct_put_definitions(g, residual, r->algebraic_count);
    if (g->failed || !have_values(g, r->state, rate, r->state_count) ||
        !have_values(g, r->algebraic, residual, r->algebraic_count))
        return NULL;
    r->rate = rate;
    r->residual = residual;
    list_invariants(g, r);
    r->balance = ct_list_balances(g, r);
    return r;
}

void ct_reduced_forget(ct_reduced *r)
{
    if (!r->maker || r->maker->derivation)
        return;
    ct_system_forget(r->maker->own);
    ct_arena_free(r->maker->arena);
    r->maker = NULL;
    r->value = r->pivot = r->constraint = NULL;
    r->dependent = NULL;
    r->slack = NULL;
    r->pivot_count = r->constraint_count = r->slack_count = 0;
}

/* ---- for readers */

/* What the engine keeps while it works, one for each reader. */
engine *ct_engine_copy(const engine *from, const ct_system *s, ct_arena *arena)
{
    engine *g = CT_NEW(arena, engine);
    *g = *from;
    g->s = s, g->own = NULL, g->arena = arena;
    g->value = CT_NEW_ARRAY(arena, ct_expr, s->unknown_count);
    memcpy(g->value, from->value, s->unknown_count * sizeof *g->value);
    memset(&g->part, 0, sizeof g->part);
    memset(&g->scale, 0, sizeof g->scale);
    memset(&g->to, 0, sizeof g->to);
    memset(&g->from, 0, sizeof g->from);
    memset(&g->met, 0, sizeof g->met);
    memset(&g->wanted, 0, sizeof g->wanted);
    memset(&g->factor, 0, sizeof g->factor);
    ct_map_init(&g->factor_index, arena);
    return g;
}

const ct_reduced *ct_reduced_view(const ct_reduced *r, ct_arena *arena)
{
    if (!r->maker)
        return r;
    ct_reduced *own = CT_NEW(arena, ct_reduced);
    *own = *r;
    own->arena = arena;
    own->closed = false;
    own->system = ct_system_view(r->system, arena);
    own->maker = ct_engine_copy(r->maker, own->system, arena);
    own->value = own->maker->value;
    return own;
}

ct_expr ct_reduced_express(const ct_reduced *r, ct_expr e, ct_place place)
{
    assert(!r->closed);
    ct_expr over_unknowns = ct_system_express(r->system, e, place);
    if (!over_unknowns)
        return 0;
    ct_finish_all(r->maker, &over_unknowns, 1);
    ct_put_definitions(r->maker, &over_unknowns, 1);
    if (!over_unknowns && !r->maker->failed && place.length)
        ct_report_division(r->maker, place);
    return r->maker->failed ? 0 : over_unknowns;
}

ct_expr ct_reduced_value(const ct_reduced *r, ct_name symbol)
{
    engine *g = r->maker;
    uint32_t u = g ? ct_index_get(r->system->unknown_by_name, symbol) : 0;
    uint32_t known = g && !u ? ct_map_get(&g->is_defined, symbol) : 0;
    ct_expr e = u ? value_of(g, u) : known ? g->definition.at[known - 1] : 0;
    if (e)
        ct_put_definitions(g, &e, 1);
    return e;
}

/* balance.c - what vanishes when nothing changes: rows as they stand before rates are solved for,
 * without their rates. M(x) x' + h(x) = 0 has its rest where h = 0. The rates say the same, but as
 * h divided by M: where capacitances are exponentials, Newton's method does not get far with that.
 */
#include "reduce/engine.h"

/* A copy: the row itself goes on. Its expression is made at the end, from values without what has
 * been eliminated by then. */
static row without_rates(engine *g, const row *from)
{
    row r = {.rest = from->rest};
    ct_term *term = CT_NEW_ARRAY(g->arena, ct_term, from->term_count + 1);
    for (uint32_t i = 0; i < from->term_count; i++)
        if (g->col[from->term[i].unknown].kind != COLUMN_RATE)
            term[r.term_count++] = from->term[i];
    r.term = term;
    for (uint32_t i = 0; i < from->nonlinear.count; i++)
        CT_PUSH(g->arena, r.nonlinear, from->nonlinear.at[i]);
    return r;
}

static bool divides_by_states(engine *g)
{
    for (uint32_t i = 0; i < g->row.count; i++) {
        const row *r = &g->row.at[i];
        for (uint32_t k = 0; r->live && r->rates && k < r->term_count; k++)
            if (g->col[r->term[k].unknown].kind == COLUMN_RATE &&
                ct_factor_risk(g, r->term[k].factor) == 2)
                return true;
    }
    return false;
}

void ct_keep_balances(engine *g)
{
    if (!g->balance.count && !divides_by_states(g))
        return;
    while (g->balance.count < g->row.count)
        CT_PUSH(g->arena, g->balance, (row){0});
    for (uint32_t i = 0; i < g->row.count; i++)
        if (g->row.at[i].live && g->row.at[i].rates)
            g->balance.at[i] = without_rates(g, &g->row.at[i]);
}

static bool has_balance(const engine *g, uint32_t index)
{
    return index < g->balance.count && g->balance.at[index].term && !g->row.at[index].live;
}

/* Rows that were solved together are no pivots, and go to their rates in any order. */
static uint32_t next_free(const engine *g, const bool *used, uint32_t index)
{
    while (index < g->balance.count && (used[index] || !has_balance(g, index)))
        index++;
    return index;
}

/* The row of each rate; NONE: it is an unknown. False: there are not enough. */
static bool assign(engine *g, const ct_reduced *r, uint32_t *chosen)
{
    bool *used = CT_NEW_ARRAY(g->scratch, bool, g->row.count + 1);
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        if (g->pivot_row[u] != NONE)
            used[g->pivot_row[u]] = true;
    for (uint32_t i = 0, next = 0; i < r->state_count; i++) {
        chosen[i] = g->pivot_row[g->s->unknown[r->state[i]].rate];
        if (chosen[i] == NONE || has_balance(g, chosen[i]))
            continue;
        chosen[i] = next_free(g, used, next);
        next = chosen[i] + 1;
        if (chosen[i] >= g->balance.count)
            return false;
    }
    return true;
}

const ct_expr *ct_list_balances(engine *g, const ct_reduced *r)
{
    uint32_t *chosen = CT_NEW_ARRAY(g->scratch, uint32_t, r->state_count + 1);
    if (!g->balance.count || !assign(g, r, chosen))
        return NULL;
    ct_expr *balance = CT_NEW_ARRAY(r->arena, ct_expr, r->state_count + 1);
    for (uint32_t i = 0; i < r->state_count; i++)
        balance[i] =
            chosen[i] == NONE ? r->rate[i] : ct_finished_residual(g, &g->balance.at[chosen[i]]);
    ct_put_definitions(g, balance, r->state_count);
    return balance;
}

/* reduce.c - the order of elimination [FORMULATION, section 7].
 *
 *   0. of a mechanism: its accelerations, with the loads that depend on them;
 *   1. plain unknowns by rows without rates;
 *   2. rows left without plain unknowns and rates bind states: one of them becomes dependent;
 *   3. plain unknowns that only storage rows determine (currents in a capacitor loop);
 *   4. rates; what then has neither rates nor unknowns is a constraint again: back to 2.
 *
 * What is left goes to numerical solution.
 */
#include "reduce/engine.h"

#include <assert.h>

enum { MOST_ROUNDS = 64, MOST_GROWTH = 4000000 };

static void tie_rows(engine *g, bool kinematic);

static void reopen(engine *g)
{
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        if (g->col[u].fate == FATE_LEFT)
            g->col[u].fate = FATE_OPEN;
}

static void show_rows(engine *g, bool with_rates, ct_shown *list, uint32_t *count)
{
    for (uint32_t i = 0; i < g->row.count; i++) {
        const row *r = &g->row.at[i];
        if (r->live && (r->rates > 0) == with_rates)
            list[(*count)++] = (ct_shown){r->term, r->term_count, r->rest, r->source};
    }
}

/* The equations before rates are solved for: what people want to read. */
static void keep_equations(engine *g)
{
    ct_shown *list = CT_NEW_ARRAY(g->arena, ct_shown, g->row.count + 1);
    g->equation_count = 0;
    show_rows(g, true, list, &g->equation_count);
    show_rows(g, false, list, &g->equation_count);
    g->equation = list;
}

static bool has_constraint(const engine *g)
{
    for (uint32_t i = 0; i < g->row.count; i++)
        if (g->row.at[i].live && !g->row.at[i].rates && !g->row.at[i].plains &&
            !g->row.at[i].hidden)
            return true;
    return false;
}

/* Rows that lose their last rate may hide constraints. */
static uint32_t count_without_rates(const engine *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->row.count; i++)
        count += g->row.at[i].live && !g->row.at[i].rates;
    return count;
}

/* Divisors that vanish are used when nothing else is left: --set may give other values. */
static bool try_last_resort(engine *g)
{
    if (!g->shunned || g->last_resort)
        return false;
    return g->last_resort = true;
}

static void settle_without_rates(engine *g)
{
    do
        ct_eliminate_plain(g, false);
    while (!g->failed && (ct_settle_constraints(g) || ct_invert_rows(g) || ct_settle_hidden(g)));
}

/* The network first: what it leaves open of the loads on a mechanism depends on accelerations. */
static void join_mechanism(engine *g)
{
    if (!g->s->definition_count)
        return;
    settle_without_rates(g);
    tie_rows(g, true);
    if (!g->failed)
        ct_add_accelerations(g);
    reopen(g);
}

static void run_rounds(engine *g)
{
    join_mechanism(g);
    for (uint32_t round = 0; round < MOST_ROUNDS && !g->failed; round++) {
        settle_without_rates(g);
        tie_rows(g, false);
        ct_eliminate_plain(g, true);
        reopen(g);
        if (g->derivation && !g->equation)
            keep_equations(g);
        ct_keep_balances(g);
        uint32_t before = count_without_rates(g);
        ct_eliminate_rates(g);
        ct_eliminate_plain(g, false);
        bool more = count_without_rates(g) > before;
        if (!has_constraint(g) && !ct_solve_blocks(g) && !(more && ct_settle_hidden(g)) &&
            !try_last_resort(g))
            return;
    }
}

/* Those of drivers of joints have the first numbers. */
static void list_driver_slacks(engine *g)
{
    for (uint32_t i = 0; i < g->s->driver_count; i++)
        CT_PUSH(g->arena, g->slack,
                ((ct_slack){.symbol = g->s->driver[i].slack,
                            .risen = g->zero,
                            .driver = &g->s->driver[i]}));
}

static ct_reduced *reduce(ct_system *s, bool derivation)
{
    assert(s->maker && (s->unknown || !s->unknown_count) && (s->row || !s->row_count));
    ct_arena *arena = ct_arena_new(s->model->ctx);
    engine *g = CT_NEW(arena, engine);
    g->s = g->own = s, g->arena = arena, g->pool = s->pool;
    g->scratch = ct_arena_new(s->model->ctx);
    ct_map_init(&g->exponential, g->scratch);
    ct_map_init(&g->is_defined, arena);
    ct_map_init(&g->factor_index, arena);
    g->derivation = derivation;
    g->timed = !s->mechanics;
    g->slackened = g->timed || !derivation;
    g->zero = ct_expr_int(g->pool, 0);
    g->one = ct_expr_int(g->pool, 1);
    g->budget = 200 * ((uint64_t)s->row_count + 1000);
    ct_engine_load(g);
    list_driver_slacks(g);
    g->most_nodes = ct_pool_count(g->pool) + MOST_GROWTH + 100 * s->row_count;
    run_rounds(g);
    if (!g->failed)
        ct_check_left(g);
    ct_reduced *reduced = g->failed ? NULL : ct_finish(g);
    ct_arena_free(g->scratch);
    g->scratch = NULL;
    return reduced;
}

ct_reduced *ct_reduce(ct_system *s)
{
    return reduce(s, true);
}

ct_reduced *ct_reduce_only(ct_system *s)
{
    return reduce(s, false);
}

/* ---- which plain unknowns belong to rows without rates: they are not for storage rows.
 * Augmenting paths from a greedy start, with a stack of their own. */

typedef struct frame {
    uint32_t row, next, via; /* via: unknown by which the frame above it was entered */
} frame;

typedef struct matching {
    uint32_t *row_of; /* per unknown */
    uint32_t *seen;   /* per unknown: round */
    uint32_t round;
    CT_VEC(frame) stack;
} matching;

static uint32_t nth_unknown(const row *r, uint32_t i)
{
    return i < r->term_count ? r->term[i].unknown : r->nonlinear.at[i - r->term_count];
}

static bool open_plain(const engine *g, uint32_t u)
{
    return g->col[u].kind == COLUMN_PLAIN && g->col[u].fate == FATE_OPEN;
}

/* An unknown of the row that no row has yet. */
static bool match_directly(engine *g, matching *m, uint32_t index)
{
    const row *r = &g->row.at[index];
    for (uint32_t i = 0; i < r->term_count + r->nonlinear.count; i++) {
        uint32_t u = nth_unknown(r, i);
        if (!open_plain(g, u) || m->row_of[u] != NONE)
            continue;
        m->row_of[u] = index;
        return true;
    }
    return false;
}

static bool augment(engine *g, matching *m, uint32_t start)
{
    m->stack.count = 0;
    CT_PUSH(g->scratch, m->stack, (frame){start, 0, 0});
    m->round++;
    while (m->stack.count) {
        frame *top = &m->stack.at[m->stack.count - 1];
        const row *r = &g->row.at[top->row];
        if (top->next == r->term_count + r->nonlinear.count) {
            m->stack.count--;
            continue;
        }
        uint32_t u = nth_unknown(r, top->next++);
        if (!open_plain(g, u) || m->seen[u] == m->round)
            continue;
        m->seen[u] = m->round;
        top->via = u;
        if (m->row_of[u] != NONE) {
            CT_PUSH(g->scratch, m->stack, (frame){m->row_of[u], 0, 0});
            continue;
        }
        while (m->stack.count) {
            frame last = m->stack.at[--m->stack.count];
            m->row_of[last.via] = last.row;
        }
        return true;
    }
    return false;
}

/* Rates of coordinates are known as speeds are. */
static bool holds_rates(const engine *g, const row *r)
{
    const ct_unknown_row *unknown = g->s->unknown;
    bool found = false;
    for (uint32_t i = 0; r->rates && i < r->term_count + r->nonlinear.count && !found; i++) {
        uint32_t u = nth_unknown(r, i);
        found = g->col[u].kind == COLUMN_RATE && !unknown[unknown[u].owner].coordinate;
    }
    return found;
}

static bool is_algebraic(const engine *g, const row *r, bool kinematic)
{
    return r->live && r->plains && !r->hidden && !(kinematic ? holds_rates(g, r) : r->rates);
}

static bool holds(const engine *g, uint32_t index, uint32_t unknown)
{
    const row *r = &g->row.at[index];
    return r->live && (ct_find_term(r, unknown) != NONE || ct_row_holds(r, unknown));
}

/* What cannot be told from an unmatched unknown apart: the others in its rows [Dulmage,
 * Mendelsohn]. */
static void spread_loose(engine *g, const matching *m)
{
    uint32_t *unknown_of = CT_NEW_ARRAY(g->scratch, uint32_t, g->row.count + 1);
    CT_VEC(uint32_t) queue = {0};
    for (uint32_t u = 1; u < g->s->unknown_count; u++) {
        if (m->row_of[u] != NONE)
            unknown_of[m->row_of[u]] = u;
        g->col[u].loose = open_plain(g, u);
        if (g->col[u].loose)
            CT_PUSH(g->scratch, queue, u);
    }
    for (uint32_t i = 0; i < queue.count; i++) {
        const column *c = &g->col[queue.at[i]];
        for (uint32_t k = 0; k < c->rows.count; k++) {
            uint32_t u = holds(g, c->rows.at[k], queue.at[i]) ? unknown_of[c->rows.at[k]] : 0;
            if (!u || g->col[u].loose)
                continue;
            g->col[u].loose = true;
            CT_PUSH(g->scratch, queue, u);
        }
    }
}

/* kinematic: rows that hold rates of coordinates count, too. */
static void tie_rows(engine *g, bool kinematic)
{
    size_t size = g->s->unknown_count * sizeof(uint32_t);
    matching m = {ct_arena_alloc(g->scratch, size), ct_arena_alloc(g->scratch, size), 0, {0}};
    for (uint32_t u = 0; u < g->s->unknown_count; u++)
        m.row_of[u] = NONE;
    for (uint32_t i = 0; i < g->row.count; i++)
        if (is_algebraic(g, &g->row.at[i], kinematic) && !match_directly(g, &m, i))
            augment(g, &m, i);
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        if (m.row_of[u] != NONE)
            g->col[u].fate = FATE_LEFT;
    if (kinematic)
        spread_loose(g, &m);
    ct_arena_release(g->scratch, m.row_of, size);
    ct_arena_release(g->scratch, m.seen, size);
}

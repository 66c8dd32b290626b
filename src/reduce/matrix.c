/* matrix.c - rows of expressions, and the elimination of one unknown. */
#include <stdlib.h>
#include <string.h>

#include "reduce/engine.h"

ct_expr ct_engine_symbol(engine *g, uint32_t unknown)
{
    return ct_expr_symbol(g->pool, g->s->unknown[unknown].name);
}

uint32_t ct_find_term(const row *r, uint32_t unknown)
{
    uint32_t low = 0, high = r->term_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (r->term[middle].unknown < unknown)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->term_count && r->term[low].unknown == unknown ? low : NONE;
}

bool ct_row_holds(const row *r, uint32_t unknown)
{
    for (uint32_t i = 0; i < r->nonlinear.count; i++)
        if (r->nonlinear.at[i] == unknown)
            return true;
    return false;
}

typedef struct risk_search {
    const engine *g;
    bool moves; /* something else than parameters was met */
} risk_search;

static void note_symbol(void *user, ct_expr e)
{
    risk_search *s = user;
    const ct_model *m = s->g->s->model;
    if (s->moves || ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return;
    uint32_t q = ct_map_get(m->quantity_by_name, ct_expr_name(m->pool, e));
    s->moves = !q || m->quantity[q - 1].kind != CT_PARAM;
}

static int find_risk(const engine *g, ct_expr factor)
{
    risk_search s = {.g = g};
    ct_expr_walk(g->pool, &factor, 1, note_symbol, &s);
    return s.moves ? 2 : 1;
}

/* Each factor is looked at many times while rows are compared. */
static factor_note *note_of(engine *g, ct_expr factor)
{
    uint32_t at = ct_map_get(&g->factor_index, factor);
    if (!at) {
        CT_PUSH(g->arena, g->factor, (factor_note){.risk = find_risk(g, factor)});
        at = g->factor.count;
        ct_map_put(&g->factor_index, factor, at);
    }
    return &g->factor.at[at - 1];
}

int ct_factor_risk(engine *g, ct_expr factor)
{
    return ct_expr_is_number(g->pool, factor) ? 0 : note_of(g, factor)->risk;
}

double ct_factor_value(engine *g, ct_expr factor)
{
    if (ct_expr_is_number(g->pool, factor))
        return ct_expr_to_double(g->pool, factor);
    factor_note *note = note_of(g, factor);
    if (!note->valued)
        note->value = ct_model_value(g->s->model, factor);
    note->valued = true;
    return note->value;
}

bool ct_factor_vanishes(engine *g, ct_expr factor)
{
    return ct_factor_value(g, factor) == 0;
}

/* ---- counting */

/* Initial lists are parts of one block; longer ones are blocks of their own. */
static void list_row(engine *g, column *c, uint32_t index)
{
    if (c->rows.count == c->rows.room) {
        uint32_t room = c->rows.room < 4 ? 8 : 2 * c->rows.room;
        uint32_t *at = CT_NEW_ARRAY(g->scratch, uint32_t, room);
        if (c->rows.count)
            memcpy(at, c->rows.at, c->rows.count * sizeof *at);
        if (c->rows.room >= 8)
            ct_arena_release(g->scratch, c->rows.at, c->rows.room * sizeof *at);
        c->rows.at = at;
        c->rows.room = room;
    }
    c->rows.at[c->rows.count++] = index;
}

static void count_entry(engine *g, uint32_t index, uint32_t unknown, bool enters)
{
    row *r = &g->row.at[index];
    column *c = &g->col[unknown];
    r->rates += c->kind == COLUMN_RATE;
    r->plains += c->kind == COLUMN_PLAIN;
    if (enters && c->stamp != g->stamp)
        list_row(g, c, index);
    c->stamp = g->stamp;
}

/* step -1 before a row changes, +1 after: only what is new in it is listed. */
static void count_row(engine *g, uint32_t index, int step)
{
    row *r = &g->row.at[index];
    r->rates = r->plains = 0;
    g->stamp += step < 0;
    for (uint32_t i = 0; i < r->term_count; i++) {
        g->col[r->term[i].unknown].count += (uint32_t)step;
        count_entry(g, index, r->term[i].unknown, step > 0);
    }
    for (uint32_t i = 0; i < r->nonlinear.count; i++) {
        g->col[r->nonlinear.at[i]].nonlinear += (uint32_t)step;
        count_entry(g, index, r->nonlinear.at[i], step > 0);
    }
}

/* ---- terms of a row: as many as there are, what they replace is given back */

static void set_terms(engine *g, row *r)
{
    uint32_t count = g->merged.count;
    ct_term *term = count ? CT_NEW_ARRAY(g->arena, ct_term, count) : NULL;
    if (count)
        memcpy(term, g->merged.at, count * sizeof *term);
    if (!g->derivation)
        ct_arena_release(g->arena, r->term, r->term_count * sizeof *term);
    r->term = term;
    r->term_count = count;
}

static int by_unknown(const void *x, const void *y)
{
    const ct_term *a = x, *b = y;
    return a->unknown < b->unknown ? -1 : a->unknown > b->unknown;
}

/* Unknowns in the rest. */
static void read_rest(engine *g, row *r)
{
    const ct_name *symbol;
    r->nonlinear.count = 0;
    if (ct_expr_is_number(g->pool, r->rest))
        return;
    uint32_t count = ct_expr_symbols(g->pool, r->rest, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unknown = ct_index_get(g->s->unknown_by_name, symbol[i]);
        if (unknown)
            CT_PUSH(g->arena, r->nonlinear, unknown);
    }
}

/* Free of what is still to be found? States may stand in a factor. */
static bool is_factor(engine *g, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_is_number(g->pool, e) ? 0 : ct_expr_symbols(g->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        if (u && g->col[u].kind != COLUMN_STATE && g->col[u].fate != FATE_BOUND)
            return false;
    }
    return true;
}

/* Unknowns that the rest holds linearly become terms: c(v)*der(v), i*n(x). */
static bool extract_terms(engine *g, row *r)
{
    bool found = false;
    for (uint32_t i = 0; i < r->nonlinear.count; i++) {
        uint32_t u = r->nonlinear.at[i];
        ct_name name = g->s->unknown[u].name;
        ct_expr factor, rest; /* by structure: a jump has a constant derivative, too */
        if (g->col[u].kind == COLUMN_STATE || g->col[u].fate == FATE_BOUND ||
            !ct_expr_linear(g->pool, r->rest, &name, 1, &factor, &rest) || !is_factor(g, factor))
            continue;
        r->rest = rest;
        CT_PUSH(g->arena, g->merged, (ct_term){u, factor});
        found = true;
    }
    return found;
}

/* Sorts g->merged and adds up what belongs to one unknown. */
static void merge_terms(engine *g)
{
    ct_term *list = g->merged.at;
    uint32_t kept = 0, count = g->merged.count;
    if (count > 1)
        qsort(list, count, sizeof *list, by_unknown);
    for (uint32_t i = 0; i < count;) {
        ct_term t = list[i++];
        while (i < count && list[i].unknown == t.unknown)
            t.factor = ct_expr_add(g->pool, t.factor, list[i++].factor);
        if (!ct_expr_is_zero(g->pool, t.factor))
            list[kept++] = t;
    }
    g->merged.count = kept;
}

static void settle_rest(engine *g, row *r)
{
    read_rest(g, r);
    if (!r->nonlinear.count)
        return;
    g->merged.count = 0;
    for (uint32_t i = 0; i < r->term_count; i++)
        CT_PUSH(g->arena, g->merged, r->term[i]);
    if (!extract_terms(g, r))
        return;
    merge_terms(g);
    set_terms(g, r);
    read_rest(g, r);
}

uint32_t ct_add_engine_row(engine *g, const ct_term *terms, uint32_t count, ct_expr rest,
                           uint32_t source)
{
    row r = {
        .rest = rest, .source = source, .whole = source == NONE ? 0 : source + 1, .live = true};
    g->merged.count = 0;
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(g->arena, g->merged, terms[i]);
    merge_terms(g);
    set_terms(g, &r);
    settle_rest(g, &r);
    CT_PUSH(g->arena, g->row, r);
    g->stamp++;
    count_row(g, g->row.count - 1, 1);
    return g->row.count - 1;
}

/* Room for the rows that hold each unknown in the beginning. */
static void reserve_lists(engine *g)
{
    const ct_system *s = g->s;
    uint32_t total = 0;
    for (uint32_t i = 0; i < s->row_count; i++)
        for (uint32_t k = 0; k < s->row[i].count; k++) {
            g->col[s->term[s->row[i].first + k].unknown].rows.room++;
            total++;
        }
    uint32_t *block = CT_NEW_ARRAY(g->scratch, uint32_t, total + 1);
    for (uint32_t u = 1; u < s->unknown_count; u++) {
        uint32_t room = g->col[u].rows.room;
        g->col[u].rows.room = room < 8 ? room : 0;
        g->col[u].rows.at = block;
        block += g->col[u].rows.room;
    }
}

void ct_engine_load(engine *g)
{
    const ct_system *s = g->s;
    g->col = CT_NEW_ARRAY(g->scratch, column, s->unknown_count);
    g->pivot_row = CT_NEW_ARRAY(g->arena, uint32_t, s->unknown_count);
    g->turn = CT_NEW_ARRAY(g->arena, uint32_t, s->unknown_count);
    g->waits = CT_NEW_ARRAY(g->arena, bool, s->unknown_count);
    for (uint32_t u = 1; u < s->unknown_count; u++) {
        bool rate = s->unknown[u].kind == CT_UNKNOWN_RATE, state = s->unknown[u].rate != 0;
        g->col[u].kind = state ? COLUMN_STATE : rate ? COLUMN_RATE : COLUMN_PLAIN;
        g->pivot_row[u] = NONE;
    }
    reserve_lists(g);
    CT_RESERVE(g->arena, g->row, s->row_count + 16);
    for (uint32_t i = 0, k = 0; i < s->row_count; i++)
        if (k < s->definition_count && s->definition[k].row == i)
            k++; /* follows when loads are known: ct_add_accelerations */
        else
            ct_add_engine_row(g, s->term + s->row[i].first, s->row[i].count, s->row[i].rest, i);
    if (!g->derivation)
        ct_system_forget_terms(g->own);
}

/* ---- elimination */

ct_expr ct_sum_of_terms(engine *g, const ct_term *term, uint32_t count, ct_expr rest)
{
    g->part.count = 0;
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(g->arena, g->part,
                ct_expr_mul(g->pool, term[i].factor, ct_engine_symbol(g, term[i].unknown)));
    CT_PUSH(g->arena, g->part, rest);
    return ct_expr_sum(g->pool, g->part.at, g->part.count);
}

ct_expr ct_row_expr(engine *g, const row *r)
{
    return ct_sum_of_terms(g, r->term, r->term_count, r->rest);
}

ct_expr ct_row_solution(engine *g, const row *r, uint32_t unknown)
{
    ct_expr factor = g->one;
    g->part.count = 0;
    for (uint32_t i = 0; i < r->term_count; i++) {
        if (r->term[i].unknown == unknown)
            factor = r->term[i].factor;
        else
            CT_PUSH(
                g->arena, g->part,
                ct_expr_mul(g->pool, r->term[i].factor, ct_engine_symbol(g, r->term[i].unknown)));
    }
    CT_PUSH(g->arena, g->part, r->rest);
    ct_expr sum = ct_expr_sum(g->pool, g->part.at, g->part.count);
    return ct_expr_div(g->pool, ct_expr_neg(g->pool, sum), factor);
}

/* target += scale * source, without the unknown. */
static void add_multiple(engine *g, row *target, const row *source, ct_expr scale, uint32_t unknown)
{
    uint32_t i = 0, k = 0;
    g->merged.count = 0;
    while (i < target->term_count || k < source->term_count) {
        const ct_term *a = i < target->term_count ? &target->term[i] : NULL;
        const ct_term *b = k < source->term_count ? &source->term[k] : NULL;
        ct_term t;
        if (a && (!b || a->unknown < b->unknown)) {
            t = *a;
        } else {
            t = (ct_term){b->unknown, ct_expr_mul(g->pool, scale, b->factor)};
            if (a && a->unknown == b->unknown)
                t.factor = ct_expr_add(g->pool, a->factor, t.factor);
        }
        i += a && t.unknown == a->unknown;
        k += b && t.unknown == b->unknown;
        if (t.unknown != unknown && !ct_expr_is_zero(g->pool, t.factor))
            CT_PUSH(g->arena, g->merged, t);
    }
    target->rest = ct_expr_add(g->pool, target->rest, ct_expr_mul(g->pool, scale, source->rest));
    g->work += g->merged.count;
    set_terms(g, target);
}

static void substitute_rest(engine *g, row *r, uint32_t unknown, ct_expr value)
{
    ct_name name = g->s->unknown[unknown].name;
    ct_expr e = ct_expr_substitute(g->pool, r->rest, &name, &value, 1);
    r->rest = e ? e : r->rest;
    g->work += 8;
}

static void update_row(engine *g, uint32_t index, uint32_t unknown, const row *source,
                       ct_expr *solution)
{
    row *r = &g->row.at[index];
    uint32_t at = ct_find_term(r, unknown);
    bool held = ct_row_holds(r, unknown);
    if (!r->live || (at == NONE && !held))
        return;
    count_row(g, index, -1);
    if (held) {
        if (!*solution)
            *solution = ct_row_solution(g, source, unknown);
        substitute_rest(g, r, unknown, *solution);
    }
    if (at != NONE) {
        ct_expr own = source->term[ct_find_term(source, unknown)].factor;
        ct_expr scale = ct_expr_neg(g->pool, ct_expr_div(g->pool, r->term[at].factor, own));
        add_multiple(g, r, source, scale, unknown);
    }
    settle_rest(g, r);
    count_row(g, index, 1);
}

static uint32_t settled_unknown(const engine *g, const row *r)
{
    for (uint32_t i = 0; i < r->term_count; i++)
        if (g->pivot_row[r->term[i].unknown] != NONE)
            return r->term[i].unknown;
    for (uint32_t i = 0; i < r->nonlinear.count; i++)
        if (g->pivot_row[r->nonlinear.at[i]] != NONE)
            return r->nonlinear.at[i];
    return 0;
}

/* Places differentiated more than twice: a source that drives what lies behind others, or, by far
 * more often, one whose motion is tied. */
enum { ACCELERATIONS = 2, LESS_BEYOND = 8 };

bool ct_row_grows(engine *g, const row *r)
{
    bool beyond = g->s->mechanics && r->bonds > ACCELERATIONS;
    if (ct_pool_count(g->pool) <= g->most_nodes / (beyond ? LESS_BEYOND : 1))
        return false;
    if (beyond)
        ct_report_tied(g, r);
    else
        ct_report_growth(g);
    return true;
}

/* A row holds only unknowns that were open when it became a pivot, so this ends. */
void ct_catch_up(engine *g, uint32_t index)
{
    for (uint32_t u; !g->failed && (u = settled_unknown(g, &g->row.at[index]));) {
        if (ct_row_grows(g, &g->row.at[index]))
            return;
        const row source = g->row.at[g->pivot_row[u]];
        ct_expr solution = 0;
        update_row(g, index, u, &source, &solution);
    }
}

void ct_drop_row(engine *g, uint32_t index)
{
    count_row(g, index, -1);
    g->row.at[index].live = false;
}

void ct_eliminate(engine *g, uint32_t unknown, uint32_t index)
{
    ct_drop_row(g, index);
    const row source = g->row.at[index];
    ct_expr solution = 0, factor = source.term[ct_find_term(&source, unknown)].factor;
    if (!ct_expr_is_number(g->pool, factor))
        CT_PUSH(g->arena, g->divisor, factor);
    column *c = &g->col[unknown];
    uint32_t count = c->rows.count, *rows = c->rows.at;
    for (uint32_t i = 0; i < count; i++)
        update_row(g, rows[i], unknown, &source, &solution);
    g->col[unknown].fate = FATE_PIVOT;
    g->pivot_row[unknown] = index;
    g->turn[unknown] = ++g->turns;
    if (g->derivation)
        CT_PUSH(g->arena, g->order, (pivot){unknown, index});
}

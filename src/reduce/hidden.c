/* hidden.c - constraints between states that are not linear, or that hide behind plain unknowns.
 *
 * Rows without rates g(x, w) = 0 whose matrix dg/dw has dependent rows, l^T dg/dw = 0, bind states:
 * their derivative in time, combined by l, is free of w',
 *
 *     sum over i of  l_i (dg_i/dx x' + dg_i/dt) = 0,
 *
 * linear in the rates. One state is given up; it is found from the rows themselves, together with
 * w, so that nothing drifts. A row that holds states alone is the case l = 1.
 */
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "reduce/engine.h"

/* The second derivative of a motion shows the load that prescribes it, and behind each spring that
 * the load acts through the second one after that. What shows none after so many has none. */
enum { MOST_ROWS = 2000, MOST_TOGETHER = 48, MOST_BONDS = 6 };

typedef struct hiding {
    engine *g;
    bool last;                /* all rows that are left, with rates: only to be told */
    CT_VEC(uint32_t) row;     /* live, without rates */
    uint32_t *group;          /* per row of the list */
    uint32_t *group_of;       /* per unknown: some row of the list that holds it, + 1 */
    bool *sought;             /* per unknown: when groups were made */
    bool stale;               /* the group holds what another one has bound since then */
    CT_VEC(uint32_t) member;  /* rows of the group that is looked at */
    CT_VEC(uint32_t) column;  /* and what they should determine */
    CT_VEC(ct_expr) equation; /* per row of the list */
} hiding;

/* To be found from rows without rates: plain unknowns, and states that were given up. */
static bool is_sought(const hiding *h, uint32_t u)
{
    const column *c = &h->g->col[u];
    return c->kind == COLUMN_PLAIN || c->fate == FATE_BOUND || (h->last && c->kind == COLUMN_RATE);
}

/* Calls for the unknowns in the equation of a row of the list. */
static void each_unknown(hiding *h, uint32_t i, void (*visit)(hiding *h, uint32_t i, uint32_t u))
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(h->g->pool, h->equation.at[i], &symbol);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t u = ct_index_get(h->g->s->unknown_by_name, symbol[k]);
        if (u)
            visit(h, i, u);
    }
}

static void join(hiding *h, uint32_t i, uint32_t u)
{
    if (!is_sought(h, u))
        return;
    h->sought[u] = true;
    if (h->group_of[u])
        ct_sets_join(h->group, i, h->group_of[u] - 1);
    h->group_of[u] = i + 1;
}

static void note_column(hiding *h, uint32_t i, uint32_t u)
{
    (void)i;
    h->stale |= is_sought(h, u) && !h->sought[u];
    if (!is_sought(h, u) || !h->group_of[u])
        return;
    h->group_of[u] = 0; /* once */
    CT_PUSH(h->g->scratch, h->column, u);
}

static bool collect(hiding *h)
{
    engine *g = h->g;
    for (uint32_t i = 0; i < g->row.count; i++)
        if (g->row.at[i].live && (h->last || !g->row.at[i].rates))
            CT_PUSH(g->scratch, h->row, i);
    if (!h->row.count || h->row.count > MOST_ROWS)
        return false;
    h->group = CT_NEW_ARRAY(g->scratch, uint32_t, h->row.count);
    h->group_of = CT_NEW_ARRAY(g->scratch, uint32_t, g->s->unknown_count);
    h->sought = CT_NEW_ARRAY(g->scratch, bool, g->s->unknown_count);
    for (uint32_t i = 0; i < h->row.count; i++) {
        h->group[i] = i;
        CT_PUSH(g->scratch, h->equation, ct_row_expr(g, &g->row.at[h->row.at[i]]));
        each_unknown(h, i, join);
    }
    return true;
}

/* The matrix of derivatives by what is sought; NULL: something has none, or jumps. */
static ct_expr *slopes(hiding *h, const uint32_t *member, uint32_t rows)
{
    engine *g = h->g;
    ct_expr *entry = CT_NEW_ARRAY(g->scratch, ct_expr, rows * h->column.count + 1), *next = entry;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < h->column.count; k++) {
            ct_expr equation = h->equation.at[member[i]];
            ct_name name = g->s->unknown[h->column.at[k]].name;
            bool held = ct_expr_has(g->pool, equation, name);
            ct_expr slope = held ? ct_expr_diff(g->pool, equation, name) : g->zero;
            if (!slope || (held && ct_expr_is_zero(g->pool, slope)))
                return NULL;
            *next++ = slope;
        }
    return entry;
}

/* ---- one dependency; its rows are those of the list, its columns unknowns */

/* The equations combined, as if l were constant. */
static ct_expr combined_slope(hiding *h, const dependency *b, ct_name symbol)
{
    engine *g = h->g;
    ct_expr sum = g->zero;
    for (uint32_t i = 0; sum && i < b->rows; i++) {
        ct_expr part = ct_expr_diff(g->pool, h->equation.at[b->row[i]], symbol);
        sum = part ? ct_expr_add(g->pool, sum, ct_expr_mul(g->pool, b->factor[i], part)) : 0;
    }
    return sum;
}

/* Where a row is not linear, drivers alone tell nothing about it. */
static void put_slacks(hiding *h, const dependency *b)
{
    engine *g = h->g;
    uint32_t first = g->slack.count;
    bool linear = true;
    for (uint32_t i = 0; i < b->rows; i++) {
        uint32_t index = h->row.at[b->row[i]];
        linear &= !g->row.at[index].nonlinear.count;
        ct_put_slack(g, index, 0);
        h->equation.at[b->row[i]] = ct_row_expr(g, &g->row.at[index]);
    }
    for (uint32_t i = first; i < g->slack.count && !linear; i++)
        g->slack.at[i].risen = g->zero;
}

/* At the initial values that the model gives; what has none begins at zero. */
static bool vanishes_at_start(engine *g, ct_expr e)
{
    const ct_model *m = g->s->model;
    const ct_name *symbol;
    g->from.count = g->to.count = 0;
    uint32_t count = ct_expr_symbols(g->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        bool known =
            !ct_index_get(g->s->unknown_by_name, symbol[i]) && !ct_is_time(m->symbols, symbol[i]);
        if (known)
            continue;
        CT_PUSH(g->arena, g->from, symbol[i]);
        CT_PUSH(g->arena, g->to, g->zero);
    }
    for (uint32_t i = 0; i < g->from.count; i++)
        for (uint32_t k = 0; k < m->start_count; k++)
            if (m->start[k].variable == ct_expr_symbol(g->pool, g->from.at[i]))
                g->to.at[i] = m->start[k].value;
    if (g->from.count)
        e = ct_expr_substitute(g->pool, e, g->from.at, g->to.at, g->from.count);
    const double zero = 1e-12;
    return !e || fabs(ct_model_value(m, e)) < zero;
}

typedef struct giving {
    uint32_t unknown;
    int least;
} giving;

/* Couplings before storage, what vanishes at the start last; among equals what is wanted least. */
static void offer(engine *g, giving *best, uint32_t u, ct_expr slope)
{
    if (g->col[u].kind != COLUMN_STATE || g->col[u].fate != FATE_OPEN)
        return;
    uint32_t wanted = g->s->unknown[u].wanted;
    int own = (vanishes_at_start(g, slope) ? 4 : 0) + (wanted < CT_WANTED_LAST ? 2 : 0);
    bool later = best->unknown && wanted > g->s->unknown[best->unknown].wanted;
    if (own < best->least || (own == best->least && later))
        *best = (giving){u, own};
}

/* Of all equations of the bond, each once. */
static uint32_t symbols_of(hiding *h, const dependency *b, ct_name **list)
{
    engine *g = h->g;
    CT_VEC(ct_name) names = {0};
    ct_map seen;
    ct_map_init(&seen, g->scratch);
    for (uint32_t i = 0; i < b->rows; i++) {
        const ct_name *found;
        uint32_t count = ct_expr_symbols(g->pool, h->equation.at[b->row[i]], &found);
        for (uint32_t k = 0; k < count; k++) {
            if (ct_map_get(&seen, found[k]))
                continue;
            ct_map_put(&seen, found[k], 1);
            CT_PUSH(g->scratch, names, found[k]);
        }
    }
    *list = names.at;
    return names.count;
}

static void bind(hiding *h, const dependency *b, uint32_t given)
{
    engine *g = h->g;
    g->col[given].fate = FATE_BOUND;
    for (uint32_t i = 0; i < b->rows; i++)
        g->row.at[h->row.at[b->row[i]]].hidden = true;
    for (uint32_t c = 0; c + 1 < b->rows; c++)
        g->col[b->column[c]].fate = FATE_BOUND;
}

typedef CT_VEC(uint32_t) unknown_list;

/* What a dependent state is made of, in the row that gave it up. */
static void list_parts(engine *g, uint32_t u, unknown_list *todo)
{
    const row *r = &g->row.at[g->pivot_row[u]];
    for (uint32_t i = 0; i < r->term_count; i++)
        if (r->term[i].unknown != u)
            CT_PUSH(g->scratch, *todo, r->term[i].unknown);
    for (uint32_t i = 0; i < r->nonlinear.count; i++)
        CT_PUSH(g->scratch, *todo, r->nonlinear.at[i]);
}

/* Is a state made of coordinates and speeds of a mechanism alone? *speed: of some speed. */
static bool is_motion(engine *g, uint32_t state, bool *speed)
{
    const ct_unknown_row *unknown = g->s->unknown;
    unknown_list todo = {0};
    CT_PUSH(g->scratch, todo, state);
    for (uint32_t i = 0; i < todo.count; i++) {
        uint32_t u = todo.at[i];
        *speed |= unknown[u].speed;
        if (unknown[u].coordinate || unknown[u].speed)
            continue;
        if (g->col[u].fate != FATE_DEPENDENT)
            return false;
        list_parts(g, u, &todo);
    }
    return true;
}

/* Coordinates and speeds of a mechanism alone: any of them that were given up would have a factor
 * that vanishes in some position. So all stay states, and the bond holds as closed loops do. */
static bool binds_motion(const hiding *h, const dependency *b, const ct_term *term, uint32_t count,
                         bool *speed)
{
    engine *g = h->g;
    for (uint32_t i = 0; i < count; i++)
        if (!is_motion(g, g->s->unknown[term[i].unknown].owner, speed))
            return false;
    return b->rows == 1;
}

static void add_invariant(hiding *h, const dependency *b, bool speed)
{
    engine *g = h->g;
    uint32_t index = h->row.at[b->row[0]];
    const row *r = &g->row.at[index];
    ct_invariant v = {.expr = h->equation.at[b->row[0]],
                      .joint = ct_intern_text(g->s->model->ctx, ct_row_origin(g, r)),
                      .place = ct_row_place(g, r),
                      .speed = speed};
    CT_PUSH(g->arena, g->invariant, v);
    ct_drop_row(g, index);
}

/* Adds the derivative of the bond; false: no state is bound by it. */
static bool settle(hiding *h, const dependency *b)
{
    engine *g = h->g;
    ct_name *symbol;
    put_slacks(h, b);
    uint32_t count = symbols_of(h, b, &symbol);
    giving best = {0, 16};
    ct_expr rest = g->zero;
    CT_VEC(ct_term) terms = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        ct_expr rate = u ? 0 : ct_input_rate(g, symbol[i]);
        if (u ? is_sought(h, u) || g->col[u].kind != COLUMN_STATE : !rate)
            continue;
        ct_expr slope = combined_slope(h, b, symbol[i]);
        if (ct_row_grows(g, &g->row.at[h->row.at[b->row[0]]]))
            return true;
        if (!slope)
            return false;
        if (u && !ct_expr_is_zero(g->pool, slope)) {
            offer(g, &best, u, slope);
            CT_PUSH(g->scratch, terms, (ct_term){g->s->unknown[u].rate, slope});
        } else if (!u) {
            rest = ct_expr_add(g->pool, rest, ct_expr_mul(g->pool, slope, rate));
        }
    }
    if (!best.unknown)
        return false;
    bool speed = false, motion = binds_motion(h, b, terms.at, terms.count, &speed);
    if (motion)
        add_invariant(h, b, speed);
    else
        bind(h, b, best.unknown);
    for (uint32_t i = 0; i < terms.count; i++)
        rest = ct_expr_add(
            g->pool, rest,
            ct_expr_mul(g->pool, terms.at[i].factor, ct_engine_symbol(g, terms.at[i].unknown)));
    const row *first = &g->row.at[h->row.at[b->row[0]]];
    uint32_t fresh = ct_add_derived_row(g, NULL, 0, rest, first);
    first = &g->row.at[h->row.at[b->row[0]]];
    g->row.at[fresh].bonds = first->bonds + 1;
    if (first->bonds == MOST_BONDS && motion)
        ct_report_tied(g, first);
    else
        ct_catch_up(g, fresh);
    return true;
}

/* ---- groups */

/* No state is bound: a row that says nothing, or what cannot be. */
static void settle_empty(hiding *h, const dependency *b)
{
    engine *g = h->g;
    row *r = &g->row.at[h->row.at[b->row[b->rows - 1]]];
    if (b->rows == 1 && ct_expr_is_zero(g->pool, ct_without_slack(g, h->equation.at[b->row[0]])))
        ct_drop_row(g, h->row.at[b->row[0]]);
    else
        ct_report_contradiction(g, r);
}

static bool settle_group(hiding *h)
{
    engine *g = h->g;
    uint32_t n = h->member.count;
    dependency d;
    h->column.count = 0;
    h->stale = false;
    for (uint32_t i = 0; i < n; i++)
        each_unknown(h, h->member.at[i], note_column);
    if (h->stale)
        return false; /* its turn comes in the next round, with other groups */
    ct_expr *entry = n <= MOST_TOGETHER ? slopes(h, h->member.at, n) : NULL;
    if (!entry || !ct_find_dependency(g, entry, n, h->column.count, &d))
        return false;
    if (h->last)
        ct_report_dependent(g, &g->row.at[h->row.at[h->member.at[d.row[0]]]]);
    if (h->last || d.rows > MOST_BLOCK + 1)
        return false;
    for (uint32_t i = 0; i < d.rows; i++)
        d.row[i] = h->member.at[d.row[i]];
    for (uint32_t i = 0; i + 1 < d.rows; i++)
        d.column[i] = h->column.at[d.column[i]];
    if (!settle(h, &d))
        settle_empty(h, &d);
    return true;
}

static bool settle_groups(engine *g, bool last)
{
    hiding h = {.g = g, .last = last};
    bool changed = false;
    if (!collect(&h))
        return false;
    uint32_t *first = CT_NEW_ARRAY(g->scratch, uint32_t, h.row.count + 1),
             *next = CT_NEW_ARRAY(g->scratch, uint32_t, h.row.count + 1);
    for (uint32_t i = h.row.count; i-- > 0;) {
        uint32_t root = ct_sets_find(h.group, i);
        next[i] = first[root];
        first[root] = i + 1;
    }
    for (uint32_t i = 0; i < h.row.count && !g->failed; i++) {
        h.member.count = 0;
        for (uint32_t k = first[i]; k; k = next[k - 1])
            CT_PUSH(g->scratch, h.member, k - 1);
        changed |= h.member.count && settle_group(&h);
    }
    return changed;
}

bool ct_settle_hidden(engine *g)
{
    return settle_groups(g, false);
}

void ct_check_left(engine *g)
{
    settle_groups(g, true);
}

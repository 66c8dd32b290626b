/* equations_hybrid.c - equations of motion in the user's coordinates [McPhee-2, section 3.3.1].
 *
 * "The branch transformation equations are substituted into the chord terminal equations which,
 * along with the branch terminal equations, are then substituted into the chord transformation
 * equations." One equation for each branch is left, with symmetric matrices:
 *
 *     [M] x'' + [D] x' + [K] x = F                                           [eqs. 59, 68]
 *
 * Elimination for speed takes other rows and leaves combinations of these. So where rates are
 * coupled, the branch-chord rows are put together once more, in this order. It works where every
 * chord's terminal equation gives its through variable, and drivers prescribe the across variables
 * that are no states; elsewhere the rows of the elimination are shown.
 */
#include "export/equations_make.h"

enum { MOST_WORK = 200000 };

static const uint32_t NONE = UINT32_MAX;

typedef struct hybrid {
    maker *m;
    uint32_t *own_row; /* per unknown: the row that gives it, NONE: none */
    ct_expr *sum;      /* per unknown: its factor in the present row; 0: none */
    CT_VEC(uint32_t) met;
    CT_VEC(uint32_t) source;
    ct_expr rest;
    uint64_t work;
} hybrid;

static bool is_constant(const maker *m, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_is_number(m->pool, e) ? 0 : ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, symbol[i]);
        if (!q || m->model->quantity[q - 1].kind != CT_PARAM)
            return false;
    }
    return true;
}

static bool is_plain(const maker *m, uint32_t u)
{
    const ct_unknown_row *row = &m->system->unknown[u];
    return row->kind != CT_UNKNOWN_RATE && !row->rate;
}

/* The unknown that a row gives: its only plain one. Of a chord that is its through variable, of an
 * across driver in the tree its across variable. 0: none. */
static uint32_t given_by(const maker *m, const ct_row *r)
{
    uint32_t found = 0;
    if (r->origin != CT_FROM_TERMINAL || r->nonlinear)
        return 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const ct_term *t = &m->system->term[r->first + i];
        if (!is_plain(m, t->unknown) || m->system->unknown[t->unknown].kind == CT_UNKNOWN_ACROSS)
            continue;
        if (found || !is_constant(m, t->factor))
            return 0;
        found = t->unknown;
    }
    const ct_term *only = &m->system->term[r->first];
    if (!found && r->count == 1 && is_plain(m, only->unknown) && is_constant(m, only->factor))
        found = only->unknown;
    return found;
}

/* Only the component's own edge may be given by it, so that each unknown has at most one row. */
static bool owns(const maker *m, const ct_row *r, uint32_t u)
{
    const ct_unknown_row *row = &m->system->unknown[u];
    bool of_edge = row->kind == CT_UNKNOWN_ACROSS || row->kind == CT_UNKNOWN_THROUGH;
    return of_edge && m->system->graph->edge[row->owner].owner == r->origin_index;
}

static bool is_coupled(const maker *m)
{
    const ct_reduced *r = m->reduced;
    for (uint32_t i = 0; i < r->equation_count; i++) {
        uint32_t rates = 0;
        for (uint32_t k = 0; k < r->equation[i].term_count; k++)
            rates += m->system->unknown[r->equation[i].term[k].unknown].kind == CT_UNKNOWN_RATE;
        if (rates > 1)
            return true;
    }
    return false;
}

/* ---- one row */

static void add_term(hybrid *h, uint32_t u, ct_expr factor)
{
    if (!h->sum[u]) {
        CT_PUSH(h->m->arena, h->met, u);
        h->sum[u] = h->m->zero;
    }
    h->sum[u] = ct_expr_add(h->m->pool, h->sum[u], factor);
    h->work++;
}

static void add_row(hybrid *h, uint32_t row, ct_expr scale, uint32_t without)
{
    const ct_system *s = h->m->system;
    const ct_row *r = &s->row[row];
    for (uint32_t i = 0; i < r->count; i++) {
        const ct_term *t = &s->term[r->first + i];
        if (t->unknown != without)
            add_term(h, t->unknown, ct_expr_mul(h->m->pool, scale, t->factor));
    }
    h->rest = ct_expr_add(h->m->pool, h->rest, ct_expr_mul(h->m->pool, scale, r->rest));
    CT_PUSH(h->m->arena, h->source, row);
}

static ct_expr factor_in(const ct_system *s, uint32_t row, uint32_t u)
{
    ct_expr factor = 0;
    for (uint32_t i = 0; i < s->row[row].count; i++)
        if (s->term[s->row[row].first + i].unknown == u)
            factor = s->term[s->row[row].first + i].factor;
    return factor;
}

/* Terms met on the way are worked off in order; false: a plain unknown is left. */
static bool substitute_given(hybrid *h)
{
    maker *m = h->m;
    bool done = true;
    for (uint32_t i = 0; i < h->met.count; i++) {
        uint32_t u = h->met.at[i], row = h->own_row[u];
        if (!is_plain(m, u) || ct_expr_is_zero(m->pool, h->sum[u]))
            continue;
        if (row == NONE || h->work > MOST_WORK) {
            done = false;
            continue;
        }
        ct_expr scale = ct_expr_div(m->pool, h->sum[u], factor_in(m->system, row, u));
        h->sum[u] = m->zero;
        add_row(h, row, ct_expr_neg(m->pool, scale), u);
    }
    return done;
}

static hybrid_row collected(hybrid *h, uint32_t row)
{
    maker *m = h->m;
    ct_term *term = CT_NEW_ARRAY(m->arena, ct_term, h->met.count + 1);
    uint32_t count = 0, *source = CT_NEW_ARRAY(m->arena, uint32_t, h->source.count + 1);
    for (uint32_t i = 0; i < h->met.count; i++) {
        uint32_t u = h->met.at[i];
        if (!ct_expr_is_zero(m->pool, h->sum[u]))
            term[count++] = (ct_term){u, h->sum[u]};
        h->sum[u] = 0;
    }
    for (uint32_t i = 0; i < h->source.count; i++)
        source[i] = h->source.at[i];
    return (hybrid_row){{term, count, h->rest, row}, source, h->source.count};
}

static bool finish_row(hybrid *h, uint32_t row, hybrid_row *out)
{
    h->met.count = h->source.count = 0;
    h->rest = h->m->zero;
    add_row(h, row, h->m->one, 0);
    bool done = substitute_given(h);
    *out = collected(h, row);
    return done;
}

/* ---- all rows */

/* Marks rows that give an unknown; they are used up by it. */
static bool *assign_rows(hybrid *h)
{
    const ct_system *s = h->m->system;
    bool *used = CT_NEW_ARRAY(h->m->arena, bool, s->row_count + 1);
    h->own_row = CT_NEW_ARRAY(h->m->arena, uint32_t, s->unknown_count + 1);
    for (uint32_t u = 0; u < s->unknown_count; u++)
        h->own_row[u] = NONE;
    for (uint32_t i = 0; i < s->row_count; i++) {
        uint32_t u = given_by(h->m, &s->row[i]);
        if (!u || h->own_row[u] != NONE || !owns(h->m, &s->row[i], u))
            continue;
        h->own_row[u] = i;
        used[i] = true;
    }
    return used;
}

const hybrid_row *ct_hybrid_rows(maker *m, uint32_t *count)
{
    const ct_system *s = m->system;
    const ct_reduced *r = m->reduced;
    if (s->form != CT_FORM_BRANCH_CHORD || r->constraint_count || r->algebraic_count ||
        !is_coupled(m))
        return NULL;
    hybrid h = {.m = m, .sum = CT_NEW_ARRAY(m->arena, ct_expr, s->unknown_count + 1)};
    const bool *used = assign_rows(&h);
    hybrid_row *list = CT_NEW_ARRAY(m->arena, hybrid_row, s->row_count + 1);
    *count = 0;
    for (uint32_t i = 0; i < s->row_count; i++) {
        if (used[i])
            continue;
        if (s->row[i].nonlinear || *count == r->state_count || !finish_row(&h, i, &list[*count]))
            return NULL;
        ++*count;
    }
    return *count == r->state_count ? list : NULL;
}

/* ---- nodal form: terminal equations that give through variables put into the vertex equations;
 * those of storages stay, as q_1 does in [McPhee-2, eqs. 45-48] */

static uint32_t through_given_by(const maker *m, const ct_row *r)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const ct_term *t = &m->system->term[r->first + i];
        const ct_unknown_row *u = &m->system->unknown[t->unknown];
        if (u->kind == CT_UNKNOWN_POTENTIAL || u->kind == CT_UNKNOWN_ACROSS)
            continue;
        if (u->kind != CT_UNKNOWN_THROUGH || u->rate || found || !is_constant(m, t->factor))
            return 0;
        found = t->unknown;
    }
    return found && owns(m, r, found) ? found : 0;
}

/* A law that reads other through variables inside of functions may lead in a circle. */
static bool reads_through(const maker *m, const ct_row *r)
{
    const ct_name *symbol;
    uint32_t count = r->nonlinear ? ct_expr_symbols(m->pool, r->rest, &symbol) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_unknown_of(m, symbol[i]);
        if (u && m->system->unknown[u].kind != CT_UNKNOWN_POTENTIAL &&
            m->system->unknown[u].kind != CT_UNKNOWN_ACROSS)
            return true;
    }
    return false;
}

const hybrid_row *ct_vertex_rows(maker *m, uint32_t *count)
{
    const ct_system *s = m->system;
    hybrid h = {.m = m, .sum = CT_NEW_ARRAY(m->arena, ct_expr, s->unknown_count + 1)};
    hybrid_row *list = CT_NEW_ARRAY(m->arena, hybrid_row, s->graph->scalar_node_count + 1);
    h.own_row = CT_NEW_ARRAY(m->arena, uint32_t, s->unknown_count + 1);
    *count = 0;
    for (uint32_t u = 0; u < s->unknown_count; u++)
        h.own_row[u] = NONE;
    for (uint32_t i = 0; i < s->row_count; i++) {
        uint32_t u = s->row[i].origin == CT_FROM_TERMINAL ? through_given_by(m, &s->row[i]) : 0;
        if (u && h.own_row[u] == NONE && !reads_through(m, &s->row[i]))
            h.own_row[u] = i;
    }
    for (uint32_t i = 0; i < s->row_count; i++)
        if (s->row[i].origin == CT_FROM_VERTEX)
            finish_row(&h, i, &list[(*count)++]);
    return list;
}

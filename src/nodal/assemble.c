/* assemble.c - the matrices of a network: every component stamps its entries. */
#include <string.h>

#include "nodal/net.h"

typedef struct stamping {
    const net *n;
    bool augmented;
    uint32_t nz; /* columns of z; those of u follow */
    entry *at;
    size_t count, room;
} stamping;

static void put(stamping *s, uint32_t row, uint32_t column, double e, double a)
{
    if (e == 0 && a == 0)
        return;
    if (s->count == s->room) {
        size_t more = s->room ? 2 * s->room : 1024;
        s->at = ct_arena_grow(s->n->scratch, s->at, s->room * sizeof *s->at, more * sizeof *s->at);
        s->room = more;
    }
    s->at[s->count++] = (entry){row, column, e, a};
}

static void put_node(stamping *s, uint32_t row, uint32_t node, double e, double a)
{
    const net *n = s->n;
    if (n->column[node] >= 0)
        put(s, row, (uint32_t)n->column[node], e, a);
    for (uint32_t k = n->offset_of[node]; k; k = n->offsets.at[k - 1].next) {
        const offset *o = &n->offsets.at[k - 1];
        put(s, row, s->nz + o->wave, e * o->by, a * o->by);
    }
}

/* a across + e across' into a row. */
static void put_across(stamping *s, uint32_t row, uint32_t edge, double e, double a)
{
    const ct_graph_edge *g = &s->n->graph->edge[edge];
    int sign = ct_net_sign(s->n, edge);
    if (e != 0 && s->augmented) {
        put(s, row, s->n->n + s->n->rate[edge] - 1, 0, e);
        e = 0;
    }
    if (e == 0 && a == 0)
        return;
    put_node(s, row, g->tail, sign * e, sign * a);
    put_node(s, row, g->head, -sign * e, -sign * a);
}

static void put_column(stamping *s, uint32_t row, uint32_t column, double e, double a)
{
    if (e != 0 && s->augmented) {
        put(s, row, s->n->n + s->n->column_state[column] - 1, 0, e);
        e = 0;
    }
    put(s, row, column, e, a);
}

static void put_source(stamping *s, uint32_t row, double constant, uint32_t wave, double by)
{
    put(s, row, s->nz, 0, constant);
    if (wave)
        put(s, row, s->nz + wave, 0, by);
}

/* Rows of the nodes at both ends, with the sign of what leaves there. */
static int ends_of(const stamping *s, uint32_t edge, uint32_t row[2], int sign[2])
{
    const ct_graph_edge *g = &s->n->graph->edge[edge];
    int32_t tail = s->n->column[g->tail], head = s->n->column[g->head];
    int own = ct_net_sign(s->n, edge), count = 0;
    if (tail == head)
        return 0;
    if (tail >= 0) {
        row[count] = (uint32_t)tail;
        sign[count++] = own;
    }
    if (head >= 0) {
        row[count] = (uint32_t)head;
        sign[count++] = -own;
    }
    return count;
}

static void stamp_admittance(stamping *s, uint32_t edge, const numbers *p)
{
    uint32_t row[2];
    int sign[2], ends = ends_of(s, edge, row, sign);
    for (int i = 0; i < ends; i++) {
        put_across(s, row[i], edge, sign[i] * p->c, sign[i] * p->g);
        put_source(s, row[i], sign[i] * p->source, p->wave[0], sign[i] * p->by);
    }
}

static void stamp_through(stamping *s, uint32_t edge)
{
    uint32_t row[2];
    int sign[2], ends = ends_of(s, edge, row, sign);
    for (int i = 0; i < ends; i++)
        put(s, row[i], s->n->through[edge] - 1, 0, sign[i]);
}

static void stamp_store(stamping *s, uint32_t edge, const numbers *p)
{
    uint32_t row = s->n->through[edge] - 1;
    bool spring = p->kind == PORT_SPRING;
    stamp_through(s, edge);
    put_across(s, row, edge, 0, 1);
    put_column(s, row, row, p->c, spring ? 0 : p->g);
    if (!spring)
        put_source(s, row, p->source, p->wave[0], p->by);
}

/* Equation i stands in the row of through variable i, or of own unknown i. */
static void stamp_many(stamping *s, uint32_t component, const numbers *p)
{
    const net *n = s->n;
    const ct_element *e = p->v->element;
    uint32_t first = n->first_edge[component], at = 0;
    for (uint32_t i = 0; i < e->edge_count; i++)
        stamp_through(s, first + i);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        uint32_t row =
            i < e->edge_count ? n->through[first + i] - 1 : n->own[component] + i - e->edge_count;
        for (uint32_t k = 0; k < p->v->split->row[i].term_count; k++, at++) {
            const ct_split_term *t = &p->v->split->row[i].term[k];
            double a = t->order ? 0 : p->factor[at], d = t->order ? p->factor[at] : 0;
            if (t->edge == UINT32_MAX)
                put_column(s, row, n->own[component] + t->own, d, a);
            else if (t->across)
                put_across(s, row, first + t->edge, d, a);
            else
                put_column(s, row, n->through[first + t->edge] - 1, d, a);
        }
        put_source(s, row, p->constant[i], p->wave[i], 1);
    }
}

static void stamp(stamping *s, uint32_t component)
{
    const net *n = s->n;
    const numbers *p = &n->set.at[n->set_of[component]];
    uint32_t edge = n->first_edge[component];
    switch (p->kind) {
    case PORT_ADMITTANCE:
        stamp_admittance(s, edge, p);
        break;
    case PORT_DRIVER:
        break;
    case PORT_STORE:
    case PORT_SPRING:
        stamp_store(s, edge, p);
        break;
    case PORT_MANY:
        stamp_many(s, component, p);
        break;
    }
}

/* A state is what the last entries of u say. */
static void stamp_states(stamping *s)
{
    const net *n = s->n;
    for (uint32_t i = 0; i < n->state.count; i++) {
        const net_state *x = &n->state.at[i];
        uint32_t row = n->n + i;
        if (x->kind == STATE_ACROSS)
            put_across(s, row, n->first_edge[x->component] + x->edge, 0, 1);
        else
            put(s, row, x->column, 0, 1);
        put(s, row, s->nz + 1 + n->wave.count + i, 0, -1);
    }
}

/* ---- columns from entries: sorted by rows, then by columns; equal places add up */

static void sort_by(const entry *from, entry *to, size_t count, uint32_t keys, bool column,
                    ct_arena *arena)
{
    size_t *next = CT_NEW_ARRAY(arena, size_t, (size_t)keys + 1);
    for (size_t k = 0; k < count; k++)
        next[(column ? from[k].column : from[k].row) + 1]++;
    for (uint32_t i = 0; i < keys; i++)
        next[i + 1] += next[i];
    for (size_t k = 0; k < count; k++)
        to[next[column ? from[k].column : from[k].row]++] = from[k];
    ct_arena_release(arena, next, ((size_t)keys + 1) * sizeof *next);
}

/* Entries of columns first .. first + count - 1, in order. */
static size_t take_columns(ct_arena *arena, const entry *at, size_t left, uint32_t first,
                           columns *out)
{
    size_t used = 0, room = 0, k = 0;
    while (room < left && at[room].column < first + out->count)
        room++;
    out->start = CT_NEW_ARRAY(arena, int, out->count + 1);
    out->row = CT_NEW_ARRAY(arena, int, room + 1);
    out->e = CT_NEW_ARRAY(arena, double, room + 1);
    out->a = CT_NEW_ARRAY(arena, double, room + 1);
    for (uint32_t j = 0; j < out->count; j++) {
        for (; k < room && at[k].column == first + j; k++) {
            bool again = used > (size_t)out->start[j] && out->row[used - 1] == (int)at[k].row;
            used += !again;
            out->row[used - 1] = (int)at[k].row;
            out->e[used - 1] += at[k].e;
            out->a[used - 1] += at[k].a;
        }
        out->start[j + 1] = (int)used;
    }
    return room;
}

void ct_net_assemble(net *n, bool augmented, columns *z, columns *u)
{
    uint32_t states = augmented ? n->state.count : 0;
    stamping s = {.n = n, .augmented = augmented, .nz = n->n + states};
    for (uint32_t c = 0; c < n->model->component_count; c++)
        stamp(&s, c);
    if (augmented)
        stamp_states(&s);
    for (uint32_t i = 0; i < n->n && n->definite && !augmented; i++) {
        put(&s, i, i, 1, 0); /* L D L^T needs all of the diagonal */
        s.at[s.count - 1].e = 0;
    }
    z->count = s.nz;
    u->count = 1 + n->wave.count + states;
    entry *sorted = ct_arena_alloc(n->scratch, (s.count + 1) * sizeof *sorted);
    sort_by(s.at, sorted, s.count, s.nz, false, n->scratch);
    sort_by(sorted, s.at, s.count, s.nz + u->count, true, n->scratch);
    size_t used = take_columns(n->arena, s.at, s.count, 0, z);
    take_columns(n->arena, s.at + used, s.count - used, s.nz, u);
    ct_arena_release(n->scratch, sorted, (s.count + 1) * sizeof *sorted);
    ct_arena_release(n->scratch, s.at, s.room * sizeof *s.at);
}

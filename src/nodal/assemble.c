/* assemble.c - the matrices of a network: every component stamps its entries. */
#include <string.h>

#include "nodal/law.h"

/* Components stamp twice: first entries are counted, then put. */
typedef struct stamping {
    const net *n;
    bool augmented, counting;
    uint32_t nz; /* columns of z; those of u follow */
    columns *z, *u;
} stamping;

static void put_place(stamping *s, uint32_t row, uint32_t column, double e, double a)
{
    columns *to = column < s->nz ? s->z : s->u;
    column -= column < s->nz ? 0 : s->nz;
    if (s->counting) {
        to->start[column + 1]++;
        return;
    }
    int at = to->start[column]++;
    to->row[at] = (int)row;
    to->e[at] = e;
    to->a[at] = a;
}

static void put(stamping *s, uint32_t row, uint32_t column, double e, double a)
{
    if (e != 0 || a != 0)
        put_place(s, row, column, e, a);
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
        if (s->n->rate[edge]) /* else nothing changes across it */
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

/* through = g across + c across' + source, with a column of its own. */
static void stamp_kept(stamping *s, uint32_t edge, const numbers *p)
{
    uint32_t row = s->n->through[edge] - 1;
    bool driver = p->kind == PORT_DRIVER;
    stamp_through(s, edge);
    put_across(s, row, edge, p->c, driver ? -1 : p->g);
    put(s, row, row, 0, driver ? 0 : -1);
    put_source(s, row, p->source, p->wave[0], p->by);
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

/* by * position of an edge into a row. */
static void put_place_of(stamping *s, uint32_t row, uint32_t edge, double by)
{
    const ct_graph_edge *g = &s->n->graph->edge[edge];
    uint32_t tail = s->n->place[g->tail], head = s->n->place[g->head];
    by *= ct_net_sign(s->n, edge);
    if (tail)
        put(s, row, tail - 1, 0, by);
    if (head)
        put(s, row, head - 1, 0, -by);
}

/* Positions have the potentials as their rates. */
static void stamp_places(stamping *s)
{
    for (uint32_t i = 0; i < s->n->graph->scalar_node_count; i++) {
        uint32_t place = s->n->place[i];
        if (!place)
            continue;
        put_column(s, place - 1, place - 1, 1, 0);
        put_node(s, place - 1, i, 0, -1);
    }
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
            if (t->order < 0)
                put_place_of(s, row, first + t->edge, d);
            else if (t->edge == UINT32_MAX)
                put_column(s, row, n->own[component] + t->own, d, a);
            else if (t->across)
                put_across(s, row, first + t->edge, d, a);
            else
                put_column(s, row, n->through[first + t->edge] - 1, d, a);
        }
        put_source(s, row, p->constant[i], p->wave[i], 1);
    }
}

/* What is linear of it: through variables with columns of their own. */
static void stamp_law(stamping *s, uint32_t component, const law *l)
{
    uint32_t first = s->n->first_edge[component];
    for (uint32_t i = 0; i < l->v->element->edge_count; i++) {
        uint32_t row = s->n->through[first + i];
        if (!row)
            continue;
        stamp_through(s, first + i);
        if (l->is_explicit)
            put(s, row - 1, row - 1, 0, -1);
    }
}

static void stamp(stamping *s, uint32_t component)
{
    const net *n = s->n;
    const numbers *p = &n->set.at[n->set_of[component]];
    uint32_t edge = n->first_edge[component];
    switch (p->kind) {
    case PORT_ADMITTANCE:
        if (n->kept[edge])
            stamp_kept(s, edge, p);
        else
            stamp_admittance(s, edge, p);
        break;
    case PORT_DRIVER:
        if (n->kept[edge])
            stamp_kept(s, edge, p);
        break;
    case PORT_STORE:
    case PORT_SPRING:
        stamp_store(s, edge, p);
        break;
    case PORT_MANY:
        stamp_many(s, component, p);
        break;
    case PORT_LAW:
        stamp_law(s, component, p->law);
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

/* ---- columns */

static void stamp_all(stamping *s)
{
    const net *n = s->n;
    for (uint32_t c = 0; c < n->model->component_count; c++)
        stamp(s, c);
    stamp_places(s);
    if (s->augmented)
        stamp_states(s);
    for (uint32_t i = 0; i < n->n && n->definite && !s->augmented; i++)
        put_place(s, i, i, 0, 0); /* L D L^T needs all of the diagonal */
}

static void open_columns(ct_arena *arena, uint32_t count, columns *c)
{
    c->count = count;
    c->start = CT_NEW_ARRAY(arena, int, count + 2);
}

/* Where columns begin, from how many entries they have; room for these. */
static void open_entries(ct_arena *arena, columns *c)
{
    for (uint32_t j = 0; j < c->count; j++)
        c->start[j + 1] += c->start[j];
    size_t room = (size_t)c->start[c->count] + 1;
    c->row = CT_NEW_ARRAY(arena, int, room);
    c->e = CT_NEW_ARRAY(arena, double, room);
    c->a = CT_NEW_ARRAY(arena, double, room);
}

/* Entries from .. to - 1 by rows; a long column (a rail) by its own count. */
static void sort_short(columns *c, int from, int to)
{
    for (int i = from + 1; i < to; i++) {
        int row = c->row[i], k = i;
        double e = c->e[i], a = c->a[i];
        for (; k > from && c->row[k - 1] > row; k--) {
            c->row[k] = c->row[k - 1];
            c->e[k] = c->e[k - 1];
            c->a[k] = c->a[k - 1];
        }
        c->row[k] = row;
        c->e[k] = e;
        c->a[k] = a;
    }
}

/* Merge sort from both halves, bottom up. */
static void sort_long(columns *c, int from, int to, entry *room)
{
    int count = to - from;
    entry *at = room, *other = room + count;
    for (int i = 0; i < count; i++)
        at[i] = (entry){(uint32_t)c->row[from + i], 0, c->e[from + i], c->a[from + i]};
    for (int width = 1; width < count; width *= 2) {
        for (int low = 0; low < count; low += 2 * width) {
            int middle = low + width < count ? low + width : count;
            int high = low + 2 * width < count ? low + 2 * width : count;
            for (int i = low, j = middle, k = low; k < high; k++)
                other[k] = i < middle && (j >= high || at[i].row <= at[j].row) ? at[i++] : at[j++];
        }
        entry *swap = at;
        at = other;
        other = swap;
    }
    for (int i = 0; i < count; i++) {
        c->row[from + i] = (int)at[i].row;
        c->e[from + i] = at[i].e;
        c->a[from + i] = at[i].a;
    }
}

/* After the entries were put, start[j] is where column j ends. Rows ascend; equal places add up. */
static void tidy(ct_arena *scratch, columns *c)
{
    enum { SHORT = 32 };
    int used = 0, from = 0;
    for (uint32_t j = 0; j < c->count; j++) {
        int to = c->start[j];
        if (to - from <= SHORT) {
            sort_short(c, from, to);
        } else {
            size_t bytes = 2 * (size_t)(to - from) * sizeof(entry);
            entry *room = ct_arena_alloc(scratch, bytes);
            sort_long(c, from, to, room);
            ct_arena_release(scratch, room, bytes);
        }
        int first = used;
        for (int k = from; k < to; k++) {
            if (used > first && c->row[used - 1] == c->row[k]) {
                c->e[used - 1] += c->e[k];
                c->a[used - 1] += c->a[k];
                continue;
            }
            c->row[used] = c->row[k];
            c->e[used] = c->e[k];
            c->a[used++] = c->a[k];
        }
        c->start[j] = first;
        from = to;
    }
    c->start[c->count] = used;
}

static void *fitted(ct_arena *arena, void *block, size_t had, size_t count, size_t size)
{
    void *fit = ct_arena_alloc(arena, (count + 1) * size);
    memcpy(fit, block, count * size);
    ct_arena_release(arena, block, had * size);
    return fit;
}

/* Half of the entries met others: their room is given back. */
static void shrink(ct_arena *arena, columns *c, size_t had)
{
    size_t count = (size_t)c->start[c->count];
    c->row = fitted(arena, c->row, had, count, sizeof *c->row);
    c->e = fitted(arena, c->e, had, count, sizeof *c->e);
    c->a = fitted(arena, c->a, had, count, sizeof *c->a);
}

void ct_net_assemble(net *n, bool augmented, columns *z, columns *u)
{
    uint32_t states = augmented ? n->state.count : 0;
    stamping s = {.n = n, .augmented = augmented, .nz = n->n + states, .z = z, .u = u};
    open_columns(n->arena, s.nz, z);
    open_columns(n->arena, 1 + n->wave.count + states, u);
    s.counting = true;
    stamp_all(&s);
    open_entries(n->arena, z);
    open_entries(n->arena, u);
    size_t had = (size_t)z->start[z->count] + 1;
    s.counting = false;
    stamp_all(&s);
    tidy(n->scratch, z);
    shrink(n->arena, z, had);
    tidy(n->scratch, u);
}

/* sparse.c - a symmetric sparse system K x = b of expressions, eliminated with three kinds of
 * pivots, none of which can vanish where the masses are positive and the constraints independent:
 *
 *   substitution   unknowns V from rows E with K[E][V] = +-identity: no division at all
 *   inertia        one acceleration, divided by its diagonal: a mass or an inertia
 *   multiplier     one multiplier of a chord, after all accelerations beside it are gone: its
 *                  diagonal is then -(J M^-1 J^T) < 0
 */
#include <math.h>

#include "mechanics/inside.h"

void ct_sp_init(sparse *s, mechanics *m, ct_arena *arena)
{
    *s = (sparse){.m = m, .arena = arena};
    ct_map_init(&s->index, arena);
}

uint32_t ct_sp_unknown(sparse *s, bool chord)
{
    CT_PUSH(s->arena, s->row, (sparse_row){.b = s->m->zero, .chord = chord});
    return s->row.count - 1;
}

uint32_t ct_sp_unknowns(sparse *s, uint32_t count)
{
    uint32_t first = s->row.count;
    for (uint32_t i = 0; i < count; i++)
        ct_sp_unknown(s, false);
    return first;
}

/* A multiplier of a chord waits for the others beside it. */
static void count_neighbour(sparse *s, uint32_t i, uint32_t j)
{
    if (s->row.at[i].chord && !s->row.at[j].chord)
        s->row.at[i].waits++;
}

void ct_sp_put(sparse *s, uint32_t i, uint32_t j, ct_expr value)
{
    if (ct_mx_is_zero(s->m, value))
        return;
    uint64_t key = i < j ? ct_pair(i, j) : ct_pair(j, i);
    uint32_t found = ct_map_get(&s->index, key);
    if (found) {
        ct_expr *old = &s->entry.at[found - 1].value;
        *old = ct_mx_add(s->m, *old, value);
        return;
    }
    CT_PUSH(s->arena, s->entry, (entry){i, j, value});
    ct_map_put(&s->index, key, s->entry.count);
    CT_PUSH(s->arena, s->row.at[i].entry, s->entry.count - 1);
    if (i == j)
        return;
    CT_PUSH(s->arena, s->row.at[j].entry, s->entry.count - 1);
    count_neighbour(s, i, j);
    count_neighbour(s, j, i);
}

void ct_sp_rhs(sparse *s, uint32_t i, ct_expr value)
{
    s->row.at[i].b = ct_mx_add(s->m, s->row.at[i].b, value);
}

ct_expr ct_sp_at(const sparse *s, uint32_t i, uint32_t j)
{
    uint32_t found = ct_map_get(&s->index, i < j ? ct_pair(i, j) : ct_pair(j, i));
    ct_expr value = found ? s->entry.at[found - 1].value : 0;
    return value && ct_expr_fingerprint(s->m->pool, value) ? value : 0; /* zero in any form */
}

static void minus(sparse *s, uint32_t i, uint32_t j, ct_expr value)
{
    if (!ct_mx_is_zero(s->m, value))
        ct_sp_put(s, i, j, ct_mx_neg(s->m, value));
}

static uint32_t other_end(const sparse *s, uint32_t e, uint32_t v)
{
    const entry *at = &s->entry.at[e];
    return at->row == v ? at->col : at->row;
}

/* Live neighbours of v with their entries, appended to s->term. */
static void push_neighbours(sparse *s, uint32_t v)
{
    for (uint32_t k = 0; k < s->row.at[v].entry.count; k++) {
        uint32_t e = s->row.at[v].entry.at[k], j = other_end(s, e, v);
        if (j == v || s->row.at[j].gone || ct_mx_is_zero(s->m, s->entry.at[e].value))
            continue;
        CT_PUSH(s->arena, s->term, (pivot_term){j, s->entry.at[e].value});
    }
}

static void list_ready(sparse *s, uint32_t v)
{
    if (!s->row.at[v].listed)
        CT_PUSH(s->arena, s->ready, v);
    s->row.at[v].listed = true;
}

/* Neither coordinates nor time in it, and not zero for the values that parameters have. */
static bool is_constant(const sparse *s, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(s->m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++)
        if (ct_is_time(s->m->def->symbols, symbol[i]))
            return false;
    double value = ct_mech_number(s->m, e);
    return isfinite(value) && value != 0;
}

/* An acceleration that goes leaves a multiplier beside it -c^2/inertia as its diagonal, which never
 * vanishes when c is constant: it need not wait for what is further in. One alone: that of another
 * could cancel. */
static void list_early(sparse *s, const pivot_term *term, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (s->row.at[term[k].col].early && is_constant(s, term[k].value)) {
            list_ready(s, term[k].col);
            return;
        }
}

static void retire(sparse *s, uint32_t v)
{
    s->row.at[v].gone = true;
    for (uint32_t k = 0; k < s->row.at[v].entry.count && !s->row.at[v].chord; k++) {
        uint32_t j = other_end(s, s->row.at[v].entry.at[k], v);
        sparse_row *row = &s->row.at[j];
        if (j != v && !row->gone && row->chord && --row->waits == 0 && !row->parked)
            list_ready(s, j);
    }
}

/* ---- one by one */

bool ct_sp_pivot(sparse *s, uint32_t v)
{
    mechanics *m = s->m;
    ct_expr diagonal = ct_sp_at(s, v, v), b = s->row.at[v].b;
    if (!diagonal)
        return false;
    ct_expr inverse = ct_mx_div(m, m->one, diagonal), start = ct_mx_mul(m, b, inverse);
    uint32_t first = s->term.count;
    push_neighbours(s, v);
    uint32_t count = s->term.count - first;
    CT_PUSH(s->arena, s->done, (eliminated){v, start, inverse, first, count});
    for (uint32_t a = first; a < first + count; a++) {
        pivot_term j = s->term.at[a];
        ct_expr scaled = ct_mx_mul(m, j.value, inverse);
        ct_sp_rhs(s, j.col, ct_mx_neg(m, ct_mx_mul(m, j.value, start)));
        for (uint32_t c = a; c < first + count; c++)
            minus(s, j.col, s->term.at[c].col, ct_mx_mul(m, scaled, s->term.at[c].value));
    }
    if (!s->row.at[v].chord)
        list_early(s, s->term.at + first, count);
    retire(s, v);
    return true;
}

static uint32_t degree(const sparse *s, uint32_t v)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->row.at[v].entry.count; k++)
        count += !s->row.at[other_end(s, s->row.at[v].entry.at[k], v)].gone;
    return count;
}

void ct_sp_pivot_ready(sparse *s)
{
    while (s->ready.count) {
        uint32_t best = 0, least = UINT32_MAX;
        for (uint32_t i = 0; i < s->ready.count; i++) {
            uint32_t d = degree(s, s->ready.at[i]);
            if (d < least || (d == least && s->ready.at[i] < s->ready.at[best])) {
                least = d;
                best = i;
            }
        }
        uint32_t v = s->ready.at[best];
        s->ready.at[best] = s->ready.at[--s->ready.count];
        s->row.at[v].listed = false;
        ct_sp_pivot(s, v);
    }
}

/* ---- by substitution */

enum { BLOCK = 6 };

/* Columns beside the block; 0: no entry. */
typedef struct front {
    uint32_t col;
    uint32_t varying; /* entries of e that are no numbers */
    ct_expr e[BLOCK], v[BLOCK], u[BLOCK];
} front;

typedef struct block {
    sparse *s;
    uint32_t n;
    const uint32_t *v, *e;
    ct_expr sign[BLOCK];          /* K[e][v] */
    ct_expr mass[BLOCK][BLOCK];   /* K[v][v]; 0: none */
    ct_expr be[BLOCK], bv[BLOCK]; /* right sides */
    CT_VEC(front) front;
    ct_map index;
} block;

static bool in_block(const block *b, uint32_t j)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (b->v[i] == j || b->e[i] == j)
            return true;
    return false;
}

static front *front_of(block *b, uint32_t col)
{
    uint32_t found = ct_map_get(&b->index, col + 1);
    if (!found) {
        CT_PUSH(b->s->arena, b->front, (front){.col = col});
        found = b->front.count;
        ct_map_put(&b->index, col + 1, found);
    }
    return &b->front.at[found - 1];
}

static void gather(block *b, uint32_t i, bool of_e)
{
    sparse *s = b->s;
    uint32_t row = of_e ? b->e[i] : b->v[i], from = s->term.count;
    push_neighbours(s, row);
    for (uint32_t k = from; k < s->term.count; k++) {
        pivot_term t = s->term.at[k];
        if (in_block(b, t.col))
            continue;
        front *f = front_of(b, t.col);
        if (!of_e) {
            f->v[i] = t.value;
            continue;
        }
        f->e[i] = ct_mx_mul(s->m, t.value, b->sign[i]);
        f->varying += !ct_expr_is_number(s->m->pool, t.value);
    }
    s->term.count = from;
}

/* U = C_V - M_V C_E, and of the right sides; f NULL: these. */
static void make_u(block *b, front *f, ct_expr ub[BLOCK])
{
    mechanics *m = b->s->m;
    for (uint32_t i = 0; i < b->n; i++) {
        ct_expr sum = f ? f->v[i] : b->bv[i];
        for (uint32_t k = 0; k < b->n; k++) {
            ct_expr factor = f ? f->e[k] : b->be[k];
            if (!b->mass[i][k] || !factor)
                continue;
            ct_expr product = ct_mx_mul(m, b->mass[i][k], factor);
            sum = sum ? ct_mx_sub(m, sum, product) : ct_mx_neg(m, product);
        }
        *(f ? &f->u[i] : &ub[i]) = sum;
    }
}

static ct_expr plus(mechanics *m, ct_expr sum, ct_expr a, ct_expr c)
{
    ct_expr product = ct_mx_mul(m, a, c);
    return sum ? ct_mx_add(m, sum, product) : product;
}

static void update_diagonal(block *b, const front *j)
{
    mechanics *m = b->s->m;
    ct_expr sum = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!j->e[i] || !(j->u[i] || j->v[i]))
            continue;
        ct_expr both = j->u[i] && j->v[i] ? ct_mx_add(m, j->u[i], j->v[i])
                       : j->u[i]          ? j->u[i]
                                          : j->v[i];
        sum = plus(m, sum, j->e[i], both);
    }
    if (sum)
        minus(b->s, j->col, j->col, sum);
}

static void update_pair(block *b, const front *j, const front *l)
{
    ct_expr sum = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (j->e[i] && l->u[i])
            sum = plus(b->s->m, sum, j->e[i], l->u[i]);
        if (j->v[i] && l->e[i])
            sum = plus(b->s->m, sum, j->v[i], l->e[i]);
    }
    if (sum)
        minus(b->s, j->col, l->col, sum);
}

static void update_rhs(block *b, const front *j, const ct_expr ub[BLOCK])
{
    mechanics *m = b->s->m;
    for (uint32_t i = 0; i < b->n; i++) {
        if (j->e[i])
            ct_sp_rhs(b->s, j->col, ct_mx_neg(m, ct_mx_mul(m, j->e[i], ub[i])));
        if (j->v[i])
            ct_sp_rhs(b->s, j->col, ct_mx_neg(m, ct_mx_mul(m, j->v[i], b->be[i])));
    }
}

/* Columns of E first, those with numbers before the others: a number as the left factor costs
 * nothing. */
static int front_rank(const block *b, const front *f)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (f->e[i])
            return (int)f->varying;
    return BLOCK + 1;
}

static void sort_front(block *b)
{
    for (uint32_t i = 1; i < b->front.count; i++) {
        front f = b->front.at[i];
        uint32_t k = i;
        for (; k > 0; k--) {
            const front *before = &b->front.at[k - 1];
            int order = front_rank(b, before) - front_rank(b, &f);
            if (order < 0 || (order == 0 && before->col < f.col))
                break;
            b->front.at[k] = *before;
        }
        b->front.at[k] = f;
    }
}

static void read_block(block *b)
{
    sparse *s = b->s;
    for (uint32_t i = 0; i < b->n; i++) {
        b->sign[i] = ct_sp_at(s, b->e[i], b->v[i]);
        b->be[i] = ct_mx_mul(s->m, s->row.at[b->e[i]].b, b->sign[i]);
        b->bv[i] = s->row.at[b->v[i]].b;
        for (uint32_t k = 0; k < b->n; k++)
            b->mass[i][k] = ct_sp_at(s, b->v[i], b->v[k]);
    }
    for (uint32_t i = 0; i < b->n; i++) {
        gather(b, i, true);
        gather(b, i, false);
    }
}

static void record(block *b)
{
    sparse *s = b->s;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t first = s->term.count;
        for (uint32_t k = 0; k < b->front.count; k++)
            if (b->front.at[k].e[i])
                CT_PUSH(s->arena, s->term, (pivot_term){b->front.at[k].col, b->front.at[k].e[i]});
        CT_PUSH(s->arena, s->done,
                (eliminated){b->v[i], b->be[i], 0, first, s->term.count - first});
    }
}

void ct_sp_substitute(sparse *s, const uint32_t *v, const uint32_t *e, uint32_t n)
{
    block b = {.s = s, .n = n, .v = v, .e = e};
    ct_expr ub[BLOCK];
    ct_map_init(&b.index, s->arena);
    read_block(&b);
    sort_front(&b);
    for (uint32_t k = 0; k < b.front.count; k++)
        make_u(&b, &b.front.at[k], NULL);
    make_u(&b, NULL, ub);
    record(&b);
    for (uint32_t i = 0; i < n; i++)
        s->row.at[v[i]].gone = s->row.at[e[i]].gone = true;
    for (uint32_t k = 0; k < b.front.count; k++) {
        update_rhs(&b, &b.front.at[k], ub);
        update_diagonal(&b, &b.front.at[k]);
        for (uint32_t l = k + 1; l < b.front.count; l++)
            update_pair(&b, &b.front.at[k], &b.front.at[l]);
    }
    for (uint32_t i = 0; i < n; i++) {
        retire(s, v[i]);
        retire(s, e[i]);
    }
}

/* ---- the way back */

void ct_sp_back(sparse *s, ct_expr *x)
{
    mechanics *m = s->m;
    for (uint32_t i = s->done.count; i-- > 0;) {
        const eliminated *d = &s->done.at[i];
        ct_expr sum = d->factor ? 0 : d->start;
        for (uint32_t k = d->first; k < d->first + d->count; k++) {
            ct_expr product = ct_mx_mul(m, s->term.at[k].value, x[s->term.at[k].col]);
            sum = !d->factor ? ct_mx_sub(m, sum, product)
                  : sum      ? ct_mx_add(m, sum, product)
                             : product;
        }
        if (d->factor)
            sum = sum ? ct_mx_sub(m, d->start, ct_mx_mul(m, d->factor, sum)) : d->start;
        x[d->unknown] = sum;
    }
}

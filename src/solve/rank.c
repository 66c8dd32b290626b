/* rank.c - elimination of a square sparse matrix whose rank is in doubt. */
#include "solve/rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double pivot_part = 0.1;  /* of the largest entry of its column: may be a pivot */
static const double doubtful = 16;     /* an entry below so many rounding errors is none */
static const double most_lost = 2e-12; /* of what an entry was made from: may be rounding */

typedef struct queued {
    uint32_t column, next; /* next plus 1 */
} queued;

typedef struct eliminating {
    ct_rank *k;
    ct_arena *arena, *scratch;
    CT_VEC(uint32_t) * holder; /* per column: rows that hold it, or did */
    uint32_t *column_count;
    bool *row_done, *column_done;
    uint32_t *first, least; /* columns by the number of their entries; some have changed since */
    CT_VEC(queued) queue;
    uint32_t *place; /* per column: entry of the row at hand, plus 1 */
} eliminating;

/* ---- scales: powers of two, so that nothing is rounded */

static double power_of_two(double largest)
{
    int exponent;
    if (!(largest > 0) || !isfinite(largest))
        return 1;
    frexp(largest, &exponent);
    return ldexp(1, -exponent);
}

static void find_scales(ct_rank *k, const uint32_t *start, const uint32_t *row, const double *value,
                        ct_arena *scratch)
{
    double *largest = CT_NEW_ARRAY(scratch, double, k->n + 1);
    for (uint32_t i = 0; i < k->n; i++)
        k->row_scale[i] = k->column_scale[i] = 1;
    for (int round = 0; round < 3; round++) {
        memset(largest, 0, k->n * sizeof *largest);
        for (uint32_t j = 0; j < k->n; j++)
            for (uint32_t i = start[j]; i < start[j + 1]; i++)
                largest[row[i]] = fmax(largest[row[i]], fabs(value[i]) * k->column_scale[j]);
        for (uint32_t i = 0; i < k->n; i++)
            k->row_scale[i] = power_of_two(largest[i]);
        for (uint32_t j = 0; j < k->n; j++) {
            double most = 0;
            for (uint32_t i = start[j]; i < start[j + 1]; i++)
                most = fmax(most, fabs(value[i]) * k->row_scale[row[i]]);
            k->column_scale[j] = power_of_two(most);
        }
    }
}

/* ---- columns by their length */

static void enqueue(eliminating *e, uint32_t column)
{
    uint32_t length = e->column_count[column];
    CT_PUSH(e->scratch, e->queue, ((queued){column, e->first[length]}));
    e->first[length] = e->queue.count;
    if (length < e->least)
        e->least = length;
}

/* A column with the fewest entries; UINT32_MAX: all are done. */
static uint32_t shortest(eliminating *e)
{
    while (e->least <= e->k->n) {
        uint32_t at = e->first[e->least];
        if (!at) {
            e->least++;
            continue;
        }
        queued q = e->queue.at[at - 1];
        e->first[e->least] = q.next;
        if (!e->column_done[q.column] && e->column_count[q.column] == e->least)
            return q.column;
    }
    return UINT32_MAX;
}

static void change_count(eliminating *e, uint32_t column, int by)
{
    e->column_count[column] += (uint32_t)by;
    if (!e->column_done[column])
        enqueue(e, column);
}

static void add_entry(eliminating *e, uint32_t row, ct_rank_entry entry)
{
    CT_PUSH(e->arena, e->k->row[row], entry);
    CT_PUSH(e->scratch, e->holder[entry.column], row);
    change_count(e, entry.column, 1);
}

static void load(eliminating *e, const uint32_t *start, const uint32_t *row, const double *value)
{
    ct_rank *k = e->k;
    for (uint32_t j = 0; j < k->n; j++)
        for (uint32_t i = start[j]; i < start[j + 1]; i++) {
            double v = value[i] * k->row_scale[row[i]] * k->column_scale[j];
            double error = DBL_EPSILON * v;
            if (v != 0)
                add_entry(e, row[i], (ct_rank_entry){j, v, error * error, v * v});
        }
    for (uint32_t j = 0; j < k->n; j++)
        if (!e->column_count[j])
            enqueue(e, j);
}

/* ---- elimination */

static uint32_t entry_at(const ct_rank_row *r, uint32_t column)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->at[i].column == column)
            return i;
    return UINT32_MAX;
}

/* Of a row that is not done; zero where it does not hold the column any more. */
static double value_at(const eliminating *e, uint32_t row, uint32_t column)
{
    uint32_t at = e->row_done[row] ? UINT32_MAX : entry_at(&e->k->row[row], column);
    return at == UINT32_MAX ? 0 : e->k->row[row].at[at].value;
}

/* The shortest row that holds the column, among those with a large entry. */
static uint32_t choose_row(const eliminating *e, uint32_t column)
{
    double most = 0;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < e->holder[column].count; i++)
        most = fmax(most, fabs(value_at(e, e->holder[column].at[i], column)));
    for (uint32_t i = 0; i < e->holder[column].count; i++) {
        uint32_t row = e->holder[column].at[i];
        double value = fabs(value_at(e, row, column));
        if (value == 0 || value < pivot_part * most)
            continue;
        if (best == UINT32_MAX || e->k->row[row].count < e->k->row[best].count)
            best = row;
    }
    return best;
}

static void drop_entry(eliminating *e, ct_rank_row *r, uint32_t at)
{
    change_count(e, r->at[at].column, -1);
    r->at[at] = r->at[--r->count];
}

/* Errors of earlier steps are taken as independent, which exaggerates them in large meshes: they
 * count up to a part of what was subtracted. */
static bool is_none(const ct_rank_entry *a)
{
    double square = a->value * a->value;
    return square <= doubtful * doubtful * a->doubt && square <= most_lost * most_lost * a->terms;
}

/* a - by * b, where by = c / p. */
static ct_rank_entry difference(ct_rank_entry a, ct_rank_entry b, ct_rank_entry c, ct_rank_entry p)
{
    double by = c.value / p.value, part = by * b.value, error = DBL_EPSILON * part;
    double of_by = (c.doubt + by * by * p.doubt) / (p.value * p.value);
    a.value -= part;
    a.terms += part * part;
    a.doubt += by * by * b.doubt + b.value * b.value * of_by + error * error;
    return a;
}

static void subtract(eliminating *e, uint32_t target, uint32_t c_at, const ct_rank_row *pivot,
                     ct_rank_entry p)
{
    ct_rank_row *r = &e->k->row[target];
    ct_rank_entry c = r->at[c_at];
    drop_entry(e, r, c_at);
    for (uint32_t i = 0; i < r->count; i++)
        e->place[r->at[i].column] = i + 1;
    for (uint32_t i = 0; i < pivot->count; i++) {
        ct_rank_entry b = pivot->at[i];
        uint32_t at = b.column == p.column ? UINT32_MAX : e->place[b.column];
        if (at == 0)
            add_entry(e, target, difference((ct_rank_entry){b.column, 0, 0, 0}, b, c, p));
        else if (at != UINT32_MAX)
            r->at[at - 1] = difference(r->at[at - 1], b, c, p);
    }
    for (uint32_t i = 0; i < r->count; i++)
        e->place[r->at[i].column] = 0;
    for (uint32_t i = r->count; i-- > 0;)
        if (is_none(&r->at[i]))
            drop_entry(e, r, i);
    CT_PUSH(
        e->arena, e->k->step,
        ((ct_rank_step){target, e->k->pivot_row.at[e->k->pivot_row.count - 1], c.value / p.value}));
}

static void eliminate(eliminating *e, uint32_t column)
{
    ct_rank *k = e->k;
    uint32_t row = choose_row(e, column);
    const ct_rank_row *r = &k->row[row];
    ct_rank_entry p = r->at[entry_at(r, column)];
    e->row_done[row] = true;
    CT_PUSH(e->arena, k->pivot_row, row);
    CT_PUSH(e->arena, k->pivot_column, column);
    for (uint32_t i = 0; i < e->holder[column].count; i++) {
        uint32_t target = e->holder[column].at[i];
        uint32_t at = e->row_done[target] ? UINT32_MAX : entry_at(&k->row[target], column);
        if (at != UINT32_MAX)
            subtract(e, target, at, r, p);
    }
    for (uint32_t i = 0; i < r->count; i++)
        change_count(e, r->at[i].column, -1);
}

static void eliminate_all(eliminating *e)
{
    for (uint32_t j = shortest(e); j != UINT32_MAX; j = shortest(e)) {
        e->column_done[j] = true;
        if (e->column_count[j])
            eliminate(e, j);
        else
            CT_PUSH(e->arena, e->k->free_column, j);
    }
    for (uint32_t i = 0; i < e->k->n; i++)
        if (!e->row_done[i])
            CT_PUSH(e->arena, e->k->free_row, i);
    e->k->open = e->k->free_row.count;
}

ct_rank *ct_rank_new(ct_arena *arena, uint32_t n, const uint32_t *start, const uint32_t *row,
                     const double *value)
{
    ct_rank *k = CT_NEW(arena, ct_rank);
    eliminating e = {.k = k, .arena = arena, .scratch = ct_arena_new(ct_arena_context(arena))};
    k->n = n;
    k->row = CT_NEW_ARRAY(arena, ct_rank_row, n + 1);
    k->row_scale = CT_NEW_ARRAY(arena, double, n + 1);
    k->column_scale = CT_NEW_ARRAY(arena, double, n + 1);
    e.holder = ct_arena_alloc(e.scratch, (n + 1) * sizeof *e.holder);
    e.column_count = CT_NEW_ARRAY(e.scratch, uint32_t, n + 1);
    e.row_done = CT_NEW_ARRAY(e.scratch, bool, n + 1);
    e.column_done = CT_NEW_ARRAY(e.scratch, bool, n + 1);
    e.first = CT_NEW_ARRAY(e.scratch, uint32_t, n + 2);
    e.place = CT_NEW_ARRAY(e.scratch, uint32_t, n + 1);
    e.least = n + 1;
    find_scales(k, start, row, value, e.scratch);
    load(&e, start, row, value);
    eliminate_all(&e);
    ct_arena_free(e.scratch);
    return k;
}

/* ---- vectors */

/* y from the rows of the pivots, last first; b is scaled and eliminated, NULL: zero. */
static void substitute_back(const ct_rank *k, const double *b, double *y)
{
    for (uint32_t i = k->pivot_row.count; i-- > 0;) {
        uint32_t row = k->pivot_row.at[i], column = k->pivot_column.at[i];
        const ct_rank_row *r = &k->row[row];
        double sum = b ? b[row] : 0, pivot = 1;
        for (uint32_t a = 0; a < r->count; a++)
            if (r->at[a].column == column)
                pivot = r->at[a].value;
            else
                sum -= r->at[a].value * y[r->at[a].column];
        y[column] = sum / pivot;
    }
    for (uint32_t j = 0; j < k->n; j++)
        y[j] *= k->column_scale[j];
}

void ct_rank_right(const ct_rank *k, uint32_t which, double *v)
{
    memset(v, 0, k->n * sizeof *v);
    v[k->free_column.at[which]] = 1;
    substitute_back(k, NULL, v);
}

void ct_rank_left(const ct_rank *k, uint32_t which, double *w)
{
    const double rounding = 1e-14;
    double most = 0;
    memset(w, 0, k->n * sizeof *w);
    w[k->free_row.at[which]] = 1;
    for (uint32_t i = k->step.count; i-- > 0;)
        w[k->step.at[i].pivot] -= k->step.at[i].by * w[k->step.at[i].target];
    for (uint32_t j = 0; j < k->n; j++)
        most = fmax(most, fabs(w[j]));
    for (uint32_t j = 0; j < k->n; j++)
        w[j] = fabs(w[j]) > rounding * most ? w[j] * k->row_scale[j] : 0;
}

void ct_rank_solve(const ct_rank *k, double *b, double *y)
{
    for (uint32_t i = 0; i < k->n; i++) {
        b[i] *= k->row_scale[i];
        y[i] = 0;
    }
    for (uint32_t i = 0; i < k->step.count; i++)
        b[k->step.at[i].target] -= k->step.at[i].by * b[k->step.at[i].pivot];
    substitute_back(k, b, y);
}

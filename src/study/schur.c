/* schur.c - sparse Gaussian elimination on expressions: the column with the fewest cells next, in
 * it a number before an expression, then the shortest row. A pivot is never identically zero, which
 * fingerprints tell, nor small at the operating point, when there is one.
 *
 * On numbers alone it is the same; what cancels down to the rounding errors of the numbers that it
 * was made of is zero. Numbers are sums of two, so that pivots that are far from the best ones cost
 * digits of the second one only [Dekker 1971]. */
#include "study/schur.h"

#include <math.h>

/* By the largest of its column; numbers grow with smaller ones, expressions with longer rows. By
 * halves they would double in each row of a chain, beyond the digits of two after a hundred. */
static const double least_pivot = 1e-3, least_number = 0.9;
/* Of a number, by the largest that it was made of. What cancels below the last digits of a number
 * is zero. A pivot must be beyond the rounding of all steps; but for that small numbers count: the
 * slow motion of a chain of many stiff parts is a small difference of large ones. */
static const double last_digits = 1e-18, rounding = 1e-13;

typedef CT_VEC(uint32_t) index_list;

typedef struct queue {
    index_list *bucket; /* columns by their number of cells, some of them out of date */
    uint32_t least;
} queue;

typedef struct elimination {
    ct_schur *s;
    ct_cells made;   /* the row that is being computed */
    index_list *in;  /* per column: rows that hold it or held it */
    uint32_t *count; /* per column: rows that may be solved for it */
    queue open;
} elimination;

ct_cell *ct_schur_cell(const ct_schur *s, uint32_t row, uint32_t col)
{
    const ct_cells *r = &s->row[row];
    uint32_t low = 0, high = r->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (r->at[middle].col < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && r->at[low].col == col ? &r->at[low] : NULL;
}

static bool is_target(const ct_schur *s, uint32_t col)
{
    return col >= s->first_col && col < s->last_col;
}

static bool is_usable(const ct_schur *s, uint32_t row)
{
    return row >= s->pivot_row && !s->row_used[row];
}

static void enqueue(elimination *e, uint32_t col)
{
    uint32_t key = e->count[col - e->s->first_col];
    CT_PUSH(e->s->arena, e->open.bucket[key], col);
    if (key < e->open.least)
        e->open.least = key;
}

static void note_cell(elimination *e, uint32_t row, uint32_t col)
{
    if (!is_target(e->s, col))
        return;
    CT_PUSH(e->s->arena, e->in[col - e->s->first_col], row);
    if (is_usable(e->s, row))
        e->count[col - e->s->first_col]++;
}

static void start(elimination *e)
{
    ct_schur *s = e->s;
    uint32_t width = s->last_col - s->first_col;
    e->in = CT_NEW_ARRAY(s->arena, index_list, width + 1);
    e->count = CT_NEW_ARRAY(s->arena, uint32_t, width + 1);
    e->open.bucket = CT_NEW_ARRAY(s->arena, index_list, s->rows + 2);
    s->row_used = CT_NEW_ARRAY(s->arena, bool, s->rows + 1);
    s->col_gone = CT_NEW_ARRAY(s->arena, bool, s->cols + 1);
    for (uint32_t r = 0; r < s->rows; r++)
        for (uint32_t k = 0; k < s->row[r].count; k++)
            note_cell(e, r, s->row[r].at[k].col);
    for (uint32_t c = s->first_col; c < s->last_col; c++)
        enqueue(e, c);
}

/* The open column with the fewest cells; false: none is left that has any. */
static bool next_column(elimination *e, uint32_t *col)
{
    queue *q = &e->open;
    for (; q->least <= e->s->rows; q->least++) {
        while (q->bucket[q->least].count) {
            uint32_t c = q->bucket[q->least].at[--q->bucket[q->least].count];
            bool fresh = !e->s->col_gone[c] && e->count[c - e->s->first_col] == q->least;
            if (fresh && q->least) {
                *col = c;
                return true;
            }
        }
    }
    return false;
}

static double column_size(const elimination *e, uint32_t col)
{
    const index_list *in = &e->in[col - e->s->first_col];
    double most = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        const ct_cell *cell =
            is_usable(e->s, in->at[i]) ? ct_schur_cell(e->s, in->at[i], col) : NULL;
        if (cell && isfinite(cell->number))
            most = fmax(most, fabs(cell->number));
    }
    return most;
}

static bool is_better(const elimination *e, uint32_t row, const ct_cell *cell, uint32_t best_row,
                      const ct_cell *best)
{
    if (!best)
        return true;
    ct_pool *pool = e->s->pool;
    bool number = !pool || ct_expr_is_number(pool, cell->value);
    if (pool && number != ct_expr_is_number(pool, best->value))
        return number;
    uint32_t own = e->s->row[row].count, other = e->s->row[best_row].count;
    return own != other ? own < other : row < best_row;
}

static bool is_rounding(const elimination *e, const ct_cell *cell)
{
    return !e->s->pool && fabs(cell->number) <= rounding * cell->size;
}

static bool choose_row(const elimination *e, uint32_t col, uint32_t *row)
{
    const index_list *in = &e->in[col - e->s->first_col];
    double size = column_size(e, col) * (e->s->pool ? least_pivot : least_number);
    const ct_cell *best = NULL;
    for (uint32_t i = 0; i < in->count; i++) {
        const ct_cell *cell =
            is_usable(e->s, in->at[i]) ? ct_schur_cell(e->s, in->at[i], col) : NULL;
        bool safe =
            cell && (isnan(cell->number) || (cell->number != 0 && fabs(cell->number) >= size));
        if (safe && !is_rounding(e, cell) && is_better(e, in->at[i], cell, *row, best)) {
            best = cell;
            *row = in->at[i];
        }
    }
    return best != NULL;
}

static void forget_cell(elimination *e, uint32_t row, uint32_t col)
{
    if (!is_target(e->s, col) || !is_usable(e->s, row))
        return;
    e->count[col - e->s->first_col]--;
    enqueue(e, col);
}

/* ---- sums of two numbers, the second one below the last digit of the first */

typedef struct pair {
    double high, low;
} pair;

static pair sum(double a, double b)
{
    double high = a + b, part = high - a;
    if (!isfinite(high))
        return (pair){high, 0};
    return (pair){high, (a - (high - part)) + (b - part)};
}

static pair product(pair a, pair b)
{
    double high = a.high * b.high;
    double low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
    return isfinite(high) ? sum(high, low) : (pair){high, 0};
}

static pair difference_of(pair a, pair b)
{
    pair high = sum(a.high, -b.high), low = sum(a.low, -b.low);
    high = sum(high.high, high.low + low.high);
    return sum(high.high, high.low + low.low);
}

static pair quotient(pair a, pair b)
{
    double first = a.high / b.high;
    pair left = difference_of(a, product((pair){first, 0}, b));
    return isfinite(first) ? sum(first, left.high / b.high) : (pair){first, 0};
}

static pair pair_of(const ct_cell *cell)
{
    return (pair){cell->number, cell->low};
}

static double last_size(const ct_cell *a, const ct_cell *b, const ct_cell *factor)
{
    return fmax(a ? fabs(a->number) : 0, fabs(factor->number * b->number));
}

/* The errors of all steps count where a cell may become a pivot, which must be one; else those of
 * the last, because bounds of errors grow faster than errors do. */
static double size_of(const elimination *e, uint32_t row, const ct_cell *a, const ct_cell *b,
                      const ct_cell *factor)
{
    if (!is_target(e->s, b->col) || !is_usable(e->s, row))
        return last_size(a, b, factor);
    double part = fmax(fabs(factor->number) * b->size, factor->size * fabs(b->number));
    return fmax(a ? a->size : 0, part);
}

/* a - factor * b; a may be NULL. */
static ct_cell difference(elimination *e, uint32_t row, const ct_cell *a, const ct_cell *b,
                          const ct_cell *factor)
{
    ct_pool *pool = e->s->pool;
    ct_cell cell = a ? *a : (ct_cell){.col = b->col};
    if (pool) {
        ct_expr part = ct_expr_mul(pool, factor->value, b->value);
        cell.value = a ? ct_expr_sub(pool, a->value, part) : ct_expr_neg(pool, part);
    }
    pair number = difference_of(pair_of(&cell), product(pair_of(factor), pair_of(b)));
    cell.number = number.high;
    cell.low = number.low;
    cell.size = size_of(e, row, a, b, factor);
    e->s->budget -= e->s->budget > 0;
    return cell;
}

static bool vanishes(const elimination *e, const ct_cell *cell, double size)
{
    if (e->s->pool)
        return ct_expr_is_zero(e->s->pool, cell->value);
    return fabs(cell->number) <= last_digits * size;
}

/* One cell of row - factor * pivot row; left out when it vanishes. */
static void put_difference(elimination *e, uint32_t row, ct_cells *out, const ct_cell *a,
                           const ct_cell *b, const ct_cell *factor)
{
    uint32_t col = a ? a->col : b->col;
    ct_cell cell = b ? difference(e, row, a, b, factor) : *a;
    bool gone = b && vanishes(e, &cell, last_size(a, b, factor));
    if (!gone)
        CT_PUSH(e->s->arena, *out, cell);
    if (gone && a)
        forget_cell(e, row, col);
    if (!gone && !a) {
        note_cell(e, row, col);
        if (is_target(e->s, col))
            enqueue(e, col);
    }
}

/* Where the row was, if there is room: rows of large systems are computed many times. */
static void keep_row(elimination *e, uint32_t row)
{
    ct_cells *own = &e->s->row[row];
    own->count = 0;
    for (uint32_t i = 0; i < e->made.count; i++)
        CT_PUSH(e->s->arena, *own, e->made.at[i]);
}

static void subtract(elimination *e, uint32_t row, uint32_t pivot, uint32_t col)
{
    ct_schur *s = e->s;
    const ct_cells own = s->row[row], other = s->row[pivot];
    const ct_cell *a = ct_schur_cell(s, row, col), *b = ct_schur_cell(s, pivot, col);
    pair number = quotient(pair_of(a), pair_of(b));
    ct_cell factor = {.value = s->pool ? ct_expr_div(s->pool, a->value, b->value) : 0,
                      .number = number.high,
                      .low = number.low,
                      .size =
                          fmax(a->size, b->size * fabs(a->number / b->number)) / fabs(b->number)};
    e->made.count = 0;
    for (uint32_t i = 0, k = 0; i < own.count || k < other.count;) {
        uint32_t ci = i < own.count ? own.at[i].col : UINT32_MAX;
        uint32_t ck = k < other.count ? other.at[k].col : UINT32_MAX;
        const ct_cell *left = ci <= ck ? &own.at[i] : NULL;
        const ct_cell *right = ck <= ci ? &other.at[k] : NULL;
        i += left != NULL;
        k += right != NULL;
        if ((left ? ci : ck) != col)
            put_difference(e, row, &e->made, left, right, &factor);
    }
    keep_row(e, row);
}

static void eliminate(elimination *e, uint32_t row, uint32_t col)
{
    ct_schur *s = e->s;
    const index_list in = e->in[col - s->first_col];
    s->col_gone[col] = true;
    s->row_used[row] = true;
    for (uint32_t k = 0; k < s->row[row].count; k++) {
        uint32_t c = s->row[row].at[k].col;
        if (!is_target(s, c) || c == col)
            continue;
        e->count[c - s->first_col]--;
        enqueue(e, c);
    }
    for (uint32_t i = 0; i < in.count; i++)
        if (in.at[i] != row && !(s->row_used[in.at[i]]) && ct_schur_cell(s, in.at[i], col))
            subtract(e, in.at[i], row, col);
}

/* A column without a pivot: what it has is rounding of zeros. */
static void drop_rounding(elimination *e, uint32_t col)
{
    const index_list in = e->in[col - e->s->first_col];
    for (uint32_t i = 0; i < in.count; i++) {
        ct_cells *row = &e->s->row[in.at[i]];
        ct_cell *cell = ct_schur_cell(e->s, in.at[i], col);
        if (!cell || !is_rounding(e, cell))
            continue;
        for (uint32_t k = (uint32_t)(cell - row->at) + 1; k < row->count; k++)
            row->at[k - 1] = row->at[k];
        row->count--;
        forget_cell(e, in.at[i], col);
    }
}

void ct_schur_run(ct_schur *s)
{
    elimination e = {.s = s};
    uint32_t col = 0, row = 0;
    start(&e);
    while (s->budget && next_column(&e, &col))
        if (choose_row(&e, col, &row))
            eliminate(&e, row, col);
        else
            drop_rounding(&e, col);
}

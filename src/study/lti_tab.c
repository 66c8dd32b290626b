/* lti_tab.c - elimination of algebraic unknowns from linear differential equations. */
#include "study/lti_tab.h"

#include <float.h>
#include <math.h>
#include <string.h>

double ct_lti_flushed(double value, double of)
{
    const double rounding = 1024 * DBL_EPSILON;
    return fabs(value) <= rounding * of ? 0 : value;
}

/* ---- memory -------------------------------------------------------------------------------- */

static void take_memory(ct_lti_tab *tab)
{
    size_t rows = (size_t)tab->rows + tab->outputs;
    tab->stride = 2 * (size_t)tab->room + (size_t)(tab->degree + 1) * tab->m;
    tab->value = CT_NEW_ARRAY(tab->arena, double, rows * tab->stride);
    tab->size = CT_NEW_ARRAY(tab->arena, double, rows * tab->stride);
}

ct_lti_tab ct_lti_tab_new(ct_arena *arena, uint32_t rows, uint32_t outputs, uint32_t cols,
                          uint32_t m, uint32_t degree)
{
    ct_lti_tab tab = {.arena = arena, .rows = rows, .outputs = outputs, .cols = cols, .m = m};
    tab.degree = degree;
    tab.room = cols;
    take_memory(&tab);
    return tab;
}

double *ct_lti_tab_w(const ct_lti_tab *tab, uint32_t row)
{
    return tab->value + row * tab->stride;
}

double *ct_lti_tab_a(const ct_lti_tab *tab, uint32_t row)
{
    return ct_lti_tab_w(tab, row) + tab->room;
}

double *ct_lti_tab_b(const ct_lti_tab *tab, uint32_t row)
{
    return ct_lti_tab_w(tab, row) + 2 * (size_t)tab->room;
}

void ct_lti_tab_measure(ct_lti_tab *tab)
{
    size_t count = ((size_t)tab->rows + tab->outputs) * tab->stride;
    for (size_t i = 0; i < count; i++)
        tab->size[i] = fabs(tab->value[i]);
}

/* Room for one more derivative of the inputs. */
static void add_degree(ct_lti_tab *tab)
{
    ct_lti_tab old = *tab;
    tab->degree++;
    take_memory(tab);
    for (uint32_t i = 0; i < tab->rows + tab->outputs; i++) {
        memcpy(tab->value + i * tab->stride, old.value + i * old.stride,
               old.stride * sizeof(double));
        memcpy(tab->size + i * tab->stride, old.size + i * old.stride, old.stride * sizeof(double));
    }
}

/* ---- rows and columns ---------------------------------------------------------------------- */

/* Entries to.. of row i minus factor times entries from.. of row k. */
static void subtract(ct_lti_tab *tab, uint32_t i, size_t to, uint32_t k, size_t from, size_t count,
                     double factor)
{
    double *v = tab->value + i * tab->stride + to, *s = tab->size + i * tab->stride + to;
    const double *pv = tab->value + k * tab->stride + from;
    const double *ps = tab->size + k * tab->stride + from;
    for (size_t c = 0; c < count; c++) {
        if (ps[c] == 0)
            continue;
        double sum = v[c] - factor * pv[c];
        s[c] = fmax(fmax(s[c], fabs(factor) * ps[c]), fabs(sum));
        v[c] = ct_lti_flushed(sum, s[c]);
    }
}

static void swap_numbers(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

static void swap_rows(ct_lti_tab *tab, uint32_t a, uint32_t b)
{
    for (size_t c = 0; a != b && c < tab->stride; c++) {
        swap_numbers(&tab->value[a * tab->stride + c], &tab->value[b * tab->stride + c]);
        swap_numbers(&tab->size[a * tab->stride + c], &tab->size[b * tab->stride + c]);
    }
}

static void swap_columns(ct_lti_tab *tab, size_t a, size_t b)
{
    for (size_t i = 0; a != b && i < (size_t)tab->rows + tab->outputs; i++) {
        swap_numbers(&tab->value[i * tab->stride + a], &tab->value[i * tab->stride + b]);
        swap_numbers(&tab->size[i * tab->stride + a], &tab->size[i * tab->stride + b]);
    }
}

/* Outputs move up to stand below the remaining equations. */
static void remove_row(ct_lti_tab *tab, uint32_t row)
{
    swap_rows(tab, row, tab->rows - 1);
    for (uint32_t i = tab->rows; i < tab->rows + tab->outputs; i++)
        swap_rows(tab, i - 1, i);
    tab->rows--;
}

static void remove_column(ct_lti_tab *tab, uint32_t col)
{
    tab->cols--;
    swap_columns(tab, col, tab->cols);
    swap_columns(tab, (size_t)tab->room + col, (size_t)tab->room + tab->cols);
}

/* ---- pivots -------------------------------------------------------------------------------- */

/* A part of the table in which pivots are sought, with the scales that make them comparable. */
typedef struct block {
    uint32_t row, col, rows, cols; /* from row, col on; up to rows, cols */
    size_t at;                     /* column where W or A begins */
    double *row_scale, *col_scale;
} block;

static double entry_of(const ct_lti_tab *tab, const block *b, uint32_t i, uint32_t c)
{
    return fabs(tab->value[i * tab->stride + b->at + c]);
}

/* Largest entry of each row, then of each column, 1: a few sweeps, each halving the spread. */
static block block_new(const ct_lti_tab *tab, size_t at, uint32_t row)
{
    block b = {row, 0, tab->rows, tab->cols, at, NULL, NULL};
    b.row_scale = CT_NEW_ARRAY(tab->arena, double, b.rows);
    b.col_scale = CT_NEW_ARRAY(tab->arena, double, b.cols);
    for (uint32_t c = 0; c < b.cols; c++)
        b.col_scale[c] = 1;
    for (int sweep = 0; sweep < 2; sweep++) {
        for (uint32_t i = row; i < b.rows; i++) {
            b.row_scale[i] = 0;
            for (uint32_t c = 0; c < b.cols; c++)
                b.row_scale[i] = fmax(b.row_scale[i], entry_of(tab, &b, i, c) / b.col_scale[c]);
            b.row_scale[i] = b.row_scale[i] > 0 ? b.row_scale[i] : 1;
        }
        for (uint32_t c = 0; c < b.cols; c++) {
            b.col_scale[c] = 0;
            for (uint32_t i = row; i < b.rows; i++)
                b.col_scale[c] = fmax(b.col_scale[c], entry_of(tab, &b, i, c) / b.row_scale[i]);
            b.col_scale[c] = b.col_scale[c] > 0 ? b.col_scale[c] : 1;
        }
    }
    return b;
}

/* The largest entry; false when all are zero. */
static bool find_pivot(const ct_lti_tab *tab, const block *b, uint32_t *row, uint32_t *col)
{
    double best = 0;
    for (uint32_t i = b->row; i < b->rows; i++)
        for (uint32_t c = b->col; c < b->cols; c++) {
            double scaled = entry_of(tab, b, i, c) / b->row_scale[i] / b->col_scale[c];
            if (scaled > best) {
                best = scaled;
                *row = i;
                *col = c;
            }
        }
    return best > 0;
}

static void move_pivot(ct_lti_tab *tab, block *b, uint32_t row, uint32_t col)
{
    swap_rows(tab, row, b->row);
    swap_numbers(&b->row_scale[row], &b->row_scale[b->row]);
    swap_columns(tab, col, b->col);
    swap_columns(tab, (size_t)tab->room + col, (size_t)tab->room + b->col);
    swap_numbers(&b->col_scale[col], &b->col_scale[b->col]);
    b->row++;
    b->col++;
}

/* Takes the entry `at` of row k out of row i. */
static void clear_entry(ct_lti_tab *tab, uint32_t i, uint32_t k, size_t at)
{
    double *v = tab->value + i * tab->stride + at;
    if (*v == 0)
        return;
    subtract(tab, i, 0, k, 0, tab->stride, *v / tab->value[k * tab->stride + at]);
    *v = 0;
}

/* ---- reduction ----------------------------------------------------------------------------- */

/* W to echelon form; rows from the returned rank on have none of it. */
static uint32_t compress(ct_lti_tab *tab)
{
    block b = block_new(tab, 0, 0);
    uint32_t row, col;
    while (find_pivot(tab, &b, &row, &col)) {
        move_pivot(tab, &b, row, col);
        for (uint32_t i = b.row; i < tab->rows; i++)
            clear_entry(tab, i, b.row - 1, b.col - 1);
    }
    return b.row;
}

/* Equation k gives unknown c, which goes into row i: for x_c by A, for x_c' by W. */
static void substitute(ct_lti_tab *tab, uint32_t i, uint32_t k, uint32_t c)
{
    const size_t a = tab->room, inputs = 2 * a, count = tab->stride;
    double pivot = ct_lti_tab_a(tab, k)[c];
    double by_a = ct_lti_tab_a(tab, i)[c] / pivot, by_w = ct_lti_tab_w(tab, i)[c] / pivot;
    if (by_a != 0)
        subtract(tab, i, a, k, a, count - a, by_a);
    if (by_w != 0) {
        subtract(tab, i, 0, k, a, a, by_w);
        subtract(tab, i, inputs + tab->m, k, inputs, (size_t)tab->degree * tab->m, -by_w);
    }
}

/* Eliminates with the equations from `rank` on, which have no W. */
static void eliminate(ct_lti_tab *tab, uint32_t rank)
{
    block b = block_new(tab, tab->room, rank);
    uint32_t row, col;
    while (b.rows > rank && find_pivot(tab, &b, &row, &col)) {
        for (uint32_t i = 0; i < tab->rows + tab->outputs; i++)
            if (i != row)
                substitute(tab, i, row, col);
        remove_row(tab, row);
        remove_column(tab, col);
        b.rows--;
        b.cols--;
        b.row_scale[row] = b.row_scale[b.rows];
        b.col_scale[col] = b.col_scale[b.cols];
    }
    tab->singular |= b.rows > rank;
    while (tab->rows > rank)
        remove_row(tab, tab->rows - 1);
}

void ct_lti_tab_reduce(ct_lti_tab *tab)
{
    for (;;) {
        uint32_t rank = compress(tab);
        if (rank == tab->rows)
            return;
        if (tab->m)
            add_degree(tab);
        eliminate(tab, rank);
    }
}

bool ct_lti_tab_solve(ct_lti_tab *tab)
{
    block b = block_new(tab, 0, 0);
    uint32_t row, col;
    if (tab->rows != tab->cols)
        return false;
    while (find_pivot(tab, &b, &row, &col)) {
        move_pivot(tab, &b, row, col);
        for (uint32_t i = 0; i < tab->rows; i++)
            if (i != b.row - 1)
                clear_entry(tab, i, b.row - 1, b.col - 1);
    }
    for (uint32_t i = 0; i < b.row; i++) {
        double pivot = ct_lti_tab_w(tab, i)[i];
        for (size_t c = 0; c < tab->stride; c++)
            tab->value[i * tab->stride + c] /= pivot;
    }
    return b.row == tab->rows;
}

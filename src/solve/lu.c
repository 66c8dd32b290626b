/* lu.c - see lu.h. Column by column from the left, as KLU does it. */
#include "solve/lu.h"

#include "solve/lu_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

struct ct_lu {
    ct_arena *arena;
    uint32_t n;
    int *row_of, *column_of; /* P, Q */
    double *scale;           /* of row row_of[k] */
    /* column k of P S A Q: which value, to which row; values as they were last */
    int *a_start, *a_from, *a_to;
    double *a;
    int *l_start, *l_row, *u_start, *u_row; /* rows in U ascend; no diagonals */
    double *number;                         /* all of the following, one after the other */
    double *l, *u, *pivot, *inverse, *x;
    const double *value;             /* of A, of the last call */
    ct_straight_fn follow, solution; /* machine code of both; NULL: none */
    bool whole;                      /* not a part, which does not last */
    uint32_t uses;                   /* until there is code or shall be none */
    bool *moved;                     /* per column: the last call computed it */
    bool known;                      /* l and u are those of a */
    bool focused, diagonal;          /* the part below counts; pivots stand on the diagonal */
    double work;                     /* ct_lu_work() */
    ct_lu *part;                     /* of some columns, with their rows; NULL: none */
};

/* The numbers of factors with so many entries. */
static void take_numbers(ct_lu *r, size_t l_count, size_t u_count)
{
    size_t n = r->n;
    r->number = CT_NEW_ARRAY(r->arena, double, l_count + u_count + 3 * n + 1);
    r->l = r->number;
    r->u = r->l + l_count;
    r->pivot = r->u + u_count;
    r->inverse = r->pivot + n;
    r->x = r->inverse + n;
}

static const ct_lu *counting(const ct_lu *lu)
{
    return lu->focused ? lu->part : lu;
}

/* ---- patterns */

static void place_values(ct_lu *r, const ct_linear *from)
{
    int *at = CT_NEW_ARRAY(r->arena, int, r->n + 1), count = 0;
    for (uint32_t k = 0; k < r->n; k++)
        at[r->row_of[k]] = (int)k;
    for (uint32_t k = 0; k < r->n; k++) {
        r->a_start[k] = count;
        for (int i = from->start[r->column_of[k]]; i < from->start[r->column_of[k] + 1]; i++) {
            r->a_from[count] = i;
            r->a_to[count++] = at[from->row[i]];
        }
    }
    r->a_start[r->n] = count;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The same without diagonals. */
static void drop_diagonals(uint32_t n, int *start, int *row)
{
    int count = 0, from = 0;
    for (uint32_t k = 0; k < n; k++) {
        int end = start[k + 1], first = count;
        for (; from < end; from++)
            if (row[from] != (int)k)
                row[count++] = row[from];
        start[k] = first;
        if (count > first)
            qsort(row + first, (size_t)(count - first), sizeof *row, ascending);
    }
    start[n] = count;
}

static double measure_work(const ct_lu *r)
{
    double factor = r->n, solution = (double)r->n + r->l_start[r->n] + r->u_start[r->n];
    for (int i = 0; i < r->u_start[r->n]; i++)
        factor += r->l_start[r->u_row[i] + 1] - r->l_start[r->u_row[i]];
    return factor / solution;
}

ct_lu *ct_lu_new(ct_linear *linear)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(linear->arena));
    ct_lu *r = CT_NEW(arena, ct_lu);
    uint32_t n = linear->n;
    size_t l_room = (size_t)linear->numeric->lnz + 1, u_room = (size_t)linear->numeric->unz + 1;
    *r = (ct_lu){.arena = arena, .n = n, .whole = true};
    int **of_n[] = {&r->row_of, &r->column_of, &r->a_start, &r->l_start, &r->u_start};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = CT_NEW_ARRAY(arena, int, n + 1);
    r->scale = CT_NEW_ARRAY(arena, double, n + 1);
    double *spare = CT_NEW_ARRAY(arena, double, l_room + u_room); /* KLU wants to give values */
    r->moved = CT_NEW_ARRAY(arena, bool, n + 1);
    r->a_from = CT_NEW_ARRAY(arena, int, linear->count + 1);
    r->a_to = CT_NEW_ARRAY(arena, int, linear->count + 1);
    r->a = CT_NEW_ARRAY(arena, double, linear->count + 1);
    r->l_row = CT_NEW_ARRAY(arena, int, l_room);
    r->u_row = CT_NEW_ARRAY(arena, int, u_room);
    if (!klu_extract(linear->numeric, linear->symbolic, r->l_start, r->l_row, spare, r->u_start,
                     r->u_row, spare + l_room, NULL, NULL, NULL, r->row_of, r->column_of, r->scale,
                     NULL, &linear->common)) {
        ct_lu_free(r);
        return NULL;
    }
    for (uint32_t k = 0; k < n; k++)
        r->scale[k] = 1 / r->scale[k];
    drop_diagonals(n, r->l_start, r->l_row);
    drop_diagonals(n, r->u_start, r->u_row);
    ct_arena_release(arena, spare, (l_room + u_room) * sizeof *spare);
    take_numbers(r, (size_t)r->l_start[n], (size_t)r->u_start[n]);
    place_values(r, linear);
    r->work = measure_work(r);
    r->diagonal = memcmp(r->row_of, r->column_of, n * sizeof *r->row_of) == 0;
    return r;
}

bool ct_lu_renew(ct_lu *lu, const ct_linear *linear)
{
    const klu_numeric *by = linear->numeric;
    if (memcmp(lu->row_of, by->Pnum, lu->n * sizeof *lu->row_of) != 0)
        return false;
    for (uint32_t k = 0; k < lu->n; k++)
        lu->scale[k] = 1 / by->Rs[k];
    lu->known = false;
    return true;
}

void ct_lu_free(ct_lu *lu)
{
    if (!lu)
        return;
    ct_lu_free(lu->part);
    ct_arena_free(lu->arena);
}

/* ---- a part */

/* Entries of column k that are in the part, with their places there; rows NULL: they are counted.
 */
static int choose_rows(const int *start, const int *row, uint32_t k, const int *at, int *rows,
                       int count)
{
    for (int i = start[k]; i < start[k + 1]; i++) {
        if (at[row[i]] < 0)
            continue;
        if (rows)
            rows[count] = at[row[i]];
        count++;
    }
    return count;
}

static int choose_columns(const ct_lu *from, const ct_lu *r, const int *at, const int *start,
                          const int *row, int *starts, int *rows)
{
    int count = 0;
    for (uint32_t k = 0; k < from->n; k++) {
        if (at[k] < 0)
            continue;
        starts[at[k]] = count;
        count = choose_rows(start, row, k, at, rows, count);
    }
    starts[r->n] = count;
    return count;
}

static void choose_values(const ct_lu *from, ct_lu *r, const int *at)
{
    int count = 0;
    for (uint32_t k = 0; k < from->n; k++)
        for (int i = from->a_start[k]; at[k] >= 0 && i < from->a_start[k + 1]; i++)
            if (at[from->a_to[i]] >= 0)
                r->a_from[count++] = from->a_from[i];
}

static ct_lu *make_part(const ct_lu *from, const uint8_t *level, uint8_t least)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(from->arena));
    ct_lu *r = CT_NEW(arena, ct_lu);
    int *at = CT_NEW_ARRAY(arena, int, from->n + 1), count = 0;
    for (uint32_t k = 0; k < from->n; k++)
        at[k] = level[from->column_of[k]] >= least ? count++ : -1;
    *r = (ct_lu){.arena = arena, .n = (uint32_t)count};
    int **of_n[] = {&r->row_of, &r->column_of, &r->a_start, &r->l_start, &r->u_start};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = CT_NEW_ARRAY(arena, int, r->n + 1);
    r->scale = CT_NEW_ARRAY(arena, double, r->n + 1);
    r->moved = CT_NEW_ARRAY(arena, bool, r->n + 1);
    for (uint32_t k = 0; k < from->n; k++)
        if (at[k] >= 0) {
            r->row_of[at[k]] = from->row_of[k];
            r->column_of[at[k]] = from->column_of[k];
            r->scale[at[k]] = from->scale[k];
        }
    struct {
        const int *start, *row;
        int *starts, **rows;
    } lists[] = {{from->a_start, from->a_to, r->a_start, &r->a_to},
                 {from->l_start, from->l_row, r->l_start, &r->l_row},
                 {from->u_start, from->u_row, r->u_start, &r->u_row}};
    for (size_t i = 0; i < 3; i++) {
        int size = choose_columns(from, r, at, lists[i].start, lists[i].row, lists[i].starts, NULL);
        *lists[i].rows = CT_NEW_ARRAY(arena, int, (size_t)size + 1);
        choose_columns(from, r, at, lists[i].start, lists[i].row, lists[i].starts, *lists[i].rows);
    }
    r->a_from = CT_NEW_ARRAY(arena, int, (size_t)r->a_start[r->n] + 1);
    r->a = CT_NEW_ARRAY(arena, double, (size_t)r->a_start[r->n] + 1);
    take_numbers(r, (size_t)r->l_start[r->n], (size_t)r->u_start[r->n]);
    choose_values(from, r, at);
    return r;
}

bool ct_lu_focus(ct_lu *lu, const uint8_t *level, uint8_t least)
{
    lu->focused = false;
    if (level && !lu->diagonal)
        return false;
    ct_lu_free(lu->part);
    lu->part = level ? make_part(lu, level, least) : NULL;
    lu->focused = level != NULL;
    return true;
}

double ct_lu_work(const ct_lu *lu)
{
    return lu->work;
}

bool ct_lu_is_focused(const ct_lu *lu)
{
    return lu->focused;
}

/* ---- factorization */

/* Machine code pays from some factorizations on. */
static void make_code(ct_lu *lu)
{
    enum { WORTH = 10 };
    if (!lu->whole || lu->uses > WORTH || ++lu->uses <= WORTH)
        return;
    ct_lu_code of = {lu->n,    lu->row_of,  lu->column_of, lu->a_start, lu->a_from,
                     lu->a_to, lu->l_start, lu->l_row,     lu->u_start, lu->u_row};
    ct_lu_write(lu->arena, &of, &lu->follow, &lu->solution);
}

/* Has anything changed that column k follows from? Its values are taken in any case. */
static bool must_move(ct_lu *r, uint32_t k, const double *value)
{
    bool moved = !r->known;
    for (int i = r->a_start[k]; i < r->a_start[k + 1]; i++) {
        double now = value[r->a_from[i]];
        moved |= r->a[i] != now;
        r->a[i] = now;
    }
    for (int i = r->u_start[k]; i < r->u_start[k + 1] && !moved; i++)
        moved = r->moved[r->u_row[i]];
    return moved;
}

/* Sums what must be finite: of pivots, their inverses and L. */
static double compute_column(ct_lu *r, uint32_t k)
{
    double *x = r->x;
    for (int i = r->a_start[k]; i < r->a_start[k + 1]; i++)
        x[r->a_to[i]] = r->a[i];
    for (int i = r->u_start[k]; i < r->u_start[k + 1]; i++) {
        int j = r->u_row[i];
        double by = r->u[i] = x[j];
        x[j] = 0;
        for (int m = r->l_start[j]; m < r->l_start[j + 1]; m++)
            x[r->l_row[m]] -= r->l[m] * by;
    }
    double pivot = r->pivot[k] = x[k], inverse = r->inverse[k] = 1 / pivot, sum = pivot + inverse;
    x[k] = 0;
    for (int m = r->l_start[k]; m < r->l_start[k + 1]; m++) {
        double entry = x[r->l_row[m]] * inverse;
        x[r->l_row[m]] = 0;
        r->l[m] = entry;
        sum += entry;
    }
    return sum;
}

bool ct_lu_factor(ct_lu *lu, const double *value)
{
    double sum = 0;
    lu = lu->focused ? lu->part : lu;
    lu->value = value;
    make_code(lu);
    if (lu->follow) {
        lu->follow(lu->number, value, &sum);
        return isfinite(sum);
    }
    for (uint32_t k = 0; k < lu->n && isfinite(sum); k++) {
        lu->moved[k] = must_move(lu, k, value);
        sum += lu->moved[k] ? compute_column(lu, k) : 0;
    }
    lu->known = isfinite(sum);
    return lu->known;
}

/* ---- solution */

void ct_lu_solve(ct_lu *lu, double *b)
{
    lu = lu->focused ? lu->part : lu;
    if (lu->solution) {
        lu->solution(lu->number, b, b);
        return;
    }
    double *x = lu->x;
    for (uint32_t k = 0; k < lu->n; k++)
        x[k] = b[lu->row_of[k]];
    for (uint32_t k = 0; k < lu->n; k++)
        for (int m = lu->l_start[k]; m < lu->l_start[k + 1]; m++)
            x[lu->l_row[m]] -= lu->l[m] * x[k];
    for (uint32_t k = lu->n; k-- > 0;) {
        double y = x[k] * lu->inverse[k];
        for (int i = lu->u_start[k]; i < lu->u_start[k + 1]; i++)
            x[lu->u_row[i]] -= lu->u[i] * y;
        b[lu->column_of[k]] = y;
        x[k] = 0;
    }
}

/* ---- quality */

double ct_lu_pivot_ratio(const ct_lu *lu)
{
    double least = INFINITY, most = 0;
    lu = counting(lu);
    for (uint32_t k = 0; k < lu->n; k++) {
        double size = fabs(lu->pivot[k] * lu->scale[k]);
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    return most > 0 ? least / most : 0;
}

double ct_lu_growth(const ct_lu *lu)
{
    double least = 1;
    lu = counting(lu);
    for (uint32_t k = 0; k < lu->n; k++) {
        double a = 0, u = fabs(lu->pivot[k] * lu->scale[k]);
        for (int i = lu->a_start[k]; i < lu->a_start[k + 1]; i++)
            a = fmax(a, fabs(lu->value[lu->a_from[i]] * lu->scale[lu->a_to[i]]));
        for (int i = lu->u_start[k]; i < lu->u_start[k + 1]; i++)
            u = fmax(u, fabs(lu->u[i] * lu->scale[lu->u_row[i]]));
        least = u > 0 ? fmin(least, a / u) : least;
    }
    return least;
}

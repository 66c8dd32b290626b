/* lti_deflate.c - eigenvalues zero taken out of a matrix.
 *
 * T A has as many rows of zeros as A lacks rank; so has T A T^-1, whose other rows and columns have
 * the other eigenvalues. Nothing is inverted: what is nearly zero spoils nothing else. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "study/lti_make.h"

/* Row `row` minus factor times row `pivot`, or both exchanged. */
typedef struct step {
    uint32_t row, pivot;
    double factor;
    bool swap;
} step;

typedef struct deflation {
    ct_arena *arena;
    uint32_t n;       /* size of what is left */
    double *a, *size; /* n x n; sizes of the largest numbers that entries were made of */
    CT_VEC(step) done;
} deflation;

static double *copy_of(ct_arena *arena, const double *a, size_t count)
{
    double *out = CT_NEW_ARRAY(arena, double, count);
    if (count)
        memcpy(out, a, count * sizeof *out);
    return out;
}

static void combine(deflation *d, size_t to, size_t from, double factor)
{
    d->a[to] += factor * d->a[from];
    d->size[to] = fmax(d->size[to], fabs(factor) * d->size[from]);
    d->a[to] = ct_lti_flushed(d->a[to], d->size[to]);
}

static void swap_entries(deflation *d, size_t a, size_t b)
{
    double value = d->a[a], size = d->size[a];
    d->a[a] = d->a[b];
    d->size[a] = d->size[b];
    d->a[b] = value;
    d->size[b] = size;
}

static void on_rows(deflation *d, const step *s)
{
    size_t to = (size_t)s->row * d->n, from = (size_t)s->pivot * d->n;
    for (size_t c = 0; c < d->n; c++)
        if (s->swap)
            swap_entries(d, to + c, from + c);
        else
            combine(d, to + c, from + c, -s->factor);
}

/* The inverse of the step, from the right. */
static void on_columns(deflation *d, const step *s)
{
    for (size_t i = 0; i < d->n; i++)
        if (s->swap)
            swap_entries(d, i * d->n + s->row, i * d->n + s->pivot);
        else
            combine(d, i * d->n + s->pivot, i * d->n + s->row, s->factor);
}

static void do_step(deflation *d, step s)
{
    on_rows(d, &s);
    CT_PUSH(d->arena, d->done, s);
}

/* The largest entry of the rows from `first` on; those rows are zero in columns that had a pivot.
 */
static bool find_pivot(const deflation *d, uint32_t first, uint32_t *row, uint32_t *col)
{
    double best = 0;
    for (uint32_t i = first; i < d->n; i++)
        for (uint32_t c = 0; c < d->n; c++)
            if (fabs(d->a[(size_t)i * d->n + c]) > best) {
                best = fabs(d->a[(size_t)i * d->n + c]);
                *row = i;
                *col = c;
            }
    return best > 0;
}

/* Rows from the rank on become zero. */
static uint32_t compress(deflation *d)
{
    uint32_t rank = 0, row, col;
    for (d->done.count = 0; find_pivot(d, rank, &row, &col); rank++) {
        if (row != rank)
            do_step(d, (step){.row = row, .pivot = rank, .swap = true});
        for (uint32_t i = rank + 1; i < d->n; i++) {
            double *entry = &d->a[(size_t)i * d->n + col];
            if (*entry == 0)
                continue;
            double factor = *entry / d->a[(size_t)rank * d->n + col];
            do_step(d, (step){.row = i, .pivot = rank, .factor = factor});
            *entry = 0;
        }
    }
    return rank;
}

/* The first rows and columns. */
static void shrink(deflation *d, uint32_t rank)
{
    for (uint32_t i = 0; i < d->done.count; i++)
        on_columns(d, &d->done.at[i]);
    for (size_t i = 0; i < rank; i++) {
        memmove(d->a + i * rank, d->a + i * d->n, rank * sizeof *d->a);
        memmove(d->size + i * rank, d->size + i * d->n, rank * sizeof *d->size);
    }
    d->n = rank;
}

uint32_t ct_lti_deflate(ct_arena *arena, uint32_t n, const double *A, const double **rest)
{
    deflation d = {.arena = arena, .n = n, .size = copy_of(arena, A, (size_t)n * n)};
    for (size_t i = 0; i < (size_t)n * n; i++)
        d.size[i] = fabs(A[i]);
    *rest = A;
    for (;;) {
        d.a = copy_of(arena, *rest, (size_t)d.n * d.n);
        uint32_t rank = compress(&d);
        if (rank == d.n)
            return rank;
        shrink(&d, rank);
        *rest = d.a;
    }
}

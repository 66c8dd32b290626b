/* lti_sparse.c - values of G(s) of large systems, given by their entries: several points at once.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/lti_sweep.h"

/* ---- matrices */

static bool is_before(const ct_lti_entry *a, const ct_lti_entry *b)
{
    return a->row != b->row ? a->row < b->row : a->col < b->col;
}

static int by_place(const void *a, const void *b)
{
    return is_before(b, a) - is_before(a, b);
}

static const ct_lti_entry *in_order(ct_arena *arena, const ct_lti_entry *list, uint32_t count)
{
    uint32_t k = 1;
    while (k < count && is_before(&list[k - 1], &list[k]))
        k++;
    if (k >= count)
        return list;
    ct_lti_entry *own = CT_NEW_ARRAY(arena, ct_lti_entry, count + (size_t)1);
    memcpy(own, list, count * sizeof *own);
    qsort(own, count, sizeof *own, by_place);
    return own;
}

/* W as it is, or the diagonal. */
static const ct_lti_entry *entries_of_w(const ct_lti_sparse *from, ct_arena *arena, uint32_t *count)
{
    *count = from->w_count ? from->w_count : from->differential;
    if (from->w_count)
        return in_order(arena, from->w, from->w_count);
    ct_lti_entry *w = CT_NEW_ARRAY(arena, ct_lti_entry, from->differential + (size_t)1);
    for (uint32_t i = 0; i < from->differential; i++)
        w[i] = (ct_lti_entry){i, i, 1};
    return w;
}

/* Places of A and W, both sorted by rows: into columns; NULL: they are counted. */
static void merge(ct_lti_sweep *sweep, const ct_lti_entry *a, uint32_t a_count,
                  const ct_lti_entry *w, uint32_t w_count, int *end)
{
    const ct_lti_entry *a_end = a + a_count, *w_end = w + w_count;
    while (a < a_end || w < w_end) {
        bool of_a = a < a_end && (w == w_end || !is_before(w, a));
        bool of_w = w < w_end && (a == a_end || !is_before(a, w));
        const ct_lti_entry *e = of_a ? a : w;
        if (end) {
            int at = end[e->col]++;
            sweep->row[at] = (int)e->row;
            sweep->a[at] = of_a ? a->value : 0;
            sweep->w[at] = of_w ? w->value : 0;
        } else {
            sweep->start[e->col + 1]++;
        }
        a += of_a;
        w += of_w;
    }
}

static void sort_columns(ct_lti_sweep *sweep, const ct_lti_sparse *from, ct_arena *arena)
{
    uint32_t n = from->n, w_count;
    const ct_lti_entry *a = in_order(arena, from->a, from->a_count);
    const ct_lti_entry *w = entries_of_w(from, arena, &w_count);
    int *end = CT_NEW_ARRAY(arena, int, n + (size_t)2);
    size_t count = (size_t)from->a_count + w_count + 1;
    sweep->start = CT_NEW_ARRAY(arena, int, n + (size_t)2);
    sweep->row = CT_NEW_ARRAY(arena, int, count);
    sweep->a = CT_NEW_ARRAY(arena, double, count);
    sweep->w = CT_NEW_ARRAY(arena, double, count);
    sweep->value = CT_NEW_ARRAY(arena, double complex, count);
    merge(sweep, a, from->a_count, w, w_count, NULL);
    for (uint32_t c = 0; c < n; c++)
        sweep->start[c + 1] += sweep->start[c];
    memcpy(end, sweep->start, (n + (size_t)1) * sizeof *end);
    merge(sweep, a, from->a_count, w, w_count, end);
}

ct_lti_sweep *ct_lti_sweep_sparse(ct_arena *arena, const ct_lti_sparse *from)
{
    ct_lti lti = {.n = from->n,
                  .m = from->m,
                  .p = from->p,
                  .B = from->B,
                  .D = from->D,
                  .E = from->E,
                  .F = from->F};
    ct_lti_sweep *sweep = ct_lti_sweep_open(arena, &lti, NULL);
    sort_columns(sweep, from, arena);
    ct_lti_room_for_rows(sweep, arena, from->c_count);
    for (uint32_t k = 0; k < from->c_count; k++)
        sweep->c_start[from->c[k].row + 2]++;
    for (uint32_t i = 0; i < from->p; i++)
        sweep->c_start[i + 2] += sweep->c_start[i + 1];
    for (uint32_t k = 0; k < from->c_count; k++) {
        uint32_t at = sweep->c_start[from->c[k].row + 1]++;
        sweep->c_col[at] = from->c[k].col;
        sweep->c[at] = from->c[k].value;
    }
    return sweep;
}

/* ---- several points */

/* B + s E */
static void fill_sides(const ct_lti *l, uint32_t j, const ct_several *s, ct_several *b)
{
    for (size_t i = 0; i < l->n; i++) {
        double plain = l->B[i * l->m + j], rate = l->E ? l->E[i * l->m + j] : 0;
        for (int k = 0; k < CT_MANY; k++) {
            b[i].re[k] = plain + s->re[k] * rate;
            b[i].im[k] = s->im[k] * rate;
        }
    }
}

static void show(const ct_lti_sweep *sweep, uint32_t j, double complex s, int lane,
                 const ct_several *x, double complex *y)
{
    const ct_lti *l = &sweep->lti;
    for (uint32_t i = 0; i < l->p; i++) {
        size_t at = (size_t)i * l->m + j;
        double complex sum = (l->D ? l->D[at] : 0) + (l->F ? s * l->F[at] : 0);
        for (uint32_t k = sweep->c_start[i]; k < sweep->c_start[i + 1]; k++) {
            const ct_several *own = &x[sweep->c_col[k]];
            sum += sweep->c[k] * (own->re[lane] + I * own->im[lane]);
        }
        y[i] = sum;
    }
}

/* Pivots of one point serve others as long as what they give is right; else it is made anew by
 * itself, and what comes behind gets pivots of its own. */
void ct_lti_sweep_all(ct_lti_sweep *sweep, uint32_t j, const double complex *s, uint32_t count,
                      double complex *value, ct_arena *arena)
{
    const double enough = 64 * DBL_EPSILON;
    const ct_lti *l = &sweep->lti;
    ct_several *b = CT_NEW_ARRAY(arena, ct_several, l->n + (size_t)1);
    ct_several *x = CT_NEW_ARRAY(arena, ct_several, l->n + (size_t)1), at;
    double error[CT_MANY] = {0};
    if (!sweep->many)
        sweep->many = ct_many_new(arena, l->n, sweep->start, sweep->row, sweep->w, sweep->a);
    for (uint32_t first = 0; first < count; first += CT_MANY) {
        for (uint32_t k = 0; k < CT_MANY; k++) {
            double complex own = s[first + k < count ? first + k : count - 1];
            at.re[k] = creal(own);
            at.im[k] = cimag(own);
        }
        if (!sweep->planned && l->n)
            sweep->planned = ct_many_plan(sweep->many, (ct_complex){at.re[0], at.im[0]});
        bool planned = sweep->planned;
        fill_sides(l, j, &at, b);
        if (planned)
            ct_many_solve(sweep->many, &at, b, x, error);
        for (uint32_t k = 0; k < CT_MANY && first + k < count; k++) {
            double complex *y = value + (size_t)(first + k) * l->p;
            bool good = planned && error[k] <= enough;
            sweep->planned &= good;
            if (good)
                show(sweep, j, s[first + k], (int)k, x, y);
            for (uint32_t i = 0; i < l->p && !good; i++)
                y[i] = ct_lti_sweep_at(sweep, i, j, s[first + k], NULL);
        }
    }
}

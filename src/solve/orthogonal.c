/* orthogonal.c - a sparse triangle R that takes in rows one by one by Givens rotations
 * [George and Heath]. A row that is a combination of those before it is rotated to zero. */
#include <math.h>
#include <string.h>

#include "solve/orthogonal.h"

/* Of rows of length one: below it is noise. */
static const double NOISE = 1e-11, DEPENDENT = 1e-8;

void ct_triangle_init(triangle *t, ct_arena *arena, uint32_t cols, double diagonal)
{
    *t = (triangle){.arena = arena, .cols = cols, .noise = diagonal > 0 ? 4 * diagonal : NOISE};
    t->row = CT_NEW_ARRAY(arena, thin_row, cols + 1);
    for (uint32_t i = 0; diagonal != 0 && i < cols; i++)
        CT_PUSH(arena, t->row[i], (thin){i, diagonal});
    t->b = CT_NEW_ARRAY(arena, double, cols + 1);
}

/* (r, w) <- rotation of them; w loses its first entry. */
static void rotate(triangle *t, thin_row *r, thin_row *w, double *rb, double *wb)
{
    double u = r->at[0].value, v = w->at[0].value, size = sqrt(u * u + v * v);
    double c = u / size, s = v / size, b = *rb;
    thin_row new_r = t->spare, *new_w = &t->next;
    new_r.count = new_w->count = 0;
    for (uint32_t i = 0, k = 0; i < r->count || k < w->count;) {
        uint32_t ci = i < r->count ? r->at[i].col : UINT32_MAX;
        uint32_t ck = k < w->count ? w->at[k].col : UINT32_MAX, col = ci < ck ? ci : ck;
        double x = ci == col ? r->at[i++].value : 0, y = ck == col ? w->at[k++].value : 0;
        double left = c * x + s * y, right = c * y - s * x;
        CT_PUSH(t->arena, new_r, (thin){col, left});
        if (new_r.count > 1 && fabs(right) > t->noise)
            CT_PUSH(t->arena, *new_w, (thin){col, right});
    }
    t->spare = *r;
    *r = new_r;
    thin_row old = *w;
    *w = *new_w;
    *new_w = old;
    *rb = c * b + s * *wb;
    *wb = c * *wb - s * b;
}

bool ct_triangle_add(triangle *t, const thin *entry, uint32_t count, double b)
{
    thin_row w = {0};
    double largest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (fabs(entry[i].value) > NOISE) /* else it would stand at the place of a pivot */
            CT_PUSH(t->arena, w, entry[i]);
    while (w.count && t->row[w.at[0].col].count) {
        uint32_t col = w.at[0].col;
        rotate(t, &t->row[col], &w, &t->b[col], &b);
    }
    for (uint32_t i = 0; i < w.count; i++)
        largest = fmax(largest, fabs(w.at[i].value));
    if (largest < DEPENDENT)
        return false;
    t->b[w.at[0].col] = b;
    t->row[w.at[0].col] = w;
    return true;
}

void ct_triangle_solve(const triangle *t, double *x)
{
    for (uint32_t i = t->cols; i-- > 0;) {
        const thin_row *r = &t->row[i];
        double sum = t->b[i];
        for (uint32_t k = 1; k < r->count; k++)
            sum -= r->at[k].value * x[r->at[k].col];
        x[i] = r->count ? sum / r->at[0].value : 0;
    }
}

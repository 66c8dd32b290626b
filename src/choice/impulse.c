/* impulse.c - impulses so that variables have their values: elimination with all pivots. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "choice/impulse.h"

/* The largest entry on, rows and columns; false: nothing is left. */
static bool ct_put_pivot(const double *a, uint32_t *row, uint32_t *column, uint32_t n, uint32_t c)
{
    const double least_pivot = 1e-12; /* of what is left of a row: rounding */
    uint32_t r = c, k = c;
    for (uint32_t i = c; i < n; i++)
        for (uint32_t j = c; j < n; j++)
            if (fabs(a[row[i] * n + column[j]]) > fabs(a[row[r] * n + column[k]]))
                r = i, k = j;
    uint32_t own = row[c], other = column[c];
    row[c] = row[r], row[r] = own;
    column[c] = column[k], column[k] = other;
    return fabs(a[row[c] * n + column[c]]) > least_pivot;
}

/* Impulses of charges and of momenta differ by far: rows and columns by their diagonal, and by
 * powers of two, which round nothing. */
static void ct_scale_impulses(double *a, double *by, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int power = 0;
        frexp(a[i * n + i], &power);
        by[i] = ldexp(1, -power / 2);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            a[i * n + j] *= by[i] * by[j];
}

/* By Gauss and Jordan. */
CT_CHOICE uint32_t ct_impulse_solve(double *a, double *b, const double *small, uint32_t n,
                                    double *room, uint32_t *order)
{
    double *by = room, *value = room + n;
    uint32_t *row = order, *column = row + n, done = 0, stuck = n;
    ct_scale_impulses(a, by, n);
    for (uint32_t i = 0; i < n; i++)
        row[i] = column[i] = i, b[i] *= by[i];
    while (done < n && ct_put_pivot(a, row, column, n, done)) {
        const double *own = a + row[done] * n;
        for (uint32_t r = 0; r < n; r++) {
            double factor = a[r * n + column[done]] / own[column[done]];
            for (uint32_t j = 0; j < n && r != row[done] && factor != 0; j++)
                a[r * n + j] -= factor * own[j];
            b[r] -= r != row[done] ? factor * b[row[done]] : 0;
        }
        done++;
    }
    for (uint32_t i = done; i < n; i++)
        stuck = fabs(b[row[i]]) > small[row[i]] * by[row[i]] ? row[i] : stuck;
    for (uint32_t i = 0; i < n; i++)
        value[column[i]] = i < done ? b[row[i]] / a[row[i] * n + column[i]] * by[column[i]] : 0;
    memcpy(b, value, n * sizeof *b);
    return stuck;
}

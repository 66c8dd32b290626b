/* dense.c - LU of small matrices with scaled rows and partial pivoting.
 *
 *     P R A = L U,   R = diag(1 / largest entry of each row)
 */
#include "solve/linear.h"

#include <math.h>
#include <string.h>

static bool load(ct_linear *l)
{
    uint32_t n = l->n;
    memset(l->lu, 0, (size_t)n * n * sizeof *l->lu);
    memset(l->scale, 0, n * sizeof *l->scale);
    for (uint32_t j = 0; j < n; j++)
        for (int k = l->start[j]; k < l->start[j + 1]; k++) {
            int i = l->row[k];
            double size = fabs(l->value[k]);
            l->lu[j * n + (uint32_t)i] = l->value[k];
            if (!(size <= l->scale[i])) /* also when it is not a number */
                l->scale[i] = size;
        }
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(l->scale[i]))
            return false;
        l->scale[i] = l->scale[i] > 0 ? 1 / l->scale[i] : 1;
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++)
            l->lu[j * n + i] *= l->scale[i];
    return true;
}

static uint32_t largest_below(const double *column, uint32_t from, uint32_t n)
{
    uint32_t best = from;
    for (uint32_t i = from + 1; i < n; i++)
        if (fabs(column[i]) > fabs(column[best]))
            best = i;
    return best;
}

static void swap_rows(ct_linear *l, uint32_t a, uint32_t b)
{
    for (uint32_t j = 0; j < l->n; j++) {
        double *column = l->lu + j * l->n, keep = column[a];
        column[a] = column[b];
        column[b] = keep;
    }
}

static void eliminate(ct_linear *l, uint32_t k)
{
    uint32_t n = l->n;
    double *restrict pivot = l->lu + k * n;
    double inverse = 1 / pivot[k];
    for (uint32_t i = k + 1; i < n; i++)
        pivot[i] *= inverse;
    for (uint32_t j = k + 1; j < n; j++) {
        double *restrict column = l->lu + j * n, factor = column[k];
        if (factor == 0)
            continue;
        for (uint32_t i = k + 1; i < n; i++)
            column[i] -= factor * pivot[i];
    }
}

ct_solve_status ct_dense_factor(ct_linear *linear)
{
    uint32_t n = linear->n;
    double least = INFINITY, most = 0;
    if (!load(linear))
        return CT_NOT_FINITE;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = largest_below(linear->lu + k * n, k, n);
        double size = fabs(linear->lu[k * n + p]);
        linear->pivot[k] = (int)p;
        if (size == 0 || !isfinite(size)) {
            linear->singular_at = k;
            return size == 0 ? CT_SINGULAR : CT_NOT_FINITE;
        }
        if (p != k)
            swap_rows(linear, p, k);
        if (size < least) {
            least = size;
            linear->singular_at = k;
        }
        most = size > most ? size : most;
        eliminate(linear, k);
    }
    linear->pivot_ratio = n ? least / most : 1;
    return CT_SOLVED;
}

void ct_dense_solve(ct_linear *linear, double *b)
{
    uint32_t n = linear->n;
    for (uint32_t i = 0; i < n; i++)
        b[i] *= linear->scale[i];
    for (uint32_t k = 0; k < n; k++) { /* P b, whole rows of L were swapped */
        double keep = b[k];
        b[k] = b[linear->pivot[k]];
        b[linear->pivot[k]] = keep;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++)
            b[i] -= linear->lu[k * n + i] * b[k];
    for (uint32_t k = n; k-- > 0;) {
        b[k] /= linear->lu[k * n + k];
        for (uint32_t i = 0; i < k; i++)
            b[i] -= linear->lu[k * n + i] * b[k];
    }
}

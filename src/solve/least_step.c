/* least_step.c - least-change steps: singular values for small J, an augmented matrix for large. */
#include "solve/least.h"

#include <math.h>
#include <string.h>

/* Singular values below this part of the largest count as zero. */
static const double rank_tolerance = 1e-11;
/* The least mu of the sparse form, which needs one to be regular. */
static const double least_mu = 1e-14;

static void new_dense(ct_least *l, ct_arena *arena)
{
    uint32_t p = l->rows > l->cols ? l->rows : l->cols, q = l->rows + l->cols - p;
    l->left = CT_NEW_ARRAY(arena, double, (size_t)p *q);
    l->right = CT_NEW_ARRAY(arena, double, (size_t)q *q);
    l->singular = CT_NEW_ARRAY(arena, double, q);
}

/* Columns 0 .. rows-1 hold J^T below, columns rows .. rows+cols-1 hold J above. */
static void new_sparse(ct_least *l, ct_arena *arena)
{
    uint32_t n = l->rows + l->cols, *next = CT_NEW_ARRAY(arena, uint32_t, l->rows + 1);
    l->big_start = CT_NEW_ARRAY(arena, uint32_t, n + 1);
    l->big_row = CT_NEW_ARRAY(arena, uint32_t, 2 * (size_t)l->count);
    l->mirror = CT_NEW_ARRAY(arena, uint32_t, l->count);
    l->big_value = CT_NEW_ARRAY(arena, double, 2 * (size_t)l->count);
    l->big_b = CT_NEW_ARRAY(arena, double, n);
    for (uint32_t k = 0; k < l->count; k++)
        l->big_start[l->row[k] + 1]++;
    for (uint32_t i = 0; i < l->rows; i++)
        l->big_start[i + 1] += l->big_start[i];
    memcpy(next, l->big_start, l->rows * sizeof *next);
    for (uint32_t j = 0; j < l->cols; j++) {
        for (uint32_t k = l->start[j]; k < l->start[j + 1]; k++) {
            uint32_t at = next[l->row[k]]++;
            l->big_row[at] = l->rows + j;
            l->mirror[at] = k;
            l->big_row[l->count + k] = l->row[k];
        }
        l->big_start[l->rows + j + 1] = l->count + l->start[j + 1];
    }
    l->pattern = ct_pattern_part(arena, n, l->big_start, l->big_row, 0, n, n);
    l->linear = ct_linear_new(arena, &l->pattern);
    l->linear->common.ordering = 1; /* by columns: pivots are not on the small diagonal */
}

ct_least *ct_least_new(ct_arena *arena, uint32_t rows, uint32_t cols, const uint32_t *start,
                       const uint32_t *row)
{
    ct_least *l = CT_NEW(arena, ct_least);
    *l = (ct_least){.rows = rows, .cols = cols, .start = start, .row = row};
    l->count = cols ? start[cols] : 0;
    l->value = CT_NEW_ARRAY(arena, double, l->count);
    l->r = CT_NEW_ARRAY(arena, double, rows);
    l->trial_r = CT_NEW_ARRAY(arena, double, rows);
    l->row_scale = CT_NEW_ARRAY(arena, double, rows);
    l->y = CT_NEW_ARRAY(arena, double, cols);
    l->step = CT_NEW_ARRAY(arena, double, cols);
    l->column_scale = CT_NEW_ARRAY(arena, double, cols);
    for (uint32_t i = 0; i < rows; i++)
        l->row_scale[i] = 1;
    for (uint32_t j = 0; j < cols; j++)
        l->column_scale[j] = 1;
    l->dense = rows <= CT_LEAST_DENSE_LIMIT && cols <= CT_LEAST_DENSE_LIMIT;
    if (l->dense)
        new_dense(l, arena);
    else
        new_sparse(l, arena);
    return l;
}

void ct_least_free(ct_least *least)
{
    if (least)
        ct_linear_free(least->linear);
}

/* rows >= cols: left right^T = J, else left right^T = J^T; the columns of left are orthogonal. */
static void decompose_dense(ct_least *l)
{
    bool tall = l->rows >= l->cols;
    uint32_t p = tall ? l->rows : l->cols, q = l->rows + l->cols - p;
    memset(l->left, 0, (size_t)p * q * sizeof *l->left);
    for (uint32_t j = 0; j < l->cols; j++)
        for (uint32_t k = l->start[j]; k < l->start[j + 1]; k++)
            l->left[tall ? j * p + l->row[k] : l->row[k] * p + j] += l->value[k];
    ct_orthogonalize(l->left, l->right, p, q);
    l->size = 0;
    for (uint32_t j = 0; j < q; j++) {
        double sum = 0;
        for (uint32_t i = 0; i < p; i++)
            sum += l->left[j * p + i] * l->left[j * p + i];
        l->singular[j] = sqrt(sum);
        l->size = fmax(l->size, l->singular[j]);
    }
}

void ct_least_decompose(ct_least *least)
{
    if (least->dense) {
        decompose_dense(least);
        return;
    }
    least->size = 0;
    for (uint32_t k = 0; k < least->count; k++)
        least->size = fmax(least->size, fabs(least->value[k]));
    for (uint32_t k = 0; k < least->count; k++) {
        least->big_value[k] = least->value[least->mirror[k]];
        least->big_value[least->count + k] = least->value[k];
    }
}

/* tall: d = -V (S^2 + mu)^-1 (U S)^T r; wide: d = -(U S)(S^2 + mu)^-1 V^T r. */
static void dense_step(ct_least *l, double mu)
{
    bool tall = l->rows >= l->cols;
    uint32_t p = tall ? l->rows : l->cols, q = l->rows + l->cols - p;
    const double *in = tall ? l->left : l->right, *out = tall ? l->right : l->left;
    memset(l->step, 0, l->cols * sizeof *l->step);
    for (uint32_t k = 0; k < q; k++) {
        double s = l->singular[k], sum = 0;
        if (!(s > rank_tolerance * l->size))
            continue;
        for (uint32_t i = 0; i < l->rows; i++)
            sum += in[k * l->rows + i] * l->r[i];
        sum /= s * s + mu * l->size * l->size;
        for (uint32_t j = 0; j < l->cols; j++)
            l->step[j] -= out[k * l->cols + j] * sum;
    }
}

/* [alpha I, J; J^T, -alpha I] (s, d) = (-r, 0): J^T s = alpha d, alpha s = -(r + J d). */
static ct_solve_status sparse_step(ct_least *l, double mu)
{
    double alpha = sqrt(fmax(mu, least_mu)) * (l->size > 0 ? l->size : 1);
    uint32_t n = l->rows + l->cols;
    ct_pattern_gather(&l->pattern, n, l->big_start, l->big_value, l->linear->value);
    for (uint32_t i = 0; i < n; i++)
        l->linear->value[l->pattern.diagonal[i]] += i < l->rows ? alpha : -alpha;
    ct_solve_status status = ct_linear_factor(l->linear);
    if (status != CT_SOLVED)
        return status;
    for (uint32_t i = 0; i < n; i++)
        l->big_b[i] = i < l->rows ? -l->r[i] : 0;
    ct_linear_solve(l->linear, l->big_b);
    memcpy(l->step, l->big_b + l->rows, l->cols * sizeof *l->step);
    return CT_SOLVED;
}

ct_solve_status ct_least_step(ct_least *least, double mu)
{
    ct_solve_status status = CT_SOLVED;
    if (least->dense)
        dense_step(least, mu);
    else
        status = sparse_step(least, mu);
    for (uint32_t j = 0; j < least->cols && status == CT_SOLVED; j++)
        least->step[j] *= least->column_scale[j];
    return status;
}

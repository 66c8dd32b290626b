/* dense.c - small dense linear systems: elimination with the largest pivot, rows scaled. */
#include <math.h>

#include "choice/choice.h"

static double ct_row_size(const ct_dense *m, uint32_t row)
{
    double most = 0;
    for (uint32_t c = 0; c < m->n; c++)
        most = fmax(most, fabs(m->a[row * m->n + c]));
    return most;
}

static void ct_swap_rows(ct_dense *m, uint32_t i, uint32_t k)
{
    for (uint32_t c = 0; c < m->n && i != k; c++) {
        double keep = m->a[i * m->n + c];
        m->a[i * m->n + c] = m->a[k * m->n + c];
        m->a[k * m->n + c] = keep;
    }
}

/* The scale of a row goes into the choice of pivots only. */
CT_CHOICE bool ct_dense_factor(ct_dense *m)
{
    const double singular = 1e-14; /* pivot, as a part of its row */
    uint32_t n = m->n;
    double *scale = m->a + (size_t)n * n; /* room behind the matrix */
    for (uint32_t i = 0; i < n; i++) {
        scale[i] = ct_row_size(m, i);
        if (!(scale[i] > 0 && isfinite(scale[i])))
            return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(m->a[i * n + k]) * scale[best] > fabs(m->a[best * n + k]) * scale[i])
                best = i;
        m->pivot[k] = best;
        ct_swap_rows(m, k, best);
        double keep = scale[k];
        scale[k] = scale[best];
        scale[best] = keep;
        if (!(fabs(m->a[k * n + k]) > singular * scale[k]))
            return false;
        for (uint32_t i = k + 1; i < n; i++) {
            double by = m->a[i * n + k] /= m->a[k * n + k];
            for (uint32_t c = k + 1; by != 0 && c < n; c++)
                m->a[i * n + c] -= by * m->a[k * n + c];
        }
    }
    return true;
}

CT_CHOICE void ct_dense_solve(const ct_dense *m, double *b)
{
    uint32_t n = m->n;
    for (uint32_t k = 0; k < n; k++) {
        double keep = b[k];
        b[k] = b[m->pivot[k]];
        b[m->pivot[k]] = keep;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < i; c++)
            b[i] -= m->a[i * n + c] * b[c];
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t c = i + 1; c < n; c++)
            b[i] -= m->a[i * n + c] * b[c];
        b[i] /= m->a[i * n + i];
    }
}

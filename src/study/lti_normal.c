/* lti_normal.c - from descriptor form with derivatives of inputs to an ordinary state space. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "study/lti_tab.h"

double *ct_matrix_transposed(ct_arena *arena, uint32_t rows, uint32_t cols, const double *a)
{
    double *out = CT_NEW_ARRAY(arena, double, (size_t)rows *cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < cols; c++)
            out[c * rows + i] = a[i * cols + c];
    return out;
}

/* ---- finite eigenvalues of a pencil -------------------------------------------------------- */

static ct_lti_tab pencil_tab(ct_arena *arena, uint32_t rows, uint32_t cols, const double *W,
                             const double *A)
{
    ct_lti_tab tab = ct_lti_tab_new(arena, rows, 0, cols, 0, 0);
    for (uint32_t i = 0; i < rows && cols; i++) {
        memcpy(ct_lti_tab_w(&tab, i), W + (size_t)i * cols, cols * sizeof(double));
        memcpy(ct_lti_tab_a(&tab, i), A + (size_t)i * cols, cols * sizeof(double));
    }
    ct_lti_tab_measure(&tab);
    return tab;
}

static ct_lti_tab transposed_tab(const ct_lti_tab *t)
{
    ct_lti_tab out = ct_lti_tab_new(t->arena, t->cols, 0, t->rows, 0, 0);
    for (uint32_t i = 0; i < out.rows; i++)
        for (uint32_t c = 0; c < out.cols; c++) {
            ct_lti_tab_w(&out, i)[c] = ct_lti_tab_w(t, c)[i];
            ct_lti_tab_a(&out, i)[c] = ct_lti_tab_a(t, c)[i];
        }
    ct_lti_tab_measure(&out);
    return out;
}

/* First the rows of W become independent, then its columns; then it is square and has an inverse.
 */
uint32_t ct_pencil_finite(ct_arena *arena, uint32_t rows, uint32_t cols, const double *W,
                          const double *A, double **matrix, bool *regular)
{
    ct_lti_tab tab = pencil_tab(arena, rows, cols, W, A);
    ct_lti_tab_reduce(&tab);
    if (regular)
        *regular = rows == cols && !tab.singular;
    tab = transposed_tab(&tab);
    ct_lti_tab_reduce(&tab);
    if (!ct_lti_tab_solve(&tab))
        ct_throw(ct_arena_context(arena), CT_ERR_CONVERGENCE);
    *matrix = CT_NEW_ARRAY(arena, double, (size_t)tab.rows *tab.rows);
    for (uint32_t i = 0; i < tab.rows; i++)
        memcpy(*matrix + (size_t)i * tab.rows, ct_lti_tab_a(&tab, i), tab.rows * sizeof(double));
    return tab.rows;
}

/* ---- normal form --------------------------------------------------------------------------- */

static bool is_finite(const double *a, size_t count)
{
    for (size_t i = 0; a && i < count; i++)
        if (!isfinite(a[i]))
            return false;
    return true;
}

static bool all_finite(const ct_lti *l)
{
    size_t n = l->n, m = l->m, p = l->p;
    return is_finite(l->A, n * n) && is_finite(l->W, n * n) && is_finite(l->B, n * m) &&
           is_finite(l->E, n * m) && is_finite(l->C, p * n) && is_finite(l->D, p * m) &&
           is_finite(l->F, p * m);
}

static void copy_row(double *to, const double *from, uint32_t row, uint32_t count)
{
    if (from && count)
        memcpy(to, from + (size_t)row * count, count * sizeof(double));
}

static ct_lti_tab make_tab(ct_arena *arena, const ct_lti *l)
{
    ct_lti_tab tab = ct_lti_tab_new(arena, l->n, l->p, l->n, l->m, 1);
    for (uint32_t i = 0; i < l->n; i++) {
        copy_row(ct_lti_tab_w(&tab, i), l->W, i, l->n);
        if (!l->W)
            ct_lti_tab_w(&tab, i)[i] = 1;
        copy_row(ct_lti_tab_a(&tab, i), l->A, i, l->n);
        copy_row(ct_lti_tab_b(&tab, i), l->B, i, l->m);
        copy_row(ct_lti_tab_b(&tab, i) + l->m, l->E, i, l->m);
    }
    for (uint32_t i = 0; i < l->p; i++) {
        copy_row(ct_lti_tab_a(&tab, l->n + i), l->C, i, l->n);
        copy_row(ct_lti_tab_b(&tab, l->n + i), l->D, i, l->m);
        copy_row(ct_lti_tab_b(&tab, l->n + i) + l->m, l->F, i, l->m);
    }
    ct_lti_tab_measure(&tab);
    return tab;
}

/* out = base + a b, flushed where it cancels; a: rows x n, b: n x cols. */
static void multiply_add(const double *base, const double *a, const double *b, uint32_t rows,
                         uint32_t n, uint32_t cols, double *out)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < cols; c++) {
            double sum = base[i * cols + c], size = fabs(sum);
            for (size_t k = 0; k < n; k++) {
                double term = a[i * n + k] * b[k * cols + c];
                sum += term;
                size = fmax(size, fabs(term));
            }
            out[i * cols + c] = ct_lti_flushed(sum, size);
        }
}

/* B(s) = (s - A) Q(s) + R by Horner's rule; x = z + Q(s) u, so that P(s) = D(s) + C Q(s). */
static void divide(ct_arena *arena, ct_lti_normal *f, const double *B, const double *D)
{
    size_t state = (size_t)f->n * f->m, out = (size_t)f->p * f->m;
    double *q = CT_NEW_ARRAY(arena, double, state), *next = CT_NEW_ARRAY(arena, double, state);
    f->P = CT_NEW_ARRAY(arena, double, (f->degree + (size_t)1) * out);
    memcpy(f->P + f->degree * out, D + f->degree * out, out * sizeof(double));
    memcpy(q, B + f->degree * state, state * sizeof(double));
    for (uint32_t k = f->degree; k-- > 0;) {
        multiply_add(D + k * out, f->C, q, f->p, f->n, f->m, f->P + k * out);
        multiply_add(B + k * state, f->A, q, f->n, f->n, f->m, next);
        double *old = q;
        q = next;
        next = old;
    }
    f->R = q;
}

static bool is_zero(const double *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != 0)
            return false;
    return true;
}

/* Rows of the table as matrices; polynomials block by block. */
static ct_lti_normal from_tab(ct_arena *arena, const ct_lti_tab *tab)
{
    ct_lti_normal f = {.n = tab->rows, .m = tab->m, .p = tab->outputs, .degree = tab->degree};
    size_t n = f.n, m = f.m, p = f.p, blocks = f.degree + (size_t)1;
    double *B = CT_NEW_ARRAY(arena, double, blocks *n *m);
    double *D = CT_NEW_ARRAY(arena, double, blocks *p *m);
    f.A = CT_NEW_ARRAY(arena, double, n *n);
    f.C = CT_NEW_ARRAY(arena, double, p *n);
    for (uint32_t i = 0; i < tab->rows + tab->outputs; i++) {
        bool state = i < tab->rows;
        size_t row = state ? i : i - n, size = state ? n : p;
        double *to = state ? B : D;
        memcpy((state ? f.A : f.C) + row * n, ct_lti_tab_a(tab, i), n * sizeof(double));
        for (size_t k = 0; k < blocks; k++)
            memcpy(to + (k * size + row) * m, ct_lti_tab_b(tab, i) + k * m, m * sizeof(double));
    }
    divide(arena, &f, B, D);
    while (f.degree > 0 && is_zero(f.P + f.degree * p * m, p * m))
        f.degree--;
    return f;
}

/* States in units in which rows and columns of A are of like size; powers of two, so exact. */
static void balance(ct_arena *arena, ct_lti_normal *f)
{
    lapack_int n = (lapack_int)f->n, lo, hi;
    double *scale = CT_NEW_ARRAY(arena, double, f->n);
    double *a = ct_matrix_transposed(arena, f->n, f->n, f->A);
    if (n == 0 || LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'S', n, a, n, &lo, &hi, scale) != 0)
        return;
    f->A = ct_matrix_transposed(arena, f->n, f->n, a);
    for (size_t i = 0; i < f->n; i++) {
        for (size_t k = 0; k < f->m; k++)
            f->R[i * f->m + k] /= scale[i];
        for (size_t k = 0; k < f->p; k++)
            f->C[k * f->n + i] *= scale[i];
    }
}

ct_status ct_lti_normal_try(ct_arena *arena, const ct_lti *lti, ct_lti_normal *normal)
{
    if (!all_finite(lti))
        return CT_ERR_USAGE;
    ct_lti_tab tab = make_tab(arena, lti);
    if (lti->W) {
        ct_lti_tab_reduce(&tab);
        if (tab.singular || !ct_lti_tab_solve(&tab))
            return CT_ERR_MODEL;
    }
    *normal = from_tab(arena, &tab);
    balance(arena, normal);
    return CT_OK;
}

ct_lti_normal ct_lti_normal_new(ct_arena *arena, const ct_lti *lti)
{
    ct_lti_normal normal = {0};
    ct_status status = ct_lti_normal_try(arena, lti, &normal);
    if (status != CT_OK)
        ct_throw(ct_arena_context(arena), status);
    return normal;
}

ct_status ct_lti_check(ct_arena *arena, const ct_lti *lti)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal normal;
    ct_status status = ct_lti_normal_try(scratch, lti, &normal);
    ct_arena_free(scratch);
    return status;
}

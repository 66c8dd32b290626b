/* pencil.c - factors s E + A by KLU, or by L D L^T where it is symmetric. */
#include "solve/pencil.h"

#include <math.h>
#include <string.h>

/* Reciprocal condition number (of the diagonal of U) below which KLU's factors are no good. */
static const double least_rcond = 1e-14;

/* Are the mirror images of all entries equal? The pattern is symmetric. */
static bool is_symmetric(ct_arena *arena, const ct_pencil *p)
{
    int *next = CT_NEW_ARRAY(arena, int, p->n + 1);
    bool good = true;
    memcpy(next, p->start, p->n * sizeof *next);
    for (uint32_t j = 0; j < p->n && good; j++)
        for (int k = p->start[j]; k < p->start[j + 1] && good; k++) {
            int mirror = next[p->row[k]]++;
            good = p->e[k] == p->e[mirror] && p->a[k] == p->a[mirror];
        }
    ct_arena_release(arena, next, (p->n + 1) * sizeof *next);
    return good;
}

ct_pencil *ct_pencil_plain(ct_arena *arena, uint32_t n, const int *start, const int *row,
                           const double *e, const double *a)
{
    ct_pencil *p = CT_NEW(arena, ct_pencil);
    *p = (ct_pencil){.arena = arena, .n = n, .start = start, .row = row, .e = e, .a = a};
    klu_defaults(&p->common);
    p->common.scale = 2; /* rows by their largest entry */
    return p;
}

ct_pencil *ct_pencil_new(ct_arena *arena, uint32_t n, const int *start, const int *row,
                         const double *e, const double *a)
{
    ct_pencil *p = ct_pencil_plain(arena, n, start, row, e, a);
    p->ldl = ct_ldl_new(arena, n, start, row);
    if (p->ldl && !is_symmetric(arena, p))
        p->ldl = NULL;
    return p;
}

void ct_pencil_free(ct_pencil *pencil)
{
    if (pencil && pencil->symbolic)
        klu_free_symbolic(&pencil->symbolic, &pencil->common);
}

ct_factor *ct_factor_new(ct_pencil *pencil, bool is_complex)
{
    ct_factor *f = CT_NEW(pencil->arena, ct_factor);
    *f = (ct_factor){.pencil = pencil, .is_complex = is_complex};
    if (!pencil->ldl && !pencil->value)
        pencil->value =
            CT_NEW_ARRAY(pencil->arena, double, 2 * (size_t)pencil->start[pencil->n] + 1);
    if (pencil->ldl)
        f->ldl = ct_ldl_factor_new(pencil->arena, pencil->ldl, is_complex);
    return f;
}

void ct_factor_free(ct_factor *f)
{
    if (!f || !f->numeric)
        return;
    if (f->is_complex)
        klu_z_free_numeric(&f->numeric, &f->pencil->common);
    else
        klu_free_numeric(&f->numeric, &f->pencil->common);
}

size_t ct_factor_bytes(const ct_pencil *pencil, bool is_complex)
{
    return pencil->ldl ? ct_ldl_bytes(pencil->ldl, is_complex) : 0;
}

static bool set_values(const ct_pencil *p, bool is_complex, ct_complex s)
{
    size_t count = (size_t)p->start[p->n];
    double sum = 0;
    for (size_t k = 0; k < count && is_complex; k++) {
        p->value[2 * k] = s.re * p->e[k] + p->a[k];
        p->value[2 * k + 1] = s.im * p->e[k];
        sum += 0 * (p->value[2 * k] + p->value[2 * k + 1]);
    }
    for (size_t k = 0; k < count && !is_complex; k++) {
        p->value[k] = s.re * p->e[k] + p->a[k];
        sum += 0 * p->value[k];
    }
    return sum == 0;
}

/* ---- KLU */

static ct_solve_status klu_trouble(const ct_pencil *p)
{
    bool memory = p->common.status == KLU_OUT_OF_MEMORY || p->common.status == KLU_TOO_LARGE;
    return memory ? CT_NO_MEMORY_LEFT : CT_SINGULAR;
}

static bool klu_numbers(ct_factor *f, bool again)
{
    ct_pencil *p = f->pencil;
    int *start = (int *)p->start, *row = (int *)p->row; /* KLU does not write there */
    if (again)
        return f->is_complex
                   ? klu_z_refactor(start, row, p->value, p->symbolic, f->numeric, &p->common)
                   : klu_refactor(start, row, p->value, p->symbolic, f->numeric, &p->common);
    ct_factor_free(f);
    f->numeric = f->is_complex ? klu_z_factor(start, row, p->value, p->symbolic, &p->common)
                               : klu_factor(start, row, p->value, p->symbolic, &p->common);
    return f->numeric != NULL;
}

static double klu_condition(ct_factor *f)
{
    ct_pencil *p = f->pencil;
    if (f->is_complex)
        klu_z_rcond(p->symbolic, f->numeric, &p->common);
    else
        klu_rcond(p->symbolic, f->numeric, &p->common);
    return p->common.rcond;
}

/* Old pivots first, which costs much less; fresh ones when these are no good. */
static ct_solve_status make_klu(ct_factor *f)
{
    ct_pencil *p = f->pencil;
    if (!set_values(p, f->is_complex, f->s))
        return CT_NOT_FINITE;
    if (!p->symbolic)
        p->symbolic = klu_analyze((int)p->n, (int *)p->start, (int *)p->row, &p->common);
    if (!p->symbolic)
        return klu_trouble(p);
    if (f->numeric && klu_numbers(f, true) && p->common.status == KLU_OK &&
        klu_condition(f) > least_rcond)
        return CT_SOLVED;
    if (!klu_numbers(f, false) || p->common.status != KLU_OK)
        return klu_trouble(p);
    return klu_condition(f) > least_rcond ? CT_SOLVED : CT_SINGULAR;
}

/* ---- both */

ct_solve_status ct_factor_make(ct_factor *f, ct_complex s)
{
    ct_pencil *p = f->pencil;
    f->ready = false;
    f->s = s;
    if (!isfinite(s.re) || !isfinite(s.im))
        return CT_NOT_FINITE;
    ct_solve_status status;
    if (!p->ldl)
        status = make_klu(f);
    else if (f->is_complex)
        status = ct_ldl_complex(p->ldl, s, p->e, p->a, f->ldl) ? CT_SOLVED : CT_SINGULAR;
    else
        status = ct_ldl_real(p->ldl, s.re, p->e, p->a, f->ldl) ? CT_SOLVED : CT_SINGULAR;
    f->ready = status == CT_SOLVED;
    return status;
}

void ct_factor_solve(ct_factor *f, double *b)
{
    ct_pencil *p = f->pencil;
    if (p->ldl && f->is_complex)
        ct_ldl_solve_complex(p->ldl, f->ldl, (ct_complex *)b);
    else if (p->ldl)
        ct_ldl_solve_real(p->ldl, f->ldl, b);
    else if (f->is_complex)
        klu_z_solve(p->symbolic, f->numeric, (int)p->n, 1, b, &p->common);
    else
        klu_solve(p->symbolic, f->numeric, (int)p->n, 1, b, &p->common);
}

void ct_pencil_times(const ct_pencil *p, const double *m, double c, const double *x, double *y)
{
    for (uint32_t j = 0; j < p->n; j++) {
        double xj = c * x[j];
        for (int k = p->start[j]; xj != 0 && k < p->start[j + 1]; k++)
            y[p->row[k]] += m[k] * xj;
    }
}

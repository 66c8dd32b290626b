/* many.c - one sparse matrix for several s: KLU's order and pivots, arithmetic side by side. */
#include "solve/many.h"

#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

/* By the largest entry of its column: a smaller diagonal is no pivot. */
static const double least_diagonal = 0.1;

/* L and U by columns, each with its diagonal left out: U in the order in which columns depend. */
typedef struct triangle {
    int *start, *row;
    ct_several *value;
} triangle;

struct ct_many {
    ct_arena *arena, *planned; /* planned: what a plan takes */
    uint32_t n, blocks;
    const int *start, *row;
    const double *w, *a;
    klu_common common;
    klu_symbolic *symbolic;
    int *from, *to, *column; /* rows of the matrix by pivots, and back; columns by pivots */
    int *block;              /* where blocks begin */
    triangle l, u;
    ct_several *pivot; /* 1/pivot */
    ct_several *work, *rest;
    double (*size)[CT_MANY];
};

static void give_back(void *user)
{
    ct_many *m = user;
    if (m->symbolic)
        klu_free_symbolic(&m->symbolic, &m->common);
}

ct_many *ct_many_new(ct_arena *arena, uint32_t n, const int *start, const int *row, const double *w,
                     const double *a)
{
    ct_many *m = CT_NEW(arena, ct_many);
    ct_arena_guest *guest = ct_arena_add_guest(arena);
    *m = (ct_many){.arena = arena, .n = n, .start = start, .row = row, .w = w, .a = a};
    m->from = CT_NEW_ARRAY(arena, int, n + (size_t)1);
    m->to = CT_NEW_ARRAY(arena, int, n + (size_t)1);
    m->column = CT_NEW_ARRAY(arena, int, n + (size_t)1);
    m->block = CT_NEW_ARRAY(arena, int, n + (size_t)2);
    m->pivot = CT_NEW_ARRAY(arena, ct_several, n + (size_t)1);
    m->work = CT_NEW_ARRAY(arena, ct_several, n + (size_t)1);
    m->rest = CT_NEW_ARRAY(arena, ct_several, n + (size_t)1);
    m->size = ct_arena_alloc(arena, (n + (size_t)1) * sizeof *m->size);
    klu_defaults(&m->common);
    m->common.scale = 2; /* rows by their largest entry */
    m->common.tol = least_diagonal;
    *guest = (ct_arena_guest){guest->next, give_back, m};
    return m;
}

/* ---- plans */

/* Columns of a triangle as KLU gives them, without the diagonal: first of L, last of U. */
static triangle without_diagonal(ct_many *m, const int *start, const int *row, bool first)
{
    triangle t = {CT_NEW_ARRAY(m->planned, int, m->n + (size_t)2), NULL, NULL};
    size_t count = (size_t)start[m->n], used = 0;
    t.row = CT_NEW_ARRAY(m->planned, int, count + 1);
    t.value = CT_NEW_ARRAY(m->planned, ct_several, count - m->n + 1);
    for (uint32_t k = 0; k < m->n; k++) {
        for (int i = start[k] + first; i < start[k + 1] - !first; i++)
            t.row[used++] = row[i];
        t.start[k + 1] = (int)used;
    }
    return t;
}

static bool take_plan(ct_many *m, klu_numeric *numeric)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(m->arena));
    size_t n = m->n, lower = (size_t)numeric->lnz + 1, upper = (size_t)numeric->unz + 1;
    size_t beside = (size_t)numeric->nzoff + 1;
    int *l = CT_NEW_ARRAY(scratch, int, n + 1), *u = CT_NEW_ARRAY(scratch, int, n + 1);
    int *f = CT_NEW_ARRAY(scratch, int, n + 1), *fi = CT_NEW_ARRAY(scratch, int, beside);
    int *li = CT_NEW_ARRAY(scratch, int, lower), *ui = CT_NEW_ARRAY(scratch, int, upper);
    double *scale = CT_NEW_ARRAY(scratch, double, n + 1);
    double *x =
        CT_NEW_ARRAY(scratch, double, lower + upper + beside); /* patterns alone are wanted */
    bool good = klu_z_extract(numeric, m->symbolic, l, li, x, x, u, ui, x, x, f, fi, x, x, m->from,
                              m->column, scale, m->block, &m->common);
    m->blocks = (uint32_t)m->symbolic->nblocks;
    for (uint32_t k = 0; good && k < m->n; k++)
        m->to[m->from[k]] = (int)k;
    if (good) {
        m->l = without_diagonal(m, l, li, true);
        m->u = without_diagonal(m, u, ui, false);
    }
    ct_arena_free(scratch);
    return good;
}

bool ct_many_plan(ct_many *m, ct_complex s)
{
    ct_context *ctx = ct_arena_context(m->arena);
    size_t count = (size_t)m->start[m->n];
    int *start = (int *)m->start, *row = (int *)m->row; /* KLU does not write there */
    if (m->planned)
        ct_arena_free(m->planned);
    m->planned = ct_arena_new(ctx);
    double *value = CT_NEW_ARRAY(m->planned, double, 2 * count + 1);
    for (size_t k = 0; k < count; k++) {
        value[2 * k] = s.re * m->w[k] - m->a[k];
        value[2 * k + 1] = s.im * m->w[k];
    }
    if (!m->symbolic)
        m->symbolic = klu_analyze((int)m->n, start, row, &m->common);
    klu_numeric *numeric =
        m->symbolic ? klu_z_factor(start, row, value, m->symbolic, &m->common) : NULL;
    bool good = numeric && m->common.status == KLU_OK && take_plan(m, numeric);
    if (numeric)
        klu_z_free_numeric(&numeric, &m->common);
    return good;
}

/* ---- arithmetic side by side */

/* s w - a */
static ct_several entry_of(const ct_many *m, const ct_several *s, int at)
{
    ct_several v;
    double w = m->w[at], a = m->a[at];
    for (int i = 0; i < CT_MANY; i++)
        v.re[i] = s->re[i] * w - a;
    for (int i = 0; i < CT_MANY; i++)
        v.im[i] = s->im[i] * w;
    return v;
}

/* to -= a b */
static void subtract(ct_several *to, const ct_several *a, const ct_several *b)
{
    for (int i = 0; i < CT_MANY; i++)
        to->re[i] -= a->re[i] * b->re[i] - a->im[i] * b->im[i];
    for (int i = 0; i < CT_MANY; i++)
        to->im[i] -= a->re[i] * b->im[i] + a->im[i] * b->re[i];
}

static ct_several product(const ct_several *a, const ct_several *b)
{
    ct_several p;
    for (int i = 0; i < CT_MANY; i++)
        p.re[i] = a->re[i] * b->re[i] - a->im[i] * b->im[i];
    for (int i = 0; i < CT_MANY; i++)
        p.im[i] = a->re[i] * b->im[i] + a->im[i] * b->re[i];
    return p;
}

static ct_several inverse(const ct_several *a)
{
    ct_several p;
    for (int i = 0; i < CT_MANY; i++) {
        double square = a->re[i] * a->re[i] + a->im[i] * a->im[i];
        p.re[i] = a->re[i] / square;
        p.im[i] = -a->im[i] / square;
    }
    return p;
}

/* Column k of L and U from that of the matrix, and from columns of L before. work is zero. */
static void factor_column(ct_many *m, const ct_several *s, int k, int first)
{
    ct_several *x = m->work;
    int c = m->column[k];
    for (int at = m->start[c]; at < m->start[c + 1]; at++) {
        int i = m->to[m->row[at]];
        if (i >= first)
            x[i] = entry_of(m, s, at);
    }
    for (int up = m->u.start[k]; up < m->u.start[k + 1]; up++) {
        int j = m->u.row[up];
        ct_several by = x[j];
        m->u.value[up] = by;
        memset(&x[j], 0, sizeof *x);
        for (int at = m->l.start[j]; at < m->l.start[j + 1]; at++)
            subtract(&x[m->l.row[at]], &m->l.value[at], &by);
    }
    m->pivot[k] = inverse(&x[k]);
    memset(&x[k], 0, sizeof *x);
    for (int at = m->l.start[k]; at < m->l.start[k + 1]; at++) {
        int i = m->l.row[at];
        m->l.value[at] = product(&x[i], &m->pivot[k]);
        memset(&x[i], 0, sizeof *x);
    }
}

static void factor(ct_many *m, const ct_several *s)
{
    memset(m->work, 0, m->n * sizeof *m->work);
    for (uint32_t b = 0; b < m->blocks; b++)
        for (int k = m->block[b]; k < m->block[b + 1]; k++)
            factor_column(m, s, k, m->block[b]);
}

/* y = b by pivots; blocks from the last on, each put into the rows before it. */
static void solve_block(ct_many *m, const ct_several *s, int first, int end)
{
    ct_several *y = m->work;
    for (int k = first; k < end; k++)
        for (int at = m->l.start[k]; at < m->l.start[k + 1]; at++)
            subtract(&y[m->l.row[at]], &m->l.value[at], &y[k]);
    for (int k = end; k-- > first;) {
        y[k] = product(&y[k], &m->pivot[k]);
        for (int at = m->u.start[k]; at < m->u.start[k + 1]; at++)
            subtract(&y[m->u.row[at]], &m->u.value[at], &y[k]);
    }
    for (int k = first; k < end && first > 0; k++)
        for (int at = m->start[m->column[k]]; at < m->start[m->column[k] + 1]; at++) {
            int i = m->to[m->row[at]];
            ct_several v = entry_of(m, s, at);
            if (i < first)
                subtract(&y[i], &v, &y[k]);
        }
}

/* The solution for b is in the work space, by pivots. */
static void solve(ct_many *m, const ct_several *s, const ct_several *b)
{
    for (uint32_t k = 0; k < m->n; k++)
        m->work[k] = b[m->from[k]];
    for (uint32_t k = m->blocks; k-- > 0;)
        solve_block(m, s, m->block[k], m->block[k + 1]);
}

/* rest = b - (s W - A) x, and |b| + |s W - A| |x| */
static void find_rest(ct_many *m, const ct_several *s, const ct_several *b, const ct_several *x)
{
    memcpy(m->rest, b, m->n * sizeof *b);
    for (uint32_t i = 0; i < m->n; i++)
        for (int l = 0; l < CT_MANY; l++)
            m->size[i][l] = fabs(b[i].re[l]) + fabs(b[i].im[l]);
    for (uint32_t c = 0; c < m->n; c++)
        for (int at = m->start[c]; at < m->start[c + 1]; at++) {
            int i = m->row[at];
            ct_several v = entry_of(m, s, at);
            subtract(&m->rest[i], &v, &x[c]);
            for (int l = 0; l < CT_MANY; l++)
                m->size[i][l] +=
                    (fabs(v.re[l]) + fabs(v.im[l])) * (fabs(x[c].re[l]) + fabs(x[c].im[l]));
        }
}

/* Far down a ladder numbers are so small that they have few digits: such rows count no more. */
static double find_error(const ct_many *m, double *error)
{
    const double least = DBL_MIN / DBL_EPSILON;
    double most = 0;
    for (int l = 0; l < CT_MANY; l++) {
        error[l] = 0;
        for (uint32_t i = 0; i < m->n; i++) {
            double own = fabs(m->rest[i].re[l]) + fabs(m->rest[i].im[l]);
            if (!(own <= error[l] * m->size[i][l]) && !(own <= least))
                error[l] = isnan(error[l]) ? error[l] : own / m->size[i][l];
        }
        most = error[l] <= most ? most : error[l];
    }
    return most;
}

void ct_many_solve(ct_many *m, const ct_several *s, const ct_several *b, ct_several *x,
                   double *error)
{
    enum { STEPS = 2 };
    const double rounding = 4 * DBL_EPSILON;
    factor(m, s);
    solve(m, s, b);
    for (uint32_t k = 0; k < m->n; k++)
        x[m->column[k]] = m->work[k];
    for (int step = 0;; step++) {
        find_rest(m, s, b, x);
        if (find_error(m, error) <= rounding || step == STEPS)
            break;
        solve(m, s, m->rest);
        for (uint32_t k = 0; k < m->n; k++)
            for (int l = 0; l < CT_MANY; l++) {
                x[m->column[k]].re[l] += m->work[k].re[l];
                x[m->column[k]].im[l] += m->work[k].im[l];
            }
    }
}

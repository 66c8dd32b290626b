/* holding.c - forces that hold: as many as there are things held, by elimination. */
#include "simulate/holding.h"

ct_expr ct_partial(const ct_machine *m, ct_expr e, ct_name by)
{
    ct_expr d = ct_expr_has(m->pool, e, by) ? ct_expr_diff(m->pool, e, by) : 0;
    return d ? d : ct_expr_int(m->pool, 0);
}

ct_expr ct_rate_along(const ct_machine *m, ct_expr e, const ct_expr *f)
{
    ct_expr sum = ct_partial(m, e, m->time);
    for (uint32_t i = 0; i < m->n; i++) {
        ct_expr g = ct_partial(m, e, m->z[i]);
        if (!ct_expr_is_zero(m->pool, g))
            sum = ct_expr_add(m->pool, sum, ct_expr_mul(m->pool, g, f[i]));
    }
    return sum;
}

/* Rows that are linear in the forces: rates of what is held, then g. */
typedef struct holding {
    ct_expr *row, *factor, *rest;
    uint32_t rows, count;
    uint32_t *pivot; /* per force: the row that gives it */
} holding;

static bool is_pivot(const holding *h, uint32_t row, uint32_t done)
{
    for (uint32_t c = 0; c < done; c++)
        if (h->pivot[c] == row)
            return true;
    return false;
}

/* Gauss and Jordan. Rates come first: g gives a force where rates know it by w alone. */
static bool eliminate(const ct_machine *m, holding *h)
{
    ct_pool *p = m->pool;
    uint32_t n = h->count;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t best = 0;
        while (best < h->rows &&
               (is_pivot(h, best, c) || ct_expr_is_zero(p, h->factor[best * n + c])))
            best++;
        if (best == h->rows)
            return false;
        h->pivot[c] = best;
        for (uint32_t r = 0; r < h->rows; r++) {
            if (r == best || ct_expr_is_zero(p, h->factor[r * n + c]))
                continue;
            ct_expr by = ct_expr_div(p, h->factor[r * n + c], h->factor[best * n + c]);
            for (uint32_t j = c; j < n; j++)
                h->factor[r * n + j] = ct_expr_sub(p, h->factor[r * n + j],
                                                   ct_expr_mul(p, by, h->factor[best * n + j]));
            h->rest[r] = ct_expr_sub(p, h->rest[r], ct_expr_mul(p, by, h->rest[best]));
        }
    }
    return true;
}

static bool split(const ct_machine *m, holding *h, const ct_name *symbol, const ct_expr *zero)
{
    for (uint32_t i = 0; i < h->rows; i++) {
        for (uint32_t k = 0; k < h->count; k++) {
            ct_expr factor = ct_partial(m, h->row[i], symbol[k]);
            h->factor[i * h->count + k] = factor;
            for (uint32_t j = 0; j < h->count; j++)
                if (ct_expr_has(m->pool, factor, symbol[j]))
                    return false;
        }
        h->rest[i] = ct_expr_substitute(m->pool, h->row[i], symbol, zero, h->count);
    }
    return true;
}

/* What is held must not jump: it is made of x. */
static bool reads_algebraic(const ct_machine *m, ct_expr e)
{
    for (uint32_t i = 0; i < m->m; i++)
        if (ct_expr_has(m->pool, e, m->z[m->n + i]))
            return true;
    return false;
}

static holding list_rows(const ct_machine *m, const ct_expr *f, const ct_expr *kept, uint32_t count)
{
    holding h = {.rows = count + m->m, .count = count};
    h.row = CT_NEW_ARRAY(m->arena, ct_expr, h.rows + 1);
    h.rest = CT_NEW_ARRAY(m->arena, ct_expr, h.rows + 1);
    h.factor = CT_NEW_ARRAY(m->arena, ct_expr, (size_t)h.rows * count + 1);
    h.pivot = CT_NEW_ARRAY(m->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < h.rows; i++)
        h.row[i] = i < count ? ct_rate_along(m, kept[i], f) : f[m->n + i - count];
    return h;
}

bool ct_find_forces(const ct_machine *m, ct_expr *f, const ct_expr *kept, const ct_name *symbol,
                    uint32_t count, ct_expr *value)
{
    ct_expr *zero = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        zero[i] = ct_expr_int(m->pool, 0);
        if (reads_algebraic(m, kept[i]))
            return false;
    }
    holding h = list_rows(m, f, kept, count);
    if (!split(m, &h, symbol, zero) || !eliminate(m, &h))
        return false;
    for (uint32_t c = 0, free = 0; c < count; c++) {
        uint32_t row = h.pivot[c];
        value[c] =
            ct_expr_neg(m->pool, ct_expr_div(m->pool, h.rest[row], h.factor[row * count + c]));
        if (row < count)
            continue;
        while (is_pivot(&h, free, count))
            free++;
        f[m->n + row - count] = h.row[free++];
    }
    return true;
}

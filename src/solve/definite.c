/* definite.c - see definite.h. */
#include "solve/definite.h"

#include <math.h>

#include "solve/ldl.h"

static const double rounding = 1e-13; /* sums of the same numbers in another order */

struct ct_definite {
    uint32_t n, count;
    uint32_t *twin; /* per entry: the one on the other side of the diagonal */
    ct_ldl *ldl;
    ct_ldl_factor *factor;
};

/* Rows of a column ascend, and columns are gone through in order: so are the twins of a column. */
static void find_twins(ct_definite *s, ct_arena *arena, const int *start, const int *row)
{
    int *next = CT_NEW_ARRAY(arena, int, s->n + 1);
    s->twin = CT_NEW_ARRAY(arena, uint32_t, s->count + 1);
    for (uint32_t j = 0; j < s->n; j++)
        next[j] = start[j];
    for (uint32_t j = 0; j < s->n; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            s->twin[k] = (uint32_t)next[row[k]]++;
    ct_arena_release(arena, next, (s->n + 1) * sizeof *next);
}

/* Do rows of each column ascend? */
static bool ascends(uint32_t n, const int *start, const int *row)
{
    for (uint32_t j = 0; j < n; j++)
        for (int k = start[j] + 1; k < start[j + 1]; k++)
            if (row[k - 1] >= row[k])
                return false;
    return true;
}

ct_definite *ct_definite_new(ct_arena *arena, uint32_t n, const int *start, const int *row)
{
    ct_ldl *ldl = ascends(n, start, row) ? ct_ldl_new(arena, n, start, row) : NULL;
    if (!ldl)
        return NULL;
    ct_definite *s = CT_NEW(arena, ct_definite);
    *s = (ct_definite){.n = n, .count = (uint32_t)start[n], .ldl = ldl};
    find_twins(s, arena, start, row);
    s->factor = ct_ldl_factor_new(arena, ldl, false);
    return s;
}

static bool is_symmetric(const ct_definite *s, const double *value)
{
    for (uint32_t k = 0; k < s->count; k++) {
        double other = value[s->twin[k]];
        if (!(fabs(value[k] - other) <= rounding * fabs(other)))
            return false;
    }
    return true;
}

bool ct_definite_factor(ct_definite *s, const double *value)
{
    if (!is_symmetric(s, value) || !ct_ldl_real(s->ldl, 0, value, value, s->factor))
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (!(s->factor->d[i] > 0))
            return false;
    return true;
}

void ct_definite_solve(ct_definite *s, double *b)
{
    ct_ldl_solve_real(s->ldl, s->factor, b);
}

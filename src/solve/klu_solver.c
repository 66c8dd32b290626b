/* klu_solver.c - large sparse systems by KLU.
 *
 * The analysis (block triangular form, fill-reducing order) is made once. A new matrix is factored
 * with the pivots of the one before, which is several times cheaper; when the entries of U grow
 * much more than they did under fresh pivots, the pivots are chosen anew.
 */
#include "solve/linear.h"

#include <math.h>

#include "solve/lu.h"
#include "solve/order.h"
#include "solve/definite.h"

/* Old pivots are kept while the reciprocal pivot growth and the ratio of pivots are at least these
 * parts of the fresh ones: growth alone misses pivots that have become small together. */
static const double growth_allowed = 1e-3, ratio_allowed = 1e-5;

static ct_solve_status klu_status(ct_linear *l)
{
    if (l->common.status == KLU_OUT_OF_MEMORY || l->common.status == KLU_TOO_LARGE)
        return CT_NO_MEMORY_LEFT;
    if (l->common.singular_col >= 0 && l->common.singular_col < (int)l->n)
        l->singular_at = (uint32_t)l->common.singular_col;
    return CT_SINGULAR;
}

static bool all_finite(const double *value, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += value[k] * 0;
    return sum == 0;
}

/* A full diagonal (networks by nodes) needs no row permutation; the order for a block triangular
 * form would only spoil the symmetry of its pattern. */
static bool has_diagonal(const ct_linear *l)
{
    uint32_t found = 0;
    for (uint32_t j = 0; j < l->n; j++)
        for (int k = l->start[j]; k < l->start[j + 1]; k++)
            found += l->row[k] == (int)j;
    return found == l->n;
}

static void analyze_network(ct_linear *l)
{
    ct_arena *own = ct_arena_new(ct_arena_context(l->arena));
    int *order = CT_NEW_ARRAY(own, int, l->n + 1);
    if (ct_elimination_order(ct_arena_context(l->arena), l->n, l->start, l->row, order))
        l->symbolic = klu_analyze_given((int)l->n, l->start, l->row, order, order, &l->common);
    else
        l->common.status = KLU_OUT_OF_MEMORY;
    ct_arena_free(own);
}

static bool analyze(ct_linear *l)
{
    if (l->symbolic)
        return true;
    l->common.scale = 2; /* rows by their largest entry */
    l->common.btf = !has_diagonal(l);
    if (l->common.btf)
        l->symbolic = klu_analyze((int)l->n, l->start, l->row, &l->common);
    else
        analyze_network(l);
    return l->symbolic != NULL;
}

static double pivot_growth(ct_linear *l)
{
    if (l->lu)
        return ct_lu_growth(l->lu);
    if (!klu_rgrowth(l->start, l->row, l->value, l->symbolic, l->numeric, &l->common))
        return 0;
    return l->common.rgrowth;
}

static double pivot_ratio(ct_linear *l)
{
    if (l->lu)
        return ct_lu_pivot_ratio(l->lu);
    klu_rcond(l->symbolic, l->numeric, &l->common);
    return l->common.rcond;
}

static bool refactor_values(ct_linear *l)
{
    if (l->lu)
        return ct_lu_factor(l->lu, l->value);
    return klu_refactor(l->start, l->row, l->value, l->symbolic, l->numeric, &l->common) &&
           l->common.status == KLU_OK;
}

static bool takes_factors(const ct_linear *l)
{
    return (l->trusted || l->often) && l->symbolic->nblocks == 1;
}

/* Callers that see by themselves when a solution is bad have few of them looked at. */
static bool refactor(ct_linear *l)
{
    bool known = l->lu || (l->numeric && !takes_factors(l));
    if (!known || l->fresh || !refactor_values(l))
        return false;
    if (l->unseen++ < l->trusted)
        return true;
    l->unseen = 0;
    return pivot_growth(l) >= growth_allowed * l->growth &&
           pivot_ratio(l) >= ratio_allowed * l->fresh_ratio;
}

/* The factors of KLU go where they are computed again in part. As a rule pivots are those that they
 * were: what has been made for them stays. */
static bool take_factors(ct_linear *l)
{
    if (l->lu && !ct_lu_renew(l->lu, l)) {
        ct_lu_free(l->lu);
        l->lu = NULL;
    }
    l->lu = l->lu ? l->lu : ct_lu_new(l);
    if (!l->lu)
        return false;
    klu_free_numeric(&l->numeric, &l->common);
    return ct_lu_factor(l->lu, l->value);
}

static bool factor_fresh(ct_linear *l)
{
    if (l->numeric)
        klu_free_numeric(&l->numeric, &l->common);
    l->numeric = klu_factor(l->start, l->row, l->value, l->symbolic, &l->common);
    bool good = l->numeric && l->common.status == KLU_OK;
    if (!good || !takes_factors(l)) {
        ct_lu_free(l->lu);
        l->lu = NULL;
    }
    if (!good || (takes_factors(l) && !take_factors(l)))
        return false;
    l->growth = pivot_growth(l);
    l->fresh_ratio = pivot_ratio(l);
    l->fresh = false;
    return true;
}

/* Matrices that are dear are looked at once; those that are not symmetric some time are left. */
static bool factor_symmetric(ct_linear *l)
{
    const double dear = 15; /* solutions */
    l->by_symmetric = false;
    if (!l->lu || ct_lu_is_focused(l->lu) || l->fresh || ct_lu_work(l->lu) < dear)
        return false;
    if (!l->symmetric && !l->asymmetric) {
        l->symmetric = ct_definite_new(l->arena, l->n, l->start, l->row);
        l->asymmetric = !l->symmetric;
    }
    if (l->asymmetric)
        return false;
    l->by_symmetric = ct_definite_factor(l->symmetric, l->value);
    l->asymmetric = !l->by_symmetric;
    return l->by_symmetric;
}

ct_solve_status ct_klu_factor(ct_linear *linear)
{
    /* with factors of its own it sees what is not finite */
    if (!linear->lu && !all_finite(linear->value, linear->count))
        return CT_NOT_FINITE;
    if (!analyze(linear))
        return klu_status(linear);
    linear->pivot_ratio = linear->fresh_ratio;
    if (factor_symmetric(linear))
        return CT_SOLVED;
    if (!refactor(linear)) {
        if (ct_linear_is_focused(linear))
            return CT_SINGULAR; /* fresh pivots need all values */
        if (linear->lu && !all_finite(linear->value, linear->count))
            return CT_NOT_FINITE;
        if (!factor_fresh(linear))
            return klu_status(linear);
    }
    linear->pivot_ratio = linear->lu ? linear->fresh_ratio : linear->common.rcond;
    return CT_SOLVED;
}

void ct_klu_solve(ct_linear *linear, double *b)
{
    if (linear->by_symmetric)
        ct_definite_solve(linear->symmetric, b);
    else if (linear->lu)
        ct_lu_solve(linear->lu, b);
    else
        klu_solve(linear->symbolic, linear->numeric, (int)linear->n, 1, b, &linear->common);
}

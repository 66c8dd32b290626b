/* consistent.c - all variables from the states: storage is held, its rates are unknowns.
 *
 * The matrix is regular if and only if the states are free and determine everything (index one), so
 * that its factorization is the test of that, too.
 */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

void ct_columns_times(const columns *c, const double *m, double by, const double *x, double *y)
{
    for (uint32_t j = 0; j < c->count; j++)
        for (int k = c->start[j]; x[j] != 0 && k < c->start[j + 1]; k++)
            y[c->row[k]] += by * m[k] * x[j];
}

/* Units of the unknowns, such as newtons beside metres, must not look like a singular matrix.
 * Powers of two: nothing is rounded. */
static double *scale_columns(ct_arena *arena, const columns *z)
{
    double *scale = CT_NEW_ARRAY(arena, double, z->count + 1);
    for (uint32_t j = 0; j < z->count; j++) {
        double most = 0;
        for (int k = z->start[j]; k < z->start[j + 1]; k++)
            most = fmax(most, fabs(z->a[k]));
        scale[j] = most > 0 && isfinite(most) ? exp2(-ilogb(most)) : 1;
        for (int k = z->start[j]; k < z->start[j + 1]; k++)
            z->a[k] *= scale[j];
    }
    return scale;
}

bool ct_net_is_regular(net *n)
{
    columns z;
    ct_net_assemble(n, true, &z, &n->held);
    n->augmented_scale = scale_columns(n->arena, &z);
    n->right = CT_NEW_ARRAY(n->arena, double, z.count + n->held.count + 1);
    n->augmented = ct_pencil_plain(n->arena, z.count, z.start, z.row, z.e, z.a);
    n->augmented_factor = ct_factor_new(n->augmented, false);
    return ct_factor_make(n->augmented_factor, (ct_complex){0, 0}) == CT_SOLVED;
}

static bool is_zero(const double *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* Does nothing drive the network, and is nothing stored? Positive networks are then at rest, with
 * all potentials zero. A source that drives capacitors alone shows in what these would store. */
static bool is_at_rest(net *n, const double *x, const double *u, const double *zero)
{
    for (uint32_t j = 0; j < n->u.count; j++)
        for (int k = n->u.start[j]; u[j] != 0 && k < n->u.start[j + 1]; k++)
            if (n->u.a[k] != 0)
                return false;
    if (!n->definite || !is_zero(x, n->state.count))
        return false;
    double *stored = CT_NEW_ARRAY(n->arena, double, n->state.count + 1);
    ct_net_states(n, zero, u, stored);
    bool empty = is_zero(stored, n->state.count);
    ct_arena_release(n->arena, stored, (n->state.count + 1) * sizeof *stored);
    return empty;
}

bool ct_net_consistent(net *n, const double *x, const double *u, double *z, double *rate)
{
    uint32_t states = n->state.count, size = n->n + states;
    memset(z, 0, n->n * sizeof *z);
    memset(rate, 0, states * sizeof *rate);
    if (!n->augmented && is_at_rest(n, x, u, z))
        return true;
    if (!n->augmented && !ct_net_is_regular(n))
        return false;
    double *known = n->right + size;
    memcpy(known, u, (1 + n->wave.count) * sizeof *u);
    memcpy(known + 1 + n->wave.count, x, states * sizeof *x);
    memset(n->right, 0, size * sizeof *n->right);
    ct_columns_times(&n->held, n->held.a, -1, known, n->right);
    ct_factor_solve(n->augmented_factor, n->right);
    for (uint32_t i = 0; i < size; i++)
        n->right[i] *= n->augmented_scale[i];
    memcpy(z, n->right, n->n * sizeof *z);
    memcpy(rate, n->right + n->n, states * sizeof *rate);
    for (uint32_t i = 0; i < size; i++)
        if (!isfinite(n->right[i]))
            return false;
    return true;
}

void ct_net_release(net *n)
{
    if (!n)
        return;
    if (n->laws)
        ct_linear_free(n->laws->linear);
    ct_factor_free(n->augmented_factor);
    ct_factor_free(n->steady);
    ct_pencil_free(n->augmented);
    ct_pencil_free(n->pencil);
    ct_pencil_free(n->rest);
    n->augmented_factor = n->steady = NULL;
    n->augmented = n->pencil = n->rest = NULL;
}

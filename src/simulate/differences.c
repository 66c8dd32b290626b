/* differences.c - Jacobians by central differences, where symbolic ones would be too large.
 *
 * The acceleration of one body of a chain depends on all others, through one long computation;
 * symbolic derivatives would repeat that computation for every column.
 */
#include <float.h>
#include <math.h>

#include "simulate/machine.h"

static const uint64_t most_work = 400000; /* nodes times columns */

static void count_node(void *user, ct_expr e)
{
    (void)e;
    ++*(uint64_t *)user;
}

bool ct_prefers_differences(const ct_machine *m)
{
    uint32_t size = m->n + m->m;
    if (!m->reduced->system->mechanics || size < 24)
        return false;
    uint64_t nodes = 0;
    ct_expr_walk(m->pool, m->fg, size, count_node, &nodes);
    return nodes * size > most_work;
}

const ct_jacobian *ct_full_pattern(const ct_machine *m)
{
    uint32_t size = m->n + m->m;
    ct_jacobian *j = CT_NEW(m->arena, ct_jacobian);
    uint32_t *start = CT_NEW_ARRAY(m->arena, uint32_t, size + 1);
    uint32_t *row = CT_NEW_ARRAY(m->arena, uint32_t, (size_t)size * size);
    for (uint32_t k = 0; k < size; k++) {
        start[k + 1] = start[k] + size;
        for (uint32_t i = 0; i < size; i++)
            row[start[k] + i] = i;
    }
    *j =
        (ct_jacobian){.rows = size, .cols = size, .count = size * size, .start = start, .row = row};
    return j;
}

void ct_differences(const ct_rig *rig, const ct_problem *p, double t, const double *z,
                    double *value)
{
    uint32_t size = p->n + p->m;
    double *at = rig->shifted, *low = rig->shifted + size;
    for (uint32_t k = 0; k < size; k++)
        at[k] = z[k];
    for (uint32_t k = 0; k < size; k++, value += size) {
        double h = cbrt(DBL_EPSILON) * fmax(fabs(z[k]), 1e-3);
        at[k] = z[k] - h;
        p->evaluate(p->user, t, at, low);
        at[k] = z[k] + h;
        p->evaluate(p->user, t, at, value);
        for (uint32_t i = 0; i < size; i++)
            value[i] = (value[i] - low[i]) / (2 * h);
        at[k] = z[k];
    }
}

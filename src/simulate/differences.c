/* differences.c - Jacobians by central differences, where symbolic ones would be too large.
 *
 * The acceleration of one body of a chain depends on all others, through one long computation;
 * symbolic derivatives would repeat that computation for every column.
 */
#include <float.h>
#include <math.h>

#include "simulate/machine.h"

static const uint64_t most_work = 10000; /* nodes times columns; beyond, derivation would wait */

static void count_node(void *user, ct_expr e)
{
    (void)e;
    ++*(uint64_t *)user;
}

bool ct_prefers_differences(const ct_machine *m)
{
    uint32_t size = m->n + m->m;
    if (!m->reduced->system->mechanics || m->m || size < 12)
        return false;
    uint64_t nodes = 0;
    ct_expr_walk(m->pool, m->fg, size, count_node, &nodes);
    return nodes * size > most_work;
}

void ct_full_pattern(void *user)
{
    ct_rig *rig = user;
    uint32_t size = rig->machine->n + rig->machine->m;
    uint32_t *start = CT_NEW_ARRAY(rig->arena, uint32_t, size + 1);
    uint32_t *row = CT_NEW_ARRAY(rig->arena, uint32_t, (size_t)size * size);
    for (uint32_t k = 0; k < size; k++) {
        start[k + 1] = start[k] + size;
        for (uint32_t i = 0; i < size; i++)
            row[start[k] + i] = i;
    }
    rig->free.start = rig->held.start = start;
    rig->free.row = rig->held.row = row;
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

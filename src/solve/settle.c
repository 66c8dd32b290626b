/* settle.c - equations with conditions: on which side each one lies is part of the solution. */
#include "solve/newton.h"

#include <math.h>

enum { MOST_ROUNDS = 20 };

static int side(double value)
{
    return (value > 0) - (value < 0);
}

bool ct_sides_differ(uint32_t count, const double *a, const double *b)
{
    for (uint32_t i = 0; i < count; i++) /* most have not changed at all */
        if (a[i] != b[i] && !isnan(a[i]) && side(a[i]) != side(b[i]))
            return true;
    return false;
}

/* Does a condition that the equations hold lie elsewhere now? */
static bool equations_differ(const ct_settle *settle)
{
    const ct_problem *p = settle->problem;
    for (uint32_t i = 0; i < p->root_count; i++)
        if (side(settle->before[i]) != side(settle->after[i]) && !(p->watched && p->watched[i]))
            return true;
    return false;
}

ct_solve_status ct_settle_sides(const ct_settle *settle, double t, double *z)
{
    const ct_problem *p = settle->problem;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (p->hold)
            p->hold(p->user, t, z);
        if (p->root_count)
            p->roots(p->user, t, z, settle->before);
        ct_solve_status status = settle->solve(settle->user, t, z);
        if (status != CT_SOLVED || !p->root_count)
            return status;
        p->roots(p->user, t, z, settle->after);
        if (!equations_differ(settle))
            return CT_SOLVED;
    }
    return CT_NO_CONVERGENCE;
}

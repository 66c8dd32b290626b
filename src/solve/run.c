/* run.c - values and Jacobians for the methods, with counts and checks. */
#include "solve/run.h"

#include <math.h>

#include "solve/nvector.h"

double ct_run_inside(const ct_integration *run, double t)
{
    if (t < run->inside_first)
        return run->inside_first;
    return t > run->inside_last ? run->inside_last : t;
}

static bool is_finite(ct_integration *run, const double *fg)
{
    run->bad = UINT32_MAX;
    if (ct_all_finite(run->size, fg))
        return true;
    for (uint32_t i = 0; i < run->size && run->bad == UINT32_MAX; i++)
        if (!isfinite(fg[i]))
            run->bad = i;
    return false;
}

bool ct_run_evaluate(ct_integration *run, double t, const double *z, double *fg)
{
    run->stats->rhs_evals++;
    run->problem->evaluate(run->problem->user, ct_run_inside(run, t), z, fg);
    return is_finite(run, fg);
}

bool ct_run_linearise(ct_integration *run, double t, const double *z, double *fg, double *value,
                      double *drift)
{
    run->stats->rhs_evals++;
    run->stats->jac_evals++;
    run->problem->linearise(run->problem->user, ct_run_inside(run, t), z, fg, value, drift);
    return is_finite(run, fg) && is_finite(run, drift);
}

void ct_run_jacobian(ct_integration *run, double t, const double *z, double *value)
{
    run->stats->jac_evals++;
    run->problem->jacobian(run->problem->user, ct_run_inside(run, t), z, value);
}

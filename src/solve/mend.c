/* mend.c - the stiff part of a point between the steps of a method with a memory.
 *
 * Such a method gives a polynomial p with errors below the tolerance, which stiff parts multiply:
 * the rates f(t, p) are far off, and with them what outputs show of them. The slope p' is not. So
 * the point z is moved to where
 *
 *     f(t, z) = p' + c (x - p),    0 = g(t, z)
 *
 * with c about 2/h: a fast part follows p' then, a slow one keeps p. The matrix of the last step
 * serves for the iteration.
 */
#include "solve/mend.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/nvector.h"

enum { MOST_ITERATIONS = 10 };
static const double enough = 0.05; /* of the tolerance of rates */

ct_mender ct_mender_new(ct_integration *run)
{
    ct_mender m = {.most_rate = CT_NEW_ARRAY(run->arena, double, run->n),
                   .gap = CT_NEW_ARRAY(run->arena, double, run->size),
                   .from = CT_NEW_ARRAY(run->arena, double, run->size)};
    return m;
}

/* gap = (f - p' - c (x - p), g) at z; the largest gap of a rate in tolerances, INFINITY: none. */
static double find_gap(ct_mender *m, ct_integration *run, const ct_mend_def *def, const double *z)
{
    double most = 0;
    if (!ct_run_evaluate(run, def->t, z, m->gap))
        return INFINITY;
    for (uint32_t i = 0; i < run->n; i++) {
        m->gap[i] -= def->slope[i] + def->c * (z[i] - m->from[i]);
        double allowed = run->rtol * m->most_rate[i] + DBL_EPSILON * def->c * fabs(z[i]);
        most = fmax(most, fabs(m->gap[i]) / allowed);
    }
    return most;
}

void ct_mend(ct_mender *m, ct_integration *run, const ct_mend_def *def, double *z)
{
    double *gap = m->gap, last = INFINITY;
    memcpy(m->from, z, run->size * sizeof *z);
    for (uint32_t i = 0; i < run->n; i++)
        m->most_rate[i] = fmax(m->most_rate[i], fabs(def->slope[i]));
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        double now = find_gap(m, run, def, z);
        if (now <= enough)
            return;
        if (k > 1 && !(now < 0.5 * last)) /* rounding, or a matrix that has become too old */
            break;
        last = now;
        for (uint32_t i = 0; i < run->size; i++)
            gap[i] *= def->factor;
        ct_linear_solve(def->linear, gap);
        for (uint32_t i = 0; i < run->size; i++)
            z[i] += gap[i];
    }
    if (!ct_all_finite(run->size, z))
        memcpy(z, m->from, run->size * sizeof *z);
}

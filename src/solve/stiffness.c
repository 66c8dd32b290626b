/* stiffness.c - does a fast part that has died out hold the steps of an explicit method?
 *
 * Two points of a step at the same time tell it: lambda = |f(y1) - f(y2)| / |y1 - y2| estimates the
 * fastest rate of the system (Hairer and Wanner, Solving Ordinary Differential Equations II,
 * section IV.2). A step is stiff when h lambda is near the limit of stability, or when it is not
 * small though the solution itself changes much more slowly than lambda.
 */
#include "solve/stiffness.h"

#include <math.h>

enum { STIFF_STEPS = 15, CALM_STEPS = 6, WORTH_STEPS = 500 };
static const double fast_limit = 0.5, slow_share = 0.05; /* of h lambda; of its share in the rate */

double ct_fastest_rate(uint32_t n, const double *weight, const ct_slope_pair *near)
{
    double slope = 0, distance = 0;
    for (uint32_t i = 0; i < n; i++) {
        double w = weight[i], df = w * (near->f[1][i] - near->f[0][i]);
        double dy = w * (near->z[1][i] - near->z[0][i]);
        slope += df * df;
        distance += dy * dy;
    }
    return distance > 0 ? sqrt(slope / distance) : 0;
}

bool ct_step_is_stiff(uint32_t n, const double *weight, const ct_slope_pair *ends, double fast,
                      double limit)
{
    double change = 0, rate = 0;
    for (uint32_t i = 0; i < n; i++) {
        double w = weight[i], dk = w * (ends->f[1][i] - ends->f[0][i]);
        change += dk * dk;
        rate += w * ends->f[0][i] * (w * ends->f[0][i]);
    }
    return fast > limit || (fast > fast_limit && sqrt(change) < slow_share * fast * sqrt(rate));
}

void ct_stiffness_watch(ct_stiffness *stiffness, ct_stepper *s, bool stiff_step, double h)
{
    if (stiff_step) {
        stiffness->calm_count = 0;
        stiffness->stiff_count++;
    } else if (stiffness->stiff_count && ++stiffness->calm_count == CALM_STEPS) {
        stiffness->stiff_count = 0;
    }
    double left = s->run->def->stop - (s->run->origin + s->t);
    s->stiff = stiffness->stiff_count >= STIFF_STEPS && left / h > WORTH_STEPS;
}

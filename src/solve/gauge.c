/* gauge.c - errors of what rows show beyond z.
 *
 * Stiff parts follow the slow ones: their errors are tiny against their values, but not against
 * their rates, which is what outputs such as currents through small resistors show. So an error of
 * z counts by what it does to the outputs, each against its largest value so far. Rates that nobody
 * looks at cost nothing. What rounding of z does to an output is no error.
 */
#include "solve/gauge.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PATTERNS = 3 };
static const double share = 4; /* in tolerances of the user: these errors do not add up */
static const double rounding = 64 * DBL_EPSILON;

ct_gauge ct_gauge_new(ct_integration *run)
{
    uint32_t count = run->problem->shown_count;
    ct_gauge g = {.count = count,
                  .here = CT_NEW_ARRAY(run->arena, double, count),
                  .there = CT_NEW_ARRAY(run->arena, double, count),
                  .off = CT_NEW_ARRAY(run->arena, double, count),
                  .noise = CT_NEW_ARRAY(run->arena, double, count),
                  .most = CT_NEW_ARRAY(run->arena, double, count),
                  .near = CT_NEW_ARRAY(run->arena, double, count ? run->size : 0)};
    return g;
}

static void show(ct_integration *run, double t, const double *z, double *value)
{
    run->problem->shown(run->problem->user, ct_run_inside(run, t), z, value);
}

/* Between -1 and 1, another for each i and pattern. */
static double some_number(uint32_t i, uint32_t pattern)
{
    uint32_t h = (i + 1) * 2654435761u ^ (pattern + 1) * 2246822519u;
    h = (h ^ h >> 15) * 2246822519u;
    h ^= h >> 13;
    return (double)h / 2147483648.0 - 1;
}

/* What rounding of z alone does to each: with several patterns, lest it cancels. */
static void find_noise(ct_gauge *g, ct_integration *run, double t, const double *z)
{
    memset(g->noise, 0, g->count * sizeof *g->noise);
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        for (uint32_t i = 0; i < run->size; i++)
            g->near[i] = z[i] * (1 + rounding * some_number(i, pattern));
        show(run, t, g->near, g->there);
        for (uint32_t k = 0; k < g->count; k++)
            g->noise[k] = fmax(g->noise[k], fabs(g->there[k] - g->here[k]));
    }
}

static double allowed(const ct_gauge *g, const ct_integration *run, uint32_t k)
{
    return share * run->def->rtol * fmax(g->most[k], fabs(g->here[k])) + DBL_MIN;
}

double ct_gauge_error(ct_gauge *g, ct_integration *run, double t, const double *z,
                      const double *error)
{
    double most = 0, *off = g->off;
    if (!g->count)
        return 0;
    for (uint32_t i = 0; i < run->size; i++)
        g->near[i] = z[i] + error[i];
    show(run, t, z, g->here);
    show(run, t, g->near, off);
    for (uint32_t k = 0; k < g->count; k++) {
        off[k] = isfinite(off[k] - g->here[k]) ? fabs(off[k] - g->here[k]) : 0;
        most = fmax(most, off[k] / allowed(g, run, k));
    }
    if (most <= 1)
        return most;
    most = 0;
    find_noise(g, run, t, z);
    for (uint32_t k = 0; k < g->count; k++)
        most = fmax(most, off[k] / (allowed(g, run, k) + g->noise[k]));
    return most;
}

void ct_gauge_note(ct_gauge *g)
{
    for (uint32_t k = 0; k < g->count; k++)
        if (isfinite(g->here[k]))
            g->most[k] = fmax(g->most[k], fabs(g->here[k]));
}

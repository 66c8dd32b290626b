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
/* Of methods with a memory: what an error of many steps may be, in shares; how fast the share of
 * their tolerances changes. */
static const double remembered = 0.05, fall = 0.3, rise = 1.05;

void ct_gauge_open(ct_gauge *g, ct_arena *arena)
{
    double **need[] = {&g->here, &g->there, &g->off, &g->noise, &g->most};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(arena, double, g->count);
    g->near = CT_NEW_ARRAY(arena, double, g->count ? g->size : 0);
}

static void show_unknowns(void *user, double t, const double *z, double *value)
{
    const ct_integration *run = user;
    run->problem->shown(run->problem->user, ct_run_inside(run, t), z, value);
}

ct_gauge ct_gauge_of(ct_integration *run)
{
    ct_gauge g = {.user = run,
                  .show = show_unknowns,
                  .count = run->problem->shown_count,
                  .size = run->size,
                  .rtol = run->def->rtol};
    ct_gauge_open(&g, run->arena);
    return g;
}

double ct_gauge_pattern(uint32_t i, uint32_t pattern)
{
    uint32_t h = (i + 1) * 2654435761u ^ (pattern + 1) * 2246822519u;
    h = (h ^ h >> 15) * 2246822519u;
    h ^= h >> 13;
    return (double)h / 2147483648.0 - 1;
}

/* What rounding of z alone does to each: with several patterns, lest it cancels. */
static void find_noise(ct_gauge *g, double t, const double *z)
{
    memset(g->noise, 0, g->count * sizeof *g->noise);
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        for (uint32_t i = 0; i < g->size; i++)
            g->near[i] = z[i] * (1 + rounding * ct_gauge_pattern(i, pattern));
        g->show(g->user, t, g->near, g->there);
        for (uint32_t k = 0; k < g->count; k++)
            g->noise[k] = fmax(g->noise[k], fabs(g->there[k] - g->here[k]));
    }
}

static double allowed(const ct_gauge *g, uint32_t k)
{
    return share * g->rtol * fmax(g->most[k], fabs(g->here[k])) + DBL_MIN;
}

double ct_gauge_error(ct_gauge *g, double t, const double *z, const double *error)
{
    double most = 0, *off = g->off;
    if (!g->count)
        return 0;
    for (uint32_t i = 0; i < g->size; i++)
        g->near[i] = z[i] + error[i];
    g->show(g->user, t, z, g->here);
    g->show(g->user, t, g->near, off);
    for (uint32_t k = 0; k < g->count; k++) {
        off[k] = isfinite(off[k] - g->here[k]) ? fabs(off[k] - g->here[k]) : 0;
        most = fmax(most, off[k] / allowed(g, k));
    }
    if (most <= 1)
        return most;
    most = 0;
    find_noise(g, t, z);
    for (uint32_t k = 0; k < g->count; k++)
        most = fmax(most, off[k] / (allowed(g, k) + g->noise[k]));
    return most;
}

void ct_gauge_note(ct_gauge *g)
{
    for (uint32_t k = 0; k < g->count; k++)
        if (isfinite(g->here[k]))
            g->most[k] = fmax(g->most[k], fabs(g->here[k]));
}

double ct_gauge_share(double shown, double share_now, double least)
{
    double change = shown > remembered ? fmax(fall, remembered / shown) : rise;
    return fmin(1, fmax(least, share_now * change));
}

/* event.c - locating the changes of sign of conditions on the dense output. */
#include "solve/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PROBES = 400, PARTS = 2 };

static int side(double value)
{
    return (value > 0) - (value < 0);
}

static bool changed(const ct_driver *d, const double *value)
{
    return ct_sides_differ(d->run.problem->root_count, d->root_before, value);
}

static void condition_values(ct_driver *d, double t, const double *z, double *value)
{
    const ct_problem *p = d->run.problem;
    p->roots(p->user, ct_run_inside(&d->run, t), z, value);
}

/* At a kink that was just located rounding decides the side, and it would be located over and
 * over: the first step tells. */
void ct_event_begin(ct_driver *d)
{
    uint32_t count = d->run.problem->root_count;
    if (count)
        condition_values(d, d->t, d->z, d->root_before);
    for (uint32_t i = 0; i < count; i++) {
        if (d->passed[i])
            d->root_before[i] = NAN;
        d->passed[i] = false;
    }
}

static void note_passed(ct_driver *d)
{
    const bool *watched = d->run.problem->watched;
    for (uint32_t i = 0; watched && i < d->run.problem->root_count; i++)
        d->passed[i] = watched[i] && side(d->root_before[i]) != side(d->root_after[i]);
}

bool ct_event_behind(ct_driver *d, double t, const double *z)
{
    condition_values(d, t, z, d->root_probe);
    return changed(d, d->root_probe);
}

static void values_between(ct_driver *d, double t, double *value)
{
    d->current->at(d->current, t, d->point);
    condition_values(d, t, d->point, value);
}

/* Where the first of the changing conditions would vanish were it linear. The point is moved twice
 * as far from the nearer end, so that it probably lies beyond the change and both ends close in. */
static double guess(const ct_driver *d, double low, double high, double resolution)
{
    double least = 1;
    for (uint32_t i = 0; i < d->run.problem->root_count; i++) {
        double a = fabs(d->root_before[i]), b = fabs(d->root_after[i]);
        if (side(d->root_before[i]) != side(d->root_after[i]) && a / (a + b) < least)
            least = a / (a + b);
    }
    double from_low = 2 * least * (high - low), from_high = 2 * (1 - least) * (high - low);
    if (least < 0.5)
        return low + fmax(from_low, resolution);
    return high - fmax(from_high, resolution);
}

/* Narrows (low, high], where sides differ between root_before and root_after, to rounding. */
static double narrow(ct_driver *d, double low, double high)
{
    size_t bytes = d->run.problem->root_count * sizeof(double);
    for (int probe = 0; probe < MOST_PROBES; probe++) {
        double resolution = 2 * DBL_EPSILON * fmax(fabs(low), fabs(high));
        if (high - low <= 2 * resolution)
            break;
        double t = probe % 3 == 2 ? low + (high - low) / 2 : guess(d, low, high, resolution);
        if (!(t > low && t < high))
            t = low + (high - low) / 2;
        if (!(t > low && t < high))
            break;
        values_between(d, t, d->root_probe);
        bool beyond = changed(d, d->root_probe);
        memcpy(beyond ? d->root_after : d->root_before, d->root_probe, bytes);
        *(beyond ? &high : &low) = t;
    }
    note_passed(d);
    return high;
}

/* Looks within the step, too: that sees most pairs of changes in one step. */
bool ct_event_find(ct_driver *d, double *when)
{
    ct_stepper *s = d->current;
    uint32_t count = d->run.problem->root_count;
    double from = s->before, part = (s->t - s->before) / PARTS;
    for (int k = 1; count && k <= PARTS; k++) {
        double to = k < PARTS ? s->before + k * part : s->t;
        if (k < PARTS)
            values_between(d, to, d->root_after);
        else
            condition_values(d, to, s->z, d->root_after);
        if (changed(d, d->root_after)) {
            *when = narrow(d, from, to);
            return true;
        }
        memcpy(d->root_before, d->root_after, count * sizeof *d->root_after);
        from = to;
    }
    return false;
}

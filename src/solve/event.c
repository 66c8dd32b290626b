/* event.c - locating the changes of sign of conditions on the dense output. */
#include "solve/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PROBES = 400, MOST_SECANTS = 20, MOST_PARABOLAS = 3 };
static const double grown = 1.2;          /* a step is longer than the last one */
static const double harmless = 0.5;       /* error at a soft kink, in tolerances */
static const double off_begin = 1.0 / 64; /* of an interval */
static const double near_by = 0.01;       /* of a window: how far its quartic errs */
static const double farthest_move = 8;    /* of that */
static const double near_enough = 1e-5;   /* of a step: where a soft kink is */
static const double fine = 1e-3;          /* of a step: digits below its rounding are none */

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

/* What leaps or falls may be back sooner than a long first step tells apart, but not much sooner
 * than it has come; what begins at zero may be anywhere at once. */
static double first_end(const ct_driver *d)
{
    const double longer = 1000, at_once = 1e-6; /* than the last stretch; of the run */
    double end = longer * d->flight;
    for (uint32_t i = 0; i < d->run.problem->root_count; i++)
        if (isinf(d->flight) && fabs(d->root_before[i]) <= DBL_MIN)
            end = at_once * d->run.span;
    return end;
}

/* At a kink that was just located rounding decides the side, and it would be located over and
 * over: the first step tells. So it does of one that begins at zero. What must stay positive is so
 * at the begin: a break may lie where it passes zero. */
void ct_event_begin(ct_driver *d)
{
    uint32_t count = d->run.problem->root_count;
    const bool *watched = d->run.problem->watched, *lasting = d->run.problem->lasting;
    if (count)
        condition_values(d, d->since, d->z, d->root_before);
    d->first = first_end(d);
    for (uint32_t i = 0; i < count; i++) {
        if (d->passed[i] || (watched && watched[i] && d->root_before[i] == 0))
            d->root_before[i] = NAN;
        if (lasting && lasting[i] && d->root_before[i] <= 0)
            d->root_before[i] = DBL_MIN;
        d->passed[i] = false;
    }
}

static void note_passed(ct_driver *d)
{
    const bool *watched = d->run.problem->watched;
    const bool *soft = d->run.problem->soft;
    const bool *ends = d->run.problem->ends;
    d->soft_event = soft != NULL;
    d->ends = 0;
    for (uint32_t i = 0; ends && i < d->run.problem->root_count && !d->ends; i++)
        if (ends[i] && !isnan(d->root_before[i]) &&
            side(d->root_before[i]) != side(d->root_after[i]))
            d->ends = i + 1;
    for (uint32_t i = 0; watched && i < d->run.problem->root_count; i++) {
        bool differs = side(d->root_before[i]) != side(d->root_after[i]);
        d->passed[i] = watched[i] && differs;
        if (soft && !soft[i] && differs && !isnan(d->root_before[i]))
            d->soft_event = false;
    }
}

bool ct_event_behind(ct_driver *d, double t, const double *z)
{
    condition_values(d, t, z, d->root_probe);
    for (uint32_t i = 0; i < d->run.problem->root_count; i++) {
        int from = side(d->root_before[i]), to = side(d->root_after[i]);
        int now = side(d->root_probe[i]);
        if (!isnan(d->root_before[i]) && from != to && now != from && (now == to || !to))
            return true;
    }
    return false;
}

static void rough_values(ct_driver *d, double t, double *value)
{
    ct_stepper *s = d->current;
    (s->rough ? s->rough : s->at)(s, t, d->point);
    condition_values(d, t, d->point, value);
}

static void values_between(ct_driver *d, double t, double *value)
{
    d->current->at(d->current, t, d->point);
    condition_values(d, t, d->point, value);
}

/* Where the first of the changing conditions would vanish were it linear. The point is moved twice
 * as far from the nearer end, so that it probably lies beyond the change and both ends close in.
 * fresh: an event may have been at low, where a condition is but rounding, and tells nothing. */
static double guess(const ct_driver *d, double low, double high, double resolution, bool fresh)
{
    double least = 1;
    for (uint32_t i = 0; i < d->run.problem->root_count; i++) {
        double a = fabs(d->root_before[i]), b = fabs(d->root_after[i]);
        if (side(d->root_before[i]) != side(d->root_after[i]) && a / (a + b) < least)
            least = a / (a + b);
    }
    double from_low = 2 * least * (high - low), from_high = 2 * (1 - least) * (high - low);
    if (least < 0.5)
        return low + fmax(from_low, fresh ? off_begin * (high - low) : resolution);
    return high - fmax(from_high, resolution);
}

/* root_before = root_probe, but for what is not to be known. */
static void keep_known(ct_driver *d)
{
    for (uint32_t i = 0; i < d->run.problem->root_count; i++)
        if (!isnan(d->root_before[i]))
            d->root_before[i] = d->root_probe[i];
}

/* Narrows (low, high], where sides differ between root_before and root_after, to rounding. */
static double narrow(ct_driver *d, double low, double high)
{
    size_t bytes = d->run.problem->root_count * sizeof(double);
    double begin = low;
    for (int probe = 0; probe < MOST_PROBES; probe++) {
        double resolution =
            2 * DBL_EPSILON * fmax(high, fine * (d->current->t - d->current->before));
        if (high - low <= 2 * resolution)
            break;
        double t =
            probe % 3 == 2 ? low + (high - low) / 2 : guess(d, low, high, resolution, low == begin);
        if (!(t > low && t < high))
            t = low + (high - low) / 2;
        if (!(t > low && t < high))
            break;
        values_between(d, t, d->root_probe);
        bool beyond = changed(d, d->root_probe);
        if (beyond)
            memcpy(d->root_after, d->root_probe, bytes);
        else
            keep_known(d);
        *(beyond ? &high : &low) = t;
    }
    note_passed(d);
    return high;
}

/* A restart of a method with a memory costs many steps: in large systems it passes soft kinks. */
static bool minds_kinks(const ct_driver *d)
{
    return d->current->kink || d->run.size <= CT_SMALL_SYSTEM;
}

static bool counts(const ct_driver *d)
{
    return d->hard_roots || (d->run.problem->root_count && minds_kinks(d));
}

/* Where condition i, with the values a and b at two times, vanishes on the step's polynomial:
 * secants, that of the end that stays halved. */
static double find_kink(ct_driver *d, uint32_t i, double from, double a, double to, double b)
{
    double enough = near_enough * (d->current->t - d->current->before), t = from, last = 0;
    for (int probe = 0; probe < MOST_SECANTS && to - from > enough; probe++) {
        double now =
            fmin(fmax(from + (to - from) * (a / (a - b)), from + enough / 3), to - enough / 3);
        rough_values(d, now, d->root_probe);
        double value = d->root_probe[i];
        bool beyond = side(value) != side(a);
        *(beyond ? &to : &from) = t = now;
        *(beyond ? &b : &a) = value;
        if (side(value) == side(last))
            *(beyond ? &a : &b) *= 0.5;
        last = value;
    }
    return t;
}

/* Soft kinks that do not matter are not located; none in a step that begins at one, so that each is
 * followed by a whole step. */
static void forget_harmless(ct_driver *d, double from, double to)
{
    ct_stepper *s = d->current;
    const bool *soft = d->run.problem->soft;
    bool crowd = ct_kinks_crowd(d, ct_time_of(d, to));
    for (uint32_t i = 0; soft && i < d->run.problem->root_count; i++) {
        double a = d->root_before[i], b = d->root_after[i];
        if (!soft[i] || isnan(a) || side(a) == side(b))
            continue;
        bool located = side(a) && side(b) && !d->at_kink && minds_kinks(d) && !crowd;
        if (!located || (s->kink && s->kink(s, find_kink(d, i, from, a, to, b)) <= harmless))
            d->root_before[i] = NAN;
    }
}

/* Pairs of changes hide in steps that have become longer. */
static int parts_of(ct_driver *d)
{
    double h = d->current->t - d->current->before;
    bool longer = h > grown * d->last_step;
    d->last_step = h;
    return longer ? CT_EVENT_PARTS : d->hard_roots ? 2 : 1;
}

static bool looks_closely(const ct_driver *d)
{
    return d->hard_roots && (d->run.size <= CT_SMALL_SYSTEM || d->run.problem->angle_count);
}

/* Values at the ends of the parts of a window, whose points are there. */
static void take_samples(ct_driver *d, double from, double to, int parts)
{
    uint32_t count = d->run.problem->root_count;
    memcpy(d->root_sample, d->root_before, count * sizeof *d->root_before);
    for (int k = 1; k <= parts; k++)
        condition_values(d, k < parts ? from + k * (to - from) / parts : to,
                         d->sample_point + (size_t)k * d->run.size,
                         d->root_sample + (size_t)k * count);
}

static bool same_sides(const double *sample)
{
    for (int k = 0; k <= CT_EVENT_PARTS; k++)
        if (!isfinite(sample[k]) || side(sample[k]) == 0 || side(sample[k]) != side(sample[0]))
            return false;
    return true;
}

static bool is_constant(const double *sample)
{
    bool same = true;
    for (int k = 1; k <= CT_EVENT_PARTS; k++)
        same &= sample[k] == sample[0];
    return same;
}

/* The quartic errs: from vertex to vertex of parabolas that become narrower. Where it ends is in
 * root_probe. */
static double look_around(ct_driver *d, uint32_t i, double t, double from, double to)
{
    double v[3] = {0, d->root_probe[i], 0}, reach = near_by * (to - from);
    int sign = side(v[1]);
    for (int round = 0; round < MOST_PARABOLAS && side(v[1]) == sign; round++, reach /= 4) {
        reach = fmin(reach, fmin(t - from, to - t) / 2);
        if (!(reach > 0))
            break;
        for (int k = 0; k < 3; k += 2) {
            rough_values(d, t + (k - 1) * reach, d->root_probe);
            v[k] = d->root_probe[i];
        }
        double bend = v[0] - 2 * v[1] + v[2], move = -(v[2] - v[0]) / (2 * bend);
        if (!(bend * sign > 0 && fabs(move) <= farthest_move))
            break;
        t = fmin(fmax(t + move * reach, from), to);
        rough_values(d, t, d->root_probe);
        v[1] = d->root_probe[i];
    }
    d->root_probe[i] = v[1];
    return t;
}

/* The first place inside of the window where a condition that has one sign at all samples has
 * another one; its end: none. */
static double find_hidden(ct_driver *d, double from, double to)
{
    const ct_problem *p = d->run.problem;
    double first = to, sample[CT_EVENT_PARTS + 1];
    for (uint32_t i = 0; i < p->root_count; i++) {
        if (p->soft && p->soft[i])
            continue;
        for (int k = 0; k <= CT_EVENT_PARTS; k++)
            sample[k] = d->root_sample[(size_t)k * p->root_count + i];
        if (is_constant(sample))
            continue;
        double at = same_sides(sample) ? ct_hidden_change(sample) : NAN;
        double t = from + at * (to - from);
        if (!(t > from && t < first))
            continue;
        rough_values(d, t, d->root_probe);
        if (i < p->turning_roots && side(d->root_probe[i]) == side(sample[0]))
            t = look_around(d, i, t, from, to);
        if (side(d->root_probe[i]) != side(sample[0]) && t > from && t < first)
            first = t;
    }
    return first;
}

/* Is there a change in (from, to]? The values at `to` are in root_after. */
static bool look_at(ct_driver *d, double from, double to, double *when)
{
    forget_harmless(d, from, to);
    if (changed(d, d->root_after)) {
        *when = narrow(d, from, to);
        return true;
    }
    memcpy(d->root_before, d->root_after, d->run.problem->root_count * sizeof *d->root_after);
    return false;
}

/* Is there a change between two times of the step? Looks at the ends of parts. */
static bool look_within(ct_driver *d, double from, double end, int parts, double *when)
{
    uint32_t count = d->run.problem->root_count;
    bool closely = looks_closely(d);
    double part = (end - from) / parts, begin = from;
    take_samples(d, from, end, parts);
    double hidden = closely ? find_hidden(d, from, end) : end;
    for (int k = 1; k <= parts; k++) {
        double to = k < parts ? begin + k * part : end;
        if (hidden > from && hidden < to) {
            rough_values(d, hidden, d->root_after);
            if (look_at(d, from, hidden, when))
                return true;
            from = hidden;
        }
        memcpy(d->root_after, d->root_sample + (size_t)k * count, count * sizeof *d->root_after);
        if (look_at(d, from, to, when))
            return true;
        from = to;
    }
    return false;
}

/* Looks within the step, too: that sees pairs of changes in one step. What changes while all is but
 * rounding is seen by the step after. */
bool ct_event_find(ct_driver *d, double *when)
{
    ct_stepper *s = d->current;
    int parts = CT_EVENT_PARTS;
    if (!counts(d) || s->t <= ct_window_blur(d))
        return false;
    for (double from = s->before, to; from < s->t; from = to) {
        if (d->hard_roots && d->run.problem->angle_count) {
            to = ct_window_end(d, from);
            if (isnan(to)) {
                *when = NAN;
                return true;
            }
        } else {
            to = s->t;
            parts = looks_closely(d) ? CT_EVENT_PARTS : parts_of(d);
            ct_window_points(d, from, to, parts);
        }
        if (look_within(d, from, to, parts, when))
            return true;
    }
    d->at_kink = false;
    return false;
}

/* ticks.c - the least common period of clocks, and all their ticks in it. */
#include "study/ticks.h"

#include <math.h>
#include <stdlib.h>

static const double same = 1e-9; /* of a period: one instant */

enum { MOST_TICKS = 20000, LARGEST = 1000000 };

/* ---- the common period */

/* r = a/b by its continued fraction, or false. */
static bool as_ratio(double r, uint64_t *a, uint64_t *b)
{
    const double close = 1e-11;
    uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    double rest = r;
    while (q1 <= LARGEST && p1 <= LARGEST) {
        double whole = floor(rest);
        if (!(whole >= 0 && whole <= LARGEST))
            return false;
        uint64_t p = (uint64_t)whole * p1 + p0, q = (uint64_t)whole * q1 + q0;
        p0 = p1, q0 = q1, p1 = p, q1 = q;
        *a = p1, *b = q1;
        if (p1 && fabs(r - (double)p1 / (double)q1) <= close * r)
            return p1 <= LARGEST && q1 <= LARGEST;
        rest = 1 / (rest - whole);
    }
    return false;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* As a multiple of the first clock's period. Of ratios a/b in lowest terms, 1/1 among them, the
 * least common multiple is that of their numerators. */
static bool find_period(const ct_clock_rate *clock, uint32_t count, double *period)
{
    uint64_t top = 1, a, b;
    for (uint32_t i = 1; i < count; i++) {
        if (!as_ratio(clock[i].period / clock[0].period, &a, &b))
            return false;
        top = top / divisor(top, a) * a;
        if (top > LARGEST)
            return false;
    }
    *period = (double)top * clock[0].period;
    return true;
}

/* ---- ticks */

/* Where in its period a clock ticks; a hair before the end of it is its beginning. */
static double phase(const ct_clock_rate *c, double from)
{
    double left = fmod(c->offset - from, c->period);
    left += left < 0 ? c->period : 0;
    return left > (1 - same) * c->period || left < same * c->period ? 0 : left;
}

static int by_time(const void *left, const void *right)
{
    const ct_tick *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->clock < b->clock ? -1 : a->clock > b->clock;
}

static void unite(ct_tick *tick, uint32_t count, double period)
{
    for (uint32_t i = 1; i < count; i++)
        if (tick[i].time - tick[i - 1].time < same * period)
            tick[i].time = tick[i - 1].time;
    qsort(tick, count, sizeof *tick, by_time);
}

bool ct_ticks_find(ct_arena *arena, const ct_clock_rate *clock, uint32_t count, ct_ticks *ticks)
{
    double all = 0, first = INFINITY;
    if (!find_period(clock, count, &ticks->period))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        all += round(ticks->period / clock[i].period);
        first = fmin(first, phase(&clock[i], 0));
    }
    if (!(all <= MOST_TICKS))
        return false;
    ct_tick *tick = CT_NEW_ARRAY(arena, ct_tick, (size_t)all + 1);
    ticks->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = (uint32_t)round(ticks->period / clock[i].period);
        for (uint32_t k = 0; k < own; k++)
            tick[ticks->count++] = (ct_tick){phase(&clock[i], first) + k * clock[i].period, i};
    }
    qsort(tick, ticks->count, sizeof *tick, by_time);
    unite(tick, ticks->count, ticks->period);
    ticks->tick = tick;
    ticks->offset = first;
    return true;
}

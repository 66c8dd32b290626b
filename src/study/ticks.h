/* ticks.h - clocks of several rates within their common period. */
#ifndef CT_STUDY_TICKS_H
#define CT_STUDY_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ct_clock_rate {
    double period, offset;
} ct_clock_rate;

typedef struct ct_tick {
    double time; /* from the beginning of the common period */
    uint32_t clock;
} ct_tick;

/* Sorted by time, then by clock; those of one instant have one time. The first is at zero. */
typedef struct ct_ticks {
    double period, offset; /* it begins at offset, offset + period, .. */
    const ct_tick *tick;
    uint32_t count;
} ct_ticks;

/* False: the periods have no common multiple that is worth it. */
bool ct_ticks_find(ct_arena *arena, const ct_clock_rate *clock, uint32_t count, ct_ticks *ticks);

#endif

/* plot_axis.h - limits, ticks and labels of one axis.
 *
 * A tick is an integer n times 10^exponent, so that its label is exact: no digit of it goes
 * through floating point. Labels are written in a unit of 10^shown, which is an SI prefix where
 * the unit takes one (time [ms]) and a power of ten elsewhere (mass [10³ kg]). Where the values
 * differ only in their last digits, labels are differences from an offset (voltage − 5 V [µV]).
 */
#ifndef CT_EXPORT_PLOT_AXIS_H
#define CT_EXPORT_PLOT_AXIS_H

#include "base/text.h"

/* Values beyond count as gaps, so that differences and scales stay finite. */
#define CT_PLOT_LARGEST 1e300

typedef struct ct_axis {
    double lo, hi;       /* limits */
    int64_t first, step; /* tick i is (first + i) * step * 10^exponent */
    uint32_t count;      /* of ticks */
    int exponent, shown; /* labels are in units of 10^shown */
    double size;         /* of the unit in which lo, hi and ticks are counted; 0: one */
    const char *sized;   /* its name: h; NULL: that of the label */
    bool decades;        /* tick i is 10^((first + i) * step); exponent and shown are 0 */
    int64_t offset;      /* of the labels, in units of 10^exponent; 0: none */
    const char *label;   /* without its unit; may be NULL */
    const char *unit;    /* "" or "1": none */
    const char *prefix;  /* NULL: shown is written as a power of ten */
} ct_axis;

/* The smallest step of 1, 2, 5 times a power of ten that needs no more than most_ticks (5 or
 * more: then there are at least 3). Loose: the ticks cover lo..hi, with a little air where a value
 * would touch the frame. Tight: the limits are lo and hi, or a tick close by. Values that
 * hardly differ get an interval around them. */
ct_axis ct_axis_new(double lo, double hi, uint32_t most_ticks, bool tight);

/* Decades from lo to hi, both positive, at least one. Every step-th has a tick. */
ct_axis ct_axis_new_decades(double lo, double hi, uint32_t most_ticks);

/* Loose; ticks at multiples of the first of the steps that needs no more than most_ticks, plain
 * ones where the values do not go over two of the smallest. The steps end with 0. */
ct_axis ct_axis_new_steps(double lo, double hi, uint32_t most_ticks, const int64_t *steps);

/* Where a value lies between the limits, 0 .. 1. */
double ct_axis_part(const ct_axis *axis, double value);

/* Chooses prefix and offset. The label may end with a unit: `position [m]`; it may be NULL. */
void ct_axis_name(ct_axis *axis, const char *label, ct_arena *arena);

double ct_axis_tick(const ct_axis *axis, uint32_t tick);
void ct_axis_put_tick(const ct_axis *axis, uint32_t tick, ct_text *out);
const char *ct_axis_tick_text(const ct_axis *axis, uint32_t tick, ct_arena *arena);

/* `position [mm]`; "" when there is nothing to say. */
const char *ct_axis_label(const ct_axis *axis, ct_arena *arena);

#endif

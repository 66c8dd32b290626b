/* plot_axis.c - limits and ticks. */
#include "export/plot_axis.h"

#include <math.h>
#include <stdbool.h>

/* Two values nearer to each other than this part of their size differ by rounding errors. */
static const double smallest_spread = 1e-12, smallest_value = 1e-290;

/* Ticks may miss a limit by this part of a step: 0.3 / 0.1 is not quite 3. */
static const double slack = 1e-9;

/* Tight axes go on to a tick that is nearer than this part of them: 10 after 9.999. */
static const double next_tick = 0.01;

/* value / 10^exponent; powers up to 10^22 are exact doubles, so that one rounding is made. */
static double scaled_down(double value, int exponent)
{
    return exponent < 0 ? value * pow(10, -exponent) : value / pow(10, exponent);
}

double ct_axis_tick(const ct_axis *axis, uint32_t tick)
{
    double n = (double)((axis->first + tick) * axis->step);
    if (axis->decades)
        return pow(10, n);
    n = axis->exponent < 0 ? n / pow(10, -axis->exponent) : n * pow(10, axis->exponent);
    return axis->size > 0 ? n * axis->size : n;
}

/* An interval that can be divided: constants get half their size above and below. */
static void widen(double *lo, double *hi)
{
    double size = fmax(fabs(*lo), fabs(*hi));
    if (!(size >= smallest_value)) {
        *lo = -1;
        *hi = 1;
    } else if (!(*hi - *lo > smallest_spread * size)) {
        double middle = *lo + (*hi - *lo) / 2;
        *lo = middle - size / 2;
        *hi = middle + size / 2;
    }
}

static bool try_step(ct_axis *axis, int64_t step, int exponent, uint32_t most, bool tight)
{
    double lo = scaled_down(axis->lo, exponent) / (double)step;
    double hi = scaled_down(axis->hi, exponent) / (double)step;
    double beyond = fmax(slack, next_tick * (hi - lo));
    double first = tight ? ceil(lo - beyond) : floor(lo + slack);
    double last = tight ? floor(hi + beyond) : ceil(hi - slack);
    if (last - first + 1 > most)
        return false;
    axis->first = (int64_t)first;
    axis->count = (uint32_t)(last - first + 1);
    axis->step = step;
    axis->exponent = exponent;
    return true;
}

/* Limits at the first and last tick, and beyond where a value comes near. */
static void loosen(ct_axis *axis)
{
    const double near = 0.02, air = 0.03;
    double bottom = ct_axis_tick(axis, 0), top = ct_axis_tick(axis, axis->count - 1);
    double span = top - bottom;
    axis->lo = axis->lo - bottom < near * span ? bottom - air * span : bottom;
    axis->hi = top - axis->hi < near * span ? top + air * span : top;
}

static void tighten(ct_axis *axis)
{
    axis->lo = fmin(axis->lo, ct_axis_tick(axis, 0));
    axis->hi = fmax(axis->hi, ct_axis_tick(axis, axis->count - 1));
}

ct_axis ct_axis_new(double lo, double hi, uint32_t most_ticks, bool tight)
{
    static const int64_t steps[] = {1, 2, 5};
    if (most_ticks < 3)
        most_ticks = 3; /* as many stand around zero with any step */
    widen(&lo, &hi);
    ct_axis axis = {.lo = lo, .hi = hi, .unit = "", .prefix = ""};
    int exponent = (int)floor(log10(hi - lo)) - 3;
    for (int i = 0; !try_step(&axis, steps[i % 3], exponent, most_ticks, tight); i++)
        exponent += i % 3 == 2;
    if (tight)
        tighten(&axis);
    else
        loosen(&axis);
    return axis;
}

ct_axis ct_axis_new_decades(double lo, double hi, uint32_t most_ticks)
{
    static const int64_t steps[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
    ct_axis axis = {.lo = lo, .hi = hi, .unit = "", .prefix = "", .decades = true};
    double from = log10(lo), to = log10(hi);
    if (ceil(from - slack) >= floor(to + slack)) { /* less than two ticks */
        axis.lo = pow(10, from = floor(from + slack));
        axis.hi = pow(10, to = fmax(ceil(to - slack), from + 1));
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        double step = (double)steps[i], last = floor(to / step + slack);
        axis.step = steps[i];
        axis.first = (int64_t)ceil(from / step - slack);
        axis.count = last < (double)axis.first ? 0 : (uint32_t)(last - (double)axis.first + 1);
        if (axis.count <= most_ticks)
            break;
    }
    return axis;
}

ct_axis ct_axis_new_steps(double lo, double hi, uint32_t most_ticks, const int64_t *steps)
{
    ct_axis axis = {.lo = lo, .hi = hi, .unit = "", .prefix = ""};
    for (size_t i = 0; hi - lo > 2 * (double)steps[0] && steps[i]; i++)
        if (try_step(&axis, steps[i], 0, most_ticks, false)) {
            loosen(&axis);
            return axis;
        }
    return ct_axis_new(lo, hi, most_ticks, false);
}

double ct_axis_part(const ct_axis *axis, double value)
{
    if (axis->decades)
        return log10(value / axis->lo) / log10(axis->hi / axis->lo);
    if (axis->size > 0)
        value /= axis->size;
    return (value - axis->lo) / (axis->hi - axis->lo);
}

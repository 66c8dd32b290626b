/* act_clock.c - clocks of events: is a period one, and which tick is the first? */
#include <float.h>
#include <math.h>

#include "simulate/act.h"

static void report_period(const ct_rig *rig, const ct_happening *h, double period, double offset,
                          double span)
{
    const ct_machine *m = rig->machine;
    ct_report *r;
    if (!(period > 0) || !isfinite(period) || !isfinite(offset)) {
        r = ct_error(m->ctx, "E551", h->place, "`%s`: the period is %.6g s, the offset %.6g s",
                     h->label, period, offset);
        ct_help(r, "a period is a time greater than zero");
    } else {
        r = ct_error(m->ctx, "E551", h->place,
                     "`%s`: a run of %.6g s would have %.3g ticks, more than can be told apart",
                     h->label, span, span / period);
        ct_help(r, "is a unit missing? A bare number is in seconds");
    }
    ct_witness(r, h->label);
}

double ct_tick_after(const ct_ticking *c, double t)
{
    double number = fmax(c->next, floor((t - c->offset) / c->period));
    while (ct_tick_time(c, number) <= t)
        number++;
    return ct_tick_time(c, number);
}

double ct_first_tick(const ct_rig *rig, const ct_happening *h, double period, double offset,
                     double start, double stop)
{
    const double told_apart = 1e3 * DBL_EPSILON, hair = 8 * DBL_EPSILON;
    double far = fmax(fabs(start), fabs(stop));
    if (!(period > 0) || !isfinite(period) || !isfinite(offset) || period < told_apart * far) {
        report_period(rig, h, period, offset, stop - start);
        return NAN;
    }
    double next = fmax(0, ceil((start - offset) / period) - 1);
    while (offset + next * period < start - hair * far)
        next++;
    return next;
}

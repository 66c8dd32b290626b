/* rig_breaks.c - times at which something jumps or has a kink, by time alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "simulate/act.h"
#include "simulate/lookout.h"
#include "simulate/past.h"
#include "simulate/rig.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ct_rig_list_breaks(ct_rig *rig)
{
    const ct_events *c = &rig->machine->events;
    double *value = rig->moment_value;
    ct_program_run(rig->machine->moments, rig->variable, value, rig->work_moments);
    rig->moment_count = rig->jump_count = rig->wave_count = 0;
    for (uint32_t i = 0; i < c->moment.count; i++) {
        ct_wave w = {value[2 * i], value[2 * i + 1], c->moment.at[i].smooth};
        if (w.slope == 0 || !isfinite(w.offset / w.slope))
            continue;
        if (c->moment.at[i].kind == CT_EVENT_TURNS)
            rig->wave[rig->wave_count++] = w;
        else
            rig->moment[rig->moment_count++] = -w.offset / w.slope;
        if (!w.kink && c->moment.at[i].kind == CT_EVENT_BREAK)
            rig->jump[rig->jump_count++] = -w.offset / w.slope;
    }
    qsort(rig->moment, rig->moment_count, sizeof *rig->moment, by_value);
    qsort(rig->jump, rig->jump_count, sizeof *rig->jump, by_value);
}

void ct_rig_take_breaks(ct_rig *rig)
{
    const ct_events *c = &rig->machine->events;
    rig->moment = CT_NEW_ARRAY(rig->arena, double, c->moment.count + 1);
    rig->jump = CT_NEW_ARRAY(rig->arena, double, c->moment.count + 1);
    rig->moment_value = CT_NEW_ARRAY(rig->arena, double, 2 * c->moment.count + 1);
    rig->wave = CT_NEW_ARRAY(rig->arena, ct_wave, c->moment.count + 1);
    rig->work_moments = ct_rig_prepared(rig, rig->machine->moments);
    ct_rig_list_breaks(rig);
}

/* Least time after t at which the wave passes an integer. */
static double next_turn(const ct_wave *w, double t)
{
    double at = w->slope * t + w->offset, turn = w->slope > 0 ? floor(at) : ceil(at);
    for (int i = 0; i < 3; i++) {
        double when = (turn - w->offset) / w->slope;
        if (when > t)
            return when;
        turn += w->slope > 0 ? 1 : -1;
    }
    return INFINITY; /* too fast to be told apart */
}

static double next_of(const double *sorted, uint32_t count, double t)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low < count ? sorted[low] : INFINITY;
}

double ct_rig_next_break(const ct_rig *rig, double t)
{
    double next = fmin(next_of(rig->moment, rig->moment_count, t), ct_next_tick(rig, t));
    next = fmin(fmin(next, ct_past_next(rig, t)), ct_lookouts_next(rig, t, false));
    for (uint32_t i = 0; i < rig->wave_count; i++)
        next = fmin(next, next_turn(&rig->wave[i], t));
    return next;
}

double ct_rig_next_jump(const ct_rig *rig, double t)
{
    double next = fmin(next_of(rig->jump, rig->jump_count, t), ct_next_tick(rig, t));
    next = fmin(fmin(next, ct_past_next(rig, t)), ct_lookouts_next(rig, t, true));
    for (uint32_t i = 0; i < rig->wave_count; i++)
        if (!rig->wave[i].kink)
            next = fmin(next, next_turn(&rig->wave[i], t));
    return next;
}

double ct_rig_right_side(const ct_rig *rig, double t)
{
    if (!rig->held.next_break)
        return t;
    double hair = 8 * DBL_EPSILON * fmax(fabs(t), rig->span);
    return ct_rig_next_jump(rig, t - hair) <= t + hair ? t + hair : t;
}

/* span.c - stretches of a run between breaks; span.h. */
#include "solve/span.h"

#include <float.h>
#include <math.h>

enum { MOST_LANDINGS = 8, LEAST_HAIRS = 16 };

double ct_hair(double from, double to)
{
    return 8 * DBL_EPSILON * fmax(fabs(from), fabs(to));
}

/* Rows much nearer to each other than the run is long: a step that passes over several of them
 * knows nothing of what happens between. */
static bool has_close_rows(const ct_run_def *def)
{
    const double close = 1e-3;
    double before = def->start;
    for (uint32_t i = 0; def->times && i < def->time_count; i++) {
        double gap = def->times[i] - before;
        if (gap > 0 && gap < close * (def->stop - def->start))
            return true;
        before = def->times[i];
    }
    return false;
}

ct_span ct_span_new(const ct_run_def *def)
{
    return (ct_span){.def = def,
                     .t = def->start,
                     .first = def->start,
                     .last = def->start,
                     .lands = ct_row_count(def) <= MOST_LANDINGS || has_close_rows(def)};
}

void ct_span_begin(ct_span *s, double (*next_break)(void *user, double t), void *user)
{
    double stop = s->def->stop;
    for (;;) {
        double at = next_break ? next_break(user, s->t) : INFINITY;
        s->break_at_end = at <= stop;
        s->end = s->break_at_end ? at : stop;
        double width = ct_hair(s->t, s->end);
        s->first = s->t + width;
        s->last = s->break_at_end ? s->end - width : s->end;
        if (s->end - s->t > LEAST_HAIRS * width || s->t >= stop)
            return;
        s->t = s->end;
    }
}

double ct_span_inside(const ct_span *s, double t)
{
    return t < s->first ? s->first : t > s->last ? s->last : t;
}

/* Where the step should end at the latest: few rows are ends, but not so near that no step fits. */
static double aim(const ct_span *s)
{
    uint32_t count = s->lands ? ct_row_count(s->def) : 0;
    for (uint32_t i = s->next_row; i < count && ct_row_time(s->def, i) < s->end; i++)
        if (ct_row_time(s->def, i) - s->t > LEAST_HAIRS * ct_hair(s->t, s->end))
            return ct_row_time(s->def, i);
    return s->end;
}

double ct_span_fit(ct_span *s, double h)
{
    const double nearly = 1 - 1e-9;
    double to = aim(s), left = to - s->t;
    double longest = ct_shorter_step(s->def->largest_step, s->def->swing_step);
    if (longest > 0)
        h = fmin(h, longest);
    if (h >= left * nearly) {
        s->to = to;
        return left;
    }
    h = h > left / 2 ? left / 2 : h;
    s->to = s->t + h;
    return h;
}

bool ct_span_holds(const ct_span *s, double h)
{
    return h > 2 * ct_hair(s->t, s->end);
}

bool ct_span_row(const ct_span *s, double *t)
{
    bool open_end = s->break_at_end && s->to >= s->end && s->end < s->def->stop;
    if (s->next_row >= ct_row_count(s->def))
        return false;
    *t = ct_row_time(s->def, s->next_row);
    return open_end ? *t < s->to - ct_row_hair(s->def, s->to) : *t <= s->to;
}

uint32_t ct_span_rows_inside(const ct_span *s, uint32_t most)
{
    uint32_t count = 0, all = ct_row_count(s->def);
    while (count < most && s->next_row + count < all &&
           ct_row_time(s->def, s->next_row + count) < s->to)
        count++;
    return count;
}

void ct_span_tell(const ct_span *s)
{
    if (s->def->progress)
        s->def->progress(s->def->row_user, s->t);
    if (s->def->stepped)
        s->def->stepped(s->def->row_user, s->t);
}

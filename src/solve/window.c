/* window.c - parts of a step that are so short that no pair of changes of a condition hides there.
 *
 * A step follows the solution, and sin(1e4*x^2) may turn many times within it: so its arguments are
 * looked at along the step, and the search for changes of conditions goes from window to window in
 * which none of them turns by much. That costs values of conditions, and no steps.
 */
#include "solve/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double part_turn = 0.3;   /* between two samples */
static const double aim = 0.8;         /* of it */
static const double narrowest = 1e-10; /* of a step: what vanishes turns without end there */
static const double few_ulps = 64;     /* of the time so far: rounding of states is no less */
static const double blurred = 1e-12;   /* of it, behind an event: rounding would turn it back */
static const double off_begin = 1e-5;  /* of the first step, where rounding turns an event back */
static const double first_look = 1e6;  /* what has turned before it is asked how far it will */
static const double least_cut = 1.0 / 64, most_growth = 4;

void ct_window_points(ct_driver *d, double from, double to, int parts)
{
    ct_stepper *s = d->current;
    uint32_t size = d->run.size;
    for (int k = 0; k <= parts; k++) {
        double *point = d->sample_point + (size_t)k * size;
        if (k == parts && to == s->t)
            memcpy(point, s->z, size * sizeof *point);
        else
            (s->rough ? s->rough : s->at)(s, from + k * (to - from) / parts, point);
    }
}

/* The largest change between two samples; *all: of one angle over the window, *which. */
static double look_at_angles(ct_driver *d, double from, double to, double *all, uint32_t *which)
{
    const ct_problem *p = d->run.problem;
    double most = 0;
    ct_window_points(d, from, to, CT_EVENT_PARTS);
    for (int k = 0; k <= CT_EVENT_PARTS; k++)
        p->angles(p->user, ct_run_inside(&d->run, from + k * (to - from) / CT_EVENT_PARTS),
                  d->sample_point + (size_t)k * d->run.size, d->angle + (size_t)k * p->angle_count);
    *all = 0;
    for (uint32_t i = 0; i < p->angle_count; i++) {
        double sum = 0;
        for (int k = 0; k < CT_EVENT_PARTS; k++) {
            const double *here = d->angle + (size_t)k * p->angle_count + i;
            double change = fabs(here[p->angle_count] - *here);
            change = isfinite(change) ? change : 0;
            sum += change;
            most = fmax(most, change);
        }
        if (sum > *all)
            *which = i;
        *all = fmax(*all, sum);
    }
    return most;
}

/* More than a run can afford, by what it was so far on average. */
static bool is_lost(ct_driver *d, double t, uint32_t which)
{
    const ct_run_def *def = &d->def;
    ct_run_stats *stats = d->run.stats;
    bool part = def->whole_stop > def->whole_start;
    double start = part ? def->whole_start : def->start, stop = part ? def->whole_stop : def->stop;
    double all = d->turned / (ct_time_of(d, t) - start) * (stop - start);
    if (!(d->turned > first_look && all > CT_TURN_OF_STEP * CT_MOST_FOLLOWED))
        return false;
    stats->lost_turns = all / (2 * acos(-1));
    stats->lost_angle = d->run.problem->angle_text[which];
    return true;
}

/* Of the run, which may be one of many parts. */
static double time_so_far(const ct_driver *d)
{
    const ct_run_def *def = &d->def;
    double start = def->whole_stop > def->whole_start ? def->whole_start : def->start;
    return d->run.origin + d->current->t - start;
}

double ct_window_blur(const ct_driver *d)
{
    return blurred * time_so_far(d);
}

double ct_window_end(ct_driver *d, double from)
{
    const ct_stepper *s = d->current;
    double left = s->t - from, rounding = few_ulps * DBL_EPSILON * time_so_far(d);
    bool fresh = from == s->before && from == 0;
    double least = fmax((fresh ? off_begin : narrowest) * (s->t - s->before),
                        fresh ? ct_window_blur(d) : rounding);
    double width = from > s->before ? fmin(fmax(d->window, least), left) : left;
    for (;;) {
        uint32_t which = 0;
        double to = left - width > least ? from + width : s->t, all;
        double turn = look_at_angles(d, from, to, &all, &which);
        if (turn > part_turn && width > least) {
            width = fmax(width * fmax(aim * part_turn / turn, least_cut), least);
            continue;
        }
        d->window = width * (turn > 0 ? fmin(aim * part_turn / turn, most_growth) : most_growth);
        d->turned += all;
        d->run.angle_rate = all / (to - from);
        return is_lost(d, to, which) ? NAN : to;
    }
}

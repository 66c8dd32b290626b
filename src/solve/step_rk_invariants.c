/* step_rk_invariants.c - Runge-Kutta steps that meet invariants, and leaps over singular positions.
 *
 * With invariants each new point is brought back to them. Near a singular position, where the
 * invariants depend on each other, points that violate them a little have wrong slopes: there the
 * stages are brought back, too. As soon as the curve of the last good points, continued to the
 * other side, is as accurate as asked for, a leap follows it: slopes there are not needed then.
 */
#include "solve/step_rk.h"

#include <math.h>
#include <string.h>

#include "solve/project.h"

/* How far invariants may move a point, in tolerances; margin of a singular position. */
static const double most_move = 100, most_leap_move = 10, singular_margin = 0.003;
static const double most_lost = 100; /* by a leap where no step leads on, in tolerances */

/* The largest change against the tolerance of the largest position or speed: invariants mix them,
 * and what is zero itself is moved by them. */
static double moved(const ct_stepper *s, const double *from, const double *to)
{
    const bool *speed = s->run->problem->speed_state;
    double most[2] = {0, 0}, size[2] = {0, 0};
    for (uint32_t i = 0; i < s->run->n; i++) {
        int kind = speed && speed[i];
        most[kind] = fmax(most[kind], fabs(to[i] - from[i]));
        size[kind] = fmax(size[kind], s->run->rtol * fabs(to[i]) + s->run->atol[i]);
    }
    double of_speed = size[1] > 0 ? most[1] / size[1] : 0;
    return fmax(size[0] > 0 ? most[0] / size[0] : 0, of_speed);
}

/* The new point back to the invariants; a large move tells that it was none of the solution. */
double ct_rk_bring_back(ct_stepper *s, rk *r, double t, double error)
{
    ct_projector *projector = s->run->projector;
    memcpy(r->loose, r->next, s->run->n * sizeof *r->loose);
    if (ct_project(projector, ct_run_inside(s->run, t), r->next) != CT_SOLVED)
        return INFINITY;
    s->run->stats->rechosen += ct_projector_choose(projector, ct_run_inside(s->run, t), r->next);
    double margin = ct_projector_margin(projector);
    r->approach = (r->margin - margin) / (t - s->t);
    r->margin = margin;
    r->near = r->margin < singular_margin;
    double most = most_move * fmax(1, r->near ? CT_RK_SINGULAR_TOLERANCE / s->run->rtol : 1);
    r->move = moved(s, r->loose, r->next);
    return fmax(error, r->move / most);
}

/* Until the singular position ahead is reached, roughly; 0: none is ahead. */
double ct_rk_time_left(const rk *r)
{
    return r->approach > 0 ? r->margin / r->approach : 0;
}

/* Remembers the point when the last one that was remembered is far enough back. */
void ct_rk_remember(ct_stepper *s, rk *r, double h)
{
    uint32_t n = s->run->n;
    if (r->margin > CT_RK_CAREFUL_MARGIN) /* short steps near it do not count */
        r->largest_gap = fmax(r->largest_gap * 0.9, h);
    bool close = r->past_count && s->t - r->past_time[PAST - 1] < r->largest_gap / 2;
    if (r->margin < CT_RK_LEAP_MARGIN || close)
        return;
    double *point = r->past[0], *slope = r->past_slope[0];
    for (int i = 0; i + 1 < PAST; i++) {
        r->past[i] = r->past[i + 1], r->past_slope[i] = r->past_slope[i + 1];
        r->past_time[i] = r->past_time[i + 1];
    }
    r->past[PAST - 1] = point, r->past_slope[PAST - 1] = slope, r->past_time[PAST - 1] = s->t;
    memcpy(point, r->z, n * sizeof *point);
    memcpy(slope, r->k[0], n * sizeof *slope);
    r->past_count += r->past_count < PAST;
}

/* The polynomial through the last `count` points of the past, with their slopes (Hermite). */
static void follow(const rk *r, uint32_t n, uint32_t count, double t, double *z)
{
    memset(z, 0, n * sizeof *z);
    for (uint32_t i = PAST - count; i < PAST; i++) {
        double l = 1, bend = 0, way = t - r->past_time[i];
        for (uint32_t k = PAST - count; k < PAST; k++) {
            double gap = r->past_time[i] - r->past_time[k];
            if (k == i)
                continue;
            l *= (t - r->past_time[k]) / gap;
            bend += 1 / gap;
        }
        double of_point = (1 - 2 * way * bend) * l * l, of_slope = way * l * l;
        for (uint32_t j = 0; j < n; j++)
            z[j] += of_point * r->past[i][j] + of_slope * r->past_slope[i][j];
    }
}

void ct_rk_follow(const rk *r, uint32_t n, double t, double *z)
{
    follow(r, n, r->followed, t, z);
}

/* The curve at t in r->next, of as many points as serve best; returns its error there, in
 * tolerances: by how much one point less would change it. */
static double continue_curve(const ct_stepper *s, rk *r, double t)
{
    uint32_t n = s->run->n;
    double least = INFINITY;
    r->followed = r->past_count < 2 ? r->past_count : 2;
    for (uint32_t count = 3; count <= r->past_count; count++) {
        follow(r, n, count, t, r->next);
        follow(r, n, count - 1, t, r->loose);
        double error = moved(s, r->loose, r->next);
        if (error < least)
            least = error, r->followed = count;
    }
    ct_rk_follow(r, n, t, r->next);
    return least;
}

static void arrive(ct_stepper *s, rk *r, double t, double margin)
{
    double *old = r->before, *slope = r->k[0];
    s->h = fmin(s->h, t - s->t);
    r->before = r->z, r->z = r->next, r->next = old;
    r->k[0] = r->k[6], r->k[6] = slope;
    s->before = s->t, s->t = t, s->z = r->z;
    r->margin = margin, r->approach = 0;
    r->near = margin < singular_margin;
    r->leapt = true;
    r->whole.inside = GOOD;
}

/* The stretch ends before the other side is reached: the curve leads there. What goes on from the
 * end needs slopes, and is none of this step's. */
static bool end_on_curve(ct_stepper *s, rk *r, double stop, bool accurate)
{
    double error = continue_curve(s, r, stop);
    if (!(error <= (accurate ? 1 : most_leap_move)))
        return false;
    memcpy(r->loose, r->next, s->run->n * sizeof *r->loose);
    if (ct_project(s->run->projector, ct_run_inside(s->run, stop), r->next) != CT_SOLVED ||
        moved(s, r->loose, r->next) > most_leap_move)
        memcpy(r->next, r->loose, s->run->n * sizeof *r->next);
    if (!ct_run_evaluate(s->run, stop, r->next, r->k[6]))
        memcpy(r->k[6], r->k[0], s->run->n * sizeof *r->k[6]);
    arrive(s, r, stop, ct_projector_margin(s->run->projector));
    return true;
}

/* Does the curve lead to a point behind a position where no step leads on? Where it does not, the
 * mechanism locks: a point that invariants must bring back from far has energy from nowhere. Two
 * points of the past do not tell their error. */
static bool leads_there(const ct_stepper *s, const rk *r, double error)
{
    double most = most_lost * fmax(1, CT_RK_SINGULAR_TOLERANCE / s->run->rtol);
    return (error <= most || r->past_count < 3) && moved(s, r->loose, r->next) <= most;
}

/* Over a singular position: the nearest point ahead from which it goes on. `accurate`: only if
 * nothing is lost, else where the curve leads. */
bool ct_rk_leap(ct_stepper *s, rk *r, double stop, bool accurate)
{
    const double least_reach = 1e-3;
    uint32_t n = s->run->n;
    if (!s->run->projector || r->past_count < (accurate ? 4 : 2))
        return false;
    double gap = r->past_time[PAST - 1] - r->past_time[PAST - 2], before = INFINITY;
    double most = accurate ? 4 * ct_rk_time_left(r) : fmax(20 * gap, 8 * ct_rk_time_left(r));
    double reach =
        accurate ? 1.5 * ct_rk_time_left(r) : fmax(least_reach * gap, 0.2 * ct_rk_time_left(r));
    double wanted = accurate ? 0.6 * r->margin : 2 * CT_RK_LEAP_MARGIN;
    if (accurate && reach > s->t - r->past_time[PAST - r->past_count])
        return false; /* the past does not tell so much: a margin that hardly changes */
    for (; reach <= most; reach *= accurate ? 1.15 : 1.3) {
        double t = s->t + reach;
        if (t >= stop)
            return end_on_curve(s, r, stop, accurate);
        double error = continue_curve(s, r, t);
        if (accurate && !(error <= 1))
            return false;
        memcpy(r->loose, r->next, n * sizeof *r->loose);
        if (ct_project(s->run->projector, ct_run_inside(s->run, t), r->next) != CT_SOLVED)
            continue;
        double margin = ct_projector_margin(s->run->projector);
        bool behind = margin > wanted && (margin > before || accurate);
        before = margin;
        if (accurate && moved(s, r->loose, r->next) > most_leap_move)
            return false;
        if (!behind || !(accurate || leads_there(s, r, error)) ||
            !ct_run_evaluate(s->run, t, r->next, r->k[6]))
            continue;
        arrive(s, r, t, margin);
        return true;
    }
    return false;
}

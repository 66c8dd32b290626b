/* stretch.c - restarting at a discontinuity: next break, sides of conditions, consistent w. */
#include "solve/driver.h"
#include "solve/span.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_CLOSE_EVENTS = 1000,
    MOST_CLOSE_KINKS = 50,
    MOST_LANDINGS = 10,
    MOST_SECANTS = 8,
    MOST_JUMPS = 100,
    MOST_ACTS = 3000
};
/* Events nearer to each other than this part of the whole run count as chattering. */
static const double close_in_time = 1e-9;

double ct_next_break(const ct_driver *d, double t)
{
    const ct_problem *p = d->run.problem;
    double at = p->next_break ? p->next_break(p->user, t) : INFINITY;
    return at > t ? at : INFINITY;
}

/* Stretches too short to hold a step are passed over: nothing moves in them. Only after a break
 * values are those just after it: elsewhere time alone would move conditions that read it. */
static void set_bounds(ct_driver *d)
{
    for (;;) {
        double at = ct_next_break(d, d->t), width;
        double last = d->def.stop + ct_row_hair(&d->def, d->def.stop);
        d->break_at_end = d->def.open_end ? at < d->def.stop : at <= last;
        d->end = d->break_at_end ? at : d->def.stop;
        width = ct_hair(d->t, d->end);
        d->run.inside_first = d->t > d->broke + width ? d->t : d->t + width;
        d->run.inside_last = d->break_at_end || d->def.open_end ? d->end - width : d->end;
        if (d->end - d->t > 16 * width || d->t >= d->def.stop)
            break;
        d->t = d->broke = d->end;
    }
    if (d->run.inside_last < d->run.inside_first)
        d->run.inside_last = d->run.inside_first;
}

double ct_stretch_end(const ct_driver *d)
{
    return d->end - d->run.origin;
}

double ct_time_of(const ct_driver *d, double since)
{
    return since < ct_stretch_end(d) ? fmin(d->run.origin + since, d->end) : d->end;
}

static ct_solve_status solve_w(void *user, double t, double *z)
{
    ct_driver *d = user;
    ct_solve_status status = ct_newton_solve(d->run.algebraic, t, z);
    if (status != CT_SOLVED)
        d->run.stats->culprit = d->run.algebraic->culprit;
    return status;
}

ct_solve_status ct_consistent(ct_driver *d)
{
    ct_settle settle = {d->run.problem, d->root_before, d->root_after, solve_w, d};
    return ct_settle_sides(&settle, d->run.inside_first, d->z);
}

/* What is stored may jump, which may move conditions, which may make it jump again. */
static ct_solve_status jump(ct_driver *d)
{
    const ct_problem *p = d->run.problem;
    bool moved = true;
    ct_solve_status status = CT_SOLVED;
    for (int round = 0; moved || round < 2; round++) {
        if (round > MOST_JUMPS)
            return CT_NO_CONVERGENCE;
        status = p->jump(p->user, d->run.inside_first, d->z, &moved);
        if (status == CT_SOLVED)
            status = ct_consistent(d);
        if (status != CT_SOLVED || !p->root_count)
            break;
    }
    return status;
}

/* Assignments of events may move conditions, which may make others happen. */
ct_solve_status ct_act_at(ct_driver *d)
{
    const ct_problem *p = d->run.problem;
    ct_solve_status status = CT_SOLVED;
    ct_acted acted = p->act ? CT_ACTED : CT_ACTED_NOTHING;
    for (int round = 0; status == CT_SOLVED && acted != CT_ACTED_NOTHING; round++) {
        if (round > MOST_ACTS)
            return CT_EVENT_LOOP;
        status = p->act(p->user, d->t, d->run.inside_first, d->z, &acted);
        if (status != CT_SOLVED || acted == CT_ACTED_NOTHING)
            break;
        if (acted == CT_ACTED_CHANGED)
            return CT_CHANGED;
        d->ended |= acted == CT_ACTED_LAST;
        set_bounds(d); /* clocks have moved on */
        status = p->jump && d->run.n ? jump(d) : ct_consistent(d);
    }
    return status;
}

static ct_solve_status begin(ct_driver *d, double before)
{
    const ct_problem *p = d->run.problem;
    ct_solve_status status;
    if (p->begins)
        p->begins(p->user, d->t);
    set_bounds(d);
    if (p->jump && !isnan(before)) {
        p->remember(p->user, before, d->z);
        status = jump(d);
    } else {
        status = ct_consistent(d);
    }
    if (status == CT_SOLVED)
        status = ct_act_at(d);
    if (status != CT_SOLVED || d->t >= d->def.stop || d->ended) {
        d->current->before = d->current->t; /* the last step belongs to another stretch */
        return status;
    }
    d->run.origin = d->t;
    d->since = 0;
    d->last_step = 0;
    d->run.stats->restarts++;
    status = ct_start_method(d);
    ct_event_begin(d);
    return status;
}

ct_solve_status ct_stretch_begin(ct_driver *d)
{
    return begin(d, NAN);
}

static bool storms(ct_driver *d, uint32_t root)
{
    bool is = ct_pace_storms(&d->pace, d->t, d->run.span);
    d->run.stats->storm_root = root;
    d->run.stats->storm_since = d->pace.since;
    return is;
}

ct_solve_status ct_stretch_next(ct_driver *d)
{
    if (storms(d, UINT32_MAX))
        return CT_EVENT_STORM;
    d->broke = d->t;
    d->flight = INFINITY;
    d->stretch = 0;
    return begin(d, d->run.inside_last);
}

/* The variable whose rate jumps most where the conditions switch without end. */
static uint32_t chattering_variable(ct_driver *d)
{
    const ct_problem *p = d->run.problem;
    uint32_t worst = UINT32_MAX;
    double most = 0;
    ct_run_evaluate(&d->run, d->since, d->z, d->fg);
    if (p->hold)
        p->hold(p->user, d->t, d->z);
    ct_run_evaluate(&d->run, d->since, d->z, d->point);
    for (uint32_t i = 0; i < d->run.size; i++) {
        double jump = fabs(d->point[i] - d->fg[i]) / (fabs(d->z[i]) + d->run.atol[i]);
        if (jump > most) {
            most = jump;
            worst = i;
        }
    }
    return worst;
}

/* The condition that ends the run, at the end of a step that ends there. */
static double ending_value(ct_driver *d, double t)
{
    ct_stepper *s = d->current;
    if (!s->land(s, t, d->point))
        return NAN;
    ct_event_behind(d, t, d->point);
    return d->root_probe[d->ends - 1];
}

/* Does the condition that ends the run vanish there? At a pole or a jump of it the values on both
 * sides, as near to each other as times can be, are no less than `far` away from it. */
static bool vanishes(const ct_driver *d, double far)
{
    double before = d->root_before[d->ends - 1], after = d->root_after[d->ends - 1];
    return fabs(before) + fabs(after) < fabs(far);
}

/* Where it vanishes on such steps, not on the interpolant: by secants, as long as it becomes less
 * and they lead the way that it changes. Where rounding is all that is left of it a secant leads
 * anywhere, over other events, too; and where a condition holds for a moment only, to its end. */
static double refine(ct_driver *d, double when)
{
    const double first_secant = 1e-3; /* of the step */
    const ct_stepper *s = d->current;
    double from = fmax(when - first_secant * (s->t - s->before), (s->before + when) / 2), to = when;
    double way = d->root_after[d->ends - 1] > 0 ? 1 : -1;
    double a = ending_value(d, from), b = ending_value(d, to);
    if (!vanishes(d, a))
        return when;
    for (int i = 0; i < MOST_SECANTS && isfinite(b) && a != b; i++) {
        if (!((b - a) * (to - from) * way > 0))
            return when;
        double next = fmin(fmax(to - b * (to - from) / (b - a), (s->before + to) / 2), s->t);
        if (!(fabs(next - to) > ct_hair(to, to) / 4))
            break;
        double value = ending_value(d, next);
        if (!(fabs(value) < fabs(b)))
            break;
        from = to, a = b;
        to = next, b = value;
    }
    return isfinite(b) ? to : when;
}

/* The point of an event, by a step that ends there where the method can. What was located on the
 * interpolant may then still be ahead by its error: time moves on a little until it is behind. */
static double land_at_event(ct_driver *d, double when)
{
    ct_stepper *s = d->current;
    if (d->ends && s->land)
        when = refine(d, when);
    double move = ct_hair(s->before, when), later = when;
    for (int tries = 0; s->land && later < s->t && tries < MOST_LANDINGS; tries++) {
        if (!s->land(s, later, d->point))
            break;
        if (ct_event_behind(d, later, d->point))
            return later;
        later += move;
        move *= 8;
    }
    s->at(s, when, d->point);
    if (s->mend)
        s->mend(s, when, d->point);
    if (s->mend && !ct_event_behind(d, when, d->point))
        s->at(s, when, d->point);
    return when;
}

static bool is_close(const ct_driver *d, double before, double t)
{
    return t - before <= close_in_time * (d->def.stop - d->def.start);
}

bool ct_kinks_crowd(const ct_driver *d, double t)
{
    return d->close_kinks > MOST_CLOSE_KINKS && is_close(d, d->last_kink, t);
}

/* Nothing jumps at a soft kink: steps stay as long as they were, but for those over a long stretch
 * where nothing happened. */
static ct_solve_status go_on_from_kink(ct_driver *d, double h)
{
    d->close_kinks = is_close(d, d->last_kink, d->t) ? d->close_kinks + 1 : 0;
    d->last_kink = d->t;
    ct_solve_status status = ct_stretch_begin(d);
    d->current->h = fmax(d->current->h, fmin(h, d->end - d->t));
    d->at_kink = true;
    return status;
}

/* The first condition that has changed at the last event. */
static uint32_t changed_root(const ct_driver *d)
{
    uint32_t i = 0, count = d->run.problem->root_count;
    while (i < count && (d->root_before[i] > 0) == (d->root_after[i] > 0))
        i++;
    return i;
}

ct_solve_status ct_stretch_event(ct_driver *d, double when)
{
    bool close = is_close(d, d->last_event, ct_time_of(d, when));
    double h = fmin(d->current->t - d->current->before, when / CT_EVENT_PARTS);
    d->since = land_at_event(d, when);
    memcpy(d->z, d->point, d->run.size * sizeof *d->z);
    d->t = ct_time_of(d, d->since);
    d->run.stats->roots_found++;
    if (d->ends)
        return CT_ENDED;
    if (d->soft_event)
        return go_on_from_kink(d, h);
    if (storms(d, changed_root(d)))
        return CT_EVENT_STORM;
    d->last_event = d->t;
    d->flight = fmax(d->since, d->stretch);
    d->stretch = d->since;
    d->close_events = close ? d->close_events + 1 : 0;
    if (d->close_events <= MOST_CLOSE_EVENTS)
        return begin(d, d->t);
    d->run.stats->culprit = chattering_variable(d);
    return CT_STEP_TOO_SMALL;
}

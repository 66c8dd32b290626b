/* equilibrium.c - operating points: f = 0 and g = 0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "mechanics/mechanics.h"
#include "simulate/charge.h"
#include "simulate/past.h"
#include "simulate/point.h"
#include "solve/eigen.h"
#include "solve/newton.h"

static const double farthest = 1e11;       /* a solution beyond this has run away */
static const double dependent_row = 1e-12; /* of the largest row */
static const double worth_naming = 1e-3;   /* of the worst residual */
/* What may be left of a row that is met, by its slopes times the values, and times the unit of
 * values that are zero. A double root is known to the root of eps, and its slope vanishes as much:
 * the first must not be below 1e-7. What is no rest misses by a large part of its terms. */
static const double most_left = 1e-6, left_of_zero = 1e-9;
/* Usual starts are known to 1e-8 and better. From the first on others are asked who may know; more
 * than the second is told. */
static const double worth_asking = 1e-9, most_uncertain = 1e-6;
/* Of rows, by their terms: rounding; what values of others may leave. */
static const double row_rounding = 100 * DBL_EPSILON, row_of_others = 1e-9;
/* Accelerations that joints forbid: of large forces their rounding is left. */
static const double slack_of_joints = 1e-7;

/* ---- why there is none
 *
 * The part of (f, g) that no change of z can remove, to first order: what is left of F + J d in the
 * least-squares sense. It stands on the states that only collect what flows into them. */

typedef struct collecting {
    const ct_problem *p;
    uint32_t size;
    const double *z, *f, *slope;
} collecting;

static void linear_rows(void *user, const double *y, double *r)
{
    const collecting *c = user;
    memcpy(r, c->f, c->size * sizeof *r);
    for (uint32_t k = 0; k < c->size; k++)
        for (uint32_t i = c->p->start[k]; i < c->p->start[k + 1]; i++)
            r[c->p->row[i]] += c->slope[i] * (y[k] - c->z[k]);
}

static void linear_slope(void *user, const double *y, double *value)
{
    const collecting *c = user;
    (void)y;
    memcpy(value, c->slope, c->p->start[c->size] * sizeof *value);
}

/* What is left, per equation; NULL: it cannot be told. */
static const double *leftover(ct_context *ctx, const ct_problem *p, double t, const double *z,
                              ct_arena *arena)
{
    ct_need_pattern(p);
    uint32_t size = p->n + p->m;
    double *f = CT_NEW_ARRAY(arena, double, size + 1),
           *left = CT_NEW_ARRAY(arena, double, size + 1);
    double *slope = CT_NEW_ARRAY(arena, double, p->start[size] + 1), norm;
    double *y = CT_NEW_ARRAY(arena, double, size + 1);
    p->evaluate(p->user, t, z, f);
    p->jacobian(p->user, t, z, slope);
    collecting c = {p, size, z, f, slope};
    ct_residual rows = {&c, size, size, linear_rows, p->start, p->row, linear_slope};
    memcpy(y, z, size * sizeof *y);
    if (ct_least_change(ctx, &rows, dependent_row, y, &norm) == CT_NO_MEMORY_LEFT)
        return NULL;
    linear_rows(&c, y, left);
    for (uint32_t i = 0; i < size; i++)
        if (!isfinite(left[i]))
            return NULL;
    return left;
}

static uint32_t largest_of(const double *value, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (fabs(value[i]) > fabs(value[best]))
            best = i;
    return best;
}

static void report_collecting(const ct_rig *rig, const double *left, uint32_t worst)
{
    const ct_machine *m = rig->machine;
    ct_place place;
    ct_text text = ct_text_new(m->ctx->base);
    const char *owner = ct_machine_owner(m, worst, &place), *name = ct_machine_variable(m, worst);
    ct_report *r = ct_error(m->ctx, "E527", place, "there is no steady state");
    for (uint32_t i = 0, shown = 0; i < m->n && shown < 8; i++) {
        if (fabs(left[i]) < worth_naming * fabs(left[worst]))
            continue;
        ct_putf(&text, "%s%s", shown++ ? ", " : "", ct_machine_variable(m, i));
        ct_place other;
        ct_witness(r, ct_machine_owner(m, i, &other));
    }
    ct_note(r, "nothing brings the rate of change to zero of %s", ct_text_string(&text));
    ct_help(r,
            "add a path through which %s can give off what it takes up, so that it depends on %s",
            *owner ? owner : name, name);
}

static void report_unfound(const ct_rig *rig, ct_solve_status status, uint32_t culprit)
{
    const ct_machine *m = rig->machine;
    ct_place place;
    const char *owner = ct_machine_owner(m, culprit, &place);
    const char *name = ct_machine_variable(m, culprit);
    ct_report *r = ct_error(m->ctx, "E527", place, "no steady state was found");
    if (culprit >= m->n + m->m) {
        ct_note(r, "%s", ct_solve_status_text(status));
        return;
    }
    ct_note(r, "%s; the worst is %s%s%s", ct_solve_status_text(status), name, *owner ? " of " : "",
            owner);
    ct_help(r, "begin nearer to the solution: guess %s = ...", name);
    if (*owner)
        ct_witness(r, owner);
}

/* What is left over of v - d = 0. */
static void report_delay(const ct_rig *rig, uint32_t worst)
{
    ct_place place;
    const char *owner = ct_past_owner(rig, worst, &place);
    ct_report *r = ct_error(rig->machine->ctx, "E527", place, "there is no steady state");
    ct_note(r, "what goes into the delay `%s` cannot be what comes out of it", owner);
    ct_help(r, "add a loss, so that what runs through it again and again does not grow");
    ct_witness(r, owner);
}

static void report_unsteady(ct_rig *rig, const ct_problem *p, double t, const double *z,
                            ct_solve_status status, uint32_t culprit)
{
    const ct_machine *m = rig->machine;
    if (ct_rig_is_interrupted(rig))
        return;
    ct_arena *arena = ct_arena_new(m->ctx);
    const double *left =
        status == CT_SINGULAR && m->n && p ? leftover(m->ctx, p, t, z, arena) : NULL;
    uint32_t worst = left ? largest_of(left, m->n) : 0;
    if (left && fabs(left[worst]) > 0)
        report_collecting(rig, left, worst);
    else if (left && rig->past)
        report_delay(rig, largest_of(left + m->n + m->m, p->n + p->m - m->n - m->m));
    else
        report_unfound(rig, status, culprit);
    ct_arena_free(arena);
}

/* ---- finding it */

static double largest_value(const double *z, uint32_t count)
{
    double most = 1;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, fabs(z[i]));
    return most;
}

void ct_count_start(ct_rig *rig, const ct_run_stats *stats)
{
    rig->start_iterations += stats->newton_iters;
    if (stats->method)
        rig->start_method = stats->method;
}

void ct_note_start(const ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    bool usual = strcmp(rig->start_method, CT_METHOD_NEWTON) == 0 ||
                 strcmp(rig->start_method, CT_METHOD_LIMITING) == 0;
    if (usual || m->reduced->system->mechanics)
        return;
    ct_report *r =
        ct_warning(m->ctx, "W536", (ct_place){0}, "the start was found by %s", rig->start_method);
    ct_note(r, "Newton's method did not find it from the guess");
    ct_help(r, "look at the values, or give guesses near the solution: guess NODE.v = ...");
}

/* The slopes of rows, as steep as they are within the slack of the values: that of a root next to
 * its zero says nothing about the values around it. */
static const double *slopes_within(const ct_problem *p, double t, const double *z,
                                   const double *slack, ct_arena *arena)
{
    uint32_t size = p->n + p->m, count = p->start[size];
    double *beside = CT_NEW_ARRAY(arena, double, size + 1);
    double *slope[3]; /* at z, before and behind it */
    for (int side = 0; side < 3; side++) {
        slope[side] = CT_NEW_ARRAY(arena, double, count + 1);
        for (uint32_t j = 0; j < size; j++)
            beside[j] = z[j] + (side == 0 ? 0 : side == 1 ? -slack[j] : slack[j]);
        p->jacobian(p->user, t, beside, slope[side]);
    }
    for (uint32_t k = 0; k < count; k++)
        slope[0][k] = fmin(fabs(slope[0][k]), fmax(fabs(slope[1][k]), fabs(slope[2][k])));
    return slope[0];
}

/* Values that ran away make the terms large that a row is solved by; where charge is conserved
 * (charge.c), they have come back by now. */
static bool rows_are_within(const ct_problem *p, uint32_t first, double t, const double *z,
                            double slack, ct_arena *arena)
{
    uint32_t size = p->n + p->m;
    double largest = 0;
    ct_need_pattern(p);
    double *f = CT_NEW_ARRAY(arena, double, size + 1),
           *most = CT_NEW_ARRAY(arena, double, size + 1),
           *open = CT_NEW_ARRAY(arena, double, size + 1);
    for (uint32_t j = 0; j < size; j++)
        open[j] = most_left * fabs(z[j]) + left_of_zero;
    const double *slope = slopes_within(p, t, z, open, arena);
    p->evaluate(p->user, t, z, f);
    for (uint32_t j = 0; j < size; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            most[p->row[k]] += slope[k] * open[j];
    for (uint32_t i = first; i < size; i++)
        largest = fmax(largest, most[i]);
    for (uint32_t i = first; i < size; i++)
        if (!(fabs(f[i]) <= most[i] + slack * largest))
            return false;
    return true;
}

bool ct_rows_vanish(const ct_problem *p, uint32_t first, double t, const double *z, ct_arena *arena)
{
    return rows_are_within(p, first, t, z, 0, arena);
}

/* Joints leave bodies no freedom, and there is nothing else: what is left of rates is rounding. */
static bool stands_still(const ct_machine *m)
{
    const ct_mechanics *mech = m->reduced->system->mechanics;
    uint32_t own = 0;
    for (uint32_t i = 0; mech && i < mech->coordinate_count; i++)
        own += mech->coordinate[i].u ? 2 : 1;
    return mech && mech->tested && mech->freedom == 0 && m->n <= own;
}

/* What is stored goes where charge is conserved. */
static ct_solve_status follow_charge(ct_rig *rig, ct_solve_status status, double t,
                                     const double *from, double *z, ct_arena *arena)
{
    uint32_t size = rig->machine->n + rig->machine->m;
    double *reached = CT_NEW_ARRAY(arena, double, size + 1);
    memcpy(reached, status == CT_SOLVED ? z : from, size * sizeof *z);
    ct_charged charged = ct_charge(rig, t, status == CT_SOLVED, from, reached);
    if (charged == CT_CHARGED)
        memcpy(z, reached, size * sizeof *z);
    if (charged == CT_CHARGE_OPEN)
        return status;
    return charged == CT_CHARGED ? CT_SOLVED : CT_SINGULAR;
}

/* Currents that cancel hide small ones behind their rounding: what these hold is not known well. */
static void report_uncertain(const ct_rig *rig, const ct_problem *rest, const ct_run_stats *stats,
                             const double *z)
{
    const ct_machine *m = rig->machine;
    uint32_t i = stats->most_uncertain;
    if (!(stats->uncertain > most_uncertain) || i >= m->n + m->m || !isfinite(stats->uncertain))
        return; /* what no equation holds is told as such */
    ct_place place;
    const char *owner = ct_machine_owner(m, i, &place), *name = ct_machine_variable(m, i);
    ct_report *r = ct_warning(m->ctx, "W558", place, "rounding may move %s at rest by %.1g", name,
                              stats->uncertain * (fabs(z[i]) + ct_typical(rest, i)));
    ct_note(r, "small currents hold it beside large ones that cancel");
    ct_help(r, "give its value (`initial %s = ...`), or a resistance that holds it", name);
    ct_witness(r, *owner ? owner : name);
}

/* Are rows zero but for this share of their terms? What was found where the Jacobian is nearly
 * singular may be no rest: what drives it is hidden behind large terms. */
static bool rows_are_small(const ct_problem *p, double t, const double *z, double share,
                           ct_arena *arena)
{
    uint32_t size = p->n + p->m;
    ct_need_pattern(p);
    double *slope = CT_NEW_ARRAY(arena, double, p->start[size] + 1);
    double *f = CT_NEW_ARRAY(arena, double, size + 1), *sum = CT_NEW_ARRAY(arena, double, size + 1);
    p->jacobian(p->user, t, z, slope);
    p->evaluate(p->user, t, z, f);
    for (uint32_t j = 0; j < size; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++)
            sum[p->row[k]] += fabs(slope[k]) * (fabs(z[j]) + ct_typical(p, j));
    for (uint32_t i = 0; i < size; i++)
        if (!(fabs(f[i]) <= share * sum[i]))
            return false;
    return true;
}

/* Values of others for z, and what follows from them where that can be solved for: they have told
 * nearly all. */
static bool ask_others(ct_rig *rig, const ct_problem *rest, double t, const double *z, double *sure,
                       ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    ct_run_stats own;
    double *told = CT_NEW_ARRAY(arena, double, size + 1);
    if (!rig->sure_rest(rig->sure_user, t, m->z, size, told))
        return false;
    for (uint32_t i = 0; i < size; i++) {
        if (i < m->n && !isfinite(told[i]))
            return false;
        told[i] = isfinite(told[i]) ? told[i] : z[i];
    }
    memcpy(sure, told, size * sizeof *sure);
    if (ct_solve_algebraic(m->ctx, rest, t, sure, false, &own) == CT_SOLVED &&
        rows_are_small(rest, t, sure, row_of_others, arena))
        return true;
    memcpy(sure, told, size * sizeof *sure);
    return rows_are_small(rest, t, sure, row_of_others, arena);
}

/* Rest as others know it, who do not divide by what is small. z: what was found, as well as
 * rounding lets know, `open`; what holds nodes there may be a junction that conducts, and not here.
 */
static bool take_sure(ct_rig *rig, const ct_problem *rest, double open, double t, double *z,
                      ct_arena *arena)
{
    const double wide = 10;
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    double *sure = CT_NEW_ARRAY(arena, double, size + 1);
    if (!rig->sure_rest || rest->n + rest->m != size || !ask_others(rig, rest, t, z, sure, arena))
        return false;
    double most = wide * fmax(open, ct_steady_uncertain(m->ctx, rest, t, sure));
    for (uint32_t i = 0; i < size; i++)
        if (!(fabs(sure[i] - z[i]) <= most * (fabs(z[i]) + ct_typical(rest, i))))
            return false;
    memcpy(z, sure, size * sizeof *z);
    return true;
}

/* z: of the problem `rest`; NULL: there are no slopes. */
static ct_solve_status settle(ct_rig *rig, const ct_problem *rest, double t, double *z)
{
    const ct_machine *m = rig->machine;
    uint32_t size = rest ? rest->n + rest->m : m->n + m->m;
    ct_arena *arena = ct_arena_new(m->ctx);
    double *from = CT_NEW_ARRAY(arena, double, size + 1);
    ct_run_stats stats = {.method = "kinetic damping", .culprit = UINT32_MAX};
    memcpy(from, z, size * sizeof *z);
    ct_solve_status status = m->reduced->system->mechanics ? ct_find_rest(rig, t, z)
                             : rest                        ? ct_steady(m->ctx, rest, t, z, &stats)
                                                           : CT_SINGULAR;
    ct_count_start(rig, &stats);
    if (status == CT_SOLVED && rest && !rows_are_small(rest, t, z, row_rounding, arena))
        stats.uncertain = INFINITY;
    bool unsure = rest && (status != CT_SOLVED || !(stats.uncertain <= worth_asking));
    double open = status == CT_SOLVED ? stats.uncertain : INFINITY;
    bool sure = unsure && take_sure(rig, rest, open, t, z, arena);
    if (sure)
        status = CT_SOLVED;
    else if (unsure && status == CT_SOLVED)
        report_uncertain(rig, rest, &stats, z);
    if (status == CT_SOLVED && largest_value(z, size) > farthest * largest_value(from, size))
        status = CT_SINGULAR;
    if (rest && !rig->past && !sure && status != CT_NO_MEMORY_LEFT)
        status = follow_charge(rig, status, t, from, z, arena);
    if (status == CT_NO_MEMORY_LEFT)
        ct_throw(m->ctx, CT_ERR_MEMORY);
    double slack = m->reduced->system->mechanics ? slack_of_joints : 0;
    if (status == CT_SOLVED && rest && !sure && !stands_still(m) &&
        !rows_are_within(rest, 0, t, z, slack, arena))
        status = CT_SINGULAR;
    if (status != CT_SOLVED)
        report_unsteady(rig, rest, t, from, status, stats.culprit);
    ct_arena_free(arena);
    return status;
}

/* With what delays give behind z. */
static ct_solve_status settle_delays(ct_rig *rig, double t, double *z)
{
    uint32_t size = rig->machine->n + rig->machine->m;
    const ct_problem *rest = ct_past_rest(rig);
    if (!rest)
        return CT_SINGULAR;
    ct_arena *arena = ct_arena_new(rig->machine->ctx);
    double *y = CT_NEW_ARRAY(arena, double, rest->n + rest->m);
    memcpy(y, z, size * sizeof *y);
    ct_past_guess(rig, y + size);
    ct_solve_status status = settle(rig, rest, t, y);
    if (status == CT_SOLVED && !ct_past_is_settled(rig, rest, t, y))
        status = CT_SINGULAR;
    if (status == CT_SOLVED) {
        memcpy(z, y, size * sizeof *y);
        ct_past_settle(rig, y + size);
    }
    ct_arena_free(arena);
    return status;
}

ct_solve_status ct_settle_rig(ct_rig *rig, double t, double *z)
{
    if (rig->past)
        return settle_delays(rig, t, z);
    return ct_report_falling(rig) ? CT_SINGULAR : settle(rig, ct_rig_rest(rig), t, z);
}

/* ---- is it stable? */

enum { MOST_JUDGED = 200 };

static void report_unstable(const ct_rig *rig, const double *vector, double growth)
{
    const ct_machine *m = rig->machine;
    uint32_t most = largest_of(vector, m->n);
    ct_place place;
    const char *owner = ct_machine_owner(m, most, &place);
    ct_report *r = ct_warning(m->ctx, "W430", place, "this rest is not stable");
    ct_note(r, "a small push grows by a factor of e in %.3g s, most in %s", 1 / growth,
            ct_machine_variable(m, most));
    ct_help(r, "begin beside it to find the one that it falls to");
    ct_witness(r, *owner ? owner : ct_machine_variable(m, most));
}

/* Of a mechanism: bodies that are let go exactly there stay. Speeds of loops that rounding opens
 * grow by the root of it. */
static void judge_rest(ct_rig *rig, double t, const double *z, ct_arena *arena)
{
    const double rounding = rig->machine->invariant_count ? 1e-3 : 1e-6;
    const ct_problem *p = &rig->free;
    uint32_t n = p->n;
    double largest;
    if (!rig->machine->reduced->system->mechanics || p->m || n > MOST_JUDGED || !p->jacobian)
        return;
    ct_need_pattern(p);
    double *slope = CT_NEW_ARRAY(arena, double, p->start[n] + 1);
    double *a = CT_NEW_ARRAY(arena, double, (size_t)n *n + 1);
    double *vector = CT_NEW_ARRAY(arena, double, n + 1);
    p->jacobian(p->user, t, z, slope);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = p->start[j]; k < p->start[j + 1]; k++) {
            if (!isfinite(slope[k]))
                return;
            a[(size_t)j * n + p->row[k]] += slope[k];
        }
    double growth = ct_eigen_growth(arena, n, a, vector, &largest);
    if (growth > rounding * largest)
        report_unstable(rig, vector, growth);
}

void ct_rig_rest_by(ct_rig *rig, ct_rest_finder finder, void *user)
{
    rig->sure_rest = finder;
    rig->sure_user = user;
}

void ct_rig_follow(ct_rig *rig, const double *near, uint32_t count)
{
    bool fits = count == rig->machine->n + rig->machine->m;
    rig->near = fits && !rig->machine->reduced->system->mechanics ? near : NULL;
}

const ct_point *ct_operating_point(ct_rig *rig, double t, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    double *z = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    if (ct_initialise(rig, t, true, z) != CT_SOLVED)
        return NULL;
    bool all = m->n == 0 && rig->solved && !m->rest; /* nothing can change */
    if (m->model->initial_equilibrium)
        all = true; /* the start is it */
    if (!all && ct_settle_rig(rig, t, z) != CT_SOLVED)
        return NULL;
    if (!all)
        judge_rest(rig, t, z, arena);
    ct_note_start(rig);
    return ct_point_new(rig, t, z, rig->start_method, arena);
}

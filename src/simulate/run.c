/* run.c - a run: settings of the model, rows, what went wrong on the way. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "mechanics/mechanics.h"
#include "simulate/act.h"
#include "simulate/blow.h"
#include "simulate/jump.h"
#include "simulate/lookout.h"
#include "simulate/past.h"
#include "simulate/timed.h"
#include "simulate/variant.h"
#include "simulate/sheet.h"

static const double spoilt = 1e-6;      /* of the run: rows so near to its break */
static const double well_before = 1e-3; /* of the run: a stop that is advised */
static const double long_enough = 1e-3; /* seconds: long enough for the clock */

typedef struct running {
    ct_rig *rig;
    const ct_machine *m;
    const ct_simulation_def *def;
    ct_simulation *s;
    ct_arena *arena;
    ct_run_sheet sheet;
    double *most; /* of each unknown: its largest value in the run */
} running;

static bool is_interrupted(const running *r)
{
    return r->def->interrupted && *r->def->interrupted;
}

static bool take_row(void *user, double t, const double *z, const double *dx)
{
    running *r = user;
    (void)dx;
    if (is_interrupted(r))
        return false;
    ct_rig_columns(r->rig, t, z, r->sheet.column);
    ct_sheet_put(&r->sheet, t);
    return true;
}

static void tell_progress(void *user, double t)
{
    running *r = user;
    if (r->def->progress)
        r->def->progress(r->def->user, t, r->sheet.run.start, r->sheet.run.stop);
}

static void tell_step(void *user, double t)
{
    running *r = user;
    r->def->stepped(r->def->step_user, t);
}

/* ---- what went wrong */

/* Rows next to the time at which the run broke off, or beyond it, are no part of the solution. */
static void drop_bad_rows(running *r)
{
    ct_simulation *s = r->s;
    double last = s->stats.last_time - spoilt * (s->stats.last_time - s->start);
    ct_rows *rows[] = {&s->outputs, &s->curves};
    for (int k = 0; k < 2; k++)
        while (rows[k]->count) {
            const double *row = rows[k]->value + (rows[k]->count - 1) * rows[k]->cols;
            bool good = row[0] <= last || row[0] == s->start;
            for (uint32_t i = 0; i < rows[k]->cols; i++)
                good &= isfinite(row[i]) != 0;
            if (good)
                break;
            rows[k]->count--;
        }
    if (s->outputs.count < s->curves.count)
        s->curves.count = s->outputs.count;
    else
        s->outputs.count = s->curves.count;
}

/* What to try, by what happened. */
static const char *remedy(ct_solve_status status)
{
    switch (status) {
    case CT_NO_CONVERGENCE:
        return "try --tol 1e-8, --method bdf or --method rosenbrock, or make the law smooth there";
    case CT_TOO_MANY_STEPS:
        return "try a larger --tol or --method bdf, or a smaller --stop";
    case CT_TOO_STIFF:
        return "use auto, rosenbrock or bdf: their steps follow the solution";
    case CT_NOT_FINITE:
        return "keep arguments in range: of roots and logarithms above zero, divisors from zero";
    case CT_SINGULAR:
        return "a part has lost its law there: look for a factor that becomes zero";
    default:
        return "a law that jumps or grows without bound there needs a limit; else try --tol 1e-8 "
               "or --method bdf";
    }
}

static double value_named(const running *r, ct_name name)
{
    for (uint32_t i = 0; i < r->m->n; i++)
        if (r->m->z[i] == name)
            return r->s->z[i];
    return NAN;
}

/* Three angles whose first and third axis align: what to do instead; false: there are none. */
static bool advise_angles(const running *r, ct_report *report)
{
    static const double aligned = 0.02; /* sine between the two */
    const ct_mechanism *mech = r->m->driven->model->mechanism;
    for (uint32_t i = 0; mech && mech->spatial && i < mech->joint_count; i++) {
        const ct_joint *j = &mech->joint[i];
        const char *name = ct_name_text(r->m->ctx, j->name);
        if (!j->angles || ct_joint_turns(j->kind, true) < 3)
            continue;
        double q = value_named(r, ct_owned_symbol(r->m->model->symbols, j->name,
                                                  (ct_member){j->chart ? "p" : "q", 2}));
        bool around = ct_expr_is_zero(r->m->driven->model->pool, j->pin[0].c[0]) ==
                          ct_expr_is_zero(r->m->driven->model->pool, j->pin[2].c[0]) &&
                      ct_expr_is_zero(r->m->driven->model->pool, j->pin[0].c[1]) ==
                          ct_expr_is_zero(r->m->driven->model->pool, j->pin[2].c[1]);
        if (!(fabs(around ? sin(q) : cos(q)) < aligned))
            continue;
        ct_note(report,
                "the first and third axis of the angles of %s align there: they are singular",
                name);
        ct_help(report, "%s",
                j->chart                     ? "begin elsewhere, or with other angles"
                : j->kind == CT_JOINT_GIMBAL ? "let the rings stand otherwise, or take a ball"
                                             : "add rechoose = on, choose other angles, or leave "
                                               "out `angles`: a quaternion is nowhere singular");
        ct_witness(report, name);
        return true;
    }
    return false;
}

/* Kinetic energy of the second order may lose its sign when a beam bends far. */
static bool advise_bending(const running *r, ct_report *report)
{
    const ct_mechanism *mech = r->m->driven->model->mechanism;
    for (uint32_t i = 0; mech && i < mech->body_count; i++) {
        const ct_body *b = &mech->body[i];
        if (!b->flex || b->cable || b->meshed || r->s->status == CT_TOO_MANY_STEPS)
            continue;
        ct_note(report, "deflections of %s must stay small against its length",
                ct_name_text(r->m->ctx, b->name));
        ct_help(report,
                "`reference = mean` suits a body that nothing holds at its begin, `segments` "
                "one that bends far; else try a smaller --tol");
        ct_witness(report, ct_name_text(r->m->ctx, b->name));
        return true;
    }
    return false;
}

static void report_failure(running *r)
{
    const ct_machine *m = r->m;
    const ct_run_stats *stats = &r->s->stats;
    ct_place place;
    const char *owner = ct_machine_owner(m, stats->culprit, &place);
    if (r->s->status == CT_NO_MEMORY_LEFT)
        ct_throw(m->ctx, CT_ERR_MEMORY);
    if (r->s->status == CT_REPORTED ||
        ct_report_range_at(r->rig, stats->last_time, r->s->z, CT_BOTH_SIDES) ||
        ct_report_jump(r->rig))
        return;
    if (ct_report_stuck(r->rig, stats->last_time))
        return;
    if (r->s->status == CT_EVENT_STORM &&
        ct_report_storm(r->rig, stats->storm_root, stats->storm_since, stats->last_time))
        return;
    if (r->s->status == CT_LOST) {
        ct_report_lost(m, stats);
        return;
    }
    if (r->s->status == CT_EVENT_LOOP && ct_report_acts(r->rig, stats->last_time))
        return;
    if (r->s->status == CT_STEP_TOO_SMALL && ct_report_blows(r->rig, stats->last_time))
        return;
    if (ct_report_lock(r->rig, stats->last_time, stats->last_time - r->s->start, r->s->z))
        return;
    ct_report *report = ct_error(m->ctx, "E526", place, "the run broke off at t = %.9g s: %s",
                                 stats->last_time, ct_solve_status_text(r->s->status));
    if (stats->culprit < m->n + m->m)
        ct_note(report, "the trouble is with %s%s%s", ct_machine_variable(m, stats->culprit),
                *owner ? ", see " : "", owner);
    ct_note(report, "the rows before are good: look at them with --stop %.4g",
            stats->last_time - well_before * (stats->last_time - r->s->start));
    if (!advise_angles(r, report) && !advise_bending(r, report))
        ct_help(report, "%s", remedy(r->s->status));
    if (*owner)
        ct_witness(report, owner);
}

/* Mean processor time of an evaluation, measured afterwards: a clock in each call would spoil it.
 */
static double evaluation_seconds(running *r, const double *z)
{
    double *fg = CT_NEW_ARRAY(r->arena, double, r->m->n + r->m->m + 1);
    double begin = ct_cpu_clock(), end = begin;
    uint64_t calls = 0;
    for (; end - begin < long_enough && calls < 100000; end = ct_cpu_clock())
        for (int i = 0; i < 128; i++, calls++)
            r->rig->held.evaluate(r->rig, r->s->stats.last_time, z, fg);
    return (end - begin) / (double)calls;
}

/* An unknown that a column shows as it is; UINT32_MAX: the column is another one. */
static uint32_t shown_unknown(const ct_machine *m, uint32_t column)
{
    ct_expr e = m->column[column];
    bool symbol = ct_expr_kind_of(m->pool, e) == CT_EXPR_SYMBOL;
    uint32_t z = symbol ? ct_map_get(&m->z_index, ct_expr_name(m->pool, e)) : 0;
    return z && z <= m->n + m->m ? z - 1 : UINT32_MAX;
}

/* W599: of the least unknown that is shown and more than what rounding leaves of the others. Of
 * bodies only what was asked for: those that bend have many coordinates that hardly move. */
static void remark_sizes(const running *r)
{
    const double of_rounding = 1e-12, of_bodies = 1e-9; /* geometry is near one; beams are stiff */
    const ct_machine *m = r->m;
    bool bodies = m->reduced->system->mechanics;
    double noise = bodies ? of_bodies / of_rounding : 0;
    uint32_t least = UINT32_MAX, count = bodies ? m->model->output_count : m->output_count;
    for (uint32_t i = 0; i < m->n + m->m; i++)
        noise = fmax(noise, r->most[i]);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t z = shown_unknown(m, k);
        if (z != UINT32_MAX && r->most[z] > of_rounding * noise &&
            (least == UINT32_MAX || r->most[z] < r->most[least]))
            least = z;
    }
    if (least != UINT32_MAX && r->s->stats.by_tolerance)
        ct_sheet_remark_size(&r->sheet, ct_machine_variable(m, least), r->most[least]);
}

static void finish(running *r, const double *z)
{
    ct_simulation *s = r->s;
    s->wall_seconds += ct_wall_clock();
    s->cpu_seconds += ct_cpu_clock();
    ct_sheet_remark(&r->sheet);
    remark_sizes(r);
    s->rhs_seconds = evaluation_seconds(r, z) * (double)s->stats.rhs_evals;
    s->compile_seconds = r->m->seconds;
    s->nodes = ct_pool_count(r->m->pool);
    s->tape_ops = ct_program_operations(r->m->held.value);
    s->native = ct_program_is_native(r->m->held.value);
    ct_slope_effort(&r->rig->slope_held, r->m->held.value, s);
    if (s->status == CT_STOPPED || is_interrupted(r))
        s->status = CT_STOPPED;
    else if (s->status != CT_SOLVED) {
        report_failure(r);
        drop_bad_rows(r);
    } else if (ct_report_apart(r->rig, s->stats.last_time, z) ||
               ct_report_range_at(r->rig, s->stats.last_time, z, CT_BEFORE))
        s->status = CT_REPORTED;
}

/* Algebraic unknowns that are rates have the size of rates: an absolute tolerance meant for states
 * would ask for the impossible when one of them passes zero. */
static void set_typical(running *r, const double *z)
{
    const ct_machine *m = r->m;
    const ct_reduced *reduced = m->reduced;
    double *typical = CT_NEW_ARRAY(r->arena, double, m->n + m->m + 1);
    double most = fmax(1, 1e3 / r->rig->span); /* a unit in a thousandth of the run */
    double *fg = CT_NEW_ARRAY(r->arena, double, m->n + m->m + 1);
    r->rig->free.evaluate(r->rig, r->sheet.run.start, z, fg);
    for (uint32_t i = 0; i < m->n; i++)
        most = isfinite(fg[i]) ? fmax(most, fabs(fg[i])) : most;
    for (uint32_t i = 0; i < m->n + m->m; i++)
        typical[i] = i >= m->n && reduced->system->unknown[reduced->algebraic[i - m->n]].kind ==
                                      CT_UNKNOWN_RATE
                         ? most
                         : 1;
    r->rig->held.typical = typical;
}

static bool is_driven(const running *r)
{
    const ct_mechanics *mechanics = r->m->reduced->system->mechanics;
    if (!r->def->kinematic || (mechanics && mechanics->freedom == 0))
        return true;
    ct_report *e = ct_error(r->m->ctx, "E611", (ct_place){0},
                            mechanics ? "drivers leave this mechanism %d degree%s of freedom"
                                      : "there is no mechanism in this model",
                            mechanics ? mechanics->freedom : 0,
                            mechanics && mechanics->freedom == 1 ? "" : "s");
    ct_note(e, "kinematics is the motion that drivers prescribe, whatever the masses and forces");
    ct_help(e, "drive as many joints as there are freedoms (`beta = 2*t` as a key of a joint), or "
               "use `cotree run`");
    return false;
}

/* Explicit methods have no way to find algebraic unknowns; another method in their place would not
 * be what was asked for. */
static bool method_suits(const running *r)
{
    const ct_machine *m = r->m;
    ct_method method = r->sheet.run.method;
    const char *word = ct_methods[method].word;
    if (!ct_method_is(method, CT_METHOD_EXPLICIT) || m->n == 0 || m->m == 0)
        return true;
    ct_report *e = ct_error(m->ctx, "E525", (ct_place){0},
                            "method `%s` cannot solve the algebraic equations of this model", word);
    ct_note(e, "%s%s without derivatives", ct_machine_variable(m, m->n),
            m->m == 1 ? " follows from an equation" : " and others follow from equations");
    ct_help(e, "use auto, rosenbrock or bdf");
    ct_witness(e, word);
    return false;
}

static double value_of(const void *user, ct_expr e)
{
    return ct_rig_value(user, e);
}

static const char *state_name(const void *user, uint32_t state)
{
    return ct_machine_variable(((const ct_rig *)user)->machine, state);
}

static bool begin(running *r)
{
    const ct_machine *m = r->m;
    ct_run_sheet *sheet = &r->sheet;
    *sheet = (ct_run_sheet){.ctx = m->ctx,
                            .model = m->model,
                            .def = r->def,
                            .s = r->s,
                            .arena = r->arena,
                            .output_count = m->output_count,
                            .column_count = m->column_count,
                            .has_states = m->n > 0,
                            .value = value_of,
                            .name = state_name,
                            .user = r->rig};
    if (!is_driven(r) || !ct_sheet_settle(sheet) || !method_suits(r))
        return false;
    sheet->run.row = take_row;
    sheet->run.plain = true;
    sheet->run.row_user = r;
    sheet->run.progress = tell_progress;
    sheet->run.stepped = r->def->stepped ? tell_step : NULL;
    r->rig->span = sheet->run.stop - sheet->run.start;
    r->rig->interrupted = r->def->interrupted;
    ct_sheet_open(sheet);
    return true;
}

/* Interrupted before there was a row: a run without rows. */
static const ct_simulation *stop_at_start(running *r, const double *z)
{
    r->s->stats.method = "none";
    r->s->stats.last_time = r->sheet.run.start;
    r->s->z = z;
    finish(r, z);
    return r->s;
}

/* Rows that are still to come, as a list. */
static void list_times(running *r, ct_run_def *run)
{
    uint32_t count = run->points + 1;
    double *times = CT_NEW_ARRAY(r->arena, double, count);
    for (uint32_t i = 0; i < count; i++)
        times[i] = i == run->points ? run->stop
                                    : run->start + i * ((run->stop - run->start) / run->points);
    run->times = times;
    run->time_count = count;
}

/* Where something begins or ends to slide or rest, the equations are others. */
static ct_solve_status integrate(running *r, double *z)
{
    ct_run_def run = r->sheet.run;
    ct_simulation *s = r->s;
    enum { MOST_CHANGES = 100000 };
    if (r->rig->variants && !run.times)
        list_times(r, &run);
    ct_solve_status status = ct_integrate(r->m->ctx, &r->rig->held, &run, z, &s->stats);
    for (int i = 0; status == CT_CHANGED && i < MOST_CHANGES; i++) {
        ct_run_stats part;
        uint64_t done = s->outputs.count;
        double last = done ? s->outputs.value[(done - 1) * s->outputs.cols] : -INFINITY;
        while (run.time_count && run.times[0] <= last)
            run.times++, run.time_count--;
        run.start = s->stats.last_time;
        run.turned = s->stats.turned;
        run.whole_start = r->sheet.run.start;
        run.whole_stop = run.stop;
        if (!ct_use_variant(r->rig))
            return CT_SINGULAR;
        status = ct_integrate(r->m->ctx, &r->rig->held, &run, z, &part);
        ct_add_effort(&s->stats, &part);
    }
    return status;
}

const ct_simulation *ct_simulate(ct_rig *rig, const ct_simulation_def *def, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    ct_simulation *s = CT_NEW(arena, ct_simulation);
    running r = {.rig = rig, .m = m, .def = def, .s = s, .arena = arena};
    double *z = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    s->wall_seconds = -ct_wall_clock();
    s->cpu_seconds = -ct_cpu_clock();
    if (!begin(&r))
        return NULL;
    if (!ct_acting_begin(rig, r.sheet.run.start, r.sheet.run.stop))
        return NULL;
    ct_run_def *run = &r.sheet.run;
    run->most = r.most = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    run->largest_step = ct_past_step(rig, run->largest_step, run->rtol);
    ct_follow_swings(rig, run);
    ct_variants_begin(rig);
    ct_lookouts_begin(rig, r.sheet.run.start, r.sheet.run.stop);
    if (def->events)
        ct_acting_list(rig, arena);
    ct_solve_status start = ct_initialise(rig, r.sheet.run.start, false, z);
    if (start != CT_SOLVED) {
        rig->interrupted = NULL;
        return is_interrupted(&r) ? stop_at_start(&r, z) : NULL;
    }
    if (ct_report_tied_start(rig, r.sheet.run.start, z) ||
        ct_report_range_at(rig, r.sheet.run.start, z, CT_AFTER)) {
        rig->interrupted = NULL;
        return NULL;
    }
    ct_note_start(rig);
    s->start_method = rig->start_method;
    s->start_iterations = rig->start_iterations;
    set_typical(&r, z);
    s->start_seconds = s->cpu_seconds + ct_cpu_clock();
    s->z = z;
    s->status = integrate(&r, z);
    if (s->status == CT_SOLVED)
        s->status = ct_jump_through(rig, r.sheet.run.start, r.sheet.run.stop, &s->stats.last_time);
    if (rig->jumping)
        ct_tell_impulses(rig->machine->ctx, rig->jumping->told);
    ct_acting_end(rig, s);
    ct_past_end(rig);
    ct_variants_end(rig);
    ct_lookouts_end(rig);
    rig->interrupted = NULL;
    rig->held.typical = NULL;
    finish(&r, z);
    return s;
}

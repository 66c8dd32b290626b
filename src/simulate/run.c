/* run.c - a run: settings of the model, rows, what went wrong on the way. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/suggest.h"
#include "mechanics/mechanics.h"
#include "simulate/machine.h"

static const double atol_by_tol = 1e-3; /* usual absolute tolerance as a part of the relative one */
enum { MOST_POINTS = 100000000 };

typedef struct running {
    ct_rig *rig;
    const ct_machine *m;
    const ct_simulation_def *def;
    ct_simulation *s;
    ct_arena *arena;
    ct_run_def run;
    uint64_t room;
    double *column;
} running;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ct_simulation_def ct_default_simulation_def(void)
{
    return (ct_simulation_def){.start = NAN, .stop = NAN, .tol = NAN, .atol = NAN, .step = NAN};
}

/* ---- settings: the call's, else the model's, else the usual */

static double setting(const running *r, double given, ct_expr own, double usual)
{
    if (!isnan(given))
        return given;
    return own ? ct_rig_value(r->rig, own) : usual;
}

static bool set_method(running *r)
{
    static const struct {
        const char *name;
        ct_method method;
    } methods[] = {
        {"auto", CT_METHOD_AUTO},   {"bdf", CT_METHOD_BDF}, {"rosenbrock", CT_METHOD_ROSENBROCK},
        {"adams", CT_METHOD_ADAMS}, {"rk", CT_METHOD_RK},   {"independent", CT_METHOD_INDEPENDENT}};
    const ct_model *model = r->m->model;
    const char *name = r->def->method;
    if (!name && model->run.method)
        name = ct_name_text(r->m->ctx, model->run.method);
    ct_suggestion near = ct_suggest(name ? name : "");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (!name || strcmp(name, methods[i].name) == 0) {
            r->run.method = methods[i].method;
            return true;
        }
        ct_suggest_try(&near, methods[i].name);
    }
    ct_report *report = ct_error(r->m->ctx, "E525", (ct_place){0}, "there is no method `%s`", name);
    ct_help(report, "methods are auto, rk, rosenbrock, bdf, adams, independent");
    ct_witness(report, name);
    return false;
}

static bool wrong_setting(running *r, const char *what, const char *help)
{
    ct_report *report = ct_error(r->m->ctx, "E525", (ct_place){0}, "%s", what);
    ct_help(report, "%s", help);
    return false;
}

/* Without a stop there is one row, at the start: enough for a model without states. */
static bool set_stop(running *r)
{
    const ct_run_settings *own = &r->m->model->run;
    ct_run_def *run = &r->run;
    if (r->def->times) {
        run->times = r->def->times;
        run->time_count = r->def->time_count;
    }
    double last = run->time_count ? run->times[run->time_count - 1] : NAN;
    run->stop = setting(r, r->def->stop, isnan(last) ? own->stop : 0, last);
    if (!isnan(run->stop) || own->stop)
        return true;
    if (r->m->n)
        return wrong_setting(r, "when does the run stop?",
                             "write `simulate stop = 1 s` in the model, or give --stop");
    run->stop = run->start;
    run->times = &r->s->start;
    run->time_count = 1;
    return true;
}

static bool set_times(running *r)
{
    const ct_run_settings *own = &r->m->model->run;
    r->run.start = r->s->start = setting(r, r->def->start, own->start, 0);
    if (!isfinite(r->run.start))
        return wrong_setting(r, "the start of the run is no number", "give --start a time");
    if (!set_stop(r))
        return false;
    r->s->stop = r->run.stop;
    if (!(isfinite(r->run.stop) && r->run.stop >= r->run.start))
        return wrong_setting(r, "the run stops before it starts",
                             "--stop must not be below --start");
    if (r->run.stop == r->run.start && !r->run.times) {
        r->run.times = &r->s->start;
        r->run.time_count = 1;
    }
    if (r->run.times && r->run.times[0] < r->run.start)
        return wrong_setting(r, "a row is wanted before the start of the run",
                             "--times must not be below --start");
    return true;
}

static bool set_accuracy(running *r)
{
    const ct_run_settings *own = &r->m->model->run;
    double points = setting(r, r->def->points ? (double)r->def->points : NAN, own->points, 500);
    r->run.rtol = setting(r, r->def->tol, own->tol, 1e-6);
    r->run.atol = setting(r, r->def->atol, own->atol, atol_by_tol * r->run.rtol);
    r->run.largest_step = setting(r, r->def->step, own->step, 0);
    if (!(r->run.rtol > 0 && r->run.rtol < 1))
        return wrong_setting(r, "the tolerance must lie between 0 and 1", "usual is tol = 1e-6");
    if (!(r->run.atol >= 0 && isfinite(r->run.atol)))
        return wrong_setting(r, "the absolute tolerance must not be negative", "leave atol out");
    if (!(r->run.largest_step >= 0))
        return wrong_setting(r, "the largest step must not be negative", "leave step out");
    if (!(points >= 1 && points <= MOST_POINTS))
        return wrong_setting(r, "a run has 1 to 100 million points", "usual is points = 500");
    r->run.points = (uint32_t)points;
    return true;
}

/* ---- rows */

static const char *unit_of(const running *r, uint32_t output)
{
    ct_text text = ct_text_new(r->arena);
    if (output >= r->m->model->output_count)
        return "";
    ct_dim_put(&text, r->m->model->output[output].dim);
    return ct_text_string(&text);
}

static void open_outputs(running *r)
{
    const ct_machine *m = r->m;
    const char **name = CT_NEW_ARRAY(r->arena, const char *, m->output_count + 1);
    const char **unit = CT_NEW_ARRAY(r->arena, const char *, m->output_count + 1);
    name[0] = "time";
    unit[0] = "s";
    for (uint32_t i = 0; i < m->output_count; i++) {
        name[i + 1] = m->model->output_count ? m->model->output[i].name : ct_machine_variable(m, i);
        unit[i + 1] = unit_of(r, i);
    }
    r->s->outputs = (ct_rows){.name = name, .unit = unit, .cols = m->output_count + 1};
    r->s->outputs.value = CT_NEW_ARRAY(r->arena, double, r->room * r->s->outputs.cols + 1);
}

static void open_curves(running *r)
{
    const ct_model *model = r->m->model;
    uint32_t cols = r->m->column_count - r->m->output_count + 1, next = 1;
    const char **name = CT_NEW_ARRAY(r->arena, const char *, cols + 1);
    uint32_t *y = CT_NEW_ARRAY(r->arena, uint32_t, model->curve_count + 1);
    uint32_t *x = CT_NEW_ARRAY(r->arena, uint32_t, model->curve_count + 1);
    name[0] = "time";
    for (uint32_t i = 0; i < model->curve_count; i++) {
        y[i] = next;
        name[next++] = model->curve[i].label;
        if (!model->curve[i].over)
            continue;
        x[i] = next;
        name[next++] = model->curve[i].over_label;
    }
    r->s->curves = (ct_rows){.name = name, .cols = cols};
    r->s->curves.value = CT_NEW_ARRAY(r->arena, double, r->room *cols + 1);
    r->s->curve_y = y;
    r->s->curve_x = x;
    r->s->model = model;
}

static void put_row(ct_rows *rows, double t, const double *value)
{
    double *at = rows->value + rows->count++ * rows->cols;
    at[0] = t;
    memcpy(at + 1, value, (rows->cols - 1) * sizeof *at);
}

static bool take_row(void *user, double t, const double *z, const double *dx)
{
    running *r = user;
    (void)dx;
    if (r->def->interrupted && *r->def->interrupted)
        return false;
    if (r->s->outputs.count == r->room)
        return true;
    ct_rig_columns(r->rig, t, z, r->column);
    put_row(&r->s->outputs, t, r->column);
    put_row(&r->s->curves, t, r->column + r->m->output_count);
    return true;
}

static void tell_progress(void *user, double t)
{
    running *r = user;
    if (r->def->progress)
        r->def->progress(r->def->user, t, r->run.start, r->run.stop);
}

/* ---- what went wrong */

/* Rows next to the time at which the run broke off, or beyond it, are no part of the solution. */
static void drop_bad_rows(running *r)
{
    ct_simulation *s = r->s;
    double last = s->stats.last_time - 1e-6 * (s->stats.last_time - s->start);
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

static void report_failure(running *r)
{
    const ct_machine *m = r->m;
    const ct_run_stats *stats = &r->s->stats;
    ct_place place;
    const char *owner = ct_machine_owner(m, stats->culprit, &place);
    if (r->s->status == CT_NO_MEMORY_LEFT)
        ct_throw(m->ctx, CT_ERR_MEMORY);
    if (ct_report_lock(r->rig, stats->last_time, stats->last_time - r->s->start, r->s->z))
        return;
    ct_report *report = ct_error(m->ctx, "E526", place, "the run broke off at t = %.9g s: %s",
                                 stats->last_time, ct_solve_status_text(r->s->status));
    if (stats->culprit < m->n + m->m)
        ct_note(report, "the trouble is with %s%s%s", ct_machine_variable(m, stats->culprit),
                *owner ? ", see " : "", owner);
    ct_help(report, "look for a jump or a singularity near this time; the rows before it are good");
    if (*owner)
        ct_witness(report, owner);
}

/* Mean processor time of an evaluation, measured afterwards: a clock in each call would spoil it.
 */
static double evaluation_seconds(running *r, const double *z)
{
    double *fg = CT_NEW_ARRAY(r->arena, double, r->m->n + r->m->m + 1);
    double begin = now(CLOCK_THREAD_CPUTIME_ID), end = begin;
    uint64_t calls = 0;
    for (; end - begin < 1e-3 && calls < 100000; end = now(CLOCK_THREAD_CPUTIME_ID))
        for (int i = 0; i < 128; i++, calls++)
            r->rig->held.evaluate(r->rig, r->s->stats.last_time, z, fg);
    return (end - begin) / (double)calls;
}

static void finish(running *r, const double *z)
{
    ct_simulation *s = r->s;
    s->wall_seconds += now(CLOCK_MONOTONIC);
    s->cpu_seconds += now(CLOCK_THREAD_CPUTIME_ID);
    s->rhs_seconds = evaluation_seconds(r, z) * (double)s->stats.rhs_evals;
    s->compile_seconds = r->m->seconds;
    s->nodes = ct_pool_count(r->m->pool);
    s->tape_ops = ct_program_operations(r->m->held.value);
    s->native = ct_program_is_native(r->m->held.value);
    if (s->status == CT_STOPPED || (r->def->interrupted && *r->def->interrupted))
        s->status = CT_STOPPED;
    else if (s->status != CT_SOLVED) {
        report_failure(r);
        drop_bad_rows(r);
    }
}

/* Algebraic unknowns that are rates have the size of rates: an absolute tolerance meant for states
 * would ask for the impossible when one of them passes zero. */
static void set_typical(running *r, const double *z)
{
    const ct_machine *m = r->m;
    const ct_reduced *reduced = m->reduced;
    double *typical = CT_NEW_ARRAY(r->arena, double, m->n + m->m + 1), most = 1;
    double *fg = CT_NEW_ARRAY(r->arena, double, m->n + m->m + 1);
    r->rig->free.evaluate(r->rig, r->run.start, z, fg);
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

static bool begin(running *r)
{
    r->run = ct_default_run_def();
    if (!is_driven(r))
        return false;
    if (!set_method(r) || !set_times(r) || !set_accuracy(r))
        return false;
    r->run.row = take_row;
    r->run.row_user = r;
    r->run.progress = tell_progress;
    r->room = r->run.times ? r->run.time_count : r->run.points + 1;
    r->rig->span = r->run.stop - r->run.start;
    r->rig->interrupted = r->def->interrupted;
    r->column = CT_NEW_ARRAY(r->arena, double, r->m->column_count + 1);
    open_outputs(r);
    open_curves(r);
    return true;
}

const ct_simulation *ct_simulate(ct_rig *rig, const ct_simulation_def *def, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    ct_simulation *s = CT_NEW(arena, ct_simulation);
    running r = {.rig = rig, .m = m, .def = def, .s = s, .arena = arena};
    double *z = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    s->wall_seconds = -now(CLOCK_MONOTONIC);
    s->cpu_seconds = -now(CLOCK_THREAD_CPUTIME_ID);
    ct_warn_impulses(m);
    if (!begin(&r) || ct_initialise(rig, r.run.start, false, z) != CT_SOLVED)
        return NULL;
    set_typical(&r, z);
    s->start_seconds = s->cpu_seconds + now(CLOCK_THREAD_CPUTIME_ID);
    s->z = z;
    s->status = ct_integrate(m->ctx, &rig->held, &r.run, z, &s->stats);
    rig->interrupted = NULL;
    rig->held.typical = NULL;
    finish(&r, z);
    return s;
}

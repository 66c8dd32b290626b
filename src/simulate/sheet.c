/* sheet.c - settings of a run, and the rows that it fills. */
#include "simulate/sheet.h"

#include <math.h>
#include <string.h>

#include "base/words.h"

static const double atol_by_tol = 1e-3; /* usual absolute tolerance as a part of the relative one */
static const double many_steps = 1e4;   /* of a stiff run, to say a word */
enum { MOST_POINTS = 100000000 };

ct_simulation_def ct_default_simulation_def(void)
{
    return (ct_simulation_def){.start = NAN, .stop = NAN, .tol = NAN, .atol = NAN, .step = NAN};
}

/* ---- settings: the call's, else the model's, else the usual */

static double setting(const ct_run_sheet *r, double given, ct_expr own, double usual)
{
    if (!isnan(given))
        return given;
    return own ? r->value(r->user, own) : usual;
}

static bool set_method(ct_run_sheet *r)
{
    const ct_model *model = r->model;
    const char *name = r->def->method;
    if (!name && model->run.method)
        name = ct_name_text(r->ctx, model->run.method);
    uint32_t row;
    if (ct_word_find(ct_methods, name, &row)) {
        r->run.method = (ct_method)row;
        return true;
    }
    ct_report *report = ct_error(r->ctx, "E525", (ct_place){0}, "there is no method `%s`", name);
    ct_help(report, "methods are %s", ct_word_list(r->ctx, ct_methods));
    ct_witness(report, name);
    return false;
}

static bool wrong_setting(ct_run_sheet *r, const char *what, const char *help)
{
    ct_report *report = ct_error(r->ctx, "E525", (ct_place){0}, "%s", what);
    ct_help(report, "%s", help);
    return false;
}

/* Without a stop there is one row, at the start: enough for a model without states. */
static bool set_stop(ct_run_sheet *r)
{
    const ct_run_settings *own = &r->model->run;
    ct_run_def *run = &r->run;
    if (r->def->times) {
        run->times = r->def->times;
        run->time_count = r->def->time_count;
    }
    double last = run->time_count ? run->times[run->time_count - 1] : NAN;
    run->stop = setting(r, r->def->stop, isnan(last) ? own->stop : 0, last);
    if (!isnan(run->stop) || own->stop)
        return true;
    if (r->has_states)
        return wrong_setting(r, "when does the run stop?",
                             "write `simulate stop = 1 s` in the model, or give --stop");
    run->stop = run->start;
    run->times = &r->s->start;
    run->time_count = 1;
    return true;
}

static bool set_times(ct_run_sheet *r)
{
    const ct_run_settings *own = &r->model->run;
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

static bool set_accuracy(ct_run_sheet *r)
{
    const ct_run_settings *own = &r->model->run;
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
    if (r->run.largest_step > 0 &&
        r->run.stop - r->run.start > r->run.largest_step * (double)r->run.most_steps)
        return wrong_setting(r, "steps this small would be more than 100 million",
                             "make the largest step larger, or leave it out");
    if (!(points >= 1 && points <= MOST_POINTS))
        return wrong_setting(r, "a run has 1 to 100 million points", "usual is points = 500");
    r->run.points = (uint32_t)points;
    return true;
}

/* ---- rows */

static const char *unit_of(const ct_run_sheet *r, uint32_t output)
{
    if (output >= r->model->output_count)
        return "";
    const ct_output *o = &r->model->output[output];
    const char *unit = ct_expr_unit(r->model, o->expr);
    return unit ? unit : ct_dim_text(r->arena, o->dim);
}

static void open_outputs(ct_run_sheet *r)
{
    const char **name = CT_NEW_ARRAY(r->arena, const char *, r->output_count + 1);
    const char **unit = CT_NEW_ARRAY(r->arena, const char *, r->output_count + 1);
    name[0] = "time";
    unit[0] = "s";
    for (uint32_t i = 0; i < r->output_count; i++) {
        name[i + 1] = r->model->output_count ? r->model->output[i].name : r->name(r->user, i);
        unit[i + 1] = unit_of(r, i);
    }
    r->s->outputs = (ct_rows){.name = name, .unit = unit, .cols = r->output_count + 1};
    r->s->outputs.value = CT_NEW_ARRAY(r->arena, double, r->room * r->s->outputs.cols + 1);
}

static void open_curves(ct_run_sheet *r)
{
    const ct_model *model = r->model;
    uint32_t cols = r->column_count - r->output_count + 1, next = 1;
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

bool ct_sheet_settle(ct_run_sheet *r)
{
    r->run = ct_default_run_def();
    if (!set_method(r) || !set_times(r) || !set_accuracy(r))
        return false;
    r->room = ct_row_count(&r->run);
    return true;
}

void ct_sheet_open(ct_run_sheet *r)
{
    r->column = CT_NEW_ARRAY(r->arena, double, r->column_count + 1);
    open_outputs(r);
    open_curves(r);
}

bool ct_sheet_put(ct_run_sheet *r, double t)
{
    if (r->s->outputs.count == r->room)
        return false;
    put_row(&r->s->outputs, t, r->column);
    put_row(&r->s->curves, t, r->column + r->output_count);
    return true;
}

static void remark_stiffness(const ct_run_sheet *r)
{
    ct_report *report =
        ct_warning(r->ctx, "W597", (ct_place){0}, "the model is stiff for method `%s`",
                   ct_methods[r->run.method].word);
    ct_note(report, "stability and not accuracy holds its steps: about %.1g of them were to come",
            r->s->stats.foreseen);
    ct_help(report, "use auto, rosenbrock or bdf: their steps follow the solution");
}

static void remark_swings(const ct_run_sheet *r)
{
    double rate = r->s->stats.lost_swing, span = r->run.stop - r->run.start;
    ct_report *report = ct_warning(r->ctx, "W598", (ct_place){0},
                                   "steps pass over a sine of %.3g Hz", rate / (2 * acos(-1)));
    ct_note(report,
            "it turns %.2g times within the run; rows show one of its values each, and what "
            "follows from them is not reliable",
            rate * span / (2 * acos(-1)));
    ct_help(report, "shorten the run with --stop, or put its mean in place of the sine");
}

void ct_sheet_remark_size(const ct_run_sheet *r, const char *name, double most)
{
    const double digits = 100, part = 0.1; /* least part of tolerances; of the one to choose */
    bool chosen = !isnan(r->def->atol) || r->model->run.atol;
    if (chosen || r->s->status != CT_SOLVED || most >= digits * r->run.atol)
        return;
    ct_report *report =
        ct_warning(r->ctx, "W599", (ct_place){0},
                   "%s is %.1g at most, and the absolute tolerance %.1g", name, most, r->run.atol);
    ct_note(report, "errors below that do not count: they may be %.0f %% of such a value",
            fmin(100, 100 * r->run.atol / most));
    ct_help(report, "choose --atol %.0e, or `atol` of `simulate`",
            pow(10, floor(log10(part * r->run.rtol * most))));
}

void ct_sheet_remark(const ct_run_sheet *r)
{
    if (r->s->stats.foreseen > many_steps && r->s->status != CT_TOO_STIFF)
        remark_stiffness(r);
    if (r->s->stats.lost_swing > 0)
        remark_swings(r);
}

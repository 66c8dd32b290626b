/* simulate.c - the public calls of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/finite.h"
#include "api/status.h"
#include "base/suggest.h"
#include "export/result.h"
#include "runner/runner.h"
#include "units/units.h"

/* ---- making */

typedef struct make_job {
    const ct_tree *tree;
    const char *form;
    bool drawn;
    const ct_simulator *from;
    ct_context *own;
    ct_simulator *made;
} make_job;

static void make(void *user)
{
    make_job *job = user;
    job->made = ct_simulator_new(job->tree, job->form, job->drawn);
}

static void make_clone(void *user)
{
    make_job *job = user;
    job->made = ct_simulator_clone(job->from, job->own);
}

static ct_status make_it(ct_context *ctx, void (*body)(void *user), make_job *job,
                         ct_simulator **simulator)
{
    ct_status status = ct_call(ctx, body, job);
    *simulator = status == CT_OK ? job->made : NULL;
    return status == CT_OK && !job->made ? CT_ERR_MODEL : status;
}

ct_status ct_make_simulator(ct_context *ctx, const ct_tree *tree, const char *form,
                            ct_simulator **simulator)
{
    make_job job = {.tree = tree, .form = form};
    return make_it(ctx, make, &job, simulator);
}

ct_status ct_make_drawn_simulator(ct_context *ctx, const ct_tree *tree, const char *form,
                                  ct_simulator **simulator)
{
    make_job job = {.tree = tree, .form = form, .drawn = true};
    return make_it(ctx, make, &job, simulator);
}

ct_status ct_clone_simulator(const ct_simulator *simulator, ct_context *own, ct_simulator **clone)
{
    make_job job = {.from = simulator, .own = own};
    *clone = NULL;
    return ct_context_is_new(own) ? make_it(own, make_clone, &job, clone) : CT_ERR_USAGE;
}

/* ---- parameters */

typedef struct set_job {
    ct_simulator *s;
    const char *name;
    double value;
    bool found, frozen;
} set_job;

static void report_name(const ct_model *m, const char *name)
{
    ct_suggestion near = ct_suggest(name);
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_PARAM)
            ct_suggest_try(&near, ct_name_text(m->ctx, m->quantity[i].name));
    ct_report *r = ct_error(m->ctx, "E251", (ct_place){0}, "there is no param `%s`", name);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, name);
}

static void report_frozen(const ct_model *m, const ct_quantity *q)
{
    const char *name = ct_name_text(m->ctx, q->name);
    ct_report *r = ct_error(m->ctx, "E441", q->place,
                            "`%s` decides shapes that were found when the model was built", name);
    ct_help(r, "build the model anew with another value: `--set %s=...`, ct_build_def", name);
    ct_witness(r, name);
}

static void set_parameter(void *user)
{
    set_job *job = user;
    const ct_model *m = job->s->model;
    uint32_t q = ct_map_get(m->quantity_by_name, ct_intern_text(m->ctx, job->name));
    job->found = q && m->quantity[q - 1].kind == CT_PARAM;
    job->frozen = job->found && m->quantity[q - 1].frozen;
    if (job->frozen)
        report_frozen(m, &m->quantity[q - 1]);
    else if (job->found)
        ct_simulator_set(job->s, q - 1, job->value);
    else
        report_name(m, job->name);
}

ct_status ct_set_parameter(ct_context *ctx, ct_simulator *simulator, const char *name, double value)
{
    set_job job = {.s = simulator, .name = name, .value = value};
    ct_status status = ct_call(ctx, set_parameter, &job);
    if (status == CT_OK && job.frozen)
        return CT_ERR_MODEL;
    return status == CT_OK && !job.found ? CT_ERR_USAGE : status;
}

/* ---- runs */

typedef struct run_job {
    ct_simulator *s;
    const ct_simulation_def *def;
    double t;
    const ct_state_value *given;
    uint32_t given_count;
    const ct_simulation *simulation;
    const ct_result *result;
    const ct_point *point;
} run_job;

static ct_result *result_of(ct_context *ctx, const ct_simulator *simulator, const ct_simulation *s)
{
    ct_result *result = CT_NEW(ctx->base, ct_result);
    *result = (ct_result){.outputs = s->outputs,
                          .interrupted = s->status == CT_STOPPED,
                          .ended = s->ended,
                          .event = s->event,
                          .event_count = s->event_count,
                          .simulation = s};
    result->effort = (ct_effort){.steps = s->stats.steps,
                                 .rhs_evals = s->stats.rhs_evals,
                                 .jac_evals = s->stats.jac_evals,
                                 .newton_iters = s->stats.newton_iters,
                                 .restarts = s->stats.restarts,
                                 .roots_found = s->stats.roots_found,
                                 .rechosen = s->stats.rechosen,
                                 .wall_seconds = s->wall_seconds,
                                 .cpu_seconds = s->cpu_seconds,
                                 .start_seconds = s->start_seconds,
                                 .rhs_seconds = s->rhs_seconds,
                                 .compile_seconds = s->compile_seconds,
                                 .last_time = s->stats.last_time,
                                 .nodes = s->nodes,
                                 .tape_ops = s->tape_ops,
                                 .native = s->native,
                                 .jacobian = s->jacobian,
                                 .jacobian_entries = s->jacobian_entries,
                                 .jacobian_ops = s->jacobian_ops,
                                 .method = s->stats.method,
                                 .start_method = s->start_method ? s->start_method : "none",
                                 .start_iterations = s->start_iterations,
                                 .path = s->numeric ? "numeric" : "symbolic",
                                 .why_not = simulator->why_not};
    return result;
}

static void run(void *user)
{
    run_job *job = user;
    job->simulation = ct_simulator_run(job->s, job->def, ct_arena_new(job->s->ctx));
    if (!job->simulation)
        return;
    ct_warn_of_rows(job->s->model, &job->simulation->outputs, 1);
    job->result = result_of(job->s->ctx, job->s, job->simulation);
}

ct_status ct_run(ct_context *ctx, ct_simulator *simulator, const ct_simulation_def *def,
                 const ct_result **result)
{
    ct_simulation_def usual = ct_default_simulation_def();
    run_job job = {.s = simulator, .def = def ? def : &usual};
    size_t errors = ct_error_count(ctx);
    ct_status status = ct_call(ctx, run, &job);
    *result = status == CT_OK ? job.result : NULL;
    if (status != CT_OK)
        return status;
    if (!job.result)
        return ct_failure(ctx);
    return ct_error_count(ctx) > errors ? CT_ERR_CONVERGENCE : CT_OK;
}

static void settle(void *user)
{
    run_job *job = user;
    job->point = ct_simulator_rest(job->s, job->t, ct_arena_new(job->s->ctx));
    if (job->point)
        ct_warn_of_point(job->s->model, job->point);
}

static void evaluate(void *user)
{
    run_job *job = user;
    job->point =
        ct_simulator_at(job->s, job->t, job->given, job->given_count, ct_arena_new(job->s->ctx));
    if (job->point)
        ct_warn_of_point(job->s->model, job->point);
}

static ct_status point_of(ct_context *ctx, void (*body)(void *user), run_job *job,
                          const ct_point **point)
{
    ct_status status = ct_call(ctx, body, job);
    *point = status == CT_OK ? job->point : NULL;
    if (status != CT_OK || *point)
        return status;
    return ct_failure(ctx);
}

ct_status ct_find_equilibrium(ct_context *ctx, ct_simulator *simulator, double t,
                              const ct_point **point)
{
    run_job job = {.s = simulator, .t = t};
    return point_of(ctx, settle, &job, point);
}

ct_status ct_evaluate_at(ct_context *ctx, ct_simulator *simulator, double t,
                         const ct_state_value *given, uint32_t count, const ct_point **point)
{
    run_job job = {.s = simulator, .t = t, .given = given, .given_count = count};
    return point_of(ctx, evaluate, &job, point);
}

typedef struct hessian_job {
    run_job run;
    const char *quantity;
    const ct_hessian *made;
} hessian_job;

static void curve(void *user)
{
    hessian_job *job = user;
    ct_arena *arena = ct_arena_new(job->run.s->model->ctx);
    if (ct_simulator_rig(job->run.s))
        job->made = ct_rig_hessian(job->run.s->rig, job->quantity, job->run.t, job->run.given,
                                   job->run.given_count, arena);
}

ct_status ct_find_hessian(ct_context *ctx, ct_simulator *simulator, const char *quantity, double t,
                          const ct_state_value *given, uint32_t count, const ct_hessian **hessian)
{
    hessian_job job = {.run = {.s = simulator, .t = t, .given = given, .given_count = count},
                       .quantity = quantity};
    ct_status status = ct_call(ctx, curve, &job);
    *hessian = status == CT_OK ? job.made : NULL;
    if (status != CT_OK || *hessian)
        return status;
    return ct_failure(ctx);
}

/* ---- showing */

typedef struct show_job {
    ct_context *ctx;
    const ct_result *result;
    const ct_point *point;
    const char *format;
    uint32_t width;
    bool colour, json, good;
    ct_text out;
} show_job;

static void show_result(void *user)
{
    show_job *job = user;
    ct_result_look look = {job->width, job->colour};
    job->out = ct_text_new(job->ctx->base);
    job->good = ct_result_put(job->result, job->format, &look, &job->out);
}

ct_status ct_show_result(ct_context *ctx, const ct_result *result, const char *format,
                         uint32_t width, bool colour, const char **text, size_t *length)
{
    show_job job = {
        .ctx = ctx, .result = result, .format = format, .width = width, .colour = colour};
    ct_status status = ct_call(ctx, show_result, &job);
    if (status == CT_OK && !job.good)
        status = CT_ERR_USAGE;
    *text = status == CT_OK ? ct_text_string(&job.out) : NULL;
    ct_tell_length(length, status == CT_OK ? job.out.length : 0);
    return status;
}

static void show_point(void *user)
{
    show_job *job = user;
    job->out = ct_text_new(job->ctx->base);
    if (job->json)
        ct_point_put_json(job->ctx, job->point, &job->out);
    else
        ct_point_put_text(job->point, &job->out);
}

ct_status ct_show_point(ct_context *ctx, const ct_point *point, bool json, const char **text)
{
    show_job job = {.ctx = ctx, .point = point, .json = json};
    ct_status status = ct_call(ctx, show_point, &job);
    *text = status == CT_OK ? ct_text_string(&job.out) : NULL;
    return status;
}

/* ---- times and frequencies */

typedef struct quantity_job {
    ct_context *ctx;
    const char *text;
    int power; /* of the second */
    double value;
    const char *unit; /* in the text; "": none */
    bool good;
} quantity_job;

static void read_quantity(void *user)
{
    quantity_job *job = user;
    char *end;
    ct_unit unit;
    const char *problem, *hint;
    job->unit = "";
    job->value = strtod(job->text, &end);
    if (end == job->text)
        return;
    job->unit = end += strspn(end, " ");
    job->good = *end == '\0' && isfinite(job->value);
    if (*end == '\0' || !ct_unit_read(job->ctx, end, strlen(end), &unit, &problem, &hint))
        return;
    ct_dim wanted = ct_dim_none();
    wanted.e[CT_SECOND] = (int8_t)job->power;
    job->good = ct_dim_equal(unit.dim, wanted) && isfinite(job->value);
    job->value *= (double)unit.num / (double)unit.den * pow(acos(-1), unit.pi_power);
}

ct_status ct_read_time(ct_context *ctx, const char *text, double *seconds)
{
    quantity_job job = {.ctx = ctx, .text = text, .power = 1};
    ct_status status = ct_call(ctx, read_quantity, &job);
    *seconds = job.value;
    return status == CT_OK && !job.good ? CT_ERR_USAGE : status;
}

/* rad counts as 1, so that the unit must be looked at: turns per time are in Hz. */
ct_status ct_read_frequency(ct_context *ctx, const char *text, double *value, bool *hz)
{
    quantity_job job = {.ctx = ctx, .text = text, .power = -1};
    ct_status status = ct_call(ctx, read_quantity, &job);
    size_t length = strlen(job.unit);
    *value = job.value;
    *hz = length >= 2 && strcmp(job.unit + length - 2, "Hz") == 0;
    return status == CT_OK && !job.good ? CT_ERR_USAGE : status;
}

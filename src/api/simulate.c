/* simulate.c - the public calls of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/finite.h"
#include "api/status.h"
#include "api/simulator.h"
#include "base/codes.h"
#include "base/suggest.h"
#include "export/decimal.h"
#include "export/table.h"
#include "nodal/nodal.h"
#include "units/units.h"

/* ---- making */

typedef struct make_job {
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const char *form;
    bool drawn;
    ct_simulator *made;
} make_job;

enum { NUMERIC = -1, USUAL = -2 };

static bool find_form(ct_context *ctx, const char *name, int *form)
{
    static const struct {
        const char *name;
        int form;
    } forms[] = {{"nodal", CT_FORM_NODAL},
                 {"branch-chord", CT_FORM_BRANCH_CHORD},
                 {"tableau", CT_FORM_TABLEAU},
                 {"numeric", NUMERIC}};
    *form = USUAL;
    for (size_t i = 0; name && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(name, forms[i].name) == 0)
            *form = forms[i].form;
    if (!name || *form != USUAL)
        return true;
    ct_report *r = ct_error(ctx, "E525", (ct_place){0}, "there is no form `%s`", name);
    ct_help(r, "forms are nodal, branch-chord, tableau, numeric");
    ct_witness(r, name);
    return false;
}

/* Derives the equations, for those who need more than numbers, or where numbers alone fail. */
static bool derive(ct_simulator *s, bool drawn)
{
    if (s->machine)
        return true;
    const ct_system *system = ct_formulate(s->model, s->graph, s->tree, s->form);
    const ct_reduced *reduced = system ? ct_reduce_only(system) : NULL;
    s->machine = reduced ? ct_machine_drawn(reduced, drawn) : NULL;
    return s->machine != NULL;
}

ct_rig *ct_simulator_rig(ct_simulator *s)
{
    if (!s->rig && derive(s, false))
        s->rig = ct_rig_new(s->machine, s->value);
    return s->rig;
}

static bool is_numeric(const make_job *job, int form)
{
    const ct_model *m = job->model;
    bool large = form == USUAL && m->component_count >= CT_NODAL_LEAST;
    return (large || form == NUMERIC) && !job->drawn && ct_nodal_suits(m);
}

static void make(void *user)
{
    make_job *job = user;
    ct_context *ctx = job->model->ctx;
    int form;
    if (!find_form(ctx, job->form, &form))
        return;
    ct_arena *arena = ct_arena_new(ctx);
    ct_simulator *s = CT_NEW(arena, ct_simulator);
    uint32_t count = job->model->quantity_count;
    *s =
        (ct_simulator){.arena = arena, .model = job->model, .graph = job->graph, .tree = job->tree};
    s->form = form < 0 ? CT_FORM_NODAL : (ct_form)form;
    s->numeric = is_numeric(job, form);
    if (!s->numeric && !derive(s, job->drawn))
        return;
    s->value = CT_NEW_ARRAY(arena, double, count + 1);
    s->own = CT_NEW_ARRAY(arena, bool, count + 1);
    for (uint32_t i = 0; i < count; i++)
        s->value[i] = job->model->quantity_value[i];
    job->made = s;
}

static ct_status make_it(ct_context *ctx, make_job *job, ct_simulator **simulator)
{
    ct_status status = ct_protect(ctx, make, job);
    *simulator = status == CT_OK ? job->made : NULL;
    return status == CT_OK && !job->made ? CT_ERR_MODEL : status;
}

ct_status ct_make_simulator(ct_context *ctx, const ct_model *model, const ct_graph *graph,
                            const ct_tree *tree, const char *form, ct_simulator **simulator)
{
    make_job job = {model, graph, tree, form, false, NULL};
    return make_it(ctx, &job, simulator);
}

ct_status ct_make_drawn_simulator(ct_context *ctx, const ct_model *model, const ct_graph *graph,
                                  const ct_tree *tree, const char *form, ct_simulator **simulator)
{
    make_job job = {model, graph, tree, form, true, NULL};
    return make_it(ctx, &job, simulator);
}

/* ---- parameters */

typedef struct set_job {
    ct_simulator *s;
    const char *name;
    double value;
    bool found;
} set_job;

static double look_up(void *user, ct_name symbol)
{
    const ct_simulator *s = user;
    uint32_t q = ct_map_get(s->model->quantity_by_name, symbol);
    return q ? s->value[q - 1] : NAN;
}

/* Defaults that use other params, until nothing changes: they form no circle. */
static void follow(ct_simulator *s)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round < s->model->quantity_count; round++) {
        changed = false;
        for (uint32_t i = 0; i < s->model->quantity_count; i++) {
            const ct_quantity *q = &s->model->quantity[i];
            if (q->kind != CT_PARAM || !q->value || s->own[i])
                continue;
            double now = ct_expr_value(s->model->pool, q->value, look_up, s);
            changed |= !(now == s->value[i] || (isnan(now) && isnan(s->value[i])));
            s->value[i] = now;
        }
    }
}

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

static void set_parameter(void *user)
{
    set_job *job = user;
    ct_simulator *s = job->s;
    const ct_model *m = s->model;
    uint32_t q = ct_map_get(m->quantity_by_name, ct_intern_text(m->ctx, job->name));
    if (!q || m->quantity[q - 1].kind != CT_PARAM) {
        report_name(m, job->name);
        return;
    }
    s->value[q - 1] = job->value;
    s->own[q - 1] = true;
    follow(s);
    ct_rig_free(s->rig);
    s->rig = NULL;
    job->found = true;
}

ct_status ct_set_parameter(ct_context *ctx, ct_simulator *simulator, const char *name, double value)
{
    set_job job = {simulator, name, value, false};
    ct_status status = ct_protect(ctx, set_parameter, &job);
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
    const ct_point *point;
} run_job;

static void run(void *user)
{
    run_job *job = user;
    ct_simulator *s = job->s;
    ct_arena *arena = ct_arena_new(s->model->ctx);
    bool done = false;
    if (s->numeric)
        job->simulation =
            ct_nodal_run(s->model, s->graph, s->tree, s->value, job->def, arena, &done);
    if (!done && ct_simulator_rig(job->s))
        job->simulation = ct_simulate(s->rig, job->def, arena);
    if (job->simulation)
        ct_warn_of_rows(s->model, &job->simulation->outputs, 1);
}

static ct_result *result_of(ct_context *ctx, const ct_simulation *s)
{
    ct_result *result = CT_NEW(ctx->base, ct_result);
    *result =
        (ct_result){.outputs = s->outputs, .interrupted = s->status == CT_STOPPED, .simulation = s};
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
                                 .path = s->numeric ? "numeric" : "symbolic"};
    return result;
}

/* Numbers failed, not the model. */
bool ct_is_numerical(const ct_context *ctx)
{
    return ct_code_reported(ctx, CT_ERR_CONVERGENCE);
}

ct_status ct_run(ct_context *ctx, ct_simulator *simulator, const ct_simulation_def *def,
                 const ct_result **result)
{
    ct_simulation_def usual = ct_default_simulation_def();
    run_job job = {.s = simulator, .def = def ? def : &usual};
    size_t errors = ct_error_count(ctx);
    ct_status status = ct_protect(ctx, run, &job);
    *result = NULL;
    if (status != CT_OK)
        return status;
    if (!job.simulation)
        return ct_is_numerical(ctx) ? CT_ERR_CONVERGENCE : CT_ERR_MODEL;
    *result = result_of(ctx, job.simulation);
    return ct_error_count(ctx) > errors ? CT_ERR_CONVERGENCE : CT_OK;
}

static void settle(void *user)
{
    run_job *job = user;
    ct_simulator *s = job->s;
    ct_arena *arena = ct_arena_new(s->model->ctx);
    if (s->numeric)
        job->point = ct_nodal_point(s->model, s->graph, s->tree, s->value, job->t, arena);
    if (!job->point && ct_simulator_rig(job->s))
        job->point = ct_point_bodies(s->rig, ct_operating_point(s->rig, job->t, arena), arena);
    if (job->point)
        ct_warn_of_point(s->model, job->point);
}

static void evaluate(void *user)
{
    run_job *job = user;
    ct_arena *arena = ct_arena_new(job->s->model->ctx);
    if (!ct_simulator_rig(job->s))
        return;
    ct_rig *rig = job->s->rig;
    job->point = ct_evaluate(rig, job->t, job->given, job->given_count, arena);
    job->point = ct_point_bodies(rig, job->point, arena);
    if (job->point)
        ct_warn_of_point(job->s->model, job->point);
}

static ct_status point_of(ct_context *ctx, void (*body)(void *user), run_job *job,
                          const ct_point **point)
{
    ct_status status = ct_protect(ctx, body, job);
    *point = status == CT_OK ? job->point : NULL;
    if (status != CT_OK || *point)
        return status;
    return ct_is_numerical(ctx) ? CT_ERR_CONVERGENCE : CT_ERR_MODEL;
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
    ct_status status = ct_protect(ctx, curve, &job);
    *hessian = status == CT_OK ? job.made : NULL;
    if (status != CT_OK || *hessian)
        return status;
    return ct_is_numerical(ctx) ? CT_ERR_CONVERGENCE : CT_ERR_MODEL;
}

/* ---- showing */

typedef struct show_job {
    ct_context *ctx;
    const ct_result *result;
    const ct_point *point;
    ct_result_format format;
    uint32_t width;
    bool colour, json;
    ct_text out;
} show_job;

static void put_number(ct_text *out, double value)
{
    char text[CT_DECIMAL_ROOM];
    if (isfinite(value))
        ct_put_bytes(out, text, ct_decimal_write(text, value));
    else
        ct_put(out, "null");
}

static void put_effort(const ct_effort *e, ct_text *out)
{
    ct_putf(out, "{\"steps\":%llu,\"rhs_evals\":%llu,\"jac_evals\":%llu,\"newton_iters\":%llu",
            (unsigned long long)e->steps, (unsigned long long)e->rhs_evals,
            (unsigned long long)e->jac_evals, (unsigned long long)e->newton_iters);
    const struct {
        const char *key;
        double value;
    } seconds[] = {{"wall_seconds", e->wall_seconds},       {"cpu_seconds", e->cpu_seconds},
                   {"start_seconds", e->start_seconds},     {"rhs_seconds", e->rhs_seconds},
                   {"compile_seconds", e->compile_seconds}, {"last_time", e->last_time}};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        ct_putf(out, ",\"%s\":", seconds[i].key);
        put_number(out, seconds[i].value);
    }
    ct_putf(out,
            ",\"nodes\":%u,\"tape_ops\":%u,\"native\":%s,\"restarts\":%llu,\"events\":%llu,"
            "\"rechosen\":%llu",
            e->nodes, e->tape_ops, e->native ? "true" : "false", (unsigned long long)e->restarts,
            (unsigned long long)e->roots_found, (unsigned long long)e->rechosen);
    ct_putf(out, ",\"jacobian\":\"%s\",\"jacobian_entries\":%u,\"jacobian_ops\":%u",
            e->jacobian ? e->jacobian : "none", e->jacobian_entries, e->jacobian_ops);
    ct_put(out, ",\"method\":");
    ct_put_json(out, e->method);
    ct_putf(out, ",\"start\":{\"method\":\"%s\",\"iterations\":%llu}", e->start_method,
            (unsigned long long)e->start_iterations);
    ct_putf(out, ",\"path\":\"%s\"}\n", e->path);
}

static ct_table table_of(const ct_rows *rows)
{
    return (ct_table){.name = rows->name,
                      .unit = rows->unit,
                      .cols = rows->cols,
                      .rows = rows->count,
                      .value = rows->value};
}

static const double *column_of(const ct_rows *rows, uint32_t column, ct_arena *arena)
{
    double *value = CT_NEW_ARRAY(arena, double, rows->count + 1);
    for (uint64_t i = 0; i < rows->count; i++)
        value[i] = rows->value[i * rows->cols + column];
    return value;
}

/* `voltage [V]`, when all curves are of one kind. */
static const char *axis_label(const ct_model *m, uint32_t first, uint32_t count)
{
    ct_dim dim = m->curve[first].dim;
    for (uint32_t i = 1; i < count; i++)
        if (!ct_dim_equal(dim, m->curve[first + i].dim))
            return NULL;
    if (ct_dim_is_one(dim))
        return NULL;
    ct_text text = ct_text_new(m->ctx->base);
    const char *quantity = ct_dim_quantity(dim);
    ct_putf(&text, "%s [", count == 1 || !quantity ? m->curve[first].label : quantity);
    ct_dim_put(&text, dim);
    ct_put(&text, "]");
    return ct_text_string(&text);
}

/* The curves of one `plot` statement. */
static ct_figure figure_of(const ct_simulation *s, const ct_model *m, uint32_t first,
                           uint32_t count, ct_arena *arena)
{
    ct_plot_curve *curve = CT_NEW_ARRAY(arena, ct_plot_curve, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = s->curve_x[first + i];
        curve[i] = (ct_plot_curve){.label = m->curve[first + i].label,
                                   .x = x ? column_of(&s->curves, x, arena) : NULL,
                                   .y = column_of(&s->curves, s->curve_y[first + i], arena),
                                   .count = s->curves.count};
    }
    const char *over = m->curve[first].over_label;
    return (ct_figure){.title = m->curve[first].title,
                       .x_label = over ? over : "time [s]",
                       .y_label = axis_label(m, first, count),
                       .curve = curve,
                       .curve_count = count,
                       .time = column_of(&s->curves, 0, arena)};
}

static const ct_figure *figures_of(const ct_result *result, ct_arena *arena, uint32_t *count)
{
    const ct_simulation *s = result->simulation; /* NULL: of .dc or .ac */
    const ct_model *m = s ? s->model : NULL;
    uint32_t curves = s ? m->curve_count : 0;
    ct_figure *figure = CT_NEW_ARRAY(arena, ct_figure, curves + 1);
    *count = 0;
    for (uint32_t i = 0, k; i < curves; i = k) {
        for (k = i + 1; k < curves && m->curve[k].figure == m->curve[i].figure;)
            k++;
        figure[(*count)++] = figure_of(s, m, i, k - i, arena);
    }
    if (*count)
        return figure;
    ct_table table = table_of(&result->outputs);
    return ct_table_figures(&table, 0, arena, count);
}

static void put_figures(show_job *job)
{
    uint32_t count;
    ct_arena *arena = ct_arena_new(job->ctx);
    const ct_figure *figure = figures_of(job->result, arena, &count);
    if (job->format == CT_RESULT_SVG)
        ct_figures_put_svg(figure, count, &job->out);
    for (uint32_t i = 0; job->format == CT_RESULT_TERMINAL && i < count; i++)
        ct_figure_put_terminal(&figure[i], job->width, 20, job->colour, &job->out);
    ct_arena_free(arena);
}

static void show_result(void *user)
{
    show_job *job = user;
    ct_table table = table_of(&job->result->outputs);
    job->out = ct_text_new(job->ctx->base);
    switch (job->format) {
    case CT_RESULT_CSV:
        ct_table_put_csv(&table, &job->out);
        break;
    case CT_RESULT_MAT:
        ct_table_put_mat(&table, &job->out);
        break;
    case CT_RESULT_SVG:
    case CT_RESULT_TERMINAL:
        put_figures(job);
        break;
    case CT_RESULT_EFFORT:
        put_effort(&job->result->effort, &job->out);
        break;
    }
}

ct_status ct_show_result(ct_context *ctx, const ct_result *result, ct_result_format format,
                         uint32_t width, bool colour, const char **text, size_t *length)
{
    show_job job = {
        .ctx = ctx, .result = result, .format = format, .width = width, .colour = colour};
    ct_status status = ct_protect(ctx, show_result, &job);
    *text = status == CT_OK ? ct_text_string(&job.out) : NULL;
    ct_tell_length(length, status == CT_OK ? job.out.length : 0);
    return status;
}

static void put_object(ct_text *out, const char *key, const char *const *name, const double *value,
                       uint32_t count)
{
    ct_putf(out, ",\"%s\":{", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? "," : "");
        ct_put_json(out, name[i]);
        ct_put_char(out, ':');
        put_number(out, value[i]);
    }
    ct_put_char(out, '}');
}

static void put_numbers(ct_text *out, const double *value, uint32_t count)
{
    ct_put_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? "," : "");
        put_number(out, value[i]);
    }
    ct_put_char(out, ']');
}

/* Of states, then of variables of joints and bodies that are none. */
static void put_derivatives(ct_text *out, const ct_point *p)
{
    put_object(out, "derivatives", p->state, p->rate, p->state_count);
    out->length--; /* the bracket */
    for (uint32_t i = 0; i < p->motion_count; i++) {
        ct_put(out, i || p->state_count ? "," : "");
        ct_put_json(out, p->motion[i]);
        ct_put_char(out, ':');
        put_number(out, p->motion_rate[i]);
    }
    ct_put_char(out, '}');
}

static void put_point_json(const ct_point *p, ct_text *out)
{
    ct_put(out, "{\"time\":");
    put_number(out, p->time);
    if (p->method)
        ct_putf(out, ",\"method\":\"%s\",\"iterations\":%llu", p->method,
                (unsigned long long)p->iterations);
    put_object(out, "states", p->state, p->x, p->state_count);
    put_derivatives(out, p);
    put_object(out, "algebraic", p->algebraic, p->w, p->algebraic_count);
    ct_put(out, ",\"coordinates\":[");
    for (uint32_t i = 0; i < p->coordinate_count; i++) {
        ct_put(out, i ? "," : "");
        ct_put_json(out, p->coordinate[i]);
    }
    ct_put(out, "],\"M\":[");
    for (uint32_t i = 0; i < p->body_count; i++) {
        ct_put(out, i ? "," : "");
        put_numbers(out, p->mass + (size_t)i * p->body_count, p->body_count);
    }
    ct_put(out, "],\"Q\":");
    put_numbers(out, p->force, p->body_count);
    ct_put(out, ",\"Phi\":");
    put_numbers(out, p->position, p->constraint_count);
    put_object(out, "multipliers", p->multiplier, p->lambda, p->constraint_count);
    if (p->motion_count)
        put_object(out, "joints", p->motion, p->motion_value, p->motion_count);
    put_object(out, "outputs", p->output, p->y, p->output_count);
    ct_put(out, "}\n");
}

static size_t widest(const ct_point *p)
{
    size_t width = 4;
    for (uint32_t i = 0; i < p->state_count; i++)
        if (ct_text_width(p->state[i]) > width)
            width = ct_text_width(p->state[i]);
    for (uint32_t i = 0; i < p->output_count; i++)
        if (ct_text_width(p->output[i]) > width)
            width = ct_text_width(p->output[i]);
    return width < 60 ? width : 60;
}

static void put_line(ct_text *out, const char *name, size_t width, double value)
{
    size_t own = ct_text_width(name);
    ct_putf(out, "  %s", name);
    ct_put_repeat(out, ' ', own < width ? width - own : 0);
    ct_putf(out, " = %.9g", isnan(value) ? NAN : value + 0.0); /* no -0 */
}

static void put_point_text(const ct_point *p, ct_text *out)
{
    size_t width = widest(p);
    ct_putf(out, "at t = %.9g s\n", p->time);
    if (p->method && strcmp(p->method, CT_METHOD_NEWTON) != 0 &&
        strcmp(p->method, CT_METHOD_LIMITING) != 0)
        ct_putf(out, "found by %s\n", p->method);
    if (p->state_count)
        ct_put(out, "states\n");
    for (uint32_t i = 0; i < p->state_count; i++) {
        put_line(out, p->state[i], width, p->x[i]);
        ct_putf(out, "   changing by %.9g per second\n", p->rate[i] + 0.0);
    }
    if (p->constraint_count)
        ct_put(out, "multipliers\n");
    for (uint32_t i = 0; i < p->constraint_count; i++) {
        put_line(out, p->multiplier[i], width, p->lambda[i]);
        ct_put_char(out, '\n');
    }
    if (p->output_count)
        ct_put(out, "outputs\n");
    for (uint32_t i = 0; i < p->output_count; i++) {
        put_line(out, p->output[i], width, p->y[i]);
        ct_put_char(out, '\n');
    }
}

static void show_point(void *user)
{
    show_job *job = user;
    job->out = ct_text_new(job->ctx->base);
    if (job->json)
        put_point_json(job->point, &job->out);
    else
        put_point_text(job->point, &job->out);
}

ct_status ct_show_point(ct_context *ctx, const ct_point *point, bool json, const char **text)
{
    show_job job = {.ctx = ctx, .point = point, .json = json};
    ct_status status = ct_protect(ctx, show_point, &job);
    *text = status == CT_OK ? ct_text_string(&job.out) : NULL;
    return status;
}

/* ---- times */

typedef struct time_job {
    ct_context *ctx;
    const char *text;
    double seconds;
    bool good;
} time_job;

static void read_time(void *user)
{
    time_job *job = user;
    char *end;
    ct_unit unit;
    const char *problem, *hint;
    job->seconds = strtod(job->text, &end);
    if (end == job->text)
        return;
    end += strspn(end, " ");
    job->good = *end == '\0' && isfinite(job->seconds);
    if (*end == '\0' || !ct_unit_read(job->ctx, end, strlen(end), &unit, &problem, &hint))
        return;
    ct_dim second = ct_dim_none();
    second.e[CT_SECOND] = 1;
    job->good = ct_dim_equal(unit.dim, second) && unit.pi_power == 0 && isfinite(job->seconds);
    job->seconds = job->seconds * (double)unit.num / (double)unit.den;
}

ct_status ct_read_time(ct_context *ctx, const char *text, double *seconds)
{
    time_job job = {.ctx = ctx, .text = text};
    ct_status status = ct_protect(ctx, read_time, &job);
    *seconds = job.seconds;
    return status == CT_OK && !job.good ? CT_ERR_USAGE : status;
}

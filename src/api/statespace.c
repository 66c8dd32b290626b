/* statespace.c - the public calls of state-space models. */
#include <math.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/status.h"
#include "export/statespace.h"
#include "model/held.h"
#include "model/shadow.h"
#include "modes/modes.h"
#include "study/delayed.h"
#include "study/sampled.h"

ct_statespace_choice ct_default_statespace_choice(void)
{
    return (ct_statespace_choice){.at = NAN};
}

typedef struct make_job {
    const ct_equations *equations;
    const ct_statespace_choice *choice;
    ct_simplify simplify;
    ct_statespace *made;
    const ct_rig *rig;
    const ct_point *point;
} make_job;

/* ---- the operating point */

static double time_of(const make_job *job)
{
    const ct_model *model = job->equations->model;
    double start = model->run.start ? ct_model_value(model, model->run.start) : 0;
    return isnan(job->choice->at) ? start : job->choice->at;
}

static const ct_point *find_point(const make_job *job, ct_rig *rig, ct_arena *arena)
{
    const ct_statespace_choice *c = job->choice;
    double t = time_of(job);
    if (c->equilibrium)
        return ct_operating_point(rig, t, arena);
    if (c->state_count || isnan(c->at))
        return ct_evaluate(rig, t, c->state, c->state_count, arena);
    return ct_reach(rig, t, arena);
}

/* Without a point no mode is known, and what switches has no slope. */
static bool wants_point(const make_job *job)
{
    const ct_statespace_choice *c = job->choice;
    return c->numeric || c->equilibrium || c->state_count || !isnan(c->at) ||
           ct_model_is_modal(job->equations->model);
}

/* The mode at the point: its equations are those that are linearised. */
static bool find_mode(make_job *job, ct_arena *arena, const ct_state_value **given, uint32_t *count)
{
    const ct_statespace_choice *c = job->choice;
    const ct_model *model = job->equations->model;
    double t = time_of(job);
    ct_modes *modes = ct_modes_new(job->equations->tree, model->quantity_value, false);
    ct_simulation_def run = ct_default_simulation_def();
    run.stop = t;
    run.points = 1;
    bool found = c->equilibrium ? ct_modes_rest(modes, t, arena) != NULL
                 : c->state_count || isnan(c->at)
                     ? ct_modes_at(modes, t, c->state, c->state_count, arena) != NULL
                     : ct_modes_run(modes, &run, arena) != NULL;
    const ct_tree *tree = found ? ct_modes_tree(modes, arena, given, count) : NULL;
    job->equations = tree ? ct_equations_new(tree, CT_FORM_TABLEAU, CT_FOR_READERS) : NULL;
    if (!job->equations)
        return false;
    ct_report *r = ct_warning(model->ctx, "W548", (ct_place){0},
                              "this is the linear model of one mode: %s", ct_modes_words(modes));
    ct_note(r, "other modes of diodes, switches and friction have other equations");
    return true;
}

static bool settle_mode(make_job *job)
{
    const ct_state_value *given;
    uint32_t count;
    ct_arena *arena = ct_arena_new(job->equations->model->ctx);
    double t = time_of(job);
    if (!find_mode(job, arena, &given, &count))
        return false;
    ct_machine *machine = ct_machine_new(job->equations);
    ct_rig *rig = machine ? ct_rig_new(machine, NULL) : NULL;
    job->rig = rig;
    job->point = rig ? ct_evaluate(rig, t, given, count, arena) : NULL;
    return job->point != NULL;
}

static bool settle(make_job *job)
{
    if (ct_model_is_modal(job->equations->model))
        return settle_mode(job);
    const ct_model *model = job->equations->model;
    ct_machine *machine = ct_machine_new(job->equations);
    ct_rig *rig = machine ? ct_rig_new(machine, NULL) : NULL;
    ct_arena *arena = rig ? ct_arena_new(model->ctx) : NULL;
    job->rig = rig;
    job->point = rig ? find_point(job, rig, arena) : NULL;
    return job->point != NULL;
}

/* Numbers need the pool of the equations, so that this comes after them. */
static bool write_symbols(const make_job *job, ct_statespace *ss)
{
    bool full = job->simplify == CT_SIMPLIFY_FULL;
    if (job->choice->transfer)
        ss->transfers = ct_transfers_new(ss, full);
    if (full)
        ct_statespace_simplify(ss, ct_default_simplify_budget());
    return !job->choice->transfer || ss->transfers;
}

/* ---- models with clocks */

static uint32_t list_discretes(const ct_model *m, ct_arena *arena, ct_expr **symbol)
{
    uint32_t count = 0;
    *symbol = CT_NEW_ARRAY(arena, ct_expr, m->quantity_count + 1);
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_DISCRETE)
            (*symbol)[count++] = m->quantity[i].symbol;
    return count;
}

/* A plant with a discrete that is no number has no linear model. */
static bool have_values(const ct_model *m, const ct_expr *symbol, const double *value,
                        uint32_t count, double t)
{
    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(value[i]))
            continue;
        ct_name name = ct_expr_name(m->pool, symbol[i]);
        uint32_t q = ct_map_get(m->quantity_by_name, name);
        ct_report *r = ct_error(m->ctx, "E596", m->quantity[q - 1].place,
                                "`%s` has no value at t = %.9g s", ct_name_text(m->ctx, name), t);
        ct_help(r, "look for the root or logarithm of something that is not positive, and for a "
                   "division by zero");
        ct_witness(r, ct_name_text(m->ctx, name));
        return false;
    }
    return true;
}

/* The plant between ticks, at the point. */
static const ct_equations *derive_held(const make_job *job, ct_arena *arena)
{
    const ct_equations *e = job->equations;
    ct_expr *symbol;
    uint32_t count = list_discretes(e->model, arena, &symbol);
    double *value = CT_NEW_ARRAY(arena, double, count + 1);
    if (!ct_values_at(job->rig, job->point, symbol, count, value) ||
        !have_values(e->model, symbol, value, count, job->point->time))
        return NULL;
    return ct_equations_new(ct_held_tree(e->tree, value), e->form, CT_FOR_READERS);
}

static const ct_point *same_point(ct_rig *rig, const ct_point *point, ct_arena *arena)
{
    ct_state_value *given = CT_NEW_ARRAY(arena, ct_state_value, point->state_count + 1);
    for (uint32_t i = 0; i < point->state_count; i++)
        given[i] = (ct_state_value){.name = point->state[i], .value = point->x[i]};
    return ct_evaluate(rig, point->time, given, point->state_count, arena);
}

static void make_sampled(make_job *job)
{
    if (!settle(job))
        return;
    ct_arena *arena = ct_arena_new(job->equations->model->ctx);
    const ct_equations *held = derive_held(job, arena);
    const ct_machine *machine = held ? ct_machine_new(held) : NULL;
    ct_rig *rig = machine ? ct_rig_new(machine, NULL) : NULL;
    const ct_point *point = rig ? same_point(rig, job->point, arena) : NULL;
    if (!point)
        return;
    ct_statespace_def def = {.rig = rig, .point = point, .wanted = CT_EITHER};
    ct_statespace *plant = ct_statespace_new(held, &def);
    if (!plant || !ct_statespace_settle(plant, rig, point) || !ct_statespace_evaluate(plant, rig))
        return;
    bool delayed = ct_model_is_delayed(job->equations->model); /* these rest as a whole */
    if (job->choice->equilibrium && !plant->linear && !delayed)
        ct_warn_restless(plant, job->equations->model);
    const ct_reduced *reduced = job->equations->reduced;
    uint32_t order = job->choice->pade ? job->choice->pade : CT_PADE_ORDER;
    ct_statespace *ss = delayed ? ct_delayed_new(plant, reduced, job->point, order)
                                : ct_sampled_new(plant, reduced, job->point);
    if (ss && ct_statespace_check(ss))
        job->made = ss;
}

static void make(void *user)
{
    make_job *job = user;
    const ct_model *model = job->equations->model;
    ct_warn_held(model);
    if (ct_model_has_clocks(model) && !ct_model_is_modal(model)) {
        make_sampled(job);
        return;
    }
    if (wants_point(job) && !settle(job))
        return;
    ct_statespace_def def = {.rig = job->rig,
                             .point = job->point,
                             .wanted = job->choice->numeric ? CT_EITHER : CT_SYMBOLS,
                             .sparse = job->choice->numeric && !job->choice->names,
                             .put_in = !job->choice->numeric,
                             .given = job->choice->state,
                             .given_count = job->choice->state_count};
    ct_statespace *ss = ct_statespace_new(job->equations, job->point ? &def : NULL);
    if (ss && job->point && !ct_statespace_settle(ss, job->rig, job->point))
        return;
    if (ss && job->choice->names)
        ct_statespace_arrange(ss, job->choice->names);
    if (ss && job->choice->numeric &&
        (!ct_statespace_evaluate(ss, job->rig) || !ct_statespace_check(ss)))
        return;
    if (ss && !job->choice->numeric && !write_symbols(job, ss))
        return;
    job->made = ss;
}

ct_status ct_make_statespace(ct_context *ctx, const ct_equations *equations,
                             const ct_statespace_choice *choice, ct_statespace **statespace)
{
    ct_statespace_choice usual = ct_default_statespace_choice();
    make_job job = {
        .equations = equations, .choice = choice ? choice : &usual, .simplify = CT_SIMPLIFY_FULL};
    *statespace = NULL;
    const char *word = job.choice->simplify;
    if (word && !ct_simplify_find(word, &job.simplify))
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, make, &job);
    *statespace = status == CT_OK ? job.made : NULL;
    if (status != CT_OK || job.made)
        return status;
    return ct_failure(ctx);
}

typedef struct show_job {
    ct_context *ctx;
    const ct_statespace *ss;
    const ct_statespace_show *show;
    const char *text;
    size_t length;
} show_job;

static void show(void *user)
{
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    if (!ct_statespace_put(job->ss, job->show, &out))
        return;
    job->text = ct_text_string(&out);
    job->length = out.length;
}

ct_status ct_show_statespace(ct_context *ctx, const ct_statespace *statespace,
                             const ct_statespace_show *wish, const char **text, size_t *length)
{
    ct_statespace_show usual = {0};
    show_job job = {.ctx = ctx, .ss = statespace, .show = wish ? wish : &usual};
    *text = NULL;
    ct_tell_length(length, 0);
    if (!ct_statespace_has_format(job.show->format))
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, show, &job);
    *text = job.text;
    ct_tell_length(length, job.length);
    return status == CT_OK && !job.text ? CT_ERR_MODEL : status;
}

static void show_effort(void *user)
{
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    ct_statespace_put_effort(job->ss, &out);
    job->text = ct_text_string(&out);
}

ct_status ct_show_linearising(ct_context *ctx, const ct_statespace *statespace, const char **text)
{
    show_job job = {.ctx = ctx, .ss = statespace};
    ct_status status = ct_call(ctx, show_effort, &job);
    *text = job.text;
    return status;
}

typedef struct response_job {
    ct_context *ctx;
    const ct_statespace *ss;
    ct_response response;
    const ct_response_choice *choice;
    const char *text;
    size_t length;
} response_job;

static void show_response(void *user)
{
    response_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    if (!ct_statespace_put_response(job->ss, job->response, job->choice, &out))
        return;
    job->text = ct_text_string(&out);
    job->length = out.length;
}

static bool is_good_choice(const ct_response_choice *c)
{
    bool range = c->from == 0 || c->to == 0 || c->from < c->to;
    return ct_response_writer_of(c->format) && range && c->from >= 0 && c->to >= 0 &&
           c->stop >= 0 && isfinite(c->from) && isfinite(c->to) && isfinite(c->stop);
}

ct_status ct_show_response_as(ct_context *ctx, const ct_statespace *statespace,
                              ct_response response, const ct_response_choice *choice,
                              const char **text, size_t *length)
{
    ct_response_choice usual = {0};
    response_job job = {
        .ctx = ctx, .ss = statespace, .response = response, .choice = choice ? choice : &usual};
    *text = NULL;
    ct_tell_length(length, 0);
    if (!statespace->numbers || !is_good_choice(job.choice))
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, show_response, &job);
    *text = job.text;
    ct_tell_length(length, job.length);
    return status == CT_OK && !job.text ? CT_ERR_MODEL : status;
}

ct_status ct_show_response(ct_context *ctx, const ct_statespace *statespace, ct_response response,
                           const char **text, size_t *length)
{
    return ct_show_response_as(ctx, statespace, response, NULL, text, length);
}

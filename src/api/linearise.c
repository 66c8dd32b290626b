/* linearise.c - the public call that makes a state space in numbers, by whichever way is shorter.
 */
#include <math.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/status.h"
#include "runner/runner.h"
#include "study/statespace.h"

typedef struct network_job {
    const ct_tree *tree;
    const char *form;
    const ct_statespace_choice *choice;
    ct_statespace *made;
    const char *why_not;
} network_job;

static ct_entries entries_of(ct_arena *arena, const ct_triplets *from)
{
    ct_entries out = {.rows = from->rows, .cols = from->cols, .count = from->count};
    out.entry = CT_NEW_ARRAY(arena, ct_entry, from->count + (size_t)1);
    for (uint32_t k = 0; k < from->count; k++)
        out.entry[k] = (ct_entry){from->at[k].row, from->at[k].col, 0, from->at[k].value};
    return out;
}

static ct_statespace *of_network(const ct_model *model, const ct_network *n, ct_arena *arena)
{
    ct_statespace *ss = CT_NEW(arena, ct_statespace);
    *ss = (ct_statespace){.model = model,
                          .arena = arena,
                          .pool = model->pool,
                          .state = n->unknown,
                          .input = n->input,
                          .output = n->output,
                          .n = n->n,
                          .m = n->m,
                          .p = n->p,
                          .differential = n->W.count ? n->n : 0, /* resistors alone store nothing */
                          .orders = 2,
                          .W = entries_of(arena, &n->W),
                          .A = entries_of(arena, &n->A),
                          .C = entries_of(arena, &n->C),
                          .B = CT_NEW_ARRAY(arena, ct_entries, 2),
                          .D = CT_NEW_ARRAY(arena, ct_entries, 2),
                          .by_numbers = true,
                          .linear = n->linear,
                          .steady = n->linear,
                          .point = n->point,
                          .at_symbol = n->input,
                          .at_value = n->input_value,
                          .at_count = n->m,
                          .effort = {.jacobian = "laws",
                                     .unknowns = n->n,
                                     .entries = n->W.count + n->A.count,
                                     .ops = n->ops},
                          .numbers = CT_NEW(arena, ct_numbers)};
    ss->B[0] = entries_of(arena, &n->B);
    ss->B[1] = entries_of(arena, &n->E);
    ss->D[0] = entries_of(arena, &n->D);
    ss->D[1] = (ct_entries){.rows = n->p, .cols = n->m};
    return ss;
}

static void make(void *user)
{
    network_job *job = user;
    const ct_model *model = job->tree->graph->model;
    const ct_statespace_choice *c = job->choice;
    double start = model->run.start ? ct_model_value(model, model->run.start) : 0;
    ct_arena *arena = ct_arena_new(model->ctx);
    /* A model that begins at rest is linearised there. */
    bool rests =
        c->equilibrium || (isnan(c->at) && model->initial_equilibrium && !model->start_count);
    const ct_network *n = ct_runner_linear(job->tree, job->form, isnan(c->at) ? start : c->at,
                                           rests, arena, &job->why_not);
    job->made = n ? of_network(model, n, arena) : NULL;
    if (!n)
        ct_arena_free(arena);
}

/* Where matrices are looked at, the states of smaller models are worth their elimination. */
static bool is_wanted(const network_job *job, bool looked_at)
{
    enum { LEAST = 2000 }; /* components */
    const ct_statespace_choice *c = job->choice;
    bool large = job->tree->graph->model->component_count >= LEAST;
    if (looked_at && !job->form && !large)
        return false;
    return c->numeric && !c->names && !c->state_count && (c->equilibrium || isnan(c->at));
}

/* Derived equations know no word for numbers alone. */
static const char *form_of_equations(const char *form)
{
    ct_form known;
    return form && ct_form_find(form, &known) ? form : NULL;
}

static ct_status derive(ct_context *ctx, const network_job *job, ct_statespace **statespace)
{
    const ct_equations *equations;
    const char *form = job->why_not ? form_of_equations(job->form) : job->form;
    ct_status status = ct_derive(ctx, job->tree, form, &equations);
    if (status == CT_OK)
        status = ct_make_statespace(ctx, equations, job->choice, statespace);
    if (*statespace)
        (*statespace)->why_not = job->why_not;
    return status;
}

ct_status ct_linearise(ct_context *ctx, const ct_tree *tree, const char *form,
                       const ct_statespace_choice *choice, ct_statespace **statespace)
{
    ct_statespace_choice usual = ct_default_statespace_choice();
    usual.numeric = usual.equilibrium = true;
    network_job job = {.tree = tree, .form = form, .choice = choice ? choice : &usual};
    *statespace = NULL;
    if (!choice && !form) /* elimination loses digits, and has no other use for responses */
        job.form = "numeric";
    ct_status status = is_wanted(&job, choice) ? ct_call(ctx, make, &job) : CT_OK;
    if (status == CT_OK && !job.made)
        return derive(ctx, &job, statespace);
    *statespace = job.made;
    return status;
}

/* equations.c - the public call that shows governing equations. */
#include <cotree/cotree.h>

#include "api/status.h"

#include "export/equations.h"

typedef struct equations_job {
    ct_context *ctx;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_equations_def def;
    const char *text;
    size_t length;
} equations_job;

/* The first word that is none of its list; NULL: all are. */
static const char *read_words(const ct_equations_choice *choice, ct_equations_def *def)
{
    if (choice->form && !ct_equations_form_find(choice->form, &def->form))
        return choice->form;
    if (choice->format && !ct_equations_format_find(choice->format, &def->format))
        return choice->format;
    if (choice->simplify && !ct_simplify_find(choice->simplify, &def->simplify))
        return choice->simplify;
    return NULL;
}

static const ct_reduced *derive(const equations_job *job, ct_form form)
{
    const ct_system *system = ct_formulate(job->model, job->graph, job->tree, form);
    return system ? ct_reduce(system) : NULL;
}

static void check(void *user)
{
    equations_job *job = user;
    job->text = derive(job, CT_FORM_NODAL) ? "" : NULL;
}

ct_status ct_check_equations(ct_context *ctx, const ct_model *model, const ct_graph *graph,
                             const ct_tree *tree)
{
    equations_job job = {.ctx = ctx, .model = model, .graph = graph, .tree = tree};
    ct_status status = ct_protect(ctx, check, &job);
    return status == CT_OK && !job.text ? CT_ERR_MODEL : status;
}

static void show(void *user)
{
    equations_job *job = user;
    const ct_reduced *reduced = derive(job, ct_equations_system_form(job->def.form));
    if (!reduced)
        return;
    ct_text out = ct_text_new(job->ctx->base);
    ct_equations_put(reduced, &job->def, &out);
    job->text = ct_text_string(&out);
    job->length = out.length;
}

ct_status ct_show_equations(ct_context *ctx, const ct_model *model, const ct_graph *graph,
                            const ct_tree *tree, const ct_equations_choice *choice,
                            const char **text, size_t *length)
{
    static const ct_equations_choice usual = {0};
    equations_job job = {ctx, model, graph, tree, ct_default_equations_def(), NULL, 0};
    choice = choice ? choice : &usual;
    if (model->mechanism)
        job.def.simplify = CT_SIMPLIFY_FULL;
    *text = read_words(choice, &job.def);
    ct_tell_length(length, 0);
    if (*text)
        return CT_ERR_USAGE;
    job.def.trace = choice->trace;
    job.def.all = choice->all;
    job.def.standalone = choice->standalone;
    ct_status status = ct_protect(ctx, show, &job);
    *text = job.text;
    ct_tell_length(length, job.length);
    return status == CT_OK && !job.text ? CT_ERR_MODEL : status;
}

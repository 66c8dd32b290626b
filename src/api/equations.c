/* equations.c - the public calls of equations: deriving, reading, showing. */
#include <math.h>

#include <cotree/cotree.h>

#include "api/status.h"
#include "equations/equations.h"
#include "export/dynamics.h"
#include "export/equations.h"

/* ---- deriving */

typedef struct derive_job {
    const ct_tree *tree;
    ct_form form;
    const ct_equations *made;
} derive_job;

static void derive(void *user)
{
    derive_job *job = user;
    job->made = ct_equations_new(job->tree, job->form, CT_FOR_READERS);
}

ct_status ct_derive(ct_context *ctx, const ct_tree *tree, const char *form,
                    const ct_equations **equations)
{
    derive_job job = {.tree = tree};
    *equations = NULL;
    if (!ct_form_find(form, &job.form))
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, derive, &job);
    *equations = status == CT_OK ? job.made : NULL;
    return status == CT_OK && !job.made ? CT_ERR_MODEL : status;
}

/* ---- reading */

size_t ct_variable_count(const ct_equations *e, ct_variable_kind kind)
{
    return (unsigned)kind < CT_VARIABLE_KINDS ? e->variable_count[kind] : 0;
}

const ct_variable *ct_variable_at(const ct_equations *e, ct_variable_kind kind, size_t index)
{
    return index < ct_variable_count(e, kind) ? &e->variable[kind][index] : NULL;
}

ct_expr ct_rate_at(const ct_equations *e, size_t state)
{
    return state < e->reduced->state_count ? e->reduced->rate[state] : 0;
}

ct_expr ct_residual_at(const ct_equations *e, size_t algebraic)
{
    return algebraic < e->reduced->algebraic_count ? e->reduced->residual[algebraic] : 0;
}

ct_expr_view ct_expr_at(const ct_equations *e, ct_expr x)
{
    ct_pool *pool = e->pool;
    ct_expr_view v = {.kind = ct_expr_kind_of(pool, x), .number = NAN};
    v.count = ct_expr_arity(pool, x);
    if (v.kind == CT_EXPR_NUMBER)
        v.number = ct_expr_to_double(pool, x);
    else if (v.kind == CT_EXPR_SYMBOL)
        v.word = ct_name_text(e->model->ctx, ct_expr_name(pool, x));
    else if (v.kind == CT_EXPR_CALL)
        v.word = ct_op_word(ct_expr_op(pool, x));
    else
        v.number = ct_expr_to_double(pool, ct_expr_constant(pool, x));
    return v;
}

ct_expr ct_operand_at(const ct_equations *e, ct_expr x, uint32_t index, double *factor)
{
    ct_pool *pool = e->pool;
    if (index >= ct_expr_arity(pool, x))
        return 0;
    if (factor && ct_expr_kind_of(pool, x) == CT_EXPR_CALL)
        *factor = 1;
    else if (factor)
        *factor = ct_expr_to_double(pool, ct_expr_coefficient(pool, x, index));
    return ct_expr_operand(pool, x, index);
}

bool ct_locate(const ct_context *ctx, ct_place place, const char **file, uint32_t *line,
               uint32_t *column)
{
    if (!place.source)
        return false;
    place = ct_source_origin(ctx, place);
    const ct_source *source = ct_source_get(ctx, place.source);
    *file = source->path;
    ct_source_locate(source, place.at, line, column);
    return true;
}

/* ---- showing */

typedef struct show_job {
    ct_context *ctx;
    const ct_equations *equations;
    ct_equations_def def;
    ct_expr expr;
    const char *text;
    size_t length;
} show_job;

/* Shared parts are written each time: a text may be exponentially longer than the expression. */
static void show_expr(void *user)
{
    enum { MOST_BYTES = 1000000 };
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    if (!ct_expr_put_within(job->equations->pool, &out, job->expr, MOST_BYTES)) {
        ct_report *r = ct_error(job->ctx, "E902", (ct_place){0},
                                "the expression is longer than %d characters", MOST_BYTES);
        ct_help(r, "walk it by ct_expr_at and ct_operand_at: equal parts are one expression there");
        ct_throw(job->ctx, CT_ERR_LIMIT);
    }
    job->text = ct_text_string(&out);
}

ct_status ct_show_expr(ct_context *ctx, const ct_equations *equations, ct_expr e, const char **text)
{
    show_job job = {.ctx = ctx, .equations = equations, .expr = e};
    ct_status status = e ? ct_call(ctx, show_expr, &job) : CT_ERR_USAGE;
    *text = status == CT_OK ? job.text : NULL;
    return status;
}

/* Forms from nodal on are the rows as they were derived, so that there are no others to show. */
static bool was_derived(const ct_equations *e, ct_equations_form form)
{
    return form < CT_EQUATIONS_NODAL || ct_equations_system_form(form) == e->form;
}

/* The first word that is none of its list; NULL: all are. */
static const char *read_words(const ct_equations_choice *choice, const ct_equations *e,
                              ct_equations_def *def)
{
    const char *form = choice->form;
    if (form && !(ct_equations_form_find(form, &def->form) && was_derived(e, def->form)))
        return form;
    if (choice->format && !ct_equations_format_find(choice->format, &def->format))
        return choice->format;
    if (choice->simplify && !ct_simplify_find(choice->simplify, &def->simplify))
        return choice->simplify;
    return NULL;
}

static void show(void *user)
{
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    ct_equations_put(job->equations, &job->def, &out);
    job->text = ct_text_string(&out);
    job->length = out.length;
}

ct_status ct_show_equations(ct_context *ctx, const ct_equations *equations,
                            const ct_equations_choice *choice, const char **text, size_t *length)
{
    static const ct_equations_choice usual = {0};
    show_job job = {.ctx = ctx, .equations = equations, .def = ct_default_equations_def()};
    choice = choice ? choice : &usual;
    if (equations->model->mechanism)
        job.def.simplify = CT_SIMPLIFY_FULL;
    *text = read_words(choice, equations, &job.def);
    ct_tell_length(length, 0);
    if (*text)
        return CT_ERR_USAGE;
    job.def.trace = choice->trace;
    job.def.all = choice->all;
    job.def.standalone = choice->standalone;
    job.def.matrix = choice->matrix;
    ct_status status = ct_call(ctx, show, &job);
    *text = job.text;
    ct_tell_length(length, job.length);
    return status;
}

/* ---- dynamics */

typedef struct dynamics_job {
    const ct_equations *equations;
    const char *const *frame;
    uint32_t count;
    const char *format, *text;
    size_t length;
    bool known;
} dynamics_job;

static void show_dynamics(void *user)
{
    dynamics_job *job = user;
    ct_context *ctx = job->equations->model->ctx;
    ct_arena *arena = ct_arena_new(ctx);
    ct_text out = ct_text_new(ctx->base);
    ct_dynamics *d = ct_dynamics_new(job->equations, job->frame, job->count, arena);
    if (d) {
        ct_dynamics_find_base(d);
        job->known = ct_dynamics_put(d, job->format, &out);
        job->text = ct_text_string(&out);
        job->length = out.length;
    }
    ct_arena_free(arena);
}

ct_status ct_show_dynamics(ct_context *ctx, const ct_equations *equations,
                           const char *const *frames, uint32_t frame_count, const char *format,
                           const char **text, size_t *length)
{
    dynamics_job job = {
        .equations = equations, .frame = frames, .count = frame_count, .format = format};
    *text = NULL;
    ct_tell_length(length, 0);
    if (!equations->reduced->system->mechanics)
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, show_dynamics, &job);
    if (status != CT_OK || !job.text)
        return status == CT_OK ? CT_ERR_MODEL : status;
    *text = job.text;
    ct_tell_length(length, job.length);
    return job.known ? CT_OK : CT_ERR_USAGE;
}

/* export.c - models as code in other languages. */
#include <cotree/cotree.h>

#include "api/status.h"
#include "export/c.h"
#include "runner/runner.h"

typedef struct code_job {
    ct_simulator *s;
    ct_target_writer put;
    ct_text out;
    bool good;
} code_job;

/* Exported code is one set of equations; of a model with modes that would be another model. */
static bool refuse_modes(const ct_model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        if (!m->element[m->component[i].element]->law_count)
            continue;
        const char *name = ct_name_text(m->ctx, m->component[i].name);
        ct_report *r = ct_error(m->ctx, "E549", m->component[i].place,
                                "%s has modes, and exported code has not", name);
        ct_note(r, "in each mode other equations hold: `cotree run` derives them as it needs them");
        ct_help(r, "take laws that are one equation: give switches both of Ron and Roff, and "
                   "friction a speed v0 over which it is smooth");
        ct_witness(r, name);
        return true;
    }
    return false;
}

static bool refuse_delays(const ct_model *m)
{
    for (uint32_t i = 0; i < m->happening_count; i++) {
        if (!m->happening[i].lag)
            continue;
        const char *name = ct_name_text(m->ctx, m->happening[i].owner);
        ct_report *r = ct_error(m->ctx, "E584", m->happening[i].place,
                                "the delay `%s` needs its past, which exported code has not", name);
        ct_help(r, "use `cotree run`");
        ct_witness(r, name);
        return true;
    }
    return false;
}

static void show(void *user)
{
    code_job *job = user;
    ct_simulator *s = job->s;
    ct_arena *arena = ct_arena_new(s->model->ctx);
    bool plain = !refuse_modes(s->model) && !refuse_delays(s->model);
    const ct_formulas *formulas =
        plain && ct_simulator_rig(s) ? ct_rig_formulas(s->rig, arena) : NULL;
    job->out = ct_text_new(s->model->ctx->base);
    job->good = formulas && job->put(formulas, arena, &job->out);
    ct_arena_free(arena);
}

ct_status ct_show_code(ct_context *ctx, ct_simulator *simulator, const char *name,
                       const char **text, size_t *length)
{
    code_job job = {.s = simulator, .put = ct_target_writer_of(name)};
    *text = NULL;
    ct_tell_length(length, 0);
    if (!job.put)
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, show, &job);
    if (status == CT_OK && !job.good)
        return ct_failure(ctx);
    if (status == CT_OK) {
        *text = ct_text_string(&job.out);
        ct_tell_length(length, job.out.length);
    }
    return status;
}

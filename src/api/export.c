/* export.c - models as code in other languages. */
#include <cotree/cotree.h>

#include "api/status.h"
#include "export/c.h"
#include "model/shadow.h"
#include "modes/modes.h"
#include "runner/runner.h"

typedef struct code_job {
    ct_simulator *s;
    ct_target_writer put;
    ct_text out;
    bool good;
} code_job;

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

static void show_plain(code_job *job, ct_arena *arena)
{
    ct_rig *rig = ct_simulator_rig(job->s);
    const ct_formulas *formulas = rig ? ct_rig_formulas(rig, arena) : NULL;
    job->good = formulas && job->put(formulas, arena, &job->out);
}

static void show_modes(code_job *job, ct_arena *arena)
{
    ct_modes *modes = ct_modes_new(job->s->tree, job->s->value, false);
    const ct_modal_formulas *formulas = ct_modes_formulas(modes, arena);
    job->good = formulas && ct_put_c_modes(formulas, arena, &job->out);
    ct_modes_free(modes);
}

static void show(void *user)
{
    code_job *job = user;
    ct_simulator *s = job->s;
    ct_arena *arena = ct_arena_new(s->model->ctx);
    bool modal = ct_model_is_modal(s->model);
    job->out = ct_text_new(s->model->ctx->base);
    if (refuse_delays(s->model))
        job->good = false;
    else if (modal)
        show_modes(job, arena);
    else
        show_plain(job, arena);
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

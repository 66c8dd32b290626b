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

static void show(void *user)
{
    code_job *job = user;
    ct_simulator *s = job->s;
    ct_arena *arena = ct_arena_new(s->model->ctx);
    const ct_formulas *formulas = ct_simulator_rig(s) ? ct_rig_formulas(s->rig, arena) : NULL;
    job->out = ct_text_new(s->model->ctx->base);
    job->good = formulas && job->put(formulas, arena, &job->out);
    if (job->good)
        ct_warn_jumps(s->machine);
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

/* lg2ss.c - public calls: models given by the matrices of LG2ss. */
#include "lg2ss/lg2ss.h"

#include <cotree/cotree.h>

#include "api/status.h"
#include "base/context.h"

typedef struct translate_job {
    ct_context *ctx;
    const char *graph, *outputs;
    const ct_lg2ss *made;
} translate_job;

static void translate(void *user)
{
    translate_job *job = user;
    job->made = ct_lg2ss_translate(job->ctx, job->graph, job->outputs);
}

ct_status ct_translate_lg2ss(ct_context *ctx, const char *graph, const char *outputs,
                             const char **text, ct_state_names *names)
{
    translate_job job = {.ctx = ctx, .graph = graph, .outputs = outputs ? outputs : "[]"};
    *text = NULL;
    ct_status status = ct_call(ctx, translate, &job);
    if (status != CT_OK)
        return status;
    if (!job.made)
        return CT_ERR_SYNTAX;
    *text = job.made->text;
    if (names)
        *names = job.made->names;
    return CT_OK;
}

/* judge.c - the public call that asks whether a model can be solved. */
#include <cotree/cotree.h>

#include "api/status.h"
#include "equations/equations.h"
#include "runner/runner.h"

/* Deriving the equations of a huge model takes longer than a look at it should. */
enum { MOST_DERIVED = 20000 };

typedef struct judge_job {
    const ct_tree *tree;
    bool good;
} judge_job;

static void judge(void *user)
{
    judge_job *job = user;
    const ct_model *m = job->tree->graph->model;
    job->good = !ct_runner_judge(job->tree) || m->component_count > MOST_DERIVED ||
                ct_equations_new(job->tree, CT_FORM_NODAL, CT_FOR_READERS);
}

ct_status ct_judge(ct_context *ctx, const ct_tree *tree)
{
    judge_job job = {.tree = tree};
    ct_status status = ct_call(ctx, judge, &job);
    return status == CT_OK && !job.good ? CT_ERR_MODEL : status;
}

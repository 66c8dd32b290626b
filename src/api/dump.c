/* dump.c - the public calls that write what a stage made, as text. */
#include <cotree/cotree.h>

#include "api/status.h"
#include "graph/build.h"
#include "runner/runner.h"

typedef struct dump_job {
    ct_context *ctx;
    const void *object;
    const ct_tree *tree;
    ct_simulator *simulator;
    void (*put)(const struct dump_job *job, ct_text *out);
    const char *text;
} dump_job;

static void dump(void *user)
{
    dump_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    job->put(job, &out);
    job->text = ct_text_string(&out);
}

static ct_status run(dump_job job, const char **text)
{
    ct_status status = ct_call(job.ctx, dump, &job);
    *text = status == CT_OK ? job.text : NULL;
    return status;
}

static void put_syntax(const dump_job *job, ct_text *out)
{
    ct_syntax_dump(job->object, out);
}

ct_status ct_dump_syntax(ct_context *ctx, const ct_syntax *syntax, const char **text)
{
    return run((dump_job){.ctx = ctx, .object = syntax, .put = put_syntax}, text);
}

static void put_model(const dump_job *job, ct_text *out)
{
    ct_model_dump(job->object, out);
}

ct_status ct_dump_model(ct_context *ctx, const ct_model *model, const char **text)
{
    return run((dump_job){.ctx = ctx, .object = model, .put = put_model}, text);
}

static void put_graph(const dump_job *job, ct_text *out)
{
    ct_graph_dump(job->object, job->tree, out);
}

ct_status ct_dump_graph(ct_context *ctx, const ct_graph *graph, const ct_tree *tree,
                        const char **text)
{
    return run((dump_job){.ctx = ctx, .object = graph, .tree = tree, .put = put_graph}, text);
}

static void put_system(const dump_job *job, ct_text *out)
{
    const ct_equations *e = job->object;
    ct_system_dump(e->reduced->system, out);
}

ct_status ct_dump_system(ct_context *ctx, const ct_equations *equations, const char **text)
{
    return run((dump_job){.ctx = ctx, .object = equations, .put = put_system}, text);
}

static void put_equations(const dump_job *job, ct_text *out)
{
    ct_equations_dump(job->object, out);
}

ct_status ct_dump_equations(ct_context *ctx, const ct_equations *equations, const char **text)
{
    return run((dump_job){.ctx = ctx, .object = equations, .put = put_equations}, text);
}

static void put_tape(const dump_job *job, ct_text *out)
{
    const ct_machine *machine = ct_simulator_machine(job->simulator);
    if (machine)
        ct_machine_dump(machine, out);
}

ct_status ct_dump_tape(ct_context *ctx, ct_simulator *simulator, const char **text)
{
    return run((dump_job){.ctx = ctx, .simulator = simulator, .put = put_tape}, text);
}

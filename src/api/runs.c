/* runs.c - results of several runs as one table. */
#include <math.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/status.h"
#include "base/context.h"
#include "base/text.h"

typedef struct join_job {
    ct_context *ctx;
    const ct_analysis *a;
    const ct_result *const *run;
    bool wide;
    ct_result *joined;
} join_job;

static double value_of(const ct_analysis *a, uint64_t run, uint32_t k)
{
    for (uint32_t i = a->stepped_count; i-- > k + 1;)
        run /= a->stepped[i].count;
    return a->stepped[k].value[run % a->stepped[k].count];
}

static const char *unit_of(const ct_sweep *s)
{
    return strcmp(s->name, "temp") == 0 ? "degC" : "1";
}

/* The first run that gave rows: all have the same columns. */
static const ct_result *first_of(const join_job *job, bool measures)
{
    for (uint64_t i = 0; i < job->a->runs; i++) {
        const ct_result *r = job->run[i];
        if (r && (!measures || r->measures))
            return measures ? r->measures : r;
    }
    return NULL;
}

/* Rows whose names are being filled in. */
typedef struct table {
    ct_rows rows;
    const char **name, **unit;
} table;

static table open_table(join_job *job, uint32_t cols, uint64_t rows)
{
    table t = {.name = CT_NEW_ARRAY(job->ctx->base, const char *, cols + 1),
               .unit = CT_NEW_ARRAY(job->ctx->base, const char *, cols + 1)};
    t.rows = (ct_rows){.name = t.name, .unit = t.unit, .cols = cols};
    t.rows.value = CT_NEW_ARRAY(job->ctx->base, double, (size_t)(rows * cols) + 1);
    return t;
}

static void name_column(table *t, uint32_t k, const char *name, const char *unit)
{
    t->name[k] = name;
    t->unit[k] = unit;
}

/* Values of the run, then its row. */
static ct_rows stack(join_job *job, bool measures)
{
    const ct_analysis *a = job->a;
    const ct_result *first = first_of(job, measures);
    uint64_t rows = 0;
    for (uint64_t i = 0; i < a->runs; i++)
        rows += job->run[i] ? measures ? 1 : job->run[i]->outputs.count : 0;
    uint32_t own = first ? first->outputs.cols : 0, n = a->stepped_count;
    table t = open_table(job, n + own, rows);
    for (uint32_t k = 0; k < n; k++)
        name_column(&t, k, a->stepped[k].name, unit_of(&a->stepped[k]));
    for (uint32_t k = 0; k < own; k++)
        name_column(&t, n + k, first->outputs.name[k],
                    first->outputs.unit ? first->outputs.unit[k] : "1");
    for (uint64_t i = 0; i < a->runs; i++) {
        const ct_result *r = job->run[i] && measures ? job->run[i]->measures : job->run[i];
        for (uint64_t row = 0; r && row < r->outputs.count; row++) {
            double *to = t.rows.value + t.rows.count++ * t.rows.cols;
            for (uint32_t k = 0; k < n; k++)
                to[k] = value_of(a, i, k);
            memcpy(to + n, r->outputs.value + row * own, own * sizeof *to);
        }
    }
    return t.rows;
}

/* r=1000 c=1e-06 */
static const char *label_of(join_job *job, uint64_t run, const char *output)
{
    ct_text text = ct_text_new(job->ctx->base);
    ct_put(&text, output);
    for (uint32_t k = 0; k < job->a->stepped_count; k++)
        ct_putf(&text, "%s%s=%.4g", k ? " " : ", ", job->a->stepped[k].name,
                value_of(job->a, run, k));
    return ct_text_string(&text);
}

/* Are the rows of all runs at the same places? */
static bool match(const join_job *job, const ct_rows *first)
{
    for (uint64_t i = 0; i < job->a->runs; i++) {
        const ct_result *r = job->run[i];
        if (!r || r->outputs.count != first->count || first->cols < 2)
            return false;
        for (uint64_t row = 0; row < first->count; row++)
            if (r->outputs.value[row * first->cols] != first->value[row * first->cols])
                return false;
    }
    return true;
}

static ct_rows spread(join_job *job)
{
    const ct_rows *first = &first_of(job, false)->outputs;
    uint32_t own = first->cols - 1;
    uint64_t runs = job->a->runs;
    table t = open_table(job, (uint32_t)(1 + own * runs), first->count);
    name_column(&t, 0, first->name[0], first->unit ? first->unit[0] : "1");
    for (uint64_t i = 0; i < runs; i++)
        for (uint32_t k = 0; k < own; k++)
            name_column(&t, (uint32_t)(1 + k * runs + i), label_of(job, i, first->name[1 + k]),
                        first->unit ? first->unit[1 + k] : "1");
    for (uint64_t row = 0; row < first->count; row++) {
        double *to = t.rows.value + row * t.rows.cols;
        to[0] = first->value[row * first->cols];
        for (uint64_t i = 0; i < runs; i++)
            for (uint32_t k = 0; k < own; k++)
                to[1 + k * runs + i] = job->run[i]->outputs.value[row * first->cols + 1 + k];
    }
    t.rows.count = first->count;
    return t.rows;
}

static void join(void *user)
{
    join_job *job = user;
    const ct_result *first = first_of(job, false);
    enum { MOST_CURVES = 2000 };
    if (!first)
        return;
    ct_result *all = CT_NEW(job->ctx->base, ct_result);
    *all = (ct_result){.effort = first->effort};
    bool narrow = job->a->runs * first->outputs.cols <= MOST_CURVES;
    all->outputs =
        job->wide && narrow && match(job, &first->outputs) ? spread(job) : stack(job, false);
    if (first_of(job, true)) {
        ct_result *measures = CT_NEW(job->ctx->base, ct_result);
        measures->effort = first_of(job, true)->effort;
        measures->outputs = stack(job, true);
        all->measures = measures;
    }
    job->joined = all;
}

ct_status ct_join_runs(ct_context *ctx, const ct_analysis *analysis, const ct_result *const *run,
                       bool wide, const ct_result **joined)
{
    join_job job = {.ctx = ctx, .a = analysis, .run = run, .wide = wide};
    ct_status status = ct_call(ctx, join, &job);
    *joined = status == CT_OK ? job.joined : NULL;
    return status;
}

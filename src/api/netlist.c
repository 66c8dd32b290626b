/* netlist.c - the public calls of analyses that netlists ask for: .op, .dc and .ac. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/finite.h"
#include "api/status.h"
#include "spice/spice.h"
#include "study/statespace.h"
#include "units/units.h"
#include "runner/runner.h"

enum { MOST_ROWS = 100000000 };

/* method: what the rows are made by, for the statistics. */
static ct_result *new_result(ct_context *ctx, uint32_t cols, uint64_t rows, const char *method)
{
    ct_result *result = CT_NEW(ctx->base, ct_result);
    result->effort = (ct_effort){.method = method, .start_method = "none", .path = "symbolic"};
    const char **name = CT_NEW_ARRAY(ctx->base, const char *, cols + 1);
    const char **unit = CT_NEW_ARRAY(ctx->base, const char *, cols + 1);
    result->outputs = (ct_rows){.name = name, .unit = unit, .cols = cols};
    if (rows * cols > MOST_ROWS)
        ct_throw(ctx, CT_ERR_LIMIT);
    result->outputs.value = CT_NEW_ARRAY(ctx->base, double, (size_t)(rows * cols) + 1);
    return result;
}

static void name_column(ct_result *result, uint32_t column, const char *name, const char *unit)
{
    ((const char **)result->outputs.name)[column] = name;
    ((const char **)result->outputs.unit)[column] = unit;
}

/* ---- operating points ---------------------------------------------------------------------------
 */

typedef struct sweep_job {
    ct_context *ctx;
    ct_simulator *s;
    const ct_analysis *a;
    ct_result *result;
    bool failed;
} sweep_job;

static uint64_t steps_of(const ct_analysis *a, uint32_t k)
{
    return (uint64_t)floor((a->to[k] - a->from[k]) / a->by[k] * (1 + 1e-12) + 1e-9) + 1;
}

static const char *unit_of(const sweep_job *job, ct_dim dim)
{
    ct_text text = ct_text_new(job->ctx->base);
    ct_dim_put(&text, dim);
    return ct_text_string(&text);
}

static const char *unit_of_param(const sweep_job *job, const char *name)
{
    const ct_model *m = job->s->model;
    uint32_t q = ct_map_get(m->quantity_by_name, ct_intern_text(m->ctx, name));
    return q ? unit_of(job, m->quantity[q - 1].dim) : "1";
}

/* Swept values, then outputs. */
static bool add_row(sweep_job *job, const double *at)
{
    ct_simulator *s = job->s;
    uint32_t count = job->a->swept_count;
    for (uint32_t k = 0; k < count; k++)
        if (ct_set_parameter(job->ctx, s, job->a->swept[k], at[k]) != CT_OK)
            return false;
    ct_arena *arena = ct_arena_new(job->ctx);
    const ct_point *point = ct_simulator_rig(s) ? ct_operating_point(s->rig, 0, arena) : NULL;
    ct_rows *rows = &job->result->outputs;
    if (point) {
        ct_effort *e = &job->result->effort;
        e->start_iterations += point->iterations;
        e->start_method = point->method ? point->method : e->start_method;
        double *row = rows->value + rows->count++ * rows->cols;
        memcpy(row, at, count * sizeof *row);
        memcpy(row + count, point->y, (rows->cols - count) * sizeof *row);
    }
    ct_arena_free(arena);
    return point != NULL;
}

static void sweep(void *user)
{
    sweep_job *job = user;
    const ct_analysis *a = job->a;
    const ct_model *m = job->s->model;
    uint64_t inner = a->swept_count > 0 ? steps_of(a, 0) : 1;
    uint64_t outer = a->swept_count > 1 ? steps_of(a, 1) : 1;
    uint32_t cols = a->swept_count + m->output_count;
    job->result = new_result(job->ctx, cols, inner * outer, "operating points");
    for (uint32_t k = 0; k < a->swept_count; k++)
        name_column(job->result, k, a->swept[k], unit_of_param(job, a->swept[k]));
    for (uint32_t i = 0; i < m->output_count; i++)
        name_column(job->result, a->swept_count + i, m->output[i].name,
                    unit_of(job, m->output[i].dim));
    for (uint64_t j = 0; j < outer && !job->failed; j++)
        for (uint64_t i = 0; i < inner && !job->failed; i++) {
            double at[2] = {a->from[0] + (double)i * a->by[0], a->from[1] + (double)j * a->by[1]};
            job->failed = !add_row(job, at);
        }
    if (a->swept_count)
        ct_warn_of_rows(m, &job->result->outputs, a->swept_count);
}

ct_status ct_run_sweep(ct_context *ctx, ct_simulator *simulator, const ct_analysis *analysis,
                       const ct_result **result)
{
    ct_analysis point = {.kind = CT_OP};
    sweep_job job = {.ctx = ctx, .s = simulator, .a = analysis ? analysis : &point};
    ct_status status = ct_call(ctx, sweep, &job);
    *result = status == CT_OK ? job.result : NULL;
    if (status != CT_OK || !job.failed)
        return status;
    return ct_failure(ctx);
}

/* ---- frequency response
 * ---------------------------------------------------------------------------- */

typedef struct response_job {
    ct_context *ctx;
    const ct_statespace *ss;
    const ct_netlist *netlist;
    const ct_analysis *a;
    ct_result *result;
} response_job;

/* The columns of all inputs, weighted by their phasors: real parts, then imaginary parts. */
static const double *weigh(const response_job *job, const double *B, uint32_t rows, ct_arena *arena)
{
    const ct_statespace *ss = job->ss;
    const ct_netlist *n = job->netlist;
    double *out = CT_NEW_ARRAY(arena, double, 2 * (size_t)rows + 1);
    for (uint32_t k = 0; B && k < n->phasor_count; k++)
        for (uint32_t j = 0; j < ss->m; j++) {
            if (strcmp(ct_name_text(job->ctx, ss->input[j]), n->phasor[k].input) != 0)
                continue;
            for (uint32_t i = 0; i < rows; i++) {
                out[2 * i] += B[(size_t)i * ss->m + j] * n->phasor[k].re;
                out[2 * i + 1] += B[(size_t)i * ss->m + j] * n->phasor[k].im;
            }
        }
    return out;
}

static uint32_t frequencies(const ct_analysis *a, ct_arena *arena, const double **list)
{
    double base = a->scale == CT_AC_OCTAVES ? 2 : 10, from = a->from[0], to = a->to[0];
    double count = a->points;
    if (a->scale != CT_AC_LINEAR)
        count = floor(log(to / from) / log(base) * a->points * (1 + 1e-12) + 1e-9) + 1;
    if (!(count <= 1e7))
        return 0;
    double *f = CT_NEW_ARRAY(arena, double, (size_t)count + 1);
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        f[i] = a->scale == CT_AC_LINEAR ? from + (count > 1 ? (to - from) * i / (count - 1) : 0)
                                        : from * pow(base, i / a->points);
    *list = f;
    return (uint32_t)count;
}

static void name_response(response_job *job)
{
    static const char *const parts[] = {"mag", "phase", "re", "im"};
    name_column(job->result, 0, "frequency", "Hz");
    for (uint32_t i = 0; i < job->ss->p; i++)
        for (uint32_t k = 0; k < 4; k++)
            name_column(job->result, 1 + 4 * i + k,
                        ct_printf(job->ctx, "%s(%s)", parts[k], job->ss->output[i]),
                        k == 1 ? "deg" : "1");
}

static void respond(void *user)
{
    response_job *job = user;
    const double pi = 3.14159265358979323846, *f;
    ct_arena *arena = ct_arena_new(job->ctx);
    ct_lti lti;
    if (!job->netlist->phasor_count) {
        ct_report *r =
            ct_error(job->ctx, "E525", (ct_place){0}, "no source drives the .ac analysis");
        ct_help(r, "give a source of the main circuit an amplitude: V1 in 0 AC 1");
        return;
    }
    if (!ct_statespace_lti(job->ss, &lti))
        return;
    uint32_t count = frequencies(job->a, arena, &f), p = lti.p;
    if (!count)
        ct_throw(job->ctx, CT_ERR_LIMIT);
    lti.B = weigh(job, lti.B, lti.n, arena);
    lti.D = weigh(job, lti.D, p, arena);
    lti.E = lti.E ? weigh(job, lti.E, lti.n, arena) : NULL;
    lti.F = lti.F ? weigh(job, lti.F, p, arena) : NULL;
    lti.m = 2;
    double *omega = CT_NEW_ARRAY(arena, double, count + 1);
    for (uint32_t k = 0; k < count; k++)
        omega[k] = 2 * pi * f[k];
    double complex *g = CT_NEW_ARRAY(arena, double complex, (size_t)count *p * 2 + 1);
    ct_lti_frequency(arena, &lti, omega, count, g);
    ct_result *result = new_result(job->ctx, 1 + 4 * p, count, "frequency response");
    job->result = result;
    name_response(job);
    double *row = result->outputs.value;
    for (uint32_t k = 0; k < count; k++) {
        *row++ = f[k];
        for (uint32_t i = 0; i < p; i++, row += 4) {
            double complex y = g[((size_t)k * p + i) * 2] + I * g[((size_t)k * p + i) * 2 + 1];
            row[0] = cabs(y);
            row[1] = carg(y) * 180 / pi;
            row[2] = creal(y);
            row[3] = cimag(y);
        }
    }
    result->outputs.count = count;
    ct_arena_free(arena);
}

static const ct_analysis *first_ac(const ct_syntax *netlist)
{
    for (size_t i = 0; i < ct_analysis_count(netlist); i++)
        if (ct_analysis_at(netlist, i)->kind == CT_AC)
            return ct_analysis_at(netlist, i);
    return NULL;
}

ct_status ct_run_response(ct_context *ctx, const ct_statespace *statespace,
                          const ct_syntax *netlist, const ct_analysis *analysis,
                          const ct_result **result)
{
    response_job job = {.ctx = ctx, .ss = statespace, .netlist = netlist->netlist, .a = analysis};
    *result = NULL;
    if (!analysis)
        job.a = first_ac(netlist);
    if (!job.a || !statespace->numbers)
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, respond, &job);
    *result = status == CT_OK ? job.result : NULL;
    return status == CT_OK && !job.result ? CT_ERR_MODEL : status;
}

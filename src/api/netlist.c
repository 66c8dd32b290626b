/* netlist.c - the public calls of analyses that netlists ask for: .op, .dc and .ac. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/finite.h"
#include "api/measure.h"
#include "api/status.h"
#include "spice/spice.h"
#include "study/statespace.h"
#include "units/units.h"
#include "runner/runner.h"

static const double pi = 3.14159265358979323846;

enum { MOST_ROWS = 100000000 };

/* A result whose columns get their names one by one. */
typedef struct named_result {
    ct_result result; /* the first member: name_column() finds the others by it */
    const char **name, **unit;
} named_result;

/* method: what the rows are made by, for the statistics. */
static ct_result *new_result(ct_context *ctx, uint32_t cols, uint64_t rows, const char *method)
{
    named_result *named = CT_NEW(ctx->base, named_result);
    ct_result *result = &named->result;
    result->effort = (ct_effort){.method = method, .start_method = "none", .path = "symbolic"};
    named->name = CT_NEW_ARRAY(ctx->base, const char *, cols + 1);
    named->unit = CT_NEW_ARRAY(ctx->base, const char *, cols + 1);
    result->outputs = (ct_rows){.name = named->name, .unit = named->unit, .cols = cols};
    if (rows > MOST_ROWS / (cols + 1))
        ct_throw(ctx, CT_ERR_LIMIT);
    result->outputs.value = CT_NEW_ARRAY(ctx->base, double, (size_t)(rows * cols) + 1);
    return result;
}

static void name_column(ct_result *result, uint32_t column, const char *name, const char *unit)
{
    named_result *named = (named_result *)result;
    named->name[column] = name;
    named->unit[column] = unit;
}

/* ---- operating points ---------------------------------------------------------------------------
 */

typedef struct sweep_job {
    ct_context *ctx;
    ct_simulator *s;
    const ct_syntax *netlist; /* NULL: of no netlist */
    const ct_analysis *a;
    ct_result *result;
    bool failed;
} sweep_job;

static const char *unit_of(const sweep_job *job, ct_dim dim)
{
    return ct_dim_text(job->ctx->base, dim);
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
        if (ct_set_parameter(job->ctx, s, job->a->swept[k].name, at[k]) != CT_OK)
            return false;
    ct_arena *arena = ct_arena_new(job->ctx);
    const ct_point *point = ct_simulator_rest(s, 0, arena);
    ct_rows *rows = &job->result->outputs;
    if (point) {
        ct_effort *e = &job->result->effort;
        e->start_iterations += point->iterations;
        e->start_method = point->method ? point->method : e->start_method;
        e->path = s->machine || s->modes ? e->path : "numeric"; /* nothing was derived */
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
    uint64_t inner = a->swept_count > 0 ? a->swept[0].count : 1;
    uint64_t outer = a->swept_count > 1 ? a->swept[1].count : 1;
    uint32_t cols = a->swept_count + m->output_count;
    job->result = new_result(job->ctx, cols, inner * outer, "operating points");
    for (uint32_t k = 0; k < a->swept_count; k++)
        name_column(job->result, k, a->swept[k].name, unit_of_param(job, a->swept[k].name));
    for (uint32_t i = 0; i < m->output_count; i++)
        name_column(job->result, a->swept_count + i, m->output[i].name,
                    unit_of(job, m->output[i].dim));
    job->s->follows = true;
    job->s->near = NULL;
    for (uint64_t j = 0; j < outer && !job->failed; j++)
        for (uint64_t i = 0; i < inner && !job->failed; i++) {
            double at[2] = {a->swept_count > 0 ? a->swept[0].value[i] : 0,
                            a->swept_count > 1 ? a->swept[1].value[j] : 0};
            job->failed = !add_row(job, at);
        }
    job->s->follows = false;
    ct_rows *rows = &job->result->outputs;
    if (a->swept_count)
        ct_warn_of_rows(m, rows, a->swept_count);
    if (!job->netlist || !job->netlist->netlist || job->failed)
        return;
    if (a->swept_count > 1 && job->netlist->netlist->measure_count)
        ct_warning(job->ctx, "W803", job->netlist->netlist->measure[0].place,
                   "measures over two nested sweeps are left out");
    else
        job->result->measures = ct_measure_rows(job->ctx, job->netlist, rows, a->swept_count, 0);
    ct_hide_columns(job->ctx, rows, a->swept_count + job->netlist->netlist->shown);
}

ct_status ct_run_sweep(ct_context *ctx, ct_simulator *simulator, const ct_syntax *netlist,
                       const ct_analysis *analysis, const ct_result **result)
{
    ct_analysis point = {.kind = CT_OP};
    sweep_job job = {
        .ctx = ctx, .s = simulator, .netlist = netlist, .a = analysis ? analysis : &point};
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
    const ct_syntax *syntax;
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

/* As ngspice has them: points of decades are spread so that the last one is met, those of octaves
 * lie at whole parts of an octave. */
static uint32_t frequencies(const ct_analysis *a, ct_arena *arena, const double **list)
{
    bool decades = a->scale == CT_AC_DECADES, lines = a->scale == CT_AC_LINEAR;
    double from = a->from, to = a->to, intervals = a->points - 1;
    if (!lines)
        intervals = ct_whole_steps(log(to / from) / log(decades ? 10 : 2) * a->points);
    if (!(intervals < 1e7))
        return 0;
    uint32_t count = (uint32_t)intervals + 1;
    double *f = CT_NEW_ARRAY(arena, double, count + 1);
    double ratio = decades && count > 1 ? pow(to / from, 1 / intervals) : pow(2, 1 / a->points);
    for (uint32_t i = 0; i < count; i++)
        f[i] = lines ? from + (count > 1 ? (to - from) * i / intervals : 0) : from * pow(ratio, i);
    *list = f;
    return count;
}

/* A column: of .print, or an output when the tree is for no .ac. */
static ct_ac_column column_at(const response_job *job, uint32_t i)
{
    const ct_netlist *n = job->netlist;
    return n->column_count ? n->column[i] : (ct_ac_column){.name = job->ss->output[i]};
}

static uint32_t column_count(const response_job *job)
{
    return job->netlist->column_count ? job->netlist->column_count : job->ss->p;
}

/* Real columns are one, others four. */
static uint32_t width_of(const response_job *job)
{
    uint32_t width = 1;
    for (uint32_t i = 0; i < column_count(job); i++)
        width += column_at(job, i).real ? 1 : 4;
    return width;
}

static void name_response(response_job *job)
{
    static const char *const parts[] = {"mag", "phase", "re", "im"};
    uint32_t at = 1;
    name_column(job->result, 0, "frequency", "Hz");
    for (uint32_t i = 0; i < column_count(job); i++) {
        const ct_ac_column c = column_at(job, i);
        if (c.real)
            name_column(job->result, at++, c.name, "1");
        for (uint32_t k = 0; k < 4 && !c.real; k++)
            name_column(job->result, at++, ct_printf(job->ctx, "%s(%s)", parts[k], c.name),
                        k == 1 ? "deg" : "1");
    }
}

static double *put_phasor(double *row, double complex y, bool real)
{
    if (real) {
        *row++ = creal(y);
        return row;
    }
    row[0] = cabs(y);
    row[1] = carg(y) * 180 / pi;
    row[2] = creal(y);
    row[3] = cimag(y);
    return row + 4;
}

static void tell_effort(response_job *job)
{
    ct_effort *e = &job->result->effort;
    const ct_point *point = job->ss->point;
    e->path = job->ss->reduced || job->ss->whole ? "symbolic" : "numeric";
    e->why_not = job->ss->why_not;
    e->jacobian = job->ss->effort.jacobian;
    e->jacobian_entries = job->ss->effort.entries;
    e->jacobian_ops = (uint32_t)job->ss->effort.ops;
    if (point && point->method) {
        e->start_method = point->method;
        e->start_iterations = point->iterations;
    }
}

/* Outputs at each frequency: those of the model, which the columns are formulas of. */
static void put_response(response_job *job, const double *f, uint32_t count,
                         const double complex *output, uint32_t p)
{
    job->result = new_result(job->ctx, width_of(job), count, "frequency response");
    name_response(job);
    double *row = job->result->outputs.value;
    for (uint32_t k = 0; k < count; k++) {
        const double complex *here = output + (size_t)k * p;
        *row++ = f[k];
        for (uint32_t i = 0; i < column_count(job); i++) {
            const ct_ac_column c = column_at(job, i);
            double complex y =
                c.formula ? ct_formula_value(job->syntax, c.formula, here, NULL) : here[i];
            row = put_phasor(row, y, c.real);
        }
    }
    job->result->outputs.count = count;
    tell_effort(job);
    job->result->measures = ct_measure_phasors(job->ctx, job->syntax, f, output, count, p);
}

/* The state space with two inputs: real and imaginary parts of what drives it. */
static bool drive(response_job *job, ct_lti *lti, ct_arena *arena)
{
    if (!ct_statespace_lti(job->ss, lti))
        return false;
    lti->B = weigh(job, lti->B, lti->n, arena);
    lti->D = weigh(job, lti->D, lti->p, arena);
    lti->E = lti->E ? weigh(job, lti->E, lti->n, arena) : NULL;
    lti->F = lti->F ? weigh(job, lti->F, lti->p, arena) : NULL;
    lti->m = 2;
    return true;
}

/* Phasors of the inputs; those that nothing drives are zero. */
static void read_phasors(const response_job *job, double *re, double *im)
{
    const ct_netlist *n = job->netlist;
    for (uint32_t j = 0; j < job->ss->m; j++) {
        const char *input = ct_name_text(job->ctx, job->ss->input[j]);
        for (uint32_t k = 0; k < n->phasor_count; k++)
            if (strcmp(input, n->phasor[k].input) == 0) {
                re[j] += n->phasor[k].re;
                im[j] += n->phasor[k].im;
            }
    }
}

/* The same with delays, whose responses are those of each input. */
static bool delayed_phasors(const ct_statespace *ss, const double *re, const double *im,
                            const double *f, uint32_t count, double complex *y)
{
    bool solved = count == 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = 0; j < ss->m; j++)
            for (uint32_t i = 0; (re[j] != 0 || im[j] != 0) && i < ss->p; i++) {
                double complex g = ct_lti_sweep_at(ss->delayed, i, j, I * 2 * pi * f[k], NULL);
                y[(size_t)k * ss->p + i] += (re[j] + I * im[j]) * g;
                solved |= isfinite(creal(g));
            }
    return solved || !ss->p || ct_statespace_undetermined(ss);
}

/* Phasors of all outputs at each frequency. False after reporting. */
static bool all_phasors(const response_job *job, const double *f, uint32_t count, double complex *y,
                        ct_arena *arena)
{
    const ct_statespace *ss = job->ss;
    double *re = CT_NEW_ARRAY(arena, double, 2 * (size_t)ss->m + 1), *im = re + ss->m;
    bool turned = false, solved = count == 0;
    read_phasors(job, re, im);
    if (ss->delayed)
        return delayed_phasors(ss, re, im, f, count, y);
    for (uint32_t j = 0; j < ss->m; j++)
        turned |= im[j] != 0;
    ct_lti_sweep *all = ct_statespace_sweep(ss, re, im, arena);
    double complex *s = CT_NEW_ARRAY(arena, double complex, count + (size_t)1);
    double complex *g = CT_NEW_ARRAY(arena, double complex, (size_t)count * ss->p + 1);
    for (uint32_t k = 0; k < count; k++)
        s[k] = I * 2 * pi * f[k];
    for (uint32_t part = 0; all && part < (turned ? 2 : 1); part++) {
        ct_lti_sweep_all(all, part, s, count, g, arena);
        for (size_t k = 0; k < (size_t)count * ss->p; k++) {
            y[k] += part ? I * g[k] : g[k];
            solved |= isfinite(creal(g[k]));
        }
    }
    return all && (solved || !ss->p || ct_statespace_undetermined(ss));
}

static void respond(void *user)
{
    response_job *job = user;
    const double *f;
    ct_arena *arena = ct_arena_new(job->ctx);
    if (!job->netlist->phasor_count) {
        ct_report *r =
            ct_error(job->ctx, "E525", (ct_place){0}, "no source drives the .ac analysis");
        ct_help(r, "give a source an amplitude: V1 in 0 AC 1");
        return;
    }
    uint32_t count = frequencies(job->a, arena, &f), p = job->ss->p;
    if (!count)
        ct_throw(job->ctx, CT_ERR_LIMIT);
    double complex *y = CT_NEW_ARRAY(arena, double complex, (size_t)count *p + 1);
    if (all_phasors(job, f, count, y, arena))
        put_response(job, f, count, y, p);
    ct_arena_free(arena);
}

/* ---- .tf
 * ------------------------------------------------------------------------------------------------
 */

/* As SPICE has it: where no current flows the resistance is a large number. */
static double inverse(double conductance)
{
    const double no_current = 1e-20;
    return fabs(conductance) < no_current ? 1 / no_current : 1 / conductance;
}

/* Outputs: what is asked for, and what the source answers with; inputs: the source, the probe. */
static void transfer(void *user)
{
    response_job *job = user;
    static const char *const names[] = {"transfer_function", "input_impedance", "output_impedance"};
    ct_arena *arena = ct_arena_new(job->ctx);
    const double zero = 0;
    double complex g[4];
    ct_lti lti;
    if (job->netlist->phasor_count != 2 || !drive(job, &lti, arena) || lti.p != 2)
        return;
    ct_lti_frequency(arena, &lti, &zero, 1, g);
    bool voltage_in = strcmp(job->ss->output[1], "input current") == 0;
    bool current_out = strcmp(job->ss->output[0], "output current") == 0;
    job->result = new_result(job->ctx, 3, 1, "transfer function");
    for (uint32_t k = 0; k < 3; k++)
        name_column(job->result, k, names[k], "1");
    double *row = job->result->outputs.value;
    row[0] = creal(g[0]);
    row[1] = voltage_in ? inverse(-creal(g[2])) : -creal(g[2]);
    row[2] = current_out ? inverse(-creal(g[1])) : creal(g[1]);
    job->result->outputs.count = 1;
    ct_arena_free(arena);
}

ct_status ct_run_transfer(ct_context *ctx, const ct_statespace *statespace,
                          const ct_syntax *netlist, const ct_result **result)
{
    response_job job = {
        .ctx = ctx, .ss = statespace, .syntax = netlist, .netlist = netlist->netlist};
    *result = NULL;
    ct_status status = ct_call(ctx, transfer, &job);
    *result = status == CT_OK ? job.result : NULL;
    return status == CT_OK && !job.result ? CT_ERR_MODEL : status;
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
    response_job job = {.ctx = ctx,
                        .ss = statespace,
                        .syntax = netlist,
                        .netlist = netlist->netlist,
                        .a = analysis};
    *result = NULL;
    if (!analysis)
        job.a = first_ac(netlist);
    if (!job.a || !statespace->numbers)
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, respond, &job);
    *result = status == CT_OK ? job.result : NULL;
    return status == CT_OK && !job.result ? CT_ERR_MODEL : status;
}

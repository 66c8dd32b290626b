/* netlist.c - the analyses that a netlist asks for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"

static const char *word_of(const ct_analysis *a)
{
    return ct_word_at(CT_WORD_ANALYSIS, a ? a->kind : CT_OP)->word;
}

/* x.csv becomes x.tran.csv when several analyses write; the second of a kind x.tran2.csv. */
static char *path_for(const char *path, const char *word, unsigned number)
{
    size_t length = strlen(path), room = length + strlen(word) + 16;
    char *out = malloc(room);
    const char *dot = strrchr(path, '.');
    if (!out || !dot)
        return out ? memcpy(out, path, length + 1) : NULL;
    if (number > 1)
        snprintf(out, room, "%.*s.%s%u%s", (int)(dot - path), path, word, number, dot);
    else
        snprintf(out, room, "%.*s.%s%s", (int)(dot - path), path, word, dot);
    return out;
}

/* Rows of .tran: from its start on, at its steps. */
static int set_times(job *j, const ct_analysis *a)
{
    ct_simulation_def *d = &j->def;
    const options *o = j->o;
    if (d->times || d->points || o->stop || o->start || a->start == 0)
        return EXIT_OK;
    const double rounding = 1e-12;
    double steps = floor((a->stop - a->start) / a->step * (1 + rounding));
    free(j->times);
    j->times = malloc(((size_t)steps + 2) * sizeof *j->times);
    if (!j->times)
        return EXIT_INTERNAL;
    uint32_t count = 0;
    for (double i = 0; i <= steps; i++)
        j->times[count++] = a->start + i * a->step;
    if (j->times[count - 1] < a->stop * (1 - rounding))
        j->times[count++] = a->stop;
    d->times = j->times;
    d->time_count = count;
    return EXIT_OK;
}

static ct_status run_tran(job *j, const ct_analysis *a, const ct_result **result)
{
    ct_simulation_def saved = j->def;
    ct_status status = set_times(j, a) ? CT_ERR_MEMORY : CT_OK;
    j->measured = a->measure_count > 0;
    if (status == CT_OK)
        status = integrate_model(j, result);
    j->measured = false;
    j->def = saved;
    return status;
}

static ct_status run_sweep(job *j, const ct_analysis *a, const ct_result **result)
{
    ct_status status = make(j);
    return status == CT_OK ? ct_run_sweep(j->ctx, j->simulator, j->syntax, a, result) : status;
}

static ct_status run_linear(job *j, const ct_analysis *a, const ct_result **result)
{
    ct_statespace *ss = NULL;
    ct_status status = make_tree(j);
    if (status == CT_OK)
        status = ct_linearise(j->ctx, j->tree, j->o->form, NULL, &ss);
    if (status != CT_OK)
        return status;
    return a->kind == CT_TF ? ct_run_transfer(j->ctx, ss, j->syntax, result)
                            : ct_run_response(j->ctx, ss, j->syntax, a, result);
}

/* One run of an analysis: its model is read with the values of that run. */
static ct_status compute(job *j, const ct_syntax *netlist, size_t index, uint64_t run,
                         const ct_result **result)
{
    const ct_analysis *a = ct_analysis_at(netlist, index);
    bool many = a && a->runs > 1;
    ct_status status = many ? ct_read_run(j->ctx, netlist, index, run, &j->syntax)
                            : ct_read_analysis(j->ctx, netlist, index, &j->syntax);
    *result = NULL;
    if (status != CT_OK)
        return status;
    a = a ? ct_analysis_at(j->syntax, index) : NULL; /* times may depend on the run */
    if (!a || a->kind == CT_OP || a->kind == CT_DC)
        return run_sweep(j, a, result);
    return a->kind == CT_TRAN ? run_tran(j, a, result) : run_linear(j, a, result);
}

/* One row; on a terminal a list. */
static int show_point(job *j)
{
    const ct_point *point = NULL;
    const char *text;
    ct_status status = make(j);
    if (status == CT_OK)
        status = ct_find_equilibrium(j->ctx, j->simulator, 0, &point);
    if (status == CT_OK)
        status = ct_show_point(j->ctx, point, false, &text);
    int code = report_new(j, status);
    return status == CT_OK ? write_result(NULL, text, strlen(text)) : code;
}

static bool is_listed(const job *j, const ct_analysis *a, const target *t)
{
    bool plain = !a || (a->kind == CT_OP && a->runs == 1 && !a->measure_count);
    return plain && !t->path && !j->o->stats && isatty(STDOUT_FILENO);
}

/* An empty line between tables on standard output. */
static void part(const target *t)
{
    if (!t->path || strcmp(t->path, "-") == 0)
        printf("\n");
}

/* Behind the rows, or in a file of their own: x.meas.csv. */
static int put_measures(job *j, const ct_result *measures, const target *t, unsigned number)
{
    bool file = !is_stream(t->path);
    char *path = file ? path_for(t->path, "meas", number) : NULL;
    if (file && !path)
        return EXIT_INTERNAL;
    char *dot = path ? strrchr(path, '.') : NULL;
    if (dot)
        strcpy(dot, ".csv"); /* endings have three letters */
    if (!file)
        part(t);
    int problem = put_table(j, measures, path);
    free(path);
    return problem;
}

static int finish(job *j, int code, const ct_result *result, const target *t, unsigned number)
{
    int problem = result && result->outputs.count ? put_all(j, result, t) : EXIT_OK;
    if (!problem && result && result->measures)
        problem = put_measures(j, result->measures, t, number);
    code = tell_interrupt(result, code);
    return problem ? problem : code;
}

/* All runs of .step as one table; a picture has a curve for each. */
static int run_steps(job *j, const ct_syntax *netlist, size_t index, const target *t,
                     unsigned number)
{
    const ct_analysis *a = ct_analysis_at(netlist, index);
    const ct_result **run = calloc((size_t)a->runs, sizeof *run), *all = NULL;
    int code = EXIT_OK;
    bool stopped = false;
    for (uint64_t i = 0; run && i < a->runs && !stopped; i++) {
        int own = report_new(j, compute(j, netlist, index, i, &run[i]));
        code = own ? own : code;
        stopped = own && !run[i];
        stopped |= run[i] && run[i]->interrupted;
    }
    ct_status status = run ? ct_join_runs(j->ctx, a, run, false, &all) : CT_ERR_MEMORY;
    if (status == CT_OK)
        status = ct_join_runs(j->ctx, a, run, true, &j->picture);
    free(run);
    if (status != CT_OK)
        return report(j->ctx, j->o, status);
    code = finish(j, code, all, t, number);
    j->picture = NULL;
    return code;
}

static int run_one(job *j, const ct_syntax *netlist, size_t index, const target *t, unsigned number)
{
    const ct_analysis *a = ct_analysis_at(netlist, index);
    const ct_result *result = NULL;
    if (a && a->runs > 1)
        return run_steps(j, netlist, index, t, number);
    if (is_listed(j, a, t)) {
        ct_status status = ct_read_analysis(j->ctx, netlist, index, &j->syntax);
        return status == CT_OK ? show_point(j) : report(j->ctx, j->o, status);
    }
    int code = report_new(j, compute(j, netlist, index, 0, &result));
    return finish(j, code, result, t, number);
}

static bool is_chosen(const options *o, const ct_analysis *a)
{
    return !o->analysis || strcmp(o->analysis, word_of(a)) == 0;
}

static int no_such(const options *o)
{
    complain("cotree run: %s has no .%s card\n", o->argument[0], o->analysis);
    return EXIT_USAGE;
}

/* Of those with rows that are chosen. A run in time can be asked for by --stop alone. */
static size_t list_chosen(const job *j, const ct_syntax *netlist, size_t *index, size_t room)
{
    size_t count = 0, all = ct_analysis_count(netlist);
    for (size_t i = 0; i < all && count < room; i++)
        if (is_chosen(j->o, ct_analysis_at(netlist, i)))
            index[count++] = i;
    if (!count && (!j->o->analysis || strcmp(j->o->analysis, "op") == 0))
        index[count++] = all;
    return count;
}

enum { MOST_ANALYSES = 1000 };

int run_analyses(job *j, const target *t)
{
    const options *o = j->o;
    const ct_syntax *netlist = j->syntax;
    size_t index[MOST_ANALYSES], count = list_chosen(j, netlist, index, MOST_ANALYSES);
    unsigned number[CT_TF + 1] = {0}, measured = 0;
    int code = EXIT_OK;
    if (!count)
        return no_such(o);
    if (!ct_analysis_count(netlist) && (o->stop || o->times))
        return simulate_model(j, t);
    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        const ct_analysis *a = ct_analysis_at(netlist, index[i]);
        bool named = count > 1 && !is_stream(t->path);
        unsigned nth = ++number[a ? a->kind : CT_OP];
        char *path = named ? path_for(t->path, word_of(a), nth) : NULL;
        target mine = {path ? path : t->path, t->format};
        if (i && !named)
            part(t);
        measured += a && a->measure_count;
        code = run_one(j, netlist, index[i], &mine, measured);
        free(path);
    }
    return code;
}

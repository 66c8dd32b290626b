/* statespace.c - the verb statespace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef struct job {
    const options *o;
    ct_context *ctx;
    ct_statespace_choice choice;
    ct_statespace *made;
    ct_response_choice response;
    bool lg2ss;
    ct_state_names names;
} job;

/* A model file, or the matrices of LG2ss. */
static ct_status read_model(job *j, const ct_syntax **syntax)
{
    const options *o = j->o;
    if (!j->lg2ss)
        return ct_read_file(j->ctx, o->argument[0], syntax);
    const char *text;
    const char *outputs = o->argument_count > 1 ? o->argument[1] : "[]";
    ct_status status = ct_translate_lg2ss(j->ctx, o->argument[0], outputs, &text, &j->names);
    if (status != CT_OK)
        return status;
    j->choice.names = &j->names;
    return ct_read_text(j->ctx, "the model of the matrices", text, strlen(text), syntax);
}

static ct_status make(job *j)
{
    const ct_syntax *syntax;
    const ct_equations *equations;
    staged s;
    ct_status status = read_model(j, &syntax);
    if (status == CT_OK)
        status = to_tree(j->ctx, j->o, syntax, false, &s);
    if (status != CT_OK || (j->choice.numeric && !j->o->impedances))
        return status != CT_OK ? status
                               : ct_linearise(j->ctx, s.tree, j->o->form, &j->choice, &j->made);
    status = ct_derive(j->ctx, s.tree, j->o->form, &equations);
    if (status == CT_OK)
        status = ct_make_statespace(j->ctx, equations, &j->choice, &j->made);
    return status;
}

/* By the option, else by the ending of the file. */
static const char *find_format(const options *o)
{
    if (o->format || o->json)
        return o->format ? o->format : "json";
    const char *format = o->output ? format_of(NULL, CT_WORD_STATESPACE_FORMAT, o->output) : NULL;
    return format ? format : "text";
}

/* `t=1` or `1`, with or without a unit. */
static int read_at(job *j)
{
    const char *typed = j->o->at, *time = typed;
    if (!typed)
        return EXIT_OK;
    if (strncmp(typed, "t=", 2) == 0)
        time = typed + 2;
    if (ct_read_time(j->ctx, time, &j->choice.at) == CT_OK)
        return EXIT_OK;
    return no_number("--at", typed, "a time such as t=0.05 or 50ms");
}

static int show(job *j)
{
    const options *o = j->o;
    const char *format = find_format(o);
    if (o->impedances && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        complain("cotree statespace: --exact is for text and JSON\n");
        return EXIT_USAGE;
    }
    ct_statespace_show wish = {format,   o->standalone, o->tf,        o->poles,
                               o->zeros, o->margins,    o->step_info, o->impedances};
    const char *text;
    size_t length;
    ct_status status = ct_show_statespace(j->ctx, j->made, &wish, &text, &length);
    return status == CT_OK ? answer(j->ctx, o, strcmp(wish.format, "json") == 0, text, length)
                           : report(j->ctx, o, status);
}

static int draw(job *j, const char *path, ct_response response)
{
    const char *text;
    size_t length;
    ct_response_choice choice = j->response;
    choice.format = format_of("statespace", CT_WORD_RESPONSE_FORMAT, path);
    choice.exact = j->o->impedances;
    if (!choice.format)
        return EXIT_USAGE;
    ct_status status = ct_show_response_as(j->ctx, j->made, response, &choice, &text, &length);
    return status == CT_OK ? write_result(path, text, length) : report(j->ctx, j->o, status);
}

static int draw_all(job *j)
{
    const options *o = j->o;
    int code = EXIT_OK;
    for (int i = 0; i < o->picture_count && !code; i++)
        code = draw(j, o->picture[i].path, o->picture[i].response);
    return code;
}

/* ---- range of the pictures */

static int read_frequency(job *j, const char *option, const char *typed, double *value, bool *hz)
{
    if (!typed)
        return EXIT_OK;
    if (ct_read_frequency(j->ctx, typed, value, hz) == CT_OK && *value > 0)
        return EXIT_OK;
    return no_number(option, typed, "a frequency such as 1Hz, 10kHz or 5rad/s");
}

/* One of them in Hz: the axis is in Hz, and the other one changes its unit. */
static int read_range(job *j)
{
    const double turn = 6.283185307179586;
    ct_response_choice *c = &j->response;
    bool from = false, to = false;
    int problem = read_frequency(j, "--from", j->o->from, &c->from, &from);
    if (!problem)
        problem = read_frequency(j, "--to", j->o->upto, &c->to, &to);
    if (problem)
        return problem;
    c->hz = from || to;
    c->from /= c->hz && !from ? turn : 1;
    c->to /= c->hz && !to ? turn : 1;
    if (c->from == 0 || c->to == 0 || c->from < c->to)
        return EXIT_OK;
    complain("cotree statespace: --from must be smaller than --to\n");
    return EXIT_USAGE;
}

static int read_rows(job *j)
{
    enum { MOST_ROWS = 10000000 };
    const options *o = j->o;
    char *end = NULL;
    double rows = o->points ? strtod(o->points, &end) : 0;
    if (o->stop &&
        (ct_read_time(j->ctx, o->stop, &j->response.stop) != CT_OK || !(j->response.stop > 0)))
        return no_number("--stop", o->stop, "a time such as 0.05 or 50ms");
    if (o->points && (*end || !(rows >= 1 && rows <= MOST_ROWS) || rows != floor(rows)))
        return no_number("--points", o->points, "a number of intervals from 1 to 10 million");
    j->response.points = (uint32_t)rows;
    return EXIT_OK;
}

static int read_pade(job *j)
{
    char *end = NULL;
    const char *text = j->o->pade;
    double order = text ? strtod(text, &end) : 0;
    if (text && (*end || !(order >= 1 && order <= 12) || order != floor(order)))
        return no_number("--pade", text, "an order from 1 to 12");
    j->choice.pade = (uint32_t)order;
    return 0;
}

static bool wants_lti(const options *o)
{
    return o->poles || o->zeros || o->margins || o->step_info;
}

static int show_effort(job *j)
{
    const char *text;
    ct_status status = ct_show_linearising(j->ctx, j->made, &text);
    if (status != CT_OK)
        return report(j->ctx, j->o, status);
    const char *out = j->o->output;
    fputs(text, out && strcmp(out, "-") == 0 ? stderr : stdout);
    return EXIT_OK;
}

/* Pictures alone need no text beside them; what it took stands in the place of text. */
static int show_all(job *j)
{
    const options *o = j->o;
    bool text = !o->picture_count || o->output || o->format || o->json || o->numeric || o->tf ||
                o->impedances || wants_lti(o);
    int code = draw_all(j);
    if (!code && text && (o->output || !o->stats))
        code = show(j);
    return code || !o->stats ? code : show_effort(j);
}

static int run(job *j, char *list, ct_state_value *given)
{
    const options *o = j->o;
    ct_statespace_choice *c = &j->choice;
    c->simplify = o->simplify;
    c->numeric = o->numeric || wants_lti(o) || o->picture_count;
    c->transfer = o->tf;
    c->equilibrium = o->equilibrium;
    c->state = given;
    int problem = read_at(j);
    if (o->form && strcmp(o->form, "numeric") == 0 && !c->numeric) {
        complain("cotree statespace: --form numeric goes with --numeric\n");
        return EXIT_USAGE;
    }
    if (!problem)
        problem = read_range(j);
    if (!problem)
        problem = read_rows(j);
    if (!problem)
        problem = read_pade(j);
    if (!problem)
        problem = read_states(list, given, &c->state_count);
    if (problem)
        return problem;
    ct_status status = make(j);
    return status == CT_OK ? show_all(j) : report(j->ctx, o, status);
}

static int in_job(const options *o, bool lg2ss)
{
    job j = {
        .o = o, .ctx = open_context(o), .choice = ct_default_statespace_choice(), .lg2ss = lg2ss};
    char *list = strdup(o->state ? o->state : "");
    ct_state_value *given = list ? calloc(strlen(list) + 1, sizeof *given) : NULL;
    int code = j.ctx && given ? run(&j, list, given) : EXIT_INTERNAL;
    free(given);
    free(list);
    if (j.ctx)
        ct_context_free(j.ctx);
    return code;
}

int run_statespace(const options *o)
{
    return in_job(o, false);
}

static int print_model(ct_context *ctx, const options *o)
{
    job j = {.o = o, .ctx = ctx, .lg2ss = true};
    const ct_syntax *syntax;
    ct_status status = read_model(&j, &syntax);
    if (status != CT_OK)
        return report(ctx, o, status);
    const char *text = ct_syntax_text(syntax);
    return write_result(o->output, text, strlen(text));
}

int run_lg2ss(const options *o)
{
    if (!o->model)
        return in_job(o, true);
    ct_context *ctx = open_context(o);
    int code = ctx ? print_model(ctx, o) : EXIT_INTERNAL;
    if (ctx)
        ct_context_free(ctx);
    return code;
}

/* common.c - contexts, messages and results for all verbs. */
#define _GNU_SOURCE /* vasprintf */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* Three quarters of the machine's memory: a system that lends more than it has ends other programs.
 */
static size_t most_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages / 4 * 3 * (size_t)size : 0;
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL, *shown = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    size_t room = length >= 0 ? 4 * (size_t)length + 1 : 0;
    if (room && (shown = malloc(room))) {
        ct_make_visible(text, shown, room);
        fputs(shown, stderr);
    }
    free(shown);
    if (length >= 0)
        free(text);
}

/* The last context that was opened: what it has read must not be written over. */
static const ct_context *reader;

ct_context *open_context(const options *o)
{
    ct_context_def def = ct_default_context_def();
    def.include_dirs = o->include;
    def.include_dir_count = (size_t)o->include_count;
    def.native = !o->no_native;
    def.max_bytes = most_memory();
    ct_context *ctx = ct_context_new(&def);
    if (!ctx)
        complain("cotree: out of memory\n");
    reader = ctx;
    return ctx;
}

static int exit_code(ct_status status)
{
    switch (status) {
    case CT_OK:
        return EXIT_OK;
    case CT_ERR_SYNTAX:
    case CT_ERR_MODEL:
    case CT_ERR_TOPOLOGY:
        return EXIT_MODEL;
    case CT_ERR_IO:
        return EXIT_IO;
    case CT_ERR_LIMIT:
        return EXIT_LIMIT;
    case CT_ERR_CONVERGENCE:
        return EXIT_NUMERICAL;
    case CT_ERR_USAGE:
        return EXIT_USAGE;
    case CT_ERR_MEMORY:
        return EXIT_INTERNAL;
    }
    return EXIT_INTERNAL;
}

static bool wants_colour(void)
{
    const char *off = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(off && *off);
}

int report(ct_context *ctx, const options *o, ct_status status)
{
    const char *text;
    ct_diag_style style = o->json ? CT_DIAG_JSON : wants_colour() ? CT_DIAG_COLOR : CT_DIAG_TEXT;
    if (ct_diag_render(ctx, style, &text) == CT_OK)
        fputs(text, o->json ? stdout : stderr);
    if (status != CT_OK && (status == CT_ERR_MEMORY || ct_diag_count(ctx) == 0))
        complain("cotree: %s\n", ct_status_text(status));
    return exit_code(status);
}

static int refuse_output(const char *path)
{
    complain("cotree: %s was read: it is not written over; choose another name for -o\n", path);
    return EXIT_IO;
}

/* Before anything is computed. */
int protect_model(const options *o)
{
    const char *const target[] = {o->output,  o->plot,      o->animate,     o->bode,
                                  o->nyquist, o->step_plot, o->impulse_plot};
    struct stat model, other;
    if (!o->argument_count || stat(o->argument[0], &model) != 0 || !S_ISREG(model.st_mode))
        return EXIT_OK;
    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        if (target[i] && stat(target[i], &other) == 0 && other.st_dev == model.st_dev &&
            other.st_ino == model.st_ino)
            return refuse_output(target[i]);
    return EXIT_OK;
}

int finish_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (code == EXIT_OK)
        perror("cotree: standard output");
    return code == EXIT_OK ? EXIT_IO : code;
}

int write_result(const char *path, const char *text, size_t length)
{
    if (!path || strcmp(path, "-") == 0) {
        if (fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0)
            return EXIT_OK;
        perror("cotree: standard output");
        return EXIT_IO;
    }
    if (reader && ct_has_read(reader, path))
        return refuse_output(path);
    return replace_file(path, text, length);
}

int replace_file(const char *path, const char *text, size_t length)
{
    int problem = ct_write_file(path, text, length);
    if (!problem)
        return EXIT_OK;
    complain("cotree: cannot write %s: %s\n", path, strerror(problem));
    return EXIT_IO;
}

/* ---- stages */

ct_status to_tree(ct_context *ctx, const options *o, const ct_syntax *syntax, bool kinematic,
                  staged *made)
{
    ct_build_def build = ct_default_build_def();
    ct_tree_choice choice = ct_default_tree_choice();
    build.override = o->set;
    build.override_count = (uint32_t)o->set_count;
    choice.coordinates = o->coordinates;
    choice.kinematic = kinematic;
    if (o->tree_given) {
        choice.prefer = o->tree;
        choice.prefer_count = (uint32_t)o->tree_count;
    }
    ct_status status = ct_build(ctx, syntax, &build, &made->model);
    if (status == CT_OK)
        status = ct_make_graph(ctx, made->model, &made->graph);
    if (status == CT_OK)
        status = ct_choose_tree(ctx, made->graph, &choice, &made->tree);
    return status;
}

ct_status make_simulator(ct_context *ctx, const options *o, bool kinematic,
                         ct_simulator **simulator)
{
    const ct_syntax *syntax;
    staged s;
    ct_status status = ct_read_file(ctx, o->argument[0], &syntax);
    if (status == CT_OK)
        status = to_tree(ctx, o, syntax, kinematic, &s);
    if (status == CT_OK)
        status = (o->animate ? ct_make_drawn_simulator : ct_make_simulator)(ctx, s.tree, o->form,
                                                                            simulator);
    return status;
}

/* state, ode and dae are ways to write equations; they are no other systems. */
int check_form(const options *o)
{
    static const char *const forms[] = {"nodal", "branch-chord", "tableau", "numeric"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!o->form || strcmp(o->form, forms[i]) == 0)
            return EXIT_OK;
    complain("cotree: --form takes nodal, branch-chord, tableau or numeric here, not `%s`\n",
             o->form);
    return EXIT_USAGE;
}

/* ---- what was typed */

int no_number(const char *option, const char *typed, const char *wanted)
{
    complain("cotree: %s takes %s, not `%s`\n", option, wanted, typed);
    return EXIT_USAGE;
}

int read_number(const char *option, const char *typed, double *value)
{
    char *end;
    if (!typed)
        return EXIT_OK;
    *value = strtod(typed, &end);
    return end != typed && *end == '\0' && isfinite(*value) ? EXIT_OK
                                                            : no_number(option, typed, "a number");
}

/* 30 deg: what follows the number is left to those who know the variable. */
static int read_value(char *typed, ct_state_value *v)
{
    char *end;
    v->value = strtod(typed, &end);
    v->unit = *(end += strspn(end, " ")) ? end : NULL;
    bool good = end != typed && isfinite(v->value) && (!v->unit || !strchr("0123456789+-.", *end));
    return good ? EXIT_OK : no_number("--state", typed, "a number, with or without a unit");
}

/* x=1,y=2 mm: cut in place. */
int read_states(char *list, ct_state_value *given, uint32_t *count)
{
    char *rest = NULL;
    for (char *at = strtok_r(list, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
        char *equals = strrchr(at, '=');
        at += strspn(at, " ");
        if (!equals || equals == at)
            return no_number("--state", at, "NAME=NUMBER, ...");
        *equals = '\0';
        given[*count].name = at;
        int problem = read_value(equals + 1, &given[*count]);
        if (problem)
            return problem;
        ++*count;
    }
    return EXIT_OK;
}

/* ---- pictures of bodies */

static bool ends_with(const char *path, const char *ending)
{
    size_t a = strlen(path), b = strlen(ending);
    return a >= b && strcmp(path + a - b, ending) == 0;
}

int drawing_format(const char *path, bool moving, ct_drawing *how)
{
    bool html = ends_with(path, ".html") || ends_with(path, ".htm");
    if (!ends_with(path, ".svg") && strcmp(path, "-") != 0 && !(moving && html)) {
        complain("cotree: %s: the ending must be .svg%s\n", path, moving ? " or .html" : "");
        return EXIT_USAGE;
    }
    *how = html ? CT_DRAWING_HTML : moving ? CT_DRAWING_SVG : CT_DRAWING_STILL;
    return EXIT_OK;
}

int write_drawing(ct_context *ctx, const options *o, ct_simulator *simulator,
                  const ct_result *result, const char *path)
{
    const char *text;
    size_t length;
    ct_drawing how;
    int problem = drawing_format(path, result != NULL, &how);
    if (problem)
        return problem;
    ct_status status = ct_show_drawing(ctx, simulator, result, how, &text, &length);
    if (status == CT_ERR_USAGE) {
        complain("cotree: %s: the model has no bodies to draw\n", o->argument[0]);
        return EXIT_USAGE;
    }
    return status == CT_OK ? write_result(path, text, length) : report(ctx, o, status);
}

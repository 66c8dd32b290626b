/* common.c - contexts, messages and results for all verbs. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static const double nanosecond = 1e-9; /* in seconds */

/* Three quarters of the machine's memory: a system that lends more than it has ends other programs.
 */
static size_t most_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages / 4 * 3 * (size_t)size : 0;
}

/* Without memory of its own: it tells of the lack of it, too. What is longer is cut. */
void complain(const char *format, ...)
{
    enum { LONGEST = 2000 };
    char text[LONGEST], shown[4 * LONGEST];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ct_make_visible(text, shown, sizeof shown);
    fputs(shown, stderr);
    if (length >= LONGEST)
        fputs("..\n", stderr);
}

/* The last context that was opened: what it has read must not be written over. */
static const ct_context *reader;

ct_context *open_context(const options *o)
{
    ct_context_def def = ct_default_context_def();
    def.include_dirs = o->include;
    def.include_dir_count = (size_t)o->include_count;
    def.native = !o->no_native;
    def.wide = !o->no_avx2;
    def.floating_base = o->floating;
    def.allow_code = o->allow_native || o->trust_native;
    def.trust_code = o->trust_native;
    def.set = o->set;
    def.set_count = (size_t)o->set_count;
    def.max_bytes = most_memory();
    ct_context *ctx = ct_context_new(&def);
    if (!ctx)
        complain("cotree: out of memory\n");
    reader = ctx;
    return ctx;
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + nanosecond * (double)t.tv_nsec;
}

int exit_code(ct_status status)
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

static void print_messages(ct_context *ctx, bool json)
{
    const char *text;
    ct_diag_style style = json ? CT_DIAG_JSON : wants_colour() ? CT_DIAG_COLOR : CT_DIAG_TEXT;
    if (ct_diag_render(ctx, style, &text) == CT_OK) {
        fputs(text, json ? stdout : stderr);
        return;
    }
    for (size_t i = 0; i < ct_diag_count(ctx); i++) /* no memory for more */
        complain("[%s]: %s\n", ct_diag_at(ctx, i)->code, ct_diag_at(ctx, i)->message);
}

int report(ct_context *ctx, const options *o, ct_status status)
{
    print_messages(ctx, o->json);
    if (status != CT_OK && ct_diag_count(ctx) == 0)
        complain("cotree: %s\n", ct_status_text(status));
    return exit_code(status);
}

int answer(ct_context *ctx, const options *o, bool has_messages, const char *text, size_t length)
{
    if (ct_diag_count(ctx) && !(o->json && has_messages))
        print_messages(ctx, false);
    return write_result(o->output, text, length);
}

static int refuse_output(const char *path)
{
    complain("cotree: %s was read: it is not written over; choose another name for -o\n", path);
    return EXIT_IO;
}

/* Before anything is computed. */
int protect_model(const options *o)
{
    const char *target[3 + MOST_PICTURES] = {o->output, o->plot, o->animate};
    struct stat model, other;
    if (!o->argument_count || stat(o->argument[0], &model) != 0 || !S_ISREG(model.st_mode))
        return EXIT_OK;
    for (int i = 0; i < o->picture_count; i++)
        target[3 + i] = o->picture[i].path;
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

/* ---- words */

bool is_word(ct_word_kind kind, const char *typed)
{
    for (size_t i = 0; ct_word_at(kind, i); i++)
        if (strcmp(ct_word_at(kind, i)->word, typed) == 0)
            return true;
    return false;
}

void print_words(FILE *out, ct_word_kind kind)
{
    for (size_t i = 0; ct_word_at(kind, i); i++)
        fprintf(out, "%s%s",
                !i                        ? ""
                : ct_word_at(kind, i + 1) ? ", "
                                          : " or ",
                ct_word_at(kind, i)->word);
}

int wrong_word(const char *by, const char *what, ct_word_kind kind, const char *typed)
{
    const char *words[64];
    size_t count = 0;
    for (; count < 64 && ct_word_at(kind, count); count++)
        words[count] = ct_word_at(kind, count)->word;
    const char *near = nearest(typed, words, count);
    complain("cotree %s: %s takes ", by, what);
    print_words(stderr, kind);
    complain(", not `%s`", typed);
    complain(near ? "; did you mean `%s`?\n" : "\n", near);
    return EXIT_USAGE;
}

/* One ending of a list that is cut by blanks; its length, or 0 past the last. */
static size_t next_ending(const char **list)
{
    *list += strspn(*list, " ");
    return strcspn(*list, " ");
}

bool ends_with(const char *text, const char *list)
{
    size_t length = text ? strlen(text) : 0;
    for (size_t n; (n = next_ending(&list)); list += n)
        if (length >= n && strncmp(text + length - n, list, n) == 0)
            return true;
    return false;
}

bool is_stream(const char *path)
{
    struct stat about;
    if (!path || strcmp(path, "-") == 0)
        return true;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static void print_endings(ct_word_kind kind)
{
    const char *before = "";
    for (size_t i = 0; ct_word_at(kind, i); i++) {
        const char *list = ct_word_at(kind, i)->endings;
        for (size_t n; (n = next_ending(&list)); list += n, before = ", ")
            complain("%s%.*s", before, (int)n, list);
    }
}

const char *format_of(const char *by, ct_word_kind kind, const char *path)
{
    for (size_t i = 0; ct_word_at(kind, i); i++)
        if (ends_with(path, ct_word_at(kind, i)->endings))
            return ct_word_at(kind, i)->word;
    if (!by)
        return NULL;
    complain("cotree %s: %s: the ending must be one of ", by, path);
    print_endings(kind);
    complain("\n");
    return NULL;
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

int drawing_format(const char *path, bool moving, ct_drawing *how)
{
    bool html = ends_with(path, ".html .htm");
    if (!ends_with(path, ".svg") && !is_stream(path) && !(moving && html)) {
        complain("cotree: %s: the ending must be .svg%s\n", path, moving ? " or .html" : "");
        return EXIT_USAGE;
    }
    *how = html ? CT_DRAWING_HTML : moving ? CT_DRAWING_SVG : CT_DRAWING_STILL;
    return EXIT_OK;
}

int read_magnification(const options *o, double *factor)
{
    *factor = 1;
    int problem = read_number("--magnify", o->magnify, factor);
    if (problem || *factor > 0)
        return problem;
    complain("cotree: --magnify %s: it must be positive\n", o->magnify);
    return EXIT_USAGE;
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
    double factor;
    problem = read_magnification(o, &factor);
    if (problem)
        return problem;
    ct_magnify_deformations(simulator, factor);
    if (o->names)
        how = (ct_drawing)(how | CT_DRAWING_NAMES);
    if (o->views)
        how = (ct_drawing)(how | CT_DRAWING_VIEWS);
    ct_status status = ct_show_drawing(ctx, simulator, result, how, &text, &length);
    if (status == CT_ERR_USAGE) {
        complain("cotree: %s: the model has no bodies to draw\n", o->argument[0]);
        return EXIT_USAGE;
    }
    return status == CT_OK ? write_result(path, text, length) : report(ctx, o, status);
}

/* model.c - the verbs that read a model: check, graph, fmt. */
#include <string.h>
#include <sys/resource.h>

#include "cli/cli.h"

enum { STAGES = 5 }; /* read, build, graph, tree, topology */

/* What the stages made, and how long each took. */
typedef struct session {
    ct_context *ctx;
    const options *o;
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    double seconds[STAGES];
} session;

static ct_status run_read(session *s)
{
    return ct_read_file(s->ctx, s->o->argument[0], &s->syntax);
}

static ct_status run_build(session *s)
{
    ct_build_def def = ct_default_build_def();
    def.override = s->o->set;
    def.override_count = (uint32_t)s->o->set_count;
    def.strict_units = s->o->strict_units;
    return ct_build(s->ctx, s->syntax, &def, &s->model);
}

static ct_status run_make_graph(session *s)
{
    return ct_make_graph(s->ctx, s->model, &s->graph);
}

static ct_status run_tree(session *s)
{
    ct_tree_choice choice = ct_default_tree_choice();
    choice.coordinates = s->o->coordinates;
    if (s->o->tree_given) {
        choice.prefer = s->o->tree;
        choice.prefer_count = (uint32_t)s->o->tree_count;
        choice.complete = !s->o->exact;
    }
    return ct_choose_tree(s->ctx, s->graph, &choice, &s->tree);
}

static ct_status run_stages(session *s)
{
    ct_status (*const stages[])(session *) = {run_read, run_build, run_make_graph, run_tree};
    for (int i = 0; i < 4; i++) {
        double start = now();
        ct_status status = stages[i](s);
        s->seconds[i] = now() - start;
        if (status != CT_OK)
            return status;
    }
    return CT_OK;
}

static int print_stats(session *s)
{
    static const char *const names[STAGES] = {"read_seconds", "build_seconds", "graph_seconds",
                                              "tree_seconds", "topology_seconds"};
    ct_state_value more[STAGES + 1];
    const char *text;
    ct_sizes sizes;
    struct rusage usage;
    double start = now();
    ct_status status = ct_measure(s->ctx, s->graph, s->tree, &sizes);
    s->seconds[4] = now() - start;
    if (status != CT_OK)
        return report(s->ctx, s->o, status);
    getrusage(RUSAGE_SELF, &usage);
    for (int i = 0; i < STAGES; i++)
        more[i] = (ct_state_value){names[i], s->seconds[i], NULL};
    more[STAGES] = (ct_state_value){"peak_megabytes", (double)usage.ru_maxrss / 1024, NULL};
    status = ct_show_sizes(s->ctx, &sizes, more, STAGES + 1, &text);
    return status == CT_OK ? answer(s->ctx, s->o, true, text, strlen(text))
                           : report(s->ctx, s->o, status);
}

/* Dumps of stages; each gives what it could make, or why it could not. */

static ct_status dump_syntax(session *s, const char **text)
{
    return s->syntax ? ct_dump_syntax(s->ctx, s->syntax, text) : CT_ERR_SYNTAX;
}

static ct_status dump_model(session *s, const char **text)
{
    return s->model ? ct_dump_model(s->ctx, s->model, text) : CT_ERR_MODEL;
}

static ct_status dump_graph(session *s, const char **text)
{
    return s->graph ? ct_dump_graph(s->ctx, s->graph, s->tree, text) : CT_ERR_TOPOLOGY;
}

static ct_status dump_system(session *s, const char **text)
{
    ct_status status = ct_derive(s->ctx, s->tree, NULL, &s->equations);
    return status == CT_OK ? ct_dump_system(s->ctx, s->equations, text) : status;
}

static ct_status dump_equations(session *s, const char **text)
{
    ct_status status = ct_derive(s->ctx, s->tree, NULL, &s->equations);
    return status == CT_OK ? ct_dump_equations(s->ctx, s->equations, text) : status;
}

static ct_status dump_tape(session *s, const char **text)
{
    ct_simulator *simulator;
    ct_status status = ct_make_simulator(s->ctx, s->tree, "nodal", &simulator);
    return status == CT_OK ? ct_dump_tape(s->ctx, simulator, text) : status;
}

static int print_dump(session *s, ct_status reached)
{
    static const struct {
        const char *word;
        ct_status (*make)(session *s, const char **text);
        bool needs_tree;
    } dumps[] = {{"syntax", dump_syntax, false}, {"model", dump_model, false},
                 {"graph", dump_graph, false},   {"system", dump_system, true},
                 {"tape", dump_tape, true},      {"equations", dump_equations, true}};
    const char *text = "";
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        if (strcmp(s->o->dump, dumps[i].word) != 0)
            continue;
        ct_status status = dumps[i].needs_tree && !s->tree ? reached : dumps[i].make(s, &text);
        options plain = *s->o; /* a dump is no JSON: messages stay apart */
        plain.json = false;
        fputs(text ? text : "", stdout);
        return report(s->ctx, &plain, status);
    }
    return EXIT_USAGE; /* not reached: options.c knows the words */
}

/* What the model consists of; a mechanism alone has neither components nor nodes. */
static void print_sizes(const ct_sizes *z)
{
    bool network = z->components || !z->bodies;
    const struct {
        size_t count;
        const char *one, *many;
        bool shown;
    } row[] = {{z->components, "component", "components", network},
               {z->nodes, "node", "nodes", network},
               {z->bodies, "body", "bodies", z->bodies > 0},
               {z->joints, "joint", "joints", z->bodies > 0},
               {z->loads, "force or torque", "forces and torques", z->loads > 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].shown)
            printf("%zu %s, ", row[i].count, row[i].count == 1 ? row[i].one : row[i].many);
}

static void print_verdict(const session *s)
{
    ct_sizes sizes;
    if (ct_measure(s->ctx, s->graph, NULL, &sizes) != CT_OK)
        return;
    size_t warnings = ct_diag_count(s->ctx);
    printf("%s: ", s->o->argument[0]);
    print_sizes(&sizes);
    if (warnings)
        printf("%zu warning%s\n", warnings, warnings == 1 ? "" : "s");
    else
        printf("no complaints\n");
}

static int check(session *s)
{
    ct_status status = run_stages(s);
    if (s->o->dump)
        return print_dump(s, status);
    if (status == CT_OK && !s->o->stats)
        status = ct_judge(s->ctx, s->tree);
    if (status == CT_OK && s->o->stats)
        return print_stats(s);
    int code = report(s->ctx, s->o, status);
    if (status == CT_OK && !s->o->json)
        print_verdict(s);
    return code;
}

/* NULL after a complaint. */
static const char *graph_format(const options *o)
{
    const char *usual = o->all ? "all" : "text";
    if (o->json || is_stream(o->output))
        return o->json ? "json" : usual;
    const char *format = format_of("graph", CT_WORD_GRAPH_FORMAT, o->output);
    return format && strcmp(format, "text") == 0 ? usual : format;
}

static int draw(session *s)
{
    ct_simulator *simulator = NULL;
    ct_drawing how;
    int problem = drawing_format(s->o->draw, false, &how);
    if (problem)
        return problem;
    ct_status status = ct_make_drawn_simulator(s->ctx, s->tree, NULL, &simulator);
    return status == CT_OK ? write_drawing(s->ctx, s->o, simulator, NULL, s->o->draw)
                           : report(s->ctx, s->o, status);
}

static int graph(session *s)
{
    const char *text, *format = graph_format(s->o);
    size_t length;
    int problem = format ? EXIT_OK : EXIT_USAGE;
    if (problem)
        return problem;
    ct_status status = run_stages(s);
    if (status == CT_OK && s->o->draw)
        problem = draw(s);
    if (problem)
        return problem;
    if (status == CT_OK && s->o->draw && !s->o->output && !s->o->json)
        return report(s->ctx, s->o, status);
    if (status == CT_OK)
        status = ct_show_graph(s->ctx, s->graph, s->tree, format, &text, &length);
    if (status != CT_OK)
        return report(s->ctx, s->o, status);
    return answer(s->ctx, s->o, strcmp(format, "json") == 0, text, length);
}

/* NULL after a complaint. A format that is asked for fits any ending. */
static const char *equations_format(const options *o)
{
    const char *format = o->format ? o->format : o->json ? "json" : NULL;
    if (!format)
        format = is_stream(o->output) ? "text"
                                      : format_of("equations", CT_WORD_EQUATIONS_FORMAT, o->output);
    if (!format || !o->standalone || strcmp(format, "latex") == 0)
        return format;
    complain("cotree equations: --standalone is for LaTeX: add --format latex\n");
    return NULL;
}

/* auto, state, ode and dae are ways to write the equations of branches and chords. */
static const char *system_form(const char *form)
{
    bool own = form && (strcmp(form, "nodal") == 0 || strcmp(form, "tableau") == 0);
    return own ? form : "branch-chord";
}

static int equations(session *s)
{
    const options *o = s->o;
    const char *text, *format = equations_format(o);
    ct_equations_choice choice = {o->form, format,        o->simplify, o->trace,
                                  o->all,  o->standalone, o->matrix};
    size_t length;
    if (!format)
        return EXIT_USAGE;
    ct_status status = run_stages(s);
    if (status == CT_OK)
        status = ct_derive(s->ctx, s->tree, system_form(o->form), &s->equations);
    if (status == CT_OK)
        status = ct_show_equations(s->ctx, s->equations, &choice, &text, &length);
    if (status != CT_OK)
        return report(s->ctx, o, status);
    return answer(s->ctx, o, strcmp(format, "json") == 0, text, length);
}

/* NULL after a complaint. A format that is asked for fits any ending. */
static const char *dynamics_format(const options *o)
{
    if (o->format || o->json || is_stream(o->output))
        return o->format ? o->format : o->json ? "json" : "text";
    return format_of("dynamics", CT_WORD_DYNAMICS_FORMAT, o->output);
}

enum { LONGEST_FRAMES = 4000 };

/* `a,b.c`: cut in place of a copy; false after a complaint. */
static bool cut_frames(const char *list, char *copy, const char **frame, uint32_t *count)
{
    *count = 0;
    if (!list)
        return true;
    if (strlen(list) >= LONGEST_FRAMES) {
        complain("cotree dynamics: --frames takes at most %d characters\n", LONGEST_FRAMES - 1);
        return false;
    }
    strcpy(copy, list);
    for (char *at = strtok(copy, ", "); at && *count < MOST_NAMES; at = strtok(NULL, ", "))
        frame[(*count)++] = at;
    return true;
}

static int dynamics(session *s)
{
    static char copy[LONGEST_FRAMES];
    const char *text, *format = dynamics_format(s->o), *frame[MOST_NAMES];
    size_t length;
    uint32_t count;
    if (!format || !cut_frames(s->o->frames, copy, frame, &count))
        return EXIT_USAGE;
    ct_status status = run_stages(s);
    if (status == CT_OK)
        status = ct_derive(s->ctx, s->tree, NULL, &s->equations);
    if (status != CT_OK)
        return report(s->ctx, s->o, status);
    status = ct_show_dynamics(s->ctx, s->equations, frame, count, format, &text, &length);
    if (status == CT_ERR_USAGE) {
        complain("cotree dynamics: %s has no bodies\n", s->o->argument[0]);
        return EXIT_USAGE;
    }
    return status == CT_OK ? answer(s->ctx, s->o, strcmp(format, "json") == 0, text, length)
                           : report(s->ctx, s->o, status);
}

static int compare_text(session *s, const char *text)
{
    if (strcmp(ct_syntax_text(s->syntax), text) == 0)
        return EXIT_OK;
    complain("%s is not in canonical form\n", s->o->argument[0]);
    return EXIT_MODEL;
}

/* A model may be written in its place; the text of a netlist is another one. */
static int write_model(const session *s, const char *text)
{
    const char *path = s->o->output;
    bool file = path && strcmp(path, "-") != 0;
    return (file && !ct_is_a_netlist(s->syntax) ? replace_file : write_result)(path, text,
                                                                               strlen(text));
}

static int fmt(session *s)
{
    const char *text;
    ct_status status = run_read(s);
    if (status == CT_OK)
        status = ct_format_text(s->ctx, s->syntax, &text);
    if (status != CT_OK)
        return report(s->ctx, s->o, status);
    return s->o->check_only ? compare_text(s, text) : write_model(s, text);
}

static int convert(session *s)
{
    const char *text;
    ct_status status = run_read(s);
    if (status == CT_OK)
        status = ct_format_text(s->ctx, s->syntax, &text);
    int code = report(s->ctx, s->o, status);
    return status == CT_OK ? write_result(s->o->output, text, strlen(text)) : code;
}

static int in_session(const options *o, int (*body)(session *s))
{
    session s = {.o = o, .ctx = open_context(o)};
    if (!s.ctx)
        return EXIT_INTERNAL;
    int code = body(&s);
    ct_context_free(s.ctx);
    return code;
}

int run_check(const options *o)
{
    return in_session(o, check);
}

int run_graph(const options *o)
{
    return in_session(o, graph);
}

int run_equations(const options *o)
{
    return in_session(o, equations);
}

int run_dynamics(const options *o)
{
    return in_session(o, dynamics);
}

int run_convert(const options *o)
{
    return in_session(o, convert);
}

int run_fmt(const options *o)
{
    return in_session(o, fmt);
}

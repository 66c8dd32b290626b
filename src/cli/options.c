/* options.c - one table of options; each verb names those it accepts. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef struct option_row {
    char letter; /* used in verb.options */
    const char *name, *value, *summary;
    int (*set)(options *o, char *value); /* 0, or an exit code after a message */
} option_row;

static int set_json(options *o, char *value)
{
    (void)value;
    o->json = true;
    return 0;
}

static int set_all(options *o, char *value)
{
    (void)value;
    o->all = true;
    return 0;
}

static int set_strict_units(options *o, char *value)
{
    (void)value;
    o->strict_units = true;
    return 0;
}

static int set_stats(options *o, char *value)
{
    (void)value;
    o->stats = true;
    return 0;
}

static int set_exact(options *o, char *value)
{
    (void)value;
    o->exact = true;
    return 0;
}

static int set_check_only(options *o, char *value)
{
    (void)value;
    o->check_only = true;
    return 0;
}

static int set_output(options *o, char *value)
{
    o->output = value;
    return 0;
}

static int set_dump(options *o, char *value)
{
    o->dump = value;
    return 0;
}

/* Kept as typed, and read by the verb. */
#define SETTER(field)                                                                              \
    static int set_##field(options *o, char *value)                                                \
    {                                                                                              \
        o->field = value;                                                                          \
        return 0;                                                                                  \
    }
SETTER(start)
SETTER(stop)
SETTER(step)
SETTER(times)
SETTER(points)
SETTER(tol)
SETTER(atol)
SETTER(method)
SETTER(form)
SETTER(state)
SETTER(time)
SETTER(to)
SETTER(analysis)

SETTER(at)
SETTER(from)
SETTER(upto)

#define SWITCH(field)                                                                              \
    static int set_##field(options *o, char *value)                                                \
    {                                                                                              \
        (void)value;                                                                               \
        o->field = true;                                                                           \
        return 0;                                                                                  \
    }
SWITCH(numeric)
SWITCH(equilibrium)
SWITCH(tf)
SWITCH(poles)
SWITCH(zeros)
SWITCH(margins)
SWITCH(step_info)
SWITCH(no_native)
static int set_coordinates(options *o, char *value)
{
    o->coordinates = value;
    if (!strcmp(value, "joint") || !strcmp(value, "absolute") || !strcmp(value, "auto"))
        return 0;
    fprintf(stderr, "cotree: --coordinates takes joint, absolute or auto, not `%s`\n", value);
    return EXIT_USAGE;
}

static int set_plot(options *o, char *value)
{
    o->plot_given = true;
    o->plot = value;
    return 0;
}

static int too_many(const char *what)
{
    fprintf(stderr, "cotree: too many %s\n", what);
    return EXIT_USAGE;
}

static int set_tree(options *o, char *value)
{
    o->tree_given = true;
    for (char *at = strtok(value, ", "); at; at = strtok(NULL, ", ")) {
        if (o->tree_count == MOST_NAMES)
            return too_many("names in --tree");
        o->tree[o->tree_count++] = at;
    }
    return 0;
}

static int add_picture(options *o, ct_response response, const char *path)
{
    if (o->picture_count == MOST_PICTURES)
        return too_many("pictures");
    o->picture[o->picture_count].response = response;
    o->picture[o->picture_count++].path = path;
    return 0;
}

#define PICTURE(name, response)                                                                    \
    static int set_##name(options *o, char *value)                                                 \
    {                                                                                              \
        return add_picture(o, response, value);                                                    \
    }
PICTURE(bode, CT_BODE)
PICTURE(nyquist, CT_NYQUIST)
PICTURE(step_plot, CT_STEP_RESPONSE)
PICTURE(impulse_plot, CT_IMPULSE_RESPONSE)

static int set_set(options *o, char *value)
{
    char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        fprintf(stderr, "cotree: --set takes NAME=EXPRESSION, not `%s`\n", value);
        return EXIT_USAGE;
    }
    if (o->set_count == MOST_SETS)
        return too_many("--set");
    *equals = '\0';
    for (char *end = equals; end > value && end[-1] == ' ';)
        *--end = '\0';
    o->set[o->set_count++] = (ct_override){value, equals + 1};
    return 0;
}

static int set_include(options *o, char *value)
{
    if (o->include_count == MOST_INCLUDES)
        return too_many("-I");
    o->include[o->include_count++] = value;
    return 0;
}

static int set_format(options *o, char *value)
{
    o->format = value;
    return 0;
}

static int set_simplify(options *o, char *value)
{
    o->simplify = value;
    return 0;
}

static int set_draw(options *o, char *value)
{
    o->draw = value;
    return 0;
}

static int set_animate(options *o, char *value)
{
    o->animate = value;
    return 0;
}

static int set_trace(options *o, char *value)
{
    (void)value;
    o->trace = true;
    return 0;
}

static int set_standalone(options *o, char *value)
{
    (void)value;
    o->standalone = true;
    return 0;
}

static int set_model(options *o, char *value)
{
    (void)value;
    o->model = true;
    return 0;
}

static int set_help(options *o, char *value)
{
    (void)value;
    o->help = true;
    return 0;
}

static const option_row rows[] = {
    {'j', "--json", NULL, "answer as JSON on standard output", set_json},
    {'o', "-o", "FILE", "write to FILE; its ending chooses the format", set_output},
    {'a', "--all", NULL, "show what is left out of large systems, too", set_all},
    {'t', "--tree", "A,B,...|best", "edges, bodies, joints wanted as branches, most wanted first",
     set_tree},
    {'C', "--coordinates", "WHICH", "of a mechanism: joint, absolute or auto", set_coordinates},
    {'e', "--exact", NULL, "take --tree as it is; do not complete it", set_exact},
    {'d', "--dump", "STAGE",
     "print what a stage made: syntax, model, graph, system, equations or tape", set_dump},
    {'u', "--strict-units", NULL, "list every number whose dimension was inferred",
     set_strict_units},
    {'x', "--stats", NULL, "sizes, time and memory of each stage, as JSON", set_stats},
    {'c', "--check", NULL, "only say whether the text is canonical: exit 1 if not", set_check_only},
    {'S', "--stop", "TIME", "end of the run: seconds, or with a unit: 50ms", set_stop},
    {'T', "--start", "TIME", "begin of the run; usual is 0", set_start},
    {'p', "--points", "N", "rows at N equal intervals; usual is 500", set_points},
    {'i', "--times", "T1,T2,...", "rows at exactly these times instead", set_times},
    {'r', "--tol", "TOL", "relative tolerance; usual is 1e-6", set_tol},
    {'A', "--atol", "TOL", "absolute tolerance; usual is a thousandth of --tol", set_atol},
    {'k', "--step", "TIME", "largest step", set_step},
    {'m', "--method", "NAME", "auto, rk, rosenbrock, bdf, adams or independent", set_method},
    {'f', "--form", "NAME",
     "nodal (usual of runs), branch-chord (usual of equations), tableau;\n"
     "                         runs: also numeric; equations: also auto, state, ode, dae",
     set_form},
    {'F', "--format", "NAME", "text, latex or json; statespace: also matlab, python", set_format},
    {'q', "--simplify", "HOW", "none, fast or full", set_simplify},
    {'R', "--trace", NULL, "the derivation, too", set_trace},
    {'D', "--standalone", NULL, "LaTeX: a whole document", set_standalone},
    {'P', "--plot", "[X.svg]", "draw the figures: to X.svg, or here with characters", set_plot},
    {'n', "--numeric", NULL, "numbers at an operating point", set_numeric},
    {'w', "--at", "TIME", "operating point: after a run to this time", set_at},
    {'E', "--equilibrium", NULL, "operating point: where nothing changes any more",
     set_equilibrium},
    {'b', "--tf", NULL, "transfer functions, too", set_tf},
    {'l', "--poles", NULL, "poles with frequency and damping, too", set_poles},
    {'v', "--zeros", NULL, "transmission zeros, too", set_zeros},
    {'O', "--margins", NULL, "gain and phase margins of open loops, bandwidth, too", set_margins},
    {'Q', "--step-info", NULL, "rise time, overshoot, settling time of steps, too", set_step_info},
    {'B', "--bode", "X.svg", "amplitude and phase over frequency; as numbers: X.csv, X.json",
     set_bode},
    {'N', "--nyquist", "X.svg", "the frequency response in the plane; also X.csv, X.json",
     set_nyquist},
    {'U', "--step", "X.svg", "the answer to a unit step of each input; also X.csv, X.json",
     set_step_plot},
    {'V', "--impulse", "X.svg", "the answer to a unit impulse of each input; also X.csv, X.json",
     set_impulse_plot},
    {'H', "--from", "FREQ", "begin of the frequencies: 1Hz, 10rad/s, or a number in rad/s",
     set_from},
    {'X', "--to", "FREQ", "end of the frequencies: 10kHz", set_upto},
    {'Y', "--stop", "TIME", "end of the answers to steps and impulses: 50ms", set_stop},
    {'L', "--points", "N", "of numbers: rows at N equal intervals of the axis", set_points},
    {'W', "--draw", "X.svg", "the bodies at their start as a picture", set_draw},
    {'G', "--animate", "X.svg", "the bodies as they move: X.svg, or X.html with a slider",
     set_animate},
    {'y', "--state", "X=1,Y=2", "values of states; the others have their initial ones", set_state},
    {'z', "--time", "TIME", "the time; usual is 0", set_time},
    {'K', "--to", "TARGET", "language of the code: c", set_to},
    {'Z', "--analysis", "NAME", "of a netlist: only tran, ac, dc, op or tf", set_analysis},
    {'M', "--model", NULL, "print the model text instead", set_model},
    {'s', "--set", "NAME=EXPR", "another value for a param, input or const (repeatable)", set_set},
    {'I', "-I", "FOLDER", "look for used files there, too (repeatable)", set_include},
    {'g', "--no-native", NULL, "evaluate by the portable tape, not by machine code", set_no_native},
    {'h', "--help", NULL, "this text", set_help},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool accepts(const verb *v, const option_row *row)
{
    return row->letter == 'h' || strchr(v->options, row->letter);
}

static size_t distance(const char *a, const char *b)
{
    size_t row[64], la = strlen(a), lb = strlen(b);
    if (la > 40 || lb > 40)
        return SIZE_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < other ? change : other;
        }
    }
    return row[lb];
}

const char *nearest(const char *typed, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(typed) / 2 + 1;
    for (size_t i = 0; i < count; i++) {
        bool begins = strlen(typed) >= 3 && strncmp(names[i], typed, strlen(typed)) == 0;
        size_t d = begins ? 0 : distance(typed, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

static int unknown_option(const verb *v, const char *typed)
{
    const char *names[ROWS];
    size_t count = 0;
    for (int i = 0; i < ROWS; i++)
        if (accepts(v, &rows[i]))
            names[count++] = rows[i].name;
    const char *near = nearest(typed, names, count);
    fprintf(stderr, "cotree %s: unknown option `%s`", v->name, typed);
    fprintf(stderr, near ? "; did you mean `%s`?\n" : "\n", near);
    fprintf(stderr, "Try `cotree %s --help`.\n", v->name);
    return EXIT_USAGE;
}

/* `--name value` or `--name=value`; *value is NULL when it stands in the next argument. */
static const option_row *find_row(const verb *v, const char *typed, char **value)
{
    for (int i = 0; i < ROWS; i++) {
        size_t length = strlen(rows[i].name);
        if (!accepts(v, &rows[i]) || strncmp(typed, rows[i].name, length) != 0)
            continue;
        *value = NULL;
        if (typed[length] == '\0')
            return &rows[i];
        if (typed[length] == '=' && rows[i].value)
            return *value = (char *)typed + length + 1, &rows[i];
    }
    return NULL;
}

static int wrong_count(const verb *v, int given)
{
    fprintf(stderr, "cotree %s: %s\n", v->name,
            given < v->least ? "something is missing" : "too many arguments");
    fprintf(stderr, "usage: cotree %s %s [options]\n", v->name, v->arguments);
    return EXIT_USAGE;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t a = strlen(text), b = strlen(ending);
    return a >= b && strcmp(text + a - b, ending) == 0;
}

static int take_option(const verb *v, int argc, char **argv, int *i, options *o)
{
    char *value;
    const option_row *row = find_row(v, argv[*i], &value);
    if (!row)
        return unknown_option(v, argv[*i]);
    bool optional = row->value && row->value[0] == '[';
    if (optional && !value && *i + 1 < argc &&
        (ends_with(argv[*i + 1], ".svg") || ends_with(argv[*i + 1], ".png")))
        value = argv[++*i];
    if (row->value && !value && !optional) {
        if (*i + 1 >= argc) {
            fprintf(stderr, "cotree %s: %s needs a value: %s %s\n", v->name, row->name, row->name,
                    row->value);
            return EXIT_USAGE;
        }
        value = argv[++*i];
    }
    return row->set(o, value);
}

int parse_options(const verb *v, int argc, char **argv, options *o)
{
    for (int i = 0; i < argc; i++) {
        bool option = argv[i][0] == '-' && argv[i][1] != '\0';
        if (option) {
            int problem = take_option(v, argc, argv, &i, o);
            if (problem)
                return problem;
        } else if (o->argument_count == v->most) {
            return wrong_count(v, v->most + 1);
        } else {
            o->argument[o->argument_count++] = argv[i];
        }
    }
    return o->help || o->argument_count >= v->least ? 0 : wrong_count(v, o->argument_count);
}

void print_help(const verb *v)
{
    printf("cotree %s %s [options]\n%s\n\n", v->name, v->arguments, v->summary);
    for (int i = 0; i < ROWS; i++) {
        if (!accepts(v, &rows[i]))
            continue;
        char head[64];
        snprintf(head, sizeof head, "%s %s", rows[i].name, rows[i].value ? rows[i].value : "");
        printf("  %-22s %s\n", head, rows[i].summary);
    }
    printf("\nexample: %s\n", v->example);
}

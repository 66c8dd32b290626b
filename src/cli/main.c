/* main.c - cotree VERB MODEL [options] */
#include <string.h>

#include "cli/cli.h"

const verb verbs[] = {
    {"check",
     "MODEL",
     "say what is wrong with a model, or that nothing is",
     {JSON, DUMP, STRICT_UNITS, STATS, SET, FLOATING, INCLUDE, HELP},
     1,
     1,
     "cotree check model.lg",
     run_check},
    {"graph",
     "MODEL",
     "show nodes, edges, the tree with reasons, and the matrices",
     {JSON, OUTPUT, ALL, TREE, COORDINATES, EXACT, DRAW, NAMES, MAGNIFY, VIEWS, SET, FLOATING,
      INCLUDE, HELP},
     1,
     1,
     "cotree graph model.lg --tree E1,R2,R3 -o graph.svg",
     run_graph},
    {"equations",
     "MODEL",
     "the governing equations, and how they come about",
     {JSON, OUTPUT, ALL, TREE, COORDINATES, EXACT, EQUATIONS_FORM, EQUATIONS_FORMAT, SIMPLIFY,
      TRACE, MATRIX, STANDALONE, SET, FLOATING, INCLUDE, HELP},
     1,
     1,
     "cotree equations model.lg --trace",
     run_equations},
    {"dynamics",
     "MODEL",
     "of bodies: M, C, gravity, inverse dynamics, Jacobians, momentum",
     {JSON, OUTPUT, FRAMES, DYNAMICS_FORMAT, TREE, COORDINATES, SET, FLOATING, INCLUDE, HELP},
     1,
     1,
     "cotree dynamics robot.urdf --frames hand.tool -o robot.py",
     run_dynamics},
    {"statespace",
     "MODEL",
     "matrices A to F of the linear model, symbolic or in numbers",
     {JSON,       OUTPUT,     TREE,     COORDINATES, RUN_FORM,      STATESPACE_FORMAT,
      SIMPLIFY,   STANDALONE, NUMERIC,  AT,          EQUILIBRIUM,   TF,
      POLES,      ZEROS,      BODE,     NYQUIST,     STEP_PLOT,     IMPULSE_PLOT,
      MARGINS,    STEP_INFO,  FROM,     UPTO,        RESPONSE_STOP, RESPONSE_POINTS,
      STATE,      SET,        FLOATING, INCLUDE,     NO_NATIVE,     NO_AVX2,
      IMPEDANCES, PADE,       HOW,      HELP},
     1,
     1,
     "cotree statespace model.lg --numeric --equilibrium",
     run_statespace},
    {"lg2ss",
     "LG [OUTPUTS]",
     "state space from the matrices of LG2ss",
     {JSON,     OUTPUT,     TREE,    COORDINATES, FORM,          STATESPACE_FORMAT,
      SIMPLIFY, STANDALONE, NUMERIC, AT,          EQUILIBRIUM,   TF,
      POLES,    ZEROS,      BODE,    NYQUIST,     STEP_PLOT,     IMPULSE_PLOT,
      MARGINS,  STEP_INFO,  FROM,    UPTO,        RESPONSE_STOP, RESPONSE_POINTS,
      STATE,    MODEL,      SET,     INCLUDE,     NO_NATIVE,     NO_AVX2,
      HELP},
     1,
     2,
     "cotree lg2ss '[1 2 1 4; 2 2 3 3; 3 3 1 1]' '[1 3 1]'",
     run_lg2ss},
    {"run",
     "MODEL",
     "simulate: rows of outputs over time",
     {JSON,     EVENTS,  OUTPUT,    TREE,    COORDINATES,  STATS,        STOP,
      START,    POINTS,  TIMES,     TOL,     ATOL,         STEP,         METHOD,
      RUN_FORM, PLOT,    ANIMATE,   NAMES,   MAGNIFY,      ANALYSIS,     SET,
      FLOATING, INCLUDE, NO_NATIVE, NO_AVX2, ALLOW_NATIVE, TRUST_NATIVE, HELP},
     1,
     1,
     "cotree run model.lg --stop 50ms --set R2=2000 -o result.csv",
     run_run},
    {"kinematics",
     "MODEL",
     "motion of a driven mechanism: positions, velocities, accelerations",
     {OUTPUT,  TREE, COORDINATES, STATS,   STOP,      START,   POINTS,  TIMES,
      TOL,     ATOL, STEP,        METHOD,  RUN_FORM,  PLOT,    ANIMATE, NAMES,
      MAGNIFY, SET,  FLOATING,    INCLUDE, NO_NATIVE, NO_AVX2, HELP},
     1,
     1,
     "cotree kinematics model.lg --stop 1 -o motion.csv",
     run_kinematics},
    {"equilibrium",
     "MODEL",
     "operating point: where nothing changes any more",
     {JSON, OUTPUT, TREE, COORDINATES, RUN_FORM, TIME, SET, FLOATING, INCLUDE, NO_NATIVE, NO_AVX2,
      HELP},
     1,
     1,
     "cotree equilibrium model.lg --json",
     run_equilibrium},
    {"eval",
     "MODEL",
     "rates and outputs at a given state",
     {JSON, OUTPUT, TREE, COORDINATES, RUN_FORM, STATE, TIME, SET, FLOATING, INCLUDE, NO_NATIVE,
      NO_AVX2, HELP},
     1,
     1,
     "cotree eval model.lg --state C4.v=2 --time 0.1 --json",
     run_eval},
    {"export",
     "MODEL",
     "the model as code of another language",
     {OUTPUT, TREE, COORDINATES, RUN_FORM, TO, SET, FLOATING, INCLUDE, HELP},
     1,
     1,
     "cotree export model.lg --to c -o model.c",
     run_export},
    {"convert",
     "MODEL",
     "a robot or netlist as text of the language",
     {OUTPUT, FLOATING, INCLUDE, HELP},
     1,
     1,
     "cotree convert robot.urdf -o robot.lg",
     run_convert},
    {"fmt",
     "MODEL",
     "write the model in its canonical form",
     {OUTPUT, CHECK, HELP},
     1,
     1,
     "cotree fmt model.lg -o model.lg",
     run_fmt},
    {"doc",
     "[NAME | CODE]",
     "the manual of an element, function or message, or the list of elements",
     {OUTPUT, HELP},
     0,
     1,
     "cotree doc capacitor",
     run_doc},
    {"new",
     "NAME",
     "write a commented starter model to NAME.lg",
     {OUTPUT, HELP},
     1,
     1,
     "cotree new filter",
     run_new},
    {"demo",
     "[EXAMPLE]",
     "the worked examples: list them, or show one with its graph",
     {OUTPUT, HELP},
     0,
     1,
     "cotree demo fig1_network",
     run_demo},
    {0},
};

static const verb *find_verb(const char *name)
{
    for (const verb *v = verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

void print_usage(FILE *out)
{
    fprintf(out, "usage: cotree VERB MODEL [options]\n\n");
    for (const verb *v = verbs; v->name; v++)
        fprintf(out, "  %-11s %-17s %s\n", v->name, v->arguments, v->summary);
    fprintf(out,
            "\ncotree VERB --help tells the options of a verb; cotree --version the version.\n"
            "A model is a text in the language of the manual, or a netlist of SPICE (.cir, .sp);\n"
            "- reads standard input.\n");
}

/* Words of other programs, and where they lead. */
static const struct {
    const char *word, *instead;
} elsewhere[] = {
    {"simulate", "cotree run MODEL"},
    {"sim", "cotree run MODEL"},
    {"solve", "cotree run MODEL"},
    {"tran", "cotree run MODEL"},
    {"transient", "cotree run MODEL"},
    {"plot", "cotree run MODEL --plot figure.svg"},
    {"animate", "cotree run MODEL --animate motion.html"},
    {"draw", "cotree graph MODEL -o graph.svg"},
    {"bode", "cotree statespace MODEL --bode bode.svg"},
    {"nyquist", "cotree statespace MODEL --nyquist nyquist.svg"},
    {"step", "cotree statespace MODEL --step step.svg"},
    {"impulse", "cotree statespace MODEL --impulse impulse.svg"},
    {"poles", "cotree statespace MODEL --poles"},
    {"zeros", "cotree statespace MODEL --zeros"},
    {"tf", "cotree statespace MODEL --tf"},
    {"transfer", "cotree statespace MODEL --tf"},
    {"linearise", "cotree statespace MODEL --equilibrium"},
    {"linearize", "cotree statespace MODEL --equilibrium"},
    {"ss", "cotree statespace MODEL"},
    {"op", "cotree equilibrium MODEL"},
    {"dc", "cotree equilibrium MODEL"},
    {"steady", "cotree equilibrium MODEL"},
    {"latex", "cotree equations MODEL --format latex"},
    {"derive", "cotree equations MODEL"},
    {"list", "cotree doc"},
    {"elements", "cotree doc"},
    {"man", "cotree doc"},
    {"examples", "cotree demo"},
    {"format", "cotree fmt MODEL"},
    {"version", "cotree --version"},
};

static const char *instead_of(const char *word)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].word, word) == 0)
            return elsewhere[i].instead;
    return NULL;
}

static int unknown_verb(const char *name)
{
    const char *names[32], *instead = instead_of(name);
    size_t count = 0;
    for (const verb *v = verbs; v->name && count < 32; v++)
        names[count++] = v->name;
    const char *near = nearest(name, names, count);
    complain("cotree: there is no verb `%s`", name);
    if (instead)
        complain("; `%s` does that\n", instead);
    else if (near)
        complain("; did you mean `%s`?\n", near);
    else
        complain("\n");
    complain("Try `cotree --help`.\n");
    return EXIT_USAGE;
}

/* `help`, `help run`, `help capacitor` */
static int help_on(int argc, char **argv)
{
    const verb *v = argc > 2 ? find_verb(argv[2]) : NULL;
    if (argc <= 2)
        return print_usage(stdout), EXIT_OK;
    if (v)
        return print_help(v), EXIT_OK;
    if (instead_of(argv[2]))
        return unknown_verb(argv[2]);
    options o = {.argument = {argv[2]}, .argument_count = 1};
    return run_doc(&o);
}

static int run_verb(const verb *v, int argc, char **argv)
{
    static options o;
    int problem = parse_options(v, argc - 2, argv + 2, &o);
    if (!problem && o.help)
        return print_help(v), EXIT_OK;
    if (!problem && v->run != run_fmt) /* which is there to write the model */
        problem = protect_model(&o);
    return problem ? problem : v->run(&o);
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return print_usage(stdout), finish_output(EXIT_OK);
    if (strcmp(first, "help") == 0)
        return finish_output(help_on(argc, argv));
    if (strcmp(first, "--version") == 0)
        return printf("cotree %s\n", CT_VERSION), finish_output(EXIT_OK);
    const verb *v = find_verb(first);
    return finish_output(v ? run_verb(v, argc, argv) : unknown_verb(first));
}

/* main.c - cotree VERB MODEL [options] */
#include <string.h>

#include "cli/cli.h"

#define STATESPACE_OPTIONS "oFqDjnwEyblvOQBNUVHXYLftsICg" /* also of lg2ss */

const verb verbs[] = {
    {"check", "MODEL", "say what is wrong with a model, or that nothing is", "jduIsx", 1, 1,
     "cotree check model.lg", run_check},
    {"graph", "MODEL", "show nodes, edges, the tree with reasons, and the matrices", "joateIsCW", 1,
     1, "cotree graph model.lg --tree E1,R2,R3 -o graph.svg", run_graph},
    {"equations", "MODEL", "the governing equations, and how they come about", "ofFqRDatesIjC", 1,
     1, "cotree equations model.lg --trace", run_equations},
    {"statespace", "MODEL", "matrices A to F of the linear model, symbolic or in numbers",
     STATESPACE_OPTIONS, 1, 1, "cotree statespace model.lg --numeric --equilibrium",
     run_statespace},
    {"lg2ss", "LG [OUTPUTS]", "state space from the matrices of LG2ss", STATESPACE_OPTIONS "M", 1,
     2, "cotree lg2ss '[1 2 1 4; 2 2 3 3; 3 3 1 1]' '[1 3 1]'", run_lg2ss},
    {"run", "MODEL", "simulate: rows of outputs over time", "oSTkiprAmftPGxsICgZ", 1, 1,
     "cotree run model.lg --stop 50ms --set R2=2000 -o result.csv", run_run},
    {"kinematics", "MODEL", "motion of a driven mechanism: positions, velocities, accelerations",
     "oSTkiprAmftPGxsICg", 1, 1, "cotree kinematics model.lg --stop 1 -o motion.csv",
     run_kinematics},
    {"equilibrium", "MODEL", "operating point: where nothing changes any more", "jozftsICg", 1, 1,
     "cotree equilibrium model.lg --json", run_equilibrium},
    {"eval", "MODEL", "rates and outputs at a given state", "joyzftsICg", 1, 1,
     "cotree eval model.lg --state C4.v=2 --time 0.1 --json", run_eval},
    {"export", "MODEL", "the model as code of another language", "KoftsIC", 1, 1,
     "cotree export model.lg --to c -o model.c", run_export},
    {"fmt", "MODEL", "write the model in its canonical form", "oc", 1, 1,
     "cotree fmt model.lg -o model.lg", run_fmt},
    {"doc", "[ELEMENT | CODE]", "the manual of an element or message, or the list of elements", "o",
     0, 1, "cotree doc capacitor", run_doc},
    {"new", "NAME", "write a commented starter model to NAME.lg", "o", 1, 1, "cotree new filter",
     run_new},
    {"demo", "[EXAMPLE]", "the worked examples: list them, or show one with its graph", "o", 0, 1,
     "cotree demo fig1_network", run_demo},
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

static int unknown_verb(const char *name)
{
    const char *names[32];
    size_t count = 0;
    for (const verb *v = verbs; v->name && count < 32; v++)
        names[count++] = v->name;
    const char *near = nearest(name, names, count);
    fprintf(stderr, "cotree: there is no verb `%s`", name);
    fprintf(stderr, near ? "; did you mean `%s`?\n" : "\n", near);
    fprintf(stderr, "Try `cotree --help`.\n");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static options o;
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_usage(stdout), EXIT_OK;
    if (strcmp(argv[1], "--version") == 0)
        return printf("cotree %s\n", CT_VERSION), EXIT_OK;
    const verb *v = find_verb(argv[1]);
    if (!v)
        return unknown_verb(argv[1]);
    int problem = parse_options(v, argc - 2, argv + 2, &o);
    if (problem)
        return problem;
    if (o.help)
        return print_help(v), EXIT_OK;
    int code = v->run(&o);
    if (fflush(stdout) != 0 && code == EXIT_OK) {
        perror("cotree: standard output");
        return EXIT_IO;
    }
    return code;
}

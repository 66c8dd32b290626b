/* bench_statespace.c - the small systems, all in one process: bench_statespace MODELS
 *
 * The textbook systems and the examples of LG2ss below the folder MODELS, through the library:
 * read, build, graph, tree, state space simplified in full, text. Processor seconds of the first
 * round, which holds all that is done once, and of the fastest of some more. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cotree/cotree.h>

enum { ROUNDS = 10 };

static const char *const models[] = {
    "belt_drive",      "drive_line",       "fluid_level",   "geared_shaft",  "hydraulic_positioner",
    "loudspeaker",     "motor_pump",       "quarter_car",   "rlc_dependent", "sallen_key",
    "tanks_long_line", "thermal_two_mass", "lg2ss_circuit", "lg2ss_gearbox", "lg2ss_sewing"};

enum { MODELS = sizeof models / sizeof *models };

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ct_status show(ct_context *ctx, const char *path, size_t *length)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_statespace *statespace;
    const char *text;
    ct_build_def def = {0};
    ct_tree_choice tree_choice = ct_default_tree_choice();
    ct_statespace_choice choice = ct_default_statespace_choice();
    ct_statespace_show form = {0};
    ct_status status = ct_read_file(ctx, path, &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, &def, &model);
    if (status == CT_OK)
        status = ct_make_graph(ctx, model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(ctx, graph, &tree_choice, &tree);
    if (status == CT_OK)
        status = ct_derive(ctx, tree, NULL, &equations);
    if (status == CT_OK)
        status = ct_make_statespace(ctx, equations, &choice, &statespace);
    return status == CT_OK ? ct_show_statespace(ctx, statespace, &form, &text, length) : status;
}

static double all(const char *folder, size_t *printed)
{
    double start = cpu();
    *printed = 0;
    for (int i = 0; i < MODELS; i++) {
        char path[1024];
        size_t length = 0;
        ct_context *ctx = ct_context_new(NULL);
        snprintf(path, sizeof path, "%s/%s/model.lg", folder, models[i]);
        if (!ctx || show(ctx, path, &length) != CT_OK) {
            fprintf(stderr, "%s: no state space\n", path);
            exit(1);
        }
        *printed += length;
        ct_context_free(ctx);
    }
    return cpu() - start;
}

int main(int count, char **arguments)
{
    size_t printed;
    const char *folder = count > 1 ? arguments[1] : "models";
    double first = all(folder, &printed), best = first;
    for (int i = 0; i < ROUNDS; i++) {
        double seconds = all(folder, &printed);
        best = seconds < best ? seconds : best;
    }
    printf("%d small systems in one process: %.4f s, again %.4f s; %zu characters\n", MODELS, first,
           best, printed);
    return 0;
}

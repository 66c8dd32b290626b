/* test_simulate.h - runs of models, with what the tests need around them. */
#ifndef CT_TEST_SIMULATE_H
#define CT_TEST_SIMULATE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

#include "model/shadow.h"
#include "modes/modes.h"
#include "base/file.h"
#include "graph/build.h"
#include "graph/ends.h"
#include "simulate/simulate.h"

/* One run. Fill the first part. */
typedef struct trial {
    const char *path, *text; /* one of them */
    ct_override set[16];
    uint32_t set_count;
    ct_form form;
    uint32_t seed;                /* 0: the tree of the model; else a random one */
    const ct_tree_choice *choice; /* NULL: see above */
    const ct_tree_choice *(*choose)(struct trial *t); /* the same, from the model */
    ct_simulation_def def;
    bool tape;                 /* no machine code */
    bool equilibrium, balance; /* balance: one more output for each domain, zero by Tellegen */
    int again;                 /* of a model with modes: so many runs before */
    /* made */
    ct_context *ctx;
    const ct_model *model;
    const ct_equations *equations; /* NULL: refused */
    const ct_system *system;       /* of the equations */
    const ct_simulation *run;
    const ct_point *point;
    bool no_tree;
} trial;

static inline trial new_trial(const char *path)
{
    return (trial){.path = path, .def = ct_default_simulation_def()};
}

/* ---- random trees */

static inline uint32_t dice(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline uint32_t island_of(uint32_t *island, uint32_t node)
{
    while (island[node] != node)
        node = island[node];
    return node;
}

/* Across drivers first, through drivers last, anything else as it comes; circuits are left out. */
static inline void random_tree(const ct_graph *g, uint32_t seed, ct_arena *arena, ct_tree_def *def)
{
    uint32_t edges = g->scalar_edge_count;
    uint32_t *order = CT_NEW_ARRAY(arena, uint32_t, edges + 1), state = seed;
    uint32_t *island = CT_NEW_ARRAY(arena, uint32_t, g->node_count + 1), count = 0;
    ct_tree_wish *wish = CT_NEW_ARRAY(arena, ct_tree_wish, edges + 1);
    for (uint32_t i = 0; i < g->node_count; i++)
        island[i] = i;
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t k = dice(&state) % (i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < edges; i++) {
            const ct_graph_edge *e = &g->edge[order[i]];
            int turn = e->class == CT_ACROSS_DRIVER ? 0 : e->class == CT_THROUGH_DRIVER ? 2 : 1;
            uint32_t a = island_of(island, e->tail), b = island_of(island, e->head);
            if (turn != pass || a == b)
                continue;
            island[a] = b;
            wish[count++] = (ct_tree_wish){.edge = order[i]};
        }
    def->wish = wish, def->wish_count = count;
}

/* ---- the balance of power: in each domain the sum of across times through is zero */

static inline ct_expr power_of(const ct_model *m, uint32_t domain)
{
    ct_expr sum = ct_expr_int(m->pool, 0);
    for (uint32_t c = 0; c < m->component_count; c++) {
        const ct_element *element = m->element[m->component[c].element];
        for (uint32_t e = 0; e < element->edge_count; e++) {
            const ct_domain_row *row = ct_domain_row_at(element->edge[e].domain);
            ct_expr factor[2] = {0};
            if (element->edge[e].domain != domain)
                continue;
            for (int v = 0; v < CT_DOMAIN_VARIABLES && row->variable[v].name; v++)
                if (row->variable[v].order == 0)
                    factor[row->variable[v].across] =
                        ct_expr_symbol(m->pool, ct_edge_variable(m, c, e, (uint32_t)v));
            sum = ct_expr_add(m->pool, sum, ct_expr_mul(m->pool, factor[0], factor[1]));
        }
    }
    return sum;
}

static inline const ct_model *with_balance(const ct_model *m)
{
    ct_model *copy = CT_NEW(m->arena, ct_model);
    ct_output *output = CT_NEW_ARRAY(m->arena, ct_output, m->output_count + 8);
    *copy = *m;
    memcpy(output, m->output, m->output_count * sizeof *output);
    for (uint32_t d = 0; d < 5; d++) {
        ct_expr power = power_of(m, d);
        if (!ct_expr_is_zero(m->pool, power))
            output[copy->output_count++] = (ct_output){.name = "balance", .expr = power};
    }
    copy->output = output;
    return copy;
}

/* ---- stages */

static inline const ct_tree *choose(trial *t, const ct_graph *graph)
{
    ct_tree_def def = {.complete = true};
    const ct_tree *tree;
    if (t->choose)
        t->choice = t->choose(t);
    if (t->choice)
        return ct_choose_tree(t->ctx, graph, t->choice, &tree) == CT_OK ? tree : NULL;
    ct_graph_wishes(graph, t->model, true, &def);
    if (t->seed)
        random_tree(graph, t->seed, t->model->arena, &def);
    return ct_tree_select(graph, &def);
}

static inline void run_stages(void *user)
{
    trial *t = user;
    uint32_t source = t->path ? ct_load(t->ctx, t->path)
                              : ct_source_add(t->ctx, "text", t->text, strlen(t->text));
    ct_build_def build = {.override = t->set, .override_count = t->set_count};
    t->model = ct_build_settled(ct_parse(t->ctx, source), &build);
    if (!t->model)
        return;
    if (t->balance)
        t->model = with_balance(t->model);
    const ct_graph *graph = ct_graph_build(t->model);
    const ct_tree *tree = ct_graph_check(graph) ? choose(t, graph) : NULL;
    t->no_tree = !tree;
    if (tree && ct_model_is_modal(t->model)) {
        ct_modes *modes = ct_modes_new(tree, t->model->quantity_value, false);
        if (t->equilibrium)
            t->point = ct_modes_rest(modes, 0, ct_arena_new(t->ctx));
        for (int i = 0; i <= t->again && !t->equilibrium; i++)
            t->run = ct_modes_run(modes, &t->def, ct_arena_new(t->ctx));
        return;
    }
    t->equations = tree ? ct_equations_new(tree, t->form, CT_FOR_A_RUN) : NULL;
    t->system = t->equations ? t->equations->reduced->system : NULL;
    ct_machine *machine = t->equations ? ct_machine_new(t->equations) : NULL;
    ct_rig *rig = machine ? ct_rig_new(machine, NULL) : NULL;
    if (rig && t->equilibrium)
        t->point = ct_operating_point(rig, 0, ct_arena_new(t->ctx));
    else if (rig)
        t->run = ct_simulate(rig, &t->def, ct_arena_new(t->ctx));
}

static inline void run_trial(trial *t)
{
    ct_context_def def = ct_default_context_def();
    def.native = !t->tape;
    t->ctx = ct_context_new(&def);
    assert_non_null(t->ctx);
    assert_int_equal(ct_protect(t->ctx, run_stages, t), CT_OK);
}

static inline void end_trial(trial *t)
{
    ct_context_free(t->ctx);
    t->ctx = NULL;
}

static inline void print_messages(trial *t)
{
    const char *text;
    if (ct_diag_render(t->ctx, CT_DIAG_TEXT, &text) == CT_OK)
        fputs(text, stderr);
}

static inline void must_run(trial *t)
{
    run_trial(t);
    if (t->run && t->run->status == CT_SOLVED && ct_error_count(t->ctx) == 0)
        return;
    print_messages(t);
    fail_msg("%s does not run", t->path ? t->path : t->text);
}

static inline double value_at(const trial *t, const char *name, double time)
{
    const ct_rows *rows = &t->run->outputs;
    for (uint32_t k = 1; k < rows->cols; k++)
        for (uint64_t i = 0; strcmp(rows->name[k], name) == 0 && i < rows->count; i++)
            if (rows->value[i * rows->cols] == time)
                return rows->value[i * rows->cols + k];
    fail_msg("no value of %s at %g", name, time);
    return NAN;
}

static inline void close_to(double got, double want, double tolerance, const char *what)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: got %.17g, want %.17g +- %g", what, got, want, tolerance);
}

static inline void set(trial *t, const char *name, const char *value)
{
    t->set[t->set_count++] = (ct_override){name, value};
}

/* ---- models/NAME and the reference numbers in tests/physics/NAME.txt */

enum { MOST_CHECKS = 100 };

typedef struct check {
    char name[32];
    double time, value, tolerance;
} check;

static inline const char *model_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, COTREE_ROOT "/models/%s/model.lg", name);
    return path;
}

static inline uint32_t read_checks(const char *name, check *list)
{
    char path[256], line[256];
    uint32_t count = 0;
    snprintf(path, sizeof path, COTREE_ROOT "/tests/physics/%s.txt", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && count < MOST_CHECKS) {
        check *c = &list[count];
        if (line[0] != '#' &&
            sscanf(line, "%31s %lf %lf %lf", c->name, &c->time, &c->value, &c->tolerance) == 4)
            count++;
    }
    fclose(file);
    return count;
}

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline uint32_t times_of(const check *list, uint32_t count, double *times)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(list[i].time))
            times[n++] = list[i].time;
    qsort(times, n, sizeof *times, by_value);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || times[i] != times[kept - 1])
            times[kept++] = times[i];
    return kept;
}

static inline trial trial_of(const char *text, const double *times, uint32_t count)
{
    trial t = new_trial(NULL);
    t.text = text;
    t.def.tol = 1e-10;
    t.def.times = times;
    t.def.time_count = count;
    return t;
}

/* The same with a list of events. */
static inline trial event_trial(const char *text, const double *times, uint32_t count)
{
    trial t = trial_of(text, times, count);
    t.def.events = true;
    return t;
}

/* Does the text give this message about this witness? code NULL: it runs without errors. */
static inline void check_code(const char *text, const char *code, const char *witness)
{
    double time = 3;
    trial t = trial_of(text, &time, 1);
    bool found = false;
    run_trial(&t);
    for (size_t i = 0; i < ct_diag_count(t.ctx) && code; i++) {
        const ct_diag *d = ct_diag_at(t.ctx, i);
        for (size_t k = 0; k < d->witness_count && strcmp(d->code, code) == 0; k++)
            found |= strcmp(d->witness[k], witness) == 0;
    }
    if (code ? !found : ct_error_count(t.ctx) > 0) {
        print_messages(&t);
        fail_msg("expected %s of %s", code ? code : "no error", text);
    }
    end_trial(&t);
}

static inline trial accurate(const char *name, const double *times, uint32_t count)
{
    trial t = new_trial(model_path(name));
    t.def.tol = 1e-10;
    t.def.times = times;
    t.def.time_count = count;
    return t;
}

static inline void check_values(const trial *t, const check *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(list[i].time))
            close_to(value_at(t, list[i].name, list[i].time), list[i].value, list[i].tolerance,
                     list[i].name);
}

/* A model of this name against its numbers, of which there must be more than so many. */
static inline void check_model(const char *name, const ct_tree_choice *choice, double tol,
                               uint32_t least)
{
    check list[MOST_CHECKS];
    double times[MOST_CHECKS];
    uint32_t count = read_checks(name, list);
    trial t = accurate(name, times, times_of(list, count, times));
    t.def.tol = tol;
    t.choice = choice;
    assert_true(count > least);
    must_run(&t);
    check_values(&t, list, count);
    end_trial(&t);
}

#endif

/* every_call.h - a chain that makes each public call of cotree.h once, with what the calls before
 * it gave. */
#ifndef CT_TEST_EVERY_CALL_H
#define CT_TEST_EVERY_CALL_H

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

static const char network[] =
    "model net\nparam R0 = 1 kohm\ninput u : V = sin(300*t)\nV1 : vsource(a, ground)  v = u\n"
    "R1 : resistor(a, b)  R = R0\nD1 : diode(b, c)\nC1 : capacitor(c, ground)  C = 1 uF\n"
    "R2 : resistor(c, ground)  R = 2*R0\noutput C1.v as y, R1.i\nplot C1.v\n"
    "simulate stop = 2 ms, points = 20\n";
static const char mechanism[] =
    "model swing\nspace = planar\nparam l = 0.5 m\ngravity = [0, -9.81 m/s^2]\n"
    "bar : body  m = 1 kg, I = 0.1 kg.m^2, theta(0) = 0.3 rad  { A = [0, l] }\n"
    "J1 : revolute(ground, bar.A)\noutput bar.theta\nsimulate stop = 0.1 s, points = 5\n";
static const char netlist[] =
    "t\nV1 a 0 dc 1 ac 1\nR1 a b 1k\nC1 b 0 1u\n.dc V1 0 1 0.5\n"
    ".ac dec 2 1 1k\n.tf v(b) V1\n.tran 10u 1m\n.meas tran m max v(b)\n.end\n";
static const char matrices[] = "[1 2 1 4; 2 2 3 3; 3 3 1 1]";

typedef struct chain {
    ct_context *ctx, *second;
    bool bare; /* NULL for all that may be */
    const char *name, *source;
    const ct_syntax *syntax, *analysis;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_statespace *statespace;
    ct_simulator *simulator, *drawn, *clone;
    const ct_result *result, *other;
    const ct_point *point;
    const ct_hessian *hessian;
    ct_sizes sizes;
    double seconds;
    ct_state_names names;
    const char *text;
    size_t length;
    FILE *log; /* all texts so far; NULL: nobody reads them */
} chain;

/* What a run cost differs from run to run. */
static void keep_text(chain *c, const char *word)
{
    if (c->log && c->text && !(word && strcmp(word, "effort") == 0))
        fputs(c->text, c->log);
    c->text = NULL;
}

static size_t *length_of(chain *c)
{
    return c->bare ? NULL : &c->length;
}

static bool is_netlist(const chain *c)
{
    return c->source == netlist;
}

static bool has_bodies(const chain *c)
{
    return c->source == mechanism;
}

/* ---- one function for each call */

static ct_status read_text(chain *c)
{
    return ct_read_text(c->ctx, c->bare && !is_netlist(c) ? NULL : c->name, c->source,
                        strlen(c->source), &c->syntax);
}

static ct_status read_file(chain *c)
{
    const ct_syntax *other;
    return ct_read_file(c->ctx, COTREE_ROOT "/models/rc_network/model.lg", &other);
}

static ct_status read_analysis(chain *c)
{
    return is_netlist(c) ? ct_read_analysis(c->ctx, c->syntax, 2, &c->analysis) : CT_OK;
}

static ct_status read_run(chain *c)
{
    const ct_syntax *other;
    return is_netlist(c) ? ct_read_run(c->ctx, c->syntax, 0, 0, &other) : CT_OK;
}

static ct_status translate(chain *c)
{
    return ct_translate_lg2ss(c->ctx, matrices, c->bare ? NULL : "[1 3 1]", &c->text,
                              c->bare ? NULL : &c->names);
}

static ct_status build(chain *c)
{
    ct_build_def def = ct_default_build_def();
    return ct_build(c->ctx, c->analysis ? c->analysis : c->syntax, c->bare ? NULL : &def,
                    &c->model);
}

static ct_status make_graph(chain *c)
{
    return ct_make_graph(c->ctx, c->model, &c->graph);
}

static ct_status choose_tree(chain *c)
{
    ct_tree_choice choice = ct_default_tree_choice();
    return ct_choose_tree(c->ctx, c->graph, c->bare ? NULL : &choice, &c->tree);
}

static ct_status derive(chain *c)
{
    return ct_derive(c->ctx, c->tree, c->bare ? NULL : "branch-chord", &c->equations);
}

static ct_status judge(chain *c)
{
    return ct_judge(c->ctx, c->tree);
}

static ct_status measure(chain *c)
{
    return ct_measure(c->ctx, c->graph, c->bare ? NULL : c->tree, &c->sizes);
}

static ct_status show_sizes(chain *c)
{
    ct_state_value more = {"x", 1, NULL};
    return ct_show_sizes(c->ctx, &c->sizes, c->bare ? NULL : &more, 1, &c->text);
}

static ct_status show_expr(chain *c)
{
    ct_expr e = ct_rate_at(c->equations, 0);
    return ct_show_expr(c->ctx, c->equations, e, &c->text);
}

/* All words of a table. */
static ct_status for_words(chain *c, ct_word_kind kind,
                           ct_status (*call)(chain *c, const char *word))
{
    ct_status status = CT_OK;
    for (size_t i = 0; ct_word_at(kind, i) && status == CT_OK && !c->bare; i++)
        status = call(c, ct_word_at(kind, i)->word), keep_text(c, ct_word_at(kind, i)->word);
    return status == CT_OK ? call(c, NULL) : status;
}

static ct_status graph_as(chain *c, const char *word)
{
    return ct_show_graph(c->ctx, c->graph, c->bare ? NULL : c->tree, word, &c->text, length_of(c));
}

static ct_status show_graph(chain *c)
{
    return for_words(c, CT_WORD_GRAPH_FORMAT, graph_as);
}

static ct_status equations_as(chain *c, const char *word)
{
    ct_equations_choice choice = {.format = word, .trace = word != NULL};
    return ct_show_equations(c->ctx, c->equations, word ? &choice : NULL, &c->text, length_of(c));
}

static ct_status show_equations(chain *c)
{
    return for_words(c, CT_WORD_EQUATIONS_FORMAT, equations_as);
}

/* Of bodies alone. */
static ct_status dynamics_as(chain *c, const char *word)
{
    ct_status status =
        ct_show_dynamics(c->ctx, c->equations, NULL, 0, word, &c->text, length_of(c));
    return has_bodies(c) || status != CT_ERR_USAGE ? status : CT_OK;
}

static ct_status show_dynamics(chain *c)
{
    return for_words(c, CT_WORD_DYNAMICS_FORMAT, dynamics_as);
}

static ct_status make_statespace(chain *c)
{
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.numeric = true;
    choice.equilibrium = is_netlist(c);
    return ct_make_statespace(c->ctx, c->equations, c->bare ? NULL : &choice, &c->statespace);
}

static ct_status linearise(chain *c)
{
    ct_statespace *own;
    return is_netlist(c) ? ct_linearise(c->ctx, c->tree, c->bare ? NULL : "numeric", NULL, &own)
                         : CT_OK;
}

static ct_status statespace_as(chain *c, const char *word)
{
    ct_statespace_show show = {.format = word, .poles = true};
    return ct_show_statespace(c->ctx, c->statespace, word ? &show : NULL, &c->text, length_of(c));
}

static ct_status show_statespace(chain *c)
{
    return for_words(c, CT_WORD_STATESPACE_FORMAT, statespace_as);
}

static ct_status show_linearising(chain *c)
{
    return ct_show_linearising(c->ctx, c->statespace, &c->text);
}

static ct_status show_response(chain *c)
{
    return c->bare || has_bodies(c)
               ? CT_OK
               : ct_show_response(c->ctx, c->statespace, CT_BODE, &c->text, length_of(c));
}

static ct_status response_as(chain *c, const char *word)
{
    ct_response_choice choice = {.format = word};
    return ct_show_response_as(c->ctx, c->statespace, CT_BODE, word ? &choice : NULL, &c->text,
                               length_of(c));
}

static ct_status show_response_as(chain *c)
{
    return c->bare || has_bodies(c) ? CT_OK : for_words(c, CT_WORD_RESPONSE_FORMAT, response_as);
}

static ct_status read_frequency(chain *c)
{
    double value;
    bool hz;
    return ct_read_frequency(c->ctx, "50 Hz", &value, &hz);
}

static ct_status format_text(chain *c)
{
    return ct_format_text(c->ctx, c->syntax, &c->text);
}

static ct_status dump_syntax(chain *c)
{
    return ct_dump_syntax(c->ctx, c->syntax, &c->text);
}

static ct_status dump_model(chain *c)
{
    return ct_dump_model(c->ctx, c->model, &c->text);
}

static ct_status dump_graph(chain *c)
{
    return ct_dump_graph(c->ctx, c->graph, c->bare ? NULL : c->tree, &c->text);
}

static ct_status dump_system(chain *c)
{
    return ct_dump_system(c->ctx, c->equations, &c->text);
}

static ct_status dump_equations(chain *c)
{
    return ct_dump_equations(c->ctx, c->equations, &c->text);
}

static ct_status dump_tape(chain *c)
{
    return ct_dump_tape(c->ctx, c->simulator, &c->text);
}

static ct_status manual(chain *c)
{
    const char *near;
    return ct_manual(c->ctx, c->bare ? NULL : "resistor", &c->text, c->bare ? NULL : &near);
}

static ct_status make_simulator(chain *c)
{
    return ct_make_simulator(c->ctx, c->tree, c->bare ? NULL : "nodal", &c->simulator);
}

static ct_status make_drawn_simulator(chain *c)
{
    return ct_make_drawn_simulator(c->ctx, c->tree, NULL, &c->drawn);
}

static ct_status set_parameter(chain *c)
{
    return is_netlist(c) ? CT_OK
                         : ct_set_parameter(c->ctx, c->simulator, has_bodies(c) ? "l" : "R0", 0.7);
}

static ct_status clone_simulator(chain *c)
{
    return ct_clone_simulator(c->simulator, c->second, &c->clone);
}

static ct_status run(chain *c)
{
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = is_netlist(c) ? 1e-3 : NAN;
    return ct_run(c->ctx, c->simulator, c->bare && !is_netlist(c) ? NULL : &def, &c->result);
}

static ct_status result_as(chain *c, const char *word)
{
    return ct_show_result(c->ctx, c->result, word, 60, false, &c->text, length_of(c));
}

static ct_status show_result(chain *c)
{
    return for_words(c, CT_WORD_RESULT_FORMAT, result_as);
}

static ct_status run_sweep(chain *c)
{
    return has_bodies(c) ? CT_OK : ct_run_sweep(c->ctx, c->simulator, NULL, NULL, &c->other);
}

static ct_status run_measured(chain *c)
{
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = 1e-3;
    return is_netlist(c) ? ct_run_measured(c->ctx, c->simulator, c->syntax, &def, &c->other)
                         : CT_OK;
}

static ct_status run_transfer(chain *c)
{
    bool can = is_netlist(c) && !c->bare;
    return can ? ct_run_transfer(c->ctx, c->statespace, c->analysis, &c->other) : CT_OK;
}

static ct_status join_runs(chain *c)
{
    const ct_analysis *first = ct_analysis_at(c->syntax, 0);
    return first ? ct_join_runs(c->ctx, first, &c->result, !c->bare, &c->other) : CT_OK;
}

static ct_status run_response(chain *c)
{
    bool can = is_netlist(c) && !c->bare;
    return can ? ct_run_response(c->ctx, c->statespace, c->syntax, NULL, &c->other) : CT_OK;
}

static ct_status find_equilibrium(chain *c)
{
    return ct_find_equilibrium(c->ctx, c->simulator, 0, &c->point);
}

static ct_status evaluate_at(chain *c)
{
    return ct_evaluate_at(c->ctx, c->simulator, 0, NULL, 0, &c->point);
}

static ct_status find_hessian(chain *c)
{
    const ct_variable *v = ct_variable_at(c->equations, CT_VARIABLE_OUTPUT, 0);
    return ct_find_hessian(c->ctx, c->simulator, v->name, 0, NULL, 0, &c->hessian);
}

static ct_status show_point(chain *c)
{
    ct_status status = ct_show_point(c->ctx, c->point, true, &c->text);
    return status == CT_OK ? ct_show_point(c->ctx, c->point, false, &c->text) : status;
}

static ct_status show_code(chain *c)
{
    return ct_show_code(c->ctx, c->simulator, c->bare ? NULL : "c", &c->text, length_of(c));
}

static ct_status magnify_deformations(chain *c)
{
    return has_bodies(c) ? ct_magnify_deformations(c->drawn, 2) : CT_OK;
}

static ct_status show_drawing(chain *c)
{
    return has_bodies(c)
               ? ct_show_drawing(c->ctx, c->drawn, NULL, CT_DRAWING_STILL, &c->text, length_of(c))
               : CT_OK;
}

static ct_status read_time(chain *c)
{
    return ct_read_time(c->ctx, "50 ms", &c->seconds);
}

static ct_status diag_render(chain *c)
{
    return ct_diag_render(c->ctx, CT_DIAG_JSON, &c->text);
}

#define CALL(name)                                                                                 \
    {                                                                                              \
        "ct_" #name, name                                                                          \
    }

static const struct call_row {
    const char *name;
    ct_status (*make)(chain *c);
} calls[] = {
    CALL(read_text),
    CALL(read_file),
    CALL(read_analysis),
    CALL(read_run),
    CALL(format_text),
    CALL(dump_syntax),
    CALL(build),
    CALL(dump_model),
    CALL(make_graph),
    CALL(choose_tree),
    CALL(measure),
    CALL(show_sizes),
    CALL(show_graph),
    CALL(dump_graph),
    CALL(derive),
    CALL(judge),
    CALL(show_expr),
    CALL(dump_system),
    CALL(dump_equations),
    CALL(show_equations),
    CALL(show_dynamics),
    CALL(make_simulator),
    CALL(clone_simulator),
    CALL(make_drawn_simulator),
    CALL(set_parameter),
    CALL(dump_tape),
    CALL(run),
    CALL(show_result),
    CALL(find_equilibrium),
    CALL(evaluate_at),
    CALL(show_point),
    CALL(find_hessian),
    CALL(run_sweep),
    CALL(magnify_deformations),
    CALL(show_drawing),
    CALL(show_code),
    CALL(make_statespace),
    CALL(linearise),
    CALL(show_response),
    CALL(show_response_as),
    CALL(read_frequency),
    CALL(show_statespace),
    CALL(show_linearising),
    CALL(run_response),
    CALL(run_measured),
    CALL(run_transfer),
    CALL(join_runs),
    CALL(manual),
    CALL(read_time),
    CALL(diag_render),
    {"ct_translate_lg2ss", translate},
};

enum { CALLS = sizeof calls / sizeof *calls };

/* ---- the chain */

static const struct source_row {
    const char *name, *text;
} sources[] = {{"net.lg", network}, {"swing.lg", mechanism}, {"t.cir", netlist}};

enum { SOURCES = sizeof sources / sizeof *sources };

#endif

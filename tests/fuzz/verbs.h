/* verbs.h - what all verbs of the program do, on one text: no crash, no bare failure, whole texts.
 *
 * Choices that the command line offers are rolled. A run is interrupted after a while, and must
 * then end; everything else must end by itself.
 */
#ifndef FUZZ_VERBS_H
#define FUZZ_VERBS_H

#include <math.h>
#include <signal.h>
#include <sys/time.h>

#include <cotree/cotree.h>

#include "fuzz/chain.h"
#include "fuzz/dice.h"
#include "model/mechanism.h"

enum { VERB_COMPONENTS = 3000, VERB_POINTS = 20, RUN_MILLISECONDS = 20, MOST_SWEPT = 200 };

typedef struct verb_case {
    chain c;
    dice d;
    const ct_syntax *netlist; /* NULL: the text is none */
    const ct_equations *equations;
    ct_statespace *statespace;
    ct_simulator *simulator;
    const char *verb; /* that runs */
    size_t errors;    /* before it */
} verb_case;

/* ---- verdicts */

/* Errors stay in the context, so that a repeated one is not new: a failure needs any, and a
 * success no new one. Words that the model does not have are a matter of the call. */
static inline bool went_well(verb_case *v, ct_status status)
{
    size_t errors = ct_error_count(v->c.ctx);
    if (status == CT_ERR_MEMORY)
        complain(&v->c, "%s: out of memory at %zu MB", v->verb, v->c.memory.peak >> 20);
    else if (status != CT_OK && status != CT_ERR_USAGE && errors == 0)
        complain(&v->c, "%s: status `%s` without an error", v->verb, ct_status_text(status));
    else if (status == CT_OK && errors > v->errors)
        complain(&v->c, "%s: success with an error: %s", v->verb,
                 ct_diag_at(v->c.ctx, errors - 1)->message);
    v->errors = errors;
    return status == CT_OK;
}

typedef struct shown {
    const char *text;
    size_t length;
} shown;

static inline void whole_text(verb_case *v, ct_status status, const shown *s)
{
    if (went_well(v, status) && strlen(s->text) != s->length)
        complain(&v->c, "%s: a zero in the text", v->verb);
    else if (status == CT_OK && !is_utf8(s->text))
        complain(&v->c, "%s: no UTF-8", v->verb);
}

static inline void json_text(verb_case *v, ct_status status, const char *const *text)
{
    if (went_well(v, status))
        check_json(&v->c, v->verb, *text);
}

/* ---- equations */

static inline void walk_equations(verb_case *v)
{
    const ct_equations *e = v->equations;
    const char *text;
    for (int kind = CT_VARIABLE_STATE; kind <= CT_VARIABLE_PARAMETER; kind++)
        for (size_t i = 0; i <= ct_variable_count(e, (ct_variable_kind)kind); i++)
            if (ct_variable_at(e, (ct_variable_kind)kind, i))
                ct_expr_at(e, ct_variable_at(e, (ct_variable_kind)kind, i)->value);
    for (size_t i = 0; i <= ct_variable_count(e, CT_VARIABLE_STATE); i++) {
        ct_expr rate = ct_rate_at(e, i);
        if (rate && ct_expr_at(e, rate).count)
            ct_operand_at(e, rate, 0, NULL);
        if (rate && i < 3)
            went_well(v, ct_show_expr(v->c.ctx, e, rate, &text));
    }
}

static inline void do_equations(verb_case *v)
{
    static const char *const forms[] = {NULL, "auto", "ode", "dae", "state"};
    static const char *const formats[] = {NULL, "latex", "json"};
    static const char *const simplify[] = {NULL, "none", "fast"};
    ct_equations_choice choice = {.form = PICK(&v->d, forms), .format = PICK(&v->d, formats)};
    shown s;
    choice.simplify = PICK(&v->d, simplify);
    choice.trace = chance(&v->d, 30);
    choice.all = chance(&v->d, 30);
    choice.standalone = chance(&v->d, 30);
    choice.matrix = chance(&v->d, 30);
    ct_status status = ct_show_equations(v->c.ctx, v->equations, &choice, &s.text, &s.length);
    whole_text(v, status, &s);
    if (status == CT_OK && choice.format && strcmp(choice.format, "json") == 0)
        check_json(&v->c, v->verb, s.text);
    went_well(v, ct_dump_system(v->c.ctx, v->equations, &s.text));
    went_well(v, ct_dump_equations(v->c.ctx, v->equations, &s.text));
    walk_equations(v);
}

/* ---- state spaces */

static inline void show_statespace(verb_case *v, bool numeric)
{
    static const char *const formats[] = {"text", "latex", "json", "matlab", "python"};
    ct_statespace_show show = {.format = PICK(&v->d, formats), .standalone = chance(&v->d, 50)};
    shown s;
    if (numeric && chance(&v->d, 50))
        show.transfer = show.poles = show.zeros = true;
    whole_text(v, ct_show_statespace(v->c.ctx, v->statespace, &show, &s.text, &s.length), &s);
    ct_response response = (ct_response)roll(&v->d, 4);
    if (numeric && chance(&v->d, 25))
        whole_text(v, ct_show_response(v->c.ctx, v->statespace, response, &s.text, &s.length), &s);
}

static inline void do_statespace(verb_case *v)
{
    ct_statespace_choice choice = ct_default_statespace_choice();
    size_t states = ct_variable_count(v->equations, CT_VARIABLE_STATE);
    bool many = v->c.model->mechanism && v->c.model->mechanism->joint_count > 4;
    choice.numeric = many || states > 12 || chance(&v->d, 50); /* exact ones take many seconds */
    choice.equilibrium = chance(&v->d, 30);
    choice.transfer = !choice.numeric && states <= 3 && chance(&v->d, 30);
    choice.simplify = states <= 3 && chance(&v->d, 5) ? NULL : "fast"; /* full takes seconds */
    if (went_well(v, ct_make_statespace(v->c.ctx, v->equations, &choice, &v->statespace)))
        show_statespace(v, choice.numeric);
}

/* ---- runs */

static volatile sig_atomic_t run_is_over;

static inline void end_run(int number)
{
    (void)number;
    run_is_over = 1;
}

/* Of processor time in the process alone: a busy machine changes little. 0: no alarm. */
static inline void set_run_alarm(long milliseconds)
{
    struct itimerval timer = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    run_is_over = 0;
    signal(SIGVTALRM, end_run);
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static inline void show_results(verb_case *v, const ct_result *result)
{
    shown s;
    static const char *const formats[] = {"csv", "mat", "svg", "terminal", "effort"};
    const char *format = formats[roll(&v->d, 5)];
    ct_status status =
        ct_show_result(v->c.ctx, result, format, 80, chance(&v->d, 50), &s.text, &s.length);
    if (strcmp(format, "mat") == 0)
        went_well(v, status);
    else
        whole_text(v, status, &s);
    if (strcmp(format, "effort") == 0 && status == CT_OK)
        check_json(&v->c, v->verb, s.text);
}

static inline void do_run(verb_case *v)
{
    static const char *const methods[] = {NULL,  NULL,    "rk",          "rosenbrock",
                                          "bdf", "adams", "independent", "euler"};
    ct_simulation_def def = ct_default_simulation_def();
    const ct_result *result = NULL;
    shown s;
    def.points = VERB_POINTS;
    def.interrupted = &run_is_over;
    def.method = PICK(&v->d, methods);
    def.kinematic = chance(&v->d, 15);
    set_run_alarm(RUN_MILLISECONDS);
    went_well(v, ct_run(v->c.ctx, v->simulator, &def, &result));
    set_run_alarm(0);
    if (result)
        show_results(v, result);
    ct_drawing how = (ct_drawing)roll(&v->d, CT_DRAWING_HTML + 1);
    whole_text(v, ct_show_drawing(v->c.ctx, v->simulator, result, how, &s.text, &s.length), &s);
}

static inline void show_point(verb_case *v, ct_status status, const ct_point *point)
{
    const char *text;
    if (!went_well(v, status))
        return;
    json_text(v, ct_show_point(v->c.ctx, point, true, &text), &text);
    went_well(v, ct_show_point(v->c.ctx, point, false, &text));
}

static inline void do_points(verb_case *v)
{
    const ct_point *point = NULL;
    const ct_hessian *hessian;
    ct_status status = ct_evaluate_at(v->c.ctx, v->simulator, 0, NULL, 0, &point);
    show_point(v, status, point);
    if (status == CT_OK && point->state_count) {
        ct_state_value given = {point->state[0], 1, NULL};
        went_well(v, ct_evaluate_at(v->c.ctx, v->simulator, 0.5, &given, 1, &point));
    }
    if (status == CT_OK && point && point->output_count)
        went_well(v,
                  ct_find_hessian(v->c.ctx, v->simulator, point->output[0], 0, NULL, 0, &hessian));
    status = ct_find_equilibrium(v->c.ctx, v->simulator, 0, &point);
    show_point(v, status, point);
}

static inline void do_export(verb_case *v)
{
    const char *text;
    shown s;
    size_t targets = 0;
    while (ct_word_at(CT_WORD_TARGET, targets))
        targets++;
    const char *target = ct_word_at(CT_WORD_TARGET, roll(&v->d, targets))->word;
    whole_text(v, ct_show_code(v->c.ctx, v->simulator, target, &s.text, &s.length), &s);
    went_well(v, ct_dump_tape(v->c.ctx, v->simulator, &text));
}

/* ---- netlists */

static inline double points_of(const ct_analysis *a)
{
    double points = 1;
    for (uint32_t k = 0; k < a->swept_count; k++)
        points *= a->swept[k].count;
    if (a->kind == CT_AC)
        points = a->points * (a->scale == CT_AC_LINEAR ? 1 : 4 * log2(a->to / a->from) + 2);
    return points;
}

static inline void do_analysis(verb_case *v, const ct_analysis *a)
{
    const ct_result *result = NULL;
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.numeric = choice.equilibrium = true;
    v->verb = "analysis";
    if (!(points_of(a) < MOST_SWEPT))
        return;
    bool linear = a->kind == CT_AC || a->kind == CT_TF;
    if (!linear)
        went_well(v, ct_run_sweep(v->c.ctx, v->simulator, v->netlist, a, &result));
    else if (went_well(v, ct_make_statespace(v->c.ctx, v->equations, &choice, &v->statespace)))
        went_well(v, a->kind == CT_TF
                         ? ct_run_transfer(v->c.ctx, v->statespace, v->netlist, &result)
                         : ct_run_response(v->c.ctx, v->statespace, v->netlist, a, &result));
    if (result)
        show_results(v, result);
}

/* ---- from the text to the tree, then all verbs in an order of their own */

static const struct {
    const char *word;
    void (*run)(verb_case *v);
    bool of_equations; /* else of a simulator */
} verb_list[] = {{"equations", do_equations, true},
                 {"statespace", do_statespace, true},
                 {"run", do_run, false},
                 {"equilibrium, eval", do_points, false},
                 {"export", do_export, false}};

static inline bool to_tree(verb_case *v)
{
    static const char *const coordinates[] = {NULL, NULL, "joint", "absolute"};
    ct_tree_choice choice = ct_default_tree_choice();
    chain *c = &v->c;
    choice.coordinates = PICK(&v->d, coordinates);
    v->verb = "build";
    return went_well(v, ct_build(c->ctx, c->syntax, NULL, &c->model)) &&
           went_well(v, ct_make_graph(c->ctx, c->model, &c->graph)) &&
           went_well(v, ct_choose_tree(c->ctx, c->graph, &choice, &c->tree));
}

static inline void run_verbs(verb_case *v, const ct_analysis *a)
{
    static const char *const forms[] = {NULL, "nodal", "branch-chord", "tableau"};
    const char *form = PICK(&v->d, forms);
    if (!to_tree(v))
        return;
    v->verb = "derive";
    bool derived = went_well(v, ct_derive(v->c.ctx, v->c.tree, form, &v->equations));
    bool made = went_well(v, ct_make_drawn_simulator(v->c.ctx, v->c.tree, form, &v->simulator));
    for (size_t i = 0; i < sizeof verb_list / sizeof *verb_list && !v->c.wrong[0]; i++)
        if (verb_list[i].of_equations ? derived : made) {
            v->verb = verb_list[i].word;
            verb_list[i].run(v);
        }
    if (a && derived && made)
        do_analysis(v, a);
    v->c.stage = 4 + derived;
}

/* The model of one analysis, which then is run, too. */
static inline void run_netlist(verb_case *v)
{
    size_t count = ct_analysis_count(v->netlist), index = roll(&v->d, count + 1);
    v->verb = "read analysis";
    if (went_well(v, ct_read_analysis(v->c.ctx, v->netlist, index, &v->c.syntax)))
        run_verbs(v, ct_analysis_at(v->netlist, index));
}

/* Matrices: `graph` and, after a bar, `outputs`. */
static inline bool read_matrices(verb_case *v, const char *text)
{
    char *graph = strdup(text), *bar = graph ? strchr(graph, '|') : NULL;
    const char *model;
    if (bar)
        *bar = '\0';
    v->verb = "lg2ss";
    bool read =
        went_well(v, ct_translate_lg2ss(v->c.ctx, graph, bar ? bar + 1 : NULL, &model, NULL));
    free(graph);
    return read &&
           went_well(v, ct_read_text(v->c.ctx, "lg2ss.lg", model, strlen(model), &v->c.syntax));
}

static inline bool read_case(verb_case *v, const char *name)
{
    if (strcmp(name, "matrices") == 0)
        return read_matrices(v, v->c.text);
    v->verb = "read";
    if (!went_well(v, ct_read_text(v->c.ctx, name, v->c.text, v->c.length, &v->c.syntax)))
        return false;
    v->netlist = ct_is_a_netlist(v->c.syntax) ? v->c.syntax : NULL;
    return true;
}

/* name: fuzz.lg, fuzz.cir, fuzz.urdf or matrices. only_read: the text and, of a netlist, its
 * analyses. */
static inline void run_verb_case(verb_case *v, const char *name)
{
    chain *c = &v->c;
    ct_context_def def = ct_default_context_def();
    def.realloc = meter_realloc;
    def.realloc_user = &c->memory;
    def.loader = (ct_loader){used_text, keep_text, NULL};
    def.max_components = VERB_COMPONENTS;
    c->of_runs = true;
    def.native = chance(&v->d, 50);
    c->ctx = ct_context_new(&def);
    if (read_case(v, name)) {
        c->stage = 1;
        if (!c->only_read && v->netlist)
            run_netlist(v);
        else if (!c->only_read)
            run_verbs(v, NULL);
    }
    check_diagnostics(c);
    end_chain(c);
}

#endif

/* test_public.c - equations and simulators as a host program sees them: through cotree.h alone. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

/* ---- models */

typedef struct made {
    ct_context *ctx;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_simulator *simulator;
} made;

static ct_status through(made *m, ct_status status, const ct_syntax *syntax)
{
    const ct_model *model;
    if (status == CT_OK)
        status = ct_build(m->ctx, syntax, NULL, &model);
    if (status == CT_OK)
        status = ct_make_graph(m->ctx, model, &m->graph);
    return status == CT_OK ? ct_choose_tree(m->ctx, m->graph, NULL, &m->tree) : status;
}

static made read_text(const char *text)
{
    made m = {.ctx = ct_context_new(NULL)};
    const ct_syntax *syntax;
    ct_status status = ct_read_text(m.ctx, "test.lg", text, strlen(text), &syntax);
    assert_int_equal(through(&m, status, syntax), CT_OK);
    return m;
}

static made read_model(const char *name)
{
    char path[512];
    made m = {.ctx = ct_context_new(NULL)};
    const ct_syntax *syntax;
    snprintf(path, sizeof path, "%s/models/%s/model.lg", COTREE_ROOT, name);
    ct_status status = ct_read_file(m.ctx, path, &syntax);
    if (status == CT_ERR_IO) {
        ct_context_free(m.ctx);
        return (made){0};
    }
    assert_int_equal(through(&m, status, syntax), CT_OK);
    return m;
}

static void derive(made *m)
{
    assert_int_equal(ct_derive(m->ctx, m->tree, NULL, &m->equations), CT_OK);
    assert_int_equal(ct_make_simulator(m->ctx, m->tree, NULL, &m->simulator), CT_OK);
}

static const ct_variable *find(const made *m, ct_variable_kind kind, const char *name)
{
    const ct_variable *v;
    for (size_t i = 0; (v = ct_variable_at(m->equations, kind, i)); i++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

/* ---- variables */

static const char oscillator[] = "param k = 4 N/m\n"
                                 "param L = 2 m\n"
                                 "param x0 = L/4\n"
                                 "input F : N = 3 N\n"
                                 "S1 : spring(a, ground)  k = k, x(0) = x0\n"
                                 "M1 : mass(a)  m = 1 kg\n"
                                 "Q1 : force(ground, a)  F = F\n"
                                 "output a.v as speed\n";

static void test_variables(void **state)
{
    (void)state;
    made m = read_text(oscillator);
    const char *file;
    uint32_t line, column;
    derive(&m);
    const ct_variable *x = find(&m, CT_VARIABLE_STATE, "S1.x");
    const ct_variable *v = find(&m, CT_VARIABLE_STATE, "M1.v");
    assert_int_equal(ct_variable_count(m.equations, CT_VARIABLE_STATE), 2);
    assert_non_null(x);
    assert_non_null(v);
    assert_string_equal(x->unit, "m");
    assert_string_equal(v->unit, "m/s");
    assert_true(x->start && x->number == 0.5 && !v->start && isnan(v->number));
    assert_true(ct_locate(m.ctx, x->place, &file, &line, &column));
    assert_string_equal(file, "test.lg");
    assert_int_equal(line, 5);
    const ct_variable *x0 = find(&m, CT_VARIABLE_PARAMETER, "x0");
    assert_true(x0 && x0->number == 0.5);
    assert_string_equal(x0->unit, "m");
    const ct_variable *force = find(&m, CT_VARIABLE_INPUT, "F");
    assert_true(force && force->number == 3);
    assert_string_equal(force->unit, "N");
    const ct_variable *speed = find(&m, CT_VARIABLE_OUTPUT, "speed");
    assert_true(speed && speed->value);
    assert_string_equal(ct_expr_at(m.equations, speed->value).word, "M1.v");
    assert_null(ct_variable_at(m.equations, CT_VARIABLE_STATE, 2));
    assert_null(ct_variable_at(m.equations, (ct_variable_kind)77, 0));
    assert_int_equal(ct_rate_at(m.equations, 2), 0);
    assert_int_equal(ct_residual_at(m.equations, 0), 0);
    ct_context_free(m.ctx);
}

/* A choice, and a length, that nobody gives. */
static void test_nothing_given(void **state)
{
    (void)state;
    made m = read_text(oscillator);
    const char *text;
    const ct_result *result;
    const ct_equations *none;
    ct_statespace *ss;
    derive(&m);
    assert_int_equal(ct_derive(m.ctx, m.tree, "modal", &none), CT_ERR_USAGE);
    assert_int_equal(ct_show_graph(m.ctx, m.graph, m.tree, "text", &text, NULL), CT_OK);
    assert_int_equal(ct_show_equations(m.ctx, m.equations, NULL, &text, NULL), CT_OK);
    assert_non_null(strstr(text, "der(M1.v)"));
    assert_int_equal(ct_make_statespace(m.ctx, m.equations, NULL, &ss), CT_OK);
    assert_int_equal(ct_show_statespace(m.ctx, ss, NULL, &text, NULL), CT_OK);
    assert_int_equal(ct_show_code(m.ctx, m.simulator, "c", &text, NULL), CT_OK);
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = 1;
    assert_int_equal(ct_run(m.ctx, m.simulator, &def, &result), CT_OK);
    assert_int_equal(ct_show_result(m.ctx, result, "csv", 80, false, &text, NULL), CT_OK);
    assert_string_equal(result->effort.path, "symbolic");
    assert_string_equal(result->effort.why_not, "the model is small");
    ct_context_free(m.ctx);
}

/* The rows of another form are shown only where they were derived. */
static void test_forms(void **state)
{
    (void)state;
    static const char *const forms[] = {"nodal", "branch-chord", "tableau"};
    made m = read_text(oscillator);
    const char *text;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ct_derive(m.ctx, m.tree, forms[i], &m.equations), CT_OK);
        for (int k = 0; k < 3; k++) {
            ct_equations_choice choice = {.form = forms[k]};
            ct_status status = ct_show_equations(m.ctx, m.equations, &choice, &text, NULL);
            assert_int_equal(status, i == k ? CT_OK : CT_ERR_USAGE);
            if (i != k)
                assert_string_equal(text, forms[k]);
        }
    }
    ct_context_free(m.ctx);
}

/* ---- expressions, evaluated by walking them */

typedef struct evaluation {
    const made *m;
    const ct_point *at;
    int visits;
    bool unknown; /* an operator that is not in the table below, or too long */
} evaluation;

static double value_of(evaluation *e, ct_expr x);

static double symbol_value(evaluation *e, const char *name)
{
    const ct_point *p = e->at;
    const ct_variable *v;
    for (uint32_t i = 0; i < p->state_count; i++)
        if (strcmp(p->state[i], name) == 0)
            return p->x[i];
    for (uint32_t i = 0; i < p->algebraic_count; i++)
        if (strcmp(p->algebraic[i], name) == 0)
            return p->w[i];
    if ((v = find(e->m, CT_VARIABLE_PARAMETER, name)))
        return v->number;
    if ((v = find(e->m, CT_VARIABLE_INPUT, name)))
        return v->value ? value_of(e, v->value) : 0;
    if (strcmp(name, "t") == 0)
        return p->time;
    e->unknown = true; /* the derivative of an input */
    return NAN;
}

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static double root_of(double x)
{
    return sqrt(x);
}

static double call_value(evaluation *e, const char *word, ct_expr x)
{
    static const struct {
        const char *word;
        double (*value)(double x);
    } calls[] = {{"sin", sin}, {"cos", cos}, {"exp", exp},      {"abs", fabs},
                 {"tan", tan}, {"log", log}, {"sqrt", root_of}, {"sign", sign_of}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].word, word) == 0)
            return calls[i].value(value_of(e, ct_operand_at(e->m->equations, x, 0, NULL)));
    if (strcmp(word, "^") == 0 || strcmp(word, "pow") == 0)
        return pow(value_of(e, ct_operand_at(e->m->equations, x, 0, NULL)),
                   value_of(e, ct_operand_at(e->m->equations, x, 1, NULL)));
    e->unknown = true;
    return NAN;
}

static double value_of(evaluation *e, ct_expr x)
{
    ct_expr_view v = ct_expr_at(e->m->equations, x);
    double result = v.number, factor;
    e->unknown |= ++e->visits > 20000; /* shared parts are walked each time */
    if (e->unknown)
        return NAN;
    if (v.kind == CT_EXPR_SYMBOL)
        return symbol_value(e, v.word);
    if (v.kind == CT_EXPR_CALL)
        return call_value(e, v.word, x);
    for (uint32_t i = 0; i < v.count; i++) {
        double part = value_of(e, ct_operand_at(e->m->equations, x, i, &factor));
        result = v.kind == CT_EXPR_SUM ? result + factor * part : result * pow(part, factor);
    }
    return result;
}

static int compare(const made *m, const char *name, const ct_point *p)
{
    int compared = 0;
    double size = 1e-3; /* parts may cancel */
    for (uint32_t i = 0; i < p->state_count; i++)
        size = fmax(size, fabs(p->rate[i]));
    for (uint32_t i = 0; i < p->state_count; i++) {
        evaluation e = {.m = m, .at = p};
        double value = value_of(&e, ct_rate_at(m->equations, i));
        assert_string_equal(p->state[i], ct_variable_at(m->equations, CT_VARIABLE_STATE, i)->name);
        if (e.unknown)
            continue;
        if (!(fabs(value - p->rate[i]) <= 1e-9 * size))
            fail_msg("%s: rate of %s is %.17g, walked %.17g", name, p->state[i], p->rate[i], value);
        compared++;
    }
    return compared;
}

static bool has_states_of(const made *m, const ct_point *p)
{
    bool same = p->state_count == ct_variable_count(m->equations, CT_VARIABLE_STATE);
    for (uint32_t i = 0; same && i < p->state_count; i++)
        same = strcmp(p->state[i], ct_variable_at(m->equations, CT_VARIABLE_STATE, i)->name) == 0;
    return same;
}

static void test_walk(void **state)
{
    (void)state;
    DIR *folder = opendir(COTREE_ROOT "/models");
    struct dirent *entry;
    int compared = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        const ct_point *p;
        made m = entry->d_name[0] == '.' ? (made){0} : read_model(entry->d_name);
        if (!m.ctx)
            continue;
        derive(&m);
        assert_int_equal(ct_evaluate_at(m.ctx, m.simulator, 0, NULL, 0, &p), CT_OK);
        if (!has_states_of(&m, p)) { /* a contact that is closed at the start ties some of them */
            assert_true(p->state_count < ct_variable_count(m.equations, CT_VARIABLE_STATE));
            ct_context_free(m.ctx);
            continue;
        }
        compared += compare(&m, entry->d_name, p);
        ct_context_free(m.ctx);
    }
    closedir(folder);
    assert_true(compared > 60);
}

/* ---- clones in threads */

enum { THREADS = 8 };

typedef struct worker {
    ct_context *ctx;
    ct_simulator *simulator;
    ct_simulation_def def;
    const ct_result *result;
    const ct_point *point;
    ct_status status, found;
} worker;

static void *work(void *user)
{
    worker *w = user;
    w->status = ct_run(w->ctx, w->simulator, &w->def, &w->result);
    w->found = ct_evaluate_at(w->ctx, w->simulator, 0, NULL, 0, &w->point);
    return NULL;
}

static double nth_value(double first, int i)
{
    return first * (1 + 0.05 * i);
}

static worker open_worker(const made *m, const ct_simulation_def *def, const char *name,
                          double value)
{
    worker w = {.ctx = ct_context_new(NULL), .def = *def};
    assert_int_equal(ct_clone_simulator(m->simulator, w.ctx, &w.simulator), CT_OK);
    assert_int_equal(ct_set_parameter(w.ctx, w.simulator, name, value), CT_OK);
    return w;
}

/* The same in one thread, from the text on. */
static void check_alone(const worker *w, made m, const char *form, const char *name, double value)
{
    const ct_result *alone;
    const ct_point *point;
    assert_int_equal(ct_make_simulator(m.ctx, m.tree, form, &m.simulator), CT_OK);
    assert_int_equal(ct_set_parameter(m.ctx, m.simulator, name, value), CT_OK);
    assert_int_equal(ct_run(m.ctx, m.simulator, &w->def, &alone), CT_OK);
    assert_int_equal(ct_evaluate_at(m.ctx, m.simulator, 0, NULL, 0, &point), CT_OK);
    const ct_rows *a = &w->result->outputs, *b = &alone->outputs;
    assert_true(a->count == b->count && a->cols == b->cols && a->count > 1);
    assert_memory_equal(a->value, b->value, a->count * a->cols * sizeof *a->value);
    assert_int_equal(w->point->body_count, point->body_count);
    assert_memory_equal(w->point->rate, point->rate, point->state_count * sizeof *point->rate);
    assert_string_equal(w->result->effort.path, alone->effort.path);
    ct_context_free(m.ctx);
}

static void run_in_threads(made (*read)(const char *source), const char *source, const char *form,
                           const char *name, double first, double stop)
{
    made m = read(source);
    worker w[THREADS];
    pthread_t thread[THREADS];
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = stop;
    def.points = 50;
    assert_int_equal(ct_make_simulator(m.ctx, m.tree, form, &m.simulator), CT_OK);
    for (int i = 0; i < THREADS; i++)
        w[i] = open_worker(&m, &def, name, nth_value(first, i));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(w[i].status, CT_OK);
        assert_int_equal(w[i].found, CT_OK);
        if (i == 0 || i == THREADS - 1)
            check_alone(&w[i], read(source), form, name, nth_value(first, i));
        ct_context_free(w[i].ctx);
    }
    ct_context_free(m.ctx);
}

static const char rectifier[] = "param R = 1 kohm\n"
                                "V1 : vsource(a, ground)  v = 5*sin(2*pi*50*t)\n"
                                "D1 : diode(a, b)\n"
                                "C1 : capacitor(b, ground)  C = 10 uF\n"
                                "R1 : resistor(b, ground)  R = R\n"
                                "output b.v as v\n";

static const char switched[] = "param R = 1 kohm\n"
                               "V1 : vsource(a, ground)  v = if t < 2 ms then 5 else 1\n"
                               "R1 : resistor(a, b)  R = R*(1 + step(C1.v - 2))\n"
                               "C1 : capacitor(b, ground)  C = 1 uF\n"
                               "output C1.v as v\n";

static const char ladder[] = "param R = 10 ohm\n"
                             "const N = 400\n"
                             "V1 : vsource(n{0}, ground)  v = if t < 1 ms then 1 else 0\n"
                             "repeat i = 1..N {\n"
                             "    R{i} : resistor(n{i-1}, n{i})  R = R\n"
                             "    C{i} : capacitor(n{i}, ground)  C = 1 nF\n"
                             "}\n"
                             "output n{5}.v as v\n";

/* So many bodies that nothing can be expressed afterwards, and the programs are shared. */
static const char chain[] =
    "space = planar\nconst N = 250\nparam m = 1 kg\ngravity = [0, -9.81]\n"
    "repeat i = 0..N-1 { b{i} : body  m = m, I = 0.1  { A = [0, 0.5], B = [0, -0.5] } }\n"
    "h0 : revolute(ground, b0.A)\n"
    "repeat i = 1..N-1 { h{i} : revolute(b{i-1}.B, b{i}.A) }\ninitial h0.beta = 1\n"
    "output h0.beta as first\n";

static void test_threads(void **state)
{
    (void)state;
    run_in_threads(read_model, "rc_network", NULL, "R2", 1000, 5e-3);
    run_in_threads(read_model, "slider_crank", NULL, "m1", 1.5, 0.2);
    run_in_threads(read_model, "double_pendulum", NULL, "m1", 1, 0.2);
    run_in_threads(read_model, "four_bar", NULL, "rho", 2, 0.2);
    run_in_threads(read_model, "toggle", NULL, "J", 2, 0.1);
    run_in_threads(read_text, chain, NULL, "m", 1, 1e-3);
    run_in_threads(read_model, "hydraulic_k1", NULL, "R2", 0.3, 0.5);
    run_in_threads(read_text, rectifier, NULL, "R", 1000, 0.03);
    run_in_threads(read_text, switched, NULL, "R", 1000, 0.005);
    run_in_threads(read_text, ladder, NULL, "R", 10, 0.002);
    run_in_threads(read_text, ladder, "tableau", "R", 10, 1e-4);
}

/* A clone that fails says so in its own context. */
static void test_failing_clone(void **state)
{
    (void)state;
    made m = read_text("param C = 1\nV1 : vsource(a, ground)  v = 1 V\nR1 : resistor(a, b)  R = 1\n"
                       "C1 : capacitor(b, ground)  C = C\noutput C1.v as v\n");
    ct_simulator *clone;
    const ct_result *result;
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = 1;
    derive(&m);
    ct_context *own = ct_context_new(NULL);
    assert_int_equal(ct_clone_simulator(m.simulator, own, &clone), CT_OK);
    assert_int_equal(ct_set_parameter(own, clone, "C", 0), CT_OK);
    assert_int_equal(ct_run(own, clone, &def, &result), CT_ERR_MODEL);
    assert_int_equal(ct_error_count(own), 1);
    assert_string_equal(ct_diag_at(own, 0)->code, "E522");
    assert_int_equal(ct_diag_at(own, 0)->line, 1);
    assert_int_equal(ct_error_count(m.ctx), 0);
    assert_int_equal(ct_run(m.ctx, m.simulator, &def, &result), CT_OK);
    assert_int_equal(ct_clone_simulator(m.simulator, own, &clone), CT_ERR_USAGE); /* not new */
    assert_null(clone);
    ct_context_free(own);
    ct_context_free(m.ctx);
}

/* A clone of a clone, after its first run. */
static void test_clone_of_clone(void **state)
{
    (void)state;
    made m = read_model("slider_crank");
    ct_simulator *first, *second;
    const ct_result *a, *b;
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = 0.1;
    derive(&m);
    ct_context *one = ct_context_new(NULL), *two = ct_context_new(NULL);
    assert_int_equal(ct_run(m.ctx, m.simulator, &def, &a), CT_OK);
    assert_int_equal(ct_clone_simulator(m.simulator, one, &first), CT_OK);
    assert_int_equal(ct_run(one, first, &def, &a), CT_OK);
    assert_int_equal(ct_clone_simulator(first, two, &second), CT_OK);
    assert_int_equal(ct_run(two, second, &def, &b), CT_OK);
    assert_memory_equal(a->outputs.value, b->outputs.value,
                        a->outputs.count * a->outputs.cols * sizeof(double));
    ct_context_free(two);
    ct_context_free(one);
    ct_context_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),     cmocka_unit_test(test_nothing_given),
        cmocka_unit_test(test_forms),         cmocka_unit_test(test_walk),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_failing_clone),
        cmocka_unit_test(test_clone_of_clone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_host.c - calls of cotree.h that ask for what is not there, and what they give when it is. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <cotree/cotree.h>

typedef struct host {
    ct_context *ctx;
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_simulator *simulator;
} host;

static host open_named(const char *name, const char *text)
{
    host h = {.ctx = ct_context_new(NULL)};
    assert_int_equal(ct_read_text(h.ctx, name, text, strlen(text), &h.syntax), CT_OK);
    assert_int_equal(ct_build(h.ctx, h.syntax, NULL, &h.model), CT_OK);
    assert_int_equal(ct_make_graph(h.ctx, h.model, &h.graph), CT_OK);
    assert_int_equal(ct_choose_tree(h.ctx, h.graph, NULL, &h.tree), CT_OK);
    assert_int_equal(ct_derive(h.ctx, h.tree, NULL, &h.equations), CT_OK);
    assert_int_equal(ct_make_simulator(h.ctx, h.tree, NULL, &h.simulator), CT_OK);
    return h;
}

static host open_host(const char *text)
{
    return open_named("host.lg", text);
}

static bool was_told(const host *h, const char *code)
{
    for (size_t i = 0; i < ct_diag_count(h->ctx); i++)
        if (strcmp(ct_diag_at(h->ctx, i)->code, code) == 0)
            return true;
    return false;
}

static const char filter[] = "param R1 = 2 ohm\nparam half = R1/2\n"
                             "V1 : vsource(a, ground)  v = 4 V\nRa : resistor(a, b)  R = R1\n"
                             "Rb : resistor(b, ground)  R = half\n"
                             "C1 : capacitor(b, ground)  C = 1 F\noutput b.v as y, Ra.i\n";

/* ---- words and numbers */

static void times_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds; /* NaN: it is none */
    } rows[] = {{"0.05", 0.05}, {"50 ms", 0.05}, {"50ms", 0.05}, {"2 min", 120}, {"-1 us", -1e-6},
                {"", NAN},      {"soon", NAN},   {"1 V", NAN},   {"1 rpm", NAN}, {"1 sec", NAN},
                {"1e999", NAN}, {"nan", NAN},    {"inf s", NAN}, {"3 m s", NAN}, {"1 s^2", NAN}};
    ct_context *ctx = ct_context_new(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds = 0;
        ct_status status = ct_read_time(ctx, rows[i].text, &seconds);
        if (status != (isnan(rows[i].seconds) ? CT_ERR_USAGE : CT_OK))
            fail_msg("`%s`: %s", rows[i].text, ct_status_text(status));
        if (status == CT_OK && fabs(seconds - rows[i].seconds) > 1e-15 * fabs(seconds))
            fail_msg("`%s` is %.17g", rows[i].text, seconds);
    }
    ct_context_free(ctx);
}

static void codes_have_titles(void **state)
{
    (void)state;
    assert_non_null(ct_code_title("E310"));
    assert_non_null(ct_explain_code("E310"));
    assert_null(ct_code_title("E000"));
    assert_null(ct_explain_code("nothing"));
    assert_null(ct_word_at(CT_WORD_TARGET, 1000));
    assert_null(ct_example_at(1000));
}

static void files_are_written(void **state)
{
    (void)state;
    char folder[] = "/tmp/cotree-host-XXXXXX", path[100], content[10] = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.txt", folder);
    assert_int_equal(ct_write_file(path, "first", 5), 0);
    assert_int_equal(ct_write_file(path, "second", 6), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(content, 1, sizeof content, file), 6);
    fclose(file);
    assert_string_equal(content, "second");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
    assert_int_equal(ct_write_file(path, "third", 5), ENOENT);
}

/* ---- a simulator */

static double output_at_rest(host *h)
{
    const ct_point *point = NULL;
    assert_int_equal(ct_find_equilibrium(h->ctx, h->simulator, 0, &point), CT_OK);
    return point->y[0];
}

/* Params whose defaults use another follow it, until they have a value of their own. */
static void parameters_follow(void **state)
{
    (void)state;
    host h = open_host(filter);
    assert_true(fabs(output_at_rest(&h) - 4.0 / 3) < 1e-9);
    assert_int_equal(ct_set_parameter(h.ctx, h.simulator, "R1", 6), CT_OK);
    assert_true(fabs(output_at_rest(&h) - 4.0 / 3) < 1e-9);
    assert_int_equal(ct_set_parameter(h.ctx, h.simulator, "half", 6), CT_OK);
    assert_true(fabs(output_at_rest(&h) - 2) < 1e-9);
    assert_int_equal(ct_set_parameter(h.ctx, h.simulator, "R1", 2), CT_OK);
    assert_true(fabs(output_at_rest(&h) - 3) < 1e-9);
    assert_int_equal(ct_set_parameter(h.ctx, h.simulator, "hlf", 1), CT_ERR_USAGE);
    assert_true(was_told(&h, "E251"));
    assert_non_null(strstr(ct_diag_at(h.ctx, 0)->help, "half"));
    ct_context_free(h.ctx);
}

/* Numbers alone do a large network; a small one is derived, and why is told. */
static void paths_are_told(void **state)
{
    static const char *const texts[] = {
        filter, "V1 : vsource(n0, ground)  v = 1 V\nrepeat i = 1..1000 {\n"
                "  R{i} : resistor(n{i-1}, n{i})  R = 1 ohm\n"
                "  C{i} : capacitor(n{i}, ground)  C = 1 F\n}\noutput n1.v as y\n"};
    (void)state;
    for (int large = 0; large < 2; large++) {
        host h = open_host(texts[large]);
        ct_simulation_def def = ct_default_simulation_def();
        const ct_result *result;
        def.stop = 1;
        def.points = 2;
        assert_int_equal(ct_run(h.ctx, h.simulator, &def, &result), CT_OK);
        assert_int_equal(strcmp(result->effort.path, "numeric") == 0, large);
        assert_int_equal(result->effort.why_not == NULL, large);
        ct_context_free(h.ctx);
    }
}

/* What numbers alone cannot do is derived when they are asked for, with the same result. */
static void reasons_are_told(void **state)
{
    static const struct {
        const char *more, *why;
    } rows[] = {
        {"", NULL},
        {"space = planar\nB : body  m = 1 kg, I = 1 kg.m^2\n", "the model has bodies and joints"},
        {"D : ideal_diode(a, d)\nRd : resistor(d, ground)  R = 1 ohm\n", "the model has modes"},
        {"discrete n = 0\nevery 0.3 s {\n  n = pre(n) + 1\n}\n", "the model has discretes"},
        {"when C1.v > 3 V { C1.v = 0 V }\n", "the model has events"},
        {"tree V1, C1\n", "the model wishes for branches"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s", filter, rows[i].more);
        host h = open_host(text);
        ct_simulation_def def = ct_default_simulation_def();
        const ct_result *result;
        ct_simulator *numeric;
        def.stop = 1;
        def.points = 2;
        def.tol = 1e-9;
        assert_int_equal(ct_make_simulator(h.ctx, h.tree, "numeric", &numeric), CT_OK);
        assert_int_equal(ct_run(h.ctx, numeric, &def, &result), CT_OK);
        const ct_rows *out = &result->outputs;
        double end = out->value[(out->count - 1) * out->cols + 1];
        assert_true(fabs(end - 4.0 / 3 * (1 - exp(-1.5))) < 1e-7);
        if (!rows[i].why)
            assert_null(result->effort.why_not);
        else if (!result->effort.why_not || strcmp(result->effort.why_not, rows[i].why) != 0)
            fail_msg("%s: %s", rows[i].why, result->effort.why_not);
        ct_context_free(h.ctx);
    }
}

typedef struct calls {
    uint32_t progress, steps;
    double last;
} calls;

static void note_progress(void *user, double t, double start, double stop)
{
    calls *c = user;
    c->progress++;
    assert_true(start <= t && t <= stop);
}

static void note_step(void *user, double t)
{
    calls *c = user;
    c->steps++;
    assert_true(t > c->last);
    c->last = t;
}

static const double *column_of(const ct_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->outputs.cols; i++)
        if (strcmp(r->outputs.name[i], name) == 0)
            return r->outputs.value + i;
    return NULL;
}

static const ct_result *result_by(host *h, const char *form, double stop, calls *c)
{
    ct_simulation_def def = ct_default_simulation_def();
    ct_simulator *simulator;
    const ct_result *result;
    *c = (calls){.last = -1};
    def.stop = stop;
    def.points = 7;
    def.tol = 1e-9;
    def.progress = note_progress;
    def.stepped = note_step;
    def.user = def.step_user = c;
    assert_int_equal(ct_make_simulator(h->ctx, h->tree, form, &simulator), CT_OK);
    assert_int_equal(ct_run(h->ctx, simulator, &def, &result), CT_OK);
    if (strcmp(result->effort.path, form ? form : "symbolic") != 0)
        fail_msg("%s: %s", result->effort.path, result->effort.why_not);
    return result;
}

/* The same columns by numbers alone and by derived equations: of outputs, of states where none are
 * asked for, of curves, and over no time at all. */
static void both_paths_agree(void **state)
{
    static const char network[] =
        "input u : V = 3*sin(2*t)\nparam k = 2\nV1 : vsource(a, ground)  v = u\n"
        "R1 : resistor(a, b)  R = 2 ohm\nL1 : inductor(b, c)  L = 0.5 H, i(0) = 0.2 A\n"
        "C1 : capacitor(c, ground)  C = 1 F, v(0) = 1 V\nR2 : resistor(c, ground)  R = 3 ohm\n";
    static const struct {
        const char *more;
        double stop;
    } rows[] = {{"output k*u - c.v as mixed, R1.i\n", 2},
                {"", 2},
                {"plot C1.v over R1.i\noutput L1.i\n", 2},
                {"plot C1.v, u\n", 2},
                {"output c.v, L1.v\n", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[700];
        calls own, other;
        snprintf(text, sizeof text, "%s%s", network, rows[i].more);
        host h = open_host(text);
        const ct_result *a = result_by(&h, "numeric", rows[i].stop, &own);
        const ct_result *b = result_by(&h, NULL, rows[i].stop, &other);
        assert_int_equal(a->outputs.cols, b->outputs.cols);
        assert_int_equal(a->outputs.count, b->outputs.count);
        assert_true(a->outputs.cols > 1);
        for (uint32_t k = 0; k < a->outputs.cols; k++) {
            const double *x = a->outputs.value + k, *y = column_of(b, a->outputs.name[k]);
            assert_non_null(y);
            for (uint64_t r = 0; r < a->outputs.count; r++)
                if (!(fabs(x[r * a->outputs.cols] - y[r * a->outputs.cols]) < 1e-6))
                    fail_msg("%s%s, row %u: %.12g, %.12g", rows[i].more, a->outputs.name[k],
                             (unsigned)r, x[r * a->outputs.cols], y[r * a->outputs.cols]);
        }
        if (rows[i].stop > 0) {
            assert_true(own.steps > 5 && other.steps > 5);
            assert_true(fabs(own.last - 2) < 1e-12 && fabs(other.last - 2) < 1e-12);
        }
        ct_context_free(h.ctx);
    }
}

static void what_is_not_there(void **state)
{
    (void)state;
    host h = open_host(filter);
    ct_simulator *other;
    const char *text;
    const ct_hessian *hessian;
    const ct_point *point;
    ct_state_value wrong = {"C9.v", 1, NULL};
    assert_int_equal(ct_make_simulator(h.ctx, h.tree, "modal", &other), CT_ERR_MODEL);
    assert_true(was_told(&h, "E525"));
    assert_int_equal(ct_clone_simulator(h.simulator, h.ctx, &other), CT_ERR_USAGE);
    assert_null(other);
    assert_int_equal(ct_show_drawing(h.ctx, h.simulator, NULL, CT_DRAWING_STILL, &text, NULL),
                     CT_ERR_USAGE);
    assert_int_equal(ct_show_code(h.ctx, h.simulator, "cobol", &text, NULL), CT_ERR_USAGE);
    assert_int_equal(ct_show_expr(h.ctx, h.equations, 0, &text), CT_ERR_USAGE);
    assert_int_equal(ct_find_hessian(h.ctx, h.simulator, "z", 0, NULL, 0, &hessian), CT_ERR_MODEL);
    assert_int_equal(ct_evaluate_at(h.ctx, h.simulator, 0, &wrong, 1, &point), CT_ERR_MODEL);
    assert_true(was_told(&h, "E531"));
    ct_equations_choice choice = {.format = "rtf"};
    assert_int_equal(ct_show_equations(h.ctx, h.equations, &choice, &text, NULL), CT_ERR_USAGE);
    assert_string_equal(text, "rtf");
    choice = (ct_equations_choice){.simplify = "much"};
    assert_int_equal(ct_show_equations(h.ctx, h.equations, &choice, &text, NULL), CT_ERR_USAGE);
    assert_string_equal(text, "much");
    const char *near;
    assert_int_equal(ct_manual(h.ctx, "capacitr", &text, &near), CT_ERR_USAGE);
    assert_string_equal(near, "capacitor");
    ct_context_free(h.ctx);
}

/* An expression of forty nodes whose text doubles with each of them. */
static void long_texts_are_refused(void **state)
{
    (void)state;
    char model[4000];
    size_t length = (size_t)snprintf(model, sizeof model, "signal x0 = C1.v/1 V\n");
    for (int i = 0; i < 40; i++)
        length += (size_t)snprintf(model + length, sizeof model - length,
                                   "signal x%d = sin(x%d) + cos(x%d)\n", i + 1, i, i);
    snprintf(
        model + length, sizeof model - length,
        "I1 : isource(ground, a)  i = x40*1 A\nC1 : capacitor(a, ground)  C = 1 F\noutput a.v\n");
    host h = open_host(model);
    const char *text;
    ct_expr rate = ct_rate_at(h.equations, 0);
    assert_int_equal(ct_show_expr(h.ctx, h.equations, rate, &text), CT_ERR_LIMIT);
    assert_null(text);
    assert_true(was_told(&h, "E902"));
    rate = ct_operand_at(h.equations, rate, 0, NULL);
    assert_true(rate && ct_expr_at(h.equations, rate).count > 0);
    ct_context_free(h.ctx);
}

static void everything_is_shown(void **state)
{
    (void)state;
    host h = open_host(filter);
    const char *text;
    size_t length;
    const ct_point *point;
    ct_sizes sizes;
    assert_int_equal(ct_measure(h.ctx, h.graph, NULL, &sizes), CT_OK);
    assert_true(sizes.components == 4 && sizes.edges == 4 && sizes.branches == 0);
    assert_int_equal(ct_measure(h.ctx, h.graph, h.tree, &sizes), CT_OK);
    assert_true(sizes.branches == 2 && sizes.chords == 2 && sizes.circuit_entries >= 3);
    for (size_t i = 0; ct_word_at(CT_WORD_GRAPH_FORMAT, i); i++) {
        const char *word = ct_word_at(CT_WORD_GRAPH_FORMAT, i)->word;
        assert_int_equal(ct_show_graph(h.ctx, h.graph, h.tree, word, &text, &length), CT_OK);
        assert_int_equal(strlen(text), length);
    }
    assert_int_equal(ct_show_expr(h.ctx, h.equations, ct_rate_at(h.equations, 0), &text), CT_OK);
    assert_non_null(strstr(text, "C1.v"));
    assert_int_equal(ct_evaluate_at(h.ctx, h.simulator, 0, NULL, 0, &point), CT_OK);
    assert_int_equal(ct_show_point(h.ctx, point, true, &text), CT_OK);
    assert_non_null(strstr(text, "\"C1.v\""));
    assert_int_equal(ct_dump_system(h.ctx, h.equations, &text), CT_OK);
    assert_int_equal(ct_dump_equations(h.ctx, h.equations, &text), CT_OK);
    assert_int_equal(ct_dump_graph(h.ctx, h.graph, NULL, &text), CT_OK);
    assert_int_equal(ct_dump_tape(h.ctx, h.simulator, &text), CT_OK);
    assert_string_equal(ct_syntax_text(h.syntax), filter);
    ct_context_free(h.ctx);
}

/* e.v is zero in the first one, so that the diode divides by zero; a source mends it. */
static void laws_that_divide_by_zero(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "D : diode(a, ground)  Vt = e.v\nR : resistor(a, ground)  R = 1\nRe : resistor(e, ground)  "
        "R = 1\n",
        "B : vsource(x, ground)  v = 1 V^2 / e.v\nRx : resistor(x, ground)  R = 1\n"
        "Re : resistor(e, ground)  R = 1\noutput x.v\n"};
    for (size_t i = 0; i < 4; i++) {
        char text[300];
        host h = {.ctx = ct_context_new(NULL)};
        snprintf(text, sizeof text, "%s%s", rows[i / 2],
                 i % 2 ? "V : vsource(e, ground)  v = 25 mV\n" : "");
        assert_int_equal(ct_read_text(h.ctx, "z.lg", text, strlen(text), &h.syntax), CT_OK);
        assert_int_equal(ct_build(h.ctx, h.syntax, NULL, &h.model), CT_OK);
        assert_int_equal(ct_make_graph(h.ctx, h.model, &h.graph), CT_OK);
        assert_int_equal(ct_choose_tree(h.ctx, h.graph, NULL, &h.tree), CT_OK);
        ct_status status = ct_make_simulator(h.ctx, h.tree, NULL, &h.simulator);
        assert_int_equal(status, i % 2 ? CT_OK : CT_ERR_MODEL);
        assert_int_equal(was_told(&h, "E223"), i % 2 == 0);
        ct_context_free(h.ctx);
    }
}

/* ---- state spaces, and analyses of a host's own */

static void state_spaces_of_words(void **state)
{
    (void)state;
    host h = open_host(filter);
    const char *text;
    ct_statespace *ss;
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.simplify = "much";
    assert_int_equal(ct_make_statespace(h.ctx, h.equations, &choice, &ss), CT_ERR_USAGE);
    choice.simplify = NULL;
    assert_int_equal(ct_make_statespace(h.ctx, h.equations, &choice, &ss), CT_OK);
    ct_statespace_show show = {.format = "rtf"};
    assert_int_equal(ct_show_statespace(h.ctx, ss, &show, &text, NULL), CT_ERR_USAGE);
    assert_int_equal(ct_show_response(h.ctx, ss, CT_BODE, &text, NULL), CT_ERR_USAGE);
    choice.at = 0.5; /* after a run */
    choice.numeric = true;
    assert_int_equal(ct_make_statespace(h.ctx, h.equations, &choice, &ss), CT_OK);
    for (int r = CT_BODE; r <= CT_IMPULSE_RESPONSE; r++) {
        assert_int_equal(ct_show_response(h.ctx, ss, (ct_response)r, &text, NULL), CT_OK);
        assert_non_null(strstr(text, "<svg"));
    }
    ct_context_free(h.ctx);
}

static void sweeps_of_a_host(void **state)
{
    (void)state;
    host h = open_host(filter);
    const ct_result *result;
    static const double ohms[] = {1, 2, 3}, halves[] = {4, 2};
    ct_analysis a = {
        .kind = CT_DC, .swept_count = 2, .swept = {{"R1", ohms, 3}, {"half", halves, 2}}};
    assert_int_equal(ct_run_sweep(h.ctx, h.simulator, NULL, &a, &result), CT_OK);
    assert_int_equal(result->outputs.count, 6);
    for (uint64_t i = 0; i < 6; i++) {
        const double *row = result->outputs.value + i * result->outputs.cols;
        assert_true(row[0] == 1 + (double)(i % 3) && row[1] == (i < 3 ? 4 : 2));
        assert_true(fabs(row[2] - 4 * row[1] / (row[0] + row[1])) < 1e-9);
    }
    a.swept[1].count = UINT32_MAX; /* refused before a value is read */
    assert_int_equal(ct_run_sweep(h.ctx, h.simulator, NULL, &a, &result), CT_ERR_LIMIT);
    a.swept[0].count = UINT32_MAX;
    assert_int_equal(ct_run_sweep(h.ctx, h.simulator, NULL, &a, &result), CT_ERR_LIMIT);
    a.swept_count = 1, a.swept[0] = (ct_sweep){"R7", ohms, 3};
    assert_int_not_equal(ct_run_sweep(h.ctx, h.simulator, NULL, &a, &result), CT_OK);
    ct_context_free(h.ctx);
}

static void responses_of_netlists(void **state)
{
    (void)state;
    static const char driven[] = "t\nV1 a 0 AC 2\nR1 a b 1\nC1 b 0 1\n.ac lin 3 0.1 0.3\n.end\n";
    static const char idle[] = "t\nV1 a 0 1\nR1 a b 1\nC1 b 0 1\n.ac lin 3 0.1 0.3\n.end\n";
    ct_statespace_choice choice = ct_default_statespace_choice();
    for (int k = 0; k < 2; k++) {
        host h = open_named("t.cir", k ? idle : driven);
        ct_statespace *symbols, *numbers;
        const ct_result *result;
        choice.numeric = false;
        assert_int_equal(ct_make_statespace(h.ctx, h.equations, &choice, &symbols), CT_OK);
        assert_int_equal(ct_run_response(h.ctx, symbols, h.syntax, NULL, &result), CT_ERR_USAGE);
        choice.numeric = true;
        assert_int_equal(ct_make_statespace(h.ctx, h.equations, &choice, &numbers), CT_OK);
        assert_int_equal(ct_run_response(h.ctx, numbers, h.syntax, NULL, &result),
                         k ? CT_ERR_MODEL : CT_OK);
        assert_int_equal(was_told(&h, "E525"), k);
        if (k == 0) {
            double w = 2 * acos(-1) * 0.2, want = 2 / sqrt(1 + w * w);
            assert_int_equal(result->outputs.count, 3);
            assert_true(fabs(result->outputs.value[result->outputs.cols + 5] - want) < 1e-9);
        }
        ct_context_free(h.ctx);
    }
}

/* ---- limits */

static void memory_is_limited(void **state)
{
    (void)state;
    ct_context_def def = ct_default_context_def();
    def.max_bytes = 3000000;
    ct_context *ctx = ct_context_new(&def);
    static const char text[] =
        "repeat i = 1..50000 { R{i} : resistor(n{i}, n{i+1})  R = i }\n"
        "V1 : vsource(n1, ground)  v = 1\nR : resistor(n50001, ground)  R = 1\n";
    const ct_syntax *syntax;
    const ct_model *model;
    assert_int_equal(ct_read_text(ctx, "large.lg", text, strlen(text), &syntax), CT_OK);
    assert_int_not_equal(ct_build(ctx, syntax, NULL, &model), CT_OK);
    assert_int_equal(ct_error_count(ctx), 1);
    assert_string_equal(ct_diag_at(ctx, 0)->code, "E902");
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),         cmocka_unit_test(codes_have_titles),
        cmocka_unit_test(files_are_written),      cmocka_unit_test(parameters_follow),
        cmocka_unit_test(paths_are_told),         cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(reasons_are_told),       cmocka_unit_test(both_paths_agree),
        cmocka_unit_test(long_texts_are_refused), cmocka_unit_test(everything_is_shown),
        cmocka_unit_test(state_spaces_of_words),  cmocka_unit_test(sweeps_of_a_host),
        cmocka_unit_test(responses_of_netlists),  cmocka_unit_test(laws_that_divide_by_zero),
        cmocka_unit_test(memory_is_limited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_api.c - the public calls: NULL for a choice means the usual, NULL for a length that it is
 * not wanted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

typedef struct stages {
    ct_context *ctx;
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_simulator *simulator;
} stages;

static stages open_stages(const char *name, const char *text)
{
    stages s = {.ctx = ct_context_new(NULL)};
    assert_int_equal(ct_read_text(s.ctx, name, text, strlen(text), &s.syntax), CT_OK);
    if (ct_is_a_netlist(s.syntax))
        assert_int_equal(ct_read_analysis(s.ctx, s.syntax, SIZE_MAX, &s.syntax), CT_OK);
    assert_int_equal(ct_build(s.ctx, s.syntax, NULL, &s.model), CT_OK);
    assert_int_equal(ct_make_graph(s.ctx, s.model, &s.graph), CT_OK);
    assert_int_equal(ct_choose_tree(s.ctx, s.graph, NULL, &s.tree), CT_OK);
    assert_int_equal(ct_derive(s.ctx, s.tree, NULL, &s.equations), CT_OK);
    assert_int_equal(ct_make_drawn_simulator(s.ctx, s.tree, NULL, &s.simulator), CT_OK);
    return s;
}

static const char network[] = "input u : V = 1 V\nV1 : vsource(a, ground)  v = u\n"
                              "R1 : resistor(a, b)  R = 1 ohm\nC1 : capacitor(b, ground)  C = 1 F\n"
                              "output C1.v\nsimulate stop = 1\n";

/* Both calls give the same text. */
#define EXPECT_SAME(call_with, call_without)                                                       \
    do {                                                                                           \
        const char *text, *with;                                                                   \
        size_t size = SIZE_MAX, *length = &size;                                                   \
        assert_int_equal(call_with, CT_OK);                                                        \
        with = text;                                                                               \
        assert_int_equal(size, strlen(with));                                                      \
        length = NULL;                                                                             \
        assert_int_equal(call_without, CT_OK);                                                     \
        assert_string_equal(text, with);                                                           \
    } while (0)

static void test_models(void **state)
{
    (void)state;
    stages s = open_stages(NULL, network);
    ct_equations_choice usual = {0};
    EXPECT_SAME(ct_show_graph(s.ctx, s.graph, s.tree, "text", &text, length),
                ct_show_graph(s.ctx, s.graph, s.tree, "text", &text, length));
    EXPECT_SAME(ct_show_equations(s.ctx, s.equations, &usual, &text, length),
                ct_show_equations(s.ctx, s.equations, NULL, &text, length));
    EXPECT_SAME(ct_show_code(s.ctx, s.simulator, "c", &text, length),
                ct_show_code(s.ctx, s.simulator, NULL, &text, length));
    const char *text = "";
    usual.form = "sideways";
    assert_int_equal(ct_show_equations(s.ctx, s.equations, &usual, &text, NULL), CT_ERR_USAGE);
    assert_string_equal(text, "sideways");
    assert_int_equal(ct_show_code(s.ctx, s.simulator, "cobol", &text, NULL), CT_ERR_USAGE);
    assert_int_equal(ct_show_drawing(s.ctx, s.simulator, NULL, CT_DRAWING_STILL, &text, NULL),
                     CT_ERR_USAGE);
    assert_null(text);
    assert_int_equal(ct_manual(s.ctx, "resistor", &text, NULL), CT_OK);
    assert_int_equal(ct_manual(s.ctx, "resistr", &text, NULL), CT_ERR_USAGE);
    assert_int_equal(ct_translate_lg2ss(s.ctx, "[1 2 1 4; 2 2 1 3]", "[1 2 1]", &text, NULL),
                     CT_OK);
    ct_context_free(s.ctx);
}

static void test_statespace(void **state)
{
    (void)state;
    stages s = open_stages("model.lg", network);
    ct_statespace *exact, *numbers;
    ct_statespace_choice choice = ct_default_statespace_choice();
    ct_statespace_show usual = {0};
    choice.numeric = true;
    assert_int_equal(ct_make_statespace(s.ctx, s.equations, NULL, &exact), CT_OK);
    assert_int_equal(ct_make_statespace(s.ctx, s.equations, &choice, &numbers), CT_OK);
    EXPECT_SAME(ct_show_statespace(s.ctx, exact, &usual, &text, length),
                ct_show_statespace(s.ctx, exact, NULL, &text, length));
    EXPECT_SAME(ct_show_response(s.ctx, numbers, CT_BODE, &text, length),
                ct_show_response(s.ctx, numbers, CT_BODE, &text, length));
    const char *text;
    assert_int_equal(ct_show_response(s.ctx, exact, CT_BODE, &text, NULL), CT_ERR_USAGE);
    const ct_result *result;
    assert_int_equal(ct_run_response(s.ctx, numbers, s.syntax, NULL, &result), CT_ERR_USAGE);
    ct_context_free(s.ctx);
}

static void test_runs(void **state)
{
    (void)state;
    stages s = open_stages("model.lg", network);
    const ct_result *result;
    const ct_point *point;
    assert_int_equal(ct_run(s.ctx, s.simulator, NULL, &result), CT_OK);
    EXPECT_SAME(ct_show_result(s.ctx, result, "csv", 80, false, &text, length),
                ct_show_result(s.ctx, result, "csv", 80, false, &text, length));
    assert_int_equal(ct_evaluate_at(s.ctx, s.simulator, 0, NULL, 0, &point), CT_OK);
    assert_int_equal(ct_run_sweep(s.ctx, s.simulator, NULL, NULL, &result), CT_OK);
    ct_context_free(s.ctx);
}

static void test_drawing(void **state)
{
    (void)state;
    stages s = open_stages("model.lg", "space = planar\narm : body  m = 1 kg, I = 1 kg.m^2 "
                                       "{ A = [-1, 0] m }\nJ1 : revolute(ground, arm.A)\n");
    EXPECT_SAME(ct_show_drawing(s.ctx, s.simulator, NULL, CT_DRAWING_STILL, &text, length),
                ct_show_drawing(s.ctx, s.simulator, NULL, CT_DRAWING_STILL, &text, length));
    ct_context_free(s.ctx);
}

static void test_response(void **state)
{
    (void)state;
    static const char low_pass[] = "low pass\nV1 a 0 AC 1\nR1 a b 1k\nC1 b 0 1u\n.ac dec 2 10 1k\n"
                                   ".print ac v(b)\n.end\n";
    ct_context *ctx = ct_context_new(NULL);
    const ct_syntax *netlist, *syntax;
    assert_int_equal(ct_read_text(ctx, "low.cir", low_pass, strlen(low_pass), &netlist), CT_OK);
    assert_int_equal(ct_read_analysis(ctx, netlist, 0, &syntax), CT_OK);
    stages s = {.ctx = ctx};
    ct_statespace *ss;
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.numeric = choice.equilibrium = true;
    const ct_result *result;
    assert_int_equal(ct_build(ctx, syntax, NULL, &s.model), CT_OK);
    assert_int_equal(ct_make_graph(ctx, s.model, &s.graph), CT_OK);
    assert_int_equal(ct_choose_tree(ctx, s.graph, NULL, &s.tree), CT_OK);
    assert_int_equal(ct_derive(ctx, s.tree, NULL, &s.equations), CT_OK);
    assert_int_equal(ct_make_statespace(ctx, s.equations, &choice, &ss), CT_OK);
    assert_int_equal(ct_run_response(ctx, ss, netlist, NULL, &result), CT_OK);
    assert_int_equal(result->outputs.count, 5);
    double re = result->outputs.value[4 * result->outputs.cols + 1], w = 2 * 3.14159265358979 * 1e3;
    assert_true(fabs(re - 1 / sqrt(1 + w * w * 1e-6)) < 1e-9);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),   cmocka_unit_test(test_statespace),
        cmocka_unit_test(test_runs),     cmocka_unit_test(test_drawing),
        cmocka_unit_test(test_response),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

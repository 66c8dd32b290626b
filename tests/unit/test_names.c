/* test_names.c - which value a name stands for, what an output is called, and what has none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

static const char *const forms[] = {"nodal", "branch-chord", "tableau"};

/* Runs the text for a second and looks at its last row. */
static const ct_result *run_text(ct_context *ctx, const char *text, const ct_build_def *def,
                                 const char *form)
{
    const ct_syntax *syntax;
    const ct_model *model = NULL;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_simulator *simulator;
    const ct_result *result = NULL;
    ct_simulation_def run = ct_default_simulation_def();
    run.stop = 1;
    run.tol = 1e-10;
    run.points = 1;
    bool good = ct_read_text(ctx, NULL, text, strlen(text), &syntax) == CT_OK &&
                ct_build(ctx, syntax, def, &model) == CT_OK &&
                ct_make_graph(ctx, model, &graph) == CT_OK &&
                ct_choose_tree(ctx, graph, NULL, &tree) == CT_OK &&
                ct_make_simulator(ctx, tree, form, &simulator) == CT_OK &&
                ct_run(ctx, simulator, &run, &result) == CT_OK;
    const char *why = "";
    if (!good)
        ct_diag_render(ctx, CT_DIAG_TEXT, &why);
    if (!good)
        fail_msg("%s\n%s", text, why);
    return result;
}

static double column(const ct_result *result, const char *name)
{
    const ct_rows *rows = &result->outputs;
    double found = NAN;
    int times = 0;
    for (uint32_t i = 0; i < rows->cols; i++)
        if (strcmp(rows->name[i], name) == 0) {
            found = rows->value[(rows->count - 1) * rows->cols + i];
            times++;
        }
    if (times != 1)
        fail_msg("%d columns are called %s", times, name);
    return found;
}

/* ---- values */

static const struct value_case {
    const char *text, *name;
    double value; /* after a second */
} value_cases[] = {
    /* a key with the name of a parameter, in whose default it is read */
    {"param Kv = 0.1 V.s/rad\n"
     "V1 : vsource(a, ground)  v = 10 V\n"
     "M1 : dc_motor(a, ground | ground, s)  Kv = 2*Kv, R = 1 ohm, L = 0\n"
     "B1 : speed_source(ground, s)  w = 0\n"
     "output M1.m.T as T\n",
     "T", -2},
    {"param Kv = 0.1 V.s/rad\n"
     "V1 : vsource(a, ground)  v = 10 V\n"
     "M1 : dc_motor(a, ground | ground, s)  Kv = 2*Kv, R = 1 ohm, L = 0\n"
     "B1 : speed_source(ground, s)  w = 0\n"
     "output M1.KT\n",
     "M1.KT", 0.2},
    /* a chain of defaults, written backwards */
    {"element e1\n port p, n : electrical\n edge e(p, n)\n param c : ohm = 2*b\n"
     " param b : ohm = a + 1 ohm\n param a : ohm\n e.v = c*e.i\nend\n"
     "param a = 1 ohm, b = 100 ohm, c = 3 ohm\n"
     "V1 : vsource(x, ground)  v = 24 V\nX : e1(x, ground)  a = c + a*2\noutput X.i\n",
     "X.i", 2},
    /* a default that reads a variable of its element */
    {"element e1\n port p, n : electrical\n edge e(p, n)\n param R : ohm = 1 ohm + e.i*1 ohm/A\n"
     " e.v = R*e.i\nend\n"
     "V1 : vsource(x, ground)  v = 6 V\nX : e1(x, ground)\noutput X.i\n",
     "X.i", 2},
    {"element hard\n port a, b : translational\n edge e(a, b)\n"
     " param k : N/m = 1 N/m + 1 N/m^3*e.x^2\n e.F = k*e.x\nend\n"
     "P1 : position_source(ground, x)  x = 2 m\nX : hard(ground, x)\noutput X.F\n",
     "X.F", 10},
    /* vectors of unknowns: read, started, part by part */
    {"element two\n port p, n : electrical\n edge e(p, n)\n var u : V[2]\n u[1] = 2*e.v\n"
     " u[2] = u[1] + 1 V\n e.i = u[2]/(1 ohm)\nend\n"
     "V1 : vsource(a, ground)  v = 1 V\nL1 : two(a, ground)\noutput L1.u\n",
     "L1.u[2]", 3},
    {"element turn\n port p, n : electrical\n edge e(p, n)\n var u : V[2]\n"
     " der(u) = [0, 1; -1, 0]*u/(1 s)\n e.i = u[2]/(1 ohm)\nend\n"
     "V1 : vsource(a, ground)  v = 1 V\nL1 : turn(a, ground)  u(0) = [1, 2] V\noutput L1.u[1] as "
     "y\n",
     "y", 2.2232442276},
    {"element turn\n port p, n : electrical\n edge e(p, n)\n var u : V[2]\n"
     " der(u) = [0, 1; -1, 0]*u/(1 s)\n e.i = u[2]/(1 ohm)\nend\n"
     "V1 : vsource(a, ground)  v = 1 V\nL1 : turn(a, ground)  u[1](0) = 1 V\n"
     "initial L1.u[2] = 2 V\noutput L1.u[1] as y\n",
     "y", 2.2232442276},
    {"element grid\n port p, n : electrical\n edge e(p, n)\n var Z : V[2,2]\n signal W = 2*Z\n"
     " Z = [e.v, 2*e.v; 3*e.v, 4*e.v]\n e.i = Z[2,1]/(1 ohm)\nend\n"
     "V1 : vsource(a, ground)  v = 1 V\nL1 : grid(a, ground)\nguess L1.Z = [1, 1; 1, 1] V\n"
     "output L1.W[1,2] as y\n",
     "y", 4},
    /* temperatures below zero, and powers with time in the exponent */
    {"T1 : temperature_source(a, ground)  T = -10 degC\nR1 : thermal_resistor(a, ground)  R = 1 "
     "K/W\n"
     "output a.T\n",
     "a.T", 263.15},
    {"param T0 = [-10, 20] degC, T1 = - 5 degC, T2 = 2*-10 degC\n"
     "V1 : vsource(a, ground)  v = (T0[1] + T1 + T2)*1 V/K\nR1 : resistor(a, ground)  R = 1 ohm\n"
     "output R1.v\n",
     "R1.v", 263.15 + 268.15 + 526.3},
    {"V1 : vsource(a, ground)  v = 5 V*2^(-t)\nR1 : resistor(a, ground)  R = 1 ohm\noutput R1.i\n",
     "R1.i", 2.5},
    /* a spring that is given by the rate of its force, with and without positions elsewhere */
    {"element d1\n port a, b : translational\n edge e(a, b)\n der(e.F) = 4 N/m*e.v\nend\n"
     "X : d1(ground, x)\nD1 : damper(ground, x)  d = 1 N.s/m\nV1 : velocity_source(ground, x)  v = "
     "1 m/s\n"
     "output X.e.F\n",
     "X.e.F", 4},
    {"element d1\n port a, b : translational\n edge e(a, b)\n der(e.F) = 4 N/m*e.v\nend\n"
     "M1 : mass(x)  m = 1 kg\nX : d1(ground, x)  F(0) = 1 N\n"
     "M2 : mass(y)  m = 1 kg\nK2 : spring(ground, y)  k = 1 N/m\nF2 : force(ground, y)  F = 1 N\n"
     "output X.e.F, K2.x\n",
     "X.e.F", -0.4161468365},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof value_cases / sizeof *value_cases; i++)
        for (size_t f = 0; f < 3; f++) {
            ct_context *ctx = ct_context_new(NULL);
            const struct value_case *c = &value_cases[i];
            double got = column(run_text(ctx, c->text, NULL, forms[f]), c->name);
            if (!(fabs(got - c->value) < 1e-7 * (1 + fabs(c->value))))
                fail_msg("%s = %.12g, not %.12g, %s:\n%s", c->name, got, c->value, forms[f],
                         c->text);
            ct_context_free(ctx);
        }
}

/* ---- outputs of subsystems */

static void test_outputs_of_systems(void **state)
{
    (void)state;
    static const char text[] = "system s(p : electrical)\n"
                               "  param R0 = 1 ohm\n"
                               "  R : resistor(p, ground)  R = R0\n"
                               "  output R.i, 2*R.i, R.v as \"level {1+1}\"\n"
                               "end\n"
                               "system two(p : electrical)\n  A : s(p)  R0 = 6 ohm\nend\n"
                               "V1 : vsource(a, ground)  v = 6 V\n"
                               "A  : s(a)\nB  : two(a)\n"
                               "R  : resistor(a, ground)  R = 3 ohm\n"
                               "output R.i, B.A.R.i\n";
    ct_context *ctx = ct_context_new(NULL);
    const ct_result *r = run_text(ctx, text, NULL, NULL);
    assert_int_equal(r->outputs.cols, 1 + 7);
    assert_float_equal(column(r, "R.i"), 2, 1e-9);
    assert_float_equal(column(r, "A.R.i"), 6, 1e-9);
    assert_float_equal(column(r, "A.(2*R.i)"), 12, 1e-9);
    assert_float_equal(column(r, "A.level 2"), 6, 1e-9);
    assert_float_equal(column(r, "B.A.R.i"), 1, 1e-9);
    assert_float_equal(column(r, "B.A.(2*R.i)"), 2, 1e-9);
    ct_context_free(ctx);
}

/* ---- --set: the last one counts */

static void test_last_override(void **state)
{
    (void)state;
    static const ct_override sets[] = {{"R0", "5 ohm"}, {"N", "1"}, {"R0", "6 ohm"}, {"N", "2"}};
    ct_build_def def = {.override = sets, .override_count = 4};
    ct_context *ctx = ct_context_new(NULL);
    const ct_result *r =
        run_text(ctx,
                 "const N = 7\nparam R0 = 1 ohm\nV1 : vsource(a, ground)  v = 12 V\n"
                 "R1 : resistor(a, ground)  R = R0/N\noutput R1.i\n",
                 &def, NULL);
    assert_float_equal(column(r, "R1.i"), 4, 1e-9);
    ct_context_free(ctx);
}

/* ---- what is no number */

static const struct finite_case {
    const char *output;
    int warnings;
} finite_cases[] = {
    {"sqrt(t - 1/2) as y", 1},
    {"sqrt(max(t - 1/2, 0)) as y", 0},
    {"mod(t, z) as y", 1},
    {"mod(t, z + 1 s) as y", 0},
    {"1/(t/(1 s)) as y", 1},
    {"log(-R1.i/(1 A)) as y", 1},
    {"sqrt(t - 1/2) as y, -t as x, sqrt(-t - 1) as z", 2},
};

static int count_code(const ct_context *ctx, const char *code)
{
    int count = 0;
    for (size_t i = 0; i < ct_diag_count(ctx); i++)
        count += strcmp(ct_diag_at(ctx, i)->code, code) == 0;
    return count;
}

static void test_not_finite(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof finite_cases / sizeof *finite_cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "param z = 0 s\nV1 : vsource(a, ground)  v = 1 V\n"
                 "R1 : resistor(a, ground)  R = 1 ohm\noutput %s\n",
                 finite_cases[i].output);
        ct_context *ctx = ct_context_new(NULL);
        run_text(ctx, text, NULL, NULL);
        if (count_code(ctx, "W538") != finite_cases[i].warnings)
            fail_msg("%d warnings: %s", count_code(ctx, "W538"), finite_cases[i].output);
        ct_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_outputs_of_systems),
        cmocka_unit_test(test_last_override),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

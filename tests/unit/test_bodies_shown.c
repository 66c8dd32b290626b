/* test_bodies_shown.c - what is shown of bodies, against the slider-crank as McPhee worked it out
 * by hand [McPhee-2, eqs. 125, 133-139]; and the multipliers of three choices of trees against each
 * other.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

typedef struct made {
    ct_context *ctx;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_simulator *simulator;
} made;

static made make(const char *path, const char *coordinates)
{
    made m = {.ctx = ct_context_new(NULL)};
    const ct_syntax *syntax;
    ct_build_def build = ct_default_build_def();
    ct_tree_choice choice = ct_default_tree_choice();
    choice.coordinates = coordinates;
    assert_int_equal(ct_read_file(m.ctx, path, &syntax), CT_OK);
    assert_int_equal(ct_build(m.ctx, syntax, &build, &m.model), CT_OK);
    assert_int_equal(ct_make_graph(m.ctx, m.model, &m.graph), CT_OK);
    assert_int_equal(ct_choose_tree(m.ctx, m.graph, &choice, &m.tree), CT_OK);
    assert_int_equal(ct_make_drawn_simulator(m.ctx, m.tree, NULL, &m.simulator), CT_OK);
    return m;
}

static const char *const slider = COTREE_ROOT "/tests/drafts/slider_crank.lg";

static double output(const ct_point *p, const char *name)
{
    for (uint32_t i = 0; i < p->output_count; i++)
        if (strcmp(p->output[i], name) == 0)
            return p->y[i];
    fail_msg("no output %s", name);
    return NAN;
}

static double multiplier(const ct_point *p, const char *name)
{
    for (uint32_t i = 0; i < p->constraint_count; i++)
        if (strcmp(p->multiplier[i], name) == 0)
            return p->lambda[i];
    fail_msg("no multiplier %s", name);
    return NAN;
}

static const ct_point *point_at(made *m, const char *angle, double beta, const char *speed,
                                double w)
{
    const ct_point *p = NULL;
    const ct_state_value given[] = {{angle, beta, NULL}, {speed, w, NULL}};
    assert_int_equal(ct_evaluate_at(m->ctx, m->simulator, 0, given, 2, &p), CT_OK);
    return p;
}

static void near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-11 * fmax(1, fmax(fabs(a), fabs(b))));
}

/* Eqs. 134-139 and the accelerations that follow from them; our Phi has the other sign. */
static void by_hand(void **state)
{
    (void)state;
    const double m1 = 1.5, m2 = 0.9, m3 = 2, I1 = 0.02, I2 = 0.03, l5 = 0.1, l6 = 0.15, l7 = 0.3,
                 l8 = 0.35, F13 = -5;
    made m = make(slider, NULL);
    for (int k = 0; k < 5; k++) {
        const ct_point *p = point_at(&m, "crank.theta", 0.3 + 0.25 * k, "crank.w", 2.0 - k);
        double c1 = cos(p->x[0]), s1 = sin(p->x[0]), c2 = cos(p->x[2]), s2 = sin(p->x[2]);
        double w1 = p->x[1], w2 = p->x[3], h = m2 * l7 + m3 * (l7 + l8), l = l5 + l6;
        assert_int_equal(p->body_count, 2);
        assert_int_equal(p->constraint_count, 1);
        near(p->mass[0], I1 + m1 * l5 * l5 + (m2 + m3) * l * l);
        near(p->mass[1], h * l * (c1 * s2 - s1 * c2));
        near(p->mass[2], p->mass[1]);
        near(p->mass[3], I2 + m2 * l7 * l7 + m3 * (l7 + l8) * (l7 + l8));
        near(p->force[0], -F13 * l * s1 - w2 * w2 * h * l * (c1 * c2 + s1 * s2));
        near(p->force[1], F13 * (l7 + l8) * c2 + w1 * w1 * h * l * (c1 * c2 + s1 * s2));
        near(p->position[0], l * s1 - (l7 + l8) * c2);
        near(p->position[0], 0);
        double f = p->lambda[0];
        near(f, output(p, "F12"));
        near(p->mass[0] * p->rate[1] + p->mass[1] * p->rate[3], p->force[0] + l * c1 * f);
        near(p->mass[2] * p->rate[1] + p->mass[3] * p->rate[3], p->force[1] + (l7 + l8) * s2 * f);
    }
    ct_context_free(m.ctx);
}

/* The same reaction whatever the trees; a joint's angle can be given though it is no state. */
static void any_trees(void **state)
{
    (void)state;
    static const char *const coordinates[] = {NULL, "joint", "absolute"};
    static const uint32_t counts[][2] = {{2, 1}, {3, 2}, {9, 8}};
    double first = NAN;
    for (int k = 0; k < 3; k++) {
        made m = make(slider, coordinates[k]);
        const ct_point *p = point_at(&m, "h9.beta", 0.9, "h9.w", 3);
        assert_int_equal(p->body_count, counts[k][0]);
        assert_int_equal(p->constraint_count, counts[k][1]);
        double f = multiplier(p, "s12.Fn");
        near(f, output(p, "F12"));
        near(output(p, "theta1"), 0.9);
        first = k ? first : f;
        near(f, first);
        ct_context_free(m.ctx);
    }
}

static void values_that_do_not_fit(void **state)
{
    (void)state;
    made m = make(slider, NULL);
    const ct_point *p = NULL;
    const ct_state_value given[] = {{"h9.beta", 0.9, NULL}, {"link.theta", 0.1, NULL}};
    assert_int_equal(ct_evaluate_at(m.ctx, m.simulator, 0, given, 2, &p), CT_ERR_CONVERGENCE);
    assert_null(p);
    ct_context_free(m.ctx);
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        count++;
    return count;
}

/* One part for each thing that is drawn; the moving picture has a track for each that moves. */
static void pictures(void **state)
{
    (void)state;
    made m = make(slider, NULL);
    const char *text;
    size_t length;
    const ct_result *result;
    ct_simulation_def def = ct_default_simulation_def();
    def.stop = 0.1;
    def.points = 20;
    assert_int_equal(ct_show_drawing(m.ctx, m.simulator, NULL, CT_DRAWING_STILL, &text, &length),
                     CT_OK);
    assert_int_equal(count_of(text, "class=\"link\""), 2);
    assert_int_equal(count_of(text, "class=\"joint\""), 3);
    assert_int_equal(count_of(text, "class=\"block\""), 1);
    assert_int_equal(count_of(text, "class=\"guide\""), 1);
    assert_int_equal(count_of(text, "class=\"force\""), 1);
    assert_int_equal(count_of(text, "animate"), 0);
    assert_int_equal(ct_run(m.ctx, m.simulator, &def, &result), CT_OK);
    assert_int_equal(ct_show_drawing(m.ctx, m.simulator, result, CT_DRAWING_SVG, &text, &length),
                     CT_OK);
    assert_true(count_of(text, "<animateTransform") >= 8);
    const char *values = strstr(text, "values=\"");
    assert_non_null(values);
    size_t moments = 1;
    for (const char *at = values + 8; *at != '"'; at++)
        moments += *at == ';';
    assert_int_equal(moments, 21);
    assert_int_equal(ct_show_drawing(m.ctx, m.simulator, result, CT_DRAWING_HTML, &text, &length),
                     CT_OK);
    assert_non_null(strstr(text, "type=\"range\""));
    assert_null(strstr(text, "src="));
    ct_context_free(m.ctx);
}

/* A beam that bends is drawn in pieces; its sections are no bodies of their own. */
static void bent(void **state)
{
    (void)state;
    made m = make(COTREE_ROOT "/models/flexible_pendulum/model.lg", NULL);
    const char *text;
    size_t length;
    assert_int_equal(ct_show_drawing(m.ctx, m.simulator, NULL, CT_DRAWING_STILL, &text, &length),
                     CT_OK);
    assert_int_equal(count_of(text, "class=\"link\""), 12 + 1);
    assert_int_equal(count_of(text, "class=\"joint\""), 2);
    assert_int_equal(count_of(text, "class=\"name\""), 2);
    ct_context_free(m.ctx);
}

static int occurrences_in_space(double factor, const char *wanted)
{
    made m = make(COTREE_ROOT "/tests/fe/bent_space.lg", NULL);
    const char *text;
    size_t length;
    assert_int_equal(ct_magnify_deformations(m.simulator, factor), CT_OK);
    assert_int_equal(ct_show_drawing(m.ctx, m.simulator, NULL, CT_DRAWING_HTML, &text, &length),
                     CT_OK);
    int count = (int)count_of(text, wanted);
    ct_context_free(m.ctx);
    return count;
}

/* Pieces are poses behind those of the bodies: the section at the tip and what is welded to it. */
static void bent_in_space(void **state)
{
    (void)state;
    assert_int_equal(occurrences_in_space(1, "name:\"\""), 12);
    assert_int_equal(occurrences_in_space(1, ",2,0.02,0,"), 2);
    assert_int_equal(occurrences_in_space(10, ",2,0.2,0,"), 2);
    assert_int_equal(ct_magnify_deformations(NULL, 0), CT_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(any_trees),
                                       cmocka_unit_test(values_that_do_not_fit),
                                       cmocka_unit_test(pictures),
                                       cmocka_unit_test(bent),
                                       cmocka_unit_test(bent_in_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

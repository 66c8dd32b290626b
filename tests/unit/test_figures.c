/* test_figures.c - which curves share a figure, and how their axes are named: tables of .ac, units,
 * torques, long times (src/export/table_figures.c, table_phasors.c, plot_trace.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "equations/equations.h"
#include "export/plot.h"
#include "export/result.h"
#include "export/table.h"
#include "unit/test_context.h"

/* ---- .ac ----------------------------------------------------------------------------------- */

static void test_phasors(void **state)
{
    const char *name[] = {"frequency", "mag(v(x))", "phase(v(x))",
                          "re(v(x))",  "im(v(x))",  "vdb(y)"};
    const char *unit[] = {"Hz", "1", "deg", "1", "1", "1"};
    const double value[] = {1,   1,    170,  0, 0, -1, /**/ 10,   0.1,  -175, 0, 0, -2,
                            100, 0.01, -100, 0, 0, -3, /**/ 1000, 1e-3, -90,  0, 0, -4};
    ct_table t = {.name = name, .unit = unit, .cols = 6, .rows = 4, .value = value};
    uint32_t count;
    assert_true(ct_table_is_phasors(&t));
    const ct_figure *f = ct_phasor_figures(&t, ARENA, &count);
    assert_int_equal(count, 3);
    assert_true(f[0].x_log && f[1].x_log && f[2].x_log);
    assert_string_equal(f[0].y_label, "magnitude [dB]");
    assert_string_equal(f[0].curve->label, "v(x)");
    assert_string_equal(f[0].title, "v(x)");
    for (int i = 0; i < 4; i++)
        assert_true(fabs(f[0].curve->y[i] + 20 * i) < 1e-12);
    const double phase[] = {170, 185, 260, 270}; /* goes on beyond 180 */
    for (int i = 0; i < 4; i++)
        assert_true(fabs(f[1].curve->y[i] - phase[i]) < 1e-12);
    assert_string_equal(f[2].curve->label, "vdb(y)");
    assert_true(f[2].curve->y[3] == -4);
    /* equal steps keep a linear axis; a run is no table of .ac */
    const double even[] = {1, 1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0};
    t.value = even;
    t.rows = 3;
    assert_false(ct_phasor_figures(&t, ARENA, &count)->x_log);
    name[0] = "time";
    unit[0] = "s";
    assert_false(ct_table_is_phasors(&t));
}

/* ---- times --------------------------------------------------------------------------------- */

static void test_long_times(void **state)
{
    static const struct {
        double end;
        const char *label;
        double tick; /* the last, in s */
    } row[] = {{2, "time [s]", 2},
               {7200, "time [s]", 7000},
               {43200, "time [h]", 43200},
               {86400 * 10, "time [d]", 864000},
               {86400 * 365.0, "time [d]", 86400 * 350.0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const double x[] = {0, row[i].end}, y[] = {0, 1};
        ct_plot_curve curve = {"y", x, y, 2};
        ct_figure f = {.x_label = "time [s]", .curve = &curve, .curve_count = 1};
        ct_plot_extent e = ct_plot_measure(&f);
        ct_axis axis = ct_plot_x_axis(&f, &e, 10);
        ct_axis_name(&axis, f.x_label, ARENA);
        assert_string_equal(ct_axis_label(&axis, ARENA), row[i].label);
        assert_true(fabs(ct_axis_part(&axis, row[i].end) - 1) < 1e-12);
        assert_true(fabs(ct_axis_tick(&axis, axis.count - 1) - row[i].tick) < 1e-6);
        f.x_label = "length [m]";
        axis = ct_plot_x_axis(&f, &e, 10);
        assert_null(axis.sized);
    }
}

/* ---- quantities ---------------------------------------------------------------------------- */

static void test_quantities(void **state)
{
    ct_context *ctx = *state;
    assert_string_equal(ct_unit_quantity("V", ctx), "voltage");
    assert_string_equal(ct_unit_quantity("rad/s", ctx), "angular velocity");
    assert_string_equal(ct_unit_quantity("N.m", ctx), ""); /* a torque or an energy */
    assert_string_equal(ct_unit_quantity("", ctx), "");
}

/* Torques that say so share a name; with a work among them nothing is claimed. */
static void test_torques(void **state)
{
    const char *name[] = {"time", "J.T", "D.T"}, *unit[] = {"s", "N.m", "N.m"};
    const char *what[] = {NULL, "torque", "torque"};
    const double value[] = {0, 1, 2, 1, 3, 4};
    ct_table t = {name, unit, what, 3, 2, value};
    uint32_t count;
    assert_string_equal(ct_table_figures(&t, 0, ARENA, &count)->y_label, "torque [N.m]");
    what[2] = NULL;
    assert_string_equal(ct_table_figures(&t, 0, ARENA, &count)->y_label, "[N.m]");
}

static void test_units_of_outputs(void **state)
{
    static const char text[] = "model m\n"
                               "T1 : torque(ground, s)  T = 1\n"
                               "J1 : inertia(s)  J = 2\n"
                               "D1 : torsion_damper(s, r)  d = 1\n"
                               "J2 : inertia(r)  J = 3\n"
                               "output J1.w, J1.w - J2.w, -D1.T, J1.theta, J1.w*30/3.14, "
                               "0.5*J1.w^2, 1 + J1.theta, J1.w + J1.alpha*(1 s)\n";
    static const char *const want[] = {"rad/s", "rad/s", "N.m", "rad", NULL, NULL, NULL, NULL};
    const ct_syntax *syntax;
    const ct_model *model;
    ct_context *ctx = *state;
    assert_int_equal(ct_read_text(ctx, "m.lg", text, strlen(text), &syntax), CT_OK);
    assert_int_equal(ct_build(ctx, syntax, NULL, &model), CT_OK);
    assert_int_equal(model->output_count, 8);
    for (int i = 0; i < 8; i++) {
        const char *unit = ct_expr_unit(model, model->output[i].expr);
        if (want[i])
            assert_string_equal(unit, want[i]);
        else
            assert_null(unit);
    }
}

/* A field of 3 places and 2 times: two colours, a bar for them, and the same in the terminal. */
static void draw_surface(void *user)
{
    ct_context *ctx = user;
    static const double time[] = {0, 1, 2}, low[] = {0, 0, 0}, high[] = {5, 5, 5},
                        place[] = {0, 1, 2};
    ct_plot_curve curve[] = {{"P.p", NULL, low, 3}, {"P.p", NULL, high, 3}, {"P.p", NULL, high, 3}};
    ct_figure f = {.curve = curve,
                   .curve_count = 3,
                   .time = time,
                   .place = place,
                   .x_label = "time [s]",
                   .y_label = "x [m]",
                   .value_label = "P.p [Pa]"};
    ct_text out = ct_text_new(ctx->base), shown = ct_text_new(ctx->base);
    ct_figures_put_svg(&f, 1, &out);
    const char *text = ct_text_string(&out), *surface = strstr(text, "class=\"surface\"");
    assert_non_null(surface);
    uint32_t paths = 0;
    for (const char *at = surface; (at = strstr(at, "<path fill=\"#")) != NULL; at++)
        paths++;
    assert_int_equal(paths, 2);
    assert_non_null(strstr(surface, "P.p [Pa]"));
    ct_figure_put_terminal(&f, 60, 20, false, &shown);
    assert_non_null(strstr(ct_text_string(&shown), "|@@@@"));
    assert_non_null(strstr(ct_text_string(&shown), "|    "));
}

static void test_surface(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    (void)state;
    assert_int_equal(ct_protect(ctx, draw_surface, ctx), CT_OK);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface),
        cmocka_unit_test_setup_teardown(test_phasors, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_long_times, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_quantities, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_torques, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_units_of_outputs, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

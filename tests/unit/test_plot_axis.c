/* test_plot_axis.c - axes and traces of plots (src/export/plot_axis.c, plot_unit.c, plot_trace.c).
 */
#include "test_plot.h"

/* ---- axes ---------------------------------------------------------------------------------- */

static double random_part(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void check_ticks(const ct_axis *axis, uint32_t most, double lo, double hi)
{
    double step = ct_axis_tick(axis, 1) - ct_axis_tick(axis, 0);
    double slack = 1e-8 * step + 4 * DBL_EPSILON * fmax(fabs(lo), fabs(hi));
    assert_in_range(axis->count, 3, most);
    assert_true(axis->step == 1 || axis->step == 2 || axis->step == 5);
    for (uint32_t i = 1; i < axis->count; i++)
        assert_true(ct_axis_tick(axis, i) > ct_axis_tick(axis, i - 1));
    assert_true(ct_axis_tick(axis, 0) <= lo + slack);
    assert_true(ct_axis_tick(axis, axis->count - 1) >= hi - slack);
    assert_true(axis->lo <= lo + slack && axis->hi >= hi - slack);
}

static void check_tight(double lo, double hi, uint32_t most)
{
    ct_axis axis = ct_axis_new(lo, hi, most, true);
    double air = 0.0100001 * (hi - lo), step = ct_axis_tick(&axis, 1) - ct_axis_tick(&axis, 0);
    assert_in_range(axis.count, 2, most);
    assert_true(axis.lo <= lo && axis.lo >= lo - air && axis.hi >= hi && axis.hi <= hi + air);
    assert_true(ct_axis_tick(&axis, 0) >= axis.lo && ct_axis_tick(&axis, 0) < lo + step);
    double last = ct_axis_tick(&axis, axis.count - 1);
    assert_true(last <= axis.hi && last > hi - step);
}

static void test_ticks(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 200000; i++) {
        double span = pow(10, 580 * random_part(&seed) - 285) * (0.1 + random_part(&seed));
        double lo = span * (random_part(&seed) - 0.5) * pow(10, 10 * random_part(&seed));
        uint32_t most = 5 + (uint32_t)(6 * random_part(&seed));
        if (fabs(lo) > CT_PLOT_LARGEST || fabs(lo + span) > CT_PLOT_LARGEST)
            continue;
        ct_axis axis = ct_axis_new(lo, lo + span, most, false);
        check_ticks(&axis, most, lo, lo + span);
        if (fabs(lo) < 1e4 * span)
            check_tight(lo, lo + span, most);
    }
}

/* What the tick shows, read back: (label * 10^shown) + offset. */
static double shown_value(const ct_axis *axis, const char *label)
{
    bool negative = strncmp(label, "\xe2\x88\x92", 3) == 0;
    double value = strtod(label + (negative ? 3 : 0), NULL);
    return (negative ? -value : value) * pow(10, axis->shown) +
           (double)axis->offset * pow(10, axis->exponent);
}

static void test_tick_labels(void **state)
{
    (void)state;
    static const char *const label[] = {NULL, "t [s]", "v [V]", "J [kg.m^2]", "[1/s]"};
    ct_context *ctx = ct_context_new(NULL);
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        double span = pow(10, 40 * random_part(&seed) - 20);
        double lo = span * (random_part(&seed) - 0.5) * pow(10, 9 * random_part(&seed));
        ct_arena *arena = ct_arena_new(ctx);
        ct_axis axis = ct_axis_new(lo, lo + span, 7, false);
        ct_axis_name(&axis, label[i % 5], arena);
        for (uint32_t k = 0; k < axis.count; k++) {
            const char *text = ct_axis_tick_text(&axis, k, arena);
            double want = ct_axis_tick(&axis, k), got = shown_value(&axis, text);
            assert_true(fabs(got - want) <= 1e-12 * fmax(fabs(axis.lo), fabs(axis.hi)));
            assert_true(ct_text_width(text) <= 11);
        }
        ct_arena_free(arena);
    }
    ct_context_free(ctx);
}

/* Labels as given and as shown, and the first and last tick. */
static const struct label_case {
    double lo, hi;
    const char *label, *shown, *first, *last;
} label_cases[] = {
    {0, 10, "time [s]", "time [s]", "0", "10"},
    {0, 0.01, "time [s]", "time [ms]", "0", "10"},
    {0, 3e-6, "time [s]", "time [\xc2\xb5s]", "0", "3.0"},
    {0, 20000, "time [s]", "time [s]", "0", "20000"},
    {0, 2e6, "time [s]", "time [10\xe2\x81\xb6 s]", "0", "2.0"},
    {-0.3, 0.3, "angle [rad]", "angle [rad]",
     "\xe2\x88\x92"
     "0.3",
     "0.3"},
    {0, 24000, "voltage [V]", "voltage [kV]", "0", "25"},
    {0, 8000, "voltage [V]", "voltage [V]", "0", "8000"},
    {0, 9000, "voltage [V]", "voltage [kV]", "0", "10"},
    {1e5, 3e5, "pressure [Pa]", "pressure [kPa]", "100", "300"},
    {0, 0.02, "torque [N.m]", "torque [mN\xc2\xb7m]", "0", "20"},
    {0, 0.002, "area [m^2]", "area [10\xe2\x81\xbb\xc2\xb3 m\xc2\xb2]", "0", "2.0"},
    {0, 47000, "R [ohm]", "R [k\xce\xa9]", "0", "50"},
    {0, 90, "temperature [degC]",
     "temperature [\xc2\xb0"
     "C]",
     "0", "100"},
    {0, 3e5, "rate [1/s]", "rate [10\xc2\xb3/s]", "0", "300"},
    {0, 5, "x [m^0.5.s]", "x [m^0.5\xc2\xb7s]", "0", "5"},
    {0, 5, "J3.F[1]", "J3.F[1]", "0", "5"},
    {0, 5, "J3.F[1] [N]", "J3.F[1] [N]", "0", "5"},
    {0, 5, "[1]", "", "0", "5"},
    {0, 5e7, "n [1]", "n [10\xe2\x81\xb6]", "0", "50"},
    {0, 5e7, NULL, "[10\xe2\x81\xb6]", "0", "50"},
    {0, 5, "", "", "0", "5"},
    {0, 5, "]", "]", "0", "5"},
    {0, 5, "x []", "x", "0", "5"},
    {5, 5, "v [V]", "v [V]", "2", "8"},
    {0, 0, "v [V]", "v [V]",
     "\xe2\x88\x92"
     "1.0",
     "1.0"},
    {5 - 3e-7, 5 + 3e-7, "v [V]", "v \xe2\x88\x92 5 V [nV]",
     "\xe2\x88\x92"
     "300",
     "300"},
    {-1e6 - 1, -1e6 + 1, "v [V]", "v + 1 MV [V]",
     "\xe2\x88\x92"
     "1.0",
     "1.0"},
    {1e7, 1e7 + 5, NULL,
     "value \xe2\x88\x92 10\xc2\xb7"
     "10\xe2\x81\xb6",
     "0", "5"},
};

static void test_labels(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    for (size_t i = 0; i < sizeof label_cases / sizeof *label_cases; i++) {
        const struct label_case *c = &label_cases[i];
        ct_axis axis = ct_axis_new(c->lo, c->hi, 7, false);
        ct_axis_name(&axis, c->label, ctx->base);
        assert_string_equal(ct_axis_label(&axis, ctx->base), c->shown);
        assert_string_equal(ct_axis_tick_text(&axis, 0, ctx->base), c->first);
        assert_string_equal(ct_axis_tick_text(&axis, axis.count - 1, ctx->base), c->last);
    }
    ct_context_free(ctx);
}

/* ---- traces -------------------------------------------------------------------------------- */

static ct_plot_view view_of(const ct_axis *x, const ct_axis *y)
{
    return (ct_plot_view){.x = x, .y = y, .left = 0, .right = 100, .top = 0, .bottom = 100};
}

/* In every column the trace reaches as high and as low as the curve. */
static void test_peaks(void **state)
{
    (void)state;
    enum { COUNT = 100000, COLUMNS = 100 };
    ct_context *ctx = ct_context_new(NULL);
    ct_figure figure = {0};
    add(&figure, ctx->base, "y", COUNT, 0, 100, noise_with_peak);
    ct_axis x = {.lo = 0, .hi = 100}, y = {.lo = -2, .hi = 10};
    ct_plot_view view = view_of(&x, &y);
    ct_plot_trace trace = ct_plot_trace_new(&figure, 0, &view, 1, ctx->base);
    double low[2][COLUMNS + 1], high[2][COLUMNS + 1];
    for (int i = 0; i <= COLUMNS; i++) {
        low[0][i] = low[1][i] = INFINITY;
        high[0][i] = high[1][i] = -INFINITY;
    }
    for (int i = 0; i < COUNT; i++) {
        int column = (int)ct_plot_x(&view, figure.curve[0].x[i]);
        low[0][column] = fmin(low[0][column], ct_plot_y(&view, figure.curve[0].y[i]));
        high[0][column] = fmax(high[0][column], ct_plot_y(&view, figure.curve[0].y[i]));
    }
    for (uint32_t i = 0; i < trace.count; i++) {
        int column = (int)trace.at[i].x;
        low[1][column] = fmin(low[1][column], trace.at[i].y);
        high[1][column] = fmax(high[1][column], trace.at[i].y);
        assert_int_equal(trace.at[i].begins, i == 0);
    }
    assert_memory_equal(low[0], low[1], sizeof low[0]);
    assert_memory_equal(high[0], high[1], sizeof high[0]);
    assert_in_range(trace.count, COLUMNS, 4 * COLUMNS + 4);
    ct_context_free(ctx);
}

static void test_gaps(void **state)
{
    (void)state;
    const double y[] = {NAN, 1, NAN, 2, 3, INFINITY, NAN, 4, 1e301, 5};
    const bool begins[] = {true, true, false, true, true}, dot[] = {true, false, false, true, true};
    ct_plot_curve curve = {"y", NULL, y, 10};
    ct_figure figure = {.curve = &curve, .curve_count = 1};
    ct_context *ctx = ct_context_new(NULL);
    ct_axis axis = {.lo = 0, .hi = 10};
    ct_plot_view view = view_of(&axis, &axis);
    ct_plot_trace trace = ct_plot_trace_new(&figure, 0, &view, 1, ctx->base);
    assert_int_equal(trace.count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(trace.at[i].begins, begins[i]);
        assert_int_equal(ct_plot_is_dot(&trace, i), dot[i]);
    }
    assert_true(trace.at[4].x == 90 && trace.at[4].y == 50);
    trace = ct_plot_trace_once(&trace, &view, ctx->base);
    assert_int_equal(trace.count, 5);
    ct_context_free(ctx);
}

/* A circle run through a thousand times is drawn about once. */
static void test_once(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    ct_context *ctx = ct_context_new(NULL);
    ct_figure figure = {0};
    add(&figure, ctx->base, "y", COUNT, 0, 6283, sin);
    ((ct_plot_curve *)figure.curve)[0].x = values(ctx->base, COUNT, 0, 6283, cos);
    ct_axis axis = {.lo = -1, .hi = 1};
    ct_plot_view view = view_of(&axis, &axis);
    ct_plot_trace trace = ct_plot_trace_new(&figure, 0, &view, 0.5, ctx->base);
    assert_true(trace.count > COUNT / 2);
    ct_plot_trace once = ct_plot_trace_once(&trace, &view, ctx->base);
    assert_in_range(once.count, 100, 2000);
    ct_context_free(ctx);
}

/* Curves without x stand over the figure's time, or else over their numbers. */
static void test_time(void **state)
{
    (void)state;
    const double y[] = {1, 3, 2}, time[] = {5, 6, 8};
    ct_plot_curve curve = {"y", NULL, y, 3};
    ct_figure figure = {.curve = &curve, .curve_count = 1};
    ct_plot_extent e = ct_plot_measure(&figure);
    assert_true(e.x.lo == 0 && e.x.hi == 2 && e.y.lo == 1 && e.y.hi == 3 && e.x_rises);
    figure.time = time;
    e = ct_plot_measure(&figure);
    assert_true(e.x.lo == 5 && e.x.hi == 8 && !e.empty);
    curve.x = y;
    assert_false(ct_plot_measure(&figure).x_rises);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),  cmocka_unit_test(test_tick_labels),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_peaks),
        cmocka_unit_test(test_gaps),   cmocka_unit_test(test_once),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

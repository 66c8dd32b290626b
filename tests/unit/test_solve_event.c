/* test_solve_event.c - breaks of inputs, rows at exact times, changes of conditions. */
#include "unit/test_solve.h"

#include <float.h>

/* ---- a square wave: period 0.1, on for 0.03; its edges are breaks --------------------------- */

static double edge(int k)
{
    return 0.1 * (k / 2) + (k % 2 ? 0.03 : 0);
}

static double wave(double t)
{
    int k = 0;
    while (edge(k + 1) <= t)
        k++;
    return k % 2 ? 0 : 1;
}

static double next_edge(void *user, double t)
{
    int k = 0;
    (void)user;
    while (edge(k) <= t)
        k++;
    return edge(k);
}

static void integral(double t, const double *z, double *out)
{
    (void)z;
    out[0] = wave(t);
}

static void integral_of_w(double t, const double *z, double *out)
{
    out[0] = z[1];
    out[1] = wave(t) - z[1];
}

static void integral_stiff(double t, const double *z, double *out)
{
    out[0] = wave(t);
    out[1] = -1e4 * (z[1] - z[0]);
}

static const struct wave_case {
    const char *name;
    small_system system;
    int implicit;
} waves[] = {
    {"RK", {.n = 1, .fg = integral, .next_break = next_edge}, 0},
    {"BDF", {.n = 1, .fg = integral, .next_break = next_edge}, 1},
    {"stiff", {.n = 2, .fg = integral_stiff, .next_break = next_edge}, 0},
    {"IDAS", {.n = 1, .m = 1, .fg = integral_of_w, .next_break = next_edge}, 1},
};

static void test_square_wave(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof waves / sizeof *waves; i++) {
        fixture *f = fixture_new(&waves[i].system);
        ct_run_def def = ct_default_run_def();
        double z[2] = {0, 1};
        def.stop = 1;
        def.points = 100;
        if (waves[i].implicit)
            def.method = CT_METHOD_BDF;
        assert_int_equal(integrate(f, def, z), CT_SOLVED);
        print_message("%-6s %s: %llu steps, %llu restarts, off by %.1e\n", waves[i].name,
                      f->stats.method, (unsigned long long)f->stats.steps,
                      (unsigned long long)f->stats.restarts, f->z[100][0] - 0.3);
        for (uint32_t k = 0; k <= 100; k++) {
            double part = fmod(k + 1e-9, 10) / 100;
            CHECK_NEAR(f->t[k], k / 100., 1e-15);
            CHECK_NEAR(f->z[k][0], 0.03 * (k / 10) + fmin(part, 0.03), 1e-10);
        }
        fixture_free(f);
    }
}

/* w jumps: a row at the jump, to rounding, shows the value after it, the row before it the one
 * before. */
static void test_rows_at_breaks(void **state)
{
    (void)state;
    double just_before = 0.03 - 1e-14, rounded = 0.03 * (1 - DBL_EPSILON);
    double times[] = {0, 0.01, 0.02, just_before, rounded, 0.03, 0.03, 0.05, 0.1, 0.12, edge(9)};
    double want[] = {1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0};
    fixture *f = fixture_new(&waves[3].system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {0, 0};
    def.times = times;
    def.time_count = sizeof times / sizeof *times;
    def.stop = edge(9); /* a break at the very end */
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_int_equal(f->rows, def.time_count);
    for (uint32_t k = 0; k < f->rows; k++) {
        assert_true(f->t[k] == times[k]);
        CHECK_NEAR(f->z[k][1], want[k], 1e-9);
        CHECK_NEAR(f->dx[k], want[k], 1e-9);
    }
    CHECK_NEAR(z[0], 0.15, 1e-12);
    fixture_free(f);
}

/* ---- what is faster than times resolve ------------------------------------------------------ */

enum { STEEPNESS = 27 };

/* From t = 1 on a junction empties what is charged to 1.6: at first within 1e-17. */
static void junction(double t, const double *z, double *out)
{
    out[0] = t < 1 ? 0 : -1e-3 * exp(STEEPNESS * z[0]);
}

static double at_one(void *user, double t)
{
    (void)user;
    return t < 1 ? 1 : INFINITY;
}

static void test_faster_than_time(void **state)
{
    (void)state;
    static const ct_method methods[] = {CT_METHOD_AUTO, CT_METHOD_ROSENBROCK, CT_METHOD_BDF};
    const small_system system = {.n = 1, .fg = junction, .next_break = at_one};
    for (int k = 0; k < 3 * 4; k++) {
        fixture *f = fixture_new(&system);
        ct_run_def def = ct_default_run_def();
        double z[1] = {1.6};
        def.stop = 2;
        def.points = 10;
        def.rtol = pow(10, -4 - 2 * (k / 3));
        def.atol = def.rtol / 1e3;
        def.method = methods[k % 3];
        assert_int_equal(integrate(f, def, z), CT_SOLVED);
        assert_in_range(f->stats.steps, 1, 20000);
        for (uint32_t i = 0; i <= 10; i++) {
            double past = fmax(f->t[i] - 1, 0);
            double want = -log(exp(-STEEPNESS * 1.6) + 1e-3 * STEEPNESS * past) / STEEPNESS;
            CHECK_NEAR(f->z[i][0], want, 10 * def.rtol * 1.6);
        }
        fixture_free(f);
    }
}

static void test_rows_outside(void **state)
{
    (void)state;
    double times[] = {-1, 0.5, 0.75, 3};
    fixture *f = fixture_new(&waves[0].system);
    ct_run_def def = ct_default_run_def();
    double z[1] = {0};
    def.times = times;
    def.time_count = 4;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_int_equal(f->rows, 2);
    assert_true(f->t[0] == 0.5 && f->t[1] == 0.75);
    CHECK_NEAR(z[0], 0.3, 1e-10); /* z is at the stop, not at the last row */
    def.times = NULL;
    def.start = def.stop = 0.2;
    z[0] = 0;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_true(f->rows >= 1);
    fixture_free(f);
}

/* ---- conditions -------------------------------------------------------------------------------
 */

static double held; /* side of the condition: +1 or -1 */

static void first_value(void *user, double t, const double *z, double *value)
{
    (void)user, (void)t;
    value[0] = z[0];
}

static void hold_first(void *user, double t, const double *z)
{
    (void)user, (void)t;
    held = z[0] > 0 ? 1 : -1;
}

/* z0 = sin t, z1 = integral of |z0|. */
static void rectified(double t, const double *z, double *out)
{
    out[0] = cos(t);
    out[1] = held * z[0];
}

static void rectified_w(double t, const double *z, double *out)
{
    out[0] = cos(t);
    out[1] = z[2];
    out[2] = held * z[0] - z[2];
}

static void test_kink(void **state)
{
    (void)state;
    const small_system systems[] = {
        {.n = 2, .fg = rectified, .root_count = 1, .roots = first_value, .hold = hold_first},
        {.n = 2, .fg = rectified, .root_count = 1, .roots = first_value, .hold = hold_first},
        {.n = 2,
         .m = 1,
         .fg = rectified_w,
         .root_count = 1,
         .roots = first_value,
         .hold = hold_first},
    };
    double pi = acos(-1);
    for (int k = 0; k < 3; k++) {
        fixture *f = fixture_new(&systems[k]);
        ct_run_def def = ct_default_run_def();
        double z[3] = {0, 0, 0};
        def.stop = 10;
        def.rtol = 1e-9;
        def.atol = 1e-11;
        def.method = k == 1 ? CT_METHOD_BDF : CT_METHOD_AUTO;
        assert_int_equal(integrate(f, def, z), CT_SOLVED);
        CHECK_NEAR(z[1], 7 - cos(10 - 3 * pi), 3e-7);
        assert_in_range(f->stats.roots_found, 3, 5);
        print_message("%s: %llu steps, %llu roots, off by %.1e\n", f->stats.method,
                      (unsigned long long)f->stats.steps, (unsigned long long)f->stats.roots_found,
                      z[1] - 7 + cos(10 - 3 * pi));
        fixture_free(f);
    }
}

static void two_speeds(double t, const double *z, double *out)
{
    (void)t, (void)z;
    out[0] = held > 0 ? -1 : -2;
}

/* z reaches 0 at t = 1 and then falls twice as fast: exact but for rounding. */
static void test_time_of_change(void **state)
{
    (void)state;
    const small_system system = {
        .n = 1, .fg = two_speeds, .root_count = 1, .roots = first_value, .hold = hold_first};
    for (int implicit = 0; implicit < 2; implicit++) {
        fixture *f = fixture_new(&system);
        ct_run_def def = ct_default_run_def();
        double z[1] = {1};
        def.stop = 2;
        def.points = 7;
        def.method = implicit ? CT_METHOD_BDF : CT_METHOD_AUTO;
        assert_int_equal(integrate(f, def, z), CT_SOLVED);
        CHECK_NEAR(z[0], -2, 2e-12);
        assert_in_range(f->stats.roots_found, 1, 2); /* it may be found at zero itself */
        fixture_free(f);
    }
}

static void sliding(double t, const double *z, double *out)
{
    (void)t, (void)z;
    out[0] = -held;
    out[1] = 0.1;
}

static void test_chattering(void **state)
{
    (void)state;
    const small_system system = {
        .n = 2, .fg = sliding, .root_count = 1, .roots = first_value, .hold = hold_first};
    for (int implicit = 0; implicit < 2; implicit++) {
        fixture *f = fixture_new(&system);
        ct_run_def def = ct_default_run_def();
        double z[2] = {1, 1};
        def.stop = 2;
        def.method = implicit ? CT_METHOD_BDF : CT_METHOD_AUTO;
        assert_int_equal(integrate(f, def, z), CT_STEP_TOO_SMALL);
        CHECK_NEAR(f->stats.last_time, 1, 1e-6);
        assert_int_equal(f->stats.culprit, 0);
        fixture_free(f);
    }
}

/* Both signs of a parabola's value within one long step of a smooth system. */
static void drift(double t, const double *z, double *out)
{
    (void)t, (void)z;
    out[0] = 1;
    out[1] = held;
}

static void dip(void *user, double t, const double *z, double *value)
{
    (void)user, (void)t;
    value[0] = (z[0] - 4) * (z[0] - 6);
}

static void hold_dip(void *user, double t, const double *z)
{
    double value;
    dip(user, t, z, &value);
    held = value > 0 ? 1 : -1;
}

static void test_two_changes(void **state)
{
    (void)state;
    const small_system system = {
        .n = 2, .fg = drift, .root_count = 1, .roots = dip, .hold = hold_dip};
    fixture *f = fixture_new(&system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {0, 0};
    def.stop = 10;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_in_range(f->stats.roots_found, 2, 4); /* a value of exactly zero counts as a side */
    CHECK_NEAR(z[1], 6, 1e-9);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square_wave),    cmocka_unit_test(test_rows_at_breaks),
        cmocka_unit_test(test_rows_outside),   cmocka_unit_test(test_kink),
        cmocka_unit_test(test_time_of_change), cmocka_unit_test(test_chattering),
        cmocka_unit_test(test_two_changes),    cmocka_unit_test(test_faster_than_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_solve_ode.c - ordinary differential equations against closed forms and published numbers. */
#include "unit/test_solve.h"

#include "solve/gauge.h"

static void decay(double t, const double *z, double *out)
{
    (void)t;
    out[0] = -z[0];
}

static void oscillator(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = -z[0];
}

/* Eigenvalues -1 and -1e6. */
static void two_scales(double t, const double *z, double *out)
{
    (void)t;
    out[0] = -z[0];
    out[1] = -1e6 * (z[1] - z[0]);
}

static void forced(double t, const double *z, double *out)
{
    out[0] = -1000 * (z[0] - cos(t)) - sin(t);
}

static void robertson(double t, const double *z, double *out)
{
    (void)t;
    double slow = 0.04 * z[0], back = 1e4 * z[1] * z[2], fast = 3e7 * z[1] * z[1];
    out[0] = -slow + back;
    out[1] = slow - back - fast;
    out[2] = fast;
}

static void van_der_pol_1(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = (1 - z[0] * z[0]) * z[1] - z[0];
}

static void van_der_pol_1000(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = 1000 * (1 - z[0] * z[0]) * z[1] - z[0];
}

/* Vibration that soon dies out, beside what takes long. */
static void vibration_dies(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = -1e8 * z[0] - 200 * z[1];
    out[2] = -1e-4 * z[2] * z[2] * z[2];
}

static const small_system decay_system = {.n = 1, .fg = decay};
static const small_system oscillator_system = {.n = 2, .fg = oscillator};
static const small_system two_scales_system = {.n = 2, .fg = two_scales};
static const small_system vibration_system = {.n = 3, .fg = vibration_dies};
static const small_system forced_system = {.n = 1, .fg = forced};
static const small_system robertson_system = {.n = 3, .fg = robertson};
static const small_system van_der_pol_1_system = {.n = 2, .fg = van_der_pol_1};
static const small_system van_der_pol_1000_system = {.n = 2, .fg = van_der_pol_1000};

/* End values. Robertson at 40 and 1e11 and Van der Pol mu = 1000 (t = 2000): the published
 * reference solutions of the usual test sets; Van der Pol mu = 1: agreed upon to ten digits by our
 * three methods at 1e-13. */
static const struct end_case {
    const char *name;
    const small_system *system;
    double stop, from[3], want[3], rtol, atol, allowed; /* allowed: relative */
    ct_method method;
} cases[] = {
    {"decay, auto",
     &decay_system,
     5,
     {1},
     {6.737946999085467e-3},
     1e-8,
     1e-12,
     1e-6,
     CT_METHOD_AUTO},
    {"decay, BDF", &decay_system, 5, {1}, {6.737946999085467e-3}, 1e-8, 1e-12, 1e-5, CT_METHOD_BDF},
    {"decay, Adams",
     &decay_system,
     5,
     {1},
     {6.737946999085467e-3},
     1e-8,
     1e-12,
     1e-6,
     CT_METHOD_ADAMS},
    {"decay, RK", &decay_system, 5, {1}, {6.737946999085467e-3}, 1e-8, 1e-12, 1e-6, CT_METHOD_RK},
    {"decay, RK8",
     &decay_system,
     5,
     {1},
     {6.737946999085467e-3},
     1e-10,
     1e-14,
     1e-10,
     CT_METHOD_RK8},
    {"oscillator, RK8",
     &oscillator_system,
     10,
     {1, 0},
     {-0.8390715290764524, 0.5440211108893698},
     1e-12,
     1e-14,
     1e-11,
     CT_METHOD_RK8},
    {"decay, Rosenbrock",
     &decay_system,
     5,
     {1},
     {6.737946999085467e-3},
     1e-8,
     1e-12,
     1e-6,
     CT_METHOD_ROSENBROCK},
    {"oscillator, auto",
     &oscillator_system,
     10,
     {1, 0},
     {-0.8390715290764524, 0.5440211108893698},
     1e-9,
     1e-12,
     1e-7,
     CT_METHOD_AUTO},
    {"oscillator, BDF",
     &oscillator_system,
     10,
     {1, 0},
     {-0.8390715290764524, 0.5440211108893698},
     1e-9,
     1e-12,
     1e-6,
     CT_METHOD_BDF},
    {"oscillator, Adams",
     &oscillator_system,
     10,
     {1, 0},
     {-0.8390715290764524, 0.5440211108893698},
     1e-9,
     1e-12,
     1e-6,
     CT_METHOD_ADAMS},
    {"two time scales",
     &two_scales_system,
     2,
     {1, 0},
     {0.1353352832366127, 0.1353354185720313},
     1e-8,
     1e-12,
     1e-6,
     CT_METHOD_AUTO},
    {"forced, stiff",
     &forced_system,
     10,
     {0},
     {-0.8390715290764524},
     1e-8,
     1e-10,
     1e-6,
     CT_METHOD_AUTO},
    {"Robertson 1e-4",
     &robertson_system,
     40,
     {1, 0, 0},
     {0.7158270687, 9.185534764e-6, 0.2841637457},
     1e-4,
     1e-9,
     2e-3,
     CT_METHOD_AUTO},
    {"Robertson 1e-6",
     &robertson_system,
     40,
     {1, 0, 0},
     {0.7158270687, 9.185534764e-6, 0.2841637457},
     1e-6,
     1e-10,
     5e-5,
     CT_METHOD_AUTO},
    {"Robertson 1e-9",
     &robertson_system,
     40,
     {1, 0, 0},
     {0.7158270687, 9.185534764e-6, 0.2841637457},
     1e-9,
     1e-14,
     1e-7,
     CT_METHOD_AUTO},
    {"Robertson, long",
     &robertson_system,
     1e11,
     {1, 0, 0},
     {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
     1e-8,
     1e-18,
     1e-4,
     CT_METHOD_AUTO},
    {"Van der Pol 1",
     &van_der_pol_1_system,
     20,
     {2, 0},
     {2.008149762174948, -0.04250887527320057},
     1e-9,
     1e-12,
     1e-6,
     CT_METHOD_AUTO},
    {"Van der Pol 1000",
     &van_der_pol_1000_system,
     2000,
     {2, 0},
     {1.706167732170469, -0.8928097010248125e-3},
     1e-8,
     1e-11,
     1e-5,
     CT_METHOD_AUTO},
};

static void check_end(const struct end_case *c)
{
    fixture *f = fixture_new(c->system);
    ct_run_def def = ct_default_run_def();
    double z[3];
    memcpy(z, c->from, sizeof z);
    def.stop = c->stop;
    def.rtol = c->rtol;
    def.atol = c->atol;
    def.points = 10;
    def.method = c->method;
    ct_solve_status status = integrate(f, def, z);
    print_message("%-18s %-40s %7llu steps %8llu evaluations %6llu factorizations\n", c->name,
                  f->stats.method, (unsigned long long)f->stats.steps,
                  (unsigned long long)f->stats.rhs_evals,
                  (unsigned long long)f->stats.factorizations);
    assert_int_equal(status, CT_SOLVED);
    assert_int_equal(f->rows, 11);
    for (uint32_t i = 0; i < c->system->n; i++)
        CHECK_NEAR(z[i], c->want[i], c->allowed * fabs(c->want[i]));
    fixture_free(f);
}

static void test_end_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_end(&cases[i]);
}

static const struct {
    ct_method method;
    const char *name;
    double finer; /* than the tolerance: at most */
} methods[] = {{CT_METHOD_AUTO, "RK", 1e-3},
               {CT_METHOD_BDF, "BDF", 1e-3},
               {CT_METHOD_ROSENBROCK, "Rosenbrock", 1e-4}};

static double decay_error(double tolerance, ct_method method)
{
    fixture *f = fixture_new(&oscillator_system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {1, 0}, most = 0;
    def.stop = 10;
    def.rtol = def.atol = tolerance;
    def.points = 97;
    def.method = method;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    for (uint32_t i = 0; i < f->rows; i++)
        most = fmax(most, fabs(f->z[i][0] - cos(f->t[i])));
    fixture_free(f);
    return most;
}

static void test_error_follows_tolerance(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 0.1) {
            double error = decay_error(tolerance, methods[i].method);
            print_message("%s tolerance %.0e: error %.2e\n", methods[i].name, tolerance, error);
            assert_true(error < 300 * tolerance);
            assert_true(error > methods[i].finer * tolerance);
        }
}

static void test_stiffness_is_seen(void **state)
{
    (void)state;
    fixture *f = fixture_new(&forced_system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {0, 0};
    def.stop = 100;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_non_null(strstr(f->stats.method, "then Rosenbrock"));
    assert_true(f->stats.steps < 2000);
    fixture_free(f);
    f = fixture_new(&oscillator_system);
    z[0] = 1;
    def.stop = 1000;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_null(strstr(f->stats.method, "BDF"));
    fixture_free(f);
}

static void very_fast(double t, const double *z, double *out)
{
    out[0] = -1e12 * (z[0] - cos(t));
}

static const small_system very_fast_system = {.n = 1, .fg = very_fast};

/* Explicit methods that are asked for go on in short steps and say it, or refuse soon. */
static void test_stiffness_is_told(void **state)
{
    static const ct_method asked[] = {CT_METHOD_RK, CT_METHOD_RK8, CT_METHOD_ADAMS};
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ct_run_def def = ct_default_run_def();
        double z = 0;
        def.method = asked[i];
        def.stop = 20;
        fixture *f = fixture_new(&forced_system);
        assert_int_equal(integrate(f, def, &z), CT_SOLVED);
        assert_true(fabs(z - cos(20)) < 1e-6);
        assert_true(f->stats.foreseen > 1000 && f->stats.foreseen < 1e5);
        fixture_free(f);
        f = fixture_new(&very_fast_system);
        z = 1;
        def.stop = 1;
        assert_int_equal(integrate(f, def, &z), CT_TOO_STIFF);
        assert_true(f->stats.foreseen > 1e8 && f->stats.steps < 10000);
        fixture_free(f);
    }
}

/* It would hold the steps of explicit methods and of BDF for ever. */
static void test_dead_vibration_is_passed(void **state)
{
    (void)state;
    fixture *f = fixture_new(&vibration_system);
    ct_run_def def = ct_default_run_def();
    double z[3] = {1, 0, 1};
    def.stop = 1e6;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_non_null(strstr(f->stats.method, "then Rosenbrock"));
    assert_true(f->stats.steps < 25000);
    CHECK_NEAR(z[0], 0, 1e-9);
    CHECK_NEAR(z[2], 1 / sqrt(1 + 2e-4 * def.stop), 1e-7);
    fixture_free(f);
}

/* One that stays is followed as before, whatever was tried between. */
static void test_vibration_is_kept(void **state)
{
    (void)state;
    fixture *f = fixture_new(&oscillator_system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {1, 0};
    def.stop = 30000;
    def.rtol = 1e-8;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_string_equal(f->stats.method, "Dormand-Prince 5(4)");
    assert_true(f->stats.restarts >= 2);
    CHECK_NEAR(z[0], cos(def.stop), 3e-4);
    CHECK_NEAR(z[1], -sin(def.stop), 3e-4);
    fixture_free(f);
}

static void test_same_bits(void **state)
{
    (void)state;
    double end[2][3];
    for (int k = 0; k < 2; k++) {
        fixture *f = fixture_new(&robertson_system);
        ct_run_def def = ct_default_run_def();
        memcpy(end[k], (double[3]){1, 0, 0}, sizeof end[k]);
        def.stop = 1e5;
        assert_int_equal(integrate(f, def, end[k]), CT_SOLVED);
        fixture_free(f);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

static void blow_up(double t, const double *z, double *out)
{
    (void)t;
    out[0] = 0;
    out[1] = z[1] * z[1];
}

static void root_of_time(double t, const double *z, double *out)
{
    (void)z;
    out[0] = sqrt(1 - t);
}

static void test_failures(void **state)
{
    (void)state;
    static const small_system systems[] = {{.n = 2, .fg = blow_up}, {.n = 1, .fg = root_of_time}};
    static const ct_method ways[] = {CT_METHOD_AUTO, CT_METHOD_BDF, CT_METHOD_RK, CT_METHOD_RK8};
    for (int method = 0; method < 4; method++)
        for (int k = 0; k < 2; k++) {
            fixture *f = fixture_new(&systems[k]);
            ct_run_def def = ct_default_run_def();
            double z[2] = {0, 1};
            def.stop = 2;
            def.method = ways[method];
            ct_solve_status status = integrate(f, def, z);
            assert_true(status == CT_STEP_TOO_SMALL || status == CT_NOT_FINITE);
            assert_int_equal(f->stats.culprit, k == 0 ? 1 : 0);
            CHECK_NEAR(f->stats.last_time, 1, 2e-3);
            fixture_free(f);
        }
}

static void test_limits(void **state)
{
    (void)state;
    fixture *f = fixture_new(&oscillator_system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {1, 0};
    def.stop = 1000;
    def.most_steps = 50;
    assert_int_equal(integrate(f, def, z), CT_TOO_MANY_STEPS);
    def.most_steps = 0;
    f->stop_after = 7;
    z[0] = 1, z[1] = 0;
    assert_int_equal(integrate(f, def, z), CT_STOPPED);
    assert_int_equal(f->rows, 7);
    CHECK_NEAR(f->stats.last_time, 12, 1e-12);
    def.largest_step = 0.01;
    def.stop = 10;
    f->stop_after = 0;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_true(f->stats.steps >= 1000);
    fixture_free(f);
}

/* What is not given, or finer than numbers are, is as it usually is. */
static void test_definitions(void **state)
{
    ct_run_def usual = ct_default_run_def(), none = usual, finest = usual, finer = usual;
    const ct_run_def *const given[] = {&usual, &none, &finest, &finer};
    double end[4][2];
    uint64_t steps[4];
    (void)state;
    usual.stop = none.stop = finest.stop = finer.stop = 3;
    none.rtol = 0, none.atol = -1, none.points = 0, none.most_steps = 0;
    finest.rtol = CT_FINEST_RTOL, finer.rtol = 1e-300;
    for (int i = 0; i < 4; i++) {
        fixture *f = fixture_new(&oscillator_system);
        end[i][0] = 1, end[i][1] = 0;
        assert_int_equal(integrate(f, *given[i], end[i]), CT_SOLVED);
        assert_int_equal(f->rows, 501);
        steps[i] = f->stats.steps;
        fixture_free(f);
    }
    for (int i = 0; i < 4; i += 2) {
        assert_int_equal(steps[i], steps[i + 1]);
        assert_memory_equal(end[i], end[i + 1], sizeof end[i]);
    }
    assert_true(steps[2] > steps[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_values),        cmocka_unit_test(test_error_follows_tolerance),
        cmocka_unit_test(test_stiffness_is_seen), cmocka_unit_test(test_dead_vibration_is_passed),
        cmocka_unit_test(test_vibration_is_kept), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_failures),          cmocka_unit_test(test_limits),
        cmocka_unit_test(test_definitions),       cmocka_unit_test(test_stiffness_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

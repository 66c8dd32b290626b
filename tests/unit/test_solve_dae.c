/* test_solve_dae.c - algebraic equations, alone and with differential ones. */
#include "unit/test_solve.h"

/* x' = -x + w, w = x / 2: x = exp(-t/2) */
static void linear(double t, const double *z, double *out)
{
    (void)t;
    out[0] = -z[0] + z[1];
    out[1] = z[1] - 0.5 * z[0];
}

/* x' = w - x, w = x + sin t: x = 1 - cos t */
static void driven(double t, const double *z, double *out)
{
    out[0] = z[1] - z[0];
    out[1] = z[0] + sin(t) - z[1];
}

/* x' = -w, w^3 + w = x: 1.5 w^2 + ln w + t is constant */
static void cubic(double t, const double *z, double *out)
{
    (void)t;
    out[0] = -z[1];
    out[1] = z[1] * z[1] * z[1] + z[1] - z[0];
}

/* An algebraic variable that does not act on x at all: its rows must still be right. */
static void apart(double t, const double *z, double *out)
{
    out[0] = -z[0];
    out[1] = z[1] - sin(30 * t);
}

static double linear_truth(double t)
{
    return exp(-t / 2);
}

static double driven_truth(double t)
{
    return 1 - cos(t);
}

static double apart_truth(double t)
{
    return exp(-t);
}

static void test_closed_forms(void **state)
{
    (void)state;
    const struct {
        small_system system;
        double from[2];
        double (*truth)(double t);
    } cases[] = {
        {{.n = 1, .m = 1, .fg = linear}, {1, 0.5}, linear_truth},
        {{.n = 1, .m = 1, .fg = driven}, {0, 0}, driven_truth},
        {{.n = 1, .m = 1, .fg = apart}, {1, 0}, apart_truth},
    };
    for (size_t k = 0; k < 6; k++)
        for (double rtol = 1e-4; rtol > 1e-10; rtol *= 0.01) {
            size_t i = k / 2, method = k % 2;
            fixture *f = fixture_new(&cases[i].system);
            ct_run_def def = ct_default_run_def();
            double z[2], most = 0, residual[2];
            memcpy(z, cases[i].from, sizeof z);
            def.stop = 4;
            def.rtol = def.atol = rtol;
            def.method = method ? CT_METHOD_BDF : CT_METHOD_AUTO;
            assert_int_equal(integrate(f, def, z), CT_SOLVED);
            assert_string_equal(f->stats.method, method ? "BDF (IDAS)" : "Rosenbrock 5(4)");
            for (uint32_t row = 0; row < f->rows; row++) {
                most = fmax(most, fabs(f->z[row][0] - cases[i].truth(f->t[row])));
                cases[i].system.fg(f->t[row], f->z[row], residual);
                most = fmax(most, fabs(residual[1]));
            }
            print_message("case %zu, tolerance %.0e: %llu steps, error %.1e\n", i, rtol,
                          (unsigned long long)f->stats.steps, most);
            assert_true(most < 100 * rtol);
            fixture_free(f);
        }
}

static void test_cubic(void **state)
{
    (void)state;
    const small_system system = {.n = 1, .m = 1, .fg = cubic};
    fixture *f = fixture_new(&system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {2, 0.3}; /* w is made consistent at the start: 1 */
    def.stop = 5;
    def.rtol = 1e-9;
    def.atol = 1e-12;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    CHECK_NEAR(f->z[0][1], 1, 1e-12);
    for (uint32_t k = 0; k < f->rows; k++) {
        double w = f->z[k][1];
        CHECK_NEAR(1.5 * w * w + log(w) + f->t[k], 1.5, 1e-6);
    }
    fixture_free(f);
}

static double supply;

static void diode(double t, const double *z, double *out)
{
    (void)t;
    out[0] = (supply - z[0]) / 1000 - 1e-14 * (exp(z[0] / 0.02585) - 1);
}

static void test_diode(void **state)
{
    (void)state;
    const small_system system = {.m = 1, .fg = diode};
    const double supplies[] = {5, 50, -5, 0.1, 1000}, guesses[] = {0, 5, 0.7, -10, 18};
    fixture *f = fixture_new(&system);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++) {
            double w = guesses[k], residual;
            supply = supplies[i];
            ct_solve_status status =
                ct_solve_algebraic(f->ctx, &f->problem, 0, &w, true, &f->stats);
            assert_int_equal(status, CT_SOLVED);
            diode(0, &w, &residual);
            CHECK_NEAR(residual, 0, 1e-12 * fabs(supply));
            assert_true(w < 0.9);
        }
    fixture_free(f);
}

static void no_root(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[0] * z[0] + 1;
}

static void no_unknown(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[0] - 1;
    out[1] = z[0] - 2;
}

static void not_a_number(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[0];
    out[1] = log(-1 - z[0] * z[0]);
}

static void double_root(double t, const double *z, double *out)
{
    (void)t;
    out[0] = (z[0] - 1) * (z[0] - 1);
}

static void test_algebraic_failures(void **state)
{
    (void)state;
    const struct {
        small_system system;
        ct_solve_status want;
        uint32_t culprit;
    } cases[] = {
        {{.m = 2, .fg = no_unknown}, CT_SINGULAR, 1},
        {{.m = 2, .fg = not_a_number}, CT_NOT_FINITE, 1},
    };
    for (size_t i = 0; i < 2; i++) {
        fixture *f = fixture_new(&cases[i].system);
        double z[2] = {3, 3};
        ct_solve_status status = ct_solve_algebraic(f->ctx, &f->problem, 0, z, true, &f->stats);
        assert_int_equal(status, cases[i].want);
        assert_int_equal(f->stats.culprit, cases[i].culprit);
        fixture_free(f);
    }
    const small_system none = {.m = 1, .fg = no_root};
    fixture *f = fixture_new(&none);
    double z = 3;
    ct_solve_status status = ct_solve_algebraic(f->ctx, &f->problem, 0, &z, true, &f->stats);
    assert_true(status == CT_NO_CONVERGENCE || status == CT_SINGULAR);
    fixture_free(f);
    const small_system twice = {.m = 1, .fg = double_root};
    f = fixture_new(&twice);
    z = 3;
    assert_int_equal(ct_solve_algebraic(f->ctx, &f->problem, 0, &z, true, &f->stats), CT_SOLVED);
    CHECK_NEAR(z, 1, 1e-5);
    fixture_free(f);
}

/* g becomes singular in w at t = 1: w^2 = 1 - t. */
static void fold(double t, const double *z, double *out)
{
    out[0] = z[1];
    out[1] = z[1] * z[1] - (1 - t);
}

static void test_fold(void **state)
{
    (void)state;
    const small_system system = {.n = 1, .m = 1, .fg = fold};
    fixture *f = fixture_new(&system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {0, 1};
    def.stop = 2;
    ct_solve_status status = integrate(f, def, z);
    assert_true(status == CT_STEP_TOO_SMALL || status == CT_NO_CONVERGENCE ||
                status == CT_SINGULAR);
    assert_int_equal(f->stats.culprit, 1);
    CHECK_NEAR(f->stats.last_time, 1, 1e-2);
    fixture_free(f);
}

static void table(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[0] * z[0] * z[0] + z[0] - 10 * sin(t);
}

static void test_no_states(void **state)
{
    (void)state;
    const small_system system = {.m = 1, .fg = table};
    fixture *f = fixture_new(&system);
    ct_run_def def = ct_default_run_def();
    double z[1] = {0};
    def.stop = 6;
    assert_int_equal(integrate(f, def, z), CT_SOLVED);
    assert_int_equal(f->rows, 501);
    for (uint32_t k = 0; k < f->rows; k++)
        CHECK_NEAR(pow(f->z[k][0], 3) + f->z[k][0], 10 * sin(f->t[k]), 1e-9);
    fixture_free(f);
}

/* ---- linear ones, by exponentials and by steps
 * (x', 0) = slope z + force (1, sin wt, cos wt), x decays, w is solved for with zeros as pivots. */

enum { SIZE = 4, FORCES = 3 };
static double slope[SIZE * SIZE], force[SIZE * FORCES], shaken[FORCES];
static const double shake = 3;

static double throw_dice(void)
{
    static uint32_t seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static void shake_at(double t)
{
    shaken[0] = 1, shaken[1] = sin(shake * t), shaken[2] = cos(shake * t);
}

static void affine_fg(double t, const double *z, double *out)
{
    shake_at(t);
    for (int i = 0; i < SIZE; i++) {
        out[i] = 0;
        for (int j = 0; j < SIZE; j++)
            out[i] += slope[i * SIZE + j] * z[j];
        for (int j = 0; j < FORCES; j++)
            out[i] += force[i * FORCES + j] * shaken[j];
    }
}

static bool tell_affine(void *user, double t, double end, ct_affine *out)
{
    static const double drift[] = {0, 0, 0, 0, 0, shake, 0, -shake, 0};
    (void)user, (void)end;
    shake_at(t);
    *out = (ct_affine){slope, force, drift, shaken, FORCES};
    return true;
}

/* w holds at the start by the constant force. */
static void throw_affine(uint32_t n, double *z)
{
    double left[SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        slope[i] = throw_dice();
    for (int i = 0; i < SIZE * FORCES; i++)
        force[i] = throw_dice();
    for (uint32_t i = 0; i < SIZE; i++) {
        z[i] = throw_dice();
        slope[i * SIZE + i] = i < n ? -4 : 0;
        for (uint32_t j = n; i >= n && j < SIZE; j++) /* far from singular */
            slope[i * SIZE + j] += j == (i + 1 < SIZE ? i + 1 : n) ? 4 : 0;
    }
    affine_fg(0, z, left);
    for (uint32_t i = n; i < SIZE; i++)
        force[i * FORCES] -= left[i];
}

static void test_exponentials_and_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        uint32_t n = 1 + (uint32_t)k % 3;
        small_system system = {.n = n, .m = SIZE - n, .fg = affine_fg};
        fixture *f[] = {fixture_new(&system), fixture_new(&system)};
        ct_run_def def = ct_default_run_def();
        double z[2][SIZE];
        throw_affine(n, z[0]);
        memcpy(z[1], z[0], sizeof z[0]);
        def.rtol = 1e-10, def.atol = 1e-12, def.points = 20;
        f[0]->problem.affine = tell_affine;
        for (int i = 0; i < 2; i++)
            assert_int_equal(integrate(f[i], def, z[i]), CT_SOLVED);
        assert_string_equal(f[0]->stats.method, "matrix exponentials");
        assert_string_not_equal(f[1]->stats.method, "matrix exponentials");
        assert_true(f[0]->rows == 21 && f[1]->rows == 21);
        for (uint32_t r = 0; r < 21; r++)
            for (int i = 0; i < SIZE; i++)
                CHECK_NEAR(f[0]->z[r][i], f[1]->z[r][i], 1e-7);
        fixture_free(f[0]);
        fixture_free(f[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponentials_and_steps),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_cubic),
        cmocka_unit_test(test_diode),
        cmocka_unit_test(test_algebraic_failures),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_no_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

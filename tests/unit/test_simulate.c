/* test_simulate.c - runs of the worked examples: against the reference numbers of tests/physics,
 * against closed forms with other parameters, in all forms and many trees, and the balance of power
 * in every row. */
#include "test_simulate.h"

#include "unit/cases.h"

static const char *const models[] = {
    "fig1_network", "rc_network",     "hydraulic_k1",       "hydraulic_k2",
    "vibrating_1d", "thermal_wall",   "dc_motor_gear_load", "dependent_capacitor_EF",
    "microphone",   "missile_seeker", "pmsm_foc",           "induction_motor",
    "pwm_servo",    "positioning",    "magnetic_levitation"};
enum { MODELS = sizeof models / sizeof *models, TREES = 40 };

/* ---- against the references */

static void test_references(void **state)
{
    (void)state;
    for (size_t k = 0; k < MODELS; k++)
        check_model(models[k], NULL, 1e-10, 8);
}

/* Rates coupled by inductances that turn with the rotor are solved symbolically. */
static void test_induction_motor(void **state)
{
    (void)state;
    check list[MOST_CHECKS];
    double times[MOST_CHECKS];
    uint32_t count = read_checks("induction_motor", list);
    trial t = new_trial(COTREE_ROOT "/tests/drafts/induction_motor.lg");
    t.def.tol = 1e-8;
    t.def.times = times;
    t.def.time_count = times_of(list, count, times);
    assert_true(count > 8);
    must_run(&t);
    check_values(&t, list, count);
    assert_int_equal(t.run->stats.newton_iters, 0);
    end_trial(&t);
}

static void test_operating_points(void **state)
{
    (void)state;
    for (size_t k = 0; k < MODELS; k++) {
        check list[MOST_CHECKS];
        uint32_t count = read_checks(models[k], list), seen = 0;
        trial t = new_trial(model_path(models[k]));
        t.equilibrium = true;
        run_trial(&t);
        for (uint32_t i = 0; i < count; i++) {
            if (isfinite(list[i].time))
                continue;
            assert_non_null(t.point);
            for (uint32_t y = 0; y < t.point->output_count; y++)
                if (strcmp(t.point->output[y], list[i].name) == 0 && ++seen)
                    close_to(t.point->y[y], list[i].value, list[i].tolerance, list[i].name);
        }
        assert_int_equal(seen, strcmp(models[k], "thermal_wall") == 0         ? 3
                               : strcmp(models[k], "dc_motor_gear_load") == 0 ? 4
                                                                              : 0);
        end_trial(&t);
    }
}

/* ---- all methods */

static void test_methods(void **state)
{
    static const char *const methods[] = {"auto", "bdf", "adams", "rk", "rk8"};
    (void)state;
    for (size_t k = 0; k < 5; k++) {
        double times[] = {0.05};
        trial t = accurate("dc_motor_gear_load", times, 1);
        t.def.method = methods[k];
        must_run(&t);
        close_to(value_at(&t, "omega_m", 0.05), 91.52974218789979, 1e-5, methods[k]);
        end_trial(&t);
    }
}

/* ---- closed forms, with other parameters */

enum { LARGEST = 8 };
typedef struct matrix {
    double at[LARGEST][LARGEST];
} matrix;

static matrix product(const matrix *a, const matrix *b, int n)
{
    matrix c = {0};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

/* exp(A t): the Taylor series of A t / 2^s, then s squarings. */
static matrix exponential(const matrix *a, double t, int n)
{
    matrix x = *a, term = {0}, sum = {0};
    double norm = 0;
    int squarings = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            norm += fabs(a->at[i][j] * t);
    while (norm > 0.25)
        norm /= 2, squarings++;
    for (int i = 0; i < n; i++) {
        term.at[i][i] = sum.at[i][i] = 1;
        for (int j = 0; j < n; j++)
            x.at[i][j] *= ldexp(t, -squarings);
    }
    for (int k = 1; k < 20; k++) {
        term = product(&term, &x, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                sum.at[i][j] += term.at[i][j] /= k;
    }
    for (int i = 0; i < squarings; i++)
        sum = product(&sum, &sum, n);
    return sum;
}

static void test_rc_closed_form(void **state)
{
    double times[] = {0.1, 0.3, 2};
    trial t = accurate("rc_network", times, 3);
    (void)state;
    set(&t, "E", "7");
    set(&t, "R2", "30 kohm");
    set(&t, "R3", "15 kohm");
    set(&t, "C4", "47 uF");
    set(&t, "v4_0", "-2");
    must_run(&t);
    for (int i = 0; i < 3; i++) {
        double end = 7 * 15.0 / 45, tau = 10e3 * 47e-6, v = end + (-2 - end) * exp(-times[i] / tau);
        close_to(value_at(&t, "v4", times[i]), v, 1e-8, "v4");
        close_to(value_at(&t, "i3", times[i]), v / 15e3, 1e-12, "i3");
    }
    end_trial(&t);
}

/* x' = A x + b with b in the last column of a matrix with one more row. */
static void compare(const trial *t, const matrix *a, int n, const double *x0,
                    const char *const *name, const double *times, int count)
{
    for (int k = 0; k < count; k++) {
        matrix e = exponential(a, times[k], n);
        for (int i = 0; name[i]; i++) {
            double want = 0, scale = 1e-9;
            for (int j = 0; j < n; j++) {
                want += e.at[i][j] * x0[j];
                scale += 1e-8 * fabs(e.at[i][j] * x0[j]);
            }
            close_to(value_at(t, name[i], times[k]), want, scale, name[i]);
        }
    }
}

static void test_motor_exponential(void **state)
{
    static const char *const name[] = {"i", "omega_m", "T_shaft", "omega_L", NULL};
    const double R = 2, L = 0.002, K = 0.08, J = 3e-4, B = 2e-5, N = 25, JL = 0.1, BL = 0.03,
                 k = 80, V = 12, x0[] = {0.5, 20, 1, 2, V}, times[] = {0.003, 0.1, 0.7};
    trial t = accurate("dc_motor_gear_load", times, 3);
    (void)state;
    static const char *const sets[][2] = {
        {"R", "2"},     {"L", "2 mH"},       {"K", "0.08"},      {"J", "3e-4"},     {"B", "2e-5"},
        {"N", "25"},    {"JL", "0.1"},       {"BL", "0.03"},     {"k", "80"},       {"V", "12"},
        {"i_0", "0.5"}, {"omega_m_0", "20"}, {"T_shaft_0", "1"}, {"omega_L_0", "2"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        set(&t, sets[i][0], sets[i][1]);
    must_run(&t);
    matrix a = {{{-R / L, -K / L, 0, 0, 1 / L},
                 {K / J, -B / J, -1 / (N * J), 0, 0},
                 {0, k / N, 0, -k, 0},
                 {0, 0, 1 / JL, -BL / JL, 0}}};
    compare(&t, &a, 5, x0, name, times, 3);
    end_trial(&t);
}

static void test_wall_exponential(void **state)
{
    static const char *const name[] = {"T1", "T2", "T3", NULL};
    const double Ti = 25, To = 3, Ri = 0.2, R12 = 0.5, R23 = 1.1, Ro = 0.05, C1 = 1e5, C2 = 4e4,
                 C3 = 2e5, Q = -20, x0[] = {12, 12, 12, 1}, times[] = {600, 7200, 1e5};
    trial t = accurate("thermal_wall", times, 3);
    (void)state;
    static const char *const sets[][2] = {{"Ti", "25"},   {"To", "3"},    {"Rci", "0.2"},
                                          {"R12", "0.5"}, {"R23", "1.1"}, {"Rco", "0.05"},
                                          {"C1", "1e5"},  {"C2", "4e4"},  {"C3", "2e5"},
                                          {"Q", "-20"},   {"T0", "12"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        set(&t, sets[i][0], sets[i][1]);
    must_run(&t);
    matrix a = {{{-(1 / Ri + 1 / R12) / C1, 1 / R12 / C1, 0, Ti / Ri / C1},
                 {1 / R12 / C2, -(1 / R12 + 1 / R23) / C2, 1 / R23 / C2, Q / C2},
                 {0, 1 / R23 / C3, -(1 / R23 + 1 / Ro) / C3, To / Ro / C3}}};
    compare(&t, &a, 4, x0, name, times, 3);
    end_trial(&t);
}

/* The input is sin(w t): two more states, sin and cos. */
static void test_capacitors_exponential(void **state)
{
    static const char *const name[] = {"v3", "f5", NULL};
    const double C1 = 3e-6, C2 = 1e-6, R = 200, L = 0.02, w = 2 * 3.14159265358979323846 * 1000,
                 x0[] = {0.25, 1e-3, 0, 1}, times[] = {1e-4, 1e-3, 4e-3};
    trial t = accurate("dependent_capacitor_EF", times, 3);
    (void)state;
    set(&t, "C1", "3e-6");
    set(&t, "C2", "1e-6");
    set(&t, "R", "200");
    set(&t, "L", "0.02");
    set(&t, "v2_0", "0.25");
    set(&t, "iL_0", "1e-3");
    must_run(&t);
    matrix a = {{{0, -1 / (C1 + C2), 0, C1 / (C1 + C2) * w},
                 {1 / L, -R / L, 0, 0},
                 {0, 0, 0, w},
                 {0, 0, -w, 0}}};
    compare(&t, &a, 4, x0, name, times, 3);
    end_trial(&t);
}

static double flow(double r, double p, double k)
{
    return r * copysign(pow(fabs(p), 1 / k), p);
}

/* The laws hold at every row, whatever the exponent. */
static void test_hydraulic_laws(void **state)
{
    static const char *const exponents[] = {"1", "1.7", "2", "3"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double times[] = {0, 1, 7}, k = atof(exponents[i]);
        trial t = accurate("hydraulic_k2", times, 3);
        set(&t, "k", exponents[i]);
        set(&t, "Qb", "0.9");
        set(&t, "Pa0", "4");
        must_run(&t);
        for (int n = 0; n < 3; n++) {
            double a = value_at(&t, "Pa", times[n]), b = value_at(&t, "Pb", times[n]),
                   c = value_at(&t, "Pc", times[n]);
            close_to(a, 4 + (0.3 - 0.9) / 2 * times[n], 1e-8, "Pa");
            close_to(flow(0.3, a - b, k) - flow(0.25, b - c, k), 0.9, 1e-8, "node b");
            close_to(flow(0.2, a - c, k) + flow(0.25, b - c, k), -0.3, 1e-8, "node c");
        }
        end_trial(&t);
    }
}

/* ---- forms, trees, power */

static void must_agree(const trial *t, const trial *first, const char *what)
{
    const ct_rows *a = &first->run->outputs, *b = &t->run->outputs;
    assert_int_equal(a->count, b->count);
    for (uint32_t k = 1; k < a->cols; k++) {
        double largest = 0;
        for (uint64_t i = 0; i < a->count; i++)
            largest = fmax(largest, fabs(a->value[i * a->cols + k]));
        for (uint64_t i = 0; i < a->count; i++)
            close_to(b->value[i * b->cols + k], a->value[i * a->cols + k], 1e-8 * largest + 1e-13,
                     what);
    }
}

/* Where the time that the model takes would only repeat itself, or is not given. */
static void settings(trial *t, const char *name)
{
    static const struct {
        const char *name;
        double stop;
    } shorter[] = {{"fig1_network", 1}, {"induction_motor", 0.1}, {"microphone", 4e-3}};
    t->def.tol = 1e-11;
    t->def.points = 20;
    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++)
        if (strcmp(name, shorter[i].name) == 0)
            t->def.stop = shorter[i].stop;
}

/* Trees that leave storage without a state of its own are beyond the elimination so far. */
static bool is_beyond(trial *t)
{
    for (size_t i = 0; i < ct_diag_count(t->ctx); i++)
        if (strcmp(ct_diag_at(t->ctx, i)->code, "E511") == 0)
            return true;
    return false;
}

static bool agrees(const char *name, const trial *first, int i)
{
    trial t = new_trial(model_path(name));
    settings(&t, name);
    t.form = (ct_form)(i % 3);
    t.seed = (uint32_t)(i / 3);
    run_trial(&t);
    bool beyond = is_beyond(&t);
    if (!beyond && !t.run) {
        print_messages(&t);
        fail_msg("%s, seed %u, form %d does not run", name, t.seed, t.form);
    }
    if (!beyond)
        must_agree(&t, first, name);
    end_trial(&t);
    return !beyond;
}

static void test_forms_and_trees(void **state)
{
    const int trees = cases_of(3 * TREES);
    (void)state;
    for (size_t k = 0; k < MODELS; k++) {
        trial first = new_trial(model_path(models[k]));
        uint32_t agreed = 0;
        settings(&first, models[k]);
        must_run(&first);
        for (int i = 0; i < trees; i++)
            agreed += agrees(models[k], &first, i);
        assert_true(agreed >= (uint32_t)trees / 2);
        end_trial(&first);
    }
}

/* In every domain the powers of all edges add up to zero [Tellegen]. */
static void test_balance(void **state)
{
    (void)state;
    for (size_t k = 0; k < MODELS; k++) {
        trial t = new_trial(model_path(models[k]));
        uint32_t seen = 0;
        t.balance = true;
        settings(&t, models[k]);
        must_run(&t);
        const ct_rows *rows = &t.run->outputs;
        for (uint32_t c = 1; c < rows->cols; c++) {
            if (strcmp(rows->name[c], "balance") != 0)
                continue;
            seen++;
            for (uint64_t i = 0; i < rows->count; i++)
                close_to(rows->value[i * rows->cols + c], 0, 1e-8, models[k]);
        }
        assert_true(seen >= 1);
        end_trial(&t);
    }
}

/* The past of a fast signal beside a slow state: steps are longer than it is smooth, and so many
 * that old pieces are dropped. */
static void test_past(void **state)
{
    static const double times[] = {0.02, 0.37, 2, 5.3, 8};
    trial t = trial_of("input u = sin(400*t/(1 s))\nD1 : delay(u)  T = 0.013 s\n"
                       "V1 : vsource(a, ground)  v = D1.y*1 V\nR1 : resistor(a, b)  R = 1 Mohm\n"
                       "C1 : capacitor(b, ground)  C = 10 uF\noutput D1.y as y, C1.v\n",
                       times, 5);
    (void)state;
    t.def.tol = 1e-6;
    must_run(&t);
    for (int i = 0; i < 5; i++)
        close_to(value_at(&t, "y", times[i]), sin(400 * (times[i] - 0.013)), 1e-6, "delayed");
    end_trial(&t);
}

/* v' = u - v of sources that are exponentials of time: exact, whatever the step. */
static void test_hyperbolic_sources(void **state)
{
    static const double times[] = {0.1, 1, 2.5};
    static const struct {
        const char *source;
        double sinh, cosh, exp; /* of 2 t, 2 t, -t in v */
    } cases[] = {{"sinh(2*t/(1 s))", -1 / 3.0, 2 / 3.0, -2 / 3.0},
                 {"cosh(2*t/(1 s))", 2 / 3.0, -1 / 3.0, 1 / 3.0},
                 {"exp(2*t/(1 s))", 1 / 3.0, 1 / 3.0, -1 / 3.0}};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "V1 : vsource(a, ground)  v = %s*(1 V)\nR1 : resistor(a, b)  R = 1 ohm\n"
                 "C1 : capacitor(b, ground)  C = 1 F\noutput C1.v as y\n",
                 cases[k].source);
        trial t = trial_of(text, times, 3);
        t.def.tol = 1e-9;
        must_run(&t);
        for (int i = 0; i < 3; i++) {
            double x = 2 * times[i], want = cases[k].sinh * sinh(x) + cases[k].cosh * cosh(x) +
                                            cases[k].exp * exp(-times[i]);
            close_to(value_at(&t, "y", times[i]), want, 1e-7 * (1 + fabs(want)), text);
        }
        end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_induction_motor),
        cmocka_unit_test(test_operating_points),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_rc_closed_form),
        cmocka_unit_test(test_motor_exponential),
        cmocka_unit_test(test_wall_exponential),
        cmocka_unit_test(test_capacitors_exponential),
        cmocka_unit_test(test_hydraulic_laws),
        cmocka_unit_test(test_forms_and_trees),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_past),
        cmocka_unit_test(test_hyperbolic_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

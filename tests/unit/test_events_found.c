/* test_events_found.c - no event is stepped over, and what is wrong about events is said. */
#include "test_simulate.h"

/* ---- no event is stepped over */

static double count_of(const char *condition, double stop, double *area)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "discrete n = 0, d = 0.5\nI1 : isource(ground, a)  i = if %s then 1 A else 0 A\n"
             "C1 : capacitor(a, ground)  C = 1 F\nwhen %s { n = pre(n) + 1 }\noutput n, C1.v\n"
             "simulate stop = %.17g s\n",
             condition, condition, stop);
    const double times[] = {stop};
    trial t = event_trial(text, times, 1);
    must_run(&t);
    double count = value_at(&t, "n", stop);
    *area = value_at(&t, "C1.v", stop);
    end_trial(&t);
    return count;
}

/* Windows of time alone, however narrow, that begin and end where the function says. */
static void test_windows_of_time(void **state)
{
    static const struct {
        const char *condition;
        double stop, count, area;
    } cases[] = {
        {"sin(2*pi*3*t) > 0.9999", 100, 300, 0.45016190948091943},
        {"sin(2*pi*3*t) > 1", 20, 0, 0},
        {"t^2*exp(-t) > 0.541", 10, 1, 0.100430},
        {"floor(2*sin(t)) > 0.5", 50, 8, 16.7551608191},
        {"mod(t, 1)*sin(3*t) > 0.9", 30, 4, 0.2652142},
        {"abs(sin(3*t)) < 0.001", 30, 28, 0.0190000031666},
        {"tan(t) > 10", 30, 10, 0.99668652491},
        {"sin(20*t) > 0.99 and cos(t) > 0", 30, 46, 0.6510815773},
        {"sin(t^2) > 0.999", 20, 64, 0.28921157},
        {"sin(2*pi*t) > d + 0.4999", 10, 10, 0.0450161909},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double area;
        close_to(count_of(cases[i].condition, cases[i].stop, &area), cases[i].count, 0,
                 cases[i].condition);
        close_to(area, cases[i].area, 2e-6, cases[i].condition);
    }
}

/* A mass on a spring that passes a level near its turning point 200 times. */
static void test_turning_points(void **state)
{
    static const char *const methods[] = {"auto", "rosenbrock", "bdf"};
    const double times[] = {1256.7};
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial t =
            event_trial("discrete n = 0, low = 0\nM : mass(a)  m = 1 kg, x(0) = 1 m\n"
                        "S : spring(ground, a)  k = 1 N/m, l0 = 0 m\n"
                        "when a.x > 0.9999 m { n = pre(n) + 1 }\n"
                        "when a.x < -0.99 m and a.v > 0 { low = pre(low) + 1 }\noutput n, low\n"
                        "simulate stop = 1256.7 s\n",
                        times, 1);
        t.def.method = methods[i];
        t.def.tol = 1e-8;
        must_run(&t);
        close_to(value_at(&t, "n", 1256.7), 200, 0, methods[i]);
        close_to(value_at(&t, "low", 1256.7), 200, 0, methods[i]);
        end_trial(&t);
    }
}

/* A condition that swings far faster than the motion that it reads, in linear models and beside
 * modes. */
static void test_swinging_conditions(void **state)
{
    static const char motion[] = "discrete n = 0\nM : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput n\n"
                                 "when sin(1e4*a.x*1 m^-1) > 0.5 { n = pre(n) + 1 }\n"
                                 "simulate stop = 1 s\n";
    static const char *const beside[] = {"",
                                         "V : vsource(q, ground)  v = 1\nD : ideal_diode(q, r)\n"
                                         "R : resistor(r, ground)  R = 1\n"};
    const double times[] = {1};
    char text[600];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s", motion, beside[i]);
        trial t = event_trial(text, times, 1);
        must_run(&t);
        close_to(value_at(&t, "n", 1), 1592, 0, text);
        end_trial(&t);
    }
}

/* By every method, with equations that bend and with algebraic ones; counts by a fine grid of times
 * on an independent solution. */
static void test_swinging_methods(void **state)
{
    static const char *const methods[] = {"auto", "rk", "rk8", "rosenbrock", "bdf", "adams"};
    static const char bent[] = "discrete n = 0\nM : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput n\n"
                               "S : spring(a, ground)  k = 9 N/m\n"
                               "F : force(ground, a)  F = -(3 N/m^3)*a.x^3\n"
                               "when sin(1e4*a.x*1 m^-1) > 0.5 { n = pre(n) + 1 }\n"
                               "simulate stop = 1 s\n";
    static const char algebraic[] = "discrete n = 0\nV : vsource(p, ground)  v = 1 V\noutput n\n"
                                    "R : resistor(p, q)  R = 1 ohm\nD : diode(q, r)\n"
                                    "C : capacitor(r, ground)  C = 1 F\n"
                                    "when sin(3e4*r.v*1 V^-1) > 0.5 { n = pre(n) + 1 }\n"
                                    "simulate stop = 1 s\n";
    const double times[] = {1};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        trial t = event_trial(bent, times, 1);
        t.def.method = methods[i];
        must_run(&t);
        close_to(value_at(&t, "n", 1), 999, 0, methods[i]);
        end_trial(&t);
    }
    for (size_t i = 3; i < 5; i++) {
        trial t = event_trial(algebraic, times, 1);
        t.def.method = methods[i];
        must_run(&t);
        close_to(value_at(&t, "n", 1), 665, 0, methods[i]);
        end_trial(&t);
    }
}

/* Phases that are no sums of states, and peaks and flanks that steps would pass over: x = t, counts
 * by a fine grid of times. */
static void test_bent_phases(void **state)
{
    static const char *const methods[] = {"auto", "rk", "rk8", "rosenbrock", "bdf", "adams"};
    static const char *const beside[] = {"", "V : vsource(q, ground)  v = 1\n"
                                             "D : ideal_diode(q, r)\n"
                                             "R : resistor(r, ground)  R = 1\n"};
    static const struct {
        const char *condition;
        double count;
    } cases[] = {
        {"sin(1e4*a.x^2) > 0.5", 1592},
        {"sin(300*sin(5*a.x)) > 0.99999", 144},
        {"a.x*sin(1e4*t) > 0.5", 796},
        {"mod(50*a.x^2 + 30*a.x*t, 1) > 0.5", 80},
        {"exp(-(1e4*(a.x - 0.4321))^2) > 0.5", 1},
        {"1/((a.x - 0.3)^2 + 1e-10) > 1e9", 1},
        {"sin(3*a.x)^400 > 0.9", 1},
        {"tanh(1e5*(a.x - 0.3)) - tanh(1e5*(a.x - 0.30003)) > 0.5", 1},
    };
    const double times[] = {1};
    char text[600];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 12; k++) {
            snprintf(text, sizeof text,
                     "discrete n = 0\nM : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput n\n"
                     "when %s { n = pre(n) + 1 }\nsimulate stop = 1 s\n%s",
                     cases[i].condition, beside[k / 6]);
            trial t = event_trial(text, times, 1);
            t.def.method = methods[k % 6];
            must_run(&t);
            close_to(value_at(&t, "n", 1), cases[i].count, 0, text);
            end_trial(&t);
        }
}

/* Beside modes an event happened twice where rounding turned its condition back. */
static void test_events_happen_once(void **state)
{
    static const char *const methods[] = {"auto", "rk", "bdf"};
    const double times[] = {0.9};
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial t =
            event_trial("discrete n = 0\nV : vsource(p, ground)  v = 1 V\noutput n\n"
                        "R : resistor(p, q)  R = 0.3888 ohm\nC : capacitor(q, ground)  C = 1 F\n"
                        "W : vsource(a, ground)  v = sin(7*t)*1 V\nD : ideal_diode(a, b)\n"
                        "S : resistor(b, c)  R = 1 ohm\nK : capacitor(c, ground)  C = 1 F\n"
                        "when sin(11.5*(C.v - 0.6843*t^2)) > 0.999 { n = pre(n) + 1 }\n"
                        "simulate stop = 0.9 s\n",
                        times, 1);
        t.def.method = methods[i];
        must_run(&t);
        close_to(value_at(&t, "n", 0.9), 1, 0, methods[i]);
        end_trial(&t);
    }
}

/* A fast source beside a large value, whose phase is no sum: 300 + the integral of sin(300 t^2)^2.
 */
static void test_bent_rates(void **state)
{
    static const char *const methods[] = {"auto", "rk8", "rosenbrock", "bdf", "adams"};
    const double times[] = {3};
    (void)state;
    for (int i = 0; i < 5; i++) {
        trial t =
            event_trial("M : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput C.v\nsimulate stop = 3 s\n"
                        "I : isource(ground, w)  i = sin(300*a.x^2)^2*1 A\n"
                        "C : capacitor(w, ground)  C = 1 F, v(0) = 300 V\n",
                        times, 1);
        t.def.method = methods[i];
        must_run(&t);
        close_to(value_at(&t, "C.v", 3), 301.487154603629, 3e-4, methods[i]);
        end_trial(&t);
    }
}

/* What time alone decides, beside modes and of a switch itself. */
static void test_windows_beside_modes(void **state)
{
    const double times[] = {1}, window = 3 * (acos(-1) - 2 * asin(0.9999)) / (6 * acos(-1));
    (void)state;
    trial t = event_trial("V : vsource(a, ground)  v = 1 V\nR : resistor(b, c)  R = 1 ohm\n"
                          "S : switch(a, b)  on = sin(2*pi*3*t*1 s^-1) > 0.9999\n"
                          "C : capacitor(c, ground)  C = 1 F\noutput C.v\nsimulate stop = 1 s\n",
                          times, 1);
    must_run(&t);
    close_to(value_at(&t, "C.v", 1), 1 - exp(-window), 1e-11, "switch");
    end_trial(&t);
    t = event_trial("discrete n = 0\nM : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput n\n"
                    "V : vsource(q, ground)  v = 1 V\nD : ideal_diode(q, r)\n"
                    "R : resistor(r, ground)  R = 1 ohm\nsimulate stop = 1 s\n"
                    "when sin(1e4*t*1 s^-1) > 0.99 { n = pre(n) + 1 }\n",
                    times, 1);
    must_run(&t);
    close_to(value_at(&t, "n", 1), 1592, 0, "when");
    end_trial(&t);
    t = event_trial("discrete n = 0\nM : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput n\n"
                    "V : vsource(q, ground)  v = 1 V\nD : ideal_diode(q, r)\n"
                    "R : resistor(r, ground)  R = 1 ohm\nsimulate stop = 1 s\n"
                    "when sin(2*pi*3*t*1 s^-1) > 0.9999 { n = pre(n) + 1 }\n",
                    times, 1);
    must_run(&t);
    close_to(value_at(&t, "n", 1), 3, 0, "each once");
    end_trial(&t);
}

static void says(const char *bad, const char *code, const char *good)
{
    const char *const text[] = {bad, good};
    for (int i = 0; i < 2; i++) {
        trial t = event_trial(text[i], NULL, 0);
        run_trial(&t);
        if (i == 0)
            assert_true(ct_diag_count(t.ctx) > 0);
        else if (ct_diag_count(t.ctx))
            fail_msg("%s: %s", good, ct_diag_at(t.ctx, 0)->message);
        if (i == 0)
            assert_string_equal(ct_diag_at(t.ctx, 0)->code, code);
        end_trial(&t);
    }
}

#define RC                                                                                         \
    "V1 : vsource(a, ground)  v = 5 V\nR1 : resistor(a, b)  R = 1 kohm\n"                          \
    "C1 : capacitor(b, ground)  C = 1 uF\noutput C1.v\nsimulate stop = 5 ms\n"

#define MANY(count)                                                                                \
    "repeat k = 1.." #count " {\n  C{k} : capacitor(n{k}, ground)  C = 1 F\n"                      \
    "  R{k} : resistor(n{k}, ground)  R = 1 ohm\n}\nB : mass(a)  m = 1 kg, x(0) = 1 m\n"           \
    "W : force(ground, a)  F = -9.81 N\nwhen a.x < 0 { B.v = -0.5*pre(B.v) }\noutput a.x\n"
#define FALLING                                                                                    \
    "W : force(ground, a)  F = -1 N\nwhen a.x < 0 { B.v = -0.5*pre(B.v) }\noutput a.x\n"           \
    "simulate stop = 1 s\nB : mass(a)  m = 1 kg, "

#define STORM "discrete n = 0\nwhen sin(1/(1 - t*1 s^-1)) > 0 { n = pre(n) + 1 }\n"
#define LOST(rate)                                                                                 \
    "discrete n = 0\nM : mass(a)  m = 1 kg, v(0) = 1 m/s\noutput n\nsimulate stop = 1 s\n"         \
    "when sin(" rate "*a.x^2) > 0.5 { n = pre(n) + 1 }\n"
#define TWO "V : vsource(a, ground)  v = 1 V\nR : resistor(b, c)  R = 1 ohm\noutput C.v\n"

static void test_messages(void **state)
{
    (void)state;
    says(STORM TWO "W : resistor(a, b)  R = 1 ohm\nC : capacitor(c, ground)  C = 1 F\n"
                   "simulate stop = 2 s\n",
         "E569",
         STORM TWO "W : resistor(a, b)  R = 1 ohm\nC : capacitor(c, ground)  C = 1 F\n"
                   "simulate stop = 0.99 s\n");
    says(STORM TWO "D : ideal_diode(a, b)\nC : capacitor(c, ground)  C = 1 F\n"
                   "simulate stop = 2 s\n",
         "E569",
         STORM TWO "D : ideal_diode(a, b)\nC : capacitor(c, ground)  C = 1 F\n"
                   "simulate stop = 0.99 s\n");
    says(LOST("1e9"), "E571", LOST("1e5"));
    says(MANY(205) "simulate stop = 2 s\n", "E564", MANY(205) "simulate stop = 1 s\n");
    says(FALLING "x(0) = -1 m\n", "W570", FALLING "x(0) = 3 m\n");
    says(RC "when C1.v > 4 V { R1.i = 0 }\n", "E550", RC "when C1.v > 4 V { C1.v = 0 V }\n");
    says("element x\n  port a, b : translational\n  edge c(a, b)\n"
         "  choice rule = newton | poisson\n  c.F = 0\n  when c.v < 0 { c.v = 1 m/s }\nend\n"
         "M : mass(a)  m = 1 kg, v(0) = 1 m/s\nW : force(ground, a)  F = -1 N\n"
         "X : x(ground, a)\noutput M.v\nsimulate stop = 1 s\n",
         "E555",
         "element x\n  port a, b : translational\n  edge c(a, b)\n"
         "  choice rule = sequential | poisson\n  c.F = 0\n  when c.v < 0 { c.v = 1 m/s }\nend\n"
         "M : mass(a)  m = 1 kg, v(0) = 1 m/s\nW : force(ground, a)  F = -1 N\n"
         "X : x(ground, a)\noutput M.v\nsimulate stop = 0.9 s\n");
    says(RC "param T = -1 ms\ndiscrete n = 0\nevery T { n = pre(n) + 1 }\n", "E551",
         RC "param T = 1 ms\ndiscrete n = 0\nevery T { n = pre(n) + 1 }\n");
    says(RC "discrete n = 1\nevery 1 ms { n = sqrt(pre(n) - 0.4) - 0.2 }\n", "E596",
         RC "discrete n = 1\nevery 1 ms { n = sqrt(max(pre(n) - 0.4, 0)) - 0.2 }\n");
    says(RC "discrete n = 0\nevery 1e-30 s { n = pre(n) + 1 }\n", "E551",
         RC "discrete n = 0\nevery 1e-5 s { n = pre(n) + 1 }\n");
    says(RC
         "discrete x = 0\nwhen t > 1 ms { x = 1 }\nwhen x > 0 { x = -1 }\nwhen x < 0 { x = 1 }\n",
         "E552",
         RC
         "discrete x = 0\nwhen t > 1 ms { x = 1 }\nwhen x > 0 { x = -1 }\nwhen x < 0 { x = 0 }\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_of_time),      cmocka_unit_test(test_turning_points),
        cmocka_unit_test(test_swinging_conditions),  cmocka_unit_test(test_swinging_methods),
        cmocka_unit_test(test_windows_beside_modes), cmocka_unit_test(test_messages),
        cmocka_unit_test(test_bent_phases),          cmocka_unit_test(test_events_happen_once),
        cmocka_unit_test(test_bent_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_simulate_events.c - runs: jumps of inputs and conditions, initial values, and what is said
 * when a run cannot be made; each message with a neighbour that is accepted. */
#include "test_simulate.h"

#define RC(drive, more)                                                                            \
    "input u : V = " drive "\n"                                                                    \
    "E1 : vsource(a, ground) v = u\n"                                                              \
    "R2 : resistor(a, b) R = 1 kohm\n"                                                             \
    "C4 : capacitor(b, ground) C = 1 uF\n" more "\n"

/* ---- jumps */

/* First order, tau = 1 ms: exact values after each jump. */
static void test_steps_are_met(void **state)
{
    const double times[] = {0.5e-3, 1e-3, 2e-3};
    trial t = trial_of(RC("5*step(t - 1 ms)", "output C4.v, R2.i, u as y"), times, 3);
    (void)state;
    must_run(&t);
    close_to(value_at(&t, "C4.v", 0.5e-3), 0, 1e-14, "before");
    close_to(value_at(&t, "C4.v", 1e-3), 0, 1e-12, "at the jump");
    close_to(value_at(&t, "R2.i", 1e-3), 5e-3, 1e-12, "right side of the jump");
    close_to(value_at(&t, "C4.v", 2e-3), 5 * (1 - exp(-1)), 1e-9, "after");
    assert_int_equal(t.run->stats.restarts, 2);
    end_trial(&t);
}

static double pulse_train(double t, double period, double width, double high)
{
    double v = 0, at = 0;
    while (at < t) {
        double up = fmin(width, t - at), down = fmin(period - width, fmax(t - at - width, 0));
        v = high + (v - high) * exp(-up / 1e-3);
        v *= exp(-down / 1e-3);
        at += period;
    }
    return v;
}

/* The same train in four ways of writing, over 1000 periods. */
static void test_pulses(void **state)
{
    static const char *const texts[] = {
        RC("5*pulse(t, 1 ms, 0.3 ms)", "output C4.v"),
        RC("if mod(t, 1 ms) < 0.3 ms then 5 else 0", "output C4.v"),
        RC("5*(floor(t/1 ms) - floor((t - 0.3 ms)/1 ms))", "output C4.v"),
        RC("5*step(0.3 ms - (t - 1 ms*floor(t/1 ms)))", "output C4.v"),
    };
    const double times[] = {0.15e-3, 1e-3, 2.2e-3, 0.5007};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        trial t = trial_of(texts[k], times, 4);
        must_run(&t);
        for (int i = 0; i < 4; i++)
            close_to(value_at(&t, "C4.v", times[i]), pulse_train(times[i], 1e-3, 0.3e-3, 5), 1e-7,
                     texts[k]);
        end_trial(&t);
    }
}

static void test_table_input(void **state)
{
    const double times[] = {1e-3, 3e-3};
    trial t =
        trial_of(RC("table(t, [0 s, 1 ms, 1 ms, 2 ms], [0, 2, 5, 5])", "output C4.v"), times, 2);
    (void)state;
    must_run(&t);
    double v = 2 * (1 - (1 - exp(-1))), e = exp(-2); /* ramp of 2 V/ms: 2 (t - 1 + exp(-t)) */
    close_to(value_at(&t, "C4.v", 1e-3), v, 1e-9, "ramp");
    close_to(value_at(&t, "C4.v", 3e-3), 5 + (v - 5) * e, 1e-9, "after the jump");
    end_trial(&t);
}

/* A comparison with a state: as the voltage passes 3 V the source jumps from 5 V to 10 V. Then
 * v' = 13 - 2 v. */
static void test_state_event(void **state)
{
    const double times[] = {2e-3};
    trial t = trial_of("E1 : vsource(a, ground) v = if C4.v < 3 then 5 else 13 - C4.v\n"
                       "R2 : resistor(a, b) R = 1 kohm\n"
                       "C4 : capacitor(b, ground) C = 1 uF\n"
                       "output C4.v",
                       times, 1);
    (void)state;
    must_run(&t);
    double switched = -log(1 - 3.0 / 5), v = 6.5 - 3.5 * exp(-2 * (2 - switched));
    close_to(value_at(&t, "C4.v", 2e-3), v, 1e-8, "after the event");
    assert_int_equal(t.run->stats.roots_found, 1);
    end_trial(&t);
}

/* Kinks of continuous choices are located once, since steps over them are wrong, and not where they
 * hardly bend. */
static void test_tame_choices(void **state)
{
    static const char *const texts[] = {
        "E1 : vsource(a, ground) v = if C4.v < 3 then 5 else 5 + 2*(C4.v - 3)\n",
        "E1 : vsource(a, ground) v = 5 + (C4.v - 3)*step(C4.v - 3)\n",
        "E1 : vsource(a, ground) v = 5 + sign(C4.v - 3)*abs((C4.v - 3)/1 V)^0.5*1 V\n",
        "E1 : vsource(a, ground) v = max(C4.v, 3) + 1\n",
        "E1 : vsource(a, ground) v = 5 V - (max(C4.v - 3, 0)/1 V)^3*1 V\n",
    };
    const double times[] = {3e-3};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "%sR2 : resistor(a, b) R = 1 kohm\nC4 : capacitor(b, ground) C = 1 uF\n",
                 texts[k]);
        trial t = trial_of(text, times, 1);
        t.def.tol = 1e-7;
        must_run(&t);
        assert_int_equal(t.run->stats.roots_found, k < 4);
        end_trial(&t);
    }
}

/* A step that has seen nothing of a bow of max(0, sin) does not pass over it. */
static void test_bows(void **state)
{
    const double times[] = {20};
    static const char *const methods[] = {"auto", "rosenbrock", "bdf", "adams"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial t = trial_of("C1 : capacitor(a, ground) C = 1, v(0) = 0\n"
                           "I1 : isource(ground, a) i = 1\n"
                           "C2 : capacitor(b, ground) C = 1, v(0) = 0\n"
                           "I2 : isource(ground, b) i = max(0 A, sin(C1.v/1 V)*1 A)\n"
                           "output C2.v",
                           times, 1);
        t.def.method = methods[k];
        must_run(&t);
        close_to(value_at(&t, "C2.v", 20), 7 - cos(20.0), 7e-5, "six halves and a part");
        end_trial(&t);
    }
}

/* A voltage that hangs on the last digits of a current, at a tight tolerance; and a method that is
 * asked for is used, also for equations that are not stiff. */
static void test_last_digits(void **state)
{
    const double times[] = {0.05, 0.2};
    static const struct {
        const char *method, *name;
    } ways[] = {{"auto", "Rosenbrock"}, {"bdf", "BDF"}};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        trial t = trial_of("element exponential \"exponential conductor\"\n"
                           "  port a, k : electrical\n  edge e(a, k)\n  param g : A, s : V\n"
                           "  e.i = g*(exp(e.v/s) - 1)\nend\n"
                           "I1 : isource(n, ground) i = -1.324*sin(1.806*t)\n"
                           "L1 : inductor(n, ground) L = 2.264\n"
                           "D1 : exponential(ground, n) g = 0.367, s = 0.231\noutput L1.i",
                           times, 2);
        t.def.method = ways[k].method;
        t.def.tol = 1e-9;
        must_run(&t);
        assert_non_null(strstr(t.run->stats.method, ways[k].name));
        assert_true(t.run->stats.steps < 1000000);
        close_to(value_at(&t, "L1.i", 0.05), 0.00093323718594, 1e-11, "before saturation");
        close_to(value_at(&t, "L1.i", 0.2), 0.100897701667427, 1e-9, "beyond it");
        end_trial(&t);
    }
    trial t = trial_of("R2 : resistor(b, ground) R = 1\nC4 : capacitor(b, ground) C = 1, v(0) = 1\n"
                       "output C4.v",
                       times, 2);
    t.def.method = "rosenbrock";
    must_run(&t);
    assert_string_equal(t.run->stats.method, "Rosenbrock 5(4)");
    close_to(value_at(&t, "C4.v", 0.2), exp(-0.2), 1e-5, "decay");
    end_trial(&t);
}

/* A diode guards its exponential with a choice that is continuous. */
static void test_rectifier(void **state)
{
    const double times[] = {0, 25e-3};
    trial t = trial_of("input u : V = 5*sin(2*pi*50*t)\nE1 : vsource(a, ground) v = u\n"
                       "D1 : diode(a, b)\nR2 : resistor(b, ground) R = 1 kohm\n"
                       "C4 : capacitor(b, ground) C = 10 uF\noutput C4.v, D1.i, R2.i, C4.i",
                       times, 2);
    (void)state;
    t.def.tol = 1e-8;
    must_run(&t);
    double v = value_at(&t, "C4.v", 25e-3);
    assert_true(v > 4 && v < 5);
    close_to(value_at(&t, "D1.i", 25e-3), value_at(&t, "R2.i", 25e-3) + value_at(&t, "C4.i", 25e-3),
             1e-12, "node b");
    end_trial(&t);
}

/* ---- initial values */

static const struct start_case {
    const char *text, *name;
    double value;
} start_cases[] = {
    {RC("10", "output C4.v"), "C4.v", 0},
    {RC("10", "initial C4.v = 3\noutput C4.v"), "C4.v", 3},
    {RC("10", "initial R2.i = 4 mA\noutput C4.v"), "C4.v", 6},
    {RC("10", "initial b.v = 2\noutput C4.v"), "C4.v", 2},
    {RC("10", "initial der(C4.v) = 1000\noutput C4.v"), "C4.v", 9},
    {RC("10", "initial C4.v = 3, R2.i = 7 mA, R2.v = 7 V\noutput C4.v"), "C4.v", 3},
    {RC("10", "initial C4.v = 3, R2.i = 7.000001 mA\noutput C4.v"), "C4.v", 3},
    {RC("10", "initial equilibrium\noutput C4.v"), "C4.v", 10},
    {RC("10", "guess C4.v = 3\noutput C4.v"), "C4.v", 3},
    {RC("10", "C5 : capacitor(b, ground) C = 2 uF, v(0) = 2 V\noutput C4.v"), "C4.v", 2},
    {"m : mass(a) m = 2\ns : spring(ground, a) k = 100\nF : force(ground, a) F = 3\n"
     "initial equilibrium\noutput m.x",
     "m.x", 0.03},
};

/* Two ways to close the loop of the connecting rod, by guesses of angles that are no coordinates.
 */
#define QUICK_RETURN(guess)                                                                        \
    "space = planar\ncoordinates = joint\n"                                                        \
    "ground { O1 = [0, 0], O2 = [0, -2], line = [0, 2.5] }\n"                                      \
    "crank : body m = 1, I = 1 { A = [0, 0], B = [1, 0] }\n"                                       \
    "rock : body m = 1, I = 1 { O = [0, 0], E = [4, 0] }\nblock : body m = 1, I = 1\n"             \
    "conn : body m = 1, I = 1 { E = [0, 0], S = [0, 1.5] }\nram : body m = 1, I = 1\n"             \
    "h11 : revolute(ground.O1, crank.A) beta = 0.4356 + 4*pi*t\n"                                  \
    "h10 : revolute(crank.B, block)\ns9 : prismatic(rock.O, block) axis = [1, 0]\n"                \
    "h8 : revolute(ground.O2, rock.O)\nh12 : revolute(rock.E, conn.E)\n"                           \
    "h13 : revolute(conn.S, ram)\ns20 : prismatic(ground.line, ram) axis = [1, 0]\n"               \
    "output rock.theta, conn.theta\nguess " guess

static const struct start_case guess_cases[] = {
    {QUICK_RETURN("rock.theta = 70 deg, conn.theta = 90 deg"), "conn.theta", 1.0442218488801238},
    {QUICK_RETURN("rock.theta = 70 deg, conn.theta = 250 deg"), "conn.theta", 5.2389634582994624},
    {RC("10", "guess R2.i = 7 mA\noutput C4.v"), "C4.v", 0}, /* no guess of a state */
    {"element square \"v = k i^2\"\nport p, n : electrical\nedge e(p, n)\nparam k : ohm/A\n"
     "e.v = k*e.i^2\nend\nV1 : vsource(a, ground) v = 4 V\nX1 : square(a, b) k = 1\n"
     "R1 : resistor(b, ground) R = 3 ohm\nguess R1.v = -10 V\noutput R1.v",
     "R1.v", -12},
    {"element square \"v = k i^2\"\nport p, n : electrical\nedge e(p, n)\nparam k : ohm/A\n"
     "e.v = k*e.i^2\nend\nV1 : vsource(a, ground) v = 4 V\nX1 : square(a, b) k = 1\n"
     "R1 : resistor(b, ground) R = 3 ohm\nguess R1.v = 10 V\noutput R1.v",
     "R1.v", 3},
};

static void test_guesses(void **state)
{
    const double times[] = {0};
    (void)state;
    for (size_t k = 0; k < sizeof guess_cases / sizeof *guess_cases; k++) {
        const struct start_case *c = &guess_cases[k];
        trial t = trial_of(c->text, times, 1);
        must_run(&t);
        close_to(value_at(&t, c->name, 0), c->value, 1e-8, c->text);
        end_trial(&t);
    }
}

static void test_starts(void **state)
{
    const double times[] = {0};
    (void)state;
    for (size_t k = 0; k < sizeof start_cases / sizeof *start_cases; k++) {
        const struct start_case *c = &start_cases[k];
        trial t = trial_of(c->text, times, 1);
        must_run(&t);
        close_to(value_at(&t, c->name, 0), c->value, 1e-8, c->text);
        end_trial(&t);
    }
}

/* Springs in a loop, in every order of writing and every form: `given` begins alike, or never fits.
 */
static void springs_in_order(const char *const line[5], const char *want, bool fits)
{
    const double times[] = {0};
    char text[600];
    for (uint32_t order = 0; order < 30; order++) {
        uint32_t a = order % 5, b = order / 5 % 3 + 1;
        text[0] = 0;
        for (uint32_t i = 0; i < 5; i++)
            strcat(strcat(text, line[(a + i * b) % 5]), "\n");
        strcat(text, "output s2.x, s3.x");
        trial t = trial_of(text, times, 1);
        t.form = (ct_form)(order % 3);
        run_trial(&t);
        if (fits != (ct_error_count(t.ctx) == 0))
            fail_msg("%s: %s", text, fits ? "does not run" : "runs");
        if (fits)
            close_to(value_at(&t, want, 0), -0.5, 1e-9, text);
        else
            assert_string_equal(ct_diag_at(t.ctx, 0)->code, "E523");
        end_trial(&t);
    }
}

static void test_starts_by_order(void **state)
{
    const char *const some[5] = {"m1 : mass(a) m = 1", "m2 : mass(b) m = 1",
                                 "s1 : spring(ground, a) k = 10, x(0) = 1",
                                 "s2 : spring(a, b) k = 20", "s3 : spring(b, ground) k = 30"};
    const char *const all[5] = {
        "m1 : mass(a) m = 1", "m2 : mass(b) m = 1", "s1 : spring(ground, a) k = 10, x(0) = 1",
        "s2 : spring(a, b) k = 20, x(0) = 2", "s3 : spring(b, ground) k = 30, x(0) = 4"};
    (void)state;
    springs_in_order(some, "s2.x", true);
    springs_in_order(some, "s3.x", true);
    springs_in_order(all, "", false);
}

/* What begins at zero does not depend on the tree. */
static void test_starts_by_tree(void **state)
{
    const double times[] = {0, 1e-3};
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++) {
        trial t = trial_of(RC("10", "R3 : resistor(b, ground) R = 2 kohm\noutput C4.v"), times, 2);
        t.seed = seed;
        t.form = (ct_form)(seed % 3);
        must_run(&t);
        close_to(value_at(&t, "C4.v", 0), 0, 1e-12, "start");
        close_to(value_at(&t, "C4.v", 1e-3), 5.179132265677135, 1e-8, "later");
        end_trial(&t);
    }
}

/* ---- messages */

static const struct message_case {
    const char *code, *witness, *wrong, *good;
    bool equilibrium;
} message_cases[] = {
    {"E521", "R0", RC("10", "param R0\nR3 : resistor(b, ground) R = R0"),
     RC("10", "param R0 = 1, unused\nR3 : resistor(b, ground) R = R0"), false},
    {"E521", "a", RC("10", "param a, R0 = 2*a\nR3 : resistor(b, ground) R = R0"),
     RC("10", "param a = 1, R0 = 2*a\nR3 : resistor(b, ground) R = R0"), false},
    {"E522", "R0",
     RC("10", "param R0 = 0\nR3 : resistor(b, c) R = R0\nR4 : resistor(c, ground) R = R0"),
     RC("10", "param R0 = 1\nR3 : resistor(b, c) R = R0\nR4 : resistor(c, ground) R = R0"), false},
    {"E523", "R2.i", RC("10", "initial C4.v = 3, R2.i = 6 mA"),
     RC("10", "initial C4.v = 3, R2.i = 7 mA"), false},
    {"E523", "C4.v", RC("10", "initial C4.v = 3\ninitial b.v = 4"),
     RC("10", "initial C4.v = 3\ninitial b.v = 3"), false},
    {"E523", "C5.v", RC("10", "C5 : capacitor(b, ground) C = 1 uF, v(0) = 2 V\ninitial C4.v = 1"),
     RC("10", "C5 : capacitor(b, ground) C = 1 uF, v(0) = 2 V\ninitial C4.v = 2"), false},
    {"E212", "R2", RC("10", "output R2.j"), RC("10", "output R2.i"), false},
    {"E527", "C1", "I1 : isource(ground, b) i = 1 mA\nC1 : capacitor(b, ground) C = 1 uF\n",
     "I1 : isource(ground, b) i = 1 mA\nC1 : capacitor(b, ground) C = 1 uF\n"
     "R1 : resistor(b, ground) R = 1 kohm",
     true},
    {"E527", "m", "m : mass(a) m = 1\nF : force(ground, a) F = 1\noutput m.x",
     "m : mass(a) m = 1\nF : force(ground, a) F = 1\ns : spring(ground, a) k = 1\noutput m.x",
     true},
    {"E584", "D1", "D1 : delay(D2.y) T = 1\nD2 : delay(D1.y) T = 2\noutput D1.y as y",
     "D1 : delay(D2.y) T = 1\nD2 : delay(1 - D1.y) T = 2\noutput D1.y as y", true},
    {"E584", "D1", /* the first delay, which is determined, takes no part */
     "D0 : delay(1) T = 3\nD1 : delay(D2.y) T = 1\nD2 : delay(D1.y) T = 2\noutput D0.y, D1.y as y",
     "D0 : delay(1) T = 3\nD1 : delay(D2.y) T = 1\nD2 : delay(1 - D1.y) T = 2\n"
     "output D0.y, D1.y as y",
     true},
    {"E584", "L",
     "L : line(a, b) length = 4, l = 12, c = 3, method = delay\noutput a.v as y\n"
     "C : capacitor(a, ground) C = 1\n",
     "L : line(a, b) length = 4, l = 12, c = 3, method = delay\noutput a.v as y\n"
     "C : capacitor(a, ground) C = 1\nR : resistor(b, ground) R = 1\n",
     true},
    {"E527", "L",
     "V : vsource(a, ground) v = 1\noutput L.i as y\n"
     "L : line(a, ground) length = 4, l = 12, c = 3, method = delay\n",
     "V : vsource(a, s) v = 1\nR : resistor(s, ground) R = 2\noutput L.i as y\n"
     "L : line(a, ground) length = 4, l = 12, c = 3, method = delay\n",
     true},
    {"E528", "w",
     RC("10", "input w : V = R3.v\nR3 : resistor(b, c) R = 1\nE4 : vsource(c, ground) v = w"),
     RC("10", "input w : V = C4.v/2\nR3 : resistor(b, c) R = 1\nE4 : vsource(c, ground) v = w"),
     false},
};

static bool has_message(const trial *t, const char *code, const char *witness)
{
    for (size_t i = 0; i < ct_diag_count(t->ctx); i++) {
        const ct_diag *d = ct_diag_at(t->ctx, i);
        for (size_t k = 0; strcmp(d->code, code) == 0 && k < d->witness_count; k++)
            if (strcmp(d->witness[k], witness) == 0)
                return true;
    }
    return false;
}

/* Storage tied to a source that jumps: told once, by name; not where a resistance parts them. */
static void test_impulses(void **state)
{
    const struct {
        const char *text, *witness;
    } cases[] = {
        {"V1 : vsource(a, ground) v = 5*step(t - 1e-3)\nC1 : capacitor(a, ground) C = 1e-6", "C1"},
        {"V1 : vsource(a, ground) v = pulse(t, 1e-3, 5e-4)\nC1 : capacitor(a, ground) C = 1e-6",
         "C1"},
        {"input u = if t < 1e-3 then 0 A else 1 A\nI1 : isource(ground, a) i = u\n"
         "L1 : inductor(a, ground) L = 1",
         "L1"},
        {"V1 : vsource(a, ground) v = 5*step(t - 1e-3)\nR1 : resistor(a, b) R = 1\n"
         "C1 : capacitor(b, ground) C = 1e-6",
         NULL},
        {"V1 : vsource(a, ground) v = 5*sin(t)\nC1 : capacitor(a, ground) C = 1e-6", NULL},
        {"V1 : vsource(a, ground) v = table(mod(t, 1e-3), [0, 1e-4, 5e-4, 6e-4, 2e-3], [0, 5, 5, "
         "0, "
         "0])\nC1 : capacitor(a, ground) C = 1e-6",
         NULL},
        {"V1 : vsource(a, ground) v = table(mod(t, 5e-4), [0, 1e-4, 5e-4, 6e-4, 2e-3], [0, 5, 5, "
         "0, "
         "0])\nC1 : capacitor(a, ground) C = 1e-6",
         "C1"},
    };
    const double times[] = {0, 2e-3};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trial t = trial_of(cases[k].text, times, 2);
        must_run(&t);
        assert_int_equal(ct_diag_count(t.ctx), cases[k].witness ? 1 : 0);
        if (cases[k].witness)
            assert_true(has_message(&t, "W532", cases[k].witness));
        end_trial(&t);
    }
}

/* Breakpoints that a state passes are located: of lines, not of cubics, not at the ends. */
/* At p = 4 the line p = 5 - q becomes p = 7 - 3 q: on which side the start lies is rounding. */
static void test_start_on_kink(void **state)
{
    (void)state;
    double one[] = {1};
    for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++) {
        trial t = trial_of(
            "element fan \"pressure by a table\"\n  port a, b : hydraulic\n  edge e(a, b)\n"
            "  e.p = -table(e.q, [0, 1, 2], [5, 4, 1])\nend\nX : fan(ground, y)\n"
            "T1 : tank(y, ground) C = 1, p(0) = 4\nR1 : fluid_resistor(y, ground) R = 2, k = 1\n"
            "output T1.p\nsimulate stop = 1\n",
            one, 1);
        t.form = (ct_form)form;
        must_run(&t);
        close_to(value_at(&t, "T1.p", 1), 2.8 + 1.2 * exp(-5.0 / 6), 1e-6, "fan");
        end_trial(&t);
    }
}

/* Kinks of a table that algebraic unknowns pass, at many tolerances: some step ends a tolerance
 * before one. */
static void test_kinks_passed(void **state)
{
    double times[] = {0, 0.1, 0.5, 1};
    (void)state;
    for (int k = 0; k < 25; k++) {
        trial t = trial_of(
            "element fan \"pressure by a table\"\n  port a, b : hydraulic\n  edge e(a, b)\n"
            "  e.p = -table(e.q, [0, 1.344, 2.236, 2.976, 3.686, 4.381], [10, 9.9271, 9.4395,\n"
            "  9.3817, 9.1857, 8.5562])\nend\nX : fan(ground, y)\n"
            "T1 : tank(y, ground) C = 1.163, p(0) = 9.4395\n"
            "R1 : fluid_resistor(y, ground) R = 1.993, k = 1\noutput T1.p\n",
            times, 4);
        t.def.method = "rosenbrock";
        t.def.tol = pow(10, -6 - k / 6.0);
        must_run(&t);
        close_to(value_at(&t, "T1.p", 1), 8.8038895912198, 1e-7, "fan");
        end_trial(&t);
    }
}

static void test_table_kinks(void **state)
{
    const struct {
        const char *method;
        uint64_t events;
    } cases[] = {{"linear", 1}, {"cubic", 0}};
    const double times[] = {0, 1};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "m1 : mass(a) m = 1, v(0) = 1\nP1 : spring(ground, a) k = 0, x(0) = -0.5\n"
            "F1 : force(ground, a) F = -table(P1.x, [-0.25, 0, 0.25], [0, 0, 1], method = %s)\n"
            "output P1.x",
            cases[k].method);
        trial t = trial_of(text, times, 2);
        must_run(&t);
        assert_int_equal(t.run->stats.roots_found, cases[k].events);
        /* without force up to x = 0, then x'' = -4 x */
        if (k == 0)
            close_to(value_at(&t, "P1.x", 1), sin(2 * 0.5) / 2, 1e-6, "table");
        end_trial(&t);
    }
}

static void test_messages(void **state)
{
    const double times[] = {0, 1e-3};
    (void)state;
    for (size_t k = 0; k < sizeof message_cases / sizeof *message_cases; k++) {
        const struct message_case *c = &message_cases[k];
        trial wrong = trial_of(c->wrong, times, 2), good = trial_of(c->good, times, 2);
        wrong.equilibrium = good.equilibrium = c->equilibrium;
        run_trial(&wrong);
        if (!has_message(&wrong, c->code, c->witness) || wrong.run || wrong.point) {
            print_messages(&wrong);
            fail_msg("%s %s was not reported for\n%s", c->code, c->witness, c->wrong);
        }
        end_trial(&wrong);
        run_trial(&good);
        if (ct_error_count(good.ctx)) {
            print_messages(&good);
            fail_msg("not accepted:\n%s", c->good);
        }
        end_trial(&good);
    }
}

static void test_without_stop(void **state)
{
    trial t = new_trial(NULL);
    (void)state;
    t.text = RC("10", "output C4.v");
    run_trial(&t);
    assert_null(t.run);
    assert_string_equal(ct_diag_at(t.ctx, 0)->code, "E525");
    end_trial(&t);
    t = new_trial(NULL);
    t.text = "E1 : vsource(a, ground) v = 3\nR2 : resistor(a, ground) R = 2\noutput R2.i\n";
    must_run(&t);
    assert_int_equal(t.run->outputs.count, 1);
    close_to(value_at(&t, "R2.i", 0), 1.5, 1e-15, "R2.i");
    end_trial(&t);
}

/* x' = x^2 from 1 ends at t = 1: the rows before it are kept. */
static void test_broken_off(void **state)
{
    trial t = new_trial(NULL);
    (void)state;
    t.text =
        "element blow\n  var x : m\n  der(x) = x^2/(1 m.s)\nend\nB : blow x(0) = 1\noutput B.x\n";
    t.def.stop = 2;
    t.def.points = 20;
    run_trial(&t);
    assert_non_null(t.run);
    assert_true(t.run->status != CT_SOLVED);
    assert_true(has_message(&t, "E526", "B"));
    assert_true(t.run->outputs.count >= 10 && t.run->outputs.count < 12);
    close_to(value_at(&t, "B.x", 0.5), 2, 1e-4, "x before the end");
    end_trial(&t);
}

/* Before the first row, wherever the start is looked for: no rows, and nothing is said. */
static void interrupt_at_once(const char *text)
{
    static volatile sig_atomic_t flag = 1;
    trial t = new_trial(NULL);
    t.text = text;
    t.def.stop = 1;
    t.def.interrupted = &flag;
    run_trial(&t);
    if (!t.run || ct_error_count(t.ctx))
        fail_msg("%s%s", text, ct_diag_count(t.ctx) ? ct_diag_at(t.ctx, 0)->message : "no run");
    assert_int_equal(t.run->status, CT_STOPPED);
    assert_int_equal(t.run->outputs.count, 0);
    end_trial(&t);
}

static void test_interruption(void **state)
{
    (void)state;
    interrupt_at_once(RC("10", "output C4.v"));
    interrupt_at_once("V1 : vsource(a, ground)  v = 5 V\nR1 : resistor(a, b)  R = 1 kohm\n"
                      "D1 : diode(b, c)\nD2 : diode(c, ground)\noutput D1.v\n");
    interrupt_at_once("initial equilibrium\nV1 : vsource(a, ground)  v = 5 V\n"
                      "R1 : resistor(a, b)  R = 1 kohm\nD1 : diode(b, ground)\n"
                      "C1 : capacitor(b, ground)  C = 1 uF\noutput D1.v\n");
    interrupt_at_once("space = planar\nground { Q = [0.6 m, 0] }\n"
                      "a : body  m = 1 kg, I = 1 { E = [0.2 m, 0] }\n"
                      "b : body  m = 1 kg, I = 1 { E = [0.5 m, 0] }\n"
                      "c : body  m = 1 kg, I = 1 { E = [0.4 m, 0] }\n"
                      "J1 : revolute(ground, a)  beta(0) = 60 deg, w(0) = 1 rad/s\n"
                      "J2 : revolute(a.E, b)\nJ3 : revolute(b.E, c.E)\n"
                      "J4 : revolute(ground.Q, c)\noutput a.theta\n");
}

/* v' = v^2 has the solution 1/(1 - t): rows at 1 s and beyond are none. */
static void rows_end_before_a_singularity(void **state)
{
    (void)state;
    trial t = new_trial(NULL);
    t.text = "element explosive\n  port p, n : electrical\n  edge e(p, n)\n  param k : S/V = 1\n"
             "  e.i = -k*e.v^2\nend\nC1 : capacitor(a, ground)  C = 1 F, v(0) = 1 V\n"
             "X1 : explosive(a, ground)\noutput C1.v\nsimulate stop = 2 s, points = 200\n";
    run_trial(&t);
    assert_non_null(t.run);
    assert_string_equal(ct_diag_at(t.ctx, 0)->code, "E526");
    const ct_rows *rows = &t.run->outputs;
    assert_int_equal(rows->count, 100);
    for (uint64_t i = 0; i < rows->count; i++) {
        double want = 1 / (1 - rows->value[2 * i]);
        close_to(rows->value[2 * i + 1], want, 1e-3 * want, "1/(1 - t)");
    }
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_met),
        cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_table_input),
        cmocka_unit_test(test_state_event),
        cmocka_unit_test(test_tame_choices),
        cmocka_unit_test(test_bows),
        cmocka_unit_test(test_last_digits),
        cmocka_unit_test(test_rectifier),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_impulses),
        cmocka_unit_test(test_table_kinks),
        cmocka_unit_test(test_kinks_passed),
        cmocka_unit_test(test_start_on_kink),
        cmocka_unit_test(test_starts_by_order),
        cmocka_unit_test(test_starts_by_tree),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_without_stop),
        cmocka_unit_test(test_broken_off),
        cmocka_unit_test(test_interruption),
        cmocka_unit_test(rows_end_before_a_singularity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

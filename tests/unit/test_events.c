/* test_events.c - events that models write: `when`, `every`, `discrete`, `pre`, `stop`. */
#include "test_simulate.h"

#define BALL                                                                                       \
    "param e = 0.8, h0 = 1 m, g = 9.81 m/s^2\n"                                                    \
    "discrete bounces = 0, last : s = 0\n"                                                         \
    "B : mass(ball)  m = 0.1 kg, x(0) = h0\n"                                                      \
    "W : force(ground, ball)  F = -0.1*g\n"                                                        \
    "when ball.x < 0 {\n  B.v = -e*pre(B.v)\n  bounces = pre(bounces) + 1\n  last = t\n}\n"        \
    "output ball.x as h, B.v as v, bounces, last\n"

/* Closed form of a few bounces. */
static void test_ball(void **state)
{
    const double times[] = {0.3, 0.8, 1, 1.5, 2.5};
    static const double want[] = {0.55855, 0.6392035620208291, NAN, 0.4028620218202983,
                                  0.11795005964214822};
    (void)state;
    for (int form = 0; form < 3; form++) {
        trial t = event_trial(BALL "simulate stop = 2.5 s\n", times, 5);
        t.form = (ct_form)form;
        must_run(&t);
        for (int i = 0; i < 5; i++)
            if (i != 2)
                close_to(value_at(&t, "h", times[i]), want[i], 1e-9, "height");
        close_to(value_at(&t, "bounces", 2.5), 4, 0, "bounces");
        close_to(value_at(&t, "last", 1.0), 0.4515236409857309, 1e-12, "first");
        assert_int_equal(t.run->event_count, 4);
        const ct_event_row *row = t.run->event;
        close_to(row[3].time, 2.2142719353940246, 1e-10, "fourth");
        assert_string_equal(row[3].what, "when ball.x < 0");
        assert_int_equal(row[3].change_count, 3);
        assert_string_equal(row[3].change[0].name, "B.v");
        close_to(row[3].change[0].after, -0.8 * row[3].change[0].before, 1e-12, "restitution");
        end_trial(&t);
    }
}

static void test_stop(void **state)
{
    (void)state;
    trial t =
        event_trial(BALL "when bounces > 2 { stop = \"three\" }\nsimulate stop = 5 s\n", NULL, 0);
    must_run(&t);
    assert_string_equal(t.run->ended, "three");
    close_to(t.run->stats.last_time, 1.751911727024636, 1e-10, "end");
    const ct_rows *rows = &t.run->outputs;
    close_to(rows->value[(rows->count - 1) * rows->cols], t.run->stats.last_time, 0, "last row");
    end_trial(&t);
}

/* A later block of an instant sees what the one before it has made of algebraic unknowns, of
 * storage that jumps with a source, and of modes. */
static void test_blocks_see_each_other(void **state)
{
    static const char *const texts[] = {
        "element bent\n  port a, b : electrical\n  edge e(a, b)\n  param k : ohm/A^2\n"
        "  e.v = k*e.i^3 + e.i*1 ohm\nend\n"
        "X : bent(a, b)  k = 1\nY : bent(b, ground)  k = 3\nsignal read = Y.v\n",
        "X : capacitor(a, b)  C = 1 uF\nY : capacitor(b, ground)  C = 2 uF\n"
        "R : resistor(b, ground)  R = 1 kohm\nsignal read = Y.v\n",
        "X : ideal_diode(a, b)\nY : resistor(b, ground)  R = 1 kohm\n"
        "C : capacitor(c, ground)  C = 1 uF\nR : resistor(b, c)  R = 1 kohm\n"
        "signal read = X.i*1 ohm\n",
    };
    const double times[] = {0, 0.001, 0.002, 0.003};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "discrete u : V = -1 V, seen : V = 0 V, old : V = 0 V\n"
                 "S : vsource(a, ground)  v = u\n%s"
                 "every 1 ms { u = -2*pre(u) }\nevery 1 ms { seen = read }\n"
                 "every 1 ms { old = pre(u) }\n"
                 "output u, seen, read, old\nsimulate stop = 3 ms\n",
                 texts[i]);
        trial t = event_trial(text, times, 4);
        must_run(&t);
        for (int k = 0; k < 4; k++) {
            double now = value_at(&t, "read", times[k]);
            close_to(value_at(&t, "seen", times[k]), now, 1e-12, "seen");
            close_to(value_at(&t, "old", times[k]), k % 2 ? 1 << k : -(1 << k), 0, "before");
            assert_true(k != 0 || now > 1e-4);
        }
        end_trial(&t);
    }
}

/* Names of what a block assigns are new values in any order; pre(x) is the one before. */
static void test_values_of_a_block(void **state)
{
    const double times[] = {0.5, 1.5};
    trial t = event_trial("discrete a = 1, b = 10, c = 100, d = 0\n"
                          "when t > 1 s {\n  d = c + pre(c)\n  a = pre(b)\n  b = pre(a)\n"
                          "  c = a + 1\n}\noutput a, b, c, d\nsimulate stop = 2 s\n",
                          times, 2);
    (void)state;
    must_run(&t);
    close_to(value_at(&t, "a", 1.5), 10, 0, "a");
    close_to(value_at(&t, "b", 1.5), 1, 0, "b");
    close_to(value_at(&t, "c", 1.5), 11, 0, "c");
    close_to(value_at(&t, "d", 1.5), 111, 0, "d");
    close_to(value_at(&t, "d", 0.5), 0, 0, "before");
    end_trial(&t);
}

/* Blocks of one instant follow each other as they stand; one event makes the next. */
static void test_rates_and_order(void **state)
{
    const double times[] = {0, 0.05, 0.1, 0.25, 0.35, 0.95};
    trial t = event_trial("discrete n = 0, m = 0, k = 0, late = 0\n"
                          "every 0.1 s { n = pre(n) + 1 }\n"
                          "every 0.2 s { m = n }\nevery 0.2 s offset 0.05 s { k = n }\n"
                          "when m >= 5 { late = pre(late) + n }\noutput n, m, k, late\n"
                          "simulate stop = 1 s\n",
                          times, 6);
    (void)state;
    must_run(&t);
    static const double n[] = {1, 1, 2, 3, 4, 10}, m[] = {1, 1, 1, 3, 3, 9},
                        k[] = {0, 1, 1, 3, 3, 9}, late[] = {0, 0, 0, 0, 0, 5};
    for (int i = 0; i < 6; i++) {
        close_to(value_at(&t, "n", times[i]), n[i], 0, "n");
        close_to(value_at(&t, "m", times[i]), m[i], 0, "m");
        close_to(value_at(&t, "k", times[i]), k[i], 0, "k");
        close_to(value_at(&t, "late", times[i]), late[i], 0, "late");
    }
    end_trial(&t);
}

/* A sampled controller: exact recursion of x' = u - x over each period. */
static void test_sampled(void **state)
{
    const double times[] = {0.25, 0.5, 2};
    trial t = event_trial("discrete u : A = 0, sum : A = 0\n"
                          "I1 : isource(ground, a)  i = u\nR1 : resistor(a, ground)  R = 1 ohm\n"
                          "C1 : capacitor(a, ground)  C = 1 F\n"
                          "every 0.1 s {\n  sum = pre(sum) + 0.2*(1 - C1.v)*1 S\n"
                          "  u = 2 S*(1 - C1.v) + sum\n}\noutput C1.v, u\nsimulate stop = 2 s\n",
                          times, 3);
    (void)state;
    must_run(&t);
    for (int i = 0; i < 3; i++) {
        double x = 0, sum = 0, u = 0;
        for (int k = 0; k / 10.0 <= times[i] + 1e-12; k++) {
            sum += 0.2 * (1 - x);
            u = 2 * (1 - x) + sum;
            double h = fmin(0.1, times[i] - k / 10.0);
            x = u + (x - u) * exp(-h);
        }
        close_to(value_at(&t, "C1.v", times[i]), x, 1e-8, "sampled state");
        close_to(value_at(&t, "u", times[i]), u, 1e-8, "held value");
    }
    end_trial(&t);
}

/* Events of elements and systems have their own discretes. */
static void test_elements_and_systems(void **state)
{
    const double times[] = {0.25, 3.5};
    trial t = event_trial(
        "element leaky\n  port p, n : electrical\n  edge e(p, n)\n  param G : S = 1, lim : V = 2\n"
        "  discrete open = 0, count = 0\n  e.i = G*open*e.v\n"
        "  when e.v > lim {\n    open = 1\n    count = pre(count) + 1\n  }\n"
        "  when e.v < lim/2 { open = 0 }\nend\n"
        "system tank(a : electrical)\n  discrete top : V = 0\n"
        "  C : capacitor(a, ground)  C = 1 F\n  X : leaky(a, ground)  G = 3 S\n"
        "  when X.count > 0 { top = C.v }\nend\n"
        "I1 : isource(ground, a)  i = 1 A\nT1 : tank(a)\nI2 : isource(ground, b)  i = 2 A\n"
        "T2 : tank(b)\noutput T1.C.v as v1, T2.X.count as n2, T1.X.count as n1, T1.top as top\n"
        "simulate stop = 4 s\n",
        times, 2);
    (void)state;
    must_run(&t);
    double fall = log((2 - 1.0 / 3) / (1 - 1.0 / 3)) / 3; /* from 2 V to 1 V, against 1 A */
    close_to(value_at(&t, "v1", 0.25), 0.25, 1e-9, "rising");
    close_to(value_at(&t, "n1", 3.5), 2, 0, "count of T1");
    close_to(value_at(&t, "v1", 3.5), 1.0 / 3 + (2 - 1.0 / 3) * exp(-3 * (0.5 - fall)), 1e-7,
             "falling again");
    close_to(value_at(&t, "top", 3.5), 2, 1e-8, "top");
    close_to(value_at(&t, "n2", 3.5), 3, 0, "count of T2");
    end_trial(&t);
}

/* What a discrete drives jumps as any source does: charge is conserved. */
static void test_jumps_follow(void **state)
{
    const double times[] = {2e-3};
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++) {
        trial t =
            event_trial("discrete E : V = 0\nV1 : vsource(a, ground)  v = E\n"
                        "C1 : capacitor(a, b)  C = 1 uF\nC2 : capacitor(b, ground)  C = 2 uF\n"
                        "R2 : resistor(b, ground)  R = 1 kohm\nwhen t > 1 ms { E = 9 V }\n"
                        "output C2.v\nsimulate stop = 2 ms\n",
                        times, 1);
        t.seed = seed;
        run_trial(&t);
        close_to(value_at(&t, "C2.v", 2e-3), 3 * exp(-1.0 / 3), 1e-8, "after the jump");
        end_trial(&t);
    }
}

/* ---- what is set moves with what it carries */

/* Charge that sets C1.v spreads over the others alike in every tree. */
static void test_set_in_every_tree(void **state)
{
    const double times[] = {1e-3};
    (void)state;
    for (uint32_t seed = 0; seed < 6; seed++) {
        trial t =
            event_trial("C1 : capacitor(a, ground)  C = 1 uF\n"
                        "C2 : capacitor(b, ground)  C = 2 uF\nC3 : capacitor(a, b)  C = 3 uF\n"
                        "when t > 1 ms { C1.v = 5 V }\noutput C1.v, C2.v\n"
                        "simulate stop = 2 ms\n",
                        times, 1);
        t.seed = seed;
        run_trial(&t);
        close_to(value_at(&t, "C1.v", 1e-3), 5, 1e-12, "set");
        close_to(value_at(&t, "C2.v", 1e-3), 3, 1e-12, "divided");
        end_trial(&t);
    }
}

/* Balls of masses 1, 1, 2: pairs hit one after the other; momentum and energy are kept. */
static void test_impacts(void **state)
{
    const double times[] = {0.1, 0.7};
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++) {
        trial t = event_trial(
            "element impact\n  port a, b : translational\n  edge e(a, b)\n  param r = 1\n"
            "  e.F = 0\n  when e.x < 0 and e.v < 0 { e.v = -r*pre(e.v) }\nend\n"
            "M1 : mass(a)  m = 1 kg, x(0) = 0 m, v(0) = 2 m/s\nM2 : mass(b)  m = 1 kg, x(0) = 0.4 "
            "m\n"
            "M3 : mass(c)  m = 2 kg, x(0) = 0.4 m\nI1 : impact(a, b)\nI2 : impact(b, c)\n"
            "output M1.v, M2.v, M3.v\nsimulate stop = 0.7 s\n",
            times, 2);
        t.seed = seed;
        run_trial(&t);
        close_to(value_at(&t, "M1.v", 0.7), -2.0 / 3, 1e-12, "first");
        close_to(value_at(&t, "M2.v", 0.7), 0, 1e-12, "second");
        close_to(value_at(&t, "M3.v", 0.7), 4.0 / 3, 1e-12, "third");
        end_trial(&t);
    }
}

/* A double pendulum whose first joint bounces: the impulse is at that joint in any coordinates. */
static void test_joints(void **state)
{
    const double times[] = {0.3, 0.8};
    double first[2][2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial t = event_trial(
            k ? "coordinates = absolute\nspace = planar\ngravity = [0, -9.81] m/s^2\n"
                "a : body  m = 1 kg, I = 0.1 kg.m^2, com = [0.5, 0] m  { E = [1, 0] m }\n"
                "b : body  m = 1 kg, I = 0.1 kg.m^2, com = [0.5, 0] m\n"
                "J1 : revolute(ground, a)  beta(0) = -0.2\nJ2 : revolute(a.E, b)\n"
                "when J1.beta < -1 { J1.w = -0.5*pre(J1.w) }\noutput J1.beta, J2.w\n"
                "simulate stop = 1 s\n"
              : "space = planar\ngravity = [0, -9.81] m/s^2\n"
                "a : body  m = 1 kg, I = 0.1 kg.m^2, com = [0.5, 0] m  { E = [1, 0] m }\n"
                "b : body  m = 1 kg, I = 0.1 kg.m^2, com = [0.5, 0] m\n"
                "J1 : revolute(ground, a)  beta(0) = -0.2\nJ2 : revolute(a.E, b)\n"
                "when J1.beta < -1 { J1.w = -0.5*pre(J1.w) }\noutput J1.beta, J2.w\n"
                "simulate stop = 1 s\n",
            times, 2);
        must_run(&t);
        first[k][0] = value_at(&t, "J1.beta", 0.8);
        first[k][1] = value_at(&t, "J2.w", 0.8);
        assert_int_equal(t.run->event_count, 2);
        end_trial(&t);
    }
    close_to(first[0][0], first[1][0], 1e-7, "angle");
    close_to(first[0][1], first[1][1], 1e-6, "speed");
}

/* ---- rest and sliding */

/* Infinitely many bounces end where the geometric series does; then the ball lies until it is
 * lifted.
 */
static void test_rest(void **state)
{
    static const double restitution[] = {0, 0.3, 0.8, 0.9, 0.5};
    static const char *const methods[] = {"auto", "rk", "rosenbrock", "bdf", "rk8"};
    const double times[] = {11, 12, 13};
    (void)state;
    for (int i = 0; i < 5; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "M1 : mass(a)  m = 2 kg, x(0) = 1 m\n"
                 "W : force(ground, a)  F = if t < 12 s then -2*9.81 else 5\n"
                 "I1 : impact(ground, a)  e = %g\noutput M1.x, M1.v, M1.a, I1.F\n"
                 "simulate stop = 13 s\n",
                 restitution[i]);
        trial t = event_trial(text, times, 3);
        t.def.method = methods[i];
        run_trial(&t);
        assert_string_equal(ct_diag_at(t.ctx, 0)->code, "W554");
        close_to(value_at(&t, "M1.x", 11), 0, 1e-9, "lies");
        close_to(value_at(&t, "M1.x", 12), 0, 1e-9, "lies");
        close_to(value_at(&t, "M1.v", 12), 0, 1e-12, "lies still");
        close_to(value_at(&t, "M1.a", 11), 0, 1e-9, "is held");
        close_to(value_at(&t, "I1.F", 11), -2 * 9.81, 1e-9, "by the floor");
        close_to(value_at(&t, "M1.x", 13), 1.25, 1e-7, "is lifted");
        double e = restitution[i], rest = sqrt(2 / 9.81) * (1 + 2 * e / (1 - e));
        for (uint64_t k = 0; k < t.run->event_count; k++)
            if (strcmp(t.run->event[k].what, "rest") == 0)
                close_to(t.run->event[k].time, rest, 1e-6, methods[i]);
        end_trial(&t);
    }
}

#define ROOT                                                                                       \
    "element root9\n  port a, b : electrical\n  edge e(a, b)\n"                                    \
    "  0 = e.v - 1 ohm*e.i - 0.2*e.i^3\nend\n"                                                     \
    "I9 : isource(ground, a9)  i = sin(5*t)\nN9 : root9(a9, b9)\nR9 : root9(b9, ground)\n"         \
    "C9 : capacitor(a9, ground)  C = 1 mF\n"

/* Beside equations without derivatives, from the floor and from above it, near to zero and far. */
/* What is set to zero rests only where its condition is a stop, which it would go through. */
static void test_resets(void **state)
{
    static const char *const when[] = {"t > 1", "C1.v > 0.5"};
    const double times[] = {2}, fires = log(2.0), right[] = {1 - exp(-1), 1 - exp(2 * fires - 2)};
    char text[200];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "V : vsource(a, ground) v = 1\nR : resistor(a, b) R = 1\n"
                 "C1 : capacitor(b, ground) C = 1\nwhen %s { C1.v = 0 }\noutput C1.v\n",
                 when[i]);
        trial t = trial_of(text, times, 1);
        must_run(&t);
        close_to(value_at(&t, "C1.v", 2), right[i], 1e-7, when[i]);
        end_trial(&t);
    }
}

static void test_rest_beside(void **state)
{
    static const struct {
        const char *start, *floor;
        double e;
    } cases[] = {{"1", "0", 0.8}, {"0", "0", 0.5}, {"1001", "1000", 0.9}, {"0", "-1", 0}};
    const double times[] = {20};
    (void)state;
    for (int i = 0; i < 8; i++) {
        char text[700];
        const char *floor = cases[i / 2].floor, *start = cases[i / 2].start;
        int at = snprintf(text, sizeof text,
                          ROOT "M1 : mass(a)  m = 2 kg, x(0) = %s m\nW : force(ground, a)  F = "
                               "-2*9.81\noutput M1.x, M1.v\nsimulate stop = 20 s\n",
                          start);
        if (i % 2)
            snprintf(text + at, sizeof text - (size_t)at,
                     "I1 : impact(ground, a)  e = %g, length = %s m\n", cases[i / 2].e, floor);
        else
            snprintf(text + at, sizeof text - (size_t)at,
                     "when a.x < %s { M1.v = -%g*pre(M1.v) }\n", floor, cases[i / 2].e);
        trial t = event_trial(text, times, 1);
        run_trial(&t);
        close_to(value_at(&t, "M1.x", 20), strtod(floor, NULL), 1e-9, floor);
        close_to(value_at(&t, "M1.v", 20), 0, 1e-12, "lies still");
        end_trial(&t);
    }
}

/* A ball falls on one that lies: it is thrown up, and in the end both lie. */
static void test_struck(void **state)
{
    const double times[] = {0.6, 0.64, 6};
    trial t =
        event_trial("A : mass(a)  m = 1 kg, x(0) = 0.01 m\nG1 : force(ground, a)  F = -9.81 N\n"
                    "I1 : impact(ground, a)  e = 0.3\nB : mass(b)  m = 2 kg, x(0) = 2 m\n"
                    "G2 : force(ground, b)  F = -2*9.81 N\n"
                    "I2 : impact(a, b)  e = 0.5, length = 0.1 m\n"
                    "output a.x, b.x, B.v\nsimulate stop = 6 s\n",
                    times, 3);
    (void)state;
    run_trial(&t);
    close_to(value_at(&t, "a.x", 0.6), 0, 1e-12, "lies");
    assert_true(value_at(&t, "a.x", 0.64) > 1e-4);
    close_to(value_at(&t, "a.x", 6), 0, 1e-9, "lies again");
    close_to(value_at(&t, "b.x", 6), 0.1, 1e-9, "lies on it");
    close_to(value_at(&t, "B.v", 6), 0, 1e-12, "lies still");
    end_trial(&t);
}

/* u = -sgn(x1 + x2) from (1, 0), said in several ways: slides at sqrt(3) - 1. */
static void test_sliding(void **state)
{
    static const char *const said[] = {
        "if a.x + 1 s*a.v > 0 then -1 N else 1 N",
        "if not (a.x + 1 s*a.v > 0) then 1 N else -1 N",
        "if a.x + 1 s*a.v > 0 or t > 99 s then -1 N else 1 N",
        "if t > 99 s or a.x + 1 s*a.v > 0 then -1 N else 1 N",
        "if a.x + 1 s*a.v > 0 and t < 99 s then -1 N else 1 N",
        "if not (a.x + 1 s*a.v <= 0 or t > 99 s) then -1 N else 1 N",
    };
    const double times[] = {0.5, 3};
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "M : mass(a)  m = 1 kg, x(0) = 1 m\nR : force(ground, a)  F = %s\n"
                 "output a.x, R.F\nsimulate stop = 3 s\n",
                 said[i]);
        trial t = event_trial(text, times, 2);
        run_trial(&t);
        assert_string_equal(ct_diag_at(t.ctx, 0)->code, "W553");
        close_to(value_at(&t, "a.x", 0.5), 0.875, 1e-9, said[i]);
        close_to(value_at(&t, "a.x", 3), 0.075785026107, 1e-9, said[i]);
        close_to(value_at(&t, "R.F", 3), 0.075785026107, 1e-8, said[i]);
        end_trial(&t);
    }
}

/* Sticks until the pull is as large as the friction. */
static void test_stick(void **state)
{
    const double times[] = {1, 1.5, 2, 3};
    trial t = event_trial("M : mass(a)  m = 1 kg, v(0) = 0.2 m/s\n"
                          "R : force(ground, a)  F = -0.5*sign(a.v)\n"
                          "W : force(ground, a)  F = 0.3 N/s*t\noutput a.v, R.F\n"
                          "simulate stop = 3 s\n",
                          times, 4);
    (void)state;
    run_trial(&t);
    close_to(value_at(&t, "a.v", 1.5), 0, 1e-12, "sticks");
    close_to(value_at(&t, "R.F", 1), -0.3, 1e-9, "holds");
    close_to(value_at(&t, "a.v", 2), 0.15 * (4 - 25.0 / 9) - 0.5 / 3, 1e-8, "slips at 5/3 s");
    close_to(value_at(&t, "a.v", 3), 0.15 * (9 - 25.0 / 9) - 0.5 * 4 / 3, 1e-8, "slips");
    end_trial(&t);
}

/* One ball hits two that touch: three rules, by complementarity. By Poisson's the impulse between
 * those that touch, 2/9 while they are pressed, is given back by their own e, if no less is needed
 * to keep them apart. Contacts of different rules do not wait for each other: one after the other.
 */
static void test_rules(void **state)
{
    static const struct {
        const char *rule[2];
        double e, v[3];
    } cases[] = {
        {{"sequential", "sequential"}, 0.5, {-0.25, 0.5892857142857143, 0.9642857142857143}},
        {{"newton", "newton"}, 0.5, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
        {{"newton", "newton"}, 0.8, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
        {{"poisson", "poisson"}, 0.5, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
        {{"poisson", "poisson"}, 0.8, {-1.0 / 3, 5.8 / 9, 0.8}},
        {{"poisson", "poisson"}, 0.2, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
        {{"newton", "poisson"}, 0.8, {-0.25, 3.9 / 7, 8.1 / 7}},
        {{"poisson", "newton"}, 0.8, {-0.25, 3.9 / 7, 8.1 / 7}}};
    const double times[] = {0.7};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "M1 : mass(a)  m = 1 kg, v(0) = 2 m/s\nM2 : mass(b)  m = 3 kg, x(0) = 0.5 m\n"
                 "M3 : mass(c)  m = 0.5 kg, x(0) = 0.6 m\n"
                 "A : impact(a, b)  e = 0.5, length = 0.1 m, rule = %s\n"
                 "B : impact(b, c)  e = %g, length = 0.1 m, rule = %s\n"
                 "output M1.v as v1, M2.v as v2, M3.v as v3\nsimulate stop = 0.7 s\n",
                 cases[i].rule[0], cases[i].e, cases[i].rule[1]);
        trial t = event_trial(text, times, 1);
        must_run(&t);
        close_to(value_at(&t, "v1", 0.7), cases[i].v[0], 1e-12, text);
        close_to(value_at(&t, "v2", 0.7), cases[i].v[1], 1e-12, text);
        close_to(value_at(&t, "v3", 0.7), cases[i].v[2], 1e-12, text);
        close_to(t.run->event[0].time, 0.2, 1e-12, "time");
        end_trial(&t);
    }
}

/* A mass that meets the floor, which is there twice, and another mass below it at the same time:
 * both get back their own e, so that v = e1 v0 and w = v - e2 v0. */
static void test_two_below_at_once(void **state)
{
    static const char text[] =
        "A : mass(a)  m = 3 kg, x(0) = 0.5 m, v(0) = -2 m/s\nB : mass(b)  m = 2 kg, x(0) = -0.5 m\n"
        "I1 : impact(ground, a)  e = 0.5, rule = newton\n"
        "I2 : impact(b, a)  e = 0.75, length = 0.5 m, rule = newton\n"
        "I3 : impact(ground, a)  e = 0.5, rule = newton\n"
        "output A.v as v, B.v as w\nsimulate stop = 0.5 s\n";
    const double time = 0.5;
    (void)state;
    trial t = event_trial(text, &time, 1);
    must_run(&t);
    close_to(t.run->event[0].time, 0.25, 1e-12, "time");
    close_to(value_at(&t, "v", time), 1, 1e-12, "v");
    close_to(value_at(&t, "w", time), -0.5, 1e-12, "w");
    end_trial(&t);
}

/* Eight masses m = 1 .. 8 kg, an inerter of 1 kg between any two, whose inertance rises with its
 * length: rates are left to numbers. A blow at the second moves all, K v = p e with
 * K = diag(m + 8) - 1 1^T. */
static void test_set_among_unknown_rates(void **state)
{
    static const char text[] =
        "element inerter_that_grows\n  port p, n : translational\n  edge e(p, n)\n"
        "  e.F = (1 kg + e.x^2*1 kg/m^2)*der(e.v)\nend\n"
        "repeat i = 1..8 { M{i} : mass(n{i}) m = i*1 kg }\n"
        "repeat i = 2..8 { repeat j = 1..i-1 { B{i}_{j} : inerter_that_grows(n{i}, n{j}) } }\n"
        "when t > 0.5 s { M2.v = 2 m/s }\noutput M1.v as first, M2.v as second, M8.v as last\n";
    const double time = 0.75;
    double sum = 0;
    (void)state;
    for (int m = 1; m <= 8; m++)
        sum += 1.0 / (m + 8);
    double shared = 1.0 / 10 / (1 - sum), scale = 2 / (1.0 / 10 + 1.0 / 10 * shared);
    trial t = event_trial(text, &time, 1);
    must_run(&t);
    assert_true(t.run->stats.newton_iters > 0);
    close_to(value_at(&t, "first", time), scale / 9 * shared, 1e-9, "first");
    close_to(value_at(&t, "second", time), 2, 1e-9, "second");
    close_to(value_at(&t, "last", time), scale / 16 * shared, 1e-9, "last");
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_values_of_a_block),
        cmocka_unit_test(test_blocks_see_each_other),
        cmocka_unit_test(test_rates_and_order),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_elements_and_systems),
        cmocka_unit_test(test_jumps_follow),
        cmocka_unit_test(test_set_in_every_tree),
        cmocka_unit_test(test_set_among_unknown_rates),
        cmocka_unit_test(test_impacts),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_rest_beside),
        cmocka_unit_test(test_struck),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_stick),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_two_below_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

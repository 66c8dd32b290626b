/* test_large_bending.c - beams that bend far: cut into segments, or in absolute nodal coordinates;
 * both against the elastica. */
#include "test_simulate.h"

static trial begin_within(double tol, const char *text, const double *times, uint32_t count)
{
    trial t = new_trial(NULL);
    t.text = text;
    t.def.tol = tol;
    t.def.times = times;
    t.def.time_count = count;
    t.equilibrium = !times;
    run_trial(&t);
    if (times ? !t.run : !t.point)
        print_messages(&t);
    assert_true(times ? t.run != NULL : t.point != NULL);
    return t;
}

static trial begin(const char *text, const double *times, uint32_t count)
{
    return begin_within(1e-9, text, times, count);
}

/* Tip of a cantilever under P L^2/(E I) = 1, 5, 10 across: x/L, w/L and the turn there, from
 * theta'' = -P/(E I) cos theta to 1e-10. */
static const double elastica[3][4] = {{1, 0.9435667638, 0.3017207738, 0.4613519499},
                                      {5, 0.6123716393, 0.7137915240, 1.2153681230},
                                      {10, 0.4450044018, 0.8106090250, 1.4302855373}};

static double tip_error(const char *keys, const double *want)
{
    char text[600];
    snprintf(text, sizeof text,
             "space = planar\nb : %s  { root = 0, tip = 1 }\nW : weld(ground, b.root)\n"
             "F : force(ground, b.tip)  F = [0, %g]\noutput b.tip.x, b.tip.y, b.tip.theta\n",
             keys, want[0]);
    trial t = begin(text, NULL, 0);
    double error = 0;
    for (int i = 0; i < 3; i++)
        error = fmax(error, fabs(t.point->y[i] - want[i + 1]));
    end_trial(&t);
    return error;
}

#define BEAM "flexible length = 1, A = 1e-2, Iz = 1e-6, E = 1e6, rho = 1000, modes = 2"

static void test_segments_elastica(void **state)
{
    (void)state;
    double four = tip_error(BEAM ", segments = 4", elastica[0]);
    double eight = tip_error(BEAM ", segments = 8", elastica[0]);
    assert_true(four < 6e-4 && eight < 1e-4 && eight < four / 6); /* third order */
    assert_true(tip_error(BEAM ", segments = 8, reference = chord", elastica[0]) < 1e-4);
    assert_true(tip_error(BEAM ", segments = 10", elastica[2]) < 2e-3);
    assert_true(tip_error(BEAM, elastica[1]) > 0.1); /* which is why it is cut */
}

#define STIFF "flexible A = 1e-2, Iz = 1e-6, E = 1e8, rho = 1000, modes = 2,"

/* Two segments are two beams, the second welded to the first; frames lie where they are said to. */
static void test_segments_as_beams(void **state)
{
    static const char *const pair[][2] = {{"b.mid.x", "d.x"},
                                          {"b.tip.x", "d.tip.x"},
                                          {"b.P.y", "c.P.y"},
                                          {"b.Q.y", "d.Q.y"},
                                          {"q", "dq"}};
    const double times[] = {0, 0.3};
    (void)state;
    trial t = begin("space = planar\ngravity = [0, -9.81]\nsimulate stop = 1\n"
                    "b : " STIFF " length = 1, segments = 2, q(0) = [0, 0, 0.05, 0]\n"
                    "  { P = [0.25, 0.1], mid = 0.5, Q = [0.75, 0.1], tip = 1 }\n"
                    "c : " STIFF " length = 0.5\n"
                    "  { P = [0.25, 0.1], tip = 0.5 }\n"
                    "d : " STIFF " length = 0.5,\n"
                    "  q(0) = [0.05, 0]  { Q = [0.25, 0.1], tip = 0.5 }\n"
                    "J1 : revolute(ground, b)\nJ2 : revolute(ground, c)\nW : weld(c.tip, d)\n"
                    "output b.mid.x, b.P.y, b.Q.y, b.tip.x, d.x, c.P.y, d.Q.y, d.tip.x\n"
                    "output b.q[4] as q, d.q[2] as dq\n",
                    times, 2);
    for (uint32_t i = 0; i < 5; i++)
        close_to(value_at(&t, pair[i][1], 0.3), value_at(&t, pair[i][0], 0.3), 1e-7, pair[i][0]);
    end_trial(&t);
}

/* A fifth of a turn in both planes at once, in space. */
static void test_segments_in_space(void **state)
{
    (void)state;
    trial t = begin("space = spatial\nb : " BEAM ", Iy = 1e-6, segments = 8  { tip = 1 }\n"
                    "W : weld(ground, b)\nF : force(ground, b.tip)  F = [0, -0.6, 0.8]\n"
                    "output b.tip.x, b.tip.y, b.tip.z\n",
                    NULL, 0);
    close_to(t.point->y[0], elastica[0][1], 3e-4, "x");
    close_to(t.point->y[1], -0.6 * elastica[0][2], 3e-4, "y");
    close_to(t.point->y[2], 0.8 * elastica[0][2], 3e-4, "z");
    end_trial(&t);
}

/* ---- absolute nodal coordinates */

/* With much damping the cantilever comes to rest; P = E I/L^2 stretches it by 1e-5. */
static void test_cable_elastica(void **state)
{
    const double times[] = {0, 10};
    (void)state;
    trial t =
        begin_within(1e-6,
                     "space = planar\nsimulate stop = 10\n"
                     "b : cable length = 1, A = 0.1, Iz = 1e-6, E = 1e6, rho = 10, elements = 8,\n"
                     "  damping = 0.2  { root = 0, mid = 0.5, tip = 1 }\n"
                     "W : weld(ground, b.root)\nF : force(ground, b.tip)  F = [0, 5]\n"
                     "output b.tip.x as x, b.tip.y as y, b.tip.theta as theta, W.T as T\n",
                     times, 2);
    close_to(value_at(&t, "x", 10), elastica[1][1], 1e-3, "x");
    close_to(value_at(&t, "y", 10), elastica[1][2], 1e-3, "y");
    close_to(value_at(&t, "theta", 10), elastica[1][3], 1e-3, "turn");
    close_to(value_at(&t, "T", 10), -5 * value_at(&t, "x", 10), 1e-3, "moment");
    end_trial(&t);
}

/* A soft pendulum falls: the cable, and ten segments that stretch, too. */
static void test_cable_falls(void **state)
{
    static const char *const pair[][2] = {{"b.tip.x", "s.tip.x"}, {"b.tip.y", "s.tip.y"}};
    const double times[] = {0, 0.3, 0.5};
    (void)state;
    trial t =
        begin("space = planar\ngravity = [0, -9.81]\nsimulate stop = 1\n"
              "b : cable length = 1, A = 1e-3, Iz = 1e-8, E = 1e7, rho = 1000, elements = 6\n"
              "  { root = 0, tip = 1 }\n"
              "s : flexible length = 1, A = 1e-3, Iz = 1e-8, E = 1e7, rho = 1000, modes = 2,\n"
              "  stretch = 1, segments = 10  { tip = 1 }\n"
              "J1 : revolute(ground, b.root)\nJ2 : revolute(ground, s)\n"
              "output b.tip.x, b.tip.y, s.tip.x, s.tip.y, kinetic() + potential() as E\n",
              times, 3);
    for (int i = 0; i < 4; i++)
        close_to(value_at(&t, pair[i / 2][0], times[1 + i % 2]),
                 value_at(&t, pair[i / 2][1], times[1 + i % 2]), 3e-4, pair[i / 2][0]);
    close_to(value_at(&t, "E", 0.5), value_at(&t, "E", 0), 1e-7, "energy");
    end_trial(&t);
}

/* It begins where it is said to, turns as a whole with a body on it, and is hardly strained by
 * that. */
static void test_cable_turns(void **state)
{
    const double times[] = {0, 0.5};
    (void)state;
    trial t =
        begin("space = planar\nsimulate stop = 1\nground { O = [1, 2] }\n"
              "b : cable length = 2, A = 1e-2, Iz = 1e-6, E = 1e9, rho = 1000, elements = 2,\n"
              "  origin = [1, 2], angle = 90 deg,\n"
              "  qdot(0) = [0, 0, -2, 0, -2, 0, -2, 0, -4, 0, -2, 0]  { root = 0, P = [1, 0.1], "
              "tip = 2 }\n"
              "m : body m = 1, I = 0.1\nJ : revolute(ground.O, b.root)\nW : weld(b.tip, m)\n"
              "output b.P.x as Px, b.P.y as Py, m.theta as theta, m.x as x, m.y as y, m.w as w\n"
              "output kinetic() + potential() as E, potential() as V\n",
              times, 2);
    close_to(value_at(&t, "Px", 0), 0.9, 1e-12, "P.x");
    close_to(value_at(&t, "Py", 0), 3, 1e-12, "P.y");
    close_to(value_at(&t, "theta", 0), acos(-1.0) / 2, 1e-12, "turn");
    close_to(value_at(&t, "w", 0), 2, 1e-9, "spin");
    close_to(value_at(&t, "theta", 0.5), acos(-1.0) / 2 + 1, 1e-3, "turn later");
    close_to(value_at(&t, "x", 0.5), 1 - 2 * sin(1.0), 2e-3, "x");
    close_to(value_at(&t, "y", 0.5), 2 + 2 * cos(1.0), 2e-3, "y");
    close_to(value_at(&t, "V", 0.5), 0, 1e-2, "strain");
    close_to(value_at(&t, "E", 0.5), value_at(&t, "E", 0), 1e-6, "energy");
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_elastica), cmocka_unit_test(test_segments_as_beams),
        cmocka_unit_test(test_segments_in_space), cmocka_unit_test(test_cable_elastica),
        cmocka_unit_test(test_cable_falls),       cmocka_unit_test(test_cable_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

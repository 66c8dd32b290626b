/* test_large_bending.c - beams that bend far: cut into segments, or in absolute nodal coordinates;
 * both against the elastica. */
#include "test_simulate.h"

static trial begin(const char *text, const double *times, uint32_t count)
{
    trial t = new_trial(NULL);
    t.text = text;
    t.def.tol = 1e-9;
    t.def.times = times;
    t.def.time_count = count;
    t.equilibrium = !times;
    run_trial(&t);
    if (times ? !t.run : !t.point)
        print_messages(&t);
    assert_true(times ? t.run != NULL : t.point != NULL);
    return t;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_elastica),
        cmocka_unit_test(test_segments_as_beams),
        cmocka_unit_test(test_segments_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

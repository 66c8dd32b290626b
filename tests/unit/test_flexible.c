/* test_flexible.c - bodies that bend: the reference numbers of tests/physics in all coordinates,
 * closed forms, limits. */
#include "test_simulate.h"

static void check_reference(const char *name, const char *word)
{
    check list[MOST_CHECKS];
    double times[MOST_CHECKS];
    ct_tree_choice choice = ct_default_tree_choice();
    uint32_t count = read_checks(name, list);
    trial t = accurate(name, times, times_of(list, count, times));
    assert_true(count > 2);
    choice.coordinates = word;
    t.choice = word ? &choice : NULL;
    must_run(&t);
    for (uint32_t i = 0; i < count; i++)
        close_to(value_at(&t, list[i].name, list[i].time), list[i].value, list[i].tolerance,
                 list[i].name);
    end_trial(&t);
}

static void test_references(void **state)
{
    (void)state;
    check_reference("flexible_pendulum", NULL);
    check_reference("flexible_pendulum", "joint");
    check_reference("flexible_pendulum", "absolute");
    check_reference("slider_crank_flexible", NULL);
    check_reference("spin_up_beam", NULL);
}

/* The rod with its own inertia along the axis, against an integration of Lagrange's equations. */
static void test_rod_along(void **state)
{
    const double times[] = {0, 0.1};
    trial t = accurate("slider_crank_flexible", times, 2);
    (void)state;
    set(&t, "published", "1");
    must_run(&t);
    close_to(value_at(&t, "q2", 0.1), 2.37620109e-05, 2e-11, "q2");
    close_to(value_at(&t, "q3", 0.1), -5.28102474e-06, 1e-11, "q3");
    close_to(value_at(&t, "q4", 0.1), -8.30355441e-06, 1e-11, "q4");
    end_trial(&t);
}

/* ---- texts */

static trial begin(const char *text, const double *times, uint32_t count)
{
    trial t = new_trial(NULL);
    t.text = text;
    t.def.tol = 1e-10;
    t.def.times = times;
    t.def.time_count = count;
    must_run(&t);
    return t;
}

#define BEAM   "length = 2, A = 1e-3, Iz = 1e-7, E = 1e10, rho = 1000"
#define PLANE  "space = planar\nsimulate stop = 1\n"
#define STATIC "-8e-3" /* P L^3/(3 E I) for P = 3 */

/* A force at the tip: the beam that begins in its static shape stays there, whatever the shapes. */
static void test_tip_load(void **state)
{
    static const char *const zeros[] = {"", ", 0", ", 0, 0", ", 0, 0, 0", ", 0, 0, 0, 0"};
    const double times[] = {0, 0.1};
    char text[1000];
    (void)state;
    for (int n = 1; n <= 5; n++) {
        snprintf(text, sizeof text,
                 PLANE "b : flexible " BEAM ", modes = %d, q(0) = [" STATIC "%s]  { tip = 2 }\n"
                       "W : weld(ground, b)\nF : force(ground, b.tip) F = [0, -3]\n"
                       "output b.tip.y as y, b.tip.a[2] as a, W.F[2] as R, W.T as T\n",
                 n, zeros[n - 1]);
        trial t = begin(text, times, 2);
        close_to(value_at(&t, "a", 0), 0, 1e-9, "acceleration");
        close_to(value_at(&t, "y", 0.1), -8e-3, 1e-12, "deflection");
        close_to(value_at(&t, "R", 0), 3, 1e-9, "reaction");
        close_to(value_at(&t, "T", 0), 6 - 3 * 0.6 * 64e-6 / 2, 1e-7, "moment"); /* it is shorter */
        end_trial(&t);
    }
}

/* A beam that turns as a whole does not bend, and does not feel through how many turns. */
static void test_rigid_turn(void **state)
{
    const double times[] = {0, 10};
    (void)state;
    trial t = begin(PLANE "b : flexible " BEAM "  { tip = 2 }\n"
                          "J : revolute(ground, b) w = 20, beta(0) = 0\n"
                          "output b.q[1] as q1, b.q[3] as q3, b.tip.x as x, b.tip.y as y\n",
                    times, 2);
    close_to(value_at(&t, "q1", 10), 0, 1e-13, "q1");
    close_to(value_at(&t, "q3", 10), 0, 1e-13, "q3");
    close_to(value_at(&t, "x", 10), 2 * cos(200.0), 1e-8, "x");
    close_to(value_at(&t, "y", 10), 2 * sin(200.0), 1e-8, "y");
    end_trial(&t);
}

/* Of a stiffer material it is the rigid pendulum beside it. */
static void test_stiff(void **state)
{
    const double times[] = {0, 0.2};
    (void)state;
    trial t = new_trial(model_path("flexible_pendulum"));
    set(&t, "E", "68.952e13");
    t.def.times = times;
    t.def.time_count = 2;
    must_run(&t);
    close_to(value_at(&t, "theta", 0.2), value_at(&t, "theta_rigid", 0.2), 1e-5, "theta");
    end_trial(&t);
}

/* Two halves, the second welded to the tip of the first, move as the whole. */
static void test_halves(void **state)
{
    const double times[] = {0, 0.3};
    (void)state;
    trial t = begin("space = planar\ngravity = [0, -9.81]\nsimulate stop = 1\n"
                    "whole : flexible " BEAM ", modes = 6  { tip = 2 }\n"
                    "a : flexible length = 1, A = 1e-3, Iz = 1e-7, E = 1e10, rho = 1000, modes = 4 "
                    " { tip = 1 }\n"
                    "c : flexible length = 1, A = 1e-3, Iz = 1e-7, E = 1e10, rho = 1000, modes = 4 "
                    " { tip = 1 }\n"
                    "J1 : revolute(ground, whole)\nJ2 : revolute(ground, a)\nW : weld(a.tip, c)\n"
                    "output whole.tip.x as x, whole.tip.y as y, c.tip.x as xh, c.tip.y as yh\n",
                    times, 2);
    close_to(value_at(&t, "xh", 0.3), value_at(&t, "x", 0.3), 2e-5, "x");
    close_to(value_at(&t, "yh", 0.3), value_at(&t, "y", 0.3), 2e-5, "y");
    end_trial(&t);
}

/* Clamped at both ends: the deflection under its weight is rho A g L^4/(384 E I). The weld that
 * closes it ties what does not stretch twice. */
static void test_clamped_clamped(void **state)
{
    const double times[] = {0};
    (void)state;
    trial t =
        begin("space = planar\ngravity = [0, -10]\nsimulate stop = 1\nground { R = [2, 0] }\n"
              "b : flexible " BEAM ", modes = 3, q(0) = [0, 0, -160/12e3]  { mid = 1, tip = 2 }\n"
              "W1 : weld(ground, b)\nW2 : weld(b.tip, ground.R)\n"
              "output b.mid.y as y, b.mid.a[2] as a, W2.F[2] as R, b.q[1] as q1\n",
              times, 1);
    double y = value_at(&t, "y", 0);
    close_to(y, -10.0 * 16 / (384 * 1e3), 1e-12, "deflection");
    close_to(value_at(&t, "a", 0), 0, 1e-8, "acceleration");
    close_to(fabs(value_at(&t, "R", 0)), 10, 1e-7, "half of its weight");
    end_trial(&t);
}

/* ---- space */

#define DEEP "length = 2, A = 1e-3, Iz = 1e-7, Iy = 2e-7, J = 3e-7, E = 1e10, G = 4e9, rho = 1000"

/* Forces across in both directions and along, or a torque about the axis: closed forms. */
static void test_loads_in_space(void **state)
{
    const double times[] = {0};
    (void)state;
    trial t = begin("space = spatial\nsimulate stop = 1\n"
                    "b : flexible " DEEP ", modes = 2, twist = 1, stretch = 1, stiffening = off,\n"
                    "  q(0) = [3*8/(3*1e3), 0, 7*2/1e7, 6*8/(3*2e3), 0, 0]  { tip = 2 }\n"
                    "W : weld(ground, b)\nF : force(ground, b.tip) F = [7, 3, 6]\n"
                    "output b.tip.x as x, b.tip.a[2] as ay, b.tip.a[3] as az, b.tip.a[1] as ax\n"
                    "output W.F[3] as R\n",
                    times, 1);
    close_to(value_at(&t, "x", 0), 2 + 1.4e-6, 1e-12, "stretched");
    close_to(value_at(&t, "ax", 0), 0, 1e-6, "acceleration along");
    close_to(value_at(&t, "ay", 0), 0, 1e-9, "acceleration across");
    close_to(value_at(&t, "az", 0), 0, 1e-9, "acceleration across");
    close_to(fabs(value_at(&t, "R", 0)), 6, 1e-9, "reaction");
    end_trial(&t);
    t = begin("space = spatial\nsimulate stop = 1\n"
              "b : flexible " DEEP ", modes = 1, twist = 1, q(0) = [0, 0, 5*2/1.2e3]  { tip = 2 }\n"
              "W : weld(ground, b)\nT : torque(ground, b.tip) T = [5, 0, 0]\n"
              "output b.tip.R[3,2] as turned, b.tip.alpha[1] as a, W.T[1] as R\n",
              times, 1);
    close_to(value_at(&t, "turned", 0), sin(10 / 1.2e3), 1e-12, "T L/(G J)");
    close_to(value_at(&t, "a", 0), 0, 1e-7, "acceleration");
    close_to(fabs(value_at(&t, "R", 0)), 5, 1e-9, "reaction");
    end_trial(&t);
}

/* The pendulum of the plane, with stiffness across that does not matter. */
static void test_plane_in_space(void **state)
{
    const double times[] = {0, 0.3};
    const char *const pendulum =
        "b : flexible " DEEP ", modes = 3  { tip = 2 }\n"
        "J : revolute(ground, b) axis = z\n"
        "output b.tip.x as x, b.tip.y as y, kinetic() + potential() as e\n";
    char text[1000];
    double at[2][2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "simulate stop = 1\nspace = spatial\ngravity = %s\n%s",
                 i ? "[0, 0, -9.81]" : "[0, -9.81, 0]", pendulum);
        if (i) { /* the whole world turned about x */
            char *axis = strstr(text, "axis = z");
            memcpy(axis, "axis = y", 8);
            char *sideways = strstr(text, "b.tip.y as y");
            memcpy(sideways, "b.tip.z as y", 12);
        }
        trial t = begin(text, times, 2);
        close_to(value_at(&t, "e", 0.3), 0, 1e-7, "energy");
        at[i][0] = value_at(&t, "x", 0.3), at[i][1] = value_at(&t, "y", 0.3);
        end_trial(&t);
    }
    trial t = begin("simulate stop = 1\nspace = planar\ngravity = [0, -9.81]\n"
                    "b : flexible " BEAM ", modes = 3  { tip = 2 }\nJ : revolute(ground, b)\n"
                    "output b.tip.x as x, b.tip.y as y\n",
                    times, 2);
    close_to(at[0][0], value_at(&t, "x", 0.3), 1e-8, "x");
    close_to(at[0][1], value_at(&t, "y", 0.3), 1e-8, "y");
    assert_true(fabs(at[1][1] - at[0][1]) > 1e-5); /* twice as stiff across */
    end_trial(&t);
}

/* A slider-crank of the plane: its shape is told as there, and rows of the loop that depend on
 * others are found although rounding leaves traces in them. */
static void test_crank_in_space(void **state)
{
    static const char *const space[] = {"planar", "spatial", "spatial\ncoordinates = absolute"};
    const double times[] = {0, 0.01};
    double x = 0, q = 0;
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "space = %s\nsimulate stop = 1\ncrank : body m = 0.4, I = 2e-3 { B = [0.15, 0] }\n"
                 "rod : flexible length = 0.3, A = 6.4e-5, Iz = 3.4e-10, E = 2e9, rho = 7870,\n"
                 "  modes = 2, stretch = 2, shapes = modal, reference = chord, stiffening = off,\n"
                 "  q(0) = [0, 0, 1e-3, 1e-3], qdot(0) = [0.4, 0, 0, 0] { B = 0, P = 0.3 }\n"
                 "slider : body m = 0.08, I = 1\nh1 : revolute(ground, crank) w = 50\n"
                 "h2 : revolute(crank.B, rod.B)\nh3 : revolute(rod.P, slider)\n"
                 "s4 : prismatic(ground, slider)\noutput s4.s as x, rod.q[3] as q\n",
                 space[i]);
        trial t = begin(text, times, 2);
        x = i ? x : value_at(&t, "x", 0.01), q = i ? q : value_at(&t, "q", 0.01);
        close_to(value_at(&t, "x", 0.01), x, 1e-8, "x");
        close_to(value_at(&t, "q", 0.01), q, 1e-8, "q");
        end_trial(&t);
    }
}

/* A loop in space: energy stays. */
static void test_loop_in_space(void **state)
{
    const double times[] = {0, 0.1};
    (void)state;
    trial t = begin(
        "space = spatial\ngravity = [0, 0, -9.81]\nsimulate stop = 1\n"
        "crank : body m = 0.1, I = [1e-3, 1e-3, 1e-3], com = [0, 0.04, 0]  { P = [0, 0.08, 0] }\n"
        "rod : flexible length = 0.3, A = 1e-4, Iz = 1e-9, Iy = 1e-9, E = 2e9, rho = 3000,\n"
        "  modes = 2, reference = chord, q(0) = [0, 0, 5e-4, 0]  { a = 0, b = 0.3 }\n"
        "slider : body m = 0.2, I = [1e-3, 1e-3, 1e-3]\nground { O = [0, 0.1, 0.12] }\n"
        "J1 : revolute(ground.O, crank) axis = x, w(0) = 6\nJ2 : spherical(crank.P, rod.a)\n"
        "J3 : universal(rod.b, slider) axis1 = z, axis2 = y\n"
        "J4 : prismatic(ground, slider) axis = x\n"
        "output kinetic() + potential() as e, rod.qdot[3] as v, rod.q[3] as q\n",
        times, 2);
    close_to(value_at(&t, "v", 0), 0, 1e-9, "its shape begins at rest");
    close_to(value_at(&t, "e", 0.1), value_at(&t, "e", 0), 1e-8, "energy");
    end_trial(&t);
}

/* Clamped at both ends in space: half of it bends along y as in the plane, and loops of segments
 * and of a body that turns keep their energy. */
static void test_welded_loops(void **state)
{
    const double times[] = {0, 0.05};
    (void)state;
    trial t = begin("space = spatial\ngravity = [0, -10, 5]\nsimulate stop = 1\n"
                    "ground { R = [2, 0, 0] }\nb : flexible " DEEP
                    ", modes = 3, twist = 1, stiffening = off"
                    "  { mid = 1, tip = 2 }\nW1 : weld(ground, b)\nW2 : weld(b.tip, ground.R)\n"
                    "initial equilibrium\noutput b.mid.y as y, b.mid.z as z, W2.F[2] as R\n",
                    times, 2);
    close_to(value_at(&t, "y", 0.05), -10.0 * 16 / (384 * 1e3), 1e-12, "along y");
    close_to(value_at(&t, "z", 0.05), 5.0 * 16 / (384 * 2e3), 1e-12, "along z");
    close_to(fabs(value_at(&t, "R", 0)), 10, 1e-7, "half of its weight");
    end_trial(&t);
    t = begin("space = spatial\ngravity = [0, -9.81, 1]\nsimulate stop = 1\n"
              "c : body m = 1, I = [0.2, 0.2, 0.2]  { P = frame([2, 0, 0], rotate(z, 0.1)) }\n"
              "b : flexible " DEEP
              ", modes = 1, twist = 1, stretch = 1, segments = 2  { tip = 2 }\n"
              "J1 : revolute(ground, c) axis = [1, 2, 3], w(0) = 3\n"
              "W1 : weld(c, b)\nW2 : weld(c.P, b.tip)\n"
              "output kinetic() + potential() as e, b.tip.z as z, c.P.z as zc, b.tip.x as x, c.P.x "
              "as xc\n",
              times, 2);
    close_to(value_at(&t, "e", 0.05), value_at(&t, "e", 0), 1e-7, "energy");
    close_to(value_at(&t, "z", 0.05), value_at(&t, "zc", 0.05), 1e-9, "z");
    close_to(value_at(&t, "x", 0.05), value_at(&t, "xc", 0.05), 1e-9, "x");
    end_trial(&t);
}

/* Both ends of a cable on a body that turns and lets it bend: energy stays. */
static void test_cable_on_a_body(void **state)
{
    const double times[] = {0, 0.1};
    (void)state;
    trial t = begin(PLANE "c : body m = 1, I = 0.1  { P = [1, 0] }\n"
                          "rope : cable length = 1, A = 1e-3, Iz = 1e-8, E = 1e6, rho = 1000,\n"
                          "  elements = 3  { A = 0, tip = 1 }\n"
                          "J : revolute(ground, c) w(0) = 10\nW1 : weld(c, rope.A)\n"
                          "W2 : weld(c.P, rope.tip)\noutput kinetic() + potential() as e\n",
                    times, 2);
    close_to(value_at(&t, "e", 0.1), value_at(&t, "e", 0), 1e-6, "energy");
    end_trial(&t);
}

/* The gate with a barrier that does not bend is the one with a rigid barrier. */
static void test_gate(void **state)
{
    check list[MOST_CHECKS];
    double times[MOST_CHECKS];
    (void)state;
    uint32_t count = read_checks("parking_gate_sixbar", list);
    trial t = accurate("parking_gate_flexible", times, times_of(list, count, times));
    set(&t, "Eb", "1e24");
    set(&t, "Ib", "1e-14");
    set(&t, "cb", "1e-5"); /* else it trembles a little for ever: it begins straight */
    set(&t, "shapes", "1");
    must_run(&t);
    for (uint32_t i = 0; i < count; i++)
        close_to(value_at(&t, list[i].name, list[i].time), list[i].value, list[i].tolerance,
                 list[i].name);
    end_trial(&t);
    const double ends[] = {0, 1};
    t = accurate("parking_gate_flexible", ends, 2);
    must_run(&t);
    close_to(value_at(&t, "balance", 1), value_at(&t, "balance", 0), 1e-6, "balance");
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_tip_load),
        cmocka_unit_test(test_rigid_turn),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_clamped_clamped),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_loads_in_space),
        cmocka_unit_test(test_plane_in_space),
        cmocka_unit_test(test_loop_in_space),
        cmocka_unit_test(test_rod_along),
        cmocka_unit_test(test_welded_loops),
        cmocka_unit_test(test_cable_on_a_body),
        cmocka_unit_test(test_crank_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_pushes.c - what events set by impulses: storage that is not linear, that algebraic equations
 * give, of all sizes; speeds of joints, bodies and points; and what does not give way. */
#include "test_simulate.h"

/* ---- networks */

#define LAW(text) "  edge e(a, b)\n" text "end\n"
#define CAPACITOR "element cap\n  port a, b : electrical\n"

typedef struct known {
    const char *text, *name;
    double value;
} known;

/* Charges of the node between two capacitors are conserved: q(3 - b) = 2 b + q(0.8) - 0.4 with
 * q = v + v^3, whichever of its equations says so. Sets of two storages, one pF and 10 t, at once;
 * of two that are tied, with values that fit. */
static void test_networks(void **state)
{
    static const char series[] = "C1 : capacitor(a, ground)  C = 1, v(0) = 1\nC2 : cap(a, b)\n"
                                 "C3 : capacitor(b, ground)  C = 2, v(0) = 0.2\n"
                                 "when t >= 1 { C1.v = 3 }\noutput C3.v\nsimulate stop = 2\n";
    static char text[4][600];
    static const known rows[] = {
        {text[0], "C3.v", 1.6036097613227522},
        {text[1], "C3.v", 1.6036097613227522},
        {text[2], "C2.v", 0.1},
        {text[3], "C1.v", 3},
        {text[3], "M1.v", 2},
        {text[3], "M2.v", 2.5},
    };
    const double times[] = {1};
    (void)state;
    snprintf(text[0], sizeof text[0], "%s%s",
             CAPACITOR LAW("  0 = e.i - 1 F*(1 + 3*1 V^-2*e.v^2)*der(e.v)\n"), series);
    snprintf(text[1], sizeof text[1], "%s%s",
             CAPACITOR "  var q : C\n" LAW("  e.i = der(q)\n  q = 1 F*e.v + 1 F*1 V^-2*e.v^3\n"),
             series);
    snprintf(text[2], sizeof text[2], "%s",
             CAPACITOR "  var q : C\n" LAW("  e.i = der(q)\n  0 = q + 1 C^-2*q^3 - 1 F*e.v - 1 F*1 "
                                           "V^-2*e.v^3\n") "C2 : cap(a, ground)\nR : resistor(s, "
                                                           "a)  R = 1\nV : vsource(s, ground)  v "
                                                           "= 1\n"
                                                           "when t >= 1 { C2.v = 0.1 }\noutput "
                                                           "C2.v\nsimulate stop = 2\n");
    snprintf(text[3], sizeof text[3], "%s",
             "C1 : capacitor(a, ground)  C = 1 pF\nR : resistor(a, ground)  R = 1 Gohm\n"
             "M1 : mass(m)  m = 10000 kg\nM2 : mass(p)  m = 1 kg\nM3 : mass(q)  m = 1 kg\n"
             "X : velocity_source(p, q)  v = 0\n"
             "when t >= 1 { C1.v = 3; M1.v = 2; M2.v = 2.5; M3.v = 2.5 }\n"
             "output C1.v, M1.v, M2.v\nsimulate stop = 2\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial t = trial_of(rows[i].text, times, 1);
        t.def.tol = 1e-9;
        must_run(&t);
        close_to(value_at(&t, rows[i].name, 1), rows[i].value, 1e-9, rows[i].text);
        end_trial(&t);
    }
}

/* (1 + 3 v^2) v' = 1 - v from 0.1 on: t = f(v) - f(0.1) with f = -3 v^2/2 - 3 v - 4 ln(1 - v). */
static void test_goes_on(void **state)
{
    const double times[] = {1, 1.5};
    (void)state;
    trial t = trial_of(
        CAPACITOR "  var q : C\n" LAW(
            "  e.i = der(q)\n  q = 1 F*e.v + 1 F*1 V^-2*e.v^3\n") "C2 : cap(a, ground)\nR : "
                                                                  "resistor(s, a)  R = "
                                                                  "1\nV : vsource(s, ground)  v = "
                                                                  "1\n"
                                                                  "when t >= 1 { C2.v = 0.1 "
                                                                  "}\noutput "
                                                                  "C2.v\nsimulate stop = 2\n",
        times, 2);
    t.def.tol = 1e-10;
    must_run(&t);
    double v = value_at(&t, "C2.v", 1.5), f = -1.5 * v * v - 3 * v - 4 * log(1 - v),
           from = -1.5 * 0.01 - 0.3 - 4 * log(0.9);
    close_to(f - from, 0.5, 1e-8, "after it");
    end_trial(&t);
}

/* ---- mechanisms */

#define CHAIN(event)                                                                               \
    "space = planar\na : body  m = 2, I = 0.3, com = [0.2, 0]  { A = [0.5, 0] }\n"                 \
    "b : body  m = 1.5, I = 0.2, com = [0.4, 0]  { B = [0.5, 0] }\n"                               \
    "J1 : revolute(ground, a)  beta(0) = 20 deg, w(0) = 0.7\n"                                     \
    "J2 : revolute(a.A, b)  beta(0) = 50 deg, w(0) = -1.1\n"                                       \
    "when t >= 1e-9 { " event " }\noutput a.w, b.w\nsimulate stop = 1\n"

/* M (w+ - w-) = N impulse, solved by hand for absolute angles. */
static void test_chain(void **state)
{
    static const struct {
        const char *text;
        double a, b;
    } rows[] = {
        {CHAIN("a.w = 2"), 2, -0.96974356},
        {CHAIN("J1.w = 2"), 2, -0.96974356},
        {CHAIN("b.B.v[2] = 1"), 2.15645674, -0.0772074},
        {CHAIN("a.w = 1; b.w = 3"), 1, 3},
    };
    static const char *const words[] = {"joint", "absolute", NULL};
    const double times[] = {1e-9};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            ct_tree_choice choice = ct_default_tree_choice();
            choice.coordinates = words[k];
            trial t = trial_of(rows[i].text, times, 1);
            t.choice = &choice;
            t.def.tol = 1e-9;
            must_run(&t);
            close_to(value_at(&t, "a.w", 1e-9), rows[i].a, 2e-8, rows[i].text);
            close_to(value_at(&t, "b.w", 1e-9), rows[i].b, 2e-8, rows[i].text);
            end_trial(&t);
        }
}

/* ---- what does not give way */

#define LOOP(joints, event)                                                                        \
    "space = planar\nground { E = [0.6, 0] }\na : body  m = 1, I = 1  { A = [0.5, 0] }\n"          \
    "b : body  m = 1, I = 1  { B = [0.5, 0] }\nc : body  m = 1, I = 1  { D = [0.3, 0] }\n"         \
    "J1 : revolute(ground, a)\nJ2 : revolute(a.A, b)\n" joints                                     \
    "guess a.theta = 80 deg, b.theta = -30 deg, c.theta = -80 deg\n"                               \
    "when t >= 0.5 { " event " }\noutput J1.w\nsimulate stop = 1\n"
#define LOCKED "J3 : revolute(b.B, ground.E)\nJ4 : revolute(ground, c)\n"
#define FREE   "J3 : revolute(b.B, c)\nJ4 : revolute(c.D, ground.E)\n"
#define TIED(values)                                                                               \
    "M1 : mass(m)  m = 1\nM2 : mass(p)  m = 2\nX : velocity_source(m, p)  v = 0\n"                 \
    "when t >= 0.5 { " values " }\noutput M1.v\nsimulate stop = 1\n"

static void test_held(void **state)
{
    static const struct {
        const char *bad, *witness, *good;
    } rows[] = {
        {LOOP(LOCKED, "J1.w = 2"), "J1.w", LOOP(FREE, "J1.w = 2")},
        {LOOP(LOCKED, "b.w = 2"), "J3", LOOP(FREE, "b.w = 2")},
        {LOOP(LOCKED, "b.v[1] = 2"), "b.v[1]", LOOP(FREE, "b.v[1] = 2")},
        {LOOP(FREE, "J1.w = 2; J2.w = 3"), "J2.w", LOOP(FREE, "J2.w = 3")},
        {TIED("M1.v = 1; M2.v = 2"), "M2.v", TIED("M1.v = 1; M2.v = 1")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_code(rows[i].bad, "E568", rows[i].witness);
        check_code(rows[i].good, NULL, NULL);
    }
}

/* A spin about an axis of the body itself, which is turned by 0.7 rad, and of a joint: a blow about
 * this axis of inertia leaves the others at rest. */
static void test_own_axes(void **state)
{
    static const char *const texts[] = {
        "B : body  m = 1, I = [1, 2, 3], R(0) = rotate(z, 0.7)\n"
        "when t >= 0.5 { B.omega_body[1] = 2 }\n",
        "B : body  m = 1, I = [1, 2, 3]\nJ : spherical(ground, B)  R(0) = rotate(z, 0.7)\n"
        "when t >= 0.5 { J.omega[1] = 2 }\n"};
    const double time = 1;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "space = spatial\n%soutput B.omega_body[1] as p, B.omega_body[2] as q, B.omega[1] as "
            "x, B.omega[2] as y, B.omega[3] as z\nsimulate stop = 1\n",
            texts[i]);
        trial t = trial_of(text, &time, 1);
        must_run(&t);
        close_to(value_at(&t, "p", time), 2, 1e-9, text);
        close_to(value_at(&t, "q", time), 0, 1e-9, text);
        close_to(value_at(&t, "x", time), 2 * cos(0.7), 1e-9, text);
        close_to(value_at(&t, "y", time), 2 * sin(0.7), 1e-9, text);
        close_to(value_at(&t, "z", time), 0, 1e-9, text);
        end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks), cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_chain),    cmocka_unit_test(test_held),
        cmocka_unit_test(test_own_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_modes.c - ideal switching: diodes, switches, stops and dry friction as modes; closed forms,
 * reference numbers, and what is refused. */
#include "test_simulate.h"

static const double pi = 3.14159265358979323846;

typedef struct mode_case {
    const char *text, *output;
    double time, value, tolerance;
} mode_case;

static trial timed(const char *text, const double *times, uint32_t count)
{
    return trial_of(text, times, count);
}

/* In some trees, which must not matter. */
static void check_case(const mode_case *c)
{
    for (uint32_t seed = 0; seed < 4; seed++) {
        trial t = timed(c->text, &c->time, 1);
        t.seed = seed;
        must_run(&t);
        close_to(value_at(&t, c->output, c->time), c->value, c->tolerance, c->text);
        end_trial(&t);
    }
}

#define SINE      "V1 : vsource(a, ground) v = sin(t)\n"
#define LOAD      "L1 : inductor(b, o) L = 1\nR1 : resistor(o, ground) R = 1\noutput L1.i, L1.v\n"
#define HALF_WAVE SINE "D1 : ideal_diode(a, b)\n" LOAD
#define BELT                                                                                       \
    "M : mass(a) m = 1, v(0) = 1 m/s\nS : spring(ground, a) k = 1\n"                               \
    "V : velocity_source(ground, belt) v = 1\noutput a.v, a.x, F.F\n"

/* The current of a half-wave with R = L = 1 from t = 0 on. */
static double half_wave(double t)
{
    return (sin(t) - cos(t) + exp(-t)) / 2;
}

static void test_networks(void **state)
{
    const mode_case cases[] = {
        {HALF_WAVE, "L1.i", 3, half_wave(3), 1e-8},
        {HALF_WAVE, "L1.i", 3.9407, half_wave(3.9407), 1e-8},
        {HALF_WAVE, "L1.i", 3.9408, 0, 1e-12},
        {HALF_WAVE, "L1.i", 6.2, 0, 1e-12},
        {HALF_WAVE, "L1.i", 2 * pi + 1, half_wave(1), 1e-8},
        /* resistive: no state at all */
        {SINE "D1 : ideal_diode(a, b)\nR1 : resistor(b, ground) R = 2\noutput R1.i\n", "R1.i", 2,
         sin(2.0) / 2, 1e-12},
        {SINE "D1 : ideal_diode(a, b)\nR1 : resistor(b, ground) R = 2\noutput R1.i\n", "R1.i", 4, 0,
         1e-12},
        {SINE "D1 : ideal_diode(a, b) Vf = 0.5\nR1 : resistor(b, ground) R = 2\noutput R1.i\n",
         "R1.i", 2, (sin(2.0) - 0.5) / 2, 1e-12},
        /* an integral that only a condition reads: 1/2 C have passed at 1.19829 s */
        {"signal q = integral(R1.i)\nV1 : vsource(a, ground) v = 1\n"
         "S1 : switch(a, b) on = q < 0.5\nR1 : resistor(b, c) R = 1\nL1 : inductor(c, ground) L = "
         "1\n"
         "D1 : ideal_diode(ground, b)\noutput L1.i\n",
         "L1.i", 2, (1 - exp(-1.1982904373)) * exp(1.1982904373 - 2), 1e-7},
        /* a capacitor behind a diode holds the peak */
        {SINE "D1 : ideal_diode(a, b)\nC1 : capacitor(b, ground) C = 1\noutput C1.v\n", "C1.v", 4,
         1, 1e-9},
        /* 4.5 A in 2 H through a diode into 3 H: flux is conserved */
        {"L1 : inductor(a, ground) L = 2, i(0) = 4.5\nL2 : inductor(b, ground) L = 3\n"
         "S1 : switch(a, ground) on = t < 1\n"
         "D2 : ideal_diode(b, a)\noutput L2.i\n",
         "L2.i", 2, -1.8, 1e-9},
        /* parallel diodes, of which the sum is known; a diode across a closed switch */
        {SINE "D1 : ideal_diode(a, b)\nD2 : ideal_diode(a, b)\nR1 : resistor(b, ground) R = 2\n"
              "output R1.i, D1.i\n",
         "R1.i", 2, sin(2.0) / 2, 1e-12},
        {SINE "D1 : ideal_diode(a, b)\nD2 : ideal_diode(a, b)\nR1 : resistor(b, ground) R = 2\n"
              "output R1.i, D1.i\n",
         "D1.i", 2, sin(2.0) / 4, 1e-12},
        {SINE "D1 : ideal_diode(a, b)\nS1 : switch(a, b) on = t > 1\n" LOAD, "L1.i", 5,
         half_wave(5), 1e-8},
        /* gated at 1, conducts until its current ends */
        {SINE "T1 : thyristor(a, b) gate = t > 1 and t < 1.1\nR1 : resistor(b, ground) R = 1\n"
              "output R1.i\n",
         "R1.i", 0.9, 0, 1e-12},
        {SINE "T1 : thyristor(a, b) gate = t > 1 and t < 1.1\nR1 : resistor(b, ground) R = 1\n"
              "output R1.i\n",
         "R1.i", 3, sin(3.0), 1e-12},
        {SINE "T1 : thyristor(a, b) gate = t > 1 and t < 1.1\nR1 : resistor(b, ground) R = 1\n"
              "output R1.i\n",
         "R1.i", 7, 0, 1e-12},
        {"V1 : vsource(a, ground) v = 20*sin(t)\nR1 : resistor(a, b) R = 2\n"
         "Z1 : zener(b, ground) Vz = 5, Vf = 1\noutput R1.i\n",
         "R1.i", 5, (20 * sin(5.0) + 5) / 2, 1e-10},
        {"V1 : vsource(a, ground) v = 20*sin(t)\nR1 : resistor(a, b) R = 2\n"
         "Z1 : zener(b, ground) Vz = 5, Vf = 1\noutput R1.i\n",
         "R1.i", 1, (20 * sin(1.0) - 1) / 2, 1e-10},
        /* with resistances a switch is as it was */
        {"V1 : vsource(a, ground) v = 1\nS1 : switch(a, b) on = t > 1, Ron = 1, Roff = 3\n"
         "R1 : resistor(b, ground) R = 1\noutput b.v\n",
         "b.v", 0.5, 0.25, 1e-12},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static void test_friction(void **state)
{
    const mode_case cases[] = {
        /* sticks from the start, slips at x = 0.5, touches the belt's speed, and does not stick */
        {BELT "F : friction(belt, a) Fc = 0.5\n", "a.v", 0.4, 1, 1e-10},
        {BELT "F : friction(belt, a) Fc = 0.5\n", "a.v", 3, cos(2.5), 1e-8},
        {BELT "F : friction(belt, a) Fc = 0.5\n", "a.v", 8, cos(7.5), 1e-6},
        /* static friction above the sliding one: slips for 2 pi - 2 atan(1/2), sticks for 1 s */
        {BELT "F : friction(belt, a) Fs = 1, Fc = 0.5, vs = 0\n", "a.v",
         1 + 2 * pi - 2 * atan(0.5) + 0.5, 1, 1e-8},
        {BELT "F : friction(belt, a) Fs = 1, Fc = 0.5, vs = 0\n", "F.F", 0.25, -0.25, 1e-9},
        /* comes to rest and stays there */
        {"M : mass(a) m = 2, v(0) = 3\nF : friction(ground, a) Fc = 4\noutput a.v, a.x\n", "a.x", 5,
         2.25, 1e-9},
        {"M : mass(a) m = 2, v(0) = 3\nF : friction(ground, a) Fc = 4\noutput a.v, a.x\n", "a.v", 5,
         0, 0},
        /* u = -sign(x1 + x2) from (1, 0): slides from sqrt(3) - 1 on */
        {"element relay\n  port ends : translational(a, b)\n  edge e(a, b)\n  param s : m/s\n"
         "  slip s, e.F, 1 N\nend\nM : mass(a) m = 1\nK : relay(ground, a) s = a.x*1 s^-1 + a.v\n"
         "initial a.x = 1\noutput a.x\n",
         "a.x", 3, 0.075785026107, 1e-9},
        /* a rigid stop takes all of the momentum; what hits it stays while it is pushed */
        {"M : mass(a) m = 1, v(0) = 1\nP : force(ground, a) F = 1\n"
         "E : end_stop(ground, a) xmin = -1, xmax = 1.5\noutput a.x, E.F\n",
         "a.x", 4, 1.5, 1e-9},
        {"M : mass(a) m = 1, v(0) = 1\nP : force(ground, a) F = 1\n"
         "E : end_stop(ground, a) xmin = -1, xmax = 1.5\noutput a.x, E.F\n",
         "E.F", 4, 1, 1e-9},
        /* a freewheel: the slower shaft is taken along, and runs on by itself */
        {"I1 : inertia(p) J = 1, w(0) = 2\nI2 : inertia(q) J = 3\nO : one_way_clutch(p, q)\n"
         "D : torsion_damper(ground, p) d = 1\noutput p.w, q.w\n",
         "q.w", 2, 0.5, 1e-9},
        /* smooth by choice */
        {"M : mass(a) m = 1, v(0) = 1\nF : friction(ground, a) Fc = 1, v0 = 0.1\noutput a.v\n",
         "a.v", 0.5, 0.1 * asinh(sinh(10.0) * exp(-5.0)), 1e-8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static void test_references(void **state)
{
    const char *models[] = {"buck_ccm",
                            "buck_dcm",
                            "boost",
                            "flyback",
                            "rectifier_3phase",
                            "dickson_pump",
                            "clutch_engagement",
                            "clutch_chain",
                            "stick_slip",
                            "relay_sliding_mode",
                            "jump_switch_capacitors",
                            "jump_hydraulic_valve",
                            "jump_dog_clutch",
                            "inverter_drive"};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        check_model(models[k], NULL, 1e-10, 0);
}

/* A ball bounces to rest beside a rectifier: both as if they were alone. */
static void test_impacts_beside(void **state)
{
    static const char *const floor[] = {"when h.x < 0 { B.v = -0.8*pre(B.v) }\n",
                                        "I : impact(ground, h)  e = 0.8\n"};
    const double times[] = {3, 3.9, 6.2, 2 * pi + 1}, fall = sqrt(2 / 9.81);
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 HALF_WAVE "%sB : mass(h)  m = 1, x(0) = 1\nW : force(ground, h)  F = -9.81\n"
                           "output h.x, B.a\n",
                 floor[i]);
        trial t = timed(text, times, 4);
        must_run(&t);
        close_to(value_at(&t, "L1.i", 3), half_wave(3), 1e-7, "current");
        close_to(value_at(&t, "L1.i", 6.2), 0, 1e-12, "blocks");
        close_to(value_at(&t, "L1.i", 2 * pi + 1), half_wave(1), 1e-7, "current again");
        double hit = fall, speed = 9.81 * fall;
        while (hit + 2 * 0.8 * speed / 9.81 < 3)
            speed *= 0.8, hit += 2 * speed / 9.81;
        double past = 3 - hit;
        close_to(value_at(&t, "h.x", 3), past * (0.8 * speed - 9.81 / 2 * past), 1e-7, "flies");
        close_to(value_at(&t, "h.x", 6.2), 0, 1e-9, "lies");
        close_to(value_at(&t, "B.a", 6.2), 0, 1e-9, "is held");
        end_trial(&t);
    }
}

#define SHORT(on)                                                                                  \
    "V1 : vsource(a, ground) v = 1\nR1 : resistor(a, ground) R = 1\n"                              \
    "S1 : switch(a, ground) on = " on "\noutput R1.i\n"
#define BUZZER(on)                                                                                 \
    "V1 : vsource(a, ground) v = 1\nR1 : resistor(a, b) R = 1\nR2 : resistor(b, ground) R = 1\n"   \
    "S1 : switch(b, ground) on = " on "\noutput b.v\n"
#define LAW(branch)                                                                                \
    "element odd\n  port p, n : electrical\n  edge e(p, n)\n  param on\n  if on {\n"               \
    "    e.v = 0 V\n  } else {\n" branch "  }\nend\nV1 : vsource(a, ground) v = 1\n"               \
    "R1 : resistor(a, b) R = 1\nX1 : odd(b, ground) on = t > 1\noutput R1.i\n"

#define PLATE                                                                                      \
    "B : mass(a)  m = 1, x(0) = 0.1\nW : force(ground, a)  F = -9.81\nP : mass(p)  m = 2, x(0) = " \
    "0\n"                                                                                          \
    "G : force(ground, p)  F = -19.62\nI : impact(p, a)  e = 0.5\noutput a.x, p.x\n"

#define HIT(plate)                                                                                 \
    "element drag\n  port a, b : translational\n  edge e(a, b)\n"                                  \
    "  0 = e.F*1 N^-1 + 0.01*(e.F*1 N^-1)^3 - e.v*1 s/m\nend\n"                                    \
    "M : mass(a)  m = 1, x(0) = 1\nW : force(ground, a)  F = -1\nQ : drag(ground, p)\n" plate      \
    "K : spring(ground, p)  k = 10\nI : impact(p, a)\noutput a.x\n"

static void test_refusals(void **state)
{
    (void)state;
    check_code(HIT(""), "E574", "I.v");
    check_code(HIT("P : mass(p)  m = 0.1\n"), NULL, NULL);
    check_code(SHORT("t > 1"), "E546", "S1");
    check_code(SHORT("t > 10"), NULL, NULL);
    check_code(BUZZER("b.v > 0.2"), "E547", "S1");
    check_code(BUZZER("b.v > 0.7"), NULL, NULL);
    check_code(PLATE "L : force(ground, p) F = 30\nE1 : end_stop(ground, p)  xmin = -5, xmax = 0\n",
               NULL, NULL);
    check_code(PLATE "E1 : end_stop(ground, p)  xmin = 0, xmax = 5\n", NULL, NULL);
    check_code("B : mass(a)  m = 1, x(0) = 0.1\nW : force(ground, a)  F = -9.81\n"
               "P : mass(p)  m = 2\nG : force(ground, p)  F = -19.62\n"
               "I : end_stop(p, a)  xmin = 0, xmax = 50, e = 0.5\noutput a.x, p.x\n"
               "E1 : end_stop(ground, p)  xmin = 0, xmax = 5\n",
               NULL, NULL);
    check_code(PLATE "E1 : end_stop(ground, p)  xmin = -5, xmax = 5\n"
                     "S1 : spring(ground, p)  k = 1000\nD1 : damper(ground, p)  d = 10\n",
               NULL, NULL);
    check_code(LAW("    e.i = 0 A\n"), NULL, NULL);
    check_code(LAW("    e.i = 0 A\n    e.v = 1 V\n"), "E401", "odd");
}

/* Impulses decide which way pairs go while they pass: a stop lets go of what is thrown off it or
 * knocked from it, masses on it come along, a diode blocks what would flow back. */
#define LYING(set)                                                                                 \
    "M1 : mass(a) m = 1\nM2 : mass(b) m = 2\nW1 : force(ground, a) F = -10\n"                      \
    "W2 : force(ground, b) F = -20\nS1 : end_stop(ground, a) xmin = 0, xmax = 100\n"               \
    "S2 : end_stop(a, b) xmin = 0, xmax = 100\nwhen t >= 1 { " set " }\noutput M1.v, M2.v\n"
#define SHARED(value)                                                                              \
    "V : vsource(s, ground) v = 1\nR : resistor(s, a) R = 1\nC1 : capacitor(a, ground) C = 1\n"    \
    "D : ideal_diode(a, b)\nC2 : capacitor(b, ground) C = 2\nwhen t >= 1 { C1.v = " value " }\n"   \
    "output C1.v, C2.v\n"

static void test_impulses_open(void **state)
{
    const double times[] = {1, 1.1}, fall = sqrt(2 * 0.1 / 9.81), both = 1 - exp(-1 / 3.0);
    static const struct {
        const char *text, *name;
        double time, value;
    } cases[] = {{LYING("M2.v = 3"), "M1.v", 1.1, 0}, {LYING("M2.v = 3"), "M2.v", 1.1, 2},
                 {LYING("M1.v = 3"), "M1.v", 1.1, 2}, {LYING("M1.v = 3"), "M2.v", 1.1, 2},
                 {LYING("M2.v = -3"), "M2.v", 1, 0},  {LYING("M2.v = -3"), "M1.v", 1, 0},
                 {SHARED("2"), "C2.v", 1.1, 2},       {SHARED("2"), "C1.v", 1.1, 1.904837418036},
                 {SHARED("0.1"), "C1.v", 1, 0.1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = trial_of(cases[i].text, times, 2);
        must_run(&t);
        close_to(value_at(&t, cases[i].name, cases[i].time), cases[i].value, 1e-9, cases[i].text);
        end_trial(&t);
    }
    trial t = trial_of(SHARED("0.1"), times, 2);
    must_run(&t);
    close_to(value_at(&t, "C2.v", 1.1), both, 1e-9, "the diode blocks");
    end_trial(&t);
    const double after[] = {0.15};
    t = trial_of(PLATE "L : force(ground, p) F = 30\n"
                       "E1 : end_stop(ground, p)  xmin = -5, xmax = 0\noutput B.v, P.v\n",
                 after, 1);
    must_run(&t);
    close_to(value_at(&t, "B.v", 0.15), -9.81 * (0.15 - fall), 1e-9, "the ball gives all away");
    close_to(value_at(&t, "P.v", 0.15), -9.81 * fall / 2 + 10.38 / 2 * (0.15 - fall), 1e-9,
             "the plate is knocked off its stop");
    end_trial(&t);
}

/* Impulses of events through what switches: a stop that is closed holds against them, and what
 * sticks does not. A ball on a plate that lies on its stop comes to rest on it. */
static void test_impulses_through(void **state)
{
    const double times[] = {0.5, 1.5, 2.5, 3}, fall = sqrt(2 * 0.1 / 9.81);
    (void)state;
    trial t =
        trial_of(PLATE "E1 : end_stop(ground, p)  xmin = 0, xmax = 5\noutput E1.F\n", times, 4);
    must_run(&t);
    assert_true(fall * 3 < 0.5);
    close_to(value_at(&t, "E1.F", 0.5), -29.43, 1e-9, "both weigh on the stop");
    close_to(value_at(&t, "a.x", 3), 0, 1e-9, "the ball lies");
    end_trial(&t);
    t = trial_of("M : mass(a) m = 1\nF : friction(ground, a) Fc = 1\nwhen t > 1 { M.v = 1.2 }\n"
                 "output a.x, M.v\n",
                 times, 4);
    must_run(&t);
    close_to(value_at(&t, "M.v", 0.5), 0, 1e-12, "sticks");
    close_to(value_at(&t, "M.v", 1.5), 0.7, 1e-9, "slips");
    close_to(value_at(&t, "a.x", 3), 0.72, 1e-9, "sticks again");
    end_trial(&t);
    t = trial_of("J1 : inertia(a) J = 1, w(0) = 1\nJ2 : inertia(b) J = 2, w(0) = 1\n"
                 "C : clutch(a, b) Tmax = 1\nwhen t > 1 { J1.w = 1.6 }\noutput J1.w, J2.w\n",
                 times, 4);
    must_run(&t);
    close_to(value_at(&t, "J1.w", 0.5), 1, 1e-12, "locked");
    close_to(value_at(&t, "J2.w", 2.5), 1.2, 1e-9, "locked again, momentum kept");
    end_trial(&t);
}

/* Each bad model beside a good one; all parts of the circuit or cutset are named. */
static const struct conflict {
    const char *bad, *good, *word, *witness[3];
} conflicts[] = {
    {SHORT("t > 1"), SHORT("t > 10"), "circuit", {"V1", "S1"}},
    {"V1 : vsource(a, ground) v = 5*sin(t)\nD1 : ideal_diode(a, b)\nD2 : ideal_diode(b, ground)\n"
     "R1 : resistor(b, ground) R = 1\noutput R1.i\n",
     "V1 : vsource(a, ground) v = 5*sin(t)\nD1 : ideal_diode(a, b)\nD2 : ideal_diode(ground, b)\n"
     "R1 : resistor(b, ground) R = 1\noutput R1.i\n",
     "circuit",
     {"V1", "D1", "D2"}},
    {"I1 : isource(ground, a) i = 1\nS1 : switch(a, b) on = t < 1\nR1 : resistor(b, ground) R = 1\n"
     "output R1.i\n",
     "I1 : isource(ground, a) i = 1\nS1 : switch(a, b) on = t < 10\nR1 : resistor(b, ground) R = "
     "1\n"
     "output R1.i\n",
     "cutset",
     {"I1", "S1"}},
    {"I1 : isource(a, ground) i = 1\nD1 : ideal_diode(a, ground)\noutput D1.i\n",
     "I1 : isource(ground, a) i = 1\nD1 : ideal_diode(a, ground)\noutput D1.i\n",
     "cutset",
     {"I1", "D1"}},
    {"Q1 : flow_source(ground, a) q = 1e-3\nV1 : check_valve(b, a)\nT1 : tank(b) C = 1e-8\n"
     "output T1.p\n",
     "Q1 : flow_source(ground, a) q = 1e-3\nV1 : check_valve(a, b)\nT1 : tank(b) C = 1e-8\n"
     "output T1.p\n",
     "cutset",
     {"Q1", "V1"}},
    {"V1 : velocity_source(ground, a) v = 1\nE1 : end_stop(ground, a) xmin = -1, xmax = 1\n"
     "output a.v\n",
     "V1 : velocity_source(ground, a) v = 1\nE1 : end_stop(ground, a) xmin = -1, xmax = 5\n"
     "output a.v\n",
     "circuit",
     {"V1", "E1"}},
};

static void test_conflicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        double time = 3;
        trial t = trial_of(conflicts[i].bad, &time, 1);
        run_trial(&t);
        assert_int_equal(ct_error_count(t.ctx), 1);
        if (!strstr(ct_diag_at(t.ctx, 0)->message, conflicts[i].word))
            fail_msg("no %s is named in %s", conflicts[i].word, conflicts[i].bad);
        end_trial(&t);
        for (int k = 0; k < 3 && conflicts[i].witness[k]; k++)
            check_code(conflicts[i].bad, "E546", conflicts[i].witness[k]);
        check_code(conflicts[i].good, NULL, NULL);
    }
    const char *through = "V1 : vsource(a, ground) v = 10\nT : transformer(a, ground | b, ground) "
                          "n = 2\nS1 : switch(b, ground) on = t > 1\nR1 : resistor(b, ground) R = "
                          "1\noutput b.v\n";
    check_code(through, "E546", "S1");
    check_code(through, "W321", "T.e2"); /* circuits through a two-port have a code of their own */
}

/* Currents of an ideal diode that are rounding errors of its neighbours: those of one that is not
 * ideal near zero. Where the source leads on the ideal one changes nothing. */
static void test_rounding(void **state)
{
    const double times[] = {0.01, 0.1, 0.6, 1, 2.2, 2.6, 3.8, 4.5};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *beside = i ? "M : mass(m) m = 1, v(0) = 1\n" : "";
        char text[2][400];
        for (int k = 0; k < 2; k++)
            snprintf(text[k], sizeof *text,
                     "%sV : vsource(p, ground) v = sin(3*t)\nR : resistor(p, q) R = 1\n%s"
                     "N : diode(r, ground)\noutput N.i\nsimulate stop = 4.5\n",
                     beside, k ? "D : ideal_diode(q, r)\n" : "S : resistor(q, r) R = 0\n");
        trial plain = timed(text[0], times, 8), t = timed(text[1], times, 8);
        must_run(&plain);
        must_run(&t);
        for (int k = 0; k < 8; k++) {
            double right = fmax(0, value_at(&plain, "N.i", times[k]));
            close_to(value_at(&t, "N.i", times[k]), right, 1e-5 * right + 1e-13, text[1]);
        }
        end_trial(&plain);
        end_trial(&t);
    }
}

/* The distance of an impact with a rule is read from any comparison of its condition: what is far
 * away takes no part. */
static void test_conditions_of_rules(void **state)
{
    static const char *const condition[] = {"c.x < l and c.x > -1 and c.v < 0",
                                            "c.v < 0 and c.x > -1 and c.x < l",
                                            "c.x < l and (c.v < 0 and c.x > -1)"};
    const double times[] = {0.7};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "element hit\n  port a, b : translational\n  edge c(a, b)\n  param l : m\n"
                 "  choice rule = newton | poisson\n  c.F = 0\n  when %s {\n"
                 "    c.v = -0.5*pre(c.v)\n  }\nend\n"
                 "M1 : mass(a)  m = 1, v(0) = 2\nM2 : mass(b)  m = 3, x(0) = 0.5\n"
                 "M3 : mass(c)  m = 0.5, x(0) = 5\nA : hit(a, b)  l = 0.1\nB : hit(b, c)  l = 0.1\n"
                 "output M1.v as v1, M3.v as v3\nsimulate stop = 0.7\n",
                 condition[i]);
        trial t = timed(text, times, 1);
        must_run(&t);
        close_to(value_at(&t, "v1", 0.7), -0.25, 1e-12, text);
        close_to(value_at(&t, "v3", 0.7), 0, 0, text);
        end_trial(&t);
    }
}

/* Wishes for the tree count within classes; others are told once, and change nothing. */
static void test_wishes(void **state)
{
    static const char *const wish[] = {"", "tree L1\n", "tree C1\n", "tree R1, L1\n"};
    const double times[] = {2};
    double right = 0;
    (void)state;
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 SINE "D1 : ideal_diode(a, b)\nR1 : resistor(b, c) R = 1\n"
                      "C1 : capacitor(c, ground) C = 1\nL1 : inductor(c, ground) L = 1\n%s"
                      "output C1.v\nsimulate stop = 2\n",
                 wish[i]);
        trial t = timed(text, times, 1);
        must_run(&t);
        right = i ? right : value_at(&t, "C1.v", 2);
        close_to(value_at(&t, "C1.v", 2), right, 1e-9, text);
        int told = 0;
        for (uint32_t k = 0; k < ct_diag_count(t.ctx); k++)
            told += strcmp(ct_diag_at(t.ctx, k)->code, "W566") == 0;
        assert_int_equal(told, i % 2);
        end_trial(&t);
    }
}

/* Without outputs rows show what is stored, the same in all modes. */
static void test_no_outputs(void **state)
{
    const double times[] = {1, 4};
    (void)state;
    trial t = timed("space = planar\np : particle m = 1, y(0) = 1\ninitial p.v[1] = 2\n" SINE
                    "D1 : ideal_diode(a, b)\nL1 : inductor(b, o) L = 1\n"
                    "R1 : resistor(o, ground) R = 1\n",
                    times, 2);
    must_run(&t);
    for (int i = 0; i < 2; i++) {
        close_to(value_at(&t, "p.x", times[i]), 2 * times[i], 1e-6, "place");
        close_to(value_at(&t, "p.y", times[i]), 1, 1e-12, "height");
    }
    close_to(value_at(&t, "L1.i", 1), half_wave(1), 1e-6, "conducts");
    close_to(value_at(&t, "L1.i", 4), 0, 1e-12, "blocks");
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions_of_rules),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_no_outputs),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_impacts_beside),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_impulses_open),
        cmocka_unit_test(test_impulses_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

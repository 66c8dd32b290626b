/* test_jumps.c - what is stored jumps with its sources: charge, flux and momentum are conserved, in
 * every form, tree and choice of coordinates; closed forms. */
#include "test_simulate.h"

typedef struct jump_case {
    const char *text, *output;
    double time, value;
} jump_case;

#define DIVIDER                                                                                    \
    "C1 : capacitor(a, b) C = 1 uF\nC2 : capacitor(b, ground) C = 2 uF\n"                          \
    "R2 : resistor(b, ground) R = 1 kohm\noutput C1.v, C2.v\n"
#define VARICAP                                                                                    \
    "element varicap\n  port p, n : electrical\n  edge e(p, n)\n  param C : F, v0 : V\n"           \
    "  e.i = C*(1 + 3*(e.v/v0)^2)*der(e.v)\nend\n"

/* Forms and random trees. */
static void check_all_ways(const jump_case *c)
{
    for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++)
        for (uint32_t seed = 0; seed < 5; seed++) {
            trial t = trial_of(c->text, &c->time, 1);
            t.form = (ct_form)form;
            t.seed = seed;
            must_run(&t);
            close_to(value_at(&t, c->output, c->time), c->value, 1e-8 * fmax(1, fabs(c->value)),
                     c->text);
            end_trial(&t);
        }
}

static void test_networks_jump(void **state)
{
    const jump_case cases[] = {
        {"V1 : vsource(a, ground) v = if t < 1 ms then 0 V else 9 V\n" DIVIDER, "C2.v", 2e-3,
         3 * exp(-1.0 / 3)},
        {"V1 : vsource(a, ground) v = if t < 1 ms then 0 V else 9 V\n" DIVIDER, "C1.v", 1e-3, 6},
        {"V1 : vsource(a, ground) v = 9 V\n" DIVIDER, "C2.v", 0, 3},
        {"V1 : vsource(a, ground) v = 9 V\ninitial C1.v = 3 V\n" DIVIDER, "C2.v", 0, 6},
        {"V1 : vsource(a, ground) v = 9 V\ninitial C2.v = 1 V\n" DIVIDER, "C1.v", 0, 8},
        {"V1 : vsource(a, ground) v = 9 V\nguess R2.i = 1 A\n" DIVIDER, "C2.v", 0, 3},
        {"I1 : isource(ground, a) i = if t < 1 then 0 A else 1 A\nL1 : inductor(a, ground) L = 1\n"
         "L2 : inductor(a, b) L = 2\nR2 : resistor(b, ground) R = 1\noutput L1.i\n",
         "L1.i", 1, 2.0 / 3},
        {"V : velocity_source(ground, a) v = if t < 1 then 0 else 1\nB : inerter(a, b) b = 1\n"
         "M : mass(b) m = 2\nD : damper(ground, b) d = 1\noutput b.v\n",
         "b.v", 1, 1.0 / 3},
        /* q = v + v^3 in series with 1 F on 3 V: 1 V and 2 V */
        {VARICAP "V1 : vsource(a, ground) v = 3*step(t - 1)\nC1 : varicap(a, b) C = 1, v0 = 1\n"
                 "C2 : capacitor(b, ground) C = 1\nR : resistor(b, ground) R = 1e12\noutput C1.v\n",
         "C1.v", 1, 1},
        {VARICAP "V1 : vsource(a, ground) v = 3\nC1 : varicap(a, b) C = 1, v0 = 1\n"
                 "C2 : capacitor(b, ground) C = 1\nR : resistor(b, ground) R = 1e12\noutput C2.v\n",
         "C2.v", 0, 2},
        /* a source that a state switches */
        {"C0 : capacitor(c, ground) C = 1, v(0) = 0\nI0 : isource(ground, c) i = 1\n"
         "V1 : vsource(a, ground) v = if c.v < 0.5 then 0 else 9\nC1 : capacitor(a, b) C = 1\n"
         "C2 : capacitor(b, ground) C = 2\nR2 : resistor(b, ground) R = 1\noutput C2.v\n",
         "C2.v", 1, 3 * exp(-1.0 / 6)},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_all_ways(&cases[k]);
}

/* Charge and flux stay where C and L jump: by a condition, a discrete, an input; alone, shared, and
 * together with a source. */
#define TWO "C2 : capacitor(b, ground) C = 1\nR : resistor(b, ground) R = 1e15\noutput C1.v, C2.v\n"

static void test_factors_jump(void **state)
{
    const jump_case cases[] = {
        {"C1 : variable_capacitor(b, ground) C = if t < 1 then 1 else 0.5\n" TWO
         "initial C1.v = 3\n",
         "C2.v", 1, 4},
        {"discrete d = 1\nwhen t >= 1 { d = 3 }\nC1 : variable_capacitor(b, ground) C = d\n" TWO
         "initial C2.v = 3\n",
         "C1.v", 1, 1.5},
        {"input u : F = if t < 1 then 1 F else 4 F\nC1 : variable_capacitor(a, ground) C = u\n"
         "R1 : resistor(a, b) R = 1e15\n" TWO "initial C1.v = 2\n",
         "C1.v", 1, 0.5},
        {"V1 : vsource(a, ground) v = if t < 1 then 2 else 5\n"
         "C1 : variable_capacitor(a, b) C = if t < 1 then 1 else 4\n" TWO,
         "C2.v", 1, 4},
        {"I1 : isource(ground, a) i = if t < 1 then 3 else 1\n"
         "L1 : variable_inductor(a, ground) L = if t < 1 then 1 else 3\n"
         "L2 : inductor(a, b) L = 2\nR2 : resistor(b, ground) R = 1e-15\noutput L2.i\n",
         "L2.i", 1, 0.6},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_all_ways(&cases[k]);
}

/* The guess of a state is met where that can be. */
static void test_guesses_of_states(void **state)
{
    const jump_case cases[] = {
        {"V1 : vsource(a, ground) v = 9 V\ntree C1\nguess C1.v = 1 V\n" DIVIDER, "C2.v", 0, 8},
        {"V1 : vsource(a, ground) v = 9 V\ntree C2\nguess C2.v = 1 V\n" DIVIDER, "C1.v", 0, 8},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trial t = trial_of(cases[k].text, &cases[k].time, 1);
        must_run(&t);
        close_to(value_at(&t, cases[k].output, 0), cases[k].value, 1e-9, cases[k].text);
        end_trial(&t);
    }
}

/* A position that jumps gives a mass behind a damper the impulse d*x. */
static void test_position_jumps(void **state)
{
    const jump_case c = {"X : position_source(ground, a) x = if t < 1 then 0 else 1\n"
                         "D : damper(a, b) d = 1\nM : mass(b) m = 2\noutput M.v\n",
                         "M.v", 2, 0.5 * exp(-0.5)};
    (void)state;
    check_all_ways(&c);
}

/* The integral of a current holds the charge of its impulse. */
static void test_integral_of_impulse(void **state)
{
    const double times[] = {2};
    trial t =
        trial_of("V1 : vsource(a, ground) v = 5*step(t - 1)\nC1 : capacitor(a, ground) C = 2\n"
                 "output integral(C1.i) as q\n",
                 times, 1);
    (void)state;
    must_run(&t);
    close_to(value_at(&t, "q", 2), 10, 1e-9, "charge");
    end_trial(&t);
}

/* A value that is given is what its storage has after the start; the others were empty before. */
static void check_shared(const char *text, const char *const *tree, const char *one,
                         const char *other)
{
    const double times[] = {0};
    char model[600];
    for (size_t k = 0; k < 3; k++) {
        snprintf(model, sizeof model, "%stree %s\n", text, tree[k]);
        trial t = trial_of(model, times, 1);
        must_run(&t);
        close_to(value_at(&t, one, 0), 16.0 / 3, 1e-12, tree[k]);
        close_to(value_at(&t, other, 0), 8.0 / 3, 1e-12, tree[k]);
        end_trial(&t);
    }
}

static void test_given_and_shared(void **state)
{
    const char *loops[] = {"C1, C2", "C1, C3", "C2, C3"}, *cutsets[] = {"L1", "L2", "L3"};
    (void)state;
    check_shared("V1 : vsource(a, ground) v = 9\nC1 : capacitor(a, b) C = 1\n"
                 "C2 : capacitor(b, c) C = 2\nC3 : capacitor(c, ground) C = 4\n"
                 "R1 : resistor(b, ground) R = 1\ninitial C1.v = 1\noutput C2.v, C3.v\n",
                 loops, "C2.v", "C3.v");
    check_shared("I1 : isource(ground, a) i = 9\nL1 : inductor(a, b) L = 1\n"
                 "L2 : inductor(a, c) L = 2\nL3 : inductor(a, d) L = 4\n"
                 "R1 : resistor(b, ground) R = 1\nR2 : resistor(c, ground) R = 1\n"
                 "R3 : resistor(d, ground) R = 1\ninitial L1.i = 1\noutput L2.i, L3.i\n",
                 cutsets, "L2.i", "L3.i");
}

/* The same of springs on a node that nothing else loads: it moves, and all of them by the same. */
static void test_given_springs(void **state)
{
    static const char *const tree[] = {"L1", "L6", "L7", "L7, L6", "R1, L7"};
    const double times[] = {0};
    char model[600];
    (void)state;
    for (size_t k = 0; k < sizeof tree / sizeof *tree; k++) {
        snprintf(model, sizeof model,
                 "L1 : spring(a, n2) k = 1\nR1 : damper(a, ground) d = 1\n"
                 "V2 : velocity_source(n3, n2) v = 0.5\nL6 : spring(n2, b) k = 0.1\n"
                 "R6 : damper(b, ground) d = 1\nL7 : spring(n3, c) k = 10\n"
                 "R7 : damper(c, ground) d = 1\ninitial L1.x = 1\noutput L6.x, L7.x\ntree %s\n",
                 tree[k]);
        trial t = trial_of(model, times, 1);
        must_run(&t);
        close_to(value_at(&t, "L6.x", 0), 1 / 10.1, 1e-12, tree[k]);
        close_to(value_at(&t, "L7.x", 0), 1 / 10.1, 1e-12, tree[k]);
        end_trial(&t);
    }
}

/* What a given current ties has its flux from before, whichever of the two is a state: M i1 + L2 i2
 * = 0 of the other winding. */
static void test_given_and_coupled(void **state)
{
    const char *wishes[] = {"V1, L1", "K.e1", "V1, K.e2", "R1, R2"};
    const double start = 0;
    char model[600];
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        snprintf(model, sizeof model, "%stree %s\n",
                 "L1 : inductor(ground, a) L = 1\n"
                 "K : coupled_inductors(a, b | c, b) L1 = 8, L2 = 2, k = 0.5\n"
                 "R1 : resistor(c, d) R = 1\nV1 : vsource(b, d) v = 1\n"
                 "R2 : resistor(ground, d) R = 3\ninitial L1.i = -0.4\noutput K.e2.i\n",
                 wishes[k]);
        trial t = trial_of(model, &start, 1);
        must_run(&t);
        close_to(value_at(&t, "K.e2.i", 0), 0.4, 1e-12, wishes[k]);
        end_trial(&t);
    }
}

#define DRIVEN(drive)                                                                              \
    "space = planar\na : body m = 1, I = 0.1, com = [0.2, 0] { E = [0.5, 0] }\n"                   \
    "b : body m = 1, I = 0.1, com = [0.3, 0]\nJ1 : revolute(ground, a) " drive                     \
    "\nJ2 : revolute(a.E, b)\noutput J2.w\n"

/* (I + m s^2) (w+ - w-) = -m s l (change of w1) cos(beta), both straight: relative speed. */
static void test_drivers_jump(void **state)
{
    const double times[] = {0.5, 1}, after = -0.15 / 0.19 - 1;
    const char *text[] = {DRIVEN("w = if t < 1 then 1 else 2"),
                          DRIVEN("beta = if t < 1 then t else 2*t - 1")};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        trial t = trial_of(text[k], times, 2);
        must_run(&t);
        close_to(value_at(&t, "J2.w", 0.5), 0, 1e-9, "before");
        close_to(value_at(&t, "J2.w", 1), after, 1e-9, "after");
        end_trial(&t);
    }
}

static void check_refused(const char *text, const char *code, const char *witness)
{
    const double times[] = {0.5, 2};
    trial t = trial_of(text, times, 2);
    run_trial(&t);
    assert_int_equal(ct_error_count(t.ctx), code != NULL);
    if (code) {
        const ct_diag *d = ct_diag_at(t.ctx, 0);
        assert_string_equal(d->code, code);
        assert_true(d->witness_count > 0);
        assert_string_equal(d->witness[0], witness);
        assert_int_equal(t.run->outputs.count, 1); /* the row before it is kept */
    }
    end_trial(&t);
}

#define ODD(drive, law)                                                                            \
    "element odd\n  port p, n : electrical\n  edge e(p, n)\n  param k\n  e.i = " law               \
    "\nend\nV1 : vsource(a, ground) v = " drive                                                    \
    "\nX1 : odd(a, b) k = 1\nC2 : capacitor(b, ground) C = 1\noutput C2.v\n"

#define TWO_PLACES(first, part)                                                                    \
    "X1 : position_source(ground, a) x = " first "\nP1 : " part                                    \
    "\nX2 : position_source(ground, b) x = step(t - 1)\nM2 : mass(b) m = 1\noutput M2.v\n"

static void test_refusals(void **state)
{
    (void)state;
    check_refused(DRIVEN("beta = if t < 1 then 0 else 1"), "E540", "J1");
    check_refused(DRIVEN("beta = if t < 1 then 0 else t - 1"), NULL, NULL);
    check_refused(ODD("step(t - 1)", "k*der(e.v)*abs(der(e.v))"), "E539", "V1");
    check_refused(ODD("step(t - 1)", "k*der(e.v)*(1 + e.v^2)"), NULL, NULL);
    /* of two sources the one that takes a mass along, which alone jumps, or jumps beside another */
    check_refused(TWO_PLACES("0.1*sin(t)", "mass(a) m = 1"), "E567", "X2");
    check_refused(TWO_PLACES("step(t - 1)", "spring(a, ground) k = 1"), "E567", "X2");
}

/* A capacitor drives the charge of a jump through N1, into the sum point of an amplifier. */
#define AMPLIFIER(drive, law)                                                                      \
    "element bent\n  port p, n : electrical\n  edge e(p, n)\n  " law                               \
    "\nend\nV1 : vsource(a, ground) v = " drive                                                    \
    "\nC1 : capacitor(a, b) C = 1\nN1 : bent(b, o)\nA1 : opamp(ground, b | o, ground)\n"           \
    "R1 : resistor(o, c) R = 1\nC2 : capacitor(c, ground) C = 1\noutput C2.v\n"

/* An impulse through what bends has no size, and the part is named; through what has two slopes it
 * has, by the one on its side: the limit of a ramp. */
static void test_nonlinear_resistors(void **state)
{
    const char *bent[] = {"e.i = 1*e.v + 1*e.v^3", "e.v = 1*e.i + 1*e.i^3",
                          "e.i = 2*e.v + 1*abs(e.v)"};
    const double times[] = {0.5, 2};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[600], good[600];
        snprintf(text, sizeof text, AMPLIFIER("step(t - 1)", "%s"), bent[i]);
        snprintf(good, sizeof good, AMPLIFIER("clamp(t - 1, 0, 0.5)", "%s"), bent[i]);
        check_refused(text, "E539", "C1");
        check_code(text, "E539", "N1");
        check_refused(good, NULL, NULL);
    }
    trial t = trial_of(AMPLIFIER("step(t - 1)", "e.v = 2*e.i + 1*abs(e.i)"), times, 2);
    must_run(&t);
    close_to(value_at(&t, "C2.v", 2), -3 * exp(-1), 1e-7, "two slopes");
    end_trial(&t);
    t = trial_of(AMPLIFIER("-step(t - 1)", "e.v = 2*e.i + 1*abs(e.i)"), times, 2);
    must_run(&t);
    close_to(value_at(&t, "C2.v", 2), exp(-1), 1e-7, "the other slope");
    end_trial(&t);
}

/* What a steep source moves between the two sides of an instant is no impulse. */
static void test_no_rounding_is_told(void **state)
{
    const double times[] = {0.5e-3, 3e-3};
    (void)state;
    trial t = trial_of("V1 : vsource(a, ground) v = 5e8*clamp(t - 1e-3, 0, 1e-8)\n"
                       "C1 : capacitor(a, m) C = 1e-6\nF1 : cccs(m, ground | ground, o) gain = 1\n"
                       "D1 : ideal_diode(o, q)\nN1 : resistor(q, ground) R = 10\n"
                       "R2 : resistor(o, p) R = 1000\nC2 : capacitor(p, ground) C = 1e-6\n"
                       "output C2.v\n",
                       times, 2);
    must_run(&t);
    assert_int_equal(ct_diag_count(t.ctx), 0);
    end_trial(&t);
}

#define STEP          "if t < 1 then 0 else 0.1"
#define PLACED(drive) "P1 : position_source(ground, a) x = " drive "\n"
#define SWUNG         "K1 : spring(a, b) k = 10\nM2 : mass(b) m = 1\noutput M2.v\n"

/* No mass can be elsewhere at once; what is behind a spring or a damper need not be. */
static void test_masses_stay(void **state)
{
    const char *bad[] = {
        PLACED(STEP) "M1 : mass(a) m = 2\noutput P1.F\n",
        PLACED(STEP) "M1 : mass(a) m = 2\n" SWUNG,
        PLACED(STEP) "L1 : lever(a, ground | c, ground) n = 2\nM1 : mass(c) m = 2\n" SWUNG,
        "P1 : position_source(c, a) x = " STEP "\nM1 : mass(c) m = 2\nM3 : mass(a) m = 1\n" SWUNG,
        PLACED(STEP) "M1 : mass(a) m = 2\nF1 : friction(b, ground) Fc = 0.3\n" SWUNG,
        "discrete n : m = 0\nwhen t > 1 { n = 0.1 }\n" PLACED("n") "M1 : mass(a) m = 2\n" SWUNG,
        "P1 : angle_source(ground, a) theta = " STEP "\nM1 : inertia(a) J = 2\noutput P1.T\n",
    };
    const char *good[] = {
        PLACED(STEP) SWUNG,
        PLACED(STEP) "D1 : damper(a, b) d = 1\n" SWUNG,
        PLACED(STEP) "F1 : friction(b, ground) Fc = 0.3\n" SWUNG,
        PLACED(STEP) "I1 : inerter(a, b) b = 2\nK1 : spring(a, b) k = 10\n"
                     "D1 : damper(b, ground) d = 3\noutput K1.F\n",
        PLACED("0.3") "M1 : mass(a) m = 2\n" SWUNG,
        PLACED("if t < 1 then 0 else 5*(t - 1)") "M1 : mass(a) m = 2\n" SWUNG,
        PLACED("if t < 1 then t - 1 else 0") "M1 : mass(a) m = 2\n" SWUNG,
        PLACED("1 m*sin(1000*t) + (if t < 1 then 0 m else 3 m/s*(t - 1 s))") "M1 : mass(a) m = "
                                                                             "2\n" SWUNG,
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        check_refused(bad[k], "E567", "P1");
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        check_refused(good[k], NULL, NULL);
}

static void test_references(void **state)
{
    const char *models[] = {"jump_capacitors", "jump_inductors", "jump_inerter_mass",
                            "jump_driven_joint"};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        check_model(models[k], NULL, 1e-10, 0);
}

/* A spring on a body whose turn is a quaternion, and angles that an event exchanges for others. */
static void test_quaternions(void **state)
{
    static const char *const wish[] = {"joint", "absolute"};
    const double time = 1;
    double x = 0, e = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "space = spatial\ngravity = [0, 0, -9.81]\ncoordinates = %s\n"
            "ground { B = [1, 2, 1] }\na : body m = 1, I = [0.1, 0.2, 0.3] { B = [0.3, 0, 0] }\n"
            "b : body m = 1, I = [0.1, 0.2, 0.2]\nJ : spherical(ground, a) angles = zyx,\n"
            "  rechoose = on, q(0) = [0.1, 0.2, 0.3], omega(0) = [0.2, 5, 0.3]\n"
            "K : revolute(a.B, b) axis = y\nS : spring(ground.B, b) k = 20, l0 = 1\n"
            "output b.x as x, kinetic() + potential() + 10*(S.x - 1)^2 as e\n",
            wish[i]);
        trial t = trial_of(text, &time, 1);
        must_run(&t);
        x = i ? x : value_at(&t, "x", 1), e = i ? e : value_at(&t, "e", 1);
        close_to(value_at(&t, "x", 1), x, 1e-6, "x");
        close_to(value_at(&t, "e", 1), e, 1e-6, "energy");
        end_trial(&t);
    }
}

/* Beside windings without leakage. */
#define VARIED(factor, edge)                                                                       \
    "discrete d = 1\nwhen t > 1 { d = 0 }\ninput u : F = if t < 1 then 1 else 0\n"                 \
    "V1 : vsource(a, ground) v = 1\nR1 : resistor(a, b) R = 1\n"                                   \
    "K1 : coupled_inductors(b, ground | c, ground) L1 = 1, L2 = 4, k = 1\n"                        \
    "C1 : variable_capacitor(c, ground) C = " factor "\nR2 : resistor(c, e) R = 1\n" edge          \
    "C2 : capacitor(e, ground) C = 1\noutput C2.v\n"
#define DIODE "D1 : ideal_diode(e, ground)\n"

/* What a condition, an input, an event or a state makes of a factor is judged by its limits. */
static void test_factors_out_of_range(void **state)
{
    const char *bad[] = {VARIED("if t < 1 then 0 else 1", ""),
                         VARIED("if t < 1 then -1 else 1", ""),
                         VARIED("u", ""),
                         VARIED("d*1", ""),
                         VARIED("(if t < 1.5 then 1 else u)", ""),
                         VARIED("cos(t)*1", ""),
                         VARIED("d*1", DIODE),
                         VARIED("u", DIODE)};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_code(bad[i], "E224", "C1");
    check_refused(VARIED("if t < 1 then 1 else 1e-6", ""), NULL, NULL);
    check_refused(VARIED("(2 + cos(t))*(1 + d)", DIODE), NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guesses_of_states),   cmocka_unit_test(test_networks_jump),
        cmocka_unit_test(test_factors_jump),        cmocka_unit_test(test_position_jumps),
        cmocka_unit_test(test_integral_of_impulse), cmocka_unit_test(test_given_and_shared),
        cmocka_unit_test(test_given_and_coupled),   cmocka_unit_test(test_given_springs),
        cmocka_unit_test(test_drivers_jump),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nonlinear_resistors), cmocka_unit_test(test_no_rounding_is_told),
        cmocka_unit_test(test_references),          cmocka_unit_test(test_masses_stay),
        cmocka_unit_test(test_quaternions),         cmocka_unit_test(test_factors_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mechanisms_coupled.c - mechanisms and scalar networks in one model: motors, gears, springs,
 * inertias on joints; static equilibrium; passing singular positions. Values in closed form. */
#include "test_simulate.h"

static const char body[] = "space = planar\na : body m = 1, I = 0.1\nJ1 : revolute(ground, a)\n";

static const struct coupled_case {
    const char *name, *text, *output;
    double value, tolerance;
} coupled[] = {
    {"gear between joints: the second inertia counts I/n^2",
     "ground { P = [1, 0] }\nb : body m = 1, I = 0.3\nJ2 : revolute(ground.P, b)\n"
     "G : gear(J1 | J2) n = 2\nT : torque(ground, a) T = 1\noutput J2.w as y\n",
     "y", 0.5 / (0.1 + 0.3 / 4), 1e-9},
    {"rotor behind a gear: its inertia counts n^2 times",
     "J : inertia(r) J = 0.02\nG : gear(ground, r | J1) n = 5\n"
     "T : torque(ground, a) T = 1\noutput J1.w as y\n",
     "y", 1 / (0.1 + 25 * 0.02), 1e-9},
    {"ideal motor on a current source with a capacitor: C counts Kv^2 times",
     "I1 : isource(ground, p) i = 1\nC : capacitor(p, ground) C = 0.2\n"
     "M : dc_motor(p, ground | J1) Kv = 0.5\noutput J1.w as y\n",
     "y", 1 / (0.5 * 0.2 + 0.1 / 0.5), 1e-9},
    {"motor with resistance: first order",
     "V : vsource(p, ground) v = 10\nM : dc_motor(p, ground | J1) Kv = 0.5, R = 1\n"
     "output J1.w as y\n",
     "y", 20 * (1 - 0.082084998623898800), 1e-8},
    {"ideal source and motor: the speed is prescribed",
     "V : vsource(p, ground) v = 6 + t\nM : dc_motor(p, ground | J1) Kv = 0.5\noutput J1.w as y\n",
     "y", 14, 1e-9},
    {"and the current follows from the acceleration",
     "V : vsource(p, ground) v = 6 + t\nM : dc_motor(p, ground | J1) Kv = 0.5\noutput M.i as y\n",
     "y", 0.4, 1e-9},
    {"ideal pump and cylinder: pressure",
     "b : body m = 2, I = 1\nS : prismatic(ground, b)\nQ : flow_source(ground, h) q = "
     "1e-4*cos(2*t)\n"
     "Y : cylinder(h, ground | S) A = 2e-4\noutput h.p as y\n",
     "y", -1e4 * 0.90929742682568170, 1e-5},
    {"heated winding, rotor behind a gear, motor without L",
     "G : gear(ground, r | J1) n = 8\nJ : inertia(r) J = 0.03\nV : vsource(p, ground) v = 6\n"
     "H : heating_resistor(p, q | hot) R = 0.6, alpha = 0.004\n"
     "C : thermal_capacitor(hot, ground) C = 2, T(0) = 300\n"
     "M : dc_motor(q, ground | J1) Kv = 0.6, R = 0.6, B = 0.03\noutput J1.w as y\n",
     "y", 1.3445782901699637, 1e-8},
    {"two cylinders in a row on a motor's arm: accelerations hold loads that cancel",
     "b : body  m = 1.7, I = 0.26, com = [0.26, 0]  { P = [0.5, 0] }\n"
     "c : body  m = 2, I = 0.24, com = [0.36, 0]\nS1 : prismatic(a, b)  s(0) = 0.5\n"
     "S2 : prismatic(b.P, c)\nV : vsource(p, ground)  v = 1\n"
     "M : dc_motor(p, ground | J1)  Kv = 0.3, R = 1.7\nQ1 : flow_source(ground, g)  q = 2e-4\n"
     "Y1 : cylinder(g, ground | S1)  A = 1e-4\nQ2 : flow_source(ground, h)  q = 1e-4*cos(2*t)\n"
     "Y2 : cylinder(h, ground | S2)  A = 2e-4\noutput S2.v as y\n",
     "y", -0.2080734182735712, 1e-9},
    {"torsion spring and damper on the joint: critically damped",
     "K : torsion_spring(J1) k = 0.1, theta0 = 0\nD : torsion_damper(J1) d = 0.2\n"
     "initial J1.beta = 1\noutput J1.beta as y\n",
     "y", 0.73575888234288467, 1e-8},
    {"rack: a spring between frames, straight line",
     "b : body m = 2, I = 1\nS : prismatic(ground, b)  s(0) = 3, v(0) = 0\n"
     "K : spring(ground, b) k = 8, l0 = 2\noutput S.s as y\n",
     "y", 2 - 0.41614683654714241, 1e-8},
};

static void test_coupled(void **state)
{
    double one[] = {1};
    (void)state;
    for (size_t i = 0; i < sizeof coupled / sizeof *coupled; i++)
        for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++) {
            char text[1024];
            snprintf(text, sizeof text, "%s%ssimulate stop = 1\n", body, coupled[i].text);
            trial t = new_trial(NULL);
            t.text = text;
            t.form = (ct_form)form;
            t.def.tol = 1e-10;
            t.def.times = one;
            t.def.time_count = 1;
            must_run(&t);
            close_to(value_at(&t, coupled[i].output, 1), coupled[i].value, coupled[i].tolerance,
                     coupled[i].name);
            end_trial(&t);
        }
}

/* ---- rest */

static const struct rest_case {
    const char *text;
    double value[2];
} rests[] = {
    {"space = planar\ngravity = [0, -9.81]\nbob : body m = 1, I = 0 { pin = [-1, 0] }\n"
     "J : revolute(ground, bob.pin)  beta(0) = 3.1\noutput bob.x, bob.y\n",
     {0, -1}},
    {"space = planar\ngravity = [0, -10]\na : body m = 1, I = 0.1 { E = [1, 0] }\n"
     "J : revolute(ground, a)\nb : body m = 2, I = 0.1 { F = [0, 0.5] }\n"
     "P : revolute(a.E, b.F)\noutput a.E.y, b.y\n",
     {-1, -1.5}},
    /* a weight on a spring: 10 N / 100 N/m below its free length */
    {"space = planar\ngravity = [0, -10]\nb : body m = 1, I = 1\n"
     "S : prismatic(ground, b)  axis = [0, 1], s(0) = -1\n"
     "K : spring(ground, b) k = 100, l0 = 1\noutput S.s, b.x\n",
     {-1.1, 0}},
    /* crank and rod hang straight down */
    {"space = planar\ngravity = [0, -9.81]\n"
     "c : body m = 1, I = 0.1 { B = [1, 0] }\nr : body m = 1, I = 0.1 { P = [2, 0] }\n"
     "s : body m = 1, I = 0.1\nJ1 : revolute(ground, c)  beta(0) = -1\n"
     "J2 : revolute(c.B, r)\nJ3 : revolute(r.P, s)\nJ4 : prismatic(ground, s)  axis = [0, 1]\n"
     "guess r.theta = -90 deg\noutput J4.s, c.B.x\n",
     {-3, 0}},
    /* pendulums that a gear ties: the angles keep what they are apart at the start */
    {"space = planar\ngravity = [0, -9.81]\nground { G = [1, 0] }\n"
     "a : body m = 1, I = 0.1, com = [0.3, 0.02]\nb : body m = 1.3, I = 0.12, com = [0.2, -0.05]\n"
     "J1 : revolute(ground, a)  beta(0) = 0.5\nJ2 : revolute(ground.G, b)  beta(0) = 0.3\n"
     "G : gear(J1 | J2)  n = 0.7\noutput J2.beta, 1e4*(J1.beta - 0.7*J2.beta - 0.29)\n",
     {-1.822317592, 0}},
};

static void test_rest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        trial t = new_trial(NULL);
        t.text = rests[i].text;
        t.equilibrium = true;
        run_trial(&t);
        if (!t.point)
            print_messages(&t);
        assert_non_null(t.point);
        for (int k = 0; k < 2; k++)
            close_to(t.point->y[k], rests[i].value[k], 1e-6, rests[i].text);
        end_trial(&t);
    }
}

/* ---- singular positions */

/* N four-bars in a row move as one pendulum: phi'' = -W cos(phi)/J. */
static double one_freedom(double n, double stop)
{
    double j = (n + 1) / 3 + n, w = 9.81 * ((n + 1) / 2 + n), phi = acos(-1.0) / 2, v = -1;
    const int steps = 200000;
    double h = stop / steps;
    for (int i = 0; i < steps; i++) { /* symmetric and of second order: energy keeps */
        v -= h / 2 * w / j * cos(phi);
        phi += h * v;
        v -= h / 2 * w / j * cos(phi);
    }
    return cos(phi);
}

static void test_singular(void **state)
{
    static const char text[] =
        "space = planar\ngravity = [0, -9.81]\nconst N = 2\n"
        "repeat i = 0..N {\n  ground { A{i} = [i, 0] }\n"
        "  arm{i} : body m = 1, I = 1/12 { A = [-0.5, 0], B = [0.5, 0] }\n"
        "  a{i} : revolute(ground.A{i}, arm{i}.A)\n}\n"
        "repeat i = 1..N {\n  bar{i} : body m = 1, I = 1/12 { P = [-0.5, 0], Q = [0.5, 0] }\n"
        "  p{i} : revolute(arm{i-1}.B, bar{i}.P)\n  q{i} : revolute(bar{i}.Q, arm{i}.B)\n}\n"
        "initial a0.beta = pi/2, a0.w = -1\n"
        "repeat i = 1..N { guess arm{i}.theta = pi/2, bar{i}.theta = 0 }\n"
        "output arm0.B.x as x\nsimulate stop = 10\n";
    static const char *const numbers[] = {"1", "2", "12"};
    static const double tolerances[] = {1e-7, 1e-8, 1e-9};
    double end[] = {10};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            trial t = new_trial(NULL);
            t.text = text;
            set(&t, "N", numbers[i]);
            t.def.tol = tolerances[k];
            t.def.times = end;
            t.def.time_count = 1;
            must_run(&t);
            close_to(value_at(&t, "x", 10), one_freedom(atof(numbers[i]), 10), 1e-4, numbers[i]);
            end_trial(&t);
        }
}

/* ---- messages of runs */

#define FOUR_BAR(r)                                                                                \
    "space = planar\nground { D = [2, 0] }\nparam r = " r "\n"                                     \
    "crank : body m = 1, I = 0.1 { B = [r, 0] }\n"                                                 \
    "coupler : body m = 1, I = 0.1 { C = [2, 0] }\n"                                               \
    "rocker : body m = 1, I = 0.1 { C = [2, 0] }\n"                                                \
    "J1 : revolute(ground, crank)  beta = 0.2 + t\nJ2 : revolute(crank.B, coupler)\n"              \
    "J3 : revolute(coupler.C, rocker.C)\nJ4 : revolute(ground.D, rocker)\n"                        \
    "guess coupler.theta = 0.5, rocker.theta = 1\noutput rocker.theta\nsimulate stop = 7\n"
#define TWO_LINKS(joint, values)                                                                   \
    "space = planar\nparam " values "\na : body m = 1, I = 1 { B = [0.1, 0] }\n"                   \
    "b : body m = m2, I = I2 { A = [-0.1, 0] }\nJ1 : revolute(ground, a)\n"                        \
    "J2 : " joint "(a.B, b.A)\noutput a.theta\nsimulate stop = 1\n"

/* An inner body whose mass is a parameter, with a pendulum on it. */
#define INNER(at, values)                                                                          \
    "space = planar\ngravity = [0, -9.81] m/s^2\nparam " values "\n"                               \
    "a : body  m = mi, I = Ii  { B = [1, 0] m }\n"                                                 \
    "b : body  m = 1 kg, I = 0.1 kg.m^2, com = [0.5, 0] m\n"                                       \
    "J1 : revolute(ground, a)  beta(0) = 0.3 rad\nJ2 : revolute(" at                               \
    ", b)  beta(0) = 0.5 rad\noutput J2.beta\nsimulate stop = 0.1 s\n"

/* Two motors on a parallelogram, the second on a joint that follows from the first: ideal or not.
 */
#define TWO_SOURCES(joint, resistance)                                                             \
    "space = planar\nground { O = [2, 0] }\na : body m = 1, I = 1 { B = [1, 0] }\n"                \
    "b : body m = 1, I = 1 { B = [2, 0] }\nc : body m = 1, I = 1 { B = [1, 0] }\n"                 \
    "J1 : revolute(ground, a)  beta(0) = 1\nJ2 : revolute(a.B, b)\nJ3 : revolute(c.B, b.B)\n"      \
    "J4 : revolute(ground.O, c)\nguess J4.beta = 1, b.theta = 0\n"                                 \
    "V1 : vsource(p, ground) v = 1\nM1 : dc_motor(p, ground | J1) Kv = 1\n"                        \
    "V2 : vsource(q, ground) v = 2\nM2 : dc_motor(q, ground | " joint ") Kv = 1, R = " resistance  \
    "\noutput a.w\nsimulate stop = 0.1\n"

/* Pin and slot hold body a; b turns on it. */
#define HELD_BODY                                                                                  \
    "space = planar\ngravity = [0, -9.81]\n"                                                       \
    "ground { A = [-0.341, -0.271], B = [-0.3, -0.12], C = [2.6, -0.6] }\n"                        \
    "a : body  m = 0.6, I = 0.24, com = [-0.06, -0.18]  { P = [-0.097, 0.122] }\n"                 \
    "b : body  m = 1, I = 0.35  { P = [0.47, 0.21] }\n"                                            \
    "J0 : revolute(ground.A, a)\nJ1 : revolute(a.P, b)\n"                                          \
    "J2 : slot(ground.B, a.P)  axis = [-0.45, 0.89]\n"
#define TIED_LINE(body)                                                                            \
    HELD_BODY "X : velocity_source(ground.C, " body                                                \
              ".P)  v = -0.07\noutput b.x\nsimulate stop = 0.1\n"
#define TIED_PUMP(body)                                                                            \
    HELD_BODY "node h : hydraulic\nP : pump(ground, h | J0)  D = 4e-5\n"                           \
              "X : cylinder(h, ground | ground.C, " body                                           \
              ".P)  A = 2e-4\noutput b.x\nsimulate stop = 0.1\n"

/* The arm's tip is pulled away from a point, and reaches the far side of its circle in 1.44 s. */
#define PULLED(speed)                                                                              \
    "space = planar\ngravity = [0, -9.81] m/s^2\nground { G = [2, 0] m }\n"                        \
    "a : body  m = 1 kg, I = 0.1 kg.m^2  { P = [0.5, 0] m }\nJ : revolute(ground, a)  beta(0) = "  \
    "1\nX : velocity_source(ground.G, a.P)  v = " speed "\noutput J.beta\nsimulate stop = 3 s\n"

/* In absolute coordinates places of the bodies tell it, not the form of the equations. */
#define TIED_PLACE(space, end)                                                                     \
    "space = " space "\ncoordinates = absolute\ngravity = [0, -9.81]\n"                            \
    "b : body m = 1, I = 0.1, com = [1, 0] { P = [1, 1] }\n"                                       \
    "c : body m = 1, I = 0.1, com = [1, 0] { Q = [1, 1] }\n"                                       \
    "J : revolute(ground, b)\nS : revolute(b.P, c)\n"                                              \
    "X : position_source(ground, " end ")  x = 1.4142135623730951\noutput b.theta\n"               \
    "simulate stop = 0.1 s\n"

#define TWO_EDGES(AT)                                                                              \
    "space = planar\nparam p = 0.3, q = " AT                                                       \
    "\na : body m = 1, I = 1 { l = [p, 0], r = [q, 0] }\n"                                         \
    "K1 : knife_edge(ground, a.l)\nK2 : knife_edge(ground, a.r)\ninitial a.theta = 0.7\n"          \
    "output a.w, K2.across\nsimulate stop = 1 s\n"

static const struct message_case {
    const char *code, *witness, *wrong, *good;
} messages[] = {
    {"E612", "X", PULLED("0.5 m/s"), PULLED("0.2 m/s")},
    {"E612", "X", PULLED("0.5 m/s*cos(0.1*t)"), PULLED("0.5 m/s*cos(2*t)")},
    {"E612", "J4", FOUR_BAR("2.5"), FOUR_BAR("0.5")},
    {"E612", "J1", FOUR_BAR("2.01"), FOUR_BAR("1.9")},
    {"E605", "b", TWO_LINKS("revolute", "m2 = 0, I2 = 0"), TWO_LINKS("revolute", "m2 = 1, I2 = 0")},
    {"E605", "m2", TWO_LINKS("prismatic", "m2 = 0, I2 = 1"),
     TWO_LINKS("prismatic", "m2 = 1, I2 = 0")},
    {"E605", "a", INNER("a", "mi = 0, Ii = 0"), INNER("a.B", "mi = 0, Ii = 0")},
    {"E605", "Ii", INNER("a", "mi = 1, Ii = 0"), INNER("a", "mi = 0, Ii = 0.1")},
    {"E521", "q", FOUR_BAR("1*q, q"), FOUR_BAR("0.6*q, q = 0.5")},
    {"E510", "M2", TWO_SOURCES("J1", "0"), TWO_SOURCES("J1", "1")},
    {"E510", "J2.port.T", TWO_SOURCES("J2", "0"), TWO_SOURCES("J2", "1")},
    {"E510", "M2", TWO_SOURCES("J2", "0"), TWO_SOURCES("J2", "1")},
    {"E510", "X", TIED_LINE("a"), TIED_LINE("b")},
    {"E510", "P", TIED_PUMP("a"), TIED_PUMP("b")},
    {"E511", "K2", /* two wheels of one axle */
     "space = planar\na : body m = 1, I = 1 { l = [0.2, 0.5], r = [0.2, -0.5] }\n"
     "K1 : speed_constraint v = cos(a.theta)*a.l.v[2] - sin(a.theta)*a.l.v[1]\n"
     "K2 : speed_constraint v = cos(a.theta)*a.r.v[2] - sin(a.theta)*a.r.v[1]\noutput a.w\n",
     "space = planar\na : body m = 1, I = 1 { l = [0.2, 0.5], r = [0.3, -0.5] }\n"
     "K1 : speed_constraint v = cos(a.theta)*a.l.v[2] - sin(a.theta)*a.l.v[1]\n"
     "K2 : speed_constraint v = cos(a.theta)*a.r.v[2] - sin(a.theta)*a.r.v[1]\noutput a.w\n"
     "simulate stop = 1 s\n"},
    {"E510", "X", TIED_PLACE("planar", "b.P"), TIED_PLACE("planar", "c.Q")},
    {"E510", "X", TIED_PLACE("spatial", "b.P"), TIED_PLACE("spatial", "c.Q")},
    {"E511", "K2.K", TWO_EDGES("0.1 + 0.2"), TWO_EDGES("0.4")}, /* alike by value only */
};

static bool has_message(const trial *t, const struct message_case *c)
{
    for (size_t i = 0; i < ct_diag_count(t->ctx); i++) {
        const ct_diag *d = ct_diag_at(t->ctx, i);
        for (size_t k = 0; strcmp(d->code, c->code) == 0 && k < d->witness_count; k++)
            if (strcmp(d->witness[k], c->witness) == 0)
                return true;
    }
    return false;
}

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        trial t = new_trial(NULL);
        t.text = messages[i].wrong;
        run_trial(&t);
        if (!has_message(&t, &messages[i]))
            fail_msg("case %zu: no %s with %s", i, messages[i].code, messages[i].witness);
        end_trial(&t);
        t = new_trial(NULL);
        t.text = messages[i].good;
        must_run(&t);
        end_trial(&t);
    }
}

/* The crank of length 2.5 stretches coupler and rocker where 2.5^2 + 2^2 - 10 cos(beta) = 4^2. */
static void test_lock_time(void **state)
{
    (void)state;
    double stop = acos((2.5 * 2.5 + 4 - 16) / 10) - 0.2;
    trial t = new_trial(NULL);
    t.text = FOUR_BAR("2.5");
    run_trial(&t);
    assert_non_null(t.run);
    const ct_rows *rows = &t.run->outputs;
    assert_true(rows->count > 100);
    double last = rows->value[(rows->count - 1) * rows->cols];
    assert_true(last < stop && last > stop - 0.05);
    end_trial(&t);
}

/* ---- what elements do on a joint; frames of the ground inside of subsystems */

static void test_inner_names(void **state)
{
    const double times[] = {0, 0.7};
    (void)state;
    trial t = new_trial(NULL);
    t.text = "space = planar\ngravity = [0, -9.81] m/s^2\n"
             "system leg(hip : frame)\n  ground { O = [1, 2] m }\n"
             "  b : body m = 1 kg, I = 1 kg.m^2\n  J : revolute(hip, b)\n"
             "  D : torsion_damper(J)  d = 0.1\nend\n"
             "a : body m = 1 kg, I = 1 kg.m^2  { B = [1, 0] m }\n"
             "J1 : revolute(ground, a)  w(0) = 1 rad/s\nK1 : torsion_spring(J1)  k = 10\n"
             "L1 : leg(a.B)\nc : body m = 1 kg, I = 1 kg.m^2\nJ2 : revolute(L1.ground.O, c)\n"
             "output J1.port.T + 10*J1.beta as none, L1.J.port.T + 0.1*L1.J.w as zero,"
             " L1.ground.O.x as x, c.y as y\n";
    t.def.times = times;
    t.def.time_count = 2;
    t.def.stop = 1;
    must_run(&t);
    close_to(value_at(&t, "none", 0.7), 0, 1e-12, "torque of the spring");
    close_to(value_at(&t, "zero", 0.7), 0, 1e-12, "torque of the damper");
    close_to(value_at(&t, "x", 0.7), 1, 1e-15, "x of the frame");
    close_to(value_at(&t, "y", 0.7), 2, 1e-15, "y of a body there");
    end_trial(&t);
}

/* ---- joints that follow others: gears, rack, cam, planet; closed forms */

#define FOLLOWING "space = planar\ngravity = [0, -9.81] m/s^2\n"

static const char gears[] = FOLLOWING
    "param n = 2\nground { P = [0.3, 0] m }\n"
    "w1 : body  m = 1 kg, I = 0.3 kg.m^2, com = [0.1, 0] m\nw2 : body  m = 2 kg, I = 0.5 kg.m^2\n"
    "rk : body  m = 3 kg\nJ1 : revolute(ground, w1)  beta(0) = 0.3 rad, w(0) = 1 rad/s\n"
    "J2 : revolute(ground.P, w2)  beta = -n*J1.beta\n"
    "R  : prismatic(ground, rk)  axis = [1, 0], s = 0.2 m*J2.beta\n"
    "output J1.beta as b, J1.alpha as a, J2.drive as T, R.drive as F, R.s + 0.4 m*J1.beta as gap,"
    " kinetic() + potential() as energy\n";

/* s = e (1 - cos b) upwards: (I + m s'^2) b'' + m s' s'' b'^2 + m g s' = 0, ' by b */
static const char cam[] =
    FOLLOWING "cam : body  m = 1 kg, I = 0.3 kg.m^2\nfol : body  m = 2 kg\n"
              "J1 : revolute(ground, cam)  beta(0) = 0.4 rad, w(0) = 9 rad/s\n"
              "R  : prismatic(ground, fol)  axis = [0, 1], s = 0.05 m*(1 - cos(J1.beta))\n"
              "output J1.beta as b, J1.w as w, J1.alpha as a, R.drive as F,"
              " R.s - 0.05 m*(1 - cos(J1.beta)) as gap, kinetic() + potential() as energy\n";

/* A planet rolls on a fixed sun, its carrier is level at first: it turns 1 + 0.2/0.1 times as fast.
 */
static const char planet[] =
    FOLLOWING "arm : body  m = 1 kg, I = 0.2 kg.m^2  { P = [0.3, 0] m }\npl : body  m = 2 kg, I = "
              "0.1 kg.m^2\n"
              "J1 : revolute(ground, arm)\nJ2 : revolute(arm.P, pl)  beta = 0.2/0.1*J1.beta\n"
              "output J1.beta as b, J1.alpha as a, J2.drive as T, pl.theta - 3*J1.beta as gap,"
              " kinetic() + potential() as energy\n";

static trial follow(const char *text, const char *word, const char *method)
{
    static const double times[] = {0, 0.6, 2};
    static ct_tree_choice choice;
    trial t = new_trial(NULL);
    choice = ct_default_tree_choice();
    choice.coordinates = word;
    t.text = text, t.choice = &choice;
    t.def.times = times, t.def.time_count = 3;
    t.def.stop = 2, t.def.tol = 1e-11, t.def.method = method;
    must_run(&t);
    close_to(value_at(&t, "gap", 2), 0, 1e-12, "what one follows of the other");
    close_to(value_at(&t, "energy", 2), value_at(&t, "energy", 0), 1e-8, "energy");
    return t;
}

static void test_following(void **state)
{
    static const char *const words[] = {"auto", "joint", "absolute"};
    static const char *const methods[] = {"rk", "independent"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        trial t = follow(gears, words[k % 3], methods[k / 3]);
        for (int i = 0; i < 2; i++) {
            double time = i ? 0.6 : 0, b = value_at(&t, "b", time), a = value_at(&t, "a", time);
            close_to(a, -9.81 * 0.1 * cos(b) / (0.31 + 4 * 0.5 + 0.16 * 3), 1e-11, "gears");
            close_to(value_at(&t, "F", time), 3 * -0.4 * a, 1e-11, "force of the rack");
            close_to(value_at(&t, "T", time), -2 * 0.5 * a - 0.2 * 3 * 0.4 * a, 1e-11, "torque");
        }
        end_trial(&t);
        t = follow(cam, words[k % 3], methods[k / 3]);
        for (int i = 0; i < 2; i++) {
            double time = i ? 0.6 : 0, b = value_at(&t, "b", time), w = value_at(&t, "w", time);
            double s1 = 0.05 * sin(b), s2 = 0.05 * cos(b), a = value_at(&t, "a", time);
            close_to(a, -2 * s1 * (s2 * w * w + 9.81) / (0.3 + 2 * s1 * s1), 1e-10, "cam");
            close_to(value_at(&t, "F", time), 2 * (s1 * a + s2 * w * w + 9.81), 1e-10, "force");
        }
        end_trial(&t);
        t = follow(planet, words[k % 3], methods[k / 3]);
        double inertia = 0.2 + 2 * 0.09 + 0.1 * 9, a = -9.81 * 2 * 0.3 / inertia;
        close_to(value_at(&t, "a", 0), a, 1e-11, "planet");
        close_to(value_at(&t, "T", 0), 0.1 * 3 * a, 1e-11, "torque on the planet");
        end_trial(&t);
    }
}

/* A cam by a curve through points, driven round: its second derivative jumps at the points. */
static void test_curve(void **state)
{
    static const double times[] = {0, 1.9};
    (void)state;
    trial t = new_trial(NULL);
    t.text =
        FOLLOWING "cam : body  m = 1 kg, I = 0.3 kg.m^2\nfol : body  m = 2 kg\n"
                  "J1 : revolute(ground, cam)  beta(0) = 0.4 rad, w(0) = 9 rad/s\n"
                  "R : prismatic(ground, fol)  axis = [0, 1], s = table(J1.beta, [0, 1, 2, 3, 4, "
                  "5, 6, 7, 8, 9],"
                  " [0, 0.02, 0.05, 0.07, 0.08, 0.07, 0.06, 0.05, 0.05, 0.04] m, method = cubic)\n"
                  "output kinetic() + potential() as energy, R.s as s\n";
    t.def.times = times, t.def.time_count = 2;
    t.def.stop = 2, t.def.tol = 1e-10;
    must_run(&t);
    close_to(value_at(&t, "energy", 1.9), value_at(&t, "energy", 0), 2e-8, "energy");
    assert_true(t.run->stats.roots_found >= 9);
    end_trial(&t);
}

/* ---- rest */

#define HEAVY "space = planar\ngravity = [0, -9.81] m/s^2\nground { G = [1, 1] m }\n"
#define PAIR                                                                                       \
    HEAVY "a : body  m = 1, I = 0.1  { P = [1, 0] m }\nb : body  m = 2, I = 0.1  { P = [0.5, "     \
          "0.3] m }\n"
#define CHAIN_OF_TWO PAIR "J : revolute(a.P, b)\nT : torsion_spring(J)  k = 2, theta0 = 1\n"

/* What has no rest, whom the message names, and a neighbour that has one. */
static const struct message_case resting[] = {
    {"E527", "b", PAIR "S : spring(ground.G, a.P)  k = 30, l0 = 0.5\noutput b.x\n",
     PAIR
     "S : spring(ground.G, a.P)  k = 30, l0 = 0.5\nU : spring(a.P, b.P)  k = 40\noutput b.x\n"},
    {"E527", "a", CHAIN_OF_TWO "output b.x\n",
     CHAIN_OF_TWO "K : revolute(ground, a)\noutput b.x\n"},
    {"E527", "a", CHAIN_OF_TWO "F : free(ground, a)\noutput b.x\n",
     "space = planar\na : body  m = 1, I = 0.1\nF : free(ground, a)\noutput a.x\n"},
    /* pushed away for ever, by less and less */
    {"E527", "",
     "space = planar\nb : body  m = 1, I = 0.1\nJ : prismatic(ground, b)  axis = [1, 0]\n"
     "F : force(J)  F = (1 N)/(1 + (J.s/(1 m))^2)\noutput J.s\n",
     "space = planar\nb : body  m = 1, I = 0.1\nJ : prismatic(ground, b)  axis = [1, 0]\n"
     "F : force(J)  F = (1 N)/(1 + (J.s/(1 m))^2) - 0.1 N\noutput J.s\n"},
};

/* A sleigh on its knife edge [Caratheodory]: with b the way from the edge to the mass centre, s^2 =
 * (I + m b^2)/m and no speed along the edge at first, w = w0/cosh(a t), u = s w0 tanh(a t), a = b
 * w0/s.
 */
static void test_sleigh(void **state)
{
    static const char *const edge[] = {
        "K : knife_edge(ground, k.P)\noutput K.across as F\n",
        "K : speed_constraint v = cos(k.theta)*k.P.v[2] - sin(k.theta)*k.P.v[1]\n"
        "output K.lambda as F\n"};
    static const char *const space[] = {"planar", "spatial", "spatial\ncoordinates = absolute"};
    const double time = 2, b = 0.5, s = sqrt(0.5), a = b * 2 / s;
    const double w = 2 / cosh(a * time), u = s * 2 * tanh(a * time);
    (void)state;
    for (int i = 0; i < 6; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "space = %s\nk : body m = 2, I = 0.5, com = [0.3, 0] { P = [-0.2, 0] }\n"
                 "initial k.P.v[1] = 0, k.w = 2\n%soutput k.w, kinetic() as E\n",
                 space[i / 2], edge[i % 2]);
        trial t = trial_of(text, &time, 1);
        must_run(&t);
        close_to(value_at(&t, "k.w", time), w, 1e-7, "spin");
        close_to(value_at(&t, "E", time), 2, 1e-7, "energy");
        close_to(value_at(&t, "F", time), u * w, 1e-6, "force");
        end_trial(&t);
    }
}

/* A train of trailers on knife edges, in the plane or in space; bodies differ. */
static char *train(const char *space, int count)
{
    static char text[40000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "space = %s\ntow : body m = 3, I = 0.4 { P = [-0.5, 0.1] }\n"
                                 "K0 : knife_edge(ground, tow)\n"
                                 "initial tow.v = [1, 0], tow.w = 0.3\n",
                                 space);
    for (int i = 1; i <= count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "b%d : body m = 1.%d, I = 0.%d, com = [-0.8, 0.1] "
                               "{ P = [-1.5, 0.1], W = [-1, 0] }\n"
                               "J%d : revolute(%s%d.P, b%d)\nK%d : knife_edge(ground, b%d.W)\n",
                               i, i % 7, 2 + i % 5, i, i > 1 ? "b" : "tow", i - 1, i, i, i);
    snprintf(text + at, sizeof text - at,
             "output b%d.x as x, b%d.y as y, K1.across as F, kinetic() as E\n", count, count);
    for (char *zero = strstr(text, "tow0.P"); zero; zero = strstr(text, "tow0.P"))
        memmove(zero + 3, zero + 4, strlen(zero + 3));
    return text;
}

/* Coordinates and space change nothing. */
static void test_train(void **state)
{
    static const char *const space[] = {"planar\ncoordinates = joint",
                                        "planar\ncoordinates = absolute",
                                        "spatial\ncoordinates = joint"};
    const double time = 1;
    double at[4] = {0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        static const char *const word[] = {"x", "y", "F", "E"};
        trial t = trial_of(train(space[i], 6), &time, 1);
        t.def.tol = 1e-10;
        must_run(&t);
        for (int k = 0; k < 4; k++) {
            double own = value_at(&t, word[k], time);
            at[k] = i ? at[k] : own;
            close_to(own, at[k], 1e-8, word[k]);
        }
        end_trial(&t);
    }
}

static void test_no_rest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof resting / sizeof *resting; i++) {
        trial t = new_trial(NULL);
        t.text = resting[i].wrong;
        t.equilibrium = true;
        run_trial(&t);
        assert_null(t.point);
        if (*resting[i].witness && !has_message(&t, &resting[i]))
            fail_msg("case %zu: no %s with %s", i, resting[i].code, resting[i].witness);
        end_trial(&t);
        t = new_trial(NULL);
        t.text = resting[i].good;
        t.equilibrium = true;
        run_trial(&t);
        if (!t.point)
            print_messages(&t);
        assert_non_null(t.point);
        end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coupled),  cmocka_unit_test(test_rest),
        cmocka_unit_test(test_singular), cmocka_unit_test(test_messages),
        cmocka_unit_test(test_no_rest),  cmocka_unit_test(test_lock_time),
        cmocka_unit_test(test_sleigh),   cmocka_unit_test(test_inner_names),
        cmocka_unit_test(test_train),    cmocka_unit_test(test_following),
        cmocka_unit_test(test_curve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

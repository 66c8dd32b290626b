/* test_mechanisms_start.c - starts of mechanisms: what is given holds, the rest is nearest to zero,
 * in all coordinates; and how angles go on from there. */
#include "test_simulate.h"

typedef struct start_case {
    const char *text;
    double y; /* at the start; NaN: only the same in all coordinates */
} start_case;

#define PLANAR "space = planar\ngravity = [0, -9.81] m/s^2\n"
#define CHAIN                                                                                      \
    PLANAR "ground { H = [-0.4, 0.5] m, G = [0.6, 0.1] m }\n"                                      \
           "a : body  m = 2 kg, I = 0.1 kg.m^2  { P = [0.5, 0.1] m }\n"                            \
           "b : body  m = 1.5 kg, I = 0.08 kg.m^2  { P = [0.4, 0] m }\n"
#define ARMS "J1 : revolute(ground, a)\nJ2 : revolute(a.P, b)\n"
#define FOUR_BAR                                                                                   \
    PLANAR "ground { P = [1, 0] m, Q = [2, 0] m }\n"                                               \
           "c : body  m = 1, I = 0.1  { B = [0.3, 0] m }\nd : body  m = 1, I = 0.1  { B = [1.1, "  \
           "0] m }\n"                                                                              \
           "e : body  m = 1, I = 0.1  { B = [0.8, 0] m }\nK1 : revolute(ground, c)  beta(0) = "    \
           "3.5\n"                                                                                 \
           "K2 : revolute(c.B, d)\nK3 : revolute(d.B, e.B)\nK4 : revolute(ground.P, e)\n"

/* A slider that a velocity source pulls across. */
#define ACROSS(speed, length)                                                                      \
    "space = planar\nground { Q = [0, 1]*" length " }\n"                                           \
    "b : body  m = 1, I = 0.1 kg*(" length ")^2\nS : prismatic(ground, b)\n"                       \
    "X : velocity_source(ground.Q, b)  v = " speed "\noutput b.x/(" length ") as y\n"

/* A rod of 0.8 m from 1 m along x to the end of a crank of 0.5 m: cos = (1 + 0.25 - 0.64)/1. */
#define MIRRORED                                                                                   \
    "space = planar\nground { G = [1, 0] m }\n"                                                    \
    "a : body  m = 1, I = 0.1, com = [0.25, 0] m  { E = [0.5, 0] m }\nJ1 : revolute(ground, a)\n"
#define ELBOW 0.9147357358699740

static const start_case cases[] = {
    /* joints that nobody gives a value stay at zero, and at rest */
    {CHAIN ARMS "initial J1.beta = -1\noutput J2.beta as y\n", 0},
    {CHAIN ARMS "initial a.theta = 0.7\noutput J2.beta as y\n", 0},
    {CHAIN ARMS "initial J1.w = 1.2\noutput b.w as y\n", 1.2},
    {CHAIN ARMS "initial a.w = 0.7\noutput J2.w as y\n", 0},
    {CHAIN "J2 : revolute(a.P, b)\ninitial b.theta = 0.4, b.x = 1\noutput a.theta as y\n", 0.4},
    /* what lies between frames or on joints has no start of its own */
    {CHAIN ARMS "K : spring(ground.H, b.P)  k = 20, l0 = 0.3\ninitial J1.beta = 0.5\n"
                "output J2.beta as y\n",
     0},
    {CHAIN ARMS "K : inerter(ground.H, b.P)  b = 0.6\ninitial J1.w = 1.2, J2.beta = -0.9\n"
                "output J2.w as y\n",
     0},
    {CHAIN ARMS "T : torsion_spring(J2)  k = 2, theta0 = 1\ninitial J1.beta = 0.5\n"
                "output J2.beta as y\n",
     0},
    {PLANAR "ch : body  m = 10, I = 1  { f = [0.3, 0.4] m }\nS : spring(ground, ch.f)  k = 50\n"
            "C1 : capacitor(n, ground)  C = 1, v(0) = 1\nR1 : resistor(n, ground)  R = 1\n"
            "output S.x as y\n",
     0.5},
    /* guesses, of joints and bodies */
    {PLANAR "p : body  m = 1, I = 0.4\nq : body  m = 1, I = 0.1\nJ : revolute(q, p)\n"
            "guess J.beta = -0.8\noutput J.beta as y\n",
     -0.8},
    {FOUR_BAR "S1 : spring(d, ground.Q)  k = 20, l0 = 0.3\nguess d.theta = 0.5, e.theta = 1.5\n"
              "output d.theta as y\n",
     0.74878},
    /* a slide that hardly depends on what must turn */
    {PLANAR "ground { G = [-0.92, -0.924], H = [-0.876699747423, -0.444179931585] }\n"
            "c : body  m = 0.831, I = 0.22  { P = [-0.39, 0.348] }\n"
            "d : body  m = 1.844, I = 0.338, com = [-0.051, -0.12]  { P = [0.353, 0.401] }\n"
            "e : body  m = 2.38, I = 0.029  { P = [-0.084, -0.191] }\n"
            "K1 : revolute(ground.G, c.P)\nK2 : slot(c.P, d)  axis = [-0.45973, 0.88806]\n"
            "K3 : revolute(d.P, e.P)\nK4 : revolute(ground.H, d.P)\n"
            "initial K2.s = -0.054\nguess K1.beta = -0.282\noutput e.theta as y\n",
     -1.213167},
    /* no speeds at the reference are as given: s^2 (s^2 + l^2) = l^2 I/m makes s^2/(I/m) + log v^2
     * least, whatever the speeds are, at x > 0 of the two */
    {ACROSS("0.5 m/s", "1 m"), 0.302668099},
    {ACROSS("-3e-9 m/s", "1 m"), 0.302668099},
    {ACROSS("4e7 m/s", "1 m"), 0.302668099},
    {ACROSS("4 m/s", "1 mm"), 0.302668099},
    /* mirror images: the first body that differs has the larger x, then y, whatever ties it */
    {MIRRORED "R : distance(ground.G, a.E)  length = 0.8 m\noutput J1.beta as y\n", ELBOW},
    {MIRRORED "R : position_source(ground.G, a.E)  x = 0.8 m\noutput J1.beta as y\n", ELBOW},
    {MIRRORED "R : distance(ground.G, a.E)  length = 0.8 m\nguess J1.beta = -0.1\n"
              "output J1.beta as y\n",
     -ELBOW},
    /* two of them: each by itself */
    {MIRRORED "ground { H = [1, 5] m, O = [0, 5] m }\n"
              "b : body  m = 1, I = 0.1, com = [-0.25, 0] m  { E = [0.5, 0] m }\n"
              "J2 : revolute(ground.O, b)\nR1 : distance(ground.G, a.E)  length = 0.8 m\n"
              "R2 : position_source(ground.H, b.E)  x = 0.8 m\n"
              "output J1.beta + 10*J2.beta as y\n",
     -9 * ELBOW},
    /* the slide of 100 kg need not move by half a metre: that is a saddle */
    {"space = planar\nground { D = [0.5, 0] m }\na : body  m = 100, I = 0.1\n"
     "b : body  m = 1, I = 0.1, com = [0.5, 0] m  { E = [1, 0] m }\nJ1 : prismatic(ground, a)\n"
     "J2 : revolute(a, b)\nJ3 : slot(ground.D, b.E)  axis = [0, 1]\noutput J2.beta as y\n",
     1.0458014599},
    /* places and speeds of frames */
    {CHAIN ARMS "initial a.P.x = 0.2\noutput a.P.x as y\n", 0.2},
    {CHAIN ARMS "initial b.P.x = 0.7, b.P.y = 0.3\noutput b.P.x - b.P.y as y\n", 0.4},
    {CHAIN ARMS "initial b.P.v[2] = 0.7\noutput b.P.v[2] as y\n", 0.7},
    {PLANAR "l : body  m = 1, I = 1  { B = [1, 0] m }\nJ : revolute(ground, l)\n"
            "initial l.B.x = 0.7\noutput l.B.x as y\n",
     0.7},
    /* sources and gears tie bodies */
    {CHAIN ARMS "X : velocity_source(ground.G, b.P)  v = 0.5\ninitial J1.beta = 0.4, J2.beta = "
                "-0.9\noutput b.w as y\n",
     NAN},
    {CHAIN ARMS "X : position_source(ground.G, b.P)  x = 0.5 + 0.1*sin(3*t)\n"
                "guess J1.beta = 0.4, J2.beta = -0.9\noutput J1.beta as y\n",
     NAN},
    {CHAIN ARMS "X : gear(J1 | J2)  n = 2\ninitial J1.w = 1\noutput J2.w as y\n", 0.5},
    /* inertias of networks count: su, ri of 1, 5 with su + 2 ri = 3 ca, ca = 3, J su = l, 5 J ri =
     * 2 l */
    {PLANAR "b : body  m = 1, I = 0.1\nJ : revolute(ground, b)  w(0) = 2\n"
            "G : gear(ground, ca | J)  n = 1.5\nPG : planetary_gear(su, ca, ri)  ratio = 2\n"
            "i1 : inertia(su)  J = 0.01\ni2 : inertia(ca)  J = 0.1\ni3 : inertia(ri)  J = 0.05\n"
            "output su.w as y\n",
     5},
};

/* Guesses come before the least change: one out of reach ends at the dead point, where the crank's
 * tip is as far from the pivot as the other two rods reach; two that contradict share the miss. */
static const start_case guessed[] = {
    {PLANAR
     "ground { P = [1.2, 0] m }\na : body  m = 1, I = 0.1  { B = [0.5, 0] m }\n"
     "b : body  m = 1, I = 0.1  { B = [0.6, 0] m }\nc : body  m = 1, I = 0.1  { B = [0.2, 0] "
     "m }\nK1 : revolute(ground, a)\nK2 : revolute(a.B, b)\nK3 : revolute(b.B, c.B)\n"
     "K4 : revolute(ground.P, c)\nguess a.theta = 0.9\noutput a.theta as y\n",
     0.5053605102841573},
    {CHAIN ARMS "initial b.theta = 1\nguess J1.beta = 2, J2.beta = 1\noutput a.theta as y\n", 1},
    /* a loop whose slider is given, at the edge of what the guesses leave */
    {PLANAR "ground { G0 = [-0.86, 0.902] m, G1 = [-0.767697405265, 0.330572401124] m }\n"
            "b0 : body  m = 2.685, I = 0.424  { P = [0.188, 0.305] m }\n"
            "b1 : body  m = 2.127, I = 0.269  { Q = [0.432, 0.315] m }\n"
            "b2 : body  m = 1.926, I = 0.048, com = [-0.186, 0.022]  { P = [0.242, 0.359] m }\n"
            "b3 : body  m = 1.409, I = 0.113, com = [-0.121, 0.085]  { Q = [0.068, 0.04] m }\n"
            "J0 : slot(ground.G0, b0.P)  axis = [0.49084373394077613, 0.8712476277448775]\n"
            "J1 : revolute(b0, b1.Q)\nJ2 : revolute(b1, b2.P)\nJ3 : revolute(b2.P, b3.Q)\n"
            "J4 : revolute(ground.G1, b3)\ninitial J0.s = 0.448\nguess J0.beta = 0.326, J3.beta = "
            "-0.16\noutput J3.beta as y\n",
     -0.16},
};

#define IN_SPACE(told, text)                                                                       \
    "space = spatial\na : body  m = 1, I = [0.1, 0.2, 0.3], com = [0.5, 0, 0]  { B = [1, 0, 0] "   \
    "}\n"                                                                                          \
    "b : body  m = 2, I = [0.1, 0.2, 0.3], com = [0.5, 0, 0]" told "  { B = [1, 0, 0] }\n" text

/* Given speeds that a source and a knife edge do not let be at the nearest places. */
#define TIED(power)                                                                                \
    "space = spatial\nground { Q = [-0.5, 1.2, -1.3], G = [0.6, 0.3, 0.8] }\n"                     \
    "a : body  m = 2.2, I = [0.4, 0.5, 0.6], com = [-0.5, -0.1, 0.5]  { A = [0.5, -0.4, 0.8], "    \
    "B = [-0.7, 0.6, 0.5] }\n"                                                                     \
    "b : body  m = 2.1, I = [0.6, 0.4, 0.6], com = [0.7, 1, 0.8]  { A = [-0.9, 0, -0.1], "         \
    "B = [-0.7, 0.8, 0.4] }\n"                                                                     \
    "J1 : revolute(ground.G, a.A)  axis = x\n"                                                     \
    "J2 : cylindrical(a.B, b.A)  axis = y, w(0) = -0.03" power ", v(0) = -0.11" power "\n"         \
    "X : velocity_source(ground.Q, b.B)  v = -0.15" power "\nK : knife_edge(ground, b.B)\n"

/* In space: speeds are referred to the places that were found; axes are given behind several
 * joints: b turns by 2.5 about x, of which the hinge can take no part, nor of what is across it. */
static const start_case spatial[] = {
    /* at the nearest places no speeds are as given: then at others */
    {TIED("") "output b.r[3] as y\n", 0.9612711},
    {TIED("e6") "output b.r[3] as y\n", 0.9612711},
    {TIED("e-8") "output b.r[3] as y\n", 0.9612711},
    {TIED("e-8") "output J2.w/1e-8 as y\n", -0.03},
    {IN_SPACE("", "J1 : revolute(ground, a)  w(0) = 1\nJ2 : revolute(a.B, b)\ninitial b.B.x = 1.1\n"
                  "guess b.B.y = 0.3\noutput J2.w as y\n"),
     0},
    {IN_SPACE("", "J1 : revolute(ground, a)  w(0) = 1\nJ2 : revolute(a.B, b)\ninitial b.B.x = 1.1\n"
                  "guess b.B.y = 0.3\noutput J1.beta as y\n"),
     -0.697931666},
    {IN_SPACE(", R(0) = rotate(x, 2.5)", "J1 : spherical(ground, a)\nJ2 : revolute(a.B, b)\n"
                                         "output J2.beta as y\n"),
     0},
    {IN_SPACE(", R(0) = rotate(x, 2.5)*rotate(y, 0.7)",
              "J1 : spherical(ground, a)\nJ2 : revolute(a.B, b)\noutput a.R[1, 2] as y\n"),
     NAN},
};

static double begin(const char *text, const char *coordinates)
{
    static const double times[] = {0};
    ct_tree_choice choice = ct_default_tree_choice();
    choice.coordinates = coordinates;
    trial t = new_trial(NULL);
    t.text = text, t.choice = &choice;
    t.def.times = times, t.def.time_count = 1, t.def.stop = 1e-6;
    must_run(&t);
    double y = value_at(&t, "y", 0);
    end_trial(&t);
    return y;
}

static void alike(const start_case *c, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double y = begin(c[k].text, "auto"), want = isnan(c[k].y) ? y : c[k].y;
        close_to(y, want, 1e-5, c[k].text);
        close_to(begin(c[k].text, "joint"), y, 1e-8, c[k].text);
        close_to(begin(c[k].text, "absolute"), y, 1e-8, c[k].text);
    }
}

static void test_starts(void **state)
{
    (void)state;
    alike(cases, sizeof cases / sizeof *cases);
    alike(spatial, sizeof spatial / sizeof *spatial);
}

/* A loop that closes with an axis reversed only; without the value it is closed. */
#define LOOP(value)                                                                                \
    "space = spatial\nground { P = [0.479, 0.057, -0.561], Q = [0.958, 0.211, 0.112] }\n"          \
    "a : body  m = 0.8, I = [0.4, 0.5, 0.6], com = [0.4, -0.6, 0.2]  { A = [0.483, 0.207, -0.5], " \
    "B = [-0.975, 0.51, -0.33] }\n"                                                                \
    "b : body  m = 1.7, I = [0.4, 0.5, 0.4], com = [-0.6, -0.5, -0.8]  { A = [0.854, -0.742, "     \
    "0.389], B = [-0.921, -0.517, 0.853] }\n"                                                      \
    "J : revolute(ground.P, a.A)  axis = y" value "\nC : cylindrical(a.B, b.A)  axis = x\n"        \
    "L : point_on_plane(b.B, ground.Q)\noutput a.R[2, 2] as y\n"

static void test_reversed(void **state)
{
    (void)state;
    ct_tree_choice choice = ct_default_tree_choice();
    const char *messages;
    choice.coordinates = "absolute";
    trial t = new_trial(NULL);
    t.text = LOOP(", beta(0) = -0.485"), t.choice = &choice, t.def.stop = 1e-6;
    run_trial(&t);
    assert_null(t.run);
    assert_int_equal(ct_diag_render(t.ctx, CT_DIAG_TEXT, &messages), CT_OK);
    if (!strstr(messages, "E609") || !strstr(messages, "the wrong way round"))
        fail_msg("%s", messages);
    end_trial(&t);
    close_to(begin(LOOP(""), "absolute"), 1, 1e-9, "good");
}

static void test_guesses(void **state)
{
    (void)state;
    static const char *const coordinates[] = {"auto", "joint", "absolute"};
    for (size_t k = 0; k < sizeof guessed / sizeof *guessed; k++)
        for (size_t c = 0; c < 3; c++)
            close_to(begin(guessed[k].text, coordinates[c]), guessed[k].y, 1e-8, guessed[k].text);
}

/* A body without joints whose mass centre is not its origin: plane and space begin alike. */
static void test_free_body(void **state)
{
    static const char *const given[] = {"",
                                        ", v(0) = [1, 0.1]",
                                        ", w(0) = 2",
                                        ", theta(0) = 0.3",
                                        ", theta(0) = 0.3, w(0) = 2, y(0) = 1",
                                        ", v(0) = [1, 0], w(0) = 2, theta(0) = -1"};
    static const char *const names[] = {"b.x", "b.y", "vx", "vy", "b.theta", "b.w"};
    const double time = 0;
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        double flat[6];
        for (int deep = 0; deep < 2; deep++) {
            char text[400];
            snprintf(text, sizeof text,
                     "space = %s\nb : body m = 2, I = 0.3, com = [0.1, 0.05]%s { P = [1, 0] }\n"
                     "output b.x, b.y, b.v[1] as vx, b.v[2] as vy, b.theta, b.w\n",
                     deep ? "spatial" : "planar", given[i]);
            trial t = trial_of(text, &time, 1);
            must_run(&t);
            for (int k = 0; k < 6; k++) {
                double value = value_at(&t, names[k], 0);
                flat[k] = deep ? flat[k] : value;
                close_to(value, flat[k], 1e-9, names[k]);
            }
            end_trial(&t);
        }
    }
}

/* A body of three equal inertias that keeps its spin w: the angle of its x axis, seen along z, is
 * that of Rodrigues' formula, and counts whole turns. */
static void test_turns_are_counted(void **state)
{
    static const char text[] = "space = spatial\nB : body  m = 1 kg, I = [1, 1, 1] kg.m^2, "
                               "omega(0) = [0.3, 0.4, 3] rad/s\noutput B.theta as y\n";
    static const double times[] = {0.7, 2, 5, 10}, w[] = {0.3, 0.4, 3};
    const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), turn = 2 * acos(-1);
    (void)state;
    trial t = trial_of(text, times, 4);
    t.def.tol = 1e-10;
    must_run(&t);
    for (int i = 0; i < 4; i++) {
        double c = cos(size * times[i]), s = sin(size * times[i]), u = w[0] / size;
        double angle = atan2(w[2] / size * s + u * w[1] / size * (1 - c), c + u * u * (1 - c));
        angle += turn * round((w[2] * times[i] - angle) / turn);
        close_to(value_at(&t, "y", times[i]), angle, 1e-7, "angle");
    }
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts), cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_reversed), cmocka_unit_test(test_free_body),
        cmocka_unit_test(test_turns_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

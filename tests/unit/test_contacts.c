/* test_contacts.c - contacts and stops: impacts with restitution and friction, rest, sliding,
 * lift-off; closed forms, and what is refused. */
#include "test_simulate.h"

typedef struct contact_case {
    const char *text, *output;
    double time, value, tolerance;
} contact_case;

static trial timed(const char *text, const double *times, uint32_t count)
{
    return trial_of(text, times, count);
}

static void check_all(const contact_case *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t seed = 0; seed < 2; seed++) {
            trial t = timed(c[i].text, &c[i].time, 1);
            t.seed = seed;
            must_run(&t);
            close_to(value_at(&t, c[i].output, c[i].time), c[i].value, c[i].tolerance, c[i].text);
            end_trial(&t);
        }
}

#define PLANE "space = planar\ngravity = [0, -10] m/s^2\n"
#define SLOPE(keys)                                                                                \
    PLANE "ground { s = frame([0, 0], -20 deg) }\nb : particle m = 2\n"                            \
          "C : contact(ground.s, b) " keys "\noutput b.x, b.y, C.N\n"
#define DROPPED PLANE "b : particle m = 3, y(0) = 1.25\ninitial b.v[1] = 4\n"
#define ROD(keys)                                                                                  \
    PLANE "rod : body m = 2, I = 0.5, y(0) = 2.4, theta(0) = 30 deg { A = [-0.8, 0] }\n"           \
          "C : contact(ground, rod.A) " keys "\noutput rod.w, rod.v[2] as vy, rod.A.y as h\n"
#define BLOCK(force)                                                                               \
    PLANE "k : body m = 2, I = 0.1, y(0) = 0.4 { L = [-0.1, -0.4], R = [0.1, -0.4] }\n"            \
          "F : force(ground, k) F = [" force ", 0]\n"                                              \
          "C : contact(ground, k.L) mu = 0.5\nD : contact(ground, k.R) mu = 0.5\n"                 \
          "output k.x, k.w, C.N, D.N, 1/2*0.44*k.w^2 + 2*10*(k.y - 0.4) - " force "*k.x as work\n"
#define INSIDE                                                                                     \
    "space = planar\ngravity = [0, -9.81] m/s^2\nb : particle m = 0.3, x(0) = 0.4\n"               \
    "C : circle_contact(ground, b) R = 1, e = 1, side = inside\noutput b.x, b.y\n"
#define BALL_ON_TOP(more)                                                                          \
    PLANE "b : particle m = 0.3, y(0) = 1\ninitial b.v[1] = 1\n"                                   \
          "C : circle_contact(ground, b) R = 1\noutput b.x, b.y" more "\n"
#define IN_A_RING                                                                                  \
    "space = planar\ngravity = [0, -9.81] m/s^2\nground { c = [0, 0.8] }\n"                        \
    "k : body m = 2.755872712368, I = 0.294153913834 "                                             \
    "{ A = [-0.068, -0.144], B = [0.123, 0.229], D = [-0.436, -0.256] }\n"                         \
    "initial k.x = -0.033456987679019834, k.y = 1.2497932281260846, k.theta = 1.741407223653423\n" \
    "initial k.v[1] = -0.3013890986095977, k.v[2] = 0.7437681629844204, k.w = 1.001984540052577\n" \
    "C0 : circle_contact(ground.c, k.A) mu = 0.94, R = 2, side = inside\n"                         \
    "C1 : circle_contact(ground.c, k.B) mu = 0.94, R = 2, side = inside\n"                         \
    "C2 : circle_contact(ground.c, k.D) mu = 0.94, R = 2, side = inside\n"                         \
    "output k.x, k.y, k.w, C1.gap, C2.gap\n"
#define ON_ITS_FOOT                                                                                \
    "space = planar\ngravity = [0, -9.81] m/s^2\nground { s = frame([0, 0], -0.422975193707) }\n"  \
    "k : body m = 1.253092598118, I = 0.08397848321 { L = [-0.34, -0.399], R = [0.34, -0.399] }\n" \
    "initial k.x = 0.3033412177457465, k.y = 0.6738732118258803\n"                                 \
    "initial k.theta = -0.7917898646434047, k.v[1] = 1.685093504924255\n"                          \
    "initial k.v[2] = -0.7585378181366972, k.w = 0\n"                                              \
    "C : contact(ground.s, k.L) mu = 1.198\nD : contact(ground.s, k.R) mu = 1.198\noutput k.x\n"
#define ROCKING                                                                                    \
    "space = planar\ngravity = [0, -9.81] m/s^2\nground { s = frame([0, 0], 0.399641741921) }\n"   \
    "k : body m = 0.58781533065, I = 0.151187211505 { L = [-0.238, -0.121], R = [0.238, "          \
    "-0.121] }\ninitial k.x = -0.13968271398187662, k.y = 0.3307109605299728\n"                    \
    "initial k.theta = 0.46831665338546385, k.w = 0\n"                                             \
    "initial k.v[1] = -0.48204594986737714, k.v[2] = -0.2036022224166482\n"                        \
    "C : contact(ground.s, k.L) mu = 0.497\nD : contact(ground.s, k.R) mu = 0.497, e = 0.574\n"    \
    "output k.theta\n"
#define WHEEL                                                                                      \
    PLANE "w : body m = 2, I = 0.01, y(0) = 0.1\ninitial w.w = -30\n"                              \
          "C : wheel_contact(ground, w) r = 0.1, mu = 0.25\noutput w.v[1] as v, w.w\n"

#define PLANK(space, more)                                                                         \
    "space = " space "\ngravity = [0, -9.81] m/s^2\n"                                              \
    "p : body m = 2, I = 0.5, y(0) = 1, theta(0) = 30 deg { A = [-0.8, 0], B = [0.8, 0] }\n"       \
    "A : contact(ground, p.A) mu = 0.2\nB : contact(ground, p.B) mu = 0.2\n"                       \
    "w : body m = 1, I = 0.1, y(0) = 0.3, x(0) = 5\ninitial w.w = -30\n"                           \
    "C : wheel_contact(ground, w) r = 0.3, mu = 0.25\n"                                            \
    "k : particle m = 1, y(0) = 3.2, x(0) = 5.1\nground { c = [5, 2] m }\n"                        \
    "D : circle_contact(ground.c, k) R = 0.5, e = 0.4\n"                                           \
    "output p.x as a, p.theta as b, A.N as c, w.x as d, w.w as e, k.x as f, k.y as g\n" more

/* Speeds after an impact at the end of a rod with vertical speed v there. */
static double rod_spin(double v, double e)
{
    double arm = -0.8 * cos(acos(-1) / 6);
    return arm / 0.5 * (1 + e) * -v / (1 / 2.0 + arm * arm / 0.5);
}

static void test_points(void **state)
{
    const double slope = acos(-1) / 9, pull = 10 * sin(slope) - 0.3 * 10 * cos(slope);
    const contact_case cases[] = {
        /* sticks above tan 20 deg = 0.364, slides below */
        {SLOPE("mu = 0.37"), "b.x", 2, 0, 1e-12},
        {SLOPE("mu = 0.3"), "b.x", 2, pull * 2 * cos(slope), 1e-9},
        {SLOPE("mu = 0.3"), "C.N", 2, 20 * cos(slope), 1e-9},
        /* falls for 0.5 s, comes back with 2.5 m/s, loses 0.2 of each normal impulse per mass */
        {DROPPED "C : contact(ground, b) e = 0.5\noutput b.x, b.y, b.v[1] as v\n", "b.y", 0.75,
         0.3125, 1e-10},
        {DROPPED "C : contact(ground, b) e = 0.5, mu = 0.2\noutput b.v[1] as v\n", "v", 0.75, 2.5,
         1e-10},
        {DROPPED "C : contact(ground, b) e = 0.5, mu = 0.6\noutput b.v[1] as v\n", "v", 0.75, 0,
         1e-10},
        /* rests after 0.5 + 1 s; friction takes 0.2 (5 + 10 (t - 0.5)) until then and after */
        {DROPPED "C : contact(ground, b) e = 0.5, mu = 0.1\noutput b.v[1] as v, C.N\n", "v", 2, 2,
         1e-8},
        {DROPPED "C : contact(ground, b) e = 0.5, mu = 0.1\noutput b.v[1] as v, C.N\n", "C.N", 2,
         30, 1e-8},
        /* the end of a rod: 2 m down to its end */
        {ROD(""), "rod.w", sqrt(0.4) + 1e-10, rod_spin(-sqrt(40.0), 0), 1e-7},
        {ROD("e = 0.8"), "rod.w", 0.65, rod_spin(-sqrt(40.0), 0.8), 1e-9},
        /* inside of a circle, five times: roots of quartics by other means */
        {INSIDE, "b.x", 3, 0.3167705107083486, 1e-9},
        {INSIDE, "b.y", 3, -0.03696593212992414, 1e-9},
        /* slides down, leaves where cos = 0.7 after 0.525147402444 s (a quadrature), and flies */
        {BALL_ON_TOP(", C.gap"), "C.gap", 0.5, 0, 1e-15},
        {BALL_ON_TOP(""), "b.x", 0.7, 1.0379743853128687, 1e-10},
        {BALL_ON_TOP(""), "b.y", 0.7, 0.21675859087227201, 1e-10},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

/* At a tolerance of 1e-6 as well: speeds on a circle are bound to it, and so are places. */
static void test_usual_tolerance(void **state)
{
    const double end = 0.7;
    (void)state;
    trial t = timed(BALL_ON_TOP(""), &end, 1);
    t.def.tol = 1e-6;
    must_run(&t);
    close_to(value_at(&t, "b.x", end), 1.0379743853128687, 1e-6, "lifts off");
    end_trial(&t);
}

/* Rest uses stops and contacts: what is above them falls on them. */
static void test_rest(void **state)
{
    static const struct {
        const char *text, *output;
        double value;
    } cases[] = {
        {"M : mass(a) m = 2, x(0) = 1\nW : force(ground, a) F = -20\n"
         "E : end_stop(ground, a) xmin = 0, xmax = 5\noutput a.x\n",
         "a.x", 0},
        {"M : mass(a) m = 2, x(0) = 1\nW : force(ground, a) F = -20\nK : spring(ground, a) k = 10\n"
         "E : end_stop(ground, a) xmin = -1, xmax = 5, e = 0.5\noutput a.x, E.F\n",
         "E.F", -10},
        {"M : mass(a) m = 2, x(0) = 1\nW : force(ground, a) F = -20\nK : spring(ground, a) k = 10\n"
         "E : end_stop(ground, a) xmin = -3, xmax = 5, e = 0.5\noutput a.x, E.F\n",
         "a.x", -2},
        {"M : mass(a) m = 2, x(0) = 1\nW : force(ground, a) F = -20\nN : mass(b) m = 1, x(0) = 2\n"
         "V : force(ground, b) F = -10\nE : end_stop(ground, a) xmin = 0, xmax = 50\n"
         "F : end_stop(a, b) xmin = 0.5, xmax = 50, e = 0.9\noutput b.x, E.F\n",
         "E.F", -30},
        {PLANE "k : body m = 2, I = 0.1, y(0) = 1.4, theta(0) = 0.1 { L = [-0.1, -0.4], R = [0.1, "
               "-0.4] }\nC : contact(ground, k.L) mu = 0.5\nD : contact(ground, k.R) mu = 0.5\n"
               "output k.y, k.theta, C.N\n",
         "C.N", 10},
        {PLANE "b : particle m = 1, x(0) = 0.3, y(0) = -0.2\n"
               "C : circle_contact(ground, b) R = 1, side = inside\noutput b.x, b.y, C.N\n",
         "C.N", 10},
        {"V : vsource(p, ground) v = 3\nD : ideal_diode(p, q)\nR : resistor(q, ground) R = 1\n"
         "output R.i\n",
         "R.i", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = new_trial(NULL);
        t.text = cases[i].text;
        t.equilibrium = true;
        run_trial(&t);
        if (!t.point)
            print_messages(&t);
        assert_non_null(t.point);
        for (uint32_t k = 0; k < t.point->output_count; k++)
            if (strcmp(t.point->output[k], cases[i].output) == 0)
                close_to(t.point->y[k], cases[i].value, 1e-6, cases[i].text);
        end_trial(&t);
    }
}

/* A run does not remember the impacts of the one before. */
static void test_again(void **state)
{
    const double end = 0.75;
    (void)state;
    trial t = timed(DROPPED "C : contact(ground, b) e = 0.5\noutput b.y\n", &end, 1);
    t.again = 2;
    must_run(&t);
    close_to(value_at(&t, "b.y", end), 0.3125, 1e-10, "comes back");
    end_trial(&t);
}

static void test_bodies(void **state)
{
    const contact_case cases[] = {
        /* stands below 5 N; tips about its corner between 5 N and what friction holds, 10 N */
        {BLOCK("4.5"), "k.x", 1, 0, 1e-9},
        {BLOCK("4.5"), "C.N", 1, 1, 1e-8},
        {BLOCK("4.5"), "D.N", 1, 19, 1e-8},
        {BLOCK("6"), "work", 0.3, 0, 1e-8},
        /* skids until v = -r w: v = 2.5 t, w = -30 + 50 t: rolls from 0.4 s on */
        {WHEEL, "v", 0.3, 0.75, 1e-9},
        {WHEEL, "v", 1, 1, 1e-9},
        {WHEEL, "w.w", 1, -10, 1e-8},
        /* a foot of a falling block sticks: pivoting from where it slides goes round in a circle */
        {ON_ITS_FOOT, "k.x", 0.6, 1.28045907, 2e-8},
        /* begins on both feet but for rounding, and tips over one of them */
        {BLOCK("6") "initial k.theta = 7e-13, k.v[2] = 3e-13\n", "work", 0.3, 0, 1e-8},
        /* rocks from foot to foot, each time with endlessly many impacts of one, and comes to rest
         */
        {ROCKING, "k.theta", 1, 0.399641741921, 1e-9},
        /* two points of it end at rest on the ring at once: by another program */
        {IN_A_RING, "k.x", 1.5, -0.2471993367884505, 1e-9},
        {IN_A_RING, "k.w", 1.5, 0, 1e-12},
        {IN_A_RING, "C1.gap", 1.5, 0, 1e-13},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

#define STOP(keys)                                                                                 \
    "M : mass(a) m = 1, v(0) = 1\nE : end_stop(ground, a) xmin = -1, xmax = 1.5" keys "\n"         \
    "output a.x, a.v\n"
#define MESH                                                                                       \
    "I1 : inertia(p) J = 1, w(0) = 1\nI2 : inertia(q) J = 2\n"                                     \
    "B : backlash(q, p) play = 0.2, e = 0.5\noutput p.w, q.w\n"

/* Impacts that end in rest. A stack beside switches: no ball goes through another while one of them
 * comes to rest. A ball that begins at rest on its floor, beside a diode: the first impacts are
 * nearer to the start than time can tell. */
static void test_stacks(void **state)
{
    const contact_case cases[] = {
        {"V9 : vsource(a9, ground) v = 1\nS9 : switch(a9, b9) on = sin(9*t) > 0.3\n"
         "D9 : ideal_diode(ground, b9)\nL9 : inductor(b9, c9) L = 0.3\n"
         "R9 : resistor(c9, ground) R = 1\nC9 : capacitor(c9, ground) C = 0.1\n"
         "M0 : mass(b0) m = 3.41, x(0) = 0.6292\nW0 : force(ground, b0) F = -33.4521\n"
         "I0 : impact(ground, b0) e = 0.1209, length = 0.1933\n"
         "M1 : mass(b1) m = 3.278, x(0) = 0.90148\nW1 : force(ground, b1) F = -32.15718\n"
         "I1 : impact(b0, b1) e = 0.5713, length = 0.1933\n"
         "M2 : mass(b2) m = 0.3018, x(0) = 1.09478\nW2 : force(ground, b2) F = -2.960658\n"
         "I2 : impact(b1, b2) e = 0.3113, length = 0.1933\n"
         "M3 : mass(b3) m = 2.948, x(0) = 1.28808\nW3 : force(ground, b3) F = -28.91988\n"
         "I3 : impact(b2, b3) e = 0.6772, length = 0.1933\noutput b0.x\nsimulate stop = 20\n",
         "b0.x", 0.33, 0.1933, 1e-9},
        {"B : mass(ball) m = 0.3559\nW : force(ground, ball) F = -3.491379\n"
         "I : impact(ground, ball) e = 0.5345\nV9 : vsource(a9, ground) v = 0.4*sin(7*t)\n"
         "R9 : resistor(a9, b9) R = 1e3\nD9 : diode(b9, c9)\nR8 : resistor(c9, ground) R = 1e3\n"
         "output ball.x\nsimulate stop = 1\n",
         "ball.x", 1, 0, 1e-12},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = timed(cases[i].text, &cases[i].time, 1);
        t.def.tol = 1e-6;
        run_trial(&t);
        close_to(value_at(&t, cases[i].output, cases[i].time), cases[i].value, cases[i].tolerance,
                 cases[i].text);
        end_trial(&t);
    }
}

#define FALLING(more)                                                                              \
    "M : mass(a) m = 2, x(0) = 1\nW : force(ground, a) F = -20\nI : impact(ground, a) e = "        \
    "0.5\n" more

/* Conditions, what events set, and switches read accelerations with the force that holds. The ball
 * lies from 3/sqrt(5) s on. */
static void test_read_at_rest(void **state)
{
    const double end = 3, lies = 3 / sqrt(5);
    const contact_case cases[] = {
        {FALLING("discrete n = 0, a0 = 1 m/s^2\nwhen M.a > -1 {\n n = pre(n) + 1\n a0 = M.a\n}\n"
                 "output n, a0\n"),
         "n", end, 1, 0},
        {FALLING("discrete n = 0, a0 = 1 m/s^2\nwhen M.a > -1 {\n n = pre(n) + 1\n a0 = M.a\n}\n"
                 "output n, a0\n"),
         "a0", end, 0, 1e-14},
        {FALLING("C : capacitor(b, ground) C = 1\nS : isource(ground, b) i = if M.a > -1 then 2 "
                 "else 1\noutput b.v, if M.a > -1 then 3 else 4 as y\n"),
         "b.v", end, 2 * end - lies, 1e-6},
        {FALLING("C : capacitor(b, ground) C = 1\nS : isource(ground, b) i = if M.a > -1 then 2 "
                 "else 1\noutput b.v, if M.a > -1 then 3 else 4 as y\n"),
         "y", end, 3, 0},
        {FALLING("V : vsource(p, ground) v = 5\nS : switch(p, q) on = M.a > -1\n"
                 "L : inductor(q, r) L = 1\nR : resistor(r, ground) R = 1\n"
                 "D : ideal_diode(ground, q)\noutput L.i\n"),
         "L.i", end, 5 * (1 - exp(lies - end)), 1e-6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = timed(cases[i].text, &cases[i].time, 1);
        run_trial(&t);
        close_to(value_at(&t, cases[i].output, cases[i].time), cases[i].value, cases[i].tolerance,
                 cases[i].text);
        end_trial(&t);
    }
}

static void test_stops(void **state)
{
    const contact_case cases[] = {
        {STOP(", e = 0.5"), "a.x", 2.5, 1, 1e-10},
        {STOP(", e = 0.5"), "a.v", 7, 0.25, 1e-10},
        {STOP(""), "a.v", 7, 0, 0},
        /* bounces until rounding of its place feeds what is left, and rests */
        {"M : mass(a) m = 1.725, x(0) = 1e-8\nG : force(ground, a) F = -0.001\n"
         "E : end_stop(ground, a) xmin = 0, xmax = 50, e = 0.642\noutput a.x, a.v\n",
         "a.v", 1.6, 0, 0},
        {MESH, "q.w", 0.15, 0.5, 1e-10},
        {MESH, "p.w", 0.15, 0, 1e-10},
        /* at -0.1 after 0.4 s more; again half of the speed between them */
        {MESH, "q.w", 0.6, 0.25, 1e-10},
        {"I1 : inertia(p) J = 1, w(0) = 1\nS : torsion_stop(ground, p) lowest = -1, highest = 0.5, "
         "e = 1\n"
         "output p.w, p.theta\n",
         "p.theta", 1.2, -0.2, 1e-10},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

#define BRISTLES                                                                                   \
    "M : mass(a) m = 1\nP : force(ground, a) F = 2.5 N*sin(2 rad/s*t)\n"                           \
    "B : lugre(ground, a) Fc = 1, Fs = 1.5, vs = 0.1, sigma0 = 1e3, sigma1 = 20, B = 0.4\n"        \
    "output a.x, a.v\n"
#define STRIBECK                                                                                   \
    "M : mass(a) m = 2, v(0) = 1\nF : friction(ground, a) Fc = 1, Fs = 2, vs = 0.3, B = 0.2\n"     \
    "output a.x, a.v\n"

/* Against integrations by other means, to 1e-12. */
static void test_friction(void **state)
{
    const contact_case cases[] = {
        {BRISTLES, "a.x", 3, 0.2088708749069676, 1e-8},
        {BRISTLES, "a.v", 3, -0.8456958671546855, 1e-8},
        {STRIBECK, "a.x", 5, 0.8274799646007669, 1e-9},
        {STRIBECK, "a.v", 1.5214184, 0, 1e-8},
        {STRIBECK, "a.v", 1.5, 0.021423171486525772, 1e-8},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void test_references(void **state)
{
    const char *models[] = {"rocking_block", "hopping_leg"};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        check list[MOST_CHECKS];
        double times[MOST_CHECKS];
        uint32_t count = read_checks(models[k], list), n = times_of(list, count, times);
        trial t = accurate(models[k], times, n);
        must_run(&t);
        assert_true(count > 0);
        for (uint32_t i = 0; i < count; i++)
            close_to(value_at(&t, list[i].name, list[i].time), list[i].value, list[i].tolerance,
                     list[i].name);
        end_trial(&t);
    }
}

/* Feet that rest sink a little by the errors of some methods: when another one strikes they lift
 * all the same. */
static void test_methods(void **state)
{
    static const char *const methods[] = {"rk", "rosenbrock", "bdf", "adams"};
    const double times[] = {0.6, 2};
    (void)state;
    for (size_t k = 0; k < 8; k++) {
        trial exact = accurate("rocking_block", times, 2), t = accurate("rocking_block", times, 2);
        set(&exact, "tilt", "0.1191 rad"), set(&t, "tilt", "0.1191 rad");
        t.def.method = methods[k / 2];
        t.def.tol = k % 2 ? 1e-5 : 1e-7;
        must_run(&exact);
        must_run(&t);
        for (size_t i = 0; i < 2; i++)
            close_to(value_at(&t, "w", times[i]), value_at(&exact, "w", times[i]), 100 * t.def.tol,
                     methods[k / 2]);
        end_trial(&t);
        end_trial(&exact);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    check_code(SLOPE("e = -0.1"), "E224", "C");
    check_code(SLOPE("e = 1.1"), "E224", "C");
    check_code(SLOPE("mu = -1"), "E224", "C");
    check_code(SLOPE("e = 1"), NULL, NULL);
    check_code(DROPPED "C : contact(ground, b) e = 3*t\noutput b.y\n", "E573", "C");
    check_code(DROPPED "C : contact(ground, b) e = t/3\noutput b.y\n", NULL, NULL);
    check_code(DROPPED "C : circle_contact(ground, b) R = 0\noutput b.y\n", "E224", "C");
    check_code(DROPPED "C : circle_contact(ground, b) R = 1\noutput b.y\n", NULL, NULL);
    check_code(DROPPED "C : circle_contact(ground, b) R = 1.3\noutput b.y\n", "E576", "C");
    check_code(STOP(", e = 1") "initial a.x = 1.6\n", "E576", "E");
    check_code(STOP(", e = 1") "initial a.x = 1.5\n", NULL, NULL);
    check_code(PLANE "k : body m = 1, I = 1 { A = [1, 0] }\nC : contact(k, k.A)\noutput k.y\n",
               "E262", "C");
    check_code(PLANE "k : body m = 1, I = 1 { A = [1, 0] }\nC : contact(ground, k.A)\noutput k.y\n",
               NULL, NULL);
    check_code("M : mass(a) m = 1\nC : contact(ground, a)\noutput a.v\n", "E268", "C");
}

/* A text of the plane says the same in space, in coordinates of joints and of bodies. */
static void test_in_space(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    static const char *const texts[] = {PLANK("spatial", ""),
                                        PLANK("spatial", "coordinates = absolute\n")};
    const double time = 0.6;
    (void)state;
    trial flat = timed(PLANK("planar", ""), &time, 1);
    must_run(&flat);
    for (int i = 0; i < 2; i++) {
        trial deep = timed(texts[i], &time, 1);
        must_run(&deep);
        for (int k = 0; k < 7; k++)
            close_to(value_at(&deep, names[k], time), value_at(&flat, names[k], time), 1e-8,
                     names[k]);
        end_trial(&deep);
    }
    end_trial(&flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),       cmocka_unit_test(test_usual_tolerance),
        cmocka_unit_test(test_rest),         cmocka_unit_test(test_again),
        cmocka_unit_test(test_bodies),       cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_read_at_rest), cmocka_unit_test(test_stops),
        cmocka_unit_test(test_friction),     cmocka_unit_test(test_references),
        cmocka_unit_test(test_methods),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

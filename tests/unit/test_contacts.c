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
#define WHEEL                                                                                      \
    PLANE "w : body m = 2, I = 0.01, y(0) = 0.1\ninitial w.w = -30\n"                              \
          "C : wheel_contact(ground, w) r = 0.1, mu = 0.25\noutput w.v[1] as v, w.w\n"

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
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
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

static void test_stops(void **state)
{
    const contact_case cases[] = {
        {STOP(", e = 0.5"), "a.x", 2.5, 1, 1e-10},
        {STOP(", e = 0.5"), "a.v", 7, 0.25, 1e-10},
        {STOP(""), "a.v", 7, 0, 0},
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
    check_code("space = spatial\nb : particle m = 1\nC : contact(ground, b)\noutput b.y\n", "E268",
               "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),     cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_stops),      cmocka_unit_test(test_friction),
        cmocka_unit_test(test_references), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mechanisms_run.c - runs of mechanisms: the reference numbers of tests/physics in all
 * coordinates, random trees, energy and constraints along long runs, sizes of the source's tables,
 * closed forms with other numbers. */
#include "test_simulate.h"

#include "mechanics/mechanics.h"

static const char *const models[] = {
    "simple_pendulum", "double_pendulum", "inverted_double_pendulum_cart",
    "quick_return",    "slider_crank",    "andrews",
    "n_fourbar",       "four_bar",        "six_bar",
    "toggle"};
/* with electrical machines on their joints, or wheels that a road moves */
static const char *const machines[] = {"robot_2link_dcmotors_pd", "parking_gate_reduced",
                                       "parking_gate_sixbar", "caraxis"};
enum { MACHINES = sizeof machines / sizeof *machines };
static const char *const coordinates[] = {NULL, "joint", "absolute", "auto"};
enum { MODELS = sizeof models / sizeof *models, COORDINATES = 4, TREES = 12 };

static ct_tree_choice with_coordinates(const char *word)
{
    ct_tree_choice c = ct_default_tree_choice();
    c.coordinates = word;
    return c;
}

/* ---- against the references, in the model's tree and in all coordinates */

static void check_reference(const char *name, const char *word)
{
    ct_tree_choice choice = with_coordinates(word);
    check_model(name, word ? &choice : NULL, 1e-10, 2);
}

static void test_references(void **state)
{
    (void)state;
    for (size_t k = 0; k < MODELS * COORDINATES; k++)
        check_reference(models[k / COORDINATES], coordinates[k % COORDINATES]);
    for (size_t k = 0; k < MACHINES * COORDINATES; k++)
        check_reference(machines[k / COORDINATES], coordinates[k % COORDINATES]);
}

static void test_references_in_space(void **state)
{
    static const char *const deep[] = {
        "free_rigid_body",  "spinning_top",           "gimbal_seeker_3d",
        "arm_7dof",         "flyball_governor",       "spatial_slider_crank",
        "bricard",          "rolling_disc",           "whipple_bicycle",
        "stewart_platform", "double_wishbone",        "stewart_platform_driven",
        "double_cardan",    "double_cardan_parallel", "space_truss_tripod",
        "table_four_legs",  "platform_six_struts"};
    (void)state;
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++)
        check_reference(deep[k], NULL);
    check_reference("pin_and_roller_beam", NULL); /* what stands still, in the plane */
    check_reference("two_bar_truss", NULL);
}

/* ---- random trees */

typedef struct forest {
    const ct_mechanism *m;
    ct_context *ctx;
    uint32_t island[64], count, state;
    const char *word[128];
} forest;

static uint32_t end_body(const ct_mechanism *m, uint32_t frame)
{
    return m->frame[frame].body;
}

static bool unite(forest *f, uint32_t a, uint32_t b)
{
    uint32_t i = island_of(f->island, a), k = island_of(f->island, b);
    f->island[i] = k;
    return i != k;
}

/* Ends of candidate i, a joint or (after the joints) a body; false: it cannot be a branch. */
static bool candidate(const forest *f, uint32_t i, bool turn, uint32_t ends[2])
{
    const ct_mechanism *m = f->m;
    if (i >= m->joint_count) {
        ends[0] = 0, ends[1] = i - m->joint_count + 1;
        return !turn || !m->body[ends[1]].particle;
    }
    const ct_joint *j = &m->joint[i];
    ends[0] = end_body(m, j->tail), ends[1] = end_body(m, j->head);
    bool point = m->body[ends[0]].particle || m->body[ends[1]].particle;
    return j->kind != CT_JOINT_WELD && j->kind != CT_JOINT_DISTANCE && !(turn && point);
}

/* A spanning tree of the translational or the rotational graph, any one as likely. */
static void grow(forest *f, bool turn)
{
    const ct_mechanism *m = f->m;
    uint32_t order[128], all = m->joint_count + m->body_count - 1;
    for (uint32_t i = 0; i < m->body_count; i++)
        f->island[i] = i;
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (m->joint[i].kind == CT_JOINT_WELD)
            unite(f, end_body(m, m->joint[i].tail), end_body(m, m->joint[i].head));
    for (uint32_t i = 0; i < all; i++) {
        uint32_t k = dice(&f->state) % (i + 1);
        order[i] = order[k], order[k] = i;
    }
    f->word[f->count++] = turn ? "rotational:" : "translational:";
    for (uint32_t i = 0; i < all; i++) {
        uint32_t ends[2], c = order[i];
        if (candidate(f, c, turn, ends) && unite(f, ends[0], ends[1]))
            f->word[f->count++] =
                ct_name_text(f->ctx, c < m->joint_count ? m->joint[c].name : m->body[ends[1]].name);
    }
}

static const ct_tree_choice *random_trees(trial *t)
{
    forest *f = CT_NEW(t->model->arena, forest);
    ct_tree_choice *choice = CT_NEW(t->model->arena, ct_tree_choice);
    *f = (forest){.m = t->model->mechanism, .ctx = t->ctx, .state = t->seed};
    assert_true(f->m->body_count < 64 && f->m->joint_count < 60);
    grow(f, false);
    grow(f, true);
    *choice = ct_default_tree_choice();
    choice->prefer = f->word;
    choice->prefer_count = f->count;
    return choice;
}

/* A time that all reach before errors of integration grow. */
static double short_time(const char *name)
{
    return strcmp(name, "andrews") == 0 ? 0.01 : 0.4;
}

static void same_rows(const trial *a, const trial *b, const char *name)
{
    const ct_rows *x = &a->run->outputs, *y = &b->run->outputs;
    assert_int_equal(x->cols, y->cols);
    assert_int_equal(x->count, y->count);
    for (uint32_t k = 1; k < x->cols; k++) {
        double most = 0;
        for (uint64_t i = 0; i < x->count; i++)
            most = fmax(most, fabs(x->value[i * x->cols + k]));
        for (uint64_t i = 0; i < x->count; i++) {
            double d = fabs(x->value[i * x->cols + k] - y->value[i * x->cols + k]);
            if (!(d <= 1e-8 * fmax(most, 1e-2)))
                fail_msg("%s, %s: trees differ by %g of %g", name, x->name[k], d, most);
        }
    }
}

static void test_trees(void **state)
{
    (void)state;
    for (size_t k = 0; k < MODELS; k++) {
        const double times[] = {0, short_time(models[k]) / 2, short_time(models[k])};
        trial first = accurate(models[k], times, 3);
        uint32_t kinds = 0;
        first.def.tol = 1e-11;
        must_run(&first);
        for (uint32_t seed = 1; seed <= TREES; seed++) {
            trial t = accurate(models[k], times, 3);
            t.def.tol = 1e-11;
            t.seed = 7919 * seed;
            t.choose = random_trees;
            must_run(&t);
            same_rows(&first, &t, models[k]);
            kinds |= 1u << (t.system->mechanics->coordinate_count & 31);
            end_trial(&t);
        }
        assert_true(kinds & (kinds - 1)); /* more than one number of coordinates was met */
        end_trial(&first);
    }
}

/* ---- energy and constraints along a run */

static void join(char *text, size_t size, const char *name, const char *more)
{
    FILE *file = fopen(model_path(name), "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    snprintf(text + length, size - length, "\n%s\n", more);
}

static void largest_and_spread(const trial *t, const char *name, double *largest, double *spread)
{
    const ct_rows *rows = &t->run->outputs;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t k = 1; k < rows->cols; k++)
        for (uint64_t i = 0; strcmp(rows->name[k], name) == 0 && i < rows->count; i++) {
            least = fmin(least, rows->value[i * rows->cols + k]);
            most = fmax(most, rows->value[i * rows->cols + k]);
        }
    assert_true(isfinite(least));
    *largest = fmax(fabs(least), fabs(most));
    *spread = most - least;
}

static void test_energy(void **state)
{
    static const struct {
        const char *name, *without;
    } cases[] = {{"simple_pendulum", NULL},
                 {"double_pendulum", NULL},
                 {"slider_crank", NULL},
                 {"four_bar", NULL},
                 {"toggle", NULL},
                 {"n_fourbar", NULL}, /* it passes 10 singular positions */
                 {"inverted_double_pendulum_cart", "F0"}};
    (void)state;
    for (size_t k = 0; k < 3 * sizeof cases / sizeof *cases; k++) {
        static char text[8000];
        ct_tree_choice choice = with_coordinates(coordinates[1 + k % 3]);
        trial t = new_trial(NULL);
        double largest, spread, kinetic, all;
        join(text, sizeof text, cases[k / 3].name, "output kinetic() as kinetic");
        t.text = text;
        t.choice = &choice;
        t.def.tol = 1e-10;
        t.def.stop = 10;
        if (cases[k / 3].without)
            set(&t, cases[k / 3].without, "0");
        must_run(&t);
        largest_and_spread(&t, "energy", &largest, &spread);
        largest_and_spread(&t, "kinetic", &kinetic, &all);
        if (!(spread <= 1e-8 * fmax(largest, kinetic)))
            fail_msg("%s, %s: the energy changes by %g of %g", cases[k / 3].name,
                     choice.coordinates, spread, kinetic);
        end_trial(&t);
    }
}

static void test_constraints(void **state)
{
    static const struct {
        const char *name, *gaps;
        double stop;
    } cases[] = {
        {"four_bar",
         "output coupler.B.x - rocker.B.x as g1, coupler.B.y - rocker.B.y as g2, rocker.x - r1 as "
         "g3,"
         " rocker.y as g4",
         10},
        {"slider_crank",
         "output slider.y as g1, link.P.x - slider.x as g2, link.P.y as g3, slider.theta as g4",
         10},
        {"toggle",
         "output rod.B.x - lower.x as g1, rod.B.y - lower.y as g2, ram.x as g3,"
         " lower.C.y - ram.y as g4",
         10},
        {"six_bar",
         "output coupler.B.x - rocker.B.x as g1, coupler.B.y - rocker.B.y as g2,"
         " link.D.x - arm.D.x as g3, link.D.y - arm.D.y as g4",
         10},
        {"andrews",
         "output K2.E.x - K3.E.x as g1, K4.E.y - K3.E.y as g2, K6.E.x - K3.E.x as g3,"
         " K6.E.y - K3.E.y as g4",
         0.03},
        {"quick_return",
         "output crankb.B.x - block.x as g1, crankb.B.y - block.y as g2, rock.E.x - conn.x as g3,"
         " conn.S.y - ram.y as g4",
         1},
        {"n_fourbar",
         "output bar1.Q.x - arm1.B.x as g1, bar1.Q.y - arm1.B.y as g2, bar2.Q.x - arm2.B.x as g3,"
         " bar2.Q.y - arm2.B.y as g4",
         10},
    };
    static const char *const methods[] = {"rk", "independent", "rk8"};
    (void)state;
    for (size_t k = 0; k < 6 * sizeof cases / sizeof *cases; k++) {
        static char text[8000];
        static const char *const gap[] = {"g1", "g2", "g3", "g4"};
        ct_tree_choice choice = with_coordinates(coordinates[1 + k % 3]);
        trial t = new_trial(NULL);
        double largest, spread;
        join(text, sizeof text, cases[k / 6].name, cases[k / 6].gaps);
        t.text = text;
        t.choice = &choice;
        t.def.tol = 1e-6;
        t.def.stop = cases[k / 6].stop;
        t.def.method = methods[k == 5 ? 2 : k / 3 % 2];
        must_run(&t);
        for (size_t i = 0; i < 4; i++) {
            largest_and_spread(&t, gap[i], &largest, &spread);
            if (!(largest <= 1e-10))
                fail_msg("%s, %s, %s: gap %s of %g", cases[k / 6].name, choice.coordinates,
                         t.def.method, gap[i], largest);
        }
        end_trial(&t);
    }
}

/* ---- independent coordinates: the same motion in all closed loops */

static void test_independent(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3 * MODELS; k++) {
        const char *name = models[k / 3];
        double stop = 2.5 * short_time(name), times[] = {0, stop / 3, stop / 2, stop};
        ct_tree_choice choice = with_coordinates(coordinates[1 + k % 3]);
        trial one = accurate(name, times, 4), two = accurate(name, times, 4);
        one.choice = two.choice = &choice;
        one.def.tol = two.def.tol = 1e-11;
        one.def.method = "rk", two.def.method = "independent";
        must_run(&one), must_run(&two);
        same_rows(&one, &two, name);
        end_trial(&one), end_trial(&two);
    }
}

/* A mass on a rod goes round: now x, now y is independent. */
static void test_rechosen(void **state)
{
    (void)state;
    trial t = new_trial(NULL);
    double largest, spread;
    t.text = "space = planar\ngravity = [0, -9.81] m/s^2\nP : particle  m = 2 kg\n"
             "R : distance(ground, P)  length = 0.5 m\n"
             "initial P.x = 0, P.y = -0.5, P.v[1] = 6\n"
             "output (P.x^2 + P.y^2)/0.25 - 1 as gap, kinetic() + potential() as energy\n";
    t.def.tol = 1e-11;
    t.def.stop = 10;
    t.def.method = "independent";
    must_run(&t);
    assert_true(t.run->stats.rechosen >= 30); /* about 14 turns */
    largest_and_spread(&t, "gap", &largest, &spread);
    assert_true(largest <= 1e-12);
    largest_and_spread(&t, "energy", &largest, &spread);
    assert_true(spread <= 1e-8 * largest);
    end_trial(&t);
}

/* ---- sizes */

/* [McPhee-2, section 4.6]: equations of motion and constraints; of the driven quick-return, where
 * nothing is free, constraints and the driver's equation. */
static void test_sizes(void **state)
{
    static const struct {
        const char *name, *coordinates;
        uint32_t moving, constraints, driver, all; /* driver: an equation of its own there */
    } cases[] = {
        {"andrews", "absolute", 21, 20, 0, 41}, {"andrews", "joint", 7, 6, 0, 13},
        {"andrews", "auto", 7, 6, 0, 13},       {"slider_crank", "absolute", 9, 8, 0, 17},
        {"slider_crank", "joint", 3, 2, 0, 5},  {"slider_crank", "auto", 2, 1, 0, 3},
        {"slider_crank", NULL, 2, 1, 0, 3},     {"quick_return", "absolute", 15, 15, 0, 15},
        {"quick_return", "joint", 4, 4, 1, 5},  {"quick_return", "auto", 2, 2, 0, 2},
        {"quick_return", NULL, 2, 2, 0, 2},     {"double_pendulum", "absolute", 6, 4, 0, 10},
        {"double_pendulum", NULL, 2, 0, 0, 2}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double times[] = {0};
        ct_tree_choice choice = with_coordinates(cases[k].coordinates);
        trial t = accurate(cases[k].name, times, 1);
        t.choice = &choice;
        must_run(&t);
        const ct_mechanics *m = t.system->mechanics;
        uint32_t driven = strcmp(cases[k].name, "quick_return") == 0;
        assert_int_equal(m->coordinate_count, cases[k].moving);
        assert_int_equal(m->constraint_count, cases[k].constraints);
        uint32_t sum = m->constraint_count + (driven ? cases[k].driver : m->coordinate_count);
        assert_int_equal(sum, cases[k].all);
        assert_int_equal(m->freedom, driven                                          ? 0
                                     : strcmp(cases[k].name, "double_pendulum") == 0 ? 2
                                                                                     : 1);
        end_trial(&t);
    }
}

/* ---- closed forms, with other numbers */

/* T = 2 pi sqrt(L/g) / agm(1, cos(A/2)), A: amplitude from the vertical. */
static void test_period(void **state)
{
    static const double start[] = {3.3, -1.2, 0.1};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        double a = 1, pi = acos(-1), b = fabs(cos((start[k] + pi / 2) / 2));
        for (int i = 0; i < 8; i++) {
            double mean = (a + b) / 2;
            b = sqrt(a * b), a = mean;
        }
        double period = 2 * pi * sqrt(0.7 / 3) / a, times[] = {period / 2, period};
        char text[32];
        trial t = accurate("simple_pendulum", times, 2);
        snprintf(text, sizeof text, "%.17g", start[k]);
        set(&t, "L", "0.7 m"), set(&t, "g", "3 m/s^2"), set(&t, "m", "5 kg"),
            set(&t, "phi_0", text);
        must_run(&t);
        close_to(value_at(&t, "x", period), 0.7 * cos(start[k]), 1e-8, "x after a period");
        close_to(value_at(&t, "y", period), 0.7 * sin(start[k]), 1e-8, "y after a period");
        close_to(value_at(&t, "x", period / 2), -0.7 * cos(start[k]), 1e-8, "x after half of it");
        close_to(value_at(&t, "phidot", period / 2), 0, 1e-7, "speed after half of it");
        end_trial(&t);
    }
}

/* phi'' = -W cos(phi)/J by many small steps. */
static void swing(double ratio, double stop, double *phi, double *speed)
{
    enum { STEPS = 4000 };
    double h = stop / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double a1 = -ratio * cos(*phi), v1 = *speed;
        double a2 = -ratio * cos(*phi + h / 2 * v1), v2 = *speed + h / 2 * a1;
        double a3 = -ratio * cos(*phi + h / 2 * v2), v3 = *speed + h / 2 * a2;
        double a4 = -ratio * cos(*phi + h * v3), v4 = *speed + h * a3;
        *phi += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
        *speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

static void test_four_bars(void **state)
{
    static const int counts[] = {1, 3, 8};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const double n = counts[k], l = 0.8, g = 5, times[] = {0.5, 0.8};
        double inertia = l * l * ((n + 1) / 3 + n), weight = g * l * ((n + 1) / 2 + n);
        char text[8];
        trial t = accurate("n_fourbar", times, 2);
        snprintf(text, sizeof text, "%d", counts[k]);
        set(&t, "N", text), set(&t, "L", "0.8 m"), set(&t, "m", "2 kg"), set(&t, "g", "5 m/s^2");
        set(&t, "phi_0", "2.1 rad");
        set(&t, "vB0x_0", "0.3 m/s");
        must_run(&t);
        double phi = 2.1, speed = -0.3 / (l * sin(2.1)), before = 0;
        for (size_t i = 0; i < 2; i++) {
            swing(weight / inertia, times[i] - before, &phi, &speed);
            before = times[i];
            close_to(value_at(&t, "B0x", times[i]), l * cos(phi), 1e-8, "B0x");
            close_to(value_at(&t, "B0y", times[i]), l * sin(phi), 1e-8, "B0y");
            close_to(value_at(&t, "phidot", times[i]), speed, 1e-7, "phidot");
        }
        end_trial(&t);
    }
}

/* Several singular positions, at which it could fold over, with methods that do not see them. */
static void test_pass_singular(void **state)
{
    static const char *const methods[] = {"rk", "rosenbrock", "bdf", "adams"};
    const double times[] = {1.5, 4}, l = 0.9, g = 8, ratio = g / l * (3.0 / 2 + 2) / (3.0 / 3 + 2);
    (void)state;
    for (size_t k = 0; k < 12; k++) {
        ct_tree_choice choice = with_coordinates(coordinates[1 + k % 3]);
        double phi = 1.4, speed = 0.5 / l, before = 0;
        trial t = accurate("n_fourbar", times, 2);
        t.choice = &choice;
        t.def.method = methods[k / 3];
        set(&t, "L", "0.9 m"), set(&t, "g", "8 m/s^2"), set(&t, "phi_0", "1.4 rad");
        set(&t, "vB0x_0", "-0.5*sin(1.4)");
        must_run(&t);
        for (size_t i = 0; i < 2; before = times[i++]) {
            swing(ratio, times[i] - before, &phi, &speed);
            close_to(value_at(&t, "B0x", times[i]), l * cos(phi), 1e-5, t.def.method);
            close_to(value_at(&t, "B0y", times[i]), l * sin(phi), 1e-5, t.def.method);
        }
        end_trial(&t);
    }
}

/* A run that ends just after a singular position. */
static void test_end_at_singular(void **state)
{
    const double times[] = {0.71436, 0.8};
    (void)state;
    trial both = accurate("n_fourbar", times, 2), one = accurate("n_fourbar", times, 1);
    must_run(&both);
    must_run(&one);
    close_to(value_at(&one, "B0y", 0.71436), value_at(&both, "B0y", 0.71436), 1e-7, "B0y");
    close_to(value_at(&one, "phidot", 0.71436), value_at(&both, "phidot", 0.71436), 1e-5, "phidot");
    end_trial(&one);
    end_trial(&both);
}

/* The slider's place from the crank's angle; a start that is given once. */
static void test_slider(void **state)
{
    const double times[] = {0, 0.1, 0.7}, crank = 0.2 + 0.05, link = 0.4 + 0.3;
    (void)state;
    trial t = accurate("slider_crank", times, 3);
    set(&t, "l5", "0.2 m"), set(&t, "l6", "0.05 m"), set(&t, "l7", "0.4 m"), set(&t, "l8", "0.3 m");
    set(&t, "theta1_0", "0"), set(&t, "theta2_0", "1.5707963267948966"), set(&t, "omega1_0", "7");
    set(&t, "omega2_0", "-2.5"), set(&t, "m3", "1 kg");
    must_run(&t);
    for (size_t i = 0; i < 3; i++) {
        double a = value_at(&t, "theta1", times[i]);
        double x = crank * cos(a) + sqrt(link * link - pow(crank * sin(a), 2));
        close_to(value_at(&t, "slider_x", times[i]), x, 1e-10, "slider_x");
        close_to(value_at(&t, "energy", times[i]), value_at(&t, "energy", 0), 1e-8, "energy");
    }
    end_trial(&t);
}

/* ---- starts that leave a loop free: the same in all coordinates */

#define FIVE_BAR(starts)                                                                           \
    "space = planar\ngravity = [0, -9.81] m/s^2\nground { D = [1.2, 0.1] m }\n"                    \
    "a : body  m = 1 kg, I = 0.1 kg.m^2  { B = [0.5, 0] m }\n"                                     \
    "b : body  m = 1 kg, I = 0.2 kg.m^2  { B = [0.8, 0] m }\n"                                     \
    "c : body  m = 1 kg, I = 0.1 kg.m^2  { B = [0.7, 0] m }\n"                                     \
    "d : body  m = 1 kg, I = 0.1 kg.m^2  { B = [0.6, 0] m }\n"                                     \
    "J1 : revolute(ground, a)\nJ2 : revolute(a.B, b)\nJ3 : revolute(b.B, c)\n"                     \
    "J4 : revolute(c.B, d)\nJ5 : revolute(ground.D, d.B)\n" starts                                 \
    "output sin(a.theta) as s1, cos(b.theta) as c2, sin(c.theta) as s3, cos(d.theta) as c4,"       \
    " a.w as w1, b.w as w2, c.w as w3, d.w as w4\n"

static void test_free_starts(void **state)
{
    static const char *const texts[] = {
        FIVE_BAR(""), FIVE_BAR("initial J1.w = 1\n"),
        FIVE_BAR("initial J3.beta = 0.9, c.B.v[1] = 0.4\nguess a.theta = 1\n"),
        FIVE_BAR("initial b.B.x = 0.6, d.w = -2\nguess b.B.y = 0.8\n")};
    static const double times[] = {0, 0.2};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        trial first = {0};
        for (int c = 0; c < 3; c++) {
            ct_tree_choice choice = with_coordinates(coordinates[1 + c]);
            trial t = new_trial(NULL);
            t.text = texts[k], t.choice = &choice;
            t.def.times = times, t.def.time_count = 2;
            t.def.stop = 1, t.def.tol = 1e-11;
            must_run(&t);
            if (c)
                same_rows(&first, &t, texts[k]);
            if (c)
                end_trial(&t);
            else
                first = t;
        }
        end_trial(&first);
    }
}

/* ---- what cannot start */

static void told(const char *text, const char *code, const char *part)
{
    const char *messages;
    trial t = new_trial(NULL);
    t.text = text;
    t.def.stop = 1;
    run_trial(&t);
    assert_null(t.run);
    assert_int_equal(ct_error_count(t.ctx), 1);
    assert_int_equal(ct_diag_render(t.ctx, CT_DIAG_TEXT, &messages), CT_OK);
    if (!strstr(messages, code) || !strstr(messages, part))
        fail_msg("want %s with %s, got %s", code, part, messages);
    end_trial(&t);
}

#define CHAIN(last, start)                                                                         \
    "space = planar\nground { C = [3, 0] m }\na : body m = 1 kg, I = 1 kg.m^2 { B = [1, 0] m }\n"  \
    "b : body m = 1 kg, I = 1 kg.m^2 { C = [1, 0] m }\n"                                           \
    "c : body m = 1 kg, I = 1 kg.m^2 { B = [" last ", 0] m }\nJ1 : revolute(ground, a) " start     \
    "\nJ2 : revolute(a.B, b)\nJ3 : revolute(ground.C, c)\nJ4 : revolute(b.C, c.B)\n"               \
    "output a.theta as y\n"

/* Loops whose joints hold in no position, with reactions that no motion determines. */
#define SLIDES(second, between, last)                                                              \
    "space = planar\nground { O = [0, 0.1] m, C = [0.5, 0] m }\n"                                  \
    "a : body m = 1 kg, I = 1 kg.m^2 { P = [0.2, 0] m }\n" between "J1 : " second "\nJ2 : " last   \
    "\noutput a.x as y\n"
#define ARMS(axis, place)                                                                          \
    "space = spatial\nground { C = [0.5, 0, 0] m }\n"                                              \
    "a : body m = 1 kg, I = [1, 1, 1] kg.m^2 { P = [0.2, 0, " place "] m }\n"                      \
    "s : body m = 1 kg, I = [1, 1, 1] kg.m^2 { Q = [0.4, 0, 0] m }\nJ1 : revolute(ground, a)\n"    \
    "J2 : revolute(a.P, s) " axis "\nJ3 : revolute(ground.C, s.Q)\noutput a.x as y\n"

static void test_open(void **state)
{
    (void)state;
    told(SLIDES("prismatic(ground, a)", "", "prismatic(ground.O, a)"), "E609", "J2.Fn");
    told(SLIDES("revolute(ground, a)", "s : body\nJ3 : weld(ground.C, s)\n", "revolute(a.P, s)"),
         "E609", "J2");
    told(ARMS("", "0.1"), "E609", "J3.F[3]");
    told("space = planar\na : body m = 1 kg, I = 1 kg.m^2 { B = [1, 0] m }\nc : body\n"
         "J1 : revolute(ground, a)\nJ2 : revolute(a.B, c)\noutput a.theta\n",
         "E605", "c.alpha");
    trial t = new_trial(NULL); /* in one plane they close */
    t.text = ARMS("", "0");
    t.def.stop = 0.1;
    must_run(&t);
    end_trial(&t);
}

static void test_impossible(void **state)
{
    const double times[] = {0};
    (void)state;
    told(CHAIN("0.5", ""), "E609", "a gap of 0.5 is left at best");
    told(CHAIN("1.5", "beta(0) = 2 rad"), "E523", "J1.beta cannot start at 2");
    trial t = new_trial(NULL);
    t.text = CHAIN("1.5", "beta(0) = 0.2 rad");
    t.def.times = times;
    t.def.time_count = 1;
    must_run(&t);
    close_to(value_at(&t, "y", 0), 0.2, 1e-9, "start");
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),    cmocka_unit_test(test_references_in_space),
        cmocka_unit_test(test_trees),         cmocka_unit_test(test_end_at_singular),
        cmocka_unit_test(test_pass_singular), cmocka_unit_test(test_energy),
        cmocka_unit_test(test_constraints),   cmocka_unit_test(test_independent),
        cmocka_unit_test(test_rechosen),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_period),        cmocka_unit_test(test_four_bars),
        cmocka_unit_test(test_slider),        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_open),          cmocka_unit_test(test_free_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

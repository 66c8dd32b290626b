/* test_mechanics.c - mechanisms against Newton-Euler equations in absolute coordinates. */
#include "test_mechanics.h"

#define MECHANICS_TEST(name) cmocka_unit_test_setup_teardown(name, open_pool, close_pool)

/* n links, each hanging from the one before; com off the line. */
static void chain(uint32_t n, bool plain)
{
    char name[32];
    uint32_t from = 0;
    begin();
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "b%u", i + 1);
        uint32_t body = plain ? add_body(name, num(1), ct_expr_ratio(pool, 1, 12), vector(0, 0))
                              : body_of(name, 1 + 0.1 * i, 0.2, 0.3, 0.1);
        uint32_t in = frame_at(body, -0.5, 0), out = frame_at(body, plain ? 0.5 : 0.7, 0);
        snprintf(name, sizeof name, "h%u", i + 1);
        joint(CT_JOINT_REVOLUTE, name, from, in);
        from = out;
    }
}

static void test_chain(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        chain(4, false);
        b.mech.coordinates = (ct_coordinates)c;
        derive(false);
        double worst = check_states(2, 3, true);
        assert_true(worst < 1e-12);
        assert_int_equal(b.m->coordinate_count, c == 2 ? 12 : 4);
        assert_int_equal(b.m->constraint_count, c == 2 ? 8 : 0);
    }
}

static void slider_crank(void)
{
    begin();
    uint32_t crank = body_of("crank", 1.5, 0.02, 0, 0), link = body_of("link", 0.9, 0.03, 0, 0);
    uint32_t slider = body_of("slider", 2, 1, 0, 0);
    joint(CT_JOINT_REVOLUTE, "h9", 0, frame_at(crank, -0.1, 0));
    joint(CT_JOINT_REVOLUTE, "h10", frame_at(crank, 0.15, 0), frame_at(link, 0, 0.3));
    joint(CT_JOINT_REVOLUTE, "h11", frame_at(link, 0, -0.35), b.body[slider].frame);
    joint(CT_JOINT_PRISMATIC, "s12", 0, b.body[slider].frame);
    force("F13", 0, b.body[slider].frame, (ct_vec3){{symbol("F13"), num(0), num(0)}}, 0);
}

static void test_slider_crank(void **state)
{
    (void)state;
    static const uint32_t equations[] = {3, 5, 17};
    for (int c = 0; c < 3; c++) {
        slider_crank();
        b.mech.coordinates = (ct_coordinates)c;
        derive(false);
        double worst = check_states(0.5, 3, true);
        assert_true(worst < 1e-11);
        assert_int_equal(b.m->coordinate_count + b.m->constraint_count, equations[c]);
    }
}

/* Quick-return with a prismatic joint on the rocker [McPhee-2, section 4.6.2]. */
static void quick_return(bool driven)
{
    begin();
    uint32_t crank = body_of("crank", 1, 1, 0, 0), rock = body_of("rock", 1.2, 1, 0.5, 0);
    uint32_t block = body_of("block", 0.8, 0.5, 0, 0), conn = body_of("conn", 0.6, 0.7, 0, 0.7);
    uint32_t ram = body_of("ram", 2, 1, 0, 0);
    uint32_t h11 = joint(CT_JOINT_REVOLUTE, "h11", 0, b.body[crank].frame);
    joint(CT_JOINT_REVOLUTE, "h10", frame_at(crank, 1, 0), b.body[block].frame);
    joint(CT_JOINT_PRISMATIC, "s9", b.body[rock].frame, b.body[block].frame);
    joint(CT_JOINT_REVOLUTE, "h8", frame_at(0, 0, -2), b.body[rock].frame);
    joint(CT_JOINT_REVOLUTE, "h12", frame_at(rock, 4, 0), b.body[conn].frame);
    joint(CT_JOINT_REVOLUTE, "h13", frame_at(conn, 0, 1.5), b.body[ram].frame);
    joint(CT_JOINT_PRISMATIC, "s20", frame_at(0, 0, 2.5), b.body[ram].frame);
    if (!driven)
        return;
    b.joint[h11].drive[CT_TURN] = ct_expr_add(
        pool, num(0.4), ct_expr_mul(pool, num(1.5), ct_expr_mul(pool, symbol("t"), symbol("t"))));
    b.drive[h11] = 3;
}

static void test_quick_return(void **state)
{
    (void)state;
    static const uint32_t coordinates[] = {3, 5, 15}, driven[] = {2, 4, 15};
    for (int c = 0; c < 6; c++) {
        quick_return(c >= 3);
        b.mech.coordinates = (ct_coordinates)(c % 3);
        derive(false);
        assert_true(check_states(1.5, 3, true) < 1e-11);
        assert_int_equal(b.m->coordinate_count, c < 3 ? coordinates[c] : driven[c - 3]);
        assert_int_equal((int)b.m->coordinate_count - (int)b.m->constraint_count, c < 3);
    }
}

/* Andrews' squeezer: seven bodies, ten pins. */
static void squeezer(void)
{
    begin();
    b.mech.gravity = vector(0, 0);
    uint32_t k1 = body_of("K1", 0.04325, 2.194e-06, 0.00092, 0);
    uint32_t k2 = body_of("K2", 0.00365, 4.41e-07, -0.0115, 0);
    uint32_t k3 = body_of("K3", 0.02373, 5.255e-06, 0.01043, -0.01874);
    uint32_t k4 = body_of("K4", 0.00706, 5.667e-07, 0, -(0.02 - 0.01421));
    uint32_t k5 = body_of("K5", 0.0705, 1.169e-05, 0.02308, 0.00916);
    uint32_t k6 = body_of("K6", 0.00706, 5.667e-07, 0.02 - 0.01421, 0);
    uint32_t k7 = body_of("K7", 0.05498, 1.912e-05, 0.00449, -0.01228);
    uint32_t ga = frame_at(0, -0.06934, -0.00227), gb = frame_at(0, -0.03635, 0.03273);
    uint32_t gc = frame_at(0, 0.014, 0.072), e3 = frame_at(k3, 0, -0.035);
    joint(CT_JOINT_REVOLUTE, "h1", 0, b.body[k1].frame);
    joint(CT_JOINT_REVOLUTE, "h2", frame_at(k1, 0.007, 0), b.body[k2].frame);
    joint(CT_JOINT_REVOLUTE, "h3", gb, b.body[k3].frame);
    joint(CT_JOINT_REVOLUTE, "h4", ga, b.body[k5].frame);
    joint(CT_JOINT_REVOLUTE, "h5", frame_at(k5, 0.04, 0), b.body[k4].frame);
    joint(CT_JOINT_REVOLUTE, "h6", ga, b.body[k7].frame);
    joint(CT_JOINT_REVOLUTE, "h7", frame_at(k7, 0, -0.04), b.body[k6].frame);
    uint32_t e2 = frame_at(k2, -0.028, 0);
    joint(CT_JOINT_REVOLUTE, "h8", e2, e3);
    joint(CT_JOINT_REVOLUTE, "h9", e2, frame_at(k4, 0, -0.02));
    joint(CT_JOINT_REVOLUTE, "h10", e2, frame_at(k6, 0.02, 0));
    line("S", gc, frame_at(k3, 0.02, -0.018));
    torque("T", 0, b.body[k1].frame, num(0.033));
}

static void wish_joints(uint32_t from, uint32_t to, bool t, bool r)
{
    for (uint32_t i = from; i < to; i++)
        wish(CT_BRANCH_JOINT, i, t, r);
}

/* Start angles of the squeezer, so that the loops close. */
static void squeezer_state(void)
{
    static const double beta[] = {-0.06171389001427645, 0.0,
                                  0.45527981916307037,  0.48736497954384256,
                                  0.22266839016588588,  1.2305474445498212,
                                  -0.22266839016588588};
    static const int body[] = {1, 2, 3, 5, 4, 7, 6};
    double theta[8] = {0};
    for (int i = 0; i < 7; i++) {
        int tail = i == 1 ? 1 : i == 4 ? 5 : i == 6 ? 7 : 0;
        theta[body[i]] = theta[tail] + beta[i];
    }
    start_state();
    for (uint32_t i = 0; i < b.m->coordinate_count; i++) {
        const ct_coordinate *c = &b.m->coordinate[i];
        b.value[b.q + i] = c->of_body ? theta[c->object] : beta[c->object];
    }
}

static void test_squeezer(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        squeezer();
        b.mech.coordinates = c ? CT_COORDINATES_JOINT : CT_COORDINATES_AUTO;
        wish_joints(0, 7, true, c);
        derive(false);
        assert_int_equal(b.m->coordinate_count, 7);
        assert_int_equal(b.m->constraint_count, 6);
        assert_int_equal(b.tree->graph->edge_count, 36 + 18);
        assert_int_equal(b.tree->graph->node_count, 26 + 8);
        squeezer_state();
        for (uint32_t i = 0; i < b.m->constraint_count; i++)
            assert_true(fabs(value_of(b.m->constraint[i].position)) < 1e-12);
        assert_true(compare(true) < 1e-10);
    }
    squeezer();
    b.mech.coordinates = CT_COORDINATES_ABSOLUTE;
    derive(false);
    assert_int_equal(b.m->coordinate_count + b.m->constraint_count, 41);
}

/* n four-bars in a row. */
static void four_bars(uint32_t n)
{
    char name[32];
    begin();
    uint32_t *arm = ROOM(uint32_t);
    for (uint32_t i = 0; i <= n; i++) {
        snprintf(name, sizeof name, "arm%u", i);
        arm[i] = add_body(name, num(1), ct_expr_ratio(pool, 1, 12), vector(0, 0));
        snprintf(name, sizeof name, "a%u", i);
        joint(CT_JOINT_REVOLUTE, name, frame_at(0, i, 0), frame_at(arm[i], -0.5, 0));
    }
    for (uint32_t i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "bar%u", i);
        uint32_t bar = add_body(name, num(1), ct_expr_ratio(pool, 1, 12), vector(0, 0));
        snprintf(name, sizeof name, "p%u", i);
        joint(CT_JOINT_REVOLUTE, name, frame_at(arm[i - 1], 0.5, 0), frame_at(bar, -0.5, 0));
        snprintf(name, sizeof name, "q%u", i);
        joint(CT_JOINT_REVOLUTE, name, frame_at(bar, 0.5, 0), frame_at(arm[i], 0.5, 0));
    }
}

static void test_four_bars(void **state)
{
    (void)state;
    four_bars(3);
    derive(false);
    assert_true(check_states(1, 3, true) < 1e-9);
}

/* One of each: slots both ways round, rods, particles, welds, drivers in and out of the tree. */
static void assorted(int which)
{
    begin();
    uint32_t a = body_of("a", 2, 0.7, 0.2, 0.1), c = body_of("c", 1.5, 0.5, -0.1, 0.3), j, p;
    uint32_t turned = add_frame(a, "a.T", vector(0.4, 0.3), num(0.6));
    joint(CT_JOINT_REVOLUTE, "J1", frame_at(0, 0.3, -0.2), frame_at(a, -0.4, 0));
    switch (which) {
    case 0: /* the slot's tail is the inner body */
        j = joint(CT_JOINT_SLOT, "S1", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].axis = vector(3, 4);
        b.joint[j].load[CT_SLIDE] = symbol("S1.port.F");
        b.joint[j].load[CT_TURN] = symbol("S1.port.T");
        break;
    case 1: /* the slot's tail is the outer body */
        j = joint(CT_JOINT_SLOT, "S1", frame_at(c, 0.2, 0.1), turned);
        b.joint[j].axis = vector(1, 2);
        b.joint[j].load[CT_SLIDE] = symbol("S1.port.F");
        break;
    case 2: /* prismatic joint with the outer body as tail, and a load */
        j = joint(CT_JOINT_PRISMATIC, "S1", frame_at(c, 0.2, 0.1), turned);
        b.joint[j].axis = vector(1, 2);
        b.joint[j].load[CT_SLIDE] = symbol("S1.port.F");
        break;
    case 3: /* a driven slide */
        j = joint(CT_JOINT_PRISMATIC, "S1", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].drive[CT_SLIDE] = ct_expr_mul(pool, symbol("t"), symbol("t"));
        b.drive[j] = 2;
        break;
    case 4: /* a driven slot, and a given speed */
        j = joint(CT_JOINT_SLOT, "S1", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].rate[CT_SLIDE] = ct_expr_mul(pool, num(3), symbol("t"));
        b.drive[j] = 3;
        break;
    case 5: /* rods and particles */
        p = particle("P", 0.8);
        j = joint(CT_JOINT_DISTANCE, "R1", frame_at(a, 0.9, 0), b.body[p].frame);
        b.joint[j].length = num(0.7);
        j = joint(CT_JOINT_DISTANCE, "R2", b.body[p].frame, frame_at(c, 0.5, 0));
        b.joint[j].length = num(0.6);
        line("L1", turned, b.body[c].frame);
        break;
    case 6: /* welds: a turned body, a particle, in a row; and something on it */
        joint(CT_JOINT_WELD, "W1", turned, add_frame(c, "c.T", vector(0.1, -0.3), num(-0.4)));
        p = particle("P", 0.8);
        joint(CT_JOINT_WELD, "W2", b.body[p].frame, frame_at(c, 0.7, 0.2));
        j = body_of("d", 1, 0.3, 0.2, 0);
        joint(CT_JOINT_REVOLUTE, "J3", frame_at(c, 0.5, -0.2), frame_at(j, -0.3, 0));
        force("F1", frame_at(0, 1, 1), frame_at(c, 0.2, 0.6), vector(2, 3), turned);
        break;
    case 7: /* a free joint with ports; a body of its own */
        j = joint(CT_JOINT_FREE, "Q", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].load[CT_SLIDE] = symbol("Q.port1.F");
        b.joint[j].load[CT_SLIDE + 1] = symbol("Q.port2.F");
        b.joint[j].load[CT_TURN] = symbol("Q.port.T");
        break;
    case 8: /* a particle in a slot and on a spring */
        p = particle("P", 0.8);
        joint(CT_JOINT_SLOT, "S1", turned, b.body[p].frame);
        joint(CT_JOINT_PRISMATIC, "S2", b.body[c].frame, b.body[p].frame);
        line("L1", 0, b.body[p].frame);
        break;
    case 9: /* relative angle driven in speed */
        j = joint(CT_JOINT_REVOLUTE, "J2", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].rate[CT_TURN] = ct_expr_mul(pool, num(3), symbol("t"));
        b.drive[j] = 3;
        break;
    default: /* one particle welded to two bodies: a pin */
        p = particle("P", 0.8);
        joint(CT_JOINT_WELD, "W1", turned, b.body[p].frame);
        joint(CT_JOINT_WELD, "W2", b.body[p].frame, frame_at(c, 0.4, 0));
    }
    force("G", 0, frame_at(c, 0.3, 0.4), vector(1, 2), 0);
    force("H", b.body[a].frame, frame_at(c, 0.1, 0), vector(0.5, -0.7), turned);
    torque("T", b.body[a].frame, b.body[c].frame,
           ct_expr_mul(pool, num(-0.3), motion("c.w", CT_MOTION_SPIN, b.body[c].frame, 0)));
}

static void test_assorted(void **state)
{
    (void)state;
    for (int which = 0; which <= 10; which++)
        for (int c = 0; c < 3; c++) {
            assorted(which);
            b.mech.coordinates = (ct_coordinates)c;
            derive(false);
            double worst = check_states(1, 3, true);
            if (worst > 1e-11)
                fail_msg("mechanism %d, coordinates %d: %g", which, c, worst);
        }
}

static bool was_told(const char *code, const char *witness)
{
    for (size_t i = 0; i < ct_diag_count(ctx); i++) {
        const ct_diag *d = ct_diag_at(ctx, i);
        if (strcmp(d->code, code) != 0)
            continue;
        for (uint32_t k = 0; k < d->witness_count; k++)
            if (strcmp(d->witness[k], witness) == 0)
                return true;
    }
    return false;
}

/* Cranks at 1.1 rad, coupler level. */
static void parallel_state(uint32_t coupler)
{
    double tip[2] = {0.8 * cos(1.1), 0.8 * sin(1.1)};
    start_state();
    for (uint32_t i = 0; i < b.m->coordinate_count; i++) {
        const ct_coordinate *q = &b.m->coordinate[i];
        bool level = q->of_body && q->object == coupler;
        double *value = &b.value[b.q + i], k = q->object - coupler - 1.0;
        if (q->angle)
            *value = level                                                      ? 0
                     : q->of_body || b.frame[b.joint[q->object].tail].body == 0 ? 1.1
                                                                                : -1.1;
        else if (level)
            *value = tip[q->axis] + (q->axis ? 0.2 : 0.1);
        else
            *value = (q->axis ? 0.1 * k * k : k) + 0.25 * tip[q->axis];
    }
}

/* Three parallel cranks of equal length carry one coupler. */
static void test_parallelogram(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        begin();
        uint32_t coupler = body_of("coupler", 2, 0.4, 0.1, 0.2);
        for (uint32_t i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "crank%u", i);
            uint32_t crank = body_of(name, 1 + 0.3 * i, 0.1 + 0.1 * i, 0.2, 0);
            snprintf(name, sizeof name, "a%u", i);
            joint(CT_JOINT_REVOLUTE, name, frame_at(0, i, 0.1 * i * i), b.body[crank].frame);
            snprintf(name, sizeof name, "b%u", i);
            joint(CT_JOINT_REVOLUTE, name, frame_at(crank, 0.8, 0),
                  frame_at(coupler, i, 0.1 * i * i));
        }
        b.mech.coordinates = (ct_coordinates)c;
        derive(true);
        assert_non_null(b.m);
        assert_int_equal(b.m->freedom, 1);
        assert_int_equal((int)b.m->coordinate_count - (int)b.m->constraint_count, 1);
        assert_true(was_told("W602", "b2"));
        parallel_state(coupler);
        assert_true(assemble_from());
        assert_true(compare_with(true, true) < 1e-9);
    }
}

/* A ring of four welded bars on three guides, and a table on two guides on it. */
static void redundant_table(void)
{
    uint32_t bar[4], table = body_of("table", 3, 0.5, 0.1, 0.3);
    for (uint32_t i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "bar%u", i);
        bar[i] = body_of(name, 1 + 0.2 * i, 0.1, 0.5, 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%u", i);
        uint32_t end = frame_at(bar[i], 1, 0), next = bar[(i + 1) % 4];
        b.frame[end].turn = num(acos(-1) / 2);
        joint(CT_JOINT_WELD, name, end, b.body[next].frame);
    }
    joint(CT_JOINT_PRISMATIC, "s0", 0, b.body[bar[0]].frame);
    joint(CT_JOINT_PRISMATIC, "s1", frame_at(0, 0.4, 0.2), frame_at(bar[0], 0.3, 0.2));
    joint(CT_JOINT_SLOT, "s2", frame_at(0, 0, -0.7), frame_at(bar[0], 0.2, -0.7));
    joint(CT_JOINT_PRISMATIC, "t0", b.body[bar[0]].frame, b.body[table].frame);
    joint(CT_JOINT_PRISMATIC, "t1", frame_at(bar[0], 1, 1), frame_at(table, 0.2, 1));
    torque("twist", 0, b.body[table].frame, num(1.7));
    force("pull", 0, b.body[bar[2]].frame, vector(0.3, 2), 0);
}

static void test_redundant_frame(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        begin();
        redundant_table();
        b.mech.coordinates = (ct_coordinates)c;
        derive(true);
        assert_non_null(b.m);
        assert_int_equal(b.m->freedom, 2);
        assert_true(was_told("W602", "t1"));
        assert_true(was_told("W601", "w3"));
        start_state();
        assert_true(assemble_from());
        assert_true(compare_with(true, true) < 1e-9);
    }
}

static void test_messages(void **state)
{
    (void)state;
    begin(); /* a triangle on the ground */
    uint32_t a = body_of("a", 1, 1, 0, 0), c = body_of("c", 1, 1, 0, 0);
    joint(CT_JOINT_REVOLUTE, "J1", 0, b.body[a].frame);
    joint(CT_JOINT_REVOLUTE, "J2", frame_at(a, 1, 0), frame_at(c, 1, 0));
    joint(CT_JOINT_REVOLUTE, "J3", frame_at(0, 1, 0), b.body[c].frame);
    assert_non_null(derive(true)); /* nothing moves, and that is well */
    assert_int_equal(b.m->freedom, 0);

    slider_crank(); /* two drivers, one freedom */
    b.joint[0].drive[CT_TURN] = symbol("t");
    b.joint[3].drive[CT_SLIDE] = symbol("t");
    assert_null(derive(true));
    assert_true(was_told("E607", "s12"));

    chain(2, true); /* the last link has no mass */
    b.body[2].mass = b.body[2].inertia[2] = num(0);
    assert_null(derive(true));
    assert_true(was_told("E605", "b2"));

    slider_crank();
    wish_joints(0, 4, true, false);
    assert_null(derive(true));
    assert_true(was_told("E602", "s12"));

    chain(2, true);
    torque("T", 0, b.body[1].frame, motion("b1.alpha", CT_MOTION_SPIN_RATE, b.body[1].frame, 0));
    assert_null(derive(true));
    assert_true(was_told("E604", "b1.alpha"));

    chain(2, true);
    joint(CT_JOINT_REVOLUTE, "X", b.body[1].frame, frame_at(1, 0.1, 0));
    assert_null(derive(true));
    assert_true(was_told("E601", "X"));
}

/* A four-bar whose coupler has no mass: its alpha and two forces remain to be solved for. */
static void test_massless_coupler(void **state)
{
    (void)state;
    begin();
    uint32_t a = body_of("a", 1, 0.3, 0.2, 0), k = body_of("k", 0, 0, 0, 0);
    uint32_t c = body_of("c", 2, 0.4, 0.1, 0.1);
    joint(CT_JOINT_REVOLUTE, "J1", 0, b.body[a].frame);
    joint(CT_JOINT_REVOLUTE, "J2", frame_at(a, 0.4, 0), b.body[k].frame);
    joint(CT_JOINT_REVOLUTE, "J3", frame_at(k, 1, 0), frame_at(c, 0.7, 0));
    joint(CT_JOINT_REVOLUTE, "J4", frame_at(0, 0.9, 0), b.body[c].frame);
    derive(true);
    assert_non_null(b.m);
    assert_int_equal(b.m->unknown_count, 3);
    assert_int_equal(b.m->freedom, 1);
    assert_true(check_states(1, 3, true) < 1e-10);
}

/* Any trees: the same accelerations and reactions. */
static void some_mechanism(int which)
{
    if (which < 2)
        quick_return(which);
    else if (which < 13)
        assorted(which - 2);
    else if (which == 13)
        slider_crank();
    else
        four_bars(2);
}

static uint32_t below(uint32_t n)
{
    uint32_t k = (uint32_t)((random_unit() + 1) / 2 * n);
    return k < n ? k : n - 1;
}

/* Wishes in random order, as many as fit: errors are avoided by trying each on a union-find. */
static void random_trees(void)
{
    uint32_t bodies = b.mech.body_count, set[2][64], n = bodies - 1 + b.mech.joint_count;
    for (uint32_t i = 0; i < bodies; i++)
        set[0][i] = set[1][i] = i;
    for (uint32_t i = 0; i < b.mech.joint_count; i++) /* welded ones are one */
        if (b.joint[i].kind == CT_JOINT_WELD)
            return;
    for (uint32_t i = 0; i < 3 * n; i++) {
        uint32_t k = below(n), g = below(2);
        bool is_body = k < bodies - 1;
        uint32_t object = is_body ? k + 1 : k - bodies + 1;
        const ct_joint *j = &b.joint[is_body ? 0 : object];
        uint32_t x = is_body ? 0 : b.frame[j->tail].body,
                 y = is_body ? object : b.frame[j->head].body;
        bool point = b.body[x].particle || b.body[y].particle;
        if ((!is_body && j->kind == CT_JOINT_DISTANCE) || (g && point) || set[g][x] == set[g][y])
            continue;
        uint32_t old = set[g][y], new = set[g][x];
        for (uint32_t l = 0; l < bodies; l++)
            set[g][l] = set[g][l] == old ? new : set[g][l];
        wish(is_body ? CT_BRANCH_BODY : CT_BRANCH_JOINT, object, g == 0, g == 1);
    }
}

static void test_random_trees(void **state)
{
    (void)state;
    for (int which = 0; which < 15; which++)
        for (int i = 0; i < 10; i++) {
            some_mechanism(which);
            random_trees();
            derive(false);
            assert_non_null(b.m);
            double worst = check_states(1, 1, true);
            if (worst > 1e-9)
                fail_msg("mechanism %d: %g", which, worst);
        }
}

/* ---- the projected form */

typedef struct numbers {
    uint32_t n, m;
    double *mass, *jacobian, *force, *gamma, *acceleration, *phi;
} numbers;

static void spread_rows(const ct_sparse_rows *r, double *out)
{
    double *v = ROOM(double);
    values(r->entry, r->start[r->rows], v);
    for (uint32_t i = 0; i < r->rows; i++)
        for (uint32_t k = r->start[i]; k < r->start[i + 1]; k++)
            out[(size_t)i * r->cols + r->col[k]] = v[k];
}

static numbers numbers_of(const ct_motion_equations *e)
{
    numbers x = {.n = e->coordinate_count, .m = e->constraint_count};
    ct_pool *own = pool;
    ct_expr *a = ROOM(ct_expr);
    for (uint32_t i = 0; i < x.n; i++)
        a[i] = b.m->coordinate[e->coordinate[i]].acceleration;
    x.acceleration = ROOM(double), x.mass = ROOM(double), x.jacobian = ROOM(double);
    x.force = ROOM(double), x.gamma = ROOM(double), x.phi = ROOM(double);
    values(a, x.n, x.acceleration);
    pool = e->pool;
    spread_rows(&e->mass, x.mass);
    spread_rows(&e->jacobian, x.jacobian);
    values(e->force, x.n, x.force);
    values(e->gamma, x.m, x.gamma);
    pool = own;
    return x;
}

/* M is symmetric and positive definite; Phi_q q'' = gamma; M q'' - Q lies in the rows of Phi_q;
 * u^T M u / 2 is the kinetic energy (scleronomic ones). */
static void check_numbers(const numbers *x, bool driven, bool massless)
{
    double *l = ROOM(double), size = 0, energy = 0;
    uint32_t n = x->n;
    for (uint32_t i = 0; i < n * n; i++)
        size = fmax(size, fabs(x->mass[i]));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++) { /* Cholesky */
            double sum = x->mass[i * n + k];
            assert_true(fabs(sum - x->mass[k * n + i]) <= 1e-12 * size);
            for (uint32_t c = 0; c < k; c++)
                sum -= l[i * n + c] * l[k * n + c];
            if (i == k)
                assert_true(massless || sum > 0);
            l[i * n + k] = i == k ? sqrt(fabs(sum)) : sum / l[k * n + k];
        }
    for (uint32_t i = 0; i < x->m; i++) {
        double sum = -x->gamma[i], large = 1 + fabs(x->gamma[i]);
        for (uint32_t k = 0; k < n; k++) {
            sum += x->jacobian[i * n + k] * x->acceleration[k];
            large = fmax(large, fabs(x->jacobian[i * n + k] * x->acceleration[k]));
        }
        assert_true(fabs(sum) < 1e-9 * large);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            energy += x->mass[i * n + k] * b.value[b.u + i] * b.value[b.u + k] / 2;
    double kinetic = value_of(asked(CT_MOTION_KINETIC, 0, 0));
    if (!driven)
        assert_true(fabs(energy - kinetic) < 1e-11 * (1 + kinetic));
}

/* The residual of M q'' = Q + Phi_q^T lambda for the best lambda. */
static double best_residual(const numbers *x)
{
    uint32_t n = x->n, m = x->m;
    double *r = ROOM(double), *jj = dense(m, m), *rhs = ROOM(double), *y = ROOM(double), worst = 0;
    double size = 1;
    for (uint32_t i = 0; i < n; i++) {
        r[i] = -x->force[i];
        for (uint32_t k = 0; k < n; k++) {
            r[i] += x->mass[i * n + k] * x->acceleration[k];
            size = fmax(size, fabs(x->mass[i * n + k] * x->acceleration[k]));
        }
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t c = 0; c < n; c++) {
            rhs[i] += x->jacobian[i * n + c] * r[c];
            for (uint32_t k = 0; k < m; k++)
                jj[i * m + k] += x->jacobian[i * n + c] * x->jacobian[k * n + c];
        }
    solve_dense(jj, rhs, m, y);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t i = 0; i < m; i++)
            r[c] -= x->jacobian[i * n + c] * y[i];
        worst = fmax(worst, fabs(r[c]) / size);
    }
    free(jj);
    return worst;
}

/* Phi_q against differences of Phi, gamma against differences of Phi' along the motion. */
static void check_differences(const ct_motion_equations *e, const numbers *x)
{
    const double h = 1e-6;
    double *up = ROOM(double), *down = ROOM(double), *keep = ROOM(double);
    ct_expr *phi = ROOM(ct_expr), *rate = ROOM(ct_expr);
    for (uint32_t i = 0; i < x->m; i++) {
        phi[i] = b.m->constraint[i].position ? b.m->constraint[i].position : num(0);
        rate[i] = b.m->constraint[i].velocity;
    }
    memcpy(keep, b.value, b.count * sizeof *keep);
    for (uint32_t k = 0; k < x->n; k++) {
        double *q = &b.value[b.q + e->coordinate[k]], old = *q;
        *q = old + h, values(phi, x->m, up);
        *q = old - h, values(phi, x->m, down);
        *q = old;
        for (uint32_t i = 0; i < x->m; i++)
            if (b.m->constraint[i].position)
                assert_true(fabs((up[i] - down[i]) / (2 * h) - x->jacobian[i * x->n + k]) < 1e-6);
    }
    for (int side = -1; side <= 1; side += 2) { /* Phi'' = 0 along q'' */
        ct_expr *speed = ROOM(ct_expr);
        double *v = ROOM(double);
        for (uint32_t i = 0; i < b.m->coordinate_count; i++)
            speed[i] = b.m->coordinate[i].speed;
        values(speed, b.m->coordinate_count, v);
        b.value[0] += side * h;
        for (uint32_t i = 0; i < b.m->coordinate_count; i++)
            b.value[b.q + i] += side * h * v[i];
        for (uint32_t i = 0; i < x->n; i++)
            b.value[b.u + i] += side * h * x->acceleration[i];
        values(rate, x->m, side < 0 ? down : up);
        memcpy(b.value, keep, b.count * sizeof *keep);
    }
    for (uint32_t i = 0; i < x->m; i++)
        assert_true(fabs(up[i] - down[i]) / (2 * h) < 1e-5);
}

static void test_projected(void **state)
{
    (void)state;
    for (int which = 0; which < 15; which++)
        for (int c = 0; c < 4; c++) {
            some_mechanism(which);
            b.mech.coordinates = (ct_coordinates)(c % 3);
            if (c == 3)
                random_trees();
            derive(false);
            start_state();
            assert_true(assemble_state(1));
            ct_pool *fresh = ct_pool_new(ctx);
            const ct_motion_equations *e = ct_mechanics_equations(b.m, fresh, b.arena);
            assert_non_null(e);
            assert_int_equal(e->constraint_count, b.m->constraint_count);
            numbers x = numbers_of(e);
            bool driven = which == 1 || which == 5 || which == 6 || which == 11;
            check_numbers(&x, driven, false);
            assert_true(best_residual(&x) < 1e-9);
            check_differences(e, &x);
            ct_pool_free(fresh);
        }
}

/* Forces and torques of ideal joints do no work. */
static void test_powers(void **state)
{
    (void)state;
    for (int which = 0; which < 15; which++) {
        some_mechanism(which);
        derive(false);
        start_state();
        assert_true(assemble_state(1));
        for (uint32_t i = 0; i < b.mech.joint_count; i++) {
            double power = 0, size = 1;
            uint32_t end[2] = {b.joint[i].head, b.joint[i].tail};
            double d[2] = {0, 0}, f[2], w_tail = 0;
            for (uint32_t k = 0; k < 2; k++) {
                f[k] = value_of(asked(CT_MOTION_REACTION, i, k));
                double v = value_of(asked(CT_MOTION_VELOCITY, end[0], k)) -
                           value_of(asked(CT_MOTION_VELOCITY, end[1], k));
                d[k] = value_of(asked(CT_MOTION_POSITION, end[0], k)) -
                       value_of(asked(CT_MOTION_POSITION, end[1], k));
                power += f[k] * v;
                size += fabs(f[k] * v);
            }
            double w = value_of(asked(CT_MOTION_SPIN, end[0], 0)), t;
            w_tail = value_of(asked(CT_MOTION_SPIN, end[1], 0));
            t = value_of(asked(CT_MOTION_REACTION_TORQUE, i, 2));
            if (b.joint[i].kind !=
                CT_JOINT_DISTANCE) /* the tail feels the force where the head is */
                power -= w_tail * (d[0] * f[1] - d[1] * f[0]);
            power += t * (w - w_tail);
            assert_true(fabs(power) < 1e-9 * (size + fabs(t)));
        }
    }
}

/* Operations of all accelerations; the ceilings are what the elimination is designed for. */
static void test_counts(void **state)
{
    (void)state;
    static const uint32_t per_body[] = {65, 68, 72}, crank[] = {115, 118, 135};
    for (int c = 0; c < 3; c++) {
        uint32_t count[2];
        for (int i = 0; i < 2; i++) {
            chain(i ? 50 : 20, true);
            b.mech.coordinates = (ct_coordinates)c;
            derive(false);
            count[i] = operations();
        }
        assert_in_range(count[1] - count[0], 30 * 50, 30 * per_body[c]);
        slider_crank();
        b.mech.coordinates = (ct_coordinates)c;
        derive(false);
        assert_in_range(operations(), 80, crank[c]);
    }
    for (int c = 0; c < 2; c++) {
        squeezer();
        wish_joints(0, 7, true, c);
        derive(false);
        assert_in_range(operations(), 400, 560);
        derive(true); /* with values trees are searched */
        assert_in_range(operations(), 400, 548);
    }
    four_bars(10);
    derive(false);
    uint32_t at10 = operations();
    four_bars(40);
    derive(false);
    assert_in_range(operations() - at10, 30 * 150, 30 * 185);
}

/* A thousand loops: linear, and the redundancy is tested too. */
static void test_large(void **state)
{
    (void)state;
    four_bars(1000);
    derive(true);
    assert_non_null(b.m);
    assert_int_equal(b.m->freedom, 1);
    assert_int_equal(b.m->constraint_count, 2000);
    chain(1000, true);
    derive(true);
    assert_int_equal(b.m->freedom, 1000);
}

/* The search for cheap trees: from bad wishes to the fewest equations, with the same motion. */
static void test_best_trees(void **state)
{
    (void)state;
    static const uint32_t coordinates[] = {2, 2, 7}, constraints[] = {1, 2, 6};
    for (int which = 0; which < 3; which++) {
        which == 0 ? slider_crank() : which == 1 ? quick_return(true) : squeezer();
        for (uint32_t i = 1; i < b.mech.body_count; i++)
            wish(CT_BRANCH_BODY, i, true, true);
        b.best = true;
        derive(false);
        assert_int_equal(b.m->coordinate_count, coordinates[which]);
        assert_int_equal(b.m->constraint_count, constraints[which]);
        if (which < 2)
            assert_true(check_states(1.5, 3, true) < 1e-11);
    }
    squeezer_state();
    assert_true(compare(true) < 1e-10);
    chain(80, true); /* large: the usual trees */
    b.best = true;
    derive(false);
    assert_int_equal(b.m->coordinate_count, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MECHANICS_TEST(test_chain),
        MECHANICS_TEST(test_slider_crank),
        MECHANICS_TEST(test_quick_return),
        MECHANICS_TEST(test_squeezer),
        MECHANICS_TEST(test_best_trees),
        MECHANICS_TEST(test_four_bars),
        MECHANICS_TEST(test_assorted),
        MECHANICS_TEST(test_parallelogram),
        MECHANICS_TEST(test_redundant_frame),
        MECHANICS_TEST(test_messages),
        MECHANICS_TEST(test_massless_coupler),
        MECHANICS_TEST(test_random_trees),
        MECHANICS_TEST(test_projected),
        MECHANICS_TEST(test_powers),
        MECHANICS_TEST(test_counts),
        MECHANICS_TEST(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

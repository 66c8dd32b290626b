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
    b.joint[h11].drive_angle = ct_expr_add(
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
        assert_int_equal(b.m->translational.edge_count, 36);
        assert_int_equal(b.m->translational.node_count, 26);
        assert_int_equal(b.m->rotational.edge_count, 18);
        assert_int_equal(b.m->rotational.node_count, 8);
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
        b.joint[j].load_slide[0] = symbol("S1.port.F");
        b.joint[j].load_angle = symbol("S1.port.T");
        break;
    case 1: /* the slot's tail is the outer body */
        j = joint(CT_JOINT_SLOT, "S1", frame_at(c, 0.2, 0.1), turned);
        b.joint[j].axis = vector(1, 2);
        b.joint[j].load_slide[0] = symbol("S1.port.F");
        break;
    case 2: /* prismatic joint with the outer body as tail, and a load */
        j = joint(CT_JOINT_PRISMATIC, "S1", frame_at(c, 0.2, 0.1), turned);
        b.joint[j].axis = vector(1, 2);
        b.joint[j].load_slide[0] = symbol("S1.port.F");
        break;
    case 3: /* a driven slide */
        j = joint(CT_JOINT_PRISMATIC, "S1", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].drive_slide = ct_expr_mul(pool, symbol("t"), symbol("t"));
        b.drive[j] = 2;
        break;
    case 4: /* a driven slot, and a given speed */
        j = joint(CT_JOINT_SLOT, "S1", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].drive_velocity = ct_expr_mul(pool, num(3), symbol("t"));
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
        b.joint[j].load_slide[0] = symbol("Q.port1.F");
        b.joint[j].load_slide[1] = symbol("Q.port2.F");
        b.joint[j].load_angle = symbol("Q.port.T");
        break;
    case 8: /* a particle in a slot and on a spring */
        p = particle("P", 0.8);
        joint(CT_JOINT_SLOT, "S1", turned, b.body[p].frame);
        joint(CT_JOINT_PRISMATIC, "S2", b.body[c].frame, b.body[p].frame);
        line("L1", 0, b.body[p].frame);
        break;
    case 9: /* relative angle driven in speed */
        j = joint(CT_JOINT_REVOLUTE, "J2", turned, frame_at(c, 0.2, 0.1));
        b.joint[j].drive_speed = ct_expr_mul(pool, num(3), symbol("t"));
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

static void test_counts(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        chain(20, true);
        b.mech.coordinates = (ct_coordinates)c;
        derive(false);
        uint32_t at20 = operations();
        chain(50, true);
        b.mech.coordinates = (ct_coordinates)c;
        derive(false);
        uint32_t at50 = operations();
        print_message("chain %d: %u %u, %.2f per body\n", c, at20, at50, (at50 - at20) / 30.0);
    }
    for (int c = 0; c < 3; c++) {
        slider_crank();
        b.mech.coordinates = (ct_coordinates)c;
        derive(false);
        print_message("slider-crank %d: %u\n", c, operations());
    }
    for (int c = 0; c < 2; c++) {
        squeezer();
        b.mech.coordinates = c ? CT_COORDINATES_JOINT : CT_COORDINATES_AUTO;
        wish_joints(0, 7, true, c);
        derive(false);
        print_message("squeezer %d: %u\n", c, operations());
    }
    four_bars(10);
    derive(false);
    uint32_t at10 = operations();
    four_bars(40);
    derive(false);
    uint32_t at40 = operations();
    print_message("four-bars: %u %u, %.2f per loop\n", at10, at40, (at40 - at10) / 30.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MECHANICS_TEST(test_chain),        MECHANICS_TEST(test_slider_crank),
        MECHANICS_TEST(test_quick_return), MECHANICS_TEST(test_squeezer),
        MECHANICS_TEST(test_four_bars),    MECHANICS_TEST(test_assorted),
        MECHANICS_TEST(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MECHANICS_TEST(test_chain),
        MECHANICS_TEST(test_slider_crank),
        MECHANICS_TEST(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

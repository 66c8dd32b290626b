/* test_mechanism.c - what bodies, frames, joints and loads become: the data of a mechanism, draft
 * by draft. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

#include "model/model.h"

#define DRAFTS COTREE_ROOT "/tests/drafts/"

static const ct_model *read_draft(ct_context *ctx, const char *name)
{
    char path[512];
    const ct_syntax *syntax;
    const ct_model *model;
    snprintf(path, sizeof path, DRAFTS "%s.lg", name);
    assert_int_equal(ct_read_file(ctx, path, &syntax), CT_OK);
    if (ct_build(ctx, syntax, NULL, &model) != CT_OK)
        fail_msg("%s is refused: %s", name, ct_diag_at(ctx, 0)->message);
    return model;
}

static const ct_model *read_text(ct_context *ctx, const char *text)
{
    const ct_syntax *syntax;
    const ct_model *model;
    assert_int_equal(ct_read_text(ctx, "text.lg", text, strlen(text), &syntax), CT_OK);
    if (ct_build(ctx, syntax, NULL, &model) != CT_OK)
        fail_msg("refused: %s", ct_diag_at(ctx, 0)->message);
    return model;
}

/* ---- counts */

static const struct counts {
    const char *draft;
    uint32_t bodies, frames, joints, loads, lines, wishes, components; /* with the ground's own */
} counts[] = {
    {"simple_pendulum", 2, 3, 1, 0, 0, 0, 0},
    {"double_pendulum", 3, 7, 2, 0, 0, 4, 0},
    {"inverted_double_pendulum_cart", 6, 10, 5, 1, 0, 3, 0},
    {"quick_return", 6, 15, 7, 0, 0, 0, 0},
    {"slider_crank", 4, 8, 4, 1, 0, 6, 0},
    {"andrews", 8, 27, 10, 1, 1, 7, 2},
    {"n_fourbar", 6, 19, 7, 0, 0, 0, 0},
    {"robot_2link_dcmotors_pd", 3, 7, 2, 0, 0, 0, 6},
    {"parking_gate_reduced", 2, 3, 1, 0, 0, 0, 8},
    {"parking_gate_sixbar", 7, 24, 8, 0, 1, 0, 9},
    {"caraxis", 4, 5, 3, 0, 2, 0, 4},
    {"two_link_vlg", 3, 6, 2, 2, 0, 4, 0},
};

static void drafts_by_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct counts *c = &counts[i];
        ct_context *ctx = ct_context_new(NULL);
        const ct_model *model = read_draft(ctx, c->draft);
        const ct_mechanism *m = model->mechanism;
        assert_non_null(m);
        const uint32_t have[] = {m->body_count,         m->frame_count, m->joint_count,
                                 m->load_count,         m->line_count,  m->wish_count,
                                 model->component_count};
        const uint32_t want[] = {c->bodies, c->frames, c->joints,    c->loads,
                                 c->lines,  c->wishes, c->components};
        for (size_t k = 0; k < sizeof have / sizeof *have; k++)
            if (have[k] != want[k])
                fail_msg("%s: count %zu is %u, not %u", c->draft, k, have[k], want[k]);
        ct_context_free(ctx);
    }
}

/* ---- expressions and names, as the dump shows them */

static const struct line_row {
    const char *draft, *line;
} lines[] = {
    {"simple_pendulum", "gravity [0, -g]"},
    {"simple_pendulum", "body bob: m = m, I = 0, com = [0, 0]"},
    {"simple_pendulum", "frame bob.pin = [-L, 0]"},
    {"simple_pendulum", "joint J1 : revolute(ground, bob.pin)"},
    {"simple_pendulum", "initial J1.w = phidot_0"},
    {"simple_pendulum", "output x : m = bob.x"},
    {"simple_pendulum", "param g : m/s^2 = 9.81"},
    {"simple_pendulum", "param L : m = 1"},
    {"double_pendulum", "tree translational: h8"},
    {"double_pendulum", "tree rotational: body2"},
    {"double_pendulum", "output force_on_body2_at_h8_y : N = h8.F[2]"},
    {"double_pendulum", "output alpha1 : 1/s^2 = body1.alpha"},
    {"inverted_double_pendulum_cart", "particle P1: m = m1"},
    {"inverted_double_pendulum_cart", "joint w1 : weld(arm1.tip, P1)"},
    {"inverted_double_pendulum_cart", "force F1(ground, cart) = [F, 0]"},
    {"inverted_double_pendulum_cart", "tree s5"},
    {"quick_return", "joint h11 : revolute(ground.O1, crankb.A), beta = theta0 + omega*t"},
    {"quick_return", "joint s9 : prismatic(rock.O, block), axis = [1, 0]"},
    {"quick_return", "output s20_ddot : m/s^2 = der(s20.v)"},
    {"andrews", "body K6: m = m6, I = i6, com = [zf - fa, 0]"},
    {"andrews", "torque T(ground, K1) = mom"},
    {"andrews", "line S(ground.C, K3.D), force = S.port.F"},
    {"andrews", "S.port : position_source(ground, S.port.b) x = S.port.length"},
    {"andrews", "S : spring(ground, S.port.b) k = c0, l0 = l0"},
    {"n_fourbar", "frame ground.A2 = [2*L, 0]"},
    {"n_fourbar", "initial arm0.B.v[1] = vB0x_0"},
    {"parking_gate_sixbar", "frame outlink.bar = [-0.5*r3, 0], turn = psi"},
    {"parking_gate_sixbar", "joint J1 : revolute(ground.O1, crank.O), torque = J1.port.T"},
    {"parking_gate_sixbar", "J1.port : angle_source(ground, J1.port.b) theta = J1.beta"},
    {"robot_2link_dcmotors_pd", "joint J2 : revolute(link1.B, link2.B), torque = J2.port.T"},
    {"caraxis", "joint G1 : slot(base, left), axis = [0, 1]"},
    {"caraxis", "joint rod : distance(left, right), length = L"},
    {"caraxis", "initial left.v[2] = yl_dot_0"},
};

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static void drafts_by_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ct_context *ctx = ct_context_new(NULL);
        const char *text;
        assert_int_equal(ct_dump_model(ctx, read_draft(ctx, lines[i].draft), &text), CT_OK);
        if (!has_line(text, lines[i].line))
            fail_msg("%s has no line `%s`", lines[i].draft, lines[i].line);
        ct_context_free(ctx);
    }
}

/* ---- what is read */

static const ct_motion *motion(const ct_model *model, const char *name)
{
    const ct_mechanism *m = model->mechanism;
    uint32_t index = ct_map_get(m->motion_by_name, ct_intern_text(model->ctx, name));
    if (!index || index > m->motion_count)
        fail_msg("nothing reads %s", name);
    assert_string_equal(ct_name_text(model->ctx, m->motion[index - 1].name), name);
    return &m->motion[index - 1];
}

static const char base[] = "space = planar\n"
                           "crank : body m = 1, I = 1 { A = [-1, 0], B = frame([1, 0], 0.5) }\n"
                           "ground { O = [3, 4] }\n"
                           "J1 : revolute(ground.O, crank.A)\n"
                           "block : body m = 1, I = 1\n"
                           "J2 : slot(crank.B, block) axis = [0, 2]\n";

static const struct motion_case {
    const char *output, *symbol;
    ct_motion_kind kind;
    const char *object; /* frame or joint */
    uint32_t axis;
} motions[] = {
    {"crank.x", "crank.x", CT_MOTION_POSITION, "crank", 0},
    {"crank.B.y", "crank.B.y", CT_MOTION_POSITION, "crank.B", 1},
    {"crank.B.r", "crank.B.x", CT_MOTION_POSITION, "crank.B", 0},
    {"crank.v", "crank.v[2]", CT_MOTION_VELOCITY, "crank", 1},
    {"crank.A.a[1]", "crank.A.a[1]", CT_MOTION_ACCELERATION, "crank.A", 0},
    {"crank.B.theta", "crank.B.theta", CT_MOTION_ANGLE, "crank.B", 0},
    {"crank.w", "crank.w", CT_MOTION_SPIN, "crank", 2},
    {"crank.alpha", "crank.alpha", CT_MOTION_SPIN_RATE, "crank", 0},
    {"J1.beta", "J1.beta", CT_MOTION_TURN, "J1", 0},
    {"J1.w", "J1.w", CT_MOTION_TURN_SPEED, "J1", 0},
    {"J1.alpha", "J1.alpha", CT_MOTION_TURN_RATE, "J1", 0},
    {"J2.s", "J2.s", CT_MOTION_SLIDE, "J2", 0},
    {"J2.v", "J2.v", CT_MOTION_SLIDE_SPEED, "J2", 0},
    {"J2.a", "J2.a", CT_MOTION_SLIDE_RATE, "J2", 0},
    {"J1.F", "J1.F[2]", CT_MOTION_REACTION, "J1", 1},
    {"J1.T", "J1.T", CT_MOTION_REACTION_TORQUE, "J1", 2},
    {"kinetic()", "kinetic()", CT_MOTION_KINETIC, NULL, 0},
    {"potential()", "potential()", CT_MOTION_POTENTIAL, NULL, 0},
};

static void each_variable(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        const struct motion_case *c = &motions[i];
        char text[1024];
        snprintf(text, sizeof text, "%soutput %s as y\n", base, c->output);
        ct_context *ctx = ct_context_new(NULL);
        const ct_model *model = read_text(ctx, text);
        const ct_motion *m = motion(model, c->symbol);
        if (m->kind != c->kind || m->axis != c->axis)
            fail_msg("%s: kind %d axis %u", c->output, (int)m->kind, m->axis);
        bool joint = m->kind >= CT_MOTION_TURN && m->kind <= CT_MOTION_DRIVE;
        if (c->object) {
            ct_name name = joint ? model->mechanism->joint[m->object].name
                                 : model->mechanism->frame[m->object].name;
            assert_string_equal(ct_name_text(ctx, name), c->object);
        }
        ct_context_free(ctx);
    }
}

/* What rests with the ground is a value, not a variable. */
static void ground_is_at_rest(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%soutput ground.O.x as x, ground.O.v[1] as v\n", base);
    ct_context *ctx = ct_context_new(NULL);
    const ct_model *model = read_text(ctx, text);
    assert_int_equal(model->mechanism->motion_count, 0);
    assert_float_equal(ct_model_value(model, model->output[0].expr), 3, 0);
    assert_float_equal(ct_model_value(model, model->output[1].expr), 0, 0);
    ct_context_free(ctx);
}

/* ---- ports of several freedoms, drivers, axes of loads */

static void ports_and_drivers(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "%sK : spring(J2) k = 1\nD : torsion_damper(J2.beta) d = 1\n"
             "f1 : force(block, crank.B) F = [1, J1.w*1 N.s], axes = head\n"
             "J3 : revolute(ground, crank.B) w = 2\noutput J3.drive as T\n",
             base);
    ct_context *ctx = ct_context_new(NULL);
    const ct_model *model = read_text(ctx, text);
    const ct_mechanism *m = model->mechanism;
    const ct_joint *slot = &m->joint[1], *driven = &m->joint[2];
    assert_string_equal(ct_name_text(ctx, ct_expr_name(model->pool, slot->load[CT_SLIDE])),
                        "J2.s.port.F");
    assert_string_equal(ct_name_text(ctx, ct_expr_name(model->pool, slot->load[CT_TURN])),
                        "J2.beta.port.T");
    assert_int_equal(m->joint[0].load[CT_TURN], 0);
    assert_float_equal(ct_model_value(model, driven->rate[CT_TURN]), 2, 0);
    assert_int_equal(driven->drive[CT_TURN], 0);
    assert_int_equal(motion(model, "J3.drive")->axis, 0);
    assert_int_equal(m->load[0].axes, m->load[0].head);
    assert_string_equal(ct_name_text(ctx, m->frame[m->load[0].head].name), "crank.B");
    ct_context_free(ctx);
}

/* ---- subsystems: frames go in by ports, names come out with their prefix */

static void subsystems(void **state)
{
    (void)state;
    static const char text[] =
        "space = planar\n"
        "system leg(hip : frame)\n"
        "  param len = 0.4 m\n"
        "  ground { stop = [1, 2] }\n"
        "  thigh : body m = 1, I = 1 { top = [-len/2, 0], knee = [len/2, 0] }\n"
        "  J : revolute(hip, thigh.top)\n"
        "  d : torsion_damper(J) d = 1\n"
        "  output hip.x as place\n"
        "end\n"
        "leg3 : leg(leg2.thigh.knee)\n"
        "leg2 : leg(leg1.hip)\n"
        "leg1 : leg(torso.L) len = 1\n"
        "torso : body m = 1, I = 1 { L = [0, -1] }\n"
        "S : spring(leg1.thigh.top, leg3.thigh.knee) k = 5\n"
        "W : weld(ground, torso)\n"
        "output leg3.J.beta\n";
    ct_context *ctx = ct_context_new(NULL);
    const char *dump;
    assert_int_equal(ct_dump_model(ctx, read_text(ctx, text), &dump), CT_OK);
    static const char *const want[] = {
        "joint leg3.J : revolute(leg2.thigh.knee, leg3.thigh.top), torque = leg3.J.port.T",
        "joint leg2.J : revolute(torso.L, leg2.thigh.top), torque = leg2.J.port.T",
        "frame leg1.ground.stop = [1, 2]",
        "frame leg1.thigh.top = [-0.5*leg1.len, 0]",
        "line S(leg1.thigh.top, leg3.thigh.knee), force = S.port.F",
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!has_line(dump, want[i]))
            fail_msg("no line `%s` in\n%s", want[i], dump);
    ct_context_free(ctx);
}

/* ---- size: linear in the number of bodies */

static void many_bodies(void **state)
{
    (void)state;
    static const char text[] = "space = planar\nconst N = 20000\nparam L = 1\n"
                               "ground { O = [0, 0] }\n"
                               "b0 : body m = 1, I = 1 { A = [-L, 0], B = [L, 0] }\n"
                               "j0 : revolute(ground.O, b0.A)\n"
                               "repeat i = 1..N {\n"
                               "  b{i} : body m = 1, I = 1 { A = [-L, 0], B = [L, 0] }\n"
                               "  j{i} : revolute(b{i-1}.B, b{i}.A) beta(0) = 0\n"
                               "}\n";
    ct_context *ctx = ct_context_new(NULL);
    const ct_mechanism *m = read_text(ctx, text)->mechanism;
    assert_int_equal(m->body_count, 20002);
    assert_int_equal(m->joint_count, 20001);
    assert_int_equal(m->frame_count, 2 + 3 * 20001);
    assert_int_equal(m->frame[m->joint[20000].head].body, 20001);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drafts_by_count),   cmocka_unit_test(drafts_by_line),
        cmocka_unit_test(each_variable),     cmocka_unit_test(ground_is_at_rest),
        cmocka_unit_test(ports_and_drivers), cmocka_unit_test(subsystems),
        cmocka_unit_test(many_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

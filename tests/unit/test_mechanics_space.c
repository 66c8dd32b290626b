/* test_mechanics_space.c - trees of bodies in space against Newton and Euler's equations, body by
 * body in ground axes. */
#include "test_mechanics.h"

#include "mechanics/inside.h"

#define SPACE_TEST(name) cmocka_unit_test_setup_teardown(name, open_pool, close_pool)

enum { LINKS = 9 };

/* ---- vectors and matrices in numbers */

typedef struct v3 {
    double x[3];
} v3;

typedef struct m3 {
    double x[3][3];
} m3;

static v3 sum(v3 a, double f, v3 c)
{
    for (int i = 0; i < 3; i++)
        a.x[i] += f * c.x[i];
    return a;
}

static v3 cross(v3 a, v3 c)
{
    return (v3){{a.x[1] * c.x[2] - a.x[2] * c.x[1], a.x[2] * c.x[0] - a.x[0] * c.x[2],
                 a.x[0] * c.x[1] - a.x[1] * c.x[0]}};
}

static double dot(v3 a, v3 c)
{
    return a.x[0] * c.x[0] + a.x[1] * c.x[1] + a.x[2] * c.x[2];
}

static v3 times(const m3 *a, v3 v)
{
    v3 out = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.x[i] += a->x[i][k] * v.x[k];
    return out;
}

static m3 product(const m3 *a, const m3 *c, bool transposed)
{
    m3 out = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                out.x[i][k] += a->x[i][l] * (transposed ? c->x[k][l] : c->x[l][k]);
    return out;
}

static m3 rotation(v3 e, double angle)
{
    double c = cos(angle), s = sin(angle);
    m3 out;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.x[i][k] = (i == k ? c : 0) + (1 - c) * e.x[i] * e.x[k];
    out.x[0][1] -= s * e.x[2], out.x[1][0] += s * e.x[2];
    out.x[0][2] += s * e.x[1], out.x[2][0] -= s * e.x[1];
    out.x[1][2] -= s * e.x[0], out.x[2][1] += s * e.x[0];
    return out;
}

static v3 numbers_of(const ct_vec3 *v)
{
    return (v3){{fixed(v->c[0]), fixed(v->c[1]), fixed(v->c[2])}};
}

static m3 axes_of(const ct_frame *f)
{
    m3 out = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int k = 0; f->axes && k < 3; k++)
        for (int i = 0; i < 3; i++)
            out.x[i][k] = fixed(f->axes[k].c[i]);
    return out;
}

/* ---- random trees */

static v3 random_vector(void)
{
    return (v3){{random_unit(), random_unit(), random_unit()}};
}

static ct_vec3 vector_of(v3 v)
{
    return (ct_vec3){{num(v.x[0]), num(v.x[1]), num(v.x[2])}};
}

static v3 random_direction(void)
{
    v3 v = random_vector();
    return sum((v3){{0}}, 1 / sqrt(dot(v, v)), v);
}

static v3 random_axis(void)
{
    v3 v = {{0}};
    double pick = random_unit();
    if (pick > 0.4)
        return random_vector();
    v.x[(int)((pick + 1) * 2) % 3] = random_unit() > 0 ? 1 : -1;
    return v;
}

/* Some frames have axes of their own. */
static uint32_t random_frame(uint32_t body)
{
    uint32_t frame = frame_at(body, 0, 0);
    b.frame[frame].at = vector_of(random_vector());
    if (random_unit() > 0)
        return frame;
    m3 turn = rotation(random_direction(), 3 * random_unit());
    ct_vec3 *axes = CT_NEW_ARRAY(b.arena, ct_vec3, 3);
    for (int k = 0; k < 3; k++)
        axes[k] = vector_of((v3){{turn.x[0][k], turn.x[1][k], turn.x[2][k]}});
    b.frame[frame].axes = axes;
    return frame;
}

/* Three point masses and a little: an inertia that a body can have. */
static void random_inertia(ct_body *body)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double tensor[6] = {0.1, 0.1, 0.1, 0, 0, 0};
    for (int n = 0; n < 3; n++) {
        v3 r = random_vector();
        for (int k = 0; k < 6; k++)
            tensor[k] += (k < 3 ? dot(r, r) : 0) - r.x[pairs[k][0]] * r.x[pairs[k][1]];
    }
    for (int k = 0; k < 6; k++)
        body->inertia[k] = num(tensor[k]);
}

static uint32_t parent_of[LINKS + 1]; /* by body */
static bool forward_of[LINKS];        /* by joint: joint i leads to body i + 1 */

static void random_tree(uint32_t links)
{
    static const ct_joint_kind kinds[] = {CT_JOINT_REVOLUTE, CT_JOINT_PRISMATIC, CT_JOINT_REVOLUTE,
                                          CT_JOINT_WELD, CT_JOINT_REVOLUTE};
    begin();
    b.mech.spatial = true;
    b.mech.gravity = vector_of(sum((v3){{0}}, 9.81, random_direction()));
    for (uint32_t i = 0; i < links; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%u", i + 1);
        uint32_t body = body_of(name, 1.5 + random_unit(), 0, 0, 0);
        b.body[body].com = vector_of(random_vector());
        random_inertia(&b.body[body]);
        parent_of[body] = random_unit() > 0 ? i : (uint32_t)((random_unit() + 1) / 2 * (i + 1));
        forward_of[i] = random_unit() > -0.4;
        uint32_t out = random_frame(parent_of[body]), in = random_frame(body);
        snprintf(name, sizeof name, "J%u", i + 1);
        ct_joint_kind kind = i ? kinds[(int)((random_unit() + 1) * 2.5) % 5] : CT_JOINT_REVOLUTE;
        uint32_t j = forward_of[i] ? joint(kind, name, out, in) : joint(kind, name, in, out);
        b.joint[j].axis = b.joint[j].pin[0] = vector_of(random_axis());
        snprintf(name, sizeof name, "J%u.port.T", i + 1);
        if (kind == CT_JOINT_REVOLUTE && random_unit() > 0)
            b.joint[j].load[CT_TURN] = symbol(name);
        if (kind == CT_JOINT_PRISMATIC && random_unit() > 0)
            b.joint[j].load[CT_SLIDE] = symbol(name);
    }
}

/* t^2 times something drives a joint. */
static void drive_one(uint32_t joint_index)
{
    ct_joint *j = &b.joint[joint_index];
    ct_expr t = symbol("t"), value = ct_expr_mul(pool, num(0.8), ct_expr_mul(pool, t, t));
    *(j->kind == CT_JOINT_REVOLUTE ? &j->drive[CT_TURN] : &j->drive[CT_SLIDE]) = value;
    j->load[CT_TURN] = j->load[CT_SLIDE] = 0;
}

/* ---- the independent solution */

typedef struct body_state {
    m3 turn;
    v3 at, spin, velocity, alpha, acceleration; /* of its origin */
    v3 force, moment; /* that it and all beyond it need, about the ground's origin */
} body_state;

typedef struct link {
    double q[3];    /* freedom and its derivatives */
    v3 axis, point; /* in the ground */
} link;

static body_state state[LINKS + 1];
static link links_of[LINKS];

/* At the place r from its origin. */
static v3 speed_at(const body_state *s, v3 r)
{
    return sum(s->velocity, 1, cross(s->spin, r));
}

static v3 acceleration_at(const body_state *s, v3 r)
{
    v3 a = sum(s->acceleration, 1, cross(s->alpha, r));
    return sum(a, 1, cross(s->spin, cross(s->spin, r)));
}

static void move_child(uint32_t i)
{
    const ct_joint *j = &b.joint[i];
    const body_state *p = &state[parent_of[i + 1]];
    body_state *c = &state[i + 1];
    link *l = &links_of[i];
    double sign = forward_of[i] ? 1 : -1;
    const ct_frame *from = &b.frame[forward_of[i] ? j->tail : j->head];
    const ct_frame *to = &b.frame[forward_of[i] ? j->head : j->tail];
    m3 own = axes_of(from), seat = product(&p->turn, &own, false), joint_axes = seat, there;
    v3 e = numbers_of(&j->axis), zero = {{0}};
    e = sum(zero, 1 / sqrt(dot(e, e)), e);
    bool slides = j->kind == CT_JOINT_PRISMATIC, turns = j->kind == CT_JOINT_REVOLUTE;
    l->axis = times(&seat, e);
    m3 turn = rotation(e, turns ? sign * l->q[0] : 0);
    joint_axes = product(&seat, &turn, false);
    there = axes_of(to);
    c->turn = product(&joint_axes, &there, true);
    v3 begin_at = sum(p->at, 1, times(&p->turn, numbers_of(&from->at)));
    v3 end_at = sum(begin_at, slides ? sign * l->q[0] : 0, l->axis);
    c->at = sum(end_at, -1, times(&c->turn, numbers_of(&to->at)));
    l->point = forward_of[i] ? end_at : begin_at; /* of the head */
    v3 r = sum(l->point, -1, p->at), back = sum(c->at, -1, l->point);
    c->spin = sum(p->spin, turns ? sign * l->q[1] : 0, l->axis);
    c->alpha = sum(p->alpha, turns ? sign * l->q[2] : 0, l->axis);
    c->alpha = sum(c->alpha, turns ? sign * l->q[1] : 0, cross(p->spin, l->axis));
    v3 v = sum(speed_at(p, r), slides ? sign * l->q[1] : 0, l->axis);
    v3 a = sum(acceleration_at(p, r), slides ? sign * l->q[2] : 0, l->axis);
    a = sum(a, slides ? sign * 2 * l->q[1] : 0, cross(p->spin, l->axis));
    c->velocity = sum(v, 1, cross(c->spin, back));
    c->acceleration = sum(a, 1, cross(c->alpha, back));
    c->acceleration = sum(c->acceleration, 1, cross(c->spin, cross(c->spin, back)));
}

static m3 inertia_of(uint32_t body)
{
    const ct_expr *e = b.body[body].inertia;
    double x[6];
    for (int k = 0; k < 6; k++)
        x[k] = fixed(e[k]);
    m3 own = {{{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}}};
    m3 half = product(&state[body].turn, &own, false);
    return product(&half, &state[body].turn, true);
}

static double need_of(uint32_t body)
{
    body_state *s = &state[body];
    m3 inertia = inertia_of(body);
    v3 r = times(&s->turn, numbers_of(&b.body[body].com)), spin = s->spin;
    v3 felt = sum(acceleration_at(s, r), -1, numbers_of(&b.mech.gravity)), v = speed_at(s, r);
    double mass = fixed(b.body[body].mass);
    s->force = sum((v3){{0}}, mass, felt);
    s->moment = sum(times(&inertia, s->alpha), 1, cross(spin, times(&inertia, spin)));
    s->moment = sum(s->moment, 1, cross(sum(s->at, 1, r), s->force));
    return 0.5 * (mass * dot(v, v) + dot(spin, times(&inertia, spin)));
}

/* Returns the kinetic energy. */
static double solve_newton_euler(uint32_t links)
{
    double energy = 0;
    state[0] = (body_state){.turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    for (uint32_t i = 0; i < links; i++)
        move_child(i);
    for (uint32_t i = 1; i <= links; i++)
        energy += need_of(i);
    for (uint32_t i = links; i > 0; i--) {
        body_state *p = &state[parent_of[i]];
        p->force = sum(p->force, 1, state[i].force);
        p->moment = sum(p->moment, 1, state[i].moment);
    }
    return energy;
}

/* ---- comparison */

static double worst;

static void expect(ct_expr e, double value, double scale)
{
    worst = fmax(worst, fabs(value_of(e) - value) / (1 + fabs(value) + scale));
}

static void expect_vector(ct_motion_kind kind, uint32_t object, v3 want, double scale)
{
    for (uint32_t k = 0; k < 3; k++)
        expect(asked(kind, object, k), want.x[k], scale);
}

static void read_links(uint32_t links)
{
    static const ct_motion_kind turn[] = {CT_MOTION_TURN, CT_MOTION_TURN_SPEED,
                                          CT_MOTION_TURN_RATE},
                                slide[] = {CT_MOTION_SLIDE, CT_MOTION_SLIDE_SPEED,
                                           CT_MOTION_SLIDE_RATE};
    for (uint32_t i = 0; i < links; i++)
        for (int order = 0; order < 3; order++)
            links_of[i].q[order] =
                b.joint[i].kind == CT_JOINT_REVOLUTE    ? value_of(asked(turn[order], i, 0))
                : b.joint[i].kind == CT_JOINT_PRISMATIC ? value_of(asked(slide[order], i, 0))
                                                        : 0;
}

static void compare_joint(uint32_t i, double scale)
{
    const ct_joint *j = &b.joint[i];
    const link *l = &links_of[i];
    double sign = forward_of[i] ? 1 : -1;
    bool turns = j->kind == CT_JOINT_REVOLUTE, slides = j->kind == CT_JOINT_PRISMATIC;
    bool driven = j->drive[CT_TURN] || j->drive[CT_SLIDE];
    v3 force = sum((v3){{0}}, sign, state[i + 1].force), moment = {{0}};
    moment = sum(moment, sign, sum(state[i + 1].moment, -1, cross(l->point, state[i + 1].force)));
    double about = turns ? dot(l->axis, moment) : slides ? dot(l->axis, force) : 0;
    double load = turns ? fixed(j->load[CT_TURN]) : fixed(j->load[CT_SLIDE]);
    if (driven)
        expect(asked(CT_MOTION_DRIVE, i, slides ? CT_SLIDE : CT_TURN), about, scale);
    else
        worst = fmax(worst, fabs(about - load) / (1 + scale)); /* the equation of motion */
    if (turns)
        moment = sum(moment, -about, l->axis);
    if (slides)
        force = sum(force, -about, l->axis);
    expect_vector(CT_MOTION_REACTION, i, force, scale);
    expect_vector(CT_MOTION_REACTION_TORQUE, i, moment, scale);
}

static void compare_body(uint32_t i, double scale)
{
    const body_state *s = &state[i];
    uint32_t frame = b.mech.frame_count - 1;
    while (b.frame[frame].body != i)
        frame--;
    m3 own = axes_of(&b.frame[frame]), axes = product(&s->turn, &own, false);
    v3 r = times(&s->turn, numbers_of(&b.frame[frame].at));
    expect_vector(CT_MOTION_POSITION, frame, sum(s->at, 1, r), 1);
    expect_vector(CT_MOTION_VELOCITY, frame, speed_at(s, r), 1);
    expect_vector(CT_MOTION_ACCELERATION, frame, acceleration_at(s, r), scale);
    expect_vector(CT_MOTION_SPIN, frame, s->spin, 1);
    expect_vector(CT_MOTION_SPIN_RATE, frame, s->alpha, scale);
    for (uint32_t k = 0; k < 9; k++)
        expect(asked(CT_MOTION_AXES, frame, k), axes.x[k / 3][k % 3], 1);
    for (uint32_t k = 0; k < 3; k++)
        expect(asked(CT_MOTION_SPIN_OWN, frame, k),
               dot(s->spin, (v3){{axes.x[0][k], axes.x[1][k], axes.x[2][k]}}), 1);
}

/* M q'' = Q of the printed equations. */
static void compare_projected(double scale)
{
    ct_pool *fresh = ct_pool_new(ctx), *kept = pool;
    const ct_motion_equations *eq = ct_mechanics_equations(b.m, fresh, b.arena);
    assert_non_null(eq);
    uint32_t n = eq->coordinate_count;
    assert_int_equal(eq->constraint_count, 0);
    double *a = dense(n, 1);
    for (uint32_t i = 0; i < n; i++)
        a[i] = value_of(b.m->coordinate[eq->coordinate[i]].acceleration);
    pool = fresh;
    for (uint32_t i = 0; i < n; i++) {
        double left = -value_of(eq->force[i]);
        for (uint32_t k = eq->mass.start[i]; k < eq->mass.start[i + 1]; k++)
            left += value_of(eq->mass.entry[k]) * a[eq->mass.col[k]];
        worst = fmax(worst, fabs(left) / (1 + scale));
    }
    pool = kept;
    ct_pool_free(fresh);
    free(a);
}

static double compare_tree(uint32_t links)
{
    double scale = 1;
    worst = 0;
    assert_non_null(derive(false));
    assert_int_equal(b.m->constraint_count, 0);
    start_state();
    for (uint32_t i = 0; i < links; i++) {
        add_strangers(b.joint[i].load[CT_TURN]);
        add_strangers(b.joint[i].load[CT_SLIDE]);
    }
    for (uint32_t i = b.q; i < b.extra; i++)
        b.value[i] = 2 * random_unit();
    read_links(links);
    double energy = solve_newton_euler(links);
    for (uint32_t i = 1; i <= links; i++)
        scale = fmax(scale, sqrt(dot(state[i].moment, state[i].moment)));
    for (uint32_t i = 0; i < links; i++)
        compare_joint(i, scale);
    for (uint32_t i = 1; i <= links; i++)
        compare_body(i, scale);
    expect(asked(CT_MOTION_KINETIC, 0, 0), energy, energy);
    compare_projected(scale);
    return worst;
}

static void test_random_trees(void **unused)
{
    (void)unused;
    for (uint32_t links = 1; links <= LINKS; links += 1 + links / 4)
        for (int round = 0; round < (links < 4 ? 6 : 2); round++) {
            random_tree(links);
            assert_true(compare_tree(links) < 1e-9);
            if (links < 3)
                continue;
            random_tree(links);
            for (uint32_t i = 1; i < links; i += 2)
                if (b.joint[i].kind != CT_JOINT_WELD)
                    drive_one(i);
            assert_true(compare_tree(links) < 1e-9);
        }
}

/* Rods along z, joints about y and x in turn. */
static void chain(uint32_t links)
{
    uint32_t from = 0;
    begin();
    b.mech.spatial = true;
    b.mech.gravity = vector_of((v3){{0, 0, -9.81}});
    for (uint32_t i = 0; i < links; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%u", i + 1);
        uint32_t body = body_of(name, 1, 0.001, 0, 0);
        b.body[body].com = vector_of((v3){{0, 0, -0.5}});
        b.body[body].inertia[0] = b.body[body].inertia[1] = ct_expr_ratio(pool, 1, 12);
        snprintf(name, sizeof name, "J%u", i + 1);
        uint32_t j = joint(CT_JOINT_REVOLUTE, name, from, b.body[body].frame);
        b.joint[j].axis = b.joint[j].pin[0] = vector_of((v3){{i % 2, i % 2 == 0, 0}});
        from = frame_at(body, 0, 0);
        b.frame[from].at = vector_of((v3){{0, 0, -1}});
    }
    assert_non_null(derive(false));
}

/* Operations a joint of a chain. */
static void test_counts(void **unused)
{
    (void)unused;
    chain(10);
    uint32_t ten = operations();
    chain(20);
    uint32_t twenty = operations();
    assert_true(twenty - ten <= 10 * 244);
}

/* A point that moves with a mode of its body, too: columns, and what a force does to the mode. */
static void test_modes(void **unused)
{
    (void)unused;
    chain(1);
    mechanics *m = b.m->inside;
    assembly x;
    ct_assembly_init(&x, m, b.arena);
    x.a[1] = ct_sp_unknowns(&x.s, 3);
    x.alpha[1] = ct_sp_unknowns(&x.s, 3);
    uint32_t mode = ct_sp_unknowns(&x.s, 2), row = ct_sp_unknown(&x.s, false);
    vec shape[2] = {ct_mx_unit(m, 0, num(3)), ct_mx_unit(m, 2, num(5))};
    vec turn[2] = {ct_mx_zero(m), ct_mx_unit(m, 1, num(7))};
    point_form p = ct_assembly_rigid_point(&x, 1, ct_mx_unit(m, 2, num(2)));
    p.bias = ct_mx_unit(m, 0, num(11));
    p.shape = shape, p.turn = turn, p.modes = 2, p.mode = mode;
    ct_assembly_put_point(&x, row, &p, ct_mx_unit(m, 0, m->one));
    assert_true(ct_sp_at(&x.s, row, x.a[1]) == m->one);
    assert_true(ct_sp_at(&x.s, row, x.alpha[1] + 1) == num(2)); /* (alpha x 2 e_z)_x */
    assert_true(ct_sp_at(&x.s, row, x.alpha[1]) == 0);
    assert_true(ct_sp_at(&x.s, mode, row) == num(3));
    assert_true(ct_sp_at(&x.s, mode + 1, row) == 0);
    start_state();
    assert_true(value_of(x.s.row.at[row].b) == -11); /* the acceleration inward is along the arm */
    ct_assembly_put_force(&x, &p, ct_mx_unit(m, 2, num(0.5)), ct_mx_unit(m, 1, num(2)));
    assert_true(x.s.row.at[mode].b == m->zero);
    assert_true(value_of(x.s.row.at[mode + 1].b) == 5 * 0.5 + 7 * 2);
    assert_true(value_of(x.s.row.at[x.alpha[1] + 1].b) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(test_random_trees),
        SPACE_TEST(test_counts),
        SPACE_TEST(test_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

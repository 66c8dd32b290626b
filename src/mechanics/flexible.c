/* flexible.c - bodies that change their shape by coordinates q: what they bring into the equations.
 *
 * With h, J, D_k, M of model/mechanism.h about the body's origin, c_k = dh/dq_k, and the origin at
 * d from the reference point, Lagrange's equations of the kinetic energy
 *
 *     T = m v.v/2 + v.(omega x h + h') + omega.J omega/2 + omega.sum D_k q_k' + q'.M q'/2
 *
 * are, besides the terms of a rigid body with this h and J,
 *
 *     force    sum c_k q_k'' + b,    b = sum c_k' q_k' + 2 omega x h'
 *     torque   sum (D_k + d x c_k) q_k'' + d x b + J' omega + omega x sum D_k q_k' + sum D_k' q_k'
 *     q_k      c_k.(a - g) + (D_k + d x c_k).alpha + sum M_kj q_j'' - omega.(dJ/dq_k) omega/2
 *              - (omega x d).(omega x c_k) + omega.sum (dD_k/dq_j - dD_j/dq_k) q_j' + K q + damping
 *
 * exactly: energy changes by the work of loads alone. Derivatives by q are taken of the
 * expressions, so that beams in the plane, in space, and bodies from elsewhere need no code of
 * their own.
 */
#include "mechanics/inside.h"

static const ct_flex *flex_of(const mechanics *m, uint32_t body)
{
    return m->mech->body[body].flex;
}

static ct_expr speed_of(mechanics *m, const ct_flex *f, uint32_t k)
{
    return ct_expr_symbol(m->pool, f->u[k]);
}

static vec slope(mechanics *m, vec v, ct_name q)
{
    for (int i = 0; i < 3; i++)
        v.x[i] = ct_expr_diff(m->pool, v.x[i], q);
    return v;
}

/* Time derivative of what depends on the shape of one body. */
static vec rate(mechanics *m, const ct_flex *f, vec v)
{
    vec sum = ct_mx_zero(m);
    for (uint32_t k = 0; k < f->count; k++)
        sum = ct_mx_vadd(m, sum, ct_mx_scale(m, speed_of(m, f, k), slope(m, v, f->q[k])));
    return sum;
}

vec ct_mech_shape_rate(mechanics *m, uint32_t group, vec local)
{
    vec sum = ct_mx_zero(m);
    uint32_t b = m->group[group].first;
    for (bool more = m->group[group].bends; more; b = m->member[b].next) {
        if (flex_of(m, b))
            sum = ct_mx_vadd(m, sum, rate(m, flex_of(m, b), local));
        more = m->member[b].next;
    }
    return sum;
}

/* A vector in body axes, in those of the unknowns of its group. */
static vec outward(mechanics *m, uint32_t body, vec v)
{
    uint32_t group = m->member[body].group;
    return ct_mx_in(m, ct_mx_rotated(m, v, m->member[body].turn), group, m->axes[group]);
}

/* The spin of its group, in body axes. */
static vec own_spin(mechanics *m, uint32_t body)
{
    uint32_t group = m->member[body].group;
    vec spin = m->group[group].spin;
    if (m->space->turn)
        return spin;
    return ct_mx_rotated(m, ct_mx_in(m, spin, m->axes[group], group),
                         ct_mx_inverse(m, m->member[body].turn));
}

static void inertia_slope(mechanics *m, const ct_flex *f, uint32_t k, ct_expr out[6])
{
    for (int i = 0; i < 6; i++)
        out[i] = m->space->turn && i != 2 ? m->zero : ct_expr_diff(m->pool, f->inertia[i], f->q[k]);
}

/* ---- its motion, in the axes of the unknowns */

typedef struct bent {
    const ct_flex *f;
    vec *c, *spin;     /* c_k, D_k */
    ct_expr *centre;   /* omega.(dJ/dq_k) omega/2 - omega.sum (dD_k/dq_j - dD_j/dq_k) q_j' */
    vec force, torque; /* b; J' omega + omega x sum D_k q_k' + sum D_k' q_k', about the origin */
} bent;

/* omega.sum_j (dD_k/dq_j - dD_j/dq_k) q_j' */
static ct_expr gyroscopic(mechanics *m, const ct_flex *f, uint32_t k, vec spin)
{
    vec own = ct_mx_place(&f->spin[k]), sum = ct_mx_zero(m);
    for (uint32_t j = 0; j < f->count; j++) {
        vec apart =
            ct_mx_vsub(m, slope(m, own, f->q[j]), slope(m, ct_mx_place(&f->spin[j]), f->q[k]));
        sum = ct_mx_vadd(m, sum, ct_mx_scale(m, speed_of(m, f, j), apart));
    }
    return ct_mx_dot(m, spin, sum);
}

static bent bend(mechanics *m, uint32_t body)
{
    const ct_flex *f = flex_of(m, body);
    bent x = {.f = f, .force = ct_mx_zero(m), .torque = ct_mx_zero(m)};
    vec spin = own_spin(m, body), flow = ct_mx_zero(m), turning = flow, momentum = flow;
    ct_expr half = ct_expr_ratio(m->pool, 1, 2);
    x.c = CT_NEW_ARRAY(m->arena, vec, f->count + 1);
    x.spin = CT_NEW_ARRAY(m->arena, vec, f->count + 1);
    x.centre = CT_NEW_ARRAY(m->arena, ct_expr, f->count + 1);
    for (uint32_t k = 0; k < f->count; k++) {
        ct_expr tensor[6], u = speed_of(m, f, k);
        vec c = slope(m, ct_mx_place(&f->moment), f->q[k]), d = ct_mx_place(&f->spin[k]);
        inertia_slope(m, f, k, tensor);
        vec turn = ct_mech_tensor(m, tensor, spin);
        x.c[k] = outward(m, body, c);
        x.spin[k] = outward(m, body, d);
        x.centre[k] =
            ct_mx_sub(m, ct_mx_mul(m, half, ct_mx_dot(m, spin, turn)), gyroscopic(m, f, k, spin));
        flow = ct_mx_vadd(m, flow, ct_mx_scale(m, u, c));
        momentum = ct_mx_vadd(m, momentum, ct_mx_scale(m, u, d));
        x.force = ct_mx_vadd(m, x.force, ct_mx_scale(m, u, rate(m, f, c)));
        turning = ct_mx_vadd(m, turning, ct_mx_scale(m, u, ct_mx_vadd(m, turn, rate(m, f, d))));
    }
    vec across = ct_mx_scale(m, ct_expr_int(m->pool, 2), ct_mx_spun(m, spin, flow));
    if (!m->space->turn)
        turning = ct_mx_vadd(m, turning, ct_mx_cross(m, spin, momentum));
    x.force = outward(m, body, ct_mx_vadd(m, x.force, across));
    x.torque = outward(m, body, turning);
    return x;
}

/* ---- rows */

static ct_expr times_shape(mechanics *m, const ct_flex *f, const ct_expr *matrix, const ct_name *by,
                           uint32_t k)
{
    ct_expr sum = m->zero;
    for (uint32_t j = 0; j < f->count; j++) {
        ct_expr e = matrix[(size_t)k * f->count + j];
        sum = ct_mx_add(m, sum, ct_mx_mul(m, e, ct_expr_symbol(m->pool, by[j])));
    }
    return sum;
}

static void put_mode(assembly *x, uint32_t body, const bent *own, uint32_t k, vec d)
{
    mechanics *m = x->m;
    const ct_flex *f = own->f;
    uint32_t group = m->member[body].group, row = x->mode[body] + k;
    vec spin = ct_mx_vadd(m, own->spin[k], ct_mx_cross(m, d, own->c[k]));
    for (uint32_t i = 0; i < m->space->slides && group; i++)
        ct_sp_put(&x->s, row, x->a[group] + i, own->c[k].x[i]);
    ct_assembly_add_alpha(x, row, group, spin);
    for (uint32_t j = 0; j <= k; j++)
        ct_sp_put(&x->s, row, x->mode[body] + j, f->mass[(size_t)k * f->count + j]);
    if (!group || !m->space->lifts)
        ct_sp_rhs(&x->s, row, ct_mx_dot(m, own->c[k], ct_mx_place(&m->mech->gravity)));
    ct_sp_rhs(&x->s, row, own->centre[k]);
    ct_sp_rhs(&x->s, row, m->space->inward(m, &m->group[group], own->c[k], d));
    ct_sp_rhs(&x->s, row, ct_mx_neg(m, times_shape(m, f, f->stiffness, f->q, k)));
    ct_sp_rhs(&x->s, row, ct_mx_neg(m, times_shape(m, f, f->damping, f->u, k)));
    if (f->force)
        ct_sp_rhs(&x->s, row, f->force[k]);
}

static void put_shape(assembly *x, uint32_t body)
{
    mechanics *m = x->m;
    uint32_t group = m->member[body].group;
    bent own = bend(m, body);
    point_form origin = ct_assembly_rigid_point(x, group, m->member[body].origin);
    for (uint32_t k = 0; k < own.f->count; k++)
        put_mode(x, body, &own, k, origin.arm);
    if (group)
        ct_assembly_put_force(x, &origin, ct_mx_opposite(m, own.force),
                              ct_mx_opposite(m, own.torque));
}

void ct_assembly_shapes(assembly *x, uint32_t group)
{
    mechanics *m = x->m;
    uint32_t b = m->group[group].first;
    for (bool more = m->group[group].bends; more; b = m->member[b].next) {
        if (flex_of(m, b))
            put_shape(x, b);
        more = m->member[b].next;
    }
}

/* ---- the kind */

static uint32_t modes(const mechanics *m, uint32_t body)
{
    return flex_of(m, body)->count;
}

/* How a frame turns with q_k: in the axes of its group. In space about z, then y, then x. */
static vec turn_by(mechanics *m, uint32_t frame, uint32_t k)
{
    const ct_frame *f = &m->mech->frame[frame];
    ct_name q = flex_of(m, f->body)->q[k];
    if (m->space->turn)
        return ct_mx_unit(m, 2, ct_expr_diff(m->pool, m->site[frame].turn.angle, q));
    vec about_y = ct_mx_zero(m);
    if (!f->bend)
        return about_y;
    vec sum = ct_mx_unit(m, 2, ct_expr_diff(m->pool, f->bend->c[2], q));
    about_y.x[0] = ct_mx_neg(m, ct_expr_call1(m->pool, CT_OP_SIN, f->bend->c[2]));
    about_y.x[1] = ct_expr_call1(m->pool, CT_OP_COS, f->bend->c[2]);
    ct_expr y = ct_expr_diff(m->pool, f->bend->c[1], q),
            x = ct_expr_diff(m->pool, f->bend->c[0], q);
    sum = ct_mx_vadd(m, sum, ct_mx_scale(m, y, about_y));
    sum = ct_mx_vadd(m, sum, ct_mx_scale(m, x, ct_mx_place(&f->axes[0])));
    return ct_mx_rotated(m, sum, m->member[f->body].turn);
}

vec ct_mech_section_spin(mechanics *m, const tie *t)
{
    const ct_flex *f = flex_of(m, m->site[t->tail_frame].body);
    vec sum = ct_mx_zero(m);
    for (uint32_t k = 0; k < f->count; k++)
        sum = ct_mx_vadd(m, sum, ct_mx_scale(m, speed_of(m, f, k), turn_by(m, t->tail_frame, k)));
    return sum;
}

/* A frame that moves with the shape: how its place and turn change with q. */
static void point(assembly *x, uint32_t frame, point_form *out)
{
    mechanics *m = x->m;
    const site *s = &m->site[frame];
    const ct_flex *f = flex_of(m, s->body);
    uint32_t axes = m->axes[s->group];
    vec *shape = CT_NEW_ARRAY(m->arena, vec, 2 * (size_t)f->count + 1), *turn = shape + f->count;
    vec flow = rate(m, f, s->at), spin = ct_mx_zero(m);
    *out = ct_assembly_rigid_point(x, s->group, s->at);
    for (uint32_t k = 0; k < f->count; k++) {
        shape[k] = ct_mx_in(m, slope(m, s->at, f->q[k]), s->group, axes);
        turn[k] = ct_mx_in(m, turn_by(m, frame, k), s->group, axes);
        spin = ct_mx_vadd(m, spin, ct_mx_scale(m, speed_of(m, f, k), turn_by(m, frame, k)));
    }
    out->turn_bias = ct_mx_in(m, rate(m, f, spin), s->group, axes);
    spin = ct_mx_in(m, spin, s->group, axes);
    if (!m->space->turn)
        out->turn_bias =
            ct_mx_vadd(m, out->turn_bias, ct_mx_cross(m, m->group[s->group].spin, spin));
    vec across = ct_mx_spun(m, m->group[s->group].spin, ct_mx_in(m, flow, s->group, axes));
    out->bias = ct_mx_vadd(m, ct_mx_scale(m, ct_expr_int(m->pool, 2), across),
                           ct_mx_in(m, rate(m, f, flow), s->group, axes));
    out->shape = shape;
    out->turn = turn;
}

/* Of h and J about another point: the origin is at d from it. */
static void inertia(mechanics *m, uint32_t body, vec about, mass_of *sum)
{
    static const uint8_t cell[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const ct_flex *f = flex_of(m, body);
    const member *of = &m->member[body];
    ct_expr mass = m->mech->body[body].mass, own[6];
    vec d = ct_mx_vsub(m, of->origin, about);
    vec h = ct_mx_rotated(m, ct_mx_place(&f->moment), of->turn);
    vec all = ct_mx_vadd(m, ct_mx_scale(m, mass, d), h), twice = ct_mx_vadd(m, all, h);
    ct_mech_turn_tensor(m, body, f->inertia, own);
    for (uint32_t i = m->space->turn; i < 3; i++)
        for (uint32_t k = i; k < 3; k++) { /* (d.e) 1 - sym(d e), e = m d + 2 h */
            ct_expr *to = &sum->inertia[cell[i][k]], e;
            if (i == k) {
                vec rest = d;
                rest.x[i] = m->zero;
                e = ct_mx_dot(m, rest, twice);
            } else {
                e = ct_mx_add(m, ct_mx_mul(m, d.x[i], all.x[k]), ct_mx_mul(m, h.x[i], d.x[k]));
                e = ct_mx_neg(m, e);
            }
            *to = ct_mx_add(m, *to, ct_mx_add(m, own[cell[i][k]], e));
        }
    sum->mass = ct_mx_add(m, sum->mass, mass);
    sum->moment = ct_mx_vadd(m, sum->moment, all);
}

static ct_expr potential(mechanics *m, uint32_t body)
{
    const ct_flex *f = flex_of(m, body);
    const member *of = &m->member[body];
    vec g = ct_mx_place(&m->mech->gravity), r = ct_mech_position(m, of->group, of->origin);
    vec h = ct_mx_in(m, ct_mx_rotated(m, ct_mx_place(&f->moment), of->turn), of->group, 0);
    vec all = ct_mx_vadd(m, ct_mx_scale(m, m->mech->body[body].mass, r), h);
    ct_expr sum = m->zero;
    for (uint32_t k = 0; k < f->count; k++)
        sum = ct_mx_add(m, sum,
                        ct_mx_mul(m, ct_expr_symbol(m->pool, f->q[k]),
                                  times_shape(m, f, f->stiffness, f->q, k)));
    sum = ct_mx_mul(m, ct_expr_ratio(m->pool, 1, 2), sum);
    if (f->potential)
        sum = ct_mx_add(m, sum, f->potential);
    return ct_mx_sub(m, sum, ct_mx_dot(m, g, all));
}

static ct_expr energy(mechanics *m, uint32_t body, bool kinetic)
{
    if (!kinetic)
        return potential(m, body);
    const ct_flex *f = flex_of(m, body);
    const member *of = &m->member[body];
    vec w = own_spin(m, body), h = ct_mx_place(&f->moment), flow = rate(m, f, h);
    vec v = ct_mech_velocity(m, of->group, of->origin), momentum = ct_mx_zero(m);
    ct_expr two = ct_expr_int(m->pool, 2), sum = m->zero;
    for (uint32_t k = 0; k < f->count; k++) {
        ct_expr u = speed_of(m, f, k);
        momentum = ct_mx_vadd(m, momentum, ct_mx_scale(m, u, ct_mx_place(&f->spin[k])));
        sum = ct_mx_add(m, sum, ct_mx_mul(m, u, times_shape(m, f, f->mass, f->u, k)));
    }
    vec moving = outward(m, body, ct_mx_vadd(m, ct_mx_spun(m, w, h), flow));
    moving = ct_mx_in(m, moving, m->axes[of->group], 0);
    sum = ct_mx_add(m, sum, ct_mx_mul(m, two, ct_mx_dot(m, v, moving)));
    sum = ct_mx_add(m, sum, ct_mx_mul(m, m->mech->body[body].mass, ct_mx_dot(m, v, v)));
    sum = ct_mx_add(m, sum, ct_mx_dot(m, w, ct_mech_tensor(m, f->inertia, w)));
    return ct_mx_add(m, sum, ct_mx_mul(m, two, ct_mx_dot(m, w, momentum)));
}

/* Forces and torques about its origin, in the axes of the unknowns. */
static body_need takes(mechanics *m, uint32_t body)
{
    const ct_flex *f = flex_of(m, body);
    const member *of = &m->member[body];
    uint32_t g = of->group;
    bent own = bend(m, body);
    vec a = ct_fast_felt(m, g, of->origin), alpha = ct_fast_alpha(m, g), inward = ct_mx_zero(m);
    vec h = outward(m, body, ct_mx_place(&f->moment));
    ct_expr tensor[6];
    ct_mech_turn_tensor(m, body, f->inertia, tensor);
    body_need n = {of->origin, own.force, own.torque};
    for (uint32_t i = 0; i < m->space->slides; i++)
        inward.x[i] = m->space->inward(m, &m->group[g], ct_mx_unit(m, i, m->one), h);
    n.force = ct_mx_vadd(m, n.force, ct_mx_scale(m, m->mech->body[body].mass, a));
    n.force = ct_mx_vadd(m, n.force, ct_mx_vsub(m, ct_mx_spun(m, alpha, h), inward));
    n.torque = ct_mx_vadd(m, n.torque, ct_mx_cross(m, h, a));
    n.torque = ct_mx_vadd(m, n.torque, ct_mech_tensor(m, tensor, alpha));
    n.torque = ct_mx_vadd(m, n.torque, ct_mech_gyration(m, tensor, m->group[g].spin));
    for (uint32_t k = 0; k < f->count; k++) {
        ct_expr q = ct_fast_shape_rate(m, body, k);
        n.force = ct_mx_vadd(m, n.force, ct_mx_scale(m, q, own.c[k]));
        n.torque = ct_mx_vadd(m, n.torque, ct_mx_scale(m, q, own.spin[k]));
    }
    return n;
}

const body_kind ct_flexible_kind = {true, modes, point, inertia, energy, takes};

/* kinds.c - kinds of bodies, one row each: what a body of that kind brings into the equations.
 *
 * A rigid body has mass and inertia, a particle mass alone: it has no axes. Both keep their shape:
 * they have no modes.
 */
#include "mechanics/inside.h"

static uint32_t no_modes(const mechanics *m, uint32_t body)
{
    (void)m;
    (void)body;
    return 0;
}

static void rigid_point(assembly *x, uint32_t frame, point_form *out)
{
    *out = ct_assembly_rigid_point(x, x->m->site[frame].group, x->m->site[frame].at);
}

/* ---- particles */

static void point_inertia(mechanics *m, uint32_t b, vec about, mass_of *sum)
{
    const ct_body *body = &m->mech->body[b];
    vec way = ct_mx_vsub(m, m->member[b].com, about);
    ct_expr shifted = ct_mx_mul(m, body->mass, ct_mx_dot(m, way, way));
    sum->mass = ct_mx_add(m, sum->mass, body->mass);
    sum->moment = ct_mx_vadd(m, sum->moment, ct_mx_scale(m, body->mass, way));
    sum->inertia = ct_mx_add(m, sum->inertia, shifted);
}

/* m v.v, or -m g.r */
static ct_expr point_energy(mechanics *m, uint32_t body, bool kinetic)
{
    const member *of = &m->member[body];
    ct_expr mass = m->mech->body[body].mass;
    if (!kinetic) {
        vec p = ct_mech_position(m, of->group, of->com), g = ct_mx_place(&m->mech->gravity);
        return ct_mx_neg(m, ct_mx_mul(m, mass, ct_mx_dot(m, g, p)));
    }
    vec v = ct_mech_velocity(m, of->group, of->com);
    return ct_mx_mul(m, mass, ct_mx_dot(m, v, v));
}

static vec no_torque(mechanics *m, uint32_t body)
{
    (void)body;
    return ct_mx_zero(m);
}

/* ---- rigid bodies */

static void rigid_inertia(mechanics *m, uint32_t b, vec about, mass_of *sum)
{
    const ct_body *body = &m->mech->body[b];
    vec way = ct_mx_vsub(m, m->member[b].com, about);
    ct_expr shifted = ct_mx_mul(m, body->mass, ct_mx_dot(m, way, way));
    sum->mass = ct_mx_add(m, sum->mass, body->mass);
    sum->moment = ct_mx_vadd(m, sum->moment, ct_mx_scale(m, body->mass, way));
    sum->inertia = ct_mx_add(m, sum->inertia, ct_mx_add(m, body->inertia[2], shifted));
}

/* m v.v + I omega^2 */
static ct_expr rigid_energy(mechanics *m, uint32_t body, bool kinetic)
{
    ct_expr energy = point_energy(m, body, kinetic);
    ct_expr spin = m->group[m->member[body].group].spin_square;
    return kinetic ? ct_mx_add(m, energy, ct_mx_mul(m, m->mech->body[body].inertia[2], spin))
                   : energy;
}

/* I alpha [McPhee-2, eq. 76] */
static vec rigid_torque(mechanics *m, uint32_t body)
{
    vec alpha = ct_fast_alpha(m, m->member[body].group);
    return ct_mx_unit(m, 2, ct_mx_mul(m, m->mech->body[body].inertia[2], alpha.x[2]));
}

static const body_kind rigid_kind = {true,          no_modes,     rigid_point,
                                     rigid_inertia, rigid_energy, rigid_torque},
                       particle_kind = {false,         no_modes,     rigid_point,
                                        point_inertia, point_energy, no_torque};

const body_kind *ct_mech_kind(const mechanics *m, uint32_t body)
{
    return m->mech->body[body].particle ? &particle_kind : &rigid_kind;
}

/* kinds.c - kinds of bodies, one row each: what a body of that kind brings into the equations.
 *
 * A rigid body has mass and inertia, a particle mass alone: it has no axes.
 */
#include "mechanics/inside.h"

static ct_expr no_inertia(const mechanics *m, const ct_body *body)
{
    (void)body;
    return m->zero;
}

static ct_expr own_inertia(const mechanics *m, const ct_body *body)
{
    (void)m;
    return body->inertia[2];
}

/* m v.v */
static ct_expr point_energy(mechanics *m, uint32_t body)
{
    vec v = ct_mech_velocity(m, m->member[body].group, m->member[body].com);
    return ct_mx_mul(m, m->mech->body[body].mass, ct_mx_dot(m, v, v));
}

/* m v.v + I omega^2 */
static ct_expr rigid_energy(mechanics *m, uint32_t body)
{
    ct_expr spin = m->group[m->member[body].group].spin_square;
    return ct_mx_add(m, point_energy(m, body), ct_mx_mul(m, m->mech->body[body].inertia[2], spin));
}

static ct_expr no_torque(mechanics *m, uint32_t body)
{
    (void)body;
    return m->zero;
}

/* I alpha [McPhee-2, eq. 76] */
static ct_expr rigid_torque(mechanics *m, uint32_t body)
{
    return ct_mx_mul(m, m->mech->body[body].inertia[2],
                     ct_fast_alpha(m, m->member[body].group).x[2]);
}

static const body_kind rigid_kind = {true, own_inertia, rigid_energy, rigid_torque},
                       particle_kind = {false, no_inertia, point_energy, no_torque};

const body_kind *ct_mech_kind(const mechanics *m, uint32_t body)
{
    return m->mech->body[body].particle ? &particle_kind : &rigid_kind;
}

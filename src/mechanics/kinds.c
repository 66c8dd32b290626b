/* kinds.c - kinds of bodies, one row each: what a body of that kind brings into the equations.
 *
 * A rigid body has mass and inertia, a particle mass alone: it has no axes. Both keep their shape:
 * they have no modes. Those that do not are in flexible.c.
 */
#include <string.h>

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

/* ---- tensors: xx yy zz xy xz yz, symmetric */

typedef struct tensor {
    ct_expr x[6];
} tensor;

static const uint8_t cell[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

vec ct_mech_tensor(mechanics *m, const ct_expr *of, vec v)
{
    vec out = ct_mx_zero(m);
    for (uint32_t i = m->space->turn; i < 3; i++)
        for (uint32_t k = m->space->turn; k < 3; k++)
            out.x[i] = ct_mx_add(m, out.x[i], ct_mx_mul(m, of[cell[i][k]], v.x[k]));
    return out;
}

vec ct_mech_gyration(mechanics *m, const ct_expr *of, vec spin)
{
    return m->space->turn ? ct_mx_zero(m) : ct_mx_cross(m, spin, ct_mech_tensor(m, of, spin));
}

/* A I A^T, A: the body's axes in those of its group; the plane has one component, which stays. */
void ct_mech_turn_tensor(mechanics *m, uint32_t b, const ct_expr *own, ct_expr *out)
{
    const vec *axes = m->member[b].turn.axes;
    if (!axes) {
        memcpy(out, own, 6 * sizeof *out);
        return;
    }
    attitude turn = m->member[b].turn, back = ct_mx_inverse(m, turn);
    for (uint32_t k = 0; k < 3; k++) {
        vec column = ct_mx_rotated(m, ct_mech_tensor(m, own, back.axes[k]), turn);
        for (uint32_t i = 0; i < 3; i++)
            out[cell[i][k]] = column.x[i];
    }
}

static tensor own_inertia(mechanics *m, uint32_t b)
{
    tensor out;
    ct_mech_turn_tensor(m, b, m->mech->body[b].inertia, out.x);
    return out;
}

/* ---- particles */

/* m (r.r 1 - r r), for the components that the space has */
static ct_expr shifted(mechanics *m, ct_expr mass, vec way, uint32_t i, uint32_t k)
{
    if (i != k)
        return ct_mx_neg(m, ct_mx_mul(m, mass, ct_mx_mul(m, way.x[i], way.x[k])));
    way.x[i] = m->zero;
    return ct_mx_mul(m, mass, ct_mx_dot(m, way, way));
}

static void add_inertia(mechanics *m, uint32_t b, vec about, const tensor *own, mass_of *sum)
{
    const ct_body *body = &m->mech->body[b];
    vec way = ct_mx_vsub(m, m->member[b].com, about);
    for (uint32_t i = m->space->turn; i < 3; i++)
        for (uint32_t k = i; k < 3; k++) {
            ct_expr e = shifted(m, body->mass, way, i, k), *to = &sum->inertia[cell[i][k]];
            e = own ? ct_mx_add(m, own->x[cell[i][k]], e) : e;
            *to = ct_mx_add(m, *to, e);
        }
    sum->mass = ct_mx_add(m, sum->mass, body->mass);
    sum->moment = ct_mx_vadd(m, sum->moment, ct_mx_scale(m, body->mass, way));
}

static void point_inertia(mechanics *m, uint32_t body, vec about, mass_of *sum)
{
    add_inertia(m, body, about, NULL, sum);
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

static body_need point_takes(mechanics *m, uint32_t body)
{
    const member *of = &m->member[body];
    vec force = ct_mx_scale(m, m->mech->body[body].mass, ct_fast_felt(m, of->group, of->com));
    return (body_need){of->com, force, ct_mx_zero(m)};
}

/* ---- rigid bodies */

static void rigid_inertia(mechanics *m, uint32_t body, vec about, mass_of *sum)
{
    tensor own = own_inertia(m, body);
    add_inertia(m, body, about, &own, sum);
}

/* m v.v + omega.I omega */
static ct_expr rigid_energy(mechanics *m, uint32_t body, bool kinetic)
{
    const rigid *g = &m->group[m->member[body].group];
    ct_expr energy = point_energy(m, body, kinetic);
    if (!kinetic)
        return energy;
    tensor own = own_inertia(m, body);
    ct_expr turning = m->space->turn ? ct_mx_mul(m, own.x[2], g->square[0])
                                     : ct_mx_dot(m, g->spin, ct_mech_tensor(m, own.x, g->spin));
    return ct_mx_add(m, energy, turning);
}

/* I alpha + omega x I omega [McPhee-2, eq. 76] */
static body_need rigid_takes(mechanics *m, uint32_t body)
{
    uint32_t group = m->member[body].group;
    body_need n = point_takes(m, body);
    tensor own = own_inertia(m, body);
    n.torque = ct_mx_vadd(m, ct_mech_tensor(m, own.x, ct_fast_alpha(m, group)),
                          ct_mech_gyration(m, own.x, m->group[group].spin));
    return n;
}

static const body_kind rigid_kind = {true,          no_modes,     rigid_point,
                                     rigid_inertia, rigid_energy, rigid_takes},
                       particle_kind = {false,         no_modes,     rigid_point,
                                        point_inertia, point_energy, point_takes};

const body_kind *ct_mech_kind(const mechanics *m, uint32_t body)
{
    const ct_body *b = &m->mech->body[body];
    return b->flex ? &ct_flexible_kind : b->particle ? &particle_kind : &rigid_kind;
}

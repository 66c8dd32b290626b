/* fe_form.c - a body of finite elements as a body: what its mass, its stiffness and its frames are,
 * as expressions of its coordinates q.
 *
 * With nodes at x + u, u = Phi q, velocities of all nodes in the axes of the body are, for a
 * velocity v and a spin omega of the body,
 *
 *     V = R_t v + R_r omega + S(omega) Phi q + Phi q'
 *
 * where S turns displacements and turns of each node: omega x. Twice the kinetic energy is V.M V;
 * its integrals are products of these columns and the mass matrix. The mass of nodes counts where
 * the nodes are: it does not matter what elements there are.
 *
 * A body whose nodes have no z lies in the plane z = 0 of its axes. In space it keeps the shapes of
 * the plane, and weighs across it what it weighs along x: as it turns about x and y, the way of
 * nodes along z stands in place of that along x. Its sections are as heavy about x and y as they
 * are about z, so that a straight line of them turns about itself, too.
 */
#include <math.h>
#include <string.h>

#include "model/fe.h"

static const double rounding = 1e-12; /* of sums over nodes that vanish */
static const double a_length = 1e-3;  /* what sums are measured by: meters */

typedef struct forming {
    builder *b;
    ct_pool *pool;
    const struct ct_fe_data *fe;
    uint32_t n, m;           /* degrees of freedom, shapes */
    bool plate;              /* flat, in space */
    double thick;            /* inertia of sections of a flat body about x, and about y */
    double *rigid[6];        /* columns R_t, R_r */
    double *turned[3];       /* S_e Phi, shape by shape */
    double *heavy[6];        /* M R */
    double *heavy_turned[3]; /* M S_e Phi */
    double *heavy_shape;     /* M Phi */
    ct_expr zero;
} forming;

static double dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ---- numbers: what vanishes by symmetry is zero, not rounding */

static ct_expr number(const forming *f, double value, double size)
{
    return fabs(value) <= rounding * size ? f->zero : ct_expr_real(f->pool, value);
}

static void add(const forming *f, ct_expr *sum, ct_expr a)
{
    *sum = ct_expr_add(f->pool, *sum, a);
}

static ct_expr coordinate(const forming *f, uint32_t k)
{
    return ct_expr_symbol(f->pool, f->fe->q[k]);
}

/* ---- columns */

static double *times_mass(const forming *f, const double *x, uint32_t count)
{
    double *y = CT_NEW_ARRAY(f->b->scratch, double, (size_t)f->n *count + 1);
    for (uint32_t i = 0; i < count; i++)
        ct_symmetric_times(&f->fe->mass, x + (size_t)i * f->n, y + (size_t)i * f->n);
    return y;
}

/* e x (displacements) and e x (turns), node by node */
static double *turn_shapes(const forming *f, uint32_t e)
{
    const ct_fe_mesh *mesh = &f->fe->mesh;
    double *out = CT_NEW_ARRAY(f->b->scratch, double, (size_t)f->n * f->m + 1);
    uint32_t u = (e + 1) % 3, v = (e + 2) % 3, slides = ct_fe_slides(mesh);
    for (size_t at = 0; at < (size_t)f->n * f->m; at += mesh->freedoms)
        for (uint32_t k = 0; k + slides <= mesh->freedoms; k += 3) {
            const double *from = f->fe->shape.at + at + k;
            bool deep = mesh->spatial;
            if (!deep && (k || e != 2))
                continue;
            out[at + k + u] = -(deep || v < 2 ? from[v] : 0);
            if (deep || v < 2)
                out[at + k + v] = from[u];
        }
    return out;
}

/* Ways along z by a turn about x (axis 0) or y, in place of those along x: y, or -x. */
static void lift(const forming *f, uint32_t axis, const double *from, uint32_t count, double *out)
{
    uint32_t step = f->fe->mesh.freedoms;
    for (size_t at = 0; at < (size_t)f->n * count; at += step)
        out[at] = axis == 0 ? from[at + 1] : -from[at];
}

static void lift_columns(forming *f)
{
    double *place = CT_NEW_ARRAY(f->b->scratch, double, f->n + 1);
    for (uint32_t i = 0; i < f->n; i++)
        place[i] = i % f->fe->mesh.freedoms < 2
                       ? f->fe->mesh.at[i / f->fe->mesh.freedoms][i % f->fe->mesh.freedoms]
                       : 0;
    for (uint32_t e = 0; e < 2; e++) {
        lift(f, e, place, 1, f->rigid[3 + e]);
        lift(f, e, f->fe->shape.at, f->m, f->turned[e]);
        f->heavy[3 + e] = times_mass(f, f->rigid[3 + e], 1);
        f->heavy_turned[e] = times_mass(f, f->turned[e], f->m);
    }
}

/* About these two axes at once nothing moves in both. */
static bool is_apart(const forming *f, uint32_t e, uint32_t g)
{
    return f->plate && (e == 2) != (g == 2);
}

static void make_columns(forming *f)
{
    static const double origin[3];
    for (uint32_t i = 0; i < 6; i++) {
        bool used = f->fe->mesh.spatial || i < 2 || i == 5;
        f->rigid[i] = CT_NEW_ARRAY(f->b->scratch, double, f->n + 1);
        if (used)
            ct_fe_rigid(&f->fe->mesh, i >= 3, i % 3, origin, f->rigid[i]);
        f->heavy[i] = times_mass(f, f->rigid[i], 1);
    }
    for (uint32_t e = 0; e < 3; e++) {
        f->turned[e] = turn_shapes(f, e);
        f->heavy_turned[e] = times_mass(f, f->turned[e], f->m);
    }
    f->heavy_shape = times_mass(f, f->fe->shape.at, f->m);
    if (f->plate)
        lift_columns(f);
}

/* ---- integrals */

/* The body as it is unbent, about its origin. */
static double rigid_inertia(const forming *f, uint32_t e, uint32_t g)
{
    return is_apart(f, e, g)
               ? 0
               : dot(f->rigid[3 + e], f->heavy[3 + g], f->n) + (e == g && e < 2 ? f->thick : 0);
}

/* About z a sheet without sections is as heavy as about x and y together. Nodes on a line that do
 * not turn tell nothing about themselves: it is then as a body whose inertia is one number. */
static void find_thickness(forming *f, const double h[3], double mass)
{
    double about[3], size, across = rigid_inertia(f, 0, 1) + h[0] * h[1] / mass;
    for (uint32_t e = 0; e < 3; e++)
        about[e] =
            rigid_inertia(f, e, e) - (h[0] * h[0] + h[1] * h[1] + h[2] * h[2] - h[e] * h[e]) / mass;
    size = about[2];
    f->thick = about[2] - about[0] - about[1];
    if (f->thick > rounding * size)
        return;
    bool line = about[0] * about[1] - across * across <= rounding * size * size;
    f->thick = line ? size : 0;
}

static void form_moment(const forming *f, const double h[3], double mass, ct_vec3 *out)
{
    for (uint32_t i = 0; i < 3; i++) {
        out->c[i] = number(f, h[i], mass * a_length);
        for (uint32_t k = 0; k < f->m; k++) {
            double c = dot(f->rigid[i], f->heavy_shape + (size_t)k * f->n, f->n);
            add(f, &out->c[i], ct_expr_mul(f->pool, number(f, c, mass), coordinate(f, k)));
        }
    }
}

/* J_ef = (R_e + S_e Phi q).M (R_f + S_f Phi q) */
static ct_expr form_inertia(const forming *f, uint32_t e, uint32_t g, double size, double mass)
{
    if (is_apart(f, e, g))
        return f->zero;
    ct_expr sum = number(f, rigid_inertia(f, e, g), size);
    double length = sqrt(size / mass);
    for (uint32_t k = 0; k < f->m; k++) {
        size_t at = (size_t)k * f->n;
        double first = dot(f->heavy[3 + e], f->turned[g] + at, f->n) +
                       dot(f->heavy[3 + g], f->turned[e] + at, f->n);
        ct_expr inner = number(f, first, mass * length);
        for (uint32_t l = 0; l <= k; l++) {
            size_t to = (size_t)l * f->n;
            double both = dot(f->heavy_turned[e] + at, f->turned[g] + to, f->n);
            if (l != k)
                both += dot(f->heavy_turned[e] + to, f->turned[g] + at, f->n);
            add(f, &inner, ct_expr_mul(f->pool, number(f, both, mass), coordinate(f, l)));
        }
        add(f, &sum, ct_expr_mul(f->pool, inner, coordinate(f, k)));
    }
    return sum;
}

static void form_spin(const forming *f, uint32_t k, double size, double mass, ct_vec3 *d)
{
    const double *own = f->heavy_shape + (size_t)k * f->n;
    for (uint32_t e = 0; e < 3; e++) {
        bool none = f->plate && e < 2;
        d->c[e] = none ? f->zero : number(f, dot(f->rigid[3 + e], own, f->n), sqrt(size * mass));
        for (uint32_t l = 0; l < f->m && !none; l++) {
            double share = dot(f->turned[e] + (size_t)l * f->n, own, f->n);
            add(f, &d->c[e], ct_expr_mul(f->pool, number(f, share, mass), coordinate(f, l)));
        }
    }
}

/* ---- as if it were rigid */

static const uint8_t tensor_at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

static void form_straight(const forming *f, const double h[3], double mass, ct_body *body)
{
    body->mass = ct_expr_real(f->pool, mass);
    for (uint32_t i = 0; i < 3; i++)
        body->com.c[i] = number(f, h[i] / mass, a_length);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = i; k < 3; k++) {
            double own = rigid_inertia(f, i, k);
            double square = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
            own -= (i == k ? square - h[i] * h[i] : -h[i] * h[k]) / mass;
            body->inertia[tensor_at[i][k]] = number(f, own, a_length * mass);
        }
}

static void form_matrices(const forming *f, ct_flex *flex)
{
    size_t size = (size_t)f->m * f->m;
    ct_expr *mass = CT_NEW_ARRAY(f->b->arena, ct_expr, 3 * size + 1), *stiffness = mass + size,
            *damping = stiffness + size;
    double *y = CT_NEW_ARRAY(f->b->scratch, double, f->n + 1);
    for (size_t i = 0; i < 3 * size; i++)
        mass[i] = f->zero;
    for (uint32_t k = 0; k < f->m; k++) {
        const double *x = f->fe->shape.at + (size_t)k * f->n;
        size_t at = (size_t)k * (f->m + 1);
        ct_symmetric_times(&f->fe->stiffness, x, y);
        mass[at] = ct_expr_real(f->pool, f->fe->mass_of[k]);
        stiffness[at] = ct_expr_real(f->pool, dot(x, y, f->n));
        damping[at] = ct_expr_mul(f->pool, f->fe->damping, stiffness[at]);
    }
    flex->mass = mass, flex->stiffness = stiffness, flex->damping = damping;
}

/* ---- frames */

ct_section ct_fe_section(builder *b, const struct ct_fe_data *fe, const ct_fe_frame *frame)
{
    forming form = {.b = b, .pool = b->pool, .fe = fe, .zero = ct_expr_int(b->pool, 0)};
    ct_section out;
    for (uint32_t i = 0; i < 3; i++) {
        out.at.c[i] = ct_expr_real(b->pool, frame->at[i]);
        out.turn.c[i] = form.zero;
    }
    for (uint32_t k = 0; k < fe->shape.count; k++) {
        double motion[6];
        ct_fe_motion(&fe->mesh, frame, fe->shape.at + (size_t)k * fe->mesh.size, motion);
        for (uint32_t i = 0; i < 6; i++) {
            ct_expr *to = i < 3 ? &out.at.c[i] : &out.turn.c[i - 3];
            add(&form, to, ct_expr_mul(b->pool, number(&form, motion[i], 1), coordinate(&form, k)));
        }
    }
    return out;
}

/* ---- pictures: a line through the nodes, where each is connected with the next */

enum { MOST_DRAWN = 60 };

static bool is_chain(const struct ct_fe_data *fe)
{
    const ct_symmetric *k = &fe->stiffness;
    uint32_t d = fe->mesh.freedoms;
    for (uint32_t i = 1; i < fe->mesh.count; i++) {
        bool linked = false;
        for (uint32_t c = i * d; c < (i + 1) * d; c++)
            for (int e = k->start[c]; e < k->start[c + 1]; e++)
                linked |= (uint32_t)k->row[e] / d == i - 1 && k->value[e] != 0;
        if (!linked)
            return false;
    }
    return fe->mesh.count > 1;
}

static void add_line(builder *b, const struct ct_fe_data *fe, const ct_body *body, ct_flex *flex)
{
    uint32_t count = fe->mesh.count < MOST_DRAWN ? fe->mesh.count : MOST_DRAWN;
    flex->line = b->mech->frame.count;
    if (!is_chain(fe))
        return;
    flex->line_count = count;
    double *fit = CT_NEW_ARRAY(b->scratch, double, 36);
    for (int k = 0; k < 6; k++)
        fit[7 * k] = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = (uint32_t)((uint64_t)i * (fe->mesh.count - 1) / (count - 1));
        ct_fe_frame at = {.node = &node, .count = 1, .fit = fit};
        memcpy(at.at, fe->mesh.at[node], sizeof at.at);
        ct_section s = ct_fe_section(b, fe, &at);
        ct_frame f = {.name = body->name, .body = fe->index, .at = s.at, .place = body->place};
        f.turn = b->mech->spatial ? ct_expr_int(b->pool, 0) : s.turn.c[2];
        CT_PUSH(b->arena, b->mech->frame, f);
        CT_PUSH(b->scratch, b->mech->frame_part, (part){.state = ENTRY_DONE});
    }
}

/* ---- all of it */

static void name_coordinates(const forming *f, struct ct_fe_data *fe, const ct_body *body,
                             ct_flex *flex)
{
    ct_name *q = CT_NEW_ARRAY(f->b->arena, ct_name, 2 * f->m + 1);
    for (uint32_t i = 0; i < f->m; i++) {
        q[i] = ct_own_entry(f->b, body->name, "q", i);
        q[f->m + i] = ct_own_entry(f->b, body->name, "qdot", i);
    }
    flex->count = f->m;
    flex->q = fe->q = q;
    flex->u = q + f->m;
    flex->angle = CT_NEW_ARRAY(f->b->arena, bool, f->m + 1);
}

void ct_form_fe(builder *b, struct ct_fe_data *fe, ct_body *body)
{
    forming f = {.b = b,
                 .pool = b->pool,
                 .fe = fe,
                 .n = fe->mesh.size,
                 .m = fe->shape.count,
                 .plate = b->mech->spatial && !fe->mesh.spatial,
                 .zero = ct_expr_int(b->pool, 0)};
    ct_flex *flex = CT_NEW(b->arena, ct_flex);
    ct_vec3 *spin = CT_NEW_ARRAY(b->arena, ct_vec3, f.m + 1);
    name_coordinates(&f, fe, body, flex);
    make_columns(&f);
    double mass = dot(f.rigid[0], f.heavy[0], f.n), size = 0, h[3];
    for (uint32_t i = 0; i < 3; i++) { /* v.(omega x h): along u, about v */
        uint32_t u = (i + 1) % 3, v = (i + 2) % 3;
        bool deep = fe->mesh.spatial;
        h[i] = deep || i == 0 ? dot(f.rigid[u], f.heavy[3 + v], f.n)
               : i == 1       ? -dot(f.rigid[0], f.heavy[5], f.n)
                              : 0;
        size = fmax(size, dot(f.rigid[3 + i], f.heavy[3 + i], f.n));
    }
    if (f.plate)
        find_thickness(&f, h, mass);
    form_moment(&f, h, mass, &flex->moment);
    for (uint32_t e = 0; e < 3; e++)
        for (uint32_t g = e; g < 3; g++)
            flex->inertia[tensor_at[e][g]] = form_inertia(&f, e, g, size, mass);
    for (uint32_t k = 0; k < f.m; k++)
        form_spin(&f, k, size, mass, &spin[k]);
    flex->spin = spin;
    form_matrices(&f, flex);
    form_straight(&f, h, mass, body);
    add_line(b, fe, body, flex);
    body->flex = flex;
}

/* flexible_form.c - the beam as a body: what its mass, its stiffness and its sections are, as
 * expressions of its coordinates q.
 *
 * In the axes of the body a point of the axis is at p = x + f q - e_x/2 integral of w'^2 (the
 * foreshortening), w the deflections; its section has turned by (twist, -w_z', w_y'). Kinetic
 * energy is kept to the second order in q and q':
 *
 *     T = m v.v/2 + v.(omega x h + h') + omega.J omega/2 + omega.sum D_k q_k' + q'.M q'/2
 *
 * with h the integral of rho A p, J and D_k those of p and of p x dp/dq_k, and of the turning
 * sections.
 */
#include <math.h>

#include "model/flexible.h"

typedef struct forming {
    builder *b;
    ct_pool *pool;
    const struct ct_beam_data *beam;
    ct_expr mass, zero; /* rho A L */
} forming;

/* ---- numbers */

static const double rounding = 2e-14;
static const double nearly_whole = 1e-9, whole_rest = 1e-12;

/* Integrals of polynomials are ratios of whole numbers: the first fraction that is near enough. */
static ct_expr number(ct_pool *pool, double value, bool exact)
{
    double rest = fabs(value), den[2] = {0, 1}, num[2] = {1, 0};
    if (fabs(value) < rounding)
        return ct_expr_int(pool, 0);
    for (int i = 0; exact && i < 20; i++) {
        double whole = floor(rest + nearly_whole),
               next[2] = {whole * num[0] + num[1], whole * den[0] + den[1]};
        if (i == 0)
            next[0] = whole, next[1] = 1, num[1] = 1, den[1] = 0;
        else
            num[1] = num[0], den[1] = den[0];
        num[0] = next[0], den[0] = next[1];
        if (den[0] > 1e7 || num[0] > 1e12)
            break;
        if (fabs(num[0] / den[0] - fabs(value)) <= rounding * fabs(value))
            return ct_expr_ratio(pool, (int64_t)(value < 0 ? -num[0] : num[0]), (int64_t)den[0]);
        if (rest - whole < whole_rest)
            break;
        rest = 1 / (rest - whole);
    }
    return ct_expr_real(pool, value);
}

static ct_expr integral(const forming *f, const ct_bend *a, const ct_bend *c, int derivative,
                        ct_basis_weight weight)
{
    double value = ct_basis_integral(a->shape, c ? c->shape : NULL, derivative, weight, 1);
    return number(f->pool, value, a->exact && (!c || c->exact));
}

static ct_expr times(const forming *f, ct_expr a, ct_expr c)
{
    return ct_expr_mul(f->pool, a, c);
}

static ct_expr over(const forming *f, ct_expr a, ct_expr c)
{
    return ct_expr_div(f->pool, a, c);
}

static void add(const forming *f, ct_expr *sum, ct_expr a)
{
    *sum = ct_expr_add(f->pool, *sum, a);
}

static ct_expr half(const forming *f, ct_expr a)
{
    return times(f, ct_expr_ratio(f->pool, 1, 2), a);
}

static ct_expr second_of(const struct ct_beam_data *beam, ct_way way)
{
    return beam->second[way == CT_WAY_Z];
}

static bool bends(ct_way way)
{
    return way == CT_WAY_Y || way == CT_WAY_Z;
}

static bool shortens(const struct ct_beam_data *beam, const ct_bend *a, const ct_bend *c)
{
    return beam->stiffening && bends(a->way) && a->way == c->way;
}

/* ---- mass */

/* h: integral of rho A p */
static void form_moment(const forming *f, ct_vec3 *h)
{
    const struct ct_beam_data *beam = f->beam;
    h->c[0] = half(f, times(f, f->mass, beam->length));
    h->c[1] = h->c[2] = f->zero;
    for (uint32_t i = 0; i < beam->count; i++) {
        const ct_bend *a = &beam->coordinate[i];
        if (a->way != CT_WAY_TWIST)
            add(f, &h->c[a->way],
                times(f, f->mass, times(f, integral(f, a, NULL, 0, CT_WEIGHT_ONE), a->q)));
        for (uint32_t k = 0; k < beam->count; k++) {
            const ct_bend *c = &beam->coordinate[k];
            if (!shortens(beam, a, c))
                continue;
            ct_expr share =
                over(f, times(f, f->mass, integral(f, a, c, 1, CT_WEIGHT_REST)), beam->length);
            add(f, &h->c[0], ct_expr_neg(f->pool, half(f, times(f, share, times(f, a->q, c->q)))));
        }
    }
}

/* Integral of rho A times two displacements. */
static ct_expr shared_mass(const forming *f, const ct_bend *a, const ct_bend *c)
{
    ct_expr sum = times(f, f->mass, integral(f, a, c, 0, CT_WEIGHT_ONE));
    return a->way == CT_WAY_X && c->way == CT_WAY_X ? times(f, f->beam->slowed, sum) : sum;
}

/* Integral of rho A p_i p_j; first: of x and a displacement. */
static void add_products(const forming *f, const ct_bend *a, ct_expr moment[4][4])
{
    const struct ct_beam_data *beam = f->beam;
    ct_expr first = times(f, times(f, f->mass, beam->length),
                          times(f, integral(f, a, NULL, 0, CT_WEIGHT_S), a->q));
    if (a->way == CT_WAY_TWIST)
        return;
    add(f, &moment[0][a->way], first);
    add(f, &moment[a->way][0], first);
    for (uint32_t k = 0; k < beam->count; k++) {
        const ct_bend *c = &beam->coordinate[k];
        ct_expr both = times(f, a->q, c->q);
        if (c->way != CT_WAY_TWIST)
            add(f, &moment[a->way][c->way], times(f, shared_mass(f, a, c), both));
        if (shortens(beam, a, c))
            add(f, &moment[0][0],
                ct_expr_neg(
                    f->pool,
                    times(f, times(f, f->mass, integral(f, a, c, 1, CT_WEIGHT_REST_TWICE)), both)));
    }
}

static void form_inertia(const forming *f, ct_expr inertia[6])
{
    static const uint8_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const struct ct_beam_data *beam = f->beam;
    ct_expr moment[4][4], rotary[3], rho_length = times(f, beam->density, beam->length);
    for (int i = 0; i < 16; i++)
        moment[i / 4][i % 4] = f->zero;
    moment[0][0] = times(f, ct_expr_ratio(f->pool, 1, 3),
                         times(f, f->mass, times(f, beam->length, beam->length)));
    for (uint32_t i = 0; i < beam->count; i++)
        add_products(f, &beam->coordinate[i], moment);
    rotary[1] = times(f, rho_length, beam->second[1]);
    rotary[2] = times(f, rho_length, beam->second[0]);
    rotary[0] = ct_expr_add(f->pool, rotary[1], rotary[2]);
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            ct_expr *to = &inertia[at[i][k]];
            int m = (i + 1) % 3, n = (i + 2) % 3;
            *to = i != k ? ct_expr_neg(f->pool, moment[i][k])
                         : ct_expr_add(f->pool, rotary[i],
                                       ct_expr_add(f->pool, moment[m][m], moment[n][n]));
        }
}

/* D_k: x times a displacement across, products of displacements, turning sections. */
static void form_spin(const forming *f, const ct_bend *a, ct_vec3 *d)
{
    const struct ct_beam_data *beam = f->beam;
    int sign = a->way == CT_WAY_Z ? -1 : 1, about = a->way == CT_WAY_Z ? 1 : 2;
    ct_expr polar = ct_expr_add(f->pool, beam->second[0], beam->second[1]), sum;
    *d = (ct_vec3){{f->zero, f->zero, f->zero}};
    if (a->way == CT_WAY_TWIST) {
        d->c[0] = times(f, times(f, times(f, beam->density, beam->length), polar),
                        integral(f, a, NULL, 0, CT_WEIGHT_ONE));
        return;
    }
    if (bends(a->way)) {
        sum = times(f, times(f, f->mass, beam->length), integral(f, a, NULL, 0, CT_WEIGHT_S));
        if (!beam->theory)
            add(f, &sum,
                times(f, times(f, beam->density, second_of(beam, a->way)),
                      integral(f, a, NULL, 1, CT_WEIGHT_ONE)));
        d->c[about] = times(f, ct_expr_int(f->pool, sign), sum);
    }
    for (uint32_t i = 0; i < beam->count; i++) { /* q_i f_i x f_k */
        const ct_bend *c = &beam->coordinate[i];
        if (c->way == CT_WAY_TWIST || c->way == a->way)
            continue;
        int way = (a->way - c->way + 3) % 3 == 1 ? 1 : -1;
        ct_expr share = times(f, times(f, f->mass, integral(f, a, c, 0, CT_WEIGHT_ONE)), c->q);
        add(f, &d->c[3 - a->way - c->way], times(f, ct_expr_int(f->pool, way), share));
    }
}

static ct_expr form_mass(const forming *f, const ct_bend *a, const ct_bend *c)
{
    const struct ct_beam_data *beam = f->beam;
    if (a->way != c->way)
        return f->zero;
    if (a->way == CT_WAY_TWIST)
        return times(f,
                     times(f, times(f, beam->density, beam->length),
                           ct_expr_add(f->pool, beam->second[0], beam->second[1])),
                     integral(f, a, c, 0, CT_WEIGHT_ONE));
    ct_expr sum = shared_mass(f, a, c);
    if (bends(a->way) && !beam->theory)
        add(f, &sum,
            over(f,
                 times(f, times(f, beam->density, second_of(beam, a->way)),
                       integral(f, a, c, 1, CT_WEIGHT_ONE)),
                 beam->length));
    return sum;
}

static ct_expr form_stiffness(const forming *f, const ct_bend *a, const ct_bend *c)
{
    const struct ct_beam_data *beam = f->beam;
    if (a->way != c->way)
        return f->zero;
    ct_expr same = integral(f, a, c, bends(a->way) ? 2 : 1, CT_WEIGHT_ONE);
    ct_expr by = a->way == CT_WAY_TWIST ? times(f, beam->shear, beam->torsion)
                 : a->way == CT_WAY_X   ? times(f, beam->modulus, beam->area)
                                        : times(f, beam->modulus, second_of(beam, a->way));
    int64_t power = bends(a->way) ? 3 : 1;
    return over(f, times(f, by, same),
                ct_expr_pow(f->pool, beam->length, ct_expr_int(f->pool, power)));
}

/* ---- sections */

ct_section ct_section_at(builder *b, const struct ct_beam_data *beam, double s)
{
    forming form = {.b = b, .pool = b->pool, .beam = beam, .zero = ct_expr_int(b->pool, 0)},
            *f = &form;
    ct_section out = {.at = {{times(f, number(b->pool, s, true), beam->length), f->zero, f->zero}},
                      .turn = {{f->zero, f->zero, f->zero}}};
    for (uint32_t i = 0; i < beam->count; i++) {
        const ct_bend *a = &beam->coordinate[i];
        ct_expr value = times(f, number(b->pool, ct_basis_at(a->shape, 0, s), a->exact), a->q);
        add(f, a->way == CT_WAY_TWIST ? &out.turn.c[0] : &out.at.c[a->way], value);
        if (!bends(a->way))
            continue;
        ct_expr slope =
            over(f, times(f, number(b->pool, ct_basis_at(a->shape, 1, s), a->exact), a->q),
                 beam->length);
        if (a->way == CT_WAY_Y)
            add(f, &out.turn.c[2], slope);
        else
            add(f, &out.turn.c[1], ct_expr_neg(b->pool, slope));
        for (uint32_t k = 0; k < beam->count; k++) {
            const ct_bend *c = &beam->coordinate[k];
            if (!shortens(beam, a, c))
                continue;
            double value_of = ct_basis_integral(a->shape, c->shape, 1, CT_WEIGHT_ONE, s);
            ct_expr share = over(f, number(b->pool, value_of, a->exact && c->exact), beam->length);
            add(f, &out.at.c[0],
                ct_expr_neg(b->pool, half(f, times(f, share, times(f, a->q, c->q)))));
        }
    }
    return out;
}

/* ---- all of it */

enum { DRAWN = 13, DRAWN_PART = 4 };

/* Frames that nothing but pictures reads. */
static void add_line(builder *b, const struct ct_beam_data *beam, const ct_body *body,
                     ct_flex *flex)
{
    flex->line = b->mech->frame.count;
    flex->line_count = beam->segments > 1 ? DRAWN_PART : DRAWN;
    for (uint32_t i = 0; i < flex->line_count; i++) {
        ct_section s = ct_section_at(b, beam, (double)i / (flex->line_count - 1));
        ct_frame f = {.name = body->name, .body = beam->index, .at = s.at, .place = body->place};
        f.turn = b->mech->spatial ? ct_expr_int(b->pool, 0) : s.turn.c[2];
        CT_PUSH(b->arena, b->mech->frame, f);
        CT_PUSH(b->scratch, b->mech->frame_part, (part){.state = ENTRY_DONE});
    }
}

static void form_matrices(const forming *f, ct_flex *flex)
{
    uint32_t n = flex->count;
    ct_expr *mass = CT_NEW_ARRAY(f->b->arena, ct_expr, (size_t)n * n + 1);
    ct_expr *stiffness = CT_NEW_ARRAY(f->b->arena, ct_expr, (size_t)n * n + 1);
    ct_expr *damping = CT_NEW_ARRAY(f->b->arena, ct_expr, (size_t)n * n + 1);
    for (uint32_t i = 0; i < n * n; i++) {
        const ct_bend *a = &f->beam->coordinate[i / n], *c = &f->beam->coordinate[i % n];
        mass[i] = form_mass(f, a, c);
        stiffness[i] = form_stiffness(f, a, c);
        damping[i] = times(f, f->beam->damping, stiffness[i]);
    }
    flex->mass = mass, flex->stiffness = stiffness, flex->damping = damping;
}

/* The centre of mass and the inertia about it, straight. */
static void form_straight(const forming *f, ct_body *body)
{
    const struct ct_beam_data *beam = f->beam;
    ct_expr rho_length = times(f, beam->density, beam->length);
    ct_expr across = times(f, ct_expr_ratio(f->pool, 1, 12),
                           times(f, f->mass, times(f, beam->length, beam->length)));
    ct_expr second[2] = {times(f, rho_length, beam->second[0]),
                         times(f, rho_length, beam->second[1])};
    body->mass = f->mass;
    body->com = (ct_vec3){{half(f, beam->length), f->zero, f->zero}};
    body->inertia[0] = ct_expr_add(f->pool, second[0], second[1]);
    body->inertia[1] = ct_expr_add(f->pool, across, second[1]);
    body->inertia[2] = ct_expr_add(f->pool, across, second[0]);
}

void ct_form_flexible(builder *b, struct ct_beam_data *beam, ct_body *body)
{
    forming f = {.b = b, .pool = b->pool, .beam = beam, .zero = ct_expr_int(b->pool, 0)};
    ct_flex *flex = CT_NEW(b->arena, ct_flex);
    ct_name *q = CT_NEW_ARRAY(b->arena, ct_name, 2 * beam->count + 1);
    ct_vec3 *spin = CT_NEW_ARRAY(b->arena, ct_vec3, beam->count + 1);
    uint32_t before = beam->segment * beam->count;
    f.mass = times(&f, times(&f, beam->density, beam->area), beam->length);
    bool *angle = CT_NEW_ARRAY(b->arena, bool, beam->count + 1);
    *flex = (ct_flex){.count = beam->count,
                      .flat = beam->flat,
                      .q = q,
                      .u = q + beam->count,
                      .angle = angle,
                      .spin = spin};
    for (uint32_t i = 0; i < beam->count; i++) {
        q[i] = ct_own_entry(b, beam->owner, "q", before + i);
        q[beam->count + i] = ct_own_entry(b, beam->owner, "qdot", before + i);
        beam->coordinate[i].q = ct_expr_symbol(b->pool, q[i]);
        angle[i] = beam->coordinate[i].way == CT_WAY_TWIST;
    }
    form_moment(&f, &flex->moment);
    form_inertia(&f, flex->inertia);
    for (uint32_t i = 0; i < beam->count; i++)
        form_spin(&f, &beam->coordinate[i], &spin[i]);
    form_matrices(&f, flex);
    form_straight(&f, body);
    add_line(b, beam, body, flex);
    body->flex = beam->flex = flex;
}

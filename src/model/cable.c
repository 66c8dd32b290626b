/* cable.c - `cable`: a line that bends far, in absolute nodal coordinates (planar, slopes along
 * it).
 *
 * Each of its elements has, with x from 0 to l along it and unit vectors nowhere,
 *
 *     r = S(x) e,   e = places and slopes dr/dx of both ends, S Hermite's cubics
 *
 * so that its mass is constant, and no motion is told apart from others. Strain eps = |r'| - 1 and
 * curvature kappa = (r' x r'')/r'.r' (the turn of the section by length) give forces
 *
 *     Q = -integral of E A (eps + tau eps') deps/de + E I (kappa + tau kappa') dkappa/de
 *
 * by Gauss' rule. Coordinates are what e differs from the straight cable. As a body it belongs to
 * the ground: its frames move, it does not.
 */
#include "model/cable.h"

#include <math.h>
#include <string.h>

enum { GAUSS = 3 };

static const double point[GAUSS] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double weight[GAUSS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
static const double same_node = 1e-9; /* of an element */

typedef struct forming {
    builder *b;
    ct_pool *pool;
    struct ct_cable_data *c;
    ct_expr zero, one, l; /* length of an element */
    ct_expr *e, *rate;    /* of all nodes: x, y, x', y' each */
    ct_expr way[2];       /* of the straight cable */
} forming;

/* ---- expressions */

static ct_expr times(const forming *f, ct_expr a, ct_expr c)
{
    return ct_expr_mul(f->pool, a, c);
}

static ct_expr plus(const forming *f, ct_expr a, ct_expr c)
{
    return ct_expr_add(f->pool, a, c);
}

static ct_expr minus(const forming *f, ct_expr a, ct_expr c)
{
    return ct_expr_sub(f->pool, a, c);
}

static ct_expr over(const forming *f, ct_expr a, ct_expr c)
{
    return ct_expr_div(f->pool, a, c);
}

static ct_expr real(const forming *f, double value)
{
    return value == floor(value) ? ct_expr_int(f->pool, (int64_t)value)
                                 : ct_expr_real(f->pool, value);
}

/* Hermite's cubics at s = 0..1, or their derivatives by s. */
static void cubics(int derivative, double s, double h[4])
{
    const double value[3][4] = {
        {1 - 3 * s * s + 2 * s * s * s, s - 2 * s * s + s * s * s, 3 * s * s - 2 * s * s * s,
         s * s * s - s * s},
        {6 * s * s - 6 * s, 1 - 4 * s + 3 * s * s, 6 * s - 6 * s * s, 3 * s * s - 2 * s},
        {12 * s - 6, 6 * s - 4, 6 - 12 * s, 6 * s - 2}};
    memcpy(h, value[derivative], 4 * sizeof *h);
}

/* Their factors in r, r', r'' (by x): slopes have a length more. */
static void factors(const forming *f, int derivative, double s, ct_expr out[4])
{
    double h[4];
    cubics(derivative, s, h);
    for (int i = 0; i < 4; i++) {
        out[i] = real(f, h[i]);
        for (int k = 0; k < derivative; k++)
            out[i] = over(f, out[i], f->l);
        if (i % 2)
            out[i] = times(f, out[i], f->l);
    }
}

/* r or a derivative, component k, from `e` of nodes. */
static ct_expr placed(const forming *f, const ct_expr *e, uint32_t element, const ct_expr h[4],
                      uint32_t k)
{
    ct_expr sum = f->zero;
    for (uint32_t i = 0; i < 4; i++)
        sum = plus(f, sum, times(f, h[i], e[4 * (element + i / 2) + 2 * (i % 2) + k]));
    return sum;
}

/* ---- elastic forces */

static void push(const forming *f, uint32_t element, const ct_expr h[4], const ct_expr by[2],
                 ct_expr size, ct_expr *force)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 2; k++) {
            ct_expr *to = &force[4 * (element + i / 2) + 2 * (i % 2) + k];
            *to = minus(f, *to, times(f, size, times(f, h[i], by[k])));
        }
}

static ct_expr dot2(const forming *f, const ct_expr a[2], const ct_expr c[2])
{
    return plus(f, times(f, a[0], c[0]), times(f, a[1], c[1]));
}

/* A strain, its rate, and what it does. Returns its share of the potential. */
static ct_expr strain(const forming *f, ct_expr stiff, ct_expr value, ct_expr rate, ct_expr *size)
{
    *size = times(f, stiff, plus(f, value, times(f, f->c->damping, rate)));
    return times(f, times(f, ct_expr_ratio(f->pool, 1, 2), stiff), times(f, value, value));
}

static ct_expr add_point(const forming *f, uint32_t element, int at, ct_expr *force)
{
    ct_expr h1[4], h2[4], p[2], c[2], p_rate[2], c_rate[2], size, share = f->zero;
    const ct_cable_data *d = f->c;
    factors(f, 1, point[at], h1);
    factors(f, 2, point[at], h2);
    for (uint32_t k = 0; k < 2; k++) {
        p[k] = placed(f, f->e, element, h1, k);
        c[k] = placed(f, f->e, element, h2, k);
        p_rate[k] = placed(f, f->rate, element, h1, k);
        c_rate[k] = placed(f, f->rate, element, h2, k);
    }
    ct_expr square = dot2(f, p, p), length = ct_expr_call1(f->pool, CT_OP_SQRT, square);
    ct_expr along = times(f, f->l, real(f, weight[at]));
    ct_expr by[2] = {over(f, p[0], length), over(f, p[1], length)};
    share = strain(f, times(f, along, times(f, d->modulus, d->area)), minus(f, length, f->one),
                   dot2(f, by, p_rate), &size);
    push(f, element, h1, by, size, force);
    ct_expr kappa =
        over(f, minus(f, times(f, p[0], c[1]), times(f, p[1], c[0])), square); /* p x c/p.p */
    ct_expr twice = over(f, times(f, ct_expr_int(f->pool, 2), kappa), square);
    ct_expr by_p[2] = {
        minus(f, over(f, c[1], square), times(f, twice, p[0])),
        minus(f, ct_expr_neg(f->pool, over(f, c[0], square)), times(f, twice, p[1]))};
    ct_expr by_c[2] = {ct_expr_neg(f->pool, over(f, p[1], square)), over(f, p[0], square)};
    ct_expr rate = plus(f, dot2(f, by_p, p_rate), dot2(f, by_c, c_rate));
    share = plus(f, share,
                 strain(f, times(f, along, times(f, d->modulus, d->second)), kappa, rate, &size));
    push(f, element, h1, by_p, size, force);
    push(f, element, h2, by_c, size, force);
    return share;
}

static void form_forces(const forming *f, ct_flex *flex)
{
    ct_expr *force = CT_NEW_ARRAY(f->b->arena, ct_expr, flex->count + 1), sum = f->zero;
    for (uint32_t i = 0; i < flex->count; i++)
        force[i] = f->zero;
    for (uint32_t i = 0; i < (uint32_t)f->c->elements; i++)
        for (int k = 0; k < GAUSS; k++)
            sum = plus(f, sum, add_point(f, i, k, force));
    flex->force = force;
    flex->potential = sum;
}

/* ---- mass */

static void form_mass(const forming *f, ct_flex *flex)
{
    static const int share_of[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    size_t n = flex->count, size = n * n;
    ct_expr *mass = CT_NEW_ARRAY(f->b->arena, ct_expr, size + 1);
    ct_expr *none = CT_NEW_ARRAY(f->b->arena, ct_expr, size + 1);
    ct_expr unit = times(f, times(f, f->c->density, f->c->area), f->l);
    for (size_t i = 0; i < size; i++)
        mass[i] = none[i] = f->zero;
    for (uint32_t e = 0; e < (uint32_t)f->c->elements; e++)
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t k = 0; k < 4; k++) {
                ct_expr share = times(f, unit, ct_expr_ratio(f->pool, share_of[i][k], 420));
                for (uint32_t power = i % 2 + k % 2; power; power--)
                    share = times(f, share, f->l);
                for (uint32_t way = 0; way < 2; way++) {
                    size_t row = 4 * (e + i / 2) + 2 * (i % 2) + way,
                           col = 4 * (e + k / 2) + 2 * (k % 2) + way;
                    mass[row * n + col] = plus(f, mass[row * n + col], share);
                }
            }
    flex->mass = mass;
    flex->stiffness = flex->damping = none;
}

/* h: integral of rho A r */
static void form_moment(const forming *f, ct_flex *flex)
{
    static const int share_of[4] = {6, 1, 6, -1}; /* of 12 */
    ct_expr unit = times(f, times(f, f->c->density, f->c->area), f->l);
    for (uint32_t way = 0; way < 3; way++)
        flex->moment.c[way] = f->zero;
    for (uint32_t e = 0; e < (uint32_t)f->c->elements; e++)
        for (uint32_t way = 0; way < 2; way++) {
            ct_expr h[4];
            for (int i = 0; i < 4; i++) {
                h[i] = times(f, unit, ct_expr_ratio(f->pool, share_of[i], 12));
                h[i] = i % 2 ? times(f, h[i], f->l) : h[i];
            }
            flex->moment.c[way] = plus(f, flex->moment.c[way], placed(f, f->e, e, h, way));
        }
}

/* ---- sections */

/* Its turn counts from the straight cable, and jumps at half a turn from it. */
static ct_section section_at(const forming *f, double s)
{
    uint32_t n = (uint32_t)f->c->elements;
    double at = s * n, whole = floor(at + same_node);
    uint32_t element = whole < n ? (uint32_t)whole : n - 1;
    double own = fabs(at - whole) < same_node ? whole - element : at - element;
    ct_expr h0[4], h1[4], p[2];
    ct_section out = {.at = {{f->zero, f->zero, f->zero}}, .turn = {{f->zero, f->zero, f->zero}}};
    factors(f, 0, own, h0);
    factors(f, 1, own, h1);
    for (uint32_t k = 0; k < 2; k++) {
        out.at.c[k] = placed(f, f->e, element, h0, k);
        p[k] = placed(f, f->e, element, h1, k);
    }
    ct_expr across = minus(f, times(f, f->way[0], p[1]), times(f, f->way[1], p[0]));
    ct_expr turn[2] = {across, dot2(f, f->way, p)};
    out.turn.c[2] = plus(f, f->c->angle, ct_expr_call(f->pool, CT_OP_ATAN2, turn, 2));
    return out;
}

static forming begin(builder *b, struct ct_cable_data *c)
{
    forming f = {.b = b,
                 .pool = b->pool,
                 .c = c,
                 .zero = ct_expr_int(b->pool, 0),
                 .one = ct_expr_int(b->pool, 1)};
    uint32_t nodes = (uint32_t)c->elements + 1;
    f.l = over(&f, c->length, ct_expr_int(b->pool, c->elements));
    f.way[0] = ct_expr_call1(b->pool, CT_OP_COS, c->angle);
    f.way[1] = ct_expr_call1(b->pool, CT_OP_SIN, c->angle);
    f.e = CT_NEW_ARRAY(b->scratch, ct_expr, 8 * nodes + 1);
    f.rate = f.e + 4 * nodes;
    for (uint32_t i = 0; i < 4 * nodes; i++) {
        ct_expr far = times(&f, f.l, ct_expr_int(b->pool, i / 4)), way = f.way[i % 2];
        ct_expr rest = i % 4 < 2 ? plus(&f, c->origin.c[i % 2], times(&f, far, way)) : way;
        f.e[i] = plus(&f, rest, ct_expr_symbol(b->pool, c->q[i]));
        f.rate[i] = ct_expr_symbol(b->pool, c->q[4 * nodes + i]);
    }
    return f;
}

ct_section ct_cable_section(builder *b, struct ct_cable_data *c, double s)
{
    forming f = begin(b, c);
    return section_at(&f, s);
}

/* ---- all of it */

static void add_line(const forming *f, const ct_body *body, ct_flex *flex)
{
    struct mech *m = f->b->mech;
    flex->line = m->frame.count;
    flex->line_count = 2 * (uint32_t)f->c->elements + 1;
    for (uint32_t i = 0; i < flex->line_count; i++) {
        ct_section s = section_at(f, (double)i / (flex->line_count - 1));
        ct_frame at = {.name = body->name,
                       .body = f->c->index,
                       .at = s.at,
                       .turn = s.turn.c[2],
                       .place = body->place};
        CT_PUSH(f->b->arena, m->frame, at);
        CT_PUSH(f->b->scratch, m->frame_part, (part){.state = ENTRY_DONE});
    }
}

static void name_coordinates(builder *b, struct ct_cable_data *c, const ct_body *body,
                             ct_flex *flex)
{
    uint32_t n = 4 * ((uint32_t)c->elements + 1);
    ct_name *q = CT_NEW_ARRAY(b->arena, ct_name, 2 * n + 1);
    bool *slope = CT_NEW_ARRAY(b->arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        q[i] = ct_own_entry(b, body->name, "q", i);
        q[n + i] = ct_own_entry(b, body->name, "qdot", i);
        slope[i] = i % 4 >= 2;
    }
    *flex = (ct_flex){.count = n, .q = q, .u = q + n, .angle = slope};
    c->q = q;
}

void ct_form_cable(builder *b, struct ct_cable_data *c, ct_body *body)
{
    ct_flex *flex = CT_NEW(b->arena, ct_flex);
    name_coordinates(b, c, body, flex);
    forming f = begin(b, c);
    ct_vec3 *spin = CT_NEW_ARRAY(b->arena, ct_vec3, flex->count + 1);
    for (uint32_t i = 0; i < flex->count; i++)
        spin[i] = (ct_vec3){{f.zero, f.zero, f.zero}};
    for (int i = 0; i < 6; i++)
        flex->inertia[i] = f.zero; /* the ground does not turn */
    flex->spin = spin;
    form_moment(&f, flex);
    form_mass(&f, flex);
    form_forces(&f, flex);
    add_line(&f, body, flex);
    body->mass = times(&f, times(&f, c->density, c->area), c->length);
    body->flex = flex;
}

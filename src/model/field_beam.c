/* field_beam.c - a beam by its modes; shapes are those of beam_shapes.h.
 *
 * Slopes are scaled by the length, so that all end coordinates are deflections. A uniform beam of
 * Euler and Bernoulli has shapes that do not depend on its values. What varies along the length,
 * has rotary inertia or shear has shapes that do: they are found by beam_ritz.h with the values of
 * the component, and all coefficients are numbers. Bars, shafts and strings that vary are beams
 * that have shear only.
 */
#include <math.h>
#include <string.h>

#include "model/beam_ritz.h"
#include "model/field.h"

static const double no_stiffness = 1e-9; /* of the largest */
static const double no_share = 1e-13;    /* of products of slopes */

typedef struct bent {
    field *f;
    ct_beam beam;
    uint32_t port[BEAM_ENDS];  /* NO_PORT: no edge there */
    uint32_t coord[BEAM_ENDS]; /* of held ports */
    uint32_t first;            /* coordinate of the first mode */
    ct_expr mass, compliance;  /* of the whole beam: rho A L, L^3/(E I); of a found one 1 */
    double slowest;            /* wave number of a cantilever like it */
    bool residual, loaded;     /* shapes are those under the tension */
} bent;

static ct_expr real(const bent *a, double value)
{
    return ct_expr_real(a->f->b->pool, value);
}

static bool is_coord(const bent *a, uint32_t end)
{
    return a->port[end] != NO_PORT && a->beam.held[end];
}

/* ---- shapes of the coordinates
 *
 * The coordinate of a mode is its share of the whole deflection; that of a held end has its static
 * shape without these shares. */

static double rest_at(const bent *a, uint32_t end, int d, double s)
{
    double sum = ct_beam_shape_at(&a->beam, end, d, s);
    for (uint32_t k = 0; k < a->beam.count; k++)
        sum -= ct_beam_share(&a->beam, end, k) * ct_beam_mode_at(&a->beam.mode[k], d, s);
    return sum;
}

static void store(const bent *a, uint32_t i, uint32_t j, double factor)
{
    ct_pool *p = a->f->b->pool;
    ct_expr loss = a->beam.ritz ? ct_expr_int(p, 0) : ct_expr_mul(p, a->f->law.g, a->f->length);
    ct_field_store(a->f, i, j, ct_field_of(a->f, real(a, factor), a->mass),
                   ct_field_of(a->f, real(a, factor), loss));
}

static void add_stores(const bent *a)
{
    for (uint32_t i = 0; i < BEAM_ENDS && a->residual; i++)
        for (uint32_t j = i; j < BEAM_ENDS; j++) {
            if (!is_coord(a, i) || !is_coord(a, j))
                continue;
            double rest = ct_beam_mass(&a->beam, i, j);
            for (uint32_t k = 0; k < a->beam.count; k++)
                rest -= ct_beam_share(&a->beam, i, k) * ct_beam_share(&a->beam, j, k);
            store(a, a->coord[i], a->coord[j], rest);
        }
    for (uint32_t k = 0; k < a->beam.count; k++)
        store(a, a->first + k, a->first + k, 1);
}

/* ---- stiffness */

/* tau + 2 zeta/omega; static shapes are damped like the lowest mode of a cantilever. */
static ct_expr modal_loss(const bent *a, double b)
{
    builder *x = a->f->b;
    ct_expr zeta = ct_field_param(a->f, "zeta");
    if (!zeta)
        return a->f->law.tau;
    ct_expr root = ct_expr_pow(x->pool, ct_expr_mul(x->pool, a->mass, a->compliance),
                               ct_expr_ratio(x->pool, 1, 2));
    const ct_expr factor[] = {real(a, 2 / (b * b)), zeta, root};
    return ct_expr_add(x->pool, a->f->law.tau, ct_expr_product(x->pool, factor, 3));
}

/* The stiffness between held ends, as squares of sums of their coordinates; under compression some
 * of them push apart, and these have no loss. */
static void add_static_flows(const bent *a)
{
    ct_pool *pool = a->f->b->pool;
    double m[BEAM_ENDS][BEAM_ENDS] = {{0}}, least = 0;
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        for (uint32_t j = 0; j < BEAM_ENDS; j++)
            if (is_coord(a, i) && is_coord(a, j))
                m[i][j] = ct_beam_stiffness(&a->beam, i, j);
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        least = fmax(least, no_stiffness * fabs(m[i][i]));
    for (uint32_t round = 0; round < (a->loaded ? BEAM_ENDS : 2); round++) { /* two ways to bend */
        uint32_t best = 0;
        for (uint32_t i = 1; i < BEAM_ENDS; i++)
            best = fabs(m[i][i]) > fabs(m[best][best]) ? i : best;
        double size = fabs(m[best][best]), sign = m[best][best] < 0 ? -1 : 1, row[BEAM_ENDS];
        if (size <= least)
            return;
        field_terms drop = {0};
        for (uint32_t i = 0; i < BEAM_ENDS; i++) {
            row[i] = m[best][i] / sqrt(size);
            if (fabs(row[i]) > no_stiffness * sqrt(size))
                CT_PUSH(a->f->b->scratch, drop, ((field_term){a->coord[i], real(a, row[i])}));
        }
        ct_expr soft = sign < 0 ? ct_expr_neg(pool, a->compliance) : a->compliance;
        ct_expr loss = sign < 0 ? ct_expr_int(pool, 0) : modal_loss(a, a->slowest);
        ct_field_flow(a->f, &drop, soft, ct_expr_int(pool, 0), loss, ct_expr_int(pool, 0));
        for (uint32_t i = 0; i < BEAM_ENDS; i++)
            for (uint32_t j = 0; j < BEAM_ENDS; j++)
                m[i][j] -= sign * row[i] * row[j];
    }
}

static void add_modal_flows(const bent *a)
{
    for (uint32_t k = a->beam.rigid; k < a->beam.count; k++) {
        double square = a->beam.mode[k].b * a->beam.mode[k].b;
        field_terms drop = {0};
        CT_PUSH(a->f->b->scratch, drop, ((field_term){a->first + k, real(a, square)}));
        for (uint32_t i = 0; i < BEAM_ENDS; i++)
            if (is_coord(a, i))
                CT_PUSH(
                    a->f->b->scratch, drop,
                    ((field_term){a->coord[i], real(a, -square * ct_beam_share(&a->beam, i, k))}));
        ct_field_flow(a->f, &drop, a->compliance, ct_expr_int(a->f->b->pool, 0),
                      modal_loss(a, a->beam.mode[k].b), ct_expr_int(a->f->b->pool, 0));
    }
}

/* ---- what acts on slopes */

static uint32_t shape_count(const bent *a)
{
    return BEAM_ENDS + a->beam.count;
}

static bool is_shape(const bent *a, uint32_t i, uint32_t *coord)
{
    *coord = i < BEAM_ENDS ? a->coord[i] : a->first + i - BEAM_ENDS;
    return i >= BEAM_ENDS || is_coord(a, i);
}

/* Products of slopes of static shapes (0 .. 3) and modes. */
static double *slope_products(const bent *a)
{
    uint32_t n = shape_count(a), coord;
    double *p = CT_NEW_ARRAY(a->f->b->scratch, double, n *n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            if (is_shape(a, i, &coord) && is_shape(a, j, &coord))
                p[i * n + j] = p[j * n + i] = ct_beam_product(&a->beam, i, j, CT_BEAM_SLOPE);
    return p;
}

/* The same for the coordinates: static shapes lose the shares of the modes. */
static void take_shares(const bent *a, double *p)
{
    uint32_t n = shape_count(a);
    for (int side = 0; side < 2; side++)
        for (uint32_t e = 0; e < BEAM_ENDS; e++)
            for (uint32_t k = 0; k < a->beam.count && is_coord(a, e); k++) {
                double share = ct_beam_share(&a->beam, e, k);
                for (uint32_t j = 0; j < n; j++)
                    if (side)
                        p[j * n + e] -= share * p[j * n + BEAM_ENDS + k];
                    else
                        p[e * n + j] -= share * p[(BEAM_ENDS + k) * n + j];
            }
}

static void add_slopes(const bent *a)
{
    ct_pool *pool = a->f->b->pool;
    ct_expr tension = a->f->law.tension;
    if (!tension || a->loaded)
        return;
    double *p = slope_products(a);
    uint32_t n = shape_count(a), x, y;
    take_shares(a, p);
    ct_expr pull = ct_expr_div(pool, tension, a->f->length);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            if (!is_shape(a, i, &x) || !is_shape(a, j, &y) || fabs(p[i * n + j]) < no_share)
                continue;
            ct_field_pull(a->f, x, y, ct_expr_mul(pool, real(a, p[i * n + j]), pull));
        }
}

/* ---- ports */

/* Where a tap lies, from 0 to 1: a number, because shapes are. */
static double tap_place(const bent *a, const field_port *p)
{
    return ct_field_tap_number(a->f, (uint32_t)(p - a->f->port.at));
}

/* A mode at a port: a number at an end, else an expression of the place. */
static ct_expr mode_at(const bent *a, uint32_t k, const field_port *p)
{
    ct_pool *pool = a->f->b->pool;
    const ct_beam_mode *m = &a->beam.mode[k];
    if (p->end < 2)
        return real(a, ct_beam_mode_at(m, (int)p->row, p->end));
    if (m->ritz)
        return real(a, ct_beam_mode_at(m, 0, tap_place(a, p)));
    ct_expr s = p->place, bs = ct_expr_mul(pool, real(a, m->b), s);
    if (m->b == 0)
        return ct_expr_add(pool, real(a, m->weight[0]),
                           ct_expr_mul(pool, real(a, m->weight[1]), s));
    ct_expr back = ct_expr_sub(pool, bs, real(a, m->b));
    const ct_expr part[4] = {ct_expr_call1(pool, CT_OP_COS, bs), ct_expr_call1(pool, CT_OP_SIN, bs),
                             ct_expr_call1(pool, CT_OP_EXP, ct_expr_neg(pool, bs)),
                             ct_expr_call1(pool, CT_OP_EXP, back)};
    ct_expr term[4];
    for (int i = 0; i < 4; i++)
        term[i] = ct_expr_mul(pool, real(a, m->weight[i]), part[i]);
    return ct_expr_sum(pool, term, 4);
}

static ct_expr static_at(const bent *a, uint32_t end, const field_port *p)
{
    ct_pool *pool = a->f->b->pool;
    if (p->end < 2)
        return real(a, rest_at(a, end, (int)p->row, p->end));
    if (a->beam.ritz)
        return real(a, rest_at(a, end, 0, tap_place(a, p)));
    expr_row term = {0};
    for (int k = 0; k <= 3; k++) {
        ct_expr power = ct_expr_pow(pool, p->place, ct_expr_int(pool, k));
        CT_PUSH(a->f->b->scratch, term, ct_expr_mul(pool, real(a, a->beam.shape[end][k]), power));
    }
    for (uint32_t k = 0; k < a->beam.count; k++)
        CT_PUSH(a->f->b->scratch, term,
                ct_expr_mul(pool, real(a, -ct_beam_share(&a->beam, end, k)), mode_at(a, k, p)));
    return ct_expr_sum(pool, term.at, term.count);
}

/* Between ends the exact rest; at taps that of many more modes. */
static ct_expr residual(const bent *a, const bent *more, const field_port *p, const field_port *q)
{
    ct_pool *pool = a->f->b->pool;
    if (p->end < 2 && q->end < 2) {
        uint32_t i = 2 * p->end + p->row, j = 2 * q->end + q->row;
        double rest = a->beam.compliance[i][j];
        for (uint32_t k = a->beam.rigid; k < a->beam.count; k++)
            rest -= ct_beam_mode_at(&a->beam.mode[k], (int)p->row, p->end) *
                    ct_beam_mode_at(&a->beam.mode[k], (int)q->row, q->end) /
                    pow(a->beam.mode[k].b, 4);
        return real(a, rest);
    }
    expr_row term = {0};
    for (uint32_t k = a->beam.count; k < more->beam.count; k++) {
        ct_expr both = ct_expr_mul(pool, mode_at(more, k, p), mode_at(more, k, q));
        CT_PUSH(a->f->b->scratch, term,
                ct_expr_mul(pool, both, real(a, pow(more->beam.mode[k].b, -4))));
    }
    return ct_expr_sum(pool, term.at, term.count);
}

static void add_free_port(const bent *a, const bent *more, uint32_t port)
{
    field *f = a->f;
    const field_port *p = &f->port.at[port];
    field_terms at = {0}, rest = {0};
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        if (is_coord(a, i))
            CT_PUSH(f->b->scratch, at, ((field_term){a->coord[i], static_at(a, i, p)}));
    for (uint32_t k = 0; k < a->beam.count; k++)
        CT_PUSH(f->b->scratch, at, ((field_term){a->first + k, mode_at(a, k, p)}));
    for (uint32_t i = 0; i < f->port.count && a->residual; i++)
        if (!f->port.at[i].held)
            CT_PUSH(f->b->scratch, rest, ((field_term){i, residual(a, more, p, &f->port.at[i])}));
    ct_field_residual(f, port, &at, &rest, a->compliance, ct_expr_int(f->b->pool, 0), f->law.tau);
}

/* ---- coordinates and loads */

static void add_coords(bent *a)
{
    field *f = a->f;
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        if (!is_coord(a, i))
            continue;
        a->coord[i] = f->coord.count;
        ct_field_port_coord(f, a->port[i]);
    }
    a->first = f->coord.count;
    ct_field_own_coords(f, a->beam.count, "q");
}

static void add_moving_load(const bent *a)
{
    ct_pool *p = a->f->b->pool;
    uint32_t panels = a->beam.count + 2;
    for (uint32_t i = 0; i < 4 * panels; i++) {
        double weight, s = ct_field_gauss(i, panels, &weight);
        ct_expr load = ct_field_at(a->f, a->f->law.load, ct_expr_real(p, s));
        const ct_expr factor[] = {load, a->f->length, ct_expr_real(p, weight)};
        load = ct_expr_product(p, factor, 3);
        for (uint32_t e = 0; e < BEAM_ENDS; e++)
            if (is_coord(a, e))
                ct_field_add_load(a->f, a->coord[e],
                                  ct_expr_mul(p, load, real(a, rest_at(a, e, 0, s))));
        for (uint32_t k = 0; k < a->beam.count; k++)
            ct_field_add_load(
                a->f, a->first + k,
                ct_expr_mul(p, load, real(a, ct_beam_mode_at(&a->beam.mode[k], 0, s))));
    }
}

static void add_loads(const bent *a)
{
    if (ct_field_moves(a->f, a->f->law.load)) {
        add_moving_load(a);
        return;
    }
    ct_pool *p = a->f->b->pool;
    ct_expr load = ct_expr_mul(p, a->f->law.load, a->f->length);
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        if (!is_coord(a, i))
            continue;
        double rest = ct_beam_mean(&a->beam, i);
        for (uint32_t k = 0; k < a->beam.count; k++)
            rest -= ct_beam_share(&a->beam, i, k) * ct_beam_mean(&a->beam, BEAM_ENDS + k);
        ct_field_add_load(a->f, a->coord[i], ct_expr_mul(p, load, real(a, rest)));
    }
    for (uint32_t k = 0; k < a->beam.count; k++)
        ct_field_add_load(a->f, a->first + k,
                          ct_expr_mul(p, load, real(a, ct_beam_mean(&a->beam, BEAM_ENDS + k))));
}

static void add_signals(const bent *a)
{
    builder *b = a->f->b;
    uint32_t n = a->beam.count - a->beam.rigid;
    ct_expr *omega = CT_NEW_ARRAY(b->scratch, ct_expr, n),
            *wave = CT_NEW_ARRAY(b->scratch, ct_expr, n);
    ct_expr root = ct_expr_pow(b->pool, ct_expr_mul(b->pool, a->mass, a->compliance),
                               ct_expr_ratio(b->pool, -1, 2));
    ct_dim dim = ct_dim_none();
    dim.e[CT_SECOND] = -1;
    for (uint32_t k = 0; k < n; k++) {
        double beta = a->beam.mode[a->beam.rigid + k].b;
        wave[k] = real(a, beta);
        omega[k] = ct_expr_mul(b->pool, real(a, beta * beta), root);
    }
    ct_field_signal(a->f, "omega", omega, n, dim);
    if (!a->beam.ritz)
        ct_field_signal(a->f, "betaL", wave, n, ct_dim_none());
}

static void find_ports(bent *a, bool *held, const bool *fixed)
{
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        a->port[i] = NO_PORT;
        held[i] = fixed[i];
    }
    for (uint32_t i = 0; i < a->f->port.count; i++) {
        const field_port *p = &a->f->port.at[i];
        if (p->end == 2)
            continue;
        a->port[2 * p->end + p->row] = i;
        held[2 * p->end + p->row] = p->held;
    }
}

/* ---- along the beam */

typedef struct bent_view {
    const bent *a, *more;
} bent_view;

/* What the modes left out adds to the deflection where something pushes at free ends. */
static ct_expr residual_along(const bent_view *v, double s)
{
    const bent *a = v->a;
    ct_pool *pool = a->f->b->pool;
    expr_row term = {0};
    for (uint32_t i = 0; i < a->f->port.count && a->residual; i++) {
        const field_port *p = &a->f->port.at[i];
        double rest = 0;
        for (uint32_t k = a->beam.count; k < v->more->beam.count && p->end < 2; k++) {
            const ct_beam_mode *m = &v->more->beam.mode[k];
            rest +=
                ct_beam_mode_at(m, 0, s) * ct_beam_mode_at(m, (int)p->row, p->end) / pow(m->b, 4);
        }
        const ct_expr factor[] = {real(a, rest), a->compliance, ct_field_through(a->f, i)};
        if (!p->held && p->end < 2)
            CT_PUSH(a->f->b->scratch, term, ct_expr_product(pool, factor, 3));
    }
    return ct_expr_sum(pool, term.at, term.count);
}

static ct_expr value_along(const void *model, field_sight sight, double s)
{
    const bent_view *v = model;
    const bent *a = v->a;
    ct_pool *pool = a->f->b->pool;
    int d = sight == SEE_SECOND;
    field_terms at = {0};
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        if (is_coord(a, i))
            CT_PUSH(a->f->b->scratch, at,
                    ((field_term){a->coord[i], real(a, rest_at(a, i, d, s))}));
    for (uint32_t k = 0; k < a->beam.count; k++)
        CT_PUSH(a->f->b->scratch, at,
                ((field_term){a->first + k, real(a, ct_beam_mode_at(&a->beam.mode[k], d, s))}));
    ct_expr sum = ct_field_sum(a->f, &at, sight == SEE_POSITION ? -1 : 0);
    if (sight == SEE_POSITION)
        sum = ct_expr_add(pool, sum, residual_along(v, s));
    return d ? ct_expr_div(pool, sum, a->f->length) : sum;
}

static void see(const bent *a, const bent *more)
{
    const bent_view v = {a, more};
    ct_field_see(a->f, SEE_FIRST, &v, value_along);
    if (a->f->order == 2)
        ct_field_see(a->f, SEE_SECOND, &v, value_along);
    ct_field_see(a->f, SEE_POSITION, &v, value_along);
}

/* ---- all of it */

/* `fixed`: end coordinates without an edge that are kept at zero. */
void ct_field_beam_modes(field *f, uint32_t modes, bool residual, const bool *fixed, bool found)
{
    enum { MORE = 40 };
    bool held[BEAM_ENDS];
    bent a = {.f = f, .residual = residual}, more;
    find_ports(&a, held, fixed);
    field_shapes s = {.found = found};
    if (!ct_field_find_shapes(f, held, modes, &s))
        return;
    a.beam = s.beam, a.mass = s.mass, a.compliance = s.compliance;
    a.slowest = s.slowest, a.loaded = s.loaded;
    more = a;
    if (found)
        more.beam = ct_ritz_all(&a.beam);
    else
        ct_beam_solve(f->b->scratch, held, modes + MORE, &more.beam);
    add_coords(&a);
    add_stores(&a);
    add_static_flows(&a);
    add_modal_flows(&a);
    add_slopes(&a);
    if (!ct_expr_is_zero(f->b->pool, f->law.load))
        add_loads(&a);
    for (uint32_t i = 0; i < f->port.count; i++)
        if (!f->port.at[i].held)
            add_free_port(&a, &more, i);
    add_signals(&a);
    see(&a, &more);
}

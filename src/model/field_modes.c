/* field_modes.c - a uniform field of order 1 by its modes.
 *
 * With s = x/length from 0 to 1, y = sum of N_j(s) X_j + sum of phi_k(s) eta_k. The modes vanish at
 * held ends and have no slope at free ones; N_j is the static shape that is 1 at held end j and 0
 * at the other. What the modes left out would add at a free port is kept as a residual: its static
 * part, so that the compliance of the ports is exact for any number of modes.
 */
#include <math.h>

#include "model/field.h"

typedef struct line {
    field *f;
    bool held[2];
    uint32_t modes, first; /* coordinate of the first mode that is no rigid motion */
    uint32_t at_end[2];    /* coordinate of a held end */
    ct_expr c, g, l, r;    /* of the whole length */
    bool residual;         /* keep what the modes left out, as stores */
    ct_expr *flow;         /* of each mode, and behind them of the static shape, or 0 */
} line;

static ct_expr rational(const line *a, int64_t num, int64_t den)
{
    return ct_expr_ratio(a->f->b->pool, num, den);
}

/* Half waves on the length are k, or k - 1/2 when the ends differ. */
static ct_expr wave(const line *a, uint32_t k)
{
    bool same = a->held[0] == a->held[1];
    return same ? ct_field_pi(a->f, k, 1) : ct_field_pi(a->f, 2 * (int64_t)k - 1, 2);
}

static double wave_number(const line *a, uint32_t k)
{
    return 3.14159265358979323846 * (a->held[0] == a->held[1] ? k : k - 0.5);
}

static int sign_of(uint32_t k)
{
    return k % 2 ? -1 : 1;
}

/* phi_k/sqrt(2) at an end: 0 where it is held, else 1 or -1. */
static int end_value(const line *a, uint32_t k, uint32_t end)
{
    if (a->held[end])
        return 0;
    return end == 0 ? 1 : a->held[0] ? -sign_of(k) : sign_of(k);
}

static ct_expr shape(const line *a, uint32_t k, const field_port *p)
{
    field *f = a->f;
    ct_pool *pool = f->b->pool;
    if (p->end < 2)
        return ct_expr_mul(pool, ct_expr_int(pool, end_value(a, k, p->end)), ct_field_root2(f));
    ct_expr angle = ct_expr_mul(pool, wave(a, k), p->place);
    return ct_expr_mul(pool, ct_field_root2(f),
                       ct_expr_call1(pool, a->held[0] ? CT_OP_SIN : CT_OP_COS, angle));
}

/* The static shape of a held end at a port. */
static ct_expr static_shape(const line *a, uint32_t end, const field_port *p)
{
    ct_pool *pool = a->f->b->pool;
    ct_expr one = ct_expr_int(pool, 1);
    if (!a->held[1 - end])
        return one;
    return end ? p->place : ct_expr_sub(pool, one, p->place);
}

static ct_expr static_part(const line *a, uint32_t end, uint32_t k);

/* The same without the shares that the coordinates of the modes have. */
static ct_expr static_rest(const line *a, uint32_t end, const field_port *p)
{
    ct_pool *pool = a->f->b->pool;
    expr_row term = {0};
    CT_PUSH(a->f->b->scratch, term, static_shape(a, end, p));
    for (uint32_t k = 1; k <= a->modes; k++) {
        ct_expr share = ct_expr_mul(pool, static_part(a, end, k), shape(a, k, p));
        CT_PUSH(a->f->b->scratch, term, ct_expr_neg(pool, share));
    }
    return ct_expr_sum(pool, term.at, term.count);
}

/* Integral of N_end phi_k. */
static ct_expr static_part(const line *a, uint32_t end, uint32_t k)
{
    ct_pool *pool = a->f->b->pool;
    int sign = end == 0 ? 1 : -sign_of(k); /* both held: of 1 - s and of s, with sin */
    ct_expr part = ct_expr_div(pool, ct_field_root2(a->f), wave(a, k));
    if (!a->held[1 - end]) /* of 1, with sin or cos */
        sign = a->held[0] ? 1 : -sign_of(k);
    return ct_expr_mul(pool, ct_expr_int(pool, sign), part);
}

/* ---- coordinates, stores and flows
 *
 * The coordinate of a mode is its share of the whole field, static shapes included. So stores are
 * diagonal, but for what the modes left out: the residual store of held ends. */

static void store(const line *a, uint32_t i, uint32_t j, ct_expr factor)
{
    ct_pool *p = a->f->b->pool;
    ct_field_store(a->f, i, j, ct_expr_mul(p, factor, a->c), ct_expr_mul(p, factor, a->g));
}

static double static_share(const line *a, uint32_t end, uint32_t k)
{
    bool both = a->held[0] && a->held[1];
    int sign = both ? (end == 0 ? 1 : -sign_of(k)) : a->held[0] ? 1 : -sign_of(k);
    return sign * 1.4142135623730950488 / wave_number(a, k);
}

/* Integral of N_i N_j less the shares of the modes. */
static double residual_store(const line *a, uint32_t i, uint32_t j)
{
    bool both = a->held[0] && a->held[1];
    double whole = !both ? 1 : i == j ? 1.0 / 3 : 1.0 / 6;
    for (uint32_t k = 1; k <= a->modes; k++)
        whole -= static_share(a, i, k) * static_share(a, j, k);
    return whole;
}

/* The damping ratio of every mode, if the element has a param `zeta`: it acts on what is strained.
 * The static shapes between held ends are damped like the lowest mode with one of them free. */
static ct_expr modal_loss(const line *a, ct_expr waves)
{
    builder *b = a->f->b;
    ct_expr zeta = ct_field_param(a->f, "zeta");
    if (!zeta || ct_expr_is_zero(b->pool, a->l))
        return a->f->law.tau;
    ct_expr root = ct_expr_pow(b->pool, ct_expr_mul(b->pool, a->c, a->l), rational(a, 1, 2));
    const ct_expr factor[] = {rational(a, 2, 1), zeta, root};
    ct_expr time = ct_expr_div(b->pool, ct_expr_product(b->pool, factor, 3), waves);
    return ct_expr_add(b->pool, a->f->law.tau, time);
}

static void add_statics(line *a)
{
    for (uint32_t i = 0; i < 2 && a->residual; i++)
        for (uint32_t j = i; j < 2; j++)
            if (a->held[i] && a->held[j])
                store(a, a->at_end[i], a->at_end[j],
                      ct_expr_real(a->f->b->pool, residual_store(a, i, j)));
    if (!a->held[0] || !a->held[1])
        return;
    field_terms drop = {0};
    CT_PUSH(a->f->b->scratch, drop, ((field_term){a->at_end[0], rational(a, 1, 1)}));
    CT_PUSH(a->f->b->scratch, drop, ((field_term){a->at_end[1], rational(a, -1, 1)}));
    a->flow[a->modes] = ct_field_flow(a->f, &drop, a->l, a->r,
                                      modal_loss(a, ct_field_pi(a->f, 1, 2)), rational(a, 1, 1));
}

/* Integral of a mode. */
static ct_expr mean_of(const line *a, uint32_t k)
{
    ct_pool *pool = a->f->b->pool;
    if (!a->held[0] && !a->held[1])
        return ct_expr_int(pool, 0);
    bool both = a->held[0] && a->held[1];
    ct_expr first = static_part(a, a->held[0] ? 0 : 1, k);
    return both ? ct_expr_add(pool, first, static_part(a, 1, k)) : first;
}

/* Flow of a mode where 1 enters at the begin and leaves at the end: what enters at free ends. */
static ct_expr flow_share(const line *a, uint32_t k)
{
    ct_pool *pool = a->f->b->pool;
    ct_expr both = ct_expr_int(pool, end_value(a, k, 0) - end_value(a, k, 1));
    return ct_expr_div(pool, ct_expr_mul(pool, both, ct_field_root2(a->f)), wave(a, k));
}

static void add_modes(line *a)
{
    field *f = a->f;
    ct_pool *p = f->b->pool;
    for (uint32_t k = 1; k <= a->modes; k++) {
        field_terms drop = {0};
        uint32_t i = a->first + k - 1;
        CT_PUSH(f->b->scratch, drop, ((field_term){i, wave(a, k)}));
        for (uint32_t end = 0; end < 2; end++) {
            ct_expr share = a->held[end] ? ct_expr_mul(p, wave(a, k), static_part(a, end, k)) : 0;
            if (a->held[end])
                CT_PUSH(f->b->scratch, drop, ((field_term){a->at_end[end], ct_expr_neg(p, share)}));
        }
        store(a, i, i, rational(a, 1, 1));
        a->flow[k - 1] =
            ct_field_flow(f, &drop, a->l, a->r, modal_loss(a, wave(a, k)), flow_share(a, k));
        ct_field_begin(f, i, mean_of(a, k));
    }
}

static void add_coords(line *a)
{
    field *f = a->f;
    bool rigid = !a->held[0] && !a->held[1];
    for (uint32_t end = 0; end < 2; end++) {
        if (!a->held[end])
            continue;
        a->at_end[end] = f->coord.count;
        ct_field_port_coord(f, ct_field_held(f, end, 0));
        ct_field_begin(f, a->at_end[end], rational(a, 1, 1));
    }
    a->first = f->coord.count + rigid;
    ct_field_own_coords(f, a->modes + rigid, f->positions ? "q" : "eta");
    if (!rigid)
        return;
    store(a, a->first - 1, a->first - 1, rational(a, 1, 1));
    ct_field_begin(f, a->first - 1, rational(a, 1, 1));
}

/* Of a static shape, without the shares of the modes. */
static ct_expr mean_rest(const line *a, uint32_t end)
{
    double rest = a->held[0] && a->held[1] ? 0.5 : 1;
    for (uint32_t k = 1; k <= a->modes; k++) {
        double mean = a->held[1 - end] ? static_share(a, 0, k) + static_share(a, 1, k)
                                       : static_share(a, end, k);
        rest -= static_share(a, end, k) * mean;
    }
    return ct_expr_real(a->f->b->pool, rest);
}

static double mode_value(const line *a, uint32_t k, double s)
{
    double angle = wave_number(a, k) * s;
    return 1.4142135623730950488 * (a->held[0] ? sin(angle) : cos(angle));
}

/* What one point of load brings to each coordinate. */
static void add_load_at(const line *a, double s, ct_expr load)
{
    field *f = a->f;
    ct_pool *p = f->b->pool;
    for (uint32_t end = 0; end < 2; end++) {
        double rest = !a->held[1 - end] ? 1 : end ? s : 1 - s;
        for (uint32_t k = 1; k <= a->modes && a->held[end]; k++)
            rest -= static_share(a, end, k) * mode_value(a, k, s);
        if (a->held[end])
            ct_field_add_load(f, a->at_end[end], ct_expr_mul(p, load, ct_expr_real(p, rest)));
    }
    if (!a->held[0] && !a->held[1])
        ct_field_add_load(f, a->first - 1, load);
    for (uint32_t k = 1; k <= a->modes; k++)
        ct_field_add_load(f, a->first + k - 1,
                          ct_expr_mul(p, load, ct_expr_real(p, mode_value(a, k, s))));
}

static void add_moving_load(const line *a)
{
    ct_pool *p = a->f->b->pool;
    for (uint32_t i = 0; i < 4 * (a->modes + 1); i++) {
        double weight, s = ct_field_gauss(i, a->modes + 1, &weight);
        ct_expr load = ct_field_at(a->f, a->f->law.load, ct_expr_real(p, s));
        const ct_expr factor[] = {load, a->f->length, ct_expr_real(p, weight)};
        add_load_at(a, s, ct_expr_product(p, factor, 3));
    }
}

static void add_loads(line *a)
{
    if (ct_field_moves(a->f, a->f->law.load)) {
        add_moving_load(a);
        return;
    }
    field *f = a->f;
    ct_pool *p = f->b->pool;
    ct_expr load = ct_expr_mul(p, f->law.load, f->length);
    if (ct_expr_is_zero(p, load))
        return;
    for (uint32_t end = 0; end < 2; end++)
        if (a->held[end])
            ct_field_add_load(f, a->at_end[end], ct_expr_mul(p, load, mean_rest(a, end)));
    if (!a->held[0] && !a->held[1])
        ct_field_add_load(f, a->first - 1, load);
    for (uint32_t k = 1; k <= a->modes; k++)
        ct_field_add_load(f, a->first + k - 1, ct_expr_mul(p, load, mean_of(a, k)));
}

/* ---- residuals of free ports */

/* Static compliance between two places in 0..1 (times l of the length); where nothing is held, that
 * of the body whose rigid motion is taken off. Places of taps are expressions. */
static ct_expr compliance(const line *a, const field_port *p, const field_port *q)
{
    ct_pool *pool = a->f->b->pool;
    bool later = p->end == 1 || q->end == 0 || p == q;
    ct_expr s = p->place, t = q->place, one = ct_expr_int(pool, 1);
    ct_expr low = later ? t : s, high = later ? s : t;
    if (p->end == 2 && q->end == 2 && p != q)
        low = ct_expr_call2(pool, CT_OP_MIN, s, t), high = ct_expr_call2(pool, CT_OP_MAX, s, t);
    if (a->held[0] && a->held[1])
        return ct_expr_mul(pool, low, ct_expr_sub(pool, one, high));
    if (a->held[0])
        return low;
    if (a->held[1])
        return ct_expr_sub(pool, one, high);
    ct_expr square = ct_expr_add(pool, ct_expr_mul(pool, s, s), ct_expr_mul(pool, t, t));
    const ct_expr term[] = {ct_expr_mul(pool, rational(a, 1, 2), square), ct_expr_neg(pool, high),
                            rational(a, 1, 3)};
    return ct_expr_sum(pool, term, 3);
}

/* Between ends a number: what the modes left out would add, summed from the static value. */
static double end_compliance(const line *a, uint32_t i, uint32_t j)
{
    double whole = a->held[0] || a->held[1] ? 1 : i == j ? 1.0 / 3 : -1.0 / 6;
    for (uint32_t k = 1; k <= a->modes; k++)
        whole -= 2.0 * end_value(a, k, i) * end_value(a, k, j) / pow(wave_number(a, k), 2);
    return whole;
}

static ct_expr residual(const line *a, const field_port *p, const field_port *q)
{
    ct_pool *pool = a->f->b->pool;
    if (p->end < 2 && q->end < 2)
        return ct_expr_real(pool, end_compliance(a, p->end, q->end));
    expr_row term = {0};
    CT_PUSH(a->f->b->scratch, term, compliance(a, p, q));
    for (uint32_t k = 1; k <= a->modes; k++) {
        ct_expr both = ct_expr_mul(pool, shape(a, k, p), shape(a, k, q));
        ct_expr square = ct_expr_pow(pool, wave(a, k), ct_expr_int(pool, 2));
        CT_PUSH(a->f->b->scratch, term, ct_expr_neg(pool, ct_expr_div(pool, both, square)));
    }
    return ct_expr_sum(pool, term.at, term.count);
}

static void add_free_port(line *a, uint32_t port)
{
    field *f = a->f;
    const field_port *p = &f->port.at[port];
    field_terms at = {0}, rest = {0};
    for (uint32_t end = 0; end < 2; end++)
        if (a->held[end])
            CT_PUSH(f->b->scratch, at, ((field_term){a->at_end[end], static_rest(a, end, p)}));
    if (!a->held[0] && !a->held[1])
        CT_PUSH(f->b->scratch, at, ((field_term){a->first - 1, rational(a, 1, 1)}));
    for (uint32_t k = 1; k <= a->modes; k++)
        CT_PUSH(f->b->scratch, at, ((field_term){a->first + k - 1, shape(a, k, p)}));
    for (uint32_t i = 0; i < f->port.count && a->residual; i++)
        if (!f->port.at[i].held)
            CT_PUSH(f->b->scratch, rest, ((field_term){i, residual(a, p, &f->port.at[i])}));
    ct_field_residual(f, port, &at, &rest, a->l, a->r, f->law.tau);
}

/* ---- frequencies, or time constants where nothing swings */

static void add_signals(const line *a)
{
    builder *b = a->f->b;
    bool swings = !ct_expr_is_zero(b->pool, a->l);
    ct_dim dim = ct_dim_none();
    dim.e[CT_SECOND] = swings ? -1 : 1;
    ct_expr *value = CT_NEW_ARRAY(b->scratch, ct_expr, a->modes);
    ct_expr base = ct_expr_mul(b->pool, a->c, swings ? a->l : a->r);
    for (uint32_t k = 1; k <= a->modes; k++) {
        ct_expr root =
            ct_expr_div(b->pool, wave(a, k), ct_expr_pow(b->pool, base, rational(a, 1, 2)));
        ct_expr square = ct_expr_pow(b->pool, wave(a, k), ct_expr_int(b->pool, 2));
        value[k - 1] = swings ? root : ct_expr_div(b->pool, base, square);
    }
    ct_field_signal(a->f, swings ? "omega" : "tau", value, a->modes, dim);
}

/* ---- along the field */

static double compliance_at(const line *a, double s, uint32_t end)
{
    if (a->held[0] || a->held[1])
        return a->held[0] ? s : 1 - s;
    return end ? s * s / 2 - 1.0 / 6 : s * s / 2 - s + 1.0 / 3;
}

/* What the modes left out adds where something enters at free ends; of speeds it is not known. */
static ct_expr residual_along(const line *a, field_sight sight, double s)
{
    field *f = a->f;
    ct_pool *p = f->b->pool;
    expr_row term = {0};
    for (uint32_t i = 0; i < f->port.count && a->residual; i++) {
        uint32_t end = f->port.at[i].end;
        if (f->port.at[i].held || end == 2 || (f->positions && sight != SEE_POSITION))
            continue;
        double rest = compliance_at(a, s, end);
        for (uint32_t k = 1; k <= a->modes; k++)
            rest -= mode_value(a, k, s) * mode_value(a, k, end) / pow(wave_number(a, k), 2);
        const ct_expr factor[] = {ct_expr_real(p, rest), f->positions ? a->l : a->r,
                                  ct_field_through(f, i)};
        CT_PUSH(f->b->scratch, term, ct_expr_product(p, factor, 3));
    }
    return ct_expr_sum(p, term.at, term.count);
}

/* Through variable: -y' of the shapes, each by its own flow; what enters at free ends flows as it
 * would in the end, less the shares of the modes. */
static ct_expr flow_along(const line *a, double s)
{
    field *f = a->f;
    ct_pool *p = f->b->pool;
    expr_row term = {0};
    double *psi = CT_NEW_ARRAY(f->b->scratch, double, a->modes + 1);
    for (uint32_t k = 1; k <= a->modes; k++) {
        double angle = wave_number(a, k) * s;
        psi[k - 1] = 1.4142135623730950488 * (a->held[0] ? -cos(angle) : sin(angle));
        CT_PUSH(f->b->scratch, term, ct_expr_mul(p, ct_expr_real(p, psi[k - 1]), a->flow[k - 1]));
    }
    if (a->flow[a->modes])
        CT_PUSH(f->b->scratch, term, a->flow[a->modes]);
    for (uint32_t i = 0; i < f->port.count && a->residual; i++) {
        uint32_t end = f->port.at[i].end;
        if (f->port.at[i].held || end == 2)
            continue;
        double rest = a->held[0] || a->held[1] ? (end ? -1 : 1) : end ? -s : 1 - s;
        for (uint32_t k = 1; k <= a->modes; k++)
            rest -= mode_value(a, k, end) / wave_number(a, k) * psi[k - 1];
        CT_PUSH(f->b->scratch, term, ct_expr_mul(p, ct_expr_real(p, rest), ct_field_through(f, i)));
    }
    return ct_expr_sum(p, term.at, term.count);
}

static ct_expr value_along(const void *model, field_sight sight, double s)
{
    const line *a = model;
    field *f = a->f;
    ct_pool *p = f->b->pool;
    if (sight == SEE_SECOND)
        return flow_along(a, s);
    field_terms at = {0};
    for (uint32_t end = 0; end < 2; end++) {
        double rest = !a->held[1 - end] ? 1 : end ? s : 1 - s;
        for (uint32_t k = 1; k <= a->modes && a->held[end]; k++)
            rest -= static_share(a, end, k) * mode_value(a, k, s);
        if (a->held[end])
            CT_PUSH(f->b->scratch, at, ((field_term){a->at_end[end], ct_expr_real(p, rest)}));
    }
    if (!a->held[0] && !a->held[1])
        CT_PUSH(f->b->scratch, at, ((field_term){a->first - 1, rational(a, 1, 1)}));
    for (uint32_t k = 1; k <= a->modes; k++)
        CT_PUSH(f->b->scratch, at,
                ((field_term){a->first + k - 1, ct_expr_real(p, mode_value(a, k, s))}));
    return ct_expr_add(p, ct_field_sum(f, &at, sight == SEE_POSITION ? -1 : 0),
                       residual_along(a, sight, s));
}

static void see(const line *a)
{
    ct_field_see(a->f, SEE_FIRST, a, value_along);
    ct_field_see(a->f, SEE_SECOND, a, value_along);
    if (a->f->positions)
        ct_field_see(a->f, SEE_POSITION, a, value_along);
}

void ct_field_line_modes(field *f, uint32_t modes, bool residual)
{
    ct_pool *p = f->b->pool;
    line a = {.f = f, .modes = modes, .residual = residual};
    a.c = ct_expr_mul(p, f->law.c, f->length), a.g = ct_expr_mul(p, f->law.g, f->length);
    a.l = ct_expr_mul(p, f->law.l, f->length), a.r = ct_expr_mul(p, f->law.r, f->length);
    for (uint32_t end = 0; end < 2; end++)
        a.held[end] = ct_field_held(f, end, 0) != NO_PORT;
    a.flow = CT_NEW_ARRAY(f->b->scratch, ct_expr, modes + 1);
    add_coords(&a);
    ct_field_own_flows(f, modes + (a.held[0] && a.held[1]));
    add_statics(&a);
    add_modes(&a);
    add_loads(&a);
    for (uint32_t i = 0; i < f->port.count; i++)
        if (!f->port.at[i].held)
            add_free_port(&a, i);
    add_signals(&a);
    see(&a);
}

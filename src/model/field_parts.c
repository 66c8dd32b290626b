/* field_parts.c - what finite models of fields are made of: coordinates, stores, flows, ports. */
#include "model/field.h"

ct_expr ct_field_root2(field *f)
{
    return ct_expr_pow(f->b->pool, ct_expr_int(f->b->pool, 2), ct_expr_ratio(f->b->pool, 1, 2));
}

ct_expr ct_field_pi(field *f, int64_t num, int64_t den)
{
    return ct_expr_mul(f->b->pool, ct_expr_ratio(f->b->pool, num, den),
                       ct_expr_call(f->b->pool, CT_OP_PI, NULL, 0));
}

ct_expr ct_field_of(field *f, ct_expr factor, ct_expr e)
{
    return ct_expr_mul(f->b->pool, factor, e);
}

field_law ct_field_law_at(field *f, ct_expr place)
{
    field_law law = f->law;
    ct_expr *part[] = {&law.c,   &law.g,     &law.load,   &law.l,      &law.r,
                       &law.tau, &law.shear, &law.rotary, &law.tension};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] = *part[i] ? ct_field_at(f, *part[i], place) : 0;
    return law;
}

uint32_t ct_field_held(const field *f, uint32_t end, uint32_t row)
{
    for (uint32_t i = 0; i < f->port.count; i++)
        if (f->port.at[i].end == end && f->port.at[i].row == row && f->port.at[i].held)
            return i;
    return NO_PORT;
}

/* ---- variables */

/* Variable of an edge; order -1: position, 0: the across variable itself, 1: its rate. */
ct_expr ct_field_across(field *f, uint32_t port, int order)
{
    builder *b = f->b;
    const ct_element_edge *e = &f->es->edge.at[f->port.at[port].edge];
    const ct_variable_row *row = ct_domain_row_at(e->domain)->variable;
    uint32_t k = order < 0 ? 2 : order > 0 && row[2].name ? 3 : 0;
    ct_name name = ct_join_path(b, e->name, ct_intern_text(b->ctx, row[k].name));
    ct_expr v = ct_expr_symbol(b->pool, name);
    v = order > 0 && k == 0 ? ct_expr_call1(b->pool, CT_OP_DER, v) : v;
    return f->port.at[port].row ? ct_expr_mul(b->pool, f->length, v) : v; /* a slope */
}

ct_expr ct_field_through(field *f, uint32_t port)
{
    builder *b = f->b;
    const ct_element_edge *e = &f->es->edge.at[f->port.at[port].edge];
    const char *name = ct_domain_row_at(e->domain)->variable[1].name;
    ct_expr v = ct_expr_symbol(b->pool, ct_join_path(b, e->name, ct_intern_text(b->ctx, name)));
    return f->port.at[port].row ? ct_expr_div(b->pool, v, f->length) : v;
}

ct_expr ct_field_param(field *f, const char *name)
{
    entry *e = ct_find_entry(f->b, f->w->scope, ct_intern_text(f->b->ctx, name));
    shaped v = e && e->kind == ENTRY_PARAM ? ct_read_entry(f->b, e, e->place) : ct_broken_value();
    return ct_is_broken(v) ? 0 : v.cell->expr;
}

static void push_named(field *f, bool signal, const char *name, const ct_expr *value,
                       uint32_t count, ct_dim dim)
{
    builder *b = f->b;
    ct_name whole = ct_intern_text(b->ctx, name);
    for (uint32_t i = 0; i < count; i++) {
        ct_element_named n = {.name = ct_cell_name(b, whole, count, 1, i),
                              .whole = whole,
                              .rows = count,
                              .cols = 1,
                              .part = i,
                              .dim = dim,
                              .place = f->place};
        n.expr = value ? value[i] : ct_expr_symbol(b->pool, n.name);
        if (signal)
            CT_PUSH(b->arena, f->es->signal, n);
        else
            CT_PUSH(b->arena, f->es->var, n);
    }
}

void ct_field_signal(field *f, const char *name, const ct_expr *value, uint32_t count, ct_dim dim)
{
    push_named(f, true, name, value, count, dim);
}

static ct_expr own(field *f, const char *name, uint32_t count, uint32_t i)
{
    ct_name whole = ct_intern_text(f->b->ctx, name);
    return ct_expr_symbol(f->b->pool, ct_cell_name(f->b, whole, count, 1, i));
}

static ct_dim of_time(ct_dim dim, double power)
{
    ct_dim second = ct_dim_none();
    second.e[CT_SECOND] = 1;
    return ct_dim_product(dim, second, power);
}

/* The equation that comes next is that of a port's edge. */
static void own_next(field *f, uint32_t port)
{
    f->edge_equation[f->port.at[port].edge] = f->es->law.count;
}

void ct_field_equation(field *f, ct_expr left, ct_expr right)
{
    ct_law e = {.kind = CT_LAW_EQUATION, .a = left, .b = right, .place = f->place};
    CT_PUSH(f->b->arena, f->es->law, e);
}

void ct_field_end_equation(field *f, uint32_t port, ct_expr left, ct_expr right)
{
    own_next(f, port);
    ct_field_equation(f, left, right);
}

/* ---- coordinates */

void ct_field_port_coord(field *f, uint32_t port)
{
    field_coord c = {
        .vel = ct_field_across(f, port, 0), .acc = ct_field_across(f, port, 1), .port = port};
    if (f->positions)
        c.pos = ct_field_across(f, port, -1);
    CT_PUSH(f->b->scratch, f->coord, c);
}

void ct_field_own_coords(field *f, uint32_t count, const char *name)
{
    const char *rate = ct_printf(f->b->ctx, "%s_rate", name);
    ct_dim across = f->b->dim[f->domain][0];
    push_named(f, false, name, NULL, count, of_time(across, f->positions ? 1 : 0));
    if (f->positions)
        push_named(f, false, rate, NULL, count, across);
    for (uint32_t i = 0; i < count; i++) {
        ct_expr x = own(f, name, count, i), v = f->positions ? own(f, rate, count, i) : x;
        field_coord c = {.vel = v, .acc = ct_expr_call1(f->b->pool, CT_OP_DER, v), .port = NO_PORT};
        if (f->positions) {
            c.pos = x;
            ct_field_equation(f, ct_expr_call1(f->b->pool, CT_OP_DER, x), v);
        }
        CT_PUSH(f->b->scratch, f->coord, c);
    }
}

static void add(field *f, uint32_t coord, ct_expr e)
{
    if (!ct_expr_is_zero(f->b->pool, e))
        CT_PUSH(f->b->scratch, f->coord.at[coord].balance, e);
}

/* Half of a symmetric pair: what the rates of j ask of i. */
static void store_half(field *f, uint32_t i, uint32_t j, ct_expr c, ct_expr g)
{
    const field_coord from = f->coord.at[j];
    add(f, i, ct_expr_mul(f->b->pool, c, from.acc));
    add(f, i, ct_expr_mul(f->b->pool, g, from.vel));
}

/* A store c, and a loss g, of the product of two coordinates. */
void ct_field_store(field *f, uint32_t i, uint32_t j, ct_expr c, ct_expr g)
{
    store_half(f, i, j, c, g);
    if (i != j)
        store_half(f, j, i, c, g);
}

void ct_field_pull(field *f, uint32_t i, uint32_t j, ct_expr k)
{
    add(f, i, ct_expr_mul(f->b->pool, k, f->coord.at[j].pos));
    if (i != j)
        add(f, j, ct_expr_mul(f->b->pool, k, f->coord.at[i].pos));
}

/* What leaves at a coordinate, by itself. */
void ct_field_add_load(field *f, uint32_t coord, ct_expr load)
{
    add(f, coord, load);
}

/* Points of Gauss for integrals over the length: four in each panel. */
double ct_field_gauss(uint32_t i, uint32_t panels, double *weight)
{
    static const double at[4] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                 0.8611363115940526},
                        share[4] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                    0.3478548451374538};
    *weight = share[i % 4] / 2 / panels;
    return (i / 4 + 0.5 + at[i % 4] / 2) / panels;
}

/* ---- flows */

ct_expr ct_field_sum(field *f, const field_terms *drop, int order)
{
    expr_row terms = {0};
    for (uint32_t i = 0; i < drop->count; i++) {
        const field_coord *c = &f->coord.at[drop->at[i].coord];
        ct_expr v = order < 0 ? c->pos : order > 0 ? c->acc : c->vel;
        CT_PUSH(f->b->scratch, terms, ct_expr_mul(f->b->pool, drop->at[i].factor, v));
    }
    return ct_expr_sum(f->b->pool, terms.at, terms.count);
}

void ct_field_own_flows(field *f, uint32_t count)
{
    if (f->positions || ct_expr_is_zero(f->b->pool, f->law.l))
        return;
    f->flow_count = f->bank ? count * f->bank : count;
    push_named(f, false, "xi", NULL, f->flow_count, f->b->dim[f->domain][1]);
}

/* (1 + tau d/dt) drop = (l d/dt + r) flow: an own unknown where l is not zero, unless positions
 * give it. */
static void add_rest(field *f, ct_expr variable, ct_expr across, ct_expr through, bool guess)
{
    CT_PUSH(f->b->arena, f->rest, ((ct_field_rest){variable, {across, through}, guess}));
}

void ct_field_begin(field *f, uint32_t coord, ct_expr share)
{
    const field_coord *c = &f->coord.at[coord];
    add_rest(f, c->vel, share, ct_expr_int(f->b->pool, 0), c->port != NO_PORT);
}

/* l der(flow) + r flow = drop */
static void add_inertia(field *f, ct_expr flow, ct_expr l, ct_expr r, ct_expr drop)
{
    ct_pool *p = f->b->pool;
    ct_expr rate = ct_expr_mul(p, l, ct_expr_call1(p, CT_OP_DER, flow));
    ct_field_equation(f, ct_expr_add(p, rate, ct_expr_mul(p, r, flow)), drop);
}

/* Laminar flow in a round pipe that changes its profile as it changes: flows side by side with the
 * inertias l j^2/4 and losses r j^4/32, j the zeros of the Bessel function J0; what those left out
 * would carry, slowly and at once, is the last one. */
typedef struct bank_part {
    double inertia, loss; /* its part of 1/l and of 1/r */
    ct_expr l, r;
} bank_part;

static bank_part part_of(field *f, uint32_t k, ct_expr l, ct_expr r)
{
    static const double zero[CT_FIELD_BANK] = {
        2.4048255576957728, 5.5200781102863106, 8.6537279129110122, 11.791534439014281,
        14.930917708487786, 18.071063967910923, 21.211636629879259, 24.352471530749303,
        27.493479132040254, 30.634606468431975, 33.775820213573569, 36.917098353664044};
    ct_pool *p = f->b->pool;
    bank_part all = {1, 1, 0, 0};
    for (uint32_t i = 0; i <= k; i++) {
        double square = zero[i] * zero[i];
        if (i < k)
            all.inertia -= 4 / square, all.loss -= 32 / (square * square);
        else if (i + 1 < f->bank)
            all.inertia = 4 / square, all.loss = 32 / (square * square);
    }
    all.l = ct_expr_div(p, l, ct_expr_real(p, all.inertia));
    all.r = ct_expr_div(p, r, ct_expr_real(p, all.loss));
    return all;
}

static ct_expr bank_of(field *f, ct_expr drop, ct_expr l, ct_expr r, ct_expr share)
{
    ct_pool *p = f->b->pool;
    expr_row term = {0};
    for (uint32_t k = 0; k < f->bank; k++) {
        bank_part part = part_of(f, k, l, r);
        ct_expr flow = own(f, "xi", f->flow_count, f->flow_next++);
        ct_expr carried = ct_expr_mul(p, ct_expr_real(p, part.loss), share);
        add_rest(f, flow, ct_expr_int(p, 0), carried, false);
        add_inertia(f, flow, part.l, part.r, drop);
        CT_PUSH(f->b->scratch, term, flow);
    }
    return ct_expr_sum(p, term.at, term.count);
}

static ct_expr flow_of(field *f, const field_terms *drop, ct_expr l, ct_expr r, ct_expr tau,
                       ct_expr share)
{
    ct_pool *p = f->b->pool;
    int order = f->positions ? -1 : 0;
    ct_expr d = ct_field_sum(f, drop, order);
    ct_expr more =
        ct_expr_is_zero(p, tau) ? tau : ct_expr_mul(p, tau, ct_field_sum(f, drop, order + 1));
    if (f->positions)
        return ct_expr_div(p, ct_expr_add(p, d, more), l);
    if (ct_expr_is_zero(p, l))
        return ct_expr_div(p, ct_expr_add(p, d, more), r);
    if (f->bank)
        return bank_of(f, d, l, r, share);
    ct_expr flow = own(f, "xi", f->flow_count, f->flow_next++);
    add_rest(f, flow, ct_expr_int(p, 0), share, false);
    ct_expr part = ct_expr_div(p, tau, l); /* flow = own + part*drop */
    ct_expr rest = ct_expr_sub(p, ct_expr_int(p, 1), ct_expr_mul(p, part, r));
    add_inertia(f, flow, l, r, ct_expr_mul(p, rest, d));
    return ct_expr_add(p, flow, ct_expr_mul(p, part, d));
}

ct_expr ct_field_flow(field *f, const field_terms *drop, ct_expr l, ct_expr r, ct_expr tau,
                      ct_expr share)
{
    ct_expr flow = flow_of(f, drop, l, r, tau, share);
    for (uint32_t i = 0; i < drop->count; i++)
        add(f, drop->at[i].coord, ct_expr_mul(f->b->pool, drop->at[i].factor, flow));
    return flow;
}

/* ---- ports */

void ct_field_enter(field *f, uint32_t port, uint32_t coord, ct_expr factor)
{
    ct_expr flow = ct_expr_mul(f->b->pool, factor, ct_field_through(f, port));
    add(f, coord, ct_expr_neg(f->b->pool, flow));
}

/* ---- the same at free ports: what flows in is the sum of flows side by side, of which the first
 * is what the others, own unknowns `chi`, leave of it. */

static uint32_t free_ports(const field *f, uint32_t before)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < before; i++)
        count += !f->port.at[i].held;
    return count;
}

static ct_expr side_flow(field *f, uint32_t port, uint32_t k)
{
    uint32_t each = f->bank - 1, all = free_ports(f, f->port.count) * each;
    return own(f, "chi", all, free_ports(f, port) * each + k - 1);
}

static ct_expr first_flow(field *f, uint32_t port)
{
    ct_pool *p = f->b->pool;
    expr_row term = {0};
    CT_PUSH(f->b->scratch, term, ct_field_through(f, port));
    for (uint32_t k = 1; k < f->bank; k++)
        CT_PUSH(f->b->scratch, term, ct_expr_neg(p, side_flow(f, port, k)));
    return ct_expr_sum(p, term.at, term.count);
}

/* (l d/dt + r) of what flows in at a port. */
static ct_expr port_drop(field *f, uint32_t port, ct_expr l, ct_expr r)
{
    ct_pool *p = f->b->pool;
    bank_part part = f->bank ? part_of(f, 0, l, r) : (bank_part){1, 1, l, r};
    ct_expr flow = ct_field_through(f, port), rate = ct_expr_call1(p, CT_OP_DER, flow);
    for (uint32_t k = 1; k < f->bank; k++)
        rate = ct_expr_sub(p, rate, ct_expr_call1(p, CT_OP_DER, side_flow(f, port, k)));
    ct_expr first = f->bank ? first_flow(f, port) : flow;
    return ct_expr_add(p, ct_expr_mul(p, part.l, rate), ct_expr_mul(p, part.r, first));
}

static void add_side_flows(field *f, uint32_t port, ct_expr l, ct_expr r)
{
    ct_pool *p = f->b->pool;
    uint32_t all = free_ports(f, f->port.count) * (f->bank - 1);
    if (free_ports(f, port) == 0)
        push_named(f, false, "chi", NULL, all, f->b->dim[f->domain][1]);
    for (uint32_t k = 1; k < f->bank; k++) {
        bank_part part = part_of(f, k, l, r);
        ct_expr flow = side_flow(f, port, k);
        ct_expr share = ct_expr_real(p, f->port.at[port].end == 1 ? -part.loss : part.loss);
        add_rest(f, flow, ct_expr_int(p, 0), share, false);
        add_inertia(f, flow, part.l, part.r, port_drop(f, port, l, r));
    }
}

/* A free port: its across variable is that of the coordinates there and what the residual adds. The
 * coordinates of `residual` are ports. */
void ct_field_residual(field *f, uint32_t port, const field_terms *at, const field_terms *residual,
                       ct_expr l, ct_expr r, ct_expr tau)
{
    ct_pool *p = f->b->pool;
    int order = f->positions ? -1 : 0;
    for (uint32_t i = 0; i < at->count; i++)
        ct_field_enter(f, port, at->at[i].coord, at->at[i].factor);
    ct_expr drop = ct_expr_sub(p, ct_field_across(f, port, order), ct_field_sum(f, at, order));
    if (!ct_expr_is_zero(p, tau)) {
        ct_expr rate =
            ct_expr_sub(p, ct_field_across(f, port, order + 1), ct_field_sum(f, at, order + 1));
        drop = ct_expr_add(p, drop, ct_expr_mul(p, tau, rate));
    }
    expr_row terms = {0};
    for (uint32_t i = 0; i < residual->count; i++) {
        uint32_t from = residual->at[i].coord;
        ct_expr flow = ct_field_through(f, from), k = residual->at[i].factor;
        ct_expr push = f->positions ? ct_expr_mul(p, l, flow) : port_drop(f, from, l, r);
        CT_PUSH(f->b->scratch, terms, ct_expr_mul(p, k, push));
    }
    if (f->bank && residual->count)
        add_side_flows(f, port, l, r);
    ct_field_end_equation(f, port, drop, ct_expr_sum(p, terms.at, terms.count));
}

/* ---- the balances */

void ct_field_finish(field *f)
{
    ct_pool *p = f->b->pool;
    ct_expr zero = ct_expr_int(p, 0);
    for (uint32_t i = 0; i < f->port.count && !f->positions; i++) {
        const field_port *at = &f->port.at[i];
        if (!at->held && at->end < 2 && !f->es->out->lags)
            add_rest(f, ct_field_through(f, i), zero, ct_expr_int(p, at->end ? -1 : 1), true);
    }
    f->es->out->edge_equation = f->edge_equation;
    f->es->out->space = f->space.at, f->es->out->space_count = f->space.count;
    f->es->out->rest = f->rest.at, f->es->out->rest_count = f->rest.count;
    for (uint32_t i = 0; i < f->coord.count; i++) {
        const field_coord *c = &f->coord.at[i];
        ct_expr sum = ct_expr_sum(p, c->balance.at, c->balance.count);
        if (c->port == NO_PORT) {
            ct_field_equation(f, sum, ct_expr_int(p, 0));
            continue;
        }
        ct_field_end_equation(f, c->port, ct_field_through(f, c->port), sum);
    }
}

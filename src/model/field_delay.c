/* field_delay.c - a field of order 1 without losses, by what runs along it: exact.
 *
 * Two waves, y + R i and y - R i, R = sqrt(l/c), take the time T = length*sqrt(l*c) from one end to
 * the other [d'Alembert]. With through variables into the element at both ends:
 *
 *     y_0 - R i_0 = (y_L + R i_L) a time T ago,    y_L - R i_L = (y_0 + R i_0) a time T ago.
 *
 * What arrives is a delayed discrete of each end, as in the block `delay` (past.h); beside it an
 * end is a resistor, whatever the tree makes of it. A tap parts the field in two: with what arrives
 * from both sides, and i into the element,
 *
 *     y - R i/2 = (from the left + from the right)/2,
 *
 * and 2 y less what came from a side leaves to it.
 */
#include <math.h>

#include "model/field.h"

/* An end or a tap, in the order of places. */
typedef struct station {
    uint32_t port;
    double order;
    ct_expr place;      /* x */
    ct_expr arrives[2]; /* from the left, from the right; 0: nothing does */
} station;

typedef struct delayed {
    field *f;
    CT_VEC(station) at;
    ct_expr resistance, slowness; /* time over length */
} delayed;

static ct_dim seconds(void)
{
    ct_dim second = ct_dim_none();
    second.e[CT_SECOND] = 1;
    return second;
}

static ct_expr root(ct_pool *p, ct_expr e)
{
    return ct_expr_pow(p, e, ct_expr_ratio(p, 1, 2));
}

/* ---- stations */

/* Taps in order: their places are numbers for that. */
static double order_of(field *f, uint32_t port)
{
    field_numbers outer = {.f = f, .outer = f->es->outer, .freezes = true};
    if (f->port.at[port].end < 2)
        return f->port.at[port].end ? INFINITY : -1;
    ct_node expr = ct_field_tap_place(f, port);
    double x = ct_field_value(&outer, ct_lower_scalar(f->b, f->es->outer, expr).expr);
    f->es->out->own_numbers = true;
    return x > 0 ? x : 0; /* what is outside is told later */
}

static void find_stations(delayed *d)
{
    field *f = d->f;
    ct_pool *p = f->b->pool;
    for (uint32_t i = 0; i < f->port.count; i++) {
        station s = {.port = i, .order = order_of(f, i)};
        s.place = ct_expr_mul(p, f->port.at[i].place, f->length);
        CT_PUSH(f->b->scratch, d->at, s);
        for (uint32_t k = d->at.count - 1; k > 0 && d->at.at[k].order < d->at.at[k - 1].order;
             k--) {
            station swap = d->at.at[k];
            d->at.at[k] = d->at.at[k - 1], d->at.at[k - 1] = swap;
        }
    }
}

/* Two taps at one place would be parted by nothing. */
static bool report_together(const delayed *d)
{
    for (uint32_t i = 1; i < d->at.count; i++) {
        const field_port *p = &d->f->port.at[d->at.at[i].port];
        if (d->at.at[i].order > d->at.at[i - 1].order || p->end < 2)
            continue;
        ct_report *r = ct_error(d->f->b->ctx, "E412", p->text,
                                "two taps of a field by delay are in one place");
        ct_help(r, "use one of them for both");
        ct_element_fail(d->f->es);
        return true;
    }
    return false;
}

/* ---- waves */

/* `wave_a`, `wave_b` at the ends; `wave_left_tip`, `wave_right_tip` at a tap. */
static ct_name wave_name(const delayed *d, uint32_t i, uint32_t side)
{
    ct_context *ctx = d->f->b->ctx;
    const field_port *p = &d->f->port.at[d->at.at[i].port];
    if (p->end < 2)
        return ct_intern_text(ctx, p->end ? "wave_b" : "wave_a");
    return ct_intern_text(ctx, ct_printf(ctx, "wave_%s_%s", side ? "right" : "left",
                                         ct_name_text(ctx, d->f->es->edge.at[p->edge].name)));
}

static void add_arrival(delayed *d, uint32_t i, uint32_t side)
{
    builder *b = d->f->b;
    ct_pool *p = b->pool;
    ct_name name = wave_name(d, i, side);
    ct_expr arrives = ct_expr_symbol(p, name);
    ct_element_named wave = ct_single_named(name, ct_expr_int(p, 0), d->f->place);
    wave.dim = b->dim[d->f->domain][0];
    CT_PUSH(b->arena, d->f->es->discrete, wave);
    ct_expr through = side ? ct_expr_neg(p, d->resistance) : d->resistance;
    CT_PUSH(b->arena, d->f->rest, ((ct_field_rest){arrives, {ct_expr_int(p, 1), through}, false}));
    d->at.at[i].arrives[side] = arrives;
}

static ct_expr drop_at(const delayed *d, const station *s)
{
    return ct_expr_mul(d->f->b->pool, d->resistance, ct_field_through(d->f, s->port));
}

/* What leaves a station to one side. */
static ct_expr leaves(const delayed *d, uint32_t i, uint32_t side)
{
    ct_pool *p = d->f->b->pool;
    const station *s = &d->at.at[i];
    ct_expr y = ct_field_across(d->f, s->port, 0);
    if (d->f->port.at[s->port].end < 2)
        return ct_expr_add(p, y, drop_at(d, s));
    return ct_expr_sub(p, ct_expr_mul(p, ct_expr_int(p, 2), y), s->arrives[side]);
}

/* What arrives at a station from one side left its neighbour there. */
static void add_wave(delayed *d, uint32_t i, uint32_t side)
{
    builder *b = d->f->b;
    ct_pool *p = b->pool;
    uint32_t from = side ? i + 1 : i - 1;
    ct_expr way = ct_expr_sub(p, d->at.at[side ? from : i].place, d->at.at[side ? i : from].place);
    ct_assignment *assigned = CT_NEW(b->arena, ct_assignment);
    *assigned = (ct_assignment){
        .target = d->at.at[i].arrives[side], .value = leaves(d, from, !side), .place = d->f->place};
    ct_happening h = {.clock = true,
                      .condition = ct_expr_mul(p, way, d->slowness),
                      .label = "delay",
                      .assigned = assigned,
                      .assigned_count = 1,
                      .place = d->f->place};
    CT_PUSH(b->arena, d->f->es->happening, h);
}

static void add_station(delayed *d, uint32_t i)
{
    ct_pool *p = d->f->b->pool;
    const station *s = &d->at.at[i];
    bool end = d->f->port.at[s->port].end < 2;
    ct_expr half = ct_expr_ratio(p, 1, end ? 1 : 2), sum = 0;
    for (uint32_t side = 0; side < 2; side++)
        if (s->arrives[side])
            sum = sum ? ct_expr_add(p, sum, s->arrives[side]) : s->arrives[side];
    ct_expr left =
        ct_expr_sub(p, ct_field_across(d->f, s->port, 0), ct_expr_mul(p, half, drop_at(d, s)));
    ct_field_end_equation(d->f, s->port, left, ct_expr_mul(p, half, sum));
}

/* Something must step in time, and be it time itself. */
static void add_age(field *f)
{
    builder *b = f->b;
    ct_name name = ct_intern_text(b->ctx, "age");
    ct_expr age = ct_expr_symbol(b->pool, name);
    ct_element_named n = ct_single_named(name, age, f->place);
    n.dim = seconds(), n.use = CT_OWN_AGE;
    CT_PUSH(b->arena, f->es->var, n);
    ct_field_equation(f, ct_expr_call1(b->pool, CT_OP_DER, age), ct_expr_int(b->pool, 1));
}

void ct_field_line_delay(field *f)
{
    ct_pool *p = f->b->pool;
    delayed d = {.f = f};
    d.resistance = root(p, ct_expr_div(p, f->law.l, f->law.c));
    d.slowness = root(p, ct_expr_mul(p, f->law.l, f->law.c));
    ct_expr time = ct_expr_mul(p, f->length, d.slowness);
    find_stations(&d);
    if (report_together(&d))
        return;
    f->es->out->lags = true;
    for (uint32_t i = 0; i < d.at.count; i++)
        for (uint32_t side = 0; side < 2; side++)
            if (side ? i + 1 < d.at.count : i > 0)
                add_arrival(&d, i, side);
    for (uint32_t i = 0; i < d.at.count; i++) {
        for (uint32_t side = 0; side < 2; side++)
            if (d.at.at[i].arrives[side])
                add_wave(&d, i, side);
        add_station(&d, i);
    }
    add_age(f);
    ct_field_signal(f, "travel_time", &time, 1, seconds());
}

/* ---- losses
 *
 * They are params, whose values are known when all is read. */

/* Of the params of a loss the one that makes it: the loss is zero where it is, and it may be. */
static const ct_element_param *culprit_of(builder *b, const ct_element *e, ct_expr loss)
{
    for (uint32_t i = 0; i < e->param_count; i++) {
        const ct_element_param *p = &e->param[i];
        ct_expr factor, rest;
        bool never_zero = false;
        for (uint32_t k = 0; k < p->limit_count; k++)
            never_zero |= p->limit[k].relation == CT_GREATER;
        if (!never_zero && p->rows * p->cols == 1 &&
            ct_expr_linear(b->pool, loss, &e->slot_name[p->slot], 1, &factor, &rest) &&
            ct_expr_is_zero(b->pool, rest))
            return p;
    }
    return NULL;
}

static void report_loss(builder *b, uint32_t component, const ct_element *e, ct_expr loss)
{
    const ct_component *c = &ct_current(b)->component[component];
    const ct_element_param *p = culprit_of(b, e, loss);
    const char *name = ct_name_text(b->ctx, c->name);
    ct_place place = p ? ct_param_place(b, component, p->name) : c->place;
    ct_report *r =
        ct_error(b->ctx, "E276", place, "`%s` with method = delay has losses or loads", name);
    if (p)
        ct_note(r, "`%s` is not zero", ct_name_text(b->ctx, p->name));
    ct_note(r, "waves keep their form only where nothing along the field takes or adds anything");
    ct_help(r, "write method = modal or cells, or leave it zero");
    ct_witness(r, name);
}

void ct_check_delays(builder *b)
{
    const ct_model *m = ct_current(b);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = m->element[m->component[i].element];
        if (e->broken || !e->lags || !e->line)
            continue;
        const ct_expr loss[] = {e->line->r, e->line->g, e->line->tau, e->line->load, e->line->zeta};
        for (size_t k = 0; k < sizeof loss / sizeof *loss; k++)
            if (ct_model_value(m, ct_component_instance(m, i, loss[k])) != 0) {
                report_loss(b, i, e, loss[k]);
                break;
            }
    }
}

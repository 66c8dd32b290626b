/* field_delay.c - a field of order 1 without losses, by what runs along it: exact.
 *
 * Two waves, y + R i and y - R i, R = sqrt(l/c), take the time T = length*sqrt(l*c) from one end to
 * the other [d'Alembert]. With through variables into the element at both ends:
 *
 *     y_0 - R i_0 = (y_L + R i_L) a time T ago,    y_L - R i_L = (y_0 + R i_0) a time T ago.
 *
 * What arrives is a delayed discrete of each end, as in the block `delay` (past.h); beside it an
 * end is a resistor, whatever the tree makes of it.
 */
#include <math.h>

#include "model/field.h"

static const char *const wave_name[] = {"wave_a", "wave_b"}; /* that arrive at the ends */

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

static uint32_t end_port(const field *f, uint32_t end)
{
    for (uint32_t i = 0; i < f->port.count; i++)
        if (f->port.at[i].end == end)
            return i;
    return NO_PORT;
}

/* y + R i of an end, or y - R i. */
static ct_expr wave_at(field *f, uint32_t end, ct_expr resistance, int sign)
{
    ct_pool *p = f->b->pool;
    uint32_t port = end_port(f, end);
    ct_expr drop = ct_expr_mul(p, resistance, ct_field_through(f, port));
    ct_expr y = ct_field_across(f, port, 0);
    return sign < 0 ? ct_expr_sub(p, y, drop) : ct_expr_add(p, y, drop);
}

/* What arrives at an end is what left the other one. */
static void add_wave(field *f, uint32_t end, ct_expr time, ct_expr resistance)
{
    builder *b = f->b;
    ct_pool *p = b->pool;
    ct_name name = ct_intern_text(b->ctx, wave_name[end]);
    ct_expr arrives = ct_expr_symbol(p, name);
    CT_PUSH(b->arena, f->es->discrete,
            ((ct_element_named){.name = name,
                                .whole = name,
                                .rows = 1,
                                .cols = 1,
                                .dim = b->dim[f->domain][0],
                                .expr = ct_expr_int(p, 0),
                                .place = f->place}));
    ct_assignment *assigned = CT_NEW(b->arena, ct_assignment);
    *assigned = (ct_assignment){
        .target = arrives, .value = wave_at(f, !end, resistance, 1), .place = f->place};
    ct_happening h = {.clock = true,
                      .condition = time,
                      .label = "delay",
                      .assigned = assigned,
                      .assigned_count = 1,
                      .place = f->place};
    CT_PUSH(b->arena, f->es->happening, h);
    ct_field_end_equation(f, end_port(f, end), wave_at(f, end, resistance, -1), arrives);
    ct_expr through = end ? resistance : ct_expr_neg(p, resistance);
    CT_PUSH(b->arena, f->rest, ((ct_field_rest){arrives, {ct_expr_int(p, 1), through}, false}));
}

/* Something must step in time, and be it time itself. */
static void add_age(field *f)
{
    builder *b = f->b;
    ct_name name = ct_intern_text(b->ctx, "age");
    ct_expr age = ct_expr_symbol(b->pool, name);
    ct_element_named n = {.name = name,
                          .whole = name,
                          .rows = 1,
                          .cols = 1,
                          .dim = seconds(),
                          .expr = age,
                          .place = f->place};
    CT_PUSH(b->arena, f->es->var, n);
    ct_field_equation(f, ct_expr_call1(b->pool, CT_OP_DER, age), ct_expr_int(b->pool, 1));
}

void ct_field_line_delay(field *f)
{
    ct_pool *p = f->b->pool;
    field_law law = f->law;
    if (ct_field_refuse_taps(f, "waves are known at the ends"))
        return;
    ct_expr resistance = root(p, ct_expr_div(p, law.l, law.c));
    ct_expr time = ct_expr_mul(p, f->length, root(p, ct_expr_mul(p, law.l, law.c)));
    f->es->out->lags = true;
    add_wave(f, 0, time, resistance);
    add_wave(f, 1, time, resistance);
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

/* rig_values.c - values of parameters, and whether equations derived without them hold for them. */
#include <math.h>

#include "mechanics/mechanics.h"
#include "simulate/rig.h"

/* ---- values of parameters */

static double look_up(const void *user, ct_name symbol)
{
    const ct_rig *rig = user;
    ct_quantities q = {rig->machine->model, rig->value};
    return ct_look_up(&q, symbol);
}

double ct_rig_value(const ct_rig *rig, ct_expr e)
{
    return ct_expr_value(rig->machine->pool, e, look_up, rig);
}

typedef struct somewhere {
    const ct_rig *rig;
    double t;
    const double *z;
} somewhere;

static double look_up_there(const void *user, ct_name symbol)
{
    const somewhere *at = user;
    const ct_machine *m = at->rig->machine;
    uint32_t z = ct_map_get(&m->z_index, symbol);
    ct_expr driven = ct_map_get(m->driven->driver, symbol);
    if (symbol == m->time)
        return at->t;
    if (z && z <= m->n + m->m)
        return at->z[z - 1];
    if (driven)
        return ct_expr_value(m->pool, driven, look_up_there, user);
    double value = look_up(at->rig, symbol);
    return isnan(value) ? 0 : value;
}

double ct_rig_value_at(const ct_rig *rig, double t, const double *z, ct_expr e)
{
    somewhere at = {rig, t, z};
    return ct_expr_value(rig->machine->pool, e, look_up_there, &at);
}

/* Missing are those at the end of the chain of defaults, each reported once. */
static void report_missing(const ct_rig *rig, ct_name name)
{
    const ct_machine *m = rig->machine;
    ct_name_list stack = {0};
    CT_PUSH(rig->arena, stack, name);
    while (stack.count) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, stack.at[--stack.count]);
        if (!q || isfinite(rig->value[q - 1]))
            continue;
        const ct_quantity *quantity = &m->model->quantity[q - 1];
        ct_name_list needs = {0};
        if (quantity->value)
            needs = ct_symbols_of(m->pool, rig->arena, &quantity->value, 1);
        bool deeper = false;
        for (uint32_t i = 0; i < needs.count; i++)
            if (!isfinite(look_up(rig, needs.at[i]))) {
                CT_PUSH(rig->arena, stack, needs.at[i]);
                deeper = true;
            }
        if (deeper)
            continue;
        const char *text = ct_name_text(m->ctx, quantity->name);
        const char *kind = quantity->kind == CT_DISCRETE ? "discrete" : "param";
        ct_report *r = ct_error(
            m->ctx, "E521", quantity->place,
            quantity->value ? "%s %s has no finite value" : "%s %s has no value", kind, text);
        ct_note_untested(m, r);
        ct_help(r, "give it one in the model, or with --set %s=...", text);
        ct_witness(r, text);
    }
}

bool ct_rig_take_parameters(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    bool good = true;
    rig->parameter = CT_NEW_ARRAY(rig->arena, double, m->parameter_count + 1);
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        rig->parameter[i] = look_up(rig, m->parameter[i]);
        if (isfinite(rig->parameter[i]))
            continue;
        report_missing(rig, m->parameter[i]);
        good = false;
    }
    for (uint32_t i = 0; i < m->driven->discrete_count; i++) { /* without a value: zero */
        uint32_t q = m->driven->discrete[i];
        if (!m->model->quantity[q].value || !isnan(rig->value[q]))
            continue;
        report_missing(rig, m->model->quantity[q].name);
        good = false;
    }
    return good;
}

/* ---- divisors and inertias */

static const double *values_of(ct_rig *rig, const ct_program *program, uint32_t count)
{
    double *value = CT_NEW_ARRAY(rig->arena, double, count + 1);
    double *work = ct_program_prepared(rig->arena, program, rig->parameter);
    ct_program_run(program, value, value, work);
    return value;
}

/* The parameters to blame: those that are zero, or else all. */
static const char *blame(const ct_rig *rig, ct_expr pivot, ct_report *report)
{
    const ct_machine *m = rig->machine;
    ct_text text = ct_text_new(m->ctx->base);
    ct_name_list symbols = ct_symbols_of(m->pool, rig->arena, &pivot, 1);
    for (int zeros = 1; zeros >= 0 && text.length == 0; zeros--)
        for (uint32_t i = 0; i < symbols.count; i++) {
            double value = look_up(rig, symbols.at[i]);
            const char *name = ct_name_text(m->ctx, symbols.at[i]);
            if (zeros && value != 0)
                continue;
            if (report)
                ct_witness(report, name);
            ct_putf(&text, "%s%s = %g", text.length ? ", " : "", name, value);
        }
    return text.length ? ct_text_string(&text) : "a parameter";
}

static void report_pivot(const ct_rig *rig, ct_expr pivot, double value)
{
    const ct_machine *m = rig->machine;
    ct_text text = ct_text_new(m->ctx->base);
    ct_expr_put(m->pool, &text, pivot);
    if (*ct_text_string(&text) == '-') { /* the sign of a divisor is of no interest */
        text = ct_text_new(m->ctx->base);
        ct_expr_put(m->pool, &text, ct_expr_neg(m->pool, pivot));
    }
    ct_name_list symbols = ct_symbols_of(m->pool, rig->arena, &pivot, 1);
    uint32_t q = symbols.count ? ct_map_get(m->model->quantity_by_name, symbols.at[0]) : 0;
    ct_report *r = ct_error(m->ctx, "E522", q ? m->model->quantity[q - 1].place : (ct_place){0},
                            "%s makes a divisor %s", blame(rig, pivot, NULL),
                            value == 0 ? "zero" : "infinite or undefined");
    blame(rig, pivot, r);
    if (text.length < 200)
        ct_note(r, "the equations are divided by %s", ct_text_string(&text));
    ct_help(r,
            "write it as a `const` or as the number 0, so that the equations are derived with it");
}

bool ct_rig_check_pivots(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    const double *value = values_of(rig, m->pivots, m->pivot_count);
    for (uint32_t i = 0; i < m->pivot_count; i++)
        if (value[i] == 0 || !isfinite(value[i])) {
            report_pivot(rig, m->pivot[i], value[i]);
            return false;
        }
    return true;
}

/* Parameters have their values, anything else some value: what vanishes then, vanishes always. */
static double look_up_anywhere(const void *user, ct_name symbol)
{
    double value = look_up(user, symbol);
    return isnan(value) ? 0.3 + (double)(symbol % 97) / 100 : value;
}

static void report_inertia(const ct_rig *rig, const ct_mechanics_inertia *inertia)
{
    const ct_machine *m = rig->machine;
    const ct_body *body = &m->reduced->system->mechanics->mechanism->body[inertia->body];
    const char *name = ct_name_text(m->ctx, body->name);
    ct_report *r = ct_error(m->ctx, "E605", body->place, "%s can move but has no inertia: %s", name,
                            blame(rig, inertia->own, NULL));
    ct_witness(r, name);
    blame(rig, inertia->own, r);
    ct_note(r, "the equations were derived with its mass and inertia as symbols, and divided by "
               "them");
    ct_help(r, "give it a mass and an inertia; or write the number 0 for them, so that the "
               "equations are derived for a body without mass");
}

/* What bodies weigh, roughly: an inertia that is a smaller part of it is a rounded zero. */
#define ROUNDED_ZERO 1e-13

static double all_inertia(const ct_rig *rig)
{
    const ct_mechanics *m = rig->machine->reduced->system->mechanics;
    const ct_mechanism *mech = m->mechanism;
    double sum = 0;
    for (uint32_t i = 1; i < mech->body_count; i++)
        sum += fabs(ct_expr_value(m->pool, mech->body[i].mass, look_up_anywhere, rig));
    return sum;
}

bool ct_rig_check_inertias(const ct_rig *rig)
{
    const ct_mechanics *m = rig->machine->reduced->system->mechanics;
    for (uint32_t i = 0; m && i < m->inertia_count; i++) {
        const ct_mechanics_inertia *a = &m->inertia[i];
        if (ct_expr_value(m->pool, a->own, look_up_anywhere, rig) != 0)
            continue;
        double value = ct_expr_value(m->pool, a->value, look_up_anywhere, rig);
        if (fabs(value) > ROUNDED_ZERO * all_inertia(rig))
            continue;
        report_inertia(rig, a);
        return false;
    }
    return true;
}

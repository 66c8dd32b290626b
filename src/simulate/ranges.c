/* ranges.c - limits of parameters that vary, judged at a point of a run: a capacitance that a
 * condition makes zero. */
#include <math.h>

#include "simulate/machine.h"

static const double beside = 1e-9; /* of the run: both sides of an instant */

typedef struct judging {
    const ct_rig *rig;
    double t, told; /* a hair beside, and what is told */
    const double *z;
    ct_arena *scratch;
    const ct_reduced *reduced; /* a view; NULL: not needed yet */
} judging;

/* NaN: not known here. */
static double look_up(const void *user, ct_name symbol)
{
    const judging *j = user;
    const ct_machine *m = j->rig->machine;
    uint32_t z = ct_map_get(&m->z_index, symbol);
    if (symbol == m->time)
        return j->t;
    if (z && z <= m->n + m->m)
        return j->z[z - 1];
    ct_expr driven = ct_map_get(m->driven->driver, symbol);
    if (driven)
        return ct_expr_value(m->pool, driven, look_up, user);
    return z && z <= m->z_count ? j->rig->variable[z - 1]
                                : ct_rig_value(j->rig, ct_expr_symbol(m->pool, symbol));
}

/* Are all its symbols known here? A comparison with one that is not would have a side. */
static bool is_known(const judging *j, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(j->rig->machine->pool, e, &symbol);
    bool known = true;
    for (uint32_t i = 0; i < count && known; i++)
        known = !isnan(look_up(j, symbol[i]));
    return known;
}

/* NaN: it cannot be told. */
static double value_of(judging *j, ct_expr e)
{
    const ct_machine *m = j->rig->machine;
    if (e && !is_known(j, e) && m->reduced->maker) {
        if (!j->reduced)
            j->reduced = ct_reduced_view(m->reduced, j->scratch);
        e = ct_reduced_express(j->reduced, e, (ct_place){0});
    }
    return e && is_known(j, e) ? ct_expr_value(m->pool, e, look_up, j) : NAN;
}

static void report(const judging *j, uint32_t component, const ct_element_param *p, double value,
                   const char *limit)
{
    const ct_machine *m = j->rig->machine;
    const ct_component *c = &m->model->component[component];
    ct_text unit = ct_text_new(m->ctx->base);
    if (!ct_dim_is_one(p->dim)) {
        ct_put_char(&unit, ' ');
        ct_dim_put(&unit, p->dim);
    }
    const char *name = ct_name_text(m->ctx, p->name);
    ct_report *r = ct_error(m->ctx, "E224", c->place,
                            "`%s` = %.4g%s is out of range at t = %.9g s: it must be %s", name,
                            value, ct_text_string(&unit), j->told, limit);
    if (p->doc)
        ct_note(r, "%s: %s", name, p->doc);
    ct_witness(r, ct_name_text(m->ctx, c->name));
}

static bool varies(const ct_model *model, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(model->pool, e, &symbol);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t q = ct_map_get(model->quantity_by_name, symbol[i]);
        any |= !q || model->quantity[q - 1].kind != CT_PARAM;
    }
    return any;
}

/* At a bound rounding may be beyond it. */
static bool holds(double value, ct_comparison relation, double bound)
{
    static const double rounding = 1e-14;
    bool closed = relation == CT_LESS_EQUAL || relation == CT_GREATER_EQUAL;
    return ct_limit_holds(value, relation, bound) ||
           (closed && fabs(value - bound) <= rounding * fabs(bound));
}

/* Those that are numbers have been judged before. */
static bool is_out(judging *j, uint32_t component, const ct_element_param *p, ct_expr e)
{
    const ct_model *model = j->rig->machine->model;
    if (!e || !varies(model, e))
        return false;
    for (uint32_t k = 0; k < p->limit_count; k++) {
        ct_expr bound = p->limit[k].bound;
        bound = bound ? ct_component_instance(model, component, bound) : 0;
        double value = value_of(j, e), most = value_of(j, bound);
        if (isnan(value) || isnan(most) || holds(value, p->limit[k].relation, most))
            continue;
        report(
            j, component, p, value,
            ct_printf(j->rig->machine->ctx, "%s %.10g", ct_limit_text(p->limit[k].relation), most));
        return true;
    }
    return false;
}

static bool judge(judging *j)
{
    const ct_model *model = j->rig->machine->model;
    for (uint32_t c = 0; c < model->component_count; c++) {
        const ct_element *e = model->element[model->component[c].element];
        const ct_expr *slot = e->limited ? ct_component_params(model, c) : NULL;
        for (uint32_t p = 0; slot && p < e->param_count; p++)
            if (e->param[p].rows * e->param[p].cols == 1 &&
                is_out(j, c, &e->param[p], slot[e->param[p].slot]))
                return true;
    }
    return false;
}

bool ct_report_range_at(const ct_rig *rig, double t, const double *z, ct_judged sides)
{
    double hair = beside * (rig->span > 0 ? rig->span : 1);
    judging j = {.rig = rig, .told = t, .z = z, .scratch = ct_arena_new(rig->machine->ctx)};
    bool out = false;
    for (int side = sides == CT_AFTER ? 1 : -1; side <= (sides == CT_BEFORE ? -1 : 1) && !out;
         side += 2) {
        j.t = t + side * hair;
        out = judge(&j);
    }
    ct_arena_free(j.scratch);
    return out;
}

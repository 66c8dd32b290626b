/* variables.c - what the equations are about: states, unknowns, inputs, outputs, parameters. */
#include <math.h>
#include <string.h>

#include "equations/equations.h"

/* ---- units */

static const char *plain_unit(const ct_model *m, ct_symbol s)
{
    static const char *const motion[2][2] = {{"m", "m/s"}, {"rad", "rad/s"}};
    const ct_element *e;
    switch ((ct_symbol_kind)s.kind) {
    case CT_SYMBOL_TIME:
        return "s";
    case CT_SYMBOL_COORDINATE:
        return motion[s.variable][s.part];
    case CT_SYMBOL_EDGE:
        e = m->element[m->component[s.owner].element];
        return ct_domain_row_at(e->edge[s.part].domain)->variable[s.variable].unit;
    case CT_SYMBOL_NODE:
        return ct_domain_row_at(m->node[s.owner].domain)->variable[s.variable].unit;
    case CT_SYMBOL_OWN:
        return ct_dim_text(m->ctx->base,
                           m->element[m->component[s.owner].element]->var[s.part].dim);
    default:
        return "";
    }
}

/* Of a rate: that of the variable, by seconds. */
const char *ct_symbol_unit(const ct_model *m, ct_name symbol)
{
    uint32_t order;
    const char *problem, *hint;
    ct_unit unit;
    ct_dim second = {.e[CT_SECOND] = 1};
    ct_name base = ct_base_symbol(m->symbols, symbol, &order);
    const char *text = plain_unit(m, ct_symbol_of(m->symbols, base));
    if (!order || !*text || !ct_unit_read(m->ctx, text, strlen(text), &unit, &problem, &hint))
        return text;
    return ct_dim_text(m->ctx->base, ct_dim_product(unit.dim, second, -(double)order));
}

/* Terms and factors that count as they are: with 1 or -1. */
static bool is_plus_minus_one(const ct_model *m, ct_expr e)
{
    return ct_expr_is_number(m->pool, e) && fabs(ct_expr_to_double(m->pool, e)) == 1;
}

static bool is_plain(const ct_model *m, ct_expr e)
{
    bool sum = ct_expr_kind_of(m->pool, e) == CT_EXPR_SUM;
    bool good =
        sum ? ct_expr_is_zero(m->pool, ct_expr_constant(m->pool, e))
            : ct_expr_arity(m->pool, e) == 1 && is_plus_minus_one(m, ct_expr_constant(m->pool, e));
    for (uint32_t i = 0; good && i < ct_expr_arity(m->pool, e); i++)
        good = is_plus_minus_one(m, ct_expr_coefficient(m->pool, e, i)) &&
               ct_expr_kind_of(m->pool, ct_expr_operand(m->pool, e, i)) == CT_EXPR_SYMBOL;
    return good;
}

const char *ct_expr_unit(const ct_model *m, ct_expr e)
{
    const char *unit = "";
    ct_expr_kind kind = ct_expr_kind_of(m->pool, e);
    if (kind == CT_EXPR_SYMBOL)
        unit = ct_symbol_unit(m, ct_expr_name(m->pool, e));
    else if ((kind != CT_EXPR_SUM && kind != CT_EXPR_PRODUCT) || !is_plain(m, e))
        return NULL;
    for (uint32_t i = 0; i < ct_expr_arity(m->pool, e); i++) {
        const char *own = ct_symbol_unit(m, ct_expr_name(m->pool, ct_expr_operand(m->pool, e, i)));
        if (i && strcmp(own, unit) != 0)
            return NULL;
        unit = own;
    }
    return *unit ? unit : NULL;
}

/* ---- lists */

/* Symbol -> start of the model that gives it a value, plus 1. */
static void index_starts(const ct_model *m, ct_map *start)
{
    for (uint32_t i = m->start_count; i-- > 0;)
        if (ct_expr_kind_of(m->pool, m->start[i].variable) == CT_EXPR_SYMBOL)
            ct_map_put(start, ct_expr_name(m->pool, m->start[i].variable), i + 1);
}

static ct_variable unknown_of(const ct_equations *e, uint32_t unknown, const ct_map *starts)
{
    const ct_model *m = e->model;
    ct_name name = e->reduced->system->unknown[unknown].name;
    uint32_t start = ct_map_get(starts, name);
    ct_variable v = {.name = ct_name_text(m->ctx, name),
                     .unit = ct_symbol_unit(m, name),
                     .start = start ? m->start[start - 1].value : 0};
    ct_unknown_owner(e->reduced->system, unknown, &v.place);
    v.number = v.start ? ct_model_value(m, v.start) : NAN;
    return v;
}

static void list_unknowns(ct_equations *e, ct_variable_kind kind, const uint32_t *unknown,
                          uint32_t count, const ct_map *starts)
{
    ct_variable *list = CT_NEW_ARRAY(e->arena, ct_variable, count + 1);
    for (uint32_t i = 0; i < count; i++)
        list[i] = unknown_of(e, unknown[i], starts);
    e->variable[kind] = list, e->variable_count[kind] = count;
}

/* What drives an input may move: then there is no number. */
static double default_of(const ct_model *m, uint32_t quantity)
{
    const ct_quantity *q = &m->quantity[quantity];
    return q->kind == CT_PARAM || !q->value ? m->quantity_value[quantity]
                                            : ct_model_value(m, q->value);
}

static void list_quantities(ct_equations *e, ct_variable_kind kind, ct_quantity_kind which)
{
    const ct_model *m = e->model;
    ct_variable *list = CT_NEW_ARRAY(e->arena, ct_variable, m->quantity_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->quantity_count; i++) {
        const ct_quantity *q = &m->quantity[i];
        if (q->kind == which)
            list[count++] = (ct_variable){.name = ct_name_text(m->ctx, q->name),
                                          .unit = ct_dim_text(m->ctx->base, q->dim),
                                          .place = q->place,
                                          .value = q->value,
                                          .number = default_of(m, i)};
    }
    e->variable[kind] = list, e->variable_count[kind] = count;
}

/* As the model writes them, in terms of states, unknowns and inputs. */
static bool list_outputs(ct_equations *e)
{
    const ct_model *m = e->model;
    ct_variable *list = CT_NEW_ARRAY(e->arena, ct_variable, m->output_count + 1);
    for (uint32_t i = 0; i < m->output_count; i++) {
        const ct_output *o = &m->output[i];
        list[i] = (ct_variable){.name = o->name,
                                .unit = ct_dim_text(m->ctx->base, o->dim),
                                .place = o->place,
                                .value = ct_reduced_express(e->reduced, o->expr, o->place),
                                .number = NAN};
        if (!list[i].value)
            return false;
    }
    e->variable[CT_VARIABLE_OUTPUT] = list;
    e->variable_count[CT_VARIABLE_OUTPUT] = m->output_count;
    return true;
}

bool ct_list_all_variables(ct_equations *e)
{
    const ct_reduced *r = e->reduced;
    ct_map starts;
    ct_map_init(&starts, e->arena);
    index_starts(e->model, &starts);
    list_unknowns(e, CT_VARIABLE_STATE, r->state, r->state_count, &starts);
    list_unknowns(e, CT_VARIABLE_ALGEBRAIC, r->algebraic, r->algebraic_count, &starts);
    list_quantities(e, CT_VARIABLE_INPUT, CT_INPUT);
    list_quantities(e, CT_VARIABLE_PARAMETER, CT_PARAM);
    return list_outputs(e);
}

/* instance.c - an element's template with the symbols and values of one component. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "model/model.h"

static const ct_element *element_of(const ct_model *m, uint32_t component)
{
    return m->element[m->component[component].element];
}

static ct_name join(const ct_model *m, ct_name a, const char *text)
{
    return ct_intern_joined(m->ctx, ct_name_text(m->ctx, a), ".", text);
}

/* `X`, or the entry `X[2]` of a vector. */
static ct_name entry_of(const ct_model *m, ct_name name, uint32_t width, uint32_t part)
{
    return width <= 1 ? name : ct_entry_symbol(m->symbols, name, part + 1);
}

ct_element_named ct_single_named(ct_name name, ct_expr expr, ct_place place)
{
    return (ct_element_named){
        .name = name, .whole = name, .rows = 1, .cols = 1, .expr = expr, .place = place};
}

/* `B`, `B.u`, `B.u[2]`, `B.Z[1,2]` */
static ct_name own_name(const ct_model *m, uint32_t component, const ct_element_named *n)
{
    ct_name owner = m->component[component].name;
    if (n->use == CT_OWN_ITSELF)
        return owner;
    if (n->cols > 1)
        return join(m, owner, ct_name_text(m->ctx, n->name));
    return entry_of(m, join(m, owner, ct_name_text(m->ctx, n->whole)), n->rows, n->part);
}

/* Name of an edge without its entry: `K3`, or `T1.e2` when there are several. */
static ct_name whole_edge(const ct_model *m, uint32_t component, uint32_t edge)
{
    const ct_element *e = element_of(m, component);
    ct_name name = m->component[component].name;
    return e->edge_count == e->edge[edge].width
               ? name
               : join(m, name, ct_name_text(m->ctx, e->edge[edge].whole));
}

ct_name ct_edge_name(const ct_model *m, uint32_t component, uint32_t edge)
{
    const ct_element_edge *e = &element_of(m, component)->edge[edge];
    return entry_of(m, whole_edge(m, component, edge), e->width, e->part);
}

/* An entry is counted behind the variable: `K3.F[2]`. */
ct_name ct_edge_variable(const ct_model *m, uint32_t component, uint32_t edge, uint32_t row)
{
    const ct_element_edge *e = &element_of(m, component)->edge[edge];
    const char *variable = ct_domain_row_at(e->domain)->variable[row].name;
    ct_name name = join(m, whole_edge(m, component, edge), variable);
    return ct_symbol_note(m->symbols, entry_of(m, name, e->width, e->part),
                          (ct_symbol){.kind = CT_SYMBOL_EDGE,
                                      .owner = component,
                                      .part = (uint16_t)edge,
                                      .variable = (uint8_t)row});
}

ct_name ct_own_variable(const ct_model *m, uint32_t component, uint32_t var)
{
    const ct_element_named *own = &element_of(m, component)->var[var];
    return ct_symbol_note(m->symbols, own_name(m, component, own),
                          (ct_symbol){.kind = CT_SYMBOL_OWN,
                                      .owner = component,
                                      .part = (uint16_t)var,
                                      .variable = (uint8_t)own->use});
}

ct_own_use ct_use_of(const ct_model *m, ct_name symbol)
{
    uint32_t order;
    ct_symbol s = ct_symbol_of(m->symbols, ct_base_symbol(m->symbols, symbol, &order));
    return s.kind == CT_SYMBOL_OWN ? (ct_own_use)s.variable : CT_OWN_PLAIN;
}

ct_name ct_own_discrete(const ct_model *m, uint32_t component, uint32_t discrete)
{
    return own_name(m, component, &element_of(m, component)->discrete[discrete]);
}

ct_name ct_pre_symbol(ct_context *ctx, ct_name discrete)
{
    return ct_intern_format(ctx, "pre(%s)", ct_name_text(ctx, discrete));
}

ct_name ct_push_symbol(ct_context *ctx, ct_name variable)
{
    return ct_intern_format(ctx, "push(%s)", ct_name_text(ctx, variable));
}

ct_name ct_node_variable(const ct_model *m, uint32_t node, uint32_t row)
{
    const ct_model_node *n = &m->node[node];
    const char *variable = ct_domain_row_at(n->domain)->variable[row].name;
    ct_name name = join(m, n->width ? n->whole : n->name, variable);
    return ct_symbol_note(
        m->symbols, n->width ? ct_entry_symbol(m->symbols, name, n->part + 1u) : name,
        (ct_symbol){.kind = CT_SYMBOL_NODE, .owner = node, .variable = (uint8_t)row});
}

ct_name ct_template_variable(const ct_model *m, const ct_element *e, uint32_t edge, uint32_t row)
{
    return join(m, e->edge[edge].name, ct_domain_row_at(e->edge[edge].domain)->variable[row].name);
}

bool ct_model_moves(const ct_model *m, ct_name symbol)
{
    uint32_t order;
    uint32_t q = ct_map_get(m->quantity_by_name, ct_base_symbol(m->symbols, symbol, &order));
    return q && (m->quantity[q - 1].kind == CT_INPUT || m->quantity[q - 1].lag);
}

/* ---- what stands for what */

typedef struct binding {
    ct_arena *arena;
    CT_VEC(ct_name) symbol;
    CT_VEC(ct_expr) value;
} binding;

static void bind(binding *list, ct_name symbol, ct_expr value)
{
    CT_PUSH(list->arena, list->symbol, symbol);
    CT_PUSH(list->arena, list->value, value);
}

static void bind_variables(const ct_model *m, uint32_t component, binding *list)
{
    const ct_element *e = element_of(m, component);
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const ct_variable_row *row = ct_domain_row_at(e->edge[i].domain)->variable;
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++)
            bind(list, ct_template_variable(m, e, i, k),
                 ct_expr_symbol(m->pool, ct_edge_variable(m, component, i, k)));
    }
    for (uint32_t i = 0; i < e->var_count; i++)
        bind(list, e->var[i].name, ct_expr_symbol(m->pool, ct_own_variable(m, component, i)));
    for (uint32_t i = 0; i < e->discrete_count; i++) {
        ct_name own = ct_own_discrete(m, component, i);
        bind(list, e->discrete[i].name, ct_expr_symbol(m->pool, own));
        bind(list, ct_pre_symbol(m->ctx, e->discrete[i].name),
             ct_expr_symbol(m->pool, ct_pre_symbol(m->ctx, own)));
    }
}

static ct_expr *params_of(const ct_model *m, uint32_t component)
{
    const ct_element *e = element_of(m, component);
    const ct_expr *given = m->param_value + m->component[component].value;
    ct_expr *value = CT_NEW_ARRAY(m->arena, ct_expr, e->slot_count + 1);
    for (uint32_t k = 0; k < e->param_count; k++) {
        const ct_element_param *p = &e->param[k];
        for (uint32_t i = 0, s = p->slot; i < p->rows * p->cols; i++, s++) {
            value[s] = given[s] ? given[s] : ct_default_of(p, i);
            value[s] = value[s] ? value[s] : ct_expr_symbol(m->pool, e->slot_name[s]);
        }
    }
    return value;
}

/* Defaults name symbols of the element, given values those of the model, which may be called the
 * same. So each default is put in once, when all that it names is known. */
static ct_expr *bind_params(const ct_model *m, uint32_t component, binding *list)
{
    const ct_element *e = element_of(m, component);
    uint32_t first = list->symbol.count;
    const ct_expr *plain = params_of(m, component),
                  *given = m->param_value + m->component[component].value;
    for (uint32_t s = 0; s < e->slot_count; s++)
        bind(list, e->slot_name[s], plain[s]);
    ct_expr *value = list->value.at + first;
    for (uint32_t k = 0; k < e->computed_count; k++) {
        const ct_element_param *p = &e->param[e->computed[k]];
        if (!given[p->slot])
            ct_expr_substitute_all(m->pool, value + p->slot, value + p->slot, p->rows * p->cols,
                                   list->symbol.at, list->value.at, list->symbol.count);
    }
    return value;
}

static bool all_given(const ct_expr *given, uint32_t count)
{
    while (count && given[count - 1])
        count--;
    return count == 0;
}

const ct_expr *ct_component_params(const ct_model *m, uint32_t component)
{
    const ct_element *e = element_of(m, component);
    const ct_expr *given = m->param_value + m->component[component].value;
    binding list = {.arena = m->arena};
    if (all_given(given, e->slot_count))
        return given;
    if (!e->computed_count)
        return params_of(m, component);
    bind_variables(m, component, &list);
    return bind_params(m, component, &list);
}

static void bind_slopes(const ct_model *m, uint32_t component, binding *list)
{
    const ct_element *e = element_of(m, component);
    for (uint32_t i = 0; i < e->slope_count; i++)
        bind(list, e->slope[i].name,
             ct_slope_value(m, &e->slope[i], list->symbol.at, list->value.at, list->symbol.count));
}

static binding bind_all(const ct_model *m, uint32_t component)
{
    binding list = {.arena = m->arena};
    bind_variables(m, component, &list);
    bind_params(m, component, &list);
    bind_slopes(m, component, &list);
    return list;
}

void ct_component_instances(const ct_model *m, uint32_t component, const ct_expr *template,
                            ct_expr *out, uint32_t count)
{
    binding list = bind_all(m, component);
    ct_expr_substitute_all(m->pool, template, out, count, list.symbol.at, list.value.at,
                           list.symbol.count);
}

ct_expr ct_component_instance(const ct_model *m, uint32_t component, ct_expr template)
{
    binding list = bind_all(m, component);
    return ct_expr_substitute(m->pool, template, list.symbol.at, list.value.at, list.symbol.count);
}

bool ct_model_is_guessed(const ct_model *m, double t, double *before)
{
    *before = -1e-200;
    for (uint32_t i = 0; i < m->start_count && t == 0; i++)
        if (m->start[i].guess)
            return true;
    return false;
}

/* instance.c - an element's template with the symbols and values of one component. */
#include <math.h>

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

ct_name ct_edge_name(const ct_model *m, uint32_t component, uint32_t edge)
{
    const ct_element *e = element_of(m, component);
    ct_name name = m->component[component].name;
    return e->edge_count == 1 ? name : join(m, name, ct_name_text(m->ctx, e->edge[edge].name));
}

ct_name ct_edge_variable(const ct_model *m, uint32_t component, uint32_t edge, uint32_t row)
{
    uint32_t domain = element_of(m, component)->edge[edge].domain;
    const char *variable = ct_domain_row_at(domain)->variable[row].name;
    return ct_symbol_note(m->symbols, join(m, ct_edge_name(m, component, edge), variable),
                          (ct_symbol){.kind = CT_SYMBOL_EDGE,
                                      .owner = component,
                                      .part = (uint16_t)edge,
                                      .variable = (uint8_t)row});
}

ct_name ct_own_variable(const ct_model *m, uint32_t component, uint32_t var)
{
    ct_name own = element_of(m, component)->var[var].name;
    return ct_symbol_note(
        m->symbols, join(m, m->component[component].name, ct_name_text(m->ctx, own)),
        (ct_symbol){.kind = CT_SYMBOL_OWN, .owner = component, .part = (uint16_t)var});
}

ct_name ct_node_variable(const ct_model *m, uint32_t node, uint32_t row)
{
    const ct_model_node *n = &m->node[node];
    return ct_symbol_note(
        m->symbols, join(m, n->name, ct_domain_row_at(n->domain)->variable[row].name),
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
    return q && m->quantity[q - 1].kind == CT_INPUT;
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

static ct_name slot_symbol(const ct_model *m, const ct_element_param *p, uint32_t i)
{
    const char *text = ct_name_text(m->ctx, p->name);
    if (p->rows == 1 && p->cols == 1)
        return p->name;
    if (p->cols == 1)
        return ct_intern_format(m->ctx, "%s[%u]", text, i + 1);
    return ct_intern_text(m->ctx,
                          ct_printf(m->ctx, "%s[%u,%u]", text, i / p->cols + 1, i % p->cols + 1));
}

static void bind_param(const ct_model *m, const ct_element_param *p, const ct_expr *given,
                       binding *list)
{
    for (uint32_t i = 0; i < p->rows * p->cols; i++) {
        ct_name symbol = slot_symbol(m, p, i);
        ct_expr value = given[p->slot + i];
        if (!value)
            value = p->cell_fallback ? p->cell_fallback[i] : p->fallback;
        bind(list, symbol, value ? value : ct_expr_symbol(m->pool, symbol));
    }
}

/* Defaults may name other parameters in any order: put them in until nothing changes. Circles were
 * refused when the element was read. */
static void bind_params(const ct_model *m, uint32_t component, binding *list)
{
    const ct_element *e = element_of(m, component);
    const ct_expr *given = m->param_value + m->component[component].value;
    for (uint32_t k = 0; k < e->param_count; k++)
        bind_param(m, &e->param[k], given, list);
    bool changed = true;
    for (uint32_t round = 0; changed && round < list->symbol.count; round++) {
        changed = false;
        for (uint32_t i = 0; i < list->symbol.count; i++) {
            ct_expr old = list->value.at[i];
            if (given[i])
                continue;
            list->value.at[i] = ct_expr_substitute(m->pool, old, list->symbol.at, list->value.at,
                                                   list->symbol.count);
            changed |= list->value.at[i] != old;
        }
    }
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
}

ct_expr ct_component_param(const ct_model *m, uint32_t component, uint32_t slot)
{
    ct_expr given = m->param_value[m->component[component].value + slot];
    if (given)
        return given;
    binding list = {.arena = m->arena};
    bind_params(m, component, &list);
    return list.value.at[slot];
}

ct_expr ct_component_instance(const ct_model *m, uint32_t component, ct_expr template)
{
    binding list = {.arena = m->arena};
    bind_params(m, component, &list);
    bind_variables(m, component, &list);
    return ct_expr_substitute(m->pool, template, list.symbol.at, list.value.at, list.symbol.count);
}

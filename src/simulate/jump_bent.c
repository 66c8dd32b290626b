/* jump_bent.c - parts that are not linear, and which jumps send an impulse through them: for
 * messages. */
#include "simulate/jump.h"

enum { MOST = 64 }; /* variables of a component */

static uint32_t list_variables(const ct_machine *m, uint32_t component, ct_name *variable)
{
    const ct_element *element = m->model->element[m->model->component[component].element];
    uint32_t count = 0;
    for (uint32_t e = 0; e < element->edge_count; e++) {
        const ct_variable_row *row = ct_domain_row_at(element->edge[e].domain)->variable;
        for (uint32_t v = 0; v < CT_DOMAIN_VARIABLES && row[v].name && count < MOST; v++)
            if (row[v].order == 0)
                variable[count++] = ct_edge_variable(m->model, component, e, v);
    }
    return count;
}

/* Does a slope of the law by one of the variables read one of them? */
static bool is_law_bent(const ct_machine *m, ct_expr law, const ct_name *variable, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ct_expr slope = ct_expr_diff(m->pool, law, variable[i]);
        for (uint32_t k = 0; k < count && slope; k++)
            if (ct_expr_has(m->pool, slope, variable[k]))
                return true;
    }
    return false;
}

static bool is_bent(const ct_machine *m, uint32_t component)
{
    const ct_element *element = m->model->element[m->model->component[component].element];
    ct_name variable[2 * MOST];
    uint32_t count = list_variables(m, component, variable), laws = element->equation_count;
    for (uint32_t i = 0; i < count; i++)
        variable[count + i] = ct_rate_symbol(m->model->symbols, variable[i]);
    ct_expr *law = CT_NEW_ARRAY(m->arena, ct_expr, laws + 1);
    for (uint32_t e = 0; e < laws; e++)
        law[e] = ct_expr_sub(m->pool, element->equation[e].left, element->equation[e].right);
    ct_component_instances(m->model, component, law, law, laws);
    uint32_t e = 0;
    while (e < laws && !is_law_bent(m, law[e], variable, 2 * count))
        e++;
    return e < laws;
}

static void add_struck(ct_machine *m, uint32_t component, uint32_t slack, uint32_t w)
{
    CT_PUSH(m->arena, m->jumps->struck, ((ct_struck){component, slack, w}));
}

/* Impulses in a variable: by slacks, and by algebraic unknowns. */
static void list_struck(ct_machine *m, uint32_t component, ct_name variable)
{
    const ct_reduced *r = m->reduced;
    ct_expr e = ct_reduced_express(r, ct_expr_symbol(m->pool, variable), (ct_place){0});
    for (uint32_t i = 0; e && i < r->slack_count; i++)
        if (ct_expr_has(m->pool, e, ct_rate_symbol(m->model->symbols, r->slack[i].symbol)))
            add_struck(m, component, i, 0);
    for (uint32_t i = 0; e && i < m->m; i++)
        if (ct_expr_has(m->pool, e, r->system->unknown[r->algebraic[i]].name))
            add_struck(m, component, UINT32_MAX, i);
}

void ct_list_struck(ct_machine *m)
{
    ct_map known; /* by element: 1: linear, 2: not */
    ct_map_init(&known, m->arena);
    for (uint32_t c = 0; c < m->model->component_count; c++) {
        uint32_t key = m->model->component[c].element + 1;
        ct_name variable[MOST];
        if (!ct_map_get(&known, key))
            ct_map_put(&known, key, is_bent(m, c) ? 2 : 1);
        uint32_t count = ct_map_get(&known, key) == 2 ? list_variables(m, c, variable) : 0;
        for (uint32_t i = 0; i < count; i++)
            list_struck(m, c, variable[i]);
    }
}

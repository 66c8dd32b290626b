/* storage.c - what stores, and how it begins when nobody says. */
#include "simulate/machine.h"

/* ---- initial values that nobody gives
 *
 * Storage begins empty: voltages of capacitors, currents of inductors, elongations of springs.
 * These are the states of a normal tree, which begin at zero by themselves. Another tree has other
 * states, and must begin at the same point. */

/* Does an equation of the element read this variable of its edge? */
static bool is_read(const ct_model *m, const ct_element *e, uint32_t edge, const char *variable)
{
    ct_name name =
        ct_intern_joined(m->ctx, ct_name_text(m->ctx, e->edge[edge].name), ".", variable);
    for (uint32_t i = 0; i < e->equation_count; i++)
        if (ct_expr_has(m->pool, e->equation[i].left, name) ||
            ct_expr_has(m->pool, e->equation[i].right, name))
            return true;
    return false;
}

/* A spring stores by its elongation; one that is given by the rate of its force has none. */
static ct_name storage_variable(const ct_machine *m, const ct_graph_edge *e, uint32_t index)
{
    const ct_model *model = m->model;
    const ct_element *element = model->element[model->component[e->owner].element];
    const ct_domain_row *domain = ct_domain_row_at(element->edge[index].domain);
    bool across = e->class == CT_ACCUMULATOR;
    int position = -1, own = -1;
    for (int v = 0; v < CT_DOMAIN_VARIABLES && domain->variable[v].name; v++) {
        if (domain->variable[v].order == -1 &&
            is_read(model, element, index, domain->variable[v].name))
            position = v;
        if (domain->variable[v].order == 0 && domain->variable[v].across == across)
            own = v;
    }
    int row = e->class == CT_DELAY && position >= 0 ? position : own;
    return row < 0 ? 0 : ct_edge_variable(model, e->owner, index, (uint32_t)row);
}

typedef CT_VEC(ct_stored) stored_list;

/* ---- what bodies move
 *
 * An element between frames or on a joint has no start of its own: its ends are those of a port,
 * whose through variable loads the mechanism. */

/* Nodes of ports and datum nodes, by node; NULL: there is no mechanism. */
static bool *list_moved(const ct_machine *m)
{
    const ct_graph *g = m->reduced->system->graph;
    if (!m->model->mechanism)
        return NULL;
    bool *moved = CT_NEW_ARRAY(m->arena, bool, g->scalar_node_count + 1);
    for (uint32_t i = 0; i < g->scalar_node_count; i++)
        moved[i] = g->node[i].datum;
    for (uint32_t i = 0; i < g->scalar_edge_count; i++)
        if (m->model->component_flag[g->edge[i].owner] & CT_COMPONENT_PORT)
            moved[g->edge[i].tail] = moved[g->edge[i].head] = true;
    return moved;
}

/* What stores, in the order of the edges. */
static stored_list list_storage(const ct_machine *m)
{
    const ct_graph *g = m->reduced->system->graph;
    stored_list list = {0};
    for (uint32_t i = 0, index = 0; i < g->scalar_edge_count; i++) {
        index = i && g->edge[i - 1].owner == g->edge[i].owner ? index + 1 : 0;
        ct_tree_class class = g->edge[i].class;
        ct_name name = class == CT_ACCUMULATOR || class == CT_DELAY
                           ? storage_variable(m, &g->edge[i], index)
                           : 0;
        if (name)
            CT_PUSH(m->arena, list, ((ct_stored){name, i, index}));
    }
    return list;
}

/* ---- masses and inertias of networks beside a mechanism: part of the metric of starts */

static bool is_kinetic(const ct_graph *g, const ct_graph_edge *e)
{
    return e->class == CT_ACCUMULATOR && g->node[e->tail].datum &&
           g->domain[g->node[e->head].domain].across_head_minus_tail;
}

/* F = m a: m, over parameters; 1 where the element says it in another way. */
static ct_expr inertia_of(const ct_machine *m, const ct_stored *stored)
{
    uint32_t component = m->reduced->system->graph->edge[stored->edge].owner;
    const ct_element *e = m->model->element[m->model->component[component].element];
    const ct_variable_row *row = ct_domain_row_at(e->edge[stored->index].domain)->variable;
    ct_expr slope[2] = {0, 0}; /* by the acceleration, by the force */
    for (uint32_t q = 0; q < e->equation_count; q++)
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++) {
            ct_name symbol = ct_template_variable(m->model, e, stored->index, k);
            ct_expr all = ct_expr_sub(m->pool, e->equation[q].left, e->equation[q].right);
            if ((!row[k].across || row[k].order == 1) && ct_expr_has(m->pool, all, symbol))
                slope[!row[k].across] = ct_expr_diff(m->pool, all, symbol);
        }
    if (!slope[0] || !slope[1] || ct_expr_is_zero(m->pool, slope[1]))
        return ct_expr_int(m->pool, 1);
    ct_expr ratio = ct_expr_neg(m->pool, ct_expr_div(m->pool, slope[0], slope[1]));
    return ct_component_instance(m->model, component, ratio);
}

/* Takes them, and what bodies move, off the list. */
static bool split_storage(ct_machine *m, stored_list *names)
{
    const ct_graph *g = m->reduced->system->graph;
    bool *moved = list_moved(m), good = true;
    CT_VEC(ct_kinetic) kinetic = {0};
    ct_expr_list speed = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; moved && i < names->count; i++) {
        const ct_graph_edge *e = &g->edge[names->at[i].edge];
        if (moved[e->tail] && moved[e->head])
            continue;
        if (!is_kinetic(g, e)) {
            names->at[kept++] = names->at[i];
            continue;
        }
        ct_expr symbol = ct_expr_symbol(m->pool, names->at[i].variable);
        good &= ct_machine_express(m, symbol, (ct_place){0}, &speed);
        CT_PUSH(m->arena, kinetic, ((ct_kinetic){0, inertia_of(m, &names->at[i])}));
    }
    names->count = moved ? kept : names->count;
    good = good && ct_drive_all(m->driven, speed.at, speed.count);
    for (uint32_t i = 0; i < speed.count; i++)
        kinetic.at[i].speed = speed.at[i];
    m->kinetic = kinetic.at;
    m->kinetic_count = kinetic.count;
    return good;
}

/* Is every state a storage variable, or a position? Then all begin at zero anyway, unless something
 * is given that dependent storage has to share: which of them are states must not matter. */
static bool is_natural(const ct_machine *m, const ct_map *storage, const stored_list *names)
{
    const ct_reduced *r = m->reduced;
    bool given = false;
    for (uint32_t i = 0; i < m->model->start_count && !given; i++)
        given = !m->model->start[i].guess;
    for (uint32_t i = 0; i < names->count && given; i++) {
        uint32_t z = ct_map_get(&m->z_index, names->at[i].variable);
        if (!z || z > m->n)
            return false;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        ct_unknown_kind kind = r->system->unknown[r->state[i]].kind;
        bool edge = kind == CT_UNKNOWN_ACROSS || kind == CT_UNKNOWN_THROUGH;
        if (edge && !ct_map_get(storage, m->z[i]))
            return false;
    }
    return true;
}

bool ct_add_storage(ct_machine *m, ct_expr_list *variable, ct_expr_list *value)
{
    stored_list names = list_storage(m);
    ct_map storage;
    ct_map_init(&storage, m->arena);
    bool good = split_storage(m, &names);
    for (uint32_t i = 0; i < names.count; i++)
        ct_map_put(&storage, names.at[i].variable, 1);
    if (is_natural(m, &storage, &names))
        return good;
    for (uint32_t i = 0; i < m->model->start_count; i++) {
        ct_expr e = m->model->start[i].variable;
        if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
            continue;
        uint32_t z = ct_map_get(&m->z_index, ct_expr_name(m->pool, e));
        if (!m->model->start[i].guess || (z && z <= m->n))
            ct_map_put(&storage, ct_expr_name(m->pool, e), 2);
    }
    for (uint32_t i = 0; i < names.count; i++) {
        if (ct_map_get(&storage, names.at[i].variable) == 2)
            continue;
        ct_expr stored = ct_expr_symbol(m->pool, names.at[i].variable);
        good &= ct_machine_express(m, stored, (ct_place){0}, variable);
        CT_PUSH(m->arena, *value, ct_expr_int(m->pool, 0));
        CT_PUSH(m->arena, m->empty, names.at[i].variable);
    }
    return good;
}

/* ---- all that stores */

bool ct_list_stored(ct_machine *m)
{
    stored_list all = list_storage(m);
    ct_expr_list list = {0};
    CT_VEC(uint32_t) index = {0};
    bool good = true;
    for (uint32_t i = 0; i < all.count; i++) {
        ct_name name = all.at[i].variable;
        uint32_t z = ct_map_get(&m->z_index, name);
        CT_PUSH(m->arena, m->store, all.at[i]);
        if (z && z <= m->n)
            continue;
        good &= ct_machine_express(m, ct_expr_symbol(m->pool, name), (ct_place){0}, &list);
        CT_PUSH(m->arena, index, i);
    }
    if (!good || !ct_drive_all(m->driven, list.at, list.count))
        return false;
    ct_expr *expr = CT_NEW_ARRAY(m->arena, ct_expr, all.count + 1);
    for (uint32_t i = 0; i < list.count; i++)
        expr[index.at[i]] = list.at[i];
    m->dependent = expr;
    return true;
}

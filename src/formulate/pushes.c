/* pushes.c - for runs: an event that sets a variable sends an impulse through its edge.
 *
 * Where an event assigns the across variable of an edge, something beside the edge takes what its
 * through variable has no room for, and the other way round: `push(C1.v)` in the terminal equation
 * of C1. It is zero but at events; how rates depend on it tells how the impulse spreads, whatever
 * the tree.
 */
#include "formulate/formulation.h"
#include "mechanics/mechanics.h"

/* What stores its variable takes an impulse; what is open, too: a gap between two masses. What
 * dissipates would take it with infinite power. */
static bool takes_impulse(const formulation *f, uint32_t edge, bool across)
{
    ct_tree_class class = f->graph->edge[edge].class;
    return across ? class == CT_ACCUMULATOR || class == CT_THROUGH_DRIVER : class == CT_DELAY;
}

/* A component between the node and its datum. */
static bool beside_node(const formulation *f, uint32_t node, ct_symbol *edge)
{
    const ct_model *m = f->model;
    for (uint32_t e = 0; e < f->graph->scalar_edge_count; e++) {
        const ct_graph_edge *g = &f->graph->edge[e];
        uint32_t other = g->tail == node ? g->head : g->head == node ? g->tail : node;
        if (other == node || !f->graph->node[other].datum || g->owner >= m->component_count ||
            !takes_impulse(f, e, true))
            continue;
        *edge = (ct_symbol){.owner = g->owner, .part = (uint16_t)(e - f->first_edge[g->owner])};
        return true;
    }
    return false;
}

static void add_push(formulation *f, ct_name target)
{
    const ct_model *m = f->model;
    const ct_variable_row *row;
    ct_symbol s = ct_symbol_of(m->symbols, target);
    uint32_t edge = ct_edge_of(f, target, &row), node = UINT32_MAX;
    if (edge == UINT32_MAX)
        node = ct_node_of(f, target, &row);
    if ((edge == UINT32_MAX && node == UINT32_MAX) || row->order != 0)
        return;
    if (node != UINT32_MAX ? !beside_node(f, node, &s) : !takes_impulse(f, edge, row->across))
        return;
    ct_name symbol = ct_push_symbol(m->ctx, target);
    CT_PUSH(f->arena, f->push, (ct_edge_push){s.owner, s.part, row->across, symbol});
}

void ct_list_pushes(formulation *f)
{
    const ct_model *m = f->model;
    ct_map seen;
    ct_map_init(&seen, f->arena);
    for (uint32_t i = 0; i < m->happening_count; i++)
        for (uint32_t k = 0; k < m->happening[i].assigned_count; k++) {
            ct_expr target = m->happening[i].assigned[k].target;
            if (!target || ct_map_get(&seen, target))
                continue;
            ct_map_put(&seen, target, 1);
            add_push(f, ct_expr_name(m->pool, target));
        }
}

bool ct_is_pushed(const formulation *f, uint32_t component)
{
    for (uint32_t i = 0; i < f->push.count; i++)
        if (f->push.at[i].component == component)
            return true;
    return false;
}

ct_expr ct_with_pushes(formulation *f, uint32_t component, ct_expr e)
{
    const ct_model *m = f->model;
    const ct_element *element = m->element[m->component[component].element];
    for (uint32_t i = 0; i < f->push.count; i++) {
        const ct_edge_push *p = &f->push.at[i];
        if (p->component != component)
            continue;
        const ct_variable_row *row = ct_domain_row_at(element->edge[p->edge].domain)->variable;
        for (uint32_t v = 0; v < CT_DOMAIN_VARIABLES && row[v].name; v++) {
            if (row[v].order != 0 || row[v].across == p->across)
                continue;
            ct_name dual = ct_edge_variable(m, component, p->edge, v);
            ct_expr sum = ct_expr_add(f->pool, ct_expr_symbol(f->pool, dual),
                                      ct_expr_symbol(f->pool, p->symbol));
            e = ct_expr_substitute(f->pool, e, &dual, &sum, 1);
        }
    }
    return e;
}

/* ---- speeds of mechanisms */

static bool is_speed(const ct_motion *x)
{
    static const ct_motion_kind kinds[] = {CT_MOTION_TURN_SPEED, CT_MOTION_SLIDE_SPEED,
                                           CT_MOTION_JOINT_SPIN, CT_MOTION_VELOCITY,
                                           CT_MOTION_SPIN,       CT_MOTION_SPIN_OWN};
    for (size_t i = 0; x && i < sizeof kinds / sizeof *kinds; i++)
        if (x->kind == kinds[i])
            return true;
    return false;
}

const ct_mechanics_push *ct_list_speed_pushes(formulation *f, uint32_t *count)
{
    const ct_model *m = f->model;
    CT_VEC(ct_mechanics_push) list = {0};
    ct_map seen;
    ct_map_init(&seen, f->arena);
    for (uint32_t i = 0; i < m->happening_count; i++)
        for (uint32_t k = 0; k < m->happening[i].assigned_count; k++) {
            ct_expr target = m->happening[i].assigned[k].target;
            ct_name name = target ? ct_expr_name(m->pool, target) : 0;
            uint32_t index = name ? ct_map_get(m->mechanism->motion_by_name, name) : 0;
            const ct_motion *speed = index ? &m->mechanism->motion[index - 1] : NULL;
            if (!is_speed(speed) || ct_map_get(&seen, name))
                continue;
            ct_map_put(&seen, name, 1);
            CT_PUSH(f->arena, list, ((ct_mechanics_push){speed, ct_push_symbol(m->ctx, name)}));
        }
    *count = list.count;
    return list.at;
}

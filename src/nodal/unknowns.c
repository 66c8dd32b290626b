/* unknowns.c - what the unknowns of a network are, and its states. */
#include <string.h>

#include "base/sets.h"
#include "nodal/law.h"

int ct_net_sign(const net *n, uint32_t edge)
{
    uint32_t domain = n->graph->node[n->graph->edge[edge].tail].domain;
    return n->graph->domain[domain].across_head_minus_tail ? -1 : 1;
}

static const numbers *numbers_of(const net *n, uint32_t component)
{
    return &n->set.at[n->set_of[component]];
}

/* ---- groups of nodes with known differences */

static bool ties(const net *n, uint32_t edge)
{
    return numbers_of(n, n->graph->edge[edge].owner)->kind == PORT_DRIVER && !n->kept[edge];
}

typedef struct drivers {
    uint32_t *start, *edge; /* drivers at each node */
} drivers;

static drivers list_drivers(net *n)
{
    const ct_graph *g = n->graph;
    drivers d = {.start = CT_NEW_ARRAY(n->scratch, uint32_t, g->scalar_node_count + 2)};
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (ties(n, e)) {
            d.start[g->edge[e].tail + 2]++;
            d.start[g->edge[e].head + 2]++;
        }
    for (uint32_t i = 0; i < g->scalar_node_count; i++)
        d.start[i + 2] += d.start[i + 1];
    d.edge = CT_NEW_ARRAY(n->scratch, uint32_t, d.start[g->scalar_node_count + 1] + 1);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (ties(n, e)) {
            d.edge[d.start[g->edge[e].tail + 1]++] = e;
            d.edge[d.start[g->edge[e].head + 1]++] = e;
        }
    return d;
}

static uint32_t with_offset(net *n, uint32_t list, uint32_t wave, double by)
{
    if (by == 0)
        return list;
    CT_PUSH(n->arena, n->offsets, (offset){wave, list, by});
    return n->offsets.count;
}

/* The potential of `to` by that of `from`: across = sign (tail - head) = source + by * wave. */
static uint32_t offset_over(net *n, uint32_t edge, uint32_t to)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    const numbers *p = numbers_of(n, e->owner);
    double sign = ct_net_sign(n, edge) * (to == e->tail ? 1 : -1);
    uint32_t list = n->offset_of[to == e->tail ? e->head : e->tail];
    list = with_offset(n, list, 0, sign * p->source);
    return with_offset(n, list, p->wave[0], p->wave[0] ? sign * p->by : 0);
}

/* All nodes that drivers tie to the root get its column. False: a circuit of drivers. */
static bool take_group(net *n, const drivers *d, uint32_t root, int32_t column, uint32_t *queue)
{
    const ct_graph *g = n->graph;
    uint32_t first = 0, last = 0;
    queue[last++] = root;
    n->column[root] = column;
    while (first < last) {
        uint32_t v = queue[first++];
        for (uint32_t k = d->start[v]; k < d->start[v + 1]; k++) {
            uint32_t e = d->edge[k], to = g->edge[e].tail == v ? g->edge[e].head : g->edge[e].tail;
            if (e == n->driver[v])
                continue;
            if (n->column[to] != -2)
                return false;
            n->column[to] = column;
            n->driver[to] = e;
            n->offset_of[to] = offset_over(n, e, to);
            queue[last++] = to;
        }
    }
    return true;
}

static bool group_nodes(net *n)
{
    const ct_graph *g = n->graph;
    drivers d = list_drivers(n);
    uint32_t *queue = CT_NEW_ARRAY(n->scratch, uint32_t, g->scalar_node_count + 1);
    n->column = CT_NEW_ARRAY(n->arena, int32_t, g->scalar_node_count + 1);
    n->offset_of = CT_NEW_ARRAY(n->arena, uint32_t, g->scalar_node_count + 1);
    n->driver = CT_NEW_ARRAY(n->arena, uint32_t, g->scalar_node_count + 1);
    memset(n->driver, 0xff, g->scalar_node_count * sizeof *n->driver);
    for (uint32_t i = 0; i < g->scalar_node_count; i++)
        n->column[i] = -2;
    for (uint32_t i = 0; i < g->scalar_node_count; i++)
        if (g->node[i].datum && (n->column[i] != -2 || !take_group(n, &d, i, -1, queue)))
            return false;
    for (uint32_t i = 0; i < g->scalar_node_count; i++)
        if (n->column[i] == -2 && !take_group(n, &d, i, (int32_t)n->n++, queue))
            return false;
    return true;
}

/* ---- other columns */

static bool number_component(net *n, uint32_t component)
{
    const numbers *p = numbers_of(n, component);
    const ct_element *e = p->v->element;
    bool some = p->kind == PORT_ADMITTANCE || p->kind == PORT_DRIVER ||
                (p->kind == PORT_LAW && p->law->is_explicit);
    if (p->kind == PORT_MANY && e->equation_count != e->edge_count + e->var_count)
        return false;
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (!some || n->kept[n->first_edge[component] + i])
            n->through[n->first_edge[component] + i] = ++n->n;
    n->own[component] = n->n;
    n->n += e->var_count;
    return true;
}

/* ---- positions of nodes, where an element with several edges reads them */

static bool is_fixed(const net *n, uint32_t node)
{
    return n->column[node] < 0 && !n->offset_of[node];
}

bool ct_net_has_place(const net *n, uint32_t node)
{
    return n->place[node] || is_fixed(n, node);
}

/* Free, as a state is, when something is stored by the node's own motion: the edge; else NONE. */
static uint32_t storing_edge(const net *n, uint32_t node)
{
    for (uint32_t e = 0; e < n->graph->scalar_edge_count; e++) {
        const ct_graph_edge *g = &n->graph->edge[e];
        bool here =
            (g->tail == node && is_fixed(n, g->head)) || (g->head == node && is_fixed(n, g->tail));
        if (here && g->class == CT_ACCUMULATOR && !g->coupling && n->tree->is_branch[e])
            return e;
    }
    return UINT32_MAX;
}

/* Without outputs, states are shown: the usual path may name and order them otherwise. */
static bool number_place(net *n, uint32_t node)
{
    if (ct_net_has_place(n, node))
        return true;
    if (!n->model->output_count || n->offset_of[node] || storing_edge(n, node) == UINT32_MAX)
        return false;
    n->place[node] = ++n->n;
    return true;
}

static bool number_places(net *n, uint32_t component)
{
    const numbers *p = numbers_of(n, component);
    if (p->kind != PORT_MANY)
        return true;
    for (uint32_t i = 0; i < p->v->element->equation_count; i++)
        for (uint32_t k = 0; k < p->v->split->row[i].term_count; k++) {
            const ct_split_term *t = &p->v->split->row[i].term[k];
            const ct_graph_edge *e = &n->graph->edge[n->first_edge[component] + t->edge];
            if (t->order < 0 && !(number_place(n, e->tail) && number_place(n, e->head)))
                return false;
        }
    return true;
}

/* ---- states, in the order of the usual path: positions first, then as rates occur */

static bool add_state(net *n, net_state s)
{
    CT_PUSH(n->arena, n->state, s);
    if (s.kind == STATE_ACROSS)
        n->rate[n->first_edge[s.component] + s.edge] = n->state.count;
    else
        n->column_state[s.column] = n->state.count;
    return true;
}

/* Storage of a normal tree is free: accumulators are branches, delays chords. */
static bool is_free(const net *n, uint32_t edge, ct_tree_class class)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    return e->class == class && !e->coupling &&
           n->tree->is_branch[edge] == (class == CT_ACCUMULATOR);
}

static bool add_edge_state(net *n, uint32_t component, uint32_t index, bool across, state_kind kind)
{
    uint32_t edge = n->first_edge[component] + index;
    if (across ? n->rate[edge] : n->column_state[n->through[edge] - 1])
        return true;
    if (!is_free(n, edge, across ? CT_ACCUMULATOR : CT_DELAY)) {
        n->dependent = true; /* of a nonlinear network: capacitors in a loop share their charge */
        return n->apart || (n->law_count && across && !n->kept[edge]);
    }
    net_state s = {kind, component, index, across ? 0 : n->through[edge] - 1};
    return add_state(n, s);
}

static bool moves(const net *n, uint32_t node)
{
    for (uint32_t k = n->offset_of[node]; k; k = n->offsets.at[k - 1].next)
        if (n->offsets.at[k - 1].wave)
            return true;
    return false;
}

/* Across it nothing can change. */
static bool is_still(const net *n, uint32_t edge)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    return n->column[e->tail] == n->column[e->head] && !moves(n, e->tail) && !moves(n, e->head);
}

static bool add_many_states(net *n, uint32_t component, const numbers *p)
{
    const ct_element *e = p->v->element;
    uint32_t at = 0;
    for (uint32_t i = 0; i < e->equation_count; i++)
        for (uint32_t k = 0; k < p->v->split->row[i].term_count; k++, at++) {
            const ct_split_term *t = &p->v->split->row[i].term[k];
            if (t->order <= 0 || p->factor[at] == 0)
                continue;
            if (t->edge != UINT32_MAX && t->across &&
                is_still(n, n->first_edge[component] + t->edge))
                continue;
            uint32_t column = n->own[component] + t->own;
            net_state own = {STATE_COLUMN, component, e->edge_count + t->own, column};
            if (t->edge != UINT32_MAX && !add_edge_state(n, component, t->edge, t->across,
                                                         t->across ? STATE_ACROSS : STATE_COLUMN))
                return false;
            if (t->edge == UINT32_MAX && !n->column_state[column])
                add_state(n, own);
        }
    return true;
}

static bool add_law_states(net *n, uint32_t component, const law *l)
{
    uint32_t edges = l->v->element->edge_count;
    for (uint32_t i = 0; i < l->rate_count; i++) {
        const law_input *in = &l->input[l->rated[i]];
        uint32_t column = n->own[component] + in->index;
        if (in->kind == INPUT_WAVE)
            return false;
        if (in->kind == INPUT_OWN && !n->column_state[column])
            add_state(n, (net_state){STATE_COLUMN, component, edges + in->index, column});
        bool across = in->kind == INPUT_ACROSS;
        if (in->kind != INPUT_OWN &&
            !add_edge_state(n, component, in->index, across, across ? STATE_ACROSS : STATE_COLUMN))
            return false;
    }
    return true;
}

static void add_places(net *n)
{
    for (uint32_t i = 0; i < n->graph->scalar_node_count; i++) {
        if (!n->place[i])
            continue;
        uint32_t edge = storing_edge(n, i), owner = n->graph->edge[edge].owner;
        add_state(n, (net_state){STATE_PLACE, owner, edge - n->first_edge[owner], n->place[i] - 1});
    }
}

/* A capacitor across a constant supply stores what it stores, and takes no current. */
static bool is_pinned(const net *n, uint32_t edge)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    const numbers *p = numbers_of(n, e->owner);
    return ((p->kind == PORT_ADMITTANCE && p->c != 0) || p->kind == PORT_MANY) && is_still(n, edge);
}

static bool add_states(net *n, uint32_t component, bool springs)
{
    const numbers *p = numbers_of(n, component);
    if ((p->kind == PORT_SPRING) != springs)
        return true;
    if (springs)
        return add_edge_state(n, component, 0, false, STATE_SPRING);
    if (p->kind == PORT_MANY)
        return add_many_states(n, component, p);
    if (p->kind == PORT_LAW)
        return add_law_states(n, component, p->law);
    if (p->kind == PORT_ADMITTANCE && p->c != 0 && !is_pinned(n, n->first_edge[component]))
        return add_edge_state(n, component, 0, true, STATE_ACROSS);
    if (p->kind == PORT_STORE)
        return add_edge_state(n, component, 0, false, STATE_COLUMN);
    return true;
}

/* Does an element with several edges store in this one by positions, without a rate of what flows?
 */
static bool by_place(const net *n, uint32_t edge)
{
    uint32_t component = n->graph->edge[edge].owner, own = edge - n->first_edge[component];
    const numbers *p = numbers_of(n, component);
    bool position = false;
    for (uint32_t i = 0; p->kind == PORT_MANY && i < p->v->element->equation_count; i++)
        for (uint32_t k = 0; k < p->v->split->row[i].term_count; k++) {
            const ct_split_term *t = &p->v->split->row[i].term[k];
            if (t->edge == own && !t->across && t->order > 0)
                return false;
            position |= t->edge == own && t->order < 0;
        }
    return position;
}

/* Storage whose coefficient happens to be zero is left to the usual path. */
static bool all_storage_is_state(const net *n)
{
    for (uint32_t e = 0; e < n->graph->scalar_edge_count; e++) {
        ct_tree_class class = n->graph->edge[e].class;
        if (n->graph->edge[e].coupling)
            continue;
        if (class == CT_ACCUMULATOR && !n->rate[e] && !is_pinned(n, e) && !n->dependent)
            return false;
        if (class == CT_DELAY && !by_place(n, e) &&
            !(n->through[e] && n->column_state[n->through[e] - 1]))
            return false;
    }
    return true;
}

/* Do springs close circuits, with drivers or alone? What they are stretched by is then not free. */
static bool springs_meet(const net *n)
{
    const ct_graph *g = n->graph;
    uint32_t *sets = ct_sets_new(n->scratch, g->scalar_node_count);
    bool met = false;
    for (int springs = 0; springs < 2; springs++)
        for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
            port_kind kind = numbers_of(n, g->edge[e].owner)->kind;
            if (kind != (springs ? PORT_SPRING : PORT_DRIVER))
                continue;
            met |= !ct_sets_join(sets, g->edge[e].tail, g->edge[e].head) && springs;
        }
    return met;
}

static bool is_definite(const net *n)
{
    for (uint32_t i = 0; i < n->set.count; i++) {
        const numbers *p = &n->set.at[i];
        bool good = p->kind == PORT_DRIVER ||
                    (p->kind == PORT_ADMITTANCE && p->g >= 0 && p->c >= 0) ||
                    ((p->kind == PORT_STORE || p->kind == PORT_SPRING) && p->g <= 0 && p->c < 0);
        if (!good)
            return false;
    }
    return true;
}

static bool keeps_any(const net *n)
{
    for (uint32_t e = 0; e < n->graph->scalar_edge_count; e++)
        if (n->kept[e])
            return true;
    return false;
}

/* What flows in a driver may be the rate of what storage cannot choose. */
static bool keeps_driver(const net *n)
{
    for (uint32_t e = 0; e < n->graph->scalar_edge_count; e++)
        if (n->kept[e] && numbers_of(n, n->graph->edge[e].owner)->kind == PORT_DRIVER)
            return true;
    return false;
}

bool ct_net_number_unknowns(net *n)
{
    uint32_t components = n->model->component_count;
    n->through = CT_NEW_ARRAY(n->arena, uint32_t, n->graph->scalar_edge_count + 1);
    n->rate = CT_NEW_ARRAY(n->arena, uint32_t, n->graph->scalar_edge_count + 1);
    n->own = CT_NEW_ARRAY(n->arena, uint32_t, components + 1);
    n->kept = CT_NEW_ARRAY(n->arena, bool, n->graph->scalar_edge_count + 1);
    if (((n->law_count || n->apart) && !ct_net_keep_read(n)) || !group_nodes(n))
        return false;
    n->place = CT_NEW_ARRAY(n->arena, uint32_t, n->graph->scalar_node_count + 1);
    for (uint32_t c = 0; c < components; c++)
        if (!number_component(n, c) || !number_places(n, c))
            return false;
    n->column_state = CT_NEW_ARRAY(n->arena, uint32_t, n->n + 1);
    add_places(n);
    if (n->law_count && n->state.count) /* positions beside laws are left to the usual path */
        return false;
    for (int springs = 1; springs >= 0; springs--)
        for (uint32_t c = 0; c < components; c++)
            if (!add_states(n, c, springs))
                return false;
    n->definite = is_definite(n) && !(n->apart && keeps_any(n));
    n->tied_springs = springs_meet(n);
    if (n->apart) /* E may be as it likes */
        return true;
    if (n->dependent && keeps_driver(n))
        return false;
    return all_storage_is_state(n);
}

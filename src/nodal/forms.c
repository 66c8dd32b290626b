/* forms.c - variables of the model as sums over z, u and rates of states. */
#include <string.h>

#include "nodal/net.h"

static const numbers *numbers_of(const net *n, uint32_t component)
{
    return &n->set.at[n->set_of[component]];
}

/* Has it columns for its own unknowns? */
static bool has_own(const net *n, uint32_t component)
{
    port_kind kind = numbers_of(n, component)->kind;
    return kind == PORT_MANY || kind == PORT_LAW;
}

/* ---- finding symbols */

typedef struct meaning {
    uint32_t node, edge, component;  /* UINT32_MAX: not that */
    const ct_variable_row *variable; /* of node and edge */
    uint32_t own;                    /* of component */
} meaning;

static bool find_meaning(const net *n, ct_name symbol, meaning *out)
{
    const ct_model *m = n->model;
    ct_symbol s = ct_symbol_of(m->symbols, symbol);
    *out = (meaning){UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL, 0};
    if (s.kind == CT_SYMBOL_NODE) {
        out->node = n->graph->node_of[s.owner];
        out->variable = &ct_domain_row_at(m->node[s.owner].domain)->variable[s.variable];
    } else if (s.kind == CT_SYMBOL_EDGE) {
        uint32_t domain = m->element[m->component[s.owner].element]->edge[s.part].domain;
        out->edge = n->first_edge[s.owner] + s.part;
        out->variable = &ct_domain_row_at(domain)->variable[s.variable];
    } else if (s.kind == CT_SYMBOL_OWN) {
        out->component = s.owner;
        out->own = s.part;
    }
    return s.kind == CT_SYMBOL_NODE || s.kind == CT_SYMBOL_EDGE || s.kind == CT_SYMBOL_OWN;
}

uint32_t ct_net_through_of(const net *n, ct_name symbol)
{
    meaning m;
    bool found = find_meaning(n, symbol, &m) && m.edge != UINT32_MAX;
    return found && !m.variable->across && m.variable->order == 0 ? m.edge : UINT32_MAX;
}

/* ---- forms */

static void add(net *n, form *f, form_kind kind, uint32_t index, double by)
{
    if (by != 0)
        CT_PUSH(n->arena, f->term, ((form_term){kind, index, by}));
}

static void add_node(net *n, uint32_t node, double by, form *f)
{
    if (n->column[node] >= 0)
        add(n, f, FORM_Z, (uint32_t)n->column[node], by);
    for (uint32_t k = n->offset_of[node]; k; k = n->offsets.at[k - 1].next)
        add(n, f, FORM_U, n->offsets.at[k - 1].wave, by * n->offsets.at[k - 1].by);
}

void ct_net_across_form(net *n, uint32_t edge, double by, form *f)
{
    by *= ct_net_sign(n, edge);
    add_node(n, n->graph->edge[edge].tail, by, f);
    add_node(n, n->graph->edge[edge].head, -by, f);
}

/* False: it is not known. */
static bool add_place(net *n, uint32_t node, double by, form *f)
{
    if (n->place[node])
        add(n, f, FORM_Z, n->place[node] - 1, by);
    return ct_net_has_place(n, node);
}

/* Of all edges but drivers. */
static void add_through(net *n, uint32_t edge, double by, form *f)
{
    const numbers *p = numbers_of(n, n->graph->edge[edge].owner);
    if (n->through[edge]) {
        add(n, f, FORM_Z, n->through[edge] - 1, by);
        return;
    }
    if (p->g != 0)
        ct_net_across_form(n, edge, by * p->g, f);
    if (p->c != 0 && n->rate[edge]) /* else it cannot change */
        add(n, f, FORM_RATE, n->rate[edge] - 1, by * p->c);
    add(n, f, FORM_U, 0, by * p->source);
    if (p->wave[0])
        add(n, f, FORM_U, p->wave[0], by * p->by);
}

static uint32_t towards_root(const net *n, uint32_t node)
{
    const ct_graph_edge *e = &n->graph->edge[n->driver[node]];
    return e->tail == node ? e->head : e->tail;
}

/* Nodes that the driver separates from the root of its group: 1, others 2. */
static uint8_t *behind_driver(net *n, uint32_t edge)
{
    uint8_t *side = CT_NEW_ARRAY(n->scratch, uint8_t, n->graph->scalar_node_count + 1);
    for (uint32_t i = 0; i < n->graph->scalar_node_count; i++) {
        uint32_t v = i;
        while (!side[v] && n->driver[v] != UINT32_MAX && n->driver[v] != edge)
            v = towards_root(n, v);
        uint8_t found = side[v] ? side[v] : n->driver[v] == edge ? 1 : 2;
        for (v = i; !side[v]; v = towards_root(n, v)) {
            side[v] = found;
            if (n->driver[v] == UINT32_MAX || n->driver[v] == edge)
                break;
        }
    }
    return side;
}

/* What flows in a driver is what all others take from the nodes behind it. */
static void add_driver(net *n, uint32_t edge, form *f)
{
    const ct_graph *g = n->graph;
    uint8_t *side = behind_driver(n, edge);
    double own = side[g->edge[edge].tail] == 1 ? 1 : -1;
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        int tail = side[g->edge[e].tail] == 1, head = side[g->edge[e].head] == 1;
        if (tail != head && numbers_of(n, g->edge[e].owner)->kind != PORT_DRIVER)
            add_through(n, e, -own * (tail - head), f);
    }
    ct_arena_release(n->scratch, side, n->graph->scalar_node_count + 1);
}

static bool add_edge(net *n, uint32_t edge, const ct_variable_row *v, form *f)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    const numbers *p = numbers_of(n, n->graph->edge[edge].owner);
    if (v->order == 0 && v->across)
        ct_net_across_form(n, edge, 1, f);
    else if (v->order == 0 && p->kind == PORT_DRIVER && !n->kept[edge])
        add_driver(n, edge, f);
    else if (v->order == 0)
        add_through(n, edge, 1, f);
    else if (v->order == -1 && p->kind == PORT_SPRING) {
        add(n, f, FORM_Z, n->through[edge] - 1, 1 / p->k);
        add(n, f, FORM_U, 0, -p->source / p->k);
    } else if (v->order == -1 && v->across) {
        int sign = ct_net_sign(n, edge);
        return add_place(n, e->tail, sign, f) && add_place(n, e->head, -sign, f);
    } else
        return false;
    return true;
}

bool ct_net_form(net *n, ct_name symbol, form *out)
{
    meaning m;
    if (!find_meaning(n, symbol, &m))
        return false;
    if (m.edge != UINT32_MAX)
        return add_edge(n, m.edge, m.variable, out);
    if (m.component != UINT32_MAX) {
        if (!has_own(n, m.component))
            return false;
        add(n, out, FORM_Z, n->own[m.component] + m.own, 1);
        return true;
    }
    if (m.variable->order == -1 && m.variable->across)
        return add_place(n, m.node, 1, out);
    if (m.variable->order != 0 || !m.variable->across)
        return false;
    add_node(n, m.node, 1, out);
    return true;
}

double ct_form_value(const form *f, const double *z, const double *u, const double *rate)
{
    double sum = 0;
    for (uint32_t i = 0; i < f->term.count; i++) {
        const form_term *t = &f->term.at[i];
        const double *from = t->kind == FORM_Z ? z : t->kind == FORM_U ? u : rate;
        sum += t->by * from[t->index];
    }
    return sum;
}

/* ---- states */

/* Column of the position that an edge to a fixed node has for its own, plus 1. */
static uint32_t place_of(const net *n, uint32_t edge)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    uint32_t own = ct_net_sign(n, edge) > 0 ? e->tail : e->head;
    uint32_t other = own == e->tail ? e->head : e->tail;
    return ct_net_has_place(n, other) && !n->place[other] ? n->place[own] : 0;
}

uint32_t ct_net_state(const net *n, ct_name symbol)
{
    meaning m;
    uint32_t state = 0;
    if (!find_meaning(n, symbol, &m) || m.node != UINT32_MAX)
        return UINT32_MAX;
    if (m.component != UINT32_MAX)
        state = has_own(n, m.component) ? n->column_state[n->own[m.component] + m.own] : 0;
    else if (m.variable->across && m.variable->order == 0)
        state = n->rate[m.edge];
    else if (m.variable->across && m.variable->order == -1 && place_of(n, m.edge))
        state = n->column_state[place_of(n, m.edge) - 1];
    else if (n->through[m.edge])
        state = n->column_state[n->through[m.edge] - 1];
    if (!state)
        return UINT32_MAX;
    bool position = m.component == UINT32_MAX && m.variable->order == -1;
    state_kind kind = n->state.at[state - 1].kind;
    bool fits = (kind == STATE_SPRING || kind == STATE_PLACE) == position &&
                (m.component != UINT32_MAX || m.variable->order <= 0);
    return fits ? state - 1 : UINT32_MAX;
}

double ct_net_potential(const net *n, uint32_t node, const double *z, const double *u)
{
    double sum = n->column[node] >= 0 ? z[n->column[node]] : 0;
    for (uint32_t k = n->offset_of[node]; k; k = n->offsets.at[k - 1].next)
        sum += n->offsets.at[k - 1].by * u[n->offsets.at[k - 1].wave];
    return sum;
}

void ct_net_states(const net *n, const double *z, const double *u, double *x)
{
    for (uint32_t i = 0; i < n->state.count; i++) {
        const net_state *s = &n->state.at[i];
        uint32_t edge = n->first_edge[s->component] + s->edge;
        const ct_graph_edge *e = &n->graph->edge[edge];
        x[i] = s->kind != STATE_ACROSS
                   ? z[s->column]
                   : ct_net_sign(n, edge) *
                         (ct_net_potential(n, e->tail, z, u) - ct_net_potential(n, e->head, z, u));
    }
}

double ct_net_shown(const net *n, uint32_t state, double x)
{
    const net_state *s = &n->state.at[state];
    const numbers *p = numbers_of(n, s->component);
    return s->kind == STATE_SPRING ? (x - p->source) / p->k : x;
}

double ct_net_kept(const net *n, uint32_t state, double shown)
{
    const net_state *s = &n->state.at[state];
    const numbers *p = numbers_of(n, s->component);
    return s->kind == STATE_SPRING ? p->k * shown + p->source : shown;
}

const char *ct_net_state_name(const net *n, uint32_t state)
{
    const net_state *s = &n->state.at[state];
    const ct_element *e = n->model->element[n->model->component[s->component].element];
    ct_context *ctx = n->model->ctx;
    if (s->edge >= e->edge_count)
        return ct_name_text(ctx, ct_own_variable(n->model, s->component, s->edge - e->edge_count));
    const ct_variable_row *row = ct_domain_row_at(e->edge[s->edge].domain)->variable;
    uint32_t k = 0;
    int order = s->kind == STATE_SPRING || s->kind == STATE_PLACE ? -1 : 0;
    bool across = s->kind != STATE_COLUMN;
    while (row[k].across != across || row[k].order != order)
        k++;
    return ct_name_text(ctx, ct_edge_variable(n->model, s->component, s->edge, k));
}

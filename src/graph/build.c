/* build.c - the linear graphs of a model: all scalar domains, then bodies and joints. */
#include "graph/build.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/suggest.h"
#include "base/vec.h"
#include "graph/assembly.h"
#include "graph/classify.h"

static void add_domains(ct_assembly *a)
{
    uint32_t count;
    const ct_domain_row *row = ct_domain_list(&count);
    a->domain_of = CT_NEW_ARRAY(a->g->arena, uint32_t, count);
    bool used[8] = {false};
    for (uint32_t i = 0; i < a->m->node_count; i++)
        if (a->m->node[i].domain != CT_NO_DOMAIN)
            used[a->m->node[i].domain] = true;
    for (uint32_t d = 0; d < count; d++) {
        if (!used[d])
            continue;
        a->domain_of[d] = a->domain.count;
        ct_name name = ct_intern_text(a->m->ctx, row[d].name);
        CT_PUSH(a->g->arena, a->domain,
                (ct_graph_domain){name, UINT32_MAX, row[d].across_head_minus_tail});
    }
}

static void add_nodes(ct_assembly *a)
{
    a->node_of = CT_NEW_ARRAY(a->g->arena, uint32_t, a->m->node_count + 1);
    for (uint32_t i = 0; i < a->m->node_count; i++) {
        const ct_model_node *n = &a->m->node[i];
        if (n->domain == CT_NO_DOMAIN)
            continue;
        uint32_t domain = a->domain_of[n->domain];
        a->node_of[i] = a->node.count;
        if (n->datum)
            a->domain.at[domain].datum = a->node.count;
        CT_PUSH(a->g->arena, a->node,
                (ct_graph_node){n->name, domain, n->datum, n->declared, n->place});
    }
}

/* The datum of a domain stands among the model's nodes; an element may be the first to need it. */
static uint32_t datum_of(ct_assembly *a, uint32_t model_domain, ct_place place)
{
    ct_graph_domain *d = &a->domain.at[a->domain_of[model_domain]];
    if (d->datum == UINT32_MAX) {
        ct_name ground = ct_intern_text(a->m->ctx, "ground");
        d->datum = a->node.count;
        CT_PUSH(a->g->arena, a->node,
                (ct_graph_node){ground, a->domain_of[model_domain], true, true, place});
    }
    return d->datum;
}

static uint32_t end_of(ct_assembly *a, const ct_component *c, const ct_element_edge *e,
                       uint32_t terminal)
{
    if (terminal == CT_GROUND_TERMINAL)
        return datum_of(a, e->domain, c->place);
    return a->node_of[a->m->terminal_node[c->node + terminal]];
}

static void add_coupling(ct_assembly *a, uint32_t component, const ct_edge_classes *k,
                         uint32_t first_edge)
{
    const ct_component *c = &a->m->component[component];
    ct_coupling tie = {k->tie == CT_TIE_ONE ? CT_EXACTLY_ONE : CT_ALL_OR_NONE, a->coupled.count, 0,
                       c->name, c->place};
    for (uint32_t i = 0; i < a->m->element[c->element]->edge_count; i++) {
        if (!k->tied[i])
            continue;
        CT_PUSH(a->g->arena, a->coupled, first_edge + i);
        a->edge.at[first_edge + i].coupling = a->coupling.count + 1;
        tie.count++;
    }
    CT_PUSH(a->g->arena, a->coupling, tie);
}

/* Terminals of a transistor are often joined, bulk with source or base with collector: an edge
 * between them has no voltage, and the other edges still mean something. Likewise of a subsystem,
 * whose other components do. */
static void allow_joined(ct_assembly *a, const ct_element *e, uint32_t first, bool inside)
{
    bool others = inside || e->is_field;
    for (uint32_t i = 0; i < e->edge_count; i++)
        others |= a->edge.at[first + i].tail != a->edge.at[first + i].head;
    for (uint32_t i = 0; i < e->edge_count; i++) {
        ct_graph_edge *edge = &a->edge.at[first + i];
        edge->joined = others && edge->tail == edge->head && e->edge[i].tail != e->edge[i].head &&
                       !edge->coupling &&
                       (edge->class == CT_DISSIPATOR || edge->class == CT_THROUGH_DRIVER ||
                        (inside && edge->class == CT_ACCUMULATOR) || e->is_field);
    }
}

/* Does a key read a variable of a network, its own or that of another? `i = 1 mS*b.v` */
static bool key_reads(const ct_model *m, const ct_component *c, const ct_element *e)
{
    for (uint32_t i = 0; i < e->param_count; i++) {
        ct_expr value = m->param_value[c->value + e->param[i].slot];
        const ct_name *symbol;
        uint32_t count = 0;
        if (value && !ct_expr_is_number(m->pool, value))
            count = ct_expr_symbols(m->pool, value, &symbol);
        for (uint32_t k = 0; k < count; k++) {
            ct_symbol_kind is = ct_symbol_of(m->symbols, symbol[k]).kind;
            if (is == CT_SYMBOL_EDGE || is == CT_SYMBOL_NODE || is == CT_SYMBOL_OWN)
                return true;
        }
    }
    return false;
}

static void add_component(ct_assembly *a, ct_classifier *classifier, uint32_t component)
{
    const ct_component *c = &a->m->component[component];
    const ct_element *e = a->m->element[c->element];
    const ct_edge_classes *k = ct_classify(classifier, component);
    uint32_t first = a->edge.count;
    uint8_t flag = a->m->component_flag[component];
    for (uint32_t i = 0; i < e->edge_count; i++) {
        ct_graph_edge edge = {
            .name = ct_edge_name(a->m, component, i), .owner = component, .place = c->place};
        edge.tail = end_of(a, c, &e->edge[i], e->edge[i].tail);
        edge.head = end_of(a, c, &e->edge[i], e->edge[i].head);
        edge.class = k->class[i];
        bool drives = edge.class == CT_ACROSS_DRIVER || edge.class == CT_THROUGH_DRIVER;
        edge.controlled =
            k->controlled[i] || (flag & CT_COMPONENT_PORT) || (drives && key_reads(a->m, c, e));
        CT_PUSH(a->g->arena, a->edge, edge);
    }
    if (k->tie != CT_TIE_NONE)
        add_coupling(a, component, k, first);
    bool inside = flag & CT_COMPONENT_INSIDE;
    if (e->edge_count > 1 || inside)
        allow_joined(a, e, first, inside);
}

const ct_graph *ct_graph_build(const ct_model *m)
{
    assert(m->pool && (m->element || !m->component_count));
    ct_arena *arena = ct_arena_new(m->ctx), *scratch = ct_arena_new(m->ctx);
    ct_assembly a = {.m = m, .g = CT_NEW(arena, ct_graph)};
    a.g->ctx = m->ctx;
    a.g->model = m;
    a.g->arena = arena;
    add_domains(&a);
    add_nodes(&a);
    CT_RESERVE(arena, a.edge, m->component_count + 1);
    ct_classifier *classifier = ct_classifier_new(m, scratch);
    for (uint32_t i = 0; i < m->component_count; i++)
        add_component(&a, classifier, i);
    ct_graph *g = a.g;
    g->scalar_node_count = a.node.count, g->scalar_edge_count = a.edge.count;
    if (m->mechanism)
        ct_assembly_add_bodies(&a);
    g->domain = a.domain.at, g->domain_count = a.domain.count;
    g->node = a.node.at, g->node_count = a.node.count;
    g->edge = a.edge.at, g->edge_count = a.edge.count;
    g->coupling = a.coupling.at, g->coupling_count = a.coupling.count;
    g->coupled = a.coupled.at;
    g->node_of = a.node_of;
    ct_arena_free(scratch);
    return g;
}

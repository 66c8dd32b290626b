/* generic.c - components with ports of any domain (transformer, gyrator), and those that hold
 * joints or frames.
 *
 * Their domains are those of the nodes they connect, known only when everything else is composed;
 * so are the joints of subsystems. Afterwards they take their place in the order of statements
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build.h"

static uint32_t domain_of_terminal(builder *b, const where *w, ct_node terminal)
{
    ct_name name;
    uint32_t domain = ct_joint_domain(b, w, terminal);
    if (domain != CT_NO_DOMAIN)
        return domain;
    if (!ct_plain_name(w->s, terminal, &name)) {
        ct_node rest;
        if (ct_at(w->s, terminal)->kind != CT_NODE_REF ||
            !ct_ref_name(b, w, terminal, &name, &rest))
            return CT_NO_DOMAIN;
    }
    uint32_t node = ct_find_node(b, w->scope, name);
    return node < GROUND_NODE ? b->node.at[node].domain : CT_NO_DOMAIN;
}

/* The first node of a port whose domain is known decides. */
static uint32_t domain_of_port(builder *b, const where *w, ct_node ports)
{
    uint32_t domain = CT_NO_DOMAIN;
    for (ct_node t = ct_at(w->s, ports)->first; t && domain == CT_NO_DOMAIN;
         t = ct_at(w->s, t)->next)
        domain = domain_of_terminal(b, w, t);
    return domain;
}

static bool find_domains(builder *b, const deferred *d, uint64_t *domains)
{
    const where *w = &d->where;
    uint32_t group = 0;
    *domains = 0;
    if (!ct_is_generic(b, d->d))
        return true;
    for (ct_node p = ct_at(w->s, d->node)->first; p; p = ct_at(w->s, p)->next) {
        if (ct_at(w->s, p)->kind != CT_NODE_PORTS || group >= 8)
            continue;
        uint32_t domain = domain_of_port(b, w, p);
        if (domain == CT_NO_DOMAIN)
            return false;
        *domains |= (uint64_t)domain << (8 * group++);
    }
    return true;
}

static void report_open(builder *b, const deferred *d)
{
    const char *name = ct_name_text(b->ctx, d->name);
    ct_report *r = ct_error(b->ctx, "E208", ct_place_of(d->where.s, d->node),
                            "the domain of a port of `%s` is not known", name);
    ct_note(r, "it is that of the other elements at its nodes; here nothing else is connected");
    ct_help(r, "connect something, or declare a node: node x : electrical");
    ct_witness(r, name);
}

/* A late component: where it belongs among the others. */
typedef struct late {
    uint32_t at, statement, component;
} late;

/* A library force or torque between frames is a vector, no 1-D element. */
static bool compose_load(builder *b, const deferred *d)
{
    const where *w = &d->where;
    const char *word = ct_name_text(b->ctx, d->d->name);
    bool torque = strcmp(word, "torque") == 0;
    ct_node ports = ct_child(w->s, d->node, CT_NODE_PORTS);
    if (!d->d->library || (!torque && strcmp(word, "force") != 0) || !ports ||
        ct_terminals_kind(b, w, ports) != TERMINALS_FRAMES)
        return false;
    ct_compose_load(b, w, d->node, d->name, torque);
    return true;
}

typedef CT_VEC(late) late_list;

static bool compose_some(builder *b, late_list *list)
{
    bool progress = false;
    for (uint32_t i = 0; i < b->deferred.count; i++) {
        deferred *d = &b->deferred.at[i];
        uint64_t domains;
        uint32_t before = b->component.count;
        if (d->done || !find_domains(b, d, &domains))
            continue;
        if (!compose_load(b, d))
            ct_compose_element(b, &d->where, d->node, d->d, d->name, domains);
        d = &b->deferred.at[i];
        d->done = progress = true;
        for (uint32_t k = before; k < b->component.count; k++)
            CT_PUSH(b->scratch, *list, (late){d->at, i, k});
    }
    return progress;
}

/* ---- order of statements */

static int by_place(const void *x, const void *y)
{
    const late *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->statement != b->statement)
        return a->statement < b->statement ? -1 : 1;
    return a->component < b->component ? -1 : 1;
}

/* The components in order of statement: the first `plain` as they are, late ones between them. */
static uint32_t *order_of(builder *b, uint32_t plain, late_list *list)
{
    uint32_t *order = CT_NEW_ARRAY(b->scratch, uint32_t, b->component.count), next = 0, l = 0;
    qsort(list->at, list->count, sizeof *list->at, by_place);
    for (uint32_t i = 0; i <= plain; i++) {
        while (l < list->count && list->at[l].at <= i)
            order[next++] = list->at[l++].component;
        if (i < plain)
            order[next++] = i;
    }
    return order;
}

/* Ports are complete from the start, the others are not. */
static void reorder_states(builder *b, const uint32_t *order)
{
    uint32_t count = b->component.count;
    uint8_t *state = CT_NEW_ARRAY(b->scratch, uint8_t, count);
    uint8_t *flag = CT_NEW_ARRAY(b->scratch, uint8_t, count);
    for (uint32_t i = 0; i < count; i++) {
        state[i] = b->component_state.at[order[i]];
        flag[i] = b->component_flag.at[order[i]];
    }
    memcpy(b->component_state.at, state, count);
    memcpy(b->component_flag.at, flag, count);
}

static void reorder(builder *b, const uint32_t *order)
{
    uint32_t count = b->component.count;
    ct_component *component = CT_NEW_ARRAY(b->scratch, ct_component, count);
    pending *job = CT_NEW_ARRAY(b->scratch, pending, count);
    uint32_t *moved = CT_NEW_ARRAY(b->scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        component[i] = b->component.at[order[i]];
        job[i] = b->pending.at[order[i]];
        moved[order[i]] = i;
    }
    memcpy(b->component.at, component, count * sizeof *component);
    memcpy(b->pending.at, job, count * sizeof *job);
    reorder_states(b, order);
    ct_renumber_components(b, moved);
}

void ct_compose_deferred(builder *b)
{
    uint32_t plain = b->component.count;
    late_list list = {0};
    while (compose_some(b, &list))
        ;
    for (uint32_t i = 0; i < b->deferred.count; i++)
        if (!b->deferred.at[i].done)
            report_open(b, &b->deferred.at[i]);
    if (list.count)
        reorder(b, order_of(b, plain, &list));
}

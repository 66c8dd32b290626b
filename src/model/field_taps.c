/* field_taps.c - taps: `b1 : beam(l, r) ... { tip = 1.2 m }` has a node `b1.tip` and an edge `tip`
 * from ground to it. The place is a param of the element that only this component has. */
#include <math.h>

#include "model/field.h"

static ct_node first_tap(const ct_syntax *s, ct_node component)
{
    ct_node frames = ct_child(s, component, CT_NODE_FRAMES);
    return frames ? ct_at(s, frames)->first : 0;
}

/* Name of a tap; 0 after an error. */
static ct_name tap_name(builder *b, const where *w, ct_node tap)
{
    if (ct_at(w->s, tap)->kind == CT_NODE_FRAME)
        return ct_expand_name(b, w, ct_at(w->s, tap)->first);
    ct_error(b->ctx, "E412", ct_place_of(w->s, tap), "taps are written one by one");
    return 0;
}

/* ---- nodes: before all components, because any of them may name one */

static definition *field_of(builder *b, const where *w, ct_node n)
{
    ct_node id = ct_at(w->s, ct_at(w->s, n)->first)->next;
    definition *d = ct_find_definition(b, ct_at(w->s, id)->name);
    if (!d || ct_at(d->s, d->node)->kind != CT_NODE_ELEMENT)
        return NULL;
    ct_is_generic(b, d);
    return d->field ? d : NULL;
}

static bool first_domain(builder *b, const definition *d, uint32_t *domain)
{
    ct_node block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    ct_node port = block ? ct_child(d->s, block, CT_NODE_PORT) : 0;
    return port && ct_domain_find(ct_name_text(b->ctx, ct_at(d->s, port)->name), domain);
}

static ct_name node_name(builder *b, ct_name component, ct_name tap)
{
    return ct_join_path(b, component, tap);
}

static void declare_taps(builder *b, const where *w, ct_node n)
{
    ct_node tap = first_tap(w->s, n);
    definition *d = tap ? field_of(b, w, n) : NULL;
    uint32_t domain;
    if (!d || !first_domain(b, d, &domain))
        return;
    ct_name component = ct_expand_name(b, w, ct_at(w->s, n)->first), name;
    for (; component && tap; tap = ct_at(w->s, tap)->next)
        if ((name = tap_name(b, w, tap)))
            ct_new_node(b, w->scope, node_name(b, component, name), domain, true,
                        ct_place_of(w->s, tap));
}

const pass ct_tap_pass = {declare_taps, KIND_BIT(COMPONENT), false};

/* A terminal `b1.tip`; NO_NODE: no tap. */
uint32_t ct_tap_node(builder *b, const where *w, ct_node terminal)
{
    ct_name name, tap;
    ct_node rest = 0;
    if (ct_at(w->s, terminal)->kind != CT_NODE_REF || !ct_ref_name(b, w, terminal, &name, &rest) ||
        !rest || ct_at(w->s, rest)->next || ct_at(w->s, rest)->kind != CT_NODE_FIELD ||
        !ct_field_name(b, w, rest, &tap))
        return NO_NODE;
    uint32_t node = ct_find_node(b, w->scope, node_name(b, name, tap));
    return node < GROUND_NODE ? node : NO_NODE;
}

/* ---- in the element */

static ct_expr add_place(field *f, ct_name name, ct_place place)
{
    builder *b = f->b;
    ct_limit *limit = CT_NEW_ARRAY(b->arena, ct_limit, 2);
    limit[0] = (ct_limit){CT_GREATER, ct_expr_int(b->pool, 0)};
    limit[1] = (ct_limit){CT_LESS, f->length};
    ct_element_param p = {.name = name,
                          .rows = 1,
                          .cols = 1,
                          .slot = f->es->out->slot_count,
                          .limit = limit,
                          .limit_count = 2,
                          .doc = "place of a tap, between the ends",
                          .place = place};
    p.has_dim = ct_infer_resolve(b->infer, f->axis_dim, &p.dim);
    CT_PUSH(b->arena, f->es->param, p);
    CT_PUSH(b->arena, f->es->slot_name, name);
    f->es->out->slot_count = f->es->slot_name.count;
    f->es->out->limited = true;
    return ct_expr_symbol(b->pool, name);
}

/* Taps are places of what is across first: of a beam the deflection, not the slope. */
static const field_port *deflection_port(const field *f)
{
    uint32_t i = 0;
    while (i + 1 < f->port.count && f->port.at[i].row != 0)
        i++;
    return &f->port.at[i];
}

static void add_tap(field *f, ct_name name, ct_place place)
{
    builder *b = f->b;
    element_scope *es = f->es;
    const ct_element_edge *end = &es->edge.at[deflection_port(f)->edge];
    const ct_terminal *like =
        &es->terminal.at[end->tail == CT_GROUND_TERMINAL ? end->head : end->tail];
    ct_terminal t = {.name = name, .whole = name, .width = 1, .domain = like->domain};
    t.group = UINT32_MAX; /* not between brackets */
    ct_element_edge e = {.name = name, .whole = name, .width = 1, .domain = like->domain};
    e.tail = end->tail == CT_GROUND_TERMINAL ? CT_GROUND_TERMINAL : es->terminal.count;
    e.head = end->tail == CT_GROUND_TERMINAL ? es->terminal.count : CT_GROUND_TERMINAL;
    field_port p = {.edge = es->edge.count, .end = 2, .text = place};
    p.place = ct_expr_div(b->pool, add_place(f, name, place), f->length);
    CT_PUSH(b->arena, es->terminal, t);
    CT_PUSH(b->arena, es->edge, e);
    CT_PUSH(b->scratch, f->port, p);
}

/* The element has a value, an edge or an own unknown of that name? */
static bool is_taken(field *f, ct_name name)
{
    static const char *const own[] = {"q", "q_rate", "eta", "xi", "chi", "omega", "tau"};
    bool taken = ct_find_entry(f->b, f->w->scope, name) != NULL;
    for (uint32_t i = 0; i < f->es->edge.count; i++)
        taken |= f->es->edge.at[i].whole == name;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        taken |= name == ct_intern_text(f->b->ctx, own[i]);
    return taken;
}

static void report_taken(field *f, ct_name name, ct_place place)
{
    const char *text = ct_name_text(f->b->ctx, name);
    ct_report *r = ct_error(f->b->ctx, "E201", place, "the element has `%s` already", text);
    ct_help(r, "take another name for the tap");
    ct_witness(r, text);
    ct_element_fail(f->es);
}

void ct_field_add_taps(field *f)
{
    element_scope *es = f->es;
    ct_name name;
    for (ct_node n = es->component ? first_tap(es->outer->s, es->component) : 0; n;
         n = ct_at(es->outer->s, n)->next) {
        ct_place place = ct_place_of(es->outer->s, n);
        if (!(name = tap_name(f->b, es->outer, n)))
            continue;
        if (is_taken(f, name))
            report_taken(f, name, place);
        else
            add_tap(f, name, place);
    }
}

ct_node ct_field_tap_place(const field *f, uint32_t port)
{
    const element_scope *es = f->es;
    ct_name name = es->edge.at[f->port.at[port].edge].name;
    for (ct_node n = first_tap(es->outer->s, es->component); n; n = ct_at(es->outer->s, n)->next)
        if (tap_name(f->b, es->outer, n) == name)
            return ct_at(es->outer->s, ct_at(es->outer->s, n)->first)->next;
    return 0;
}

double ct_field_tap_number(field *f, uint32_t port)
{
    field_numbers outer = {.f = f, .outer = f->es->outer, .freezes = true};
    field_numbers inner = {.f = f, .freezes = true};
    ct_node expr = ct_field_tap_place(f, port);
    double place = ct_field_value(&outer, ct_lower_scalar(f->b, f->es->outer, expr).expr) /
                   ct_field_value(&inner, f->length);
    f->es->out->own_numbers = true;
    if (isnan(place)) {
        ct_report *r = ct_error(f->b->ctx, "E412", f->port.at[port].text,
                                "a tap of cells or of found shapes needs a number for its place");
        ct_help(r, "give the place and the length values that are made of numbers and params");
        ct_element_fail(f->es);
    }
    return place > 0 && place < 1 ? place : 0.5; /* what is outside is told later */
}

/* ---- in the component */

void ct_connect_taps(builder *b, const where *w, const ct_element *e, ct_name name, uint32_t first)
{
    for (uint32_t i = 0; i < e->terminal_count; i++)
        if (e->terminal[i].group == UINT32_MAX)
            b->terminal_node.at[first + i] =
                ct_find_node(b, w->scope, node_name(b, name, e->terminal[i].name));
}

/* The places, as keys are. */
void ct_resolve_taps(builder *b, const where *w, ct_node n, uint32_t component)
{
    const ct_element *e = ct_element_of(b, component);
    for (ct_node tap = e->is_field ? first_tap(w->s, n) : 0; tap; tap = ct_at(w->s, tap)->next) {
        ct_node expr = ct_at(w->s, ct_at(w->s, tap)->first)->next;
        ct_name name = tap_name(b, w, tap);
        for (uint32_t i = 0; i < e->param_count; i++) {
            if (e->param[i].name != name)
                continue;
            cell c = ct_lower_scalar(b, w, expr);
            bool fits = c.expr && (!e->param[i].has_dim ||
                                   ct_demand_place(b, c, ct_term_known(e->param[i].dim),
                                                   ct_place_of(w->s, expr), "the place of a tap"));
            b->param_value.at[b->component.at[component].value + e->param[i].slot] =
                fits ? c.expr : ct_expr_symbol(b->pool, name);
        }
    }
}

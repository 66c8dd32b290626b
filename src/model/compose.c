/* compose.c - components and nodes. */
#include <string.h>

#include "model/mech.h"

/* ---- nodes */

uint32_t ct_datum_node(builder *b, uint32_t domain, ct_place place)
{
    if (!b->datum[domain]) {
        ct_model_node node = {.name = b->datum_name,
                              .domain = (uint8_t)domain,
                              .datum = true,
                              .declared = true,
                              .place = place};
        CT_PUSH(b->arena, b->node, node);
        b->datum[domain] = b->node.count;
    }
    return b->datum[domain] - 1;
}

uint32_t ct_new_node(builder *b, scope *s, ct_name name, uint32_t domain, bool declared,
                     ct_place place)
{
    thing *t = ct_find_thing(b, s, name);
    if (t)
        ct_report_duplicate(b, name, place, t->place);
    ct_model_node node = {.name = ct_full_name(b, s, name),
                          .domain = (uint8_t)domain,
                          .declared = declared,
                          .place = place};
    CT_PUSH(b->arena, b->node, node);
    ct_bind_node(b, s, name, b->node.count - 1);
    return b->node.count - 1;
}

static void report_two_domains(builder *b, uint32_t node, uint32_t domain, ct_place place)
{
    ct_model_node *n = &b->node.at[node];
    const char *name = ct_name_text(b->ctx, n->name);
    if (n->clashed) /* said once: one of the two uses is wrong, not each */
        return;
    n->clashed = true;
    ct_report *r = ct_error(b->ctx, "E208", place, "node `%s` is %s, but this terminal is %s", name,
                            ct_domain_row_at(n->domain)->name, ct_domain_row_at(domain)->name);
    ct_note_place(b, r, n->declared ? "declared at" : "first used at", n->place);
    ct_help(r,
            "connect elements of one domain only; a transducer (motor, pump, rack, ...) joins two");
    ct_witness(r, name);
}

static uint32_t use_node(builder *b, uint32_t node, uint32_t domain, ct_place place)
{
    if (node == GROUND_NODE)
        return ct_datum_node(b, domain, place);
    ct_model_node *n = &b->node.at[node];
    if (domain == CT_NO_DOMAIN)
        return node; /* a port of a system without a type: what is inside decides */
    if (n->domain == CT_NO_DOMAIN)
        n->domain = (uint8_t)domain;
    if (n->domain != domain) {
        report_two_domains(b, node, domain, place);
        return NO_NODE;
    }
    return node;
}

/* The name that stands for a node; reports what else may stand there. */
bool ct_terminal_name(builder *b, const where *w, ct_node expr, ct_name *name)
{
    ct_node rest = 0;
    ct_place place = ct_place_of(w->s, expr);
    bool ref = ct_at(w->s, expr)->kind == CT_NODE_REF;
    if (ref && !ct_ref_name(b, w, expr, name, &rest))
        return false;
    if (ref && !rest)
        return true;
    ct_report *r = ct_error(b->ctx, "E209", place, "a terminal must be the name of a node");
    ct_note(r, "nodes need no declaration: `resistor(a, b)` makes the nodes a and b");
    const ct_syntax_node *n = ct_at(w->s, expr);
    const char *number =
        n->kind == CT_NODE_NUMBER && !n->first ? ct_name_text(b->ctx, n->name) : "";
    if (strcmp(number, "0") == 0)
        ct_help(r, "the reference node is called `ground`");
    else if (*number)
        ct_help(r, "a name begins with a letter: write `n%s`", number);
    return false;
}

uint32_t ct_terminal_node(builder *b, const where *w, ct_node expr, uint32_t domain)
{
    ct_name name;
    ct_place place = ct_place_of(w->s, expr);
    uint32_t tap = ct_tap_node(b, w, expr);
    if (tap != NO_NODE)
        return use_node(b, tap, domain, place);
    if (!ct_terminal_name(b, w, expr, &name))
        return NO_NODE;
    uint32_t node = ct_find_node(b, w->scope, name);
    if (node != NO_NODE)
        return use_node(b, node, domain, place);
    return ct_new_node(b, w->scope, name, domain, false, place);
}

/* ---- terminals of a component */

static uint32_t group_size(const ct_element *e, uint32_t group)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < e->terminal_count; i++)
        size += e->terminal[i].group == group &&
                e->terminal[i].whole != (i ? e->terminal[i - 1].whole : 0);
    return size;
}

static const char *usage(builder *b, const ct_element *e)
{
    ct_text text = ct_text_new(b->ctx->base);
    ct_putf(&text, "%s(", ct_name_text(b->ctx, e->name));
    for (uint32_t i = 0; i < e->terminal_count; i += e->terminal[i].width) {
        const ct_terminal *t = &e->terminal[i];
        bool same = i && t->group == t[-1].group;
        if (!t->frame || !same)
            ct_putf(&text, "%s%s",
                    i == 0 ? ""
                    : same ? ", "
                           : " | ",
                    t->frame ? "frame, frame" : ct_name_text(b->ctx, t->whole));
    }
    ct_put(&text, ")");
    return ct_text_string(&text);
}

static void report_terminals(builder *b, const where *w, ct_node n, const ct_element *e,
                             ct_name name)
{
    uint32_t given = 0;
    for (ct_node p = ct_at(w->s, n)->first; p; p = ct_at(w->s, p)->next)
        if (ct_at(w->s, p)->kind == CT_NODE_PORTS)
            given += ct_child_count(w->s, p);
    const char *type = ct_name_text(b->ctx, e->name);
    ct_report *r;
    if (given == e->terminal_count)
        r = ct_error(b->ctx, "E207", ct_place_of(w->s, n), "the ports of `%s` are separated by `|`",
                     type);
    else
        r = ct_error(b->ctx, "E207", ct_place_of(w->s, n), "`%s` has %u terminal%s, not %u", type,
                     e->terminal_count, e->terminal_count == 1 ? "" : "s", given);
    ct_help(r, "write %s", usage(b, e));
    ct_witness(r, ct_name_text(b->ctx, name));
}

/* mass(a) may be written mass(ground, a): its tail is ground in any case. */
static ct_node skip_ground(builder *b, const where *w, const ct_element *e, ct_node ports)
{
    ct_node first = ct_at(w->s, ports)->first, second = first ? ct_at(w->s, first)->next : 0;
    ct_name name;
    bool full = e->one_terminal && second && !ct_at(w->s, second)->next &&
                ct_plain_name(w->s, first, &name) && ct_find_node(b, w->scope, name) == GROUND_NODE;
    return full ? second : first;
}

/* Nodes, frames or a joint; signal ports read what looks like them. */
static terminals_kind kind_of_group(builder *b, const where *w, const ct_element *e, ct_node ports,
                                    uint32_t at)
{
    bool signal = at < e->terminal_count && e->terminal[at].domain == CT_SIGNAL_PORT;
    if (at < e->terminal_count && e->terminal[at].frame)
        return TERMINALS_FRAMES;
    return signal ? TERMINALS_PLAIN : ct_terminals_kind(b, w, ports);
}

/* Reports a node that has not as many entries as the others of its port. */
static uint32_t fitting(builder *b, uint32_t node, uint32_t width, ct_place place)
{
    if (node == NO_NODE || b->node.at[node].datum)
        return node;
    uint32_t have = b->node.at[node].width ? b->node.at[node].width : 1;
    if (have == width)
        return node;
    const ct_model_node *n = &b->node.at[node];
    const char *name = ct_name_text(b->ctx, n->width ? n->whole : n->name);
    ct_report *r = ct_error(b->ctx, "E240", place, "node `%s` has %u entr%s, but its port has %u",
                            name, have, have == 1 ? "y" : "ies", width);
    ct_help(r, "declare it: node %s : %s[%u]", name, ct_domain_row_at(n->domain)->name, width);
    ct_witness(r, name);
    return NO_NODE;
}

/* The entries of a vector node stand one after the other; all meet the one ground. */
static void put_node(builder *b, const ct_element *e, uint32_t node, uint32_t first, uint32_t *next)
{
    uint32_t width = e->terminal[*next].width;
    bool signal = e->terminal[*next].domain == CT_SIGNAL_PORT; /* has no node */
    bool vector = !signal && node < GROUND_NODE && b->node.at[node].width > 1;
    for (uint32_t i = 0; i < width; i++, ++*next)
        b->terminal_node.at[first + *next] = vector ? node + i : node;
}

/* Connects the next terminals of the component; `next` counts those done. */
static void connect_group(builder *b, const where *w, const ct_element *e, ct_node ports,
                          uint32_t group, ct_name name, uint32_t first, uint32_t *next)
{
    ct_node terminal = skip_ground(b, w, e, ports);
    uint32_t size = group_size(e, group);
    if (kind_of_group(b, w, e, ports, *next) != TERMINALS_PLAIN) {
        uint32_t node[2 * CT_FREEDOMS]; /* both ends of an edge for each */
        bool good = ct_connect_mechanical(b, w, e, ports, *next, size, name, node);
        for (uint32_t i = 0; i < size; i++, ++*next)
            b->terminal_node.at[first + *next] = good ? node[i] : NO_NODE;
        return;
    }
    for (uint32_t i = 0; i < size; i++) {
        uint32_t domain = e->terminal[*next].domain;
        uint32_t node = domain == CT_SIGNAL_PORT ? 0
                        : terminal               ? ct_terminal_node(b, w, terminal, domain)
                                   : ct_datum_node(b, domain, ct_place_of(w->s, ports));
        if (domain != CT_SIGNAL_PORT && terminal)
            node = fitting(b, node, e->terminal[*next].width, ct_place_of(w->s, terminal));
        put_node(b, e, node, first, next);
        terminal = terminal ? ct_at(w->s, terminal)->next : 0;
    }
}

/* Are the terminals as many as the element's, port by port? No node is made of wrong ones. */
static bool terminals_fit(builder *b, const where *w, ct_node n, const ct_element *e)
{
    uint32_t group = 0, at = 0;
    for (ct_node p = ct_at(w->s, n)->first; p; p = ct_at(w->s, p)->next) {
        if (ct_at(w->s, p)->kind != CT_NODE_PORTS)
            continue;
        uint32_t count = ct_child_count(w->s, p), size = group_size(e, group);
        count -= skip_ground(b, w, e, p) != ct_at(w->s, p)->first;
        count += e->grounded && count == 1; /* tank(a): its head is ground */
        bool mechanical = kind_of_group(b, w, e, p, at) != TERMINALS_PLAIN; /* says more itself */
        if (group++ == e->group_count || (!mechanical && count != size))
            return false;
        at += size;
    }
    return group == e->group_count;
}

/* Fills the node of each terminal. False: wrong number of terminals. */
static bool connect(builder *b, const where *w, ct_node n, const ct_element *e, ct_name name)
{
    uint32_t first = b->terminal_node.count, next = 0, group = 0;
    for (uint32_t i = 0; i < e->terminal_count; i++)
        CT_PUSH(b->arena, b->terminal_node, NO_NODE);
    if (!terminals_fit(b, w, n, e))
        return false;
    for (ct_node p = ct_at(w->s, n)->first; p; p = ct_at(w->s, p)->next)
        if (ct_at(w->s, p)->kind == CT_NODE_PORTS)
            connect_group(b, w, e, p, group++, name, first, &next);
    return true;
}

/* ---- components */

static void forget_if_broken(builder *b, const ct_element *e, uint32_t first)
{
    bool broken = false;
    for (uint32_t i = 0; i < e->terminal_count; i++)
        broken |= b->terminal_node.at[first + i] == NO_NODE;
    if (broken)
        b->component.at[b->component.count - 1].node = NO_NODE;
}

void ct_compose_element(builder *b, const where *w, ct_node n, definition *d, ct_name name,
                        uint64_t domains)
{
    ct_place place = ct_place_of(w->s, n);
    const ct_element *e = ct_element_variant(b, d, w, n, domains);
    if (!e || e->broken) {
        ct_add_thing(b, w->scope, name, (thing){.kind = THING_BROKEN, .place = place});
        return;
    }
    if (b->component.count >= b->ctx->def.max_components)
        ct_stop_at_limit(b, place, "components", b->ctx->def.max_components);
    uint32_t first = b->terminal_node.count;
    ct_component c = {ct_full_name(b, w->scope, name), e->index, first, 0, place};
    if (!connect(b, w, n, e, c.name))
        report_terminals(b, w, n, e, name);
    else if (e->is_field)
        ct_connect_taps(b, w, e, name, first);
    c.value = b->param_value.count; /* after those of the ports it made */
    for (uint32_t i = 0; i < e->slot_count; i++)
        CT_PUSH(b->arena, b->param_value, 0);
    CT_PUSH(b->arena, b->component, c);
    forget_if_broken(b, e, first);
    uint32_t index = b->component.count - 1;
    ct_add_thing(b, w->scope, name,
                 (thing){.kind = THING_COMPONENT, .index = index, .place = place});
    bool quick = ct_quick_keys(b, w, n, e);
    const where plain = {.s = w->s, .scope = w->scope};
    CT_PUSH(b->scratch, b->pending, (pending){ct_keep_where(b, quick ? &plain : w), n});
    CT_PUSH(b->scratch, b->component_state, quick ? ENTRY_QUICK : ENTRY_NEW);
    CT_PUSH(b->arena, b->component_flag, w->scope == b->top ? 0 : CT_COMPONENT_INSIDE);
    b->passed = quick;
}

static void report_type(builder *b, const where *w, ct_node id, ct_name type)
{
    const char *text = ct_name_text(b->ctx, type);
    ct_suggestion near = ct_suggest(text);
    ct_read_whole_library(b);
    for (uint32_t i = 0; i < b->definition.count; i++) {
        const definition *d = b->definition.at[i];
        if (ct_at(d->s, d->node)->kind != CT_NODE_FUNCTION)
            ct_suggest_try(&near, ct_name_text(b->ctx, d->name));
    }
    for (uint32_t i = 0; i < CT_TYPES; i++)
        ct_suggest_try(&near, ct_type_word(i));
    ct_report *r =
        ct_error(b->ctx, "E202", ct_place_of(w->s, id), "there is no element `%s`", text);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    else
        ct_help(r, "`cotree doc` lists all elements");
    ct_witness(r, text);
}

static void report_spatial(builder *b, const where *w, ct_node id, ct_name type)
{
    const char *text = ct_name_text(b->ctx, type);
    ct_report *r =
        ct_error(b->ctx, "E266", ct_place_of(w->s, id), "`%s` joints need space = spatial", text);
    ct_help(r, "in the plane there are revolute, prismatic, slot, weld, distance and free");
    ct_witness(r, text);
}

static void compose_component(builder *b, const where *w, ct_node n)
{
    ct_node name_node = ct_at(w->s, n)->first, id = ct_at(w->s, name_node)->next;
    ct_name name = ct_expand_name(b, w, name_node), type = ct_at(w->s, id)->name;
    if (!name)
        return;
    definition *d = ct_find_definition(b, type);
    if (!d && strcmp(ct_name_text(b->ctx, type), "controller") == 0) {
        ct_compose_controller(b, w, n, name);
        return;
    }
    uint32_t built_in;
    if (ct_mech_type_at(b, w, n, &built_in))
        return; /* has its name already */
    if (!d) {
        ct_add_thing(b, w->scope, name,
                     (thing){.kind = THING_BROKEN, .place = ct_place_of(w->s, n)});
        if (ct_type_is_spatial(ct_name_text(b->ctx, type)))
            report_spatial(b, w, id, type);
        else
            report_type(b, w, id, type);
    } else if (ct_at(d->s, d->node)->kind == CT_NODE_SYSTEM) {
        ct_compose_system(b, w, n, d, name);
    } else if (ct_is_generic(b, d) || ct_is_mechanical(b, w, n) ||
               (b->wide && ct_port_widths(b, w, n))) {
        CT_PUSH(b->scratch, b->deferred, (deferred){*w, n, d, name, b->component.count, false});
    } else {
        ct_compose_element(b, w, n, d, name, 0);
    }
}

/* ---- other statements about structure */

static void compose_nodes(builder *b, const where *w, ct_node n)
{
    uint32_t domain;
    if (ct_child(w->s, n, CT_NODE_SIZE)) /* made before (vector.c) */
        return;
    if (!ct_find_domain(b, ct_at(w->s, n)->name, ct_place_of(w->s, n), "", &domain))
        return;
    for (ct_node c = ct_at(w->s, n)->first; c; c = ct_at(w->s, c)->next) {
        ct_name name = ct_at(w->s, c)->kind == CT_NODE_NAME ? ct_expand_name(b, w, c) : 0;
        uint32_t node = name ? ct_find_node(b, w->scope, name) : NO_NODE;
        if (node < GROUND_NODE && use_node(b, node, domain, ct_place_of(w->s, c)) != NO_NODE)
            b->node.at[node].declared = true;
        else if (name && node == NO_NODE)
            ct_new_node(b, w->scope, name, domain, true, ct_place_of(w->s, c));
    }
}

static void compose_ground(builder *b, const where *w, ct_node n)
{
    ct_name alias = ct_at(w->s, n)->name;
    if (!alias)
        return;
    if (ct_find_node(b, w->scope, alias) != NO_NODE &&
        ct_find_node(b, w->scope, alias) != GROUND_NODE) {
        ct_error(b->ctx, "E201", ct_place_of(w->s, n), "`%s` is a node already",
                 ct_name_text(b->ctx, alias));
        return;
    }
    ct_bind_node(b, w->scope, alias, GROUND_NODE);
    if (w->scope == b->top)
        b->datum_name = alias;
}

static void compose_setting(builder *b, const where *w, ct_node n)
{
    if (ct_mech_setting(b, w, n))
        return;
    static const char *const known[] = {"space", "gravity", "coordinates"};
    const char *name = ct_name_text(b->ctx, ct_at(w->s, n)->name);
    ct_suggestion near = ct_suggest(name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ct_suggest_try(&near, known[i]);
    ct_report *r = ct_error(b->ctx, "E228", ct_place_of(w->s, n), "`%s` is not a setting", name);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    else
        ct_help(r, "declare a value with `param %s = ...` or `signal %s = ...`", name, name);
    ct_witness(r, name);
}

static void compose_statement(builder *b, const where *w, ct_node n)
{
    switch ((int)ct_at(w->s, n)->kind) {
    case CT_NODE_COMPONENT:
        compose_component(b, w, n);
        break;
    case CT_NODE_NODES:
        compose_nodes(b, w, n);
        break;
    default:
        compose_setting(b, w, n);
        break;
    }
}

const pass ct_alias_pass = {compose_ground, KIND_BIT(GROUND), false};
const pass ct_compose_pass = {
    compose_statement,
    KIND_BIT(COMPONENT) | KIND_BIT(NODES) | KIND_BIT(SETTING),
    false,
};

/* system.c - subsystem instances: a scope of their own, joined to the outside by ports and keys. */
#include <string.h>

#include "model/build.h"

enum { DEEPEST_SYSTEM = 60, MOST_INSTANCES = 2000000 };

static bool is_inside(const scope *s, const definition *d)
{
    for (; s; s = s->outer)
        if (s->system == d->node && s->system_syntax == d->s)
            return true;
    return false;
}

static void report_recursion(builder *b, const where *w, ct_node n, const definition *d)
{
    const char *name = ct_name_text(b->ctx, d->name);
    ct_report *r =
        ct_error(b->ctx, "E219", ct_place_of(w->s, n), "system `%s` contains itself", name);
    for (const scope *s = w->scope; s && s->system; s = s->outer)
        ct_note(r, "inside of `%s`", ct_name_text(b->ctx, s->prefix));
    ct_witness(r, name);
}

/* ---- ports: `(p, n : electrical, r : signal)`: a type holds for the names before it, too */

static ct_name formal_type(const ct_syntax *s, ct_node formal)
{
    for (; formal && ct_at(s, formal)->kind == CT_NODE_FORMAL; formal = ct_at(s, formal)->next)
        if (ct_at(s, formal)->first)
            return ct_at(s, ct_at(s, formal)->first)->name;
    return 0;
}

static ct_place formal_place(const ct_syntax *s, ct_node formal)
{
    while (!ct_at(s, formal)->first)
        formal = ct_at(s, formal)->next;
    return ct_place_of(s, ct_at(s, formal)->first);
}

uint32_t ct_port_domain(builder *b, const scope *s, ct_name name)
{
    const ct_syntax *text = s->system_syntax;
    uint32_t domain = CT_NO_DOMAIN;
    for (ct_node f = s->system ? ct_at(text, s->system)->first : 0; f; f = ct_at(text, f)->next)
        if (ct_at(text, f)->kind == CT_NODE_FORMAL && ct_at(text, f)->name == name &&
            formal_type(text, f))
            ct_find_domain(b, formal_type(text, f), formal_place(text, f), "", &domain);
    return domain;
}

static void bind_signal(builder *b, const where *w, ct_node expr, scope *inner, const definition *d,
                        ct_node formal)
{
    entry *e =
        ct_add_entry(b, inner, ENTRY_SIGNAL, ct_at(d->s, formal)->name, ct_place_of(d->s, formal));
    if (!e)
        return;
    e->where = ct_share_where(b, &(where){.s = d->s, .scope = inner});
    e->given_where = ct_share_where(b, w);
    e->given = expr;
}

static void bind_formal(builder *b, const where *w, ct_node expr, scope *inner, const definition *d,
                        ct_node formal)
{
    ct_name type = formal_type(d->s, formal), name = ct_at(d->s, formal)->name;
    const char *text = ct_name_text(b->ctx, type);
    uint32_t domain = CT_NO_DOMAIN, node = NO_NODE;
    ct_name outside;
    if (strcmp(text, "signal") == 0) {
        bind_signal(b, w, expr, inner, d, formal);
    } else if (strcmp(text, "frame") == 0) {
        ct_bind_frame(b, w, expr, inner, name, ct_place_of(d->s, formal));
    } else if ((!type || ct_find_domain(b, type, formal_place(d->s, formal), ", frame or signal",
                                        &domain)) &&
               ct_terminal_name(b, w, expr, &outside)) {
        node = ct_find_node(b, w->scope, outside);
        if (node != GROUND_NODE)
            node = ct_terminal_node(b, w, expr, domain);
        if (node != NO_NODE)
            ct_bind_node(b, inner, name, node);
    }
}

static uint32_t count_kind(const ct_syntax *s, ct_node n, ct_node_kind kind)
{
    uint32_t count = 0;
    for (ct_node c = ct_at(s, n)->first; c; c = ct_at(s, c)->next)
        count += ct_at(s, c)->kind == kind;
    return count;
}

static void bind_ports(builder *b, const where *w, ct_node n, scope *inner, const definition *d)
{
    ct_node formal = ct_at(d->s, d->node)->first;
    uint32_t want = count_kind(d->s, d->node, CT_NODE_FORMAL), given = 0;
    for (ct_node p = ct_at(w->s, n)->first; p; p = ct_at(w->s, p)->next) {
        if (ct_at(w->s, p)->kind != CT_NODE_PORTS)
            continue;
        for (ct_node t = ct_at(w->s, p)->first; t; t = ct_at(w->s, t)->next, given++) {
            if (given >= want)
                continue;
            bind_formal(b, w, t, inner, d, formal);
            formal = ct_at(d->s, formal)->next;
        }
    }
    if (given == want)
        return;
    const char *type = ct_name_text(b->ctx, d->name);
    ct_report *r =
        ct_error(b->ctx, "E207", ct_place_of(w->s, n), "system `%s` has %u port%s, not %u", type,
                 want, want == 1 ? "" : "s", given);
    ct_witness(r, type);
}

/* ---- keys: values of the subsystem's own params and consts */

static bool key_name(const where *w, ct_node key, ct_name *name)
{
    ct_node path = ct_at(w->s, key)->first;
    ct_node ref = ct_at(w->s, path)->first;
    return !ct_at(w->s, key)->op && ct_plain_name(w->s, ref, name);
}

static void bind_keys(builder *b, const where *w, ct_node n, scope *inner)
{
    for (ct_node key = ct_at(w->s, n)->first; key; key = ct_at(w->s, key)->next) {
        ct_name name;
        if (ct_at(w->s, key)->kind != CT_NODE_KEY || !key_name(w, key, &name))
            continue;
        if (ct_find_entry(b, inner, name)) {
            ct_report_twice(b, ct_place_of(w->s, key), ct_name_text(b->ctx, name));
            continue;
        }
        entry *e = ct_add_entry(b, inner, ENTRY_PARAM, name, ct_place_of(w->s, key));
        e->given_where = ct_share_where(b, w);
        e->given = ct_at(w->s, ct_at(w->s, key)->first)->next;
    }
}

static void suggest_own(builder *b, const scope *inner, const char *wrong, ct_report *r)
{
    ct_suggestion near = ct_suggest(wrong);
    for (uint32_t i = 0; i < b->entry.count; i++) {
        const entry *e = b->entry.at[i];
        if (e->decl && e->where->scope == inner)
            ct_suggest_try(&near, ct_name_text(b->ctx, e->name));
    }
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
}

/* A key that the system never declared. */
static void check_keys(builder *b, const where *w, ct_node n, scope *inner, const definition *d)
{
    for (ct_node key = ct_at(w->s, n)->first; key; key = ct_at(w->s, key)->next) {
        ct_name name;
        if (ct_at(w->s, key)->kind != CT_NODE_KEY || !key_name(w, key, &name))
            continue;
        entry *e = ct_find_entry(b, inner, name);
        if (!e || e->decl)
            continue;
        const char *text = ct_name_text(b->ctx, name);
        ct_report *r =
            ct_error(b->ctx, "E204", ct_place_of(w->s, key), "system `%s` has no parameter `%s`",
                     ct_name_text(b->ctx, d->name), text);
        suggest_own(b, inner, text, r);
        ct_witness(r, text);
        e->kind = ENTRY_SIGNAL; /* keep it out of the list of params */
    }
}

/* ---- how much one instance makes: each level may double it */

static uint32_t weigh(builder *b, definition *d, uint32_t depth)
{
    ct_node block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    if (d->weight || d->busy || depth > DEEPEST_SYSTEM)
        return d->weight;
    uint32_t weight = 1;
    d->busy = true;
    for (ct_node n = block ? ct_at(d->s, block)->first : 0; n; n = ct_at(d->s, n)->next) {
        if (ct_at(d->s, n)->kind != CT_NODE_COMPONENT)
            continue;
        definition *part =
            ct_find_definition(b, ct_at(d->s, ct_at(d->s, ct_at(d->s, n)->first)->next)->name);
        bool system = part && ct_at(part->s, part->node)->kind == CT_NODE_SYSTEM;
        weight += system ? weigh(b, part, depth + 1) : 0;
        weight = weight > MOST_INSTANCES ? MOST_INSTANCES + 1 : weight;
    }
    d->busy = false;
    return d->weight = weight;
}

/* ---- instances */

static bool can_be_inside(builder *b, const where *w, ct_node n, definition *d)
{
    if (is_inside(w->scope, d)) {
        report_recursion(b, w, n, d);
        return false;
    }
    if (w->scope->depth >= DEEPEST_SYSTEM) {
        ct_report *r = ct_error(b->ctx, "E108", ct_place_of(w->s, n),
                                "systems are nested more than %d deep", DEEPEST_SYSTEM);
        ct_witness(r, ct_name_text(b->ctx, d->name));
        return false;
    }
    if (weigh(b, d, w->scope->depth) > MOST_INSTANCES || b->scopes > MOST_INSTANCES)
        ct_stop_at_limit(b, ct_place_of(w->s, n), "subsystems", MOST_INSTANCES);
    return true;
}

static scope *new_instance(builder *b, scope *outer, definition *d, ct_name name)
{
    scope *inner = ct_new_scope(b, outer, ct_full_name(b, outer, name));
    inner->system = d->node;
    inner->system_syntax = d->s;
    inner->trial = outer->trial;
    d->used = true;
    return inner;
}

static void walk_body(builder *b, scope *inner, const definition *d, const pass *p)
{
    ct_node block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    where inside = {.s = d->s, .scope = inner};
    ct_walk_statements(b, &inside, block ? ct_at(d->s, block)->first : 0, p);
}

/* All but the first pass, which declares. */
static void compose_body(builder *b, scope *inner, const definition *d)
{
    where inside = {.s = d->s, .scope = inner};
    walk_body(b, inner, d, &ct_alias_pass);
    walk_body(b, inner, d, &ct_vector_pass);
    walk_body(b, inner, d, &ct_tap_pass);
    if (b->mech)
        walk_body(b, inner, d, &ct_mech_pass);
    walk_body(b, inner, d, &ct_compose_pass);
    CT_PUSH(b->scratch, b->instance, inside);
}

void ct_compose_system(builder *b, const where *w, ct_node n, definition *d, ct_name name)
{
    thing t = {.kind = THING_BROKEN, .place = ct_place_of(w->s, n)};
    if (!can_be_inside(b, w, n, d)) {
        ct_add_thing(b, w->scope, name, t);
        return;
    }
    scope *inner = new_instance(b, w->scope, d, name);
    t.kind = THING_SYSTEM, t.scope = inner;
    ct_add_thing(b, w->scope, name, t);
    bind_keys(b, w, n, inner);
    bind_ports(b, w, n, inner, d);
    walk_body(b, inner, d, &ct_declare_pass);
    check_keys(b, w, n, inner, d);
    compose_body(b, inner, d);
}

/* ---- systems that nothing uses: made once, looked at and dropped by the caller */

static void bind_open_port(builder *b, scope *inner, const definition *d, ct_node formal)
{
    ct_name type = formal_type(d->s, formal), name = ct_at(d->s, formal)->name;
    uint32_t domain = CT_NO_DOMAIN;
    entry *e = NULL;
    if (strcmp(ct_name_text(b->ctx, type), "signal") == 0)
        e = ct_add_entry(b, inner, ENTRY_INPUT, name, ct_place_of(d->s, formal));
    else if (strcmp(ct_name_text(b->ctx, type), "frame") == 0)
        ct_bind_open_frame(b, inner, name, ct_place_of(d->s, formal));
    else if (type)
        ct_find_domain(b, type, formal_place(d->s, formal), ", frame or signal", &domain);
    if (e)
        e->where = ct_share_where(b, &(where){.s = d->s, .scope = inner});
    else if (domain != CT_NO_DOMAIN)
        ct_new_node(b, inner, name, domain, true, ct_place_of(d->s, formal));
}

void ct_try_system(builder *b, definition *d)
{
    scope *inner = new_instance(b, b->top, d, d->name);
    inner->trial = true;
    for (ct_node f = ct_at(d->s, d->node)->first; f; f = ct_at(d->s, f)->next)
        if (ct_at(d->s, f)->kind == CT_NODE_FORMAL)
            bind_open_port(b, inner, d, f);
    walk_body(b, inner, d, &ct_declare_pass);
    compose_body(b, inner, d);
}

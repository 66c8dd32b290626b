/* system.c - subsystem instances: a scope of their own, joined to the outside by ports and keys. */
#include <string.h>

#include "model/build.h"

enum { DEEPEST_SYSTEM = 60 };

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

static void bind_signal(builder *b, const where *w, ct_node expr, scope *inner, const definition *d,
                        ct_node formal)
{
    entry *e =
        ct_add_entry(b, inner, ENTRY_SIGNAL, ct_at(d->s, formal)->name, ct_place_of(d->s, formal));
    if (!e)
        return;
    e->where = (where){.s = d->s, .scope = inner};
    e->given_where = *w;
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
    } else if (type && !ct_domain_find(text, &domain)) {
        ct_error(b->ctx, "E208", ct_place_of(d->s, formal), "there is no domain `%s`", text);
    } else if (ct_terminal_name(b, w, expr, &outside)) {
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
        entry *e = ct_add_entry(b, inner, ENTRY_PARAM, name, ct_place_of(w->s, key));
        if (!e)
            continue;
        e->given_where = *w;
        e->given = ct_at(w->s, ct_at(w->s, key)->first)->next;
    }
}

static void suggest_own(builder *b, const scope *inner, const char *wrong, ct_report *r)
{
    ct_suggestion near = ct_suggest(wrong);
    for (uint32_t i = 0; i < b->entry.count; i++) {
        const entry *e = b->entry.at[i];
        if (e->decl && e->where.scope == inner)
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

void ct_compose_system(builder *b, const where *w, ct_node n, definition *d, ct_name name)
{
    if (is_inside(w->scope, d) || w->scope->depth > DEEPEST_SYSTEM) {
        report_recursion(b, w, n, d);
        return;
    }
    scope *inner = ct_new_scope(b, w->scope, ct_full_name(b, w->scope, name));
    inner->system = d->node;
    inner->system_syntax = d->s;
    thing t = {.kind = THING_SYSTEM, .scope = inner, .place = ct_place_of(w->s, n)};
    ct_add_thing(b, w->scope, name, t);
    bind_keys(b, w, n, inner);
    bind_ports(b, w, n, inner, d);
    ct_node block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    where inside = {.s = d->s, .scope = inner};
    ct_node first = block ? ct_at(d->s, block)->first : 0;
    ct_walk_statements(b, &inside, first, &ct_declare_pass);
    check_keys(b, w, n, inner, d);
    ct_walk_statements(b, &inside, first, &ct_alias_pass);
    ct_walk_statements(b, &inside, first, &ct_compose_pass);
    CT_PUSH(b->scratch, b->instance, inside);
}

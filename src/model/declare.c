/* declare.c - the names of values: param, const, input, signal, discrete. */
#include "model/build.h"

static entry_kind kind_of(ct_node_kind statement)
{
    switch ((int)statement) {
    case CT_NODE_CONST:
        return ENTRY_CONST;
    case CT_NODE_INPUT:
        return ENTRY_INPUT;
    case CT_NODE_SIGNAL:
        return ENTRY_SIGNAL;
    case CT_NODE_DISCRETE:
        return ENTRY_DISCRETE;
    case CT_NODE_VAR:
        return ENTRY_VAR;
    default:
        return ENTRY_PARAM;
    }
}

/* A key of the subsystem's instance may have declared the name already, with its value. */
static entry *prepared(builder *b, const where *w, ct_name name)
{
    entry *e = ct_find_entry(b, w->scope, name);
    return e && e->given && !e->decl ? e : NULL;
}

static void declare(builder *b, const where *w, ct_node decl, ct_node_kind statement)
{
    ct_node name_node = ct_at(w->s, decl)->first;
    ct_name name = ct_expand_name(b, w, name_node);
    if (!name)
        return;
    entry *e = ct_find_entry(b, w->scope, name);
    if (e && e->decl == decl && e->where->s == w->s)
        return; /* a constant of an element: declared before all else */
    e = prepared(b, w, name);
    if (!e)
        e = ct_add_entry(b, w->scope, kind_of(statement), name, ct_place_of(w->s, name_node));
    if (!e)
        return;
    e->kind = kind_of(statement);
    e->where = ct_share_where(b, w);
    e->decl = decl;
    e->place = ct_place_of(w->s, name_node);
}

static void declare_statement(builder *b, const where *w, ct_node n)
{
    ct_node_kind kind = (ct_node_kind)ct_at(w->s, n)->kind;
    if (kind == CT_NODE_VAR && !w->element && w->s->broken)
        return; /* the parser has said so */
    if (kind == CT_NODE_VAR && !w->element) {
        ct_report *r =
            ct_error(b->ctx, "E404", ct_place_of(w->s, n), "`var` belongs into an element");
        ct_help(r, "write `param`, `input` or `signal`");
        return;
    }
    if (kind == CT_NODE_INPUT && w->element) {
        ct_error(b->ctx, "E404", ct_place_of(w->s, n),
                 "an element has no inputs: make it a signal port");
        return;
    }
    for (ct_node d = ct_at(w->s, n)->first; d; d = ct_at(w->s, d)->next)
        if (ct_at(w->s, d)->kind == CT_NODE_DECL)
            declare(b, w, d, kind);
}

const pass ct_declare_pass = {
    declare_statement,
    KIND_BIT(PARAM) | KIND_BIT(CONST) | KIND_BIT(INPUT) | KIND_BIT(SIGNAL) | KIND_BIT(VAR) |
        KIND_BIT(DISCRETE),
    true,
};

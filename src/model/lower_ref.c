/* lower_ref.c - names in expressions: values, variables of components and nodes, paths into
 * systems, entries. */
#include "model/element.h"
#include "model/mech.h"

static const env *find_env(const where *w, ct_name name)
{
    const env *e = w->env;
    while (e && e->name != name)
        e = e->up;
    return e;
}

static shaped read_plain(builder *b, const where *w, ct_name name, ct_place place)
{
    const env *bound = find_env(w, name);
    if (bound)
        return bound->is_index
                   ? ct_scalar(b, ct_expr_int(b->pool, bound->index), ct_term_known(ct_dim_none()))
                   : bound->value;
    if (name == b->name_pi)
        return ct_scalar(b, ct_expr_call(b->pool, CT_OP_PI, NULL, 0), ct_term_known(ct_dim_none()));
    if (name == b->name_t && !w->in_function) {
        ct_dim second = ct_dim_none();
        second.e[CT_SECOND] = 1;
        ct_name symbol = w->at_tick ? ct_tick_symbol(b->ctx) : b->name_t;
        return ct_scalar(b, ct_expr_symbol(b->pool, symbol), ct_term_known(second));
    }
    entry *e = w->scope && !w->in_function ? ct_find_entry(b, w->scope, name) : NULL;
    if (!e && b->mech && name == b->name_spatial)
        return ct_scalar(b, ct_expr_int(b->pool, b->mech->spatial), ct_term_known(ct_dim_none()));
    if (!e && w->element && !w->in_function && ct_is_choice_word(w, name))
        return (shaped){.word = name};
    if (!e)
        return ct_report_undefined(b, w, name, place);
    shaped v = ct_read_entry(b, e, place);
    return e->where->element && e->where->element->entry ? ct_entry_value(b, e->where->element, v)
                                                         : v;
}

static bool read_index(builder *b, const where *w, ct_node e, uint32_t size, uint32_t *index)
{
    int64_t value;
    if (!ct_lower_int(b, w, e, &value, "an index"))
        return false;
    if (value < 1 || value > size) {
        ct_report *r = ct_error(b->ctx, "E227", ct_place_of(w->s, e), "index %lld is outside 1..%u",
                                (long long)value, size);
        ct_note(r, "indices count from 1");
        return false;
    }
    *index = (uint32_t)value - 1;
    return true;
}

static shaped apply_index(builder *b, const where *w, ct_node index, shaped v)
{
    ct_node first = ct_at(w->s, index)->first;
    uint32_t count = ct_child_count(w->s, index), i = 0, j = 0;
    if (count < 1 || count > 2 || (count == 1 && v.cols != 1)) {
        ct_error(b->ctx, "E227", ct_place_of(w->s, index), "a %ux%u value takes %s", v.rows, v.cols,
                 v.cols == 1 ? "one index" : "two indices: [row, column]");
        return ct_broken_value();
    }
    if (!read_index(b, w, first, v.rows, &i))
        return ct_broken_value();
    if (count == 2 && !read_index(b, w, ct_at(w->s, first)->next, v.cols, &j))
        return ct_broken_value();
    cell c = v.cell[i * v.cols + j];
    return ct_scalar(b, c.expr, c.dim);
}

shaped ct_with_postfix(builder *b, const where *w, ct_node rest, shaped v)
{
    for (; rest && !ct_is_broken(v); rest = ct_at(w->s, rest)->next) {
        if (ct_at(w->s, rest)->kind == CT_NODE_INDEX && !v.word) {
            v = apply_index(b, w, rest, v);
            continue;
        }
        ct_error(b->ctx, "E241", ct_place_of(w->s, rest), "this cannot follow a value");
        return ct_broken_value();
    }
    return v;
}

static bool is_field(const where *w, ct_node n)
{
    return n && ct_at(w->s, n)->kind == CT_NODE_FIELD;
}

/* A port of a system that stands on ground: its across variables are zero. */
static shaped read_datum(builder *b, const where *w, const scope *s, ct_name port, ct_node field)
{
    ct_name name;
    uint32_t domain = ct_port_domain(b, s, port);
    if (!ct_field_name(b, w, field, &name))
        return ct_broken_value();
    int row = domain == CT_NO_DOMAIN ? -1 : ct_domain_variable(domain, ct_name_text(b->ctx, name));
    if (row < 0 || !ct_domain_row_at(domain)->variable[row].across) {
        ct_report *r = ct_error(b->ctx, "E212", ct_place_of(w->s, field),
                                "ground is the reference: its variables are zero");
        ct_help(r, "leave it out; a port of a system that may be ground needs its domain: "
                   "`system NAME(p, n : electrical)`");
        return ct_broken_value();
    }
    shaped zero = ct_scalar(b, ct_expr_int(b->pool, 0), ct_term_known(b->dim[domain][row]));
    return ct_with_postfix(b, w, ct_at(w->s, field)->next, zero);
}

static shaped read_thing(builder *b, const where *w, scope *s, ct_name name, ct_node field,
                         ct_place place)
{
    thing *t = ct_find_thing(b, s, name);
    uint32_t node = ct_find_node(b, s, name);
    where inside = *w;
    inside.scope = s;
    if (t && t->kind == THING_BROKEN)
        return ct_broken_value();
    if (!t && node == NO_NODE)
        return ct_report_unknown_thing(b, &inside, name, place);
    if (!is_field(w, field)) {
        ct_error(b->ctx, "E212", place, "`%s` is not a value: name one of its variables",
                 ct_name_text(b->ctx, name));
        return ct_broken_value();
    }
    shaped value;
    if (!t && node == GROUND_NODE && ct_read_ground(b, w, s, field, &value))
        return value;
    if (!t && node == GROUND_NODE)
        return read_datum(b, w, s, name, field);
    if (!t)
        return ct_read_node(b, w, node, field);
    if (t->kind != THING_COMPONENT)
        return ct_read_mechanical(b, w, t, field);
    return ct_read_component(b, w, t->index, field);
}

/* Field by field into subsystems; then a value, or a variable of a component or node, inside. */
static shaped read_path(builder *b, const where *w, ct_name name, ct_node field, ct_place place)
{
    scope *s = w->scope;
    thing *t = ct_find_thing(b, s, name);
    while (t && t->kind == THING_SYSTEM && is_field(w, field)) {
        s = t->scope;
        if (!ct_field_name(b, w, field, &name))
            return ct_broken_value();
        place = ct_place_of(w->s, field);
        field = ct_at(w->s, field)->next;
        entry *e = ct_find_entry(b, s, name);
        if (e && !is_field(w, field))
            return ct_with_postfix(b, w, field, ct_read_entry(b, e, place));
        t = ct_find_thing(b, s, name);
    }
    return read_thing(b, w, s, name, field, place);
}

static shaped lower_ref(builder *b, const where *w, ct_node n)
{
    ct_name name;
    ct_node rest;
    if (!ct_ref_name(b, w, n, &name, &rest))
        return ct_broken_value();
    ct_node_kind next = rest ? (ct_node_kind)ct_at(w->s, rest)->kind : CT_NODE_NONE;
    ct_place place = ct_place_of(w->s, n);
    if (next == CT_NODE_CALL)
        return ct_with_postfix(b, w, ct_at(w->s, rest)->next, ct_lower_call(b, w, n, name, rest));
    if (next != CT_NODE_FIELD)
        return ct_with_postfix(b, w, rest, read_plain(b, w, name, place));
    if (w->element && !w->in_function)
        return ct_read_element_path(b, w, name, rest, place);
    if (!w->scope || w->in_function)
        return ct_report_undefined(b, w, name, place);
    return read_path(b, w, name, rest, place);
}

shaped ct_lower_ref(builder *b, const where *w, ct_node n)
{
    shaped v = lower_ref(b, w, n);
    return w->at_tick ? ct_shaped_at_tick(b, v) : v;
}

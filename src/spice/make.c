/* make.c - nodes of the tree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "spice/reader.h"

void ct_sp_here(reader *r, ct_place place)
{
    r->at = place.at;
    r->width = place.length;
}

ct_node ct_sp_node(reader *r, ct_node_kind kind, ct_name name, ct_node first)
{
    ct_syntax_node node = {.kind = (uint16_t)kind, .at = r->at, .length = r->width};
    node.first = first;
    node.name = name;
    r->kinds |= kind < 64 ? (uint64_t)1 << kind : 0;
    CT_PUSH(r->keep, r->node, node);
    return r->node.count - 1;
}

void ct_sp_add(reader *r, children *list, ct_node n)
{
    if (!n)
        return;
    if (list->last)
        r->node.at[list->last].next = n;
    else
        list->first = n;
    while (r->node.at[n].next)
        n = r->node.at[n].next;
    list->last = n;
}

ct_node ct_sp_list(reader *r, ct_node_kind kind, ct_name name, const ct_node *n, uint32_t count)
{
    children list = {0};
    for (uint32_t i = 0; i < count; i++)
        ct_sp_add(r, &list, n[i]);
    return ct_sp_node(r, kind, name, list.first);
}

ct_node ct_sp_ref(reader *r, ct_name name)
{
    return ct_sp_node(r, CT_NODE_REF, name, 0);
}

ct_node ct_sp_word_ref(reader *r, const char *name)
{
    return ct_sp_ref(r, ct_intern_text(r->ctx, name));
}

static ct_node with_unit(reader *r, const char *unit)
{
    return unit ? ct_sp_node(r, CT_NODE_UNIT, ct_intern_text(r->ctx, unit), 0) : 0;
}

/* As short as it can be without loss, and without the `+` of exponents. */
static void write_real(char text[CT_DECIMAL_ROOM], double size)
{
    if (size < 1e6 && size == floor(size)) {
        snprintf(text, CT_DECIMAL_ROOM, "%.0f", size);
        return;
    }
    ct_decimal_shortest(text, size, 1);
    char *plus = strstr(text, "e+");
    if (plus)
        memmove(plus + 1, plus + 2, strlen(plus + 2) + 1);
}

ct_node ct_sp_real(reader *r, double number, const char *unit)
{
    char text[CT_DECIMAL_ROOM];
    write_real(text, fabs(number));
    ct_node n = ct_sp_node(r, CT_NODE_NUMBER, ct_intern_text(r->ctx, text), with_unit(r, unit));
    return signbit(number) && number != 0 ? ct_sp_minus(r, n) : n;
}

ct_node ct_sp_field(reader *r, ct_node ref, const char *field)
{
    children list = {r->node.at[ref].first, 0};
    for (ct_node n = list.first; n; n = r->node.at[n].next)
        list.last = n;
    ct_sp_add(r, &list, ct_sp_node(r, CT_NODE_FIELD, ct_intern_text(r->ctx, field), 0));
    r->node.at[ref].first = list.first;
    return ref;
}

/* Long sums and products are one node: what is added to one goes into it. */
static ct_node join(reader *r, ct_node_kind kind, ct_node a, ct_node b)
{
    if (r->node.at[a].kind != kind)
        return ct_sp_list(r, kind, 0, (ct_node[]){a, b}, 2);
    ct_node last = r->node.at[a].first;
    while (r->node.at[last].next)
        last = r->node.at[last].next;
    r->node.at[last].next = b;
    return a;
}

ct_node ct_sp_sum(reader *r, ct_node a, ct_node b)
{
    return join(r, CT_NODE_SUM, a, b);
}

ct_node ct_sp_product(reader *r, ct_node a, ct_node b)
{
    return join(r, CT_NODE_PRODUCT, a, b);
}

ct_node ct_sp_quotient(reader *r, ct_node a, ct_node b)
{
    return join(r, CT_NODE_PRODUCT, a, ct_sp_node(r, CT_NODE_INV, 0, b));
}

ct_node ct_sp_minus(reader *r, ct_node a)
{
    return ct_sp_node(r, CT_NODE_NEG, 0, a);
}

ct_node ct_sp_call(reader *r, const char *function, const ct_node *argument, uint32_t count)
{
    ct_node call = ct_sp_list(r, CT_NODE_CALL, 0, argument, count);
    return ct_sp_node(r, CT_NODE_REF, ct_intern_text(r->ctx, function), call);
}

ct_node ct_sp_key(reader *r, const char *key, ct_node expr)
{
    ct_node path = ct_sp_node(r, CT_NODE_PATH, 0, ct_sp_word_ref(r, key));
    return ct_sp_list(r, CT_NODE_KEY, 0, (ct_node[]){path, expr}, 2);
}

ct_node ct_sp_start_key(reader *r, const char *key, ct_node expr)
{
    ct_node n = ct_sp_key(r, key, expr);
    r->node.at[n].op = 1;
    return n;
}

/* Numbers get the unit, or none where it would only be noise; other values are multiplied by it. */
ct_node ct_sp_unit_of(reader *r, value v, const char *unit)
{
    if (!unit || v.plain || strcmp(unit, "1") == 0)
        return v.node;
    return ct_sp_product(r, v.node, ct_sp_real(r, 1, unit));
}

ct_node ct_sp_decl(reader *r, ct_name name, const char *unit, ct_node expr)
{
    ct_node part[3] = {ct_sp_node(r, CT_NODE_NAME, name, 0), with_unit(r, unit), 0};
    if (expr)
        part[2] = ct_sp_node(r, CT_NODE_VALUE, 0, expr);
    return ct_sp_list(r, CT_NODE_DECL, 0, part, 3);
}

ct_node ct_sp_component(reader *r, ct_name name, const char *type, const ct_node *terminal,
                        uint32_t count, uint32_t first_port, ct_node keys)
{
    ct_node part[5] = {ct_sp_node(r, CT_NODE_NAME, name, 0),
                       ct_sp_node(r, CT_NODE_ID, ct_intern_text(r->ctx, type), 0)};
    part[2] = ct_sp_list(r, CT_NODE_PORTS, 0, terminal, first_port);
    if (count > first_port)
        part[3] = ct_sp_list(r, CT_NODE_PORTS, 0, terminal + first_port, count - first_port);
    part[4] = keys;
    return ct_sp_list(r, CT_NODE_COMPONENT, 0, part, 5);
}

void ct_sp_emit(reader *r, ct_node statement)
{
    scope *s = &r->scope.at[r->here];
    children list = {s->first, s->last};
    ct_sp_add(r, &list, statement);
    s = &r->scope.at[r->here];
    s->first = list.first;
    s->last = list.last;
}

value ct_sp_plain(ct_node node, double number)
{
    return (value){node, true, true, number};
}

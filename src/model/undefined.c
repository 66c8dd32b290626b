/* undefined.c - names that stand for nothing: what may have been meant. */
#include <string.h>

#include "model/build.h"

/* ---- units with blanks or a `*` in them: `5 N /m`, `5 N*s/m` */

static bool is_unit_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("._^", c));
}

static uint32_t skip_back(const char *text, uint32_t at, const char *these)
{
    while (at && strchr(these, text[at - 1]))
        at--;
    return at;
}

static bool is_unit(builder *b, const char *text, uint32_t from, uint32_t to)
{
    ct_unit unit;
    const char *problem, *hint;
    return to > from && ct_unit_read(b->ctx, text + from, to - from, &unit, &problem, &hint);
}

/* The word that ends at `end`, behind an operator: the factor before. False: there is none. */
static bool factor_before(const char *text, uint32_t at, uint32_t *from, uint32_t *to, char *sign)
{
    uint32_t op = skip_back(text, at, " ");
    if (!op || !strchr("*/", text[op - 1]))
        return false;
    *sign = text[op - 1];
    *to = skip_back(text, op - 1, " ");
    for (*from = *to; *from && is_unit_char(text[*from - 1]);)
        --*from;
    return *to > *from;
}

/* What stands before a name that is a unit: a number with a unit, or another such name. */
typedef enum unit_slip { NO_SLIP, SLIP, FURTHER_SLIP } unit_slip;

static unit_slip find_slip(builder *b, const where *w, ct_place place, const char **meant)
{
    const char *text = ct_source_get(b->ctx, place.source)->text;
    uint32_t from, to, at = place.at, steps = 0;
    char sign;
    if (!is_unit(b, text, place.at, place.at + place.length))
        return NO_SLIP;
    for (; factor_before(text, at, &from, &to, &sign); at = from, steps++) {
        uint32_t digit = skip_back(text, from, " ");
        if (!is_unit(b, text, from, to) ||
            (w->scope && ct_find_entry(b, w->scope, ct_intern(b->ctx, text + from, to - from))))
            return NO_SLIP;
        if (digit == from || text[digit - 1] < '0' || text[digit - 1] > '9')
            continue;
        *meant = ct_printf(b->ctx, "%.*s%c%.*s", (int)(to - from), text + from,
                           sign == '*' ? '.' : '/', (int)place.length, text + place.at);
        return steps ? FURTHER_SLIP : SLIP;
    }
    return NO_SLIP;
}

/* ---- values */

/* A variable of an edge, without its edge. */
static const char *edge_with(builder *b, const where *w, ct_name name)
{
    const char *text = ct_name_text(b->ctx, name);
    ct_name edge = w->element && !w->in_function ? ct_edge_with(w->element, text) : 0;
    return edge ? ct_printf(b->ctx, "%s.%s", ct_name_text(b->ctx, edge), text) : NULL;
}

/* `b`, where `b.v` is meant. */
static const char *variable_of(builder *b, const where *w, ct_name name)
{
    if (!w->scope || w->in_function)
        return NULL;
    uint32_t node = ct_find_node(b, w->scope, name), domain = CT_NO_DOMAIN;
    thing *t = ct_find_thing(b, w->scope, name);
    if (t && t->kind == THING_COMPONENT && ct_element_of(b, t->index)->edge_count)
        domain = ct_element_of(b, t->index)->edge[0].domain;
    else if (!t && node < GROUND_NODE)
        domain = b->node.at[node].domain;
    if (domain == CT_NO_DOMAIN)
        return NULL;
    return ct_printf(b->ctx, "%s.%s", ct_name_text(b->ctx, name),
                     ct_domain_row_at(domain)->variable[0].name);
}

static const char *suggest_value(builder *b, const where *w, const char *text)
{
    ct_suggestion near = ct_suggest(text);
    if (!w->in_function && w->scope)
        ct_suggest_names(b, w->scope, true, false, &near);
    for (const env *e = w->env; e; e = e->up)
        ct_suggest_try(&near, ct_name_text(b->ctx, e->name));
    return near.best;
}

static void help_undefined(builder *b, const where *w, ct_name name, const char *unit, ct_report *r)
{
    const char *text = ct_name_text(b->ctx, name), *near = suggest_value(b, w, text);
    const char *edge = edge_with(b, w, name), *variable = variable_of(b, w, name);
    if (w->in_function)
        ct_note(r, "a function sees its arguments, pi and other functions only");
    if (unit)
        ct_help(r, "a unit has no blanks and no `*`: write `%s`", unit);
    else if (edge)
        ct_help(r, "write `%s`: a variable belongs to an edge", edge);
    else if (variable)
        ct_help(r, "`%s` is a component or node: read one of its variables, as in `%s`", text,
                variable);
    else if (near)
        ct_help(r, "did you mean `%s`?", near);
    else if (w->in_function)
        ct_help(r, "add `%s` to the arguments of the function", text);
    else
        ct_help(r, "declare it: param %s = ...", text);
}

shaped ct_report_undefined(builder *b, const where *w, ct_name name, ct_place place)
{
    const char *unit = NULL;
    if (b->partial || find_slip(b, w, place, &unit) == FURTHER_SLIP)
        return ct_broken_value();
    const char *text = ct_name_text(b->ctx, name);
    ct_report *r = ct_error(b->ctx, "E210", place, "`%s` is not defined", text);
    help_undefined(b, w, name, unit, r);
    ct_witness(r, text);
    return ct_broken_value();
}

/* ---- components and nodes */

shaped ct_report_unknown_thing(builder *b, const where *w, ct_name name, ct_place place)
{
    const char *text = ct_name_text(b->ctx, name);
    if (b->partial)
        return ct_broken_value();
    ct_report *r = ct_error(b->ctx, "E211", place, "there is no component or node `%s`", text);
    ct_suggestion near = ct_suggest(text);
    ct_suggest_names(b, w->scope, false, true, &near);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    else if (ct_find_entry(b, w->scope, name))
        ct_help(r, "`%s` is a value: it has no parts", text);
    ct_witness(r, text);
    return ct_broken_value();
}

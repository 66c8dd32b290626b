/* scope.c - the two name spaces: values, and things (components, nodes, subsystems). */
#include "model/build.h"

scope *ct_new_scope(builder *b, scope *outer, ct_name prefix)
{
    scope *s = CT_NEW(b->scratch, scope);
    s->id = ++b->scopes;
    s->outer = outer;
    s->prefix = prefix;
    s->depth = outer ? outer->depth + 1 : 0;
    return s;
}

/* ---- name spaces */

enum { TOP = 1 };                /* number of the model's own scope */
#define IS_COMPONENT 0x80000000u /* in a name space: the rest is the number of a component */

static uint32_t look_up(const name_space *space, const scope *s, ct_name name)
{
    return s->id == TOP ? ct_index_get(&space->top, name)
                        : ct_map_get(&space->inner, ct_pair(s->id, name));
}

static void enter(name_space *space, const scope *s, ct_name name, uint32_t value)
{
    if (s->id == TOP)
        ct_index_put(&space->top, name, value);
    else
        ct_map_put(&space->inner, ct_pair(s->id, name), value);
}

/* ---- values */

entry *ct_find_entry(builder *b, const scope *s, ct_name name)
{
    uint32_t index = look_up(&b->values, s, name);
    return index ? b->entry.at[index - 1] : NULL;
}

void ct_note_place(builder *b, ct_report *r, const char *what, ct_place place)
{
    uint32_t line, column;
    place = ct_source_origin(b->ctx, place);
    const ct_source *source = ct_source_get(b->ctx, place.source);
    ct_source_locate(source, place.at, &line, &column);
    ct_note(r, "%s %s:%u:%u", what, source->path, line, column);
}

void ct_report_duplicate(builder *b, ct_name name, ct_place place, ct_place first)
{
    const char *text = ct_name_text(b->ctx, name);
    bool itself = place.source == first.source && place.at == first.at;
    if (b->partial && itself)
        return; /* in a `repeat` that goes on because its `}` is missing */
    ct_report *r = ct_error(b->ctx, "E201", place, "`%s` is declared twice", text);
    ct_note_place(b, r, "first at", first);
    ct_help(r, "rename one of them");
    ct_witness(r, text);
}

entry *ct_add_entry(builder *b, scope *s, entry_kind kind, ct_name name, ct_place place)
{
    static const where nowhere = {0};
    entry *old = ct_find_entry(b, s, name);
    if (old)
        return ct_report_duplicate(b, name, place, old->place), NULL;
    entry *e = CT_NEW(b->scratch, entry);
    e->where = e->given_where = &nowhere;
    e->kind = kind;
    e->name = name;
    e->full = ct_full_name(b, s, name);
    e->place = place;
    e->hidden = s->element;
    if (b->entry.count >= MOST_VALUES)
        ct_stop_at_limit(b, place, "values", MOST_VALUES);
    CT_PUSH(b->scratch, b->entry, e);
    enter(&b->values, s, name, b->entry.count);
    return e;
}

/* ---- things: components need no more than their number */

thing *ct_find_thing(builder *b, const scope *s, ct_name name)
{
    uint32_t index = look_up(&b->things, s, name);
    if (!(index & IS_COMPONENT))
        return index ? &b->thing.at[index - 1] : NULL;
    thing *t = &b->found[b->found_next++ % (sizeof b->found / sizeof *b->found)];
    index &= ~IS_COMPONENT;
    *t = (thing){THING_COMPONENT, index, NULL, b->component.at[index].place};
    return t;
}

static uint32_t renumbered(uint32_t value, const uint32_t *number)
{
    return value & IS_COMPONENT ? number[value & ~IS_COMPONENT] | IS_COMPONENT : value;
}

void ct_renumber_components(builder *b, const uint32_t *number)
{
    name_space *space = &b->things;
    for (uint32_t i = 0; i < space->top.room; i++)
        space->top.value[i] = renumbered(space->top.value[i], number);
    for (uint32_t i = 0; i < space->inner.slots; i++)
        space->inner.value[i] = renumbered(space->inner.value[i], number);
}

static void report_ground(builder *b, ct_name name, ct_place place)
{
    const char *text = ct_name_text(b->ctx, name);
    ct_report *r = ct_error(b->ctx, "E201", place, "`%s` is a name of ground already", text);
    ct_help(r, "rename one of them");
    ct_witness(r, text);
}

void ct_add_thing(builder *b, scope *s, ct_name name, thing t)
{
    thing *old = ct_find_thing(b, s, name);
    if (old) {
        ct_report_duplicate(b, name, t.place, old->place);
        return;
    }
    uint32_t node = ct_find_node(b, s, name);
    if (node < GROUND_NODE)
        ct_report_duplicate(b, name, t.place, b->node.at[node].place);
    else if (node == GROUND_NODE)
        report_ground(b, name, t.place);
    if (t.kind == THING_COMPONENT) {
        enter(&b->things, s, name, t.index | IS_COMPONENT);
        return;
    }
    CT_PUSH(b->scratch, b->thing, t);
    enter(&b->things, s, name, b->thing.count);
}

/* ---- nodes */

uint32_t ct_find_node(builder *b, const scope *s, ct_name name)
{
    if (name == b->name_ground)
        return GROUND_NODE;
    return look_up(&b->nodes, s, name) - 1;
}

void ct_bind_node(builder *b, const scope *s, ct_name name, uint32_t node)
{
    enter(&b->nodes, s, name, node + 1);
}

enum { MOST_CANDIDATES = 2000 };

static void suggest_from(builder *b, const name_space *space, uint32_t id,
                         ct_suggestion *suggestion)
{
    uint32_t tried = 0;
    const ct_map *map = &space->inner;
    for (uint32_t i = 0; id == TOP && i < space->top.room && tried < MOST_CANDIDATES; i++) {
        if (!space->top.value[i])
            continue;
        ct_suggest_any(suggestion, ct_name_text(b->ctx, i));
        tried++;
    }
    for (uint32_t i = 0; i < map->slots && tried < MOST_CANDIDATES; i++) {
        if (!map->value[i] || map->key[i] >> 32 != id)
            continue;
        ct_suggest_any(suggestion, ct_name_text(b->ctx, (ct_name)map->key[i]));
        tried++;
    }
}

void ct_suggest_names(builder *b, const scope *s, bool values, bool things,
                      ct_suggestion *suggestion)
{
    if (values)
        suggest_from(b, &b->values, s->id, suggestion);
    if (things) {
        suggest_from(b, &b->things, s->id, suggestion);
        suggest_from(b, &b->nodes, s->id, suggestion);
    }
}

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

entry *ct_find_entry(builder *b, const scope *s, ct_name name)
{
    uint32_t index = ct_map_get(&b->values, ct_pair(s->id, name));
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
    entry *old = ct_find_entry(b, s, name);
    if (old)
        return ct_report_duplicate(b, name, place, old->place), NULL;
    entry *e = CT_NEW(b->scratch, entry);
    e->kind = kind;
    e->name = name;
    e->full = ct_full_name(b, s, name);
    e->place = place;
    e->hidden = s->element;
    if (b->entry.count >= MOST_VALUES)
        ct_stop_at_limit(b, place, "values", MOST_VALUES);
    CT_PUSH(b->scratch, b->entry, e);
    ct_map_put(&b->values, ct_pair(s->id, name), b->entry.count);
    return e;
}

thing *ct_find_thing(builder *b, const scope *s, ct_name name)
{
    uint32_t index = ct_map_get(&b->things, ct_pair(s->id, name));
    return index ? &b->thing.at[index - 1] : NULL;
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
    CT_PUSH(b->scratch, b->thing, t);
    ct_map_put(&b->things, ct_pair(s->id, name), b->thing.count);
}

uint32_t ct_find_node(builder *b, const scope *s, ct_name name)
{
    if (name == b->name_ground)
        return GROUND_NODE;
    return ct_map_get(&b->nodes, ct_pair(s->id, name)) - 1;
}

void ct_bind_node(builder *b, const scope *s, ct_name name, uint32_t node)
{
    ct_map_put(&b->nodes, ct_pair(s->id, name), node + 1);
}

enum { MOST_CANDIDATES = 2000 };

static void suggest_from(builder *b, const ct_map *map, uint32_t id, ct_suggestion *suggestion)
{
    uint32_t tried = 0;
    for (uint32_t i = 0; i < map->slots && tried < MOST_CANDIDATES; i++) {
        if (!map->value[i] || map->key[i] >> 32 != id)
            continue;
        ct_suggest_try(suggestion, ct_name_text(b->ctx, (ct_name)map->key[i]));
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

/* clone.c - a second context that knows the same names and sources. */
#include <string.h>

#include "base/context.h"
#include "base/symbol.h"

bool ct_context_is_new(const ct_context *ctx)
{
    return ctx->names.count <= 1 && ctx->sources.count <= 1;
}

static void *copy_of(ct_arena *arena, const void *from, size_t used, size_t room)
{
    void *copy = ct_arena_alloc(arena, room + 1);
    if (used)
        memcpy(copy, from, used);
    return copy;
}

/* Tables are copied, because both will grow; the texts that they name stay where they are. */
void ct_context_adopt(ct_context *own, const ct_context *from)
{
    ct_name_table t = from->names;
    ct_source_list s = from->sources;
    t.entry = copy_of(own->base, t.entry, t.count * sizeof *t.entry, t.room * sizeof *t.entry);
    t.slot =
        copy_of(own->base, t.slot, t.slot_count * sizeof *t.slot, t.slot_count * sizeof *t.slot);
    t.page = NULL;
    t.page_left = 0;
    s.at = copy_of(own->base, s.at, s.count * sizeof *s.at, s.room * sizeof *s.at);
    own->names = t;
    own->sources = s;
}

ct_symbols *ct_symbols_copy(const ct_symbols *from, ct_context *own, ct_arena *arena)
{
    ct_symbols *s = CT_NEW(arena, ct_symbols);
    *s = *from;
    s->ctx = own;
    s->arena = arena;
    size_t size = CT_SYMBOL_PAGE * sizeof **s->page;
    s->page = CT_NEW_ARRAY(arena, uint32_t *, from->pages);
    for (uint32_t i = 0; i < from->pages; i++)
        if (from->page[i])
            s->page[i] = copy_of(arena, from->page[i], size, size);
    s->record.at = copy_of(arena, from->record.at, from->record.count * sizeof *s->record.at,
                           from->record.room * sizeof *s->record.at);
    return s;
}

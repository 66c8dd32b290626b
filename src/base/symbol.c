/* symbol.c - records of symbols, found by the number of their name. */
#include "base/symbol.h"

#include "base/diag.h"

#include <string.h>

enum { LEAST_ROOM = 64 };

ct_symbols *ct_symbols_new(ct_context *ctx, ct_arena *arena)
{
    ct_symbols *s = CT_NEW(arena, ct_symbols);
    *s = (ct_symbols){.ctx = ctx, .arena = arena};
    CT_PUSH(arena, s->record, (ct_symbol){0});
    ct_symbol_note(s, ct_intern_text(ctx, "t"), (ct_symbol){.kind = CT_SYMBOL_TIME});
    return s;
}

static void make_room(ct_symbols *s, ct_name name)
{
    uint32_t room = s->room ? s->room : LEAST_ROOM;
    while (room <= name)
        room *= 2;
    uint32_t *index = CT_NEW_ARRAY(s->arena, uint32_t, room);
    if (s->room) {
        memcpy(index, s->index, s->room * sizeof *index);
        ct_arena_release(s->arena, s->index, s->room * sizeof *index);
    }
    s->index = index;
    s->room = room;
}

ct_name ct_symbol_note(ct_symbols *s, ct_name name, ct_symbol record)
{
    if (name >= s->room)
        make_room(s, name);
    if (!s->index[name]) {
        CT_PUSH(s->arena, s->record, (ct_symbol){0});
        s->index[name] = s->record.count - 1;
    }
    ct_symbol *own = &s->record.at[s->index[name]];
    if (own->kind == CT_SYMBOL_PLAIN) {
        record.rate = own->rate;
        *own = record;
    }
    return name;
}

ct_name ct_rate_symbol(ct_symbols *s, ct_name name)
{
    ct_symbol_note(s, name, (ct_symbol){0});
    uint32_t own = s->index[name];
    if (!s->record.at[own].rate) {
        ct_name rate = ct_intern_joined(s->ctx, "der(", ct_name_text(s->ctx, name), ")");
        ct_symbol_note(s, rate, (ct_symbol){.kind = CT_SYMBOL_RATE, .owner = name});
        s->record.at[own].rate = rate;
    }
    return s->record.at[own].rate;
}

ct_name ct_base_symbol(const ct_symbols *s, ct_name name, uint32_t *order)
{
    *order = 0;
    for (ct_symbol x = ct_symbol_of(s, name); x.kind == CT_SYMBOL_RATE; x = ct_symbol_of(s, name)) {
        name = x.owner;
        ++*order;
    }
    return name;
}

ct_name ct_slack_symbol(ct_symbols *symbols, uint32_t number)
{
    ct_name name = ct_intern_text(symbols->ctx, ct_printf(symbols->ctx, "slack %u", number));
    return ct_symbol_note(symbols, name, (ct_symbol){.kind = CT_SYMBOL_SLACK, .owner = number});
}

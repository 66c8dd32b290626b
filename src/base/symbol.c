/* symbol.c - records of symbols, found by the number of their name. */
#include "base/symbol.h"

#include "base/diag.h"

#include <string.h>

ct_symbols *ct_symbols_new(ct_context *ctx, ct_arena *arena)
{
    ct_symbols *s = CT_NEW(arena, ct_symbols);
    *s = (ct_symbols){.ctx = ctx, .arena = arena};
    CT_PUSH(arena, s->record, (ct_symbol){0});
    ct_symbol_note(s, ct_intern_text(ctx, "t"), (ct_symbol){.kind = CT_SYMBOL_TIME});
    return s;
}

static uint32_t *index_of(ct_symbols *s, ct_name name)
{
    uint32_t page = name / CT_SYMBOL_PAGE;
    if (page >= s->pages) {
        uint32_t pages = 2 * page + 1;
        size_t size = sizeof *s->page;
        s->page = ct_arena_grow(s->arena, s->page, s->pages * size, pages * size);
        memset(s->page + s->pages, 0, (pages - s->pages) * size);
        s->pages = pages;
    }
    if (!s->page[page])
        s->page[page] = CT_NEW_ARRAY(s->arena, uint32_t, CT_SYMBOL_PAGE);
    return &s->page[page][name % CT_SYMBOL_PAGE];
}

ct_name ct_symbol_note(ct_symbols *s, ct_name name, ct_symbol record)
{
    uint32_t *index = index_of(s, name);
    if (!*index) {
        CT_PUSH(s->arena, s->record, (ct_symbol){0});
        *index = s->record.count - 1;
    }
    ct_symbol *own = &s->record.at[*index];
    if (own->kind == CT_SYMBOL_PLAIN) {
        record.rate = own->rate, record.vector = own->vector, record.index = own->index;
        *own = record;
    }
    return name;
}

ct_name ct_rate_symbol(ct_symbols *s, ct_name name)
{
    ct_symbol_note(s, name, (ct_symbol){0});
    uint32_t own = *index_of(s, name);
    if (!s->record.at[own].rate) {
        ct_name rate = ct_intern_joined(s->ctx, "der(", ct_name_text(s->ctx, name), ")");
        ct_symbol_note(s, rate, (ct_symbol){.kind = CT_SYMBOL_RATE, .owner = name});
        s->record.at[own].rate = rate;
    }
    return s->record.at[own].rate;
}

ct_name ct_entry_symbol(ct_symbols *s, ct_name vector, uint32_t index)
{
    ct_name name = ct_intern_format(s->ctx, "%s[%u]", ct_name_text(s->ctx, vector), index);
    ct_symbol_note(s, name, (ct_symbol){0});
    ct_symbol *own = &s->record.at[*index_of(s, name)];
    own->vector = vector, own->index = index;
    return name;
}

ct_name ct_owned_symbol(ct_symbols *s, ct_name owner, ct_member word)
{
    ct_name all = ct_intern_joined(s->ctx, ct_name_text(s->ctx, owner), ".", word.text);
    return word.index ? ct_entry_symbol(s, all, word.index) : all;
}

ct_symbol_parts ct_symbol_split(const char *name)
{
    const char *dot = strrchr(name, '.'), *word = dot ? dot + 1 : name;
    size_t all = strlen(word), length = strcspn(word, "[");
    bool entry = length > 0 && length < all && word[all - 1] == ']';
    return (ct_symbol_parts){.path = name,
                             .path_length = dot ? (size_t)(dot - name) : 0,
                             .word = word,
                             .word_length = entry ? length : all,
                             .entry = word + length + 1,
                             .entry_length = entry ? all - length - 2 : 0};
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

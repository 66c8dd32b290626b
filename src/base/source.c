/* source.c - keeps model texts, and finds line and column of a place. */
#include "base/source.h"

#include <string.h>

#include "base/context.h"
#include "base/vec.h"

bool ct_source_fits(const ct_context *ctx, size_t length)
{
    return length <= ctx->def.max_source_bytes && length <= UINT32_MAX / 2;
}

uint32_t ct_source_add(ct_context *ctx, const char *path, const char *text, size_t length)
{
    if (!ct_source_fits(ctx, length))
        ct_throw(ctx, CT_ERR_LIMIT);
    return ct_source_refer(ctx, ct_arena_copy(ctx->base, path, strlen(path)),
                           ct_arena_copy(ctx->base, text, length), length);
}

uint32_t ct_source_refer(ct_context *ctx, const char *path, const char *text, size_t length)
{
    ct_source source = {path, text, (uint32_t)length, NULL, 0};
    CT_PUSH(ctx->base, ctx->sources, source);
    return ctx->sources.count - 1;
}

const ct_source *ct_source_get(const ct_context *ctx, uint32_t source)
{
    return &ctx->sources.at[source];
}

ct_place ct_source_origin(const ct_context *ctx, ct_place place)
{
    const ct_source *source = ct_source_get(ctx, place.source);
    if (!source->piece_count)
        return place;
    uint32_t low = 0, high = source->piece_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->piece[middle].at <= place.at)
            low = middle;
        else
            high = middle;
    }
    const ct_source_piece *piece = &source->piece[low];
    if (piece->length)
        return (ct_place){piece->source, piece->from, piece->length};
    return (ct_place){piece->source, place.at - piece->at + piece->from, place.length};
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

void ct_source_locate(const ct_source *source, uint32_t at, uint32_t *line, uint32_t *column)
{
    *line = 1;
    *column = 1;
    for (uint32_t i = 0; i < at && i < source->length; i++) {
        if (source->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            *column += begins_character(source->text[i]);
        }
    }
}

ct_place ct_place_join(ct_place a, ct_place b)
{
    return (ct_place){a.source, a.at, b.at + b.length - a.at};
}

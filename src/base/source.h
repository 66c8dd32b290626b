/* source.h - model texts and places in them. */
#ifndef CT_BASE_SOURCE_H
#define CT_BASE_SOURCE_H

#include <stdint.h>

#include <cotree/cotree.h>

#include "base/name.h"

/* A text that was put together of stretches of others: from `at` on it is `source` from `from` on,
 * byte for byte; or all of it came from the `length` bytes there, in other words. */
typedef struct ct_source_piece {
    uint32_t at, source, from;
    uint32_t length; /* 0: byte for byte */
} ct_source_piece;

typedef struct ct_source {
    const char *path; /* as shown to the user */
    const char *text; /* zero-terminated */
    uint32_t length;
    const ct_source_piece *piece; /* NULL: the text is a file of its own */
    uint32_t piece_count;
} ct_source;

typedef struct ct_source_list {
    ct_source *at; /* at[0] is unused */
    uint32_t count, room;
} ct_source_list;

bool ct_source_fits(const ct_context *ctx, size_t length); /* is it no longer than may be? */
/* Copies the text; returns its number. */
uint32_t ct_source_add(ct_context *ctx, const char *path, const char *text, size_t length);
/* The same without a copy: path and text, which ends with a zero, live as long as the context. */
uint32_t ct_source_refer(ct_context *ctx, const char *path, const char *text, size_t length);
const ct_source *ct_source_get(const ct_context *ctx, uint32_t source);

/* The same place in the file that it came from. */
ct_place ct_source_origin(const ct_context *ctx, ct_place place);

/* Line and column, both from 1; the column counts characters, not bytes. */
void ct_source_locate(const ct_source *source, uint32_t at, uint32_t *line, uint32_t *column);

/* The place that begins where a begins and ends where b ends. */
ct_place ct_place_join(ct_place a, ct_place b);

#endif

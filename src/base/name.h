/* name.h - interned strings: equal text, equal number. */
#ifndef CT_BASE_NAME_H
#define CT_BASE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#if defined(__GNUC__)
#define CT_PRINTF(text, first) __attribute__((format(printf, text, first)))
/* What runs for wrong models only: the compiler puts it, and what leads to it, out of the way. */
#define CT_RARE __attribute__((cold))
#else
#define CT_PRINTF(text, first)
#endif

typedef uint32_t ct_name; /* 0: no name */

typedef struct ct_name_entry {
    const char *text;
    uint32_t length;
} ct_name_entry;

typedef struct ct_name_slot {
    uint32_t hash;
    ct_name name; /* 0: empty */
} ct_name_slot;

enum { CT_RECENT_NAMES = 256 };

/* A name of at most sixteen bytes, as two numbers. */
typedef struct ct_name_recent {
    uint64_t low, high;
    uint32_t length;
    ct_name name; /* 0: none yet */
} ct_name_recent;

typedef struct ct_name_table {
    ct_name_entry *entry; /* entry[0] is the empty text */
    uint32_t count, room;
    ct_name_slot *slot; /* open addressing */
    uint32_t slot_count;
    char *page; /* where the next text goes */
    uint32_t page_left;
    ct_name_recent recent[CT_RECENT_NAMES]; /* by their bytes: most names come back soon */
} ct_name_table;

ct_name ct_intern(ct_context *ctx, const char *text, size_t length);
void ct_names_expect(ct_context *ctx, uint32_t count);     /* so many, at least, will be there */
ct_name ct_intern_text(ct_context *ctx, const char *text); /* ends at its zero */
ct_name ct_intern_joined(ct_context *ctx, const char *a, const char *b, const char *c);
ct_name ct_intern_format(ct_context *ctx, const char *format, ...) CT_PRINTF(2, 3);
const char *ct_name_text(const ct_context *ctx, ct_name name);
uint32_t ct_name_length(const ct_context *ctx, ct_name name);
int ct_name_compare(const ct_context *ctx, ct_name a, ct_name b); /* by text, digits as numbers */

#endif

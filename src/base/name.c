/* name.c - interns strings. */
#include "base/name.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/hash.h"
#include "base/vec.h"

/* At most eight bytes, the first of them the lowest: two reads that overlap. */
static inline uint64_t read_word(const char *text, size_t length)
{
    uint64_t word = 0;
    uint32_t low = 0, high = 0;
    uint16_t first = 0, second = 0;
    if (length >= sizeof word) {
        memcpy(&word, text, sizeof word);
        return word;
    }
    if (length >= sizeof low) {
        memcpy(&low, text, sizeof low);
        memcpy(&high, text + length - sizeof high, sizeof high);
        return low | (uint64_t)high << 8 * (length - sizeof high);
    }
    if (length >= sizeof first) {
        memcpy(&first, text, sizeof first);
        memcpy(&second, text + length - sizeof second, sizeof second);
        return first | (uint64_t)second << 8 * (length - sizeof second);
    }
    return length ? (unsigned char)*text : 0;
}

/* Where the character stands in which names of a `repeat` differ most often, in bits: the last
 * digit (R12, R12.i), or the last character. All bytes at once: from 0x30 on, up to 0x39. */
static inline unsigned varying_bits(uint64_t word, size_t length)
{
    const uint64_t each = 0x0101010101010101u, high = 0x80 * each;
    uint64_t low = word & ~high;
    uint64_t digits = ((low | high) - 0x30 * each) & ~(low + (0x7f - 0x39) * each) & ~word & high;
    return digits ? (unsigned)(63 - __builtin_clzll(digits)) & ~7u : 8 * ((unsigned)length - 1);
}

/* Names that differ in that character only are neighbours: a table of a million names is read
 * along, not at random. Of long names it is one of the last eight characters. */
static inline uint32_t hash_of(const char *text, size_t length)
{
    uint64_t h = length * 0x9e3779b97f4a7c15u;
    while (length > sizeof h) {
        size_t part = length > 2 * sizeof h ? sizeof h : length - sizeof h;
        h = ct_hash_mix(h, read_word(text, part));
        text += part, length -= part;
    }
    uint64_t word = read_word(text, length);
    unsigned at = varying_bits(word, length);
    uint64_t c = word >> at & 0xff;
    h = ct_hash_mix(h, word ^ c << at);
    return (uint32_t)(h ^ (c & 15) ^ (c >> 4) << 28);
}

static inline bool same_text(const char *a, const char *b, size_t length)
{
    return length <= sizeof(uint64_t) ? read_word(a, length) == read_word(b, length)
                                      : memcmp(a, b, length) == 0;
}

static inline uint32_t slot_of(const ct_name_table *t, const char *text, size_t length,
                               uint32_t hash)
{
    uint32_t mask = t->slot_count - 1, i = hash & mask;
    for (; t->slot[i].name; i = (i + 1) & mask) {
        if (t->slot[i].hash != hash)
            continue;
        const ct_name_entry *e = &t->entry[t->slot[i].name];
        if (e->length == length && same_text(e->text, text, length))
            break;
    }
    return i;
}

static void enlarge(ct_context *ctx, uint32_t slots)
{
    ct_name_table *t = &ctx->names;
    ct_name_slot *slot = CT_NEW_ARRAY(ctx->base, ct_name_slot, slots);
    for (uint32_t k = 0; k < t->slot_count; k++) {
        uint32_t i = t->slot[k].hash & (slots - 1);
        if (!t->slot[k].name)
            continue;
        while (slot[i].name)
            i = (i + 1) & (slots - 1);
        slot[i] = t->slot[k];
    }
    ct_arena_release(ctx->base, t->slot, t->slot_count * sizeof *slot);
    t->slot = slot;
    t->slot_count = slots;
}

/* Texts stand close together: no alignment, no gaps. */
static const char *copy_text(ct_context *ctx, const char *text, size_t length)
{
    enum { PAGE = 1 << 14 };
    ct_name_table *t = &ctx->names;
    if (length >= PAGE / 8)
        return ct_arena_copy(ctx->base, text, length);
    if (length + 1 > t->page_left) {
        t->page = ct_arena_grow(ctx->base, NULL, 0, PAGE); /* not zeroed first */
        t->page_left = PAGE;
    }
    char *copy = memcpy(t->page, text, length);
    copy[length] = 0;
    t->page += length + 1;
    t->page_left -= (uint32_t)length + 1;
    return copy;
}

static ct_name add(ct_context *ctx, const char *text, size_t length)
{
    ct_name_table *t = &ctx->names;
    if (length > UINT32_MAX / 2)
        ct_throw(ctx, CT_ERR_LIMIT);
    const char *copy = copy_text(ctx, text, length);
    if (t->count == t->room)
        t->entry = ct_vec_room(ctx->base, t->entry, t->count, &t->room, sizeof *t->entry);
    t->entry[t->count] = (ct_name_entry){copy, (uint32_t)length};
    return t->count++;
}

static ct_name find_or_add(ct_context *ctx, const char *text, size_t length)
{
    ct_name_table *t = &ctx->names;
    if (2 * (t->count + 1) > t->slot_count)
        enlarge(ctx, t->slot_count ? t->slot_count * 2 : 256);
    uint32_t hash = hash_of(text, length), slot = slot_of(t, text, length, hash);
    if (!t->slot[slot].name)
        t->slot[slot] = (ct_name_slot){hash, add(ctx, text, length)};
    return t->slot[slot].name;
}

ct_name ct_intern(ct_context *ctx, const char *text, size_t length)
{
    enum { WORD = sizeof(uint64_t) };
    ct_name_table *t = &ctx->names;
    if (length == 0)
        return t->count ? 0 : add(ctx, text, length);
    if (length > 2 * WORD)
        return find_or_add(ctx, text, length);
    uint64_t low = read_word(text, length), high = 0;
    if (length > WORD)
        high = read_word(text + WORD, length - WORD);
    uint64_t place = (low ^ high << 1) * 0x9e3779b97f4a7c15u / (UINT64_MAX / CT_RECENT_NAMES + 1);
    ct_name_recent *r = &t->recent[place];
    if (r->low != low || r->high != high || r->length != length || !r->name)
        *r = (ct_name_recent){low, high, (uint32_t)length, find_or_add(ctx, text, length)};
    return r->name;
}

void ct_names_expect(ct_context *ctx, uint32_t count)
{
    uint32_t slots = 256;
    while (slots / 2 < count && slots < (uint32_t)1 << 30)
        slots *= 2;
    if (slots > ctx->names.slot_count)
        enlarge(ctx, slots);
}

ct_name ct_intern_text(ct_context *ctx, const char *text)
{
    return ct_intern(ctx, text, strlen(text));
}

ct_name ct_intern_joined(ct_context *ctx, const char *a, const char *b, const char *c)
{
    char buffer[128], *text = buffer;
    size_t first = strlen(a), second = strlen(b), third = strlen(c);
    if (first + second + third > sizeof buffer)
        text = ct_arena_alloc(ctx->base, first + second + third);
    memcpy(text, a, first);
    memcpy(text + first, b, second);
    memcpy(text + first + second, c, third);
    return ct_intern(ctx, text, first + second + third);
}

ct_name ct_intern_format(ct_context *ctx, const char *format, ...)
{
    char text[256];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    char *long_text = NULL;
    if (length >= (int)sizeof text) {
        long_text = ct_arena_alloc(ctx->base, (size_t)length + 1);
        vsnprintf(long_text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    return ct_intern(ctx, long_text ? long_text : text, length > 0 ? (size_t)length : 0);
}

const char *ct_name_text(const ct_context *ctx, ct_name name)
{
    return ctx->names.entry[name].text;
}

uint32_t ct_name_length(const ct_context *ctx, ct_name name)
{
    return ctx->names.entry[name].length;
}

/* Compares runs of digits by value, so that R2 comes before R10. */
static int compare_digits(const char **a, const char **b)
{
    while (**a == '0' && isdigit((unsigned char)(*a)[1]))
        ++*a;
    while (**b == '0' && isdigit((unsigned char)(*b)[1]))
        ++*b;
    size_t la = strspn(*a, "0123456789"), lb = strspn(*b, "0123456789");
    int order = la != lb ? (la < lb ? -1 : 1) : memcmp(*a, *b, la);
    *a += la;
    *b += lb;
    return order;
}

int ct_name_compare(const ct_context *ctx, ct_name a, ct_name b)
{
    if (a == b)
        return 0;
    const char *s = ct_name_text(ctx, a), *u = ct_name_text(ctx, b);
    while (*s && *u) {
        if (isdigit((unsigned char)*s) && isdigit((unsigned char)*u)) {
            int order = compare_digits(&s, &u);
            if (order)
                return order;
        } else if (*s != *u) {
            return (unsigned char)*s < (unsigned char)*u ? -1 : 1;
        } else {
            s++, u++;
        }
    }
    if (*s || *u)
        return *s ? 1 : -1;
    return strcmp(ct_name_text(ctx, a), ct_name_text(ctx, b));
}

/* name.c - interns strings. */
#include "base/name.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/hash.h"
#include "base/vec.h"

/* The character in which names of a `repeat` differ most often: the last digit (R12, R12.i), or the
 * last character. */
static size_t varying_character(const char *text, size_t length)
{
    size_t first = length > 8 ? length - 8 : 0;
    for (size_t i = length; i > first; i--)
        if (text[i - 1] >= '0' && text[i - 1] <= '9')
            return i - 1;
    return length - 1;
}

/* Fewer than eight bytes, the first of them the lowest: two reads that overlap. */
static uint64_t rest_of(const char *text, size_t length)
{
    uint32_t low = 0, high = 0;
    uint16_t first = 0, second = 0;
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

/* Names that differ in that character only are neighbours: a table of a million names is read
 * along, not at random. */
static uint32_t hash_of(const char *text, size_t length)
{
    size_t at = varying_character(text, length), done = 0;
    uint64_t c = (unsigned char)text[at], h = length * 0x9e3779b97f4a7c15u, word;
    for (; length - done >= sizeof word; done += sizeof word) {
        memcpy(&word, text + done, sizeof word);
        h = ct_hash_mix(h, at - done < sizeof word ? word ^ c << 8 * (at - done) : word);
    }
    word = rest_of(text + done, length - done);
    h = ct_hash_mix(h, at >= done ? word ^ c << 8 * (at - done) : word);
    return (uint32_t)(h ^ (c & 15) ^ (c >> 4) << 28);
}

static inline uint32_t slot_of(const ct_name_table *t, const char *text, size_t length,
                               uint32_t hash)
{
    uint32_t mask = t->slot_count - 1, i = hash & mask;
    for (; t->slot[i].name; i = (i + 1) & mask) {
        if (t->slot[i].hash != hash)
            continue;
        const ct_name_entry *e = &t->entry[t->slot[i].name];
        if (e->length == length && memcmp(e->text, text, length) == 0)
            break;
    }
    return i;
}

static void enlarge(ct_context *ctx)
{
    ct_name_table *t = &ctx->names;
    uint32_t slots = t->slot_count ? t->slot_count * 2 : 256;
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
        t->page = ct_arena_alloc(ctx->base, PAGE);
        t->page_left = PAGE;
    }
    char *copy = memcpy(t->page, text, length);
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
    t->entry = ct_vec_room(ctx->base, t->entry, t->count, &t->room, sizeof *t->entry);
    t->entry[t->count] = (ct_name_entry){copy, (uint32_t)length};
    return t->count++;
}

ct_name ct_intern(ct_context *ctx, const char *text, size_t length)
{
    ct_name_table *t = &ctx->names;
    if (length == 0)
        return t->count ? 0 : add(ctx, text, length);
    if (2 * (t->count + 1) > t->slot_count)
        enlarge(ctx);
    uint32_t hash = hash_of(text, length), slot = slot_of(t, text, length, hash);
    if (!t->slot[slot].name)
        t->slot[slot] = (ct_name_slot){hash, add(ctx, text, length)};
    return t->slot[slot].name;
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

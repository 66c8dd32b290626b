/* text.c - builds texts: pieces, numbers, formats. */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/utf8.h"

ct_text ct_text_new(ct_arena *arena)
{
    return (ct_text){.arena = arena};
}

static void make_room(ct_text *text, size_t more)
{
    if (text->room - text->length > more)
        return;
    size_t room = 2 * text->room + more + 64;
    text->at = ct_arena_grow(text->arena, text->at, text->room, room);
    text->room = room;
}

void ct_put_bytes(ct_text *text, const char *bytes, size_t length)
{
    make_room(text, length);
    if (length)
        memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = '\0';
}

void ct_put(ct_text *text, const char *string)
{
    ct_put_bytes(text, string, strlen(string));
}

void ct_put_char(ct_text *text, char c)
{
    make_room(text, 1);
    text->at[text->length++] = c;
    text->at[text->length] = '\0';
}

void ct_put_int(ct_text *text, int64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    ct_put_bytes(text, at, (size_t)(digits + sizeof digits - at));
}

void ct_put_number(ct_text *text, double value)
{
    char digits[CT_DECIMAL_ROOM];
    ct_put_bytes(text, digits, ct_decimal_write(digits, value));
}

void ct_put_repeat(ct_text *text, char c, size_t count)
{
    make_room(text, count);
    memset(text->at + text->length, c, count);
    text->length += count;
    text->at[text->length] = '\0';
}

void ct_vputf(ct_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0) {
        make_room(text, (size_t)length);
        vsnprintf(text->at + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void ct_putf(ct_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ct_vputf(text, format, arguments);
    va_end(arguments);
}

const char *ct_text_string(ct_text *text)
{
    return text->at ? text->at : "";
}

/* Least code point that needs this many bytes: shorter ones written longer are invalid. */
static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

uint32_t ct_utf8_length(const char *text, size_t room)
{
    unsigned char lead = (unsigned char)text[0];
    uint32_t length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 1)
        return lead != 0;
    if (length == 0 || lead > 0xf4 || length > room)
        return 0;
    uint32_t code = lead & (0xffu >> (length + 1));
    for (uint32_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

/* U+0080 to U+009F are control characters, too. */
bool ct_is_control(const char *at, uint32_t length)
{
    unsigned char c = (unsigned char)*at;
    return length == 1 ? c < 0x20 || c == 0x7f
                       : length == 2 && c == 0xc2 && (unsigned char)at[1] < 0xa0;
}

/* One character, or one byte that is none; returns how many bytes were read. */
static uint32_t show_one(const char *at, size_t room, char out[20], uint32_t *length)
{
    uint32_t own = ct_utf8_length(at, room), bytes = own ? own : 1;
    bool hidden = own == 0 || (ct_is_control(at, own) && *at != '\n');
    *length = 0;
    for (uint32_t i = 0; hidden && i < bytes; i++)
        *length += (uint32_t)sprintf(out + *length, "\\x%02x", (unsigned char)at[i]);
    if (!hidden)
        memcpy(out, at, *length = bytes);
    return bytes;
}

void ct_put_visible(ct_text *text, const char *string)
{
    char out[20];
    uint32_t length;
    for (const char *end = string + strlen(string); string < end;) {
        string += show_one(string, (size_t)(end - string), out, &length);
        ct_put_bytes(text, out, length);
    }
}

size_t ct_make_visible(const char *string, char *out, size_t room)
{
    char one[20];
    uint32_t length;
    size_t used = 0, kept = 0;
    for (const char *end = string + strlen(string); string < end; used += length) {
        string += show_one(string, (size_t)(end - string), one, &length);
        if (used + length < room)
            memcpy(out + used, one, length), kept = used + length;
    }
    if (room)
        out[kept] = '\0';
    return used;
}

size_t ct_text_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

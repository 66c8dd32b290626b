/* text.c - builds texts: pieces, numbers, formats. */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
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
    ct_put_bytes(text, &c, 1);
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

size_t ct_text_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

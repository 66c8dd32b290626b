#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

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

static void put_json_char(ct_text *text, unsigned char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
    const char *found = c ? strchr(plain, c) : NULL;
    if (found)
        ct_putf(text, "\\%c", escaped[found - plain]);
    else if (c < 0x20)
        ct_putf(text, "\\u%04x", c);
    else
        ct_put_char(text, (char)c);
}

void ct_put_json(ct_text *text, const char *string)
{
    ct_put_char(text, '"');
    for (; *string; string++)
        put_json_char(text, (unsigned char)*string);
    ct_put_char(text, '"');
}

size_t ct_text_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

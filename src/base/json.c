/* json.c - the writer of JSON: commas, lines, strings with escapes, numbers. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"

/* ---- strings */

static void put_char(ct_text *text, unsigned char c)
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

/* How many characters stand in JSON as they are; most texts have no others. */
static size_t plain_length(const char *string)
{
    size_t length = 0;
    while (string[length] >= ' ' && string[length] < 0x7f && string[length] != '"' &&
           string[length] != '\\')
        length++;
    return length;
}

void ct_put_json(ct_text *text, const char *string)
{
    const char *end = string + strlen(string);
    ct_put_char(text, '"');
    while (string < end) {
        size_t plain = plain_length(string);
        ct_put_bytes(text, string, plain);
        string += plain;
        if (string == end)
            break;
        uint32_t length = ct_utf8_length(string, (size_t)(end - string));
        if (length == 0) /* JSON is UTF-8: the sign for what is none */
            ct_put(text, "\xef\xbf\xbd");
        else if (length == 1)
            put_char(text, (unsigned char)*string);
        else
            ct_put_bytes(text, string, length);
        string += length ? length : 1;
    }
    ct_put_char(text, '"');
}

/* ---- the writer */

ct_json ct_json_new(ct_text *out, const char *gap)
{
    return (ct_json){.out = out, .gap = gap, .indent = -1};
}

void ct_json_line(ct_json *j, int indent)
{
    j->indent = indent;
}

/* What stands before a value. */
static void begin(ct_json *j, const char *key)
{
    ct_put(j->out, j->comma ? "," : "");
    if (j->indent >= 0) {
        ct_put_char(j->out, '\n');
        ct_put_repeat(j->out, ' ', (size_t)j->indent);
    } else if (j->comma) {
        ct_put(j->out, j->gap);
    }
    j->indent = -1;
    j->comma = true;
    if (key) {
        ct_put_json(j->out, key);
        ct_put_char(j->out, ':');
        ct_put(j->out, j->gap);
    }
}

void ct_json_open(ct_json *j, const char *key, char bracket)
{
    begin(j, key);
    ct_put_char(j->out, bracket);
    j->comma = false;
}

void ct_json_close(ct_json *j, char bracket)
{
    ct_put_char(j->out, bracket);
    j->comma = true;
    j->indent = -1;
}

void ct_json_raw(ct_json *j, const char *key, const char *value)
{
    begin(j, key);
    ct_put(j->out, value ? value : "null");
}

void ct_json_text(ct_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text)
        ct_put_json(j->out, text);
    else
        ct_put(j->out, "null");
}

void ct_json_int(ct_json *j, const char *key, int64_t value)
{
    begin(j, key);
    ct_put_int(j->out, value);
}

void ct_json_number(ct_json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value))
        ct_put_number(j->out, value);
    else
        ct_put(j->out, "null");
}

void ct_json_bool(ct_json *j, const char *key, bool value)
{
    ct_json_raw(j, key, value ? "true" : "false");
}

/* ---- lists */

void ct_json_texts(ct_json *j, const char *key, const char *const *text, size_t count)
{
    ct_json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        ct_json_text(j, NULL, text[i]);
    ct_json_close(j, ']');
}

void ct_json_numbers(ct_json *j, const char *key, const double *value, size_t count)
{
    ct_json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        ct_json_number(j, NULL, value[i]);
    ct_json_close(j, ']');
}

void ct_json_pairs(ct_json *j, const char *key, const char *const *name, const double *value,
                   size_t count)
{
    ct_json_open(j, key, '{');
    for (size_t i = 0; i < count; i++)
        ct_json_number(j, name[i], value[i]);
    ct_json_close(j, '}');
}

void ct_json_end(ct_json *j, const ct_context *ctx)
{
    if (*j->gap)
        ct_json_line(j, 1);
    ct_json_diagnostics(j, ctx);
    ct_json_close(j, '}');
    ct_put_char(j->out, '\n');
}

/* lex.c - words, numbers and expressions of a card. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "spice/reader.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- tokens -------------------------------------------------------------------------------- */

/* `;` always, `$` where a word could begin. */
static bool begins_comment(const char *text, uint32_t at)
{
    return text[at] == ';' || (text[at] == '$' && at && strchr(" \t,\n", text[at - 1]));
}

static uint32_t line_end(const char *text, uint32_t at, uint32_t end)
{
    while (at < end && text[at] != '\n')
        at++;
    return at;
}

/* From the end of a line over comments to behind the `+` of the next. */
static uint32_t next_line(const char *text, uint32_t at, uint32_t end)
{
    while (at < end) {
        uint32_t first = at + 1; /* behind the newline */
        while (first < end && strchr(" \t\r", text[first]))
            first++;
        if (first < end && text[first] == '+')
            return first + 1;
        at = line_end(text, first, end);
    }
    return end;
}

uint32_t ct_sp_skip(const char *text, uint32_t at, uint32_t end)
{
    while (at < end) {
        char c = text[at];
        if (c == '\n')
            at = next_line(text, at, end);
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\f')
            at++;
        else if (begins_comment(text, at))
            at = line_end(text, at, end);
        else
            break;
    }
    return at;
}

static uint32_t closing(const char *text, uint32_t at, uint32_t end, char open, char close)
{
    uint32_t depth = 0;
    for (; at < end; at++) {
        depth += text[at] == open && open != close;
        if (text[at] == close && depth-- == 0)
            return at;
    }
    return end;
}

static bool ends_word(char c)
{
    static const bool table[256] = {
        ['\0'] = true, [' '] = true,  ['\t'] = true, ['\r'] = true, ['\n'] = true,
        ['\f'] = true, ['='] = true,  ['('] = true,  [')'] = true,  [','] = true,
        ['{'] = true,  ['\''] = true, ['"'] = true,  [';'] = true};
    return table[(unsigned char)c];
}

static token read_token(const reader *r, uint32_t *next, uint32_t end)
{
    const char *text = r->text;
    uint32_t at = *next;
    at += at < end && text[at] == ' '; /* most often one */
    if (at < end && (text[at] <= ' ' || text[at] == ';' || text[at] == '$'))
        at = ct_sp_skip(text, at, end);
    token t = {.kind = TOKEN_END, .at = at};
    *next = at;
    if (at >= end)
        return t;
    char c = text[at];
    if (!ends_word(c)) {
        while (at < end && !ends_word(text[at]))
            at++;
        t.kind = TOKEN_WORD;
        t.length = at - t.at;
        *next = at;
        return t;
    }
    if (c == '{' || c == '\'' || c == '"') {
        uint32_t stop = closing(text, at + 1, end, c, c == '{' ? '}' : c);
        *next = stop < end ? stop + 1 : stop;
        t.kind = c == '"' ? TOKEN_STRING : TOKEN_EXPR;
        t.at = at + 1;
        t.length = stop - at - 1;
        return t;
    }
    *next = at + 1;
    return (token){TOKEN_MARK, c, at, 1};
}

cursor ct_sp_start(const reader *r, uint32_t at, uint32_t end)
{
    cursor c = {.next = at, .end = end};
    ct_sp_take(r, &c);
    return c;
}

token ct_sp_take(const reader *r, cursor *c)
{
    token taken = c->token;
    c->token = read_token(r, &c->next, c->end);
    return taken;
}

bool ct_sp_accept(const reader *r, cursor *c, char mark)
{
    if (c->token.kind != TOKEN_MARK || c->token.mark != mark)
        return false;
    ct_sp_take(r, c);
    return true;
}

bool ct_sp_at_end(const cursor *c)
{
    return c->token.kind == TOKEN_END;
}

bool ct_sp_assignment(const reader *r, cursor *c, token *name)
{
    cursor ahead = *c;
    if (c->token.kind != TOKEN_WORD)
        return false;
    *name = ct_sp_take(r, &ahead);
    if (!ct_sp_accept(r, &ahead, '='))
        return false;
    *c = ahead;
    return true;
}

/* ---- words --------------------------------------------------------------------------------- */

bool ct_sp_is(const reader *r, token t, const char *word)
{
    if (t.kind != TOKEN_WORD || strlen(word) != t.length)
        return false;
    for (uint32_t i = 0; i < t.length; i++)
        if (lower(r->text[t.at + i]) != word[i])
            return false;
    return true;
}

ct_name ct_sp_lower(reader *r, token t)
{
    char few[64], *text = t.length <= sizeof few ? few : ct_arena_alloc(r->arena, t.length);
    for (uint32_t i = 0; i < t.length; i++)
        text[i] = lower(r->text[t.at + i]);
    return ct_intern(r->ctx, text, t.length);
}

ct_name ct_sp_word(reader *r, token t)
{
    return ct_intern(r->ctx, r->text + t.at, t.length);
}

ct_name ct_sp_as_written(reader *r, token t, ct_name lower)
{
    bool same = memcmp(ct_name_text(r->ctx, lower), r->text + t.at, t.length) == 0;
    return same ? lower : ct_sp_word(r, t);
}

const char *ct_sp_text(reader *r, token t)
{
    uint32_t length = t.length < 60 ? t.length : 60;
    return ct_printf(r->ctx, "%.*s", (int)length, r->text + t.at);
}

ct_place ct_sp_place(const reader *r, token t)
{
    return (ct_place){r->source, t.at, t.length ? t.length : 1};
}

/* ---- numbers ------------------------------------------------------------------------------- */

static uint32_t digits(const char *text, uint32_t at, uint32_t end)
{
    while (at < end && is_digit(text[at]))
        at++;
    return at;
}

/* Power of ten of a suffix; `mil` has none and gives 99. */
static int suffix(const char *text, uint32_t at, uint32_t end)
{
    static const struct {
        const char *word;
        int power;
    } rows[] = {{"meg", 6},       {"mil", 99},      {"t", 12},   {"g", 9},   {"k", 3},
                {"m", -3},        {"u", -6},        {"n", -9},   {"p", -12}, {"f", -15},
                {"\xc2\xb5", -6}, {"\xce\xbc", -6}, {"\xb5", -6}}; /* micro: UTF-8 twice, Latin-1 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows && at < end; i++) {
        size_t k = 0;
        while (rows[i].word[k] && at + k < end && lower(text[at + k]) == rows[i].word[k])
            k++;
        if (!rows[i].word[k])
            return rows[i].power;
    }
    return 0;
}

static int read_exponent(const char *text, uint32_t *at, uint32_t end)
{
    uint32_t from = *at + 1;
    bool minus = from < end && text[from] == '-';
    from += from < end && (text[from] == '-' || text[from] == '+');
    uint32_t to = digits(text, from, end);
    if (*at >= end || lower(text[*at]) != 'e' || to == from)
        return 0;
    int power = 0;
    for (; from < to; from++)
        power = power < 100000 ? 10 * power + (text[from] - '0') : power;
    *at = to;
    return minus ? -power : power;
}

/* `e-12`; its length. */
static uint32_t write_exponent(char *to, int exponent)
{
    char digit[12], *at = to;
    int count = 0;
    for (int left = abs(exponent); left; left /= 10)
        digit[count++] = (char)('0' + left % 10);
    *at++ = 'e';
    if (exponent < 0)
        *at++ = '-';
    while (count)
        *at++ = digit[--count];
    return (uint32_t)(at - to);
}

/* A whole number of fifteen digits times or over a power of ten that is exact: one rounding, as it
 * must be. False: it is none. */
static bool small_number(const char *at, const char *end, int exponent, double *number)
{
    enum { MOST_DIGITS = 15 };
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int largest = (int)(sizeof power / sizeof *power) - 1;
    int64_t digits = 0;
    bool point = false;
    if (end - at > MOST_DIGITS)
        return false;
    for (; at < end; at++) {
        exponent -= point;
        point |= *at == '.';
        digits = *at == '.' ? digits : 10 * digits + (*at - '0');
    }
    if (exponent < -largest || exponent > largest)
        return false;
    *number = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    return true;
}

ct_name ct_sp_number(reader *r, uint32_t at, uint32_t end, double *number, uint32_t *used)
{
    const char *text = r->text;
    uint32_t whole = digits(text, at, end), point = whole, part = whole;
    if (point < end && text[point] == '.')
        part = digits(text, point + 1, end);
    if (whole == at && part <= point + 1)
        return 0;
    uint32_t after = part > point ? part : point;
    int power = read_exponent(text, &after, end), scale = suffix(text, after, end);
    while (after < end && ((lower(text[after]) >= 'a' && lower(text[after]) <= 'z') ||
                           (unsigned char)text[after] >= 0x80))
        after++; /* unit letters */
    *used = after;
    int exponent = power + (scale == 99 ? 0 : scale);
    uint32_t fraction = part > point + 1 ? part - point : 0, length = whole - at + fraction;
    char metres[CT_DECIMAL_ROOM], few[64];
    char *out = length + 24 < sizeof few ? few : ct_arena_alloc(r->arena, length + 24);
    char *to = out;
    if (whole == at)
        *to++ = '0';
    to = (char *)memcpy(to, text + at, whole - at) + (whole - at);
    to = (char *)memcpy(to, text + point, fraction) + fraction;
    char *mantissa_end = to;
    to += exponent ? write_exponent(to, exponent) : 0;
    *to = '\0';
    if (!small_number(out, mantissa_end, exponent, number))
        *number = strtod(out, NULL);
    if (scale == 99) {
        *number *= 25.4e-6;
        return ct_intern(r->ctx, metres, ct_decimal_write(metres, *number));
    }
    return ct_intern(r->ctx, out, (size_t)(to - out));
}

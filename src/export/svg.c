/* svg.c - numbers, escapes and widths of texts in pictures. */
#include "export/svg.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Whole numbers of units, so many of which make 1; printf would write a comma in some locales. */
static void put_fraction(ct_text *out, double value, int64_t units)
{
    int64_t all = llround(value * (double)units), rest = all < 0 ? -all : all;
    if (all < 0)
        ct_put_char(out, '-');
    ct_put_int(out, rest / units);
    rest %= units;
    if (rest)
        ct_put_char(out, '.');
    for (; rest; rest = rest * 10 % units)
        ct_put_char(out, (char)('0' + rest * 10 / units));
}

void ct_svg_number(ct_text *out, double value)
{
    put_fraction(out, value, 10);
}

void ct_svg_point(ct_text *out, double x, double y)
{
    put_fraction(out, x, 10);
    ct_put_char(out, ' ');
    put_fraction(out, y, 10);
}

void ct_svg_fine_point(ct_text *out, double x, double y)
{
    put_fraction(out, x, 100);
    ct_put_char(out, ' ');
    put_fraction(out, y, 100);
}

void ct_svg_attribute(ct_text *out, const char *name, double value)
{
    ct_putf(out, " %s=\"", name);
    ct_svg_number(out, value);
    ct_put_char(out, '"');
}

/* Bytes of the UTF-8 character that begins here, 0: it is none that XML admits. */
static size_t character_length(const char *text)
{
    unsigned char c = (unsigned char)*text;
    size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;
    if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xc2) || c > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
    unsigned char next = length > 1 ? (unsigned char)text[1] : 0;
    bool overlong = (c == 0xe0 && next < 0xa0) || (c == 0xf0 && next < 0x90);
    bool surrogate = c == 0xed && next >= 0xa0, beyond = c == 0xf4 && next >= 0x90;
    bool noncharacter = c == 0xef && next == 0xbf && (unsigned char)text[2] >= 0xbe;
    return overlong || surrogate || beyond || noncharacter ? 0 : length;
}

void ct_svg_escaped(ct_text *out, const char *text)
{
    while (*text) {
        size_t length = character_length(text);
        if (length == 0)
            ct_put(out, "\xef\xbf\xbd"); /* the replacement character */
        else if (*text == '<')
            ct_put(out, "&lt;");
        else if (*text == '>')
            ct_put(out, "&gt;");
        else if (*text == '&')
            ct_put(out, "&amp;");
        else
            ct_put_bytes(out, text, length);
        text += length ? length : 1;
    }
}

/* Hundredths of the font size from the space on: the larger of DejaVu Sans, the widest face that is
 * commonly met, and Helvetica. */
static const uint8_t widths[] = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 67, 61, 78, 76, 30, 50, 66, 56, 87, 75, 79,
    67, 79, 70, 67, 62, 74, 69, 99, 69,  67, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

/* Other scripts by the first bytes of the character; too wide rather than too narrow. */
static double character_em(const char *text)
{
    unsigned char c = (unsigned char)*text;
    if (c >= ' ' && c < 0x7f)
        return widths[c - ' '] / 100.0;
    if (c == 0xc2)
        return 0.65; /* signs such as the micro */
    if (c >= 0xc3 && c < 0xe0)
        return 0.85;
    return c == 0xe2 && (unsigned char)text[1] == 0x81 ? 0.55 : 1.0; /* superscripts */
}

double ct_svg_text_width(const char *text, double font_size)
{
    double em = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            em += character_em(text);
    return em * font_size;
}

const char *ct_svg_shortened(ct_arena *arena, const char *text, double font_size, double width)
{
    if (ct_svg_text_width(text, font_size) <= width)
        return text;
    double em = 1; /* of the ellipsis */
    size_t length = 0;
    for (; text[length]; length++) {
        bool begins = ((unsigned char)text[length] & 0xc0) != 0x80;
        em += begins ? character_em(text + length) : 0;
        if (em * font_size > width && begins)
            break;
    }
    char *shortened = ct_arena_alloc(arena, length + 4);
    memcpy(shortened, text, length);
    memcpy(shortened + length, "\xe2\x80\xa6", 3);
    return shortened;
}

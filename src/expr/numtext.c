/* numtext.c - reading and writing numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "expr/bignum.h"

enum { LARGEST_EXPONENT = 4000 };

/* ---- reading */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The part after the e; false: no digits, or too large. */
static bool read_exponent(const char *at, const char *end, long *exponent)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    for (*exponent = 0; at < end; at++) {
        if (!is_digit(*at))
            return false;
        *exponent = 10 * *exponent + (*at - '0');
        if (*exponent > LARGEST_EXPONENT)
            return false;
    }
    if (negative)
        *exponent = -*exponent;
    return true;
}

/* digits * 10^exponent, in 64 bits if it fits. */
static ct_number make_decimal(ct_arena *arena, const char *digits, size_t count, long exponent)
{
    if (count > 18 || exponent > 0 || exponent < -18)
        return ct_big_decimal(arena, digits, count, exponent);
    int64_t mantissa = 0, scale = 1;
    for (size_t i = 0; i < count; i++)
        mantissa = 10 * mantissa + (digits[i] - '0');
    for (long i = 0; i < -exponent; i++)
        scale *= 10;
    return ct_number_ratio(arena, mantissa, scale);
}

bool ct_number_parse(ct_arena *arena, const char *text, size_t length, ct_number *out)
{
    const char *at = text, *end = text + length;
    if (length == 0 || length > CT_DECIMAL_DIGITS)
        return false;
    bool negative = *at == '-', point = false, some = false;
    at += negative;
    char *digits = CT_NEW_ARRAY(arena, char, length + 1);
    size_t count = 0;
    long places = 0, exponent = 0;
    for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        some = true;
        places += point;
        if (count > 0 || *at != '0')
            digits[count++] = *at;
    }
    if (!some || (at < end && *at != 'e' && *at != 'E'))
        return false;
    if (at < end && !read_exponent(at + 1, end, &exponent))
        return false;
    if (count == 0)
        digits[count++] = '0';
    *out = make_decimal(arena, digits, count, exponent - places);
    if (negative)
        *out = ct_number_neg(out);
    return true;
}

/* ---- writing */

bool ct_number_is_fraction(const ct_number *a)
{
    uint64_t m;
    long k;
    return a->form != CT_REAL && !ct_number_is_integer(a) && !ct_big_decimal_form(a, &m, &k);
}

static void put_scale(ct_text *out, long exponent, ct_number_style style)
{
    ct_putf(out, style == CT_NUMBER_LATEX ? "10^{%ld}" : "e%ld", exponent);
}

/* Plain from 0.001 up, unless it ends with six zeros or more. */
static bool is_scaled(int digits, long k)
{
    return digits - 1 - k < -3 || k <= -6;
}

/* m * 10^-k */
static void put_decimal(ct_text *out, uint64_t m, long k, ct_number_style style)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)m);
    long exponent = length - 1 - k;
    if (is_scaled(length, k)) {
        bool bare = m == 1 && style == CT_NUMBER_LATEX;
        ct_put_bytes(out, digits, !bare);
        if (length > 1)
            ct_putf(out, ".%s", digits + 1);
        ct_put(out, style == CT_NUMBER_LATEX && !bare ? " \\cdot " : "");
        put_scale(out, exponent, style);
    } else if (k <= 0) {
        ct_put(out, digits);
        ct_put_repeat(out, '0', (size_t)-k);
    } else if (exponent < 0) {
        ct_put(out, "0.");
        ct_put_repeat(out, '0', (size_t)(-exponent - 1));
        ct_put(out, digits);
    } else {
        ct_put_bytes(out, digits, (size_t)exponent + 1);
        ct_putf(out, ".%s", digits + exponent + 1);
    }
}

static void put_written(ct_text *out, const char *text, ct_number_style style)
{
    size_t mantissa = strcspn(text, "e");
    ct_put_bytes(out, text, mantissa);
    if (!text[mantissa])
        return;
    ct_put(out, style == CT_NUMBER_LATEX ? " \\cdot " : "");
    put_scale(out, strtol(text + mantissa + 1, NULL, 10), style);
}

static void put_real(ct_text *out, double value, ct_number_style style)
{
    char text[CT_DECIMAL_ROOM];
    ct_decimal_shortest(text, value, CT_USUAL_DIGITS);
    put_written(out, text, style);
}

bool ct_number_is_long(const ct_number *a)
{
    const int64_t most = 1000000; /* 355/113 tells more than its decimals, 1/2800000000000 less */
    uint64_t m;
    long k;
    if (!ct_number_is_fraction(a)) /* nor do a hundred digits in a row */
        return a->form != CT_REAL && a->form != CT_SMALL && !ct_big_decimal_form(a, &m, &k);
    return a->form != CT_SMALL || a->den >= most || a->num >= most || a->num <= -most;
}

void ct_number_put_rounded(ct_text *out, const ct_number *a, ct_number_style style)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", fabs(ct_number_double(a)));
    put_written(out, text, style);
}

bool ct_number_is_scaled(const ct_number *a)
{
    char text[40];
    uint64_t m;
    long k;
    if (a->form == CT_REAL) {
        ct_decimal_shortest(text, fabs(a->real), CT_USUAL_DIGITS);
        return strchr(text, 'e') != NULL;
    }
    return ct_big_decimal_form(a, &m, &k) &&
           is_scaled(snprintf(text, sizeof text, "%llu", (unsigned long long)m), k);
}

void ct_number_put_part(ct_text *out, const ct_number *a, bool denominator)
{
    ct_put(out, ct_big_digits(out->arena, a, denominator));
}

/* Without its sign: the caller knows where a minus belongs. */
void ct_number_put(ct_text *out, const ct_number *a, ct_number_style style)
{
    uint64_t m;
    long k;
    if (a->form == CT_REAL) {
        put_real(out, fabs(a->real), style);
        return;
    }
    if (ct_big_decimal_form(a, &m, &k)) {
        put_decimal(out, m, k, style);
        return;
    }
    bool whole = ct_number_is_integer(a), latex = style == CT_NUMBER_LATEX;
    ct_put(out, latex && !whole ? "\\frac{" : "");
    ct_number_put_part(out, a, false);
    ct_put(out, whole ? "" : latex ? "}{" : "/");
    if (!whole)
        ct_number_put_part(out, a, true);
    ct_put(out, latex && !whole ? "}" : "");
}

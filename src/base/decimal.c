/* decimal.c - numbers as text: what %.17g writes, about four times as fast as printf; the shortest.
 *
 * For a value m 2^e, find k with 10^16 <= m 2^e 10^k < 10^17 and round the product to an integer:
 * its digits are the wanted ones. 10^k is 10^(28 j) 5^i 2^i; m 5^i is exact in 128 bits, and
 * 10^(28 j) is cut after 128 bits, so that the product is too small by less than 3 units of its
 * 128 leading bits. Whether to round up is decided by about 70 of them. In the rare case that the
 * error could matter (ties among them) the C library decides.
 */
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, COARSE_STEP = 28, COARSE_FIRST = -12 };

static const uint64_t upper_limit = 100000000000000000u; /* 10^DIGITS */

/* 10^(COARSE_STEP * (i + COARSE_FIRST)) = (high 2^64 + low) 2^exponent, cut. */
static const struct power_of_ten {
    uint64_t high, low;
    int exponent;
} coarse[] = {
    {0xe3e27a444d8d98b7u, 0xfd1b1b2308169b25u, -1244}, /* 10^-336 */
    {0xe61acf033d1a45dfu, 0x6fb92487298e33bdu, -1151}, /* 10^-308 */
    {0xe858ad248f5c22c9u, 0xd1b3400f8f9cff68u, -1058}, /* 10^-280 */
    {0xea9c227723ee8bcbu, 0x465e15a979c1cadcu, -965},  /* 10^-252 */
    {0xece53cec4a314ebdu, 0xa4f8bf5635246428u, -872},  /* 10^-224 */
    {0xef340a98172aace4u, 0x86fb897116c87c34u, -779},  /* 10^-196 */
    {0xf18899b1bc3f8ca1u, 0xdc44e6c3cb279ac1u, -686},  /* 10^-168 */
    {0xf3e2f893dec3f126u, 0x5a89dba3c3efccfau, -593},  /* 10^-140 */
    {0xf64335bcf065d37du, 0x4d4617b5ff4a16d5u, -500},  /* 10^-112 */
    {0xf8a95fcf88747d94u, 0x75a44c6397ce912au, -407},  /* 10^-84 */
    {0xfb158592be068d2eu, 0xeed6e2f0f0d56712u, -314},  /* 10^-56 */
    {0xfd87b5f28300ca0du, 0x8bca9d6e188853fcu, -221},  /* 10^-28 */
    {0x8000000000000000u, 0x0000000000000000u, -127},  /* 10^0 */
    {0x813f3978f8940984u, 0x4000000000000000u, -34},   /* 10^28 */
    {0x82818f1281ed449fu, 0xbff8f10e7a8921a4u, 59},    /* 10^56 */
    {0x83c7088e1aab65dbu, 0x792667c6da79e0fau, 152},   /* 10^84 */
    {0x850fadc09923329eu, 0x03e2cf6bc604ddb0u, 245},   /* 10^112 */
    {0x865b86925b9bc5c2u, 0x0b8a2392ba45a9b2u, 338},   /* 10^140 */
    {0x87aa9aff79042286u, 0x90fb44d2f05d0842u, 431},   /* 10^168 */
    {0x88fcf317f22241e2u, 0x441fece3bdf81f03u, 524},   /* 10^196 */
    {0x8a5296ffe33cc92fu, 0x82bd6b70d99aaa6fu, 617},   /* 10^224 */
    {0x8bab8eefb6409c1au, 0x1ad089b6c2f7548eu, 710},   /* 10^252 */
    {0x8d07e33455637eb2u, 0xdb0b487b6423e1e8u, 803},   /* 10^280 */
    {0x8e679c2f5e44ff8fu, 0x570f09eaa7ea7648u, 896},   /* 10^308 */
    {0x8fcac257558ee4e6u, 0x213a4f0aa5e8a7b1u, 989},   /* 10^336 */
};

typedef struct decimal {
    uint64_t digits; /* DIGITS of them */
    int exponent;    /* of the first digit */
} decimal;

static const uint64_t power_of_five[COARSE_STEP] = {1u,
                                                    5u,
                                                    25u,
                                                    125u,
                                                    625u,
                                                    3125u,
                                                    15625u,
                                                    78125u,
                                                    390625u,
                                                    1953125u,
                                                    9765625u,
                                                    48828125u,
                                                    244140625u,
                                                    1220703125u,
                                                    6103515625u,
                                                    30517578125u,
                                                    152587890625u,
                                                    762939453125u,
                                                    3814697265625u,
                                                    19073486328125u,
                                                    95367431640625u,
                                                    476837158203125u,
                                                    2384185791015625u,
                                                    11920928955078125u,
                                                    59604644775390625u,
                                                    298023223876953125u,
                                                    1490116119384765625u,
                                                    7450580596923828125u};

/* The leading 128 bits of a 256-bit product, cut; *shift: how far it was moved to the left. */
static wide multiply(wide a, const struct power_of_ten *b, int *shift)
{
    uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a;
    wide low = (wide)a0 * b->low, middle = (wide)a1 * b->low, other = (wide)a0 * b->high;
    wide carry = (low >> 64) + (uint64_t)middle + (uint64_t)other;
    wide high = (wide)a1 * b->high + (middle >> 64) + (other >> 64) + (carry >> 64);
    *shift = (int)!(high >> 127);
    return *shift ? high << 1 | (uint64_t)(carry >> 63 & 1) : high;
}

static wide normalise(wide a, int *exponent)
{
    int shift = a >> 64 ? __builtin_clzll((uint64_t)(a >> 64)) : 64 + __builtin_clzll((uint64_t)a);
    *exponent -= shift;
    return a << shift;
}

/* round(m 2^e 10^k); false: the bits at hand do not tell. */
static bool scale(uint64_t m, int e, int k, uint64_t *result)
{
    int row = (k - COARSE_FIRST * COARSE_STEP) / COARSE_STEP, shift;
    int rest = k - COARSE_STEP * (row + COARSE_FIRST);
    int exponent = e + rest + 128 + coarse[row].exponent;
    wide product = normalise((wide)m * power_of_five[rest], &exponent);
    product = multiply(product, &coarse[row], &shift);
    exponent -= shift;
    if (exponent > -64 || exponent < -127)
        return false;
    wide one = (wide)1 << -exponent, half = one >> 1, part = product & (one - 1);
    *result = (uint64_t)(product >> -exponent) + (part > half);
    return part > half || part + 4 < half;
}

/* The digits from the C library, whatever it takes for a decimal point. */
static decimal ask_library(double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, value);
    decimal d = {(uint64_t)(text[0] - '0'), 0};
    const char *at = strchr(text, 'e');
    for (const char *digit = at - (DIGITS - 1); digit < at; digit++)
        d.digits = 10 * d.digits + (uint64_t)(*digit - '0');
    bool negative = *++at == '-';
    for (at++; *at; at++)
        d.exponent = 10 * d.exponent + (*at - '0');
    d.exponent = negative ? -d.exponent : d.exponent;
    return d;
}

/* value = m 2^e with m of 53 bits; value > 0 and finite */
static uint64_t split(double value, int *e)
{
    uint64_t bits, hidden = (uint64_t)1 << 52;
    memcpy(&bits, &value, sizeof bits);
    *e = (int)(bits >> 52) - 1075;
    bits &= hidden - 1;
    if (*e > -1075)
        return bits | hidden;
    int shift = __builtin_clzll(bits) - 11;
    *e = -1074 - shift;
    return bits << shift;
}

/* floor(n log10(2)) for the n of doubles */
static int decimal_exponent(int n)
{
    const int64_t log = 1292913986, one = (int64_t)1 << 32;
    int64_t product = n * log;
    return (int)(product < 0 ? (product - one + 1) / one : product / one);
}

static decimal find_digits(double value)
{
    int e;
    uint64_t m = split(value, &e), digits;
    for (int tens = decimal_exponent(e + 52);; tens++) {
        if (!scale(m, e, DIGITS - 1 - tens, &digits))
            return ask_library(value);
        if (digits < upper_limit)
            return (decimal){digits, tens};
    }
}

static size_t write_exponent(char *text, int exponent)
{
    size_t length = 0;
    int size = exponent < 0 ? -exponent : exponent;
    text[length++] = 'e';
    text[length++] = exponent < 0 ? '-' : '+';
    if (size >= 100)
        text[length++] = (char)('0' + size / 100);
    text[length++] = (char)('0' + size / 10 % 10);
    text[length++] = (char)('0' + size % 10);
    return length;
}

/* count digits with the point after the first `before` of them; -4 < before <= 0: 0.00ddd */
static size_t write_fixed(char *text, const char *digits, int count, int before)
{
    if (before > 0 && before < count) { /* as most are */
        memcpy(text, digits, (size_t)before);
        text[before] = '.';
        memcpy(text + before + 1, digits + before, (size_t)(count - before));
        return (size_t)count + 1;
    }
    if (before <= 0) {
        memcpy(text, "0.000000", 8);
        memcpy(text + 2 - before, digits, (size_t)count);
        return (size_t)(count + 2 - before);
    }
    memcpy(text, digits, (size_t)count);
    memset(text + count, '0', (size_t)(before - count));
    return (size_t)before;
}

/* Eight digits side by side in one word, the first one in its lowest byte: halves are split into
 * fours, pairs and digits, all at a time, by products that divide by 100 and 10. */
static inline void write_eight(char *text, uint32_t value)
{
    uint64_t four = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = (four * 10486 >> 20) & 0x0000007f0000007fu; /* of 4 digits, over 100 */
    uint64_t pair = hundreds | (four - 100 * hundreds) << 16;
    uint64_t tens = (pair * 103 >> 10) & 0x000f000f000f000fu;
    uint64_t digit = (tens | (pair - 10 * tens) << 8) + 0x3030303030303030u;
    const char byte[8] = {(char)(digit & 0xff),       (char)(digit >> 8 & 0xff),
                          (char)(digit >> 16 & 0xff), (char)(digit >> 24 & 0xff),
                          (char)(digit >> 32 & 0xff), (char)(digit >> 40 & 0xff),
                          (char)(digit >> 48 & 0xff), (char)(digit >> 56)};
    memcpy(text, byte, sizeof byte); /* one store where the lowest byte comes first */
}

static size_t write_digits(char *text, decimal d)
{
    char digits[DIGITS];
    int count = DIGITS;
    uint32_t high = (uint32_t)(d.digits / 1000000000), low = (uint32_t)(d.digits % 1000000000);
    digits[8] = (char)('0' + low / 100000000);
    write_eight(digits, high);
    write_eight(digits + 9, low % 100000000);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (d.exponent >= -4 && d.exponent < DIGITS)
        return write_fixed(text, digits, count, d.exponent + 1);
    size_t length = write_fixed(text, digits, count, 1);
    return length + write_exponent(text + length, d.exponent);
}

static size_t write_word(char *text, const char *word)
{
    size_t length = strlen(word);
    memcpy(text, word, length);
    return length;
}

size_t ct_decimal_write(char text[CT_DECIMAL_ROOM], double value)
{
    size_t sign = !isnan(value) && signbit(value);
    if (sign)
        *text++ = '-';
    if (isnan(value))
        return write_word(text, "nan");
    if (isinf(value))
        return sign + write_word(text, "inf");
    if (value == 0)
        return sign + write_word(text, "0");
    return sign + write_digits(text, find_digits(fabs(value)));
}

void ct_decimal_shortest(char text[CT_DECIMAL_ROOM], double value, int least)
{
    for (int digits = least; digits <= DIGITS; digits++) {
        snprintf(text, CT_DECIMAL_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
}

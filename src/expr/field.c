/* field.c - powers and inverses in GF(p), points of the circle group. */
#include "expr/field.h"

uint64_t ct_field_pow(uint64_t a, uint64_t n)
{
    uint64_t result = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            result = ct_field_mul(result, a);
        if (n > 1)
            a = ct_field_mul(a, a);
    }
    return result;
}

/* Euclid's: each rest is its `s` times a, modulo p. No |s| is above p, which is below 2^61. */
uint64_t ct_field_inv(uint64_t a)
{
    uint64_t rest = CT_PRIME, next_rest = a;
    int64_t s = 0, next_s = 1;
    while (next_rest) {
        uint64_t q = rest / next_rest, r = rest - q * next_rest;
        int64_t t = s - (int64_t)q * next_s;
        rest = next_rest, next_rest = r;
        s = next_s, next_s = t;
    }
    return s < 0 ? CT_PRIME - (uint64_t)-s : (uint64_t)s;
}

ct_circle ct_circle_zero(void)
{
    return (ct_circle){1, 0, 1};
}

ct_circle ct_circle_at(uint64_t t)
{
    uint64_t square = ct_field_mul(t, t);
    return (ct_circle){ct_field_add(1, ct_field_neg(square)), ct_field_add(t, t),
                       ct_field_add(1, square)};
}

ct_circle ct_circle_add(ct_circle a, ct_circle b)
{
    uint64_t cc = ct_field_mul(a.c, b.c), ss = ct_field_mul(a.s, b.s);
    uint64_t sc = ct_field_mul(a.s, b.c), cs = ct_field_mul(a.c, b.s);
    return (ct_circle){ct_field_add(cc, ct_field_neg(ss)), ct_field_add(sc, cs),
                       ct_field_mul(a.w, b.w)};
}

ct_circle ct_circle_neg(ct_circle a)
{
    return (ct_circle){a.c, ct_field_neg(a.s), a.w};
}

static ct_circle twice(ct_circle a)
{
    uint64_t sc = ct_field_mul(a.s, a.c);
    return (ct_circle){ct_field_add(ct_field_mul(a.c, a.c), ct_field_neg(ct_field_mul(a.s, a.s))),
                       ct_field_add(sc, sc), ct_field_mul(a.w, a.w)};
}

ct_circle ct_circle_times(ct_circle a, uint64_t n)
{
    if (n == 0)
        return ct_circle_zero();
    for (; !(n & 1); n >>= 1)
        a = twice(a);
    ct_circle result = a;
    while (n >>= 1) {
        a = twice(a);
        if (n & 1)
            result = ct_circle_add(result, a);
    }
    return result;
}

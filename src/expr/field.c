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

static uint64_t square_times(uint64_t a, int count)
{
    while (count--)
        a = ct_field_mul(a, a);
    return a;
}

/* a^(p-2), p - 2 = 2^61 - 3 = (2^59 - 1) 4 + 1, by a chain for 2^59 - 1: x_n = a^(2^n - 1). */
uint64_t ct_field_inv(uint64_t a)
{
    uint64_t x2 = ct_field_mul(square_times(a, 1), a);
    uint64_t x4 = ct_field_mul(square_times(x2, 2), x2);
    uint64_t x7 = ct_field_mul(square_times(ct_field_mul(square_times(x4, 2), x2), 1), a);
    uint64_t x14 = ct_field_mul(square_times(x7, 7), x7);
    uint64_t x28 = ct_field_mul(square_times(x14, 14), x14);
    uint64_t x29 = ct_field_mul(square_times(x28, 1), a);
    uint64_t x58 = ct_field_mul(square_times(x29, 29), x29);
    uint64_t x59 = ct_field_mul(square_times(x58, 1), a);
    return ct_field_mul(square_times(x59, 2), a);
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

ct_circle ct_circle_times(ct_circle a, uint64_t n)
{
    ct_circle result = ct_circle_zero();
    for (; n; n >>= 1) {
        if (n & 1)
            result = ct_circle_add(result, a);
        if (n > 1)
            a = ct_circle_add(a, a);
    }
    return result;
}

/* field.h - the field GF(p), p = 2^61 - 383169825, and its circle group c^2 + s^2 = 1.
 *
 * (p - 1)/2 is prime, so that every number but 0, 1 and -1 has an order of at least (p - 1)/2: no
 * power of 2 or of 10 that a model can hold comes back to a small number, as 2^61 = 1 modulo 2^61 -
 * 1 does. And p = 3 mod 4: no square is -1, the circle has no points at infinity. */
#ifndef CT_EXPR_FIELD_H
#define CT_EXPR_FIELD_H

#include <stdint.h>

__extension__ typedef unsigned __int128 ct_u128;

#define CT_PRIME_GAP ((uint64_t)383169825)
#define CT_PRIME     (((uint64_t)1 << 61) - CT_PRIME_GAP)

static inline uint64_t ct_field_reduce(uint64_t x)
{
    const uint64_t low = ((uint64_t)1 << 61) - 1;
    x = (x & low) + (x >> 61) * CT_PRIME_GAP; /* 2^61 = gap */
    return x >= CT_PRIME ? x - CT_PRIME : x;
}
static inline uint64_t ct_field_add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= CT_PRIME ? sum - CT_PRIME : sum;
}
static inline uint64_t ct_field_neg(uint64_t a)
{
    return a ? CT_PRIME - a : 0;
}
static inline uint64_t ct_field_mul(uint64_t a, uint64_t b)
{
    const uint64_t low = ((uint64_t)1 << 61) - 1;
    ct_u128 product = (ct_u128)a * b;
    ct_u128 folded = (ct_u128)(uint64_t)(product >> 61) * CT_PRIME_GAP + ((uint64_t)product & low);
    uint64_t x = (uint64_t)(folded >> 61) * CT_PRIME_GAP + ((uint64_t)folded & low);
    return x >= CT_PRIME ? x - CT_PRIME : x;
}
uint64_t ct_field_pow(uint64_t a, uint64_t n);
uint64_t ct_field_inv(uint64_t a); /* 0 for 0 */

/* A point (c/w, s/w): the common denominator w saves an inversion for every angle. */
typedef struct ct_circle {
    uint64_t c, s, w;
} ct_circle;

ct_circle ct_circle_zero(void);
ct_circle ct_circle_at(uint64_t t);                /* (1 - t^2, 2t) / (1 + t^2) */
ct_circle ct_circle_add(ct_circle a, ct_circle b); /* the addition theorem */
ct_circle ct_circle_neg(ct_circle a);
ct_circle ct_circle_times(ct_circle a, uint64_t n);

#endif

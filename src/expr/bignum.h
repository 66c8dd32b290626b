/* bignum.h - rationals beyond 64 bits, through GMP. Used by number.c only. */
#ifndef CT_EXPR_BIGNUM_H
#define CT_EXPR_BIGNUM_H

#include "expr/number.h"

/* A number above CT_NUMBER_LIMBS ends the run with CT_ERR_LIMIT; a power above CT_POWER_BITS stays
 * a power. */
enum { CT_NUMBER_LIMBS = 1 << 14, CT_POWER_BITS = 1 << 16, CT_DECIMAL_DIGITS = 20000 };

ct_number ct_big_from_limbs(ct_arena *arena, const uint64_t num[2], const uint64_t den[2],
                            bool negative);
ct_number ct_big_add(ct_arena *arena, const ct_number *a, const ct_number *b);
ct_number ct_big_mul(ct_arena *arena, const ct_number *a, const ct_number *b);
ct_number ct_big_floor(ct_arena *arena, const ct_number *a);
ct_number ct_big_decimal(ct_arena *arena, const char *digits, size_t count, long exponent);
bool ct_big_root(ct_arena *arena, const ct_number *a, unsigned long n, ct_number *out);
int ct_big_compare(const ct_number *a, const ct_number *b);
double ct_big_bits(const ct_number *a); /* of the larger of numerator and denominator */
double ct_big_double(const ct_number *a);
/* |a| = m * 10^-k with m of at most 17 digits, not ending in 0; false: there is no such m. */
bool ct_big_decimal_form(const ct_number *a, uint64_t *m, long *k);
/* The digits of |numerator| or of the denominator. */
const char *ct_big_digits(ct_arena *arena, const ct_number *a, bool denominator);

#endif

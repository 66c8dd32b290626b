/* number.h - exact rationals of any size, and doubles where the user's number is not exact.
 *
 * A rational is int64/int64 while it fits (SMALL), limbs in an arena when it does not (BIG); never
 * both, so that equal numbers look equal. Denominators are positive, fractions in lowest terms, and
 * INT64_MIN is BIG so that SMALL numbers can be negated. Numbers are plain data: nothing to free.
 *
 * GMP's own memory never outlives one function here; room for a result is taken from the arena
 * before GMP starts, because taking it can unwind (see arena.h).
 */
#ifndef CT_EXPR_NUMBER_H
#define CT_EXPR_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

typedef enum ct_number_form { CT_SMALL, CT_BIG, CT_REAL } ct_number_form;

typedef struct ct_number {
    ct_number_form form;
    int32_t num_limbs; /* BIG; negative: the number is */
    int32_t den_limbs;
    union {
        struct {
            int64_t num, den;
        };
        struct {
            const uint64_t *num_at, *den_at; /* least significant limb first */
        };
        double real;
    };
} ct_number;

ct_number ct_number_int(ct_arena *arena, int64_t value);
ct_number ct_number_ratio(ct_arena *arena, int64_t num, int64_t den); /* den != 0 */
ct_number ct_number_real(double value); /* exact when it is an integer below 2^53 */
bool ct_number_parse(ct_arena *arena, const char *text, size_t length, ct_number *out);

ct_number ct_number_add(ct_arena *arena, const ct_number *a, const ct_number *b);
ct_number ct_number_mul(ct_arena *arena, const ct_number *a, const ct_number *b);
ct_number ct_number_neg(const ct_number *a);
ct_number ct_number_inv(const ct_number *a); /* a != 0 */
ct_number ct_number_floor(ct_arena *arena, const ct_number *a);
/* a^n; false: the result would be too large to be of use. n < 0 needs a != 0. */
bool ct_number_pow(ct_arena *arena, const ct_number *a, int64_t n, ct_number *out);
/* The n-th root of a, n > 1; false: it is not rational. */
bool ct_number_root(ct_arena *arena, const ct_number *a, int64_t n, ct_number *out);

bool ct_number_equal(const ct_number *a, const ct_number *b);  /* same form and value */
int ct_number_compare(const ct_number *a, const ct_number *b); /* by value; NaN comes last */
int ct_number_sign(const ct_number *a);
bool ct_number_is_integer(const ct_number *a); /* exact ones only */
bool ct_number_to_int(const ct_number *a, int64_t *value);
double ct_number_double(const ct_number *a); /* correctly rounded */
uint64_t ct_number_hash(const ct_number *a);
uint64_t ct_number_limbs_mod(const uint64_t *limb, int32_t count, uint64_t modulus);

/* Text, without the sign: the caller knows where a minus belongs. A fraction has a bar (plain:
 * 1/3), a scaled number a power of ten (1e-6); exact numbers read back as they are. */
typedef enum ct_number_style { CT_NUMBER_PLAIN, CT_NUMBER_LATEX } ct_number_style;
bool ct_number_is_fraction(const ct_number *a);
bool ct_number_is_scaled(const ct_number *a);
void ct_number_put(ct_text *out, const ct_number *a, ct_number_style style);
/* A ratio or a whole number that takes many digits, and its decimals for readers. */
bool ct_number_is_long(const ct_number *a);
void ct_number_put_rounded(ct_text *out, const ct_number *a, ct_number_style style);
void ct_number_put_part(ct_text *out, const ct_number *a, bool denominator); /* its digits */

#endif

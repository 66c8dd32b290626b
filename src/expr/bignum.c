/* bignum.c - arithmetic through GMP.
 *
 * Operands are read where they lie (mpz_roinit_n), results are copied to room that was taken before
 * GMP allocated anything. */
#include "expr/bignum.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "base/context.h"

_Static_assert(sizeof(mp_limb_t) == sizeof(uint64_t) && GMP_NAIL_BITS == 0,
               "limbs are stored as uint64_t");

/* An operand as GMP sees it. It points into itself, so it must not be copied. */
typedef struct view {
    mp_limb_t num, den;
    mpz_t n, d;
} view;

static void look(view *v, const ct_number *a)
{
    if (a->form == CT_BIG) {
        mpz_roinit_n(v->n, (const mp_limb_t *)a->num_at, a->num_limbs);
        mpz_roinit_n(v->d, (const mp_limb_t *)a->den_at, a->den_limbs);
        return;
    }
    v->num = a->num < 0 ? -(uint64_t)a->num : (uint64_t)a->num;
    v->den = (uint64_t)a->den;
    mpz_roinit_n(v->n, &v->num, a->num < 0 ? -1 : a->num > 0);
    mpz_roinit_n(v->d, &v->den, 1);
}

static size_t limbs_of(const ct_number *a)
{
    if (a->form != CT_BIG)
        return 1;
    size_t num = (size_t)(a->num_limbs < 0 ? -a->num_limbs : a->num_limbs);
    return num > (size_t)a->den_limbs ? num : (size_t)a->den_limbs;
}

/* Room for a numerator and a denominator of `limbs` each. */
static uint64_t *take_room(ct_arena *arena, size_t limbs)
{
    if (limbs > CT_NUMBER_LIMBS)
        ct_throw(ct_arena_context(arena), CT_ERR_LIMIT);
    return CT_NEW_ARRAY(arena, uint64_t, 2 * limbs);
}

static bool fits(const mpz_t z)
{
    return mpz_size(z) <= 1 && mpz_getlimbn(z, 0) <= INT64_MAX;
}

static uint64_t *store_limbs(uint64_t *room, const mpz_t z)
{
    size_t count = mpz_size(z);
    memcpy(room, mpz_limbs_read(z), count * sizeof *room);
    return room + count;
}

static ct_number store(uint64_t *room, const mpz_t n, const mpz_t d)
{
    if (fits(n) && fits(d)) {
        int64_t num = (int64_t)mpz_getlimbn(n, 0);
        return (ct_number){.form = CT_SMALL,
                           .num = mpz_sgn(n) < 0 ? -num : num,
                           .den = (int64_t)mpz_getlimbn(d, 0)};
    }
    uint64_t *second = store_limbs(room, n);
    store_limbs(second, d);
    int32_t size = (int32_t)mpz_size(n);
    return (ct_number){.form = CT_BIG,
                       .num_limbs = mpz_sgn(n) < 0 ? -size : size,
                       .den_limbs = (int32_t)mpz_size(d),
                       .num_at = room,
                       .den_at = second};
}

/* Divides out what n and d > 0 have in common, stores them, and gives their memory back. */
static ct_number finish(uint64_t *room, mpz_t n, mpz_t d)
{
    mpz_t common;
    mpz_init(common);
    mpz_gcd(common, n, d);
    mpz_divexact(n, n, common);
    mpz_divexact(d, d, common);
    ct_number r = store(room, n, d);
    mpz_clears(n, d, common, NULL);
    return r;
}

ct_number ct_big_from_limbs(ct_arena *arena, const uint64_t num[2], const uint64_t den[2],
                            bool negative)
{
    uint64_t *room = take_room(arena, 2);
    memcpy(room, num, 2 * sizeof *num);
    memcpy(room + 2, den, 2 * sizeof *den);
    int32_t size = num[1] ? 2 : 1;
    return (ct_number){.form = CT_BIG,
                       .num_limbs = negative ? -size : size,
                       .den_limbs = den[1] ? 2 : 1,
                       .num_at = room,
                       .den_at = room + 2};
}

ct_number ct_big_add(ct_arena *arena, const ct_number *a, const ct_number *b)
{
    uint64_t *room = take_room(arena, limbs_of(a) + limbs_of(b) + 1);
    view x, y;
    look(&x, a);
    look(&y, b);
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    mpz_mul(n, x.n, y.d);
    mpz_addmul(n, y.n, x.d);
    mpz_mul(d, x.d, y.d);
    return finish(room, n, d);
}

ct_number ct_big_mul(ct_arena *arena, const ct_number *a, const ct_number *b)
{
    uint64_t *room = take_room(arena, limbs_of(a) + limbs_of(b));
    view x, y;
    look(&x, a);
    look(&y, b);
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    mpz_mul(n, x.n, y.n);
    mpz_mul(d, x.d, y.d);
    return finish(room, n, d);
}

ct_number ct_big_floor(ct_arena *arena, const ct_number *a)
{
    uint64_t *room = take_room(arena, limbs_of(a) + 1);
    view x;
    look(&x, a);
    mpz_t n, d;
    mpz_init(n);
    mpz_init_set_ui(d, 1);
    mpz_fdiv_q(n, x.n, x.d);
    return finish(room, n, d);
}

/* digits * 10^exponent; digits ends with a zero byte. */
ct_number ct_big_decimal(ct_arena *arena, const char *digits, size_t count, long exponent)
{
    size_t zeros = (size_t)(exponent < 0 ? -exponent : exponent);
    uint64_t *room = take_room(arena, (count + zeros) / 19 + 2);
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    mpz_set_str(n, digits, 10);
    mpz_ui_pow_ui(d, 10, zeros);
    if (exponent > 0) {
        mpz_mul(n, n, d);
        mpz_set_ui(d, 1);
    }
    return finish(room, n, d);
}

bool ct_big_root(ct_arena *arena, const ct_number *a, unsigned long n, ct_number *out)
{
    uint64_t *room = take_room(arena, limbs_of(a) + 1);
    view x;
    look(&x, a);
    mpz_t num, den;
    mpz_inits(num, den, NULL);
    bool exact = mpz_root(num, x.n, n) != 0 && mpz_root(den, x.d, n) != 0;
    if (exact)
        *out = store(room, num, den);
    mpz_clears(num, den, NULL);
    return exact;
}

int ct_big_compare(const ct_number *a, const ct_number *b)
{
    view x, y;
    look(&x, a);
    look(&y, b);
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul(left, x.n, y.d);
    mpz_mul(right, y.n, x.d);
    int order = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return (order > 0) - (order < 0);
}

double ct_big_bits(const ct_number *a)
{
    view x;
    look(&x, a);
    size_t n = mpz_sizeinbase(x.n, 2), d = mpz_sizeinbase(x.d, 2);
    return (double)(n > d ? n : d);
}

/* Rounds q * 2^exponent, q of 62 or 63 bits, to the nearest double, ties to even; sticky: what was
 * divided left a rest below q. */
static double round_to_even(uint64_t q, int exponent, bool sticky)
{
    int bits = 0;
    while (bits < 64 && q >> bits)
        bits++;
    int keep = 53, top = bits + exponent; /* value below 2^top */
    if (top < -1021)
        keep = top + 1074; /* a subnormal has fewer digits */
    if (keep < 0)
        return 0;
    int drop = bits - keep;
    uint64_t half = (uint64_t)1 << (drop - 1), rest = q & (2 * half - 1), kept = q >> drop;
    if (rest > half || (rest == half && (sticky || (kept & 1))))
        kept++;
    return ldexp((double)kept, exponent + drop);
}

double ct_big_double(const ct_number *a)
{
    view x;
    look(&x, a);
    long n = (long)mpz_sizeinbase(x.n, 2), d = (long)mpz_sizeinbase(x.d, 2), shift = 62 - (n - d);
    mpz_t q, r;
    mpz_inits(q, r, NULL);
    mpz_abs(q, x.n);
    mpz_set(r, x.d);
    if (shift > 0)
        mpz_mul_2exp(q, q, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(r, r, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(q, r, q, r); /* 62 or 63 bits */
    bool sticky = mpz_sgn(r) != 0, negative = mpz_sgn(x.n) < 0;
    uint64_t quotient = mpz_getlimbn(q, 0);
    mpz_clears(q, r, NULL);
    double value = round_to_even(quotient, (int)-shift, sticky);
    return negative ? -value : value;
}

uint64_t ct_number_limbs_mod(const uint64_t *limb, int32_t count, uint64_t modulus)
{
    mpz_t z;
    mpz_roinit_n(z, (const mp_limb_t *)limb, count);
    return mpz_fdiv_ui(z, modulus);
}

/* The denominator must be 2^i 5^j; the fraction is then extended to 10^max(i, j). */
bool ct_big_decimal_form(const ct_number *a, uint64_t *m, long *k)
{
    view x;
    look(&x, a);
    if (mpz_sizeinbase(x.n, 10) > 5000 || mpz_sizeinbase(x.d, 2) > 20000)
        return false; /* surely too long; saves the work */
    mpz_t n, rest, ten;
    mpz_inits(n, rest, ten, NULL);
    long twos = (long)mpz_scan1(x.d, 0);
    mpz_tdiv_q_2exp(rest, x.d, (mp_bitcnt_t)twos);
    mpz_set_ui(ten, 5);
    long fives = (long)mpz_remove(rest, rest, ten);
    long places = twos > fives ? twos : fives;
    mpz_mul_2exp(n, x.n, (mp_bitcnt_t)(places - twos));
    mpz_ui_pow_ui(ten, 5, (unsigned long)(places - fives));
    mpz_mul(n, n, ten);
    mpz_set_ui(ten, 10);
    if (mpz_sgn(n) != 0)
        places -= (long)mpz_remove(n, n, ten);
    bool short_enough = mpz_cmp_ui(rest, 1) == 0 && mpz_cmpabs_ui(n, 100000000000000000u) < 0;
    *m = mpz_getlimbn(n, 0);
    *k = places;
    mpz_clears(n, rest, ten, NULL);
    return short_enough;
}

const char *ct_big_digits(ct_arena *arena, const ct_number *a, bool denominator)
{
    view x;
    look(&x, a);
    mpz_t z;
    *z = denominator ? *x.d : *x.n;
    char *digits = CT_NEW_ARRAY(arena, char, mpz_sizeinbase(z, 10) + 2);
    mpz_get_str(digits, 10, z);
    return digits[0] == '-' ? digits + 1 : digits;
}

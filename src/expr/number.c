/* number.c - arithmetic of numbers that fit in 64 bits; the rest is handed to bignum.c. */
#include "expr/number.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "expr/bignum.h"

__extension__ typedef __int128 wide;

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static ct_number small(int64_t num, int64_t den)
{
    return (ct_number){.form = CT_SMALL, .num = num, .den = den};
}

/* num/den in lowest terms, den > 0. */
static ct_number from_wide(ct_arena *arena, wide num, wide den)
{
    if (num <= INT64_MAX && num >= -INT64_MAX && den <= INT64_MAX)
        return small((int64_t)num, (int64_t)den);
    __extension__ unsigned __int128 size =
        num < 0 ? -(unsigned __int128)num : (unsigned __int128)num;
    uint64_t n[2] = {(uint64_t)size, (uint64_t)(size >> 64)};
    uint64_t d[2] = {(uint64_t)den, (uint64_t)(den >> 64)};
    return ct_big_from_limbs(arena, n, d, num < 0);
}

ct_number ct_number_int(ct_arena *arena, int64_t value)
{
    return from_wide(arena, value, 1);
}

ct_number ct_number_ratio(ct_arena *arena, int64_t num, int64_t den)
{
    int64_t common = (int64_t)(gcd(magnitude(num), magnitude(den)) & INT64_MAX);
    wide n = num, d = den;
    if (common == 0) /* both are INT64_MIN */
        return small(1, 1);
    n /= common;
    d /= common;
    return d < 0 ? from_wide(arena, -n, -d) : from_wide(arena, n, d);
}

ct_number ct_number_real(double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        return small((int64_t)value, 1);
    return (ct_number){.form = CT_REAL, .real = value};
}

/* a/b + c/d with g = gcd(b, d): only common factors of g can cancel [Knuth, TAOCP 4.5.1]. */
static ct_number add_small(ct_arena *arena, const ct_number *x, const ct_number *y)
{
    if (x->den == 1 && y->den == 1)
        return from_wide(arena, (wide)x->num + y->num, 1);
    int64_t g = (int64_t)gcd((uint64_t)x->den, (uint64_t)y->den);
    wide sum = (wide)x->num * (y->den / g) + (wide)y->num * (x->den / g);
    wide left = sum % g;
    int64_t cancel = (int64_t)gcd(magnitude((int64_t)left), (uint64_t)g);
    return from_wide(arena, sum / cancel, (wide)(x->den / g) * (y->den / cancel));
}

ct_number ct_number_add(ct_arena *arena, const ct_number *a, const ct_number *b)
{
    if (a->form == CT_SMALL && b->form == CT_SMALL)
        return add_small(arena, a, b);
    if (a->form == CT_REAL || b->form == CT_REAL)
        return ct_number_real(ct_number_double(a) + ct_number_double(b));
    return ct_big_add(arena, a, b);
}

static ct_number mul_small(ct_arena *arena, const ct_number *x, const ct_number *y)
{
    if (x->num == 0 || y->num == 0)
        return small(0, 1);
    int64_t g = (int64_t)gcd(magnitude(x->num), (uint64_t)y->den);
    int64_t h = (int64_t)gcd(magnitude(y->num), (uint64_t)x->den);
    return from_wide(arena, (wide)(x->num / g) * (y->num / h), (wide)(x->den / h) * (y->den / g));
}

ct_number ct_number_mul(ct_arena *arena, const ct_number *a, const ct_number *b)
{
    if (a->form == CT_SMALL && b->form == CT_SMALL)
        return mul_small(arena, a, b);
    if (ct_number_sign(a) == 0 || ct_number_sign(b) == 0)
        return small(0, 1);
    if (a->form == CT_REAL || b->form == CT_REAL)
        return ct_number_real(ct_number_double(a) * ct_number_double(b));
    return ct_big_mul(arena, a, b);
}

ct_number ct_number_neg(const ct_number *a)
{
    ct_number r = *a;
    if (a->form == CT_SMALL)
        r.num = -a->num;
    else if (a->form == CT_BIG)
        r.num_limbs = -a->num_limbs;
    else
        r.real = -a->real;
    return r;
}

ct_number ct_number_inv(const ct_number *a)
{
    if (a->form == CT_REAL)
        return ct_number_real(1 / a->real);
    if (a->form == CT_SMALL)
        return a->num < 0 ? small(-a->den, -a->num) : small(a->den, a->num);
    bool negative = a->num_limbs < 0;
    return (ct_number){.form = CT_BIG,
                       .num_limbs = negative ? -a->den_limbs : a->den_limbs,
                       .den_limbs = negative ? -a->num_limbs : a->num_limbs,
                       .num_at = a->den_at,
                       .den_at = a->num_at};
}

ct_number ct_number_floor(ct_arena *arena, const ct_number *a)
{
    if (a->form == CT_REAL)
        return ct_number_real(floor(a->real));
    if (a->form == CT_BIG)
        return ct_big_floor(arena, a);
    int64_t quotient = a->num / a->den;
    return small(quotient - (a->num % a->den < 0), 1);
}

/* Repeated squaring; the size of the result is known beforehand. */
bool ct_number_pow(ct_arena *arena, const ct_number *a, int64_t n, ct_number *out)
{
    if (a->form == CT_REAL) {
        *out = ct_number_real(pow(a->real, (double)n));
        return true;
    }
    if (a->form == CT_SMALL && a->den == 1 && magnitude(a->num) <= 1) {
        *out = small(a->num < 0 && n % 2 == 0 ? 1 : n == 0 ? 1 : a->num, 1);
        return true;
    }
    if ((double)magnitude(n) * ct_big_bits(a) > CT_POWER_BITS)
        return false;
    ct_number power = n < 0 ? ct_number_inv(a) : *a, result = small(1, 1);
    for (uint64_t left = magnitude(n); left; left >>= 1) {
        if (left & 1)
            result = ct_number_mul(arena, &result, &power);
        if (left > 1)
            power = ct_number_mul(arena, &power, &power);
    }
    *out = result;
    return true;
}

bool ct_number_root(ct_arena *arena, const ct_number *a, int64_t n, ct_number *out)
{
    if (a->form == CT_REAL || ct_number_sign(a) < 0 || n > CT_POWER_BITS)
        return false;
    return ct_big_root(arena, a, (unsigned long)n, out);
}

static bool same_limbs(const uint64_t *a, const uint64_t *b, int32_t count)
{
    return memcmp(a, b, (size_t)(count < 0 ? -count : count) * sizeof *a) == 0;
}

bool ct_number_equal(const ct_number *a, const ct_number *b)
{
    if (a->form != b->form)
        return false;
    if (a->form == CT_SMALL)
        return a->num == b->num && a->den == b->den;
    if (a->form == CT_REAL)
        return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    return a->num_limbs == b->num_limbs && a->den_limbs == b->den_limbs &&
           same_limbs(a->num_at, b->num_at, a->num_limbs) &&
           same_limbs(a->den_at, b->den_at, a->den_limbs);
}

/* NaN is after every other number, so that the order stays total. */
static int compare_doubles(double x, double y)
{
    if (isnan(x) || isnan(y))
        return (isnan(x) != 0) - (isnan(y) != 0);
    return (x > y) - (x < y);
}

int ct_number_compare(const ct_number *a, const ct_number *b)
{
    if (a->form == CT_SMALL && b->form == CT_SMALL) {
        wide left = (wide)a->num * b->den, right = (wide)b->num * a->den;
        return (left > right) - (left < right);
    }
    if (a->form != CT_REAL && b->form != CT_REAL)
        return ct_big_compare(a, b);
    return compare_doubles(ct_number_double(a), ct_number_double(b));
}

int ct_number_sign(const ct_number *a)
{
    if (a->form == CT_SMALL)
        return (a->num > 0) - (a->num < 0);
    if (a->form == CT_BIG)
        return a->num_limbs < 0 ? -1 : 1;
    return signbit(a->real) ? -1 : 1; /* a REAL is never zero */
}

bool ct_number_is_integer(const ct_number *a)
{
    if (a->form == CT_SMALL)
        return a->den == 1;
    return a->form == CT_BIG && a->den_limbs == 1 && a->den_at[0] == 1;
}

bool ct_number_to_int(const ct_number *a, int64_t *value)
{
    if (a->form == CT_SMALL && a->den == 1) {
        *value = a->num;
        return true;
    }
    bool least = ct_number_is_integer(a) && a->num_limbs == -1 && a->num_at[0] == (uint64_t)1 << 63;
    if (least)
        *value = INT64_MIN;
    return least;
}

double ct_number_double(const ct_number *a)
{
    const int64_t exact = (int64_t)1 << 53;
    if (a->form == CT_REAL)
        return a->real;
    if (a->form == CT_SMALL && a->num <= exact && a->num >= -exact && a->den <= exact)
        return (double)a->num / (double)a->den;
    return ct_big_double(a);
}

/* The sign is left out: a number and its negative go to the same place. */
uint64_t ct_number_hash(const ct_number *a)
{
    if (a->form == CT_SMALL)
        return ct_hash_mix(magnitude(a->num), (uint64_t)a->den);
    if (a->form == CT_REAL) {
        double size = fabs(a->real);
        return ct_hash_bytes(&size, sizeof size, CT_REAL);
    }
    size_t num = (size_t)(a->num_limbs < 0 ? -a->num_limbs : a->num_limbs);
    uint64_t h = ct_hash_bytes(a->num_at, num * sizeof *a->num_at, CT_BIG);
    return ct_hash_bytes(a->den_at, (size_t)a->den_limbs * sizeof *a->den_at, h);
}

/* test_explog.c - exponential and logarithm against long double, and one argument against four. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "base/explog.h"
#include "base/sincos.h"

enum { MANY = 1000000 };

static const double special[] = {
    0.0,     -0.0,    INFINITY, -INFINITY, NAN,       DBL_MIN,   -DBL_MIN, 5e-324,
    -5e-324, DBL_MAX, -DBL_MAX, 1e-300,    1.0,       -1.0,      2.0,      0.5,
    709.0,   709.78,  709.7828, 710.0,     1e5,       -708.0,    -708.01,  -745.1,
    -745.2,  -746.0,  -747.0,   -1e5,      -690,      -690.1,    1e-17,    -1e-17,
    0.70710, 0.70711, 1.41421,  1.41422,   0x1p-1022, 0x1p-1060,
};
enum { SPECIALS = sizeof special / sizeof *special };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* |value - exact| in units of the last place of the exact value; below DBL_MIN these are all one.
 */
static double error_of(double value, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    if (exponent < DBL_MIN_EXP)
        exponent = DBL_MIN_EXP;
    return (double)(fabsl((long double)value - exact) / ldexpl(1, exponent - 53));
}

static void check_exp(double x, double bound)
{
    double error = error_of(ct_exp(x), expl(x));
    if (!(error < bound))
        fail_msg("exp(%a): %g units of the last place", x, error);
}

static void check_log(double x)
{
    double error = error_of(ct_log(x), logl(x));
    if (!(error < 0.52))
        fail_msg("log(%a): %g units of the last place", x, error);
}

/* All of the range, and small ones of all sizes. */
static double random_exponent(uint64_t *state)
{
    if (next_random(state) % 4)
        return -708 + 1417 * unit(state);
    return (next_random(state) & 1 ? -1 : 1) *
           ldexp(unit(state), (int)(next_random(state) % 70) - 60);
}

/* All sizes, subnormal ones among them; near 1 in all distances. */
static double random_positive(uint64_t *state)
{
    uint64_t bits = next_random(state) >> 1;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (next_random(state) % 2 == 0)
        x = 1 + (unit(state) - 0.5) * ldexp(1, -(int)(next_random(state) % 54));
    return isfinite(x) && x > 0 ? x : 1 + unit(state);
}

static void random_arguments(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < MANY; i++) {
        check_exp(random_exponent(&seed), 0.52);
        check_exp(-708 - 40 * unit(&seed), 0.78);
        check_log(random_positive(&seed));
    }
}

/* Where parts of the tables meet. */
static void near_edges(void **state)
{
    (void)state;
    for (int k = -1074 * 64; k <= 1024 * 64; k++) {
        double x = (double)((k + 0.5L) * 0.693147180559945309417L / 64);
        if (x > -708 && x < 709.7)
            check_exp(x, 0.52), check_exp(nextafter(x, INFINITY), 0.52);
    }
    for (uint64_t bits = 0x3fe0000000000000; bits < 0x4000000000000000; bits += (uint64_t)1 << 44)
        for (int d = -2; d <= 2; d++) {
            uint64_t near = bits + (uint64_t)d;
            double x;
            memcpy(&x, &near, sizeof x);
            check_log(x), check_log(x * 0x1p600), check_log(x * 0x1p-1040);
        }
}

static void special_values(void **state)
{
    (void)state;
    assert_true(same(ct_exp(0.0), 1) && same(ct_exp(-0.0), 1) && same(ct_exp(5e-324), 1));
    assert_true(same(ct_exp(INFINITY), INFINITY) && same(ct_exp(-INFINITY), 0));
    assert_true(same(ct_exp(710), INFINITY) && same(ct_exp(709.79), INFINITY));
    assert_true(same(ct_exp(DBL_MAX), INFINITY) && same(ct_exp(-DBL_MAX), 0));
    assert_true(same(ct_exp(-745.2), 0) && same(ct_exp(-745.1), 5e-324) && isnan(ct_exp(NAN)));
    assert_true(same(ct_log(1), 0) && same(ct_log(INFINITY), INFINITY) && isnan(ct_log(NAN)));
    assert_true(same(ct_log(0.0), -INFINITY) && same(ct_log(-0.0), -INFINITY));
    assert_true(isnan(ct_log(-1)) && isnan(ct_log(-INFINITY)) && isnan(ct_log(-5e-324)));
    check_log(5e-324), check_log(DBL_MAX), check_log(DBL_MIN);
    check_exp(709.782712893384, 0.52);
}

#if defined __x86_64__ && defined __GNUC__
typedef double real4 __attribute__((vector_size(32)));
typedef real4 (*wide_fn)(real4);

__attribute__((target("avx2"))) static void check_wide(ct_wide_fn of_four, double (*of_one)(double),
                                                       const double *x)
{
    double y[4];
    real4 v;
    memcpy(&v, x, sizeof v);
    v = ((wide_fn)of_four)(v);
    memcpy(y, &v, sizeof v);
    for (int i = 0; i < 4; i++)
        if (!same(y[i], of_one(x[i])))
            fail_msg("x[%d] = %a: %a, not %a", i, x[i], y[i], of_one(x[i]));
}

/* Special ones anywhere among them: the bits of one by one. */
static void four_at_once(void **state)
{
    (void)state;
    uint64_t seed = 1234567;
    if (!__builtin_cpu_supports("avx2"))
        return;
    for (int round = 0; round < 200000; round++) {
        uint64_t rare = 2 + next_random(&seed) % 20;
        double x[4], y[4];
        for (int i = 0; i < 4; i++) {
            bool odd = next_random(&seed) % rare == 0;
            x[i] = odd ? special[next_random(&seed) % SPECIALS] : random_exponent(&seed);
            y[i] = odd ? x[i] : random_positive(&seed);
        }
        check_wide(ct_wide_exp(), ct_exp, x);
        check_wide(ct_wide_log(), ct_log, y);
        check_wide(ct_wide_sin(), ct_sin, x);
        check_wide(ct_wide_cos(), ct_cos, x);
    }
}
#else
static void four_at_once(void **state)
{
    (void)state;
    assert_true(!ct_wide_exp() && !ct_wide_log());
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arguments),
        cmocka_unit_test(near_edges),
        cmocka_unit_test(special_values),
        cmocka_unit_test(four_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_sincos.c - sine and cosine against long double, and one argument against many. */
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

#include "base/sincos.h"

enum { MANY = 400000, LARGEST_QUADRANT = 63661 };

static const double special[] = {
    0.0,
    -0.0,
    INFINITY,
    -INFINITY,
    NAN,
    DBL_MIN,
    -DBL_MIN,
    DBL_MIN / 3,
    5e-324,
    1e5,
    -1e5,
    1e-8,
    1.0000000001e5,
    1e22,
    DBL_MAX,
    1e-300,
    0.785398,
    -0.7854,
    1.0,
    99999.9,
    -1e-17,
    3.14159265358979,
    1.5707963267948966,
};
enum { SPECIALS = sizeof special / sizeof *special };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* All magnitudes up to 1e5. */
static double random_argument(uint64_t *state)
{
    double unit = (double)(next_random(state) >> 11) * 0x1p-53;
    double size = next_random(state) % 4 ? 1e5 : ldexp(1, (int)(next_random(state) % 60) - 44);
    return (next_random(state) & 1 ? -1 : 1) * unit * (size > 1e5 ? 1e5 : size);
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* |value - exact| in units of the last place of the exact value. */
static double error_of(double value, long double exact)
{
    int exponent;
    if (exact == 0 || fabsl(exact) < DBL_MIN)
        return (double)exact == value ? 0 : 1e9;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)value - exact) / ldexpl(1, exponent - 53));
}

static double worst;

static void check(double x)
{
    double sine, cosine, one = error_of(ct_sin(x), sinl(x)), other = error_of(ct_cos(x), cosl(x));
    ct_sincos(x, &sine, &cosine);
    worst = fmax(worst, fmax(one, other));
    if (!(one < 0.8 && other < 0.8) || !same(sine, ct_sin(x)) || !same(cosine, ct_cos(x)))
        fail_msg("x = %a: errors %g, %g units of the last place", x, one, other);
}

static void random_arguments(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < MANY; i++)
        check(random_argument(&seed));
}

/* The doubles around every multiple of pi/2, where nearly all digits cancel, and of pi/4, where the
 * quadrant changes. */
static void near_multiples(void **state)
{
    (void)state;
    const long double half_pi = 1.57079632679489661923132169163975144L;
    for (int n = -2 * LARGEST_QUADRANT; n <= 2 * LARGEST_QUADRANT; n++) {
        double x = (double)((long double)n * half_pi / 2);
        check(x);
        check(nextafter(x, INFINITY));
        check(nextafter(x, -INFINITY));
    }
}

static void special_values(void **state)
{
    (void)state;
    assert_true(same(ct_sin(0.0), 0.0) && same(ct_sin(-0.0), -0.0));
    assert_true(ct_cos(0.0) == 1 && ct_cos(-0.0) == 1);
    assert_true(isnan(ct_sin(INFINITY)) && isnan(ct_cos(-INFINITY)) && isnan(ct_sin(NAN)));
    for (size_t i = 0; i < SPECIALS; i++) {
        double x = special[i];
        if (fabs(x) < 1e-8)
            assert_true(same(ct_sin(x), x) && ct_cos(x) == 1);
        if (isfinite(x)) {
            assert_true(same(ct_sin(-x), -ct_sin(x)) && same(ct_cos(-x), ct_cos(x)));
            assert_true(error_of(ct_sin(x), sinl(x)) < 0.8 && error_of(ct_cos(x), cosl(x)) < 0.8);
        }
    }
}

/* Any number of arguments, special ones anywhere among them: the bits of one by one. */
static void many_at_once(void **state)
{
    (void)state;
    uint64_t seed = 1234567;
    double x[37], sine[37], cosine[37];
    for (int round = 0; round < 20000; round++) {
        size_t count = next_random(&seed) % 38;
        uint64_t rare = 2 + next_random(&seed) % 20;
        for (size_t i = 0; i < count; i++)
            x[i] = next_random(&seed) % rare ? random_argument(&seed)
                                             : special[next_random(&seed) % SPECIALS];
        ct_sincos_many(x, sine, cosine, count);
        for (size_t i = 0; i < count; i++)
            if (!same(sine[i], ct_sin(x[i])) || !same(cosine[i], ct_cos(x[i])))
                fail_msg("x[%zu] of %zu = %a", i, count, x[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arguments),
        cmocka_unit_test(near_multiples),
        cmocka_unit_test(special_values),
        cmocka_unit_test(many_at_once),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("largest error %.4f units of the last place\n", worst);
    return failed;
}

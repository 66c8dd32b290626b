/* explog.c - the exponential by a table of 64 powers and a short polynomial, the logarithm
 * likewise by 64 of its values.
 *
 * Every operation is one rounded operation of IEEE arithmetic (never compile this with
 * contraction), in the same order for 1 and 4 arguments, so that the bits do not depend on the way.
 *
 * This file stands alone: exported code holds its text, with CT_EXPLOG defined as `static`. */
#ifndef CT_EXPLOG
#include "base/explog.h"
#define CT_EXPLOG
#endif

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- exp(x) = 2^(k/64) (1 + p), k whole, x = k*ln(2)/64 + r, |r| <= ln(2)/128
 *
 * k has 17 bits at most and the first part of ln(2)/64 has 36, so that their product is exact. The
 * rest is 1 + r + r^2/2 + E3 r^3 + ..: the best ones there; error 2^-70. [Tang 1989] */
#define CT_EXP_LEAST -690 /* between these all is a normal number, small parts of it, too */
#define CT_EXP_MOST  709
#define CT_EXP_NONE  -746 /* below this the result is zero */

#define CT_EXP_ROUND                                                                               \
    0x1.8p52 /* adding it rounds to whole numbers; they show in the last bits                      \
              */
#define CT_EXP_PER_STEP 0x1.71547652b82fep+6
#define CT_EXP_STEP_1   0x1.62e42fefap-7
#define CT_EXP_STEP_2   0x1.cf79abc9e3b3ap-46
#define CT_EXP_3        0x1.55555555548f9p-3
#define CT_EXP_4        0x1.5555555554bf3p-5
#define CT_EXP_5        0x1.111123aa9f097p-7
#define CT_EXP_6        0x1.6c16d7ae6734p-10

/* Of i = 0 .. 63: what 2^(i/64) is beside the next double, relative to it; this double, less i as
 * part of its exponent, which k << 46 adds again. Both as bits. */
static const uint64_t ct_exp_table[128] = {
    /* clang-format off */
    0x0000000000000000, 0x3ff0000000000000, 0xbc7160139cd8dc5d, 0x3fefec9a3e778061,
    0x3c8cd2523567f613, 0x3fefd9b0d3158574, 0x3c60f74e61e6c861, 0x3fefc74518759bc8,
    0x3c979aa65d837b6d, 0x3fefb5586cf9890f, 0x3c3ebe3d702f9cd1, 0x3fefa3ec32d3d1a2,
    0xbc9556522a2fbd0e, 0x3fef9301d0125b51, 0xbc91c923b9d5f416, 0x3fef829aaea92de0,
    0xbc801b15eaa59348, 0x3fef72b83c7d517b, 0x3c8b898c3f1353bf, 0x3fef635beb6fcb75,
    0x3c9aecf73e3a2f60, 0x3fef54873168b9aa, 0x3c8a6f4144a6c38d, 0x3fef463b88628cd6,
    0x3c968efde3a8a894, 0x3fef387a6e756238, 0x3c80472b981fe7f2, 0x3fef2b4565e27cdd,
    0x3c82f7e16d09ab31, 0x3fef1e9df51fdee1, 0x3c8b3782720c0ab4, 0x3fef1285a6e4030b,
    0x3c834d754db0abb6, 0x3fef06fe0a31b715, 0x3c8fdd395dd3f84a, 0x3feefc08b26416ff,
    0xbc924aedcc4b5068, 0x3feef1a7373aa9cb, 0xbc71d1e83e9436d2, 0x3feee7db34e59ff7,
    0x3c859f48a72a4c6d, 0x3feedea64c123422, 0xbc58a78f4817895b, 0x3feed60a21f72e2a,
    0x3c4363ed60c2ac11, 0x3feece086061892d, 0x3c6ecce1daa10379, 0x3feec6a2b5c13cd0,
    0x3c7690cebb7aafb0, 0x3feebfdad5362a27, 0xbc8f94340071a38e, 0x3feeb9b2769d2ca7,
    0xbc78dec6bd0f385f, 0x3feeb42b569d4f82, 0x3c93350518fdd78e, 0x3feeaf4736b527da,
    0x3c9063e1e21c5409, 0x3feeab07dd485429, 0x3c9432e62b64c035, 0x3feea76f15ad2148,
    0xbc8c33c53bef4da8, 0x3feea47eb03a5585, 0xbc93cedd78565858, 0x3feea23882552225,
    0xbc93b3efbf5e2228, 0x3feea09e667f3bcd, 0xbc6367efb86da9ee, 0x3fee9fb23c651a2f,
    0xbc781f647e5a3ecf, 0x3fee9f75e8ec5f74, 0xbc8619321e55e68a, 0x3fee9feb564267c9,
    0xbc7b32dcb94da51d, 0x3feea11473eb0187, 0x3c65ebe1abd66c55, 0x3feea2f336cf4e62,
    0xbc9369b6f13b3734, 0x3feea589994cce13, 0xbc94d450d872576e, 0x3feea8d99b4492ed,
    0x3c8db72fc1f0eab4, 0x3feeace5422aa0db, 0x3c7bf68359f35f44, 0x3feeb1ae99157736,
    0xbc5da9b88b6c1e29, 0x3feeb737b0cdc5e5, 0xbc92434322f4f9aa, 0x3feebd829fde4e50,
    0x3c71affc2b91ce27, 0x3feec49182a3f090, 0xbc87c50422622263, 0x3feecc667b5de565,
    0xbc91bbd1d3bcbb15, 0x3feed503b23e255d, 0x3c8469846e735ab3, 0x3feede6b5579fdbf,
    0x3c8c1a7792cb3387, 0x3feee89f995ad3ad, 0xbc55c3d956dcaeba, 0x3feef3a2b84f15fb,
    0xbc68d6f438ad9334, 0x3feeff76f2fb5e47, 0x3c74ffd70a5fddcd, 0x3fef0c1e904bc1d2,
    0x3c736eae30af0cb3, 0x3fef199bdd85529c, 0x3c84e08fd10959ac, 0x3fef27f12e57d14b,
    0x3c676b2c6c921968, 0x3fef3720dcef9069, 0xbc8fad5d3ffffa6f, 0x3fef472d4a07897c,
    0x3c74a385a63d07a7, 0x3fef5818dcfba487, 0x3c8e5a50d5c192ac, 0x3fef69e603db3285,
    0xbc82d52107b43e1f, 0x3fef7c97337b9b5f, 0x3c74b604603a88d3, 0x3fef902ee78b3ff6,
    0xbc8ff7128fd391f0, 0x3fefa4afa2a490da, 0x3c8ec3bc41aa2008, 0x3fefba1bee615a27,
    0x3c8a64a931d185ee, 0x3fefd0765b6e4540, 0x3c77893b4d91cd9d, 0x3fefe7c1819e90d8,
    /* clang-format on */
};

/* The text of the function of x for `real`: a double or a vector of doubles; `bits` are as many
 * words; LOOK(i) takes them from the table; 2^-extra times the result is wanted. */
#define CT_EXP_TEXT(real, bits, LOOK, extra)                                                       \
    real tail, scale, shifted = x * CT_EXP_PER_STEP + CT_EXP_ROUND;                                \
    bits k, low, high;                                                                             \
    memcpy(&k, &shifted, sizeof k);                                                                \
    const bits at = (k & 63) << 1;                                                                 \
    low = LOOK(ct_exp_table, at);                                                                  \
    high = LOOK(ct_exp_table, at + 1) + (k << 46) + ((uint64_t)(extra) << 52);                     \
    memcpy(&tail, &low, sizeof tail);                                                              \
    memcpy(&scale, &high, sizeof scale);                                                           \
    const real n = shifted - CT_EXP_ROUND;                                                         \
    const real r = (x - n * CT_EXP_STEP_1) - n * CT_EXP_STEP_2, rr = r * r;                        \
    const real q = (0.5 + r * CT_EXP_3) + rr * ((CT_EXP_4 + r * CT_EXP_5) + rr * CT_EXP_6);        \
    const real y = scale + scale * ((tail + r) + rr * q)

#define CT_LOOK_1(table, at) (table)[at]

/* What is small or large is found beside 2^extra, where it is a normal number. */
static double ct_exp_far(double x)
{
    const int extra = x < 0 ? 1000 : -1000;
    if (!(x <= 710)) /* or not a number */
        return x + (double)INFINITY;
    if (x < CT_EXP_NONE)
        return 0;
    CT_EXP_TEXT(double, uint64_t, CT_LOOK_1, extra);
    return y * (x < 0 ? 0x1p-1000 : 0x1p1000);
}

CT_EXPLOG double ct_exp(double x)
{
    if (!(x >= CT_EXP_LEAST && x <= CT_EXP_MOST))
        return ct_exp_far(x);
    CT_EXP_TEXT(double, uint64_t, CT_LOOK_1, 0);
    return y;
}

/* ---- log(x) = k ln(2) - log(a) + log(1 + r), 1 + r = a z, x = 2^k z
 *
 * z lies between the roots of 1/2 and 2, in one of 64 parts, each with its a of 11 bits: that of
 * the part around 1 is 1. With z in two parts, 33 bits and the rest, both products are exact, and
 * so is the sum of all but the small parts, because the large ones of ln(2) and log(a) end with
 * 2^-42. log(1 + r) = r - r^2/2 + L3 r^3 + ..: the best ones for |r| < 0.008; error 2^-65 r. */
#define CT_LOG_LEAST    0x3fe6a00000000000 /* bits of the least z */
#define CT_LOG_ONE      0x3ff0000000000000
#define CT_LOG_FRACTION 0x000fffffffffffff
#define CT_LOG_WHOLE    0x4330000000000000 /* bits of 2^52, whose last ones are whole numbers */
#define CT_LOG_TOP      0xfffffffffff00000 /* leaves 33 bits */
#define CT_LN_2_1       0x1.62e42fefa38p-1
#define CT_LN_2_2       0x1.ef35793c7673p-45
#define CT_LOG_3        0x1.55555555555b1p-2
#define CT_LOG_4        -0x1.00000000000b7p-2
#define CT_LOG_5        0x1.99999988c5889p-3
#define CT_LOG_6        -0x1.5555553db61d2p-3
#define CT_LOG_7        0x1.249953d68511ap-3
#define CT_LOG_8        -0x1.0007aef0e41b7p-3

/* a, then the two parts of -log(a), as bits. */
static const uint64_t ct_log_table[192] = {
    /* clang-format off */
    0x3ff6800000000000, 0x3ff6440000000000, 0x3ff6040000000000, 0x3ff5c80000000000,
    0x3ff5900000000000, 0x3ff5540000000000, 0x3ff51c0000000000, 0x3ff4e40000000000,
    0x3ff4b00000000000, 0x3ff47c0000000000, 0x3ff4480000000000, 0x3ff4140000000000,
    0x3ff3e40000000000, 0x3ff3b00000000000, 0x3ff3800000000000, 0x3ff3540000000000,
    0x3ff3240000000000, 0x3ff2f80000000000, 0x3ff2c80000000000, 0x3ff2a00000000000,
    0x3ff2740000000000, 0x3ff2480000000000, 0x3ff2200000000000, 0x3ff1f80000000000,
    0x3ff1d00000000000, 0x3ff1a80000000000, 0x3ff1800000000000, 0x3ff15c0000000000,
    0x3ff1340000000000, 0x3ff1100000000000, 0x3ff0ec0000000000, 0x3ff0c80000000000,
    0x3ff0a80000000000, 0x3ff0840000000000, 0x3ff0640000000000, 0x3ff0400000000000,
    0x3ff0200000000000, 0x3ff0000000000000, 0x3fef800000000000, 0x3fef080000000000,
    0x3fee900000000000, 0x3fee200000000000, 0x3fedb00000000000, 0x3fed400000000000,
    0x3fecd80000000000, 0x3fec700000000000, 0x3fec100000000000, 0x3febb00000000000,
    0x3feb500000000000, 0x3feaf00000000000, 0x3fea980000000000, 0x3fea400000000000,
    0x3fe9f00000000000, 0x3fe9980000000000, 0x3fe9480000000000, 0x3fe8f80000000000,
    0x3fe8b00000000000, 0x3fe8600000000000, 0x3fe8180000000000, 0x3fe7d00000000000,
    0x3fe7880000000000, 0x3fe7480000000000, 0x3fe7000000000000, 0x3fe6c00000000000,
    0xbfd5d1bdbf581000, 0xbfd5262deeb99000, 0xbfd46d2d9c280000, 0xbfd3bdd24eb15000,
    0xbfd31871c9544000, 0xbfd26561f1338000, 0xbfd1bc794fd1d000, 0xbfd111ce4003f000,
    0xbfd071b85fcd6000, 0xbfcfa01c3bb58000, 0xbfce598ed5a88000, 0xbfcd0fb7f2256000,
    0xbfcbdc46ae344000, 0xbfca8becfc882000, 0xbfc9525a9cf46000, 0xbfc83040c91bc000,
    0xbfc6f0d28ae56000, 0xbfc5c94007598000, 0xbfc483bccce6e000, 0xbfc371fc201e8000,
    0xbfc2423113ba6000, 0xbfc10f8e42254000, 0xbfbfec9131dc0000, 0xbfbdb5270187c000,
    0xbfbb78c82bb10000, 0xbfb9375e55594000, 0xbfb6f0d28ae58000, 0xbfb4e01108a34000,
    0xbfb28f83450ec000, 0xbfb0759835990000, 0xbfacae72fb960000, 0xbfa868a830840000,
    0xbfa494acc34d8000, 0xbfa03d5d85e70000, 0xbf98b31facaa0000, 0xbf8fc0a8b0fc0000,
    0xbf7fe02a6b100000, 0x0000000000000000, 0x3f90205658930000, 0x3f9f7a9b16780000,
    0x3fa788595a358000, 0x3faeea31c0068000, 0x3fb333d7f8184000, 0x3fb700d30aeac000,
    0x3fba956d3ecac000, 0x3fbe3707ee304000, 0x3fc0ce7ecdccc000, 0x3fc28753bc11a000,
    0x3fc4462b9dc9c000, 0x3fc60b3100b0a000, 0x3fc7b00916516000, 0x3fc95a5adcf70000,
    0x3fcae2ca6f672000, 0x3fcc97f8079d4000, 0x3fce2a877a6b2000, 0x3fcfc218be620000,
    0x3fd09aa572e6c000, 0x3fd16b5ccbad0000, 0x3fd22981fbef8000, 0x3fd2e9e2bce12000,
    0x3fd3ac8ca38e6000, 0x3fd45b8c0a17e000, 0x3fd522ae0738a000, 0x3fd5d5bddf596000,
    0x3d38d6bdc9c7c238, 0x3d3e1b9f70894a01, 0xbd359b275f67f75a, 0x3d3257b4970e6ed9,
    0xbd184fab94cecfd9, 0xbd38b48866faa45f, 0x3d3ccf0c747ba7be, 0x3d1b3237096b4b6b,
    0x3d3bcb8ba3e01a11, 0x3d1a1f71fae1d786, 0x3d0d134bcf1e98a1, 0x3d0af52b20633b29,
    0xbd3625b4023d6505, 0xbd3e3185cf21b9cf, 0x3d3297137d9f158f, 0xbd3e5b71c6e66f32,
    0xbd369737c93373da, 0x3d3a8d948cd23322, 0xbd1eea52723f6369, 0xbd3ee8779b2d8abc,
    0x3d3e3a0078ee9d9c, 0x3d293b3843396307, 0x3d354555d1ae6607, 0xbd39277856ae181f,
    0x3d325ef7bc3987e7, 0xbd3eddc37380c364, 0x3d34b4641b664613, 0xbd3ae5cfdf2c5ae5,
    0xbd3a8d75aa119769, 0x3d3b8ecfe4b59987, 0x3d3efabf2025b1be, 0x3d12623a134ac693,
    0xbd211c78a56fd247, 0xbd3f778960ed29cf, 0x3d33fc78a96e4964, 0xbcdf1e7cf6d3a69c,
    0xbd19e23f0dda40e4, 0x0000000000000000, 0x3d3611d27c8e8417, 0x3d242ad9271be7d7,
    0xbd108b0d083b3a4c, 0x3d3c3dd83606d891, 0xbce692b6a81b8848, 0x3cec1e8da99ded32,
    0x3d3e63794c02c4af, 0x3d20f684e6766abd, 0x3d14652dabff5447, 0x3d37494e359302e6,
    0xbd384858a711b062, 0xbd371456c988f814, 0xbd3ae75fcb067e57, 0x3d07f22858a0ff6f,
    0x3d37a8d5ae54f550, 0x3d23b161a8c6e6c5, 0x3d3823817787081a, 0x3d34bba46f1cf6a0,
    0x3d3b50a1e1734342, 0xbd323299042d74bf, 0xbd3a1421609580da, 0x3d24300c128d1dc2,
    0xbd2d0befbc02be4a, 0xbd0d9120e7d0a853, 0x3d2ebe708164c759, 0xbd0a0b2a08a465dc,
    /* clang-format on */
};

/* As above; 2^-more times x is meant. The sum of `large` and the smaller `low` is u with the error
 * e: [Dekker]. */
#define CT_LOG_TEXT(real, bits, LOOK, more)                                                        \
    real k, z, top, a, log_1, log_2;                                                               \
    bits all, word;                                                                                \
    memcpy(&all, &x, sizeof all);                                                                  \
    all += CT_LOG_ONE - CT_LOG_LEAST;                                                              \
    const bits at = all >> 46 & 63;                                                                \
    word = (all >> 52) | CT_LOG_WHOLE;                                                             \
    memcpy(&k, &word, sizeof k);                                                                   \
    word = (all & CT_LOG_FRACTION) + CT_LOG_LEAST;                                                 \
    memcpy(&z, &word, sizeof z);                                                                   \
    word &= CT_LOG_TOP;                                                                            \
    memcpy(&top, &word, sizeof top);                                                               \
    word = LOOK(ct_log_table, at);                                                                 \
    memcpy(&a, &word, sizeof a);                                                                   \
    word = LOOK(ct_log_table, at + 64);                                                            \
    memcpy(&log_1, &word, sizeof log_1);                                                           \
    word = LOOK(ct_log_table, at + 128);                                                           \
    memcpy(&log_2, &word, sizeof log_2);                                                           \
    k = k - (0x1p52 + 1023 + (more));                                                              \
    const real high = top * a - 1, low = (z - top) * a, r = high + low, rr = r * r;                \
    const real large = (k * CT_LN_2_1 + log_1) + high, u = large + low, e = low - (u - large);     \
    const real q = (r * CT_LOG_3 - 0.5) + rr * ((CT_LOG_4 + r * CT_LOG_5) +                        \
                                                rr * ((CT_LOG_6 + r * CT_LOG_7) + rr * CT_LOG_8)); \
    const real y = u + ((e + (k * CT_LN_2_2 + log_2)) + rr * q)

static double ct_log_far(double x)
{
    if (x == 0)
        return -(double)INFINITY;
    if (!(x > 0 && x <= DBL_MAX))
        return x < 0 ? (double)NAN : x;
    x *= 0x1p54;
    CT_LOG_TEXT(double, uint64_t, CT_LOOK_1, 54);
    return y;
}

CT_EXPLOG double ct_log(double x)
{
    if (!(x >= DBL_MIN && x <= DBL_MAX))
        return ct_log_far(x);
    CT_LOG_TEXT(double, uint64_t, CT_LOOK_1, 0);
    return y;
}

/* ---- four at once */

#ifdef CT_BASE_EXPLOG_H
#if defined __x86_64__ && defined __GNUC__

typedef double ct_exp_real4 __attribute__((vector_size(32)));
typedef uint64_t ct_exp_bits4 __attribute__((vector_size(32)));

#define CT_EXP_WIDE __attribute__((target("avx2")))
#define CT_LOOK_4(table, at)                                                                       \
    ((ct_exp_bits4){(table)[(at)[0]], (table)[(at)[1]], (table)[(at)[2]], (table)[(at)[3]]})

/* Lanes one by one: some of them are far. */
CT_EXP_WIDE __attribute__((noinline)) static ct_exp_real4 ct_one_by_one(ct_exp_real4 x,
                                                                        double (*function)(double))
{
    double v[4];
    memcpy(v, &x, sizeof v);
    for (int i = 0; i < 4; i++)
        v[i] = function(v[i]);
    memcpy(&x, v, sizeof v);
    return x;
}

/* What is zero is so far down that it is usual for junctions that block: it takes no time. */
CT_EXP_WIDE static ct_exp_real4 ct_exp_wide(ct_exp_real4 given)
{
    const ct_exp_bits4 none = (ct_exp_bits4)(given < CT_EXP_NONE);
    const ct_exp_real4 x = (ct_exp_real4)((ct_exp_bits4)given & ~none);
    const ct_exp_bits4 near = (ct_exp_bits4)((x >= CT_EXP_LEAST) & (x <= CT_EXP_MOST));
    if (__builtin_ia32_movmskpd256((ct_exp_real4)near) != 15)
        return ct_one_by_one(given, ct_exp);
    CT_EXP_TEXT(ct_exp_real4, ct_exp_bits4, CT_LOOK_4, 0);
    return (ct_exp_real4)((ct_exp_bits4)y & ~none);
}

CT_EXP_WIDE static ct_exp_real4 ct_log_wide(ct_exp_real4 x)
{
    const ct_exp_bits4 near = (ct_exp_bits4)((x >= DBL_MIN) & (x <= DBL_MAX));
    if (__builtin_ia32_movmskpd256((ct_exp_real4)near) != 15)
        return ct_one_by_one(x, ct_log);
    CT_LOG_TEXT(ct_exp_real4, ct_exp_bits4, CT_LOOK_4, 0);
    return y;
}

ct_wide_fn ct_wide_exp(void)
{
    return (ct_wide_fn)ct_exp_wide;
}

ct_wide_fn ct_wide_log(void)
{
    return (ct_wide_fn)ct_log_wide;
}

#else

ct_wide_fn ct_wide_exp(void)
{
    return NULL;
}

ct_wide_fn ct_wide_log(void)
{
    return NULL;
}

#endif
#endif

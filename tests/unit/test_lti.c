/* test_lti.c - linear systems whose answers are known in closed form (src/study/lti*.c). */
#include "test_context.h"
#include "test_lti.h"
#include "test_shortage.h"

static void check_polynomial(const double *got, uint32_t count, const double *want, uint32_t wanted,
                             const char *what)
{
    if (count != wanted)
        fail_msg("%s: %u coefficients instead of %u", what, count, wanted);
    for (uint32_t i = 0; i < count; i++)
        near(got[i], want[i], 1e-12, what);
}

/* num and den as lists that end with NAN */
static void check_transfer(ct_arena *arena, const ct_lti *lti, const double *num, const double *den,
                           const char *what)
{
    uint32_t nums = 0, dens = 0;
    while (!isnan(num[nums]))
        nums++;
    while (!isnan(den[dens]))
        dens++;
    ct_transfer t = ct_lti_transfer(arena, lti, 0, 0);
    check_polynomial(t.num, t.num_count, num, nums, what);
    check_polynomial(t.den, t.den_count, den, dens, what);
}

#define LIST(...) ((const double[]){__VA_ARGS__, NAN})

/* ---- ordinary systems ---------------------------------------------------------------------- */

/* x'' + 2 d w x' + w^2 x = w^2 u */
static void test_second_order(void **state)
{
    const double w = 20, d = 0.1, wd = w * sqrt(1 - d * d);
    double a[] = {0, 1, -w * w, -2 * d * w}, b[] = {0, w * w}, c[] = {1, 0}, zero[] = {0};
    ct_lti lti = {2, 1, 1, a, b, c, zero, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    const ct_mode *pole = ct_lti_poles(ARENA, &lti, &count);
    assert_int_equal(count, 2);
    near(pole[0].re, -d * w, 1e-13, "re");
    near(pole[0].im, wd, 1e-13, "im");
    assert_true(pole[1].im == -pole[0].im);
    near(pole[0].frequency, w, 1e-13, "frequency");
    near(pole[0].damping, d, 1e-13, "damping");
    near(pole[0].time, 1 / (d * w), 1e-13, "time");
    near(*ct_lti_dc_gain(ARENA, &lti), 1, 1e-13, "gain");
    check_transfer(ARENA, &lti, LIST(w * w), LIST(1, 2 * d * w, w * w), "second order");
    ct_lti_zeros(ARENA, &lti, 0, 0, &count);
    assert_int_equal(count, 0);

    double omega[] = {1e-3, w, 1e5}, db[3], deg[3];
    ct_transfer t = ct_lti_transfer(ARENA, &lti, 0, 0);
    ct_transfer_bode(&t, omega, 3, db, deg);
    near(db[0], 0, 1e-7, "flat");
    near(db[1], 20 * log10(1 / (2 * d)), 1e-12, "resonance");
    near(db[2], 40 * log10(w / 1e5), 1e-7, "slope");
    near(deg[1], -90, 1e-12, "phase at resonance");
    near(deg[2], -180 + 180 / pi * 2 * d * w / 1e5, 1e-7, "phase above");

    double times[] = {0, 0.01, 0.02, 0.03, 0.5, 0.1}, y[6], h[6];
    ct_lti_step(ARENA, &lti, 0, times, 6, y);
    ct_lti_impulse(ARENA, &lti, 0, times, 6, h);
    for (int k = 0; k < 6; k++) {
        double at = times[k], e = exp(-d * w * at);
        near(y[k], 1 - e * (cos(wd * at) + d * w / wd * sin(wd * at)), 1e-13, "step");
        near(h[k], w * w / wd * e * sin(wd * at), 1e-13, "impulse");
    }
    double from, to;
    ct_lti_range(ARENA, &lti, &from, &to);
    near(from, 1, 1e-15, "from");
    near(to, 1000, 1e-15, "to");
}

static void test_integrators(void **state)
{
    double a[] = {0, 1, 0, 0}, b[] = {0, 1}, c[] = {1, 0, 0, -2}, omega[] = {0.1, 10};
    ct_lti lti = {2, 1, 2, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    const ct_mode *pole = ct_lti_poles(ARENA, &lti, &count);
    assert_int_equal(count, 2);
    for (int k = 0; k < 2; k++) {
        assert_true(pole[k].re == 0 && pole[k].im == 0 && pole[k].frequency == 0);
        assert_true(isnan(pole[k].damping) && isinf(pole[k].time));
    }
    const double *gain = ct_lti_dc_gain(ARENA, &lti);
    assert_true(gain[0] == INFINITY && gain[1] == -INFINITY);
    check_transfer(ARENA, &lti, LIST(1), LIST(1, 0, 0), "1/s^2");
    ct_transfer t = ct_lti_transfer(ARENA, &lti, 0, 0), u = ct_lti_transfer(ARENA, &lti, 1, 0);
    check_polynomial(u.num, u.num_count, LIST(-2), 1, "-2/s");
    check_polynomial(u.den, u.den_count, LIST(1, 0), 2, "-2/s");
    double db[2], deg[2], times[] = {0.5, 2}, y[4];
    ct_transfer_bode(&t, omega, 2, db, deg);
    near(db[0], 40, 1e-13, "1/s^2");
    near(deg[1], -180, 1e-13, "1/s^2");
    ct_transfer_bode(&u, omega, 2, db, deg);
    near(deg[1], -270, 1e-13, "-2/s");
    ct_lti_step(ARENA, &lti, 0, times, 2, y);
    near(y[0], 0.125, 1e-14, "t^2/2");
    near(y[2], 2, 1e-14, "t^2/2");
    near(y[3], -4, 1e-14, "-2 t");
    double complex g[4];
    ct_lti_frequency(ARENA, &lti, (const double[]){0, 2}, 2, g);
    assert_true(isinf(creal(g[0])));
    near(creal(g[2]), -0.25, 1e-14, "at 2i");
    near(ct_lti_horizon(ARENA, &lti), 10, 1e-14, "horizon");
}

/* Integrators hidden by a change of coordinates, with other modes: still exact zeros. */
static void test_hidden_integrators(void **state)
{
    enum { N = 6 };
    dice d = {7};
    for (int trial = 0; trial < 20; trial++) {
        double a[N * N] = {0};
        a[0 * N + 1] = 1; /* a double one */
        a[2 * N + 2] = 0; /* and another */
        a[3 * N + 3] = -1;
        a[4 * N + 4] = -200;
        a[5 * N + 5] = 3;
        double *q = rotation(ARENA, &d, N), *t = transposed(ARENA, q, N, N);
        double *mixed = product(ARENA, product(ARENA, q, a, N, N, N), t, N, N, N);
        ct_lti lti = {.n = N, .A = mixed};
        uint32_t count;
        const ct_mode *pole = ct_lti_poles(ARENA, &lti, &count);
        same_roots(pole, count, (const double complex[]){0, 0, 0, -1, -200, 3}, N, 1e-9, "hidden");
    }
}

/* A network of four capacitors and a coil: one capacitor alone leads to the ground, so that nothing
 * reaches it; the output has two zeros at s = 0, and another zero lies near a pole. */
static void test_unreached_state(void **state)
{
    const double C1 = 0.432, C2 = 2.725, C4 = 1.452, R = 2.094, L = 1.272;
    double g1 = 1 / (R * (C1 + C4)), g2 = 1 / (R * C2);
    double a[] = {-g1, -g1, 0, 0, -g2, -g2, 0, -1 / C2, 0, 0, 0, 0, 0, 1 / L, 0, 0};
    double b[] = {0, 0, 0, -1 / L}, e[] = {-C4 / (C1 + C4), 0, 0, 0}, c[] = {0, 1, 0, 0},
           d[] = {-1};
    ct_lti lti = {4, 1, 1, a, b, c, d, e, NULL, NULL, 0, NULL};
    uint32_t count;
    const double num = -15785000 / 53751933.0,
                 den[] = {1, 23045000 / 53751933.0, 5000 / 17331.0, 625000000 / 8546557347.0};
    check_transfer(ARENA, &lti, LIST(-1, num, 0, 0), LIST(den[0], den[1], den[2], den[3]),
                   "unreached");
    const ct_mode *zero = ct_lti_zeros(ARENA, &lti, 0, 0, &count);
    same_roots(zero, count, (const double complex[]){0, 0, num}, 3, 1e-12, "unreached");
}

/* A capacitor that nothing shows: its integrator is no pole of the output, though elimination that
 * tries the rest mixes it with other states. */
static void test_unseen_state(void **state)
{
    const double g1 = 166159.3, g2 = 249239, k1 = 5.117707e+07, k2 = 7.676561e+07;
    double a[] = {0, g1, -k1, 0, -g2, k2, 0, -100, 0}, b[] = {-6.745138e+07, k1, 0};
    double c[] = {0, 0, 1};
    ct_lti lti = {3, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    check_transfer(ARENA, &lti, LIST(-100 * k1), LIST(1, g2, 100 * k2), "unseen");
    ct_lti_zeros(ARENA, &lti, 0, 0, &count);
    assert_int_equal(count, 0);
}

/* Known eigenvalues; from one end to the other there are no zeros, and the polynomials are those of
 * the recursion d_k = (s + 2) d_(k-1) - d_(k-2), whose coefficients are integers. */
static void test_ladder(void **state)
{
    enum { N = 30 };
    double a[N * N] = {0}, b[N] = {1}, c[N] = {0};
    double old[N + 1] = {0}, now[N + 1] = {1}, next[N + 1] = {0};
    double complex want[N];
    for (int i = 0; i < N; i++) {
        a[i * N + i] = -2;
        if (i > 0)
            a[i * N + i - 1] = 1;
        if (i + 1 < N)
            a[i * N + i + 1] = 1;
        want[i] = -2 + 2 * cos(pi * (i + 1) / (N + 1));
        for (int k = 0; k <= i + 1; k++)
            next[k] = now[k] + 2 * (k > 0 ? now[k - 1] : 0) - (k > 1 ? old[k - 2] : 0);
        memcpy(old, now, sizeof old);
        memcpy(now, next, sizeof now);
    }
    c[N - 1] = 1;
    ct_lti lti = {N, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    const ct_mode *pole = ct_lti_poles(ARENA, &lti, &count);
    same_roots(pole, count, want, N, 1e-12, "ladder");
    ct_transfer t = ct_lti_transfer(ARENA, &lti, 0, 0);
    assert_int_equal(t.num_count, 1);
    assert_int_equal(t.den_count, N + 1);
    near(t.num[0], 1, 1e-11, "ladder's gain");
    for (int k = 0; k <= N; k++)
        if (!(fabs(t.den[k] / now[k] - 1) < 1e-11))
            fail_msg("coefficient %d: %.17g instead of %.17g", k, t.den[k], now[k]);
    near(*ct_lti_dc_gain(ARENA, &lti), 1.0 / (N + 1), 1e-13, "gain at zero");
    ct_lti_rank rank = ct_lti_ranks(ARENA, &lti);
    assert_int_equal(rank.controllable, N);
    assert_int_equal(rank.observable, N);
}

/* (1 - s) / ((s + 1) (s + 2)): first the wrong way */
static void test_wrong_way(void **state)
{
    double a[] = {0, 1, -2, -3}, b[] = {0, 1}, c[] = {1, -1}, omega[] = {1e-4, 1e5}, db[2], deg[2];
    ct_lti lti = {2, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    const ct_mode *zero = ct_lti_zeros(ARENA, &lti, 0, 0, &count);
    assert_int_equal(count, 1);
    near(zero->re, 1, 1e-14, "zero");
    near(zero->damping, -1, 1e-14, "damping");
    near(zero->time, -1, 1e-14, "time");
    check_transfer(ARENA, &lti, LIST(-1, 1), LIST(1, 3, 2), "wrong way");
    ct_transfer t = ct_lti_transfer(ARENA, &lti, 0, 0);
    ct_transfer_bode(&t, omega, 2, db, deg);
    near(deg[0], 0, 0.02, "phase below");
    near(deg[1], -270, 1e-5, "phase above");
    double early = 0.01, y;
    ct_lti_step(ARENA, &lti, 0, &early, 1, &y);
    assert_true(y < 0);
}

/* ---- derivatives of inputs ----------------------------------------------------------------- */

static void test_derivatives(void **state)
{
    double one[] = {1}, two[] = {2}, minus[] = {-1}, minus_two[] = {-2}, zero[] = {0};
    struct row {
        const char *what;
        ct_lti lti;
        const double *num, *den;
        double gain;
    } rows[] = {
        {"y = u'",
         {0, 1, 1, NULL, NULL, NULL, zero, NULL, one, NULL, 0, NULL},
         LIST(1, 0),
         LIST(1),
         0},
        {"y = 2 u + u'",
         {0, 1, 1, NULL, NULL, NULL, two, NULL, one, NULL, 0, NULL},
         LIST(1, 2),
         LIST(1),
         2},
        {"x' = u'",
         {1, 1, 1, zero, zero, one, NULL, one, NULL, NULL, 0, NULL},
         LIST(1),
         LIST(1),
         1},
        {"(s+1)/(s+1)",
         {1, 1, 1, minus, one, one, NULL, one, NULL, NULL, 0, NULL},
         LIST(1),
         LIST(1),
         1},
        {"(s+1)/(s+2)",
         {1, 1, 1, minus_two, one, one, NULL, one, NULL, NULL, 0, NULL},
         LIST(1, 1),
         LIST(1, 2),
         0.5},
        {"s/(s+1)",
         {1, 1, 1, minus, zero, one, NULL, one, NULL, NULL, 0, NULL},
         LIST(1, 0),
         LIST(1, 1),
         0},
        {"s^2/(s+1)",
         {1, 1, 1, minus, one, one, minus, NULL, one, NULL, 0, NULL},
         LIST(1, 0, 0),
         LIST(1, 1),
         0},
        {"nothing",
         {1, 1, 1, minus, zero, one, zero, zero, zero, NULL, 0, NULL},
         LIST(0),
         LIST(1),
         0},
        {"not seen",
         {1, 1, 1, minus, one, zero, zero, zero, zero, NULL, 0, NULL},
         LIST(0),
         LIST(1),
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_transfer(ARENA, &rows[i].lti, rows[i].num, rows[i].den, rows[i].what);
        near(*ct_lti_dc_gain(ARENA, &rows[i].lti), rows[i].gain, 1e-14, rows[i].what);
    }
    double at[] = {3}, db, deg, times[] = {0, 1}, y[2];
    ct_transfer t = ct_lti_transfer(ARENA, &rows[0].lti, 0, 0);
    ct_transfer_bode(&t, at, 1, &db, &deg);
    near(deg, 90, 1e-14, "phase of u'");
    near(db, 20 * log10(3), 1e-14, "size of u'");
    ct_lti_step(ARENA, &rows[4].lti, 0, times, 2, y); /* 1/2 + exp(-2t)/2 */
    near(y[0], 1, 1e-14, "at once");
    near(y[1], 0.5 + exp(-2) / 2, 1e-14, "later");
    t = ct_lti_transfer(ARENA, &rows[7].lti, 0, 0);
    ct_transfer_bode(&t, at, 1, &db, &deg);
    assert_true(db == -INFINITY && isnan(deg));
}

/* ---- descriptor systems -------------------------------------------------------------------- */

/* Capacitor behind a resistor: C v' = i, 0 = u - v - R i; outputs v, i */
static void test_rc(void **state)
{
    const double R = 4700, C = 1e-9;
    double w[] = {C, 0, 0, 0}, a[] = {0, 1, -1, -R}, b[] = {0, 1}, c[] = {1, 0, 0, 1};
    ct_lti lti = {2, 1, 2, a, b, c, NULL, NULL, NULL, w, 0, NULL};
    uint32_t count;
    const ct_mode *pole = ct_lti_poles(ARENA, &lti, &count);
    same_roots(pole, count, (const double complex[]){-1 / (R * C)}, 1, 1e-14, "rc");
    const ct_mode *zero = ct_lti_zeros(ARENA, &lti, 1, 0, &count);
    assert_int_equal(count, 1);
    assert_true(zero->re == 0);
    const double *gain = ct_lti_dc_gain(ARENA, &lti);
    near(gain[0], 1, 1e-14, "v");
    assert_true(gain[1] == 0);
    double times[] = {0, R * C}, y[4];
    ct_lti_step(ARENA, &lti, 0, times, 2, y);
    near(y[1] * R, 1, 1e-14, "i at once");
    near(y[2], 1 - exp(-1), 1e-14, "v");
    near(y[3] * R, exp(-1), 1e-14, "i");
}

/* Capacitor across a source: i = C u'; a chain of three: the second derivative */
static void test_higher_index(void **state)
{
    double w[] = {3, 0, 0, 0}, a[] = {0, 1, 1, 0}, b[] = {0, -1}, c[] = {0, 1};
    ct_lti lti = {2, 1, 1, a, b, c, NULL, NULL, NULL, w, 0, NULL};
    uint32_t count;
    ct_lti_poles(ARENA, &lti, &count);
    assert_int_equal(count, 0);
    check_transfer(ARENA, &lti, LIST(3, 0), LIST(1), "C u'");
    double chain[] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, next[] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    double in[] = {0, 0, -1}, out[] = {0, 0, 1};
    ct_lti third = {3, 1, 1, next, in, out, NULL, NULL, NULL, chain, 0, NULL};
    check_transfer(ARENA, &third, LIST(1, 0, 0), LIST(1), "u''");
    double E[] = {0, 0, -1};
    third.E = E; /* 0 = x1 - u - u' */
    check_transfer(ARENA, &third, LIST(1, 1, 0, 0), LIST(1), "u'' + u'''");
}

/* W with an inverse, and entries twelve decades apart */
static void test_scales(void **state)
{
    double w[] = {1e-12, 0, 0, 0, 1, 0, 0, 0, 5e3};
    double a[] = {-1e-3, 1e-3, 0, 1e-3, -1e-3 - 1, 1, 0, 1, -1 - 1e-4};
    double b[] = {1, 0, 0}, c[] = {0, 0, 1}, turned[9];
    ct_lti lti = {3, 1, 1, a, b, c, NULL, NULL, NULL, w, 0, NULL};
    uint32_t count;
    const ct_mode *pole = ct_lti_poles(ARENA, &lti, &count);
    /* slowest: all of 1 + 5e3 + 1e-12 through 1e-4, to first order; fastest 1e-3/1e-12 */
    double product_of = fabs(pole[0].re * pole[1].re * pole[2].re);
    double det = 1e-3 * (1.001 * 1.0001 - 1) - 1e-3 * 1e-3 * 1.0001;
    near(product_of * 5e-9 / det, 1, 1e-9, "product of poles");
    near(pole[2].re * 1e-9, -1, 1e-8, "fast");
    ct_lti_rank rank = ct_lti_ranks(ARENA, &lti);
    assert_int_equal(rank.minimal, 3);
    near(*ct_lti_dc_gain(ARENA, &lti) * 1e-4, 1, 1e-9, "gain at zero");
    for (int i = 0; i < 9; i++) /* rows upside down */
        turned[i] = w[(2 - i / 3) * 3 + i % 3];
    double a2[9], b2[] = {0, 0, 1};
    for (int i = 0; i < 9; i++)
        a2[i] = a[(2 - i / 3) * 3 + i % 3];
    ct_lti same = {3, 1, 1, a2, b2, c, NULL, NULL, NULL, turned, 0, NULL};
    const ct_mode *again = ct_lti_poles(ARENA, &same, &count);
    for (int i = 0; i < 3; i++)
        near(again[i].re / pole[i].re, 1, 1e-10, "order of equations");
}

/* ---- zeros of several inputs and outputs --------------------------------------------------- */

static void test_zeros(void **state)
{
    /* two outputs of one input: (s - 3)/(s + 1)(s + 2) twice, the second a half with (s + 4) */
    double a[] = {0, 1, 0, -2, -3, 0, -3, 1, -4}, b[] = {0, 1, 0}, c[] = {-3, 1, 0, 0, 0, 1};
    ct_lti lti = {3, 1, 2, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    const ct_mode *zero = ct_lti_zeros(ARENA, &lti, CT_LTI_ALL, CT_LTI_ALL, &count);
    same_roots(zero, count, (const double complex[]){3}, 1, 1e-12, "2 x 1");
    /* diag(1/(s+1), 1/(s+2)) mixed by a matrix of one input that is twice the other: rank 1 */
    double d[] = {-1, 0, 0, -2}, in[] = {1, 2, 1, 2}, out[] = {1, 0, 0, 1};
    ct_lti flat = {2, 2, 2, d, in, out, NULL, NULL, NULL, NULL, 0, NULL};
    ct_lti_zeros(ARENA, &flat, CT_LTI_ALL, CT_LTI_ALL, &count);
    assert_int_equal(count, 0);
    /* [1/(s+1) 2/(s+3); 1/(s+1) 1/(s+1)]: zero at s = 1 [Skogestad, Postlethwaite] */
    double a3[] = {-1, 0, 0, 0, -3, 0, 0, 0, -1}, b3[] = {1, 0, 0, 2, 0, 1},
           c3[] = {1, 1, 0, 1, 0, 1};
    ct_lti square = {3, 2, 2, a3, b3, c3, NULL, NULL, NULL, NULL, 0, NULL};
    zero = ct_lti_zeros(ARENA, &square, CT_LTI_ALL, CT_LTI_ALL, &count);
    same_roots(zero, count, (const double complex[]){1}, 1, 1e-12, "2 x 2");
    assert_int_equal(ct_lti_ranks(ARENA, &square).minimal, 3);
}

/* ---- nothing, and no numbers --------------------------------------------------------------- */

static void test_empty(void **state)
{
    double a[] = {-1, 0, 0, -2}, b[] = {1, 1}, t[] = {0, 1}, none[2];
    double complex nothing[2];
    ct_lti lti[] = {{0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL},
                    {2, 0, 0, a, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL},
                    {2, 1, 0, a, b, NULL, NULL, NULL, NULL, NULL, 0, NULL},
                    {2, 0, 1, a, NULL, b, NULL, NULL, NULL, NULL, 0, NULL}};
    for (int i = 0; i < 4; i++) {
        uint32_t count;
        double from, to;
        assert_int_equal(ct_lti_check(ARENA, &lti[i]), CT_OK);
        ct_lti_poles(ARENA, &lti[i], &count);
        assert_int_equal(count, lti[i].n);
        ct_lti_zeros(ARENA, &lti[i], CT_LTI_ALL, CT_LTI_ALL, &count);
        assert_int_equal(count, 0);
        ct_lti_rank rank = ct_lti_ranks(ARENA, &lti[i]);
        assert_int_equal(rank.minimal, 0);
        assert_int_equal(rank.controllable, lti[i].m ? 2 : 0);
        assert_int_equal(rank.observable, lti[i].p ? 2 : 0);
        ct_lti_dc_gain(ARENA, &lti[i]);
        ct_lti_frequency(ARENA, &lti[i], t, 2, nothing);
        ct_lti_range(ARENA, &lti[i], &from, &to);
        assert_true(from == 0.1 && to == 10);
        if (lti[i].m)
            ct_lti_step(ARENA, &lti[i], 0, t, 2, none);
    }
}

typedef struct call {
    ct_arena *arena;
    ct_lti lti;
    int which;
} call;

static void do_call(void *user)
{
    call *c = user;
    uint32_t count;
    double t[] = {1}, y[4], from, to;
    double complex g[4];
    switch (c->which) {
    case 0:
        ct_lti_poles(c->arena, &c->lti, &count);
        break;
    case 1:
        ct_lti_zeros(c->arena, &c->lti, 0, 0, &count);
        break;
    case 2:
        ct_lti_dc_gain(c->arena, &c->lti);
        break;
    case 3:
        ct_lti_ranks(c->arena, &c->lti);
        break;
    case 4:
        ct_lti_transfer(c->arena, &c->lti, 0, 0);
        break;
    case 5:
        ct_lti_frequency(c->arena, &c->lti, t, 1, g);
        break;
    case 6:
        ct_lti_range(c->arena, &c->lti, &from, &to);
        break;
    case 7:
        ct_lti_step(c->arena, &c->lti, 0, t, 1, y);
        break;
    default:
        ct_lti_impulse(c->arena, &c->lti, 0, t, 1, y);
    }
}

static void test_status(void **state)
{
    double bad[] = {-1, 0, NAN, -2}, a[] = {-1, 0, 0, -2}, b[] = {1, INFINITY}, c[] = {1, 1};
    double w[] = {1, 0, 1, 0}, singular[] = {1, 0, 1, 0}, fine[] = {1, 1};
    const struct row {
        ct_lti lti;
        ct_status want;
    } rows[] = {{{2, 1, 1, bad, fine, c, NULL, NULL, NULL, NULL, 0, NULL}, CT_ERR_USAGE},
                {{2, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL}, CT_ERR_USAGE},
                {{2, 1, 1, a, fine, c, NULL, NULL, NULL, bad, 0, NULL}, CT_ERR_USAGE},
                {{2, 1, 1, singular, fine, c, NULL, NULL, NULL, w, 0, NULL}, CT_ERR_MODEL},
                {{2, 1, 1, a, fine, c, NULL, NULL, NULL, NULL, 0, NULL}, CT_OK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ct_lti_check(ARENA, &rows[i].lti), rows[i].want);
        for (int which = 0; which < 9; which++) {
            call c1 = {ARENA, rows[i].lti, which};
            assert_int_equal(ct_protect(*state, do_call, &c1), rows[i].want);
        }
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Memory that ends at any place: a status, and nothing lost (sanitizers look). */
static void test_memory(void **state)
{
    enum { N = 12 };
    dice d = {3};
    double *a = random_matrix(ARENA, &d, N, N), *b = random_matrix(ARENA, &d, N, 1);
    double *w = random_matrix(ARENA, &d, N, N);
    memset(w, 0, N * sizeof(double));
    for (int which = 0; which < 9; which++) {
        ct_status status = CT_ERR_MEMORY;
        long most = 0;
        for (; status != CT_OK && most < 1000; most++) {
            long left = most;
            ct_context_def def = {.realloc = failing_realloc, .realloc_user = &left};
            ct_context *ctx = ct_context_new(&def);
            if (!ctx)
                continue;
            call c = {ctx->base, {N, 1, 1, a, b, b, NULL, NULL, NULL, w, 0, NULL}, which};
            status = ct_protect(ctx, do_call, &c);
            assert_true(status == CT_OK || status == CT_ERR_MEMORY);
            ct_context_free(ctx);
        }
        assert_int_equal(status, CT_OK);
    }
}

/* ---- exponential --------------------------------------------------------------------------- */

static void test_exponential(void **state)
{
    double turn[] = {0, -1, 1, 0}, out[16];
    for (double t = -50; t < 50; t += 3.7) {
        ct_matrix_exponential(ARENA, 2, turn, t, false, out);
        near(out[0], cos(t), 1e-13, "cos");
        near(out[2], sin(t), 1e-13, "sin");
    }
    double shift[] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    ct_matrix_exponential(ARENA, 4, shift, 3, false, out);
    near(out[3], 4.5, 1e-15, "t^3/6");
    double stiff[] = {-1e12, 0, 1e3, -1};
    ct_matrix_exponential(ARENA, 2, stiff, 1, false, out);
    near(out[0], 0, 1e-15, "fast");
    near(out[3] / exp(-1), 1, 1e-13, "slow");
    double slow[] = {-1e-20};
    ct_matrix_exponential(ARENA, 1, slow, 1, true, out);
    near(out[0] / -1e-20, 1, 1e-15, "less one");
    ct_matrix_exponential(ARENA, 0, NULL, 1, false, out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_second_order, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_integrators, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_hidden_integrators, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_unreached_state, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_unseen_state, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_ladder, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_wrong_way, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_derivatives, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_rc, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_higher_index, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_scales, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_zeros, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_empty, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_status, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_memory, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_exponential, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

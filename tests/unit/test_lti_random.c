/* test_lti_random.c - random linear systems (src/study/lti*.c): answers found in different ways
 * agree, systems made of known parts show them, and scipy, where it is installed, says the same. */
#include "test_context.h"
#include "test_lti.h"

static void near_complex(double complex got, double complex want, double scale, const char *what)
{
    if (!(cabs(got - want) <= scale))
        fail_msg("%s: %.17g%+.17gi instead of %.17g%+.17gi", what, creal(got), cimag(got),
                 creal(want), cimag(want));
}

/* C (s W - A)^-1 (B + s E) + D + s F, by elimination without any preparation. */
static double complex direct(ct_arena *arena, const ct_lti *l, size_t i, size_t j, double complex s)
{
    size_t n = l->n, m = l->m, w = n + 1;
    double complex *a = CT_NEW_ARRAY(arena, double complex, n *w), y = 0;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++)
            a[r * w + c] = (l->W ? s * l->W[r * n + c] : r == c ? s : 0) - l->A[r * n + c];
        a[r * w + n] = l->B[r * m + j] + (l->E ? s * l->E[r * m + j] : 0);
    }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t r = k; r < n; r++)
            best = cabs(a[r * w + k]) > cabs(a[best * w + k]) ? r : best;
        for (size_t c = 0; c < w; c++) {
            double complex t = a[k * w + c];
            a[k * w + c] = a[best * w + c];
            a[best * w + c] = t;
        }
        for (size_t r = 0; r < n; r++)
            for (size_t c = w; r != k && c-- > k;)
                a[r * w + c] -= a[r * w + k] / a[k * w + k] * a[k * w + c];
    }
    for (size_t k = 0; k < n; k++)
        y += l->C[i * n + k] * a[k * w + n] / a[k * w + k];
    return y + (l->D ? l->D[i * m + j] : 0) + (l->F ? s * l->F[i * m + j] : 0);
}

/* kind: 0 plain, 1 with D, 2 with E, 3 with E and F, 4 descriptor with rows of zeros */
static ct_lti random_system(ct_arena *arena, dice *d, int kind)
{
    ct_lti l = {.n = 1 + (uint32_t)(7 * fabs(throw_dice(d)))};
    l.m = 1 + (uint32_t)(2.99 * fabs(throw_dice(d)));
    l.p = 1 + (uint32_t)(2.99 * fabs(throw_dice(d)));
    double *a = random_matrix(arena, d, l.n, l.n);
    for (size_t i = 0; i < l.n; i++)
        a[i * l.n + i] -= 2.5; /* stable, mostly */
    l.A = a;
    l.B = random_matrix(arena, d, l.n, l.m);
    l.C = random_matrix(arena, d, l.p, l.n);
    if (kind >= 1)
        l.D = random_matrix(arena, d, l.p, l.m);
    if (kind >= 2)
        l.E = random_matrix(arena, d, l.n, l.m);
    if (kind >= 3)
        l.F = random_matrix(arena, d, l.p, l.m);
    if (kind == 4) {
        double *w = random_matrix(arena, d, l.n, l.n);
        memset(w, 0, l.n / 3 * l.n * sizeof(double));
        for (size_t i = l.n / 3; i < l.n; i++)
            w[i * l.n + i] += 3;
        l.W = product(arena, rotation(arena, d, l.n), w, l.n, l.n, l.n);
    }
    return l;
}

/* ---- frequency response -------------------------------------------------------------------- */

static void check_frequency(ct_arena *arena, const ct_lti *l)
{
    const double omega[] = {0.01, 0.3, 1, 4, 50};
    double complex *value = CT_NEW_ARRAY(arena, double complex, (size_t)5 * l->p * l->m);
    ct_lti_frequency(arena, l, omega, 5, value);
    for (uint32_t i = 0; i < l->p; i++)
        for (uint32_t j = 0; j < l->m; j++) {
            ct_transfer t = ct_lti_transfer(arena, l, i, j);
            double db[5], deg[5];
            ct_transfer_bode(&t, omega, 5, db, deg);
            for (size_t k = 0; k < 5; k++) {
                double complex s = omega[k] * I, want = direct(arena, l, i, j, s), num = 0, den = 0;
                double scale = 1e-9 * (1e-3 + cabs(want));
                near_complex(value[(k * l->p + i) * l->m + j], want, scale, "Hessenberg");
                near_complex(ct_transfer_at(&t, s), want, scale, "factors");
                for (uint32_t c = 0; c < t.num_count; c++)
                    num = num * s + t.num[c];
                for (uint32_t c = 0; c < t.den_count; c++)
                    den = den * s + t.den[c];
                near_complex(num / den, want, scale, "coefficients");
                near_complex(pow(10, db[k] / 20) * cexp(deg[k] * pi / 180 * I), want, scale,
                             "Bode");
            }
        }
}

static void test_frequency(void **state)
{
    dice d = {11};
    for (int trial = 0; trial < 400; trial++) {
        ct_arena *arena = ct_arena_new(*state);
        ct_lti l = random_system(arena, &d, trial % 5);
        check_frequency(arena, &l);
        ct_arena_free(arena);
    }
}

/* The phase does not jump: neighbours on a fine scale are close. */
static void test_phase(void **state)
{
    enum { COUNT = 4000 };
    dice d = {5};
    const double *omega = ct_lti_spaced(ARENA, 1e-3, 1e3, COUNT);
    double *db = CT_NEW_ARRAY(ARENA, double, COUNT), *deg = CT_NEW_ARRAY(ARENA, double, COUNT);
    for (int trial = 0; trial < 50; trial++) {
        ct_lti l = random_system(ARENA, &d, 1);
        ct_transfer t = ct_lti_transfer(ARENA, &l, 0, 0);
        ct_transfer_bode(&t, omega, COUNT, db, deg);
        for (int k = 1; k < COUNT; k++)
            assert_true(fabs(deg[k] - deg[k - 1]) < 30);
    }
}

/* ---- step and impulse ---------------------------------------------------------------------- */

/* Laplace's integral by Simpson's rule, to the time at which exp(-s t) has vanished. */
static double laplace(const double *y, size_t stride, uint32_t count, double h, double s)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += y[k * stride] * exp(-s * k * h) * (k == 0 || k + 1 == count ? 1 : k % 2 ? 4 : 2);
    return sum * h / 3;
}

static void test_responses(void **state)
{
    enum { COUNT = 6001 };
    const double h = 0.005, s = 1.2;
    double times[COUNT];
    dice d = {23};
    for (int k = 0; k < COUNT; k++)
        times[k] = k * h;
    for (int trial = 0; trial < 60; trial++) {
        ct_arena *arena = ct_arena_new(*state);
        ct_lti l = random_system(arena, &d, trial % 3);
        uint32_t count;
        const ct_mode *pole = ct_lti_poles(arena, &l, &count);
        double *y = CT_NEW_ARRAY(arena, double, (size_t)COUNT *l.p);
        double *g = CT_NEW_ARRAY(arena, double, (size_t)COUNT *l.p);
        double last = 1e9;
        if (pole[0].re < 0.1) {
            ct_lti_step(arena, &l, 0, times, COUNT, y);
            ct_lti_impulse(arena, &l, 0, times, COUNT, g);
        }
        for (uint32_t i = 0; pole[0].re < 0.1 && i < l.p; i++) {
            double want = creal(direct(arena, &l, i, 0, s));
            double at_once = creal(direct(arena, &l, i, 0, last));
            near(laplace(y + i, l.p, COUNT, h, s) * s, want, 1e-7, "step");
            near(laplace(g + i, l.p, COUNT, h, s), want - at_once, 1e-7, "impulse");
        }
        ct_arena_free(arena);
    }
}

/* ---- known parts --------------------------------------------------------------------------- */

/* Blocks with known roots on the diagonal, anything above, turned. */
static double *build_spectrum(ct_arena *arena, dice *d, uint32_t n, double complex *root)
{
    double *a = random_matrix(arena, d, n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            a[i * n + k] = 0;
    for (size_t i = 0; i < n; i++) {
        double re = -3 * (1 + (double)i) + throw_dice(d), im = 1.5 + throw_dice(d);
        bool pair = i + 1 < n && i % 3 == 1;
        a[i * n + i] = re;
        root[i] = re;
        if (!pair)
            continue;
        a[i * n + i + 1] = im;
        a[(i + 1) * n + i] = -im;
        a[(i + 1) * n + i + 1] = re;
        root[i] = re + im * I;
        root[++i] = re - im * I;
    }
    double *q = rotation(arena, d, n);
    return product(arena, product(arena, q, a, n, n, n), transposed(arena, q, n, n), n, n, n);
}

static void test_known_poles(void **state)
{
    dice d = {99};
    for (int trial = 0; trial < 100; trial++) {
        uint32_t n = 1 + (uint32_t)trial % 20, count;
        double complex root[20];
        ct_lti l = {.n = n, .A = build_spectrum(ARENA, &d, n, root)};
        const ct_mode *pole = ct_lti_poles(ARENA, &l, &count);
        same_roots(pole, count, root, n, 1e-8, "turned");
        double *w = random_matrix(ARENA, &d, n, n);
        for (size_t i = 0; i < n; i++)
            w[i * n + i] += 3 + n;
        l.A = product(ARENA, w, l.A, n, n, n);
        l.W = w;
        pole = ct_lti_poles(ARENA, &l, &count);
        same_roots(pole, count, root, n, 1e-8, "with W");
    }
}

/* Jordan's blocks: off by roots of the rounding errors, as sets still the same. */
static void test_defective(void **state)
{
    dice d = {4};
    for (int trial = 0; trial < 20; trial++) {
        double a[] = {-2, 1, 0, 0, 0, -2, 0, 0, 0, 0, -5, 0, 0, 0, 0, -7};
        double *q = rotation(ARENA, &d, 4), *t = transposed(ARENA, q, 4, 4);
        ct_lti l = {.n = 4, .A = product(ARENA, product(ARENA, q, a, 4, 4, 4), t, 4, 4, 4)};
        uint32_t count;
        const ct_mode *pole = ct_lti_poles(ARENA, &l, &count);
        same_roots(pole, count, (const double complex[]){-2, -2, -5, -7}, 4, 8 * sqrt(DBL_EPSILON),
                   "defective");
    }
}

/* Of n states the first c are reached, of all the last n - o are not seen; turned, and in units
 * many decades apart. */
static void test_ranks(void **state)
{
    dice d = {17};
    for (int trial = 0; trial < 300; trial++) {
        ct_arena *arena = ct_arena_new(*state);
        uint32_t n = 2 + (uint32_t)trial % 24, c = n * (uint32_t)(trial % 5) / 5,
                 m = 1 + (uint32_t)trial % 2;
        double *a = random_matrix(arena, &d, n, n), *b = random_matrix(arena, &d, n, m);
        double *one = random_matrix(arena, &d, 1, n);
        for (uint32_t i = c; i < n; i++) { /* states from c on get nothing from those before */
            for (uint32_t k = 0; k < c; k++)
                a[i * n + k] = 0;
            for (uint32_t k = 0; k < m; k++)
                b[i * m + k] = 0;
        }
        double *q = rotation(arena, &d, n), *t = transposed(arena, q, n, n);
        a = product(arena, product(arena, q, a, n, n, n), t, n, n, n);
        b = product(arena, q, b, n, n, m);
        for (uint32_t i = 0; trial % 3 == 0 && i < n; i++) {
            double unit = pow(10, 6 * throw_dice(&d));
            for (uint32_t k = 0; k < n; k++) {
                a[i * n + k] *= unit;
                a[k * n + i] /= unit;
            }
            for (uint32_t k = 0; k < m; k++)
                b[i * m + k] *= unit;
            one[i] /= unit;
        }
        ct_lti l = {.n = n, .m = m, .p = 1, .A = a, .B = b, .C = one};
        ct_lti_rank rank = ct_lti_ranks(arena, &l);
        if (rank.controllable != c)
            fail_msg("trial %d: %u of %u reached instead of %u", trial, rank.controllable, n, c);
        assert_int_equal(rank.observable, n);
        double *at = transposed(arena, a, n, n), *bt = transposed(arena, b, n, m);
        ct_lti turned = {.n = n, .m = 1, .p = m, .A = at, .B = one, .C = bt};
        rank = ct_lti_ranks(arena, &turned);
        assert_int_equal(rank.observable, c);
        assert_int_equal(rank.controllable, n);
        assert_int_equal(rank.minimal, c);
        ct_arena_free(arena);
    }
}

/* Many states and one input, modes in a small disc: hardly any is easy to reach, but all are. */
static void test_ranks_large(void **state)
{
    dice d = {5};
    for (uint32_t n = 20; n <= 80; n += 20) {
        double *a = random_matrix(ARENA, &d, n, n), *b = random_matrix(ARENA, &d, n, 1);
        for (size_t i = 0; i < n; i++)
            a[i * n + i] -= 0.7 * n;
        ct_lti l = {.n = n, .m = 1, .p = 1, .A = a, .B = b, .C = random_matrix(ARENA, &d, 1, n)};
        ct_lti_rank rank = ct_lti_ranks(ARENA, &l);
        assert_int_equal(rank.controllable, n);
        assert_int_equal(rank.observable, n);
        assert_int_equal(rank.minimal, n);
    }
}

/* At a zero of the whole system G times some u vanishes: the determinant, where square. */
static void test_random_zeros(void **state)
{
    dice d = {31};
    for (int trial = 0; trial < 100; trial++) {
        ct_lti l = {.n = 5, .m = 2, .p = trial % 4 == 3 ? 3 : 2};
        uint32_t count;
        l.A = random_matrix(ARENA, &d, l.n, l.n);
        l.B = random_matrix(ARENA, &d, l.n, l.m);
        l.C = random_matrix(ARENA, &d, l.p, l.n);
        l.D = trial % 2 ? random_matrix(ARENA, &d, l.p, l.m) : NULL;
        l.F = trial % 3 == 1 ? random_matrix(ARENA, &d, l.p, l.m) : NULL;
        const ct_mode *zero = ct_lti_zeros(ARENA, &l, CT_LTI_ALL, CT_LTI_ALL, &count);
        assert_int_equal(count, l.p == 3 ? 0 : l.F ? 7 : l.D ? 5 : 3);
        for (uint32_t k = 0; k < count; k++) {
            double complex s = zero[k].re + zero[k].im * I;
            double complex a = direct(ARENA, &l, 0, 0, s), b = direct(ARENA, &l, 0, 1, s);
            double complex c = direct(ARENA, &l, 1, 0, s), e = direct(ARENA, &l, 1, 1, s);
            near_complex(a * e - b * c, 0, 1e-9 * (cabs(a * e) + cabs(b * c)), "determinant");
        }
    }
}

/* ---- scipy --------------------------------------------------------------------------------- */

static void put_matrix(FILE *to, const char *name, const double *a, size_t rows, size_t cols)
{
    fprintf(to, "%s %zu %zu", name, rows, cols);
    for (size_t i = 0; i < rows * cols; i++)
        fprintf(to, " %.17g", a ? a[i] : 0);
    fputc('\n', to);
}

/* The system and our answers; scipy.py complains about what differs. */
static void put_system(FILE *to, ct_arena *arena, const ct_lti *l)
{
    enum { COUNT = 50 };
    uint32_t poles, zeros;
    double times[COUNT], *y = CT_NEW_ARRAY(arena, double, (size_t)COUNT * l->p), *part;
    for (int k = 0; k < COUNT; k++)
        times[k] = 0.1 * k;
    const ct_mode *pole = ct_lti_poles(arena, l, &poles);
    const ct_mode *zero = ct_lti_zeros(arena, l, 0, 0, &zeros);
    ct_lti_step(arena, l, 0, times, COUNT, y);
    put_matrix(to, "A", l->A, l->n, l->n);
    put_matrix(to, "B", l->B, l->n, l->m);
    put_matrix(to, "C", l->C, l->p, l->n);
    put_matrix(to, "D", l->D, l->p, l->m);
    part = CT_NEW_ARRAY(arena, double, 2 * (size_t)(poles + zeros));
    for (uint32_t k = 0; k < poles + zeros; k++) {
        part[2 * k] = k < poles ? pole[k].re : zero[k - poles].re;
        part[2 * k + 1] = k < poles ? pole[k].im : zero[k - poles].im;
    }
    put_matrix(to, "poles", part, poles, 2);
    put_matrix(to, "zeros", part + 2 * (size_t)poles, zeros, 2);
    put_matrix(to, "gain", ct_lti_dc_gain(arena, l), l->p, l->m);
    put_matrix(to, "times", times, 1, COUNT);
    put_matrix(to, "step", y, COUNT, l->p);
    fputs("end\n", to);
}

static const char *find_python(void)
{
    static const char *const name[] = {"/usr/bin/python3", "python3"};
    char command[128];
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s -c 'import scipy.signal' 2> /dev/null", name[i]);
        if (system(command) == 0)
            return name[i];
    }
    return NULL;
}

static void test_scipy(void **state)
{
    const char *python = find_python();
    char command[256];
    dice d = {41};
    if (!python) {
        print_message("scipy is not installed\n");
        skip();
    }
    snprintf(command, sizeof command, "%s %s/tests/unit/lti_scipy.py", python, COTREE_ROOT);
    FILE *to = popen(command, "w");
    assert_non_null(to);
    for (int trial = 0; trial < 60; trial++) {
        ct_lti l = random_system(ARENA, &d, trial % 2);
        put_system(to, ARENA, &l);
    }
    assert_int_equal(pclose(to), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frequency, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_phase, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_responses, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_known_poles, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_defective, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_ranks, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_ranks_large, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_random_zeros, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_scipy, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

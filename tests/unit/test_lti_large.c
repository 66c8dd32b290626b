/* test_lti_large.c - linear systems of many states (src/study/lti_frequency.c, lti_curve.c):
 * ladders against their own recursion, and small systems among states that nothing reaches, whose
 * curves are then followed point by point, against those by factors. */
#include "study/lti_merit.h"
#include "test_context.h"
#include "test_lti.h"

/* ---- ladders ------------------------------------------------------------------------------- */

/* u behind a resistance of one, n pairs of inductance and capacitance with losses, and a load. */
typedef struct ladder {
    uint32_t n;
    double l, c, r, load;
} ladder;

static ct_lti ladder_system(ct_arena *arena, const ladder *d)
{
    ct_lti lti = {.n = 2 * d->n, .m = 1, .p = 2};
    size_t n = lti.n;
    double *a = CT_NEW_ARRAY(arena, double, n *n), *b = CT_NEW_ARRAY(arena, double, n);
    double *c = CT_NEW_ARRAY(arena, double, 2 * n);
    for (size_t k = 0; k < d->n; k++) {
        size_t i = 2 * k, v = i + 1; /* current through, voltage behind */
        a[i * n + i] = -(d->r + (k ? 0 : 1)) / d->l;
        a[i * n + v] = -1 / d->l;
        if (k)
            a[i * n + i - 1] = 1 / d->l;
        a[v * n + i] = 1 / d->c;
        *(k + 1 < d->n ? &a[v * n + v + 1] : &a[v * n + v]) =
            -(k + 1 < d->n ? 1 : 1 / d->load) / d->c;
    }
    b[0] = 1 / d->l;
    c[n - 1] = 1; /* voltage at the load */
    c[n] = 1;     /* current of the source */
    lti.A = a;
    lti.B = b;
    lti.C = c;
    return lti;
}

/* From the load back to the source. */
static void ladder_exact(const ladder *d, double complex s, double complex g[2])
{
    double complex v = 1, i = 1 / d->load;
    for (uint32_t k = 0; k < d->n; k++) {
        i += s * d->c * v;
        v += (d->r + s * d->l) * i;
    }
    g[0] = 1 / (v + i);
    g[1] = i / (v + i);
}

static void check_ladder(ct_arena *arena, const ladder *d)
{
    enum { COUNT = 120 };
    const double fastest = 2 / sqrt(d->l * d->c);
    const double *omega = ct_lti_spaced(arena, 1e-3 * fastest, 0.999 * fastest, COUNT);
    double db[COUNT], deg[COUNT];
    ct_lti lti = ladder_system(arena, d);
    ct_locus *curve = NULL;
    for (uint32_t out = 0; out < 2; out++) {
        curve = ct_locus_new(arena, &lti, out, 0, curve);
        ct_locus_span(curve, omega[0], omega[COUNT - 1]);
        ct_locus_bode(curve, omega, COUNT, db, deg);
        for (int k = 0; k < COUNT; k++) {
            double complex g[2], got = pow(10, db[k] / 20) * cexp(deg[k] * pi / 180 * I);
            ladder_exact(d, omega[k] * I, g);
            if (!(cabs(got - g[out]) <= 1e-9 * cabs(g[out])))
                fail_msg("%u cells, output %u, at %g: %.12g%+.12gi instead of %.12g%+.12gi", d->n,
                         out, omega[k] / fastest, creal(got), cimag(got), creal(g[out]),
                         cimag(g[out]));
        }
    }
    /* all the delay of the cells is in the phase: nearly half a turn each at the end */
    curve = ct_locus_new(arena, &lti, 0, 0, curve);
    ct_locus_span(curve, omega[0], omega[COUNT - 1]);
    ct_locus_bode(curve, omega, COUNT, db, deg);
    assert_true(deg[COUNT - 1] < -180.0 * d->n * 0.9 && deg[COUNT - 1] > -180.0 * (d->n + 1));
}

static void test_ladders(void **state)
{
    const ladder rows[] = {{10, 1, 1, 0, 1},
                           {60, 1, 1, 0.01, 3},
                           {60, 2.5e-9, 1e-12, 0, 50},
                           {75, 0.01, 0.01, 0.002, 3},
                           {105, 0.1, 0.2, 1e-4, 0.2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ct_arena *arena = ct_arena_new(*state);
        check_ladder(arena, &rows[k]);
        ct_arena_free(arena);
    }
}

/* Its entries, and the voltage at the load once more as an unknown without a rate. */
static ct_lti_sparse ladder_entries(ct_arena *arena, const ladder *d)
{
    uint32_t n = 2 * d->n, count = 0;
    ct_lti_entry *a = CT_NEW_ARRAY(arena, ct_lti_entry, 4 * (size_t)n + 2);
    ct_lti_entry *c = CT_NEW_ARRAY(arena, ct_lti_entry, 2);
    double *b = CT_NEW_ARRAY(arena, double, n + (size_t)1);
    a[count++] = (ct_lti_entry){n, n, -2};
    for (uint32_t k = d->n; k-- > 0;) {
        uint32_t i = 2 * k, v = i + 1;
        a[count++] = (ct_lti_entry){v, i, 1 / d->c};
        a[count++] = k + 1 < d->n ? (ct_lti_entry){v, v + 1, -1 / d->c}
                                  : (ct_lti_entry){v, v, -1 / d->load / d->c};
        a[count++] = (ct_lti_entry){i, v, -1 / d->l};
        if (d->r > 0 || k == 0)
            a[count++] = (ct_lti_entry){i, i, -(d->r + (k ? 0 : 1)) / d->l};
        if (k)
            a[count++] = (ct_lti_entry){i, i - 1, 1 / d->l};
    }
    a[count++] = (ct_lti_entry){n, n - 1, 2};
    b[0] = 1 / d->l;
    c[0] = (ct_lti_entry){1, 0, 1};
    c[1] = (ct_lti_entry){0, n, 1};
    return (ct_lti_sparse){.n = n + 1,
                           .m = 1,
                           .p = 2,
                           .differential = n,
                           .a_count = count,
                           .c_count = 2,
                           .a = a,
                           .c = c,
                           .B = b};
}

static void test_entries(void **state)
{
    const ladder rows[] = {{1, 1, 1, 0, 1}, {60, 1, 1, 0.01, 3}, {5000, 1, 1, 1e-3, 2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ct_arena *arena = ct_arena_new(*state);
        ct_lti_sparse system = ladder_entries(arena, &rows[k]);
        ct_lti_sweep *sweep = ct_lti_sweep_sparse(arena, &system);
        for (double omega = 1e-3; omega < 1.9; omega *= 7)
            for (uint32_t out = 0; out < 2; out++) {
                double complex g[2];
                double error;
                double complex got = ct_lti_sweep_at(sweep, out, 0, omega * I, &error);
                ladder_exact(&rows[k], omega * I, g);
                assert_true(cabs(got - g[out]) <= 1e-10 * cabs(g[out]) + 1e-300);
                assert_true(error < 1e-9 * cabs(g[out]) + 1e-300);
            }
        ct_arena_free(arena);
    }
}

/* Many points at once, and W by its entries: rows of some are scaled, as those of networks are. */
static void test_many_points(void **state)
{
    enum { POINTS = 11 };
    const ladder rows[] = {{1, 1, 1, 0, 1}, {60, 1, 1, 0.01, 3}, {3000, 1e-3, 1e-9, 1e-3, 50}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ct_arena *arena = ct_arena_new(*state);
        ct_lti_sparse system = ladder_entries(arena, &rows[k]);
        ct_lti_entry *w = CT_NEW_ARRAY(arena, ct_lti_entry, system.differential + (size_t)1);
        double complex s[POINTS], y[2 * POINTS], g[2];
        double top = 1.9 / sqrt(rows[k].l * rows[k].c);
        for (uint32_t i = 0; i < system.differential; i++)
            w[i] = (ct_lti_entry){i, i, 1};
        system.w = w;
        system.w_count = system.differential;
        for (int i = 0; i < POINTS; i++)
            s[i] = I * top * pow(10, -0.3 * i);
        ct_lti_sweep_all(ct_lti_sweep_sparse(arena, &system), 0, s, POINTS, y, arena);
        for (int i = 0; i < POINTS; i++) {
            ladder_exact(&rows[k], s[i], g);
            for (int out = 0; out < 2; out++)
                assert_true(cabs(y[2 * i + out] - g[out]) <= 1e-8 * cabs(g[out]) + 1e-290);
        }
        ct_arena_free(arena);
    }
}

/* ---- among many states --------------------------------------------------------------------- */

static ct_lti among_many(ct_arena *arena, const ct_lti *l)
{
    ct_lti out = *l;
    size_t n = out.n = l->n + CT_LTI_FACTORS;
    double *a = CT_NEW_ARRAY(arena, double, n *n), *b = CT_NEW_ARRAY(arena, double, n);
    double *c = CT_NEW_ARRAY(arena, double, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            a[i * n + k] = i < l->n && k < l->n ? l->A[i * l->n + k] : -(double)(i == k);
    memcpy(b, l->B, l->n * sizeof *b);
    memcpy(c, l->C, l->n * sizeof *c);
    out.A = a;
    out.B = b;
    out.C = c;
    return out;
}

static void same_curve(ct_arena *arena, const ct_lti *l, const char *what)
{
    enum { COUNT = 60 };
    const double *omega = ct_lti_spaced(arena, 0.0123, 87.6, COUNT);
    double db[2][COUNT], deg[2][COUNT];
    ct_lti many = among_many(arena, l);
    ct_transfer t = ct_lti_transfer(arena, l, 0, 0);
    ct_locus *curve = ct_locus_new(arena, &many, 0, 0, NULL);
    assert_true(t.right);
    assert_false(ct_locus_transfer(curve)->right);
    ct_transfer_bode(&t, omega, COUNT, db[0], deg[0]);
    ct_locus_span(curve, omega[0], omega[COUNT - 1]);
    ct_locus_bode(curve, omega, COUNT, db[1], deg[1]);
    for (int k = 0; k < COUNT; k++)
        if (!(fabs(db[0][k] - db[1][k]) < 1e-6 && fabs(deg[0][k] - deg[1][k]) < 1e-5))
            fail_msg("%s at %g: %g dB, %g deg instead of %g dB, %g deg", what, omega[k], db[1][k],
                     deg[1][k], db[0][k], deg[0][k]);
}

static void test_followed(void **state)
{
    const struct {
        const char *what;
        uint32_t n;
        double a[4], b[2], c[2], d;
    } rows[] = {
        {"pair", 2, {0, 1, -4, -0.02}, {0, 1}, {1, 0}, 0},
        {"undamped", 2, {0, 1, -4, 0}, {0, 1}, {1, 0}, 0},
        {"negative", 1, {-2}, {-3}, {1}, 0},
        {"integrator", 1, {0}, {5}, {1}, 0},
        {"two of them", 2, {0, 1, 0, 0}, {0, 1}, {1, 0}, 0},
        {"growing", 1, {3}, {1}, {1}, 0},
        {"wrong way", 2, {0, 1, -2, -3}, {0, 1}, {1, -1}, 0},
        {"zeros on the axis", 2, {0, 1, -9, -1}, {0, 1}, {-8, -1}, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        same_curve(ARENA,
                   &(ct_lti){.n = rows[k].n,
                             .m = 1,
                             .p = 1,
                             .A = rows[k].a,
                             .B = rows[k].b,
                             .C = rows[k].c,
                             .D = &rows[k].d},
                   rows[k].what);
    dice d = {77};
    for (int trial = 0; trial < 2; trial++) {
        double *a = random_matrix(ARENA, &d, 6, 6);
        ct_lti l = {.n = 6, .m = 1, .p = 1, .A = a};
        l.B = random_matrix(ARENA, &d, 6, 1);
        l.C = random_matrix(ARENA, &d, 1, 6);
        same_curve(ARENA, &l, "random");
    }
}

/* Margins of a loop do not change by states that nothing reaches. */
static void test_margins(void **state)
{
    const double a[] = {0, 1, 0, 0, 0, 1, 0, -2, -3}, b[] = {0, 0, 1}, c[] = {1, 0, 0};
    ct_lti l = {.n = 3, .m = 1, .p = 1, .A = a, .B = b, .C = c}, many = among_many(ARENA, &l);
    ct_margins x = ct_lti_margins(ARENA, &l, 0, 0), y = ct_lti_margins(ARENA, &many, 0, 0);
    assert_int_equal(y.gain_count, 1);
    assert_int_equal(y.phase_count, 1);
    near(y.gain->margin, x.gain->margin, 1e-6, "gain margin");
    near(y.gain->omega, sqrt(2), 1e-6, "where");
    near(y.phase->margin, x.phase->margin, 1e-6, "phase margin");
    assert_true(y.known && y.stable);
    assert_false(ct_lti_step_merit(ARENA, &many, 0, 0).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ladders, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_entries, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_many_points, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_followed, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_margins, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_fe.c - bodies from matrices of finite elements: the beam as matrices and as a beam, static
 * shapes, the reduction itself. Matrices come from tests/fe/make.py; random ones are in
 * tests/campaign/finite.py. */
#include "solve/craig.h"
#include "test_simulate.h"

static trial begin(const char *path, const double *times, uint32_t count)
{
    trial t = new_trial(path);
    t.def.tol = 1e-9;
    t.def.times = times;
    t.def.time_count = count;
    must_run(&t);
    return t;
}

static void compare(trial *t, const char *const pair[][2], uint32_t count, double time)
{
    for (uint32_t i = 0; i < count; i++)
        close_to(value_at(t, pair[i][0], time), value_at(t, pair[i][1], time), 3e-5, pair[i][0]);
}

static void test_pendulum(void **state)
{
    static const char *const pair[][2] = {
        {"f.tip.x", "b.tip.x"}, {"f.tip.y", "b.tip.y"}, {"f.tip.theta", "b.tip.theta"}};
    const double times[] = {0, 0.3, 1};
    (void)state;
    trial t = begin("models/flexible_pendulum/matrices.lg", times, 3);
    compare(&t, pair, 3, 0.3);
    compare(&t, pair, 3, 1);
    close_to(value_at(&t, "E", 1), value_at(&t, "E", 0), 1e-7, "energy");
    end_trial(&t);
}

static void test_space(void **state)
{
    static const char *const pair[][2] = {
        {"f.tip.x", "b.tip.x"}, {"f.tip.y", "b.tip.y"}, {"f.tip.z", "b.tip.z"}};
    const double times[] = {0, 0.3};
    (void)state;
    trial t = begin("tests/fe/beam_space.lg", times, 2);
    compare(&t, pair, 3, 0.3);
    close_to(value_at(&t, "E", 0.3), value_at(&t, "E", 0), 1e-6, "energy");
    end_trial(&t);
}

/* P L^3/(3 E I), P L^2/(2 E I), F L/(E A), without a single mode. */
static void test_static(void **state)
{
    (void)state;
    trial t = new_trial("tests/fe/static.lg");
    t.equilibrium = true;
    run_trial(&t);
    assert_non_null(t.point);
    const double want[] = {2 + 1e-6, -8e-3, -6e-3, 3};
    for (uint32_t i = 0; i < 4; i++)
        close_to(t.point->y[i], want[i], 1e-10, "tip");
    end_trial(&t);
}

/* ---- numbers */

/* A chain of n masses 1 and springs 1: its ends, or the first mass, are held. */
static void make_chain(ct_arena *arena, uint32_t n, ct_symmetric *mass, ct_symmetric *stiffness)
{
    int *start = CT_NEW_ARRAY(arena, int, n + 1), *row = CT_NEW_ARRAY(arena, int, 3 * n),
        *own = CT_NEW_ARRAY(arena, int, n + 1), count = 0;
    double *value = CT_NEW_ARRAY(arena, double, 3 * n), *one = CT_NEW_ARRAY(arena, double, n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i ? i - 1 : 0; k <= i + 1 && k < n; k++) {
            row[count] = (int)k;
            value[count++] = k != i ? -1 : i == 0 || i == n - 1 ? 1 : 2;
        }
        start[i + 1] = count;
        own[i + 1] = (int)i + 1;
        one[i] = 1;
    }
    *stiffness = (ct_symmetric){n, start, row, value};
    row = CT_NEW_ARRAY(arena, int, n);
    for (uint32_t i = 0; i < n; i++)
        row[i] = (int)i;
    *mass = (ct_symmetric){n, own, row, one};
}

/* Between held ends omega_k = 2 sin(k pi/(2 (n - 1))); static shapes are straight lines. */
static void test_chain(void **state)
{
    enum { N = 400, MODES = 6 };
    ct_context *ctx = ct_context_new(NULL);
    ct_arena *arena = ct_arena_new(ctx);
    ct_symmetric mass, stiffness;
    bool held[N] = {[0] = true, [N - 1] = true};
    double mass_of[MODES + 1];
    (void)state;
    make_chain(arena, N, &mass, &stiffness);
    ct_shape_set end = {N, 1, CT_NEW_ARRAY(arena, double, N)};
    ct_shape_set out = {N, 0, CT_NEW_ARRAY(arena, double, N *(MODES + 1))};
    end.at[N - 1] = 1;
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, held, &end, MODES, &out),
                     CT_CRAIG_DONE);
    assert_int_equal(out.count, MODES + 1);
    for (uint32_t i = 0; i < N; i++)
        close_to(out.at[i], (double)i / (N - 1), 1e-10, "line");
    out.at += N, out.count--;
    ct_shapes_part(arena, &mass, &stiffness, &out, mass_of);
    for (uint32_t k = 1; k <= MODES; k++) {
        double want = 2 * sin(k * acos(-1.0) / (2 * (N - 1)));
        close_to(sqrt(1 / mass_of[k - 1]) / want, 1, 1e-10, "frequency");
    }
    ct_context_free(ctx);
}

/* What no body has is refused. */
static void test_status(void **state)
{
    enum { N = 6 };
    ct_context *ctx = ct_context_new(NULL);
    ct_arena *arena = ct_arena_new(ctx);
    ct_symmetric mass, stiffness;
    bool none[N] = {false}, first[N] = {true};
    ct_shape_set end = {N, 0, NULL}, out = {N, 0, CT_NEW_ARRAY(arena, double, N *N)};
    (void)state;
    make_chain(arena, N, &mass, &stiffness);
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, none, &end, 1, &out),
                     CT_CRAIG_LOOSE);
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, first, &end, 1, &out),
                     CT_CRAIG_DONE);
    double *value = CT_NEW_ARRAY(arena, double, 3 * N);
    memcpy(value, mass.value, N * sizeof *value);
    value[3] = -1;
    mass.value = value;
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, first, &end, 1, &out),
                     CT_CRAIG_WEIGHT);
    make_chain(arena, N, &mass, &stiffness);
    memcpy(value, stiffness.value, (size_t)stiffness.start[N] * sizeof *value);
    value[stiffness.start[3] + 1] = -3;
    stiffness.value = value;
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, first, &end, 1, &out),
                     CT_CRAIG_UNSTABLE);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum), cmocka_unit_test(test_space),
        cmocka_unit_test(test_static),   cmocka_unit_test(test_chain),
        cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

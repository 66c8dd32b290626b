/* test_solve_project.c - invariants kept by projection: a pendulum in Cartesian coordinates, one
 * rod or many. */
#include "test_solve.h"

#include <math.h>

#include "solve/problem.h"
#include "solve/project.h"
#include "base/context.h"
#include "solve/partition.h"

static const double g = 9.81;

/* z = (x, y, vx, vy) of each of `count` pendulums of length 1. */
typedef struct rods {
    uint32_t count;
    uint32_t start[4 * 64 + 1], row[6 * 64], jacobian_start[4 * 64 + 1], jacobian_row[16 * 64];
} rods;

static void evaluate(void *user, double t, const double *z, double *f)
{
    const rods *r = user;
    (void)t;
    for (uint32_t i = 0; i < r->count; i++, z += 4, f += 4) {
        double pull = (z[2] * z[2] + z[3] * z[3] - g * z[1]) / (z[0] * z[0] + z[1] * z[1]);
        f[0] = z[2], f[1] = z[3];
        f[2] = -pull * z[0], f[3] = -g - pull * z[1];
    }
}

/* By differences: enough for Newton. */
static void jacobian(void *user, double t, const double *z, double *value)
{
    const rods *r = user;
    rods one = {.count = 1};
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t j = 0; j < 4; j++) {
            double a[4], b[4], fa[4], fb[4], h = 1e-6;
            for (uint32_t k = 0; k < 4; k++)
                a[k] = b[k] = z[4 * i + k];
            a[j] -= h, b[j] += h;
            evaluate(&one, t, a, fa);
            evaluate(&one, t, b, fb);
            for (uint32_t k = 0; k < 4; k++)
                *value++ = (fb[k] - fa[k]) / (2 * h);
        }
}

static void invariants(void *user, double t, const double *z, double *c)
{
    const rods *r = user;
    (void)t;
    for (uint32_t i = 0; i < r->count; i++, z += 4) {
        c[2 * i] = z[0] * z[0] + z[1] * z[1] - 1;
        c[2 * i + 1] = z[0] * z[2] + z[1] * z[3];
    }
}

static void invariant_slope(void *user, double t, const double *z, double *value)
{
    const rods *r = user;
    (void)t;
    for (uint32_t i = 0; i < r->count; i++, z += 4, value += 6) {
        value[0] = 2 * z[0], value[1] = z[2], value[2] = 2 * z[1];
        value[3] = z[3], value[4] = z[0], value[5] = z[1];
    }
}

static void make_rods(rods *r, uint32_t count, ct_problem *p)
{
    r->count = count;
    for (uint32_t i = 0; i < count; i++) {
        static const uint32_t width[] = {2, 2, 1, 1}, which[] = {0, 1, 0, 1, 1, 1};
        for (uint32_t j = 0; j < 4; j++) {
            r->start[4 * i + j + 1] = r->start[4 * i + j] + width[j];
            r->jacobian_start[4 * i + j + 1] = r->jacobian_start[4 * i + j] + 4;
            for (uint32_t k = 0; k < 4; k++)
                r->jacobian_row[16 * i + 4 * j + k] = 4 * i + k;
        }
        for (uint32_t k = 0; k < 6; k++)
            r->row[6 * i + k] = 2 * i + which[k];
    }
    *p = (ct_problem){.user = r,
                      .n = 4 * count,
                      .evaluate = evaluate,
                      .start = r->jacobian_start,
                      .row = r->jacobian_row,
                      .jacobian = jacobian,
                      .invariant_count = 2 * count,
                      .invariants = invariants,
                      .invariant_start = r->start,
                      .invariant_row = r->row,
                      .invariant_slope = invariant_slope};
}

/* Each rod starts level and at rest, the next one a bit lower. */
static void start_rods(uint32_t count, double *z)
{
    for (uint32_t i = 0; i < count; i++, z += 4) {
        double angle = -0.01 * i;
        z[0] = cos(angle), z[1] = sin(angle), z[2] = z[3] = 0;
    }
}

typedef struct watch {
    const rods *r;
    double worst_c, worst_energy;
} watch;

static bool watch_row(void *user, double t, const double *z, const double *dx)
{
    watch *w = user;
    double c[128];
    (void)dx;
    invariants((void *)w->r, t, z, c);
    for (uint32_t i = 0; i < 2 * w->r->count; i++)
        w->worst_c = fmax(w->worst_c, fabs(c[i]));
    for (uint32_t i = 0; i < w->r->count; i++, z += 4) {
        double energy = (z[2] * z[2] + z[3] * z[3]) / 2 + g * (z[1] - sin(-0.01 * i));
        w->worst_energy = fmax(w->worst_energy, fabs(energy));
    }
    return true;
}

static void swing(void **state)
{
    static const struct {
        int method;
        uint32_t count;
        double rtol, energy;
    } cases[] = {{CT_METHOD_RK, 1, 1e-10, 1e-7},
                 {CT_METHOD_RK8, 1, 1e-11, 1e-8},
                 {CT_METHOD_BDF, 1, 1e-9, 1e-4},
                 {CT_METHOD_ADAMS, 1, 1e-10, 1e-5},
                 {CT_METHOD_RK, 40, 1e-9, 1e-6}};
    ct_context *ctx = ct_context_new(NULL);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static rods r;
        static double z[4 * 64];
        ct_problem p;
        ct_run_def def = ct_default_run_def();
        ct_run_stats stats;
        r = (rods){0};
        make_rods(&r, cases[k].count, &p);
        start_rods(cases[k].count, z);
        watch w = {.r = &r};
        def.stop = 10, def.rtol = cases[k].rtol, def.atol = 1e-12, def.points = 333;
        def.method = cases[k].method;
        def.row = watch_row, def.row_user = &w;
        assert_int_equal(ct_integrate(ctx, &p, &def, z, &stats), CT_SOLVED);
        assert_true(w.worst_c < 1e-12);
        assert_true(w.worst_energy < cases[k].energy);
    }
    ct_context_free(ctx);
}

/* The nearest point of the circle from far off; none when the rod is pulled to the centre. */
static void nearest(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    ct_arena *arena = ct_arena_new(ctx);
    static rods r;
    ct_problem p;
    (void)state;
    make_rods(&r, 1, &p);
    ct_projector *projector = ct_projector_new(arena, &p, false);
    double z[4] = {0.9, -0.7, 0.1, 0.2}, centre[4] = {0};
    assert_int_equal(ct_project(projector, 0, z), CT_SOLVED);
    assert_true(fabs(hypot(z[0], z[1]) - 1) < 1e-14);
    assert_true(fabs(z[1] / z[0] + 7. / 9) < 0.05);
    assert_int_equal(ct_project(projector, 0, centre), CT_NO_CONVERGENCE);
    assert_true(centre[0] == 0 && centre[1] == 0);
    ct_projector_free(projector);
    ct_arena_free(arena);
    ct_context_free(ctx);
}

/* ---- independent unknowns */

enum { TIES = 3, UNKNOWNS = 6 };

/* Complete pivoting, plainly: which columns become dependent. */
static void pivots_of(double a[TIES][UNKNOWNS], bool *dependent)
{
    bool used[TIES] = {false};
    for (int round = 0; round < TIES; round++) {
        int row = -1, col = -1;
        for (int i = 0; i < TIES; i++)
            for (int j = 0; j < UNKNOWNS; j++)
                if (!used[i] && !dependent[j] && (row < 0 || fabs(a[i][j]) > fabs(a[row][col])))
                    row = i, col = j;
        used[row] = dependent[col] = true;
        for (int i = 0; i < TIES; i++)
            for (int j = 0; j < UNKNOWNS && !used[i]; j++)
                if (j != col)
                    a[i][j] -= a[i][col] / a[row][col] * a[row][j];
    }
}

static void largest_pivots(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    uint32_t start[UNKNOWNS + 1], row[TIES * UNKNOWNS];
    ct_problem p = {
        .n = UNKNOWNS, .invariant_count = TIES, .invariant_start = start, .invariant_row = row};
    (void)state;
    for (uint32_t k = 0; k < TIES * UNKNOWNS; k++)
        row[k] = k % TIES;
    for (uint32_t j = 0; j <= UNKNOWNS; j++)
        start[j] = TIES * j;
    ct_partition *partition = ct_partition_new(ctx->base, &p);
    for (uint32_t trial = 0, dice = 1; trial < 200; trial++) {
        double slope[TIES * UNKNOWNS], a[TIES][UNKNOWNS];
        bool dependent[UNKNOWNS] = {false};
        for (uint32_t k = 0; k < TIES * UNKNOWNS; k++) {
            dice = dice * 1664525u + 1013904223u;
            slope[k] = dice >> 29 == 0 ? 0 : (dice >> 8) * 0x1p-23 - 1;
            a[k % TIES][k / TIES] = slope[k];
        }
        const bool *held = ct_partition_choose(partition, slope);
        pivots_of(a, dependent);
        for (uint32_t j = 0; j < UNKNOWNS; j++)
            assert_int_equal(held[j], !dependent[j]);
    }
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(swing), cmocka_unit_test(nearest),
                                       cmocka_unit_test(largest_pivots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

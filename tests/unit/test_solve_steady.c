/* test_solve_steady.c - operating points and least changes. */
#include "unit/test_solve.h"

static void pendulum(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = -sin(z[0]) - 0.1 * z[1] + 0.5;
}

/* Newton runs away from the only solution, 0, the motion itself goes there. */
static void far_out(double t, const double *z, double *out)
{
    (void)t;
    out[0] = -z[0] / (1 + z[0] * z[0]);
}

static void free_position(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = 2 - 0.5 * z[1] - 2 * z[2];
    out[2] = z[2] - 1;
}

static void falls_for_ever(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = 2 - 0.5 * z[1];
}

static void two_tanks(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1] - z[0];
    out[1] = z[0] - z[1];
}

static void transistor_like(double t, const double *z, double *out)
{
    (void)t;
    double current = 1e-14 * (exp(z[1] / 0.02585) - 1);
    out[0] = (5 - z[0]) / 1e-3 - 1e6 * current;
    out[1] = (z[0] - z[1]) / 1000 - current;
}

/* No root: (x - 1)^2 + 1e-9 + d, d = u - 1e8 = 0. The noise of d would explain what is left of x.
 */
static void no_root(double t, const double *z, double *out)
{
    (void)t;
    out[0] = (z[0] - 1) * (z[0] - 1) + 1e-9 + z[1];
    out[1] = z[1] - (z[2] - 1e8);
    out[2] = z[2] - 1e8;
}

static const struct steady_case {
    const char *name;
    small_system system;
    double from[3], want[3];
    ct_solve_status status;
    uint32_t culprit;
} cases[] = {
    {"pendulum", {.n = 2, .fg = pendulum}, {0, 1}, {0.5235987755982989, 0}, CT_SOLVED, UINT32_MAX},
    {"far out", {.n = 1, .fg = far_out}, {3}, {0}, CT_SOLVED, UINT32_MAX},
    {"free position",
     {.n = 2, .m = 1, .fg = free_position},
     {7, 3, 0},
     {7, 0, 1},
     CT_SOLVED,
     UINT32_MAX},
    {"falls for ever", {.n = 2, .fg = falls_for_ever}, {7, 3}, {7, 3}, CT_SINGULAR, 0},
    {"two tanks", {.n = 2, .fg = two_tanks}, {1, 3}, {2, 2}, CT_SOLVED, UINT32_MAX},
};

static void test_steady(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct steady_case *c = &cases[i];
        fixture *f = fixture_new(&c->system);
        double z[3];
        memcpy(z, c->from, sizeof z);
        ct_solve_status status = ct_steady(f->ctx, &f->problem, 0, z, &f->stats);
        print_message("%-16s %-32s %s\n", c->name, f->stats.method, ct_solve_status_text(status));
        assert_int_equal(status, c->status);
        assert_int_equal(f->stats.culprit, c->culprit);
        for (uint32_t k = 0; k < c->system.n + c->system.m; k++)
            CHECK_NEAR(z[k], c->want[k], 1e-7);
        fixture_free(f);
    }
}

static void test_diode_from_afar(void **state)
{
    (void)state;
    const small_system system = {.n = 1, .m = 1, .fg = transistor_like};
    const double guesses[][2] = {{0, 0}, {5, 5}, {-100, 18}, {1e3, 0}};
    fixture *f = fixture_new(&system);
    for (size_t i = 0; i < 4; i++) {
        double z[2] = {guesses[i][0], guesses[i][1]}, out[2];
        assert_int_equal(ct_steady(f->ctx, &f->problem, 0, z, &f->stats), CT_SOLVED);
        transistor_like(0, z, out);
        CHECK_NEAR(out[0], 0, 1e-6);
        CHECK_NEAR(out[1], 0, 1e-12);
    }
    fixture_free(f);
}

/* ---- a chain of 300 tanks: sparse and singular ----------------------------------------------- */

enum { TANKS = 300 };

static void tanks(void *user, double t, const double *z, double *fg)
{
    double inflow = *(double *)user;
    (void)t;
    for (uint32_t i = 0; i < TANKS; i++)
        fg[i] = (i > 0 ? z[i - 1] - z[i] : inflow) + (i + 1 < TANKS ? z[i + 1] - z[i] : 0);
}

static void tanks_jacobian(void *user, double t, const double *z, double *value)
{
    (void)user, (void)t, (void)z;
    for (uint32_t j = 0; j < TANKS; j++) {
        if (j > 0)
            *value++ = 1;
        *value++ = j > 0 && j + 1 < TANKS ? -2 : -1;
        if (j + 1 < TANKS)
            *value++ = 1;
    }
}

static void tanks_pattern(uint32_t *start, uint32_t *row)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < TANKS; j++) {
        start[j] = count;
        if (j > 0)
            row[count++] = j - 1;
        row[count++] = j;
        if (j + 1 < TANKS)
            row[count++] = j + 1;
    }
    start[TANKS] = count;
}

static void test_many_tanks(void **state)
{
    (void)state;
    static uint32_t start[TANKS + 1], row[3 * TANKS];
    double inflow = 0, z[TANKS];
    tanks_pattern(start, row);
    ct_problem problem = {.user = &inflow,
                          .n = TANKS,
                          .evaluate = tanks,
                          .start = start,
                          .row = row,
                          .jacobian = tanks_jacobian};
    ct_run_stats stats;
    ct_context *ctx = ct_context_new(NULL);
    for (uint32_t i = 0; i < TANKS; i++)
        z[i] = i % 3;
    assert_int_equal(ct_steady(ctx, &problem, 0, z, &stats), CT_SOLVED);
    for (uint32_t i = 0; i < TANKS; i++)
        CHECK_NEAR(z[i], 1, 1e-4);
    inflow = 1; /* more and more water */
    assert_int_equal(ct_steady(ctx, &problem, 0, z, &stats), CT_SINGULAR);
    assert_true(stats.culprit < TANKS);
    ct_context_free(ctx);
}

/* ---- least change ---------------------------------------------------------------------------- */

typedef struct least_case {
    const char *name;
    uint32_t rows, cols;
    void (*r)(const double *y, double *r);
    double from[3], want[3], norm;
    ct_solve_status status;
} least_case;

static void least_values(void *user, const double *y, double *r)
{
    ((least_case *)user)->r(y, r);
}

static void least_jacobian(void *user, const double *y, double *value)
{
    least_case *c = user;
    double at[3], high[4], low[4];
    memcpy(at, y, c->cols * sizeof *at);
    for (uint32_t j = 0; j < c->cols; j++) {
        at[j] = y[j] + 1e-5;
        c->r(at, high);
        at[j] = y[j] - 1e-5;
        c->r(at, low);
        at[j] = y[j];
        for (uint32_t i = 0; i < c->rows; i++)
            value[j * c->rows + i] = (high[i] - low[i]) / 2e-5;
    }
}

static void sum_is_two(const double *y, double *r)
{
    r[0] = y[0] + y[1] - 2;
}

static void circle(const double *y, double *r)
{
    r[0] = y[0] * y[0] + y[1] * y[1] - 1;
}

static void three_agree(const double *y, double *r)
{
    r[0] = y[0] + y[1] - 3;
    r[1] = y[0] - y[1] - 1;
    r[2] = 2 * y[0] + 0.5 * y[1] - 4.5;
}

static void contradiction(const double *y, double *r)
{
    r[0] = y[0] - 1;
    r[1] = y[0] - 2;
}

static void never_zero(const double *y, double *r)
{
    r[0] = y[0] * y[0] + 1;
}

/* The second equation says the same as the first. */
static void redundant(const double *y, double *r)
{
    r[0] = y[0] + y[1] + y[2] - 3;
    r[1] = 2 * (y[0] + y[1] + y[2]) - 6;
    r[2] = y[0] - y[1];
}

static void hard(const double *y, double *r)
{
    r[0] = 10 * (y[1] - y[0] * y[0]);
    r[1] = 1 - y[0];
}

static least_case least_cases[] = {
    {"sum", 1, 2, sum_is_two, {0, 0}, {1, 1}, 0, CT_SOLVED},
    {"sum, kept", 1, 2, sum_is_two, {5, -3}, {5, -3}, 0, CT_SOLVED},
    {"circle", 1, 2, circle, {2, 0}, {1, 0}, 0, CT_SOLVED},
    {"overdetermined", 3, 2, three_agree, {0, 0}, {2, 1}, 0, CT_SOLVED},
    {"contradiction", 2, 1, contradiction, {0}, {1.5}, 0.7071067811865476, CT_SINGULAR},
    {"never zero", 1, 1, never_zero, {2}, {0}, 1, CT_SINGULAR},
    {"redundant", 3, 3, redundant, {0, 0, 0}, {1, 1, 1}, 0, CT_SOLVED},
    {"Rosenbrock", 2, 2, hard, {-1.2, 1}, {1, 1}, 0, CT_SOLVED},
    {"nothing", 0, 2, sum_is_two, {4, 4}, {4, 4}, 0, CT_SOLVED},
};

static void test_least_change(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    for (size_t i = 0; i < sizeof least_cases / sizeof *least_cases; i++) {
        least_case *c = &least_cases[i];
        uint32_t start[4], row[12];
        double y[3], norm;
        for (uint32_t j = 0; j <= c->cols; j++)
            start[j] = j * c->rows;
        for (uint32_t k = 0; k < c->rows * c->cols; k++)
            row[k] = k % c->rows;
        ct_residual residual = {c, c->rows, c->cols, least_values, start, row, least_jacobian};
        memcpy(y, c->from, sizeof y);
        ct_solve_status status = ct_least_change(ctx, &residual, 1e-9, y, &norm);
        print_message("%-16s %-28s norm %.2e\n", c->name, ct_solve_status_text(status), norm);
        assert_int_equal(status, c->status);
        CHECK_NEAR(norm, c->norm, 1e-6);
        for (uint32_t j = 0; j < c->cols; j++)
            CHECK_NEAR(y[j], c->want[j], 1e-3 * (c->norm > 0) + 1e-8);
    }
    ct_context_free(ctx);
}

/* y[k] + y[k+1] = 2 + k/100 for k < 99 of 100 unknowns, nonlinear by a small cube; sparse. */
enum { CHAIN = 100 };

static void chain_values(void *user, const double *y, double *r)
{
    double offset = *(double *)user;
    for (uint32_t k = 0; k + 1 < CHAIN; k++)
        r[k] = y[k] + y[k + 1] + 0.01 * y[k] * y[k] * y[k] - 2 - k / 100.;
    r[CHAIN - 1] = y[0] + y[1] + 0.01 * y[0] * y[0] * y[0] - 2 - offset; /* as the first */
}

static void chain_jacobian(void *user, const double *y, double *value)
{
    (void)user;
    for (uint32_t j = 0; j < CHAIN; j++) {
        double own = 1 + 0.03 * y[j] * y[j];
        if (j > 0)
            *value++ = 1; /* of equation j - 1 */
        if (j + 1 < CHAIN)
            *value++ = own;
        if (j < 2)
            *value++ = j == 0 ? own : 1;
    }
}

static void test_sparse_chain(void **state)
{
    (void)state;
    uint32_t start[CHAIN + 1], row[3 * CHAIN], count = 0;
    double y[CHAIN] = {0}, norm, offset = 0;
    for (uint32_t j = 0; j < CHAIN; j++) {
        start[j] = count;
        if (j > 0)
            row[count++] = j - 1;
        if (j + 1 < CHAIN)
            row[count++] = j;
        if (j < 2)
            row[count++] = CHAIN - 1;
    }
    start[CHAIN] = count;
    ct_residual residual = {&offset, CHAIN, CHAIN, chain_values, start, row, chain_jacobian};
    ct_context *ctx = ct_context_new(NULL);
    assert_int_equal(ct_least_change(ctx, &residual, 1e-9, y, &norm), CT_SOLVED);
    assert_true(norm <= 1e-9);
    offset = 1;
    assert_int_equal(ct_least_change(ctx, &residual, 1e-9, y, &norm), CT_SINGULAR);
    CHECK_NEAR(norm, sqrt(0.5), 1e-4);
    ct_context_free(ctx);
}

static void test_no_root(void **state)
{
    (void)state;
    const small_system system = {.m = 3, .fg = no_root};
    fixture *f = fixture_new(&system);
    for (double from = -1; from <= 3; from += 0.125) {
        double z[] = {from, 0, 0};
        assert_int_not_equal(ct_solve_algebraic(f->ctx, &f->problem, 0, z, true, &f->stats),
                             CT_SOLVED);
    }
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady),       cmocka_unit_test(test_diode_from_afar),
        cmocka_unit_test(test_many_tanks),   cmocka_unit_test(test_least_change),
        cmocka_unit_test(test_sparse_chain), cmocka_unit_test(test_no_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

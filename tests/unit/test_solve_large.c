/* test_solve_large.c - an RC ladder of up to 1e5 sections: sparse Jacobian, breaks of the source,
 * times printed. */
#include "unit/effort.h"
#include "unit/test_solve.h"

static const double resistance = 1e3, capacitance = 1e-9, rise = 1e-6;

typedef struct ladder {
    ct_problem problem;
    uint32_t n;
    double last[2]; /* nodes 50 and 1 at the last row */
} ladder;

static double source(double t)
{
    return t <= 0 ? 0 : t < rise ? t / rise : 1;
}

static double next_break(void *user, double t)
{
    (void)user;
    return t < rise ? rise : INFINITY;
}

static void evaluate(void *user, double t, const double *z, double *fg)
{
    uint32_t n = ((ladder *)user)->n;
    double factor = 1 / (resistance * capacitance), before = source(t);
    for (uint32_t i = 0; i + 1 < n; i++) {
        fg[i] = factor * (before - 2 * z[i] + z[i + 1]);
        before = z[i];
    }
    fg[n - 1] = factor * (before - z[n - 1]);
}

static void jacobian(void *user, double t, const double *z, double *value)
{
    uint32_t n = ((ladder *)user)->n;
    double factor = 1 / (resistance * capacitance);
    (void)t, (void)z;
    for (uint32_t j = 0; j < n; j++) {
        if (j > 0)
            *value++ = factor;
        *value++ = j + 1 < n ? -2 * factor : -factor;
        if (j + 1 < n)
            *value++ = factor;
    }
}

static bool keep(void *user, double t, const double *z, const double *dx)
{
    ladder *l = user;
    (void)t, (void)dx;
    l->last[0] = z[49];
    l->last[1] = z[0];
    return true;
}

static void set_pattern(ladder *l, uint32_t *start, uint32_t *row)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < l->n; j++) {
        if (j > 0)
            row[count++] = j - 1;
        row[count++] = j;
        if (j + 1 < l->n)
            row[count++] = j + 1;
        start[j + 1] = count;
    }
    start[0] = 0;
    l->problem = (ct_problem){.user = l,
                              .n = l->n,
                              .evaluate = evaluate,
                              .start = start,
                              .row = row,
                              .jacobian = jacobian,
                              .next_break = next_break};
}

static double run(uint32_t n, int implicit, double *seconds, ct_run_stats *stats)
{
    ladder l = {.n = n};
    uint32_t *start = calloc(n + 1, sizeof *start), *row = calloc(3 * (size_t)n, sizeof *row);
    double *z = calloc(n, sizeof *z);
    ct_context *ctx = ct_context_new(NULL);
    ct_run_def def = ct_default_run_def();
    set_pattern(&l, start, row);
    def.stop = 1e-3;
    def.points = 100;
    def.row = keep;
    def.row_user = &l;
    if (implicit)
        def.method = CT_METHOD_BDF;
    double begin = effort_clock();
    assert_int_equal(ct_integrate(ctx, &l.problem, &def, z, stats), CT_SOLVED);
    *seconds = effort_clock() - begin;
    ct_context_free(ctx);
    free(start);
    free(row);
    free(z);
    return l.last[0];
}

static void test_ladder(void **state)
{
    (void)state;
    for (int implicit = 0; implicit < 2; implicit++)
        for (uint32_t n = 1000; n <= 100000; n *= 10) {
            ct_run_stats stats;
            double seconds, value = run(n, implicit, &seconds, &stats);
            print_message("n = %6u  %-40s %6.3f s %5llu steps %5llu evaluations %4llu "
                          "factorizations  off by %.1e\n",
                          n, stats.method, seconds, (unsigned long long)stats.steps,
                          (unsigned long long)stats.rhs_evals,
                          (unsigned long long)stats.factorizations, value - 0.2634355674);
            CHECK_NEAR(value, 0.2634355674, 1e-5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ladder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

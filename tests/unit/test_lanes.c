/* test_lanes.c - eight sets at once give each set the bits that it gets alone, whatever the
 * processor has: machine code for four lanes, the tape by vectors of four, or of two. */
#include <float.h>
#include <time.h>

#include "compile/lanes.h"
#include "compile/native.h"
#include "expr/pool.h"

#include "test_expr.h"

enum { VARIABLES = 5, PARAMETERS = 3, OUTPUTS = 12 };

static ct_name variable[VARIABLES], parameter[PARAMETERS];
static ct_arena *arena;
static uint64_t seed = 88172645463325252u;

static int open_lanes(void **state)
{
    static const char *const names[] = {"u", "v", "w", "x", "y", "k", "p", "q"};
    open_pool(state);
    arena = ct_arena_new(ctx);
    for (int i = 0; i < VARIABLES + PARAMETERS; i++)
        *(i < VARIABLES ? &variable[i] : &parameter[i - VARIABLES]) = name_of(names[i]);
    return 0;
}

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % limit;
}

/* Now and then one that is not usual. */
static double random_value(void)
{
    static const double special[] = {0.0,     -0.0,    INFINITY, -INFINITY, NAN,    1e300, -1e300,
                                     5e-324,  -1e-310, DBL_MAX,  1,         -1,     0.5,   710,
                                     -745.13, -800,    1e5,      -1.1e5,    1e-160, 2,     -708.5};
    if (below(8) == 0)
        return special[below(sizeof special / sizeof *special)];
    return (double)below(1000000) / 250000 - 1;
}

/* Later nodes are made of earlier ones, at random. */
static ct_expr random_node(const ct_expr *made, uint32_t count)
{
    ct_expr x[9];
    for (int i = 0; i < 9; i++)
        x[i] = made[below(count)];
    if (below(2))
        return ct_expr_sum(pool, (ct_expr[]){ct_expr_product(pool, x, 2), x[2]}, 2);
    ct_op op = (ct_op)below(CT_OP_COUNT);
    if (op == CT_OP_DER || op == CT_OP_INTEGRAL || op == CT_OP_PRE)
        return ct_expr_div(pool, x[0], x[1]);
    if (ct_op_arity(op) >= 0)
        return ct_expr_call(pool, op, x, (uint32_t)ct_op_arity(op));
    x[1] = ct_expr_int(pool, 3);
    x[2] = CT_ZERO;
    x[3] = CT_HALF;
    x[4] = CT_ONE;
    x[8] = ct_expr_int(pool, below(2));
    return ct_expr_call(pool, op, x, 9);
}

static const ct_program_def *random_program(uint32_t size)
{
    ct_expr *made = CT_NEW_ARRAY(arena, ct_expr, size);
    ct_program_def *def = CT_NEW(arena, ct_program_def);
    uint32_t count = 0;
    for (int i = 0; i < VARIABLES; i++)
        made[count++] = ct_expr_symbol(pool, variable[i]);
    for (int i = 0; i < PARAMETERS; i++)
        made[count++] = ct_expr_symbol(pool, parameter[i]);
    while (count < size) {
        ct_expr e = random_node(made, count);
        if (e)
            made[count++] = e;
    }
    *def = (ct_program_def){.pool = pool,
                            .parameter = parameter,
                            .parameter_count = PARAMETERS,
                            .variable = variable,
                            .variable_count = VARIABLES,
                            .output = made + size - OUTPUTS,
                            .output_count = OUTPUTS,
                            .lanes = true};
    return def;
}

/* The processors there are, as far as this one is one of them. */
static const ct_program *program_on(const ct_program_def *def, int processor)
{
    ct_cpu cpu = ct_native_cpu();
    ct_expr stranger;
    cpu.native &= processor < 2;
    cpu.wide &= processor % 2 == 0;
    const ct_program *program = ct_program_new_for(arena, def, cpu, &stranger);
    assert_non_null(program);
    assert_true(!ct_program_is_wide(program) || processor == 0);
    return program;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Outputs may stand where the variables do. */
static void check_program(const ct_program *program, bool apart)
{
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program) + 1);
    double *wide = CT_NEW_ARRAY(arena, double, ct_lanes_work(program) + 1);
    double given[CT_LANES * VARIABLES], set[CT_LANES * PARAMETERS], shared[CT_LANES * OUTPUTS],
        other[CT_LANES * VARIABLES], *got = shared;
    for (int i = 0; i < CT_LANES * VARIABLES; i++)
        given[i] = random_value();
    for (int i = 0; i < CT_LANES * PARAMETERS; i++)
        set[i] = random_value();
    ct_lanes_prepare(program, set, wide);
    memcpy(apart ? other : shared, given, sizeof given);
    ct_lanes_run(program, apart ? other : shared, got, wide);
    for (int l = 0; l < CT_LANES; l++) {
        double x[VARIABLES], p[PARAMETERS], y[OUTPUTS];
        for (int i = 0; i < VARIABLES; i++)
            x[i] = given[CT_LANES * i + l];
        for (int i = 0; i < PARAMETERS; i++)
            p[i] = set[CT_LANES * i + l];
        ct_program_prepare(program, p, work);
        ct_program_run(program, x, y, work);
        for (int i = 0; i < OUTPUTS; i++)
            if (!same_bits(y[i], got[CT_LANES * i + l]))
                fail_msg("lane %d, output %d: %a, not %a", l, i, got[CT_LANES * i + l], y[i]);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    bool wide = false;
    for (int round = 0; round < 300; round++) {
        const ct_program_def *def = random_program(OUTPUTS + 10 + below(200));
        for (int processor = 0; processor < 4; processor++) {
            const ct_program *program = program_on(def, processor);
            check_program(program, below(4));
            wide |= ct_program_is_wide(program);
        }
    }
    assert_true(wide == ct_native_cpu().wide);
}

/* Not a test of speed: COTREE_BENCH=1 shows it. */
static double seconds_of(void (*run)(const ct_program *, const double *, double *, double *),
                         const ct_program *program, double *work)
{
    double x[CT_LANES * VARIABLES] = {0}, y[CT_LANES * OUTPUTS], best = 1;
    for (int round = 0; round < 20; round++) {
        clock_t begin = clock();
        for (int i = 0; i < 200; i++)
            run(program, x, y, work);
        best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC / 200);
    }
    return best;
}

static void test_chain(void **state)
{
    (void)state;
    enum { LENGTH = 200 };
    ct_expr x[VARIABLES + 1], last[OUTPUTS], stranger;
    for (int i = 0; i < VARIABLES; i++)
        x[i] = ct_expr_symbol(pool, variable[i]);
    for (int i = 0; i < LENGTH; i++) {
        ct_expr product = ct_expr_product(pool, (ct_expr[]){x[below(VARIABLES)], x[below(5)]}, 2);
        ct_expr difference = ct_expr_sub(pool, product, x[below(VARIABLES)]);
        x[below(VARIABLES)] = last[i % OUTPUTS] = ct_expr_add(pool, difference, x[below(5)]);
    }
    ct_program_def def = {.pool = pool,
                          .parameter = parameter,
                          .parameter_count = PARAMETERS,
                          .variable = variable,
                          .variable_count = VARIABLES,
                          .output = last,
                          .output_count = OUTPUTS,
                          .lanes = true};
    const ct_program *program = ct_program_new(arena, &def, &stranger);
    check_program(program, true);
    if (!getenv("COTREE_BENCH"))
        return;
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program) + 1);
    double *wide = CT_NEW_ARRAY(arena, double, ct_lanes_work(program) + 1);
    double set[CT_LANES * PARAMETERS] = {0}, count = ct_program_operations(program);
    ct_program_prepare(program, set, work);
    ct_lanes_prepare(program, set, wide);
    double one = seconds_of(ct_program_run, program, work),
           all = seconds_of(ct_lanes_run, program, wide);
    printf("%g operations: %.3f ns each alone, %.3f ns in a lane\n", count, 1e9 * one / count,
           1e9 * all / count / CT_LANES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_bits, open_lanes, close_pool),
        cmocka_unit_test_setup_teardown(test_chain, open_lanes, close_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

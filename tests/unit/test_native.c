/* test_native.c - machine code against the tape: the same bits, for every operator and any value.
 */
#include <float.h>

#include "base/context.h"
#include "compile/native.h"
#include "expr/pool.h"

#include "test_expr.h"

enum { VARIABLES = 24, PARAMETERS = 5, OUTPUTS = 12, POINTS = 24 };

static ct_name variable[VARIABLES], parameter[PARAMETERS];
static ct_arena *arena;
static uint64_t seed;

static int open_program(void **state)
{
    open_pool(state);
    arena = ct_arena_new(ctx);
    for (int i = 0; i < VARIABLES + PARAMETERS; i++) {
        char text[16];
        snprintf(text, sizeof text, "x%d", i);
        *(i < VARIABLES ? &variable[i] : &parameter[i - VARIABLES]) = name_of(text);
    }
    seed = 88172645463325252u;
    return 0;
}

#define NATIVE_TEST(name) cmocka_unit_test_setup_teardown(name, open_program, close_pool)

static uint32_t random_below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % limit;
}

static double random_value(void)
{
    static const double special[] = {0.0,      -0.0,        INFINITY, -INFINITY, NAN,  5e-324,
                                     -DBL_MIN, DBL_MIN / 5, DBL_MAX,  1e5,       -1e7, 1,
                                     -1,       0.5,         2,        3,         -0.5, 1e-9};
    if (random_below(5) == 0)
        return special[random_below(sizeof special / sizeof *special)];
    return (double)random_below(1000000) / 125000 - 4;
}

/* ---- random graphs */

static ct_expr leaf(void)
{
    uint32_t kind = random_below(12);
    if (kind == 0)
        return ct_expr_ratio(pool, (int64_t)random_below(19) - 9, 1 + random_below(4));
    if (kind < 3)
        return ct_expr_symbol(pool, parameter[random_below(PARAMETERS)]);
    return ct_expr_symbol(pool, variable[random_below(VARIABLES)]);
}

static ct_expr call_of(ct_op op, const ct_expr *recent, uint32_t count)
{
    ct_expr x[9];
    uint32_t arity = ct_op_arity(op) < 0 ? 9 : (uint32_t)ct_op_arity(op);
    if (op == CT_OP_DER || op == CT_OP_INTEGRAL || op == CT_OP_PRE)
        return leaf();
    for (uint32_t i = 0; i < arity; i++)
        x[i] = recent[random_below(count)];
    if (ct_op_arity(op) < 0) { /* table(x, 3, 0, 1/2, 1, y1, y2, y3, method) */
        x[1] = ct_expr_int(pool, 3);
        x[2] = CT_ZERO;
        x[3] = CT_HALF;
        x[4] = CT_ONE;
        x[8] = ct_expr_int(pool, random_below(2));
    }
    return ct_expr_call(pool, op, x, arity);
}

/* Every `calls`-th node is a function, the others are sums, products and quotients. */
static ct_expr node_of(const ct_expr *recent, uint32_t count, uint32_t calls)
{
    ct_expr a = recent[random_below(count)], b = recent[random_below(count)];
    if (random_below(calls) == 0)
        return call_of((ct_op)random_below(CT_OP_COUNT), recent, count);
    switch (random_below(8)) {
    case 0:
        return ct_expr_div(pool, a, b);
    case 1:
    case 2:
        return ct_expr_sub(pool, a, b);
    case 3:
    case 4:
        return ct_expr_add(pool, a, ct_expr_mul(pool, b, recent[random_below(count)]));
    case 5:
        return ct_expr_neg(pool, a);
    }
    return ct_expr_mul(pool, a, b);
}

/* `alive` nodes are used at a time; what is too large or a number is replaced by a leaf. */
static void make_graph(ct_expr *output, uint32_t size, uint32_t alive, uint32_t calls)
{
    ct_expr *recent = CT_NEW_ARRAY(arena, ct_expr, alive);
    for (uint32_t i = 0; i < alive; i++)
        recent[i] = leaf();
    for (uint32_t i = 0; i < size; i++) {
        ct_expr e = node_of(recent, alive, calls);
        bool good = e && !ct_expr_is_number(pool, e) && ct_expr_arity(pool, e) < 10;
        recent[i % alive] = good ? e : leaf();
    }
    for (uint32_t i = 0; i < OUTPUTS; i++)
        output[i] = recent[random_below(alive)];
}

/* ---- comparing */

static const ct_cpu processors[] = {
    {true, true, true, false}, {true, false, true, false}, {true, false, false, false}};

static bool can_run(ct_cpu cpu)
{
    ct_cpu here = ct_native_cpu();
    return here.native && here.vex >= cpu.vex && here.round >= cpu.round;
}

static const ct_program *compiled(const ct_expr *output, uint32_t count, ct_cpu cpu)
{
    ct_program_def def = {.pool = pool,
                          .parameter = parameter,
                          .parameter_count = PARAMETERS,
                          .variable = variable,
                          .variable_count = VARIABLES,
                          .output = output,
                          .output_count = count};
    ct_expr stranger;
    const ct_program *program = ct_program_new_for(arena, &def, cpu, &stranger);
    assert_non_null(program);
    return program;
}

static void run(const ct_program *program, const double *p, const double *x, double *y)
{
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program));
    ct_program_prepare(program, p, work);
    ct_program_run(program, x, y, work);
    ct_program_run(program, x, y, work); /* nothing may be left from a call */
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void compare_at_a_point(const ct_program *tape, const ct_program *native, uint32_t count,
                               uint32_t *numbers)
{
    double x[VARIABLES], p[PARAMETERS];
    double *y = CT_NEW_ARRAY(arena, double, count), *z = CT_NEW_ARRAY(arena, double, count);
    for (int i = 0; i < VARIABLES; i++)
        x[i] = random_value();
    for (int i = 0; i < PARAMETERS; i++)
        p[i] = random_value();
    run(tape, p, x, y);
    run(native, p, x, z);
    for (uint32_t i = 0; i < count; i++) {
        if (!same(y[i], z[i]))
            fail_msg("output %u of %u: tape %a, machine code %a", i, count, y[i], z[i]);
        *numbers += isfinite(y[i]) != 0;
    }
}

static uint32_t compare(const ct_expr *output, uint32_t count)
{
    const ct_program *tape = compiled(output, count, (ct_cpu){0});
    uint32_t numbers = 0;
    assert_false(ct_program_is_native(tape));
    for (size_t k = 0; k < sizeof processors / sizeof *processors; k++) {
        if (!can_run(processors[k]))
            continue;
        const ct_program *native = compiled(output, count, processors[k]);
        for (int i = 0; i < POINTS; i++)
            compare_at_a_point(tape, native, count, &numbers);
    }
    return numbers;
}

/* ---- tests */

static void random_graphs(void **state)
{
    (void)state;
    ct_expr output[OUTPUTS];
    uint32_t numbers = 0, graphs = 400;
    for (uint32_t i = 0; i < graphs; i++) {
        make_graph(output, 1 + random_below(300), 2 + random_below(60), 1 + random_below(8));
        numbers += compare(output, OUTPUTS);
    }
    print_message("%u graphs, %u finite values\n", graphs, numbers);
    assert_true(!ct_native_cpu().native || numbers > 10000);
}

/* Each operator alone, with operands that vary and operands that do not. */
static void every_operator(void **state)
{
    (void)state;
    for (int op = 0; op < CT_OP_COUNT; op++)
        for (int round = 0; round < 20; round++) {
            ct_expr recent[12], output[OUTPUTS];
            for (int i = 0; i < 12; i++)
                recent[i] = leaf();
            for (int i = 0; i < OUTPUTS; i++) {
                output[i] = call_of((ct_op)op, recent, 12);
                output[i] = output[i] ? output[i] : leaf();
            }
            compare(output, OUTPUTS);
        }
}

/* More values alive than registers, for long. */
static void many_live_values(void **state)
{
    (void)state;
    ct_expr product[VARIABLES * VARIABLES], output[VARIABLES];
    for (uint32_t i = 0; i < VARIABLES * VARIABLES; i++) {
        ct_expr a = ct_expr_symbol(pool, variable[i % VARIABLES]);
        ct_expr b = ct_expr_symbol(pool, variable[i / VARIABLES]);
        product[i] = ct_expr_add(pool, ct_expr_mul(pool, a, b), ct_expr_int(pool, i % 7));
    }
    for (uint32_t i = 0; i < VARIABLES; i++) {
        ct_expr e = product[i];
        for (uint32_t k = 1; k < VARIABLES * VARIABLES; k++) {
            ct_expr next = product[(i + k * 29) % (VARIABLES * VARIABLES)];
            e = k % 2 ? ct_expr_div(pool, e, next) : ct_expr_add(pool, e, next);
            ct_expr_hold(pool, e);
        }
        output[i] = e;
    }
    compare(output, VARIABLES);
}

static void nested_circles(void **state)
{
    (void)state;
    ct_expr output[OUTPUTS], e = ct_expr_symbol(pool, variable[0]);
    for (int i = 0; i < 200; i++)
        e = ct_expr_add(pool, ct_expr_call1(pool, i % 3 ? CT_OP_SIN : CT_OP_COS, e),
                        ct_expr_symbol(pool, variable[i % VARIABLES]));
    output[0] = e;
    for (int i = 1; i < OUTPUTS; i++)
        output[i] =
            ct_expr_call1(pool, i % 2 ? CT_OP_SIN : CT_OP_COS, ct_expr_symbol(pool, variable[i]));
    output[OUTPUTS - 1] = ct_expr_call1(pool, CT_OP_SIN, output[1]);
    compare(output, OUTPUTS);
    compare(output + 1, 3);
    for (int i = 0; i < 50; i++) { /* sine and cosine of what has both */
        ct_expr both =
            ct_expr_mul(pool, ct_expr_call1(pool, CT_OP_SIN, e), ct_expr_call1(pool, CT_OP_COS, e));
        e = ct_expr_hold(pool, ct_expr_add(pool, both, ct_expr_symbol(pool, variable[i % 7])));
        output[i % OUTPUTS] = e;
    }
    compare(output, OUTPUTS);
}

/* a*b + c and its kin round twice; a fused operation of the processor would round once. */
static void products_round_before_sums(void **state)
{
    (void)state;
    ct_expr a = ct_expr_symbol(pool, variable[0]), b = ct_expr_symbol(pool, variable[1]);
    ct_expr c = ct_expr_symbol(pool, variable[2]), ab = ct_expr_mul(pool, a, b);
    ct_expr output[] = {ct_expr_add(pool, ab, c), ct_expr_sub(pool, ab, c),
                        ct_expr_sub(pool, c, ab), ct_expr_mul(pool, a, c)};
    double x[VARIABLES] = {1 + 0x1p-30, 1 - 0x1p-30, -1}, p[PARAMETERS] = {0}, y[4];
    ct_cpu cpu[] = {{0}, ct_native_cpu()};
    assert_true(fma(x[0], x[1], x[2]) == -0x1p-60);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) { /* one at a time: then the product is merged */
            run(compiled(&output[i], 1, cpu[k]), p, x, y);
            assert_true(y[0] == (i == 0 ? 0 : i == 1 ? 2 : -2));
        }
    x[2] = 1;
    run(compiled(&output[1], 1, ct_native_cpu()), p, x, y);
    assert_true(y[0] == 0);
    compare(output, 4);
}

static void large_programs(void **state)
{
    (void)state;
    ct_expr output[OUTPUTS];
    make_graph(output, 150000, 400, 60);
    const ct_program *tape = compiled(output, OUTPUTS, (ct_cpu){0});
    assert_true(ct_program_operations(tape) > 100000);
    compare(output, OUTPUTS);
}

/* Outputs may take the place of the variables, and may be known before the call. */
static void outputs_over_variables(void **state)
{
    (void)state;
    ct_expr output[VARIABLES];
    double p[PARAMETERS] = {1, 2, 3, 4, 5}, x[VARIABLES], y[VARIABLES];
    for (uint32_t i = 0; i < VARIABLES; i++) {
        ct_expr next = ct_expr_symbol(pool, variable[(i + 1) % VARIABLES]);
        output[i] = i % 5 == 0   ? next
                    : i % 5 == 1 ? ct_expr_symbol(pool, parameter[i % PARAMETERS])
                    : i % 5 == 2 ? ct_expr_int(pool, i)
                                 : ct_expr_mul(pool, next, ct_expr_symbol(pool, variable[0]));
        x[i] = random_value();
    }
    run(compiled(output, VARIABLES, (ct_cpu){0}), p, x, y);
    const ct_program *native = compiled(output, VARIABLES, ct_native_cpu());
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(native));
    ct_program_prepare(native, p, work);
    ct_program_run(native, x, x, work);
    for (uint32_t i = 0; i < VARIABLES; i++)
        assert_true(same(x[i], y[i]));
}

static void the_switch(void **state)
{
    (void)state;
    ct_expr output[OUTPUTS], stranger;
    make_graph(output, 200, 20, 8);
    ct_program_def def = {.pool = pool,
                          .parameter = parameter,
                          .parameter_count = PARAMETERS,
                          .variable = variable,
                          .variable_count = VARIABLES,
                          .output = output,
                          .output_count = OUTPUTS};
    bool here = ct_native_cpu().native;
    assert_true(ct_program_is_native(ct_program_new(arena, &def, &stranger)) == here);
    def.seldom = true;
    assert_false(ct_program_is_native(ct_program_new(arena, &def, &stranger)));
    def.seldom = false;
    ctx->def.native = false;
    assert_false(ct_program_is_native(ct_program_new(arena, &def, &stranger)));
    assert_true(ct_default_context_def().native);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NATIVE_TEST(random_graphs),
        NATIVE_TEST(every_operator),
        NATIVE_TEST(many_live_values),
        NATIVE_TEST(nested_circles),
        NATIVE_TEST(products_round_before_sums),
        NATIVE_TEST(large_programs),
        NATIVE_TEST(outputs_over_variables),
        NATIVE_TEST(the_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

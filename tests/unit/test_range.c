/* test_range.c - interval arithmetic: values at points of a box lie within the bounds of the box,
 * and bounds of a point are its value (src/expr/range.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/context.h"
#include "expr/range.h"

enum { SYMBOLS = 3, BOXES = 60, POINTS = 12, SHAPES = 4 };

typedef struct box {
    ct_name name[SYMBOLS];
    ct_bounds bounds[SYMBOLS];
    double at[SYMBOLS];
} box;

static uint64_t dice = 1;

static double uniform(double low, double high)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(dice >> 11) * 0x1p-53;
}

static double value_of(const void *user, ct_name symbol)
{
    const box *b = user;
    for (int i = 0; i < SYMBOLS; i++)
        if (b->name[i] == symbol)
            return b->at[i];
    return NAN;
}

/* Corners, and points between them. */
static void choose_point(box *b, int number)
{
    for (int i = 0; i < SYMBOLS; i++) {
        ct_bounds x = b->bounds[i];
        b->at[i] = number >= 8 ? uniform(x.low, x.high) : number >> i & 1 ? x.high : x.low;
    }
}

static void choose_box(box *b)
{
    double width = pow(10, uniform(-6, 0.7)) * (uniform(0, 1) < 0.8);
    for (int i = 0; i < SYMBOLS; i++) {
        double middle = uniform(0, 1) < 0.3 ? floor(uniform(-3, 4)) : uniform(-3, 3);
        b->bounds[i] = (ct_bounds){middle - width * uniform(0, 1), middle + width * uniform(0, 1)};
    }
}

static ct_bounds range_of(const ct_range_plan *plan, const box *b, bool *jumps)
{
    ct_bounds symbol[SYMBOLS];
    for (uint32_t k = 0; k < plan->symbol_count; k++)
        for (int i = 0; i < SYMBOLS; i++)
            if (b->name[i] == plan->symbol[k])
                symbol[k] = b->bounds[i];
    *jumps = false;
    return ct_range_of(plan, symbol, jumps);
}

static void check_box(ct_pool *pool, ct_expr e, const ct_range_plan *plan, box *b, const char *what)
{
    bool jumps;
    ct_bounds r = range_of(plan, b, &jumps);
    for (int k = 0; k < POINTS; k++) {
        choose_point(b, k);
        double value = ct_expr_value(pool, e, value_of, b);
        if (isfinite(value) && !(r.low <= value && value <= r.high))
            fail_msg("%s at %g, %g, %g: %.17g is not in %.17g .. %.17g", what, b->at[0], b->at[1],
                     b->at[2], value, r.low, r.high);
    }
}

/* At a point nothing is left open but rounding. */
static void check_points(ct_pool *pool, ct_expr e, const ct_range_plan *plan, box *b,
                         const char *what)
{
    bool jumps;
    for (int i = 0; i < SYMBOLS; i++)
        b->bounds[i].low = b->bounds[i].high = b->at[i] = uniform(0.1, 0.9);
    ct_bounds r = range_of(plan, b, &jumps);
    double value = ct_expr_value(pool, e, value_of, b);
    if (!jumps && isfinite(value) && !(r.high - r.low <= 1e-9 * (1 + fabs(value))))
        fail_msg("%s at a point: %g .. %g", what, r.low, r.high);
}

/* Operands: symbols, sums, products, powers. */
static ct_expr operand(ct_pool *pool, const ct_expr *x, int shape, uint32_t i)
{
    ct_expr one = x[i % SYMBOLS], other = x[(i + 1) % SYMBOLS];
    switch (shape) {
    case 1:
        return ct_expr_sub(pool, one, ct_expr_mul(pool, ct_expr_int(pool, 2), other));
    case 2:
        return ct_expr_mul(pool, one, other);
    case 3:
        return ct_expr_div(pool, ct_expr_mul(pool, one, one), other);
    default:
        return one;
    }
}

/* Rates, integrals and values before have no value by themselves, pulses none without a period. */
static bool has_value(ct_op op)
{
    return op != CT_OP_DER && op != CT_OP_INTEGRAL && op != CT_OP_PRE && op != CT_OP_PULSE;
}

static void check_operator(ct_pool *pool, box *b, const ct_expr *x, ct_op op)
{
    int arity = ct_op_arity(op);
    for (int shape = 0; shape < SHAPES; shape++) {
        ct_expr of[3];
        for (int i = 0; i < arity; i++)
            of[i] = operand(pool, x, shape, (uint32_t)i);
        ct_expr e = ct_expr_call(pool, op, of, (uint32_t)arity);
        if (!e)
            continue;
        const ct_range_plan *plan = ct_range_plan_new(ct_pool_arena(pool), pool, e);
        for (int k = 0; plan && k < BOXES; k++) {
            choose_box(b);
            check_box(pool, e, plan, b, ct_op_word(op));
        }
        for (int k = 0; plan && shape == 0 && k < 10; k++)
            check_points(pool, e, plan, b, ct_op_word(op));
    }
}

/* Each operator has a rule: bounds of some narrow boxes are narrow, or zeros of conditions with it
 * would never be told apart. */
static void check_rule(ct_pool *pool, box *b, const ct_expr *x, ct_op op)
{
    ct_expr e = ct_expr_call(pool, op, x, (uint32_t)ct_op_arity(op));
    const ct_range_plan *plan = ct_range_plan_new(ct_pool_arena(pool), pool, e);
    int narrow = 0;
    for (int k = 0; k < 20; k++) {
        bool jumps;
        for (int i = 0; i < SYMBOLS; i++) {
            double middle = uniform(0.1, 0.9);
            b->bounds[i] = (ct_bounds){middle, middle + 1e-6};
        }
        ct_bounds r = range_of(plan, b, &jumps);
        narrow += !jumps && r.high - r.low < 1e-3;
    }
    if (!narrow)
        fail_msg("%s has no rule", ct_op_word(op));
}

static void operators(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    ct_pool *pool = ct_pool_new(ctx);
    static const char *const names[SYMBOLS] = {"x", "y", "z"};
    ct_expr x[SYMBOLS];
    box b = {0};
    (void)state;
    for (int i = 0; i < SYMBOLS; i++) {
        b.name[i] = ct_intern_text(ctx, names[i]);
        x[i] = ct_expr_symbol(pool, b.name[i]);
    }
    for (int op = 0; op < CT_OP_COUNT; op++)
        if (has_value((ct_op)op) && ct_op_arity((ct_op)op) >= 1) {
            check_operator(pool, &b, x, (ct_op)op);
            check_rule(pool, &b, x, (ct_op)op);
        }
    ct_context_free(ctx);
}

/* Powers with whole, negative and broken exponents. */
static void powers(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    ct_pool *pool = ct_pool_new(ctx);
    box b = {.name = {ct_intern_text(ctx, "x")}};
    ct_expr x = ct_expr_symbol(pool, b.name[0]);
    static const int exponent[][2] = {{2, 1}, {3, 1}, {-1, 1}, {-2, 1}, {1, 2}, {-3, 2}, {2, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof exponent / sizeof *exponent; i++) {
        ct_expr e = ct_expr_pow(pool, x, ct_expr_ratio(pool, exponent[i][0], exponent[i][1]));
        const ct_range_plan *plan = ct_range_plan_new(ct_pool_arena(pool), pool, e);
        for (int k = 0; k < 3 * BOXES; k++) {
            choose_box(&b);
            check_box(pool, e, plan, &b, "power");
        }
        check_points(pool, e, plan, &b, "power");
    }
    ct_expr wave[3] = {x, ct_expr_int(pool, 2), ct_expr_ratio(pool, 3, 4)};
    ct_expr pulse = ct_expr_call(pool, CT_OP_PULSE, wave, 3);
    const ct_range_plan *pulses = ct_range_plan_new(ct_pool_arena(pool), pool, pulse);
    for (int k = 0; k < 3 * BOXES; k++) {
        choose_box(&b);
        check_box(pool, pulse, pulses, &b, "pulse");
    }
    ct_context_free(ctx);
}

/* Lines and cubics with a jump of the slope, flat and steep pieces, and their derivatives. A narrow
 * box has a narrow range, or zeros of conditions would never be told apart. */
static void check_table(ct_pool *pool, box *b, ct_op op, const int *number, uint32_t count)
{
    ct_expr of[16] = {ct_expr_symbol(pool, b->name[0])};
    for (uint32_t i = 0; i < count; i++)
        of[1 + i] = ct_expr_int(pool, number[i]);
    ct_expr e = ct_expr_call(pool, op, of, 1 + count);
    const ct_range_plan *plan = ct_range_plan_new(ct_pool_arena(pool), pool, e);
    for (int k = 0; k < 3 * BOXES; k++) {
        choose_box(b);
        check_box(pool, e, plan, b, ct_op_word(op));
    }
    check_points(pool, e, plan, b, ct_op_word(op));
    for (int k = 0; k < 100; k++) {
        double from = -1.95 + 0.061 * k;
        ct_bounds narrow = {from, from + 1e-6};
        bool jumps;
        ct_bounds r = ct_range_of(plan, &narrow, &jumps);
        assert_true(jumps || r.high - r.low < 1e-3);
    }
}

static void tables(void **state)
{
    static const int lines[] = {3, -1, 0, 2, 4, -2, 5, 0}; /* points, x, y, kind */
    static const int cubics[] = {5, -2, -1, 0, 2, 3, 4, -2, -2, 5, 8, 1};
    ct_context *ctx = ct_context_new(NULL);
    ct_pool *pool = ct_pool_new(ctx);
    box b = {.name = {ct_intern_text(ctx, "x")}};
    (void)state;
    for (int op = CT_OP_TABLE; op <= CT_OP_TABLE_BEND; op++) {
        check_table(pool, &b, (ct_op)op, lines, sizeof lines / sizeof *lines);
        check_table(pool, &b, (ct_op)op, cubics, sizeof cubics / sizeof *cubics);
    }
    ct_context_free(ctx);
}

/* A table of any length, and a sum of many terms. */
static void long_lists(void **state)
{
    enum { MANY = 1500 };
    ct_context *ctx = ct_context_new(NULL);
    ct_pool *pool = ct_pool_new(ctx);
    ct_expr x = ct_expr_symbol(pool, ct_intern_text(ctx, "x"));
    static ct_expr of[3 + 2 * MANY];
    ct_expr sum = x;
    (void)state;
    of[0] = x;
    of[1] = ct_expr_int(pool, MANY);
    for (int i = 0; i < MANY; i++) {
        of[2 + i] = ct_expr_int(pool, i);
        of[2 + MANY + i] = ct_expr_int(pool, i % 2);
        ct_expr angle = ct_expr_mul(pool, ct_expr_int(pool, i + 1), x);
        sum = ct_expr_add(pool, sum, ct_expr_call(pool, CT_OP_SIN, &angle, 1));
    }
    of[2 + 2 * MANY] = ct_expr_int(pool, 1);
    ct_expr e = ct_expr_call(pool, CT_OP_TABLE, of, 3 + 2 * MANY);
    ct_bounds at = {1000.25, 1000.5};
    bool jumps;
    const ct_range_plan *plan = ct_range_plan_new(ct_pool_arena(pool), pool, e);
    ct_bounds r = ct_range_of(plan, &at, &jumps);
    assert_true(r.low <= 0.15625 && r.low > 0.15 && r.high >= 0.5 && r.high < 0.51);
    assert_float_equal(ct_range_point(plan, &at), 0.15625, 1e-12);
    double wanted = 0.25;
    for (int i = 0; i < MANY; i++)
        wanted += sin(0.25 * (i + 1));
    at = (ct_bounds){0.25, 0.25};
    plan = ct_range_plan_new(ct_pool_arena(pool), pool, sum);
    assert_float_equal(ct_range_point(plan, &at), wanted, 1e-9);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operators), cmocka_unit_test(powers),
                                       cmocka_unit_test(tables), cmocka_unit_test(long_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

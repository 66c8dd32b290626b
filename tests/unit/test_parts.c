/* test_parts.c - names for what would make formulas long (src/export/parts.c): however shared the
 * nodes of a formula are, what is printed is short. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"
#include "export/parts.h"

enum { DEPTH = 60, LONGEST = 2000 };

/* Each level uses the one before twice. */
static ct_expr chain(ct_pool *pool, ct_expr x, ct_expr y)
{
    for (int i = 0; i < DEPTH; i++) {
        ct_expr wave = ct_expr_call(pool, CT_OP_SIN, &x, 1);
        x = ct_expr_add(pool, ct_expr_mul(pool, x, y), ct_expr_mul(pool, wave, wave));
    }
    return ct_expr_call(pool, CT_OP_SIN, &x, 1);
}

static double tree_size(ct_pool *pool, ct_expr e)
{
    double size = 1;
    for (uint32_t i = 0; size < LONGEST && i < ct_expr_arity(pool, e); i++)
        size += tree_size(pool, ct_expr_operand(pool, e, i));
    return size;
}

static void check_short(ct_pool *pool, ct_expr e)
{
    assert_true(tree_size(pool, e) < LONGEST);
}

static void check_names(ct_context *ctx, ct_pool *pool, ct_expr root)
{
    ct_model model = {.ctx = ctx};
    ct_parts parts = ct_parts_new(&model, ct_pool_arena(pool), pool);
    ct_parts_group(&parts, 0);
    ct_parts_add(&parts, &root);
    ct_parts_run(&parts);
    assert_true(parts.part.count > 0);
    check_short(pool, root);
    for (uint32_t i = 0; i < parts.part.count; i++)
        check_short(pool, parts.part.at[i].value);
}

static void test_chain(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    ct_pool *pool = ct_pool_new(ctx);
    ct_expr x = ct_expr_symbol(pool, ct_intern_text(ctx, "x"));
    ct_expr y = ct_expr_symbol(pool, ct_intern_text(ctx, "y"));
    (void)state;
    check_names(ctx, pool, chain(pool, x, y));
    ct_context_free(ctx);
}

/* (a^2 + 2 a b + b^2)/(a + b)^2 with factors x y and 1 before its terms: x y + 1, whatever a and b
 * are called. */
static void test_constant_value(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    ct_pool *pool = ct_pool_new(ctx);
    ct_expr x = ct_expr_symbol(pool, ct_intern_text(ctx, "x"));
    ct_expr y = ct_expr_symbol(pool, ct_intern_text(ctx, "y"));
    ct_expr a = chain(pool, x, y), b = chain(pool, y, x), two = ct_expr_int(pool, 2);
    ct_expr square[3] = {ct_expr_pow(pool, a, two), ct_expr_pow(pool, b, two),
                         ct_expr_product(pool, (ct_expr[]){two, a, b}, 3)};
    ct_expr term[6], sum = ct_expr_add(pool, a, b);
    (void)state;
    for (int i = 0; i < 3; i++) {
        term[i] = square[i];
        term[3 + i] = ct_expr_product(pool, (ct_expr[]){x, y, square[i]}, 3);
    }
    ct_expr below = ct_expr_pow(pool, sum, ct_expr_int(pool, -2));
    ct_expr ratio = ct_expr_mul(pool, ct_expr_sum(pool, term, 6), below);
    assert_true(tree_size(pool, ratio) > LONGEST);
    ct_expr wave = ct_expr_call(pool, CT_OP_SIN, &ratio, 1);
    check_names(ctx, pool, ct_expr_add(pool, ct_expr_mul(pool, x, wave), ratio));
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_constant_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

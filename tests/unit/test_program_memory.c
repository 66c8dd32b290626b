/* test_program_memory.c - compiling and differentiating when memory runs out. */
#include "compile/program.h"

#include "test_expr.h"
#include "test_shortage.h"

static void script(void *user)
{
    (void)user;
    pool = ct_pool_new(ctx);
    ct_arena *arena = ct_arena_new(ctx);
    ct_name p[] = {name_of("k"), name_of("p")}, x[] = {name_of("x"), name_of("y"), name_of("z")};
    ct_expr output[300], stranger;
    for (int i = 0; i < 300; i++) {
        output[i] =
            ct_expr_pow(pool, read("sin(x)*k + max(y, z)/(x + p)"), ct_expr_ratio(pool, i + 1, 2));
        output[i] = ct_expr_add(pool, output[i], read("table(x, 2, 0, 1, k, p, 1)"));
    }
    ct_program_def def = {.pool = pool,
                          .parameter = p,
                          .parameter_count = 2,
                          .variable = x,
                          .variable_count = 3,
                          .output = output,
                          .output_count = 300};
    assert_non_null(ct_program_new(arena, &def, &stranger));
    assert_non_null(ct_jacobian_new(arena, pool, output, 300, x, 3, &stranger));
}

static ct_context *new_context(shortage *s)
{
    ct_context_def def = ct_default_context_def();
    def.realloc = scarce_realloc;
    def.realloc_user = s;
    return ct_context_new(&def);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    bool done = false;
    long failures = 0;
    for (long n = 1; !done; n++) {
        shortage s = {.fail_at = n};
        ctx = new_context(&s);
        if (ctx) {
            ct_status status = ct_protect(ctx, script, NULL);
            done = status == CT_OK;
            assert_true(done || status == CT_ERR_MEMORY);
            failures += !done;
            ct_context_free(ctx);
        }
        assert_int_equal(s.blocks, 0);
    }
    print_message("memory ran out at each of %ld requests\n", failures);
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

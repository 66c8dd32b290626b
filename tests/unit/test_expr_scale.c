/* test_expr_scale.c - expressions: depth, size, speed, and memory that runs out. */
#include "test_expr.h"
#include "test_shortage.h"
#include "unit/effort.h"

enum { DEPTH = 100000 };

static ct_expr numbered(const char *stem, unsigned i)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", stem, i);
    return ct_expr_symbol(pool, name_of(name));
}

static double one(const void *user, ct_name symbol)
{
    (void)user, (void)symbol;
    return 1;
}

static void count_visit(void *user, ct_expr e)
{
    (void)e;
    ++*(uint32_t *)user;
}

/* Everything that walks, on one deep expression; the stack has 8 MB. */
static void use_everything(ct_expr e, bool differentiable)
{
    ct_name x = name_of("x");
    const ct_name *found;
    uint32_t visits = 0;
    ct_expr_walk(pool, &e, 1, count_visit, &visits);
    assert_true(visits >= DEPTH);
    assert_true(ct_expr_has(pool, e, x));
    assert_true(ct_expr_symbols(pool, e, &found) >= 1);
    assert_true(ct_expr_value(pool, e, one, NULL) != 0);
    ct_expr y = ct_expr_symbol(pool, name_of("y")), moved = ct_expr_substitute(pool, e, &x, &y, 1);
    assert_true(moved && moved != e);
    assert_int_equal(ct_expr_diff(pool, e, x) != 0, differentiable);
    ct_expr c, rest;
    ct_expr_linear(pool, e, &x, 1, &c, &rest);
    assert_true(strlen(text_of(e)) > DEPTH);
    assert_true(strlen(latex_of(e)) > DEPTH);
}

static void deep_calls(void **state)
{
    (void)state;
    ct_expr e = read("x");
    for (int i = 0; i < DEPTH; i++)
        e = ct_expr_call1(pool, i % 2 ? CT_OP_SIN : CT_OP_ATAN, e);
    use_everything(e, true);
}

static void deep_sums_and_products(void **state)
{
    (void)state;
    ct_expr e = read("x");
    for (unsigned i = 0; i < DEPTH / 2; i++) {
        e = ct_expr_mul(pool, e, numbered("a", i % 7));
        e = ct_expr_add(pool, e, read("b"));
    }
    use_everything(e, true);
    ct_expr c, rest;
    assert_true(ct_expr_linear(pool, e, &(ct_name){name_of("x")}, 1, &c, &rest));
}

static void deep_quotients(void **state)
{
    (void)state;
    ct_expr e = read("x");
    for (unsigned i = 0; i < DEPTH; i++)
        e = ct_expr_div(pool, read("1"), ct_expr_add(pool, e, numbered("a", i % 5)));
    use_everything(e, true);
}

static void deep_choices(void **state)
{
    (void)state;
    ct_expr e = read("x");
    for (unsigned i = 0; i < DEPTH; i++) {
        ct_expr less = ct_expr_call2(pool, CT_OP_LESS, e, ct_expr_int(pool, i));
        e = ct_expr_call(pool, CT_OP_IF, (ct_expr[]){read("x > y"), e, numbered("a", i)}, 3);
        if (i % 1000 == 0)
            e = ct_expr_call2(pool, CT_OP_MIN, e, less);
    }
    const ct_name *found;
    assert_int_equal(ct_expr_symbols(pool, e, &found), DEPTH + 2);
    assert_true(ct_expr_substitute(pool, e, &(ct_name){name_of("x")}, &(ct_expr){read("y")}, 1) !=
                0);
    assert_true(ct_expr_diff(pool, e, name_of("x")) != 0);
}

static double effort_of_sum(uint32_t count, uint32_t stride)
{
    ct_expr *term = malloc(count * sizeof *term);
    assert_non_null(term);
    for (uint32_t i = 0; i < count; i++) {
        unsigned place = (unsigned)((uint64_t)i * stride % count);
        term[i] = ct_expr_mul(pool, numbered("k", place), numbered("v", place % 100));
    }
    double start = effort_clock();
    ct_expr e = ct_expr_sum(pool, term, count);
    double spent = effort_since(start);
    assert_int_equal(ct_expr_arity(pool, e), count);
    free(term);
    return spent;
}

/* The work of an insertion sort of 1e5 terms would be more than 1000. */
static void long_sums_are_nearly_linear(void **state)
{
    (void)state;
    double effort = effort_of_sum(100000, 7919);
    print_message("sum of 1e5 terms: %.3g\n", effort);
    assert_true(effort < 200);
}

static void a_million_nodes(void **state)
{
    (void)state;
    enum { MILLION = 1000000 };
    double start = effort_clock();
    ct_expr e = read("x"), f = read("y");
    while (ct_pool_count(pool) < MILLION) {
        ct_expr next = ct_expr_add(pool, ct_expr_mul(pool, e, f), numbered("a", e % 50));
        f = e;
        e = next;
    }
    double spent = effort_clock() - start;
    print_message("%u nodes: %.0f ns and %.1f bytes per node\n", ct_pool_count(pool),
                  1e9 * spent / ct_pool_count(pool),
                  (double)ct_arena_bytes(ct_pool_arena(pool)) / ct_pool_count(pool));
    uint32_t visits = 0;
    ct_expr_walk(pool, &e, 1, count_visit, &visits);
    assert_true(visits > MILLION / 2);
    assert_true(ct_expr_diff(pool, f, name_of("a1")) != 0);
}

/* Numbers that outgrow every limit end the job, not the program. */
static void square_for_ever(void *user)
{
    ct_expr e = read("3^1000");
    for (int i = 0; i < 40; i++)
        e = ct_expr_mul(pool, e, e);
    (void)user;
}

static void numbers_have_a_limit(void **state)
{
    (void)state;
    assert_int_equal(ct_protect(ctx, square_for_ever, NULL), CT_ERR_LIMIT);
    assert_int_equal(read("2 + 2"), read("4")); /* the pool is still good */
}

/* ---- random expressions: constructors against plain arithmetic on doubles */

typedef struct sample {
    ct_expr e;
    double value;
} sample;

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double value_of_name(const void *user, ct_name symbol)
{
    const char *text = ct_name_text(ctx, symbol);
    (void)user;
    return 0.37 + 0.11 * (text[0] - 'a');
}

static sample combine(sample a, sample b, uint64_t r)
{
    switch (r % 10) {
    case 0:
    case 1:
        return (sample){ct_expr_add(pool, a.e, b.e), a.value + b.value};
    case 2:
    case 3:
        return (sample){ct_expr_sub(pool, a.e, b.e), a.value - b.value};
    case 4:
    case 5:
        return (sample){ct_expr_mul(pool, a.e, b.e), a.value * b.value};
    case 6:
        return (sample){ct_expr_div(pool, a.e, b.e), a.value / b.value};
    case 7:
        return (sample){ct_expr_call1(pool, CT_OP_SIN, a.e), sin(a.value)};
    case 8:
        return (sample){ct_expr_call1(pool, CT_OP_COS, a.e), cos(a.value)};
    default:
        return (sample){ct_expr_pow(pool, a.e, ct_expr_ratio(pool, (int)(r / 16 % 7) - 3, 2)),
                        pow(a.value, ((double)(r / 16 % 7) - 3) / 2)};
    }
}

/* Removable singularities and cancelled digits aside: those are not followed further. */
static bool is_tame(double value)
{
    return isfinite(value) && fabs(value) > 1e-3 && fabs(value) < 1e3;
}

static void check_sample(sample s, uint64_t seed)
{
    double got = ct_expr_value(pool, s.e, value_of_name, NULL);
    if (!(fabs(got - s.value) <= 1e-6 * (1 + fabs(s.value))))
        fail_msg("seed %llu: %s is %.12g, want %.12g", (unsigned long long)seed, text_of(s.e), got,
                 s.value);
    const char *text = text_of(s.e);
    if (strlen(text) < 2000 && read(text) != s.e)
        fail_msg("seed %llu: %s reads back as %s", (unsigned long long)seed, text,
                 text_of(read(text)));
}

static void random_expressions_keep_their_value(void **state)
{
    (void)state;
    enum { KEPT = 24 };
    for (uint64_t round = 1; round <= 300; round++) {
        uint64_t seed = round * 0x9e3779b97f4a7c15u;
        sample kept[KEPT];
        renew_pool();
        for (int i = 0; i < KEPT; i++) {
            char name[2] = {(char)('a' + i % 6), '\0'};
            kept[i].e = i % 8 == 7 ? ct_expr_ratio(pool, i - 12, 3) : read(name);
            kept[i].value = ct_expr_value(pool, kept[i].e, value_of_name, NULL);
        }
        for (int i = 0; i < 120; i++) {
            sample a = kept[next_random(&seed) % KEPT], b = kept[next_random(&seed) % KEPT];
            sample s = combine(a, b, next_random(&seed));
            if (!s.e || !is_tame(s.value) || strlen(text_of(s.e)) > 400)
                continue;
            check_sample(s, round);
            kept[next_random(&seed) % KEPT] = s;
        }
    }
}

/* ---- memory that runs out at the n-th request */

static void script(void *user)
{
    (void)user;
    pool = ct_pool_new(ctx);
    ct_name x = name_of("x");
    ct_expr e = read("sin(x)^2*(1/3 + y)^(2/3) + "
                     "(if x < y then table(x, 2, 0, 1, 2, 3, 1) else 3^200/7)");
    for (unsigned i = 0; i < 400; i++)
        e = ct_expr_add(pool, ct_expr_mul(pool, e, numbered("a", i)), ct_expr_ratio(pool, i, 3));
    ct_expr terms[300];
    for (unsigned i = 0; i < 300; i++)
        terms[i] = numbered("b", (i * 7) % 300);
    e = ct_expr_add(pool, e, ct_expr_sum(pool, terms, 300));
    ct_expr d = ct_expr_diff(pool, e, x), c, rest;
    ct_expr y = ct_expr_symbol(pool, name_of("y"));
    ct_expr_linear(pool, ct_expr_substitute(pool, d, &x, &y, 1), &x, 1, &c, &rest);
    text_of(e);
    latex_of(d);
    const ct_name *found;
    ct_expr_symbols(pool, d, &found);
    ct_expr_value(pool, d, one, NULL);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    bool done = false;
    long failures = 0;
    for (long n = 1; !done; n++) {
        shortage s = {.fail_at = n};
        ct_context_def def = ct_default_context_def();
        def.realloc = scarce_realloc;
        def.realloc_user = &s;
        ctx = ct_context_new(&def);
        if (ctx) {
            ct_status status = ct_protect(ctx, script, NULL);
            done = status == CT_OK;
            assert_true(done || status == CT_ERR_MEMORY);
            failures += !done;
            ct_context_free(ctx);
        }
        assert_int_equal(s.blocks, 0);
        pool = NULL;
    }
    print_message("memory ran out at each of the requests of the script: %ld\n", failures);
    assert_true(failures > 10);
    ctx = NULL;
}

/* After a failure in the middle of a constructor the pool answers as before. */
static void build_more(void *user)
{
    ct_expr *last = user;
    for (unsigned i = 0; i < 3000; i++)
        *last =
            ct_expr_add(pool, ct_expr_mul(pool, numbered("p", i), numbered("q", i % 9)), read("x"));
}

static void a_pool_survives_a_shortage(void **state)
{
    (void)state;
    for (long n = 1; n < 60; n++) {
        shortage s = {0};
        ct_context_def def = ct_default_context_def();
        def.realloc = scarce_realloc;
        def.realloc_user = &s;
        ctx = ct_context_new(&def);
        pool = ct_pool_new(ctx);
        ct_expr before = read("a*x + b/(c + d)"), last = 0;
        s.fail_at = s.calls + n;
        ct_protect(ctx, build_more, &last);
        s.fail_at = 0;
        assert_int_equal(read("b/(c + d) + x*a"), before);
        assert_string_equal(text_of(before), "a*x + b/(c + d)");
        if (last)
            assert_int_equal(ct_expr_sub(pool, last, last), read("0"));
        ct_context_free(ctx);
        assert_int_equal(s.blocks, 0);
    }
    ctx = NULL;
    pool = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(deep_calls),
        TEST(deep_sums_and_products),
        TEST(deep_quotients),
        TEST(deep_choices),
        TEST(long_sums_are_nearly_linear),
        TEST(a_million_nodes),
        TEST(numbers_have_a_limit),
        TEST(random_expressions_keep_their_value),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_pool_survives_a_shortage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_simplify.c - full simplification: textbook cases, random expressions, limits. */

#include "base/hash.h"
#include "simplify/simplify.h"
#include "test_expr.h"
#include "unit/effort.h"

#if defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 500 };
#else
enum { ROUNDS = 4000 };
#endif

static ct_pool *shown; /* where short forms are built */
static ct_arena *arena;
static bool complete;

static int open_both(void **state)
{
    open_pool(state);
    shown = ct_pool_new(ctx);
    arena = ct_arena_new(ctx);
    return 0;
}

static void renew_both(void)
{
    renew_pool();
    ct_pool_free(shown);
    shown = ct_pool_new(ctx);
    ct_arena_free(arena);
    arena = ct_arena_new(ctx);
}

#define SHORT_TEST(name) cmocka_unit_test_setup_teardown(name, open_both, close_pool)

static ct_expr simplified_within(ct_expr e, ct_simplify_budget budget)
{
    return ct_simplify_full(ct_simplifier_new(arena, pool, shown, budget), e, &complete);
}

static ct_expr simplified(ct_expr e)
{
    return simplified_within(e, ct_default_simplify_budget());
}

static const char *shown_text(ct_expr e)
{
    ct_text text = ct_text_new(arena);
    ct_expr_put(shown, &text, e);
    return ct_text_string(&text);
}

static void expect_all(const char *const (*list)[2])
{
    for (; (*list)[0]; list++) {
        renew_both();
        assert_string_equal(shown_text(simplified(read((*list)[0]))), (*list)[1]);
        assert_true(complete);
    }
}

/* ---- known forms */

static void fractions(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"1/(C4/TF + C7*TF)", "TF/(C4 + C7*TF^2)"},
        {"1/(1 + C3/C2)", "C2/(C2 + C3)"},
        {"1/(1/R1 + 1/R2)", "R1*R2/(R1 + R2)"},
        {"-(1/R3 + 1/R5 + 1/R8)/C6", "-(1/R3 + 1/R5 + 1/R8)/C6"},
        {"-(R3*R5 + R3*R8 + R5*R8)/(C6*R3*R5*R8)", "-(1/R3 + 1/R5 + 1/R8)/C6"},
        {"(-R4 - L7/(L3 + L7)*R2)/(L5 + L3*L7/(L3 + L7))",
         "-(L3*R4 + L7*R2 + L7*R4)/(L3*L5 + L3*L7 + L5*L7)"},
        {"(R4 - R2*L5/L3)/(L5 + L7 + L5*L7/L3)", "(L3*R4 - L5*R2)/(L3*L5 + L3*L7 + L5*L7)"},
        {"x/(x^2 + 2*x + 1) + 1/(x + 1)", "(2*x + 1)/(x + 1)^2"},
        {"1/(0.5*b + c)", "2/(b + 2*c)"},
        {"0.1*a + b", "0.1*a + b"},
        {"v/(1/3 + x) - v*3/(3*x + 1)", "0"},
        {NULL, NULL},
    };
    expect_all(list);
}

static void factors(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"(a^2 - b^2)/(a - b)", "a + b"},
        {"(a^2 - b^2)/(a^2 + 2*a*b + b^2)", "(a - b)/(a + b)"},
        {"x^3 + 3*x^2*y + 3*x*y^2 + y^3", "(x + y)^3"},
        {"a*(b + c) - a*b", "a*c"},
        {"m*l^2 + 2*m*l*k + m*k^2", "m*(k + l)^2"},
        {"a*c + a*d + b*c + b*d", "(a + b)*(c + d)"},
        {"a*c + a*d + b*c + b*d + e", "e + (a + b)*(c + d)"},
        {"R3*(E1*R2 + E1*R4 + E1*R5 + I6*R4*R5)/(R2*R3 + R2*R5 + R3*R4 + R3*R5 + R4*R5)",
         "R3*(E1*(R2 + R4 + R5) + I6*R4*R5)/((R2 + R4)*(R3 + R5) + R3*R5)"},
        {NULL, NULL},
    };
    expect_all(list);
}

static void functions(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"1 - sin(q)^2", "cos(q)^2"},
        {"(1 - cos(q)^2)/sin(q)", "sin(q)"},
        {"a*sin(q)^2 + b*c + a*cos(q)^2", "a + b*c"},
        {"a*b - a*b*cos(q)^2", "a*b*sin(q)^2"},
        {"(a - a*cos(q)^2)/(b*sin(q))", "a*sin(q)/b"},
        {"cos(t1)*cos(t2) + sin(t1)*sin(t2)", "cos(t1 - t2)"},
        {"a*sin(t1)*cos(t2) + a*cos(t1)*sin(t2) + b", "b + a*sin(t1 + t2)"},
        {"exp(1/(C4/TF + C7*TF))", "exp(TF/(C4 + C7*TF^2))"},
        {"sqrt(1/(1/x + 1/y))", "sqrt(x*y/(x + y))"},
        {"sqrt(x)*(sqrt(x) + y) - x", "sqrt(x)*y"},
        {"a*exp(1/(1/x + 1/y)) + b*exp(1/(1/x + 1/y))", "(a + b)*exp(x*y/(x + y))"},
        {"a*sqrt(1/(1/x + 1/y)) + b*sqrt(1/(1/x + 1/y))", "(a + b)*sqrt(x*y/(x + y))"},
        {"(a + b*sin((x^2 - y^2)/(x - y)))/(1 + c/a)", "a*(a + b*sin(x + y))/(a + c)"},
        {"if a > 1/(1 + c/b) then 1/(1 + c/b) else x", "if a > b/(b + c) then b/(b + c) else x"},
        {NULL, NULL},
    };
    expect_all(list);
}

/* ---- random expressions */

static uint64_t seed;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static ct_expr random_leaf(void)
{
    static const char *const name[] = {"a", "b", "c", "R2", "L3", "omega"};
    return chance(5) ? ct_expr_symbol(pool, name_of(name[chance(6)]))
                     : ct_expr_ratio(pool, (int64_t)chance(9) - 4, (int64_t)chance(4) + 1);
}

/* Builds from a few values at hand, so that parts are shared; a division by zero gives 0. */
static ct_expr random_expr(uint32_t steps, bool with_functions)
{
    ct_expr at_hand[32];
    uint32_t count = 0;
    while (count < 4)
        at_hand[count++] = random_leaf();
    for (uint32_t i = 0; i < steps; i++) {
        ct_expr a = at_hand[chance(count)], b = chance(3) ? at_hand[chance(count)] : random_leaf();
        ct_expr made = 0;
        switch (chance(with_functions ? 8 : 6)) {
        case 0:
        case 1:
            made = ct_expr_add(pool, a, b);
            break;
        case 2:
            made = ct_expr_sub(pool, a, b);
            break;
        case 3:
            made = ct_expr_mul(pool, a, b);
            break;
        case 4:
            made = ct_expr_div(pool, a, b);
            break;
        case 5:
            made = ct_expr_pow(pool, a, ct_expr_int(pool, (int64_t)chance(4) - 1));
            break;
        case 6:
            made = ct_expr_call1(pool, chance(2) ? CT_OP_SIN : CT_OP_COS, a);
            break;
        case 7:
            made = ct_expr_call1(pool, CT_OP_EXP, a);
            break;
        }
        if (made)
            at_hand[count < 32 ? count++ : chance(32)] = made;
    }
    return at_hand[count - 1];
}

static double value_of_symbol(const void *user, ct_name name)
{
    return 0.3 +
           (double)((uint32_t)ct_hash_bytes(ct_name_text(ctx, name), ct_name_length(ctx, name), 1) *
                    (*(uint32_t *)user | 1) % 1009) /
               700;
}

static bool agree(double x, double y)
{
    return !isfinite(x) || !isfinite(y) || fabs(x) > 1e8 ||
           fabs(x - y) <= 1e-6 * (1e-3 + fabs(x) + fabs(y));
}

/* Bars below a bar: a/(b + c/d) has one. */
static size_t nested_divisions(const char *text)
{
    bool below[1000];
    size_t depth = 0, count = 0;
    below[0] = false;
    for (; *text && depth < 998; text++) {
        if (*text == '/')
            count += below[depth];
        if (*text == '/' && text[1] == '(') {
            below[++depth] = true;
            text++;
        } else if (*text == '(') {
            below[depth + 1] = below[depth];
            depth++;
        } else if (*text == ')') {
            depth--;
        }
    }
    return count;
}

/* The value stays, at a point of the field (where that knows all identities) and in double
 * precision; the text becomes no longer, but for fractions inside of fractions; to simplify again
 * changes nothing. */
static void check_one(ct_expr e, bool rational)
{
    ct_expr first = simplified(e);
    assert_int_not_equal(first, 0);
    assert_true(complete);
    if (rational && ct_expr_fingerprint(pool, e) != ct_expr_fingerprint(shown, first))
        fail_msg("%s became %s", text_of(e), shown_text(first));
    for (uint32_t point = 1; point < 4; point++)
        if (!agree(ct_expr_value(pool, e, value_of_symbol, &point),
                   ct_expr_value(shown, first, value_of_symbol, &point)))
            fail_msg("%s became %s", text_of(e), shown_text(first));
    const char *text = shown_text(first);
    if (strlen(text) > strlen(text_of(e)) + 6 * nested_divisions(text_of(e)))
        fail_msg("%s became longer: %s", text_of(e), text);
    ct_pool *third = ct_pool_new(ctx);
    ct_expr again = ct_simplify_full(
        ct_simplifier_new(arena, shown, third, ct_default_simplify_budget()), first, NULL);
    ct_text second = ct_text_new(arena);
    ct_expr_put(third, &second, again);
    if (strcmp(text, ct_text_string(&second)) != 0)
        fail_msg("%s: %s became %s", text_of(e), text, ct_text_string(&second));
    ct_pool_free(third);
}

static void random_rational(void **state)
{
    (void)state;
    seed = 1;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        renew_both();
        check_one(random_expr(3 + chance(16), false), true);
    }
}

static void random_functions(void **state)
{
    (void)state;
    seed = 2;
    for (uint32_t i = 0; i < ROUNDS / 2; i++) {
        renew_both();
        check_one(random_expr(3 + chance(16), true), false);
    }
}

/* Sums of products of sines and cosines: what multibody equations are made of. */
static void random_circles(void **state)
{
    (void)state;
    static const char *const angle[] = {"q1", "q2", "q3"};
    seed = 3;
    for (uint32_t i = 0; i < ROUNDS / 4; i++) {
        renew_both();
        ct_expr sum = ct_expr_int(pool, 0), below = ct_expr_int(pool, 1);
        for (uint32_t terms = 2 + chance(5); terms > 0; terms--) {
            ct_expr term = ct_expr_int(pool, chance(3) ? 1 : -1);
            for (uint32_t k = 0; k < 3; k++) {
                ct_expr x = ct_expr_symbol(pool, name_of(angle[chance(3)]));
                ct_expr f = ct_expr_call1(pool, chance(2) ? CT_OP_SIN : CT_OP_COS, x);
                term = ct_expr_mul(pool, term, chance(4) ? f : random_leaf());
            }
            sum = ct_expr_add(pool, sum, term);
            below = chance(8) ? below : ct_expr_add(pool, below, term);
        }
        ct_expr e = chance(3) ? sum : ct_expr_div(pool, sum, below);
        if (e)
            check_one(e, true);
    }
}

/* The matrix and the forces of two links [McPhee-2, eqs. 134-139], from elimination. */
static void two_links(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"I1 + l5^2*m1 + m2*(l5^2 + 2*l5*l6 + l6^2) + m3*(l5 + l6)^2",
         "I1 + (l5 + l6)^2*(m2 + m3) + l5^2*m1"},
        {"(cos(t1)*sin(t2) - sin(t1)*cos(t2))*(l5*l7*m2 + l6*l7*m2 + (l5 + l6)*(l7*m3 + l8*m3))",
         "-(l5 + l6)*(l7*m2 + l7*m3 + l8*m3)*sin(t1 - t2)"},
        {"-F13*(l5 + l6)*sin(t1) - w2^2*(l5*l7 + l6*l7)*(m2 + m3)*(cos(t1)*cos(t2) + "
         "sin(t1)*sin(t2)) - w2^2*l8*m3*(l5 + l6)*cos(t1 - t2)",
         "-(F13*sin(t1) + w2^2*(l7*m2 + l7*m3 + l8*m3)*cos(t1 - t2))*(l5 + l6)"},
        {NULL, NULL},
    };
    expect_all(list);
}

/* ---- limits */

static ct_expr entry(uint32_t i, uint32_t k)
{
    char text[16];
    snprintf(text, sizeof text, "m%u%c%u", i < k ? i : k, 'x', i < k ? k : i);
    return ct_expr_symbol(pool, name_of(text));
}

/* By elimination without pivoting, as a program would do it. */
static ct_expr determinant(uint32_t n)
{
    ct_expr m[12][12], all = ct_expr_int(pool, 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            m[i][k] = entry(i, k);
    for (uint32_t p = 0; p < n; p++) {
        all = ct_expr_mul(pool, all, m[p][p]);
        for (uint32_t i = p + 1; i < n; i++)
            for (uint32_t k = p + 1; k < n; k++)
                m[i][k] = ct_expr_sub(
                    pool, m[i][k], ct_expr_div(pool, ct_expr_mul(pool, m[i][p], m[p][k]), m[p][p]));
    }
    return all;
}

static void small_determinant(void **state)
{
    (void)state;
    ct_expr e = determinant(3);
    assert_string_equal(shown_text(simplified(e)),
                        "m0x0*m1x1*m2x2 - m0x0*m1x2^2 + 2*m0x1*m0x2*m1x2 - m0x1^2*m2x2 - "
                        "m0x2^2*m1x1");
    assert_true(complete);
}

static void large_determinant(void **state)
{
    (void)state;
    ct_expr e = determinant(10);
    double start = effort_clock();
    ct_expr s = simplified(e);
    double effort = effort_since(start);
    print_message("determinant of 10 rows: %.3g\n", effort);
    assert_true(effort < 2000);
    assert_false(complete);
    assert_true(ct_expr_fingerprint(pool, e) == ct_expr_fingerprint(shown, s));
}

/* Powers, numbers and sums that must not be multiplied out. */
static void too_large(void **state)
{
    (void)state;
    static const char *const list[] = {
        "(a + b + c + d + e + f + g + h)^12/(a + b)",
        "((x + 1)^64 - (x - 1)^64)^64",
        "x^1000000/(x + x^999999)",
        "x^4096*(y + 1)^40/(x^64 + 1)",
        "(x + 7^90)^60/(x + 1)",
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        renew_both();
        ct_expr e = read(list[i]), s = simplified(e);
        assert_false(complete);
        assert_true(ct_expr_fingerprint(pool, e) == ct_expr_fingerprint(shown, s));
        assert_string_equal(shown_text(s), text_of(e));
    }
}

/* A part that is too large is carried over, and the rest is simplified all the same. */
static void too_large_inside(void **state)
{
    (void)state;
    ct_expr e = read("1/(1/y + 1/(y*(a + b + c + d + e + f + g + h)^12))"), s = simplified(e);
    assert_false(complete);
    assert_true(ct_expr_fingerprint(pool, e) == ct_expr_fingerprint(shown, s));
    assert_string_equal(shown_text(s), "y/(1/(a + b + c + d + e + f + g + h)^12 + 1)");
}

static void small_budget(void **state)
{
    (void)state;
    seed = 5;
    for (uint32_t i = 0; i < ROUNDS / 4; i++) {
        renew_both();
        ct_simplify_budget budget = {.terms = 1 + chance(6), .work = chance(300), .seconds = 10};
        ct_expr e = random_expr(5 + chance(20), false), s = simplified_within(e, budget);
        if (ct_expr_fingerprint(pool, e) != ct_expr_fingerprint(shown, s))
            fail_msg("%s became %s", text_of(e), shown_text(s));
    }
}

/* ---- memory that runs out: nothing of FLINT's may be left behind (seen by the leak check) */

static uint32_t requests, refused;

static void *refusing(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++requests >= refused ? NULL : realloc(block, new_size);
}

static void simplify_some(void *user)
{
    (void)user;
    pool = ct_pool_new(ctx);
    shown = ct_pool_new(ctx);
    arena = ct_arena_new(ctx);
    ct_expr e = read("-F13*(l5 + l6)*sin(t1) - w2^2*(l5*l7 + l6*l7)*(m2 + m3)*(cos(t1)*cos(t2) + "
                     "sin(t1)*sin(t2))/(1/R3 + 1/R5) - 123456789012345678901*sqrt(1/(1/x + 1/y))");
    simplified(ct_expr_add(pool, e, determinant(5)));
}

static void memory_runs_out(void **state)
{
    (void)state;
    ct_status status = CT_ERR_MEMORY;
    for (refused = 1; status == CT_ERR_MEMORY; refused += 1 + refused / 16) {
        requests = 0;
        ct_context_def def = {.realloc = refusing};
        ctx = ct_context_new(&def);
        status = ctx ? ct_protect(ctx, simplify_some, NULL) : CT_ERR_MEMORY;
        ct_context_free(ctx);
    }
    assert_int_equal(status, CT_OK);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHORT_TEST(fractions),
        SHORT_TEST(factors),
        SHORT_TEST(functions),
        SHORT_TEST(random_rational),
        SHORT_TEST(random_functions),
        SHORT_TEST(random_circles),
        SHORT_TEST(two_links),
        SHORT_TEST(small_determinant),
        SHORT_TEST(large_determinant),
        SHORT_TEST(too_large),
        SHORT_TEST(too_large_inside),
        SHORT_TEST(small_budget),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_expr.c - expressions: canonical forms, exact numbers, derivatives, rewriting, printing. */
#include "expr/pool.h"

#include "test_expr.h"

#include <gmp.h>

/* ---- canonical forms: what is written, what is kept. Reading the result gives the same node. */
static const struct form_case {
    const char *in, *out; /* NULL: no expression (division by zero) */
} forms[] = {
    {"x + 0", "x"},
    {"x*0", "0"},
    {"x*1", "x"},
    {"x + x", "2*x"},
    {"x - x", "0"},
    {"x/x", "1"},
    {"x*x*x", "x^3"},
    {"x^2*x^-2", "1"},
    {"x^0", "1"},
    {"0^0", "1"},
    {"0^2", "0"},
    {"1/0", NULL},
    {"0^-1", NULL},
    {"x/(y - y)", NULL},
    {"sin(1/0)", NULL},
    {"a - b", "a - b"},
    {"b - a", "b - a"},
    {"-(a - b)", "b - a"},
    {"-a - b", "-a - b"},
    {"1 - x", "1 - x"},
    {"x - 1", "x - 1"},
    {"2*(a + b)", "2*a + 2*b"},
    {"x*2*(a + b)", "2*x*(a + b)"},
    {"(b - a)^2 - (a - b)^2", "0"},
    {"(b - a)*(d - c) - (a - b)*(c - d)", "0"},
    {"a + (b + (c + d))", "a + b + c + d"},
    {"a*(b*(c*d))", "a*b*c*d"},
    {"(x^2)^3", "x^6"},
    {"(x*y)^2", "x^2*y^2"},
    {"(2*x)^3", "8*x^3"},
    {"sqrt(x^2)", "sqrt(x^2)"},
    {"sqrt(x)^2", "x"},
    {"sqrt(x)^4*sqrt(x)", "x^2.5"},
    {"sqrt(sqrt(x))", "x^0.25"},
    {"sqrt(x*y)", "sqrt(x*y)"},
    {"sqrt(x*y)*sqrt(x*y)", "x*y"},
    {"sqrt(2)*sqrt(2)", "2"},
    {"1/sqrt(2)", "0.5*sqrt(2)"},
    {"2^(5/2)", "4*sqrt(2)"},
    {"sqrt(16/9)", "4/3"},
    {"x^(1/3)", "x^(1/3)"},
    {"8^(2/3)", "4"},
    {"(-8)^(1/3)", "(-8)^(1/3)"},
    {"x^y", "x^y"},
    {"1^y", "1"},
    {"(x^y)^z", "(x^y)^z"},
    {"2^100000000", "2^1e8"},
    {"sin(0)", "0"},
    {"sin(-x)", "-sin(x)"},
    {"cos(b - a)", "cos(a - b)"},
    {"tan(-2*x)", "-tan(2*x)"},
    {"exp(0)", "1"},
    {"exp(1)", "exp(1)"},
    {"log(1)", "0"},
    {"log(exp(x))", "x"},
    {"acos(1)", "0"},
    {"atan2(0, 2)", "0"},
    {"atan2(0, -2)", "atan2(0, -2)"},
    {"abs(-3/7)", "3/7"},
    {"abs(abs(x))", "abs(x)"},
    {"abs(-x)", "abs(x)"},
    {"sign(-1/3)", "-1"},
    {"sign(0)", "0"},
    {"step(0)", "1"},
    {"step(-1/9)", "0"},
    {"floor(-7/2)", "-4"},
    {"floor(7)", "7"},
    {"mod(-7, 3)", "2"},
    {"mod(7/2, -2/3)", "-0.5"},
    {"mod(x, 0)", "mod(x, 0)"},
    {"min(1/3, 1/4)", "0.25"},
    {"max(1/3, 1/4, 2)", "2"},
    {"min(y, x)", "min(x, y)"},
    {"max(x, x)", "x"},
    {"clamp(5, 0, 2)", "2"},
    {"clamp(x, 0, 2)", "clamp(x, 0, 2)"},
    {"pulse(7, 2, 1/2)", "0"},
    {"pulse(8, 2, 1/2)", "1"},
    {"1/3 < 1/2", "1"},
    {"x < x", "0"},
    {"x >= x", "1"},
    {"y == x", "x == y"},
    {"2 != 3", "1"},
    {"x and 0", "0"},
    {"1 and (x < y)", "x < y"},
    {"x or 2", "1"},
    {"not (x < y)", "not x < y"},
    {"not not (x < y)", "x < y"},
    {"not 7", "0"},
    {"if 1 then x else y", "x"},
    {"if 0 then x else y", "y"},
    {"if a < b then x else x", "x"},
    {"if a < b then 1 else 0", "a < b"},
    {"der(5)", "0"},
    {"pre(5)", "5"},
    {"integral(0)", "0"},
    {"1/3 + 1/7", "10/21"},
    {"0.1 + 0.2 - 0.3", "0"},
};

static void check_form(const struct form_case *c)
{
    ct_expr e = read(c->in);
    if (!c->out) {
        if (e)
            fail_msg("%s: got %s, want none", c->in, text_of(e));
        return;
    }
    if (!e)
        fail_msg("%s: got none, want %s", c->in, c->out);
    if (strcmp(text_of(e), c->out) != 0)
        fail_msg("%s: got %s, want %s", c->in, text_of(e), c->out);
    if (read(c->out) != e)
        fail_msg("%s: %s reads back as another node", c->in, c->out);
}

static void canonical_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        renew_pool();
        check_form(&forms[i]);
    }
}

/* ---- fingerprints: what must vanish, and what must not */
static const struct identity_case {
    const char *text;
    bool zero;
} identities[] = {
    {"sin(x)^2 + cos(x)^2 - 1", true},
    {"sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)", true},
    {"cos(x - y) - cos(x)*cos(y) - sin(x)*sin(y)", true},
    {"sin(3*x) - 3*sin(x) + 4*sin(x)^3", true},
    {"sin(x) - 2*sin(x/2)*cos(x/2)", true},
    {"tan(x) - sin(x)/cos(x)", true},
    {"sin(x + pi) + sin(x)", true},
    {"cos(x + pi/2) + sin(x)", true},
    {"sin(pi)", true},
    {"sin(2*a - 2*b) + 2*sin(b - a)*cos(a - b)", true},
    {"(x + y)^2 - x^2 - 2*x*y - y^2", true},
    {"(x^2 - y^2)/(x - y) - x - y", true},
    {"1/(1/a + 1/b) - a*b/(a + b)", true},
    {"sqrt(x + y)*(x + y) - x*sqrt(x + y) - y*sqrt(x + y)", true},
    {"sin(x*(y + 1)) - sin(x*y + x)", true},
    {"sqrt(x^2) - x", false},
    {"sqrt(x^2) + x", false},
    {"abs(x) - x", false},
    {"sqrt(x^2) - abs(x)", false},
    {"min(x, y) + max(x, y) - x - y", false},
    {"mod(x, 1) - x", false},
    {"(if x < 0 then -x else x) - abs(x)", false},
    {"2305843008830524127", false}, /* p itself */
    {"2305843008830524127*x", false},
    {"x/2305843008830524127", false},
    {"2305843009213693951*x", false}, /* 2^61 - 1 */
    {"2305843009213693952*x - x", false},
    {"x*1e-60*(1e40*y + 1e-12*z) - 1e-20*x*y - 1e-72*x*z", true},
    {"(x + y)/7777777777777777 - x/7777777777777777 - y/7777777777777777", true},
    {"(x/1073741827 + y/2147483659)*(x - y) - x^2/1073741827 + x*y/1073741827 - "
     "x*y/2147483659 + y^2/2147483659",
     true},
    {"(x + 2^-90*y)^2 - x^2 - 2^-89*x*y - 2^-180*y^2", true},
    {"2^200*x - 131072*x", false},
    {"x/1152921504606846976 - 2*x", false},
    {"sin(x) - x", false},
    {"cos(pi/4) - sin(pi/4)", false},
};

static void fingerprints_find_identities(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        renew_pool();
        ct_expr e = read(identities[i].text);
        if (ct_expr_is_zero(pool, e) != identities[i].zero)
            fail_msg("%s: got %s", identities[i].text, text_of(e));
        if (identities[i].zero)
            continue;
        assert_int_not_equal(ct_expr_fingerprint(pool, e) == 0 && !ct_expr_is_number(pool, e), 1);
    }
}

static void equal_values_share_a_node(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"a*c + b*c", "(a + b)*c"},
        {"sin(x)*cos(y) + cos(x)*sin(y)", "sin(x + y)"},
        {"(x^2 - 1)/(x - 1)", "x + 1"},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        ct_expr first = read(pair[i][0]), second = read(pair[i][1]);
        assert_int_equal(first, second);
        ct_expr opposite = read("0");
        opposite = ct_expr_sub(pool, opposite, second);
        assert_int_equal(ct_expr_neg(pool, opposite), first);
    }
    /* numbers are never merged by fingerprint: p is 0 in the field */
    assert_int_not_equal(read("2305843008830524127"), read("0"));
    assert_int_not_equal(read("2305843008830524128"), read("1"));
}

/* Merging brings back an older node with another constant: the value must not change. */
static void merged_products_keep_their_value(void **state)
{
    (void)state;
    ct_expr e = read("1/2*(2*a + 2*b)*c"), f = read("2*(a + b)*c");
    assert_int_equal(ct_expr_sub(pool, f, ct_expr_mul(pool, read("2"), e)), read("0"));
    assert_int_equal(ct_expr_add(pool, f, e), read("3*c*(a + b)"));
    assert_int_equal(ct_expr_sub(pool, ct_expr_add(pool, f, e), e), f);
}

/* ---- exact numbers against GMP */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void assert_number(ct_expr e, const mpq_t want)
{
    char *digits = mpq_get_str(NULL, 10, want);
    char *slash = strchr(digits, '/');
    if (slash)
        *slash = '\0';
    bool negative = *digits == '-';
    ct_expr num = ct_expr_decimal(pool, digits + negative, strlen(digits + negative));
    ct_expr den = slash ? ct_expr_decimal(pool, slash + 1, strlen(slash + 1)) : read("1");
    if (negative)
        num = ct_expr_neg(pool, num);
    assert_true(ct_expr_is_exact(pool, e));
    assert_int_equal(e, ct_expr_div(pool, num, den));
    free(digits);
}

/* Random walks over + - * / with operands of all sizes up to the edges of 64 bits. */
static void arithmetic_agrees_with_gmp(void **state)
{
    (void)state;
    static const int64_t edge[] = {1, -1, 2, INT64_MAX, -INT64_MAX, INT64_MIN, 1000003, 1 << 30};
    uint64_t seed = 7;
    mpq_t want, step;
    mpq_inits(want, step, NULL);
    for (int walk = 0; walk < 200; walk++) {
        ct_expr got = read("1");
        mpq_set_ui(want, 1, 1);
        for (int i = 0; i < 12; i++) {
            uint64_t r = next_random(&seed);
            int64_t num =
                r & 1 ? edge[r >> 8 & 7] : (int64_t)(next_random(&seed) >> (r >> 16 & 63));
            int64_t den =
                r & 2 ? edge[r >> 11 & 7] : (int64_t)(next_random(&seed) >> (r >> 24 & 63));
            den = den ? den : 1;
            num = num ? num : 1;
            ct_expr x = ct_expr_ratio(pool, num, den);
            mpz_set_si(mpq_numref(step), num);
            mpz_set_si(mpq_denref(step), den);
            mpq_canonicalize(step);
            assert_number(x, step);
            switch (r >> 32 & 3) {
            case 0:
                got = ct_expr_add(pool, got, x);
                mpq_add(want, want, step);
                break;
            case 1:
                got = ct_expr_sub(pool, got, x);
                mpq_sub(want, want, step);
                break;
            case 2:
                got = ct_expr_mul(pool, got, x);
                mpq_mul(want, want, step);
                break;
            default:
                got = ct_expr_div(pool, got, x);
                mpq_div(want, want, step);
            }
            assert_number(got, want);
            assert_int_equal(ct_expr_call1(pool, CT_OP_SIGN, got),
                             ct_expr_int(pool, mpq_sgn(want)));
        }
    }
    mpq_clears(want, step, NULL);
}

static void large_numbers(void **state)
{
    (void)state;
    mpq_t want;
    mpq_init(want);
    ct_expr primes = read("1"), harmonic = read("0");
    mpz_t product;
    mpz_init_set_ui(product, 1);
    for (unsigned p = 2; p < 300; p++) {
        bool prime = true;
        for (unsigned d = 2; d * d <= p; d++)
            prime &= p % d != 0;
        if (!prime)
            continue;
        mpz_mul_ui(product, product, p);
        primes = ct_expr_mul(pool, primes, ct_expr_int(pool, p));
        harmonic = ct_expr_add(pool, harmonic, ct_expr_ratio(pool, 1, p));
        mpq_t part;
        mpq_init(part);
        mpq_set_ui(part, 1, p);
        mpq_add(want, want, part);
        mpq_clear(part);
    }
    assert_number(harmonic, want);
    mpq_set_z(want, product);
    assert_number(primes, want);
    mpz_ui_pow_ui(mpq_numref(want), 2, 200);
    mpz_set_ui(mpq_denref(want), 1);
    assert_number(read("2^200"), want);
    assert_int_equal(read("2^200/2^199"), read("2"));
    assert_int_equal(read("sqrt(2^200)"), read("2^100"));
    assert_int_equal(read("floor(2^200/3)"), read("(2^200 - 1)/3"));
    assert_int_equal(read("mod(-2^200, 3)"), read("2"));
    assert_int_equal(read("max(2^200, 3^120)"), read("2^200"));
    assert_int_equal(ct_expr_int(pool, INT64_MIN), read("-9223372036854775808"));
    int64_t value = 0;
    assert_true(ct_expr_to_int(pool, read("-9223372036854775808"), &value));
    assert_true(value == INT64_MIN);
    assert_false(ct_expr_to_int(pool, read("9223372036854775808"), &value));
    assert_false(ct_expr_to_int(pool, read("1/2"), &value));
    mpz_clear(product);
    mpq_clear(want);
}

/* The decimal reader and ct_expr_to_double() together must round as strtod() does. */
static void doubles_are_rounded_correctly(void **state)
{
    (void)state;
    static const char *const text[] = {
        "0.1",
        "1e23",
        "9007199254740993",
        "1.7976931348623157e308",
        "1.8e308",
        "5e-324",
        "2e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "1e-400",
        "123456789012345678901234567890",
        "3.14159265358979",
        "9007199254740992.5",
        "0.000244140625",
        "4503599627370497.5",
        "6.62607015e-34",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        double got = ct_expr_to_double(pool, read(text[i]));
        if (got != strtod(text[i], NULL))
            fail_msg("%s: got %.17g", text[i], got);
        assert_true(ct_expr_to_double(pool, ct_expr_neg(pool, read(text[i]))) == -got);
    }
    uint64_t seed = 99;
    for (int i = 0; i < 2000; i++) {
        char digits[64];
        snprintf(digits, sizeof digits, "%llue%d", (unsigned long long)next_random(&seed),
                 (int)(next_random(&seed) % 640) - 330);
        assert_true(ct_expr_to_double(pool, read(digits)) == strtod(digits, NULL));
    }
}

static void decimals(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      ".",  "e5",     "1e",      "1e+",
                                      "1.2.3", "1x", "1e4001", "1e-4001", "0x1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ct_expr_decimal(pool, bad[i], strlen(bad[i])))
            fail_msg("\"%s\" was read as a number", bad[i]);
    assert_int_equal(ct_expr_decimal(pool, "1.5e-6", 6), ct_expr_ratio(pool, 3, 2000000));
    assert_int_equal(ct_expr_decimal(pool, "007.50", 6), ct_expr_ratio(pool, 15, 2));
    assert_int_equal(ct_expr_decimal(pool, "0.000", 5), read("0"));
    assert_int_equal(read("1e4000*1e-4000"), read("1"));
}

/* A double stays a double, and makes one of what it meets. */
static void inexact_numbers(void **state)
{
    (void)state;
    ct_expr third = ct_expr_real(pool, 1.0 / 3);
    assert_false(ct_expr_is_exact(pool, third));
    assert_int_equal(ct_expr_real(pool, 4), read("4"));
    assert_int_equal(ct_expr_real(pool, -0.0), read("0"));
    assert_int_not_equal(third, read("1/3"));
    assert_true(ct_expr_to_double(pool, ct_expr_add(pool, third, read("1"))) == 1.0 / 3 + 1);
    assert_true(ct_expr_to_double(pool, ct_expr_call1(pool, CT_OP_SIN, third)) == sin(1.0 / 3));
    assert_true(ct_expr_to_double(pool, ct_expr_call1(pool, CT_OP_SQRT, third)) == sqrt(1.0 / 3));
    assert_true(ct_expr_to_double(pool, ct_expr_pow(pool, third, third)) == pow(1.0 / 3, 1.0 / 3));
    ct_expr x = read("x"), scaled = ct_expr_mul(pool, third, x);
    assert_int_equal(ct_expr_sub(pool, scaled, ct_expr_mul(pool, x, third)), read("0"));
    assert_int_equal(ct_expr_add(pool, scaled, ct_expr_neg(pool, scaled)), read("0"));
    assert_string_equal(text_of(scaled), "0.3333333333333333*x");
    assert_string_equal(text_of(ct_expr_real(pool, -1.5e-9)), "-1.5e-9");
    assert_string_equal(latex_of(ct_expr_real(pool, 1.5e-9)), "1.5 \\cdot 10^{-9}");
}

/* ---- order and determinism */

static void shuffle(ct_expr *list, uint32_t count, uint64_t *seed)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t k = (uint32_t)(next_random(seed) % (i + 1));
        ct_expr other = list[k];
        list[k] = list[i];
        list[i] = other;
    }
}

/* The same terms in any order, in a fresh pool where even the names were met in another order. */
static void order_of_building_does_not_matter(void **state)
{
    (void)state;
    static const char *const term[] = {"R10",    "R2",  "3*a*b",        "sin(x)",
                                       "a^2/b",  "7/3", "C4.v*(a + b)", "der(C4.v)",
                                       "-b*x*y", "x^y", "R2*R10",       "sqrt(a)"};
    enum { COUNT = sizeof term / sizeof *term };
    uint64_t seed = 5;
    char *sum_text = NULL, *product_text = NULL;
    for (int round = 0; round < 50; round++) {
        ct_context_free(ctx);
        ctx = ct_context_new(NULL);
        pool = ct_pool_new(ctx);
        ct_expr order[COUNT], x[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            order[i] = i;
        shuffle(order, COUNT, &seed);
        for (uint32_t i = 0; i < COUNT; i++)
            x[i] = read(term[order[i]]);
        ct_expr sum = ct_expr_sum(pool, x, COUNT), product = ct_expr_product(pool, x, COUNT);
        shuffle(x, COUNT, &seed);
        assert_int_equal(ct_expr_sum(pool, x, COUNT), sum);
        assert_int_equal(ct_expr_product(pool, x, COUNT), product);
        if (round == 0) {
            sum_text = strdup(text_of(sum));
            product_text = strdup(text_of(product));
        }
        assert_string_equal(text_of(sum), sum_text);
        assert_string_equal(text_of(product), product_text);
    }
    free(sum_text);
    free(product_text);
}

static void order_is_total(void **state)
{
    (void)state;
    static const char *const rising[] = {"-3", "1/3", "2", "R2", "R10", "x", "a*b", "sin(x)"};
    enum { COUNT = sizeof rising / sizeof *rising };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++) {
            int order = ct_expr_compare(pool, read(rising[i]), read(rising[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

/* ---- derivatives */

static double point[4];

static double look_up(const void *user, ct_name symbol)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    (void)user;
    for (int i = 0; i < 4; i++)
        if (symbol == name_of(names[i]))
            return point[i];
    return NAN;
}

static double value_at(ct_expr e, double x)
{
    double old = point[0];
    point[0] = x;
    double value = ct_expr_value(pool, e, look_up, NULL);
    point[0] = old;
    return value;
}

static void check_derivative(ct_expr e)
{
    ct_expr d = ct_expr_diff(pool, e, name_of("x"));
    if (!d)
        fail_msg("%s has no derivative", text_of(e));
    double h = 1e-5, x = point[0];
    double want = (value_at(e, x - 2 * h) - 8 * value_at(e, x - h) + 8 * value_at(e, x + h) -
                   value_at(e, x + 2 * h)) /
                  (12 * h);
    double got = value_at(d, x);
    if (!(fabs(got - want) <= 1e-7 * (1 + fabs(want))))
        fail_msg("d/dx %s = %s: got %.10g, want %.10g", text_of(e), text_of(d), got, want);
}

/* Each row of the table, with x in every operand in turn and in all at once. */
static void every_operator_is_differentiated(void **state)
{
    (void)state;
    static const char *const inner[] = {"0.3 + x/7", "y + x^2/9", "1 + x*z"};
    static const char *const still[] = {"0.37", "y", "1.3*z"};
    point[0] = 0.41, point[1] = 0.53, point[2] = 0.77;
    for (int op = 0; op < CT_OP_COUNT; op++) {
        int arity = ct_op_arity((ct_op)op);
        if (arity < 1 || op == CT_OP_DER || op == CT_OP_INTEGRAL || op == CT_OP_PRE)
            continue;
        for (int mask = 1; mask < 1 << arity; mask++) {
            ct_expr x[3];
            for (int i = 0; i < arity; i++)
                x[i] = read(mask >> i & 1 ? inner[i] : still[i]);
            check_derivative(ct_expr_call(pool, (ct_op)op, x, (uint32_t)arity));
        }
    }
}

/* The reader of differentials knows the language: a text, and the same as an expression. */
static void differentials_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want; /* a is sin(x), a' is z; want NULL: no text of the language */
    } rows[] = {
        {"2/sqrt(pi)*exp(-a^2)*a'", "2/sqrt(pi)*exp(-sin(x)^2)*z"},
        {"pi", "pi"},
        {"12345678901234567890*a'", "12345678901234567890*z"},
        {"0.125*a' + 1e3 - 2.5e-2", "0.125*z + 1e3 - 2.5e-2"},
        {"1e+2*a", "100*sin(x)"},
        {"if a <= 1 then a' else 0", "if sin(x) <= 1 then z else 0"},
        {"if a >= 1 and not a == 2 or a != 3 then 1 else a'",
         "if sin(x) >= 1 and not (sin(x) == 2) or sin(x) != 3 then 1 else z"},
        {"clamp(a, 1, 20)", "clamp(sin(x), 1, 20)"},
        {"max(a, 1, 2, 3)", "max(sin(x), 1, 2, 3)"},
        {"y^2*a'", "atan(sin(x))^2*z"},
        {"a +", NULL},
        {"sine(a)", NULL},
        {"sin a", NULL},
        {"1e", NULL},
    };
    ct_expr a = read("sin(x)"), y = ct_expr_call1(pool, CT_OP_ATAN, a), dx = read("z");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_expr got = ct_read_differential(pool, rows[i].text, y, &dx);
        if (got != (rows[i].want ? read(rows[i].want) : 0))
            fail_msg("%s is read as %s", rows[i].text, got ? text_of(got) : "nothing");
    }
}

static void error_functions(void **state)
{
    (void)state;
    assert_int_equal(read("erf(0)"), read("0"));
    assert_int_equal(read("erfc(0)"), read("1"));
    assert_int_equal(read("erf(-x)"), read("-erf(x)"));
    for (int i = -5; i <= 5; i++) {
        point[0] = i;
        assert_float_equal(value_at(read("erf(x) + erfc(x)"), i), 1, 1e-15);
    }
    assert_float_equal(value_at(read("erf(x)"), 0.5), 0.52049987781304654, 1e-16);
}

static void derivatives_of_forms(void **state)
{
    (void)state;
    static const char *const text[] = {
        "x",
        "7",
        "y",
        "3*x^2 - x/y + 1/x",
        "x^5*y^2/(x + y)",
        "sqrt(x*y)",
        "(x^2 + 1)^(1/3)",
        "x^x",
        "exp(-x^2)*sin(3*x)",
        "1/sqrt(x)",
        "atan2(x, y*x^2)",
        "if x < y then x^2 else x^3",
        "table(x, 4, 0, 0.3, 0.7, 1, 1, 2, 4, 3, 0)",
        "table(x, 4, 0, 0.3, 0.7, 1, 1, 2, 4, 3, 1)",
        "table_slope(x, 4, 0, 0.3, 0.7, 1, 1, 2, 4, 3, 1)",
        "table(x - 3, 2, 0, 1, 5, 7, 1)",
    };
    point[0] = 0.41, point[1] = 0.53;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        check_derivative(read(text[i]));
    static const struct {
        const char *in, *out;
    } exact[] = {
        {"x^3", "3*x^2"},
        {"sin(x)", "cos(x)"},
        {"tan(x)", "tan(x)^2 + 1"},
        {"abs(x)", "sign(x)"},
        {"der(x)", "0"},
        {"der(x*y)", NULL},
        {"integral(x)", "0"},
        {"pre(x)", "0"},
        {"x*der(x)", "der(x)"},
        {"min(x, y)", "if y < x then 0 else 1"},
        {"table(1, 2, x, 1, 0, 1, 0)", NULL},
        {"table_curve(x, 2, 0, 1, 0, 1, 1)", "table_bend(x, 2, 0, 1, 0, 1, 1)"},
        {"table_bend(x, 2, 0, 1, 0, 1, 1)", "0"},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        ct_expr d = ct_expr_diff(pool, read(exact[i].in), name_of("x"));
        assert_int_equal(d, exact[i].out ? read(exact[i].out) : 0);
    }
}

/* ---- values */

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"x + 2*y", 5},
        {"x/y^2", 0.25},
        {"sqrt(y + 2)", 2},
        {"x < y", 1},
        {"mod(-7.5, y)", 0.5},
        {"pulse(x, 4, 2)", 1},
        {"sign(-x)", -1},
        {"step(0*x)", 1},
        {"clamp(9, x, y)", 2},
        {"floor(-x/2)", -1},
        {"x == y - 1", 1},
        {"not x", 0},
        {"x and y", 1},
        {"if x > y then 3 else 4", 4},
        {"2^(x/2)", 1.4142135623730951},
        {"table(3/2*x, 3, 0, 1, 2, 0, 10, 40, 0)", 25},
        {"table(5*x, 3, 0, 1, 2, 0, 10, 40, 0)", 130},
        {"table(x, 3, 0, 1, 2, 0, 10, 40, 1)", 10},
        {"table(x, 1, 0, 8, 0)", 8},
        {"table(x/2, 3, 0, 1, 2, 1, 1, 1, 1)", 1},
        {"table(x/2, 4, 0, 0.3, 0.7, 1, 1, 2, 4, 3, 1)",
         3.1981132075471699}, /* slope 2.1/0.53, 0 */
        {"table(x/2, 4, 0, 0.4, 0.8, 1, 1, 4, 5, 9, 1)", 4.275971283783784},
        {"2^100*x/2^100", 1},
    };
    point[0] = 1, point[1] = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = ct_expr_value(pool, read(rows[i].text), look_up, NULL);
        if (!(fabs(got - rows[i].value) < 1e-14 * (1 + fabs(got))))
            fail_msg("%s: got %.17g, want %.17g", rows[i].text, got, rows[i].value);
    }
    assert_true(isnan(ct_expr_value(pool, read("x + unknown"), look_up, NULL)));
    assert_true(isnan(ct_expr_value(pool, read("x"), NULL, NULL)));
    assert_true(isnan(ct_expr_value(pool, read("table(x, 3, 0, 1)"), look_up, NULL)));
    assert_true(isnan(ct_expr_value(pool, 0, look_up, NULL)));
}

/* Cubic tables do not overshoot, and pass through their points. */
static void cubic_tables_are_monotone(void **state)
{
    (void)state;
    ct_expr e = read("table(x, 5, 0, 1, 2, 2.5, 4, 0, 0, 1, 9, 9, 1)");
    static const double xs[] = {0, 1, 2, 2.5, 4}, ys[] = {0, 0, 1, 9, 9};
    for (int i = 0; i < 5; i++)
        assert_true(fabs(value_at(e, xs[i]) - ys[i]) < 1e-12);
    double before = 0;
    for (double x = 0; x <= 4; x += 1.0 / 64) {
        double value = value_at(e, x);
        assert_true(value >= before - 1e-12 && value <= 9 + 1e-12);
        before = value;
    }
}

/* ---- rewriting */

static void substitution(void **state)
{
    (void)state;
    static const struct {
        const char *in, *x, *y, *out;
    } rows[] = {
        {"x + y", "y", "x", "x + y"},
        {"x - y", "y", "x", "y - x"},
        {"x^2 + sin(x*y)", "2", "0", "4"},
        {"a*b", "1", "1", "a*b"},
        {"sin(x)^2 + y", "z", "cos(z)^2", "1"},
        {"1/x", "0", "1", NULL},
        {"a + 1/(x - y)", "z", "z", NULL},
        {"if x < y then a else b", "1", "2", "a"},
        {"sqrt(x)", "4", "0", "2"},
        {"x", "x + 1", "0", "x + 1"},
        {"sqrt(x*y)", "4", "9", "6"},
        {"table(x, 2, 0, 1, y, 2, 0)", "z", "3", "table(z, 2, 0, 1, 3, 2, 0)"},
    };
    ct_name names[] = {name_of("x"), name_of("y")};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_expr value[] = {read(rows[i].x), read(rows[i].y)};
        ct_expr got = ct_expr_substitute(pool, read(rows[i].in), names, value, 2);
        if (got != (rows[i].out ? read(rows[i].out) : 0))
            fail_msg("%s: got %s", rows[i].in, got ? text_of(got) : "none");
    }
    ct_expr in[] = {read("x"), 0, read("x*y")}, out[3], value[] = {read("a"), read("b")};
    ct_expr_substitute_all(pool, in, out, 3, names, value, 2);
    assert_int_equal(out[0], read("a"));
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], read("a*b"));
}

static void linear_forms(void **state)
{
    (void)state;
    static const struct {
        const char *in, *x, *y, *rest; /* x NULL: not linear */
    } rows[] = {
        {"3*x - y/2 + 7", "3", "-1/2", "7"},
        {"a*(x - b*(y + 3)) + b*y", "a", "b - a*b", "-3*a*b"},
        {"x*y", NULL, NULL, NULL},
        {"x^2", NULL, NULL, NULL},
        {"1/x", NULL, NULL, NULL},
        {"sin(x)", NULL, NULL, NULL},
        {"a + b", "0", "0", "a + b"},
        {"(x + y)/R - sin(a)*x", "1/R - sin(a)", "1/R", "0"},
        {"-(x - y)", "-1", "1", "0"},
        {"x", "1", "0", "0"},
        {"0", "0", "0", "0"},
        {"sqrt(x)", NULL, NULL, NULL},
        {"(a*(x + 1) + 2)*(b + 1) - (x + 1)*a", "a*(b + 1) - a", "0", "(a + 2)*(b + 1) - a"},
    };
    ct_name names[] = {name_of("x"), name_of("y")};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_expr c[2], rest;
        bool linear = ct_expr_linear(pool, read(rows[i].in), names, 2, c, &rest);
        if (linear != (rows[i].x != NULL))
            fail_msg("%s: linear %d", rows[i].in, linear);
        if (!linear)
            continue;
        if (c[0] != read(rows[i].x) || c[1] != read(rows[i].y) || rest != read(rows[i].rest))
            fail_msg("%s: got %s, %s, %s", rows[i].in, text_of(c[0]), text_of(c[1]), text_of(rest));
    }
}

static void symbols_in_order(void **state)
{
    (void)state;
    const ct_name *found;
    ct_expr e = read("R10*sin(R2) + b/(R2 + a)^2");
    assert_int_equal(ct_expr_symbols(pool, e, &found), 4);
    static const char *const want[] = {"R2", "R10", "a", "b"};
    for (int i = 0; i < 4; i++)
        assert_string_equal(ct_name_text(ctx, found[i]), want[i]);
    assert_int_equal(ct_expr_symbols(pool, read("7"), &found), 0);
    assert_true(ct_expr_has(pool, e, name_of("b")));
    assert_false(ct_expr_has(pool, e, name_of("c")));
    assert_false(ct_expr_has(pool, e, name_of("never seen")));
}

static uint32_t visited;
static ct_expr last_visited;

/* Starts another walk inside the walk: they must not disturb each other. */
static void visit(void *user, ct_expr e)
{
    assert_true(ct_expr_has(pool, *(ct_expr *)user, name_of("x")));
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        assert_true(ct_expr_operand(pool, e, i) != e);
    visited++;
    last_visited = e;
}

static void walks_visit_once(void **state)
{
    (void)state;
    ct_expr roots[] = {read("sin(x + y)*cos(x + y) + (x + y)^2"), read("x + y")};
    visited = 0;
    ct_expr_walk(pool, roots, 2, visit, roots);
    assert_int_equal(visited, 8); /* x y x+y sin cos s*c (x+y)^2 root */
    assert_int_equal(last_visited, roots[0]);
}

/* ---- operators as a table */

static void operator_table(void **state)
{
    (void)state;
    ct_op op;
    assert_true(ct_op_find("atan2", &op) && op == CT_OP_ATAN2);
    assert_false(ct_op_find("<", &op));
    assert_false(ct_op_find("if", &op));
    assert_false(ct_op_find("sine", &op));
    assert_string_equal(ct_op_word(CT_OP_LESS_EQUAL), "<=");
    assert_int_equal(ct_op_arity(CT_OP_TABLE), -1);
    assert_int_equal(ct_expr_call1(pool, CT_OP_ATAN2, read("x")), 0); /* an operand is missing */
    for (int i = 0; i < CT_OP_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(ct_op_word((ct_op)i), ct_op_word((ct_op)k));
}

/* ---- printing */

static const struct print_case {
    const char *in, *out;
} prints[] = {
    {"C4*der(C4.v) + (1/R3 + 1/R2)*C4.v", "C4*der(C4.v) + C4.v*(1/R2 + 1/R3)"},
    {"a/(b*c)", "a/(b*c)"},
    {"1/(b*c)", "1/(b*c)"},
    {"-x", "-x"},
    {"-x/y", "-x/y"},
    {"1/2*x", "0.5*x"},
    {"x/3", "1/3*x"},
    {"2/3/x", "2/(3*x)"},
    {"-2/3/x/y", "-2/(3*x*y)"},
    {"x^2/y^3", "x^2/y^3"},
    {"(a + b)/(a - b)^2", "(a + b)/(a - b)^2"},
    {"1e-6*x", "1e-6*x"},
    {"0.001", "0.001"},
    {"0.00025", "2.5e-4"},
    {"47e-12", "4.7e-11"},
    {"1e6", "1e6"},
    {"100000", "100000"},
    {"2200000", "2200000"},
    {"123456789.5", "123456789.5"},
    {"1/3", "1/3"},
    {"-1/3", "-1/3"},
    {"-0.5", "-0.5"},
    {"1/2^70", "1/1180591620717411303424"},
    {"(2/3)^y", "(2/3)^y"},
    {"2^y", "2^y"},
    {"(-2)^y", "(-2)^y"},
    {"x^(y^z)", "x^(y^z)"},
    {"x^(-y)", "x^(-y)"},
    {"(x + y)^z", "(x + y)^z"},
    {"sin(x)^2", "sin(x)^2"},
    {"-(a + b)*c", "-c*(a + b)"},
    {"sin(a - b + 1)", "sin(a - b + 1)"},
    {"x*(if a < b then 1 else 2)", "x*(if a < b then 1 else 2)"},
    {"if a < b and c < d or not e then x + 1 else if f then 2 else 3",
     "if a < b and c < d or not e then x + 1 else if f then 2 else 3"},
    {"(a or b) and c", "c and (a or b)"},
    {"(a < b) == c", "c == (a < b)"},
    {"(a < b) + 1", "(a < b) + 1"},
    {"-(a < b)", "-(a < b)"},
    {"a < b + 1", "a < b + 1"},
    {"pi*r^2", "r^2*pi"},
    {"atan2(y, x)", "atan2(y, x)"},
    {"der(der(q))", "der(der(q))"},
};

static void printed_text_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) {
        renew_pool();
        ct_expr e = read(prints[i].in);
        if (strcmp(text_of(e), prints[i].out) != 0)
            fail_msg("%s: got %s, want %s", prints[i].in, text_of(e), prints[i].out);
        if (read(prints[i].out) != e)
            fail_msg("%s: %s reads back as %s", prints[i].in, prints[i].out,
                     text_of(read(prints[i].out)));
    }
}

static const struct print_case latex[] = {
    {"C4*der(C4.v)", "C_{4} \\, \\dot{v}_{C4}"},
    {"theta", "\\theta"},
    {"theta1", "\\theta_{1}"},
    {"omega_rel", "\\omega_{rel}"},
    {"mass", "\\mathrm{mass}"},
    {"leg1.J2.beta", "\\beta_{leg1.J2}"},
    {"a_b_c", "a_{b\\_c}"},
    {"_x", "\\mathrm{\\_x}"},
    {"l12_x", "l_{12,x}"},
    {"Kp*Kpos", "K_{p} \\, K_{pos}"},
    {"s12.Fn", "F_{n,s12}"},
    {"Mass", "\\mathrm{Mass}"},
    {"x/2800000000000", "3.57143 \\cdot 10^{-13} \\, x"},
    {"x/y", "\\frac{x}{y}"},
    {"1/3*x", "\\frac{x}{3}"},
    {"-2/(3*x)", "-\\frac{2}{3 \\, x}"},
    {"2*x^2", "2 \\, x^{2}"},
    {"sqrt(x + 1)", "\\sqrt{x + 1}"},
    {"x^(3/2)", "x^{3/2}"},
    {"(a + b)*c", "c \\, \\left(a + b\\right)"},
    {"sin(x)/cos(y)", "\\frac{\\sin\\left(x\\right)}{\\cos\\left(y\\right)}"},
    {"der(der(q1))", "\\ddot{q}_{1}"},
    {"der(x*y)", "\\frac{d}{dt}\\left(x \\, y\\right)"},
    {"a <= b and c", "c \\land a \\le b"},
    {"1e-6*x", "10^{-6} \\, x"},
    {"-4.7e-9", "-4.7 \\cdot 10^{-9}"},
    {"(1e-9)^y", "\\left(10^{-9}\\right)^{y}"},
    {"1e-9 + x", "x + 10^{-9}"},
    {"x^y", "x^{y}"},
    {"pi", "\\pi"},
    {"if a < b then 1 else 2",
     "\\begin{cases} 1 & \\text{if } a < b \\\\ 2 & \\text{otherwise} \\end{cases}"},
    {"table(x, 1, 0, 8, 0)", "\\operatorname{table}\\left(x, 1, 0, 8, 0\\right)"},
};

static void assert_balanced(const char *text)
{
    int depth = 0, left = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && c[1] && !isalpha((unsigned char)c[1])) {
            c++;
            continue;
        }
        depth += (*c == '{') - (*c == '}');
        left += (strncmp(c, "\\left", 5) == 0 && !isalpha((unsigned char)c[5])) -
                (strncmp(c, "\\right", 6) == 0 && !isalpha((unsigned char)c[6]));
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(left, 0);
}

static void printed_latex(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof latex / sizeof *latex; i++) {
        const char *got = latex_of(read(latex[i].in));
        if (strcmp(got, latex[i].out) != 0)
            fail_msg("%s: got %s, want %s", latex[i].in, got, latex[i].out);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].out)
            assert_balanced(latex_of(read(forms[i].in)));
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++)
        assert_balanced(latex_of(read(prints[i].in)));
    static const char *const odd[] = {"a{b", "}", "x#y$%&", "\\evil{", "q~^'",
                                      "",    "9", ".",      "a.",      "\x01"};
    ct_text part = ct_text_new(ct_pool_arena(pool));
    ct_latex_symbol(&part, "O4.F[2]");
    assert_string_equal(ct_text_string(&part), "F_{2,O4}");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        ct_text text = ct_text_new(ct_pool_arena(pool));
        ct_latex_symbol(&text, odd[i]);
        assert_balanced(ct_text_string(&text));
    }
}

/* A held sum or product is one operand of others, and still the same value. */
static void held_nodes_stay_whole(void **state)
{
    (void)state;
    ct_expr a = read("a"), b = read("b"), c = read("c");
    ct_expr sum = ct_expr_hold(pool, ct_expr_add(pool, a, b));
    ct_expr outer = ct_expr_add(pool, sum, c);
    assert_int_equal(ct_expr_arity(pool, outer), 2);
    assert_int_equal(ct_expr_sub(pool, outer, c), sum);
    assert_int_equal(ct_expr_sub(pool, sum, b), a);
    ct_expr product = ct_expr_hold(pool, ct_expr_mul(pool, a, b));
    ct_expr longer = ct_expr_mul(pool, product, c);
    assert_int_equal(ct_expr_arity(pool, longer), 2);
    assert_int_equal(ct_expr_div(pool, longer, c), product);
    ct_expr moved = ct_expr_substitute(pool, outer, (ct_name[]){name_of("a")}, (ct_expr[]){c}, 1);
    assert_int_equal(ct_expr_arity(pool, moved), 2); /* rebuilding keeps it: (b + c) + c */
    ct_pool *other = ct_pool_new(ctx);
    ct_expr copy[2];
    ct_expr_copy_all(other, pool, (ct_expr[]){outer, longer}, copy, 2);
    assert_int_equal(ct_expr_fingerprint(other, copy[0]), ct_expr_fingerprint(pool, outer));
    assert_int_equal(ct_expr_fingerprint(other, copy[1]), ct_expr_fingerprint(pool, longer));
    assert_int_equal(ct_expr_arity(other, copy[0]), 3); /* by its own rules */
    ct_pool_free(other);
}

/* Large numbers of a copy are its own: the pool that they came from is freed. */
static void copies_outlive_their_pool(void **state)
{
    (void)state;
    static const char large[] = "123456789012345678901234567890.000000000000000000001";
    ct_pool *first = ct_pool_new(ctx), *second = ct_pool_new(ctx);
    ct_expr number = ct_expr_decimal(first, large, sizeof large - 1);
    ct_expr product = ct_expr_mul(first, number, ct_expr_symbol(first, name_of("a"))), copy;
    ct_expr_copy_all(second, first, &product, &copy, 1);
    ct_pool_free(first);
    ct_expr again = ct_expr_mul(second, ct_expr_decimal(second, large, sizeof large - 1),
                                ct_expr_symbol(second, name_of("a")));
    assert_int_equal(copy, again);
    ct_pool_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_outlive_their_pool),
        TEST(canonical_forms),
        TEST(fingerprints_find_identities),
        TEST(equal_values_share_a_node),
        TEST(merged_products_keep_their_value),
        TEST(arithmetic_agrees_with_gmp),
        TEST(large_numbers),
        TEST(doubles_are_rounded_correctly),
        TEST(decimals),
        TEST(inexact_numbers),
        TEST(order_of_building_does_not_matter),
        TEST(order_is_total),
        TEST(every_operator_is_differentiated),
        TEST(derivatives_of_forms),
        TEST(differentials_are_read),
        TEST(error_functions),
        TEST(values),
        TEST(cubic_tables_are_monotone),
        TEST(substitution),
        TEST(linear_forms),
        TEST(symbols_in_order),
        TEST(walks_visit_once),
        TEST(operator_table),
        TEST(printed_text_reads_back),
        TEST(printed_latex),
        TEST(held_nodes_stay_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

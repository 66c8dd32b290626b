/* test_units_infer.c - dimensions that follow from use.
 *
 * A case is a short script: words are terms such as `kg.m1^2/x`, `=` demands that the terms on
 * either side agree. What is a unit is one; p..z with an optional digit are parameters, `#1` to
 * `#9` bare numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "units/infer.h"
#include "unit/effort.h"
#include "unit/test_shortage.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { MOST_NAMES = 32 };

typedef struct script {
    ct_context *ctx;
    ct_infer *infer;
    char names[MOST_NAMES][8];
    ct_unknown unknowns[MOST_NAMES];
    uint32_t count;
} script;

static ct_place line(uint32_t number)
{
    return (ct_place){1, number, 1};
}

static ct_unknown find_unknown(script *s, const char *name, size_t length)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (strlen(s->names[i]) == length && memcmp(s->names[i], name, length) == 0)
            return s->unknowns[i];
    assert_true(s->count < MOST_NAMES && length < sizeof s->names[0]);
    memcpy(s->names[s->count], name, length);
    ct_name interned = *name == '#' ? 0 : ct_intern(s->ctx, name, length);
    ct_unknown number = ct_infer_unknown(s->infer, interned, line(1000 + s->count));
    s->unknowns[s->count++] = number;
    return number;
}

static bool is_unknown(const char *name, size_t length)
{
    return *name == '#' || (*name >= 'p' && *name <= 'z' && length <= 2 && *name != 's');
}

/* One factor: `m`, `p1`, `#1`. */
static ct_dim_term read_factor(script *s, const char *name, size_t length)
{
    if (is_unknown(name, length))
        return ct_term_unknown(s->infer, find_unknown(s, name, length));
    ct_unit unit;
    const char *problem, *hint;
    assert_true(ct_unit_read(s->ctx, name, length, &unit, &problem, &hint));
    return ct_term_known(unit.dim);
}

static ct_dim_term read_term(script *s, const char *text)
{
    ct_dim_term term = ct_term_known(ct_dim_none());
    for (double sign = 1; *text; sign = *text == '/' ? -1 : 1, text += *text != 0) {
        size_t length = strcspn(text, "./^");
        ct_dim_term factor = read_factor(s, text, length);
        text += length;
        char *end = (char *)text;
        double power = *text == '^' ? strtod(text + 1, &end) : 1;
        text = end;
        term = ct_term_product(s->infer, term, factor, sign * power);
    }
    return term;
}

/* clang-format off */
static const struct infer_case {
    const char *name;
    const char *equations;  /* apart by spaces; the n-th is on line n */
    const char *conflict;   /* "line culprit earlier a b", or NULL */
    const char *results;    /* "p=kg q=?..."; ~ before the unit: not settled, taken as this */
} cases[] = {
    {"use fixes",             "p=kg",                        NULL,            "p=kg"},
    {"from either side",      "kg=p",                        NULL,            "p=kg"},
    {"known agree",           "N=kg.m/s^2",                  NULL,            ""},
    {"known disagree",        "N=kg",                        "1 - 0 N kg",    ""},
    {"through another",       "p=q q=V",                     NULL,            "p=V q=V"},
    {"the other order",       "q=V p=q",                     NULL,            "p=V q=V"},
    {"chain",                 "p=q q=r r=u u=v p=A",         NULL,            "p=A q=A r=A u=A v=A"},
    {"ring",                  "p=q q=r r=p",                 NULL,            "p=~1 q=~1 r=~1"},
    {"ring, then known",      "p=q q=r r=p q=K",             NULL,            "p=K q=K r=K"},
    {"product",               "p.q=N q=m/s^2",               NULL,            "p=kg q=m/s^2"},
    {"quotient",              "p/q=ohm q=A",                 NULL,            "p=V"},
    {"square",                "p^2=m^2",                     NULL,            "p=m"},
    {"root",                  "p=q^0.5 q=Pa",                NULL,            "p=kg^0.5/m^0.5/s"},
    {"root of known",         "p^2=Pa",                      NULL,            "p=kg^0.5/m^0.5/s"},
    {"odd power",             "p.q^1.852=Pa q=m^3/s",        NULL,            "p=kg/m^6.556/s^0.148"},
    {"two equations, two",    "p.q=V p/q=ohm",               NULL,            "p=kg.m^2/A^1.5/s^3 q=A^0.5"},
    {"three by three",        "p.q=N q.r=J p.r=W",           NULL,            "p=kg^0.5.m^0.5/s^1.5 q=kg^0.5.m^0.5/s^0.5 r=kg^0.5.m^1.5/s^1.5"},
    {"cancels to one",        "p.q/p=m q=m",                 NULL,            "p=~1 q=m"},
    {"cancels to conflict",   "p.q/p=m q=kg",                "2 q 1 m kg",    "q=m"},
    {"number stays free",     "N=#1.p",                      NULL,            "p=~N #1=~1"},
    {"number takes place",    "N=#1",                        NULL,            "#1=N"},
    {"number by parameter",   "p=#1 p=m",                    NULL,            "#1=m p=m"},
    {"dimensionless use",     "p=1",                         NULL,            "p=1"},
    {"two uses disagree",     "p=kg p=m",                    "2 p 1 kg m",    "p=kg"},
    {"other side",            "p=kg m=p",                    "2 p 1 m kg",    "p=kg"},
    {"conflict after chain",  "p=q q=r p=kg r=m",            "4 p 3 kg m",    "r=kg"},
    {"name is found there",   "q=p p=kg q=m",                "3 p 2 kg m",    "q=kg"},
    {"by an alias later",     "p=kg q=p q=m",                "3 q 2 kg m",    "q=kg"},
    {"through a number",      "p=#1 #1=kg p=m",              "3 p 2 kg m",    "p=kg"},
    {"two names in one",      "p=kg q=m p.q=N",              "3 q 2 kg.m N",  ""},
    {"names on both sides",   "p=kg q=m p=q",                "3 p 1 kg m",    ""},
    {"only numbers",          "#1=kg #1=m",                  "2 - 0 kg m",    "#1=kg"},
    {"free on both sides",    "p.kg=p.m",                    "1 - 0 kg m",    "p=~1"},
    {"power against itself",  "p^2=p p=kg",                  "2 p 1 1 kg",    "p=1"},
    {"inconsistent powers",   "p=q^2 q=m p=m^3",             "3 q 2 m^2 m^3", "p=m^2 q=m"},
    {"unsettled product",     "p=q.r r=m",                   NULL,            "p=~m q=~1 r=m"},
    {"the same, turned",      "q.r=p r=m",                   NULL,            "p=~m q=~1 r=m"},
    {"number in a product",   "p=#1.q q=m",                  NULL,            "p=~m #1=~1 q=m"},
};
/* clang-format on */

static void fail_case(const struct infer_case *c, const char *what, const char *got)
{
    fail_msg("%s: %s: got \"%s\", want \"%s\"", c->name, what, got, c->conflict ? c->conflict : "");
}

static const char *dim_text(script *s, ct_dim dim)
{
    ct_text text = ct_text_new(s->ctx->base);
    ct_dim_put(&text, dim);
    return ct_text_string(&text);
}

static const char *conflict_text(script *s, uint32_t number, ct_dim_conflict c)
{
    const char *name = c.culprit ? ct_name_text(s->ctx, ct_infer_name(s->infer, c.culprit)) : "-";
    return ct_printf(s->ctx, "%u %s %u %s %s", number, name, c.earlier.at, dim_text(s, c.a),
                     dim_text(s, c.b));
}

/* Runs all equations; returns the first conflict as text, or NULL. */
static const char *run_equations(script *s, const char *equations)
{
    const char *found = NULL;
    uint32_t number = 1;
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", equations);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *right = strchr(word, '=');
        *right++ = '\0';
        ct_dim_term a = read_term(s, strcmp(word, "1") ? word : "");
        ct_dim_term b = read_term(s, strcmp(right, "1") ? right : "");
        ct_dim_conflict conflict;
        if (!ct_infer_equal(s->infer, a, b, line(number), &conflict) && !found)
            found = conflict_text(s, number, conflict);
        number++;
    }
    return found;
}

static void check_results(script *s, const struct infer_case *c)
{
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", c->results);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *want = strchr(word, '=');
        *want++ = '\0';
        bool settled = *want != '~';
        ct_unit unit;
        const char *problem, *hint;
        want += !settled;
        assert_true(ct_unit_read(s->ctx, want, strlen(want), &unit, &problem, &hint));
        ct_dim dim;
        ct_unknown u = find_unknown(s, word, strlen(word));
        bool is_settled = ct_infer_resolve(s->infer, ct_term_unknown(s->infer, u), &dim);
        if (is_settled != settled || !ct_dim_equal(dim, unit.dim))
            fail_case(c, word, dim_text(s, dim));
    }
}

static script *new_script(ct_context *ctx)
{
    script *s = CT_NEW(ctx->base, script);
    s->ctx = ctx;
    s->infer = ct_infer_new(ctx->base);
    return s;
}

static void check_cases(void *user)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct infer_case *c = &cases[i];
        script *s = new_script(user);
        const char *got = run_equations(s, c->equations);
        bool same = got && c->conflict ? strcmp(got, c->conflict) == 0 : got == c->conflict;
        if (!same)
            fail_case(c, "conflict", got ? got : "none");
        check_results(s, c);
    }
}

/* ---- terms -------------------------------------------------------------------------------- */

static void check_terms(void *user)
{
    script *s = new_script(user);
    ct_dim_term p = read_term(s, "p"), q = read_term(s, "q"), r = read_term(s, "r");
    ct_dim_term pq = ct_term_product(s->infer, p, q, 1);
    ct_dim_term pqr = ct_term_product(s->infer, pq, r, 2);
    ct_dim_term pq_over_r = ct_term_product(s->infer, pq, r, -1); /* pq must be unharmed */
    assert_true(pq.count == 2 && pqr.count == 3 && pq_over_r.count == 3);
    assert_true(pqr.factor[2].power == 2 && pq_over_r.factor[2].power == -1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pqr.factor[i].unknown, i + 1);
    assert_int_equal(ct_term_product(s->infer, pqr, pqr, -1).count, 0);
    assert_int_equal(ct_term_product(s->infer, r, pq, 0).count, 1);
    ct_dim_term rp = ct_term_product(s->infer, r, p, 0.5);
    assert_true(rp.count == 2 && rp.factor[0].unknown == 1 && rp.factor[0].power == 0.5);
}

static void check_unknowns(void *user)
{
    script *s = new_script(user);
    assert_int_equal(ct_infer_count(s->infer), 0);
    ct_unknown p = find_unknown(s, "p", 1), number = find_unknown(s, "#1", 2);
    assert_int_equal(ct_infer_count(s->infer), 2);
    assert_string_equal(ct_name_text(s->ctx, ct_infer_name(s->infer, p)), "p");
    assert_int_equal(ct_infer_name(s->infer, number), 0);
    assert_int_equal(ct_infer_place(s->infer, number).at, 1001);
}

/* ---- random systems ------------------------------------------------------------------------ */

enum { RANDOM_UNKNOWNS = 12 };

static ct_dim random_dim(void)
{
    ct_dim dim;
    for (int i = 0; i < CT_BASE_UNITS; i++)
        dim.e[i] = rand() % 7 - 3;
    return dim;
}

/* A product of some unknowns, and the dimension it has when they have those of `truth`. */
static ct_dim_term random_term(ct_infer *infer, const ct_dim *truth, ct_dim *dim)
{
    ct_dim_term term = ct_term_known(ct_dim_none());
    *dim = ct_dim_none();
    for (int k = rand() % 4; k >= 0; k--) {
        int x = rand() % RANDOM_UNKNOWNS;
        double power = (rand() % 8 - 4) / 2.0;
        term = ct_term_product(infer, term, ct_term_unknown(infer, (ct_unknown)x + 1), power);
        *dim = ct_dim_product(*dim, truth[x], power);
    }
    return term;
}

/* Equations that hold for chosen dimensions never conflict, and settle nothing but these. */
static void run_random(ct_context *ctx)
{
    ct_infer *infer = ct_infer_new(ctx->base);
    ct_dim truth[RANDOM_UNKNOWNS], a_dim, b_dim, got;
    for (int i = 0; i < RANDOM_UNKNOWNS; i++) {
        truth[i] = random_dim();
        ct_infer_unknown(infer, (ct_name)(i % 2), line(0));
    }
    ct_dim_conflict conflict;
    for (uint32_t n = 1; n <= 3 * RANDOM_UNKNOWNS; n++) {
        ct_dim_term a = random_term(infer, truth, &a_dim), b = random_term(infer, truth, &b_dim);
        b = ct_term_product(infer, b, ct_term_known(ct_dim_product(a_dim, b_dim, -1)), 1);
        assert_true(ct_infer_equal(infer, a, b, line(n), &conflict));
        ct_dim_term c = random_term(infer, truth, &a_dim);
        assert_true(!ct_infer_resolve(infer, c, &got) || ct_dim_equal(got, a_dim));
    }
    for (ct_unknown x = 1; x <= RANDOM_UNKNOWNS; x++) {
        ct_dim_term wrong = ct_term_known(truth[x - 1]);
        wrong.known.e[CT_MOLE] += 1;
        assert_true(ct_infer_resolve(infer, ct_term_unknown(infer, x), &got));
        assert_true(ct_dim_equal(got, truth[x - 1]));
        assert_false(ct_infer_equal(infer, ct_term_unknown(infer, x), wrong, line(99), &conflict));
        assert_true(ct_dim_equal(conflict.a, truth[x - 1]));
    }
}

static void check_random(void *user)
{
    srand(11);
    for (int i = 0; i < 300; i++)
        run_random(user);
}

/* ---- size --------------------------------------------------------------------------------- */

enum { LONG_CHAIN = 100000 };

/* x[i] = x[i + 1]^power in the order given by step, then the last one is a length. */
static void run_chain(ct_context *ctx, uint32_t first, uint32_t step, bool named)
{
    ct_arena *arena = ct_arena_new(ctx);
    ct_infer *infer = ct_infer_new(arena);
    ct_dim metre = {{1}}, got;
    ct_dim_conflict conflict;
    for (uint32_t i = 0; i <= LONG_CHAIN; i++)
        ct_infer_unknown(infer, named && i % 2 ? 1 : 0, line(i));
    for (uint32_t k = 0, i = first; k < LONG_CHAIN; k++, i = (i + step) % LONG_CHAIN)
        assert_true(ct_infer_equal(infer, ct_term_unknown(infer, i + 1),
                                   ct_term_unknown(infer, i + 2), line(k), &conflict));
    ct_dim_term middle = ct_term_unknown(infer, LONG_CHAIN / 2);
    assert_true(ct_infer_equal(infer, middle, ct_term_known(metre), line(1), &conflict));
    for (ct_unknown x = 1; x <= LONG_CHAIN + 1; x++) {
        assert_true(ct_infer_resolve(infer, ct_term_unknown(infer, x), &got));
        assert_true(got.e[CT_METRE] == 1);
    }
    assert_true(ct_arena_bytes(arena) < (size_t)400 * LONG_CHAIN);
    ct_arena_free(arena);
}

static void check_chains(void *user)
{
    double start = effort_clock();
    run_chain(user, 0, 1, false);
    run_chain(user, 0, 1, true);
    run_chain(user, LONG_CHAIN - 1, LONG_CHAIN - 1, false); /* backwards */
    run_chain(user, 0, 61803, true);                        /* all over the place */
    double effort = effort_since(start);
    print_message("4 chains of %d equalities: %.3g\n", LONG_CHAIN, effort);
    assert_true(effort < 1000); /* a quadratic method would need more than 1e4 */
}

/* x1 x2 x3 ... = m must not cost the square of its length. */
static void check_long_product(void *user)
{
    ct_context *ctx = user;
    ct_arena *arena = ct_arena_new(ctx);
    ct_infer *infer = ct_infer_new(arena);
    ct_dim_term product = ct_term_known(ct_dim_none());
    ct_dim metre = {{1}}, got;
    ct_dim_conflict conflict;
    for (uint32_t i = 0; i < LONG_CHAIN; i++) {
        ct_unknown x = ct_infer_unknown(infer, 0, line(i));
        product = ct_term_product(infer, product, ct_term_unknown(infer, x), -1);
    }
    assert_int_equal(product.count, LONG_CHAIN);
    assert_true(ct_infer_equal(infer, product, ct_term_known(metre), line(1), &conflict));
    assert_true(ct_infer_resolve(infer, product, &got) && got.e[CT_METRE] == 1);
    assert_true(ct_arena_bytes(arena) < (size_t)400 * LONG_CHAIN);
    ct_arena_free(arena);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void work(void *user)
{
    ct_infer *infer = ct_infer_new(((ct_context *)user)->base);
    ct_dim_term product = ct_term_known(ct_dim_none());
    ct_dim_conflict conflict;
    for (uint32_t i = 0; i < 3000; i++) {
        ct_dim_term x = ct_term_unknown(infer, ct_infer_unknown(infer, i % 3, line(i)));
        product = ct_term_product(infer, x, product, i % 100 ? 1 : 0);
        ct_infer_equal(infer, product, x, line(i), &conflict);
    }
}

static void test_memory(void **state)
{
    (void)state;
    int failures = 0;
    for (ct_status status = CT_ERR_MEMORY; status != CT_OK; failures++) {
        long left = failures;
        ct_context_def def = ct_default_context_def();
        def.realloc = failing_realloc;
        def.realloc_user = &left;
        ct_context *ctx = ct_context_new(&def);
        status = ctx ? ct_protect(ctx, work, ctx) : CT_ERR_MEMORY;
        ct_context_free(ctx);
        assert_true(status == CT_OK || status == CT_ERR_MEMORY);
    }
    assert_true(failures > 8);
}

/* ---- */

static void run(void (*body)(void *))
{
    ct_context *ctx = ct_context_new(NULL);
    assert_int_equal(ct_protect(ctx, body, ctx), CT_OK);
    ct_context_free(ctx);
}

#define TEST(name)                                                                                 \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        run(check_##name);                                                                         \
    }
TEST(cases)
TEST(terms)
TEST(unknowns)
TEST(random)
TEST(chains)
TEST(long_product)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),    cmocka_unit_test(test_terms),
        cmocka_unit_test(test_unknowns), cmocka_unit_test(test_random),
        cmocka_unit_test(test_chains),   cmocka_unit_test(test_long_product),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("units_infer", tests, NULL, NULL);
}

/* test_spice_numbers.c - numbers that netlists compute while they are read: times of `.tran`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

static const struct number_case {
    const char *text;
    double value;
} cases[] = {
    {"1+2", 3},
    {"1+2-4+0.5", -0.5},
    {"5-2-1", 2},
    {"2-3*4+1", -9},
    {"-2^2", -4},
    {"8/4/2", 1},
    {"sgn(0.5)", 1},
    {"sgn(-0.5)", -1},
    {"sgn(0)", 0},
    {"u(0.25)", 1},
    {"uramp(0.25)", 0.25},
    {"uramp(-2)", 0},
    {"min(2, 0.5)", 0.5},
    {"max(-2, -3)", -2},
    {"abs(-0.3)", 0.3},
    {"int(-1.5)", -1},
    {"limit(3, 1, 2)", 2},
    {"pwr(-2, 3)", 8},
    {"sqrt(2)*sqrt(2)", 2},
    {"1 > 0.5 ? 4 : 5", 4},
    {"1 < 0.5 ? 4 : 5", 5},
};

/* The end of `.tran`, 100 s later: it must be positive. */
static void numbers_are_computed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "t\nV1 a 0 1\nR1 a 0 1k\n.tran 1m {100+(%s)}\n", cases[i].text);
        ct_context *ctx = ct_context_new(NULL);
        const ct_syntax *syntax;
        assert_int_equal(ct_read_text(ctx, "x.cir", text, strlen(text), &syntax), CT_OK);
        double stop = ct_analysis_at(syntax, 0)->stop;
        if (!(fabs(stop - 100 - cases[i].value) <= 1e-12))
            fail_msg("%s: got %.17g, want %.17g", cases[i].text, stop - 100, cases[i].value);
        ct_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_computed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

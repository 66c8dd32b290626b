/* test_reports.c - the list of reports: in the order of the text, each once, no more than anybody
 * reads, and what an attempt said can be forgotten. */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "unit/test_context.h"

static const char text[] = "first\nsecond\nthird\nfourth\n";

/* Three sources with it; its letters are places. */
static int make_sources(void **state)
{
    int wrong = make_context(state);
    for (uint32_t i = 1; i <= 3; i++)
        wrong |= ct_source_add(*state, "lines", text, strlen(text)) != i;
    return wrong;
}

static ct_place line_at(uint32_t source, uint32_t at)
{
    return (ct_place){source, at, 1};
}

static void error_at(ct_context *ctx, uint32_t at, const char *what)
{
    ct_error(ctx, "E201", line_at(1, at), "%s", what);
}

/* All messages, one behind the other. */
static const char *told(ct_context *ctx)
{
    const char *all = "";
    for (size_t i = 0; i < ct_diag_count(ctx); i++)
        all = ct_printf(ctx, "%s%s;", all, ct_diag_at(ctx, i)->message);
    return all;
}

static void they_stand_in_the_order_of_the_text(void **state)
{
    ct_context *ctx = *state;
    error_at(ctx, 13, "third");
    error_at(ctx, 6, "second");
    error_at(ctx, 13, "third"); /* again */
    ct_warning(ctx, "W231", line_at(1, 0), "first");
    assert_string_equal(told(ctx), "first;second;third;");
    assert_int_equal(ct_error_count(ctx), 2);
    assert_int_equal(ct_errors_raised(ctx), 3);
    assert_int_equal(ct_diag_at(ctx, 1)->line, 2);
    assert_null(ct_diag_at(ctx, 3));
}

/* An attempt tells of places before and behind those that are known. */
static void an_attempt_is_forgotten(void **state)
{
    ct_context *ctx = *state;
    error_at(ctx, 6, "second");
    ct_warning(ctx, "W231", line_at(1, 13), "third");
    size_t raised = ct_errors_raised(ctx);
    uint32_t before = ct_reports_so_far(ctx);
    error_at(ctx, 0, "first");
    ct_warning(ctx, "W231", line_at(1, 7), "econd");
    error_at(ctx, 19, "fourth");
    assert_string_equal(told(ctx), "first;second;econd;third;fourth;");
    assert_int_equal(ct_error_count(ctx), 3);
    ct_forget_reports_since(ctx, before);
    assert_string_equal(told(ctx), "second;third;");
    assert_int_equal(ct_error_count(ctx), 1);
    assert_int_equal(ct_errors_raised(ctx), raised);
    ct_forget_reports_since(ctx, before);
    assert_string_equal(told(ctx), "second;third;");
    error_at(ctx, 0, "first"); /* told anew, it stays */
    assert_string_equal(told(ctx), "first;second;third;");
}

static void a_source_is_forgotten(void **state)
{
    ct_context *ctx = *state;
    error_at(ctx, 0, "kept");
    ct_error(ctx, "E201", line_at(3, 0), "of the third");
    ct_warning(ctx, "W231", line_at(2, 0), "of the second");
    ct_forget_reports(ctx, 2);
    assert_string_equal(told(ctx), "kept;");
    assert_int_equal(ct_error_count(ctx), 1);
}

/* Two hundred are kept; the 201st error takes the place of a warning, if there is one. */
static void nobody_reads_more(void **state)
{
    enum { KEPT = 200 };
    ct_context *ctx = *state;
    ct_warning(ctx, "W231", line_at(1, 0), "a warning");
    for (int i = 1; i < KEPT; i++)
        error_at(ctx, 6, ct_printf(ctx, "%d", i));
    ct_warning(ctx, "W231", line_at(1, 1), "another warning");
    assert_int_equal(ct_diag_count(ctx), KEPT);
    assert_string_equal(ct_diag_at(ctx, 0)->message, "a warning");
    error_at(ctx, 6, "one more");
    assert_int_equal(ct_diag_count(ctx), KEPT);
    assert_string_equal(ct_diag_at(ctx, 0)->message, "1");
    error_at(ctx, 6, "not kept");
    assert_int_equal(ct_diag_count(ctx), KEPT);
    assert_string_equal(ct_diag_at(ctx, KEPT - 1)->message, "one more");
    assert_int_equal(ct_error_count(ctx), KEPT + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_sources, free_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(they_stand_in_the_order_of_the_text),
        TEST(an_attempt_is_forgotten),
        TEST(a_source_is_forgotten),
        TEST(nobody_reads_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

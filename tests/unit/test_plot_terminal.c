/* test_plot_terminal.c - plots in the terminal (src/export/plot_terminal.c). With COTREE_SHOW set,
 * they are printed. */
#include "test_plot.h"

/* No line is wider, nor are there more lines, than asked for. */
static void check_screen(const char *text, size_t width, size_t height)
{
    size_t lines = 0;
    char line[2000];
    for (; *text; lines++) {
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof line);
        memcpy(line, text, length);
        line[length] = '\0';
        assert_true(ct_text_width(line) <= width);
        assert_true(length == 0 || line[length - 1] != ' ');
        text += length + 1;
    }
    assert_true(lines <= height);
}

static void test_terminal(void **state)
{
    (void)state;
    static const uint32_t size[][2] = {{80, 24}, {40, 14}, {120, 40}, {80, 24}};
    for (int i = 0; i < SAMPLES; i++) {
        ct_context *ctx = ct_context_new(NULL);
        ct_figure figure[MOST_FIGURES] = {0};
        samples[i].fill(figure, ctx->base);
        for (uint32_t k = 0; k < samples[i].count * 4; k++) {
            ct_text out = ct_text_new(ctx->base);
            bool color = k % 4 == 3;
            ct_figure_put_terminal(&figure[k / 4], size[k % 4][0], size[k % 4][1], color, &out);
            if (getenv("COTREE_SHOW"))
                printf("%s\n", out.at);
            assert_int_equal(strchr(out.at, '\x1b') != NULL, color && !strstr(out.at, "no values"));
            if (!color)
                check_screen(out.at, size[k % 4][0], size[k % 4][1]);
        }
        ct_context_free(ctx);
    }
}

/* Sizes that leave no room still give a plot. */
static void test_small_terminal(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    ct_figure figure[MOST_FIGURES] = {0};
    fill_many(figure, ctx->base);
    for (uint32_t width = 0; width < 30; width++)
        for (uint32_t height = 0; height < 20; height++) {
            ct_text out = ct_text_new(ctx->base);
            ct_figure_put_terminal(figure, width, height, height % 2, &out);
            assert_true(out.length > 0);
        }
    ct_context_free(ctx);
}

static const char golden_terminal[] = "                   Roof\n"
                                      "height [m]\n"
                                      "2 ┤⠒⠒⠤⠤⠤⠤⣀⣀⣀⡀      ⢀⡠⠔⠤⣀            ⢀⣀⣀⣀\n"
                                      "  │         ⠈⠉⠉⠉⣒⠶⠚⠓b⠤⠤⠤⠕⠲⢖⡒⠒⠒⠊⠉⠉⠉⠉⠉⠁\n"
                                      "  │         ⢀⡠⠔⠉           ⠈⠒a⡀\n"
                                      "1 ┤      ⣀⠔⠊⠁                 ⠈⠑⠢⢄\n"
                                      "  │  a⡠⠒⠉                         ⠉⠒⢄⡀\n"
                                      "0 ┤⠔⠊⠁                               ⠈⠑⠢\n"
                                      "  └┬─────────────────┬─────────────────┬\n"
                                      "   0                0.5              1.0\n"
                                      "                 time [s]\n"
                                      "  a: up   b: down\n";

static void test_golden_terminal(void **state)
{
    (void)state;
    const double x[] = {0, 0.5, 1}, y[] = {0, 2, 0}, z[] = {2, 1.5, 1.8};
    const ct_plot_curve curve[] = {{"up", x, y, 3}, {"down", x, z, 3}};
    ct_figure figure = {.title = "Roof",
                        .x_label = "time [s]",
                        .y_label = "height [m]",
                        .curve = curve,
                        .curve_count = 2};
    ct_context *ctx = ct_context_new(NULL);
    ct_text out = ct_text_new(ctx->base);
    ct_figure_put_terminal(&figure, 40, 12, false, &out);
    assert_string_equal(ct_text_string(&out), golden_terminal);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_small_terminal),
        cmocka_unit_test(test_golden_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

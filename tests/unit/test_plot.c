/* test_plot.c - plots as pictures (src/export/plot.c, plot_draw.c, plot_legend.c).
 *
 * With COTREE_SVG_DIR set, every test picture is also written to that folder, to be looked at.
 */
#include "export/svg.h"
#include "test_plot.h"

static const char *draw(ct_context *ctx, const sample *what)
{
    ct_figure figure[MOST_FIGURES] = {0};
    ct_text out = ct_text_new(ctx->base);
    what->fill(figure, ctx->base);
    ct_figures_put_svg(figure, what->count, &out);
    return ct_text_string(&out);
}

/* ---- pictures ------------------------------------------------------------------------------ */

static const char *skip_name(const char *at)
{
    return at + strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");
}

/* Attributes up to the end of the tag. */
static const char *check_attributes(const char *at)
{
    while (*at == ' ' || *at == '\n') {
        at += strspn(at, " \n");
        const char *end = skip_name(at);
        assert_true(end > at);
        assert_memory_equal(end, "=\"", 2);
        at = end + 2 + strcspn(end + 2, "\"<&");
        assert_int_equal(*at++, '"');
    }
    return at;
}

static const char *check_characters(const char *at)
{
    for (; *at && *at != '<'; at++)
        if (*at == '&')
            assert_true(!strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) ||
                        !strncmp(at, "&amp;", 5));
    return at;
}

/* Tags that nest, quoted attributes, escaped text, one root. */
static void check_xml(const char *svg)
{
    const char *open[32];
    size_t depth = 0;
    const char *start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", *at = svg + strlen(start);
    assert_memory_equal(svg, start, strlen(start));
    do {
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = skip_name(name);
        assert_true(end > name);
        at = closing ? end : check_attributes(end);
        if (closing) {
            assert_true(depth > 0);
            assert_memory_equal(open[--depth], name, (size_t)(end - name + 1) - 1);
        } else if (*at != '/') {
            assert_true(depth < 32);
            open[depth++] = name;
        }
        at += *at == '/';
        assert_int_equal(*at, '>');
        at = check_characters(at + 1);
    } while (depth > 0);
    assert_string_equal(at, "");
}

typedef struct area {
    double left, top, right, bottom;
} area;

static double attribute(const char *tag, const char *name)
{
    char text[32];
    snprintf(text, sizeof text, " %s=\"", name);
    const char *at = strstr(tag, text);
    assert_non_null(at);
    return strtod(at + strlen(text), NULL);
}

static area page_of(const char *svg)
{
    return (area){0, 0, attribute(svg, "width"), attribute(svg, "height")};
}

static void check_inside(const area *page, double x, double y)
{
    assert_true(x >= page->left && x <= page->right && y >= page->top && y <= page->bottom);
}

/* Both ends of each text, by its estimated width. */
static void check_texts(const char *svg, const area *page)
{
    for (const char *at = strstr(svg, "<text"); at; at = strstr(at + 1, "<text")) {
        const char *begin = strchr(at, '>') + 1, *end = strchr(begin, '<');
        char text[400];
        if (memchr(at, '(', (size_t)(begin - at)))
            continue; /* turned round */
        memcpy(text, begin, (size_t)(end - begin));
        text[end - begin] = '\0';
        double width = ct_svg_text_width(text, 12), x = attribute(at, "x");
        bool is_start = strncmp(at, "<text text-anchor=\"start\"", 25) == 0;
        bool is_end = strncmp(at, "<text text-anchor=\"end\"", 23) == 0;
        double left = is_start ? x : is_end ? x - width : x - width / 2;
        check_inside(page, left, attribute(at, "y"));
        if (!strstr(text, "&")) /* escapes are wider than what they stand for */
            check_inside(page, left + width, attribute(at, "y"));
    }
}

typedef void (*visit_way)(const area *box, double x0, double y0, double x1, double y1);

/* Every straight piece of the paths from one place of the picture to another. */
static void visit_paths(const char *svg, const char *end, const area *box, visit_way visit)
{
    for (const char *at = strstr(svg, " d=\""); at && at < end; at = strstr(at, " d=\"")) {
        double x = 0, y = 0;
        at += 4;
        while (*at != '"') {
            bool moves = *at == 'M';
            char *next;
            double to_x = strtod(at + (*at == 'M' || *at == 'L'), &next);
            double to_y = strtod(next, &next);
            visit(box, moves ? to_x : x, moves ? to_y : y, to_x, to_y);
            x = to_x;
            y = to_y;
            at = next;
        }
    }
}

static void visit_inside(const area *box, double x0, double y0, double x1, double y1)
{
    check_inside(box, x0, y0);
    check_inside(box, x1, y1);
}

static void visit_outside(const area *box, double x0, double y0, double x1, double y1)
{
    for (int i = 0; i <= 50; i++) {
        double x = x0 + (x1 - x0) * i / 50, y = y0 + (y1 - y0) * i / 50;
        assert_false(x > box->left && x < box->right && y > box->top && y < box->bottom);
    }
}

/* The legend of each figure lies on none of its curves. */
static void check_legends(const char *svg)
{
    for (const char *at = strstr(svg, "class=\"figure\""); at;
         at = strstr(at + 1, "class=\"figure\"")) {
        const char *next = strstr(at + 1, "class=\"figure\""),
                   *legend = strstr(at, "class=\"legend\"");
        const char *curves = strstr(at, "class=\"curve\"");
        if (!legend || (next && legend > next) || !curves || curves > legend)
            continue;
        const char *rect = strstr(legend, "<rect");
        area box = {attribute(rect, "x"), attribute(rect, "y"), 0, 0};
        box.right = box.left + attribute(rect, "width");
        box.bottom = box.top + attribute(rect, "height");
        visit_paths(curves, legend, &box, visit_outside);
    }
}

static void save(const char *name, const char *text)
{
    const char *dir = getenv("COTREE_SVG_DIR");
    char path[500];
    if (!dir)
        return;
    snprintf(path, sizeof path, "%s/plot_%s.svg", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_pictures(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        ct_context *ctx = ct_context_new(NULL);
        const char *svg = draw(ctx, &samples[i]);
        area page = page_of(svg);
        save(samples[i].name, svg);
        check_xml(svg);
        check_texts(svg, &page);
        visit_paths(svg, svg + strlen(svg), &page, visit_inside);
        check_legends(svg);
        assert_true(strlen(svg) < 2000000);
        assert_string_equal(svg, draw(ctx, &samples[i]));
        ct_context_free(ctx);
    }
}

static const char golden_svg[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"729\" height=\"357\""
    " viewBox=\"0 0 729 357\"\n"
    "     font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\""
    " fill=\"#1f2328\" font-size=\"12\">\n"
    "<rect fill=\"#ffffff\" width=\"729\" height=\"357\"/>\n"
    "<g class=\"figure\">\n"
    "<path class=\"grid\" fill=\"none\" stroke=\"#e3e7eb\" d=\"M65.5 44L65.5 304M225.5 44L225.5"
    " 304M385.5 44L385.5 304M545.5 44L545.5 304M705.5 44L705.5 304M65 296.5L705 296.5M65"
    " 235.5L705 235.5M65 174.5L705 174.5M65 112.5L705 112.5M65 51.5L705 51.5\"/>\n"
    "<path class=\"axes\" fill=\"none\" stroke=\"#57606a\" d=\"M65.5 44L65.5 304.5L705 304.5"
    "M65.5 304.5L65.5 309.5M225.5 304.5L225.5 309.5M385.5 304.5L385.5 309.5M545.5 304.5L545.5"
    " 309.5M705.5 304.5L705.5 309.5M60.5 296.5L65.5 296.5M60.5 235.5L65.5 235.5M60.5 174.5L65.5"
    " 174.5M60.5 112.5L65.5 112.5M60.5 51.5L65.5 51.5\"/>\n"
    "<g class=\"ticks\" fill=\"#424a53\">\n"
    "<text text-anchor=\"middle\" x=\"65\" y=\"323\">0</text>\n"
    "<text text-anchor=\"middle\" x=\"225\" y=\"323\">0.5</text>\n"
    "<text text-anchor=\"middle\" x=\"385\" y=\"323\">1.0</text>\n"
    "<text text-anchor=\"middle\" x=\"545\" y=\"323\">1.5</text>\n"
    "<text text-anchor=\"middle\" x=\"705\" y=\"323\">2.0</text>\n"
    "<text text-anchor=\"end\" x=\"56\" y=\"300.9\">0</text>\n"
    "<text text-anchor=\"end\" x=\"56\" y=\"239.6\">0.5</text>\n"
    "<text text-anchor=\"end\" x=\"56\" y=\"178.3\">1.0</text>\n"
    "<text text-anchor=\"end\" x=\"56\" y=\"117\">1.5</text>\n"
    "<text text-anchor=\"end\" x=\"56\" y=\"55.7\">2.0</text>\n"
    "</g>\n"
    "<text text-anchor=\"middle\" x=\"385\" y=\"344\">time [ms]</text>\n"
    "<text text-anchor=\"middle\" transform=\"translate(26 174) rotate(-90)\">voltage"
    " [V]</text>\n"
    "<g font-weight=\"bold\" font-size=\"14\">\n"
    "<text text-anchor=\"start\" x=\"65\" y=\"32\">Step</text>\n"
    "</g>\n"
    "<g stroke-linejoin=\"round\" stroke-linecap=\"round\">\n"
    "<g class=\"curve\"><title>R1.v</title>\n"
    "<path fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.8\" d=\"M65 296.64L385 51.36 705"
    " 174\"/>\n"
    "</g>\n"
    "<g class=\"curve\"><title>R&lt;2</title>\n"
    "<circle r=\"2.5\" cx=\"65\" cy=\"174\" fill=\"#d55e00\"/>\n"
    "<circle r=\"2.5\" cx=\"705\" cy=\"235.3\" fill=\"#d55e00\"/>\n"
    "</g>\n"
    "</g>\n"
    "<g class=\"legend\">\n"
    "<rect rx=\"3\" x=\"618.9\" y=\"54\" width=\"76.1\" height=\"48\" fill=\"#ffffff\""
    " stroke=\"#d0d7de\"/>\n"
    "<path d=\"M626.9 69L652.9 69\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.8\"/>\n"
    "<text text-anchor=\"start\" x=\"659.9\" y=\"73.3\">R1.v</text>\n"
    "<path d=\"M626.9 87L652.9 87\" fill=\"none\" stroke=\"#d55e00\" stroke-width=\"1.8\"/>\n"
    "<text text-anchor=\"start\" x=\"659.9\" y=\"91.3\">R&lt;2</text>\n"
    "</g>\n"
    "</g>\n"
    "</svg>\n";

static void test_golden(void **state)
{
    (void)state;
    const double x[] = {0, 0.001, 0.002}, y[] = {0, 2, 1}, z[] = {1, NAN, 0.5};
    const ct_plot_curve curve[] = {{"R1.v", x, y, 3}, {"R<2", x, z, 3}};
    ct_figure figure = {.title = "Step",
                        .x_label = "time [s]",
                        .y_label = "voltage [V]",
                        .curve = curve,
                        .curve_count = 2};
    ct_context *ctx = ct_context_new(NULL);
    ct_text out = ct_text_new(ctx->base);
    ct_figures_put_svg(&figure, 1, &out);
    save("golden", ct_text_string(&out));
    assert_string_equal(ct_text_string(&out), golden_svg);
    ct_context_free(ctx);
}

/* A curve that fills its band lies below the others, whichever comes first. */
static void test_order(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    ct_figure figure = {0};
    add(&figure, ctx->base, "slow", 1000, 0, 3, sin);
    add(&figure, ctx->base, "fast", 100000, 0, 3, noise_with_peak);
    ct_text out = ct_text_new(ctx->base);
    ct_figures_put_svg(&figure, 1, &out);
    assert_true(strstr(out.at, "<title>fast</title>") < strstr(out.at, "<title>slow</title>"));
    ct_context_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------------- */

typedef struct job {
    ct_context *ctx;
    const sample *sample;
} job;

static void draw_job(void *user)
{
    job *j = user;
    ct_figure figure[MOST_FIGURES] = {0};
    ct_text out = ct_text_new(j->ctx->base);
    draw(j->ctx, j->sample);
    j->sample->fill(figure, j->ctx->base);
    for (uint32_t i = 0; i < j->sample->count; i++)
        ct_figure_put_terminal(&figure[i], 80, 24, true, &out);
}

static void check_memory(const sample *what)
{
    ct_status status = CT_ERR_MEMORY;
    for (long n = 0; status != CT_OK; n++) {
        long left = n;
        ct_context_def def = ct_default_context_def();
        def.realloc = failing_realloc;
        def.realloc_user = &left;
        ct_context *ctx = ct_context_new(&def);
        job j = {ctx, what};
        status = ctx ? ct_protect(ctx, draw_job, &j) : CT_ERR_MEMORY;
        assert_true(status == CT_OK || status == CT_ERR_MEMORY);
        left = LONG_MAX;
        if (ctx)
            assert_non_null(draw(ctx, what));
        ct_context_free(ctx);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        if (samples[i].fill != fill_million && samples[i].fill != fill_lorenz)
            check_memory(&samples[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

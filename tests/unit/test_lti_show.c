/* test_lti_show.c - figures and tables of linear systems (src/export/lti_plot.c, lti_text.c), and
 * the axes that they need.
 *
 * With COTREE_SVG_DIR set, the pictures are also written to that folder, to be looked at. With
 * COTREE_UPDATE set, tests/golden/bode.svg is written anew.
 */
#include "export/lti_show.h"
#include "export/plot.h"
#include "test_context.h"
#include "test_lti.h"

/* Two masses on springs between walls, pushed at the first: positions of both. */
static const double two_a[] = {0,    0,   1,    0,   /**/ 0,   0,    0,   1,
                               -300, 100, -0.8, 0.3, /**/ 100, -200, 0.3, -0.5};
static const double two_b[] = {0, 0, 1, 0}, two_c[] = {1, 0, 0, 0, 0, 1, 0, 0};
static const char *const one_name[] = {"F1.f"}, *const two_name[] = {"m1.x", "m2.x"};
static const char *const newton[] = {"N"}, *const metre[] = {"m", "m"};
static const ct_lti two_masses = {4, 1, 2, two_a, two_b, two_c, NULL, NULL, NULL, NULL, 0, NULL};
static const ct_lti_names two_names = {"Two masses", one_name, two_name, newton, metre, 0};

static void save(const char *name, const char *svg)
{
    const char *folder = getenv("COTREE_SVG_DIR");
    char path[512];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(svg, file);
    fclose(file);
}

static const char *draw(ct_arena *arena, ct_lti_plot plot, const ct_lti *lti,
                        const ct_lti_names *names, const ct_lti_plot_def *def, const char *name)
{
    ct_text out = ct_text_new(arena);
    ct_lti_put_svg(lti, names, plot, def, &out);
    const char *svg = ct_text_string(&out);
    save(name, svg);
    return svg;
}

/* ---- pictures ------------------------------------------------------------------------------ */

static void test_golden(void **state)
{
    static const char path[] = COTREE_ROOT "/tests/golden/bode.svg";
    const char *svg = draw(ARENA, CT_LTI_BODE, &two_masses, &two_names, NULL, "bode");
    if (getenv("COTREE_UPDATE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(svg, file);
        fclose(file);
    }
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t room = strlen(svg) + 1000;
    char *want = CT_NEW_ARRAY(ARENA, char, room);
    want[fread(want, 1, room - 1, file)] = 0;
    fclose(file);
    if (strcmp(svg, want) != 0)
        fail_msg("the Bode plot is not that of tests/golden/bode.svg");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void test_pictures(void **state)
{
    const ct_lti_plot_def hz = {.hz = true};
    const char *svg = draw(ARENA, CT_LTI_BODE, &two_masses, &two_names, &hz, "bode_hz");
    assert_int_equal(count_of(svg, "class=\"figure\""), 2);
    assert_int_equal(count_of(svg, "frequency [Hz]"), 1);
    assert_int_equal(count_of(svg, "class=\"curve\""), 4);
    svg = draw(ARENA, CT_LTI_NYQUIST, &two_masses, &two_names, NULL, "nyquist_two");
    assert_int_equal(count_of(svg, "class=\"curve\""), 2);
    svg = draw(ARENA, CT_LTI_STEP, &two_masses, &two_names, NULL, "step");
    assert_int_equal(count_of(svg, "class=\"figure\""), 1);
    draw(ARENA, CT_LTI_IMPULSE, &two_masses, &two_names, NULL, "impulse");
    /* a loop with integrator: 4 / (s (s + 1) (s + 2)) */
    double a[] = {0, 1, 0, 0, 0, 1, 0, -2, -3}, b[] = {0, 0, 4}, c[] = {1, 0, 0};
    const char *const in[] = {"u"}, *const out[] = {"y"};
    ct_lti loop = {3, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    ct_lti_names names = {.input = in, .output = out};
    svg = draw(ARENA, CT_LTI_NYQUIST, &loop, &names, NULL, "nyquist");
    assert_int_equal(count_of(svg, "Nyquist plot, u to y"), 1);
    assert_int_equal(count_of(svg, "class=\"curve\""), 2); /* with the point -1 */
    draw(ARENA, CT_LTI_BODE, &loop, &names, NULL, "bode_loop");
    /* nothing to show */
    ct_lti none = {.n = 3, .m = 1, .A = a, .B = b};
    svg = draw(ARENA, CT_LTI_BODE, &none, &names, NULL, "none");
    assert_int_equal(count_of(svg, "nothing to plot"), 1);
    double zero[] = {0, 0, 0};
    ct_lti silent = {3, 1, 1, a, b, zero, NULL, NULL, NULL, NULL, 0, NULL};
    svg = draw(ARENA, CT_LTI_BODE, &silent, &names, NULL, "silent");
    assert_int_equal(count_of(svg, "no values"), 2);
}

/* The samples hit sharp resonances: the highest is that of the formula. */
static void test_peak(void **state)
{
    const double w = 37.7, d = 1e-4;
    double a[] = {0, 1, -w * w, -2 * d * w}, b[] = {0, w * w}, c[] = {1, 0};
    ct_lti lti = {2, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    uint32_t count;
    const ct_figure *f = ct_lti_figures(ARENA, &lti, &two_names, CT_LTI_BODE, NULL, &count);
    double highest = -INFINITY;
    for (uint64_t k = 0; k < f->curve->count; k++) {
        highest = fmax(highest, f->curve->y[k]);
        assert_true(k == 0 || f->curve->x[k] > f->curve->x[k - 1]);
    }
    assert_int_equal(count, 2);
    near(highest, 20 * log10(1 / (2 * d)), 1e-6, "peak");
}

static void test_terminal(void **state)
{
    uint32_t count;
    const ct_figure *f = ct_lti_figures(ARENA, &two_masses, &two_names, CT_LTI_BODE, NULL, &count);
    ct_text out = ct_text_new(ARENA);
    ct_figure_put_terminal(&f[1], 80, 24, false, &out);
    assert_non_null(strstr(ct_text_string(&out), "angular frequency [rad/s]"));
    assert_non_null(strstr(ct_text_string(&out), "\xe2\x88\x92"
                                                 "360"));
}

/* ---- axes ---------------------------------------------------------------------------------- */

static void check_ticks(ct_arena *arena, const ct_axis *axis, const char *want)
{
    ct_text text = ct_text_new(arena);
    for (uint32_t i = 0; i < axis->count; i++) {
        ct_put(&text, i ? " " : "");
        ct_axis_put_tick(axis, i, &text);
    }
    assert_string_equal(ct_text_string(&text), want);
}

static void test_axes(void **state)
{
    static const struct row {
        double lo, hi;
        uint32_t most;
        const char *want;
    } decades[] =
        {
            {0.1, 100, 10, "0.1 1 10 100"},
            {0.2, 300, 10, "1 10 100"},
            {20, 60, 10, "10 100"},
            {7, 7, 10, "1 10"},
            {1e-9, 1e-6, 10,
             "10\xe2\x81\xbb\xe2\x81\xb9 10\xe2\x81\xbb\xe2\x81\xb8 "
             "10\xe2\x81\xbb\xe2\x81\xb7 10\xe2\x81\xbb\xe2\x81\xb6"},
            {1, 1e6, 4, "10\xe2\x81\xb0 10\xc2\xb2 10\xe2\x81\xb4 10\xe2\x81\xb6"},
        },
      degrees[] = {
          {-180, 0, 7,
           "\xe2\x88\x92"
           "180 \xe2\x88\x92"
           "150 \xe2\x88\x92"
           "120 \xe2\x88\x92"
           "90 "
           "\xe2\x88\x92"
           "60 \xe2\x88\x92"
           "30 0"},
          {-270, 0, 7,
           "\xe2\x88\x92"
           "270 \xe2\x88\x92"
           "225 \xe2\x88\x92"
           "180 \xe2\x88\x92"
           "135 "
           "\xe2\x88\x92"
           "90 \xe2\x88\x92"
           "45 0"},
          {-360, 0, 7,
           "\xe2\x88\x92"
           "360 \xe2\x88\x92"
           "270 \xe2\x88\x92"
           "180 \xe2\x88\x92"
           "90 0"},
          {0, 10, 7, "0 2 4 6 8 10"},
      };
    for (size_t i = 0; i < sizeof decades / sizeof *decades; i++) {
        const struct row *r = &decades[i];
        ct_axis axis = ct_axis_new_decades(r->lo, r->hi, r->most);
        check_ticks(ARENA, &axis, r->want);
        near(ct_axis_part(&axis, axis.lo), 0, 1e-12, "left end");
        near(ct_axis_part(&axis, axis.hi), 1, 1e-12, "right end");
        near(ct_axis_part(&axis, sqrt(axis.lo * axis.hi)), 0.5, 1e-12, "middle");
    }
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        ct_figure figure = {.y_ticks = CT_TICKS_DEGREES};
        ct_plot_extent e = {.y = {degrees[i].lo, degrees[i].hi}};
        ct_axis axis = ct_plot_y_axis(&figure, &e, degrees[i].most);
        check_ticks(ARENA, &axis, degrees[i].want);
    }
}

/* ---- tables -------------------------------------------------------------------------------- */

static void test_tables(void **state)
{
    double a[] = {0, 1, 0, -400, -4, 0, 0, 0, 0}, b[] = {0, 400, 3};
    double c[] = {1, 0, 0, 0, 0, 1, 1, 0.25, 0, 0, 0, 0};
    const char *const in[] = {"V1.v"}, *const out[] = {"C1.v", "x", "sum", "none"};
    const char *const volt[] = {"V"}, *const units[] = {"V", "m", "1", "N.m"};
    ct_lti lti = {3, 1, 4, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    ct_lti_names names = {.input = in, .output = out, .input_unit = volt, .output_unit = units};
    ct_text text = ct_text_new(ARENA);
    ct_lti_put_poles(&lti, &names, &text);
    ct_lti_put_zeros(&lti, &names, &text);
    ct_lti_put_ranks(&lti, &text);
    ct_lti_put_transfers(&lti, &names, &text);
    assert_string_equal(
        ct_text_string(&text),
        "poles\n"
        "  s              damping  frequency [rad/s]    [Hz]  time constant [s]\n"
        "  0                    -                  0       0                  -\n"
        "  -2 \xc2\xb1 19.8997i      0.1                 20  3.1831                0.5\n"
        "no zeros of C1.v / V1.v\n"
        "no zeros of x / V1.v\n"
        "zeros of sum / V1.v\n"
        "  s   damping  frequency [rad/s]     [Hz]  time constant [s]\n"
        "  -4        1                  4  0.63662               0.25\n"
        "none / V1.v is zero\n"
        "3 states: 3 controllable, 3 observable, 3 both\n"
        "C1.v / V1.v = 400 / (s^2 + 4 s + 400)\n"
        "x / V1.v = 3 / s\n"
        "sum / V1.v = (100 s + 400) / (s^2 + 4 s + 400)\n"
        "none / V1.v = 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_pictures, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_peak, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_terminal, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_axes, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_tables, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_lti_merit.c - margins, bandwidth and measures of steps (src/study/lti_margins.c,
 * lti_settle.c) against closed forms, and their numbers as text. */
#include "study/lti_merit.h"

#include "export/lti_show.h"
#include "test_context.h"
#include "test_lti.h"

/* num / den by rising powers of s, den without its leading one: the observer form. */
static ct_lti system_of(ct_arena *arena, uint32_t n, const double *num, const double *den)
{
    double *a = CT_NEW_ARRAY(arena, double, (size_t)n *n), *b = CT_NEW_ARRAY(arena, double, n);
    double *c = CT_NEW_ARRAY(arena, double, n);
    for (uint32_t i = 0; i < n; i++) {
        a[i * n + n - 1] = -den[i];
        if (i)
            a[i * n + i - 1] = 1;
        b[i] = num[i];
    }
    c[n - 1] = 1;
    return (ct_lti){n, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
}

/* ---- margins ------------------------------------------------------------------------------- */

/* K / (s (s + 1) (s + 2)): phase -180 at sqrt 2, where |G| = K/6. */
static void test_third_order(void **state)
{
    for (double K = 0.3; K < 20; K *= 1.7) {
        ct_lti lti = system_of(ARENA, 3, (double[]){K, 0, 0}, (double[]){0, 2, 3});
        ct_margins m = ct_lti_margins(ARENA, &lti, 0, 0);
        assert_int_equal(m.gain_count, 1);
        assert_int_equal(m.phase_count, 1);
        near(m.gain->omega, sqrt(2), 1e-12, "phase crossover");
        near(m.gain->margin, 20 * log10(6 / K), 1e-11, "gain margin");
        double w = m.phase->omega, phase = 90 - atan(w) * 180 / pi - atan(w / 2) * 180 / pi;
        near(w * hypot(w, 1) * hypot(w, 2), K, 1e-11, "gain crossover");
        near(m.phase->margin, phase, 1e-10, "phase margin");
        assert_true(m.known && m.stable == (K < 6));
        assert_true(isnan(m.bandwidth));
    }
}

/* K / (z - a) and K / ((z - 1) (z - a)) at ticks: poles of the closed loop leave the circle at z =
 * -1, and at z1 z2 = a + K = 1. */
static void test_ticks(void **state)
{
    const double T = 0.01, a = 0.6;
    for (double K = 0.05; K < 3; K *= 1.5) {
        ct_lti one = system_of(ARENA, 1, (double[]){K}, (double[]){-a});
        ct_lti two = system_of(ARENA, 2, (double[]){K, 0}, (double[]){a, -1 - a});
        one = ct_lti_of_ticks(ARENA, &one, T);
        two = ct_lti_of_ticks(ARENA, &two, T);
        ct_margins m = ct_lti_margins(ARENA, &one, 0, 0), n = ct_lti_margins(ARENA, &two, 0, 0);
        assert_int_equal(m.gain_count, 1);
        near(m.gain->omega * T, pi, 1e-12, "half of the sampling frequency");
        near(m.gain->margin, 20 * log10((1 + a) / K), 1e-10, "gain margin");
        assert_true(m.known && m.stable == (K < 1 + a));
        assert_int_equal(n.gain_count, 1);
        near(cos(n.gain->omega * T), (1 + a) / 2, 1e-10, "phase crossover");
        near(n.gain->margin, 20 * log10((1 - a) / K), 1e-9, "gain margin of two");
        assert_true(n.known && n.stable == (K < 1 - a) && isnan(n.bandwidth));
        ct_step_merit s = ct_lti_step_merit(ARENA, &one, 0, 0);
        near(s.final, K / (1 - a), 1e-12, "final value");
        near(s.rise, 4 * T, 1e-12, "rise time"); /* 1 - 0.6^k: 0.1 at one tick, 0.9 at five */
        near(s.settling, 8 * T, 1e-12, "settling time");
    }
}

/* K / (T s + 1): crossover sqrt(K^2 - 1)/T also far beyond the pole, bandwidth 1/T. */
static void test_first_order(void **state)
{
    for (double K = 1.5; K < 1e9; K *= 30)
        for (double T = 1e-6; T < 1e6; T *= 1e4) {
            ct_lti lti = system_of(ARENA, 1, (double[]){K / T}, (double[]){1 / T});
            ct_margins m = ct_lti_margins(ARENA, &lti, 0, 0);
            assert_int_equal(m.gain_count, 0);
            assert_int_equal(m.phase_count, 1);
            double w = sqrt(K * K - 1) / T;
            near(m.phase->omega / w, 1, 1e-10, "gain crossover");
            near(m.phase->margin, 180 - atan(w * T) * 180 / pi, 1e-9, "phase margin");
            near(m.bandwidth * T, 1, 1e-10, "bandwidth");
            near(m.delay * w, m.phase->margin * pi / 180, 1e-10, "delay margin");
        }
}

/* A hardly damped peak that leaves 0 dB between two samples: two crossings. */
static void test_resonance(void **state)
{
    for (double d = 1e-1; d > 1e-7; d *= 0.1) {
        const double w = 3, K = 0.5;
        ct_lti lti = system_of(ARENA, 2, (double[]){K * w * w, 0}, (double[]){w * w, 2 * d * w});
        ct_margins m = ct_lti_margins(ARENA, &lti, 0, 0);
        assert_int_equal(m.phase_count, 2);
        for (int i = 0; i < 2; i++) { /* (1 - x)^2 + 4 d^2 x = K^2, x = (omega/w)^2 */
            double h = 1 - 2 * d * d, x = h + (i ? 1 : -1) * sqrt(h * h - 1 + K * K);
            near(m.phase[i].omega, w * sqrt(x), 1e-10, "crossover");
        }
        assert_true(m.stable);
    }
}

/* Open loop unstable, closed loop stable; and one that needs its gain. */
static void test_closed(void **state)
{
    ct_lti lti = system_of(ARENA, 1, (double[]){2}, (double[]){-1}); /* 2 / (s - 1) */
    ct_margins m = ct_lti_margins(ARENA, &lti, 0, 0);
    assert_true(m.known && m.stable);
    near(m.phase->omega, sqrt(3), 1e-12, "crossover");
    near(m.phase->margin, 60, 1e-10, "phase margin");
    lti = system_of(ARENA, 2, (double[]){1, 0}, (double[]){0, 0}); /* 1 / s^2 */
    m = ct_lti_margins(ARENA, &lti, 0, 0);
    assert_true(m.known && !m.stable);
    assert_int_equal(m.gain_count, 0);
    near(m.phase->margin, 0, 1e-10, "double integrator");
    /* y = -u alone: the loop has no solution */
    double direct[] = {-1};
    ct_lti still = {0, 1, 1, NULL, NULL, NULL, direct, NULL, NULL, NULL, 0, NULL};
    m = ct_lti_margins(ARENA, &still, 0, 0);
    assert_false(m.known);
    /* undamped: the phase jumps over -180 where |G| is infinite, which is no margin */
    lti = system_of(ARENA, 3, (double[]){1, 0, 0}, (double[]){1, 1, 1}); /* 1/((s^2+1)(s+1)) */
    m = ct_lti_margins(ARENA, &lti, 0, 0);
    assert_int_equal(m.gain_count, 0);
}

/* ---- steps --------------------------------------------------------------------------------- */

/* w^2 / (s^2 + 2 d w s + w^2), d < 1 */
static void test_second_order(void **state)
{
    const double given[] = {0.02, 0.1, 0.3, 0.5, 0.7, 0.9};
    for (size_t i = 0; i < 6; i++)
        for (double w = 1e-4; w < 1e6; w *= 1e3) {
            double d = given[i], wd = w * sqrt(1 - d * d), K = i % 2 ? -3 : 3;
            ct_lti lti =
                system_of(ARENA, 2, (double[]){K * w * w, 0}, (double[]){w * w, 2 * d * w});
            ct_step_merit m = ct_lti_step_merit(ARENA, &lti, 0, 0);
            assert_true(m.settles);
            near(m.final, K, 1e-12, "final");
            near(m.overshoot, exp(-pi * d / sqrt(1 - d * d)), 1e-9, "overshoot");
            near(m.peak_time * wd, pi, 1e-5, "peak time");
            near(m.undershoot, 0, 0, "undershoot");
            double t = m.settling * wd;
            double e = exp(-d * w * m.settling) * (cos(t) + d * w / wd * sin(t));
            near(fabs(e), 0.02, 1e-7, "edge of the band");
            assert_true(m.settling <= -log(0.02 * sqrt(1 - d * d)) / (d * w) * (1 + 1e-9));
            assert_true(m.settling >= -log(0.02) / (d * w) - pi / wd);
        }
}

static void test_steps(void **state)
{
    /* 5 / (T s + 1) */
    for (double T = 1e-8; T < 1e8; T *= 1e3) {
        ct_lti lti = system_of(ARENA, 1, (double[]){5 / T}, (double[]){1 / T});
        ct_step_merit m = ct_lti_step_merit(ARENA, &lti, 0, 0);
        near(m.rise / T, log(9), 1e-9, "rise time");
        near(m.settling / T, log(50), 1e-9, "settling time");
        assert_true(m.overshoot == 0 && m.peak == m.final && isnan(m.peak_time));
    }
    /* (1 - s) / (s + 1)^2: y = 1 - (1 + 2 t) e^-t begins to the other side */
    ct_lti lti = system_of(ARENA, 2, (double[]){1, -1}, (double[]){1, 2});
    ct_step_merit m = ct_lti_step_merit(ARENA, &lti, 0, 0);
    near(m.undershoot, 2 * exp(-0.5) - 1, 1e-9, "undershoot");
    /* s / (s + 1): jumps to one, and fades */
    double a[] = {-1}, b[] = {1}, c[] = {-1}, direct[] = {1};
    ct_lti fades = {1, 1, 1, a, b, c, direct, NULL, NULL, NULL, 0, NULL};
    m = ct_lti_step_merit(ARENA, &fades, 0, 0);
    near(m.settling, log(50), 1e-9, "of what fades");
    assert_true(m.final == 0 && m.peak == 1 && m.peak_time == 0 && isnan(m.rise));
    lti = system_of(ARENA, 1, (double[]){1}, (double[]){0});
    assert_false(ct_lti_step_merit(ARENA, &lti, 0, 0).settles); /* 1 / s */
    ct_lti still = {0, 1, 1, NULL, NULL, NULL, direct, NULL, NULL, NULL, 0, NULL};
    m = ct_lti_step_merit(ARENA, &still, 0, 0);
    assert_true(m.settles && m.final == 1 && m.rise == 0 && m.settling == 0);
}

/* A mode that no output shows does not keep the answer from settling. */
static void test_hidden_mode(void **state)
{
    double a[] = {-2, 0, 0, 3}, b[] = {2, 1}, c[] = {1, 0};
    ct_lti lti = {2, 1, 1, a, b, c, NULL, NULL, NULL, NULL, 0, NULL};
    ct_step_merit m = ct_lti_step_merit(ARENA, &lti, 0, 0);
    near(m.settling, log(50) / 2, 1e-9, "settling time");
    ct_margins loop = ct_lti_margins(ARENA, &lti, 0, 0);
    assert_true(loop.stable && loop.apart); /* but it is told */
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    const char *const in[] = {"u"}, *const out[] = {"y"};
    ct_lti_names names = {.input = in, .output = out};
    ct_lti lti = system_of(ARENA, 1, (double[]){1}, (double[]){1});
    ct_lti_plot_def def = {.from = 0.1, .to = 10, .points = 2};
    ct_text text = ct_text_new(ARENA);
    ct_lti_put_csv(&lti, &names, CT_LTI_BODE, &def, &text);
    double w, db, degrees;
    const char *said = ct_text_string(&text);
    assert_memory_equal(said, "omega,dB(y/u),deg(y/u)\n", 23);
    assert_int_equal(sscanf(strstr(said, "\n1,") + 1, "%lf,%lf,%lf", &w, &db, &degrees), 3);
    near(db, -10 * log10(2), 1e-13, "dB");
    near(degrees, -45, 1e-13, "degrees");
    ct_text step = ct_text_new(ARENA);
    def.stop = 2;
    ct_lti_put_json(&lti, &names, CT_LTI_STEP, &def, &step);
    assert_non_null(strstr(ct_text_string(&step), "\"time\": [0, 1, 2]"));
    assert_non_null(strstr(ct_text_string(&step), "\"input\": \"u\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_third_order, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_ticks, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_first_order, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_resonance, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_closed, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_second_order, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_steps, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_hidden_mode, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_numbers, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

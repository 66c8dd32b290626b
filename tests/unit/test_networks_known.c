/* test_networks_known.c - networks with dependent storage and others whose solution is known.
 *
 * Each has an input u(t). The digits say for each output how often u is differentiated in it; then
 * come the outputs at the end of the run, in closed form. */
#include "test_networks_study.h"

static const struct known_case {
    const char *name;
    uint32_t states;
    const char *orders;
    double stop, value[3], tolerance;
    const char *text;
} known[] = {
    {"capacitor loop with a source",
     1,
     "10",
     1,
     {0.75 * 0.54030230586813977, 0.21036774620197413},
     1e-9,
     "input u : V = sin(t)\nV1 : vsource(a, ground) v = u\nC1 : capacitor(a, b) C = 1\n"
     "C2 : capacitor(b, ground) C = 3\noutput C1.i, C2.v\n"},
    {"inductor cutset with a current source",
     0,
     "10",
     1,
     {1.0806046117362795, 0.8414709848078965},
     1e-9,
     "input u : A = sin(t)\nI1 : isource(ground, a) i = u\nL1 : inductor(a, b) L = 2\n"
     "R1 : resistor(b, ground) R = 1\noutput L1.v, L1.i\n"},
    {"geared inertias",
     1,
     "00",
     1,
     {0.15323256471062008, 0.8414709848078965},
     1e-9,
     "input u : N.m = sin(t)\nJ1 : inertia(a) J = 2\nJ2 : inertia(b) J = 9\n"
     "G : gear(ground, a | ground, b) n = 3\nM : torque(ground, a) T = u\n"
     "output J1.w, J2.T\n"},
    {"geared inertias, driven",
     0,
     "01",
     1,
     {0.8414709848078965 / 3, 3 * 0.54030230586813977},
     1e-9,
     "input u : rad/s = sin(t)\nJ1 : inertia(a) J = 2\nJ2 : inertia(b) J = 9\n"
     "G : gear(ground, a | ground, b) n = 3\nM : speed_source(ground, a) w = u\n"
     "output J2.w, J2.T\n"},
    {"two masses moving as one",
     1,
     "00",
     1,
     {0.15323256471062008, 2 * 0.8414709848078965 / 3},
     1e-9,
     "input u : N = sin(t)\nm1 : mass(a) m = 1\nm2 : mass(b) m = 2\n"
     "rod : lever(ground, a | ground, b) n = 1\nf : force(ground, a) F = u\n"
     "output m1.v, m2.F\n"},
    {"driven position",
     0,
     "012",
     1,
     {0.8414709848078965, 0.54030230586813977, -2 * 0.8414709848078965},
     1e-9,
     "input u : m = sin(t)\nS : position_source(ground, a) x = u\nm1 : mass(a) m = 2\n"
     "output a.x, a.v, m1.F\n"},
    {"op-amp integrator",
     1,
     "00",
     1,
     {-0.45969769413186023, 0.8414709848078965 / 2},
     1e-9,
     "input u : V = sin(t)\nV1 : vsource(a, ground) v = u\nR1 : resistor(a, x) R = 2\n"
     "C1 : capacitor(x, o) C = 0.5\nA : opamp(ground, x | o, ground)\noutput o.v, C1.i\n"},
    {"op-amp differentiator",
     0,
     "11",
     1,
     {-0.54030230586813977, 0.54030230586813977 / 2},
     1e-9,
     "input u : V = sin(t)\nV1 : vsource(a, ground) v = u\nC1 : capacitor(a, x) C = 0.5\n"
     "R1 : resistor(x, o) R = 2\nA : opamp(ground, x | o, ground)\noutput o.v, R1.i\n"},
    {"diode rectifier",
     1,
     "0",
     1.25,
     {4.3},
     0.2,
     "input u : V = 5*sin(2*pi*t)\nV1 : vsource(a, ground) v = u\nD1 : diode(a, b)\n"
     "C1 : capacitor(b, ground) C = 1 mF\nR1 : resistor(b, ground) R = 1 kohm\n"
     "output C1.v\n"},
    {"hydraulic flow that turns round",
     0,
     "00",
     1.5,
     {-0.9949836664993277, -0.98999249660044546},
     1e-7,
     "input u : Pa = cos(2*t)\nS : pressure_source(a, ground) p = u\n"
     "R : fluid_resistor(a, ground) R = 1, k = 2\noutput R.q, R.p\n"},
    {"tank whose flow turns round: p = cos(t), q = -sin(t)",
     1,
     "00",
     20,
     {0.40808206181339196, -0.91294525072762767},
     1e-8,
     "input u : Pa = cos(t) - sin(t)*abs(sin(t))\nS : pressure_source(a, ground) p = u\n"
     "R : fluid_resistor(a, b) R = 1, k = 2\nT : tank(b, ground) C = 1, p(0) = 1\n"
     "output T.p, R.q\n"},
    {"the same through an inertance, with another exponent",
     2,
     "00",
     20,
     {0.40808206181339196, -0.91294525072762767},
     1e-8,
     "input u : Pa = -sin(t)*abs(sin(t))^0.75\nS : pressure_source(a, ground) p = u\n"
     "R : fluid_resistor(a, b) R = 1, k = 1.75\nI : fluid_inertance(b, c) I = 1\n"
     "T : tank(c, ground) C = 1, p(0) = 1\noutput T.p, I.q\n"},
    {"two tanks whose flow turns round",
     2,
     "00",
     40,
     {0, 0},
     1e-6,
     "input u : Pa = 0\nT1 : tank(a, ground) C = 1, p(0) = 1\nT2 : tank(b, ground) C = 2\n"
     "R : fluid_resistor(a, b) R = 1, k = 1.5\nI : fluid_leakage(b, ground) G = 1\n"
     "S : fluid_leakage(a, ground) G = 1\noutput T1.p, T2.p\n"},
    {"a pendulum by two masses and a rod: two hidden constraints",
     2,
     "00",
     1,
     {-0.5979327599475558, -0.801546264779207},
     1e-7,
     "element rod\n  port px : translational(gx, bx)\n  port py : translational(gy, by)\n"
     "  edge ex(gx, bx), ey(gy, by)\n  param L : m > 0\n  var pull : N/m\n"
     "  ex.F = pull*ex.x\n  ey.F = pull*ey.x\n  ex.x^2 + ey.x^2 = L^2\nend\n"
     "MX : mass(x) m = 1, x(0) = 0.6\nMY : mass(y) m = 1, x(0) = -0.8\n"
     "R : rod(ground, x | ground, y) L = 1\nG : force(ground, y) F = -9.81\n"
     "output x.x, y.x\n"},
    {"two capacitors by their charge, side by side",
     1,
     "00",
     2,
     {0.5554412744848604, 0.7268032445044638},
     1e-8,
     "element charge_capacitor\n  port p, n : electrical\n  edge e(p, n)\n"
     "  param C : F > 0, v0 : V > 0\n  var q : A.s\n  e.i = der(q)\n"
     "  q = C*e.v*(1 + (e.v/v0)^2)\nend\n"
     "I : isource(ground, a) i = 1\nC1 : charge_capacitor(a, ground) C = 1, v0 = 1\n"
     "C2 : charge_capacitor(a, ground) C = 1, v0 = 2\nR : resistor(a, ground) R = 1\n"
     "output a.v, C1.q\n"},
    {"a coil that turns, seen from two axes: a matrix of inductances without inverse",
     3,
     "00",
     1,
     {0.63212055882855767, 0.5},
     1e-8,
     "element turning_coil\n  port a, b, n : electrical\n  port shaft : rotational(s, r)\n"
     "  edge e1(a, n), e2(b, n), m(s, r)\n  param L : H > 0\n"
     "  signal along = cos(m.theta)*e1.i + sin(m.theta)*e2.i\n"
     "  e1.v = der(L*cos(m.theta)*along)\n  e2.v = der(L*sin(m.theta)*along)\n  m.T = 0 N.m\nend\n"
     "V1 : vsource(s1, ground) v = 1 V*cos(r.theta)\nV2 : vsource(s2, ground) v = 1 "
     "V*sin(r.theta)\n"
     "R1 : resistor(s1, a) R = 1\nR2 : resistor(s2, b) R = 1\n"
     "M : turning_coil(a, b, ground | ground, r) L = 1\n"
     "J : inertia(r) J = 1, theta(0) = 0.3, w(0) = 0.2\noutput M.along, r.theta\n"},
    {"motor without load",
     0,
     "00",
     1,
     {0.8414709848078965 / 0.05, 0},
     1e-9,
     "input u : V = sin(t)\nV1 : vsource(a, ground) v = u\n"
     "M : dc_motor(a, ground | ground, s) Kv = 0.05, R = 2, L = 1 mH\noutput s.w, M.i\n"},
};

/* How often the input is differentiated in an expression. */
static int input_order(study *s, ct_expr e)
{
    static const char *const rate[] = {"der(u)", "der(der(u))", "der(der(der(u)))"};
    int order = 0;
    for (int i = 0; i < 3; i++)
        if (ct_expr_has(s->system->pool, e, ct_intern_text(s->ctx, rate[i])))
            order = i + 1;
    return order;
}

static void check_orders(study *s, const struct known_case *k)
{
    for (uint32_t i = 0; i < s->model->output_count; i++)
        if (input_order(s, s->output[i]) != k->orders[i] - '0')
            fail_msg("%s: output %u holds derivative %d of u", k->name, i + 1,
                     input_order(s, s->output[i]));
    if (s->reduced->state_count != k->states)
        fail_msg("%s: %u states", k->name, s->reduced->state_count);
}

static void check_values(study *s, const struct known_case *k, const char *form)
{
    ct_simulator *simulator;
    ct_simulation_def def = ct_default_simulation_def();
    const ct_result *result = NULL;
    def.stop = k->stop;
    def.tol = fmin(k->tolerance / 100, 1e-6);
    def.atol = def.tol / 100;
    if (ct_make_simulator(s->ctx, s->tree, form, &simulator) != CT_OK ||
        ct_run(s->ctx, simulator, &def, &result) != CT_OK)
        fail_msg("%s, %s: %s", k->name, form, errors_of(s));
    const ct_rows *rows = &result->outputs;
    const double *last = rows->value + (rows->count - 1) * rows->cols;
    for (uint32_t i = 1; i < rows->cols; i++)
        if (!(fabs(last[i] - k->value[i - 1]) <= k->tolerance * fmax(1, fabs(k->value[i - 1]))))
            fail_msg("%s, %s: %s is %.12g, not %.12g", k->name, form, rows->name[i], last[i],
                     k->value[i - 1]);
}

static void test_known_networks(void **state)
{
    (void)state;
    static const char *const form[] = {"nodal", "branch-chord", "tableau"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int f = 0; f < 3; f++) {
            study s = study_text(known[i].text, (ct_form)f, NULL);
            if (!s.reduced)
                fail_msg("%s, %s: %s", known[i].name, form[f], errors_of(&s));
            check_orders(&s, &known[i]);
            check_values(&s, &known[i], form[f]);
            close_study(&s);
        }
}

/* ---- bonds behind plain unknowns that share a state */

/* Two motors with warm windings on geared shafts, one of them with an inertia behind a further
 * gear: currents bind speeds of three inertias. Every form has all of them: 0.079 w' + 2.688 times
 * the torque on the second shaft = torques of the motors. */
static void test_shared_bonds(void **state)
{
    (void)state;
    static const char text[] =
        "B0 : inertia(s0)  J = 0.079, w(0) = -0.859\nB1 : inertia(s1)  J = 0.192\n"
        "V0 : vsource(a0, ground)  v = -0.859\n"
        "H0 : heating_resistor(a0, w0 | hot0)  R = 1.167, alpha = 0.005\n"
        "C0 : thermal_capacitor(hot0, ground)  C = 3.901, T(0) = 300\n"
        "M0 : dc_motor(w0, ground | ground, s0)  Kv = 0.959, R = 1.167, B = 0.133\n"
        "V1 : vsource(a1, ground)  v = -0.3\n"
        "H1 : heating_resistor(a1, w1 | hot1)  R = 1.671, alpha = 0.006\n"
        "C1 : thermal_capacitor(hot1, ground)  C = 2.862, T(0) = 300\n"
        "G1 : gear(ground, f1 | ground, s1)  n = 3.635\nK1 : inertia(f1)  J = 0.014\n"
        "M1 : dc_motor(w1, ground | ground, s1)  Kv = 0.555, R = 1.671, B = 0.138\n"
        "G90 : gear(ground, s1 | ground, s0)  n = 2.688\noutput B0.w, B0.T\n";
    const double n = 2.688, w = -0.859, warm0 = 1.167 * (2 + 0.005 * 6.85),
                 warm1 = 1.671 * (2 + 0.006 * 6.85);
    double on0 = 0.959 * (-0.859 - 0.959 * w) / warm0 - 0.133 * w;
    double on1 = 0.555 * (-0.3 - 0.555 * n * w) / warm1 - 0.138 * n * w;
    double all = 0.079 + n * n * (0.192 + 3.635 * 3.635 * 0.014), want = (on0 + n * on1) / all;
    for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++) {
        study s = study_text(text, (ct_form)form, NULL);
        ct_simulator *simulator;
        ct_simulation_def def = ct_default_simulation_def();
        const ct_result *result = NULL;
        static const char *const word[] = {"nodal", "branch-chord", "tableau"};
        def.stop = 1e-6;
        if (ct_make_simulator(s.ctx, s.tree, word[form], &simulator) != CT_OK ||
            ct_run(s.ctx, simulator, &def, &result) != CT_OK)
            fail_msg("%s: %s", word[form], errors_of(&s));
        double rate = result->outputs.value[2] / 0.079;
        if (!(fabs(rate - want) <= 1e-9 * fabs(want)))
            fail_msg("%s: %.12g, not %.12g", word[form], rate, want);
        close_study(&s);
    }
}

/* ---- derivatives of what is no state, against differences */

static const struct rate_case {
    const char *text, *variable[4];
} rate_cases[] = {
    {"M : mass(p) m = 1\nS : spring(p, q) k = 1\nD : damper(q, ground) d = 1\n"
     "F : force(ground, p) F = sin(t)\n",
     {"q.v", "S.F", "q.x", "p.x"}},
    {"V : vsource(a, ground) v = sin(t)\nR : resistor(a, b) R = 1\n"
     "D : conductor(b, ground) G = 1/(1 + 0.2*b.v^2/1 V^2)\nC : capacitor(b, c) C = 1\n"
     "R2 : resistor(c, ground) R = 1\n",
     {"D.v", "R.i", "C.i", "C.v"}},
    {"P : pressure_source(a, ground) p = 2 + sin(t)\nR : fluid_resistor(a, b) R = 1, k = 2\n"
     "R2 : fluid_resistor(b, ground) R = 1, k = 1.5, q0 = 0.1\n",
     {"R.q", "b.p", "R2.q", "R.p"}},
    {"M : mass(p) m = 1\nF : force(ground, p) F = sin(t)\n", {"p.x", "p.v", "M.F", "p.a"}},
};

enum { HIGHEST = 3 };

static const char *rate_text(const struct rate_case *c)
{
    static char text[2048];
    int at = snprintf(text, sizeof text, "%soutput ", c->text);
    for (int i = 0; i < 4; i++)
        for (int order = 0; order <= HIGHEST; order++) {
            at += snprintf(text + at, sizeof text - (size_t)at, "%s", i || order ? ", " : "");
            for (int k = 0; k < order; k++)
                at += snprintf(text + at, sizeof text - (size_t)at, "der(");
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%.*s", c->variable[i], order,
                           ")))");
        }
    snprintf(text + at, sizeof text - (size_t)at, "\n");
    return text;
}

static void check_slopes(const struct rate_case *c, const ct_rows *rows, const char *form)
{
    for (uint32_t k = 0; k < 4 * (HIGHEST + 1); k++)
        for (uint64_t i = 100; k % (HIGHEST + 1) != HIGHEST && i + 1 < rows->count; i += 100) {
            const double *before = rows->value + (i - 1) * rows->cols, *here = before + rows->cols,
                         *after = here + rows->cols;
            double slope = (after[k + 1] - before[k + 1]) / (after[0] - before[0]);
            if (!(fabs(slope - here[k + 2]) <= 1e-5 * (1 + fabs(slope))))
                fail_msg("%s, derivative %u in form %s: %.9g, not %.9g",
                         c->variable[k / (HIGHEST + 1)], k % (HIGHEST + 1) + 1, form, here[k + 2],
                         slope);
        }
}

static void test_rates(void **state)
{
    (void)state;
    static const char *const form[] = {"nodal", "branch-chord", "tableau"};
    for (size_t i = 0; i < sizeof rate_cases / sizeof *rate_cases; i++)
        for (int f = 0; f < 3; f++) {
            study s = study_text(rate_text(&rate_cases[i]), (ct_form)f, NULL);
            ct_simulator *simulator;
            ct_simulation_def def = ct_default_simulation_def();
            const ct_result *result = NULL;
            def.stop = 2;
            def.tol = 1e-11;
            def.points = 2000;
            if (!s.reduced || ct_make_simulator(s.ctx, s.tree, form[f], &simulator) != CT_OK ||
                ct_run(s.ctx, simulator, &def, &result) != CT_OK)
                fail_msg("%s, %s: %s", rate_cases[i].text, form[f], errors_of(&s));
            check_slopes(&rate_cases[i], &result->outputs, form[f]);
            close_study(&s);
        }
}

/* ---- equations left over that depend on each other */

static void test_dependent_rest(void **state)
{
    (void)state;
    static const char format[] =
        "element pair\n  port p, n : electrical\n  edge e(p, n)\n  var x : s, y : s\n"
        "  sinh(der(x) + der(y)) + der(x) + der(y) = e.v/1 V\n"
        "  exp(der(x) %c der(y)) = 2\n  e.i = x*1 A/s\nend\n"
        "V1 : vsource(a, ground) v = 1 V\nR1 : resistor(a, b) R = 1\nP1 : pair(b, ground)\n"
        "output P1.x\n";
    char text[1024];
    for (const char *sign = "+-"; *sign; sign++) {
        snprintf(text, sizeof text, format, *sign);
        study s = study_text(text, CT_FORM_NODAL, NULL);
        assert_int_equal(s.reduced != NULL, *sign == '-');
        assert_int_equal(strstr(errors_of(&s), "E511") != NULL, *sign == '+');
        close_study(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_networks),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_shared_bonds),
        cmocka_unit_test(test_dependent_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

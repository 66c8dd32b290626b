/* test_fields.c - elements along a line: closed forms, ends held and free, messages. */
#include "model/beam_wave.h"
#include "test_simulate.h"

static const char *const line_ends[] = {"auto", "fixed_fixed", "fixed_free", "free_fixed",
                                        "free_free"};

static void check_value(const char *text, const char *output, double time, double value,
                        double tolerance)
{
    for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++)
        for (uint32_t seed = 0; seed < 2; seed++) {
            trial t = new_trial(NULL);
            t.text = text;
            t.def.tol = 1e-10;
            t.def.times = &time;
            t.def.time_count = 1;
            t.form = (ct_form)form;
            t.seed = seed;
            must_run(&t);
            close_to(value_at(&t, output, time), value, tolerance, text);
            end_trial(&t);
        }
}

/* Whatever the ends are and however few the modes: what flows in the end is exact. */
static void test_statics_are_exact(void **state)
{
    static const char *const methods[] = {"method = modal, modes = 2", "method = cells, cells = 3"};
    (void)state;
    for (size_t e = 0; e < 5; e++)
        for (size_t m = 0; m < 2; m++) {
            char text[600], ends[40] = "";
            snprintf(ends, sizeof ends, "%s", e ? line_ends[e] : "auto");
            for (char *c = strstr(ends, "fixed"); c; c = strstr(ends, "fixed"))
                memmove(c + 4, c + 5, strlen(c + 4)), memcpy(c, "held", 4);
            snprintf(text, sizeof text,
                     "V : temperature_source(a, ground) T = 40\nR : thermal_resistor(a, b) R = 1\n"
                     "W : wall(b, c) length = 0.2, k = 0.4, rho = 2, cp = 3, ends = %s, %s\n"
                     "S : thermal_resistor(c, ground) R = 2.5\noutput c.T as y\n",
                     ends, methods[m]);
            check_value(text, "y", 60, 40 * 2.5 / 4, 1e-6);
            snprintf(text, sizeof text,
                     "F : force(ground, b) F = 3\nD : damper(ground, b) d = 50\n"
                     "S : spring(ground, a) k = 600\nC : damper(ground, a) d = 50\n"
                     "B : bar(a, b) E = 100, rho = 1, A = 1, length = 0.25, damping = 0.02, "
                     "ends = %s, %s\noutput b.x as y, B.ea.F as F\n",
                     line_ends[e], methods[m]);
            check_value(text, "y", 40, 3.0 / 600 + 3.0 / 400, 1e-7);
            check_value(text, "F", 40, -3, 1e-5);
        }
}

/* Unsteady losses are the steady ones in the end, and begin as a flow that is steady. */
static void test_unsteady_losses(void **state)
{
    static const char *const ends[] = {"held_held", "held_free", "free_held", "free_free"};
    static const char *const methods[] = {"modes = 2", "method = cells, cells = 3"};
    (void)state;
    for (size_t e = 0; e < 4; e++)
        for (size_t m = 0; m < 2; m++) {
            char text[500];
            snprintf(text, sizeof text,
                     "P : pressure_source(s, ground) p = 12\nA : fluid_leakage(s, a) G = 2\n"
                     "L : pipe(a, b) length = 3, A = 2, rho = 4, c = 5, friction = 0.5, "
                     "losses = unsteady, branches = 4, ends = %s, %s, q(0) = 1.5\n"
                     "R : fluid_leakage(b, ground) G = 0.25\noutput b.p as y\n",
                     ends[e], methods[m]);
            check_value(text, "y", 200, 12 * 4 / (0.5 + 3 + 4), 1e-6); /* rho/A*friction*length */
        }
}

/* A uniform load, and a field that is lost to its sides. */
static void test_loads(void **state)
{
    (void)state;
    check_value("B : bar(ground, b) E = 100, rho = 1, A = 1, length = 2, load = 5, damping = 0.1, "
                "modes = 3\noutput b.x as y\n",
                "y", 60, 5 * 2 * 2 / (2.0 * 100), 1e-7);
    check_value(
        "S : string(ground, ground) tension = 8, rhoA = 1, length = 2, load = 3, zeta = 0.5, "
        "modes = 40 { m = 0.9999 }\noutput S.m.x as y\n",
        "y", 60, 3 * 4 / (8 * 8.0), 1e-5);
    check_value("T : temperature_source(a, ground) T = 400\n"
                "F : fin(a, b) length = 0.1, A = 1e-4, perimeter = 0.04, k = 200, rho = 2700, "
                "cp = 900, h = 50, Tamb = 300, method = cells, cells = 200\noutput b.T as y\n",
                "y", 2000, 300 + 100 / cosh(0.1 * sqrt(50 * 0.04 / (200 * 1e-4))), 1e-2);
}

/* Forces at taps, by statics: a bar held at one end or the other, a string held at both, and a bar
 * between springs. Few modes; what they miss is a compliance between each two ports. */
static void test_taps(void **state)
{
    static const char bar[] = "B : bar(%s) E = 100, rho = 1, A = 1, length = 2, damping = 0.1, "
                              "modes = 2, ends = %s { m = 0.5, n = 1.25 }\n"
                              "F : force(ground, B.%c) F = 5\n%soutput B.%c.x as y, e.x as z\n";
    static const double place[] = {0.5, 1.25};
    (void)state;
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            char text[600];
            double near = fmin(place[from], place[to]), far = fmax(place[from], place[to]);
            snprintf(text, sizeof text, bar, "ground, e", "fixed_free", "mn"[from], "", "mn"[to]);
            check_value(text, "y", 60, 5 * near / 100, 1e-7);
            check_value(text, "z", 60, 5 * place[from] / 100, 1e-7);
            snprintf(text, sizeof text, bar, "e, ground", "free_fixed", "mn"[from], "", "mn"[to]);
            check_value(text, "y", 60, 5 * (2 - far) / 100, 1e-7);
            check_value(text, "z", 60, 5 * (2 - place[from]) / 100, 1e-7);
            snprintf(text, sizeof text, bar, "e, b", "free_free", "mn"[from],
                     "S : spring(ground, e) k = 40\nD : damper(ground, e) d = 20\n", "mn"[to]);
            check_value(text, "y", 60, 5.0 / 40 + 5 * near / 100, 1e-6);
            snprintf(text, sizeof text,
                     "S : string(ground, ground) tension = 8, rhoA = 1, length = 2, zeta = 0.5, "
                     "modes = 3 { m = 0.5, n = 1.25 }\nF : force(ground, S.%c) F = 5\n"
                     "output S.%c.x as y\n",
                     "mn"[from], "mn"[to]);
            check_value(text, "y", 60, 5 * near * (2 - far) / (8 * 2), 1e-7);
        }
}

/* Keys that depend on the place: sections by cells, loads by modes too. */
static void test_keys_along(void **state)
{
    (void)state;
    check_value("B : bar(ground, b) E = 100, rho = 1, A = 2 - 1 m*x, length = 1, damping = 0.1, "
                "method = cells, cells = 40\nF : force(ground, b) F = 5\noutput b.x as y\n",
                "y", 60, 5.0 / 100 * log(2), 1e-6);
    check_value(
        "param k = 3\nB : bar(ground, b) E = 100, rho = 1, A = 1, length = 2, load = k*(x/1 m)^2, "
        "damping = 0.1, modes = 3\noutput b.x as y\n",
        "y", 60, 3 * 4 / 100.0, 1e-7);
    check_value("B : beam(ground, t) E = 2, Iz = 1, rho = 1, A = 1, length = 1.5, zeta = 0.4, "
                "modes = 3, ends = clamped_free, load = 2*(x/1 m)\noutput t.x as y\n",
                "y", 200, 11 * 3 * pow(1.5, 4) / (120 * 2), 2e-4);
}

/* Deflections of beams by statics, for any ends, few modes, and taps. E I = 2, length 1.5. */
#define BEAM "E = 2, Iz = 1, rho = 1, A = 1, length = 1.5, zeta = 0.4, modes = 2"

static void test_beams_bend(void **state)
{
    const double L = 1.5, EI = 2;
    (void)state;
    check_value("B : beam(ground, t) " BEAM ", ends = clamped_free\nF : force(ground, t) F = 3\n"
                "output t.x as y\n",
                "y", 200, 3 * L * L * L / (3 * EI), 1e-6);
    check_value("B : beam(ground, t | ground, r) " BEAM ", slopes = ports\n"
                "F : force(ground, t) F = 3\nM : torque(ground, r) T = 1\noutput t.x as y\n",
                "y", 200, 3 * L * L * L / (3 * EI) + L * L / (2 * EI), 1e-6);
    check_value("B : beam(ground, ground) " BEAM ", load = 4\noutput B.ea.F as y\n", "y", 200,
                -4 * L / 2, 1e-5);
    check_value("B : beam(ground, ground) " BEAM " { m = 0.75 }\nF : force(ground, B.m) F = 5\n"
                "output B.m.x as y\n",
                "y", 200, 5 * L * L * L / (48 * EI), 3e-6);
    check_value("B : beam(a, b) " BEAM
                "\nS : spring(ground, a) k = 7\nU : spring(ground, b) k = 9\n"
                "D : damper(ground, a) d = 1\nF : force(ground, b) F = 2\noutput b.x as y\n",
                "y", 200, 2.0 / 9, 1e-6);
    check_value("B : beam(ground, t) " BEAM
                ", ends = clamped_free, theory = rayleigh, axial = force, "
                "tension = -0.5\nF : force(ground, t) F = 0.3\noutput t.x as y\n",
                "y", 300, 0.3 / 0.5 * (tan(0.5 * L) / 0.5 - L), 3e-3);
}

static void test_frequencies_of_beams(void **state)
{
    static const struct {
        const char *ends;
        double first, second;
    } cases[] = {
        {"clamped_free", 1.8751040687119611, 4.694091132974175},
        {"clamped_clamped", 4.730040744862704, 7.853204624095838},
        {"clamped_pinned", 3.926602312047919, 7.068582745628732},
        {"pinned_pinned", 3.141592653589793, 6.283185307179586},
        {"clamped_sliding", 2.3650203724313523, 5.497803919000836},
        {"sliding_clamped", 2.3650203724313523, 5.497803919000836},
        {"free_free", 4.730040744862704, 7.853204624095838},
        {"pinned_free", 3.926602312047919, 7.068582745628732},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "B : beam(a, b) " BEAM ", ends = %s\nS : spring(ground, a) k = 1\n"
            "U : spring(ground, b) k = 1\noutput B.betaL[1] as y, B.betaL[2] as z, B.omega[1]\n",
            cases[k].ends);
        check_value(text, "y", 0, cases[k].first, 1e-13);
        check_value(text, "z", 0, cases[k].second, 1e-13);
    }
}

/* One mode between pins, sin(pi x/L), pushed in the middle; slopes have inertia [Rayleigh]. */
static void test_slopes_have_inertia(void **state)
{
    const double L = 1.5, EI = 2, b = 3.141592653589793 / L, t = 0.7;
    const double mass = L / 2 * (1 + b * b), w = b * b * sqrt(EI / (1 + b * b));
    (void)state;
    check_value("B : beam(ground, ground) E = 2, Iz = 1, rho = 1, A = 1, length = 1.5, zeta = 0, "
                "modes = 1, ends = pinned_pinned, theory = rayleigh { m = 0.75 }\n"
                "F : force(ground, B.m) F = 5\noutput B.m.v as y\n",
                "y", t, 5 / (mass * w) * sin(w * t), 1e-9);
}

/* Taps part a field: the same as several of them, one behind the other. */
static void test_taps_of_waves(void **state)
{
    static const char text[] =
        "V : vsource(s, ground) v = 5*step(t - 0.25)\nS : resistor(s, a) R = 25\n"
        "L : line(a, b) length = 4, l = 12.5, c = 0.005, method = delay { far = 3, near = 1 }\n"
        "T : resistor(L.near, ground) R = 75\nC : capacitor(L.far, ground) C = 0.02\n"
        "R : resistor(b, ground) R = 150\nS2 : resistor(s, a2) R = 25\n"
        "L1 : line(a2, n) length = 1, l = 12.5, c = 0.005, method = delay\n"
        "L2 : line(n, f) length = 2, l = 12.5, c = 0.005, method = delay\n"
        "L3 : line(f, b2) length = 1, l = 12.5, c = 0.005, method = delay\n"
        "T2 : resistor(n, ground) R = 75\nC2 : capacitor(f, ground) C = 0.02\n"
        "R2 : resistor(b2, ground) R = 150\noutput abs(L.near.v - n.v) + abs(L.far.v - f.v) as y, "
        "n.v as n\n";
    (void)state;
    for (int i = 1; i < 6; i++)
        check_value(text, "y", 0.7 * i, 0, 1e-9);
    check_value(text, "n", 0.6, 5 * 50.0 / 75 * 2 * 30 / 80, 1e-9);
}

/* Pinned: waves sin(k pi x/L) of both branches [Timoshenko]; at rest bending and shear add up. */
static void test_shear(void **state)
{
    static const char beam[] =
        "B : beam(ground, %s) E = 2, G = 3, kappa = 0.8, Iz = 0.1, rho = 1.3, A "
        "= 0.7, length = 1.5, modes = 4, theory = timoshenko, ends = %s\n%s";
    const double k = 3.141592653589793 / 1.5, m = 1.3 * 0.7, j = 1.3 * 0.1, s = 0.8 * 3 * 0.7;
    double a = m * j, b = m * (0.2 * k * k + s) + j * s * k * k, c = s * 0.2 * k * k * k * k;
    char text[600];
    (void)state;
    snprintf(text, sizeof text, beam, "ground", "pinned_pinned", "output B.omega[1] as y\n");
    check_value(text, "y", 0, sqrt(2 * c / (b + sqrt(b * b - 4 * a * c))), 1e-12);
    snprintf(text, sizeof text, beam, "t", "clamped_free",
             "F : force(ground, t) F = 1\noutput t.x as y\ninitial equilibrium\n");
    check_value(text, "y", 0, 1.5 * 1.5 * 1.5 / (3 * 0.2) + 1.5 / s, 1e-10);
}

/* A bar whose section grows with exp(a x): u'' + a u' + (rho/E) omega^2 u = 0. */
static void test_sections_vary(void **state)
{
    double q = 1.7; /* u = exp(0.2 x) sin(q x), held at x = 0, free at 1 */
    (void)state;
    for (int i = 0; i < 60; i++)
        q -= (0.2 * sin(q) + q * cos(q)) / (1.2 * cos(q) - q * sin(q));
    check_value(
        "B : bar(ground, t) E = 3, rho = 2, A = 1 m^2*exp(-0.4*x/1 m), length = 1, modes = 5, ends "
        "= fixed_free\nF : force(ground, t) F = 0\noutput B.omega[1] as y\n",
        "y", 0, sqrt(1.5 * (q * q + 0.04)), 1e-9);
    check_value(
        "B : bar(ground, t) E = 3, rho = 2, A = 1 m^2*exp(-0.4*x/1 m), length = 1, modes = 2\n"
        "F : force(ground, t) F = 1\noutput t.x as y\ninitial equilibrium\n",
        "y", 0, (exp(0.4) - 1) / 0.4 / 3, 1e-9);
}

/* Values that shapes were found with stay as they are. */
static void test_frozen_params(void **state)
{
    static const char text[] = "param G = 3, f = 1\nB : beam(ground, t) E = 2, G = G, Iz = 1, rho "
                               "= 1, A = 1, length = 1, theory "
                               "= timoshenko\nF : force(ground, t) F = f\n";
    ct_context *ctx = ct_context_new(NULL);
    const ct_syntax *s;
    const ct_model *m;
    const ct_graph *g;
    const ct_tree *tree;
    ct_simulator *run;
    (void)state;
    assert_int_equal(ct_read_text(ctx, "t", text, strlen(text), &s), CT_OK);
    assert_int_equal(ct_build(ctx, s, NULL, &m), CT_OK);
    assert_int_equal(ct_make_graph(ctx, m, &g), CT_OK);
    assert_int_equal(ct_choose_tree(ctx, g, NULL, &tree), CT_OK);
    assert_int_equal(ct_make_simulator(ctx, tree, NULL, &run), CT_OK);
    assert_int_equal(ct_set_parameter(ctx, run, "f", 2), CT_OK);
    assert_int_not_equal(ct_set_parameter(ctx, run, "G", 4), CT_OK);
    assert_string_equal(ct_diag_at(ctx, ct_diag_count(ctx) - 1)->code, "E441");
    ct_context_free(ctx);
}

/* A wave takes length/c to arrive; here a smooth one. */
static void test_waves_arrive(void **state)
{
    double t = 0.7, s = (t - 0.5) / 0.2;
    (void)state;
    check_value("I : flow_source(ground, a) q = if t < 0.4 then (1 - cos(2*pi*t/0.4))/2 else 0\n"
                "P : pipe(a, b) length = 1, A = 1, rho = 1, c = 2, modes = 60\n"
                "R : fluid_resistor(b, ground) R = 2\noutput b.p as y\n",
                "y", t, 2 * (1 - cos(2 * 3.14159265358979 * s * 0.2 / 0.4)) / 2, 2e-4);
}

/* Without losses waves keep their form: to rounding, whatever jumps [d'Alembert]. */
static void test_waves_are_exact(void **state)
{
    static const char line[] =
        "V : vsource(s, ground) v = 5*step(t - 0.25)\nS : resistor(s, a) R = 25\n"
        "L : line(a, b) length = 4, l = 12.5, c = 0.005, method = delay\n"
        "R : resistor(b, ground) R = 150\noutput a.v as a, b.v as b\n";
    static const char bar[] =
        "F : force(ground, t) F = 6\noutput t.v as v, t.x as x\n"
        "B : bar(ground, t) E = 9, rho = 4, A = 0.5, length = 3, method = delay\n";
    static const char mass[] =
        "M : mass(a) m = 3, v(0) = 2\noutput a.v as v, b.x as x\n"
        "S : string(a, b) tension = 2, rhoA = 0.5, length = 5, method = delay\n";
    static const char hammer[] =
        "P : pressure_source(a, ground) p = 7\noutput b.p as p\nQ : flow_source(b, ground) q = 0\n"
        "L : pipe(a, b) length = 6, A = 2, rho = 3, c = 4, method = delay, p(0) = 7, q(0) = 0.5\n";
    static const char delayed[] =
        "D : delay(step(t - 0.3)) T = 0.5\nX : integrator(D.y)\noutput X.y as y\n";
    (void)state;
    check_value(line, "a", 0.5, 10.0 / 3, 1e-12); /* R = 50, T = 1 */
    check_value(line, "b", 1.2, 0, 1e-12);
    check_value(line, "b", 1.3, 5, 1e-12);
    check_value(line, "a", 2.2, 10.0 / 3, 1e-12);
    check_value(line, "a", 2.3, 40.0 / 9, 1e-12);
    check_value(line, "b", 3.3, 25.0 / 6, 1e-12);
    check_value(bar, "v", 3.9, 2, 1e-12); /* F/(A*sqrt(E*rho)), then back from the fixed end */
    check_value(bar, "v", 4.1, -2, 1e-12);
    check_value(bar, "x", 4, 8, 1e-9);
    check_value(bar, "x", 7, 2, 1e-9);
    check_value(mass, "v", 4.9, 2 * exp(-4.9 / 3), 1e-8);
    check_value(mass, "x", 5, 4 * 3 * (1 - exp(-2.5 / 3)),
                1e-8); /* a free end moves twice as fast */
    check_value(hammer, "p", 2.9, 7 + 3 * 4 / 2.0 * 0.5, 1e-12);
    check_value(hammer, "p", 3.1, 7 - 3 * 4 / 2.0 * 0.5, 1e-12);
    check_value(delayed, "y", 2, 1.2, 1e-9);
}

#define LINES(how)                                                                                 \
    "V : vsource(s, ground) v = 5 + step(t - 1)\nS : resistor(s, a) R = 25\n"                      \
    "L : line(a, b) length = 4, l = 12.5, c = 0.005, method = " how "\n"                           \
    "D : diode(b, ground)\nC : capacitor(b, ground) C = 0.001\n"                                   \
    "M : line(b, c) length = 1, l = 12.5, c = 0.005, method = " how "\n"                           \
    "I : inductor(c, d) L = 2\nR : resistor(d, ground) R = 150\n"                                  \
    "output b.v as b, L.i as i, I.i as x\n"

static double at_rest(const char *text, const char *output)
{
    trial t = new_trial(NULL);
    t.text = text;
    t.equilibrium = true;
    run_trial(&t);
    assert_non_null(t.point);
    double value = NAN;
    for (uint32_t i = 0; i < t.point->output_count; i++)
        if (strcmp(t.point->output[i], output) == 0)
            value = t.point->y[i];
    end_trial(&t);
    return value;
}

/* At rest what arrives is what left, and a run from there has it as its past. */
static void test_waves_rest(void **state)
{
    static const char *const outputs[] = {"b", "i", "x"};
    static const char line[] =
        "V : vsource(s, ground) v = 5 + step(t - 1)\nS : resistor(s, a) R = 25\n"
        "L : line(a, b) length = 4, l = 12.5, c = 0.005, method = delay\ninitial equilibrium\n"
        "R : resistor(b, ground) R = 150\noutput a.v as a, b.v as b\n";
    static const char delayed[] =
        "signal e = 3 - D.y + (if t < 2 then 0 else 1)\nD : delay(2*e) T = 0.5\n"
        "F : delay(D.y^2 - F.y) T = 0.3\ninitial equilibrium\noutput D.y as d, F.y as f\n";
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double modal = at_rest(LINES("modal"), outputs[i]);
        close_to(at_rest(LINES("delay"), outputs[i]), modal, 1e-9 * fabs(modal), outputs[i]);
        check_value(LINES("delay") "initial equilibrium\n", outputs[i], 0.9, modal, 1e-9);
    }
    check_value(line, "a", 0.9, 30.0 / 7, 1e-12);
    check_value(line, "a", 1.1, 30.0 / 7 + 2.0 / 3, 1e-12);
    check_value(line, "b", 1.9, 30.0 / 7, 1e-12);
    check_value(line, "b", 2.1, 30.0 / 7 + 1, 1e-12);
    check_value(delayed, "d", 1.9, 2, 1e-9);
    check_value(delayed, "f", 1.9, 2, 1e-9);
    check_value(delayed, "d", 2.6, 4, 1e-9);
    check_value(delayed, "f", 2.7, 2, 1e-9);
    check_value(delayed, "f", 2.9, 14, 1e-9);
}

static void test_fields_that_cannot_be(void **state)
{
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"B : bar(ground, t) E = 1, rho = 1, A = 1, length = 1, modes = 0\n", "E411"},
        {"B : bar(ground, t) E = 1, rho = 1, A = 1, length = 1, method = cells, cells = 1.5\n",
         "E411"},
        {"B : bar(ground, t) E = 1, rho = 1, A = -1, length = 1\n", "E224"},
        {"B : bar(ground, t) E = 1, rho = 1, A = 1, length = 1, ends = loose_free\n", "E204"},
        {"B : bar(ground, t) E = 1, rho = 1, A = 1, length = 1, method = waves\n", "E204"},
        {"L : line(a, b) length = 1, l = 1, c = 1, accuracy = 2 up to 1 Hz\n"
         "V : vsource(a, ground) v = 1\nR : resistor(b, ground) R = 1\n",
         "E413"},
        {"L : line(a, b) length = 1, l = 1, c = 1, accuracy = 1e-3\n"
         "V : vsource(a, ground) v = 1\nR : resistor(b, ground) R = 1\n",
         "E413"},
        {"param l\nL : line(a, b) length = 1, l = l, c = 1, accuracy = 1e-3 up to 1 Hz\n"
         "V : vsource(a, ground) v = 1\nR : resistor(b, ground) R = 1\n",
         "E413"},
        {"L : line(a, ground) length = 1, l = 1, c = 1, method = delay, r = 0.1\nV : vsource(a, "
         "ground) v = 1\n",
         "E276"},
        {"S : string(ground, s) tension = 1, rhoA = 1, length = 1, method = delay, load = sin(t)\n",
         "E276"},
        {"P : pipe(a, ground) length = 1, A = 1, rho = 1, c = 1, friction = 1, losses = unsteady, "
         "branches = 13\nQ : flow_source(ground, a) q = 1\n",
         "E411"},
        {"P : pipe(a, ground) length = 1, A = 1, rho = 1, c = 1, friction = 1, losses = unsteady, "
         "accuracy = 1e-3 up to 1 Hz\nQ : flow_source(ground, a) q = 1\n",
         "E410"},
        {"S : string(ground, s) tension = 1, rhoA = 1, length = 1, method = delay\nplot S.v over "
         "x\n",
         "E277"},
        {"S : string(ground, s) tension = 1, rhoA = 1, length = 1\nplot S.z over x\n", "E277"},
        {"S : string(ground, s) tension = 1, rhoA = 1, length = 1, method = delay { m = 0.5, n = "
         "1/2 "
         "}\n",
         "E412"},
        {"B : bar(ground, t) E = 1, rho = 1, A = 1 + x, length = 1, method = delay\n", "E410"},
        {"L : line(a, ground) length = 1, l = 1, c = 1, method = delay, accuracy = 1e-3 up to 1 "
         "Hz\nV : vsource(a, ground) v = 1\n",
         "E410"},
        {"S : string(ground, ground) tension = 1, rhoA = 1, length = 1 { m = 1.5 }\n", "E224"},
        {"B : bar(ground, t) E = 1, rho = 1, A = 1 - 2 m*x, length = 1, method = cells\n", "E224"},
        {"B : bar(ground, t) E = 1, rho = 1, A = 1 - 2 m*x, length = 1\n", "E440"},
        {"param a\nB : beam(ground, t) E = 1, rho = 1, A = a, Iz = 1, length = 1, theory = "
         "rayleigh\n"
         "F : force(ground, t) F = 1\n",
         "E440"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, theory = timoshenko\n",
         "E440"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, theory = rayleigh, modes "
         "= "
         "101\n",
         "E411"},
        {"W : wall(a, ground) k = 1 + x, rho = 1, cp = 1, length = 1\nQ : heat_source(ground, a) Q "
         "= "
         "1\n",
         "E410"},
        {"param p : m\nS : string(ground, ground) tension = 1, rhoA = 1, length = 1, method = "
         "cells "
         "{ m = p }\n",
         "E412"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = clamped_free, "
         "axial "
         "= constant, tension = 1, damping = 1\n",
         "E443"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = pinned_free, axial "
         "= constant, tension = 1\n",
         "E443"},
        {"param N : N\nB : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, axial = "
         "constant, tension = N\n",
         "E443"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = clamped_free, "
         "axial "
         "= force, tension = 1 N/m*x\n",
         "E410"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = clamped_free, "
         "axial "
         "= force, tension = 1, accuracy = 1e-2 up to 1 Hz\n",
         "E413"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = clamped_free, "
         "accuracy = 1e-9 up to 1 kHz\n",
         "E413"},
        {"B : beam(ground, t) E = 1, rho = 1, A = 1 + x*1 m, Iz = 1, length = 1, accuracy = 1e-2 "
         "up "
         "to 1 Hz\n",
         "E410"},
        {"S : string(ground, ground) tension = 1, rhoA = 1, length = 1 { ea = 0.5 }\n", "E201"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i + 3*v\n }\n"
         " at x = 0 { ea.v = v, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = -i }\nend\n",
         "E410"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i\n }\n"
         " at x = 0 { ea.v = v, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = i }\nend\n",
         "E410"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i\n }\n"
         " at x = 0 { ea.v = v, ea.i = i }\nend\n",
         "E410"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = der(2*v)\n -diff(v, x) = 2*i\n }\n"
         " at x = 0 { ea.v = v, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = -i }\nend\n",
         "E410"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v over x = 0..1 m {\n -diff(v, x) = 2*der(v)\n }\n"
         " at x = 0 { ea.v = v }\nend\n",
         "E410"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i\n -diff(v, x) "
         "= 3*i\n }\n"
         " at x = 0 { ea.v = v, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = -i }\nend\n",
         "E410"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i\n }\n"
         " at x = nix { ea.v = v, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = -i }\nend\n",
         "E210"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i\n }\n"
         " at x = 0 { ea.v = v + nix, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = -i }\nend\n",
         "E210"},
        {"element f\n port a, b : electrical\n edge ea(a, ground), eb(b, ground)\n"
         " field v, i over x = 0..1 m {\n -diff(i, x) = 2*der(v)\n -diff(v, x) = 2*i + nix\n }\n"
         " at x = 0 { ea.v = v, ea.i = i }\n at x = 1 m { eb.v = v, eb.i = -i }\nend\n",
         "E210"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_context *ctx = ct_context_new(NULL);
        const ct_syntax *s;
        const ct_model *m;
        assert_int_equal(ct_read_text(ctx, "t", cases[k].text, strlen(cases[k].text), &s), CT_OK);
        if (ct_build(ctx, s, NULL, &m) == CT_OK)
            fail_msg("accepted: %s", cases[k].text);
        assert_string_equal(ct_diag_at(ctx, 0)->code, cases[k].code);
        assert_int_equal(ct_diag_count(ctx), 1);
        ct_context_free(ctx);
    }
}

/* Numbers of modes and cells for an accuracy: the worst of free, held and mixed ends, as matrices
 * of these modes give it; published for free ends alone: 13, 29. */
static void test_accuracy(void **state)
{
    static const char line[] =
        "param r = 0.2\nV : vsource(a, ground) v = 1\n"
        "R : resistor(b, ground) R = 1\noutput L.number as n, L.estimate as e, "
        "L.xi[2] as x\n"
        "L : line(a, b) length = 1, l = 1, c = 1, r = r, ";
    char text[500];
    (void)state;
    snprintf(text, sizeof text, "%saccuracy = 1e-2 up to 2.25 Hz\n", line);
    check_value(text, "n", 0, 14, 0);
    check_value(text, "e", 0, 0.0099525, 1e-6);
    snprintf(text, sizeof text, "%saccuracy = 1e-3 up to 2.25 Hz\n", line);
    check_value(text, "n", 0, 30, 0);
    snprintf(text, sizeof text, "%smethod = cells, accuracy = 1e-2 up to 2.25 Hz\n", line);
    check_value(text, "n", 0, 115, 1);
    static const char three[] = /* without losses up to a resonance; each has a number of its own */
        "repeat i = 1..3 {\nV{i} : vsource(a{i}, ground) v = 1\nL{i} : line(a{i}, ground) length = "
        "i*10, "
        "l = 0.25e-6, c = 100e-12, accuracy = 1e-2 up to 20 MHz\n}\n"
        "output L1.number as a, L2.number as b, L3.number as c\n";
    check_value(three, "a", 0, 7, 0);
    check_value(three, "b", 0, 15, 0);
    check_value(three, "c", 0, 21, 0);
}

/* Beams; the first row from the closed forms of a cantilever, 12 modes: 1.47e-3. */
static void test_accuracy_of_beams(void **state)
{
    static const struct {
        const char *keys;
        double number, estimate;
    } cases[] = {
        {"ends = clamped_free, accuracy = 1e-3 up to 20 Hz", 13, 0.00020829},
        {"ends = pinned_pinned, accuracy = 1e-2 up to 20 Hz", 7, 0.0055836},
        {"ends = free_free, residual = none, accuracy = 1e-2 up to 20 Hz", 13, 0.0090779},
        {"method = cells, ends = clamped_free, accuracy = 1e-2 up to 20 Hz", 121, 0.0099774},
        {"method = cells, ends = pinned_sliding, theory = rayleigh, axial = force, tension = 5, "
         "accuracy = 0.05 up to 5 Hz",
         116, 0.0497150},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "B : beam(a, b) E = 1, rho = 1, A = 1, Iz = 1, length = 1, %s\nF : force(ground, b) "
            "F = 0\nM : mass(a) m = 1\noutput B.number as n, B.estimate as e\n",
            cases[i].keys);
        check_value(text, "n", 0, cases[i].number, 0);
        check_value(text, "e", 0, cases[i].estimate, 1e-6);
    }
}

/* Under a constant force modes are those of the pressed or stretched beam: pinned ends, closed
 * form; under its own weight it stands up to 7.8373474 EI/L^2 [Greenhill]. */
static void test_axial_force(void **state)
{
    const double pi = 3.141592653589793;
    (void)state;
    for (int k = 1; k <= 3; k++)
        for (double force = -9; force < 60; force += 34.5) {
            char text[400];
            snprintf(text, sizeof text,
                     "B : beam(ground, ground) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = "
                     "pinned_pinned, modes = 3, axial = constant, tension = %g\noutput B.omega[%d] "
                     "as y\n",
                     force, k);
            check_value(text, "y", 0, k * pi * sqrt(k * k * pi * pi + force), 1e-9);
        }
    check_value(
        "B : beam(ground, t) E = 1, rho = 1, A = 1, Iz = 1, length = 1, ends = clamped_free, "
        "axial = constant, tension = -7.8373474 N/m*(1 m - x)\noutput B.omega[1] as y\nF : "
        "force(ground, t) F = 0\n",
        "y", 0, 0, 1e-3);
    check_value(
        "B : beam(a, b | c, d) E = 1, rho = 1, A = 1, Iz = 1, length = 1, axial = constant, "
        "tension = 4, slopes = ports, modes = 3\nF : force(ground, b) F = 3\nK : "
        "spring(ground, a) k = 7\nR : torsion_spring(ground, c) k = 5\noutput b.x as "
        "y\ninitial equilibrium\n",
        "y", 0, 0.91766823556, 1e-8);
}

/* Taps of cells between stores and beyond them: what rests is exact for lines. */
static void test_taps_of_cells(void **state)
{
    static const double places[] = {0.01, 0.25, 0.37, 0.5, 0.99};
    (void)state;
    for (size_t e = 0; e < 5; e++)
        for (size_t i = 0; i < 5; i++) {
            double s = places[i];
            char text[500];
            snprintf(
                text, sizeof text,
                "S : string(a, b) tension = 5, rhoA = 1, length = 2, method = cells, cells = 4, "
                "ends = %s { m = %g }\nK : spring(ground, a) k = 3\nL : spring(ground, b) k = "
                "4\nF : force(ground, S.m) F = 6\noutput S.m.x as y\ninitial equilibrium\n",
                line_ends[e], 2 * s);
            double left = 1 / (1.0 / 3 + 2 * s / 5), right = 1 / (1.0 / 4 + 2 * (1 - s) / 5);
            check_value(text, "y", 0, 6 / (left + right), 1e-9);
        }
    check_value("B : beam(ground, t | ra, rb) E = 1, rho = 1, A = 1, Iz = 1, length = 1, method = "
                "cells, cells = 200, slopes = ports, ends = clamped_free { m = 0.613 }\nF : "
                "force(ground, B.m) F = 1\nR : torsion_spring(ground, ra) k = 1e9\nT : "
                "torque(ground, rb) T = 0\nG : force(ground, t) F = 0\noutput B.m.x as y\ninitial "
                "equilibrium\n",
                "y", 0, 0.613 * 0.613 * 0.613 / 3, 1e-5);
}

/* Links of beams: a force along them, and taps between the ends and the first nodes. */
static void test_beams_of_cells(void **state)
{
    static const struct {
        const char *keys, *ends;
        double value, tolerance;
    } cases[] = {
        {"cells = 40, ends = pinned_pinned, axial = constant, tension = 9 { m = 0.5 }", "ground",
         0.01101579, 5e-5}, /* (1 - tanh(u)/u)/(4 N), u = 3/2 */
        {"cells = 40, ends = clamped_free, axial = constant, tension = 9 { m = 0.9999 }", "t",
         0.07425718, 3e-4}, /* (1 - tanh(3)/3)/N */
        {"cells = 40, ends = clamped_free, axial = constant, tension = -1 { m = 0.9999 }", "t",
         0.55740772, 2e-3}, /* tan(1) - 1 */
        {"cells = 40, ends = clamped_free { m = 0.999 }", "t", 0.33233367, 2e-4},
        {"cells = 40, ends = clamped_free { m = 0.001 }", "t", 0, 1e-5},
        {"cells = 40, ends = free_clamped { m = 0.001 }", "f", 0.33233367, 2e-4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        bool turned = *cases[i].ends == 'f';
        snprintf(text, sizeof text,
                 "B : beam(%s, %s) E = 1, rho = 1, A = 1, Iz = 1, length = 1, method = cells, %s\n"
                 "F : force(ground, B.m) F = 1\noutput B.m.x as y\ninitial equilibrium\n%s",
                 turned ? "t" : "ground", turned ? "ground" : cases[i].ends, cases[i].keys,
                 *cases[i].ends == 'g' ? "" : "G : force(ground, t) F = 0\n");
        check_value(text, "y", 0, cases[i].value, cases[i].tolerance);
    }
}

/* ---- along the field */

/* The last row of `plot L.VARIABLE over x` at a part of the length. */
static double along(const trial *t, double part)
{
    const ct_rows *rows = &t->run->curves;
    uint32_t k = (uint32_t)lround(part * (CT_FIELD_PLACES - 1));
    assert_int_equal(rows->cols, CT_FIELD_PLACES + 1);
    return rows->value[(rows->count - 1) * rows->cols + 1 + k];
}

/* A beam that two dampers let turn steadily: nothing bends it. */
#define TURNING                                                                                    \
    "F1 : force(ground, a) F = 1\nD1 : damper(ground, a) d = 2\n"                                  \
    "F2 : force(ground, b) F = 3\nD2 : damper(ground, b) d = 2\n"
#define TURNED "L : beam(a, b) E = 8, rho = 1, A = 1, Iz = 1, length = 2, damping = 0.1"

/* What rests is straight, or bent as a load at the tip bends it; ends are those of the ports. */
static void test_pictures_along(void **state)
{
    static const struct {
        const char *text, *method, *ends;
        double from, middle, to, tolerance;
    } cases[] = {
        {"F : force(ground, b) F = 3\nD : damper(ground, b) d = 20\nplot L.x over x\n"
         "L : bar(ground, b) E = 100, rho = 1, A = 1, length = 2, damping = 0.1",
         "modes = 3", "auto", 0, 0.03, 0.06, 1e-7},
        {"F : force(ground, b) F = 3\nD : damper(ground, b) d = 20\nplot L.P over x\n"
         "L : bar(ground, b) E = 100, rho = 1, A = 1, length = 2, damping = 0.1",
         "modes = 3", "fixed_free", -3, -3, -3, 1e-6},
        {"F : force(ground, b) F = 3\nD : damper(ground, b) d = 20\nplot L.P over x\n"
         "L : bar(ground, b) E = 100, rho = 1, A = 1, length = 2, damping = 0.1",
         "method = cells, cells = 7", "fixed_fixed", -3, -3, -3, 1e-6},
        {"V : temperature_source(a, ground) T = 40\nR : thermal_resistor(b, ground) R = 0.5\nplot "
         "L.T over x\n"
         "L : wall(a, b) length = 0.2, k = 0.4, rho = 2, cp = 3",
         "modes = 2", "auto", 40, 30, 20, 1e-6},
        {"V : temperature_source(a, ground) T = 40\nR : thermal_resistor(b, ground) R = 0.5\nplot "
         "L.Q over x\n"
         "L : wall(a, b) length = 0.2, k = 0.4, rho = 2, cp = 3",
         "modes = 2", "held_free", 40, 40, 40, 1e-6},
        {"V : temperature_source(a, ground) T = 40\nR : thermal_resistor(b, ground) R = 0.5\nplot "
         "L.T over x\n"
         "L : wall(a, b) length = 0.2, k = 0.4, rho = 2, cp = 3",
         "method = cells, cells = 5", "free_free", 40, 30, 20, 1e-6},
        {"F : force(ground, b) F = 6\nD : damper(ground, b) d = 3\nplot L.x over x\n"
         "L : beam(ground, b) E = 8, rho = 1, A = 1, Iz = 1, length = 2, damping = 0.1",
         "modes = 2", "clamped_free", 0, 0.625, 2, 2e-4},
        {"F : force(ground, b) F = 6\nD : damper(ground, b) d = 3\nplot L.x over x\n"
         "L : beam(ground, b) E = 8, rho = 1, A = 1, Iz = 1, length = 2, damping = 0.1",
         "method = cells, cells = 16", "clamped_free", 0, 0.625, 2, 0.0125}, /* h^2 */
        {"plot L.x over x\n"
         "L : bar(ground, ground) E = 8, rho = 1, A = 1, length = 2, load = 3, damping = 0.1",
         "method = cells, cells = 100", "fixed_fixed", 0, 0.1875, 0, 4e-5},
        {"plot L.x over x\n"
         "L : bar(ground, ground) E = 8, rho = 1, A = 1, length = 2, load = 3, damping = 0.1",
         "method = cells, cells = 51", "fixed_fixed", 0, 0.1875, 0, 2e-4},
        {"plot L.P over x\n"
         "L : bar(ground, ground) E = 8, rho = 1, A = 1, length = 2, load = 3, damping = 0.1",
         "method = cells, cells = 51", "fixed_fixed", -3, 0, 3, 1e-6},
        {TURNING "plot L.v over x\n" TURNED, "method = cells, cells = 5", "free_free", 0.5, 1, 1.5,
         1e-6},
        {TURNING "plot L.w over x\n" TURNED, "method = cells, cells = 5", "free_free", 0.5, 0.5,
         0.5, 1e-6},
        {TURNING "plot L.w over x\n" TURNED ", theory = timoshenko, G = 5",
         "method = cells, cells = 5", "free_free", 0.5, 0.5, 0.5, 1e-6},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500];
        double time = 100;
        trial t = new_trial(NULL);
        snprintf(text, sizeof text, "%s, %s, ends = %s\noutput L.length as l\n", cases[k].text,
                 cases[k].method, cases[k].ends);
        t.text = text;
        t.def.tol = 1e-10;
        t.def.times = &time, t.def.time_count = 1;
        must_run(&t);
        close_to(along(&t, 0), cases[k].from, cases[k].tolerance, text);
        close_to(along(&t, 0.5), cases[k].middle, cases[k].tolerance, text);
        close_to(along(&t, 1), cases[k].to, cases[k].tolerance, text);
        end_trial(&t);
    }
}

/* sqrt(2) sin((k - 1/2) pi s), of a bar that is held at its begin. */
static void test_shapes_of_modes(void **state)
{
    (void)state;
    double time = 0, pi = 3.14159265358979323846;
    trial t = new_trial(NULL);
    t.text =
        "F : force(ground, b) F = 1\noutput b.x as x\nplot L.modes over x\n"
        "L : bar(ground, b) E = 100, rho = 1, A = 1, length = 2, modes = 3, ends = fixed_free\n";
    t.def.times = &time, t.def.time_count = 1;
    must_run(&t);
    assert_int_equal(t.model->curve_count, 3);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < CT_FIELD_PLACES; i++)
            close_to(ct_model_value(t.model, t.model->curve[k].shape[i]),
                     sqrt(2) * sin((k + 0.5) * pi * i / (CT_FIELD_PLACES - 1)), 1e-12, "shape");
    end_trial(&t);
}

/* ---- waves of a chain of cells */

/* Largest part by which the ends of a chain differ from those of the beam. */
static double chain_error(const ct_beam_wave *beam, double complex s, const bool *held, uint32_t n)
{
    ct_beam_ends right = ct_beam_wave_at(beam, s), have = ct_beam_links_at(beam, s, held, n);
    double worst = 0;
    for (int i = 0; i < BEAM_ENDS; i++) {
        double across = 0, through = 0;
        for (int k = 0; k < BEAM_ENDS; k++) {
            across = fmax(across, cabs(right.across[i][k]));
            through = fmax(through, cabs(right.through[i][k]));
        }
        for (int k = 0; k < BEAM_ENDS; k++)
            worst = fmax(worst, fmax(cabs(have.across[i][k] - right.across[i][k]) / across,
                                     cabs(have.through[i][k] - right.through[i][k]) / through));
    }
    return worst;
}

/* Twice as many cells have a quarter of the error, however the ends are held. */
static void test_chains_of_any_ends(void **state)
{
    static const ct_beam_wave beams[] = {{1, 0, 1, 0, 0, 0, 0, 1},
                                         {2, 0.3, 0.5, 0.01, 0.02, 0.03, 0, 1.5},
                                         {1.3, 0.1, 0.7, 0.002, 0, 0.02, 0.8, 0.9}};
    (void)state;
    for (int i = 0; i < 3 * 16; i++) {
        const bool held[] = {i & 1, i & 2, i & 4, i & 8};
        double coarse = chain_error(&beams[i / 16], 7 * I, held, 40),
               fine = chain_error(&beams[i / 16], 7 * I, held, 80);
        print_message("beam %d, ends %d: %.1e, %.1e\n", i / 16, i % 16, coarse, fine);
        assert_true(coarse < 0.01 && fine < 0.27 * coarse);
    }
}

/* ---- the worked examples */

static void test_references(void **state)
{
    static const char *const models[] = {
        "torsion_shaft_two_discs", "wall_three_layers", "line_step",
        "cells_vs_modes",          "bar_modal",         "beam_euler_bernoulli",
        "pipe_causalities",        "two_link_vlg",      "beam_ends_table",
        "column_buckling"};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        check_model(models[k], NULL, strcmp(models[k], "line_step") == 0 ? 1e-6 : 1e-9, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_of_any_ends),
        cmocka_unit_test(test_statics_are_exact),
        cmocka_unit_test(test_unsteady_losses),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_beams_bend),
        cmocka_unit_test(test_frequencies_of_beams),
        cmocka_unit_test(test_waves_arrive),
        cmocka_unit_test(test_waves_are_exact),
        cmocka_unit_test(test_waves_rest),
        cmocka_unit_test(test_fields_that_cannot_be),
        cmocka_unit_test(test_taps),
        cmocka_unit_test(test_keys_along),
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_accuracy_of_beams),
        cmocka_unit_test(test_axial_force),
        cmocka_unit_test(test_taps_of_cells),
        cmocka_unit_test(test_beams_of_cells),
        cmocka_unit_test(test_pictures_along),
        cmocka_unit_test(test_shapes_of_modes),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_slopes_have_inertia),
        cmocka_unit_test(test_shear),
        cmocka_unit_test(test_taps_of_waves),
        cmocka_unit_test(test_sections_vary),
        cmocka_unit_test(test_frozen_params),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

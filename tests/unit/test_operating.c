/* test_operating.c - operating points of diode networks that damped Newton alone does not find. */
#include "test_simulate.h"

/* The text, and the value of the only output by hand: no current flows into a capacitor at rest. */
static const struct hard {
    const char *text;
    double want;
    bool aided;
} hard[] = {
    {"model blocked\nV1 : vsource(n0, ground)  v = 100 V\nR0 : resistor(n0, n1)  R = 17.7956\n"
     "D1 : diode(ground, n2)  Is = 1.72644e-15, umax = 600\nRg2 : resistor(n1, ground)  R = "
     "246330\n"
     "Rg3 : resistor(n2, ground)  R = 60842.1\nC4 : capacitor(n2, n1)  C = 1 uF\n"
     "D5 : diode(n2, ground)  Is = 1.49657e-10, umax = 600\nC6 : capacitor(n1, n2)  C = 1 uF\n"
     "output n1.v\n",
     100 * 246330 / (246330 + 17.7956), true},
    {"model two_sources\nV1 : vsource(n0, ground)  v = 10 V\nR0 : resistor(n0, n1)  R = 12.1516\n"
     "D1 : diode(n2, ground)  Is = 8.757e-14\nRg2 : resistor(n1, ground)  R = 1.27595\n"
     "Rg3 : resistor(n2, ground)  R = 982674\nC4 : capacitor(n1, n2)  C = 1 uF\n"
     "D5 : diode(n2, ground)  Is = 4.89722e-16\nD6 : diode(ground, n2)  Is = 9.12791e-14\n"
     "I1 : isource(ground, n1)  i = 12.4993\noutput n1.v\n",
     (10 / 12.1516 + 12.4993) / (1 / 12.1516 + 1 / 1.27595), true},
};

static void hard_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        trial t = new_trial(NULL);
        t.text = hard[i].text;
        t.equilibrium = true;
        run_trial(&t);
        if (!t.point)
            print_messages(&t);
        assert_non_null(t.point);
        close_to(t.point->y[0], hard[i].want, 1e-6 * fabs(hard[i].want), hard[i].text);
        assert_int_equal(strcmp(t.point->method, CT_METHOD_NEWTON) != 0, hard[i].aided);
        end_trial(&t);
    }
}

/* Voltage that drives a current through a diode with the values of the library, by hand. */
static double voltage_of(double i)
{
    double low = 0, high = 1000;
    for (int k = 0; k < 200; k++) {
        double v = (low + high) / 2, u = v / 0.02585;
        double at = 1e-14 * ((u < 40 ? exp(u) : exp(40) * (u - 39)) - 1) + 1e-12 * v;
        if (at < i)
            low = v;
        else
            high = v;
    }
    return low;
}

/* Current through `count` diodes and R in series with `volts`. */
static double series(double volts, int count, double R)
{
    double low = 0, high = volts / R;
    for (int k = 0; k < 200; k++) {
        double i = (low + high) / 2;
        if (count * voltage_of(i) + R * i < volts)
            low = i;
        else
            high = i;
    }
    return low;
}

static const struct chain {
    double volts, R;
    int count;
    ct_form first;  /* very many volts need currents as unknowns */
    unsigned limit; /* iterations: two or three times what limited steps take */
} chains[] = {{1, 1e3, 1, CT_FORM_NODAL, 24},           {12, 10, 7, CT_FORM_NODAL, 40},
              {300, 1, 2, CT_FORM_NODAL, 27},           {5, 1e6, 10, CT_FORM_NODAL, 40},
              {1e4, 100, 50, CT_FORM_BRANCH_CHORD, 27}, {1e6, 1, 200, CT_FORM_BRANCH_CHORD, 190}};

static void chains_of_diodes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        char text[400];
        const struct chain *c = &chains[k];
        snprintf(text, sizeof text,
                 "model chain\nV1 : vsource(d0, ground)  v = %g V\n"
                 "repeat i = 1..%d { D{i} : diode(d{i-1}, d{i}) }\n"
                 "R1 : resistor(d%d, ground)  R = %g\noutput R1.i\n",
                 c->volts, c->count, c->count, c->R);
        double want = series(c->volts, c->count, c->R);
        for (ct_form form = c->first; form <= CT_FORM_BRANCH_CHORD; form++) {
            trial t = new_trial(NULL);
            t.text = text;
            t.form = form;
            t.equilibrium = true;
            run_trial(&t);
            if (!t.point)
                print_messages(&t);
            assert_non_null(t.point);
            close_to(t.point->y[0], want, 1e-7 * want, text);
            assert_string_equal(t.point->method, "Newton with limiting");
            if (t.point->iterations > c->limit)
                fail_msg("%llu iterations:\n%s", (unsigned long long)t.point->iterations, text);
            end_trial(&t);
        }
    }
}

/* A law with two solutions, and two transistors of which one conducts: guesses say which. */
static void guesses_choose(void **state)
{
    (void)state;
    static const struct {
        const char *text, *guess[2];
        double want[2];
    } rows[] = {
        {"element square\n  port p, n : electrical\n  edge e(p, n)\n  e.v^2 = 4 V^2 + 0*e.i*1 "
         "V^2/A\n"
         "end\nR1 : resistor(a, ground)  R = 1\nX : square(a, ground)\noutput a.v\n",
         {"guess X.v = -1 V\n", "guess X.v = 3 V\n"},
         {-2, 2}},
        {"element cubic\n  port p, n : electrical\n  edge e(p, n)\n"
         "  e.i = (e.v^3/1 V^2 - e.v)/1 ohm\nend\nX : cubic(a, ground)\n"
         "C1 : capacitor(a, ground)  C = 1 F\noutput a.v\n",
         {"guess a.v = -0.8 V\n", "guess a.v = 0.9 V\n"},
         {-1, 1}},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        char text[600];
        trial t = new_trial(NULL);
        snprintf(text, sizeof text, "%s%s", rows[i / 2].text, rows[i / 2].guess[i % 2]);
        t.text = text;
        t.equilibrium = true;
        run_trial(&t);
        if (!t.point)
            print_messages(&t);
        assert_non_null(t.point);
        close_to(t.point->y[0], rows[i / 2].want[i % 2], 1e-6, text);
        end_trial(&t);
    }
}

/* Four diodes make of +-300 V the same voltage at the load. */
static void bridges(void **state)
{
    (void)state;
    double want = 10 * series(300, 2, 10);
    for (int sign = -1; sign <= 1; sign += 2) {
        char text[500];
        trial t = new_trial(NULL);
        snprintf(
            text, sizeof text,
            "model bridge\nV1 : vsource(a, b)  v = %d V\nRg : resistor(b, ground)  R = 1 Mohm\n"
            "D1 : diode(a, p)\nD2 : diode(b, p)\nD3 : diode(n, a)\nD4 : diode(n, b)\n"
            "RL : resistor(p, n)  R = 10 ohm\nC : capacitor(p, n)  C = 1 mF\noutput RL.v\n",
            300 * sign);
        t.text = text;
        t.equilibrium = true;
        run_trial(&t);
        assert_non_null(t.point);
        close_to(t.point->y[0], want, 1e-6 * want, text);
        end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_ones),
        cmocka_unit_test(chains_of_diodes),
        cmocka_unit_test(bridges),
        cmocka_unit_test(guesses_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_semiconductors.c - semiconductors: random networks whose operating points obey Kirchhoff's
 * laws with the laws of the devices written here once more, and circuits with numbers of
 * ngspice 39. */
#include "test_simulate.h"

enum { MOST_PARTS = 64, MOST_NODES = 12 };
static const double VT = 25.864917e-3;

typedef enum kind { RESISTOR, SOURCE, DIODE, ZENER, NPN, PNP, NMOS, PMOS } kind;

/* node 0 is ground; value: of a resistor R, of a source its voltage (behind value2), of
 * semiconductors IS or KP. */
typedef struct part {
    kind kind;
    uint32_t node[3];
    double value, value2;
} part;

typedef struct net {
    part part[MOST_PARTS];
    uint32_t parts, nodes;
} net;

static uint32_t roll(uint32_t *d, uint32_t sides)
{
    return dice(d) % sides;
}

static double between(uint32_t *d, double low, double high)
{
    return low + (high - low) * roll(d, 1000000) / 1e6;
}

static double decades(uint32_t *d, double low, double high)
{
    return pow(10, between(d, low, high));
}

/* ---- texts */

static const char *node_text(char *text, uint32_t node)
{
    if (node)
        snprintf(text, 16, "n%u", node);
    else
        strcpy(text, "ground");
    return text;
}

static char *put_part(char *b, const part *p, uint32_t i)
{
    char n[3][16];
    for (int k = 0; k < 3; k++)
        node_text(n[k], p->node[k]);
    switch (p->kind) {
    case RESISTOR:
        b += sprintf(b, "P%u : resistor(%s, %s)  R = %.17g ohm\n", i, n[0], n[1], p->value);
        break;
    case SOURCE:
        b += sprintf(b, "P%u : battery(%s, %s)  E = %.17g V, R = %.17g ohm\n", i, n[0], n[1],
                     p->value, p->value2);
        break;
    case DIODE:
        b += sprintf(b, "P%u : spice_diode(%s, %s)  IS = %.17g A\n", i, n[0], n[1], p->value);
        break;
    case ZENER:
        b += sprintf(b, "P%u : spice_zener(%s, %s)  IS = %.17g A, BV = %.17g V\n", i, n[0], n[1],
                     p->value, p->value2);
        break;
    case NPN:
    case PNP:
        b += sprintf(b,
                     "P%u : %s(%s, %s, %s)  IS = %.17g A, VAF = 50 V, IKF = 10 mA, ISE = 1e-14 A\n",
                     i, p->kind == NPN ? "spice_npn" : "spice_pnp", n[0], n[1], n[2], p->value);
        break;
    case NMOS:
    case PMOS:
        b += sprintf(
            b, "P%u : %s(%s, %s, %s, ground)  VTO = %s V, KP = %.17g, GAMMA = 0.4, LAMBDA = 0.02\n",
            i, p->kind == NMOS ? "spice_nmos" : "spice_pmos", n[0], n[1], n[2],
            p->kind == NMOS ? "0.8" : "-0.8", p->value);
        break;
    }
    return b;
}

static void put_net(char *b, const net *n)
{
    b += sprintf(b, "model net\n");
    for (uint32_t i = 0; i < n->parts; i++)
        b = put_part(b, &n->part[i], i);
    for (uint32_t i = 1; i <= n->nodes; i++)
        b += sprintf(b, "output n%u.v\n", i);
}

/* ---- laws, as SPICE documents them */

static void diode_current(double is, double v, double *i)
{
    *i = is * expm1(v / VT) + 1e-12 * v;
}

static void bipolar_currents(double is, double vbe, double vbc, double *into)
{
    double f = is * expm1(vbe / VT), r = is * expm1(vbc / VT);
    double base = (1 + sqrt(1 + 4 * f / 0.01)) / (2 * (1 - vbc / 50));
    double transport = (f - r) / base, leak = 1e-14 * expm1(vbe / (1.5 * VT));
    into[0] = transport - r - 1e-12 * vbc; /* collector; BR is 1 */
    into[1] = f / 100 + leak + r + 1e-12 * (vbe + vbc);
    into[2] = -into[0] - into[1];
}

static double channel_current(double kp, double vds, double vgs, double vbs)
{
    if (vds < 0)
        return -channel_current(kp, -vds, vgs - vds, vbs - vds);
    double phi = 0.6, root = vbs < 0 ? sqrt(phi - vbs) : sqrt(phi) - vbs / (2 * sqrt(phi));
    double over = vgs - (0.8 + 0.4 * ((root > 0 ? root : 0) - sqrt(phi)));
    double i = over <= 0 ? 0 : over < vds ? kp / 2 * over * over : kp * vds * (over - vds / 2);
    return i * (1 + 0.02 * vds) + 1e-12 * vds;
}

/* Currents into the terminals. */
static void currents(const part *p, const double *v, double *into)
{
    double a = v[p->node[0]], b = v[p->node[1]], c = v[p->node[2]], s;
    into[2] = 0;
    switch (p->kind) {
    case RESISTOR:
        into[0] = (a - b) / p->value;
        break;
    case SOURCE:
        into[0] = (a - b - p->value) / p->value2;
        break;
    case DIODE:
        diode_current(p->value, a - b, &into[0]);
        break;
    case ZENER:
        diode_current(p->value, a - b, &into[0]);
        into[0] -= (1e-3 + p->value) * exp(-(a - b + p->value2) / VT);
        break;
    case NPN:
    case PNP:
        s = p->kind == NPN ? 1 : -1;
        bipolar_currents(p->value, s * (b - c), s * (b - a), into);
        for (int k = 0; k < 3; k++)
            into[k] *= s;
        return;
    case NMOS:
    case PMOS:
        s = p->kind == NMOS ? 1 : -1;
        into[0] = s * channel_current(p->value, s * (a - c), s * (b - c), s * (0 - c));
        into[1] = 0;
        into[2] = -into[0];
        return;
    }
    into[1] = -into[0];
}

/* What a few digits less of the voltages do to the currents of a part. */
static void blur(const part *p, double *v, const double *into, double *noise)
{
    double other[3];
    for (int k = 0; k < 3; k++) {
        double kept = v[p->node[k]];
        v[p->node[k]] *= 1 + 1e-14;
        currents(p, v, other);
        v[p->node[k]] = kept;
        for (int j = 0; j < 3; j++)
            noise[j] += fabs(other[j] - into[j]);
    }
}

/* What is left of Kirchhoff's law at the worst node, by the currents there; 0.01 is what SPICE
 * would accept. */
static double worst_balance(const net *n, double *v)
{
    double sum[MOST_NODES + 1] = {0}, size[MOST_NODES + 1] = {0}, worst = 0;
    for (uint32_t i = 0; i < n->parts; i++) {
        double into[3], noise[3] = {0};
        currents(&n->part[i], v, into);
        blur(&n->part[i], v, into, noise);
        for (int k = 0; k < 3; k++) {
            sum[n->part[i].node[k]] += into[k];
            size[n->part[i].node[k]] += fabs(into[k]) + 1e4 * noise[k];
        }
    }
    for (uint32_t i = 1; i <= n->nodes; i++)
        worst = fmax(worst, fabs(sum[i]) / (size[i] + 1e-8));
    return worst;
}

/* ---- random networks */

static part random_part(uint32_t *d, const kind *kinds, uint32_t count, uint32_t nodes)
{
    part p = {.kind = kinds[roll(d, count)]};
    p.node[0] = roll(d, nodes + 1);
    p.node[1] = (p.node[0] + 1 + roll(d, nodes)) % (nodes + 1);
    do
        p.node[2] = roll(d, nodes + 1);
    while (p.node[2] == p.node[0] || p.node[2] == p.node[1]);
    p.value = p.kind >= NMOS ? decades(d, -5, -2) : decades(d, -16, -8);
    p.value2 = between(d, 3, 40);
    if (p.kind == RESISTOR)
        p.value = decades(d, -1, 6);
    return p;
}

/* A tree of resistors reaches every node; sources have resistances. */
static net random_net(uint32_t seed, const kind *kinds, uint32_t count, double most_decades)
{
    uint32_t d = seed * 7919u + count;
    net n = {.nodes = 3 + roll(&d, MOST_NODES - 3)};
    for (uint32_t i = 1; i <= n.nodes; i++)
        n.part[n.parts++] =
            (part){.kind = RESISTOR, .node = {i, roll(&d, i)}, .value = decades(&d, -1, 6)};
    for (uint32_t i = 2 + roll(&d, 2 * n.nodes); i-- > 0;)
        n.part[n.parts++] = random_part(&d, kinds, count, n.nodes);
    for (uint32_t i = 1 + roll(&d, 3); i-- > 0;)
        n.part[n.parts++] = (part){.kind = SOURCE,
                                   .node = {1 + roll(&d, n.nodes)},
                                   .value = decades(&d, 0, most_decades) * (roll(&d, 2) ? 1 : -1),
                                   .value2 = decades(&d, -1, 5)};
    return n;
}

/* Gives how many were not found; what is found must be right. */
static uint32_t try_nets(const kind *kinds, uint32_t count, uint32_t nets, double most_decades,
                         double tolerance)
{
    uint32_t failed = 0;
    for (uint32_t seed = 0; seed < nets; seed++) {
        net n = random_net(seed, kinds, count, most_decades);
        char text[MOST_PARTS * 200];
        double v[MOST_NODES + 1] = {0};
        put_net(text, &n);
        trial t = {.text = text, .def = ct_default_simulation_def(), .equilibrium = true};
        run_trial(&t);
        failed += t.point == NULL;
        for (uint32_t i = 0; t.point && i < n.nodes; i++)
            v[i + 1] = t.point->y[i];
        double balance = t.point ? worst_balance(&n, v) : 0;
        if (!t.point || !(balance <= tolerance))
            print_message("seed %u: %s, balance %g\n", seed, t.point ? "wrong" : "not found",
                          balance);
        assert_true(balance <= tolerance);
        end_trial(&t);
    }
    return failed;
}

static void test_diode_networks(void **state)
{
    static const kind kinds[] = {RESISTOR, DIODE, DIODE, ZENER};
    (void)state;
    assert_int_equal(try_nets(kinds, 4, 300, 6, 1e-2), 0);
}

static void test_bipolar_networks(void **state)
{
    static const kind kinds[] = {RESISTOR, DIODE, NPN, PNP, NPN};
    (void)state;
    assert_int_equal(try_nets(kinds, 5, 200, 2, 1e-2), 0);
}

static void test_mos_networks(void **state)
{
    static const kind kinds[] = {RESISTOR, NMOS, PMOS, NMOS, DIODE};
    (void)state;
    assert_int_equal(try_nets(kinds, 5, 200, 2, 1e-2), 0);
}

/* ---- against ngspice 39 with reltol 1e-8 */

static void test_devices(void **state)
{
    static const char text[] =
        "model devices\n"
        "param IS = 1e-14 A, BF = 200, NF = 1.01, BR = 3, NR = 1.02, VAF = 60 V, VAR = 12 V\n"
        "param IKF = 20 mA, IKR = 10 mA, ISE = 1e-13 A, NE = 1.6, ISC = 2e-13 A, NC = 1.8\n"
        "param VTO = 0.7 V, KP = 50 uA/V^2, GAMMA = 0.4 V^0.5, PHI = 0.65 V, LAMBDA = 0.05\n"
        "V1 : vsource(a, ground) v = 5 V\n"
        "R1 : resistor(a, b) R = 1 kohm\n"
        "D1 : spice_zener(ground, b) IS = 1e-14 A, BV = 3.3 V\n"
        "R2 : resistor(a, f) R = 1 kohm\n"
        "D2 : spice_diode(f, ground) IS = 2.5 nA, N = 1.75\n"
        "Vb : vsource(bb, ground) v = 0.75 V\n"
        "Q1 : spice_npn(c1, bb, ground) IS=IS, BF=BF, NF=NF, BR=BR, NR=NR, VAF=VAF, VAR=VAR,\n"
        "     IKF=IKF, IKR=IKR, ISE=ISE, NE=NE, ISC=ISC, NC=NC\n"
        "Rc1 : resistor(a, c1) R = 100 ohm\n"
        "Vp : vsource(bp, ground) v = 4.3 V\n"
        "Q2 : spice_pnp(c2, bp, a) IS=IS, BF=BF, NF=NF, BR=BR, NR=NR, VAF=VAF, VAR=VAR,\n"
        "     IKF=IKF, IKR=IKR, ISE=ISE, NE=NE, ISC=ISC, NC=NC\n"
        "Rc2 : resistor(c2, ground) R = 100 ohm\n"
        "Vg : vsource(g, ground) v = 3 V\n"
        "Vs : vsource(s, ground) v = 1 V\n"
        "M1 : spice_nmos(d1, g, s, ground) VTO=VTO, KP=KP, GAMMA=GAMMA, PHI=PHI, LAMBDA=LAMBDA,\n"
        "     W = 20 um, L = 2 um\n"
        "Rd1 : resistor(a, d1) R = 10 kohm\n"
        "M2 : spice_nmos(s2, g, d2, ground) VTO=VTO, KP=KP, GAMMA=GAMMA, PHI=PHI, LAMBDA=LAMBDA,\n"
        "     W = 20 um, L = 2 um\n"
        "Rd2 : resistor(a, d2) R = 10 kohm\n"
        "Rs2 : resistor(s2, ground) R = 1 kohm\n"
        "M3 : spice_pmos(d3, s, a, a) VTO=-VTO, KP=KP, GAMMA=GAMMA, PHI=PHI, LAMBDA=LAMBDA,\n"
        "     W = 20 um, L = 2 um\n"
        "Rd3 : resistor(d3, ground) R = 10 kohm\n"
        "output b.v, f.v, c1.v, c2.v, d1.v, d2.v, s2.v, d3.v, Vb.i, Vp.i\n";
    static const double want[] = {
        3.313518159385,  0.6504064429367, 3.406301686261, 0.3691953529331,    1.901141753008,
        0.9220607094191, 0.4077939277082, 4.705820607071, -1.54466424657e-04, 2.390560737428e-05};
    (void)state;
    trial t = {.text = text, .def = ct_default_simulation_def(), .equilibrium = true};
    run_trial(&t);
    assert_non_null(t.point);
    for (uint32_t i = 0; i < 10; i++)
        close_to(t.point->y[i], want[i], 1e-6 * fabs(want[i]), t.point->output[i]);
    end_trial(&t);
}

/* ---- models: values of the IVP test set, and of small programs of their own */

static void test_models(void **state)
{
    static const char *const models[] = {"transistor", "ring_modulator", "nand_gate",
                                         "diode_bridge", "two_stage_amplifier"};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        check_model(models[k], NULL, 1e-9, 8);
}

static bool has_code(const trial *t, const char *code)
{
    for (size_t i = 0; i < ct_diag_count(t->ctx); i++)
        if (strcmp(ct_diag_at(t->ctx, i)->code, code) == 0)
            return true;
    return false;
}

/* The way is told with its iterations; more than limiting with a message. */
static void test_aids_are_told(void **state)
{
    static const struct {
        const char *text, *method;
        bool message;
    } cases[] = {
        {"model linear\n"
         "B1 : battery(b, ground)  E = 5 V, R = 1 kohm\n"
         "M1 : nmos(b, b, ground)  K = 1 mA/V^2, Vth = 1 V\n"
         "output b.v\n",
         "damped Newton", false},
        {"model steep\n"
         "R1 : resistor(ground, a)  R = 0.5083 ohm\n"
         "D2 : spice_diode(b, a)  IS = 2.34e-16 A, N = 1.18\n"
         "B0 : battery(a, ground)  E = -853.92 kV, R = 22.09 ohm\n"
         "B1 : battery(b, ground)  E = -1098 V, R = 33.79 ohm\n"
         "output a.v, b.v\n",
         "Newton with limiting", false},
        {"model hard\n"
         "D3 : spice_zener(ground, n3)  BV = 26.4 V\n"
         "D9 : spice_diode(n6, n3)  IS = 4.26e-16 A, N = 1.47\n"
         "D11 : spice_zener(ground, n3)  BV = 45.4 V\n"
         "R12 : resistor(n5, n3)  R = 199.8 ohm\n"
         "R13 : resistor(n5, n6)  R = 12.24 ohm\n"
         "D15 : spice_zener(ground, n6)  BV = 24.8 V\n"
         "R17 : resistor(n6, ground)  R = 1.107 ohm\n"
         "V0 : vsource(s0, ground)  v = 5379.2 V\n"
         "RV0 : resistor(s0, n3)  R = 176.1 ohm\n"
         "output n3.v\n",
         "gmin stepping", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = {.text = cases[i].text, .def = ct_default_simulation_def(), .equilibrium = true};
        run_trial(&t);
        assert_non_null(t.point);
        assert_string_equal(t.point->method, cases[i].method);
        assert_in_range(t.point->iterations, 2, 150);
        assert_int_equal(has_code(&t, "W536"), cases[i].message);
        end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),          cmocka_unit_test(test_models),
        cmocka_unit_test(test_aids_are_told),    cmocka_unit_test(test_diode_networks),
        cmocka_unit_test(test_bipolar_networks), cmocka_unit_test(test_mos_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

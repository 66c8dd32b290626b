/* test_spice.c - netlists: what cards become, hostile sizes, damaged texts. tests/spice compares
 * results with those of ngspice, tests/bad has the messages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

#include "expr/expr.h"
#include "fuzz/dice.h"
#include "lang/syntax.h"
#include "unit/effort.h"

/* ---- files in memory ------------------------------------------------------------------------- */

static const struct {
    const char *path, *text;
} files[] = {{"lib/part.inc", "* a part\n.include deeper.inc\nRp p 0 1k\n"},
             {"lib/deeper.inc", "Rd p d 2k\nRe d 0\n"},
             {"self.inc", "R9 a 0 1\n.include self.inc\n"},
             {"two.inc", ".include one.inc\n"},
             {"one.inc", ".include two.inc\n"}};

static char *read_memory(void *user, const char *path, size_t *length)
{
    (void)user;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(path, files[i].path) == 0) {
            *length = strlen(files[i].text);
            return strdup(files[i].text);
        }
    return NULL;
}

static void release_memory(void *user, char *content)
{
    (void)user;
    free(content);
}

static ct_context *open_context(void)
{
    ct_context_def def = ct_default_context_def();
    def.loader = (ct_loader){read_memory, release_memory, NULL};
    ct_context *ctx = ct_context_new(&def);
    assert_non_null(ctx);
    return ctx;
}

/* Up to the tree of branches. */
static ct_status try_text(ct_context *ctx, const char *text, size_t length)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_build_def def = ct_default_build_def();
    ct_status status = ct_read_text(ctx, "x.cir", text, length, &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, &def, &model);
    if (status == CT_OK)
        status = ct_make_graph(ctx, model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(ctx, graph, NULL, &tree);
    return status;
}

static ct_status fate_of(const char *text, size_t length, char code[8])
{
    ct_context *ctx = open_context();
    ct_status status = try_text(ctx, text, length);
    snprintf(code, 8, "%s", ct_diag_count(ctx) ? ct_diag_at(ctx, 0)->code : "");
    ct_context_free(ctx);
    return status;
}

/* ---- what cards become --------------------------------------------------------------------------
 */

/* Each netlist, and lines that its model text must have. */
static const struct reading {
    const char *netlist, *model;
} readings[] = {
    {"t\nR1 a 0 4.7k\nR2 a 0 1meg\nR3 a 0 2MEGohm\nR4 a 0 .5m\nV1 a 0 5volts\n",
     "R1 : resistor(a, ground)  R = 4.7e3\nR2 : resistor(a, ground)  R = 1e6\n"
     "R3 : resistor(a, ground)  R = 2e6\nR4 : resistor(a, ground)  R = 0.5e-3\n"
     "input V1 : V = 5\nV1 : vsource(a, ground)  v = V1\n"},
    {"t\nC1 a gnd 10pF\nL1 a 0 3uH\nR1 a 0 1T\nR2 a 0 5f\nR3 a 0 1e3k\nR4 a 0 1mil\n",
     "C1 : capacitor(a, ground)  C = 10e-12\nL1 : inductor(a, ground)  L = 3e-6\n"
     "R1 : resistor(a, ground)  R = 1e12\nR2 : resistor(a, ground)  R = 5e-15\n"
     "R3 : resistor(a, ground)  R = 1e6\n"},
    /* nodes: digits get an n; a node with the name of a component n_; case is that of the first */
    {"t\nR1 1 R1 1k\nr2 Out oUT+ 1k\nR3 OUT 0 1\nR4 r1 0 1\nC1 out+ 1 1n\n",
     "R1 : resistor(n1, n_R1)  R = 1e3\nr2 : resistor(Out, oUT_)  R = 1e3\n"
     "R3 : resistor(Out, ground)  R = 1\nR4 : resistor(n_R1, ground)  R = 1\n"
     "C1 : capacitor(oUT_, n1)  C = 1e-9\n"},
    {"t\n* c\nR1 a ; one\n+ 0 $ two\n* three\n+ 2k\n.end\nnothing of this is read\n",
     "R1 : resistor(a, ground)  R = 2e3\n"},
    {"t\n.param a=2 b={a*3} t='b+1'\nR1 x 0 {b > 3 ? t : 1}\n.func f(y) {y*a}\nR2 x 0 'f(b)'\n",
     "param a : 1 = 2, b : 1 = a*3, p_t : 1 = b + 1\n"
     "R1 : resistor(x, ground)  R = (if b > 3 then p_t else 1)*1 ohm\n"
     "R2 : resistor(x, ground)  R = f(b, a)*1 ohm\n"},
    {"t\nV1 a 0 SIN(0 1 1k)\nG1 0 b a 0 2m\nE1 c 0 a b 3\nF1 d 0 V1 2\nH1 e 0 V1 5\n"
     "R1 b 0 1\nR2 c 0 1\nR3 d 0 1\nR4 e 0 1\n",
     "input V1 : V = 1*sin(2*pi*1e3*t)\nG1 : vccs(a, ground | ground, b)  gm = 2e-3\n"
     "E1 : vcvs(a, b | c, ground)  gain = 3\nF1 : isource(d, ground)  i = 2*(V1.i/1 A)*1 A\n"
     "H1 : vsource(e, ground)  v = 5*(V1.i/1 A)*1 V\n"},
    /* as LTspice writes it: the micro sign in UTF-8 and in Latin-1, SINE, .backanno */
    {"t\nV1 a 0 SINE(0 1 1k)\nC1 a 0 1\xc2\xb5\nC2 a 0 {2\xce\xbc}\nC3 a 0 3\xb5"
     "F\n.backanno\n",
     "input V1 : V = 1*sin(2*pi*1e3*t)\nC1 : capacitor(a, ground)  C = 1e-6\n"
     "C2 : capacitor(a, ground)  C = 2e-6\nC3 : capacitor(a, ground)  C = 3e-6\n"},
    {"t\nX1 a 0 s r=5\n.subckt s p q r=1\n.param k={r*2}\nR1 p q {k*g}\n.ends\n.param g=3\n",
     "system s(p, q : electrical)\n  param r : 1 = 1, k : 1 = r*2, g : 1\n"
     "  R1 : resistor(p, q)  R = k*g*1 ohm\nX1 : s(a, ground)  r = 5, g = g\n"},
    /* gnd is ground unless a subcircuit has a node of that name */
    {"t\nX1 a b s\nR1 a gnd 1\nR2 b 0 1\n.subckt s p GND\nR1 p gnd 1k\nR2 p 0 1\n.ends\n",
     "system s(p, GND : electrical)\n  R1 : resistor(p, GND)  R = 1e3\n"
     "  R2 : resistor(p, ground)  R = 1\nX1 : s(a, b)\nR1 : resistor(a, ground)  R = 1\n"},
    /* a node that .ic does not name is at zero: what lies between has the difference */
    {"t\nC1 a b 1u\nC2 b 0 1u\nR1 a 0 1\n.ic v(a)=3\n.tran 1m 5m uic\n", "initial C1.v = 3 V\n"},
    {"t\nC1 a 0 1u\nV1 a 0 PULSE(0 1 20m 1m 1m 1m 10m)\n.tran 1m 5m\n",
     "input V1 : V = if t < 20e-3 then 0 else table(mod(t - 20e-3, 10e-3),\n"},
    {"t\nV1 a 0 1\nB1 b 0 V=pwr(v(a),3)+pow(v(a),2)\nR1 b 0 {pwr(2,3)+pow(2,2)}\n",
     "B1 : vsource(b, ground)  v = (spice_pwr(a.v/1 V, 3) + spice_pow(a.v/1 V, 2))*1 V\n"
     "R1 : resistor(b, ground)  R = spice_pow(2, 3) + 2^2\n"},
    /* commas between the values of a wave are as good as blanks */
    {"t\nC1 a 0 1u\nV1 a 0 PULSE(0, 1, 20m,1m , 1m,1m,10m)\n.tran 1m 5m\n",
     "input V1 : V = if t < 20e-3 then 0 else table(mod(t - 20e-3, 10e-3),\n"},
    {"t\nV1 a 0 1\nB1 b 0 V=table(v(a),pwr(-2,3),1,pow(-2,2),4)\nR1 b 0 1\n",
     "B1 : vsource(b, ground)  v = table(clamp(a.v/1 V, -8, 4), [spice_pwr(-2, 3), spice_pow(-2, "
     "2)],\n"},
    {"t\nV1 a 0 1\nB1 b 0 V=pwl(v(a),-1,1,2,4)\nR1 b 0 1\n",
     "B1 : vsource(b, ground)  v = table(a.v/1 V, [-1, 2], [1, 4])*1 V\n"},
    {"t\nC1 a 0 1u ic=2\nV1 a b 1\nR1 b 0 1\n.ic v(b)=3\n.nodeset v(a)=1\n.tran 1m 5m uic\n",
     "C1 : capacitor(a, ground)  C = 1e-6, v(0) = 2\nguess a.v = 1, b.v = 3\n"
     "simulate stop = 0.005 s, points = 5\n"},
    {"t\nV1 a 0 PWL(0 0 1m 5)\nR1 a 0 1\n.options reltol=1e-4 vntol=1u\n.tran 1m 2m 0 10u\n",
     "input V1 : V = table(t, [-1, 0, 0.001, 1.001], [0, 0, 5, 5])\ninitial equilibrium\n"
     "simulate stop = 0.002 s, points = 2, step = 1e-05 s, tol = 0.0001, atol = 1e-06\n"},
    {"t\nC1 a 0 4.7\xc2\xb5"
     "F\nR1 a 0 3\xce\xbc\nR2 a 0 2\xb5\n",
     "C1 : capacitor(a, ground)  C = 4.7e-6\nR1 : resistor(a, ground)  R = 3e-6\n"
     "R2 : resistor(a, ground)  R = 2e-6\n"},
    {"t\nV1 a 0 1\nR1 a 0 1\n.tran 2m\n", "simulate stop = 0.002 s, points = 500\n"},
    {"t\nV1 a 0 1\nR1 a 0 1\n.tran 0 2m\n", "simulate stop = 0.002 s, points = 500\n"},
    /* a param and a source of one name: the component keeps it */
    {"t\n.param VDD=3\nVDD a 0 {VDD}\nR1 a 0 -2k\n",
     "param VDD : 1 = 3\ninput VDD_ : V = VDD*1 V\nVDD : vsource(a, ground)  v = VDD_\n"
     "R1 : vccs(a, ground | a, ground)  gm = 1 S / -2e3\n"},
    {"t\nV1 a 0 1\nS1 a b a 0 m\nS2 a b a 0 n\nR1 b 0 1\n.model m VSWITCH(VON=2 VOFF=1 RON=3)\n"
     ".model n SW(VT=1 VH=0.5)\n.tran 1u 1m\n",
     "S1 : smooth_switch(a, b)  x = (a.v - 1*1 V)/((2 - 1)*1 V), Ron = 3, Roff = 1e06\n"
     "S2 : hysteresis_switch(a, b)  x = (a.v - 1*1 V)/(0.5*1 V), START = -1, Ron = 1, Roff = "
     "1e12\n"},
    {"t\nV1 v 0 1\nX1 a s\nR1 a 0 1\n.global v\n.subckt s p\nR1 p v 1k\n.ends\n",
     "system s(p, v : electrical)\n  R1 : resistor(p, v)  R = 1e3\nX1 : s(a, v)\n"},
    {"t\nV1 a 0 1\nR1 a 0 2k m=4\nC1 a 0 m L=20u\n.model m C(CJ=1m DEFW=3u)\n",
     "R1 : resistor(a, ground)  R = 2e3/4\n"
     "C1 : capacitor(a, ground)  C = (1e-3*20e-6*3e-6 + 2*0*(20e-6 + 3e-6))*1 F\n"},
    /* of what devices may give, params are what one gives; what else the model reads is a const */
    {"t\nM1 a b 0 0 x W=2u PS=3u\nM2 a b 0 0 y W=2u\nM3 a b 0 0 y L=2u\nR1 a b 1\n"
     ".model x NMOS\n.model y NMOS(RSH=2)\nD1 a b d\nD2 a b e 2\n.model d D\n.model e D\n",
     "  param W : 1 = 0.0001, PS : 1 = 0\n  const L : 1 = 0.0001\n"
     "  param W : 1 = 0.0001, L : 1 = 0.0001\n  const NRD : 1 = 1, NRS : 1 = 1\n"
     "  const AREA : 1 = 1\n  param AREA : 1 = 1\n"
     "M1 : x(a, b, ground, ground)  W = 2e-6, PS = 3e-6\n"
     "M3 : y(a, b, ground, ground)  L = 2e-6\n"},
};

static void check_lines(const char *text, const char *wanted)
{
    while (*wanted) {
        char line[300];
        int length = (int)strcspn(wanted, "\n");
        snprintf(line, sizeof line, "%.*s\n", length, wanted);
        if (!strstr(text, line))
            fail_msg("no line %sin\n%s", line, text);
        wanted += length + 1;
    }
}

static void cards_become_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        ct_context *ctx = open_context();
        const ct_syntax *syntax;
        const char *text, *again;
        const char *netlist = readings[i].netlist;
        assert_int_equal(ct_read_text(ctx, "x.cir", netlist, strlen(netlist), &syntax), CT_OK);
        assert_int_equal(ct_format_text(ctx, syntax, &text), CT_OK);
        check_lines(text, readings[i].model);
        /* and the text says the same */
        assert_int_equal(ct_read_text(ctx, "x.lg", text, strlen(text), &syntax), CT_OK);
        assert_int_equal(ct_format_text(ctx, syntax, &again), CT_OK);
        check_lines(again, readings[i].model);
        ct_context_free(ctx);
    }
}

/* ---- functions */

static double first_output(const char *netlist)
{
    ct_context *ctx = open_context();
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_simulator *simulator;
    const ct_point *point = NULL;
    ct_status status = ct_read_text(ctx, "x.cir", netlist, strlen(netlist), &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, NULL, &model);
    if (status == CT_OK)
        status = ct_make_graph(ctx, model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(ctx, graph, NULL, &tree);
    if (status == CT_OK)
        status = ct_make_simulator(ctx, tree, NULL, &simulator);
    if (status == CT_OK)
        status = ct_find_equilibrium(ctx, simulator, 0, &point);
    double value = status == CT_OK && point->output_count ? point->y[0] : NAN;
    ct_context_free(ctx);
    return value;
}

/* A netlist may define any function, whatever the language knows by that name. */
static void check_own(const char *word)
{
    char netlist[300];
    snprintf(netlist, sizeof netlist,
             "t\n.func %s(x) {2*x}\nB1 a 0 V={%s(v(b))}\nV1 b 0 {%s(1.5)}\nR1 a 0 1\n.op\n", word,
             word, word);
    if (first_output(netlist) != 6)
        fail_msg("a function `%s` of the netlist gives %g", word, first_output(netlist));
}

static void functions_of_the_netlist_win(void **state)
{
    (void)state;
    ct_function f;
    for (int op = 0; op < CT_OP_COUNT; op++)
        if (ct_function_of((ct_op)op, &f))
            check_own(f.word);
    for (const char *const *word = ct_special_functions; *word; word++)
        check_own(*word);
}

static void functions_of_the_language_are_known(void **state)
{
    (void)state;
    const double x = 0.4;
    ct_function f;
    for (int op = 0; op < CT_OP_COUNT; op++) {
        bool one = ct_function_of((ct_op)op, &f) && f.least == 1 && f.rule != CT_RULE_RATE &&
                   f.rule != CT_RULE_INTEGRAL && op != CT_OP_PRE;
        char netlist[200];
        snprintf(netlist, sizeof netlist, "t\nB1 a 0 V={%s(v(b))}\nV1 b 0 0.4\nR1 a 0 1\n.op\n",
                 f.word);
        if (one && !(fabs(first_output(netlist) - ct_op_value((ct_op)op, &x, 1)) <= 1e-9))
            fail_msg("%s(0.4) gives %g", f.word, first_output(netlist));
    }
}

/* What is refused, with the code of the message, and what stands near and is not. */
static const struct refusal {
    const char *bad, *code, *good;
} refusals[] = {
    {"t\nV1 a 0 1\nR1 a 0 1\n.step V2 0 1 1\n", "E803", "t\nV1 a 0 1\nR1 a 0 1\n.step V1 0 1 1\n"},
    {"t\nV1 a 0 1\nD1 a 0 d\n.model d D\n.step D d(is) 1 2 1\n", "E802",
     "t\n.param i=1f\nV1 a 0 1\nD1 a 0 d\n.model d D(is={i})\n.step param i list 1f 2f\n"},
    {"t\nV1 a 0 1\nR1 a 0 1\n.step param V1 dec 0 1 5\n", "E224",
     "t\nV1 a 0 1\nR1 a 0 1\n.step dec V1 0.1 1 5\n"},
    {"t\nV1 a 0 1 Rser=1\nR1 a 0 1\n", "E802", "t\nV1 a 0 DC=1\nR1 a 0 1\n"},
    {"t\nV1 a 0 1\nD1 a 0 d\n.model d D(is=acme)\n", "E210",
     "t\nV1 a 0 1\nD1 a 0 d\n.model d D(is=1f mfg=acme)\n"},
    {"t\nV1 a 0 1\nR1 a 0 1\n.tf v(a) R1\n", "E801", "t\nV1 a 0 1\nR1 a 0 1\n.tf v(a) V1\n"},
    {"t\nV1 a 0 1\nR1 a b\n+ m\nR2 b 0 1\n.model m R(TC1=1)\n", "E801",
     "t\nV1 a 0 1\nR1 a b\n+ m\nR2 b 0 1\n.model m R(R=2 TC1=1)\n"},
    {"t\nV1 a 0 1\nS1 a b a 0 s\nR2 b 0 1\n.model s SW(VT=1 VH=-1)\n", "E802",
     "t\nV1 a 0 1\nS1 a b a 0 s\nR2 b 0 1\n.model s SW(VT=1 VH=1)\n"},
    {"t\nV1 a 0 1\nJ1 a 0 b j\nR2 b 0 1\n.model j NJF(level=2)\n", "E802",
     "t\nV1 a 0 1\nJ1 a 0 b j\nR2 b 0 1\n.model j NJF(level=1)\n"},
    {"t\nV1 a 0 1\nR1 a 0 1\n.tran 1m 2m 3m 4m 5m\n", "E801",
     "t\nV1 a 0 1\nR1 a 0 1\n.tran 1m 4m 2m 1m\n"},
    {"t\nX1 a s r=)\nV1 a 0 1\n.subckt s p r=1\nR1 p 0 {r}\n.ends\n", "E801",
     "t\nX1 a s r=2\nV1 a 0 1\n.subckt s p r=1\nR1 p 0 {r}\n.ends\n"},
    {"t\n.param r=)\nV1 a 0 1\nR1 a 0 {r}\n", "E801", "t\n.param r=1\nV1 a 0 1\nR1 a 0 {r}\n"},
};

static void refusals_have_neighbours(void **state)
{
    (void)state;
    char code[8];
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        assert_int_not_equal(fate_of(r->bad, strlen(r->bad), code), CT_OK);
        assert_string_equal(code, r->code);
        assert_int_equal(fate_of(r->good, strlen(r->good), code), CT_OK);
        assert_string_equal(code, "");
    }
}

/* Measures are read with the analysis that they belong to. */
static const struct refusal measures[] = {
    {".meas tran x MAXIMUM v(a)", "E802", ".meas tran x MAX v(a)"},
    {".meas tran x WHEN v(a)", "E801", ".meas tran x WHEN v(a)=1"},
    {".meas tran x TRIG v(a)=1", "E801", ".meas tran x TRIG v(a)=1 TARG AT=1m"},
    {".meas tran x FIND v(b) AT=1", "E211", ".meas tran x FIND v(a) AT=1"},
    {".meas tran x PARAM='v(a)'", "E802", ".meas tran x PARAM='2*3'"},
    {".meas tran x MAX v(a) 7", "E801", ".meas tran x MAX v(a) FROM=1m TO=2m"},
};

static void measures_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof measures / sizeof *measures; i++) {
        const struct refusal *m = &measures[i / 2];
        char text[200];
        int length = snprintf(text, sizeof text, "t\nV1 a 0 1\nR1 a 0 1\n.tran 1m 2m\n%s\n",
                              i % 2 ? m->good : m->bad);
        ct_context *ctx = open_context();
        const ct_syntax *syntax, *again;
        assert_int_equal(ct_read_text(ctx, "x.cir", text, (size_t)length, &syntax), CT_OK);
        assert_int_equal(ct_analysis_at(syntax, 0)->measure_count, 1);
        ct_status status = ct_read_analysis(ctx, syntax, 0, &again);
        assert_int_equal(status == CT_OK, i % 2);
        if (i % 2 == 0)
            assert_string_equal(ct_diag_at(ctx, 0)->code, m->code);
        ct_context_free(ctx);
    }
}

static void steps_are_listed(void **state)
{
    (void)state;
    static const char text[] = "t\n.param r=1k n=1\nV1 a 0 1\nR1 a 0 {r*n}\n.tran {n*1m} {n*2m}\n"
                               ".step param r list 1 2 3\n.step param n 1 2 1\n.dc temp 0 50 25\n";
    ct_context *ctx = open_context();
    const ct_syntax *syntax, *run;
    assert_int_equal(ct_read_text(ctx, "x.sp", text, strlen(text), &syntax), CT_OK);
    const ct_analysis *a = ct_analysis_at(syntax, 0);
    assert_true(a->runs == 6 && a->stepped_count == 2 && a->stop == 2e-3);
    assert_string_equal(a->stepped[1].name, "n");
    assert_true(ct_analysis_at(syntax, 1)->runs == 18);
    assert_int_equal(ct_read_run(ctx, syntax, 0, 5, &run), CT_OK);
    assert_true(ct_analysis_at(run, 0)->stop == 4e-3); /* times follow what is stepped */
    const char *model;
    assert_int_equal(ct_format_text(ctx, run, &model), CT_OK);
    check_lines(model, "param r : 1 = 3, n : 1 = 2\n");
    ct_context_free(ctx);
}

static void steps_are_counted(void **state)
{
    static const struct {
        const char *step;
        uint32_t runs;
    } cases[] = {{"r 5 5 1", 1},  {"r 5 5 0", 1},       {"r 1 2 0.25", 5},
                 {"r 3 1 -1", 3}, {"r dec 1 100 2", 5}, {"r oct 1 8 1", 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "t\n.param r=1\nV1 a 0 1\nR1 a 0 {r}\n.tran 1m 2m\n.step param %s\n",
                 cases[i].step);
        ct_context *ctx = open_context();
        const ct_syntax *syntax;
        assert_int_equal(ct_read_text(ctx, "x.sp", text, strlen(text), &syntax), CT_OK);
        assert_int_equal(ct_analysis_at(syntax, 0)->runs, cases[i].runs);
        ct_context_free(ctx);
    }
}

/* Several in parallel; what follows is read. */
static void multipliers_count(void **state)
{
    (void)state;
    const double want[] = {0.6, 0.2, 1.4};
    assert_true(fabs(first_output("t\nR1 a 0 R=5\nI1 0 a 2\n.op\n") - 10) < 1e-9);
    const char *const cards[] = {"G1 0 a b 0 1m m=3", "G1 0 a b 0 1m",
                                 "G1 0 a value={7m*v(b)} m=1"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "t\n%s\nR1 a 0 1k\nV1 b 0 0.2\nR2 b 0 1\n.op\n", cards[i]);
        double got = first_output(text);
        if (!(fabs(got - want[i]) < 1e-9))
            fail_msg("%s gives %g", cards[i], got);
    }
}

static void analyses_are_listed(void **state)
{
    (void)state;
    static const char text[] =
        "t\nV1 a 0 AC 2\nR1 a 0 {r}\n.param r=1k ts=2m\n.op\n.tran 1u {ts} 1m\n"
        ".dc V1 0 5 1 r 1 2 1\n.ac oct 5 1 1k\n";
    ct_context *ctx = open_context();
    const ct_syntax *syntax;
    assert_int_equal(ct_read_text(ctx, "x.sp", text, strlen(text), &syntax), CT_OK);
    assert_true(ct_is_a_netlist(syntax));
    assert_int_equal(ct_analysis_count(syntax), 4);
    const ct_analysis *a = ct_analysis_at(syntax, 1);
    assert_int_equal(a->kind, CT_TRAN);
    assert_true(a->stop == 2e-3 && a->start == 1e-3 && a->step == 1e-6);
    a = ct_analysis_at(syntax, 2);
    assert_true(a->kind == CT_DC && a->swept_count == 2);
    assert_true(a->swept[0].count == 6 && a->swept[0].value[5] == 5 && a->swept[1].value[1] == 2);
    assert_string_equal(a->swept[1].name, "r");
    a = ct_analysis_at(syntax, 3);
    assert_true(a->kind == CT_AC && a->scale == CT_AC_OCTAVES && a->points == 5);
    ct_context_free(ctx);
}

/* ---- files in files
 * ------------------------------------------------------------------------------ */

static void included_files_keep_their_places(void **state)
{
    (void)state;
    static const char text[] = "t\nV1 p 0 1\n.include lib/part.inc\nR2 p\n";
    ct_context *ctx = open_context();
    assert_int_equal(try_text(ctx, text, strlen(text)), CT_ERR_SYNTAX);
    assert_int_equal(ct_diag_count(ctx), 2);
    const ct_diag *inner = ct_diag_at(ctx, 0), *outer = ct_diag_at(ctx, 1);
    assert_string_equal(inner->file, "lib/deeper.inc");
    assert_int_equal(inner->line, 2);
    assert_int_equal(inner->column, 6);
    assert_string_equal(outer->file, "x.cir");
    assert_int_equal(outer->line, 4);
    ct_context_free(ctx);
    char code[8];
    static const char *const circles[] = {"t\n.include self.inc\n", "t\n.inc 'one.inc'\n"};
    static const char missing[] = "t\nV1 p 0 1\n.include none.inc\nR1 p 0 1\n";
    ctx = open_context();
    assert_int_not_equal(try_text(ctx, missing, strlen(missing)), CT_OK);
    assert_int_equal(ct_diag_at(ctx, 0)->column, 10);
    assert_int_equal(ct_diag_at(ctx, 0)->width, strlen("none.inc"));
    ct_context_free(ctx);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fate_of(circles[i], strlen(circles[i]), code), CT_ERR_SYNTAX);
        assert_string_equal(code, "E218");
    }
}

static void a_title_like_a_card_is_told(void **state)
{
    (void)state;
    char code[8];
    static const char text[] = "R1 a 0 1k\nV1 a 0 1\nR2 a 0 1\n";
    assert_int_equal(fate_of(text, strlen(text), code), CT_OK);
    assert_string_equal(code, "W804");
}

/* ---- sizes
 * ------------------------------------------------------------------------------------------ */

static void put_text(buffer *b, const char *text)
{
    buffer_put(b, text, strlen(text));
}

static double read_ladder(uint32_t sections)
{
    buffer b = {0};
    put_text(&b, "ladder\nV1 n0 0 1\n");
    for (uint32_t i = 1; i <= sections; i++)
        put(&b, "R%u n%u n%u 1k\nC%u n%u 0\n+ 1n\n", i, i - 1, i, i, i);
    ct_context *ctx = open_context();
    const ct_syntax *syntax;
    double start = effort_clock();
    assert_int_equal(ct_read_text(ctx, "x.cir", b.at, b.length, &syntax), CT_OK);
    double effort = effort_since(start);
    ct_context_free(ctx);
    free(b.at);
    return effort;
}

static void reading_is_linear(void **state)
{
    (void)state;
    double effort = read_ladder(50000);
    print_message("50000 sections: %.3g\n", effort);
    assert_true(effort < 1500);
}

static void check_size(const char *what, buffer *b, ct_status wanted, const char *code)
{
    char got[8];
    ct_status status = fate_of(b->at, b->length, got);
    if (status != wanted || strcmp(got, code) != 0)
        fail_msg("%s: %s, %s", what, ct_status_text(status), got);
    free(b->at);
}

/* Capacitors that get a start by `uic` are components, too. */
static void starts_are_limited(void **state)
{
    (void)state;
    enum { MOST = 100 };
    for (int more = 0; more < 2; more++) {
        buffer b = {0};
        ct_context_def def = ct_default_context_def();
        def.max_components = MOST;
        ct_context *ctx = ct_context_new(&def);
        const ct_syntax *syntax;
        put_text(&b, "t\n.ic v(a)=1\n.tran 1u 1m uic\n");
        for (int i = 0; i < MOST + more; i++)
            put(&b, "C%d a 0 1u\n", i);
        ct_status status = ct_read_text(ctx, "t.cir", b.at, b.length, &syntax);
        assert_int_equal(status, more ? CT_ERR_LIMIT : CT_OK);
        if (more)
            assert_non_null(strstr(ct_diag_at(ctx, 0)->message, "100 components have a start"));
        assert_int_equal(ct_error_count(ctx), more);
        ct_context_free(ctx);
        free(b.at);
    }
}

static void hostile_sizes_are_answered(void **state)
{
    (void)state;
    buffer b = {0};
    put_text(&b, "t\nV1 a 0 1\nR1 a 0 {p}\n.param p={1");
    for (int i = 0; i < 50000; i++)
        put_text(&b, "+1");
    put_text(&b, "}\n");
    check_size("a long sum", &b, CT_OK, "");
    b = (buffer){0};
    put_text(&b, "t\nV1 a 0 1\nR1 a 0 {");
    for (int i = 0; i < 100000; i++)
        put_text(&b, "(");
    put_text(&b, "\n");
    check_size("brackets", &b, CT_ERR_SYNTAX, "E108");
    b = (buffer){0};
    put_text(&b, "t\nV1 a 0 1\nR1 a 0 {p0}\n.param p50000=1\n");
    for (int i = 0; i < 50000; i++)
        put(&b, ".param p%d={p%d}\n", i, i + 1);
    check_size("a chain of params", &b, CT_OK, "");
    b = (buffer){0};
    put_text(&b, "t\nX1 a s0\nV1 a 0 1\n"); /* 10^9 resistors */
    for (int i = 0; i < 9; i++) {
        put(&b, ".subckt s%d p\n", i);
        for (int k = 0; k < 10; k++)
            put(&b, "X%d p s%d\n", k, i + 1);
        put_text(&b, ".ends\n");
    }
    put_text(&b, ".subckt s9 p\nR1 p 0 1\n.ends\n");
    check_size("nested subcircuits", &b, CT_ERR_LIMIT, "E902");
    b = (buffer){0};
    put_text(&b, "t\nX1 a s0\nV1 a 0 1\n");
    for (int i = 0; i < 5000; i++)
        put(&b, ".subckt s%d p\nX1 p s%d\n.ends\n", i, i + 1);
    check_size("a chain of subcircuits", &b, CT_ERR_LIMIT, "E902");
    b = (buffer){0};
    put_text(&b, "t\n");
    for (int i = 0; i < 5000; i++)
        put(&b, ".subckt s%d p\n", i);
    check_size("open subcircuits", &b, CT_ERR_LIMIT, "E902");
    b = (buffer){0};
    put_text(&b, "t\nV1 a 0 -2.5\nB1 b 0 V=");
    for (int i = 0; i < 60; i++) /* arguments that were read twice would be 2^60 */
        put_text(&b, i % 2 ? "int(" : "pwr(");
    put_text(&b, "v(a)");
    for (int i = 60; i-- > 0;)
        put_text(&b, i % 2 ? ")" : ",1)");
    put_text(&b, "\nR1 b 0 1\n");
    check_size("nested functions", &b, CT_OK, "");
    b = (buffer){0};
    put_text(&b, "t\nV1 a 0 1\n");
    for (int i = 0; i < 20000; i++) /* pairs of coupled inductors */
        put(&b, "L%da a 0 1\nL%db a 0 1\nK%d L%da L%db 0.5\n", i, i, i, i, i);
    check_size("many transformers", &b, CT_OK, "");
    b = (buffer){0};
    put_text(&b, "t\nV1 a 0 1\n");
    for (int i = 0; i < 60000; i++) {
        put(&b, "R%d a ", i);
        for (int k = 0; k < 16; k++)
            put_text(&b, i >> k & 1 ? "+" : "-");
        put_text(&b, "n 1\n");
    }
    check_size("names that become equal", &b, CT_OK, "W320");
}

/* ---- damaged texts
 * -------------------------------------------------------------------------------------- */

static bool is_netlist(const char *path)
{
    return ends_with(path, ".cir");
}

/* Memory is taken in steps, each of which is counted: a reader that does not end asks for ever
 * more. What a text may ask for is linear in its length. */
static void survive(const char *text, size_t length)
{
    ct_context_def def = ct_default_context_def();
    def.loader = (ct_loader){read_memory, release_memory, NULL};
    def.max_bytes = 24000000 + 2000 * length;
    ct_context *ctx = ct_context_new(&def);
    assert_non_null(ctx);
    const char *shown;
    ct_status status = try_text(ctx, text, length);
    if (status == CT_ERR_MEMORY)
        fail_msg("%zu bytes of text need more than %zu:\n%.2000s", length, (size_t)def.max_bytes,
                 text);
    if ((status == CT_OK) != (ct_error_count(ctx) == 0))
        fail_msg("%s with %zu errors:\n%.2000s", ct_status_text(status), ct_error_count(ctx), text);
    assert_int_equal(ct_diag_render(ctx, CT_DIAG_TEXT, &shown), CT_OK);
    ct_context_free(ctx);
}

/* Cut off anywhere; texts with other damage are cases of test_fuzz. */
static void cut_texts_are_survived(void **state)
{
    (void)state;
    static corpus all;
    corpus_add(&all, COTREE_ROOT "/tests/spice", is_netlist);
    corpus_add(&all, COTREE_ROOT "/tests/bad", is_netlist);
    assert_true(all.count > 10);
    for (uint32_t i = 0; i < all.count; i++)
        for (size_t cut = 0; cut < all.text[i].length; cut += 3)
            survive(all.text[i].at, cut);
    corpus_free(&all);
}

/* Values that are missing where others may follow. */
static void open_lists_end(void **state)
{
    (void)state;
    static const char *const cards[] = {
        "E1 b 0 TABLE V(a) = (0,0) (1,1)",
        "E1 b 0 TABLE {v(a)} = (0,=) (1,1)",
        "E1 b 0 TABLE",
        "E1 b 0 POLY(1) a 0 1 POLY(2)",
        "E1 b 0 POLY(2) a 0 b 0 1 = 2",
        "G1 b 0 POLY(1) a 0 \"x\"",
        "F1 b 0 POLY(1) V1 1 )",
        "V2 b 0 PULSE(0 1 1e30 1 1 1 1e-30)",
        "V2 b 0 PULSE(0 1 -1e30 1 1 1 1e-30)",
        "V2 b 0 PWL(0 0 = 1)",
        ".ic v(a)=(1 v(b)=)",
        ".options reltol=( vntol==",
        ".model d1 d(is=( rs==)",
        "D1 a b d1 ic=(1,(2,",
        "R1 a b tc=1,,2",
        "K1 L1 L2 (",
        ".param p=((((",
        ".func f(x",
    };
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        buffer b = {0};
        put(&b, "t\nV1 a 0 1\n%s\nR9 b 0 1\n.tran 1m 5m uic\n", cards[i]);
        survive(b.at, b.length);
        free(b.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cards_become_statements),
        cmocka_unit_test(refusals_have_neighbours),
        cmocka_unit_test(measures_are_read),
        cmocka_unit_test(steps_are_listed),
        cmocka_unit_test(steps_are_counted),
        cmocka_unit_test(multipliers_count),
        cmocka_unit_test(analyses_are_listed),
        cmocka_unit_test(functions_of_the_netlist_win),
        cmocka_unit_test(functions_of_the_language_are_known),
        cmocka_unit_test(included_files_keep_their_places),
        cmocka_unit_test(a_title_like_a_card_is_told),
        cmocka_unit_test(reading_is_linear),
        cmocka_unit_test(hostile_sizes_are_answered),
        cmocka_unit_test(starts_are_limited),
        cmocka_unit_test(cut_texts_are_survived),
        cmocka_unit_test(open_lists_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

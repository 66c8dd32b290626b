/* test_rest.c - operating points: nothing changes, inputs included, and what equations leave open
 * is charged from zero. In all forms and some trees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

#include "solve/rank.h"

/* ---- models with values by hand */

typedef struct rest_case {
    const char *text;
    const char *tree[3]; /* wanted branches; the usual tree is tried as well */
    double want[4];      /* of the outputs */
    const char *open;    /* what W537 names; NULL: nothing */
} rest_case;

#define SINE "V1 : vsource(a, ground)  v = 10 V*sin(300*t)\n"

static const rest_case cases[] = {
    /* rates of inputs are zero */
    {SINE "C1 : capacitor(a, b)  C = 1 uF\nC2 : capacitor(b, ground)  C = 2 uF\n"
          "R2 : resistor(b, ground)  R = 10 kohm\noutput C1.v, C2.v, C1.i, R2.i\n",
     {"C1", "C2"},
     {0, 0, 0, 0},
     NULL},
    {"input u = 3 V + 2 V*sin(300*t)\nV1 : vsource(a, ground)  v = u\n"
     "C1 : capacitor(a, b)  C = 1 uF\nC2 : capacitor(b, ground)  C = 2 uF\n"
     "R2 : resistor(b, ground)  R = 10 kohm\noutput C1.v, C2.v, C1.i, R2.i\n",
     {"C1", "C2"},
     {3, 0, 0, 0},
     NULL},
    {SINE "R1 : resistor(a, b)  R = 1 ohm\nR2 : resistor(c, ground)  R = 1 ohm\n"
          "K1 : coupled_inductors(b, ground | c, ground)  L1 = 2 mH, L2 = 8 mH, k = 1\n"
          "output R1.i, R2.i, b.v, c.v\n",
     {"R1"},
     {0, 0, 0, 0},
     NULL},
    {"I1 : isource(ground, a)  i = 1 A + 3 A*sin(300*t)\nL1 : inductor(a, b)  L = 1 mH\n"
     "L2 : inductor(b, ground)  L = 2 mH\nR1 : resistor(b, ground)  R = 5 ohm\n"
     "output L1.i, L2.i, L1.v, R1.i\n",
     {"L1", "R1"},
     {1, 1, 0, 0},
     NULL},
    {"I1 : isource(ground, a)  i = 1 A + 3 A*sin(300*t)\nL1 : inductor(a, ground)  L = 1 H\n"
     "L2 : inductor(a, ground)  L = 2 H\noutput L1.i, L2.i, L1.v\n",
     {"L1", "L2"},
     {2.0 / 3, 1.0 / 3, 0},
     "L1.i, L2.i"},
    /* volume, through an orifice: Newton's full steps go from one side to the other */
    {"T1 : tank(a, ground)  C = 5e-5, p(0) = 0.2 bar\nR1 : fluid_resistor(a, b)  R = 4e9, k = 2\n"
     "T2 : tank(b, ground)  C = 3e-5, p(0) = 0.05 bar\noutput T1.p, T2.p\n",
     {"R1"},
     {14375, 14375},
     "T1.p, T2.p"},
    /* charge and flux */
    {"V1 : vsource(a, ground)  v = 9 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "C1 : capacitor(b, c)  C = 1 uF\nC2 : capacitor(c, ground)  C = 2 uF\noutput C1.v, C2.v\n",
     {"C1", "C2", "R1"},
     {6, 3},
     "C1.v, C2.v"},
    {"V1 : vsource(a, ground)  v = 9 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "C1 : capacitor(b, c)  C = 1 uF\nC2 : capacitor(c, ground)  C = 2 uF\n"
     "R2 : resistor(c, ground)  R = 1 Tohm\noutput C1.v, C2.v\n",
     {"C1", "C2", "R1"},
     {9, 0},
     NULL},
    {"V1 : vsource(a, ground)  v = 9 V\nC1 : capacitor(a, b)  C = 1 uF\n"
     "C2 : capacitor(b, ground)  C = 2 uF\noutput C1.v, C2.v\n",
     {"C1", "C2"},
     {6, 3},
     "C1.v, C2.v"},
    {"V1 : vsource(a, ground)  v = 5 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "L1 : inductor(b, ground)  L = 1 mH\nL2 : inductor(b, ground)  L = 2 mH\n"
     "I1 : isource(ground, b)  i = 1 mA\noutput L1.i, L2.i\n",
     {"L1", "R1"},
     {0.004, 0.002},
     "L1.i, L2.i"},
    {"V1 : vsource(a, ground)  v = 5 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "L1 : inductor(b, ground)  L = 1 mH\nL2 : inductor(b, c)  L = 2 mH\n"
     "R2 : resistor(c, ground)  R = 1 nohm\nI1 : isource(ground, b)  i = 1 mA\n"
     "output L1.i, L2.i\n",
     {"L1", "R1"},
     {0.006, 0},
     NULL},
    /* a dependent one in the set is named, too */
    {"V1 : vsource(a, ground)  v = 9 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "C1 : capacitor(b, c)  C = 1 uF\nC2 : capacitor(c, ground)  C = 1.5 uF\n"
     "C3 : capacitor(c, ground)  C = 0.5 uF\noutput C1.v, C2.v, C3.v\n",
     {"C1", "C3"},
     {6, 3, 3},
     "C1.v, C2.v, C3.v"},
    /* charge that is not proportional: v + v^3/3 = 2 (9 - v) */
    {"V1 : vsource(a, ground)  v = 9 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "C1 : capacitor(b, c)  C = 1 uF*(1 + (C1.v/(1 V))^2)\n"
     "C2 : capacitor(c, ground)  C = 2 uF\noutput C1.v, C2.v\n",
     {"C1", "R1"},
     {3, 6},
     "C1.v, C2.v"},
    /* what is given: where a run from there ends, and a start at rest keeps it */
    {"V1 : vsource(a, ground)  v = 9 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "C1 : capacitor(b, c)  C = 1 uF\nC2 : capacitor(c, ground)  C = 2 uF, v(0) = 3 V\n"
     "output C1.v, C2.v\n",
     {"R1"},
     {4, 5},
     "C1.v, C2.v"},
    {"V1 : vsource(a, ground)  v = 9 V\nR1 : resistor(a, b)  R = 1 kohm\n"
     "C1 : capacitor(b, c)  C = 1 uF\nC2 : capacitor(c, ground)  C = 2 uF, v(0) = 4 V\n"
     "initial equilibrium\noutput C1.v, C2.v\n",
     {"R1"},
     {5, 4},
     NULL},
    /* other domains */
    {"T1 : tank(a, ground)  C = 1e-3, p(0) = 3000 Pa\nT2 : tank(b, ground)  C = 2e-3\n"
     "R1 : fluid_leakage(a, b)  G = 1e-6\noutput T1.p, T2.p\n",
     {"R1"},
     {1000, 1000},
     "T1.p, T2.p"},
    {"C1 : thermal_capacitor(a, ground)  C = 10, T(0) = 400 K\n"
     "C2 : thermal_capacitor(b, ground)  C = 30, T(0) = 300 K\n"
     "G1 : thermal_conductor(a, b)  G = 2\noutput C1.T, C2.T\n",
     {"G1"},
     {325, 325},
     "C1.T, C2.T"},
    {"m1 : mass(a)  m = 1 kg, v(0) = 3 m/s\nm2 : mass(b)  m = 2 kg\n"
     "d1 : damper(a, b)  d = 5 N.s/m\noutput m1.v, m2.v\n",
     {"d1"},
     {1, 1},
     "m1.v, m2.v"},
    {"V1 : velocity_source(ground, a)  v = 3 m/s + 1 m/s*sin(5*t)\nB1 : inerter(a, b)  b = 1 kg\n"
     "m2 : mass(b)  m = 2 kg\noutput B1.v, m2.v\n",
     {"B1", "m2"},
     {-2, 1},
     "B1.v, m2.v"},
};

typedef struct answer {
    ct_context *ctx;
    ct_status status;
    const ct_point *point;
    const ct_result *result;
} answer;

static answer solve(const char *text, const char *form, const char *branch, bool run)
{
    static const double start[] = {0};
    answer a = {.ctx = ct_context_new(NULL)};
    ct_tree_choice choice = ct_default_tree_choice();
    ct_simulation_def def = ct_default_simulation_def();
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_simulator *simulator;
    choice.prefer = &branch;
    choice.prefer_count = 1;
    def.stop = 1e-3;
    def.times = start;
    def.time_count = 1;
    a.status = ct_read_text(a.ctx, "rest.lg", text, strlen(text), &syntax);
    if (a.status == CT_OK)
        a.status = ct_build(a.ctx, syntax, NULL, &model);
    if (a.status == CT_OK)
        a.status = ct_make_graph(a.ctx, model, &graph);
    if (a.status == CT_OK)
        a.status = ct_choose_tree(a.ctx, graph, branch ? &choice : NULL, &tree);
    if (a.status == CT_OK)
        a.status = ct_make_simulator(a.ctx, tree, form, &simulator);
    if (a.status == CT_OK && run)
        a.status = ct_run(a.ctx, simulator, &def, &a.result);
    else if (a.status == CT_OK)
        a.status = ct_find_equilibrium(a.ctx, simulator, 0, &a.point);
    return a;
}

static const ct_diag *warning_of(const answer *a)
{
    for (size_t i = 0; i < ct_diag_count(a->ctx); i++)
        if (strcmp(ct_diag_at(a->ctx, i)->code, "W537") == 0)
            return ct_diag_at(a->ctx, i);
    return NULL;
}

static void check(const rest_case *c, const answer *a, const double *got, uint32_t count,
                  const char *how)
{
    const char *messages = "";
    const ct_diag *w = warning_of(a);
    if (a->status != CT_OK)
        ct_diag_render(a->ctx, CT_DIAG_TEXT, &messages);
    if (a->status != CT_OK || !got)
        fail_msg("%s%s: %s", c->text, how, messages);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(got[i] - c->want[i]) <= 1e-8 * (fabs(c->want[i]) + 1)))
            fail_msg("%s%s: output %u is %.12g instead of %.12g", c->text, how, i, got[i],
                     c->want[i]);
    if (!w != !c->open)
        fail_msg("%s%s: %s", c->text, how, w ? w->message : "no warning");
    if (w && !strstr(w->message, c->open))
        fail_msg("%s%s: %s", c->text, how, w->message);
}

static void rests(void **state)
{
    static const char *const forms[] = {"nodal", "branch-chord", "tableau", "numeric"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4 * 4; k++) {
            const char *branch = k / 4 ? cases[i].tree[k / 4 - 1] : NULL;
            if (k / 4 && !branch)
                continue;
            answer a = solve(cases[i].text, forms[k % 4], branch, false);
            check(&cases[i], &a, a.point ? a.point->y : NULL, a.point ? a.point->output_count : 0,
                  forms[k % 4]);
            ct_context_free(a.ctx);
        }
}

/* A velocity source pulls springs apart for ever: once a point was taken where rounding of values
 * that ran away hides that. Springs that a source of no velocity holds do rest. */
#define SPRINGS                                                                                    \
    "L0 : spring(n1, ground)  k = 0.04672897196261682\n"                                           \
    "L1 : spring(n1, n2)  k = 0.5524861878453039\n"                                                \
    "R2 : damper(n2, n3)  d = 0.00046511627906976747\n"                                            \
    "L3 : spring(n2, n4)  k = 0.47846889952153115\n"                                               \
    "L4 : spring(ground, n3)  k = 1.2562814070351758\n"                                            \
    "L5 : spring(n1, n4)  k = 1.2406947890818858\n"                                                \
    "L6 : spring(n4, ground)  k = 3.731343283582089\n"                                             \
    "R8 : damper(n1, n2)  d = 0.00034722222222222224\n"                                            \
    "L9 : spring(n3, n2)  k = 9.70873786407767\ninitial equilibrium\n"

static void no_rest(void **state)
{
    static const char *const forms[] = {"nodal", "branch-chord", "tableau", "numeric"};
    (void)state;
    for (int k = 0; k < 4 * 4; k++) {
        bool moves = k / 4 % 2;
        const char *text = moves ? SPRINGS
                               "V7 : velocity_source(n3, n4)  v = 1.1 + 0.691*sin(949*t)\n"
                                 : SPRINGS "V7 : velocity_source(n3, n4)  v = 0.691*sin(949*t)\n";
        answer a = solve(text, forms[k % 4], NULL, k / 8);
        assert_int_equal(a.status == CT_OK, !moves);
        assert_true(moves || ct_diag_count(a.ctx) == 1);
        assert_string_equal(ct_diag_at(a.ctx, 0)->code, moves ? "E527" : "W537");
        ct_context_free(a.ctx);
    }
}

/* ---- starts */

/* States may be no storage: windings without leakage carry what a moving source drives through
 * their capacitor. A run from rest begins with what is stored there, not with the currents of rest.
 */
static void storage_is_kept(void **state)
{
    static const char *const forms[] = {"nodal", "branch-chord", "tableau"};
    static const char *const branches[] = {NULL, "C1", "C2", "C3", "L1", "K1.e1", "K1.e2"};
    static const double want[] = {2, 2, -2, 0};
    static const char text[] =
        "V1 : vsource(a, ground)  v = 4 V + 1 V*sin(2400*t)\nC1 : capacitor(a, b)  C = 3 uF\n"
        "C2 : capacitor(b, c)  C = 2 uF\nR1 : resistor(c, ground)  R = 7 kohm\n"
        "L1 : inductor(ground, d)  L = 0.8 H\nC3 : capacitor(d, e)  C = 1 uF\n"
        "K1 : coupled_inductors(ground, d | e, b)  L1 = 4 H, L2 = 4 H, k = -1\n"
        "initial equilibrium\noutput C1.v, C2.v, C3.v, L1.i\n";
    (void)state;
    for (size_t k = 0; k < 3 * sizeof branches / sizeof *branches; k++) {
        answer a = solve(text, forms[k % 3], branches[k / 3], true);
        assert_int_equal(a.status, CT_OK);
        for (uint32_t i = 0; i < 4; i++)
            if (!(fabs(a.result->outputs.value[1 + i] - want[i]) <= 1e-9))
                fail_msg("%s, %s: output %u is %.12g instead of %g", forms[k % 3],
                         branches[k / 3] ? branches[k / 3] : "usual tree", i,
                         a.result->outputs.value[1 + i], want[i]);
        ct_context_free(a.ctx);
    }
}

/* Storage behind a source alone begins empty, whatever computes it. */
static void islands(void **state)
{
    static const char *const forms[] = {"nodal", "tableau", "numeric", NULL};
    static const char text[] =
        "model island\nconst N = 320\nV1 : vsource(a, ground)  v = 9 V\n"
        "C1 : capacitor(a, b)  C = 1 uF\nC2 : capacitor(b, n0)  C = 2 uF\n"
        "repeat i = 1..N { R{i} : resistor(n{i-1}, n{i})  R = 1 ohm }\noutput C1.v, C2.v, b.v\n";
    (void)state;
    for (int k = 0; k < 4; k++) {
        answer a = solve(text, forms[k], NULL, true);
        assert_int_equal(a.status, CT_OK);
        assert_int_equal(a.result->outputs.count, 1);
        assert_true(fabs(a.result->outputs.value[1]) < 1e-12);
        assert_true(fabs(a.result->outputs.value[2]) < 1e-12);
        assert_true(fabs(a.result->outputs.value[3] - 9) < 1e-12);
        ct_context_free(a.ctx);
    }
}

/* Many nodes between capacitors: the numeric path leaves them to the same rule. */
static void long_islands(void **state)
{
    static const char text[] =
        "model island\nconst N = 700\nV1 : vsource(a, ground)  v = 9 V\n"
        "C1 : capacitor(a, n0)  C = 1 uF\nC2 : capacitor(n{N}, ground)  C = 2 uF\n"
        "repeat i = 1..N { R{i} : resistor(n{i-1}, n{i})  R = %s }\n%soutput C1.v, C2.v\n";
    static const struct {
        const char *ohms, *leak;
        double want;
    } rows[] = {{"1 ohm", "", 6},
                {"(i + 0.3)*0.7 ohm", "", 6},
                {"1 ohm", "R0 : resistor(n7, ground)  R = 1 Gohm\n", 9}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char buffer[600];
        snprintf(buffer, sizeof buffer, text, rows[k].ohms, rows[k].leak);
        answer a = solve(buffer, NULL, NULL, false);
        assert_int_equal(a.status, CT_OK);
        assert_true(fabs(a.point->y[0] - rows[k].want) < 1e-5);
        assert_true(fabs(a.point->y[1] - (9 - rows[k].want)) < 1e-5);
        assert_int_equal(warning_of(&a) == NULL, rows[k].want == 9);
        ct_context_free(a.ctx);
    }
}

/* Meshes, where estimates of rounding errors are the worst. */
static void meshes(void **state)
{
    static const char text[] =
        "model mesh\nconst N = %d\nV1 : vsource(s, ground)  v = 9 V\n"
        "C0 : capacitor(s, n1_1)  C = 1 uF\nrepeat i = 1..N { repeat j = 1..N {\n"
        "C{i}_{j} : capacitor(n{i}_{j}, ground)  C = 1 uF } }\n"
        "repeat i = 1..N-1 { repeat j = 1..N {\n"
        "R{i}_{j} : resistor(n{i}_{j}, n{i+1}_{j})  R = 1 kohm\n"
        "S{i}_{j} : resistor(n{j}_{i}, n{j}_{i+1})  R = 2 kohm } }\noutput C0.v, C2_3.v\n";
    (void)state;
    for (int n = 5; n <= 21; n += 8) {
        char buffer[600];
        double want = 9.0 / (n * n + 1);
        snprintf(buffer, sizeof buffer, text, n);
        answer a = solve(buffer, NULL, NULL, false);
        assert_int_equal(a.status, CT_OK);
        assert_true(fabs(a.point->y[0] - (9 - want)) < 1e-8);
        assert_true(fabs(a.point->y[1] - want) < 1e-8);
        assert_non_null(warning_of(&a));
        ct_context_free(a.ctx);
    }
}

/* ---- ranks */

static double dice(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

enum { N = 12 };

/* A network of conductances with `floating` islands, as columns; scaled by rows and columns. */
static void islands_of(uint32_t floating, uint32_t *seed, double leak, double m[N][N])
{
    memset(m, 0, N * N * sizeof(double));
    for (uint32_t i = 0; i < N; i++) {
        uint32_t to = (i + floating) % N;
        double g = pow(10, 4 * dice(seed) - 2);
        if (to > i) {
            m[i][i] += g, m[to][to] += g;
            m[i][to] -= g, m[to][i] -= g;
        }
        if (i == 0)
            m[i][i] += leak;
    }
    for (uint32_t i = 0; i < N; i++) {
        double by = pow(10, 8 * dice(seed) - 4), other = pow(10, 8 * dice(seed) - 4);
        for (uint32_t j = 0; j < N; j++) {
            m[i][j] *= by;
            m[j][i] *= other;
        }
    }
}

static void ranks(void **state)
{
    uint32_t seed = 3, start[N + 1], row[N * N];
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    ct_arena *arena = ct_arena_new(ctx);
    for (int trial = 0; trial < 300; trial++) {
        uint32_t floating = 1 + (uint32_t)trial % 4;
        double leak = trial % 2 ? 1e-8 : 0, m[N][N], v[N];
        islands_of(floating, &seed, leak, m);
        double value[N * N];
        for (uint32_t j = 0; j < N; j++) {
            start[j] = j * N;
            for (uint32_t i = 0; i < N; i++) {
                row[j * N + i] = i;
                value[j * N + i] = m[i][j];
            }
        }
        start[N] = N * N;
        const ct_rank *rank = ct_rank_new(arena, N, start, row, value);
        assert_int_equal(rank->open, floating - (leak > 0));
        for (uint32_t k = 0; k < 2 * rank->open; k++) {
            (k % 2 ? ct_rank_left : ct_rank_right)(rank, k / 2, v);
            for (uint32_t i = 0; i < N; i++) {
                double sum = 0, most = 0;
                for (uint32_t j = 0; j < N; j++) {
                    double term = (k % 2 ? m[j][i] : m[i][j]) * v[j];
                    sum += term;
                    most += fabs(term);
                }
                assert_true(fabs(sum) <= 1e-11 * most);
            }
        }
    }
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests),           cmocka_unit_test(islands),
        cmocka_unit_test(long_islands),    cmocka_unit_test(meshes),
        cmocka_unit_test(ranks),           cmocka_unit_test(no_rest),
        cmocka_unit_test(storage_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

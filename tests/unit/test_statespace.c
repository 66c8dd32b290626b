/* test_statespace.c - matrices against published ones, finite differences and runs. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "graph/build.h"
#include "study/statespace.h"
#include "study/transfer.h"

enum { MOST_TEXT = 8192 };

/* ---- models */

typedef struct made {
    ct_context *ctx;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const char *form; /* NULL: nodal */
} made;

static made build(const char *text, const char *tree, const ct_override *set, uint32_t set_count)
{
    made m = {.ctx = ct_context_new(NULL)};
    const ct_syntax *syntax;
    ct_build_def def = {.override = set, .override_count = set_count};
    ct_tree_choice choice = ct_default_tree_choice();
    if (tree) {
        choice.prefer = &tree;
        choice.prefer_count = 1;
    }
    assert_int_equal(ct_read_text(m.ctx, "test", text, strlen(text), &syntax), CT_OK);
    ct_status status = ct_build(m.ctx, syntax, &def, &m.model);
    if (status == CT_OK)
        status = ct_make_graph(m.ctx, m.model, &m.graph);
    if (status == CT_OK)
        status = ct_choose_tree(m.ctx, m.graph, &choice, &m.tree);
    if (status != CT_OK) {
        const char *why;
        ct_diag_render(m.ctx, CT_DIAG_TEXT, &why);
        fail_msg("%s", why);
    }
    return m;
}

static char *read_model(const char *name)
{
    char path[512];
    static char text[MOST_TEXT];
    snprintf(path, sizeof path, "%s/models/%s/model.lg", COTREE_ROOT, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static ct_statespace *make(const made *m, const ct_statespace_choice *choice)
{
    ct_statespace *ss;
    const ct_equations *equations;
    ct_status status = ct_derive(m->ctx, m->tree, m->form, &equations);
    if (status == CT_OK)
        status = ct_make_statespace(m->ctx, equations, choice, &ss);
    if (status != CT_OK) {
        const char *why;
        ct_diag_render(m->ctx, CT_DIAG_TEXT, &why);
        fail_msg("%s", why);
    }
    return ss;
}

/* ---- published matrices: every entry, at random rational points, exactly */

typedef struct published {
    const char *model, *matrix;
    uint32_t row, col;
    const char *value; /* entries not listed are zero */
} published;

static const published table[] = {
    {"circuit", "A", 0, 0, "-(L3*R4 + L7*R2 + L7*R4)/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "A", 0, 1, "L3/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "A", 0, 2, "-L7*R2/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "A", 1, 2, "1/C6"},
    {"circuit", "A", 2, 0, "(L3*R4 - L5*R2)/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "A", 2, 1, "-(L3 + L5)/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "A", 2, 2, "-L5*R2/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "B", 0, 0, "L7/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "B", 2, 0, "L5/(L3*L5 + L3*L7 + L5*L7)"},
    {"circuit", "C", 0, 1, "1"},
    {"circuit", "C", 1, 0, "1"},
    {"gearbox", "A", 0, 1, "-1/(L2*TF5)"},
    {"gearbox", "A", 1, 0, "TF5/(C4 + C7*TF5^2)"},
    {"gearbox", "A", 1, 1, "-1/(R3*(C4 + C7*TF5^2))"},
    {"gearbox", "B", 0, 0, "1/L2"},
    {"gearbox", "C", 0, 1, "1"},
    {"sewing", "A", 0, 1, "-1/L4"},
    {"sewing", "A", 1, 0, "1/C6"},
    {"sewing", "A", 1, 1, "-(R3*R5 + R3*R8 + R5*R8)/(C6*R3*R5*R8)"},
    {"sewing", "A", 1, 2, "-1/C6"},
    {"sewing", "A", 1, 3, "1/(C6*R8*TF9)"},
    {"sewing", "A", 2, 1, "1/L7"},
    {"sewing", "A", 2, 3, "-1/(L7*TF9)"},
    {"sewing", "A", 3, 1, "1/(C11*R8*TF9)"},
    {"sewing", "A", 3, 2, "1/(C11*TF9)"},
    {"sewing", "A", 3, 3, "-1/(C11*R8*TF9^2)"},
    {"sewing", "A", 4, 1, "1"},
    {"sewing", "A", 4, 3, "-1/TF9"},
    {"sewing", "B", 0, 0, "1/L4"},
    {"sewing", "B", 1, 0, "1/(C6*R3)"},
    {"sewing", "B", 3, 1, "-1/C11"},
    {"sewing", "C", 0, 0, "1"},
    {"sewing", "C", 1, 4, "1"},
    {"EF", "A", 0, 1, "-1/(C1 + C2)"},
    {"EF", "A", 1, 0, "1/L"},
    {"EF", "A", 1, 1, "-R/L"},
    {"EF", "C", 0, 0, "1"},
    {"EF", "C", 1, 1, "1"},
    {"EF", "C", 2, 1, "C1/(C1 + C2)"},
    {"EF", "E", 0, 0, "C1/(C1 + C2)"},
    {"EF", "F", 2, 0, "C1*C2/(C1 + C2)"},
};

enum { TABLE = sizeof table / sizeof *table };

static const published *find(const char *model, const char *matrix, uint32_t row, uint32_t col)
{
    for (int i = 0; i < TABLE; i++)
        if (strcmp(table[i].model, model) == 0 && strcmp(table[i].matrix, matrix) == 0 &&
            table[i].row == row && table[i].col == col)
            return &table[i];
    return NULL;
}

/* Published values stand behind the model as further parameters, so that they are read by the same
 * reader. */
static char *with_references(const char *model, const char *text)
{
    static char out[2 * MOST_TEXT];
    int length = snprintf(out, sizeof out, "%s", text);
    for (int i = 0; i < TABLE; i++)
        if (strcmp(table[i].model, model) == 0)
            length += snprintf(out + length, sizeof out - (size_t)length,
                               "param published_%d = %s\n", i, table[i].value);
    return out;
}

static ct_expr reference(const made *m, const published *p, ct_pool *pool)
{
    char name[40];
    snprintf(name, sizeof name, "published_%d", (int)(p - table));
    uint32_t q = ct_map_get(m->model->quantity_by_name, ct_intern_text(m->ctx, name));
    assert_true(q > 0);
    ct_arena *arena = ct_arena_new(m->ctx);
    ct_simplifier *carry =
        ct_simplifier_new(arena, m->model->pool, pool, ct_default_simplify_budget());
    ct_expr e = ct_simplify_carry(carry, m->model->quantity[q - 1].value);
    return e;
}

/* A symbol that is no parameter must not be there: it stays, and the value is no number. */
static ct_expr at_random(const made *m, ct_pool *pool, ct_expr e, uint32_t round)
{
    ct_name symbol[64];
    ct_expr value[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->model->quantity_count && count < 64; i++) {
        if (m->model->quantity[i].kind != CT_PARAM)
            continue;
        uint32_t dice = (i * 7919 + round * 104729 + 13) % 1009;
        symbol[count] = m->model->quantity[i].name;
        value[count++] = ct_expr_ratio(pool, dice + 2, (dice * 31 + round) % 97 + 3);
    }
    return ct_expr_substitute(pool, e, symbol, value, count);
}

/* State i of the model is scale[i] times the published one. */
static void compare(const char *name, const made *m, const ct_statespace *ss,
                    const char *const *scale)
{
    const ct_entries *e;
    const char *matrix;
    for (uint32_t k = 0; (e = ct_statespace_part(ss, k, &matrix)); k++) {
        const ct_entry *next = e->entry;
        for (uint32_t i = 0; i < e->rows; i++) {
            for (uint32_t j = 0; j < e->cols; j++) {
                const published *p = find(name, matrix, i, j);
                bool here = next < e->entry + e->count && next->row == i && next->col == j;
                if (here != (p != NULL))
                    fail_msg("%s: %s[%u,%u] %s", name, matrix, i, j, here ? "not zero" : "zero");
                if (!here)
                    continue;
                ct_expr own = (next++)->value, want = reference(m, p, ss->pool);
                if (scale && strchr("ABE", matrix[0]) && strcmp(scale[i], "1") != 0)
                    own = ct_expr_div(
                        ss->pool, own,
                        ct_expr_neg(ss->pool,
                                    ct_expr_symbol(ss->pool, ct_intern_text(m->ctx, scale[i]))));
                if (scale && strchr("AC", matrix[0]) && strcmp(scale[j], "1") != 0)
                    own = ct_expr_mul(
                        ss->pool, own,
                        ct_expr_neg(ss->pool,
                                    ct_expr_symbol(ss->pool, ct_intern_text(m->ctx, scale[j]))));
                for (uint32_t round = 0; round < 5; round++) {
                    ct_expr a = at_random(m, ss->pool, own, round);
                    ct_expr b = at_random(m, ss->pool, want, round);
                    assert_true(ct_expr_is_exact(ss->pool, a));
                    if (a != b)
                        fail_msg("%s: %s[%u,%u] is wrong", name, matrix, i, j);
                }
            }
        }
    }
}

static void check_published(const char *name, const char *path, const char *tree,
                            const char *const *scale)
{
    static const char *const ways[] = {"none", "fast", "full"};
    static const char *const forms[] = {"nodal", "branch-chord", "tableau"};
    char *text = with_references(name, read_model(path));
    for (int way = 0; way < 3; way++) {
        for (int form = 0; form < 3; form++) {
            made m = build(text, tree, NULL, 0);
            ct_statespace_choice choice = ct_default_statespace_choice();
            choice.simplify = ways[way];
            m.form = forms[form];
            const ct_statespace *ss = make(&m, &choice);
            assert_true(ss->linear && ss->steady && !ss->cut_short);
            compare(name, &m, ss, scale);
            ct_context_free(m.ctx);
        }
    }
}

static void test_published(void **state)
{
    /* K2.theta = -L2 f2 */
    static const char *const gearbox[] = {"L2", "1"};
    (void)state;
    check_published("circuit", "lg2ss_circuit", NULL, NULL);
    check_published("gearbox", "lg2ss_gearbox", NULL, gearbox);
    check_published("sewing", "lg2ss_sewing", NULL, NULL);
    check_published("EF", "dependent_capacitor_EF", "C2", NULL);
}

/* ---- finite differences of the nonlinear equations */

typedef struct probe {
    const char *text;
    uint32_t n, m, p;
    const char *input[8];
    double u[8], rate[8]; /* inputs are u + rate * t, looked at for t = 0 */
    double x[24];
    const char *state[24];
} probe;

/* Rates and outputs at the state and inputs of the probe. */
static void measure(const probe *q, double *out)
{
    char value[8][80];
    ct_override set[8];
    ct_state_value given[24];
    ct_simulator *simulator;
    const ct_point *point;
    for (uint32_t i = 0; i < q->m; i++) {
        snprintf(value[i], sizeof value[i], "(%.17g) + (%.17g)*t", q->u[i], q->rate[i]);
        set[i] = (ct_override){q->input[i], value[i]};
    }
    for (uint32_t i = 0; i < q->n; i++)
        given[i] = (ct_state_value){.name = q->state[i], .value = q->x[i]};
    made m = build(q->text, NULL, set, q->m);
    assert_int_equal(ct_make_simulator(m.ctx, m.tree, NULL, &simulator), CT_OK);
    assert_int_equal(ct_evaluate_at(m.ctx, simulator, 0, given, q->n, &point), CT_OK);
    memcpy(out, point->rate, q->n * sizeof *out);
    memcpy(out + q->n, point->y, q->p * sizeof *out);
    ct_context_free(m.ctx);
}

static void difference(probe *q, double *at, double step, double *out)
{
    double up[64], down[64], kept = *at, h = step * fmax(1e-2, fabs(kept));
    *at = kept + h;
    measure(q, up);
    *at = kept - h;
    measure(q, down);
    *at = kept;
    for (uint32_t i = 0; i < q->n + q->p; i++)
        out[i] = (up[i] - down[i]) / (2 * h);
}

static void expect(const char *what, const probe *q, const double *slope, const double *above,
                   const double *below, uint32_t col, uint32_t cols)
{
    for (uint32_t i = 0; i < q->n + q->p; i++) {
        double own = i < q->n ? above[i * cols + col] : below[(i - q->n) * cols + col];
        double size = fmax(fabs(own), fabs(slope[i]));
        if (!(fabs(own - slope[i]) <= 2e-4 * size + 1e-5))
            fail_msg("%s: row %u by %u is %g, differences say %g\n%s", what, i, col, own, slope[i],
                     q->text);
    }
}

static void check_differences(const char *text, const char *states)
{
    made m = build(text, NULL, NULL, 0);
    ct_statespace_choice choice = ct_default_statespace_choice();
    ct_state_value given[24];
    char list[512], *rest = NULL;
    snprintf(list, sizeof list, "%s", states);
    for (char *at = strtok_r(list, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(at, '=');
        *equals = '\0';
        given[choice.state_count++] =
            (ct_state_value){.name = at, .value = strtod(equals + 1, NULL)};
    }
    choice.numeric = true;
    choice.state = given;
    const ct_statespace *ss = make(&m, &choice);
    const ct_numbers *n = ct_statespace_numbers(ss);
    probe q = {.text = text, .n = ss->point->state_count, .m = ss->m, .p = ss->p};
    assert_int_equal(n->n, q.n);
    for (uint32_t i = 0; i < q.n; i++) {
        q.state[i] = ss->point->state[i];
        q.x[i] = ss->point->x[i];
    }
    for (uint32_t i = 0; i < q.m; i++) {
        q.input[i] = ct_name_text(m.ctx, ss->input[i]);
        q.u[i] = ss->at_value[i];
    }
    double slope[64];
    for (uint32_t j = 0; j < q.n; j++) {
        difference(&q, &q.x[j], 1e-6, slope);
        expect("A, C", &q, slope, n->A, n->C, j, q.n);
    }
    for (uint32_t j = 0; j < q.m; j++) {
        difference(&q, &q.u[j], 1e-6, slope);
        expect("B, D", &q, slope, n->B[0], n->D[0], j, q.m);
        difference(&q, &q.rate[j], 1, slope);
        expect("E, F", &q, slope, n->B[1], n->D[1], j, q.m);
    }
    ct_context_free(m.ctx);
}

static void test_models(void **state)
{
    static const char *const names[][2] = {
        {"rc_network", "C4.v=1"},         {"dependent_capacitor_EF", "L.i=0.1"},
        {"thermal_wall", "C1.T=300"},     {"vibrating_1d", "m1.x=0.1"},
        {"hydraulic_k1", "C1.p=1000"},    {"hydraulic_k2", "C1.p=1000"},
        {"dc_motor_gear_load", "Jm.w=2"}, {"lg2ss_circuit", "C6.v=2"},
        {"lg2ss_gearbox", "J7.w=1"},      {"lg2ss_sewing", "C6.v=2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_differences(read_model(names[i][0]), names[i][1]);
}

static void test_nonlinear(void **state)
{
    (void)state;
    /* a diode between resistors: its voltage is an algebraic unknown */
    check_differences("model d\ninput u : V = 1.5\n"
                      "V1 : vsource(a, ground)  v = u\nR1 : resistor(a, b)  R = 100 ohm\n"
                      "D1 : diode(b, c)\nR2 : resistor(c, d)  R = 50 ohm\n"
                      "C1 : capacitor(d, ground)  C = 1 uF\nR3 : resistor(d, ground)  R = 1 kohm\n"
                      "output D1.i as i, C1.v as y\n",
                      "C1.v=0.3");
    /* two diodes in a bridge of resistors: a block of unknowns */
    check_differences("model d2\ninput u : V = 2\nparam R = 200 ohm\n"
                      "V1 : vsource(a, ground)  v = u\nR1 : resistor(a, b)  R = R\n"
                      "R2 : resistor(b, c)  R = 2*R\nD1 : diode(b, d)\nD2 : diode(c, d)\n"
                      "R3 : resistor(c, ground)  R = 3*R\nR4 : resistor(d, ground)  R = R\n"
                      "C1 : capacitor(c, ground)  C = 1 uF\n"
                      "output D1.i as i1, D2.i as i2, R4.v as y\n",
                      "C1.v=0.9");
    /* turbulent flow out of a tank, through an orifice */
    check_differences("model o\ninput q : m^3/s = 1e-3\n"
                      "Q1 : flow_source(ground, a)  q = q\n"
                      "T1 : tank(a, ground)  C = 1e-9 m^3/Pa, p(0) = 1e5 Pa\n"
                      "O1 : orifice(a, ground)  A = 1 mm^2\noutput O1.q as out\n",
                      "T1.p=200000");
    /* dry friction on a moving mass, and a spring */
    check_differences("model f\ninput F : N = 3\nF1 : force(ground, a)  F = F\n"
                      "M1 : mass(a)  m = 2 kg\nS1 : spring(ground, a)  k = 50 N/m\n"
                      "B1 : friction(ground, a)  Fc = 2 N, Fs = 3 N\n"
                      "output M1.v as v, B1.F as Ff\n",
                      "M1.v=0.4");
}

/* ---- the elimination of unknowns, in symbols and in numbers */

static const char bridge[] = "model d2\ninput u : V = 2\nparam R = 200 ohm\n"
                             "V1 : vsource(a, ground)  v = u\nR1 : resistor(a, b)  R = R\n"
                             "R2 : resistor(b, c)  R = 2*R\nD1 : diode(b, d)\nD2 : diode(c, d)\n"
                             "R3 : resistor(c, ground)  R = 3*R\nR4 : resistor(d, ground)  R = R\n"
                             "C1 : capacitor(c, ground)  C = 1 uF\noutput D1.i as i1, R4.v as y\n";

typedef struct both_job {
    const made *m;
    ct_statespace *whole, *left; /* unknowns eliminated; kept */
} both_job;

static void make_both(void *user)
{
    both_job *job = user;
    const ct_equations *equations = ct_equations_new(job->m->tree, CT_FORM_NODAL, CT_FOR_READERS);
    ct_rig *rig = ct_rig_new(ct_machine_new(equations), NULL);
    const ct_point *point = ct_operating_point(rig, 0, ct_arena_new(job->m->ctx));
    ct_statespace_def least = {.budget = 1};
    assert_true(equations->reduced->algebraic_count > 0);
    job->whole = ct_statespace_new(equations, NULL);
    job->left = ct_statespace_new(equations, &least);
    ct_statespace *both[] = {job->whole, job->left};
    for (int i = 0; i < 2; i++) {
        assert_true(ct_statespace_settle(both[i], rig, point));
        assert_true(ct_statespace_evaluate(both[i], rig));
    }
}

static void test_descriptor(void **state)
{
    (void)state;
    made m = build(bridge, NULL, NULL, 0);
    both_job job = {.m = &m};
    assert_int_equal(ct_protect(m.ctx, make_both, &job), CT_OK);
    assert_int_equal(job.whole->n, 1);
    assert_true(job.left->n > job.left->differential && job.left->given_up);
    const ct_numbers *left = ct_statespace_numbers(job.left);
    const ct_numbers *whole = ct_statespace_numbers(job.whole);
    assert_int_equal(left->n, 1);
    const double *a[] = {whole->A, whole->B[0], whole->C, whole->D[0]};
    const double *b[] = {left->A, left->B[0], left->C, left->D[0]};
    const uint32_t count[] = {1, 1, 2, 2};
    for (int k = 0; k < 4; k++)
        for (uint32_t i = 0; i < count[k]; i++)
            assert_true(fabs(a[k][i] - b[k][i]) <= 1e-9 * fabs(a[k][i]) + 1e-12);
    ct_context_free(m.ctx);
}

/* ---- second derivatives of inputs */

static void test_second_derivative(void **state)
{
    (void)state;
    /* a source of position drives a mass: its force is m u'' */
    made m = build("model p\nparam m0 = 2 kg\ninput u : m = 0\n"
                   "X1 : position_source(ground, a)  x = u\nM1 : mass(a)  m = m0\n"
                   "output X1.F as F\n",
                   NULL, NULL, 0);
    ct_statespace_choice choice = ct_default_statespace_choice();
    const ct_statespace *ss = make(&m, &choice);
    const char *text;
    size_t length;
    assert_int_equal(ss->orders, 3);
    assert_int_equal(ss->D[2].count, 1);
    ct_statespace_show show = {.format = "json"};
    assert_int_equal(ct_show_statespace(m.ctx, ss, &show, &text, &length), CT_OK);
    assert_non_null(strstr(text, "\"F2\""));
    ct_context_free(m.ctx);
}

/* ---- a run against the linear response */

static void test_step(void **state)
{
    enum { TIMES = 11 };
    (void)state;
    double times[TIMES], value[TIMES * 2];
    char *text = read_model("lg2ss_circuit");
    ct_override set = {"v1", "1"};
    made m = build(text, NULL, &set, 1);
    ct_statespace_choice choice = ct_default_statespace_choice();
    ct_simulation_def def = ct_default_simulation_def();
    ct_simulator *simulator;
    const ct_result *result;
    ct_lti lti;
    for (int i = 0; i < TIMES; i++)
        times[i] = 2.0 * i;
    def.times = times;
    def.time_count = TIMES;
    def.tol = 1e-9;
    choice.numeric = true;
    const ct_statespace *ss = make(&m, &choice);
    assert_true(ct_statespace_lti(ss, &lti));
    ct_lti_step(ss->arena, &lti, 0, times, TIMES, value);
    assert_int_equal(ct_make_simulator(m.ctx, m.tree, NULL, &simulator), CT_OK);
    assert_int_equal(ct_run(m.ctx, simulator, &def, &result), CT_OK);
    assert_int_equal(result->outputs.count, TIMES);
    for (int i = 0; i < TIMES; i++)
        for (int k = 0; k < 2; k++)
            assert_true(fabs(result->outputs.value[i * 3 + 1 + k] - value[i * 2 + k]) < 1e-7);
    ct_context_free(m.ctx);
}

/* ---- symbolic transfer functions against the frequency response */

static double complex poly_at(const ct_statespace *ss, ct_pool *pool, const ct_poly *a,
                              double complex s)
{
    double complex sum = 0;
    for (uint32_t i = a->count; i-- > 0;) {
        ct_expr e = a->at[i];
        double c = 0;
        if (e) {
            const ct_model *model = ss->reduced->system->model;
            ct_name symbol[32];
            ct_expr number[32];
            uint32_t count = 0;
            for (uint32_t k = 0; k < model->quantity_count && count < 32; k++) {
                symbol[count] = model->quantity[k].name;
                number[count++] = ct_expr_real(pool, model->quantity_value[k]);
            }
            c = ct_expr_to_double(pool, ct_expr_substitute(pool, e, symbol, number, count));
        }
        sum = sum * s + c;
    }
    return sum;
}

static void check_transfer(const char *name, const char *simplify)
{
    made m = build(read_model(name), NULL, NULL, 0);
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.transfer = true;
    choice.simplify = simplify;
    const ct_statespace *ss = make(&m, &choice);
    choice.numeric = true;
    const ct_statespace *numbers = make(&m, &choice);
    ct_lti lti;
    double omega = 0.7;
    double complex value[64], s = omega * I;
    assert_true(ct_statespace_lti(numbers, &lti));
    ct_lti_frequency(numbers->arena, &lti, &omega, 1, value);
    for (uint32_t i = 0; i < ss->p * ss->m; i++) {
        const ct_poly_ratio *f = &ss->transfers->at[i];
        double complex own = poly_at(ss, ss->transfers->pool, &f->num, s) /
                             poly_at(ss, ss->transfers->pool, &f->den, s);
        if (!(cabs(own - value[i]) <= 1e-9 * cabs(value[i]) + 1e-13))
            fail_msg("%s: transfer function %u", name, i);
    }
    ct_context_free(m.ctx);
}

static void test_transfer(void **state)
{
    static const char *const names[] = {"lg2ss_circuit", "lg2ss_gearbox",
                                        "lg2ss_sewing",  "dependent_capacitor_EF",
                                        "rc_network",    "dc_motor_gear_load"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_transfer(names[i], "none");
        check_transfer(names[i], "full");
    }
}

/* ---- large systems stay small */

static void test_ladder(void **state)
{
    static char text[32768];
    int at =
        snprintf(text, sizeof text, "model rc\ninput u : V\nV1 : vsource(n0, ground)  v = u\n");
    (void)state;
    for (int i = 1; i <= 100; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "param R%d, C%d\nRx%d : resistor(n%d, n%d)  R = R%d\n"
                       "Cx%d : capacitor(n%d, ground)  C = C%d\n",
                       i, i, i, i - 1, i, i, i, i, i);
    made m = build(text, NULL, NULL, 0);
    ct_statespace_choice choice = ct_default_statespace_choice();
    const ct_statespace *ss = make(&m, &choice);
    assert_int_equal(ss->n, 100);
    assert_int_equal(ss->A.count, 298);
    assert_false(ss->cut_short);
    ct_context_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),         cmocka_unit_test(test_models),
        cmocka_unit_test(test_nonlinear),         cmocka_unit_test(test_descriptor),
        cmocka_unit_test(test_second_derivative), cmocka_unit_test(test_step),
        cmocka_unit_test(test_transfer),          cmocka_unit_test(test_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

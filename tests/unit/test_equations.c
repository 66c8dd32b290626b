/* test_equations.c - equations shown to people (src/export/equations*.c): exact texts of the worked
 * examples, and the truth of whatever is shown, at random points.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/file.h"
#include "export/equations.h"
#include "graph/build.h"
#include "unit/effort.h"

/* ---- from a model to its equations --------------------------------------------------------- */

typedef struct run {
    ct_context *ctx;
    const char *path, *text; /* one of them */
    ct_equations_def def;
    ct_form form;
    const ct_model *model;
    const ct_equations *equations;
    const ct_reduced *reduced;
    void (*use)(struct run *r);
    ct_text out;
    const ct_equation_list *list;
} run;

static void reduce_body(void *user)
{
    run *r = user;
    uint32_t source = r->path ? ct_load(r->ctx, r->path)
                              : ct_source_add(r->ctx, "test.lg", r->text, strlen(r->text));
    r->model = ct_model_build(ct_parse(r->ctx, source), NULL);
    if (!r->model)
        return;
    const ct_graph *graph = ct_graph_build(r->model);
    ct_tree_def def = {.complete = true};
    ct_graph_wishes(graph, r->model, true, &def);
    const ct_tree *tree = ct_tree_select(graph, &def);
    r->equations = tree ? ct_equations_new(tree, r->form, CT_FOR_READERS) : NULL;
    r->reduced = r->equations ? ct_reduced_view(r->equations->reduced, r->equations->arena) : NULL;
    if (r->reduced)
        r->use(r);
}

static void use_text(run *r)
{
    r->out = ct_text_new(r->ctx->base);
    ct_equations_put(r->equations, &r->def, &r->out);
}

static void use_list(run *r)
{
    r->list = ct_equations_list(r->equations, &r->def);
}

static void go(run *r)
{
    r->ctx = ct_context_new(NULL);
    assert_int_equal(ct_protect(r->ctx, reduce_body, r), CT_OK);
    if (!r->reduced) {
        const char *text;
        ct_diag_render(r->ctx, CT_DIAG_TEXT, &text);
        fail_msg("%s", text);
    }
}

static run start(const char *path, ct_equations_form form, ct_equations_format format)
{
    run r = {.path = path, .def = ct_default_equations_def(), .use = use_text};
    r.def.form = form;
    r.def.format = format;
    r.form = ct_equations_system_form(form);
    return r;
}

static void finish(run *r)
{
    ct_context_free(r->ctx);
}

#define RC          COTREE_ROOT "/models/rc_network/model.lg"
#define FIG1        COTREE_ROOT "/models/fig1_network/model.lg"
#define VIBRATE     COTREE_ROOT "/models/vibrating_1d/model.lg"
#define DRAFT(name) COTREE_ROOT "/tests/drafts/" name ".lg"

/* ---- exact texts --------------------------------------------------------------------------- */

/* Each line of `want` has to stand in the output, without the comment behind it, in this order. */
static void expect_lines(const char *path, ct_equations_form form, bool trace, const char *want)
{
    run r = start(path, form, CT_EQUATIONS_TEXT);
    r.def.trace = trace;
    r.def.origins = false;
    go(&r);
    const char *at = ct_text_string(&r.out);
    char line[1000];
    while (*want) {
        size_t length = strcspn(want, "\n");
        snprintf(line, sizeof line, "\n    %.*s", (int)length, want);
        const char *found = strstr(at, line);
        if (!found || !strchr("\n ", found[strlen(line)]))
            fail_msg("%s: no line [%s] after [%.60s] in:\n%s", path, line + 5, at,
                     ct_text_string(&r.out));
        at = found + 1;
        want += length + (want[length] == '\n');
    }
    finish(&r);
}

static const struct text_case {
    const char *path;
    ct_equations_form form;
    bool trace;
    const char *lines;
} texts[] = {
    /* [McPhee-2, eqs. 36, 35, 34, 31] */
    {RC, CT_EQUATIONS_AUTO, false,
     "C4*der(C4.v) + (1/R2 + 1/R3)*C4.v = u/R2\n"
     "R3.i = C4.v/R3\n"
     "R2.i = (u - C4.v)/R2\n"
     "E1.i = -R2.i\n"
     "C4.i = R2.i - R3.i\n"},
    {RC, CT_EQUATIONS_ODE, false,
     "der(C4.v) = (u/R2 - C4.v*(1/R2 + 1/R3))/C4\n"
     "E1.i = (C4.v - u)/R2\n"},
    /* [eqs. 26-29, 24, 25]: ten equations */
    {RC, CT_EQUATIONS_NODAL, false,
     "E1.v = u\nR2.v = R2*R2.i\nR3.v = R3*R3.i\nC4.i = C4*der(C4.v)\n"
     "E1.v = a.v\nR2.v = a.v - b.v\nR3.v = b.v\nC4.v = b.v\n"
     "E1.i + R2.i = 0\nR3.i - R2.i + C4.i = 0\n"},
    /* [eq. 33] */
    {RC, CT_EQUATIONS_BRANCH_CHORD, false,
     "E1.v = u\nE1.v - C4.v = R2*R2.i\nC4.v = R3*R3.i\nR2.i - R3.i = C4*der(C4.v)\n"},
    {RC, CT_EQUATIONS_TABLEAU, false,
     "C4.i = C4*der(C4.v)\nE1.i + R2.i = 0\nC4.i - R2.i + R3.i = 0\n"
     "R2.v + C4.v - E1.v = 0\nR3.v - C4.v = 0\n"},
    /* [eqs. 26-29, 31, 32, 33, 34-36] */
    {RC, CT_EQUATIONS_AUTO, true,
     "E1.v, R2.i, R3.i, C4.v\n"
     "R2.v = R2*R2.i\nC4.i = C4*der(C4.v)\nE1.i = -R2.i\nC4.i = R2.i - R3.i\n"
     "R2.v = E1.v - C4.v\nR3.v = C4.v\nE1.v - C4.v = R2*R2.i\nR2.i - R3.i = C4*der(C4.v)\n"
     "R2.i = (u - C4.v)/R2\nR3.i = C4.v/R3\nC4*der(C4.v) + (1/R2 + 1/R3)*C4.v = u/R2\n"},
    /* all six currents; three by [eq. 20] */
    {FIG1, CT_EQUATIONS_AUTO, false,
     "E1.v = E1\n"
     "R3.v = (E1.v*((R2 + R4)/R5 + 1) + I6*R4)/((R2 + R4)/R3 + (R2 + R4)/R5 + 1)\n"
     "R5.i = (R3.v - E1.v)/R5\n"
     "I6.i = I6\n"
     "R4.i = I6.i - R5.i - R3.v/R3\n"
     "E1.i = R4.i + R5.i\n"
     "R2.i = I6.i - R4.i\n"
     "R3.i = I6.i - R4.i - R5.i\n"},
    /* [eqs. 59, 68] */
    {VIBRATE, CT_EQUATIONS_AUTO, false,
     "m1*der(m1.v) + d1*m1.v + (k1 + k3 + k5)*m1.x - (k1 + k3 + k5)*m3.x + (k1 + k5)*k13.x - "
     "k5*k15.x = F1*cos(t*w1)\n"
     "m4*der(k15.v) + m4*der(m3.v) - m4*der(k13.v) + d3*m3.v - (d2 + d3)*k13.v + (d2 + d3)*k15.v "
     "- k5*m1.x + k5*m3.x - k5*k13.x + (k4 + k5)*k15.x = F4*cos(t*w4)\n"
     "der(m1.x) = m1.v\nder(m3.x) = m3.v\nder(k13.x) = k13.v\nder(k15.x) = k15.v\n"},
    /* [eqs. 38, 37, 45-47] */
    {DRAFT("hydraulic_k2"), CT_EQUATIONS_NODAL, false,
     "C1.q = C1*der(C1.p)\nR2.q = R2*sign(R2.p)*abs(R2.p)^(1/k)\n"
     "C1.q + R2.q + R3.q = 0\n"
     "C1.q + R2*sign(a.p - b.p)*abs(a.p - b.p)^(1/k) + R3*sign(a.p - c.p)*abs(a.p - c.p)^(1/k) = "
     "0\n"
     "R2*sign(a.p - b.p)*abs(a.p - b.p)^(1/k) - R4*sign(b.p - c.p)*abs(b.p - c.p)^(1/k) = Qb\n"
     "R3*sign(a.p - c.p)*abs(a.p - c.p)^(1/k) + R4*sign(b.p - c.p)*abs(b.p - c.p)^(1/k) = -Qc\n"},
    {DRAFT("hydraulic_k1"), CT_EQUATIONS_DAE, false,
     "der(C1.p) = (Qc - Qb)/C1\n"
     "R2*sign(R2.p)*abs(R2.p)^(1/k) + R3*sign(R3.p)*abs(R3.p)^(1/k) = Qb - Qc\n"},
    /* a derivative of the input */
    {DRAFT("dependent_capacitor_EF"), CT_EQUATIONS_STATE, false,
     "(C1 + C2)*der(C1.v) - L.i = C2*der(u)\n"
     "L*der(L.i) + C1.v + R*L.i = u\n"
     "S1.v = u\nder(S1.v) = der(u)\n"},
    {DRAFT("dc_motor_gear_load"), CT_EQUATIONS_AUTO, false,
     "L*der(M1.e.i) + R*M1.e.i + K*Jm.w = u\n"
     "J*der(Jm.w) - K*M1.e.i + B*Jm.w + k*S1.theta/N = 0\n"
     "JL*der(JL.w) + BL*JL.w - k*S1.theta = 0\n"
     "der(S1.theta) = Jm.w/N - JL.w\n"
     "S1.T = k*S1.theta\n"},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_lines(texts[i].path, texts[i].form, texts[i].trace, texts[i].lines);
}

static void test_whole_text(void **state)
{
    (void)state;
    run r = start(RC, CT_EQUATIONS_AUTO, CT_EQUATIONS_TEXT);
    go(&r);
    assert_string_equal(
        ct_text_string(&r.out),
        "rc_network: voltage source, two resistors, one capacitor\n\n"
        "form        branch-chord, 4 equations before elimination\n"
        "states      C4.v\n"
        "inputs      u\n"
        "equations   1 differential, 0 algebraic; 5 operations\n\n"
        "Governing equations\n"
        "    C4*der(C4.v) + (1/R2 + 1/R3)*C4.v = u/R2  # terminal C4, R2, R3, E1; cutset C4; "
        "circuit R2, R3\n\n"
        "Other variables\n"
        "    R3.i = C4.v/R3        # terminal R3; circuit R3; output i3\n"
        "    R2.i = (u - C4.v)/R2  # terminal R2, E1; circuit R2; output i2\n"
        "    E1.i = -R2.i          # cutset E1; output i1\n"
        "    C4.i = R2.i - R3.i    # cutset C4; output i4\n");
    finish(&r);
}

/* ---- the matrices of the vibrating system [McPhee-2, eq. 68], by reference/vibrating_1d.json ----
 */

static const double vibrating[4][12] = {
    {2, 0, 0, 0, 4, 0, 0, 0, 600, -600, 450, -250},
    {0, 5.5, -2.5, 1.5, 0, 1, -1, 1, -600, 600, -450, 250},
    {0, -2.5, 2.5, -1.5, 0, -1, 3, -3, 450, -450, 750, -250},
    {0, 1.5, -1.5, 1.5, 0, 1, -3, 3, -250, 250, -250, 650},
};

static double coefficient(const run *r, const ct_side *side, const char *name)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_expr core = side->term[i].core;
        if (core && strcmp(ct_name_text(r->ctx, ct_expr_name(r->model->pool, core)), name) == 0)
            return ct_model_value(r->model, side->term[i].factor);
    }
    return 0;
}

static void test_vibrating_matrices(void **state)
{
    (void)state;
    static const char *const column[12] = {"der(m1.v)", "der(m3.v)", "der(k13.v)", "der(k15.v)",
                                           "m1.v",      "m3.v",      "k13.v",      "k15.v",
                                           "m1.x",      "m3.x",      "k13.x",      "k15.x"};
    run r = start(VIBRATE, CT_EQUATIONS_AUTO, CT_EQUATIONS_TEXT);
    r.use = use_list;
    go(&r);
    const ct_equation_group *g = &r.list->group[0];
    assert_int_equal(g->count, 4);
    assert_int_equal(r.list->dof, 4);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 12; k++) {
            double got = coefficient(&r, &g->equation[i].left, column[k]);
            if (fabs(got - vibrating[i][k]) > 1e-9)
                fail_msg("row %d, %s: got %g, want %g", i, column[k], got, vibrating[i][k]);
        }
    finish(&r);
}

/* ---- everything shown is true -------------------------------------------------------------- */

static double random_of(const char *text, uint32_t seed)
{
    uint64_t h = 1469598103934665603u + seed;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    h ^= h >> 29;
    return 0.3 + (double)(h % 100003) / 100003.0;
}

static double lookup(const void *user, ct_name name);

/* Not ct_reduced_express(): in the nodal form it makes unknowns of branches. */
static double by_potentials(const run *r, ct_name name)
{
    const ct_system *s = r->reduced->system;
    const ct_graph *g = s->graph;
    for (uint32_t e = 0, first = 0; e < g->scalar_edge_count; e++) {
        first = g->edge[e].owner == g->edge[first].owner ? first : e;
        if (ct_edge_variable(r->model, g->edge[e].owner, e - first, 0) != name)
            continue;
        bool turned = g->domain[g->node[g->edge[e].tail].domain].across_head_minus_tail;
        double value = 0;
        for (uint32_t u = 1; u < s->unknown_count; u++) {
            if (s->unknown[u].kind != CT_UNKNOWN_POTENTIAL)
                continue;
            if (s->unknown[u].owner == g->edge[e].tail)
                value += lookup(r, s->unknown[u].name) * (turned ? -1 : 1);
            if (s->unknown[u].owner == g->edge[e].head)
                value -= lookup(r, s->unknown[u].name) * (turned ? -1 : 1);
        }
        return value;
    }
    return NAN;
}

static double lookup(const void *user, ct_name name)
{
    const run *r = user;
    const ct_system *s = r->reduced->system;
    const char *text = ct_name_text(r->ctx, name);
    uint32_t u = ct_index_get(s->unknown_by_name, name);
    uint32_t q = ct_map_get(r->model->quantity_by_name, name);
    for (uint32_t i = 0; r->list && i < r->list->definition_count; i++)
        if (r->list->definition[i].name == name) {
            const ct_side *side = &r->list->definition[i].equation.right;
            double sum = 0;
            for (uint32_t k = 0; k < side->count; k++)
                sum += ct_expr_value(r->list->pool, side->term[k].factor, lookup, r) *
                       (side->term[k].core
                            ? ct_expr_value(r->list->pool, side->term[k].core, lookup, r)
                            : 1);
            return sum;
        }
    if (u >= s->unknown_count)
        u = 0;
    if (u && r->reduced->value[u] != ct_expr_symbol(s->pool, name))
        return ct_expr_value(s->pool, r->reduced->value[u], lookup, r);
    if (u || strncmp(text, "der(", 4) == 0 || strcmp(text, "t") == 0)
        return random_of(text, 7);
    if (q)
        return r->model->quantity[q - 1].kind == CT_PARAM ? r->model->quantity_value[q - 1]
                                                          : random_of(text, 7);
    double nodal = r->form == CT_FORM_NODAL ? by_potentials(r, name) : NAN;
    if (!isnan(nodal))
        return nodal;
    ct_expr e = ct_reduced_express(r->reduced, ct_expr_symbol(s->pool, name), (ct_place){0});
    return e && e != ct_expr_symbol(s->pool, name) ? ct_expr_value(s->pool, e, lookup, r) : NAN;
}

static double side_value(run *r, const ct_side *side, double *size)
{
    double sum = 0;
    for (uint32_t i = 0; i < side->count; i++) {
        double part = ct_expr_value(r->list->pool, side->term[i].factor, lookup, r);
        if (side->term[i].core)
            part *= ct_expr_value(r->list->pool, side->term[i].core, lookup, r);
        sum += part;
        *size += fabs(part);
    }
    return sum;
}

/* An operator der(..) has no value: such equations are passed over. */
static uint32_t check_group(run *r, const ct_equation_group *g)
{
    uint32_t checked = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        double size = 1e-12;
        double left = side_value(r, &g->equation[i].left, &size),
               right = side_value(r, &g->equation[i].right, &size);
        if (isnan(left) || isnan(right))
            continue;
        checked++;
        if (fabs(left - right) > 1e-9 * size)
            fail_msg("%s, form %d, %s, equation %u: %g is not %g", r->path, (int)r->def.form,
                     g->title, i + 1, left, right);
    }
    return checked;
}

static const char *const linear_models[] = {
    RC,
    FIG1,
    VIBRATE,
    DRAFT("dependent_capacitor_EF"),
    DRAFT("dc_motor_gear_load"),
    DRAFT("lg2ss_circuit"),
    DRAFT("lg2ss_gearbox"),
    DRAFT("lg2ss_sewing"),
    DRAFT("opamp_filter"),
    DRAFT("thermal_wall"),
    DRAFT("ring_modulator"),
    DRAFT("microphone"),
    DRAFT("ladder100"),
    DRAFT("mesh_dense"),
};

enum { MODELS = sizeof linear_models / sizeof *linear_models };

static void test_truth(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * MODELS; i++) {
        for (int form = CT_EQUATIONS_AUTO; form <= CT_EQUATIONS_TABLEAU; form++) {
            run r = start(linear_models[i / 2], (ct_equations_form)form, CT_EQUATIONS_TEXT);
            uint32_t checked = 0;
            r.use = use_list;
            r.def.trace = true;
            r.def.simplify = i % 2 ? CT_SIMPLIFY_FULL : CT_SIMPLIFY_FAST;
            go(&r);
            assert_int_equal(r.reduced->algebraic_count, 0);
            for (uint32_t k = 0; k < r.list->group_count; k++)
                checked += check_group(&r, &r.list->group[k]);
            if (checked < r.reduced->state_count)
                fail_msg("%s, form %d: only %u equations have a value", r.path, form, checked);
            finish(&r);
        }
    }
}

/* Where the budget ends, the equation says so. */
static void test_unfinished(void **state)
{
    (void)state;
    run r = start(DRAFT("mesh_dense"), CT_EQUATIONS_ODE, CT_EQUATIONS_TEXT);
    uint32_t notes = 0;
    r.use = use_list;
    r.def.simplify = CT_SIMPLIFY_FULL;
    go(&r);
    for (uint32_t i = 0; i < r.list->group_count; i++)
        for (uint32_t k = 0; k < r.list->group[i].count; k++) {
            const char *note = r.list->group[i].equation[k].note;
            notes += note && strstr(note, "not simplified in full");
        }
    assert_true(notes > 0);
    assert_int_equal(notes, r.list->unfinished);
    finish(&r);
}

/* Governing rows of the nodal and tableau systems are as true as those of branch and chord. */
static void test_forms_agree(void **state)
{
    (void)state;
    static const char *const models[] = {RC, VIBRATE, DRAFT("dc_motor_gear_load"),
                                         DRAFT("thermal_wall"), DRAFT("dependent_capacitor_EF")};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        double rate[64];
        uint32_t count = 0;
        for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++) {
            run r = start(models[i], CT_EQUATIONS_AUTO, CT_EQUATIONS_TEXT);
            r.form = (ct_form)form;
            r.use = use_list;
            go(&r);
            for (uint32_t k = 0; k < r.list->group_count; k++)
                check_group(&r, &r.list->group[k]);
            assert_true(form == CT_FORM_NODAL || r.reduced->state_count == count);
            count = r.reduced->state_count;
            for (uint32_t k = 0; k < count; k++) {
                double value = ct_expr_value(r.model->pool, r.reduced->rate[k], lookup, &r);
                if (form == CT_FORM_NODAL)
                    rate[k] = value;
                else if (fabs(value - rate[k]) > 1e-9 * (1 + fabs(value)))
                    fail_msg("%s, form %d, rate %u: %g, want %g", r.path, form, k, value, rate[k]);
            }
            finish(&r);
        }
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \n\t\r");
}

static const char *skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at && *at != '"'; at++)
        if ((unsigned char)*at < ' ' || (*at == '\\' && !*++at))
            return NULL;
    return *at ? at + 1 : NULL;
}

/* A value of JSON; NULL: not well-formed. Depth is small here. */
static const char *skip_value(const char *at)
{
    at = skip_space(at);
    char open = *at, shut = open == '{' ? '}' : ']';
    if (open == '"')
        return skip_string(at);
    if (open != '{' && open != '[') {
        size_t length = strspn(at, "-+.0123456789eE");
        return length ? at + length : NULL;
    }
    at = skip_space(at + 1);
    if (*at == shut)
        return at + 1;
    for (;;) {
        if (open == '{') {
            at = skip_string(skip_space(at));
            if (!at || *(at = skip_space(at)) != ':')
                return NULL;
            at++;
        }
        at = skip_value(at);
        if (!at)
            return NULL;
        at = skip_space(at);
        if (*at == shut)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

static const char *const all_models[] = {
    RC,
    FIG1,
    VIBRATE,
    DRAFT("dependent_capacitor_EF"),
    DRAFT("hydraulic_k1"),
    DRAFT("hydraulic_k2"),
    DRAFT("lg2ss_sewing"),
    DRAFT("nand_gate"),
    DRAFT("transistor"),
    DRAFT("induction_motor"),
    DRAFT("nonlinear_element"),
};

enum { ALL_MODELS = sizeof all_models / sizeof *all_models };

static void test_json(void **state)
{
    (void)state;
    static const char *const keys[] = {"coordinates", "speeds", "multipliers", "states",
                                       "parameters",  "inputs", "equations",   "text",
                                       "latex",       "origin", "counts",      "differential",
                                       "algebraic",   "dof",    "ops"};
    for (int i = 0; i < ALL_MODELS; i++) {
        for (int form = CT_EQUATIONS_AUTO; form <= CT_EQUATIONS_TABLEAU; form++) {
            run r = start(all_models[i], (ct_equations_form)form, CT_EQUATIONS_JSON);
            r.def.trace = form % 2;
            go(&r);
            const char *text = ct_text_string(&r.out), *end = skip_value(text);
            if (!end || *skip_space(end))
                fail_msg("%s: not well-formed: %s", r.path, text);
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                char key[40];
                snprintf(key, sizeof key, "\"%s\":", keys[k]);
                if (!strstr(text, key))
                    fail_msg("%s: no key %s", r.path, key);
            }
            finish(&r);
        }
    }
}

/* structural_counts.json: rc.nodal_equations, rc.branch_chord_equations, rc.reduced_odes */
static void test_counts(void **state)
{
    (void)state;
    static const struct {
        ct_equations_form form;
        uint32_t differential, algebraic;
    } want[] = {{CT_EQUATIONS_NODAL, 1, 9},
                {CT_EQUATIONS_BRANCH_CHORD, 1, 3},
                {CT_EQUATIONS_TABLEAU, 1, 7},
                {CT_EQUATIONS_STATE, 1, 0}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        run r = start(RC, want[i].form, CT_EQUATIONS_JSON);
        uint32_t shown = 0;
        r.use = use_list;
        go(&r);
        for (uint32_t k = 0; k < r.list->group_count; k++)
            if (r.list->group[k].kind == CT_GROUP_EQUATION)
                shown += r.list->group[k].count;
        assert_int_equal(r.list->differential, want[i].differential);
        assert_int_equal(r.list->algebraic, want[i].algebraic);
        assert_int_equal(shown, want[i].differential + want[i].algebraic);
        finish(&r);
    }
}

/* ---- LaTeX --------------------------------------------------------------------------------- */

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static bool braces_balance(const char *text)
{
    int depth = 0;
    for (; *text && depth >= 0; text++) {
        if (*text == '\\' && text[1])
            text++;
        else
            depth += (*text == '{') - (*text == '}');
    }
    return depth == 0;
}

static void test_latex(void **state)
{
    (void)state;
    for (int i = 0; i < ALL_MODELS; i++) {
        for (int form = CT_EQUATIONS_AUTO; form <= CT_EQUATIONS_TABLEAU; form++) {
            run r = start(all_models[i], (ct_equations_form)form, CT_EQUATIONS_LATEX);
            r.def.standalone = r.def.trace = form % 2;
            r.def.matrix = form == CT_EQUATIONS_TABLEAU;
            go(&r);
            const char *text = ct_text_string(&r.out);
            bool balanced = braces_balance(text) &&
                            count_of(text, "\\begin{") == count_of(text, "\\end{") &&
                            count_of(text, "\\left") == count_of(text, "\\right");
            if (!balanced || strstr(text, "der("))
                fail_msg("%s: %s", r.path, text);
            assert_int_equal(count_of(text, "\\documentclass"), form % 2);
            finish(&r);
        }
    }
    run r = start(RC, CT_EQUATIONS_AUTO, CT_EQUATIONS_LATEX);
    go(&r);
    assert_non_null(strstr(ct_text_string(&r.out),
                           "C_{4} \\, \\dot{v}_{C4} + \\left(\\frac{1}{R_{2}} + "
                           "\\frac{1}{R_{3}}\\right) \\, v_{C4} &= \\frac{u}{R_{2}}\n"));
    finish(&r);
}

/* ---- size ---------------------------------------------------------------------------------- */

static double effort;

static void use_measured(run *r)
{
    double start = effort_clock();
    use_text(r);
    effort = effort_since(start);
}

static const char ladder[] = "model ladder\nparam R = 1, C = 1e-6\ninput u : V = 1\n"
                             "V1 : vsource(n0, ground) v = u\n"
                             "repeat i = 1..%d {\n"
                             "  R{i} : resistor(n{i-1}, n{i}) R = R\n"
                             "  C{i} : capacitor(n{i}, ground) C = C\n"
                             "}\noutput C1.v\n";

static double ladder_effort(int sections, bool all, size_t *length)
{
    char text[1000];
    snprintf(text, sizeof text, ladder, sections);
    run r = {.text = text, .def = ct_default_equations_def(), .form = CT_FORM_BRANCH_CHORD};
    r.use = use_measured;
    r.def.all = all;
    go(&r);
    *length = r.out.length;
    bool cut = strstr(ct_text_string(&r.out), "more of") != NULL;
    assert_int_equal(cut, !all && sections > 200);
    finish(&r);
    return effort;
}

static void test_ladder(void **state)
{
    (void)state;
    size_t some, all, thousand;
    ladder_effort(10000, false, &some);
    ladder_effort(1000, true, &thousand);
    double large = ladder_effort(10000, true, &all);
    print_message("equations of 10000 sections: %.3g\n", large);
    assert_true(some < 50000);
    assert_true(all > 10 * thousand && all < 12 * thousand);
    assert_true(large < 500);
}

/* A value that is shared 2^60 times as a tree is shown by names. */
static void test_sharing(void **state)
{
    (void)state;
    char text[8000] = "model shared\nparam s0 = 1, z = 2\n";
    for (int i = 1; i <= 60; i++) {
        char line[80];
        snprintf(line, sizeof line, "signal s%d = sin(s%d)*s%d + s%d^3\n", i, i - 1, i - 1, i - 1);
        strcat(text, line);
    }
    strcat(text, "V : vsource(a, ground) v = s60*1 V\nR : resistor(a, b) R = z\n"
                 "C : capacitor(b, ground) C = 1\noutput C.v\n");
    for (int i = 0; i < 6; i++) {
        run r = {.text = text, .def = ct_default_equations_def(), .form = CT_FORM_BRANCH_CHORD};
        r.use = use_text;
        r.def.format = (ct_equations_format)(i % 3);
        r.def.simplify = i < 3 ? CT_SIMPLIFY_FAST : CT_SIMPLIFY_FULL;
        r.def.trace = true;
        go(&r);
        assert_true(r.out.length < 60000);
        assert_non_null(strstr(ct_text_string(&r.out), "zz"));
        finish(&r);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

typedef struct counter {
    size_t left;
} counter;

static void *counting_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return c->left-- == 0 ? (c->left = 0, NULL) : realloc(block, new_size);
}

static void test_no_memory(void **state)
{
    (void)state;
    bool done = false;
    uint32_t refused = 0;
    for (size_t n = 4; !done; n += 1 + n / 40) {
        counter c = {n};
        ct_context_def def = ct_default_context_def();
        def.realloc = counting_realloc;
        def.realloc_user = &c;
        run r = start(VIBRATE, CT_EQUATIONS_ODE, n % 2 ? CT_EQUATIONS_JSON : CT_EQUATIONS_TEXT);
        r.def.trace = true;
        r.def.simplify = n % 3 ? CT_SIMPLIFY_FULL : CT_SIMPLIFY_FAST;
        r.ctx = ct_context_new(&def);
        if (!r.ctx)
            continue;
        ct_status status = ct_protect(r.ctx, reduce_body, &r);
        done = status == CT_OK && r.out.length > 0;
        refused += status == CT_ERR_MEMORY;
        assert_true(done || status == CT_ERR_MEMORY || !r.reduced);
        ct_context_free(r.ctx);
    }
    assert_true(refused > 10);
}

static void test_words(void **state)
{
    (void)state;
    ct_equations_form form = CT_EQUATIONS_AUTO;
    ct_equations_format format = CT_EQUATIONS_TEXT;
    ct_simplify simplify = CT_SIMPLIFY_NONE;
    assert_true(ct_equations_form_find("branch-chord", &form));
    assert_int_equal(form, CT_EQUATIONS_BRANCH_CHORD);
    assert_true(ct_equations_form_find("tableau", &form));
    assert_int_equal(ct_equations_system_form(form), CT_FORM_TABLEAU);
    assert_false(ct_equations_form_find("tabloid", &form));
    assert_int_equal(form, CT_EQUATIONS_TABLEAU);
    assert_true(ct_equations_format_find("json", &format));
    assert_int_equal(format, CT_EQUATIONS_JSON);
    assert_true(ct_simplify_find("full", &simplify));
    assert_int_equal(simplify, CT_SIMPLIFY_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_whole_text),
        cmocka_unit_test(test_vibrating_matrices),
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_forms_agree),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_latex),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

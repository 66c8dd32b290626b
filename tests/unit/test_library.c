/* Every element of the library: described, checked, classified, and true to the laws of power.
 *
 * What is expected of an element stands in tests/library/elements.def; a minimal model that uses it
 * in tests/library/minimal/NAME.lg. All that is missing or wrong is told at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "fuzz/dice.h"
#include "graph/classify.h"
#include "graph/graph.h"
#include "model/model.h"

typedef enum power { LOSSLESS, DISSIPATES, STORES, PASSIVE, ACTIVE } power;

static const struct row {
    const char *name, *classes;
    power power;
    const char *given;
} rows[] = {
#define ELEMENT(name, classes, power, given) {#name, classes, power, given},
#include "library/elements.def"
#undef ELEMENT
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- what the tests share */

typedef struct bench {
    ct_context *ctx;
    ct_pool *pool;
    ct_arena *arena;
    const ct_element *e; /* the element in hand */
    const struct row *row;
    dice d;
    buffer wrong; /* a line for each complaint */
    uint32_t checked;
} bench;

__attribute__((format(printf, 2, 3))) static void miss(bench *b, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(&b->wrong, "  %s: %s\n", ct_name_text(b->ctx, b->e->name), text);
}

static const char *text_of(const bench *b, ct_name name)
{
    return ct_name_text(b->ctx, name);
}

static bool is_listed(const char *const *list, size_t count, const char *element, const char *param)
{
    char full[100];
    snprintf(full, sizeof full, "%s.%s", element, param);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], full) == 0)
            return true;
    return false;
}

/* A word of a list with blanks between. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        bool before = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool after = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (before && after)
            return true;
    }
    return false;
}

/* Value of a parameter in the row: `R=0 L=0`. */
static bool given_value(const bench *b, ct_name param, double *value)
{
    const char *name = text_of(b, param);
    size_t length = strlen(name);
    for (const char *at = b->row->given; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            *value = strtod(at + length + 1, NULL);
            return true;
        }
    return false;
}

static bool is_zero(const bench *b, ct_name param)
{
    double value;
    return given_value(b, param, &value) && value == 0;
}

/* Runs a check on every row of the table, or on every element of the library. */
typedef struct job {
    bench *b;
    void (*check)(bench *b);
    bool by_row;
} job;

static void visit_elements(void *user)
{
    job *j = user;
    uint32_t count;
    const char *const *name = ct_library_names(j->b->ctx, &count);
    for (uint32_t i = 0; i < (j->by_row ? ROWS : count); i++) {
        j->b->row = j->by_row ? &rows[i] : NULL;
        j->b->e = ct_library_element(j->b->ctx, j->b->pool, j->by_row ? rows[i].name : name[i]);
        if (!j->b->e)
            put(&j->b->wrong, "  %s: a row in elements.def, but no element\n", rows[i].name);
        else
            j->check(j->b);
        j->b->checked++;
    }
}

static void start(void *user)
{
    bench *b = user;
    b->pool = ct_pool_new(b->ctx);
    b->arena = ct_arena_new(b->ctx);
}

static void check_all(void (*check)(bench *b), bool by_row)
{
    bench b = {.ctx = ct_context_new(NULL), .d = {7}};
    job j = {&b, check, by_row};
    assert_non_null(b.ctx);
    assert_int_equal(ct_protect(b.ctx, start, &b), CT_OK);
    assert_int_equal(ct_protect(b.ctx, visit_elements, &j), CT_OK);
    assert_int_equal(ct_error_count(b.ctx), 0);
    print_message("%u %s checked\n", b.checked, by_row ? "rows" : "elements");
    ct_context_free(b.ctx);
    char *wrong = b.wrong.at;
    if (wrong && *wrong)
        fail_msg("the library lacks:\n%s", wrong);
    free(wrong);
}

/* ---- descriptions */

/* Ratios, conditions and what takes its dimension from its use. */
static const char *const without_unit[] = {"switch.on",
                                           "potentiometer.x",
                                           "diode.n",
                                           "diode.umax",
                                           "bjt_npn.betaF",
                                           "bjt_npn.betaR",
                                           "bjt_pnp.betaF",
                                           "bjt_pnp.betaR",
                                           "opamp_real.A0",
                                           "coupled_inductors.k",
                                           "vcvs.gain",
                                           "cccs.gain",
                                           "fluid_resistor.R",
                                           "fluid_resistor.k",
                                           "orifice.Cd",
                                           "four_way_valve.x",
                                           "gas_accumulator.n",
                                           "pressure_intensifier.n",
                                           "radiation.eps",
                                           "lever.n",
                                           "clutch.engaged",
                                           "gear.n",
                                           "planetary_gear.ratio",
                                           "plate_capacitor.eps_r",
                                           "transformer.n",
                                           "gyrator.r"};

/* Quantities that are never negative, by unit; and the few parameters that may be all the same. */
static const char *const positive_units[] = {
    "ohm",  "S",   "F",     "H",         "kg",  "kg.m^2", "m^2", "m^3",   "kg/m^3",
    "Pa.s", "N/m", "N.s/m", "N.m.s/rad", "K/W", "W/K",    "J/K", "m^3/Pa"};
static const char *const any_sign[] = {"vccs.gm",     "ccvs.rm", "dc_motor.Kv",
                                       "dc_motor.KT", "pump.D",  "gyrator.r"};

static bool is_positive_quantity(bench *b, ct_dim dim)
{
    for (size_t i = 0; i < sizeof positive_units / sizeof *positive_units; i++) {
        ct_unit unit;
        const char *problem, *hint, *text = positive_units[i];
        assert_true(ct_unit_read(b->ctx, text, strlen(text), &unit, &problem, &hint));
        if (ct_dim_equal(unit.dim, dim))
            return true;
    }
    return false;
}

static bool is_bounded_below(bench *b, const ct_element_param *p)
{
    for (uint32_t i = 0; i < p->limit_count; i++)
        if (p->limit[i].relation >= CT_GREATER &&
            ct_expr_to_double(b->pool, p->limit[i].bound) >= 0)
            return true;
    return false;
}

static bool within(bench *b, const ct_element_param *p, double value)
{
    for (uint32_t i = 0; i < p->limit_count; i++) {
        double bound = ct_expr_to_double(b->pool, p->limit[i].bound);
        const bool good[] = {value<bound, value <= bound, value> bound, value >= bound};
        if (!good[p->limit[i].relation])
            return false;
    }
    return true;
}

static void check_param(bench *b, const ct_element_param *p)
{
    const char *element = text_of(b, b->e->name), *name = text_of(b, p->name);
    if (!p->doc || !p->doc[0])
        miss(b, "parameter %s has no description", name);
    if (!p->has_dim &&
        !is_listed(without_unit, sizeof without_unit / sizeof *without_unit, element, name))
        miss(b, "parameter %s has no unit; if that is meant, add it to without_unit[]", name);
    if (p->has_dim && is_positive_quantity(b, p->dim) && !is_bounded_below(b, p) &&
        !is_listed(any_sign, sizeof any_sign / sizeof *any_sign, element, name))
        miss(b, "parameter %s has no limit >= 0 or > 0; if that is meant, add it to any_sign[]",
             name);
    if (p->fallback && ct_expr_is_number(b->pool, p->fallback) &&
        !within(b, p, ct_expr_to_double(b->pool, p->fallback)))
        miss(b, "the default of %s lies outside of its limits", name);
}

static void check_description(bench *b)
{
    const ct_element *e = b->e;
    if (!e->help || strlen(e->help) < 8)
        miss(b, "no help text behind its name");
    if (!e->source || strlen(e->source) < 4)
        miss(b, "no `source`");
    if (e->broken)
        miss(b, "its text has errors");
    if (e->equation_count != e->edge_count + e->var_count)
        miss(b, "%u equations for %u edges and %u vars", e->equation_count, e->edge_count,
             e->var_count);
    for (uint32_t i = 0; i < e->param_count; i++)
        check_param(b, &e->param[i]);
}

static void test_descriptions(void **state)
{
    (void)state;
    check_all(check_description, false);
}

/* ---- the manual */

static void check_manual(bench *b)
{
    const char *text, *near, *name = text_of(b, b->e->name);
    ct_context *ctx = ct_context_new(NULL);
    if (ct_manual(ctx, name, &text, &near) != CT_OK)
        miss(b, "no page in the manual");
    else
        for (uint32_t i = 0; i < b->e->param_count; i++)
            if (!has_word(text, text_of(b, b->e->param[i].name)))
                miss(b, "its page in the manual does not name %s", text_of(b, b->e->param[i].name));
    ct_context_free(ctx);
}

static void test_manual(void **state)
{
    (void)state;
    check_all(check_manual, false);
}

/* ---- minimal models */

static bool uses(const ct_model *m, const char *element)
{
    for (uint32_t i = 0; i < m->component_count; i++)
        if (strcmp(ct_name_text(m->ctx, m->element[m->component[i].element]->name), element) == 0)
            return true;
    return false;
}

static void check_model(bench *b, ct_context *ctx, const char *path)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    if (ct_read_file(ctx, path, &syntax) == CT_ERR_IO) {
        miss(b, "no minimal model %s", path);
    } else if (ct_build(ctx, syntax, NULL, &model) != CT_OK ||
               ct_make_graph(ctx, model, &graph) != CT_OK ||
               ct_choose_tree(ctx, graph, model, NULL, &tree) != CT_OK || ct_diag_count(ctx)) {
        miss(b, "minimal model: %s %s", ct_diag_at(ctx, 0)->code, ct_diag_at(ctx, 0)->message);
    } else if (!uses(model, text_of(b, b->e->name))) {
        miss(b, "its minimal model does not use it");
    }
}

static void check_minimal(bench *b)
{
    char path[LONGEST_PATH];
    ct_context *ctx = ct_context_new(NULL);
    snprintf(path, sizeof path, "%s/tests/library/minimal/%s.lg", COTREE_ROOT,
             text_of(b, b->e->name));
    check_model(b, ctx, path);
    ct_context_free(ctx);
}

static void test_minimal_models(void **state)
{
    (void)state;
    check_all(check_minimal, false);
}

/* ---- tree classes */

/* A model of one component, every parameter a symbol except the zeros. */
static void one_component(bench *b, ct_model *m, const ct_element *const *element,
                          const ct_component *component)
{
    ct_expr *given = CT_NEW_ARRAY(b->arena, ct_expr, b->e->slot_count + 1);
    for (uint32_t i = 0; i < b->e->param_count; i++) {
        const ct_element_param *p = &b->e->param[i];
        bool zero = is_zero(b, p->name);
        for (uint32_t k = 0; k < p->rows * p->cols; k++)
            given[p->slot + k] = zero ? ct_expr_int(b->pool, 0) : ct_expr_symbol(b->pool, p->name);
    }
    *m = (ct_model){.ctx = b->ctx, .arena = b->arena, .pool = b->pool};
    m->element = element;
    m->component = component;
    m->element_count = m->component_count = 1;
    m->param_value = given;
}

static void check_classes(bench *b)
{
    ct_model m;
    ct_component component = {.name = b->e->name};
    char got[64] = "";
    size_t length = 0;
    one_component(b, &m, &b->e, &component);
    const ct_edge_classes *k = ct_classify(ct_classifier_new(&m, b->arena), 0);
    for (uint32_t i = 0; i < b->e->edge_count; i++) {
        got[length++] = !k->tied[i] ? " VCRLI"[k->class[i]] : k->tie == CT_TIE_ONE ? '=' : '~';
    }
    got[length] = '\0';
    if (strcmp(got, b->row->classes) != 0)
        miss(b, "tree classes %s, expected %s (%s)", got, b->row->classes, b->row->given);
}

static void test_classes(void **state)
{
    (void)state;
    check_all(check_classes, true);
}

static void check_listed(bench *b)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, text_of(b, b->e->name)) == 0)
            return;
    miss(b, "no row in tests/library/elements.def: its tree classes and what its power does");
}

static void test_listed(void **state)
{
    (void)state;
    check_all(check_listed, false);
}

/* ---- terminal equations, solved: each has the form  variable = expression */

static ct_name variable(bench *b, uint32_t edge, uint32_t row)
{
    const ct_element_edge *e = &b->e->edge[edge];
    return ct_intern_text(b->ctx, ct_printf(b->ctx, "%s.%s", text_of(b, e->name),
                                            ct_domain_row_at(e->domain)->variable[row].name));
}

/* The derivatives in an expression, each replaced by a symbol (or by 0). */
typedef struct rate {
    ct_name symbol;
    ct_expr inside;
} rate;

typedef struct law {
    ct_name variable;
    ct_expr expr;
} law;

typedef struct laws {
    CT_VEC(rate) rates;
    law *law;
    bool constant; /* der() = 0 */
    double time;
    bench *b;
} laws;

static ct_expr without_rates(laws *l, ct_expr e);

static ct_expr replace_rate(laws *l, ct_expr e)
{
    bench *b = l->b;
    if (l->constant)
        return ct_expr_int(b->pool, 0);
    rate r = {ct_intern_text(b->ctx, ct_printf(b->ctx, "rate%u", l->rates.count)),
              ct_expr_operand(b->pool, e, 0)};
    CT_PUSH(b->arena, l->rates, r);
    return ct_expr_symbol(b->pool, r.symbol);
}

/* The expression anew from its operands; a sum's and a product's have numbers with them. */
static ct_expr rebuild(laws *l, ct_expr e)
{
    ct_pool *pool = l->b->pool;
    uint32_t n = ct_expr_arity(pool, e);
    ct_expr *part = CT_NEW_ARRAY(l->b->arena, ct_expr, n + 1);
    bool sum = ct_expr_kind_of(pool, e) == CT_EXPR_SUM;
    for (uint32_t i = 0; i < n; i++)
        part[i] = without_rates(l, ct_expr_operand(pool, e, i));
    if (ct_expr_kind_of(pool, e) == CT_EXPR_CALL)
        return ct_expr_call(pool, ct_expr_op(pool, e), part, n);
    for (uint32_t i = 0; i < n; i++) {
        ct_expr number = ct_expr_coefficient(pool, e, i);
        part[i] = sum ? ct_expr_mul(pool, number, part[i]) : ct_expr_pow(pool, part[i], number);
    }
    part[n] = ct_expr_constant(pool, e);
    return sum ? ct_expr_sum(pool, part, n + 1) : ct_expr_product(pool, part, n + 1);
}

static ct_expr without_rates(laws *l, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(l->b->pool, e);
    if (kind == CT_EXPR_NUMBER || kind == CT_EXPR_SYMBOL)
        return e;
    if (kind == CT_EXPR_CALL && ct_expr_op(l->b->pool, e) == CT_OP_DER)
        return replace_rate(l, e);
    return rebuild(l, e);
}

/* Zeros, and defaults that are other parameters: KT = Kv. */
static ct_expr put_in_params(bench *b, ct_expr e)
{
    for (uint32_t i = 0; i < b->e->param_count; i++) {
        const ct_element_param *p = &b->e->param[i];
        bool depends = p->fallback && !ct_expr_is_number(b->pool, p->fallback);
        ct_expr value = depends ? p->fallback : ct_expr_int(b->pool, 0);
        if (depends || is_zero(b, p->name))
            e = ct_expr_substitute(b->pool, e, &p->name, &value, 1);
    }
    return e;
}

/* Solves equation i for one of the edges' variables in which it is linear, with a number as factor;
 * the left side first. */
static bool solve(bench *b, ct_expr difference, ct_name v, law *solved)
{
    ct_expr factor, rest;
    if (!ct_expr_linear(b->pool, difference, &v, 1, &factor, &rest) ||
        !ct_expr_is_number(b->pool, factor) || ct_expr_is_zero(b->pool, factor))
        return false;
    *solved = (law){v, ct_expr_div(b->pool, ct_expr_neg(b->pool, rest), factor)};
    return true;
}

static bool find_laws(bench *b, laws *l)
{
    l->b = b;
    l->law = CT_NEW_ARRAY(b->arena, law, b->e->equation_count + 1);
    for (uint32_t i = 0; i < b->e->equation_count; i++) {
        const ct_element_equation *q = &b->e->equation[i];
        ct_expr difference = ct_expr_sub(b->pool, q->left, q->right);
        difference = without_rates(l, put_in_params(b, difference));
        if (ct_expr_kind_of(b->pool, q->left) != CT_EXPR_SYMBOL ||
            !solve(b, difference, ct_expr_name(b->pool, q->left), &l->law[i])) {
            miss(b, "equation %u is not solved for a variable: its power cannot be checked", i + 1);
            return false;
        }
    }
    return true;
}

/* What an edge adds to the power into the element. */
static ct_expr edge_power(bench *b, uint32_t i)
{
    const ct_element_edge *e = &b->e->edge[i];
    ct_expr across = ct_expr_symbol(b->pool, variable(b, i, 0)),
            through = ct_expr_symbol(b->pool, variable(b, i, 1));
    if (strcmp(ct_domain_row_at(e->domain)->name, "thermal") == 0) {
        if (e->head == CT_GROUND_TERMINAL)
            return through;
        if (e->tail == CT_GROUND_TERMINAL)
            return ct_expr_neg(b->pool, through);
    }
    return ct_expr_mul(b->pool, across, through);
}

static ct_expr whole_power(bench *b)
{
    ct_expr sum = ct_expr_int(b->pool, 0);
    for (uint32_t i = 0; i < b->e->edge_count; i++)
        sum = ct_expr_add(b->pool, sum, edge_power(b, i));
    return sum;
}

/* ---- power that is zero, by symbols */

/* Puts the laws in, again and again: one may read the variable of another. */
static ct_expr put_in_laws(bench *b, const laws *l, ct_expr e)
{
    uint32_t n = b->e->equation_count;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t i = 0; i < n; i++)
            e = ct_expr_substitute(b->pool, e, &l->law[i].variable, &l->law[i].expr, 1);
    return e;
}

static void check_lossless(bench *b)
{
    laws l = {.constant = true};
    if (!find_laws(b, &l))
        return;
    ct_expr p = put_in_laws(b, &l, whole_power(b));
    if (ct_expr_is_zero(b->pool, p) || ct_expr_fingerprint(b->pool, p) == 0)
        return;
    ct_text text = ct_text_new(b->arena);
    ct_expr_put(b->pool, &text, p);
    miss(b, "makes power: %s", ct_text_string(&text));
}

/* ---- power along a random periodic motion, by numbers
 *
 * A variable without a law is a sum of two harmonics with the period 1. A displacement has this
 * form and the velocity and the acceleration are its derivatives.
 */

enum { STEPS = 16000, POINTS = 3000 };
static const double STEP = 1.0 / STEPS, SMALL = 1e-3, TAU = 6.283185307179586;

/* Numbers that belong to a name: the same whenever it is asked for. */
static double fixed(const bench *b, ct_name name, uint32_t which)
{
    dice d = {b->d.state + name * 977u + which * 131u};
    roll64(&d);
    return (double)roll(&d, 1000000) / 1e6;
}

static double harmonics(const bench *b, ct_name name, int derivative, double t)
{
    double sum = derivative == 0 ? 0.4 * fixed(b, name, 9) : 0;
    for (uint32_t k = 1; k <= 2; k++) {
        double amplitude = 1.5 * fixed(b, name, k) / k, phase = TAU * fixed(b, name, k + 4);
        sum +=
            amplitude * pow(TAU * k, derivative) * sin(TAU * k * t + phase + derivative * TAU / 4);
    }
    return sum;
}

/* A value inside the limits; not the default when that is zero: then nothing would be tested. */
static double param_value(bench *b, const ct_element_param *p)
{
    double low = -INFINITY, high = INFINITY, usual = NAN;
    for (uint32_t i = 0; i < p->limit_count; i++) {
        double bound = ct_expr_to_double(b->pool, p->limit[i].bound);
        if (p->limit[i].relation >= CT_GREATER)
            low = fmax(low, bound);
        else
            high = fmin(high, bound);
    }
    if (p->fallback && ct_expr_is_number(b->pool, p->fallback))
        usual = ct_expr_to_double(b->pool, p->fallback);
    if (given_value(b, p->name, &usual))
        return usual;
    if (usual > 0 || usual < 0)
        return usual;
    double free = fixed(b, p->name, 20);
    if (isinf(high))
        return isinf(low) ? 0.3 + free : low + 0.3 + free;
    return low + (high - low) * free;
}

static double look_up(void *user, ct_name symbol);

static double value_at(laws *l, ct_expr e, double t)
{
    double before = l->time, value;
    l->time = t;
    value = ct_expr_value(l->b->pool, e, look_up, l);
    l->time = before;
    return value;
}

static bool find_trajectory(const laws *l, ct_name symbol, double *value)
{
    bench *b = l->b;
    for (uint32_t i = 0; i < b->e->edge_count; i++) {
        const ct_variable_row *row = ct_domain_row_at(b->e->edge[i].domain)->variable;
        bool moves = row[2].name != NULL; /* x, v, a */
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++) {
            if (variable(b, i, k) != symbol)
                continue;
            bool motion = moves && row[k].across;
            *value = harmonics(b, motion ? variable(b, i, 2) : symbol,
                               motion ? row[k].order + 1 : 0, l->time);
            if (strcmp(row[k].name, "T") == 0 && row[k].across) /* absolute temperatures */
                *value += b->e->edge[i].head == CT_GROUND_TERMINAL ? 300 : 0;
            return true;
        }
    }
    return false;
}

static double look_up(void *user, ct_name symbol)
{
    laws *l = user;
    bench *b = l->b;
    double value;
    for (uint32_t i = 0; i < b->e->equation_count; i++)
        if (l->law[i].variable == symbol)
            return value_at(l, l->law[i].expr, l->time);
    for (uint32_t i = 0; i < l->rates.count; i++)
        if (l->rates.at[i].symbol == symbol) {
            double h = 1e-5;
            return (value_at(l, l->rates.at[i].inside, l->time + h) -
                    value_at(l, l->rates.at[i].inside, l->time - h)) /
                   (2 * h);
        }
    for (uint32_t i = 0; i < b->e->param_count; i++) {
        const ct_element_param *p = &b->e->param[i];
        bool depends = p->fallback && !ct_expr_is_number(b->pool, p->fallback);
        if (p->name == symbol)
            return depends ? value_at(l, p->fallback, l->time) : param_value(b, p);
    }
    return find_trajectory(l, symbol, &value) ? value : NAN;
}

/* Means over a period; the power has the period too. */
static void check_cycle(bench *b)
{
    laws l = {0};
    if (!find_laws(b, &l))
        return;
    for (int round = 0; round < 3; round++) {
        double sum = 0, size = 0;
        ct_expr p = whole_power(b);
        roll64(&b->d);
        for (int i = 0; i < STEPS; i++) {
            double here = value_at(&l, p, i * STEP);
            sum += here;
            size += fabs(here);
        }
        if (!(size > 0) || !isfinite(size))
            miss(b, "its power cannot be evaluated, or is always zero");
        else if (b->row->power == STORES && fabs(sum) > SMALL * size)
            miss(b, "stores, but a cycle takes %g of the power moved", sum / size);
        else if (sum < -SMALL * size)
            miss(b, "is passive, but a cycle gives %g of the power moved", -sum / size);
    }
}

static void check_never_negative(bench *b)
{
    laws l = {0};
    if (!find_laws(b, &l))
        return;
    double largest = 0;
    ct_expr p = whole_power(b);
    for (int i = 0; i < POINTS; i++) {
        roll64(&b->d);
        double here = value_at(&l, p, 0);
        largest = fmax(largest, here);
        if (here >= -1e-12 * largest)
            continue;
        miss(b, "dissipates, but gives the power %g", -here);
        return;
    }
    if (!(largest > 0))
        miss(b, "its power is always zero or cannot be evaluated");
}

static void check_power(bench *b)
{
    static void (*const checks[])(bench * b) = {
        [LOSSLESS] = check_lossless,
        [DISSIPATES] = check_never_negative,
        [STORES] = check_cycle,
        [PASSIVE] = check_cycle,
        [ACTIVE] = NULL,
    };
    if (checks[b->row->power])
        checks[b->row->power](b);
}

static void test_power(void **state)
{
    (void)state;
    check_all(check_power, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptions),   cmocka_unit_test(test_manual),
        cmocka_unit_test(test_minimal_models), cmocka_unit_test(test_listed),
        cmocka_unit_test(test_classes),        cmocka_unit_test(test_power),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

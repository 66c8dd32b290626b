/* test_library.c - every element of the library: described, checked, classified, and true to the
 * laws of power.
 *
 * What is expected of an element stands in tests/library/elements.def; a minimal model that uses it
 * in tests/library/minimal/NAME.lg. All that is missing or wrong is told at once.
 */
#include "library/bench.h"
#include "library/power.h"

#include "graph/classify.h"
#include "graph/graph.h"
#include "model/library.h"

/* ---- descriptions */

/* Ratios, conditions and what takes its dimension from its use. */
/* clang-format off */
static const char *const without_unit[] = {
    "switch.on", "shutoff_valve.open", "dog_clutch.engaged", "thyristor.gate", "smooth_switch.x", "hysteresis_switch.x", "hysteresis_switch.START",
    "potentiometer.x", "diode.n", "diode.umax", "bjt_npn.betaF", "bjt_npn.betaR",
    "bjt_pnp.betaF", "bjt_pnp.betaR", "opamp_real.A0", "coupled_inductors.k", "vcvs.gain",
    "cccs.gain", "fluid_resistor.R", "fluid_resistor.k", "orifice.Cd", "four_way_valve.x",
    "gas_accumulator.n", "pressure_intensifier.n", "radiation.eps", "lever.n", "clutch.engaged",
    "gear.n", "planetary_gear.ratio", "plate_capacitor.eps_r", "transformer.n", "gyrator.r",
    "tachometer.K", "encoder.lines", "bar.zeta", "shaft.zeta", "string.zeta", "beam.zeta"};
/* clang-format on */

/* Quantities that are never negative, by unit; and the few parameters that may be all the same. */
static const char *const positive_units[] = {
    "ohm",  "S",   "F",     "H",         "kg",  "kg.m^2", "m^2", "m^3",   "kg/m^3",
    "Pa.s", "N/m", "N.s/m", "N.m.s/rad", "K/W", "W/K",    "J/K", "m^3/Pa"};
static const char *const any_sign[] = {"vccs.gm",
                                       "ccvs.rm",
                                       "pump.D",
                                       "gyrator.r",
                                       "dc_motor.Kv",
                                       "dc_motor.KT",
                                       "reluctance_machine.L1",
                                       "switched_reluctance.L1",
                                       "induction_machine.Ms",
                                       "induction_machine.Mr",
                                       "induction_machine.Msr",
                                       "induction_machine.Lx",
                                       "bar.load",
                                       "shaft.load",
                                       "string.load",
                                       "beam.load",
                                       "wall.load"};

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
    if (!p->is_signal && (!p->doc || !p->doc[0]))
        miss(b, "parameter %s has no description", name);
    if (!p->has_dim && b->e->edge_count && /* a block takes any signal */
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
               ct_choose_tree(ctx, graph, NULL, &tree) != CT_OK || ct_diag_count(ctx)) {
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
    if (!b->e->edge_count)
        return; /* a signal block has no power */
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

/* ---- parts, which are read alone */

static bool is_part(ct_node_kind kind)
{
    return kind == CT_NODE_ELEMENT || kind == CT_NODE_SYSTEM || kind == CT_NODE_FUNCTION;
}

/* Names and texts are those of the whole texts, and each is found by its name. */
static void test_parts(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    uint32_t k = 0;
    for (uint32_t i = 0; i < ct_library_text_count; i++) {
        const ct_library_text *t = &ct_library_texts[i];
        const ct_syntax *s = ct_parse(ctx, ct_source_refer(ctx, t->path, t->text, t->length));
        for (ct_node n = ct_at(s, s->root)->first; n; n = ct_at(s, n)->next) {
            if (!is_part((ct_node_kind)ct_at(s, n)->kind))
                continue;
            const ct_library_part *p = &ct_library_parts[k++];
            assert_string_equal(p->name, ct_name_text(ctx, ct_at(s, n)->name));
            assert_int_equal(p->at, ct_at(s, n)->at);
            if (ct_at(s, n)->kind == CT_NODE_FUNCTION) /* has no page */
                continue;
            const char *alone = ct_library_block(ctx, p->name);
            assert_int_equal(strlen(alone), ct_at(s, n)->length);
            assert_memory_equal(alone, t->text + p->at, ct_at(s, n)->length);
        }
    }
    assert_int_equal(k, ct_library_part_count);
    ct_context_free(ctx);
}

/* ---- power */

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
        cmocka_unit_test(test_parts),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

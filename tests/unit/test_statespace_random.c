/* test_statespace_random.c - simplification changes no value: random networks, dense meshes; and it
 * keeps to its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "graph/build.h"
#include "study/statespace.h"
#include "study/transfer.h"
#include "unit/effort.h"

enum { NETWORKS = 60, POINTS = 3, MOST_PARAMS = 64, MOST_TEXT = 16384 };

static uint64_t seed;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- models */

typedef struct made {
    ct_context *ctx;
    const ct_model *model;
    ct_statespace *ss;
} made;

static made make(const char *text, const char *simplify, bool transfer)
{
    made m = {.ctx = ct_context_new(NULL)};
    const ct_syntax *syntax;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_build_def def = {0};
    ct_tree_choice tree_choice = ct_default_tree_choice();
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.simplify = simplify;
    choice.transfer = transfer;
    ct_status status = ct_read_text(m.ctx, "test", text, strlen(text), &syntax);
    if (status == CT_OK)
        status = ct_build(m.ctx, syntax, &def, &m.model);
    if (status == CT_OK)
        status = ct_make_graph(m.ctx, m.model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(m.ctx, graph, &tree_choice, &tree);
    if (status == CT_OK)
        status = ct_derive(m.ctx, tree, NULL, &equations);
    if (status == CT_OK)
        status = ct_make_statespace(m.ctx, equations, &choice, &m.ss);
    if (status != CT_OK) {
        const char *why;
        ct_diag_render(m.ctx, CT_DIAG_TEXT, &why);
        fail_msg("%s\n%s", text, why);
    }
    return m;
}

typedef struct draft {
    char params[MOST_TEXT], lines[MOST_TEXT];
    size_t params_length, lines_length;
    uint32_t count;
} draft;

static void add(draft *d, char kind, uint32_t a, uint32_t b)
{
    static const char *const type[] = {['R'] = "resistor", ['C'] = "capacitor", ['L'] = "inductor"};
    char end[16] = "ground";
    uint32_t i = d->count++;
    if (b)
        snprintf(end, sizeof end, "n%u", b);
    d->params_length += (size_t)snprintf(
        d->params + d->params_length, sizeof d->params - d->params_length, "param %c%u\n", kind, i);
    d->lines_length += (size_t)snprintf(
        d->lines + d->lines_length, sizeof d->lines - d->lines_length,
        "%c%u : %s(n%u, %s)  %c = %c%u\n", kind, i, type[(int)kind], a, end, kind, kind, i);
}

static const char *finish(const draft *d, const char *output)
{
    static char text[3 * MOST_TEXT];
    snprintf(text, sizeof text,
             "model network\ninput u : V\n%sS : vsource(n1, ground)  v = u\n%soutput %s as y\n",
             d->params, d->lines, output);
    return text;
}

/* A path through all nodes and some more branches: connected, with loops of capacitors and cutsets
 * of inductors now and then, so that derivatives of the input occur. */
static const char *random_network(void)
{
    draft d = {0};
    uint32_t nodes = 2 + chance(4), more = chance(5);
    add(&d, 'C', nodes, 0);
    for (uint32_t i = 1; i < nodes; i++)
        add(&d, "RCL"[chance(3)], i, i + 1);
    for (uint32_t i = 0; i < more; i++) {
        uint32_t a = 1 + chance(nodes), b = chance(nodes + 1);
        if (a != b)
            add(&d, "RCLR"[chance(4)], a, b);
    }
    return finish(&d, chance(2) ? "C0.v" : "C0.i");
}

/* Two capacitors, and resistors between all pairs of their nodes and n inner nodes but
 * their own pair. */
static const char *mesh(uint32_t n)
{
    draft d = {0};
    add(&d, 'C', 2, 0);
    add(&d, 'C', 3, 0);
    add(&d, 'R', 1, 2);
    for (uint32_t a = 2; a < n + 4; a++)
        for (uint32_t b = a + 1; b < n + 4; b++)
            if (b > 3)
                add(&d, 'R', a, b);
    return finish(&d, "C1.v");
}

static const char *ladder(uint32_t n)
{
    draft d = {0};
    for (uint32_t i = 1; i <= n; i++) {
        add(&d, 'C', i + 1, 0);
        add(&d, 'R', i, i + 1);
    }
    return finish(&d, "C0.v");
}

/* ---- exact values at random rational points */

static const char *value_of(const made *m, ct_pool *pool, ct_expr e, uint32_t round)
{
    ct_name symbol[MOST_PARAMS];
    ct_expr value[MOST_PARAMS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->model->quantity_count && count < MOST_PARAMS; i++) {
        uint32_t dice = (i * 7919 + round * 104729 + 13) % 1009;
        if (m->model->quantity[i].kind != CT_PARAM)
            continue;
        symbol[count] = m->model->quantity[i].name;
        value[count++] = ct_expr_ratio(pool, dice + 2, (dice * 31 + round) % 97 + 3);
    }
    ct_expr number = ct_expr_substitute(pool, e, symbol, value, count);
    assert_true(number && ct_expr_is_number(pool, number) && ct_expr_is_exact(pool, number));
    ct_text text = ct_text_new(ct_arena_new(m->ctx));
    ct_expr_put(pool, &text, number);
    ct_put(&text, "");
    return text.at;
}

static uint32_t compare(const char *text, const made *a, const made *b)
{
    const ct_entries *x, *y;
    const char *name, *other;
    uint32_t compared = 0;
    for (uint32_t k = 0; (x = ct_statespace_part(a->ss, k, &name)); k++) {
        y = ct_statespace_part(b->ss, k, &other);
        assert_string_equal(name, other);
        assert_int_equal(x->count, y->count);
        for (uint32_t i = 0; i < x->count; i++) {
            assert_true(x->entry[i].row == y->entry[i].row && x->entry[i].col == y->entry[i].col);
            for (uint32_t round = 0; round < POINTS; round++, compared++)
                if (strcmp(value_of(a, a->ss->pool, x->entry[i].value, round),
                           value_of(b, b->ss->pool, y->entry[i].value, round)) != 0)
                    fail_msg("%s\n%s[%u,%u] changed its value", text, name, x->entry[i].row,
                             x->entry[i].col);
        }
    }
    return compared;
}

static uint32_t check(const char *text)
{
    static const char *const ways[] = {"fast", "full"};
    made none = make(text, "none", false);
    uint32_t compared = 0;
    for (int i = 0; i < 2; i++) {
        made m = make(text, ways[i], false);
        compared += compare(text, &none, &m);
        ct_context_free(m.ctx);
    }
    ct_context_free(none.ctx);
    return compared;
}

static void random_networks(void **state)
{
    (void)state;
    uint32_t compared = 0;
    seed = 20;
    for (int i = 0; i < NETWORKS; i++)
        compared += check(random_network());
    assert_true(compared > 10 * NETWORKS);
}

/* ---- dense meshes */

/* A sum inside of which something is divided by a sum; or a division inside of a divisor. */
typedef struct bars {
    ct_pool *pool;
    uint32_t nested;
} bars;

static uint32_t divisors_in(ct_pool *pool, ct_expr e);

static void look(void *user, ct_expr e)
{
    bars *b = user;
    if (ct_expr_kind_of(b->pool, e) == CT_EXPR_SUM)
        for (uint32_t i = 0; i < ct_expr_arity(b->pool, e); i++)
            b->nested += divisors_in(b->pool, ct_expr_operand(b->pool, e, i));
}

/* Of a product: its factors that are sums below the bar. */
static uint32_t divisors_in(ct_pool *pool, ct_expr e)
{
    uint32_t found = 0;
    if (ct_expr_kind_of(pool, e) != CT_EXPR_PRODUCT)
        return 0;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        found += ct_expr_kind_of(pool, ct_expr_operand(pool, e, i)) == CT_EXPR_SUM &&
                 ct_expr_to_double(pool, ct_expr_coefficient(pool, e, i)) < 0;
    return found;
}

static void meshes_are_ratios(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 4; n++) {
        made m = make(mesh(n), "full", false);
        bars b = {.pool = m.ss->pool};
        assert_false(m.ss->cut_short);
        for (uint32_t i = 0; i < m.ss->A.count; i++)
            ct_expr_walk(b.pool, &m.ss->A.entry[i].value, 1, look, &b);
        assert_int_equal(b.nested, 0);
        ct_context_free(m.ctx);
        check(mesh(n));
    }
}

/* ---- limits; far below these where nothing slows the program down */

static void large_ones_end(void **state)
{
    (void)state;
    double start = effort_clock();
    made m = make(mesh(9), "full", false);
    assert_true(m.ss->cut_short);
    ct_context_free(m.ctx);
    m = make(ladder(12), "full", true);
    assert_true(m.ss->transfers->cut_short);
    ct_context_free(m.ctx);
    m = make(ladder(7), "full", true);
    assert_false(m.ss->transfers->cut_short);
    ct_context_free(m.ctx);
    double effort = effort_since(start);
    print_message("large ones: %.3g\n", effort);
    assert_true(effort < 4000);
}

static const char *read_model(const char *name)
{
    char path[512];
    static char text[MOST_TEXT];
    snprintf(path, sizeof path, "%s/models/%s/model.lg", COTREE_ROOT, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void small_systems(void **state)
{
    static const char *const name[] = {"belt_drive",    "drive_line",           "fluid_level",
                                       "geared_shaft",  "hydraulic_positioner", "loudspeaker",
                                       "motor_pump",    "quarter_car",          "rlc_dependent",
                                       "sallen_key",    "tanks_long_line",      "thermal_two_mass",
                                       "lg2ss_circuit", "lg2ss_gearbox",        "lg2ss_sewing"};
    (void)state;
    double start = effort_clock();
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        made m = make(read_model(name[i]), "full", false);
        assert_false(m.ss->cut_short);
        ct_context_free(m.ctx);
    }
    double effort = effort_since(start);
    print_message("small ones: %.3g\n", effort);
    assert_true(effort < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks),
        cmocka_unit_test(meshes_are_ratios),
        cmocka_unit_test(large_ones_end),
        cmocka_unit_test(small_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

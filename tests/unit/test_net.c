/* test_net.c - what making a network of components of a kind leaves: numbers that are shared, and
 * blocks of lanes that need no preparation each. */
#include <stdio.h>
#include <string.h>

#include <cotree/cotree.h>

#include "nodal/law.h"
#include "test_context.h"

/* A row of diodes behind resistors, each in a system with an area of its own: a digit of `areas`,
 * which begins anew where it ends. Numbers: of the source, of resistors, and of the diodes. */
static const struct net_case {
    const char *name, *areas;
    int count;
    uint32_t numbers;
    bool alike;
} cases[] = {
    {"all the same", "1", 20, 3, true},
    {"two kinds in turn", "12", 20, 4, true},
    {"few of two kinds", "12", 3, 4, true},
    {"eight kinds", "12345678", 9, 11, true},
    {"an odd one", "21111111111111111111", 20, 4, false},
    {"five kinds in turn", "12345", 20, 22, false},
};

typedef struct making {
    ct_context *ctx;
    const ct_tree *tree;
    const double *value;
    net *n;
} making;

static void make(void *user)
{
    making *m = user;
    const char *why;
    m->n = ct_net_new(m->tree, m->value, CT_LAWFUL_ALL, ct_arena_new(m->ctx), &why);
}

static void write_row(char *text, size_t room, const struct net_case *c)
{
    int at = snprintf(text, room,
                      "system cell(a : electrical)\n  param area = 1\n"
                      "  D : diode(a, ground)  Is = 1e-14*area*1 A\nend\n"
                      "V1 : vsource(n0, ground)  v = 5 V\n");
    for (int i = 1; i <= c->count; i++)
        at += snprintf(text + at, room - (size_t)at,
                       "R%d : resistor(n%d, n%d)  R = 100 ohm\nX%d : cell(n%d)  area = %c\n", i,
                       i - 1, i, i, i, c->areas[(size_t)(i - 1) % strlen(c->areas)]);
}

static void check(const struct net_case *c)
{
    char text[4096];
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    making m = {.ctx = ct_context_new(NULL)};
    write_row(text, sizeof text, c);
    assert_int_equal(ct_read_text(m.ctx, "cells.lg", text, strlen(text), &syntax), CT_OK);
    assert_int_equal(ct_build(m.ctx, syntax, NULL, &model), CT_OK);
    assert_int_equal(ct_make_graph(m.ctx, model, &graph), CT_OK);
    assert_int_equal(ct_choose_tree(m.ctx, graph, NULL, &m.tree), CT_OK);
    m.value = model->quantity_value;
    assert_int_equal(ct_protect(m.ctx, make, &m), CT_OK);
    assert_non_null(m.n);
    assert_int_equal(m.n->laws->group.count, 1);
    if (m.n->set.count != c->numbers || m.n->laws->group.at[0].alike != c->alike)
        fail_msg("%s: %u numbers, blocks %s", c->name, m.n->set.count,
                 m.n->laws->group.at[0].alike ? "alike" : "not alike");
    ct_context_free(m.ctx);
}

static void test_shared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

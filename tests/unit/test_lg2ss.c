/* test_lg2ss.c - the matrices of LG2ss: how they may be written, what is wrong with others, the
 * model they give and the names of its states. Whether the state space is right is checked by
 * tests/lg2ss/random.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cotree/cotree.h>

#include "base/codes.h"

/* ---- wrong matrices -------------------------------------------------------------------------- */

/* A wrong pair, what is said and where, and a neighbour that is accepted. Without outputs "[]". */
static const struct wrong_case {
    const char *graph, *outputs, *code, *message;
    uint32_t line, column;
    const char *good_graph, *good_outputs;
} wrong_cases[] = {
    {"[1 2 1 4; 2 2 1 x]", "[]", "E701", "row 2, column 4: `x` is no number", 1, 17,
     "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1-3]", "[]", "E701", "row 2, column 3: `1-3` is no number", 1, 15,
     "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1 3", "[]", "E701", "this `[` has no partner", 1, 1, "1 2 1 4; 2 2 1 3", "[]"},
    {"1 2 1 4; 2 2 1 3]", "[]", "E701", "row 2, column 5: `]` has no partner", 1, 17,
     "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[[1 2 1 4]; [2 2 1 3]]", "[]", "E701", "a second `[`", 1, 2, "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[1 2 1 4] 2", "[]", "E701", "something stands behind the `]`", 1, 11, "[1 2 1 4]%2", "[]"},
    {"[1 2 1 4; 2,,2 1 3]", "[]", "E701", "row 2, column 2: nothing stands before this comma", 1,
     13, "[1 2 1 4; 2,2 1 3]", "[]"},
    {"[1 2 1 4,; 2 2 1 3]", "[]", "E701", "nothing stands behind this comma", 1, 9,
     "[1 2 1 4 ; 2 2 1 3]", "[]"},
    {"[1 2 1 4; ,2 2 1 3]", "[]", "E701", "row 2, column 1: nothing stands before this comma", 1,
     11, "[1 2 1 4; 2, 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 3]", "[]", "E702", "row 2 of the LG matrix has 3 columns instead of 4", 1, 11,
     "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1 3]", "[1 2]", "E702", "row 1 of the output matrix has 2 columns instead of 3",
     1, 2, "[1 2 1 4; 2 2 1 3]", "[1 2 1]"},
    {"[1 2 1 4; 2 2 1.5 3]", "[]", "E703",
     "row 2, column 3: the head node must be a whole number from 1 to 10^9", 1, 15,
     "[1 2 1 4; 2 2 1.0 3]", "[]"},
    {"[1 2 0 4; 2 2 1 3]", "[]", "E703", "row 1, column 3: the head node", 1, 6,
     "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[1 -2 1 4; 2 2 1 3]", "[]", "E703", "row 1, column 2: the tail node", 1, 4,
     "[1 +2 1 4; 2 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2000000000 1 3]", "[]", "E703", "row 2, column 2: the tail node", 1, 13,
     "[1 2 1 4; 2 1000000000 1 3; 3 2 1 3]", "[]"},
    {"[1 2 1 0; 2 2 1 3]", "[]", "E703", "row 1, column 4: the element type", 1, 8,
     "[1 2 1 1; 2 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1 8]", "[]", "E704", "row 2, column 4: there is no element type 8", 1, 17,
     "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1 3]", "[1 2 5]", "E704", "row 1, column 3: there is no output type 5", 1, 6,
     "[1 2 1 4; 2 2 1 3]", "[1 2 4]"},
    {"[1 2 1 4; 2 2 1 3; 1 2 1 3]", "[]", "E705", "the LG matrix already has a branch 1", 1, 20,
     "[1 2 1 4; 2 2 1 3; 3 2 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1 3]", "[1 1 1; 2 2 1; 1 2 2]", "E705",
     "the output matrix already has an output 1", 1, 16, "[1 2 1 4; 2 2 1 3]",
     "[1 1 1; 2 2 1; 3 2 2]"},
    {"[1 2 1 4; 2 2 1 6]", "[]", "E706",
     "row 2: branch 2 is half a transformer: the next row does not go on with it", 1, 11,
     "[1 2 1 4; 2 2 1 6; 3 3 1 6]", "[]"},
    {"[1 2 1 4; 2 2 1 7; 3 3 1 6; 4 4 1 6]", "[]", "E706", "row 2: branch 2 is half a gyrator", 1,
     11, "[1 2 1 4; 2 2 1 7; 3 3 1 7; 4 3 1 3]", "[]"},
    {"[1 2 1 4; 2 2 1 6; 4 3 1 6]", "[]", "E706", "the next row has number 4 instead of 3", 1, 11,
     "[1 2 1 4; 3 2 1 6; 4 3 1 6]", "[]"},
    {"[1 2 1 4; 2 2 1 3]", "[1 3 1]", "E707", "row 1, column 2: the LG matrix has no branch 3", 1,
     4, "[1 2 1 4; 3 2 1 3]", "[1 3 1]"},
    {"[1 2 1 4; 2 2 2 3]", "[]", "E708", "row 2, column 3: branch 2 goes from node 2 to itself", 1,
     15, "[1 2 1 4; 2 2 1 3]", "[]"},
    {"[]", "[]", "E709", "the LG matrix is empty", 1, 1, "[1 2 1 4]", "[]"},
    {"1 2 1 4\n2 2 1 9", "[]", "E704", "row 2, column 4: there is no element type 9", 2, 7,
     "1 2 1 4\n2 2 1 3", "[]"},
};

enum { WRONG_CASES = sizeof wrong_cases / sizeof *wrong_cases };

static int check_wrong(const struct wrong_case *c)
{
    ct_context *ctx = ct_context_new(NULL);
    const char *text;
    ct_state_names names;
    ct_status status = ct_translate_lg2ss(ctx, c->graph, c->outputs, &text, &names);
    const ct_diag *d = ct_diag_count(ctx) == 1 ? ct_diag_at(ctx, 0) : NULL;
    bool good = status == CT_ERR_SYNTAX && d && strcmp(d->code, c->code) == 0 &&
                strstr(d->message, c->message) && d->line == c->line && d->column == c->column &&
                d->help;
    if (!good)
        print_error("FAIL %s %s: %zu reports, %s %s at %u:%u\n", c->graph, c->outputs,
                    ct_diag_count(ctx), d ? d->code : "", d ? d->message : "", d ? d->line : 0,
                    d ? d->column : 0);
    ct_context_free(ctx);
    return !good;
}

static int check_accepted(const char *graph, const char *outputs)
{
    ct_context *ctx = ct_context_new(NULL);
    const char *text = "";
    ct_state_names names;
    const ct_syntax *syntax;
    const ct_model *model;
    ct_status status = ct_translate_lg2ss(ctx, graph, outputs, &text, &names);
    if (status == CT_OK)
        status = ct_read_text(ctx, "made", text, strlen(text), &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, NULL, &model);
    bool good = status == CT_OK && ct_diag_count(ctx) == 0;
    if (!good)
        print_error("FAIL %s %s is not accepted: %s\n%s", graph, outputs, ct_status_text(status),
                    text);
    ct_context_free(ctx);
    return !good;
}

static void wrong_matrices(void **state)
{
    (void)state;
    int failed = 0;
    for (int i = 0; i < WRONG_CASES; i++) {
        failed += check_wrong(&wrong_cases[i]);
        failed += check_accepted(wrong_cases[i].good_graph, wrong_cases[i].good_outputs);
    }
    assert_int_equal(failed, 0);
}

static void every_code(void **state)
{
    (void)state;
    size_t count;
    const ct_message_code *codes = ct_code_list(&count);
    for (size_t i = 0; i < count; i++) {
        bool found = strncmp(codes[i].code, "E7", 2) != 0;
        for (int k = 0; k < WRONG_CASES; k++)
            found |= strcmp(wrong_cases[k].code, codes[i].code) == 0;
        if (!found)
            fail_msg("no case for %s", codes[i].code);
    }
}

/* ---- ways to write a matrix ------------------------------------------------------------------ */

static char *translated(const char *graph, const char *outputs)
{
    ct_context *ctx = ct_context_new(NULL);
    const char *text;
    ct_state_names names;
    assert_int_equal(ct_translate_lg2ss(ctx, graph, outputs, &text, &names), CT_OK);
    char *copy = strdup(text);
    ct_context_free(ctx);
    return copy;
}

static void ways_to_write(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "1 2 1 4; 2 2 3 3; 3 3 1 1",
        "[1,2,1,4;2,2,3,3;3,3,1,1]",
        "[1, 2, 1, 4\n 2, 2, 3, 3\n 3, 3, 1, 1]",
        "[1 2 1 4;\n 2 2 3 3;\n 3 3 1 1;\n];",
        "\t[ 1 2\t1 4 ; ; 2 2 3 3 ;; 3 3 1 1 ]\r\n",
        "[1 2 1 4 % the source\n 2 2 ... R\n 3 3\n 3 3 1 1]",
        "[3 3 1 1; 1 2 1 4; 2 2 3 3]",
        "[+1 2.0 1. 4; 2 2 3 3; 3 3 1 1]",
    };
    char *usual = translated("[1 2 1 4; 2 2 3 3; 3 3 1 1]", "[1 3 1; 2 1 2]");
    assert_string_equal(usual, "# From the matrices of LG2ss: C is an A-type, L a T-type, R a "
                               "D-type element, S a source.\n"
                               "model lg2ss\n"
                               "param R2, C3\n"
                               "input v1 : V\n"
                               "node n2, n3 : electrical\n"
                               "S1 : vsource(n2, ground)  v = v1\n"
                               "R2 : resistor(n2, n3)  R = R2\n"
                               "C3 : capacitor(n3, ground)  C = C3\n"
                               "output C3.v as v3,\n"
                               "       S1.e.i as f1\n");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *other = translated(ways[i], "2 1 2; 1 3 1");
        assert_string_equal(other, usual);
        free(other);
    }
    free(usual);
}

/* ---- names and order of states --------------------------------------------------------------- */

/* The three examples of [Alipourazadi, section 5.3], one with E and F, and corners. */
static const struct state_case {
    const char *graph, *outputs, *states;
} state_cases[] = {
    {"[1 2 1 4;2 2 3 3;3 3 4 2;4 4 5 3;5 5 1 2;6 4 6 1;7 6 1 2]", "[1 6 1;2 5 2]",
     "[\"f5\", \"v6\", \"f7\"]"},
    {"[1 2 1 4;2 2 3 2;3 3 1 3;4 3 1 1;5 3 1 6;6 4 1 6;7 4 1 1]", "[1 7 1]", "[\"f2\", \"v7\"]"},
    {"[1 2 1 4;2 2 1 1;3 2 3 3;4 2 3 2;5 3 1 3;6 3 1 1;7 3 4 2;8 3 4 3;9 4 1 6;10 5 1 6;11 5 1 "
     "1;12 5 1 5]",
     "[1 4 2;2 7 3]", "[\"f4\", \"v6\", \"f7\", \"v11\", \"x7\"]"},
    {"[1 2 1 4;2 2 3 1;3 3 1 1;4 3 4 3;5 4 1 2]", "[1 2 2]", "[\"v3\", \"f5\"]"},
    {"[1 2 1 5;2 2 1 1;3 2 1 1;4 2 1 1]", "[1 2 1]", "[\"v4\"]"}, /* parallel */
    {"[1 2 1 4;2 2 3 2;3 3 4 2;4 4 1 3]", "[1 4 1]", "[\"f3\"]"}, /* series */
    {"[1 2 1 5;2 2 1 3;3 2 1 1]", "[1 2 4;2 3 3]", "[\"v3\", \"h2\", \"x3\"]"},
    {"[1 2 1 5;2 2 1 3;3 2 1 1]", "[1 1 3;2 1 4]", "[\"v3\", \"x1\", \"h1\"]"}, /* of a source */
    {"[1 2 1 4;2 2 3 3;3 3 1 7;4 4 1 7;5 4 1 1]", "[1 5 1]", "[\"v5\"]"},
    {"[1 2 1 4;2 2 3 3;3 3 1 6;4 11 10 6;5 11 10 1]", "[1 5 1]", "[\"v5\"]"}, /* island */
    {"[1 2 1 4;2 2 1 3]", "[1 2 2]", "[]"},
    {"[1 2 1 1;2 2 3 3;3 3 1 1;4 3 1 5]", "[1 1 1]", "[\"v1\", \"v3\"]"}, /* storage first */
};

static const char *shown(ct_context *ctx, const char *graph_text, const char *outputs)
{
    const char *text = NULL;
    size_t length;
    ct_state_names names;
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_statespace *ss;
    ct_statespace_choice choice = ct_default_statespace_choice();
    choice.names = &names;
    assert_int_equal(ct_translate_lg2ss(ctx, graph_text, outputs, &text, &names), CT_OK);
    assert_int_equal(ct_read_text(ctx, "made", text, strlen(text), &syntax), CT_OK);
    assert_int_equal(ct_build(ctx, syntax, NULL, &model), CT_OK);
    assert_int_equal(ct_make_graph(ctx, model, &graph), CT_OK);
    assert_int_equal(ct_choose_tree(ctx, graph, NULL, &tree), CT_OK);
    assert_int_equal(ct_derive(ctx, tree, NULL, &equations), CT_OK);
    assert_int_equal(ct_make_statespace(ctx, equations, &choice, &ss), CT_OK);
    ct_statespace_show json = {.format = "json"};
    assert_int_equal(ct_show_statespace(ctx, ss, &json, &text, &length), CT_OK);
    return text;
}

static void names_of_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof state_cases / sizeof *state_cases; i++) {
        const struct state_case *c = &state_cases[i];
        ct_context *ctx = ct_context_new(NULL);
        char wanted[128];
        snprintf(wanted, sizeof wanted, "\"states\": %s,", c->states);
        const char *text = shown(ctx, c->graph, c->outputs);
        if (!strstr(text, wanted))
            fail_msg("%s %s: %s is missing in\n%s", c->graph, c->outputs, wanted, text);
        ct_context_free(ctx);
    }
}

/* ---- size: no step may be quadratic ---------------------------------------------------------- */

static void large_matrix(void **state)
{
    (void)state;
    enum { ROWS = 100000 };
    char *text = malloc((size_t)ROWS * 40), *at = text;
    at += sprintf(at, "[1 2 1 4");
    for (int i = 2; i <= ROWS; i++)
        at += sprintf(at, ";%d %d %d %d", i, i, i % 2 ? 1 : i + 1, i % 2 ? 1 : 3);
    sprintf(at, "]");
    char *model = translated(text, "[1 1 2]");
    assert_non_null(strstr(model, "R99998 : resistor(n99998, n99999)"));
    free(model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_matrices), cmocka_unit_test(every_code),
        cmocka_unit_test(ways_to_write),  cmocka_unit_test(names_of_states),
        cmocka_unit_test(large_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_graph.c - what is wrong with a graph, and how graphs are printed. */
#include "test_graph_build.h"

#include <limits.h>

#include "export/graph_write.h"

/* ---- bad graphs ------------------------------------------------------------------------------ */

/* Reports as "code line-place message [witness]", the place by the first word of its statement. */
static const struct bad_case {
    const char *name, *graph, *reports;
} bad_cases[] = {
    {"good", "V1 a g V; R1 a g R", ""},
    {"nothing", "", ""},
    {"two voltage sources", "V1 a g V; R1 a g R; V2 a g V",
     "E310 at V2: voltage sources V1 and V2 form a circuit [V1 V2]\n"},
    {"three voltage sources", "V1 a g V; V2 b a V; V3 b g V; R1 b g R",
     "E310 at V3: voltage sources V2, V1 and V3 form a circuit [V2 V1 V3]\n"},
    {"three in parallel", "V1 a g V; V2 a g V; V3 g a V",
     "E310 at V2: voltage sources V1 and V2 form a circuit [V1 V2]\n"
     "E310 at V3: voltage sources V1 and V3 form a circuit [V1 V3]\n"},
    {"motion sources", "x1 mg ma V; x2 mg ma V",
     "E310 at x2: motion sources x1 and x2 form a circuit [x1 x2]\n"},
    {"coupled edges are no drivers", "V1 a g V; T.a a g V =T; T.b b g V =T; R1 b g R", ""},
    {"current sources in series", "I1 a g I; I2 a b I; R1 b g R",
     "E311 at I2: current sources I1 and I2 form a cutset [I1 I2]\n"},
    {"one current source alone", "I1 a g I; R1 b g R",
     "E311 at I1: current source I1 forms a cutset [I1]\n"},
    {"cut-off part", "I1 a g I; R1 a b R; R2 b c R; R3 c a R; I2 g c I; R4 d g R",
     "E311 at I2: current sources I1 and I2 form a cutset [I1 I2]\n"},
    {"chain of current sources", "I1 a g I; I2 b a I; I3 g b I; R1 d g R",
     "E311 at I2: current sources I1 and I2 form a cutset [I1 I2]\n"
     "E311 at I3: current sources I2 and I3 form a cutset [I2 I3]\n"},
    {"two cutsets one behind the other", "I1 a g I; I2 b a I; R1 d g R",
     "E311 at I1: current source I1 forms a cutset [I1]\n"
     "W320 at I2: only I2 is connected to node b [b]\n"
     "E311 at I2: current source I2 forms a cutset [I2]\n"},
    {"flow sources", "q1 ha hg I; q2 hg ha I",
     "E311 at q2: flow sources q1 and q2 form a cutset [q1 q2]\n"},
    {"self loop", "R1 a g R; R2 a a R", "E312 at R2: R2 goes from node a to itself [R2]\n"},
    {"island", "R1 a g R; R2 b c R; C1 c b C",
     "E313 at R2: island: nothing joins nodes b and c to g [R2 C1]\n"},
    {"islands", "R1 a g R; R2 b c R; C1 c b C; R3 d e R; R4 e d R",
     "E313 at R2: island: nothing joins nodes b and c to g [R2 C1]\n"
     "E313 at R3: island: nothing joins nodes d and e to g [R3 R4]\n"},
    {"large island",
     "R0 a g R; R1 b1 b2 R; R2 b2 b3 R; R3 b3 b4 R; R4 b4 b5 R; R5 b5 b6 R; R6 b6 b7 R; R7 b7 b8 R;"
     "R8 b8 b9 R; R9 b9 b10 R; R10 b10 b1 R",
     "E313 at R1: island: nothing joins nodes b1, b2, b3, b4, b5, b6, b7, b8 and 2 more to g "
     "[R1 R2 R3 R4 R5 R6 R7 R8 R9 R10]\n"},
    {"no datum", "R1 a b R; C1 b a C",
     "E314 at R1: no electrical element is connected to ground [R1 C1]\n"},
    {"no datum in one domain", "R1 a g R; k1 ma mb L; d1 mb ma R",
     "E314 at k1: no translational element is connected to ground [k1 d1]\n"},
    {"dangling", "V1 a g V; R1 a b R", "W320 at R1: only R1 is connected to node b [b]\n"},
    {"dangling, declared", "V1 a g V; R1 a b R; node b", ""},
    {"free mass", "m1 mg ma C; R1 a g R", ""},
    {"unused node", "R1 a g R; node b", "W320 at node: nothing is connected to node b [b]\n"},
};

static const char *reports_text(ct_arena *arena, const ct_context *ctx, const char *source)
{
    ct_text out = ct_text_new(arena);
    for (size_t i = 0; i < ct_diag_count(ctx); i++) {
        const ct_diag *d = ct_diag_at(ctx, i);
        char word[16] = "";
        sscanf(source + d->column - 1, "%15[^ ;]", word);
        ct_putf(&out, "%s at %s: %s [", d->code, word, d->message);
        for (size_t k = 0; k < d->witness_count; k++)
            ct_putf(&out, "%s%s", k ? " " : "", d->witness[k]);
        ct_put(&out, "]\n");
    }
    return ct_text_string(&out);
}

static void bad_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const struct bad_case *c = &bad_cases[i];
        build b;
        ct_context *ctx = ct_context_new(NULL);
        const ct_graph *g = build_text(&b, ctx, c->graph);
        bool good = ct_graph_check(g);
        const char *got = reports_text(b.arena, ctx, c->graph);
        if (strcmp(got, c->reports) != 0)
            fail_msg("%s: got\n%s, want\n%s", c->name, got, c->reports);
        assert_int_equal(good, ct_error_count(ctx) == 0);
        assert_int_equal(ct_graph_check(g), good); /* the second time nothing new */
        assert_string_equal(reports_text(b.arena, ctx, c->graph), c->reports);
        ct_context_free(ctx);
    }
}

static const struct note_case {
    const char *graph, *note, *help;
} note_cases[] = {
    {"V1 a g V; V2 a g V",
     "circuit: V1(+), V2(-); across drivers must all be branches, and a tree has no circuit",
     "remove one source or put a resistor in series with it"},
    {"V1 a g V; V2 b a V; V3 b g V",
     "circuit: V2(+), V1(+), V3(-); across drivers must all be branches, and a tree has no circuit",
     "remove one source or put a resistor in series with it"},
    {"I1 a g I; I2 b a I; R1 b g R",
     "cutset: I1(+), I2(-); only through drivers join node a to the rest, and a tree needs a "
     "branch "
     "there",
     "remove one source or put a resistor in parallel with it"},
    {"V1 bus g V; R1 bus out R; R2 out g R; R3 bus otu R", "nothing can flow through R3",
     "did you mean out? If not, `node otu : electrical` tells that the end is meant to be open"},
    {"V1 n1 g V; R1 n1 n2 R", "nothing can flow through R1", NULL},
};

static void notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof note_cases / sizeof *note_cases; i++) {
        build b;
        ct_context *ctx = ct_context_new(NULL);
        ct_graph_check(build_text(&b, ctx, note_cases[i].graph));
        const ct_diag *d = ct_diag_at(ctx, 0);
        assert_string_equal(d->notes[0], note_cases[i].note);
        if (note_cases[i].help)
            assert_string_equal(d->help, note_cases[i].help);
        else
            assert_null(d->help);
        ct_context_free(ctx);
    }
}

/* Many reports of each kind on a large bad graph: still linear. */
static void large_bad_graph(void **state)
{
    (void)state;
    build b;
    ct_context *ctx = ct_context_new(NULL);
    const uint32_t n = 100000;
    build_nodes(&b, ctx, n + 1);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t to = v % 3 ? (v + 1) % n : n;
        build_edge(&b, v, to, (ct_tree_class)(1 + v % 5));
        build_edge(&b, to, v, v % 2 ? CT_ACROSS_DRIVER : CT_THROUGH_DRIVER);
        build_edge(&b, v, v, CT_DISSIPATOR);
    }
    const ct_graph *g = build_finish(&b);
    double start = effort_clock();
    assert_false(ct_graph_check(g));
    double effort = effort_since(start);
    print_message("%u bad edges: %.3g, %zu reports\n", g->edge_count, effort, ct_diag_count(ctx));
    assert_true(effort < 500);
    ct_context_free(ctx);
}

/* ---- writers --------------------------------------------------------------------------------- */

static const char fig1[] = "E1 a g V; R2 b c R; R3 a b R; R4 g c R; R5 g b R; I6 c a I";

static const char fig1_text[] = //
    "electrical: 4 nodes, 6 edges, 16 spanning trees\n"
    "\n"
    "nodes: a, b, c, g (datum)\n"
    "\n"
    "edge  tail -> head  class           place   reason\n"
    "E1    a    -> g     across driver   branch  across driver: always a branch\n"
    "R2    b    -> c     dissipator      branch  dissipator: joins c\n"
    "R3    a    -> b     dissipator      branch  dissipator: joins b\n"
    "R4    g    -> c     dissipator      chord   dissipator: chord\n"
    "R5    g    -> b     dissipator      chord   dissipator: chord\n"
    "I6    c    -> a     through driver  chord   through driver: always a chord\n"
    "\n"
    "incidence matrix [I]\n"
    "     E1 R2 R3 R4 R5 I6\n"
    "  a [ 1  0  1  0  0 -1]\n"
    "  b [ 0  1 -1  0 -1  0]\n"
    "  c [ 0 -1  0 -1  0  1]\n"
    "  g [-1  0  0  1  1  0]\n"
    "\n"
    "reduced incidence matrix [A]: [I] without the row of the datum g\n"
    "     E1 R2 R3 R4 R5 I6\n"
    "  a [ 1  0  1  0  0 -1]\n"
    "  b [ 0  1 -1  0 -1  0]\n"
    "  c [ 0 -1  0 -1  0  1]\n"
    "\n"
    "fundamental cutset matrix [A_f] = [1 A_c], one row per branch\n"
    "      E1 R2 R3 R4 R5 I6\n"
    "  E1 [ 1  0  0 -1 -1  0]\n"
    "  R2 [ 0  1  0  1  0 -1]\n"
    "  R3 [ 0  0  1  1  1 -1]\n"
    "\n"
    "fundamental circuit matrix [B_f] = [B_b 1], one row per chord\n"
    "      E1 R2 R3 R4 R5 I6\n"
    "  R4 [ 1 -1 -1  1  0  0]\n"
    "  R5 [ 1  0 -1  0  1  0]\n"
    "  I6 [ 0  1  1  0  0  1]\n";

static const char rc_json[] = //
    "{\"graphs\": [\n"
    "  {\"domain\": \"electrical\", \"datum\": \"g\", \"parts\": 1, \"spanning_trees\": 1,\n"
    "   \"nodes\": [\"a\", \"g\"],\n"
    "   \"edges\": [\n"
    "    {\"name\": \"V1\", \"tail\": \"a\", \"head\": \"g\", \"class\": \"across driver\", "
    "\"coupling\": null, \"branch\": true, \"reason\": \"across driver: always a branch\"}],\n"
    "   \"incidence\": [\n    [1],\n    [-1]],\n"
    "   \"columns\": [\"V1\"],\n"
    "   \"cutset\": [\n    [1]],\n"
    "   \"circuit\": []},\n"
    "  {\"domain\": \"translational\", \"datum\": \"mg\", \"parts\": 1, \"spanning_trees\": 2,\n"
    "   \"nodes\": [\"ma\", \"mg\"],\n"
    "   \"edges\": [\n"
    "    {\"name\": \"m1\", \"tail\": \"mg\", \"head\": \"ma\", \"class\": \"accumulator\", "
    "\"coupling\": null, \"branch\": true, \"reason\": \"accumulator: state\"},\n"
    "    {\"name\": \"k1\", \"tail\": \"ma\", \"head\": \"mg\", \"class\": \"delay\", "
    "\"coupling\": null, \"branch\": false, \"reason\": \"delay: chord, state\"}],\n"
    "   \"incidence\": [\n    [-1, 1],\n    [1, -1]],\n"
    "   \"columns\": [\"m1\", \"k1\"],\n"
    "   \"cutset\": [\n    [1, -1]],\n"
    "   \"circuit\": [\n    [1, 1]]}],\n"
    " \"diagnostics\": []}\n";

static const char rc_dot[] = //
    "digraph cotree {\n"
    "    node [shape = circle];\n"
    "    subgraph cluster_0 {\n"
    "        label = \"electrical\";\n"
    "        n0 [label = \"a\"];\n"
    "        n1 [label = \"g\", shape = box];\n"
    "    }\n"
    "    n0 -> n1 [label = \"V1\", penwidth = 3, tooltip = \"across driver: always a branch\"];\n"
    "    n0 -> n1 [label = \"R\\\"1\", penwidth = 0.8, tooltip = \"dissipator: chord\"];\n"
    "}\n";

static void put_all_text(const ct_graph *g, const ct_tree *tree, ct_text *out)
{
    ct_graph_put_all(g, tree, out);
}

static void put_some_text(const ct_graph *g, const ct_tree *tree, ct_text *out)
{
    ct_graph_put_text(g, tree, out);
}

static const struct write_case {
    const char *name, *graph;
    void (*put)(const ct_graph *g, const ct_tree *tree, ct_text *out);
    const char *want;
} write_cases[] = {
    {"text of McPhee-2 fig. 1", fig1, put_some_text, fig1_text},
    {"all text of McPhee-2 fig. 1", fig1, put_all_text, fig1_text},
    {"json of two domains", "V1 a g V; m1 mg ma C; k1 ma mg L", ct_graph_put_json, rc_json},
    {"dot", "V1 a g V; R\"1 a g R", ct_graph_put_dot, rc_dot},
    {"json of nothing", "", ct_graph_put_json, "{\"graphs\": [],\n \"diagnostics\": []}\n"},
    {"text of nothing", "", put_some_text, ""},
    {"text of one node", "node a", put_some_text,
     "electrical: 1 node, 0 edges, 1 spanning tree\n\nnodes: a\n\nedge  tail -> head  class  place "
     " "
     "reason\n"},
};

static void writers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof write_cases / sizeof *write_cases; i++) {
        build b;
        ct_context *ctx = ct_context_new(NULL);
        const ct_graph *g = build_text(&b, ctx, write_cases[i].graph);
        ct_text out = ct_text_new(b.arena);
        write_cases[i].put(g, ct_tree_select(g, NULL), &out);
        if (strcmp(ct_text_string(&out), write_cases[i].want) != 0)
            fail_msg("%s: got\n%s, want\n%s", write_cases[i].name, ct_text_string(&out),
                     write_cases[i].want);
        ct_context_free(ctx);
    }
}

static void ladder(build *b, ct_context *ctx, uint32_t meshes)
{
    build_nodes(b, ctx, meshes + 2);
    build_edge(b, 0, meshes + 1, CT_ACROSS_DRIVER);
    for (uint32_t v = 1; v <= meshes; v++) {
        build_edge(b, v - 1, v, CT_DISSIPATOR);
        build_edge(b, v, meshes + 1, CT_ACCUMULATOR);
    }
}

/* Large graphs: matrices are left out of the text, sparse in JSON. Without a tree nothing is said
 * of one. */
static void large_writers(void **state)
{
    (void)state;
    build b;
    ct_context *ctx = ct_context_new(NULL);
    ladder(&b, ctx, 110);
    const ct_graph *g = build_finish(&b);
    const ct_tree *tree = ct_tree_select(g, NULL);
    ct_text text = ct_text_new(b.arena), all = ct_text_new(b.arena), json = ct_text_new(b.arena);
    ct_graph_put_text(g, tree, &text);
    ct_graph_put_all(g, tree, &all);
    ct_graph_put_json(g, tree, &json);
    assert_non_null(strstr(text.at, "matrices left out: more than 24 edges"));
    assert_null(strstr(text.at, "[I]"));
    assert_non_null(strstr(all.at, "[B_f]"));
    assert_non_null(
        strstr(json.at, "\"cutset\": {\"rows\": 111, \"cols\": 221, \"entries\": [[0, 0, 1],"));
    ct_text bare = ct_text_new(b.arena), bare_json = ct_text_new(b.arena);
    ct_graph_put_text(g, NULL, &bare);
    ct_graph_put_json(g, NULL, &bare_json);
    assert_null(strstr(bare.at, "branch"));
    assert_null(strstr(bare_json.at, "branch"));
    assert_null(strstr(bare_json.at, "circuit"));
    ct_context_free(ctx);
}

/* ---- no memory ------------------------------------------------------------------------------- */

typedef struct meter {
    long left; /* allocations that still succeed */
} meter;

static void *metered_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    (void)old_size;
    if (!new_size) {
        free(block);
        return NULL;
    }
    return m->left-- > 0 ? realloc(block, new_size) : NULL;
}

static void whole_stage(void *user)
{
    build b;
    const ct_graph *g =
        build_text(&b, user,
                   "V1 a g V; V2 a g V; I1 x g I; R0 y y R; R9 p q R;"
                   "T.a a b X =T; T.b c g X =T; Y.a c d X ~Y; Y.b d g X ~Y; C1 d g C");
    ct_graph_check(g);
    g = build_text(&b, user,
                   "V1 a g V; T.a a b X =T; T.b c g X =T; Y.a c d X ~Y; Y.b d g X ~Y; C1 d g C;"
                   "V2 c g V; L1 b e L; I1 e g I; R1 b g R");
    const ct_tree *tree = ct_tree_select(g, NULL);
    ct_text out = ct_text_new(b.arena);
    ct_graph_put_all(g, tree, &out);
    ct_graph_put_json(g, tree, &out);
    ct_graph_put_dot(g, tree, &out);
}

/* Every allocation fails once; nothing leaks (the sanitizer looks) and the status tells. */
static void no_memory(void **state)
{
    (void)state;
    for (long n = 0;; n++) {
        meter m = {LONG_MAX};
        ct_context_def def = ct_default_context_def();
        def.realloc = metered_realloc;
        def.realloc_user = &m;
        ct_context *ctx = ct_context_new(&def);
        m.left = n;
        ct_status status = ct_protect(ctx, whole_stage, ctx);
        ct_context_free(ctx);
        if (status == CT_OK) {
            print_message("%ld allocations\n", n);
            return;
        }
        assert_int_equal(status, CT_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_graphs),    cmocka_unit_test(notes),
        cmocka_unit_test(writers),       cmocka_unit_test(large_bad_graph),
        cmocka_unit_test(large_writers), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

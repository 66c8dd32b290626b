/* test_topology.c - cutsets, circuits and the number of trees. */
#include "test_graph_build.h"

#include "base/sets.h"
#include "graph/view.h"

/* ---- printed matrices ------------------------------------------------------------------------ */

/* '+', '-', '0'; rows apart by a space. */
static const char *signs_text(ct_arena *arena, ct_signs s, const uint32_t *column, uint32_t columns)
{
    ct_text out = ct_text_new(arena);
    for (uint32_t r = 0; r < s.rows; r++) {
        ct_put(&out, r ? " " : "");
        for (uint32_t c = 0; c < columns; c++) {
            char sign = '0';
            for (size_t i = s.start[r]; i < s.start[r + 1]; i++)
                if (s.column[i] == (column ? column[c] : c))
                    sign = s.sign[i] > 0 ? '+' : '-';
            ct_put_char(&out, sign);
        }
    }
    return ct_text_string(&out);
}

/* Columns of [A_f] and [B_f] are asked for by name, in the order of the book. */
static const struct matrix_case {
    const char *name, *graph, *tree, *columns;
    const char *incidence, *cutset, *circuit, *trees; /* NULL: not printed */
} matrix_cases[] = {
    {"McPhee-2 fig. 1, eqs. 2, 7, 10", "E1 a g V; R2 b c R; R3 a b R; R4 g c R; R5 g b R; I6 c a I",
     "E1 R2 R3", "E1 R2 R3 R4 R5 I6", "+0+00- 0+-0-0 0-0-0+ -00++0", "+00--0 0+0+0- 00+++-",
     "+--+00 +0-0+0 0++00+", "16"},
    {"McPhee-2 fig. 4, eqs. 22, 30", "E1 a g V; R2 a b R; R3 b g R; C4 b g C", "", "E1 C4 R3 R2",
     "++00 0-++ -0--", "+00+ 0++-", NULL, "5"},
    {"McPhee-2 sec. 3.3, eqs. 61, 62",
     "m1 mg mn1 C; m2 mg mn2 C; m3 mg mn3 C; m4 mg mn4 C; d1 mg mn1 R; d2 mn3 mn4 R; d3 mg mn4 R;"
     "k12 mn1 mn2 L; k13 mn2 mn3 L; k14 mn1 mn3 L; k15 mn2 mn4 L; k16 mn1 mn4 L;"
     "f1 mg mn1 I; f2 mg mn2 I; f3 mg mn3 I; f4 mg mn4 I",
     "m1 m3 k13 k15", "m1 m2 m3 m4 d1 d2 d3", NULL, "+000+00 0+++00+ 0-0-0-- 000+0++", NULL, NULL},
    {"one loop", "E1 a g V; R2 a g R", "", "E1 R2", "++ --", "++", "-+", "2"},
    {"loop turned round", "E1 a g V; R2 g a R", "", "E1 R2", "+- -+", "+-", "++", "2"},
    {"tree without chords", "E1 a g V; R2 b a R", "", "E1 R2", "+- 0+ -0", "+0 0+", "", "1"},
    {"two parts", "R1 a g R; R2 b c R; R3 b c R", "", "R1 R2 R3", NULL, "+00 0++", "0-+", "2"},
};

static const char *columns_text(ct_arena *arena, const ct_view *v, ct_signs s, const char *names)
{
    uint32_t column[64], count = 0;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", names);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        column[count++] = v->column_of[edge_named(v->graph, word)];
    return signs_text(arena, s, column, count);
}

static void expect(const char *test, const char *got, const char *want)
{
    if (want && strcmp(got, want) != 0)
        fail_msg("%s: got [%s], want [%s]", test, got, want);
}

static void printed_matrices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof matrix_cases / sizeof *matrix_cases; i++) {
        const struct matrix_case *c = &matrix_cases[i];
        build b;
        ct_context *ctx = ct_context_new(NULL);
        const ct_graph *g = build_text(&b, ctx, c->graph);
        ct_tree_def def = wish_for(g, c->tree);
        const ct_tree *tree = ct_tree_select(g, &def);
        assert_non_null(tree);
        uint64_t entries;
        const ct_topology *t = ct_topology_new(tree, tree->chord_count, 1000, &entries);
        ct_view v = ct_view_domain(b.arena, g, tree, g->node[0].domain);
        expect(c->name, signs_text(b.arena, ct_view_incidence(b.arena, &v), NULL, v.edge_count),
               c->incidence);
        expect(c->name, columns_text(b.arena, &v, ct_view_cutsets(b.arena, &v, t), c->columns),
               c->cutset);
        expect(c->name, columns_text(b.arena, &v, ct_view_circuits(b.arena, &v, t), c->columns),
               c->circuit);
        expect(c->name, ct_spanning_trees(g, g->node[0].domain, 100), c->trees);
        ct_context_free(ctx);
    }
}

/* ---- random graphs --------------------------------------------------------------------------- */

/* Multigraphs with parallel edges, bridges, several parts and lone nodes. */
static const ct_graph *random_graph(build *b, ct_context *ctx, uint64_t *seed)
{
    uint32_t nodes = 1 + random_below(seed, 12), edges = nodes > 1 ? random_below(seed, 25) : 0;
    build_nodes(b, ctx, nodes);
    uint32_t reach = 1 + random_below(seed, nodes); /* small: long thin graphs with bridges */
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t u = random_below(seed, nodes), v = (u + 1 + random_below(seed, reach)) % nodes;
        if (u != v)
            build_edge(b, u, v, (ct_tree_class)(CT_ACCUMULATOR + random_below(seed, 3)));
    }
    return build_finish(b);
}

typedef struct dense {
    int at[32][32];
} dense;

static dense to_dense(ct_signs s, const uint32_t *column_of_edge, const uint32_t *edge)
{
    dense d = {{{0}}};
    for (uint32_t r = 0; r < s.rows; r++)
        for (size_t i = s.start[r]; i < s.start[r + 1]; i++) {
            uint32_t c = s.column[i];
            assert_int_equal(d.at[r][edge ? column_of_edge[edge[c]] : c], 0);
            d.at[r][edge ? column_of_edge[edge[c]] : c] = s.sign[i];
        }
    return d;
}

static void assert_orthogonal(const dense *a, uint32_t rows_a, const dense *b, uint32_t rows_b,
                              uint32_t columns)
{
    for (uint32_t i = 0; i < rows_a; i++)
        for (uint32_t j = 0; j < rows_b; j++) {
            int sum = 0;
            for (uint32_t c = 0; c < columns; c++)
                sum += a->at[i][c] * b->at[j][c];
            assert_int_equal(sum, 0);
        }
}

/* [A_f][B_f]^T = 0 and [A][B_f]^T = 0 [McPhee-2, eq. 12], exact; [1] where it belongs; entry
 * counts. */
static void check_orthogonality(build *b, const ct_graph *g)
{
    const ct_tree *tree = ct_tree_select(g, NULL);
    assert_non_null(tree);
    uint64_t entries, again;
    const ct_topology *t = ct_topology_new(tree, tree->chord_count, UINT64_MAX, &entries);
    assert_true(t->entry_start[tree->chord_count] == entries);
    if (entries)
        assert_null(ct_topology_new(tree, tree->chord_count, entries - 1, &again));
    ct_view v = ct_view_domain(b->arena, g, tree, 0);
    assert_int_equal(v.branch_count + v.parts, v.node_count);
    dense cut = to_dense(ct_view_cutsets(b->arena, &v, t), NULL, NULL);
    dense circuit = to_dense(ct_view_circuits(b->arena, &v, t), NULL, NULL);
    dense incidence = to_dense(ct_view_incidence(b->arena, &v), v.column_of, v.edge);
    uint32_t chords = v.edge_count - v.branch_count;
    for (uint32_t r = 0; r < v.branch_count; r++)
        for (uint32_t c = 0; c < v.branch_count; c++)
            assert_int_equal(cut.at[r][c], r == c);
    for (uint32_t r = 0; r < chords; r++)
        for (uint32_t c = 0; c < chords; c++)
            assert_int_equal(circuit.at[r][v.branch_count + c], r == c);
    assert_orthogonal(&cut, v.branch_count, &circuit, chords, v.edge_count);
    assert_orthogonal(&incidence, v.node_count, &circuit, chords, v.edge_count);
}

static void orthogonality(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 6000; i++) {
        build b;
        ct_context *ctx = ct_context_new(NULL);
        check_orthogonality(&b, random_graph(&b, ctx, &seed));
        ct_context_free(ctx);
    }
}

/* ---- number of trees ------------------------------------------------------------------------- */

static unsigned count_trees(const ct_graph *g)
{
    unsigned found = 0;
    uint32_t rank = 0, sets[32];
    for (uint32_t v = 0; v < g->node_count; v++)
        sets[v] = v;
    for (uint32_t e = 0; e < g->edge_count; e++)
        rank += ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
    for (uint32_t mask = 0; mask < 1u << g->edge_count; mask++) {
        uint32_t joined = 0, size = 0;
        for (uint32_t v = 0; v < g->node_count; v++)
            sets[v] = v;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (mask >> e & 1) {
                size++;
                joined += ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
            }
        found += size == rank && joined == rank;
    }
    return found;
}

static void trees_by_enumeration(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 600; i++) {
        build b;
        char want[32];
        ct_context *ctx = ct_context_new(NULL);
        uint32_t nodes = 2 + random_below(&seed, 6), edges = random_below(&seed, 11);
        build_nodes(&b, ctx, nodes);
        for (uint32_t e = 0; e < edges; e++)
            build_edge(&b, random_below(&seed, nodes), random_below(&seed, nodes), CT_DISSIPATOR);
        const ct_graph *g = build_finish(&b);
        snprintf(want, sizeof want, "%u", count_trees(g));
        assert_string_equal(ct_spanning_trees(g, 0, 100), want);
        assert_null(ct_spanning_trees(g, 0, nodes - 1));
        ct_context_free(ctx);
    }
}

/* Cayley: a complete graph of n nodes has n^(n-2) trees. */
static void trees_by_cayley(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 40; n++) {
        build b;
        ct_context *ctx = ct_context_new(NULL);
        build_nodes(&b, ctx, n);
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = 0; v < u; v++)
                build_edge(&b, u, v, CT_DISSIPATOR);
        const ct_graph *g = build_finish(&b);
        char want[128] = "1"; /* decimal, multiplied digit by digit */
        for (uint32_t i = 2; i < n; i++) {
            uint32_t carry = 0;
            size_t length = strlen(want);
            for (size_t k = length; k-- > 0;) {
                carry += (uint32_t)(want[k] - '0') * n;
                want[k] = (char)('0' + carry % 10);
                carry /= 10;
            }
            for (; carry; carry /= 10) {
                memmove(want + 1, want, strlen(want) + 1);
                want[0] = (char)('0' + carry % 10);
            }
        }
        assert_string_equal(ct_spanning_trees(g, 0, 100), want);
        ct_context_free(ctx);
    }
}

/* ---- size ------------------------------------------------------------------------------------ */

enum { MILLION = 1000000 };

static void parallel(build *b, ct_context *ctx)
{
    build_nodes(b, ctx, 2);
    for (uint32_t e = 0; e < MILLION; e++)
        build_edge(b, 0, 1, CT_DISSIPATOR);
}

static void ladder(build *b, ct_context *ctx)
{
    uint32_t nodes = MILLION / 2;
    build_nodes(b, ctx, nodes + 1);
    build_edge(b, 0, nodes, CT_ACROSS_DRIVER);
    for (uint32_t v = 1; v < nodes; v++) {
        build_edge(b, v - 1, v, CT_DISSIPATOR);
        build_edge(b, v, nodes, CT_DISSIPATOR);
    }
}

static void capacitors(build *b, ct_context *ctx)
{
    ladder(b, ctx);
    for (uint32_t e = 0; e < b->edges.count; e++)
        b->edges.at[e].class = e % 2 ? CT_ACCUMULATOR : CT_DELAY;
}

static void star(build *b, ct_context *ctx)
{
    build_nodes(b, ctx, MILLION + 1);
    for (uint32_t v = 0; v < MILLION; v++)
        build_edge(b, MILLION, v, v % 2 ? CT_DISSIPATOR : CT_ACCUMULATOR);
}

static void grid(build *b, ct_context *ctx)
{
    const uint32_t n = 300;
    build_nodes(b, ctx, n * n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (j + 1 < n)
                build_edge(b, i * n + j, i * n + j + 1, CT_DISSIPATOR);
            if (i + 1 < n)
                build_edge(b, i * n + j, i * n + n + j, CT_DISSIPATOR);
        }
}

static const struct size_case {
    const char *name;
    void (*make)(build *b, ct_context *ctx);
} size_cases[] = {{"parallel resistors", parallel},
                  {"ladder", ladder},
                  {"ladder of C and L", capacitors},
                  {"star", star},
                  {"grid 300 x 300", grid}};

static void large_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof size_cases / sizeof *size_cases; i++) {
        build b;
        ct_context *ctx = ct_context_new(NULL);
        size_cases[i].make(&b, ctx);
        const ct_graph *g = build_finish(&b);
        double start = effort_clock();
        assert_true(ct_graph_check(g));
        const ct_tree *tree = ct_tree_select(g, NULL);
        uint64_t entries;
        const ct_topology *t = ct_topology_new(tree, tree->chord_count, 50000000, &entries);
        double effort = effort_since(start);
        assert_non_null(tree);
        assert_int_equal(tree->branch_count, g->node_count - 1);
        print_message("%-20s %7u edges: %.3g, %llu entries%s\n", size_cases[i].name, g->edge_count,
                      effort, (unsigned long long)entries, t ? "" : " (not stored)");
        assert_true(effort < 6000);
        ct_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_matrices),     cmocka_unit_test(orthogonality),
        cmocka_unit_test(trees_by_enumeration), cmocka_unit_test(trees_by_cayley),
        cmocka_unit_test(large_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

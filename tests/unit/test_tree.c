/* test_tree.c - selection of trees: classes, wishes, couplings, reasons. */
#include "test_graph_build.h"

#include "base/sets.h"

/* ---- small trees by hand --------------------------------------------------------------------- */

static const struct tree_case {
    const char *name, *graph, *wishes;
    const char *branches; /* in order of statement; NULL: refused */
    const char *code;     /* of the first report; NULL: none */
} tree_cases[] = {
    {"class order", "I1 a g I; L1 a b L; R1 a b R; C1 b g C; V1 a g V", "", "C1 V1", NULL},
    {"statement order", "R1 a g R; R2 a g R; R3 a b R; R4 b g R", "", "R1 R3", NULL},
    {"capacitor loop", "V1 a g V; C1 a b C; C2 b g C", "", "V1 C1", NULL},
    {"inductor cutset", "I1 a g I; L1 a b L; R1 b g R", "", "L1 R1", NULL},
    {"wish against the order", "V1 a g V; R1 a b R; R2 b g R", "R1 R2", "R1 R2", NULL},
    {"wish for a current source", "I1 a g I; R1 a g R", "I1", "I1", NULL},
    {"wish twice", "R1 a g R; R2 a b R", "R1 R1", "R1 R2", NULL},
    {"wishes with a circuit", "R1 a b R; R2 b c R; R3 c a R; R4 a g R", "R1 R2 R3", NULL, "E315"},
    {"wish from a node to itself", "R1 a g R; R2 a a R", "R2", NULL, "E315"},
    {"voltage sources", "V1 a g V; V2 a g V", "", NULL, "E310"},
    {"current sources", "I1 a g I; I2 a g I", "", NULL, "E311"},
    {"transformer", "V1 a g V; T.a a g X =T; T.b b g X =T; R1 b g R", "", "V1 T.b", NULL},
    {"transformer, load", "I1 a g I; T.a a g X =T; T.b b g X =T; C1 b g C", "", "T.a C1", NULL},
    {"transformer between capacitors", "C1 a g C; T.a a g X =T; T.b b g X =T; C2 b g C", "",
     "T.a C2", NULL},
    {"motor", "V1 a g V; R1 a b R; M.e b g X =M; M.m mg ms X =M; J mg ms C", "", "V1 M.e J", NULL},
    {"gear train", "V1 a g V; A.a a g X =A; A.b b g X =A; B.a b g X =B; B.b c g X =B; C1 c g C", "",
     "V1 A.b B.b", NULL},
    {"gear between motions", "V1 a g V; T.a a g X =T; T.b b g X =T; V2 b g V", "", "V1 V2", "W321"},
    {"gear between forces", "I1 a g I; T.a a g X =T; T.b b g X =T; I2 b g I", "", "T.a T.b",
     "W321"},
    {"gyrator on a source", "V1 a g V; Y.a a g X ~Y; Y.b b g X ~Y; L1 b g L", "", "V1 L1", NULL},
    {"gyrator that must join", "I1 a g I; Y.a a g X ~Y; Y.b b g X ~Y; L1 b g L", "", "Y.a Y.b",
     NULL},
    {"gyrator in between", "V1 a g V; Y.a a g X ~Y; Y.b b g X ~Y; I1 b g I", "", "V1 Y.b", "W321"},
    {"gyrator and capacitors", "C1 a g C; Y.a a g X ~Y; Y.b b g X ~Y; C2 b g C", "", "C1 C2", NULL},
    {"wish against a coupling", "R1 a g R; T.a a g X =T; T.b b g X =T; R2 b g R", "T.a T.b",
     "T.a T.b", "W321"},
    {"wish in a coupling", "R1 a g R; T.a a g X =T; T.b b g X =T; R2 b g R", "T.b", "R1 T.b", NULL},
};

static const char *branch_names(ct_arena *arena, const ct_tree *tree)
{
    ct_text out = ct_text_new(arena);
    for (uint32_t i = 0; i < tree->branch_count; i++)
        ct_putf(&out, "%s%s", i ? " " : "",
                ct_name_text(tree->graph->ctx, tree->graph->edge[tree->branch[i]].name));
    return ct_text_string(&out);
}

static void small_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tree_cases / sizeof *tree_cases; i++) {
        const struct tree_case *c = &tree_cases[i];
        build b;
        ct_context *ctx = ct_context_new(NULL);
        const ct_graph *g = build_text(&b, ctx, c->graph);
        ct_tree_def def = wish_for(g, c->wishes);
        const ct_tree *tree = ct_tree_select(g, &def);
        const char *got = tree ? branch_names(b.arena, tree) : "(none)";
        const char *code = ct_diag_count(ctx) ? ct_diag_at(ctx, 0)->code : "(none)";
        if (strcmp(got, c->branches ? c->branches : "(none)") != 0)
            fail_msg("%s: got [%s], want [%s]", c->name, got, c->branches);
        if (strcmp(code, c->code ? c->code : "(none)") != 0)
            fail_msg("%s: got %s, want %s", c->name, code, c->code);
        ct_context_free(ctx);
    }
}

/* ---- reasons --------------------------------------------------------------------------------- */

static const struct reason_case {
    const char *graph, *wishes, *edge, *reason;
} reason_cases[] = {
    {"V1 a g V; R1 a g R", "", "V1", "across driver: always a branch"},
    {"V1 a g V; R1 a g R", "", "R1", "dissipator: chord"},
    {"V1 a g V; R1 a g R", "R1", "R1", "wanted by the user"},
    {"V1 a g V; R1 a g R", "R1", "V1",
     "across driver, but closes the circuit V1, R1 with branches wanted by the user"},
    {"V1 a g V; R1 a n3 R; C1 n3 g C", "", "C1", "accumulator: state"},
    {"V1 a g V; R1 a n3 R; L1 n3 g L", "", "R1", "dissipator: joins n3"},
    {"V1 a g V; R1 a n3 R; L1 n3 g L", "", "L1", "delay: chord, state"},
    {"V1 a g V; C1 a b C; C2 b g C", "", "C2",
     "accumulator, but closes the circuit C2, C1, V1: dependent"},
    {"R1 a g R; C1 a g C", "R1", "C1",
     "accumulator, but closes the circuit C1, R1 with branches wanted by the user"},
    {"R1 b g R; L1 b n4 L; L2 n4 c L; R2 c g R; I1 n4 g I", "", "L1",
     "delay, but needed to join n4 (cutset L1, L2, I1): dependent"},
    {"I1 a g I; R1 a g R", "", "I1", "through driver: always a chord"},
    {"I1 a g I; R1 a g R", "I1", "I1", "wanted by the user"},
    {"V1 a g V; T.a a g X =T; T.b b g X =T; R1 b g R", "", "T.a",
     "coupling T: chord, as T.b is its branch"},
    {"V1 a g V; T.a a g X =T; T.b b g X =T; R1 b g R", "", "T.b", "coupling T: its branch"},
    {"V1 a g V; T.a a g X =T; T.b b g X =T; V2 b g V", "", "T.b",
     "coupling T: chord, closes the circuit T.b, V2"},
    {"I1 a g I; T.a a g X =T; T.b b g X =T; I2 b g I", "", "T.b",
     "coupling T: a branch like T.a, needed to join b"},
    {"C1 a g C; Y.a a g X ~Y; Y.b b g X ~Y; C2 b g C", "", "Y.a",
     "coupling Y: all its edges are chords"},
    {"I1 a g I; Y.a a g X ~Y; Y.b b g X ~Y; L1 b g L", "", "Y.b",
     "coupling Y: all its edges are branches"},
};

static void reasons(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reason_cases / sizeof *reason_cases; i++) {
        const struct reason_case *c = &reason_cases[i];
        build b;
        ct_context *ctx = ct_context_new(NULL);
        const ct_graph *g = build_text(&b, ctx, c->graph);
        ct_tree_def def = wish_for(g, c->wishes);
        const ct_tree *tree = ct_tree_select(g, &def);
        assert_non_null(tree);
        assert_string_equal(tree->reason[edge_named(g, c->edge)], c->reason);
        ct_context_free(ctx);
    }
}

/* ---- every tree of a small graph as a wish --------------------------------------------------- */

static uint32_t joined_by(const ct_graph *g, uint32_t mask, uint32_t sets[32])
{
    uint32_t joined = 0;
    for (uint32_t v = 0; v < g->node_count; v++)
        sets[v] = v;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (mask >> e & 1)
            joined += ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
    return joined;
}

static uint32_t count_bits(uint32_t mask)
{
    uint32_t count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* A circuit: every node is met an even number of times, and no smaller part of it is one (every
 * proper subset has no circuit). */
static void assert_circuit(const ct_graph *g, const ct_diag *d, uint32_t asked)
{
    uint32_t mask = 0, degree[32] = {0}, sets[32];
    for (size_t i = 0; i < d->witness_count; i++) {
        uint32_t e = edge_named(g, d->witness[i]);
        assert_true(asked >> e & 1);
        assert_false(mask >> e & 1);
        mask |= 1u << e;
        degree[g->edge[e].tail]++;
        degree[g->edge[e].head]++;
    }
    for (uint32_t v = 0; v < g->node_count; v++)
        assert_true(degree[v] == 0 || degree[v] == 2);
    assert_int_equal(joined_by(g, mask, sets), d->witness_count - 1);
}

static void assert_unreached(const ct_graph *g, const ct_diag *d, uint32_t asked)
{
    uint32_t sets[32], all[32];
    size_t count = 0;
    joined_by(g, asked, sets);
    joined_by(g, (1u << g->edge_count) - 1, all);
    uint32_t datum = g->node_count - 1;
    for (uint32_t v = 0; v < g->node_count; v++) {
        bool same_part = ct_sets_find(all, v) == ct_sets_find(all, datum);
        if (same_part && ct_sets_find(sets, v) != ct_sets_find(sets, datum))
            assert_string_equal(d->witness[count++], ct_name_text(g->ctx, g->node[v].name));
    }
    assert_int_equal(count, d->witness_count);
}

static const ct_tree *select_mask(const ct_graph *g, uint32_t mask, uint64_t *seed, bool complete)
{
    ct_tree_wish wish[16];
    ct_tree_def def = {.wish = wish, .complete = complete};
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (mask >> e & 1)
            wish[def.wish_count++] = (ct_tree_wish){.edge = e};
    for (uint32_t i = def.wish_count; i > 1; i--) { /* wishes come in any order */
        uint32_t j = random_below(seed, i);
        ct_tree_wish other = wish[j];
        wish[j] = wish[i - 1];
        wish[i - 1] = other;
    }
    return ct_tree_select(g, &def);
}

static void check_mask(build *b, ct_context *ctx, const ct_graph *g, uint32_t mask, uint64_t *seed)
{
    uint32_t sets[32], rank = joined_by(g, (1u << g->edge_count) - 1, sets);
    uint32_t joined = joined_by(g, mask, sets), size = count_bits(mask);
    size_t before = ct_diag_count(ctx);
    const ct_tree *tree = select_mask(g, mask, seed, false);
    (void)b;
    if (joined == rank && size == rank) {
        assert_non_null(tree);
        assert_int_equal(tree->branch_count, size);
        for (uint32_t i = 0; i < size; i++)
            assert_true(mask >> tree->branch[i] & 1);
        return;
    }
    assert_null(tree);
    if (ct_diag_count(ctx) == before)
        return; /* told before, or one too many to be kept */
    const ct_diag *d = ct_diag_at(ctx, before);
    assert_string_equal(d->code, joined < size ? "E315" : "E316");
    if (joined < size)
        assert_circuit(g, d, mask);
    else
        assert_unreached(g, d, mask);
}

/* Connected, with sources: they may be placed anywhere. */
static const ct_graph *random_small(build *b, ct_context *ctx, uint64_t *seed)
{
    uint32_t nodes = 2 + random_below(seed, 5), edges = nodes + random_below(seed, 4);
    build_nodes(b, ctx, nodes);
    for (uint32_t v = 1; v < nodes; v++)
        build_edge(b, random_below(seed, v), v, CT_DISSIPATOR);
    for (uint32_t e = nodes - 1; e < edges; e++) {
        uint32_t u = random_below(seed, nodes), v = random_below(seed, nodes);
        static const ct_tree_class class[] = {CT_ACCUMULATOR, CT_DELAY, CT_THROUGH_DRIVER};
        build_edge(b, u, v, class[random_below(seed, 3)]);
    }
    b->edges.at[0].class = CT_ACROSS_DRIVER;
    return build_finish(b);
}

static void wishes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 120; i++) {
        for (uint32_t mask = 0, last = 1; mask < last;) {
            build b;
            uint64_t again = (uint64_t)i * 7919 + 11;
            ct_context *ctx = ct_context_new(NULL);
            const ct_graph *g = random_small(&b, ctx, &again);
            last = 1u << g->edge_count;
            for (int k = 0; k < 150 && mask < last; k++, mask++) /* a context keeps 200 reports */
                check_mask(&b, ctx, g, mask, &seed);
            ct_context_free(ctx);
        }
    }
}

/* ---- best tree, compared with all trees ------------------------------------------------------ */

typedef struct score {
    int at[6]; /* drivers out, through drivers in, violations, -accumulators, -dissipators, delays
                */
} score;

static int violation(const ct_graph *g, const ct_coupling *c, uint32_t mask)
{
    int in = 0;
    for (uint32_t i = 0; i < c->count; i++)
        in += (int)(mask >> g->coupled[c->first + i] & 1);
    if (c->kind == CT_EXACTLY_ONE)
        return abs(in - 1);
    return in < (int)c->count - in ? in : (int)c->count - in;
}

static score score_of(const ct_graph *g, uint32_t mask)
{
    score s = {{0}};
    for (uint32_t e = 0; e < g->edge_count; e++) {
        bool in = mask >> e & 1;
        if (g->edge[e].coupling)
            continue;
        s.at[0] += g->edge[e].class == CT_ACROSS_DRIVER && !in;
        s.at[1] += g->edge[e].class == CT_THROUGH_DRIVER && in;
        s.at[3] -= g->edge[e].class == CT_ACCUMULATOR && in;
        s.at[4] -= g->edge[e].class == CT_DISSIPATOR && in;
        s.at[5] += g->edge[e].class == CT_DELAY && in;
    }
    for (uint32_t c = 0; c < g->coupling_count; c++)
        s.at[2] += violation(g, &g->coupling[c], mask);
    return s;
}

static int compare_scores(const score *a, const score *b)
{
    for (int i = 0; i < 6; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

static score best_score(const ct_graph *g, uint32_t must)
{
    uint32_t sets[32], rank = joined_by(g, (1u << g->edge_count) - 1, sets);
    score best = {{0}};
    bool any = false;
    for (uint32_t mask = 0; mask < 1u << g->edge_count; mask++) {
        if (count_bits(mask) != rank || (mask & must) != must || joined_by(g, mask, sets) != rank)
            continue;
        score s = score_of(g, mask);
        if (!any || compare_scores(&s, &best) < 0)
            best = s;
        any = true;
    }
    assert_true(any);
    return best;
}

static uint32_t mask_of(const ct_tree *tree)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < tree->branch_count; i++)
        mask |= 1u << tree->branch[i];
    return mask;
}

/* Any classes, couplings of two or three edges over the whole graph. */
static const ct_graph *random_coupled(build *b, ct_context *ctx, uint64_t *seed, bool gyrators)
{
    uint32_t nodes = 2 + random_below(seed, 6), edges = 3 + random_below(seed, 10), groups = 0;
    bool sparse = random_below(seed, 2);
    build_nodes(b, ctx, nodes);
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t u = random_below(seed, nodes), v = sparse ? nodes - 1 : random_below(seed, nodes);
        if (u != v)
            build_edge(b, u, v, (ct_tree_class)(1 + random_below(seed, 5)));
    }
    for (uint32_t e = 0; e + 1 < b->edges.count;) {
        uint32_t count = 2 + (random_below(seed, 4) == 0);
        if (random_below(seed, 3) && groups < 5 && e + count <= b->edges.count) {
            char name[8];
            snprintf(name, sizeof name, "%cT%u", gyrators && random_below(seed, 2) ? '~' : '=',
                     groups++);
            for (uint32_t i = 0; i < count; i++)
                b->edges.at[e + i].coupling = build_coupling(b, name, (ct_place){0});
            e += count;
        } else {
            e++;
        }
    }
    for (uint32_t e = b->edges.count; e > 1; e--) { /* coupled edges stand anywhere */
        uint32_t j = random_below(seed, e);
        ct_graph_edge other = b->edges.at[j];
        b->edges.at[j] = b->edges.at[e - 1];
        b->edges.at[e - 1] = other;
    }
    return build_finish(b);
}

static uint32_t random_wishes(const ct_graph *g, uint64_t *seed)
{
    uint32_t sets[32], mask = 0;
    for (uint32_t i = random_below(seed, 4); i > 0 && g->edge_count; i--) {
        uint32_t more = mask | 1u << random_below(seed, g->edge_count);
        if (joined_by(g, more, sets) == count_bits(more))
            mask = more;
    }
    return mask;
}

static bool warned(const ct_context *ctx)
{
    for (size_t i = 0; i < ct_diag_count(ctx); i++)
        if (!strcmp(ct_diag_at(ctx, i)->code, "W321"))
            return true;
    return false;
}

static void compare_with_all(bool gyrators, bool with_wishes, int tries, uint64_t seed)
{
    int compared = 0, violated = 0;
    for (int i = 0; i < tries; i++) {
        build b;
        ct_context *ctx = ct_context_new(NULL);
        const ct_graph *g = random_coupled(&b, ctx, &seed, gyrators);
        uint32_t must = with_wishes ? random_wishes(g, &seed) : 0;
        const ct_tree *tree = select_mask(g, must, &seed, true);
        if (tree) {
            score got = score_of(g, mask_of(tree)), want = best_score(g, must);
            if (compare_scores(&got, &want) != 0)
                fail_msg("graph %d: not the best tree", i);
            assert_int_equal(warned(ctx), got.at[2] > 0);
            violated += got.at[2] > 0;
            compared++;
        } else {
            assert_true(ct_error_count(ctx) > 0);
        }
        ct_context_free(ctx);
    }
    print_message("%d trees compared with all trees, %d of them with a coupling violated\n",
                  compared, violated);
}

static void pairs(void **state)
{
    (void)state;
    compare_with_all(false, false, 8000, 4);
}

static void gyrators(void **state)
{
    (void)state;
    compare_with_all(true, false, 8000, 5);
}

static void couplings_and_wishes(void **state)
{
    (void)state;
    compare_with_all(true, true, 4000, 6);
}

/* ---- many couplings -------------------------------------------------------------------------- */

/* Shafts between gears, each with an inertia: one long chain. */
static void gear_train(build *b, ct_context *ctx, uint32_t gears)
{
    build_nodes(b, ctx, gears + 2);
    build_edge(b, 0, gears + 1, CT_ACROSS_DRIVER);
    for (uint32_t i = 0; i < gears; i++) {
        build_edge(b, i, gears + 1, CT_DISSIPATOR);
        build_edge(b, i + 1, gears + 1, CT_DISSIPATOR);
        build_edge(b, i + 1, gears + 1, CT_ACCUMULATOR);
    }
}

/* Transformers that feed one load each. */
static void transformers(build *b, ct_context *ctx, uint32_t count)
{
    build_nodes(b, ctx, count + 2);
    build_edge(b, count, count + 1, CT_ACROSS_DRIVER);
    for (uint32_t i = 0; i < count; i++) {
        build_edge(b, count, count + 1, CT_DISSIPATOR);
        build_edge(b, i, count + 1, CT_DISSIPATOR);
        build_edge(b, i, count + 1, CT_ACCUMULATOR);
    }
}

/* A lattice of nodes whose edges are coupled across it: circuits and couplings all hang together.
 */
static void tangle(build *b, ct_context *ctx, uint32_t count)
{
    uint64_t seed = 7;
    uint32_t nodes = count + 1;
    build_nodes(b, ctx, nodes);
    build_edge(b, 0, nodes - 1, CT_ACROSS_DRIVER);
    for (uint32_t i = 0; i < count; i++) {
        build_edge(b, random_below(&seed, nodes - 1), nodes - 1, CT_DISSIPATOR);
        build_edge(b, random_below(&seed, nodes - 1), random_below(&seed, nodes - 1),
                   CT_DISSIPATOR);
        build_edge(b, i, (i + 1) % nodes, (ct_tree_class)(2 + random_below(&seed, 3)));
    }
}

static const struct many_case {
    const char *name;
    void (*make)(build *b, ct_context *ctx, uint32_t couplings);
    uint32_t couplings;
    ct_coupling_kind kind;
    double most_effort;
} many_cases[] = {
    {"gear train", gear_train, 1000, CT_EXACTLY_ONE, 100},
    {"gear train", gear_train, 100000, CT_EXACTLY_ONE, 8000},
    {"independent transformers", transformers, 300000, CT_EXACTLY_ONE, 20000},
    {"independent gyrators", transformers, 300000, CT_ALL_OR_NONE, 20000},
    {"tangle of pairs", tangle, 1000, CT_EXACTLY_ONE, 5000},
    {"chain of gyrators", gear_train, 1000, CT_ALL_OR_NONE, 2000},
};

/* Edges 1 and 2, 4 and 5, 7 and 8, ... are coupled. */
static const ct_graph *couple(build *b, const struct many_case *c)
{
    for (uint32_t i = 0; i < c->couplings; i++) {
        ct_coupling coupling = {.kind = c->kind, .first = b->coupled.count, .count = 2};
        CT_PUSH(b->arena, b->couplings, coupling);
        for (uint32_t e = 3 * i + 1; e < 3 * i + 3; e++) {
            b->edges.at[e].coupling = i + 1;
            CT_PUSH(b->arena, b->coupled, e);
        }
    }
    uint32_t count = b->couplings.count;
    b->couplings.count = 0; /* build_finish() would look for the edges of each, in quadratic time */
    build_finish(b);
    b->graph.coupling = b->couplings.at;
    b->graph.coupling_count = count;
    return &b->graph;
}

static void many_couplings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof many_cases / sizeof *many_cases; i++) {
        const struct many_case *c = &many_cases[i];
        build b;
        ct_context *ctx = ct_context_new(NULL);
        c->make(&b, ctx, c->couplings);
        const ct_graph *g = couple(&b, c);
        double start = effort_clock();
        const ct_tree *tree = ct_tree_select(g, NULL);
        double effort = effort_since(start);
        assert_non_null(tree);
        uint32_t stores = 0, violated = 0;
        for (uint32_t k = 0; k < tree->branch_count; k++)
            stores += g->edge[tree->branch[k]].class == CT_ACCUMULATOR;
        for (uint32_t k = 0; k < g->coupling_count; k++) {
            uint32_t e = g->coupled[g->coupling[k].first];
            int in = tree->is_branch[e] + tree->is_branch[g->coupled[g->coupling[k].first + 1]];
            violated += (in == 1) != (c->kind == CT_EXACTLY_ONE);
        }
        print_message("%-25s %6u couplings: %8.3g, %u accumulators in the tree, %u violated\n",
                      c->name, c->couplings, effort, stores, violated);
        assert_true(effort < c->most_effort);
        ct_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees),    cmocka_unit_test(reasons),
        cmocka_unit_test(wishes),         cmocka_unit_test(pairs),
        cmocka_unit_test(gyrators),       cmocka_unit_test(couplings_and_wishes),
        cmocka_unit_test(many_couplings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

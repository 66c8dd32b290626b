/* test_graph_build.h - graphs for the tests, without parser and model.
 *
 * A graph is written as statements "name tail head class [coupling]" with a semicolon between them:
 *
 *     "V1 a g V; R2 a b R; C4 b g C; T1.a b g X =T1; T1.b c g X =T1"
 *
 * Classes: V across driver, C accumulator, R dissipator, L delay, I through driver, X any
 * (coupled).
 * "=T1": exactly one of T1's edges, "~Y1": all or none. Nodes that begin with m are translational,
 * with h hydraulic, all others electrical; g, mg and hg are the data. "node n" declares a node.
 */
#ifndef TEST_GRAPH_BUILD_H
#define TEST_GRAPH_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "unit/effort.h"

typedef struct build {
    ct_context *ctx;
    ct_arena *arena;
    CT_VEC(ct_graph_node) nodes;
    CT_VEC(ct_graph_edge) edges;
    CT_VEC(ct_coupling) couplings;
    CT_VEC(uint32_t) coupled;
    ct_graph_domain domain[3];
    ct_graph graph;
} build;

static inline void build_start(build *b, ct_context *ctx)
{
    static const char *const name[] = {"electrical", "translational", "hydraulic"};
    memset(b, 0, sizeof *b);
    b->ctx = ctx;
    b->arena = ct_arena_new(ctx);
    for (int d = 0; d < 3; d++)
        b->domain[d] = (ct_graph_domain){ct_intern_text(ctx, name[d]), UINT32_MAX, d == 1};
}

static inline uint32_t build_node(build *b, const char *name, ct_place place)
{
    ct_name n = ct_intern_text(b->ctx, name);
    uint32_t domain = name[0] == 'm' ? 1 : name[0] == 'h' ? 2 : 0;
    for (uint32_t i = 0; i < b->nodes.count; i++)
        if (b->nodes.at[i].name == n)
            return i;
    ct_graph_node node = {.name = n, .domain = domain, .place = place};
    node.datum = !strcmp(name, "g") || !strcmp(name, "mg") || !strcmp(name, "hg");
    if (node.datum)
        b->domain[domain].datum = b->nodes.count;
    CT_PUSH(b->arena, b->nodes, node);
    return b->nodes.count - 1;
}

static inline ct_tree_class build_class(char c)
{
    static const char letters[] = " VCRLI";
    const char *at = strchr(letters, c);
    return at && c != ' ' ? (ct_tree_class)(at - letters) : CT_DISSIPATOR;
}

static inline uint32_t build_coupling(build *b, const char *name, ct_place place)
{
    ct_name n = ct_intern_text(b->ctx, name + 1);
    for (uint32_t i = 0; i < b->couplings.count; i++)
        if (b->couplings.at[i].name == n)
            return i + 1;
    ct_coupling c = {.kind = name[0] == '=' ? CT_EXACTLY_ONE : CT_ALL_OR_NONE, .name = n};
    c.place = place;
    CT_PUSH(b->arena, b->couplings, c);
    return b->couplings.count;
}

static inline void build_statement(build *b, const char *text, ct_place place)
{
    char word[5][32] = {{0}};
    int words =
        sscanf(text, "%31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4]);
    if (words == 2 && !strcmp(word[0], "node")) {
        uint32_t node = build_node(b, word[1], place); /* moves b->nodes.at */
        b->nodes.at[node].named = true;
        return;
    }
    assert_true(words >= 4);
    ct_graph_edge e = {.name = ct_intern_text(b->ctx, word[0]), .place = place};
    e.tail = build_node(b, word[1], place);
    e.head = build_node(b, word[2], place);
    e.class = build_class(word[3][0]);
    e.coupling = words == 5 ? build_coupling(b, word[4], place) : 0;
    e.owner = b->edges.count;
    CT_PUSH(b->arena, b->edges, e);
}

/* Lists of coupled edges, and the graph itself. */
static inline const ct_graph *build_finish(build *b)
{
    for (uint32_t c = 0; c < b->couplings.count; c++) {
        b->couplings.at[c].first = b->coupled.count;
        for (uint32_t e = 0; e < b->edges.count; e++)
            if (b->edges.at[e].coupling == c + 1)
                CT_PUSH(b->arena, b->coupled, e);
        b->couplings.at[c].count = b->coupled.count - b->couplings.at[c].first;
    }
    b->graph = (ct_graph){.ctx = b->ctx,
                          .arena = b->arena,
                          .domain = b->domain,
                          .node = b->nodes.at,
                          .edge = b->edges.at,
                          .coupling = b->couplings.at,
                          .coupled = b->coupled.at,
                          .domain_count = 3,
                          .node_count = b->nodes.count,
                          .edge_count = b->edges.count,
                          .coupling_count = b->couplings.count,
                          .scalar_node_count = b->nodes.count,
                          .scalar_edge_count = b->edges.count};
    return &b->graph;
}

static inline const ct_graph *build_text(build *b, ct_context *ctx, const char *text)
{
    build_start(b, ctx);
    uint32_t source = ct_source_add(ctx, "test.lg", text, strlen(text));
    for (const char *at = text; *at;) {
        char statement[160] = "";
        at += strspn(at, "; \n");
        size_t length = strcspn(at, ";\n");
        if (!length)
            break;
        assert_true(length < sizeof statement);
        memcpy(statement, at, length);
        build_statement(b, statement, (ct_place){source, (uint32_t)(at - text), (uint32_t)length});
        at += length;
    }
    return build_finish(b);
}

/* For large and for random graphs: `nodes` electrical nodes, the last one is the datum. */
static inline void build_nodes(build *b, ct_context *ctx, uint32_t nodes)
{
    build_start(b, ctx);
    ct_name plain = nodes > 1000 ? ct_intern_text(ctx, "n") : 0;
    for (uint32_t v = 0; v < nodes; v++) {
        char text[16];
        snprintf(text, sizeof text, v + 1 < nodes ? "n%u" : "g", v);
        ct_graph_node node = {.name = plain ? plain : ct_intern_text(ctx, text)};
        node.datum = v + 1 == nodes;
        CT_PUSH(b->arena, b->nodes, node);
    }
    b->domain[0].datum = nodes - 1;
}

static inline void build_edge(build *b, uint32_t tail, uint32_t head, ct_tree_class class)
{
    char text[16];
    snprintf(text, sizeof text, "e%u", b->edges.count);
    ct_graph_edge e = {
        .tail = tail, .head = head, .class = (uint8_t) class, .owner = b->edges.count};
    e.name = ct_intern_text(b->ctx, b->edges.count < 100000 ? text : "e");
    CT_PUSH(b->arena, b->edges, e);
}

/* Small, the same in every run. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % limit);
}

static inline uint32_t edge_named(const ct_graph *g, const char *name)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (!strcmp(ct_name_text(g->ctx, g->edge[e].name), name))
            return e;
    fail_msg("no edge %s", name);
    return 0;
}

/* Wishes "a b c". */
static inline ct_tree_def wish_for(const ct_graph *g, const char *names)
{
    ct_tree_wish *wish = CT_NEW_ARRAY(g->arena, ct_tree_wish, 64);
    ct_tree_def def = {.wish = wish, .complete = true};
    char copy[256];
    snprintf(copy, sizeof copy, "%s", names);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        wish[def.wish_count++].edge = edge_named(g, word);
    return def;
}

#endif

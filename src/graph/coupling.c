/* coupling.c - which edges of couplings become branches.
 *
 * A transformer wants exactly one of its edges in the tree, a gyrator all or none. As few couplings
 * as possible are violated; after that the classes count: most accumulators, then most dissipators,
 * then fewest delays. The steps:
 *
 * 1. Kernel. Wishes and across drivers are branches already. An ordinary edge that is no branch
 * even when all coupled edges are chords is never needed; one that is a branch even when all
 * coupled edges are contracted is always one. What remains has at most as many ordinary edges as
 * coupled ones, however large the graph.
 * 2. Clusters. Parts of the kernel that share neither a circuit nor a coupling are settled one by
 * one, so that independent couplings cost linear time.
 * 3. In a cluster, "exactly one" is weighted matroid intersection (exchange.c). "All or none" would
 * be matroid parity: a few of them are tried in all combinations (a constant number), more of them
 * by flipping one or two at a time as long as that helps, which finds the best nearly always.
 */
#include "base/vec.h"
#include "graph/choice.h"
#include "graph/exchange.h"
#include "base/sets.h"

enum { FEW_GYRATORS = 6, MOST_GYRATORS = 10, MOST_TRIED = 1 << 17, MOST_PAIRED = 40 };
static const uint64_t work_limit = 400000000; /* steps; a few seconds */

typedef struct kernel {
    ct_choice *choice;
    const ct_graph *graph;
    ct_arena *scratch;
    uint32_t *sets; /* over nodes: what is contracted */
    uint32_t *edge; /* edges of the graph that are left */
    uint32_t count;
    uint32_t *point;   /* per node: number of its contracted set, only at smallest members */
    ct_graph shrunk;   /* points and edges left */
    uint32_t *block;   /* sets of edges left that share circuits */
    uint32_t *cluster; /* sets of edges left that share circuits or couplings */
    uint64_t work;
} kernel;

/* ---- 1. kernel ------------------------------------------------------------------------------- */

/* Kruskal over the ordinary edges among `from` (NULL: all), class by class. */
static bool *ordinary_branches(const kernel *k, uint32_t *sets, const bool *from)
{
    const ct_graph_edge *edge = k->graph->edge;
    bool *branch = CT_NEW_ARRAY(k->scratch, bool, k->graph->scalar_edge_count);
    for (int class = CT_ACCUMULATOR; class <= CT_THROUGH_DRIVER; class ++)
        for (uint32_t e = 0; e < k->graph->scalar_edge_count; e++)
            if ((int)edge[e].class == class && !edge[e].coupling && (!from || from[e]))
                branch[e] = ct_sets_join(sets, edge[e].tail, edge[e].head);
    return branch;
}

static void contract(kernel *k)
{
    const ct_graph *g = k->graph;
    uint32_t *without = ct_sets_copy(k->scratch, k->choice->sets, g->node_count);
    uint32_t *with = ct_sets_copy(k->scratch, k->choice->sets, g->node_count);
    bool *candidate = ordinary_branches(k, without, NULL);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (g->edge[e].coupling)
            ct_sets_join(with, g->edge[e].tail, g->edge[e].head);
    bool *always = ordinary_branches(k, with, candidate);
    k->sets = ct_sets_copy(k->scratch, k->choice->sets, g->node_count);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (always[e])
            ct_sets_join(k->sets, g->edge[e].tail, g->edge[e].head);
    CT_VEC(uint32_t) left = {0};
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        const ct_graph_edge *edge = &g->edge[e];
        bool ordinary = candidate[e] && !always[e];
        if ((edge->coupling ? !k->choice->in[e] : ordinary) &&
            ct_sets_find(k->sets, edge->tail) != ct_sets_find(k->sets, edge->head))
            CT_PUSH(k->scratch, left, e);
    }
    k->edge = left.at;
    k->count = left.count;
}

static uint32_t point_of(kernel *k, uint32_t node)
{
    uint32_t *point = &k->point[ct_sets_find(k->sets, node)];
    if (!*point)
        *point = ++k->shrunk.node_count;
    return *point - 1;
}

static void shrink(kernel *k)
{
    ct_graph_edge *edge = CT_NEW_ARRAY(k->scratch, ct_graph_edge, k->count);
    k->point = CT_NEW_ARRAY(k->scratch, uint32_t, k->graph->node_count);
    k->shrunk = (ct_graph){.ctx = k->graph->ctx, .edge = edge, .edge_count = k->count};
    for (uint32_t i = 0; i < k->count; i++) {
        edge[i] = k->graph->edge[k->edge[i]];
        edge[i].tail = point_of(k, edge[i].tail);
        edge[i].head = point_of(k, edge[i].head);
    }
    k->shrunk.node = CT_NEW_ARRAY(k->scratch, ct_graph_node, k->shrunk.node_count);
}

/* ---- 2. clusters ----------------------------------------------------------------------------- */

/* Edges on a common circuit. Such a set of tree edges hangs together; top[] is its node nearest to
 * the root, to which the walk up the tree jumps. */
static void join_circuit(kernel *k, const ct_forest *f, uint32_t *sets, uint32_t *top, uint32_t e)
{
    const ct_graph *g = &k->shrunk;
    uint32_t u = g->edge[e].tail, v = g->edge[e].head;
    while (u != v) {
        uint32_t *lower = f->depth[u] >= f->depth[v] ? &u : &v;
        uint32_t a = ct_sets_find(sets, e), b = ct_sets_find(sets, f->parent[*lower]);
        uint32_t up = top[b] == CT_NONE ? ct_other_end(g, f->parent[*lower], *lower) : top[b];
        ct_sets_join(sets, a, b);
        uint32_t c = ct_sets_find(sets, a), known = top[a];
        top[c] = known == CT_NONE || f->depth[up] < f->depth[known] ? up : known;
        *lower = up;
    }
}

static void join_circuits(kernel *k)
{
    uint32_t *sets = ct_sets_new(k->scratch, k->shrunk.node_count);
    uint32_t *top = CT_NEW_ARRAY(k->scratch, uint32_t, k->count);
    bool *branch = CT_NEW_ARRAY(k->scratch, bool, k->count);
    for (uint32_t i = 0; i < k->count; i++) {
        top[i] = CT_NONE;
        branch[i] = ct_sets_join(sets, k->shrunk.edge[i].tail, k->shrunk.edge[i].head);
    }
    ct_forest f = ct_forest_root(k->scratch, &k->shrunk, branch);
    k->block = ct_sets_new(k->scratch, k->count);
    for (uint32_t i = 0; i < k->count; i++)
        if (!branch[i])
            join_circuit(k, &f, k->block, top, i);
}

static void join_couplings(kernel *k)
{
    uint32_t *first = CT_NEW_ARRAY(k->scratch, uint32_t, k->graph->coupling_count + (size_t)1);
    k->cluster = ct_sets_copy(k->scratch, k->block, k->count);
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t coupling = k->shrunk.edge[i].coupling;
        if (!coupling)
            continue;
        if (first[coupling])
            ct_sets_join(k->cluster, first[coupling] - 1, i);
        first[coupling] = i + 1;
    }
}

/* ---- 3. one cluster -------------------------------------------------------------------------- */

typedef struct gyrator {
    int32_t branches, rest; /* edges wanted by the user, edges not wanted */
    bool on;
} gyrator;

typedef struct cluster {
    kernel *k;
    CT_VEC(ct_exchange_edge) elements;
    CT_VEC(gyrator) gyrators;
    CT_VEC(uint32_t) gyrator_elements; /* element, its gyrator, and so on */
    uint32_t node_count, slot_count, block_count;
    uint32_t block; /* of the kernel: the one whose edges are being added */
    ct_exchange *exchange;
    bool *best; /* per element */
    ct_cost best_cost;
} cluster;

/* Numbers that mean something only in one block or cluster; the next one overwrites them. */
typedef struct numbers {
    uint32_t *point, *point_block;         /* per point of the kernel: node; block + 1 */
    uint32_t *coupling, *coupling_cluster; /* per coupling: slot or gyrator; cluster + 1 */
} numbers;

static uint32_t number_in(uint32_t *number, uint32_t *owner, uint32_t i, uint32_t id,
                          uint32_t *count)
{
    if (owner[i] != id + 1) {
        owner[i] = id + 1;
        number[i] = (*count)++;
    }
    return number[i];
}

static int32_t wanted_edges(const kernel *k, const ct_coupling *c)
{
    int32_t wanted = 0;
    for (uint32_t i = 0; i < c->count; i++)
        wanted += k->choice->in[k->graph->coupled[c->first + i]];
    return wanted;
}

static void add_gyrator_edge(cluster *c, numbers *n, uint32_t id, uint32_t coupling)
{
    uint32_t count = c->gyrators.count;
    uint32_t index = number_in(n->coupling, n->coupling_cluster, coupling, id, &count);
    if (count != c->gyrators.count) {
        const ct_coupling *group = &c->k->graph->coupling[coupling];
        int32_t wanted = wanted_edges(c->k, group);
        gyrator g = {.branches = wanted, .rest = (int32_t)group->count - wanted};
        CT_PUSH(c->k->scratch, c->gyrators, g);
    }
    CT_PUSH(c->k->scratch, c->gyrator_elements, c->elements.count - 1);
    CT_PUSH(c->k->scratch, c->gyrator_elements, index);
}

/* A pair's edge comes twice: with the slot of its coupling, welcome; and without, as a violation.
 */
static void add_pair_edge(cluster *c, numbers *n, uint32_t id, uint32_t coupling)
{
    if (wanted_edges(c->k, &c->k->graph->coupling[coupling]))
        return;
    ct_exchange_edge with_slot = c->elements.at[c->elements.count - 1];
    with_slot.kind = CT_WELCOME;
    with_slot.slot = number_in(n->coupling, n->coupling_cluster, coupling, id, &c->slot_count);
    CT_PUSH(c->k->scratch, c->elements, with_slot);
}

static ct_element_kind kind_of(const ct_graph_edge *e)
{
    static const ct_element_kind kind[] = {
        [CT_ACCUMULATOR] = CT_STORES,
        [CT_DISSIPATOR] = CT_DISSIPATES,
        [CT_DELAY] = CT_DELAYS,
        [CT_THROUGH_DRIVER] = CT_FORBIDDEN,
    };
    return e->coupling ? CT_UNWELCOME : kind[e->class];
}

static void add_edge(cluster *c, numbers *n, uint32_t id, uint32_t i)
{
    const ct_graph_edge *e = &c->k->shrunk.edge[i];
    uint32_t block = ct_sets_find(c->k->block, i);
    c->block_count += !c->block_count || block != c->block;
    c->block = block;
    ct_exchange_edge element = {.kind = kind_of(e), .slot = CT_NONE, .edge = c->k->edge[i]};
    element.block = c->block_count - 1;
    element.tail = number_in(n->point, n->point_block, e->tail, block, &c->node_count);
    element.head = number_in(n->point, n->point_block, e->head, block, &c->node_count);
    CT_PUSH(c->k->scratch, c->elements, element);
    if (!e->coupling)
        return;
    if (c->k->graph->coupling[e->coupling - 1].kind == CT_ALL_OR_NONE)
        add_gyrator_edge(c, n, id, e->coupling - 1);
    else
        add_pair_edge(c, n, id, e->coupling - 1);
}

/* Solves for the present states of the gyrators; keeps the result if it is the best so far. */
static bool try_states(cluster *c)
{
    for (uint32_t i = 0; i < c->gyrator_elements.count; i += 2) {
        bool on = c->gyrators.at[c->gyrator_elements.at[i + 1]].on;
        c->elements.at[c->gyrator_elements.at[i]].kind = on ? CT_WELCOME : CT_UNWELCOME;
    }
    ct_cost cost = ct_exchange_solve(c->exchange, &c->k->work);
    for (uint32_t i = 0; i < c->gyrators.count; i++) {
        const gyrator *g = &c->gyrators.at[i];
        cost.at[1] += g->on ? g->rest : g->branches;
    }
    if (c->best && ct_cost_compare(&cost, &c->best_cost) >= 0)
        return false;
    c->best = c->best ? c->best : CT_NEW_ARRAY(c->k->scratch, bool, c->elements.count);
    c->best_cost = cost;
    for (uint32_t i = 0; i < c->elements.count; i++)
        c->best[i] = c->elements.at[i].in;
    return true;
}

static void try_all_states(cluster *c)
{
    for (uint32_t mask = 0; mask < 1u << c->gyrators.count; mask++) {
        for (uint32_t i = 0; i < c->gyrators.count; i++)
            c->gyrators.at[i].on = mask >> i & 1;
        try_states(c);
    }
}

static bool few_states(const cluster *c)
{
    uint32_t count = c->gyrators.count;
    return count <= FEW_GYRATORS ||
           (count <= MOST_GYRATORS && (uint64_t)c->elements.count << count <= MOST_TRIED);
}

/* i == j flips one. */
static bool try_flip(cluster *c, uint32_t i, uint32_t j)
{
    gyrator *g = c->gyrators.at;
    g[i].on = !g[i].on;
    if (i != j)
        g[j].on = !g[j].on;
    if (try_states(c))
        return true;
    g[i].on = !g[i].on;
    if (i != j)
        g[j].on = !g[j].on;
    return false;
}

static void flip_while_better(cluster *c)
{
    uint32_t count = c->gyrators.count, rounds = 0;
    bool better = try_states(c);
    while (better && rounds++ < count && c->k->work) {
        better = false;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = i; j < (count <= MOST_PAIRED ? count : i + 1) && c->k->work; j++)
                better |= try_flip(c, i, j);
    }
}

static void settle_cluster(cluster *c)
{
    kernel *k = c->k;
    c->exchange = ct_exchange_new(k->scratch, c->elements.at, c->elements.count, c->node_count,
                                  c->slot_count);
    if (few_states(c))
        try_all_states(c);
    else
        flip_while_better(c);
    for (uint32_t i = 0; i < c->elements.count; i++) {
        uint32_t e = c->elements.at[i].edge;
        const ct_graph_edge *edge = &k->graph->edge[e];
        if (!c->best[i] || !edge->coupling)
            continue;
        k->choice->in[e] = true;
        ct_sets_join(k->choice->sets, edge->tail, edge->head);
    }
}

/* ---- all clusters ---------------------------------------------------------------------------- */

/* Stable: edges of one set keep their order. */
static uint32_t *sorted_by_set(kernel *k, uint32_t *sets, const uint32_t *edge)
{
    uint32_t *start = CT_NEW_ARRAY(k->scratch, uint32_t, (size_t)k->count + 1);
    uint32_t *order = CT_NEW_ARRAY(k->scratch, uint32_t, k->count);
    for (uint32_t i = 0; i < k->count; i++)
        start[ct_sets_find(sets, i) + 1]++;
    for (uint32_t i = 1; i <= k->count; i++)
        start[i] += start[i - 1];
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t e = edge ? edge[i] : i;
        order[start[ct_sets_find(sets, e)]++] = e;
    }
    return order;
}

static numbers new_numbers(const kernel *k)
{
    uint32_t points = k->shrunk.node_count, couplings = k->graph->coupling_count;
    return (numbers){CT_NEW_ARRAY(k->scratch, uint32_t, points),
                     CT_NEW_ARRAY(k->scratch, uint32_t, points),
                     CT_NEW_ARRAY(k->scratch, uint32_t, couplings),
                     CT_NEW_ARRAY(k->scratch, uint32_t, couplings)};
}

static void settle_clusters(kernel *k)
{
    const uint32_t *order = sorted_by_set(k, k->cluster, sorted_by_set(k, k->block, NULL));
    numbers n = new_numbers(k);
    for (uint32_t first = 0, next; first < k->count; first = next) {
        uint32_t id = ct_sets_find(k->cluster, order[first]);
        cluster c = {.k = k};
        for (next = first; next < k->count && ct_sets_find(k->cluster, order[next]) == id; next++)
            add_edge(&c, &n, id, order[next]);
        settle_cluster(&c);
    }
}

void ct_choose_coupled(ct_choice *choice)
{
    kernel k = {.choice = choice, .graph = choice->graph, .work = work_limit};
    k.scratch = ct_arena_new(choice->graph->ctx);
    contract(&k);
    shrink(&k);
    join_circuits(&k);
    join_couplings(&k);
    settle_clusters(&k);
    ct_arena_free(k.scratch);
}

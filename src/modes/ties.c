/* ties.c - edges that are redundant in a mode.
 *
 * A loop of closed edges fixes its voltages once too often, and leaves a current open; a cutset of
 * open edges the other way round. The limit of equal small resistances says: the currents round the
 * loop sum up to zero; of equal small conductances: so do the voltages over the cutset.
 */
#include "base/sets.h"
#include "graph/graph.h"
#include "modes/inside.h"

typedef struct tying {
    const ct_modes *all;
    const ct_model *model;
    const ct_graph *g;
    ct_arena *arena;
    bool *closed, *open; /* by edge: of an item, and no more than that */
    bool *in;            /* chosen: forest of closed edges; ties of islands */
    CT_VEC(ct_tie) tie;
} tying;

static void classify(tying *t)
{
    const ct_graph *g = t->g;
    bool *modal = CT_NEW_ARRAY(t->arena, bool, t->model->component_count + 1);
    for (uint32_t i = 0; i < t->all->count; i++)
        modal[t->all->item[i].component] = true;
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        const ct_graph_edge *edge = &g->edge[e];
        const ct_element *element = t->model->element[t->model->component[edge->owner].element];
        if (!modal[edge->owner] || element->edge_count != 1)
            continue;
        t->closed[e] = edge->class == CT_ACROSS_DRIVER;
        t->open[e] = edge->class == CT_THROUGH_DRIVER;
    }
}

static ct_name variable(const tying *t, uint32_t edge, bool across)
{
    uint32_t component = t->g->edge[edge].owner;
    const ct_element *e = t->model->element[t->model->component[component].element];
    const ct_variable_row *row = ct_domain_row_at(e->edge[0].domain)->variable;
    for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++)
        if (row[k].order == 0 && row[k].across == across)
            return ct_edge_variable(t->model, component, 0, k);
    return 0;
}

static ct_expr add_term(const tying *t, ct_expr sum, uint32_t edge, bool across, bool minus)
{
    ct_expr term = ct_expr_symbol(t->model->pool, variable(t, edge, across));
    return (minus ? ct_expr_sub : ct_expr_add)(t->model->pool, sum, term);
}

static void add_tie(tying *t, uint32_t edge, bool across, ct_expr value)
{
    ct_tie tie = {t->g->edge[edge].owner, across, value};
    CT_PUSH(t->arena, t->tie, tie);
}

/* ---- loops */

/* Edge by which each node is reached from the start along the forest. */
static uint32_t *walk_from(const tying *t, uint32_t start)
{
    const ct_graph *g = t->g;
    uint32_t *by = CT_NEW_ARRAY(t->arena, uint32_t, g->node_count + 1);
    bool grown = true;
    for (uint32_t i = 0; i < g->node_count; i++)
        by[i] = UINT32_MAX;
    by[start] = UINT32_MAX - 1;
    while (grown) {
        grown = false;
        for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
            if (!t->in[e] ||
                (by[g->edge[e].tail] == UINT32_MAX) == (by[g->edge[e].head] == UINT32_MAX))
                continue;
            by[by[g->edge[e].tail] == UINT32_MAX ? g->edge[e].tail : g->edge[e].head] = e;
            grown = true;
        }
    }
    return by;
}

/* From the head back to the tail: along an edge its current counts with plus. */
static void tie_loop(tying *t, uint32_t edge)
{
    const ct_graph *g = t->g;
    const uint32_t *by = walk_from(t, g->edge[edge].tail);
    ct_expr sum = ct_expr_int(t->model->pool, 0);
    for (uint32_t node = g->edge[edge].head; by[node] < g->edge_count;) {
        const ct_graph_edge *e = &g->edge[by[node]];
        bool along = e->tail == node;
        sum = add_term(t, sum, by[node], false, along);
        node = along ? e->head : e->tail;
    }
    add_tie(t, edge, false, sum);
}

static void find_loops(tying *t)
{
    const ct_graph *g = t->g;
    uint32_t *sets = ct_sets_new(t->arena, g->node_count);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (t->closed[e] && ct_sets_join(sets, g->edge[e].tail, g->edge[e].head))
            t->in[e] = true;
        else if (t->closed[e])
            tie_loop(t, e);
}

/* ---- islands */

/* Parts that hang together without open edges but for the ties; one of these is left out. */
static uint32_t *parts_without(const tying *t, uint32_t left_out)
{
    const ct_graph *g = t->g;
    uint32_t *sets = ct_sets_new(t->arena, g->node_count);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (e != left_out && (!t->open[e] || t->in[e]))
            ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
    return sets;
}

static void tie_island(tying *t, uint32_t edge)
{
    const ct_graph *g = t->g;
    uint32_t *sets = parts_without(t, edge);
    uint32_t tail = ct_sets_find(sets, g->edge[edge].tail);
    ct_expr sum = ct_expr_int(t->model->pool, 0);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        bool from = ct_sets_find(sets, g->edge[e].tail) == tail;
        bool to = ct_sets_find(sets, g->edge[e].head) == tail;
        if (e != edge && t->open[e] && from != to)
            sum = add_term(t, sum, e, true, from);
    }
    add_tie(t, edge, true, sum);
}

static void find_islands(tying *t)
{
    const ct_graph *g = t->g;
    uint32_t *sets = parts_without(t, UINT32_MAX);
    CT_VEC(uint32_t) tied = {0};
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (t->open[e] && ct_sets_join(sets, g->edge[e].tail, g->edge[e].head)) {
            t->in[e] = true;
            CT_PUSH(t->arena, tied, e);
        }
    for (uint32_t i = 0; i < tied.count; i++)
        tie_island(t, tied.at[i]);
}

const ct_tie *ct_find_ties(const ct_modes *all, const ct_graph *graph, ct_arena *arena,
                           uint32_t *count)
{
    tying t = {.all = all, .model = graph->model, .g = graph, .arena = arena};
    t.closed = CT_NEW_ARRAY(arena, bool, graph->edge_count + 1);
    t.open = CT_NEW_ARRAY(arena, bool, graph->edge_count + 1);
    t.in = CT_NEW_ARRAY(arena, bool, graph->edge_count + 1);
    classify(&t);
    find_loops(&t);
    find_islands(&t);
    *count = t.tie.count;
    return t.tie.at;
}

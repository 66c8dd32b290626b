/* view.c - arranges one domain of a graph for the writers. */
#include "graph/view.h"

#include "base/vec.h"
#include "graph/forest.h"
#include "base/sets.h"

/* ---- order ----------------------------------------------------------------------------------- */

static void arrange_nodes(ct_arena *arena, ct_view *v)
{
    const ct_graph *g = v->graph;
    uint32_t *node = CT_NEW_ARRAY(arena, uint32_t, g->node_count);
    uint32_t *row_of = CT_NEW_ARRAY(arena, uint32_t, g->node_count);
    v->datum = CT_NONE;
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (g->node[i].domain != v->domain)
            continue;
        if (g->node[i].datum && v->datum == CT_NONE)
            v->datum = i;
        else
            node[v->node_count++] = i;
    }
    if (v->datum != CT_NONE)
        node[v->node_count++] = v->datum;
    for (uint32_t i = 0; i < v->node_count; i++)
        row_of[node[i]] = i;
    v->node = node;
    v->row_of = row_of;
}

static void arrange_edges(ct_arena *arena, ct_view *v)
{
    const ct_graph *g = v->graph;
    uint32_t *edge = CT_NEW_ARRAY(arena, uint32_t, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->node[g->edge[e].tail].domain == v->domain)
            edge[v->edge_count++] = e;
    v->edge = edge;
}

static void arrange_columns(ct_arena *arena, ct_view *v)
{
    uint32_t *column = CT_NEW_ARRAY(arena, uint32_t, v->edge_count);
    uint32_t *column_of = CT_NEW_ARRAY(arena, uint32_t, v->graph->edge_count), count = 0;
    for (int branch = 1; branch >= 0; branch--) {
        for (uint32_t i = 0; i < v->edge_count; i++)
            if (v->tree->is_branch[v->edge[i]] == branch) {
                column_of[v->edge[i]] = count;
                column[count++] = v->edge[i];
            }
        if (branch)
            v->branch_count = count;
    }
    v->column = column;
    v->column_of = column_of;
}

static void count_parts(ct_arena *arena, ct_view *v)
{
    uint32_t *sets = ct_sets_new(arena, v->graph->node_count);
    v->parts = v->node_count;
    for (uint32_t i = 0; i < v->edge_count; i++) {
        const ct_graph_edge *e = &v->graph->edge[v->edge[i]];
        v->parts -= ct_sets_join(sets, e->tail, e->head);
    }
}

ct_view ct_view_domain(ct_arena *arena, const ct_graph *graph, const ct_tree *tree, uint32_t domain)
{
    ct_view v = {.graph = graph, .tree = tree, .domain = domain};
    arrange_nodes(arena, &v);
    arrange_edges(arena, &v);
    count_parts(arena, &v);
    if (tree)
        arrange_columns(arena, &v);
    return v;
}

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct entry {
    uint32_t row, column;
    int8_t sign;
} entry;

typedef CT_VEC(entry) entry_list;

/* Entries come column by column; they leave row by row. */
static ct_signs by_rows(ct_arena *arena, const entry_list *list, uint32_t rows, uint32_t columns)
{
    size_t *start = CT_NEW_ARRAY(arena, size_t, (size_t)rows + 2);
    uint32_t *column = CT_NEW_ARRAY(arena, uint32_t, list->count);
    int8_t *sign = CT_NEW_ARRAY(arena, int8_t, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        start[list->at[i].row + 2]++;
    for (uint32_t r = 2; r < rows + 2; r++)
        start[r] += start[r - 1];
    for (uint32_t i = 0; i < list->count; i++) {
        size_t at = start[list->at[i].row + 1]++;
        column[at] = list->at[i].column;
        sign[at] = list->at[i].sign;
    }
    return (ct_signs){rows, columns, start, column, sign};
}

/* +1 where an edge leaves its node, -1 where it arrives [McPhee-2, eq. 2]. */
ct_signs ct_view_incidence(ct_arena *arena, const ct_view *v)
{
    entry_list list = {0};
    for (uint32_t i = 0; i < v->edge_count; i++) {
        const ct_graph_edge *e = &v->graph->edge[v->edge[i]];
        if (e->tail == e->head)
            continue;
        CT_PUSH(arena, list, (entry){v->row_of[e->tail], i, +1});
        CT_PUSH(arena, list, (entry){v->row_of[e->head], i, -1});
    }
    return by_rows(arena, &list, v->node_count, v->edge_count);
}

/* [A_f] = [[1_b] [A_c]] [McPhee-2, eq. 6]. */
ct_signs ct_view_cutsets(ct_arena *arena, const ct_view *v, const ct_topology *t)
{
    entry_list list = {0};
    for (uint32_t r = 0; r < v->branch_count; r++)
        CT_PUSH(arena, list, (entry){r, r, +1});
    for (uint32_t c = v->branch_count; c < v->edge_count; c++) {
        uint32_t k = v->tree->row[v->column[c]];
        for (uint64_t i = t->entry_start[k]; i < t->entry_start[k + 1]; i++) {
            uint32_t row = v->column_of[v->tree->branch[t->row[i]]];
            CT_PUSH(arena, list, (entry){row, c, t->sign[i]});
        }
    }
    return by_rows(arena, &list, v->branch_count, v->edge_count);
}

/* [B_f] = [[B_b] [1_c]] with [B_b] = -[A_c]^T [McPhee-2, eqs. 9, 13]: the cutset matrix, read by
 * columns. */
ct_signs ct_view_circuits(ct_arena *arena, const ct_view *v, const ct_topology *t)
{
    ct_signs cut = ct_view_cutsets(arena, v, t);
    entry_list list = {0};
    for (uint32_t r = 0; r < cut.rows; r++)
        for (size_t i = cut.start[r]; i < cut.start[r + 1]; i++)
            if (cut.column[i] >= v->branch_count) {
                int8_t sign = cut.sign[i] > 0 ? -1 : +1;
                CT_PUSH(arena, list, (entry){cut.column[i] - v->branch_count, r, sign});
            }
    uint32_t chords = v->edge_count - v->branch_count;
    for (uint32_t k = 0; k < chords; k++)
        CT_PUSH(arena, list, (entry){k, v->branch_count + k, +1});
    return by_rows(arena, &list, chords, v->edge_count);
}

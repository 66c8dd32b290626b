/* topology_rows.c - what the connections say, whatever the components are. */
#include "formulate/formulation.h"

void ct_add_row(formulation *f, term_list *terms, ct_expr rest, bool nonlinear,
                ct_origin_kind origin, uint32_t index)
{
    ct_row row = {f->term.count, terms->count, rest, nonlinear, origin, index};
    for (uint32_t i = 0; i < terms->count; i++)
        CT_PUSH(f->arena, f->term, terms->at[i]);
    CT_PUSH(f->arena, f->row, row);
    CT_DROP(f->arena, *terms);
}

static void put(formulation *f, term_list *terms, uint32_t unknown, int sign)
{
    if (unknown)
        CT_PUSH(f->arena, *terms, (ct_term){unknown, sign > 0 ? f->one : f->minus_one});
}

/* [A] tau = 0: through variables that leave a node add up to zero [McPhee-2, eq. 4]. */
static void add_vertex_rows(formulation *f)
{
    const ct_graph *g = f->graph;
    uint32_t *next = CT_NEW_ARRAY(f->arena, uint32_t, g->scalar_node_count + 2);
    ct_term *term = CT_NEW_ARRAY(f->arena, ct_term, 2 * g->scalar_edge_count + 1);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        next[g->edge[e].tail + 1]++;
        next[g->edge[e].head + 1]++;
    }
    for (uint32_t n = 0; n < g->scalar_node_count; n++)
        next[n + 1] += next[n];
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        uint32_t u = ct_through_unknown(f, e);
        term[next[g->edge[e].tail]++] = (ct_term){u, f->one};
        term[next[g->edge[e].head]++] = (ct_term){u, f->minus_one};
    }
    for (uint32_t n = 0, from = 0; n < g->scalar_node_count; from = next[n++]) {
        term_list terms = {0};
        for (uint32_t i = from; !g->node[n].datum && i < next[n]; i++)
            CT_PUSH(f->arena, terms, term[i]);
        if (terms.count)
            ct_add_row(f, &terms, f->zero, false, CT_FROM_VERTEX, n);
    }
    ct_arena_release(f->arena, term, (2 * (size_t)g->scalar_edge_count + 1) * sizeof *term);
    ct_arena_release(f->arena, next, ((size_t)g->scalar_node_count + 2) * sizeof *next);
}

static void add_cutset_row(formulation *f, uint32_t branch)
{
    term_list terms = {0};
    put(f, &terms, ct_through_unknown(f, branch), 1);
    ct_put_by_chords(f, branch, f->minus_one, false, &terms);
    ct_add_row(f, &terms, f->zero, false, CT_FROM_CUTSET, branch);
}

static void add_circuit_row(formulation *f, uint32_t chord)
{
    term_list terms = {0};
    put(f, &terms, ct_across_unknown(f, chord), 1);
    ct_put_by_branches(f, chord, f->minus_one, false, &terms);
    ct_add_row(f, &terms, f->zero, false, CT_FROM_CIRCUIT, chord);
}

/* [A_f] tau = 0 and [B_f] alpha = 0 [McPhee-2, eqs. 5, 8]. */
static void add_fundamental_rows(formulation *f)
{
    for (uint32_t r = 0; r < f->tree->scalar_branch_count; r++)
        add_cutset_row(f, f->tree->branch[r]);
    for (uint32_t k = 0; k < f->tree->scalar_chord_count; k++)
        add_circuit_row(f, f->tree->chord[k]);
}

void ct_add_topological_rows(formulation *f)
{
    if (f->system->form == CT_FORM_NODAL)
        add_vertex_rows(f);
    else if (f->system->form == CT_FORM_TABLEAU)
        add_fundamental_rows(f);
}

static void add_position_row(formulation *f, uint32_t edge)
{
    term_list terms = {0};
    put(f, &terms, ct_rate_of(f, f->position[edge]), 1);
    ct_put_across(f, edge, f->minus_one, &terms);
    ct_add_row(f, &terms, f->zero, false, CT_FROM_POSITION, edge);
}

/* v_e by potentials, for across variables that are unknowns of their own in the nodal form. */
static void add_across_row(formulation *f, uint32_t edge)
{
    const ct_graph_edge *e = &f->graph->edge[edge];
    bool mechanical = f->graph->domain[f->graph->node[e->tail].domain].across_head_minus_tail;
    term_list terms = {0};
    put(f, &terms, f->across[edge], 1);
    put(f, &terms, ct_potential_unknown(f, e->tail), mechanical ? 1 : -1);
    put(f, &terms, ct_potential_unknown(f, e->head), mechanical ? -1 : 1);
    ct_add_row(f, &terms, f->zero, false, CT_FROM_EDGE, edge);
}

/* Storage with unknowns of its own: what binds it. */
static void add_storage_rows(formulation *f)
{
    for (uint32_t e = 0; e < f->graph->scalar_edge_count; e++) {
        if (f->through[e] && ct_stores_apart(f, e, false))
            add_cutset_row(f, e);
        if (f->across[e] && ct_stores_apart(f, e, true))
            add_circuit_row(f, e);
    }
}

/* Rows of what the other rows made an unknown: comes last. */
void ct_add_state_rows(formulation *f)
{
    for (uint32_t e = 0; f->position_parent && e < f->graph->scalar_edge_count; e++)
        if (f->position[e])
            add_position_row(f, e);
    for (uint32_t e = 0; f->system->form == CT_FORM_NODAL && e < f->graph->scalar_edge_count; e++)
        if (f->across[e])
            add_across_row(f, e);
    if (f->system->form == CT_FORM_BRANCH_CHORD)
        add_storage_rows(f);
}

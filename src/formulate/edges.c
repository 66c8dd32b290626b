/* edges.c - variables of edges as sums of unknowns.
 *
 * With the tree, alpha_c = [A_c]^T alpha_b and tau_b = -[A_c] tau_c  [McPhee-2, eqs. 20, 21]; with
 * potentials of nodes, alpha = [A]^T alpha_n  [eq. 14].
 */
#include "formulate/formulation.h"

static void put(formulation *f, term_list *out, uint32_t unknown, ct_expr factor)
{
    if (unknown)
        CT_PUSH(f->arena, *out, (ct_term){unknown, factor});
}

static ct_expr with_sign(formulation *f, ct_expr factor, int sign)
{
    return sign > 0 ? factor : ct_expr_neg(f->pool, factor);
}

static bool head_minus_tail(const formulation *f, uint32_t edge)
{
    uint32_t domain = f->graph->node[f->graph->edge[edge].tail].domain;
    return f->graph->domain[domain].across_head_minus_tail;
}

static uint32_t other_end(const ct_graph *g, uint32_t edge, uint32_t node)
{
    return g->edge[edge].tail == node ? g->edge[edge].head : g->edge[edge].tail;
}

/* Calls put_edge for each branch on the way home from the head of `edge` to its tail, through the
 * forest given by parent edges and depths. The sign is that of [A_c]. */
static void walk_home(formulation *f, uint32_t from, uint32_t to, const uint32_t *parent,
                      const uint32_t *depth,
                      void (*put_edge)(formulation *f, uint32_t edge, ct_expr factor, bool rate,
                                       term_list *out),
                      ct_expr factor, bool rate, term_list *out)
{
    const ct_graph *g = f->graph;
    while (from != to) {
        bool climb_from = depth[from] >= depth[to];
        uint32_t v = climb_from ? from : to, b = parent[v];
        bool along = (g->edge[b].tail == v) == climb_from;
        put_edge(f, b, with_sign(f, factor, along ? -1 : 1), rate, out);
        *(climb_from ? &from : &to) = other_end(g, b, v);
    }
}

/* ---- across */

static void put_by_potentials(formulation *f, uint32_t edge, ct_expr factor, term_list *out)
{
    const ct_graph_edge *e = &f->graph->edge[edge];
    bool mechanical = head_minus_tail(f, edge);
    put(f, out, ct_potential_unknown(f, e->tail), with_sign(f, factor, mechanical ? -1 : 1));
    put(f, out, ct_potential_unknown(f, e->head), with_sign(f, factor, mechanical ? 1 : -1));
}

static void put_branch(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out)
{
    uint32_t u = ct_across_unknown(f, edge);
    put(f, out, rate ? ct_rate_of(f, u) : u, factor);
}

bool ct_stores_apart(const formulation *f, uint32_t edge, bool across)
{
    ct_tree_class class = f->graph->edge[edge].class;
    return f->system->run && f->tree->is_branch[edge] != across &&
           class == (across ? CT_ACCUMULATOR : CT_DELAY);
}

void ct_put_by_branches(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out)
{
    const ct_graph_edge *e = &f->graph->edge[edge];
    if (f->tree->is_branch[edge])
        put_branch(f, edge, factor, rate, out);
    else
        walk_home(f, e->head, e->tail, f->tree->parent, f->tree->depth, put_branch, factor, rate,
                  out);
}

void ct_put_primary_across(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out)
{
    if (ct_stores_apart(f, edge, true))
        put_branch(f, edge, factor, rate, out);
    else
        ct_put_by_branches(f, edge, factor, rate, out);
}

void ct_put_across(formulation *f, uint32_t edge, ct_expr factor, term_list *out)
{
    if (f->system->form == CT_FORM_TABLEAU || (f->across[edge] && f->tree->is_branch[edge]))
        put(f, out, ct_across_unknown(f, edge), factor);
    else if (f->system->form == CT_FORM_BRANCH_CHORD)
        ct_put_by_branches(f, edge, factor, false, out);
    else
        put_by_potentials(f, edge, factor, out);
}

/* ---- through */

/* Rows of [A_c]: the topology by branches. */
static void plan_cuts(formulation *f)
{
    uint64_t entries = 0;
    f->topology = ct_topology_new(f->tree, f->tree->scalar_chord_count, 200000000, &entries);
    if (!f->topology) {
        ct_error(f->model->ctx, "E902", (ct_place){0}, "the cutset matrix would need %llu entries",
                 (unsigned long long)entries);
        ct_throw(f->model->ctx, CT_ERR_LIMIT);
    }
    uint32_t b = f->tree->scalar_branch_count, c = f->tree->scalar_chord_count;
    uint64_t *start = CT_NEW_ARRAY(f->arena, uint64_t, b + 2);
    uint32_t *chord = CT_NEW_ARRAY(f->arena, uint32_t, entries + 1);
    int8_t *sign = CT_NEW_ARRAY(f->arena, int8_t, entries + 1);
    for (uint64_t i = 0; i < entries; i++)
        start[f->topology->row[i] + 2]++;
    for (uint32_t r = 0; r < b; r++)
        start[r + 2] += start[r + 1];
    for (uint32_t k = 0; k < c; k++) {
        for (uint64_t i = f->topology->entry_start[k]; i < f->topology->entry_start[k + 1]; i++) {
            uint64_t at = start[f->topology->row[i] + 1]++;
            chord[at] = f->tree->chord[k];
            sign[at] = f->topology->sign[i];
        }
    }
    f->cut_start = start, f->cut_chord = chord, f->cut_sign = sign;
}

static void put_chord(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out)
{
    uint32_t u = ct_through_unknown(f, edge);
    put(f, out, rate ? ct_rate_of(f, u) : u, factor);
}

void ct_put_by_chords(formulation *f, uint32_t edge, ct_expr factor, bool rate, term_list *out)
{
    if (!f->tree->is_branch[edge]) {
        put_chord(f, edge, factor, rate, out);
        return;
    }
    if (!f->topology)
        plan_cuts(f);
    uint32_t r = f->tree->row[edge];
    for (uint64_t i = f->cut_start[r]; i < f->cut_start[r + 1]; i++)
        put_chord(f, f->cut_chord[i], with_sign(f, factor, -f->cut_sign[i]), rate, out);
}

void ct_put_primary_through(formulation *f, uint32_t edge, ct_expr factor, bool rate,
                            term_list *out)
{
    if (ct_stores_apart(f, edge, false))
        put_chord(f, edge, factor, rate, out);
    else
        ct_put_by_chords(f, edge, factor, rate, out);
}

void ct_put_through(formulation *f, uint32_t edge, ct_expr factor, term_list *out)
{
    if (f->system->form == CT_FORM_BRANCH_CHORD)
        ct_put_by_chords(f, edge, factor, false, out);
    else
        put(f, out, ct_through_unknown(f, edge), factor);
}

/* ---- positions */

static void put_position_branch(formulation *f, uint32_t edge, ct_expr factor, bool rate,
                                term_list *out)
{
    (void)rate;
    put(f, out, f->position[edge], factor);
}

void ct_put_position(formulation *f, uint32_t edge, ct_expr factor, term_list *out)
{
    const ct_graph_edge *e = &f->graph->edge[edge];
    if (f->position[edge])
        put(f, out, f->position[edge], factor);
    else
        walk_home(f, e->head, e->tail, f->position_parent, f->position_depth, put_position_branch,
                  factor, false, out);
}

/* From the datum to the node: as an edge would, whose tail is the datum and whose head the node. */
void ct_put_node_position(formulation *f, uint32_t node, ct_expr factor, term_list *out)
{
    uint32_t datum = f->graph->domain[f->graph->node[node].domain].datum;
    walk_home(f, node, datum, f->position_parent, f->position_depth, put_position_branch, factor,
              false, out);
}

/* ---- by order */

bool ct_put_variable(formulation *f, uint32_t edge, bool across, int order, ct_expr factor,
                     term_list *out)
{
    if (across && order == -1)
        ct_put_position(f, edge, factor, out);
    else if (across && order == 0)
        ct_put_across(f, edge, factor, out);
    else if (across && order == 1)
        ct_put_primary_across(f, edge, factor, true, out);
    else if (!across && order == 0)
        ct_put_through(f, edge, factor, out);
    else if (!across && order == 1)
        ct_put_primary_through(f, edge, factor, true, out);
    else
        return false;
    return true;
}

ct_expr ct_terms_expr(formulation *f, const term_list *terms)
{
    ct_expr *e = CT_NEW_ARRAY(f->arena, ct_expr, terms->count + 1);
    for (uint32_t i = 0; i < terms->count; i++)
        e[i] =
            ct_expr_mul(f->pool, terms->at[i].factor, ct_unknown_symbol(f, terms->at[i].unknown));
    return ct_expr_sum(f->pool, e, terms->count);
}

/* equations_trace.c - the derivation in the order of [McPhee-2, section 3.1]: terminal equations
 * (26-29), chord and branch transformations (31, 32), the terminal equations after substitution
 * (33), and then step by step the elimination (34-36).
 */
#include "export/equations_make.h"

static void show_unknowns(maker *m)
{
    static const char *const title[] = {
        "Unknowns: potentials of nodes, through variables",
        "Unknowns: across variables of branches, through variables of chords",
        "Unknowns: across and through variables of all edges"};
    CT_VEC(ct_name) name = {0};
    for (uint32_t u = 1; u < m->system->unknown_count; u++)
        if (m->system->unknown[u].kind != CT_UNKNOWN_RATE && !ct_is_motion_unknown(m, u))
            CT_PUSH(m->arena, name, m->system->unknown[u].name);
    ct_group_names(m, title[m->system->form], name.at, name.count);
}

/* ---- tau_b = -[A_c] tau_c, alpha_c = [A_c]^T alpha_b */

static void add_transformation(maker *m, uint32_t edge, bool across)
{
    const ct_graph_edge *e = &m->system->graph->edge[edge];
    uint32_t own = edge - m->first_edge[e->owner];
    ct_name name = ct_edge_variable(m->model, e->owner, own, across ? 0 : 1);
    ct_expr left = ct_expr_symbol(m->pool, name), right = ct_edge_expr(m, name);
    ct_origin *origin = CT_NEW(m->arena, ct_origin);
    *origin = (ct_origin){across ? CT_FROM_CIRCUIT : CT_FROM_CUTSET, edge};
    ct_group_add(m, (ct_equation){.left = ct_side_of(m, left),
                                  .right = ct_side_of(m, right ? right : left),
                                  .origin = origin,
                                  .origin_count = 1});
}

static void show_transformations(maker *m)
{
    const ct_tree *tree = m->system->tree;
    ct_group_begin(m);
    for (uint32_t i = 0; i < tree->scalar_branch_count; i++)
        if (!ct_group_full(m))
            add_transformation(m, tree->branch[i], false);
    ct_group_end(m, CT_GROUP_TRACE, "Chord transformations: tau_b = -[A_c] tau_c");
    ct_group_begin(m);
    for (uint32_t i = 0; i < tree->scalar_chord_count; i++)
        if (!ct_group_full(m))
            add_transformation(m, tree->chord[i], true);
    ct_group_end(m, CT_GROUP_TRACE, "Branch transformations: alpha_c = [A_c]^T alpha_b");
}

void ct_show_trace_rows(maker *m)
{
    bool rows_follow = m->def.form >= CT_EQUATIONS_NODAL;
    show_unknowns(m);
    if (m->system->form == CT_FORM_BRANCH_CHORD) {
        ct_show_written(m);
        show_transformations(m);
    }
    if (!rows_follow)
        ct_show_rows(m, CT_GROUP_TRACE);
}

/* ---- elimination */

static const char *step_note(const maker *m, const ct_step *s)
{
    if (s->row.source == UINT32_MAX)
        return "constraint differentiated in time";
    return m->dependent[s->unknown] ? "constraint between states" : NULL;
}

static void add_step(maker *m, const ct_step *s)
{
    ct_expr value = ct_row_solved(m, &s->row, s->unknown);
    if (!value)
        return;
    ct_equation e = {.left = ct_side_of(m, ct_unknown_expr(m, s->unknown)),
                     .right = ct_side_of(m, value),
                     .note = step_note(m, s)};
    if (s->row.source != UINT32_MAX) {
        const ct_row *r = &m->system->row[s->row.source];
        ct_set_origin(m, &e, (ct_origin){r->origin, r->origin_index});
    }
    ct_group_add(m, e);
}

void ct_show_trace_steps(maker *m)
{
    ct_group_begin(m);
    for (uint32_t i = 0; i < m->reduced->step_count; i++)
        if (!ct_is_motion_row(m, m->reduced->step[i].row.source) && !ct_group_full(m))
            add_step(m, &m->reduced->step[i]);
    ct_group_end(m, CT_GROUP_TRACE, "Elimination, step by step");
}

/* equations_rows.c - the equations of the form, before anything is eliminated.
 *
 *     nodal         terminal equations, {v} = [A]^T {v_n}, [A] {i} = {0}    [McPhee-2, eqs. 24-29]
 *     branch-chord  terminal equations with the transformations put in      [eq. 33]
 *     tableau       terminal, cutset and circuit equations                  [eqs. 5, 8]
 */
#include "export/equations_make.h"

/* ---- variables of edges */

static ct_expr potential(const maker *m, uint32_t node)
{
    return m->potential[node] ? ct_unknown_expr(m, m->potential[node]) : m->zero;
}

static ct_expr difference(maker *m, uint32_t edge)
{
    const ct_graph *g = m->system->graph;
    const ct_graph_edge *e = &g->edge[edge];
    ct_expr tail = potential(m, e->tail), head = potential(m, e->head);
    bool mechanical = g->domain[g->node[e->tail].domain].across_head_minus_tail;
    return mechanical ? ct_expr_sub(m->pool, head, tail) : ct_expr_sub(m->pool, tail, head);
}

/* Unknowns are never made by this: in the nodal form expressing a branch would make one. */
ct_expr ct_edge_expr(maker *m, ct_name symbol)
{
    uint32_t code = ct_map_get(&m->edge_of, symbol);
    ct_expr e = ct_expr_symbol(m->pool, symbol);
    if (ct_unknown_of(m, symbol))
        return e;
    if (!code)
        return 0;
    if (m->system->form == CT_FORM_NODAL)
        return difference(m, (code - 1) / 2);
    return ct_system_express(m->system, e, (ct_place){0});
}

/* ---- terminal equations */

/* As the element has it, over the component's own variables; false: it cannot be shown so. */
static bool written(maker *m, uint32_t row, ct_equation *out)
{
    const ct_row *r = &m->system->row[row];
    const ct_element *e = m->model->element[m->model->component[r->origin_index].element];
    uint32_t k = m->equation_of[row];
    if (k >= e->equation_count)
        return false;
    ct_expr left = ct_component_instance(m->model, r->origin_index, e->equation[k].left);
    ct_expr right = ct_component_instance(m->model, r->origin_index, e->equation[k].right);
    if (!left || !right)
        return false;
    *out = (ct_equation){.left = ct_side_of(m, left), .right = ct_side_of(m, right)};
    ct_set_origin(m, out, (ct_origin){CT_FROM_TERMINAL, r->origin_index});
    return true;
}

/* The element's left side is kept, in unknowns of the form: E1.v - C4.v = R2*R2.i. It is expressed
 * only where it is a plain variable, so that no unknown can be made by it. */
static ct_expr left_in_unknowns(maker *m, uint32_t row)
{
    const ct_row *r = &m->system->row[row];
    const ct_component *c = &m->model->component[r->origin_index];
    const ct_element *e = m->model->element[c->element];
    if (m->equation_of[row] >= e->equation_count)
        return 0;
    ct_expr left = e->equation[m->equation_of[row]].left;
    if (ct_expr_kind_of(m->pool, left) != CT_EXPR_SYMBOL)
        return 0;
    ct_expr own = ct_component_instance(m->model, r->origin_index, left);
    if (!own || ct_expr_kind_of(m->pool, own) != CT_EXPR_SYMBOL)
        return 0;
    return ct_edge_expr(m, ct_expr_name(m->pool, own));
}

static ct_equation terminal_row(maker *m, uint32_t row)
{
    const ct_row *r = &m->system->row[row];
    const ct_term *term = m->system->term + r->first;
    ct_expr left = left_in_unknowns(m, row);
    ct_equation e;
    if (left && ct_has_unknown(m, left)) {
        ct_expr right = ct_expr_sub(m->pool, left, ct_row_sum(m, term, r->count, r->rest));
        e = (ct_equation){.left = ct_side_of(m, left), .right = ct_side_of(m, right)};
    } else {
        e = ct_equation_by_sign(m, term, r->count, r->rest);
    }
    ct_origin_alone(m, r, &e);
    return e;
}

void ct_show_terminals(maker *m, ct_group_kind kind, const char *title)
{
    ct_group_begin(m);
    for (uint32_t i = 0; i < m->system->row_count; i++)
        if (m->system->row[i].origin == CT_FROM_TERMINAL && !ct_group_full(m))
            ct_group_add(m, terminal_row(m, i));
    ct_group_end(m, kind, title);
}

static bool reads_own_variables(maker *m, uint32_t row)
{
    const equation_uses *uses = ct_terminal_uses(m, row);
    for (uint32_t i = 0; uses && i < uses->count; i++)
        if (uses->use[i].order != 0)
            return false;
    return uses != NULL;
}

/* Positions and accelerations are no variables of the nodal form: such an equation is shown as it
 * stands in the system. */
static void show_nodal_terminals(maker *m, ct_group_kind kind)
{
    ct_group_begin(m);
    for (uint32_t i = 0; i < m->system->row_count; i++) {
        ct_equation e;
        if (m->system->row[i].origin != CT_FROM_TERMINAL || ct_group_full(m))
            continue;
        if (!reads_own_variables(m, i) || !written(m, i, &e))
            e = terminal_row(m, i);
        ct_group_add(m, e);
    }
    ct_group_end(m, kind, "Terminal equations");
}

void ct_show_written(maker *m)
{
    ct_group_begin(m);
    for (uint32_t i = 0; i < m->system->row_count; i++) {
        ct_equation e;
        if (m->system->row[i].origin != CT_FROM_TERMINAL || ct_group_full(m))
            continue;
        ct_group_add(m, written(m, i, &e) ? e : terminal_row(m, i));
    }
    ct_group_end(m, CT_GROUP_TRACE, "Terminal equations");
}

/* ---- topology */

void ct_show_origin(maker *m, ct_origin_kind origin, ct_group_kind kind, const char *title)
{
    ct_group_begin(m);
    for (uint32_t i = 0; i < m->system->row_count; i++) {
        const ct_row *r = &m->system->row[i];
        if (r->origin != origin || ct_group_full(m))
            continue;
        ct_equation e = ct_equation_zero(m, r);
        ct_origin_alone(m, r, &e);
        ct_group_add(m, e);
    }
    ct_group_end(m, kind, title);
}

static ct_equation edge_by_potentials(maker *m, uint32_t edge)
{
    const ct_graph_edge *e = &m->system->graph->edge[edge];
    ct_name name = ct_edge_variable(m->model, e->owner, edge - m->first_edge[e->owner], 0);
    ct_equation q = {.left = ct_side_of(m, ct_expr_symbol(m->pool, name)),
                     .right = ct_side_of(m, difference(m, edge))};
    ct_set_origin(m, &q, (ct_origin){CT_FROM_EDGE, edge});
    return q;
}

void ct_show_potentials(maker *m, ct_group_kind kind)
{
    ct_group_begin(m);
    for (uint32_t e = 0; e < m->system->graph->scalar_edge_count; e++)
        if (!ct_group_full(m))
            ct_group_add(m, edge_by_potentials(m, e));
    ct_group_end(m, kind, "Across variables by potentials: alpha = [A]^T alpha_n");
}

/* By what the rows are: x' = v, integral(e)' = e. */
const char *ct_kinematics_title(const ct_system *s)
{
    bool positions = false, integrals = false;
    for (uint32_t i = 0; i < s->row_count; i++) {
        positions |= s->row[i].origin == CT_FROM_POSITION;
        integrals |= s->row[i].origin == CT_FROM_INTEGRAL;
    }
    return !integrals ? "Kinematics" : positions ? "Kinematics and integrals" : "Integrals";
}

/* x' = v; integral(e)' = e */
void ct_show_kinematics(maker *m, ct_group_kind kind)
{
    const ct_system *s = m->system;
    ct_group_begin(m);
    for (uint32_t i = 0; i < s->row_count; i++) {
        const ct_row *r = &s->row[i];
        if ((r->origin != CT_FROM_POSITION && r->origin != CT_FROM_INTEGRAL) || ct_group_full(m))
            continue;
        ct_shown row = {s->term + r->first, r->count, r->rest, i};
        uint32_t rate = s->term[r->first].unknown;
        ct_equation e = {.left = ct_side_of(m, ct_unknown_expr(m, rate)),
                         .right = ct_side_of(m, ct_row_solved(m, &row, rate))};
        ct_origin_alone(m, r, &e);
        ct_group_add(m, e);
    }
    ct_group_end(m, kind, ct_kinematics_title(s));
}

static void show_vertices_filled(maker *m)
{
    uint32_t count;
    const hybrid_row *rows = ct_vertex_rows(m, &count);
    ct_group_begin(m);
    for (uint32_t i = 0; i < count; i++) {
        if (ct_group_full(m))
            continue;
        ct_equation e = ct_equation_balanced(m, &rows[i].row, 0);
        ct_origins_of_rows(m, rows[i].source, rows[i].source_count, &e);
        ct_group_add(m, e);
    }
    ct_group_end(m, CT_GROUP_TRACE, "Vertex equations with terminal equations put in");
}

void ct_show_rows(maker *m, ct_group_kind kind)
{
    switch (m->system->form) {
    case CT_FORM_NODAL:
        show_nodal_terminals(m, kind);
        ct_show_potentials(m, kind);
        ct_show_origin(m, CT_FROM_VERTEX, kind, "Vertex equations: [A] tau = 0");
        show_vertices_filled(m);
        break;
    case CT_FORM_BRANCH_CHORD:
        ct_show_terminals(m, kind,
                          "Terminal equations in branch across and chord through variables");
        break;
    case CT_FORM_TABLEAU:
        ct_show_terminals(m, kind, "Terminal equations");
        ct_show_origin(m, CT_FROM_CUTSET, kind, "Cutset equations: [A_f] tau = 0");
        ct_show_origin(m, CT_FROM_CIRCUIT, kind, "Circuit equations: [B_f] alpha = 0");
    }
    ct_show_kinematics(m, kind);
}

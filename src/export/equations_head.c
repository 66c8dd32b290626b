/* equations_head.c - what is said about the equations: counts and names. */
#include "export/equations_make.h"
#include "graph/bodies.h"
#include "mechanics/mechanics.h"

/* ---- counts */

typedef struct op_count {
    ct_pool *pool;
    uint64_t ops;
} op_count;

static bool is_unit(const ct_pool *pool, ct_expr number)
{
    int64_t n;
    return ct_expr_to_int(pool, number, &n) && (n == 1 || n == -1);
}

static void count_node(void *user, ct_expr e)
{
    op_count *c = user;
    ct_expr_kind kind = ct_expr_kind_of(c->pool, e);
    uint32_t n = ct_expr_arity(c->pool, e);
    if (kind == CT_EXPR_CALL)
        c->ops += n > 0;
    if (kind != CT_EXPR_SUM && kind != CT_EXPR_PRODUCT)
        return;
    ct_expr constant = ct_expr_constant(c->pool, e);
    c->ops += n - 1;
    c->ops +=
        kind == CT_EXPR_SUM ? !ct_expr_is_zero(c->pool, constant) : !is_unit(c->pool, constant);
    for (uint32_t i = 0; i < n; i++)
        c->ops += !is_unit(c->pool, ct_expr_coefficient(c->pool, e, i));
}

static uint64_t count_ops(maker *m)
{
    const ct_reduced *r = m->reduced;
    CT_VEC(ct_expr) roots = {0};
    op_count c = {m->system->pool, 0};
    for (uint32_t i = 0; i < r->state_count; i++)
        CT_PUSH(m->arena, roots, r->rate[i]);
    for (uint32_t i = 0; i < r->algebraic_count; i++)
        CT_PUSH(m->arena, roots, r->residual[i]);
    for (uint32_t i = 0; !r->state_count && !r->algebraic_count && i < m->model->output_count;
         i++) {
        const ct_output *o = &m->model->output[i];
        CT_PUSH(m->arena, roots, ct_reduced_express(r, o->expr, o->place));
    }
    ct_expr_walk(m->system->pool, roots.at, roots.count, count_node, &c);
    return c.ops;
}

static bool holds_rate(const maker *m, const ct_row *row)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (m->system->unknown[m->system->term[row->first + i].unknown].kind == CT_UNKNOWN_RATE)
            return true;
    return false;
}

static void count_equations(maker *m)
{
    m->list->differential = m->reduced->state_count;
    m->list->algebraic = m->reduced->algebraic_count;
    if (m->def.form < CT_EQUATIONS_NODAL)
        return;
    uint32_t all = 0;
    for (uint32_t i = 0; i < m->group.count; i++)
        if (m->group.at[i].kind == CT_GROUP_EQUATION)
            all += m->group.at[i].total;
    m->list->differential = 0;
    for (uint32_t i = 0; i < m->system->row_count; i++)
        m->list->differential += holds_rate(m, &m->system->row[i]);
    m->list->algebraic = all - m->list->differential;
}

/* ---- names for the header */

typedef CT_VEC(ct_name) name_list;

static bool is_speed(const maker *m, uint32_t u)
{
    const ct_graph *g = m->system->graph;
    const ct_unknown_row *row = &m->system->unknown[u];
    if (row->kind != CT_UNKNOWN_ACROSS && row->kind != CT_UNKNOWN_POTENTIAL)
        return false;
    uint32_t node = row->kind == CT_UNKNOWN_ACROSS ? g->edge[row->owner].tail : row->owner;
    return g->domain[g->node[node].domain].across_head_minus_tail;
}

static void name_states(maker *m)
{
    const ct_reduced *r = m->reduced;
    name_list unknown = {0}, coordinate = {0}, speed = {0};
    for (uint32_t i = 0; i < r->state_count; i++) {
        const ct_unknown_row *row = &m->system->unknown[r->state[i]];
        CT_PUSH(m->arena, unknown, row->name);
        if (row->kind == CT_UNKNOWN_POSITION)
            CT_PUSH(m->arena, coordinate, row->name);
        if (is_speed(m, r->state[i]))
            CT_PUSH(m->arena, speed, row->name);
    }
    for (uint32_t i = 0; i < r->algebraic_count; i++)
        CT_PUSH(m->arena, unknown, m->system->unknown[r->algebraic[i]].name);
    m->list->unknown = unknown.at, m->list->unknown_count = unknown.count;
    m->list->coordinate = coordinate.at, m->list->coordinate_count = coordinate.count;
    m->list->speed = speed.at, m->list->speed_count = m->list->dof = speed.count;
}

/* An angle or length of a port repeats what the coordinates of bodies say. */
static bool is_of_port(const maker *m, const ct_map *port, uint32_t unknown)
{
    const ct_unknown_row *u = &m->system->unknown[unknown];
    bool of_edge = u->kind == CT_UNKNOWN_POSITION || u->kind == CT_UNKNOWN_ACROSS;
    return of_edge && ct_map_get(port, 2 * u->owner + 2);
}

static void name_scalars(maker *m)
{
    const ct_reduced *r = m->reduced;
    name_list state = {0}, unknown = {0};
    for (uint32_t i = 0; i < r->state_count; i++)
        if (!ct_is_motion_unknown(m, r->state[i]))
            CT_PUSH(m->arena, state, m->system->unknown[r->state[i]].name);
    for (uint32_t i = 0; i < r->algebraic_count; i++)
        if (!ct_is_motion_unknown(m, r->algebraic[i]))
            CT_PUSH(m->arena, unknown, m->system->unknown[r->algebraic[i]].name);
    m->list->scalar_state = state.at, m->list->scalar_state_count = state.count;
    m->list->scalar_unknown = unknown.at, m->list->scalar_unknown_count = unknown.count;
    for (uint32_t i = 0; i < m->system->row_count; i++)
        m->list->scalar_rows += !ct_is_motion_row(m, i);
}

static void name_branches(maker *m, int tree)
{
    const ct_graph *g = m->system->graph;
    name_list list = {0};
    for (uint32_t i = g->scalar_edge_count; i < g->edge_count; i++) {
        const ct_graph_edge *e = &g->edge[i];
        bool chosen =
            e->kind == CT_EDGE_BODY || (e->kind == CT_EDGE_JOINT && !g->bodies->fixed[e->owner]);
        if (chosen && m->system->tree->is_branch[i] && ct_is_rotational(g, i) == (tree == 1))
            CT_PUSH(m->arena, list, e->name);
    }
    m->list->branch[tree] = list.at, m->list->branch_count[tree] = list.count;
}

/* Edges of the ports of bodies, as in maker.edge_of. */
static ct_map port_edges(maker *m)
{
    ct_map port;
    ct_map_init(&port, m->arena);
    for (const ct_name *load = ct_motion_loads(m); *load; load++)
        ct_map_put(&port, ct_map_get(&m->edge_of, *load), 1);
    return port;
}

/* Those of bodies come first, in the order of the rows of M. */
static void name_motion(maker *m)
{
    const ct_mechanics *mech = m->system->mechanics;
    ct_equation_list *list = m->list;
    ct_map port = port_edges(m);
    name_list q = {0}, u = {0}, multiplier = {0};
    for (uint32_t i = 0; i < mech->coordinate_count; i++) {
        CT_PUSH(m->arena, q, mech->coordinate[i].q);
        if (mech->coordinate[i].u)
            CT_PUSH(m->arena, u, mech->coordinate[i].u);
    }
    list->body_coordinate_count = u.count;
    for (uint32_t i = 0; i < list->coordinate_count; i++)
        if (!is_of_port(m, &port, ct_unknown_of(m, list->coordinate[i])))
            CT_PUSH(m->arena, q, list->coordinate[i]);
    for (uint32_t i = 0; i < list->speed_count; i++)
        if (!is_of_port(m, &port, ct_unknown_of(m, list->speed[i])))
            CT_PUSH(m->arena, u, list->speed[i]);
    list->dof = u.count - list->body_coordinate_count;
    name_branches(m, CT_TRANSLATIONAL);
    name_branches(m, CT_ROTATIONAL);
    for (uint32_t i = 0; i < mech->constraint_count; i++)
        CT_PUSH(m->arena, multiplier, mech->constraint[i].multiplier);
    list->coordinate = q.at, list->coordinate_count = q.count;
    list->speed = u.at, list->speed_count = u.count;
    list->multiplier = multiplier.at, list->multiplier_count = multiplier.count;
    list->dof += mech->freedom > 0 ? (uint32_t)mech->freedom : 0;
}

/* Of bodies: as many as [McPhee-2, eqs. 88, 91] has, of second order in the coordinates; what the
 * elimination left to numerical solution does not count. */
static void count_motion(maker *m)
{
    const ct_mechanics *mech = m->system->mechanics;
    uint32_t of_bodies = m->list->body_coordinate_count, own = 0;
    for (uint32_t i = 0; i < m->reduced->state_count; i++) {
        const ct_unknown_row *u = &m->system->unknown[m->reduced->state[i]];
        /* sources of speed may have taken some; angles that drivers turn come on top */
        own += (u->coordinate || u->speed) && own < 2 * of_bodies;
    }
    m->list->differential += of_bodies - own;
    m->list->algebraic += mech->constraint_count;
    for (uint32_t i = 0; i < m->reduced->algebraic_count; i++)
        for (uint32_t k = 0; k < mech->unknown_count; k++)
            m->list->algebraic -=
                m->system->unknown[m->reduced->algebraic[i]].name == mech->unknown[k].name;
}

typedef struct symbol_marks {
    maker *m;
    bool *used; /* per quantity */
} symbol_marks;

static void mark_symbol(void *user, ct_expr e)
{
    symbol_marks *s = user;
    if (ct_expr_kind_of(s->m->pool, e) != CT_EXPR_SYMBOL)
        return;
    uint32_t q = ct_map_get(s->m->model->quantity_by_name, ct_expr_name(s->m->pool, e));
    if (q)
        s->used[q - 1] = true;
}

static void mark_side(maker *m, const ct_side *side, symbol_marks *marks)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_expr pair[] = {side->term[i].factor, side->term[i].core};
        ct_expr_walk(m->pool, pair, side->term[i].core ? 2 : 1, mark_symbol, marks);
    }
}

/* Parameters that are seen, and all inputs, in the order of the model. */
static void name_quantities(maker *m)
{
    symbol_marks marks = {m, CT_NEW_ARRAY(m->arena, bool, m->model->quantity_count + 1)};
    name_list parameter = {0}, input = {0};
    for (uint32_t i = 0; i < m->group.count; i++) {
        const ct_equation_group *g = &m->group.at[i];
        for (uint32_t k = 0; k < g->count; k++) {
            mark_side(m, &g->equation[k].left, &marks);
            mark_side(m, &g->equation[k].right, &marks);
        }
    }
    for (uint32_t i = 0; i < m->model->quantity_count; i++) {
        const ct_quantity *q = &m->model->quantity[i];
        if (q->kind == CT_PARAM && marks.used[i])
            CT_PUSH(m->arena, parameter, q->name);
        if (q->kind == CT_INPUT)
            CT_PUSH(m->arena, input, q->name);
    }
    m->list->parameter = parameter.at, m->list->parameter_count = parameter.count;
    m->list->input = input.at, m->list->input_count = input.count;
}

void ct_describe(maker *m)
{
    name_states(m);
    name_scalars(m);
    if (m->system->mechanics)
        name_motion(m);
    name_quantities(m);
    count_equations(m);
    if (ct_shows_motion(m))
        count_motion(m);
    m->list->ops = count_ops(m);
}

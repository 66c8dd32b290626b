/* positions.c - which positions become unknowns.
 *
 * A spring reads the distance of its ends, an output the place of a node. Such edges span a forest;
 * the positions of its branches are unknowns (states with x' = v), all others are sums along the
 * forest. The user's branches come first, then branches of the tree, then the rest.
 */
#include "base/sets.h"
#include "formulate/formulation.h"

typedef struct planner {
    formulation *f;
    const ct_tree *tree;   /* of a model in a mode that of the model: all modes have the same */
    const ct_model *model; /* its model */
    uint32_t *set;         /* union-find over nodes */
    bool *needed;          /* per edge */
    bool any;
    CT_VEC(ct_expr) reader; /* walked at once: signals may form long chains */
} planner;

static void need(planner *p, uint32_t edge)
{
    p->needed[edge] = true;
    p->any = true;
}

static bool is_mechanical(const ct_graph *g, uint32_t edge)
{
    return g->domain[g->node[g->edge[edge].tail].domain].across_head_minus_tail;
}

/* ---- who reads positions */

/* The position of a node is the sum of positions of branches on its way to the datum. */
static void need_node(planner *p, uint32_t node)
{
    const ct_graph *g = p->f->graph;
    while (!g->node[node].datum) {
        uint32_t edge = p->tree->parent[node];
        need(p, edge);
        node = g->edge[edge].tail == node ? g->edge[edge].head : g->edge[edge].tail;
    }
}

static void need_symbol(void *user, ct_expr e)
{
    planner *p = user;
    const ct_variable_row *variable;
    if (ct_expr_kind_of(p->f->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name symbol = ct_expr_name(p->f->pool, e);
    uint32_t edge = ct_edge_of(p->f, symbol, &variable);
    if (edge != UINT32_MAX && variable->order == -1)
        need(p, edge);
    uint32_t node = ct_node_of(p->f, symbol, &variable);
    if (node != UINT32_MAX && variable->order == -1)
        need_node(p, node);
}

static void add_reader(planner *p, ct_expr e)
{
    if (e && !ct_expr_is_number(p->f->pool, e))
        CT_PUSH(p->f->arena, p->reader, e);
}

static bool default_has(const ct_model *m, const ct_element_param *p, ct_name symbol)
{
    for (uint32_t i = 0; i < p->rows * p->cols; i++)
        if (ct_expr_has(m->pool, ct_default_of(p, i), symbol))
            return true;
    return false;
}

/* Do the equations, or the defaults that they may read, have the symbol? */
static bool template_has(const ct_model *m, const ct_element *e, ct_name symbol)
{
    for (uint32_t i = 0; i < e->equation_count; i++)
        if (ct_expr_has(m->pool, e->equation[i].left, symbol) ||
            ct_expr_has(m->pool, e->equation[i].right, symbol))
            return true;
    for (uint32_t i = 0; i < e->computed_count; i++)
        if (default_has(m, &e->param[e->computed[i]], symbol))
            return true;
    return false;
}

static void need_templates(planner *p)
{
    const ct_model *m = p->model;
    uint64_t *reads = CT_NEW_ARRAY(p->f->arena, uint64_t, m->element_count + 1);
    for (uint32_t i = 0; i < m->element_count; i++) {
        const ct_element *e = m->element[i];
        for (uint32_t k = 0; k < e->edge_count && k < 64; k++) {
            const ct_variable_row *row = ct_domain_row_at(e->edge[k].domain)->variable;
            if (row[2].name && template_has(m, e, ct_template_variable(m, e, k, 2)))
                reads[i] |= (uint64_t)1 << k;
        }
    }
    for (uint32_t c = 0; c < m->component_count; c++)
        for (uint64_t bits = reads[m->component[c].element], k = 0; bits; bits >>= 1, k++)
            if (bits & 1)
                need(p, p->f->first_edge[c] + (uint32_t)k);
}

static void read_happening(planner *p, const ct_happening *h)
{
    add_reader(p, h->condition);
    for (uint32_t k = 0; k < h->assigned_count; k++) {
        if (!h->assigned[k].target)
            continue;
        add_reader(p, h->assigned[k].value);
        add_reader(p, h->assigned[k].target);
    }
}

/* The length of an open edge, a gap, has no start of its own: it lies between masses. */
static void need_masses(planner *p)
{
    const ct_graph *g = p->f->graph;
    bool *end = CT_NEW_ARRAY(p->f->arena, bool, g->scalar_node_count + 1);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (p->needed[e] && g->edge[e].class == CT_THROUGH_DRIVER)
            end[g->edge[e].tail] = end[g->edge[e].head] = true;
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (g->edge[e].class == CT_ACCUMULATOR && is_mechanical(g, e) &&
            ((end[g->edge[e].tail] && !g->node[g->edge[e].tail].datum) ||
             (end[g->edge[e].head] && !g->node[g->edge[e].head].datum)))
            need(p, e);
}

static void need_readers(planner *p)
{
    const ct_model *m = p->f->model;
    need_templates(p);
    for (uint32_t i = 0; i < m->output_count; i++)
        add_reader(p, m->output[i].expr);
    for (uint32_t i = 0; i < m->curve_count; i++) {
        add_reader(p, m->curve[i].expr);
        add_reader(p, m->curve[i].over);
    }
    for (uint32_t i = 0; i < m->start_count; i++) {
        add_reader(p, m->start[i].variable);
        add_reader(p, m->start[i].value);
    }
    for (uint32_t i = 0; i < m->watch_count; i++)
        add_reader(p, m->watch[i]);
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_SIGNAL)
            add_reader(p, m->quantity[i].value);
    for (uint32_t c = 0; c < m->component_count; c++)
        for (uint32_t s = 0; s < m->element[m->component[c].element]->slot_count; s++)
            add_reader(p, m->param_value[m->component[c].value + s]);
    for (uint32_t i = 0; i < m->happening_count; i++)
        read_happening(p, &m->happening[i]);
    ct_expr_walk(p->f->pool, p->reader.at, p->reader.count, need_symbol, p);
    for (uint32_t i = 0; i < m->wish_count && p->any; i++) {
        uint32_t edge = p->f->first_edge[m->wish[i].component] + m->wish[i].edge;
        if (is_mechanical(p->f->graph, edge))
            need(p, edge);
    }
}

/* ---- the forest */

static void take(planner *p, uint32_t edge)
{
    formulation *f = p->f;
    uint32_t a = ct_sets_find(p->set, f->graph->edge[edge].tail),
             b = ct_sets_find(p->set, f->graph->edge[edge].head);
    if (!p->needed[edge] || a == b)
        return;
    p->set[a] = b;
    ct_name name = ct_edge_symbol(f, edge, 2);
    f->position[edge] = ct_new_unknown(f, CT_UNKNOWN_POSITION, name, edge);
    ct_rate_of(f, f->position[edge]);
}

/* Parents and depths by breadth-first search from every node that is not reached yet, data first.
 */
static void root_forest(formulation *f)
{
    const ct_graph *g = f->graph;
    uint32_t n = g->scalar_node_count, *start = CT_NEW_ARRAY(f->arena, uint32_t, n + 2);
    uint32_t *link = CT_NEW_ARRAY(f->arena, uint32_t, 2 * (size_t)g->scalar_edge_count + 1);
    uint32_t *queue = CT_NEW_ARRAY(f->arena, uint32_t, n + 1);
    bool *seen = CT_NEW_ARRAY(f->arena, bool, n + 1);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (f->position[e])
            start[g->edge[e].tail + 2]++, start[g->edge[e].head + 2]++;
    for (uint32_t i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (f->position[e])
            link[start[g->edge[e].tail + 1]++] = e, link[start[g->edge[e].head + 1]++] = e;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t root = 0; root < n; root++) {
            if (seen[root] || (round == 0 && !g->node[root].datum))
                continue;
            uint32_t first = 0, last = 0;
            queue[last++] = root;
            seen[root] = true;
            while (first < last) {
                uint32_t v = queue[first++];
                for (uint32_t i = start[v]; i < start[v + 1]; i++) {
                    uint32_t e = link[i],
                             w = g->edge[e].tail == v ? g->edge[e].head : g->edge[e].tail;
                    if (seen[w])
                        continue;
                    seen[w] = true;
                    f->position_parent[w] = e;
                    f->position_depth[w] = f->position_depth[v] + 1;
                    queue[last++] = w;
                }
            }
        }
    }
}

void ct_plan_positions(formulation *f)
{
    const ct_graph *g = f->graph;
    planner p = {.f = f, .tree = f->tree->origin ? f->tree->origin : f->tree};
    p.model = p.tree->graph->model;
    p.needed = CT_NEW_ARRAY(f->arena, bool, g->scalar_edge_count + 1);
    need_readers(&p);
    if (!p.any)
        return;
    if (f->model->happening_count)
        need_masses(&p);
    p.set = CT_NEW_ARRAY(f->arena, uint32_t, g->scalar_node_count + 1);
    for (uint32_t i = 0; i < g->scalar_node_count; i++)
        p.set[i] = i;
    f->position_parent = CT_NEW_ARRAY(f->arena, uint32_t, g->scalar_node_count + 1);
    f->position_depth = CT_NEW_ARRAY(f->arena, uint32_t, g->scalar_node_count + 1);
    for (uint32_t i = 0; i < f->model->wish_count; i++)
        take(&p, f->first_edge[f->model->wish[i].component] + f->model->wish[i].edge);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (p.tree->is_branch[e])
            take(&p, e);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        take(&p, e);
    root_forest(f);
}

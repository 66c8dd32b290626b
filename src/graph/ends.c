/* ends.c - which ends of fields (pipes, bars, ...) are held: the tree decides.
 *
 * An open end is an edge between stores and flows, where dissipators stand. The normal tree of the
 * model with such edges tells: a branch closes no circuit of stores and sources, so its across
 * variable may be a state, and the end is held; a chord stands in no cutset of flows and sources,
 * so the end is free. Then the model is built again with the elements that belong to that.
 */
#include "graph/ends.h"

#include "base/vec.h"
#include "graph/build.h"
#include "graph/graph.h"

typedef CT_VEC(ct_held_ends) held_list;

static bool has_open(const ct_model *m)
{
    for (uint32_t i = 0; i < m->element_count; i++)
        if (m->element[i]->open)
            return true;
    return false;
}

/* An end on ground, or on the other end, has no across variable of its own: nothing moves there. */
static uint64_t held_of(const ct_graph *g, const ct_tree *tree, uint32_t first, uint32_t count)
{
    uint64_t held = 1;
    for (uint32_t i = 0; i < count; i++) {
        const ct_graph_edge *e = &g->edge[first + i];
        if (e->tail == e->head || tree->is_branch[first + i])
            held |= (uint64_t)1 << (1 + i % 63);
    }
    return held;
}

static void settle(const ct_model *m, const ct_graph *g, const ct_tree *tree, held_list *list)
{
    uint32_t edge = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = m->element[m->component[i].element];
        if (e->open)
            CT_PUSH(m->arena, *list,
                    ((ct_held_ends){m->component[i].name, held_of(g, tree, edge, e->edge_count)}));
        edge += e->edge_count;
    }
}

const ct_model *ct_build_settled(const ct_syntax *s, const ct_build_def *def)
{
    const ct_model *m = ct_model_build(s, def);
    if (!m || !has_open(m))
        return m;
    const ct_graph *g = ct_graph_build(m);
    ct_tree_def wishes = {.complete = true};
    if (!ct_graph_check(g))
        return NULL;
    ct_graph_wishes(g, m, true, &wishes);
    const ct_tree *tree = ct_tree_select(g, &wishes);
    held_list list = {0};
    if (!tree)
        return NULL;
    settle(m, g, tree, &list);
    return ct_model_build_held(s, def, list.at, list.count);
}

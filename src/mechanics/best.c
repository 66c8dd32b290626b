/* best.c - the trees with the cheapest equations: as few coordinates and constraints as there can
 * be, then as few operations in M, Phi_q, Q and gamma.
 *
 * How many coordinates a branch brings does not depend on the other branches, so that Kruskal's
 * order of trees.c gives the least number already. What can still be gained is found by exchanges
 * of one branch for one chord, from the best of the usual orders on, until none of them gains
 * anything or the budget is used up. The budget counts work, not time: the result is the same on
 * every machine.
 */
#include <string.h>

#include "base/sets.h"
#include "mechanics/inside.h"

enum { MOST_CANDIDATES = 200, MOST_NODES = 3000000, LARGE = 60 };

typedef struct trees {
    bool *in[2];                    /* translational, rotational; by tie */
    uint64_t equations, operations; /* UINT64_MAX: never measured */
} trees;

typedef struct search {
    const ct_mechanics_def *def;
    ct_arena *arena;
    mechanics *layout; /* groups and ties */
    uint32_t ties, candidates;
    uint64_t nodes;
    uint32_t *set; /* union-find over groups */
    trees best, trial;
} search;

/* ---- measuring */

typedef struct counting {
    ct_pool *pool;
    uint64_t operations;
} counting;

static void count_node(void *user, ct_expr e)
{
    counting *c = user;
    uint32_t arity = ct_expr_arity(c->pool, e);
    c->operations += arity > 1 ? arity - 1 : arity;
}

uint64_t ct_mech_operations(ct_pool *pool, const ct_expr *e, uint32_t count)
{
    counting c = {pool, 0};
    ct_expr_walk(pool, e, count, count_node, &c);
    return c.operations;
}

static uint64_t operations_of(mechanics *m)
{
    const ct_motion_equations *q = ct_mech_project(m);
    CT_VEC(ct_expr) all = {0};
    const ct_sparse_rows *matrix[] = {&q->mass, &q->jacobian};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < matrix[k]->start[matrix[k]->rows]; i++)
            CT_PUSH(m->arena, all, matrix[k]->entry[i]);
    for (uint32_t i = 0; i < q->coordinate_count; i++)
        CT_PUSH(m->arena, all, q->force[i]);
    for (uint32_t i = 0; i < q->constraint_count; i++)
        CT_PUSH(m->arena, all, q->gamma[i]);
    return ct_mech_operations(m->pool, all.at, all.count);
}

/* Of two forms of equal value a pool keeps the one that was made first: an operation more or less
 * says nothing, and the usual coordinates stay. */
static bool is_cheaper(const trees *a, const trees *b)
{
    return a->equations != b->equations ? a->equations < b->equations
                                        : a->operations < b->operations - b->operations / 64;
}

/* In a pool of its own, so that a candidate leaves nothing behind. */
static mechanics *work_out(const search *s, const ct_tree *tree, ct_pool *pool, ct_arena *arena)
{
    const ct_mechanism *mech = tree->graph->bodies->mechanism;
    const ct_mechanism *copy = ct_mech_moved(mech, s->def->pool, pool, arena);
    mechanics *m = ct_mech_start(s->def, tree, copy, pool, arena);
    return ct_mech_kinematics(m) ? m : NULL;
}

/* Fills the costs of s->trial; operations only where they decide. */
static void measure(search *s, mechanics *m)
{
    trees *t = &s->trial;
    t->equations = m->user_row.count;
    t->operations = UINT64_MAX;
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        t->equations += m->coordinate.at[i].u != 0;
    for (uint32_t i = 0; i < s->ties; i++) {
        t->in[0][i] = m->tie.at[i].in_t;
        t->in[1][i] = m->tie.at[i].in_r;
    }
    if (t->equations <= s->best.equations)
        t->operations = operations_of(m);
    s->candidates++;
    s->nodes += ct_pool_count(m->pool);
}

static bool keep_if_cheaper(search *s)
{
    if (!is_cheaper(&s->trial, &s->best))
        return false;
    trees worse = s->best;
    s->best = s->trial;
    s->trial = worse;
    return true;
}

/* ---- candidates */

/* Edge of a tie in one of the two graphs; CT_NOTHING: it has none there. */
static uint32_t edge_of(const search *s, const tie *t, int which)
{
    const ct_bodies *b = s->def->tree->graph->bodies;
    return (t->is_body ? b->body_edge : b->joint_edge)[which][t->object];
}

/* The tree with other branches of bodies and joints: what mechanics reads of it. */
static const ct_tree *with_branches(const search *s, const trees *t, ct_arena *arena)
{
    ct_tree *tree = CT_NEW(arena, ct_tree);
    uint32_t edges = s->def->tree->graph->edge_count;
    bool *is_branch = CT_NEW_ARRAY(arena, bool, edges + 1);
    *tree = *s->def->tree;
    memcpy(is_branch, s->def->tree->is_branch, edges * sizeof(bool));
    for (uint32_t i = 0; i < s->ties; i++)
        for (int which = CT_TRANSLATIONAL; which <= CT_ROTATIONAL; which++) {
            uint32_t edge = edge_of(s, &s->layout->tie.at[i], which);
            if (edge != CT_NOTHING)
                is_branch[edge] = t->in[which][i];
        }
    tree->is_branch = is_branch;
    return tree;
}

static const ct_tree *select_best(const search *s)
{
    ct_arena *arena = s->def->tree->graph->arena;
    ct_tree_wish *wish = CT_NEW_ARRAY(arena, ct_tree_wish, 2 * (size_t)s->ties + 1);
    ct_tree_def def = {.wish = wish, .complete = true};
    for (int which = CT_TRANSLATIONAL; which <= CT_ROTATIONAL; which++)
        for (uint32_t i = 0; i < s->ties; i++)
            if (s->best.in[which][i])
                wish[def.wish_count++].edge = edge_of(s, &s->layout->tie.at[i], which);
    return ct_tree_select(s->def->tree->graph, &def);
}

static bool try_trees(search *s, const ct_tree *tree)
{
    ct_arena *scratch = ct_arena_new(s->def->ctx);
    ct_pool *pool = ct_pool_new(s->def->ctx);
    mechanics *m = work_out(s, tree, pool, scratch);
    if (m)
        measure(s, m);
    bool better = m && keep_if_cheaper(s);
    ct_pool_free(pool);
    ct_arena_free(scratch);
    return better;
}

/* Do the best branches with one exchanged reach every group? */
static bool spans(search *s, int which, uint32_t out, uint32_t in)
{
    const mechanics *m = s->layout;
    uint32_t parts = m->group_count, before = 0;
    for (uint32_t i = 0; i < m->group_count; i++)
        s->set[i] = i;
    for (uint32_t i = 0; i < s->ties; i++) {
        bool branch = i == in || (s->best.in[which][i] && i != out);
        before += s->best.in[which][i];
        if (!branch)
            continue;
        uint32_t a = ct_sets_find(s->set, m->tie.at[i].tail),
                 b = ct_sets_find(s->set, m->tie.at[i].head);
        parts -= a != b;
        s->set[a] = b;
    }
    return parts == m->group_count - before;
}

/* Coordinates that a tie brings as a branch; rods and ties without angles are none. */
static uint32_t coordinates_of(const tie *t, int which)
{
    if (which == 0)
        return t->is_body ? 2 : t->free.rod ? UINT32_MAX : t->slide.is ? 0 : t->free.slides;
    if (!t->free.spins)
        return UINT32_MAX;
    return t->is_body || (t->free.turns && !t->angle.is);
}

static bool has_budget(const search *s)
{
    return s->candidates < MOST_CANDIDATES && s->nodes < MOST_NODES;
}

static bool exchange(search *s, int which, uint32_t out, uint32_t in)
{
    const tie *t = s->layout->tie.at;
    if (t[out].elastic || edge_of(s, &t[in], which) == CT_NOTHING) /* of sections */
        return false;
    if (!s->best.in[which][out] || s->best.in[which][in] ||
        coordinates_of(&t[in], which) > coordinates_of(&t[out], which) || !spans(s, which, out, in))
        return false;
    ct_arena *scratch = ct_arena_new(s->def->ctx);
    trees next = s->best;
    next.in[which] = CT_NEW_ARRAY(scratch, bool, s->ties + 1);
    memcpy(next.in[which], s->best.in[which], s->ties * sizeof(bool));
    next.in[which][out] = false;
    next.in[which][in] = true;
    bool better = try_trees(s, with_branches(s, &next, scratch));
    ct_arena_free(scratch);
    return better;
}

static bool improve(search *s)
{
    bool better = false;
    for (int which = 1; which >= 0; which--)
        for (uint32_t in = 0; in < s->ties; in++)
            for (uint32_t out = 0; out < s->ties && has_budget(s); out++)
                better |= exchange(s, which, out, in);
    return better;
}

/* ---- all of it */

static bool begin(search *s)
{
    s->ties = s->layout->tie.count;
    s->set = CT_NEW_ARRAY(s->arena, uint32_t, s->layout->group_count + 1);
    s->best.equations = s->best.operations = UINT64_MAX;
    for (int k = 0; k < 2; k++) {
        s->best.in[k] = CT_NEW_ARRAY(s->arena, bool, s->ties + 1);
        s->trial.in[k] = CT_NEW_ARRAY(s->arena, bool, s->ties + 1);
    }
    static const ct_coordinates usual[] = {CT_COORDINATES_AUTO, CT_COORDINATES_JOINT,
                                           CT_COORDINATES_ABSOLUTE};
    for (int i = 0; i < 3; i++) {
        ct_tree_def def = {.complete = true, .coordinates = usual[i]};
        const ct_tree *tree = ct_tree_select(s->def->tree->graph, &def);
        if (!tree)
            return false;
        try_trees(s, tree);
    }
    return true;
}

const ct_tree *ct_mechanics_best_tree(const ct_mechanics_def *def)
{
    search s = {.def = def, .arena = ct_arena_new(def->ctx)};
    const ct_tree *best = NULL;
    ct_pool *pool = ct_pool_new(def->ctx);
    s.layout = work_out(&s, def->tree, pool, s.arena);
    bool usual = s.layout && (s.layout->group_count > LARGE || s.layout->mech->spatial);
    if (usual) { /* in space joints are the only coordinates */
        best = def->tree;
    } else if (s.layout && begin(&s)) {
        while (has_budget(&s) && improve(&s))
            ;
        best = select_best(&s);
    }
    ct_pool_free(pool);
    ct_arena_free(s.arena);
    return best;
}

/* search.c - which elimination tree gives the fewest operations.
 *
 * Trees of closed loops differ by a tenth and more in what the fast form costs, and no rule tells
 * which one is best: joints taken in the order of the model serve a row of loops, another order a
 * squeezer. So some orders are worked out to the end, each in a pool of its own, and the cheapest
 * is taken. The budget counts nodes, not time: the result is the same on every machine. */
#include "mechanics/inside.h"

enum { MOST_TREES = 8, MOST_NODES = 12000, MOST_GROUPS = 32 };

static uint64_t operations_of(mechanics *m)
{
    CT_VEC(ct_expr) all = {0};
    ct_mech_set_accelerations(m);
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        if (m->coordinate.at[i].acceleration)
            CT_PUSH(m->arena, all, m->coordinate.at[i].acceleration);
    return ct_mech_operations(m->pool, all.at, all.count);
}

/* UINT64_MAX: there is something that it does not solve. Adds what was made to *nodes. */
static uint64_t cost_of(const mechanics *m, uint32_t seed, uint64_t *nodes)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    ct_pool *pool = ct_pool_new(m->ctx);
    uint64_t cost = UINT64_MAX;
    const ct_mechanism *copy = ct_mech_moved(m->mech, m->pool, pool, scratch);
    mechanics *x = ct_mech_start(m->def, m->tree, copy, pool, scratch);
    x->hold = true;
    if (ct_mech_kinematics(x)) {
        ct_fast_plan(x, seed);
        if (ct_fast_solve(x) && x->fast->unknown.count == 0)
            cost = operations_of(x);
    }
    *nodes += ct_pool_count(pool);
    ct_pool_free(pool);
    ct_arena_free(scratch);
    return cost;
}

/* Redundant rows are told for the usual tree; the loops of another one would be others. */
static bool is_searched(const mechanics *m)
{
    bool loops = false;
    if (m->mech->spatial)
        return false;
    for (uint32_t i = 0; i < m->fast->chord.count; i++) {
        if (m->fast->chord.at[i].dropped)
            return false;
        loops |= !m->tie.at[m->fast->chord.at[i].tie].is_body;
    }
    return loops && m->tested;
}

uint32_t ct_fast_search(mechanics *m)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX, nodes = 0;
    if (m->group_count > MOST_GROUPS || !is_searched(m))
        return 0;
    for (uint32_t seed = 0; seed < MOST_TREES; seed++) {
        uint64_t cost = cost_of(m, seed, &nodes);
        if (cost == UINT64_MAX)
            return 0;
        if (cost < least) {
            least = cost;
            best = seed;
        }
        if (nodes + nodes / (seed + 1) > MOST_NODES)
            break;
    }
    return best;
}

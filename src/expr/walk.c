/* walk.c - walks over the shared DAG, without recursion.
 *
 * A walk lists the nodes below its roots once each, operands before users; what a stage computes
 * for a node it keeps in the walk's memo. Marks are stamped, so that starting a walk costs nothing
 * per node of the pool. A walk is taken from a list of idle ones: walks nest (a visitor may start
 * another). */
#include "expr/pool.h"

#include <string.h>

static ct_walk *take_walk(ct_pool *pool)
{
    ct_walk *walk = pool->idle;
    if (walk)
        pool->idle = walk->next;
    else
        walk = CT_NEW(pool->arena, ct_walk);
    return walk;
}

/* Marks: 2*turn when a node's operands are being listed, 2*turn + 1 when it is listed itself. */
static void prepare(ct_pool *pool, ct_walk *walk)
{
    uint32_t nodes = pool->node.count;
    if (walk->room < nodes) {
        uint32_t room = nodes > UINT32_MAX / 2 ? nodes : nodes + nodes / 2;
        ct_arena_release(pool->arena, walk->mark, walk->room * sizeof *walk->mark);
        ct_arena_release(pool->arena, walk->memo, walk->room * sizeof *walk->memo);
        walk->room = 0;
        walk->mark = NULL;
        walk->memo = NULL;
        walk->mark = CT_NEW_ARRAY(pool->arena, uint32_t, room);
        walk->memo = CT_NEW_ARRAY(pool->arena, union ct_memo, room);
        walk->room = room;
        walk->stamp = 1;
    }
    if (walk->stamp >= UINT32_MAX - 2) {
        memset(walk->mark, 0, walk->room * sizeof *walk->mark);
        walk->stamp = 1;
    }
    walk->stamp += 2;
    walk->stack.count = walk->order.count = 0;
}

static void push_operands(ct_pool *pool, ct_walk *walk, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    bool call = node->kind == CT_EXPR_CALL; /* else a constant first, and coefficients between */
    const uint32_t *word = pool->word.at + node->first + !call;
    for (uint32_t i = node->count; i-- > 0;) {
        ct_expr x = word[call ? i : 2 * i];
        if (walk->mark[x] != walk->stamp)
            CT_PUSH(pool->arena, walk->stack, x);
    }
}

static void list_below(ct_pool *pool, ct_walk *walk)
{
    const uint32_t listed = walk->stamp, open = listed - 1;
    while (walk->stack.count > 0) {
        ct_expr e = walk->stack.at[walk->stack.count - 1];
        uint32_t mark = walk->mark[e];
        if (mark < open && ct_node_at(pool, e)->kind > CT_EXPR_SYMBOL) {
            walk->mark[e] = open;
            push_operands(pool, walk, e);
            continue;
        }
        walk->stack.count--;
        if (mark == listed)
            continue;
        walk->mark[e] = listed;
        CT_PUSH(pool->arena, walk->order, e);
    }
}

ct_walk *ct_walk_begin(ct_pool *pool, const ct_expr *roots, uint32_t count)
{
    ct_walk *walk = take_walk(pool);
    prepare(pool, walk);
    for (uint32_t i = 0; i < count; i++)
        if (roots[i]) {
            CT_PUSH(pool->arena, walk->stack, roots[i]);
            list_below(pool, walk);
        }
    return walk;
}

void ct_pool_rest(ct_pool *pool)
{
    for (ct_walk *w = pool->idle; w; w = w->next) {
        ct_arena_release(pool->arena, w->mark, w->room * sizeof *w->mark);
        ct_arena_release(pool->arena, w->memo, w->room * sizeof *w->memo);
        ct_arena_release(pool->arena, w->stack.at, w->stack.room * sizeof *w->stack.at);
        ct_arena_release(pool->arena, w->order.at, w->order.room * sizeof *w->order.at);
        *w = (ct_walk){.next = w->next, .operand = w->operand};
    }
}

void ct_walk_end(ct_pool *pool, ct_walk *walk)
{
    walk->next = pool->idle;
    pool->idle = walk;
}

void ct_expr_walk(ct_pool *pool, const ct_expr *roots, uint32_t count,
                  void (*visit)(void *user, ct_expr e), void *user)
{
    ct_walk *walk = ct_walk_begin(pool, roots, count);
    for (uint32_t i = 0; i < walk->order.count; i++)
        visit(user, walk->order.at[i]);
    ct_walk_end(pool, walk);
}

bool ct_expr_has(ct_pool *pool, ct_expr e, ct_name symbol)
{
    ct_expr wanted = symbol < pool->symbol.room ? pool->symbol.at[symbol] : 0;
    if (!wanted || !e)
        return false;
    if (ct_node_at(pool, e)->kind <= CT_EXPR_SYMBOL)
        return e == wanted;
    ct_walk *walk = ct_walk_begin(pool, &e, 1);
    bool found = ct_walk_met(walk, wanted);
    ct_walk_end(pool, walk);
    return found;
}

uint32_t ct_expr_symbols(ct_pool *pool, ct_expr e, const ct_name **symbols)
{
    static const ct_name none;
    *symbols = &none;
    if (e && ct_is(pool, e, CT_EXPR_NUMBER))
        return 0;
    ct_walk *walk = ct_walk_begin(pool, &e, 1);
    uint32_t from = pool->pair.count;
    for (uint32_t i = 0; i < walk->order.count; i++)
        if (ct_is(pool, walk->order.at[i], CT_EXPR_SYMBOL))
            CT_PUSH(pool->arena, pool->pair, (ct_collected){walk->order.at[i], 0});
    ct_walk_end(pool, walk);
    ct_sort_pairs(pool, from);
    uint32_t count = pool->pair.count - from;
    ct_name *list = CT_NEW_ARRAY(pool->arena, ct_name, count + 1);
    for (uint32_t i = 0; i < count; i++)
        list[i] = ct_expr_name(pool, pool->pair.at[from + i].x);
    pool->pair.count = from;
    *symbols = list;
    return count;
}

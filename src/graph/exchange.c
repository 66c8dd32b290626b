/* exchange.c - weighted intersection of the graphic matroid with a partition matroid.
 *
 * Elements without slot are under no second rule, so Kruskal's algorithm gives the best forest of
 * them. Elements with a slot then come one by one. For a newcomer one looks for the cheapest cycle
 * of exchanges that brings it in: elements go in and out by turns,
 *
 *     in z -> out y     y lies on the circuit that z closes with the forest,
 *     out y -> in z     z takes over the slot of y, or needs no slot, or its slot is empty,
 *
 * and of the cheapest cycles the one with fewest exchanges keeps both rules. If it costs less than
 * nothing it is carried out; one cycle per newcomer is enough, because the forest was the best one
 * before.
 *
 * The search is local. As in Frank's weight splitting, the cost of each element is cut in two
 * shares, c = c1 + c2, such that the forest is cheapest for c1 under the first rule alone and for
 * c2 under the second rule alone:
 *
 *     c1(z) >= c1(y) for y on the circuit of z,     c2(z) >= c2(y) when z can follow y.
 *
 * Then no step from one element to the next costs less than nothing, Dijkstra's algorithm finds the
 * cycle without looking at anything farther away than it must, and the distances tell how to cut
 * the costs afterwards. An `in` that needs nobody's slot can follow any `out`; these steps go
 * through one more point, the hub, with a share of its own.
 */
#include "graph/exchange.h"

#include <stdlib.h>

#include "base/vec.h"
#include "graph/forest.h"
#include "base/sets.h"

enum { LENGTH = CT_COST_PARTS - 1 };

/* through drivers in the tree, violations, accumulators, dissipators, delays, length */
static const ct_cost kind_cost[CT_KIND_COUNT] = {
    [CT_WELCOME] = {{0, -1, 0, 0, 0, 0}},    [CT_STORES] = {{0, 0, -1, 0, 0, 0}},
    [CT_DISSIPATES] = {{0, 0, 0, -1, 0, 0}}, [CT_DELAYS] = {{0, 0, 0, 0, 1, 0}},
    [CT_UNWELCOME] = {{0, 1, 0, 0, 0, 0}},   [CT_FORBIDDEN] = {{1, 0, 0, 0, 0, 0}},
};

int ct_cost_compare(const ct_cost *a, const ct_cost *b)
{
    for (int i = 0; i < CT_COST_PARTS; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

ct_cost ct_cost_add(ct_cost a, ct_cost b)
{
    for (int i = 0; i < CT_COST_PARTS; i++)
        a.at[i] += b.at[i];
    return a;
}

static ct_cost minus(ct_cost a, ct_cost b)
{
    for (int i = 0; i < CT_COST_PARTS; i++)
        a.at[i] -= b.at[i];
    return a;
}

static bool less(ct_cost a, ct_cost b)
{
    return ct_cost_compare(&a, &b) < 0;
}

typedef struct label {
    ct_cost distance; /* from the newcomer */
    uint32_t from;    /* element before it on the way; CT_NONE: it is the newcomer */
    bool reached, done;
} label;

typedef struct waiting {
    ct_cost distance;
    uint32_t element;
} waiting;

/* The hub is element number `count` in label, waiting and share. */
struct ct_exchange {
    ct_arena *arena;
    ct_exchange_edge *element;
    uint32_t count, node_count, slot_count;
    bool *active;                    /* has come already */
    ct_cost *share;                  /* c1; for the hub: c2 */
    uint32_t *occupant;              /* per slot: element, or CT_NONE */
    uint32_t *member_start, *member; /* elements by slot */
    uint32_t *newcomer, newcomer_count;
    uint32_t *block_start;                                  /* elements by block */
    uint32_t *sets, *parent, *depth, *order, *first, *next; /* the rooted forest */
    label *label;
    CT_VEC(uint32_t) reached;
    CT_VEC(waiting) heap;
    uint64_t *work;
};

/* ---- preparation ----------------------------------------------------------------------------- */

static void sort_by_slot(ct_exchange *x, ct_arena *arena)
{
    x->member_start = CT_NEW_ARRAY(arena, uint32_t, (size_t)x->slot_count + 2);
    x->member = CT_NEW_ARRAY(arena, uint32_t, x->count);
    for (uint32_t i = 0; i < x->count; i++)
        if (x->element[i].slot != CT_NONE)
            x->member_start[x->element[i].slot + 2]++;
    for (uint32_t s = 2; s < x->slot_count + 2; s++)
        x->member_start[s] += x->member_start[s - 1];
    for (uint32_t i = 0; i < x->count; i++)
        if (x->element[i].slot != CT_NONE)
            x->member[x->member_start[x->element[i].slot + 1]++] = i;
}

typedef struct numbered {
    uint32_t edge, element;
} numbered;

static int by_edge(const void *a, const void *b)
{
    uint32_t x = ((const numbered *)a)->edge, y = ((const numbered *)b)->edge;
    return (x > y) - (x < y);
}

/* Newcomers come in order of statement: of two that are equally good the first one wins. */
static void order_newcomers(ct_exchange *x, ct_arena *arena)
{
    numbered *list = CT_NEW_ARRAY(arena, numbered, x->count);
    for (uint32_t i = 0; i < x->count; i++)
        if (x->element[i].slot != CT_NONE)
            list[x->newcomer_count++] = (numbered){x->element[i].edge, i};
    if (x->newcomer_count)
        qsort(list, x->newcomer_count, sizeof *list, by_edge);
    x->newcomer = CT_NEW_ARRAY(arena, uint32_t, x->newcomer_count);
    for (uint32_t i = 0; i < x->newcomer_count; i++)
        x->newcomer[i] = list[i].element;
}

static void find_blocks(ct_exchange *x, ct_arena *arena)
{
    uint32_t blocks = x->count ? x->element[x->count - 1].block + 1 : 0;
    x->block_start = CT_NEW_ARRAY(arena, uint32_t, (size_t)blocks + 1);
    for (uint32_t i = 0; i < x->count; i++)
        x->block_start[x->element[i].block + 1] = i + 1;
}

ct_exchange *ct_exchange_new(ct_arena *arena, ct_exchange_edge *element, uint32_t count,
                             uint32_t node_count, uint32_t slot_count)
{
    ct_exchange *x = CT_NEW(arena, ct_exchange);
    *x = (ct_exchange){.arena = arena, .element = element, .count = count};
    x->node_count = node_count;
    x->slot_count = slot_count;
    x->active = CT_NEW_ARRAY(arena, bool, count);
    x->share = CT_NEW_ARRAY(arena, ct_cost, (size_t)count + 1);
    x->occupant = CT_NEW_ARRAY(arena, uint32_t, slot_count);
    x->sets = CT_NEW_ARRAY(arena, uint32_t, node_count);
    x->parent = CT_NEW_ARRAY(arena, uint32_t, node_count);
    x->depth = CT_NEW_ARRAY(arena, uint32_t, node_count);
    x->order = CT_NEW_ARRAY(arena, uint32_t, node_count);
    x->first = CT_NEW_ARRAY(arena, uint32_t, node_count);
    x->next = CT_NEW_ARRAY(arena, uint32_t, 2 * (size_t)count);
    x->label = CT_NEW_ARRAY(arena, label, (size_t)count + 1);
    sort_by_slot(x, arena);
    order_newcomers(x, arena);
    find_blocks(x, arena);
    return x;
}

/* ---- the forest ------------------------------------------------------------------------------ */

static uint32_t other_end(const ct_exchange *x, uint32_t i, uint32_t node)
{
    return x->element[i].tail == node ? x->element[i].head : x->element[i].tail;
}

/* Lists of half-edges: 2 i at the tail of element i, 2 i + 1 at its head. */
static void list_block(ct_exchange *x, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const uint32_t end[2] = {x->element[i].tail, x->element[i].head};
        for (int k = 0; k < 2; k++)
            x->first[end[k]] = x->parent[end[k]] = x->depth[end[k]] = CT_NONE;
    }
    for (uint32_t i = from; i < to; i++) {
        const uint32_t end[2] = {x->element[i].tail, x->element[i].head};
        for (uint32_t k = 0; k < 2 && x->element[i].in; k++) {
            x->next[2 * i + k] = x->first[end[k]];
            x->first[end[k]] = 2 * i + k;
        }
    }
}

static void grow_tree(ct_exchange *x, uint32_t root)
{
    uint32_t count = 1;
    x->depth[root] = 0;
    x->order[0] = root;
    for (uint32_t done = 0; done < count; done++) {
        uint32_t v = x->order[done];
        for (uint32_t h = x->first[v]; h != CT_NONE; h = x->next[h]) {
            uint32_t u = other_end(x, h / 2, v);
            if (x->depth[u] != CT_NONE)
                continue;
            x->depth[u] = x->depth[v] + 1;
            x->parent[u] = h / 2;
            x->order[count++] = u;
        }
    }
}

/* A block hangs together, and so does its part of the forest. */
static void root_block(ct_exchange *x, uint32_t block)
{
    uint32_t from = x->block_start[block], to = x->block_start[block + 1];
    list_block(x, from, to);
    grow_tree(x, x->element[from].tail);
    *x->work -= *x->work < to - from ? *x->work : to - from;
}

static void take_kind(ct_exchange *x, ct_element_kind kind)
{
    for (uint32_t i = 0; i < x->count; i++) {
        ct_exchange_edge *e = &x->element[i];
        if (e->slot != CT_NONE || e->kind != kind)
            continue;
        e->in = ct_sets_join(x->sets, e->tail, e->head);
        x->active[i] = true;
    }
}

/* At the start the first rule bears all costs. */
static void take_free_elements(ct_exchange *x)
{
    for (uint32_t v = 0; v < x->node_count; v++)
        x->sets[v] = v;
    for (uint32_t s = 0; s < x->slot_count; s++)
        x->occupant[s] = CT_NONE;
    for (uint32_t i = 0; i < x->count; i++) {
        x->element[i].in = x->active[i] = false;
        x->share[i] = kind_cost[x->element[i].kind];
    }
    x->share[x->count] = (ct_cost){{0}};
    for (int kind = 0; kind < CT_KIND_COUNT; kind++)
        take_kind(x, (ct_element_kind)kind);
    for (uint32_t i = 0; i < x->count; i++)
        if (!i || x->element[i].block != x->element[i - 1].block)
            root_block(x, x->element[i].block);
}

/* ---- shortest paths -------------------------------------------------------------------------- */

static ct_cost second_share(const ct_exchange *x, uint32_t i)
{
    return i == x->count ? x->share[i] : minus(kind_cost[x->element[i].kind], x->share[i]);
}

static bool needs_no_slot(const ct_exchange *x, uint32_t i)
{
    uint32_t slot = x->element[i].slot;
    return slot == CT_NONE || x->occupant[slot] == CT_NONE;
}

static void push(ct_exchange *x, ct_cost distance, uint32_t element)
{
    CT_PUSH(x->arena, x->heap, (waiting){distance, element});
    waiting *heap = x->heap.at, moved = heap[x->heap.count - 1];
    uint32_t i = x->heap.count - 1;
    for (; i && less(moved.distance, heap[(i - 1) / 2].distance); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = moved;
}

static waiting pop(ct_exchange *x)
{
    waiting *heap = x->heap.at, top = heap[0], moved = heap[--x->heap.count];
    uint32_t i = 0, child = 1;
    for (; child < x->heap.count; child = 2 * i + 1) {
        child += child + 1 < x->heap.count && less(heap[child + 1].distance, heap[child].distance);
        if (!less(heap[child].distance, moved.distance))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
    return top;
}

static void reach(ct_exchange *x, uint32_t i, ct_cost distance, uint32_t from)
{
    label *l = &x->label[i];
    *x->work -= *x->work > 0;
    if (l->reached && (l->done || !less(distance, l->distance)))
        return;
    if (!l->reached)
        CT_PUSH(x->arena, x->reached, i);
    *l = (label){.distance = distance, .from = from, .reached = true};
    push(x, distance, i);
}

/* A step costs the difference of shares and adds one to the length of the way. */
static ct_cost step(ct_cost base, ct_cost to, ct_cost from)
{
    ct_cost cost = ct_cost_add(base, minus(to, from));
    cost.at[LENGTH]++;
    return cost;
}

/* In z: every element on its circuit can go out. */
static void leave_circuit(ct_exchange *x, uint32_t z, ct_cost base)
{
    uint32_t u = x->element[z].tail, v = x->element[z].head;
    while (u != v) {
        uint32_t *lower = x->depth[u] >= x->depth[v] ? &u : &v, y = x->parent[*lower];
        reach(x, y, step(base, x->share[z], x->share[y]), z);
        *lower = other_end(x, y, *lower);
    }
}

static void enter_slot(ct_exchange *x, uint32_t y, ct_cost base)
{
    uint32_t slot = x->element[y].slot, last = slot == CT_NONE ? 0 : x->member_start[slot + 1];
    for (uint32_t k = slot == CT_NONE ? 0 : x->member_start[slot]; k < last; k++) {
        uint32_t z = x->member[k];
        if (x->active[z] && !x->element[z].in)
            reach(x, z, step(base, second_share(x, z), second_share(x, y)), y);
    }
}

static void enter_freely(ct_exchange *x, ct_cost base)
{
    for (uint32_t z = 0; z < x->count; z++)
        if (x->active[z] && !x->element[z].in && needs_no_slot(x, z))
            reach(x, z, step(base, second_share(x, z), x->share[x->count]), x->count);
}

static void go_on(ct_exchange *x, uint32_t i, ct_cost distance)
{
    if (i == x->count) {
        enter_freely(x, distance);
    } else if (!x->element[i].in) {
        leave_circuit(x, i, distance);
    } else {
        reach(x, x->count, step(distance, x->share[x->count], second_share(x, i)), i);
        enter_slot(x, i, distance);
    }
}

/* ---- one newcomer ---------------------------------------------------------------------------- */

static ct_cost without_length(ct_cost c)
{
    c.at[LENGTH] = 0;
    return c;
}

/* Goes as far as `limit` at most. True: `target` is nearer than that. *far becomes the distance up
 * to which distances are known. */
static bool search(ct_exchange *x, uint32_t newcomer, uint32_t target, ct_cost limit, ct_cost *far)
{
    *far = limit;
    reach(x, newcomer, (ct_cost){{0}}, CT_NONE);
    while (x->heap.count && *x->work) {
        waiting next = pop(x);
        label *l = &x->label[next.element];
        if (l->done)
            continue;
        if (!less(without_length(next.distance), limit))
            return false;
        if (next.element == target) {
            *far = without_length(next.distance);
            return true;
        }
        l->done = true;
        go_on(x, next.element, next.distance);
    }
    return false;
}

/* Whatever was nearer than `far` shifts cost from the first share to the second. */
static void cut_costs(ct_exchange *x, ct_cost far)
{
    for (uint32_t k = 0; k < x->reached.count; k++) {
        uint32_t i = x->reached.at[k];
        ct_cost distance = without_length(x->label[i].distance);
        if (x->label[i].done && less(distance, far)) {
            ct_cost shift = minus(far, distance);
            x->share[i] =
                i == x->count ? ct_cost_add(x->share[i], shift) : minus(x->share[i], shift);
        }
    }
}

static void carry_out(ct_exchange *x, uint32_t end)
{
    for (uint32_t i = end; i != CT_NONE; i = x->label[i].from) {
        if (i == x->count)
            continue;
        x->element[i].in = !x->element[i].in;
        if (!x->element[i].in && x->element[i].slot != CT_NONE &&
            x->occupant[x->element[i].slot] == i)
            x->occupant[x->element[i].slot] = CT_NONE;
    }
    for (uint32_t i = end; i != CT_NONE; i = x->label[i].from)
        if (i != x->count && x->element[i].in && x->element[i].slot != CT_NONE)
            x->occupant[x->element[i].slot] = i;
    uint32_t last = CT_NONE;
    for (uint32_t i = end; i != CT_NONE; i = x->label[i].from)
        if (i != x->count && x->element[i].block != last)
            root_block(x, last = x->element[i].block);
}

static void forget(ct_exchange *x)
{
    for (uint32_t k = 0; k < x->reached.count; k++)
        x->label[x->reached.at[k]] = (label){.reached = false};
    x->reached.count = x->heap.count = 0;
}

/* The dearest element on the circuit of z, by first share. */
static uint32_t dearest_on_circuit(const ct_exchange *x, uint32_t z)
{
    uint32_t u = x->element[z].tail, v = x->element[z].head, dearest = CT_NONE;
    while (u != v) {
        uint32_t *lower = x->depth[u] >= x->depth[v] ? &u : &v, y = x->parent[*lower];
        if (dearest == CT_NONE || less(x->share[dearest], x->share[y]))
            dearest = y;
        *lower = other_end(x, y, *lower);
    }
    return dearest;
}

/* The newcomer takes as first share what its circuit asks for. If the rest is at least what its
 * slot asks for it stays out; else `limit` is what is missing. */
static void admit(ct_exchange *x, uint32_t z)
{
    uint32_t target = needs_no_slot(x, z) ? x->count : x->occupant[x->element[z].slot];
    uint32_t dearest = dearest_on_circuit(x, z);
    x->active[z] = true;
    x->share[z] = x->share[dearest];
    ct_cost limit = minus(second_share(x, target), second_share(x, z)), far;
    if (!less((ct_cost){{0}}, limit))
        return;
    bool found = search(x, z, target, limit, &far);
    if (*x->work)
        cut_costs(x, far);
    if (found)
        carry_out(x, target);
    forget(x);
}

/* When the work is used up: in for the dearest element of the circuit, if the slot is empty. */
static void admit_directly(ct_exchange *x, uint32_t z)
{
    uint32_t dearest = dearest_on_circuit(x, z);
    x->active[z] = true;
    if (!needs_no_slot(x, z) || x->element[dearest].slot != CT_NONE)
        return;
    x->label[z].from = CT_NONE;
    x->label[dearest].from = z;
    carry_out(x, dearest);
}

ct_cost ct_exchange_solve(ct_exchange *x, uint64_t *work)
{
    ct_cost total = {{0}};
    x->work = work;
    take_free_elements(x);
    for (uint32_t i = 0; i < x->newcomer_count; i++)
        if (*x->work)
            admit(x, x->newcomer[i]);
        else
            admit_directly(x, x->newcomer[i]);
    for (uint32_t i = 0; i < x->count; i++)
        if (x->element[i].in)
            total = ct_cost_add(total, kind_cost[x->element[i].kind]);
    return total;
}

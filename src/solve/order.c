/* order.c - see order.h. */
#include "solve/order.h"

#include <amd.h>
#include <string.h>

#include "base/vec.h"

enum { FEW = 2, MANY = 24 }; /* neighbours: eliminating makes no more edges; lists are not kept */

typedef CT_VEC(int) int_list;

typedef struct ordering {
    ct_arena *arena;
    uint32_t n, done;
    int *start, *degree, *row; /* neighbours that are left; those of hubs as they were at first */
    int *order;
    uint32_t *touched; /* the last round in which a neighbour went */
    bool *gone;
    int_list extra; /* pairs: edges between hubs that were made */
} ordering;

static bool is_hub(const ordering *o, int i)
{
    return o->start[i + 1] - o->start[i] > MANY;
}

/* ---- the graph of A + A^T without its diagonal */

static void add_edges(ordering *o, const int *start, const int *row, int *at)
{
    for (uint32_t j = 0; j < o->n; j++)
        for (int k = start[j]; k < start[j + 1]; k++) {
            if (row[k] == (int)j)
                continue;
            if (o->row) {
                o->row[at[row[k]]] = (int)j;
                o->row[at[j]] = row[k];
            }
            at[row[k]]++;
            at[j]++;
        }
}

/* Neighbours stand there once. */
static void drop_twins(ordering *o)
{
    int *seen = CT_NEW_ARRAY(o->arena, int, o->n + 1), count = 0, from = 0;
    for (uint32_t j = 0; j < o->n; j++) {
        int end = o->start[j + 1], first = count;
        for (; from < end; from++)
            if (seen[o->row[from]] != (int)j + 1) {
                seen[o->row[from]] = (int)j + 1;
                o->row[count++] = o->row[from];
            }
        o->start[j] = first;
        o->degree[j] = count - first;
    }
    o->start[o->n] = count;
}

static void make_graph(ordering *o, const int *start, const int *row)
{
    int *at = CT_NEW_ARRAY(o->arena, int, o->n + 1);
    o->start = CT_NEW_ARRAY(o->arena, int, o->n + 2);
    o->degree = CT_NEW_ARRAY(o->arena, int, o->n + 1);
    add_edges(o, start, row, at);
    for (uint32_t j = 0; j < o->n; j++) {
        o->start[j + 1] = o->start[j] + at[j];
        at[j] = o->start[j];
    }
    o->row = CT_NEW_ARRAY(o->arena, int, (size_t)o->start[o->n] + 1);
    add_edges(o, start, row, at);
    drop_twins(o);
}

/* ---- unknowns with few neighbours */

/* In the list of i, `other` takes the place of `gone`; -1, or it is there: none does. */
static void replace(ordering *o, int i, int gone, int other)
{
    int *list = o->row + o->start[i], at = 0, *count = &o->degree[i];
    bool known = other < 0;
    for (int k = 0; k < *count; k++) {
        at = list[k] == gone ? k : at;
        known |= list[k] == other;
    }
    if (known)
        list[at] = list[--*count];
    else
        list[at] = other;
}

static void eliminate(ordering *o, int i, uint32_t round, int_list *next)
{
    const int *list = o->row + o->start[i];
    int count = o->degree[i], hubs = 0;
    o->gone[i] = true;
    o->order[o->done++] = i;
    for (int k = 0; k < count; k++) {
        int j = list[k];
        o->touched[j] = round;
        hubs += is_hub(o, j);
        if (is_hub(o, j))
            continue;
        replace(o, j, i, count == FEW ? list[1 - k] : -1);
        if (o->degree[j] <= FEW)
            CT_PUSH(o->arena, *next, j);
    }
    if (hubs == FEW) {
        CT_PUSH(o->arena, o->extra, list[0]);
        CT_PUSH(o->arena, o->extra, list[1]);
    }
}

static void eliminate_few(ordering *o)
{
    int_list now = {0}, next = {0};
    for (uint32_t i = 0; i < o->n; i++)
        if (o->degree[i] <= FEW)
            CT_PUSH(o->arena, now, (int)i);
    for (uint32_t round = 1; now.count; round++) {
        next.count = 0;
        for (uint32_t k = 0; k < now.count; k++) {
            int i = now.at[k];
            if (o->gone[i])
                continue;
            if (o->touched[i] == round)
                CT_PUSH(o->arena, next, i);
            else
                eliminate(o, i, round, &next);
        }
        int_list swap = now;
        now = next;
        next = swap;
    }
}

/* ---- the rest */

/* first, next: pairs of `extra` by their first member, plus 1. */
static int left_edges(const ordering *o, const int *place, int i, const uint32_t *first,
                      const uint32_t *next, int *to)
{
    int count = 0;
    for (int k = o->start[i]; k < o->start[i] + o->degree[i]; k++)
        if (!o->gone[o->row[k]])
            to[count++] = place[o->row[k]];
    for (uint32_t e = first[i]; e; e = next[e - 1])
        to[count++] = place[o->extra.at[2 * (e - 1) + 1]];
    return count;
}

static bool order_rest(ordering *o)
{
    uint32_t left = o->n - o->done, at = 0;
    ct_arena *arena = o->arena;
    int *member = CT_NEW_ARRAY(arena, int, left + 1), *place = CT_NEW_ARRAY(arena, int, o->n + 1);
    int *start = CT_NEW_ARRAY(arena, int, left + 1), *order = CT_NEW_ARRAY(arena, int, left + 1);
    int *row = CT_NEW_ARRAY(arena, int, (uint32_t)o->start[o->n] + o->extra.count + 1);
    uint32_t *first = CT_NEW_ARRAY(arena, uint32_t, o->n + 1);
    uint32_t *next = CT_NEW_ARRAY(arena, uint32_t, o->extra.count + 1);
    for (uint32_t e = 0; e < o->extra.count / 2; e++) {
        next[e] = first[o->extra.at[2 * e]];
        first[o->extra.at[2 * e]] = e + 1;
    }
    for (uint32_t i = 0; i < o->n; i++)
        if (!o->gone[i]) {
            place[i] = (int)at;
            member[at++] = (int)i;
        }
    for (uint32_t k = 0; k < left; k++)
        start[k + 1] = start[k] + left_edges(o, place, member[k], first, next, row + start[k]);
    if (left && amd_order((int)left, start, row, order, NULL, NULL) < AMD_OK)
        return false;
    for (uint32_t k = 0; k < left; k++)
        o->order[o->done++] = member[order[k]];
    return true;
}

bool ct_elimination_order(ct_context *ctx, uint32_t n, const int *start, const int *row, int *order)
{
    ct_arena *arena = ct_arena_new(ctx);
    ordering o = {.arena = arena, .n = n, .order = order};
    o.touched = CT_NEW_ARRAY(arena, uint32_t, n + 1);
    o.gone = CT_NEW_ARRAY(arena, bool, n + 1);
    make_graph(&o, start, row);
    eliminate_few(&o);
    bool done = order_rest(&o);
    ct_arena_free(arena);
    return done;
}

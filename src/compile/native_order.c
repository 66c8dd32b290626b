/* native_order.c - the order in which machine code does the instructions.
 *
 * Circle functions are done in groups, early: within a chunk of instructions those whose arguments
 * need no other circle function of the chunk come first, after what their arguments need; then
 * those that need these, and so on; then the rest. */
#include "compile/native.h"

#include <string.h>

enum { CHUNK = 8192 };

typedef struct ordering {
    const ct_code *code;
    const uint32_t *item; /* the instructions of the stage */
    uint32_t count;
    uint32_t *place; /* of an instruction among the items; x[1], x[2] of sincos count as it */
    uint32_t *depth; /* of an item: circle functions on the way to it */
    uint32_t *phase; /* of an item: the circles of this depth wait for it, or are it */
    uint32_t *order;
    uint32_t *first; /* of phases in a chunk */
} ordering;

static const ct_ins *ins_at(const ordering *o, uint32_t k)
{
    return &o->code->ins.at[o->item[k]];
}

/* The item of the chunk that computes x. */
static bool made_here(const ordering *o, uint32_t x, uint32_t from, uint32_t *maker)
{
    const ct_ins *ins = &o->code->ins.at[x];
    *maker = o->place[x];
    return ins->varies && ins->op != CT_TAPE_VARIABLE && *maker >= from;
}

static uint32_t set_depths(const ordering *o, uint32_t from, uint32_t end)
{
    uint32_t deepest = 0, count, maker;
    for (uint32_t k = from; k < end; k++) {
        const uint32_t *x = ct_ins_operands(o->code, ins_at(o, k), &count);
        o->depth[k] = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!made_here(o, x[i], from, &maker))
                continue;
            uint32_t depth = o->depth[maker] + ct_is_circle(ins_at(o, maker)->op);
            o->depth[k] = depth > o->depth[k] ? depth : o->depth[k];
        }
        deepest = o->depth[k] > deepest ? o->depth[k] : deepest;
    }
    return deepest;
}

/* Phase 2d: what circles of depth d need; 2d + 1: these circles; in the end the rest. */
static void set_phases(const ordering *o, uint32_t from, uint32_t end, uint32_t rest)
{
    uint32_t count, maker;
    for (uint32_t k = from; k < end; k++)
        o->phase[k] = rest;
    for (uint32_t k = end; k-- > from;) {
        bool circle = ct_is_circle(ins_at(o, k)->op);
        const uint32_t *x = ct_ins_operands(o->code, ins_at(o, k), &count);
        if (circle)
            o->phase[k] = 2 * o->depth[k] + 1;
        uint32_t before = circle ? 2 * o->depth[k] : o->phase[k];
        for (uint32_t i = 0; i < count; i++)
            if (made_here(o, x[i], from, &maker) && o->phase[maker] > before)
                o->phase[maker] = before;
    }
}

static bool has_circles(const ordering *o, uint32_t from, uint32_t end)
{
    while (from < end && !ct_is_circle(ins_at(o, from)->op))
        from++;
    return from < end;
}

/* Counting sort by phases. */
static void order_chunk(ordering *o, uint32_t from, uint32_t end)
{
    uint32_t rest = 2 * set_depths(o, from, end) + 2;
    set_phases(o, from, end, rest);
    for (uint32_t i = 0; i <= rest + 1; i++)
        o->first[i] = 0;
    for (uint32_t k = from; k < end; k++)
        o->first[o->phase[k] + 1]++;
    for (uint32_t i = 1; i <= rest; i++)
        o->first[i] += o->first[i - 1];
    for (uint32_t k = from; k < end; k++)
        o->order[from + o->first[o->phase[k]]++] = o->item[k];
}

static void list_items(ordering *o, uint32_t *item)
{
    for (uint32_t i = 1; i < o->code->ins.count; i++) {
        const ct_ins *ins = &o->code->ins.at[i];
        if (ins->op >= CT_TAPE_COUNT || !ins->varies)
            continue;
        o->place[i] = o->count;
        if (ins->op == CT_TAPE_SINCOS)
            o->place[ins->x[1]] = o->place[ins->x[2]] = o->count;
        item[o->count++] = i;
    }
    o->item = item;
}

static void order_by_latency(ct_arena *scratch, const ordering *o)
{
    uint32_t *height = CT_NEW_ARRAY(scratch, uint32_t, o->code->ins.count);
    uint32_t *place = CT_NEW_ARRAY(scratch, uint32_t, o->code->ins.count);
    ct_native_heights(o->code, height);
    for (uint32_t from = 0, end; from < o->count; from = end + 1) {
        for (end = from; end < o->count && !ct_is_circle(o->code->ins.at[o->order[end]].op);)
            end++;
        ct_native_list(scratch, o->code, o->order + from, end - from, height, place);
    }
}

uint32_t *ct_native_order(ct_arena *scratch, const ct_code *code, uint32_t *count)
{
    ordering o = {.code = code};
    o.place = CT_NEW_ARRAY(scratch, uint32_t, code->ins.count);
    list_items(&o, CT_NEW_ARRAY(scratch, uint32_t, code->ins.count));
    o.depth = CT_NEW_ARRAY(scratch, uint32_t, o.count);
    o.phase = CT_NEW_ARRAY(scratch, uint32_t, o.count);
    o.order = CT_NEW_ARRAY(scratch, uint32_t, o.count);
    o.first = CT_NEW_ARRAY(scratch, uint32_t, 2 * (size_t)(o.count < CHUNK ? o.count : CHUNK) + 4);
    for (uint32_t from = 0, end; from < o.count; from = end) {
        end = o.count - from < CHUNK ? o.count : from + CHUNK;
        if (has_circles(&o, from, end))
            order_chunk(&o, from, end);
        else
            memcpy(o.order + from, o.item + from, (end - from) * sizeof *o.order);
    }
    order_by_latency(scratch, &o);
    *count = o.count;
    return o.order;
}

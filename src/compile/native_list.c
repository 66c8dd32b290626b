/* native_list.c - instructions between two groups of circle functions, ordered by latency.
 *
 * List scheduling: time is followed on a processor that begins WIDTH instructions a cycle; of those
 * whose operands are there the one with the longest way to the end goes first. Only the next WINDOW
 * instructions of the given order are looked at, which keeps the number of live values small. Where
 * there is enough to do at any time, the given order, in which values are used soon, is better. */
#include "compile/native.h"

enum { WIDTH = 3, WINDOW = 2048, ADDITION = 3 };

/* Cycles from the operands to the result. */
static uint32_t latency(uint32_t op)
{
    static const uint8_t cycles[CT_TAPE_COUNT] = {
        [CT_TAPE_ADD] = ADDITION, [CT_TAPE_SUB] = ADDITION, [CT_TAPE_MUL] = 3,
        [CT_TAPE_MULADD] = 6,     [CT_TAPE_MULSUB] = 6,     [CT_TAPE_SUBMUL] = 6,
        [CT_TAPE_DIV] = 13,       [CT_TAPE_NEG] = 1,        [CT_TAPE_SINCOS] = 40,
        [CT_OP_SIN] = 40,         [CT_OP_COS] = 40,         [CT_OP_SQRT] = 20,
        [CT_OP_ABS] = 1,          [CT_OP_MIN] = 1,          [CT_OP_MAX] = 1,
    };
    return cycles[op] ? cycles[op] : 8;
}

/* Cycles by which an operand may come later than the others: what is added to a product. */
static uint32_t leave(const ct_ins *ins, uint32_t x)
{
    bool pair = ins->op >= CT_TAPE_MULADD && ins->op <= CT_TAPE_SUBMUL;
    bool added = pair && ins->x[2] == x && ins->x[0] != x && ins->x[1] != x;
    return added ? latency(ins->op) - ADDITION : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void ct_native_heights(const ct_code *code, uint32_t *height)
{
    for (uint32_t id = code->ins.count; id-- > 1;) {
        const ct_ins *ins = &code->ins.at[id];
        uint32_t count;
        if (ins->op >= CT_TAPE_COUNT || !ins->varies)
            continue;
        const uint32_t *x = ct_ins_operands(code, ins, &count);
        if (ins->op == CT_TAPE_SINCOS)
            height[id] = larger(height[ins->x[1]], height[ins->x[2]]);
        height[id] += latency(ins->op);
        for (uint32_t i = 0; i < count; i++)
            height[x[i]] = larger(height[x[i]], height[id] - leave(ins, x[i]));
    }
}

/* ---- heaps: key << 32 | item, the least first */

typedef struct heap {
    uint64_t *at;
    uint32_t count;
} heap;

static void push(heap *h, uint32_t key, uint32_t item)
{
    uint64_t x = (uint64_t)key << 32 | item;
    uint32_t i = h->count++;
    for (; i > 0 && h->at[(i - 1) / 2] > x; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
}

static uint32_t pop(heap *h)
{
    uint64_t least = h->at[0], x = h->at[--h->count];
    uint32_t i = 0, child;
    for (; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && h->at[child + 1] < h->at[child])
            child++;
        if (h->at[child] >= x)
            break;
        h->at[i] = h->at[child];
    }
    h->at[i] = x;
    return (uint32_t)least;
}

static uint32_t least_key(const heap *h)
{
    return (uint32_t)(h->at[0] >> 32);
}

/* ---- the list; items are the instructions in the given order */

typedef struct list {
    const ct_code *code;
    const uint32_t *height; /* of an instruction */
    uint32_t *id, count;    /* of items */
    uint32_t *place;        /* of an instruction: its item + 1; 0: not among these */
    uint32_t *first, *user; /* the users of item k are user[first[k]] .. */
    uint32_t *waiting;      /* operands that are not done */
    uint32_t *ready;        /* cycle in which all operands are there */
    uint32_t seen;          /* items before this one are in the window */
    uint32_t now;           /* cycle */
    heap coming, here;      /* by cycle; by height */
} list;

static const ct_ins *ins_at(const list *l, uint32_t k)
{
    return &l->code->ins.at[l->id[k]];
}

static uint32_t count_users(list *l)
{
    uint32_t count, total = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const uint32_t *x = ct_ins_operands(l->code, ins_at(l, k), &count);
        for (uint32_t i = 0; i < count; i++)
            if (l->place[x[i]]) {
                l->first[l->place[x[i]] - 1]++;
                l->waiting[k]++;
                total++;
            }
    }
    return total;
}

static void link_users(ct_arena *arena, list *l)
{
    uint32_t count, sum = 0;
    l->user = CT_NEW_ARRAY(arena, uint32_t, count_users(l));
    for (uint32_t k = 0; k <= l->count; k++)
        l->first[k] = sum += l->first[k];
    for (uint32_t k = l->count; k-- > 0;) {
        const uint32_t *x = ct_ins_operands(l->code, ins_at(l, k), &count);
        for (uint32_t i = 0; i < count; i++)
            if (l->place[x[i]])
                l->user[--l->first[l->place[x[i]] - 1]] = k;
    }
}

static void see(list *l, uint32_t end)
{
    for (; l->seen < l->count && l->seen < end; l->seen++)
        if (l->waiting[l->seen] == 0)
            push(&l->coming, l->ready[l->seen], l->seen);
}

static uint32_t choose(list *l)
{
    if (!l->here.count && least_key(&l->coming) > l->now)
        l->now = least_key(&l->coming);
    while (l->coming.count && least_key(&l->coming) <= l->now) {
        uint32_t k = pop(&l->coming);
        push(&l->here, UINT32_MAX - l->height[l->id[k]], k);
    }
    return pop(&l->here);
}

static void release_users(list *l, uint32_t k)
{
    uint32_t end = l->now + latency(ins_at(l, k)->op);
    for (uint32_t i = l->first[k]; i < l->first[k + 1]; i++) {
        uint32_t u = l->user[i];
        l->ready[u] = larger(l->ready[u], end - leave(ins_at(l, u), l->id[k]));
        if (--l->waiting[u] == 0 && u < l->seen)
            push(&l->coming, l->ready[u], u);
    }
}

static void take_all(list *l, bool *done, uint32_t *order)
{
    for (uint32_t n = 0, oldest = 0; n < l->count; n++) {
        while (done[oldest])
            oldest++;
        see(l, oldest + WINDOW);
        uint32_t k = choose(l);
        done[k] = true;
        order[n] = l->id[k];
        release_users(l, k);
        l->now += n % WIDTH == WIDTH - 1;
    }
}

/* Do instructions wait for each other most of the time? */
static bool is_slow(const list *l)
{
    uint32_t highest = 0, lowest = UINT32_MAX;
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t h = l->height[l->id[k]];
        highest = larger(h, highest);
        lowest = h < lowest ? h : lowest;
    }
    return highest - lowest > l->count / WIDTH;
}

void ct_native_list(ct_arena *arena, const ct_code *code, uint32_t *id, uint32_t count,
                    const uint32_t *height, uint32_t *place)
{
    list l = {.code = code, .id = id, .count = count, .height = height, .place = place};
    if (count < 3 || !is_slow(&l))
        return;
    uint32_t *order = CT_NEW_ARRAY(arena, uint32_t, count);
    l.first = CT_NEW_ARRAY(arena, uint32_t, count + 1);
    l.waiting = CT_NEW_ARRAY(arena, uint32_t, count);
    l.ready = CT_NEW_ARRAY(arena, uint32_t, count);
    l.coming.at = CT_NEW_ARRAY(arena, uint64_t, count < WINDOW ? count : WINDOW);
    l.here.at = CT_NEW_ARRAY(arena, uint64_t, count < WINDOW ? count : WINDOW);
    for (uint32_t k = 0; k < count; k++)
        place[id[k]] = k + 1;
    link_users(arena, &l);
    take_all(&l, CT_NEW_ARRAY(arena, bool, count), order);
    for (uint32_t k = 0; k < count; k++)
        place[id[k]] = 0;
    for (uint32_t k = 0; k < count; k++)
        id[k] = order[k];
}

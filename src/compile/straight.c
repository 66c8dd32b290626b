/* straight.c - see straight.h. */
#include "compile/straight.h"

#include "compile/native.h"

/* Results stay in registers by turns until others take their place. Numbers of all are below 8:
 * their instructions are shorter. */
enum { PRODUCT, CHECK, FIRST, TURNS = 8 - FIRST, HINTS = 64 };

struct ct_straight {
    ct_arena *own;
    ct_x86 x;
    uint32_t now; /* turn of the sum at hand */
    ct_straight_place held[TURNS];
    bool holds[TURNS];
    uint8_t hint[HINTS]; /* by the last digits of an index: which turn to look at */
};

ct_straight *ct_straight_new(ct_context *ctx)
{
    ct_cpu cpu = ct_native_cpu();
    if (!cpu.native || !cpu.vex || !ctx->def.native)
        return NULL;
    ct_arena *own = ct_arena_new(ctx);
    ct_straight *s = CT_NEW(own, ct_straight);
    *s = (ct_straight){.own = own};
    s->x = (ct_x86){.arena = own, .cpu = cpu, .unit = sizeof(double)};
    ct_x86_begin(&s->x, 0);
    ct_x86_load(&s->x, CHECK, ct_pool_place(CT_POOL_ZERO));
    return s;
}

static bool is_same(ct_straight_place a, ct_straight_place b)
{
    return a.array == b.array && a.index == b.index;
}

static ct_operand in_memory(ct_straight_place p)
{
    static const uint8_t base[] = {CT_BASE_WORK, CT_BASE_VARIABLE, CT_BASE_OUTPUT};
    return (ct_operand){(int32_t)(p.index * sizeof(double)), base[p.array]};
}

static uint32_t sum_of(const ct_straight *s)
{
    return FIRST + s->now;
}

static uint8_t *hint_of(ct_straight *s, ct_straight_place p)
{
    return &s->hint[(p.index + 21 * p.array) % HINTS];
}

static ct_operand operand(ct_straight *s, ct_straight_place p)
{
    uint32_t i = *hint_of(s, p);
    return s->holds[i] && is_same(s->held[i], p) ? ct_xmm(FIRST + i) : in_memory(p);
}

static void take_turn(ct_straight *s)
{
    s->now = (s->now + 1) % TURNS;
    s->holds[s->now] = false;
}

void ct_straight_start(ct_straight *s, ct_straight_place from)
{
    ct_operand at = operand(s, from);
    take_turn(s);
    ct_x86_load(&s->x, sum_of(s), at);
}

void ct_straight_start_zero(ct_straight *s)
{
    take_turn(s);
    ct_x86_load(&s->x, sum_of(s), ct_pool_place(CT_POOL_ZERO));
}

void ct_straight_start_inverse(ct_straight *s, ct_straight_place of)
{
    ct_operand at = operand(s, of);
    ct_x86_load(&s->x, PRODUCT, ct_pool_place(CT_POOL_ONE));
    take_turn(s);
    ct_x86_op(&s->x, CT_X86_DIV, sum_of(s), PRODUCT, at);
}

void ct_straight_subtract(ct_straight *s, ct_straight_place a, ct_straight_place b)
{
    ct_operand first = operand(s, a), second = operand(s, b);
    if (first.base != CT_BASE_XMM && second.base == CT_BASE_XMM) {
        ct_operand swap = first;
        first = second;
        second = swap;
    }
    if (first.base != CT_BASE_XMM) {
        ct_x86_load(&s->x, PRODUCT, first);
        first = ct_xmm(PRODUCT);
    }
    ct_x86_op(&s->x, CT_X86_MUL, PRODUCT, (uint32_t)first.at, second);
    ct_x86_op(&s->x, CT_X86_SUB, sum_of(s), sum_of(s), ct_xmm(PRODUCT));
}

void ct_straight_times(ct_straight *s, ct_straight_place by)
{
    ct_x86_op(&s->x, CT_X86_MUL, sum_of(s), sum_of(s), operand(s, by));
}

void ct_straight_store(ct_straight *s, ct_straight_place to)
{
    ct_x86_store(&s->x, in_memory(to), sum_of(s));
    s->held[s->now] = to;
    s->holds[s->now] = true;
    *hint_of(s, to) = (uint8_t)s->now; /* what held it before is not found any more */
}

void ct_straight_check(ct_straight *s)
{
    ct_x86_op(&s->x, CT_X86_ADD, CHECK, CHECK, ct_xmm(sum_of(s)));
}

void ct_straight_store_check(ct_straight *s, ct_straight_place to)
{
    ct_x86_store(&s->x, in_memory(to), CHECK);
}

ct_straight_fn ct_straight_done(ct_straight *s, ct_arena *arena)
{
    ct_x86_end(&s->x);
    ct_straight_fn code = ct_native_install(arena, &s->x);
    ct_arena_free(s->own);
    return code;
}

/* native_x86.c - instructions of x86-64 as bytes: doubles in xmm registers, or four in ymm ones.
 *
 * With AVX an instruction has three operands and a VEX prefix; without, it overwrites its first one
 * and a move comes before it. Both round alike. */
#include "compile/native.h"

#include <string.h>

enum { LONGEST = 64, FIRST_ROOM = 1 << 14 }; /* bytes of one call here, of the first block */
enum { LOAD = 0x3110, STORE = 0x3111, MOVE = 0x1128, COMPARE = 0x31c2 };
enum { ROUND = 0x130b, ROUND_WIDE = 0x1309, WIDE_BIT = 4 };
enum { NO_IMMEDIATE = -1, DOWNWARD = 9 }; /* rounding downward, without the inexact flag */

static void put(ct_x86 *x, uint32_t byte)
{
    x->byte.at[x->byte.count++] = (uint8_t)byte;
}

static void put_word(ct_x86 *x, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        put(x, word >> 8 * i & 0xff);
}

static void make_room(ct_x86 *x)
{
    if (x->byte.room - x->byte.count < LONGEST)
        CT_RESERVE(x->arena, x->byte, 2 * x->byte.room + FIRST_ROOM);
}

static uint32_t high(ct_operand place)
{
    return place.base == CT_BASE_XMM ? (uint32_t)place.at >> 3 : (place.base & 15u) >> 3;
}

/* reg, then register or memory; `after`: bytes that follow. */
static void put_operands(ct_x86 *x, uint32_t reg, ct_operand rm, uint32_t after)
{
    uint32_t field = (reg & 7) << 3;
    if (rm.base == CT_BASE_XMM) {
        put(x, 0xc0 | field | ((uint32_t)rm.at & 7));
    } else if (rm.base == CT_BASE_POOL) {
        put(x, 5 | field);
        put_word(x, (uint32_t)rm.at - (x->byte.count + 4 + after));
    } else if (rm.at >= -128 && rm.at < 128) {
        put(x, 0x40 | field | (rm.base & 7u));
        put(x, (uint32_t)rm.at & 0xff);
    } else {
        put(x, 0x80 | field | (rm.base & 7u));
        put_word(x, (uint32_t)rm.at);
    }
}

static void put_vex(ct_x86 *x, uint32_t op, uint32_t reg, uint32_t second, ct_operand rm)
{
    uint32_t not_reg = (~reg >> 3 & 1) << 7, prefix = op >> 12, map = op >> 8 & 15;
    uint32_t rest = (~second & 15) << 3 | (x->wide ? WIDE_BIT : 0) | prefix;
    bool pool = rm.base == CT_BASE_POOL;
    if (map == 1 && (pool || !high(rm))) {
        put(x, 0xc5);
        put(x, not_reg | rest);
    } else {
        put(x, 0xc4);
        put(x, not_reg | 0x40 | (pool || !high(rm) ? 0x20 : 0) | map);
        put(x, rest);
    }
    put(x, op & 0xff);
}

static void put_legacy(ct_x86 *x, uint32_t op, uint32_t reg, ct_operand rm)
{
    static const uint8_t prefix[] = {0, 0x66, 0xf3, 0xf2};
    uint32_t extension = (reg >> 3) << 2 | (rm.base == CT_BASE_POOL ? 0 : high(rm));
    put(x, prefix[op >> 12]);
    if (extension)
        put(x, 0x40 | extension);
    put(x, 0x0f);
    if ((op >> 8 & 15) == 3)
        put(x, 0x3a);
    put(x, op & 0xff);
}

/* Of one double, and of several. */
static uint32_t widened(uint32_t op)
{
    return op == ROUND ? (uint32_t)ROUND_WIDE : op >> 12 == 3 ? op - 0x2000 : op;
}

/* The most frequent ones at once, of a register or with a distance of four bytes. */
static bool put_short(ct_x86 *x, uint32_t op, uint32_t reg, uint32_t second, ct_operand rm)
{
    bool is_register = rm.base == CT_BASE_XMM;
    if ((op >> 8 & 15) != 1 || rm.base == CT_BASE_POOL || high(rm) ||
        (!is_register && rm.at >= -128 && rm.at < 128))
        return false;
    uint32_t rest = (~second & 15) << 3 | (x->wide ? WIDE_BIT : 0) | op >> 12;
    uint32_t low = is_register ? 0xc0 | ((uint32_t)rm.at & 7) : 0x80 | (rm.base & 7u);
    uint32_t word = 0xc5 | ((~reg >> 3 & 1) << 7 | rest) << 8 | (op & 0xff) << 16 |
                    (low | (reg & 7) << 3) << 24;
    memcpy(x->byte.at + x->byte.count, &word, sizeof word);
    memcpy(x->byte.at + x->byte.count + sizeof word, &rm.at, sizeof rm.at);
    x->byte.count += is_register ? 4 : 8;
    return true;
}

/* One instruction. `second` is 0 where there is none: as a field that is all ones. */
static void encode(ct_x86 *x, uint32_t op, uint32_t reg, uint32_t second, ct_operand rm,
                   int immediate)
{
    make_room(x);
    op = x->wide ? widened(op) : op;
    if (x->cpu.vex && immediate == NO_IMMEDIATE && put_short(x, op, reg, second, rm))
        return;
    if (x->cpu.vex)
        put_vex(x, op, reg, second, rm);
    else
        put_legacy(x, op, reg, rm);
    put_operands(x, reg, rm, immediate != NO_IMMEDIATE);
    if (immediate != NO_IMMEDIATE)
        put(x, (uint32_t)immediate);
}

void ct_x86_load(ct_x86 *x, uint32_t to, ct_operand from)
{
    bool is_register = from.base == CT_BASE_XMM;
    if (!is_register || (uint32_t)from.at != to)
        encode(x, is_register ? MOVE : LOAD, to, 0, from, NO_IMMEDIATE);
}

void ct_x86_store(ct_x86 *x, ct_operand to, uint32_t from)
{
    encode(x, STORE, from, 0, to, NO_IMMEDIATE);
}

static bool commutes(uint32_t op)
{
    return op == CT_X86_ADD || op == CT_X86_MUL || op == CT_X86_AND || op == CT_X86_OR ||
           op == CT_X86_XOR;
}

/* to = a op b in two operands; b may stand in `to`. */
static void two_operands(ct_x86 *x, uint32_t op, uint32_t to, uint32_t a, ct_operand b,
                         int immediate)
{
    bool same = b.base == CT_BASE_XMM && (uint32_t)b.at == to && to != a;
    if (same && commutes(op)) {
        b = ct_xmm(a);
    } else {
        if (same) {
            ct_x86_load(x, CT_X86_LAST, b);
            b = ct_xmm(CT_X86_LAST);
        }
        ct_x86_load(x, to, ct_xmm(a));
    }
    encode(x, op, to, 0, b, immediate);
}

void ct_x86_op(ct_x86 *x, uint32_t op, uint32_t to, uint32_t a, ct_operand b)
{
    bool single = op == CT_X86_SQRT && (x->wide || !x->cpu.vex);
    if (single || x->cpu.vex)
        encode(x, op, to, single ? 0 : a, b, NO_IMMEDIATE);
    else
        two_operands(x, op, to, a, b, NO_IMMEDIATE);
}

void ct_x86_compare(ct_x86 *x, uint32_t to, uint32_t a, ct_operand b, uint32_t predicate)
{
    if (x->cpu.vex)
        encode(x, COMPARE, to, a, b, (int)predicate);
    else
        two_operands(x, COMPARE, to, a, b, (int)predicate);
}

void ct_x86_floor(ct_x86 *x, uint32_t to, uint32_t a)
{
    encode(x, ROUND, to, x->wide ? 0 : a, ct_xmm(a), DOWNWARD);
}

/* ---- calls: arguments in rdi, rsi, rdx, rcx, r8 */

static const uint8_t argument_register[] = {7, 6, 2, 1, 8};

void ct_x86_address(ct_x86 *x, uint32_t argument, ct_operand place)
{
    make_room(x);
    put(x, 0x48 | (place.base >> 3 & 1u));
    put(x, 0x8d);
    put_operands(x, argument_register[argument], place, 0);
}

void ct_x86_number(ct_x86 *x, uint32_t argument, uint32_t value)
{
    make_room(x);
    put(x, 0xb8u | argument_register[argument]);
    put_word(x, value);
}

static void put_address(ct_x86 *x, uint32_t reg, void (*function)(void))
{
    uint64_t address = (uint64_t)(uintptr_t)function;
    make_room(x);
    put(x, 0x48 | reg >> 3);
    put(x, 0xb8 | (reg & 7));
    put_word(x, (uint32_t)address);
    put_word(x, (uint32_t)(address >> 32));
}

void ct_x86_pointer(ct_x86 *x, uint32_t argument, void (*function)(void))
{
    put_address(x, argument_register[argument], function);
}

void ct_x86_call(ct_x86 *x, void (*function)(void))
{
    put_address(x, 0, function);
    put(x, 0xff);
    put(x, 0xd0);
}

/* vzeroupper: without it instructions of xmm registers alone may wait for the upper halves. */
static void put_zero_upper(ct_x86 *x)
{
    make_room(x);
    put(x, 0xc5);
    put(x, 0xf8);
    put(x, 0x77);
}

void ct_x86_call_narrow(ct_x86 *x, void (*function)(void))
{
    if (x->wide)
        put_zero_upper(x);
    ct_x86_call(x, function);
}

/* ---- begin and end */

static void put_pool(ct_x86 *x)
{
    static const double one = 1;
    static const uint64_t sign = (uint64_t)1 << 63, size = ~((uint64_t)1 << 63);
    make_room(x);
    memset(x->byte.at, 0, CT_POOL_END);
    for (int lane = 0; lane < 32; lane += 8) {
        memcpy(x->byte.at + CT_POOL_SIGN + lane, &sign, 8);
        memcpy(x->byte.at + CT_POOL_SIZE + lane, &size, 8);
        memcpy(x->byte.at + CT_POOL_ONE + lane, &one, 8);
    }
    x->byte.count = CT_POOL_END;
}

/* Three pushes leave the stack as calls want it, a multiple of 16. */
void ct_x86_begin(ct_x86 *x, uint32_t middle)
{
    static const uint8_t entry[] = {
        0x53,             /* push rbx */
        0x55,             /* push rbp */
        0x41, 0x56,       /* push r14 */
        0x48, 0x89, 0xf5, /* mov rbp, rsi: variable */
        0x49, 0x89, 0xd6, /* mov r14, rdx: output */
    };
    put_pool(x);
    make_room(x);
    for (size_t i = 0; i < sizeof entry; i++)
        put(x, entry[i]);
    put(x, 0x48); /* lea rbx, [rdi + middle]: work */
    put(x, 0x8d);
    put(x, 0x9f);
    put_word(x, middle);
}

void ct_x86_end(ct_x86 *x)
{
    static const uint8_t leave[] = {0x41, 0x5e, 0x5d, 0x5b, 0xc3}; /* pop r14, rbp, rbx; ret */
    if (x->wide)
        put_zero_upper(x);
    make_room(x);
    for (size_t i = 0; i < sizeof leave; i++)
        put(x, leave[i]);
}

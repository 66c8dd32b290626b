/* native_inline.c - operators as a few instructions of machine code each, with the bits of ops.def.
 *
 * The result may take the register of an operand, so it is written last. */
#include "compile/native.h"

enum { S = CT_X86_SCRATCH, L = CT_X86_LAST };

static void truth(ct_x86 *x, uint32_t to)
{
    ct_x86_op(x, CT_X86_AND, to, S, ct_pool_place(CT_POOL_ONE));
}

static void compare(ct_x86 *x, uint32_t to, uint32_t a, uint32_t b, uint32_t predicate)
{
    ct_x86_compare(x, S, a, ct_xmm(b), predicate);
    truth(x, to);
}

#define INLINE(name)                                                                               \
    static void inline_##name(ct_x86 *x, uint32_t to, uint32_t a, uint32_t b, uint32_t c)
#define UNUSED(...) ((void)b, (void)c)

INLINE(NEG)
{
    UNUSED();
    ct_x86_op(x, CT_X86_XOR, to, a, ct_pool_place(CT_POOL_SIGN));
}

INLINE(ABS)
{
    UNUSED();
    ct_x86_op(x, CT_X86_AND, to, a, ct_pool_place(CT_POOL_SIZE));
}

INLINE(SQRT)
{
    UNUSED();
    ct_x86_op(x, CT_X86_SQRT, to, a, ct_xmm(a));
}

/* The second operand wins unless the first one is less. */
INLINE(MIN)
{
    UNUSED();
    ct_x86_op(x, CT_X86_MIN, to, b, ct_xmm(a));
}

INLINE(MAX)
{
    UNUSED();
    ct_x86_op(x, CT_X86_MAX, to, b, ct_xmm(a));
}

INLINE(LESS)
{
    UNUSED();
    compare(x, to, a, b, CT_X86_LESS);
}

INLINE(LESS_EQUAL)
{
    UNUSED();
    compare(x, to, a, b, CT_X86_LESS_EQUAL);
}

INLINE(GREATER)
{
    UNUSED();
    compare(x, to, b, a, CT_X86_LESS);
}

INLINE(GREATER_EQUAL)
{
    UNUSED();
    compare(x, to, b, a, CT_X86_LESS_EQUAL);
}

INLINE(EQUAL)
{
    UNUSED();
    compare(x, to, a, b, CT_X86_EQUAL);
}

INLINE(UNEQUAL)
{
    UNUSED();
    compare(x, to, a, b, CT_X86_UNEQUAL);
}

INLINE(NOT)
{
    UNUSED();
    ct_x86_compare(x, S, a, ct_pool_place(CT_POOL_ZERO), CT_X86_EQUAL);
    truth(x, to);
}

INLINE(STEP)
{
    UNUSED();
    ct_x86_load(x, S, ct_pool_place(CT_POOL_ZERO));
    compare(x, to, S, a, CT_X86_LESS_EQUAL);
}

INLINE(AND)
{
    UNUSED();
    ct_x86_compare(x, S, a, ct_pool_place(CT_POOL_ZERO), CT_X86_UNEQUAL);
    ct_x86_compare(x, L, b, ct_pool_place(CT_POOL_ZERO), CT_X86_UNEQUAL);
    ct_x86_op(x, CT_X86_AND, S, S, ct_xmm(L));
    truth(x, to);
}

INLINE(OR)
{
    UNUSED();
    ct_x86_compare(x, S, a, ct_pool_place(CT_POOL_ZERO), CT_X86_UNEQUAL);
    ct_x86_compare(x, L, b, ct_pool_place(CT_POOL_ZERO), CT_X86_UNEQUAL);
    ct_x86_op(x, CT_X86_OR, S, S, ct_xmm(L));
    truth(x, to);
}

/* (0 < a) - (a < 0) */
INLINE(SIGN)
{
    UNUSED();
    ct_x86_load(x, S, ct_pool_place(CT_POOL_ZERO));
    compare(x, S, S, a, CT_X86_LESS);
    ct_x86_compare(x, L, a, ct_pool_place(CT_POOL_ZERO), CT_X86_LESS);
    ct_x86_op(x, CT_X86_AND, L, L, ct_pool_place(CT_POOL_ONE));
    ct_x86_op(x, CT_X86_SUB, to, S, ct_xmm(L));
}

/* b where S is all ones, c where it is zero. */
static void choose(ct_x86 *x, uint32_t to, uint32_t b, uint32_t c)
{
    ct_x86_op(x, CT_X86_ANDN, L, S, ct_xmm(c));
    ct_x86_op(x, CT_X86_AND, S, S, ct_xmm(b));
    ct_x86_op(x, CT_X86_OR, to, S, ct_xmm(L));
}

INLINE(IF)
{
    ct_x86_compare(x, S, a, ct_pool_place(CT_POOL_ZERO), CT_X86_UNEQUAL);
    choose(x, to, b, c);
}

INLINE(FLOOR)
{
    UNUSED();
    ct_x86_floor(x, to, a);
}

/* S = b*floor(a/b) */
static void whole_part(ct_x86 *x, uint32_t a, uint32_t b)
{
    ct_x86_op(x, CT_X86_DIV, S, a, ct_xmm(b));
    ct_x86_floor(x, S, S);
    ct_x86_op(x, CT_X86_MUL, S, S, ct_xmm(b));
}

INLINE(MOD)
{
    UNUSED();
    whole_part(x, a, b);
    ct_x86_op(x, CT_X86_SUB, to, a, ct_xmm(S));
}

INLINE(PULSE)
{
    whole_part(x, a, b);
    ct_x86_op(x, CT_X86_SUB, L, a, ct_xmm(S));
    compare(x, to, L, c, CT_X86_LESS);
}

/* What is not here is called through its row. */
ct_inline_fn ct_native_inline(const ct_x86 *x, uint32_t op)
{
    static const struct {
        ct_inline_fn write;
        bool round;
    } rows[CT_TAPE_COUNT] = {
#define ROW(name)         [CT_OP_##name] = {inline_##name, false}
#define ROUNDED_ROW(name) [CT_OP_##name] = {inline_##name, true}
        [CT_TAPE_NEG] = {inline_NEG, false},
        ROW(ABS),
        ROW(SQRT),
        ROW(MIN),
        ROW(MAX),
        ROW(LESS),
        ROW(LESS_EQUAL),
        ROW(GREATER),
        ROW(GREATER_EQUAL),
        ROW(EQUAL),
        ROW(UNEQUAL),
        ROW(NOT),
        ROW(STEP),
        ROW(AND),
        ROW(OR),
        ROW(SIGN),
        ROW(IF),
        ROUNDED_ROW(FLOOR),
        ROUNDED_ROW(MOD),
        ROUNDED_ROW(PULSE),
    };
    return rows[op].round && !x->cpu.round ? NULL : rows[op].write;
}

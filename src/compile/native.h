/* native.h - inside the compile folder: machine code for the part of a program that is done at
 * every call.
 *
 *   native_order.c  instructions put in order: circle functions early and in groups, then by
 * latency native_place.c  registers given to values, and each instruction written native_call.c
 * those that are calls native_x86.c    the bytes of instructions native.c        memory to execute
 * from
 *
 * Every operation is the one rounded operation that kernel.c does: the bits are those of the tape.
 * The same instructions are written for one set of variables, or (wide) for four lanes at once.
 */
#ifndef CT_COMPILE_NATIVE_H
#define CT_COMPILE_NATIVE_H

#include "compile/tape.h"

/* ---- native_x86.c */

/* Where an operand stands: xmm register `at`, or `at` bytes from a base. */
typedef struct ct_operand {
    int32_t at;
    uint8_t base;
} ct_operand;

/* Bases are numbers of general registers that a call leaves alone, or one of these. */
enum {
    CT_BASE_NONE, /* rax is never a base */
    CT_BASE_WORK = 3,
    CT_BASE_VARIABLE = 5,
    CT_BASE_OUTPUT = 14,
    CT_BASE_XMM = 16,
    CT_BASE_POOL, /* constants before the code */
};

/* Pool: masks and numbers, 32 bytes each. */
enum {
    CT_POOL_SIGN = 0,
    CT_POOL_SIZE = 32,
    CT_POOL_ONE = 64,
    CT_POOL_ZERO = 96,
    CT_POOL_END = 128
};

/* Three-operand instructions: prefix, map and opcode. */
enum {
    CT_X86_ADD = 0x3158,
    CT_X86_MUL = 0x3159,
    CT_X86_SUB = 0x315c,
    CT_X86_MIN = 0x315d,
    CT_X86_DIV = 0x315e,
    CT_X86_MAX = 0x315f,
    CT_X86_SQRT = 0x3151,
    CT_X86_AND = 0x1154,
    CT_X86_ANDN = 0x1155,
    CT_X86_OR = 0x1156,
    CT_X86_XOR = 0x1157,
};

/* Predicates of comparison. */
enum { CT_X86_EQUAL = 0, CT_X86_LESS = 1, CT_X86_LESS_EQUAL = 2, CT_X86_UNEQUAL = 4 };

/* The registers 14 and 15 are for the pieces of an instruction; 15 is lost by any of them. */
enum { CT_X86_FREE = 14, CT_X86_SCRATCH = 14, CT_X86_LAST = 15 };

/* What the processor has; the bits of the results do not depend on it. */
typedef struct ct_cpu {
    bool native; /* it is an x86-64 */
    bool vex;    /* AVX: three operands in one instruction */
    bool round;  /* SSE4.1: floor */
    bool wide;   /* AVX2: four doubles in one register */
} ct_cpu;

typedef struct ct_x86 {
    ct_arena *arena;
    CT_VEC(uint8_t) byte;
    ct_cpu cpu;
    bool wide;     /* registers hold four doubles each, of four lanes */
    uint32_t unit; /* bytes from a slot, variable or output to the next */
} ct_x86;

void ct_x86_begin(ct_x86 *x, uint32_t middle); /* bytes from the work space to its base */
void ct_x86_end(ct_x86 *x);
void ct_x86_op(ct_x86 *x, uint32_t op, uint32_t to, uint32_t a, ct_operand b); /* to = a op b */
void ct_x86_compare(ct_x86 *x, uint32_t to, uint32_t a, ct_operand b, uint32_t predicate);
void ct_x86_floor(ct_x86 *x, uint32_t to, uint32_t a);
void ct_x86_load(ct_x86 *x, uint32_t to, ct_operand from);
void ct_x86_store(ct_x86 *x, ct_operand to, uint32_t from);
void ct_x86_address(ct_x86 *x, uint32_t argument, ct_operand place); /* argument 0..3 of a call */
void ct_x86_number(ct_x86 *x, uint32_t argument, uint32_t value);
void ct_x86_pointer(ct_x86 *x, uint32_t argument, void (*function)(void)); /* argument 0..4 */
void ct_x86_call(ct_x86 *x, void (*function)(void));
void ct_x86_call_narrow(ct_x86 *x, void (*function)(void)); /* one that knows no wide registers */

static inline ct_operand ct_xmm(uint32_t reg)
{
    return (ct_operand){(int32_t)reg, CT_BASE_XMM};
}

static inline ct_operand ct_pool_place(int32_t at)
{
    return (ct_operand){at, CT_BASE_POOL};
}

/* ---- native_order.c */

/* The instructions to be done at every call, in the order of execution; circle functions that can
 * be done together follow each other. */
uint32_t *ct_native_order(ct_arena *scratch, const ct_code *code, uint32_t *count);

static inline bool ct_is_circle(uint32_t op)
{
    return op == CT_OP_SIN || op == CT_OP_COS || op == CT_TAPE_SINCOS;
}

/* ---- native_list.c */

/* Of each instruction: cycles from its beginning to the end of all that waits for it. */
void ct_native_heights(const ct_code *code, uint32_t *height);

/* Puts id[0 .. count) into another valid order. `place` is zero for all instructions before and
 * after. */
void ct_native_list(ct_arena *arena, const ct_code *code, uint32_t *id, uint32_t count,
                    const uint32_t *height, uint32_t *place);

/* ---- native_inline.c */

/* Writes one operation on registers. */
typedef void (*ct_inline_fn)(ct_x86 *x, uint32_t to, uint32_t a, uint32_t b, uint32_t c);

/* NULL: the operator is to be called through its row. */
ct_inline_fn ct_native_inline(const ct_x86 *x, uint32_t op);

/* ---- native_place.c (and native_place.h, native_call.c) */

/* Writes all of the order; `slot` has what prepare computed; temporary values stand in the work
 * space from slot `first` on. Returns the end of these. */
uint32_t ct_native_write(ct_x86 *x, const ct_code *code, const ct_program *program,
                         const uint32_t *slot, const uint32_t *order, uint32_t count,
                         uint32_t first);

/* ---- native.c */

ct_cpu ct_native_cpu(void);

/* What was written, as a guest of the arena; NULL: the system does not allow it. */
ct_native_fn ct_native_install(ct_arena *arena, const ct_x86 *x);

/* NULL when there is no machine code here, or it does not pay. wide: for four lanes of CT_LANES at
 * once. *work: slots of the work space that it needs. */
ct_native_fn ct_native_new(ct_arena *arena, const ct_code *code, const ct_program *program,
                           const uint32_t *slot, ct_cpu cpu, bool wide, size_t *work);

/* ---- program.c: ct_program_new for a given processor */
const ct_program *ct_program_new_for(ct_arena *arena, const ct_program_def *def, ct_cpu cpu,
                                     ct_expr *stranger);

#endif

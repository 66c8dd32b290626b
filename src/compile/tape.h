/* tape.h - inside the compile folder: from expressions to instructions (lower.c) to runs
 * (schedule.c), which kernel.c executes. */
#ifndef CT_COMPILE_TAPE_H
#define CT_COMPILE_TAPE_H

#include "base/vec.h"
#include "compile/program.h"

/* What an instruction does: an operator of ops.def, a row of arith.def, or one of these. */
enum {
    CT_TAPE_BEFORE_ARITH = CT_OP_COUNT - 1,
#define ARITH(name, ...) CT_TAPE_##name,
#include "compile/arith.def"
#undef ARITH
    CT_TAPE_SINCOS, /* two results; operand, then the instructions of the sine and of the cosine */
    CT_TAPE_COUNT,
    CT_TAPE_CONSTANT = CT_TAPE_COUNT, /* leaves: x[0] is the index of the value */
    CT_TAPE_PARAMETER,
    CT_TAPE_VARIABLE,
    CT_TAPE_NOTHING, /* not used, or merged into another instruction */
};

/* ---- lower.c: instructions, each a value, operands before users */

/* A call of many operands has them in code->list: x[0] first, x[1] count; x[2] is its area. */
typedef struct ct_ins {
    uint16_t op;
    bool varies; /* depends on variables: to be done at every call */
    uint32_t x[3];
} ct_ins;

typedef struct ct_code {
    ct_arena *arena;
    CT_VEC(ct_ins) ins; /* ins.at[0] is unused: 0 is no instruction */
    CT_VEC(double) constant;
    CT_VEC(uint32_t) list;
    uint32_t parameter_count, variable_count, area_count, output_count;
    uint32_t *output;       /* instructions */
    uint32_t operations[2]; /* before fusing; [varies] */
} ct_code;

ct_code *ct_lower_tape(ct_arena *arena, const ct_program_def *def, ct_expr *stranger);

/* The operands as instructions; those that are not real operands (areas, results) are left out. */
static inline const uint32_t *ct_ins_operands(const ct_code *code, const ct_ins *ins,
                                              uint32_t *count);

/* ---- fuse.c: drops what is not used; c*x + y and sin, cos become one instruction each. Values
 * stay the same bit for bit. */
void ct_fuse(ct_code *code);

/* ---- kernel.c: one loop per operation */

/* The operands of one call of many operands: v[0..count) stands in the work space from `area` on.
 * Moves before `varying` are done once by prepare, the others at every call. */
typedef struct ct_area {
    uint32_t area, count;
    uint32_t move, varying, end; /* in program->move */
} ct_area;

typedef struct ct_move {
    uint32_t from, to; /* slots */
} ct_move;

/* `count` operations: operands are slots from tape[first] on, results go to slot `to` and after. */
typedef struct ct_tape_run {
    uint32_t op, count, to;
    uint32_t first;
} ct_tape_run;

typedef void (*ct_kernel_fn)(const ct_program *program, const ct_tape_run *run, double *work);

/* v[n]: the operands of a call of many; else a b c. */
typedef double (*ct_value_fn)(const double *v, uint32_t n, double a, double b, double c);

typedef struct ct_tape_row {
    const char *word;
    int arity; /* -1: any number of operands, one word on the tape: the area */
    ct_kernel_fn kernel;
    ct_value_fn value; /* of one operation; none for sincos */
} ct_tape_row;

extern const ct_tape_row ct_tape_rows[CT_TAPE_COUNT];

static inline const ct_tape_row *ct_tape_at(uint32_t op)
{
    return &ct_tape_rows[op];
}

/* Words of one operation on the tape. */
static inline uint32_t ct_tape_width(int arity)
{
    return arity < 0 ? 1 : (uint32_t)arity;
}

/* ---- program.c
 *
 * Slots: constants, parameters, what prepare computes | areas | variables, what run computes. */
typedef struct ct_stage {
    const ct_tape_run *run;
    uint32_t run_count;
} ct_stage;

/* Machine code of the run stage; variable and output do not overlap. */
typedef void (*ct_native_fn)(double *work, const double *variable, double *output);

struct ct_program {
    const double *constant;
    uint32_t constant_count, parameter_count, variable_count, output_count, area_count;
    uint32_t first_variable; /* slot */
    uint32_t operations[2];
    size_t work, native_work, wide_work; /* slots that the tape needs, and machine code */
    ct_stage stage[2];                   /* prepare, run */
    const uint32_t *tape;
    const ct_area *area;
    const ct_move *move;
    const uint32_t *output; /* slots */
    ct_native_fn native;    /* NULL: the tape */
    ct_native_fn wide;      /* of four lanes; NULL: the tape, by vectors of four if the */
    bool by_four;           /* processor has them */
};

/* ---- schedule.c: fills in the stages, tape, areas and outputs of a program; returns the slots of
 * instructions, in the memory of the code. */
const uint32_t *ct_schedule(ct_arena *arena, const ct_code *code, ct_program *program);

static inline const uint32_t *ct_ins_operands(const ct_code *code, const ct_ins *ins,
                                              uint32_t *count)
{
    *count = 0;
    if (ins->op >= CT_TAPE_COUNT)
        return ins->x;
    int arity = ct_tape_at(ins->op)->arity;
    *count = arity < 0 ? ins->x[1] : (uint32_t)arity;
    return arity < 0 ? code->list.at + ins->x[0] : ins->x;
}

#endif

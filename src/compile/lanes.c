/* lanes.c - see lanes.h. Kernels of the tape are made from the tables twice: for vectors of 2
 * doubles, which every x86-64 (and most others) has, and of 4 (AVX2), taken when the processor
 * knows them. Both do the same rounded operations, and so does machine code for half of the lanes,
 * where there is some. */
#include "compile/lanes.h"

#include <math.h>
#include <string.h>

#include "base/explog.h"
#include "base/sincos.h"
#include "compile/tape.h"
#include "expr/pool.h"

#define CT_PI 3.14159265358979323846

typedef void (*lane_kernel)(const ct_program *program, const ct_tape_run *run, double *work);

/* ---- functions: one set after the other */

/* The operands of a call of many stand in the work space set by set; here those of one. */
static const double *gather(const ct_program *program, const ct_area *area, double *work, int l)
{
    double *v = work + CT_LANES * program->work;
    for (uint32_t i = 0; i < area->count; i++)
        v[i] = work[CT_LANES * (size_t)(area->area + i) + (size_t)l];
    return v;
}

static void fill_area(const ct_program *program, const ct_area *area, double *work)
{
    for (uint32_t i = area->varying; i < area->end; i++)
        memcpy(work + CT_LANES * (size_t)program->move[i].to,
               work + CT_LANES * (size_t)program->move[i].from, CT_LANES * sizeof *work);
}

/* Operands are copied first: the compiler cannot know that results go elsewhere. */
#define CALLS(name, arity, value)                                                                  \
    static void lanes_##name(const ct_program *program, const ct_tape_run *run, double *work)      \
    {                                                                                              \
        const uint32_t *x = program->tape + run->first;                                            \
        double *to = work + CT_LANES * (size_t)run->to;                                            \
        for (uint32_t i = 0; i < run->count; i++, to += CT_LANES, x += ct_tape_width(arity)) {     \
            const ct_area *area = (arity) < 0 ? program->area + x[0] : NULL;                       \
            double of[3][CT_LANES] = {{0}};                                                        \
            if ((arity) < 0)                                                                       \
                fill_area(program, area, work);                                                    \
            for (int k = 0; k < (arity); k++)                                                      \
                memcpy(of[k], work + CT_LANES * (size_t)x[k], sizeof of[k]);                       \
            for (int l = 0; l < CT_LANES; l++) {                                                   \
                const double *v = (arity) < 0 ? gather(program, area, work, l) : NULL;             \
                const uint32_t n = (arity) < 0 ? area->count : 0;                                  \
                const double a = of[0][l], b = of[1][l], c = of[2][l];                             \
                (void)v, (void)n, (void)a, (void)b, (void)c;                                       \
                to[l] = value;                                                                     \
            }                                                                                      \
        }                                                                                          \
    }

#define OP(name, arity, word, latex, value, ...) CALLS(name, arity, value)
#include "expr/ops.def"
#undef OP

static void lanes_SINCOS(const ct_program *program, const ct_tape_run *run, double *work)
{
    const uint32_t *x = program->tape + run->first;
    double *sine = work + CT_LANES * (size_t)run->to,
           *cosine = sine + CT_LANES * (size_t)run->count;
    for (uint32_t i = 0; i < run->count; i++)
        ct_sincos_many(work + CT_LANES * (size_t)x[i], sine + CT_LANES * i, cosine + CT_LANES * i,
                       CT_LANES);
}

/* ---- arithmetic: all sets together, in vectors */

#ifdef __GNUC__
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#define PAIRS 4
#else
typedef double pair;
#define PAIRS CT_LANES
#endif

/* Part k of the operands; `value` reads them as a, b, c. All parts are read before one is written.
 */
#define PART(k, arity, value)                                                                      \
    {                                                                                              \
        const wide a = from[0][k], b = (arity) > 1 ? from[1][k] : a;                               \
        const wide c = (arity) > 2 ? from[2][k] : a;                                               \
        (void)b, (void)c;                                                                          \
        result[k] = value;                                                                         \
    }

#define VECTORS(prefix, attribute, type, parts, name, arity, value)                                \
    attribute static void prefix##_##name(const ct_program *program, const ct_tape_run *run,       \
                                          double *work)                                            \
    {                                                                                              \
        typedef type wide;                                                                         \
        const uint32_t *x = program->tape + run->first;                                            \
        wide *to = (wide *)(work + CT_LANES * (size_t)run->to);                                    \
        for (uint32_t i = 0; i < run->count; i++, to += parts, x += arity) {                       \
            const wide *from[3] = {0};                                                             \
            wide result[parts];                                                                    \
            for (int k = 0; k < (arity); k++)                                                      \
                from[k] = (const wide *)(work + CT_LANES * (size_t)x[k]);                          \
            ALL_PARTS_##parts(arity, value) for (int k = 0; k < parts; k++) to[k] = result[k];     \
        }                                                                                          \
    }

#define ALL_PARTS_2(arity, value) PART(0, arity, value) PART(1, arity, value)
#define ALL_PARTS_4(arity, value)                                                                  \
    ALL_PARTS_2(arity, value) PART(2, arity, value) PART(3, arity, value)
#define ALL_PARTS_8(arity, value)                                                                  \
    ALL_PARTS_4(arity, value)                                                                      \
    PART(4, arity, value) PART(5, arity, value) PART(6, arity, value) PART(7, arity, value)

#ifdef __GNUC__
#define ARITH(name, arity, word, value) VECTORS(two, , pair, 4, name, arity, value)
#else
#define ARITH(name, arity, word, value) VECTORS(two, , pair, 8, name, arity, value)
#endif
#include "compile/arith.def"
#undef ARITH

static const lane_kernel by_two[CT_TAPE_COUNT] = {
#define OP(name, ...) lanes_##name,
#include "expr/ops.def"
#undef OP
#define ARITH(name, ...) two_##name,
#include "compile/arith.def"
#undef ARITH
    lanes_SINCOS,
};

#if defined __x86_64__ && defined __GNUC__
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
#define ARITH(name, arity, word, value)                                                            \
    VECTORS(four, __attribute__((target("avx2"))), quad, 2, name, arity, value)
#include "compile/arith.def"
#undef ARITH

static const lane_kernel by_four[CT_TAPE_COUNT] = {
#define OP(name, ...) lanes_##name,
#include "expr/ops.def"
#undef OP
#define ARITH(name, ...) four_##name,
#include "compile/arith.def"
#undef ARITH
    lanes_SINCOS,
};

static const lane_kernel *kernels(const ct_program *program)
{
    return program->by_four ? by_four : by_two;
}
#else
static const lane_kernel *kernels(const ct_program *program)
{
    (void)program;
    return by_two;
}
#endif

/* ---- running */

enum { LINE = 64, HALF = CT_LANES / 2 }; /* bytes of a line of the cache: the lanes of one value */

size_t ct_lanes_work(const ct_program *program)
{
    uint32_t most = 0;
    size_t slots = program->work > program->wide_work ? program->work : program->wide_work;
    for (uint32_t i = 0; i < program->area_count; i++)
        if (program->area[i].count > most)
            most = program->area[i].count;
    return CT_LANES * slots + most + LINE / sizeof(double);
}

/* Values that lie across two lines take longer. */
static double *begin_of(double *work)
{
    size_t beside = (uintptr_t)work % LINE;
    return beside ? work + (LINE - beside) / sizeof *work : work;
}

static void execute(const ct_program *program, const ct_stage *stage, double *work)
{
    const lane_kernel *kernel = kernels(program);
    const ct_tape_run *end = stage->run + stage->run_count;
    for (const ct_tape_run *run = stage->run; run < end; run++)
        kernel[run->op](program, run, work);
}

static void copy(double *to, const double *from, uint32_t count)
{
    if (count)
        memcpy(to, from, CT_LANES * (size_t)count * sizeof *to);
}

void ct_lanes_prepare(const ct_program *program, const double *parameter, double *work)
{
    work = begin_of(work);
    for (uint32_t i = 0; i < program->constant_count; i++)
        for (int l = 0; l < CT_LANES; l++)
            work[CT_LANES * (size_t)i + (size_t)l] = program->constant[i];
    copy(work + CT_LANES * (size_t)program->constant_count, parameter, program->parameter_count);
    execute(program, &program->stage[0], work);
    for (uint32_t i = 0; i < program->area_count; i++) {
        const ct_area *area = &program->area[i];
        for (uint32_t k = area->move; k < area->varying; k++)
            copy(work + CT_LANES * (size_t)program->move[k].to,
                 work + CT_LANES * (size_t)program->move[k].from, 1);
    }
}

/* Machine code writes outputs while it still reads variables. */
static bool are_apart(const ct_program *program, const double *variable, const double *output)
{
    uintptr_t x = (uintptr_t)variable, y = (uintptr_t)output;
    return x + CT_LANES * program->variable_count * sizeof *variable <= y ||
           y + CT_LANES * program->output_count * sizeof *output <= x;
}

void ct_lanes_run(const ct_program *program, const double *variable, double *output, double *work)
{
    work = begin_of(work);
    double *copied = work + CT_LANES * (size_t)program->first_variable;
    bool apart = program->wide && are_apart(program, variable, output);
    if (!apart)
        copy(copied, variable, program->variable_count);
    if (program->wide) {
        for (int l = 0; l < CT_LANES; l += HALF)
            program->wide(work + l, (apart ? variable : copied) + l, output + l);
        return;
    }
    execute(program, &program->stage[1], work);
    for (uint32_t i = 0; i < program->output_count; i++)
        copy(output + CT_LANES * (size_t)i, work + CT_LANES * (size_t)program->output[i], 1);
}

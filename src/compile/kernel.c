/* kernel.c - the inner loops of the tape, one per operation, made from the tables.
 *
 * A run is executed strictly in its order: an operation may read a result of the same run. */
#include <math.h>

#include "base/explog.h"
#include "base/sincos.h"
#include "compile/tape.h"
#include "expr/pool.h"

#define CT_PI 3.14159265358979323846

static const double *gather(const ct_program *program, const ct_area *area, double *work)
{
    for (uint32_t i = area->varying; i < area->end; i++)
        work[program->move[i].to] = work[program->move[i].from];
    return work + area->area;
}

/* The arity is a constant, so that only the loads of the operands there are remain. */
#define KERNEL(name, arity, value)                                                                 \
    static void kernel_##name(const ct_program *program, const ct_tape_run *run, double *work)     \
    {                                                                                              \
        const uint32_t *x = program->tape + run->first;                                            \
        double *to = work + run->to, *end = to + run->count;                                       \
        for (; to < end; to++, x += ct_tape_width(arity)) {                                        \
            const ct_area *area = (arity) < 0 ? program->area + x[0] : NULL;                       \
            const double *v = (arity) < 0 ? gather(program, area, work) : NULL;                    \
            const uint32_t n = (arity) < 0 ? area->count : 0;                                      \
            const double a = (arity) > 0 ? work[x[0]] : 0;                                         \
            const double b = (arity) > 1 ? work[x[1]] : 0;                                         \
            const double c = (arity) > 2 ? work[x[2]] : 0;                                         \
            (void)v, (void)n, (void)a, (void)b, (void)c;                                           \
            *to = value;                                                                           \
        }                                                                                          \
    }

/* One operation, for machine code to call. */
#define VALUE(name, text)                                                                          \
    static double value_##name(const double *v, uint32_t n, double a, double b, double c)          \
    {                                                                                              \
        (void)v, (void)n, (void)a, (void)b, (void)c;                                               \
        return text;                                                                               \
    }

#define OP(name, arity, word, latex, value, ...) KERNEL(name, arity, value) VALUE(name, value)
#include "expr/ops.def"
#undef OP
#define ARITH(name, arity, word, value) KERNEL(name, arity, value) VALUE(name, value)
#include "compile/arith.def"
#undef ARITH

/* The sines come first, then the cosines. A run of these does not read its own results. */
static void kernel_SINCOS(const ct_program *program, const ct_tape_run *run, double *work)
{
    enum { GROUP = 32 };
    const uint32_t *x = program->tape + run->first;
    double *sine = work + run->to, *cosine = sine + run->count, argument[GROUP];
    for (uint32_t first = 0; first < run->count; first += GROUP) {
        uint32_t left = run->count - first, count = left < GROUP ? left : GROUP;
        for (uint32_t i = 0; i < count; i++)
            argument[i] = work[x[first + i]];
        ct_sincos_many(argument, sine + first, cosine + first, count);
    }
}

const ct_tape_row ct_tape_rows[CT_TAPE_COUNT] = {
#define OP(name, arity, word, ...) {word, arity, kernel_##name, value_##name},
#include "expr/ops.def"
#undef OP
#define ARITH(name, arity, word, value) {word, arity, kernel_##name, value_##name},
#include "compile/arith.def"
#undef ARITH
    {"sincos", 1, kernel_SINCOS, NULL},
};

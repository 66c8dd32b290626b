/* write_c.h - programs as C text: the same instructions in the same order as on the tape, so that
 * values are the same bit for bit where the compiler keeps to IEEE arithmetic.
 *
 * Each program becomes two functions, for the caller's own ones to call:
 *
 *     static void NAME_prepare(const double *p, double *work);
 *     static void NAME(double t, const double *x, const double *w, double *work, double *y);
 *
 * (without w where there is none). Long ones are cut into parts of CT_C_STATEMENTS at most:
 * compilers need more than linear time for a function. */
#ifndef CT_COMPILE_WRITE_C_H
#define CT_COMPILE_WRITE_C_H

#include "compile/program.h"

enum { CT_C_STATEMENTS = 1000 };

/* Functions of ours that it calls. */
typedef enum ct_c_call {
    CT_C_SIN = 1,
    CT_C_COS = 2,
    CT_C_SINCOS = 4,
    CT_C_EXP = 8,
    CT_C_LOG = 16,
    CT_C_TABLE = 32,
} ct_c_call;

typedef struct ct_c_program {
    ct_program_def def; /* the variables are x, then w, then t; what follows stands in */
    uint32_t held;      /* the work space, from here on */
    uint32_t x_count, w_count;
    const char *name;
    const char *const *note; /* of each output, as a comment; may be NULL */
    uint32_t work;           /* begin of its part of the work space */
    /* filled in: */
    uint32_t work_end;
    uint32_t statements; /* of the second function and its parts */
    uint32_t calls;      /* bits of ct_c_call */
} ct_c_program;

/* False: *stranger has no value, as of ct_program_new. */
bool ct_program_put_c(ct_c_program *program, ct_arena *arena, ct_text *out, ct_expr *stranger);

/* A number that reads back as the same double, by any C99 compiler. */
void ct_put_c_number(ct_text *out, double value);

#endif

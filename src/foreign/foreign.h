/* foreign.h - step functions in C that a user writes: compiled by the system's compiler, called in
 * a process of their own or, where the user trusts them, inside of this one.
 *
 *     void step(double t, const double *u, double *y, double *state);
 */
#ifndef CT_FOREIGN_FOREIGN_H
#define CT_FOREIGN_FOREIGN_H

#include <stdbool.h>

#include "base/context.h"

typedef struct ct_foreign ct_foreign;

typedef struct ct_foreign_def {
    const char *source;               /* path of the C file */
    const char *function;             /* its step function */
    uint32_t inputs, outputs, states; /* no state: 0; of the others there is at least one */
    bool inside;                      /* in this process */
} ct_foreign_def;

/* What went wrong: a few words, and lines of the compiler or NULL. */
typedef struct ct_foreign_trouble {
    const char *what, *detail;
} ct_foreign_trouble;

/* Compiles if need be and starts it, states zero. Lives as long as the arena. NULL: *trouble. */
ct_foreign *ct_foreign_open(ct_arena *arena, const ct_foreign_def *def,
                            ct_foreign_trouble *trouble);
/* One step. NULL: done; else what went wrong. */
const char *ct_foreign_call(ct_foreign *f, double t, const double *u, double *y);
void ct_foreign_close(ct_foreign *f); /* NULL is accepted; the arena does it, too */

/* ---- compile.c */
/* The compiled file, by name of its contents in the user's cache; NULL: *trouble. */
const char *ct_foreign_compile(ct_arena *arena, const ct_foreign_def *def,
                               ct_foreign_trouble *trouble);

/* What is compiled beside it, one text behind the other; ends with a NULL name. */
typedef struct ct_driver_text {
    const char *name, *text;
    size_t length;
} ct_driver_text;

extern const ct_driver_text ct_driver_texts[];

#endif

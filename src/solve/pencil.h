/* pencil.h - sparse matrices s E + A with one pattern, factored for several s.
 *
 * E and A are constant; s is real or complex. Symmetric pencils go to L D L^T, others to KLU with
 * its block triangular form. What is analysed once (order, pattern) serves all s; a factor can be
 * made anew for another s without taking memory.
 */
#ifndef CT_SOLVE_PENCIL_H
#define CT_SOLVE_PENCIL_H

#include <klu.h>

#include "solve/ldl.h"
#include "solve/problem.h"

typedef struct ct_pencil {
    ct_arena *arena;
    uint32_t n;
    const int *start, *row; /* by columns, rows ascending */
    const double *e, *a;
    double *value; /* s E + A for KLU; room for complex numbers */
    ct_ldl *ldl;   /* NULL: KLU */
    klu_common common;
    klu_symbolic *symbolic;
} ct_pencil;

typedef struct ct_factor {
    ct_pencil *pencil;
    bool is_complex, ready;
    ct_complex s;
    ct_ldl_factor *ldl;
    klu_numeric *numeric;
    uint64_t used; /* for those who keep several */
} ct_factor;

/* The arrays must live as long as the pencil. KLU keeps memory of its own: ct_pencil_free and
 * ct_factor_free give it back. */
ct_pencil *ct_pencil_new(ct_arena *arena, uint32_t n, const int *start, const int *row,
                         const double *e, const double *a);
/* The same without a look for symmetry: KLU. */
ct_pencil *ct_pencil_plain(ct_arena *arena, uint32_t n, const int *start, const int *row,
                           const double *e, const double *a);
void ct_pencil_free(ct_pencil *pencil); /* NULL is accepted */

ct_factor *ct_factor_new(ct_pencil *pencil, bool is_complex);
void ct_factor_free(ct_factor *factor);
size_t ct_factor_bytes(const ct_pencil *pencil, bool is_complex); /* about; 0: unknown */

/* CT_SOLVED, CT_SINGULAR, CT_NOT_FINITE or CT_NO_MEMORY_LEFT. */
ct_solve_status ct_factor_make(ct_factor *factor, ct_complex s);
void ct_factor_solve(ct_factor *factor, double *b); /* real, or pairs re, im; b becomes y */

/* y = E x or A x, or added with a factor: y += c M x. */
void ct_pencil_times(const ct_pencil *pencil, const double *m, double c, const double *x,
                     double *y);

#endif

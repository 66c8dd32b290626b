/* ldl.h - symmetric sparse systems L D L^T y = b without pivoting.
 *
 * For matrices whose symmetric permutations all have such a factorization: positive definite ones,
 * quasi-definite ones [H B; B^T -G], and complex ones s*E + A with both kinds of parts and Re s >
 * 0. The order (approximate minimum degree) and the pattern of L are found once; numbers are
 * factored as often as wanted. Large fronts are worked on as dense blocks (ldl_block.c), else
 * column by column.
 */
#ifndef CT_SOLVE_LDL_H
#define CT_SOLVE_LDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ct_complex {
    double re, im;
} ct_complex;

typedef struct ct_ldl {
    uint32_t n;
    int *order;        /* new -> old */
    int *up_start;     /* entries of column k of the permuted matrix above and on the diagonal */
    int *up_row;       /* new rows, the diagonal last */
    uint32_t *up_from; /* their places in the given matrix */
    int *parent;       /* elimination tree; -1: root */
    size_t *start;     /* of the columns of L */
    int *row;          /* of L below the diagonal, ascending; NULL with blocks */
    size_t count;      /* entries of L */
    double flops;      /* of one factorization */
    struct ct_ldl_blocks *blocks; /* NULL: column by column */
    /* shared by factors, while one is made or used */
    double *room, *work; /* what fronts leave; one vector, maybe complex */
    double *most;        /* of fronts: largest entries of columns */
    size_t room_size;
    int *next, *mark, *stack;
} ct_ldl;

/* The factors of one matrix; all memory from the arena. */
typedef struct ct_ldl_factor {
    double *l, *d;       /* real */
    ct_complex *lz, *dz; /* or complex */
} ct_ldl_factor;

/* Pattern by columns, both triangles; NULL: it is not symmetric, lacks a diagonal entry, or is too
 * large. */
ct_ldl *ct_ldl_new(ct_arena *arena, uint32_t n, const int *start, const int *row);
size_t ct_ldl_bytes(const ct_ldl *ldl, bool is_complex); /* of one factor */
ct_ldl_factor *ct_ldl_factor_new(ct_arena *arena, ct_ldl *ldl, bool is_complex);

/* s E + A, with E and A in the order of the given pattern; false: a pivot vanishes against what it
 * came from. */
bool ct_ldl_real(const ct_ldl *ldl, double s, const double *e, const double *a, ct_ldl_factor *f);
bool ct_ldl_complex(const ct_ldl *ldl, ct_complex s, const double *e, const double *a,
                    ct_ldl_factor *f);
void ct_ldl_solve_real(const ct_ldl *ldl, ct_ldl_factor *f, double *b); /* b becomes y */
void ct_ldl_solve_complex(const ct_ldl *ldl, ct_ldl_factor *f, ct_complex *b);

#endif

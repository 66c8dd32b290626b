/* lu_code.h - inside the folder: machine code of a factorization and its solution (lu.c). */
#ifndef CT_SOLVE_LU_CODE_H
#define CT_SOLVE_LU_CODE_H

#include "compile/straight.h"

/* Patterns as lu.c has them. Its numbers: l, u, pivots, their inverses, x. */
typedef struct ct_lu_code {
    uint32_t n;
    const int *row_of, *column_of, *a_start, *a_from, *a_to, *l_start, *l_row, *u_start, *u_row;
} ct_lu_code;

/* follow: from values of A, output[0] is not finite where there are no factors; solution: of b, in
 * its place. Both or none of them; guests of the arena. */
void ct_lu_write(ct_arena *arena, const ct_lu_code *of, ct_straight_fn *follow,
                 ct_straight_fn *solution);

#endif

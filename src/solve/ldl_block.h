/* ldl_block.h - inside the folder: L by dense blocks of columns (multifrontal).
 *
 * Columns that have nearly the same rows form a block. A block is factored in a front, a dense
 * square matrix over its columns and rows; what it leaves for its rows is added into the front of
 * its parent in the tree of blocks. Children come right before their parent, so that what they
 * leave stands on a stack.
 */
#ifndef CT_SOLVE_LDL_BLOCK_H
#define CT_SOLVE_LDL_BLOCK_H

#include "solve/ldl.h"

typedef struct ct_ldl_block {
    int first, width; /* columns */
    int rows;         /* below them */
    int parent;       /* block; -1: none */
    size_t row;       /* first of its rows in ct_ldl_blocks.row */
    size_t entry;     /* first of its (width + rows) * width entries of L, by columns */
} ct_ldl_block;

typedef struct ct_ldl_blocks {
    ct_ldl_block *block;
    int count;
    int *row;
    int *low_start, *low_row; /* permuted matrix, columns on and below the diagonal */
    uint32_t *low_from;
    size_t entries, stack; /* numbers in L; most of them on the stack */
    size_t widest;
} ct_ldl_blocks;

/* NULL: working by columns is as good. */
ct_ldl_blocks *ct_ldl_blocks_new(ct_arena *arena, const ct_ldl *ldl);
size_t ct_ldl_blocks_entries(const ct_ldl_blocks *blocks);

bool ct_ldl_fronts_real(const ct_ldl *ldl, double s, const double *e, const double *a,
                        ct_ldl_factor *f);
bool ct_ldl_fronts_complex(const ct_ldl *ldl, ct_complex s, const double *e, const double *a,
                           ct_ldl_factor *f);
void ct_ldl_back_real(const ct_ldl *ldl, ct_ldl_factor *f, double *y); /* permuted */
void ct_ldl_back_complex(const ct_ldl *ldl, ct_ldl_factor *f, ct_complex *y);

#endif

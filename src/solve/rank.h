/* rank.h - elimination of a square sparse matrix whose rank is in doubt.
 *
 * Every entry carries how much rounding may have left in it, so that what should have cancelled is
 * told from what is merely small. Rows that vanish and columns without pivot give the vectors w and
 * v with w^T J = 0 and J v = 0.
 */
#ifndef CT_SOLVE_RANK_H
#define CT_SOLVE_RANK_H

#include "base/vec.h"
#include "solve/problem.h"

typedef struct ct_rank_entry {
    uint32_t column;
    double value;
    double doubt; /* mean square of rounding errors, those of earlier steps included */
    double terms; /* sum of squares of what it was made from */
} ct_rank_entry;

typedef CT_VEC(ct_rank_entry) ct_rank_row;

typedef struct ct_rank_step {
    uint32_t target, pivot; /* row target -= by * row pivot */
    double by;
} ct_rank_step;

typedef struct ct_rank {
    uint32_t n, open; /* open: so many rows vanished */
    ct_rank_row *row; /* a pivot's row is kept as it was then */
    double *row_scale, *column_scale;
    CT_VEC(ct_rank_step) step;
    CT_VEC(uint32_t) pivot_row, pivot_column; /* in order */
    CT_VEC(uint32_t) free_row, free_column;   /* open of both */
} ct_rank;

/* The matrix by columns. */
ct_rank *ct_rank_new(ct_arena *arena, uint32_t n, const uint32_t *start, const uint32_t *row,
                     const double *value);
void ct_rank_left(const ct_rank *rank, uint32_t k, double *w);  /* w^T J = 0, k < open */
void ct_rank_right(const ct_rank *rank, uint32_t k, double *v); /* J v = 0 */
/* Some y with J y = b, as far as there is one; b is spent. */
void ct_rank_solve(const ct_rank *rank, double *b, double *y);

#endif

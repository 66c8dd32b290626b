/* schur.h - inside the folder: elimination of columns from a sparse matrix of expressions, exact,
 * or of numbers. */
#ifndef CT_STUDY_SCHUR_H
#define CT_STUDY_SCHUR_H

#include "base/vec.h"
#include "expr/expr.h"

typedef struct ct_cell {
    uint32_t col;
    ct_expr value;
    double number; /* at the point where pivots must not vanish; NaN: not known */
    double size;   /* of the largest number that it was made of */
    double low;    /* what rounding leaves of the number: digits of a second one behind it */
} ct_cell;

typedef CT_VEC(ct_cell) ct_cells; /* by rising column */

typedef struct ct_schur {
    ct_arena *arena;
    ct_pool *pool; /* NULL: of numbers */
    ct_cells *row;
    uint32_t rows, cols;
    uint32_t pivot_row;           /* rows from here on may be solved for an unknown */
    uint32_t first_col, last_col; /* first .. last-1 are to be eliminated */
    uint64_t budget;              /* cells that may be computed; 0 left: it was used up */
    bool *row_used, *col_gone;    /* per row and per column */
} ct_schur;

/* Takes as many columns as possible out of all rows: what a row was solved for is put into the
 * others. Rows that were used keep what they were solved with. */
void ct_schur_run(ct_schur *s);

/* The cell of a row; NULL: zero. */
ct_cell *ct_schur_cell(const ct_schur *s, uint32_t row, uint32_t col);

#endif

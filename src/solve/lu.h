/* lu.h - inside the folder: L U with the pivots and patterns that KLU chose.
 *
 * L U = P S A Q, S the scale of rows. A new matrix with the pattern of the old one is compared with
 * it: columns of L and U that nothing of what has changed leads to are kept as they are.
 */
#ifndef CT_SOLVE_LU_H
#define CT_SOLVE_LU_H

#include "solve/linear.h"

typedef struct ct_lu ct_lu;

/* From a factorization by KLU that is one block; NULL: KLU has no memory left. */
ct_lu *ct_lu_new(ct_linear *linear);
/* The same for new factors. False: other pivots were chosen, it is as it was. */
bool ct_lu_renew(ct_lu *lu, const ct_linear *linear);
void ct_lu_free(ct_lu *lu); /* NULL is accepted */

/* Of these values. False: a pivot is zero or a value not finite; pivots are to be chosen anew. */
bool ct_lu_factor(ct_lu *lu, const double *value);
void ct_lu_solve(ct_lu *lu, double *b); /* b becomes y */

/* Only unknowns of at least this level, with the rows of the same numbers, count from now on; NULL:
 * all do. False: pivots are not such. */
bool ct_lu_focus(ct_lu *lu, const uint8_t *level, uint8_t least);
double ct_lu_work(const ct_lu *lu); /* of a whole factorization, in solutions */
bool ct_lu_is_focused(const ct_lu *lu);

/* Least by largest pivot; the least ratio of the largest entries of a column in A and in U. */
double ct_lu_pivot_ratio(const ct_lu *lu);
double ct_lu_growth(const ct_lu *lu);

#endif

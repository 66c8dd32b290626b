/* definite.h - inside the folder: matrices that are dear to factor and, as it turns out, positive
 * definite, such as those of grids of two-poles: L D L^T by fronts takes a fraction of what L U
 * does.
 */
#ifndef CT_SOLVE_DEFINITE_H
#define CT_SOLVE_DEFINITE_H

#include "solve/linear.h"

typedef struct ct_definite ct_definite;

/* NULL: the pattern is not symmetric. */
ct_definite *ct_definite_new(ct_arena *arena, uint32_t n, const int *start, const int *row);
/* False: these values are not symmetric, or not definite. */
bool ct_definite_factor(ct_definite *s, const double *value);
void ct_definite_solve(ct_definite *s, double *b); /* b becomes y */

#endif

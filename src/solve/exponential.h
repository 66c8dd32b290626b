/* exponential.h - exponentials of a small dense matrix, kept for the lengths that come again.
 *
 * What is kept is exp(M h) - 1: the slow part of a stiff matrix is a small difference to 1, and
 * keeps its digits while squared.
 */
#ifndef CT_SOLVE_EXPONENTIAL_H
#define CT_SOLVE_EXPONENTIAL_H

#include "base/context.h"

typedef struct ct_exponentials ct_exponentials;

/* Of matrices of up to most rows; memory is taken as more of them and of lengths come, up to a few.
 */
ct_exponentials *ct_exponentials_new(ct_arena *arena, uint32_t most);
/* From now on of this matrix, n by n, by rows. One that came before is known again. */
void ct_exponentials_use(ct_exponentials *all, const double *matrix, uint32_t n);
/* out = exp(M h) y, out != y. Lengths that differ by less than `same` count as equal. */
void ct_exponentials_apply(ct_exponentials *all, double h, double same, const double *y,
                           double *out);
/* Largest sum of absolute values in a row of M, rows and columns scaled to make it small. */
double ct_exponentials_norm(const ct_exponentials *all);

#endif

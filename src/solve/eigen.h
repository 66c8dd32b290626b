/* eigen.h - A v = mu B v with symmetric A and positive definite B, both full; A v = mu v of any A.
 */
#ifndef CT_SOLVE_EIGEN_H
#define CT_SOLVE_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* All n pairs, mu falling; v in the columns of a, with v^T B v = 1. Both matrices are lost; false:
 * B is not positive definite. */
bool ct_eigen_pairs(ct_arena *arena, uint32_t n, double *a, double *b, double *mu);

/* The largest real part of the eigenvalues of a, which is lost; its vector (of a pair the real
 * part), and the largest modulus. 0: not found. */
double ct_eigen_growth(ct_arena *arena, uint32_t n, double *a, double *vector, double *largest);

#endif

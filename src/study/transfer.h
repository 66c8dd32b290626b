/* transfer.h - symbolic transfer functions
 *
 *     G(s) = C (s - A)^-1 (B + s E + ..) + D + s F + ..
 *
 * as fractions of polynomials in s whose coefficients are expressions. */
#ifndef CT_STUDY_TRANSFER_H
#define CT_STUDY_TRANSFER_H

#include "study/statespace.h"

/* Coefficients by rising powers of s; none: zero. */
typedef struct ct_poly {
    ct_expr *at;
    uint32_t count;
} ct_poly;

typedef struct ct_poly_ratio {
    ct_poly num, den;
} ct_poly_ratio;

typedef struct ct_transfers {
    ct_pool *pool;
    ct_poly_ratio *at; /* of output i and input j: [i * m + j] */
    uint32_t m, p;
    bool cut_short; /* not all coefficients are simplified */
} ct_transfers;

/* Common factors are cancelled. From the state space as it is before ct_statespace_simplify();
 * full: the coefficients are simplified, and free of divisors where possible. NULL after reporting:
 * too many states, or descriptor form (E535). */
const ct_transfers *ct_transfers_new(const ct_statespace *ss, bool full);

#endif

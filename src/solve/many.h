/* many.h - a sparse matrix s W - A, factored and solved for several s at once.
 *
 * Order and pivots are those that KLU finds for one s. With them the arithmetic for CT_MANY values
 * of s reads every index once, and stands side by side in memory. Whether the pivots are good for
 * these values, too, the error of the solution tells.
 */
#ifndef CT_SOLVE_MANY_H
#define CT_SOLVE_MANY_H

#include "solve/ldl.h"

enum { CT_MANY = 4 };

typedef struct ct_several {
    double re[CT_MANY], im[CT_MANY];
} ct_several;

typedef struct ct_many ct_many;

/* Columns; the arrays must live as long. KLU's memory dies with the arena. */
ct_many *ct_many_new(ct_arena *arena, uint32_t n, const int *start, const int *row, const double *w,
                     const double *a);

/* Takes pivots that are good for this s; false: it is singular there. */
bool ct_many_plan(ct_many *many, ct_complex s);

/* (s W - A) x = b after a plan, refined. error[l]: entries of row i that differ by so much of their
 * own size would make x exact, for the worst of all rows; more than rounding, or not a number: x is
 * no good. */
void ct_many_solve(ct_many *many, const ct_several *s, const ct_several *b, ct_several *x,
                   double *error);

#endif

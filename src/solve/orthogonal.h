/* orthogonal.h - sparse least squares and ranks, row by row. */
#ifndef CT_SOLVE_ORTHOGONAL_H
#define CT_SOLVE_ORTHOGONAL_H

#include <stdbool.h>

#include "base/vec.h"

typedef struct thin {
    uint32_t col;
    double value;
} thin;

typedef CT_VEC(thin) thin_row; /* ascending columns */

typedef struct triangle {
    ct_arena *arena;
    uint32_t cols;
    thin_row *row; /* by column of the first entry; empty: none */
    double *b;
    double noise; /* what is left of a row over its damping is not carried through the others */
    thin_row spare, next;
} triangle;

/* diagonal: rows diagonal * x_i = 0 to begin with; 0: none. */
void ct_triangle_init(triangle *t, ct_arena *arena, uint32_t cols, double diagonal);
/* A row of length one, entry.x = b; false: it is a combination of earlier ones. */
bool ct_triangle_add(triangle *t, const thin *entry, uint32_t count, double b);
void ct_triangle_solve(const triangle *t, double *x);

#endif

/* craig.h - few shapes for a body of many finite elements [Craig, Bampton 1968].
 *
 * With degrees of freedom parted into held ones b and inner ones i, shapes are the static ones that
 * follow the motions of what is held, and modes of the body with all of it at rest:
 *
 *     [ 1               0     ]
 *     [ -K_ii^-1 K_ib   Phi_i ]
 */
#ifndef CT_SOLVE_CRAIG_H
#define CT_SOLVE_CRAIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A symmetric matrix by columns, both triangles, rows ascending, with its whole diagonal. */
typedef struct ct_symmetric {
    uint32_t n;
    const int *start, *row;
    const double *value;
} ct_symmetric;

void ct_symmetric_times(const ct_symmetric *a, const double *x, double *y);

typedef enum ct_craig_status {
    CT_CRAIG_DONE,
    CT_CRAIG_LOOSE,    /* inner motions without stiffness */
    CT_CRAIG_UNSTABLE, /* of negative stiffness */
    CT_CRAIG_WEIGHT    /* of negative mass */
} ct_craig_status;

/* Vectors of n numbers, one after the other. */
typedef struct ct_shape_set {
    uint32_t n, count;
    double *at;
} ct_shape_set;

/* Adds to `out`, which has room for them, the static shapes of `motion` (values at held degrees of
 * freedom) and the lowest `modes` ones, or as many as there are. */
ct_craig_status ct_craig_shapes(ct_arena *arena, const ct_symmetric *mass,
                                const ct_symmetric *stiffness, const bool *held,
                                const ct_shape_set *motion, uint32_t modes, ct_shape_set *out);

/* Combines shapes so that mass and stiffness are diagonal; those without strain energy of their own
 * are dropped. Stiffness becomes 1, mass[i] = 1/omega_i^2, largest first. */
void ct_shapes_part(ct_arena *arena, const ct_symmetric *mass, const ct_symmetric *stiffness,
                    ct_shape_set *shapes, double *mass_of);

#endif

/* relations.h - what gears leave between coordinates at rest. */
#ifndef CT_SIMULATE_RELATIONS_H
#define CT_SIMULATE_RELATIONS_H

#include "simulate/machine.h"

/* Rows of sum of factor*(z - from) = 0, listed by column. */
typedef struct ct_relations {
    uint32_t count;
    uint32_t *start; /* per column of z, one more */
    uint32_t *row;
    double *factor;
    const double *from;
} ct_relations;

/* Both points have the coordinates of the same motion: `begun` is where it began. */
ct_relations ct_relations_new(ct_rig *rig, double t, const double *begun, const double *reached,
                              ct_arena *arena);
void ct_relations_left(const ct_relations *r, uint32_t columns, const double *z, double *left);

#endif

/* partition.h - independent and dependent unknowns of a problem with invariants. */
#ifndef CT_SOLVE_PARTITION_H
#define CT_SOLVE_PARTITION_H

#include "solve/problem.h"

typedef struct ct_partition ct_partition;

ct_partition *ct_partition_new(ct_arena *arena, const ct_problem *problem);
/* By x: true: independent. slope: that of the invariants, in its pattern. */
const bool *ct_partition_choose(ct_partition *partition, const double *slope);

#endif

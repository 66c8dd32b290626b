/* esdirk_kernel.h - inside the folder: the loops over numbers of esdirk.c. The bits are the same
 * whatever registers there are. */
#ifndef CT_SOLVE_ESDIRK_KERNEL_H
#define CT_SOLVE_ESDIRK_KERNEL_H

#include "solve/part.h"

enum { CT_ESDIRK_TERMS = 7 };

/* to = sum of by[i] x[i], of at least one and at most CT_ESDIRK_TERMS. */
void ct_esdirk_sum(ct_index_ranges in, double *to, uint32_t count, const double *by,
                   const double *const *x);

/* What unknowns may be off by: atol + rtol max(most, |z|). */
typedef struct ct_esdirk_scale {
    double rtol, atol;
    const double *most, *z;
} ct_esdirk_scale;

/* The largest |step| by that of those that count; INFINITY: one is not finite. */
double ct_esdirk_size(ct_index_ranges in, const double *step, const ct_esdirk_scale *scale,
                      const bool *counts);
/* The same, and z -= step. INFINITY: z is not finite. */
double ct_esdirk_advance(ct_index_ranges in, double *z, const double *step,
                         const ct_esdirk_scale *scale);

#endif

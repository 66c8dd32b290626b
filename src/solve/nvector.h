/* nvector.h - our vectors for SUNDIALS: serial, with optimised and fused operations.
 *
 * Debian's SUNDIALS is compiled without optimisation, and most of its time goes into vector loops;
 * these are ours. The numbers are taken from the allocator of the context.
 */
#ifndef CT_SOLVE_NVECTOR_H
#define CT_SOLVE_NVECTOR_H

#include <sundials/sundials_nvector.h>

#include "base/context.h"

/* Vectors of one length. SUNDIALS 6.4 crashes when a vector cannot be cloned; it then gets a spare
 * one, made in advance, and `failed` is set: look at it after each call that may clone. */
typedef struct ct_vectors {
    ct_context *ctx;
    SUNContext sundials; /* to be set before the first vector is taken */
    uint32_t n;
    bool failed;
    struct _generic_N_Vector_Ops ops;
    N_Vector spare;
} ct_vectors;

void ct_vectors_init(ct_vectors *vectors, ct_arena *arena, uint32_t n);
N_Vector ct_vectors_take(ct_vectors *vectors); /* zeroed; never NULL. Freed by N_VDestroy(). */

double *ct_nvector_data(N_Vector v);

/* Kernels, also used by our own integrator. The order of summation is fixed. */
double ct_weighted_rms(uint32_t n, const double *x, const double *weight);
bool ct_all_finite(uint32_t n, const double *x);

#endif

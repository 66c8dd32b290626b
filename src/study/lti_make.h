/* lti_make.h - inside of the analysis of linear systems: forms that its files share. */
#ifndef CT_STUDY_LTI_MAKE_H
#define CT_STUDY_LTI_MAKE_H

#include "study/lti.h"

/* Without descriptor and derivatives of inputs, states balanced by powers of two:
 *
 *     z' = A z + R u,   y = C z + P(s) u,   P(s) = P_0 + s P_1 + ..      P: blocks of p x m
 *
 * P has no leading block of zeros; degree is 0 at least. */
typedef struct ct_lti_normal {
    uint32_t n, m, p, degree;
    double *A, *R, *C, *P;
} ct_lti_normal;

/* Gives what ct_lti_check() gives. */
ct_status ct_lti_normal_try(ct_arena *arena, const ct_lti *lti, ct_lti_normal *normal);
ct_lti_normal ct_lti_normal_new(ct_arena *arena, const ct_lti *lti); /* throws */

/* One input and one output of it. */
ct_lti_normal ct_lti_channel(ct_arena *arena, const ct_lti_normal *all, uint32_t i, uint32_t j);

/* The part that inputs reach and outputs show. */
ct_lti_normal ct_lti_minimal(ct_arena *arena, const ct_lti_normal *all);
/* Dimension of the part that the m columns of R reach through A. */
uint32_t ct_lti_reach(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R);

/* The number of modes that the m columns of R drive, by eigenvectors. False: modes are too close to
 * each other for that. */
bool ct_lti_driven_modes(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R,
                         uint32_t *driven);

/* X = (s - A)^-1 R, n x m. Not finite where s is an eigenvalue. */
void ct_lti_resolve(ct_arena *arena, uint32_t n, uint32_t m, const double *A, const double *R,
                    double complex s, double complex *X);

/* The finite part of a pencil s W - A of any shape, as eigenvalues of a matrix: size of *matrix.
 * *regular (may be NULL): square, and not singular for all s. */
uint32_t ct_pencil_finite(ct_arena *arena, uint32_t rows, uint32_t cols, const double *W,
                          const double *A, double **matrix, bool *regular);

/* Takes eigenvalues zero out of a matrix: size of *rest, whose eigenvalues are the others. */
uint32_t ct_lti_deflate(ct_arena *arena, uint32_t n, const double *A, const double **rest);

const ct_mode *ct_matrix_modes(ct_arena *arena, uint32_t n, const double *A);

/* Of one input and output, or of the whole. `part` is the minimal part of what has `states`. */
const ct_mode *ct_lti_zeros_of(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j,
                               const ct_lti_normal *part, uint32_t states, uint32_t *count);

/* The response of a sampled system (lti_ticks.c). */
void ct_lti_respond_ticks(ct_arena *arena, const ct_lti *lti, uint32_t j, bool step,
                          const double *times, uint32_t count, double *value);

double *ct_matrix_transposed(ct_arena *arena, uint32_t rows, uint32_t cols, const double *a);

/* What a sum has become when its largest terms were of size `of`: zero when only their rounding
 * errors can be left. */
double ct_lti_flushed(double value, double of);

#endif

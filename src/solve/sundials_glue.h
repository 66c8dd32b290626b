/* sundials_glue.h - our matrix and linear solver under the names that SUNDIALS wants. */
#ifndef CT_SOLVE_SUNDIALS_GLUE_H
#define CT_SOLVE_SUNDIALS_GLUE_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "solve/linear.h"

/* Both refer to `linear` and do not own it. NULL when memory is gone. */
SUNMatrix ct_sunmatrix_new(SUNContext sundials, ct_linear *linear);
SUNLinearSolver ct_sunsolver_new(SUNContext sundials, ct_linear *linear);

/* For the error handlers: errors come back as statuses, nothing is printed. */
void ct_sundials_silent(int code, const char *module, const char *function, char *text, void *user);

/* What a failed iteration or factorization means; linear may be NULL, bad as in ct_integration. */
ct_solve_status ct_iteration_failure(const ct_linear *linear, uint32_t bad);

/* Index of the largest weighted error, or UINT32_MAX. */
uint32_t ct_largest_error(uint32_t n, const double *error, const double *weight);

#endif

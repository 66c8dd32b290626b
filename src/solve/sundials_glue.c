/* sundials_glue.c - the tables of a matrix and a linear solver for SUNDIALS. */
#include "solve/sundials_glue.h"

#include <math.h>
#include <string.h>

#include "solve/nvector.h"

static SUNMatrix_ID matrix_id(SUNMatrix a)
{
    (void)a;
    return SUNMATRIX_CUSTOM;
}

/* All entries are written each time: nothing to clear. */
static int matrix_zero(SUNMatrix a)
{
    (void)a;
    return SUNMAT_SUCCESS;
}

static void matrix_destroy(SUNMatrix a)
{
    SUNMatFreeEmpty(a);
}

SUNMatrix ct_sunmatrix_new(SUNContext sundials, ct_linear *linear)
{
    SUNMatrix a = SUNMatNewEmpty(sundials);
    if (!a)
        return NULL;
    a->content = linear;
    a->ops->getid = matrix_id;
    a->ops->zero = matrix_zero;
    a->ops->destroy = matrix_destroy;
    return a;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver s)
{
    (void)s;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver s)
{
    (void)s;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_initialize(SUNLinearSolver s)
{
    (void)s;
    return SUNLS_SUCCESS;
}

/* A positive value makes SUNDIALS try a shorter step. */
static int solver_setup(SUNLinearSolver s, SUNMatrix a)
{
    (void)a;
    switch (ct_linear_factor(s->content)) {
    case CT_SOLVED:
        return SUNLS_SUCCESS;
    case CT_NO_MEMORY_LEFT:
        return SUNLS_MEM_FAIL;
    default:
        return 1;
    }
}

static int solver_solve(SUNLinearSolver s, SUNMatrix a, N_Vector x, N_Vector b, realtype tolerance)
{
    (void)a;
    (void)tolerance;
    ct_linear *linear = s->content;
    if (x != b)
        memcpy(ct_nvector_data(x), ct_nvector_data(b), linear->n * sizeof(double));
    ct_linear_solve(linear, ct_nvector_data(x));
    return SUNLS_SUCCESS;
}

static int solver_free(SUNLinearSolver s)
{
    SUNLinSolFreeEmpty(s);
    return SUNLS_SUCCESS;
}

SUNLinearSolver ct_sunsolver_new(SUNContext sundials, ct_linear *linear)
{
    SUNLinearSolver s = SUNLinSolNewEmpty(sundials);
    if (!s)
        return NULL;
    s->content = linear;
    s->ops->gettype = solver_type;
    s->ops->getid = solver_id;
    s->ops->initialize = solver_initialize;
    s->ops->setup = solver_setup;
    s->ops->solve = solver_solve;
    s->ops->free = solver_free;
    return s;
}

void ct_sundials_silent(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)user;
}

ct_solve_status ct_iteration_failure(const ct_linear *linear, uint32_t bad)
{
    if (bad != UINT32_MAX)
        return CT_NOT_FINITE;
    return linear && linear->status != CT_SOLVED ? linear->status : CT_NO_CONVERGENCE;
}

uint32_t ct_largest_error(uint32_t n, const double *error, const double *weight)
{
    uint32_t worst = UINT32_MAX;
    double most = -1;
    for (uint32_t i = 0; i < n; i++) {
        double size = fabs(error[i] * weight[i]);
        if (!(size <= most)) {
            most = size;
            worst = i;
            if (isnan(size))
                break;
        }
    }
    return worst;
}

/* step_idas.c - x' = f, 0 = g by IDAS: BDF on z = (x, w).
 *
 *     residual  (f - x', g)        matrix  J - c_j diag(1, ..., 1, 0, ..., 0)
 */
#include "solve/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <idas/idas.h>

#include "solve/gauge.h"
#include "solve/mend.h"
#include "solve/nvector.h"
#include "solve/sundials_glue.h"

static const double most_noise = 1e-3; /* of a value */

typedef struct idas {
    bool begun;
    double cj;     /* of the matrix */
    double *noise; /* rounding of w, with the matrix that was factored as */
    uint64_t noise_of;
    ct_mender mender;
    ct_pattern pattern;
    ct_linear *linear;
    ct_gauge gauge;
    double keen; /* share of the tolerances that what is shown allows */
    ct_vectors vectors;
    SUNContext sundials;
    void *memory;
    N_Vector y, slope, scratch, weight;
    SUNMatrix matrix;
    SUNLinearSolver solver;
} idas;

static int residual(realtype t, N_Vector y, N_Vector slope, N_Vector result, void *user)
{
    ct_stepper *s = user;
    double *r = ct_nvector_data(result);
    const double *dx = ct_nvector_data(slope);
    if (!ct_run_evaluate(s->run, t, ct_nvector_data(y), r))
        return 1;
    for (uint32_t i = 0, n = s->run->n; i < n; i++)
        r[i] -= dx[i];
    return 0;
}

static int newton_matrix(realtype t, realtype cj, N_Vector y, N_Vector slope, N_Vector r,
                         SUNMatrix matrix, void *user, N_Vector tmp1, N_Vector tmp2, N_Vector tmp3)
{
    ct_stepper *s = user;
    idas *d = s->self;
    ct_integration *run = s->run;
    (void)slope, (void)r, (void)matrix, (void)tmp1, (void)tmp2, (void)tmp3;
    d->cj = cj;
    ct_run_jacobian(run, t, ct_nvector_data(y), run->jacobian);
    ct_pattern_gather(&d->pattern, run->size, run->problem->start, run->jacobian, d->linear->value);
    for (uint32_t i = 0; i < run->n; i++)
        d->linear->value[d->pattern.diagonal[i]] -= cj;
    return 0;
}

/* w cannot be known better than rounding of the equations allows; of a voltage that depends on how
 * near a current is to its saturation, that is a lot. */
static void find_noise(ct_stepper *s, idas *d, const double *z)
{
    uint32_t n = s->run->n, size = s->run->size;
    if (d->noise_of == d->linear->factor_count || d->linear->status != CT_SOLVED)
        return;
    d->noise_of = d->linear->factor_count;
    ct_run_noise(s->run, z, d->noise);
    ct_linear_solve(d->linear, d->noise);
    for (uint32_t i = 0; i < size; i++)
        d->noise[i] = i < n ? 0 : fmin(fabs(d->noise[i]), most_noise * fabs(z[i]));
    if (!ct_all_finite(size, d->noise))
        memset(d->noise, 0, size * sizeof *d->noise);
}

static int weights(N_Vector y, N_Vector weight, void *user)
{
    ct_stepper *s = user;
    idas *d = s->self;
    const double *z = ct_nvector_data(y), *atol = s->run->atol;
    double *w = ct_nvector_data(weight);
    find_noise(s, d, z);
    for (uint32_t i = 0; i < s->run->size; i++)
        w[i] = 1 / (d->keen * (s->run->rtol * fabs(z[i]) + atol[i]) + d->noise[i]);
    return 0;
}

static bool make_vectors(ct_stepper *s, idas *d)
{
    N_Vector *all[] = {&d->y, &d->slope, &d->scratch, &d->weight};
    if (SUNContext_Create(NULL, &d->sundials) != 0)
        return false;
    d->vectors.sundials = d->vectors.spare->sunctx = d->sundials;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = ct_vectors_take(&d->vectors);
    s->z = ct_nvector_data(d->y);
    return !d->vectors.failed;
}

static bool set_limits(ct_stepper *s, idas *d)
{
    double limit = s->run->def->largest_step;
    return IDAWFtolerances(d->memory, weights) == IDA_SUCCESS &&
           IDASetUserData(d->memory, s) == IDA_SUCCESS &&
           IDASetMaxNumSteps(d->memory, -1) == IDA_SUCCESS &&
           IDASetMaxErrTestFails(d->memory, 30) == IDA_SUCCESS &&
           IDASetMaxConvFails(d->memory, 30) == IDA_SUCCESS &&
           (limit <= 0 || IDASetMaxStep(d->memory, limit) == IDA_SUCCESS);
}

static bool set_solver(idas *d)
{
    d->matrix = ct_sunmatrix_new(d->sundials, d->linear);
    d->solver = ct_sunsolver_new(d->sundials, d->linear);
    return d->matrix && d->solver &&
           IDASetLinearSolver(d->memory, d->solver, d->matrix) == IDA_SUCCESS &&
           IDASetJacFn(d->memory, newton_matrix) == IDA_SUCCESS;
}

/* Sets y and y': dx/dt from f, dw/dt from the derivative of g along the solution. */
static bool set_point(ct_stepper *s, idas *d, double t, const double *z, double stop)
{
    ct_integration *run = s->run;
    double *slope = ct_nvector_data(d->slope), *fg = ct_nvector_data(d->scratch);
    const double of_run = 1e-9, of_time = 1e3 * DBL_EPSILON;
    double first = ct_run_inside(run, t);
    double later = first + fmax(of_run * (stop - t), of_time * fabs(first));
    memcpy(ct_nvector_data(d->y), z, run->size * sizeof *z);
    if (!ct_run_evaluate(run, t, z, fg))
        return false;
    memcpy(slope, fg, run->n * sizeof *slope);
    ct_run_look_at_phases(run, slope);
    ct_newton_rate(run->algebraic, first, fmin(later, run->inside_last), z, fg, slope + run->n);
    return true;
}

static bool begin(ct_stepper *s, idas *d, double t)
{
    d->memory = IDACreate(d->sundials);
    if (!d->memory || IDASetErrHandlerFn(d->memory, ct_sundials_silent, NULL) != IDA_SUCCESS)
        return false;
    d->begun = IDAInit(d->memory, residual, t, d->y, d->slope) == IDA_SUCCESS && set_limits(s, d) &&
               set_solver(d) && !d->vectors.failed;
    return d->begun;
}

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    idas *d = s->self;
    s->t = s->before = t;
    if (!d->y && !make_vectors(s, d))
        return CT_NO_MEMORY_LEFT;
    if (!set_point(s, d, t, z, stop))
        return CT_NOT_FINITE;
    if (!d->begun)
        return begin(s, d, t) ? CT_SOLVED : CT_NO_MEMORY_LEFT;
    int flag = IDAReInit(d->memory, t, d->y, d->slope);
    return flag == IDA_SUCCESS ? CT_SOLVED : CT_NO_MEMORY_LEFT;
}

static ct_solve_status status_of(const ct_stepper *s, int flag)
{
    const idas *d = s->self;
    switch (flag) {
    case IDA_SUCCESS:
    case IDA_TSTOP_RETURN:
        return CT_SOLVED;
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
        return ct_iteration_failure(d->linear, s->run->bad);
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
    case IDA_NO_RECOVERY:
        return CT_NOT_FINITE;
    case IDA_MEM_FAIL:
        return CT_NO_MEMORY_LEFT;
    default:
        return CT_STEP_TOO_SMALL;
    }
}

/* Errors of the last step that are slow: stiff parts follow, and rows mend them. */
static void look_at_shown(ct_stepper *s, idas *d)
{
    double *error = ct_nvector_data(d->scratch);
    if (!d->gauge.count || d->linear->status != CT_SOLVED ||
        IDAGetEstLocalErrors(d->memory, d->scratch) != IDA_SUCCESS)
        return;
    for (uint32_t i = 0; i < s->run->size; i++)
        error[i] *= i < s->run->n ? -d->cj : 0;
    ct_linear_solve(d->linear, error);
    double shown = ct_gauge_error(&d->gauge, s->t, ct_nvector_data(d->y), error);
    ct_gauge_note(&d->gauge);
    d->keen = ct_gauge_share(shown, d->keen, CT_LEAST_SHARE);
}

static ct_solve_status step(ct_stepper *s, double stop)
{
    idas *d = s->self;
    double t = s->t;
    stop = ct_run_reach(s->run, t, stop);
    IDASetStopTime(d->memory, stop);
    int flag = IDASolve(d->memory, stop, &t, d->y, d->slope, IDA_ONE_STEP);
    ct_solve_status status = status_of(s, flag);
    if (status != CT_SOLVED || d->vectors.failed)
        return status != CT_SOLVED ? status : CT_NO_MEMORY_LEFT;
    s->before = s->t;
    s->t = t;
    s->h = t - s->before;
    ct_run_look_at_phases(s->run, ct_nvector_data(d->slope));
    look_at_shown(s, d);
    return CT_SOLVED;
}

static void at(ct_stepper *s, double t, double *z)
{
    idas *d = s->self;
    N_Vector from = IDAGetDky(d->memory, t, 0, d->scratch) == IDA_SUCCESS ? d->scratch : d->y;
    memcpy(z, ct_nvector_data(from), s->run->size * sizeof *z);
}

static void mend(ct_stepper *s, double t, double *z)
{
    idas *d = s->self;
    if (IDAGetDky(d->memory, t, 1, d->scratch) != IDA_SUCCESS || d->linear->status != CT_SOLVED)
        return;
    ct_mend_def def = {t, ct_nvector_data(d->scratch), d->linear, d->cj, -1};
    ct_mend(&d->mender, s->run, &def, z);
}

static uint32_t culprit(ct_stepper *s)
{
    idas *d = s->self;
    if (d->linear->status == CT_SINGULAR)
        return d->linear->singular_at;
    if (!d->begun || IDAGetEstLocalErrors(d->memory, d->scratch) != IDA_SUCCESS ||
        IDAGetErrWeights(d->memory, d->weight) != IDA_SUCCESS)
        return UINT32_MAX;
    return ct_largest_error(s->run->size, ct_nvector_data(d->scratch), ct_nvector_data(d->weight));
}

static void destroy(ct_stepper *s)
{
    idas *d = s->self;
    N_Vector all[] = {d->y, d->slope, d->scratch, d->weight};
    if (d->memory)
        IDAFree(&d->memory);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            N_VDestroy(all[i]);
    if (d->solver)
        SUNLinSolFree(d->solver);
    if (d->matrix)
        SUNMatDestroy(d->matrix);
    if (d->sundials)
        SUNContext_Free(&d->sundials);
    s->run->stats->factorizations += d->linear->factor_count;
    s->run->stats->newton_iters += d->linear->solve_count;
    ct_linear_free(d->linear);
}

ct_stepper *ct_stepper_idas(ct_integration *run)
{
    const ct_problem *p = run->problem;
    ct_stepper *s = CT_NEW(run->arena, ct_stepper);
    idas *d = CT_NEW(run->arena, idas);
    ct_vectors_init(&d->vectors, run->arena, run->size);
    d->pattern = ct_pattern_part(run->arena, run->size, p->start, p->row, 0, run->size, run->n);
    d->linear = ct_linear_new(run->arena, &d->pattern);
    d->gauge = ct_gauge_of(run);
    d->keen = 1;
    d->mender = ct_mender_new(run);
    d->noise = CT_NEW_ARRAY(run->arena, double, run->size);
    *s = (ct_stepper){.name = "BDF (IDAS)",
                      .run = run,
                      .share = 0.5,
                      .self = d,
                      .start = start,
                      .step = step,
                      .at = at,
                      .mend = mend,
                      .culprit = culprit,
                      .free = destroy};
    return s;
}

/* step_cvodes.c - x' = f(t, x) by CVODES: BDF with Newton, or Adams with fixed-point iteration. */
#include "solve/run.h"

#include <math.h>
#include <string.h>

#include <cvodes/cvodes.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solve/gauge.h"
#include "solve/mend.h"
#include "solve/nvector.h"
#include "solve/stiffness.h"
#include "solve/sundials_glue.h"

/* Of Adams' method, where it is stiff: fast rates multiply what it leaves, and errors of very many
 * steps add up. */
static const double finest_rtol = 2e-15, least_stiff_share = 1e-6, most_stiff_share = 1e-3;

typedef struct cvodes {
    bool adams, begun, fresh; /* fresh: no step since it began */
    double gamma;             /* of the matrix */
    ct_mender mender;
    ct_gauge gauge;
    double keen;   /* share of the tolerances that what is shown allows */
    long failures; /* of the fixed-point iteration, so far */
    ct_stiffness stiffness;
    double *slope, *begin; /* of Adams: of the last step, its end and its begin */
    ct_pattern pattern;
    ct_linear *linear;
    ct_vectors vectors;
    SUNContext sundials;
    void *memory;
    N_Vector y, scratch, weight;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    SUNNonlinearSolver fixed_point;
} cvodes;

static int rhs(realtype t, N_Vector y, N_Vector slope, void *user)
{
    ct_stepper *s = user;
    return ct_run_evaluate(s->run, t, ct_nvector_data(y), ct_nvector_data(slope)) ? 0 : 1;
}

/* A = I - gamma J */
static int newton_matrix(realtype t, N_Vector y, N_Vector slope, SUNMatrix matrix,
                         booleantype reuse, booleantype *fresh, realtype gamma, void *user,
                         N_Vector tmp1, N_Vector tmp2, N_Vector tmp3)
{
    ct_stepper *s = user;
    cvodes *c = s->self;
    ct_integration *run = s->run;
    (void)slope, (void)matrix, (void)tmp1, (void)tmp2, (void)tmp3;
    *fresh = !reuse;
    c->gamma = gamma;
    if (!reuse)
        ct_run_jacobian(run, t, ct_nvector_data(y), run->jacobian);
    double *value = c->linear->value;
    ct_pattern_gather(&c->pattern, run->size, run->problem->start, run->jacobian, value);
    for (uint32_t k = 0; k < c->pattern.count; k++)
        value[k] *= -gamma;
    for (uint32_t i = 0; i < run->n; i++)
        value[c->pattern.diagonal[i]] += 1;
    return 0;
}

static bool make_vectors(ct_stepper *s, cvodes *c)
{
    N_Vector *all[] = {&c->y, &c->scratch, &c->weight};
    if (SUNContext_Create(NULL, &c->sundials) != 0)
        return false;
    c->vectors.sundials = c->vectors.spare->sunctx = c->sundials;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = ct_vectors_take(&c->vectors);
    s->z = ct_nvector_data(c->y);
    return !c->vectors.failed;
}

static int weights(N_Vector y, N_Vector weight, void *user)
{
    ct_stepper *s = user;
    const cvodes *c = s->self;
    const double *z = ct_nvector_data(y);
    double *w = ct_nvector_data(weight);
    for (uint32_t i = 0; i < s->run->n; i++)
        w[i] = 1 / (c->keen * (s->run->rtol * fabs(z[i]) + s->run->atol[i]));
    return 0;
}

static bool set_limits(ct_stepper *s, cvodes *c)
{
    double limit = s->run->def->largest_step;
    return CVodeWFtolerances(c->memory, weights) == CV_SUCCESS &&
           CVodeSetUserData(c->memory, s) == CV_SUCCESS &&
           CVodeSetMaxNumSteps(c->memory, -1) == CV_SUCCESS &&
           CVodeSetMaxErrTestFails(c->memory, 30) == CV_SUCCESS &&
           CVodeSetMaxConvFails(c->memory, 30) == CV_SUCCESS &&
           CVodeSetMaxHnilWarns(c->memory, -1) == CV_SUCCESS &&
           (limit <= 0 || CVodeSetMaxStep(c->memory, limit) == CV_SUCCESS);
}

static bool set_solver(cvodes *c)
{
    if (c->adams) {
        c->fixed_point = SUNNonlinSol_FixedPoint(c->y, 0, c->sundials);
        return c->fixed_point && CVodeSetNonlinearSolver(c->memory, c->fixed_point) == CV_SUCCESS;
    }
    c->matrix = ct_sunmatrix_new(c->sundials, c->linear);
    c->solver = ct_sunsolver_new(c->sundials, c->linear);
    return c->matrix && c->solver &&
           CVodeSetLinearSolver(c->memory, c->solver, c->matrix) == CV_SUCCESS &&
           CVodeSetLinSysFn(c->memory, newton_matrix) == CV_SUCCESS;
}

static ct_solve_status begin(ct_stepper *s, cvodes *c, double t, const double *z)
{
    if (!make_vectors(s, c))
        return CT_NO_MEMORY_LEFT;
    memcpy(ct_nvector_data(c->y), z, s->run->n * sizeof *z);
    c->memory = CVodeCreate(c->adams ? CV_ADAMS : CV_BDF, c->sundials);
    if (!c->memory || CVodeSetErrHandlerFn(c->memory, ct_sundials_silent, NULL) != CV_SUCCESS)
        return CT_NO_MEMORY_LEFT;
    if (CVodeInit(c->memory, rhs, t, c->y) != CV_SUCCESS || !set_limits(s, c) || !set_solver(c) ||
        c->vectors.failed)
        return CT_NO_MEMORY_LEFT;
    c->begun = true;
    return CT_SOLVED;
}

/* CVODES looks for its first step above a part of the way ahead. Where rates ask for a shorter one,
 * as behind a jump that a junction takes up, it is told: one that changes z by half a tolerance. */
static ct_solve_status set_first_step(ct_stepper *s, cvodes *c, double t, double stop)
{
    const double least = 1e-18; /* of the way: cuts of its own first step lead there */
    double most = 0, *rate = ct_nvector_data(c->scratch), *weight = ct_nvector_data(c->weight);
    if (c->adams)
        return CT_SOLVED;
    if (!ct_run_evaluate(s->run, t, ct_nvector_data(c->y), rate))
        return CT_NOT_FINITE;
    weights(c->y, c->weight, s);
    for (uint32_t i = 0; i < s->run->n; i++)
        most = fmax(most, fabs(rate[i]) * weight[i]);
    bool brief = 0.5 < least * (stop - t) * most;
    CVodeSetInitStep(c->memory, brief ? 0.5 / most : 0);
    return CT_SOLVED;
}

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    cvodes *c = s->self;
    s->t = s->before = t;
    c->stiffness = (ct_stiffness){0};
    c->failures = 0;
    c->fresh = true;
    if (!c->begun) {
        ct_solve_status status = begin(s, c, t, z);
        return status == CT_SOLVED ? set_first_step(s, c, t, stop) : status;
    }
    memcpy(ct_nvector_data(c->y), z, s->run->n * sizeof *z);
    if (CVodeReInit(c->memory, t, c->y) != CV_SUCCESS)
        return CT_NO_MEMORY_LEFT;
    return set_first_step(s, c, t, stop);
}

static ct_solve_status status_of(const ct_stepper *s, int flag)
{
    const cvodes *c = s->self;
    switch (flag) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN:
        return CT_SOLVED;
    case CV_CONV_FAILURE:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
        return ct_iteration_failure(c->linear, s->run->bad);
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
        return CT_NOT_FINITE;
    case CV_MEM_FAIL:
        return CT_NO_MEMORY_LEFT;
    default:
        return CT_STEP_TOO_SMALL;
    }
}

/* Errors of the last step that are slow: stiff parts follow, and rows mend them. */
static double slow_error(ct_stepper *s, cvodes *c)
{
    double *error = ct_nvector_data(c->scratch);
    if (CVodeGetEstLocalErrors(c->memory, c->scratch) != CV_SUCCESS)
        return 0;
    if (c->linear && c->linear->status == CT_SOLVED)
        ct_linear_solve(c->linear, error);
    return ct_gauge_error(&c->gauge, s->t, ct_nvector_data(c->y), error);
}

/* What a fixed-point iteration leaves of stiff parts, which no row mends: its next step tells. */
static double left_error(ct_stepper *s, cvodes *c)
{
    double gamma = 0, *left = ct_nvector_data(c->scratch);
    if (CVodeGetDky(c->memory, s->t, 1, c->scratch) != CV_SUCCESS ||
        CVodeGetCurrentGamma(c->memory, &gamma) != CV_SUCCESS ||
        !ct_run_evaluate(s->run, s->t, ct_nvector_data(c->y), c->slope))
        return 0;
    for (uint32_t i = 0; i < s->run->n; i++)
        left[i] = gamma * (c->slope[i] - left[i]);
    return ct_gauge_error(&c->gauge, s->t, ct_nvector_data(c->y), left);
}

/* A fixed-point iteration fails now and then where a part is too fast for it. */
static void look_at_stiffness(ct_stepper *s, cvodes *c)
{
    long failures = 0;
    if (!c->adams || CVodeGetNumNonlinSolvConvFails(c->memory, &failures) != CV_SUCCESS)
        return;
    ct_stiffness_watch(&c->stiffness, s, failures > c->failures, s->h);
    c->failures = failures;
    if (s->stiff)
        c->keen = fmin(c->keen, most_stiff_share);
}

static double shown_error(ct_stepper *s, cvodes *c)
{
    double shown = c->gauge.count ? slow_error(s, c) : 0;
    return c->gauge.count && c->adams ? fmax(shown, left_error(s, c)) : shown;
}

static ct_solve_status take_step(ct_stepper *s, cvodes *c, double stop)
{
    double t = s->before;
    ct_solve_status status = status_of(s, CVode(c->memory, stop, c->y, &t, CV_ONE_STEP));
    if (status != CT_SOLVED || c->vectors.failed)
        return status != CT_SOLVED ? status : CT_NO_MEMORY_LEFT;
    s->t = t;
    s->h = t - s->before;
    return CT_SOLVED;
}

/* Back to its begin; tolerances are smaller by then. */
static ct_solve_status take_back(ct_stepper *s, cvodes *c)
{
    memcpy(ct_nvector_data(c->y), c->begin, s->run->n * sizeof *c->begin);
    s->t = s->before;
    s->run->stats->restarts++;
    c->failures = 0;
    return CVodeReInit(c->memory, s->before, c->y) == CV_SUCCESS ? CT_SOLVED : CT_NO_MEMORY_LEFT;
}

/* A method with a memory knows its rates; at its first step it has none. */
static void look_at_phases(ct_stepper *s, cvodes *c)
{
    double *rate = ct_nvector_data(c->scratch);
    if (!s->run->problem->phase_count)
        return;
    if (c->fresh ? ct_run_evaluate(s->run, s->t, ct_nvector_data(c->y), rate)
                 : CVodeGetDky(c->memory, s->t, 1, c->scratch) == CV_SUCCESS)
        ct_run_look_at_phases(s->run, rate);
}

/* Rows of Adams' method are as they are: a step that would spoil them is made again. */
static ct_solve_status step(ct_stepper *s, double stop)
{
    cvodes *c = s->self;
    double least = c->adams ? fmax(least_stiff_share, finest_rtol / s->run->rtol) : CT_LEAST_SHARE;
    look_at_phases(s, c);
    stop = ct_run_reach(s->run, s->t, stop);
    CVodeSetStopTime(c->memory, stop);
    s->before = s->t;
    memcpy(c->begin, ct_nvector_data(c->y), c->adams ? s->run->n * sizeof *c->begin : 0);
    for (bool again = true; again;) {
        ct_solve_status status = take_step(s, c, stop);
        double shown = status == CT_SOLVED ? shown_error(s, c) : 0;
        again = c->adams && shown > 1 && c->keen > least;
        c->keen = ct_gauge_share(shown, c->keen, least);
        if (again)
            status = take_back(s, c);
        if (status != CT_SOLVED)
            return status;
    }
    c->fresh = false;
    ct_gauge_note(&c->gauge);
    look_at_stiffness(s, c);
    return CT_SOLVED;
}

static void at(ct_stepper *s, double t, double *z)
{
    cvodes *c = s->self;
    N_Vector from = CVodeGetDky(c->memory, t, 0, c->scratch) == CV_SUCCESS ? c->scratch : c->y;
    memcpy(z, ct_nvector_data(from), s->run->n * sizeof *z);
}

static void mend(ct_stepper *s, double t, double *z)
{
    cvodes *c = s->self;
    if (CVodeGetDky(c->memory, t, 1, c->scratch) != CV_SUCCESS || c->linear->status != CT_SOLVED)
        return;
    ct_mend_def def = {t, ct_nvector_data(c->scratch), c->linear, 1 / c->gamma, c->gamma};
    ct_mend(&c->mender, s->run, &def, z);
}

static uint32_t culprit(ct_stepper *s)
{
    cvodes *c = s->self;
    if (c->linear && c->linear->status == CT_SINGULAR)
        return c->linear->singular_at;
    if (!c->begun || CVodeGetEstLocalErrors(c->memory, c->scratch) != CV_SUCCESS ||
        CVodeGetErrWeights(c->memory, c->weight) != CV_SUCCESS)
        return UINT32_MAX;
    return ct_largest_error(s->run->n, ct_nvector_data(c->scratch), ct_nvector_data(c->weight));
}

static void destroy(ct_stepper *s)
{
    cvodes *c = s->self;
    N_Vector all[] = {c->y, c->scratch, c->weight};
    if (c->memory)
        CVodeFree(&c->memory);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            N_VDestroy(all[i]);
    if (c->fixed_point)
        SUNNonlinSolFree(c->fixed_point);
    if (c->solver)
        SUNLinSolFree(c->solver);
    if (c->matrix)
        SUNMatDestroy(c->matrix);
    if (c->sundials)
        SUNContext_Free(&c->sundials);
    if (c->linear) {
        s->run->stats->factorizations += c->linear->factor_count;
        s->run->stats->newton_iters += c->linear->solve_count;
    }
    ct_linear_free(c->linear);
}

static ct_stepper *make_stepper(ct_integration *run, bool adams)
{
    const ct_problem *p = run->problem;
    ct_stepper *s = CT_NEW(run->arena, ct_stepper);
    cvodes *c = CT_NEW(run->arena, cvodes);
    c->adams = adams;
    c->keen = 1;
    c->gauge = ct_gauge_of(run);
    c->slope = CT_NEW_ARRAY(run->arena, double, adams ? run->n : 0);
    c->begin = CT_NEW_ARRAY(run->arena, double, adams ? run->n : 0);
    ct_vectors_init(&c->vectors, run->arena, run->n);
    if (!adams) {
        c->pattern = ct_pattern_part(run->arena, run->size, p->start, p->row, 0, run->n, run->n);
        c->linear = ct_linear_new(run->arena, &c->pattern);
        c->mender = ct_mender_new(run);
    }
    *s = (ct_stepper){.name = adams ? "Adams (CVODES)" : "BDF (CVODES)",
                      .run = run,
                      .share = 0.02,
                      .self = c,
                      .start = start,
                      .step = step,
                      .at = at,
                      .mend = adams ? NULL : mend,
                      .culprit = culprit,
                      .free = destroy};
    return s;
}

/* Algebraic equations are for IDAS. */
ct_stepper *ct_stepper_bdf(ct_integration *run)
{
    return run->m > 0 ? ct_stepper_idas(run) : make_stepper(run, false);
}

ct_stepper *ct_stepper_adams(ct_integration *run)
{
    return run->m > 0 ? ct_stepper_idas(run) : make_stepper(run, true);
}

/* by_hand_run.h - runs a model written by hand with CVODES and measures it. The file that includes
 * it gives COORDINATES, slopes(), the `start` of coordinates and speeds, the `stop` and floor_of(),
 * the absolute tolerance of each as a share of the relative one. */
#include <stdio.h>
#include <stdlib.h>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { STATES = 2 * COORDINATES, RUNS = 5 };

static int evaluate(realtype t, N_Vector y, N_Vector rate, void *user)
{
    (void)t;
    ++*(long *)user;
    slopes(NV_DATA_S(y), NV_DATA_S(rate));
    return 0;
}

/* Adams, or BDF with a dense Jacobian by differences. */
static void run(double tol, int adams, double *y, long *calls)
{
    SUNContext context;
    SUNContext_Create(NULL, &context);
    double reached, floors[STATES];
    for (int i = 0; i < STATES; i++) {
        y[i] = start[i];
        floors[i] = tol * floor_of(i);
    }
    *calls = 0;
    N_Vector state = N_VMake_Serial(STATES, y, context);
    N_Vector least = N_VMake_Serial(STATES, floors, context);
    void *cvode = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
    CVodeInit(cvode, evaluate, 0, state);
    CVodeSVtolerances(cvode, tol, least);
    CVodeSetUserData(cvode, calls);
    CVodeSetMaxNumSteps(cvode, 100000000);
    SUNNonlinearSolver iteration = adams ? SUNNonlinSol_FixedPoint(state, 0, context) : NULL;
    SUNMatrix matrix = adams ? NULL : SUNDenseMatrix(STATES, STATES, context);
    SUNLinearSolver linear = adams ? NULL : SUNLinSol_Dense(state, matrix, context);
    if (adams)
        CVodeSetNonlinearSolver(cvode, iteration);
    else
        CVodeSetLinearSolver(cvode, linear, matrix);
    CVodeSetStopTime(cvode, stop);
    if (CVode(cvode, stop, state, &reached, CV_NORMAL) < 0)
        exit(1);
    SUNNonlinSolFree(iteration);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(state);
    N_VDestroy(least);
    CVodeFree(&cvode);
    SUNContext_Free(&context);
}

static double evaluation(double *y)
{
    double best = 1, rate[STATES];
    for (int i = 0; i < 10; i++) {
        double begin = seconds();
        for (int k = 0; k < 2000; k++) {
            slopes(y, rate);
            y[STATES - 1] += 1e-12 * rate[STATES - 1]; /* the next one is not the same */
        }
        best = fmin(best, (seconds() - begin) / 2000);
    }
    return best;
}

/* Prints what it took and where it ended; tol = 0: the time of one evaluation alone. */
static void measure(double tol, int adams)
{
    double y[STATES], best = 1e9;
    long calls = 0;
    for (int i = 0; i < STATES; i++)
        y[i] = start[i];
    double each = evaluation(y);
    for (int i = 0; i < RUNS && tol > 0; i++) {
        double begin = seconds();
        run(tol, adams, y, &calls);
        best = fmin(best, seconds() - begin);
    }
    printf("%.9g %.9g %ld", best, each, calls);
    for (int i = 0; i < COORDINATES; i++)
        printf(" %.15g", y[i]);
    printf("\n");
}

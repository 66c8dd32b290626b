/* newton.h - damped Newton for some of the equations and unknowns of a problem.
 *
 * The unknowns are z[first .. first + count - 1] and the equations those with the same numbers:
 * first = n gives g = 0 for w, first = 0 the operating point.
 */
#ifndef CT_SOLVE_NEWTON_H
#define CT_SOLVE_NEWTON_H

#include "solve/linear.h"

typedef struct ct_newton {
    const ct_problem *problem;
    uint32_t size, first, count;
    ct_pattern pattern; /* has the diagonal of the differential unknowns */
    ct_linear *linear;
    double *jacobian, *again;    /* all entries, as the problem gives them; at the next point */
    double *fg, *trial, *beyond; /* all equations; all unknowns */
    double *step, *next, *scale; /* of the unknowns solved for */
    double *critical;            /* lifted: see limit.c; per exponential */
    double correction, left;     /* size of the last one; what a row misses then */
    double weakest_pivot;        /* a smaller pivot ratio counts as singular; default 0 */
    int most_iterations;
    double part, *origin, *along; /* homotopy.c: F(z) = (1 - part) origin is solved; default 1 */
    uint32_t culprit;             /* of the last failure, or UINT32_MAX */
    uint64_t evaluations, jacobians, iterations;
} ct_newton;

/* Takes all its memory from the arena, but for that of KLU. */
ct_newton *ct_newton_new(ct_arena *arena, const ct_problem *problem, uint32_t first,
                         uint32_t count);
void ct_newton_free(ct_newton *newton); /* KLU's memory; NULL is accepted */

ct_solve_status ct_newton_solve(ct_newton *newton, double t, double *z);
/* The same for a lifted problem (limit.c), which ct_newton_solve() calls. */
ct_solve_status ct_newton_limited(ct_newton *newton, double t, double *z);
void ct_newton_lower_critical(ct_newton *newton, double by);
/* From which argument on each exponential counts; the arguments in z become 0. */
void ct_newton_find_critical(ct_newton *newton, double t, double *z);

/* Along a path from the guess (homotopy.c): slower, for what ct_newton_solve cannot do. */
ct_solve_status ct_newton_homotopy(ct_newton *newton, double t, double *z);

/* How far rounding of the equations may have moved the solution z, or how far another step would;
 * *which: the unknown it moves most, by its size. INFINITY: it is not held at all. */
double ct_newton_uncertain(ct_newton *newton, double t, const double *z, uint32_t *which);

/* At a solution of g = 0 (first = n): dw/dt along the solution, from dx/dt = f; zero where it
 * cannot be had. later is a time shortly after t, for the partial derivative of g by t. */
void ct_newton_rate(ct_newton *newton, double t, double later, const double *z, const double *fg,
                    double *dw);

/* Evaluates fg at z; false: an equation is not finite, and culprit tells which. */
bool ct_newton_evaluate(ct_newton *newton, double t, const double *z);
/* Fills linear->value with the Jacobian of the part. */
void ct_newton_jacobian(ct_newton *newton, double t, const double *z);
double ct_typical(const ct_problem *problem, uint32_t i);

/* Solving moves z, which may move conditions to their other side, which changes the equations:
 * fixes the sides and solves until the sides rest. */
typedef struct ct_settle {
    const ct_problem *problem;
    double *before, *after; /* scratch: root_count values each */
    ct_solve_status (*solve)(void *user, double t, double *z);
    void *user;
} ct_settle;
ct_solve_status ct_settle_sides(const ct_settle *settle, double t, double *z);
/* NaN in a: not known yet. */
bool ct_sides_differ(uint32_t count, const double *a, const double *b);
void ct_newton_count(const ct_newton *newton, ct_run_stats *stats); /* adds what was done */

#endif

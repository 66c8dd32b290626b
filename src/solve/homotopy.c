/* homotopy.c - equations that Newton does not solve from afar, solved along a path.
 *
 *     F(z) = (1 - part) F(z0),   part from 0 to 1
 *
 * At part 0 the guess z0 is the solution. Where z0 = 0 and F(0) is what independent sources bring,
 * the path turns all of them up together. Steps lengthen while Newton follows easily and shorten
 * when it does not.
 */
#include <string.h>

#include "solve/newton.h"

enum { MOST_POINTS = 400, EASY = 6 };
static const double first_stride = 0.1, least_stride = 1e-15;

/* Tries part = to from z; true: z is the solution there. */
static bool follow(ct_newton *w, double t, double to, double *z, uint64_t *iterations)
{
    uint64_t before = w->iterations;
    memcpy(w->along, z, w->size * sizeof *z);
    w->part = to;
    bool solved = ct_newton_solve(w, t, w->along) == CT_SOLVED;
    *iterations = w->iterations - before;
    if (solved)
        memcpy(z, w->along, w->size * sizeof *z);
    return solved;
}

static bool walk(ct_newton *w, double t, double *z)
{
    double part = 0, stride = first_stride;
    for (int i = 0; i < MOST_POINTS && part < 1 && stride > least_stride; i++) {
        double to = part + stride < 1 ? part + stride : 1;
        uint64_t iterations;
        if (follow(w, t, to, z, &iterations)) {
            part = to;
            stride *= iterations <= EASY ? 3 : 1.2;
        } else {
            stride /= 8;
        }
    }
    return part == 1;
}

ct_solve_status ct_newton_homotopy(ct_newton *w, double t, double *z)
{
    w->part = 1;
    if (!ct_newton_evaluate(w, t, z))
        return CT_NOT_FINITE;
    memcpy(w->origin, w->fg + w->first, w->count * sizeof *w->origin);
    int most = w->most_iterations;
    double weakest = w->weakest_pivot;
    w->most_iterations = 25;
    w->weakest_pivot = 0;
    bool found = walk(w, t, z);
    w->most_iterations = most;
    w->weakest_pivot = weakest;
    w->part = 1;
    return found ? CT_SOLVED : CT_NO_CONVERGENCE;
}

/* aids.c - starts of equations with exponentials: semiconductors. Newton's method alone is no good
 * there: it does not find the solution from afar, or sees one where a small change of the unknowns
 * would change the currents a thousand times. In this order, each on the lifted problem (limit.c):
 *
 *     limiting         steps of the arguments of exponentials are limited
 *     gmin stepping    exp(u) + soft*u stands for exp(u), a conductance across every junction, and
 *                      soft goes to zero
 *     source stepping  from zero, with all sources turned up together (homotopy.c)
 */
#include "solve/aids.h"

#include <math.h>
#include <string.h>

enum { MOST_SOFT_STEPS = 120, EASY = 12, ITERATIONS = 100, FIRST_TRY = 120, ONE_TRY = 40 };
static const double softest = 1e12, hardly_soft = 1e-4;
static const double most_above = 10; /* of an argument over where it matters: junctions conduct */

typedef struct aided {
    const ct_problem *lifted;
    ct_newton *newton;
    double t, *z, *begin;
    uint32_t size, plain; /* unknowns of the lifted problem, and of the one that was asked for */
} aided;

/* Arguments as z makes them, but not far up: rows of the lifted problem are u(z) - u. */
static bool guess(aided *a, const double *z)
{
    memset(a->begin, 0, a->size * sizeof *a->begin);
    memcpy(a->begin, z, a->plain * sizeof *z);
    ct_newton_find_critical(a->newton, a->t, a->begin);
    if (!ct_newton_evaluate(a->newton, a->t, a->begin))
        return false;
    for (uint32_t i = a->plain; i < a->size; i++)
        a->begin[i] = fmin(a->newton->fg[i], a->newton->critical[i - a->plain] + most_above);
    return true;
}

/* Iterations that run in a circle do not when steps are limited from lower arguments on. The first
 * try may take longer: a signal goes down a chain of gates by one gate each. */
static bool by_limiting(aided *a)
{
    static const double lower[] = {0, 6, 12, 60};
    for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
        a->newton->most_iterations = k ? ONE_TRY : FIRST_TRY;
        ct_newton_lower_critical(a->newton, lower[k]);
        memcpy(a->z, a->begin, a->size * sizeof *a->z);
        if (ct_newton_solve(a->newton, a->t, a->z) == CT_SOLVED)
            return true;
    }
    return false;
}

/* Harder and harder; smaller strides where the solution moves much. */
static bool by_softness(aided *a)
{
    double soft = softest, stride = 10;
    bool found = false;
    *a->lifted->softness = soft;
    memcpy(a->z, a->begin, a->size * sizeof *a->z);
    if (ct_newton_solve(a->newton, a->t, a->z) != CT_SOLVED)
        stride = 0;
    for (int i = 0; i < MOST_SOFT_STEPS && stride > 1.01 && !found; i++) {
        double next = soft / stride > hardly_soft ? soft / stride : 0;
        uint64_t before = a->newton->iterations;
        *a->lifted->softness = next;
        memcpy(a->begin, a->z, a->size * sizeof *a->z);
        if (ct_newton_solve(a->newton, a->t, a->z) == CT_SOLVED) {
            found = next == 0;
            soft = next;
            if (a->newton->iterations - before <= EASY)
                stride *= stride;
        } else {
            memcpy(a->z, a->begin, a->size * sizeof *a->z);
            stride = sqrt(stride);
        }
        stride = fmin(stride, 1e4);
    }
    *a->lifted->softness = 0;
    return found;
}

static bool by_sources(aided *a)
{
    uint32_t first = a->newton->first;
    memset(a->z + first, 0, (a->size - first) * sizeof *a->z);
    return ct_newton_homotopy(a->newton, a->t, a->z) == CT_SOLVED;
}

bool ct_find_with_aids(ct_arena *arena, const ct_problem *problem, uint32_t first, ct_aid aid,
                       double t, double *z, ct_run_stats *stats)
{
    static bool (*const ways[])(aided *) = {by_limiting, by_softness, by_sources};
    const ct_problem *lifted = problem->lift ? problem->lift(problem->user) : NULL;
    if (!lifted)
        return false;
    aided a = {.lifted = lifted, .t = t, .plain = problem->n + problem->m};
    a.size = lifted->n + lifted->m;
    a.z = CT_NEW_ARRAY(arena, double, a.size);
    a.begin = CT_NEW_ARRAY(arena, double, a.size);
    a.newton = ct_newton_new(arena, lifted, first, a.size - first);
    a.newton->most_iterations = ITERATIONS;
    bool found = guess(&a, z);
    if (found) {
        memcpy(a.z, a.begin, a.size * sizeof *a.z);
        found = ways[aid](&a);
    }
    if (found)
        memcpy(z, a.z, a.plain * sizeof *z);
    ct_newton_count(a.newton, stats);
    ct_newton_free(a.newton);
    return found;
}

/* passage.c - over singular positions with any method.
 *
 * Where invariants depend on each other, a mechanism may go on in several ways. Which one it takes
 * is told by the curve before that position and not by the equations there; the Runge-Kutta method
 * follows this curve (step_rk_invariants.c). Other methods would take any way, so they hand over to
 * it for the passage.
 */
#include <math.h>

#include "solve/driver.h"
#include "solve/project.h"

/* Margins: it is near, it is passed; steps of the fall of the margin that are looked ahead. */
static const double near_margin = 0.2, far_margin = 0.25, steps_ahead = 4;
enum { MOST_STEPS = 1000 }; /* of a passage: no position is near for so long */

static void make_passage(void *user)
{
    ct_driver *d = user;
    d->passage.method = ct_method_stepper(CT_METHOD_RK, &d->run);
}

static ct_solve_status begin(ct_driver *d)
{
    ct_passage *p = &d->passage;
    if (!p->method && ct_protect(d->run.ctx, make_passage, d) != CT_OK)
        return CT_NO_MEMORY_LEFT;
    p->usual = d->current;
    p->end = d->run.stats->steps + MOST_STEPS;
    ct_use_method(d, p->method);
    d->run.stats->restarts++;
    return ct_start_here(d);
}

static ct_solve_status end(ct_driver *d)
{
    ct_use_method(d, d->passage.usual);
    d->passage.usual = NULL;
    d->run.stats->restarts++;
    return ct_start_here(d);
}

bool ct_passage_runs(const ct_driver *d)
{
    return d->passage.usual && d->current == d->passage.method;
}

/* The position nears by the same margin in each step, or it lies within the next ones. */
static bool is_ahead(ct_passage *p, double margin)
{
    double fall = p->margin - margin;
    bool done = p->passed && margin < far_margin; /* it never went far from the last one */
    p->passed = done;
    p->margin = margin;
    return !done && fall > 0 && margin - steps_ahead * fall < near_margin;
}

ct_solve_status ct_passage_look(ct_driver *d)
{
    ct_passage *p = &d->passage;
    if (!d->run.projector || d->run.m || d->current == d->explicit_method || d->t >= d->end)
        return CT_SOLVED;
    double margin = ct_projector_margin(d->run.projector);
    if (!ct_passage_runs(d))
        return is_ahead(p, margin) ? begin(d) : CT_SOLVED;
    bool over = margin > far_margin && margin > p->margin;
    p->margin = margin;
    if (!over && d->run.stats->steps < p->end)
        return CT_SOLVED;
    p->passed = true;
    return end(d);
}

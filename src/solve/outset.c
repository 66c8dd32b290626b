/* outset.c - methods with a memory leave events, and what is near them, to one that has none.
 *
 * Such a method begins at order one, and between its first points lies a straight line. What must
 * stay positive while a mode lasts often begins at zero there and grows with the square of time, or
 * its cube: a ball that leaves its table. On the line it would seem to come back at once, over and
 * over. So the first steps are those of a method whose points at events are steps that end there;
 * and a step in which a mode seems to end is made again by it. Its steps are also longer than those
 * of a method that has just begun, which pays where events are dense.
 */
#include <string.h>

#include "solve/driver.h"

enum { FIRST_STEPS = 8 };

static bool is_wanted(const ct_driver *d)
{
    return d->run.problem->lasting && d->current == d->implicit_method && !d->current->land;
}

static void make_method(void *user)
{
    ct_driver *d = user;
    bool explicit = ct_method_is(d->def.method, CT_METHOD_EXPLICIT);
    d->outset.method = ct_method_stepper(explicit ? CT_METHOD_RK : CT_METHOD_ROSENBROCK, &d->run);
}

static ct_solve_status hand_over(ct_driver *d)
{
    ct_outset *o = &d->outset;
    if (!o->method && ct_protect(d->run.ctx, make_method, d) != CT_OK)
        return CT_NO_MEMORY_LEFT;
    o->usual = d->current;
    o->end = d->run.stats->steps + FIRST_STEPS;
    ct_use_method(d, o->method);
    return CT_SOLVED;
}

ct_solve_status ct_outset_begin(ct_driver *d)
{
    if (ct_outset_runs(d))
        ct_use_method(d, d->outset.usual);
    d->outset.usual = NULL;
    return is_wanted(d) ? hand_over(d) : CT_SOLVED;
}

bool ct_outset_doubts(const ct_driver *d)
{
    return is_wanted(d);
}

ct_solve_status ct_outset_again(ct_driver *d)
{
    ct_solve_status status = hand_over(d);
    d->run.stats->restarts++;
    d->last_step = 0;
    memset(d->passed, 0, d->run.problem->root_count * sizeof *d->passed);
    if (status == CT_SOLVED)
        status = ct_start_here(d);
    ct_event_begin(d);
    return status;
}

bool ct_outset_runs(const ct_driver *d)
{
    return d->outset.usual && d->current == d->outset.method;
}

ct_solve_status ct_outset_end(ct_driver *d)
{
    ct_use_method(d, d->outset.usual);
    d->outset.usual = NULL;
    return ct_start_here(d);
}

ct_solve_status ct_outset_look(ct_driver *d)
{
    bool over = ct_outset_runs(d) && d->run.stats->steps >= d->outset.end && d->t < d->end;
    return over ? ct_outset_end(d) : CT_SOLVED;
}

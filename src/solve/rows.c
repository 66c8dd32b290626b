/* rows.c - the rows of the result, exactly at the requested times. */
#include "solve/driver.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/project.h"

uint32_t ct_row_count(const ct_run_def *def)
{
    return def->times ? def->time_count : def->points + 1;
}

double ct_row_time(const ct_run_def *def, uint32_t row)
{
    assert(row < ct_row_count(def));
    if (def->times)
        return def->times[row];
    return row == def->points ? def->stop
                              : def->start + row * ((def->stop - def->start) / def->points);
}

double ct_row_hair(const ct_run_def *def, double t)
{
    return 8 * DBL_EPSILON * fmax(fabs(t), def->stop - def->start);
}

double ct_of_step(const ct_driver *d, double time)
{
    const ct_stepper *s = d->current;
    return fmin(fmax(time - d->run.origin, s->before), s->t);
}

/* Its stiff part is rough, which only counts where more than states is shown; it has drifted a
 * little from the invariants, and its w from g = 0. A point from which the method has just been
 * started is as it is. */
const double *ct_mended(ct_driver *d, double time, const double *z)
{
    ct_stepper *s = d->current;
    size_t x = d->run.n * sizeof *z, w = d->run.m * sizeof *z;
    double inside = ct_run_clipped(&d->run, time);
    bool more = !d->run.problem->plain_rows;
    bool rough = more && s && s->mend && s->t > s->before; /* without states there is no method */
    if (!d->run.projector && !d->run.m && !rough)
        return z;
    if (z != d->point)
        memcpy(d->point, z, x + w);
    if (rough)
        s->mend(s, ct_of_step(d, time), d->point);
    if (d->run.projector)
        ct_project(d->run.projector, inside, d->point);
    memcpy(d->fg, d->point, x + w);
    if (d->run.m && ct_newton_solve(d->run.algebraic, inside, d->point) != CT_SOLVED)
        memcpy(d->point, d->fg, x + w);
    return d->point;
}

static ct_solve_status write_row(ct_driver *d, double t, const double *z)
{
    d->next_row++;
    if (!d->def.row)
        return CT_SOLVED;
    z = ct_mended(d, t, z);
    if (!d->def.plain)
        ct_run_evaluate(&d->run, t - d->run.origin, z, d->fg);
    return d->def.row(d->def.row_user, t, z, d->def.plain ? NULL : d->fg) ? CT_SOLVED : CT_STOPPED;
}

ct_solve_status ct_row_last(ct_driver *d)
{
    uint32_t done = d->next_row;
    bool there = done && ct_row_time(&d->def, done - 1) == d->t;
    ct_solve_status status = there ? CT_SOLVED : write_row(d, d->t, d->z);
    d->next_row = done;
    return status;
}

/* Behind the event that cuts a step there may be a kink, which the step has seen: what lies before
 * it is found by steps that end there, or one for several rows. */
static void find_row(ct_driver *d, double t, double last, bool several)
{
    ct_stepper *s = d->current;
    bool cut = last < s->t;
    if (cut && several && s->part && s->part(s, last, t, d->point))
        return;
    if (!cut || !s->land || !s->land(s, t, d->point))
        s->at(s, t, d->point);
}

/* last: where the step ends, or is cut, since the origin; until: a time of the run. */
static ct_solve_status write_rows(ct_driver *d, double last, double until)
{
    ct_solve_status status = CT_SOLVED;
    uint32_t count = ct_row_count(&d->def), first = d->next_row;
    bool several = first + 1 < count && ct_row_time(&d->def, first + 1) < until;
    while (status == CT_SOLVED && d->next_row < count &&
           ct_row_time(&d->def, d->next_row) < until) {
        double t = ct_row_time(&d->def, d->next_row);
        find_row(d, ct_of_step(d, t), last, several);
        status = write_row(d, t, d->point);
        if (status == CT_STOPPED) {
            d->t = t;
            memcpy(d->z, d->point, d->run.size * sizeof *d->z);
        }
    }
    return status;
}

/* Rows nearer to a break than rounding of times are at it: they show what is behind it. */
static double before_break(const ct_driver *d)
{
    return d->break_at_end ? d->end - ct_row_hair(&d->def, d->end) : INFINITY;
}

ct_solve_status ct_rows_within(ct_driver *d, double last)
{
    return write_rows(d, last, fmin(ct_time_of(d, last), before_break(d)));
}

ct_solve_status ct_rows_before(ct_driver *d, double event)
{
    double time = ct_time_of(d, event), hair = ct_row_hair(&d->def, time);
    if (d->break_at_end && time + hair >= d->end)
        return ct_rows_within(d, event);
    return write_rows(d, event, time + hair);
}

ct_solve_status ct_rows_here(ct_driver *d)
{
    ct_solve_status status = CT_SOLVED;
    uint32_t count = ct_row_count(&d->def);
    double until = d->t < d->end ? before_break(d) : INFINITY;
    while (status == CT_SOLVED && d->next_row < count &&
           ct_row_time(&d->def, d->next_row) <= fmin(d->t, until))
        status = write_row(d, ct_row_time(&d->def, d->next_row), d->z);
    return status;
}

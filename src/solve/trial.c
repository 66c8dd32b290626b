/* trial.c - long runs: now and then it is tried whether an L-stable method gets on faster.
 *
 * Fast vibration that has died out still holds the steps of methods that are not L-stable: explicit
 * ones where their domain of stability meets the imaginary axis, BDF of order 3 and more near it.
 * Nothing in the solution tells that. So after many steps, with as many to come, Rosenbrock's
 * method goes on for a few steps; it stays if they are that much longer, else the usual one goes
 * on. Trials are so rare that they cost a small part of the run.
 */
#include "solve/driver.h"

enum { FIRST_TRIAL = 20000, WINDOW = 256, TRIAL_STEPS = 64, RARER = 4 };
static const double least_gain = 20; /* what a step costs more, and some */

/* Methods that the user asked for stay; those that project by themselves stay, too. */
static bool may_try(const ct_driver *d)
{
    return d->def.method == CT_METHOD_AUTO && !d->run.projector &&
           (d->current == d->explicit_method || d->current == d->implicit_method);
}

/* Time of a step since the mark. */
static double pace(const ct_driver *d)
{
    return (d->t - d->trial.mark) / (double)(d->run.stats->steps - d->trial.mark_steps + 1);
}

static void make_other(void *user)
{
    ct_driver *d = user;
    ct_integration *run = &d->run;
    ct_need_pattern(run->problem);
    if (!run->jacobian)
        run->jacobian = CT_NEW_ARRAY(run->arena, double, run->problem->start[run->size]);
    d->trial.other = ct_stepper_rosenbrock(run);
}

static ct_solve_status begin(ct_driver *d)
{
    ct_trial *trial = &d->trial;
    if (!trial->other && ct_protect(d->run.ctx, make_other, d) != CT_OK)
        return CT_NO_MEMORY_LEFT;
    trial->usual = d->current;
    trial->usual_name = d->run.stats->method;
    d->run.stats->method = d->current == d->explicit_method
                               ? "Dormand-Prince 5(4), then Rosenbrock 5(4)"
                               : "BDF, then Rosenbrock 5(4)";
    trial->usual_pace = pace(d);
    trial->began = d->t;
    trial->end = d->run.stats->steps + TRIAL_STEPS;
    d->run.stats->restarts++;
    ct_use_method(d, trial->other);
    return ct_start_here(d);
}

ct_solve_status ct_trial_end(ct_driver *d)
{
    ct_trial *trial = &d->trial;
    ct_use_method(d, trial->usual);
    d->run.stats->method = trial->usual_name;
    trial->usual = NULL;
    trial->next = RARER * d->run.stats->steps;
    d->run.stats->restarts++;
    return ct_start_here(d);
}

static void keep(ct_driver *d)
{
    ct_trial *trial = &d->trial;
    trial->usual->free(trial->usual);
    d->explicit_method = NULL;
    d->implicit_method = trial->other;
    d->def.method = CT_METHOD_ROSENBROCK;
    *trial = (ct_trial){0};
}

bool ct_trial_runs(const ct_driver *d)
{
    return d->trial.usual && d->current == d->trial.other;
}

ct_solve_status ct_trial_look(ct_driver *d)
{
    ct_trial *trial = &d->trial;
    uint64_t steps = d->run.stats->steps;
    if (ct_trial_runs(d)) {
        if (steps < trial->end)
            return CT_SOLVED;
        if (d->t - trial->began < least_gain * trial->usual_pace * TRIAL_STEPS)
            return ct_trial_end(d);
        keep(d);
        return CT_SOLVED;
    }
    if (trial->next == 0)
        trial->next = FIRST_TRIAL;
    if (steps + WINDOW == trial->next) {
        trial->mark = d->t;
        trial->mark_steps = steps;
    }
    if (steps < trial->next || d->t >= d->end || !may_try(d))
        return CT_SOLVED;
    trial->next = RARER * steps;
    return d->def.stop - d->t > FIRST_TRIAL * pace(d) ? begin(d) : CT_SOLVED;
}

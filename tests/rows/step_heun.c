/* step_heun.c - Heun's method with Euler's inside of it: a stepper as simple as can be. */
#include <math.h>
#include <string.h>

#include "solve/run.h"

typedef struct heun {
    double *z, *before, *slope, *next, *guess, *end_slope;
} heun;

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    heun *e = s->self;
    memcpy(e->z, z, s->run->n * sizeof *z);
    s->t = s->before = t;
    s->h = 1e-6 * (stop - t);
    return ct_run_evaluate(s->run, t, e->z, e->slope) ? CT_SOLVED : CT_NOT_FINITE;
}

/* The difference of the two methods, in tolerances. */
static double try_step(ct_stepper *s, double h)
{
    heun *e = s->self;
    double worst = 0;
    for (uint32_t i = 0; i < s->run->n; i++)
        e->guess[i] = e->z[i] + h * e->slope[i];
    if (!ct_run_evaluate(s->run, s->t + h, e->guess, e->end_slope))
        return INFINITY;
    for (uint32_t i = 0; i < s->run->n; i++) {
        e->next[i] = e->z[i] + h * (e->slope[i] + e->end_slope[i]) / 2;
        double error = fabs(e->next[i] - e->guess[i]);
        worst = fmax(worst, error / (s->run->atol[i] + s->run->rtol * fabs(e->next[i])));
    }
    return worst;
}

static ct_solve_status step(ct_stepper *s, double stop)
{
    heun *e = s->self;
    for (;;) {
        double h = fmin(s->h, stop - s->t), error = try_step(s, h);
        s->h = h * fmin(4, 0.9 / sqrt(fmax(error, 0.05)));
        if (s->t + h == s->t)
            return CT_STEP_TOO_SMALL;
        if (!(error <= 1))
            continue;
        memcpy(e->before, e->z, s->run->n * sizeof *e->z);
        memcpy(e->z, e->next, s->run->n * sizeof *e->z);
        s->before = s->t;
        s->t = h == stop - s->t ? stop : s->t + h;
        return ct_run_evaluate(s->run, s->t, e->z, e->slope) ? CT_SOLVED : CT_NOT_FINITE;
    }
}

static void at(ct_stepper *s, double t, double *z)
{
    const heun *e = s->self;
    double part = s->t > s->before ? (t - s->before) / (s->t - s->before) : 1;
    for (uint32_t i = 0; i < s->run->n; i++)
        z[i] = e->before[i] + part * (e->z[i] - e->before[i]);
}

static uint32_t culprit(ct_stepper *s)
{
    (void)s;
    return UINT32_MAX;
}

static void release(ct_stepper *s)
{
    (void)s;
}

ct_stepper *ct_stepper_heun(ct_integration *run)
{
    ct_stepper *s = CT_NEW(run->arena, ct_stepper);
    heun *e = CT_NEW(run->arena, heun);
    double **need[] = {&e->z, &e->before, &e->slope, &e->next, &e->guess, &e->end_slope};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(run->arena, double, run->n);
    *s = (ct_stepper){.name = "Heun 2(1)",
                      .run = run,
                      .share = 1,
                      .self = e,
                      .start = start,
                      .step = step,
                      .at = at,
                      .culprit = culprit,
                      .free = release,
                      .z = e->z};
    return s;
}

/* lti_ticks.c - sampled systems: their form in d = (z - 1)/period, and responses at ticks. */
#include <math.h>
#include <string.h>

#include "study/lti_make.h"

static const double last_tick = 1e-6; /* of a period: a stop that is meant to be a tick */

/* (A - 1)/period and B/period. */
ct_lti ct_lti_of_ticks(ct_arena *arena, const ct_lti *z, double period)
{
    size_t n = z->n, inputs = n * z->m;
    double *A = CT_NEW_ARRAY(arena, double, n *n + 1), *B = CT_NEW_ARRAY(arena, double, inputs + 1);
    ct_lti d = *z;
    for (size_t k = 0; k < n * n; k++)
        A[k] = (z->A[k] - (k % (n + 1) == 0)) / period;
    for (size_t k = 0; k < inputs; k++)
        B[k] = z->B[k] / period;
    d.A = A;
    d.B = B;
    d.period = period;
    return d;
}

/* Without cancellation at small omega: exp(i a) - 1 = 2 i sin(a/2) exp(i a/2). */
double complex ct_lti_edge(double period, double omega)
{
    double half = omega * period / 2;
    if (!(period > 0))
        return omega * I;
    return 2 * sin(half) / period * I * cexp(half * I);
}

/* ---- responses */

typedef struct ticker {
    const ct_lti *lti;
    uint32_t j;
    bool step;
    double *x, *next;
    double now; /* number of the tick */
} ticker;

static void tick(ticker *t)
{
    const ct_lti *l = t->lti;
    double u = t->step || t->now == 0;
    for (size_t i = 0; i < l->n; i++) {
        double rate = l->B[i * l->m + t->j] * u;
        for (size_t k = 0; k < l->n; k++)
            rate += l->A[i * l->n + k] * t->x[k];
        t->next[i] = t->x[i] + l->period * rate;
    }
    memcpy(t->x, t->next, l->n * sizeof *t->x);
    t->now += 1;
}

static void put_outputs(const ticker *t, double *value)
{
    const ct_lti *l = t->lti;
    double u = t->step || t->now == 0;
    for (size_t i = 0; i < l->p; i++) {
        value[i] = l->D ? l->D[i * l->m + t->j] * u : 0;
        for (size_t k = 0; k < l->n; k++)
            value[i] += l->C[i * l->n + k] * t->x[k];
    }
}

void ct_lti_respond_ticks(ct_arena *arena, const ct_lti *lti, uint32_t j, bool step,
                          const double *times, uint32_t count, double *value)
{
    const double hair = 1e-6; /* of a period */
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ticker t = {.lti = lti, .j = j, .step = step};
    t.x = CT_NEW_ARRAY(scratch, double, lti->n + 1);
    t.next = CT_NEW_ARRAY(scratch, double, lti->n + 1);
    for (uint32_t k = 0; k < count; k++) {
        double number = floor(times[k] / lti->period + hair);
        if (number < t.now) {
            memset(t.x, 0, lti->n * sizeof *t.x);
            t.now = 0;
        }
        while (t.now < number)
            tick(&t);
        put_outputs(&t, value + (size_t)k * lti->p);
    }
    ct_arena_free(scratch);
}

const double *ct_lti_times(ct_arena *arena, const ct_lti *lti, double stop, uint32_t most,
                           uint32_t *count)
{
    double *time = CT_NEW_ARRAY(arena, double, most), ticks = floor(stop / lti->period + last_tick);
    bool sampled = lti->period > 0;
    *count = sampled && ticks + 1 < most ? (uint32_t)ticks + 1 : most;
    for (uint32_t k = 0; k < *count; k++) {
        double part = *count > 1 ? k / (*count - 1.0) : 0;
        time[k] = sampled ? round(ticks * part) * lti->period : stop * k / (most - 1);
    }
    return time;
}

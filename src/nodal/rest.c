/* rest.c - the operating point of a nonlinear network: Newton's method with limited junctions, and
 * ways towards it. */
#include <math.h>
#include <string.h>

#include "nodal/law.h"
#include "solve/problem.h"

static const double goal = 1e-11, noise = 1e-6; /* sizes of steps; below noise they may stay */
static const double unit = 1e-3;                /* unknowns below are small */
static const double farthest = 1e9, most_amplified = 1e11;
static const double least_step = 1e-6;  /* of the way from an easy circuit */
static const double first_shunt = 1e-2; /* S: every node nearly at ground */
static const double last_shunt = 1e-14; /* S: beside any conductance of the circuit as none */

enum { MOST_ITERATIONS = 1000 }; /* in all: what needs more is left to the usual path */

typedef struct resting {
    laws *w;
    double t;
    double *z, *r, *kept;
    uint64_t iterations;
} resting;

/* z becomes the solution, or is left somewhere. */
static bool solve(resting *s, uint32_t most)
{
    laws *w = s->w;
    double before = INFINITY;
    for (uint32_t k = 0; k < most && s->iterations < MOST_ITERATIONS; k++) {
        double size = 0;
        ct_laws_places(w, s->z);
        uint32_t beside = ct_laws_evaluate(w, 0, NULL, k == 0, true, s->r);
        s->iterations++;
        if (ct_linear_factor(w->linear) != CT_SOLVED)
            return false;
        ct_linear_solve(w->linear, s->r);
        for (uint32_t i = 0; i < w->size; i++) {
            s->z[i] -= s->r[i];
            size = fmax(size, fabs(s->r[i]) / (fabs(s->z[i]) + unit));
            if (!(fabs(s->z[i]) < farthest))
                return false;
        }
        if (!beside && (size <= goal || (size <= noise && size > 0.5 * before)))
            return true;
        before = size;
    }
    return false;
}

/* *parameter goes from `from` to `to` in steps that adapt; then once more without it. */
static bool approach(resting *s, double *parameter, double from, double to, bool by_factor)
{
    double done = 0, step = 0.1;
    size_t bytes = s->w->size * sizeof *s->z;
    memset(s->z, 0, bytes);
    memset(s->kept, 0, bytes);
    for (double at = 0;;) {
        *parameter = by_factor ? from * pow(to / from, at) : from + at * (to - from);
        ct_laws_inputs(s->w, s->t); /* a share of them */
        if (solve(s, 40)) {
            memcpy(s->kept, s->z, bytes);
            if (at >= 1)
                return true;
            done = at;
            step *= 2;
        } else {
            memcpy(s->z, s->kept, bytes);
            step /= 8;
            if (step < least_step)
                return false;
        }
        at = fmin(done + step, 1);
    }
}

/* Rounding hides a singular matrix from its pivots; but then a right side of the size of its rows
 * has no solution of ordinary size. Of either sign: what all entries push the same way adds up
 * along a ladder of many sections. */
static bool is_determined(resting *s)
{
    laws *w = s->w;
    uint32_t state = 1;
    memset(s->r, 0, w->size * sizeof *s->r);
    for (uint32_t k = 0; k < w->count; k++)
        s->r[w->row[k]] += fabs(w->linear->value[k]);
    for (uint32_t i = 0; i < w->size; i++) {
        state = state * 1664525u + 1013904223u;
        double by = (double)(state >> 8) / 8388608.0 - 1; /* from -1 to 1 */
        s->r[i] *= by + (by < 0 ? -0.5 : 0.5);
    }
    ct_linear_solve(w->linear, s->r);
    for (uint32_t i = 0; i < w->size; i++)
        if (!(fabs(s->r[i]) < most_amplified))
            return false;
    return true;
}

static const char *find(resting *s)
{
    laws *w = s->w;
    if (solve(s, 30))
        return CT_METHOD_LIMITING;
    memset(s->z, 0, w->size * sizeof *s->z);
    s->iterations += ct_laws_sweep(w, s->z);
    if (solve(s, 40))
        return CT_METHOD_SWEEP;
    memset(s->z, 0, w->size * sizeof *s->z);
    if (solve(s, 100))
        return CT_METHOD_LIMITING;
    if (approach(s, &w->shunt, first_shunt, last_shunt, true)) {
        w->shunt = 0;
        if (solve(s, 40))
            return CT_METHOD_GMIN;
    }
    w->shunt = 0;
    w->share = 0;
    bool found = approach(s, &w->share, 0, 1, false);
    w->share = 1;
    ct_laws_inputs(w, s->t);
    return found ? CT_METHOD_SOURCES : NULL;
}

static resting open(laws *w, double t, double *z)
{
    ct_arena *arena = w->n->arena;
    resting s = {.w = w, .t = t, .z = z};
    if (!w->rest_r) {
        w->rest_r = CT_NEW_ARRAY(arena, double, w->size + 1);
        w->rest_kept = CT_NEW_ARRAY(arena, double, w->size + 1);
    }
    s.r = w->rest_r;
    s.kept = w->rest_kept;
    ct_laws_inputs(w, t);
    return s;
}

static bool from_zero(laws *w, double t, double *z, law_rest *how)
{
    resting s = open(w, t, z);
    memset(z, 0, w->size * sizeof *z);
    how->method = find(&s);
    how->iterations = s.iterations;
    return how->method && is_determined(&s);
}

bool ct_laws_rest(laws *w, double t, double *z, law_rest *how)
{
    double before;
    bool guessed = ct_model_is_guessed(w->n->model, t, &before) && from_zero(w, before, z, how);
    return (guessed ? ct_laws_follow : from_zero)(w, t, z, how);
}

bool ct_laws_follow(laws *w, double t, double *z, law_rest *how)
{
    resting s = open(w, t, z);
    if (!solve(&s, 30))
        return from_zero(w, t, z, how);
    how->iterations = s.iterations;
    return true;
}

/* push.c - impulses of events: how they move what is stored, and how large they must be.
 *
 * An impulse p adds (df/dp) p to x, and where rates read w, what w would do in the same time.
 */
#include "simulate/push.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "simulate/holding.h"
#include "simulate/variant.h"

#include "solve/newton.h"

static const double least_pivot = 1e-12; /* of the largest entry: rounding */

enum { MOST_ROUNDS = 50 };
static const double met = 1e-13; /* of the terms of a variable */

struct ct_pushing {
    ct_rig *rig;
    const ct_pushes *of;
    uint32_t size; /* x and w */
    double *work_slope, *work_variable, *work_gradient;
    double *move, *variable, *gradient; /* move: per push x and w */
    double *rate;                       /* of x */
    double *impulse;                    /* of each, in this instant */
    double *matrix, *right, *jacobian;
    ct_problem problem;
    ct_newton *newton; /* of it; NULL: no w, or not needed yet */
};

/* ---- making */

const ct_pushes *ct_pushes_new(const ct_machine *m, const ct_expr *variable)
{
    const ct_driven *d = m->driven;
    uint32_t size = m->n + m->m, count = d->push_count;
    ct_pushes *p = CT_NEW(m->arena, ct_pushes);
    ct_expr *gradient = CT_NEW_ARRAY(m->arena, ct_expr, (size_t)count * (size + 1) + 1);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < size; i++)
            gradient[k * size + i] = ct_partial(m, variable[k], m->z[i]);
        gradient[count * size + k] = ct_partial(m, variable[k], m->time);
    }
    p->count = count;
    p->slope = ct_machine_program(m, d->push_slope, count * size, m->known);
    p->variable = ct_machine_program(m, variable, count, m->known);
    p->gradient = ct_machine_program(m, gradient, count * (size + 1), m->known);
    return p->slope && p->variable && p->gradient ? p : NULL;
}

ct_pushing *ct_pushing_new(ct_rig *rig, const ct_pushes *p)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m, c = p->count;
    ct_pushing *k = CT_NEW(rig->arena, ct_pushing);
    *k = (ct_pushing){.rig = rig,
                      .of = p,
                      .size = size,
                      .work_slope = ct_rig_prepared(rig, p->slope),
                      .work_variable = ct_rig_prepared(rig, p->variable),
                      .work_gradient = ct_rig_prepared(rig, p->gradient)};
    k->move = CT_NEW_ARRAY(rig->arena, double, (size_t)c *size + 1);
    k->gradient = CT_NEW_ARRAY(rig->arena, double, (size_t)c *(size + 1) + 1);
    k->variable = CT_NEW_ARRAY(rig->arena, double, c + 1);
    k->matrix = CT_NEW_ARRAY(rig->arena, double, (size_t)c *c + 1);
    k->right = CT_NEW_ARRAY(rig->arena, double, c + 1);
    k->rate = CT_NEW_ARRAY(rig->arena, double, size + 1);
    k->impulse = CT_NEW_ARRAY(rig->arena, double, c + 1);
    return k;
}

/* ---- at a point */

static void set_point(ct_pushing *k, double t, const double *z)
{
    memcpy(k->rig->variable, z, k->size * sizeof *z);
    k->rig->variable[k->size] = t;
}

/* w' from dg/dw w' = -dg/dp; rates that read w move with it. */
static ct_solve_status move_algebraic(ct_pushing *k, double t, const double *z)
{
    const ct_machine *m = k->rig->machine;
    const ct_problem *p = &k->problem;
    if (!m->m)
        return CT_SOLVED;
    if (!k->newton) {
        ct_need_pattern(ct_plain_problem(k->rig));
        k->problem = *ct_plain_problem(k->rig);
        k->newton = ct_newton_new(k->rig->arena, p, m->n, m->m);
        k->jacobian = CT_NEW_ARRAY(k->rig->arena, double, p->start[k->size] + 1);
    }
    ct_newton_jacobian(k->newton, t, z);
    ct_solve_status status = ct_linear_factor(k->newton->linear);
    p->jacobian(p->user, t, z, k->jacobian);
    for (uint32_t i = 0; i < k->of->count && status == CT_SOLVED; i++) {
        double *move = k->move + (size_t)i * k->size, *w = move + m->n;
        for (uint32_t c = 0; c < m->m; c++)
            w[c] = -w[c];
        ct_linear_solve(k->newton->linear, w);
        for (uint32_t c = m->n; c < k->size; c++)
            for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
                if (p->row[e] < m->n)
                    move[p->row[e]] += k->jacobian[e] * w[c - m->n];
    }
    return status;
}

const double *ct_push_values(ct_pushing *k, double t, const double *z)
{
    set_point(k, t, z);
    ct_program_run(k->of->variable, k->rig->variable, k->variable, k->work_variable);
    return k->variable;
}

ct_solve_status ct_push_matrix(ct_pushing *k, double t, const double *z, const uint32_t *which,
                               uint32_t count, double *matrix)
{
    set_point(k, t, z);
    ct_program_run(k->of->slope, k->rig->variable, k->move, k->work_slope);
    ct_program_run(k->of->gradient, k->rig->variable, k->gradient, k->work_gradient);
    ct_solve_status status = move_algebraic(k, t, z);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < count; c++) {
            const double *g = k->gradient + (size_t)which[i] * k->size,
                         *move = k->move + (size_t)which[c] * k->size;
            double sum = 0;
            for (uint32_t j = 0; j < k->size; j++)
                sum += g[j] * move[j];
            matrix[i * count + c] = sum;
        }
    return status;
}

void ct_push_by(const ct_pushing *k, uint32_t which, double impulse, double *z)
{
    const double *move = k->move + (size_t)which * k->size;
    for (uint32_t j = 0; j < k->size; j++)
        z[j] += move[j] * impulse;
    k->impulse[which] += impulse;
}

const double *ct_push_impulses(const ct_pushing *k)
{
    return k->impulse;
}

void ct_push_begin(ct_pushing *k)
{
    memset(k->impulse, 0, k->of->count * sizeof *k->impulse);
}

/* ---- so that values are met */

/* Gauss with the largest pivot of a column; false: a row without one asks for something. */
static bool solve(double *a, double *b, uint32_t n)
{
    double largest = 0;
    for (uint32_t i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(a[i]));
    for (uint32_t c = 0; c < n; c++) {
        uint32_t best = c;
        for (uint32_t r = c + 1; r < n; r++)
            best = fabs(a[r * n + c]) > fabs(a[best * n + c]) ? r : best;
        if (!(fabs(a[best * n + c]) > least_pivot * largest))
            return false;
        for (uint32_t j = 0; j < n && best != c; j++) {
            double swap = a[c * n + j];
            a[c * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = b[c];
        b[c] = b[best], b[best] = swap;
        for (uint32_t r = 0; r < n; r++) {
            double factor = r == c ? 0 : a[r * n + c] / a[c * n + c];
            for (uint32_t j = c; j < n && factor != 0; j++)
                a[r * n + j] -= factor * a[c * n + j];
            b[r] -= factor * b[c];
        }
    }
    for (uint32_t c = 0; c < n; c++)
        b[c] /= a[c * n + c];
    return true;
}

/* The terms that a variable is a sum of, time included: their rounding errors are all that can be
 * met. */
static double terms(const ct_pushing *k, uint32_t which, double t, const double *z)
{
    const double *g = k->gradient + (size_t)which * k->size;
    double far = fabs(t) + k->rig->span;
    double sum = far * fabs(k->gradient[k->of->count * k->size + which]);
    for (uint32_t i = 0; i < k->size; i++)
        sum += fabs(g[i] * z[i]);
    return sum;
}

/* What is still missing; false: nothing. */
static bool find_missing(ct_pushing *k, double t, const double *z, const uint32_t *which,
                         const double *value, uint32_t count)
{
    const double *now = ct_push_values(k, t, z);
    bool any = false;
    ct_program_run(k->of->gradient, k->rig->variable, k->gradient, k->work_gradient);
    for (uint32_t i = 0; i < count; i++) {
        double rounding = 8 * DBL_EPSILON * terms(k, which[i], t, z);
        k->right[i] = value[i] - now[which[i]];
        any |= !(fabs(k->right[i]) <= met * (fabs(value[i]) + fabs(now[which[i]])) + rounding);
    }
    return any;
}

/* A bound: steps add to it, where bodies fall beside each other, and how they did is not known. */
static const double many_roundings = 256;
static const double many_instants = 8; /* roundings of time: what happens between them is one */

/* How fast a variable changes by itself. */
static double rate_of(ct_pushing *k, uint32_t which, double t, const double *z)
{
    const ct_problem *p = &k->rig->held;
    const double *g = k->gradient + (size_t)which * k->size;
    double sum = k->gradient[k->of->count * k->size + which];
    p->evaluate(p->user, t, z, k->rate);
    for (uint32_t i = 0; i < p->n; i++)
        sum += g[i] * k->rate[i];
    return isfinite(sum) ? sum : 0;
}

double ct_push_rounding(ct_pushing *k, double t, const double *z, uint32_t which)
{
    set_point(k, t, z);
    ct_program_run(k->of->gradient, k->rig->variable, k->gradient, k->work_gradient);
    double instant = many_instants * DBL_EPSILON * fmax(fabs(t), k->rig->span);
    return many_roundings * DBL_EPSILON * terms(k, which, t, z) +
           instant * fabs(rate_of(k, which, t, z));
}

ct_solve_status ct_push_to(ct_pushing *k, double t, double *z, const uint32_t *which,
                           const double *value, uint32_t count)
{
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!find_missing(k, t, z, which, value, count))
            return CT_SOLVED;
        ct_solve_status status = ct_push_matrix(k, t, z, which, count, k->matrix);
        if (status != CT_SOLVED || !solve(k->matrix, k->right, count))
            return CT_SINGULAR;
        for (uint32_t i = 0; i < count; i++)
            ct_push_by(k, which[i], k->right[i], z);
    }
    return find_missing(k, t, z, which, value, count) ? CT_NO_CONVERGENCE : CT_SOLVED;
}

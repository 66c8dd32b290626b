/* push.c - impulses of events: how they move what is stored, and how large they must be.
 *
 * An impulse p adds (df/dp) p to x, and where rates read w, what w would do in the same time. What
 * is set goes from its value to the new one on a straight way in no time, as in a jump (jump.c):
 * where storage is not linear the moves change on it, and steps add them up, so that charge, flux
 * and momentum are conserved. After it w is what x makes of it.
 */
#include "simulate/push.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "choice/impulse.h"
#include "simulate/holding.h"
#include "simulate/variant.h"

#include "solve/newton.h"

static const double same_value = 1e-9;    /* of what is tied to others, and set as these have it */
static const double way_accuracy = 1e-13; /* of the way, where it is curved */
static const double apart_by = 1e-6;      /* of speeds that a constraint sums up */
static const double between = 0.382;      /* of it: no part by which laws repeat themselves */

enum { MOST_ROUNDS = 50, MOST_STEPS = 1 << 12 };
static const double met = 1e-13; /* of the terms of a variable */

struct ct_pushing {
    ct_rig *rig;
    const ct_pushes *of;
    uint32_t size; /* x and w */
    double *work_slope, *work_variable, *work_gradient;
    double *move, *variable, *gradient; /* move: per push x and w */
    double *carry;                      /* per push: the impulse that it makes of w */
    double *sum;                        /* impulses in this instant, of each, then of w */
    double *matrix, *right, *jacobian, *along;
    double *gap, *small, *far; /* of what is set: missing, next to nothing of it, its size */
    double *room;
    uint32_t *order; /* of rows and columns */
    uint32_t length; /* of the way: x, w, all impulses, those of w */
    double *from, *begin, *point, *end, *last, *rate;
    uint32_t stuck; /* what did not give way; none: the count */
    uint32_t apart; /* the invariant that an impulse would break; none: UINT32_MAX */
    double *constraint;
    ct_problem problem;
    ct_newton *newton; /* of it; NULL: no w, or not needed yet */
};

/* ---- making */

bool ct_pushes_read_unknowns(const ct_machine *m, const ct_expr *e, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = m->n; i < m->n + m->m; i++)
            if (ct_expr_has(m->pool, e[k], m->z[i]))
                return true;
    return false;
}

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
    p->algebraic = ct_pushes_read_unknowns(m, variable, count);
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
                      .stuck = c,
                      .apart = UINT32_MAX,
                      .work_slope = ct_rig_prepared(rig, p->slope),
                      .work_variable = ct_rig_prepared(rig, p->variable),
                      .work_gradient = ct_rig_prepared(rig, p->gradient)};
    k->move = CT_NEW_ARRAY(rig->arena, double, (size_t)c *size + 1);
    k->carry = CT_NEW_ARRAY(rig->arena, double, (size_t)c * m->m + 1);
    k->gradient = CT_NEW_ARRAY(rig->arena, double, (size_t)c *(size + 1) + 1);
    k->matrix = CT_NEW_ARRAY(rig->arena, double, (size_t)c *c + 1);
    k->order = CT_NEW_ARRAY(rig->arena, uint32_t, 2 * c + 1);
    k->room = CT_NEW_ARRAY(rig->arena, double, 2 * c + 1);
    k->length = size + c + m->m;
    double **need[] = {&k->variable, &k->right, &k->gap,   &k->small, &k->far,  &k->sum, &k->along,
                       &k->from,     &k->begin, &k->point, &k->end,   &k->last, &k->rate};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(rig->arena, double, k->length + 1);
    return k;
}

/* ---- at a point */

static void set_point(ct_pushing *k, double t, const double *z)
{
    memcpy(k->rig->variable, z, k->size * sizeof *z);
    k->rig->variable[k->size] = t;
}

static void open_newton(ct_pushing *k)
{
    const ct_machine *m = k->rig->machine;
    if (k->newton)
        return;
    ct_need_pattern(ct_plain_problem(k->rig));
    k->problem = *ct_plain_problem(k->rig);
    k->newton = ct_newton_new(k->rig->arena, &k->problem, m->n, m->m);
    k->jacobian = CT_NEW_ARRAY(k->rig->arena, double, k->problem.start[k->size] + 1);
}

/* w as x makes it: what is set may read it, and so may the moves. */
static ct_solve_status settle(ct_pushing *k, double t, double *z)
{
    const ct_machine *m = k->rig->machine;
    if (!m->m)
        return CT_SOLVED;
    open_newton(k);
    memcpy(k->along, z + m->n, m->m * sizeof *z);
    ct_solve_status status = ct_newton_solve(k->newton, t, z);
    if (status != CT_SOLVED)
        memcpy(z + m->n, k->along, m->m * sizeof *z);
    return k->of->algebraic ? status : CT_SOLVED;
}

/* to[rows of the problem from first on, last not included] += J from, over these columns. */
static void add_product(const ct_pushing *k, uint32_t column, uint32_t end, const double *from,
                        uint32_t first, uint32_t last, double *to)
{
    const ct_problem *p = &k->problem;
    for (uint32_t c = column; c < end; c++)
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
            if (p->row[e] >= first && p->row[e] < last)
                to[p->row[e] - first] += k->jacobian[e] * from[c - column];
}

/* The impulse w' of w: dg/dw w' = -dg/dp; rates that read w move with it. Then w itself follows
 * x: dg/dw dw = -dg/dx dx. */
static ct_solve_status move_algebraic(ct_pushing *k, double t, const double *z)
{
    const ct_machine *m = k->rig->machine;
    const ct_problem *p = &k->problem;
    if (!m->m)
        return CT_SOLVED;
    open_newton(k);
    ct_newton_jacobian(k->newton, t, z);
    ct_solve_status status = ct_linear_factor(k->newton->linear);
    p->jacobian(p->user, t, z, k->jacobian);
    for (uint32_t i = 0; i < k->of->count && status == CT_SOLVED; i++) {
        double *move = k->move + (size_t)i * k->size, *w = move + m->n,
               *carry = k->carry + (size_t)i * m->m;
        for (uint32_t c = 0; c < m->m; c++)
            carry[c] = -w[c];
        ct_linear_solve(k->newton->linear, carry);
        add_product(k, m->n, k->size, carry, 0, m->n, move);
        memset(w, 0, m->m * sizeof *w);
        add_product(k, 0, m->n, move, m->n, k->size, w);
        for (uint32_t c = 0; c < m->m; c++)
            w[c] = -w[c];
        ct_linear_solve(k->newton->linear, w);
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

void ct_push_by(ct_pushing *k, uint32_t which, double impulse, double *z)
{
    uint32_t m = k->rig->machine->m;
    const double *move = k->move + (size_t)which * k->size, *carry = k->carry + (size_t)which * m;
    for (uint32_t j = 0; j < k->size; j++)
        z[j] += move[j] * impulse;
    for (uint32_t j = 0; j < m; j++)
        k->sum[k->of->count + j] += carry[j] * impulse;
    k->sum[which] += impulse;
}

ct_solve_status ct_push_settle(ct_pushing *k, double t, double *z)
{
    return k->of->algebraic ? settle(k, t, z) : CT_SOLVED;
}

const double *ct_push_impulses(const ct_pushing *k)
{
    return k->sum;
}

void ct_push_begin(ct_pushing *k)
{
    memset(k->sum, 0, (k->of->count + k->rig->machine->m) * sizeof *k->sum);
    k->stuck = k->of->count;
    k->apart = UINT32_MAX;
}

uint32_t ct_push_stuck(const ct_pushing *k)
{
    return k->stuck;
}

uint32_t ct_push_apart(const ct_pushing *k)
{
    return k->apart;
}

/* ---- so that values are met */

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

/* What is still missing, and how little of it ties may leave; false: nothing is. */
static bool find_missing(ct_pushing *k, double t, const double *z, const uint32_t *which,
                         const double *value, uint32_t count)
{
    const double *now = ct_push_values(k, t, z);
    bool any = false;
    ct_program_run(k->of->gradient, k->rig->variable, k->gradient, k->work_gradient);
    for (uint32_t i = 0; i < count; i++) {
        double size = fabs(value[i]) + fabs(now[which[i]]);
        double rounding = 8 * DBL_EPSILON * terms(k, which[i], t, z);
        k->right[i] = value[i] - now[which[i]];
        k->far[i] = fmax(k->far[i], size);
        k->small[i] = same_value * k->far[i] + rounding;
        any |= !(fabs(k->right[i]) <= met * size + rounding);
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

/* ---- the way */

/* Impulses that move what is set by the gap, into right. */
static ct_solve_status find_impulses(ct_pushing *k, double t, const double *z,
                                     const uint32_t *which, const double *gap, uint32_t count)
{
    ct_solve_status status = ct_push_matrix(k, t, z, which, count, k->matrix);
    if (status != CT_SOLVED)
        return status;
    memcpy(k->right, gap, count * sizeof *gap);
    uint32_t stuck = ct_impulse_solve(k->matrix, k->right, k->small, count, k->room, k->order);
    k->stuck = stuck < count ? which[stuck] : k->stuck;
    return stuck < count ? CT_SINGULAR : CT_SOLVED;
}

/* Rates of x, w and all impulses at a point y of the way; w is solved for there. */
static ct_solve_status rate_at(ct_pushing *k, double t, double *y, const uint32_t *which,
                               uint32_t count, double *rate)
{
    uint32_t m = k->rig->machine->m, all = k->of->count;
    ct_solve_status status = settle(k, t, y);
    if (status == CT_SOLVED)
        status = find_impulses(k, t, y, which, k->gap, count);
    memset(rate, 0, (k->size + all + m) * sizeof *rate);
    for (uint32_t i = 0; i < count && status == CT_SOLVED; i++) {
        const double *move = k->move + (size_t)which[i] * k->size,
                     *carry = k->carry + (size_t)which[i] * m;
        for (uint32_t j = 0; j < k->size; j++)
            rate[j] += move[j] * k->right[i];
        for (uint32_t j = 0; j < m; j++)
            rate[k->size + all + j] += carry[j] * k->right[i];
        rate[k->size + which[i]] = k->right[i];
    }
    return status;
}

/* y = from + part of the way along a rate. */
static void put_point(ct_pushing *k, const double *from, double part, const double *rate)
{
    for (uint32_t j = 0; j < k->length; j++)
        k->point[j] = from[j] + part * rate[j];
}

/* Do the moves stay what they are at its begin? Then the end is known. */
static ct_solve_status go_straight(ct_pushing *k, double t, const uint32_t *which, uint32_t count,
                                   bool *straight)
{
    static const double part[] = {between, 1};
    double *rate = k->rate, *other = k->last;
    put_point(k, k->from, 0, k->from);
    ct_solve_status status = rate_at(k, t, k->point, which, count, rate);
    *straight = true;
    for (int i = 0; i < 2 && *straight && status == CT_SOLVED; i++) {
        put_point(k, k->from, part[i], rate);
        status = rate_at(k, t, k->point, which, count, other);
        for (uint32_t j = 0; j < k->length; j++)
            *straight &=
                fabs(other[j] - rate[j]) <= way_accuracy * (fabs(rate[j]) + fabs(k->point[j]));
    }
    return status;
}

/* From its begin by steps of the classical Runge-Kutta method; point: its end. */
static ct_solve_status walk(ct_pushing *k, double t, const uint32_t *which, uint32_t count,
                            uint32_t steps)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double by = 1.0 / steps;
    memcpy(k->end, k->from, k->length * sizeof *k->end);
    memset(k->rate, 0, k->length * sizeof *k->rate);
    for (uint32_t s = 0; s < steps; s++) {
        memcpy(k->begin, k->end, k->length * sizeof *k->end);
        for (int stage = 0; stage < 4; stage++) {
            put_point(k, k->begin, by * reach[stage], k->rate);
            ct_solve_status status = rate_at(k, t, k->point, which, count, k->rate);
            if (status != CT_SOLVED)
                return status;
            for (uint32_t j = 0; j < k->length; j++)
                k->end[j] += by * weight[stage] * k->rate[j];
        }
    }
    put_point(k, k->end, 0, k->end);
    return CT_SOLVED;
}

/* Finer and finer; a straight way needs no steps. */
static ct_solve_status walk_well(ct_pushing *k, double t, const uint32_t *which, uint32_t count,
                                 bool *straight)
{
    ct_solve_status status = go_straight(k, t, which, count, straight);
    bool same = *straight;
    for (uint32_t steps = 1; steps <= MOST_STEPS && !same && status == CT_SOLVED; steps *= 2) {
        status = walk(k, t, which, count, steps);
        same = steps > 1;
        for (uint32_t j = 0; j < k->length; j++)
            same &= fabs(k->point[j] - k->last[j]) <=
                    15 * way_accuracy * (fabs(k->point[j]) + fabs(k->from[j]));
        memcpy(k->last, k->point, k->length * sizeof *k->last);
    }
    return status;
}

/* What speeds miss of a constraint: of its terms; the farthest one goes to worst. */
static double miss_constraints(ct_pushing *k, double t, const double *z, uint32_t *worst)
{
    const ct_problem *p = ct_plain_problem(k->rig);
    uint32_t count = p->invariant_count;
    double most = 0, *value = k->constraint, *terms = value + count, *slope = terms + count;
    p->invariants(p->user, t, z, value);
    p->invariant_slope(p->user, t, z, slope);
    memset(terms, 0, count * sizeof *terms);
    for (uint32_t c = 0; c < p->n; c++)
        for (uint32_t e = p->invariant_start[c]; e < p->invariant_start[c + 1]; e++)
            terms[p->invariant_row[e]] += fabs(slope[e] * z[c]);
    for (uint32_t i = 0; i < count; i++)
        if (p->speed_invariant[i] && fabs(value[i]) > most * terms[i]) {
            most = fabs(value[i]) / terms[i];
            *worst = i;
        }
    return most;
}

/* What a loop locks has an inverse inertia of rounding errors: an impulse that moves it takes the
 * loop apart. */
static bool takes_apart(ct_pushing *k, double t, const double *z)
{
    const ct_problem *p = ct_plain_problem(k->rig);
    uint32_t worst, count = p->invariant_count;
    if (!count || !p->speed_invariant)
        return false;
    if (!k->constraint)
        k->constraint =
            CT_NEW_ARRAY(k->rig->arena, double, 2 * count + p->invariant_start[p->n] + 1);
    double before = miss_constraints(k, t, k->from, &worst);
    bool apart = miss_constraints(k, t, z, &worst) > 10 * before + apart_by;
    k->apart = apart ? worst : k->apart;
    return apart;
}

ct_solve_status ct_push_to(ct_pushing *k, double t, double *z, const uint32_t *which,
                           const double *value, uint32_t count)
{
    uint32_t impulses = k->length - k->size;
    bool straight;
    memset(k->far, 0, count * sizeof *k->far);
    if (!find_missing(k, t, z, which, value, count))
        return CT_SOLVED;
    memcpy(k->gap, k->right, count * sizeof *k->gap);
    memcpy(k->from, z, k->size * sizeof *z);
    memcpy(k->from + k->size, k->sum, impulses * sizeof *k->sum);
    if (walk_well(k, t, which, count, &straight) != CT_SOLVED)
        return CT_SINGULAR;
    memcpy(z, k->point, k->size * sizeof *z);
    memcpy(k->sum, k->point + k->size, impulses * sizeof *k->sum);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (settle(k, t, z) != CT_SOLVED)
            return CT_SINGULAR;
        if (!find_missing(k, t, z, which, value, count) && (straight || round))
            return takes_apart(k, t, z) ? CT_SINGULAR : CT_SOLVED;
        memcpy(k->gap, k->right, count * sizeof *k->gap);
        if (find_impulses(k, t, z, which, k->gap, count) != CT_SOLVED)
            return CT_SINGULAR;
        for (uint32_t i = 0; i < count; i++)
            ct_push_by(k, which[i], k->right[i], z);
    }
    bool close = true;
    for (uint32_t i = 0; i < count; i++)
        close &= fabs(k->gap[i]) <= met * k->far[i];
    return close ? CT_SOLVED : CT_NO_CONVERGENCE;
}

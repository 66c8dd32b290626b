/* esdirk_newton.c - Newton's method in stages of esdirk.c, and parts of the system at rest. */
#include "solve/esdirk_run.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_ITERATIONS = 12 };

static const double rounding_share = 0.3; /* of a tolerance: steps below may be rounding */
/* Relative steps, up to which curvature is believed to be that of the stages before: junctions
 * begin to conduct over some hundredths of a volt. */
static const double farthest_trusted = 5e-3;
static const double much_work = 6; /* of a factorization, in solutions: old matrices come first */

static bool factor(esdirk *r, double alpha)
{
    bool done = ct_linear_factor(r->s->linear) == CT_SOLVED;
    r->factored = done ? alpha : NAN;
    r->stats->jac_evals++;
    r->stats->factorizations += done;
    return done;
}

double ct_esdirk_iterate(esdirk *r, double alpha, double *z, bool fresh, bool matrix,
                         uint32_t *beside)
{
    const ct_stored_system *s = r->s;
    *beside = s->evaluate(s->user, alpha, r->base, fresh, matrix, r->residual);
    r->stats->rhs_evals++;
    r->stats->newton_iters++;
    if (matrix && !factor(r, alpha))
        return INFINITY;
    ct_linear_solve(s->linear, r->residual);
    return ct_esdirk_advance(s->part->solved, z, r->residual,
                             &(ct_esdirk_scale){r->rtol, r->atol, r->most, z});
}

typedef struct iteration {
    int count;
    bool matrix;         /* with a matrix of its own */
    double size, before; /* of steps, in tolerances */
    uint32_t beside;
    bool holds; /* tangents do */
} iteration;

/* What is known of how iterations go on. */
static void learn(esdirk *r, const iteration *k)
{
    if (k->count == 0)
        r->bends = !k->holds;
    else if (k->beside == 0 && !k->matrix && k->before > 0)
        r->shrink = fmax(0.3 * r->shrink, k->size / k->before);
    else if (k->beside == 0 && k->matrix && k->before > 1 && k->size > 0 && k->size < k->before)
        r->curvature = fmax(0.5 * r->curvature, k->size / (k->before * k->before));
}

static bool is_solved(const esdirk *r, const iteration *k, double goal)
{
    double left = k->matrix ? 3 * r->curvature * k->size * k->size : r->shrink * k->size;
    bool near = k->size * r->rtol <= farthest_trusted;
    bool rounding = k->count > 1 && k->size <= rounding_share && k->size > 0.3 * k->before;
    if (k->beside)
        return false;
    if (k->holds && (k->matrix || left <= goal))
        return true;
    bool small = k->size <= goal || (k->matrix && near && left <= goal) || rounding;
    return small && r->s->is_close(r->s->user);
}

/* ---- parts at rest */

/* What has come to rest stays as it is; what wakes up begins there. */
static void follow_part(esdirk *r)
{
    const ct_active_part *p = r->s->part;
    for (const uint32_t *i = p->changed; i < p->changed + p->changed_count; i++) {
        for (int k = 0; k < STAGES; k++) {
            r->z[k][*i] = r->z[0][*i];
            r->rate[k][*i] = p->level[*i] == CT_AT_REST ? 0 : r->rate[k][*i];
        }
        r->before[*i] = r->middle[*i] = r->z[0][*i];
        r->q[*i] = p->level[*i] == CT_AT_REST ? 0 : r->q[*i];
    }
    r->factored = NAN;
}

void ct_esdirk_wake_all(esdirk *r)
{
    r->factored = NAN;
    if (r->s->rest && r->s->wake_all(r->s->user))
        follow_part(r);
}

static ct_drift drift_of(const esdirk *r, const double *z)
{
    return (ct_drift){z, r->before, r->most, r->q, r->rtol, r->atol, r->def->stop - r->span.t};
}

/* Does what is at rest beside the solution have to move? */
static bool wakes(esdirk *r, double alpha, const double *z)
{
    ct_drift m = drift_of(r, z);
    if (!r->s->rest || !r->s->wake(r->s->user, alpha, &m, r->residual))
        return false;
    follow_part(r);
    return true;
}

void ct_esdirk_rest(esdirk *r)
{
    ct_drift m = drift_of(r, r->z[0]);
    if (r->s->rest && r->s->rest(r->s->user, &m, r->residual))
        follow_part(r);
}

/* Does the old matrix lead too slowly? */
static bool is_slow(const esdirk *r, const iteration *k, bool dear)
{
    const double slow = 0.2, dear_slow = 0.4;
    return k->count > 0 && (dear ? k->size / k->before > dear_slow : r->shrink > slow);
}

/* From far above, an exponential is left by steps of the same size: a shorter step of time begins
 * nearer to it. Where that did not help some times, it is waited for. */
static bool climbs(const esdirk *r, const iteration *k)
{
    const double same = 0.03;
    return k->count > 1 && k->matrix && k->beside == 0 && r->before_h > 0 && r->given_up < 3 &&
           fabs(k->size - k->before) <= same * k->before;
}

bool ct_esdirk_solve(esdirk *r, double alpha, double goal, double *z)
{
    bool dear = ct_linear_work(r->s->linear) > much_work;
    bool wanted = r->bends && (!dear || r->last);
    iteration k = {.matrix = wanted || r->factored != alpha, .before = INFINITY};
    r->s->move(r->s->user, z);
    for (; k.count < MOST_ITERATIONS; k.count++) {
        k.size = ct_esdirk_iterate(r, alpha, z, k.count == 0, k.matrix, &k.beside);
        if (!isfinite(k.size))
            break;
        r->hopeless = (k.count == 0 && k.size > r->farthest) || climbs(r, &k);
        if (r->hopeless)
            return false;
        r->s->move(r->s->user, z);
        k.holds = k.beside == 0 && r->s->holds(r->s->user);
        learn(r, &k);
        bool solved = is_solved(r, &k, goal), grown = solved && wakes(r, alpha, z);
        if (solved && !grown)
            return true;
        if (k.count > 3 && k.size > 2 * k.before && k.beside == 0)
            break;
        k.matrix = grown || k.beside || (!k.holds && !dear) || (!k.matrix && is_slow(r, &k, dear));
        k.before = k.size;
        k.count -= grown; /* by a part each time: not one that goes astray */
    }
    r->s->linear->fresh = true;
    ct_esdirk_wake_all(r);
    return false;
}

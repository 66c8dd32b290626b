/* linear.c - stretches of modes that are linear with constant sources: Taylor series, exact to
 * rounding, without a method of integration; and modes that followed before, looked at again.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "modes/inside.h"

enum { MOST_STATES = 24, LEAST_STEPS = 4, MOST_STEPS = 400, MOST_TERMS = 40, MOST_HALVINGS = 200 };
enum { KEPT_STEPS = 4 };
static const double reach = 0.5;       /* of a series: norm of A h */
static const double zero = 1e-9;       /* of what a value is made of */
static const double most_miss = 1e-12; /* of margins that are linear */
static const double unseen = 1e-18;    /* of a sum: a term that changes nothing */
static const double same_step = 1e-10; /* of a step: two that differ by rounding of times */

/* A step that came twice: x after it is p x + q. */
typedef struct kept_step {
    double h, *p, *q;
    bool ready; /* false: it came once so far */
} kept_step;

/* x' = a x + c, margins = g x + g0; by rows. */
struct ct_taylor {
    uint32_t n, roots;
    double *a, *c, *g, *g0;
    double norm;
    double *zero, *margin, *x, *next, *term, *hand, *point, *column;
    uint32_t *moving, moving_count; /* roots that depend on x */
    kept_step kept[KEPT_STEPS];
    uint32_t oldest;
    ct_arena *arena;
};

/* ---- making */

static bool is_timeless(const ct_regime *mode)
{
    const ct_machine *m = mode->machine;
    const ct_modes *all = mode->all;
    for (uint32_t i = 0; i < m->n; i++)
        if (ct_expr_has(m->pool, m->kept[i], m->time))
            return false;
    for (uint32_t i = 0; i < CT_WATCHES * all->count; i++)
        if (all->item[i / CT_WATCHES].kind != CT_LAW_IF &&
            ct_expr_has(m->pool, m->watch[i], m->time))
            return false;
    return true;
}

static void margins_at(ct_regime *mode, const double *x, double *margin)
{
    ct_rig_watch(mode->rig, 0, x, mode->watch);
    ct_mode_margins(mode, mode->watch, margin);
}

/* Margins at the origin and at unit vectors; at another point they must add up. */
static bool read_margins(ct_regime *mode, struct ct_taylor *l)
{
    double size = 0, miss = 0;
    margins_at(mode, l->zero, l->g0);
    for (uint32_t c = 0; c < l->n; c++) {
        memset(l->point, 0, l->n * sizeof *l->point);
        l->point[c] = 1;
        margins_at(mode, l->point, l->margin);
        for (uint32_t i = 0; i < l->roots; i++)
            l->g[i * l->n + c] = l->margin[i] - l->g0[i];
    }
    for (uint32_t c = 0; c < l->n; c++)
        l->point[c] = 0.7 + 0.3 * c;
    margins_at(mode, l->point, l->margin);
    for (uint32_t i = 0; i < l->roots; i++) {
        double sum = l->g0[i];
        for (uint32_t c = 0; c < l->n; c++)
            sum += l->g[i * l->n + c] * l->point[c];
        size = fmax(size, fabs(sum) + fabs(l->margin[i]));
        miss = fmax(miss, fabs(sum - l->margin[i]));
    }
    for (uint32_t i = 0; i < l->roots; i++) {
        bool moves = !(l->g0[i] > 0);
        for (uint32_t c = 0; c < l->n; c++)
            moves |= l->g[i * l->n + c] != 0;
        if (moves)
            l->moving[l->moving_count++] = i;
    }
    return miss <= most_miss * size;
}

static void read_equations(ct_regime *mode, struct ct_taylor *l, const ct_affine *f)
{
    for (uint32_t i = 0; i < l->n; i++) {
        double sum = 0;
        memcpy(l->a + i * l->n, f->slope + i * l->n, l->n * sizeof *l->a);
        for (uint32_t c = 0; c < l->n; c++)
            sum += fabs(l->a[i * l->n + c]);
        l->norm = fmax(l->norm, sum);
    }
    mode->rig->held.evaluate(mode->rig, 0, l->zero, l->c);
}

static struct ct_taylor *open_linear(ct_regime *mode)
{
    ct_arena *arena = mode->all->arena;
    struct ct_taylor *l = CT_NEW(arena, struct ct_taylor);
    uint32_t n = mode->machine->n;
    *l = (struct ct_taylor){.n = n, .roots = 2 * mode->all->count, .arena = arena};
    l->moving = CT_NEW_ARRAY(arena, uint32_t, l->roots + 1);
    double **vector[] = {&l->c,    &l->zero, &l->x,     &l->next,
                         &l->term, &l->hand, &l->point, &l->column};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = CT_NEW_ARRAY(arena, double, n + 1);
    l->a = CT_NEW_ARRAY(arena, double, (size_t)n *n + 1);
    l->g = CT_NEW_ARRAY(arena, double, (size_t)l->roots *n + 1);
    l->g0 = CT_NEW_ARRAY(arena, double, l->roots + 1);
    l->margin = CT_NEW_ARRAY(arena, double, l->roots + 1);
    return l;
}

void ct_linear_open(ct_regime *mode)
{
    const ct_machine *m = mode->machine;
    const ct_problem *p = &mode->rig->held;
    ct_affine f;
    if (mode->looked)
        return;
    mode->looked = true;
    mode->linear = NULL;
    bool plain = m->n && m->n <= MOST_STATES && !m->m && !m->invariant_count &&
                 !m->events.root.count && !mode->rig->acting && p->affine && is_timeless(mode);
    if (!plain || !p->affine(p->user, 0, 1, &f))
        return;
    struct ct_taylor *l = open_linear(mode);
    read_equations(mode, l, &f);
    if (read_margins(mode, l))
        mode->linear = l;
}

/* ---- the series */

/* out = x after h. */
static void advance(const struct ct_taylor *l, const double *x, double h, double *out)
{
    uint32_t n = l->n;
    double *term = l->term, *hand = l->hand;
    for (uint32_t i = 0; i < n; i++) {
        double sum = l->c[i];
        for (uint32_t c = 0; c < n; c++)
            sum += l->a[i * n + c] * x[c];
        term[i] = h * sum;
        out[i] = x[i];
    }
    bool more = true;
    for (int k = 2; k < MOST_TERMS && more; k++) {
        more = false;
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;
            out[i] += term[i];
            for (uint32_t c = 0; c < n; c++)
                sum += l->a[i * n + c] * term[c];
            hand[i] = sum * h / k;
            more |= fabs(hand[i]) > unseen * fabs(out[i]);
        }
        double *swap = term;
        term = hand, hand = swap;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] += term[i];
}

/* ---- steps that come again */

static void keep_step(struct ct_taylor *l, kept_step *k)
{
    uint32_t n = l->n;
    if (!k->p)
        k->p = CT_NEW_ARRAY(l->arena, double, (size_t)n *n + n + 1);
    k->q = k->p + (size_t)n * n;
    k->ready = true;
    advance(l, l->zero, k->h, k->q);
    for (uint32_t c = 0; c < n; c++) {
        memset(l->point, 0, n * sizeof *l->point);
        l->point[c] = 1;
        advance(l, l->point, k->h, l->column);
        for (uint32_t i = 0; i < n; i++)
            k->p[i * n + c] = l->column[i] - k->q[i];
    }
}

/* The step, if it came before: periods differ by rounding of times only. */
static const kept_step *find_step(struct ct_taylor *l, double h)
{
    for (uint32_t i = 0; i < KEPT_STEPS; i++) {
        kept_step *k = &l->kept[i];
        if (!(fabs(h - k->h) <= same_step * h))
            continue;
        if (!k->ready)
            keep_step(l, k);
        return k;
    }
    kept_step *k = &l->kept[l->oldest++ % KEPT_STEPS];
    *k = (kept_step){.h = h, .p = k->p};
    return NULL;
}

/* out = x after h, which probably comes again. */
static void advance_whole(struct ct_taylor *l, const double *x, double h, double *out)
{
    uint32_t n = l->n;
    const kept_step *k = find_step(l, h);
    if (!k) {
        advance(l, x, h, out);
        return;
    }
    double more = h - k->h;
    for (uint32_t i = 0; i < n; i++) {
        l->term[i] = k->q[i];
        for (uint32_t c = 0; c < n; c++)
            l->term[i] += k->p[i * n + c] * x[c];
    }
    for (uint32_t i = 0; i < n; i++) {
        double rate = l->c[i];
        for (uint32_t c = 0; c < n; c++)
            rate += l->a[i * n + c] * l->term[c];
        out[i] = l->term[i] + more * rate;
    }
}

static double root_at(const ct_regime *mode, uint32_t i, const double *x)
{
    const struct ct_taylor *l = mode->linear;
    double sum = l->g0[i] + mode->offset[i];
    for (uint32_t c = 0; c < l->n; c++)
        sum += l->g[i * l->n + c] * x[c];
    return sum;
}

/* Its rate at x. */
static double rate_at(const ct_regime *mode, uint32_t i, const double *x)
{
    const struct ct_taylor *l = mode->linear;
    double sum = 0;
    for (uint32_t r = 0; r < l->n; r++) {
        double rate = l->c[r];
        for (uint32_t c = 0; c < l->n; c++)
            rate += l->a[r * l->n + c] * x[c];
        sum += l->g[i * l->n + r] * rate;
    }
    return sum;
}

/* Where a function of the root falls below zero between 0 and h: halving, or Newton's method. */
static double find(const ct_regime *mode, uint32_t i, bool rate, double h)
{
    const struct ct_taylor *l = mode->linear;
    double low = 0, high = h, at = h / 2;
    for (int k = 0; k < MOST_HALVINGS && high - low > 2 * DBL_EPSILON * h; k++) {
        advance(l, l->x, at, l->point);
        double slope = rate_at(mode, i, l->point),
               value = rate ? -slope : root_at(mode, i, l->point);
        *(value < 0 ? &high : &low) = at;
        double newton = rate ? NAN : at - value / slope;
        at = newton > low && newton < high && k % 4 != 3 ? newton : low + (high - low) / 2;
    }
    return high;
}

/* The first time in the step at which a root is below zero; INFINITY: none. */
static double first_root(const ct_regime *mode, double h)
{
    const struct ct_taylor *l = mode->linear;
    double first = INFINITY;
    for (uint32_t k = 0; k < l->moving_count; k++) {
        uint32_t i = l->moving[k];
        double until = h;
        bool below = root_at(mode, i, l->next) < 0;
        if (!below && rate_at(mode, i, l->x) < 0 && rate_at(mode, i, l->next) > 0) {
            until = find(mode, i, true, h); /* the least value lies within */
            advance(l, l->x, until, l->point);
            below = root_at(mode, i, l->point) < 0;
        }
        if (below)
            first = fmin(first, find(mode, i, false, until));
    }
    return first;
}

/* ---- a stretch */

bool ct_linear_stretch(ct_regime *mode, const ct_run_def *def, ct_run_stats *stats,
                       ct_solve_status *status)
{
    struct ct_taylor *l = mode->linear;
    double span = def->stop - def->start, count = ceil(span * l->norm / reach), t = def->start;
    uint32_t row = 0, steps = count < LEAST_STEPS ? LEAST_STEPS : (uint32_t)fmin(count, 1e9);
    if (!(count <= MOST_STEPS))
        return false;
    *stats = (ct_run_stats){.method = "Taylor series", .culprit = UINT32_MAX, .restarts = 1};
    *status = CT_SOLVED;
    memcpy(l->x, mode->z, l->n * sizeof *l->x);
    for (uint32_t k = 0; k < steps && *status == CT_SOLVED; k++) {
        double end = k + 1 == steps ? def->stop : def->start + (k + 1) * (span / steps),
               h = end - t;
        advance_whole(l, l->x, h, l->next);
        double root = first_root(mode, h);
        for (; row < def->time_count && def->times[row] < t + fmin(h, root); row++) {
            advance(l, l->x, def->times[row] - t, l->point);
            if (!def->row(def->row_user, def->times[row], l->point, NULL))
                *status = CT_STOPPED;
        }
        if (root <= h) {
            advance(l, l->x, root, l->next);
            *status = CT_ENDED;
            stats->roots_found++;
        }
        t = root <= h ? t + root : end;
        memcpy(l->x, l->next, l->n * sizeof *l->x);
        stats->steps++;
    }
    memcpy(mode->z, l->x, l->n * sizeof *l->x);
    stats->last_time = t;
    for (; row < def->time_count && *status == CT_SOLVED; row++)
        if (!def->row(def->row_user, def->times[row], mode->z, NULL))
            *status = CT_STOPPED;
    return true;
}

/* ---- what followed before */

/* Of each root the first of value, rate and its rate that is not zero must be positive. */
static bool lasts(const ct_regime *mode)
{
    struct ct_taylor *l = mode->linear;
    uint32_t n = l->n;
    for (uint32_t i = 0; i < l->roots; i++) {
        memcpy(l->x, mode->z, n * sizeof *l->x);
        for (int order = 0; order < 3; order++) {
            double sum = order ? 0 : l->g0[i], size = fabs(sum);
            for (uint32_t c = 0; c < n; c++) {
                sum += l->g[i * n + c] * l->x[c];
                size += fabs(l->g[i * n + c] * l->x[c]);
            }
            if (sum > zero * size)
                break;
            if (sum < -zero * size)
                return false;
            for (uint32_t r = 0; r < n; r++) {
                l->next[r] = order ? 0 : l->c[r];
                for (uint32_t c = 0; c < n; c++)
                    l->next[r] += l->a[r * n + c] * l->x[c];
            }
            memcpy(l->x, l->next, n * sizeof *l->x);
        }
    }
    return true;
}

static bool same_conditions(const ct_modes *all, const uint8_t *a, const uint8_t *b)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->item[i].kind == CT_LAW_IF && a[i] != b[i])
            return false;
    return true;
}

ct_regime *ct_linear_next(ct_modes *all, const uint8_t *way, double before, double t)
{
    ct_regime *from = all->from;
    if (!from->linear || from->record_count != all->record.count)
        return NULL;
    for (uint32_t k = 0; k < from->follower.count; k++) {
        ct_regime *to = from->follower.at[k].to;
        if (from->follower.at[k].left != all->choice.left || !same_conditions(all, way, to->way) ||
            !to->linear || to == from)
            continue;
        if (ct_mode_enter(to, before, t) == CT_SOLVED && !to->moved &&
            ct_mode_wrong(to, t) == UINT32_MAX && lasts(to))
            return to;
    }
    return NULL;
}

void ct_linear_follow(ct_modes *all, ct_regime *to)
{
    ct_regime *from = all->from;
    ct_linear_open(to);
    if (!from->linear || !to->linear || to == from || to->moved)
        return;
    for (uint32_t k = 0; k < from->follower.count; k++)
        if (from->follower.at[k].to == to && from->follower.at[k].left == all->choice.left)
            return;
    CT_PUSH(all->arena, from->follower, ((ct_follower){to, all->choice.left}));
}

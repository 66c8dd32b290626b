/* nearest_step.c - steps of the search for the nearest point.
 *
 * Gauss-Newton steps solve one sparse system. They know nothing of how rows bend, and creep where
 * soft rows cannot be met. So Newton's step along the hard rows is found from them by conjugate
 * gradients: the system is the preconditioner, and the bending of rows, soft and hard, follows from
 * differences of their gradients. No choice of unknowns matters.
 */
#include "solve/nearest_step.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

/* Unknowns that no row holds keep their values; rows that say the same share their multipliers. */
static const double damping = 1e-14, sharing = 1e-13;
static const double light = 10;                  /* weight of guesses in the system, at most */
enum { GRADIENTS = 40 };                         /* conjugate ones, at most */
static const double apart = 1e-5;                /* of differences, as the length of a change */
static const double straight = 1e-6;             /* less bending than this is none */
static const double steep = 1e-6, level = 1e-14; /* a hard row that is met where it has no slope */
static const double enough = 1e-6, one = 1e-2;   /* parts of the gradient's square left over */

/* ---- rows */

static void add(ct_nearest *n, const thin *entry, uint32_t count, double factor, near_row row)
{
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(n->arena, n->entry, ((thin){entry[i].col, factor * entry[i].value}));
    row.end = n->entry.count;
    CT_PUSH(n->arena, n->row, row);
}

void ct_nearest_hard(ct_nearest *n, const thin *entry, uint32_t count, double value)
{
    double norm = 0;
    if (n->nudge.loose)
        return;
    for (uint32_t i = 0; i < count; i++)
        norm = hypot(norm, entry[i].value);
    if (norm < steep && fabs(value) <= level)
        norm = value = 0;
    double miss = norm > 0 ? value / norm : value;
    n->worst = isfinite(miss) ? fmax(n->worst, fabs(miss)) : INFINITY;
    bool fit = norm > 0 && isfinite(norm + miss);
    add(n, entry, fit ? count : 0, fit ? 1 / norm : 0,
        (near_row){.hard = true, .value = fit ? miss : 0, .share = 1});
}

/* The first pattern points where of equals the one is that is taken: ahead, first rows most. */
double ct_near_nudge(ct_nudge n, uint32_t row)
{
    static const double least = 0.01, uneven = 0.1;
    if (n.row)
        return n.row[row];
    uint64_t hash = ct_hash_mix(ct_hash_mix(n.pattern, row), 0x6e75646765);
    double dice = (double)(hash >> 11) / 4503599627370496.0 - 1;
    if (n.pattern)
        return n.by * dice;
    return n.by * fmax(ldexp(1, -(int)(row < 60 ? row : 60)), least) * (1 + uneven * dice);
}

void ct_nearest_soft(ct_nearest *n, const thin *entry, uint32_t count, double value, double weight,
                     double unit)
{
    if (unit > 0 && n->nudge.by != 0)
        value -= unit * ct_near_nudge(n->nudge, n->nudged);
    n->nudged += unit > 0;
    add(n, entry, count, weight,
        (near_row){.value = weight * value, .share = 1, .decides = unit > 0});
}

void ct_nearest_guess(ct_nearest *n, const thin *entry, uint32_t count, double value, double weight)
{
    if (n->nudge.loose)
        return;
    n->missed = fmax(n->missed, fabs(weight * value));
    weight *= n->guess;
    if (n->guess > 0)
        add(n, entry, count, weight,
            (near_row){.value = weight * value, .share = fmin(1, light / n->guess), .guess = true});
    else
        ct_nearest_hard(n, entry, count, value);
}

void ct_near_rows(ct_nearest *n, const ct_nearest_def *def)
{
    n->entry.count = n->row.count = 0;
    n->worst = n->missed = 0;
    n->nudged = 0;
    def->rows(def->user, n);
}

static uint32_t first_of(const ct_nearest *n, uint32_t row)
{
    return row ? n->row.at[row - 1].end : 0;
}

/* ---- the linear system */

/* Columns of s and l in the order of rows, then those of p. */
static void fill(const ct_nearest *n, near_system *a)
{
    uint32_t rows = a->rows, count = n->entry.count, *next;
    a->start = CT_NEW_ARRAY(n->arena, uint32_t, a->size + 2);
    a->row = CT_NEW_ARRAY(n->arena, uint32_t, 2 * (size_t)count + 1);
    a->value = CT_NEW_ARRAY(n->arena, double, 2 * (size_t)count + 1);
    for (uint32_t i = 0; i < rows; i++)
        a->start[i + 1] = n->row.at[i].end;
    next = a->start + rows + 1;
    for (uint32_t k = 0; k < count; k++)
        next[n->entry.at[k].col + 1]++;
    *next = count;
    for (uint32_t c = 0; c < a->cols; c++)
        next[c + 1] += next[c];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = first_of(n, i); k < n->row.at[i].end; k++) {
            const thin *e = &n->entry.at[k];
            uint32_t at = next[e->col]++;
            a->row[k] = rows + e->col;
            a->value[k] = e->value * n->row.at[i].share;
            a->row[at] = i;
            a->value[at] = n->row.at[i].hard ? e->value : -a->value[k];
        }
    a->start[rows] = count;
}

static void leave(void *linear)
{
    ct_linear_free(linear);
}

bool ct_near_open(const ct_nearest *n, uint32_t cols, near_system *a)
{
    *a = (near_system){.rows = n->row.count, .cols = cols, .size = n->row.count + cols};
    fill(n, a);
    a->b = CT_NEW_ARRAY(n->arena, double, a->size + 1);
    a->multiplier = CT_NEW_ARRAY(n->arena, double, a->rows + 1);
    a->pattern = ct_pattern_part(n->arena, a->size, a->start, a->row, 0, a->size, a->size);
    a->linear = ct_linear_new(n->arena, &a->pattern);
    a->linear->recipe = NULL;       /* its pivots are not on the diagonal, */
    a->linear->common.ordering = 1; /* so that columns are ordered alone */
    ct_arena_guest *guest = ct_arena_add_guest(n->arena);
    guest->user = a->linear;
    guest->leave = leave;
    ct_pattern_gather(&a->pattern, a->size, a->start, a->value, a->linear->value);
    for (uint32_t i = 0; i < a->size; i++)
        a->linear->value[a->pattern.diagonal[i]] += i >= a->rows        ? damping
                                                    : n->row.at[i].hard ? -sharing
                                                                        : 1;
    return ct_linear_factor(a->linear) == CT_SOLVED;
}

/* sign times the gradient of r.r/2 + l.c is added, with fixed multipliers l. */
static void add_gradient(const ct_nearest *n, const double *multiplier, double sign, double *out)
{
    for (uint32_t i = 0, k = 0; i < n->row.count; i++) {
        const near_row *r = &n->row.at[i];
        double factor = sign * (r->hard ? multiplier[i] : r->value);
        for (; k < r->end; k++)
            out[n->entry.at[k].col] += factor * n->entry.at[k].value;
    }
}

static double product(const double *x, const double *y, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The way down a gradient, along the hard rows; returns its square. */
static double way_down(const ct_nearest *n, near_system *a, const double *gradient, double *step)
{
    double square = 0;
    memset(a->b, 0, a->rows * sizeof *a->b);
    for (uint32_t i = 0; i < a->cols; i++)
        a->b[a->rows + i] = -gradient[i];
    ct_linear_solve(a->linear, a->b);
    memcpy(step, a->b + a->rows, a->cols * sizeof *step);
    for (uint32_t i = 0; i < a->rows; i++)
        square += n->row.at[i].hard ? 0 : a->b[i] * a->b[i];
    return square;
}

double ct_near_steps(const ct_nearest *n, near_system *a, double *normal)
{
    double *gradient = CT_NEW_ARRAY(n->arena, double, a->cols + 1);
    double *step = CT_NEW_ARRAY(n->arena, double, a->cols + 1);
    memset(a->b, 0, a->size * sizeof *a->b);
    for (uint32_t i = 0; i < a->rows; i++)
        a->b[i] = n->row.at[i].hard ? -n->row.at[i].value : 0;
    ct_linear_solve(a->linear, a->b);
    memcpy(normal, a->b + a->rows, a->cols * sizeof *normal);
    add_gradient(n, a->multiplier, 1, gradient);
    double square = way_down(n, a, gradient, step);
    memcpy(a->multiplier, a->b, a->rows * sizeof *a->b);
    return square;
}

void ct_near_aside(const ct_nearest *n, near_system *a, double *step)
{
    double *gradient = CT_NEW_ARRAY(n->arena, double, a->cols + 1);
    add_gradient(n, a->multiplier, 1, gradient);
    way_down(n, a, gradient, step);
}

/* ---- Newton's step */

typedef struct newton {
    ct_context *ctx;
    const ct_nearest_def *def;
    const ct_nearest *n;
    near_system *a;
    double *way;              /* of differences */
    double *left, *towards;   /* gradient that is left over, and the way down it */
    double *direction, *bent; /* of this round, and its change of the gradient */
} newton;

static void move(const newton *w, double part)
{
    for (uint32_t i = 0; i < w->a->cols; i++)
        w->way[i] = part * w->direction[i];
    w->def->move(w->def->user, w->way);
}

/* The second derivative along the direction; false: it has none. */
static bool bend(const newton *w)
{
    double h = apart / w->def->length(w->def->user, w->direction);
    if (!isfinite(h))
        return false;
    ct_nearest side = {.arena = ct_arena_new(w->ctx), .guess = w->n->guess, .nudge = w->n->nudge};
    memset(w->bent, 0, w->a->cols * sizeof *w->bent);
    move(w, h);
    ct_near_rows(&side, w->def);
    add_gradient(&side, w->a->multiplier, 1 / (2 * h), w->bent);
    move(w, -2 * h);
    ct_near_rows(&side, w->def);
    add_gradient(&side, w->a->multiplier, -1 / (2 * h), w->bent);
    move(w, h);
    ct_arena_free(side.arena);
    return true;
}

static void add_to(double *x, double factor, const double *y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        x[i] += factor * y[i];
}

/* The bending of the squares of straight soft rows. */
static double flat_bend(const newton *w)
{
    double sum = 0;
    for (uint32_t i = 0, k = 0; i < w->n->row.count; i++) {
        double change = 0;
        for (; k < w->n->row.at[i].end; k++)
            change += w->n->entry.at[k].value * w->direction[w->n->entry.at[k].col];
        sum += w->n->row.at[i].hard ? 0 : change * change;
    }
    return sum;
}

/* False: the valley has no end here, and the step is the best on the way. */
static bool gradients(const newton *w, double *step)
{
    uint32_t cols = w->a->cols;
    double square = way_down(w->n, w->a, w->left, w->towards), first = square;
    memcpy(w->direction, w->towards, cols * sizeof *w->direction);
    for (int i = 0; i < GRADIENTS && square > 0; i++) {
        double down = bend(w) ? product(w->direction, w->bent, cols) : 0;
        if (!(down > straight * flat_bend(w))) {
            if (i == 0)
                memcpy(step, w->direction, cols * sizeof *step);
            return false;
        }
        add_to(step, square / down, w->direction, cols);
        add_to(w->left, square / down, w->bent, cols);
        double next = way_down(w->n, w->a, w->left, w->towards), factor = next / square;
        if (!(next > enough * fmin(first, one) * first))
            return true;
        for (uint32_t k = 0; k < cols; k++)
            w->direction[k] = w->towards[k] + factor * w->direction[k];
        square = next;
    }
    return square <= 0;
}

double ct_near_newton(ct_context *ctx, const ct_nearest_def *def, const ct_nearest *n,
                      near_system *a, double *multiplier, bool *whole, double *step)
{
    ct_arena *arena = n->arena;
    newton w = {.ctx = ctx, .def = def, .n = n, .a = a};
    double **room[] = {&w.way, &w.left, &w.towards, &w.direction, &w.bent};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        *room[i] = CT_NEW_ARRAY(arena, double, a->cols + 1);
    double *gradient = CT_NEW_ARRAY(arena, double, a->cols + 1);
    if (*whole)
        memcpy(a->multiplier, multiplier, a->rows * sizeof *multiplier);
    add_gradient(n, a->multiplier, 1, gradient);
    memcpy(w.left, gradient, a->cols * sizeof *gradient);
    memset(step, 0, a->cols * sizeof *step);
    *whole = gradients(&w, step);
    for (uint32_t i = 0; i < a->rows; i++)
        multiplier[i] = a->multiplier[i] + a->b[i];
    return -product(gradient, step, a->cols);
}

/* nearest.c - steps of two kinds: the least change that meets the hard rows, and Newton's step
 * along them towards the least soft rows, each followed by steps of the first kind.
 *
 * Guesses come before other soft rows: with a growing weight, and where all can be met as hard rows
 * in the end.
 */
#include "solve/nearest.h"

#include <math.h>
#include <string.h>

#include "solve/nearest_step.h"

enum { ITERATIONS = 200, CLOSING = 120, SHORTENINGS = 12 };
static const double longest = 0.2, still = 1e-11;
static const double less = 1e-4; /* of the decrease that slopes promise, at least */
static const double rounding = 1e-12, exact = 1e-13;
/* Heavy guesses may keep the hard rows open. A guess that can be met is so within about the square
 * of the greatest weight. */
static const double first[] = {100, 10, 1}, greatest = 1e4, greater = 10;
static const double met = 1e-6;

typedef struct search {
    const ct_nearest_def *def;
    ct_context *ctx;
    ct_arena *arena;
    ct_nearest rows; /* at the present point */
    near_system system;
    double guess;          /* weight of guesses; 0: hard */
    double *step, *normal; /* of unknowns: as taken; towards the hard rows */
    double *way;           /* since the last point that was kept */
    double *multiplier;    /* of hard rows, where the last step went */
    bool whole;            /* and it was taken as Newton wants */
    double worst, sum;     /* of hard rows; squares of soft ones */
    double slope;          /* the square of the gradient of sum / 2 */
} search;

static void forget(search *s)
{
    if (s->rows.arena)
        ct_arena_free(s->rows.arena);
    s->rows = (ct_nearest){0};
}

/* Rows at the present point, and both parts of the step from there. */
static void look(search *s)
{
    forget(s);
    s->rows = (ct_nearest){.arena = ct_arena_new(s->ctx), .guess = s->guess};
    ct_near_rows(&s->rows, s->def);
    s->worst = s->rows.worst;
    s->sum = s->slope = 0;
    if (!isfinite(s->worst) || !ct_near_open(&s->rows, s->def->cols, &s->system)) {
        s->worst = INFINITY;
        return;
    }
    s->slope = ct_near_steps(&s->rows, &s->system, s->normal);
    for (uint32_t i = 0; i < s->rows.row.count; i++) {
        const near_row *r = &s->rows.row.at[i];
        s->sum += r->hard ? 0 : r->value * r->value;
    }
}

/* Adds part of a step, at most as long as rows may be believed; its size. */
static double move(search *s, const double *step, double part)
{
    const ct_nearest_def *d = s->def;
    double size = part * d->length(d->user, step);
    if (!isfinite(size))
        return size;
    part *= size > longest ? longest / size : 1;
    for (uint32_t i = 0; i < d->cols; i++) {
        s->step[i] = part * step[i];
        s->way[i] += s->step[i];
    }
    d->move(d->user, s->step);
    return size;
}

/* Meets the hard rows, with one step more than it takes, so that soft rows can be compared; false:
 * it does not come there. */
static bool close_rows(search *s)
{
    bool closed = false;
    for (int i = 0; i < CLOSING; i++) {
        look(s);
        if (!isfinite(s->worst + s->sum))
            return false;
        if (closed || s->worst == 0)
            return s->worst <= s->def->closed;
        closed = s->worst <= s->def->closed;
        double size = move(s, s->normal, 1);
        if (!isfinite(size) || (!closed && size <= still * s->def->closed))
            return false;
    }
    return false;
}

static void keep(search *s)
{
    memset(s->way, 0, s->def->cols * sizeof *s->way);
    if (s->def->keep)
        s->def->keep(s->def->user, false);
}

static void go_back(search *s)
{
    for (uint32_t i = 0; i < s->def->cols; i++)
        s->step[i] = -s->way[i];
    if (s->def->keep)
        s->def->keep(s->def->user, true);
    else
        s->def->move(s->def->user, s->step);
    keep(s);
}

/* Less by enough; or, where rounding hides it, with less to gain still. */
static bool is_better(const search *s, double sum, double slope, double promised)
{
    return s->sum <= sum - less * promised ||
           (s->sum <= (1 + rounding) * sum && s->slope < 0.9 * slope);
}

/* One step along the hard rows; false: none makes the soft rows less. */
static bool descend(search *s, double *step)
{
    double part = 1, sum = s->sum, slope = s->slope;
    double promised =
        ct_near_newton(s->ctx, s->def, &s->rows, &s->system, s->multiplier, &s->whole, step);
    keep(s);
    if (s->def->length(s->def->user, step) <= still)
        return false;
    for (int i = 0; i < SHORTENINGS; i++, part /= 4) {
        double size = move(s, step, part);
        s->whole = s->whole && i == 0 && size <= longest;
        if (isfinite(size) && close_rows(s) && is_better(s, sum, slope, part * promised))
            return true;
        go_back(s);
    }
    return false;
}

/* From where the search stands to the least soft rows; false: the hard rows are not met, and it
 * is there still. */
static bool go_down(search *s, double guess, double *step)
{
    s->guess = guess;
    keep(s);
    bool down = close_rows(s);
    if (!down) {
        go_back(s);
        return false;
    }
    s->whole = false;
    s->multiplier = CT_NEW_ARRAY(s->arena, double, s->rows.row.count + 1);
    for (int i = 0; down && i < ITERATIONS && s->slope > still * still; i++)
        down = descend(s, step);
    return true;
}

/* Is it the point already, to rounding? */
static bool is_nearest(ct_context *ctx, const ct_nearest_def *def)
{
    ct_nearest n = {.arena = ct_arena_new(ctx), .guess = 1};
    double most = 0;
    ct_near_rows(&n, def);
    for (uint32_t i = 0; i < n.row.count; i++)
        most = fmax(most, n.row.at[i].hard ? 0 : fabs(n.row.at[i].value));
    ct_arena_free(n.arena);
    return n.worst <= exact && most <= 0.1 * still;
}

static bool find(search *s, double *step)
{
    bool found = false;
    for (size_t i = 0; !found && i < sizeof first / sizeof *first; i++)
        found = go_down(s, first[i], step);
    while (found && s->rows.missed > 0 && s->guess < greatest)
        go_down(s, s->guess * greater, step);
    if (found && s->rows.missed > 0 && s->rows.missed < met)
        go_down(s, 0, step);
    return found;
}

bool ct_find_nearest(ct_context *ctx, const ct_nearest_def *def)
{
    if (is_nearest(ctx, def))
        return true;
    ct_arena *arena = ct_arena_new(ctx);
    search s = {.def = def, .ctx = ctx, .arena = arena};
    double *step, **room[] = {&s.step, &s.normal, &s.way, &step};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        *room[i] = CT_NEW_ARRAY(arena, double, def->cols + 1);
    bool found = find(&s, step);
    forget(&s);
    ct_arena_free(arena);
    return found;
}

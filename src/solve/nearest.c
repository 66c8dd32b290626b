/* nearest.c - Gauss-Newton steps of two kinds: the least change that meets the hard rows, and a
 * change along them towards the least soft rows, each followed by steps of the first kind.
 *
 * The second is a step down a curved valley; how far it goes at first follows from the two last
 * ones (Barzilai and Borwein), measured in soft rows, so that no choice of unknowns matters; it is
 * shortened until the soft rows are less.
 */
#include "solve/nearest.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 200, CLOSING = 120, SHORTENINGS = 12 };
/* Hard rows outweigh soft ones by so much. Unknowns that no row holds keep their values. */
static const double heavy = 1e9, damping = 1e-7, longest = 0.2, still = 1e-11;
static const double less = 1e-4; /* of the decrease that slopes promise, at least */

struct ct_nearest {
    ct_arena *arena;  /* of one iteration */
    triangle all, up; /* all rows; hard ones, with soft rows as the measure of change */
    double worst;     /* of hard rows */
    CT_VEC(thin) entry;
    CT_VEC(uint32_t) end; /* of soft rows in entry */
    CT_VEC(double) value; /* of soft rows, with their weights */
};

typedef struct search {
    const ct_nearest_def *def;
    ct_context *ctx;
    ct_arena *arena;
    double *step, *normal, *along; /* of unknowns: whole, and its parts */
    double *way;                   /* since the last point that was kept */
    double worst, sum;             /* of hard rows; squares of soft ones */
    double slope;                  /* the decrease of sum / 2 that `along` promises */
    CT_VEC(double) value, change;  /* of soft rows: values, and what `along` does */
    double *old_value, *old_change;
} search;

static void add(ct_nearest *n, const thin *entry, uint32_t count, double factor, double all,
                double up)
{
    thin_row row = {0};
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(n->arena, row, (thin){entry[i].col, factor * entry[i].value});
    ct_triangle_add(&n->all, row.at, count, all);
    ct_triangle_add(&n->up, row.at, count, up);
}

void ct_nearest_hard(ct_nearest *n, const thin *entry, uint32_t count, double value)
{
    double norm = 0;
    for (uint32_t i = 0; i < count; i++)
        norm = hypot(norm, entry[i].value);
    value /= norm > 0 ? norm : 1;
    n->worst = isfinite(value) ? fmax(n->worst, fabs(value)) : INFINITY;
    if (norm > 0 && isfinite(norm + value))
        add(n, entry, count, heavy / norm, -heavy * value, -heavy * value);
}

void ct_nearest_soft(ct_nearest *n, const thin *entry, uint32_t count, double value, double weight)
{
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(n->arena, n->entry, ((thin){entry[i].col, weight * entry[i].value}));
    CT_PUSH(n->arena, n->end, n->entry.count);
    CT_PUSH(n->arena, n->value, weight * value);
    add(n, entry, count, weight, -weight * value, 0);
}

static double soft_change(const ct_nearest *n, uint32_t row, const double *step)
{
    double sum = 0;
    for (uint32_t k = row ? n->end.at[row - 1] : 0; k < n->end.at[row]; k++)
        sum += n->entry.at[k].value * step[n->entry.at[k].col];
    return sum;
}

/* Rows at the present point, and both parts of the step from there. */
static void look(search *s)
{
    const ct_nearest_def *d = s->def;
    ct_nearest n = {.arena = ct_arena_new(s->ctx)};
    ct_triangle_init(&n.all, n.arena, d->cols, damping);
    ct_triangle_init(&n.up, n.arena, d->cols, damping);
    n.all.noise = n.up.noise = 1e-11;
    d->rows(d->user, &n);
    ct_triangle_solve(&n.all, s->step);
    ct_triangle_solve(&n.up, s->normal);
    for (uint32_t i = 0; i < d->cols; i++)
        s->along[i] = s->step[i] - s->normal[i];
    s->worst = n.worst;
    s->sum = s->slope = 0;
    s->value.count = s->change.count = 0;
    for (uint32_t i = 0; i < n.value.count; i++) {
        double change = soft_change(&n, i, s->along);
        CT_PUSH(s->arena, s->value, n.value.at[i]);
        CT_PUSH(s->arena, s->change, change);
        s->sum += n.value.at[i] * n.value.at[i];
        s->slope += change * change;
    }
    ct_arena_free(n.arena);
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

/* How much of the change along the hard rows is tried first. */
static double reach(const search *s, bool first)
{
    double square = 0, bend = 0;
    for (uint32_t i = 0; !first && i < s->value.count; i++) {
        double moved = s->value.at[i] - s->old_value[i];
        square += moved * moved;
        bend -= moved * (s->change.at[i] - s->old_change[i]);
    }
    return bend > 0 ? fmin(fmax(square / bend, 0.05), 5) : 1;
}

static void keep(search *s, double *along)
{
    memset(s->way, 0, s->def->cols * sizeof *s->way);
    memcpy(along, s->along, s->def->cols * sizeof *along);
    for (uint32_t i = 0; i < s->value.count; i++) {
        s->old_value[i] = s->value.at[i];
        s->old_change[i] = s->change.at[i];
    }
}

static void go_back(search *s)
{
    for (uint32_t i = 0; i < s->def->cols; i++)
        s->step[i] = -s->way[i];
    s->def->move(s->def->user, s->step);
    memset(s->way, 0, s->def->cols * sizeof *s->way);
}

/* One step along the hard rows; false: none makes the soft rows less. */
static bool descend(search *s, double *along, bool first)
{
    double part = reach(s, first), sum = s->sum, slope = s->slope;
    keep(s, along);
    for (int i = 0; i < SHORTENINGS; i++, part /= 4) {
        if (isfinite(move(s, along, part)) && close_rows(s) && s->sum <= sum - less * part * slope)
            return true;
        go_back(s);
    }
    return false;
}

bool ct_find_nearest(ct_context *ctx, const ct_nearest_def *def)
{
    ct_arena *arena = ct_arena_new(ctx);
    search s = {.def = def, .ctx = ctx, .arena = arena};
    double **room[] = {&s.step, &s.normal, &s.along, &s.way};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        *room[i] = CT_NEW_ARRAY(arena, double, def->cols + 1);
    double *along = CT_NEW_ARRAY(arena, double, def->cols + 1);
    bool found = close_rows(&s), down = found;
    s.old_value = CT_NEW_ARRAY(arena, double, s.value.count + 1);
    s.old_change = CT_NEW_ARRAY(arena, double, s.value.count + 1);
    for (int i = 0; down && i < ITERATIONS && s.slope > still * still; i++)
        down = descend(&s, along, i == 0);
    ct_arena_free(arena);
    return found;
}

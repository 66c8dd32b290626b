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

#include "solve/linear.h"

enum { ITERATIONS = 200, CLOSING = 120, SHORTENINGS = 12 };
static const double longest = 0.2, still = 1e-11;
static const double less = 1e-4; /* of the decrease that slopes promise, at least */
static const double rounding = 1e-12;
/* Unknowns that no row holds keep their values; rows that say the same share their multipliers. */
static const double damping = 1e-14, sharing = 1e-13;

typedef struct near_row {
    uint32_t end; /* in ct_nearest.entry */
    bool hard;
    double value;
} near_row;

struct ct_nearest {
    ct_arena *arena; /* of one iteration */
    double worst;    /* of hard rows */
    CT_VEC(thin) entry;
    CT_VEC(near_row) row; /* soft ones with their weights, hard ones of length one */
};

typedef struct search {
    const ct_nearest_def *def;
    ct_context *ctx;
    ct_arena *arena;
    double *step, *normal, *along; /* of unknowns: as taken, and its parts */
    double *way;                   /* since the last point that was kept */
    double worst, sum;             /* of hard rows; squares of soft ones */
    double slope;                  /* the decrease of sum / 2 that `along` promises */
    CT_VEC(double) value, change;  /* of soft rows: values, and what `along` does */
    double *old_value, *old_change;
} search;

static void add(ct_nearest *n, const thin *entry, uint32_t count, double factor, double value,
                bool hard)
{
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(n->arena, n->entry, ((thin){entry[i].col, factor * entry[i].value}));
    CT_PUSH(n->arena, n->row, ((near_row){n->entry.count, hard, factor * value}));
}

void ct_nearest_hard(ct_nearest *n, const thin *entry, uint32_t count, double value)
{
    double norm = 0;
    for (uint32_t i = 0; i < count; i++)
        norm = hypot(norm, entry[i].value);
    double miss = norm > 0 ? value / norm : value;
    n->worst = isfinite(miss) ? fmax(n->worst, fabs(miss)) : INFINITY;
    if (norm > 0 && isfinite(norm + miss))
        add(n, entry, count, 1 / norm, value, true);
}

void ct_nearest_soft(ct_nearest *n, const thin *entry, uint32_t count, double value, double weight)
{
    add(n, entry, count, weight, value, false);
}

static uint32_t first_of(const ct_nearest *n, uint32_t row)
{
    return row ? n->row.at[row - 1].end : 0;
}

static double soft_change(const ct_nearest *n, uint32_t row, const double *step)
{
    double sum = 0;
    for (uint32_t k = first_of(n, row); k < n->row.at[row].end; k++)
        sum += n->entry.at[k].value * step[n->entry.at[k].col];
    return sum;
}

/* ---- the linear system: soft rows R p + r = s, hard rows C p + c = 0 with multipliers l,
 *
 *     s - R p = r,   C p - sharing l = -c,   R^T s + C^T l + damping p = 0 */

typedef struct augmented {
    uint32_t rows, size, *start, *row;
    double *value;
    ct_pattern pattern;
    ct_linear *linear;
} augmented;

/* Columns of s and l in the order of rows, then those of p. */
static void fill(const ct_nearest *n, uint32_t cols, augmented *a)
{
    uint32_t rows = a->rows = n->row.count, count = n->entry.count, *next;
    a->size = rows + cols;
    a->start = CT_NEW_ARRAY(n->arena, uint32_t, a->size + 2);
    a->row = CT_NEW_ARRAY(n->arena, uint32_t, 2 * (size_t)count + 1);
    a->value = CT_NEW_ARRAY(n->arena, double, 2 * (size_t)count + 1);
    for (uint32_t i = 0; i < rows; i++)
        a->start[i + 1] = n->row.at[i].end;
    next = a->start + rows + 1;
    for (uint32_t k = 0; k < count; k++)
        next[n->entry.at[k].col + 1]++;
    *next = count;
    for (uint32_t c = 0; c < cols; c++)
        next[c + 1] += next[c];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = first_of(n, i); k < n->row.at[i].end; k++) {
            const thin *e = &n->entry.at[k];
            uint32_t at = next[e->col]++;
            a->row[k] = rows + e->col;
            a->value[k] = e->value;
            a->row[at] = i;
            a->value[at] = n->row.at[i].hard ? e->value : -e->value;
        }
    a->start[rows] = count;
}

static void open_system(const ct_nearest *n, uint32_t cols, augmented *a)
{
    fill(n, cols, a);
    a->pattern = ct_pattern_part(n->arena, a->size, a->start, a->row, 0, a->size, a->size);
    a->linear = ct_linear_new(n->arena, &a->pattern);
    a->linear->recipe = NULL;       /* its pivots are not on the diagonal, */
    a->linear->common.ordering = 1; /* so that columns are ordered alone */
    ct_pattern_gather(&a->pattern, a->size, a->start, a->value, a->linear->value);
    for (uint32_t i = 0; i < a->size; i++)
        a->linear->value[a->pattern.diagonal[i]] += i >= a->rows        ? damping
                                                    : n->row.at[i].hard ? -sharing
                                                                        : 1;
}

/* The step with or without the values of soft rows. */
static void solve(const ct_nearest *n, const augmented *a, bool soft, double *b, double *step)
{
    memset(b, 0, a->size * sizeof *b);
    for (uint32_t i = 0; i < a->rows; i++)
        b[i] = n->row.at[i].hard ? -n->row.at[i].value : soft ? n->row.at[i].value : 0;
    ct_linear_solve(a->linear, b);
    memcpy(step, b + a->rows, (a->size - a->rows) * sizeof *step);
}

/* Nothing may throw while the linear system holds memory of its own. */
static bool find_steps(search *s, const ct_nearest *n)
{
    augmented a = {0};
    open_system(n, s->def->cols, &a);
    double *b = CT_NEW_ARRAY(n->arena, double, a.size + 1);
    bool good = ct_linear_factor(a.linear) == CT_SOLVED;
    if (good) {
        solve(n, &a, true, b, s->along);
        solve(n, &a, false, b, s->normal);
    }
    ct_linear_free(a.linear);
    for (uint32_t i = 0; good && i < s->def->cols; i++)
        s->along[i] -= s->normal[i];
    return good;
}

/* Rows at the present point, and both parts of the step from there. */
static void look(search *s)
{
    const ct_nearest_def *d = s->def;
    ct_nearest n = {.arena = ct_arena_new(s->ctx)};
    d->rows(d->user, &n);
    s->worst = isfinite(n.worst) && find_steps(s, &n) ? n.worst : INFINITY;
    s->sum = s->slope = 0;
    s->value.count = s->change.count = 0;
    for (uint32_t i = 0; i < n.row.count; i++) {
        if (n.row.at[i].hard)
            continue;
        double change = soft_change(&n, i, s->along), value = n.row.at[i].value;
        CT_PUSH(s->arena, s->value, value);
        CT_PUSH(s->arena, s->change, change);
        s->sum += value * value;
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

/* Less by enough; or, where rounding hides it, with less to gain still. */
static bool is_better(const search *s, double sum, double slope, double part)
{
    return s->sum <= sum - less * part * slope ||
           (s->sum <= (1 + rounding) * sum && s->slope < 0.9 * slope);
}

/* One step along the hard rows; false: none makes the soft rows less. */
static bool descend(search *s, double *along, bool first)
{
    double part = reach(s, first), sum = s->sum, slope = s->slope;
    keep(s, along);
    for (int i = 0; i < SHORTENINGS; i++, part /= 4) {
        if (isfinite(move(s, along, part)) && close_rows(s) && is_better(s, sum, slope, part))
            return true;
        go_back(s);
    }
    return false;
}

/* Is it the point already, to rounding? */
static bool is_nearest(ct_context *ctx, const ct_nearest_def *def)
{
    ct_nearest n = {.arena = ct_arena_new(ctx)};
    double most = 0;
    def->rows(def->user, &n);
    for (uint32_t i = 0; i < n.row.count; i++)
        most = fmax(most, n.row.at[i].hard ? 0 : fabs(n.row.at[i].value));
    ct_arena_free(n.arena);
    return n.worst <= 1e-14 && most <= 1e-14;
}

bool ct_find_nearest(ct_context *ctx, const ct_nearest_def *def)
{
    if (is_nearest(ctx, def))
        return true;
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

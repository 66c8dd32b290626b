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

enum { ITERATIONS = 200, CLOSING = 120, SHORTENINGS = 12, SMOOTH = 10 };
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
    double *kept;          /* the point to go back to */
    ct_nudge nudge;        /* of soft rows */
    double travelled;      /* so far */
    bool rough;            /* hard rows were met slowly: they are singular near by */
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
    s->rows = (ct_nearest){.arena = ct_arena_new(s->ctx), .guess = s->guess, .nudge = s->nudge};
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
    s->travelled += fmin(size, longest);
    for (uint32_t i = 0; i < d->cols; i++)
        s->step[i] = part * step[i];
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
        s->rough |= i > SMOOTH;
        double size = move(s, s->normal, 1);
        if (!isfinite(size) || (!closed && size <= still * s->def->closed))
            return false;
    }
    return false;
}

static uint32_t size_of_point(const ct_nearest_def *d)
{
    return d->point_count[0] + d->point_count[1];
}

static void save(const search *s, double *to)
{
    const ct_nearest_def *d = s->def;
    for (int i = 0; i < 2; to += d->point_count[i++])
        if (d->point_count[i])
            memcpy(to, d->point[i], d->point_count[i] * sizeof *to);
}

static void put_back(search *s, const double *from)
{
    const ct_nearest_def *d = s->def;
    for (int i = 0; i < 2; from += d->point_count[i++])
        if (d->point_count[i])
            memcpy(d->point[i], from, d->point_count[i] * sizeof *from);
    memset(s->step, 0, d->cols * sizeof *s->step);
    d->move(d->user, s->step);
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
    save(s, s->kept);
    if (s->def->length(s->def->user, step) <= still)
        return false;
    for (int i = 0; i < SHORTENINGS; i++, part /= 4) {
        double size = move(s, step, part);
        s->whole = s->whole && i == 0 && size <= longest;
        if (isfinite(size) && close_rows(s) && is_better(s, sum, slope, part * promised))
            return true;
        put_back(s, s->kept);
    }
    return false;
}

/* From where the search stands to the least soft rows; false: the hard rows are not met, and it
 * is there still. */
static bool go_down(search *s, double guess, double *step)
{
    s->guess = guess;
    save(s, s->kept);
    bool down = close_rows(s);
    if (!down) {
        put_back(s, s->kept);
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

/* ---- several points: from sides that rows alone choose, not rounding */

typedef struct candidate {
    bool is;
    double guesses, way; /* sums of squares */
    double *point;
    double *row; /* those that decide */
    uint32_t rows;
} candidate;

static candidate note(search *s, bool is)
{
    ct_nearest n = {.arena = ct_arena_new(s->ctx), .guess = 1};
    candidate c = {.is = is, .point = CT_NEW_ARRAY(s->arena, double, size_of_point(s->def) + 1)};
    ct_near_rows(&n, s->def);
    c.row = CT_NEW_ARRAY(s->arena, double, n.row.count + 1);
    for (uint32_t i = 0; i < n.row.count; i++) {
        const near_row *r = &n.row.at[i];
        if (r->decides)
            c.row[c.rows++] = r->value;
        if (!r->hard)
            *(r->guess ? &c.guesses : &c.way) += r->value * r->value;
    }
    save(s, c.point);
    ct_arena_free(n.arena);
    return c;
}

/* The first row that differs much, plus 1; 0: they are one point. Bodies without mass differ
 * little. */
static uint32_t first_apart(const candidate *a, const candidate *b)
{
    static const double much = 0.01, same = 1e-6;
    double most = 0;
    for (uint32_t i = 0; i < a->rows; i++)
        most = fmax(most, fabs(a->row[i] - b->row[i]));
    for (uint32_t i = 0; i < a->rows && most > same; i++)
        if (fabs(a->row[i] - b->row[i]) > much * most)
            return i + 1;
    return 0;
}

static bool is_less(double a, double b)
{
    static const double equal = 1e-7;
    return a < b - equal * (a + b) - equal * equal;
}

static bool is_nearer(const candidate *a, const candidate *b)
{
    if (!a->is || !b->is)
        return a->is && !b->is;
    if (is_less(a->guesses, b->guesses) || is_less(b->guesses, a->guesses))
        return a->guesses < b->guesses;
    return is_less(a->way, b->way);
}

static bool is_before(const candidate *a, const candidate *b, bool backward)
{
    bool equal = a->is && b->is && !is_nearer(a, b) && !is_nearer(b, a);
    uint32_t apart = equal ? first_apart(a, b) : 0;
    return apart ? (a->row[apart - 1] > b->row[apart - 1]) != backward : is_nearer(a, b);
}

/* Where hard rows are symmetric they have no way aside. */
static void step_aside(search *s, ct_nudge side, double *step)
{
    ct_nearest n = {.arena = ct_arena_new(s->ctx), .nudge = {side.by, side.pattern, true}};
    near_system system;
    ct_near_rows(&n, s->def);
    if (ct_near_open(&n, s->def->cols, &system)) {
        ct_near_aside(&n, &system, step);
        move(s, step, 1);
    }
    ct_arena_free(n.arena);
}

/* From a side, then to the point that is nearest to what is wanted. */
static candidate find_from(search *s, const double *origin, ct_nudge side, double *step)
{
    put_back(s, origin);
    step_aside(s, side, step);
    s->nudge = side;
    bool found = find(s, step);
    s->nudge = (ct_nudge){0};
    return note(s, found && find(s, step));
}

enum { SIDES = 6 };

/* The best of what is found from both sides, and, where these are not one, from further ones. */
static bool choose(search *s, bool found, const double *origin, double *step)
{
    static const double far[SIDES] = {0.01, -0.01, 0.1, -0.1, 0.3, -0.3};
    candidate plain = note(s, found), best = {0}, own[SIDES];
    int count = 0;
    for (bool more = false; count < (more ? SIDES : 2); count++) {
        ct_nudge side = {far[count], (uint32_t)count / 2, false};
        own[count] = find_from(s, origin, side, step);
        more |= plain.is != own[count].is || (plain.is && first_apart(&plain, &own[count]));
        if (is_before(&own[count], &best, s->def->backward))
            best = own[count];
    }
    if (count < SIDES || !best.is || is_nearer(&plain, &best))
        best = plain;
    for (int i = 0; i < count && s->def->tied && !*s->def->tied; i++)
        if (own[i].is && !is_nearer(&best, &own[i]))
            *s->def->tied = first_apart(&best, &own[i]);
    put_back(s, best.point);
    return best.is;
}

bool ct_find_nearest(ct_context *ctx, const ct_nearest_def *def)
{
    static const double near = 0.1;
    if (is_nearest(ctx, def))
        return true;
    ct_arena *arena = ct_arena_new(ctx);
    search s = {.def = def, .ctx = ctx, .arena = arena};
    double *step, *origin, **room[] = {&s.step, &s.normal, &step};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        *room[i] = CT_NEW_ARRAY(arena, double, def->cols + 1);
    s.kept = CT_NEW_ARRAY(arena, double, size_of_point(def) + 1);
    origin = CT_NEW_ARRAY(arena, double, size_of_point(def) + 1);
    save(&s, origin);
    bool found = find(&s, step);
    if (def->ties && (!found || s.rough || s.travelled > near))
        found = choose(&s, found, origin, step);
    forget(&s);
    ct_arena_free(arena);
    return found;
}

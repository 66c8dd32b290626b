/* nearest.c - steps of two kinds: the least change that meets the hard rows, and Newton's step
 * along them towards the least soft rows, each followed by steps of the first kind.
 *
 * Guesses come before other soft rows: with a growing weight, and where all can be met as hard rows
 * in the end.
 */
#include "solve/nearest.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "solve/nearest_step.h"

enum { ITERATIONS = 200, CLOSING = 120, SHORTENINGS = 12, SMOOTH = 10 };
static const double longest = 0.2, still = 1e-11;
static const double less = 1e-4; /* of the decrease that slopes promise, at least */
static const double rounding = 1e-12, exact = 1e-13;
/* Heavy guesses may keep the hard rows open. A guess that can be met is so within about the square
 * of the greatest weight. */
static const double weights[] = {100, 10, 1}, greatest = 1e4, greater = 10;
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
    for (size_t i = 0; !found && i < sizeof weights / sizeof *weights; i++)
        found = go_down(s, weights[i], step);
    while (found && s->rows.missed > 0 && s->guess < greatest)
        go_down(s, s->guess * greater, step);
    if (found && s->rows.missed > 0 && s->rows.missed < met)
        go_down(s, 0, step);
    return found;
}

/* ---- several points: from sides that rows alone choose, not rounding
 *
 * What no row joins is chosen by itself: of two parts, each with a mirror image, four points are
 * equally near. */

enum { SIDES = 6 };
static const double far[SIDES] = {0.01, -0.01, 0.1, -0.1, 0.3, -0.3};

typedef struct soft {
    bool guess, decides;
    uint32_t col; /* one of its columns; the number of columns: none */
} soft;

typedef struct candidate {
    bool is;
    double *point, *row; /* its numbers; soft rows */
} candidate;

/* Of two candidates, in one part. */
typedef struct verdict {
    double guesses[2], way[2]; /* sums of squares */
    double most;               /* by which rows differ */
    int sense;                 /* of the first row that does so much: 1 larger, -1 less, 0 none */
    uint32_t apart;            /* that row among those that decide, plus 1 */
} verdict;

typedef struct sides {
    search *s;
    const double *origin;
    double *step;
    uint32_t *set; /* of columns that rows join */
    CT_VEC(soft) soft;
    verdict *verdict; /* by part, known by a column; then of the whole */
} sides;

static candidate note(sides *o, bool is)
{
    search *s = o->s;
    ct_nearest n = {.arena = ct_arena_new(s->ctx), .guess = 1};
    candidate c = {.is = is, .point = CT_NEW_ARRAY(s->arena, double, size_of_point(s->def) + 1)};
    uint32_t count = 0, k = 0;
    ct_near_rows(&n, s->def);
    c.row = CT_NEW_ARRAY(s->arena, double, n.row.count + 1);
    for (uint32_t i = 0; i < n.row.count; i++) {
        const near_row *r = &n.row.at[i];
        uint32_t first = k < r->end ? n.entry.at[k].col : s->def->cols;
        for (; k < r->end; k++)
            ct_sets_join(o->set, first, n.entry.at[k].col);
        if (r->hard)
            continue;
        if (count == o->soft.count)
            CT_PUSH(s->arena, o->soft, ((soft){r->guess, r->decides, first}));
        c.row[count++] = r->value;
    }
    save(s, c.point);
    ct_arena_free(n.arena);
    return c;
}

static uint32_t part_of(const sides *o, uint32_t row)
{
    return ct_sets_find(o->set, o->soft.at[row].col);
}

/* Bodies without mass differ little. */
static void find_apart(verdict *v, double more, uint32_t row)
{
    static const double much = 0.01, same = 1e-6;
    if (v->sense || !(v->most > same) || fabs(more) <= much * v->most)
        return;
    v->sense = more > 0 ? 1 : -1;
    v->apart = row;
}

/* Of all parts; returns that of the whole. */
static const verdict *compare(const sides *o, const double *a, const double *b)
{
    const double *value[] = {a, b};
    verdict *whole = &o->verdict[o->s->def->cols + 1];
    memset(o->verdict, 0, (o->s->def->cols + 2) * sizeof *o->verdict);
    for (uint32_t i = 0; i < o->soft.count; i++) {
        verdict *v[] = {&o->verdict[part_of(o, i)], whole};
        for (int k = 0; k < 4; k++) {
            double own = value[k % 2][i];
            (o->soft.at[i].guess ? v[k / 2]->guesses : v[k / 2]->way)[k % 2] += own * own;
        }
        for (int k = 0; k < 2 && o->soft.at[i].decides; k++)
            v[k]->most = fmax(v[k]->most, fabs(a[i] - b[i]));
    }
    for (uint32_t i = 0, row = 1; i < o->soft.count; i++) {
        if (!o->soft.at[i].decides)
            continue;
        find_apart(&o->verdict[part_of(o, i)], a[i] - b[i], row);
        find_apart(whole, a[i] - b[i], row++);
    }
    return whole;
}

static int less_of(const double x[2])
{
    static const double equal = 1e-7;
    double slight = equal * (x[0] + x[1]) + equal * equal;
    return (x[0] < x[1] - slight) - (x[1] < x[0] - slight);
}

/* 1: the first is nearer, -1: the second; 0: they are equally near. */
static int nearer(const verdict *v)
{
    int guesses = less_of(v->guesses);
    return guesses ? guesses : less_of(v->way);
}

/* The same, and of equals the one that comes first. */
static int comes_first(const sides *o, const verdict *v)
{
    int order = nearer(v);
    return order ? order : o->s->def->backward ? -v->sense : v->sense;
}

/* Where hard rows are symmetric they have no way aside. */
static void step_aside(search *s, ct_nudge side, double *step)
{
    ct_nearest n = {.arena = ct_arena_new(s->ctx), .nudge = side};
    near_system system;
    n.nudge.loose = true;
    ct_near_rows(&n, s->def);
    if (ct_near_open(&n, s->def->cols, &system)) {
        ct_near_aside(&n, &system, step);
        move(s, step, 1);
    }
    ct_arena_free(n.arena);
}

/* From a side, then to the point that is nearest to what is wanted. */
static candidate find_from(sides *o, ct_nudge side)
{
    search *s = o->s;
    put_back(s, o->origin);
    step_aside(s, side, o->step);
    s->nudge = side;
    bool found = find(s, o->step);
    s->nudge = (ct_nudge){0};
    return note(o, found && find(s, o->step));
}

static ct_nudge side_of(int i)
{
    return (ct_nudge){.by = far[i], .pattern = (uint32_t)i / 2};
}

/* Each part from the side that is the best of it. */
static candidate mix(sides *o, const candidate *own)
{
    uint32_t cols = o->s->def->cols, row = 0;
    uint8_t *best = CT_NEW_ARRAY(o->s->arena, uint8_t, cols + 1);
    double *rows = CT_NEW_ARRAY(o->s->arena, double, o->soft.count + 1);
    double *nudge = CT_NEW_ARRAY(o->s->arena, double, o->soft.count + 1);
    int first = 0;
    bool mixed = false;
    while (first < SIDES && !own[first].is)
        first++;
    if (first == SIDES)
        return own[0];
    memcpy(rows, own[first].row, o->soft.count * sizeof *rows);
    memset(best, first, cols + 1);
    for (int i = first + 1; i < SIDES; i++) {
        if (!own[i].is)
            continue;
        compare(o, own[i].row, rows);
        for (uint32_t p = 0; p <= cols; p++)
            best[p] = comes_first(o, &o->verdict[p]) > 0 ? (uint8_t)i : best[p];
        for (uint32_t k = 0; k < o->soft.count; k++)
            rows[k] = best[part_of(o, k)] == i ? own[i].row[k] : rows[k];
    }
    for (uint32_t k = 0; k < o->soft.count; k++) {
        int at = best[part_of(o, k)];
        first = k ? first : at;
        mixed |= at != first;
        if (o->soft.at[k].decides) {
            nudge[row] = ct_near_nudge(side_of(at), row);
            row++;
        }
    }
    return mixed ? find_from(o, (ct_nudge){.by = 1, .row = nudge}) : own[first];
}

/* A row in which one as near differs from the best. */
static uint32_t tied(const sides *o, const candidate *best, const candidate *other)
{
    uint32_t first = UINT32_MAX;
    compare(o, best->row, other->row);
    for (uint32_t p = 0; other->is && p <= o->s->def->cols; p++)
        if (o->verdict[p].sense && nearer(&o->verdict[p]) <= 0 && o->verdict[p].apart < first)
            first = o->verdict[p].apart;
    return first == UINT32_MAX ? 0 : first;
}

/* The best of what is found from both sides, near and farther away (parts that are no mirror images
 * to a hair lean to one), and, where these are not one, from further ones. */
static bool choose(search *s, bool found, const double *origin, double *step)
{
    sides o = {.s = s, .origin = origin, .step = step};
    uint32_t cols = s->def->cols;
    o.set = ct_sets_new(s->arena, cols + 1);
    o.verdict = CT_NEW_ARRAY(s->arena, verdict, cols + 2);
    candidate plain = note(&o, found), best = plain, own[SIDES];
    int count = 0;
    for (bool more = false; count < (more ? SIDES : 4); count++) {
        own[count] = find_from(&o, side_of(count));
        more |= plain.is != own[count].is ||
                (plain.is && compare(&o, plain.row, own[count].row)->sense);
    }
    if (count == SIDES) {
        best = mix(&o, own);
        for (int i = -1; i < SIDES; i++) { /* parts may hinder each other */
            const candidate *c = i < 0 ? &plain : &own[i];
            if (c->is && (!best.is || comes_first(&o, compare(&o, c->row, best.row)) > 0))
                best = *c;
        }
    }
    for (int i = 0; i < count && s->def->tied && !*s->def->tied; i++)
        *s->def->tied = tied(&o, &best, &own[i]);
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

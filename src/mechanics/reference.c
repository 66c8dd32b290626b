/* reference.c - where bodies would begin were no loop closed: each hangs on its joint of one tree,
 * whatever the user's, with joint variables as given, driven or guessed, else as values given of
 * its own frames ask for, else zero.
 *
 * The tree takes joints with given values first, then guessed ones, then in order of statement.
 * What no joint ties to the ground hangs on its body with most given values, which begins at the
 * origin. */
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "base/hash.h"
#include "mechanics/start.h"

static const double width_of_slope = 1e-5;   /* of differences of places, which are not linear */
static const double met = 1e-12;             /* of the size of the mechanism */
static const double nearly_met = 1e-10;      /* the same, where rounds are over */
static const double decides_nothing = 1e-12; /* square of a slope */

enum { MOST_ROWS = 16, ROUNDS = 40 };

/* ---- the tree */

typedef struct growing {
    beginning *b;
    uint32_t *set;         /* union-find over groups */
    uint32_t *start, *end; /* ties of the tree at group i: end[start[i]] .. end[start[i+1]-1] */
    bool *taken, *seen;    /* by tie; by group */
} growing;

static void take_ties(growing *g, int bound, bool tied)
{
    mechanics *m = g->b->p.m;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint32_t tail = ct_sets_find(g->set, t->tail), head = ct_sets_find(g->set, t->head);
        if (t->is_body || m->mech->joint[t->object].inside || t->free.rod ||
            g->b->bound[i] != bound || (t->free.slides < 2) != tied || tail == head)
            continue;
        g->set[tail] = head;
        g->taken[i] = true;
        g->start[t->tail + 2]++;
        g->start[t->head + 2]++;
    }
}

static void link_ties(growing *g)
{
    mechanics *m = g->b->p.m;
    for (uint32_t i = 0; i < m->group_count; i++)
        g->start[i + 2] += g->start[i + 1];
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (g->taken[i]) {
            g->end[g->start[m->tie.at[i].tail + 1]++] = i;
            g->end[g->start[m->tie.at[i].head + 1]++] = i;
        }
}

static void walk(growing *g, uint32_t root)
{
    mechanics *m = g->b->p.m;
    steps *s = &g->b->tree;
    uint32_t next = s->count;
    s->at[s->count++] = (step){CT_NOTHING, 0, root, true};
    g->seen[root] = true;
    for (; next < s->count; next++) {
        uint32_t from = s->at[next].child;
        for (uint32_t k = g->start[from]; k < g->start[from + 1]; k++) {
            const tie *t = &m->tie.at[g->end[k]];
            uint32_t to = t->tail == from ? t->head : t->tail;
            if (g->seen[to])
                continue;
            g->seen[to] = true;
            s->at[s->count++] = (step){g->end[k], from, to, t->head == to};
        }
    }
}

static uint32_t count_given(const beginning *b, uint32_t group)
{
    uint32_t count = 0;
    for (uint32_t i = b->first[group]; i; i = b->wanted.at[i - 1].next)
        count += b->wanted.at[i - 1].guess ? 1 : 100;
    return count;
}

/* Roots: the ground; then, of what hangs on nothing, the group of which most is given. */
static void walk_all(growing *g)
{
    beginning *b = g->b;
    uint32_t n = b->p.m->group_count, *best = CT_NEW_ARRAY(b->p.arena, uint32_t, n);
    uint32_t *most = CT_NEW_ARRAY(b->p.arena, uint32_t, n);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t part = ct_sets_find(g->set, i), own = count_given(b, i) + 1;
        if (own > most[part]) {
            most[part] = own;
            best[part] = i;
        }
    }
    walk(g, 0);
    for (uint32_t i = 1; i < n; i++)
        if (!g->seen[i])
            walk(g, best[ct_sets_find(g->set, i)]);
}

void ct_start_plan(beginning *b)
{
    mechanics *m = b->p.m;
    ct_arena *arena = b->p.arena;
    growing g = {.b = b,
                 .set = CT_NEW_ARRAY(arena, uint32_t, m->group_count),
                 .start = CT_NEW_ARRAY(arena, uint32_t, m->group_count + 2),
                 .end = CT_NEW_ARRAY(arena, uint32_t, 2 * (size_t)m->tie.count + 1),
                 .taken = CT_NEW_ARRAY(arena, bool, m->tie.count + 1),
                 .seen = CT_NEW_ARRAY(arena, bool, m->group_count)};
    b->tree.at = CT_NEW_ARRAY(arena, step, m->group_count);
    for (uint32_t i = 0; i < m->group_count; i++)
        g.set[i] = i;
    for (int bound = 2; bound >= 0; bound--)
        take_ties(&g, bound, true);
    for (int bound = 2; bound >= 0; bound--)
        take_ties(&g, bound, false);
    link_ties(&g);
    walk_all(&g);
}

/* ---- one group on its joint, or a root */

typedef struct hanging {
    beginning *b;
    const step *s;
    double at[3]; /* freedoms of the tie; of a root x, y and angle of its frame */
    bool open[3];
    uint32_t row[MOST_ROWS], rows; /* wanted of its frames */
} hanging;

/* A root is placed by the origin of its leading body, which is that of the group. */
static void hang(const hanging *h)
{
    const posing *p = &h->b->p;
    double *to = h->b->order ? h->b->speed : p->pose;
    if (h->s->tie == CT_NOTHING)
        memcpy(to + 3 * h->s->child, h->at, sizeof h->at);
    else if (h->b->order)
        ct_pose_hang_speed(p, h->s, h->at, h->b->speed);
    else
        ct_pose_hang(p, h->s, h->at);
}

static double misses(const hanging *h, double *miss)
{
    double most = 0;
    hang(h);
    for (uint32_t i = 0; i < h->rows; i++) {
        miss[i] = ct_start_line(h->b, &h->b->wanted.at[h->row[i]]).value;
        most = fmax(most, fabs(miss[i]));
    }
    return most;
}

/* slope[k]: how the rows change with freedom k. */
static void slopes(hanging *h, double slope[3][MOST_ROWS])
{
    double width = h->b->order ? 1 : width_of_slope, low[MOST_ROWS];
    for (int k = 0; k < 3; k++) {
        double kept = h->at[k];
        h->at[k] = kept - width;
        misses(h, low);
        h->at[k] = kept + width;
        misses(h, slope[k]);
        h->at[k] = kept;
        for (uint32_t i = 0; i < h->rows; i++)
            slope[k][i] = h->open[k] ? (slope[k][i] - low[i]) / (2 * width) : 0;
    }
}

/* Least squares by Gauss-Seidel on the normal equations: three unknowns. */
static void improve(hanging *h, const double *miss, double slope[3][MOST_ROWS])
{
    double a[3][3] = {{0}}, b[3] = {0}, x[3] = {0};
    for (uint32_t i = 0; i < h->rows; i++)
        for (int j = 0; j < 3; j++) {
            b[j] -= slope[j][i] * miss[i];
            for (int k = 0; k < 3; k++)
                a[j][k] += slope[j][i] * slope[k][i];
        }
    for (int round = 0; round < 200; round++)
        for (int j = 0; j < 3; j++)
            if (a[j][j] > decides_nothing) {
                double rest = b[j];
                for (int k = 0; k < 3; k++)
                    rest -= k == j ? 0 : a[j][k] * x[k];
                x[j] = rest / a[j][j];
            }
    for (int k = 0; k < 3; k++)
        h->at[k] += fmin(fmax(x[k], -1), 1);
}

/* Moves what is open until the rows are met; false: they cannot be, and nothing is changed. */
static bool fit(hanging *h)
{
    static const double around[] = {0, 0.5, -0.5, 2, -2};
    double miss[MOST_ROWS], slope[3][MOST_ROWS], kept[3];
    memcpy(kept, h->at, sizeof kept);
    for (size_t try = 0; h->rows && try < sizeof around / sizeof *around; try++) {
        for (int k = 0; k < 3; k++)
            h->at[k] = kept[k] + (h->open[k] ? around[try] : 0);
        for (int round = 0; round < ROUNDS; round++) {
            if (misses(h, miss) <= met * h->b->p.size)
                return true;
            slopes(h, slope);
            improve(h, miss, slope);
        }
        if (misses(h, miss) <= nearly_met * h->b->p.size)
            return true;
    }
    memcpy(h->at, kept, sizeof kept);
    return h->rows == 0;
}

static void list_rows(hanging *h, bool guesses)
{
    const beginning *b = h->b;
    h->rows = 0;
    for (uint32_t i = b->first[h->s->child]; i; i = b->wanted.at[i - 1].next) {
        const wanted *w = &b->wanted.at[i - 1];
        if (w->order == b->order && (guesses || !w->guess) && h->rows < MOST_ROWS)
            h->row[h->rows++] = i - 1;
    }
}

/* Does the joint (or root) of the step have freedom k? */
static bool has_freedom(const beginning *b, const step *s, int k)
{
    const tie *t = s->tie == CT_NOTHING ? NULL : &b->p.m->tie.at[s->tie];
    if (!t)
        return k < 2 || !b->p.m->group[s->child].point;
    return k == POSE_TURN ? t->free.spins && t->free.turns : (int)t->free.slides >= k;
}

static void refer_one(beginning *b, const step *s)
{
    hanging h = {.b = b, .s = s};
    for (int k = 0; k < 3; k++) {
        double own = s->tie == CT_NOTHING ? NAN : b->freedom[s->tie][b->order][k];
        bool is = has_freedom(b, s, k);
        h.open[k] = is && isnan(own);
        h.at[k] = is && !isnan(own) ? own : 0;
    }
    list_rows(&h, true);
    if (!fit(&h)) {
        list_rows(&h, false);
        fit(&h);
    }
    hang(&h);
    if (!b->order)
        memcpy(b->hung[s->child], h.at, sizeof h.at);
}

void ct_start_refer(beginning *b)
{
    for (uint32_t i = 1; i < b->tree.count; i++)
        refer_one(b, &b->tree.at[i]);
}

/* ---- points around it */

static double dice(posing *p)
{
    p->seed = ct_hash_mix(p->seed, 0x7363617474657221);
    return (double)(p->seed >> 11) / 4503599627370496.0 - 1;
}

void ct_start_scatter(beginning *b, double spread)
{
    posing *p = &b->p;
    for (uint32_t i = 1; i < b->tree.count; i++) {
        const step *s = &b->tree.at[i];
        hanging h = {.b = b, .s = s};
        for (int k = 0; k < 3; k++) {
            bool turn = k == (s->tie == CT_NOTHING ? 2 : POSE_TURN);
            bool bound =
                s->tie != CT_NOTHING && b->bound[s->tie] == 2 && !isnan(b->freedom[s->tie][0][k]);
            double shift = spread * dice(p) * (turn ? 1 : p->size);
            h.at[k] = b->hung[s->child][k] + (bound || !has_freedom(b, s, k) ? 0 : shift);
        }
        hang(&h);
    }
}

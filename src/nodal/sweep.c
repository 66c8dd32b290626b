/* sweep.c - a guess of an operating point, a few unknowns after the other.
 *
 * In a long row of amplifiers or gates Newton's method for all unknowns gets one stage farther with
 * each iteration: what a stage does is unknown until the one before is right. Here unknowns are
 * taken in the order in which they depend on each other (strong components of the matrix at rest),
 * in windows that overlap; the others stay as they are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nodal/law.h"

enum { WINDOW = 12, ADVANCE = 6, MOST_ITERATIONS = 50, MOST_WHOLE = 15 };

static const double goal = 1e-7, unit = 1e-3, farthest = 1e6, least_part = 1e-3;

typedef struct row_block {
    uint32_t group, block;
} row_block;

typedef struct sweep {
    laws *w;
    ct_arena *arena;
    double *z, *residual, *given;  /* given: what sources add to rows */
    uint32_t *order;               /* unknowns */
    uint32_t *row_of;              /* of an unknown: what determines it; of that row, the unknown */
    bool *begins;                  /* per place in the order: a strong component */
    uint32_t *place;               /* of an unknown in the window plus 1; 0: outside */
    uint32_t *entry_start, *entry; /* linear entries of a row */
    uint32_t *column;              /* of an entry */
    uint32_t *block_start;         /* blocks that a row reads */
    row_block *block;
    uint32_t *first_place, *next_place; /* of unknowns: places that follow them, plus 1 */
    uint32_t *seen, round;              /* per block of all groups: the last round that took it */
    uint32_t *first_block;              /* of each group */
    CT_VEC(row_block) taken;
    uint64_t evaluated;
} sweep;

/* ---- rows */

static void list_entries(sweep *s)
{
    const laws *w = s->w;
    s->entry_start = CT_NEW_ARRAY(s->arena, uint32_t, w->size + 2);
    s->entry = CT_NEW_ARRAY(s->arena, uint32_t, w->count + 1);
    s->column = CT_NEW_ARRAY(s->arena, uint32_t, w->count + 1);
    for (uint32_t k = 0; k < w->count; k++)
        s->entry_start[w->row[k] + 2]++;
    for (uint32_t i = 0; i < w->size; i++)
        s->entry_start[i + 2] += s->entry_start[i + 1];
    for (uint32_t j = 0; j < w->size; j++)
        for (int k = w->start[j]; k < w->start[j + 1]; k++) {
            s->entry[s->entry_start[w->row[k] + 1]++] = (uint32_t)k;
            s->column[k] = j;
        }
}

/* Every block that a row gets something from; counted first. */
static void list_blocks(sweep *s, bool counting, uint32_t *last)
{
    const laws *w = s->w;
    memset(last, 0xff, w->size * sizeof *last);
    for (uint32_t g = 0, id = 0; g < w->group.count; g++) {
        const law_group *group = &w->group.at[g];
        for (uint32_t b = 0; b < group->room / CT_LANES; b++, id++)
            for (uint32_t i = group->row.start[2 * b]; i < group->row.start[2 * b + 2]; i++) {
                uint32_t row = group->row.item[i].to;
                if (last[row] == id)
                    continue;
                last[row] = id;
                if (counting)
                    s->block_start[row + 2]++;
                else
                    s->block[s->block_start[row + 1]++] = (row_block){g, b};
            }
    }
}

static void list_rows(sweep *s)
{
    const laws *w = s->w;
    uint32_t *last = CT_NEW_ARRAY(s->arena, uint32_t, w->size + 1), blocks = 0;
    list_entries(s);
    s->block_start = CT_NEW_ARRAY(s->arena, uint32_t, w->size + 2);
    list_blocks(s, true, last);
    for (uint32_t i = 0; i < w->size; i++)
        s->block_start[i + 2] += s->block_start[i + 1];
    s->block = CT_NEW_ARRAY(s->arena, row_block, s->block_start[w->size + 1] + 1);
    list_blocks(s, false, last);
    s->first_block = CT_NEW_ARRAY(s->arena, uint32_t, w->group.count + 1);
    for (uint32_t g = 0; g < w->group.count; g++) {
        s->first_block[g] = blocks;
        blocks += w->group.at[g].room / CT_LANES;
    }
    s->seen = CT_NEW_ARRAY(s->arena, uint32_t, blocks + 1);
}

/* ---- order */

/* Entries that count where nothing changes. */
static bool *find_resting(sweep *s)
{
    const laws *w = s->w;
    bool *rests = CT_NEW_ARRAY(s->arena, bool, w->count + 1);
    for (uint32_t k = 0; k < w->count; k++)
        rests[k] = w->a[k] != 0;
    for (uint32_t g = 0; g < w->group.count; g++) {
        const law_group *group = &w->group.at[g];
        for (uint32_t i = 0; i < group->value.start[group->room / CT_LANES * 2]; i++)
            rests[group->value.item[i].to] |=
                !group->l->rate_count ||
                group->l->entry[group->value.item[i].from / CT_LANES].by != 0;
    }
    return rests;
}

typedef struct visit {
    uint32_t *number, *low, *stack, *path; /* number: plus 1 */
    int *next;
    uint32_t count, depth, length, done;
} visit;

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Of a strong component, which is complete: as the model has them. */
static void finish(sweep *s, visit *v, uint32_t j)
{
    if (v->low[j] != v->number[j])
        return;
    uint32_t end = v->done;
    for (uint32_t k = UINT32_MAX; k != j;) {
        k = v->stack[--v->depth];
        v->low[k] = UINT32_MAX; /* it belongs to none any more */
        s->order[--v->done] = k;
    }
    s->begins[v->done] = true;
    qsort(s->order + v->done, end - v->done, sizeof *s->order, ascending);
}

/* Strong components by Tarjan's method: the last ones are found first. */
static void follow(sweep *s, visit *v, const bool *rests, uint32_t root)
{
    const laws *w = s->w;
    v->path[v->length++] = root;
    while (v->length) {
        uint32_t j = v->path[v->length - 1];
        if (!v->number[j]) {
            v->number[j] = v->low[j] = ++v->count;
            v->stack[v->depth++] = j;
            v->next[j] = w->start[j];
        }
        while (v->next[j] < w->start[j + 1]) {
            int k = v->next[j];
            uint32_t i = s->row_of[w->row[k]];
            if (rests[k] && !v->number[i])
                break;
            if (rests[k] && v->low[i] < v->low[j])
                v->low[j] = v->low[i];
            v->next[j]++;
        }
        if (v->next[j] < w->start[j + 1]) {
            v->path[v->length++] = s->row_of[w->row[v->next[j]]];
            continue;
        }
        v->length--;
        finish(s, v, j);
    }
}

/* The row of a driver whose through variable is an unknown tells a potential at one of its ends,
 * whose own row tells what flows there. */
static void match_rows(sweep *s)
{
    const net *n = s->w->n;
    s->row_of = CT_NEW_ARRAY(s->arena, uint32_t, s->w->size + 1);
    for (uint32_t i = 0; i < s->w->size; i++)
        s->row_of[i] = i;
    for (uint32_t e = 0; e < n->graph->scalar_edge_count; e++) {
        const ct_graph_edge *at = &n->graph->edge[e];
        if (!n->kept[e] || n->set.at[n->set_of[at->owner]].kind != PORT_DRIVER)
            continue;
        int32_t tail = n->column[at->tail], head = n->column[at->head];
        int32_t end = tail >= 0 && s->row_of[tail] == (uint32_t)tail ? tail : head;
        if (end < 0 || s->row_of[end] != (uint32_t)end)
            continue;
        s->row_of[end] = n->through[e] - 1;
        s->row_of[n->through[e] - 1] = (uint32_t)end;
    }
}

static void find_order(sweep *s)
{
    uint32_t n = s->w->size;
    match_rows(s);
    visit v = {.done = n};
    const bool *rests = find_resting(s);
    uint32_t **list[] = {&v.number, &v.low, &v.stack, &v.path, &s->order, &s->place};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] = CT_NEW_ARRAY(s->arena, uint32_t, n + 1);
    v.next = CT_NEW_ARRAY(s->arena, int, n + 1);
    s->begins = CT_NEW_ARRAY(s->arena, bool, n + 1);
    for (uint32_t j = n; j-- > 0;)
        if (!v.number[j])
            follow(s, &v, rests, j);
}

/* ---- a window */

typedef struct window {
    const uint32_t *unknown;
    uint32_t count;
    double a[WINDOW][WINDOW + 1]; /* the right side behind it */
} window;

/* Values of places that follow unknowns of the window. */
static void set_places(sweep *s, const window *o)
{
    laws *w = s->w;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t j = o->unknown[i];
        w->x[j] = s->z[j];
        for (uint32_t p = s->first_place[j]; p; p = s->next_place[p - 1])
            w->x[w->size + p - 1] = w->shift[p - 1] + s->z[j];
    }
}

/* Rows of the window where all is linear; then the blocks that they read. */
static uint32_t evaluate(sweep *s, const window *o, bool fresh)
{
    laws *w = s->w;
    uint32_t beside = 0;
    set_places(s, o);
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t row = s->row_of[o->unknown[i]];
        double sum = s->given[row];
        for (uint32_t k = s->entry_start[row]; k < s->entry_start[row + 1]; k++) {
            sum += w->a[s->entry[k]] * s->z[s->column[s->entry[k]]];
            w->linear->value[s->entry[k]] = w->a[s->entry[k]];
        }
        s->residual[row] = sum;
    }
    for (uint32_t i = 0; i < s->taken.count; i++) {
        row_block *b = &s->taken.at[i];
        beside += ct_laws_block(w, &w->group.at[b->group], b->block, fresh, s->residual);
    }
    s->evaluated += o->count;
    return beside;
}

static void take_matrix(const sweep *s, window *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t row = s->row_of[o->unknown[i]];
        memset(o->a[i], 0, sizeof o->a[i]);
        for (uint32_t k = s->entry_start[row]; k < s->entry_start[row + 1]; k++) {
            uint32_t at = s->place[s->column[s->entry[k]]];
            if (at)
                o->a[i][at - 1] = s->w->linear->value[s->entry[k]];
        }
        o->a[i][o->count] = s->residual[row];
    }
}

/* The right side becomes the solution. False: there is none. */
static bool eliminate(window *o)
{
    uint32_t n = o->count;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++)
            pivot = fabs(o->a[i][k]) > fabs(o->a[pivot][k]) ? i : pivot;
        if (!(fabs(o->a[pivot][k]) > 0))
            return false;
        for (uint32_t j = k; j <= n; j++) {
            double kept = o->a[k][j];
            o->a[k][j] = o->a[pivot][j];
            o->a[pivot][j] = kept;
        }
        for (uint32_t i = 0; i < n; i++) {
            double by = i == k ? 0 : o->a[i][k] / o->a[k][k];
            for (uint32_t j = k; j <= n && by != 0; j++)
                o->a[i][j] -= by * o->a[k][j];
        }
    }
    for (uint32_t k = 0; k < n; k++)
        o->a[k][n] /= o->a[k][k];
    return true;
}

static bool step(sweep *s, const window *o, const double *from, double part)
{
    for (uint32_t i = 0; i < o->count; i++) {
        double z = from[i] - part * o->a[i][o->count];
        if (!(fabs(z) < farthest))
            return false;
        s->z[o->unknown[i]] = z;
    }
    return true;
}

static void save(const sweep *s, const window *o, double *z)
{
    for (uint32_t i = 0; i < o->count; i++)
        z[i] = s->z[o->unknown[i]];
}

static double size_of(const sweep *s, const window *o)
{
    double size = 0;
    for (uint32_t i = 0; i < o->count; i++)
        size = fmax(size, fabs(o->a[i][o->count]) / (fabs(s->z[o->unknown[i]]) + unit));
    return size;
}

/* Whole steps, junctions limited. */
static bool by_limiting(sweep *s, window *o)
{
    double from[WINDOW];
    for (uint32_t k = 0; k < MOST_WHOLE; k++) {
        uint32_t beside = evaluate(s, o, k == 0);
        save(s, o, from);
        take_matrix(s, o);
        if (!eliminate(o) || !step(s, o, from, 1))
            return false;
        if (!beside && size_of(s, o) <= goal)
            return true;
    }
    return false;
}

/* The largest residual, each by the largest entry of its row. */
static double residual_of(const sweep *s, const window *o, const double *scale)
{
    double most = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        double r = fabs(s->residual[s->row_of[o->unknown[i]]]) / scale[i];
        most = r <= most ? most : r; /* NaN counts */
    }
    return most;
}

/* Parts of steps that make residuals smaller: transistors in saturation hardly tell how far it is.
 */
static bool by_damping(sweep *s, window *o)
{
    double from[WINDOW], scale[WINDOW];
    evaluate(s, o, true);
    for (uint32_t k = 0; k < MOST_ITERATIONS; k++) {
        double part = 1;
        save(s, o, from);
        take_matrix(s, o);
        for (uint32_t i = 0; i < o->count; i++) {
            scale[i] = 0;
            for (uint32_t j = 0; j < o->count; j++)
                scale[i] = fmax(scale[i], fabs(o->a[i][j]));
        }
        double before = residual_of(s, o, scale);
        if (!eliminate(o))
            return false;
        for (; part > least_part; part /= 2)
            if (step(s, o, from, part) &&
                (evaluate(s, o, true), residual_of(s, o, scale) <= (1 - part / 4) * before))
                break;
        if (part == 1 && size_of(s, o) <= goal)
            return true;
    }
    return false;
}

/* One unknown: what flows out of a node grows with its potential, so that the sign of the residual
 * tells on which side the solution is. Newton's steps between both sides, else the middle. */
static bool by_sides(sweep *s, window *o)
{
    const double first = 1;
    double low = -INFINITY, high = INFINITY, *z = &s->z[o->unknown[0]], reach = first;
    for (uint32_t k = 0; k < MOST_ITERATIONS; k++) {
        evaluate(s, o, true);
        take_matrix(s, o);
        double sign = o->a[0][0] < 0 ? -1 : 1;
        double at = *z, residual = sign * o->a[0][1], slope = sign * o->a[0][0];
        if (isnan(residual))
            return false;
        *(residual > 0 ? &high : &low) = at;
        double next = at - residual / slope;
        if (isfinite(low) && isfinite(high)) {
            if (!(next > low && next < high) || fabs(next - at) > 0.5 * (high - low))
                next = low + 0.5 * (high - low);
        } else if (!(slope > 0) || !(fabs(next - at) <= reach)) {
            next = residual > 0 ? at - reach : at + reach;
            reach *= 2;
        }
        if (!(fabs(next) < farthest))
            return false;
        *z = next;
        if (fabs(next - at) <= goal * (fabs(at) + unit))
            return true;
    }
    return false;
}

/* Blocks that rows of the window read, each once. */
static void take_blocks(sweep *s, const window *o)
{
    s->round++;
    s->taken.count = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t row = s->row_of[o->unknown[i]];
        for (uint32_t k = s->block_start[row]; k < s->block_start[row + 1]; k++) {
            row_block b = s->block[k];
            if (s->seen[s->first_block[b.group] + b.block] == s->round)
                continue;
            s->seen[s->first_block[b.group] + b.block] = s->round;
            CT_PUSH(s->arena, s->taken, b);
        }
    }
}

static void solve_window(sweep *s, window *o)
{
    bool (*const ways[])(sweep *, window *) = {by_sides, by_limiting, by_damping};
    double before[WINDOW];
    bool found = false;
    take_blocks(s, o);
    save(s, o, before);
    for (uint32_t i = 0; i < o->count; i++)
        s->place[o->unknown[i]] = i + 1;
    for (int way = o->count > 1; way < 3 && !found; way++) {
        for (uint32_t i = 0; i < o->count; i++)
            s->z[o->unknown[i]] = before[i];
        found = ways[way](s, o);
    }
    for (uint32_t i = 0; i < o->count; i++)
        s->place[o->unknown[i]] = 0;
    set_places(s, o);
}

/* ---- all */

static void list_places(sweep *s)
{
    const laws *w = s->w;
    s->first_place = CT_NEW_ARRAY(s->arena, uint32_t, w->size + 1);
    s->next_place = CT_NEW_ARRAY(s->arena, uint32_t, w->place.count + 1);
    for (uint32_t i = 0; i < w->place.count; i++) {
        int32_t column = w->place.at[i].column;
        if (column < 0)
            continue;
        s->next_place[i] = s->first_place[column];
        s->first_place[column] = i + 1;
    }
}

static sweep open(laws *w, double *z)
{
    sweep s = {.w = w, .z = z, .arena = ct_arena_new(w->n->model->ctx)};
    const columns *u = &w->n->u;
    list_rows(&s);
    list_places(&s);
    find_order(&s);
    s.residual = CT_NEW_ARRAY(s.arena, double, w->size + 1);
    s.given = CT_NEW_ARRAY(s.arena, double, w->size + 1);
    ct_columns_times(u, u->a, 1, w->u, s.given);
    return s;
}

/* Unknowns that depend on each other; many of them in windows that overlap. */
static void solve_component(sweep *s, uint32_t from, uint32_t end)
{
    for (;; from += ADVANCE) {
        window o = {.unknown = s->order + from};
        o.count = end - from < WINDOW ? end - from : WINDOW;
        solve_window(s, &o);
        if (from + o.count >= end)
            break;
    }
}

uint64_t ct_laws_sweep(laws *w, double *z)
{
    sweep s = open(w, z);
    ct_laws_places(w, z);
    for (uint32_t from = 0, end; from < w->size; from = end) {
        for (end = from + 1; end < w->size && !s.begins[end];)
            end++;
        solve_component(&s, from, end);
    }
    ct_arena_free(s.arena);
    return (s.evaluated + w->size - 1) / w->size;
}

/* rank_space.c - which rows of chords in space depend on the others.
 *
 * Configurations that close the loops are sought in the coordinates of the user's tree; rows of
 * speeds, linear in u, are orthogonalized there in their order. It is done in a pool of its own,
 * so that nothing of it decides about forms that are kept.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "compile/program.h"
#include "mechanics/rank.h"
#include "mechanics/start.h"
#include "mechanics/turns.h"
#include "solve/nearest.h"

static const double closed_loop = 1e-10; /* in lengths of the mechanism */

enum { CONFIGURATIONS = 3, ATTEMPTS = 12, STIFF = 30 };

typedef struct closing {
    mechanics *m; /* a copy in a pool of its own */
    ct_arena *arena;
    const ct_jacobian *slope; /* of speeds by u */
    ct_expr *expr;            /* positions, then entries of the slope */
    double *value;
    bool *placed;         /* by row: it has a position */
    uint32_t rows, *col;  /* by coordinate: column of its u; CT_NOTHING */
    uint32_t *coordinate; /* and back */
    uint32_t cols;
    double *place, *wanted, size; /* by coordinate */
    thin_row *line;
    ct_map index; /* name of q -> coordinate + 1 */
} closing;

static double look_up(const void *user, ct_name name)
{
    const closing *c = user;
    uint32_t q = ct_map_get(&c->index, name);
    return q ? c->place[q - 1] : ct_mech_number(c->m, ct_expr_symbol(c->m->pool, name));
}

/* ---- rows */

static bool make_rows(closing *c)
{
    mechanics *m = c->m;
    uint32_t n = c->rows = m->user_row.count;
    ct_expr *speed = CT_NEW_ARRAY(c->arena, ct_expr, n + 1), culprit = 0;
    ct_name *by = CT_NEW_ARRAY(c->arena, ct_name, m->coordinate.count + 1);
    ct_expr *position = CT_NEW_ARRAY(c->arena, ct_expr, n + 1);
    c->placed = CT_NEW_ARRAY(c->arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        ct_constraint own = ct_mech_constraint(m, &m->user_row.at[i]);
        c->placed[i] = own.position != 0;
        position[i] = own.position ? own.position : m->zero;
        speed[i] = own.velocity;
    }
    for (uint32_t i = 0; i < c->cols; i++)
        by[i] = m->coordinate.at[c->coordinate[i]].u;
    c->slope = ct_jacobian_new(c->arena, m->pool, speed, n, by, c->cols, &culprit);
    if (!c->slope)
        return false;
    c->expr = CT_NEW_ARRAY(c->arena, ct_expr, n + c->slope->count + 1);
    c->value = CT_NEW_ARRAY(c->arena, double, n + c->slope->count + 1);
    memcpy(c->expr, position, n * sizeof *position);
    if (c->slope->count)
        memcpy(c->expr + n, c->slope->entry, c->slope->count * sizeof *c->expr);
    c->line = CT_NEW_ARRAY(c->arena, thin_row, n + 1);
    return true;
}

/* A change of one in this coordinate counts as this length; that of a shape as more, as beams bend
 * little. */
static double unit_of(const closing *c, const ct_coordinate *q)
{
    return (q->angle ? c->size : 1) * (q->of_shape ? STIFF : 1);
}

/* Values and lines at the present place; columns count as lengths. */
static void measure(closing *c)
{
    const mechanics *m = c->m;
    ct_expr_values(m->pool, c->expr, c->rows + c->slope->count, look_up, c, c->value);
    for (uint32_t i = 0; i < c->rows; i++)
        c->line[i].count = 0;
    for (uint32_t k = 0; k < c->cols; k++) {
        double unit = unit_of(c, &m->coordinate.at[c->coordinate[k]]);
        for (uint32_t i = c->slope->start[k]; i < c->slope->start[k + 1]; i++) {
            thin own = {k, c->value[c->rows + i] / unit};
            if (own.value != 0)
                CT_PUSH(c->arena, c->line[c->slope->row[i]], own);
        }
    }
}

/* ---- closing the loops */

static void put_rows(void *user, ct_nearest *into)
{
    closing *c = user;
    measure(c);
    for (uint32_t i = 0; i < c->rows; i++)
        if (c->placed[i])
            ct_nearest_hard(into, c->line[i].at, c->line[i].count, c->value[i]);
    for (uint32_t k = 0; k < c->cols; k++) {
        const ct_coordinate *q = &c->m->coordinate.at[c->coordinate[k]];
        double unit = unit_of(c, q), miss = 0;
        if (!q->quaternion)
            miss = unit * (c->place[c->coordinate[k]] - c->wanted[c->coordinate[k]]);
        ct_nearest_soft(into, &(thin){k, 1}, 1, miss, 1, 0);
    }
}

static double length_of(void *user, const double *by)
{
    const closing *c = user;
    double most = 0;
    for (uint32_t k = 0; k < c->cols; k++) {
        if (!isfinite(by[k]))
            return NAN;
        most = fmax(most, fabs(by[k]) / c->size);
    }
    return most;
}

static void move(void *user, const double *by)
{
    closing *c = user;
    for (uint32_t k = 0; k < c->cols; k++) {
        uint32_t q = c->coordinate[k];
        const ct_coordinate *own = &c->m->coordinate.at[q];
        if (!own->quaternion) {
            c->place[q] += by[k] / unit_of(c, own);
        } else if (own->axis == 1) { /* with the two behind it */
            double turn[3] = {by[k] / c->size, by[k + 1] / c->size, by[k + 2] / c->size};
            ct_quaternion_turn(c->place + q - 1, turn);
        }
    }
}

static bool close_loops(closing *c)
{
    ct_nearest_def def = {.user = c,
                          .cols = c->cols,
                          .rows = put_rows,
                          .length = length_of,
                          .move = move,
                          .point = {c->place},
                          .point_count = {c->m->coordinate.count},
                          .closed = closed_loop * c->size};
    return ct_find_nearest(c->m->ctx, &def);
}

/* ---- ranks */

static line scaled(const thin_row *row, thin *room)
{
    double norm = 0;
    for (uint32_t k = 0; k < row->count; k++)
        norm = hypot(norm, row->at[k].value);
    for (uint32_t k = 0; k < row->count; k++)
        room[k] = (thin){row->at[k].col, row->at[k].value / norm};
    return (line){.count = norm > 0 ? row->count : 0};
}

static bool is_drive(const chord_row *r)
{
    return r->row == CT_ROW_DRIVE_SLIDE || r->row == CT_ROW_DRIVE_TURN;
}

static finding find_rank(closing *c, ct_arena *arena)
{
    ct_arena *scratch = ct_arena_new(c->m->ctx);
    finding f = {.fixed = CT_NEW_ARRAY(arena, bool, c->rows + 1),
                 .driven = CT_NEW_ARRAY(arena, bool, c->rows + 1)};
    thin *room = CT_NEW_ARRAY(scratch, thin, c->cols + 1);
    triangle t;
    ct_triangle_init(&t, scratch, c->cols, 0);
    measure(c);
    for (int drive = 0; drive < 2; drive++) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < c->rows; i++) {
            if (is_drive(&c->m->user_row.at[i]) != (drive == 1))
                continue;
            line l = scaled(&c->line[i], room);
            bool depends = l.count == 0 || !ct_triangle_add(&t, room, l.count, 0);
            (drive ? f.driven : f.fixed)[at++] = depends;
            *(drive ? &f.driven_rank : &f.fixed_rank) += !depends;
        }
    }
    ct_arena_free(scratch);
    return f;
}

/* ---- configurations */

/* Near the start at first, then farther; false: a value is missing. */
static bool throw(closing * c, mechanics *model, uint32_t attempt)
{
    ct_mechanics_start start = {.attempt = attempt, .arena = c->arena};
    if (!ct_start_placed(model, &start))
        return false;
    c->size = start.size;
    for (uint32_t i = 0; i < c->m->coordinate.count; i++)
        c->place[i] = c->wanted[i] = start.place[i];
    return true;
}

static void index_coordinates(closing *c)
{
    mechanics *m = c->m;
    uint32_t n = m->coordinate.count;
    c->place = CT_NEW_ARRAY(c->arena, double, n + 1);
    c->wanted = CT_NEW_ARRAY(c->arena, double, n + 1);
    c->coordinate = CT_NEW_ARRAY(c->arena, uint32_t, n + 1);
    ct_map_init(&c->index, c->arena);
    for (uint32_t i = 0; i < n; i++) {
        ct_map_put(&c->index, m->coordinate.at[i].q, i + 1);
        if (m->coordinate.at[i].u)
            c->coordinate[c->cols++] = i;
    }
}

static bool has_drivers(const mechanics *m)
{
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (m->tie.at[i].slide.is || m->tie.at[i].angle.is)
            return true;
    return false;
}

/* But a way of putting it together that cannot move is not the one that is meant if another can. */
static bool is_better(const finding *f, bool moves, const finding *best, bool best_moves)
{
    if (moves != best_moves)
        return moves;
    return f->fixed_rank + f->driven_rank > best->fixed_rank + best->driven_rank;
}

/* From a closed configuration: do the loops stay closed a little later, as drivers go on? */
static bool goes_on(closing *c)
{
    static const double later[] = {1e-2, 1e-3};
    mechanics *m = c->m;
    uint32_t n = m->coordinate.count;
    double *kept = CT_NEW_ARRAY(c->arena, double, n + 1), now = m->now;
    bool good = !has_drivers(m);
    memcpy(kept, c->place, n * sizeof *kept);
    for (size_t i = 0; !good && i < sizeof later / sizeof *later; i++) {
        m->now = now + later[i];
        memcpy(c->place, kept, n * sizeof *kept);
        memcpy(c->wanted, kept, n * sizeof *kept);
        good = close_loops(c);
    }
    m->now = now;
    return good;
}

/* The highest rank counts; where something is driven, loops must stay closed. Of a large mechanism
 * one configuration is enough where no row depends on others. */
static bool search(closing *c, mechanics *model, ct_arena *arena, finding *best, bool *again)
{
    int found = 0;
    bool driven = has_drivers(c->m), best_moves = false;
    *again = false;
    for (uint32_t i = 0; i < ATTEMPTS && found < CONFIGURATIONS; i++) {
        if (!throw(c, model, i) || !close_loops(c))
            continue;
        finding f = find_rank(c, arena);
        bool on = goes_on(c), moves = driven ? on : f.fixed_rank < c->cols;
        if (!found || is_better(&f, moves, best, best_moves)) {
            *best = f;
            best_moves = moves;
        }
        found++;
        *again = *again || on;
        if (c->cols > CT_LARGE_MECHANISM && f.fixed_rank + f.driven_rank == c->rows)
            break;
    }
    return found > 0;
}

bool ct_rank_in_space(mechanics *m, ct_arena *arena, finding *best, bool *again)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    ct_pool *pool = ct_pool_new(m->ctx);
    const ct_mechanism *copy = ct_mech_moved(m->mech, m->pool, pool, scratch);
    closing c = {.m = ct_mech_start(m->def, m->tree, copy, pool, scratch), .arena = scratch};
    c.m->hold = true;
    bool found = ct_mech_kinematics(c.m);
    if (found) {
        index_coordinates(&c);
        found = make_rows(&c) && search(&c, m, arena, best, again);
    }
    ct_pool_free(pool);
    ct_arena_free(scratch);
    return found;
}

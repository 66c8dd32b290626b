/* start_least.c - where a mechanism in space begins when its reference does not meet all that
 * joints, drivers and start values say: the nearest place that does, in the metric of kinetic
 * energy, then the nearest speeds.
 *
 * It is sought with places and axes of bodies as unknowns, in a copy of the mechanism and in a pool
 * of its own, whatever coordinates the run has: so these make no difference. Unknowns are changes:
 * lengths as parts of the size, and three small turns of a quaternion.
 */
#include <math.h>
#include <string.h>

#include "compile/program.h"
#include "mechanics/start.h"
#include "mechanics/turns.h"
#include "solve/nearest.h"

static const double closed = 1e-10;
static const double upright = 0.1; /* least sense of a row of directions */
enum { ATTEMPTS = 8 };
static const double farther = 0.3, heavy = 1e8;

/* GIVEN: hard as well, but a guess at first. */
typedef enum asking { HARD, GIVEN, GUESS, SOFT } asking;

typedef struct asked {
    asking asks;
    double target, weight;
    double unit; /* of a body's place, as large as the mechanism is */
} asked;

/* Rows of one order: 0 of places, 1 of speeds. */
typedef struct sheet {
    CT_VEC(ct_expr) expr;
    CT_VEC(asked) row;
    const ct_jacobian *slope; /* by q, or by u */
    const ct_program *program;
    double *value, *work; /* values of rows, then entries of the slope */
} sheet;

typedef struct least {
    mechanics *m; /* the copy */
    ct_mechanics_start s;
    ct_arena *arena;
    int order;
    bool gentle; /* what is given is guessed for now */
    sheet sheet[2];
    uint32_t *coordinate, cols; /* by column: coordinate with that speed */
    CT_VEC(ct_name) variable;   /* all q, then u by column */
    ct_map index;               /* of them, plus 1 */
    double *now;                /* their values */
    thin_row *line;             /* by row */
    double (*ball)[4];          /* by row: slopes by one quaternion */
} least;

/* ---- start values that are about places and speeds */

static const ct_start_kind kinds[] = {
    {CT_MOTION_POSITION, 0, false},  {CT_MOTION_VELOCITY, 1, false},
    {CT_MOTION_ANGLE, 0, true},      {CT_MOTION_SPIN, 1, true},
    {CT_MOTION_SPIN_OWN, 1, true},   {CT_MOTION_AXES, 0, true},
    {CT_MOTION_TURN, 0, true},       {CT_MOTION_TURN_SPEED, 1, true},
    {CT_MOTION_SLIDE, 0, false},     {CT_MOTION_SLIDE_SPEED, 1, false},
    {CT_MOTION_JOINT_AXES, 0, true}, {CT_MOTION_JOINT_SPIN, 1, true},
    {CT_MOTION_LENGTH, 0, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const ct_start_kind *ct_start_kind_of(const ct_motion *x)
{
    for (uint32_t i = 0; x && i < KINDS; i++)
        if (kinds[i].kind == x->kind)
            return &kinds[i];
    return NULL;
}

/* ---- rows */

static void ask(least *l, int order, ct_expr e, asked row)
{
    CT_PUSH(l->arena, l->sheet[order].expr, e);
    CT_PUSH(l->arena, l->sheet[order].row, row);
}

static void ask_starts(least *l)
{
    mechanics *m = l->m;
    for (uint32_t i = 0; i < m->def->start_count; i++) {
        const ct_start *s = &m->def->start[i];
        const ct_motion *x = ct_start_motion_of(m, s);
        const ct_start_kind *k = ct_start_kind_of(x);
        if (!k)
            continue;
        asked own = {s->guess ? GUESS : GIVEN, ct_pose_value(m, s->value),
                     k->angle ? 1 : 1 / l->s.size, 0};
        ask(l, k->order, ct_mech_express(m, x, false), own);
    }
}

static void ask_all(least *l)
{
    mechanics *m = l->m;
    for (uint32_t i = 0; i < m->user_row.count; i++) {
        ct_constraint own = ct_mech_constraint(m, &m->user_row.at[i]);
        if (own.position)
            ask(l, 0, own.position, (asked){HARD, 0, 1, 0});
        ask(l, 1, own.velocity, (asked){HARD, 0, 1, 0});
    }
    ask_starts(l);
    for (uint32_t i = 0; i < 2 * l->s.weighed_count; i++) {
        const ct_weighed *w = &l->s.weighed[i / 2];
        int order = i % 2;
        if (ct_start_is_of_body(w))
            ask(l, order, ct_start_weighed_in_space(m, w, order),
                (asked){SOFT, w->of[order], w->weight, w->axis < 3 ? l->s.size : 1});
    }
}

/* ---- programs */

static void list_variables(least *l)
{
    const mechanics *m = l->m;
    uint32_t n = m->coordinate.count;
    l->coordinate = CT_NEW_ARRAY(l->arena, uint32_t, n + 1);
    l->now = CT_NEW_ARRAY(l->arena, double, 2 * (size_t)n + 1);
    ct_map_init(&l->index, l->arena);
    for (uint32_t i = 0; i < n; i++)
        CT_PUSH(l->arena, l->variable, m->coordinate.at[i].q);
    for (uint32_t i = 0; i < n; i++)
        if (m->coordinate.at[i].u) {
            CT_PUSH(l->arena, l->variable, m->coordinate.at[i].u);
            l->coordinate[l->cols++] = i;
        }
    for (uint32_t i = 0; i < l->variable.count; i++)
        ct_map_put(&l->index, l->variable.at[i], i + 1);
}

static void set_now(least *l)
{
    uint32_t n = l->m->coordinate.count;
    memcpy(l->now, l->s.place, n * sizeof *l->now);
    for (uint32_t i = 0; i < l->cols; i++)
        l->now[n + i] = l->s.rate[l->coordinate[i]];
}

static double look_up(const void *user, ct_name name)
{
    const least *l = user;
    uint32_t at = ct_map_get(&l->index, name);
    return at ? l->now[at - 1] : ct_mech_number(l->m, ct_expr_symbol(l->m->pool, name));
}

/* Symbols that are no variables, with their numbers; false: one has none. */
static bool list_numbers(least *l, const ct_expr *e, uint32_t count, ct_program_def *def,
                         double **value)
{
    mechanics *m = l->m;
    ct_map seen;
    CT_VEC(ct_name) name = {0};
    CT_VEC(double) number = {0};
    bool good = true;
    ct_map_init(&seen, l->arena);
    for (uint32_t i = 0; i < count; i++) {
        const ct_name *symbol;
        uint32_t symbols = ct_expr_symbols(m->pool, e[i], &symbol);
        for (uint32_t k = 0; k < symbols; k++) {
            if (ct_map_get(&seen, symbol[k]) || ct_map_get(&l->index, symbol[k]))
                continue;
            ct_map_put(&seen, symbol[k], 1);
            CT_PUSH(l->arena, name, symbol[k]);
            CT_PUSH(l->arena, number, ct_mech_number(m, ct_expr_symbol(m->pool, symbol[k])));
            good = good && isfinite(number.at[number.count - 1]);
        }
    }
    def->parameter = name.at;
    def->parameter_count = name.count;
    *value = number.at;
    return good;
}

static bool compile(least *l, sheet *s, bool speeds)
{
    mechanics *m = l->m;
    uint32_t n = m->coordinate.count, rows = s->row.count;
    ct_expr culprit = 0;
    double *number;
    s->slope = ct_jacobian_new(l->arena, m->pool, s->expr.at, rows,
                               l->variable.at + (speeds ? n : 0), speeds ? l->cols : n, &culprit);
    if (!s->slope)
        return false;
    for (uint32_t i = 0; i < s->slope->count; i++)
        CT_PUSH(l->arena, s->expr, s->slope->entry[i]);
    ct_program_def def = {.pool = m->pool,
                          .variable = l->variable.at,
                          .variable_count = l->variable.count,
                          .output = s->expr.at,
                          .output_count = s->expr.count,
                          .seldom = true};
    if (!list_numbers(l, s->expr.at, s->expr.count, &def, &number))
        return false;
    s->program = ct_program_new(l->arena, &def, &culprit);
    if (!s->program)
        return false;
    s->value = CT_NEW_ARRAY(l->arena, double, s->expr.count + 1);
    s->work = ct_program_prepared(l->arena, s->program, number);
    return true;
}

/* ---- the search */

static void put_entry(least *l, uint32_t row, uint32_t col, double value)
{
    if (value != 0)
        CT_PUSH(l->arena, l->line[row], ((thin){col, value}));
}

/* From slopes by a quaternion q to those by the three turns of q o (1, turn/2). */
static void put_ball(least *l, const sheet *s, uint32_t col, uint32_t first)
{
    const double *q = l->s.place + first, *slope = s->value + s->row.count;
    memset(l->ball, 0, s->row.count * sizeof *l->ball);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = s->slope->start[first + k]; i < s->slope->start[first + k + 1]; i++)
            l->ball[s->slope->row[i]][k] = slope[i];
    for (uint32_t row = 0; row < s->row.count; row++) {
        const double *d = l->ball[row];
        put_entry(l, row, col, (-q[1] * d[0] + q[0] * d[1] + q[3] * d[2] - q[2] * d[3]) / 2);
        put_entry(l, row, col + 1, (-q[2] * d[0] - q[3] * d[1] + q[0] * d[2] + q[1] * d[3]) / 2);
        put_entry(l, row, col + 2, (-q[3] * d[0] + q[2] * d[1] - q[1] * d[2] + q[0] * d[3]) / 2);
    }
}

static double unit_of(const least *l, uint32_t col)
{
    const ct_coordinate *c = &l->m->coordinate.at[l->coordinate[col]];
    return c->angle || c->quaternion ? 1 : l->s.size;
}

static void measure(least *l)
{
    const sheet *s = &l->sheet[l->order];
    set_now(l);
    ct_program_run(s->program, l->now, s->value, s->work);
    for (uint32_t i = 0; i < s->row.count; i++)
        l->line[i].count = 0;
    for (uint32_t col = 0; col < l->cols; col++) {
        uint32_t at = l->coordinate[col];
        if (l->order == 0 && l->m->coordinate.at[at].quaternion) {
            if (l->m->coordinate.at[at].axis == 1) /* with the two behind it */
                put_ball(l, s, col, at - 1);
            continue;
        }
        uint32_t from = l->order ? col : at;
        for (uint32_t i = s->slope->start[from]; i < s->slope->start[from + 1]; i++)
            put_entry(l, s->slope->row[i], col, s->value[s->row.count + i] * unit_of(l, col));
    }
}

static void put_rows(void *user, ct_nearest *into)
{
    least *l = user;
    const sheet *s = &l->sheet[l->order];
    measure(l);
    for (uint32_t i = 0; i < s->row.count; i++) {
        const asked *r = &s->row.at[i];
        const thin_row *own = &l->line[i];
        double miss = s->value[i] - r->target;
        if (r->asks == HARD || (r->asks == GIVEN && !l->gentle))
            ct_nearest_hard(into, own->at, own->count, miss);
        else if (r->asks != SOFT)
            ct_nearest_guess(into, own->at, own->count, miss, r->weight);
        else
            ct_nearest_soft(into, own->at, own->count, miss, r->weight, r->unit);
    }
}

static double length_of(void *user, const double *by)
{
    const least *l = user;
    double most = 0;
    for (uint32_t i = 0; i < l->cols; i++)
        if (!(fabs(by[i]) <= most))
            most = fabs(by[i]);
    return l->order && isfinite(most) ? fmin(most, 0.1) : most; /* rows of speeds are linear */
}

static void move(void *user, const double *by)
{
    least *l = user;
    for (uint32_t col = 0; col < l->cols; col++) {
        uint32_t at = l->coordinate[col];
        const ct_coordinate *c = &l->m->coordinate.at[at];
        if (l->order || !c->quaternion)
            (l->order ? l->s.rate : l->s.place)[at] += by[col] * unit_of(l, col);
        else if (c->axis == 1)
            ct_quaternion_turn(l->s.place + at - 1, by + col);
    }
}

static bool search(least *l, int order)
{
    ct_nearest_def def = {.user = l,
                          .cols = l->cols,
                          .rows = put_rows,
                          .length = length_of,
                          .move = move,
                          .point = {order ? l->s.rate : l->s.place},
                          .point_count = {l->m->coordinate.count},
                          .closed = closed,
                          .ties = !order,
                          .backward = l->s.backward,
                          .tied = order ? NULL : &l->s.tied};
    l->order = order;
    return ct_find_nearest(l->m->ctx, &def);
}

/* Are rows of directions met the right way round? */
static bool is_upright(least *l)
{
    ct_sense *sense;
    uint32_t count = ct_mech_senses(l->m, l->arena, &sense);
    set_now(l);
    for (uint32_t i = 0; i < count; i++)
        if (!(ct_expr_value(l->m->pool, sense[i].value, look_up, l) >= upright))
            return false;
    return true;
}

/* ---- all of it */

/* Speeds are those nearest to what is given of joints, and zero, at the places found. */
static void refer_speeds(least *l, const whereabouts *f)
{
    sheet *s = &l->sheet[1];
    ct_start_rehang(l->m, &l->s, f);
    uint32_t at = 0;
    while (s->row.at[at].asks != SOFT)
        at++;
    for (uint32_t i = 0; i < l->s.weighed_count; i++)
        if (ct_start_is_of_body(&l->s.weighed[i]))
            s->row.at[at++].target = l->s.weighed[i].of[1];
}

static bool prepare(least *l)
{
    if (!l->m || !ct_start_refer_in_space(l->m, &l->s))
        return false;
    list_variables(l);
    ask_all(l);
    for (int order = 0; order < 2; order++)
        if (!compile(l, &l->sheet[order], order == 1))
            return false;
    uint32_t rows = l->sheet[0].row.count > l->sheet[1].row.count ? l->sheet[0].row.count
                                                                  : l->sheet[1].row.count;
    l->line = CT_NEW_ARRAY(l->arena, thin_row, rows + 1);
    l->ball = ct_arena_alloc(l->arena, (rows + 1) * sizeof *l->ball);
    return true;
}

/* Bodies are moved and turned at random, farther and farther. */
static void scatter(least *l, uint32_t attempt)
{
    uint64_t seed = attempt;
    double *by = CT_NEW_ARRAY(l->arena, double, l->cols + 1);
    for (uint32_t i = 0; i < l->cols; i++)
        by[i] = farther * attempt * ct_start_dice(&seed);
    l->order = 0;
    move(l, by);
}

/* The square of the change; guesses that are missed count most. */
static double change_of(least *l)
{
    const sheet *s = &l->sheet[0];
    double sum = 0;
    measure(l);
    for (uint32_t i = 0; i < s->row.count; i++) {
        const asked *r = &s->row.at[i];
        double own = r->weight * (s->value[i] - r->target);
        sum += r->asks == SOFT ? own * own : r->asks == GUESS ? heavy * own * own : 0;
    }
    return sum;
}

/* Joints stay closed while values that are given come nearer. */
static bool search_gently(least *l)
{
    l->gentle = true;
    search(l, 0);
    l->gentle = false;
    return search(l, 0) && is_upright(l);
}

/* From the reference; where that leads nowhere, the best of what is found from around it. */
static bool find_places(least *l)
{
    uint32_t n = l->m->coordinate.count;
    double least_change = INFINITY;
    double *from = CT_NEW_ARRAY(l->arena, double, n + 1);
    double *best = CT_NEW_ARRAY(l->arena, double, n + 1);
    ct_start_rehang(l->m, &l->s, NULL);
    memcpy(from, l->s.place, n * sizeof *from);
    if (search_gently(l))
        return true;
    for (uint32_t i = 1; i <= ATTEMPTS; i++) {
        memcpy(l->s.place, from, n * sizeof *from);
        scatter(l, i);
        if (!search_gently(l) || change_of(l) >= least_change)
            continue;
        least_change = change_of(l);
        memcpy(best, l->s.place, n * sizeof *best);
    }
    memcpy(l->s.place, best, n * sizeof *best);
    return isfinite(least_change);
}

static bool read_found(least *l, whereabouts *f)
{
    set_now(l);
    return ct_start_read_found(l->m, l->arena, look_up, l, f);
}

static bool find(least *l, whereabouts *f)
{
    if (!prepare(l) || !find_places(l) || !read_found(l, f))
        return false;
    refer_speeds(l, f);
    bool good = search(l, 1) && read_found(l, f);
    f->speeds = true;
    return good;
}

/* The definition with start values in another pool. */
static const ct_mechanics_def *moved_def(const mechanics *m, ct_pool *pool, ct_arena *arena)
{
    ct_mechanics_def *def = CT_NEW(arena, ct_mechanics_def);
    ct_start *start = CT_NEW_ARRAY(arena, ct_start, m->def->start_count + 1);
    *def = *m->def;
    for (uint32_t i = 0; i < def->start_count; i++) {
        ct_expr e[] = {m->def->start[i].variable, m->def->start[i].value};
        start[i] = m->def->start[i];
        ct_expr_copy_all(pool, m->pool, e, e, 2);
        start[i].variable = e[0];
        start[i].value = e[1];
    }
    def->start = start;
    def->pool = pool;
    return def;
}

/* Bodies as coordinates, without wishes. */
static mechanics *copy_of(const mechanics *m, ct_pool *pool, ct_arena *arena)
{
    ct_tree_def choice = {.complete = true, .coordinates = CT_COORDINATES_ABSOLUTE};
    const ct_tree *tree = ct_tree_select(m->tree->graph, &choice);
    if (!tree)
        return NULL;
    mechanics *copy = ct_mech_start(moved_def(m, pool, arena), tree,
                                    ct_mech_moved(m->mech, m->pool, pool, arena), pool, arena);
    copy->value = m->value;
    copy->user = m->user;
    copy->now = m->now;
    copy->hold = true;
    return ct_mech_kinematics(copy) ? copy : NULL;
}

static void note_known(const mechanics *m, ct_mechanics_start *out)
{
    for (uint32_t i = 0; i < m->def->start_count; i++) {
        const ct_start_kind *k = ct_start_kind_of(ct_start_motion_of(m, &m->def->start[i]));
        if (k)
            out->known[i] = k->angle ? CT_KNOWN_ANGLE : CT_KNOWN_LENGTH;
    }
}

bool ct_start_least(mechanics *m, ct_mechanics_start *out)
{
    uint32_t reports =
        ct_reports_so_far(m->ctx); /* what no absolute coordinates do is no mistake */
    ct_arena *scratch = ct_arena_new(m->ctx);
    ct_pool *pool = ct_pool_new(m->ctx);
    least l = {.m = copy_of(m, pool, scratch), .arena = scratch};
    whereabouts f = {0};
    l.s = (ct_mechanics_start){.t = out->t, .backward = out->backward, .arena = scratch};
    bool good = find(&l, &f);
    ct_forget_reports_since(m->ctx, reports);
    if (good) {
        ct_start_rehang(m, out, &(whereabouts){f.joint, f.body, false});
        ct_start_rehang(m, out, &f);
        note_known(m, out);
        out->tied = l.s.tied;
    }
    ct_pool_free(pool);
    ct_arena_free(scratch);
    return good;
}

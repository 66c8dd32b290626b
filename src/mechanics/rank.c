/* rank.c - redundant constraints, found in numbers.
 *
 * Three parallel cranks of equal length tie their coupler three times over, but only where the
 * loops are closed: no symbol shows it. So the mechanism is put together at some random
 * configurations (parameters at their values), and the rows of all joints are orthogonalized in the
 * order of trees first, then chords. A row that depends on those before it in every configuration
 * is redundant and dropped, before anything is eliminated: left in, it would lock the mechanism as
 * soon as the positions drift. Rows are those of absolute coordinates, which have a handful of
 * entries each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "mechanics/inside.h"
#include "mechanics/orthogonal.h"

enum { CONFIGURATIONS = 3, MOST_CONFIGURATIONS = 12, ATTEMPTS = 12, ITERATIONS = 40, LARGE = 150 };

static const double CLOSED = 1e-10, DAMPING = 1e-7, LONGEST_TURN = 0.6, NEARBY = 0.2;

typedef struct shape { /* a tie in numbers */
    double from[2], to[2], axis[2], offset, length;
} shape;

typedef struct posing {
    mechanics *m;
    ct_arena *arena;
    shape *shape;  /* by tie */
    double *pose;  /* x, y of the origin and angle by group */
    uint32_t *col; /* by group: first of three columns, leaves of the elimination tree first */
    uint32_t cols;
    double size;              /* a length of the mechanism */
    chord_rows fixed, driven; /* all rows: of joints, of drivers */
    double *angle, *joint;    /* hints: by group; by tie, its turn and slide */
    double spread;
    uint64_t seed;
} posing;

/* ---- numbers */

static double lookup(void *user, ct_name name)
{
    const mechanics *m = user;
    const char *text = ct_name_text(m->ctx, name);
    return strcmp(text, "t") == 0 ? 0 : m->def->value(m->def->user, name);
}

static double value_of(mechanics *m, ct_expr e)
{
    return e ? ct_expr_value(m->pool, e, lookup, m) : 0;
}

static double random_unit(posing *p)
{
    p->seed = ct_hash_mix(p->seed, 0x72616e6b);
    return (double)(p->seed >> 11) / 4503599627370496.0 - 1;
}

/* False: a value is missing. */
static bool read_shapes(posing *p)
{
    mechanics *m = p->m;
    double sum = 0, terms = 1e-300;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        shape *s = &p->shape[i];
        if (t->is_body)
            continue;
        for (int k = 0; k < 2; k++) {
            s->from[k] = value_of(m, t->from.x[k]);
            s->to[k] = value_of(m, t->to.x[k]);
            s->axis[k] = value_of(m, t->axis[0].x[k]);
        }
        s->offset = value_of(m, t->offset);
        s->length = value_of(m, t->length);
        double own = hypot(s->from[0], s->from[1]) + hypot(s->to[0], s->to[1]) + s->length;
        sum += own;
        terms += own > 0;
        if (!isfinite(own + s->axis[0] + s->axis[1] + s->offset) || (t->rod && s->length == 0))
            return false;
    }
    p->size = sum > 0 ? sum / terms : 1;
    return true;
}

/* ---- rows */

typedef struct ends {
    double u[2], n[2], d[2], to[2], from[2]; /* axis, its normal, distance, arms in the world */
} ends;

static void turn(const double a[2], double angle, double out[2])
{
    double c = cos(angle), s = sin(angle), x = a[0];
    out[0] = c * x - s * a[1];
    out[1] = s * x + c * a[1];
}

static ends ends_of(const posing *p, uint32_t index)
{
    const tie *t = &p->m->tie.at[index];
    const shape *s = &p->shape[index];
    const double *tail = p->pose + 3 * t->tail, *head = p->pose + 3 * t->head;
    ends e;
    turn(s->axis, tail[2], e.u);
    turn(s->from, tail[2], e.from);
    turn(s->to, head[2], e.to);
    e.n[0] = -e.u[1];
    e.n[1] = e.u[0];
    for (int k = 0; k < 2; k++)
        e.d[k] = head[k] + e.to[k] - tail[k] - e.from[k];
    return e;
}

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

enum { MOST_COUPLED = 7 }; /* freedoms in one driver that the test looks at */

typedef struct line {
    thin at[6 * (MOST_COUPLED + 1)];
    uint32_t count;
    double value;
} line;

static void add_group(const posing *p, line *l, uint32_t group, const double w[2], double angle)
{
    if (!group)
        return;
    uint32_t first = l->count;
    double part[3] = {w[0], w[1], p->m->group[group].point ? 0 : angle / p->size};
    for (uint32_t k = 0; k < 3; k++)
        if (part[k] != 0)
            l->at[l->count++] = (thin){p->col[group] + k, part[k]};
    if (first && first < l->count && l->at[first].col < l->at[0].col) { /* ascending columns */
        thin moved[6];
        memcpy(moved, l->at + first, (l->count - first) * sizeof *moved);
        memcpy(moved + l->count - first, l->at, first * sizeof *moved);
        memcpy(l->at, moved, l->count * sizeof *moved);
    }
}

/* w.d, with what the turning of w adds on the tail. */
static void along(const posing *p, const tie *t, const ends *e, const double w[2], double turning,
                  line *l)
{
    double back[2] = {-w[0], -w[1]};
    l->value = dot(w, e->d);
    add_group(p, l, t->head, w, cross(e->to, w));
    add_group(p, l, t->tail, back, turning - cross(e->from, w));
}

/* ---- couplings */

static double freedom_value(const posing *p, uint32_t index, bool turns)
{
    const tie *t = &p->m->tie.at[index];
    if (turns)
        return p->pose[3 * t->head + 2] - p->pose[3 * t->tail + 2] - p->shape[index].offset;
    ends e = ends_of(p, index);
    return dot(e.u, e.d);
}

typedef struct reading {
    const posing *p;
    const couple *c;
} reading;

static double look_up_freedom(void *user, ct_name name)
{
    const reading *r = user;
    for (uint32_t i = 0; i < r->c->count; i++)
        if (r->c->by[i].symbol == name)
            return freedom_value(r->p, r->c->by[i].tie, r->c->by[i].turn);
    return lookup(r->p->m, name);
}

static int by_column(const void *a, const void *b)
{
    const thin *x = a, *y = b;
    return (x->col > y->col) - (x->col < y->col);
}

/* factor times the gradient of a freedom. */
static void add_freedom(const posing *p, uint32_t index, bool turns, double factor, line *l)
{
    const tie *t = &p->m->tie.at[index];
    double none[2] = {0, 0};
    line own = {.count = 0};
    if (turns) {
        add_group(p, &own, t->head, none, 1);
        add_group(p, &own, t->tail, none, -1);
    } else {
        ends e = ends_of(p, index);
        along(p, t, &e, e.u, dot(e.n, e.d), &own);
    }
    for (uint32_t i = 0; i < own.count; i++)
        l->at[l->count++] = (thin){own.at[i].col, factor * own.at[i].value};
}

/* Columns in order, once each. */
static void merge(line *l)
{
    uint32_t kept = 0;
    qsort(l->at, l->count, sizeof *l->at, by_column);
    for (uint32_t i = 0; i < l->count; i++)
        if (kept && l->at[kept - 1].col == l->at[i].col)
            l->at[kept - 1].value += l->at[i].value;
        else
            l->at[kept++] = l->at[i];
    l->count = kept;
}

static line couple_line(const posing *p, uint32_t index, uint8_t row)
{
    const tie *t = &p->m->tie.at[index];
    bool turns = row == ROW_COUPLE_TURN;
    const given *g = turns ? &t->angle : &t->slide;
    reading r = {p, g->couple};
    line l = {.count = 0};
    l.value = freedom_value(p, index, turns) -
              ct_expr_value(p->m->pool, r.c->raw[0], look_up_freedom, &r);
    add_freedom(p, index, turns, 1, &l);
    for (uint32_t i = 0; i < r.c->count && i < MOST_COUPLED; i++) {
        double slope = ct_expr_value(p->m->pool, r.c->by[i].raw, look_up_freedom, &r);
        add_freedom(p, r.c->by[i].tie, r.c->by[i].turn, -slope, &l);
    }
    merge(&l);
    return l;
}

static line scaled(line l)
{
    double norm = 0;
    for (uint32_t k = 0; k < l.count; k++)
        norm = hypot(norm, l.at[k].value);
    for (uint32_t k = 0; k < l.count && norm > 0; k++)
        l.at[k].value /= norm;
    l.value /= norm > 0 ? norm : 1;
    return l;
}

static line line_of(const posing *p, uint32_t index, uint8_t row)
{
    const tie *t = &p->m->tie.at[index];
    const shape *s = &p->shape[index];
    ends e = ends_of(p, index);
    double w[2] = {row == ROW_X, row == ROW_Y}, none[2] = {0, 0};
    line l = {.count = 0};
    if (ct_row_couples(row))
        return scaled(couple_line(p, index, row));
    switch (row) {
    case ROW_NORMAL:
        along(p, t, &e, e.n, -dot(e.u, e.d), &l);
        break;
    case ROW_DRIVE_SLIDE:
        along(p, t, &e, e.u, dot(e.n, e.d), &l);
        break;
    case ROW_ROD:
        w[0] = e.d[0] / s->length;
        w[1] = e.d[1] / s->length;
        along(p, t, &e, w, 0, &l);
        l.value = (dot(e.d, e.d) / s->length - s->length) / 2;
        break;
    case ROW_TURN:
    case ROW_DRIVE_TURN:
        l.value = remainder(p->pose[3 * t->head + 2] - p->pose[3 * t->tail + 2] - s->offset,
                            2 * acos(-1)) *
                  p->size;
        add_group(p, &l, t->head, none, p->size);
        add_group(p, &l, t->tail, none, -p->size);
        break;
    default:
        along(p, t, &e, w, 0, &l);
    }
    return scaled(l);
}

static void push_rows(posing *p, uint32_t index, const uint8_t *row, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        bool drive = row[k] == ROW_DRIVE_SLIDE || row[k] == ROW_DRIVE_TURN;
        CT_PUSH(p->arena, *(drive ? &p->driven : &p->fixed), (chord_row){index, row[k], 0, false});
    }
}

/* Rows of branches first, then those of chords in their order. */
static void list_rows(posing *p, bool of_user)
{
    mechanics *m = p->m;
    p->fixed.count = p->driven.count = 0;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint8_t row[4];
        bool in_t = of_user ? t->in_t : t->in_fast;
        bool in_r = of_user ? t->in_r : m->fast->class_tie[i];
        uint32_t count = t->is_body || t->rod ? 0 : ct_mech_rows(t, in_t, in_r, row);
        while (count && ct_row_couples(row[count - 1])) /* they follow with the chords */
            count--;
        push_rows(p, i, row, count);
    }
    const chord_rows *chords = of_user ? &m->user_row : &m->fast->chord;
    for (uint32_t i = 0; i < chords->count; i++)
        push_rows(p, chords->at[i].tie, &chords->at[i].row, 1);
}

/* ---- configurations */

/* Start values that the model gives: angles of groups, values of joints; NaN: none. */
static void read_hints(posing *p)
{
    mechanics *m = p->m;
    p->angle = CT_NEW_ARRAY(p->arena, double, m->group_count);
    p->joint = CT_NEW_ARRAY(p->arena, double, (size_t)2 * m->tie.count + 1);
    for (uint32_t i = 0; i < m->group_count; i++)
        p->angle[i] = NAN;
    for (uint32_t i = 0; i < 2 * m->tie.count; i++)
        p->joint[i] = NAN;
    for (uint32_t i = 0; i < m->def->start_count; i++) {
        const ct_start *s = &m->def->start[i];
        uint32_t known = ct_map_get(&m->motion, ct_expr_name(m->pool, s->variable));
        const ct_motion *what = known ? &m->mech->motion[known - 1] : NULL;
        double value = known ? value_of(m, s->value) : 0;
        if (what && what->kind == CT_MOTION_ANGLE) {
            const site *at = &m->site[what->object];
            p->angle[at->group] = value - value_of(m, at->turn);
        } else if (what && what->kind == CT_MOTION_TURN) {
            uint32_t t = m->tie_of_joint[what->object];
            p->joint[t == CT_NOTHING ? 0 : 2 * t] = value;
        } else if (what && what->kind == CT_MOTION_SLIDE) {
            uint32_t t = m->tie_of_joint[what->object];
            p->joint[t == CT_NOTHING ? 0 : 2 * t + 1] = value;
        }
    }
}

/* A value near its hint (zero without one) at first, far from it later. */
static double near(posing *p, double hint)
{
    return (isnan(hint) ? 0 : hint) + p->spread * random_unit(p);
}

static void throw_classes(posing *p)
{
    mechanics *m = p->m;
    const fast *f = m->fast;
    for (uint32_t i = 0; i < m->group_count; i++) {
        uint32_t g = f->class_order[i], up = f->class_parent[g];
        if (up == CT_NOTHING)
            continue;
        const tie *t = &m->tie.at[up];
        double between = p->shape[up].offset + (t->turns ? near(p, p->joint[2 * up]) : 0);
        p->pose[3 * g + 2] =
            t->head == g ? p->pose[3 * t->tail + 2] + between : p->pose[3 * t->head + 2] - between;
    }
}

static void throw_angles(posing *p)
{
    mechanics *m = p->m;
    for (uint32_t i = 0; i < m->fast->tree.count; i++) {
        const step *s = &m->fast->tree.at[i];
        double *angle = &p->pose[3 * s->child + 2], own = p->angle[s->child];
        if (m->group[s->child].point)
            continue;
        *angle = near(p, own);
        if (s->tie == CT_NOTHING || !isnan(own) || isnan(p->joint[2 * s->tie]))
            continue;
        double between = p->shape[s->tie].offset + near(p, p->joint[2 * s->tie]);
        *angle = p->pose[3 * s->parent + 2] + (s->forward ? between : -between);
    }
    throw_classes(p);
}

/* Joint values along the elimination tree; loops are open. */
static void throw_pose(posing *p)
{
    mechanics *m = p->m;
    memset(p->pose, 0, 3 * m->group_count * sizeof *p->pose);
    throw_angles(p);
    for (uint32_t i = 0; i < m->fast->tree.count; i++) {
        const step *s = &m->fast->tree.at[i];
        double *pose = p->pose + 3 * s->child;
        for (int k = 0; s->tie == CT_NOTHING && k < 2; k++)
            pose[k] = p->size * random_unit(p);
        if (s->tie == CT_NOTHING)
            continue;
        const tie *t = &m->tie.at[s->tie];
        double hint = p->joint[2 * s->tie + 1];
        double slide =
            t->slides ? (isnan(hint) ? 0 : hint) + p->size * p->spread * random_unit(p) : 0;
        ends e = ends_of(p, s->tie); /* the child is at the origin */
        for (int k = 0; k < 2; k++) {
            double gap = e.d[k] - slide * e.u[k];
            pose[k] = s->forward ? -gap : gap;
        }
    }
}

/* A damped step of least squares; returns the largest residual before it. */
static double close_loops(posing *p)
{
    mechanics *m = p->m;
    ct_arena *scratch = ct_arena_new(m->ctx);
    double *x = CT_NEW_ARRAY(scratch, double, p->cols + 1), worst = 0, longest = 0;
    triangle t;
    ct_triangle_init(&t, scratch, p->cols, DAMPING);
    for (uint32_t i = 0; i < p->fixed.count; i++) {
        line l = line_of(p, p->fixed.at[i].tie, p->fixed.at[i].row);
        worst = fmax(worst, fabs(l.value) / p->size);
        ct_triangle_add(&t, l.at, l.count, -l.value);
    }
    ct_triangle_solve(&t, x);
    for (uint32_t i = 0; i < p->cols; i++)
        longest = fmax(longest, fabs(x[i]) / p->size);
    double factor = longest > LONGEST_TURN ? LONGEST_TURN / longest : 1;
    for (uint32_t g = 1; g < m->group_count; g++)
        for (uint32_t k = 0; k < 3; k++)
            p->pose[3 * g + k] += factor * x[p->col[g] + k] / (k == 2 ? p->size : 1);
    ct_arena_free(scratch);
    return worst;
}

static bool find_pose(posing *p)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        double worst = 1;
        p->spread = attempt < 2 ? NEARBY : attempt < 4 ? 1 : 3;
        throw_pose(p);
        for (int i = 0; i < ITERATIONS && worst > CLOSED && isfinite(worst); i++)
            worst = close_loops(p);
        if (worst <= CLOSED)
            return true;
        if (p->m->group_count > LARGE && attempt >= 2)
            break;
    }
    return false;
}

/* ---- ranks */

typedef struct finding {
    uint32_t fixed_rank, driven_rank;
    bool *fixed, *driven; /* depends on earlier rows */
} finding;

static uint32_t add_rows(posing *p, triangle *t, const chord_rows *rows, bool *dependent)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        line l = line_of(p, rows->at[i].tie, rows->at[i].row);
        dependent[i] = !ct_triangle_add(t, l.at, l.count, 0);
        rank += !dependent[i];
    }
    return rank;
}

static finding find_rank(posing *p)
{
    ct_arena *scratch = ct_arena_new(p->m->ctx);
    finding f = {.fixed = CT_NEW_ARRAY(p->arena, bool, p->fixed.count + 1),
                 .driven = CT_NEW_ARRAY(p->arena, bool, p->driven.count + 1)};
    triangle t;
    ct_triangle_init(&t, scratch, p->cols, 0);
    f.fixed_rank = add_rows(p, &t, &p->fixed, f.fixed);
    f.driven_rank = add_rows(p, &t, &p->driven, f.driven);
    ct_arena_free(scratch);
    return f;
}

static void drop_rows(const posing *p, const finding *f, chord_rows *chords)
{
    ct_map map;
    ct_map_init(&map, p->arena);
    for (uint32_t i = 0; i < p->fixed.count; i++)
        if (f->fixed[i])
            ct_map_put(&map, ct_pair(p->fixed.at[i].tie, p->fixed.at[i].row), 1);
    for (uint32_t i = 0; i < chords->count; i++)
        if (ct_map_get(&map, ct_pair(chords->at[i].tie, chords->at[i].row)))
            chords->at[i].dropped = true;
}

/* ---- messages */

static const char *joint_name(const mechanics *m, uint32_t tie_index)
{
    return ct_name_text(m->ctx, m->mech->joint[m->tie.at[tie_index].object].name);
}

/* Reactions in the loop that the model reads: they are the least of many possible ones. */
static const char *doubtful_reactions(mechanics *m, const bool *inside)
{
    ct_text names = ct_text_new(m->arena);
    for (uint32_t i = 0; i < m->mech->motion_count; i++) {
        const ct_motion *x = &m->mech->motion[i];
        bool force = x->kind == CT_MOTION_REACTION || x->kind == CT_MOTION_REACTION_TORQUE;
        if (force && inside[x->object])
            ct_putf(&names, "%s%s", names.length ? ", " : "", ct_name_text(m->ctx, x->name));
    }
    return names.length ? ct_text_string(&names) : NULL;
}

static void report_redundant(mechanics *m, uint32_t tie_index)
{
    const char *name = joint_name(m, tie_index), *doubtful;
    bool *inside = CT_NEW_ARRAY(m->arena, bool, m->mech->joint_count + 1);
    ct_report *r = ct_warning(m->ctx, "W602", m->mech->joint[m->tie.at[tie_index].object].place,
                              "%s ties what other joints tie already", name);
    ct_witness(r, name);
    ct_note(r, "in the loop %s", ct_mech_loop(m, &m->fast->tree, tie_index, r, inside));
    ct_note(r, "the motion is determined, but not how these joints share the load; of all "
               "reactions that give this motion the least are taken");
    if ((doubtful = doubtful_reactions(m, inside)))
        ct_note(r, "this concerns %s", doubtful);
    ct_help(r, "a joint with more freedom in this loop, such as a slot, removes the redundancy");
}

static void report_locked(mechanics *m)
{
    ct_text names = ct_text_new(m->arena);
    uint32_t count = 0;
    const ct_joint *last = &m->mech->joint[m->mech->joint_count - 1];
    ct_report *r = ct_error(m->ctx, "E606", last->place, "the joints leave the bodies no freedom");
    for (uint32_t i = 0; i < m->mech->joint_count && count < 8; i++, count++) {
        const char *name = ct_name_text(m->ctx, m->mech->joint[i].name);
        ct_putf(&names, "%s%s", count ? ", " : "", name);
        ct_witness(r, name);
    }
    ct_note(r, "%s%s hold everything in place", ct_text_string(&names),
            count < m->mech->joint_count ? ", ..." : "");
    ct_help(r, "remove a joint or take one with more freedom");
}

static void report_overdriven(mechanics *m, uint32_t tie_index)
{
    const char *name = joint_name(m, tie_index);
    ct_report *r = ct_error(m->ctx, "E607", m->mech->joint[m->tie.at[tie_index].object].place,
                            "%s drives what is determined already", name);
    ct_note(r, "the joints and the drivers before it leave no freedom for it");
    ct_help(r, "remove this driver, or let it be a torque or force on the joint");
    ct_witness(r, name);
}

/* ---- all of it */

static uint32_t freedoms(const mechanics *m)
{
    uint32_t count = 0;
    for (uint32_t g = 1; g < m->group_count; g++)
        count += m->group[g].point ? 2 : 3;
    return count;
}

static bool judge(posing *p, const finding *f, int *freedom)
{
    mechanics *m = p->m;
    uint32_t free_columns = freedoms(m), last = CT_NOTHING;
    *freedom = (int)free_columns - (int)f->fixed_rank - (int)f->driven_rank;
    if (free_columns && f->fixed_rank >= free_columns && m->mech->joint_count) {
        report_locked(m);
        return false;
    }
    for (uint32_t i = 0; i < p->driven.count; i++)
        if (f->driven[i]) {
            report_overdriven(m, p->driven.at[i].tie);
            return false;
        }
    for (uint32_t i = 0; i < p->fixed.count; i++)
        if (f->fixed[i] && p->fixed.at[i].tie != last) {
            last = p->fixed.at[i].tie;
            report_redundant(m, last);
        }
    return true;
}

static void prepare(posing *p)
{
    mechanics *m = p->m;
    p->shape = CT_NEW_ARRAY(p->arena, shape, m->tie.count + 1);
    p->pose = CT_NEW_ARRAY(p->arena, double, (size_t)3 * m->group_count);
    p->col = CT_NEW_ARRAY(p->arena, uint32_t, m->group_count);
    for (uint32_t i = m->fast->tree.count; i-- > 0; p->cols += 3)
        p->col[m->fast->tree.at[i].child] = p->cols;
}

/* The highest rank counts, as lower ones are singular positions; but a way of putting it together
 * that cannot move is not the one that is meant if another can. */
static bool is_better(const posing *p, const finding *f, const finding *best)
{
    uint32_t all = freedoms(p->m);
    bool moves = f->fixed_rank < all, best_moves = best->fixed_rank < all;
    if (moves != best_moves)
        return moves;
    return f->fixed_rank + f->driven_rank > best->fixed_rank + best->driven_rank;
}

static bool test(posing *p, int *freedom)
{
    mechanics *m = p->m;
    finding best = {0};
    bool found = false;
    double *pose = CT_NEW_ARRAY(p->arena, double, (size_t)3 * m->group_count);
    int wanted = m->group_count > LARGE ? 1 : CONFIGURATIONS;
    read_hints(p);
    list_rows(p, false);
    for (int i = 0; i < wanted && find_pose(p); i++) {
        finding f = find_rank(p);
        if (f.fixed_rank >= freedoms(m) && wanted > 1 && wanted < MOST_CONFIGURATIONS)
            wanted++;
        if (found && !is_better(p, &f, &best))
            continue;
        best = f;
        found = true;
        memcpy(pose, p->pose, (size_t)3 * m->group_count * sizeof *pose);
    }
    if (!found)
        return true;
    m->tested = true;
    if (!judge(p, &best, freedom))
        return false;
    drop_rows(p, &best, &m->fast->chord);
    if (best.fixed_rank == p->fixed.count)
        return true;
    memcpy(p->pose, pose, (size_t)3 * m->group_count * sizeof *pose);
    list_rows(p, true);
    best = find_rank(p);
    drop_rows(p, &best, &m->user_row);
    return true;
}

bool ct_mech_rank(mechanics *m, int *freedom)
{
    posing p = {.m = m, .seed = 0x636f74726565};
    *freedom = 0;
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        *freedom += m->coordinate.at[i].u != 0;
    *freedom -= (int)m->user_row.count;
    m->tested = m->mech->joint_count == 0 || m->fast->chord.count == 0;
    if (!m->def->value || m->fast->chord.count == 0) /* the rows of a tree are independent */
        return true;
    p.arena = ct_arena_new(m->ctx);
    prepare(&p);
    bool good = !read_shapes(&p) || test(&p, freedom);
    ct_arena_free(p.arena);
    return good;
}

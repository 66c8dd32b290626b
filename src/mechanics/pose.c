/* pose.c - a mechanism in numbers: rows of joints, drivers and couplings with their gradients in
 * absolute coordinates, and configurations that close the loops. */
#include "mechanics/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { ATTEMPTS = 12, ITERATIONS = 40 };

static const double CLOSED = 1e-10, DAMPING = 1e-7, LONGEST_TURN = 0.6, NEARBY = 0.2;
static const double NOTHING = 1e-300; /* so that a mean of no lengths is no division by zero */

/* ---- numbers */

static double lookup(const void *user, ct_name name)
{
    const mechanics *m = user;
    uint32_t order;
    ct_name base = ct_base_symbol(m->def->symbols, name, &order);
    if (ct_symbol_of(m->def->symbols, base).kind == CT_SYMBOL_SLACK)
        return 0;
    uint32_t bend = m->shape_count ? ct_map_get(&m->shape_index, name) : 0;
    if (bend)
        return m->shape_now ? m->shape_now[bend - 1] : 0;
    return ct_is_time(m->def->symbols, name) ? m->now : m->value(m->user, name);
}

double ct_pose_value(mechanics *m, ct_expr e)
{
    return e ? ct_expr_value(m->pool, e, lookup, m) : 0;
}

double ct_mech_number(mechanics *m, ct_expr e)
{
    return m->value ? ct_pose_value(m, e) : NAN;
}

static double random_unit(posing *p)
{
    p->seed = ct_hash_mix(p->seed, 0x72616e6b);
    return (double)(p->seed >> 11) / 4503599627370496.0 - 1;
}

/* A section: where it is, and how that changes with the shape of its body. */
static void bend_tie(posing *p, const tie *t, shape *s)
{
    mechanics *m = p->m;
    const ct_flex *f = m->mech->body[m->site[t->tail_frame].body].flex;
    s->first = ct_map_get(&m->shape_index, f->q[0]) - 1;
    s->count = f->count;
    s->offset = ct_pose_value(m, t->offset);
    for (int k = 0; k < 2; k++)
        s->from[k] = ct_pose_value(m, t->from.x[k]);
    if (!s->slope)
        s->slope = ct_arena_alloc(p->arena, f->count * sizeof *s->slope);
    for (uint32_t k = 0; k < f->count; k++) {
        for (int i = 0; i < 2; i++)
            s->slope[k][i] = ct_pose_value(m, ct_expr_diff(m->pool, t->from.x[i], f->q[k]));
        s->slope[k][2] = ct_pose_value(m, ct_expr_diff(m->pool, t->offset, f->q[k]));
    }
}

void ct_pose_bend(posing *p)
{
    mechanics *m = p->m;
    m->shape_now = p->bend;
    for (uint32_t i = 0; m->bends && i < m->tie.count; i++)
        if (m->tie.at[i].elastic)
            bend_tie(p, &m->tie.at[i], &p->shape[i]);
    m->shape_now = NULL;
}

/* How far mass is from the origins of groups; 1: nowhere. */
double ct_pose_reach(mechanics *m)
{
    double sum = 0, mass = 0;
    for (uint32_t i = 1; i < m->mech->body_count; i++) {
        const ct_body *b = &m->mech->body[i];
        double own = fabs(ct_pose_value(m, b->mass)), arm = 0;
        for (int k = 0; k < 3; k++)
            arm = hypot(arm, ct_pose_value(m, m->member[i].com.x[k]));
        sum += own * arm * arm + fabs(ct_pose_value(m, b->inertia[2]));
        mass += own;
    }
    double reach = sqrt(sum / mass);
    return reach > 0 && isfinite(reach) ? reach : 1;
}

/* False: a value is missing. */
static bool read_shapes(posing *p)
{
    mechanics *m = p->m;
    double sum = 0, terms = NOTHING;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        shape *s = &p->shape[i];
        if (t->is_body)
            continue;
        for (int k = 0; k < 2; k++) {
            s->from[k] = ct_pose_value(m, t->from.x[k]);
            s->to[k] = ct_pose_value(m, t->to.x[k]);
            s->axis[k] = ct_pose_value(m, t->axis[0].x[k]);
        }
        s->offset = ct_pose_value(m, t->offset);
        s->length = ct_pose_value(m, t->length);
        double own = hypot(s->from[0], s->from[1]) + hypot(s->to[0], s->to[1]) + s->length;
        sum += own;
        terms += own > 0;
        if (!isfinite(own + s->axis[0] + s->axis[1] + s->offset) || (t->free.rod && s->length == 0))
            return false;
    }
    p->size = sum > 0 ? sum / terms : ct_pose_reach(m);
    ct_pose_bend(p);
    return true;
}

/* ---- rows */

typedef struct ends {
    double u[2], n[2], d[2], to[2], from[2]; /* axis, its normal, distance, arms in the world */
} ends;

void ct_pose_turn(const double a[2], double angle, double out[2])
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
    ct_pose_turn(s->axis, tail[2], e.u);
    ct_pose_turn(s->from, tail[2], e.from);
    ct_pose_turn(s->to, head[2], e.to);
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

void ct_pose_add_group(const posing *p, line *l, uint32_t group, const double w[2], double angle)
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

typedef struct number_vec {
    double x[3];
} number_vec;

typedef struct number_row {
    number_vec w, c, back;
    double over, position;
} number_row;

static number_vec turned(number_vec a)
{
    return (number_vec){{-a.x[1], a.x[0], 0}};
}

#define NUMBER    double
#define VECTOR    number_vec
#define ROW_FORM  number_row
#define ROW_WORK  const posing
#define ONE       1
#define HALF      0.5
#define NEG(a)    (-(a))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define DOT(a, b) dot((a).x, (b).x)
#define TURNED(a) turned(a)
#include "mechanics/rows.def"

/* The row here; `unit`: the length that an angle counts as. */
static number_row row_of(const posing *p, uint32_t index, uint8_t row, double turn, double unit,
                         const ends *e)
{
    row_input in = {
        {{e->u[0], e->u[1], 0}}, {{e->d[0], e->d[1], 0}}, p->shape[index].length, turn, unit};
    number_row f = {.over = 1};
    row_kinds[row].fill(p, &in, &f);
    return f;
}

/* Of a section: by the shape of its body. */
static void put_bend(const posing *p, const tie *t, const double w[2], double c, line *l)
{
    const shape *s = &p->shape[t - p->m->tie.at];
    for (uint32_t k = 0; k < s->count; k++) {
        double way[2];
        ct_pose_turn(s->slope[k], p->pose[3 * t->tail + 2], way);
        double value = -dot(w, way) - c * s->slope[k][2];
        if (value != 0)
            l->at[l->count++] = (thin){p->bend_col + s->first + k, value};
    }
}

/* Its gradient: force and torque on the head, the opposite on the tail, and what turns with it. */
static void put_row(const posing *p, const tie *t, const ends *e, const number_row *f, line *l)
{
    double w[2] = {f->w.x[0] / f->over, f->w.x[1] / f->over}, back[2] = {-w[0], -w[1]};
    l->value = f->position;
    ct_pose_add_group(p, l, t->head, w, cross(e->to, w) + f->c.x[ABOUT]);
    ct_pose_add_group(p, l, t->tail, back,
                      f->back.x[ABOUT] / f->over - cross(e->from, w) - f->c.x[ABOUT]);
    if (t->elastic)
        put_bend(p, t, w, f->c.x[ABOUT], l);
}

/* ---- couplings */

static const uint8_t row_of_freedom[POSE_FREEDOMS] = {CT_ROW_TURN, CT_ROW_DRIVE_SLIDE,
                                                      CT_ROW_NORMAL};

static double turn_of(const posing *p, uint32_t index)
{
    const tie *t = &p->m->tie.at[index];
    return p->pose[3 * t->head + 2] - p->pose[3 * t->tail + 2] - p->shape[index].offset;
}

double ct_pose_freedom(const posing *p, uint32_t index, uint32_t freedom)
{
    ends e = ends_of(p, index);
    return row_of(p, index, row_of_freedom[freedom], turn_of(p, index), 1, &e).position;
}

/* The child where its joint to the parent has these values. */
void ct_pose_hang(const posing *p, const step *s, const double freedom[3])
{
    const tie *t = &p->m->tie.at[s->tie];
    double *child = p->pose + 3 * s->child, sign = s->forward ? 1 : -1;
    double between = p->shape[s->tie].offset + freedom[POSE_TURN];
    child[0] = child[1] = child[2] = 0;
    if (t->free.spins)
        child[2] = p->pose[3 * s->parent + 2] + sign * between;
    ends e = ends_of(p, s->tie);
    for (int k = 0; k < 2; k++)
        child[k] = sign * (freedom[POSE_SLIDE] * e.u[k] + freedom[POSE_CROSS] * e.n[k] - e.d[k]);
}

/* The same of speeds: d' = s1' u + s2' n + w_tail k x d, at the joint's point. */
void ct_pose_hang_speed(const posing *p, const step *s, const double rate[3], double *speed)
{
    const tie *t = &p->m->tie.at[s->tie];
    ends e = ends_of(p, s->tie);
    const double *parent = speed + 3 * s->parent;
    double *child = speed + 3 * s->child, sign = s->forward ? 1 : -1;
    double moving[3] = {0, 0, 0}; /* of a section */
    for (uint32_t k = 0; t->elastic && k < p->shape[s->tie].count; k++)
        for (int i = 0; i < 3; i++)
            moving[i] += p->shape[s->tie].slope[k][i] * p->bend_rate[p->shape[s->tie].first + k];
    ct_pose_turn(moving, p->pose[3 * t->tail + 2], moving);
    child[2] = t->free.spins ? parent[2] + sign * (rate[POSE_TURN] + moving[2]) : 0;
    double tail = speed[3 * t->tail + 2], head = speed[3 * t->head + 2];
    for (int k = 0; k < 2; k++) {
        int other = 1 - k;
        double turn = k ? 1 : -1; /* (k x a)_k = turn * a_other */
        double gap = rate[POSE_SLIDE] * e.u[k] + rate[POSE_CROSS] * e.n[k] +
                     turn * (tail * e.d[other] + tail * e.from[other] - head * e.to[other]) +
                     moving[k];
        child[k] = parent[k] + sign * gap;
    }
}

typedef struct reading {
    const posing *p;
    const couple *c;
} reading;

static double look_up_freedom(const void *user, ct_name name)
{
    const reading *r = user;
    for (uint32_t i = 0; i < r->c->count; i++)
        if (r->c->by[i].symbol == name)
            return ct_pose_freedom(r->p, r->c->by[i].tie,
                                   r->c->by[i].turn ? POSE_TURN : POSE_SLIDE);
    return lookup(r->p->m, name);
}

static int by_column(const void *a, const void *b)
{
    const thin *x = a, *y = b;
    return (x->col > y->col) - (x->col < y->col);
}

/* factor times the gradient of a freedom. */
void ct_pose_add_freedom(const posing *p, uint32_t index, uint32_t freedom, double factor, line *l)
{
    line own = {.count = 0};
    ends e = ends_of(p, index);
    number_row f = row_of(p, index, row_of_freedom[freedom], 0, 1, &e);
    put_row(p, &p->m->tie.at[index], &e, &f, &own);
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
    const given *g = row == CT_ROW_COUPLE_TURN ? &t->angle : &t->slide;
    uint32_t own = row == CT_ROW_COUPLE_TURN ? POSE_TURN : POSE_SLIDE;
    reading r = {p, g->couple};
    line l = {.count = 0};
    l.value = ct_pose_freedom(p, index, own) -
              ct_expr_value(p->m->pool, r.c->raw[0], look_up_freedom, &r);
    ct_pose_add_freedom(p, index, own, 1, &l);
    for (uint32_t i = 0; i < r.c->count && i < MOST_COUPLED; i++) {
        double slope = ct_expr_value(p->m->pool, r.c->by[i].raw, look_up_freedom, &r);
        ct_pose_add_freedom(p, r.c->by[i].tie, r.c->by[i].turn ? POSE_TURN : POSE_SLIDE, -slope,
                            &l);
    }
    merge(&l);
    return l;
}

line ct_pose_scaled(line l)
{
    double norm = 0;
    for (uint32_t k = 0; k < l.count; k++)
        norm = hypot(norm, l.at[k].value);
    for (uint32_t k = 0; k < l.count && norm > 0; k++)
        l.at[k].value /= norm;
    l.value /= norm > 0 ? norm : 1;
    return l;
}

line ct_pose_line(const posing *p, uint32_t index, uint8_t row)
{
    line l = {.count = 0};
    if (ct_row_couples(row))
        return ct_pose_scaled(couple_line(p, index, row));
    ends e = ends_of(p, index);
    bool turns = row_kinds[row].needs & NEEDS_TURN;
    double turn = turns ? remainder(turn_of(p, index), 2 * acos(-1)) : 0;
    number_row f = row_of(p, index, row, turn, p->size, &e);
    put_row(p, &p->m->tie.at[index], &e, &f, &l);
    if (p->m->tie.at[index].elastic)
        merge(&l);
    return ct_pose_scaled(l);
}

static void push_rows(posing *p, uint32_t index, const uint8_t *row, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        bool drive = row[k] == CT_ROW_DRIVE_SLIDE || row[k] == CT_ROW_DRIVE_TURN;
        CT_PUSH(p->arena, *(drive ? &p->driven : &p->fixed), (chord_row){index, row[k], 0, false});
    }
}

/* Rows of branches first, then those of chords in their order. */
void ct_pose_list_rows(posing *p, bool of_user)
{
    mechanics *m = p->m;
    p->fixed.count = p->driven.count = 0;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint8_t row[CT_MOST_ROWS];
        bool in_t = of_user ? t->in_t : t->in_fast;
        bool in_r = of_user ? t->in_r : m->fast->class_tie[i];
        uint32_t count = t->is_body || t->free.rod ? 0 : ct_tie_rows(&t->free, in_t, in_r, row);
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
        double value = known ? ct_pose_value(m, s->value) : 0;
        if (what && what->kind == CT_MOTION_ANGLE) {
            const site *at = &m->site[what->object];
            p->angle[at->group] = value - ct_pose_value(m, at->turn.angle);
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
        double between = p->shape[up].offset + (t->free.turns ? near(p, p->joint[2 * up]) : 0);
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
void ct_pose_throw(posing *p)
{
    mechanics *m = p->m;
    memset(p->pose, 0, 3 * m->group_count * sizeof *p->pose);
    throw_angles(p);
    for (uint32_t i = 0; i < m->fast->tree.count; i++) {
        const step *s = &m->fast->tree.at[i];
        double *pose = p->pose + 3 * s->child;
        for (int k = 0; s->tie == CT_NOTHING && k < 2; k++)
            pose[k] = p->spread > 0 ? p->size * random_unit(p) : 0;
        if (s->tie == CT_NOTHING)
            continue;
        const tie *t = &m->tie.at[s->tie];
        double hint = p->joint[2 * s->tie + 1];
        double slide =
            t->free.slides ? (isnan(hint) ? 0 : hint) + p->size * p->spread * random_unit(p) : 0;
        ends e = ends_of(p, s->tie); /* the child is at the origin */
        for (int k = 0; k < 2; k++) {
            double gap = e.d[k] - slide * e.u[k];
            pose[k] = s->forward ? -gap : gap;
        }
    }
}

/* A damped step of least squares; returns the largest residual before it. */
double ct_pose_close(posing *p)
{
    mechanics *m = p->m;
    ct_arena *scratch = ct_arena_new(m->ctx);
    double *x = CT_NEW_ARRAY(scratch, double, p->cols + 1), worst = 0, longest = 0;
    triangle t;
    ct_triangle_init(&t, scratch, p->cols, DAMPING);
    for (uint32_t i = 0; i < p->fixed.count; i++) {
        line l = ct_pose_line(p, p->fixed.at[i].tie, p->fixed.at[i].row);
        worst = fmax(worst, fabs(l.value) / p->size);
        while (l.count && l.at[l.count - 1].col >= p->bend_col && !p->bending)
            l.count--;
        ct_triangle_add(&t, l.at, l.count, -l.value);
    }
    ct_triangle_solve(&t, x);
    for (uint32_t i = 0; i < p->cols; i++)
        longest = fmax(longest, fabs(x[i]) / p->size);
    double factor = longest > LONGEST_TURN ? LONGEST_TURN / longest : 1;
    for (uint32_t g = 1; g < m->group_count; g++)
        for (uint32_t k = 0; k < 3; k++)
            p->pose[3 * g + k] += factor * x[p->col[g] + k] / (k == 2 ? p->size : 1);
    for (uint32_t i = 0; p->bending && i < m->shape_count; i++)
        p->bend[i] += factor * x[p->bend_col + i];
    if (p->bending)
        ct_pose_bend(p);
    ct_arena_free(scratch);
    return worst;
}

bool ct_pose_find(posing *p)
{
    /* A chain adds up by what its joints are thrown: with a spread that falls as 1/n its end
     * misses the place where it closes by no more than that of CT_LARGE_MECHANISM bodies does. */
    double same_miss = fmin(1, (double)CT_LARGE_MECHANISM / p->m->group_count);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        double worst = 1;
        p->spread = (attempt < 2 ? NEARBY : attempt < 4 ? 1 : 3) * same_miss;
        p->bending = p->m->bends && attempt % 2;
        ct_pose_throw(p);
        for (int i = 0; i < ITERATIONS && worst > CLOSED && isfinite(worst); i++)
            worst = ct_pose_close(p);
        if (worst <= CLOSED)
            return true;
        if (p->m->group_count > CT_LARGE_MECHANISM && attempt >= 2)
            break;
    }
    return false;
}

static void prepare(posing *p)
{
    mechanics *m = p->m;
    p->shape = CT_NEW_ARRAY(p->arena, shape, m->tie.count + 1);
    p->pose = CT_NEW_ARRAY(p->arena, double, (size_t)3 * m->group_count);
    p->col = CT_NEW_ARRAY(p->arena, uint32_t, m->group_count);
    p->group_of = CT_NEW_ARRAY(p->arena, uint32_t, m->group_count);
    for (uint32_t i = m->fast->tree.count; i-- > 0; p->cols += 3) {
        p->group_of[p->cols / 3] = m->fast->tree.at[i].child;
        p->col[m->fast->tree.at[i].child] = p->cols;
    }
    p->bend_col = p->cols;
    p->cols += m->shape_count;
    p->bend = CT_NEW_ARRAY(p->arena, double, m->shape_count + 1);
    p->bend_rate = CT_NEW_ARRAY(p->arena, double, m->shape_count + 1);
}

bool ct_pose_begin(posing *p, mechanics *m, ct_arena *arena)
{
    *p = (posing){.m = m, .arena = arena, .seed = 0x636f74726565};
    prepare(p);
    if (!read_shapes(p))
        return false;
    read_hints(p);
    return true;
}

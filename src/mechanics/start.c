/* start.c - where a mechanism begins, whatever its coordinates: from the reference pose the change
 * of places and angles of bodies that is least in the metric of kinetic energy, so that joints are
 * closed and given values met; then the same of speeds.
 *
 * Start values of other kinds (lengths, sums) are left to the run. */
#include "mechanics/start.h"

#include <math.h>
#include <string.h>

#include "solve/nearest.h"

static const double closed = 1e-12;   /* of hard rows, as a part of the size */
static const double agreement = 1e-6; /* of redundant values */
static const double massless = 1e-5;  /* bodies without mass decide what others leave open */
static const double straight = 1e3;   /* shapes change only where they must */
static const double spreads[] = {0, 0.2, 0.2, 1, 1, 3};

/* ---- start values */

static const struct {
    ct_motion_kind kind[2]; /* by order */
    bool joint;
    uint32_t axis;
} kinds[] = {
    {{CT_MOTION_ANGLE, CT_MOTION_SPIN}, false, 2},
    {{CT_MOTION_POSITION, CT_MOTION_VELOCITY}, false, 0},
    {{CT_MOTION_TURN, CT_MOTION_TURN_SPEED}, true, POSE_TURN},
    {{CT_MOTION_SLIDE, CT_MOTION_SLIDE_SPEED}, true, POSE_SLIDE},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void want_frame(beginning *b, const ct_motion *x, wanted *w)
{
    mechanics *m = b->p.m;
    const site *at = &m->site[x->object];
    w->group = at->group;
    w->axis = w->axis == 2 ? 2 : x->axis;
    w->turn = ct_pose_value(m, at->turn.angle);
    for (int k = 0; k < 2; k++)
        w->at[k] = ct_pose_value(m, at->at.x[k]);
}

static bool is_angle(const wanted *w)
{
    return !w->bend && w->axis == (w->joint ? POSE_TURN : 2);
}

/* A coordinate of a shape: the search begins there. */
static uint8_t want_bend(beginning *b, const ct_start *s, const ct_motion *x, wanted w)
{
    mechanics *m = b->p.m;
    const ct_flex *f = m->mech->body[x->object].flex;
    w.order = x->kind == CT_MOTION_BEND_SPEED;
    w.value = ct_pose_value(m, s->value);
    w.bend = ct_map_get(&m->shape_index, f->q[x->axis]);
    (w.order ? b->p.bend_rate : b->p.bend)[w.bend - 1] = w.value;
    CT_PUSH(b->p.arena, b->wanted, w);
    return CT_KNOWN_LENGTH;
}

/* 0: it is no place or speed of a joint or frame. */
static uint8_t want(beginning *b, const ct_start *s)
{
    mechanics *m = b->p.m;
    bool symbol = ct_expr_kind_of(m->pool, s->variable) == CT_EXPR_SYMBOL;
    uint32_t known = symbol ? ct_map_get(&m->motion, ct_expr_name(m->pool, s->variable)) : 0, k = 0;
    const ct_motion *x = known ? &m->mech->motion[known - 1] : NULL;
    wanted w = {.guess = s->guess};
    if (x && (x->kind == CT_MOTION_BEND || x->kind == CT_MOTION_BEND_SPEED))
        return want_bend(b, s, x, w);
    while (x && k < KINDS && kinds[k].kind[0] != x->kind && kinds[k].kind[1] != x->kind)
        k++;
    bool turns =
        k < KINDS && !kinds[k].joint && kinds[k].axis == 2; /* about z, whatever its axis */
    if (!x || k == KINDS || (x->axis > 1 && !turns))
        return 0;
    w.order = kinds[k].kind[1] == x->kind;
    w.joint = kinds[k].joint;
    w.axis = kinds[k].axis;
    w.value = ct_pose_value(m, s->value);
    if (w.joint) {
        w.tie = m->tie_of_joint[x->object];
        w.axis += x->axis;
    } else {
        want_frame(b, x, &w);
    }
    if (w.joint ? w.tie == CT_NOTHING : w.group == 0)
        return 0;
    CT_PUSH(b->p.arena, b->wanted, w);
    return is_angle(&w) ? CT_KNOWN_ANGLE : CT_KNOWN_LENGTH;
}

static void note_freedom(beginning *b, uint32_t of, int order, uint32_t axis, double value,
                         uint8_t bound)
{
    double *at = &b->freedom[of][order][axis];
    if (!isnan(*at) && b->bound[of] > bound)
        return;
    *at = value;
    if (order == 0 && bound > b->bound[of])
        b->bound[of] = bound;
}

static void note_wanted(beginning *b, bool guesses)
{
    for (uint32_t i = 0; i < b->wanted.count; i++) {
        wanted *w = &b->wanted.at[i];
        if (w->guess != guesses || w->bend)
            continue;
        if (w->joint) {
            note_freedom(b, w->tie, w->order, w->axis, w->value, guesses ? 1 : 2);
            continue;
        }
        w->next = b->first[w->group];
        b->first[w->group] = i + 1;
    }
}

static void note_drivers(beginning *b)
{
    mechanics *m = b->p.m;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        for (int order = 0; order < 2; order++) {
            if (t->angle.is && t->angle.of[order])
                note_freedom(b, i, order, POSE_TURN, ct_pose_value(m, t->angle.of[order]), 2);
            if (t->slide.is && t->slide.of[order])
                note_freedom(b, i, order, POSE_SLIDE, ct_pose_value(m, t->slide.of[order]), 2);
        }
    }
}

static void read_starts(beginning *b)
{
    const mechanics *m = b->p.m;
    b->first = CT_NEW_ARRAY(b->p.arena, uint32_t, m->group_count);
    b->bound = CT_NEW_ARRAY(b->p.arena, uint8_t, m->tie.count + 1);
    b->freedom = ct_arena_alloc(b->p.arena, (m->tie.count + 1) * sizeof *b->freedom);
    b->hung = ct_arena_alloc(b->p.arena, m->group_count * sizeof *b->hung);
    for (uint32_t i = 0; i < m->tie.count; i++)
        for (int k = 0; k < 2 * POSE_FREEDOMS; k++)
            b->freedom[i][k / POSE_FREEDOMS][k % POSE_FREEDOMS] = NAN;
    b->out->known = CT_NEW_ARRAY(b->out->arena, uint8_t, m->def->start_count + 1);
    for (uint32_t i = 0; i < m->def->start_count; i++)
        b->out->known[i] = want(b, &m->def->start[i]);
    for (uint32_t i = 0; i < m->tie.count; i++) /* sections hang on their bodies */
        b->bound[i] = m->tie.at[i].elastic ? 2 : 0;
    ct_pose_bend(&b->p);
    note_wanted(b, true);
    note_wanted(b, false);
    note_drivers(b);
}

/* ---- rows */

double ct_start_rate(const beginning *b, const line *l)
{
    const posing *p = &b->p;
    double sum = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->at[i].col >= p->bend_col) {
            sum += l->at[i].value * p->bend_rate[l->at[i].col - p->bend_col];
            continue;
        }
        uint32_t g = p->group_of[l->at[i].col / 3], k = l->at[i].col % 3;
        sum += l->at[i].value * b->speed[3 * g + k] * (k == 2 ? p->size : 1);
    }
    return sum;
}

/* The place of a local point; adds its gradient. */
static double add_point(const posing *p, uint32_t group, const double local[2], uint32_t axis,
                        line *l)
{
    const double *pose = p->pose + 3 * group, w[2] = {axis == 0, axis == 1};
    double arm[2];
    ct_pose_turn(local, pose[2], arm);
    ct_pose_add_group(p, l, group, w, axis ? arm[0] : -arm[1]);
    return pose[axis] + arm[axis];
}

static double add_angle(const posing *p, uint32_t group, line *l)
{
    static const double none[2] = {0, 0};
    ct_pose_add_group(p, l, group, none, 1);
    return p->pose[3 * group + 2];
}

static double add_bend(const posing *p, uint32_t bend, line *l)
{
    l->at[l->count++] = (thin){p->bend_col + bend, 1};
    return p->bend[bend];
}

line ct_start_line(const beginning *b, const wanted *w)
{
    const posing *p = &b->p;
    line l = {.count = 0};
    if (w->bend) {
        l.value = add_bend(p, w->bend - 1, &l);
    } else if (w->joint) {
        ct_pose_add_freedom(p, w->tie, w->axis, 1, &l);
        l.value = ct_pose_freedom(p, w->tie, w->axis);
    } else if (w->axis == 2) {
        l.value = add_angle(p, w->group, &l) + w->turn;
    } else {
        l.value = add_point(p, w->group, w->at, w->axis, &l);
    }
    l.value = (b->order ? ct_start_rate(b, &l) : l.value) - w->value;
    return l;
}

/* A driven freedom; false: its place is not given. */
static bool drive_line(const beginning *b, const chord_row *r, line *l)
{
    const posing *p = &b->p;
    const tie *t = &p->m->tie.at[r->tie];
    bool turn = r->row == CT_ROW_DRIVE_TURN;
    uint32_t freedom = turn ? POSE_TURN : POSE_SLIDE;
    ct_expr of = turn ? t->angle.of[b->order] : t->slide.of[b->order];
    *l = (line){.count = 0};
    ct_pose_add_freedom(p, r->tie, freedom, 1, l);
    l->value = b->order ? ct_start_rate(b, l) : ct_pose_freedom(p, r->tie, freedom);
    l->value -= of ? ct_pose_value(p->m, of) : 0;
    return of != 0;
}

static void put_hard(const beginning *b, ct_nearest *into)
{
    const posing *p = &b->p;
    line l;
    for (uint32_t i = 0; i < p->fixed.count; i++) {
        l = ct_pose_line(p, p->fixed.at[i].tie, p->fixed.at[i].row);
        if (b->order)
            l.value = ct_start_rate(b, &l);
        ct_nearest_hard(into, l.at, l.count, l.value / p->size);
    }
    for (uint32_t i = 0; i < p->driven.count; i++)
        if (drive_line(b, &p->driven.at[i], &l))
            ct_nearest_hard(into, l.at, l.count, l.value / p->size);
}

static void put_wanted(const beginning *b, ct_nearest *into)
{
    const posing *p = &b->p;
    for (uint32_t i = 0; i < b->wanted.count; i++) {
        const wanted *w = &b->wanted.at[i];
        if (w->order != b->order)
            continue;
        line l = ct_start_line(b, w);
        if (!w->guess && !b->gentle && !b->out->forgiving) {
            ct_nearest_hard(into, l.at, l.count, l.value / p->size);
            continue;
        }
        ct_nearest_guess(into, l.at, l.count, l.value / p->size, is_angle(w) ? p->size : 1);
    }
}

enum { SHAPES = 3 }; /* ct_weighed.axis from there on */

/* Place or speed of what is weighed. */
static line weighed_line(const beginning *b, const ct_weighed *w)
{
    mechanics *m = b->p.m;
    const member *of = &m->member[w->body];
    double com[2] = {ct_pose_value(m, of->com.x[0]), ct_pose_value(m, of->com.x[1])};
    line l = {.count = 0};
    if (w->axis >= SHAPES) {
        ct_name q = m->mech->body[w->body].flex->q[w->axis - SHAPES];
        l.value = add_bend(&b->p, ct_map_get(&m->shape_index, q) - 1, &l);
        if (b->order)
            l.value = ct_start_rate(b, &l);
        return l;
    }
    l.value = w->axis == 2 ? add_angle(&b->p, of->group, &l)
                           : add_point(&b->p, of->group, com, w->axis, &l);
    if (b->order)
        l.value = ct_start_rate(b, &l);
    return l;
}

/* Unknowns of the search are changes as parts of the size. */
static void put_rows(void *user, ct_nearest *into)
{
    const beginning *b = user;
    for (uint32_t i = 0; i < b->out->weighed_count; i++) {
        const ct_weighed *w = &b->out->weighed[i];
        line l = weighed_line(b, w);
        ct_nearest_soft(into, l.at, l.count, (l.value - w->of[b->order]) / b->p.size,
                        w->weight * b->p.size, w->axis < SHAPES);
    }
    put_wanted(b, into);
    put_hard(b, into);
}

static double length_of(void *user, const double *change)
{
    const beginning *b = user;
    double most = 0;
    for (uint32_t i = 0; i < b->p.cols; i++)
        if (!(fabs(change[i]) <= most))
            most = fabs(change[i]);
    return b->order && isfinite(most) ? fmin(most, 0.1) : most; /* rows of speeds are linear */
}

static void move(void *user, const double *change)
{
    beginning *b = user;
    posing *p = &b->p;
    double *to = b->order ? b->speed : p->pose, *bend = b->order ? p->bend_rate : p->bend;
    for (uint32_t i = p->bend_col; i < p->cols; i++)
        bend[i - p->bend_col] += change[i] * p->size;
    if (p->m->bends && !b->order)
        ct_pose_bend(p);
    for (uint32_t i = 0; i < p->bend_col; i++)
        to[3 * p->group_of[i / 3] + i % 3] += change[i] * (i % 3 == 2 ? 1 : p->size);
}

static bool search(beginning *b)
{
    posing *p = &b->p;
    ct_nearest_def def = {
        .user = b,
        .cols = p->cols,
        .rows = put_rows,
        .length = length_of,
        .move = move,
        .point = {b->order ? b->speed : p->pose, b->order ? p->bend_rate : p->bend},
        .point_count = {3 * p->m->group_count, p->cols - p->bend_col},
        .closed = closed,
        .ties = !b->order,
        .backward = b->out->backward,
        .tied = b->order ? NULL : &b->out->tied};
    if (ct_find_nearest(b->p.m->ctx, &def))
        return true;
    def.closed = agreement; /* more values than freedoms */
    return ct_find_nearest(b->p.m->ctx, &def);
}

/* Rows that hardly depend on what must move send the search far away. First joints alone are closed
 * then, and values that are given come nearer by and by, as guesses do. */
static bool search_gently(beginning *b)
{
    b->gentle = true;
    search(b);
    b->gentle = false;
    return search(b);
}

/* ---- the metric */

static void weigh(beginning *b)
{
    mechanics *m = b->p.m;
    ct_mechanics_start *out = b->out;
    double sum = 0, size = b->p.size;
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        sum += fabs(ct_pose_value(m, m->mech->body[i].mass));
    sum = sum > 0 ? sum : 1;
    out->mass = sum;
    out->weighed =
        CT_NEW_ARRAY(out->arena, ct_weighed, 3 * (size_t)m->mech->body_count + m->shape_count);
    for (uint32_t i = 1; i < m->mech->body_count; i++) {
        const ct_body *body = &m->mech->body[i];
        double mass = fabs(ct_pose_value(m, body->mass)) / sum;
        double inertia = fabs(ct_pose_value(m, body->inertia[2])) / (sum * size * size);
        for (uint32_t k = 0; k < 2u + ct_mech_kind(m, i)->turns; k++) {
            double share = k < 2 ? mass / (size * size) : inertia;
            double least = k < 2 ? massless / size : massless;
            if (m->member[i].group)
                out->weighed[out->weighed_count++] =
                    (ct_weighed){i, k, fmax(sqrt(share), least), share, {0, 0}};
        }
        for (uint32_t k = 0; body->flex && k < body->flex->count; k++)
            out->weighed[out->weighed_count++] =
                (ct_weighed){i, SHAPES + k, straight / size, 0, {0, 0}};
    }
}

static void keep_reference(beginning *b)
{
    for (uint32_t i = 0; i < b->out->weighed_count; i++)
        b->out->weighed[i].of[b->order] = weighed_line(b, &b->out->weighed[i]).value;
}

double ct_mechanics_moving(const ct_mechanics *m, const ct_mechanics_start *start, double *extent)
{
    double moving = 0, inertia = 0, mass[3] = {0}, moment[3] = {0};
    for (uint32_t i = 0; i < start->weighed_count; i++) {
        const ct_weighed *w = &start->weighed[i];
        bool angle = !m->mechanism->spatial && w->axis == 2, centre = w->axis < 3 && !angle;
        moving += w->share * w->of[1] * w->of[1];
        inertia += w->share * (angle ? 1 : w->of[0] * w->of[0]);
        if (centre) {
            mass[w->axis] += w->share;
            moment[w->axis] += w->share * w->of[0];
        }
    }
    double first = inertia;
    for (int k = 0; k < 3; k++)
        inertia -= mass[k] > 0 ? moment[k] * moment[k] / mass[k] : 0;
    *extent = inertia > 1e-12 * first ? inertia : 1;
    return moving;
}

ct_expr ct_mechanics_weighed_value(const ct_mechanics *made, const ct_weighed *w, int order)
{
    mechanics *m = made->inside;
    if (m->mech->spatial)
        return ct_start_weighed_in_space(m, w, order);
    const member *of = &m->member[w->body];
    const ct_flex *f = m->mech->body[w->body].flex;
    if (w->axis >= SHAPES)
        return ct_expr_symbol(m->pool, (order ? f->u : f->q)[w->axis - SHAPES]);
    if (w->axis == 2)
        return order ? m->group[of->group].spin.x[2] : m->group[of->group].angle;
    vec at =
        order ? ct_mech_velocity(m, of->group, of->com) : ct_mech_position(m, of->group, of->com);
    return at.x[w->axis];
}

/* ---- coordinates */

static void set(const beginning *b, uint32_t q, double place, line *l)
{
    if (q == CT_NOTHING)
        return;
    b->out->place[q] = place;
    b->out->rate[q] = ct_start_rate(b, l);
}

static void set_freedom(const beginning *b, uint32_t index, uint32_t freedom, uint32_t q)
{
    line l = {.count = 0};
    ct_pose_add_freedom(&b->p, index, freedom, 1, &l);
    set(b, q, ct_pose_freedom(&b->p, index, freedom), &l);
}

static void set_body(const beginning *b, const tie *t, uint32_t axis, uint32_t q)
{
    line l = {.count = 0};
    double to[2] = {ct_pose_value(b->p.m, t->to.x[0]), ct_pose_value(b->p.m, t->to.x[1])};
    double place =
        axis == 2 ? add_angle(&b->p, t->head, &l) : add_point(&b->p, t->head, to, axis, &l);
    set(b, q, place, &l);
}

static void set_coordinates(const beginning *b)
{
    const mechanics *m = b->p.m;
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        const ct_coordinate *c = &m->coordinate.at[i];
        uint32_t bend = c->of_shape ? ct_map_get(&m->shape_index, c->q) : 0;
        if (bend) {
            b->out->place[i] = b->p.bend[bend - 1];
            b->out->rate[i] = b->p.bend_rate[bend - 1];
        }
    }
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t q = k == 2 ? t->angle_q : t->slide_q[k];
            if (q != CT_NOTHING && t->is_body)
                set_body(b, t, k, q);
            else if (q != CT_NOTHING)
                set_freedom(b, i, k == 2 ? POSE_TURN : POSE_SLIDE + k, q);
        }
    }
}

/* ---- all of it */

static bool find_start(beginning *b)
{
    uint32_t attempt = b->out->attempt;
    const uint32_t count = sizeof spreads / sizeof *spreads;
    ct_pose_list_rows(&b->p, false);
    read_starts(b);
    weigh(b);
    ct_start_plan(b);
    ct_start_refer(b);
    keep_reference(b);
    b->p.seed += attempt;
    if (attempt)
        ct_start_scatter(b, spreads[attempt < count ? attempt : count - 1]);
    bool found = search(b) || (!attempt && !b->out->forgiving && search_gently(b));
    b->order = 1;
    ct_start_refer(b);
    keep_reference(b);
    return search(b) && found;
}

/* With what the caller tells of parameters and inputs. */
static mechanics *borrow(const ct_mechanics *made, const ct_mechanics_start *start, mechanics *kept)
{
    mechanics *m = made->inside;
    *kept = *m;
    m->value = start->value;
    m->user = start->user;
    m->now = start->t;
    return m;
}

static void give_back(mechanics *m, const mechanics *kept)
{
    m->value = kept->value;
    m->user = kept->user;
    m->now = kept->now;
}

bool ct_mechanics_begin(const ct_mechanics *made, ct_mechanics_start *start)
{
    mechanics kept, *m = borrow(made, start, &kept);
    ct_arena *scratch = ct_arena_new(m->ctx);
    beginning b = {.out = start};
    bool found = false;
    start->place = start->rate = NULL;
    if (m->mech->spatial) {
        found = ct_start_in_space(m, start);
    } else if (ct_pose_begin(&b.p, m, scratch)) {
        start->size = b.p.size;
        b.speed = CT_NEW_ARRAY(scratch, double, (size_t)3 * m->group_count);
        start->place = CT_NEW_ARRAY(start->arena, double, m->coordinate.count + 1);
        start->rate = CT_NEW_ARRAY(start->arena, double, m->coordinate.count + 1);
        found = find_start(&b);
        set_coordinates(&b);
    }
    give_back(m, &kept);
    ct_arena_free(scratch);
    return found;
}

/* ---- speeds of the reference, at other places */

typedef struct standing {
    mechanics *m;
    const double *place;
    ct_map index; /* of q, plus 1 */
} standing;

static double look_up(const void *user, ct_name name)
{
    const standing *now = user;
    uint32_t found = ct_map_get(&now->index, name);
    return found ? now->place[found - 1]
                 : ct_mech_number(now->m, ct_expr_symbol(now->m->pool, name));
}

/* Poses of groups where coordinates are. */
static void stand(beginning *b)
{
    mechanics *m = b->p.m;
    standing now = {.m = m, .place = b->out->place};
    const vec origin = {{m->zero, m->zero, m->zero}};
    ct_map_init(&now.index, b->p.arena);
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        uint32_t bend = ct_map_get(&m->shape_index, m->coordinate.at[i].q);
        ct_map_put(&now.index, m->coordinate.at[i].q, i + 1);
        if (m->coordinate.at[i].of_shape && bend)
            b->p.bend[bend - 1] = b->out->place[i];
    }
    ct_pose_bend(&b->p);
    for (uint32_t g = 1; g < m->group_count; g++) {
        vec at = ct_mech_position(m, g, origin);
        ct_expr e[3] = {at.x[0], at.x[1], m->group[g].point ? m->zero : m->group[g].angle};
        ct_expr_values(m->pool, e, 3, look_up, &now, b->p.pose + (size_t)3 * g);
    }
}

void ct_mechanics_refer_speeds(const ct_mechanics *made, ct_mechanics_start *start)
{
    mechanics kept, *m = borrow(made, start, &kept);
    ct_arena *scratch = ct_arena_new(m->ctx);
    beginning b = {.out = start};
    if (m->mech->spatial) {
        ct_start_refer_speeds_in_space(m, start);
    } else if (ct_pose_begin(&b.p, m, scratch)) {
        b.speed = CT_NEW_ARRAY(scratch, double, (size_t)3 * m->group_count);
        read_starts(&b);
        ct_start_plan(&b);
        stand(&b);
        b.order = 1;
        ct_start_refer(&b);
        keep_reference(&b);
    }
    give_back(m, &kept);
    ct_arena_free(scratch);
}

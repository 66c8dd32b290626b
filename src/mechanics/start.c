/* start.c - where a mechanism with loops begins, whatever its coordinates: from all angles at zero
 * (or as hinted), the least change of places and angles of bodies that closes the loops and meets
 * what is given; then the least speeds of bodies that fit.
 *
 * Start values of other kinds (lengths, sums) are left to the run: the point is only where its
 * search begins. */
#include <math.h>
#include <string.h>

#include "mechanics/pose.h"

enum { ROUGH = 25, ITERATIONS = 60 };
static const double closed = 1e-11, damping = 1e-7, longest_turn = 0.6, still = 1e-9;

typedef struct beginning {
    posing p;
    double *x; /* scaled columns: a change of the pose, then speeds */
} beginning;

/* ---- rows of start values */

/* The place of a frame's point, or its speed. */
static double add_point(const posing *p, const site *at, uint32_t axis, line *l)
{
    const double *pose = p->pose + 3 * at->group, w[2] = {axis == 0, axis == 1};
    double local[2] = {ct_pose_value(p->m, at->at.x[0]), ct_pose_value(p->m, at->at.x[1])}, arm[2];
    ct_pose_turn(local, pose[2], arm);
    ct_pose_add_group(p, l, at->group, w, axis ? arm[0] : -arm[1]);
    return pose[axis] + arm[axis];
}

/* A row for a start value of a variable at that order (0: places, 1: speeds); false: it is none. */
static bool start_line(const posing *p, const ct_start *s, int order, line *l)
{
    static const ct_motion_kind kinds[4][2] = {{CT_MOTION_ANGLE, CT_MOTION_SPIN},
                                               {CT_MOTION_TURN, CT_MOTION_TURN_SPEED},
                                               {CT_MOTION_SLIDE, CT_MOTION_SLIDE_SPEED},
                                               {CT_MOTION_POSITION, CT_MOTION_VELOCITY}};
    mechanics *m = p->m;
    uint32_t known = ct_map_get(&m->motion, ct_expr_name(m->pool, s->variable)), k = 0;
    const ct_motion *x = known ? &m->mech->motion[known - 1] : NULL;
    while (x && k < 4 && kinds[k][order] != x->kind)
        k++;
    bool joint = k == 1 || k == 2;
    if (!x || k == 4 || x->axis > (k == 3) || (joint && m->tie_of_joint[x->object] == CT_NOTHING))
        return false;
    double none[2] = {0, 0}, now;
    *l = (line){.count = 0};
    if (joint) {
        ct_pose_add_freedom(p, m->tie_of_joint[x->object], k == 1, 1, l);
        now = ct_pose_freedom(p, m->tie_of_joint[x->object], k == 1);
    } else if (k == 3) {
        now = add_point(p, &m->site[x->object], x->axis, l);
    } else {
        const site *at = &m->site[x->object];
        ct_pose_add_group(p, l, at->group, none, 1);
        now = p->pose[3 * at->group + 2] + ct_pose_value(m, at->turn);
    }
    l->value = order ? -ct_pose_value(m, s->value) : now - ct_pose_value(m, s->value);
    *l = ct_pose_scaled(*l);
    return isfinite(l->value);
}

static line drive_line(const posing *p, const chord_row *r, int order)
{
    const tie *t = &p->m->tie.at[r->tie];
    bool turn = r->row == CT_ROW_DRIVE_TURN;
    const given *g = turn ? &t->angle : &t->slide;
    line l = {.count = 0};
    ct_pose_add_freedom(p, r->tie, turn, 1, &l);
    l.value = (order ? 0 : ct_pose_freedom(p, r->tie, turn)) -
              (g->of[order] ? ct_pose_value(p->m, g->of[order]) : 0);
    return ct_pose_scaled(l);
}

/* ---- least change */

/* Solves for x; returns the largest residual, as a part of the size. */
static double solve(beginning *b, int order, bool guesses)
{
    const posing *p = &b->p;
    const ct_mechanics_def *def = p->m->def;
    double worst = 0;
    triangle t;
    line l;
    ct_triangle_init(&t, p->arena, p->cols, damping);
    for (uint32_t i = 0; i < p->fixed.count + p->driven.count; i++) {
        const chord_row *r =
            i < p->fixed.count ? &p->fixed.at[i] : &p->driven.at[i - p->fixed.count];
        l = i < p->fixed.count ? ct_pose_line(p, r->tie, r->row) : drive_line(p, r, order);
        if (order && i < p->fixed.count)
            l.value = 0;
        worst = fmax(worst, fabs(l.value) / p->size);
        ct_triangle_add(&t, l.at, l.count, -l.value);
    }
    for (uint32_t i = 0; i < def->start_count; i++) {
        if ((def->start[i].guess && !guesses) || !start_line(p, &def->start[i], order, &l))
            continue;
        worst = fmax(worst, fabs(l.value) / p->size);
        ct_triangle_add(&t, l.at, l.count, -l.value);
    }
    ct_triangle_solve(&t, b->x);
    return worst;
}

/* Returns the largest change, as a part of the size. */
static double move(beginning *b)
{
    posing *p = &b->p;
    double longest = 0;
    for (uint32_t i = 0; i < p->cols; i++)
        longest = fmax(longest, fabs(b->x[i]) / p->size);
    double factor = longest > longest_turn ? longest_turn / longest : 1;
    for (uint32_t g = 1; g < p->m->group_count; g++)
        for (uint32_t k = 0; k < 3; k++)
            p->pose[3 * g + k] += factor * b->x[p->col[g] + k] / (k == 2 ? p->size : 1);
    return longest;
}

static void hint_drivers(posing *p)
{
    mechanics *m = p->m;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        if (t->angle.is && t->angle.of[0])
            p->joint[2 * i] = ct_pose_value(m, t->angle.of[0]);
        if (t->slide.is && t->slide.of[0])
            p->joint[2 * i + 1] = ct_pose_value(m, t->slide.of[0]);
    }
}

static bool find_pose(beginning *b)
{
    double worst = 1, change = 1;
    hint_drivers(&b->p);
    ct_pose_list_rows(&b->p, false);
    ct_pose_throw(&b->p);
    for (int i = 0; i < ROUGH && change > still; i++) { /* guesses need not agree */
        worst = solve(b, 0, true);
        change = move(b);
    }
    for (int i = 0; i < ITERATIONS && isfinite(worst) && (i == 0 || worst > closed); i++) {
        worst = solve(b, 0, false);
        move(b);
    }
    return worst <= closed;
}

/* ---- coordinates */

static double place_of(const posing *p, const tie *t, uint32_t index, bool turn, uint32_t axis)
{
    line l = {.count = 0};
    const site at = {.group = t->head, .at = t->to};
    if (t->is_body)
        return turn ? p->pose[3 * t->head + 2] : add_point(p, &at, axis, &l);
    return t->free.slides > 1 && !turn ? NAN : ct_pose_freedom(p, index, turn);
}

static double speed_of(const beginning *b, const tie *t, uint32_t index, bool turn, uint32_t axis)
{
    const posing *p = &b->p;
    const site at = {.group = t->head, .at = t->to};
    double none[2] = {0, 0}, sum = 0;
    line l = {.count = 0};
    if (!t->is_body && t->free.slides > 1 && !turn)
        return NAN;
    if (t->is_body && turn)
        ct_pose_add_group(p, &l, t->head, none, 1);
    else if (t->is_body)
        add_point(p, &at, axis, &l);
    else
        ct_pose_add_freedom(p, index, turn, 1, &l);
    for (uint32_t i = 0; i < l.count; i++)
        sum += l.at[i].value * b->x[l.at[i].col];
    return sum;
}

static void set(mechanics *m, uint32_t q, double place, double speed)
{
    m->coordinate.at[q].place = place;
    m->coordinate.at[q].rate = speed;
}

static void set_coordinates(beginning *b)
{
    mechanics *m = b->p.m;
    solve(b, 1, true);
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        for (uint32_t k = 0; k < 2; k++)
            if (t->slide_q[k] != CT_NOTHING)
                set(m, t->slide_q[k], place_of(&b->p, t, i, false, k), speed_of(b, t, i, false, k));
        if (t->angle_q != CT_NOTHING)
            set(m, t->angle_q, place_of(&b->p, t, i, true, 0), speed_of(b, t, i, true, 0));
    }
}

void ct_mech_find_start(mechanics *m)
{
    beginning b;
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        set(m, i, NAN, NAN);
    if (!m->def->value || !m->constraint.count)
        return;
    ct_arena *scratch = ct_arena_new(m->ctx);
    if (ct_pose_begin(&b.p, m, scratch)) {
        b.x = CT_NEW_ARRAY(scratch, double, b.p.cols + 1);
        if (find_pose(&b))
            set_coordinates(&b);
    }
    ct_arena_free(scratch);
}

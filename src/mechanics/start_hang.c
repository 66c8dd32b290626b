/* start_hang.c - where free bodies in space would begin: each hangs on a joint, with the values of
 * that joint that are given, driven or guessed, else zero. So places of bodies as coordinates begin
 * where joints as coordinates would.
 *
 * The tree takes joints with given values first, then those with few freedoms, then in order of
 * statement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"
#include "mechanics/start_hang.h"

/* ---- in numbers */

static void rotation(const double e[3], double angle, double out[9])
{
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = (1 - c) * e[i] * e[k] + (i == k ? c : 0) +
                             (i == k ? 0 : ((k - i + 3) % 3 == 1 ? -s : s) * e[3 - i - k]);
}

/* ---- values */

static void note(double *slot, double value, hook *h, bool guess)
{
    *slot = value;
    h->bound = h->bound == 2 || !guess ? 2 : 1;
}

static void read_start(hanging *h, const ct_motion *x, double value, bool guess)
{
    if (x->kind < CT_MOTION_TURN || x->kind > CT_MOTION_JOINT_AXES)
        return;
    hook *own = &h->hook[x->object];
    bool turn = x->kind <= CT_MOTION_TURN_RATE;
    uint32_t at = x->axis + (turn ? CT_TURN : CT_SLIDE);
    if (x->kind == CT_MOTION_TURN || x->kind == CT_MOTION_SLIDE)
        note(&own->value[at], value, own, guess);
    else if (x->kind == CT_MOTION_TURN_SPEED || x->kind == CT_MOTION_SLIDE_SPEED)
        note(&own->rate[at], value, own, guess);
    else if (x->kind == CT_MOTION_JOINT_AXES)
        note(&own->ball[x->axis], value, own, guess);
    else if (x->kind == CT_MOTION_JOINT_SPIN)
        note(&own->spin[x->axis], value, own, guess);
}

static void read_driver(mechanics *m, hook *own, uint32_t freedom)
{
    uint32_t index = ct_mech_tie_of(m, own->joint, freedom);
    const tie *t = index == CT_NOTHING ? NULL : &m->tie.at[index];
    if (!t || t->ball || freedom != (freedom < CT_SLIDE ? t->turn_at : t->slide_at))
        return;
    const given *g = freedom < CT_SLIDE ? &t->angle : &t->slide;
    if (g->is && g->of[0])
        note(&own->value[freedom], ct_pose_value(m, g->of[0]), own, false);
    if (g->is)
        note(&own->rate[freedom], ct_pose_value(m, g->of[1]), own, false);
}

static void read_joint(hanging *h, uint32_t joint)
{
    mechanics *m = h->m;
    hook *own = &h->hook[joint];
    const ct_freedoms *f = &m->tree->graph->bodies->joint[joint];
    *own = (hook){.joint = joint, .freedoms = f->slides + (uint32_t)f->turns};
    for (int i = 0; i < CT_FREEDOMS; i++)
        own->value[i] = own->rate[i] = NAN;
    for (int i = 0; i < 9; i++)
        own->ball[i] = own->spin[i % 3] = NAN;
    if (m->tie_of_joint[joint] == CT_NOTHING)
        return;
    for (uint32_t i = 0; i < CT_FREEDOMS; i++)
        read_driver(m, own, i);
}

/* ---- the tree */

static int by_rank(const void *a, const void *b)
{
    const hook *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    if (x->freedoms != y->freedoms)
        return x->freedoms < y->freedoms ? -1 : 1;
    return (x->joint > y->joint) - (x->joint < y->joint);
}

static bool is_taken(const mechanics *m, uint32_t joint)
{
    uint32_t first = m->tie_of_joint[joint];
    const ct_freedoms *f = &m->tree->graph->bodies->joint[joint];
    return first != CT_NOTHING && !f->rod && !f->rolls && !m->mech->joint[joint].inside;
}

static uint32_t group_at(const mechanics *m, uint32_t joint, bool head)
{
    const ct_joint *j = &m->mech->joint[joint];
    return m->site[head ? j->head : j->tail].group;
}

static void grow(hanging *h, ct_arena *arena)
{
    mechanics *m = h->m;
    uint32_t joints = m->mech->joint_count, *set = ct_sets_new(arena, m->group_count), count = 0;
    hook *order = CT_NEW_ARRAY(arena, hook, joints + 1);
    uint32_t *taken = CT_NEW_ARRAY(arena, uint32_t, joints + 1);
    for (uint32_t i = 0; i < joints; i++)
        order[i] = h->hook[i];
    if (joints)
        qsort(order, joints, sizeof *order, by_rank);
    for (uint32_t i = 0; i < joints; i++) {
        uint32_t joint = order[i].joint;
        if (is_taken(m, joint) &&
            ct_sets_join(set, group_at(m, joint, false), group_at(m, joint, true)))
            taken[count++] = joint;
    }
    for (uint32_t i = 0; i < count; i++)
        for (int end = 0; end < 2; end++)
            h->start[group_at(m, taken[i], end == 1) + 2]++;
    for (uint32_t i = 0; i < m->group_count; i++)
        h->start[i + 2] += h->start[i + 1];
    for (uint32_t i = 0; i < count; i++)
        for (int end = 0; end < 2; end++)
            h->end[h->start[group_at(m, taken[i], end == 1) + 1]++] = taken[i];
}

/* ---- one joint */

typedef struct reach {
    double way[3], turn[9]; /* of the head frame in that of the tail */
    double v[3], w[3];      /* likewise, of the head's point and spin */
} reach;

static void add_slide(mechanics *m, vec axis, double value, double rate, reach *r)
{
    double e[3];
    numbers_of(m, axis, e);
    for (int k = 0; k < 3; k++) {
        r->way[k] += value * e[k];
        r->v[k] += rate * e[k];
    }
}

static void add_turn(mechanics *m, vec pin, double value, double rate, reach *r)
{
    double e[3], axis[3], own[9], kept[9];
    numbers_of(m, pin, e);
    times(r->turn, e, axis);
    for (int k = 0; k < 3; k++)
        r->w[k] += rate * axis[k];
    memcpy(kept, r->turn, sizeof kept);
    rotation(e, value, own);
    product(kept, own, false, r->turn);
}

static reach reach_of(mechanics *m, const hook *h)
{
    const ct_joint *j = &m->mech->joint[h->joint];
    const ct_freedoms *f = &m->tree->graph->bodies->joint[h->joint];
    reach r = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    vec axis = ct_mech_direction(m, &j->axis), across[2] = {axis, axis};
    if (f->slides == 2)
        ct_mx_across(m, axis, across);
    for (uint32_t i = 0; i < f->slides; i++)
        add_slide(m, f->slides == 3 ? ct_mx_unit(m, i, m->one) : across[i % 2],
                  told(h->value[CT_SLIDE + i]), told(h->rate[CT_SLIDE + i]), &r);
    if (ct_joint_leads(j->kind)) {
        double lead = ct_pose_value(m, j->length) / (2 * acos(-1));
        add_slide(m, axis, lead * told(h->value[CT_TURN]) - told(h->value[CT_SLIDE]),
                  lead * told(h->rate[CT_TURN]) - told(h->rate[CT_SLIDE]), &r);
    }
    bool ball = f->turns == 3 && !j->angles;
    for (uint32_t i = 0; f->spins && !ball && i < f->turns; i++)
        add_turn(m, ct_mech_direction(m, &j->pin[i]), told(h->value[i]), told(h->rate[i]), &r);
    if (ball && !isnan(h->ball[0] + h->ball[4] + h->ball[8]))
        memcpy(r.turn, h->ball, sizeof r.turn);
    if (ball && !isnan(h->spin[0] + h->spin[1] + h->spin[2]))
        times(r.turn, h->spin, r.w);
    return r;
}

/* Point, axes and speeds of a frame. */
hung ct_hang_frame(mechanics *m, const hung *g, uint32_t frame)
{
    const site *s = &m->site[frame];
    double at[3], turn[9], arm[3], spin[3];
    hung f = {.is = true};
    numbers_of(m, s->at, at);
    turn_of(m, &s->turn, turn);
    times(g->r, at, arm);
    cross(g->w, arm, spin);
    product(g->r, turn, false, f.r);
    memcpy(f.w, g->w, sizeof f.w);
    for (int i = 0; i < 3; i++) {
        f.p[i] = g->p[i] + arm[i];
        f.v[i] = g->v[i] + spin[i];
    }
    return f;
}

/* The group whose frame is there. */
static hung group_of(mechanics *m, const hung *f, uint32_t frame)
{
    const site *s = &m->site[frame];
    double at[3], turn[9], arm[3], spin[3];
    hung g = {.is = true};
    numbers_of(m, s->at, at);
    turn_of(m, &s->turn, turn);
    product(f->r, turn, true, g.r);
    times(g.r, at, arm);
    cross(f->w, arm, spin);
    memcpy(g.w, f->w, sizeof g.w);
    for (int i = 0; i < 3; i++) {
        g.p[i] = f->p[i] - arm[i];
        g.v[i] = f->v[i] - spin[i];
    }
    return g;
}

/* The other end of a joint; sign -1: from the head to the tail. */
static hung across_joint(const hung *from, const reach *r, bool forward)
{
    hung to = {.is = true};
    double sign = forward ? 1 : -1, way[3], v[3], w[3], turning[3];
    product(from->r, r->turn, !forward, to.r);
    const double *seat = forward ? from->r : to.r; /* axes of the tail */
    times(seat, r->way, way);
    times(seat, r->v, v);
    times(seat, r->w, w);
    for (int i = 0; i < 3; i++)
        to.w[i] = from->w[i] + sign * w[i];
    cross(forward ? from->w : to.w, way, turning);
    for (int i = 0; i < 3; i++) {
        to.p[i] = from->p[i] + sign * way[i];
        to.v[i] = from->v[i] + sign * (v[i] + turning[i]);
    }
    return to;
}

hung ct_hang_on(hanging *h, uint32_t joint, uint32_t g, bool forward)
{
    mechanics *m = h->m;
    const ct_joint *j = &m->mech->joint[joint];
    reach r = reach_of(m, &h->hook[joint]);
    hung near = ct_hang_frame(m, &h->at[g], forward ? j->tail : j->head);
    hung far = across_joint(&near, &r, forward);
    return group_of(m, &far, forward ? j->head : j->tail);
}

/* The angle by whole turns nearest to another one. */
static double wound(double angle, double near)
{
    double whole = 2 * acos(-1);
    return angle + whole * round((near - angle) / whole);
}

double ct_hang_about_z(const double r[9])
{
    return atan2(r[3], r[0]);
}

/* Turns that joints say, whole ones, too. */
static double turned_by(hanging *h, uint32_t joint, const hung *g, bool forward)
{
    const ct_joint *j = &h->m->mech->joint[joint];
    const hook *own = &h->hook[joint];
    double e[3], axis[3], sum = 0;
    hung near = ct_hang_frame(h->m, g, forward ? j->tail : j->head);
    for (uint32_t i = 0; j->angles || i < 1; i++) {
        if (i == 3 || i >= h->m->tree->graph->bodies->joint[joint].turns)
            break;
        numbers_of(h->m, ct_mech_direction(h->m, &j->pin[i]), e);
        times(near.r, e, axis);
        sum += told(own->value[i]) * axis[2] * (forward ? 1 : -1);
    }
    return sum;
}

static void walk(hanging *h, uint32_t root)
{
    mechanics *m = h->m;
    uint32_t count = 0;
    h->queue[count++] = root;
    for (uint32_t next = 0; next < count; next++) {
        uint32_t g = h->queue[next];
        for (uint32_t k = h->start[g]; k < h->start[g + 1]; k++) {
            const ct_joint *j = &m->mech->joint[h->end[k]];
            bool forward = m->site[j->tail].group == g;
            uint32_t to = m->site[forward ? j->head : j->tail].group;
            if (h->at[to].is)
                continue;
            ct_wish_turn(h, h->end[k], g, to, forward);
            ct_wish_axes(h, h->end[k], g, to, forward);
            h->at[to] = ct_hang_on(h, h->end[k], g, forward);
            h->at[to].about = h->at[g].about + turned_by(h, h->end[k], &h->at[g], forward);
            h->queue[count++] = to;
        }
    }
}

/* ---- coordinates */

static void set_body(const hanging *h, const tie *last, ct_mechanics_start *out, const bool *known)
{
    mechanics *m = h->m;
    const hung *g = &h->at[last->head];
    double to[3], arm[3], spin[3], q[4];
    numbers_of(m, last->to, to);
    times(g->r, to, arm);
    cross(g->w, arm, spin);
    uint32_t first = (uint32_t)(last - m->tie.at) - (last->ball ? 3 : 2);
    for (uint32_t i = 0; i < 3 && last->in_t; i++) {
        uint32_t at = m->tie.at[first + i].slide_q[0];
        if (!known[at])
            out->place[at] = g->p[i] + arm[i];
        if (out->rate[at] == 0)
            out->rate[at] = g->v[i] + spin[i];
    }
    if (!last->ball || !ct_quaternion_of(g->r, q))
        return;
    if (!known[last->angle_q])
        memcpy(out->place + last->angle_q, q, sizeof q);
    for (uint32_t i = 0; i < 3; i++)
        if (out->rate[last->angle_q + 1 + i] == 0)
            out->rate[last->angle_q + 1 + i] =
                g->r[i] * g->w[0] + g->r[3 + i] * g->w[1] + g->r[6 + i] * g->w[2];
}

/* Balls are turned as bodies want them. */
static void set_joint(const hanging *h, const hook *own, ct_mechanics_start *out, const bool *known)
{
    mechanics *m = h->m;
    uint32_t index = ct_mech_tie_of(m, own->joint, CT_TURN);
    const tie *t = index == CT_NOTHING ? NULL : &m->tie.at[index];
    double q[4];
    if (!t || !t->ball || t->angle_q == CT_NOTHING)
        return;
    if (!known[t->angle_q] && ct_quaternion_of(own->ball, q))
        memcpy(out->place + t->angle_q, q, sizeof q);
    if (!isnan(own->spin[0] + own->spin[1] + own->spin[2]))
        memcpy(out->rate + t->angle_q + 1, own->spin, sizeof own->spin);
}

/* ---- what no joint ties to the ground hangs on its body with most given values */

static uint32_t next_root(const hanging *h)
{
    const mechanics *m = h->m;
    uint32_t best = CT_NOTHING;
    for (uint32_t b = 1; b < m->mech->body_count; b++) {
        uint32_t g = m->member[b].group;
        if (!h->at[g].is && (best == CT_NOTHING || h->wish[g].count > h->wish[best].count))
            best = g;
    }
    return best;
}

static hung found_group(hanging *h, uint32_t group)
{
    mechanics *m = h->m;
    uint32_t lead = m->group[group].lead;
    const found_body *f = &h->found->body[lead];
    hung at = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .is = true};
    memcpy(at.p, f->p, sizeof at.p);
    if (ct_mech_kind(m, lead)->turns)
        memcpy(at.r, f->r, sizeof at.r);
    if (h->found->speeds) {
        memcpy(at.v, f->v, sizeof at.v);
        memcpy(at.w, f->w, sizeof at.w);
        return group_of(m, &at, m->mech->body[lead].frame);
    }
    hung rest = ct_wish_free(h, group), own = group_of(m, &at, m->mech->body[lead].frame);
    memcpy(own.v, rest.v, sizeof own.v);
    memcpy(own.w, rest.w, sizeof own.w);
    return own;
}

/* ---- what others read */

double ct_start_hung_value(mechanics *m, const hung *at, const ct_weighed *w, int order)
{
    const member *of = &m->member[w->body];
    double local[3], turn[9], arm[3], spin[3];
    uint32_t own = w->axis < 3 ? 0 : w->axis - 3;
    numbers_of(m, of->com, local);
    turn_of(m, &of->turn, turn);
    for (uint32_t i = 0; i < 3 && w->axis >= 3; i++)
        local[i] = turn[3 * i + own % 3];
    times(at->r, local, arm);
    cross(at->w, arm, spin);
    if (w->axis >= 3)
        return (order ? spin : arm)[own / 3];
    return order ? at->v[w->axis] + spin[w->axis] : at->p[w->axis] + arm[w->axis];
}

static hanging begin(mechanics *m, ct_arena *arena, ct_arena *kept)
{
    hanging h = {.m = m,
                 .hook = CT_NEW_ARRAY(arena, hook, m->mech->joint_count + 1),
                 .at = CT_NEW_ARRAY(kept, hung, m->group_count + 1),
                 .wish = CT_NEW_ARRAY(arena, wish, m->group_count + 1),
                 .start = CT_NEW_ARRAY(arena, uint32_t, m->group_count + 3),
                 .end = CT_NEW_ARRAY(arena, uint32_t, 2 * (size_t)m->mech->joint_count + 1),
                 .queue = CT_NEW_ARRAY(arena, uint32_t, m->group_count + 1)};
    for (uint32_t i = 0; i < m->mech->joint_count; i++)
        read_joint(&h, i);
    for (uint32_t i = 0; i < m->group_count; i++)
        h.wish[i] = ct_wish_none();
    for (int guesses = 1; guesses >= 0; guesses--)
        for (uint32_t i = 0; i < m->def->start_count; i++) {
            const ct_start *s = &m->def->start[i];
            const ct_motion *x = ct_start_motion_of(m, s);
            if (!x || s->guess != (guesses == 1))
                continue;
            read_start(&h, x, ct_pose_value(m, s->value), s->guess);
            ct_wish_read(&h, x, ct_pose_value(m, s->value));
        }
    grow(&h, arena);
    return h;
}

static void walk_all(hanging *h)
{
    h->at[0] = (hung){.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .is = true};
    walk(h, 0);
    for (uint32_t root; (root = next_root(h)) != CT_NOTHING;) {
        h->at[root] = h->found ? found_group(h, root) : ct_wish_free(h, root);
        walk(h, root);
    }
}

static void set_windings(const hanging *h, ct_mechanics_start *out, const bool *known)
{
    mechanics *m = h->m;
    for (uint32_t i = 0; i < m->mech->frame_count; i++) {
        uint32_t q = m->winding[i];
        const hung *g = &h->at[m->site[i].group];
        if (q == CT_NOTHING || (known && known[q]) || !g->is)
            continue;
        out->place[q] = wound(ct_hang_about_z(ct_hang_frame(m, g, i).r), g->about);
    }
}

static bool is_free_body(const hanging *h, const tie *t)
{
    return t->is_body && (t->in_t || t->in_r) && h->m->group[t->head].first != CT_NOTHING &&
           h->at[t->head].is;
}

const hung *ct_start_hang(mechanics *m, ct_mechanics_start *out, const bool *known)
{
    ct_arena *arena = ct_arena_new(m->ctx);
    hanging h = begin(m, arena, out->arena);
    walk_all(&h);
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (is_free_body(&h, &m->tie.at[i]))
            set_body(&h, &m->tie.at[i], out, known);
    for (uint32_t i = 0; i < m->mech->joint_count; i++)
        set_joint(&h, &h.hook[i], out, known);
    set_windings(&h, out, known);
    ct_arena_free(arena);
    return h.at;
}

/* ---- once more, where all was found */

/* Of joints the values that were found, with the whole turns that are told. */
static void take_found(hanging *h)
{
    for (uint32_t i = 0; i < h->m->mech->joint_count; i++) {
        const found_joint *f = &h->found->joint[i];
        hook *own = &h->hook[i];
        for (uint32_t k = 0; k < CT_FREEDOMS; k++)
            own->value[k] = k < CT_SLIDE ? wound(f->value[k], told(own->value[k])) : f->value[k];
        memcpy(own->ball, f->ball, sizeof own->ball);
        if (!h->found->speeds)
            continue;
        memcpy(own->rate, f->rate, sizeof own->rate);
        memcpy(own->spin, f->spin, sizeof own->spin);
    }
}

static void set_freedoms(const hanging *h, const tie *t, ct_mechanics_start *out)
{
    const hook *own = &h->hook[t->object];
    double q[4];
    for (uint32_t k = 0; k < 3; k++) {
        if (t->slide_q[k] != CT_NOTHING) {
            out->place[t->slide_q[k]] = own->value[t->slide_at + k];
            out->rate[t->slide_q[k]] = own->rate[t->slide_at + k];
        }
        if (t->winding_q[k] != CT_NOTHING)
            out->place[t->winding_q[k]] = own->value[t->turn_at + k];
    }
    if (t->angle_q == CT_NOTHING)
        return;
    if (!t->ball) {
        out->place[t->angle_q] = own->value[t->turn_at];
        out->rate[t->angle_q] = own->rate[t->turn_at];
    } else if (ct_quaternion_of(own->ball, q)) {
        memcpy(out->place + t->angle_q, q, sizeof q);
        memcpy(out->rate + t->angle_q + 1, own->spin, sizeof own->spin);
    }
}

static void set_all(const hanging *h, ct_mechanics_start *out)
{
    mechanics *m = h->m;
    bool *none = CT_NEW_ARRAY(out->arena, bool, m->coordinate.count + 1);
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        if (m->coordinate.at[i].u)
            out->rate[i] = 0;
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (!m->tie.at[i].is_body && h->found)
            set_freedoms(h, &m->tie.at[i], out);
        else if (is_free_body(h, &m->tie.at[i]))
            set_body(h, &m->tie.at[i], out, none);
    set_windings(h, out, NULL);
}

/* What has not moved keeps its exact value. */
static void settle(double *now, const double *before, uint32_t count)
{
    static const double unmoved = 1e-13;
    for (uint32_t i = 0; i < count; i++)
        if (fabs(now[i] - before[i]) <= unmoved * (1 + fabs(before[i])))
            now[i] = before[i];
}

static void set_found(const hanging *h, ct_mechanics_start *out, ct_arena *arena)
{
    uint32_t n = h->m->coordinate.count;
    double *place = CT_NEW_ARRAY(arena, double, n + 1), *rate = CT_NEW_ARRAY(arena, double, n + 1);
    memcpy(place, out->place, n * sizeof *place);
    memcpy(rate, out->rate, n * sizeof *rate);
    set_all(h, out);
    settle(out->place, place, n);
    settle(out->rate, rate, n);
}

void ct_start_rehang(mechanics *m, ct_mechanics_start *out, const whereabouts *found)
{
    ct_arena *arena = ct_arena_new(m->ctx);
    hanging h = begin(m, arena, arena);
    h.found = found;
    if (found)
        take_found(&h);
    walk_all(&h);
    bool all = !found || found->speeds;
    if (all)
        set_found(&h, out, arena);
    for (uint32_t i = 0; !all && i < out->weighed_count; i++) {
        ct_weighed *w = &out->weighed[i];
        const hung *at = ct_start_is_of_body(w) ? &h.at[m->member[w->body].group] : NULL;
        if (at && at->is)
            w->of[1] = ct_start_hung_value(m, at, w, 1);
    }
    ct_arena_free(arena);
}

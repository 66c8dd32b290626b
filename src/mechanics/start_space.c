/* start_space.c - where bodies in space begin, were no loop closed: joints as given, driven or
 * guessed, else at zero; free bodies, too. Loops, and start values of other kinds, are met by the
 * run, which seeks the point nearest to this one in the metric of kinetic energy. */
#include <math.h>

#include "base/hash.h"
#include "mechanics/start.h"

static const double is_rotation = 1e-6; /* off from 3, the sum of the squares */
static const double bent = 0.02;        /* shapes are scattered less: they bend little */
static const double same_way = 1e-9;    /* off from 1, a slope of angles about one axis */
static const double turned = 1e-12;     /* radians: less is rounding */
static const double met = 1e-12;        /* of rows and values: likewise */

/* ---- freedoms of one number */

static const struct {
    ct_motion_kind kind;
    int order;
    bool turn;
} kinds[] = {
    {CT_MOTION_TURN, 0, true},
    {CT_MOTION_TURN_SPEED, 1, true},
    {CT_MOTION_SLIDE, 0, false},
    {CT_MOTION_SLIDE_SPEED, 1, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct placing {
    mechanics *m;
    ct_mechanics_start *out;
    double (*axes)[9];   /* by tie: R that is wanted of a ball, by entries; NaN: not */
    double (*spin)[3];   /* by tie: spin in ground axes that is wanted of a body; NaN: not */
    ct_map *coordinate;  /* name -> index + 1 of q; of u with the upper bit */
    bool *given, *paced; /* by coordinate: its place, its speed is told */
    const hung *hung;    /* by group */
} placing;

const ct_motion *ct_start_motion_of(const mechanics *m, const ct_start *s)
{
    bool symbol = ct_expr_kind_of(m->pool, s->variable) == CT_EXPR_SYMBOL;
    uint32_t known = symbol ? ct_map_get(&m->motion, ct_expr_name(m->pool, s->variable)) : 0;
    return known ? &m->mech->motion[known - 1] : NULL;
}

static void set(placing *p, uint32_t q, int order, double value)
{
    (order ? p->out->rate : p->out->place)[q] = value;
    (order ? p->paced : p->given)[q] = true;
}

/* CT_KNOWN_..; 0: it is about something else. */
static uint8_t take_freedom(placing *p, const ct_motion *x, double value)
{
    mechanics *m = p->m;
    uint32_t k = 0;
    while (k < KINDS && kinds[k].kind != x->kind)
        k++;
    if (k == KINDS)
        return 0;
    uint32_t index = ct_mech_tie_of(m, x->object, x->axis + (kinds[k].turn ? CT_TURN : CT_SLIDE));
    const tie *t = index == CT_NOTHING ? NULL : &m->tie.at[index];
    if (!t || t->ball)
        return 0;
    uint32_t q = kinds[k].turn ? t->angle_q : t->slide_q[x->axis + CT_SLIDE - t->slide_at];
    if (q == CT_NOTHING && x->kind == CT_MOTION_TURN && t->winding_q[x->axis] != CT_NOTHING)
        set(p, t->winding_q[x->axis], 0, value);
    if (q == CT_NOTHING)
        return 0; /* a driver says where it is, or a loop */
    set(p, q, kinds[k].order, value);
    return kinds[k].turn ? CT_KNOWN_ANGLE : CT_KNOWN_LENGTH;
}

/* ---- balls and free bodies */

static uint32_t ball_of(const mechanics *m, const ct_motion *x)
{
    bool joint = x->kind == CT_MOTION_JOINT_AXES || x->kind == CT_MOTION_JOINT_SPIN;
    uint32_t index = CT_NOTHING;
    if (joint)
        index = ct_mech_tie_of(m, x->object, CT_TURN);
    else if (x->kind == CT_MOTION_AXES || x->kind == CT_MOTION_SPIN_OWN ||
             x->kind == CT_MOTION_SPIN)
        index = m->body_tie[m->site[x->object].group];
    const tie *t = index == CT_NOTHING || index >= m->tie.count ? NULL : &m->tie.at[index];
    bool own = t && (joint || (t->is_body && m->mech->body[t->object].frame == x->object));
    return own && t->ball && t->angle_q != CT_NOTHING ? index : CT_NOTHING;
}

static uint8_t take_ball(placing *p, const ct_motion *x, double value)
{
    uint32_t index = ball_of(p->m, x);
    if (index == CT_NOTHING)
        return 0;
    if (x->kind == CT_MOTION_JOINT_AXES || x->kind == CT_MOTION_AXES)
        p->axes[index][x->axis] = value;
    else if (x->kind == CT_MOTION_SPIN)
        p->spin[index][x->axis] = value;
    else
        set(p, p->m->tie.at[index].angle_q + 1 + x->axis, 1, value);
    return CT_KNOWN_ANGLE;
}

/* Whole turns of an angle about z. */
static void take_winding(placing *p, const ct_motion *x, double value)
{
    uint32_t q = x->kind == CT_MOTION_ANGLE ? p->m->winding[x->object] : CT_NOTHING;
    if (q != CT_NOTHING)
        set(p, q, 0, value);
}

/* x, y, z of a free body; of its mass centre if that is its coordinate. */
static uint8_t take_place(placing *p, const ct_motion *x, double value)
{
    bool place = x->kind == CT_MOTION_POSITION, speed = x->kind == CT_MOTION_VELOCITY;
    uint32_t found = place || speed ? ct_map_get(p->coordinate, x->name) : 0;
    if (!found)
        return 0;
    set(p, (found & 0x7fffffffU) - 1, speed, value);
    return CT_KNOWN_LENGTH;
}

/* The quaternion of a rotation; false: it is none, or not told as a whole. */
bool ct_quaternion_of(const double r[9], double q[4])
{
    double trace = r[0] + r[4] + r[8], size = 0;
    for (int i = 0; i < 9; i++)
        size += r[i] * r[i];
    if (!(fabs(size - 3) < is_rotation))
        return false;
    double four[4] = {1 + trace, 1 + 2 * r[0] - trace, 1 + 2 * r[4] - trace, 1 + 2 * r[8] - trace};
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = four[i] > four[best] ? i : best;
    double odd[4] = {0, r[7] - r[5], r[2] - r[6], r[3] - r[1]}, sum[4][4] = {{0}};
    sum[1][2] = sum[2][1] = r[1] + r[3];
    sum[1][3] = sum[3][1] = r[2] + r[6];
    sum[2][3] = sum[3][2] = r[5] + r[7];
    for (int i = 1; i < 4; i++)
        sum[0][i] = sum[i][0] = odd[i];
    double root = 2 * sqrt(four[best]);
    for (int i = 0; i < 4; i++)
        q[i] = i == best ? root / 4 : sum[best][i] / root;
    for (int i = 3; i >= 0 && q[0] < 0; i--)
        q[i] = -q[i];
    return true;
}

static void set_ball(placing *p, uint32_t index)
{
    const tie *t = &p->m->tie.at[index];
    double q[4], *r = p->axes[index], *w = p->spin[index];
    if (ct_quaternion_of(r, q))
        for (uint32_t i = 0; i < 4; i++)
            set(p, t->angle_q + i, 0, q[i]);
    else
        r[0] = r[4] = r[8] = 1, r[1] = r[2] = r[3] = r[5] = r[6] = r[7] = 0;
    for (uint32_t i = 0; i < 3 && isfinite(w[0] + w[1] + w[2]); i++)
        set(p, t->angle_q + 1 + i, 1, r[i] * w[0] + r[3 + i] * w[1] + r[6 + i] * w[2]);
}

/* ---- all start values */

static void take_all(placing *p)
{
    mechanics *m = p->m;
    for (int guesses = 1; guesses >= 0; guesses--) /* what is given comes last */
        for (uint32_t i = 0; i < m->def->start_count; i++) {
            const ct_start *s = &m->def->start[i];
            const ct_motion *x = ct_start_motion_of(m, s);
            if (!x || s->guess != (guesses == 1))
                continue;
            double value = ct_pose_value(m, s->value);
            take_winding(p, x, value);
            uint8_t known = take_freedom(p, x, value);
            known = known ? known : take_ball(p, x, value);
            p->out->known[i] = known ? known : take_place(p, x, value);
        }
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (m->tie.at[i].ball && m->tie.at[i].angle_q != CT_NOTHING)
            set_ball(p, i);
}

/* ---- other points, farther and farther */

double ct_start_dice(uint64_t *seed)
{
    *seed = ct_hash_mix(*seed, 0x7363617474657221);
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void scatter(placing *p)
{
    mechanics *m = p->m;
    uint64_t seed = p->out->attempt;
    double spread = 0.4 * p->out->attempt;
    for (uint32_t i = 0; spread > 0 && i < m->coordinate.count; i++) {
        const ct_coordinate *c = &m->coordinate.at[i];
        double length = (c->angle ? 1 : p->out->size) * (c->of_shape ? bent : 1);
        if (!p->given[i] && (c->u || c->quaternion))
            p->out->place[i] += spread * ct_start_dice(&seed) * (c->quaternion ? 0.5 : length);
    }
}

/* ---- the metric: mass centres, and axes with the moments of mass along them */

enum { AXES = 3, COORDINATE = 12 };

bool ct_start_is_of_body(const ct_weighed *w)
{
    return w->axis != COORDINATE;
}

static ct_expr weighed_axis(mechanics *m, const member *of, uint32_t at, int order)
{
    const rigid *g = &m->group[of->group];
    vec axis = ct_mx_rotated(m, ct_mx_unit(m, at % 3, m->one), of->turn);
    if (order)
        axis = ct_mx_spun(m, g->spin, axis);
    return ct_mx_in(m, axis, m->axes[of->group], 0).x[at / 3];
}

ct_expr ct_start_weighed_in_space(mechanics *m, const ct_weighed *w, int order)
{
    if (w->axis == COORDINATE) {
        const ct_coordinate *c = &m->coordinate.at[w->body];
        if (order)
            return c->u ? ct_expr_symbol(m->pool, c->u) : m->zero;
        return ct_expr_symbol(m->pool, c->q);
    }
    const member *of = &m->member[w->body];
    if (w->axis >= AXES)
        return weighed_axis(m, of, w->axis - AXES, order);
    vec at =
        order ? ct_mech_velocity(m, of->group, of->com) : ct_mech_position(m, of->group, of->com);
    return at.x[w->axis];
}

static double look_up(const void *user, ct_name name)
{
    const placing *p = user;
    uint32_t found = ct_map_get(p->coordinate, name);
    if (found & 0x80000000U)
        return p->out->rate[(found & 0x7fffffffU) - 1];
    return found ? p->out->place[found - 1]
                 : ct_mech_number(p->m, ct_expr_symbol(p->m->pool, name));
}

static void weigh(placing *p, uint32_t object, uint32_t axis, double weight, double share)
{
    ct_mechanics_start *out = p->out;
    ct_weighed *w = &out->weighed[out->weighed_count++];
    *w = (ct_weighed){object, axis, weight, share, {0, 0}};
    bool stiff = ct_start_is_of_body(w) && !p->m->mech->body[object].flex;
    const hung *at = stiff ? &p->hung[p->m->member[object].group] : NULL;
    for (int order = 0; order < 2; order++)
        w->of[order] =
            at && at->is
                ? ct_start_hung_value(p->m, at, w, order)
                : ct_expr_value(p->m->pool, ct_start_weighed_in_space(p->m, w, order), look_up, p);
}

static void weigh_body(placing *p, uint32_t b)
{
    static const double least = 1e-3; /* of parts without mass */
    mechanics *m = p->m;
    const ct_body *body = &m->mech->body[b];
    double size = p->out->size, own[3], half = 0;
    double mass = fabs(ct_pose_value(m, body->mass)) / (p->out->mass * size * size);
    for (uint32_t i = 0; i < 3; i++)
        weigh(p, b, i, fmax(sqrt(mass), least / size), mass);
    for (int i = 0; i < 3; i++) {
        own[i] = ct_pose_value(m, body->inertia[i]) / (p->out->mass * size * size);
        half += own[i] / 2;
    }
    for (uint32_t i = 0; i < 9 && ct_mech_kind(m, b)->turns; i++) {
        double share = fmax(half - own[i % 3], 0);
        weigh(p, b, AXES + i, fmax(sqrt(share), least), share);
    }
}

static void weigh_all(placing *p)
{
    mechanics *m = p->m;
    static const double slight = 1e-4, straight = 1e3; /* shapes change only where they must */
    size_t most = 12 * (size_t)m->mech->body_count + m->coordinate.count;
    p->out->weighed = CT_NEW_ARRAY(p->out->arena, ct_weighed, most + 1);
    for (uint32_t b = 1; b < m->mech->body_count; b++)
        if (m->member[b].group)
            weigh_body(p, b);
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        const ct_coordinate *c = &m->coordinate.at[i];
        weigh(p, i, COORDINATE, (c->of_shape ? straight : slight) / (c->angle ? 1 : p->out->size),
              0);
    }
}

/* Mean length of what joints are away from the origins of groups. */
static double size_of(mechanics *m)
{
    double sum = 0, terms = 0;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const vec *end[] = {&m->tie.at[i].from, &m->tie.at[i].to};
        for (int k = 0; k < 2 && !m->tie.at[i].is_body; k++) {
            double own = 0;
            for (int c = 0; c < 3; c++)
                own = hypot(own, ct_pose_value(m, end[k]->x[c]));
            sum += own;
            terms += own > 0;
        }
    }
    return sum > 0 ? sum / terms : ct_pose_reach(m);
}

static ct_map *map_coordinates(mechanics *m, ct_arena *arena)
{
    ct_map *map = CT_NEW(arena, ct_map);
    ct_map_init(map, arena);
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        ct_map_put(map, m->coordinate.at[i].q, i + 1);
        if (m->coordinate.at[i].u)
            ct_map_put(map, m->coordinate.at[i].u, (i + 1) | 0x80000000U);
    }
    return map;
}

static void measure(mechanics *m, ct_mechanics_start *out)
{
    out->size = size_of(m);
    out->mass = 0;
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        out->mass += fabs(ct_pose_value(m, m->mech->body[i].mass));
    out->mass = out->mass > 0 ? out->mass : 1;
}

/* A follower that closes a loop begins with the whole turns that it is told. */
static void wind_followers(placing *p)
{
    mechanics *m = p->m;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint32_t q = t->winding_q[0];
        if (!t->angle.couple || q == CT_NOTHING || p->given[q])
            continue;
        double value = ct_expr_value(m->pool, t->angle.couple->of[0], look_up, p);
        if (isfinite(value))
            p->out->place[q] = value;
    }
}

/* ---- angles of frames about z, where one joint or the body itself has it */

static double angle_of(placing *p, const ct_motion *x)
{
    return ct_expr_value(p->m->pool, ct_mech_express(p->m, x, false), look_up, p);
}

/* Rz(angle) o Q */
static void turn_about_z(double *q, double angle)
{
    double c = cos(angle / 2), s = sin(angle / 2);
    double kept[4] = {q[0], q[1], q[2], q[3]};
    q[0] = c * kept[0] - s * kept[3];
    q[1] = c * kept[1] - s * kept[2];
    q[2] = c * kept[2] + s * kept[1];
    q[3] = c * kept[3] + s * kept[0];
}

/* The same of rates. */
static void spin_to(placing *p, const tie *t, const ct_motion *x, double value)
{
    double *rate = p->out->rate, before = angle_of(p, x), miss = value - before;
    uint32_t q = t->angle_q;
    if (q == CT_NOTHING || t->ball || !p->m->coordinate.at[q].u || p->paced[q] || !isfinite(miss))
        return;
    rate[q] += 1;
    double slope = angle_of(p, x) - before;
    rate[q] += fabs(fabs(slope) - 1) < same_way ? miss / slope - 1 : -1;
}

static void turn_to(placing *p, const tie *t, const ct_motion *x, double value)
{
    double *place = p->out->place, before = angle_of(p, x), miss = value - before;
    uint32_t q = t->angle_q;
    if (q == CT_NOTHING || p->given[q] || !isfinite(miss))
        return;
    if (t->ball && t->is_body && fabs(miss) > turned) /* no joint could have it */
        turn_about_z(place + q, miss);
    if (t->ball)
        return;
    place[q] += 0.5;
    double slope = (angle_of(p, x) - before) / 0.5;
    place[q] += fabs(fabs(slope) - 1) < same_way ? miss / slope - 0.5 : -0.5;
}

/* From the ground on, so that what carries a frame is turned before. */
static void turn_frames(placing *p)
{
    mechanics *m = p->m;
    ct_arena *arena = ct_arena_new(m->ctx);
    uint32_t *angle = CT_NEW_ARRAY(arena, uint32_t, m->group_count + 1); /* start + 1 */
    uint32_t *speed = CT_NEW_ARRAY(arena, uint32_t, m->group_count + 1);
    bool any = false;
    for (int guesses = 1; guesses >= 0; guesses--)
        for (uint32_t i = 0; i < m->def->start_count; i++) {
            const ct_motion *x = ct_start_motion_of(m, &m->def->start[i]);
            bool spin = x && x->kind == CT_MOTION_SPIN && x->axis == 2;
            if (!x || (x->kind != CT_MOTION_ANGLE && !spin) ||
                m->def->start[i].guess != (guesses == 1))
                continue;
            (spin ? speed : angle)[m->site[x->object].group] = i + 1;
            any = true;
        }
    for (uint32_t i = 0; any && i < m->r.count; i++) {
        uint32_t k = angle[m->r.at[i].child], l = speed[m->r.at[i].child];
        const tie *t = &m->tie.at[m->r.at[i].tie];
        const ct_start *s = m->def->start;
        if (k)
            turn_to(p, t, ct_start_motion_of(m, &s[k - 1]), ct_pose_value(m, s[k - 1].value));
        if (l)
            spin_to(p, t, ct_start_motion_of(m, &s[l - 1]), ct_pose_value(m, s[l - 1].value));
    }
    ct_arena_free(arena);
}

static bool place_all(placing *p)
{
    mechanics *m = p->m;
    ct_mechanics_start *out = p->out;
    ct_arena *arena = out->arena;
    uint32_t n = m->coordinate.count;
    measure(m, out);
    if (!isfinite(out->size))
        return false;
    out->known = CT_NEW_ARRAY(arena, uint8_t, m->def->start_count + 1);
    out->place = CT_NEW_ARRAY(arena, double, n + 1);
    out->rate = CT_NEW_ARRAY(arena, double, n + 1);
    p->given = CT_NEW_ARRAY(arena, bool, n + 1);
    p->paced = CT_NEW_ARRAY(arena, bool, n + 1);
    p->axes = ct_arena_alloc(arena, (m->tie.count + 1) * sizeof *p->axes);
    p->spin = ct_arena_alloc(arena, (m->tie.count + 1) * sizeof *p->spin);
    p->coordinate = map_coordinates(m, arena);
    for (uint32_t i = 0; i < m->tie.count; i++)
        for (int k = 0; k < 9; k++)
            p->axes[i][k] = p->spin[i][k % 3] = NAN;
    for (uint32_t i = 0; i < n; i++) {
        const ct_coordinate *c = &m->coordinate.at[i];
        if (!c->u && !c->quaternion)
            out->rate[i] = ct_pose_value(m, c->speed); /* NaN: a winding */
        out->place[i] = c->quaternion && c->axis == 0;
    }
    take_all(p);
    p->hung = ct_start_hang(m, out, p->given);
    turn_frames(p);
    wind_followers(p);
    return true;
}

bool ct_start_placed(mechanics *m, ct_mechanics_start *out)
{
    placing p = {.m = m, .out = out};
    bool good = place_all(&p);
    if (good)
        scatter(&p);
    return good;
}

bool ct_start_refer_in_space(mechanics *m, ct_mechanics_start *out)
{
    placing p = {.m = m, .out = out};
    if (!place_all(&p))
        return false;
    weigh_all(&p);
    scatter(&p);
    return true;
}

/* Does the reference meet all rows of joints and all start values? */
static bool is_met(placing *p)
{
    mechanics *m = p->m;
    ct_arena *arena = ct_arena_new(m->ctx);
    CT_VEC(ct_expr) e = {0};
    CT_VEC(double) target = {0};
    for (uint32_t i = 0; i < 2 * m->constraint.count; i++) {
        const ct_constraint *c = &m->constraint.at[i / 2];
        CT_PUSH(arena, e, i % 2 ? c->velocity : c->position ? c->position : m->zero);
        CT_PUSH(arena, target, 0);
    }
    for (uint32_t i = 0; i < m->def->start_count; i++) {
        const ct_motion *x = ct_start_motion_of(m, &m->def->start[i]);
        if (p->out->known[i] || !ct_start_kind_of(x))
            continue;
        CT_PUSH(arena, e, ct_mech_express(m, x, false));
        CT_PUSH(arena, target, ct_pose_value(m, m->def->start[i].value));
    }
    double *value = CT_NEW_ARRAY(arena, double, e.count + 1);
    bool good = true;
    ct_expr_values(m->pool, e.at, e.count, look_up, p, value);
    for (uint32_t i = 0; i < e.count; i++)
        good = good && fabs(value[i] - target.at[i]) <= met * (1 + fabs(target.at[i]));
    ct_arena_free(arena);
    return good;
}

/* Coordinates that are given hold to the last digit. */
static void take_exactly(placing *p)
{
    mechanics *m = p->m;
    for (uint32_t i = 0; i < m->def->start_count; i++) {
        const ct_start *s = &m->def->start[i];
        const ct_motion *x = ct_start_motion_of(m, s);
        double value = x ? ct_pose_value(m, s->value) : 0;
        if (x && !s->guess && !take_freedom(p, x, value))
            take_place(p, x, value);
    }
}

bool ct_start_in_space(mechanics *m, ct_mechanics_start *out)
{
    placing p = {.m = m, .out = out};
    if (!place_all(&p))
        return false;
    weigh_all(&p);
    if (!out->attempt && !out->forgiving && !m->bends && !is_met(&p) && ct_start_least(m, out)) {
        take_exactly(&p);
        return true;
    }
    scatter(&p);
    return true;
}

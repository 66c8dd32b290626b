/* angles.c - several turns of a joint in space that is no branch: its angles, their rates, and what
 * a torque about one of them does, from the axes of both of its frames.
 *
 * With R the head's axes in those of the tail, p1, p2, p3 the pins, each across the next:
 *
 *     two turns     q1 = angle of R p2 about p1 from p2,  q2 = minus that of R^T p1 about p2 from
 * p1 three         v = R p3, u = R^T p1; p3 across p1: e = p3.(p1 x p2), sin q2 = e v.p1, q1 =
 * atan2(v.(p1 x p3), v.p3), q3 = atan2(-u.(p3 x p1), u.p1) p3 = p1: cos q2 = v.p1, n = p2 x p1: q1
 * = atan2(v.p2, v.n), q3 = atan2(u.p2, -u.n)
 *
 * for cos q2 > 0, or sin q2 > 0 where p3 = p1.
 *
 * They lie between -pi and pi. Where one is read, a coordinate of its own, the winding s with
 * s' = q', counts whole turns: q = s + (q - s between -pi and pi).
 */
#include "mechanics/inside.h"

typedef struct turns {
    mechanics *m;
    const tie *t;
    uint32_t count;
    vec pin[3];
    bool around; /* the third pin is the first */
} turns;

static turns turns_of(mechanics *m, const tie *t)
{
    const ct_joint *j = &m->mech->joint[t->object];
    turns s = {.m = m, .t = t, .count = t->free.turns};
    for (uint32_t i = 0; i < s.count; i++)
        s.pin[i] = ct_mech_direction(m, &j->pin[i]);
    s.around = s.count == 3 && !ct_mx_is_zero(m, ct_mx_dot(m, s.pin[0], s.pin[2]));
    return s;
}

static vec of_tail(const turns *s, vec own)
{
    return ct_mx_in(s->m, ct_mx_rotated(s->m, own, s->t->tail_turn), s->t->tail, 0);
}

static vec of_head(const turns *s, vec own)
{
    return ct_mx_in(s->m, ct_mx_rotated(s->m, own, s->t->head_turn), s->t->head, 0);
}

/* ---- whole turns */

static bool is_read(const mechanics *m, uint32_t joint, uint32_t i)
{
    for (uint32_t k = 0; k < m->mech->motion_count; k++) {
        const ct_motion *x = &m->mech->motion[k];
        if (x->kind == CT_MOTION_TURN && x->object == joint && x->axis == i)
            return true;
    }
    return false;
}

static uint32_t push_winding(mechanics *m, ct_name name, ct_coordinate c)
{
    c.q = name;
    c.angle = true;
    c.speed = m->zero;
    CT_PUSH(m->arena, m->coordinate, c);
    return m->coordinate.count - 1;
}

static uint32_t add_winding(mechanics *m, const tie *t, uint32_t i)
{
    ct_member word = {"winding", t->free.turns == 1 ? 0 : i + 1};
    return push_winding(m, ct_mech_name(m, t, word), (ct_coordinate){.object = t->object});
}

/* Does it turn about z only? */
static bool is_flat(const attitude *a, const mechanics *m)
{
    return !a->axes || a->axes[2].x[2] == m->one;
}

/* By group: all joints that lead to it turn about z; then its angle is their sum. */
static bool *flat_groups(mechanics *m)
{
    bool *flat = CT_NEW_ARRAY(m->arena, bool, m->group_count + 1);
    flat[0] = true;
    for (uint32_t i = 0; i < m->r.count; i++) {
        const step *s = &m->r.at[i];
        const tie *t = &m->tie.at[s->tie];
        flat[s->child] = flat[s->parent] && !t->ball && is_flat(&t->tail_turn, m) &&
                         is_flat(&t->head_turn, m) &&
                         (!t->free.turns || ct_mech_pin_axis(m, t) == 2);
    }
    return flat;
}

static void name_frame_windings(mechanics *m)
{
    m->winding = CT_NEW_ARRAY(m->arena, uint32_t, m->mech->frame_count + 1);
    for (uint32_t i = 0; i < m->mech->frame_count; i++)
        m->winding[i] = CT_NOTHING;
    const bool *flat = m->mech->spatial ? flat_groups(m) : NULL;
    for (uint32_t k = 0; flat && k < m->mech->motion_count; k++) {
        const ct_motion *x = &m->mech->motion[k];
        if (x->kind != CT_MOTION_ANGLE || m->winding[x->object] != CT_NOTHING)
            continue;
        const site *s = &m->site[x->object];
        if (s->group == 0 || (flat[s->group] && is_flat(&s->turn, m)))
            continue;
        ct_name name = ct_owned_symbol(m->def->symbols, m->mech->frame[x->object].name,
                                       (ct_member){"winding", 0});
        m->winding[x->object] =
            push_winding(m, name, (ct_coordinate){.of_body = true, .object = s->body});
    }
}

/* A driven angle is known. */
static bool winds(const mechanics *m, const tie *t, uint32_t i)
{
    if (!m->mech->spatial || t->is_body || t->in_r || !t->free.spins || t->angle.of[0])
        return false;
    bool angles = t->free.turns == 1 || m->mech->joint[t->object].angles;
    return i < t->free.turns && angles && (t->angle.couple || is_read(m, t->object, i));
}

void ct_mech_name_windings(mechanics *m)
{
    for (uint32_t k = 0; k < m->tie.count; k++)
        for (uint32_t i = 0; i < 3; i++) {
            tie *t = &m->tie.at[k];
            t->winding_q[i] = winds(m, t, i) ? add_winding(m, t, i) : CT_NOTHING;
        }
    name_frame_windings(m);
}

void ct_mech_drive_windings(mechanics *m)
{
    for (uint32_t i = 0; i < m->mech->frame_count; i++)
        if (m->winding[i] != CT_NOTHING)
            m->coordinate.at[m->winding[i]].speed = ct_mech_spin_of(m, m->site[i].group).x[2];
    for (uint32_t k = 0; k < m->tie.count; k++)
        for (uint32_t i = 0; i < 3; i++) {
            const tie *t = &m->tie.at[k];
            if (t->winding_q[i] == CT_NOTHING)
                continue;
            m->coordinate.at[t->winding_q[i]].speed = t->free.turns == 1
                                                          ? ct_mech_turn_across(m, t, 1)
                                                          : ct_mech_angle_across(m, t, i, 1);
        }
}

ct_expr ct_mech_unwound(mechanics *m, uint32_t winding, ct_expr sine, ct_expr cosine)
{
    if (winding == CT_NOTHING)
        return ct_expr_call2(m->pool, CT_OP_ATAN2, sine, cosine);
    ct_expr turn = ct_expr_symbol(m->pool, m->coordinate.at[winding].q);
    ct_expr c = ct_expr_call1(m->pool, CT_OP_COS, turn),
            s = ct_expr_call1(m->pool, CT_OP_SIN, turn);
    ct_expr aside = ct_mx_sub(m, ct_mx_mul(m, sine, c), ct_mx_mul(m, cosine, s));
    ct_expr along = ct_mx_add(m, ct_mx_mul(m, cosine, c), ct_mx_mul(m, sine, s));
    return ct_mx_add(m, turn, ct_expr_call2(m->pool, CT_OP_ATAN2, aside, along));
}

static ct_expr angle(const turns *s, uint32_t i, ct_expr sine, ct_expr cosine)
{
    return ct_mech_unwound(s->m, s->t->winding_q[i], sine, cosine);
}

/* a of the head against b of the tail */
static ct_expr against(const turns *s, vec a, vec b)
{
    return ct_mx_dot(s->m, of_head(s, a), of_tail(s, b));
}

static ct_expr angle_of_two(const turns *s, uint32_t i)
{
    mechanics *m = s->m;
    vec n = ct_mx_cross(m, s->pin[0], s->pin[1]);
    if (i == 0)
        return angle(s, i, against(s, s->pin[1], n), against(s, s->pin[1], s->pin[1]));
    return angle(s, i, against(s, n, s->pin[0]), against(s, s->pin[0], s->pin[0]));
}

/* v = R p3 against x: against(p3, x); u = R^T p1 against x: against(x, p1) */
static ct_expr angle_of_three(const turns *s, uint32_t i)
{
    mechanics *m = s->m;
    const vec *p = s->pin;
    vec n = ct_mx_cross(m, p[1], p[0]), side = ct_mx_cross(m, p[0], p[2]);
    if (s->around && i == 0)
        return angle(s, i, against(s, p[2], p[1]), against(s, p[2], n));
    if (s->around && i == 2)
        return angle(s, i, against(s, p[1], p[0]), ct_mx_neg(m, against(s, n, p[0])));
    if (s->around)
        return ct_expr_call1(m->pool, CT_OP_ACOS, against(s, p[2], p[0]));
    if (i == 0)
        return angle(s, i, against(s, p[2], side), against(s, p[2], p[2]));
    if (i == 2)
        return angle(s, i, against(s, side, p[0]), against(s, p[0], p[0]));
    ct_expr sense = ct_mx_neg(m, ct_mx_dot(m, p[2], n)); /* of p1 x p2 */
    return ct_expr_call1(m->pool, CT_OP_ASIN, ct_mx_mul(m, sense, against(s, p[2], p[0])));
}

/* Axes of the turns in the ground; behind two of them what is across both. */
static void axes_of(const turns *s, vec axis[3])
{
    mechanics *m = s->m;
    axis[0] = of_tail(s, s->pin[0]);
    axis[s->count - 1] = of_head(s, s->pin[s->count - 1]);
    if (s->count == 2) {
        axis[2] = ct_mx_cross(m, axis[0], axis[1]);
        return;
    }
    vec n = ct_mx_cross(m, axis[0], axis[2]);
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, ct_mx_dot(m, n, n));
    ct_expr sense =
        s->around ? m->one : ct_mx_dot(m, s->pin[2], ct_mx_cross(m, s->pin[1], s->pin[0]));
    axis[1] = ct_mx_scale(m, ct_mx_div(m, sense, length), n);
}

/* The torque that acts on one of the angles alone; times the spin it is its rate. */
static vec dual(const turns *s, uint32_t i)
{
    vec axis[3];
    axes_of(s, axis);
    vec n = ct_mx_cross(s->m, axis[(i + 1) % 3], axis[(i + 2) % 3]);
    return ct_mx_scale(s->m, ct_mx_div(s->m, s->m->one, ct_mx_dot(s->m, n, axis[i])), n);
}

ct_expr ct_mech_angle_across(mechanics *m, const tie *t, uint32_t i, int order)
{
    turns s = turns_of(m, t);
    if (order == 0)
        return s.count == 2 ? angle_of_two(&s, i) : angle_of_three(&s, i);
    vec apart = ct_mx_vsub(m, ct_mech_spin_of(m, t->head), ct_mech_spin_of(m, t->tail));
    return ct_mx_dot(m, dual(&s, i), apart);
}

vec ct_mech_torque_across(mechanics *m, const tie *t)
{
    turns s = turns_of(m, t);
    const ct_expr *port = m->port + (size_t)CT_FREEDOMS * t->object;
    vec sum = ct_mx_zero(m);
    for (uint32_t i = 0; i < s.count; i++)
        if (!ct_mx_is_zero(m, port[i]))
            sum = ct_mx_vadd(m, sum, ct_mx_scale(m, port[i], dual(&s, i)));
    return sum;
}

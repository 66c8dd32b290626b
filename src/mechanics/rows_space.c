/* rows_space.c - scalar equations of chords in space.
 *
 * With d the way from the tail's point to the head's, a and n fixed in the tail, b and e in the
 * head, t across n:
 *
 *     row            Phi              w    c                back    turns with
 *     X, Y, Z        e.d              e    0                0       nothing
 *     normal, level  a.d              a    0                a x d   a
 *     rod, over L    (d.d/L - L)/2    d    0                0
 *     aim            a.b - constant   0    b x a            0       a, b
 *     even           a1.b2 - a2.b1    0    b2 x a1 - b1 x a2
 *     touch          n.d - r g.n      n    as an arm -r g   n x d   n, g
 *     roll           (speed only)     t    -r g x t         t x d   t, g
 *
 * where g is the unit vector across a disc's axis e that is nearest to n, or n of a ball: the body
 * touches at -r g from its centre. Phi' = (w.d' + c.(omega_head - omega_tail) +
 * back.omega_tail)/over; the right side at acceleration level is what is left of Phi'': -(w'.d' +
 * c'.(..) + back'.omega_tail). All vectors are in ground axes.
 */
#include "mechanics/inside.h"

typedef struct row_work {
    mechanics *m;
    const tie *t;
    vec d, rate;           /* way, and how it changes */
    vec tail, head, apart; /* spins, and their difference */
    bool bias;
    row_form f;
} row_work;

/* ---- vectors of both ends, in ground axes */

static vec of_tail(const row_work *w, vec own) /* in the axes of the joint there */
{
    return ct_mx_in(w->m, ct_mx_rotated(w->m, own, w->t->tail_turn), w->t->tail, 0);
}

static vec of_head(const row_work *w, vec own)
{
    return ct_mx_in(w->m, ct_mx_rotated(w->m, own, w->t->head_turn), w->t->head, 0);
}

static vec cross(const row_work *w, vec a, vec b)
{
    return ct_mx_cross(w->m, a, b);
}

static ct_expr dot(const row_work *w, vec a, vec b)
{
    return ct_mx_dot(w->m, a, b);
}

static void add_bias(row_work *w, int at, ct_expr e)
{
    w->f.bias[at] = ct_mx_sub(w->m, w->f.bias[at], e);
}

/* ---- places */

static void unit_row(row_work *w, uint32_t axis)
{
    w->f.w = ct_mx_unit(w->m, axis, w->m->one);
    w->f.position = w->d.x[axis];
}

/* a.d, a turns with the tail: 2 (omega x a).d' + (omega x (omega x a)).d */
static void tail_row(row_work *w, vec a)
{
    w->f.w = a;
    w->f.position = dot(w, a, w->d);
    if (!w->t->tail)
        return;
    w->f.back = cross(w, a, w->d);
    if (!w->bias)
        return;
    vec turning = cross(w, w->tail, a),
        two = ct_mx_scale(w->m, ct_expr_int(w->m->pool, 2), turning);
    add_bias(w, 0, dot(w, two, w->rate));
    add_bias(w, 1, dot(w, cross(w, w->tail, turning), w->d));
}

static void rod_row(row_work *w)
{
    mechanics *m = w->m;
    ct_expr square = ct_mx_div(m, dot(w, w->d, w->d), w->t->length);
    w->f.w = w->d;
    w->f.over = w->t->length;
    w->f.position = ct_mx_mul(m, ct_expr_ratio(m->pool, 1, 2), ct_mx_sub(m, square, w->t->length));
    if (w->bias)
        add_bias(w, 0, ct_mx_div(m, dot(w, w->rate, w->rate), w->t->length));
}

/* ---- directions */

/* (b x a)' = (omega_h x b) x a + b x (omega_t x a) */
static void aim(row_work *w, vec a, vec b, int sign)
{
    mechanics *m = w->m;
    ct_expr factor = ct_expr_int(m->pool, sign);
    w->f.position = ct_mx_add(m, w->f.position, ct_mx_mul(m, factor, dot(w, a, b)));
    w->f.c = ct_mx_vadd(m, w->f.c, ct_mx_scale(m, factor, cross(w, b, a)));
    if (!w->bias)
        return;
    vec turning =
        ct_mx_vadd(m, cross(w, cross(w, w->head, b), a), cross(w, b, cross(w, w->tail, a)));
    add_bias(w, 0, ct_mx_mul(m, factor, dot(w, turning, w->apart)));
}

/* With no turn the axes of both frames, with one the pin in the head and what is across it in the
 * tail, with two both pins. */
static void aim_row(row_work *w, uint32_t i)
{
    mechanics *m = w->m;
    const ct_joint *j = &m->mech->joint[w->t->object];
    vec a = ct_mx_unit(m, i, m->one), b = ct_mx_unit(m, (i + 1) % 3, m->one), across[2];
    if (w->t->free.turns == 1) {
        ct_mx_across(m, w->t->pin, across);
        a = across[i];
        b = w->t->pin;
    } else if (w->t->free.turns == 2) {
        a = ct_mech_direction(m, &j->pin[0]);
        b = ct_mech_direction(m, &j->pin[1]);
    }
    ct_expr before = dot(w, a, b);
    aim(w, of_tail(w, a), of_head(w, b), 1);
    w->f.position = ct_mx_sub(m, w->f.position, before);
    if (w->t->free.turns == 1)
        w->f.sense = dot(w, of_tail(w, b), of_head(w, b));
    else if (!w->t->free.turns)
        w->f.sense = dot(w, of_tail(w, a), of_head(w, a));
}

static void even_row(row_work *w)
{
    vec across[2], axis = ct_mech_direction(w->m, &w->m->mech->joint[w->t->object].axis);
    ct_mx_across(w->m, axis, across);
    aim(w, of_tail(w, across[0]), of_head(w, across[1]), 1);
    aim(w, of_tail(w, across[1]), of_head(w, across[0]), -1);
    w->f.sense = ct_mx_add(w->m, dot(w, of_tail(w, across[0]), of_head(w, across[0])),
                           dot(w, of_tail(w, across[1]), of_head(w, across[1])));
}

/* What drives an angle gives its rate; the place is the sine of what is missing. */
static void turn_row(row_work *w)
{
    mechanics *m = w->m;
    vec across[2];
    ct_mx_across(m, w->t->pin, across);
    w->f.c = of_tail(w, w->t->pin);
    if (!w->t->angle.of[0])
        return;
    vec b = of_head(w, across[0]);
    ct_expr c = ct_expr_call1(m->pool, CT_OP_COS, w->t->angle.of[0]);
    ct_expr s = ct_expr_call1(m->pool, CT_OP_SIN, w->t->angle.of[0]);
    ct_expr along = dot(w, of_tail(w, across[0]), b), aside = dot(w, of_tail(w, across[1]), b);
    w->f.position = ct_mx_sub(m, ct_mx_mul(m, c, aside), ct_mx_mul(m, s, along));
    w->f.sense = ct_mx_add(m, ct_mx_mul(m, c, along), ct_mx_mul(m, s, aside));
    w->f.closed = true;
}

/* ---- what rolls */

typedef struct contact {
    vec n, g, n_rate, g_rate;
} contact;

/* g = (n - (n.e) e)/sigma, sigma = |n - (n.e) e| */
static contact contact_of(row_work *w)
{
    mechanics *m = w->m;
    const ct_joint *j = &m->mech->joint[w->t->object];
    contact c = {.n = of_tail(w, ct_mx_unit(m, 2, m->one))};
    c.n_rate = cross(w, w->tail, c.n);
    c.g = c.n, c.g_rate = c.n_rate;
    if (!(ct_joint_types[j->kind].keys & CT_KEYS_AXIS)) /* a ball */
        return c;
    vec e = of_head(w, ct_mech_direction(m, &j->axis)), e_rate = cross(w, w->head, e);
    ct_expr lean = dot(w, c.n, e);
    vec side = ct_mx_vsub(m, c.n, ct_mx_scale(m, lean, e));
    ct_expr sigma = ct_expr_call1(m->pool, CT_OP_SQRT, dot(w, side, side));
    ct_expr lean_rate = ct_mx_add(m, dot(w, c.n_rate, e), dot(w, c.n, e_rate));
    vec side_rate = ct_mx_vsub(m, c.n_rate, ct_mx_scale(m, lean_rate, e));
    side_rate = ct_mx_vsub(m, side_rate, ct_mx_scale(m, lean, e_rate));
    ct_expr over = ct_mx_div(m, m->one, sigma);
    c.g = ct_mx_scale(m, over, side);
    side_rate = ct_mx_scale(m, over, side_rate);
    c.g_rate = ct_mx_vsub(m, side_rate, ct_mx_scale(m, dot(w, c.g, side_rate), c.g));
    return c;
}

/* The material point of the head at -r g against the tail, along a: a.(d' - r omega x g) */
static void contact_row(row_work *w, const contact *c, vec a)
{
    mechanics *m = w->m;
    ct_expr minus_r = ct_mx_neg(m, w->t->length);
    tail_row(w, a);
    w->f.c = ct_mx_scale(m, minus_r, cross(w, c->g, a));
    if (!w->bias)
        return;
    vec turning = ct_mx_vadd(m, cross(w, c->g_rate, a), cross(w, c->g, cross(w, w->tail, a)));
    add_bias(w, 0, ct_mx_mul(m, minus_r, dot(w, turning, w->apart)));
}

static void touch_row(row_work *w)
{
    contact c = contact_of(w);
    contact_row(w, &c, c.n);
    ct_expr depth = ct_mx_mul(w->m, w->t->length, dot(w, c.g, c.n));
    w->f.position = ct_mx_sub(w->m, w->f.position, depth);
}

static void roll_row(row_work *w, uint32_t i)
{
    contact c = contact_of(w);
    contact_row(w, &c, of_tail(w, ct_mx_unit(w->m, i, w->m->one)));
    w->f.position = 0;
}

/* ---- all */

static void fill(row_work *w, ct_tie_row row, ct_expr factor)
{
    mechanics *m = w->m;
    vec axis = ct_mx_in(m, w->t->axis[0], w->t->tail, 0), across[2];
    switch (row) {
    case CT_ROW_X:
    case CT_ROW_Y:
        unit_row(w, row == CT_ROW_Y);
        break;
    case CT_ROW_Z:
        unit_row(w, 2);
        break;
    case CT_ROW_NORMAL_1:
    case CT_ROW_NORMAL_2:
        ct_mx_across(m, w->t->along, across);
        tail_row(w, of_tail(w, across[row - CT_ROW_NORMAL_1]));
        break;
    case CT_ROW_LEVEL:
        tail_row(w, of_tail(w, w->t->along));
        break;
    case CT_ROW_ROD:
        rod_row(w);
        break;
    case CT_ROW_DRIVE_SLIDE:
        tail_row(w, ct_mx_scale(m, factor, axis));
        break;
    case CT_ROW_DRIVE_TURN:
        turn_row(w);
        break;
    case CT_ROW_AIM_1:
    case CT_ROW_AIM_2:
        aim_row(w, row - CT_ROW_AIM_1);
        break;
    case CT_ROW_AIM_3:
        aim_row(w, 2);
        break;
    case CT_ROW_EVEN:
        even_row(w);
        break;
    case CT_ROW_TOUCH:
        touch_row(w);
        break;
    case CT_ROW_ROLL_1:
    case CT_ROW_ROLL_2:
        roll_row(w, row - CT_ROW_ROLL_1);
        break;
    default: /* rows of the plane, couplings */
        break;
    }
}

row_form ct_mech_row_in_space(mechanics *m, const tie *t, ct_tie_row row, ct_expr factor, bool bias)
{
    vec none = ct_mx_zero(m);
    row_work w = {.m = m, .t = t, .bias = bias};
    w.f = (row_form){.w = none,
                     .c = none,
                     .back = none,
                     .position = m->zero,
                     .bias = {m->zero, m->zero},
                     .over = m->one};
    w.d = ct_mech_distance(m, t);
    w.rate = bias ? ct_mech_distance_rate(m, t) : none;
    w.tail = ct_mech_tail_spin(m, t);
    w.head = ct_mech_spin_of(m, t->head);
    w.apart = ct_mx_vsub(m, w.head, w.tail);
    fill(&w, row, factor);
    return w.f;
}

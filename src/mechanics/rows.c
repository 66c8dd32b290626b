/* rows.c - what one scalar equation of a chord says, written once: position, speed, direction of
 * its force, and what is left at acceleration level [McPhee-2, section 4.5, step 2].
 *
 * With d the way from the tail's point to the head's, omega of the tail, n = k x u:
 *
 *     row            Phi               w    c   back     bias
 *     X, Y           e.d               e    0   0        0
 *     normal         n.d               n    0   -u.d     2 omega u.d' + omega^2 n.d
 *     slide          u.d               u    0   n.d      -2 omega n.d' + omega^2 u.d
 *     rod, over L    (d.d/L - L)/2     d    0   0        -d'.d'
 *     turn           theta             0    1   0        0
 *
 * Phi' = (w.d' + c (omega_head - omega_tail) + back omega_tail)/over; a unit of the multiplier is
 * the force w/over and the torque c on the head.
 */
#include "mechanics/inside.h"

static void point_row(mechanics *m, const tie *t, uint32_t axis, row_form *f)
{
    f->w.x[axis] = m->one;
    f->position = ct_mech_distance(m, t).x[axis];
}

/* sign*(2 omega across.d') + omega^2 Phi, where the tail turns */
static void turning_bias(mechanics *m, const tie *t, vec2 across, int sign, row_form *f)
{
    const rigid *tail = &m->group[t->tail];
    ct_expr turning = ct_mx_mul(m, tail->spin, ct_mx_dot(m, across, ct_mech_distance_rate(m, t)));
    f->bias[0] = ct_mx_mul(m, ct_expr_int(m->pool, 2 * sign), turning);
    f->bias[1] = ct_mx_mul(m, tail->spin_square, f->position);
}

static void normal_row(mechanics *m, const tie *t, bool bias, row_form *f)
{
    vec2 u = ct_mech_axis(m, t, 0), d = ct_mech_distance(m, t);
    f->w = ct_mx_turned(m, u);
    f->back = ct_mx_neg(m, ct_mx_dot(m, u, d));
    f->position = ct_mx_dot(m, f->w, d);
    if (bias && t->tail)
        turning_bias(m, t, u, 1, f);
}

/* Also of a multiple of the slide. */
static void slide_row(mechanics *m, const tie *t, ct_expr factor, bool bias, row_form *f)
{
    vec2 u = ct_mx_scale(m, factor, ct_mech_axis(m, t, 0)), n = ct_mx_turned(m, u);
    vec2 d = ct_mech_distance(m, t);
    f->w = u;
    f->back = ct_mx_dot(m, n, d);
    f->position = ct_mx_dot(m, u, d);
    if (bias && t->tail)
        turning_bias(m, t, n, -1, f);
}

/* (d.d - L^2)/(2 L): its gradient is the unit vector along the rod. */
static void rod_row(mechanics *m, const tie *t, bool bias, row_form *f)
{
    vec2 d = ct_mech_distance(m, t), rate = ct_mech_distance_rate(m, t);
    ct_expr half = ct_expr_ratio(m->pool, 1, 2), l = f->over = t->length;
    f->w = d;
    f->position = ct_mx_mul(m, half, ct_mx_sub(m, ct_mx_div(m, ct_mx_dot(m, d, d), l), l));
    if (bias)
        f->bias[0] = ct_mx_neg(m, ct_mx_div(m, ct_mx_dot(m, rate, rate), l));
}

static void turn_row(mechanics *m, const tie *t, row_form *f)
{
    f->c = m->one;
    f->position = ct_mech_turn_across(m, t, 0);
}

static row_form empty(const mechanics *m)
{
    return (row_form){.w = ct_mx_zero(m),
                      .c = m->zero,
                      .back = m->zero,
                      .position = m->zero,
                      .bias = {m->zero, m->zero},
                      .over = m->one};
}

row_form ct_mech_row(mechanics *m, const tie *t, ct_tie_row row, bool bias)
{
    row_form f = empty(m);
    switch (row) {
    case CT_ROW_X:
    case CT_ROW_Y:
        point_row(m, t, row - CT_ROW_X, &f);
        break;
    case CT_ROW_NORMAL:
        normal_row(m, t, bias, &f);
        break;
    case CT_ROW_ROD:
        rod_row(m, t, bias, &f);
        break;
    case CT_ROW_DRIVE_SLIDE:
        slide_row(m, t, m->one, bias, &f);
        f.given = &t->slide;
        break;
    case CT_ROW_DRIVE_TURN:
        f.given = &t->angle;
        turn_row(m, t, &f);
        break;
    case CT_ROW_TURN:
        turn_row(m, t, &f);
        break;
    case CT_ROW_COUPLE_SLIDE: /* of several freedoms: couple.c */
    case CT_ROW_COUPLE_TURN:
    case CT_ROW_KINDS:
        break;
    }
    return f;
}

row_form ct_mech_slide_form(mechanics *m, const tie *t, ct_expr factor)
{
    row_form f = empty(m);
    slide_row(m, t, factor, true, &f);
    return f;
}

ct_expr ct_mech_row_speed(mechanics *m, const tie *t, const row_form *f)
{
    ct_expr sum = ct_mx_dot(m, f->w, ct_mech_distance_rate(m, t));
    sum = ct_mx_add(m, sum, ct_mx_mul(m, f->c, ct_mech_turn_across(m, t, 1)));
    sum = ct_mx_add(m, sum, ct_mx_mul(m, f->back, m->group[t->tail].spin));
    return ct_mx_div(m, sum, f->over);
}

vec2 ct_mech_row_force(mechanics *m, const row_form *f)
{
    return (vec2){{ct_mx_div(m, f->w.x[0], f->over), ct_mx_div(m, f->w.x[1], f->over)}};
}

/* rows.c - scalar equations of chords in symbols: those of rows.def, and what is left of them at
 * acceleration level, the right-hand side of [McPhee-2, eq. 90]. */
#include "mechanics/inside.h"

#define NUMBER    ct_expr
#define VECTOR    vec
#define ROW_FORM  row_form
#define ROW_WORK  mechanics
#define ONE       m->one
#define HALF      ct_expr_ratio(m->pool, 1, 2)
#define NEG(a)    ct_mx_neg(m, a)
#define SUB(a, b) ct_mx_sub(m, a, b)
#define MUL(a, b) ct_mx_mul(m, a, b)
#define DIV(a, b) ct_mx_div(m, a, b)
#define DOT(a, b) ct_mx_dot(m, a, b)
#define TURNED(a) ct_mx_turned(m, 2, a)
#include "mechanics/rows.def"

/* sign*(2 omega across.d') + omega^2 Phi, where the tail turns */
static void turning_bias(mechanics *m, const tie *t, vec across, int sign, row_form *f)
{
    const rigid *tail = &m->group[t->tail];
    ct_expr turning =
        ct_mx_mul(m, tail->spin.x[ABOUT], ct_mx_dot(m, across, ct_mech_distance_rate(m, t)));
    f->bias[0] = ct_mx_mul(m, ct_expr_int(m->pool, 2 * sign), turning);
    f->bias[1] = ct_mx_mul(m, tail->square[0], f->position);
}

static void add_bias(mechanics *m, const tie *t, ct_tie_row row, const row_input *in, row_form *f)
{
    vec rate;
    switch (row) {
    case CT_ROW_NORMAL:
        if (t->tail)
            turning_bias(m, t, in->u, 1, f);
        break;
    case CT_ROW_DRIVE_SLIDE:
        if (t->tail)
            turning_bias(m, t, ct_mx_turned(m, ABOUT, in->u), -1, f);
        break;
    case CT_ROW_ROD:
        rate = ct_mech_distance_rate(m, t);
        f->bias[0] = ct_mx_neg(m, ct_mx_div(m, ct_mx_dot(m, rate, rate), in->length));
        break;
    default: /* nothing turns with the tail */
        break;
    }
}

/* The row, with the axis times a factor. */
static row_form scaled_row(mechanics *m, const tie *t, ct_tie_row row, ct_expr factor, bool bias)
{
    const struct row_kind *kind = &row_kinds[row];
    row_input in = {.length = t->length, .unit = m->one};
    row_form f = {.w = ct_mx_zero(m),
                  .c = ct_mx_zero(m),
                  .back = ct_mx_zero(m),
                  .position = m->zero,
                  .bias = {m->zero, m->zero},
                  .over = m->one};
    if (kind->needs & NEEDS_AXIS)
        in.u = ct_mx_scale(m, factor, ct_mech_axis(m, t, 0, 0));
    if (kind->needs & NEEDS_WAY)
        in.d = ct_mech_distance(m, t);
    if (kind->needs & NEEDS_TURN)
        in.turn = ct_mech_turn_across(m, t, 0);
    if (kind->fill)
        kind->fill(m, &in, &f);
    if (bias)
        add_bias(m, t, row, &in, &f);
    return f;
}

row_form ct_mech_row(mechanics *m, const tie *t, ct_tie_row row, bool bias)
{
    row_form f = m->mech->spatial ? ct_mech_row_in_space(m, t, row, m->one, bias)
                                  : scaled_row(m, t, row, m->one, bias);
    f.given = row == CT_ROW_DRIVE_SLIDE ? &t->slide : row == CT_ROW_DRIVE_TURN ? &t->angle : NULL;
    return f;
}

row_form ct_mech_slide_form(mechanics *m, const tie *t, ct_expr factor)
{
    return m->mech->spatial ? ct_mech_row_in_space(m, t, CT_ROW_DRIVE_SLIDE, factor, true)
                            : scaled_row(m, t, CT_ROW_DRIVE_SLIDE, factor, true);
}

ct_expr ct_mech_row_speed(mechanics *m, const tie *t, const row_form *f)
{
    ct_expr sum = ct_mx_dot(m, f->w, ct_mech_distance_rate(m, t));
    vec tail = ct_mech_spin_of(m, t->tail);
    vec apart = ct_mx_vsub(m, ct_mech_spin_of(m, t->head), ct_mech_tail_spin(m, t));
    sum = ct_mx_add(m, sum, ct_mx_dot(m, f->c, apart));
    sum = ct_mx_add(m, sum, ct_mx_dot(m, f->back, tail));
    return ct_mx_div(m, sum, f->over);
}

vec ct_mech_row_force(mechanics *m, const row_form *f)
{
    vec force = f->w;
    for (uint32_t i = 0; i < m->space->slides; i++)
        force.x[i] = ct_mx_div(m, force.x[i], f->over);
    return force;
}

/* constraints.c - circuit equations of chords, projected onto what the joint ties
 * [McPhee-2, section 4.5, step 2]. */
#include "mechanics/inside.h"

/* (d.d - L^2)/(2 L): its gradient is the unit vector along the rod. */
static void rod_row(mechanics *m, const tie *t, ct_constraint *c)
{
    vec2 d = ct_mech_distance(m, t), rate = ct_mech_distance_rate(m, t);
    ct_expr half = ct_expr_ratio(m->pool, 1, 2), l = t->length;
    c->position = ct_mx_mul(m, half, ct_mx_sub(m, ct_mx_div(m, ct_mx_dot(m, d, d), l), l));
    c->velocity = ct_mx_div(m, ct_mx_dot(m, d, rate), l);
}

/* Phi = n.d, Phi' = n.d' - omega u.d, n = k x u */
static void normal_row(mechanics *m, const tie *t, ct_constraint *c)
{
    vec2 u = ct_mech_axis(m, t, 0), n = ct_mx_turned(m, u), d = ct_mech_distance(m, t);
    ct_expr turning = ct_mx_mul(m, m->group[t->tail].spin, ct_mx_dot(m, u, d));
    c->position = ct_mx_dot(m, n, d);
    c->velocity = ct_mx_sub(m, ct_mx_dot(m, n, ct_mech_distance_rate(m, t)), turning);
}

static void drive_row(mechanics *m, const given *g, ct_expr value, ct_expr rate, ct_constraint *c)
{
    c->position = g->of[0] ? ct_mx_sub(m, value, g->of[0]) : 0;
    c->velocity = ct_mx_sub(m, rate, g->of[1]);
}

static void couple_row(mechanics *m, const tie *t, uint8_t row, ct_constraint *c)
{
    const couple *k = ct_couple_of(t, row);
    bool turn = row == CT_ROW_COUPLE_TURN;
    ct_expr own[2];
    for (int order = 0; order < 2; order++)
        own[order] = turn ? ct_mech_turn(m, t, order) : ct_mech_slide(m, t, 0, order);
    c->position = ct_mx_sub(m, own[0], k->of[0]);
    c->velocity = ct_mx_sub(m, own[1], k->of[1]);
}

static void fill_row(mechanics *m, const tie *t, ct_tie_row row, ct_constraint *c)
{
    switch (row) {
    case CT_ROW_X:
    case CT_ROW_Y:
        c->position = ct_mech_distance(m, t).x[row - CT_ROW_X];
        c->velocity = ct_mech_distance_rate(m, t).x[row - CT_ROW_X];
        return;
    case CT_ROW_NORMAL:
        normal_row(m, t, c);
        return;
    case CT_ROW_ROD:
        rod_row(m, t, c);
        return;
    case CT_ROW_TURN:
        c->position = ct_mech_turn_across(m, t, 0);
        c->velocity = ct_mech_turn_across(m, t, 1);
        return;
    case CT_ROW_DRIVE_SLIDE:
        drive_row(m, &t->slide, ct_mech_slide_across(m, t, 0, 0), ct_mech_slide_across(m, t, 0, 1),
                  c);
        return;
    case CT_ROW_DRIVE_TURN:
        drive_row(m, &t->angle, ct_mech_turn_across(m, t, 0), ct_mech_turn_across(m, t, 1), c);
        return;
    case CT_ROW_COUPLE_SLIDE:
    case CT_ROW_COUPLE_TURN:
        couple_row(m, t, row, c);
        return;
    case CT_ROW_KINDS:
        break;
    }
}

void ct_mech_list_rows(mechanics *m)
{
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint8_t row[4];
        uint32_t count = ct_tie_rows(&t->free, !t->in_t, !t->in_r, row);
        for (uint32_t k = 0; k < count; k++)
            CT_PUSH(m->arena, m->user_row, (chord_row){i, row[k], 0, false});
    }
}

ct_name ct_mech_multiplier(mechanics *m, const tie *t, const char *word)
{
    const char *joint = ct_name_text(m->ctx, m->mech->joint[t->object].name);
    return ct_intern_text(m->ctx, ct_printf(m->ctx, "%s.%s", joint, word));
}

void ct_mech_make_constraints(mechanics *m)
{
    for (uint32_t i = 0; i < m->user_row.count; i++) {
        const chord_row *r = &m->user_row.at[i];
        const tie *t = &m->tie.at[r->tie];
        if (r->dropped)
            continue;
        ct_constraint c = {
            .row = r->row, .joint = t->object, .place = m->mech->joint[t->object].place};
        fill_row(m, t, (ct_tie_row)r->row, &c);
        c.multiplier = ct_mech_multiplier(m, t, ct_row_words[r->row]);
        CT_PUSH(m->arena, m->constraint, c);
    }
}

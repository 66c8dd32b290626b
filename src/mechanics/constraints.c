/* constraints.c - circuit equations of chords, projected onto what the joint ties
 * [McPhee-2, section 4.5, step 2; eqs. 88, 89]. */
#include "mechanics/inside.h"

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
    if (ct_row_couples((uint8_t)row)) {
        couple_row(m, t, (uint8_t)row, c);
        return;
    }
    row_form f = ct_mech_row(m, t, row, false);
    c->position = f.position;
    c->velocity = ct_mech_row_speed(m, t, &f);
    if (!f.given)
        return;
    if (!f.closed)
        c->position = f.given->of[0] ? ct_mx_sub(m, c->position, f.given->of[0]) : 0;
    c->velocity = ct_mx_sub(m, c->velocity, f.given->of[1]);
}

void ct_mech_list_rows(mechanics *m)
{
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint8_t row[CT_MOST_ROWS];
        uint32_t count = ct_tie_rows(&t->free, !t->in_t, !t->in_r, row);
        for (uint32_t k = 0; k < count && !t->is_body; k++)
            CT_PUSH(m->arena, m->user_row, (chord_row){i, row[k], 0, false});
    }
}

uint32_t ct_mechanics_senses(const ct_mechanics *made, ct_arena *arena, ct_sense **sense)
{
    return ct_mech_senses(made->inside, arena, sense);
}

uint32_t ct_mech_senses(mechanics *m, ct_arena *arena, ct_sense **sense)
{
    uint32_t count = 0;
    *sense = CT_NEW_ARRAY(arena, ct_sense, m->user_row.count + 1);
    for (uint32_t i = 0; m->mech->spatial && i < m->user_row.count; i++) {
        const chord_row *r = &m->user_row.at[i];
        if (ct_row_couples(r->row))
            continue;
        ct_expr own = ct_mech_row(m, &m->tie.at[r->tie], (ct_tie_row)r->row, false).sense;
        if (own)
            (*sense)[count++] = (ct_sense){own, m->tie.at[r->tie].object};
    }
    return count;
}

ct_name ct_mech_name(const mechanics *m, const tie *t, ct_member word)
{
    ct_name owner = t->is_body ? m->mech->body[t->object].name : m->mech->joint[t->object].name;
    return ct_owned_symbol(m->def->symbols, owner, word);
}

/* Of a row among all that its tie could have. */
static uint32_t place_of(const tie *t, uint8_t row)
{
    uint8_t all[CT_MOST_ROWS];
    uint32_t count = ct_tie_rows(&t->free, true, true, all), at = 0;
    while (at + 1 < count && all[at] != row)
        at++;
    return at;
}

/* One of several freedoms of a joint that follow others has a number. What closes a loop at a link
 * of a chain is no reaction of the joint: loads on its freedoms pass there, too. */
ct_name ct_mech_row_name(mechanics *m, const tie *t, uint8_t row)
{
    bool drives = row == CT_ROW_DRIVE_SLIDE || row == CT_ROW_DRIVE_TURN || ct_row_couples(row);
    if (m->mech->spatial && !t->is_body && !drives && m->tie_count[t->object] > 1)
        return ct_mech_name(m, t, (ct_member){"close", place_of(t, row) + 1});
    bool turn = row == CT_ROW_COUPLE_TURN;
    uint32_t first = t->is_body ? 0 : m->tie_of_joint[t->object], couples = 0;
    for (uint32_t i = 0; ct_row_couples(row) && !t->is_body && i < m->tie_count[t->object]; i++)
        couples += m->tie.at[first + i].angle.couple || m->tie.at[first + i].slide.couple;
    if (couples < 2)
        return ct_mech_name(m, t, ct_row_words[row]);
    uint32_t at = turn ? t->turn_at - CT_TURN : t->slide_at - CT_SLIDE;
    return ct_mech_name(m, t, (ct_member){turn ? "drive_q" : "drive_s", at + 1});
}

ct_constraint ct_mech_constraint(mechanics *m, const chord_row *r)
{
    const tie *t = &m->tie.at[r->tie];
    ct_constraint c = {.row = r->row, .joint = t->object, .place = m->mech->joint[t->object].place};
    fill_row(m, t, (ct_tie_row)r->row, &c);
    return c;
}

uint32_t ct_mechanics_dropped(const ct_mechanics *made, ct_arena *arena, ct_constraint **out)
{
    mechanics *m = made->inside;
    uint32_t count = 0;
    *out = CT_NEW_ARRAY(arena, ct_constraint, m->user_row.count + 1);
    for (uint32_t i = 0; i < m->user_row.count; i++)
        if (m->user_row.at[i].dropped)
            (*out)[count++] = ct_mech_constraint(m, &m->user_row.at[i]);
    return count;
}

void ct_mech_make_constraints(mechanics *m)
{
    for (uint32_t i = 0; i < m->user_row.count; i++) {
        const chord_row *r = &m->user_row.at[i];
        const tie *t = &m->tie.at[r->tie];
        if (r->dropped)
            continue;
        ct_constraint c = ct_mech_constraint(m, r);
        c.multiplier = ct_mech_row_name(m, t, r->row);
        CT_PUSH(m->arena, m->constraint, c);
    }
}

/* held.c - speed constraints of the user in the elimination: a row and a multiplier each, beside
 * those of chords.
 *
 *     c(speeds, places, t) = 0,    sum of dc/du_k u_k' = -(sum of dc/dp p' + dc/dt)
 *
 * dc/du_k times the multiplier is the load that belongs to u_k (model/speed.c), so the system stays
 * symmetric, and a row touches the groups only whose speeds it reads. Left to the network are those
 * that this does not fit: inputs and jumps, which a rate does not tell; shapes that change; angles
 * of chords; and all of them where one is redundant, or a part has no mass.
 */
#include "mechanics/inside.h"

/* ---- what fits */

static void find_jump(void *user, ct_expr e)
{
    mechanics *m = user;
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_CALL)
        return;
    ct_op op = ct_expr_op(m->pool, e);
    m->jumps |= !(op <= CT_OP_SQRT || op == CT_OP_POW || op == CT_OP_OVER);
}

static bool frame_fits(const mechanics *m, const ct_motion *x)
{
    const site *s = &m->site[x->object];
    return !m->group[s->group].bends && !m->group[s->group].point;
}

static bool joint_fits(const mechanics *m, const ct_motion *x, bool turn)
{
    const ct_joint *j = &m->mech->joint[x->object];
    uint32_t index = ct_mech_tie_of(m, x->object, x->axis + (turn ? CT_TURN : CT_SLIDE));
    if (index == CT_NOTHING || j->chart || j->inside)
        return false;
    const tie *t = &m->tie.at[index];
    bool deep = m->mech->spatial;
    if ((turn ? ct_joint_turns(j->kind, deep) : ct_joint_slides(j->kind, deep)) > 1)
        return false; /* its load stands beside those of elements */
    return !t->ball && !t->elastic && !ct_has_angles_across(t) &&
           (turn ? t->free.turns == 1 && t->free.spins : t->free.slides > 0);
}

static bool motion_fits(const mechanics *m, const ct_motion *x)
{
    switch ((int)x->kind) {
    case CT_MOTION_ANGLE: /* in space its rate is no spin */
        return !m->mech->spatial && frame_fits(m, x);
    case CT_MOTION_POSITION:
    case CT_MOTION_VELOCITY:
    case CT_MOTION_AXES:
    case CT_MOTION_SPIN:
    case CT_MOTION_SPIN_OWN:
        return frame_fits(m, x);
    case CT_MOTION_TURN:
    case CT_MOTION_TURN_SPEED:
        return joint_fits(m, x, true);
    case CT_MOTION_SLIDE:
    case CT_MOTION_SLIDE_SPEED:
        return joint_fits(m, x, false);
    default:
        return false;
    }
}

static bool fits(mechanics *m, const ct_speed_bound *c)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(m->pool, c->speed, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = ct_map_get(&m->motion, symbol[i]);
        bool other = !found && ct_mech_is_input(m, symbol[i]);
        if (other || (found && !motion_fits(m, &m->mech->motion[found - 1])))
            return false;
    }
    m->jumps = false;
    ct_expr_walk(m->pool, &c->speed, 1, find_jump, m);
    return !m->jumps;
}

/* ---- rates of places */

static ct_expr value_of(mechanics *m, const ct_motion *x, ct_motion_kind kind, uint32_t axis)
{
    return ct_mech_express(m, &(ct_motion){.kind = kind, .object = x->object, .axis = axis}, false);
}

/* Of an entry of R: (omega x column) */
static ct_expr axis_rate(mechanics *m, const ct_motion *x)
{
    uint32_t row = x->axis / 3, column = x->axis % 3, next = (row + 1) % 3, last = (row + 2) % 3;
    ct_expr up = ct_mx_mul(m, value_of(m, x, CT_MOTION_SPIN, next),
                           value_of(m, x, CT_MOTION_AXES, 3 * last + column));
    ct_expr down = ct_mx_mul(m, value_of(m, x, CT_MOTION_SPIN, last),
                             value_of(m, x, CT_MOTION_AXES, 3 * next + column));
    return ct_mx_sub(m, up, down);
}

static bool is_place(ct_motion_kind kind)
{
    return kind == CT_MOTION_POSITION || kind == CT_MOTION_ANGLE || kind == CT_MOTION_AXES ||
           kind == CT_MOTION_TURN || kind == CT_MOTION_SLIDE;
}

static ct_expr rate_of(mechanics *m, const ct_motion *x)
{
    switch ((int)x->kind) {
    case CT_MOTION_POSITION:
        return value_of(m, x, CT_MOTION_VELOCITY, x->axis);
    case CT_MOTION_ANGLE:
        return value_of(m, x, CT_MOTION_SPIN, x->axis);
    case CT_MOTION_AXES:
        return axis_rate(m, x);
    case CT_MOTION_TURN:
        return value_of(m, x, CT_MOTION_TURN_SPEED, x->axis);
    default:
        return value_of(m, x, CT_MOTION_SLIDE_SPEED, x->axis);
    }
}

/* ---- constraints over coordinates */

/* Slopes of the speed by what it reads, and itself, over coordinates and speeds. */
static void add_slopes(mechanics *m, held *h, const ct_name *symbol, uint32_t count)
{
    ct_name *name = CT_NEW_ARRAY(m->arena, ct_name, count + 1);
    ct_expr *value = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    ct_expr *slope = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    const ct_motion **of = CT_NEW_ARRAY(m->arena, const ct_motion *, count + 1);
    uint32_t names = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = ct_map_get(&m->motion, symbol[i]);
        bool time = ct_is_time(m->def->symbols, symbol[i]);
        of[i] = found ? &m->mech->motion[found - 1] : NULL;
        slope[i] = found || time ? ct_expr_diff(m->pool, h->of->speed, symbol[i]) : m->zero;
        if (found)
            name[names] = symbol[i], value[names++] = ct_mech_express(m, of[i], false);
    }
    slope[count] = h->of->speed;
    ct_expr_substitute_all(m->pool, slope, slope, count + 1, name, value, names);
    h->speed = slope[count];
    h->bias = m->zero;
    for (uint32_t i = 0; i < count; i++) {
        if (of[i] && !is_place(of[i]->kind))
            CT_PUSH(m->arena, h->term, (held_term){of[i], slope[i]});
        else
            h->bias =
                ct_mx_add(m, h->bias, ct_mx_mul(m, slope[i], of[i] ? rate_of(m, of[i]) : m->one));
    }
}

void ct_mech_hold_speeds(mechanics *m)
{
    for (uint32_t i = 0; i < m->mech->speed_count; i++) {
        held h = {.of = &m->mech->speed[i]};
        const ct_name *found;
        if (!fits(m, h.of))
            continue;
        uint32_t count = ct_expr_symbols(m->pool, h.of->speed, &found);
        ct_name *symbol = CT_NEW_ARRAY(m->arena, ct_name, count + 1);
        for (uint32_t k = 0; k < count; k++)
            symbol[k] = found[k]; /* lists of symbols do not last */
        add_slopes(m, &h, symbol, count);
        CT_PUSH(m->arena, m->held, h);
    }
}

/* ---- rows */

static void put_velocity(assembly *x, uint32_t row, const held_term *t)
{
    mechanics *m = x->m;
    vec w = ct_mx_unit(m, t->of->axis, t->factor);
    point_form p = ct_assembly_point(x, t->of->object);
    point_form ground = ct_assembly_point(x, CT_GROUND_FRAME); /* its acceleration is -g, perhaps */
    ct_assembly_put_point(x, row, &p, ct_mx_in(m, w, 0, m->axes[p.group]));
    ct_assembly_put_point(x, row, &ground, ct_mx_opposite(m, w));
}

static void put_spin(assembly *x, uint32_t row, const held_term *t)
{
    mechanics *m = x->m;
    const site *s = &m->site[t->of->object];
    uint32_t axes = m->axes[s->group];
    vec w = ct_mx_unit(m, m->mech->spatial ? t->of->axis : 2, t->factor);
    if (m->mech->spatial)
        w = t->of->kind == CT_MOTION_SPIN ? ct_mx_in(m, w, 0, axes) : ct_mx_rotated(m, w, s->turn);
    ct_assembly_add_alpha(x, row, s->group, w);
}

static void put_term(assembly *x, uint32_t row, const held_term *t)
{
    mechanics *m = x->m;
    bool turn = t->of->kind == CT_MOTION_TURN_SPEED;
    if (t->of->kind == CT_MOTION_VELOCITY) {
        put_velocity(x, row, t);
    } else if (t->of->kind == CT_MOTION_SPIN || t->of->kind == CT_MOTION_SPIN_OWN) {
        put_spin(x, row, t);
    } else {
        uint32_t freedom = t->of->axis + (turn ? CT_TURN : CT_SLIDE);
        uint32_t index = ct_mech_tie_of(m, t->of->object, freedom);
        uint32_t slide = turn ? 0 : freedom - m->tie.at[index].slide_at;
        ct_assembly_put_freedom(x, row, index, turn, slide, t->factor);
    }
}

void ct_assembly_held(assembly *x)
{
    mechanics *m = x->m;
    for (uint32_t i = 0; i < m->held.count; i++) {
        held *h = &m->held.at[i];
        h->unknown = ct_sp_unknown(&x->s, true);
        x->s.row.at[h->unknown].early = true;
        for (uint32_t k = 0; k < h->term.count; k++)
            if (!ct_mx_is_zero(m, h->term.at[k].factor))
                put_term(x, h->unknown, &h->term.at[k]);
        ct_sp_rhs(&x->s, h->unknown, ct_mx_neg(m, h->bias));
    }
}

/* ---- what is held already */

/* Rows are left of multipliers only: with all accelerations gone, a zero diagonal says that the row
 * follows from others. The first such; NULL: something else is left. */
static const held *find_redundant(const mechanics *m, const sparse *s)
{
    uint32_t left = 0, own = 0;
    const held *first = NULL;
    for (uint32_t i = 0; i < s->row.count; i++)
        left += !s->row.at[i].gone;
    for (uint32_t i = 0; i < m->held.count && left; i++)
        if (!s->row.at[m->held.at[i].unknown].gone) {
            own++;
            first = first ? first : &m->held.at[i];
        }
    return own == left ? first : NULL;
}

bool ct_mech_report_held(mechanics *m)
{
    const held *h = find_redundant(m, &m->fast->x.s);
    if (!h)
        return false;
    const char *name = ct_name_text(m->ctx, h->of->name);
    ct_report *r =
        ct_error(m->ctx, "E511", h->of->place, "`%s` holds a speed that is held already", name);
    ct_note(r, "joints or other constraints of speeds tie it, or nothing of it can move: its "
               "reaction is not determined");
    ct_help(r, "remove it, or one of those that hold the same");
    ct_witness(r, name);
    return true;
}

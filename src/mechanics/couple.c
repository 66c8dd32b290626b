/* couple.c - joints whose motion follows from that of others: gears, racks, cams.
 *
 * A driver that reads variables of other joints, `beta = -2*J1.beta`, gives no motion by itself but
 * one equation between freedoms
 *
 *     own - f(q_1, ..., q_k, t) = 0,    own'' - sum f_i q_i'' = gamma
 *
 * It is a row of its own beside those of the joints; its multiplier is a torque or force on the own
 * freedom, and -f_i times it on the others.
 */
#include "mechanics/inside.h"

static ct_name rate_symbol(mechanics *m, ct_name symbol)
{
    return ct_intern_text(m->ctx, ct_printf(m->ctx, "rate(%s)", ct_name_text(m->ctx, symbol)));
}

typedef struct kinks {
    ct_pool *pool;
    bool found;
} kinks;

static void find_kink(void *user, ct_expr e)
{
    kinks *k = user;
    if (ct_expr_kind_of(k->pool, e) != CT_EXPR_CALL || ct_expr_op(k->pool, e) != CT_OP_TABLE)
        return;
    ct_expr method = ct_expr_operand(k->pool, e, ct_expr_arity(k->pool, e) - 1);
    k->found |= ct_expr_is_zero(k->pool, method);
}

/* Straight lines between points would make speeds jump. */
static void refuse_kinks(mechanics *m, uint32_t joint, ct_expr value)
{
    kinks k = {m->pool, false};
    ct_expr_walk(m->pool, &value, 1, find_kink, &k);
    if (!k.found)
        return;
    const ct_joint *j = &m->mech->joint[joint];
    const char *name = ct_name_text(m->ctx, j->name);
    ct_report *r = ct_error(m->ctx, "E265", j->place, "%s follows a curve with corners", name);
    ct_note(r,
            "at each of its points the speed would jump, and with it the speeds of all that moves");
    ct_help(r, "write table(..., method = cubic)");
    ct_witness(r, name);
}

couple *ct_mech_coupled(mechanics *m, uint32_t joint, ct_expr value)
{
    const ct_name *symbol;
    uint32_t all = value ? ct_expr_symbols(m->pool, value, &symbol) : 0, count = 0;
    couple *c = NULL;
    for (uint32_t i = 0; i < all; i++)
        if (ct_freedom_read(m->mech, joint, symbol[i]))
            count++;
    if (!count)
        return NULL;
    refuse_kinks(m, joint, value);
    c = CT_NEW(m->arena, couple);
    c->by = CT_NEW_ARRAY(m->arena, coupled, count);
    for (uint32_t i = 0; i < all; i++) {
        const ct_motion *x = ct_freedom_read(m->mech, joint, symbol[i]);
        if (!x)
            continue;
        ct_name rate = rate_symbol(m, symbol[i]);
        ct_map_put(&m->rate, symbol[i], rate);
        c->by[c->count++] = (coupled){.symbol = symbol[i],
                                      .rate = rate,
                                      .joint = x->object,
                                      .turn = x->kind == CT_MOTION_TURN,
                                      .axis = x->axis};
    }
    return c;
}

/* After the walk: over coordinates and speeds. */
static void express(mechanics *m, couple *c)
{
    uint32_t n = 2 * c->count, terms = c->count + 3;
    ct_name *name = CT_NEW_ARRAY(m->arena, ct_name, n);
    ct_expr *to = CT_NEW_ARRAY(m->arena, ct_expr, n);
    ct_expr *e = CT_NEW_ARRAY(m->arena, ct_expr, terms);
    for (uint32_t i = 0; i < c->count; i++) {
        coupled *k = &c->by[i];
        const tie *t = &m->tie.at[k->tie];
        name[2 * i] = k->symbol, name[2 * i + 1] = k->rate;
        for (int order = 0; order < 2; order++)
            to[2 * i + (uint32_t)order] =
                k->turn ? ct_mech_turn(m, t, order) : ct_mech_slide(m, t, k->slide, order);
        e[3 + i] = k->raw = ct_expr_diff(m->pool, c->raw[0], k->symbol);
    }
    for (uint32_t i = 0; i < 3; i++)
        e[i] = c->raw[i];
    ct_expr_substitute_all(m->pool, e, e, terms, name, to, n);
    for (uint32_t i = 0; i < 3; i++)
        c->of[i] = e[i];
    for (uint32_t i = 0; i < c->count; i++)
        c->by[i].slope = e[3 + i];
}

static bool find_ties(mechanics *m, const tie *t, couple *c)
{
    const ct_joint *j = &m->mech->joint[t->object];
    for (uint32_t i = 0; i < c->count; i++) {
        coupled *k = &c->by[i];
        k->tie = ct_mech_tie_of(m, k->joint, k->axis + (k->turn ? CT_TURN : CT_SLIDE));
        k->slide = k->tie == CT_NOTHING ? 0 : k->axis + CT_SLIDE - m->tie.at[k->tie].slide_at;
        if (k->tie != CT_NOTHING && (!k->turn || m->tie.at[k->tie].free.spins))
            continue;
        const char *name = ct_name_text(m->ctx, k->symbol);
        ct_report *r =
            ct_error(m->ctx, "E265", j->place, "a driver reads %s, which is fixed", name);
        ct_help(r, "read the angle or slide of a joint that moves");
        ct_witness(r, name);
        return false;
    }
    return true;
}

bool ct_mech_couple(mechanics *m)
{
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        const given *g[] = {&t->angle, &t->slide};
        for (int k = 0; k < 2; k++) {
            if (!g[k]->couple)
                continue;
            if (!find_ties(m, t, g[k]->couple))
                return false;
            express(m, g[k]->couple);
        }
    }
    return true;
}

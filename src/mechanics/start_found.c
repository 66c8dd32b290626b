/* start_found.c - joints and bodies in space where coordinates say, in numbers; and the speeds of
 * the reference there. */
#include <math.h>

#include "mechanics/start.h"

/* ---- joints and bodies */

typedef struct reading {
    mechanics *m;
    ct_arena *arena;
    CT_VEC(ct_expr) expr;
    CT_VEC(double *) slot;
} reading;

static void read_motion(reading *r, ct_motion_kind kind, uint32_t object, uint32_t axes, double *to)
{
    for (uint32_t i = 0; i < axes; i++) {
        const ct_motion one = {.kind = kind, .object = object, .axis = i};
        CT_PUSH(r->arena, r->expr, ct_mech_express(r->m, &one, false));
        CT_PUSH(r->arena, r->slot, &to[i]);
    }
}

static void read_joint(reading *r, uint32_t joint, found_joint *to)
{
    const ct_freedoms *f = &r->m->tree->graph->bodies->joint[joint];
    bool ball = f->turns == 3 && !r->m->mech->joint[joint].angles;
    if (r->m->tie_of_joint[joint] == CT_NOTHING || f->rod || f->rolls)
        return;
    uint32_t turns = f->spins && !ball ? f->turns : 0;
    read_motion(r, CT_MOTION_TURN, joint, turns, to->value + CT_TURN);
    read_motion(r, CT_MOTION_TURN_SPEED, joint, turns, to->rate + CT_TURN);
    read_motion(r, CT_MOTION_SLIDE, joint, f->slides, to->value + CT_SLIDE);
    read_motion(r, CT_MOTION_SLIDE_SPEED, joint, f->slides, to->rate + CT_SLIDE);
    if (!ball || !f->spins)
        return;
    read_motion(r, CT_MOTION_JOINT_AXES, joint, 9, to->ball);
    read_motion(r, CT_MOTION_JOINT_SPIN, joint, 3, to->spin);
}

static void read_body(reading *r, uint32_t body, found_body *to)
{
    uint32_t frame = r->m->mech->body[body].frame;
    read_motion(r, CT_MOTION_POSITION, frame, 3, to->p);
    read_motion(r, CT_MOTION_VELOCITY, frame, 3, to->v);
    if (!ct_mech_kind(r->m, body)->turns)
        return;
    read_motion(r, CT_MOTION_AXES, frame, 9, to->r);
    read_motion(r, CT_MOTION_SPIN, frame, 3, to->w);
}

bool ct_start_read_found(mechanics *m, ct_arena *arena,
                         double (*look_up)(const void *user, ct_name symbol), const void *user,
                         whereabouts *f)
{
    reading r = {.m = m, .arena = arena};
    bool good = true;
    f->joint = CT_NEW_ARRAY(arena, found_joint, m->mech->joint_count + 1);
    f->body = CT_NEW_ARRAY(arena, found_body, m->mech->body_count + 1);
    for (uint32_t i = 0; i < m->mech->joint_count; i++)
        read_joint(&r, i, &f->joint[i]);
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        read_body(&r, i, &f->body[i]);
    double *value = CT_NEW_ARRAY(arena, double, r.expr.count + 1);
    ct_expr_values(m->pool, r.expr.at, r.expr.count, look_up, user, value);
    for (uint32_t i = 0; i < r.expr.count; i++) {
        *r.slot.at[i] = value[i];
        good = good && isfinite(value[i]);
    }
    return good;
}

/* ---- speeds of the reference */

typedef struct standing {
    mechanics *m;
    const ct_mechanics_start *s;
    ct_map index; /* of q, plus 1; of u likewise, with the upper bit */
} standing;

static const uint32_t speed = 0x80000000U;

static double look_up(const void *user, ct_name name)
{
    const standing *now = user;
    uint32_t found = ct_map_get(&now->index, name);
    if (!found)
        return ct_mech_number(now->m, ct_expr_symbol(now->m->pool, name));
    return found & speed ? now->s->rate[(found & ~speed) - 1] : now->s->place[found - 1];
}

void ct_start_refer_speeds_in_space(mechanics *m, ct_mechanics_start *s)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    standing now = {.m = m, .s = s};
    whereabouts f = {0};
    ct_map_init(&now.index, scratch);
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        ct_map_put(&now.index, m->coordinate.at[i].q, i + 1);
        if (m->coordinate.at[i].u)
            ct_map_put(&now.index, m->coordinate.at[i].u, (i + 1) | speed);
    }
    if (!m->bends && ct_start_read_found(m, scratch, look_up, &now, &f))
        ct_start_rehang(m, s, &f);
    ct_arena_free(scratch);
}

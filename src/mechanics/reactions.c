/* reactions.c - forces and torques in the joints, from the accelerations: what a body needs for its
 * motion and does not get from loads comes from its joints.
 *
 * Branch forces by chord forces, {F}_b = -[A_c]{F}_c, and likewise torques [McPhee-2, eqs. 78, 84].
 * Multipliers of chords are known from the elimination. From the leaves of the elimination tree
 * inward each joint then passes on what its group still needs; torques likewise along the trees of
 * the rotation classes, and welds along the trees of welds.
 */
#include "mechanics/inside.h"

static void supply_one(mechanics *m, need *n, vec force, vec moment)
{
    n->force = ct_mx_vsub(m, n->force, force);
    n->moment = ct_mx_vsub(m, n->moment, moment);
}

/* A force and a torque, and in whose axes. */
typedef struct wrench {
    vec force, torque;
    uint32_t axes;
} wrench;

static wrench opposite(mechanics *m, wrench w)
{
    return (wrench){ct_mx_opposite(m, w.force), ct_mx_opposite(m, w.torque), w.axes};
}

/* The body gets it at a point. */
static void supply(mechanics *m, reactions *r, uint32_t body, point_form p, wrench w)
{
    vec force = ct_mx_in(m, w.force, w.axes, m->axes[p.group]);
    vec torque = ct_mx_in(m, w.torque, w.axes, m->axes[p.group]);
    vec moment = ct_mx_vadd(m, torque, ct_mx_cross(m, p.arm, force));
    supply_one(m, &r->body[body], force, moment);
    supply_one(m, &r->group[m->member[body].group], force, moment);
}

static void start_body(mechanics *m, reactions *r, uint32_t b)
{
    const ct_body *body = &m->mech->body[b];
    uint32_t g = m->member[b].group;
    vec force = ct_mx_scale(m, body->mass, ct_fast_felt(m, g, m->member[b].com));
    point_form com = ct_assembly_rigid_point(&m->fast->x, g, m->member[b].com);
    wrench takes = {force, ct_mech_kind(m, b)->torque(m, b), m->axes[g]};
    supply(m, r, b, com, opposite(m, takes));
}

/* ---- loads */

static void supply_pair(mechanics *m, reactions *r, uint32_t tail, uint32_t head, wrench w)
{
    assembly *x = &m->fast->x;
    supply(m, r, m->site[head].body, ct_assembly_point(x, head), w);
    supply(m, r, m->site[tail].body, ct_assembly_point(x, tail), opposite(m, w));
}

/* On the head at its point, and opposite on the tail at the same place. */
static void supply_tie(mechanics *m, reactions *r, uint32_t tie_index, wrench w)
{
    const ct_joint *j = &m->mech->joint[m->tie.at[tie_index].object];
    assembly *x = &m->fast->x;
    supply(m, r, m->site[j->head].body, ct_assembly_head_point(x, tie_index), w);
    supply(m, r, m->site[j->tail].body, ct_assembly_tail_point(x, tie_index), opposite(m, w));
}

static void supply_loads(mechanics *m, reactions *r)
{
    const ct_mechanism *mech = m->mech;
    for (uint32_t i = 0; i < mech->load_count; i++) {
        const ct_vector_load *l = &mech->load[i];
        vec none = ct_mx_zero(m), force = l->torque ? none : m->load[i];
        wrench w = {force, l->torque ? m->load[i] : none, 0};
        supply_pair(m, r, l->tail, l->head, w);
    }
    for (uint32_t i = 0; i < mech->line_count; i++)
        supply_pair(m, r, mech->line[i].tail, mech->line[i].head,
                    (wrench){ct_mech_line_force(m, i), ct_mx_zero(m), 0});
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        if (t->is_body)
            continue;
        const ct_expr *port = m->port + (size_t)3 * t->object;
        uint32_t axes = m->axes[t->head];
        wrench w = {ct_mx_zero(m), ct_mx_scale(m, port[0], ct_mech_pin(m, t, true)), axes};
        for (uint32_t k = 0; k < t->free.slides; k++)
            w.force =
                ct_mx_vadd(m, w.force, ct_mx_scale(m, port[1 + k], ct_mech_axis(m, t, k, axes)));
        supply_tie(m, r, i, w);
    }
}

/* ---- chords */

void ct_reactions_joint(mechanics *m, reactions *r, uint32_t joint, vec force, vec torque)
{
    const ct_joint *j = &m->mech->joint[joint];
    r->force[joint] = ct_mx_vadd(m, r->force[joint], force);
    r->torque[joint] = ct_mx_vadd(m, r->torque[joint], torque);
    wrench w = {force, torque, m->axes[m->site[j->head].group]};
    supply_pair(m, r, j->tail, j->head, w);
}

/* A force or torque on a freedom of a joint. */
static void supply_freedom(mechanics *m, reactions *r, uint32_t tie_index, bool turn, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    wrench w = {ct_mx_zero(m), ct_mx_zero(m), m->axes[t->head]};
    if (turn)
        w.torque = ct_mx_scale(m, size, ct_mech_pin(m, t, true));
    else
        w.force = ct_mx_scale(m, size, ct_mech_axis(m, t, 0, w.axes));
    supply_tie(m, r, tie_index, w);
}

static void supply_couple(mechanics *m, reactions *r, uint32_t tie_index, uint8_t row, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    const couple *c = ct_couple_of(t, row);
    bool turn = row == CT_ROW_COUPLE_TURN;
    r->drive[t->object][turn ? 0 : 1] = size;
    supply_freedom(m, r, tie_index, turn, size);
    for (uint32_t i = 0; i < c->count; i++)
        supply_freedom(m, r, c->by[i].tie, c->by[i].turn,
                       ct_mx_neg(m, ct_mx_mul(m, c->by[i].slope, size)));
}

void ct_reactions_row(mechanics *m, reactions *r, uint32_t tie_index, uint8_t row, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    if (ct_row_couples(row)) {
        supply_couple(m, r, tie_index, row, size);
        return;
    }
    row_form f = ct_mech_row(m, t, (ct_tie_row)row, false);
    vec force = ct_mx_scale(m, size, ct_mech_row_force(m, &f));
    vec torque = row == CT_ROW_TURN ? ct_mx_scale(m, size, f.c) : ct_mx_zero(m);
    if (row == CT_ROW_ROD) {
        ct_reactions_joint(m, r, t->object, force, ct_mx_zero(m));
        return;
    }
    if (row == CT_ROW_DRIVE_SLIDE)
        r->drive[t->object][1] = size;
    else if (row == CT_ROW_TURN)
        r->torque[t->object] = torque;
    else
        r->force[t->object] = ct_mx_vadd(m, r->force[t->object], force);
    supply_tie(m, r, tie_index, (wrench){force, torque, 0});
}

/* ---- along the trees */

/* What drives a freedom is no reaction; what a free one would need is none of either. */
static void keep_reaction(mechanics *m, reactions *r, const tie *t, wrench w, bool forward)
{
    uint32_t joint = t->object, head = m->axes[t->head];
    vec pin = t->free.turns ? ct_mech_pin(m, t, forward) : ct_mx_zero(m);
    if (t->slide.is) {
        vec u = ct_mech_axis(m, t, 0, w.axes);
        r->drive[joint][1] = ct_mx_dot(m, u, w.force);
        w.force = ct_mx_vsub(m, w.force, ct_mx_scale(m, r->drive[joint][1], u));
    }
    r->force[joint] = ct_mx_in(m, w.force, w.axes, head);
    if (!m->mech->spatial) /* torques pass along the classes */
        return;
    ct_expr about = ct_mx_dot(m, pin, w.torque);
    if (t->angle.is)
        r->drive[joint][0] = about;
    w.torque = ct_mx_vsub(m, w.torque, ct_mx_scale(m, about, pin));
    r->torque[joint] = ct_mx_in(m, w.torque, w.axes, head);
}

static void supply_branch(mechanics *m, reactions *r, const step *s)
{
    if (s->tie == CT_NOTHING)
        return;
    const need *n = &r->group[s->child]; /* about its joint */
    wrench w = {n->force, m->mech->spatial ? n->moment : ct_mx_zero(m), m->axes[s->child]};
    if (!s->forward)
        w = opposite(m, w);
    supply_tie(m, r, s->tie, w);
    keep_reaction(m, r, &m->tie.at[s->tie], w, s->forward);
}

static void supply_torque(mechanics *m, reactions *r, uint32_t group)
{
    uint32_t index = m->fast->class_parent[group];
    if (index == CT_NOTHING)
        return;
    const tie *t = &m->tie.at[index];
    vec torque = r->group[group].moment;
    if (t->head != group)
        torque = ct_mx_opposite(m, torque);
    if (t->free.turns)
        r->drive[t->object][0] = torque.x[2];
    else
        r->torque[t->object] = torque;
    supply_tie(m, r, index, (wrench){ct_mx_zero(m), torque, 0});
}

static void supply_weld(mechanics *m, reactions *r, uint32_t body)
{
    uint32_t joint = m->weld_towards[body];
    if (joint == CT_NOTHING)
        return;
    const ct_joint *j = &m->mech->joint[joint];
    bool at_head = m->site[j->head].body == body;
    need n = r->body[body];
    vec arm = ct_assembly_point(&m->fast->x, at_head ? j->head : j->tail).arm;
    vec torque = ct_mx_vsub(m, n.moment, ct_mx_cross(m, arm, n.force));
    r->force[joint] = at_head ? n.force : ct_mx_opposite(m, n.force);
    r->torque[joint] = at_head ? torque : ct_mx_opposite(m, torque);
    supply_one(m, &r->body[m->site[at_head ? j->tail : j->head].body], ct_mx_opposite(m, n.force),
               ct_mx_opposite(m, n.moment));
}

reactions *ct_reactions_new(mechanics *m)
{
    reactions *r = CT_NEW(m->arena, reactions);
    uint32_t bodies = m->mech->body_count, joints = m->mech->joint_count;
    r->body = CT_NEW_ARRAY(m->arena, need, bodies);
    r->group = CT_NEW_ARRAY(m->arena, need, m->group_count);
    r->force = CT_NEW_ARRAY(m->arena, vec, joints + 1);
    r->torque = CT_NEW_ARRAY(m->arena, vec, joints + 1);
    r->drive = ct_arena_alloc(m->arena, (joints + 1) * sizeof *r->drive);
    for (uint32_t i = 0; i < bodies; i++)
        r->body[i] = (need){ct_mx_zero(m), ct_mx_zero(m)};
    for (uint32_t i = 0; i < m->group_count; i++)
        r->group[i] = (need){ct_mx_zero(m), ct_mx_zero(m)};
    for (uint32_t i = 0; i < joints; i++) {
        r->force[i] = r->torque[i] = ct_mx_zero(m);
        r->drive[i][0] = r->drive[i][1] = m->zero;
    }
    return r;
}

void ct_reactions_pass(mechanics *m, reactions *r)
{
    for (uint32_t i = m->fast->tree.count; i-- > 0;)
        supply_branch(m, r, &m->fast->tree.at[i]);
    for (uint32_t i = m->group_count; i-- > 0;)
        supply_torque(m, r, m->fast->class_order[i]);
    for (uint32_t i = m->mech->body_count; i-- > 0;)
        supply_weld(m, r, m->weld_order[i]);
}

static const reactions *work_out(mechanics *m)
{
    if (m->reactions)
        return m->reactions;
    reactions *r = m->reactions = ct_reactions_new(m);
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        start_body(m, r, i);
    supply_loads(m, r);
    for (uint32_t i = 0; i < m->fast->chord.count; i++) {
        const chord_row *c = &m->fast->chord.at[i]; /* the force on the head is -y */
        if (c->unknown != CT_NOTHING)
            ct_reactions_row(m, r, c->tie, c->row, ct_mx_neg(m, m->fast->value[c->unknown]));
    }
    ct_reactions_pass(m, r);
    ct_share_loads(m, r);
    return r;
}

static uint32_t axes_of(const mechanics *m, uint32_t joint)
{
    return m->axes[m->site[m->mech->joint[joint].head].group];
}

vec ct_reaction_force(mechanics *m, uint32_t joint)
{
    return ct_mx_in(m, work_out(m)->force[joint], axes_of(m, joint), 0);
}

vec ct_reaction_torque(mechanics *m, uint32_t joint)
{
    return ct_mx_in(m, work_out(m)->torque[joint], axes_of(m, joint), 0);
}

ct_expr ct_reaction_drive(mechanics *m, uint32_t joint, uint32_t axis)
{
    return axis < 2 ? work_out(m)->drive[joint][axis] : m->zero;
}

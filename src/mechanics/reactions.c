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

/* The body gets it at a point; CT_NOTHING: its group has none. */
static void supply(mechanics *m, reactions *r, uint32_t body, point_form p, wrench w)
{
    vec force = ct_mx_in(m, w.force, w.axes, m->axes[p.group]);
    vec torque = ct_mx_in(m, w.torque, w.axes, m->axes[p.group]);
    vec moment = ct_mx_vadd(m, torque, ct_mx_cross(m, p.arm, force));
    if (body != CT_NOTHING)
        supply_one(m, &r->body[body], force, moment);
    supply_one(m, &r->group[p.group], force, moment);
}

static void start_body(mechanics *m, reactions *r, uint32_t b)
{
    uint32_t g = m->member[b].group;
    body_need n = ct_mech_kind(m, b)->takes(m, b);
    point_form at = ct_assembly_rigid_point(&m->fast->x, g, n.at);
    supply(m, r, b, at, opposite(m, (wrench){n.force, n.torque, m->axes[g]}));
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
    const tie *t = &m->tie.at[tie_index];
    assembly *x = &m->fast->x;
    uint32_t head = t->head_frame == CT_NOTHING ? CT_NOTHING : m->site[t->head_frame].body;
    uint32_t tail = t->tail_frame == CT_NOTHING ? CT_NOTHING : m->site[t->tail_frame].body;
    if (t->is_body && m->group[t->head].first != CT_NOTHING)
        head = t->object;
    supply(m, r, head, ct_assembly_head_point(x, tie_index), w);
    supply(m, r, tail, ct_assembly_tail_point(x, tie_index), opposite(m, w));
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
        const ct_expr *port = m->port + (size_t)CT_FREEDOMS * t->object;
        uint32_t axes = m->axes[t->head];
        wrench w = {ct_mx_zero(m), ct_mx_zero(m), axes};
        if (t->free.turns == 1)
            w.torque = ct_mx_scale(m, port[t->turn_at], ct_mech_pin(m, t, true));
        if (ct_has_angles_across(t))
            w.torque = ct_mx_in(m, ct_mech_torque_across(m, t), 0, axes);
        for (uint32_t k = 0; k < t->free.slides; k++)
            w.force = ct_mx_vadd(
                m, w.force, ct_mx_scale(m, port[t->slide_at + k], ct_mech_axis(m, t, k, axes)));
        supply_tie(m, r, i, w);
    }
}

/* ---- what joints pass on */

static uint32_t axes_of(const mechanics *m, uint32_t joint)
{
    return m->axes[m->site[m->mech->joint[joint].head].group];
}

/* What is left of a force or torque when directions are taken out that stand at right angles. */
static vec without(mechanics *m, vec v, vec axis)
{
    return ct_mx_vsub(m, v, ct_mx_scale(m, ct_mx_dot(m, axis, v), axis));
}

/* Axes of the turns of a joint in the axes of its head. */
static uint32_t turn_axes(mechanics *m, uint32_t joint, uint32_t head, vec axis[3])
{
    uint32_t count = 0, first = m->tie_of_joint[joint];
    for (uint32_t i = first; i < first + m->tie_count[joint]; i++) {
        const tie *t = &m->tie.at[i];
        if (t->ball)
            return 3;
        if (t->free.turns)
            axis[count++] = ct_mx_in(m, ct_mech_pin(m, t, true), m->axes[t->head], head);
    }
    return count;
}

/* A joint passes no torque about its turns: across both of two, none with three. */
static vec passed_torque(mechanics *m, uint32_t joint, uint32_t head, vec torque)
{
    vec axis[3];
    uint32_t count = turn_axes(m, joint, head, axis);
    if (count == 0)
        return torque;
    if (count == 1)
        return without(m, torque, axis[0]);
    if (count == 3)
        return ct_mx_zero(m);
    vec n = ct_mx_cross(m, axis[0], axis[1]);
    ct_expr part = ct_mx_div(m, ct_mx_dot(m, n, torque), ct_mx_dot(m, n, n));
    return ct_mx_scale(m, part, n);
}

static vec passed_force(mechanics *m, uint32_t joint, uint32_t head, vec force)
{
    uint32_t first = m->tie_of_joint[joint];
    for (uint32_t i = first; i < first + m->tie_count[joint]; i++)
        if (m->tie.at[i].free.slides)
            force = without(m, force, ct_mech_axis(m, &m->tie.at[i], 0, head));
    return force;
}

/* From the point of a tie to that of its joint's head, by the slides of the other ties. */
static vec way_to_head(mechanics *m, const tie *own, uint32_t head)
{
    vec way = ct_mx_zero(m);
    uint32_t first = m->tie_of_joint[own->object];
    for (uint32_t i = first; i < first + m->tie_count[own->object]; i++) {
        const tie *t = &m->tie.at[i];
        if (t != own && t->free.slides)
            way = ct_mx_vadd(
                m, way, ct_mx_scale(m, ct_mech_slide(m, t, 0, 0), ct_mech_axis(m, t, 0, head)));
    }
    return way;
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
static void supply_freedom(mechanics *m, reactions *r, uint32_t tie_index, bool turn,
                           uint32_t slide, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    wrench w = {ct_mx_zero(m), ct_mx_zero(m), m->axes[t->head]};
    if (turn)
        w.torque = ct_mx_scale(m, size, ct_mech_pin(m, t, true));
    else
        w.force = ct_mx_scale(m, size, ct_mech_axis(m, t, slide, w.axes));
    supply_tie(m, r, tie_index, w);
}

/* What a thread passes on is a reaction of the screw. */
static void keep_thread(mechanics *m, reactions *r, uint32_t tie_index, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    const coupled *by = &t->slide.couple->by[0];
    const tie *pin = &m->tie.at[by->tie];
    uint32_t joint = t->object, head = m->axes[m->site[m->mech->joint[joint].head].group];
    vec about = ct_mx_in(m, ct_mech_pin(m, pin, true), m->axes[pin->head], head);
    vec force = ct_mx_scale(m, size, ct_mech_axis(m, t, 0, head));
    vec torque = ct_mx_scale(m, ct_mx_mul(m, by->slope, size), about);
    r->force[joint] = ct_mx_vadd(m, r->force[joint], force);
    r->torque[joint] = ct_mx_vsub(m, r->torque[joint], torque);
}

/* So is what a surface does: along its gradient. */
static void keep_gradient(mechanics *m, reactions *r, uint32_t tie_index, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    const couple *c = t->slide.couple;
    uint32_t joint = t->object, head = m->axes[m->site[m->mech->joint[joint].head].group];
    vec along = ct_mech_axis(m, t, 0, head);
    for (uint32_t i = 0; i < c->count; i++) {
        const tie *other = &m->tie.at[c->by[i].tie];
        vec axis = ct_mech_axis(m, other, c->by[i].slide, head);
        if (other->object == joint)
            along = ct_mx_vsub(m, along, ct_mx_scale(m, c->by[i].slope, axis));
    }
    r->force[joint] = ct_mx_vadd(m, r->force[joint], ct_mx_scale(m, size, along));
}

static void supply_couple(mechanics *m, reactions *r, uint32_t tie_index, uint8_t row, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    const couple *c = ct_couple_of(t, row);
    bool turn = row == CT_ROW_COUPLE_TURN;
    ct_joint_kind kind = m->mech->joint[t->object].kind;
    if (ct_joint_leads(kind) && !turn)
        keep_thread(m, r, tie_index, size);
    else if (ct_joint_is_guided(kind) && !turn)
        keep_gradient(m, r, tie_index, size);
    else
        r->drive[t->object][turn ? t->turn_at : t->slide_at] = size;
    supply_freedom(m, r, tie_index, turn, 0, size);
    for (uint32_t i = 0; i < c->count; i++)
        supply_freedom(m, r, c->by[i].tie, c->by[i].turn, c->by[i].slide,
                       ct_mx_neg(m, ct_mx_mul(m, c->by[i].slope, size)));
}

/* What a link of a chain passes on where it closes a loop goes through all of the chain. */
static void keep_link(mechanics *m, reactions *r, const tie *t, vec force, vec torque)
{
    uint32_t joint = t->object, head = axes_of(m, joint);
    force = ct_mx_in(m, force, 0, head), torque = ct_mx_in(m, torque, 0, head);
    if (t->head_frame == CT_NOTHING)
        torque = ct_mx_vsub(m, torque, ct_mx_cross(m, way_to_head(m, t, head), force));
    force = passed_force(m, joint, head, force), torque = passed_torque(m, joint, head, torque);
    r->force[joint] = ct_mx_vadd(m, r->force[joint], force);
    r->torque[joint] = ct_mx_vadd(m, r->torque[joint], torque);
}

void ct_reactions_row(mechanics *m, reactions *r, uint32_t tie_index, uint8_t row, ct_expr size)
{
    const tie *t = &m->tie.at[tie_index];
    if (ct_row_couples(row)) {
        supply_couple(m, r, tie_index, row, size);
        return;
    }
    row_form f = ct_mech_row(m, t, (ct_tie_row)row, false);
    vec force = ct_mx_scale(m, size, ct_mech_row_force(m, &f)), torque = ct_mx_scale(m, size, f.c);
    uint32_t axes = m->axes[t->head];
    vec own_force = ct_mx_in(m, force, 0, axes), own_torque = ct_mx_in(m, torque, 0, axes);
    if (row == CT_ROW_ROD) {
        ct_reactions_joint(m, r, t->object, own_force, ct_mx_zero(m));
        return;
    }
    if (row == CT_ROW_DRIVE_SLIDE)
        r->drive[t->object][t->slide_at] = size;
    else if (row == CT_ROW_DRIVE_TURN)
        r->drive[t->object][t->turn_at] = size;
    else if (m->mech->spatial && m->tie_count[t->object] > 1)
        keep_link(m, r, t, force, torque);
    else if (ct_is_turn_row(row))
        r->torque[t->object] = ct_mx_vadd(m, r->torque[t->object], own_torque);
    else
        r->force[t->object] = ct_mx_vadd(m, r->force[t->object], own_force);
    supply_tie(m, r, tie_index, (wrench){force, torque, 0});
}

/* ---- along the trees */

/* In space: what passes through all ties of a chain is kept at its outer end; each has its driver.
 */
static void keep_in_space(mechanics *m, reactions *r, const tie *t, wrench w, bool forward,
                          bool first)
{
    uint32_t joint = t->object, head = axes_of(m, joint);
    if (first) {
        vec force = ct_mx_in(m, w.force, w.axes, head),
            torque = ct_mx_in(m, w.torque, w.axes, head);
        if (!forward) /* it is met at its tail */
            torque = ct_mx_vsub(m, torque, ct_mx_cross(m, way_to_head(m, t, head), force));
        force = passed_force(m, joint, head, force), torque = passed_torque(m, joint, head, torque);
        r->force[joint] = ct_mx_vadd(m, r->force[joint], force);
        if (m->tie.at[m->tie_of_joint[joint] + m->tie_count[joint] - 1].in_r)
            r->torque[joint] = ct_mx_vadd(m, r->torque[joint], torque);
    } /* else rows of its last link have told the torque */
    if (t->slide.is)
        r->drive[joint][t->slide_at] = ct_mx_dot(m, ct_mech_axis(m, t, 0, w.axes), w.force);
    if (t->angle.is && t->in_r)
        r->drive[joint][t->turn_at] = ct_mx_dot(m, ct_mech_pin(m, t, forward), w.torque);
}

/* What drives a freedom is no reaction; what a free one would need is none of either. */
static void keep_reaction(mechanics *m, reactions *r, const tie *t, wrench w)
{
    uint32_t joint = t->object, head = m->axes[t->head];
    if (t->slide.is) {
        vec u = ct_mech_axis(m, t, 0, w.axes);
        r->drive[joint][CT_SLIDE] = ct_mx_dot(m, u, w.force);
        w.force = ct_mx_vsub(m, w.force, ct_mx_scale(m, r->drive[joint][CT_SLIDE], u));
    }
    r->force[joint] = ct_mx_in(m, w.force, w.axes, head); /* torques pass along the classes */
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
    const tie *t = &m->tie.at[s->tie];
    if (t->is_body)
        return;
    if (m->mech->spatial)
        keep_in_space(m, r, t, w, s->forward, m->group[s->child].first != CT_NOTHING);
    else
        keep_reaction(m, r, t, w);
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
        r->drive[t->object][CT_TURN] = torque.x[2];
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
        for (int k = 0; k < CT_FREEDOMS; k++)
            r->drive[i][k] = m->zero;
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
    return work_out(m)->drive[joint][axis];
}

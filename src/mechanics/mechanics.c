/* mechanics.c - the steps in order: groups, ties, trees, coordinates, walk, loads, redundancy,
 * constraints, accelerations. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mechanics/inside.h"

mechanics *ct_mech_start(const ct_mechanics_def *def, const ct_tree *tree, const ct_mechanism *mech,
                         ct_pool *pool, ct_arena *arena)
{
    mechanics *m = CT_NEW(arena, mechanics);
    *m = (mechanics){
        .ctx = def->ctx, .arena = arena, .pool = pool, .def = def, .mech = mech, .tree = tree};
    m->value = def->value;
    m->user = def->user;
    m->zero = ct_expr_int(pool, 0);
    m->one = ct_expr_int(pool, 1);
    ct_mech_set_space(m);
    ct_map_init(&m->motion, arena);
    ct_map_init(&m->rate, arena);
    for (uint32_t i = 0; i < mech->motion_count; i++)
        ct_map_put(&m->motion, mech->motion[i].name, i + 1);
    return m;
}

bool ct_mech_kinematics(mechanics *m)
{
    size_t before = ct_errors_raised(m->ctx);
    ct_mech_group_bodies(m);
    ct_mech_make_ties(m);
    ct_mech_set_axes(m);
    if (ct_errors_raised(m->ctx) != before)
        return false;
    ct_mech_read_trees(m);
    if (!ct_mech_check_space(m))
        return false;
    ct_mech_align(m);
    ct_mech_name_coordinates(m);
    ct_mech_walk(m);
    ct_mech_drive_windings(m);
    if (!ct_mech_couple(m))
        return false;
    ct_mech_list_rows(m);
    return ct_mech_make_loads(m);
}

void ct_mech_set_accelerations(mechanics *m)
{
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        ct_coordinate *c = &m->coordinate.at[i];
        if (c->of_shape)
            c->acceleration = ct_fast_shape_rate(m, c->object, c->axis);
    }
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        for (uint32_t k = 0; k < 3; k++)
            if (t->slide_q[k] != CT_NOTHING && !t->slide.is)
                m->coordinate.at[t->slide_q[k]].acceleration = ct_fast_slide_rate(m, t, k);
        if (t->angle_q != CT_NOTHING && t->ball) {
            vec rate = ct_mech_spin_rate(m, t);
            for (uint32_t k = 0; k < 3; k++)
                m->coordinate.at[t->angle_q + 1 + k].acceleration = rate.x[k];
        } else if (t->angle_q != CT_NOTHING && !t->angle.is)
            m->coordinate.at[t->angle_q].acceleration = ct_mech_turn_rate(m, t);
    }
}

/* Values that do not depend on loads at ports are made without these first: a pool keeps the oldest
 * form of a value, and one in which a load only cancels would seem to depend on it. */
static bool solve_unloaded(mechanics *m)
{
    fast *kept = m->fast;
    ct_expr *port = m->port, *along = m->along;
    uint32_t count = CT_FREEDOMS * m->mech->joint_count + m->mech->line_count;
    bool loaded = false;
    for (uint32_t i = 0; i < count; i++)
        loaded |= !ct_expr_is_zero(m->pool, port[i]);
    if (!loaded)
        return true;
    m->port = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    m->along = m->port + (size_t)CT_FREEDOMS * m->mech->joint_count;
    for (uint32_t i = 0; i < count; i++)
        m->port[i] = m->zero;
    m->fast = ct_fast_copy(m);
    bool good = ct_fast_solve(m);
    if (good)
        ct_mech_set_accelerations(m);
    m->fast = kept;
    m->port = port, m->along = along;
    return good;
}

/* With speed constraints as rows of their own; false: they are left to the network, or one was
 * reported. */
static bool solve_held(mechanics *m, bool *failed)
{
    vec *load = m->load;
    ct_expr *port = m->port, *along = m->along;
    fast *kept = m->fast;
    ct_mech_hold_speeds(m);
    if (!m->held.count)
        return false;
    m->fast = ct_fast_copy(m);
    bool loaded = ct_mech_make_loads(m) && solve_unloaded(m), good = loaded && ct_fast_solve(m);
    *failed = loaded && !good && ct_mech_report_held(m);
    m->load = load, m->port = port, m->along = along;
    m->fast = good ? m->fast : kept;
    m->held.count = good ? m->held.count : 0;
    return good;
}

static void list_holds(mechanics *m, ct_mechanics *out)
{
    ct_speed_hold *list = CT_NEW_ARRAY(m->arena, ct_speed_hold, m->held.count + 1);
    for (uint32_t i = 0; i < m->held.count; i++) {
        const held *h = &m->held.at[i];
        list[i] = (ct_speed_hold){h->of->name, h->of->lambda, h->speed,
                                  ct_mx_neg(m, m->fast->value[h->unknown]), h->of->place};
    }
    out->hold = list;
    out->hold_count = m->held.count;
}

/* own: the mechanism as it is written; of impulses nothing is shown. */
static const ct_mechanics *finish(mechanics *m, const ct_mechanism *own, int freedom)
{
    ct_mechanics *out = CT_NEW(m->arena, ct_mechanics);
    ct_mechanism *shown = CT_NEW(m->arena, ct_mechanism);
    *shown = *m->mech;
    shown->load_count = own->load_count;
    *out = (ct_mechanics){.mechanism = shown,
                          .pool = m->pool,
                          .tree = m->tree,
                          .weighted = m->weighted,
                          .coordinate = m->coordinate.at,
                          .coordinate_count = m->coordinate.count,
                          .constraint = m->constraint.at,
                          .constraint_count = m->constraint.count,
                          .unknown = m->fast->unknown.at,
                          .unknown_count = m->fast->unknown.count,
                          .inertia = m->fast->inertia.at,
                          .slack = m->slack.at,
                          .slack_count = m->slack.count,
                          .inertia_count = m->fast->inertia.count,
                          .freedom = freedom,
                          .tested = m->tested,
                          .inside = m};
    list_holds(m, out);
    return out;
}

/* Accelerations of a mechanism whose motion is prescribed do not depend on masses. */
static void give_mass(mechanics *m)
{
    ct_mechanism *copy = CT_NEW(m->arena, ct_mechanism);
    ct_body *body = CT_NEW_ARRAY(m->arena, ct_body, m->mech->body_count);
    *copy = *m->mech;
    memcpy(body, m->mech->body, m->mech->body_count * sizeof *body);
    for (uint32_t i = 1; i < copy->body_count; i++) {
        ct_expr *slot[] = {&body[i].mass, &body[i].inertia[2], &body[i].inertia[0],
                           &body[i].inertia[1]};
        uint32_t turns = ct_mech_kind(m, i)->turns ? 3 - m->space->turn : 0;
        for (uint32_t k = 0; k < 1 + turns; k++)
            if (ct_expr_is_zero(m->pool, *slot[k])) {
                *slot[k] = m->one;
                m->weighted = true;
            }
    }
    copy->body = body;
    m->mech = copy;
}

/* Between frames, where a speed is none of a joint's own coordinates. */
static ct_vector_load load_of_speed(const mechanics *m, const ct_motion *x, ct_expr push)
{
    const ct_joint *j = x->kind == CT_MOTION_JOINT_SPIN ? &m->mech->joint[x->object] : NULL;
    ct_vector_load load = {.torque = x->kind != CT_MOTION_VELOCITY,
                           .tail = j ? j->tail : CT_GROUND_FRAME,
                           .head = j ? j->head : x->object,
                           .axes = CT_GROUND_FRAME,
                           .value = {{m->zero, m->zero, m->zero}}};
    if (x->kind == CT_MOTION_SPIN_OWN || j)
        load.axes = load.head;
    load.value.c[load.torque && !m->mech->spatial ? 2 : x->axis] = push;
    return load;
}

/* Impulses of events act beside the loads of joints and frames. */
static void add_pushes(mechanics *m, const ct_mechanics_def *def)
{
    const ct_mechanism *own = m->mech;
    ct_mechanism *copy = CT_NEW(m->arena, ct_mechanism);
    ct_joint *joint = CT_NEW_ARRAY(m->arena, ct_joint, own->joint_count + 1);
    ct_vector_load *load =
        CT_NEW_ARRAY(m->arena, ct_vector_load, own->load_count + def->push_count + 1);
    *copy = *own;
    if (own->joint_count)
        memcpy(joint, own->joint, own->joint_count * sizeof *joint);
    if (own->load_count)
        memcpy(load, own->load, own->load_count * sizeof *load);
    for (uint32_t i = 0; i < def->push_count; i++) {
        const ct_motion *x = def->push[i].speed;
        bool turn = x->kind == CT_MOTION_TURN_SPEED;
        ct_expr push = ct_expr_symbol(m->pool, def->push[i].symbol);
        if (!turn && x->kind != CT_MOTION_SLIDE_SPEED) {
            load[copy->load_count++] = load_of_speed(m, x, push);
            continue;
        }
        ct_expr *at = &joint[x->object].load[(turn ? CT_TURN : CT_SLIDE) + x->axis];
        *at = *at ? ct_expr_add(m->pool, *at, push) : push;
    }
    copy->joint = joint;
    copy->load = load;
    m->mech = copy;
}

static double value_of(const void *user, ct_name symbol)
{
    const ct_model *m = user;
    uint32_t q = ct_map_get(m->quantity_by_name, symbol);
    return q ? m->quantity_value[q - 1] : NAN;
}

ct_mechanics_def ct_mechanics_def_of(const ct_model *m, const ct_tree *tree, ct_arena *arena)
{
    ct_name *input = CT_NEW_ARRAY(arena, ct_name, m->quantity_count + 1);
    ct_mechanics_def def = {.ctx = m->ctx,
                            .arena = arena,
                            .pool = m->pool,
                            .symbols = m->symbols,
                            .tree = tree,
                            .input = input,
                            .value = value_of,
                            .user = m,
                            .start = m->start,
                            .start_count = m->start_count};
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_INPUT)
            input[def.input_count++] = m->quantity[i].name;
    return def;
}

const ct_mechanics *ct_mechanics_new(const ct_mechanics_def *def)
{
    assert(def->tree->graph->bodies && def->pool);
    ct_mechanics_def *kept = CT_NEW(def->arena, ct_mechanics_def);
    *kept = *def;
    const ct_mechanism *mechanism = def->tree->graph->bodies->mechanism;
    mechanics *m = ct_mech_start(kept, def->tree, mechanism, def->pool, def->arena);
    int freedom = 0;
    if (def->push_count)
        add_pushes(m, def);
    if (def->tree->kinematic)
        give_mass(m);
    m->hold = true;
    if (!ct_mech_kinematics(m))
        return NULL;
    ct_fast_plan(m, 0);
    if (!ct_mech_rank(m, &freedom))
        return NULL;
    ct_mech_make_constraints(m);
    uint32_t seed = ct_fast_search(m);
    if (seed)
        ct_fast_plan(m, seed);
    bool failed = false;
    if (!solve_held(m, &failed) && (failed || !solve_unloaded(m) || !ct_fast_solve(m)))
        return NULL;
    ct_mech_set_accelerations(m);
    return finish(m, mechanism, freedom);
}

const ct_mechanics *ct_mechanics_clone(const ct_mechanics *from, const ct_tree *tree,
                                       ct_arena *arena)
{
    ct_mechanics *copy = CT_NEW(arena, ct_mechanics);
    mechanics *m = CT_NEW(arena, mechanics);
    *copy = *from;
    *m = *from->inside;
    ct_mechanics_def *def = CT_NEW(arena, ct_mechanics_def);
    *def = ct_mechanics_def_of(tree->graph->model, tree, arena);
    m->def = def;
    m->ctx = tree->graph->ctx;
    m->arena = arena;
    m->pool = copy->pool = tree->graph->model->pool;
    m->tree = copy->tree = tree;
    copy->inside = m;
    return copy;
}

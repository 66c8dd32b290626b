/* motion.c - bodies and joints in the system: coordinates q and speeds u with
 *
 *     q' = u,   u' = a(q, u, t, loads)
 *
 * [McPhee-2, eq. 91 solved for accelerations] and closed loops as invariants [eq. 88]. What else
 * can be read of a mechanism is an expression of these. Loads that 1-D elements put on joints and
 * lines are ordinary through variables.
 *
 * Accelerations are long; rows hold a symbol for each, so that elimination does not look into
 * them until it knows which loads depend on accelerations (reduce/accelerations.c).
 */
#include <string.h>

#include "formulate/formulation.h"
#include "mechanics/mechanics.h"

/* ---- making the mechanics */

static void list_drivers(formulation *f)
{
    const ct_mechanics *m = f->mechanics;
    ct_speed_driver *list = CT_NEW_ARRAY(f->arena, ct_speed_driver, m->slack_count + 1);
    for (uint32_t i = 0; i < m->slack_count; i++) {
        const ct_joint *j = &m->mechanism->joint[m->slack[i].joint];
        list[i] = (ct_speed_driver){m->slack[i].symbol, m->slack[i].place, m->slack[i].speed,
                                    j->name, j->place};
    }
    f->system->driver = list;
    f->system->driver_count = m->slack_count;
}

static void make_mechanics(formulation *f)
{
    ct_mechanics_def def = ct_mechanics_def_of(f->model, f->tree, f->arena);
    def.slack = f->system->run;
    if (def.slack)
        def.push = ct_list_speed_pushes(f, &def.push_count);
    f->mechanics = f->system->mechanics = ct_mechanics_new(&def);
    f->failed |= !f->mechanics;
    if (f->mechanics)
        list_drivers(f);
}

static uint32_t own_unknown(formulation *f, ct_name name)
{
    return ct_new_unknown(f, CT_UNKNOWN_OWN, name, UINT32_MAX);
}

static uint32_t coordinate_unknown(formulation *f, ct_name name, bool angle, uint16_t order)
{
    ct_symbol_note(f->model->symbols, name,
                   (ct_symbol){.kind = CT_SYMBOL_COORDINATE, .part = order, .variable = angle});
    return own_unknown(f, name);
}

void ct_add_motion_unknowns(formulation *f)
{
    const ct_mechanism *mechanism = f->model->mechanism;
    if (mechanism)
        make_mechanics(f);
    if (!f->mechanics)
        return;
    const ct_mechanics *m = f->mechanics;
    for (uint32_t i = 0; i < m->coordinate_count; i++) {
        const ct_coordinate *c = &m->coordinate[i];
        uint32_t q = coordinate_unknown(f, c->q, c->angle, 0);
        f->unknown.at[q].coordinate = true;
        ct_rate_of(f, q); /* first of all states */
        if (!c->u)
            continue;
        uint32_t u = coordinate_unknown(f, c->u, c->angle, 1);
        f->unknown.at[u].speed = true;
        ct_rate_of(f, u);
    }
    for (uint32_t i = 0; i < m->unknown_count; i++)
        own_unknown(f, m->unknown[i].name);
    ct_map_init(&f->held, f->arena);
    for (uint32_t i = 0; i < m->hold_count; i++)
        ct_map_put(&f->held, m->hold[i].lambda, 1);
}

static bool is_force(ct_motion_kind kind)
{
    return kind == CT_MOTION_REACTION || kind == CT_MOTION_REACTION_TORQUE ||
           kind == CT_MOTION_DRIVE;
}

static void refuse_force(formulation *f, ct_name symbol)
{
    const char *name = ct_name_text(f->model->ctx, symbol);
    ct_report *r = ct_error(f->model->ctx, "E610", (ct_place){0},
                            "%s cannot be told: bodies without mass", name);
    ct_note(r, "a kinematic analysis gives positions, velocities and accelerations of any driven "
               "mechanism, but forces need the masses of all bodies");
    ct_help(r, "give every body m and I, or leave %s out; `cotree run` takes them as weightless",
            name);
    ct_witness(r, name);
    f->failed = true;
}

ct_expr ct_motion_value(formulation *f, ct_name symbol)
{
    uint32_t index = f->mechanics ? ct_map_get(f->model->mechanism->motion_by_name, symbol) : 0;
    if (!index)
        return 0;
    const ct_motion *motion = &f->model->mechanism->motion[index - 1];
    if (f->mechanics->weighted && is_force(motion->kind) && !f->failed)
        refuse_force(f, symbol);
    return ct_mechanics_express(f->mechanics, motion);
}

/* ---- rows */

/* u' = a, a symbol unless it is a number */
static void add_speed_row(formulation *f, const ct_coordinate *c, ct_expr a)
{
    ct_context *ctx = f->model->ctx;
    const ct_mechanism *m = f->mechanics->mechanism;
    ct_place place = c->of_body ? m->body[c->object].place : m->joint[c->object].place;
    uint32_t unknown = ct_index_get(&f->by_name, c->u);
    term_list terms = {0};
    ct_definition_row d = {0, a, f->row.count, place};
    CT_PUSH(f->arena, terms, (ct_term){ct_rate_of(f, unknown), f->one});
    if (!ct_expr_is_number(f->pool, a)) {
        d.name = ct_intern_joined(ctx, "acceleration(", ct_name_text(ctx, c->u), ")");
        CT_PUSH(f->arena, f->definition, d);
        a = ct_expr_symbol(f->pool, d.name);
    }
    ct_add_row(f, &terms, ct_expr_neg(f->pool, a), false, CT_FROM_MOTION, unknown);
}

/* q' = u, or what a driver says */
static void add_coordinate_row(formulation *f, const ct_coordinate *c)
{
    uint32_t q = ct_index_get(&f->by_name, c->q);
    term_list terms = {0};
    ct_expr rest = f->zero;
    CT_PUSH(f->arena, terms, (ct_term){ct_rate_of(f, q), f->one});
    bool plain = c->u && !c->quaternion;
    if (plain)
        CT_PUSH(f->arena, terms, (ct_term){ct_index_get(&f->by_name, c->u), f->minus_one});
    else
        rest = ct_expr_neg(f->pool, ct_express(f, c->speed, (ct_place){0}));
    ct_add_row(f, &terms, rest, !plain, CT_FROM_MOTION, q);
}

static void add_invariants(formulation *f)
{
    const ct_mechanics *m = f->mechanics;
    CT_VEC(ct_invariant) list = {0};
    for (uint32_t i = 0; i < m->constraint_count; i++) {
        const ct_constraint *c = &m->constraint[i];
        ct_name joint = m->mechanism->joint[c->joint].name;
        if (c->position)
            CT_PUSH(f->arena, list, (ct_invariant){c->position, false, joint, c->place});
        CT_PUSH(f->arena, list, (ct_invariant){c->velocity, true, joint, c->place});
    }
    for (uint32_t i = 0; i < m->hold_count; i++)
        CT_PUSH(f->arena, list,
                (ct_invariant){m->hold[i].speed, true, m->hold[i].name, m->hold[i].place});
    f->system->invariant = list.at;
    f->system->invariant_count = list.count;
}

bool ct_is_held(const formulation *f, ct_name lambda)
{
    return f->mechanics && ct_map_get(&f->held, lambda);
}

/* lambda = value, instead of the constraint, which is an invariant */
static void add_hold_row(formulation *f, const ct_speed_hold *h, ct_expr value)
{
    uint32_t unknown = ct_index_get(&f->by_name, h->lambda);
    term_list terms = {0};
    CT_PUSH(f->arena, terms, (ct_term){unknown, f->one});
    ct_add_row(f, &terms, ct_expr_neg(f->pool, value), true, CT_FROM_MOTION, unknown);
}

void ct_add_motion_rows(formulation *f)
{
    const ct_mechanics *m = f->mechanics;
    if (!m)
        return;
    uint32_t n = m->coordinate_count, count = 0, rest = m->unknown_count;
    ct_expr *a = CT_NEW_ARRAY(f->arena, ct_expr, n + rest + m->hold_count + 1);
    for (uint32_t i = 0; i < n; i++)
        if (m->coordinate[i].u)
            a[count++] = m->coordinate[i].acceleration;
    for (uint32_t i = 0; i < rest; i++)
        a[count + i] = m->unknown[i].residual;
    for (uint32_t i = 0; i < m->hold_count; i++)
        a[count + rest + i] = m->hold[i].value;
    ct_express_all(f, a, count + rest + m->hold_count, (ct_place){0});
    for (uint32_t i = 0, k = 0; i < n; i++) {
        add_coordinate_row(f, &m->coordinate[i]);
        if (m->coordinate[i].u)
            add_speed_row(f, &m->coordinate[i], a[k++]);
    }
    for (uint32_t i = 0; i < rest; i++) {
        term_list none = {0};
        uint32_t unknown = ct_index_get(&f->by_name, m->unknown[i].name);
        ct_add_row(f, &none, a[count + i], true, CT_FROM_MOTION, unknown);
    }
    for (uint32_t i = 0; i < m->hold_count; i++)
        add_hold_row(f, &m->hold[i], a[count + rest + i]);
    add_invariants(f);
    f->system->definition = f->definition.at;
    f->system->definition_count = f->definition.count;
}

/* rig.c - a machine with values of its parameters: what the solvers call. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "simulate/act.h"
#include "simulate/affine.h"
#include "simulate/blow.h"
#include "simulate/jump.h"
#include "simulate/lookout.h"
#include "simulate/timed.h"
#include "simulate/past.h"
#include "simulate/rig.h"
#include "simulate/variant.h"

double *ct_rig_prepared(const ct_rig *rig, const ct_program *program)
{
    return program ? ct_program_prepared(rig->arena, program, rig->parameter) : NULL;
}

/* ---- what the solvers call */

void ct_rig_set_point(ct_rig *rig, double t, const double *z)
{
    uint32_t size = rig->machine->n + rig->machine->m;
    memcpy(rig->variable, z, size * sizeof *z);
    rig->variable[size] = t;
    if (rig->past)
        ct_past_set(rig, t);
}

void ct_rig_spoil(const ct_rig *rig, double *value)
{
    if (ct_rig_is_interrupted(rig))
        value[0] = NAN;
}

static void evaluate_free(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->machine->free.value, rig->variable, fg, rig->work_free);
    ct_rig_spoil(rig, fg);
}

static void evaluate_held(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->machine->held.value, rig->variable, fg, rig->work_held);
    ct_rig_spoil(rig, fg);
}

static void slope_free(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_slope_run(rig, &rig->slope_free, t, z, value);
}

static void slope_held(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_slope_run(rig, &rig->slope_held, t, z, value);
}

void ct_bundle_part(const ct_bundle *b, uint32_t size, const double *whole, double *fg,
                    double *slope, double *drift)
{
    uint32_t count = b->jacobian->count;
    memcpy(fg, whole, size * sizeof *fg);
    memcpy(slope, whole + size, count * sizeof *slope);
    memset(drift, 0, size * sizeof *drift);
    for (uint32_t i = 0; i < b->drift->count; i++)
        drift[b->drift->row[i]] = whole[size + count + i];
}

static void linearise_held(void *user, double t, const double *z, double *fg, double *slope,
                           double *drift)
{
    ct_rig *rig = user;
    const ct_bundle *b = &rig->machine->held;
    ct_rig_set_point(rig, t, z);
    ct_program_run(b->whole, rig->variable, rig->whole, rig->work_whole);
    ct_bundle_part(b, rig->machine->n + rig->machine->m, rig->whole, fg, slope, drift);
    ct_rig_spoil(rig, fg);
}

/* The sign that belongs to the truth value at zero. */
static double sign_at_zero(ct_op op)
{
    switch ((int)op) {
    case CT_OP_STEP:
    case CT_OP_LESS:
    case CT_OP_GREATER_EQUAL:
        return DBL_MIN;
    case CT_OP_LESS_EQUAL:
    case CT_OP_GREATER:
        return -DBL_MIN;
    default:
        return 0;
    }
}

static void roots(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    const ct_machine *m = rig->machine;
    const double *held = rig->variable + m->known;
    ct_blows *blows = ct_acting_blows(rig);
    ct_rig_set_point(rig, t, z);
    ct_set_forces(rig, t, z);
    ct_program_run(m->roots, rig->variable, value, rig->work_roots);
    if (blows)
        ct_blows_lift(blows, t, z, value);
    for (uint32_t i = 0; i < m->events.root.count; i++) {
        ct_op op = m->events.root.at[i].op;
        double ahead;
        if (ct_slides(rig, i) || ct_lookout_side(rig, i, t, &ahead) ||
            (blows && ct_blows_mask(blows, i))) {
            value[i] = 1;
            continue;
        }
        if (op == CT_OP_FLOOR) {
            double into = value[i] - held[i];
            value[i] = into * (1 - into);
        }
        if (value[i] == 0)
            value[i] = op == CT_OP_FLOOR ? DBL_MIN : sign_at_zero(op);
    }
    value += m->events.root.count;
    if (rig->extra)
        rig->extra(rig->extra_user, t, z, value);
    value += rig->extra_count;
    if (rig->variants)
        *value++ = ct_variant_holds(rig, t, z);
    if (blows)
        *value = ct_blows_hold(blows, t, z);
}

static void angles(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_set_forces(rig, t, z);
    ct_program_run(rig->machine->angles.program, rig->variable, rig->angle, rig->work_angles);
    memcpy(value, rig->angle, rig->held.angle_count * sizeof *value);
}

static void bent(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->machine->angles.bent, rig->variable, value, rig->work_bent);
}

static double side(ct_op op, double r)
{
    switch ((int)op) {
    case CT_OP_STEP:
    case CT_OP_GREATER_EQUAL:
        return r >= 0;
    case CT_OP_LESS:
        return r < 0;
    case CT_OP_LESS_EQUAL:
        return r <= 0;
    case CT_OP_GREATER:
        return r > 0;
    case CT_OP_EQUAL:
        return r == 0;
    case CT_OP_UNEQUAL:
        return r != 0;
    case CT_OP_FLOOR:
        return floor(r);
    default:
        return (r > 0) - (r < 0);
    }
}

/* Conditions may depend on others: until nothing changes. */
static void hold(void *user, double t, const double *z)
{
    ct_rig *rig = user;
    const ct_machine *m = rig->machine;
    double *held = rig->variable + m->known;
    ct_blows *blows = ct_acting_blows(rig);
    bool changed = true;
    if (blows)
        ct_blows_end_lift(blows, t, z);
    ct_rig_set_point(rig, t, z);
    for (uint32_t round = 0; changed && round <= m->events.root.count; round++) {
        changed = false;
        ct_lookouts_refresh(rig, t);
        ct_set_forces(rig, t, z);
        ct_program_run(m->roots, rig->variable, rig->root, rig->work_roots);
        if (blows)
            ct_blows_lift(blows, t, z, rig->root);
        for (uint32_t i = 0; i < m->events.root.count; i++) {
            ct_lookout_side(rig, i, t, &rig->root[i]);
            double now = side(m->events.root.at[i].op, rig->root[i]);
            changed |= now != held[i];
            held[i] = now;
        }
    }
}

static void remember(void *user, double t, const double *z)
{
    ct_blows *blows = ct_acting_blows(user);
    ct_jump_remember(user, t, z);
    if (blows)
        ct_blows_remember(blows, t, z);
}

static void invariants(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->machine->invariants.value, rig->variable, value, rig->work_invariants);
}

static void invariants_slope(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->machine->invariants.slope, rig->variable, value,
                   rig->work_invariants_slope);
}

static void shown(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->machine->measured, rig->variable, value, rig->work_measured);
}

static double next_break(void *user, double t)
{
    return ct_rig_next_break(user, t);
}

static const char *name_of(void *user, uint32_t z)
{
    return ct_machine_variable(((ct_rig *)user)->machine, z);
}

/* x' = w: where rates are left to numerical solution. */
static const bool *list_rates(const ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    bool *is_rate = CT_NEW_ARRAY(rig->arena, bool, m->n + m->m + 1);
    for (uint32_t i = 0; i < m->n && m->m; i++) {
        bool symbol = ct_expr_kind_of(m->pool, m->kept[i]) == CT_EXPR_SYMBOL;
        uint32_t z = symbol ? ct_map_get(&m->z_index, ct_expr_name(m->pool, m->kept[i])) : 0;
        if (z > m->n && z <= m->n + m->m)
            is_rate[z - 1] = true;
    }
    return is_rate;
}

static const bool *list_watched(ct_rig *rig)
{
    const ct_events *c = &rig->machine->events;
    bool *watched = CT_NEW_ARRAY(rig->arena, bool, c->root.count + 2);
    for (uint32_t i = 0; i < c->root.count; i++)
        watched[i] = c->root.at[i].kind == CT_EVENT_KINK;
    return watched;
}

static const bool *list_soft(ct_rig *rig)
{
    const ct_events *c = &rig->machine->events;
    bool *soft = CT_NEW_ARRAY(rig->arena, bool, c->root.count + 2);
    for (uint32_t i = 0; i < c->root.count; i++)
        soft[i] = c->root.at[i].soft;
    return soft;
}

static void set_angles(ct_rig *rig, uint32_t count)
{
    rig->held.angles = angles;
    rig->held.angle_count = count;
    rig->held.turning_roots = count ? rig->machine->events.root.count : 0;
    rig->held.angle_text = rig->machine->angles.text.at;
}

static void set_problems(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    ct_problem p = {.user = rig,
                    .n = m->n,
                    .m = m->m,
                    .name = name_of,
                    .is_rate = list_rates(rig),
                    .invariant_count = m->invariant_count,
                    .invariants = invariants,
                    .invariant_start = m->invariants.jacobian->start,
                    .invariant_row = m->invariants.jacobian->row,
                    .invariant_slope = invariants_slope,
                    .speed_invariant = m->speed_invariant,
                    .speed_state = m->speed_state};
    rig->free = rig->held = p;
    rig->free.evaluate = evaluate_free;
    rig->free.jacobian = slope_free;
    rig->free.lift = ct_rig_lift;
    rig->held.evaluate = evaluate_held;
    rig->held.jacobian = slope_held;
    rig->held.linearise = m->held.whole && !rig->past ? linearise_held : NULL;
    rig->held.begins = rig->past ? ct_past_break : NULL;
    rig->held.passed = rig->past ? ct_past_passed : NULL;
    if (m->free.jacobian)
        ct_make_slopes(rig);
    else
        rig->free.pattern = rig->held.pattern = ct_make_slopes;
    if (m->events.moment.count || rig->acting || rig->lookouts)
        rig->held.next_break = next_break;
    rig->held.act = rig->acting || rig->variants ? ct_act_now : NULL;
    rig->held.remember = rig->jumping ? remember : NULL;
    rig->held.jump = rig->jumping ? ct_jump : NULL;
    rig->held.affine = rig->affine ? ct_affine_between : NULL;
    rig->held.phase_count = rig->phase_count;
    rig->held.phase = rig->phase;
    rig->held.bent_count = m->events.bent.count;
    rig->held.bent = bent;
    rig->held.shown_count = m->shown_count;
    rig->held.shown = shown;
    rig->held.plain_rows = m->plain_columns;
    rig->held.root_count =
        m->events.root.count + (rig->variants != NULL) + (ct_acting_blows(rig) != NULL);
    if (rig->held.root_count) {
        rig->held.roots = roots;
        rig->held.hold = hold;
        set_angles(rig, m->angles.untimed);
        rig->held.watched = list_watched(rig);
        rig->held.soft = list_soft(rig);
    }
}

static void take_memory(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    rig->variable = CT_NEW_ARRAY(rig->arena, double, m->forced + 1);
    rig->root = CT_NEW_ARRAY(rig->arena, double, m->events.root.count + 1);
    rig->work_free = ct_rig_prepared(rig, m->free.value);
    bool same = m->held.value == m->free.value;
    rig->work_held = same ? rig->work_free : ct_rig_prepared(rig, m->held.value);
    if (m->held.whole) {
        size_t count = m->n + m->m + m->held.jacobian->count + m->held.drift->count;
        rig->whole = CT_NEW_ARRAY(rig->arena, double, count);
        rig->work_whole = ct_rig_prepared(rig, m->held.whole);
    }
    rig->work_roots = ct_rig_prepared(rig, m->roots);
    rig->work_columns = ct_rig_prepared(rig, m->columns);
    rig->work_measured = ct_rig_prepared(rig, m->measured);
    rig->work_watch = ct_rig_prepared(rig, m->watching);
    rig->work_bent = ct_rig_prepared(rig, m->angles.bent);
    rig->work_angles = ct_rig_prepared(rig, m->angles.program);
    rig->angle = CT_NEW_ARRAY(rig->arena, double, m->angles.angle.count + 1);
    rig->work_invariants = ct_rig_prepared(rig, m->invariants.value);
    rig->work_invariants_slope = ct_rig_prepared(rig, m->invariants.slope);
}

ct_rig *ct_rig_new(const ct_machine *m, const double *value)
{
    assert(m->free.value && m->columns);
    ct_arena *arena = ct_arena_new(m->ctx);
    ct_rig *rig = CT_NEW(arena, ct_rig);
    *rig = (ct_rig){.machine = m, .arena = arena};
    double *own = CT_NEW_ARRAY(arena, double, m->model->quantity_count + 1);
    for (uint32_t i = 0; i < m->model->quantity_count; i++)
        own[i] = value ? value[i] : m->model->quantity_value[i];
    rig->value = own;
    if (!ct_rig_take_parameters(rig) || !ct_rig_check_pivots(rig) || !ct_rig_check_inertias(rig)) {
        ct_arena_free(arena);
        return NULL;
    }
    take_memory(rig);
    ct_set_discretes(rig);
    ct_rig_take_breaks(rig);
    ct_take_swings(rig);
    rig->jumping = ct_jumping_new(rig);
    rig->past = ct_past_new(rig);
    rig->affine = rig->past ? NULL : ct_affine_form_new(rig);
    rig->acting = ct_acting_new(rig);
    rig->lookouts = ct_lookouts_new(rig);
    rig->variants = rig->past ? NULL : ct_variants_new(rig);
    set_problems(rig);
    return rig;
}

void ct_rig_free(ct_rig *rig)
{
    if (rig)
        ct_arena_free(rig->arena);
}
/* ---- values at a point */

void ct_rig_columns(ct_rig *rig, double t, const double *z, double *column)
{
    ct_rig_set_point(rig, ct_rig_right_side(rig, t), z);
    if (!ct_variant_columns(rig, column))
        ct_program_run(rig->machine->columns, rig->variable, column, rig->work_columns);
}

void ct_rig_watch(ct_rig *rig, double t, const double *z, double *value)
{
    ct_rig_set_point(rig, t, z);
    ct_set_forces(rig, t, z);
    ct_program_run(rig->machine->watching, rig->variable, value, rig->work_watch);
}

void ct_rig_add_roots(ct_rig *rig, uint32_t count,
                      void (*extra)(void *user, double t, const double *z, double *value),
                      void *user)
{
    const ct_events *c = &rig->machine->events;
    bool pushed = ct_acting_blows(rig) != NULL;
    rig->variants = pushed ? rig->variants : NULL; /* what switches ideally does not slide */
    uint32_t all = c->root.count + count + (rig->variants != NULL) + pushed;
    bool *watched = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    bool *soft = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    bool *ends = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    bool *lasting = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    for (uint32_t i = 0; i < all; i++) {
        const ct_event *e = i < c->root.count ? &c->root.at[i] : NULL;
        watched[i] = e && e->kind == CT_EVENT_KINK;
        soft[i] = e && e->soft;
        ends[i] = !watched[i];
        lasting[i] = i >= c->root.count && i < c->root.count + count;
    }
    rig->extra = extra;
    rig->extra_user = user;
    rig->extra_count = count;
    ct_variants_begin(rig);
    rig->held.act = rig->acting ? ct_act_now : NULL;
    rig->held.root_count = all;
    rig->held.roots = roots;
    rig->held.hold = hold;
    set_angles(rig, rig->machine->angles.angle.count);
    rig->held.watched = watched;
    rig->held.soft = soft;
    rig->held.ends = ends;
    rig->held.lasting = lasting;
}

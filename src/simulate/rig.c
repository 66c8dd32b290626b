/* rig.c - a machine with values of its parameters: what the solvers call. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanics/mechanics.h"
#include "simulate/affine.h"
#include "simulate/act.h"
#include "simulate/blow.h"
#include "simulate/jump.h"
#include "simulate/lookout.h"
#include "simulate/variant.h"

/* ---- values of parameters */

static double look_up(const void *user, ct_name symbol)
{
    const ct_rig *rig = user;
    ct_quantities q = {rig->machine->model, rig->value};
    return ct_look_up(&q, symbol);
}

double ct_rig_value(const ct_rig *rig, ct_expr e)
{
    return ct_expr_value(rig->machine->pool, e, look_up, rig);
}

typedef struct somewhere {
    const ct_rig *rig;
    double t;
    const double *z;
} somewhere;

static double look_up_there(const void *user, ct_name symbol)
{
    const somewhere *at = user;
    const ct_machine *m = at->rig->machine;
    uint32_t z = ct_map_get(&m->z_index, symbol);
    if (symbol == m->time)
        return at->t;
    if (z && z <= m->n + m->m)
        return at->z[z - 1];
    double value = look_up(at->rig, symbol);
    return isnan(value) ? 0 : value;
}

double ct_rig_value_at(const ct_rig *rig, double t, const double *z, ct_expr e)
{
    somewhere at = {rig, t, z};
    return ct_expr_value(rig->machine->pool, e, look_up_there, &at);
}

/* Missing are those at the end of the chain of defaults, each reported once. */
static void report_missing(const ct_rig *rig, ct_name name)
{
    const ct_machine *m = rig->machine;
    ct_name_list stack = {0};
    CT_PUSH(rig->arena, stack, name);
    while (stack.count) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, stack.at[--stack.count]);
        if (!q || isfinite(rig->value[q - 1]))
            continue;
        const ct_quantity *quantity = &m->model->quantity[q - 1];
        ct_name_list needs = {0};
        if (quantity->value)
            needs = ct_symbols_of(m->pool, rig->arena, &quantity->value, 1);
        bool deeper = false;
        for (uint32_t i = 0; i < needs.count; i++)
            if (!isfinite(look_up(rig, needs.at[i]))) {
                CT_PUSH(rig->arena, stack, needs.at[i]);
                deeper = true;
            }
        if (deeper)
            continue;
        const char *text = ct_name_text(m->ctx, quantity->name);
        ct_report *r = ct_error(
            m->ctx, "E521", quantity->place,
            quantity->value ? "param %s has no finite value" : "param %s has no value", text);
        ct_note_untested(m, r);
        ct_help(r, "give it one in the model, or with --set %s=...", text);
        ct_witness(r, text);
    }
}

static bool take_parameters(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    bool good = true;
    rig->parameter = CT_NEW_ARRAY(rig->arena, double, m->parameter_count + 1);
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        rig->parameter[i] = look_up(rig, m->parameter[i]);
        if (isfinite(rig->parameter[i]))
            continue;
        report_missing(rig, m->parameter[i]);
        good = false;
    }
    return good;
}

/* ---- programs of parameters alone */

static const double *values_of(ct_rig *rig, const ct_program *program, uint32_t count)
{
    double *value = CT_NEW_ARRAY(rig->arena, double, count + 1);
    double *work = CT_NEW_ARRAY(rig->arena, double, ct_program_work(program) + 1);
    ct_program_prepare(program, rig->parameter, work);
    ct_program_run(program, value, value, work);
    return value;
}

/* The parameters to blame: those that are zero, or else all. */
static const char *blame(const ct_rig *rig, ct_expr pivot, ct_report *report)
{
    const ct_machine *m = rig->machine;
    ct_text text = ct_text_new(m->ctx->base);
    ct_name_list symbols = ct_symbols_of(m->pool, rig->arena, &pivot, 1);
    for (int zeros = 1; zeros >= 0 && text.length == 0; zeros--)
        for (uint32_t i = 0; i < symbols.count; i++) {
            double value = look_up(rig, symbols.at[i]);
            const char *name = ct_name_text(m->ctx, symbols.at[i]);
            if (zeros && value != 0)
                continue;
            if (report)
                ct_witness(report, name);
            ct_putf(&text, "%s%s = %g", text.length ? ", " : "", name, value);
        }
    return text.length ? ct_text_string(&text) : "a parameter";
}

static void report_pivot(const ct_rig *rig, ct_expr pivot, double value)
{
    const ct_machine *m = rig->machine;
    ct_text text = ct_text_new(m->ctx->base);
    ct_expr_put(m->pool, &text, pivot);
    if (*ct_text_string(&text) == '-') { /* the sign of a divisor is of no interest */
        text = ct_text_new(m->ctx->base);
        ct_expr_put(m->pool, &text, ct_expr_neg(m->pool, pivot));
    }
    ct_name_list symbols = ct_symbols_of(m->pool, rig->arena, &pivot, 1);
    uint32_t q = symbols.count ? ct_map_get(m->model->quantity_by_name, symbols.at[0]) : 0;
    ct_report *r = ct_error(m->ctx, "E522", q ? m->model->quantity[q - 1].place : (ct_place){0},
                            "%s makes a divisor %s", blame(rig, pivot, NULL),
                            value == 0 ? "zero" : "infinite or undefined");
    blame(rig, pivot, r);
    if (text.length < 200)
        ct_note(r, "the equations are divided by %s", ct_text_string(&text));
    ct_help(r,
            "write it as a `const` or as the number 0, so that the equations are derived with it");
}

static bool check_pivots(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    const double *value = values_of(rig, m->pivots, m->pivot_count);
    for (uint32_t i = 0; i < m->pivot_count; i++)
        if (value[i] == 0 || !isfinite(value[i])) {
            report_pivot(rig, m->pivot[i], value[i]);
            return false;
        }
    return true;
}

/* Parameters have their values, anything else some value: what vanishes then, vanishes always. */
static double look_up_anywhere(const void *user, ct_name symbol)
{
    double value = look_up(user, symbol);
    return isnan(value) ? 0.3 + (double)(symbol % 97) / 100 : value;
}

static void report_inertia(const ct_rig *rig, const ct_mechanics_inertia *inertia)
{
    const ct_machine *m = rig->machine;
    const ct_body *body = &m->reduced->system->mechanics->mechanism->body[inertia->body];
    const char *name = ct_name_text(m->ctx, body->name);
    ct_report *r = ct_error(m->ctx, "E605", body->place, "%s can move but has no inertia: %s", name,
                            blame(rig, inertia->own, NULL));
    ct_witness(r, name);
    blame(rig, inertia->own, r);
    ct_note(r, "the equations were derived with its mass and inertia as symbols, and divided by "
               "them");
    ct_help(r, "give it a mass and an inertia; or write the number 0 for them, so that the "
               "equations are derived for a body without mass");
}

/* What bodies weigh, roughly: an inertia far below it is a rounded zero. */
static double all_inertia(const ct_rig *rig)
{
    const ct_mechanics *m = rig->machine->reduced->system->mechanics;
    const ct_mechanism *mech = m->mechanism;
    double sum = 0;
    for (uint32_t i = 1; i < mech->body_count; i++)
        sum += fabs(ct_expr_value(m->pool, mech->body[i].mass, look_up_anywhere, rig));
    return sum;
}

static bool check_inertias(const ct_rig *rig)
{
    const ct_mechanics *m = rig->machine->reduced->system->mechanics;
    for (uint32_t i = 0; m && i < m->inertia_count; i++) {
        const ct_mechanics_inertia *a = &m->inertia[i];
        if (ct_expr_value(m->pool, a->own, look_up_anywhere, rig) != 0)
            continue;
        double value = ct_expr_value(m->pool, a->value, look_up_anywhere, rig);
        if (fabs(value) > 1e-13 * all_inertia(rig))
            continue;
        report_inertia(rig, a);
        return false;
    }
    return true;
}

double *ct_rig_prepared(ct_rig *rig, const ct_program *program)
{
    if (!program)
        return NULL;
    double *work = CT_NEW_ARRAY(rig->arena, double, ct_program_work(program) + 1);
    ct_program_prepare(program, rig->parameter, work);
    return work;
}

/* ---- breaks */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ct_rig_list_breaks(ct_rig *rig)
{
    const ct_events *c = &rig->machine->events;
    double *value = rig->moment_value;
    ct_program_run(rig->machine->moments, rig->variable, value, rig->work_moments);
    rig->moment_count = rig->jump_count = rig->wave_count = 0;
    for (uint32_t i = 0; i < c->moment.count; i++) {
        ct_wave w = {value[2 * i], value[2 * i + 1], c->moment.at[i].smooth};
        if (w.slope == 0 || !isfinite(w.offset / w.slope))
            continue;
        if (c->moment.at[i].kind == CT_EVENT_TURNS)
            rig->wave[rig->wave_count++] = w;
        else
            rig->moment[rig->moment_count++] = -w.offset / w.slope;
        if (!w.kink && c->moment.at[i].kind == CT_EVENT_BREAK)
            rig->jump[rig->jump_count++] = -w.offset / w.slope;
    }
    qsort(rig->moment, rig->moment_count, sizeof *rig->moment, by_value);
    qsort(rig->jump, rig->jump_count, sizeof *rig->jump, by_value);
}

void ct_rig_take_breaks(ct_rig *rig)
{
    const ct_events *c = &rig->machine->events;
    rig->moment = CT_NEW_ARRAY(rig->arena, double, c->moment.count + 1);
    rig->jump = CT_NEW_ARRAY(rig->arena, double, c->moment.count + 1);
    rig->moment_value = CT_NEW_ARRAY(rig->arena, double, 2 * c->moment.count + 1);
    rig->wave = CT_NEW_ARRAY(rig->arena, ct_wave, c->moment.count + 1);
    rig->work_moments = ct_rig_prepared(rig, rig->machine->moments);
    ct_rig_list_breaks(rig);
}

/* Least time after t at which the wave passes an integer. */
static double next_turn(const ct_wave *w, double t)
{
    double at = w->slope * t + w->offset, turn = w->slope > 0 ? floor(at) : ceil(at);
    for (int i = 0; i < 3; i++) {
        double when = (turn - w->offset) / w->slope;
        if (when > t)
            return when;
        turn += w->slope > 0 ? 1 : -1;
    }
    return INFINITY; /* too fast to be told apart */
}

static double next_of(const double *sorted, uint32_t count, double t)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low < count ? sorted[low] : INFINITY;
}

double ct_rig_next_break(const ct_rig *rig, double t)
{
    double next = fmin(next_of(rig->moment, rig->moment_count, t), ct_next_tick(rig, t));
    next = fmin(next, ct_lookouts_next(rig, t, false));
    for (uint32_t i = 0; i < rig->wave_count; i++)
        next = fmin(next, next_turn(&rig->wave[i], t));
    return next;
}

static double next_break(void *user, double t)
{
    return ct_rig_next_break(user, t);
}

double ct_rig_next_jump(const ct_rig *rig, double t)
{
    double next = fmin(next_of(rig->jump, rig->jump_count, t), ct_next_tick(rig, t));
    next = fmin(next, ct_lookouts_next(rig, t, true));
    for (uint32_t i = 0; i < rig->wave_count; i++)
        if (!rig->wave[i].kink)
            next = fmin(next, next_turn(&rig->wave[i], t));
    return next;
}

/* A time at which something jumps is moved a hair to the right. */
static double right_side(ct_rig *rig, double t)
{
    double hair = 8 * DBL_EPSILON * fmax(fabs(t), rig->span);
    return ct_rig_next_jump(rig, t - hair) <= t + hair ? t + hair : t;
}

/* ---- what the solvers call */

static void set_point(ct_rig *rig, double t, const double *z)
{
    uint32_t size = rig->machine->n + rig->machine->m;
    memcpy(rig->variable, z, size * sizeof *z);
    rig->variable[size] = t;
}

/* An interrupted run sees numbers that are none, and gives up. */
static void spoil(const ct_rig *rig, double *value)
{
    if (ct_rig_is_interrupted(rig))
        value[0] = NAN;
}

static void evaluate_free(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_program_run(rig->machine->free.value, rig->variable, fg, rig->work_free);
    spoil(rig, fg);
}

static void evaluate_held(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_program_run(rig->machine->held.value, rig->variable, fg, rig->work_held);
    spoil(rig, fg);
}

static void slope_free(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_slope_run(rig, &rig->slope_free, t, z, value);
}

static void slope_held(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_slope_run(rig, &rig->slope_held, t, z, value);
}

static void linearise_held(void *user, double t, const double *z, double *fg, double *slope,
                           double *drift)
{
    ct_rig *rig = user;
    const ct_bundle *b = &rig->machine->held;
    uint32_t size = rig->machine->n + rig->machine->m, count = b->jacobian->count;
    set_point(rig, t, z);
    ct_program_run(b->whole, rig->variable, rig->whole, rig->work_whole);
    memcpy(fg, rig->whole, size * sizeof *fg);
    memcpy(slope, rig->whole + size, count * sizeof *slope);
    memset(drift, 0, size * sizeof *drift);
    for (uint32_t i = 0; i < b->drift->count; i++)
        drift[b->drift->row[i]] = rig->whole[size + count + i];
    spoil(rig, fg);
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
    set_point(rig, t, z);
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
    else if (rig->variants)
        *value = ct_variant_holds(rig, t, z);
    value += rig->extra_count + (rig->variants != NULL);
    if (blows)
        *value = ct_blows_hold(blows, t, z);
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
    set_point(rig, t, z);
    for (uint32_t round = 0; changed && round <= m->events.root.count; round++) {
        changed = false;
        ct_lookouts_refresh(rig, t);
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
    set_point(rig, t, z);
    ct_program_run(rig->machine->invariants.value, rig->variable, value, rig->work_invariants);
}

static void invariants_slope(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_program_run(rig->machine->invariants.slope, rig->variable, value,
                   rig->work_invariants_slope);
}

static void shown(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_program_run(rig->machine->measured, rig->variable, value, rig->work_measured);
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
    rig->held.linearise = m->held.whole ? linearise_held : NULL;
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
    rig->held.shown_count = m->shown_count;
    rig->held.shown = shown;
    rig->held.plain_rows = m->plain_columns;
    rig->held.root_count =
        m->events.root.count + (rig->variants != NULL) + (ct_acting_blows(rig) != NULL);
    if (rig->held.root_count) {
        rig->held.roots = roots;
        rig->held.hold = hold;
        rig->held.watched = list_watched(rig);
        rig->held.soft = list_soft(rig);
    }
}

static void take_memory(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    rig->variable = CT_NEW_ARRAY(rig->arena, double, m->z_count + 1);
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
    rig->work_invariants = ct_rig_prepared(rig, m->invariants.value);
    rig->work_invariants_slope = ct_rig_prepared(rig, m->invariants.slope);
}

ct_rig *ct_rig_new(const ct_machine *m, const double *value)
{
    ct_arena *arena = ct_arena_new(m->ctx);
    ct_rig *rig = CT_NEW(arena, ct_rig);
    *rig = (ct_rig){.machine = m, .arena = arena};
    double *own = CT_NEW_ARRAY(arena, double, m->model->quantity_count + 1);
    for (uint32_t i = 0; i < m->model->quantity_count; i++)
        own[i] = value ? value[i] : m->model->quantity_value[i];
    rig->value = own;
    if (!take_parameters(rig) || !check_pivots(rig) || !check_inertias(rig)) {
        ct_arena_free(arena);
        return NULL;
    }
    take_memory(rig);
    ct_set_discretes(rig);
    ct_rig_take_breaks(rig);
    rig->jumping = ct_jumping_new(rig);
    rig->affine = ct_affine_form_new(rig);
    rig->acting = ct_acting_new(rig);
    rig->lookouts = ct_lookouts_new(rig);
    rig->variants = ct_variants_new(rig);
    set_problems(rig);
    return rig;
}

void ct_rig_free(ct_rig *rig)
{
    if (rig)
        ct_arena_free(rig->arena);
}

/* ---- at rest */

static void evaluate_rest(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_program_run(rig->rest_bundle->value, rig->variable, fg, rig->work_rest);
    spoil(rig, fg);
}

static void slope_rest(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    set_point(rig, t, z);
    ct_program_run(rig->rest_bundle->slope, rig->variable, value, rig->work_rest_slope);
}

const ct_problem *ct_rig_rest(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    if (!m->rest)
        return &rig->free;
    if (rig->rest_bundle)
        return &rig->rest;
    ct_bundle *bundle = CT_NEW(rig->arena, ct_bundle);
    if (!ct_machine_bundle(m, m->rest, size, m->z, size, m->z_count, bundle))
        return NULL;
    rig->rest_bundle = bundle;
    rig->work_rest = ct_rig_prepared(rig, bundle->value);
    rig->work_rest_slope = ct_rig_prepared(rig, bundle->slope);
    rig->rest = rig->free;
    rig->rest.evaluate = evaluate_rest;
    rig->rest.jacobian = slope_rest;
    rig->rest.pattern = NULL;
    rig->rest.start = bundle->jacobian->start;
    rig->rest.row = bundle->jacobian->row;
    rig->rest.lift = ct_rig_lift_rest;
    return &rig->rest;
}

void ct_rig_rest_columns(ct_rig *rig, double t, const double *z, double *column)
{
    const ct_machine *m = rig->machine;
    const ct_program *program =
        m->rest_column ? ct_machine_program(m, m->rest_column, m->column_count, m->known) : NULL;
    if (!program) {
        ct_rig_columns(rig, t, z, column);
        return;
    }
    set_point(rig, rig->held.next_break ? right_side(rig, t) : t, z);
    ct_program_run(program, rig->variable, column, ct_rig_prepared(rig, program));
}

void ct_rig_columns(ct_rig *rig, double t, const double *z, double *column)
{
    set_point(rig, rig->held.next_break ? right_side(rig, t) : t, z);
    if (!ct_variant_columns(rig, column))
        ct_program_run(rig->machine->columns, rig->variable, column, rig->work_columns);
}

void ct_rig_watch(ct_rig *rig, double t, const double *z, double *value)
{
    set_point(rig, t, z);
    ct_program_run(rig->machine->watching, rig->variable, value, rig->work_watch);
}

void ct_rig_add_roots(ct_rig *rig, uint32_t count,
                      void (*extra)(void *user, double t, const double *z, double *value),
                      void *user)
{
    const ct_events *c = &rig->machine->events;
    uint32_t all = c->root.count + count + (ct_acting_blows(rig) != NULL);
    bool *watched = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    bool *soft = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    bool *ends = CT_NEW_ARRAY(rig->arena, bool, all + 1);
    for (uint32_t i = 0; i < all; i++) {
        const ct_event *e = i < c->root.count ? &c->root.at[i] : NULL;
        watched[i] = e && e->kind == CT_EVENT_KINK;
        soft[i] = e && e->soft;
        ends[i] = !watched[i];
    }
    rig->extra = extra;
    rig->extra_user = user;
    rig->extra_count = count;
    rig->variants = NULL; /* what switches ideally does not slide */
    rig->held.act = rig->acting ? ct_act_now : NULL;
    rig->held.root_count = all;
    rig->held.roots = roots;
    rig->held.hold = hold;
    rig->held.watched = watched;
    rig->held.soft = soft;
    rig->held.ends = ends;
}

/* machine.c - from a reduced system to programs. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "simulate/act.h"
#include "simulate/holding.h"
#include "simulate/jump.h"

/* ---- expressions */

bool ct_machine_express(ct_machine *m, ct_expr e, ct_place place, ct_expr_list *list)
{
    ct_expr over_states = ct_reduced_express(m->reduced, e, place);
    CT_PUSH(m->arena, *list, over_states);
    return over_states != 0;
}

/* Columns with forces in them, before they are driven. */
static bool list_pushed_columns(ct_machine *m, const ct_expr *column, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= ct_reads_pushes(m->driven, column[i]);
    if (!any)
        return true;
    ct_expr *own = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    memcpy(own, column, count * sizeof *own);
    m->column_pushed = own;
    return ct_drive_pushed(m->driven, own, count);
}

/* Outputs, or all states when the model names none; then curves and what they are drawn over. */
static bool list_columns(ct_machine *m)
{
    const ct_model *model = m->model;
    ct_expr_list list = {0};
    bool good = true;
    for (uint32_t i = 0; i < model->output_count; i++)
        good &= ct_machine_express(m, model->output[i].expr, model->output[i].place, &list);
    for (uint32_t i = 0; !model->output_count && i < m->n; i++)
        CT_PUSH(m->arena, list, ct_expr_symbol(m->pool, m->z[i]));
    m->output_count = list.count;
    for (uint32_t i = 0; i < model->curve_count; i++) {
        good &= ct_machine_express(m, model->curve[i].expr, (ct_place){0}, &list);
        if (model->curve[i].over)
            good &= ct_machine_express(m, model->curve[i].over, (ct_place){0}, &list);
    }
    if (m->drawn)
        good &= ct_list_drawn(m, &list);
    m->column = list.at;
    m->column_count = list.count;
    m->rest_column = good ? ct_drive_still(m->driven, list.at, list.count, false) : NULL;
    good = good && list_pushed_columns(m, list.at, list.count);
    good = good && ct_drive_all(m->driven, list.at, list.count);
    m->rest_column = ct_unless_same(m->rest_column, list.at, list.count);
    return good;
}

/* ---- initial values */

static bool list_starts(ct_machine *m)
{
    ct_expr_list variable = {0}, value = {0};
    bool good = true;
    for (uint32_t i = 0; i < m->model->start_count; i++) {
        const ct_start *s = &m->model->start[i];
        good &= ct_machine_express(m, s->variable, s->place, &variable);
        good &= ct_machine_express(m, s->value, s->place, &value);
    }
    good = good && ct_add_storage(m, &variable, &value);
    m->start = variable.at;
    m->start_value = value.at;
    m->start_count = variable.count;
    return good && ct_drive_all(m->driven, variable.at, variable.count) &&
           ct_drive_all(m->driven, value.at, value.count);
}

static bool list_invariants(ct_machine *m)
{
    const ct_reduced *r = m->reduced;
    ct_expr_list list = {0};
    bool good = true;
    bool *speed = CT_NEW_ARRAY(m->arena, bool, r->invariant_count + 1),
         *speed_state = CT_NEW_ARRAY(m->arena, bool, m->n + 1);
    for (uint32_t i = 0; i < r->invariant_count; i++) {
        good &= ct_machine_express(m, r->invariant[i].expr, r->invariant[i].place, &list);
        speed[i] = r->invariant[i].speed;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        const ct_unknown_row *u = &r->system->unknown[r->state[i]];
        speed_state[i] = !u->coordinate && u->kind != CT_UNKNOWN_POSITION;
    }
    m->invariant = list.at;
    m->invariant_count = list.count;
    m->speed_invariant = speed;
    m->speed_state = speed_state;
    return good && ct_drive_all(m->driven, list.at, list.count);
}

/* ---- parameters */

/* Divisors of parameters alone can be checked once; the others show when they vanish. */
static void list_pivots(ct_machine *m)
{
    const ct_reduced *r = m->reduced;
    ct_expr_list list = {0};
    for (uint32_t i = 0; i < r->pivot_count; i++) {
        ct_expr pivot = r->pivot[i];
        ct_name_list symbols = ct_symbols_of(m->pool, m->arena, &pivot, 1);
        bool constant = true;
        for (uint32_t k = 0; k < symbols.count && constant; k++) {
            uint32_t q = ct_map_get(m->model->quantity_by_name, symbols.at[k]);
            constant = q && m->model->quantity[q - 1].kind == CT_PARAM;
        }
        if (constant)
            CT_PUSH(m->arena, list, pivot);
    }
    m->pivot = list.at;
    m->pivot_count = list.count;
}

/* An impulse of an event that nothing takes up. */
static bool report_lost_push(const ct_machine *m, ct_expr stranger)
{
    const ct_model *model = m->model;
    bool symbol = stranger && ct_expr_kind_of(m->pool, stranger) == CT_EXPR_SYMBOL;
    for (uint32_t i = 0; i < model->happening_count && symbol; i++)
        for (uint32_t k = 0; k < model->happening[i].assigned_count; k++) {
            const ct_happening *h = &model->happening[i];
            ct_expr target = h->assigned[k].target;
            ct_name name = target ? ct_expr_name(model->pool, target) : 0;
            if (!name || ct_push_symbol(m->ctx, name) != ct_expr_name(m->pool, stranger))
                continue;
            const char *what = ct_name_text(m->ctx, name);
            ct_report *r = ct_error(m->ctx, "E574", h->place,
                                    "`%s`: the impulse that sets %s has no size", h->label, what);
            ct_note(r,
                    "it meets something that stores nothing: a node without mass, capacitance ..");
            ct_help(r, "give what it meets a mass, or set something else");
            ct_witness(r, what);
            return true;
        }
    return false;
}

void ct_report_stranger(const ct_machine *m, ct_expr stranger)
{
    if (report_lost_push(m, stranger))
        return;
    ct_text text = ct_text_new(m->ctx->base);
    if (stranger)
        ct_expr_put(m->pool, &text, stranger);
    ct_report *r = ct_error(m->ctx, "E530", (ct_place){0}, "%s cannot be computed in a run",
                            text.length < 200 ? ct_text_string(&text) : "an expression");
    uint32_t order = 0;
    bool symbol = stranger && ct_expr_kind_of(m->pool, stranger) == CT_EXPR_SYMBOL;
    if (symbol && ct_model_moves(m->model, ct_expr_name(m->pool, stranger))) {
        ct_name of = ct_base_symbol(m->model->symbols, ct_expr_name(m->pool, stranger), &order);
        ct_note(r, "`%s` is delayed, and no rate of the past is kept", ct_name_text(m->ctx, of));
        ct_help(r, "put a resistance or the like between its source and what stores");
        ct_witness(r, ct_name_text(m->ctx, of));
        return;
    }
    ct_help(r, "a run knows states, parameters, inputs and time");
}

/* All that is computed besides rates and residuals. */
static void list_parameters(const ct_machine *m, ct_driven *driven)
{
    ct_expr_list all = {0};
    const struct {
        const ct_expr *e;
        uint32_t count;
    } lists[] = {{m->column, m->column_count},
                 {m->start, m->start_count},
                 {m->start_value, m->start_count},
                 {m->invariant, m->invariant_count},
                 {m->pivot, m->pivot_count},
                 {m->watch, m->model->watch_count},
                 {m->jumps ? m->jumps->expr : NULL, m->jumps ? m->jumps->expr_count : 0}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (uint32_t i = 0; i < lists[k].count; i++)
            CT_PUSH(m->arena, all, lists[k].e[i]);
    ct_list_parameters(driven, all.at, all.count);
    CT_DROP(m->arena, all);
}

/* ---- programs */

/* Expressions of equal value share a node, and that node may hold a symbol on which the value does
 * not depend: (x + u) - u. Its own value stands for it where that is known; else any number will
 * do: 0 cancels without rounding, but x*u/u wants another. */
static bool is_ghost(const ct_machine *m, const ct_expr *e, uint32_t count, ct_name name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!e[i] || !ct_expr_has(m->pool, e[i], name))
            continue;
        ct_expr slope = ct_expr_diff(m->pool, e[i], name);
        if (!slope || !ct_expr_is_zero(m->pool, slope))
            return false;
    }
    return true;
}

/* Symbols that are neither parameters nor among the first variables of z, and do not matter. */
static ct_name_list list_ghosts(const ct_machine *m, const ct_expr *e, uint32_t count,
                                uint32_t variables)
{
    ct_name_list symbols = ct_symbols_of(m->pool, m->arena, e, count), ghosts = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t z = ct_map_get(&m->z_index, symbols.at[i]);
        bool known = ct_map_get(&m->parameter_index, symbols.at[i]) || (z && z <= variables);
        if (!known && is_ghost(m, e, count, symbols.at[i]))
            CT_PUSH(m->arena, ghosts, symbols.at[i]);
    }
    CT_DROP(m->arena, symbols);
    return ghosts;
}

/* Between 1 and 2, another for each name. */
static double some_number(ct_name name)
{
    return 1 + (double)(ct_hash_mix(17, name) >> 11) * 0x1p-53;
}

static double with_zero_ghosts(const void *ghosts, ct_name name)
{
    return ct_map_get(ghosts, name) ? 0 : some_number(name);
}

/* Do the expressions have values when all ghosts are zero? */
static bool stand_zeros(const ct_machine *m, const ct_name_list *ghosts, const ct_expr *e,
                        uint32_t count)
{
    ct_map is_ghost;
    ct_map_init(&is_ghost, m->arena);
    bool finite = true;
    for (uint32_t i = 0; i < ghosts->count; i++)
        ct_map_put(&is_ghost, ghosts->at[i], 1);
    for (uint32_t i = 0; ghosts->count && i < count && finite; i++)
        finite = !e[i] || isfinite(ct_expr_value(m->pool, e[i], with_zero_ghosts, &is_ghost));
    return finite;
}

ct_expr ct_machine_ghost(const ct_machine *m, ct_name symbol, uint32_t variables)
{
    ct_expr value = variables > m->n + m->m ? ct_map_get(&m->ghost_value, symbol) : 0;
    return value ? value : ct_expr_int(m->pool, 0);
}

ct_program_def ct_machine_def(const ct_machine *m, const ct_expr *e, uint32_t count,
                              uint32_t variables)
{
    ct_name_list ghosts = list_ghosts(m, e, count, variables);
    ct_expr *value = CT_NEW_ARRAY(m->arena, ct_expr, ghosts.count + 1);
    bool zeros = stand_zeros(m, &ghosts, e, count);
    for (uint32_t i = 0; i < ghosts.count; i++) {
        value[i] = ct_machine_ghost(m, ghosts.at[i], variables);
        if (!zeros && ct_expr_is_zero(m->pool, value[i]))
            value[i] = ct_expr_real(m->pool, some_number(ghosts.at[i]));
    }
    return (ct_program_def){.pool = m->pool,
                            .parameter = m->parameter,
                            .parameter_count = m->parameter_count,
                            .variable = m->z,
                            .variable_count = variables,
                            .output = e,
                            .output_count = count,
                            .ghost = ghosts.at,
                            .ghost_value = value,
                            .ghost_count = ghosts.count};
}

const ct_program *ct_machine_program(const ct_machine *m, const ct_expr *e, uint32_t count,
                                     uint32_t variables)
{
    ct_expr stranger = 0;
    ct_program_def def = ct_machine_def(m, e, count, variables);
    const ct_program *program = ct_program_new(m->arena, &def, &stranger);
    if (!program)
        ct_report_stranger(m, stranger);
    return program;
}

bool ct_machine_bundle(const ct_machine *m, const ct_expr *e, uint32_t count, const ct_name *by,
                       uint32_t by_count, uint32_t variables, ct_bundle *bundle)
{
    ct_expr culprit = 0;
    bundle->value = ct_machine_program(m, e, count, variables);
    bundle->jacobian = ct_jacobian_new(m->arena, m->pool, e, count, by, by_count, &culprit);
    if (!bundle->jacobian)
        ct_report_stranger(m, culprit);
    if (!bundle->value || !bundle->jacobian)
        return false;
    bundle->slope =
        ct_machine_program(m, bundle->jacobian->entry, bundle->jacobian->count, variables);
    return bundle->slope != NULL;
}

/* Values, Jacobian and derivatives by time in one program: what they have in common is computed
 * once. */
static bool add_whole(ct_machine *m, const ct_expr *e, ct_bundle *bundle)
{
    uint32_t size = m->n + m->m, count = size + bundle->jacobian->count;
    ct_expr culprit;
    bundle->drift = ct_jacobian_new(m->arena, m->pool, e, size, &m->time, 1, &culprit);
    if (!bundle->drift)
        return true;
    ct_expr *all = CT_NEW_ARRAY(m->arena, ct_expr, count + bundle->drift->count);
    memcpy(all, e, size * sizeof *all);
    memcpy(all + size, bundle->jacobian->entry, bundle->jacobian->count * sizeof *all);
    memcpy(all + count, bundle->drift->entry, bundle->drift->count * sizeof *all);
    bundle->whole = ct_machine_program(m, all, count + bundle->drift->count, m->z_count);
    return bundle->whole != NULL;
}

static bool equation_bundle(ct_machine *m, const ct_expr *e, bool late, ct_bundle *bundle)
{
    uint32_t size = m->n + m->m;
    if (!late)
        return ct_machine_bundle(m, e, size, m->z, size, m->z_count, bundle);
    bundle->value = ct_machine_program(m, e, size, m->z_count);
    return bundle->value != NULL;
}

static bool make_equations(ct_machine *m)
{
    uint32_t size = m->n + m->m;
    const ct_expr *kept = m->kept;
    bool late = ct_derives_late(m);
    if (!equation_bundle(m, m->fg, late, &m->free))
        return false;
    if (memcmp(kept, m->fg, size * sizeof *kept) == 0) { /* kinks of time replace nothing */
        m->held = m->free;
    } else if (!equation_bundle(m, kept, late, &m->held)) {
        return false;
    }
    return late || size > CT_SMALL_SYSTEM || add_whole(m, kept, &m->held);
}

static bool make_conditions(ct_machine *m)
{
    ct_expr_list operand = {0}, moment = {0};
    for (uint32_t i = 0; i < m->events.root.count; i++)
        CT_PUSH(m->arena, operand, m->events.root.at[i].condition);
    for (uint32_t i = 0; i < m->events.moment.count; i++) {
        CT_PUSH(m->arena, moment, m->events.moment.at[i].condition);
        CT_PUSH(m->arena, moment, m->events.moment.at[i].offset);
    }
    m->condition = operand.at;
    m->moment = moment.at;
    for (uint32_t i = 0; i < operand.count; i++)
        m->reads_forces |= ct_reads_pushes(m->driven, operand.at[i]);
    m->roots = ct_machine_program(m, operand.at, operand.count, m->forced);
    m->moments = ct_machine_program(m, moment.at, moment.count, m->known);
    return m->roots && m->moments;
}

static bool reads_unknowns(const ct_machine *m, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(m->pool, m->arena, &e, 1);
    bool found = false;
    for (uint32_t i = 0; i < symbols.count && !found; i++) {
        uint32_t z = ct_map_get(&m->z_index, symbols.at[i]);
        found = z && z <= m->n + m->m;
    }
    CT_DROP(m->arena, symbols);
    return found;
}

static bool is_plain(const ct_machine *m, ct_expr e)
{
    bool symbol = ct_expr_kind_of(m->pool, e) == CT_EXPR_SYMBOL;
    uint32_t z = symbol ? ct_map_get(&m->z_index, ct_expr_name(m->pool, e)) : 0;
    return (z && z <= m->n) || !reads_unknowns(m, e);
}

/* In what columns errors of unknowns show, on the side on which a step stays; pictures are not
 * measured. */
static void list_shown(ct_machine *m)
{
    uint32_t count = m->drawn ? m->first_drawn : m->column_count;
    bool *jumps = CT_NEW_ARRAY(m->arena, bool, count + 1);
    ct_expr *held = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    ct_expr_list list = {0};
    ct_map seen;
    ct_map_init(&seen, m->arena);
    if (count)
        memcpy(held, m->column, count * sizeof *held);
    ct_hold_jumps(m->driven, held, count);
    ct_find_jumps(m->driven, held, count, jumps);
    for (uint32_t i = 0; i < count; i++) {
        ct_expr e = held[i];
        if (jumps[i] || ct_expr_kind_of(m->pool, e) == CT_EXPR_SYMBOL || ct_map_get(&seen, e) ||
            !reads_unknowns(m, e))
            continue;
        ct_map_put(&seen, e, 1);
        CT_PUSH(m->arena, list, e);
    }
    m->shown = list.at;
    m->shown_count = list.count;
    m->plain_columns = true;
    for (uint32_t i = 0; i < m->column_count && m->plain_columns; i++)
        m->plain_columns = is_plain(m, m->column[i]);
}

static bool make_programs(ct_machine *m)
{
    if (!make_equations(m) || !make_conditions(m))
        return false;
    if (!ct_machine_bundle(m, m->invariant, m->invariant_count, m->z, m->n, m->z_count,
                           &m->invariants))
        return false;
    m->columns = ct_machine_program(m, m->column, m->column_count, m->known);
    list_shown(m);
    bool same = m->column_count && m->shown_count == m->column_count &&
                memcmp(m->shown, m->column, m->column_count * sizeof *m->column) == 0;
    m->measured = same ? m->columns : ct_machine_program(m, m->shown, m->shown_count, m->z_count);
    m->pivots = ct_machine_program(m, m->pivot, m->pivot_count, 0);
    return m->columns && m->measured && m->pivots && ct_make_jumps(m) && ct_make_acts(m) &&
           ct_make_watches(m) && ct_make_angles(m);
}

/* What is read often of the driven equations; of open ones what is known by now. */
static void take_driven(ct_machine *m, const ct_driven *d)
{
    m->driven = d;
    m->time = d->time;
    m->n = d->n, m->m = d->m;
    m->z = d->z, m->z_count = d->z_count, m->forced = d->forced, m->z_index = d->z_index;
    m->fg = d->fg, m->kept = d->kept, m->rest = d->rest, m->charge = d->charge;
    m->balance = d->balance, m->rest_balance = d->rest_balance;
    m->parameter = d->parameter, m->parameter_count = d->parameter_count;
    m->parameter_index = d->parameter_index, m->ghost_value = d->ghost_value;
    m->events = d->events;
    m->known = d->known;
}

/* All that is read of the equations besides. */
static bool list_all(ct_machine *m, ct_driven *driven)
{
    if (!list_columns(m) || !list_starts(m) || !list_invariants(m) || !ct_list_stored(m) ||
        !ct_list_jumps(m) || !ct_list_watched(m, driven))
        return false;
    list_pivots(m);
    list_parameters(m, driven);
    ct_add_jump_events(m, driven);
    return true;
}

/* NULL after reporting. */
static ct_machine *open_machine(const ct_equations *equations, ct_driven *driven, bool drawn)
{
    const ct_model *model = equations->model;
    ct_arena *arena = ct_arena_new(model->ctx);
    ct_machine *m = CT_NEW(arena, ct_machine);
    *m = (ct_machine){.ctx = model->ctx,
                      .arena = arena,
                      .pool = model->pool,
                      .model = model,
                      .equations = equations,
                      .reduced = driven->reduced,
                      .drawn = drawn && equations->reduced->system->mechanics,
                      .seconds = -ct_wall_clock()};
    take_driven(m, driven);
    return list_all(m, driven) ? m : NULL;
}

static ct_machine *compile(ct_machine *m)
{
    assert(m->driven->closed); /* events and what is read are listed */
    take_driven(m, m->driven);
    if (!make_programs(m))
        return NULL;
    ct_pool_rest(m->pool);
    m->seconds += ct_wall_clock();
    return m;
}

ct_machine *ct_machine_new(const ct_equations *equations)
{
    ct_driven *driven = ct_driven_new(equations);
    ct_machine *m = driven ? open_machine(equations, driven, false) : NULL;
    if (!m)
        return NULL;
    ct_driven_close(driven);
    return compile(m);
}

typedef struct reading {
    bool drawn;
    ct_machine *made;
} reading;

static bool read_equations(const ct_equations *draft, ct_driven *driven, void *user, bool *keep)
{
    reading *r = user;
    r->made = open_machine(draft, driven, r->drawn);
    *keep = r->made && ct_keeps_bodies(r->made);
    return r->made != NULL;
}

ct_machine *ct_machine_of_tree(const ct_tree *tree, ct_form form, bool drawn)
{
    reading r = {.drawn = drawn};
    return ct_equations_read(tree, form, (ct_reader){read_equations, &r}) ? compile(r.made) : NULL;
}

void ct_machine_dump(const ct_machine *m, ct_text *out)
{
    ct_events_dump(m->pool, &m->events, out);
    ct_acts_dump(m->driven, out);
    ct_putf(out, "program of %u rates and %u residuals\n", m->n, m->m);
    ct_program_dump(m->free.value, out);
    ct_putf(out, "program of %u outputs and %u other columns\n", m->output_count,
            m->column_count - m->output_count);
    ct_program_dump(m->columns, out);
}

/* ---- names for messages */

const char *ct_machine_variable(const ct_machine *m, uint32_t z)
{
    return z < m->n + m->m ? ct_name_text(m->ctx, m->z[z]) : "an unknown variable";
}

const char *ct_machine_owner(const ct_machine *m, uint32_t z, ct_place *place)
{
    *place = (ct_place){0};
    if (z >= m->n + m->m)
        return "";
    uint32_t u = z < m->n ? m->reduced->state[z] : m->reduced->algebraic[z - m->n];
    return ct_unknown_owner(m->reduced->system, u, place);
}

/* formulas.c - see formulas.h. */
#include "simulate/formulas.h"

#include <math.h>
#include <string.h>

#include "simulate/act.h"
#include "simulate/holding.h"
#include "simulate/jump.h"

/* ---- names and values */

static const ct_shown_value *list_variables(const ct_machine *m, uint32_t first, uint32_t count,
                                            const double *value, ct_arena *arena)
{
    ct_shown_value *list = CT_NEW_ARRAY(arena, ct_shown_value, count + 1);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (ct_shown_value){ct_machine_variable(m, first + i),
                                   ct_symbol_unit(m->model, m->z[first + i]), value ? value[i] : 0};
    return list;
}

static const ct_shown_value *list_parameters(const ct_rig *rig, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    ct_shown_value *list = CT_NEW_ARRAY(arena, ct_shown_value, m->parameter_count + 1);
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, m->parameter[i]);
        list[i] = (ct_shown_value){ct_name_text(m->ctx, m->parameter[i]),
                                   ct_dim_text(m->ctx->base, m->model->quantity[q - 1].dim),
                                   rig->parameter[i]};
    }
    return list;
}

static const ct_shown_value *list_outputs(const ct_machine *m, const ct_point *point,
                                          uint32_t count, ct_arena *arena)
{
    const ct_output *own = m->model->output;
    bool named = m->model->output_count;
    ct_shown_value *list = CT_NEW_ARRAY(arena, ct_shown_value, count + 1);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (ct_shown_value){named ? own[i].name : ct_machine_variable(m, i),
                                   named ? ct_dim_text(m->ctx->base, own[i].dim)
                                         : ct_symbol_unit(m->model, m->z[i]),
                                   point ? point->y[i] : 0};
    return list;
}

/* ---- expressions */

static bool derive(const ct_machine *m, const ct_expr *e, uint32_t rows, const ct_name *by,
                   uint32_t cols, const ct_jacobian **slope, ct_program_def *def)
{
    ct_expr culprit = 0;
    *slope = rows ? ct_jacobian_new(m->arena, m->pool, e, rows, by, cols, &culprit) : NULL;
    if (culprit)
        ct_report_stranger(m, culprit);
    if (*slope)
        *def = ct_machine_def(m, (*slope)->entry, (*slope)->count, m->known);
    return !rows || *slope;
}

/* Of g by w, with conditions as they stand and kept: one pattern that holds both. */
static bool derive_both(const ct_machine *m, ct_formulas *f)
{
    ct_expr culprit = 0, zero = ct_expr_int(m->pool, 0);
    const ct_jacobian *kept =
        ct_jacobian_new(m->arena, m->pool, m->kept + m->n, m->m, m->z + m->n, m->m, &culprit);
    if (!kept) {
        ct_report_stranger(m, culprit);
        return false;
    }
    const ct_jacobian *free = f->slope;
    ct_expr_list entry[2] = {{0}, {0}};
    CT_VEC(uint32_t) row = {0};
    uint32_t *start = CT_NEW_ARRAY(m->arena, uint32_t, m->m + 1);
    for (uint32_t k = 0; k < m->m; k++) {
        uint32_t a = free->start[k], b = kept->start[k];
        while (a < free->start[k + 1] || b < kept->start[k + 1]) {
            uint32_t left = a < free->start[k + 1] ? free->row[a] : UINT32_MAX,
                     right = b < kept->start[k + 1] ? kept->row[b] : UINT32_MAX;
            CT_PUSH(m->arena, row, left < right ? left : right);
            CT_PUSH(m->arena, entry[0], left <= right ? free->entry[a++] : zero);
            CT_PUSH(m->arena, entry[1], right <= left ? kept->entry[b++] : zero);
        }
        start[k + 1] = row.count;
    }
    ct_jacobian *both = CT_NEW(m->arena, ct_jacobian);
    *both = *free;
    both->start = start, both->row = row.at, both->entry = entry[0].at, both->count = row.count;
    f->slope = both;
    f->slopes = ct_machine_def(m, entry[0].at, row.count, m->known);
    f->kept_slopes = ct_machine_def(m, entry[1].at, row.count, m->z_count);
    return true;
}

/* Are jumps of what is stored exported? */
static bool has_jumps(const ct_machine *m, bool modal)
{
    return m->jumps &&
           (m->events.root.count || m->events.moment.count || m->driven->act_count || modal);
}

ct_program_def ct_forced_def(const ct_machine *m, bool modal, const ct_expr *e, uint32_t count)
{
    uint32_t pushes = m->driven->push_count, n = m->z_count;
    uint32_t between = has_jumps(m, modal) ? m->jumps->variable.count : 0;
    ct_program_def def = ct_machine_def(m, e, count, pushes ? m->forced : m->z_count);
    if (!pushes)
        return def;
    ct_name *all = CT_NEW_ARRAY(m->arena, ct_name, m->forced + between + 1);
    memcpy(all, m->z, n * sizeof *all);
    if (between)
        memcpy(all + n, m->jumps->variable.at, between * sizeof *all);
    n += between;
    all[n++] = ct_intern_text(m->ctx, "sides are kept");
    memcpy(all + n, m->driven->push, pushes * sizeof *all);
    def.variable = all;
    def.variable_count = n + pushes;
    return def;
}

static bool list_events(const ct_machine *m, ct_formulas *f)
{
    uint32_t roots = m->events.root.count;
    f->events = &m->events;
    f->conditions = ct_forced_def(m, f->modal, m->condition, roots);
    f->angles = ct_forced_def(m, f->modal, m->angles.angle.at, m->angles.angle.count);
    f->moments = ct_machine_def(m, m->moment, 2 * m->events.moment.count, m->known);
    f->holds = memcmp(m->kept, m->fg, (m->n + m->m) * sizeof *m->fg) != 0;
    f->kept = ct_machine_def(m, m->kept, m->n + m->m, m->z_count);
    return !f->holds || !m->m || derive_both(m, f);
}

static bool list_expressions(const ct_machine *m, ct_formulas *f)
{
    uint32_t all = m->known;
    f->equations = ct_machine_def(m, m->fg, m->n + m->m, all);
    f->outputs = m->column_pushed ? ct_forced_def(m, f->modal, m->column_pushed, f->output_count)
                                  : ct_machine_def(m, m->column, f->output_count, all);
    f->invariants = ct_machine_def(m, m->invariant, m->invariant_count, all);
    return derive(m, m->fg + m->n, m->m, m->z + m->n, m->m, &f->slope, &f->slopes) &&
           derive(m, m->invariant, m->invariant_count, m->z, m->n, &f->invariant_slope,
                  &f->invariant_slopes) &&
           list_events(m, f);
}

/* ---- events of the model */

static const ct_shown_value *list_discretes(const ct_rig *rig, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    const ct_driven *d = m->driven;
    ct_shown_value *list = CT_NEW_ARRAY(arena, ct_shown_value, d->discrete_count + 1);
    for (uint32_t i = 0; i < d->discrete_count; i++) {
        const ct_quantity *q = &m->model->quantity[d->discrete[i]];
        double start = rig->value[d->discrete[i]];
        list[i] = (ct_shown_value){ct_name_text(m->ctx, q->name), ct_dim_text(m->ctx->base, q->dim),
                                   isnan(start) ? 0 : start};
    }
    return list;
}

/* What exported code cannot do is refused: without it the file would be wrong without a word. */
static bool refuse_act(const ct_machine *m, const ct_act *a)
{
    if (!a->of->code)
        return false;
    ct_report *r = ct_error(m->ctx, "E556", a->of->place, "`%s`: code of the user is not exported",
                            a->of->label);
    ct_help(r, "use `cotree run`, or take the event out of the model that is exported");
    ct_witness(r, a->of->label);
    return true;
}

static void add_partial(const ct_machine *m, ct_expr_list *list, ct_expr e, uint32_t z)
{
    CT_PUSH(m->arena, *list, ct_partial(m, e, z == m->n + m->m ? m->time : m->z[z]));
}

/* By x, by t; then, if w is read, by w, and g by each of these x and t. */
static ct_expr_list list_gradient(const ct_machine *m, const ct_expr *pushed, uint32_t count,
                                  bool reads)
{
    ct_expr_list list = {0};
    uint32_t n = m->n, all = n + m->m;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < n; k++)
            add_partial(m, &list, pushed[i], k);
    for (uint32_t i = 0; i < count; i++)
        add_partial(m, &list, pushed[i], all);
    for (uint32_t i = 0; i < count && reads; i++)
        for (uint32_t k = n; k < all; k++)
            add_partial(m, &list, pushed[i], k);
    for (uint32_t k = 0; k <= n && reads; k++)
        for (uint32_t i = n; i < all; i++)
            add_partial(m, &list, m->fg[i], k < n ? k : all);
    return list;
}

static void list_pushed(const ct_machine *m, ct_formula_acts *acts)
{
    const ct_driven *d = m->driven;
    uint32_t count = d->push_count;
    ct_expr *pushed = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t k = 0; k < d->act[i].set_count; k++)
            if (d->act[i].set[k].push)
                pushed[d->act[i].set[k].push - 1] = d->act[i].set[k].variable;
    acts->push_count = count;
    acts->push_reads = ct_pushes_read_unknowns(m, pushed, count);
    ct_expr_list gradient = list_gradient(m, pushed, count, acts->push_reads);
    acts->pushed = ct_machine_def(m, pushed, count, m->known);
    acts->gradient = ct_machine_def(m, gradient.at, gradient.count, m->known);
    acts->move = ct_machine_def(m, d->push_slope, count * (m->n + m->m), m->known);
}

/* The condition that sets each push; roots of it do not count while that rests. */
static void list_masks(const ct_machine *m, ct_formula_acts *acts)
{
    const ct_driven *d = m->driven;
    uint32_t count = d->push_count, number = 0;
    uint32_t *when = CT_NEW_ARRAY(m->arena, uint32_t, count + 1);
    bool *masked = CT_NEW_ARRAY(m->arena, bool, m->events.root.count *count + 1);
    for (uint32_t i = 0; i < count; i++)
        when[i] = UINT32_MAX;
    for (uint32_t i = 0; i < d->act_count; i++) {
        const ct_act *a = &d->act[i];
        for (uint32_t k = 0; k < a->set_count && !a->of->clock; k++) {
            if (!a->set[k].push)
                continue;
            when[a->set[k].push - 1] = number;
            for (uint32_t r = 0; r < m->events.root.count; r++)
                masked[r * count + a->set[k].push - 1] |=
                    ct_expr_has(m->pool, a->condition, m->events.root.at[r].held);
        }
        number += !a->of->clock;
    }
    acts->tied = ct_pushes_are_tied(m);
    acts->push_when = when;
    acts->masked = masked;
    acts->contacts = m->acts->contacts;
    if (acts->contacts)
        acts->gap =
            ct_machine_def(m, acts->contacts->gap_expr, 2 * acts->contacts->count, m->known);
}

static bool list_acts(const ct_machine *m, ct_formulas *f)
{
    const ct_driven *d = m->driven;
    ct_expr_list truth = {0}, clock = {0};
    if (!d->act_count)
        return true;
    ct_formula_acts *acts = CT_NEW(m->arena, ct_formula_acts);
    ct_program_def *value = CT_NEW_ARRAY(m->arena, ct_program_def, d->act_count);
    *acts = (ct_formula_acts){.count = d->act_count,
                              .act = d->act,
                              .target = m->acts->state,
                              .sees = m->acts->sees,
                              .moves = m->acts->moves};
    for (uint32_t i = 0; i < d->act_count; i++) {
        const ct_act *a = &d->act[i];
        ct_expr_list list = {0};
        if (refuse_act(m, a))
            return false;
        for (uint32_t k = 0; k < a->set_count; k++)
            CT_PUSH(m->arena, list, a->set[k].value);
        value[i] = ct_forced_def(m, f->modal, list.at, list.count);
        CT_PUSH(m->arena, *(a->of->clock ? &clock : &truth), a->condition);
        if (a->of->clock)
            CT_PUSH(m->arena, clock, a->offset ? a->offset : ct_expr_int(m->pool, 0));
        acts->set_count += a->set_count;
        acts->most_sets = a->set_count > acts->most_sets ? a->set_count : acts->most_sets;
    }
    acts->when_count = truth.count;
    acts->truth = ct_machine_def(m, truth.at, truth.count, m->z_count);
    acts->clock = ct_machine_def(m, clock.at, clock.count, 0);
    acts->value = value;
    list_pushed(m, acts);
    list_masks(m, acts);
    f->acts = acts;
    return true;
}

/* ---- jumps */

static void list_jumps(const ct_machine *m, ct_formulas *f)
{
    const ct_jumps *j = m->jumps;
    if (!has_jumps(m, f->modal))
        return;
    ct_formula_jumps *jumps = CT_NEW(m->arena, ct_formula_jumps);
    *jumps = (ct_formula_jumps){.slack_count = j->count,
                                .kept_count = j->kept.count,
                                .placed_count = j->placed.count,
                                .burst_count = j->burst.count,
                                .placing = j->placing,
                                .has_kept = j->has_kept,
                                .bent = j->bent,
                                .mechanical = m->reduced->system->mechanics != NULL,
                                .kicks = j->kicks,
                                .look = ct_jump_def(m, j->before, j->missing - j->before),
                                .miss = ct_jump_def(m, j->missing, j->count),
                                .go = ct_jump_def(m, j->push, m->n + m->m),
                                .kick = ct_jump_def(m, j->kick, j->kicks ? m->n : 0),
                                .stay = ct_jump_def(m, j->level, m->m),
                                .hold = ct_jump_def(m, j->bursts, j->burst.count)};
    f->jumps = jumps;
}

static double setting(const ct_rig *rig, ct_expr own, double usual)
{
    return own ? ct_rig_value(rig, own) : usual;
}

static ct_formulas *begin(ct_rig *rig, const ct_point *point, uint32_t outputs, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    const ct_run_settings *run = &m->model->run;
    double points = setting(rig, run->points, 500);
    ct_formulas *f = CT_NEW(arena, ct_formulas);
    *f = (ct_formulas){.model = m->model,
                       .state_count = m->n,
                       .algebraic_count = m->m,
                       .parameter_count = m->parameter_count,
                       .output_count = outputs,
                       .invariant_count = m->invariant_count,
                       .state = list_variables(m, 0, m->n, point ? point->x : NULL, arena),
                       .algebraic = list_variables(m, m->n, m->m, point ? point->w : NULL, arena),
                       .parameter = list_parameters(rig, arena),
                       .output = list_outputs(m, point, outputs, arena),
                       .discrete_count = m->driven->discrete_count,
                       .memory = m->driven->memory,
                       .discrete = list_discretes(rig, arena),
                       .speed_invariant = m->speed_invariant,
                       .speed_state = m->speed_state,
                       .start = setting(rig, run->start, 0),
                       .stop = setting(rig, run->stop, NAN),
                       .points = points >= 1 && points <= 1e8 ? (uint32_t)points : 500};
    return f;
}

static ct_formulas *finish(const ct_machine *m, ct_formulas *f)
{
    if (!list_acts(m, f) || !list_expressions(m, f))
        return NULL;
    list_jumps(m, f);
    return f;
}

const ct_formulas *ct_rig_formulas(ct_rig *rig, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    double start = setting(rig, m->model->run.start, 0);
    const ct_point *point = ct_evaluate(rig, start, NULL, 0, arena);
    return point ? finish(m, begin(rig, point, m->output_count, arena)) : NULL;
}

/* ---- modes */

ct_formulas *ct_rig_mode_formulas(ct_rig *rig, const ct_point *point, bool shown, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    ct_formulas *f = begin(rig, point, shown ? m->model->output_count : 0, arena);
    f->modal = true;
    return finish(m, f);
}

bool ct_rig_mode_slopes(const ct_rig *rig, uint32_t watches, ct_mode_formulas *mode)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    if (!derive(m, m->kept, size, m->z, size, &mode->slope, &mode->slopes) ||
        !derive(m, m->watch, watches, m->z, size, &mode->by_watch, &mode->by_watches))
        return false;
    mode->slopes = ct_machine_def(m, mode->slope->entry, mode->slope->count, m->z_count);
    mode->by_watches = ct_machine_def(m, mode->by_watch->entry, mode->by_watch->count, m->z_count);
    return true;
}

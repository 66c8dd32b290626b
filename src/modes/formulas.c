/* formulas.c - all modes of a model as expressions, for exporters.
 *
 * Which modes a run can reach is not known before. All are derived where there are few; else those
 * of the run that the model asks for, and those that differ from them in one item.
 */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/formulas.h"
#include "simulate/point.h"

enum { MOST_MODES = 200, FEW = 48 };

/* ---- which modes */

static bool goes(const ct_modes *all, const uint8_t *mode, uint8_t way)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++)
        any |= mode[i] == way;
    return any;
}

static const ct_law *law_of(const ct_modes *all, uint32_t item)
{
    const ct_model *m = all->model;
    const ct_mode_item *i = &all->item[item];
    return &m->element[m->component[i->component].element]->law[i->law];
}

/* Items below a branch that is not taken go the first way. */
static void normalise(const ct_modes *all, uint8_t *way)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (!ct_item_stands(all->item, i, way))
            way[i] = 0;
}

/* What sticks holds nothing against impulses of events. */
static void add_loose(ct_modes *all, const uint8_t *way, uint8_t *loose)
{
    bool any = false;
    memcpy(loose, way, all->count);
    for (uint32_t i = 0; i < all->count && all->model->happening_count; i++)
        if (all->item[i].kind == CT_LAW_SLIP && way[i] == CT_WAY_FIRST &&
            ct_item_stands(all->item, i, way)) {
            loose[i] = CT_WAY_LOOSE;
            any = true;
        }
    if (any)
        ct_mode_find(all, loose, false);
}

/* The mode, and what chooses from it: with all gaps closed, and with those that it keeps closed. */
static void add_mode(ct_modes *all, uint8_t *way, uint8_t *wave)
{
    normalise(all, way);
    ct_mode_find(all, way, false);
    add_loose(all, way, wave);
    for (int near = 0; near < 2; near++) {
        for (uint32_t i = 0; i < all->count; i++)
            all->choice.touch[i] = near || way[i] == CT_WAY_FIRST;
        if (ct_choice_free(&all->choice, way, wave))
            ct_mode_find(all, wave, false);
    }
}

static uint8_t ways_of(const ct_modes *all, uint32_t item)
{
    return all->item[item].kind == CT_LAW_SLIP || all->item[item].returns ? 3 : 2;
}

static uint8_t way_at(const ct_modes *all, uint32_t item, uint32_t number)
{
    return number == 2 && all->item[item].kind == CT_LAW_PAIR ? CT_WAY_BACK : (uint8_t)number;
}

/* How many combinations, up to the limit. */
static uint32_t combinations(const ct_modes *all)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < all->count && count <= FEW; i++)
        count *= ways_of(all, i);
    return count;
}

static void add_all(ct_modes *all, uint8_t *way, uint8_t *wave, uint32_t count)
{
    for (uint32_t number = 0; number < count; number++) {
        uint32_t rest = number;
        for (uint32_t i = 0; i < all->count; i++) {
            way[i] = way_at(all, i, rest % ways_of(all, i));
            rest /= ways_of(all, i);
        }
        add_mode(all, way, wave);
    }
}

static void add_near(ct_modes *all, uint8_t *way, uint8_t *wave)
{
    uint32_t reached = all->mode.count;
    for (uint32_t k = 0; k < reached; k++)
        for (uint32_t i = 0; i < all->count && !goes(all, all->mode.at[k]->way, CT_WAY_FREE); i++)
            for (uint8_t to = 0; to < ways_of(all, i) && all->mode.count < MOST_MODES; to++) {
                memcpy(way, all->mode.at[k]->way, all->count);
                if (way[i] == way_at(all, i, to) || !ct_item_stands(all->item, i, way))
                    continue;
                way[i] = way_at(all, i, to);
                add_mode(all, way, wave);
            }
}

/* A run that fails on its way has reached some, too. */
static bool reach(ct_modes *all, double stop, ct_arena *arena)
{
    uint32_t reports = ct_reports_so_far(all->ctx);
    ct_simulation_def def = ct_default_simulation_def();
    def.points = 1;
    def.stop = stop;
    if (!ct_modes_run(all, &def, arena))
        return false;
    ct_forget_reports_since(all->ctx, reports);
    uint8_t *way = CT_NEW_ARRAY(arena, uint8_t, all->count + 1),
            *wave = CT_NEW_ARRAY(arena, uint8_t, all->count + 1);
    uint32_t count = combinations(all);
    if (count <= FEW)
        add_all(all, way, wave, count);
    else
        add_near(all, way, wave);
    return true;
}

/* ---- the start */

static bool begin(ct_modes *all, double t)
{
    for (uint32_t i = 0; i < all->mode.count; i++)
        if (!all->mode.at[i]->failed && !ct_mode_complete(all->mode.at[i]))
            return false;
    memset(all->choice.scale, 0, CT_WATCHES * all->count * sizeof *all->choice.scale);
    if (all->record.count)
        memset(all->largest, 0, all->record.count * sizeof *all->largest);
    return ct_modes_start(all, t, t, NULL, 0);
}

/* ---- lists */

static const uint32_t *records_of(const ct_regime *mode, ct_arena *arena)
{
    const ct_machine *m = mode->machine;
    uint32_t *list = CT_NEW_ARRAY(arena, uint32_t, m->n + m->m + 1);
    for (uint32_t i = 0; i < m->n; i++)
        list[i] = mode->state_record[i];
    for (uint32_t i = m->n; i < m->n + m->m; i++)
        list[i] = ct_map_get(&mode->all->record_index, m->z[i]) - 1; /* 0: none */
    return list;
}

typedef struct parameters {
    ct_map index;
    CT_VEC(ct_shown_value) list;
} parameters;

/* Modes read some of all parameters each. */
static const uint32_t *number_parameters(const ct_machine *m, const ct_formulas *f, parameters *all,
                                         ct_arena *arena)
{
    uint32_t *number = CT_NEW_ARRAY(arena, uint32_t, f->parameter_count + 1);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        if (!ct_map_get(&all->index, m->parameter[i])) {
            CT_PUSH(arena, all->list, f->parameter[i]);
            ct_map_put(&all->index, m->parameter[i], all->list.count);
        }
        number[i] = ct_map_get(&all->index, m->parameter[i]) - 1;
    }
    return number;
}

static const uint32_t *sources_of(const ct_regime *wave, ct_arena *arena)
{
    uint32_t *list = CT_NEW_ARRAY(arena, uint32_t, wave->all->count + 1);
    for (uint32_t i = 0; i < wave->all->count; i++)
        list[i] = wave->way[i] == CT_WAY_FREE ? ct_mode_source(wave, i) : UINT32_MAX;
    return list;
}

/* Without outputs: what is stored, as in a run. */
static void show_stored(const ct_regime *mode, uint32_t stored, ct_formulas *f, ct_arena *arena)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    ct_shown_value *list = CT_NEW_ARRAY(arena, ct_shown_value, stored + 1);
    for (uint32_t i = 0; i < stored; i++) {
        ct_name name = ct_expr_name(all->model->pool, all->record.at[i]);
        list[i] =
            (ct_shown_value){ct_name_text(all->ctx, name), ct_symbol_unit(all->model, name), 0};
    }
    f->output = list;
    f->output_count = stored;
    f->outputs = ct_forced_def(m, true, m->watch + CT_WATCHES * all->count, stored);
}

static bool list_mode(ct_regime *mode, double t, uint32_t stored, parameters *parameter,
                      ct_arena *arena, ct_mode_formulas *out)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    bool plain = !goes(all, mode->way, CT_WAY_FREE);
    const ct_point *point =
        mode == all->now ? ct_point_new(mode->rig, t, mode->z, NULL, arena) : NULL;
    *out = (ct_mode_formulas){.way = mode->way, .used = mode->used, .used_count = mode->used_count};
    if (mode->failed)
        return true;
    ct_formulas *f = ct_rig_mode_formulas(mode->rig, point, plain, arena);
    if (!f)
        return false;
    if (plain && stored)
        show_stored(mode, stored, f, arena);
    out->f = f;
    out->record = records_of(mode, arena);
    out->kept_record = mode->kept_record;
    out->parameter = number_parameters(m, out->f, parameter, arena);
    out->watch = ct_forced_def(m, true, m->watch, m->model->watch_count);
    if (plain)
        return true;
    out->source = sources_of(mode, arena);
    return ct_rig_mode_slopes(mode->rig, CT_WATCHES * all->count, out);
}

/* That of what an item has after an impact, + 1. */
static uint32_t discrete_of(const ct_modes *all, uint32_t item)
{
    const ct_driven *d = all->now->machine->driven;
    ct_expr own =
        ct_component_instance(all->model, all->item[item].component, law_of(all, item)->hold);
    for (uint32_t i = 0; i < d->discrete_count; i++)
        if (d->model->quantity[d->discrete[i]].name == ct_expr_name(all->model->pool, own))
            return i + 1;
    return 0;
}

static void list_items(const ct_modes *all, ct_modal_formulas *f, ct_arena *arena)
{
    uint32_t *returns = CT_NEW_ARRAY(arena, uint32_t, all->count + 1);
    const char **text = CT_NEW_ARRAY(arena, const char *, CT_WAYS * all->count + 1);
    for (uint32_t i = 0; i < all->count; i++) {
        returns[i] = all->item[i].returns ? discrete_of(all, i) : 0;
        for (uint8_t way = 0; way < CT_WAYS; way++)
            text[CT_WAYS * i + way] = ct_modes_way_words(all, i, way);
    }
    f->returns = returns;
    f->text = text;
}

const ct_modal_formulas *ct_modes_formulas(ct_modes *all, ct_arena *arena)
{
    const ct_run_settings *run = &all->model->run;
    double start = run->start ? ct_value_with(all->model, all->quantity, run->start) : 0;
    if (!ct_modes_start(all, start, start, NULL, 0))
        return NULL;
    uint32_t stored = all->model->output_count ? 0 : all->record.count;
    if (!reach(all, run->stop ? NAN : start + 1, arena) || !begin(all, start))
        return NULL;
    ct_mode_formulas *mode = CT_NEW_ARRAY(arena, ct_mode_formulas, all->mode.count + 1);
    ct_modal_formulas *f = CT_NEW(arena, ct_modal_formulas);
    parameters parameter = {0};
    ct_map_init(&parameter.index, arena);
    *f = (ct_modal_formulas){.model = all->model,
                             .item_count = all->count,
                             .record_count = all->record.count,
                             .mode_count = all->mode.count,
                             .item = all->item,
                             .mode = mode,
                             .scale = all->choice.scale,
                             .largest = all->largest,
                             .touch = all->choice.touch};
    for (uint32_t i = 0; i < all->mode.count; i++) {
        if (!list_mode(all->mode.at[i], start, stored, &parameter, arena, &mode[i]))
            return NULL;
        f->start_mode = all->mode.at[i] == all->now ? i : f->start_mode;
    }
    list_items(all, f, arena);
    f->parameter = parameter.list.at;
    f->parameter_count = parameter.list.count;
    return f;
}

/* start.c - the first mode, and the mode after an event. */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/point.h"

enum { MOST_ROUNDS = 100 };
static const double overlap = 1e-9; /* in SI units: what values that were typed may be off by */

ct_modes *ct_modes_new(const ct_tree *tree, const double *value, bool drawn)
{
    const ct_model *model = tree->graph->model;
    ct_arena *arena = ct_arena_new(model->ctx);
    ct_modes *all = CT_NEW(arena, ct_modes);
    *all = (ct_modes){.ctx = model->ctx,
                      .arena = arena,
                      .model = model,
                      .tree = tree,
                      .quantity = value,
                      .drawn = drawn,
                      .shadows = ct_shadows_new(model),
                      .impulses = ct_impulses_new(arena)};
    all->item = ct_shadow_items(all->shadows, &all->count);
    all->refused = CT_NEW_ARRAY(arena, bool, tree->graph->scalar_edge_count + 1);
    all->broken = CT_NEW_ARRAY(arena, uint8_t, all->count + 1);
    all->way = CT_NEW_ARRAY(arena, uint8_t, all->count + 1);
    all->choice = (ct_chooser){.ask = &ct_modes_calls,
                               .user = all,
                               .item = all->item,
                               .count = all->count,
                               .mechanism = model->mechanism != NULL,
                               .span = 1,
                               .scale = CT_NEW_ARRAY(arena, double, CT_WATCHES * all->count + 1),
                               .calm = CT_NEW_ARRAY(arena, double, all->count + 1),
                               .flipped = CT_NEW_ARRAY(arena, double, all->count + 1),
                               .touch = CT_NEW_ARRAY(arena, double, all->count + 1),
                               .way = CT_NEW_ARRAY(arena, uint8_t, all->count + 1),
                               .found = CT_NEW_ARRAY(arena, uint8_t, all->count + 1)};
    ct_map_init(&all->record_index, arena);
    ct_bounce_open(all);
    return all;
}

void ct_modes_free(ct_modes *all)
{
    for (uint32_t i = 0; all && i < all->mode.count; i++)
        ct_rig_free(all->mode.at[i]->rig), ct_rig_free(all->mode.at[i]->spare);
    if (all)
        ct_arena_free(all->arena);
}

/* ---- the start */

/* All items that stand are free, but for IFs. */
static void free_ways(ct_modes *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (!ct_item_stands(all->item, i, all->way))
            all->way[i] = 0;
        else if (all->item[i].kind != CT_LAW_IF)
            all->way[i] = CT_WAY_FREE;
}

typedef struct at_time {
    const ct_modes *all;
    double t;
    uint32_t depth;
} at_time;

/* Values of parameters, time and inputs; NaN: of anything else. */
static double look_up(const void *user, ct_name symbol)
{
    enum { DEEPEST = 50 };
    const at_time *at = user;
    const ct_model *m = at->all->model;
    uint32_t index = ct_map_get(m->quantity_by_name, symbol);
    const ct_quantity *q = index ? &m->quantity[index - 1] : NULL;
    if (symbol == ct_intern_text(m->ctx, "t"))
        return at->t;
    if (!q || (q->kind == CT_INPUT && !q->value) || at->depth > DEEPEST)
        return q && q->kind == CT_INPUT ? 0 : NAN;
    if (q->kind != CT_INPUT)
        return at->all->quantity[index - 1];
    at_time below = {at->all, at->t, at->depth + 1};
    return ct_expr_value(m->pool, q->value, look_up, &below);
}

/* A condition that reads nothing but these: is it true? Any other one is taken for false. */
static bool is_true_at(const ct_modes *all, uint32_t item, double t)
{
    const ct_model *m = all->model;
    const ct_mode_item *i = &all->item[item];
    at_time at = {all, t, 0};
    ct_expr a = ct_component_instance(
        m, i->component, m->element[m->component[i->component].element]->law[i->law].a);
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(m->pool, a, &symbol);
    for (uint32_t k = 0; k < count; k++)
        if (isnan(look_up(&at, symbol[k])))
            return false;
    return ct_expr_value(m->pool, a, look_up, &at) != 0;
}

/* Before the start what may switch is a resistance. */
static bool find_start(ct_modes *all, double t, const ct_state_value *given, uint32_t count)
{
    for (uint32_t i = 0; i < all->count; i++)
        all->way[i] = all->item[i].kind == CT_LAW_IF && !is_true_at(all, i, t) ? CT_WAY_SECOND : 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        free_ways(all);
        all->from = ct_mode_need(all, all->way, t);
        if (!all->from || !ct_begin_at(all->from->rig, t, given, count, all->arena, all->from->z) ||
            !ct_mode_complete(all->from))
            return false;
        if (!ct_mode_conditions(all->from, t, all->way))
            break;
    }
    if (!ct_modes_go_from(all->from, t))
        return false;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->way[i] == CT_WAY_FREE)
            all->way[i] = 0;
    return true;
}

/* ---- events */

void ct_modes_report_loop(ct_modes *all, double t)
{
    ct_place place = {0};
    if (all->choice.left != UINT32_MAX &&
        ct_modes_report_broken(all, all->now ? all->now->way : all->way, all->choice.left / 2, t))
        return;
    for (uint32_t i = all->count; i-- > 0 && all->now;)
        if (all->now->way[i] != all->way[i])
            place = all->model->component[all->item[i].component].place;
    ct_report *e = ct_error(all->ctx, "E547", place, "modes change without end at t = %.9g s",
                            ct_mode_told(all, t));
    for (uint32_t i = 0; i < all->count && all->now; i++)
        if (all->now->way[i] != all->way[i])
            ct_witness(e,
                       ct_name_text(all->ctx, all->model->component[all->item[i].component].name));
    ct_note(e, "what switches changes what makes it switch back, in no time");
    ct_help(e, "give the condition a hysteresis, or a delay");
}

/* Nothing starts inside of what it cannot enter. */
static bool check_gaps(const ct_modes *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        double gap = all->from->watch[CT_WATCHES * i + CT_WATCH_GAP];
        if (!all->item[i].gap || !(gap < -overlap) || !ct_item_stands(all->item, i, all->from->way))
            continue;
        const ct_component *c = &all->model->component[all->item[i].component];
        const char *name = ct_name_text(all->ctx, c->name);
        ct_report *r =
            ct_error(all->ctx, "E576", c->place, "%s starts %.6g beyond its stop", name, -gap);
        ct_note(r, "what it keeps apart is in each other, and no force of it would part them");
        ct_help(r, "give start values for which its gap is zero or more");
        ct_witness(r, name);
        return false;
    }
    return true;
}

bool ct_modes_start(ct_modes *all, double t, double after, const ct_state_value *given,
                    uint32_t count)
{
    ct_bounce_begin(all);
    all->now = NULL;
    for (uint32_t i = 0; i < all->count; i++) {
        all->choice.calm[i] = 1;
        all->choice.flipped[i] = -INFINITY;
    }
    memset(all->choice.scale, 0, CT_WATCHES * all->count * sizeof *all->choice.scale);
    if (all->value_room)
        memset(all->largest, 0, all->value_room * sizeof *all->largest);
    return find_start(all, t, given, count) && check_gaps(all) && ct_modes_settle(all, t, after);
}

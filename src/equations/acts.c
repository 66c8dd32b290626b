/* acts.c - events that the model writes: conditions, clocks and what they assign, over the
 * variables of a run. */
#include "equations/driven.h"

static bool express(const ct_driven *d, ct_expr *e, ct_place place)
{
    *e = ct_reduced_express(d->reduced, *e, place);
    return *e && ct_drive_pushed(d, e, 1);
}

/* ---- impulses */

/* Is it neither a state nor a discrete? In a mode that holds it an impulse moves nothing. */
static bool is_held(const ct_driven *d, ct_name target)
{
    const ct_reduced *r = d->reduced;
    bool held = d->model->watch_count && !ct_map_get(d->model->quantity_by_name, target);
    for (uint32_t i = 0; i < r->state_count && held; i++)
        held = r->system->unknown[r->state[i]].name != target;
    return held;
}

static void add_push(ct_driven *d, ct_name target, ct_name symbol, const ct_expr *fg,
                     ct_name_list *push, ct_expr_list *slope)
{
    uint32_t first = slope->count;
    bool moves = is_held(d, target);
    for (uint32_t i = 0; i < d->n + d->m; i++) {
        ct_expr own = ct_expr_has(d->pool, fg[i], symbol) ? ct_expr_diff(d->pool, fg[i], symbol)
                                                          : ct_expr_int(d->pool, 0);
        CT_PUSH(d->arena, *slope, own);
        moves |= own && !ct_expr_is_zero(d->pool, own);
        if (!own)
            slope->at[slope->count - 1] = ct_expr_int(d->pool, 0);
    }
    if (moves)
        CT_PUSH(d->arena, *push, symbol);
    else
        slope->count = first;
}

bool ct_list_pushes_of(ct_driven *d, const ct_expr *fg)
{
    const ct_model *m = d->model;
    ct_name_list push = {0};
    ct_expr_list slope = {0};
    for (uint32_t i = 0; i < m->happening_count; i++)
        for (uint32_t k = 0; k < m->happening[i].assigned_count; k++) {
            ct_expr target = m->happening[i].assigned[k].target;
            ct_name symbol = target ? ct_push_symbol(m->ctx, ct_expr_name(m->pool, target)) : 0;
            if (!target || ct_map_get(d->driver, symbol))
                continue;
            ct_map_put(d->driver, symbol, ct_expr_int(d->pool, 0));
            add_push(d, ct_expr_name(m->pool, target), symbol, fg, &push, &slope);
        }
    d->push = push.at;
    d->push_count = push.count;
    d->push_slope = slope.at;
    return !slope.count || ct_drive_all(d, slope.at, slope.count);
}

/* ---- assignments */

static uint32_t push_of(const ct_driven *d, ct_expr target)
{
    ct_name symbol = ct_push_symbol(d->ctx, ct_expr_name(d->pool, target));
    for (uint32_t i = 0; i < d->push_count; i++)
        if (d->push[i] == symbol)
            return i + 1;
    return 0;
}

static uint32_t discrete_of(const ct_driven *d, ct_expr symbol)
{
    uint32_t z = ct_map_get(&d->z_index, ct_expr_name(d->pool, symbol));
    uint32_t first = d->n + d->m + 1;
    return z > first && z <= first + d->discrete_count ? z - first : 0;
}

/* What goes into a delay where nothing changes. */
static ct_expr at_rest(const ct_driven *d, const ct_assignment *a)
{
    ct_expr e = ct_reduced_express(d->reduced, a->value, a->place);
    const ct_expr *still = e ? ct_drive_still(d, &e, 1, false) : NULL;
    if (still)
        return *still;
    return e && ct_drive_pushed(d, &e, 1) ? e : 0;
}

static bool list_sets(ct_driven *d, const ct_happening *h, ct_act *act)
{
    ct_set *set = CT_NEW_ARRAY(d->arena, ct_set, h->assigned_count + 1);
    act->set = set;
    for (uint32_t i = 0; i < h->assigned_count; i++) {
        const ct_assignment *a = &h->assigned[i];
        if (!a->target) {
            act->why = a->why;
            continue;
        }
        ct_set *s = &set[act->set_count++];
        *s = (ct_set){.of = a,
                      .value = a->written ? a->written : a->value,
                      .discrete = discrete_of(d, a->target)};
        s->variable = a->target;
        s->push = s->discrete ? 0 : push_of(d, a->target);
        if (h->rule != CT_IMPACT_SEQUENTIAL)
            s->slope = ct_expr_diff(d->pool, a->value, ct_expr_name(d->pool, a->target));
        if (s->slope && !express(d, &s->slope, a->place))
            return false;
        if (!express(d, &s->value, a->place) ||
            (!s->discrete && !express(d, &s->variable, a->place)))
            return false;
        s->rest = h->lag ? at_rest(d, a) : 0;
        if (h->lag && !s->rest)
            return false;
        if (h->lag) /* no step may pass over a jump of what will be the past */
            ct_driven_also(d, &s->value);
    }
    return true;
}

bool ct_list_acts(ct_driven *d)
{
    const ct_model *m = d->model;
    d->act = CT_NEW_ARRAY(d->arena, ct_act, m->happening_count + 1);
    d->act_count = m->happening_count;
    for (uint32_t i = 0; i < d->act_count; i++) {
        const ct_happening *h = &m->happening[i];
        ct_act *act = &d->act[i];
        *act = (ct_act){.of = h, .condition = h->condition, .offset = h->offset};
        if (!h->clock && !express(d, &act->condition, h->place))
            return false;
        act->plain = act->condition;
        if (!h->clock)
            ct_driven_also(d, &act->condition);
        if (!list_sets(d, h, act))
            return false;
    }
    return true;
}

void ct_push_acts(const ct_driven *d, ct_expr_list *all)
{
    for (uint32_t i = 0; i < d->act_count; i++) {
        const ct_act *a = &d->act[i];
        CT_PUSH(d->arena, *all, a->condition);
        if (a->offset)
            CT_PUSH(d->arena, *all, a->offset);
        for (uint32_t k = 0; k < a->set_count; k++) {
            CT_PUSH(d->arena, *all, a->set[k].value);
            CT_PUSH(d->arena, *all, a->set[k].variable);
            if (a->set[k].rest)
                CT_PUSH(d->arena, *all, a->set[k].rest);
            if (a->set[k].slope)
                CT_PUSH(d->arena, *all, a->set[k].slope);
        }
    }
    for (uint32_t i = 0; i < d->push_count * (d->n + d->m); i++)
        CT_PUSH(d->arena, *all, d->push_slope[i]);
}

static void put_expr(ct_pool *pool, ct_text *out, const char *before, ct_expr e)
{
    ct_put(out, before);
    ct_expr_put_some(pool, out, e);
}

void ct_acts_dump(const ct_driven *d, ct_text *out)
{
    for (uint32_t i = 0; i < d->act_count; i++) {
        const ct_act *a = &d->act[i];
        put_expr(d->pool, out, a->of->clock ? "every " : "when ", a->condition);
        if (a->offset)
            put_expr(d->pool, out, " offset ", a->offset);
        ct_put(out, "\n");
        for (uint32_t k = 0; k < a->set_count; k++) {
            put_expr(d->pool, out, "  ", a->set[k].variable);
            put_expr(d->pool, out, " = ", a->set[k].value);
            ct_put(out, "\n");
        }
        if (a->why)
            ct_putf(out, "  stop = \"%s\"\n", a->why);
    }
}

/* point.c - single points of models with modes: the equations are those of the mode there. */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/point.h"

const ct_point *ct_modes_shown(const ct_modes *all, const char *method, double t, ct_arena *arena)
{
    const ct_point *p = ct_point_new(all->now->rig, t, all->now->z, method, arena);
    return ct_point_without(all->model, CT_OWN_CLOCK, p, arena);
}

const ct_point *ct_modes_at(ct_modes *all, double t, const ct_state_value *given, uint32_t count,
                            ct_arena *arena)
{
    if (!ct_modes_start(all, t, t, given, count))
        return NULL;
    return ct_modes_shown(all, NULL, t, arena);
}

/* ---- in words */

static void put_item(const ct_modes *all, uint32_t i, uint8_t way, ct_text *out)
{
    const ct_mode_item *item = &all->item[i];
    const ct_model *m = all->model;
    const ct_law *law = &m->element[m->component[item->component].element]->law[item->law];
    bool second = item->kind == CT_LAW_PAIR && way != CT_WAY_FIRST;
    bool zero = way == CT_WAY_FIRST || way == CT_WAY_LOOSE || second;
    const char *relation = zero ? "= 0" : way == CT_WAY_SECOND ? "> 0" : "< 0";
    ct_putf(out, "%s", out->length ? ", " : "");
    ct_expr_put(m->pool, out, ct_component_instance(m, item->component, second ? law->b : law->a));
    ct_putf(out, " %s", relation);
}

const char *ct_modes_item_words(const ct_modes *all, uint32_t item)
{
    return ct_modes_way_words(all, item, all->now->way[item]);
}

static void put_condition(const ct_modes *all, uint32_t i, uint8_t way, ct_text *out)
{
    const ct_mode_item *item = &all->item[i];
    const ct_model *m = all->model;
    const ct_law *law = &m->element[m->component[item->component].element]->law[item->law];
    ct_putf(out, "%s: %s", ct_name_text(all->ctx, m->component[item->component].name),
            way == CT_WAY_FIRST ? "" : "not ");
    ct_expr_put_some(m->pool, out, ct_component_instance(m, item->component, law->a));
}

const char *ct_modes_way_words(const ct_modes *all, uint32_t item, uint8_t way)
{
    ct_text text = ct_text_new(all->ctx->base);
    (all->item[item].kind == CT_LAW_IF ? put_condition : put_item)(all, item, way, &text);
    return ct_text_string(&text);
}

const char *ct_modes_words(const ct_modes *all)
{
    ct_text text = ct_text_new(all->ctx->base);
    for (uint32_t i = 0; i < all->count && text.length < 300; i++)
        if (all->item[i].kind != CT_LAW_IF && ct_item_stands(all->item, i, all->now->way))
            put_item(all, i, all->now->way[i], &text);
    return text.length ? ct_text_string(&text) : "conditions decide it";
}

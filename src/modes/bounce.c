/* bounce.c - impacts of pairs with restitution (choice/bounce.c): what is put and told of them. */
#include <math.h>

#include "modes/inside.h"
#include "simulate/act.h"

static const ct_law *law_of(const ct_modes *all, uint32_t item)
{
    const ct_model *m = all->model;
    const ct_mode_item *i = &all->item[item];
    return &m->element[m->component[i->component].element]->law[i->law];
}

void ct_bounce_open(ct_modes *all)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++)
        any |= all->item[i].returns;
    if (!any)
        return;
    ct_chooser *c = &all->choice;
    c->shift = CT_NEW_ARRAY(all->arena, double, all->count);
    c->back = CT_NEW_ARRAY(all->arena, double, all->count);
    c->series = CT_NEW_ARRAY(all->arena, double, CT_SERIES * all->count);
    c->last_hit = CT_NEW(all->arena, double);
    c->slight_hits = CT_NEW(all->arena, double);
}

void ct_bounce_begin(ct_modes *all)
{
    all->impact.count = 0;
    if (all->choice.series)
        ct_series_begin(&all->choice);
}

void ct_bounce_put(ct_regime *mode)
{
    const ct_modes *all = mode->all;
    for (uint32_t i = 0; i < all->count; i++)
        if (mode->way[i] == CT_WAY_BACK && ct_item_stands(all->item, i, mode->way)) {
            ct_expr own =
                ct_component_instance(all->model, all->item[i].component, law_of(all, i)->hold);
            ct_put_discrete(mode->rig, ct_expr_name(all->model->pool, own), all->choice.back[i]);
        }
}

void ct_bounce_hit(void *user, uint32_t item, double t, double before, bool rest)
{
    ct_modes *all = user;
    ct_impact_row row = {item, t, before, all->choice.back[item], rest};
    CT_PUSH(all->arena, all->impact, row);
}

void ct_bounce_report_restitution(const ct_modes *all)
{
    uint32_t item = all->choice.culprit;
    const ct_component *c = &all->model->component[all->item[item].component];
    const char *name = ct_name_text(all->ctx, c->name);
    double e = all->mode.at[all->choice.wave]->watch[CT_WATCHES * item + CT_WATCH_LIMIT];
    ct_report *r = ct_error(all->ctx, "E573", c->place,
                            "the restitution of %s is %.6g at t = %.9g s", name, e, all->choice.t);
    ct_note(r,
            "below 0 the two would go through each other, above 1 each impact would make energy");
    ct_help(r, "give it a value between 0 and 1");
    ct_witness(r, name);
}

void ct_bounce_report_impact(const ct_modes *all)
{
    uint32_t i = 0;
    while (!(all->choice.shift[i] < 0))
        i++;
    const ct_component *c = &all->model->component[all->item[i].component];
    const char *name = ct_name_text(all->ctx, c->name);
    ct_report *r = ct_error(all->ctx, "E574", c->place,
                            "the impact of %s at t = %.9g s has no solution", name, all->choice.t);
    ct_note(r, "what it hits can give way in no direction, or pushes back more than any impulse "
               "can: is there friction that wedges, or a part without mass?");
    ct_help(r, "let the parts that are hit have masses; or use an elastic stop (`k`)");
    ct_witness(r, name);
}

/* bounce.c - impacts of pairs with restitution: what comes towards a stop goes back from it.
 *
 * Just before, a < 0. In the impact 0 <= a+ + e a- and 0 <= impulse, one of them zero, for all
 * pairs together (Newton's rule as Moreau writes it), with what slips in the same problem: an
 * impulse of friction has the limits that the impulse of the stop gives it. The ways are found as
 * those of any mode; in the mode of the impact each pair that is hit has a = -e a-, and storage
 * jumps there as anywhere else. Endlessly many impacts in a finite time end in rest: their
 * intervals become a geometric series, and the momentum that is left is stopped at once.
 */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/act.h"
#include "simulate/jump.h"

static const double nothing = 1e-14;
static const double slow = 1e-9;      /* of the fastest so far: no impact */
static const double soon = 1e-6;      /* of time: the rest of a series of impacts */
static const double too_close = 2e-9; /* of the run: impacts that are not told apart */
static const double close = 1e-6;     /* of the run: impacts of any pairs that belong together, */
static const double slight = 1e-5;    /* of the fastest so far: slow ones, */
static const double small = 1e-3; /* of it: slow, if they become no slower: rounding feeds them */
static const double same = 1e-3;
enum { CROWD = 40 }; /* and so many of these in a row that they are at an end */
static const double same_ratio = 1e-2, early = 1e-3; /* of gaps; of the run */
static const double too_near = 1e-7;                 /* of the largest gap or speed so far */

typedef struct ct_series {
    double last, gap[3]; /* the newest gap first */
    double speed;        /* of the last approach */
} ct_series;

static const ct_law *law_of(const ct_modes *all, uint32_t item)
{
    const ct_model *m = all->model;
    const ct_mode_item *i = &all->item[item];
    return &m->element[m->component[i->component].element]->law[i->law];
}

static bool comes_back(const ct_modes *all, uint32_t item)
{
    return all->item[item].kind == CT_LAW_PAIR && law_of(all, item)->hold;
}

void ct_bounce_open(ct_modes *all)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++)
        any |= comes_back(all, i);
    if (!any)
        return;
    all->shift = CT_NEW_ARRAY(all->arena, double, all->count);
    all->hit = CT_NEW_ARRAY(all->arena, uint8_t, all->count);
    all->back = CT_NEW_ARRAY(all->arena, double, all->count);
    all->blow = CT_NEW_ARRAY(all->arena, ct_series, all->count);
}

void ct_bounce_begin(ct_modes *all)
{
    all->last_hit = -INFINITY;
    all->slight_hits = 0;
    all->impact.count = 0;
    for (uint32_t i = 0; all->blow && i < all->count; i++)
        all->blow[i] = (ct_series){-INFINITY, {INFINITY, INFINITY, INFINITY}, 0};
}

void ct_bounce_put(ct_regime *mode)
{
    const ct_modes *all = mode->all;
    for (uint32_t i = 0; i < all->count; i++)
        if (mode->way[i] == CT_WAY_BACK && ct_item_stands(all->shadows, i, mode->way)) {
            ct_expr own =
                ct_component_instance(all->model, all->item[i].component, law_of(all, i)->hold);
            ct_put_discrete(mode->rig, ct_expr_name(all->model->pool, own), all->back[i]);
        }
}

/* ---- series of impacts */

/* Equal ratios of the gaps tell when it is over; left: the time until then. */
static bool is_last(ct_modes *all, uint32_t item, double t, double *left)
{
    ct_series *b = &all->blow[item];
    b->gap[2] = b->gap[1];
    b->gap[1] = b->gap[0];
    b->gap[0] = t - b->last;
    b->last = t;
    double r = b->gap[0] / b->gap[1], before = b->gap[1] / b->gap[2];
    if (!(r < 1 && before < 1))
        return false;
    *left = b->gap[0] * r / (1 - r);
    return b->gap[0] < too_close * all->span ||
           (fabs(r - before) <= same_ratio && *left < soon * fmax(fabs(t), early * all->span));
}

/* Bodies that rock from foot to foot, or are thrown between others, have no such ratios. */
static bool is_crowd(ct_modes *all, ct_series *b, double speed, double fastest, double t)
{
    bool fed = speed <= small * fastest && speed >= (1 - same) * b->speed;
    bool one = t - all->last_hit <= close * all->span && (fed || speed <= slight * fastest);
    b->speed = speed;
    all->slight_hits = one ? all->slight_hits + 1 : 0;
    all->last_hit = t;
    return all->slight_hits > CROWD;
}

/* ---- an impact */

/* Was it closed? Then nothing comes towards it. */
static bool was_closed(const ct_modes *all, uint32_t item)
{
    return all->from && all->from->way[item] == CT_WAY_FIRST &&
           ct_item_stands(all->shadows, item, all->from->way);
}

static bool report_restitution(const ct_modes *all, uint32_t item, double e, double t)
{
    const ct_component *c = &all->model->component[all->item[item].component];
    const char *name = ct_name_text(all->ctx, c->name);
    ct_report *r = ct_error(all->ctx, "E573", c->place,
                            "the restitution of %s is %.6g at t = %.9g s", name, e, t);
    ct_note(r,
            "below 0 the two would go through each other, above 1 each impact would make energy");
    ct_help(r, "give it a value between 0 and 1");
    ct_witness(r, name);
    return false;
}

/* Pairs that are hit; false after reporting. */
static bool find_hits(ct_modes *all, ct_regime *wave, double t, bool *any)
{
    ct_rig_watch(wave->rig, t, wave->z, wave->watch);
    for (uint32_t i = 0; i < all->count; i++) {
        const double *w = wave->watch + CT_WATCHES * i;
        double a = w[CT_WATCH_A], e = w[CT_WATCH_LIMIT], left = 0;
        all->shift[i] = 0;
        if (!comes_back(all, i) || wave->way[i] != CT_WAY_FREE || was_closed(all, i))
            continue;
        double *fastest = &all->scale[CT_WATCHES * i];
        *fastest = fmax(*fastest, fabs(a));
        if (!(a < -slow * *fastest - nothing))
            continue;
        if (!(e >= 0 && e <= 1))
            return report_restitution(all, i, e, t);
        bool crowd = is_crowd(all, &all->blow[i], -a, *fastest, t);
        bool rest = e > 0 && (is_last(all, i, t, &left) || crowd);
        all->shift[i] = rest ? 0 : e * a;
        all->back[i] = rest ? 0 : -e * a;
        *any |= all->shift[i] < 0;
        ct_impact_row row = {i, rest ? t + left : t, a, all->back[i], rest};
        CT_PUSH(all->arena, all->impact, row);
    }
    return true;
}

/* Open pairs that come too near have been hit, too. */
static bool mend(const ct_modes *all, const ct_regime *mode, uint8_t *way)
{
    bool changed = false;
    for (uint32_t i = 0; i < all->count; i++) {
        bool open = all->item[i].kind == CT_LAW_PAIR && way[i] == CT_WAY_SECOND &&
                    ct_item_stands(all->shadows, i, way) && (!all->item[i].gap || all->touch[i]);
        double a = mode->watch[CT_WATCHES * i + CT_WATCH_A] + all->shift[i];
        if (open && a < -too_near * all->scale[CT_WATCHES * i] - nothing) {
            way[i] = all->shift[i] < 0 ? CT_WAY_BACK : CT_WAY_FIRST;
            changed = true;
        }
    }
    return changed;
}

/* The mode of the impact, entered; NULL: it has no equations. */
static ct_regime *hit(ct_modes *all, uint8_t *way, double before, double t)
{
    ct_regime *mode = NULL;
    for (uint32_t i = 0; i < all->count; i++)
        if (way[i] == CT_WAY_FIRST && all->shift[i] < 0)
            way[i] = CT_WAY_BACK;
    for (uint32_t round = 0; round <= all->count; round++) {
        ct_regime *next = ct_mode_find(all, way, false);
        if (!next || !ct_modes_remember(all) || ct_mode_enter(next, before, t) != CT_SOLVED)
            return mode;
        mode = next;
        ct_rig_watch(mode->rig, t, mode->z, mode->watch);
        if (!mend(all, mode, way))
            break;
    }
    return mode;
}

static bool report_impact(const ct_modes *all, double t)
{
    uint32_t i = 0;
    while (!(all->shift[i] < 0))
        i++;
    const ct_component *c = &all->model->component[all->item[i].component];
    const char *name = ct_name_text(all->ctx, c->name);
    ct_report *r = ct_error(all->ctx, "E574", c->place,
                            "the impact of %s at t = %.9g s has no solution", name, t);
    ct_note(r, "what it hits can give way in no direction, or pushes back more than any impulse "
               "can: is there friction that wedges, or a part without mass?");
    ct_help(r, "let the parts that are hit have masses; or use an elastic stop (`k`)");
    ct_witness(r, name);
    return false;
}

bool ct_modes_bounce(ct_modes *all, double *before, double t)
{
    uint8_t *way = all->hit;
    bool any = false;
    if (!ct_mode_free(all, all->way, way))
        return true;
    ct_regime *wave = ct_mode_need(all, way, t);
    if (!wave || !ct_modes_remember(all) || ct_mode_enter(wave, *before, t) != CT_SOLVED)
        return false;
    if (!find_hits(all, wave, t, &any))
        return false;
    if (!any)
        return true;
    ct_regime *mode = ct_mode_impact(all, all->way, *before, t, all->shift, way)
                          ? hit(all, way, *before, t)
                          : NULL;
    if (!mode)
        return report_impact(all, t);
    if (!ct_mode_complete(mode))
        return false;
    if (mode->rig->jumping)
        ct_forget_impulses(mode->rig); /* impacts are listed, and no accident (W532) */
    all->from = mode;
    all->from_time = *before = t;
    all->left = UINT32_MAX;
    ct_mode_leave(mode, t);
    for (uint32_t i = 0; i < all->impact.count; i++)
        if (!all->impact.at[i].rest)
            all->impact.at[i].after = mode->watch[CT_WATCHES * all->impact.at[i].item];
    return true;
}

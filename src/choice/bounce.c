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

#include "choice/choice.h"

/* ---- series of impacts */

CT_CHOICE void ct_series_begin(ct_chooser *c)
{
    *c->last_hit = -HUGE_VAL;
    *c->slight_hits = 0;
    for (uint32_t i = 0; i < CT_SERIES * c->count; i++) {
        uint32_t what = i % CT_SERIES;
        c->series[i] = what == CT_SERIES_LAST ? -HUGE_VAL : what == CT_SERIES_SPEED ? 0 : HUGE_VAL;
    }
}

/* Equal ratios of the gaps tell when it is over; left: the time until then. */
static bool ct_is_last_hit(ct_chooser *c, uint32_t item, double *left)
{
    const double soon = 1e-6;                     /* of time: the rest of a series of impacts */
    const double too_close = 2e-9;                /* of the run: impacts that are not told apart */
    const double same_ratio = 1e-2, early = 1e-3; /* of gaps; of the run */
    double *last = c->series + CT_SERIES * item, *gap = last + CT_SERIES_GAP;
    gap[2] = gap[1];
    gap[1] = gap[0];
    gap[0] = c->t - *last;
    *last = c->t;
    double r = gap[0] / gap[1], before = gap[1] / gap[2];
    if (!(r < 1 && before < 1))
        return false;
    *left = gap[0] * r / (1 - r);
    return gap[0] < too_close * c->span ||
           (fabs(r - before) <= same_ratio && *left < soon * fmax(fabs(c->t), early * c->span));
}

/* Bodies that rock from foot to foot, or are thrown between others, have no such ratios. */
static bool ct_is_crowd(ct_chooser *c, uint32_t item, double speed, double fastest)
{
    enum { CROWD = 40 };        /* so many in a row are at an end, if they */
    const double close = 1e-6;  /* of the run: belong together, */
    const double slight = 1e-5; /* of the fastest so far: are slow, */
    const double small = 1e-3;  /* or become no slower: rounding feeds them */
    const double same = 1e-3;
    double *before = c->series + CT_SERIES * item + CT_SERIES_SPEED;
    bool fed = speed <= small * fastest && speed >= (1 - same) * *before;
    bool one = c->t - *c->last_hit <= close * c->span && (fed || speed <= slight * fastest);
    *before = speed;
    *c->slight_hits = one ? *c->slight_hits + 1 : 0;
    *c->last_hit = c->t;
    return *c->slight_hits > CROWD;
}

/* ---- an impact */

/* Was it closed? Then nothing comes towards it. */
static bool ct_was_closed(const ct_chooser *c, uint32_t item)
{
    const uint8_t *from = c->ask->way_of(c->user, c->from);
    return from[item] == CT_WAY_FIRST && ct_item_stands(c->item, item, from);
}

/* A pair that is hit, faster than not at all; false: its restitution is none. */
static bool ct_take_hit(ct_chooser *c, uint32_t i, double a, double e)
{
    double left = 0;
    if (!(e >= 0 && e <= 1))
        return false;
    bool crowd = ct_is_crowd(c, i, -a, c->scale[CT_WATCHES * i]);
    bool rest = e > 0 && (ct_is_last_hit(c, i, &left) || crowd);
    c->shift[i] = rest ? 0 : e * a;
    c->back[i] = rest ? 0 : -e * a;
    if (c->ask->hit)
        c->ask->hit(c->user, i, rest ? c->t + left : c->t, a, rest);
    return true;
}

/* Pairs that are hit; false: a restitution is none. */
static bool ct_find_hits(ct_chooser *c, bool *any)
{
    const double slow = 1e-9, nothing = 1e-14; /* of the fastest so far: no impact */
    const uint8_t *wave = c->ask->way_of(c->user, c->wave);
    const double *watch = c->ask->watch(c->user, c->wave);
    for (uint32_t i = 0; i < c->count; i++) {
        const double *w = watch + CT_WATCHES * i;
        double a = w[CT_WATCH_A], *fastest = &c->scale[CT_WATCHES * i];
        c->shift[i] = 0;
        if (!c->item[i].returns || wave[i] != CT_WAY_FREE || ct_was_closed(c, i))
            continue;
        *fastest = fmax(*fastest, fabs(a));
        if (!(a < -slow * *fastest - nothing))
            continue;
        c->culprit = i;
        if (!ct_take_hit(c, i, a, w[CT_WATCH_LIMIT]))
            return false;
        *any |= c->shift[i] < 0;
    }
    return true;
}

/* Ways for which all signs are right in the impact. */
static bool ct_impact_ways(ct_chooser *c)
{
    static const double part[] = {1e-5, 1e-7, 1e-3, 1e-9};
    const double regular = 1e-6; /* resistance of what is closed, times h/tau */
    const size_t tries = 2 * sizeof part / sizeof *part;
    bool found = false;
    if (!ct_open_wave(c))
        return false;
    for (size_t i = 0; i < 2 * tries && !found; i++) {
        double h = part[i % tries / 2];
        c->desperate = i >= tries;
        found = ct_find_ways(c, h * c->l->tau, i % 2 ? regular * h : 0, c->shift);
    }
    if (found)
        ct_loosen(c);
    return found;
}

/* Open pairs that come too near have been hit, too. */
static bool ct_mend_hits(ct_chooser *c, const double *watch)
{
    const double too_near = 1e-7, nothing = 1e-14; /* of the largest gap or speed so far */
    bool changed = false;
    for (uint32_t i = 0; i < c->count; i++) {
        bool open = c->item[i].kind == CT_LAW_PAIR && c->way[i] == CT_WAY_SECOND &&
                    ct_item_stands(c->item, i, c->way) && (!c->item[i].gap || c->touch[i] != 0);
        double a = watch[CT_WATCHES * i + CT_WATCH_A] + c->shift[i];
        if (open && a < -too_near * c->scale[CT_WATCHES * i] - nothing) {
            c->way[i] = c->shift[i] < 0 ? CT_WAY_BACK : CT_WAY_FIRST;
            changed = true;
        }
    }
    return changed;
}

/* The mode of the impact, entered; UINT32_MAX: it has no equations. */
static uint32_t ct_enter_impact(ct_chooser *c)
{
    uint32_t mode = UINT32_MAX;
    bool moved;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->way[i] == CT_WAY_FIRST && c->shift[i] < 0)
            c->way[i] = CT_WAY_BACK;
    for (uint32_t round = 0; round <= c->count; round++) {
        uint32_t next = c->ask->find(c->user, c->way);
        if (next == UINT32_MAX || !c->ask->enter(c->user, next, c->before, &moved))
            return mode;
        mode = next;
        if (!ct_mend_hits(c, c->ask->watch(c->user, mode)))
            break;
    }
    return mode;
}

/* What is stored is then what it is after the impact, and `before` the time of it. */
CT_CHOICE ct_settling ct_choice_bounce(ct_chooser *c)
{
    bool any = false;
    c->missing = false;
    if (!ct_choice_free(c, c->present, c->way))
        return CT_SETTLED;
    if (!ct_choice_open(c))
        return CT_NO_WAVE;
    if (!ct_find_hits(c, &any))
        return CT_NO_BOUNCE;
    if (!any)
        return CT_SETTLED;
    uint32_t mode = ct_impact_ways(c) ? ct_enter_impact(c) : UINT32_MAX;
    if (mode == UINT32_MAX)
        return CT_NO_IMPACT;
    return c->ask->leave(c->user, mode, true) ? CT_SETTLED : CT_NOT_LEFT;
}

/* choose.c - the mode after an event: ways that are found (lines.c) are entered and looked at. */
#include <math.h>
#include <string.h>

#include "choice/choice.h"

/* ---- trying */

/* Entered, looked at. Where an impulse passes it may be wrong after it: then it held for the
 * impulse alone, and the next one is sought from there. */
static bool ct_is_right(ct_chooser *c)
{
    uint32_t mode = c->ask->find(c->user, c->way);
    c->culprit = UINT32_MAX;
    if (mode == UINT32_MAX || c->missing)
        return false;
    for (uint32_t i = 0; i < c->tried_count; i++)
        if (c->tried[i] == mode)
            return false;
    if (c->tried_count < CT_MOST_TRIED)
        c->tried[c->tried_count++] = mode;
    c->last = mode;
    if (!c->ask->enter(c->user, mode, c->before, &c->moved))
        return false;
    c->culprit = c->ask->judge(c->user, mode);
    c->worst = c->culprit != UINT32_MAX ? c->culprit : c->worst;
    return c->culprit == UINT32_MAX || c->moved;
}

/* The other way of an item, whose root is below zero. */
static void ct_flip(ct_chooser *c, uint32_t root)
{
    uint8_t *way = &c->way[root / 2];
    *way = *way != CT_WAY_FIRST ? CT_WAY_FIRST : root % 2 ? CT_WAY_THIRD : CT_WAY_SECOND;
}

/* After a flip others may have to hold. */
static void ct_hold_anew(ct_chooser *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->item[i].kind == CT_LAW_SLIP && c->way[i] == CT_WAY_LOOSE) {
            c->way[i] = CT_WAY_FIRST;
            any = true;
        }
    if (any)
        ct_loosen(c);
}

/* What is redundant shares with others by a rule that the problem does not know: where it says that
 * nothing changes, the item that ended the mode goes its other way; and so does, one after the
 * other, what is wrong in the mode that was found. */
static bool ct_is_right_at_last(ct_chooser *c)
{
    const uint8_t *from = c->ask->way_of(c->user, c->from);
    bool same = c->left != UINT32_MAX && memcmp(c->way, from, c->count) == 0;
    if (same)
        ct_flip(c, c->left);
    for (uint32_t i = 0; i <= c->count; i++) {
        if (ct_is_right(c))
            return true;
        if (c->culprit == UINT32_MAX)
            break;
        ct_flip(c, c->culprit);
        ct_hold_anew(c);
    }
    if (same)
        memcpy(c->way, from, c->count);
    return same && ct_is_right(c);
}

static bool ct_try_step(ct_chooser *c, double h, double eps)
{
    if (c->missing || !ct_find_ways(c, h, eps, NULL))
        return false;
    if (c->mechanism) {
        ct_loosen(c);
        return ct_is_right_at_last(c);
    }
    memcpy(c->found, c->way, c->count);
    if (ct_is_right_at_last(c))
        return true;
    memcpy(c->way, c->found, c->count);
    return ct_loosen(c) && ct_is_right_at_last(c);
}

static bool ct_try_steps(ct_chooser *c)
{
    static const double part[] = {1e-3, 1e-5, 1e-7, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-9};
    static const double slower[] = {1, 0.03, 30};
    const double regular = 1e-6; /* resistance of what is closed, times h/tau */
    double most = 0.1 * (c->ask->moment(c->user, c->wave) - c->t);
    for (size_t s = 0; s < sizeof slower / sizeof *slower; s++)
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
            double h = fmin(slower[s] * part[i] * c->l->tau, most);
            if (ct_try_step(c, h, 0) || ct_try_step(c, h, regular * part[i]))
                return true;
        }
    return false;
}

/* ---- the choice */

CT_CHOICE bool ct_choice_free(const ct_chooser *c, const uint8_t *present, uint8_t *way)
{
    bool any = false;
    for (uint32_t i = 0; i < c->count; i++) {
        bool choice = c->item[i].kind != CT_LAW_IF && ct_item_stands(c->item, i, present) &&
                      !(c->item[i].gap && c->touch[i] == 0);
        way[i] = choice ? CT_WAY_FREE : present[i];
        any |= choice;
    }
    return any;
}

CT_CHOICE bool ct_choice_open(ct_chooser *c)
{
    bool moved;
    c->l = NULL;
    c->wave = c->ask->need(c->user, c->way);
    return c->wave != UINT32_MAX && c->ask->enter(c->user, c->wave, c->before, &moved);
}

/* From the present ways; then from any. */
static bool ct_try_all(ct_chooser *c)
{
    if (!ct_choice_open(c) || !ct_open_wave(c))
        return false;
    for (int round = 0; round < 2; round++) {
        c->desperate = round > 0;
        if (ct_try_steps(c))
            return true;
    }
    return false;
}

CT_CHOICE bool ct_choice_choose(ct_chooser *c)
{
    c->tried_count = 0;
    c->culprit = c->worst = c->wave = UINT32_MAX;
    c->missing = c->desperate = c->moved = false;
    c->last = c->ask->known ? c->ask->known(c->user) : UINT32_MAX;
    if (c->last != UINT32_MAX)
        return true;
    return ct_choice_free(c, c->present, c->way) ? ct_try_all(c) : ct_is_right(c);
}

/* ---- after an event */

static void ct_open_gaps(const ct_chooser *c, uint8_t *way)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->item[i].gap && c->touch[i] == 0 && ct_item_stands(c->item, i, way))
            way[i] = CT_WAY_SECOND;
}

/* Conditions decide IFs, and a new mode may change conditions. */
CT_CHOICE ct_settling ct_choice_settle(ct_chooser *c, uint8_t *way)
{
    enum { MOST_ROUNDS = 100 };
    c->present = way;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        ct_open_gaps(c, way);
        ct_settling hit = c->series ? ct_choice_bounce(c) : CT_SETTLED;
        if (hit != CT_SETTLED)
            return hit;
        ct_open_gaps(c, way); /* some of what was closed may leave */
        if (!ct_choice_choose(c))
            return CT_NO_WAY;
        if (c->ask->chosen)
            c->ask->chosen(c->user, c->last, c->culprit == UINT32_MAX);
        memcpy(way, c->ask->way_of(c->user, c->last), c->count);
        c->ask->hold(c->user, c->last);
        bool changed = ct_choice_conditions(c, c->ask->watch(c->user, c->last), way);
        if (c->culprit == UINT32_MAX && !changed)
            return CT_SETTLED;
        if (!c->moved)
            continue;
        if (!c->ask->leave(c->user, c->last, false))
            return CT_NOT_LEFT;
    }
    return CT_ROUND_ABOUT;
}

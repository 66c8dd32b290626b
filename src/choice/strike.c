/* strike.c - impulses of events choose their ways through pairs.
 *
 * An impulse passes in no time, and what may go either way meanwhile is decided by it: of a pair
 * the impulse of what is free must not be negative, and what was let go must not come back. Ways
 * are tried from those of the mode, wrong ones are flipped, and the event happens anew from what
 * was before. Where no ways fit (a body that lies on its stop is thrown at it) what is let go comes
 * back: an impact of its own, which the choice of the next mode settles.
 */
#include <math.h>
#include <string.h>

#include "choice/choice.h"

/* ---- one try */

/* Friction is finite: it holds nothing against an impulse. */
static bool ct_loosen_all(const ct_chooser *c, const uint8_t *from, uint8_t *way)
{
    bool any = false;
    memcpy(way, from, c->count);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->item[i].kind == CT_LAW_SLIP && from[i] == CT_WAY_FIRST &&
            ct_item_stands(c->item, i, from)) {
            way[i] = CT_WAY_LOOSE;
            any = true;
        }
    return any;
}

static uint8_t *ct_tried(const ct_chooser *c, const ct_strike *s, uint32_t number)
{
    return s->tried + (size_t)number * c->count;
}

/* The event in the mode of these ways, from what was before; held: there is none, or nothing of it
 * can move. */
static ct_struck_by ct_try_ways(ct_chooser *c, ct_strike *s)
{
    bool moved;
    if (s->tries)
        c->ask->restore(c->user, s->mode);
    memcpy(ct_tried(c, s, s->tries++), s->way, c->count);
    s->own = s->mode;
    if (memcmp(s->way, c->ask->way_of(c->user, s->mode), c->count) != 0) {
        s->own = c->ask->find(c->user, s->way);
        if (s->own != UINT32_MAX && !c->ask->enter(c->user, s->own, c->t, &moved))
            s->own = UINT32_MAX;
    }
    s->acted = s->own == UINT32_MAX ? CT_STRIKE_HELD : c->ask->act(c->user, s->own);
    return s->acted;
}

static bool ct_was_tried(const ct_chooser *c, const ct_strike *s)
{
    for (uint32_t i = 0; i < s->tries; i++)
        if (memcmp(ct_tried(c, s, i), s->way, c->count) == 0)
            return true;
    return s->tries >= CT_MOST_STRIKES;
}

/* ---- which ways are wrong */

static bool ct_is_pair(const ct_chooser *c, const uint8_t *way, uint32_t i)
{
    return c->item[i].kind == CT_LAW_PAIR && ct_item_stands(c->item, i, way) &&
           (way[i] == CT_WAY_FIRST || way[i] == CT_WAY_SECOND);
}

static bool ct_has_struck(const ct_strike *s)
{
    return s->acted == CT_STRIKE_DONE || s->acted == CT_STRIKE_LAST;
}

/* Pairs and what sticks that an impulse leads where they do not go; item + 1 of the last one. */
static uint32_t ct_find_pulled(ct_chooser *c, ct_strike *s)
{
    const double little = 1e-9; /* of the largest impulse */
    const uint8_t *way = c->ask->way_of(c->user, s->own);
    double most = 0;
    uint32_t last = 0;
    memset(s->wrong, 0, c->count * sizeof *s->wrong);
    const double *shock = ct_has_struck(s) ? c->ask->shock(c->user, s->own) : NULL;
    for (uint32_t i = 0; i < CT_WATCHES * c->count && shock; i++)
        most = fmax(most, fabs(shock[i]));
    for (uint32_t i = 0; i < c->count && shock; i++) {
        const double *w = shock + CT_WATCHES * i;
        bool first = way[i] == CT_WAY_FIRST;
        if (ct_is_pair(c, way, i))
            s->wrong[i] = w[first ? CT_WATCH_B : CT_WATCH_A] < -little * most;
        else if (c->item[i].kind == CT_LAW_SLIP && first && ct_item_stands(c->item, i, way))
            s->wrong[i] = fabs(w[CT_WATCH_B]) > little * most;
        last = s->wrong[i] ? i + 1 : last;
    }
    return last;
}

/* Pairs that were let go for the impulse, and come back after it. */
static uint32_t ct_find_returning(ct_chooser *c, ct_strike *s)
{
    const double little = 1e-9; /* of the largest so far */
    const uint8_t *way = c->ask->way_of(c->user, s->own), *was = c->ask->way_of(c->user, s->mode);
    uint32_t last = 0;
    if (s->own == s->mode || !ct_has_struck(s))
        return 0;
    const double *watch = c->ask->watch(c->user, s->own);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t at = CT_WATCHES * i + (way[i] == CT_WAY_FIRST ? CT_WATCH_B : CT_WATCH_A);
        if (!ct_is_pair(c, way, i) || way[i] == was[i])
            continue;
        s->wrong[i] |= watch[at] < -little * fmax(c->scale[at], fabs(watch[at]));
        last = s->wrong[i] ? i + 1 : last;
    }
    return last;
}

/* ---- the search */

static void ct_turn_way(uint8_t *way, uint32_t item)
{
    way[item] = way[item] == CT_WAY_FIRST ? CT_WAY_SECOND : CT_WAY_FIRST;
}

/* What is set cannot move: some pair holds it. One after the other is let go, then all stops. */
static ct_struck_by ct_let_go(ct_chooser *c, ct_strike *s)
{
    const uint8_t *from = ct_tried(c, s, s->begin);
    for (int gaps = 1; gaps >= 0; gaps--)
        for (uint32_t i = 0; i < c->count; i++) {
            memcpy(s->way, from, c->count);
            if (!ct_is_pair(c, from, i) || (from[i] != CT_WAY_FIRST && c->item[i].gap) ||
                c->item[i].gap != (gaps == 1))
                continue;
            ct_turn_way(s->way, i);
            if (!ct_was_tried(c, s) && ct_try_ways(c, s) != CT_STRIKE_HELD)
                return s->acted;
        }
    memcpy(s->way, from, c->count);
    for (uint32_t i = 0; i < c->count; i++)
        if (ct_is_pair(c, from, i) && from[i] == CT_WAY_FIRST && c->item[i].gap)
            s->way[i] = CT_WAY_SECOND;
    return ct_was_tried(c, s) ? CT_STRIKE_HELD : ct_try_ways(c, s);
}

/* The next ways: all that are wrong are flipped; if these were tried, the last one. */
static bool ct_turn_wrong(ct_chooser *c, ct_strike *s, uint32_t last)
{
    const uint8_t *own = c->ask->way_of(c->user, s->own);
    memcpy(s->way, own, c->count);
    for (uint32_t i = 0; i < c->count; i++)
        if (s->wrong[i])
            ct_turn_way(s->way, i);
    if (!ct_was_tried(c, s))
        return true;
    memcpy(s->way, own, c->count);
    ct_turn_way(s->way, last - 1);
    return !ct_was_tried(c, s);
}

/* Until no way is wrong. What returns may do so where nothing else fits: it hits then. */
static ct_struck_by ct_search_ways(ct_chooser *c, ct_strike *s)
{
    uint32_t thrown = UINT32_MAX, pulled, last;
    for (;;) {
        pulled = ct_find_pulled(c, s);
        last = ct_find_returning(c, s);
        last = last > pulled ? last : pulled;
        if (!last)
            return s->acted;
        if (!pulled)
            thrown = s->tries - 1;
        if (!ct_turn_wrong(c, s, last))
            break;
        if (ct_try_ways(c, s) == CT_STRIKE_FAILED)
            return s->acted;
        if (s->acted == CT_STRIKE_HELD)
            break;
    }
    s->culprit = last - 1;
    if (thrown == UINT32_MAX)
        return CT_STRIKE_CROSS;
    memcpy(s->way, ct_tried(c, s, thrown), c->count);
    s->tries = s->tries < CT_MOST_STRIKES ? s->tries : CT_MOST_STRIKES - 1;
    return ct_try_ways(c, s);
}

CT_CHOICE ct_struck_by ct_choice_strike(ct_chooser *c, ct_strike *s)
{
    const uint8_t *from = c->ask->way_of(c->user, s->mode);
    bool loose = ct_loosen_all(c, from, s->way);
    c->missing = false;
    ct_try_ways(c, s);
    if (loose && s->own == UINT32_MAX) {
        memcpy(s->way, from, c->count);
        s->begin = s->tries;
        ct_try_ways(c, s);
    }
    if (s->acted == CT_STRIKE_HELD)
        ct_let_go(c, s);
    return s->acted == CT_STRIKE_HELD || s->acted == CT_STRIKE_FAILED ? s->acted
                                                                      : ct_search_ways(c, s);
}

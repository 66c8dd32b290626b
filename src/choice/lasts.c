/* lasts.c - does a mode last? What must stay above zero in it, and what has left that. */
#include <float.h>
#include <math.h>

#include "choice/choice.h"

CT_CHOICE bool ct_item_stands(const ct_mode_item *item, uint32_t number, const uint8_t *way)
{
    for (const ct_mode_item *own = &item[number]; own->under; own = &item[own->under - 1])
        if (way[own->under - 1] != own->way)
            return false;
    return true;
}

/* As fmax, which is a call. */
CT_CHOICE void ct_note_sizes(double *largest, const double *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double size = fabs(value[i]);
        if (!(size <= largest[i]) && isfinite(size))
            largest[i] = size;
    }
}

/* ---- margins */

static bool ct_is_closed(uint8_t way)
{
    return way == CT_WAY_FIRST || way == CT_WAY_SHUT;
}

static void ct_pair_margins(bool gap, uint8_t way, const double *w, double *margin)
{
    if (way != CT_WAY_BACK)
        margin[0] = w[ct_is_closed(way) ? CT_WATCH_B : gap ? CT_WATCH_GAP : CT_WATCH_A];
}

static bool ct_slips(uint8_t way)
{
    return way == CT_WAY_SECOND || way == CT_WAY_THIRD;
}

static void ct_slip_margins(uint8_t way, const double *w, double *margin)
{
    if (way == CT_WAY_FIRST) {
        margin[0] = w[CT_WATCH_HOLD] - w[CT_WATCH_B];
        margin[1] = w[CT_WATCH_HOLD] + w[CT_WATCH_B];
    } else if (way == CT_WAY_LOOSE) { /* others hold it, as long as they do */
        margin[0] = w[CT_WATCH_A];
        margin[1] = -w[CT_WATCH_A];
    } else if (w[CT_WATCH_LIMIT] != 0 || w[CT_WATCH_HOLD] != 0) {
        margin[0] = way == CT_WAY_SECOND ? w[CT_WATCH_A] : -w[CT_WATCH_A];
    }
}

static void ct_item_margins(const ct_chooser *c, const uint8_t *way, const double *watch,
                            uint32_t item, double *margin)
{
    const double *w = watch + CT_WATCHES * item;
    if (c->item[item].kind == CT_LAW_PAIR)
        ct_pair_margins(c->item[item].gap, way[item], w, margin);
    else
        ct_slip_margins(way[item], w, margin);
}

/* Those that are not used are one. */
CT_CHOICE void ct_choice_margins(const ct_chooser *c, const uint8_t *way, const uint32_t *used,
                                 uint32_t used_count, const double *watch, double *margin)
{
    for (uint32_t i = 0; i < 2 * c->count; i++)
        margin[i] = 1;
    for (uint32_t k = 0; k < used_count; k++)
        ct_item_margins(c, way, watch, used[k], margin + 2 * used[k]);
}

/* Without a limit what slips may go either way. A stretch is one with a limit or one without: where
 * that changes it ends, so that no change of its side just before is hidden by what is zero after.
 */
static void ct_slip_roots(uint8_t way, const double *w, const double *offset, double *root)
{
    double limit = fmax(fabs(w[CT_WATCH_LIMIT]), fabs(w[CT_WATCH_HOLD]));
    bool pressed = offset[1] < 0;
    if (pressed)
        root[0] = (way == CT_WAY_SECOND ? w[CT_WATCH_A] : -w[CT_WATCH_A]) + offset[0];
    root[1] = offset[1] + (pressed ? limit : -limit);
}

CT_CHOICE void ct_choice_roots(const ct_chooser *c, const uint8_t *way, const uint32_t *used,
                               uint32_t used_count, const double *watch, const double *offset,
                               double *root)
{
    for (uint32_t i = 0; i < 2 * c->count; i++)
        root[i] = 1;
    for (uint32_t k = 0; k < used_count; k++) {
        uint32_t i = used[k];
        if (c->item[i].kind == CT_LAW_SLIP && ct_slips(way[i])) {
            ct_slip_roots(way[i], watch + CT_WATCHES * i, offset + 2 * i, root + 2 * i);
            continue;
        }
        ct_item_margins(c, way, watch, i, root + 2 * i);
        root[2 * i] += offset[2 * i];
        root[2 * i + 1] += offset[2 * i + 1];
    }
}

/* The largest of what the margin of an item is made of. */
static double ct_scale_of(const ct_chooser *c, uint8_t way, uint32_t item)
{
    const double *s = c->scale + CT_WATCHES * item;
    bool closed = ct_is_closed(way);
    if (c->item[item].gap)
        return s[closed ? CT_WATCH_B : CT_WATCH_GAP];
    return closed ? fmax(s[CT_WATCH_B], s[CT_WATCH_HOLD]) : s[CT_WATCH_A];
}

/* ---- what is wrong */

/* What rested and goes away is right, though errors of the run have let it sink. */
static bool ct_is_lifted(const ct_chooser *c, uint8_t way, const double *watch, uint32_t item)
{
    const double faster = 1e-7; /* than so much of the fastest so far */
    uint32_t speed = CT_WATCHES * item + CT_WATCH_A;
    return c->item[item].gap && c->touch[item] != 0 && way == CT_WAY_SECOND &&
           watch[speed] > faster * c->scale[speed];
}

/* How far below zero a root may begin. */
static double ct_offset_of(const ct_chooser *c, uint8_t way, uint32_t item, double short_of)
{
    const double noise = 1e-11;   /* of the largest value so far: zero for a root */
    const double fine = 1e-13;    /* the same of a gap, which must not sink, */
    const double finer = 1e-15;   /* and of one that has just been hit; */
    const double coarse = 1e-12;  /* of one that was held: places of both sides cancel in it */
    const double nothing = 1e-14; /* where all was zero so far */
    double scale = ct_scale_of(c, way, item), speed = c->scale[CT_WATCHES * item + CT_WATCH_A];
    if (c->item[item].gap && way != CT_WAY_FIRST) { /* sources move, too, as rounding of t does */
        double rounding = DBL_EPSILON * fabs(c->t) * speed;
        double more = c->touch[item] == CT_TOUCH_HELD ? coarse : finer;
        return fmax(fine * scale, short_of + more * scale + rounding);
    }
    return fmax(noise * scale + nothing * c->calm[item], 2 * short_of);
}

/* Has what slips a limit now? Below zero: it has, until that is less; else until it is more. */
static double ct_limit_offset(const ct_chooser *c, const double *watch, uint32_t item)
{
    const double noise = 1e-11; /* of the largest so far: there is none */
    const double *w = watch + CT_WATCHES * item, *s = c->scale + CT_WATCHES * item;
    double limit = fmax(fabs(w[CT_WATCH_LIMIT]), fabs(w[CT_WATCH_HOLD]));
    double none = fmax(noise * fmax(s[CT_WATCH_LIMIT], s[CT_WATCH_HOLD]), DBL_MIN);
    return limit > none ? -none / 2 : 2 * none;
}

CT_CHOICE uint32_t ct_choice_wrong(ct_chooser *c, const uint8_t *way, const double *watch,
                                   double *margin, double *crossed, uint32_t *left)
{
    const double harmless = 1e-7, nothing = 1e-14;
    uint32_t worst = UINT32_MAX;
    double most = 0;
    *crossed = 0;
    *left = UINT32_MAX;
    for (uint32_t i = 0; i < 2 * c->count; i++) {
        uint32_t item = i / 2;
        double scale = ct_scale_of(c, way[item], item), short_of = -margin[i];
        double least = nothing * c->calm[item];
        bool used = c->item[item].kind != CT_LAW_IF && !ct_is_lifted(c, way[item], watch, item);
        if (used && !(short_of <= harmless * scale + least) && !(short_of / scale <= most)) {
            most = short_of / scale;
            worst = i;
        }
        if (used && short_of > *crossed) {
            *crossed = short_of;
            *left = i;
        }
        bool limits = i % 2 && c->item[item].kind == CT_LAW_SLIP && ct_slips(way[item]);
        margin[i] =
            limits ? ct_limit_offset(c, watch, item) : ct_offset_of(c, way[item], item, short_of);
    }
    return worst;
}

CT_CHOICE void ct_choice_calm(ct_chooser *c, uint32_t root, double t)
{
    const double in_no_time = 1e-9; /* of the run: to and fro by rounding */
    const double to_calm = 8, most_calm = 1e6;
    uint32_t item = root / 2;
    if (root == UINT32_MAX || c->item[item].kind == CT_LAW_IF || c->item[item].gap)
        return;
    bool again = t - c->flipped[item] <= in_no_time * c->span;
    c->calm[item] = again ? fmin(to_calm * c->calm[item], most_calm) : 1;
    c->flipped[item] = t;
}

/* ---- gaps and conditions */

CT_CHOICE void ct_choice_touch(ct_chooser *c, const uint8_t *way, const double *watch, double least,
                               bool first)
{
    const double close_to = 1e-10; /* of the largest gap so far: closed */
    const double least_gap = 1e-3; /* for this largest one, in SI units, */
    const double typed_gap = 1;    /* and where there was none: a run has left that */
    const double slow = 1e-9;      /* of the fastest so far */
    for (uint32_t i = 0; i < c->count; i++) {
        const double *w = watch + CT_WATCHES * i;
        double *scale = c->scale + CT_WATCHES * i;
        if (!c->item[i].gap || !ct_item_stands(c->item, i, way))
            continue;
        scale[CT_WATCH_GAP] = fmax(fmax(scale[CT_WATCH_GAP], least_gap), fabs(w[CT_WATCH_GAP]));
        double size = first ? fmax(scale[CT_WATCH_GAP], typed_gap) : scale[CT_WATCH_GAP];
        bool near = w[CT_WATCH_GAP] <= close_to * size + least &&
                    w[CT_WATCH_A] <= slow * scale[CT_WATCH_A] + least;
        bool met = c->left != UINT32_MAX && c->left / 2 == i;
        c->touch[i] = way[i] == CT_WAY_FIRST ? CT_TOUCH_HELD : near || met;
    }
}

CT_CHOICE bool ct_choice_conditions(const ct_chooser *c, const double *watch, uint8_t *way)
{
    bool changed = false;
    for (uint32_t i = 0; i < c->count; i++) {
        bool stands = ct_item_stands(c->item, i, way);
        if (c->item[i].kind != CT_LAW_IF || !stands) {
            way[i] = stands ? way[i] : 0;
            continue;
        }
        uint8_t now = watch[CT_WATCHES * i] != 0 ? CT_WAY_FIRST : CT_WAY_SECOND;
        changed |= now != way[i];
        way[i] = now;
    }
    return changed;
}

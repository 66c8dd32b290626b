/* blow.c - impacts that follow each other, and end in rest; see blow.h. */
#include "simulate/blow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "simulate/act.h"
#include "simulate/variant.h"

enum { MOST_CLOSE = 30, QUANTITY = 0, RATE, TERMS, SLOPE, TURN }; /* of a turn */
static const double slight = 1e-12; /* of the largest speed: nothing */
static const double faint = 1e-4;   /* of it: may be lost */
static const double rounding = 100 * DBL_EPSILON;
static const double near = 1e-9; /* of the run: close in time */

/* Parts of the time that has passed, or of a little of the run where that is more: */
static const double early = 1e-6;      /* the little */
static const double soon_over = 3e-8;  /* what is left of a row of blows with equal ratios, */
static const double alike = 1e-2;      /* as far as these differ */
static const double shortest = 1e-10;  /* gaps that time cannot tell */
static const double at_once = 1e-9;    /* a blow that left nothing comes again */
static const double no_rate = 1e-9;    /* of what a rate was: rounding */
static const double in_no_time = 1e-6; /* rounding leads back */

typedef struct blow {
    double last, gap[3]; /* the newest gap first */
    double direction;    /* of the impulse */
    double largest;      /* speed */
    double left;         /* until the last one */
    double speed;        /* after it */
    double seen;         /* just before something jumped; NaN: nothing did */
    uint64_t number;     /* of the last one */
    uint32_t act;        /* that sets it */
    bool over, dead;     /* they are at an end; the last one left nothing */
    bool flown;          /* it comes from the last one, or is slight: not thrown back by others */
    bool fresh;          /* it happens at this instant */
    bool under;          /* the condition has stayed true since */
    bool close;          /* among the last ones that are close in time */
    bool rested, struck, turned;
    bool stuck; /* at an end, but nothing can hold it */
} blow;

struct ct_blows {
    ct_rig *rig;
    ct_pushing *pushing;
    uint32_t count;
    blow *at;                          /* per push */
    double span, far;                  /* of the run; its end farthest from zero */
    uint64_t number;                   /* of blows, of any */
    uint32_t close;                    /* blows in a row that are close in time, of any */
    double last;                       /* of any */
    double *before;                    /* values */
    double *work, *turn, *turn_before; /* quantities of conditions, with rates */
    int *lift;                         /* per turn: the side that it leaves; 0: none */
    bool lifting;
    ct_resting *resting;
    uint32_t *which;
    double *zero;
};

ct_blows *ct_blows_new(ct_rig *rig, ct_pushing *pushing)
{
    const ct_acts *a = rig->machine->acts;
    ct_blows *b = CT_NEW(rig->arena, ct_blows);
    *b = (ct_blows){.rig = rig, .pushing = pushing, .count = a->pushes->count};
    b->at = CT_NEW_ARRAY(rig->arena, blow, b->count);
    b->before = CT_NEW_ARRAY(rig->arena, double, b->count);
    b->resting = CT_NEW_ARRAY(rig->arena, ct_resting, b->count);
    b->which = CT_NEW_ARRAY(rig->arena, uint32_t, b->count);
    b->zero = CT_NEW_ARRAY(rig->arena, double, b->count);
    b->work = ct_rig_prepared(rig, a->turning);
    b->turn = CT_NEW_ARRAY(rig->arena, double, TURN * a->turn_count + 1);
    b->lift = CT_NEW_ARRAY(rig->arena, int, a->turn_count + 1);
    b->turn_before = CT_NEW_ARRAY(rig->arena, double, TURN * a->turn_count + 1);
    return b;
}

void ct_blows_begin(ct_blows *b, double start, double stop)
{
    b->span = stop - start;
    b->far = fmax(fabs(start), fabs(stop));
    b->close = 0;
    b->last = -INFINITY;
    b->lifting = false;
    memset(b->lift, 0, b->rig->machine->acts->turn_count * sizeof *b->lift);
    for (uint32_t i = 0; i < b->count; i++)
        b->at[i] = (blow){.last = -INFINITY, .gap = {INFINITY, INFINITY, INFINITY}, .seen = NAN};
}

void ct_blows_take(ct_blows *b, const ct_blows *from)
{
    b->span = from->span;
    b->far = from->far;
    b->close = from->close;
    b->last = from->last;
    b->lifting = false;
    memset(b->lift, 0, b->rig->machine->acts->turn_count * sizeof *b->lift);
    memcpy(b->at, from->at, b->count * sizeof *b->at);
}

void ct_blows_lose(ct_blows *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        b->at[i].under |= b->at[i].rested;
        b->at[i].rested = false;
    }
}

/* Products of what is very small vanish. */
static int sign(double value)
{
    return (value > 0) - (value < 0);
}

static bool are_opposed(double a, double b)
{
    return sign(a) * sign(b) < 0;
}

/* Does it go against the last blow, by more than rounding? */
static bool goes_in(ct_blows *all, uint32_t i, double now, double t, const double *z)
{
    return are_opposed(now, all->at[i].direction) &&
           fabs(now) > ct_push_rounding(all->pushing, t, z, i);
}

/* ---- an instant */

static void take_turns(ct_blows *b, double t, const double *z, double *turn)
{
    const ct_machine *m = b->rig->machine;
    uint32_t size = m->n + m->m;
    memcpy(b->rig->variable, z, size * sizeof *z);
    b->rig->variable[size] = t;
    ct_set_forces(b->rig, t, z);
    ct_program_run(m->acts->turning, b->rig->variable, turn, b->work);
}

/* What rounding makes of a quantity, time included. */
static double blur(const ct_blows *all, const double *turn)
{
    return rounding * (turn[TERMS] + all->far * fabs(turn[SLOPE]));
}

void ct_blows_remember(ct_blows *b, double t, const double *z)
{
    const double *now = ct_push_values(b->pushing, t, z);
    for (uint32_t i = 0; i < b->count; i++)
        b->at[i].seen = now[i];
}

const double *ct_blows_before(ct_blows *b, double t, const double *z)
{
    memcpy(b->before, ct_push_values(b->pushing, t, z), b->count * sizeof *z);
    take_turns(b, t, z, b->turn_before);
    for (uint32_t i = 0; i < b->count; i++) {
        b->at[i].fresh = b->at[i].struck = false;
        b->at[i].seen = b->before[i];
    }
    return b->before;
}

static double passed(double t, double span)
{
    return fmax(fabs(t), early * span);
}

/* Equal ratios of the gaps tell when an endless row of blows is over; where that is near, or the
 * gaps are as short as time can tell, it is. */
static bool is_over(const blow *b, double t, double span)
{
    double r = b->gap[0] / b->gap[1], last = b->gap[1] / b->gap[2];
    double left = b->gap[0] * r / (1 - r), time = passed(t, span);
    if (r < 1 && fabs(r - last) <= alike && left < soon_over * time)
        return true;
    return r < 1 && last < 1 && b->gap[0] < shortest * time;
}

static void count_close(ct_blows *all, double t, blow *b)
{
    bool close = t - all->last <= near * all->span;
    for (uint32_t i = 0; i < all->count && !close; i++)
        all->at[i].close = false;
    all->close = close ? all->close + 1 : 0;
    all->last = t;
    b->close = true;
}

void ct_blow(ct_blows *all, uint32_t act, uint32_t push, double t, double value)
{
    blow *b = &all->at[push];
    double before = all->before[push];
    b->over = b->dead = b->under = false;
    if (sign(before) * sign(value) > 0 || !(fabs(value) < fabs(before)))
        return;
    b->gap[2] = b->gap[1];
    b->gap[1] = b->gap[0];
    b->gap[0] = t - b->last;
    b->last = t;
    b->direction = value - before;
    b->largest = fmax(b->largest, fabs(before));
    count_close(all, t, b);
    b->act = act;
    b->speed = value;
    b->fresh = true;
    b->dead = fabs(value) <= slight * fabs(before);
    b->flown = b->number == all->number || fabs(value) <= faint * b->largest;
    b->number = ++all->number;
    bool again = b->gap[0] < at_once * passed(t, all->span);
    b->left = !b->dead && b->gap[0] < b->gap[1] && isfinite(b->gap[1])
                  ? b->gap[0] * b->gap[0] / (b->gap[1] - b->gap[0])
                  : 0;
    b->over = (b->flown && is_over(b, t, all->span)) || (b->dead && again);
}

/* Has the blow turned a quantity of its condition round, back to where it came from? Where it would
 * rise by no more than rounding errors the blows are over. */
static bool turns_round(const ct_blows *all, const blow *b, bool *low)
{
    const ct_acts *a = all->rig->machine->acts;
    bool any = false;
    for (uint32_t i = 0; i < a->turn_count; i++) {
        const double *before = all->turn_before + (size_t)TURN * i,
                     *after = all->turn + (size_t)TURN * i;
        if (a->turn_act[i] != b->act || before[RATE] == 0 || after[RATE] / before[RATE] > no_rate)
            continue;
        any = true;
        *low |= b->flown && fabs(after[RATE]) * b->gap[0] / 4 < blur(all, after);
    }
    return any;
}

void ct_blows_after(ct_blows *all, double t, const double *z)
{
    take_turns(all, t, z, all->turn);
    for (uint32_t i = 0; i < all->count; i++) {
        blow *b = &all->at[i];
        if (!b->fresh)
            continue;
        bool turns = turns_round(all, b, &b->over);
        b->under = turns && ct_act_is_true(all->rig, b->act);
        b->over = b->over && turns; /* else it is no stop: what is set to zero goes on from there */
        b->dead = b->dead && turns;
    }
}

/* ---- leaving
 *
 * Bodies that touch, and blows near their end, are so slight that rounding errors carry a quantity
 * to and fro over its bound. From there it has left only when it is beyond these. */

static double beyond(const ct_blows *all, uint32_t turn, double part)
{
    const double *now = all->turn + (size_t)TURN * turn;
    return now[QUANTITY] + part * all->lift[turn] * blur(all, now);
}

void ct_blows_lift(ct_blows *all, double t, const double *z, double *quantity)
{
    const ct_acts *a = all->rig->machine->acts;
    if (!all->lifting)
        return;
    take_turns(all, t, z, all->turn);
    for (uint32_t i = 0; i < a->turn_count; i++)
        if (all->lift[i])
            quantity[a->turn_root[i]] = beyond(all, i, 1);
}

void ct_blows_end_lift(ct_blows *all, double t, const double *z)
{
    if (!all->lifting)
        return;
    all->lifting = false;
    take_turns(all, t, z, all->turn);
    for (uint32_t i = 0; i < all->rig->machine->acts->turn_count; i++) {
        if (all->lift[i] && sign(beyond(all, i, 0.5)) != all->lift[i])
            all->lift[i] = 0;
        all->lifting |= all->lift[i] != 0;
    }
}

static void begin_lift(ct_blows *all, double t, const double *z)
{
    take_turns(all, t, z, all->turn);
    for (uint32_t i = 0; i < all->rig->machine->acts->turn_count; i++) {
        const double *now = all->turn + (size_t)TURN * i;
        if (!all->lift[i] && fabs(now[QUANTITY]) <= blur(all, now) / 2)
            all->lift[i] = sign(now[QUANTITY]);
        all->lifting |= all->lift[i] != 0;
    }
}

/* ---- rounding */

/* All that the condition reads leads back, and would be there at once. */
static bool leads_back(ct_blows *all, uint32_t act, double t, const double *z)
{
    const ct_acts *a = all->rig->machine->acts;
    double soon = in_no_time * passed(t, all->span);
    bool back = false;
    take_turns(all, t, z, all->turn);
    for (uint32_t i = 0; i < a->turn_count; i++) {
        double quantity = all->turn[TURN * i + QUANTITY], rate = all->turn[TURN * i + RATE];
        if (a->turn_act[i] != act)
            continue;
        if (!are_opposed(quantity, rate) || fabs(quantity) > soon * fabs(rate))
            return false;
        back = true;
    }
    return back;
}

/* Speeds that an act would turn are rounding errors, and so is what it would set. */
static bool is_slight(ct_blows *all, const ct_act *act, double t, const double *z,
                      const double *value)
{
    bool any = false;
    for (uint32_t i = 0; i < act->set_count; i++) {
        uint32_t push = act->set[i].push;
        if (!push)
            continue;
        any = true;
        double now = ct_push_values(all->pushing, t, z)[push - 1];
        if (fmax(fabs(now), fabs(value[i])) > ct_push_rounding(all->pushing, t, z, push - 1))
            return false;
    }
    return any;
}

/* It leads away, or not yet against: what comes of it is seen later. */
static void look_out(ct_blows *all, uint32_t act, double t, const double *z, const double *value)
{
    const ct_act *a = &all->rig->machine->driven->act[act];
    for (uint32_t i = 0; i < a->set_count; i++) {
        if (!a->set[i].push)
            continue;
        uint32_t push = a->set[i].push - 1;
        blow *b = &all->at[push];
        if (b->act != act || !isfinite(b->last))
            b->direction = value[i] - ct_push_values(all->pushing, t, z)[push];
        b->act = act;
        b->under = true;
    }
}

bool ct_blow_is_rounding(ct_blows *all, uint32_t act, double t, const double *z,
                         const double *value)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++)
        any |= all->at[i].act == act && isfinite(all->at[i].last);
    if (!is_slight(all, &all->rig->machine->driven->act[act], t, z, value) &&
        (!any || !leads_back(all, act, t, z)))
        return false;
    look_out(all, act, t, z, value);
    return true;
}

void ct_blows_clear(ct_blows *all, uint32_t act)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i].act == act)
            all->at[i].under = false;
}

bool ct_blow_is_due(ct_blows *all, const ct_act *act)
{
    for (uint32_t i = 0; i < act->set_count; i++)
        if (act->set[i].push && all->at[act->set[i].push - 1].struck)
            return true;
    return false;
}

/* ---- rest */

static void list_rest(const ct_blows *all, const ct_resting *r)
{
    const blow *b = &all->at[r->push];
    const ct_machine *m = all->rig->machine;
    const ct_act *a = &m->driven->act[b->act];
    ct_event_change change = {.before = b->speed};
    for (uint32_t i = 0; i < a->set_count; i++)
        if (a->set[i].push == r->push + 1)
            change.name = ct_name_text(m->ctx, ct_expr_name(m->pool, a->set[i].of->target));
    ct_acting_add(all->rig, r->since, "rest", &change, 1);
}

/* Impulses from elsewhere have moved what rests. */
static bool wake(ct_blows *all, double t, const double *z)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++) {
        blow *b = &all->at[i];
        double now = ct_rests(all->rig, i) ? ct_push_values(all->pushing, t, z)[i] : 0;
        if (fabs(now) <= slight * b->largest ||
            fabs(now) <= ct_push_rounding(all->pushing, t, z, i))
            continue;
        ct_end_rest(all->rig, i);
        b->rested = false;
        b->struck = are_opposed(now, b->direction);
        b->under = !b->struck;
        any = true;
    }
    return any;
}

/* What no force holds any more may come back at once. */
static void look_after(ct_blows *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        blow *b = &all->at[i];
        bool rests = ct_rests(all->rig, i);
        if (b->rested && !rests)
            b->under = ct_act_is_true(all->rig, b->act);
        b->rested = rests;
    }
}

/* All that rests has no speed, together. */
static void still(ct_blows *all, double t, double *z)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (ct_rests(all->rig, i)) {
            all->zero[count] = 0;
            all->which[count++] = i;
        }
    ct_push_to(all->pushing, t, z, all->which, all->zero, count);
}

/* How impulses of those that may rest push; false: they push nothing. */
static bool find_directions(ct_blows *all, uint32_t count, double t, const double *z)
{
    for (uint32_t i = 0; i < count; i++) {
        double turn;
        ct_resting *r = &all->resting[i];
        const blow *b = &all->at[r->push];
        if ((all->rig->machine->push_reach[r->push] && all->rig->machine->m) ||
            ct_push_matrix(all->pushing, t, z, &r->push, 1, &turn) != CT_SOLVED)
            return false;
        r->direction = b->direction / turn;
        r->since = b->over ? b->last + b->left : t;
    }
    return true;
}

/* Those of the list that are pressed come to rest. */
static ct_hold lay(ct_blows *all, uint32_t count, double t, double *z)
{
    ct_hold hold = CT_HOLD_NEEDLESS;
    uint32_t wrong = 0;
    if (!find_directions(all, count, t, z))
        return CT_HOLD_UNKNOWN;
    while (count && hold == CT_HOLD_NEEDLESS) {
        hold = ct_start_rest(all->rig, all->resting, count, t, z, &wrong);
        if (hold == CT_HOLD_NEEDLESS)
            all->resting[wrong] = all->resting[--count];
    }
    if (hold != CT_HOLDS)
        return hold;
    still(all, t, z);
    for (uint32_t i = 0; i < count; i++) {
        blow *b = &all->at[all->resting[i].push];
        b->rested = true;
        b->under = b->struck = false;
        list_rest(all, &all->resting[i]);
    }
    return CT_HOLDS;
}

/* Blows of several that are as close as time can tell, and as slight. */
static bool is_crowd(const ct_blows *all)
{
    double most = 0, largest = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        largest = fmax(largest, all->at[i].largest);
        if (all->at[i].close)
            most = fmax(most, fabs(all->at[i].speed));
    }
    return all->close > MOST_CLOSE && most <= faint * largest;
}

/* Lists what is at an end; true: something of it has turned back. */
static bool list_ends(ct_blows *all, double t, const double *z, uint32_t *count)
{
    bool crowd = is_crowd(all), any = false;
    *count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        blow *b = &all->at[i];
        double now = ct_push_values(all->pushing, t, z)[i];
        bool back = b->under && goes_in(all, i, now, t, z);
        bool struck = back && !isnan(b->seen) && !goes_in(all, i, b->seen, t, z);
        b->turned = back && !struck;
        b->under = b->under && !struck;
        b->struck |= struck;
        any |= b->turned;
        bool dead = b->dead && ct_act_is_true(all->rig, b->act);
        if ((b->turned || b->over || dead || (crowd && b->close)) && !ct_rests(all->rig, i))
            all->resting[(*count)++].push = i;
    }
    return any;
}

/* Nothing presses: it goes along, with no speed against. */
static void level(ct_blows *all, double t, double *z)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i].turned || ct_rests(all->rig, i)) {
            all->zero[count] = 0;
            all->which[count++] = i;
        }
    ct_push_to(all->pushing, t, z, all->which, all->zero, count);
}

ct_solve_status ct_blows_settle(ct_blows *all, double t, double *z, bool *changed)
{
    uint32_t count;
    begin_lift(all, t, z);
    *changed = wake(all, t, z);
    if (*changed)
        return CT_SOLVED;
    look_after(all);
    bool turned = list_ends(all, t, z, &count);
    ct_hold hold = count ? lay(all, count, t, z) : CT_HOLD_NEEDLESS;
    for (uint32_t i = 0; i < all->count; i++) {
        all->at[i].over = all->at[i].dead = false;
        all->at[i].seen = NAN;
    }
    *changed = hold == CT_HOLDS;
    if (turned && hold == CT_HOLD_NEEDLESS)
        level(all, t, z);
    if (hold != CT_HOLD_UNKNOWN)
        return CT_SOLVED;
    for (uint32_t i = 0; i < count; i++)
        all->at[all->resting[i].push].stuck = true;
    return turned && ct_report_blows(all->rig, t) ? CT_REPORTED : CT_SOLVED;
}

bool ct_blows_mask(const ct_blows *all, uint32_t root)
{
    const ct_acts *a = all->rig->machine->acts;
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; ct_rests(all->rig, i) && k < a->turn_count; k++)
            if (a->turn_root[k] == root && a->turn_act[k] == all->at[i].act)
                return true;
    return false;
}

double ct_blows_hold(ct_blows *all, double t, const double *z)
{
    double least = 1;
    for (uint32_t i = 0; i < all->count; i++) {
        const blow *b = &all->at[i];
        if (!b->under)
            continue;
        double now = ct_push_values(all->pushing, t, z)[i], way = sign(b->direction) * now;
        way = b->direction == 0 ? -fabs(now) : way; /* it stood: what sets off is looked at */
        least = fmin(least, way + ct_push_rounding(all->pushing, t, z, i));
    }
    return least == 0 ? DBL_MIN : least;
}

bool ct_report_blows(const ct_rig *rig, double t)
{
    const ct_blows *all = ct_acting_blows(rig);
    ct_report *r = NULL;
    for (uint32_t i = 0; all && i < all->count; i++) {
        const ct_happening *h = rig->machine->driven->act[all->at[i].act].of;
        if (!all->at[i].stuck)
            continue;
        if (!r)
            r = ct_error(rig->machine->ctx, "E564", h->place,
                         "impacts come to an end at t = %.9g s, and nothing can hold from then on",
                         t);
        ct_note(r,
                "`%s` follows itself ever faster; without it what it has set would go on through",
                h->label);
        ct_witness(r, h->label);
    }
    if (r)
        ct_help(r, "set the speed of a mass, a joint or an `impact`; or end the run by `stop`");
    return r != NULL;
}

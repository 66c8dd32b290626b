/* strike.c - what `when` and `every` do in a mode: impulses choose their ways through pairs.
 *
 * An impulse passes in no time, and what may go either way meanwhile is decided by it: of a pair
 * the impulse of what is free must not be negative, and what was let go must not come back. Ways
 * are tried from those of the mode, wrong ones are flipped, and the event happens anew from what
 * was before. Where no ways fit (a body that lies on its stop is thrown at it) what is let go comes
 * back: an impact of its own, which the choice of the next mode settles.
 */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/act.h"
#include "simulate/variant.h"

static const double worth_telling = 1e-9; /* of the largest impulse, or of the largest value */

enum { MOST_TRIES = 64 };

typedef struct strike {
    ct_regime *mode;
    double instant, t;
    double *z;      /* of the mode, before */
    uint8_t *way;   /* to be tried next, */
    uint8_t *tried; /* and those before */
    bool *wrong;    /* per item, after a try */
    uint32_t tries;
    ct_regime *own; /* of the last try: the mode in which it happened */
    ct_acted acted;
} strike;

/* ---- one try */

/* Friction is finite: it holds nothing against an impulse. */
static bool loosen(const ct_regime *mode, uint8_t *way)
{
    const ct_modes *all = mode->all;
    bool any = false;
    memcpy(way, mode->way, all->count);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->item[i].kind == CT_LAW_SLIP && mode->way[i] == CT_WAY_FIRST &&
            ct_item_stands(all->shadows, i, mode->way)) {
            way[i] = CT_WAY_LOOSE;
            any = true;
        }
    return any;
}

static void restore(strike *s)
{
    ct_regime *mode = s->mode;
    if (!s->tries)
        return;
    ct_acting_take(mode->rig, mode->spare);
    memcpy(mode->z, s->z, (mode->machine->n + mode->machine->m) * sizeof *s->z);
}

static ct_regime *enter(strike *s)
{
    ct_modes *all = s->mode->all;
    if (memcmp(s->way, s->mode->way, all->count) == 0)
        return s->mode;
    uint32_t reports = ct_reports_so_far(all->ctx);
    ct_regime *own = ct_mode_find(all, s->way, false);
    bool entered = own && ct_modes_remember(all) && ct_mode_enter(own, s->t, s->t) == CT_SOLVED &&
                   ct_mode_complete(own);
    if (!entered)
        ct_forget_reports_since(all->ctx, reports);
    return entered ? own : NULL;
}

/* Without a mode of these ways it is singular. */
static ct_solve_status try_ways(strike *s)
{
    uint32_t count = s->mode->all->count;
    restore(s);
    memcpy(s->tried + (size_t)s->tries++ * count, s->way, count);
    s->own = enter(s);
    if (!s->own)
        return CT_SINGULAR;
    const ct_machine *m = s->own->machine;
    memcpy(s->own->before, s->own->z, (m->n + m->m) * sizeof *s->z);
    return ct_act_now(s->own->rig, s->instant, s->t, s->own->z, &s->acted);
}

static bool was_tried(const strike *s)
{
    uint32_t count = s->mode->all->count;
    for (uint32_t i = 0; i < s->tries; i++)
        if (memcmp(s->tried + (size_t)i * count, s->way, count) == 0)
            return true;
    return s->tries >= MOST_TRIES;
}

/* ---- which ways are wrong */

static bool is_pair(const ct_modes *all, const uint8_t *way, uint32_t i)
{
    return all->item[i].kind == CT_LAW_PAIR && ct_item_stands(all->shadows, i, way) &&
           (way[i] == CT_WAY_FIRST || way[i] == CT_WAY_SECOND);
}

static bool has_struck(const strike *s)
{
    return s->acted == CT_ACTED || s->acted == CT_ACTED_LAST;
}

/* Pairs and what sticks that an impulse leads where they do not go; item + 1 of the last one. */
static uint32_t find_pulled(strike *s)
{
    ct_regime *own = s->own;
    const ct_modes *all = own->all;
    double most = 0;
    uint32_t last = 0;
    memset(s->wrong, 0, all->count * sizeof *s->wrong);
    if (!has_struck(s) || !ct_acting_reach(own->rig))
        return 0;
    ct_acting_shock(own->rig, s->t, own->z, own->watch);
    for (uint32_t i = 0; i < CT_WATCHES * all->count; i++)
        most = fmax(most, fabs(own->watch[i]));
    for (uint32_t i = 0; i < all->count; i++) {
        const double *w = own->watch + CT_WATCHES * i;
        bool first = own->way[i] == CT_WAY_FIRST;
        if (is_pair(all, own->way, i))
            s->wrong[i] = w[first ? CT_WATCH_B : CT_WATCH_A] < -worth_telling * most;
        else if (all->item[i].kind == CT_LAW_SLIP && first &&
                 ct_item_stands(all->shadows, i, own->way))
            s->wrong[i] = fabs(w[CT_WATCH_B]) > worth_telling * most;
        last = s->wrong[i] ? i + 1 : last;
    }
    return last;
}

/* Pairs that were let go for the impulse, and come back after it. */
static uint32_t find_returning(strike *s)
{
    ct_regime *own = s->own;
    const ct_modes *all = own->all;
    uint32_t last = 0;
    if (own == s->mode || !has_struck(s))
        return 0;
    ct_rig_watch(own->rig, s->t, own->z, own->watch);
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t at = own->way[i] == CT_WAY_FIRST ? CT_WATCH_B : CT_WATCH_A;
        if (!is_pair(all, own->way, i) || own->way[i] == s->mode->way[i])
            continue;
        double size = fmax(all->scale[CT_WATCHES * i + at], fabs(own->watch[CT_WATCHES * i + at]));
        s->wrong[i] |= own->watch[CT_WATCHES * i + at] < -worth_telling * size;
        last = s->wrong[i] ? i + 1 : last;
    }
    return last;
}

/* ---- the search */

static void flip(uint8_t *way, uint32_t item)
{
    way[item] = way[item] == CT_WAY_FIRST ? CT_WAY_SECOND : CT_WAY_FIRST;
}

/* What is set cannot move: some pair holds it. One after the other is let go, then all stops. */
static ct_solve_status let_go(strike *s, ct_solve_status status)
{
    const ct_modes *all = s->mode->all;
    uint8_t *from = s->tried; /* the first try */
    for (int gaps = 1; gaps >= 0; gaps--)
        for (uint32_t i = 0; i < all->count; i++) {
            memcpy(s->way, from, all->count);
            if (!is_pair(all, from, i) || (from[i] != CT_WAY_FIRST && all->item[i].gap) ||
                all->item[i].gap != (gaps == 1))
                continue;
            flip(s->way, i);
            if (!was_tried(s) && (status = try_ways(s)) == CT_SOLVED)
                return status;
            if (status == CT_REPORTED)
                return status;
        }
    memcpy(s->way, from, all->count);
    for (uint32_t i = 0; i < all->count; i++)
        if (is_pair(all, from, i) && from[i] == CT_WAY_FIRST && all->item[i].gap)
            s->way[i] = CT_WAY_SECOND;
    return was_tried(s) ? status : try_ways(s);
}

/* The next ways: all that are wrong are flipped; if these were tried, the last one. */
static bool turn(strike *s, uint32_t last)
{
    uint32_t count = s->mode->all->count;
    memcpy(s->way, s->own->way, count);
    for (uint32_t i = 0; i < count; i++)
        if (s->wrong[i])
            flip(s->way, i);
    if (!was_tried(s))
        return true;
    memcpy(s->way, s->own->way, count);
    flip(s->way, last - 1);
    return !was_tried(s);
}

static void report_reach(const ct_modes *all, uint32_t item, double t)
{
    const ct_component *c = &all->model->component[all->item[item].component];
    const char *name = ct_name_text(all->ctx, c->name);
    ct_report *r = ct_error(all->ctx, "E565", c->place,
                            "an impact at t = %.9g s sends an impulse through %s", t, name);
    ct_note(r, "whichever way %s goes while the impulse passes, it would have to go the other one",
            name);
    ct_help(r, "use `end_stop` or `contact` with a restitution `e` for the impact: all of them are "
               "solved together");
    ct_witness(r, name);
}

/* Until no way is wrong. What returns may do so where nothing else fits: it hits then. */
static ct_solve_status search(strike *s)
{
    ct_modes *all = s->mode->all;
    uint8_t *thrown = NULL;
    uint32_t pulled, last;
    for (;;) {
        pulled = find_pulled(s);
        last = find_returning(s);
        last = last > pulled ? last : pulled;
        if (!last)
            return CT_SOLVED;
        if (!pulled)
            thrown = s->tried + (size_t)(s->tries - 1) * all->count;
        if (!turn(s, last))
            break;
        ct_solve_status status = try_ways(s);
        if (status == CT_REPORTED)
            return status;
        if (status != CT_SOLVED)
            break;
    }
    if (thrown) {
        memcpy(s->way, thrown, all->count);
        s->tries = s->tries < MOST_TRIES ? s->tries : MOST_TRIES - 1;
        return try_ways(s);
    }
    report_reach(all, last - 1, s->instant);
    return CT_REPORTED;
}

static ct_solve_status strike_through(strike *s)
{
    bool loose = loosen(s->mode, s->way);
    ct_solve_status status = try_ways(s);
    if (loose && !s->own) {
        memcpy(s->way, s->mode->way, s->mode->all->count);
        status = try_ways(s);
    }
    if (status != CT_SOLVED && status != CT_REPORTED)
        status = let_go(s, status);
    if (status == CT_SOLVED)
        return search(s);
    if (status != CT_REPORTED)
        ct_mode_report_held(s->mode->all, s->instant);
    return CT_REPORTED;
}

/* ---- what has moved */

/* What impulses moved: states, and dependent storage with them. What discretes make jump is left to
 * the mode that is entered next. */
static void take_moves(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    uint32_t n = mode->machine->n, first = CT_WATCHES * all->count;
    ct_run_stats stats = {0};
    bool moved = false;
    for (uint32_t i = 0; i < n; i++)
        moved |= mode->z[i] != mode->before[i];
    if (!moved)
        return;
    ct_rig_watch(mode->rig, t, mode->before, mode->watch);
    for (uint32_t i = 0; i < mode->record_count; i++)
        all->value[i] -= mode->watch[first + i];
    if (mode->machine->m) /* w follows */
        ct_solve_algebraic(all->ctx, &mode->rig->held, t, mode->z, true, &stats);
    ct_rig_watch(mode->rig, t, mode->z, mode->watch);
    for (uint32_t i = 0; i < mode->record_count; i++)
        all->value[i] += mode->watch[first + i];
    for (uint32_t i = 0; i < n; i++)
        if (mode->state_record[i] != UINT32_MAX)
            all->value[mode->state_record[i]] = mode->z[i];
}

/* What is assigned counts from now on; what depends on it jumps when the next mode is entered. */
static ct_solve_status take_over(ct_regime *mode, ct_regime *own, double t, ct_acted acted)
{
    ct_modes *all = mode->all;
    if (own != mode)
        ct_acting_take(mode->rig, own->rig);
    if (acted == CT_ACTED_CHANGED && !ct_use_variant(own->rig))
        return CT_SINGULAR;
    if (acted == CT_ACTED_NOTHING)
        return CT_SOLVED;
    take_moves(own, t);
    if (own != mode) {
        all->now = all->from = own;
        all->from_time = t;
        all->left = UINT32_MAX;
    }
    return CT_SOLVED;
}

/* ---- events of the model */

static ct_solve_status strike_tied(ct_regime *mode, double instant, double t, ct_acted *acted)
{
    uint32_t size = mode->machine->n + mode->machine->m, count = mode->all->count;
    if (!mode->spare)
        mode->spare = ct_rig_new(mode->machine, mode->all->quantity);
    ct_acting_take(mode->spare, mode->rig);
    ct_arena *scratch = ct_arena_new(mode->all->ctx);
    strike s = {.mode = mode, .instant = instant, .t = t};
    s.z = CT_NEW_ARRAY(scratch, double, size + 1);
    s.way = CT_NEW_ARRAY(scratch, uint8_t, count + 1);
    s.tried = CT_NEW_ARRAY(scratch, uint8_t, (size_t)(MOST_TRIES + 2) * count + 1);
    s.wrong = CT_NEW_ARRAY(scratch, bool, count + 1);
    memcpy(s.z, mode->z, size * sizeof *s.z);
    ct_solve_status status = strike_through(&s);
    *acted = s.acted;
    if (status == CT_SOLVED)
        status = take_over(mode, s.own, t, s.acted);
    ct_arena_free(scratch);
    return status;
}

ct_solve_status ct_mode_act(ct_regime *mode, double instant, double t, ct_acted *acted)
{
    *acted = CT_ACTED_NOTHING;
    if (!mode->rig->acting)
        return CT_SOLVED;
    if (ct_pushes_are_tied(mode->machine))
        return strike_tied(mode, instant, t, acted);
    const ct_machine *m = mode->machine;
    memcpy(mode->before, mode->z, (m->n + m->m) * sizeof *mode->z);
    ct_solve_status status = ct_act_now(mode->rig, instant, t, mode->z, acted);
    return status == CT_SOLVED ? take_over(mode, mode, t, *acted) : status;
}

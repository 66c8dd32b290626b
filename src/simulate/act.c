/* act.c - events of the model in a run: which happen now, and what they assign. */
#include "simulate/act.h"

#include <math.h>
#include <string.h>

#include "simulate/blow.h"
#include "simulate/jump.h"
#include "simulate/past.h"
#include "simulate/rig.h"
#include "simulate/variant.h"

typedef CT_VEC(ct_event_row) event_list;

typedef struct renaming {
    uint32_t index;
    double value;
} renaming;

struct ct_acting {
    ct_rig *rig;
    double *work_truth, *work_clock, **work_value;
    double *truth, *value;
    bool *was;         /* per condition: its truth before */
    bool *now;         /* per act: it happens */
    uint32_t due;      /* of these, from this one on; 0: all have */
    ct_ticking *clock; /* per clock */
    ct_foreign **code; /* per act; NULL: no code of the user */
    bool begun;        /* conditions have been looked at */
    double instant;
    double *at;           /* per act: this instant; of a clock the time of its tick */
    ct_pace *pace;        /* per act */
    const double *before; /* variables that are set by impulses */
    ct_impacts *impacts;  /* NULL: none has a rule */
    bool *hit;            /* per act: it happened by its rule */
    const char *why;      /* the run ends */
    ct_arena *arena;      /* of the list; NULL: there is none */
    event_list list;
    ct_pushing *pushing; /* NULL: nothing is set by impulses */
    ct_blows *blows;
    uint32_t *which; /* what is: pushes, */
    double *wanted;  /* values, */
    uint32_t wanted_count;
    double *older;            /* discretes, before the blocks that follow each other now, */
    double *newer;            /* and after them */
    CT_VEC(renaming) renamed; /* coordinates that are exchanged, when all else is done */
    double span;              /* of the run */
};

/* ---- discretes */

static double *discretes(const ct_rig *rig)
{
    return rig->variable + rig->machine->n + rig->machine->m + 1;
}

void ct_set_discretes(ct_rig *rig)
{
    const ct_driven *d = rig->machine->driven;
    double *now = discretes(rig);
    for (uint32_t i = 0; i < d->discrete_count; i++) {
        double start = rig->value[d->discrete[i]];
        now[i] = now[d->discrete_count + i] = isnan(start) ? 0 : start;
    }
}

void ct_put_discrete(ct_rig *rig, ct_name discrete, double value)
{
    const ct_driven *d = rig->machine->driven;
    for (uint32_t i = 0; i < d->discrete_count; i++)
        if (d->model->quantity[d->discrete[i]].name == discrete)
            discretes(rig)[i] = discretes(rig)[d->discrete_count + i] = value;
}

/* ---- making */

static uint32_t most_sets(const ct_driven *d)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < d->act_count; i++)
        most = d->act[i].set_count > most ? d->act[i].set_count : most;
    return most;
}

ct_acting *ct_acting_new(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    const ct_acts *a = m->acts;
    if (!a)
        return NULL;
    ct_acting *k = CT_NEW(rig->arena, ct_acting);
    *k = (ct_acting){.rig = rig,
                     .work_truth = ct_rig_prepared(rig, a->truth),
                     .work_clock = ct_rig_prepared(rig, a->clock)};
    k->truth = CT_NEW_ARRAY(rig->arena, double, a->when_count + 1);
    k->was = CT_NEW_ARRAY(rig->arena, bool, a->when_count + 1);
    k->now = CT_NEW_ARRAY(rig->arena, bool, a->count);
    k->at = CT_NEW_ARRAY(rig->arena, double, a->count);
    k->pace = CT_NEW_ARRAY(rig->arena, ct_pace, a->count);
    k->clock = CT_NEW_ARRAY(rig->arena, ct_ticking, a->count);
    k->value = CT_NEW_ARRAY(rig->arena, double, most_sets(m->driven) + 1);
    k->code = CT_NEW_ARRAY(rig->arena, ct_foreign *, a->count);
    k->work_value = CT_NEW_ARRAY(rig->arena, double *, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        k->work_value[i] = ct_rig_prepared(rig, a->value[i]);
    k->older = CT_NEW_ARRAY(rig->arena, double, m->driven->discrete_count + 1);
    k->newer = CT_NEW_ARRAY(rig->arena, double, m->driven->discrete_count + 1);
    if (a->pushes) {
        k->pushing = ct_pushing_new(rig, a->pushes);
        k->which = CT_NEW_ARRAY(rig->arena, uint32_t, a->pushes->count);
        k->wanted = CT_NEW_ARRAY(rig->arena, double, a->pushes->count);
        k->blows = ct_blows_new(rig, k->pushing);
        k->hit = CT_NEW_ARRAY(rig->arena, bool, a->count);
        k->impacts = a->contacts ? ct_impacts_new(rig, a->contacts) : NULL;
    }
    return k;
}

/* ---- clocks */

double ct_next_tick(const ct_rig *rig, double t)
{
    const ct_acting *k = rig->acting;
    uint32_t count = k ? rig->machine->acts->count - rig->machine->acts->when_count : 0;
    double next = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        if (k->clock[i].period > 0) /* a run has begun */
            next = fmin(next, ct_tick_after(&k->clock[i], t));
    return next;
}

/* ---- a run begins */

bool ct_acting_begin(ct_rig *rig, double start, double stop)
{
    ct_acting *k = rig->acting;
    const ct_machine *m = rig->machine;
    ct_set_discretes(rig);
    ct_rig_list_breaks(rig);
    if (!k)
        return true;
    k->begun = false;
    k->due = 0;
    k->span = stop - start;
    memset(k->pace, 0, m->acts->count * sizeof *k->pace);
    if (k->blows)
        ct_blows_begin(k->blows, start, stop);
    k->why = NULL;
    k->arena = NULL;
    k->list = (event_list){0};
    ct_past_begin(rig, start);
    double *value = CT_NEW_ARRAY(rig->arena, double, 2 * m->acts->count + 1);
    ct_program_run(m->acts->clock, rig->variable, value, k->work_clock);
    for (uint32_t i = 0, clock = 0; i < m->acts->count; i++) {
        const ct_happening *h = m->driven->act[i].of;
        if (!h->clock)
            continue;
        k->clock[clock] = (ct_ticking){.period = value[2 * clock], .offset = value[2 * clock + 1]};
        if (h->lag) {
            if (!ct_past_take(rig, i, value[2 * clock], stop - start))
                return false;
            k->clock[clock++].next = INFINITY;
            continue;
        }
        ct_ticking *c = &k->clock[clock++];
        c->next = ct_first_tick(rig, h, c->period, c->offset, start, stop);
        if (!(c->next >= 0) || (h->code && !ct_code_open(rig, i, &k->code[i])))
            return false;
    }
    return true;
}

void ct_acting_take(ct_rig *rig, const ct_rig *from)
{
    uint32_t count = rig->machine->driven->discrete_count;
    if (count)
        memcpy(discretes(rig), discretes(from), 2 * count * sizeof(double));
    ct_past_share(rig, from);
    if (!rig->acting || !from->acting)
        return;
    const ct_acts *a = rig->machine->acts;
    ct_acting *to = rig->acting;
    const ct_acting *k = from->acting;
    memcpy(to->was, k->was, a->when_count * sizeof *to->was);
    memcpy(to->now, k->now, a->count * sizeof *to->now);
    memcpy(to->at, k->at, a->count * sizeof *to->at);
    memcpy(to->pace, k->pace, a->count * sizeof *to->pace);
    to->due = k->due;
    memcpy(to->clock, k->clock, a->count * sizeof *to->clock);
    memcpy(to->code, k->code, a->count * sizeof(ct_foreign *));
    if (to->blows && k->blows) {
        ct_blows_take(to->blows, k->blows);
        if (rig->variants && from->variants && !ct_variants_take(rig, from))
            ct_blows_lose(to->blows);
    }
    to->span = k->span;
    to->begun = k->begun;
    to->why = k->why;
    to->arena = k->arena;
    to->list = k->list;
    ct_rig_list_breaks(rig);
}

bool ct_acting_fits(const ct_rig *rig, const ct_rig *other)
{
    const ct_driven *a = rig->machine->driven, *b = other->machine->driven;
    return a->push_count == b->push_count &&
           (!a->push_count || memcmp(a->push, b->push, a->push_count * sizeof *a->push) == 0);
}

bool ct_acting_has_code(const ct_rig *rig)
{
    bool any = false;
    for (uint32_t i = 0; rig->acting && i < rig->machine->acts->count; i++)
        any |= rig->acting->code[i] != NULL;
    return any;
}

uint32_t ct_acting_reach(const ct_rig *rig)
{
    const ct_acting *k = rig->acting;
    const uint32_t *reach = rig->machine->push_reach;
    uint32_t found = 0;
    for (uint32_t i = 0; i < k->wanted_count && !found; i++)
        found = reach[k->which[i]];
    for (uint32_t i = 0; k->impacts && i < rig->machine->driven->push_count && !found; i++)
        found = reach[i];
    return found;
}

/* Both at the states just after, with impulses and without. */
void ct_acting_shock(ct_rig *rig, double t, const double *z, double *watch)
{
    const ct_machine *m = rig->machine;
    uint32_t count = m->model->watch_count, pushes = m->driven->push_count;
    ct_arena *scratch = ct_arena_new(m->ctx);
    double *without = CT_NEW_ARRAY(scratch, double, count + 1), *force = rig->variable + m->z_count;
    const double *impulse = ct_push_impulses(rig->acting->pushing);
    ct_rig_set_point(rig, t, z);
    memset(force, 0, pushes * sizeof *force);
    ct_program_run(m->watching, rig->variable, without, rig->work_watch);
    for (uint32_t i = 0; i < m->m; i++)
        rig->variable[m->n + i] += impulse[pushes + i];
    memcpy(force, impulse, pushes * sizeof *force);
    ct_program_run(m->watching, rig->variable, watch, rig->work_watch);
    memset(force, 0, pushes * sizeof *force);
    for (uint32_t i = 0; i < count; i++)
        watch[i] -= without[i];
    ct_arena_free(scratch);
}

/* ---- what happens now */

/* What rests is set no more. */
static bool is_held(const ct_acting *k, uint32_t act)
{
    const ct_act *a = &k->rig->machine->driven->act[act];
    for (uint32_t i = 0; i < a->set_count; i++)
        if (a->set[i].push && ct_rests(k->rig, a->set[i].push - 1))
            return true;
    return false;
}

/* One that rounding alone has made true is looked at again: it may come true in earnest. */
static bool turns_true(ct_acting *k, uint32_t act, bool now, bool *was, double t, const double *z)
{
    bool before = *was;
    const ct_act *a = &k->rig->machine->driven->act[act];
    if (now && !k->begun)
        ct_warn_waiting(k->rig->machine, a);
    if (!now && k->blows)
        ct_blows_clear(k->blows, act);
    *was = now;
    if (k->blows && ct_blow_is_due(k->blows, a))
        return true;
    if (!now || before || !k->begun || is_held(k, act))
        return false;
    if (!k->blows)
        return true;
    ct_program_run(k->rig->machine->acts->value[act], k->rig->variable, k->value,
                   k->work_value[act]);
    *was = !ct_blow_is_rounding(k->blows, act, t, z, k->value);
    return *was;
}

/* Conditions that turn true, and clocks that are due. */
static bool find_happening(ct_acting *k, double t, const double *z)
{
    const ct_machine *m = k->rig->machine;
    bool any = false;
    ct_program_run(m->acts->truth, k->rig->variable, k->truth, k->work_truth);
    for (uint32_t i = 0, when = 0, clock = 0; i < m->acts->count; i++) {
        if (m->driven->act[i].of->clock) {
            ct_ticking *c = &k->clock[clock++];
            k->at[i] = ct_tick_time(c, c->next);
            k->now[i] = k->at[i] <= t;
            c->next += k->now[i];
        } else {
            k->now[i] = turns_true(k, i, k->truth[when] != 0, &k->was[when], t, z);
            k->at[i] = k->instant;
            when++;
        }
        any |= k->now[i];
    }
    k->begun = true;
    return any;
}

/* May a condition of an event turn true here? */
static bool is_turning(const ct_acting *k)
{
    const ct_acts *a = k->rig->machine->acts;
    bool any = false;
    ct_program_run(a->truth, k->rig->variable, k->truth, k->work_truth);
    for (uint32_t i = 0; i < a->when_count; i++)
        any |= k->truth[i] != 0 && !k->was[i];
    return any && k->begun;
}

static const char *name_of(const ct_machine *m, const ct_set *s)
{
    return ct_name_text(m->ctx, ct_expr_name(m->pool, s->of->target));
}

static void list_event(ct_acting *k, uint32_t act, const double *z)
{
    const ct_machine *m = k->rig->machine;
    const ct_act *a = &m->driven->act[act];
    ct_event_change *change = CT_NEW_ARRAY(k->arena, ct_event_change, a->set_count + 1);
    for (uint32_t i = 0; i < a->set_count; i++) {
        const double *from = a->set[i].discrete ? discretes(k->rig)
                             : a->set[i].push   ? k->before
                                                : z;
        change[i] =
            (ct_event_change){name_of(m, &a->set[i]), from[m->acts->state[act][i]], k->value[i]};
    }
    ct_event_row row = {k->at[act], a->of->label, change, a->set_count};
    CT_PUSH(k->arena, k->list, row);
}

void ct_acting_add(ct_rig *rig, double t, const char *what, const ct_event_change *change,
                   uint32_t count)
{
    ct_acting *k = rig->acting;
    if (!k->arena)
        return;
    ct_event_change *own = CT_NEW_ARRAY(k->arena, ct_event_change, count + 1);
    memcpy(own, change, count * sizeof *own);
    ct_event_row row = {t, what, own, count};
    CT_PUSH(k->arena, k->list, row);
}

bool ct_act_is_true(ct_rig *rig, uint32_t act)
{
    const ct_machine *m = rig->machine;
    ct_acting *k = rig->acting;
    uint32_t when = 0;
    if (m->driven->act[act].of->clock)
        return false;
    for (uint32_t i = 0; i < act; i++)
        when += m->driven->act[i].of->clock ? 0 : 1;
    ct_program_run(m->acts->truth, rig->variable, k->truth, k->work_truth);
    return k->truth[when] != 0;
}

ct_blows *ct_acting_blows(const ct_rig *rig)
{
    return rig->acting ? rig->acting->blows : NULL;
}

/* The last one of an instant counts. */
static void want(ct_acting *k, uint32_t push, double value)
{
    uint32_t i = 0;
    while (i < k->wanted_count && k->which[i] != push)
        i++;
    k->which[i] = push;
    k->wanted[i] = value;
    k->wanted_count += i == k->wanted_count;
}

/* Impulses, while discretes are what they were; then what these make jump can be told from it. */
static ct_solve_status move_stored(ct_acting *k, double t, double *z)
{
    ct_rig *rig = k->rig;
    uint32_t count = rig->machine->driven->discrete_count;
    ct_solve_status status = CT_SOLVED;
    double *now = discretes(rig);
    memcpy(k->newer, now, count * sizeof *now);
    memcpy(now, k->older, count * sizeof *now);
    if (k->wanted_count)
        status = ct_push_to(k->pushing, t, z, k->which, k->wanted, k->wanted_count);
    if (rig->jumping)
        ct_jump_remember(rig, t, z);
    memcpy(now, k->newer, count * sizeof *now);
    return status;
}

/* A block assigns all at once, from what was before it. */
static bool assign(ct_acting *k, uint32_t act, double *z)
{
    const ct_machine *m = k->rig->machine;
    const ct_act *a = &m->driven->act[act];
    double *now = discretes(k->rig), at = k->at[act];
    if (ct_pace_storms(&k->pace[act], at, k->span)) {
        ct_report_act_storm(k->rig, act, k->pace[act].since, at);
        return false;
    }
    if (a->of->clock)
        now[m->driven->memory - 1] = at;
    ct_program_run(m->acts->value[act], k->rig->variable, k->value, k->work_value[act]);
    if (!(a->of->code ? ct_code_call(k->rig, act, k->code[act], at, k->value)
                      : ct_act_has_values(k->rig, act, at, k->value)))
        return false;
    if (k->arena)
        list_event(k, act, z);
    for (uint32_t i = 0; i < a->set_count; i++) {
        uint32_t index = m->acts->state[act][i];
        if (a->set[i].push) {
            want(k, index, k->value[i]);
            ct_blow(k->blows, act, index, k->instant, k->value[i]);
        } else if (a->set[i].of->renames) {
            CT_PUSH(k->rig->arena, k->renamed, ((renaming){index, k->value[i]}));
        } else
            (a->set[i].discrete ? now : z)[index] = k->value[i];
    }
    if (a->why)
        k->why = a->why;
    return true;
}

/* Impacts with a rule, all together. */
static ct_solve_status hit_at_once(ct_acting *k, double t, double *z)
{
    const ct_machine *m = k->rig->machine;
    if (!k->impacts)
        return CT_SOLVED;
    memcpy(k->hit, k->now, m->acts->count * sizeof *k->hit);
    ct_solve_status status = ct_impacts_now(k->impacts, k->pushing, t, z, k->now);
    const double *after = ct_push_values(k->pushing, t, z);
    for (uint32_t i = 0; i < m->acts->count && status == CT_SOLVED; i++) {
        if (!k->hit[i] || k->now[i])
            continue;
        uint32_t push = m->driven->act[i].set[0].push - 1;
        k->value[0] = after[push];
        if (k->arena)
            list_event(k, i, z);
        ct_blow(k->blows, i, push, k->instant, after[push]);
    }
    return status;
}

static ct_solve_status settle_blows(ct_acting *k, double t, double *z, ct_acted *acted)
{
    bool changed = false;
    ct_solve_status status = k && k->blows ? ct_blows_settle(k->blows, t, z, &changed) : CT_SOLVED;
    *acted = changed ? CT_ACTED_CHANGED : CT_ACTED_NOTHING;
    return status;
}

static ct_solve_status begin_instant(ct_acting *k, double t, double *z)
{
    ct_rig *rig = k->rig;
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m, count = m->driven->discrete_count;
    memcpy(discretes(rig) + count, discretes(rig), count * sizeof *z);
    k->wanted_count = 0;
    if (k->pushing)
        ct_push_begin(k->pushing);
    if (k->blows)
        k->before = ct_blows_before(k->blows, t, z);
    ct_solve_status status = hit_at_once(k, t, z);
    memcpy(rig->variable, z, size * sizeof *z);
    return status;
}

/* Does a block that happens now set what is stored? */
static bool moves_stored(const ct_acting *k)
{
    const ct_driven *d = k->rig->machine->driven;
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t s = 0; k->now[i] && s < d->act[i].set_count; s++)
            if (!d->act[i].set[s].discrete)
                return true;
    return false;
}

/* Has what the blocks before it have set changed what this one reads? */
static bool is_stale(const ct_acting *k, uint32_t act)
{
    const ct_acts *a = k->rig->machine->acts;
    const double *now = discretes(k->rig);
    if (!a->sees[act] || moves_stored(k))
        return false;
    for (uint32_t i = 0; i < k->rig->machine->driven->discrete_count; i++)
        if (a->moves[i] && now[i] != k->older[i])
            return true;
    return false;
}

/* Blocks follow each other. Before one that reads what others have changed, equations are solved
 * anew: it is due when they are. */
static ct_solve_status assign_all(ct_acting *k, double *z)
{
    const ct_machine *m = k->rig->machine;
    uint32_t first = k->due;
    k->due = 0;
    memcpy(k->older, discretes(k->rig), m->driven->discrete_count * sizeof *z);
    for (uint32_t i = first; i < m->acts->count && !k->due; i++) {
        if (k->now[i] && i > first && is_stale(k, i))
            k->due = i;
        else if (k->now[i] && !assign(k, i, z))
            return CT_REPORTED;
    }
    return CT_SOLVED;
}

ct_solve_status ct_act_now(void *user, double instant, double t, double *z, ct_acted *acted)
{
    ct_rig *rig = user;
    ct_acting *k = rig->acting;
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    memcpy(rig->variable, z, size * sizeof *z);
    rig->variable[size] = t;
    if (rig->past)
        ct_past_set(rig, t);
    *acted = CT_ACTED_CHANGED;
    if (ct_leave_variant(rig, t, z))
        return CT_SOLVED;
    bool waits = k && is_turning(k); /* what it sets may change what is behind a condition */
    if (!waits && ct_starts_sliding(rig, t, z))
        return CT_SOLVED;
    ct_solve_status status = settle_blows(k, t, z, acted);
    if (status != CT_SOLVED || *acted == CT_ACTED_CHANGED || !k)
        return status;
    k->instant = instant;
    memcpy(rig->variable, z, size * sizeof *z);
    ct_set_forces(rig, t, z);
    if (!k->due) {
        if (!find_happening(k, t, z)) {
            *acted = waits && ct_starts_sliding(rig, t, z) ? CT_ACTED_CHANGED : *acted;
            return CT_SOLVED;
        }
        status = begin_instant(k, t, z);
    }
    if (status == CT_SOLVED)
        status = assign_all(k, z);
    if (status != CT_SOLVED)
        return status;
    status = move_stored(k, t, z);
    for (uint32_t i = 0; i < k->renamed.count; i++)
        z[k->renamed.at[i].index] = k->renamed.at[i].value;
    k->renamed.count = 0;
    if (k->blows)
        ct_blows_after(k->blows, t, z);
    ct_rig_list_breaks(rig);
    *acted = k->why ? CT_ACTED_LAST : CT_ACTED;
    return status;
}

/* ---- what is told */

void ct_acting_list(ct_rig *rig, ct_arena *arena)
{
    if (rig->acting)
        rig->acting->arena = arena;
}

void ct_acting_end(const ct_rig *rig, ct_simulation *run)
{
    const ct_acting *k = rig->acting;
    if (!k)
        return;
    run->ended = k->why;
    run->event = k->list.at;
    run->event_count = k->list.count;
}

bool ct_act_happens(const ct_rig *rig, uint32_t act)
{
    return rig->acting->now[act];
}

uint64_t ct_act_count(const ct_rig *rig, uint32_t act)
{
    return rig->acting->pace[act].count;
}

const ct_pushing *ct_acting_pushing(const ct_rig *rig)
{
    return rig->acting ? rig->acting->pushing : NULL;
}

/* choose.c - the mode after an event: what the choice of modes (choice/) asks for, from modes that
 * are derived when they are first reached. What is found is derived, entered and looked at.
 */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/act.h"

/* ---- the linear problem */

uint32_t ct_mode_source(const ct_regime *wave, uint32_t item)
{
    const ct_mode_item *i = &wave->all->item[item];
    const ct_machine *m = wave->machine;
    const char *name = ct_printf(
        m->ctx, "%s.free %u", ct_name_text(m->ctx, m->model->component[i->component].name), i->law);
    return ct_map_get(&m->z_index, ct_intern_text(m->ctx, name)) - 1;
}

/* False: one is no state. */
static bool list_sources(const ct_regime *wave, uint32_t *source)
{
    bool good = true;
    for (uint32_t i = 0; i < wave->all->count; i++) {
        bool is_free = wave->way[i] == CT_WAY_FREE;
        source[i] = is_free ? ct_mode_source(wave, i) : UINT32_MAX;
        good &= !is_free || source[i] < wave->machine->n;
    }
    return good;
}

static uint32_t count_free(const ct_regime *wave)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wave->all->count; i++)
        count += wave->way[i] == CT_WAY_FREE;
    return count;
}

static void make_room(const ct_regime *wave, ct_choice_wave *w)
{
    ct_arena *arena = wave->all->arena;
    size_t size = w->size, items = count_free(wave), watches = CT_WATCHES * wave->all->count;
    w->value = CT_NEW_ARRAY(arena, double, watches + 1);
    w->watch_slope = CT_NEW_ARRAY(arena, double, w->watch_start[size] + 1);
    w->step = CT_NEW_ARRAY(arena, double, size *size + size + 1);
    w->by = CT_NEW_ARRAY(arena, double, (items + 1) * size + 1);
    w->line = CT_NEW_ARRAY(arena, double, (items + 1) * watches + 1);
    w->chosen = CT_NEW_ARRAY(arena, double, items *items + items + 1);
    w->given = CT_NEW_ARRAY(arena, double, items + 1);
    w->pivot = CT_NEW_ARRAY(arena, uint32_t, size + 1);
    w->order = CT_NEW_ARRAY(arena, uint32_t, items + 1);
    w->item = CT_NEW_ARRAY(arena, uint32_t, items + 1);
    w->forced = CT_NEW_ARRAY(arena, uint8_t, items + 1);
}

/* Programs of what is watched by z, and the problem; NULL after reporting. */
static ct_mode_wave *open_wave(ct_regime *wave)
{
    const ct_machine *m = wave->machine;
    ct_mode_wave *own = CT_NEW(wave->all->arena, ct_mode_wave);
    uint32_t *source = CT_NEW_ARRAY(wave->all->arena, uint32_t, wave->all->count + 1);
    uint32_t size = m->n + m->m, watches = CT_WATCHES * wave->all->count;
    if (!list_sources(wave, source) ||
        !ct_machine_bundle(m, m->watch, watches, m->z, size, m->z_count, &own->bundle))
        return NULL;
    own->work = ct_rig_prepared(wave->rig, own->bundle.value);
    own->work_slope = ct_rig_prepared(wave->rig, own->bundle.slope);
    own->plain = (ct_choice_wave){.states = m->n,
                                  .size = size,
                                  .watch_start = own->bundle.jacobian->start,
                                  .watch_row = own->bundle.jacobian->row,
                                  .source = source};
    make_room(wave, &own->plain);
    return own;
}

/* That of the equations now: bodies that came to rest have others (variant.h). */
static void take_pattern(ct_regime *wave)
{
    ct_choice_wave *w = &wave->wave->plain;
    ct_problem *p = &wave->rig->held;
    ct_need_pattern(p);
    if (w->start == p->start)
        return;
    w->start = p->start;
    w->row = p->row;
    w->slope = CT_NEW_ARRAY(wave->all->arena, double, w->start[w->size] + 1);
}

/* ---- what the choice asks for */

static ct_regime *regime(void *user, uint32_t mode)
{
    ct_modes *all = user;
    return all->mode.at[mode];
}

static const uint8_t *way_of(void *user, uint32_t mode)
{
    return regime(user, mode)->way;
}

/* The first ways without equations are kept for messages. */
static uint32_t find(void *user, const uint8_t *way)
{
    ct_modes *all = user;
    ct_regime *mode = ct_mode_find(all, way, false);
    if (!mode && !all->broke) {
        all->broke = true;
        memcpy(all->broken, way, all->count);
    }
    return mode && ct_modes_remember(all) ? mode->number : UINT32_MAX;
}

static uint32_t need(void *user, const uint8_t *way)
{
    ct_modes *all = user;
    ct_regime *mode = ct_mode_need(all, way, all->choice.t);
    return mode && ct_modes_remember(all) ? mode->number : UINT32_MAX;
}

static bool enter(void *user, uint32_t number, double before, bool *moved)
{
    ct_modes *all = user;
    ct_regime *mode = regime(user, number);
    uint32_t reports = ct_reports_so_far(all->ctx);
    bool good = ct_mode_enter(mode, before, all->choice.t) == CT_SOLVED &&
                (!all->strike || ct_mode_complete(mode));
    if (!good && all->strike) /* other ways are tried */
        ct_forget_reports_since(all->ctx, reports);
    *moved = mode->moved;
    return good;
}

static const double *watch(void *user, uint32_t number)
{
    ct_regime *mode = regime(user, number);
    ct_rig_watch(mode->rig, mode->all->choice.t, mode->z, mode->watch);
    return mode->watch;
}

static void hold(void *user, uint32_t number)
{
    const ct_regime *mode = regime(user, number);
    if (mode->rig->held.hold)
        mode->rig->held.hold(mode->rig, mode->all->choice.t, mode->z);
}

static uint32_t judge(void *user, uint32_t mode)
{
    return ct_mode_wrong(regime(user, mode), ((ct_modes *)user)->choice.t);
}

static bool leave(void *user, uint32_t number, bool impact)
{
    ct_modes *all = user;
    ct_regime *mode = regime(user, number);
    if (!ct_modes_go_from(mode, all->choice.t))
        return false;
    for (uint32_t i = 0; i < all->impact.count && impact; i++)
        if (!all->impact.at[i].rest)
            all->impact.at[i].after = mode->watch[CT_WATCHES * all->impact.at[i].item];
    all->choice.before = all->choice.t;
    return true;
}

static double moment(void *user, uint32_t mode)
{
    return ct_rig_next_break(regime(user, mode)->rig, ((ct_modes *)user)->choice.t);
}

static ct_choice_wave *wave_of(void *user, uint32_t mode)
{
    ct_regime *wave = regime(user, mode);
    if (!wave->wave)
        wave->wave = open_wave(wave);
    if (!wave->wave)
        return NULL;
    take_pattern(wave);
    return &wave->wave->plain;
}

static void slopes(void *user, uint32_t mode, double *entry)
{
    const ct_regime *wave = regime(user, mode);
    const ct_problem *p = &wave->rig->held;
    p->jacobian(p->user, wave->all->choice.t, wave->z, entry);
}

static void rates(void *user, uint32_t mode, double t, double *rate)
{
    const ct_regime *wave = regime(user, mode);
    const ct_problem *p = &wave->rig->held;
    p->evaluate(p->user, t, wave->z, rate);
}

static void lines(void *user, uint32_t mode, double t, double *value, double *entry)
{
    const ct_regime *wave = regime(user, mode);
    const ct_mode_wave *own = wave->wave;
    ct_rig *rig = wave->rig;
    memcpy(rig->variable, wave->z, own->plain.size * sizeof *wave->z);
    rig->variable[own->plain.size] = t;
    ct_program_run(own->bundle.value, rig->variable, value, own->work);
    ct_program_run(own->bundle.slope, rig->variable, entry, own->work_slope);
}

static uint32_t known(void *user)
{
    ct_modes *all = user;
    all->broke = false;
    const ct_regime *mode =
        ct_linear_next(all, all->choice.present, all->choice.before, all->choice.t);
    return mode ? mode->number : UINT32_MAX;
}

static void chosen(void *user, uint32_t mode, bool lasts)
{
    ct_modes *all = user;
    all->now = regime(user, mode);
    if (all->now->moved && !all->impact.count) /* impacts are listed, and no accident (W532) */
        ct_note_impulses(all->now->rig);
    if (lasts)
        ct_linear_follow(all, all->now);
}

const ct_choice_calls ct_modes_calls = {.way_of = way_of,
                                        .find = find,
                                        .need = need,
                                        .enter = enter,
                                        .watch = watch,
                                        .hold = hold,
                                        .judge = judge,
                                        .leave = leave,
                                        .moment = moment,
                                        .wave = wave_of,
                                        .slopes = slopes,
                                        .rates = rates,
                                        .lines = lines,
                                        .restore = ct_strike_restore,
                                        .act = ct_strike_act,
                                        .shock = ct_strike_shock,
                                        .known = known,
                                        .chosen = chosen,
                                        .hit = ct_bounce_hit};

/* ---- the choice */

static void report(ct_modes *all)
{
    const ct_chooser *c = &all->choice;
    uint32_t number = c->wave != UINT32_MAX ? c->wave : c->last;
    const ct_regime *tried = number != UINT32_MAX ? all->mode.at[number] : NULL;
    uint32_t any = c->wave != UINT32_MAX && c->l && c->l->count ? c->l->item[0] : 0;
    if (tried && (ct_report_range_at(tried->rig, c->t, tried->z, CT_BOTH_SIDES) ||
                  ct_report_jump(tried->rig)))
        return;
    if (!all->broke || !ct_modes_report_broken(all, all->broken, UINT32_MAX, c->t))
        ct_modes_report_wrong(all, c->present, c->worst, any, c->t);
}

bool ct_modes_settle(ct_modes *all, double before, double t)
{
    ct_chooser *c = &all->choice;
    size_t errors = ct_errors_raised(all->ctx);
    c->before = before;
    c->t = t;
    ct_settling settled = ct_choice_settle(c, all->way);
    if (settled == CT_NO_WAY && ct_errors_raised(all->ctx) == errors)
        report(all);
    else if (settled == CT_NO_BOUNCE)
        ct_bounce_report_restitution(all);
    else if (settled == CT_NO_IMPACT)
        ct_bounce_report_impact(all);
    else if (settled == CT_ROUND_ABOUT)
        ct_modes_report_loop(all, t);
    return settled == CT_SETTLED;
}

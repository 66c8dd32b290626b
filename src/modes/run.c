/* run.c - a run through modes: stretches of one mode each, and what happens between them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "modes/inside.h"
#include "simulate/act.h"
#include "simulate/blow.h"
#include "simulate/past.h"
#include "simulate/sheet.h"
#include "simulate/timed.h"
#include "simulate/variant.h"

enum { MOST_CLOSE = 200, MOST_ROUNDS = 3000 };
static const double close_in_time = 1e-9; /* of the run: events that are one */

typedef struct modal_run {
    ct_modes *all;
    const ct_simulation_def *def;
    ct_simulation *s;
    ct_arena *arena;
    ct_run_sheet sheet;
    const double *time; /* of rows, and */
    uint32_t time_count, next_row;
    double t, last_event;
    uint32_t close_events, stretches;
    ct_pace pace;                /* of all events */
    bool ended;                  /* by an event of the model */
    bool by_root;                /* the last event was one of a condition */
    uint32_t stored;             /* records that rows of a model without outputs show, */
    double *columns;             /* those of the mode, of which there may be */
    uint32_t column_room;        /* so many */
    CT_VEC(ct_event_row) change; /* of modes, when they are to be listed */
} modal_run;

/* ---- rows */

static bool is_interrupted(const modal_run *r)
{
    return r->def->interrupted && *r->def->interrupted;
}

/* Without outputs: what is stored, whatever the mode, then curves and pictures. */
static void take_stored(modal_run *r, double t, const double *z)
{
    ct_modes *all = r->all;
    const ct_machine *m = all->now->machine;
    if (r->column_room < m->column_count) {
        r->column_room = m->column_count;
        r->columns = CT_NEW_ARRAY(r->arena, double, r->column_room);
    }
    ct_rig_columns(all->now->rig, t, z, r->columns);
    ct_rig_watch(all->now->rig, t, z, all->now->watch);
    memcpy(r->sheet.column, all->now->watch + CT_WATCHES * all->count,
           r->stored * sizeof *r->columns);
    for (uint32_t i = m->output_count; i < m->column_count; i++)
        r->sheet.column[r->stored + i - m->output_count] = r->columns[i];
}

static bool take_row(void *user, double t, const double *z, const double *dx)
{
    modal_run *r = user;
    (void)dx;
    if (is_interrupted(r))
        return false;
    if (r->all->model->output_count)
        ct_rig_columns(r->all->now->rig, t, z, r->sheet.column);
    else
        take_stored(r, t, z);
    ct_sheet_put(&r->sheet, t);
    r->next_row++;
    return true;
}

static void tell_progress(void *user, double t)
{
    modal_run *r = user;
    if (r->def->progress)
        r->def->progress(r->def->user, t, r->s->start, r->s->stop);
}

static double value_of(const void *user, ct_expr e)
{
    const ct_modes *all = user;
    return ct_value_with(all->model, all->quantity, e);
}

static const char *record_name(const void *user, uint32_t record)
{
    const ct_modes *all = user;
    return ct_name_text(all->ctx, ct_expr_name(all->model->pool, all->record.at[record]));
}

static void list_times(modal_run *r)
{
    const ct_run_def *run = &r->sheet.run;
    if (run->times) {
        r->time = run->times;
        r->time_count = run->time_count;
        return;
    }
    double *time = CT_NEW_ARRAY(r->arena, double, run->points + 1);
    for (uint32_t i = 0; i <= run->points; i++)
        time[i] = i == run->points ? run->stop
                                   : run->start + i * ((run->stop - run->start) / run->points);
    r->time = time;
    r->time_count = run->points + 1;
}

static bool begin(modal_run *r)
{
    r->sheet = (ct_run_sheet){.ctx = r->all->ctx,
                              .model = r->all->model,
                              .def = r->def,
                              .s = r->s,
                              .arena = r->arena,
                              .has_states = true,
                              .value = value_of,
                              .name = record_name,
                              .user = r->all};
    if (!ct_sheet_settle(&r->sheet))
        return false;
    r->all->choice.span = r->sheet.run.stop - r->sheet.run.start;
    r->all->start = r->sheet.run.start;
    r->all->stop = r->sheet.run.stop;
    list_times(r);
    return true;
}

/* The mode at the start tells what there is to be shown. */
static bool open_rows(modal_run *r)
{
    ct_modes *all = r->all;
    const ct_machine *m = all->now->machine;
    r->stored = all->model->output_count ? 0 : all->record.count;
    r->sheet.output_count = all->model->output_count + r->stored;
    r->sheet.column_count = r->sheet.output_count + m->column_count - m->output_count;
    ct_sheet_open(&r->sheet);
    return !r->stored || ct_mode_complete(all->now);
}

/* ---- events */

/* A row for each pair with restitution that was hit. */
static void list_impacts(modal_run *r)
{
    ct_modes *all = r->all;
    for (uint32_t i = 0; i < all->impact.count && r->def->events; i++) {
        const ct_impact_row *hit = &all->impact.at[i];
        const ct_model *m = all->model;
        const ct_mode_item *item = &all->item[hit->item];
        const ct_law *law = &m->element[m->component[item->component].element]->law[item->law];
        ct_event_change *change = CT_NEW(r->arena, ct_event_change);
        ct_text text = ct_text_new(all->ctx->base);
        ct_expr_put(m->pool, &text, ct_component_instance(m, item->component, law->a));
        *change = (ct_event_change){ct_text_string(&text), hit->before, hit->after};
        const char *owner = ct_name_text(all->ctx, m->component[item->component].name);
        ct_event_row row = {hit->time,
                            ct_printf(all->ctx, "%s: %s", owner, hit->rest ? "rest" : "impact"),
                            change, 1};
        CT_PUSH(r->arena, r->change, row);
    }
    all->impact.count = 0;
}

/* A row for each item that goes another way now, or stands now and did not before: a condition that
 * has turned, then what switches. */
static void list_changes(modal_run *r, const uint8_t *old)
{
    const ct_modes *all = r->all;
    for (uint32_t i = 0; i < all->count; i++)
        if (ct_item_stands(all->item, i, all->now->way) &&
            (all->now->way[i] != old[i] || !ct_item_stands(all->item, i, old))) {
            ct_event_row row = {r->t, ct_modes_item_words(all, i), NULL, 0};
            CT_PUSH(r->arena, r->change, row);
        }
}

/* What the model wrote and what switched, in the order of time. */
static void merge_events(modal_run *r)
{
    ct_simulation *s = r->s;
    ct_event_row *all = CT_NEW_ARRAY(r->arena, ct_event_row, s->event_count + r->change.count + 1);
    uint64_t a = 0, b = 0, count = 0;
    while (a < s->event_count || b < r->change.count) {
        bool own =
            a == s->event_count || (b < r->change.count && r->change.at[b].time < s->event[a].time);
        all[count++] = own ? r->change.at[b++] : s->event[a++];
    }
    s->event = all;
    s->event_count = count;
}

static double hair_at(const modal_run *r, double t)
{
    return 8 * DBL_EPSILON * fmax(fabs(t), r->all->choice.span);
}

/* Modes that change each other chatter; what time alone decides only comes too often. */
static bool is_storm(modal_run *r, bool at_break)
{
    if (ct_pace_storms(&r->pace, r->t, r->all->choice.span)) {
        r->s->status = CT_EVENT_STORM;
        ct_report_storm(r->all->now->rig, UINT32_MAX, r->pace.since, r->t);
        return true;
    }
    bool close = !at_break && r->t - r->last_event <= close_in_time * r->all->choice.span;
    r->close_events = close ? r->close_events + 1 : 0;
    r->last_event = r->t;
    if (r->close_events > MOST_CLOSE)
        ct_modes_report_loop(r->all, r->t);
    return r->close_events > MOST_CLOSE;
}

/* Mode by mode, as long as events of the model happen. */
static bool act_and_settle(modal_run *r, double before, double t)
{
    ct_modes *all = r->all;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        ct_acted acted;
        if (ct_mode_act(all->now, r->t, t, &acted) != CT_SOLVED)
            return false;
        r->ended |= acted == CT_ACTED_LAST;
        if (round && acted == CT_ACTED_NOTHING)
            return true;
        ct_mode_conditions(all->now, t, all->way);
        if (!ct_modes_settle(all, before, t))
            return false;
        if (!all->now->rig->acting)
            return true;
        if (!ct_modes_go_from(all->now, t))
            return false;
        before = t;
    }
    r->s->status = CT_EVENT_LOOP;
    return !ct_report_acts(all->now->rig, r->t);
}

static bool pass_event(modal_run *r, bool at_break)
{
    double hair = at_break ? hair_at(r, r->t) : 0;
    ct_modes *all = r->all;
    if (is_storm(r, at_break))
        return false;
    if (!ct_modes_end(all, r->t - hair, !at_break))
        return false;
    ct_choice_calm(&all->choice, all->choice.left, r->t);
    const uint8_t *old = all->now->way;
    bool good = act_and_settle(r, r->t - hair, r->t + hair);
    list_impacts(r);
    if (good && r->def->events)
        list_changes(r, old);
    return good;
}

/* Clocks may tick at the start. */
static bool begin_acts(modal_run *r, double t)
{
    ct_modes *all = r->all;
    if (!all->now->rig->acting)
        return true;
    if (!ct_acting_begin(all->now->rig, r->sheet.run.start, r->sheet.run.stop) ||
        !ct_modes_go_from(all->now, t))
        return false;
    if (r->def->events)
        ct_acting_list(all->now->rig, r->arena);
    return act_and_settle(r, t, t);
}

/* ---- stretches */

/* at_end: nothing jumps where it ends, and that is the end of the run. */
static ct_solve_status one_stretch(modal_run *r, double until, bool at_end)
{
    ct_run_def def = r->sheet.run;
    ct_run_stats stats = {0};
    if (r->all->now->record_count < r->stored && !ct_mode_complete(r->all->now))
        return CT_SINGULAR;
    while (r->next_row < r->time_count && r->time[r->next_row] < r->t) /* by a hair */
        if (!take_row(r, r->time[r->next_row], r->all->now->z, NULL))
            return CT_STOPPED;
    uint32_t last = r->next_row;
    while (last < r->time_count && (at_end || r->time[last] < until - hair_at(r, until)))
        last++;
    def.start = r->t;
    def.stop = until;
    def.open_end = !at_end;
    def.after_event = r->by_root;
    def.turned = r->s->stats.turned;
    def.whole_start = r->sheet.run.start;
    def.whole_stop = r->sheet.run.stop;
    def.times = r->time + r->next_row;
    def.time_count = last - r->next_row;
    def.row = take_row;
    def.plain = true;
    def.row_user = r;
    def.progress = tell_progress;
    if (r->all->now->clocked && !(def.largest_step > 0))
        def.largest_step = r->all->choice.span / 1000;
    def.largest_step = ct_past_step(r->all->now->rig, def.largest_step, def.rtol);
    ct_follow_swings(r->all->now->rig, &def);
    r->all->now->rig->interrupted = r->def->interrupted;
    ct_solve_status status;
    ct_linear_open(r->all->now);
    bool done = def.method == CT_METHOD_AUTO && r->all->now->linear && !r->all->now->rig->past &&
                ct_linear_stretch(r->all->now, &def, &stats, &status);
    if (!done)
        status = ct_integrate(r->all->ctx, &r->all->now->rig->held, &def, r->all->now->z, &stats);
    r->all->now->rig->interrupted = NULL;
    ct_add_effort(&r->s->stats, &stats);
    r->t = stats.last_time;
    return status;
}

/* Just after the event that ends the run. */
static void take_last_rows(modal_run *r)
{
    while (r->next_row < r->time_count && r->time[r->next_row] <= r->t)
        take_row(r, r->time[r->next_row], r->all->now->z, NULL);
    if (!(r->next_row && r->time[r->next_row - 1] == r->t))
        take_row(r, r->t, r->all->now->z, NULL);
}

static ct_solve_status go_on(modal_run *r)
{
    double stop = r->sheet.run.stop;
    for (;;) {
        if (is_interrupted(r))
            return CT_STOPPED;
        if (r->stretches++ % 256 == 0)
            tell_progress(r, r->t);
        ct_lookouts_follow(r->all->now->rig, NULL, r->t, r->all->start, stop);
        double jump = ct_rig_next_jump(r->all->now->rig, r->t);
        bool at_end = jump > stop;
        ct_solve_status status = one_stretch(r, at_end ? stop : jump, at_end);
        if (status == CT_SOLVED && at_end)
            return CT_SOLVED;
        if (status == CT_CHANGED && ct_use_variant(r->all->now->rig)) {
            r->by_root = false;
            continue;
        }
        if (status != CT_SOLVED && status != CT_ENDED)
            return status;
        r->by_root = status == CT_ENDED;
        if (!pass_event(r, status == CT_SOLVED))
            return CT_NO_CONVERGENCE;
        if (r->ended) {
            take_last_rows(r);
            return CT_SOLVED;
        }
    }
}

/* ---- the run */

static void report_failure(modal_run *r)
{
    const ct_machine *m = r->all->now->machine;
    const ct_run_stats *stats = &r->s->stats;
    ct_place place;
    const char *owner = ct_machine_owner(m, stats->culprit, &place);
    if (r->s->status == CT_NO_MEMORY_LEFT)
        ct_throw(m->ctx, CT_ERR_MEMORY);
    if (ct_report_range_at(r->all->now->rig, stats->last_time, r->all->now->z, CT_BOTH_SIDES))
        return;
    if (ct_report_jump(r->all->now->rig) || ct_report_blows(r->all->now->rig, stats->last_time))
        return;
    if (r->s->status == CT_EVENT_STORM &&
        ct_report_storm(r->all->now->rig, stats->storm_root, stats->storm_since, r->t))
        return;
    if (r->s->status == CT_LOST) {
        ct_report_lost(m, stats);
        return;
    }
    ct_report *report = ct_error(m->ctx, "E526", place, "the run broke off at t = %.9g s: %s",
                                 stats->last_time, ct_solve_status_text(r->s->status));
    if (stats->culprit < m->n + m->m)
        ct_note(report, "the trouble is with %s%s%s", ct_machine_variable(m, stats->culprit),
                *owner ? ", see " : "", owner);
    ct_help(report, r->s->status == CT_TOO_STIFF
                        ? "use auto, rosenbrock or bdf: their steps follow the solution"
                        : "try --tol 1e-8 or --method bdf");
}

static void finish(modal_run *r, size_t errors)
{
    ct_simulation *s = r->s;
    r->all->start = r->all->stop = 0;
    for (uint32_t i = 0; i < r->all->mode.count; i++)
        if (r->all->mode.at[i]->rig)
            ct_lookouts_end(r->all->mode.at[i]->rig);
    s->wall_seconds += ct_wall_clock();
    s->cpu_seconds += ct_cpu_clock();
    ct_sheet_remark(&r->sheet);
    s->nodes = ct_pool_count(r->all->model->pool);
    s->z = r->all->now ? r->all->now->z : NULL;
    s->jacobian = "none";
    if (r->all->now) {
        const ct_program *held = r->all->now->machine->held.value;
        s->tape_ops = ct_program_operations(held);
        s->native = ct_program_is_native(held);
        ct_slope_effort(&r->all->now->rig->slope_held, held, s);
    }
    if (s->status == CT_STOPPED || is_interrupted(r))
        s->status = CT_STOPPED;
    else if (s->status != CT_SOLVED && ct_errors_raised(r->all->ctx) == errors)
        report_failure(r);
    else if (s->status == CT_SOLVED && r->all->now &&
             ct_report_range_at(r->all->now->rig, r->sheet.run.stop, r->all->now->z, CT_BEFORE))
        s->status = CT_REPORTED;
}

const ct_simulation *ct_modes_run(ct_modes *all, const ct_simulation_def *def, ct_arena *arena)
{
    ct_simulation *s = CT_NEW(arena, ct_simulation);
    modal_run r = {.all = all, .def = def, .s = s, .arena = arena};
    size_t errors = ct_errors_raised(all->ctx);
    s->wall_seconds = -ct_wall_clock();
    s->cpu_seconds = -ct_cpu_clock();
    s->stats = (ct_run_stats){.method = "none", .culprit = UINT32_MAX};
    if (!begin(&r))
        return NULL;
    r.t = r.last_event = r.sheet.run.start;
    double hair = hair_at(&r, r.t);
    if (!ct_modes_start(all, r.t, r.t + hair, NULL, 0))
        return NULL;
    list_impacts(&r);
    if (!open_rows(&r) || !begin_acts(&r, r.t + hair))
        return NULL;
    ct_forget_impulses(all->impulses);
    s->start_seconds = s->cpu_seconds + ct_cpu_clock();
    s->status = go_on(&r);
    ct_acting_end(all->now->rig, s);
    ct_variants_end(all->now->rig);
    merge_events(&r);
    ct_tell_impulses(all->ctx, all->impulses);
    ct_modes_tell_wishes(all);
    finish(&r, errors);
    return s;
}

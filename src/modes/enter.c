/* enter.c - from mode to mode: what is stored is carried over, and jumps where it must. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/act.h"
#include "solve/project.h"

static const double typed = 1e-12;        /* at the start, in SI units: what was meant to touch */
static const double worth_telling = 1e-9; /* of the largest value so far: an impulse */
static const double nothing = 1e-14;      /* where all was zero so far */
static const double rounding = 8 * DBL_EPSILON;

/* What is watched at z. Between events, too, the largest of what is stored is noted. */
static void look(ct_regime *mode, double t, const double *z)
{
    ct_rig_watch(mode->rig, t, z, mode->watch);
    ct_note_sizes(mode->all->largest, mode->watch + CT_WATCHES * mode->all->count,
                  mode->record_count);
}

void ct_mode_leave(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    look(mode, t, mode->z);
    for (uint32_t i = 0; i < all->record.count; i++)
        all->value[i] = mode->watch[CT_WATCHES * all->count + i];
    ct_choice_touch(&all->choice, mode->way, mode->watch, all->now ? nothing : typed, !all->now);
}

static void go_from(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    all->from = mode;
    all->from_time = t;
    all->choice.from = mode->number;
    ct_mode_leave(mode, t);
}

bool ct_modes_go_from(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    if (!ct_mode_complete(mode))
        return false;
    all->choice.left = UINT32_MAX;
    go_from(mode, t);
    return true;
}

bool ct_modes_remember(ct_modes *all)
{
    if (all->from->record_count == all->record.count)
        return true;
    if (!ct_mode_complete(all->from))
        return false;
    ct_mode_leave(all->from, all->from_time);
    return true;
}

bool ct_modes_end(ct_modes *all, double t, bool by_root)
{
    ct_regime *mode = all->now;
    if (!ct_mode_complete(mode))
        return false;
    ct_mode_wrong(mode, t); /* for the scales */
    all->choice.crossed = mode->crossed;
    all->choice.left = by_root ? mode->left : UINT32_MAX;
    go_from(mode, t);
    return true;
}

/* Has something that is stored really moved, or was it but the rest of what went to zero? */
static bool has_moved(const ct_regime *mode)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    const double *kept = ct_jump_kept(mode->rig);
    for (uint32_t i = 0; i < m->n + m->jumps->kept.count; i++) {
        bool state = i < m->n;
        uint32_t record = state ? mode->state_record[i] : mode->kept_record[i - m->n];
        double now = state ? mode->z[i] : kept[i - m->n];
        if (record != UINT32_MAX &&
            fabs(now - all->value[record]) >
                worth_telling * all->largest[record] + 4 * all->choice.crossed)
            return true;
    }
    return false;
}

/* What rounding alone has moved stays: conditions that events have just looked at would turn. */
static void undo_rounding(ct_regime *mode)
{
    const ct_modes *all = mode->all;
    for (uint32_t i = 0; i < mode->machine->n; i++) {
        uint32_t record = mode->state_record[i];
        if (record != UINT32_MAX &&
            fabs(mode->z[i] - all->value[record]) <= rounding * all->largest[record])
            mode->z[i] = all->value[record];
    }
}

static ct_solve_status jump(ct_regime *mode, double before, double t)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    ct_rig *rig = mode->rig;
    bool moved;
    ct_jump_remember(rig, before, mode->z);
    for (uint32_t i = 0; i < m->jumps->kept.count; i++)
        if (mode->kept_record[i] != UINT32_MAX)
            ct_jump_kept(rig)[i] = all->value[mode->kept_record[i]];
    ct_solve_status status = ct_jump_try(rig, t, mode->z, &moved);
    mode->moved = status == CT_SOLVED && moved && has_moved(mode);
    if (status == CT_SOLVED && !mode->moved)
        undo_rounding(mode);
    return status;
}

void ct_mode_report_held(const ct_modes *all, double t)
{
    const ct_happening *h = &all->model->happening[0];
    ct_report *r =
        ct_error(all->ctx, "E557", h->place,
                 "`%s`: in a mode at t = %.9g s what events set cannot move", h->label, t);
    ct_note(r, "there it is held by a part that switches, or tied to another one");
    ct_help(r, "let that part be smooth, or put a spring in between");
    ct_witness(r, h->label);
}

/* Back to the invariants, which the mode before had met to its tolerance, or had not all of. */
static void bring_back(ct_regime *mode, double t)
{
    if (!mode->machine->invariant_count)
        return;
    ct_arena *scratch = ct_arena_new(mode->all->ctx);
    ct_projector *p = ct_projector_new(scratch, &mode->rig->held, false);
    ct_project(p, t, mode->z);
    ct_projector_free(p);
    ct_arena_free(scratch);
}

void ct_mode_take(ct_regime *mode)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    memset(mode->z, 0, (m->n + m->m) * sizeof *mode->z);
    for (uint32_t i = 0; i < m->n; i++)
        if (mode->state_record[i] != UINT32_MAX)
            mode->z[i] = all->value[mode->state_record[i]];
    for (uint32_t i = m->n; i < m->n + m->m; i++) { /* a row that is not linear solves for it */
        uint32_t record = ct_map_get(&all->record_index, m->z[i]);
        mode->z[i] = record ? all->value[record - 1] : 0;
    }
}

ct_solve_status ct_mode_enter(ct_regime *mode, double before, double t)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    ct_rig *rig = mode->rig;
    ct_run_stats stats = {0};
    ct_solve_status status = CT_SOLVED;
    if (all->from != mode && !ct_acting_fits(rig, all->from->rig)) {
        ct_mode_report_held(all, t);
        return CT_SINGULAR;
    }
    if (all->from != mode)
        ct_acting_take(rig, all->from->rig);
    ct_lookouts_follow(rig, all->from->rig, t, all->start, all->stop);
    ct_mode_take(mode);
    mode->moved = false;
    if (all->choice.series)
        ct_bounce_put(mode);
    if (rig->jumping)
        status = jump(mode, before, t);
    if (status == CT_SOLVED && !m->m && rig->held.hold)
        rig->held.hold(rig, t, mode->z);
    else if (status == CT_SOLVED && m->m)
        status = ct_solve_algebraic(all->ctx, &rig->held, t, mode->z, true, &stats);
    if (status == CT_SOLVED)
        bring_back(mode, t);
    return status;
}

bool ct_mode_conditions(ct_regime *mode, double t, uint8_t *way)
{
    const ct_modes *all = mode->all;
    if (mode->rig->held.hold)
        mode->rig->held.hold(mode->rig, t, mode->z);
    ct_rig_watch(mode->rig, t, mode->z, mode->watch);
    return ct_choice_conditions(&all->choice, mode->watch, way);
}

/* ---- does it last? */

void ct_mode_margins(const ct_regime *mode, const double *watch, double *margin)
{
    ct_choice_margins(&mode->all->choice, mode->way, mode->used, mode->used_count, watch, margin);
}

void ct_mode_roots(void *user, double t, const double *z, double *value)
{
    ct_regime *mode = user;
    look(mode, t, z);
    ct_choice_roots(&mode->all->choice, mode->way, mode->used, mode->used_count, mode->watch,
                    mode->offset, value);
}

uint32_t ct_mode_wrong(ct_regime *mode, double t)
{
    ct_chooser *c = &mode->all->choice;
    look(mode, t, mode->z);
    ct_note_sizes(c->scale, mode->watch, CT_WATCHES * c->count);
    ct_mode_margins(mode, mode->watch, mode->offset);
    return ct_choice_wrong(c, mode->way, mode->watch, mode->offset, &mode->crossed, &mode->left);
}

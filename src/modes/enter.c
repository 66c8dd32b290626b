/* enter.c - from mode to mode: what is stored is carried over, and jumps where it must. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/act.h"
#include "simulate/jump.h"
#include "solve/project.h"

static const double noise = 1e-11;        /* of the largest value so far: zero for a root */
static const double fine = 1e-13;         /* the same of a gap, */
static const double finer = 1e-15;        /* and of one that has just been hit */
static const double harmless = 1e-7;      /* the same for a mode that was just entered */
static const double close_to = 1e-10;     /* of the largest gap so far: closed */
static const double least_gap = 1e-3;     /* for this largest one, in SI units */
static const double typed = 1e-12;        /* at the start, in these: what was meant to touch */
static const double worth_telling = 1e-9; /* of the largest value so far: an impulse */
static const double nothing = 1e-14;      /* where all was zero so far */
static const double in_no_time = 1e-9;    /* of the run: to and fro by rounding */
static const double to_calm = 8, most_calm = 1e6;

/* The largest finite size so far; as fmax, which is a call. */
static void note_size(double *largest, double value)
{
    double size = fabs(value);
    if (!(size <= *largest) && isfinite(size))
        *largest = size;
}

/* So far: between events, too, where what switches at zero is large. */
static void note_largest(const ct_regime *mode)
{
    const ct_modes *all = mode->all;
    const double *record = mode->watch + CT_WATCHES * all->count;
    for (uint32_t i = 0; i < mode->record_count; i++)
        note_size(&all->largest[i], record[i]);
}

/* Gaps that are closed: held so, or come to zero and not about to open. */
static void find_touching(const ct_regime *mode)
{
    ct_modes *all = mode->all;
    double least = all->now ? nothing : typed;
    for (uint32_t i = 0; i < all->count; i++) {
        const double *w = mode->watch + CT_WATCHES * i;
        double *scale = all->scale + CT_WATCHES * i;
        if (!all->item[i].gap || !ct_item_stands(all->shadows, i, mode->way))
            continue;
        scale[CT_WATCH_GAP] = fmax(fmax(scale[CT_WATCH_GAP], least_gap), fabs(w[CT_WATCH_GAP]));
        bool near = w[CT_WATCH_GAP] <= close_to * scale[CT_WATCH_GAP] + least &&
                    w[CT_WATCH_A] <= worth_telling * scale[CT_WATCH_A] + least;
        bool met = all->left != UINT32_MAX && all->left / 2 == i;
        all->touch[i] = mode->way[i] == CT_WAY_FIRST || near || met;
    }
}

void ct_mode_leave(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    ct_rig_watch(mode->rig, t, mode->z, mode->watch);
    note_largest(mode);
    for (uint32_t i = 0; i < all->record.count; i++)
        all->value[i] = mode->watch[CT_WATCHES * all->count + i];
    find_touching(mode);
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
        if (record != UINT32_MAX && fabs(now - all->value[record]) >
                                        worth_telling * all->largest[record] + 4 * all->crossed)
            return true;
    }
    return false;
}

static ct_solve_status jump(ct_regime *mode, double before, double t)
{
    const ct_modes *all = mode->all;
    const ct_machine *m = mode->machine;
    ct_rig *rig = mode->rig;
    size_t bytes = m->jumps->shock.count * sizeof(double);
    bool moved;
    ct_jump_remember(rig, before, mode->z);
    for (uint32_t i = 0; i < m->jumps->kept.count; i++)
        if (mode->kept_record[i] != UINT32_MAX)
            ct_jump_kept(rig)[i] = all->value[mode->kept_record[i]];
    if (bytes)
        memcpy(mode->impulse, ct_jump_impulses(rig), bytes);
    ct_solve_status status = ct_jump(rig, t, mode->z, &moved);
    mode->moved = status == CT_SOLVED && moved && has_moved(mode);
    if (status == CT_SOLVED && !mode->moved && bytes)
        memcpy(ct_jump_impulses(rig), mode->impulse, bytes);
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
    ct_mode_take(mode);
    mode->moved = false;
    if (all->blow)
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
    bool changed = false;
    if (mode->rig->held.hold)
        mode->rig->held.hold(mode->rig, t, mode->z);
    ct_rig_watch(mode->rig, t, mode->z, mode->watch);
    for (uint32_t i = 0; i < all->count; i++) {
        bool stands = ct_item_stands(all->shadows, i, way);
        if (all->item[i].kind != CT_LAW_IF || !stands) {
            way[i] = stands ? way[i] : 0;
            continue;
        }
        uint8_t now = mode->watch[CT_WATCHES * i] != 0 ? CT_WAY_FIRST : CT_WAY_SECOND;
        changed |= now != way[i];
        way[i] = now;
    }
    return changed;
}

/* ---- does it last? */

static void pair_margins(bool gap, uint8_t way, const double *w, double *margin)
{
    bool closed = way == CT_WAY_FIRST || way == CT_WAY_SHUT;
    if (way != CT_WAY_BACK)
        margin[0] = w[closed ? CT_WATCH_B : gap ? CT_WATCH_GAP : CT_WATCH_A];
}

static void slip_margins(uint8_t way, const double *w, double *margin)
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

/* Those that are not used are one. */
void ct_mode_margins(const ct_regime *mode, const double *watch, double *margin)
{
    const ct_modes *all = mode->all;
    for (uint32_t i = 0; i < 2 * all->count; i++)
        margin[i] = 1;
    for (uint32_t k = 0; k < mode->used_count; k++) {
        uint32_t i = mode->used[k];
        const double *w = watch + CT_WATCHES * i;
        if (all->item[i].kind == CT_LAW_PAIR)
            pair_margins(all->item[i].gap, mode->way[i], w, margin + 2 * i);
        else
            slip_margins(mode->way[i], w, margin + 2 * i);
    }
}

/* The largest of what the margin of an item is made of. */
static double scale_of(const ct_modes *all, const ct_regime *mode, uint32_t item)
{
    const double *s = all->scale + CT_WATCHES * item;
    bool first = mode->way[item] == CT_WAY_FIRST || mode->way[item] == CT_WAY_SHUT;
    if (all->item[item].gap)
        return s[first ? CT_WATCH_B : CT_WATCH_GAP];
    return first ? fmax(s[CT_WATCH_B], s[CT_WATCH_HOLD]) : s[CT_WATCH_A];
}

void ct_mode_roots(void *user, double t, const double *z, double *value)
{
    ct_regime *mode = user;
    ct_rig_watch(mode->rig, t, z, mode->watch);
    note_largest(mode);
    ct_mode_margins(mode, mode->watch, value);
    for (uint32_t i = 0; i < 2 * mode->all->count; i++)
        value[i] += mode->offset[i];
    if (isnan(mode->begin))
        mode->begin = t;
    for (uint32_t i = 0; t == mode->begin && i < 2 * mode->all->count; i++)
        if (value[i] <= 0)
            value[i] = DBL_MIN; /* it changes its sign at once: a root that began below is none */
}

void ct_mode_calm(ct_modes *all, uint32_t root, double t)
{
    uint32_t item = root / 2;
    if (root == UINT32_MAX || all->item[item].kind == CT_LAW_IF || all->item[item].gap)
        return;
    bool again = t - all->flipped[item] <= in_no_time * all->span;
    all->calm[item] = again ? fmin(to_calm * all->calm[item], most_calm) : 1;
    all->flipped[item] = t;
}

/* What rested and goes away is right, though errors of the run have let it sink. */
static bool is_lifted(const ct_regime *mode, uint32_t item)
{
    const ct_modes *all = mode->all;
    uint32_t speed = CT_WATCHES * item + CT_WATCH_A;
    return all->item[item].gap && all->touch[item] && mode->way[item] == CT_WAY_SECOND &&
           mode->watch[speed] > harmless * all->scale[speed];
}

uint32_t ct_mode_wrong(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    uint32_t worst = UINT32_MAX;
    double most = 0;
    ct_rig_watch(mode->rig, t, mode->z, mode->watch);
    for (uint32_t i = 0; i < CT_WATCHES * all->count; i++)
        note_size(&all->scale[i], mode->watch[i]);
    note_largest(mode);
    double *margin = mode->offset;
    mode->crossed = 0;
    mode->left = UINT32_MAX;
    ct_mode_margins(mode, mode->watch, margin);
    for (uint32_t i = 0; i < 2 * all->count; i++) {
        double scale = scale_of(all, mode, i / 2), short_of = -margin[i];
        double least = nothing * all->calm[i / 2];
        bool used = all->item[i / 2].kind != CT_LAW_IF && !is_lifted(mode, i / 2);
        if (used && !(short_of <= harmless * scale + least) && !(short_of / scale <= most)) {
            most = short_of / scale;
            worst = i;
        }
        if (used && short_of > mode->crossed) {
            mode->crossed = short_of;
            mode->left = i;
        }
        margin[i] = fmax(noise * scale + least, 2 * short_of); /* from here on the offset */
        if (all->item[i / 2].gap && mode->way[i / 2] != CT_WAY_FIRST)
            margin[i] = fmax(fine * scale, short_of + finer * scale); /* it must not sink */
    }
    return worst;
}

/* lock.c - why a run of a mechanism broke off: a driver moves a loop to where its links do not
 * reach. Near the end of their reach the constraints depend on each other, and a little later no
 * position meets them. */
#include <math.h>
#include <string.h>

#include "graph/bodies.h"
#include "mechanics/mechanics.h"
#include "simulate/machine.h"
#include "solve/project.h"

static const double step_back = 1e-6; /* of the fastest rate: far enough for a difference */
static const double nudge = 1e-9;     /* that makes a projection take one step at least */

static const double dependent = 1e-9; /* what is left of a row that others tell, of its length */
static const double singular = 0.1;   /* margin of a position near the end of the reach */
static const double in_time = 1e-3;   /* part of the time that has passed */
static const double later[] = {1e-4, 1e-3, 1e-2}; /* parts of the time that has passed */

/* No position meets the constraints at any of the times. */
static bool stays_open(ct_projector *p, double t, double past, const double *z, double *trial,
                       uint32_t size)
{
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        memcpy(trial, z, size * sizeof *trial);
        if (ct_project(p, t + later[i] * past, trial) == CT_SOLVED)
            return false;
    }
    return true;
}

static void report_prescribed(const ct_machine *m, double t, const ct_invariant *row)
{
    const char *name = ct_name_text(m->ctx, row->joint);
    ct_report *r =
        ct_error(m->ctx, "E612", row->place,
                 "the mechanism locks at t = %.6g s: it cannot move as %s prescribes", t, name);
    ct_witness(r, name);
    ct_help(r, "let the source stay on this side; the rows before this time are good");
}

/* The count of joints: it is none. */
static uint32_t joint_named(const ct_machine *m, ct_name name)
{
    const ct_mechanism *mechanism = m->reduced->system->mechanics->mechanism;
    uint32_t joint = 0;
    while (joint < mechanism->joint_count && mechanism->joint[joint].name != name)
        joint++;
    return joint;
}

static void report(const ct_rig *rig, double t, const ct_invariant *row)
{
    const ct_machine *m = rig->machine;
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    const ct_mechanism *mechanism = mechanics->mechanism;
    const char *name = ct_name_text(m->ctx, row->joint);
    uint32_t joint = joint_named(m, row->joint);
    if (joint == mechanism->joint_count) {
        report_prescribed(m, t, row);
        return;
    }
    ct_report *r = ct_error(m->ctx, "E612", mechanism->joint[joint].place,
                            "the mechanism locks at t = %.6g s: %s cannot stay closed", t, name);
    ct_witness(r, name);
    ct_note(r,
            "in the loop %s: at that time its links are stretched or folded, and further on "
            "they do not reach",
            ct_mechanics_loop(mechanics, joint, r));
    ct_help(r, "change lengths of the links, or let the driver stay on this side; the rows before "
               "this time are good");
}

void ct_note_untested(const ct_machine *m, ct_report *r)
{
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    if (mechanics && !mechanics->tested)
        ct_note(r, "redundant constraints in the loops of the mechanism were not looked for: that "
                   "takes values of all lengths and loops that close");
}

/* ---- speeds that are prescribed
 *
 * A source of speed has no place where it must be, and projection finds speeds up to the dead point
 * itself. But there the rows of speeds become dependent, and the speeds grow beyond all bounds. How
 * far each row is from depending on the others: d = 1/sqrt of the diagonal of (A A^T)^-1. */

enum { MOST_ROWS = 150 };

typedef struct dead_point {
    const ct_machine *m;
    const ct_problem *p;
    bool speeds;              /* rows of speeds, not of places */
    uint32_t *row, count;     /* among the invariants */
    bool *follows;            /* by x: a speed (a place) that nothing prescribes */
    double *slope, *a, *gram; /* a: by row, of all x */
} dead_point;

static void list_rows(dead_point *d, ct_arena *arena)
{
    const ct_machine *m = d->m;
    ct_need_pattern(d->p);
    d->follows = CT_NEW_ARRAY(arena, bool, m->n + 1);
    for (uint32_t i = 0; i < d->p->start[m->n + m->m]; i++)
        if (d->p->row[i] < m->n)
            d->follows[d->p->row[i]] = m->speed_state[d->p->row[i]] == d->speeds;
    d->row = CT_NEW_ARRAY(arena, uint32_t, m->invariant_count + 1);
    for (uint32_t i = 0; i < m->invariant_count; i++)
        if (m->speed_invariant[i] == d->speeds)
            d->row[d->count++] = i;
    d->slope = CT_NEW_ARRAY(arena, double, d->p->invariant_start[m->n] + 1);
    d->a = CT_NEW_ARRAY(arena, double, (size_t)m->invariant_count * m->n + 1);
    d->gram = CT_NEW_ARRAY(arena, double, 2 * (size_t)d->count * d->count + 1);
}

static void fill_rows(dead_point *d, double t, const double *z)
{
    uint32_t n = d->m->n;
    memset(d->a, 0, (size_t)d->m->invariant_count * n * sizeof *d->a);
    d->p->invariant_slope(d->p->user, t, z, d->slope);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = d->p->invariant_start[k]; i < d->p->invariant_start[k + 1]; i++)
            if (d->follows[k])
                d->a[(size_t)d->p->invariant_row[i] * n + k] = d->slope[i];
}

/* (G | 1) becomes (1 | G^-1); false: a pivot vanishes. G is symmetric and positive. */
static bool invert(double *g, uint32_t count)
{
    uint32_t width = 2 * count;
    for (uint32_t k = 0; k < count; k++) {
        double *own = g + (size_t)k * width, pivot = own[k];
        if (!(pivot > 0))
            return false;
        for (uint32_t j = 0; j < width; j++)
            own[j] /= pivot;
        for (uint32_t i = 0; i < count; i++) {
            double *other = g + (size_t)i * width, factor = other[k];
            for (uint32_t j = 0; i != k && j < width; j++)
                other[j] -= factor * own[j];
        }
    }
    return true;
}

/* By row of speeds; zeros where rows depend on each other. */
static void find_distances(dead_point *d, double t, const double *z, double *distance)
{
    uint32_t n = d->m->n, width = 2 * d->count;
    fill_rows(d, t, z);
    memset(d->gram, 0, (size_t)d->count * width * sizeof *d->gram);
    for (uint32_t i = 0; i < d->count; i++) {
        for (uint32_t j = 0; j < d->count; j++)
            for (uint32_t k = 0; k < n; k++)
                d->gram[(size_t)i * width + j] +=
                    d->a[(size_t)d->row[i] * n + k] * d->a[(size_t)d->row[j] * n + k];
        d->gram[(size_t)i * width + d->count + i] = 1;
    }
    bool good = invert(d->gram, d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        double square = d->gram[(size_t)i * width + d->count + i];
        distance[i] = good && square > 0 ? 1 / sqrt(square) : 0;
    }
}

/* The row that is dead as soon as that, at the present speeds, or was; UINT32_MAX: none. Sources
 * first, then joints that close loops, which come last. */
static uint32_t find_dead(dead_point *d, double t, double soon, const double *z, ct_arena *arena)
{
    const ct_machine *m = d->m;
    uint32_t size = m->n + m->m, found = UINT32_MAX;
    const uint32_t joints = m->reduced->system->mechanics->mechanism->joint_count;
    double *rate = CT_NEW_ARRAY(arena, double, size + 1), fastest = 0;
    double *before = CT_NEW_ARRAY(arena, double, size + 1);
    double *now = CT_NEW_ARRAY(arena, double, 2 * (size_t)d->count + 1), *then = now + d->count;
    d->p->evaluate(d->p->user, t, z, rate);
    for (uint32_t k = 0; k < m->n; k++)
        fastest = fmax(fastest, m->speed_state[k] ? 0 : fabs(rate[k]));
    if (!(fastest > 0) || !isfinite(fastest))
        return found;
    memcpy(before, z, size * sizeof *before);
    for (uint32_t k = 0; k < m->n; k++)
        before[k] -= m->speed_state[k] ? 0 : step_back / fastest * rate[k];
    find_distances(d, t, z, now);
    find_distances(d, t, before, then);
    for (uint32_t i = 0; i < d->count; i++) {
        const ct_invariant *row = &m->reduced->invariant[d->row[i]];
        bool dead = now[i] * step_back / fastest <= soon * fabs(then[i] - now[i]);
        bool source =
            found != UINT32_MAX && joint_named(m, m->reduced->invariant[found].joint) == joints;
        if (dead && row->joint && !source)
            found = d->row[i];
    }
    return found;
}

static bool report_dead(const ct_rig *rig, double t, double past, const double *z, ct_arena *arena)
{
    dead_point d = {.m = rig->machine, .p = &rig->held, .speeds = true};
    list_rows(&d, arena);
    uint32_t row =
        d.count && d.count <= MOST_ROWS ? find_dead(&d, t, in_time * past, z, arena) : UINT32_MAX;
    if (row != UINT32_MAX)
        report(rig, t, &d.m->reduced->invariant[row]);
    return row != UINT32_MAX;
}

/* ---- places and speeds that are prescribed, though joints tie them */

/* What is left of a row beside others of unit length, which it joins. */
static double take_off(double *a, double *const *unit, uint32_t units, uint32_t n)
{
    double before = 0, after = 0;
    for (uint32_t k = 0; k < n; k++)
        before += a[k] * a[k];
    for (uint32_t twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < units; i++) {
            double along = 0;
            for (uint32_t k = 0; k < n; k++)
                along += a[k] * unit[i][k];
            for (uint32_t k = 0; k < n; k++)
                a[k] -= along * unit[i][k];
        }
    for (uint32_t k = 0; k < n; k++)
        after += a[k] * a[k];
    for (uint32_t k = 0; k < n && after > 0; k++)
        a[k] /= sqrt(after);
    return before > 0 ? sqrt(after / before) : 0;
}

static void report_tied(const ct_machine *m, const ct_invariant *row)
{
    const char *name = ct_name_text(m->ctx, row->joint);
    ct_report *r =
        ct_error(m->ctx, "E510", row->place, "%s prescribes a motion that is tied already", name);
    ct_note(r, "where it begins, joints or other sources leave the bodies that it moves no "
               "freedom for it: nothing determines its load");
    ct_help(r, "remove it, or let it act on a joint or line that is free to move");
    ct_witness(r, name);
}

static void report_held(const ct_machine *m, const ct_invariant *row)
{
    const char *name = ct_name_text(m->ctx, row->joint);
    ct_report *r =
        ct_error(m->ctx, "E511", row->place, "`%s` holds a speed that is held already", name);
    ct_note(r,
            "where the run begins, joints or other constraints of speeds tie it: its reaction is "
            "not determined");
    ct_help(r, "remove it, or one of those that hold the same");
    ct_witness(r, name);
}

static bool is_source(const ct_machine *m, const ct_invariant *row)
{
    const ct_mechanism *mechanism = m->reduced->system->mechanics->mechanism;
    return row->joint && joint_named(m, row->joint) == mechanism->joint_count;
}

static bool has_sources(const ct_machine *m)
{
    bool found = false;
    for (uint32_t i = 0; i < m->invariant_count && !found; i++)
        found = !m->speed_invariant[i] && is_source(m, &m->reduced->invariant[i]);
    return found;
}

/* Joints first: a source, or a constraint of speeds, whose row is a sum of theirs, or of earlier
 * ones, is told: parameters have values that symbols do not tell. */
static bool report_dependent(const ct_rig *rig, double t, const double *z, bool speeds,
                             ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    dead_point d = {.m = m, .p = &rig->held, .speeds = speeds};
    list_rows(&d, arena);
    if (d.count > MOST_ROWS)
        return false;
    fill_rows(&d, t, z);
    double **unit = CT_NEW_ARRAY(arena, double *, d.count + 1);
    uint32_t units = 0;
    for (uint32_t sources = 0; sources < 2; sources++)
        for (uint32_t i = 0; i < d.count; i++) {
            const ct_invariant *row = &m->reduced->invariant[d.row[i]];
            if (!row->joint || is_source(m, row) != (sources == 1))
                continue;
            double *a = d.a + (size_t)d.row[i] * m->n, left = take_off(a, unit, units, m->n);
            if (sources && left < dependent) {
                (speeds ? report_held : report_tied)(m, row);
                return true;
            }
            if (left >= dependent)
                unit[units++] = a;
        }
    return false;
}

bool ct_report_lock(ct_rig *rig, double t, double past, const double *z)
{
    const ct_machine *m = rig->machine;
    const ct_reduced *reduced = m->reduced;
    uint32_t size = m->n + m->m;
    if (!m->invariant_count || !reduced->system->mechanics)
        return false;
    ct_arena *scratch = ct_arena_new(m->ctx);
    if (!(past > 0)) {
        bool held = report_dependent(rig, t, z, true, scratch);
        ct_arena_free(scratch);
        return held;
    }
    double *trial = CT_NEW_ARRAY(scratch, double, size + 1);
    ct_projector *p = ct_projector_new(scratch, &rig->held, false);
    memcpy(trial, z, size * sizeof *trial);
    trial[0] += nudge; /* for the margin */
    ct_project(p, t, trial);
    double margin = ct_projector_margin(p);
    uint32_t row = ct_projector_weakest(p);
    bool locks = margin < singular && stays_open(p, t, past, z, trial, size);
    locks = locks && row < reduced->invariant_count && reduced->invariant[row].joint;
    if (locks)
        report(rig, t, &reduced->invariant[row]);
    else
        locks = report_dead(rig, t, past, z, scratch);
    ct_projector_free(p);
    ct_arena_free(scratch);
    return locks;
}

bool ct_report_tied_start(const ct_rig *rig, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    if (!m->reduced->system->mechanics || m->invariant_count > MOST_ROWS || !has_sources(m))
        return false;
    ct_arena *scratch = ct_arena_new(m->ctx);
    bool tied = report_dependent(rig, t, z, false, scratch);
    ct_arena_free(scratch);
    return tied;
}

/* ---- rows that were left out */

/* The farthest component of a frame in its body. */
static double size_of(const ct_rig *rig, double t, const double *z, const ct_mechanism *mechanism)
{
    double most = 0;
    for (uint32_t i = 0; i < mechanism->frame_count; i++)
        for (int k = 0; k < 3 && mechanism->frame[i].at.c[k]; k++) {
            double own = fabs(ct_rig_value_at(rig, t, z, mechanism->frame[i].at.c[k]));
            most = own > most ? own : most;
        }
    return most > 0 ? most : 1;
}

static void report_apart(const ct_machine *m, double t, const ct_constraint *row)
{
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    const char *name = ct_name_text(m->ctx, mechanics->mechanism->joint[row->joint].name);
    ct_report *r = ct_error(m->ctx, "E614", row->place, "%s has come apart at t = %.6g s", name, t);
    ct_note(
        r,
        "near the start it seemed to tie nothing that other joints do not tie, so that a row of "
        "it was left out; in the loop %s it does not",
        ct_mechanics_loop(mechanics, row->joint, r));
    ct_help(r, "begin away from positions where links are stretched, folded or turn about "
               "themselves; or let the joint be a branch (--tree)");
    ct_witness(r, name);
}

bool ct_report_apart(const ct_rig *rig, double t, const double *z)
{
    static const double part = 1e-4;
    const ct_machine *m = rig->machine;
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    if (!mechanics || !m->reduced->maker)
        return false;
    ct_arena *scratch = ct_arena_new(m->ctx);
    ct_constraint *row;
    uint32_t count = ct_mechanics_dropped(mechanics, scratch, &row);
    const ct_reduced *view = count ? ct_reduced_view(m->reduced, scratch) : NULL;
    double size = count ? size_of(rig, t, z, mechanics->mechanism) : 0;
    bool apart = false;
    for (uint32_t i = 0; i < count && !apart; i++) {
        ct_expr e = row[i].position ? ct_reduced_express(view, row[i].position, row[i].place) : 0;
        double gap = e ? fabs(ct_rig_value_at(rig, t, z, e)) : 0;
        apart = gap > part * (ct_is_turn_row(row[i].row) ? 1 : size);
        if (apart)
            report_apart(m, t, &row[i]);
    }
    ct_arena_free(scratch);
    return apart;
}

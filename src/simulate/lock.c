/* lock.c - why a run of a mechanism broke off: a driver moves a loop to where its links do not
 * reach. Near the end of their reach the constraints depend on each other, and a little later no
 * position meets them. */
#include <string.h>

#include "mechanics/mechanics.h"
#include "simulate/machine.h"
#include "solve/project.h"

static const double singular = 0.1; /* margin of a position near the end of the reach */
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

static void report(const ct_rig *rig, double t, const ct_invariant *row)
{
    const ct_machine *m = rig->machine;
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    const ct_mechanism *mechanism = mechanics->mechanism;
    const char *name = ct_name_text(m->ctx, row->joint);
    uint32_t joint = 0;
    while (joint < mechanism->joint_count && mechanism->joint[joint].name != row->joint)
        joint++;
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

bool ct_report_lock(ct_rig *rig, double t, double past, const double *z)
{
    const ct_machine *m = rig->machine;
    const ct_reduced *reduced = m->reduced;
    uint32_t size = m->n + m->m;
    if (!m->invariant_count || !reduced->system->mechanics || !(past > 0))
        return false;
    ct_arena *scratch = ct_arena_new(m->ctx);
    double *trial = CT_NEW_ARRAY(scratch, double, size + 1);
    ct_projector *p = ct_projector_new(scratch, &rig->held, false);
    memcpy(trial, z, size * sizeof *trial);
    trial[0] += 1e-9; /* one step at least, for the margin */
    ct_project(p, t, trial);
    double margin = ct_projector_margin(p);
    uint32_t row = ct_projector_weakest(p);
    bool locks = margin < singular && stays_open(p, t, past, z, trial, size);
    locks = locks && row < reduced->invariant_count && reduced->invariant[row].joint;
    if (locks)
        report(rig, t, &m->reduced->invariant[row < m->invariant_count ? row : 0]);
    ct_projector_free(p);
    ct_arena_free(scratch);
    return locks;
}

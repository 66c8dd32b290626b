/* act_report.c - what is told of events of the model that do not end, or cannot happen. */
#include "mechanics/mechanics.h"
#include "simulate/act.h"

bool ct_report_acts(const ct_rig *rig, double t)
{
    const ct_machine *m = rig->machine;
    ct_report *r = NULL;
    for (uint32_t i = 0; rig->acting && i < m->acts->count; i++) {
        const ct_happening *h = m->driven->act[i].of;
        if (!ct_act_happens(rig, i))
            continue;
        if (!r)
            r = ct_error(m->ctx, "E552", h->place, "the events at t = %.9g s do not end", t);
        ct_witness(r, h->label);
        ct_note(r, "`%s` happens again and again", h->label);
    }
    if (r)
        ct_help(r, "what an event assigns must not make its own condition true again, or that of "
                   "another one in a circle");
    return r != NULL;
}

/* ---- what is set, and does not give way */

/* The assignment of an impulse; of any that happens now, when that is none. */
static const ct_set *find_set(const ct_rig *rig, uint32_t push, const ct_act **act)
{
    const ct_driven *d = rig->machine->driven;
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t k = 0; k < d->act[i].set_count && ct_act_happens(rig, i); k++) {
            const ct_set *s = &d->act[i].set[k];
            if (s->push && (s->push - 1 == push || push == d->push_count)) {
                *act = &d->act[i];
                return s;
            }
        }
    return NULL;
}

static uint32_t joint_named(const ct_mechanism *mechanism, ct_name name)
{
    uint32_t joint = 0;
    while (joint < mechanism->joint_count && mechanism->joint[joint].name != name)
        joint++;
    return joint;
}

/* What holds it: the loop of a joint, a source that prescribes a motion, or others that are set. */
static void note_holder(const ct_machine *m, uint32_t row, ct_report *r)
{
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    ct_name name = row != UINT32_MAX ? m->reduced->invariant[row].joint : 0;
    uint32_t joint = mechanics && name ? joint_named(mechanics->mechanism, name) : 0;
    if (!mechanics || !name) {
        ct_note(r, "what it is tied to holds it: sources, or other variables that are set at once "
                   "to values that do not fit");
        ct_help(r, "set one of those that move together, or put a spring, a resistance or the like "
                   "in between");
    } else if (joint < mechanics->mechanism->joint_count) {
        ct_note(r, "the loop %s holds it: an impulse would take %s apart",
                ct_mechanics_loop(mechanics, joint, r), ct_name_text(m->ctx, name));
        ct_help(r, "set what the loop lets move, to what fits all of its joints, or give the loop "
                   "one more freedom");
        ct_witness(r, ct_name_text(m->ctx, name));
    } else {
        ct_note(r, "%s prescribes how it moves", ct_name_text(m->ctx, name));
        ct_help(r, "let %s depend on a discrete, and set that", ct_name_text(m->ctx, name));
        ct_witness(r, ct_name_text(m->ctx, name));
    }
}

void ct_report_held(const ct_machine *m, const ct_act *a, const ct_set *s, uint32_t row,
                    const char *when)
{
    const char *name = ct_name_text(m->ctx, ct_expr_name(m->pool, s->of->target));
    ct_report *r =
        ct_error(m->ctx, "E568", a->of->place, "`%s`: %s cannot move%s", a->of->label, name, when);
    ct_witness(r, name);
    note_holder(m, row, r);
}

bool ct_report_stuck(const ct_rig *rig, double t)
{
    const ct_machine *m = rig->machine;
    const ct_pushing *p = ct_acting_pushing(rig);
    if (!p)
        return false;
    uint32_t stuck = ct_push_stuck(p), row = ct_push_apart(p);
    const ct_act *a = NULL;
    const ct_set *s = find_set(rig, stuck, &a);
    if ((stuck == m->driven->push_count && row == UINT32_MAX) || !s)
        return false;
    ct_report_held(m, a, s, row, ct_printf(m->ctx, " at t = %.9g s", t));
    return true;
}

/* act_report.c - what is told of events of the model that do not end, or cannot happen. */
#include "mechanics/mechanics.h"
#include "simulate/act.h"
#include "simulate/lookout.h"

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

static void report_storm(const ct_rig *rig, ct_place place, const char *what, double since,
                         double t)
{
    const ct_machine *m = rig->machine;
    ct_report *r = ct_error(m->ctx, "E569", place, "`%s` storms at t = %.9g s", what, t);
    ct_note(r, "it has changed %d times within the last %.2g s, a millionth of the run at most",
            CT_STORM_EVENTS, t - since);
    ct_help(r, "end the run before that, give the condition a hysteresis, or look at it at the "
               "ticks of a clock (`every`)");
    ct_witness(r, what);
}

void ct_report_act_storm(const ct_rig *rig, uint32_t act, double since, double t)
{
    const ct_happening *h = rig->machine->driven->act[act].of;
    report_storm(rig, h->place, h->label, since, t);
}

/* The act that may have made a storm; UINT32_MAX: none. */
static uint32_t busiest_act(const ct_rig *rig)
{
    uint32_t most = UINT32_MAX, count = rig->acting ? rig->machine->acts->count : 0;
    uint64_t times = CT_STORM_EVENTS / 4;
    for (uint32_t i = 0; i < count; i++)
        if (ct_act_count(rig, i) > times) {
            times = ct_act_count(rig, i);
            most = i;
        }
    return most;
}

bool ct_report_storm(const ct_rig *rig, uint32_t root, double since, double t)
{
    const ct_machine *m = rig->machine;
    uint32_t act = busiest_act(rig);
    if (act < UINT32_MAX) {
        ct_report_act_storm(rig, act, since, t);
        return true;
    }
    root = root == UINT32_MAX ? ct_lookouts_busiest(rig) : root;
    if (root >= m->events.root.count)
        return false;
    const ct_event *e = &m->events.root.at[root];
    ct_text text = ct_text_new(m->ctx->base);
    ct_expr_put_some(m->pool, &text, e->whole ? e->whole : e->condition);
    report_storm(rig, (ct_place){0}, ct_text_string(&text), since, t);
    return true;
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

/* A body that begins on the wrong side of its stop would go on there, and what ends a run would
 * not. */
void ct_warn_waiting(const ct_machine *m, const ct_act *a)
{
    bool pushes = a->why != NULL;
    for (uint32_t i = 0; i < a->set_count; i++)
        pushes |= a->set[i].push != 0;
    if (!pushes)
        return;
    ct_report *r =
        ct_warning(m->ctx, "W570", a->of->place,
                   "`%s` is true at the start: it waits until that was false", a->of->label);
    ct_note(r, "an event happens as its condition turns from false to true");
    ct_help(r, "if it should happen at once, begin on the other side of the condition");
    ct_witness(r, a->of->label);
}

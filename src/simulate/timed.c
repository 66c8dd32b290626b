/* timed.c - ranges of functions of time, and the steps that follow what swings; see timed.h.
 *
 * Errors of a step count against the size of an unknown. What a fast source adds in a period can be
 * small beside it, so that steps as long as the period pass, all with the same error: a body that
 * is heated by an alternating current warms at a wrong rate, in each of ten thousand periods alike.
 * So a step never takes more than a small part of a period, as long as the run can afford it.
 */
#include "simulate/timed.h"

#include <math.h>

bool ct_timed_make(const ct_rig *rig, ct_expr e, ct_timed *out)
{
    const ct_machine *m = rig->machine;
    const ct_range_plan *plan = ct_range_plan_new(rig->arena, m->pool, e);
    const double **value = CT_NEW_ARRAY(rig->arena, const double *, plan->symbol_count + 1);
    bool loose = false;
    for (uint32_t i = 0; i < plan->symbol_count; i++) {
        ct_name name = plan->symbol[i];
        uint32_t p = ct_map_get(&m->parameter_index, name), z = ct_map_get(&m->z_index, name);
        if (name == m->time)
            continue;
        if (!p && z <= m->n + m->m)
            return false;
        value[i] = p ? &rig->parameter[p - 1] : &rig->variable[z - 1];
        loose |= !p;
    }
    ct_bounds *symbol = CT_NEW_ARRAY(rig->arena, ct_bounds, plan->symbol_count + 1);
    *out = (ct_timed){.plan = plan, .symbol = symbol, .value = value, .loose = loose};
    return true;
}

static void set_symbols(const ct_timed *f, double low, double high)
{
    for (uint32_t i = 0; i < f->plan->symbol_count; i++)
        f->symbol[i] =
            f->value[i] ? (ct_bounds){*f->value[i], *f->value[i]} : (ct_bounds){low, high};
}

ct_bounds ct_timed_range(const ct_timed *f, double low, double high, bool *jumps)
{
    set_symbols(f, low, high);
    return ct_range_of(f->plan, f->symbol, jumps);
}

double ct_timed_at(const ct_timed *f, double t)
{
    set_symbols(f, t, t);
    return ct_range_point(f->plan, f->symbol);
}

void ct_take_swings(ct_rig *rig)
{
    const ct_events *events = &rig->machine->events;
    rig->swing = CT_NEW_ARRAY(rig->arena, ct_timed, events->swing.count + 1);
    for (uint32_t i = 0; i < events->swing.count; i++)
        rig->swing_count += ct_timed_make(rig, events->swing.at[i], &rig->swing[rig->swing_count]);
    ct_phase *phase = CT_NEW_ARRAY(rig->arena, ct_phase, events->turn.count + 1);
    for (uint32_t i = 0; i < events->turn.count; i++) {
        const ct_turn *turn = &events->turn.at[i];
        ct_timed factor;
        double known = ct_timed_make(rig, turn->factor, &factor) ? ct_timed_at(&factor, 0) : 0;
        phase[rig->phase_count++] = (ct_phase){turn->state, known, turn->more};
    }
    rig->phase = phase;
}

void ct_follow_swings(const ct_rig *rig, ct_run_def *def)
{
    double fastest = 0, span = fmax(rig->span, def->stop - def->start);
    def->lost_swing = 0;
    for (uint32_t i = 0; i < rig->swing_count; i++) {
        bool jumps;
        ct_bounds rate = ct_timed_range(&rig->swing[i], def->start, def->stop, &jumps);
        double largest = fmax(fabs(rate.low), fabs(rate.high));
        bool followed = largest * span <= CT_TURN_OF_STEP * CT_MOST_FOLLOWED;
        double *most = followed ? &fastest : &def->lost_swing;
        *most = fmax(*most, largest);
    }
    def->swing_step = fastest > 0 ? CT_TURN_OF_STEP / fastest : 0;
}

/* strike.c - what `when` and `every` do in a mode: impulses choose their ways through pairs
 * (choice/strike.c), and what is stored moves with them. */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/act.h"
#include "simulate/variant.h"

typedef struct ct_striking {
    double instant;
    double *z; /* of the mode, before */
    ct_acted acted;
} ct_striking;

/* ---- what the choice asks for */

void ct_strike_restore(void *user, uint32_t number)
{
    ct_modes *all = user;
    ct_regime *mode = all->mode.at[number];
    ct_acting_take(mode->rig, mode->spare);
    memcpy(mode->z, all->strike->z, (mode->machine->n + mode->machine->m) * sizeof *mode->z);
}

ct_struck_by ct_strike_act(void *user, uint32_t number)
{
    ct_modes *all = user;
    ct_regime *own = all->mode.at[number];
    ct_acted *acted = &all->strike->acted;
    memcpy(own->before, own->z, (own->machine->n + own->machine->m) * sizeof *own->z);
    ct_solve_status status =
        ct_act_now(own->rig, all->strike->instant, all->choice.t, own->z, acted);
    if (status != CT_SOLVED)
        return status == CT_REPORTED ? CT_STRIKE_FAILED : CT_STRIKE_HELD;
    return *acted == CT_ACTED        ? CT_STRIKE_DONE
           : *acted == CT_ACTED_LAST ? CT_STRIKE_LAST
           : *acted                  ? CT_STRIKE_OTHER
                                     : CT_STRIKE_NOTHING;
}

const double *ct_strike_shock(void *user, uint32_t number)
{
    const ct_modes *all = user;
    ct_regime *own = all->mode.at[number];
    if (!ct_acting_reach(own->rig))
        return NULL;
    ct_acting_shock(own->rig, all->choice.t, own->z, own->watch);
    return own->watch;
}

/* ---- what is told */

static void report_reach(const ct_modes *all, uint32_t item, double t)
{
    const ct_component *c = &all->model->component[all->item[item].component];
    const char *name = ct_name_text(all->ctx, c->name);
    ct_report *r = ct_error(all->ctx, "E565", c->place,
                            "an impact at t = %.9g s sends an impulse through %s", t, name);
    ct_note(r, "whichever way %s goes while the impulse passes, it would have to go the other one",
            name);
    ct_help(r, "use `end_stop` or `contact` with a restitution `e` for the impact: all of them are "
               "solved together");
    ct_witness(r, name);
}

/* ---- what has moved */

/* What impulses moved: states, and dependent storage with them. What discretes make jump is left to
 * the mode that is entered next. */
static void take_moves(ct_regime *mode, double t)
{
    ct_modes *all = mode->all;
    uint32_t n = mode->machine->n, first = CT_WATCHES * all->count;
    ct_run_stats stats = {0};
    bool moved = false;
    for (uint32_t i = 0; i < n; i++)
        moved |= mode->z[i] != mode->before[i];
    if (!moved)
        return;
    ct_rig_watch(mode->rig, t, mode->before, mode->watch);
    for (uint32_t i = 0; i < mode->record_count; i++)
        all->value[i] -= mode->watch[first + i];
    if (mode->machine->m) /* w follows */
        ct_solve_algebraic(all->ctx, &mode->rig->held, t, mode->z, true, &stats);
    ct_rig_watch(mode->rig, t, mode->z, mode->watch);
    for (uint32_t i = 0; i < mode->record_count; i++)
        all->value[i] += mode->watch[first + i];
    for (uint32_t i = 0; i < n; i++)
        if (mode->state_record[i] != UINT32_MAX)
            all->value[mode->state_record[i]] = mode->z[i];
}

/* What is assigned counts from now on; what depends on it jumps when the next mode is entered. */
static ct_solve_status take_over(ct_regime *mode, ct_regime *own, double t, ct_acted acted)
{
    ct_modes *all = mode->all;
    if (own != mode)
        ct_acting_take(mode->rig, own->rig);
    if (acted == CT_ACTED_CHANGED && !ct_use_variant(own->rig))
        return CT_SINGULAR;
    if (acted == CT_ACTED_NOTHING)
        return CT_SOLVED;
    take_moves(own, t);
    if (own != mode) {
        all->now = all->from = own;
        all->from_time = t;
        all->choice.from = own->number;
        all->choice.left = UINT32_MAX;
    }
    return CT_SOLVED;
}

/* ---- events of the model */

static ct_solve_status strike(ct_regime *mode, ct_striking *own, double t, ct_strike *s)
{
    ct_modes *all = mode->all;
    all->strike = own;
    all->choice.t = t;
    ct_struck_by by = ct_choice_strike(&all->choice, s);
    all->strike = NULL;
    if (by == CT_STRIKE_CROSS)
        report_reach(all, s->culprit, own->instant);
    if (by == CT_STRIKE_HELD)
        ct_mode_report_held(all, own->instant);
    bool failed = by == CT_STRIKE_CROSS || by == CT_STRIKE_HELD || by == CT_STRIKE_FAILED;
    return failed ? CT_REPORTED : take_over(mode, all->mode.at[s->own], t, own->acted);
}

static ct_solve_status strike_tied(ct_regime *mode, double instant, double t, ct_acted *acted)
{
    uint32_t size = mode->machine->n + mode->machine->m, count = mode->all->count;
    if (!mode->spare)
        mode->spare = ct_rig_new(mode->machine, mode->all->quantity);
    ct_acting_take(mode->spare, mode->rig);
    ct_arena *scratch = ct_arena_new(mode->all->ctx);
    ct_striking own = {.instant = instant, .z = CT_NEW_ARRAY(scratch, double, size + 1)};
    ct_strike s = {.mode = mode->number,
                   .way = CT_NEW_ARRAY(scratch, uint8_t, count + 1),
                   .tried =
                       CT_NEW_ARRAY(scratch, uint8_t, (size_t)(CT_MOST_STRIKES + 2) * count + 1),
                   .wrong = CT_NEW_ARRAY(scratch, bool, count + 1)};
    memcpy(own.z, mode->z, size * sizeof *own.z);
    ct_solve_status status = strike(mode, &own, t, &s);
    *acted = own.acted;
    ct_arena_free(scratch);
    return status;
}

ct_solve_status ct_mode_act(ct_regime *mode, double instant, double t, ct_acted *acted)
{
    *acted = CT_ACTED_NOTHING;
    if (!mode->rig->acting)
        return CT_SOLVED;
    if (ct_pushes_are_tied(mode->machine))
        return strike_tied(mode, instant, t, acted);
    const ct_machine *m = mode->machine;
    memcpy(mode->before, mode->z, (m->n + m->m) * sizeof *mode->z);
    ct_solve_status status = ct_act_now(mode->rig, instant, t, mode->z, acted);
    return status == CT_SOLVED ? take_over(mode, mode, t, *acted) : status;
}

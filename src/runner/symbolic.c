/* symbolic.c - runs of derived equations: can do everything. */
#include "runner/inside.h"

/* Derives for those who need more than numbers, or where numbers alone fail. */
ct_machine *ct_simulator_machine(ct_simulator *s)
{
    if (s->machine)
        return s->machine;
    const ct_equations *equations = ct_equations_new(s->tree, s->form, CT_FOR_A_RUN);
    s->machine = equations ? ct_machine_drawn(equations, s->drawn) : NULL;
    return s->machine;
}

ct_rig *ct_simulator_rig(ct_simulator *s)
{
    if (!s->rig && ct_simulator_machine(s))
        s->rig = ct_rig_new(s->machine, s->value);
    return s->rig;
}

static const char *make(ct_simulator *s)
{
    ct_simulator_machine(s);
    return NULL;
}

static const char *run(ct_simulator *s, const ct_simulation_def *def, ct_arena *arena,
                       const ct_simulation **made)
{
    *made = ct_simulator_rig(s) ? ct_simulate(s->rig, def, arena) : NULL;
    return NULL;
}

static void forget_rig(ct_simulator *s)
{
    ct_rig_free(s->rig);
    s->rig = NULL;
}

/* Motions and matrices of bodies are expressed when somebody looks at them: a clone that is asked
 * for them derives its own equations. */
static ct_rig *rig_for_points(ct_simulator *s)
{
    if (s->borrowed && s->model->mechanism) {
        forget_rig(s);
        s->machine = NULL;
        s->borrowed = false;
    }
    return ct_simulator_rig(s);
}

static const char *rest(ct_simulator *s, double t, ct_arena *arena, const ct_point **made)
{
    ct_rig *rig = rig_for_points(s);
    *made = rig ? ct_point_bodies(rig, ct_operating_point(rig, t, arena), arena) : NULL;
    return NULL;
}

static const char *at(ct_simulator *s, double t, const ct_state_value *given, uint32_t count,
                      ct_arena *arena, const ct_point **made)
{
    ct_rig *rig = rig_for_points(s);
    *made = rig ? ct_point_bodies(rig, ct_evaluate(rig, t, given, count, arena), arena) : NULL;
    return NULL;
}

static void clone(const ct_simulator *from, ct_simulator *to)
{
    to->machine = from->machine ? ct_machine_clone(from->machine, to->tree) : NULL;
    to->borrowed = to->machine != NULL;
}

const ct_runner_type ct_symbolic_runner = {"symbolic", make, run, rest, at, forget_rig, clone};

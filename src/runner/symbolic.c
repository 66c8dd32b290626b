/* symbolic.c - runs of derived equations: can do everything. */
#include <string.h>

#include "runner/inside.h"

/* Derives for those who need more than numbers, or where numbers alone fail. */
ct_machine *ct_simulator_machine(ct_simulator *s)
{
    if (s->machine)
        return s->machine;
    s->machine = ct_machine_of_tree(s->tree, s->form, s->drawn);
    return s->machine;
}

ct_rig *ct_simulator_rig(ct_simulator *s)
{
    if (!s->rig && ct_simulator_machine(s)) {
        s->rig = ct_rig_new(s->machine, s->value);
        if (s->rig)
            ct_rig_rest_by(s->rig, ct_numeric_rest, s);
    }
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

/* Where the next point of a sweep begins. */
static void keep_near(ct_simulator *s, const ct_point *point)
{
    uint32_t count = point->state_count + point->algebraic_count;
    if (!s->near || s->near_count != count)
        s->near = CT_NEW_ARRAY(s->arena, double, count + 1);
    s->near_count = count;
    memcpy(s->near, point->x, point->state_count * sizeof *s->near);
    memcpy(s->near + point->state_count, point->w, point->algebraic_count * sizeof *s->near);
}

static const char *rest(ct_simulator *s, double t, ct_arena *arena, const ct_point **made)
{
    ct_rig *rig = ct_simulator_rig(s);
    if (rig && s->follows)
        ct_rig_follow(rig, s->near, s->near_count);
    const ct_point *point = rig ? ct_operating_point(rig, t, arena) : NULL;
    if (point && s->follows)
        keep_near(s, point);
    *made = rig ? ct_point_bodies(rig, point, arena) : NULL;
    if (*made)
        *made = ct_point_without(s->model, CT_OWN_AGE, *made, arena);
    return NULL;
}

static const char *at(ct_simulator *s, double t, const ct_state_value *given, uint32_t count,
                      ct_arena *arena, const ct_point **made)
{
    ct_rig *rig = ct_simulator_rig(s);
    *made = rig ? ct_point_bodies(rig, ct_evaluate(rig, t, given, count, arena), arena) : NULL;
    return NULL;
}

static void clone(const ct_simulator *from, ct_simulator *to)
{
    if (from->machine)
        to->machine = ct_machine_clone(from->machine, to->tree); /* NULL: made when it is needed */
}

const ct_runner_type ct_symbolic_runner = {"symbolic", make, run, rest, at, forget_rig, clone};

/* modal.c - runs of models with modes: ideal switches, diodes, stops, dry friction. */
#include "model/shadow.h"
#include "runner/inside.h"

static const char *make(ct_simulator *s)
{
    return ct_model_is_modal(s->model) ? NULL : "the model has no modes";
}

static ct_modes *modes_of(ct_simulator *s)
{
    if (!s->modes)
        s->modes = ct_modes_new(s->tree, s->value, s->drawn);
    return s->modes;
}

static const char *run(ct_simulator *s, const ct_simulation_def *def, ct_arena *arena,
                       const ct_simulation **made)
{
    *made = ct_modes_run(modes_of(s), def, arena);
    return NULL;
}

static const char *rest(ct_simulator *s, double t, ct_arena *arena, const ct_point **made)
{
    *made = ct_modes_rest(modes_of(s), t, arena);
    return NULL;
}

static const char *at(ct_simulator *s, double t, const ct_state_value *given, uint32_t count,
                      ct_arena *arena, const ct_point **made)
{
    *made = ct_modes_at(modes_of(s), t, given, count, arena);
    return NULL;
}

static void set(ct_simulator *s)
{
    ct_modes_free(s->modes);
    s->modes = NULL;
}

static void clone(const ct_simulator *from, ct_simulator *to)
{
    (void)from, (void)to;
}

const ct_runner_type ct_modal_runner = {"modal", make, run, rest, at, set, clone};

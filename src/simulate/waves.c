/* waves.c - functions of time: a machine without variables. */
#include "simulate/waves.h"

#include <math.h>
#include <string.h>

#include "simulate/machine.h"
#include "simulate/timed.h"

struct ct_waves {
    ct_driven driven;
    ct_machine machine; /* of parameters, events and time alone */
    ct_rig rig;
    const ct_program *program;
    double *work;
};

/* A program, or NULL without a report. */
static const ct_program *compile(const ct_machine *m, const ct_expr *e, uint32_t count,
                                 uint32_t variables)
{
    ct_expr stranger;
    ct_program_def def = {.pool = m->pool,
                          .parameter = m->parameter,
                          .parameter_count = m->parameter_count,
                          .variable = m->z,
                          .variable_count = variables,
                          .output = e,
                          .output_count = count};
    return ct_program_new(m->arena, &def, &stranger);
}

static bool compile_moments(ct_machine *m)
{
    ct_expr_list moment = {0};
    for (uint32_t i = 0; i < m->events.moment.count; i++) {
        CT_PUSH(m->arena, moment, m->events.moment.at[i].condition);
        CT_PUSH(m->arena, moment, m->events.moment.at[i].offset);
    }
    m->moments = compile(m, moment.at, moment.count, 0);
    return m->moments != NULL;
}

static bool set_values(ct_waves *w, const double *value)
{
    const ct_machine *m = &w->machine;
    w->rig = (ct_rig){.machine = m, .arena = m->arena};
    w->rig.value = value;
    w->rig.parameter = CT_NEW_ARRAY(m->arena, double, m->parameter_count + 1);
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, m->parameter[i]);
        w->rig.parameter[i] = value[q - 1];
        if (!isfinite(value[q - 1]))
            return false;
    }
    w->work = CT_NEW_ARRAY(m->arena, double, ct_program_work(w->program) + 1);
    ct_program_prepare(w->program, w->rig.parameter, w->work);
    w->rig.variable = CT_NEW_ARRAY(m->arena, double, 1);
    ct_rig_take_breaks(&w->rig);
    ct_take_swings(&w->rig);
    return true;
}

ct_waves *ct_waves_new(const ct_model *model, const double *value, const ct_expr *e, uint32_t count,
                       ct_arena *arena)
{
    ct_waves *w = CT_NEW(arena, ct_waves);
    ct_expr *kept = CT_NEW_ARRAY(arena, ct_expr, count + 1);
    ct_machine *m = &w->machine;
    ct_driven *d = &w->driven;
    *d = ct_driven_open(model, arena);
    memcpy(kept, e, count * sizeof *kept);
    ct_find_events(d, kept, count, count, &d->events);
    if (d->events.root.count)
        return NULL;
    ct_list_parameters(d, e, count);
    *m = (ct_machine){.ctx = model->ctx,
                      .arena = arena,
                      .pool = model->pool,
                      .model = model,
                      .time = d->time,
                      .z = d->z,
                      .parameter_index = d->parameter_index,
                      .parameter = d->parameter,
                      .parameter_count = d->parameter_count,
                      .events = d->events};
    w->program = compile(m, e, count, 1);
    return w->program && compile_moments(m) && set_values(w, value) ? w : NULL;
}

void ct_waves_at(ct_waves *w, double t, double *out)
{
    ct_program_run(w->program, &t, out, w->work);
}

void ct_waves_follow(const ct_waves *w, ct_run_def *def)
{
    ct_follow_swings(&w->rig, def);
}

double ct_waves_next_break(const ct_waves *w, double t)
{
    return ct_rig_next_break(&w->rig, t);
}

double ct_waves_next_jump(const ct_waves *w, double t)
{
    return ct_rig_next_jump(&w->rig, t);
}

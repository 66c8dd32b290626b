/* waves.c - functions of time: a machine without variables. */
#include "simulate/waves.h"

#include <math.h>
#include <string.h>

#include "simulate/machine.h"

struct ct_waves {
    ct_machine machine;
    ct_rig rig;
    ct_system system;
    ct_reduced reduced;
    ct_index no_unknowns;
    const ct_program *program;
    double *work;
};

static void list_parameters(ct_machine *m, const ct_expr *e, uint32_t count)
{
    ct_name_list symbol = ct_symbols_of(m->pool, m->arena, e, count), used = {0};
    ct_map_init(&m->parameter_index, m->arena);
    for (uint32_t i = 0; i < symbol.count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, symbol.at[i]);
        if (!q || m->model->quantity[q - 1].kind != CT_PARAM)
            continue;
        CT_PUSH(m->arena, used, symbol.at[i]);
        ct_map_put(&m->parameter_index, symbol.at[i], used.count);
    }
    m->parameter = used.at;
    m->parameter_count = used.count;
}

static void open_machine(ct_waves *w, const ct_model *model, ct_arena *arena)
{
    w->system = (ct_system){.model = model, .unknown_by_name = &w->no_unknowns};
    w->reduced = (ct_reduced){.system = &w->system};
    w->machine = (ct_machine){.ctx = model->ctx,
                              .arena = arena,
                              .pool = model->pool,
                              .model = model,
                              .reduced = &w->reduced,
                              .time = ct_intern_text(model->ctx, "t"),
                              .z_count = 1};
    w->machine.z = &w->machine.time;
    ct_map_init(&w->machine.z_index, arena);
    ct_map_put(&w->machine.z_index, w->machine.time, 1);
}

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
    w->rig.value = (double *)value; /* read only */
    w->rig.parameter = CT_NEW_ARRAY(m->arena, double, m->parameter_count + 1);
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, m->parameter[i]);
        w->rig.parameter[i] = value[q - 1];
        if (!isfinite(value[q - 1]))
            return false;
    }
    w->work = CT_NEW_ARRAY(m->arena, double, ct_program_work(w->program) + 1);
    ct_program_prepare(w->program, w->rig.parameter, w->work);
    ct_rig_list_breaks(&w->rig);
    return true;
}

ct_waves *ct_waves_new(const ct_model *model, const double *value, const ct_expr *e, uint32_t count,
                       ct_arena *arena)
{
    ct_waves *w = CT_NEW(arena, ct_waves);
    ct_expr *kept = CT_NEW_ARRAY(arena, ct_expr, count + 1);
    open_machine(w, model, arena);
    ct_machine *m = &w->machine;
    memcpy(kept, e, count * sizeof *kept);
    ct_find_events(m, kept, count, &m->events);
    if (m->events.root.count)
        return NULL;
    list_parameters(m, e, count);
    w->program = compile(m, e, count, 1);
    return w->program && compile_moments(m) && set_values(w, value) ? w : NULL;
}

void ct_waves_at(ct_waves *w, double t, double *out)
{
    ct_program_run(w->program, &t, out, w->work);
}

double ct_waves_next_break(const ct_waves *w, double t)
{
    return ct_rig_next_break((void *)&w->rig, t);
}

double ct_waves_next_jump(const ct_waves *w, double t)
{
    return ct_rig_next_jump(&w->rig, t);
}

/* rig_rest.c - equations of operating points, with values of parameters. */
#include "simulate/rig.h"

static void evaluate_rest(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->rest_bundle->value, rig->variable, fg, rig->work_rest);
    ct_rig_spoil(rig, fg);
}

static void slope_rest(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    ct_rig_set_point(rig, t, z);
    ct_program_run(rig->rest_bundle->slope, rig->variable, value, rig->work_rest_slope);
}

const ct_problem *ct_rig_rest(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    if (!m->rest)
        return &rig->free;
    if (rig->rest_bundle)
        return &rig->rest;
    ct_bundle *bundle = CT_NEW(rig->arena, ct_bundle);
    if (!ct_machine_bundle(m, m->rest, size, m->z, size, m->z_count, bundle))
        return NULL;
    rig->rest_bundle = bundle;
    rig->work_rest = ct_rig_prepared(rig, bundle->value);
    rig->work_rest_slope = ct_rig_prepared(rig, bundle->slope);
    rig->rest = rig->free;
    rig->rest.evaluate = evaluate_rest;
    rig->rest.jacobian = slope_rest;
    rig->rest.pattern = NULL;
    rig->rest.start = bundle->jacobian->start;
    rig->rest.row = bundle->jacobian->row;
    rig->rest.lift = ct_rig_lift_rest;
    return &rig->rest;
}

void ct_rig_rest_columns(ct_rig *rig, double t, const double *z, double *column)
{
    const ct_machine *m = rig->machine;
    const ct_program *program =
        m->rest_column ? ct_machine_program(m, m->rest_column, m->column_count, m->known) : NULL;
    if (!program) {
        ct_rig_columns(rig, t, z, column);
        return;
    }
    ct_rig_set_point(rig, ct_rig_right_side(rig, t), z);
    ct_program_run(program, rig->variable, column, ct_rig_prepared(rig, program));
}

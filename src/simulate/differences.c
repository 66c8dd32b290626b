/* differences.c - Jacobians by central differences.
 *
 * Columns without a common row are shifted together, and four groups of them, each to both sides,
 * make one run in lanes. */
#include <float.h>
#include <math.h>

#include "compile/lanes.h"
#include "simulate/machine.h"

static const double least_size = 1e-3; /* of a value: steps of smaller ones are taken as of this */

ct_shifter ct_shifter_new(const ct_rig *rig, const ct_program *program, const ct_jacobian *pattern)
{
    const ct_machine *m = rig->machine;
    size_t size = m->n + m->m;
    ct_shifter s = {
        .program = program,
        .groups = ct_group_columns(rig->arena, pattern),
        .variable = CT_NEW_ARRAY(rig->arena, double, CT_LANES *(size_t)m->z_count),
        .output = CT_NEW_ARRAY(rig->arena, double, CT_LANES *size + 1),
        .work = CT_NEW_ARRAY(rig->arena, double, ct_lanes_work(program) + 1),
        .step = CT_NEW_ARRAY(rig->arena, double, size + 1),
    };
    double *parameter = CT_NEW_ARRAY(rig->arena, double, CT_LANES *(size_t)m->parameter_count + 1);
    for (uint32_t i = 0; i < CT_LANES * m->parameter_count; i++)
        parameter[i] = rig->parameter[i / CT_LANES];
    ct_lanes_prepare(program, parameter, s.work);
    return s;
}

static void set_all(double *lanes, double value)
{
    for (int l = 0; l < CT_LANES; l++)
        lanes[l] = value;
}

/* The columns of a group, by one step to the left in its first lane, to the right in its second. */
static void shift(const ct_grouping *g, uint32_t group, const double *z, int lane,
                  const ct_shifter *s)
{
    for (uint32_t a = g->start[group]; a < g->start[group + 1]; a++) {
        uint32_t k = g->column[a];
        double h = cbrt(DBL_EPSILON) * fmax(fabs(z[k]), least_size),
               *x = s->variable + CT_LANES * (size_t)k;
        x[lane] = z[k] - h;
        x[lane + 1] = z[k] + h;
        s->step[k] = x[lane + 1] - x[lane];
    }
}

static void take(const ct_grouping *g, uint32_t group, const ct_jacobian *j, const double *z,
                 int lane, const ct_shifter *s, double *value)
{
    for (uint32_t a = g->start[group]; a < g->start[group + 1]; a++) {
        uint32_t k = g->column[a];
        for (uint32_t i = j->start[k]; i < j->start[k + 1]; i++) {
            const double *y = s->output + CT_LANES * (size_t)j->row[i];
            value[i] = (y[lane + 1] - y[lane]) / s->step[k];
        }
        set_all(s->variable + CT_LANES * (size_t)k, z[k]);
    }
}

void ct_differences(const ct_rig *rig, const ct_slope *slope, double t, const double *z,
                    double *value)
{
    const ct_shifter *s = &slope->shifter;
    const ct_machine *m = rig->machine;
    const ct_grouping *g = s->groups;
    uint32_t size = m->n + m->m;
    for (uint32_t k = 0; k < m->z_count; k++)
        set_all(s->variable + CT_LANES * (size_t)k, k < size    ? z[k]
                                                    : k == size ? t
                                                                : rig->variable[k]);
    for (uint32_t first = 0; first < g->count; first += CT_LANES / 2) {
        uint32_t end = first + CT_LANES / 2 < g->count ? first + CT_LANES / 2 : g->count;
        for (uint32_t i = first; i < end; i++)
            shift(g, i, z, (int)(2 * (i - first)), s);
        ct_lanes_run(s->program, s->variable, s->output, s->work);
        for (uint32_t i = first; i < end; i++)
            take(g, i, slope->jacobian, z, (int)(2 * (i - first)), s, value);
    }
}

/* slope.c - the Jacobian of (f, g): symbolic, or of mechanisms by differences where that costs
 * less.
 *
 * The acceleration of one body of a chain depends on all others, through one long computation;
 * symbolic derivatives repeat that computation, for every row. Making a node takes as long as
 * thousands of operations, and a run asks for some tens of Jacobians: so the symbolic one is given
 * up as soon as it has made more nodes than a few for each operation of (f, g). A run by
 * Runge-Kutta never asks for it: mechanisms wait with all this until somebody does. */
#include "simulate/machine.h"

enum { ALWAYS_EXACT = 4000, NODES_PER_OPERATION = 2 };
enum { MANY_GROUPS = 32 }; /* of columns: machine code for lanes is paid by some ten Jacobians */

bool ct_derives_late(const ct_machine *m)
{
    return m->reduced->system->mechanics && !m->m && m->n >= 12;
}

static ct_slope by_program(const ct_rig *rig, const ct_jacobian *jacobian,
                           const ct_program *program)
{
    double *work = ct_program_prepared(rig->arena, program, rig->parameter);
    return (ct_slope){.jacobian = jacobian, .program = program, .work = work};
}

/* Nodes that the symbolic Jacobian may have; 0: it will have more, two for an entry at least. Those
 * of rates that are speeds are ones. */
static uint32_t affordable(const ct_jacobian *pattern, const ct_program *value)
{
    uint64_t nodes = NODES_PER_OPERATION * (uint64_t)ct_program_operations(value);
    if (nodes < ALWAYS_EXACT)
        nodes = ALWAYS_EXACT;
    return 2 * (uint64_t)pattern->count < nodes + 2 * pattern->rows ? (uint32_t)nodes : 0;
}

/* (f, g) for lanes; what there is of it where that would not pay. */
static const ct_program *for_lanes(const ct_rig *rig, const ct_expr *e, const ct_program *value,
                                   const ct_jacobian *pattern)
{
    const ct_machine *m = rig->machine;
    ct_expr stranger;
    if (ct_group_columns(rig->arena, pattern)->count < MANY_GROUPS)
        return value;
    ct_program_def def = ct_machine_def(m, e, m->n + m->m, m->z_count);
    def.seldom = def.lanes = true;
    const ct_program *program = ct_program_new(m->arena, &def, &stranger);
    return program ? program : value;
}

static ct_slope choose(const ct_rig *rig, const ct_expr *e, const ct_program *value)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    ct_expr culprit = 0;
    const ct_jacobian *pattern = ct_pattern_new(rig->arena, m->pool, e, size, m->z, size);
    uint32_t most = affordable(pattern, value);
    const ct_jacobian *exact =
        most ? ct_jacobian_within(rig->arena, m->pool, e, size, m->z, size, most, &culprit) : NULL;
    const ct_program *program =
        exact ? ct_machine_program(m, exact->entry, exact->count, m->z_count) : NULL;
    if (program)
        return by_program(rig, exact, program);
    value = for_lanes(rig, e, value, pattern);
    return (ct_slope){.jacobian = pattern, .shifter = ct_shifter_new(rig, value, pattern)};
}

void ct_make_slopes(void *user)
{
    ct_rig *rig = user;
    const ct_machine *m = rig->machine;
    bool same = m->held.value == m->free.value;
    if (m->free.jacobian) {
        rig->slope_free = by_program(rig, m->free.jacobian, m->free.slope);
        rig->slope_held = same ? rig->slope_free : by_program(rig, m->held.jacobian, m->held.slope);
    } else {
        rig->slope_free = choose(rig, m->fg, m->free.value);
        rig->slope_held = same ? rig->slope_free : choose(rig, m->kept, m->held.value);
    }
    rig->free.start = rig->slope_free.jacobian->start;
    rig->free.row = rig->slope_free.jacobian->row;
    rig->held.start = rig->slope_held.jacobian->start;
    rig->held.row = rig->slope_held.jacobian->row;
}

void ct_slope_run(const ct_rig *rig, const ct_slope *slope, double t, const double *z,
                  double *value)
{
    if (slope->program)
        ct_program_run(slope->program, rig->variable, value, slope->work);
    else
        ct_differences(rig, slope, t, z, value);
}

void ct_slope_effort(const ct_slope *slope, const ct_program *value, ct_simulation *run)
{
    run->jacobian = "none";
    if (!slope->jacobian)
        return;
    run->jacobian = slope->program ? "symbolic" : "differences";
    run->jacobian_entries = slope->jacobian->count;
    run->jacobian_ops = slope->program
                            ? ct_program_operations(slope->program)
                            : 2 * slope->shifter.groups->count * ct_program_operations(value);
}

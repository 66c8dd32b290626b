/* values.c - points reached by a run, and values of any expressions there. */
#include <math.h>
#include <string.h>

#include "simulate/point.h"

const ct_point *ct_reach(ct_rig *rig, double t, ct_arena *arena)
{
    ct_simulation_def def = ct_default_simulation_def();
    ct_expr own = rig->machine->model->run.start;
    double start = own ? ct_rig_value(rig, own) : 0;
    if (!(t > start))
        return ct_evaluate(rig, t, NULL, 0, arena);
    def.stop = t;
    def.points = 1;
    const ct_simulation *s = ct_simulate(rig, &def, arena);
    return s && s->status == CT_SOLVED ? ct_point_new(rig, t, s->z, NULL, arena) : NULL;
}

static bool run_at(const ct_rig *rig, const ct_point *at, const ct_knowns *known, ct_arena *arena,
                   const ct_expr *e, uint32_t count, double *value);

/* What drives an input, whose name an expression can still hold where it cancels: of equal forms a
 * pool keeps the one that it met first. */
static double driven_value(const ct_rig *rig, const ct_point *at, ct_arena *arena, ct_name input)
{
    ct_expr symbol = ct_expr_symbol(rig->machine->pool, input), e = symbol;
    double value = NAN;
    bool known = ct_drive_all(rig->machine->driven, &e, 1) && e != symbol &&
                 run_at(rig, at, NULL, arena, &e, 1, &value);
    return known ? value : NAN;
}

static bool run_at(const ct_rig *rig, const ct_point *at, const ct_knowns *known, ct_arena *arena,
                   const ct_expr *e, uint32_t count, double *value)
{
    const ct_machine *m = rig->machine;
    ct_name_list symbol = ct_symbols_of(m->pool, arena, e, count);
    double *given = CT_NEW_ARRAY(arena, double, symbol.count + 1);
    ct_expr stranger;
    for (uint32_t i = 0; i < symbol.count; i++) {
        uint32_t z = ct_map_get(&m->z_index, symbol.at[i]),
                 q = ct_map_get(m->model->quantity_by_name, symbol.at[i]),
                 own = known ? ct_map_get(&known->index, symbol.at[i]) : 0;
        if (own)
            given[i] = known->value[own - 1];
        else if (symbol.at[i] == m->time) /* also one of z */
            given[i] = at->time;
        else if (z)
            given[i] = z <= m->n          ? at->x[z - 1]
                       : z <= m->n + m->m ? at->w[z - 1 - m->n]
                                          : rig->variable[z - 1]; /* a discrete */
        else if (q)
            given[i] = isnan(rig->value[q - 1]) ? driven_value(rig, at, arena, symbol.at[i])
                                                : rig->value[q - 1];
    }
    ct_program_def def = {.pool = m->pool,
                          .variable = symbol.at,
                          .variable_count = symbol.count,
                          .output = e,
                          .output_count = count,
                          .seldom = true};
    const ct_program *program = ct_program_new(arena, &def, &stranger);
    if (!program)
        return false;
    double *work = ct_program_prepared(arena, program, NULL);
    ct_program_run(program, given, value, work);
    return true;
}

/* False: something divides by what is still. */
static bool put_still(const ct_rig *rig, const ct_knowns *known, ct_arena *arena, ct_expr *e,
                      uint32_t count)
{
    ct_pool *pool = rig->machine->pool;
    if (!known || !known->still_count)
        return true;
    ct_expr *zero = CT_NEW_ARRAY(arena, ct_expr, known->still_count + 1);
    for (uint32_t i = 0; i < known->still_count; i++)
        zero[i] = ct_expr_int(pool, 0);
    ct_expr_substitute_all(pool, e, e, count, known->still, zero, known->still_count);
    for (uint32_t i = 0; i < count; i++)
        if (!e[i])
            return false;
    return true;
}

bool ct_values_with(const ct_rig *rig, const ct_point *at, const ct_knowns *known, const ct_expr *e,
                    uint32_t count, double *value)
{
    ct_arena *arena = ct_arena_new(rig->machine->ctx);
    ct_expr *driven = CT_NEW_ARRAY(arena, ct_expr, count + 1);
    if (count)
        memcpy(driven, e, count * sizeof *driven);
    bool good = put_still(rig, known, arena, driven, count) &&
                ct_drive_all(rig->machine->driven, driven, count) &&
                run_at(rig, at, known, arena, driven, count, value);
    ct_arena_free(arena);
    return good;
}

bool ct_values_at(const ct_rig *rig, const ct_point *at, const ct_expr *e, uint32_t count,
                  double *value)
{
    return ct_values_with(rig, at, NULL, e, count, value);
}

/* tangent.c - derivatives in numbers at a point: programs differentiated forward.
 *
 * The differentials of all rows are one program over the differentials of the columns. It is a few
 * times as long as the rows and linear, whatever their number: what does not depend on a direction
 * is computed once, and each run gives eight directions, in lanes. Columns without a common row
 * share a direction. */
#include <math.h>

#include "compile/lanes.h"
#include "simulate/machine.h"

/* Directions, about: machine code for lanes is paid by a hundred runs. */
enum { MANY_GROUPS = 100 * CT_LANES };

typedef struct tangent {
    const ct_rig *rig;
    const ct_point *at;
    const ct_knowns *known;
    ct_arena *arena; /* for what is not kept */
    ct_pool *pool;
    uint32_t rows, cols;
    ct_name *dot; /* per column: its differential; no model has such a name */
    const ct_program *program;
    double *variable, *output, *work; /* CT_LANES of each */
} tangent;

static void name_dots(tangent *g, const ct_name *by, ct_expr *symbol)
{
    ct_context *ctx = g->rig->machine->ctx;
    g->dot = CT_NEW_ARRAY(g->arena, ct_name, g->cols + 1);
    for (uint32_t i = 0; i < g->cols; i++) {
        g->dot[i] = ct_intern_text(ctx, ct_printf(ctx, "d %s", ct_name_text(ctx, by[i])));
        symbol[i] = ct_expr_symbol(g->pool, g->dot[i]);
    }
}

/* All other symbols have one value at the point. */
static ct_name_list list_fixed(const tangent *g, const ct_expr *row)
{
    ct_name_list all = ct_symbols_of(g->pool, g->arena, row, g->rows), fixed = {0};
    ct_map dot;
    ct_map_init(&dot, g->arena);
    for (uint32_t i = 0; i < g->cols; i++)
        ct_map_put(&dot, g->dot[i], 1);
    for (uint32_t i = 0; i < all.count; i++)
        if (!ct_map_get(&dot, all.at[i]))
            CT_PUSH(g->arena, fixed, all.at[i]);
    return fixed;
}

static bool prepare(tangent *g, const ct_name_list *fixed)
{
    ct_expr *symbol = CT_NEW_ARRAY(g->arena, ct_expr, fixed->count + 1);
    double *value = CT_NEW_ARRAY(g->arena, double, fixed->count + 1);
    double *lanes = CT_NEW_ARRAY(g->arena, double, CT_LANES *(size_t)fixed->count + 1);
    for (uint32_t i = 0; i < fixed->count; i++)
        symbol[i] = ct_expr_symbol(g->pool, fixed->at[i]);
    if (!ct_values_with(g->rig, g->at, g->known, symbol, fixed->count, value))
        return false;
    for (size_t i = 0; i < CT_LANES * (size_t)fixed->count; i++)
        lanes[i] = value[i / CT_LANES];
    ct_lanes_prepare(g->program, lanes, g->work);
    return true;
}

static bool compile(tangent *g, const ct_expr *row, const ct_grouping *groups)
{
    ct_name_list fixed = list_fixed(g, row);
    ct_expr stranger = 0;
    ct_program_def def = {.pool = g->pool,
                          .parameter = fixed.at,
                          .parameter_count = fixed.count,
                          .variable = g->dot,
                          .variable_count = g->cols,
                          .output = row,
                          .output_count = g->rows,
                          .seldom = true,
                          .lanes = groups->count >= MANY_GROUPS};
    g->program = ct_program_new(g->arena, &def, &stranger);
    if (!g->program) {
        ct_report_stranger(g->rig->machine, stranger);
        return false;
    }
    g->variable = CT_NEW_ARRAY(g->arena, double, CT_LANES *(size_t)g->cols + 1);
    g->output = CT_NEW_ARRAY(g->arena, double, CT_LANES *(size_t)g->rows + 1);
    g->work = CT_NEW_ARRAY(g->arena, double, ct_lanes_work(g->program) + 1);
    return prepare(g, &fixed);
}

static void set_group(tangent *g, const ct_grouping *groups, uint32_t group, uint32_t lane,
                      double to)
{
    for (uint32_t a = groups->start[group]; a < groups->start[group + 1]; a++)
        g->variable[CT_LANES * (size_t)groups->column[a] + lane] = to;
}

static void take_group(const tangent *g, const ct_grouping *groups, uint32_t group, uint32_t lane,
                       const ct_jacobian *j, double *value)
{
    for (uint32_t a = groups->start[group]; a < groups->start[group + 1]; a++)
        for (uint32_t k = groups->column[a], i = j->start[k]; i < j->start[k + 1]; i++)
            value[i] = g->output[CT_LANES * (size_t)j->row[i] + lane];
}

static void run(tangent *g, const ct_jacobian *pattern, const ct_grouping *groups, double *value)
{
    for (uint32_t first = 0; first < groups->count; first += CT_LANES) {
        uint32_t left = groups->count - first, lanes = left < CT_LANES ? left : CT_LANES;
        for (uint32_t l = 0; l < lanes; l++)
            set_group(g, groups, first + l, l, 1);
        ct_lanes_run(g->program, g->variable, g->output, g->work);
        for (uint32_t l = 0; l < lanes; l++) {
            take_group(g, groups, first + l, l, pattern, value);
            set_group(g, groups, first + l, l, 0);
        }
    }
}

const ct_tangents *ct_tangents_at(const ct_rig *rig, const ct_point *at, const ct_knowns *known,
                                  const ct_expr *e, uint32_t rows, const ct_name *by, uint32_t cols,
                                  ct_arena *arena, ct_expr *culprit)
{
    tangent g = {.rig = rig,
                 .at = at,
                 .known = known,
                 .arena = ct_arena_new(rig->machine->ctx),
                 .pool = rig->machine->pool,
                 .rows = rows,
                 .cols = cols};
    ct_expr *row = CT_NEW_ARRAY(arena, ct_expr, rows + 1);
    ct_expr *symbol = CT_NEW_ARRAY(g.arena, ct_expr, cols + 1);
    ct_tangents *out = NULL;
    name_dots(&g, by, symbol);
    *culprit = ct_expr_differentials(g.pool, e, row, rows, by, symbol, cols);
    const ct_jacobian *pattern =
        *culprit ? NULL : ct_pattern_new(arena, g.pool, row, rows, g.dot, cols);
    const ct_grouping *groups = pattern ? ct_group_columns(g.arena, pattern) : NULL;
    if (groups && compile(&g, row, groups)) {
        out = CT_NEW(arena, ct_tangents);
        double *value = CT_NEW_ARRAY(arena, double, pattern->count + 1);
        run(&g, pattern, groups, value);
        *out = (ct_tangents){pattern, value, row, groups->count, ct_program_operations(g.program)};
    }
    ct_arena_free(g.arena);
    return out;
}

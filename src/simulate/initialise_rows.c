/* initialise_rows.c - equations that initial values must meet, and the least change that does. */
#include <math.h>
#include <string.h>

#include "simulate/initialise.h"

static const double dependent_row = 1e-13; /* of the largest row */

/* Changes of w are counted this much less than those of x: only x is to change little, and
 * what would be a state, were it not bound by a constraint. Where loops are closed the same holds
 * for speeds: they are not to be met by moving the parts. */
static const double ease = 1e4;
static const double ease_of_rest = 100; /* there: positions that nobody gave or guessed */

void ct_start_open_columns(initialising *in)
{
    const ct_machine *m = in->m;
    in->column = CT_NEW_ARRAY(in->arena, uint32_t, m->n + m->m + 1);
    for (uint32_t i = 0; i < m->n + m->m; i++)
        if (i >= m->n || !in->given[i])
            in->column[in->column_count++] = i;
}

static double weight(const initialising *in, uint32_t z)
{
    const ct_reduced *r = in->m->reduced;
    if (z >= in->m->n)
        return r->system->unknown[r->algebraic[z - in->m->n]].rate ? 1 : ease;
    if (in->m->invariant_count && in->m->speed_state[z])
        return ease;
    return in->m->invariant_count && !in->begun[z] ? ease_of_rest : 1;
}

static void spread(const initialising *in, const double *y)
{
    for (uint32_t k = 0; k < in->column_count; k++)
        in->variable[in->column[k]] = y[k] * weight(in, in->column[k]);
}

static void evaluate_rows(void *user, const double *y, double *r)
{
    initialising *in = user;
    spread(in, y);
    ct_program_run(in->set.bundle.value, in->variable, r, in->set.work);
    for (uint32_t k = 0; k < in->set.active; k++)
        r[in->set.fixed + k] -= in->value[in->set.condition[k]];
}

static void slope_rows(void *user, const double *y, double *value)
{
    initialising *in = user;
    const ct_jacobian *j = in->set.bundle.jacobian;
    spread(in, y);
    ct_program_run(in->set.bundle.slope, in->variable, value, in->set.work_slope);
    for (uint32_t k = 0; k < in->column_count; k++)
        for (uint32_t i = j->start[k]; i < j->start[k + 1]; i++)
            value[i] *= weight(in, in->column[k]);
}

static uint32_t put_fixed(const initialising *in, fixed_rows which, ct_expr *row)
{
    const ct_machine *m = in->m;
    uint32_t count = 0;
    for (uint32_t i = 0; which == ALL_ROWS && i < m->m; i++)
        row[count++] = m->fg[m->n + i];
    for (uint32_t i = 0; i < m->invariant_count; i++)
        if (which == ALL_ROWS || (which == PLACES && !m->speed_invariant[i]))
            row[count++] = m->invariant[i];
    return count;
}

/* Programs of these rows and the first conditions. */
bool ct_start_make_some_rows(initialising *in, fixed_rows which, uint32_t active)
{
    const ct_machine *m = in->m;
    rowset *s = &in->set;
    ct_expr *row = CT_NEW_ARRAY(in->arena, ct_expr, m->m + m->invariant_count + active + 1);
    ct_name *by = CT_NEW_ARRAY(in->arena, ct_name, in->column_count + 1);
    s->active = active;
    s->fixed = put_fixed(in, which, row);
    for (uint32_t k = 0; k < active; k++)
        row[s->fixed + k] = in->start[s->condition[k]];
    for (uint32_t k = 0; k < in->column_count; k++)
        by[k] = m->z[in->column[k]];
    if (!ct_machine_bundle(m, row, s->fixed + active, by, in->column_count, m->z_count, &s->bundle))
        return false;
    s->work = ct_program_prepared(in->arena, s->bundle.value, in->rig->parameter);
    s->work_slope = ct_program_prepared(in->arena, s->bundle.slope, in->rig->parameter);
    s->row = CT_NEW_ARRAY(in->arena, double, s->fixed + active + 1);
    return true;
}

bool ct_start_make_rows(initialising *in, uint32_t active)
{
    return ct_start_make_some_rows(in, ALL_ROWS, active);
}

void ct_start_set_point(initialising *in)
{
    uint32_t size = in->m->n + in->m->m;
    memcpy(in->variable, in->rig->variable, in->m->z_count * sizeof *in->z); /* discretes */
    memcpy(in->variable, in->z, size * sizeof *in->z);
    in->variable[size] = in->t;
}

void ct_start_measure(initialising *in)
{
    ct_program_run(in->set.bundle.value, in->variable, in->set.row, in->set.work);
    for (uint32_t k = 0; k < in->set.active; k++)
        in->set.row[in->set.fixed + k] -= in->value[in->set.condition[k]];
}

/* z with the first conditions met as well as they can be; in->set.row is what is left. */
ct_solve_status ct_start_least_change(initialising *in)
{
    const ct_machine *m = in->m;
    const ct_jacobian *j = in->set.bundle.jacobian;
    double *y = CT_NEW_ARRAY(in->arena, double, in->column_count + 1), norm = 0;
    ct_residual residual = {.user = in,
                            .rows = in->set.fixed + in->set.active,
                            .cols = in->column_count,
                            .evaluate = evaluate_rows,
                            .start = j->start,
                            .row = j->row,
                            .jacobian = slope_rows};
    ct_solve_status status = CT_SOLVED;
    ct_start_set_point(in);
    for (uint32_t k = 0; k < in->column_count; k++)
        y[k] = in->z[in->column[k]] / weight(in, in->column[k]);
    if (in->column_count)
        status = ct_least_change(m->ctx, &residual, dependent_row, y, &norm);
    evaluate_rows(in, y, in->set.row);
    memcpy(in->z, in->variable, (m->n + m->m) * sizeof *in->z);
    return status;
}

/* Storage that nobody gives a value begins empty, as far as it can; that moves no bodies. */
bool ct_start_empty_storage(initialising *in)
{
    const ct_machine *m = in->m;
    const initialising usual = *in;
    uint32_t own = m->model->start_count;
    if (m->start_count == own)
        return true;
    in->column = CT_NEW_ARRAY(in->arena, uint32_t, usual.column_count + 1);
    in->column_count = 0;
    const bool *motion = ct_start_motion(in);
    for (uint32_t i = 0; i < usual.column_count; i++)
        if (!motion[usual.column[i]])
            in->column[in->column_count++] = usual.column[i];
    in->set.condition = CT_NEW_ARRAY(in->arena, uint32_t, m->start_count - own);
    for (uint32_t i = own; i < m->start_count; i++)
        in->set.condition[i - own] = i;
    bool good = ct_start_make_rows(in, m->start_count - own);
    if (good)
        ct_start_least_change(in);
    in->set = usual.set;
    in->column = usual.column;
    in->column_count = usual.column_count;
    return good;
}

/* Parameters that no equation of the machine holds are put in as numbers. */
ct_expr ct_start_with_numbers(const initialising *in, ct_expr e)
{
    const ct_machine *m = in->m;
    ct_name_list symbols = ct_symbols_of(m->pool, in->arena, &e, 1), name = {0};
    ct_expr_list number = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, symbols.at[i]);
        if (!q || ct_map_get(&m->parameter_index, symbols.at[i]))
            continue;
        CT_PUSH(in->arena, name, symbols.at[i]);
        CT_PUSH(in->arena, number, ct_expr_real(m->pool, in->rig->value[q - 1]));
    }
    return name.count ? ct_expr_substitute(m->pool, e, name.at, number.at, name.count) : e;
}

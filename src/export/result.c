/* result.c - what a run gave: its figures, and what it cost. */
#include "export/result.h"

#include <string.h>

#include "equations/equations.h"
#include "simulate/simulate.h"
#include "units/units.h"

void ct_effort_put_json(const ct_effort *e, ct_text *out)
{
    ct_putf(out, "{\"steps\":%llu,\"rhs_evals\":%llu,\"jac_evals\":%llu,\"newton_iters\":%llu",
            (unsigned long long)e->steps, (unsigned long long)e->rhs_evals,
            (unsigned long long)e->jac_evals, (unsigned long long)e->newton_iters);
    const struct {
        const char *key;
        double value;
    } seconds[] = {{"wall_seconds", e->wall_seconds},       {"cpu_seconds", e->cpu_seconds},
                   {"start_seconds", e->start_seconds},     {"rhs_seconds", e->rhs_seconds},
                   {"compile_seconds", e->compile_seconds}, {"last_time", e->last_time}};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        ct_putf(out, ",\"%s\":", seconds[i].key);
        ct_put_number(out, seconds[i].value);
    }
    ct_putf(out,
            ",\"nodes\":%u,\"tape_ops\":%u,\"native\":%s,\"restarts\":%llu,\"events\":%llu,"
            "\"rechosen\":%llu",
            e->nodes, e->tape_ops, e->native ? "true" : "false", (unsigned long long)e->restarts,
            (unsigned long long)e->roots_found, (unsigned long long)e->rechosen);
    ct_putf(out, ",\"jacobian\":\"%s\",\"jacobian_entries\":%u,\"jacobian_ops\":%u",
            e->jacobian ? e->jacobian : "none", e->jacobian_entries, e->jacobian_ops);
    ct_put(out, ",\"method\":");
    ct_put_json(out, e->method);
    ct_putf(out, ",\"start\":{\"method\":\"%s\",\"iterations\":%llu}", e->start_method,
            (unsigned long long)e->start_iterations);
    ct_putf(out, ",\"path\":\"%s\"", e->path);
    if (e->why_not) {
        ct_put(out, ",\"why_not_numeric\":");
        ct_put_json(out, e->why_not);
    }
    ct_put(out, "}\n");
}

ct_table ct_rows_table(const ct_rows *rows)
{
    return (ct_table){.name = rows->name,
                      .unit = rows->unit,
                      .cols = rows->cols,
                      .rows = rows->count,
                      .value = rows->value};
}

static const double *column_of(const ct_rows *rows, uint32_t column, ct_arena *arena)
{
    double *value = CT_NEW_ARRAY(arena, double, rows->count + 1);
    for (uint64_t i = 0; i < rows->count; i++)
        value[i] = rows->value[i * rows->cols + column];
    return value;
}

/* N.m of a rotational variable is a torque; what only has its dimension may be an energy. */
static const char *quantity_of(const ct_model *m, ct_expr e)
{
    const char *unit = ct_expr_unit(m, e);
    return unit && strcmp(unit, "N.m") == 0 ? "torque" : NULL;
}

static const char *curve_unit(const ct_model *m, const ct_plotted *c)
{
    const char *unit = ct_expr_unit(m, c->expr);
    return unit ? unit : ct_dim_text(m->ctx->base, c->dim);
}

/* `voltage [V]`, when all curves are of one kind. */
static const char *axis_label(const ct_model *m, uint32_t first, uint32_t count)
{
    const ct_plotted *c = &m->curve[first];
    const char *unit = curve_unit(m, c), *quantity = quantity_of(m, c->expr);
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(unit, curve_unit(m, &c[i])) != 0)
            return NULL;
        if (quantity && !quantity_of(m, c[i].expr))
            quantity = NULL;
    }
    if (strcmp(unit, "1") == 0 || !*unit)
        return NULL;
    if (!quantity)
        quantity = ct_unit_quantity(unit, m->ctx);
    if (count == 1)
        quantity = c->label;
    return ct_printf(m->ctx, *quantity ? "%s [%s]" : "%s[%s]", quantity, unit);
}

/* The curves of one `plot` statement. */
static ct_figure figure_of(const ct_simulation *s, const ct_model *m, uint32_t first,
                           uint32_t count, ct_arena *arena)
{
    ct_plot_curve *curve = CT_NEW_ARRAY(arena, ct_plot_curve, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = s->curve_x[first + i];
        curve[i] = (ct_plot_curve){.label = m->curve[first + i].label,
                                   .x = x ? column_of(&s->curves, x, arena) : NULL,
                                   .y = column_of(&s->curves, s->curve_y[first + i], arena),
                                   .count = s->curves.count};
    }
    const char *over = m->curve[first].over_label;
    return (ct_figure){.title = m->curve[first].title,
                       .x_label = over ? over : "time [s]",
                       .y_label = axis_label(m, first, count),
                       .curve = curve,
                       .curve_count = count,
                       .time = column_of(&s->curves, 0, arena)};
}

static const char *const *describe(const ct_model *m, const ct_table *table, ct_arena *arena)
{
    const char **quantity = CT_NEW_ARRAY(arena, const char *, table->cols + 1);
    for (uint32_t i = 0; i < m->output_count && i + 1 < table->cols; i++)
        quantity[i + 1] = quantity_of(m, m->output[i].expr);
    return quantity;
}

const ct_figure *ct_result_figures(const ct_result *result, ct_arena *arena, uint32_t *count)
{
    const ct_simulation *s = result->simulation; /* NULL: of .dc or .ac */
    const ct_model *m = s ? s->model : NULL;
    uint32_t curves = s ? m->curve_count : 0;
    ct_figure *figure = CT_NEW_ARRAY(arena, ct_figure, curves + 1);
    *count = 0;
    for (uint32_t i = 0, k; i < curves; i = k) {
        for (k = i + 1; k < curves && m->curve[k].figure == m->curve[i].figure;)
            k++;
        figure[(*count)++] = figure_of(s, m, i, k - i, arena);
    }
    if (*count)
        return figure;
    ct_table table = ct_rows_table(&result->outputs);
    if (ct_table_is_phasors(&table))
        return ct_phasor_figures(&table, arena, count);
    table.description = m ? describe(m, &table, arena) : NULL;
    return ct_table_figures(&table, 0, arena, count);
}

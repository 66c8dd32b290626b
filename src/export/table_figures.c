/* table_figures.c - which columns of a table share a figure. */
#include <string.h>

#include "base/context.h"
#include "export/table.h"
#include "units/units.h"

static const char *unit_of(const ct_table *table, uint32_t column)
{
    const char *unit = table->unit ? table->unit[column] : "";
    return strcmp(unit, "1") == 0 ? "" : unit;
}

static const double *copy_column(const ct_table *table, uint32_t column, ct_arena *arena)
{
    double *copy = CT_NEW_ARRAY(arena, double, table->rows);
    for (uint64_t i = 0; i < table->rows; i++)
        copy[i] = table->value[i * table->cols + column];
    return copy;
}

const char *ct_unit_quantity(const char *unit, ct_context *ctx)
{
    static const char *const turning[][2] = {
        {"rad", "angle"}, {"rad/s", "angular velocity"}, {"rad/s^2", "angular acceleration"}};
    const char *problem, *hint, *quantity = NULL;
    ct_unit read;
    for (size_t i = 0; i < sizeof turning / sizeof *turning; i++)
        if (strcmp(unit, turning[i][0]) == 0)
            return turning[i][1];
    if (*unit && ct_unit_read(ctx, unit, strlen(unit), &read, &problem, &hint))
        quantity = ct_dim_quantity(read.dim);
    return quantity && !strstr(quantity, " or ") ? quantity : ""; /* one of two says nothing */
}

/* What all curves of a unit are, when their columns say the same. */
static const char *common_description(const ct_table *table, uint32_t x_column, const char *unit)
{
    const char *common = NULL;
    for (uint32_t i = 1; table->description && i < table->cols; i++) {
        const char *own = table->description[i];
        if (i == x_column || strcmp(unit_of(table, i), unit) != 0)
            continue;
        if (!own || (common && strcmp(own, common) != 0))
            return NULL;
        common = own;
    }
    return common;
}

static const char *make_label(const char *name, const char *unit, ct_arena *arena)
{
    ct_text label = ct_text_new(arena);
    ct_put(&label, name);
    if (*unit)
        ct_putf(&label, "%s[%s]", *name ? " " : "", unit);
    return ct_text_string(&label);
}

/* The curves of all columns with one unit. */
static ct_figure make_figure(const ct_table *table, uint32_t x_column, const double *x,
                             const char *unit, ct_arena *arena)
{
    ct_plot_curve *curve = CT_NEW_ARRAY(arena, ct_plot_curve, table->cols);
    ct_figure figure = {.curve = curve};
    for (uint32_t i = 1; i < table->cols; i++)
        if (i != x_column && strcmp(unit_of(table, i), unit) == 0)
            curve[figure.curve_count++] =
                (ct_plot_curve){table->name[i], x, copy_column(table, i, arena), table->rows};
    bool single = figure.curve_count == 1;
    const char *name = common_description(table, x_column, unit);
    if (single)
        name = curve[0].label;
    else if (!name)
        name = ct_unit_quantity(unit, ct_arena_context(arena));
    figure.x_label = make_label(table->name[x_column], unit_of(table, x_column), arena);
    figure.y_label = make_label(name, unit, arena);
    return figure;
}

static bool comes_first(const ct_table *table, uint32_t x_column, uint32_t column)
{
    for (uint32_t i = 1; i < column; i++)
        if (i != x_column && strcmp(unit_of(table, i), unit_of(table, column)) == 0)
            return false;
    return column != x_column;
}

ct_figure *ct_table_figures(const ct_table *table, uint32_t x_column, ct_arena *arena,
                            uint32_t *count)
{
    ct_figure *figure = CT_NEW_ARRAY(arena, ct_figure, table->cols);
    *count = 0;
    if (x_column >= table->cols)
        return figure;
    const double *x = copy_column(table, x_column, arena);
    for (uint32_t i = 1; i < table->cols; i++)
        if (comes_first(table, x_column, i))
            figure[(*count)++] = make_figure(table, x_column, x, unit_of(table, i), arena);
    return figure;
}

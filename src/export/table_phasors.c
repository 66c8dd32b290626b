/* table_phasors.c - figures of .ac: decibels and phase over the frequency. */
#include <math.h>
#include <string.h>

#include "export/table.h"

enum { SIZE, PHASE, OTHER, PANELS };

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool ct_table_is_phasors(const ct_table *table)
{
    return table->cols && table->unit && strcmp(table->name[0], "frequency") == 0 &&
           strcmp(table->unit[0], "Hz") == 0;
}

/* Real and imaginary parts show nothing that size and phase do not: left out. */
static int panel_of(const ct_table *table, uint32_t column)
{
    const char *name = table->name[column];
    if (begins(name, "phase(") && strcmp(table->unit[column], "deg") == 0)
        return PHASE;
    if (begins(name, "mag("))
        return SIZE;
    return begins(name, "re(") || begins(name, "im(") ? PANELS : OTHER;
}

/* `v(x), r=1000` of `mag(v(x)), r=1000` */
static const char *inner_name(const char *name, ct_arena *arena)
{
    const char *from = strchr(name, '(') + 1, *to = from;
    for (int depth = 1; *to; to++) {
        depth += *to == '(' ? 1 : *to == ')' ? -1 : 0;
        if (depth == 0)
            break;
    }
    ct_text text = ct_text_new(arena);
    ct_put_bytes(&text, from, (size_t)(to - from));
    ct_put(&text, *to ? to + 1 : "");
    return ct_text_string(&text);
}

/* Decibels; a phase that goes on where it would jump by a turn. */
static const double *shown(const ct_table *table, uint32_t column, int panel, ct_arena *arena)
{
    double *y = CT_NEW_ARRAY(arena, double, table->rows + 1), turns = 0;
    for (uint64_t i = 0; i < table->rows; i++) {
        double value = table->value[i * table->cols + column];
        if (panel == SIZE)
            value = 20 * log10(value);
        if (panel == PHASE && i && isfinite(value) && isfinite(y[i - 1]))
            turns = 360 * round((y[i - 1] - value) / 360);
        y[i] = panel == PHASE ? value + turns : value;
    }
    return y;
}

/* Sweeps by equal steps keep their axis. */
static bool is_logarithmic(const double *x, uint64_t rows)
{
    const double least = 1.5;
    return rows > 2 && x[0] > 0 && x[rows - 1] - x[rows - 2] > least * (x[1] - x[0]);
}

static void open_panels(ct_figure *figure, ct_plot_curve *const *curve, bool log)
{
    static const char *const label[] = {"magnitude [dB]", "phase [deg]", NULL};
    static const ct_plot_ticks ticks[] = {CT_TICKS_DECIBEL, CT_TICKS_DEGREES, CT_TICKS_PLAIN};
    for (int k = 0; k < PANELS; k++)
        figure[k] = (ct_figure){.x_label = "frequency [Hz]",
                                .y_label = label[k],
                                .x_log = log,
                                .y_ticks = ticks[k],
                                .curve = curve[k]};
    figure[PHASE].no_legend = true;
}

const ct_figure *ct_phasor_figures(const ct_table *table, ct_arena *arena, uint32_t *count)
{
    ct_figure *figure = CT_NEW_ARRAY(arena, ct_figure, PANELS);
    ct_plot_curve *curve[PANELS];
    double *x = CT_NEW_ARRAY(arena, double, table->rows + 1);
    for (uint64_t i = 0; i < table->rows; i++)
        x[i] = table->value[i * table->cols];
    for (int k = 0; k < PANELS; k++)
        curve[k] = CT_NEW_ARRAY(arena, ct_plot_curve, table->cols);
    open_panels(figure, curve, is_logarithmic(x, table->rows));
    for (uint32_t i = 1; i < table->cols; i++) {
        int panel = panel_of(table, i);
        if (panel == PANELS)
            continue;
        const char *name = panel == OTHER ? table->name[i] : inner_name(table->name[i], arena);
        curve[panel][figure[panel].curve_count++] =
            (ct_plot_curve){name, x, shown(table, i, panel, arena), table->rows};
    }
    if (figure[SIZE].curve_count == 1) /* no legend names it */
        figure[SIZE].title = curve[SIZE]->label;
    *count = 0;
    for (int k = 0; k < PANELS; k++)
        if (figure[k].curve_count)
            figure[(*count)++] = figure[k];
    return figure;
}

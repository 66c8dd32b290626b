/* table.h - results as files and pictures: CSV, MAT, SVG, and plots for the terminal. */
#ifndef CT_EXPORT_TABLE_H
#define CT_EXPORT_TABLE_H

#include "base/text.h"

/* Rows of numbers; column 0 is time. Values stand row by row. */
typedef struct ct_table {
    const char *const *name;        /* columns */
    const char *const *unit;        /* per column, "" or "1": none; may be NULL */
    const char *const *description; /* may be NULL */
    uint32_t cols;
    uint64_t rows;
    const double *value;
} ct_table;

/* Header `time,NAME,...` and rows with 17 significant digits (%.17g, C locale). */
void ct_table_put_csv(const ct_table *table, ct_text *out);

/* The same piece by piece, for rows that come one after the other. */
void ct_csv_header(const char *const *name, uint32_t cols, ct_text *out);
void ct_csv_row(const double *value, uint32_t cols, ct_text *out);

/* MAT v4 in the OpenModelica layout: Aclass, name, description, dataInfo, data_1 (parameters: may
 * be empty but for time), data_2 (transposed). Binary text.
 * More than 2^31 - 1 rows, which the format cannot hold, throw CT_ERR_LIMIT. */
void ct_table_put_mat(const ct_table *table, ct_text *out);

/* Curves of one figure. x NULL: time. Values that are no numbers leave gaps. */
typedef struct ct_plot_curve {
    const char *label;
    const double *x, *y;
    uint64_t count;
} ct_plot_curve;

/* Steps between ticks that are usual for a quantity: 1, 2, 5; 15, 30, 45, 90; 20, 40. */
typedef enum ct_plot_ticks { CT_TICKS_PLAIN, CT_TICKS_DEGREES, CT_TICKS_DECIBEL } ct_plot_ticks;

/* An event at a place of the horizontal axis. */
typedef struct ct_plot_mark {
    double x;
    const char *label;
} ct_plot_mark;

typedef struct ct_figure {
    /* May be NULL. A label may end with a unit, which then gets the prefix that makes the ticks
     * readable: `time [s]` is shown as `time [ms]` over 0, 5, 10. */
    const char *title, *x_label, *y_label;
    const ct_plot_curve *curve;
    uint32_t curve_count;
    const double *time; /* x of the curves that have none; NULL: 0, 1, 2, ... */
    bool x_log;         /* decades; values that are not positive leave gaps */
    bool equal;         /* one unit is as long in x as in y */
    bool no_legend;     /* the figure above has it */
    ct_plot_ticks y_ticks;
    /* Of each curve: the figure shows it at this place over time, by colours; NULL: curves. */
    const double *place;
    const char *value_label;  /* of what the colours stand for */
    const ct_plot_mark *mark; /* in the order of x; may be NULL */
    uint32_t mark_count;
} ct_figure;

/* `voltage` for V; "" for units without a well-known quantity, or with two. */
const char *ct_unit_quantity(const char *unit, ct_context *ctx);

/* The columns of a table over one of them (0: time), one figure per unit in the order in which the
 * units come. The values are copied into the arena. */
ct_figure *ct_table_figures(const ct_table *table, uint32_t x_column, ct_arena *arena,
                            uint32_t *count);

/* A table of .ac: frequency in Hz, columns mag(), phase(), re(), im(). Its figures have decibels
 * and degrees over decades; columns of other names have one of their own. */
bool ct_table_is_phasors(const ct_table *table);
const ct_figure *ct_phasor_figures(const ct_table *table, ct_arena *arena, uint32_t *count);

/* One or several figures below each other, as a standalone SVG. */
void ct_figures_put_svg(const ct_figure *figure, uint32_t count, ct_text *out);

/* A plot for the terminal with Unicode braille dots and axes; width and height in characters. */
void ct_figure_put_terminal(const ct_figure *figure, uint32_t width, uint32_t height, bool colour,
                            ct_text *out);

#endif

/* plot.h - what the plots in pictures and in the terminal share. */
#ifndef CT_EXPORT_PLOT_H
#define CT_EXPORT_PLOT_H

#include "export/plot_axis.h"
#include "export/table.h"

typedef struct ct_range {
    double lo, hi; /* lo > hi: empty */
} ct_range;

/* What the curves of a figure cover; x_rises: each goes from left to right. */
typedef struct ct_plot_extent {
    ct_range x, y;
    bool x_rises, empty;
} ct_plot_extent;

ct_plot_extent ct_plot_measure(const ct_figure *figure);
ct_plot_extent ct_plot_surface_measure(const ct_figure *figure); /* plot_surface.c */
void ct_surface_put_terminal(const ct_figure *figure, uint32_t width, uint32_t height,
                             ct_text *out);
ct_axis ct_plot_x_axis(const ct_figure *figure, const ct_plot_extent *e, uint32_t most_ticks);
ct_axis ct_plot_y_axis(const ct_figure *figure, const ct_plot_extent *e, uint32_t most_ticks);

/* From values to places on the page. */
typedef struct ct_plot_view {
    const ct_axis *x, *y;
    double left, right, top, bottom; /* of the page, y downwards */
} ct_plot_view;

double ct_plot_x(const ct_plot_view *view, double x);
double ct_plot_y(const ct_plot_view *view, double y);

/* A place of a curve on the page. begins: the pen is lifted before it. */
typedef struct ct_plot_point {
    double x, y;
    bool begins;
} ct_plot_point;

typedef struct ct_plot_trace {
    ct_plot_point *at;
    uint32_t count, room;
} ct_plot_trace;

/* The curve on the page, thinned out: of consecutive points within one column of the given width
 * only the first, lowest, highest and last remain, so that no peak is lost. Gaps at values that are
 * no numbers. */
ct_plot_trace ct_plot_trace_new(const ct_figure *figure, uint32_t curve, const ct_plot_view *view,
                                double column, ct_arena *arena);

bool ct_plot_is_dot(const ct_plot_trace *trace, uint32_t i); /* a point between two gaps */

/* Leaves out what is drawn over what the curve has covered before, for orbits that are run through
 * many times. Cells are one unit of the page wide. */
ct_plot_trace ct_plot_trace_once(const ct_plot_trace *trace, const ct_plot_view *view,
                                 ct_arena *arena);

/* Events of a figure by their labels: so many have a mark of their own, the others share the last.
 * A figure with very many of them shows none. */
enum { CT_PLOT_GROUPS = 6, CT_PLOT_MARKS = 400 };

typedef struct ct_plot_groups {
    const char *label[CT_PLOT_GROUPS];
    uint32_t count;
} ct_plot_groups;

ct_plot_groups ct_plot_groups_of(const ct_figure *figure);
uint32_t ct_plot_group_of(const ct_plot_groups *groups, const char *label);

/* Colours that people with any kind of colour vision can tell apart [Okabe and Ito, 2008]; from
 * CT_PLOT_COLORS on they come again with another dash. */
enum { CT_PLOT_COLORS = 7, CT_PLOT_DASHES = 4 };

typedef struct ct_plot_color {
    const char *svg, *terminal;
} ct_plot_color;

const ct_plot_color *ct_plot_color_of(uint32_t curve);

/* The label of the vertical axis: that of the figure, or of its only curve. May be NULL. */
const char *ct_plot_y_label(const ct_figure *figure);
bool ct_plot_has_legend(const ct_figure *figure);
const char *ct_plot_curve_name(const ct_figure *figure, uint32_t curve); /* "" for NULL */

#endif

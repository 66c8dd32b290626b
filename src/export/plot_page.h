/* plot_page.h - the parts of a plot on the page: axes, curves, legend. Lengths are in pixels. */
#ifndef CT_EXPORT_PLOT_PAGE_H
#define CT_EXPORT_PLOT_PAGE_H

#include "export/plot.h"

static const double ct_plot_font = 12, ct_plot_title_font = 14;

typedef struct ct_plot_box {
    double left, top, right, bottom;
} ct_plot_box;

typedef struct ct_plot_legend {
    bool shown, outside; /* outside: to the right of the plot */
    const char **name;
    double width, height;
    ct_plot_box box;
} ct_plot_legend;

/* One figure. */
typedef struct ct_plot_panel {
    const ct_figure *figure;
    const char *title, *x_label, *y_label; /* "": none */
    ct_axis x, y;
    ct_plot_view view;
    ct_plot_trace *trace; /* per curve */
    uint32_t *order;      /* in which curves are drawn: those with most ink lie below */
    ct_plot_legend legend;
    double height;     /* of the plot itself */
    double tick_width; /* of the widest number at the vertical axis */
    double label_x;    /* of the label there */
    bool empty;
} ct_plot_panel;

ct_plot_legend ct_plot_legend_new(const ct_figure *figure, ct_arena *arena);

/* A corner that no curve enters, or the place beside the plot. */
void ct_plot_legend_place(ct_plot_panel *panel);

void ct_plot_put_axes(const ct_plot_panel *panel, ct_text *out, ct_arena *arena);
/* The attributes that tell one curve from another. */
void ct_plot_put_pen(uint32_t curve, ct_text *out);

/* Events: small arrows at the top, thin lines below them, and what they are below the axis. */
double ct_plot_marks_height(const ct_plot_panel *panel);
void ct_plot_put_marks(const ct_plot_panel *panel, ct_text *out);

/* A variable along a field, as colours, and what they stand for (plot_surface.c). */
void ct_plot_put_surface(const ct_plot_panel *panel, ct_text *out, ct_arena *arena);
double ct_plot_surface_width(const ct_plot_panel *panel, ct_arena *arena); /* of the latter */

void ct_plot_put_curves(const ct_plot_panel *panel, ct_text *out);
void ct_plot_put_legend(const ct_plot_panel *panel, ct_text *out);

/* anchor: start, middle or end */
void ct_plot_put_text(ct_text *out, double x, double y, const char *anchor, const char *text);

#endif

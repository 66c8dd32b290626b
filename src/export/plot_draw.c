/* plot_draw.c - axes and curves of one figure as SVG. */
#include <math.h>

#include "export/plot_page.h"
#include "export/svg.h"

void ct_plot_put_text(ct_text *out, double x, double y, const char *anchor, const char *text)
{
    ct_putf(out, "<text text-anchor=\"%s\"", anchor);
    ct_svg_attribute(out, "x", x);
    ct_svg_attribute(out, "y", y);
    ct_put_char(out, '>');
    ct_svg_escaped(out, text);
    ct_put(out, "</text>\n");
}

static void put_line(ct_text *out, double x1, double y1, double x2, double y2)
{
    ct_put_char(out, 'M');
    ct_svg_point(out, x1, y1);
    ct_put_char(out, 'L');
    ct_svg_point(out, x2, y2);
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* On half pixels a line of width 1 is sharp. */
static double sharp(double place)
{
    return floor(place) + 0.5;
}

/* Between decades, at 2 .. 9 times each. */
static void put_fine_grid(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_view *v = &panel->view;
    if (!panel->x.decades || panel->x.step != 1)
        return;
    ct_put(out, "<path class=\"grid\" fill=\"none\" stroke=\"#f0f2f4\" d=\"");
    for (int64_t power = panel->x.first - 1; power < panel->x.first + panel->x.count; power++)
        for (int n = 2; n < 10; n++) {
            double x = sharp(ct_plot_x(v, n * pow(10, (double)power)));
            if (x > v->left && x < v->right)
                put_line(out, x, v->top, x, v->bottom);
        }
    ct_put(out, "\"/>\n");
}

static void put_grid(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_view *v = &panel->view;
    put_fine_grid(panel, out);
    ct_put(out, "<path class=\"grid\" fill=\"none\" stroke=\"#e3e7eb\" d=\"");
    for (uint32_t i = 0; i < panel->x.count; i++) {
        double x = sharp(ct_plot_x(v, ct_axis_tick(&panel->x, i)));
        put_line(out, x, v->top, x, v->bottom);
    }
    for (uint32_t i = 0; i < panel->y.count; i++) {
        double y = sharp(ct_plot_y(v, ct_axis_tick(&panel->y, i)));
        put_line(out, v->left, y, v->right, y);
    }
    ct_put(out, "\"/>\n");
}

/* A line at zero where the curves go above and below. */
static void put_zero(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_view *v = &panel->view;
    if (!(panel->y.lo < 0 && panel->y.hi > 0) || panel->y.first == 0)
        return;
    double y = sharp(ct_plot_y(v, 0));
    ct_put(out, "<path class=\"zero\" fill=\"none\" stroke=\"#b4bcc5\" d=\"");
    put_line(out, v->left, y, v->right, y);
    ct_put(out, "\"/>\n");
}

/* The frame on the left and below, with its ticks. */
static void put_frame(const ct_plot_panel *panel, ct_text *out)
{
    const double length = 5;
    const ct_plot_view *v = &panel->view;
    double left = sharp(v->left), bottom = sharp(v->bottom);
    ct_put(out, "<path class=\"axes\" fill=\"none\" stroke=\"#57606a\" d=\"");
    put_line(out, left, v->top, left, bottom);
    ct_put(out, "L");
    ct_svg_point(out, v->right, bottom);
    for (uint32_t i = 0; i < panel->x.count; i++) {
        double x = sharp(ct_plot_x(v, ct_axis_tick(&panel->x, i)));
        put_line(out, x, bottom, x, bottom + length);
    }
    for (uint32_t i = 0; i < panel->y.count; i++) {
        double y = sharp(ct_plot_y(v, ct_axis_tick(&panel->y, i)));
        put_line(out, left - length, y, left, y);
    }
    ct_put(out, "\"/>\n");
}

static void put_tick_labels(const ct_plot_panel *panel, ct_text *out, ct_arena *arena)
{
    const ct_plot_view *v = &panel->view;
    ct_put(out, "<g class=\"ticks\" fill=\"#424a53\">\n");
    for (uint32_t i = 0; i < panel->x.count; i++)
        ct_plot_put_text(out, ct_plot_x(v, ct_axis_tick(&panel->x, i)), v->bottom + 19, "middle",
                         ct_axis_tick_text(&panel->x, i, arena));
    for (uint32_t i = 0; i < panel->y.count; i++)
        ct_plot_put_text(out, v->left - 9, ct_plot_y(v, ct_axis_tick(&panel->y, i)) + 4.3, "end",
                         ct_axis_tick_text(&panel->y, i, arena));
    ct_put(out, "</g>\n");
}

static void put_y_label(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_view *v = &panel->view;
    ct_put(out, "<text text-anchor=\"middle\" transform=\"translate(");
    ct_svg_point(out, panel->label_x, (v->top + v->bottom) / 2);
    ct_put(out, ") rotate(-90)\">");
    ct_svg_escaped(out, panel->y_label);
    ct_put(out, "</text>\n");
}

static void put_names(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_view *v = &panel->view;
    if (*panel->x_label)
        ct_plot_put_text(out, (v->left + v->right) / 2, v->bottom + 40, "middle", panel->x_label);
    if (*panel->y_label)
        put_y_label(panel, out);
    if (!*panel->title)
        return;
    ct_put(out, "<g font-weight=\"bold\"");
    ct_svg_attribute(out, "font-size", ct_plot_title_font);
    ct_put(out, ">\n");
    ct_plot_put_text(out, v->left, v->top - 12, "start", panel->title);
    ct_put(out, "</g>\n");
}

void ct_plot_put_axes(const ct_plot_panel *panel, ct_text *out, ct_arena *arena)
{
    put_grid(panel, out);
    put_zero(panel, out);
    put_frame(panel, out);
    put_tick_labels(panel, out, arena);
    put_names(panel, out);
}

/* ---- curves -------------------------------------------------------------------------------- */

void ct_plot_put_pen(uint32_t curve, ct_text *out)
{
    static const char *const dashes[CT_PLOT_DASHES] = {NULL, "7 3", "2 2.5", "8 3 2 3"};
    const char *dash = dashes[curve / CT_PLOT_COLORS % CT_PLOT_DASHES];
    ct_putf(out, " fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"", ct_plot_color_of(curve)->svg);
    if (dash)
        ct_putf(out, " stroke-dasharray=\"%s\"", dash);
}

/* Nothing for a curve of single points. */
static void put_path(const ct_plot_trace *trace, uint32_t curve, ct_text *out)
{
    bool some = false;
    for (uint32_t i = 0; i < trace->count; i++) {
        const ct_plot_point *p = &trace->at[i];
        if (ct_plot_is_dot(trace, i))
            continue;
        if (!some) {
            ct_put(out, "<path");
            ct_plot_put_pen(curve, out);
            ct_put(out, " d=\"");
        }
        ct_put_char(out, p->begins ? 'M' : trace->at[i - 1].begins ? 'L' : ' ');
        ct_svg_fine_point(out, p->x, p->y);
        some = true;
    }
    ct_put(out, some ? "\"/>\n" : "");
}

static void put_dots(const ct_plot_trace *trace, uint32_t curve, ct_text *out)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!ct_plot_is_dot(trace, i))
            continue;
        ct_put(out, "<circle r=\"2.5\"");
        ct_svg_attribute(out, "cx", trace->at[i].x);
        ct_svg_attribute(out, "cy", trace->at[i].y);
        ct_putf(out, " fill=\"%s\"/>\n", ct_plot_color_of(curve)->svg);
    }
}

static void put_curve(const ct_plot_panel *panel, uint32_t curve, ct_text *out)
{
    const ct_plot_trace *trace = &panel->trace[curve];
    ct_put(out, "<g class=\"curve\"><title>");
    ct_svg_escaped(out, ct_plot_curve_name(panel->figure, curve));
    ct_put(out, "</title>\n");
    put_dots(trace, curve, out);
    put_path(trace, curve, out);
    ct_put(out, "</g>\n");
}

void ct_plot_put_curves(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_view *v = &panel->view;
    ct_put(out, "<g stroke-linejoin=\"round\" stroke-linecap=\"round\">\n");
    for (uint32_t i = 0; i < panel->figure->curve_count; i++)
        if (panel->trace[panel->order[i]].count)
            put_curve(panel, panel->order[i], out);
    ct_put(out, "</g>\n");
    if (panel->empty)
        ct_plot_put_text(out, (v->left + v->right) / 2, (v->top + v->bottom) / 2, "middle",
                         "no values");
}

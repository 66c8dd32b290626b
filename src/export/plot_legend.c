/* plot_legend.c - which line is which. */
#include <math.h>

#include "export/plot_page.h"
#include "export/svg.h"

static const double row_height = 18, sample = 26, gap = 7, padding = 8, longest_name = 260;

ct_plot_legend ct_plot_legend_new(const ct_figure *figure, ct_arena *arena)
{
    ct_plot_legend legend = {.shown = ct_plot_has_legend(figure)};
    if (!legend.shown)
        return legend;
    legend.name = CT_NEW_ARRAY(arena, const char *, figure->curve_count);
    for (uint32_t i = 0; i < figure->curve_count; i++) {
        const char *name = ct_plot_curve_name(figure, i);
        legend.name[i] = ct_svg_shortened(arena, name, ct_plot_font, longest_name);
        legend.width = fmax(legend.width, ct_svg_text_width(legend.name[i], ct_plot_font));
    }
    legend.width += 2 * padding + sample + gap;
    legend.height = 2 * padding + row_height * figure->curve_count - 4;
    return legend;
}

/* ---- place --------------------------------------------------------------------------------- */

/* Narrows the part from..to of a line p + part * d on which it is not less than the limit. */
static bool clip(double p, double d, double limit, double *from, double *to)
{
    if (d == 0)
        return p >= limit;
    double part = (limit - p) / d;
    if (d > 0)
        *from = fmax(*from, part);
    else
        *to = fmin(*to, part);
    return *from <= *to;
}

static bool crosses(const ct_plot_point *a, const ct_plot_point *b, const ct_plot_box *box)
{
    double from = 0, to = 1, x = b->x - a->x, y = b->y - a->y;
    return clip(a->x, x, box->left, &from, &to) && clip(-a->x, -x, -box->right, &from, &to) &&
           clip(a->y, y, box->top, &from, &to) && clip(-a->y, -y, -box->bottom, &from, &to);
}

static bool is_free(const ct_plot_panel *panel, const ct_plot_box *box)
{
    for (uint32_t c = 0; c < panel->figure->curve_count; c++) {
        const ct_plot_trace *trace = &panel->trace[c];
        for (uint32_t i = 0; i < trace->count; i++)
            if (crosses(&trace->at[trace->at[i].begins ? i : i - 1], &trace->at[i], box))
                return false;
    }
    return true;
}

static ct_plot_box place_at(const ct_plot_panel *panel, double x, double y)
{
    const double inset = 10;
    const ct_plot_view *view = &panel->view;
    double left = view->left + inset, top = view->top + inset;
    left += x * (view->right - inset - panel->legend.width - left);
    top += y * (view->bottom - inset - panel->legend.height - top);
    return (ct_plot_box){left, top, left + panel->legend.width, top + panel->legend.height};
}

static bool find_free_place(ct_plot_panel *panel)
{
    static const double place[][2] = {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {0.5, 0}, {0.5, 1}};
    const double clearance = 6, largest = 0.6;
    const ct_plot_view *view = &panel->view;
    if (panel->legend.width > largest * (view->right - view->left) ||
        panel->legend.height > largest * (view->bottom - view->top))
        return false;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        ct_plot_box box = place_at(panel, place[i][0], place[i][1]);
        panel->legend.box = box;
        box = (ct_plot_box){box.left - clearance, box.top - clearance, box.right + clearance,
                            box.bottom + clearance};
        if (is_free(panel, &box))
            return true;
    }
    return false;
}

void ct_plot_legend_place(ct_plot_panel *panel)
{
    ct_plot_legend *legend = &panel->legend;
    if (!legend->shown || find_free_place(panel))
        return;
    double left = panel->view.right + 14, top = panel->view.top;
    legend->outside = true;
    legend->box = (ct_plot_box){left, top, left + legend->width, top + legend->height};
}

/* ---- picture ------------------------------------------------------------------------------- */

static void put_frame(const ct_plot_legend *legend, ct_text *out)
{
    ct_put(out, "<rect rx=\"3\"");
    ct_svg_attribute(out, "x", legend->box.left);
    ct_svg_attribute(out, "y", legend->box.top);
    ct_svg_attribute(out, "width", legend->width);
    ct_svg_attribute(out, "height", legend->height);
    ct_put(out, " fill=\"#ffffff\" stroke=\"#d0d7de\"/>\n");
}

/* A piece of the curve; of a single point the point. */
static void put_sample(const ct_plot_panel *panel, uint32_t curve, double x, double y, ct_text *out)
{
    if (panel->trace[curve].count == 1) {
        ct_put(out, "<circle r=\"2.5\"");
        ct_svg_attribute(out, "cx", x + sample / 2);
        ct_svg_attribute(out, "cy", y);
        ct_putf(out, " fill=\"%s\"/>\n", ct_plot_color_of(curve)->svg);
        return;
    }
    ct_put(out, "<path d=\"M");
    ct_svg_point(out, x, y);
    ct_put(out, "L");
    ct_svg_point(out, x + sample, y);
    ct_put(out, "\"");
    ct_plot_put_pen(curve, out);
    ct_put(out, "/>\n");
}

void ct_plot_put_legend(const ct_plot_panel *panel, ct_text *out)
{
    const ct_plot_legend *legend = &panel->legend;
    if (!legend->shown)
        return;
    ct_put(out, "<g class=\"legend\">\n");
    put_frame(legend, out);
    for (uint32_t i = 0; i < panel->figure->curve_count; i++) {
        double x = legend->box.left + padding;
        double y = legend->box.top + padding + row_height * (i + 0.5) - 2;
        put_sample(panel, i, x, y, out);
        ct_plot_put_text(out, x + sample + gap, y + 4.3, "start", legend->name[i]);
    }
    ct_put(out, "</g>\n");
}

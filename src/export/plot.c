/* plot.c - figures below each other as one SVG picture. */
#include "export/plot.h"

#include <math.h>

#include "export/plot_page.h"
#include "export/svg.h"

static const double margin = 14, plot_width = 640, plot_height = 260, figure_gap = 22;
static const double title_height = 30, label_height = 22, tick_height = 24;

typedef struct plot_page {
    ct_plot_panel *panel;
    uint32_t count;
    ct_arena *arena;
    double left, width, height; /* left: where all plots begin */
} plot_page;

/* ---- axes ---------------------------------------------------------------------------------- */

static double widest_tick(const ct_axis *axis, ct_arena *arena)
{
    double widest = 0;
    for (uint32_t i = 0; i < axis->count; i++)
        widest = fmax(widest, ct_svg_text_width(ct_axis_tick_text(axis, i, arena), ct_plot_font));
    return widest;
}

/* As many ticks as their labels leave room for. */
static ct_axis choose_x_axis(const plot_page *page, const ct_figure *figure,
                             const ct_plot_extent *e)
{
    const double air = 18;
    ct_axis axis;
    uint32_t most = 10;
    do {
        axis = ct_plot_x_axis(figure, e, most);
        ct_axis_name(&axis, figure->x_label, page->arena);
    } while ((widest_tick(&axis, page->arena) + air) * axis.count > plot_width && --most >= 5);
    return axis;
}

/* A label that is too long loses characters of its name, never its unit. */
static const char *axis_label(const plot_page *page, ct_axis *axis, double width)
{
    const char *all = ct_axis_label(axis, page->arena);
    double too_much = ct_svg_text_width(all, ct_plot_font) - width;
    if (!axis->label || too_much <= 0)
        return all;
    double left = ct_svg_text_width(axis->label, ct_plot_font) - too_much;
    axis->label = ct_svg_shortened(page->arena, axis->label, ct_plot_font, left);
    return ct_axis_label(axis, page->arena);
}

/* An axis that is longer on both sides. */
static ct_axis stretched(const ct_axis *axis, double length, uint32_t most_ticks)
{
    double more = (length - (axis->hi - axis->lo)) / 2;
    return ct_axis_new(axis->lo - more, axis->hi + more, most_ticks, true);
}

/* The height follows from the width; what would be too high or too low gets longer axes. */
static void make_equal(const plot_page *page, ct_plot_panel *p)
{
    const double lowest = 240, highest = 480;
    double x = p->x.hi - p->x.lo, y = p->y.hi - p->y.lo;
    if (y / x > highest / plot_width)
        p->x = stretched(&p->x, y * plot_width / highest, 10);
    else if (y / x < lowest / plot_width)
        p->y = stretched(&p->y, x * lowest / plot_width, 7);
    ct_axis_name(&p->x, p->figure->x_label, page->arena);
    p->height = round(plot_width * (p->y.hi - p->y.lo) / (p->x.hi - p->x.lo));
}

static ct_plot_panel make_panel(const plot_page *page, const ct_figure *figure)
{
    const double bold = 1.15;
    ct_plot_extent e = figure->place ? ct_plot_surface_measure(figure) : ct_plot_measure(figure);
    ct_plot_panel p = {.figure = figure, .empty = e.empty, .height = plot_height};
    p.x = choose_x_axis(page, figure, &e);
    p.y = figure->place ? ct_axis_new(e.y.lo, e.y.hi, 7, true) : ct_plot_y_axis(figure, &e, 7);
    if (figure->equal)
        make_equal(page, &p);
    ct_axis_name(&p.y, ct_plot_y_label(figure), page->arena);
    p.tick_width = widest_tick(&p.y, page->arena);
    p.title = figure->title ? figure->title : "";
    p.title = ct_svg_shortened(page->arena, p.title, ct_plot_title_font * bold, plot_width);
    p.x_label = axis_label(page, &p.x, plot_width);
    p.y_label = axis_label(page, &p.y, plot_height + 20);
    if (!figure->place)
        p.legend = ct_plot_legend_new(figure, page->arena);
    return p;
}

/* ---- layout -------------------------------------------------------------------------------- */

static void place_panel(const plot_page *page, ct_plot_panel *p, double top)
{
    p->view = (ct_plot_view){.x = &p->x, .y = &p->y, .left = page->left, .top = top};
    p->view.right = page->left + plot_width;
    p->label_x = margin + ct_plot_font;
    p->view.bottom = top + p->height;
}

static void make_traces(const plot_page *page, ct_plot_panel *p)
{
    enum { MANY_POINTS = 20000 };
    const double column = 0.5;
    p->trace = CT_NEW_ARRAY(page->arena, ct_plot_trace, p->figure->curve_count);
    for (uint32_t i = 0; i < p->figure->curve_count; i++) {
        p->trace[i] = ct_plot_trace_new(p->figure, i, &p->view, column, page->arena);
        if (p->trace[i].count > MANY_POINTS)
            p->trace[i] = ct_plot_trace_once(&p->trace[i], &p->view, page->arena);
    }
}

static double ink_of(const ct_plot_trace *trace)
{
    double length = 0;
    for (uint32_t i = 1; i < trace->count; i++)
        if (!trace->at[i].begins)
            length +=
                hypot(trace->at[i].x - trace->at[i - 1].x, trace->at[i].y - trace->at[i - 1].y);
    return length;
}

/* An oscillation that fills its band must not hide the curves within it. Other curves, which are
 * about as long as each other, keep their order. */
static void order_curves(const plot_page *page, ct_plot_panel *p)
{
    const double much = 2;
    uint32_t count = p->figure->curve_count;
    double *ink = CT_NEW_ARRAY(page->arena, double, count);
    p->order = CT_NEW_ARRAY(page->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        ink[i] = ink_of(&p->trace[i]);
        uint32_t at = i;
        for (; at > 0 && ink[i] > much * ink[p->order[at - 1]]; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
}

/* A legend that finds no free corner stands beside the plot, which may have to become higher. */
static void arrange_panel(const plot_page *page, ct_plot_panel *p, double top)
{
    place_panel(page, p, top);
    if (p->figure->place)
        return;
    make_traces(page, p);
    order_curves(page, p);
    ct_plot_legend_place(p);
    if (p->legend.outside && p->legend.height > p->height) {
        p->height = p->legend.height;
        place_panel(page, p, top);
        make_traces(page, p);
    }
}

static double right_end(const ct_plot_panel *p, ct_arena *arena)
{
    double last = ct_plot_x(&p->view, ct_axis_tick(&p->x, p->x.count - 1));
    double end = fmax(p->view.right, last + widest_tick(&p->x, arena) / 2);
    if (p->figure->place)
        end = p->view.right + ct_plot_surface_width(p, arena);
    return p->legend.outside ? fmax(end, p->legend.box.right) : end;
}

static void arrange(plot_page *page)
{
    double y = margin;
    for (uint32_t i = 0; i < page->count; i++) {
        const ct_plot_panel *p = &page->panel[i];
        double label = *p->y_label ? label_height : 0;
        page->left = fmax(page->left, ceil(margin + label + p->tick_width + 9));
        page->left = fmax(page->left, ceil(margin + widest_tick(&p->x, page->arena) / 2));
    }
    for (uint32_t i = 0; i < page->count; i++) {
        ct_plot_panel *p = &page->panel[i];
        y += i ? figure_gap : 0;
        arrange_panel(page, p, y + (*p->title ? title_height : 6));
        y = p->view.bottom + tick_height + (*p->x_label ? label_height : 0);
        y += ct_plot_marks_height(p);
        page->width = fmax(page->width, ceil(right_end(p, page->arena) + margin));
    }
    page->height = ceil(y + margin / 2);
}

/* ---- page ---------------------------------------------------------------------------------- */

static void put_opening(const plot_page *page, ct_text *out)
{
    ct_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
    ct_svg_attribute(out, "width", page->width);
    ct_svg_attribute(out, "height", page->height);
    ct_put(out, " viewBox=\"0 0 ");
    ct_svg_point(out, page->width, page->height);
    ct_put(out, "\"\n     font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
                "sans-serif\" fill=\"#1f2328\"");
    ct_svg_attribute(out, "font-size", ct_plot_font);
    ct_put(out, ">\n<rect fill=\"#ffffff\"");
    ct_svg_attribute(out, "width", page->width);
    ct_svg_attribute(out, "height", page->height);
    ct_put(out, "/>\n");
}

static void put_panel(const plot_page *page, const ct_plot_panel *p, ct_text *out)
{
    ct_put(out, "<g class=\"figure\">\n");
    ct_plot_put_axes(p, out, page->arena);
    ct_plot_put_marks(p, out);
    if (p->figure->place) {
        ct_plot_put_surface(p, out, page->arena);
    } else {
        ct_plot_put_curves(p, out);
        ct_plot_put_legend(p, out);
    }
    ct_put(out, "</g>\n");
}

static void put_notice(plot_page *page, ct_text *out)
{
    page->width = 180;
    page->height = 48;
    put_opening(page, out);
    ct_plot_put_text(out, page->width / 2, 28, "middle", "nothing to plot");
    ct_put(out, "</svg>\n");
}

static void put_figures(plot_page *page, const ct_figure *figure, ct_text *out)
{
    page->panel = CT_NEW_ARRAY(page->arena, ct_plot_panel, page->count);
    for (uint32_t i = 0; i < page->count; i++)
        page->panel[i] = make_panel(page, &figure[i]);
    arrange(page);
    put_opening(page, out);
    for (uint32_t i = 0; i < page->count; i++)
        put_panel(page, &page->panel[i], out);
    ct_put(out, "</svg>\n");
}

void ct_figures_put_svg(const ct_figure *figure, uint32_t count, ct_text *out)
{
    plot_page page = {.count = count, .arena = ct_arena_new(ct_arena_context(out->arena))};
    if (count)
        put_figures(&page, figure, out);
    else
        put_notice(&page, out);
    ct_arena_free(page.arena);
}

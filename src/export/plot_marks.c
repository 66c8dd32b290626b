/* plot_marks.c - events in plots: which have marks of their own, and how they look in pictures. */
#include <math.h>
#include <string.h>

#include "export/plot_page.h"
#include "export/svg.h"

static const double row_height = 17, mark_width = 14, name_gap = 16, half = 4;

/* ---- groups */

uint32_t ct_plot_group_of(const ct_plot_groups *g, const char *label)
{
    uint32_t i = 0;
    while (i < g->count && strcmp(g->label[i], label) != 0)
        i++;
    return i < CT_PLOT_GROUPS ? i : CT_PLOT_GROUPS - 1;
}

ct_plot_groups ct_plot_groups_of(const ct_figure *figure)
{
    ct_plot_groups g = {.count = 0};
    for (uint32_t i = 0; i < figure->mark_count && figure->mark_count <= CT_PLOT_MARKS; i++) {
        const char *label = figure->mark[i].label;
        uint32_t own = ct_plot_group_of(&g, label);
        if (own == g.count)
            g.label[g.count++] = label;
        else if (strcmp(g.label[own], label) != 0)
            g.label[own] = "other events";
    }
    return g;
}

/* ---- what they are, below the axis */

/* Where the next name goes. */
typedef struct place {
    double x, y;
} place;

static place next_place(const ct_plot_panel *p, place at, const char *name)
{
    double width = mark_width + ct_svg_text_width(name, ct_plot_font);
    if (at.x > p->view.left && at.x + width > p->view.right)
        at = (place){p->view.left, at.y + row_height};
    return at;
}

static double width_of(const char *name)
{
    return mark_width + ct_svg_text_width(name, ct_plot_font) + name_gap;
}

double ct_plot_marks_height(const ct_plot_panel *p)
{
    ct_plot_groups g = ct_plot_groups_of(p->figure);
    place at = {p->view.left, 0};
    for (uint32_t i = 0; i < g.count; i++) {
        at = next_place(p, at, g.label[i]);
        at.x += width_of(g.label[i]);
    }
    return g.count ? at.y + row_height : 0;
}

static void put_arrow(ct_text *out, double x, double y)
{
    ct_put_char(out, 'M');
    ct_svg_point(out, x - half, y);
    ct_put_char(out, 'L');
    ct_svg_point(out, x + half, y);
    ct_put_char(out, 'L');
    ct_svg_point(out, x, y + 1.5 * half);
    ct_put_char(out, 'Z');
}

static void open_arrows(uint32_t group, ct_text *out)
{
    ct_putf(out, "<path class=\"event\" fill=\"%s\" d=\"",
            ct_plot_color_of(CT_PLOT_COLORS - 1 - group)->svg);
}

static void put_names(const ct_plot_panel *p, const ct_plot_groups *g, ct_text *out)
{
    const double tick_height = 24, label_height = 22;
    place at = {p->view.left, p->view.bottom + tick_height + (*p->x_label ? label_height : 0) + 10};
    for (uint32_t i = 0; i < g->count; i++) {
        at = next_place(p, at, g->label[i]);
        open_arrows(i, out);
        put_arrow(out, at.x + half, at.y - 7);
        ct_put(out, "\"/>\n");
        ct_plot_put_text(out, at.x + mark_width, at.y, "start", g->label[i]);
        at.x += width_of(g->label[i]);
    }
}

/* ---- in the plot */

static bool is_shown(const ct_plot_panel *p, double x)
{
    return x >= p->x.lo && x <= p->x.hi;
}

static void put_lines(const ct_plot_panel *p, ct_text *out)
{
    double last = -1;
    ct_put(out, "<path class=\"event\" fill=\"none\" stroke=\"#8c959f\" stroke-width=\"0.6\" "
                "stroke-dasharray=\"2 3\" d=\"");
    for (uint32_t i = 0; i < p->figure->mark_count; i++) {
        double x = ct_plot_x(&p->view, p->figure->mark[i].x);
        if (!is_shown(p, p->figure->mark[i].x) || x - last < 0.5)
            continue;
        last = x;
        ct_put_char(out, 'M');
        ct_svg_point(out, x, p->view.top);
        ct_put_char(out, 'L');
        ct_svg_point(out, x, p->view.bottom);
    }
    ct_put(out, "\"/>\n");
}

/* Those of each group stand below those of the one before, so that all of an instant are seen. */
static void put_arrows(const ct_plot_panel *p, const ct_plot_groups *g, uint32_t group,
                       ct_text *out)
{
    open_arrows(group, out);
    for (uint32_t i = 0; i < p->figure->mark_count; i++) {
        const ct_plot_mark *m = &p->figure->mark[i];
        if (is_shown(p, m->x) && ct_plot_group_of(g, m->label) == group)
            put_arrow(out, ct_plot_x(&p->view, m->x), p->view.top + 2 * half * group - half);
    }
    ct_put(out, "\"/>\n");
}

void ct_plot_put_marks(const ct_plot_panel *p, ct_text *out)
{
    ct_plot_groups g = ct_plot_groups_of(p->figure);
    if (!g.count)
        return;
    put_lines(p, out);
    for (uint32_t i = 0; i < g.count; i++)
        put_arrows(p, &g, i, out);
    put_names(p, &g, out);
}

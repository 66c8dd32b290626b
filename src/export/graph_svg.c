/* graph_svg.c - the linear graphs as a picture: one panel per domain, branches bold, chords thin.
 */
#include "export/graph_write.h"

#include <math.h>

#include "export/layout.h"
#include "export/svg.h"

enum { MOST_EDGES = 2000, MOST_NODES = 2200 };

static const double margin = 16, panel_gap = 44, title_height = 34, legend_height = 34;
static const double page_width = 1040; /* panels side by side up to here */

/* How an edge is drawn. */
typedef struct svg_pen {
    const char *class, *color;
    double width, arrow_length, arrow_half;
} svg_pen;

static const svg_pen branch_pen = {"branch", "#16283f", 2.6, 12, 4.8};
static const svg_pen chord_pen = {"chord", "#5a7896", 1.0, 10, 3.8};
static const svg_pen plain_pen = {"edge", "#2f4763", 1.5, 11, 4.2}; /* when there is no tree */

typedef struct svg_panel {
    const char *title;
    ct_plan plan;
    ct_layout layout;
    double width, height;
    ct_xy shift; /* from the coordinates of the layout to those of the page */
} svg_panel;

typedef struct svg_page {
    const ct_graph *graph;
    const ct_tree *tree;
    ct_text *out;
    svg_panel *panels;
    uint32_t count;
    double width, height;
} svg_page;

/* ---- text ---------------------------------------------------------------------------------- */

static void put_point(ct_text *out, ct_xy p)
{
    ct_svg_point(out, p.x, p.y);
}

static void put_text(ct_text *out, const char *class, ct_xy at, int anchor, const char *text)
{
    const double to_baseline = 4.6; /* half the height of capitals */
    static const char *const anchors[] = {"start", "middle", "end"};
    ct_putf(out, "<text class=\"%s\"", class);
    ct_svg_attribute(out, "x", at.x);
    ct_svg_attribute(out, "y", at.y + to_baseline);
    if (anchor >= 0)
        ct_putf(out, " text-anchor=\"%s\"", anchors[anchor + 1]);
    ct_put_char(out, '>');
    ct_svg_escaped(out, text);
    ct_put(out, "</text>\n");
}

/* ---- edges --------------------------------------------------------------------------------- */

static ct_xy moved(ct_xy p, ct_xy shift)
{
    return (ct_xy){p.x + shift.x, p.y + shift.y};
}

static bool is_straight(const ct_curve *c)
{
    const double rounding = 1e-6; /* square pixels */
    double x = c->p[3].x - c->p[0].x, y = c->p[3].y - c->p[0].y;
    for (int i = 1; i < 3; i++)
        if (fabs(x * (c->p[i].y - c->p[0].y) - y * (c->p[i].x - c->p[0].x)) > rounding)
            return false;
    return x != 0 || y != 0;
}

static void put_curve(ct_text *out, const ct_curve *c)
{
    ct_put(out, "<path d=\"M");
    put_point(out, c->p[0]);
    ct_put(out, is_straight(c) ? " L" : " C");
    for (int i = is_straight(c) ? 3 : 1; i < 4; i++) {
        put_point(out, c->p[i]);
        ct_put(out, i < 3 ? " " : "\"/>");
    }
}

/* A triangle in the middle of the curve. */
static void put_arrow(ct_text *out, const ct_curve *c, const svg_pen *pen, double scale)
{
    ct_xy at = ct_curve_at(c, 0.5), u = ct_curve_direction(c, 0.5);
    double tip = scale * pen->arrow_length / 2, half = scale * pen->arrow_half;
    ct_xy back = {at.x - tip * u.x, at.y - tip * u.y};
    ct_put(out, "<path class=\"arrow\" d=\"M");
    put_point(out, (ct_xy){at.x + tip * u.x, at.y + tip * u.y});
    ct_put(out, " L");
    put_point(out, (ct_xy){back.x - half * u.y, back.y + half * u.x});
    ct_put(out, " L");
    put_point(out, (ct_xy){back.x + half * u.y, back.y - half * u.x});
    ct_putf(out, " Z\" fill=\"%s\" stroke=\"none\"/>", pen->color);
}

/* What a browser shows when the mouse rests on the edge. */
static void put_tip(const svg_page *page, const ct_graph_edge *edge)
{
    const ct_graph *graph = page->graph;
    ct_put(page->out, "<title>");
    ct_svg_escaped(page->out, ct_name_text(graph->ctx, edge->name));
    ct_put(page->out, ": ");
    ct_svg_escaped(page->out, ct_name_text(graph->ctx, graph->node[edge->tail].name));
    ct_put(page->out, " to ");
    ct_svg_escaped(page->out, ct_name_text(graph->ctx, graph->node[edge->head].name));
    ct_put(page->out, "</title>");
}

static void put_small_ground(ct_text *out, ct_xy at)
{
    ct_put(out, "<path d=\"M");
    put_point(out, (ct_xy){at.x - 5, at.y});
    ct_put(out, " L");
    put_point(out, (ct_xy){at.x + 5, at.y});
    ct_put(out, "\" stroke-width=\"2\"/>");
}

static void put_edge(const svg_page *page, const svg_panel *panel, uint32_t e, const svg_pen *pen)
{
    const ct_plan *plan = &panel->plan;
    ct_curve curve = panel->layout.curve[e];
    for (int i = 0; i < 4; i++)
        curve.p[i] = moved(curve.p[i], panel->shift);
    ct_put(page->out, "<g>");
    put_tip(page, &page->graph->edge[plan->edge[e]]);
    put_curve(page->out, &curve);
    put_arrow(page->out, &curve, pen, panel->layout.stubs ? 0.7 : 1);
    if (panel->layout.stubs && (plan->tail[e] == plan->datum || plan->head[e] == plan->datum))
        put_small_ground(page->out, curve.p[plan->tail[e] == plan->datum ? 0 : 3]);
    ct_put(page->out, "</g>\n");
}

static const svg_pen *edge_pen(const svg_page *page, uint32_t edge)
{
    if (!page->tree)
        return &plain_pen;
    return page->tree->is_branch[edge] ? &branch_pen : &chord_pen;
}

static void put_edges(const svg_page *page, const svg_panel *panel, const svg_pen *pen)
{
    ct_putf(page->out, "<g class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-linecap=\"round\"",
            pen->class, pen->color);
    ct_svg_attribute(page->out, "stroke-width",
                     panel->layout.stubs ? pen->width * 0.8 : pen->width);
    ct_put(page->out, ">\n");
    for (uint32_t e = 0; e < panel->plan.edge_count; e++)
        if (edge_pen(page, panel->plan.edge[e]) == pen)
            put_edge(page, panel, e, pen);
    ct_put(page->out, "</g>\n");
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* A bar with slanting strokes below it. */
static void put_ground(ct_text *out, double left, double right, double y)
{
    const double step = 8, depth = 7;
    int strokes = (int)((right - left) / step);
    double first = left + ((right - left) - (strokes - 1) * step) / 2;
    ct_put(out, "<path class=\"hatch\" stroke=\"#7d8a99\" stroke-width=\"1\" d=\"");
    for (int i = 0; i < strokes; i++) {
        ct_put(out, "M");
        put_point(out, (ct_xy){first + i * step + 2, y});
        ct_put(out, " L");
        put_point(out, (ct_xy){first + i * step + 2 - depth, y + depth});
    }
    ct_put(out, "\"/>\n<path class=\"datum\" stroke=\"#111820\" stroke-width=\"3\" d=\"M");
    put_point(out, (ct_xy){left, y});
    ct_put(out, " L");
    put_point(out, (ct_xy){right, y});
    ct_put(out, "\"/>\n");
}

static void put_datum(ct_text *out, const svg_panel *panel)
{
    const ct_layout *layout = &panel->layout;
    if (panel->plan.datum == CT_NO_NODE || layout->stubs)
        return;
    const double half = 18, leg = 9;
    ct_xy at = moved(layout->at[panel->plan.datum], panel->shift);
    for (uint32_t i = 0; i < layout->rail_count; i++) {
        const ct_rail *rail = &layout->rail[i];
        if (rail->left <= rail->right)
            put_ground(out, rail->left + panel->shift.x, rail->right + panel->shift.x,
                       rail->y + panel->shift.y);
    }
    if (layout->rail)
        return;
    ct_put(out, "<path class=\"datum\" stroke=\"#111820\" stroke-width=\"1.5\" d=\"M");
    put_point(out, at);
    ct_put(out, " L");
    put_point(out, (ct_xy){at.x, at.y + leg});
    ct_put(out, "\"/>\n");
    put_ground(out, at.x - half, at.x + half, at.y + leg);
}

static void put_nodes(const svg_page *page, const svg_panel *panel)
{
    const ct_layout *layout = &panel->layout;
    ct_put(page->out, "<g class=\"nodes\" fill=\"#111820\">\n");
    for (uint32_t v = 0; v < panel->plan.node_count; v++) {
        if (v == panel->plan.datum && (layout->rail || layout->stubs))
            continue;
        ct_xy at = moved(layout->at[v], panel->shift);
        ct_put(page->out, "<circle");
        ct_svg_attribute(page->out, "cx", at.x);
        ct_svg_attribute(page->out, "cy", at.y);
        ct_svg_attribute(page->out, "r", layout->stubs ? 3 : CT_NODE_RADIUS);
        ct_put(page->out, "><title>");
        uint32_t node = panel->plan.node[v];
        ct_svg_escaped(page->out, ct_name_text(page->graph->ctx, page->graph->node[node].name));
        ct_put(page->out, "</title></circle>\n");
    }
    ct_put(page->out, "</g>\n");
}

/* The name again at every further rail, at the end where its band begins. */
static void put_rail_names(const svg_page *page, const svg_panel *panel)
{
    const double gap = 8;
    for (uint32_t i = 1; i < panel->layout.rail_count; i++) {
        const ct_rail *rail = &panel->layout.rail[i];
        ct_xy at = {i % 2 ? rail->right + gap : rail->left - gap, rail->y};
        if (rail->left <= rail->right)
            put_text(page->out, "node-name", moved(at, panel->shift), i % 2 ? -1 : 1,
                     panel->plan.node_text[panel->plan.datum]);
    }
}

static void put_labels(const svg_page *page, const svg_panel *panel)
{
    const ct_layout *layout = &panel->layout;
    const ct_plan *plan = &panel->plan;
    ct_put(page->out, "<g stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
                      "paint-order=\"stroke\">\n<g fill=\"#2b4a6b\">\n");
    for (uint32_t e = 0; layout->edge_label && e < plan->edge_count; e++) {
        const ct_label *label = &layout->edge_label[e];
        put_text(page->out, "edge-name", moved(label->at, panel->shift), label->anchor,
                 plan->edge_text[e]);
    }
    ct_put(page->out, "</g>\n<g fill=\"#000000\" font-weight=\"bold\">\n");
    for (uint32_t v = 0; layout->node_label && v < plan->node_count; v++) {
        const ct_label *label = &layout->node_label[v];
        put_text(page->out, "node-name", moved(label->at, panel->shift), label->anchor,
                 plan->node_text[v]);
    }
    put_rail_names(page, panel);
    ct_put(page->out, "</g>\n</g>\n");
}

/* ---- panels -------------------------------------------------------------------------------- */

static const char *panel_title(const svg_page *page, uint32_t domain, const ct_plan *plan,
                               bool named)
{
    ct_text title = ct_text_new(plan->arena);
    ct_put(&title, ct_name_text(page->graph->ctx, page->graph->domain[domain].name));
    if (!named)
        ct_putf(&title, " (%u nodes, %u edges)", plan->node_count, plan->edge_count);
    if (!named && plan->datum != CT_NO_NODE)
        ct_putf(&title, ", bars stand for %s", plan->node_text[plan->datum]);
    return ct_text_string(&title);
}

static void make_panels(svg_page *page, ct_arena *arena)
{
    const double bold = 1.12;
    page->panels = CT_NEW_ARRAY(arena, svg_panel, page->graph->domain_count + (size_t)1);
    for (uint32_t i = 0; i < page->graph->domain_count; i++) {
        svg_panel p = {.plan = ct_plan_domain(page->graph, i, arena)};
        if (!p.plan.node_count)
            continue;
        p.layout = ct_layout_domain(&p.plan);
        p.title = panel_title(page, i, &p.plan, p.layout.node_label != NULL);
        const ct_box *box = &p.layout.extent;
        p.width = fmax(box->right - box->left, bold * ct_text_pixels(p.title));
        p.height = box->bottom - box->top + title_height;
        page->panels[page->count++] = p;
    }
}

/* Panels from left to right, then the next row, like words on a page. */
static void arrange_panels(svg_page *page)
{
    double x = margin, y = margin, row_height = 0, right = 288; /* the legend needs that much */
    for (uint32_t i = 0; i < page->count; i++) {
        svg_panel *p = &page->panels[i];
        if (x > margin && x + p->width + margin > page_width) {
            x = margin;
            y += row_height + panel_gap / 2;
            row_height = 0;
        }
        p->shift = (ct_xy){x - p->layout.extent.left, y + title_height - p->layout.extent.top};
        row_height = fmax(row_height, p->height);
        right = fmax(right, x + p->width);
        x += p->width + panel_gap;
    }
    page->width = ceil(right + margin);
    page->height = ceil(y + row_height + (page->tree ? legend_height : 0) + margin);
}

static void put_panel(const svg_page *page, const svg_panel *panel)
{
    const ct_box *box = &panel->layout.extent;
    ct_xy corner = moved((ct_xy){box->left, box->top}, panel->shift);
    ct_put(page->out, "<g class=\"panel\">\n<g font-weight=\"bold\" fill=\"#000000\">\n");
    put_text(page->out, "domain", (ct_xy){corner.x, corner.y - title_height + 8}, -1, panel->title);
    ct_put(page->out, "</g>\n");
    if (page->tree) {
        put_edges(page, panel, &chord_pen);
        put_edges(page, panel, &branch_pen);
    } else {
        put_edges(page, panel, &plain_pen);
    }
    put_datum(page->out, panel);
    put_nodes(page, panel);
    if (panel->layout.node_label)
        put_labels(page, panel);
    ct_put(page->out, "</g>\n");
}

/* ---- page ---------------------------------------------------------------------------------- */

static void put_legend_item(const svg_page *page, double x, const svg_pen *pen, const char *text)
{
    double y = page->height - margin - 4;
    ct_curve line = ct_curve_line((ct_xy){x, y}, (ct_xy){x + 30, y});
    ct_putf(page->out, "<g fill=\"none\" stroke=\"%s\"", pen->color);
    ct_svg_attribute(page->out, "stroke-width", pen->width);
    ct_put(page->out, ">");
    put_curve(page->out, &line);
    put_arrow(page->out, &line, pen, 1);
    ct_put(page->out, "</g>\n");
    put_text(page->out, "legend", (ct_xy){x + 38, y}, -1, text);
}

static void put_legend(const svg_page *page)
{
    ct_put(page->out, "<g fill=\"#3a4652\" font-size=\"11.5\">\n");
    put_legend_item(page, margin, &branch_pen, "branch (tree)");
    put_legend_item(page, margin + 138, &chord_pen, "chord (cotree)");
    ct_put(page->out, "</g>\n");
}

static void put_opening(const svg_page *page)
{
    ct_text *out = page->out;
    ct_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
    ct_svg_attribute(out, "width", page->width);
    ct_svg_attribute(out, "height", page->height);
    ct_putf(out, " viewBox=\"0 0 %.0f %.0f\" font-size=\"%.0f\"", page->width, page->height,
            CT_FONT_SIZE);
    ct_put(out, "\n     font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
                "sans-serif\">\n<title>Linear graph");
    for (uint32_t i = 0; i < page->count; i++) {
        ct_put(out, i ? ", " : ": ");
        ct_svg_escaped(out, page->panels[i].title);
    }
    ct_put(out, "</title>\n<rect");
    ct_svg_attribute(out, "width", page->width);
    ct_svg_attribute(out, "height", page->height);
    ct_put(out, " fill=\"#ffffff\"/>\n");
}

static void put_notice(svg_page *page)
{
    const char *notice =
        ct_printf(page->graph->ctx, "%u nodes and %u edges: too many for a picture",
                  page->graph->node_count, page->graph->edge_count);
    if (!page->graph->node_count)
        notice = "no nodes";
    page->width = ceil(ct_text_pixels(notice) + 2 * margin);
    page->height = 56;
    put_opening(page);
    put_text(page->out, "notice", (ct_xy){margin, 28}, -1, notice);
    ct_put(page->out, "</svg>\n");
}

void ct_graph_put_svg(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    svg_page page = {.graph = graph, .tree = tree, .out = out};
    if (graph->edge_count > MOST_EDGES || graph->node_count > MOST_NODES || !graph->node_count) {
        put_notice(&page);
        return;
    }
    ct_arena *arena = ct_arena_new(graph->ctx);
    make_panels(&page, arena);
    arrange_panels(&page);
    put_opening(&page);
    for (uint32_t i = 0; i < page.count; i++)
        put_panel(&page, &page.panels[i]);
    if (tree)
        put_legend(&page);
    ct_put(out, "</svg>\n");
    ct_arena_free(arena);
}

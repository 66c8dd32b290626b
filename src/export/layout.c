/* layout.c - makes the plan of one domain, and the geometry that all placements share. */
#include "export/layout.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

/* ---- plan ---------------------------------------------------------------------------------- */

enum { SHOWN_CHARACTERS = 28 };

/* Widths of DejaVu Sans, the widest face that is commonly met: other faces leave a little air. */
static double character_em(unsigned char first_byte)
{
    if (first_byte >= 0xe2 || first_byte < 0x20) /* the latter are shown as U+FFFD */
        return 1.0;
    if (first_byte >= 0xc0)
        return 0.7;
    if (strchr("ijlI.,:;'|!()[]/-", first_byte))
        return 0.38;
    if (strchr("mwMW@%", first_byte))
        return 0.97;
    return first_byte >= 'A' && first_byte <= 'Z' ? 0.72 : 0.63;
}

double ct_text_pixels(const char *text)
{
    double em = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            em += character_em((unsigned char)*text);
    return em * CT_FONT_SIZE;
}

static const char *shown_text(const ct_graph *graph, ct_name name, ct_arena *arena)
{
    const char *text = ct_name_text(graph->ctx, name);
    size_t length = 0;
    if (ct_text_width(text) <= SHOWN_CHARACTERS)
        return text;
    for (size_t characters = 0; text[length]; length++) {
        characters += ((unsigned char)text[length] & 0xc0) != 0x80;
        if (characters == SHOWN_CHARACTERS)
            break;
    }
    char *shortened = ct_arena_alloc(arena, length + 4);
    memcpy(shortened, text, length);
    memcpy(shortened + length, "\xe2\x80\xa6", 3);
    return shortened;
}

static void plan_nodes(ct_plan *plan, const ct_graph *graph, uint32_t domain, uint32_t *local)
{
    uint32_t *node = CT_NEW_ARRAY(plan->arena, uint32_t, graph->node_count + 1);
    const char **text = CT_NEW_ARRAY(plan->arena, const char *, graph->node_count + 1);
    double *width = CT_NEW_ARRAY(plan->arena, double, graph->node_count + 1);
    const double bold = 1.1;
    plan->datum = CT_NO_NODE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->node[i].domain != domain)
            continue;
        uint32_t v = plan->node_count++;
        local[i] = v;
        node[v] = i;
        text[v] = shown_text(graph, graph->node[i].name, plan->arena);
        width[v] = bold * ct_text_pixels(text[v]);
        if (i == graph->domain[domain].datum)
            plan->datum = v;
    }
    plan->node = node;
    plan->node_text = text;
    plan->node_width = width;
}

static void plan_edges(ct_plan *plan, const ct_graph *graph, uint32_t domain, const uint32_t *local)
{
    size_t room = graph->edge_count + (size_t)1;
    uint32_t *edge = CT_NEW_ARRAY(plan->arena, uint32_t, room);
    uint32_t *tail = CT_NEW_ARRAY(plan->arena, uint32_t, room);
    uint32_t *head = CT_NEW_ARRAY(plan->arena, uint32_t, room);
    const char **text = CT_NEW_ARRAY(plan->arena, const char *, room);
    double *width = CT_NEW_ARRAY(plan->arena, double, room);
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const ct_graph_edge *from = &graph->edge[i];
        if (graph->node[from->tail].domain != domain)
            continue;
        uint32_t e = plan->edge_count++;
        edge[e] = i;
        tail[e] = local[from->tail];
        head[e] = local[from->head];
        plan->datum_edges += tail[e] == plan->datum || head[e] == plan->datum;
        text[e] = shown_text(graph, from->name, plan->arena);
        width[e] = ct_text_pixels(text[e]);
    }
    plan->edge = edge;
    plan->tail = tail;
    plan->head = head;
    plan->edge_text = text;
    plan->edge_width = width;
}

static void plan_twins(ct_plan *plan)
{
    uint32_t *group = CT_NEW_ARRAY(plan->arena, uint32_t, plan->edge_count + 1);
    uint32_t *size = CT_NEW_ARRAY(plan->arena, uint32_t, plan->edge_count + 1);
    uint32_t *rank = CT_NEW_ARRAY(plan->arena, uint32_t, plan->edge_count + 1);
    uint32_t *twins = CT_NEW_ARRAY(plan->arena, uint32_t, plan->edge_count + 1);
    uint32_t groups = 0;
    ct_map map;
    ct_map_init(&map, plan->arena);
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        uint32_t a = plan->tail[e], b = plan->head[e];
        uint64_t key = a < b ? ct_pair(a, b) : ct_pair(b, a);
        group[e] = ct_map_get(&map, key);
        if (!group[e])
            ct_map_put(&map, key, group[e] = ++groups);
        rank[e] = size[group[e] - 1]++;
    }
    for (uint32_t e = 0; e < plan->edge_count; e++)
        twins[e] = size[group[e] - 1];
    plan->rank = rank;
    plan->twins = twins;
}

static void plan_neighbours(ct_plan *plan)
{
    uint32_t *start = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + (size_t)2);
    uint32_t *near = CT_NEW_ARRAY(plan->arena, uint32_t, 2 * (size_t)plan->edge_count + 1);
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        start[plan->tail[e] + 2]++;
        start[plan->head[e] + 2]++;
    }
    for (uint32_t v = 2; v <= plan->node_count; v++)
        start[v] += start[v - 1];
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        near[start[plan->tail[e] + 1]++] = plan->head[e];
        near[start[plan->head[e] + 1]++] = plan->tail[e];
    }
    plan->near_start = start;
    plan->near = near;
}

ct_plan ct_plan_domain(const ct_graph *graph, uint32_t domain, ct_arena *arena)
{
    ct_plan plan = {.arena = arena};
    uint32_t *local = CT_NEW_ARRAY(arena, uint32_t, graph->node_count + 1);
    plan_nodes(&plan, graph, domain, local);
    plan_edges(&plan, graph, domain, local);
    plan_twins(&plan);
    plan_neighbours(&plan);
    return plan;
}

uint32_t ct_plan_walk(const ct_plan *plan, uint32_t start, uint32_t first, uint32_t skip,
                      uint32_t *depth, uint32_t *queue)
{
    uint32_t count = 0;
    depth[start] = first;
    queue[count++] = start;
    for (uint32_t done = 0; done < count; done++) {
        uint32_t v = queue[done];
        for (uint32_t i = plan->near_start[v]; i < plan->near_start[v + 1]; i++) {
            uint32_t w = plan->near[i];
            if (w == skip || depth[w] != UINT32_MAX)
                continue;
            depth[w] = depth[v] + 1;
            queue[count++] = w;
        }
    }
    return count;
}

/* ---- curves -------------------------------------------------------------------------------- */

ct_xy ct_curve_at(const ct_curve *curve, double t)
{
    double s = 1 - t, b0 = s * s * s, b1 = 3 * s * s * t, b2 = 3 * s * t * t, b3 = t * t * t;
    const ct_xy *p = curve->p;
    return (ct_xy){b0 * p[0].x + b1 * p[1].x + b2 * p[2].x + b3 * p[3].x,
                   b0 * p[0].y + b1 * p[1].y + b2 * p[2].y + b3 * p[3].y};
}

ct_xy ct_curve_direction(const ct_curve *curve, double t)
{
    ct_xy a = ct_curve_at(curve, t - 0.01), b = ct_curve_at(curve, t + 0.01);
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    return length > 0 ? (ct_xy){x / length, y / length} : (ct_xy){1, 0};
}

ct_curve ct_curve_line(ct_xy a, ct_xy b)
{
    double x = (b.x - a.x) / 3, y = (b.y - a.y) / 3;
    return (ct_curve){{a, {a.x + x, a.y + y}, {b.x - x, b.y - y}, b}};
}

ct_curve ct_curve_arc(ct_xy a, ct_xy b, double bulge)
{
    if (bulge == 0)
        return ct_curve_line(a, b);
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    if (length == 0)
        return ct_curve_loop(a, 0);
    /* the middle of a cubic is 3/4 of the way to its inner points */
    double nx = y / length * bulge * 4 / 3, ny = -x / length * bulge * 4 / 3;
    return (ct_curve){{a,
                       {a.x + 0.25 * x + nx, a.y + 0.25 * y + ny},
                       {b.x - 0.25 * x + nx, b.y - 0.25 * y + ny},
                       b}};
}

ct_curve ct_curve_loop(ct_xy at, uint32_t rank)
{
    double size = 36 + 14.0 * (rank < 20 ? rank : 20);
    return (ct_curve){{at, {at.x - size, at.y - size}, {at.x + size, at.y - size}, at}};
}

ct_curve ct_curve_turned(ct_curve c)
{
    return (ct_curve){{c.p[3], c.p[2], c.p[1], c.p[0]}};
}

/* ---- judgement ----------------------------------------------------------------------------- */

static ct_xy piece_end(const ct_curve *curve, int i)
{
    return ct_curve_at(curve, (double)i / CT_CURVE_PIECES);
}

static double distance_to_piece(ct_xy p, ct_xy a, ct_xy b)
{
    double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    double t = square > 0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double dx = a.x + t * x - p.x, dy = a.y + t * y - p.y;
    return sqrt(dx * dx + dy * dy);
}

uint32_t ct_layout_hits(const ct_plan *plan, const ct_layout *layout, uint32_t e)
{
    const double clearance = 14;
    uint32_t hits = 0;
    for (uint32_t v = 0; v < plan->node_count; v++) {
        if (v == plan->tail[e] || v == plan->head[e] || (v == plan->datum && layout->rail))
            continue;
        bool hit = false;
        for (int i = 0; i < CT_CURVE_PIECES && !hit; i++)
            hit = distance_to_piece(layout->at[v], piece_end(&layout->curve[e], i),
                                    piece_end(&layout->curve[e], i + 1)) < clearance;
        hits += hit;
    }
    return hits;
}

static double side(ct_xy a, ct_xy b, ct_xy p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static bool pieces_cross(ct_xy a, ct_xy b, ct_xy c, ct_xy d)
{
    return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

static bool curves_cross(const ct_xy *a, const ct_xy *b)
{
    for (int i = 0; i < CT_CURVE_PIECES; i++)
        for (int j = 0; j < CT_CURVE_PIECES; j++)
            if (pieces_cross(a[i], a[i + 1], b[j], b[j + 1]))
                return true;
    return false;
}

static uint32_t count_crossings(const ct_plan *plan, const ct_layout *layout)
{
    enum { POINTS = CT_CURVE_PIECES + 1 };
    uint32_t crossings = 0;
    ct_xy *points = CT_NEW_ARRAY(plan->arena, ct_xy, (size_t)plan->edge_count * POINTS + 1);
    for (uint32_t e = 0; e < plan->edge_count; e++)
        for (int i = 0; i < POINTS; i++)
            points[e * POINTS + (uint32_t)i] = piece_end(&layout->curve[e], i);
    for (uint32_t e = 0; e < plan->edge_count; e++)
        for (uint32_t f = 0; f < e; f++)
            crossings += curves_cross(points + e * POINTS, points + f * POINTS);
    return crossings;
}

/* ---- choice -------------------------------------------------------------------------------- */

ct_layout ct_layout_new(const ct_plan *plan)
{
    return (ct_layout){
        .at = CT_NEW_ARRAY(plan->arena, ct_xy, plan->node_count + (size_t)1),
        .curve = CT_NEW_ARRAY(plan->arena, ct_curve, plan->edge_count + (size_t)1),
    };
}

static void add_label(ct_box *extent, const ct_label *label)
{
    ct_box_add(extent, (ct_xy){label->box.left, label->box.top}, 3);
    ct_box_add(extent, (ct_xy){label->box.right, label->box.bottom}, 3);
}

static void measure(const ct_plan *plan, ct_layout *layout)
{
    const double ground_height = 14;
    ct_xy first = plan->node_count ? layout->at[0] : (ct_xy){0, 0};
    layout->extent = (ct_box){first.x, first.y, first.x, first.y};
    for (uint32_t v = 0; v < plan->node_count; v++)
        if (!layout->stubs || v != plan->datum)
            ct_box_add(&layout->extent, layout->at[v], ground_height);
    for (uint32_t e = 0; e < plan->edge_count; e++)
        for (int i = 0; i <= CT_CURVE_PIECES; i++)
            ct_box_add(&layout->extent, piece_end(&layout->curve[e], i), ground_height / 2);
    for (uint32_t i = 0; i < layout->rail_count; i++)
        if (layout->rail[i].left <= layout->rail[i].right) {
            double y = layout->rail[i].y, name = i ? plan->node_width[plan->datum] : 0;
            ct_box_add(&layout->extent, (ct_xy){layout->rail[i].left - name, y}, ground_height);
            ct_box_add(&layout->extent, (ct_xy){layout->rail[i].right + name, y}, ground_height);
        }
    for (uint32_t v = 0; layout->node_label && v < plan->node_count; v++)
        add_label(&layout->extent, &layout->node_label[v]);
    for (uint32_t e = 0; layout->edge_label && e < plan->edge_count; e++)
        add_label(&layout->extent, &layout->edge_label[e]);
}

static void judge(const ct_plan *plan, ct_layout *layout)
{
    const double per_crossing = 10, per_hit = 25, per_arc = 2;
    /* What is wider or higher than a small screen (1366 pixels less a frame) must be moved or made
     * smaller to be read. */
    const double screen = 1300, per_screen = 60;
    double width = layout->extent.right - layout->extent.left;
    double height = layout->extent.bottom - layout->extent.top,
           most = width > height ? width : height;
    layout->badness += most > screen ? per_screen * (most / screen - 1) : 0;
    layout->badness += per_arc * layout->arc_count;
    layout->badness += per_crossing * count_crossings(plan, layout);
    for (uint32_t e = 0; e < plan->edge_count; e++)
        layout->badness += per_hit * ct_layout_hits(plan, layout, e);
    /* a rail takes any number of edges well, a point does not */
    if (!layout->rail)
        layout->badness += 1 + plan->datum_edges;
}

static ct_layout finished(const ct_plan *plan, ct_layout layout)
{
    ct_layout_place_labels(plan, &layout);
    measure(plan, &layout);
    judge(plan, &layout);
    return layout;
}

ct_layout ct_layout_domain(const ct_plan *plan)
{
    ct_layout best;
    if (plan->node_count > CT_NAMED_NODES || plan->edge_count > CT_NAMED_EDGES) {
        best = ct_layout_grid(plan);
        measure(plan, &best);
    } else {
        best = finished(plan, ct_layout_rail(plan));
        for (int start = 0; start < 4; start++) {
            ct_layout other = finished(plan, ct_layout_stress(plan, start));
            if (other.badness < best.badness)
                best = other;
        }
    }
    return best;
}

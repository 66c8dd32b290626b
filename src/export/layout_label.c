/* layout_label.c - places for names: a few candidates each, the one that covers least wins. */
#include "export/layout.h"

#include <math.h>

void ct_box_add(ct_box *box, ct_xy p, double margin)
{
    box->left = fmin(box->left, p.x - margin);
    box->right = fmax(box->right, p.x + margin);
    box->top = fmin(box->top, p.y - margin);
    box->bottom = fmax(box->bottom, p.y + margin);
}

/* Cuts the piece a + t (b - a), t in [*from, *to], down to where low <= value <= high. */
static bool clip(double a, double b, double low, double high, double *from, double *to)
{
    double d = b - a;
    if (d == 0)
        return a >= low && a <= high;
    double t0 = (low - a) / d, t1 = (high - a) / d;
    *from = fmax(*from, fmin(t0, t1));
    *to = fmin(*to, fmax(t0, t1));
    return *from <= *to;
}

static bool box_meets_piece(const ct_box *box, ct_xy a, ct_xy b)
{
    double from = 0, to = 1;
    return clip(a.x, b.x, box->left, box->right, &from, &to) &&
           clip(a.y, b.y, box->top, box->bottom, &from, &to);
}

static bool boxes_meet(const ct_box *a, const ct_box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* The control points bound the curve, so most curves are settled without looking at their pieces.
 */
static bool box_meets_curve(const ct_box *box, const ct_curve *curve)
{
    ct_box hull = {curve->p[0].x, curve->p[0].y, curve->p[0].x, curve->p[0].y};
    for (int i = 1; i < 4; i++)
        ct_box_add(&hull, curve->p[i], 0);
    ct_box_add(&hull, curve->p[0], 0.5);
    ct_box_add(&hull, curve->p[3], 0.5);
    if (!boxes_meet(box, &hull))
        return false;
    for (int i = 0; i < CT_CURVE_PIECES; i++)
        if (box_meets_piece(box, ct_curve_at(curve, (double)i / CT_CURVE_PIECES),
                            ct_curve_at(curve, (double)(i + 1) / CT_CURVE_PIECES)))
            return true;
    return false;
}

static ct_box grown(ct_box box, double margin)
{
    return (ct_box){box.left - margin, box.top - margin, box.right + margin, box.bottom + margin};
}

typedef struct desk {
    const ct_plan *plan;
    ct_layout *layout;
    uint32_t nodes_done, edges_done; /* labels that have their place */
} desk;

static bool covers_ground(const desk *d, const ct_box *box)
{
    const ct_layout *layout = d->layout;
    if (d->plan->datum == CT_NO_NODE)
        return false;
    ct_xy at = layout->at[d->plan->datum];
    ct_box ground = {at.x - 17, at.y - 2, at.x + 17, at.y + 18};
    bool covered = !layout->rail && boxes_meet(box, &ground);
    for (uint32_t i = 0; i < layout->rail_count && !covered; i++) {
        const ct_rail *rail = &layout->rail[i];
        ground = (ct_box){rail->left, rail->y - 2, rail->right, rail->y + 12};
        covered = boxes_meet(box, &ground);
    }
    return covered;
}

static double cover(const desk *d, ct_box box)
{
    const double per_curve = 10, per_node = 30, per_label = 40;
    const ct_layout *layout = d->layout;
    double cost = covers_ground(d, &box) ? per_node : 0;
    ct_box wide = grown(box, 1);
    for (uint32_t e = 0; e < d->plan->edge_count; e++)
        cost += box_meets_curve(&box, &layout->curve[e]) ? per_curve : 0;
    for (uint32_t v = 0; v < d->plan->node_count; v++) {
        ct_xy p = layout->at[v];
        ct_box dot = {p.x - CT_NODE_RADIUS, p.y - CT_NODE_RADIUS, p.x + CT_NODE_RADIUS,
                      p.y + CT_NODE_RADIUS};
        if (!(layout->rail && v == d->plan->datum) && boxes_meet(&wide, &dot))
            cost += per_node;
    }
    for (uint32_t v = 0; v < d->nodes_done; v++)
        cost += boxes_meet(&wide, &layout->node_label[v].box) ? per_label : 0;
    for (uint32_t e = 0; e < d->edges_done; e++)
        cost += boxes_meet(&wide, &layout->edge_label[e].box) ? per_label : 0;
    return cost;
}

/* The text stands beside the point in the given direction, `gap` away from it. */
static ct_label label_beside(ct_xy p, ct_xy direction, double gap, double width)
{
    const double height = 11; /* of capitals with a little air: descenders are rare in names */
    double x = p.x + direction.x * gap, y = p.y + direction.y * (gap + height / 2);
    ct_label label = {.at = {x, y}};
    label.anchor = direction.x > 0.4 ? -1 : direction.x < -0.4 ? 1 : 0;
    double left = label.anchor < 0 ? x : label.anchor > 0 ? x - width : x - width / 2;
    label.box = (ct_box){left, y - height / 2, left + width, y + height / 2};
    return label;
}

static double consider(desk *d, ct_label candidate, double dislike, double best, ct_label *label)
{
    if (dislike >= best)
        return best;
    double cost = dislike + cover(d, candidate.box);
    if (cost < best)
        *label = candidate;
    return cost < best ? cost : best;
}

static double place_node_label(desk *d, uint32_t v)
{
    static const ct_xy around[] = {
        {0, -1},       {-0.71, -0.71}, {0.71, -0.71},  {-1, 0},       {1, 0},        {-0.71, 0.71},
        {0.71, 0.71},  {0, 1},         {-0.38, -0.92}, {0.38, -0.92}, {-0.92, 0.38}, {0.92, 0.38},
        {-0.38, 0.92}, {0.38, 0.92},   {-0.92, -0.38}, {0.92, -0.38},
    };
    static const double gaps[] = {9.5, 14, 19};
    double best = INFINITY;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < sizeof around / sizeof *around; j++) {
            double width = d->plan->node_width[v], dislike = 2.5 * (double)i + 0.4 * (double)j;
            ct_label l = label_beside(d->layout->at[v], around[j], gaps[i], width);
            best = consider(d, l, dislike, best, &d->layout->node_label[v]);
        }
    return best;
}

static double place_rail_label(desk *d, uint32_t v)
{
    ct_xy end = {d->layout->rail[0].left, d->layout->rail[0].y};
    d->layout->node_label[v] = label_beside(end, (ct_xy){-1, 0}, 8, d->plan->node_width[v]);
    return 0;
}

/* Beside the arrow if that is free, else farther along the edge; above rather than below, to the
 * right rather than to the left. */
static double place_edge_label(desk *d, uint32_t e)
{
    static const double along[] = {0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78};
    const ct_curve *curve = &d->layout->curve[e];
    double best = INFINITY;
    for (size_t i = 0; i < sizeof along / sizeof *along; i++) {
        ct_xy p = ct_curve_at(curve, along[i]), u = ct_curve_direction(curve, along[i]);
        ct_xy n = {u.y, -u.x};
        if (n.x < -0.3 || (n.x <= 0.3 && n.y > 0))
            n = (ct_xy){-n.x, -n.y};
        double gap = along[i] == 0.5 ? 6.5 : 5.5, width = d->plan->edge_width[e];
        ct_label *label = &d->layout->edge_label[e];
        best = consider(d, label_beside(p, n, gap, width), 0.5 * (double)i, best, label);
        n = (ct_xy){-n.x, -n.y};
        best = consider(d, label_beside(p, n, gap, width), 0.5 * (double)i + 0.8, best, label);
    }
    return best;
}

void ct_layout_place_labels(const ct_plan *plan, ct_layout *layout)
{
    desk d = {plan, layout, 0, 0};
    layout->node_label = CT_NEW_ARRAY(plan->arena, ct_label, plan->node_count + (size_t)1);
    layout->edge_label = CT_NEW_ARRAY(plan->arena, ct_label, plan->edge_count + (size_t)1);
    for (uint32_t v = 0; v < plan->node_count; v++) {
        bool on_rail = layout->rail && v == plan->datum;
        layout->badness += 0.3 * (on_rail ? place_rail_label(&d, v) : place_node_label(&d, v));
        d.nodes_done++;
    }
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        layout->badness += 0.3 * place_edge_label(&d, e);
        d.edges_done++;
    }
}

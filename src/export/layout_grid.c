/* layout_grid.c - placement of large graphs in near-linear time, without labels.
 *
 * Nodes go into columns by breadth-first distance, columns into bands that run to and fro like the
 * lines of an ox's plough. Edges to the datum become stubs with a ground symbol of their own, as in
 * circuit diagrams: drawn to one point they would hide everything else.
 */
#include "export/layout.h"

#include <math.h>

static const double pitch_x = 46, pitch_y = 46;

typedef struct grid {
    const ct_plan *plan;
    uint32_t *order;  /* nodes column by column */
    uint32_t *column; /* per node */
    uint32_t *start;  /* per column: first place in order; one more at the end */
    uint32_t count, columns, tallest;
} grid;

/* A column ends with its layer, or when it is full. */
static void cut_columns(grid *g, const uint32_t *depth)
{
    uint32_t full = (uint32_t)sqrt((double)g->count) + 4;
    for (uint32_t i = 0; i < g->count; i++) {
        bool fresh = i == 0 || depth[g->order[i]] != depth[g->order[i - 1]] ||
                     i - g->start[g->columns - 1] == full;
        if (fresh)
            g->start[g->columns++] = i;
        g->column[g->order[i]] = g->columns - 1;
        uint32_t height = i - g->start[g->columns - 1] + 1;
        g->tallest = height > g->tallest ? height : g->tallest;
    }
    g->start[g->columns] = g->count;
}

static grid grid_new(const ct_plan *plan)
{
    uint32_t n = plan->node_count, next = 0;
    grid g = {.plan = plan};
    uint32_t *depth = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    g.order = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    g.column = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    g.start = CT_NEW_ARRAY(plan->arena, uint32_t, n + (size_t)2);
    for (uint32_t v = 0; v < n; v++)
        depth[v] = UINT32_MAX;
    for (uint32_t v = 0; v < n; v++) {
        if (v == plan->datum || depth[v] != UINT32_MAX)
            continue;
        g.count += ct_plan_walk(plan, v, next, plan->datum, depth, g.order + g.count);
        next = depth[g.order[g.count - 1]] + 1; /* a part of its own: columns of its own */
    }
    cut_columns(&g, depth);
    return g;
}

static void place(const grid *g, ct_xy *at)
{
    double per_band = ceil(sqrt(1.8 * g->columns * (g->tallest + 1)));
    uint32_t wide = per_band < 8 ? 8 : (uint32_t)per_band;
    double band_height = (g->tallest + 0.7) * pitch_y;
    for (uint32_t c = 0; c < g->columns; c++) {
        uint32_t band = c / wide, step = c % wide, size = g->start[c + 1] - g->start[c];
        double x = pitch_x * (band % 2 ? wide - 1 - step : step);
        for (uint32_t i = 0; i < size; i++) {
            double y = (i - (size - 1) / 2.0) * pitch_y + band * band_height;
            at[g->order[g->start[c] + i]] = (ct_xy){x, y};
        }
    }
}

/* Goes down a little, twins side by side. */
static ct_curve stub(const ct_plan *plan, const ct_layout *layout, uint32_t e)
{
    bool turned = plan->tail[e] == plan->datum;
    ct_xy from = layout->at[turned ? plan->head[e] : plan->tail[e]];
    double middle = (plan->twins[e] - 1) / 2.0;
    double step = plan->twins[e] > 1 ? fmin(11, 30.0 / (plan->twins[e] - 1)) : 0;
    ct_xy to = {from.x + (plan->rank[e] - middle) * step, from.y + 21};
    ct_curve curve = ct_curve_line(from, to);
    return turned ? ct_curve_turned(curve) : curve;
}

/* Neighbours on the grid get straight lines; longer ones bend so as to miss what is between. */
static ct_curve join(const ct_plan *plan, const ct_layout *layout, uint32_t e)
{
    uint32_t tail = plan->tail[e], head = plan->head[e];
    if (tail == head)
        return ct_curve_loop(layout->at[tail], 0);
    ct_xy a = layout->at[tail < head ? tail : head], b = layout->at[tail < head ? head : tail];
    double x = fabs(b.x - a.x), y = fabs(b.y - a.y);
    bool near = x < 1.2 * pitch_x && y < 1.9 * pitch_y;
    double bulge = near ? 0 : 14;
    if (plan->twins[e] > 1)
        bulge += (plan->rank[e] - (plan->twins[e] - 1) / 2.0) * fmin(8, 40.0 / plan->twins[e]);
    ct_curve curve = ct_curve_arc(a, b, bulge);
    return tail < head ? curve : ct_curve_turned(curve);
}

ct_layout ct_layout_grid(const ct_plan *plan)
{
    ct_layout layout = ct_layout_new(plan);
    grid g = grid_new(plan);
    place(&g, layout.at);
    layout.stubs = plan->datum != CT_NO_NODE;
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        bool down = plan->tail[e] == plan->datum || plan->head[e] == plan->datum;
        bool loop = plan->tail[e] == plan->head[e];
        layout.curve[e] = down && !loop ? stub(plan, &layout, e) : join(plan, &layout, e);
    }
    return layout;
}

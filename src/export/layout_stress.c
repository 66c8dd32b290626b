/* layout_stress.c - placement by stress majorization: distances on paper like distances in the
 * graph.
 *
 *     stress(x) = sum over i < j of w_ij (|x_i - x_j| - d_ij)^2,   w_ij = d_ij^-2
 *
 * Each sweep puts every node where its weighted wishes agree, which never increases the stress. The
 * datum is no short cut: it is near to almost everything and would pull the picture into a knot.
 */
#include "export/layout.h"

#include <math.h>
#include <stdlib.h>

enum { SWEEPS = 300 };

static const double unit = 112; /* pixels per edge */

/* ---- distances ----------------------------------------------------------------------------- */

static void reset(uint32_t *depth, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        depth[v] = UINT32_MAX;
}

static double *graph_distances(const ct_plan *plan)
{
    uint32_t n = plan->node_count, datum = plan->datum;
    double *d = CT_NEW_ARRAY(plan->arena, double, (size_t)n *n + 1);
    uint32_t *depth = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    uint32_t *down = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1); /* edges to the datum */
    uint32_t *queue = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    double far = sqrt((double)n) / 2 + 1; /* between parts that are not joined */
    reset(down, n);
    if (datum != CT_NO_NODE)
        ct_plan_walk(plan, datum, 0, CT_NO_NODE, down, queue);
    for (uint32_t i = 0; i < n; i++) {
        reset(depth, n);
        ct_plan_walk(plan, i, 0, i == datum ? CT_NO_NODE : datum, depth, queue);
        for (uint32_t j = 0; j < n; j++) {
            bool joined = down[i] != UINT32_MAX && down[j] != UINT32_MAX;
            double around = joined ? (double)down[i] + down[j] : far;
            d[i * n + j] = j != datum && depth[j] != UINT32_MAX ? depth[j] : around;
        }
    }
    return d;
}

/* ---- starts -------------------------------------------------------------------------------- */

/* The datum at the bottom, layers by distance above it, each from left to right by mention. */
static void start_in_layers(const ct_plan *plan, ct_xy *at)
{
    uint32_t n = plan->node_count;
    uint32_t *depth = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    uint32_t *queue = CT_NEW_ARRAY(plan->arena, uint32_t, n + 1);
    uint32_t *used = CT_NEW_ARRAY(plan->arena, uint32_t, n + (size_t)1);
    uint32_t *size = CT_NEW_ARRAY(plan->arena, uint32_t, n + (size_t)1);
    reset(depth, n);
    ct_plan_walk(plan, plan->datum != CT_NO_NODE ? plan->datum : 0, 0, CT_NO_NODE, depth, queue);
    for (uint32_t v = 0; v < n; v++)
        if (depth[v] == UINT32_MAX)
            ct_plan_walk(plan, v, 1, CT_NO_NODE, depth, queue);
    for (uint32_t v = 0; v < n; v++)
        size[depth[v]]++;
    for (uint32_t v = 0; v < n; v++) {
        double x = used[depth[v]]++ - (size[depth[v]] - 1) / 2.0;
        at[v] = (ct_xy){x + 0.07 * (v % 3), -(double)depth[v]}; /* never all on one line */
    }
}

/* Along the upper half of a circle in order of mention, the datum below: t runs from -1 to 1 in
 * ((1 - t^2) / (1 + t^2), 2 t / (1 + t^2)), turned. */
static void start_on_circle(const ct_plan *plan, ct_xy *at)
{
    uint32_t n = plan->node_count;
    double radius = 0.5 + n / 4.0;
    for (uint32_t v = 0; v < n; v++) {
        double t = 2 * (v + 0.5) / n - 1;
        at[v].x = radius * 2 * t / (1 + t * t);
        at[v].y = -radius * (1 - t * t) / (1 + t * t);
    }
    if (plan->datum != CT_NO_NODE)
        at[plan->datum] = (ct_xy){0, 1};
}

/* ---- sweeps -------------------------------------------------------------------------------- */

static void settle(const double *d, uint32_t n, uint32_t without, ct_xy *at, uint32_t i)
{
    const double together = 1e-9;
    double weights = 0;
    ct_xy sum = {0, 0};
    for (uint32_t j = 0; j < n; j++) {
        if (j == i || j == without)
            continue;
        double wish = d[i * n + j], w = 1 / (wish * wish);
        double x = at[i].x - at[j].x, y = at[i].y - at[j].y, length = sqrt(x * x + y * y);
        double pull = length > together ? wish / length : 0;
        sum.x += w * (at[j].x + x * pull);
        sum.y += w * (at[j].y + y * pull);
        weights += w;
    }
    if (weights > 0)
        at[i] = (ct_xy){sum.x / weights, sum.y / weights};
}

/* ---- orientation --------------------------------------------------------------------------- */

/* 0: every edge is horizontal or vertical; 45 degrees look better than the angles between. */
static double slant(const ct_plan *plan, const ct_xy *at, uint32_t without)
{
    double sum = 0;
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        ct_xy a = at[plan->tail[e]], b = at[plan->head[e]];
        double x = fabs(b.x - a.x), y = fabs(b.y - a.y), longer = fmax(x, y);
        bool counts = plan->rank[e] == 0 && plan->tail[e] != without && plan->head[e] != without;
        if (counts && longer > 0)
            sum += fmin(fmin(x, y) / longer, 0.15 + fabs(x - y) / longer);
    }
    return sum;
}

/* 0: the datum is lowest, 1: it is highest. */
static double datum_height(const ct_plan *plan, const ct_xy *at)
{
    double low = -INFINITY, high = INFINITY;
    for (uint32_t v = 0; v < plan->node_count; v++) {
        low = fmax(low, at[v].y);
        high = fmin(high, at[v].y);
    }
    return low > high ? (low - at[plan->datum].y) / (low - high) : 0;
}

/* What a vertical line from node v down to the rail meets. */
static double obstacles_below(const ct_plan *plan, const ct_xy *at, uint32_t v)
{
    const double near = 0.25;
    double sum = 0;
    for (uint32_t w = 0; w < plan->node_count; w++)
        sum += w != v && w != plan->datum && at[w].y > at[v].y && fabs(at[w].x - at[v].x) < near;
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        uint32_t tail = plan->tail[e], head = plan->head[e];
        ct_xy a = at[tail], b = at[head];
        if (tail == plan->datum || head == plan->datum || tail == v || head == v)
            continue;
        if ((a.x < at[v].x) != (b.x < at[v].x))
            sum += a.y + (b.y - a.y) * (at[v].x - a.x) / (b.x - a.x) > at[v].y;
    }
    return sum;
}

static double awkwardness(const ct_plan *plan, const ct_xy *at, bool rail)
{
    if (plan->datum == CT_NO_NODE)
        return slant(plan, at, plan->datum);
    if (!rail)
        return slant(plan, at, CT_NO_NODE) + (1 + plan->edge_count / 2.0) * datum_height(plan, at);
    double sum = slant(plan, at, plan->datum);
    for (uint32_t i = plan->near_start[plan->datum]; i < plan->near_start[plan->datum + 1]; i++)
        if (plan->near[i] != plan->datum)
            sum += 3 * obstacles_below(plan, at, plan->near[i]);
    return sum;
}

static void turn(ct_xy *at, uint32_t n)
{
    const double c = 0.99144486137381041, s = 0.13052619222005159; /* 7.5 degrees */
    for (uint32_t v = 0; v < n; v++)
        at[v] = (ct_xy){c * at[v].x - s * at[v].y, s * at[v].x + c * at[v].y};
}

static void orient(const ct_plan *plan, ct_xy *at, bool rail)
{
    enum { TURNS = 48 };
    const double gain = 1e-6; /* less is rounding */
    double best = INFINITY;
    int chosen = 0;
    for (int i = 0; i < TURNS; i++, turn(at, plan->node_count)) {
        double now = awkwardness(plan, at, rail);
        if (now < best - gain) {
            best = now;
            chosen = i;
        }
    }
    for (int i = 0; i < chosen; i++)
        turn(at, plan->node_count);
}

/* Nodes mentioned first go to the left. */
static void mirror(const ct_plan *plan, ct_xy *at, uint32_t without)
{
    double middle = (plan->node_count - 1) / 2.0, order = 0, mean = 0, count = 0;
    for (uint32_t v = 0; v < plan->node_count; v++)
        if (v != without) {
            mean += at[v].x;
            count++;
        }
    for (uint32_t v = 0; v < plan->node_count; v++)
        if (v != without)
            order += (at[v].x - mean / count) * (v - middle);
    for (uint32_t v = 0; order < 0 && v < plan->node_count; v++)
        at[v].x = -at[v].x;
}

/* ---- tidying ------------------------------------------------------------------------------- */

static double least_distance(const ct_plan *plan, const ct_xy *at, uint32_t without)
{
    double least = INFINITY;
    for (uint32_t v = 0; v < plan->node_count; v++)
        for (uint32_t w = 0; w < v; w++) {
            if (v == without || w == without)
                continue;
            double x = at[v].x - at[w].x, y = at[v].y - at[w].y;
            least = fmin(least, sqrt(x * x + y * y));
        }
    return least;
}

static void rescale(const ct_plan *plan, ct_xy *at, uint32_t without)
{
    const double apart = 74, largest = 2.2 * unit;
    double least = least_distance(plan, at, without), scale = unit;
    if (least * scale < apart)
        scale = least * largest < apart ? largest : apart / least;
    for (uint32_t v = 0; v < plan->node_count; v++)
        at[v] = (ct_xy){at[v].x * scale, at[v].y * scale};
}

typedef struct mark {
    double value;
    uint32_t node;
} mark;

static int by_value(const void *a, const void *b)
{
    const mark *p = a, *q = b;
    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

/* Coordinates that nearly agree are made to agree. */
static void snap(mark *marks, uint32_t n)
{
    const double reach = 20;
    qsort(marks, n, sizeof *marks, by_value);
    for (uint32_t first = 0, end; first < n; first = end) {
        double sum = 0;
        for (end = first; end < n && marks[end].value - marks[first].value < reach; end++)
            sum += marks[end].value;
        for (uint32_t i = first; i < end; i++)
            marks[i].value = sum / (end - first);
    }
}

static void tidy(const ct_plan *plan, ct_xy *at)
{
    uint32_t n = plan->node_count;
    mark *marks = CT_NEW_ARRAY(plan->arena, mark, n);
    for (uint32_t v = 0; v < n; v++)
        marks[v] = (mark){at[v].x, v};
    snap(marks, n);
    for (uint32_t i = 0; i < n; i++)
        at[marks[i].node].x = marks[i].value;
    for (uint32_t v = 0; v < n; v++)
        marks[v] = (mark){at[v].y, v};
    snap(marks, n);
    for (uint32_t i = 0; i < n; i++)
        at[marks[i].node].y = marks[i].value;
}

static double lowest(const ct_plan *plan, const ct_xy *at)
{
    double low = -INFINITY;
    for (uint32_t v = 0; v < plan->node_count; v++)
        if (v != plan->datum)
            low = fmax(low, at[v].y);
    return low;
}

/* ---- curves -------------------------------------------------------------------------------- */

/* Twins stand so far apart that their labels fit between them. */
static double twin_bulge(const ct_plan *plan, uint32_t e, ct_xy a, ct_xy b)
{
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    if (plan->twins[e] < 2 || length == 0)
        return 0;
    double step = fabs(y) / length * (plan->edge_width[e] + 18) + fabs(x) / length * 27;
    return (plan->rank[e] - (plan->twins[e] - 1) / 2.0) * step;
}

static bool is_drop(const ct_plan *plan, const ct_layout *layout, uint32_t e)
{
    return layout->rail && plan->tail[e] != plan->head[e] &&
           (plan->tail[e] == plan->datum || plan->head[e] == plan->datum);
}

/* Goes down to the rail around what is between: as an arc, or to a point beside. */
static void bend_drop(const ct_plan *plan, ct_layout *layout, uint32_t e, double extra,
                      double beside)
{
    ct_curve *c = &layout->curve[e];
    bool turned = plan->tail[e] == plan->datum;
    ct_xy from = layout->at[turned ? plan->head[e] : plan->tail[e]];
    ct_xy to = {from.x + beside, layout->rail->y};
    *c = ct_curve_arc(from, to, twin_bulge(plan, e, from, to) + extra);
    if (turned)
        *c = ct_curve_turned(*c);
}

static void draw(const ct_plan *plan, ct_layout *layout, uint32_t e, double extra)
{
    uint32_t tail = plan->tail[e], head = plan->head[e];
    uint32_t from = tail < head ? tail : head, to = tail < head ? head : tail;
    if (tail == head) {
        layout->curve[e] = ct_curve_loop(layout->at[tail], plan->rank[e]);
        return;
    }
    double bulge = twin_bulge(plan, e, layout->at[from], layout->at[to]) + extra;
    layout->curve[e] = ct_curve_arc(layout->at[from], layout->at[to], bulge);
    if (tail > head)
        layout->curve[e] = ct_curve_turned(layout->curve[e]);
}

/* An edge that would run over a node is bent around it. */
static void draw_clear(const ct_plan *plan, ct_layout *layout, uint32_t e)
{
    static const struct {
        double extra, beside; /* beside: of drops only, within the overhang of the rail */
    } bends[] = {{30, 0},  {-30, 0}, {50, 0},  {-50, 0}, {80, 0},
                 {-80, 0}, {0, 20},  {0, -20}, {25, 20}, {-25, -20}};
    bool drop = is_drop(plan, layout, e), bent = false;
    if (!drop)
        draw(plan, layout, e, 0);
    uint32_t least = ct_layout_hits(plan, layout, e);
    ct_curve best = layout->curve[e];
    for (size_t i = 0; least && i < sizeof bends / sizeof *bends; i++) {
        if (drop)
            bend_drop(plan, layout, e, bends[i].extra, bends[i].beside);
        else
            draw(plan, layout, e, bends[i].extra);
        uint32_t hits = ct_layout_hits(plan, layout, e);
        if (hits < least) {
            least = hits;
            best = layout->curve[e];
            bent = true;
        }
    }
    layout->curve[e] = best;
    layout->arc_count += bent;
}

static void place(const ct_plan *plan, int start, ct_xy *at)
{
    bool rail = start & 2;
    const double *d = graph_distances(plan);
    uint32_t without = rail ? plan->datum : CT_NO_NODE;
    (start & 1 ? start_on_circle : start_in_layers)(plan, at);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (uint32_t v = 0; v < plan->node_count; v++)
            settle(d, plan->node_count, without, at, v);
    orient(plan, at, rail);
    mirror(plan, at, without);
    rescale(plan, at, without);
    tidy(plan, at);
}

ct_layout ct_layout_stress(const ct_plan *plan, int start)
{
    ct_layout layout = ct_layout_new(plan);
    if (!plan->node_count)
        return layout;
    place(plan, start, layout.at);
    uint32_t datum = plan->datum;
    double low = lowest(plan, layout.at);
    if (datum != CT_NO_NODE && plan->node_count > 1) {
        ct_rail *rail = CT_NEW(plan->arena, ct_rail);
        rail->y = low + unit;
        if (start & 2)
            ct_layout_add_rails(plan, &layout, rail, 1, NULL);
        else
            layout.at[datum].y = fmax(layout.at[datum].y, low + 0.7 * unit);
    }
    for (uint32_t e = 0; e < plan->edge_count; e++)
        draw_clear(plan, &layout, e);
    layout.badness = 3; /* a plain line of nodes is preferred */
    return layout;
}

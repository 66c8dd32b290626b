/* layout_rail.c - nodes on a horizontal line, the datum as a rail below them.
 *
 * Most circuits look best this way: edges to the datum drop straight down, edges between neighbours
 * are horizontal, all others are arcs above the line. Only arcs can cross, so the one thing to
 * search for is the order of the nodes.
 */
#include "export/layout.h"

#include <math.h>
#include <stdlib.h>

typedef struct pair {
    uint32_t a, b; /* nodes */
    uint32_t twins;
} pair;

typedef struct rail {
    const ct_plan *plan;
    uint32_t count, pair_count;
    uint32_t *order; /* place -> node */
    uint32_t *place; /* node -> place */
    pair *pairs;     /* of nodes that are joined, without the datum */
    bool cheap;      /* too many pairs to count crossings while searching */
    uint32_t *band;  /* per node: a long line is broken into bands that run to and fro */
    uint32_t bands;
} rail;

/* ---- order --------------------------------------------------------------------------------- */

static rail rail_new(const ct_plan *plan)
{
    rail r = {.plan = plan, .bands = 1};
    r.band = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + 1);
    r.order = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + 1);
    r.place = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + 1);
    r.pairs = CT_NEW_ARRAY(plan->arena, pair, plan->edge_count + 1);
    for (uint32_t v = 0; v < plan->node_count; v++)
        if (v != plan->datum)
            r.order[r.count++] = v;
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        uint32_t a = plan->tail[e], b = plan->head[e];
        if (plan->rank[e] == 0 && a != b && a != plan->datum && b != plan->datum)
            r.pairs[r.pair_count++] = (pair){a, b, plan->twins[e]};
    }
    double work = (double)r.count * r.count * r.pair_count * r.pair_count;
    r.cheap = work > 2e7;
    return r;
}

static void span(const rail *r, const pair *p, uint32_t *left, uint32_t *right)
{
    uint32_t a = r->place[p->a], b = r->place[p->b];
    *left = a < b ? a : b;
    *right = a < b ? b : a;
}

static double order_cost(const rail *r)
{
    const double per_arc = 1.5, per_crossing = 5;
    double cost = 0;
    for (uint32_t i = 0; i < r->count; i++)
        r->place[r->order[i]] = i;
    for (uint32_t i = 0; i < r->pair_count; i++) {
        uint32_t left, right, left2, right2;
        span(r, &r->pairs[i], &left, &right);
        cost += (right - left) + (right - left > 1 ? per_arc * r->pairs[i].twins : 0);
        for (uint32_t j = 0; j < i && !r->cheap; j++) {
            span(r, &r->pairs[j], &left2, &right2);
            if ((left < left2 && left2 < right && right < right2) ||
                (left2 < left && left < right2 && right2 < right))
                cost += per_crossing;
        }
    }
    return cost;
}

static void move(uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t moved = order[from];
    for (; from < to; from++)
        order[from] = order[from + 1];
    for (; from > to; from--)
        order[from] = order[from - 1];
    order[to] = moved;
}

/* Puts single nodes elsewhere as long as that helps. */
static double improve_order(rail *r)
{
    const double gain = 1e-9; /* less is rounding */
    double best = order_cost(r);
    for (int pass = 0, changed = 1; changed && pass < 8; pass++) {
        changed = 0;
        for (uint32_t from = 0; from < r->count; from++)
            for (uint32_t to = 0; to < r->count; to++) {
                move(r->order, from, to);
                double cost = order_cost(r);
                if (cost < best - gain) {
                    best = cost;
                    changed = 1;
                } else {
                    move(r->order, to, from);
                }
            }
    }
    order_cost(r); /* sets the places again */
    return best;
}

/* Breadth first from the node found last by a first search: along the longest way. */
static void walk_order(rail *r)
{
    const ct_plan *plan = r->plan;
    uint32_t *depth = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + 1);
    uint32_t *queue = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + 1);
    uint32_t *seen = CT_NEW_ARRAY(plan->arena, uint32_t, plan->node_count + 1);
    uint32_t count = 0;
    for (uint32_t v = 0; v < plan->node_count; v++)
        depth[v] = seen[v] = UINT32_MAX;
    for (uint32_t v = 0; v < plan->node_count; v++) {
        if (v == plan->datum || depth[v] != UINT32_MAX)
            continue;
        uint32_t far = queue[ct_plan_walk(plan, v, 0, plan->datum, seen, queue) - 1];
        count += ct_plan_walk(plan, far, 0, plan->datum, depth, r->order + count);
    }
}

static bool mention_runs_backwards(const rail *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->count; i++)
        sum += ((double)i - (r->count - 1) / 2.0) * r->order[i];
    return sum < 0;
}

/* Starts from the order of mention and from a walk; the former wins when they are equally good. */
static void find_order(rail *r)
{
    uint32_t *mentioned = CT_NEW_ARRAY(r->plan->arena, uint32_t, r->count + 1), *walked = r->order;
    for (uint32_t i = 0; i < r->count; i++)
        mentioned[i] = r->order[i];
    walk_order(r);
    double cost = improve_order(r);
    r->order = mentioned;
    if (improve_order(r) > cost)
        r->order = walked;
    for (uint32_t i = 0; mention_runs_backwards(r) && i < r->count / 2; i++) {
        uint32_t swap = r->order[i];
        r->order[i] = r->order[r->count - 1 - i];
        r->order[r->count - 1 - i] = swap;
    }
    order_cost(r);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* The room a node needs. */
typedef struct column {
    double step; /* between twins that drop to the datum */
    double left, right;
} column;

static const double twin_rise = 27; /* between twins that run horizontally */
static const double label_gap = 9;

static uint32_t other_end(const ct_plan *plan, uint32_t e, uint32_t v)
{
    return plan->tail[e] == v ? plan->head[e] : plan->tail[e];
}

static bool is_drop(const ct_plan *plan, uint32_t e)
{
    return plan->tail[e] == plan->datum || plan->head[e] == plan->datum;
}

/* Per node. Twins stand so far apart that their labels fit between them. */
static column *measure_drops(const ct_plan *plan)
{
    column *c = CT_NEW_ARRAY(plan->arena, column, plan->node_count + (size_t)1);
    for (uint32_t v = 0; v < plan->node_count; v++)
        c[v].left = c[v].right = plan->node_width[v] / 2 + label_gap;
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        if (!is_drop(plan, e))
            continue;
        column *at = &c[other_end(plan, e, plan->datum)];
        at->step = fmax(at->step, plan->edge_width[e] + 2 * label_gap);
        double half = (plan->twins[e] - 1) * at->step / 2;
        at->left = half + label_gap;
        at->right = half + at->step;
    }
    return c;
}

/* Per place: what the names of the edges to the next place need. */
static double *measure_gaps(const rail *r)
{
    const ct_plan *plan = r->plan;
    const double arrow = 54;
    double *gap = CT_NEW_ARRAY(plan->arena, double, r->count + (size_t)1);
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        uint32_t a = r->place[plan->tail[e]], b = r->place[plan->head[e]], i = a < b ? a : b;
        if (!is_drop(plan, e) && a + b == 2 * i + 1)
            gap[i] = fmax(gap[i], plan->edge_width[e] + arrow);
    }
    return gap;
}

/* Per place, as if all were on one line. */
static double *line_up(const rail *r)
{
    const double least = 84;
    const column *c = measure_drops(r->plan);
    const double *gap = measure_gaps(r);
    double *x = CT_NEW_ARRAY(r->plan->arena, double, r->count + (size_t)1);
    for (uint32_t i = 1; i < r->count; i++) {
        const column *a = &c[r->order[i - 1]], *b = &c[r->order[i]];
        double room = fmax(a->right + b->left, b->right + a->left);
        x[i] = x[i - 1] + fmax(least, fmax(room, gap[i - 1]));
    }
    return x;
}

/* Between places i-1 and i the line can be broken if nothing but edges between these two passes. */
static bool *find_breaks(const rail *r)
{
    bool *can = CT_NEW_ARRAY(r->plan->arena, bool, r->count + (size_t)1);
    for (uint32_t i = 0; i < r->count; i++)
        can[i] = true;
    for (uint32_t i = 0; i < r->pair_count; i++) {
        uint32_t left, right;
        span(r, &r->pairs[i], &left, &right);
        for (uint32_t j = left + 1; j <= right && right - left > 1; j++)
            can[j] = false;
    }
    return can;
}

static void cut_bands(rail *r, const double *x)
{
    const double widest = 1250, wanted = 1100;
    double width = r->count ? x[r->count - 1] : 0, bands = ceil(width / wanted);
    if (width <= widest)
        return;
    const bool *can = find_breaks(r);
    for (uint32_t i = 1; i < r->count; i++) {
        if (can[i] && (x[i - 1] + x[i]) / 2 * bands >= r->bands * width)
            r->bands++;
        r->band[r->order[i]] = r->bands - 1;
    }
}

/* Per band: by how much it is stretched so that bands of nearly the same width end together. */
static double *stretch_bands(const rail *r, const double *x)
{
    const double most = 1.25;
    double *width = CT_NEW_ARRAY(r->plan->arena, double, r->bands), widest = 0, first = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t band = r->band[r->order[i]];
        if (i > 0 && band != r->band[r->order[i - 1]])
            first = x[i];
        width[band] = x[i] - first;
        widest = fmax(widest, width[band]);
    }
    for (uint32_t i = 0; i < r->bands; i++)
        width[i] = width[i] * most > widest ? widest / width[i] : 1;
    return width;
}

/* Each band begins below the end of the one before it and runs the other way. */
static void place_nodes(const rail *r, const double *x, double band_height, ct_layout *layout)
{
    const double *stretch = stretch_bands(r, x);
    double base = 0, first = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t v = r->order[i], band = r->band[v];
        if (i > 0 && band != r->band[r->order[i - 1]]) {
            base = layout->at[r->order[i - 1]].x;
            first = x[i];
        }
        double along = (band % 2 ? first - x[i] : x[i] - first) * stretch[band];
        layout->at[v] = (ct_xy){base + along, band * band_height};
    }
}

/* ---- curves -------------------------------------------------------------------------------- */

typedef struct arch {
    uint32_t left, right, twins;
    uint32_t level; /* 1: lowest */
    double foot;    /* height of what is below it */
} arch;

static int by_span(const void *a, const void *b)
{
    const arch *p = a, *q = b;
    uint32_t wide_p = p->right - p->left, wide_q = q->right - q->left;
    if (wide_p != wide_q)
        return wide_p < wide_q ? -1 : 1;
    return p->left < q->left ? -1 : p->left > q->left;
}

static const double arch_rise = 38, rail_overhang = 26;

static double arch_top(const arch *a)
{
    bool arc = a->right - a->left > 1;
    return arc ? a->foot + a->twins * arch_rise : (a->twins - 1) * twin_rise / 2;
}

/* Narrow arches first; each stands on the highest one it spans. */
static arch *stack_arches(const rail *r)
{
    arch *arches = CT_NEW_ARRAY(r->plan->arena, arch, r->pair_count + (size_t)1);
    for (uint32_t i = 0; i < r->pair_count; i++) {
        span(r, &r->pairs[i], &arches[i].left, &arches[i].right);
        arches[i].twins = r->pairs[i].twins;
    }
    if (r->pair_count)
        qsort(arches, r->pair_count, sizeof *arches, by_span);
    for (uint32_t i = 0; i < r->pair_count; i++) {
        arch *a = &arches[i];
        a->level = a->right - a->left > 1;
        for (uint32_t j = 0; j < i; j++) {
            const arch *b = &arches[j];
            if (b->left < a->left || b->right > a->right)
                continue;
            a->foot = arch_top(b) > a->foot ? arch_top(b) : a->foot;
            a->level = b->level + 1 > a->level ? b->level + 1 : a->level;
        }
    }
    return arches;
}

/* Steeper the higher it is, so that arches from one node part at once. */
static ct_curve arch_curve(ct_xy a, ct_xy b, double height, uint32_t level)
{
    double inset = (b.x - a.x) * 0.28 / (level ? level : 1);
    return (ct_curve){
        {a, {a.x + inset, a.y - height * 4 / 3}, {b.x - inset, b.y - height * 4 / 3}, b}};
}

static const arch *find_arch(const rail *r, const arch *arches, uint32_t left, uint32_t right)
{
    for (uint32_t i = 0; i < r->pair_count; i++)
        if (arches[i].left == left && arches[i].right == right)
            return &arches[i];
    return NULL;
}

/* From the end of a band around the end of its rail to the next band. */
static ct_curve draw_around(const rail *r, uint32_t e, ct_xy from, ct_xy to, uint32_t band)
{
    double bulge = rail_overhang + 24 + r->plan->rank[e] * (r->plan->edge_width[e] + 18);
    double x = from.x + (band % 2 ? -bulge : bulge) * 4 / 3, y = (to.y - from.y) / 8;
    return (ct_curve){{from, {x, from.y + y}, {x, to.y - y}, to}};
}

static ct_curve draw_beside(const rail *r, const arch *arches, uint32_t e, ct_layout *layout)
{
    const ct_plan *plan = r->plan;
    uint32_t a = plan->tail[e], b = plan->head[e];
    bool turned = r->place[a] > r->place[b];
    uint32_t left = turned ? b : a, right = turned ? a : b;
    ct_xy from = layout->at[left], to = layout->at[right];
    ct_curve curve;
    if (r->band[left] != r->band[right]) {
        curve = draw_around(r, e, from, to, r->band[left]);
    } else if (r->place[right] - r->place[left] == 1) {
        double bulge = ((plan->twins[e] - 1) / 2.0 - plan->rank[e]) * twin_rise;
        curve = ct_curve_arc(from, to, bulge);
    } else {
        const arch *over = find_arch(r, arches, r->place[left], r->place[right]);
        double height = over->foot + (plan->rank[e] + 1) * arch_rise;
        curve = arch_curve(from, to, height, over->level + plan->rank[e]);
        layout->arc_count++;
    }
    return turned ? ct_curve_turned(curve) : curve;
}

static double highest_arch(const rail *r, const arch *arches)
{
    double top = 0;
    for (uint32_t i = 0; i < r->pair_count; i++)
        top = fmax(top, arch_top(&arches[i]));
    return top;
}

/* Low enough for the fans between neighbours that hang down. */
static double rail_depth(const rail *r)
{
    double depth = 120;
    for (uint32_t i = 0; i < r->pair_count; i++)
        depth = fmax(depth, (r->pairs[i].twins - 1) * twin_rise / 2 + 70);
    return r->count ? depth : 0;
}

static ct_curve draw_drop(const ct_plan *plan, uint32_t e, double step, ct_xy from, double y)
{
    double bulge = (plan->rank[e] - (plan->twins[e] - 1) / 2.0) * step;
    ct_curve curve = ct_curve_arc(from, (ct_xy){from.x, y}, bulge);
    return plan->tail[e] == plan->datum ? ct_curve_turned(curve) : curve;
}

void ct_layout_add_rails(const ct_plan *plan, ct_layout *layout, ct_rail *bars, uint32_t count,
                         const uint32_t *band)
{
    const column *c = measure_drops(plan);
    for (uint32_t i = 0; i < count; i++) {
        bars[i].left = INFINITY;
        bars[i].right = -INFINITY;
    }
    for (uint32_t e = 0; e < plan->edge_count; e++) {
        uint32_t v = other_end(plan, e, plan->datum);
        if (v == plan->datum || !is_drop(plan, e))
            continue;
        ct_rail *to = &bars[band ? band[v] : 0];
        to->left = fmin(to->left, layout->at[v].x - rail_overhang);
        to->right = fmax(to->right, layout->at[v].x + rail_overhang);
        layout->curve[e] = draw_drop(plan, e, c[v].step, layout->at[v], to->y);
    }
    if (bars[0].left > bars[0].right) /* the datum must be somewhere */
        bars[0] = (ct_rail){-rail_overhang, rail_overhang, bars[0].y};
    layout->rail = bars;
    layout->rail_count = count;
    layout->at[plan->datum] = (ct_xy){(bars[0].left + bars[0].right) / 2, bars[0].y};
}

static void add_rails(const rail *r, double band_height, ct_layout *layout)
{
    ct_rail *rails = CT_NEW_ARRAY(r->plan->arena, ct_rail, r->bands);
    for (uint32_t i = 0; i < r->bands; i++)
        rails[i].y = i * band_height + rail_depth(r);
    ct_layout_add_rails(r->plan, layout, rails, r->bands, r->band);
}

ct_layout ct_layout_rail(const ct_plan *plan)
{
    const double between_bands = 70;
    ct_layout layout = ct_layout_new(plan);
    rail r = rail_new(plan);
    find_order(&r);
    const double *x = line_up(&r);
    cut_bands(&r, x);
    const arch *arches = stack_arches(&r);
    double band_height = rail_depth(&r) + highest_arch(&r, arches) + between_bands;
    place_nodes(&r, x, band_height, &layout);
    if (plan->datum != CT_NO_NODE)
        add_rails(&r, band_height, &layout);
    for (uint32_t e = 0; e < plan->edge_count; e++)
        if (plan->tail[e] == plan->head[e])
            layout.curve[e] = ct_curve_loop(layout.at[plan->tail[e]], plan->rank[e]);
        else if (!is_drop(plan, e))
            layout.curve[e] = draw_beside(&r, arches, e, &layout);
    return layout;
}

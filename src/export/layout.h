/* layout.h - where the parts of a drawn graph go.
 *
 * A plan says what is to be drawn for one domain; a layout says where. Coordinates are pixels, y
 * grows downwards. Only +, -, *, / and sqrt are used, all correctly rounded by IEEE arithmetic, so
 * that a picture is the same byte for byte on every machine.
 */
#ifndef CT_EXPORT_LAYOUT_H
#define CT_EXPORT_LAYOUT_H

#include "graph/graph.h"

enum {
    CT_NO_NODE = INT32_MAX, /* no datum in this domain */
    CT_CURVE_PIECES = 12,   /* straight pieces that stand for a curve in tests */
    CT_NAMED_NODES = 60,    /* above: a grid without labels */
    CT_NAMED_EDGES = 250,
};

#define CT_FONT_SIZE   13.0
#define CT_NODE_RADIUS 4.5

typedef struct ct_xy {
    double x, y;
} ct_xy;

typedef struct ct_box {
    double left, top, right, bottom;
} ct_box;

/* A cubic Bezier curve from tail to head. */
typedef struct ct_curve {
    ct_xy p[4];
} ct_curve;

/* -1: the text begins at the point, 0: it is centred there, +1: it ends there. */
typedef struct ct_label {
    ct_xy at; /* x as the anchor says, y of the middle of the line */
    int anchor;
    ct_box box; /* estimated */
} ct_label;

/* A horizontal bar that stands for the datum. Nothing is joined to it when right < left. */
typedef struct ct_rail {
    double left, right, y;
} ct_rail;

typedef struct ct_plan {
    ct_arena *arena;
    uint32_t node_count, edge_count;
    uint32_t datum;                    /* local index or CT_NO_NODE */
    uint32_t datum_edges;              /* edges at the datum */
    const uint32_t *node, *edge;       /* indices in the graph */
    const uint32_t *tail, *head;       /* per edge: local nodes */
    const uint32_t *twins;             /* per edge: how many edges have the same two ends */
    const uint32_t *rank;              /* per edge: its place among these */
    const uint32_t *near_start, *near; /* neighbours of node v: near[near_start[v]] .. */
    const char *const *node_text, *const *edge_text; /* shortened when very long */
    const double *node_width, *edge_width;           /* of these texts */
} ct_plan;

typedef struct ct_layout {
    ct_xy *at;       /* per node; with rails the datum is the middle of the first one */
    ct_curve *curve; /* per edge */
    ct_label *node_label, *edge_label; /* NULL: no labels */
    const ct_rail *rail;               /* the datum as bars; NULL: it is a point */
    uint32_t rail_count;
    bool stubs;       /* edges at the datum end in ground symbols of their own */
    double arc_count; /* edges drawn as arcs though they have no twin: less pretty */
    double badness;
    ct_box extent;
} ct_layout;

/* ---- layout.c ------------------------------------------------------------------------------ */

ct_plan ct_plan_domain(const ct_graph *graph, uint32_t domain, ct_arena *arena);
ct_layout ct_layout_domain(const ct_plan *plan);
ct_layout ct_layout_new(const ct_plan *plan);

/* Width of a text in a wide sans-serif face of CT_FONT_SIZE. */
double ct_text_pixels(const char *text);

ct_xy ct_curve_at(const ct_curve *curve, double t);
ct_xy ct_curve_direction(const ct_curve *curve, double t); /* of length 1 */
ct_curve ct_curve_line(ct_xy from, ct_xy to);
/* Bulges by `bulge` to the left of somebody who looks from `from` to `to`. */
ct_curve ct_curve_arc(ct_xy from, ct_xy to, double bulge);
ct_curve ct_curve_loop(ct_xy at, uint32_t rank);
ct_curve ct_curve_turned(ct_curve curve);

/* Breadth first from `start` through nodes with depth UINT32_MAX, never into `skip`. Fills depth
 * and queue[0..result-1]; `start` gets the depth `first`. */
uint32_t ct_plan_walk(const ct_plan *plan, uint32_t start, uint32_t first, uint32_t skip,
                      uint32_t *depth, uint32_t *queue);

/* ---- the placements ------------------------------------------------------------------------ */

ct_layout ct_layout_rail(const ct_plan *plan); /* layout_rail.c */

/* Makes rails of the datum, with a drop for each edge at it. The rails know their y; node v belongs
 * to rail[band[v]], to the only one when band is NULL. */
void ct_layout_add_rails(const ct_plan *plan, ct_layout *layout, ct_rail *rail, uint32_t count,
                         const uint32_t *band);

/* layout_stress.c; bit 0 of `start` says where the search begins, bit 1 asks for a rail */
ct_layout ct_layout_stress(const ct_plan *plan, int start);
ct_layout ct_layout_grid(const ct_plan *plan); /* layout_grid.c */

/* How many nodes the curve of an edge runs over that are not its ends. */
uint32_t ct_layout_hits(const ct_plan *plan, const ct_layout *layout, uint32_t edge);

/* ---- layout_label.c ------------------------------------------------------------------------ */

/* Finds places for all labels and adds to the badness what could not be kept apart. */
void ct_layout_place_labels(const ct_plan *plan, ct_layout *layout);

void ct_box_add(ct_box *box, ct_xy p, double margin);

#endif

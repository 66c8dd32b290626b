/* graph.h - linear graphs, their trees, and what topology says.
 *
 * One ct_graph holds the graphs of all domains side by side: a node belongs to a domain, an edge
 * joins two nodes of one domain. Two-ports tie edges of the same or of different domains together
 * (couplings), so trees are chosen for all domains at once.
 */
#ifndef CT_GRAPH_GRAPH_H
#define CT_GRAPH_GRAPH_H

#include "base/context.h"
#include "base/text.h"
#include "model/mechanism.h"

/* Place of an edge in the order of tree selection [Diaz, eq. 14]: lower enters the tree first. */
typedef enum ct_tree_class {
    CT_ACROSS_DRIVER = 1, /* voltage source, velocity driver */
    CT_ACCUMULATOR,       /* capacitor, mass: stores through its across variable */
    CT_DISSIPATOR,
    CT_DELAY, /* inductor, spring: stores through its through variable */
    CT_THROUGH_DRIVER,
} ct_tree_class;

const char *ct_tree_class_text(ct_tree_class c); /* "across driver", ... */

typedef struct ct_graph_node {
    ct_name name;    /* as written: the datum may be called g */
    uint32_t domain; /* index into ct_graph.domain */
    bool datum;
    bool named;     /* declared with `node`: may dangle without a warning */
    ct_place place; /* first mention */
} ct_graph_node;

/* What an edge belongs to; `owner` counts things of that kind. */
typedef enum ct_edge_kind {
    CT_EDGE_COMPONENT, /* of the scalar domains */
    CT_EDGE_BODY,
    CT_EDGE_ARM,           /* body-fixed vector from the mass centre to a point; owner: frame */
    CT_EDGE_GROUND_VECTOR, /* from the origin to a point of the ground; owner: frame */
    CT_EDGE_JOINT,
    CT_EDGE_LOAD,
    CT_EDGE_LINE,
} ct_edge_kind;

typedef struct ct_graph_edge {
    ct_name name; /* R2, or M1.e when the component has several edges */
    uint32_t tail, head;
    uint32_t coupling; /* index into ct_graph.coupling plus 1; 0: none */
    uint32_t owner;    /* component, body, frame, joint, load or line, by kind */
    ct_place place;
    uint8_t kind;        /* ct_edge_kind */
    uint8_t class;       /* ct_tree_class of a component's edge; else 0 */
    bool controlled : 1; /* a driver whose value depends on other edges: no ground to refuse a
                            model */
    bool joined : 1;     /* from a node to itself, and rightly so: terminals that the user joined */
} ct_graph_edge;

/* Edges whose terminal equations do not fix their class one by one. In the tree such an edge acts
 * as an across driver, in the cotree as a through driver. */
typedef enum ct_coupling_kind {
    CT_EXACTLY_ONE, /* transformer, gear, lever, ideal motor: one edge is a branch, the others
                       chords */
    CT_ALL_OR_NONE, /* gyrator */
} ct_coupling_kind;

typedef struct ct_coupling {
    ct_coupling_kind kind;
    uint32_t first, count; /* stretch of ct_graph.coupled, which holds edge indices */
    ct_name name;          /* of the component */
    ct_place place;
} ct_coupling;

typedef struct ct_graph_domain {
    ct_name name;                /* electrical, ... */
    uint32_t datum;              /* node, UINT32_MAX: none */
    bool across_head_minus_tail; /* mechanical domains */
} ct_graph_domain;

typedef struct ct_bodies ct_bodies; /* bodies.h */

struct ct_graph {
    ct_context *ctx;
    ct_arena *arena;
    const ct_model *model; /* NULL: made by hand, for a test */
    const ct_graph_domain *domain;
    const ct_graph_node *node; /* within each domain in order of first mention */
    const ct_graph_edge *edge; /* in order of statement; those of bodies and joints last */
    const ct_coupling *coupling;
    const uint32_t *coupled;
    const ct_bodies *bodies; /* NULL: no mechanism */
    const uint32_t *node_of; /* by node of the model */
    uint32_t domain_count, node_count, edge_count, coupling_count;
    uint32_t scalar_node_count, scalar_edge_count; /* the first ones, without bodies and joints */
};

/* Reports what no choice of tree can mend: an edge from a node to itself (E312), a part without
 * datum (island, E313; a domain in which no edge at all touches ground: E314), a cutset of through
 * drivers (E311) and a circuit of across drivers (E310), each with names as witness; and dangling
 * nodes as a warning (W320). True: no error. */
bool ct_graph_check(const ct_graph *graph);

/* "accumulator", "coupled", "arm" */
const char *ct_edge_class_text(const ct_graph *graph, uint32_t edge);

/* ---- tree (tree.c) ------------------------------------------------------------------------- */

typedef struct ct_tree_wish {
    uint32_t edge;
    ct_place place; /* for messages */
} ct_tree_wish;

typedef struct ct_tree_def {
    const ct_tree_wish *wish; /* wanted as branches, most wanted first */
    uint32_t wish_count;
    bool complete;              /* add branches until the tree spans; default true */
    ct_coordinates coordinates; /* of bodies and joints: in which order branches are taken */
} ct_tree_def;

struct ct_tree {
    const ct_graph *graph;
    const uint32_t *branch, *chord; /* edge indices, each list in order of statement */
    uint32_t branch_count, chord_count;
    uint32_t scalar_branch_count, scalar_chord_count; /* the first ones */
    const bool *is_branch;                            /* per edge */
    const uint32_t *row;          /* per edge: its place in branch or in chord */
    const char *const *reason;    /* per edge: why it is where it is */
    const uint32_t *parent;       /* per node: edge towards the datum; UINT32_MAX at a datum */
    const uint32_t *depth;        /* per node */
    const bool *wanted;           /* per edge: asked for */
    const uint32_t *lead;         /* per body: whose branch its rigid group has; NULL: no bodies */
    bool kinematic;               /* only motions are sought: masses do not matter */
    const struct ct_tree *origin; /* of a model in a mode: that of the model, which decides what
                                     does not depend on modes; else NULL */
};

/* The normal tree: user's wishes first, then class order [Diaz, eq. 14], couplings respected where
 * that is possible; where it is not, as few as possible are violated and each is a warning (W321).
 * def NULL: no wishes, completed. NULL after reporting: wishes that close a circuit (E315), tree
 * that does not reach all nodes (E316, only when not completed), drivers that clash (E310, E311).
 */
const ct_tree *ct_tree_select(const ct_graph *graph, const ct_tree_def *def);

/* ---- topology (topology.c) ------------------------------------------------------------------- */

/* Sparse [A_c], stored by chord: entries entry_start[k] .. entry_start[k+1]-1 belong to chord k.
 * Row r is the branch tree->branch[r]. [B_b] = -[A_c]^T [McPhee-2, eq. 13]. */
typedef struct ct_topology {
    const ct_tree *tree;
    const uint64_t *entry_start;
    const uint32_t *row;
    const int8_t *sign;
} ct_topology;

/* Of the first chords (all, or those of the scalar domains). NULL when it would need more than
 * max_entries entries; *entries tells how many in any case. */
const ct_topology *ct_topology_new(const ct_tree *tree, uint32_t chords, uint64_t max_entries,
                                   uint64_t *entries);

/* ---- how many trees there are (spanning_trees.c) */

/* Number of spanning forests as decimal text by the matrix-tree theorem; NULL when a domain has
 * more than max_nodes nodes. One domain at a time. */
const char *ct_spanning_trees(const ct_graph *graph, uint32_t domain, uint32_t max_nodes);

#endif

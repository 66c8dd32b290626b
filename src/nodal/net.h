/* net.h - inside the folder: a linear network in numbers.
 *
 *     E z' + A z + Ex u' + Ax u = 0
 *
 * z: potentials of nodes, and through variables and own unknowns that stand by themselves. u: the
 * number 1, then functions of time. Nodes that independent across drivers tie together share a
 * potential up to known offsets, so that drivers cost no unknowns and networks of positive R, L, C
 * give symmetric matrices: the sign of a row is chosen that way.
 */
#ifndef CT_NODAL_NET_H
#define CT_NODAL_NET_H

#include "base/hash.h"
#include "base/vec.h"
#include "compile/program.h"
#include "model/split.h"
#include "graph/graph.h"
#include "nodal/nodal.h"
#include "simulate/waves.h"
#include "solve/pencil.h"

typedef CT_VEC(ct_expr) expr_list;
typedef CT_VEC(ct_name) name_list;

/* How a component takes part. The first four have one edge and one equation. */
typedef enum port_kind {
    PORT_ADMITTANCE, /* through = g across + c across' + source */
    PORT_DRIVER,     /* across = source */
    PORT_STORE,      /* across + r through + l through' + source = 0 */
    PORT_SPRING,     /* through = k position + source: a store, differentiated */
    PORT_MANY,       /* equations as they are */
    PORT_LAW,        /* not linear (law.h) */
} port_kind;

enum { CT_LATELY = 4 };

/* An element with the same parameters given: the others have their defaults. */
typedef struct variant {
    const ct_element *element;
    const ct_split *split;
    uint64_t given;        /* slots */
    uint64_t in_factor;    /* slots that factors read */
    const ct_name *symbol; /* of the given slots, in order */
    uint32_t *slot, symbol_count;
    double *value;             /* room for those of one component */
    ct_expr *rest;             /* per equation */
    bool timed;                /* a rest reads t by itself */
    const ct_program *program; /* symbols -> factors of all equations in order, then rests */
    double *work;
    uint32_t factor_count;
    struct law *law;      /* it is not linear: its laws */
    struct variant *next; /* of the same element */
    uint32_t last;        /* numbers of the last component, made from these: */
    const ct_expr *last_given;
    /* numbers that were made lately, and the values of given slots, in turn */
    uint32_t lately[CT_LATELY], lately_count;
    double *lately_value;
} variant;

/* Numbers that components with the same parameters share. */
typedef struct numbers {
    const variant *v;
    port_kind kind;
    double g, c;            /* admittance; r, l of a store and spring */
    double k;               /* of a spring */
    double source;          /* constant part of the source */
    const double *factor;   /* of PORT_MANY: of all equations */
    const double *constant; /* per equation */
    const uint32_t *wave;   /* per equation: index of u, 0: none; it counts by `by` */
    double by;              /* of one edge: factor of the wave */
    const struct law *law;  /* of PORT_LAW: factor holds its parameters, wave its moving ones */
} numbers;

typedef enum state_kind { STATE_ACROSS, STATE_COLUMN, STATE_SPRING, STATE_PLACE } state_kind;

/* What is differentiated: begins at zero unless the model says otherwise. */
typedef struct net_state {
    state_kind kind;
    uint32_t component, edge; /* edge of the element; own unknown: edge_count + its index */
    uint32_t column;          /* of all but STATE_ACROSS */
} net_state;

/* A known part of a node's potential: by * u[wave]; lists share their ends. */
typedef struct offset {
    uint32_t wave, next; /* next plus 1; 0: end */
    double by;
} offset;

/* Sparse columns. */
typedef struct columns {
    uint32_t count;
    int *start, *row;
    double *e, *a;
} columns;

typedef struct entry {
    uint32_t row, column;
    double e, a;
} entry;

typedef struct net {
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_arena *arena, *scratch;
    ct_pool *pool;
    ct_name time;
    const double *value; /* of the model's quantities */
    ct_lawful lawful;    /* components that may be nonlinear */
    bool apart;          /* inputs of the model stay symbols in u, and storage need not be free */
    uint32_t law_count;  /* of these */
    /* plan.c */
    CT_VEC(numbers) set;
    uint32_t *set_of;           /* per component: index into set */
    uint32_t *first_edge;       /* per component, and one more */
    expr_list wave;             /* u[1 + i] */
    ct_map wave_of;             /* expression -> index of u */
    ct_map known;               /* expression -> index of its value, plus 1 */
    CT_VEC(double) known_value; /* NaN: it has none, or moves */
    /* unknowns.c */
    uint32_t n;
    int32_t *column;     /* per graph node; -1: none */
    uint32_t *offset_of; /* per graph node: first offset plus 1 */
    uint32_t *driver;    /* per graph node: edge towards the root of its group, or UINT32_MAX */
    CT_VEC(offset) offsets;
    uint32_t *through; /* per edge: column plus 1; 0: none of its own */
    uint32_t *place;   /* per graph node: column of its position plus 1; 0: none */
    uint32_t *own;     /* per component: column of its first own unknown */
    CT_VEC(net_state) state;
    uint32_t *rate;         /* per edge: its across state plus 1; 0: none */
    uint32_t *column_state; /* per column: its state plus 1 */
    bool definite;          /* positive g, c, r, l throughout */
    bool *kept;             /* per edge: its through variable has a column since rows read it */
    bool dependent;         /* storage that is no state */
    bool tied_springs;      /* which close circuits: how far they are stretched is not free */
    /* assemble.c */
    columns z, u;
    ct_pencil *pencil, *rest; /* rest: by KLU, where L D L^T fails for s = 0 */
    ct_waves *waves;          /* NULL: no functions of time */
    /* consistent.c */
    ct_pencil *augmented;
    ct_factor *augmented_factor;
    double *augmented_scale; /* of its columns */
    columns held;            /* u of the augmented network, then the states */
    double *right;           /* its right-hand side */
    /* start.c: at rest */
    ct_factor *steady;
    bool determined; /* A is regular */
    double *steady_u, *steady_r;
    struct laws *laws; /* of a nonlinear network (law.h) */
} net;

/* Numbers of all components (plan.c). False: not for this path. */
bool ct_net_plan(net *n);
/* Expression over t and parameters alone; 0: it reads variables. */
ct_expr ct_net_timed(net *n, ct_expr e);
ct_expr ct_net_driven(net *n, ct_expr e); /* the same, inputs replaced whatever stays apart */
bool ct_net_number(net *n, ct_expr e, double *value); /* false: it has none */

/* Defaults of parameters that are not given, put in. */
void ct_net_with_defaults(net *n, const variant *v, ct_expr *e, uint32_t count);
uint32_t ct_net_wave(net *n, ct_expr e); /* index of u */

/* Columns of potentials and other unknowns, states (unknowns.c). */
bool ct_net_number_unknowns(net *n);
/* Has the node a position that is known: its own unknown, or zero? */
bool ct_net_has_place(const net *n, uint32_t node);

/* E, A, Ex, Ax (assemble.c). augmented: rates of states are unknowns of their own, behind z, and
 * rows behind say what the states are: only A counts, u ends with one entry for each state. */
void ct_net_assemble(net *n, bool augmented, columns *z, columns *u);

/* across of an edge = sign * (potential of tail - of head). */
int ct_net_sign(const net *n, uint32_t edge);

/* ---- consistent values (consistent.c) */
/* x: values of the states; u: of the waves with the 1 in front. z and rates follow. False: they do
 * not, or the states are not free. */
bool ct_net_is_regular(net *n); /* states are free, and determine everything */
bool ct_net_consistent(net *n, const double *x, const double *u, double *z, double *rate);
void ct_net_release(net *n); /* memory of KLU */
/* y += by * M x for sparse columns. */
void ct_columns_times(const columns *c, const double *m, double by, const double *x, double *y);

/* ---- variables of the model by z, u and rates of states (forms.c) */

typedef enum form_kind { FORM_Z, FORM_U, FORM_RATE } form_kind;

typedef struct form_term {
    form_kind kind;
    uint32_t index; /* RATE: state */
    double by;
} form_term;

typedef struct form {
    CT_VEC(form_term) term;
} form;

/* The edge whose through variable a symbol is, UINT32_MAX: it is none. */
uint32_t ct_net_through_of(const net *n, ct_name symbol);
bool ct_net_form(net *n, ct_name symbol, form *out); /* false: no form */
void ct_net_across_form(net *n, uint32_t edge, double by, form *out);
/* The state of that name, UINT32_MAX: none. */
uint32_t ct_net_state(const net *n, ct_name symbol);
void ct_net_states(const net *n, const double *z, const double *u, double *x); /* all values */
double ct_net_potential(const net *n, uint32_t node, const double *z, const double *u);
const char *ct_net_state_name(const net *n, uint32_t state);
/* Of a state as the network has it (a spring: its through variable), as the model has it. */
double ct_net_shown(const net *n, uint32_t state, double x);
double ct_net_kept(const net *n, uint32_t state, double shown);
double ct_form_value(const form *f, const double *z, const double *u, const double *rate);

/* ---- columns of rows (outputs.c) */

typedef struct outputs {
    name_list symbol; /* variables that columns read, then t */
    form *form;       /* of each variable */
    const ct_program *program;
    double *work, *variable;
    uint32_t output_count, column_count;
    bool *plain; /* per column: a stored entry of z, or nothing */
    bool has_rates;
} outputs;

bool ct_net_outputs(net *n, outputs *out); /* false: not for this path */
void ct_outputs_at(const outputs *o, double t, const double *z, const double *u, const double *rate,
                   double *column);

/* Of nonlinear networks: through variables that rows read get columns (before columns are
 * numbered).
 */
bool ct_net_keep_read(net *n);

/* ---- a point (point.c) */

/* That at z, u. */
ct_point *ct_net_point(net *n, const outputs *o, double t, const double *z, const double *u,
                       ct_arena *arena);

/* ---- start (start.c) */

/* All of the above: NULL, not for this path, for a reason. */
net *ct_net_new(const ct_tree *tree, const double *value, ct_lawful lawful, ct_arena *arena,
                const char **why_not);
net *ct_net_apart(const ct_tree *tree, const double *value, ct_lawful lawful, ct_arena *arena,
                  const char **why_not);
/* u at time t, the 1 in front. */
void ct_net_u(const net *n, double t, double *u);
/* Values of the states at the start, as the network has them. */
bool ct_net_starts(net *n, double t, double *x);
/* Nothing changes any more: z at time t. */
bool ct_net_steady(net *n, double t, double *z);

#endif

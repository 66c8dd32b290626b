/* law.h - inside the folder: elements that are not linear, each derived and compiled once.
 *
 *     F(x, r; p) = 0, or through = F(x, r; p)
 *
 * x: across variables of the edges, through variables and own unknowns, parameters that are
 * functions of time; r: rates of some x; p: parameters. One program gives F and its derivatives for
 * CT_LANES components at once.
 */
#ifndef CT_NODAL_LAW_H
#define CT_NODAL_LAW_H

#include "compile/lanes.h"
#include "nodal/net.h"
#include "solve/linear.h"
#include "solve/part.h"

typedef enum input_kind { INPUT_ACROSS, INPUT_THROUGH, INPUT_OWN, INPUT_WAVE } input_kind;

typedef struct law_input {
    input_kind kind;
    uint32_t index; /* edge, own unknown; INPUT_WAVE: symbol of the variant */
    uint32_t rate;  /* index of its rate plus 1; 0: none is read */
} law_input;

typedef struct law_entry {
    uint32_t row, input;  /* of F, by x */
    uint32_t by, by_rate; /* places of derivatives by the input, by its rate; 0: none */
} law_entry;

/* An argument of exp() that follows one input alone: argument = slope x + offset. */
typedef struct law_limit {
    uint32_t input;
} law_limit;

typedef struct law {
    const variant *v;
    uint64_t moving;  /* slots of parameters that are functions of time */
    bool is_explicit; /* row k < edge_count is the through variable of edge k */
    bool straight;    /* without the exponentials of its limits it is linear */
    uint32_t input_count, rate_count, row_count, entry_count, limit_count, output_count;
    law_input *input;
    uint32_t *rated; /* inputs */
    law_entry *entry;
    law_limit *limit;
    const ct_program *program;            /* p; x, r -> F, then derivatives by entries */
    const ct_program *limits;             /* p -> slope, offset of each limit */
    uint32_t *parameter, parameter_count; /* symbols of the variant */
    struct law *next;                     /* of the same variant */
} law;

/* NULL: it cannot be made. */
const law *ct_law_of(net *n, variant *v, uint64_t moving);

/* ---- all components with laws (laws.c)
 *
 *     R(z, q') = A z + Ax u + sum of F = 0,   q' = alpha (q - base)
 *
 * Charges q: the n rows E z + Ex u of what is linear, then those x whose rates laws read. Values of
 * x are differences of two places: z itself, what drivers add to it, functions of time, and zero.
 */

/* Sums of one block of lanes: of source `from` (an output, times CT_LANES plus the lane) into `to`.
 * start[2 b] is the first that is added in block b, start[2 b + 1] the first that is subtracted. */
typedef struct law_item {
    uint32_t to, from;
} law_item;

typedef struct law_list {
    uint32_t *start;
    law_item *item;
} law_list;

/* Components of one law, arrays by field: entry i of field k stands at [k * room + i]. */
typedef struct law_group {
    const law *l;
    uint32_t count, room; /* a multiple of CT_LANES */
    uint32_t *component;
    double *parameter;
    uint32_t *plus, *minus;         /* places of inputs */
    uint32_t *row_plus, *row_minus; /* F goes there with both signs; n: nowhere */
    uint32_t *slot;                 /* of entries: four each, among the values of the matrix; while
                                           the lists are made */
    law_list value, row;            /* where derivatives and F go */
    double *at; /* inputs where the law was evaluated last, block by block as in lanes */
    double *slope, *offset, *critical; /* of limits */
    uint32_t charge;                   /* its first charge */
    double *work;
    const double *prepared; /* parameters for which that is */
    bool alike;             /* those of all blocks are the same */
    double *kept;           /* results of the last evaluation, block by block: no rates */
    uint8_t *state;         /* per block: ct_block_state */
    uint32_t first_block;   /* among those of all groups */
    const uint32_t *busy;   /* blocks that take part */
    uint32_t busy_count;
    double *space; /* of one block */
} law_group;

/* An entry of E that is not zero; place: among the values of the matrix. */
typedef struct law_held {
    uint32_t row, column, place;
    double e;
} law_held;

/* A potential that is z plus what drivers add, or a function of time. */
typedef struct law_place {
    int32_t column; /* -1: none */
    uint32_t offset;
    uint32_t wave; /* 0: none */
    uint32_t kind; /* of a node: its domain plus 1; 0: none */
} law_place;

/* What takes part in steps (laws_part.c). */
typedef struct laws_part {
    ct_active_part of;
    ct_index_ranges near; /* columns that rows read which are counted or solved for */
    uint32_t *block;      /* that add to these, of all groups in order */
    uint8_t *level, *was, *seen;
    bool all, unfit; /* unfit: pivots do not allow parts */
    CT_VEC(ct_index_range) solved_list, charge_list, border_list, near_list;
    /* from the first look on: rows of the matrix, blocks that add to a row, rows that functions of
     * time move at any time */
    uint32_t *row_start, *row_entry, *touch_start, *touch;
    double *e; /* per entry of the matrix */
    bool *driven, *busy;
    CT_VEC(uint32_t) changed, awake;
    uint32_t age, woken, block_count, rings;
} laws_part;

typedef struct laws {
    net *n;
    CT_VEC(law_group) group;
    CT_VEC(law_place) place; /* behind those of z; the last one is zero */
    ct_map place_of_node;    /* node -> place plus 1 */
    uint32_t size, charge_count, count;
    int *start, *row; /* of the matrix */
    law_held *held;   /* E of the linear part, by columns */
    uint32_t held_count, *held_start;
    double *a;              /* its A */
    double alpha;           /* of the values of the matrix */
    double *x, *shift;      /* values of places; what is added to z there */
    double *settled;        /* the same when blocks were settled */
    bool *moved, any_moved; /* it has changed since then; since the last look */
    double *steady, *fixed; /* A and the constant part of rows, with tangents of blocks that rest */
    /* What lasts longer than an iteration, in columns near what takes part: alpha E + A; rows for z
     * of the reference without what functions of time add, then with all that a stage adds. */
    uint32_t *column;                       /* of each entry */
    double *sum, *there, *still, *far;      /* far: z from the reference on */
    double sum_alpha;                       /* NAN: not known */
    bool there_known, still_known, shifted; /* shifted: shift is that of u */
    uint32_t age;                           /* steps; each CT_LAWS_SETTLE blocks are looked at */
    uint8_t *state;                         /* of all blocks */
    uint32_t settled_count;                 /* of these */
    uint32_t *near_start, *near; /* per place: blocks that read it; NULL: not known yet */
    double *left;   /* per place: its value when blocks were settled; NAN: it has moved */
    double *u, *du; /* and from the reference on */
    double *z0, *u0, *stored0, *refer; /* the reference; of charges of laws */
    double slack, least_slack;  /* inputs that move less may be followed by tangents; 0: none */
    double shunt, share;        /* conductance at each potential, part of the sources: for starts */
    double *rest_r, *rest_kept; /* of rest.c */
    ct_linear *linear;
    laws_part part;
} laws;

laws *ct_laws_new(net *n);
void ct_laws_inputs(laws *w, double t);        /* u at this time */
void ct_laws_places(laws *w, const double *z); /* what follows is at z, and the present u */
/* R, and the matrix (values of w->linear) where that is wanted. fresh: laws are evaluated there;
 * else not too far from where they were last. Returns how many are evaluated beside, with their
 * tangents. */
uint32_t ct_laws_evaluate(laws *w, double alpha, const double *base, bool fresh, bool matrix,
                          double *residual);
/* What is linear has changed, or what takes part. */
void ct_laws_forget(laws *w);
/* What R changes by where q' changes by rate, at the places as they are. */
void ct_laws_respond(laws *w, double alpha, const double *base, const double *rate,
                     double *residual);
/* Do tangents of all laws from where they were evaluated last hold? */
bool ct_laws_hold(const laws *w);
/* Are exponentials that are not negligible near to where they were then? */
bool ct_laws_close(const laws *w);
void ct_laws_charges(laws *w, double *q);
/* Charges count from here on. */
void ct_laws_refer(laws *w);
/* Charges where states have these values. */
void ct_laws_stored(laws *w, const double *state, double *q);
bool ct_laws_store(const laws *w); /* is anything stored? */

/* ---- components block by block (laws_block.c) */

enum { CT_LAWS_SETTLE = 8 };

/* What is known of a block: results of an evaluation; that it was made since blocks were settled
 * last; its tangent is a part of the linear network; a place that it reads has moved since then. */
enum ct_block_state { BLOCK_KNOWN = 1, BLOCK_TOUCHED = 2, BLOCK_SETTLED = 4, BLOCK_AWAKE = 8 };

size_t ct_laws_space(const law *l);
/* Adds to R and the matrix what blocks of a group do that are not settled; how many are evaluated
 * beside z. */
uint32_t ct_laws_group(laws *w, law_group *g, double alpha, const double *base, bool fresh,
                       bool matrix, double *residual);
/* Adds what R changes by where rates that a group reads change. */
void ct_laws_group_respond(laws *w, law_group *g, double alpha, const double *base,
                           const double *rate, double *residual);
/* Do tangents of a group hold where places are now? */
bool ct_laws_group_holds(const laws *w, const law_group *g);
/* Have exponentials moved so little since then that Newton's method converges as it does near a
 * solution? */
bool ct_laws_group_close(const laws *w, const law_group *g);
/* R and the matrix by one block at rest, of places as they are. */
uint32_t ct_laws_block(laws *w, law_group *g, uint32_t index, bool fresh, double *residual);
/* Blocks that were not evaluated since the last time become parts of the linear network; those of
 * them that have moved are taken out again. */
void ct_laws_settle(laws *w);
void ct_laws_release(laws *w);

#define CT_LAWS_DOZE 0.25 /* of the least slack, that places may move before blocks look at it */

/* ---- who must look at what has moved (laws_wake.c) */

/* Blocks may sleep from now on, until places move that they read. */
void ct_laws_sleep(laws *w);
/* Places have moved: blocks that read them are awake. */
void ct_laws_wake(laws *w);
void ct_laws_wake_place(laws *w, uint32_t place);

/* ---- what takes part (laws_part.c): as in esdirk.h */

void ct_laws_part_new(laws *w); /* all */
bool ct_laws_part_rest(laws *w, const ct_drift *m, double *residual);
bool ct_laws_part_wake(laws *w, double alpha, const ct_drift *m, double *residual);
bool ct_laws_part_wake_all(laws *w);

/* ---- its matrix (laws_pattern.c) */

void ct_laws_pattern(laws *w);

/* ---- guesses of operating points (sweep.c) */

/* From z on, by Newton's method for a few unknowns after the other, from the sources on. Returns
 * iterations of an unknown on average. */
uint64_t ct_laws_sweep(laws *w, double *z);

/* ---- operating points (rest.c) */

/* Nothing changes any more: how that was found. */
typedef struct law_rest {
    const char *method;
    uint64_t iterations;
} law_rest;

bool ct_laws_rest(laws *w, double t, double *z, law_rest *how);
/* The same from a z nearby. */
bool ct_laws_follow(laws *w, double t, double *z, law_rest *how);

#endif

/* mechanics.h - multibody systems in the plane: equations of motion from the two graphs and trees
 * of bodies and joints [McPhee-2, section 4]; see graph/bodies.h.
 *
 * The trees fix the coordinates q, their speeds u and what is printed:
 *
 *     M q'' = Q + Phi_q^T lambda,    Phi(q, t) = 0          lambda: force of a chord on its head
 *
 * Accelerations for runs come from an elimination of its own, whose result is the same in every
 * tree: straight-line expressions, with the work of a recursive method.
 */
#ifndef CT_MECHANICS_MECHANICS_H
#define CT_MECHANICS_MECHANICS_H

#include "graph/graph.h"
#include "model/model.h"

/* What an event that sets a speed sends through it: a symbol that is added to its load. */
typedef struct ct_mechanics_push {
    const ct_motion *speed; /* of a joint, or of a frame: then against the ground */
    ct_name symbol;
} ct_mechanics_push;

typedef struct ct_mechanics_def {
    ct_context *ctx;
    ct_arena *arena;      /* of what is made */
    ct_pool *pool;        /* of the mechanism's expressions */
    ct_symbols *symbols;  /* of the model */
    const ct_tree *tree;  /* branches in the graphs of bodies and joints; it tells the mechanism */
    const ct_name *input; /* what may stand in drivers besides parameters and t; the derivative of
                             input u is the symbol `der(u)` */
    uint32_t input_count;
    /* Value of a parameter (or of an input at the start) for the test of redundancy; NaN: unknown.
     * NULL: no values are known, and the test is left out. */
    double (*value)(const void *user, ct_name symbol);
    const void *user;
    const ct_start *start; /* initial values and guesses: the test begins near them */
    uint32_t start_count;
    bool slack;                    /* for runs: drivers may jump (ct_driver_slack) */
    const ct_mechanics_push *push; /* for runs */
    uint32_t push_count;
} ct_mechanics_def;

/* What the tree's mechanism needs of its model. */
ct_mechanics_def ct_mechanics_def_of(const ct_model *model, const ct_tree *tree, ct_arena *arena);

/* ---- coordinates and constraints */

/* q' = speed, and u' = acceleration. Speeds of a quaternion's coordinates are no u: they read the
 * three components of an angular velocity, which stand as u beside the last three of them. */
typedef struct ct_coordinate {
    ct_name q;     /* symbol: `J1.beta`, `crank.theta`, `s12.s`, `slider.x` */
    ct_name u;     /* symbol: `J1.w`, `crank.w`, `s12.v`, `slider.v[1]`; 0: it is given */
    ct_expr speed; /* the symbol u, or what a speed driver gives, or of a quaternion */
    bool quaternion;
    ct_expr acceleration; /* over q, u, t, parameters, inputs, loads and ct_mechanics.unknown; 0
                             when the speed is given */
    bool angle;
    bool of_body;    /* of a body's branch; else of a joint's */
    bool of_shape;   /* of a body that bends, besides: coordinate `axis` of its shape */
    uint32_t object; /* the body or joint */
    uint32_t axis;   /* which of two components */
} ct_coordinate;

/* One projected circuit equation of a chord. */
typedef struct ct_constraint {
    ct_expr position;   /* Phi_i(q, t); 0: the speed alone is given */
    ct_expr velocity;   /* its time derivative over q, u, t: linear in u */
    ct_name multiplier; /* symbol for print: `h11.F[1]`, `s12.Fn`, `s12.T`, `rod.F`, `J1.drive` */
    uint8_t row;        /* ct_tie_row */
    uint32_t joint;
    ct_place place;
} ct_constraint;

/* What the elimination leaves where a massless part has no inertia of its own: an acceleration or a
 * reaction, found together with the others from their equations 0 = residual. */
typedef struct ct_mechanics_unknown {
    ct_name name; /* symbol: `bar.alpha`, `q1.F[1]` */
    ct_expr residual;
} ct_mechanics_unknown;

/* An inertia that the elimination divides by: it must not vanish. */
typedef struct ct_mechanics_inertia {
    ct_expr value; /* over parameters and perhaps q: with the bodies further out */
    ct_expr own;   /* of the body alone, over parameters; where it is not zero, value is not */
    uint32_t body;
} ct_mechanics_inertia;

/* A prescribed speed, to which a slack is added: where it jumps, that goes to zero in no time. */
typedef struct ct_driver_slack {
    ct_name symbol;
    uint32_t joint;
    ct_expr place, speed; /* what the driver gives; place 0: only the speed */
} ct_driver_slack;

/* A speed constraint of the user that the motion heeds: its loads stand in all else as before. */
typedef struct ct_speed_hold {
    ct_name name, lambda;
    ct_expr speed; /* over q, u, t: vanishes */
    ct_expr value; /* of lambda, over q, u, t, parameters and other loads */
    ct_place place;
} ct_speed_hold;

/* ---- the mechanism, worked out */

typedef struct ct_mechanics {
    const ct_mechanism *mechanism;
    ct_pool *pool;
    const ct_tree *tree;
    const ct_coordinate *coordinate;
    uint32_t coordinate_count;
    const ct_constraint *constraint; /* without redundant ones */
    uint32_t constraint_count;
    const ct_mechanics_unknown *unknown;
    uint32_t unknown_count;
    const ct_mechanics_inertia *inertia;
    uint32_t inertia_count;
    const ct_driver_slack *slack;
    uint32_t slack_count;
    const ct_speed_hold *hold;
    uint32_t hold_count;
    int freedom; /* degrees of freedom that drivers leave; exact where the redundancy was tested */
    bool tested; /* for redundant constraints: values were known, and the loops closed; or there
                    are none */
    bool weighted; /* bodies without mass were given one: motions are right, forces are not */
    struct mechanics *inside;
} ct_mechanics;

/* NULL after errors were reported. */
const ct_mechanics *ct_mechanics_new(const ct_mechanics_def *def);

/* As it looks from another context: for messages and values, not for expressions of its own. */
const ct_mechanics *ct_mechanics_clone(const ct_mechanics *mechanics, const ct_tree *tree,
                                       ct_arena *arena);

/* The tree with those branches of bodies and joints that give the cheapest equations (best.c); NULL
 * after errors. */
const ct_tree *ct_mechanics_best_tree(const ct_mechanics_def *def);

/* A variable of the mechanism over q, u, t, parameters; accelerations and reactions over loads and
 * unknowns too. */
ct_expr ct_mechanics_express(const ct_mechanics *m, const ct_motion *motion);

/* ---- the start
 *
 * Bodies begin where joint variables have the values given or guessed, else zero, and free bodies
 * at the origin; where that contradicts joints or given values, the change is the least in the
 * metric of kinetic energy. The same of speeds. No choice of coordinates matters. */

/* A place of a body, and its share in that metric: (weight (place - reference))^2. */
typedef struct ct_weighed {
    uint32_t body, axis; /* 0, 1: mass centre; 2: angle; 3 ..: shape; in space see start_space.c */
    double weight;
    double share; /* the square of weight; 0: it has no mass */
    double of[2]; /* reference: place, speed */
} ct_weighed;

enum { CT_KNOWN_LENGTH = 1, CT_KNOWN_ANGLE };

typedef struct ct_mechanics_start {
    double (*value)(const void *user, ct_name symbol); /* of parameters and inputs */
    const void *user;
    double t;
    uint32_t attempt; /* 0: from the reference; else from points around it, farther and farther */
    bool forgiving;   /* given values count as guesses: what joints allow that is nearest to them */
    bool backward;    /* of poses that are equally near the last is taken, not the first */
    ct_arena *arena;  /* of what is made */
    /* Made: */
    double *place, *rate; /* by coordinate; NULL: a value is missing */
    uint8_t *known;       /* by start value of the definition: CT_KNOWN_.., 0: it was not heeded */
    ct_weighed *weighed;
    uint32_t weighed_count;
    double size, mass; /* a length of the mechanism, and its mass */
    uint32_t tied;     /* of what is weighed of bodies, plus 1: another pose, as near, differs there
                          first; 0: none was found */
} ct_mechanics_start;

/* False: not found; then coordinates are near to it. Start values that are no places or speeds of
 * joints and bodies are not heeded. */
bool ct_mechanics_begin(const ct_mechanics *m, ct_mechanics_start *start);
/* Speeds of the reference once more, where places of coordinates are others by now. */
void ct_mechanics_refer_speeds(const ct_mechanics *m, ct_mechanics_start *start);
/* In shares of the metric: twice the energy of the reference; extent: its inertia about the common
 * mass centre, or 1 where all mass is at one point. */
double ct_mechanics_moving(const ct_mechanics *m, const ct_mechanics_start *start, double *extent);
/* Its place (order 0) or speed (1) over q and u. */
ct_expr ct_mechanics_weighed_value(const ct_mechanics *m, const ct_weighed *weighed, int order);

/* Rows of directions are met the wrong way round, too: by an axis that is reversed, or axes that
 * are exchanged. Expressions over q that are positive where they are not; how many. */
typedef struct ct_sense {
    ct_expr value;
    uint32_t joint;
} ct_sense;

uint32_t ct_mechanics_senses(const ct_mechanics *m, ct_arena *arena, ct_sense **sense);

/* Rows that are redundant, and left out of the motion; how many. */
uint32_t ct_mechanics_dropped(const ct_mechanics *m, ct_arena *arena, ct_constraint **row);

/* Names of the joints in the loop that a joint closes, for messages; they become witnesses. */
const char *ct_mechanics_loop(const ct_mechanics *m, uint32_t joint, ct_report *report);

/* The equations of motion of the user's trees [McPhee-2, eq. 91]:
 *
 *     M q'' = Q + Phi_q^T lambda,    Phi_q q'' = gamma
 *
 * M and Phi_q are sparse, in rows: entries start[i] .. start[i+1]-1 of row i with ascending
 * columns. Made in a pool of its own, so that nothing else decides which of two equal forms is
 * kept; symbols and their names are those of the context. Coordinates are those with u, constraints
 * all. */
typedef struct ct_sparse_rows {
    uint32_t rows, cols;
    const uint32_t *start, *col;
    const ct_expr *entry;
} ct_sparse_rows;

typedef struct ct_motion_equations {
    ct_pool *pool;
    const uint32_t *coordinate;  /* columns: which of ct_mechanics.coordinate */
    const ct_name *acceleration; /* symbols for print: `der(J1.w)` */
    uint32_t coordinate_count, constraint_count;
    ct_sparse_rows mass; /* both triangles */
    ct_sparse_rows jacobian;
    const ct_expr *force, *gamma, *position; /* Q, gamma, Phi (0: given speed) */
} ct_motion_equations;

const ct_motion_equations *ct_mechanics_equations(const ct_mechanics *m, ct_pool *fresh,
                                                  ct_arena *arena);

#endif

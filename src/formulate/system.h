/* system.h - the equations of a model: topology and components put together.
 *
 * Unknowns and equations ("rows") in one of three forms [McPhee-2, section 2.5]:
 *
 *     nodal         potentials of nodes, through variables of edges
 *     branch-chord  across variables of branches, through variables of chords
 *     tableau       across and through variables of all edges
 *
 * A row is   sum of factor * unknown + rest = 0.   Factors hold parameters and time only; what is
 * not linear stands in the rest, as an expression over the unknowns' symbols.
 *
 * What is differentiated in time is primary in every form: across variables of branches, through
 * variables of chords, own unknowns, positions. The derivative of an unknown is an unknown of its
 * own.
 */
#ifndef CT_FORMULATE_SYSTEM_H
#define CT_FORMULATE_SYSTEM_H

#include "graph/graph.h"
#include "model/model.h"

/* NAME, word, help */
#define CT_FORM_LIST(X)                                                                            \
    X(NODAL, "nodal", "across variables of branches; short for networks")                          \
    X(BRANCH_CHORD, "branch-chord", "across variables of branches, through variables of chords")   \
    X(TABLEAU, "tableau", "all variables of all edges")

typedef enum ct_form {
#define CT_FORM_ENUM(name, word, help) CT_FORM_##name,
    CT_FORM_LIST(CT_FORM_ENUM)
#undef CT_FORM_ENUM
} ct_form;

/* A row of a table of words. */
#define CT_FORM_WORD(name, word, help) {word, "", help},

typedef enum ct_unknown_kind {
    CT_UNKNOWN_POTENTIAL, /* of a node */
    CT_UNKNOWN_ACROSS,    /* of an edge */
    CT_UNKNOWN_THROUGH,   /* of an edge */
    CT_UNKNOWN_POSITION,  /* integral of an edge's across variable: x, theta */
    CT_UNKNOWN_OWN,       /* `var` of a component, integral(...) */
    CT_UNKNOWN_RATE,      /* time derivative of another unknown */
} ct_unknown_kind;

/* The first: what stays where its factor jumps. Ranks above: variables of couplings, which are
 * states only when nothing else can be; then storage whose across variable is a chord's, or whose
 * through variable is a branch's. */
enum { CT_WANTED_FIRST = 1, CT_WANTED_LAST = 1 << 30, CT_WANTED_NEVER = 3 << 29 };

typedef struct ct_unknown_row {
    ct_unknown_kind kind;
    ct_name name;    /* its symbol: `b.v`, `R2.i`, `der(C4.v)` */
    uint32_t owner;  /* node, edge or component; of a rate: the unknown it belongs to */
    uint32_t rate;   /* unknown that is its time derivative; 0: it is not differentiated */
    uint32_t wanted; /* rank as a state: smaller is preferred; 0: no state by itself */
    bool coordinate; /* of a mechanism: a length or an angle */
    bool speed;      /* of a mechanism: the rate of one */
} ct_unknown_row;

typedef enum ct_origin_kind {
    CT_FROM_TERMINAL, /* component */
    CT_FROM_VERTEX,   /* node */
    CT_FROM_CUTSET,   /* branch */
    CT_FROM_CIRCUIT,  /* chord */
    CT_FROM_EDGE,     /* across variable by potentials */
    CT_FROM_POSITION, /* x' = v */
    CT_FROM_INTEGRAL, /* integral(...) */
    CT_FROM_MOTION,   /* of a mechanism: the unknown that the row is about */
} ct_origin_kind;

typedef struct ct_term {
    uint32_t unknown;
    ct_expr factor;
} ct_term;

typedef struct ct_row {
    uint32_t first, count; /* stretch of ct_system.term */
    ct_expr rest;          /* 0 is never used: the number 0 */
    bool nonlinear;        /* the rest holds unknowns */
    ct_origin_kind origin : 8;
    uint32_t origin_index;
} ct_row;

/* Holds along every motion: a closed loop of a mechanism, or what a network prescribes of it; at
 * the level of positions or of speeds. */
typedef struct ct_invariant {
    ct_expr expr; /* over unknowns, inputs and time; vanishes */
    bool speed;
    ct_name joint; /* or the component that prescribes it */
    ct_place place;
} ct_invariant;

/* A symbol that stands for an acceleration, a long expression over unknowns: elimination need not
 * look into it. It is put back at the end. */
typedef struct ct_definition_row {
    ct_name name;
    ct_expr expr;
    uint32_t row;   /* that holds it, and no other does */
    ct_place place; /* of the body or joint */
} ct_definition_row;

/* A prescribed speed of a joint. In runs a slack is added to it: where the driver jumps, that takes
 * up what is missing and goes to zero in no time (reduce/reduced.h). */
typedef struct ct_speed_driver {
    ct_name slack;        /* symbol */
    ct_expr place, speed; /* what the driver gives; place 0: only the speed */
    ct_name joint;
    ct_place at;
} ct_speed_driver;

typedef struct ct_system {
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_form form;
    ct_arena *arena;
    ct_pool *pool;
    const ct_unknown_row *unknown; /* [0] is unused */
    const ct_row *row;
    const ct_term *term;
    const ct_invariant *invariant;
    const ct_definition_row *definition;
    const struct ct_mechanics *mechanics; /* NULL: the model has no bodies */
    bool run;                             /* nobody but a run reads it */
    const ct_speed_driver *driver;        /* then: of joints */
    uint32_t driver_count;
    uint32_t unknown_count, row_count, invariant_count, definition_count;
    const ct_index *unknown_by_name; /* symbol -> index */
    struct ct_formulation *maker;    /* private: for expressing variables; NULL: forgotten */
} ct_system;

/* NULL after reporting (E5xx). The caller owns it: others see it when all is done. */
ct_system *ct_formulate(const ct_model *model, const ct_graph *graph, const ct_tree *tree,
                        ct_form form, bool run);

/* An expression over symbols of the model (`R2.v`, `n3.x`, der(...), integral(...)) in terms of the
 * system's unknowns; 0 after reporting. */
ct_expr ct_system_express(const ct_system *system, ct_expr e, ct_place place);

/* The same for one reader: what expressing takes is kept in its arena. NULL maker: the same. */
const ct_system *ct_system_view(const ct_system *system, ct_arena *arena);

/* Gives back what only ct_system_express and readers of rows need; unknowns stay. */
void ct_system_forget(ct_system *system);
void ct_system_forget_terms(ct_system *system);

void ct_system_dump(const ct_system *system, ct_text *out);

#endif

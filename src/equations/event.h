/* event.h - events of equations as data: where rates, residuals or inputs jump or kink.
 *
 * Solvers locate roots and stop at moments; exporters can read both lists.
 */
#ifndef CT_EQUATIONS_EVENT_H
#define CT_EQUATIONS_EVENT_H

#include "base/hash.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "model/model.h"

typedef enum ct_event_kind {
    CT_EVENT_SIDE,  /* a jump: the side of the condition keeps its value in between */
    CT_EVENT_KINK,  /* located like a jump, but nothing keeps its value */
    CT_EVENT_BREAK, /* condition*t + offset passes zero, both of parameters only: a known time */
    CT_EVENT_TURNS, /* condition*t + offset passes every integer */
} ct_event_kind;

typedef struct ct_event {
    ct_event_kind kind;
    ct_op op;          /* of a root: STEP, SIGN, FLOOR, LESS .. UNEQUAL; ABS: a kink */
    ct_expr condition; /* of a root: over z, t and other held symbols; its sign (of FLOOR: its
                          integer) decides */
    ct_expr offset;    /* of a moment */
    ct_name held;      /* of a root: the symbol that stands for it in the held equations */
    ct_expr whole;     /* what it stands for, if that is one call */
    bool smooth;       /* of a moment: nothing jumps there */
    bool soft;         /* a kink that variables decide: located where a step has not seen it */
    bool timed;        /* of a root: time alone decides, and other held symbols */
} ct_event;

/* sin(factor*x + ..), cos(factor*x + ..) of a state x. */
typedef struct ct_turn {
    uint32_t state;
    ct_expr factor; /* of parameters only */
    bool more;      /* the next one belongs to the same phase */
} ct_turn;

typedef struct ct_events {
    CT_VEC(ct_event) root;   /* sides and kinks */
    CT_VEC(ct_event) moment; /* breaks and turns: time alone decides */
    /* What phases of sines in rates and residuals gain in a second, where time alone decides it. */
    CT_VEC(ct_expr) swing;
    CT_VEC(ct_turn) turn; /* the same of phases that are sums of states with factors */
    CT_VEC(ct_expr) bent; /* other phases that unknowns decide */
    ct_map held;          /* jumps -> what stands for them while their sides are held */
} ct_events;

/* An assignment of an event that the model writes. */
typedef struct ct_set {
    const ct_assignment *of;
    uint32_t discrete; /* + 1; 0: a variable */
    uint32_t push;     /* + 1: the impulse that sets it; 0: it is set as it is */
    ct_expr variable;  /* over x, w, t, discretes */
    ct_expr value;     /* over these, and what discretes were before the instant */
    ct_expr rest;      /* of a delay: value without derivatives of inputs; 0: no delay */
    ct_expr slope;     /* of an impact with a rule: of value by variable; 0: none */
} ct_set;

/* `when` and `every`. */
typedef struct ct_act {
    const ct_happening *of;
    ct_expr condition, offset; /* truth over z; of a clock period and offset, of parameters */
    ct_expr plain;             /* the condition without held symbols */
    const ct_set *set;
    uint32_t set_count;
    const char *why; /* the run ends; NULL: it goes on */
} ct_act;

void ct_events_dump(ct_pool *pool, const ct_events *events, ct_text *out);

#endif

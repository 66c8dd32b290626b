/* event.h - events of equations as data: where rates, residuals or inputs jump or kink.
 *
 * Solvers locate roots and stop at moments; exporters can read both lists.
 */
#ifndef CT_EQUATIONS_EVENT_H
#define CT_EQUATIONS_EVENT_H

#include "base/vec.h"
#include "expr/expr.h"

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
    bool smooth;       /* of a moment: nothing jumps there */
    bool soft;         /* a kink that variables decide: located where a step has not seen it */
} ct_event;

typedef struct ct_events {
    CT_VEC(ct_event) root;   /* sides and kinks */
    CT_VEC(ct_event) moment; /* breaks and turns: time alone decides */
} ct_events;

void ct_events_dump(ct_pool *pool, const ct_events *events, ct_text *out);

#endif

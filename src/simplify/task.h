/* task.h - inside this folder: the simplification of one expression between its function calls. */
#ifndef CT_SIMPLIFY_TASK_H
#define CT_SIMPLIFY_TASK_H

#include "base/hash.h"
#include "simplify/ring.h"

typedef struct ct_short_form {
    ct_expr shown; /* in `to` */
    bool complete;
} ct_short_form;

struct ct_simplifier {
    ct_arena *arena;
    ct_pool *from, *to;
    ct_simplify_budget budget;
    uint64_t work;  /* left */
    uint64_t share; /* of it that one expression may use; less after one that was too large */
    double end;     /* of the time allowed */
    int round;      /* how often new functions were met */
    ct_map done;    /* expression of `from` -> index in result, plus 1 */
    CT_VEC(ct_short_form) result;
    ct_map carried; /* expression of `from` -> of `to`, unchanged */
};

/* A generator. */
typedef struct ct_atom {
    ct_expr e;     /* in `from` */
    ct_expr shown; /* in `to` */
    size_t length; /* of its text */
} ct_atom;

typedef struct ct_task_node {
    ct_expr e; /* of `from`; operands before users */
    ct_fraction *value;
} ct_task_node;

typedef struct ct_task {
    ct_simplifier *s;
    ct_arena *arena; /* ends with the task */
    ct_ring ring;
    CT_VEC(ct_task_node) node;
    ct_map node_of;       /* expression -> index in node, plus 1 */
    CT_VEC(ct_atom) atom; /* by variable */
    ct_map atom_of;       /* expression -> index in atom, plus 1 */
    uint32_t spare;       /* variables left for parts that are too large */
    bool complete;
    bool paired; /* the addition theorem made functions that are not generators yet */
} ct_task;

/* ---- carry.c */
/* A copy of e in another pool; known: the expressions copied before. */
ct_expr ct_carry(ct_pool *from, ct_expr e, ct_pool *to, ct_map *known);
ct_expr ct_carry_number(ct_pool *from, ct_expr number, ct_pool *to);
/* Characters, exactly while they are few; a shared part counts wherever it stands. */
size_t ct_shown_length(ct_pool *pool, ct_expr e, ct_arena *arena);

/* One bar at most: no division by a sum inside of a sum, none at all inside of a divisor. */
bool ct_is_ratio(ct_pool *pool, ct_expr e, ct_arena *arena);

/* ---- normal.c */
/* e as a fraction; NULL: beyond the budget. */
ct_fraction *ct_normal_form(ct_task *task, ct_expr e);

/* ---- circle.c */
/* Uses cos(x)^2 = 1 - sin(x)^2 where that makes f shorter. */
void ct_turn_circles(ct_task *task, ct_fraction *f);

/* ---- form.c */
/* The shortest way to write f, in `pool`, where atoms are gen[variable]. */
ct_expr ct_write_fraction(ct_task *task, ct_fraction *f, ct_pool *pool, const ct_expr *gen);
/* With brackets inside of its sums, too. */
ct_expr ct_write_fraction_collected(ct_task *task, ct_fraction *f, ct_pool *pool,
                                    const ct_expr *gen);

#endif

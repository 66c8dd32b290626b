/* jump.h - inside the folder: jumps of what is stored (jump_make.c, jump.c). */
#ifndef CT_SIMULATE_JUMP_H
#define CT_SIMULATE_JUMP_H

#include "simulate/machine.h"

/* An impulse that dependent storage takes. */
typedef struct ct_shock {
    ct_stored stored;
    ct_name variable; /* that has the impulse: the current of a capacitor; */
    uint32_t row;     /* of the domain */
} ct_shock;

/* What is told of an impulse; those of one instant add up. */
typedef struct ct_impulse {
    ct_name variable, stored;
    const char *owner, *unit;
    ct_place place;
    double now, part, at; /* at the last instant: the sum, and the largest part of it */
    double largest, when; /* of earlier ones */
} ct_impulse;

/* All so far, each variable once. Modes of a run share one. */
typedef struct ct_impulses {
    ct_arena *arena;
    CT_VEC(ct_impulse) list;
    ct_map index;
} ct_impulses;

typedef struct ct_jump_owner {
    const char *name; /* of a component or joint; "": none */
    ct_place place;
} ct_jump_owner;

/* A part that is not linear: an impulse passes through it when this constraint jumps, or this
 * algebraic unknown does (slack UINT32_MAX). */
typedef struct ct_struck {
    uint32_t component, slack, w;
} ct_struck;

/* Of the machine. Lists of expressions stand one after the other. */
struct ct_jumps {
    uint32_t count;              /* constraints, with a slack each */
    const ct_jump_owner *owner;  /* of these: for messages */
    const bool *has_kept;        /* of these: is its dependent unknown remembered? */
    ct_name_list kept;           /* these unknowns */
    ct_name_list variable;       /* after z, t, held: before, slack, rush */
    const ct_name *all_variable; /* of programs: with these */
    uint32_t all_count;
    CT_VEC(ct_shock) shock;
    CT_VEC(ct_struck) struck;               /* for messages */
    CT_VEC(const ct_speed_driver *) placed; /* drivers of positions */
    const bool *placing;     /* of the constraints: a source of a network prescribes a position */
    CT_VEC(ct_stored) burst; /* what would hold an impulse itself, if such a position jumped */
    const bool *bent; /* of the slacks: an impulse of it is met by what is not proportional to it */
    bool kicks;
    ct_expr *expr;
    const ct_expr *rest_before; /* before, while inputs stand still; NULL: the same */
    uint32_t before, missing, push, shocks, kick, level, bursts, expr_count;
    const ct_program *look, *miss, *go, *second, *stay, *holds;
};

/* Of a rig. */
struct ct_jumping {
    ct_rig *rig;
    uint32_t size;          /* states and impulses */
    double *variable;       /* of programs */
    double *kept, *missing; /* of dependent unknowns: what they were; of constraints */
    double before;          /* the time of kept */
    double *from, *now, *begin, *sum, *rate, *coarse, *go;
    double *w, *slope; /* what the impulse makes of w; of J w */
    double *impulse;   /* of the last jump, */
    double happened;   /* and its time */
    ct_impulses *told;
    double *work_look, *work_miss, *work_go, *work_second, *work_stay, *work_holds;
    double rushed;               /* how fast sources of positions moved just before */
    bool curved;                 /* an impulse met what is not proportional to it */
    const ct_speed_driver *torn; /* a joint whose position jumps */
    const ct_stored *burst;      /* what a position that jumps would move */
    uint32_t burst_by;           /* the constraint of this position */
    double failed_at;
};

/* While the equations are read; false after reporting. */
bool ct_list_jumps(ct_machine *machine);
void ct_list_struck(ct_machine *machine);
/* Then: events of what may jump count among those of the equations. */
void ct_add_jump_events(const ct_machine *machine, ct_driven *driven);
bool ct_make_jumps(ct_machine *machine);
/* What a program of some of its expressions is made from; after ct_make_jumps. */
ct_program_def ct_jump_def(const ct_machine *machine, uint32_t first, uint32_t count);

ct_jumping *ct_jumping_new(ct_rig *rig); /* NULL: nothing jumps */
/* For problem.h. */
void ct_jump_remember(void *rig, double t, const double *z);
ct_solve_status ct_jump(void *rig, double t, double *z, bool *moved);
/* The same on trial: its impulses are not noted. */
ct_solve_status ct_jump_try(ct_rig *rig, double t, double *z, bool *moved);
/* The same at a start, where masses may be anywhere. */
ct_solve_status ct_jump_at_start(ct_rig *rig, double t, double *z);
/* From an operating point, where inputs stand still, to where they move as they do at t: dependent
 * storage holds what it held. */
ct_solve_status ct_jump_from_rest(ct_rig *rig, double t, double *z);
/* What dependent unknowns were just before, in the order of jumps->kept. */
double *ct_jump_kept(ct_rig *rig);
ct_solve_status ct_jump_through(ct_rig *rig, double from, double to, double *last);
ct_impulses *ct_impulses_new(ct_arena *arena);
void ct_note_impulses(ct_rig *rig);             /* of its last jump */
void ct_forget_impulses(ct_impulses *impulses); /* those of a start */
void ct_tell_impulses(ct_context *ctx, const ct_impulses *impulses);
bool ct_report_jump(const ct_rig *rig); /* false: no jump failed */

#endif

/* machine.h - inside the folder: a reduced system made executable.
 *
 * A ct_machine is immutable: symbols, programs, conditions. A ct_rig is a machine with the values
 * of its parameters and the memory that calls need; changing a value derives nothing anew.
 */
#ifndef CT_SIMULATE_MACHINE_H
#define CT_SIMULATE_MACHINE_H

#include "compile/program.h"
#include "equations/driven.h"
#include "simulate/simulate.h"
#include "solve/problem.h"

typedef struct ct_jumps ct_jumps;
typedef struct ct_jumping ct_jumping;
typedef struct ct_acts ct_acts;
typedef struct ct_acting ct_acting;
typedef struct ct_lookouts ct_lookouts;
typedef struct ct_past ct_past;
typedef struct ct_variants ct_variants;

/* ---- programs */

/* A list of expressions and, of some, the Jacobian; over z, t and (when held) the conditions.
 * whole gives all of it at once, and the derivatives by time; of small systems, else NULL. */
typedef struct ct_bundle {
    const ct_program *value, *slope, *whole;
    const ct_jacobian *jacobian, *drift;
} ct_bundle;

/* What an edge stores: the voltage of a capacitor, the elongation of a spring. */
typedef struct ct_stored {
    ct_name variable;
    uint32_t edge, index; /* of the graph; of its component */
} ct_stored;

/* A mass or inertia of a network. */
typedef struct ct_kinetic {
    ct_expr speed, inertia; /* over z; over parameters */
} ct_kinetic;

/* What turns in conditions (angles.c). */
typedef struct ct_angles {
    CT_VEC(ct_expr) angle;
    CT_VEC(const char *) text; /* of the condition that each is of */
    uint32_t untimed;          /* the first so many are not of conditions of time alone */
    const ct_program *program; /* gives all */
    const ct_program *bent;    /* phases in rates and residuals that are no sums */
} ct_angles;

struct ct_machine {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    const ct_model *model;
    const ct_equations *equations;
    const ct_reduced *reduced; /* of the equations */
    const ct_driven *driven;   /* as this run sees them; of it, for short, down to events: */
    ct_name time;
    uint32_t n, m;
    const ct_name *z;
    uint32_t z_count, known, forced;
    ct_map z_index;
    const ct_expr *fg, *kept, *rest, *charge, *balance, *rest_balance;
    const ct_name *parameter;
    uint32_t parameter_count;
    ct_map parameter_index, ghost_value;
    ct_events events;
    const ct_expr *rest_column; /* columns without derivatives of inputs; NULL: there are none */
    const ct_expr
        *column; /* what a row shows: outputs (or states), then curves and their abscissae */
    uint32_t output_count, column_count;
    const ct_expr
        *column_pushed;   /* the same with forces that hold what rests; NULL: none is read */
    bool reads_forces;    /* so do conditions, what events set, or what is watched */
    bool drawn;           /* columns end with what a picture of bodies needs, */
    uint32_t first_drawn; /* from this one on: x, y, angle of frames, two of each load;
                             in space twelve of bodies, three of each load */
    const ct_expr *shown; /* columns that are more than an unknown, jumps held, without others */
    uint32_t shown_count;
    bool plain_columns;                 /* all are states, or hold no unknowns */
    const ct_expr *start, *start_value; /* of the model; then storage that begins empty */
    uint32_t start_count;
    ct_name_list empty;        /* names of the latter */
    const ct_kinetic *kinetic; /* beside bodies: they count in the metric of starts */
    uint32_t kinetic_count;
    const ct_expr *invariant; /* over z and t: kept while integrating, met at the start */
    uint32_t invariant_count;
    const bool *speed_invariant, *speed_state; /* velocities of loops; states that are no places */
    const ct_expr *pivot;                      /* divisors of parameters alone */
    uint32_t pivot_count;
    struct ct_jumps *jumps;            /* NULL: nothing that is stored jumps */
    ct_expr *watch;                    /* of a model in a mode: what it watches (watch.c) */
    const ct_program *watching;        /* NULL: nothing */
    const uint32_t *push_reach;        /* per driven->push: what is watched that it reaches, + 1 */
    ct_acts *acts;                     /* NULL: the model writes no events */
    CT_VEC(ct_stored) store;           /* all that stores, and */
    const ct_expr *dependent;          /* of each: over z, t, parameters; 0: it is a state */
    ct_bundle free, held;              /* (f, g) with conditions as they stand, and kept */
    ct_bundle invariants;              /* by x */
    const ct_expr *condition, *moment; /* of events: operands; slope and offset of each */
    const ct_program *roots, *columns, *measured, *pivots, *moments;
    ct_angles angles;
    double seconds; /* that making it took */
};

/* Can bodies still be asked for when the machine is made (bodies.c)? Else what derived them is
 * forgotten. */
bool ct_keeps_bodies(const ct_machine *machine);
/* Adds the columns that a picture of bodies needs (bodies.c); false after reporting. */
bool ct_list_drawn(ct_machine *machine, ct_expr_list *list);

/* e over states and inputs, put on the list; false after reporting. */
bool ct_machine_express(ct_machine *machine, ct_expr e, ct_place place, ct_expr_list *list);

/* ---- storage (storage.c) */

/* Conditions for storage that nobody gives a value: it begins empty. */
bool ct_add_storage(ct_machine *machine, ct_expr_list *variable, ct_expr_list *value);
bool ct_list_stored(ct_machine *machine);

/* ---- what turns in conditions and in what is watched (angles.c) */

bool ct_make_angles(ct_machine *machine);
/* E571: one turns too often. */
void ct_report_lost(const ct_machine *machine, const ct_run_stats *stats);

/* ---- what a model in a mode watches (watch.c) */

bool ct_list_watched(ct_machine *machine, ct_driven *driven);
bool ct_make_watches(ct_machine *machine);

/* ---- programs and what they are made from (machine.c) */

/* What stands for a symbol that cancels, over the first variables of z. */
ct_expr ct_machine_ghost(const ct_machine *machine, ct_name symbol, uint32_t variables);
/* What a program of expressions over the first variables of z is made from. */
ct_program_def ct_machine_def(const ct_machine *machine, const ct_expr *e, uint32_t count,
                              uint32_t variables);
/* E530: the expression has no value in a run. */
void ct_report_stranger(const ct_machine *machine, ct_expr stranger);
const ct_program *ct_machine_program(const ct_machine *machine, const ct_expr *e, uint32_t count,
                                     uint32_t variables);
bool ct_machine_bundle(const ct_machine *machine, const ct_expr *e, uint32_t count,
                       const ct_name *by, uint32_t by_count, uint32_t variables, ct_bundle *bundle);

/* ---- Jacobians of (f, g) (slope.c, differences.c) */

/* Central differences of CT_LANES / 2 groups of columns at once. */
typedef struct ct_shifter {
    const ct_program *program;
    const ct_grouping *groups;        /* NULL: not used */
    double *variable, *output, *work; /* CT_LANES of each */
    double *step;                     /* per column: distance of the two points */
} ct_shifter;

/* One of two ways. */
typedef struct ct_slope {
    const ct_jacobian *jacobian; /* pattern; NULL: not decided yet, because nobody asked for it */
    const ct_program *program;
    double *work;
    ct_shifter shifter;
} ct_slope;

/* Is the way to be found when a method asks for the Jacobian? */
bool ct_derives_late(const ct_machine *machine);
/* For ct_problem.pattern: decides, and makes what is needed. */
void ct_make_slopes(void *rig);
void ct_slope_run(const ct_rig *rig, const ct_slope *slope, double t, const double *z,
                  double *value);
void ct_slope_effort(const ct_slope *slope, const ct_program *value, ct_simulation *run);

ct_shifter ct_shifter_new(const ct_rig *rig, const ct_program *program, const ct_jacobian *pattern);
void ct_differences(const ct_rig *rig, const ct_slope *slope, double t, const double *z,
                    double *value);

/* ---- rig (rig.c, rig_values.c, rig_breaks.c, rig_rest.c, lift.c) */

typedef struct ct_wave {
    double slope, offset;
    bool kink;
} ct_wave;

struct ct_rig {
    const ct_machine *machine;
    ct_arena *arena;
    double *parameter;
    const double *value; /* of each quantity of the model */
    double *work_free, *work_held, *work_whole, *whole, *work_roots, *work_columns, *work_measured,
        *work_invariants, *work_invariants_slope;
    ct_slope slope_free, slope_held;
    double *variable;                    /* z, t, held values: what programs read */
    double *root;                        /* operands of conditions */
    double *moment, *jump;               /* sorted; jump: those that are no kinks */
    double *moment_value, *work_moments; /* what they are made from */
    ct_wave *wave;                       /* periodic breaks */
    uint32_t moment_count, jump_count, wave_count;
    struct ct_timed *swing; /* rates of phases (timed.c) */
    uint32_t swing_count, phase_count;
    const ct_phase *phase;                    /* states in phases, with their factors */
    double span;                              /* of the run: how far t may be moved past a jump */
    const volatile sig_atomic_t *interrupted; /* may be NULL */
    ct_problem free, held;
    ct_problem rest; /* free, at rest (ct_rig_rest) */
    const ct_bundle *rest_bundle;
    double *work_rest, *work_rest_slope;
    double *work_watch, *work_bent, *work_angles, *angle; /* angle: all of them */
    /* Conditions besides those of the equations: a change of one ends the integration. */
    void (*extra)(void *user, double t, const double *z, double *value);
    void *extra_user;
    uint32_t extra_count;
    struct ct_lift *lift, *rest_lift; /* made when they are needed (lift.c) */
    ct_jumping *jumping;              /* NULL: nothing that is stored jumps */
    struct ct_affine_form *affine;    /* NULL: never linear (affine.c) */
    ct_acting *acting;                /* NULL: the model writes no events */
    ct_past *past;                    /* NULL: nothing is delayed */
    struct ct_past_still *resting;    /* with delays: made when it is needed (past_rest.c) */
    ct_lookouts *lookouts;            /* NULL: no condition is decided by time alone */
    ct_variants *variants;            /* NULL: nothing can slide or rest */
    double rhs_seconds;
    const char *start_method;  /* the last aid that ct_initialise or ct_settle_rig needed, and */
    uint64_t start_iterations; /* all their iterations of Newton's method */
    ct_rest_finder sure_rest;  /* NULL: nobody knows better */
    void *sure_user;
    const double *near; /* a point to begin from when rest is sought; NULL: none */
    bool solved;   /* g = 0 by the last ct_initialise: of a model without states all there is */
    bool told_tie; /* that the start is one of several */
};

/* Numbers are spoilt then, and what fails says nothing. */
static inline bool ct_rig_is_interrupted(const ct_rig *rig)
{
    return rig->interrupted && *rig->interrupted;
}

/* Times at which something jumps, for the values of its parameters. */
void ct_rig_take_breaks(ct_rig *rig); /* with the memory for them */
void ct_rig_list_breaks(ct_rig *rig);
double ct_rig_next_break(const ct_rig *rig, double t);
double ct_rig_next_jump(const ct_rig *rig, double t); /* the same without kinks */
const ct_problem *ct_rig_lift(void *user);            /* of rig->free; see problem.h */
const ct_problem *ct_rig_lift_rest(void *user);       /* of rig->rest */
const ct_problem *ct_rig_rest(ct_rig *rig);           /* equations of operating points */
/* The columns at rest. */
void ct_rig_rest_columns(ct_rig *rig, double t, const double *z, double *column);
/* The columns at a point; jumps of time are seen from their right side. */
void ct_rig_columns(ct_rig *rig, double t, const double *z, double *column);
/* What the model watches, on the sides of conditions that hold. */
void ct_rig_watch(ct_rig *rig, double t, const double *z, double *value);
/* More conditions: with them, and where equations jump, the integration ends. */
void ct_rig_add_roots(ct_rig *rig, uint32_t count,
                      void (*extra)(void *user, double t, const double *z, double *value),
                      void *user);
double *ct_rig_prepared(const ct_rig *rig,
                        const ct_program *program); /* work space; NULL of none */
/* Numeric value of an expression of parameters; NaN when something is missing. */
double ct_rig_value(const ct_rig *rig, ct_expr e);
/* Of one over z and t, too; symbols that cancel are zero. */
double ct_rig_value_at(const ct_rig *rig, double t, const double *z, ct_expr e);

/* ---- limits of what varies (ranges.c) */
typedef enum ct_judged { CT_AFTER, CT_BEFORE, CT_BOTH_SIDES } ct_judged;
/* Is a parameter out of its limits just behind t, before, or on either side? Then E224. */
bool ct_report_range_at(const ct_rig *rig, double t, const double *z, ct_judged sides);

/* ---- names for messages (machine.c) */
const char *ct_machine_variable(const ct_machine *machine, uint32_t z);
/* Component or node that the variable belongs to; "" and no place: none. */
const char *ct_machine_owner(const ct_machine *machine, uint32_t z, ct_place *place);

/* ---- start and rest (initialise.c, rest.c, fall.c, lock.c, equilibrium.c) */

/* Consistent z at time t; not CT_SOLVED after reporting. Forgiving: algebraic
 * unknowns that are not found keep their guesses; for the start of a search. */
ct_solve_status ct_initialise(ct_rig *rig, double t, bool forgiving, double *z);
/* The same with closed loops, from assembled z (rest.c); nothing is reported. */
ct_solve_status ct_find_rest(ct_rig *rig, double t, double *z);
/* E527 where gravity pulls bodies that nothing holds (fall.c); false: there are none. */
bool ct_report_falling(const ct_rig *rig);
/* At the start: a source prescribes places that joints tie (lock.c), and is reported. */
bool ct_report_tied_start(const ct_rig *rig, double t, const double *z);
/* Reports that a closed loop cannot follow its driver beyond z at time t (lock.c), when that is so;
 * past: how long the run went. */
bool ct_report_lock(ct_rig *rig, double t, double past, const double *z);
/* A joint with a row that was left out as redundant is open: E614. */
bool ct_report_apart(const ct_rig *rig, double t, const double *z);
/* A note where closed loops could not be tested for redundant constraints. */
void ct_note_untested(const ct_machine *machine, ct_report *report);
/* From a point near by to one where the variables, over z, t and parameters, have these values, by
 * the least change; not CT_SOLVED after reporting. */
ct_solve_status ct_meet(ct_rig *rig, double t, const ct_expr *variable, const double *value,
                        uint32_t count, double *z);
/* Adds what was done for a start; the method counts when it is more than Newton's. */
void ct_count_start(ct_rig *rig, const ct_run_stats *stats);
void ct_note_start(const ct_rig *rig); /* tells that a start needed more than Newton's method */
/* Is each row from the first on met, measured by its terms at z? (equilibrium.c) */
bool ct_rows_vanish(const ct_problem *p, uint32_t first, double t, const double *z,
                    ct_arena *arena);
/* Goes from z to the operating point (equilibrium.c); not CT_SOLVED after reporting. */
ct_solve_status ct_settle_rig(ct_rig *rig, double t, double *z);

#endif

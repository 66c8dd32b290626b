/* simulate.h - runs: from equations and parameter values to rows of numbers.
 *
 *     ct_machine_new   equations -> programs, once for each structure
 *     ct_rig_new       parameter values -> a problem for the solvers
 *     ct_simulate, ct_operating_point, ct_evaluate
 */
#ifndef CT_SIMULATE_SIMULATE_H
#define CT_SIMULATE_SIMULATE_H

#include "compile/program.h"
#include "equations/equations.h"
#include "solve/problem.h"

typedef struct ct_machine ct_machine;
typedef struct ct_rig ct_rig;

/* NULL after reporting. */
ct_machine *ct_machine_new(const ct_equations *equations);
/* Of equations that are derived for it alone. drawn: pictures of bodies can be drawn of what it
 * computes. */
ct_machine *ct_machine_of_tree(const ct_tree *tree, ct_form form, bool drawn);
/* The same machine for the copy of its tree in another context: programs are shared. NULL: it can
 * still express what it is asked for (small mechanisms), and that works in its own context only. */
ct_machine *ct_machine_clone(const ct_machine *machine, const ct_tree *tree);
/* Its programs: rates and residuals, then outputs and curves. */
void ct_machine_dump(const ct_machine *machine, ct_text *out);

/* Values of the quantities of the model, in their order; NULL: by the model's defaults. NULL after
 * reporting a missing value (E521) or a divisor that is zero (E522). */
ct_rig *ct_rig_new(const ct_machine *machine, const double *value);
void ct_rig_free(ct_rig *rig);

typedef struct ct_simulation {
    const ct_model *model;
    ct_rows outputs, curves;
    const uint32_t *curve_y, *curve_x; /* per curve of the model: columns of `curves` */
    ct_solve_status status;
    ct_run_stats stats;
    const char *start_method;  /* how the start was found, NULL: by no iteration, */
    uint64_t start_iterations; /* in so many iterations */
    double start, stop, wall_seconds, cpu_seconds, start_seconds, rhs_seconds, compile_seconds;
    uint32_t nodes, tape_ops;
    bool native;          /* evaluated by machine code */
    const char *jacobian; /* how it is computed: symbolic, differences; none: nobody asked for it */
    uint32_t jacobian_entries, jacobian_ops;
    const double *z;   /* states and algebraic unknowns at the end */
    bool numeric;      /* by nodal analysis in numbers */
    const char *ended; /* why an event ended it; NULL: none did */
    const ct_event_row *event;
    uint64_t event_count;
} ct_simulation;

/* NULL: it could not begin (reported). A run that fails on its way is reported, too, and keeps its
 * rows. */
const ct_simulation *ct_simulate(ct_rig *rig, const ct_simulation_def *def, ct_arena *arena);

/* f = 0, g = 0; NULL after reporting (E524, E527). */
const ct_point *ct_operating_point(ct_rig *rig, double t, ct_arena *arena);
/* The next one begins at `near`, where it fits; NULL: as usual. */
void ct_rig_follow(ct_rig *rig, const double *near, uint32_t count);
/* Who may know better what rest is where rounding of the equations holds it: values of variables,
 * NAN where they are not told; false: not known. */
typedef bool (*ct_rest_finder)(void *user, double t, const ct_name *symbol, uint32_t count,
                               double *out);
void ct_rig_rest_by(ct_rig *rig, ct_rest_finder finder, void *user);
/* Without own unknowns of that use: ages of delays and clocks of modes count time for runs, and are
 * no states of the model. */
const ct_point *ct_point_without(const ct_model *model, ct_own_use use, const ct_point *point,
                                 ct_arena *arena);

/* The right-hand side at a state; values of states not named are the initial ones. NULL after
 * reporting. */
const ct_point *ct_evaluate(ct_rig *rig, double t, const ct_state_value *given, uint32_t count,
                            ct_arena *arena);

/* The same point with what is known of joints and bodies: M, Q, multipliers, motions. Many
 * expressions, which only those want who look at them. NULL in, NULL out. */
const ct_point *ct_point_bodies(const ct_rig *rig, const ct_point *point, ct_arena *arena);

/* Second derivatives of an output, or of der(STATE), at a state; NULL after reporting. */
const ct_hessian *ct_rig_hessian(ct_rig *rig, const char *name, double t,
                                 const ct_state_value *given, uint32_t count, ct_arena *arena);

/* Where a run from the model's start has come to at time t. NULL after reporting. */
const ct_point *ct_reach(ct_rig *rig, double t, ct_arena *arena);

/* Values of expressions over states, algebraic unknowns, inputs, parameters and t at a point. False
 * after reporting. */
bool ct_values_at(const ct_rig *rig, const ct_point *at, const ct_expr *e, uint32_t count,
                  double *value);

/* Values of other symbols there, which count before those of the point. */
typedef struct ct_knowns {
    ct_map index; /* symbol -> index of its value, plus 1 */
    double *value;
    const ct_name *still; /* rates of inputs that are zero, because all is at rest */
    uint32_t still_count;
} ct_knowns;

/* The same over these, too; known may be NULL. */
bool ct_values_with(const ct_rig *rig, const ct_point *at, const ct_knowns *known, const ct_expr *e,
                    uint32_t count, double *value);

/* Derivatives of such expressions by states, unknowns and inputs at a point, without making them:
 * entries of the pattern. The rows' differentials hold what the derivatives depend on. */
typedef struct ct_tangents {
    const ct_jacobian *pattern;
    const double *value;
    const ct_expr *row;
    uint32_t colours, ops; /* directions, and operations for eight of them */
} ct_tangents;

/* NULL after reporting, or when *culprit has no derivative. */
const ct_tangents *ct_tangents_at(const ct_rig *rig, const ct_point *at, const ct_knowns *known,
                                  const ct_expr *e, uint32_t rows, const ct_name *by, uint32_t cols,
                                  ct_arena *arena, ct_expr *culprit);

#endif

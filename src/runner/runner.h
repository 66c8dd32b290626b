/* runner.h - what runs a model: symbolic and numeric back ends behind one interface.
 *
 * A simulator is made from a tree. Back ends are rows of a table (inside.h), tried in order: nodal
 * analysis in numbers first, where it may do, then derived equations, which can do everything. What
 * a back end needs it makes when it is first asked; why an earlier one did not do is kept.
 */
#ifndef CT_RUNNER_RUNNER_H
#define CT_RUNNER_RUNNER_H

#include "modes/modes.h"
#include "nodal/nodal.h"
#include "simulate/simulate.h"

extern const ct_word ct_run_forms[]; /* forms, and what else ct_make_simulator takes */

struct ct_simulator {
    ct_context *ctx;
    ct_arena *arena;
    const ct_model *model;
    const ct_tree *tree;
    ct_form form;
    bool numeric;        /* numbers alone are asked for, at any size, */
    bool usual;          /* or no form is */
    bool quick;          /* sketches may be made in numbers from fewer components on */
    bool drawn;          /* pictures of bodies can be drawn of its results */
    double magnified;    /* deformations in these pictures, times; 0: as they are */
    double *value;       /* of the quantities of the model */
    bool *own;           /* those that were set */
    const char *why_not; /* why the last run was not done in numbers alone; NULL: it was */
    ct_modes *modes;     /* of a model that has some; NULL: not needed yet */
    ct_machine *machine; /* derived equations; NULL: not needed yet */
    ct_rig *rig;         /* of the present values; NULL: to be made */
    bool follows;        /* operating points of a sweep: each begins where the last one was */
    double *near;        /* its unknowns by the derived equations; NULL: there is none yet */
    uint32_t near_count;
};

/* form: a word, NULL: the usual; NULL after reporting (E525, or what is wrong with the equations).
 */
ct_simulator *ct_simulator_new(const ct_tree *tree, const char *form, bool drawn);

/* The same simulator in a new context, for another thread. It shares what does not change any more
 * with the first one, which must live as long. */
ct_simulator *ct_simulator_clone(const ct_simulator *simulator, ct_context *own);

/* Another value for a param, by its number; params whose defaults use it follow. */
void ct_simulator_set(ct_simulator *simulator, uint32_t quantity, double value);

/* NULL after reporting. */
const ct_simulation *ct_simulator_run(ct_simulator *simulator, const ct_simulation_def *def,
                                      ct_arena *arena);
const ct_point *ct_simulator_rest(ct_simulator *simulator, double t, ct_arena *arena);
const ct_point *ct_simulator_at(ct_simulator *simulator, double t, const ct_state_value *given,
                                uint32_t count, ct_arena *arena);

/* Would a run be made in numbers, and does the network determine all its variables? NULL: both;
 * else why not: derived equations tell more. */
const char *ct_runner_judge(const ct_tree *tree);

/* The linear model of a large network in numbers, at its operating point or, of a linear one, at
 * any; NULL: derived equations are needed, *why_not says why. form: a word; NULL: the usual. */
const ct_network *ct_runner_linear(const ct_tree *tree, const char *form, double t, bool at_rest,
                                   ct_arena *arena, const char **why_not);

/* For those who need more than numbers: derived equations made executable, with the present values.
 * NULL after reporting. */
ct_machine *ct_simulator_machine(ct_simulator *simulator);
ct_rig *ct_simulator_rig(ct_simulator *simulator);

#endif

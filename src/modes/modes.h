/* modes.h - runs of models with modes: ideal switches, diodes, stops, dry friction.
 *
 * Each mode has equations of its own, derived when it is first reached and kept (derive.c). At an
 * event the modes of all items are found together, by one complementarity problem (choose.c); what
 * is stored goes from mode to mode by the jump of the equations (enter.c).
 */
#ifndef CT_MODES_MODES_H
#define CT_MODES_MODES_H

#include "simulate/simulate.h"

typedef struct ct_modes ct_modes;

/* For the values of the model's quantities. */
ct_modes *ct_modes_new(const ct_tree *tree, const double *value, bool drawn);
void ct_modes_free(ct_modes *modes);

/* As ct_simulate. */
const ct_simulation *ct_modes_run(ct_modes *modes, const ct_simulation_def *def, ct_arena *arena);
/* As ct_evaluate and ct_operating_point, in the mode there. */
const ct_point *ct_modes_at(ct_modes *modes, double t, const ct_state_value *given, uint32_t count,
                            ct_arena *arena);
const ct_point *ct_modes_rest(ct_modes *modes, double t, ct_arena *arena);

/* The tree of the mode in which the last task ended, for equations to be read; NULL after
 * reporting. The states have the values of `given`, of which there are so many. */
const ct_tree *ct_modes_tree(ct_modes *modes, ct_arena *arena, const ct_state_value **given,
                             uint32_t *count);
/* That mode in a few words: `D1.i = 0, D2.v = 0`. */
const char *ct_modes_words(const ct_modes *modes);

/* All modes that a run may reach, as expressions; NULL after reporting. */
const struct ct_modal_formulas *ct_modes_formulas(ct_modes *modes, ct_arena *arena);

#endif

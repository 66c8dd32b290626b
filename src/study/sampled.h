/* sampled.h - the exact discrete-time model of a system with clocks:
 *
 *     x[k+1] = A x[k] + B u[k],   y[k] = C x[k] + D u[k],   t_k = offset + k period
 *
 * The period is the least that all clocks have in common. States are the continuous ones and the
 * discretes that are remembered, just before the ticks of t_k; outputs are those just after them.
 * Inputs jump at t_k, before the ticks, and are held until t_(k+1).
 */
#ifndef CT_STUDY_SAMPLED_H
#define CT_STUDY_SAMPLED_H

#include "study/statespace.h"

/* `plant`: of the held model (model/held.h), with numbers; `reduced` and `point` are those of the
 * model with its events. NULL after reporting (E580, E581). */
ct_statespace *ct_sampled_new(const ct_statespace *plant, const ct_reduced *reduced,
                              const ct_point *point);

/* Where a loop that is not linear rests between ticks, its clocks may still change something: told
 * (W581). */
void ct_warn_restless(const ct_statespace *plant, const ct_model *model);

/* The tree of a model for its held form. */
const ct_tree *ct_held_tree(const ct_tree *tree, const double *value);

/* Events besides clocks are left out of linear models, which is told (W580). */
void ct_warn_held(const ct_model *model);

#endif

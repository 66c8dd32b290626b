/* held.h - a model between two ticks of its clocks.
 *
 * Discretes are held there, so that they are inputs of what is continuous, or parameters when no
 * clock sets them. The held model is the
 * same in everything else; it has no events, and what its clocks would assign are outputs behind
 * its own. All later stages take it for a model like any other.
 */
#ifndef CT_MODEL_HELD_H
#define CT_MODEL_HELD_H

#include "model/model.h"

bool ct_model_has_clocks(const ct_model *model);

/* `value`: of the quantities that are discretes, in their order. Their values before the instant,
 * `pre(x)`, are inputs, too, behind all quantities. */
const ct_model *ct_model_held(const ct_model *model, const double *value);

#endif

/* shadow.h - a model in one of its modes.
 *
 * Laws of elements that are no plain equations (model.h) are the items of a model. A mode gives a
 * way to each of them. The model in a mode is a shadow: the same in everything but the elements of
 * its components, so that all later stages take it for a model like any other.
 */
#ifndef CT_MODEL_SHADOW_H
#define CT_MODEL_SHADOW_H

#include "base/vec.h"
#include "model/model.h"

/* An edge whose law follows from others: one voltage or current is another sum in this mode. */
typedef struct ct_tie {
    uint32_t component;
    bool across;   /* its across variable has this value, else its through variable */
    ct_expr value; /* over variables of other edges */
} ct_tie;

typedef struct ct_shadows ct_shadows;

/* Has the model modes? */
bool ct_model_is_modal(const ct_model *model);

/* Do initial values of the model count in shadows made from now on? They do at first. */
void ct_shadows_start(ct_shadows *shadows, bool given);

ct_shadows *ct_shadows_new(const ct_model *model);
const ct_mode_item *ct_shadow_items(const ct_shadows *shadows, uint32_t *count);
/* The model in the mode. It watches its items, so many values of each, then the records. Clocked:
 * it has one more state, time. */
const ct_model *ct_shadow(ct_shadows *shadows, const uint8_t *way, const ct_expr *record,
                          uint32_t record_count, const ct_tie *tie, uint32_t tie_count,
                          bool clocked);

#endif

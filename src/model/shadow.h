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

typedef struct ct_mode_item {
    uint32_t component, law;
    ct_law_kind kind;
    bool gap;       /* a pair that holds where a gap is closed */
    uint8_t way;    /* of the IF around it */
    uint32_t under; /* item of that IF, plus 1; 0: none */
} ct_mode_item;

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
/* Does the item hold in the mode? One below another branch of an IF does not. */
bool ct_item_stands(const ct_shadows *shadows, uint32_t item, const uint8_t *way);

/* Values of an item in the list of a shadow's `watch`: of an IF its condition as a. */
enum { CT_WATCH_A, CT_WATCH_B, CT_WATCH_LIMIT, CT_WATCH_HOLD, CT_WATCHES };
enum { CT_WATCH_GAP = CT_WATCH_HOLD }; /* of a pair */

/* The model in the mode. It watches its items, so many values of each, then the records. Clocked:
 * it has one more state, time. */
const ct_model *ct_shadow(ct_shadows *shadows, const uint8_t *way, const ct_expr *record,
                          uint32_t record_count, const ct_tie *tie, uint32_t tie_count,
                          bool clocked);

#endif

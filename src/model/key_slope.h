/* key_slope.h - partial derivatives in elements whose keys depend on their own variables
 * (key_slope.c). */
#ifndef CT_MODEL_KEY_SLOPE_H
#define CT_MODEL_KEY_SLOPE_H

#include "model/build.h"

/* Partial derivative of a function of an element's text, with the chain rule through its keys; 0:
 * it has none. */
ct_expr ct_slope_by(builder *b, element_scope *es, ct_expr f, ct_name x);
/* The same anywhere: of a model the definitions of params count, too. Warns where f is no function
 * of x (W650). */
ct_expr ct_slope_of(builder *b, const where *w, ct_expr f, ct_name x, ct_place place);
/* Does f depend on x, itself or through a key? */
bool ct_moves_by(builder *b, const element_scope *es, ct_expr f, ct_name x);
void ct_note_slots(builder *b, element_scope *es, ct_expr f); /* f will be differentiated */
void ct_publish_slopes(builder *b, element_scope *es);
/* Once the keys of a component are known: gives it a template with the slopes of those that depend
 * on its own variables. */
void ct_settle_slopes(builder *b, uint32_t component, const where *w, ct_node node);
/* The same element with these slopes (element_variant.c). */
const ct_element *ct_sloped_element(builder *b, const ct_element *e, const ct_key_slope *slope,
                                    uint32_t count, const where *w, ct_node component);

#endif

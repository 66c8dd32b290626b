/* law.h - elements with modes: which equations hold in which mode (law.c). */
#ifndef CT_MODEL_LAW_H
#define CT_MODEL_LAW_H

#include "base/vec.h"
#include "model/model.h"

/* How many equations stand in a branch (`under` plus 1 of its IF; 0: in none). */
uint32_t ct_law_rows(const ct_law *law, uint32_t count, uint32_t under, uint8_t way);

/* The equations for a way of each law; NULL: for all ways. */
void ct_law_equations(ct_context *ctx, ct_arena *arena, ct_pool *pool, const ct_law *law,
                      uint32_t count, const uint8_t *way, const ct_element_equation **equation,
                      uint32_t *made);

/* Does the law hold where those around it go these ways? */
bool ct_law_stands(const ct_law *law, uint32_t index, const uint8_t *way);

/* The element in a mode. Laws that go the way CT_WAY_FREE get an own unknown each. */
ct_element *ct_element_in_mode(const ct_model *model, ct_arena *arena, const ct_element *element,
                               const uint8_t *way);

/* Elements without the IFs that parameters of a component decide. */
typedef struct ct_settled_element {
    const ct_element *from;
    ct_element *to;
    const uint8_t *way;
} ct_settled_element;
typedef CT_VEC(ct_settled_element) ct_settled_list;

/* That of a component; its own: none is decided. */
const ct_element *ct_element_settled(const ct_model *model, uint32_t component, ct_arena *arena,
                                     ct_settled_list *list);

#endif

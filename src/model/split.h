/* split.h - the equations of an element, taken apart into linear terms and a rest.
 *
 *     sum of factor * variable + rest = 0
 *
 * over the variables of its edges (by their order: x, v, a are -1, 0, +1) and its own unknowns. One
 * split serves all components of the element.
 */
#ifndef CT_MODEL_SPLIT_H
#define CT_MODEL_SPLIT_H

#include "model/model.h"

typedef struct ct_split_term {
    uint32_t edge; /* UINT32_MAX: own unknown `own` */
    uint32_t own;
    bool across;
    int order;
    ct_expr factor; /* over the element's parameters */
} ct_split_term;

typedef struct ct_split_row {
    const ct_split_term *term;
    uint32_t term_count;
    ct_expr rest; /* over parameters and time */
    bool linear;
    ct_expr
        whole; /* left minus right, rates as symbols; 0: der or integral of more than a symbol */
} ct_split_row;

typedef struct ct_split {
    const ct_split_row *row; /* one for each equation */
    bool plain;              /* all rows are linear */
} ct_split;

/* Which variable a symbol of `whole` is, without a factor; false: none. */
bool ct_split_symbol(const ct_model *model, const ct_element *element, ct_name symbol,
                     ct_split_term *out);

const ct_split *ct_split_element(const ct_model *model, const ct_element *element, ct_arena *arena);

#endif

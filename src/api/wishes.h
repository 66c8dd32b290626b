/* wishes.h - a caller's choice of tree, sorted by what it concerns. */
#ifndef CT_API_WISHES_H
#define CT_API_WISHES_H

#include <cotree/cotree.h>

#include "base/vec.h"
#include "model/model.h"

typedef struct ct_sorted_wishes {
    const char *const *scalar;
    uint32_t scalar_count;
    const ct_mechanism *mechanism; /* the model's with these wishes; NULL: it has none */
} ct_sorted_wishes;

/* False: no such word for coordinates. */
bool ct_sort_wishes(const ct_model *model, const ct_tree_choice *choice, ct_arena *arena,
                    ct_sorted_wishes *out);

#endif

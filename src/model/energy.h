/* energy.h - is a function smooth enough for its gradient to be a law. */
#ifndef CT_MODEL_ENERGY_H
#define CT_MODEL_ENERGY_H

#include "expr/expr.h"

/* The word of an operator at which one of these expressions jumps as the variables change, found
 * by trial at points where such operators change over; NULL: none was found. */
const char *ct_find_kink(ct_pool *pool, const ct_expr *e, uint32_t count, const ct_name *variable,
                         uint32_t variable_count, ct_arena *arena);

#endif

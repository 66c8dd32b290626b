/* holding.h - inside the folder: forces that hold what slides or rests (holding.c). */
#ifndef CT_SIMULATE_HOLDING_H
#define CT_SIMULATE_HOLDING_H

#include "simulate/machine.h"

ct_expr ct_partial(const ct_machine *machine, ct_expr e, ct_name by); /* 0 where it has none */
/* The rate of e, over x and t, along f. */
ct_expr ct_rate_along(const ct_machine *machine, ct_expr e, const ct_expr *f);
/* Values of the symbols in (f, g) that keep these expressions as they are, over x and w; a row of g
 * that gives one leaves its place to a rate. False: they are not linear, or do not hold. */
bool ct_find_forces(const ct_machine *machine, ct_expr *f, const ct_expr *kept,
                    const ct_name *symbol, uint32_t count, ct_expr *value);

#endif

/* bodies.h - inside the folder: bodies and joints at one point. */
#ifndef CT_SIMULATE_BODIES_H
#define CT_SIMULATE_BODIES_H

#include "simulate/machine.h"

/* `J1.beta`, `slider.x` over z, t and parameters; 0: no such variable. */
ct_expr ct_body_variable(const ct_machine *machine, const char *name, ct_arena *arena,
                         const char **unit);

#endif

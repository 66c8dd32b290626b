/* bodies.h - inside the folder: bodies and joints at one point. */
#ifndef CT_SIMULATE_BODIES_H
#define CT_SIMULATE_BODIES_H

#include "simulate/machine.h"

/* `J1.beta`, `slider.x` over z, t and parameters; 0: no such variable. */
ct_expr ct_body_variable(const ct_machine *machine, const char *name, ct_arena *arena);

/* Adds what is known of bodies to a point; nothing for a model without. */
void ct_point_bodies(const ct_rig *rig, double t, const double *z, ct_point *point,
                     ct_arena *arena);

#endif

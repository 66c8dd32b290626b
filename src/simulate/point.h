/* point.h - inside the folder: names and values of all variables at one point. */
#ifndef CT_SIMULATE_POINT_H
#define CT_SIMULATE_POINT_H

#include "simulate/machine.h"

const ct_point *ct_point_new(ct_rig *rig, double t, const double *z, const char *method,
                             ct_arena *arena);
/* z at the start with these values; false after reporting. */
bool ct_begin_at(ct_rig *rig, double t, const ct_state_value *given, uint32_t count,
                 ct_arena *arena, double *z);

#endif

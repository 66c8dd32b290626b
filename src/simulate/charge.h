/* charge.h - inside the folder: rest that the equations do not determine. */
#ifndef CT_SIMULATE_CHARGE_H
#define CT_SIMULATE_CHARGE_H

#include "simulate/machine.h"

/* z: a rest of the network (rests), or where to search for one; from: its start. When directions
 * are left open z becomes the rest that is reached from there, with a warning (W537) that names
 * them; false: z is as it was, because nothing is open or no rest was found. */
bool ct_charge(ct_rig *rig, double t, bool rests, const double *from, double *z);

/* W537: moving z along these directions (count of them, rows of n + m) changes nothing
 * (charge_report.c). */
void ct_warn_open(const ct_rig *rig, double t, const double *z, const double *v, uint32_t count);

#endif

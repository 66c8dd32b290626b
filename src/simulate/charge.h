/* charge.h - inside the folder: rest that the equations do not determine. */
#ifndef CT_SIMULATE_CHARGE_H
#define CT_SIMULATE_CHARGE_H

#include "simulate/machine.h"

typedef enum ct_charged {
    CT_CHARGE_OPEN, /* nothing is open, or no rest was found: z is as it was */
    CT_CHARGED,     /* z is the rest that is reached from there; W537 names what was open */
    CT_NO_REST      /* directions are open, and no move along the others meets the equations */
} ct_charged;

/* z: a rest of the network (rests), or where to search for one; from: its start. */
ct_charged ct_charge(ct_rig *rig, double t, bool rests, const double *from, double *z);

/* W537: moving z along these directions (count of them, rows of n + m) changes nothing
 * (charge_report.c). */
void ct_warn_open(const ct_rig *rig, double t, const double *z, const double *v, uint32_t count);

#endif

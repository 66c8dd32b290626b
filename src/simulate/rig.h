/* rig.h - parts of a rig that only its own files share. */
#ifndef CT_SIMULATE_RIG_H
#define CT_SIMULATE_RIG_H

#include "simulate/machine.h"

/* ---- rig_values.c: false after reporting */
bool ct_rig_take_parameters(ct_rig *rig);
bool ct_rig_check_pivots(ct_rig *rig);
bool ct_rig_check_inertias(const ct_rig *rig);

/* ---- rig_breaks.c */

/* A time at which something jumps, moved a hair to the right. */
double ct_rig_right_side(const ct_rig *rig, double t);

/* ---- rig.c */
void ct_rig_set_point(ct_rig *rig, double t, const double *z);
/* An interrupted run sees numbers that are none, and gives up. */
void ct_rig_spoil(const ct_rig *rig, double *value);
/* Values, slopes and derivatives by time from what a bundle computes as a whole. */
void ct_bundle_part(const ct_bundle *b, uint32_t size, const double *whole, double *fg,
                    double *slope, double *drift);

#endif

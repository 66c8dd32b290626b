/* lookout.h - inside the folder: conditions that time alone decides, isolated ahead (lookout.c).
 *
 * No change of theirs is stepped over: interval arithmetic proves that there is none between two
 * candidates, and the side is that of the gap between them, whatever rounding says near its ends.
 */
#ifndef CT_SIMULATE_LOOKOUT_H
#define CT_SIMULATE_LOOKOUT_H

#include "simulate/machine.h"

/* Those of a rig; NULL: there are none. */
ct_lookouts *ct_lookouts_new(ct_rig *rig);
/* Before a run between these times, and where what the conditions read besides has changed. */
void ct_lookouts_begin(ct_rig *rig, double start, double stop);
void ct_lookouts_end(ct_rig *rig);
/* The same where a run comes from another rig, at t; NULL: from none. What that has found ahead is
 * taken over; what it does not have and reads time alone begins at the start of the run: looked at
 * from other times, rigs would not agree on its sides. */
void ct_lookouts_follow(ct_rig *rig, const ct_rig *from, double t, double start, double stop);
void ct_lookouts_refresh(ct_rig *rig, double t);
/* The side of root i at t; false: it is not looked out for. */
bool ct_lookout_side(ct_rig *rig, uint32_t root, double t, double *operand);
/* The root with the most zeros so far; UINT32_MAX: there is none. */
uint32_t ct_lookouts_busiest(const ct_rig *rig);
/* The next candidate > t; jumps: of those that are no kinks. */
double ct_lookouts_next(const ct_rig *rig, double t, bool jumps);

#endif

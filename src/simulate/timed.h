/* timed.h - inside the folder: functions of time and what a run does not change, over stretches of
 * time (timed.c). */
#ifndef CT_SIMULATE_TIMED_H
#define CT_SIMULATE_TIMED_H

#include "expr/range.h"
#include "simulate/machine.h"

typedef struct ct_timed {
    const ct_range_plan *plan; /* NULL: there is none */
    ct_bounds *symbol;
    const double **value; /* per symbol: where its value is; NULL: it is time */
    bool loose;           /* it reads more than time and parameters */
} ct_timed;

/* False: it reads unknowns. */
bool ct_timed_make(const ct_rig *rig, ct_expr e, ct_timed *out);
/* *jumps: it may jump between these times. */
ct_bounds ct_timed_range(const ct_timed *f, double low, double high, bool *jumps);
double ct_timed_at(const ct_timed *f, double t);

void ct_take_swings(ct_rig *rig);
/* The longest step that follows the sines in the equations between these times; 0: any. Those that
 * turn too often in a run of this length are not followed. */
void ct_follow_swings(const ct_rig *rig, ct_run_def *def);

#endif

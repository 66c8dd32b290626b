/* past.h - inside the folder: delays. What a delayed signal was is kept as polynomials of time.
 *
 * A delayed value is a discrete whose place among the variables is filled at every evaluation with
 * what its signal was T ago. No step is longer than the shortest T, so that all of the past is
 * known. Where the signal jumps or bends at t, its delay does so at t + T: a break.
 */
#ifndef CT_SIMULATE_PAST_H
#define CT_SIMULATE_PAST_H

#include "simulate/machine.h"

ct_past *ct_past_new(ct_rig *rig); /* NULL: nothing is delayed */
/* A run begins: nothing is known of the past. Then each delay; false after reporting (E584). */
void ct_past_begin(ct_rig *rig, double start);
bool ct_past_take(ct_rig *rig, uint32_t act, double delay, double span);
void ct_past_end(ct_rig *rig);
/* Another mode of the same run: its past goes on. */
void ct_past_share(ct_rig *rig, const ct_rig *from);
/* The longest step, at most `most`; errors are seen against this part of what was. */
double ct_past_step(const ct_rig *rig, double most, double tolerance);
/* Sets the delayed values at time t. */
void ct_past_set(ct_rig *rig, double t);
double ct_past_next(const ct_rig *rig, double t); /* break */
/* What a delay gives, and gave ever before. */
void ct_past_rests(ct_rig *rig, uint32_t discrete, double value);
/* For problem.h. */
void ct_past_break(void *rig, double t);
void ct_past_passed(void *rig, double from, double to, ct_point_at at, void *of);

/* ---- rest (past_rest.c)
 *
 * Where nothing changes, a delay gives what it takes: what they give are unknowns d behind those
 * of the rig, with v - d = 0. Ages rest at zero. */

const ct_problem *ct_past_rest(ct_rig *rig); /* NULL after reporting */
/* Does rest determine all of y = (z, d)? Else E584. */
bool ct_past_is_settled(ct_rig *rig, const ct_problem *rest, double t, const double *y);
void ct_past_guess(const ct_rig *rig, double *d);
void ct_past_settle(ct_rig *rig, const double *d);
/* The component of the delay with this d. */
const char *ct_past_owner(const ct_rig *rig, uint32_t d, ct_place *place);

#endif

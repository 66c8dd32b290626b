/* blow.h - inside the folder: impacts that follow each other, and end in rest (blow.c).
 *
 * A blow gives a variable the other sign, and less of it. Blows end where they follow each other
 * ever faster; where one leaves nothing; and where what it set turns back although the condition of
 * the event has stayed true: it has not risen above rounding. From there on a force holds it, until
 * that would have to pull or an impulse from elsewhere strikes it.
 */
#ifndef CT_SIMULATE_BLOW_H
#define CT_SIMULATE_BLOW_H

#include "simulate/push.h"

typedef struct ct_blows ct_blows;

ct_blows *ct_blows_new(ct_rig *rig, ct_pushing *pushing);
void ct_blows_begin(ct_blows *blows, double start, double stop);
void ct_blows_take(ct_blows *blows, const ct_blows *from); /* of the same model in another mode */
void ct_blows_lose(ct_blows *blows);                       /* what rested there cannot here */

void ct_blows_remember(ct_blows *blows, double t, const double *z); /* before something jumps */
/* An instant: what there was before events act; what each sets; what there is then. */
const double *ct_blows_before(ct_blows *blows, double t, const double *z);
void ct_blow(ct_blows *blows, uint32_t act, uint32_t push, double t, double value);
void ct_blows_after(ct_blows *blows, double t, const double *z);

/* Has the condition turned true by rounding alone? Values are what the act would set. */
bool ct_blow_is_rounding(ct_blows *blows, uint32_t act, double t, const double *z,
                         const double *value);
/* The condition of an act is false: what it has set is clear of it. */
void ct_blows_clear(ct_blows *blows, uint32_t act);
/* Something that rested was struck against what held it: its event happens again. */
bool ct_blow_is_due(ct_blows *blows, const ct_act *act);
/* Begins and ends rest; changed: the equations are others. CT_REPORTED: E564. */
ct_solve_status ct_blows_settle(ct_blows *blows, double t, double *z, bool *changed);
/* > 0 as long as nothing turns back under a condition that has stayed true. */
double ct_blows_hold(ct_blows *blows, double t, const double *z);
/* Quantities of conditions, per root: what a blow throws back leaves only beyond rounding. */
void ct_blows_lift(ct_blows *blows, double t, const double *z, double *quantity);
void ct_blows_end_lift(ct_blows *blows, double t, const double *z); /* of those that have left */
/* What rests changes no side of its own condition: rounding would. */
bool ct_blows_mask(const ct_blows *blows, uint32_t root);
/* E564: blows were at an end, but nothing can hold; false: there were none. */
bool ct_report_blows(const ct_rig *rig, double t);

#endif

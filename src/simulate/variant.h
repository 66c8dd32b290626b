/* variant.h - inside the folder: equations while something slides or rests (variant.c).
 *
 * Slides: on both sides of a condition the motion leads to it; then the condition's value is what
 * keeps it at zero (Filippov), between its two sides. Rests: what an event sets again and again in
 * ever shorter times stays at zero, held by the impulses' limit, a force in their direction.
 */
#ifndef CT_SIMULATE_VARIANT_H
#define CT_SIMULATE_VARIANT_H

#include "simulate/machine.h"

/* NULL: nothing can slide or rest. */
ct_variants *ct_variants_new(ct_rig *rig);
void ct_variants_begin(ct_rig *rig);
void ct_variants_end(ct_rig *rig); /* tells what slid and rested */

/* Goes on with what rests in another rig of the same model in another mode; false: it cannot. */
bool ct_variants_take(ct_rig *rig, const ct_rig *from);

/* Has a condition changed its side and would change it back at once? Then it slides: true. */
bool ct_starts_sliding(ct_rig *rig, double t, const double *z);
typedef enum ct_hold {
    CT_HOLDS,
    CT_HOLD_NEEDLESS, /* nothing leads on: it would have to pull */
    CT_HOLD_UNKNOWN,  /* the equations cannot tell what would hold it */
} ct_hold;

typedef struct ct_resting {
    uint32_t push;    /* a variable of driven->push */
    double direction; /* in which it is pushed */
    double since;
} ct_resting;

/* These rest from now on, besides what rests already. Needless: the worst of them is wrong. */
ct_hold ct_start_rest(ct_rig *rig, const ct_resting *list, uint32_t count, double t,
                      const double *z, uint32_t *wrong);
void ct_end_rest(ct_rig *rig, uint32_t push);
bool ct_rests(const ct_rig *rig, uint32_t push);
/* Leaves what does not hold any more: true if there was something. */
bool ct_leave_variant(ct_rig *rig, double t, const double *z);
/* > 0 as long as the variant holds. */
double ct_variant_holds(ct_rig *rig, double t, const double *z);
bool ct_slides(const ct_rig *rig, uint32_t root);
/* Forces that hold what rests, for what reads them; zero where nothing does. */
void ct_set_forces(ct_rig *rig, double t, const double *z);

/* The equations without anything that slides or rests: what impulses and jumps move. */
const ct_problem *ct_plain_problem(const ct_rig *rig);
/* Makes rig->held and the columns those of the present variant; false after reporting. */
bool ct_use_variant(ct_rig *rig);
/* The columns at rig->variable; false: the usual ones. */
bool ct_variant_columns(ct_rig *rig, double *column);

#endif

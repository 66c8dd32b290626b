/* impact.h - inside the folder: impacts that happen at once, by a rule (impact.c).
 *
 *     newton    P >= 0,  u+ + e u- >= 0,  one of them zero, for each contact that touches
 *     poisson   until nothing approaches; then e times these impulses, and what is needed besides
 *
 * Contacts without rule hit one after the other.
 */
#ifndef CT_SIMULATE_IMPACT_H
#define CT_SIMULATE_IMPACT_H

#include "simulate/push.h"

typedef struct ct_contact {
    uint32_t act, push;
    ct_impact_rule rule;
} ct_contact;

/* Of the machine: events with a rule. */
typedef struct ct_contacts {
    uint32_t count;
    const ct_contact *at;
    const ct_expr *gap_expr; /* of each: its distance, then its restitution */
    const ct_program *gap;
} ct_contacts;

typedef struct ct_impacts ct_impacts;

/* NULL: there are none, or after reporting (*good). */
const ct_contacts *ct_contacts_new(const ct_machine *machine, bool *good);
ct_impacts *ct_impacts_new(ct_rig *rig, const ct_contacts *contacts);
/* Impulses of all contacts that touch and have the rule of one that happens now; those that happen
 * are marked as done. z is moved. */
ct_solve_status ct_impacts_now(ct_impacts *impacts, ct_pushing *pushing, double t, double *z,
                               bool *now);

#endif

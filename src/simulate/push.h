/* push.h - inside the folder: variables that events set by impulses (push.c). */
#ifndef CT_SIMULATE_PUSH_H
#define CT_SIMULATE_PUSH_H

#include "simulate/machine.h"

/* Of the machine: one for each of driven->push. */
typedef struct ct_pushes {
    uint32_t count;
    bool algebraic;          /* what is set reads w */
    const ct_program *slope; /* how rates and residuals depend on impulses, one after the other */
    const ct_program *variable; /* what each sets */
    const ct_program *gradient; /* by x and w, one after the other; then by t */
} ct_pushes;

typedef struct ct_pushing ct_pushing;

/* variable: what each sets, over x, w, t, discretes. NULL after reporting. */
const ct_pushes *ct_pushes_new(const ct_machine *machine, const ct_expr *variable);
bool ct_pushes_read_unknowns(const ct_machine *machine, const ct_expr *variable, uint32_t count);
ct_pushing *ct_pushing_new(ct_rig *rig, const ct_pushes *pushes);

/* Impulses so that these variables have these values; z is moved. CT_SINGULAR: they do not give
 * way. */
ct_solve_status ct_push_to(ct_pushing *pushing, double t, double *z, const uint32_t *which,
                           const double *value, uint32_t count);
/* How unit impulses move the variables: matrix[i*count + k], of variable i by impulse k; z_k are
 * the moves of x and w. */
ct_solve_status ct_push_matrix(ct_pushing *pushing, double t, const double *z,
                               const uint32_t *which, uint32_t count, double *matrix);
/* Values of all variables at a point. */
const double *ct_push_values(ct_pushing *pushing, double t, const double *z);
/* What rounding makes of one of them, at most. */
double ct_push_rounding(ct_pushing *pushing, double t, const double *z, uint32_t which);
/* Impulses since the instant began: of each, then of w. */
const double *ct_push_impulses(const ct_pushing *pushing);
void ct_push_begin(ct_pushing *pushing);
/* Moves z by an impulse, after ct_push_matrix; then w is solved for, if what is set reads it. */
void ct_push_by(ct_pushing *pushing, uint32_t which, double impulse, double *z);
ct_solve_status ct_push_settle(ct_pushing *pushing, double t, double *z);
/* What did not give way since the instant began; the count of all: nothing. */
uint32_t ct_push_stuck(const ct_pushing *pushing);
/* The constraint between speeds that holds what is set; UINT32_MAX: none. */
uint32_t ct_push_apart(const ct_pushing *pushing);

#endif

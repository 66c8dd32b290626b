/* affine.h - a rig's equations as a linear system with constant coefficients. */
#ifndef CT_SIMULATE_AFFINE_H
#define CT_SIMULATE_AFFINE_H

#include "simulate/machine.h"

typedef struct ct_affine_form ct_affine_form;

/* NULL: the equations never are linear, or are too large to be worth it. */
ct_affine_form *ct_affine_form_new(ct_rig *rig);
/* For ct_problem.affine. */
bool ct_affine_between(void *rig, double t, double end, ct_affine *out);

#endif

/* dynamics_regroup.h - formulas for what dependent parameters of inertia add to others. */
#ifndef CT_EXPORT_DYNAMICS_REGROUP_H
#define CT_EXPORT_DYNAMICS_REGROUP_H

#include "export/dynamics.h"

/* What numbers told of a column: ten columns a body, m, m c, Ixx Iyy Izz Ixy Ixz Iyz. */
typedef enum ct_column { CT_KEPT, CT_DEPENDS, CT_WITHOUT } ct_column;

typedef struct ct_regroup {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool; /* of the mechanism */
    const ct_mechanism *mechanism;
    const ct_column *of;
    uint32_t columns;
    double (*value)(const void *user, ct_expr e); /* of an expression of parameters */
    const void *user;
    void *made;
} ct_regroup;

void ct_regroup_open(ct_regroup *x);
/* By kept column: the text of the factor with which a dependent one adds to it; NULL: it is a
 * number. NULL for all: formulas do not give the numbers `weight`. */
const char **ct_regroup_factors(const ct_regroup *x, uint32_t column, const double *weight);

#endif

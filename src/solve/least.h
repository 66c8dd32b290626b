/* least.h - the step of least change for J d = -r, whatever the shape and the rank of J.
 *
 *     d = -J^T (J J^T + mu)^-1 r      mu -> 0: the least d among those that make |r + J d| least
 *
 * Columns may be scaled (the change of each unknown is measured in units of its own) and rows too.
 */
#ifndef CT_SOLVE_LEAST_H
#define CT_SOLVE_LEAST_H

#include "solve/linear.h"

typedef struct ct_least {
    uint32_t rows, cols, count;
    const uint32_t *start, *row;
    double *value, *r, *trial_r; /* J and residuals, scaled */
    double *y, *step;            /* trial point, step (not scaled) */
    double *column_scale, *row_scale;
    double size; /* a bound of the norm of J */
    bool dense;
    double *singular, *left, *right; /* dense: J = left right^T or its transpose, with norms */
    /* sparse: [alpha I, J; J^T, -alpha I], alpha = sqrt(mu) */
    uint32_t *big_start, *big_row, *mirror; /* mirror: entry of J for each entry of J^T */
    double *big_value, *big_b;
    ct_pattern pattern;
    ct_linear *linear;
} ct_least;

enum { CT_LEAST_DENSE_LIMIT = 48 };

ct_least *ct_least_new(ct_arena *arena, uint32_t rows, uint32_t cols, const uint32_t *start,
                       const uint32_t *row);
void ct_least_free(ct_least *least);

/* To be called when value[] has changed. */
void ct_least_decompose(ct_least *least);
/* step from r; mu is relative to the square of size. */
ct_solve_status ct_least_step(ct_least *least, double mu);

/* The iteration. scale: called at each new point after the Jacobian, may set the scales; r and
 * value are given unscaled by the residual. goal is for the norm of the scaled residual. */
typedef struct ct_least_goal {
    double goal;
    void (*scale)(void *user, ct_least *least, const double *y);
    void *user;
} ct_least_goal;
ct_solve_status ct_least_iterate(ct_least *least, const ct_residual *residual,
                                 const ct_least_goal *goal, double *y, double *norm);

/* svd.c: columns of a (p by q) made orthogonal by rotations: a <- a v, v orthogonal (q by q). */
void ct_orthogonalize(double *a, double *v, uint32_t p, uint32_t q);

#endif

/* esdirk.h - large nonlinear systems R(t, z, q') = 0, q = q(t, z): what is stored is integrated.
 *
 * A singly diagonally implicit Runge-Kutta method of order 4 with an explicit first stage, stiffly
 * accurate and L-stable, with an embedded one of order 3 [C. A. Kennedy, M. H. Carpenter, Applied
 * Numerical Mathematics 44 (2003): ARK4(3)6L[2]SA, its implicit part]. In each stage
 * q' = alpha (q(z) - base), Newton's method solves R = 0 for z. Charges q are carried from step to
 * step; z may jump where functions of time do.
 */
#ifndef CT_SOLVE_ESDIRK_H
#define CT_SOLVE_ESDIRK_H

#include "solve/linear.h"
#include "solve/part.h"

typedef struct ct_stored_system {
    void *user;
    uint32_t n, charge_count;
    ct_linear *linear;                         /* matrix dR/dz; evaluate fills it */
    void (*inputs)(void *user, double t);      /* functions of time are those at t from now on */
    void (*move)(void *user, const double *z); /* what follows is at z, and at this time */
    /* R for q' = alpha (q(z) - base), and its matrix where that is wanted. fresh: z has nothing to
     * do with the last one; else it may be evaluated nearer to that. How many parts are evaluated
     * beside z. */
    uint32_t (*evaluate)(void *user, double alpha, const double *base, bool fresh, bool matrix,
                         double *residual);
    /* What R changes by where q' = alpha (q(z) - base) changes by rate, at z. */
    void (*respond)(void *user, double alpha, const double *base, const double *rate,
                    double *residual);
    /* Do tangents from the last evaluation still hold? */
    bool (*holds)(void *user);
    /* Is z so near to the last evaluation that iterations converge as they did? */
    bool (*is_close)(void *user);
    void (*charges)(void *user, double *q);
    /* Charges are counted from here on: large ones do not hide how they change. */
    void (*refer)(void *user);
    /* What takes part. rest: parts that will not move any more leave it, others come; residual is
     * room for R. wake: beside the solution z, with the residual in counted rows where it was found
     * and the last step of Newton's method elsewhere; it is taken along to z. All of them tell
     * whether anything has changed. NULL: all take part. */
    const ct_active_part *part;
    bool (*rest)(void *user, const ct_drift *drift, double *residual);
    bool (*wake)(void *user, double alpha, const ct_drift *drift, double *residual);
    bool (*wake_all)(void *user);
    double (*next_break)(void *user, double t); /* where something jumps or kinks; NULL: nowhere */
    /* Is what is stored the same just before and just after a break? */
    bool (*keeps)(void *user, double t, const double *z, double after, const double *z_after);
    const bool *stored; /* per unknown: its error counts */
    /* Errors of unknowns that no row reads may count by the largest of their kind so far, too: what
     * has not moved yet is not small. 0: by itself. most: of what is known, it is raised. */
    const uint32_t *kind;
    uint32_t kind_count;
    void (*lift)(void *user, double *most);
    const uint32_t *watch;
    uint32_t watch_count; /* unknowns that rows read */
    /* Watched unknowns at t; functions of time are to be taken at `at`. False: stop. */
    bool (*row)(void *user, double t, double at, const double *z);
    uint32_t shown_count; /* of what rows show beyond z: errors count in it, too */
    void (*shown)(void *user, double at, const double *z, double *value);
    bool (*interrupted)(void *user);
} ct_stored_system;

/* From charges q at def->start; z: a guess there. settled: z is what holds there, for the first
 * row. def->row is not called. CT_CHANGED: what is stored jumps. */
ct_solve_status ct_esdirk(ct_context *ctx, const ct_stored_system *system, const ct_run_def *def,
                          bool settled, double *z, const double *q, ct_run_stats *stats);

#endif

/* radau.h - large linear systems E z' + A z + Ex u' + Ax u = 0 with constant matrices.
 *
 * u are given functions of time. The implicit Runge-Kutta method Radau IIA of order 9 is stiffly
 * accurate, so that algebraic rows (zero in E and Ex) hold exactly at the end of each step. Because
 * the system is linear, a step costs one real and two complex solves (and a real one for the error
 * estimate) and no iteration;
 * factors depend on the step size alone, which is therefore kept or doubled, and factors of the
 * last few sizes are kept.
 *
 * Only q = E z + Ex u is carried from step to step; z may jump with u.
 */
#ifndef CT_SOLVE_RADAU_H
#define CT_SOLVE_RADAU_H

#include "solve/pencil.h"

enum { CT_RADAU_STAGES = 5, CT_RADAU_PAIRS = 3 }; /* pairs: the real eigenvalue and two pairs */

typedef struct ct_radau_table {
    double c[CT_RADAU_STAGES];
    ct_complex lambda[CT_RADAU_PAIRS]; /* the first is real; one of each pair */
    ct_complex t[CT_RADAU_STAGES][CT_RADAU_PAIRS];
    ct_complex inverse[CT_RADAU_PAIRS][CT_RADAU_STAGES];
    double error[CT_RADAU_STAGES];
} ct_radau_table;

extern const ct_radau_table ct_radau_9;

typedef struct ct_linear_dae {
    ct_pencil *pencil;
    uint32_t u_count;
    const int *u_start, *u_row; /* Ex, Ax by columns */
    const double *u_e, *u_a;
    void *user;
    void (*inputs)(void *user, double t, double *u);
    double (*next_break)(void *user, double t); /* where u may jump or kink; NULL: nowhere */
    /* z just after u has jumped or kinked from `before` to `after`, from that just before. False:
     * it cannot be told. */
    bool (*restart)(void *user, const double *before, const double *after, double *z);
    bool restart_always;   /* at every break; else only where u jumps */
    const uint32_t *watch; /* entries of z that rows read */
    uint32_t watch_count;
    /* One row: watched entries of z and u, and their rates; fresh: just after a start or restart,
     * with rates that are those of the user. False: stop. */
    bool (*row)(void *user, double t, bool fresh, const double *z, const double *dz,
                const double *u, const double *du);
    /* What rows show beyond z, of the same: errors count in it, too. 0: nothing. */
    uint32_t shown_count;
    void (*shown)(void *user, double t, const double *z, const double *dz, const double *u,
                  const double *du, double *value);
} ct_linear_dae;

/* From a consistent z at def->start; def->row is not called. */
ct_solve_status ct_radau(ct_context *ctx, const ct_linear_dae *dae, const ct_run_def *def,
                         double *z, ct_run_stats *stats);

#endif

/* radau_step.h - one step of Radau IIA, inside of radau*.c. */
#ifndef CT_SOLVE_RADAU_STEP_H
#define CT_SOLVE_RADAU_STEP_H

#include "solve/gauge.h"
#include "solve/radau.h"
#include "solve/span.h"

enum { CT_RADAU_SIZES = 12 }; /* step sizes whose factors are kept */

/* Factors for one step size. */
typedef struct ct_radau_size {
    double h;
    uint64_t used;
    ct_factor *factor[CT_RADAU_PAIRS];
} ct_radau_size;

typedef struct ct_radau_run {
    const ct_linear_dae *dae;
    const ct_run_def *def;
    ct_run_stats *stats;
    ct_arena *arena;
    uint32_t n;
    double rtol, atol;
    ct_span span;              /* u is evaluated inside of it */
    bool *differential;        /* per z */
    double *z, *next;          /* at t, at t + h */
    double *q;                 /* at t */
    double *r;                 /* q' at t */
    double *y[CT_RADAU_PAIRS]; /* transformed stages */
    double *error, *work, *stiff, *slow;
    double *storage;                /* diagonal of E */
    ct_gauge gauge;                 /* of watched z, and of their rates behind them */
    double *shown_at, *shown_off;   /* these at the end of a step, and their errors */
    double *u[CT_RADAU_STAGES + 1]; /* at t and at the stages */
    double *watched[CT_RADAU_STAGES + 1];
    double *u_rate[CT_RADAU_STAGES + 1], *watched_rate[CT_RADAU_STAGES + 1];
    bool begun; /* the stretch: the beginning of the step is the end of another */
    double *row_z, *row_dz, *row_u, *row_du;
    double *before, *after; /* u at a break */
    double *most_u;         /* so far */
    ct_radau_size size[CT_RADAU_SIZES];
    int size_count;
    uint64_t next_check; /* of rounding: so many steps */
    double lost;         /* by rounding of what is stored, in tolerances */
    uint64_t clock;
    bool fresh; /* z is that of a start or restart */
} ct_radau_run;

/* ---- radau_step.c */

void ct_radau_inputs(const ct_radau_run *r, double t, double *u);
void ct_radau_carry(ct_radau_run *r); /* q and q' of r->z and r->u[0] */
/* The step of r->span; error: in tolerances. */
ct_solve_status ct_radau_try(ct_radau_run *r, double h, bool rough, double *error);
ct_solve_status ct_radau_factors(ct_radau_run *r, double h, ct_radau_size **out);
/* Values at x of the step's polynomials over nodes first .. CT_RADAU_STAGES. */
void ct_radau_lagrange(int first, double x, double *value);
void ct_radau_blend(const double *const *from, int count, const double *by, double scale,
                    uint32_t entries, double *out);

/* ---- radau_shown.c */

void ct_radau_take_gauge(ct_radau_run *r);
/* The largest error of what is shown in tolerances, by r->error. */
double ct_radau_shown(ct_radau_run *r, const ct_radau_size *s);
/* Does rounding of the matrix lose more than the tolerances, with so many more steps like this? */
bool ct_radau_loses_digits(ct_radau_run *r, const ct_radau_size *s, double steps);
/* A step of this length is so short that rates are more rounding than what is shown of them allows.
 */
bool ct_radau_rounds_rates(ct_radau_run *r, double h);

#endif

/* step_rk.h - what the files of the Runge-Kutta method share: its memory, and how invariants are
 * met.
 */
#ifndef CT_SOLVE_STEP_RK_H
#define CT_SOLVE_STEP_RK_H

#include "solve/gauge.h"
#include "solve/stiffness.h"

enum { STAGES = 7, DENSE = 4, PAST = 6, VECTORS = 7 + 2 * PAST + STAGES + 2 * DENSE };

/* A move by the invariants that asks for new slopes, in tolerances; margins of a singular position:
 * where stages are brought back, where steps take care, behind a leap over it; the accuracy near
 * it.
 */
#define CT_RK_SMALL_MOVE         0.01
#define CT_RK_MENDED_MARGIN      0.1
#define CT_RK_CAREFUL_MARGIN     0.05
#define CT_RK_LEAP_MARGIN        5e-4
#define CT_RK_SINGULAR_TOLERANCE 1e-9

/* The polynomial of a step from `before` on. */
typedef struct rk_curve {
    double to;
    double *dense[DENSE];
    enum trust { UNKNOWN, GOOD, POOR } inside; /* is it? */
} rk_curve;

typedef struct rk {
    double *z, *next, *stage, *weight; /* stage: argument of the stage being evaluated */
    double *block;                     /* of all vectors */
    double *k[STAGES];
    double *before;
    rk_curve whole, part; /* the last step; a shorter one that ends where an event cuts it */
    double *part_slope;   /* at its end */
    ct_gauge gauge;
    double fastest;       /* rate of the system: lambda */
    double tried, memory; /* error of the last accepted step */
    uint32_t culprit;
    ct_stiffness stiffness;
    bool held_back;                        /* by stiffness: the last step tried */
    bool near;                             /* a singular position */
    double margin, approach;               /* of the last point; how fast the margin falls */
    double move;                           /* by the invariants, of the last point */
    double *loose;                         /* a point before it is brought back to the invariants */
    double *past[PAST], *past_slope[PAST]; /* good points some way back, the latest one last */
    double past_time[PAST], largest_gap;   /* between points of the past */
    uint32_t past_count, followed;         /* points of the past: all, and of the last leap */
    bool leapt;                            /* the last step followed the curve of the past */
} rk;

/* The new point back to the invariants; its error then. */
double ct_rk_bring_back(ct_stepper *s, rk *r, double t, double error);
double ct_rk_time_left(const rk *r);
void ct_rk_remember(ct_stepper *s, rk *r, double h);
/* A point of the curve that the last leap has followed. */
void ct_rk_follow(const rk *r, uint32_t n, double t, double *z);
bool ct_rk_leap(ct_stepper *s, rk *r, double stop, bool accurate);

#endif

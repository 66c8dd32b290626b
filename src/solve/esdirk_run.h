/* esdirk_run.h - inside the folder: a run of esdirk.c, and Newton's method in it (esdirk_newton.c).
 */
#ifndef CT_SOLVE_ESDIRK_RUN_H
#define CT_SOLVE_ESDIRK_RUN_H

#include <math.h>

#include "solve/esdirk.h"
#include "solve/esdirk_kernel.h"
#include "solve/esdirk_table.h"
#include "solve/span.h"

enum { STAGES = CT_ESDIRK_STAGES, LAST = STAGES - 1 };

typedef struct esdirk {
    const ct_stored_system *s;
    const ct_run_def *def;
    ct_run_stats *stats;
    ct_arena *arena;
    uint32_t n, m;
    double rtol, atol;
    ct_span span;
    double *z[STAGES], *rate[STAGES]; /* stages; rates of charges */
    double *before, *middle;          /* z of the last step: its start, and at ct_esdirk_node[3] */
    double before_h;                  /* its size; 0: there is none in this stretch */
    double *q, *next_q, *base, *off, *residual, *step;
    double *most; /* the largest z so far */
    double *most_of_kind;
    double *watched[STAGES], *row_z, *shown_here, *shown_there, *shown_most;
    ct_esdirk_dense dense;
    double curvature;  /* of Newton's iteration, in tolerances */
    double factored;   /* alpha of the matrix that is factored; NAN: none */
    double shrink;     /* of steps with an old matrix: one by the one before */
    bool bends;        /* tangents did not hold over the last first step */
    bool bent;         /* nor in some stage of this step */
    double farthest;   /* a guess may be, in tolerances */
    double leave;      /* by so much farther than usual, as was learnt */
    bool hopeless;     /* one was farther: the step is not worth its stages */
    uint32_t given_up; /* so were so many: what jumps at once is far at any step */
    bool settled;      /* z is known where the stretch begins */
    bool last;         /* stage of the step: errors are estimated with its matrix */
} esdirk;

/* Without a call, unlike fmax(); of two numbers. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What an unknown may be off by. */
static inline double weight(const esdirk *r, uint32_t i, const double *z)
{
    return r->atol + r->rtol * larger(r->most[i], fabs(z[i]));
}

/* r->base is set; z: a guess, becomes the solution. goal: what may be left, in tolerances. */
bool ct_esdirk_solve(esdirk *r, double alpha, double goal, double *z);
/* One iteration from where the system stands, with a new matrix or the last one: the size of its
 * step in tolerances, INFINITY: none could be made. */
double ct_esdirk_iterate(esdirk *r, double alpha, double *z, bool fresh, bool matrix,
                         uint32_t *beside);
void ct_esdirk_rest(esdirk *r); /* after a step: parts may come to rest */
void ct_esdirk_wake_all(esdirk *r);

#endif

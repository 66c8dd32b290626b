/* run.h - one integration: the state shared by the driver and the methods. */
#ifndef CT_SOLVE_RUN_H
#define CT_SOLVE_RUN_H

#include "solve/newton.h"

typedef struct ct_stepper ct_stepper;

typedef struct ct_integration {
    ct_context *ctx;
    ct_arena *arena;
    const ct_problem *problem;
    const ct_run_def *def;
    ct_run_stats *stats;
    uint32_t n, m, size;
    double span;        /* of the whole run */
    double rtol, *atol; /* what the method in use may make of the tolerances; atol of each z */
    /* The stretch between two discontinuities. Inputs are evaluated strictly inside it, so that
     * both ends see the values of this stretch and not those of its neighbours. */
    double inside_first, inside_last;
    /* Where the stretch began. Methods, and all that looks into their steps, count time from there:
     * behind a jump steps may be shorter than what t resolves. */
    double origin;
    ct_newton *algebraic;           /* w from x */
    struct ct_projector *projector; /* NULL: the problem has no invariants */
    double *jacobian;               /* of the problem, last one asked for */
    double turning;                 /* rate of the fastest phase, where it was last looked at */
    double bent_rate, *bent;        /* of the fastest one that is no sum, at the last step's end */
    double angle_rate;              /* of the fastest angle of conditions, in the last window */
    uint32_t bad; /* equation that was not finite in the last evaluation, or UINT32_MAX */
} ct_integration;

/* Times of methods are those since the origin, here and below. (f, g) at z; false: not finite. */
bool ct_run_evaluate(ct_integration *run, double t, const double *z, double *fg);
void ct_run_jacobian(ct_integration *run, double t, const double *z, double *value);
/* (f, g), Jacobian and derivatives by t, of a problem that gives them at once; false: not finite.
 */
bool ct_run_linearise(ct_integration *run, double t, const double *z, double *fg, double *value,
                      double *drift);
/* How much of (f, g) rounding of z alone makes, by the last Jacobian. */
void ct_run_noise(const ct_integration *run, const double *z, double *fg);
/* Bend of (f, g) at t along the last step: what it turns within a hair times the step, an eighth of
 * it. point and part are scratch; false: not finite. */
bool ct_run_bend(ct_stepper *s, double t, double *point, double *part, double *bend);
/* The longest step from here; 0: any. Rates are looked at here and in ct_run_linearise(). */
void ct_run_look_at_phases(ct_integration *run, const double *rate);
void ct_run_measure_phases(ct_stepper *s, double *point); /* after a step; point is scratch */
double ct_run_longest(const ct_integration *run);
/* Where a step of a method with a memory has to end at the latest, at most at stop: for the phases
 * of states; and for those of conditions, because it begins anew at each of their changes. */
double ct_run_reach(const ct_integration *run, double t, double stop);
void ct_run_note_swings(ct_integration *run, double h); /* that this step has passed over */
/* The time at which the problem is evaluated: of t since the origin, and of a time of the run. */
double ct_run_inside(const ct_integration *run, double t);
double ct_run_clipped(const ct_integration *run, double time);
/* Begins at z: own is the method's copy of it, rate its slopes; the coordinates are chosen. */
bool ct_run_begin(ct_stepper *s, double t, const double *z, double *own, double *rate);
/* Vectors of a method, one behind the other; gives what is left. */
double *ct_lay_out(double **const need[], size_t count, double *block, size_t length);

/* One method of integration. start() begins afresh, step() makes one step of its own choice that
 * does not pass `stop`, at() evaluates the solution between before and t. */
struct ct_stepper {
    const char *name;
    ct_integration *run;
    void *self;
    ct_solve_status (*start)(ct_stepper *s, double t, const double *z, double stop);
    ct_solve_status (*step)(ct_stepper *s, double stop);
    void (*at)(ct_stepper *s, double t, double *z);
    /* The same, of the step's polynomial, at little cost. NULL: at() costs little. */
    void (*rough)(ct_stepper *s, double t, double *z);
    void (*mend)(ct_stepper *s, double t, double *z); /* the stiff part of z at t. NULL: is good */
    /* The same as at(), by a step that ends at t and has seen nothing beyond. false: cannot. NULL:
     * there is no better than at(). */
    bool (*land)(ct_stepper *s, double t, double *z);
    /* Likewise for many times before `end`, by the polynomial of one step that ends there. NULL,
     * false: land. */
    bool (*part)(ct_stepper *s, double end, double t, double *z);
    /* How much a kink at t within the last step may have added to its error, in tolerances. NULL:
     * cannot tell. */
    double (*kink)(ct_stepper *s, double t);
    uint32_t (*culprit)(ct_stepper *s); /* variable with the largest error, or UINT32_MAX */
    void (*free)(ct_stepper *s);        /* gives back what it has */
    double before, t;                   /* the last step, since the origin */
    double h;                           /* its size, or the one to try next */
    const double *z;                    /* the solution at t */
    bool stiff;                         /* the method suffers from stiffness */
    double share; /* of the tolerances, for the error of a step: errors of many steps add up */
};

/* The maker of a row of methods.def. All memory from the arena; open() makes what SUNDIALS owns,
 * without unwinding. */
ct_stepper *ct_method_stepper(ct_method method, ct_integration *run);
#define METHOD(name, word, maker, traits, help) ct_stepper *maker(ct_integration *run);
#include "solve/methods.def"
ct_stepper *ct_stepper_idas(ct_integration *run); /* for bdf of algebraic equations */
/* For stretches where the problem is linear: elsewhere start() gives up. NULL: it never is. */
ct_stepper *ct_stepper_exact(ct_integration *run);

#endif

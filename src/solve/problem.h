/* problem.h - what the numerical solvers see of a system: numbers only.
 *
 *     x' = f(t, x, w)      n differential equations
 *     0  = g(t, x, w)      m algebraic equations, regular in w (index 1)
 *
 * z = (x, w) is one array of n + m doubles, and so is (f, g).
 */
#ifndef CT_SOLVE_PROBLEM_H
#define CT_SOLVE_PROBLEM_H

#include "base/context.h"

typedef enum ct_solve_status {
    CT_SOLVED,
    CT_STOPPED,        /* the caller's row function asked for it */
    CT_NO_CONVERGENCE, /* Newton */
    CT_STEP_TOO_SMALL,
    CT_TOO_MANY_STEPS,
    CT_TOO_STIFF, /* for the method that was asked for: too many steps are to come */
    CT_NOT_FINITE,
    CT_SINGULAR,
    CT_NO_MEMORY_LEFT,
    CT_ENDED, /* at a condition that ends the integration; z is just behind it */
    CT_EVENT_STORM,
    CT_EVENT_LOOP,
    CT_LOST,     /* what conditions read turns too often: stats->lost_angle */
    CT_CHANGED,  /* the equations are others from here on: go on with them */
    CT_REPORTED, /* the caller has told why */
} ct_solve_status;

/* A system that is linear with constant coefficients: (f, g) = slope z + force s, s' = drift s.
 * Matrices by rows; s holds the forces at the time that was asked for. */
typedef struct ct_affine {
    const double *slope, *force, *drift, *s;
    uint32_t forces;
} ct_affine;

enum { CT_MOST_FORCES = 24 };

/* What happened at an instant. */
typedef enum ct_acted {
    CT_ACTED_NOTHING,
    CT_ACTED,
    CT_ACTED_LAST,   /* the run ends */
    CT_ACTED_CHANGED /* it goes on with other equations: CT_CHANGED */
} ct_acted;

/* The solution at a time of the last step. */
typedef void (*ct_point_at)(void *of, double t, double *z);

/* A state in the phase of a sine, times a factor. */
typedef struct ct_phase {
    uint32_t x;
    double factor;
    bool more; /* the next one adds to the same phase */
} ct_phase;

/* Six steps a period, three of the square of a sine; few harmonics lie near a multiple of it. */
#define CT_TURN_OF_STEP  1.0
#define CT_MOST_FOLLOWED 2e7 /* steps that a run may be prolonged to for it */

typedef struct ct_problem {
    void *user;
    uint32_t n, m;
    void (*evaluate)(void *user, double t, const double *z, double *fg);
    /* Jacobian of (f, g) by z, compressed columns: pattern fixed, values by call. */
    const uint32_t *start, *row; /* start has n + m + 1 entries; NULL: not before ct_need_pattern */
    void (*pattern)(void *user); /* makes both; takes memory of arenas. NULL: they are there */
    void (*jacobian)(void *user, double t, const double *z, double *value);
    /* (f, g), the Jacobian's values and the derivatives by t, at once. NULL: not at once. */
    void (*linearise)(void *user, double t, const double *z, double *fg, double *value,
                      double *drift);
    /* The system from t to the next break, where it is linear with constant coefficients and driven
     * by sums and products of polynomials, sines and exponentials of time; false: it is not. NULL:
     * it never is. */
    bool (*affine)(void *user, double t, double end, ct_affine *out);
    /* Times at which inputs jump or kink: the least one > t, or INFINITY. NULL: none. */
    double (*next_break)(void *user, double t);
    /* For equations that read the past: a stretch begins, before the next break is asked for; a
     * step is done, and its solution can be had between its ends. They may unwind with ct_throw().
     * NULL: nobody wants it. */
    void (*begins)(void *user, double t);
    void (*passed)(void *user, double from, double to, ct_point_at at, void *of);
    /* Conditions of `if`, sign, abs, ...: a change of sign of one of them is located, and the
     * integration restarted there. While integrating between such points each condition keeps its
     * truth value: hold tells the side. NULL: none. */
    uint32_t root_count;
    void (*roots)(void *user, double t, const double *z, double *value);
    void (*hold)(void *user, double t,
                 const double *z); /* fixes the sides anew, from the values just after t */
    /* Arguments of sines in conditions and the like: between two places at which conditions are
     * looked at none of them changes by much; of which condition each is. 0: there are none. */
    uint32_t angle_count, turning_roots; /* of the first so many conditions */
    void (*angles)(void *user, double t, const double *z, double *value);
    const char *const *angle_text;
    /* Where something jumps: remember sees the values just before, on the old side of conditions;
     * jump moves x from there to what is just after, and guesses w. moved: it did. NULL: x stays.
     */
    void (*remember)(void *user, double t, const double *z);
    ct_solve_status (*jump)(void *user, double t, double *z, bool *moved);
    /* At the start, at breaks and where a condition has changed its side, when w is consistent:
     * assignments to x, and to what equations read besides; t is just after the instant. LAST: the
     * run ends there. It may unwind with ct_throw(). NULL: there are none. */
    ct_solve_status (*act)(void *user, double instant, double t, double *z, ct_acted *acted);
    /* Conditions that are but located, kinks: on which side they lie changes no equation, and at a
     * kink rounding decides it. NULL: none. */
    const bool *watched;
    /* Of these, kinks that are located only where a step has not seen them. NULL: none. */
    const bool *soft;
    /* Conditions whose change ends the integration. NULL: none. */
    const bool *ends;
    /* Of these, those that are positive as long as the equations hold: one that is not where a
     * stretch begins changes at once. NULL: none. */
    const bool *lasting;
    /* What rows show that is none of z, and does not jump: errors count in it, too. Not finite:
     * they do not count there. 0: nothing. */
    uint32_t shown_count;
    void (*shown)(void *user, double t, const double *z, double *value);
    bool plain_rows; /* they show x and nothing that is computed of it */
    /* c(t, x) = 0 holds along every solution, but integration drifts away from it and is brought
     * back after each step (closed loops of mechanisms: positions and velocities). 0: none. */
    uint32_t invariant_count;
    void (*invariants)(void *user, double t, const double *z, double *value);
    const uint32_t *invariant_start, *invariant_row; /* its Jacobian by x, compressed columns */
    void (*invariant_slope)(void *user, double t, const double *z, double *value);
    /* Which invariants are velocities, and which x are speeds. NULL: none. */
    const bool *speed_invariant, *speed_state;
    /* The same equations with the argument of each exponential as an unknown of its own, for starts
     * (aids.c): w is followed by these u, and g by u(t, z) - u. Made when asked for, may unwind
     * with ct_throw(). NULL, or gives NULL: there are none. */
    const struct ct_problem *(*lift)(void *user);
    uint32_t limited; /* lifted: so many u */
    double *softness; /* lifted: exp(u) + softness*u stands for exp(u) */
    /* Sines of states: a step turns none of them by more than CT_TURN_OF_STEP. 0: there are none.
     */
    uint32_t phase_count;
    const ct_phase *phase;
    /* Other arguments of sines: how far they turn is measured along steps. 0: there are none. */
    uint32_t bent_count;
    void (*bent)(void *user, double t, const double *z, double *value);
    const double *typical; /* magnitude of each z, or NULL */
    const bool
        *is_rate; /* per z: an algebraic unknown that is the rate of a state; NULL: none is */
    const char *(*name)(void *user, uint32_t z); /* of a variable, for messages; may be NULL */
} ct_problem;

/* Before start and row are read. */
static inline void ct_need_pattern(const ct_problem *p)
{
    if (!p->start && p->pattern)
        p->pattern(p->user);
}

/* Systems of up to so many unknowns are small: a matrix is factored at little cost. */
enum { CT_SMALL_SYSTEM = 40 };

typedef enum ct_method {
#define METHOD(name, word, maker, traits, help) CT_METHOD_##name,
#include "solve/methods.def"
} ct_method;

enum { CT_METHOD_EXPLICIT = 1, CT_METHOD_ONE_STEP = 2, CT_METHOD_PICKS = 4 }; /* methods.def */

extern const ct_word ct_methods[]; /* in the order of ct_method */
bool ct_method_is(ct_method method, unsigned trait);

typedef struct ct_run_def {
    double start, stop, rtol, atol; /* defaults 0, 1, 1e-6, 1e-9 scaled by typical */
    const double *times;            /* rows exactly at these; NULL: points equal intervals */
    uint32_t time_count;
    uint32_t points;     /* default 500 */
    double largest_step; /* 0: no limit */
    double swing_step;   /* the same for one-step methods, so that they follow sines of time */
    double lost_swing;   /* rate of the fastest one that would take too many steps; 0: none */
    uint64_t most_steps; /* default 100 million */
    double *most;        /* of each z: its largest value at ends of steps; NULL: nobody asks */
    /* Of a run in several stretches: what angles of conditions have turned by in those before, when
     * it began and will end. */
    double turned, whole_start, whole_stop;
    bool after_event; /* of a condition: it begins there, and nothing breaks in time */
    bool open_end;    /* what jumps at the stop is left to the caller */
    ct_method method;
    bool (*row)(void *user, double t, const double *z, const double *dx); /* false: stop */
    bool plain; /* rows do without dx, which is NULL */
    void *row_user;
    void (*progress)(void *user, double t); /* now and then; may be NULL */
    void (*stepped)(void *user, double t);  /* after each step; may be NULL */
} ct_run_def;

/* Ways to solve equations, from the usual to the last, as stats->method names them. */
#define CT_METHOD_NEWTON    "damped Newton"
#define CT_METHOD_LIMITING  "Newton with limiting"
#define CT_METHOD_GMIN      "gmin stepping"
#define CT_METHOD_SWEEP     "stage by stage"
#define CT_METHOD_SOURCES   "source stepping"
#define CT_METHOD_HOMOTOPY  "homotopy"
#define CT_METHOD_TRANSIENT "pseudo-transient continuation"

typedef struct ct_run_stats {
    uint64_t steps, rhs_evals, jac_evals, newton_iters, factorizations, restarts, roots_found;
    uint64_t rechosen; /* independent unknowns */
    double foreseen;   /* steps to come, when an explicit method was found to be held; 0: none */
    double lost_swing; /* rate of the fastest sine that steps have passed over; 0: none */
    double turned;     /* the angles of conditions, in radians */
    bool by_tolerance; /* some steps were: not all was computed by exponentials */
    double lost_turns; /* of one that turns too often: in all the run, */
    const char *lost_angle; /* and the condition */
    double storm_since;     /* when the last 100000 events began, of an event storm, */
    uint32_t storm_root;    /* and which condition changes; UINT32_MAX: one of time */
    const char *method;     /* what was used */
    double last_time;
    uint32_t culprit;        /* z that failed or limits the step; UINT32_MAX: unknown */
    double uncertain;        /* of ct_steady: what rounding leaves open of z, by its size, */
    uint32_t most_uncertain; /* most of this one */
} ct_run_stats;

/* Of two longest steps, where 0 stands for any. */
static inline double ct_shorter_step(double a, double b)
{
    return a > 0 && (a < b || !(b > 0)) ? a : b;
}

ct_run_def ct_default_run_def(void);
uint32_t ct_row_count(const ct_run_def *def);
double ct_row_time(const ct_run_def *def, uint32_t row);
/* Rows that are nearer before a break than this belong behind it. */
double ct_row_hair(const ct_run_def *def, double t);

/* Integrates from consistent z at def->start; z is updated to the last point.
 *
 * Between two breaks the problem is evaluated strictly inside the stretch, so that a step ends with
 * the values of inputs just before the break and the next one begins with those just after it. A
 * row at a break shows z just after it. w is made consistent at the start, at breaks and after a
 * condition has changed its side. times must ascend; those outside start .. stop give no row.
 * row and progress may unwind with ct_throw(), the other functions of the problem must not. */
void ct_add_effort(ct_run_stats *all, const ct_run_stats *part); /* a run goes on */
ct_solve_status ct_integrate(ct_context *ctx, const ct_problem *problem, const ct_run_def *def,
                             double *z, ct_run_stats *stats);

/* Solves g = 0 for w with x fixed (x is kept), damped Newton; z holds the guess. When that fails
 * and `patient`: a homotopy (homotopy.c) from the guess, then from w = 0. Calls hold, again
 * whenever a condition has changed its side; so does ct_steady. */
ct_solve_status ct_solve_algebraic(ct_context *ctx, const ct_problem *problem, double t, double *z,
                                   bool patient, ct_run_stats *stats);

/* Operating point: f = 0 and g = 0; damped Newton, then a homotopy (from z, then from zero),
 * then pseudo-transient continuation; stats->method tells which. When the Jacobian is singular
 * along directions that do not matter (a free position) the least change of z is taken, and
 * CT_SINGULAR returned only if no solution exists; stats->culprit then names a variable. */
ct_solve_status ct_steady(ct_context *ctx, const ct_problem *problem, double t, double *z,
                          ct_run_stats *stats);

/* What rounding leaves open of a rest z, by its size: stats->uncertain of ct_steady. */
double ct_steady_uncertain(ct_context *ctx, const ct_problem *problem, double t, double *z);

/* General square or overdetermined system r(y) = 0 in the least-squares sense with least change of
 * y: for consistent initial values. rows >= 0; sparse Jacobian as above by columns. CT_SOLVED: the
 * Euclidean norm of r is at most `tolerance`; CT_SINGULAR: y is where the norm is least, and it
 * does not vanish, the equations contradict each other. *norm is the norm at y in any case. */
typedef struct ct_residual {
    void *user;
    uint32_t rows, cols;
    void (*evaluate)(void *user, const double *y, double *r);
    const uint32_t *start, *row;
    void (*jacobian)(void *user, const double *y, double *value);
} ct_residual;
ct_solve_status ct_least_change(ct_context *ctx, const ct_residual *residual, double tolerance,
                                double *y, double *norm);

const char *ct_solve_status_text(ct_solve_status status);

#endif

/* driver.h - what the parts of an integration share: stretches, rows and events. */
#ifndef CT_SOLVE_DRIVER_H
#define CT_SOLVE_DRIVER_H

#include "solve/pace.h"
#include "solve/run.h"

enum { CT_EVENT_PARTS = 4 }; /* of a step, at whose ends conditions are looked at */

/* An L-stable method on trial (trial.c). */
typedef struct ct_trial {
    ct_stepper *other, *usual; /* usual: what it is compared with; NULL: there is no trial */
    uint64_t next, end;        /* steps of the run: of the next trial, of the end of this one */
    uint64_t mark_steps;       /* and time of a mark: how fast the usual method gets on */
    double mark, began, usual_pace;
    const char *usual_name;
} ct_trial;

/* Runge-Kutta's method over a singular position (passage.c). */
typedef struct ct_passage {
    ct_stepper *method, *usual; /* usual: what goes on behind it; NULL: there is none */
    uint64_t end;               /* steps of the run: it ends by then */
    double margin;              /* of the last point */
    bool passed;                /* and it is still near */
} ct_passage;

/* The first steps of a stretch, of methods with a memory (outset.c). */
typedef struct ct_outset {
    ct_stepper *method, *usual; /* usual: what goes on then; NULL: they are over */
    uint64_t end;               /* steps of the run */
} ct_outset;

typedef struct ct_driver {
    ct_integration run;
    ct_run_def def; /* the caller's, made sound */
    ct_stepper *explicit_method, *implicit_method, *current;
    ct_stepper *exact_method; /* tried first in each stretch; NULL: not */
    double t, *z;             /* where we are */
    double since;             /* the same time, since the origin of the stretch */
    double broke;             /* the last break, or the start */
    double end;               /* the next break, or the stop */
    bool break_at_end;
    uint32_t next_row;
    double *fg, *point;                            /* scratch: equations, a point of the solution */
    double *root_before, *root_after, *root_probe; /* values of the conditions */
    double *root_sample;                           /* at the ends of the parts of a window */
    double *sample_point, *angle; /* there: the solution, and angles of conditions */
    double window;                /* width of the last one */
    double turned;                /* all that the fastest angle of each window has turned by */
    bool *passed;                 /* by condition: a kink, just located */
    uint32_t hard_roots;          /* conditions that are no soft kinks */
    bool soft_event;              /* what was located last is but soft kinks */
    uint32_t ends;                /* and a condition that ends the run is there: which, plus 1 */
    bool at_kink;                 /* the step began at one: it goes on, whatever it meets */
    bool ended;                   /* an event ended the run */
    double last_event, last_kink;
    double stretch;    /* length of the one that the last event ended; 0: none did */
    double flight;     /* the longer one of the last two; INFINITY: there is none */
    double first;      /* where the first step of a stretch ends at the latest */
    ct_pace pace;      /* of breaks and events */
    double settled_at; /* where w was found anew because no step led on; NAN: nowhere */
    double last_step;  /* its length */
    uint32_t close_events, close_kinks, stuck_steps;
    double stuck_step; /* the one to be tried after the last */
    double work;       /* since the last progress report */
    ct_trial trial;
    ct_passage passage;
    ct_outset outset;
    uint64_t
        held_steps;    /* of the run, when an explicit method was last seen to be held; 0: never */
    double held_since; /* and the time then */
} ct_driver;

/* stretch.c, integrate.c: goes on with the current method; the end of the stretch since its origin;
 * the time of a time since then. */
ct_solve_status ct_start_here(ct_driver *d);
double ct_stretch_end(const ct_driver *d);
double ct_time_of(const ct_driver *d, double since);

/* event.c: the first change of sign of a condition within the last step; times since the origin. */
void ct_event_begin(ct_driver *d);              /* at the start of a stretch */
bool ct_event_find(ct_driver *d, double *when); /* *when is just after the change; NaN: CT_LOST */

/* window.c: the solution at the ends of equal parts between two times of the last step; where the
 * window from `from` on ends, with the points of its parts. NaN: there are too many. How long after
 * the beginning of a stretch conditions tell nothing but what they were there. */
void ct_window_points(ct_driver *d, double from, double to, int parts);
double ct_window_end(ct_driver *d, double from);
double ct_window_blur(const ct_driver *d);

/* Where between five equal samples of one sign a condition has another one or comes nearest to it,
 * 0 .. 1; NaN: nowhere (hidden.c). */
double ct_hidden_change(const double *sample);

bool ct_event_behind(ct_driver *d, double t, const double *z); /* has z made the change, too? */

/* rows.c: a time of the run that is one of the last step, since the origin. */
double ct_of_step(const ct_driver *d, double time);
ct_solve_status ct_rows_within(ct_driver *d, double last); /* from the last step: times < last */
/* The same up to an event: rows that rounding alone tells from it show what was before. */
ct_solve_status ct_rows_before(ct_driver *d, double event);
ct_solve_status ct_rows_here(ct_driver *d); /* times <= d->t, at d->z */
ct_solve_status ct_row_last(ct_driver *d);  /* at d->t, unless there is one */
const double *ct_mended(ct_driver *d, double time, const double *z); /* a point of the last step */

/* integrate.c: begins with what suits the stretch, at d->t. */
ct_solve_status ct_start_method(ct_driver *d);

void ct_use_method(ct_driver *d, ct_stepper *s); /* with its tolerances; it is not started yet */

/* trial.c: after each step; where the method on trial fails. */
ct_solve_status ct_trial_look(ct_driver *d);
bool ct_trial_runs(const ct_driver *d);
ct_solve_status ct_trial_end(ct_driver *d);

/* passage.c: after each step of a problem with invariants. */
ct_solve_status ct_passage_look(ct_driver *d);
bool ct_passage_runs(const ct_driver *d);

/* outset.c: before a stretch is begun; after each step; where one fails. Is an event that was found
 * one of a method that had better leave it? From the begin of the step, then. */
ct_solve_status ct_outset_begin(ct_driver *d);
ct_solve_status ct_outset_look(ct_driver *d);
bool ct_outset_runs(const ct_driver *d);
bool ct_outset_doubts(const ct_driver *d);
ct_solve_status ct_outset_again(ct_driver *d);
ct_solve_status ct_outset_end(ct_driver *d);

/* stretch.c: from one discontinuity to the next. */
ct_solve_status ct_stretch_begin(ct_driver *d);
/* The same at a break: what is stored may jump. */
ct_solve_status ct_stretch_next(ct_driver *d);
ct_solve_status ct_stretch_event(ct_driver *d, double when);
/* So many soft kinks just before t that steps had better pass over them. */
bool ct_kinks_crowd(const ct_driver *d, double t);
double ct_next_break(const ct_driver *d, double t); /* > t */
ct_solve_status ct_act_at(ct_driver *d);     /* events of this instant, until no more happen */
ct_solve_status ct_consistent(ct_driver *d); /* sides of conditions and w, at inside_first */

/* algebraic.c: rows of a problem without differential equations. */
ct_solve_status ct_algebraic_rows(ct_driver *d);

#endif

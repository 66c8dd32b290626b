/* initialise.h - inside the folder: the search for consistent values at the start. */
#ifndef CT_SIMULATE_INITIALISE_H
#define CT_SIMULATE_INITIALISE_H

#include "mechanics/mechanics.h"
#include "simulate/machine.h"

/* Rows to be met: `fixed` of g and invariants, then the first `active` conditions. */
typedef struct rowset {
    uint32_t *condition; /* starts that must be met by others */
    uint32_t count, fixed, active;
    ct_bundle bundle;
    double *work, *work_slope, *row;
} rowset;

typedef struct initialising {
    ct_rig *rig;
    const ct_machine *m;
    ct_arena *arena;
    const ct_reduced *reduced; /* a view of the machine's */
    double t, *z;
    const ct_expr *start; /* what is to have values */
    double *value;        /* wanted, of each start */
    uint32_t *given;      /* per state: start that gives it, plus 1 */
    uint8_t *begun;       /* per state: 2 it was given or guessed, 1 what reads it was */
    uint32_t *guess; /* starts that are guesses of other variables; of states, too, where loops are
                        closed */
    uint32_t guess_count;
    uint32_t *column, column_count; /* unknowns: states not given, then w */
    double *variable;
    bool sought;  /* exponentials, and an operating point is sought from here: w, too */
    bool follows; /* a point near by, which counts more than guesses */
    rowset set;
    rowset places; /* where loops are closed: positions alone */
    ct_mechanics_start bodies;
    double fastest; /* of what is given, prescribed or of the reference */
    double speed;   /* the unit in which speeds are sought, and misses of them small */
} initialising;

/* Which rows besides conditions. */
typedef enum fixed_rows { NO_ROWS, PLACES, ALL_ROWS } fixed_rows;

/* ---- rows (initialise_rows.c) */
void ct_start_open_columns(initialising *in);
bool ct_start_make_some_rows(initialising *in, fixed_rows which, uint32_t active);
bool ct_start_make_rows(initialising *in, uint32_t active);
void ct_start_set_point(initialising *in);
void ct_start_measure(initialising *in); /* in->set.row at the point that was set */
ct_solve_status ct_start_least_change(initialising *in);
bool ct_start_empty_storage(initialising *in);
ct_expr ct_start_with_numbers(const initialising *in, ct_expr e);

/* ---- initialise.c, for the next */
ct_solve_status ct_start_algebraic(initialising *in, ct_run_stats *stats);
bool ct_start_all_met(const initialising *in); /* at the rows measured last */
/* Conditions and loops to the last digit from a point near by, then unknowns; reports nothing. */
ct_solve_status ct_start_exactly(initialising *in, ct_run_stats *stats);

/* ---- mechanisms (initialise_bodies.c) */
bool *ct_start_motion(const initialising *in); /* by unknown: a coordinate, or its speed */
/* All of the start; false: not found, and nothing is reported. */
bool ct_start_bodies(initialising *in);
/* The first joint that is closed the wrong way round; 0: none. */
ct_name ct_start_reversed(initialising *in);

/* ---- networks with tied storage (initialise_jump.c) */
bool ct_start_by_jump(initialising *in); /* false: not found, and z is as it was */
/* Is it storage that forces tie to others? It shares with them by that jump. */
bool ct_start_is_shared(const ct_machine *machine, uint32_t start);

/* ---- messages (initialise_report.c) */
void ct_start_report_no_value(const initialising *in, uint32_t start);
void ct_start_report_algebraic(const initialising *in, ct_solve_status status, uint32_t culprit);
void ct_start_report_conflict(initialising *in, uint32_t k, double fits);
ct_solve_status ct_start_report_open_loop(initialising *in, uint32_t worst);
ct_solve_status ct_start_report_reversed(const initialising *in, ct_name joint);
void ct_start_report_unmet(const initialising *in, uint32_t k);
/* tied: as in ct_mechanics_start. */
void ct_start_report_tied(const initialising *in, uint32_t tied);

#endif

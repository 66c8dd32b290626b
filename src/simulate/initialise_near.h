/* initialise_near.h - inside the simulate folder: the point nearest to where bodies were placed. */
#ifndef CT_SIMULATE_INITIALISE_NEAR_H
#define CT_SIMULATE_INITIALISE_NEAR_H

#include "mechanics/mechanics.h"
#include "simulate/initialise.h"

/* What a row asks for while places are sought, then speeds; and, where values of speeds ask for
 * other places, both together. */
typedef enum asking { NOTHING, HARD, GUESS, SOFT, SOFT_RATE } asking;
enum { PLACES_FIRST, SPEEDS_THEN, BOTH, ASIDE }; /* ASIDE: places, the nearest by the way */

typedef struct near_row {
    uint8_t asks[3];
    double target, weight;
    double unit; /* of a body's place, as large as the mechanism is */
} near_row;

/* What an unknown is sought in; places tell how long a step is. */
typedef struct near_unit {
    double of;
    enum { OF_OTHER, OF_PLACE, OF_SPEED } kind;
} near_unit;

typedef struct nearing {
    initialising *in;
    int order;
    ct_bundle bundle;
    double *work, *work_slope, *value, *slope;
    uint32_t *start, *col, *entry; /* of the Jacobian, by rows */
    near_unit *unit;               /* by column */
    CT_VEC(ct_expr) expr;
    CT_VEC(near_row) row;
    uint32_t first_body; /* row */
    double time;         /* in which what moves goes as far as it extends */
    bool both;           /* places had to move for speeds */
} nearing;

/* Of a point that was found. */
typedef struct near_change {
    bool both;           /* speeds needed other places */
    double guesses, way; /* that are missed; how far, of both kinds */
} near_change;

/* initialise_bodies.c: index in z; coordinates that elimination has taken out of z. */
typedef struct taken_out {
    ct_expr_list e;
    CT_VEC(double) wanted;
} taken_out;

uint32_t ct_start_column(const ct_machine *m, ct_name name); /* UINT32_MAX: it is none */
/* False: it is in z, and elsewhere. */
bool ct_start_note(initialising *in, ct_name name, double wanted, taken_out *out);
/* Values of expressions over z at the present point; false: one has none. */
bool ct_start_evaluate(initialising *in, ct_expr *e, uint32_t count, double *value);

/* initialise_near.c */
void ct_near_find_speed(initialising *in); /* in->speed, from placed bodies */
bool ct_near_make_rows(nearing *n);        /* false: a value cannot be expressed */
void ct_near_refresh(nearing *n);          /* references of rows, where bodies were placed anew */
bool ct_near_search(nearing *n, int order, ct_run_stats *stats);
bool ct_near_speeds(nearing *n); /* the nearest ones where places are; false: none are as given */
/* Places that let speeds be as they are given, and speeds; false: none were found. */
bool ct_near_both(nearing *n, ct_run_stats *stats);
near_change ct_near_change(nearing *n);
bool ct_near_is_less(near_change a, near_change b);
/* Of two that are equally near, with values of rows: bodies in the order of the text, x before y.
 * The first place of a body that differs, plus 1, with a minus where it is less; 0: they are one.
 */
int ct_near_first(const nearing *n, const double *value, const double *other);

#endif

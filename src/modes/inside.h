/* inside.h - inside the folder: modes, and what is carried from one to the next. */
#ifndef CT_MODES_INSIDE_H
#define CT_MODES_INSIDE_H

#include <math.h>

#include "model/shadow.h"
#include "modes/modes.h"
#include "simulate/jump.h"
#include "simulate/lookout.h"
#include "simulate/machine.h"

/* A mode that followed another one before, after this root (UINT32_MAX: another event). */
typedef struct ct_follower {
    struct ct_regime *to;
    uint32_t left;
} ct_follower;

/* For the choice of modes: the linear problem, and programs of what is watched. */
typedef struct ct_mode_wave {
    ct_choice_wave plain;
    ct_bundle bundle;
    double *work, *work_slope;
} ct_mode_wave;

typedef struct ct_regime {
    ct_modes *all;
    const uint8_t *way; /* of each item */
    uint32_t *used;     /* items that have margins in it */
    uint32_t used_count;
    uint64_t hash;
    uint32_t number; /* among all */
    double crossed;  /* how far the worst of what must not be negative is below zero, */
    uint32_t left;   /* of which root: two of each item; UINT32_MAX: of none */
    bool clocked;    /* without states there are no steps: time is one */
    bool still;      /* for rest: without that */
    bool moved;      /* something that is stored jumped when it was entered */
    bool failed;     /* it has no equations: they contradict each other */
    ct_machine *machine;
    ct_rig *rig;
    ct_rig *spare; /* what `when` and `every` were before a try (strike.c); NULL: none yet */
    uint32_t record_count;                /* how many records it watches */
    uint32_t *state_record, *kept_record; /* of states and of dependent storage; UINT32_MAX: none */
    double *z, *before, *watch;           /* before: scratch */
    double *offset;                       /* of its roots, two of each item */
    ct_mode_wave *wave;                   /* NULL: not yet */
    bool looked;                          /* whether it is linear, */
    struct ct_taylor *linear;             /* with constant sources; NULL: it is not */
    CT_VEC(ct_follower) follower;
} ct_regime;

/* A pair with restitution is hit; rest: for the last time, endlessly many follow in no time. */
typedef struct ct_impact_row {
    uint32_t item;
    double time, before, after;
    bool rest;
} ct_impact_row;

struct ct_modes {
    ct_context *ctx;
    ct_arena *arena;
    const ct_model *model;
    const ct_tree *tree; /* what the user wanted of it counts */
    bool *refused;       /* per edge: wanted, but no branch in some mode */
    bool told;           /* that was said */
    const double *quantity;
    bool drawn;
    ct_shadows *shadows;
    ct_impulses *impulses; /* of all modes */
    const ct_mode_item *item;
    uint32_t count; /* of items */
    CT_VEC(ct_regime *) mode;
    CT_VEC(ct_expr) record;  /* symbols of all that is stored, in any mode */
    ct_map record_index;     /* name -> index + 1 */
    double *value, *largest; /* of the records, just before an event; so far */
    uint32_t value_room;
    ct_chooser choice;            /* of modes, with what it keeps */
    struct ct_striking *strike;   /* while events of the model happen; else NULL */
    uint8_t *broken;              /* ways that have no equations, */
    bool broke;                   /* if there are */
    uint8_t *way;                 /* of each item now, or next */
    bool still;                   /* rest is sought: modes have no clock */
    double pull;                  /* the largest acceleration on the way to it */
    ct_regime *now;               /* the mode */
    ct_regime *from;              /* the mode that is left, and */
    double from_time;             /* when: the records are its values */
    double start, stop;           /* of the run; alike: there is none */
    CT_VEC(ct_impact_row) impact; /* at this instant */
    uint64_t derived;             /* modes */
};

/* ---- derive.c */

/* The mode, derived if need be; NULL: its equations contradict each other. Reports of that are
 * dropped unless `loud`. */
ct_regime *ct_mode_find(ct_modes *modes, const uint8_t *way, bool loud);
/* W566, once: wishes for the tree that could not be met. */
void ct_modes_tell_wishes(ct_modes *modes);
/* Nodes and edges of the model in a mode, with its ties. */
const ct_graph *ct_mode_graph(ct_modes *modes, const uint8_t *way, bool clocked);
/* It watches all records. */
bool ct_mode_complete(ct_regime *mode);

/* ---- conflict.c */

/* For messages: a hair after zero is zero. */
static inline double ct_mode_told(const ct_modes *modes, double t)
{
    return fabs(t) < 1e-13 * modes->choice.span ? 0 : t;
}

/* E546 with the circuit or cutset of sources and of what switches in a mode; item: whose other way
 * has the wrong sign; UINT32_MAX: none is known. False: there is none. */
bool ct_modes_report_conflict(ct_modes *modes, const uint8_t *way, uint32_t item, double t);

/* E546 where a mode has no equations, and why; item: it goes its other way there. */
bool ct_modes_report_broken(ct_modes *modes, const uint8_t *way, uint32_t item, double t);
/* E546 of a part whose root is wrong; UINT32_MAX: of none, then of any part. */
void ct_modes_report_wrong(ct_modes *modes, const uint8_t *way, uint32_t root, uint32_t any,
                           double t);
/* The mode; NULL after reporting: E546, or why it has no equations. */
ct_regime *ct_mode_need(ct_modes *modes, const uint8_t *way, double t);

/* ---- ties.c */

/* Ties of edges that are redundant in the mode. */
const ct_tie *ct_find_ties(const ct_modes *modes, const ct_graph *graph, ct_arena *arena,
                           uint32_t *count);

/* ---- enter.c */

/* The records anew, when there are more of them; false: the mode that is left does not know them.
 */
bool ct_modes_remember(ct_modes *modes);

/* What is stored is that of the mode from now on; false: the mode cannot tell it. So does the next,
 * of the mode that ends here, by one of its roots or not. */
bool ct_modes_go_from(ct_regime *mode, double t);
bool ct_modes_end(ct_modes *modes, double t, bool by_root);
/* Values of the records from z of a mode; on the sides of conditions that hold. */
void ct_mode_leave(ct_regime *mode, double t);
void ct_mode_take(ct_regime *mode); /* z of a mode from the records, as they are */
/* The same: they jump where they must. */
ct_solve_status ct_mode_enter(ct_regime *mode, double before, double t);
void ct_mode_report_held(const ct_modes *modes, double t); /* E557: what events set cannot move */
/* Ways of the IFs by their conditions at z. True: some differ. */
bool ct_mode_conditions(ct_regime *mode, double t, uint8_t *way);
/* Has no item left what its way allows? The worst of its roots, or UINT32_MAX. */
uint32_t ct_mode_wrong(ct_regime *mode, double t);
/* What must stay above zero for the mode to last: two values of each item. */
void ct_mode_margins(const ct_regime *mode, const double *watch, double *margin);
void ct_mode_roots(void *mode, double t, const double *z, double *value);

/* The other way of an item, whose root is below zero. */
static inline uint8_t ct_flipped(uint8_t way, uint32_t root)
{
    return way != CT_WAY_FIRST ? CT_WAY_FIRST : root % 2 ? CT_WAY_THIRD : CT_WAY_SECOND;
}

/* ---- strike.c */

/* What `when` and `every` do at an instant, seen at t just after; for records that were left. */
ct_solve_status ct_mode_act(ct_regime *mode, double instant, double t, ct_acted *acted);

/* What striking asks for. */
void ct_strike_restore(void *modes, uint32_t mode);
ct_struck_by ct_strike_act(void *modes, uint32_t mode);
const double *ct_strike_shock(void *modes, uint32_t mode);

/* ---- start.c */

/* From the model's start, and values of some states, to the mode just after. False after reporting;
 * so is the next. */
bool ct_modes_start(ct_modes *modes, double t, double after, const ct_state_value *given,
                    uint32_t count);
void ct_modes_report_loop(ct_modes *modes, double t);

/* ---- choose.c */

extern const ct_choice_calls ct_modes_calls;
/* The mode after an event, for what the records hold. False after reporting. */
bool ct_modes_settle(ct_modes *modes, double before, double t);
/* The state that is the source of an item that is free. */
uint32_t ct_mode_source(const ct_regime *wave, uint32_t item);

/* ---- bounce.c */

void ct_bounce_open(ct_modes *modes);
void ct_bounce_begin(ct_modes *modes); /* another run */
void ct_bounce_put(ct_regime *mode);   /* what comes back in this mode */
void ct_bounce_hit(void *modes, uint32_t item, double t, double before, bool rest);
void ct_bounce_report_restitution(const ct_modes *modes); /* E573 */
void ct_bounce_report_impact(const ct_modes *modes);      /* E574 */

/* ---- linear.c */

void ct_linear_open(ct_regime *mode);
/* A stretch of a linear mode as ct_integrate; false: it is too stiff. */
bool ct_linear_stretch(ct_regime *mode, const ct_run_def *def, ct_run_stats *stats,
                       ct_solve_status *status);
/* The mode that followed before, entered, if it is right again and lasts; NULL: none is. */
ct_regime *ct_linear_next(ct_modes *modes, const uint8_t *way, double before, double t);
void ct_linear_follow(ct_modes *modes, ct_regime *to);

/* ---- point.c */
const ct_point *ct_modes_shown(const ct_modes *all, const char *method, double t, ct_arena *arena);
const char *ct_modes_item_words(const ct_modes *modes, uint32_t item); /* its way: `D1.i = 0` */
const char *ct_modes_way_words(const ct_modes *modes, uint32_t item, uint8_t way);

#endif

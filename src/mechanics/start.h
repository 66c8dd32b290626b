/* start.h - inside the mechanics folder: where bodies begin, in places and angles of groups. */
#ifndef CT_MECHANICS_START_H
#define CT_MECHANICS_START_H

#include "mechanics/pose.h"

/* A start value that says something about a joint or a group. */
typedef struct wanted {
    int order;           /* 0: place, 1: speed */
    bool guess, joint;   /* of a tie's freedom; else of a frame */
    uint32_t tie, group; /* one of them */
    uint32_t bend;       /* of a shape, plus 1; 0: not */
    uint32_t axis;       /* freedom of the tie; of a frame 0, 1: its point, 2: its angle */
    double at[2], turn;  /* of a frame: in its group */
    double value;
    uint32_t next; /* of the same group, plus 1 */
} wanted;

typedef struct beginning {
    posing p;
    int order;
    double *speed;                       /* x', y', angle' by group */
    bool gentle;                         /* given values are guesses for now */
    CT_VEC(wanted) wanted;               /* without those of the ground */
    uint32_t *first;                     /* by group: of its frames' wanted, plus 1 */
    double (*freedom)[2][POSE_FREEDOMS]; /* by tie, order: as given, driven or guessed; NaN */
    uint8_t *bound;                      /* by tie: 2 something is given or driven, 1 guessed */
    steps tree;                          /* of the reference, ground first */
    double (*hung)[3];                   /* by group: on which values of its joint */
    ct_mechanics_start *out;
} beginning;

/* Value (less what is wanted) and gradient at the present point; of speeds: the same of rates. */
line ct_start_line(const beginning *b, const wanted *w);
double ct_start_rate(const beginning *b, const line *l); /* gradient times speeds */

/* reference.c: the tree, once; then the reference pose, or the speeds at the present pose. */
void ct_start_plan(beginning *b);
void ct_start_refer(beginning *b);
void ct_start_scatter(beginning *b, double spread); /* joints of the tree are moved at random */

/* start_space.c: all of it, in space; false: a value is missing. */
bool ct_start_in_space(mechanics *m, ct_mechanics_start *start);
bool ct_start_placed(mechanics *m, ct_mechanics_start *start); /* without the metric */
/* Where a group would begin, were no loop closed. */
typedef struct hung {
    double p[3], r[9], v[3], w[3]; /* place, axes as rows of the ground's, speed of it, spin */
    double about;                  /* angle about z that joints have turned it */
    bool is;                       /* false: no joint tells */
} hung;

/* Joints and bodies where they were found: places, then speeds, too. */
typedef struct found_joint {
    double value[CT_FREEDOMS], rate[CT_FREEDOMS], ball[9], spin[3];
} found_joint;

typedef struct found_body {
    double p[3], r[9], v[3], w[3];
} found_body;

typedef struct whereabouts {
    found_joint *joint;
    found_body *body;
    bool speeds;
} whereabouts;

/* start_found.c: joints and bodies where coordinates are; false: something has no number. */
bool ct_start_read_found(mechanics *m, ct_arena *arena,
                         double (*look_up)(const void *user, ct_name symbol), const void *user,
                         whereabouts *found);
void ct_start_refer_speeds_in_space(mechanics *m, ct_mechanics_start *start);

/* start_hang.c: by group, in any coordinates; sets those of bodies that joints tell, and of joints
 * that bodies tell. given: by coordinate. */
const hung *ct_start_hang(mechanics *m, ct_mechanics_start *start, const bool *given);
/* Again with places that were found: without speeds those of the reference are brought there, with
 * them all coordinates are set. NULL: bodies are put where they hang, whatever is given of them. */
void ct_start_rehang(mechanics *m, ct_mechanics_start *start, const whereabouts *found);
/* A component of a body's mass centre (0 to 2), or of its axes (3 + entry); order 1: its rate. */
double ct_start_hung_value(mechanics *m, const hung *at, const ct_weighed *w, int order);
/* What a start value is about; NULL: no variable of the mechanism. */
const ct_motion *ct_start_motion_of(const mechanics *m, const ct_start *s);
/* The quaternion of a rotation by rows; false: it is none. */
bool ct_quaternion_of(const double r[9], double q[4]);
ct_expr ct_start_weighed_in_space(mechanics *m, const ct_weighed *w, int order);
double ct_start_dice(uint64_t *seed);                                  /* between -1 and 1 */
bool ct_start_is_of_body(const ct_weighed *w);                         /* else of a coordinate */
bool ct_start_refer_in_space(mechanics *m, ct_mechanics_start *start); /* without any search */

/* start_least.c: start values that are about places and speeds of joints and bodies. */
typedef struct ct_start_kind {
    ct_motion_kind kind;
    int order;
    bool angle;
} ct_start_kind;

const ct_start_kind *ct_start_kind_of(const ct_motion *motion); /* NULL: about something else */
/* Coordinates of the nearest start that meets all; false: not found, nothing is changed. */
bool ct_start_least(mechanics *m, ct_mechanics_start *start);

#endif

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
/* start_hang.c: places and speeds of free bodies that joints tell; given: by coordinate. */
void ct_start_hang(mechanics *m, ct_mechanics_start *start, const bool *given);
/* What a start value is about; NULL: no variable of the mechanism. */
const ct_motion *ct_start_motion_of(const mechanics *m, const ct_start *s);
/* The quaternion of a rotation by rows; false: it is none. */
bool ct_quaternion_of(const double r[9], double q[4]);
ct_expr ct_start_weighed_in_space(mechanics *m, const ct_weighed *w, int order);

#endif

/* start_hang.h - inside the mechanics folder: bodies that hang on joints, while it is found out
 * where. */
#ifndef CT_MECHANICS_START_HANG_H
#define CT_MECHANICS_START_HANG_H

#include <math.h>

#include "mechanics/start.h"
#include "mechanics/turns.h"

/* What is wanted of the frames of a group; NaN: not. */
typedef struct wish {
    uint32_t frame;
    double angle, rate;        /* about z, and the rate of it */
    double axes[9], spin[3];   /* spin: in ground axes, or its own */
    double place[3], speed[3]; /* of its point */
    uint32_t axes_frame, spin_frame, place_frame, speed_frame;
    bool own;
    uint32_t count; /* of all these */
} wish;

/* A joint in numbers. */
typedef struct hook {
    double value[CT_FREEDOMS], rate[CT_FREEDOMS]; /* NaN: not told */
    double ball[9], spin[3];
    int bound; /* 2: something is given or driven, 1: guessed */
    uint32_t freedoms, joint;
} hook;

typedef struct hanging {
    mechanics *m;
    hook *hook;
    hung *at;              /* by group */
    wish *wish;            /* by group */
    uint32_t *start, *end; /* joints of the tree at group i: end[start[i]] .. end[start[i+1]-1] */
    uint32_t *queue;
    const whereabouts *found; /* where joints and bodies are; NULL: not known yet */
} hanging;

/* ---- in numbers */

static inline void numbers_of(mechanics *m, vec v, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = ct_pose_value(m, v.x[i]);
}

/* Axes in those of a group; columns are the axes. */
static inline void turn_of(mechanics *m, const attitude *a, double out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = a->axes ? ct_pose_value(m, a->axes[i % 3].x[i / 3]) : i % 4 == 0;
}

static inline double told(double value)
{
    return isnan(value) ? 0 : value;
}

/* ---- start_hang.c: point, axes and speeds of a frame; the group behind a joint; an angle about z
 */
hung ct_hang_frame(mechanics *m, const hung *group, uint32_t frame);
hung ct_hang_on(hanging *h, uint32_t joint, uint32_t group, bool forward);
double ct_hang_about_z(const double axes[9]);

/* ---- start_wish.c: what start values of frames want of the group they are in */
wish ct_wish_none(void);
void ct_wish_read(hanging *h, const ct_motion *x, double value);
/* An open turn about z, an open ball, before group `to` is as its frames want it. */
void ct_wish_turn(hanging *h, uint32_t joint, uint32_t group, uint32_t to, bool forward);
void ct_wish_axes(hanging *h, uint32_t joint, uint32_t group, uint32_t to, bool forward);
/* A group that hangs on nothing. */
hung ct_wish_free(hanging *h, uint32_t group);

#endif

/* draw_bent.h - inside the folder: what bends, in pictures. */
#ifndef CT_API_DRAW_BENT_H
#define CT_API_DRAW_BENT_H

#include "runner/runner.h"

/* A body that is reached from another one. */
typedef struct ct_bent_step {
    uint32_t body, from, joint; /* joint UINT32_MAX: a root */
} ct_bent_step;

/* Places of frames in their bodies when nothing bends, and what is magnified. */
typedef struct ct_bent {
    const ct_mechanism *mechanism;
    double factor;         /* of deformations */
    const double *at;      /* per frame, 3 numbers */
    const double *turn;    /* per frame, in the plane */
    const bool *magnified; /* per body */
    const ct_bent_step *step;
    uint32_t steps;
    double *shift; /* per body: how far it goes along, 3 numbers; of the present row */
} ct_bent;

ct_bent ct_bent_new(const ct_simulator *s, ct_arena *arena);

/* In the plane: x, y, angle of each frame. */
void ct_bent_in_plane(const ct_bent *b, double *frame);

/* Pieces of lines that bend: how many; the body of each. */
uint32_t ct_bent_pieces(const ct_mechanism *m, ct_arena *arena, const uint32_t **body);
/* Poses of bodies, and points along those that bend; their pieces stand as further poses behind the
 * bodies: place of the begin, the way to the end as first axis. */
void ct_bent_in_space(const ct_bent *b, double *pose, const double *point);

#endif

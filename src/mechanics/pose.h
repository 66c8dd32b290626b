/* pose.h - inside the mechanics folder: a mechanism put together in numbers, in absolute
 * coordinates: places and angles of groups. */
#ifndef CT_MECHANICS_POSE_H
#define CT_MECHANICS_POSE_H

#include "mechanics/inside.h"
#include "solve/orthogonal.h"

enum { CT_LARGE_MECHANISM = 150 };

typedef struct shape { /* a tie in numbers */
    double from[2], to[2], axis[2], offset, length;
    double (*slope)[3];    /* of a section: of `from` and offset, by coordinate of the shape */
    uint32_t first, count; /* these coordinates */
} shape;

typedef struct posing {
    mechanics *m;
    ct_arena *arena;
    shape *shape;       /* by tie */
    double *pose;       /* x, y of the origin and angle by group */
    uint32_t *col;      /* by group: first of three columns, leaves of the elimination tree first */
    uint32_t *group_of; /* and back: by column / 3 */
    uint32_t cols;
    double *bend, *bend_rate; /* coordinates of shapes, and their speeds */
    uint32_t bend_col;        /* first of their columns, behind those of groups */
    bool bending;             /* loops are closed by shapes, too */
    double size;              /* a length of the mechanism */
    chord_rows fixed, driven; /* all rows: of joints, of drivers */
    double *angle, *joint;    /* hints: by group; by tie, its turn and slide */
    double spread;
    uint64_t seed;
} posing;

enum { MOST_COUPLED = 7 }; /* freedoms in one driver that are looked at */

/* A row: its gradient, scaled to length one with the length `size` for angles, and its value. */
typedef struct line {
    thin at[6 * (MOST_COUPLED + 1)];
    uint32_t count;
    double value;
} line;

/* False: a value is missing. Then rows, hints and poses may be asked for. */
bool ct_pose_begin(posing *p, mechanics *m, ct_arena *arena);
double ct_pose_reach(mechanics *m); /* how far mass is from the origins of groups */
double ct_pose_value(mechanics *m, ct_expr e);
void ct_pose_bend(posing *p); /* after shapes have changed */
/* All rows of joints and drivers: of branches first, then those of chords in their order. */
void ct_pose_list_rows(posing *p, bool of_user);
line ct_pose_line(const posing *p, uint32_t tie_index, uint8_t row);
line ct_pose_scaled(line l);
/* Parts of rows: w.(place of a point at `arm`), angles, freedoms of joints. */
void ct_pose_add_group(const posing *p, line *l, uint32_t group, const double w[2], double angle);
enum { POSE_TURN, POSE_SLIDE, POSE_CROSS, POSE_FREEDOMS }; /* of a joint; s[2] of a free one */
void ct_pose_add_freedom(const posing *p, uint32_t tie_index, uint32_t freedom, double factor,
                         line *l);
double ct_pose_freedom(const posing *p, uint32_t tie_index, uint32_t freedom);
/* The child of a step where its joint has these values; speeds: x', y', angle' by group. */
void ct_pose_hang(const posing *p, const step *s, const double freedom[POSE_FREEDOMS]);
void ct_pose_hang_speed(const posing *p, const step *s, const double rate[POSE_FREEDOMS],
                        double *speed);
void ct_pose_turn(const double a[2], double angle, double out[2]);
/* Near the hints at first, far from them later; loops are closed. False: none found. */
bool ct_pose_find(posing *p);
/* At the hints, or zero: branches of the elimination tree; loops are open. */
void ct_pose_throw(posing *p);
/* A damped step of least squares: the least change of places and angles; returns the largest
 * residual before it, as a part of `size`. */
double ct_pose_close(posing *p);

#endif

/* bodies.h - the two graphs of a mechanism [McPhee-2, section 4], as domains of the linear graph.
 *
 *     T-graph   ground, mass centres, points; bodies, arms, ground vectors, joints, forces, lines
 *     R-graph   ground, bodies; bodies, joints, torques
 *
 * Arms, ground vectors and welds are branches of every tree: what hangs together by them moves as
 * one, a rigid group. All else is chosen by ranks (tree.c, body_tree.c).
 */
#ifndef CT_GRAPH_BODIES_H
#define CT_GRAPH_BODIES_H

#include "base/symbol.h"
#include "graph/graph.h"

enum { CT_TRANSLATIONAL, CT_ROTATIONAL };

/* What a joint says about two rigid groups. */
typedef struct ct_freedoms {
    uint8_t slides;                   /* along so many axes of the tail */
    uint8_t turns;                    /* about so many axes */
    bool rod, rolls;                  /* a rod ties a distance only */
    bool spatial, even;               /* even: shafts of equal speed */
    bool named;                       /* one of several turns or slides is driven or loaded, */
    bool led;                         /* or driven: only its own coordinates tell that */
    bool spins;                       /* it says something about angles: both ends have one */
    bool slide_given, turn_given;     /* by time and inputs alone */
    bool slide_follows, turn_follows; /* from freedoms of other joints */
} ct_freedoms;

struct ct_bodies {
    const ct_mechanism *mechanism;
    const uint32_t *group;    /* by body: the first body of its rigid group */
    const uint32_t *lead;     /* by body: whose branch its group has, if nothing is asked for */
    const bool *point;        /* by body: a group of particles, which has no axes */
    const bool *fixed;        /* by joint: a weld that makes a group */
    const ct_freedoms *joint; /* by joint */
    const uint32_t *body_edge[2], *joint_edge[2]; /* by graph; UINT32_MAX: none */
};

/* Rows of a chord: equations that its joint adds when it closes a circuit [McPhee-2, 4.5]. */
typedef enum ct_tie_row {
    CT_ROW_X,
    CT_ROW_Y,
    CT_ROW_NORMAL,
    CT_ROW_ROD,
    CT_ROW_TURN,
    CT_ROW_DRIVE_SLIDE,
    CT_ROW_DRIVE_TURN,
    CT_ROW_COUPLE_SLIDE, /* of branches, too */
    CT_ROW_COUPLE_TURN,
    CT_ROW_Z, /* from here on in space */
    CT_ROW_NORMAL_1,
    CT_ROW_NORMAL_2,
    CT_ROW_LEVEL,
    CT_ROW_AIM_1, /* axes of tail and head stay at right angles */
    CT_ROW_AIM_2,
    CT_ROW_AIM_3,
    CT_ROW_EVEN, /* of branches, too */
    CT_ROW_TOUCH,
    CT_ROW_ROLL_1,
    CT_ROW_ROLL_2,
    CT_ROW_KINDS
} ct_tie_row;

extern const ct_member ct_row_words[CT_ROW_KINDS]; /* of multipliers: `J3.Fn` */

/* Rows that a joint gives as a chord of the translational (rotational) tree; returns how many. */
enum { CT_MOST_ROWS = 10 };
uint32_t ct_tie_rows(const ct_freedoms *f, bool chord_t, bool chord_r, uint8_t row[CT_MOST_ROWS]);

/* Words of the coordinates of a branch: [0] q, [1] u. One slide, several slides of a joint, place
 * of a body's origin, place of its mass centre. */
extern const ct_member ct_slide_words[4][3][2];
uint32_t ct_slide_row(bool body, uint32_t slides, bool off_origin); /* of the table */
ct_member ct_turn_word(bool body);                                  /* beta, theta */
extern const ct_member ct_turns_words[3][2];                        /* one of several turns */
extern const ct_member ct_chart_words[3][2]; /* the same of angles that are re-chosen */
/* A quaternion; its three speeds, of a joint or a body. */
extern const ct_member ct_ball_words[4], ct_spin_words[2][3];

bool ct_is_off_origin(const ct_mechanism *mech, uint32_t body); /* its mass centre is elsewhere */
bool ct_joint_is_rigid(const ct_bodies *b, uint32_t joint);     /* both ends in one rigid group */

/* E601: a joint within a rigid group; W601: welds in a loop. True: no error. */
bool ct_check_bodies(const ct_graph *graph);

bool ct_is_rotational(const ct_graph *graph, uint32_t edge); /* of an edge of bodies and joints */
bool ct_is_turn_row(uint8_t row);
const char *ct_body_reason(const ct_tree *tree, uint32_t edge);
const char *ct_body_edge_text(const ct_graph *graph, uint32_t edge); /* "revolute", "arm" */

#endif

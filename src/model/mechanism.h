/* mechanism.h - bodies, frames and joints of a model, as written: data for src/mechanics.
 *
 * Vectors have three components; a planar model uses the first two, and turns about z. Data of
 * bodies, frames and axes are expressions of parameters; drivers also of time and inputs (that is
 * checked later, when they are differentiated); loads of anything.
 *
 * Signs: reactions act on the head, at the joint, in ground axes. A joint's beta is the angle of
 * the head frame minus that of the tail frame; s counts along `axis`, in the axes of the tail
 * frame.
 */
#ifndef CT_MODEL_MECHANISM_H
#define CT_MODEL_MECHANISM_H

#include "base/hash.h"
#include "expr/expr.h"
#include "lang/syntax.h"

enum { CT_GROUND_BODY = 0, CT_GROUND_FRAME = 0 };

typedef struct ct_vec3 {
    ct_expr c[3]; /* never 0: the number zero */
} ct_vec3;

/* A body that changes its shape by coordinates q. Expressions of parameters and of the symbols q,
 * in the axes of the body, from its origin. */
typedef struct ct_flex {
    uint32_t count;
    uint32_t flat;        /* of a beam: the first of them, those of the plane */
    const ct_name *q, *u; /* symbols `rod.q[1]`, `rod.qdot[1]` */
    const bool *angle;    /* of twist; else a length */
    ct_vec3 moment;       /* mass times the way to the centre of mass */
    ct_expr inertia[6];   /* about the origin */
    const ct_vec3 *spin;  /* by q: angular momentum about the origin for q' = 1 */
    const ct_expr *mass, *stiffness, *damping; /* count by count */
    const ct_expr *force;      /* by q: what is not linear, of q and u; NULL: none */
    ct_expr potential;         /* of that; 0: none */
    uint32_t line, line_count; /* frames along it, for pictures */
    uint32_t next;             /* the body that continues it, of a beam that is cut; 0: none */
} ct_flex;

typedef struct ct_body {
    ct_name name;
    bool particle; /* no orientation */
    bool flexible; /* `flex` tells how it bends; mass, inertia and com are those when straight */
    bool meshed;   /* flexible: from a finite-element program */
    bool cable;    /* flexible: in absolute nodal coordinates, of the ground */
    bool section;  /* of a flexible body: without mass, it carries a frame there */
    bool unbent;   /* section at an end where modes have no curvature */
    bool number;   /* what a path reads is its angle: it is nowhere */
    const ct_flex *flex;
    ct_expr mass;
    ct_expr inertia[6]; /* about the centre of mass, body axes: xx yy zz xy xz yz; planar: zz */
    ct_vec3 com;        /* in body axes */
    uint32_t frame;     /* its own frame */
    ct_place place;
} ct_body;

typedef struct ct_frame {
    ct_name name; /* `crank.B`; of the body's own frame: `crank`; of the ground: `ground.O2` */
    uint32_t body;
    ct_vec3 at;          /* in body axes, from the body's origin */
    ct_expr turn;        /* planar: angle of its axes against those of the body */
    const ct_vec3 *axes; /* spatial: its three axes in those of the body; NULL: the same */
    const ct_vec3 *bend; /* spatial, on a body that bends: its turns about z, then y, then x */
    ct_place place;
} ct_frame;

typedef enum ct_joint_kind {
#define JOINT(id, ...) CT_JOINT_##id,
#include "model/joints.def"
#undef JOINT
    CT_JOINT_KINDS
} ct_joint_kind;

typedef enum ct_joint_keys {
    CT_KEYS_NONE = 0,
    CT_KEYS_AXIS = 1,
    CT_KEYS_LENGTH = 2,
    CT_KEYS_TWO_AXES = 4,
    CT_KEYS_THREE_AXES = 8,
    CT_KEYS_ANGLES = 16,
    CT_KEYS_LEAD = 32,
    CT_KEYS_RADIUS = 64,
    CT_KEYS_SURFACE = 128,
    CT_KEYS_CURVE = 256,
    CT_KEYS_PATH = 512,
    CT_KEYS_PATCH = 1024,
    CT_KEYS_TURN = 2048 /* an axis in space; in the plane it may say z */
} ct_joint_keys;
typedef enum ct_motion_space { CT_IN_PLANE = 1, CT_IN_SPACE = 2, CT_IN_BOTH = 3 } ct_motion_space;
typedef enum ct_joint_passes { CT_PASSES_NONE, CT_PASSES_FORCE, CT_PASSES_BOTH } ct_joint_passes;

/* What is drawn at its frames besides the guide of a slide. */
typedef enum ct_joint_picture {
    CT_PICTURE_NONE,
    CT_PICTURE_PIN, /* hatched on the ground */
    CT_PICTURE_SLOT,
    CT_PICTURE_RAIL,
    CT_PICTURE_WELD,
    CT_PICTURE_ROD
} ct_joint_picture;

typedef struct ct_joint_type { /* columns of joints.def */
    const char *word;
    uint8_t where, turns, slides, ties, deep_turns, deep_slides;
    uint16_t keys;
    const char *axes;
    uint8_t passes, picture;
    const char *law, *help;
} ct_joint_type;
extern const ct_joint_type ct_joint_types[CT_JOINT_KINDS];
static inline uint32_t ct_joint_turns(ct_joint_kind kind, bool spatial)
{
    return spatial ? ct_joint_types[kind].deep_turns : ct_joint_types[kind].turns;
}
static inline uint32_t ct_joint_slides(ct_joint_kind kind, bool spatial)
{
    return spatial ? ct_joint_types[kind].deep_slides : ct_joint_types[kind].slides;
}
/* Has it constraints that its freedoms do not tell: what rolls? */
static inline bool ct_joint_rolls(ct_joint_kind kind)
{
    return ct_joint_types[kind].keys & CT_KEYS_RADIUS;
}

/* Slides that expressions of its places tie: the last ones. */
static inline uint32_t ct_joint_guides(ct_joint_kind kind)
{
    uint32_t keys = ct_joint_types[kind].keys;
    bool along = keys & (CT_KEYS_PATH | CT_KEYS_PATCH);
    return along ? 3 : keys & CT_KEYS_CURVE ? 2 : keys & CT_KEYS_SURFACE ? 1 : 0;
}
/* Numbers `u` that these expressions read instead of places: angles of joints of their own. */
static inline uint32_t ct_joint_numbers(ct_joint_kind kind)
{
    uint32_t keys = ct_joint_types[kind].keys;
    return keys & CT_KEYS_PATCH ? 2 : keys & CT_KEYS_PATH ? 1 : 0;
}
/* Does its slide follow from its turn: a thread? */
static inline bool ct_joint_leads(ct_joint_kind kind)
{
    return ct_joint_types[kind].keys & CT_KEYS_LEAD;
}
/* Are its two points one? */
static inline bool ct_joint_holds_point(ct_joint_kind kind, bool spatial)
{
    return ct_joint_slides(kind, spatial) == 0 && ct_joint_types[kind].passes == CT_PASSES_BOTH;
}
static inline bool ct_joint_is_guided(ct_joint_kind kind)
{
    return ct_joint_guides(kind) > 0;
}

/* Freedoms of a joint: up to three turns, then up to three slides. */
enum { CT_TURN = 0, CT_SLIDE = 3, CT_FREEDOMS = 6 };

/* Angles that an event exchanges for others (rechoose.c). */
typedef struct ct_chart {
    ct_name which; /* a discrete, 0 or 1: a quarter turn about the second axis before the angles */
    ct_name p[3], dp[3];
} ct_chart;

typedef struct ct_joint {
    ct_name name;
    ct_joint_kind kind;
    uint32_t tail, head;   /* frames */
    ct_vec3 axis;          /* in the axes of the tail frame, of any length: direction of s; spatial:
                              of the turn, normal of a plane; in the head: of what rolls */
    ct_vec3 pin[3];        /* spatial: axes of its turns, one after the other, likewise */
    ct_expr length;        /* distance, lead of a screw, radius of what rolls; else 0 */
    bool angles;           /* three turns one after the other, not a quaternion */
    const ct_chart *chart; /* they may be re-chosen; NULL: not */
    bool inside;  /* the way between two frames that an element has a port for: no branch */
    bool elastic; /* a weld of a section to a moving frame of its flexible body */
    /* By freedom, 0 means none: what prescribes its value, or its rate (never both); torque about
     * it, force along it, on the head, from 1-D elements that hold the joint: symbol of the port's
     * through variable (`J1.port.T`). */
    ct_expr drive[CT_FREEDOMS], rate[CT_FREEDOMS], load[CT_FREEDOMS];
    ct_expr bound[CT_FREEDOMS]; /* besides: by speed constraints; 0: none */
    ct_place place;
} ct_joint;

/* A vector force or torque between two frames: on the head, and opposite on the tail. */
typedef struct ct_vector_load {
    ct_name name;
    bool torque;
    uint32_t tail, head;
    ct_vec3 value; /* planar torque: c[2]; a force acts at the head's point, and its reaction at the
                      tail's point */
    uint32_t axes; /* frame in whose axes it is given; CT_GROUND_FRAME: ground */
    ct_place place;
} ct_vector_load;

/* A speed constraint of the user: a sum of speeds, with factors, that is zero. To each speed
 * belongs lambda times its factor, which stands among the loads. */
typedef struct ct_speed_bound {
    ct_name name, lambda; /* of the component, and of the symbol */
    ct_expr speed;
    ct_place place;
} ct_speed_bound;

/* The line between two frames' points, held by a 1-D translational element (spring, strut). */
typedef struct ct_line {
    ct_name name; /* of the component that lies on it */
    uint32_t tail, head;
    ct_expr load; /* symbol `S.port.F`: force along the line on the head; positive drives the ends
                     apart */
    ct_place place;
} ct_line;

typedef enum ct_shape_kind {
    CT_SHAPE_NONE,
    CT_SHAPE_BOX,      /* size: edges along x, y, z of its frame, which is at its centre */
    CT_SHAPE_CYLINDER, /* radius, length along z */
    CT_SHAPE_SPHERE,   /* radius */
    CT_SHAPE_CAPSULE,  /* radius, length without the caps, along z */
    CT_SHAPE_ELLIPSOID,
    CT_SHAPE_MESH /* size: scale */
} ct_shape_kind;

/* What is drawn of a body. */
typedef struct ct_shape {
    ct_shape_kind kind;
    uint32_t frame;
    ct_expr size[3];
    const char *file; /* of a mesh, as written */
    ct_expr color[3]; /* 0: not given */
    ct_place place;
} ct_shape;

/* What an expression may read of a mechanism. */
typedef enum ct_motion_kind {
    CT_MOTION_POSITION, /* of a frame's point, component `axis` in ground axes */
    CT_MOTION_VELOCITY,
    CT_MOTION_ACCELERATION,
    CT_MOTION_ANGLE,     /* of a frame (planar), against the ground, not wrapped */
    CT_MOTION_SPIN,      /* w; spatial: component `axis` of omega in ground axes */
    CT_MOTION_SPIN_RATE, /* alpha, likewise */
    CT_MOTION_SPIN_OWN,  /* spatial: component of omega in the axes of the frame */
    CT_MOTION_AXES,      /* spatial: R of a frame, entry axis/3, axis%3 */
    CT_MOTION_TURN,      /* of a joint: beta, w, alpha */
    CT_MOTION_TURN_SPEED,
    CT_MOTION_TURN_RATE,
    CT_MOTION_SLIDE, /* of a joint: s, v, a (free: axis 0, 1) */
    CT_MOTION_SLIDE_SPEED,
    CT_MOTION_SLIDE_RATE,
    CT_MOTION_JOINT_SPIN, /* spatial: omega of head against tail, in the axes of the head frame */
    CT_MOTION_JOINT_AXES, /* R of the head frame in that of the tail */
    CT_MOTION_REACTION,   /* force of a joint on its head, component `axis`, ground axes */
    CT_MOTION_REACTION_TORQUE,
    CT_MOTION_DRIVE,     /* torque or force that driving a joint takes: axis: the freedom */
    CT_MOTION_LENGTH,    /* of a line */
    CT_MOTION_KINETIC,   /* energy of all bodies */
    CT_MOTION_POTENTIAL, /* of all bodies in gravity: 0 for a mass centre at the ground's origin;
                            and of what bends */
    CT_MOTION_BEND,      /* of a flexible body: coordinate `axis` of its shape */
    CT_MOTION_BEND_SPEED,
    CT_MOTION_CHART, /* of a joint that may re-choose its angles: the present ones */
    CT_MOTION_CHART_SPEED,
    CT_MOTION_KINDS
} ct_motion_kind;

/* A variable that was read somewhere: its symbol stands in expressions of the model. */
typedef struct ct_motion {
    ct_name name; /* symbol `crank.B.x`, `J1.beta`, `J3.F[2]` */
    ct_motion_kind kind;
    uint32_t object; /* frame, joint or line; body that bends; 0 of the energies */
    uint32_t axis;   /* component 0..2; of axes 0..8; of shapes any */
} ct_motion;

typedef enum ct_branch_kind {
    CT_BRANCH_JOINT,
    CT_BRANCH_BODY,
} ct_branch_kind;

/* A branch wanted, in one or both trees. */
typedef struct ct_branch_wish {
    ct_branch_kind kind;
    uint32_t object;
    bool translational, rotational;
    ct_place place;
} ct_branch_wish;

typedef enum ct_coordinates {
    CT_COORDINATES_AUTO,
    CT_COORDINATES_JOINT,
    CT_COORDINATES_ABSOLUTE,
} ct_coordinates;

extern const ct_word ct_coordinate_words[]; /* in the order of ct_coordinates */

typedef struct ct_mechanism {
    bool spatial;
    ct_vec3 gravity;
    ct_coordinates coordinates;
    ct_place coordinates_place;
    const ct_body *body;   /* [0] is the ground */
    const ct_frame *frame; /* [0] is that of the ground */
    const ct_joint *joint;
    const ct_vector_load *load;
    const ct_speed_bound *speed;
    const ct_line *line;
    const ct_motion *motion;
    const ct_branch_wish *wish;
    const ct_shape *shape;
    uint32_t body_count, frame_count, joint_count, load_count, line_count, motion_count, wish_count;
    uint32_t shape_count, speed_count;
    ct_place place;               /* of `space` */
    const ct_map *motion_by_name; /* name of the symbol -> index + 1 */
} ct_mechanism;

/* The angle or slide of another joint that a driver of `own` reads by this symbol; NULL: something
 * else. */
const ct_motion *ct_freedom_read(const ct_mechanism *mechanism, uint32_t own, ct_name symbol);

/* The angle q (order 1: its rate) of a joint that may re-choose its angles, over the present ones.
 */
ct_expr ct_chart_angle(ct_pool *pool, const ct_joint *j, uint32_t i, int order);

#endif

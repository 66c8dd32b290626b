/* builtin.h - the types that have C behind them: bodies and joints, their keys and variables.
 *
 * One row a type, one row a key, one row a variable; what a type has follows from what it is. The
 * manual pages come from the same rows.
 */
#ifndef CT_MODEL_BUILTIN_H
#define CT_MODEL_BUILTIN_H

#include "model/mechanism.h"

/* What a type must have for a key or variable to be its own. */
typedef enum ct_need {
    CT_NEED_MASS,   /* bodies of all kinds */
    CT_NEED_SIZE,   /* all but particles: has an orientation */
    CT_NEED_LUMP,   /* body, particle: its mass is a key */
    CT_NEED_RIGID,  /* body: its inertia is a key */
    CT_NEED_BENDS,  /* flexible, fe_body, cable */
    CT_NEED_ROD,    /* flexible, cable: a section along a length */
    CT_NEED_BEAM,   /* flexible */
    CT_NEED_TWISTS, /* flexible, in space */
    CT_NEED_MESH,   /* fe_body */
    CT_NEED_CABLE,  /* cable */
    CT_NEED_TURN,   /* joint: a freedom of rotation */
    CT_NEED_TURNS,  /* joint: several of them */
    CT_NEED_SLIDE,  /* joint: a freedom of translation */
    CT_NEED_DRIVE,  /* joint: a freedom that can be driven */
    CT_NEED_AXIS,   /* joint */
    CT_NEED_AXIS1,  /* joint: several axes */
    CT_NEED_AXIS3,
    CT_NEED_ANGLES,
    CT_NEED_SURFACE,
    CT_NEED_CURVE,
    CT_NEED_PATH,
    CT_NEED_PATCH,
    CT_NEED_NUMBERS, /* one of both */
    CT_NEED_LEAD,
    CT_NEED_RADIUS,
    CT_NEED_LENGTH, /* joint */
    CT_NEED_FORCE,  /* joint: a reaction */
    CT_NEED_TORQUE, /* joint: a reaction */
} ct_need;

enum {
    CT_TYPE_BODY,
    CT_TYPE_PARTICLE,
    CT_TYPE_FLEXIBLE,
    CT_TYPE_FE,
    CT_TYPE_CABLE,
    CT_TYPE_JOINTS,
    CT_TYPES = CT_TYPE_JOINTS + CT_JOINT_KINDS
};
static inline uint32_t ct_body_type(const ct_body *body)
{
    return body->particle   ? CT_TYPE_PARTICLE
           : body->meshed   ? CT_TYPE_FE
           : body->cable    ? CT_TYPE_CABLE
           : body->flexible ? CT_TYPE_FLEXIBLE
                            : CT_TYPE_BODY;
}

/* Bodies, and the joints in order of ct_joint_kind. */
const char *ct_type_word(uint32_t type);
const char *ct_type_help(uint32_t type);
const char *ct_type_use(uint32_t type);        /* `(tail, head)`, `{ P = [x, y], ... }` */
bool ct_type_has(uint32_t type, ct_need need); /* in the plane or in space */
bool ct_type_has_in(uint32_t type, ct_need need, bool spatial);
bool ct_type_find(const char *word, uint32_t *type);
bool ct_type_is_spatial(const char *word); /* a joint that exists in space only */

typedef enum ct_key_kind {
    CT_KEY_MASS,
    CT_KEY_INERTIA,
    CT_KEY_COM,
    CT_KEY_AXIS,
    CT_KEY_AXIS1,
    CT_KEY_AXIS2,
    CT_KEY_AXIS3,
    CT_KEY_ANGLES,
    CT_KEY_RECHOOSE,
    CT_KEY_SURFACE,
    CT_KEY_SURFACE2,
    CT_KEY_PATH,
    CT_KEY_PATCH,
    CT_KEY_LEAD,
    CT_KEY_RADIUS,
    CT_KEY_LENGTH,
    CT_KEY_ANGLE, /* drivers */
    CT_KEY_SPEED,
    CT_KEY_SLIDE,
    CT_KEY_VELOCITY,
    CT_KEY_BEAM_LENGTH, /* flexible */
    CT_KEY_AREA,
    CT_KEY_SECOND_Z,
    CT_KEY_SECOND_Y,
    CT_KEY_TORSION,
    CT_KEY_MODULUS,
    CT_KEY_SHEAR,
    CT_KEY_DENSITY,
    CT_KEY_DAMPING,
    CT_KEY_SLOWED,
    CT_KEY_BENDING,
    CT_KEY_STRETCH,
    CT_KEY_TWIST,
    CT_KEY_SHAPES,
    CT_KEY_REFERENCE,
    CT_KEY_THEORY,
    CT_KEY_STIFFENING,
    CT_KEY_SEGMENTS,
    CT_KEY_FE_NODES, /* fe_body */
    CT_KEY_FE_MASS,
    CT_KEY_FE_STIFFNESS,
    CT_KEY_FE_VECTORS,
    CT_KEY_FE_MODES,
    CT_KEY_FE_REFERENCE,
    CT_KEY_CABLE_ELEMENTS, /* cable */
    CT_KEY_CABLE_ORIGIN,
    CT_KEY_CABLE_ANGLE,
    CT_KEYS
} ct_key_kind;

typedef struct ct_key_row {
    const char *word, *unit; /* unit NULL: a direction */
    ct_need need;
    const char *limit, *fallback; /* as written; NULL: none */
    const char *help;
} ct_key_row;
extern const ct_key_row ct_key_rows[CT_KEYS];

typedef enum ct_motion_shape { CT_SINGLE, CT_VECTOR, CT_MATRIX } ct_motion_shape;

typedef struct ct_motion_row {
    const char *word, *unit;
    ct_need need;
    ct_motion_space space;
    ct_motion_kind kind;
    ct_motion_shape shape;
    uint32_t axis; /* of a single component */
    const char *help;
} ct_motion_row;
enum { CT_MOTION_ROWS = 34 };
extern const ct_motion_row ct_motion_rows[CT_MOTION_ROWS];

#endif

/* mechanism.c - the tables of bodies and joints. */
#include "model/mechanism.h"

#include <string.h>

#include "model/builtin.h"

const ct_joint_type ct_joint_types[CT_JOINT_KINDS] = {
#define JOINT(id, ...) [CT_JOINT_##id] = {__VA_ARGS__},
#include "model/joints.def"
#undef JOINT
};

const ct_motion *ct_freedom_read(const ct_mechanism *mechanism, uint32_t own, ct_name symbol)
{
    uint32_t found = mechanism->motion_by_name ? ct_map_get(mechanism->motion_by_name, symbol) : 0;
    const ct_motion *x = found ? &mechanism->motion[found - 1] : NULL;
    bool freedom = x && (x->kind == CT_MOTION_TURN || x->kind == CT_MOTION_SLIDE);
    return freedom && x->object != own && x->axis == 0 ? x : NULL;
}

static const struct body_type {
    const char *word, *help, *use;
} body_types[] = {
    [CT_TYPE_BODY] = {"body", "rigid body; its name is its own frame",
                      " m = ..., I = ...  { P = [x, y], Q = frame([x, y], angle) }"},
    [CT_TYPE_PARTICLE] = {"particle", "point mass: a body without orientation", " m = ..."},
};

static const ct_joint_type *joint_of(uint32_t type)
{
    return &ct_joint_types[type - CT_TYPE_JOINTS];
}

const char *ct_type_word(uint32_t type)
{
    return type < CT_TYPE_JOINTS ? body_types[type].word : joint_of(type)->word;
}

const char *ct_type_help(uint32_t type)
{
    return type < CT_TYPE_JOINTS ? body_types[type].help : joint_of(type)->help;
}

const char *ct_type_use(uint32_t type)
{
    if (type < CT_TYPE_JOINTS)
        return body_types[type].use;
    return joint_of(type)->keys == CT_KEYS_LENGTH ? "(tail, head) length = ..." : "(tail, head)";
}

bool ct_type_has(uint32_t type, ct_need need)
{
    if (type < CT_TYPE_JOINTS)
        return need == CT_NEED_MASS || (need == CT_NEED_SIZE && type == CT_TYPE_BODY);
    const ct_joint_type *j = joint_of(type);
    switch (need) {
    case CT_NEED_TURN:
        return j->turns > 0;
    case CT_NEED_SLIDE:
        return j->slides > 0;
    case CT_NEED_DRIVE:
        return j->turns + j->slides > 0 && j->ties > 0;
    case CT_NEED_AXIS:
        return j->keys == CT_KEYS_AXIS;
    case CT_NEED_LENGTH:
        return j->keys == CT_KEYS_LENGTH;
    case CT_NEED_FORCE:
        return j->passes >= CT_PASSES_FORCE;
    case CT_NEED_TORQUE:
        return j->passes == CT_PASSES_BOTH;
    default:
        return false;
    }
}

bool ct_type_find(const char *word, uint32_t *type)
{
    for (uint32_t i = 0; i < CT_TYPES; i++) {
        if (strcmp(ct_type_word(i), word) != 0)
            continue;
        *type = i;
        return true;
    }
    return false;
}

bool ct_type_is_spatial(const char *word)
{
    static const char *const words[] = {"cylindrical", "universal", "spherical", "planar"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

const ct_key_row ct_key_rows[CT_KEYS] = {
    [CT_KEY_MASS] = {"m", "kg", CT_NEED_MASS, ">= 0", "0", "mass"},
    [CT_KEY_INERTIA] = {"I", "kg.m^2", CT_NEED_SIZE, ">= 0", "0",
                        "inertia about the centre of mass; space: [Ixx, Iyy, Izz] or a matrix"},
    [CT_KEY_COM] = {"com", "m", CT_NEED_SIZE, NULL, "[0, 0]",
                    "centre of mass, in the axes of the body; three components in space"},
    [CT_KEY_AXIS] = {"axis", NULL, CT_NEED_AXIS, NULL, "[1, 0]",
                     "direction of s, in the axes of the tail; also x, y, in space z"},
    [CT_KEY_LENGTH] = {"length", "m", CT_NEED_LENGTH, "> 0", NULL, "distance of the two points"},
    [CT_KEY_ANGLE] = {"beta", "rad", CT_NEED_TURN, NULL, "(free)", "drives the angle"},
    [CT_KEY_SPEED] = {"w", "rad/s", CT_NEED_TURN, NULL, "(free)", "drives the angular speed"},
    [CT_KEY_SLIDE] = {"s", "m", CT_NEED_SLIDE, NULL, "(free)", "drives the position"},
    [CT_KEY_VELOCITY] = {"v", "m/s", CT_NEED_SLIDE, NULL, "(free)", "drives the speed"},
};

const ct_motion_row ct_motion_rows[CT_MOTION_ROWS] = {
#define MASS   CT_NEED_MASS
#define SIZE   CT_NEED_SIZE
#define TURN   CT_NEED_TURN
#define SLIDE  CT_NEED_SLIDE
#define BOTH   CT_IN_BOTH
#define PLANE  CT_IN_PLANE
#define SPACE  CT_IN_SPACE
#define SINGLE CT_SINGLE
#define VECTOR CT_VECTOR
    {"x", "m", MASS, BOTH, CT_MOTION_POSITION, SINGLE, 0, "place, ground axes"},
    {"y", "m", MASS, BOTH, CT_MOTION_POSITION, SINGLE, 1, "place, ground axes"},
    {"z", "m", MASS, SPACE, CT_MOTION_POSITION, SINGLE, 2, "place, ground axes"},
    {"r", "m", MASS, BOTH, CT_MOTION_POSITION, VECTOR, 0, "vector [x, y]"},
    {"v", "m/s", MASS, BOTH, CT_MOTION_VELOCITY, VECTOR, 0, "velocity, ground axes"},
    {"a", "m/s^2", MASS, BOTH, CT_MOTION_ACCELERATION, VECTOR, 0, "acceleration, ground axes"},
    {"theta", "rad", SIZE, PLANE, CT_MOTION_ANGLE, SINGLE, 0, "angle against the ground"},
    {"w", "rad/s", SIZE, PLANE, CT_MOTION_SPIN, SINGLE, 0, "angular velocity"},
    {"alpha", "rad/s^2", SIZE, PLANE, CT_MOTION_SPIN_RATE, SINGLE, 0, "angular acceleration"},
    {"R", "1", SIZE, SPACE, CT_MOTION_AXES, CT_MATRIX, 0, "its axes, as columns, in ground axes"},
    {"omega", "rad/s", SIZE, SPACE, CT_MOTION_SPIN, VECTOR, 0, "angular velocity, ground axes"},
    {"omega_body", "rad/s", SIZE, SPACE, CT_MOTION_SPIN_OWN, VECTOR, 0,
     "angular velocity, own axes"},
    {"alpha", "rad/s^2", SIZE, SPACE, CT_MOTION_SPIN_RATE, VECTOR, 0,
     "angular acceleration, ground axes"},
    {"beta", "rad", TURN, BOTH, CT_MOTION_TURN, SINGLE, 0, "angle of head against tail"},
    {"w", "rad/s", TURN, BOTH, CT_MOTION_TURN_SPEED, SINGLE, 0, "its rate"},
    {"alpha", "rad/s^2", TURN, BOTH, CT_MOTION_TURN_RATE, SINGLE, 0, "its second derivative"},
    {"s", "m", SLIDE, BOTH, CT_MOTION_SLIDE, SINGLE, 0, "place of the head along the axis"},
    {"v", "m/s", SLIDE, BOTH, CT_MOTION_SLIDE_SPEED, SINGLE, 0, "its rate"},
    {"a", "m/s^2", SLIDE, BOTH, CT_MOTION_SLIDE_RATE, SINGLE, 0, "its second derivative"},
    {"F", "N", CT_NEED_FORCE, BOTH, CT_MOTION_REACTION, VECTOR, 0,
     "reaction on the head, at the joint, ground axes"},
    {"T", "N.m", CT_NEED_TORQUE, PLANE, CT_MOTION_REACTION_TORQUE, SINGLE, 2,
     "reaction on the head"},
    {"T", "N.m", CT_NEED_TORQUE, SPACE, CT_MOTION_REACTION_TORQUE, VECTOR, 0,
     "reaction on the head, ground axes"},
    {"drive", NULL, CT_NEED_DRIVE, BOTH, CT_MOTION_DRIVE, SINGLE, 0,
     "torque or force on the head that driving it takes; not in F, T"},
};

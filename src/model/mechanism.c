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
    if (!freedom)
        return NULL;
    ct_joint_kind kind = mechanism->joint[own].kind;
    bool screw = ct_joint_leads(kind) && x->kind == CT_MOTION_TURN;
    bool place = ct_joint_is_guided(kind) && x->kind == CT_MOTION_SLIDE;
    return x->object != own || screw || place ? x : NULL;
}

static const struct body_type {
    const char *word, *help, *use;
} body_types[] = {
    [CT_TYPE_BODY] = {"body", "rigid body; its name is its own frame",
                      " m = ..., I = ...  { P = [x, y], Q = frame([x, y], angle) }"},
    [CT_TYPE_PARTICLE] = {"particle", "point mass: a body without orientation", " m = ..."},
    [CT_TYPE_FLEXIBLE] =
        {"flexible", "beam that moves as a body and bends; its axis is x of its own frame",
         " length = ..., A = ..., Iz = ..., E = ..., rho = ...  { P = x, Q = [x, y] }"},
    [CT_TYPE_CABLE] =
        {"cable", "cable or belt that bends far (absolute nodal coordinates; plane)",
         " length = ..., A = ..., Iz = ..., E = ..., rho = ...  { P = x, Q = [x, y] }"},
    [CT_TYPE_FE] = {"fe_body", "elastic body from matrices of a finite-element program",
                    " nodes = \"...\", mass = \"...\", stiffness = \"...\"  { P = nodes(1), Q = "
                    "[x, y] }"},
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
    return joint_of(type)->keys & CT_KEYS_LENGTH ? "(tail, head) length = ..." : "(tail, head)";
}

static bool body_has(uint32_t type, ct_need need, bool spatial)
{
    bool beam = type == CT_TYPE_FLEXIBLE, mesh = type == CT_TYPE_FE, cable = type == CT_TYPE_CABLE;
    bool rod = beam || cable, bends = rod || mesh;
    return need == CT_NEED_MASS || (need == CT_NEED_SIZE && type != CT_TYPE_PARTICLE) ||
           (need == CT_NEED_LUMP && !bends) || (need == CT_NEED_RIGID && type == CT_TYPE_BODY) ||
           (need == CT_NEED_BENDS && bends) || (need == CT_NEED_BEAM && beam) ||
           (need == CT_NEED_ROD && rod) || (need == CT_NEED_CABLE && cable) ||
           (need == CT_NEED_MESH && mesh) || (need == CT_NEED_TWISTS && beam && spatial);
}

bool ct_type_has_in(uint32_t type, ct_need need, bool spatial)
{
    if (type < CT_TYPE_JOINTS)
        return body_has(type, need, spatial);
    const ct_joint_type *j = joint_of(type);
    uint32_t turns = spatial ? j->deep_turns : j->turns;
    uint32_t slides = spatial ? j->deep_slides : j->slides;
    switch (need) {
    case CT_NEED_TURN:
        return turns == 1;
    case CT_NEED_TURNS:
        return turns > 1;
    case CT_NEED_SLIDE:
        return slides > 0;
    case CT_NEED_DRIVE:
        return turns + slides > 0 && (j->ties > 0 || spatial);
    case CT_NEED_AXIS:
        return j->keys & CT_KEYS_AXIS;
    case CT_NEED_AXIS1:
        return j->keys & (CT_KEYS_TWO_AXES | CT_KEYS_THREE_AXES);
    case CT_NEED_AXIS3:
        return j->keys & CT_KEYS_THREE_AXES;
    case CT_NEED_ANGLES:
        return spatial && j->keys & CT_KEYS_ANGLES;
    case CT_NEED_SURFACE:
        return j->keys & CT_KEYS_SURFACE;
    case CT_NEED_CURVE:
        return j->keys & CT_KEYS_CURVE;
    case CT_NEED_PATH:
        return j->keys & CT_KEYS_PATH;
    case CT_NEED_PATCH:
        return j->keys & CT_KEYS_PATCH;
    case CT_NEED_NUMBERS:
        return j->keys & (CT_KEYS_PATH | CT_KEYS_PATCH);
    case CT_NEED_LEAD:
        return j->keys & CT_KEYS_LEAD;
    case CT_NEED_RADIUS:
        return j->keys & CT_KEYS_RADIUS;
    case CT_NEED_LENGTH:
        return j->keys & CT_KEYS_LENGTH;
    case CT_NEED_FORCE:
        return j->passes >= CT_PASSES_FORCE;
    case CT_NEED_TORQUE:
        return j->passes == CT_PASSES_BOTH;
    default:
        return false;
    }
}

bool ct_type_has(uint32_t type, ct_need need)
{
    return ct_type_has_in(type, need, false) || ct_type_has_in(type, need, true);
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
    uint32_t type;
    return ct_type_find(word, &type) && type >= CT_TYPE_JOINTS &&
           joint_of(type)->where == CT_IN_SPACE;
}

const ct_key_row ct_key_rows[CT_KEYS] = {
    [CT_KEY_MASS] = {"m", "kg", CT_NEED_LUMP, ">= 0", "0", "mass"},
    [CT_KEY_INERTIA] = {"I", "kg.m^2", CT_NEED_RIGID, ">= 0", "0",
                        "inertia about the centre of mass; space: [Ixx, Iyy, Izz] or a matrix"},
    [CT_KEY_COM] = {"com", "m", CT_NEED_RIGID, NULL, "[0, 0]",
                    "centre of mass, in the axes of the body; three components in space"},
    [CT_KEY_AXIS] = {"axis", NULL, CT_NEED_AXIS, NULL, "[1, 0]",
                     "direction of s, in the axes of the tail; also x, y, in space z"},
    [CT_KEY_AXIS1] = {"axis1", NULL, CT_NEED_AXIS1, NULL, NULL, "first axis, in the tail"},
    [CT_KEY_AXIS2] = {"axis2", NULL, CT_NEED_AXIS1, NULL, NULL,
                      "second axis, in the head when the first turn is zero"},
    [CT_KEY_AXIS3] = {"axis3", NULL, CT_NEED_AXIS3, NULL, NULL, "third axis, in the head"},
    [CT_KEY_ANGLES] = {"angles", NULL, CT_NEED_ANGLES, NULL, NULL,
                       "turns about these axes one after the other, as in zxz or xyz; without: a "
                       "quaternion"},
    [CT_KEY_RECHOOSE] = {"rechoose", NULL, CT_NEED_ANGLES, NULL, "off",
                         "on | off: angles are exchanged before they become singular"},
    [CT_KEY_SURFACE] =
        {"surface", NULL, CT_NEED_SURFACE, NULL, NULL,
         "zero on the surface: an expression of `s[1]`, `s[2]`, `s[3]` of the joint"},
    [CT_KEY_SURFACE2] = {"surface2", NULL, CT_NEED_CURVE, NULL, NULL,
                         "zero on a second one, that meets the first in the curve"},
    [CT_KEY_PATH] = {"path", "m", CT_NEED_PATH, NULL, NULL,
                     "point of the curve, [x, y, z] of `u` of the joint, in the axes of the tail"},
    [CT_KEY_PATCH] = {"patch", "m", CT_NEED_PATCH, NULL, NULL,
                      "point of the surface, [x, y, z] of `u[1]`, `u[2]` of the joint"},
    [CT_KEY_LEAD] = {"lead", "m", CT_NEED_LEAD, NULL, NULL, "way of a whole turn"},
    [CT_KEY_RADIUS] = {"radius", "m", CT_NEED_RADIUS, "> 0", NULL, "radius of what rolls"},
    [CT_KEY_LENGTH] = {"length", "m", CT_NEED_LENGTH, "> 0", NULL, "distance of the two points"},
    [CT_KEY_ANGLE] = {"beta", "rad", CT_NEED_TURN, NULL, "(free)", "drives the angle"},
    [CT_KEY_SPEED] = {"w", "rad/s", CT_NEED_TURN, NULL, "(free)", "drives the angular speed"},
    [CT_KEY_SLIDE] = {"s", "m", CT_NEED_SLIDE, NULL, "(free)", "drives the position"},
    [CT_KEY_VELOCITY] = {"v", "m/s", CT_NEED_SLIDE, NULL, "(free)", "drives the speed"},
    [CT_KEY_BEAM_LENGTH] = {"length", "m", CT_NEED_ROD, "> 0", NULL, "its length"},
    [CT_KEY_AREA] = {"A", "m^2", CT_NEED_ROD, "> 0", NULL, "area of its section"},
    [CT_KEY_SECOND_Z] = {"Iz", "m^4", CT_NEED_ROD, "> 0", NULL,
                         "second moment of the section, for bending along y"},
    [CT_KEY_SECOND_Y] = {"Iy", "m^4", CT_NEED_TWISTS, "> 0", "Iz", "the same along z"},
    [CT_KEY_TORSION] = {"J", "m^4", CT_NEED_TWISTS, "> 0", NULL, "torsion constant of the section"},
    [CT_KEY_MODULUS] = {"E", "Pa", CT_NEED_ROD, "> 0", NULL, "Young's modulus"},
    [CT_KEY_SHEAR] = {"G", "Pa", CT_NEED_TWISTS, "> 0", NULL, "shear modulus, for twist"},
    [CT_KEY_DENSITY] = {"rho", "kg/m^3", CT_NEED_ROD, "> 0", NULL, "density"},
    [CT_KEY_DAMPING] = {"damping", "s", CT_NEED_BENDS, ">= 0", "0",
                        "damping forces as a part of the stiffness, times rates"},
    [CT_KEY_SLOWED] = {"stretch_inertia", "1", CT_NEED_BEAM, "> 0", "1",
                       "times the inertia of stretching against its own frame: more than 1 slows "
                       "waves along it"},
    [CT_KEY_BENDING] = {"modes", NULL, CT_NEED_BEAM, NULL, "3",
                        "shapes of bending (in space for each of two planes), a whole number"},
    [CT_KEY_STRETCH] = {"stretch", NULL, CT_NEED_BEAM, NULL, "0",
                        "shapes of stretching, a whole number"},
    [CT_KEY_TWIST] = {"twist", NULL, CT_NEED_TWISTS, NULL, "0",
                      "shapes of twisting, a whole number"},
    [CT_KEY_SHAPES] = {"shapes", NULL, CT_NEED_BEAM, NULL, "polynomial", "polynomial | modal"},
    [CT_KEY_REFERENCE] = {"reference", NULL, CT_NEED_BEAM, NULL, "clamped",
                          "its own frame stays on the begin of the beam (clamped), on the line of "
                          "its ends (chord), or in its mean (mean)"},
    [CT_KEY_THEORY] = {"theory", NULL, CT_NEED_BEAM, NULL, "rayleigh",
                       "rayleigh | euler_bernoulli: without inertia of sections against bending"},
    [CT_KEY_STIFFENING] =
        {"stiffening", NULL, CT_NEED_BEAM, NULL, "on",
         "on | off: bending shortens the beam, so that forces along it stiffen it"},
    [CT_KEY_SEGMENTS] =
        {"segments", NULL, CT_NEED_BEAM, NULL, "1",
         "equal parts that it is cut into, each with shapes of its own: it may then "
         "bend far"},
    [CT_KEY_FE_NODES] = {"nodes", NULL, CT_NEED_MESH, NULL, NULL,
                         "file of its nodes: number, x, y (and z) a line, in metres"},
    [CT_KEY_FE_MASS] = {"mass", NULL, CT_NEED_MESH, NULL, NULL,
                        "file of its mass matrix (Matrix Market), node by node"},
    [CT_KEY_FE_STIFFNESS] = {"stiffness", NULL, CT_NEED_MESH, NULL, NULL,
                             "file of its stiffness matrix, that of the free body"},
    [CT_KEY_FE_VECTORS] = {"vectors", NULL, CT_NEED_MESH, NULL, "(none)",
                           "file of shapes to take instead of those that are found, as columns"},
    [CT_KEY_FE_MODES] = {"modes", NULL, CT_NEED_MESH, NULL, "6",
                         "modes with its frames held, besides the static shapes of the frames"},
    [CT_KEY_FE_REFERENCE] = {"reference", NULL, CT_NEED_MESH, NULL, "clamped",
                             "its own frame stays with its first frame (clamped), or in its mean "
                             "(mean)"},
    [CT_KEY_CABLE_ELEMENTS] = {"elements", NULL, CT_NEED_CABLE, NULL, "8",
                               "elements along it, a whole number"},
    [CT_KEY_CABLE_ORIGIN] = {"origin", "m", CT_NEED_CABLE, NULL, "[0, 0]",
                             "where it begins when it is straight, all q zero; ground axes"},
    [CT_KEY_CABLE_ANGLE] = {"angle", "rad", CT_NEED_CABLE, NULL, "0", "its direction then"},
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
    {"theta", "rad", SIZE, BOTH, CT_MOTION_ANGLE, SINGLE, 0, "angle against the ground, about z"},
    {"w", "rad/s", SIZE, BOTH, CT_MOTION_SPIN, SINGLE, 2, "angular velocity about z"},
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
    {"q", "rad", CT_NEED_TURNS, SPACE, CT_MOTION_TURN, VECTOR, 0,
     "angles, one after the other, where they are coordinates"},
    {"w", "rad/s", CT_NEED_TURNS, SPACE, CT_MOTION_TURN_SPEED, VECTOR, 0, "their rates"},
    {"alpha", "rad/s^2", CT_NEED_TURNS, SPACE, CT_MOTION_TURN_RATE, VECTOR, 0,
     "their second derivatives"},
    {"u", "rad", CT_NEED_NUMBERS, SPACE, CT_MOTION_TURN, VECTOR, 0,
     "what tells the point of a path or patch: one number, or two"},
    {"du", "rad/s", CT_NEED_NUMBERS, SPACE, CT_MOTION_TURN_SPEED, VECTOR, 0, "their rates"},
    {"R", "1", CT_NEED_TURNS, SPACE, CT_MOTION_JOINT_AXES, CT_MATRIX, 0,
     "axes of the head, as columns, in those of the tail"},
    {"omega", "rad/s", CT_NEED_TURNS, SPACE, CT_MOTION_JOINT_SPIN, VECTOR, 0,
     "angular velocity of the head against the tail, axes of the head"},
    {"F", "N", CT_NEED_FORCE, BOTH, CT_MOTION_REACTION, VECTOR, 0,
     "reaction on the head, at the joint, ground axes"},
    {"T", "N.m", CT_NEED_TORQUE, PLANE, CT_MOTION_REACTION_TORQUE, SINGLE, 2,
     "reaction on the head"},
    {"T", "N.m", CT_NEED_TORQUE, SPACE, CT_MOTION_REACTION_TORQUE, VECTOR, 0,
     "reaction on the head, ground axes"},
    {"q", "m", CT_NEED_BENDS, BOTH, CT_MOTION_BEND, VECTOR, 0,
     "coordinates of its shape: of a beam bending, stretch, twist; of a cable x, y and their "
     "slopes"},
    {"qdot", "m/s", CT_NEED_BENDS, BOTH, CT_MOTION_BEND_SPEED, VECTOR, 0, "their rates"},
    {"drive", NULL, CT_NEED_DRIVE, BOTH, CT_MOTION_DRIVE, SINGLE, 0,
     "torque or force on the head that driving it takes; not in F, T"},
    {"drive_q", "N.m", CT_NEED_DRIVE, SPACE, CT_MOTION_DRIVE, SINGLE, CT_TURN,
     "the same for each turn, where several freedoms are driven"},
    {"drive_s", "N", CT_NEED_DRIVE, SPACE, CT_MOTION_DRIVE, SINGLE, CT_SLIDE, "and for each slide"},
};

/* inside.h - links and joints of a robot while it is read; private to src/robot. */
#ifndef CT_ROBOT_INSIDE_H
#define CT_ROBOT_INSIDE_H

#include "base/hash.h"
#include "base/text.h"
#include "robot/robot.h"
#include "robot/xml.h"

#define NOTHING UINT32_MAX

/* Place and axes of a frame in another one: turned about z, the new y, the new x. */
typedef struct pose {
    double at[3], rpy[3];
} pose;

typedef struct inertial {
    double mass, com[3], I[6]; /* about com, in the axes of the link: xx yy zz xy xz yz */
} inertial;

typedef enum shape_kind {
    SHAPE_NONE,
    SHAPE_BOX,
    SHAPE_CYLINDER,
    SHAPE_SPHERE,
    SHAPE_CAPSULE,
    SHAPE_ELLIPSOID,
    SHAPE_MESH
} shape_kind;

typedef struct shape {
    shape_kind kind;
    pose pose;
    double size[3]; /* edges; radius, length; radius; radii; scale of a mesh */
    const char *file;
    double colour[3];
    bool coloured;
    double mass, density; /* NaN: it is only drawn */
    uint32_t link;
    ct_place place;
} shape;

/* A frame of a link that is not of a joint. */
typedef struct site {
    ct_name name, word;
    pose pose;
    uint32_t link;
    ct_place place;
} site;

typedef struct link {
    ct_name name, word; /* as written; as in the text */
    inertial own;
    pose pose;        /* in the link that it is fixed to, or in what carries it (SDF: the model) */
    uint32_t joint;   /* that leads to it; NOTHING: a root */
    uint32_t host;    /* the link that it is a part of, by fixed joints; else itself */
    bool floating;    /* asked for by the file */
    pose start;       /* of a root that is free, against the ground */
    ct_name relative; /* the link that its pose is against (SDF); 0: the model */
    ct_place place;
} link;

typedef enum joint_kind {
    JOINT_FIXED,
    JOINT_REVOLUTE,
    JOINT_PRISMATIC,
    JOINT_PLANAR,
    JOINT_FLOATING,
    JOINT_SPHERICAL,
    JOINT_UNIVERSAL,
    JOINT_KINDS
} joint_kind;

typedef struct joint {
    ct_name name, word, head_word;
    joint_kind kind;
    ct_name parent_name, child_name;
    ct_place parent_place, child_place;
    uint32_t parent, child; /* links; parent NOTHING: the ground */
    pose pose;              /* of the tail in the parent */
    pose head;              /* of the head in the child */
    double axis[3], axis2[3];
    ct_name relative, axis_in, axis2_in; /* frames of pose and axes (SDF); 0: the usual ones */
    double lower, upper, effort, speed;  /* NaN: not given */
    double damping, friction, stiffness, rest, armature;
    ct_name mimic; /* the joint that it follows; 0: none */
    ct_place mimic_place;
    uint32_t leader;
    double factor, offset;
    ct_place place;
} joint;

typedef struct left_out { /* a tag, or something else, that has no meaning here */
    ct_name name;
    bool tag;
    uint32_t count;
    ct_place place;
} left_out;

typedef struct robot {
    ct_context *ctx;
    ct_arena *arena;
    const ct_xml *x;
    ct_name name, word;
    double gravity[3];
    CT_VEC(link) link;
    CT_VEC(joint) joint;
    CT_VEC(shape) shape;
    CT_VEC(site) site;
    CT_VEC(left_out) left;
    ct_map links, joints, words; /* name -> index + 1 */
    ct_map materials;            /* name -> element */
    const uint32_t *order;       /* links, parents before children; made by tree.c */
    bool loops;                  /* a link may be the child of several joints */
    bool forest;                 /* there may be several roots */
    bool broken, floating, as_system;
} robot;

/* ---- readers */
void ct_read_urdf(robot *r, uint32_t root);
void ct_read_sdf(robot *r, uint32_t root);
void ct_read_mjcf(robot *r, uint32_t root);

/* ---- values of attributes and texts (value.c) */
ct_report *ct_robot_error(robot *r, const char *code, ct_place place, const char *format, ...)
    CT_PRINTF(4, 5);
/* Numbers apart by blanks; reports unless there are `count` finite ones. */
bool ct_robot_numbers(robot *r, const char *text, ct_place place, uint32_t count, double *out);
/* Attributes; absent ones leave what is there. */
bool ct_read_numbers(robot *r, uint32_t element, const char *attribute, uint32_t count,
                     double *out);
const char *ct_need_text(robot *r, uint32_t element, const char *attribute); /* reports; NULL */
void ct_read_angles(const char *text, double *angle, uint32_t count); /* 1.57079633 is pi/2 */
bool ct_shape_word(const char *word, shape_kind *kind);
const char *ct_shape_name(shape_kind kind);
void ct_leave_out(robot *r, uint32_t element);
void ct_leave_out_word(robot *r, const char *what, ct_place place); /* what is no tag */
void ct_tell_left_out(robot *r);

/* ---- lists (names.c) */
uint32_t ct_add_link(robot *r, ct_name name, ct_place place);
joint *ct_add_joint(robot *r, ct_name name, joint_kind kind, ct_place place);
void ct_name_all(robot *r); /* words of the language for all names */
ct_name ct_word_for(robot *r, const char *name, const char *ending);

/* ---- poses and inertias (pose.c) */
pose ct_pose_none(void);
bool ct_pose_is_none(const pose *p);
pose ct_pose_product(const pose *a, const pose *b);
pose ct_pose_inverse(const pose *a);
void ct_pose_matrix(const pose *p, double R[9]); /* rows; columns are the axes */
void ct_pose_set_matrix(pose *p, const double R[9]);
void ct_pose_apply(const pose *p, const double in[3], double out[3]);
void ct_turn_vector(const double R[9], const double in[3], double out[3]);
void ct_inertia_turn(const double R[9], double I[6]);
inertial ct_inertial_in(const inertial *own, const pose *p); /* in the frame that p stands in */
double ct_quarter_turns(double angle); /* in quarter turns if whole; else NaN */

/* ---- trees and text */
bool ct_make_trees(robot *r);
uint32_t ct_write_robot(robot *r, uint32_t source); /* source of the text */

#endif

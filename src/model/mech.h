/* mech.h - bodies, frames and joints while they are read; private to src/model.
 *
 * Names come first (ct_mech_pass): a terminal `crank` is a frame or a node, whatever the order of
 * statements. What stands in brackets and keys is resolved when all names are known.
 */
#ifndef CT_MODEL_MECH_H
#define CT_MODEL_MECH_H

#include "model/build.h"
#include "model/builtin.h"

#define NO_FRAME UINT32_MAX

/* Where a body, frame, joint or load is written, and how far it is read. */
typedef struct part {
    where where;
    ct_node node; /* 0: the ground, the own frame of a body */
    entry_state state;
} part;

/* A formal `f : frame` of an instance: stands for a frame outside. */
typedef struct frame_port {
    where where; /* outside */
    ct_node expr;
    uint32_t frame; /* NO_FRAME: not yet resolved */
    bool busy;
} frame_port;

/* 1-D ports of a joint: node + 1, by freedom. */
typedef struct joint_nodes {
    uint32_t of[CT_FREEDOMS];
} joint_nodes;

/* What a part adds to its body, about its own frame and in its axes. */
typedef struct ct_lump {
    uint32_t frame;
    ct_expr mass, inertia[6];
    ct_place place;
} ct_lump;

struct ct_beam_data;  /* flexible.h */
struct ct_fe_data;    /* fe.h */
struct ct_cable_data; /* cable.h */

struct mech {
    CT_VEC(ct_body) body;
    CT_VEC(uint32_t) body_id; /* for the map of frames */
    CT_VEC(part) body_part;
    CT_VEC(ct_frame) frame;
    CT_VEC(part) frame_part;
    CT_VEC(ct_joint) joint;
    CT_VEC(part) joint_part;
    CT_VEC(joint_nodes) joint_nodes;
    CT_VEC(ct_vector_load) load;
    CT_VEC(part) load_part;
    CT_VEC(ct_speed_bound) speed;
    CT_VEC(ct_line) line;
    CT_VEC(ct_motion) motion;
    CT_VEC(ct_branch_wish) wish;
    CT_VEC(frame_port) port;
    CT_VEC(ct_shape) shape;
    CT_VEC(ct_lump) lump;
    CT_VEC(struct ct_beam_data *) beam;
    CT_VEC(struct ct_fe_data *) fe;
    CT_VEC(struct ct_cable_data *) cable;
    ct_map lumps;    /* frame -> index + 1 */
    ct_map frames;   /* (id of body or scope, name) -> frame + 1 */
    ct_map *motions; /* name -> index + 1 */
    uint32_t ids;
    uint32_t current, current_id; /* body whose frames are being read, and its id */
    bool spaced, spatial;         /* `space` was given; and it is not the plane */
    part gravity;
    ct_vec3 gravity_value;
    ct_coordinates coordinates;
    ct_place space_place, coordinates_place;
    ct_dim key_dim[CT_KEYS], motion_dim[CT_MOTION_ROWS], torque_dim, force_dim, energy_dim;
};

/* Components of a vector, and how one is written. */
static inline uint32_t ct_vector_size(const builder *b)
{
    return b->mech->spatial ? 3 : 2;
}
static inline const char *ct_vector_text(const builder *b)
{
    return b->mech->spatial ? "[x, y, z]" : "[x, y]";
}

/* How far its lists go. */
typedef struct mech_extent {
    uint32_t body, frame, joint, load, line, motion, wish, port, shape, lump;
} mech_extent;

void ct_mech_begin(builder *b);
mech_extent ct_mech_extent(const builder *b);
void ct_mech_cut(builder *b, const mech_extent *e);

/* ---- names (body.c, together.c) */
bool ct_mech_type(builder *b, ct_name word, uint32_t *type); /* no definition of the user's */
bool ct_mech_type_at(builder *b, const where *w, ct_node component, uint32_t *type);
uint32_t ct_add_frame(builder *b, uint32_t body, uint32_t id, ct_name name, part p);
uint32_t ct_add_body(builder *b, ct_name full, bool particle, part p);
void ct_check_lines(builder *b); /* warns of lines between points that stay together */

/* ---- keys (key.c, body.c, joint.c, load.c) */
bool ct_read_vector(builder *b, const where *w, ct_node expr, ct_dim_term dim, const char *is,
                    bool fixed, ct_name owner, ct_vec3 *out);
/* A single value of that dimension. */
bool ct_read_number(builder *b, const where *w, ct_node expr, ct_dim dim, const char *is,
                    ct_expr *out);
/* Nothing but params (and time and inputs; and freedoms of other joints than `follows`) stands in
 * it; else reports. */
bool ct_is_fixed(builder *b, ct_expr e, bool time, ct_name follows, const char *what,
                 ct_place place);
bool ct_reads_freedom(builder *b, ct_name own, ct_name symbol);
/* The row of a key, once each (`seen`: one bit a row); reports what the type does not have. */
bool ct_key_of(builder *b, const where *w, ct_node key, uint32_t type, ct_name owner,
               uint64_t *seen, ct_key_kind *kind, ct_node *expr);
/* The keys of a body one by one: begin with its part, type and name. */
typedef struct ct_key_reader {
    const part *of;
    uint32_t type;
    ct_name owner;
    ct_node last;  /* 0: none yet */
    uint64_t seen; /* one bit a row */
    ct_key_kind kind;
    ct_node expr; /* of the key that was found */
} ct_key_reader;
bool ct_next_key(builder *b, ct_key_reader *r);
bool ct_plain_key(builder *b, const where *w, ct_node key, ct_name *name, ct_node *expr);
/* False: it is read already, or being read (a circle, which is reported). */
bool ct_begin_part(builder *b, part *p, ct_name name);
void ct_resolve_body(builder *b, uint32_t body);
void ct_resolve_frame(builder *b, uint32_t frame);
void ct_resolve_joint(builder *b, uint32_t joint);
void ct_add_numbers(builder *b, const ct_joint *of); /* behind it: those that a path reads */
void ct_resolve_load(builder *b, uint32_t load);

/* ---- angles that are re-chosen (rechoose.c) */
void ct_open_chart(builder *b, uint32_t index, ct_joint *j);
void ct_check_chart(builder *b, const ct_joint *j);

/* ---- frames (frame.c, body.c) */
uint32_t ct_frame_of(builder *b, const where *w, ct_node expr); /* NO_FRAME after an error */
bool ct_two_ends(builder *b, const where *w, ct_node n, ct_name owner, uint32_t *tail,
                 uint32_t *head);
bool ct_two_frames(builder *b, const where *w, ct_node n, ct_name owner, uint32_t *tail,
                   uint32_t *head);
bool ct_apart(builder *b, uint32_t tail, uint32_t head, ct_name owner, ct_place place);
uint32_t ct_find_frame(builder *b, uint32_t id, ct_name name);

/* `[x, y, z]` or `frame(...)`: point and axes of f */
void ct_read_seat(builder *b, const where *w, ct_node expr, ct_frame *f);

/* ---- parts of bodies (shape.c) */
bool ct_is_shape(builder *b, const where *w, ct_node expr); /* box(...), inertia(...) in space */
void ct_read_shape(builder *b, const part *p, ct_node expr, uint32_t index, ct_frame *f);
void ct_add_parts(builder *b, uint32_t index, ct_body *body); /* to its mass and inertia */

/* ---- what acts on a freedom of a joint (port.c), speed constraints (speed.c) */
void ct_push_freedom(builder *b, const where *w, uint32_t joint, uint32_t freedom, ct_name name,
                     ct_expr value, ct_place place);

/* ---- variables (motion.c) */
ct_expr ct_motion_symbol(builder *b, ct_name name, ct_motion_kind kind, uint32_t object,
                         uint32_t axis);
void ct_resolve_part_starts(builder *b, const part *p, thing owner);

/* ---- the whole (setting.c) */
void ct_resolve_mech(builder *b, const mech_extent *from);
/* The limits of a body's key, when the parameters have numbers. */
void ct_check_key(builder *b, uint32_t body, ct_key_kind key, ct_expr value);
ct_place ct_key_place(builder *b, const part *p, const char *word, ct_place other); /* its value */

/* ---- what only space has (spatial.c) */
void ct_read_inertia(builder *b, const where *w, ct_node expr, ct_body *body);
void ct_read_axes(builder *b, const where *w, ct_node turns, ct_frame *f);
const bool *ct_check_parts(builder *b); /* by body: one of its parts was complained of */
void ct_check_spatial(builder *b,
                      const bool *bad); /* inertias that no body has, axes that are no rotation */

#endif

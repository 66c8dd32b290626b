/* inside.h - inside the mechanics folder: rigid groups, ties between them, trees, and the sparse
 * system at acceleration level.
 *
 * Bodies that are welded together are one rigid group; group 0 holds the ground. A tie is what a
 * joint or a body's own branch says about two groups. Local vectors are in the axes of the group:
 * those of its leading body, in space of the joint that leads to it; from the origin of that body.
 */
#ifndef CT_MECHANICS_INSIDE_H
#define CT_MECHANICS_INSIDE_H

#include "base/vec.h"
#include "graph/bodies.h"
#include "mechanics/mechanics.h"

#define CT_NOTHING UINT32_MAX

/* Places and forces have components 0 .. slides-1, turns and torques `turn` .. 2 (m->space); the
 * others are zero. */
typedef struct vec {
    ct_expr x[3];
} vec;

/* Fixed axes against others: an angle in the plane; in space their three directions, NULL: none. */
typedef struct attitude {
    ct_expr angle;
    const vec *axes;
} attitude;

/* A body's place in its group. */
typedef struct member {
    uint32_t group;
    vec origin, com; /* local */
    attitude turn;   /* of its axes against those of the group */
    uint32_t next;   /* body of the same group; 0: none */
} member;

typedef struct rigid {
    uint32_t lead;  /* body whose origin it has, and whose mass centre its branch leads to */
    uint32_t first; /* of its bodies, through member.next; CT_NOTHING: none */
    bool point;     /* particles only: no orientation */
    bool bends;     /* one of its bodies does */
    /* Motion, from the user's trees. */
    ct_expr angle, sine, cosine; /* against `outer`, about one of its axes */
    uint8_t about;
    uint32_t outer;    /* group; the ground in the plane */
    attitude base;     /* in space: its axes at angle zero, */
    const vec *skew;   /* and turned, where the axis is a skew one; else NULL */
    vec spin;          /* in the axes of the unknowns */
    ct_expr square[6]; /* of spin, for `inward`: xx yy zz xy xz yz; in the plane the first only */
    vec inboard;       /* local: where the walk met it first */
    vec position, velocity; /* of that point */
} rigid;

/* A frame in its group. */
typedef struct site {
    uint32_t group, body;
    vec at;
    attitude turn;
} site;

/* Another joint's freedom that a driver reads. */
typedef struct coupled {
    ct_name symbol, rate; /* `J1.beta`, and one for its rate */
    uint32_t joint, tie;
    bool turn;
    uint32_t axis, slide; /* which of several, of the joint and of the tie */
    ct_expr raw, slope;   /* derivative of the driver: over these symbols; over coordinates */
} coupled;

/* A freedom that follows from others (couple.c). */
typedef struct couple {
    coupled *by;
    uint32_t count;
    ct_expr raw[3]; /* f, f', and f'' but for accelerations: over their symbols */
    ct_expr of[3];  /* over coordinates and speeds */
} couple;

/* A prescribed freedom: value and derivatives; value 0: only the speed is given. */
typedef struct given {
    bool is; /* by time and inputs alone */
    ct_expr of[3];
    couple *couple; /* by other freedoms; NULL: not */
} given;

/* In space a branch has one freedom, or is a ball: several come one after the other, with groups
 * without mass between them (chain.c). */
typedef struct tie {
    bool is_body;
    bool elastic;        /* `from` and the turn of the tail follow the shape of a body */
    uint32_t object;     /* joint, or leading body */
    uint32_t tail, head; /* groups */
    uint32_t tail_frame, head_frame; /* CT_NOTHING: none, of a group between others and of bodies */
    attitude tail_turn, head_turn;   /* in space: axes of the joint in those of the groups */
    attitude chart;                  /* in tail_turn, besides its frame: of angles re-chosen */
    vec from, to;                    /* local points */
    ct_freedoms free;
    uint32_t turn_at, slide_at; /* which of the joint's freedoms it has first */
    bool ball;                  /* all turns at once: a quaternion, and the spin of the head */
    vec axis[3];    /* of slides, in the tail: unit vectors; one in a plane: its normal, */
    vec along;      /* of one slide, or across two, in the axes of its tail's frame */
    vec pin;        /* of its turn, in the axes of both of its frames: a unit vector */
    ct_expr offset; /* angle of head minus that of tail at beta = 0 */
    given slide, angle;
    ct_expr length;
    /* In the user's trees. */
    bool in_t, in_r;
    uint32_t slide_q[3], angle_q; /* coordinates; of a ball the first of four */
    uint32_t winding_q[3]; /* of a chord in space whose angles are read: counts whole turns */
    /* In the elimination tree. */
    bool in_fast;
} tie;

/* A spanning tree of groups, walked from the ground. */
typedef struct step {
    uint32_t tie;
    uint32_t parent, child;
    bool forward; /* the child is the head */
} step;

typedef struct steps {
    step *at;
    uint32_t count;
} steps;

/* One scalar equation of a chord. */
typedef struct chord_row {
    uint32_t tie;
    uint8_t row;      /* ct_tie_row */
    uint32_t unknown; /* its multiplier in the sparse system */
    bool dropped;     /* redundant */
} chord_row;

typedef CT_VEC(chord_row) chord_rows;

/* A speed constraint of the user that the elimination holds (held.c). */
typedef struct held_term {
    const ct_motion *of; /* a speed */
    ct_expr factor;
} held_term;

typedef struct held {
    const ct_speed_bound *of;
    CT_VEC(held_term) term;
    ct_expr speed, bias; /* over coordinates and speeds; the rate without accelerations */
    uint32_t unknown;    /* its multiplier in the sparse system: -lambda */
} held;

struct mechanics;

/* What plane and space do not share (space.c), a row each. */
typedef struct space {
    uint32_t slides, turn; /* see vec */
    bool lifts;            /* accelerations are those against gravity: the ground's is -g */
    /* Angle and spin of the child of a step. */
    void (*orient)(struct mechanics *m, const step *s, ct_expr turn, ct_expr rate);
    /* -w.(omega x (omega x v)) of a group, in its axes */
    ct_expr (*inward)(struct mechanics *m, const rigid *g, vec w, vec v);
} space;

typedef struct mechanics {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    const ct_mechanics_def *def;
    const ct_mechanism *mech; /* in this pool */
    const ct_tree *tree;
    const space *space;
    uint32_t *axes; /* by group: in whose axes its unknowns stand; 0: the ground's */
    vec *world;     /* in space, once asked for: axes of groups in those of the ground, 3 each */
    bool weighted;
    bool bends; /* one of its bodies does */
    double (*value)(const void *user,
                    ct_name symbol); /* what numbers are taken from: the definition's, */
    const void *user;                /* or those of a start */
    double now;                      /* time in numbers */
    bool hold;                       /* results stay whole: the fast form */
    ct_expr zero, one;
    member *member; /* by body */
    rigid *group;
    uint32_t group_count;
    site *site; /* by frame */
    CT_VEC(tie) tie;
    uint32_t *body_tie;      /* by group: tie of its branch, the last of a chain */
    uint32_t *tie_of_joint;  /* CT_NOTHING: a weld within a group; else the first of a chain */
    uint32_t *tie_count;     /* by joint: how many there are */
    uint32_t *winding;       /* by frame, in space: coordinate that counts turns about z */
    uint32_t *weld_towards;  /* by body: the weld that leads to the lead of its group, or
                                CT_NOTHING */
    uint32_t *weld_order;    /* bodies, leads first */
    uint32_t *shape_q;       /* by body: first coordinate of its shape; CT_NOTHING: it has none */
    ct_map shape_index;      /* symbol q of a shape -> its number, from 1 */
    uint32_t shape_count;    /* of all bodies */
    const double *shape_now; /* their values in numbers; NULL: zeros */
    steps t, r;              /* the user's trees */
    CT_VEC(ct_driver_slack) slack;
    CT_VEC(ct_coordinate) coordinate;
    CT_VEC(ct_constraint) constraint;
    chord_rows user_row; /* of the user's chords */
    CT_VEC(held) held;   /* speed constraints */
    bool jumps;          /* one that is looked at does */
    ct_map motion;       /* symbol -> index in mech->motion plus 1 */
    ct_map rate;         /* symbol of a freedom that drivers read -> that of its rate */
    bool has_velocities;
    bool tested;    /* for redundancy */
    vec *load;      /* of each load: force or torque in ground axes */
    ct_expr *along; /* of each line */
    ct_expr *port;  /* CT_FREEDOMS for each joint: torques, forces */
    struct fast *fast;
    struct reactions *reactions;
} mechanics;

/* ---- algebra.c: arithmetic that holds its results, vectors */
ct_expr ct_mx_add(mechanics *m, ct_expr a, ct_expr b);
ct_expr ct_mx_sub(mechanics *m, ct_expr a, ct_expr b);
ct_expr ct_mx_mul(mechanics *m, ct_expr a, ct_expr b);
ct_expr ct_mx_div(mechanics *m, ct_expr a, ct_expr b);
ct_expr ct_mx_neg(mechanics *m, ct_expr a);
static inline bool ct_mx_is_zero(const mechanics *m, ct_expr e)
{
    return e == m->zero;
}
vec ct_mx_zero(const mechanics *m);
vec ct_mx_vadd(mechanics *m, vec a, vec b);
vec ct_mx_vsub(mechanics *m, vec a, vec b);
vec ct_mx_apart(mechanics *m, vec a, vec b); /* a - b of places: what both contain cancels */
vec ct_mx_scale(mechanics *m, ct_expr c, vec a);
vec ct_mx_opposite(mechanics *m, vec a);
vec ct_mx_unit(const mechanics *m, uint32_t axis, ct_expr value); /* value along an axis */
vec ct_mx_turned(mechanics *m, uint32_t axis, vec a);             /* e x a, e: unit vector */
vec ct_mx_spun(mechanics *m, vec spin, vec a);                    /* spin x a */
ct_expr ct_mx_dot(mechanics *m, vec a, vec b);
vec ct_mx_cross(mechanics *m, vec a, vec b); /* a x b of places and forces: a torque */
static inline bool ct_mx_is_none(const mechanics *m, const vec *a)
{
    return a->x[0] == m->zero && a->x[1] == m->zero && a->x[2] == m->zero;
}

/* ---- space.c */
vec ct_mx_rotated(mechanics *m, vec v, attitude a);
attitude ct_mx_joined(mechanics *m, attitude a, attitude b); /* b stands in the axes of a */
attitude ct_mx_inverse(mechanics *m, attitude a);
vec ct_mx_about(mechanics *m, vec v, uint32_t axis, ct_expr cosine, ct_expr sine);
/* The coordinate axis that a joint turns about, in the axes of the group that it leads to; 3: a
 * skew one. */
uint8_t ct_mech_pin_axis(mechanics *m, const tie *t);
bool ct_mech_check_space(mechanics *m); /* false: reported angles that cannot be re-chosen */
void ct_mech_align(mechanics *m);       /* gives groups the axes of their joints, in space */
void ct_mech_set_space(mechanics *m);
void ct_mech_set_axes(mechanics *m); /* after groups are made */
/* A vector in the axes of one group in those of another. */
vec ct_mx_in(mechanics *m, vec v, uint32_t from, uint32_t to);
static inline vec ct_mx_place(const ct_vec3 *v)
{
    return (vec){{v->c[0], v->c[1], v->c[2]}};
}

/* ---- bodies.c: groups, members, sites */
void ct_mech_group_bodies(mechanics *m);
/* Mass, first moment and inertia of a group about a local point. */
typedef struct mass_of {
    ct_expr mass, inertia[6]; /* xx yy zz xy xz yz; plane: zz */
    vec moment;               /* local: mass times the way to the mass centre */
} mass_of;
mass_of ct_mech_mass(mechanics *m, uint32_t group, vec about);

/* ---- ties.c */
void ct_mech_make_ties(mechanics *m);
/* What drives a freedom of a joint. */
given ct_mech_given(mechanics *m, uint32_t joint, uint32_t freedom);
vec ct_mech_direction(mechanics *m, const ct_vec3 *v); /* a unit vector */
/* The tie that has a freedom of a joint; CT_NOTHING: none has. */
uint32_t ct_mech_tie_of(const mechanics *m, uint32_t joint, uint32_t freedom);

/* ---- chain.c: branches in space with several freedoms */
void ct_mech_chain_joint(mechanics *m, uint32_t joint);
void ct_mech_chain_body(mechanics *m, uint32_t group, bool place, bool turn);
/* Two unit vectors across a unit vector n: out[0] x out[1] = n. */
void ct_mx_across(mechanics *m, vec n, vec out[2]);

/* ---- trees.c */
void ct_mech_read_trees(mechanics *m);
/* Names of the tree's joints between both ends of a chord, and its own; they are witnesses.
 * inside: by joint, marks them; may be NULL. */
const char *ct_mech_loop(mechanics *m, const steps *tree, uint32_t chord, ct_report *r,
                         bool *inside);

/* ---- kinematics.c */
void ct_mech_name_coordinates(mechanics *m);
void ct_mech_walk(mechanics *m);
vec ct_mech_position(mechanics *m, uint32_t group, vec local);
/* Of angles of head against tail, where that follows a shape. */
ct_expr ct_mech_elastic_rate(mechanics *m, const tie *t);
/* Of the frame of its tail, with what a section turns against its body; ground axes. */
vec ct_mech_tail_spin(mechanics *m, const tie *t);
vec ct_mech_velocity(mechanics *m, uint32_t group, vec local);
vec ct_mech_distance(mechanics *m, const tie *t); /* from tail's to head's point */
vec ct_mech_distance_rate(mechanics *m, const tie *t);
vec ct_mech_axis(mechanics *m, const tie *t, uint32_t i, uint32_t axes); /* of which group */
vec ct_mech_spin(mechanics *m, const tie *t); /* of a ball: its speeds, axes of the head's group */
vec ct_mech_spin_of(mechanics *m, uint32_t group); /* ground axes */
/* The axis of its turn in the axes of the unknowns of its head, or tail. */
vec ct_mech_pin(mechanics *m, const tie *t, bool head);
ct_expr ct_mech_slide(mechanics *m, const tie *t, uint32_t i, int order); /* 0: s, 1: s' */
ct_expr ct_mech_turn(mechanics *m, const tie *t, int order);
/* The same from the positions of both ends, also where a driver gives it. */
ct_expr ct_mech_slide_across(mechanics *m, const tie *t, uint32_t i, int order);
ct_expr ct_mech_turn_across(mechanics *m, const tie *t, int order);
bool ct_mech_is_input(const mechanics *m, ct_name name);
/* Time derivative of a driver; 0 after an error. */
ct_expr ct_mech_rate(mechanics *m, ct_expr e, ct_place place);

/* ---- angles.c: several turns of a joint in space that is no branch */
static inline bool ct_has_angles_across(const tie *t)
{
    return !t->in_r && t->free.turns > 1 && !t->ball;
}
ct_expr ct_mech_angle_across(mechanics *m, const tie *t, uint32_t i, int order);
void ct_mech_name_windings(mechanics *m);  /* behind all other coordinates */
void ct_mech_drive_windings(mechanics *m); /* after the walk */
/* An angle between -pi and pi, or its sine and cosine, as one that goes on. */
ct_expr ct_mech_unwound(mechanics *m, uint32_t winding, ct_expr sine, ct_expr cosine);
vec ct_mech_torque_across(mechanics *m, const tie *t); /* of its ports, on the head, ground axes */

/* ---- couple.c */
/* NULL: the driver reads no other joint. */
couple *ct_mech_coupled(mechanics *m, uint32_t joint, ct_expr value);
bool ct_mech_couple(mechanics *m); /* after the walk; false after errors */

/* ---- rows.c: one scalar equation of a chord */
typedef struct row_form {
    vec w;              /* force on the head for a multiplier of one, times `over`; ground axes */
    vec c;              /* torque on the head */
    vec back;           /* torque on the tail besides: w turns with it */
    ct_expr over;       /* one, or the length of a rod */
    ct_expr position;   /* without what a driver gives */
    ct_expr bias[2];    /* right side at acceleration level, when asked for */
    const given *given; /* what the row is to be; NULL: zero */
    bool closed;        /* its position counts what is given already */
    ct_expr sense;      /* not positive: met the wrong way round; 0: there is none such */
} row_form;

row_form ct_mech_row(mechanics *m, const tie *t, ct_tie_row row, bool bias);
row_form ct_mech_slide_form(mechanics *m, const tie *t, ct_expr factor); /* of factor*s */
ct_expr ct_mech_row_speed(mechanics *m, const tie *t, const row_form *f);
vec ct_mech_row_force(mechanics *m, const row_form *f);

/* ---- rows_space.c; factor: of a slide's axis */
row_form ct_mech_row_in_space(mechanics *m, const tie *t, ct_tie_row row, ct_expr factor,
                              bool bias);

/* ---- constraints.c: circuit equations of chords */
uint32_t ct_mech_senses(mechanics *m, ct_arena *arena, ct_sense **sense);
static inline bool ct_row_couples(uint8_t row)
{
    return row == CT_ROW_COUPLE_SLIDE || row == CT_ROW_COUPLE_TURN;
}
static inline const couple *ct_couple_of(const tie *t, uint8_t row)
{
    return row == CT_ROW_COUPLE_TURN ? t->angle.couple : t->slide.couple;
}
void ct_mech_list_rows(mechanics *m); /* of the user's chords */
void ct_mech_make_constraints(mechanics *m);
ct_constraint ct_mech_constraint(mechanics *m, const chord_row *r);     /* without its multiplier */
ct_name ct_mech_name(const mechanics *m, const tie *t, ct_member word); /* `J3.Fn`, `J3.v[2]` */
ct_name ct_mech_row_name(mechanics *m, const tie *t, uint8_t row);      /* its multiplier */

/* ---- loads.c: loads over q, u, t; false after errors. Multipliers of what is held are zero. */
bool ct_mech_make_loads(mechanics *m);

/* ---- sparse.c: a symmetric sparse system K x = b and its pivots */
typedef struct entry {
    uint32_t row, col;
    ct_expr value;
} entry;

typedef struct pivot_term {
    uint32_t col;
    ct_expr value;
} pivot_term;

/* One elimination, for the way back: x = start - sum of term. */
typedef struct eliminated {
    uint32_t unknown;
    ct_expr start, factor; /* factor: x = start - factor*(sum); 0: one */
    uint32_t first, count; /* in term */
} eliminated;

typedef struct sparse_row {
    CT_VEC(uint32_t) entry;
    ct_expr b;
    bool chord;  /* multiplier of a chord */
    bool parked; /* and never eliminated */
    bool early;  /* and goes as soon as a constant lever allows it */
    bool listed; /* in `ready` */
    bool gone;
    uint32_t waits; /* of a chord: for so many others beside it */
} sparse_row;

typedef struct sparse {
    mechanics *m;
    ct_arena *arena;
    CT_VEC(entry) entry;
    ct_map index; /* pair of unknowns -> entry + 1 */
    CT_VEC(sparse_row) row;
    CT_VEC(eliminated) done;
    CT_VEC(pivot_term) term;
    CT_VEC(uint32_t) ready; /* multipliers that wait for nothing more */
} sparse;

void ct_sp_init(sparse *s, mechanics *m, ct_arena *arena);
uint32_t ct_sp_unknown(sparse *s, bool chord);
uint32_t ct_sp_unknowns(sparse *s, uint32_t count); /* the first of so many */
void ct_sp_put(sparse *s, uint32_t i, uint32_t j, ct_expr value);
void ct_sp_rhs(sparse *s, uint32_t i, ct_expr value);
ct_expr ct_sp_at(const sparse *s, uint32_t i, uint32_t j); /* 0: none */
/* Unknowns v[0..n) from rows e[0..n), where K[e][v] = +-identity. */
void ct_sp_substitute(sparse *s, const uint32_t *v, const uint32_t *e, uint32_t n);
bool ct_sp_pivot(sparse *s, uint32_t v); /* false: its diagonal is zero */
void ct_sp_pivot_ready(sparse *s);       /* multipliers */
/* Values of all unknowns; x holds those of what was not eliminated. */
void ct_sp_back(sparse *s, ct_expr *x);

/* ---- assemble.c: rows of bodies and ties at acceleration level */
typedef struct assembly {
    mechanics *m;
    sparse s;
    uint32_t *mode;       /* by body: first of its modes' second derivatives */
    vec *reference;       /* by group, local: the point whose acceleration is unknown */
    uint32_t *contact;    /* by group: tie at whose moving point of contact the reference is */
    uint32_t *a;          /* by group: first unknown, one a slide; CT_NOTHING */
    uint32_t *alpha;      /* by group: first unknown, one a turn; CT_NOTHING: known */
    vec *alpha_known;     /* by group: what is added to it */
    uint32_t (*slide)[3]; /* by tie: second derivatives that are unknown */
    uint32_t *turn;       /* the same of its turn, where rows of the joint name it; of a ball the
                             first of three */
    uint32_t *seat;       /* by group, in space: where its parent holds it, the first unknown of */
    uint32_t *seat_row;   /* that point's acceleration, in the parent's axes, and its rows */
} assembly;

void ct_assembly_init(assembly *x, mechanics *m, ct_arena *arena);
/* A point of a body, and how it accelerates:
 *
 *     a + alpha x arm + omega x (omega x arm) + sum shape_k eta_k'' + bias
 *
 * Forces there act on the modes by shape, torques by turn. */
typedef struct point_form {
    uint32_t group;
    vec arm, bias; /* from the reference, in the axes of the unknowns; bias: of moving modes */
    vec turn_bias; /* in space: of turns that modes move; set for bodies that bend */
    const vec *shape, *turn;
    uint32_t modes, mode; /* how many, and the first of their unknowns; set for every kind */
} point_form;
point_form ct_assembly_point(assembly *x, uint32_t frame);
/* Of a group that keeps its shape, in its own axes. */
point_form ct_assembly_rigid_point(assembly *x, uint32_t group, vec local);
/* Adds w.(acceleration of the point) to a row; w, forces and torques are in its axes. */
void ct_assembly_put_point(assembly *x, uint32_t row, const point_form *p, vec w);
void ct_assembly_put_force(assembly *x, const point_form *p, vec force, vec torque);
void ct_assembly_bodies(assembly *x);
void ct_assembly_unit_bodies(assembly *x, ct_expr square);
void ct_assembly_loads(assembly *x);
/* Rows of a branch, one a slide; returns the first multiplier. */
uint32_t ct_assembly_branch(assembly *x, const step *s);
/* Rows of a branch of the rotational tree, by component but `free` (CT_ALL_FREE: none); unknowns
 * of rows in row[3]. */
enum { CT_NONE_FREE = 3, CT_ALL_FREE = 4 };
void ct_assembly_turns(assembly *x, const step *s, uint32_t free, uint32_t row[3]);
point_form ct_assembly_tail_point(assembly *x, uint32_t tie_index); /* where the head's is */
point_form ct_assembly_head_point(assembly *x, uint32_t tie_index);
vec ct_mech_line_force(mechanics *m, uint32_t line); /* on its head */
uint32_t ct_assembly_row(assembly *x, uint32_t tie_index, uint8_t row);
void ct_assembly_add_alpha(assembly *x, uint32_t row, uint32_t group, vec factor);
/* Adds factor times the second derivative of a freedom. */
void ct_assembly_put_freedom(assembly *x, uint32_t row, uint32_t tie_index, bool turn,
                             uint32_t slide, ct_expr factor);

/* ---- held.c: speed constraints in the elimination */
void ct_mech_hold_speeds(mechanics *m);
void ct_assembly_held(assembly *x);     /* their rows */
bool ct_mech_report_held(mechanics *m); /* after an elimination: one is redundant, and reported */

/* ---- kinds.c: what a kind of body brings into the equations */
/* Force and torque that moving a body takes, in the fast form, at a local point of its group. */
typedef struct body_need {
    vec at, force, torque;
} body_need;
typedef struct body_kind {
    bool turns;                                           /* it has axes */
    uint32_t (*modes)(const mechanics *m, uint32_t body); /* coordinates of its shape */
    void (*point)(assembly *x, uint32_t frame, point_form *out);
    /* Adds what it has, about a local point of its group. */
    void (*inertia)(mechanics *m, uint32_t body, vec about, mass_of *sum);
    ct_expr (*energy)(mechanics *m, uint32_t body, bool kinetic); /* kinetic: twice of it */
    body_need (*takes)(mechanics *m, uint32_t body);
} body_kind;
const body_kind *ct_mech_kind(const mechanics *m, uint32_t body);
vec ct_mech_tensor(mechanics *m, const ct_expr *tensor, vec v);
vec ct_mech_gyration(mechanics *m, const ct_expr *tensor, vec spin); /* spin x tensor spin */
/* A tensor in the axes of a body, in those of its group. */
void ct_mech_turn_tensor(mechanics *m, uint32_t body, const ct_expr *own, ct_expr *out);

/* ---- flexible.c: bodies that change their shape */
extern const body_kind ct_flexible_kind;
/* How fast a section turns against its body; axes of the tail's group. */
vec ct_mech_section_spin(mechanics *m, const tie *t);
/* Time derivative of a local place by the shapes of the bodies in its group; group axes. */
vec ct_mech_shape_rate(mechanics *m, uint32_t group, vec local);
void ct_assembly_shapes(assembly *x, uint32_t group); /* rows of q, and what they add to others */

/* ---- fast.c, plan.c, search.c */
typedef struct fast {
    assembly x;
    steps tree;              /* elimination tree; tie CT_NOTHING: a free root */
    uint32_t *class_of;      /* by group: rotation class, known by its root; 0: no unknown alpha */
    uint32_t *class_parent;  /* by group: tie of the class that leads to the root */
    uint32_t *class_order;   /* groups, roots first */
    bool *class_tie;         /* by tie: leads to the root of a class */
    vec *alpha_known;        /* by group: alpha minus that of the root */
    uint32_t *joint_row;     /* by group: first row of the joint to the parent */
    uint32_t (*turn_row)[3]; /* in space, the same of turns by component; CT_NOTHING: free */
    chord_rows chord;
    ct_expr *value; /* of all unknowns */
    CT_VEC(ct_mechanics_unknown) unknown;
    CT_VEC(ct_mechanics_inertia) inertia;
} fast;

/* A redundant row: its multiplier is not determined by the motion. */
static inline bool ct_is_redundant(const mechanics *m, const chord_row *c)
{
    /* turns of chords are within a rotation class */
    return c->dropped || (c->row == CT_ROW_TURN && !m->tie.at[c->tie].elastic);
}
/* plan.c */
void ct_fast_plan(mechanics *m, uint32_t seed); /* tree, classes, chords; 0: the usual order */
/* search.c: the seed of the cheapest tree found, for a mechanism with loops */
uint32_t ct_fast_search(mechanics *m);
/* fast.c; false after errors */
fast *ct_fast_copy(const mechanics *m); /* the plan, nothing solved yet */
bool ct_fast_solve(mechanics *m); /* where speeds are held: or something is left, nothing said */
/* The same elimination with bodies of unit mass and inertia `square`, without loads; multipliers of
 * redundant rows stay in it, so that ct_sp_back tells how the others respond to them. */
fast *ct_fast_statics(mechanics *m, ct_expr square);
vec ct_fast_alpha(mechanics *m, uint32_t group);
ct_expr ct_fast_shape_rate(mechanics *m, uint32_t body, uint32_t k); /* q_k'' */
vec ct_fast_acceleration(mechanics *m, uint32_t group, vec local);   /* ground axes */
vec ct_fast_felt(mechanics *m, uint32_t group, vec local); /* less gravity, in axes of unknowns */
ct_expr ct_fast_slide_rate(mechanics *m, const tie *t, uint32_t i);

/* ---- pose.c: an expression in numbers; NaN: a value is missing */
double ct_mech_number(mechanics *m, ct_expr e);

/* ---- rank.c: marks redundant rows, of the user's chords and of the elimination tree's; false
 * after errors */
bool ct_mech_rank(mechanics *m, int *freedom);

/* ---- express.c: 0 where accelerations are needed and not wanted */
ct_expr ct_mech_express(mechanics *m, const ct_motion *motion, bool accelerations);
ct_expr ct_mech_turn_rate(mechanics *m, const tie *t);
vec ct_mech_spin_rate(mechanics *m, const tie *t); /* of a ball */

/* ---- mechanics.c: groups, ties, trees, coordinates, loads; false after errors */
mechanics *ct_mech_start(const ct_mechanics_def *def, const ct_tree *tree, const ct_mechanism *mech,
                         ct_pool *pool, ct_arena *arena);
bool ct_mech_kinematics(mechanics *m);
void ct_mech_set_accelerations(mechanics *m);
/* ---- best.c: what the expressions cost together, each node once. */
uint64_t ct_mech_operations(ct_pool *pool, const ct_expr *e, uint32_t count);

/* ---- projected.c: the mechanism with the expressions of one pool in another; the equations of
 * the trees, after ct_mech_kinematics */
const ct_mechanism *ct_mech_moved(const ct_mechanism *from, ct_pool *pool, ct_pool *to,
                                  ct_arena *arena);
const ct_motion_equations *ct_mech_project(mechanics *m);

/* ---- reactions.c; moments are about the reference point of the group */
typedef struct need {
    vec force, moment;
} need;

typedef struct reactions {
    need *body, *group;
    vec *force, *torque;           /* by joint, on the head, in the axes of its unknowns */
    ct_expr (*drive)[CT_FREEDOMS]; /* by joint */
} reactions;

reactions *ct_reactions_new(mechanics *m);
/* A row of a chord acts with the force or torque `size` on its head. */
void ct_reactions_row(mechanics *m, reactions *r, uint32_t tie_index, uint8_t row, ct_expr size);
/* A joint's force and torque on its head, at its point. */
void ct_reactions_joint(mechanics *m, reactions *r, uint32_t joint, vec force, vec torque);
/* What is needed still goes from the leaves inward. */
void ct_reactions_pass(mechanics *m, reactions *r);
vec ct_reaction_force(mechanics *m, uint32_t joint); /* ground axes */
vec ct_reaction_torque(mechanics *m, uint32_t joint);
ct_expr ct_reaction_drive(mechanics *m, uint32_t joint, uint32_t freedom);

/* ---- stress.c: of the reactions that redundant joints leave possible, the least */
void ct_share_loads(mechanics *m, reactions *r);

#endif
